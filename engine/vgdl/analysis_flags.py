"""Possible effects of the rules on the sprites of each type: the basis of the split into level and moving sprites.

The answers are upper bounds taken from the ontology's write flags, so a wrong "cannot" is impossible as long as the
flags are right; a test replays whole traces to hold that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from pcg.engine.vgdl.definition import GameDefinition
from pcg.engine.vgdl.facts import (
    CHANGES,
    CLONES,
    KILLS,
    MOVES,
    STIRS,
    EffectFacts,
    SpriteFacts,
    facts_of_effects,
    members,
)


@dataclass
class TypeFlags:
    """Changes that can happen to the sprites of one type."""

    id: int
    possible: bool = False
    """Some level, or some rule, can put a sprite of exactly this type into the game."""
    created: bool = False
    """Sprites of this type can appear during play."""
    moved: bool = False
    changed: bool = False
    stirred: bool = False
    """A rule for the edge of the screen can move or change those that appear during play; the level's are inside."""
    killed: bool = False
    inert: bool = False
    """Its own update does nothing."""
    level: bool = False
    """Sprites placed by the level never change, except by dying: they are kept in the level."""
    idle: bool = False
    """Moving sprites of this type need no update after their first tick."""
    producer: bool = False
    """Their update only draws and spawns: nothing ever moves them."""
    glider: bool = False
    """Their update is the passive step on the grid and nothing else."""
    aimless: bool = False
    """Nothing that can happen ever reads their orientation: what is only pushed about."""


@dataclass(slots=True)
class RoleSets:
    """The types of which each field of `TypeFlags` is true, as sets (`facts`)."""

    possible: int = 0
    created: int = 0
    moved: int = 0
    changed: int = 0
    stirred: int = 0
    killed: int = 0
    inert: int = 0
    level: int = 0
    idle: int = 0
    producer: int = 0
    glider: int = 0
    aimless: int = 0

    def flags(self, count: int) -> list[TypeFlags]:
        """The flags of types 0 to `count` - 1."""
        sets = {f.name: getattr(self, f.name) for f in fields(self)}
        return [TypeFlags(t, **{name: bool(types >> t & 1) for name, types in sets.items()}) for t in range(count)]


def type_flags(definition: GameDefinition) -> list[TypeFlags]:
    """Flags of every type, by id."""
    sprites = SpriteFacts(definition)
    return role_sets(definition, sprites, facts_of_effects(sprites, definition)).flags(len(definition.types))


def role_sets(definition: GameDefinition, sprites: SpriteFacts, effects: Sequence[EffectFacts]) -> RoleSets:
    """Return the types that can move, change, die and so on, by the facts of the sprites and of all effects."""
    r = RoleSets(created=sprites.created, inert=sprites.inert)
    subs = sprites.subs
    for pair in definition.pairs:
        first, second = subs[pair.first], subs[pair.second]
        for k in set(pair.effects):
            e = effects[k]
            _write(r, e.first, first)
            _write(r, e.second, second)
            _elsewhere(r, definition, effects, k, sprites.all)
    for t, listed in definition.eos_effects.items():
        for k in set(listed):
            # a level sprite is never at the edge
            first = effects[k].first
            _write(r, first, subs[t] & ~sprites.inert)
            inside = subs[t] & sprites.inert
            r.stirred |= inside if first & STIRS else 0
            r.created |= inside if first & CLONES else 0
            _elsewhere(r, definition, effects, k, sprites.all)
    for te in definition.time_effects:
        if te.bound >= 0:
            _write(r, effects[te.effect].first, subs[te.bound])
        _elsewhere(r, definition, effects, te.effect, sprites.all)
    r.possible = (sprites.mapped | r.created) & sprites.classed
    r.idle = r.inert & ~(r.moved | r.changed | r.stirred)
    r.producer = sprites.producers & ~r.moved
    r.glider = sprites.gliders & ~r.idle
    r.level = r.inert & sprites.plain & ~(r.moved | r.changed)
    r.aimless = _aimless(definition, sprites, effects)
    return r


def _write(r: RoleSets, what: int, types: int) -> None:
    if what & MOVES:
        r.moved |= types
    if what & CHANGES:
        r.changed |= types
    if what & KILLS:
        r.killed |= types
    if what & CLONES:
        r.created |= types


def _elsewhere(r: RoleSets, definition: GameDefinition, effects: Sequence[EffectFacts], k: int, every: int) -> None:
    """Return the changes that an effect makes whatever its two sprites are; the inner effect of addTimer has none."""
    inner: int | None = k
    while inner is not None:
        e = effects[inner]
        r.created |= e.creates
        r.killed |= e.kills
        r.changed |= e.changes
        if e.everywhere:
            r.moved = r.changed = r.killed = every
        inner = definition.effects[inner].inner


def _aimless(definition: GameDefinition, sprites: SpriteFacts, effects: Sequence[EffectFacts]) -> int:
    """Types whose orientation cannot matter (the greatest set that is consistent, as transformTo hands it on)."""
    if sprites.users:
        return 0
    found, subs = sprites.sightless, sprites.subs
    for e in effects:
        if not e.blind:
            return 0
        found &= ~e.reads
    for te in definition.time_effects:
        if te.bound >= 0:
            found &= ~subs[te.bound]
    handed: list[tuple[int, int]] = []
    for pair in definition.pairs:
        for k in set(pair.effects):
            e = effects[k]
            if not e.blind_first:
                found &= ~subs[pair.first]
            elif e.hands_on:
                handed.append((subs[pair.first], e.hands_on))
            if not e.blind_second:
                found &= ~subs[pair.second]
    for t, listed in definition.eos_effects.items():
        for k in listed:
            if not effects[k].blind_first:
                found &= ~subs[t]
            elif effects[k].hands_on:
                handed.append((subs[t], effects[k].hands_on))
    while True:
        lost = 0
        for source, targets in handed:
            if targets & ~found:
                lost |= source
        if not lost & found:
            return found
        found &= ~lost


def is_stochastic(sprites: SpriteFacts, effects: Sequence[EffectFacts]) -> bool:
    """Return true if the outcome of a tick can depend on the random generator (draws that cannot matter left out)."""
    return sprites.draws != 0 or any(e.draws for e in effects)


def time_matters(definition: GameDefinition, sprites: SpriteFacts) -> bool:
    """Return true if a state can be worth more at a later tick than at an earlier one, so that keys must differ.

    A timeout that nobody wins is only a deadline: the same sprites sooner are never worse.
    """
    return sprites.timed or any(
        "true" in str(t.params.get("win", "")).lower() or t.params.get("count_score") or t.params.get("use_counter")
        for t in definition.terminations
        if t.name == "Timeout"
    )


__all__ = ["RoleSets", "TypeFlags", "is_stochastic", "members", "role_sets", "time_matters", "type_flags"]
