"""Kinds of things that an avatar walks through, touches and hits, read from the rules, for explorations by contacts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pcg.engine.kernel.ids import ACTION_ID
from pcg.engine.model import Model
from pcg.evaluators.agents.compiled import Record
from pcg.evaluators.analysis import DRIFTING_CLASSES, GameAnalysis, is_continuous
from pcg.evaluators.effect_semantics import FIRST, NAMED, SECOND, Consequence, first_number, type_ids
from pcg.evaluators.proving.region_kernel import AWAITED, HIT, REGION, SOLID, TOUCHED
from pcg.evaluators.proving.way import own_products

MOST_CONTACTS = 64
"""Contacts that are tried at a time."""
WAIT = 48
"""Ticks at most that what is under way is waited for."""
PAUSE = 200
"""Ticks at most that something new is waited for where the avatar only sets what moves by itself."""
_CHANGES = frozenset({"kill", "transform", "spawn", "push", "collect", "gain", "teleport", "carry", "heal"})
"""Kinds of consequences for which it is worth while to touch something."""


@dataclass(frozen=True)
class Contacts:
    """Kinds of sprites of a game by what comes of the avatar's meeting them.

    Args:
        solid: stop the avatar, or kill it, and nothing else comes of it.
        touched: something comes of walking into them.
        hit: something comes of what the avatar throws or strikes at them.
        awaited: set off by the avatar, and soon over.
        placed: kinds whose places tell states apart: pushed, or made of others.
        throws: whether the avatar throws or strikes.
        far: whether that flies.
        patience: ticks in which a step may get the avatar to the next cell.
        turned: things that stand still and take the avatar's direction where it touches them.
        making: spawners that bring forth something else after the avatar has touched something.
    """

    solid: tuple[int, ...]
    touched: tuple[int, ...]
    hit: tuple[int, ...]
    awaited: tuple[int, ...]
    placed: tuple[int, ...]
    throws: bool
    far: bool
    patience: int
    turned: tuple[int, ...] = ()
    making: tuple[int, ...] = ()

    @classmethod
    def of(cls, analysis: GameAnalysis) -> Contacts | None:
        """Return the contacts of a game, None where the avatar does not walk by cells, or neither pushes anything
        nor can touch or hit again what has been changed, or only time wins.

        Args:
            analysis: of the game.
        """
        types = analysis.definition.types
        if all(ending.kind == "timeout" for ending in analysis.wins):
            return None  # what is to be done is to survive
        if analysis.mobility != "freely" or any(is_continuous(types[t]) for t in analysis.start_avatars):
            return None
        thrown = own_products(analysis)
        movers = {t for t in analysis.concrete if moves_by_itself(analysis, t)}
        awaited = _set_off(analysis, thrown, movers)
        making: set[int] = set()
        solid, touched, hit, turned = [], [], [], []
        for t in analysis.concrete:
            if t in analysis.avatars or t in thrown:
                continue
            met = [_met(analysis, avatar, t) for avatar in analysis.avatars]
            deadly = any(_kills(c, side) for one in met for c, side in one)
            if t not in movers and any(c.kind == "turn" and c.target == side for one in met for c, side in one):
                turned.append(t)
            making |= {spawner for one in met for c, _ in one for spawner in _retooled(analysis, c)}
            changes = t in turned or any(_changes(c, side) for one in met for c, side in one)
            if changes and not (deadly and t in movers):
                touched.append(t)
            elif t not in movers and (deadly or any(c.kind == "block" for one in met for c, _ in one)):
                solid.append(t)
            if any(_changes(c, side) for shot in thrown for c, side in _met(analysis, shot, t)):
                hit.append(t)
        products = {s.product for s in analysis.sources} | set(analysis.having("pushable"))
        placed = products - set(analysis.avatars) - thrown - movers
        if not placed & {*touched, *hit} and not turned and not making:
            return None
        speeds = [types[t].params.get("speed", 1) for t in analysis.avatars]
        slowest = min([s for s in speeds if isinstance(s, int | float) and 0 < s < 1], default=1.0)
        pause = max(first_number(types[t].params.get("cooldown"), 0) for t in analysis.avatars)
        return cls(
            tuple(solid), tuple(touched), tuple(hit), tuple(sorted(awaited)), tuple(sorted(placed)), bool(thrown),
            bool(thrown & movers), math.ceil(1 / slowest) + 1 + max(0, pause), tuple(turned), tuple(sorted(making)),
        )  # fmt: skip

    def record(self, model: Model) -> Record:
        """Return the record that the kernels read, for a level."""
        columns, rows = model.size
        cells, types = columns * rows, len(model.categories)
        region = Record(
            REGION, model=model.address, columns=columns, cells=cells, types=types, most=MOST_CONTACTS, wait=WAIT,
            throw=ACTION_ID["USE"] if self.throws else -1, range=max(columns, rows) if self.far else 1,
            patience=self.patience, pause=PAUSE if self.turned or self.making else 0,
        )  # fmt: skip
        flags = region.point("flags", np.zeros(types, dtype=np.int8))
        for kinds, bit in ((self.solid, SOLID), (self.touched, TOUCHED), (self.hit, HIT), (self.awaited, AWAITED)):
            flags[list(kinds)] |= bit
        region.point("moves", np.array([ACTION_ID[name] for name in ("UP", "DOWN", "LEFT", "RIGHT")], dtype=np.int64))
        for field in ("marks", "via", "steps"):
            region.point(field, np.zeros(cells, dtype=np.int8))
        region.point("queue", np.zeros(cells, dtype=np.int32))
        region.point("contacts", np.zeros(1 + 8 * cells, dtype=np.int32))
        region.point("counts", np.zeros(types, dtype=np.int32))
        return region


def moves_by_itself(analysis: GameAnalysis, kind: int) -> bool:
    """Tell whether sprites of a type move by themselves; those that drift with speed 0 do not.

    Args:
        analysis: of the game.
        kind: the type.
    """
    sprite = analysis.definition.types[kind]
    still = sprite.class_name in DRIFTING_CLASSES and sprite.params.get("speed") == 0
    return "mover" in analysis.roles[kind] and not still


def _met(analysis: GameAnalysis, one: int, other: int) -> list[tuple[Consequence, str]]:
    """Consequences of two types' meeting, each with the target that stands for the second of them."""
    return [(c, SECOND) for c in analysis.meetings.get((one, other), ())] + [
        (c, FIRST) for c in analysis.meetings.get((other, one), ())
    ]


def _kills(c: Consequence, side: str) -> bool:
    return c.kind == "kill" and c.target not in (side, NAMED) and c.holding is None


def _changes(c: Consequence, side: str) -> bool:
    if c.kind == "kill":
        return c.target in (side, NAMED)
    return c.kind in _CHANGES


def _retooled(analysis: GameAnalysis, c: Consequence) -> frozenset[int]:
    """Spawners that bring forth something else from then on."""
    definition = analysis.definition
    if not _retools(analysis, c):
        return frozenset()
    named = type_ids(definition, definition.effects[c.effect].params.get("spawnPoint"))
    return frozenset(t for n in named for t in (n, *definition.types[n].subtypes) if t in analysis.concrete)


def _retools(analysis: GameAnalysis, c: Consequence) -> bool:
    return analysis.definition.effects[c.effect].name == "updateSpawnType"


def _set_off(analysis: GameAnalysis, thrown: set[int], movers: set[int]) -> set[int]:
    """Moving things that come of the avatar's doing: thrown, made by its touch, or made by what is so made in turn."""
    found = set(thrown)
    begun = thrown | set(analysis.avatars)
    meetings = [
        s for s in analysis.sources
        if s.partner is not None and s.product not in analysis.avatars
        and s.consequence is not None and s.consequence.target != NAMED
        and not _retools(analysis, s.consequence)
    ]  # fmt: skip
    while more := {s.product for s in meetings if {s.maker, s.partner} & begun} - found:
        found |= more
        begun |= more
    return found & (movers | thrown)
