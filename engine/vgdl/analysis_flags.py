"""What rules can do to the sprites of each type: the basis of the split between level sprites and moving sprites.

The answers are upper bounds taken from the ontology's write flags, so a wrong "cannot" is impossible as long as the
flags are right; a test replays whole traces to hold that.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.definition import Effect, GameDefinition, SpriteType

_INERT_CLASSES = frozenset(
    {"Immovable", "Door", "Passive", "Resource", "ResourcePack", "Conveyor", "SpriteProducer", "Portal"}
)
_PRODUCERS = frozenset({"SpawnPoint", "Bomber", "BomberRandomMissile", "SpawnPointMultiSprite"})
_GLIDERS = _INERT_CLASSES | {"Missile"}
_ONLY_KILL = frozenset({"killAll", "transformToAll", "transformToSingleton"})
_COLD_CLASSES = frozenset(
    {
        "CarAvatar", "LanderAvatar", "BirdAvatar", "AimedAvatar", "SpaceshipAvatar", "PlatformerAvatar",
        "WizardAvatar", "Walker", "WalkerJumper", "RandomInertial", "BomberRandomMissile", "PathAltChaser",
        "RandomPathAltChaser",
    }
)  # fmt: skip
_COLD_EFFECTS = frozenset(
    {"pullWithIt", "waterPhysics", "wallStop", "wallBounce", "wallReverse", "killIfNotUpright", "updateSpawnType"}
)
_DRAWS_WITHOUT_CHOICE = frozenset({"SpawnPoint", "Bomber", "SpawnPointMultiSprite"})


@dataclass
class TypeFlags:
    """What can happen to the sprites of one type."""

    id: int
    possible: bool = False
    """Some level, or some rule, can put a sprite of exactly this type into the game."""
    created: bool = False
    """Sprites of this type can appear during play."""
    moved: bool = False
    changed: bool = False
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


def type_flags(definition: GameDefinition) -> list[TypeFlags]:
    """Flags of every type, by id."""
    flags = [TypeFlags(t.id) for t in definition.types]
    index = definition.type_index
    for names in definition.mapping.values():
        for name in names:
            if name in index:
                flags[index[name]].possible = True
    for t in definition.types:
        _class_effects(definition, t, flags)
    for pair in definition.pairs:
        first = definition.types[pair.first].subtypes
        second = definition.types[pair.second].subtypes
        for e in pair.effects:
            _rule_effects(definition, definition.effects[e], first, second, flags, level_too=True)
    for t_id, effects in definition.eos_effects.items():
        for e in effects:
            # a level sprite is never at the edge
            _rule_effects(
                definition, definition.effects[e], definition.types[t_id].subtypes, (), flags, level_too=False
            )
    for te in definition.time_effects:
        bound = definition.types[te.bound].subtypes if te.bound >= 0 else ()
        _rule_effects(definition, definition.effects[te.effect], bound, (), flags, level_too=True)
    for t, f in zip(definition.types, flags, strict=True):
        f.possible = (f.possible or f.created) and t.class_name is not None
        f.inert = _is_inert(t)
        plain = float(t.params.get("wMult", 1)) == 1.0 and float(t.params.get("hMult", 1)) == 1.0  # type: ignore[arg-type]
        f.idle = f.inert and not f.moved and not f.changed
        f.producer = t.class_name in _PRODUCERS and not f.moved and _stands(t)
        f.glider = t.class_name in _GLIDERS and not f.idle and _parameters(t, "physicstype", "timeToLive") == (0, -1)
        f.level = f.inert and not f.moved and not f.changed and plain
    return flags


def _parameters(t: SpriteType, *names: str) -> tuple[object, ...]:
    """Values of parameters of a type that has a class, with the class's defaults."""
    spec = ontology.SPRITE_CLASSES[str(t.class_name)].params
    return tuple(t.params.get(name, spec[name].default) for name in names)


def _stands(t: SpriteType) -> bool:
    """Whether the base update never does anything to a sprite of the type, whatever rules change."""
    ttl, static, only_active = _parameters(t, "timeToLive", "is_static", "only_active")
    return ttl == -1 and (bool(static) or bool(only_active))


def _is_inert(t: SpriteType) -> bool:
    if t.class_name not in _INERT_CLASSES:
        return False
    return _stands(t) or _parameters(t, "timeToLive", "speed") == (-1, 0)


def _named(definition: GameDefinition, text: object) -> list[int]:
    names = str(text).split(",") if text not in (None, "") else []
    return [definition.type_index[n] for n in names if n in definition.type_index]


def _class_effects(definition: GameDefinition, t: SpriteType, flags: list[TypeFlags]) -> None:
    if t.class_name is None:
        return
    spec = ontology.SPRITE_CLASSES[t.class_name]
    for key in spec.creates:
        for u in _named(definition, t.params.get(key)):
            flags[u].created = True
    if spec.creates_self:
        flags[t.id].created = True
    if t.class_name == "OngoingTurningAvatar" and "spawnBehind" not in t.params:
        flags[0].created = True


def _rule_effects(
    definition: GameDefinition,
    e: Effect,
    first: Iterable[int],
    second: Iterable[int],
    flags: list[TypeFlags],
    *,
    level_too: bool,
) -> None:
    spec = ontology.EFFECTS[e.name]
    writes = spec.writes(e.params)
    for ids, side in ((first, "first"), (second, "second")):
        for u in ids:
            f = flags[u]
            if level_too or not _is_inert(definition.types[u]):
                # a reset to lastrect leaves in place what nothing else moves
                f.moved |= writes[f"moves_{side}"] and not spec.only_resets
                f.changed |= writes[f"changes_{side}"]
                f.killed |= writes[f"kills_{side}"]
    if spec.creates_first:
        for u in first:
            flags[u].created = True
    for key in spec.creates:
        for u in _named(definition, e.params.get(key)):
            for v in definition.types[u].subtypes if spec.creates_subtypes else (u,):
                flags[v].created = True
    for key in spec.touches:
        for u in _named(definition, e.params.get(key)):
            for v in definition.types[u].subtypes if spec.touches_subtypes else (u,):
                flags[v].killed = True
                flags[v].changed |= e.name not in _ONLY_KILL
    if spec.touches_all and not spec.only_resets:
        for f in flags:
            f.moved = f.changed = f.killed = True
    if e.inner is not None:
        _rule_effects(definition, definition.effects[e.inner], (), (), flags, level_too=True)


def needs_cold(definition: GameDefinition) -> bool:
    """Whether sprites of this game carry the rarely used part of their record."""
    for t in definition.types:
        if t.class_name is None:
            continue
        spec = ontology.SPRITE_CLASSES[t.class_name].params
        if t.params.get("physicstype", spec["physicstype"].default) != 0 or t.class_name in _COLD_CLASSES:
            return True
        if ontology.SPRITE_CLASSES[t.class_name].rule == "user":
            return True
    return any(e.name in _COLD_EFFECTS or ontology.EFFECTS[e.name].rule == "user" for e in definition.effects)


def is_stochastic(definition: GameDefinition) -> bool:
    """Whether the outcome of a tick can depend on the random generator (draws that cannot matter left out)."""
    for t in definition.types:
        if t.class_name is None or not ontology.SPRITE_CLASSES[t.class_name].stochastic:
            continue
        if t.class_name in _DRAWS_WITHOUT_CHOICE and float(t.params.get("prob", 1.0)) >= 1.0:  # type: ignore[arg-type]
            continue
        return True
    for e in definition.effects:
        spec = ontology.EFFECTS[e.name]
        if spec.stochastic and not (spec.uses_prob and float(e.params.get("prob", 1.0)) >= 1.0):  # type: ignore[arg-type]
            return True
    return False


def time_matters(definition: GameDefinition) -> bool:
    """Whether a state can be worth more at a later tick than at an earlier one, so that keys must tell them apart.

    A timeout that nobody wins is only a deadline: the same sprites sooner are never worse.
    """
    timed = {"SpawnPoint", "Bomber", "RandomBomber", "BomberRandomMissile", "SpawnPointMultiSprite", "WizardAvatar"}
    if any(t.class_name in timed for t in definition.types):
        return True
    return any(
        "true" in str(t.params.get("win", "")).lower() or t.params.get("count_score") or t.params.get("use_counter")
        for t in definition.terminations
        if t.name == "Timeout"
    )
