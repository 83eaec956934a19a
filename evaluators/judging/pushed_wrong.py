"""Things that can be pushed wrong: pushing them leads to something that the player cannot do without.

A crate that stands in an open field, beside lava that one walks around, is scenery, though it could fill the lava.
"""

from __future__ import annotations

import numpy as np
from scipy import ndimage

from pcg.engine.vgdl.definition import Level
from pcg.evaluators.effect_semantics import FIRST, SECOND, Consequence, type_ids
from pcg.evaluators.judging.game_kinds import GameKinds

_IN_THE_WAY = frozenset({"push", "block", "turn", "wrap"})
"""Consequences for what is pushed that lead to nothing."""
_BARS = frozenset({"kill", "hurt", "block"})
"""Consequences of a touch that bar the way."""
_STANDING = ("pushable", "gate", "solid")
"""Roles of what stops an avatar that pushes nothing and opens nothing."""


def can_be_pushed_wrong(kinds: GameKinds) -> bool:
    """Return True where something can be pushed that leads to something.

    An end counts it or what becomes of it; or it changes what an end counts and the player takes away by no other
    means, or what moves and harms the player; or it changes what bars the way and stands still, and in at least half of
    the levels the player does not come to all that is asked for while everything stays where it stands.

    >>> import pcg
    >>> from pcg.evaluators.judging.game_kinds import game_kinds
    >>> game = pcg.load("boxes")
    >>> can_be_pushed_wrong(game_kinds(game.definition, [game.read_level(0)]))
    True
    """
    return any(kinds.analysis.has(t, "pushable") and _leads_on(kinds, t) for t in kinds.present)


def _leads_on(kinds: GameKinds, t: int) -> bool:
    counted = {n for ending in kinds.analysis.endings for n in ending.types} - kinds.taken_or_shot()
    if t in counted:
        return True
    present, avatars = set(kinds.present), set(kinds.analysis.avatars)
    changed = {
        n
        for pair, happening in kinds.analysis.meetings.items()
        if t in pair and present.issuperset(pair) and avatars.isdisjoint(pair)
        for c in happening
        if c.kind not in _IN_THE_WAY
        for n in (*_befallen(c, pair), *c.products)
        if n != t
    }
    if changed & counted:
        return True
    bars = [n for n in changed if _bars(kinds, n)]
    return any(kinds.analysis.has(n, "mover") for n in bars) or (bool(bars) and _has_to_be_moved(kinds))


def _has_to_be_moved(kinds: GameKinds) -> bool:
    wanted = kinds.taken_or_shot() & {t for ending in kinds.analysis.wins for t in ending.types}
    wanted |= asked_for(kinds) | _changes_of_avatars(kinds)
    shut = [_shuts_in(kinds, level, wanted) for level in kinds.levels]
    return 2 * sum(shut) >= len(shut)


def _changes_of_avatars(kinds: GameKinds) -> set[int]:
    """Return the types at whose touch the avatar becomes another."""
    avatars = kinds.analysis.avatars
    return {
        (set(pair) - {avatar}).pop()
        for pair, found in kinds.analysis.meetings.items()
        for avatar in avatars
        if avatar in pair and pair[0] != pair[1]
        for c in found
        if c.kind == "transform" and avatar in _befallen(c, pair) and set(c.products) & set(avatars)
    }


def _shuts_in(kinds: GameKinds, level: Level, wanted: set[int]) -> bool:
    """Return True where the player does not come beside all sprites of these types, or there are none."""
    analysis = kinds.analysis
    free = np.ones((level.height, level.width), bool)
    here, sought = np.zeros_like(free), np.zeros_like(free)
    for t, column, row in level.placements:
        stands = t not in analysis.avatars and not analysis.has(t, "mover")
        if stands and (analysis.harms(t) or any(analysis.has(t, role) for role in _STANDING)):
            free[row, column] = False
        here[row, column] |= t in analysis.avatars
        sought[row, column] |= t in wanted
    if not sought.any():
        return True
    reached = ndimage.binary_propagation(here, mask=free | here)
    return bool((sought & ~ndimage.binary_dilation(reached)).any())


def _befallen(c: Consequence, pair: tuple[int, int]) -> tuple[int, ...]:
    return pair[:1] if c.target == FIRST else pair[1:] if c.target == SECOND else c.named


def _bars(kinds: GameKinds, t: int) -> bool:
    """Return True where a type stops the avatar, or harms it."""
    return any(
        c.kind in _BARS and avatar in _befallen(c, pair)
        for avatar in kinds.analysis.avatars
        for pair in ((avatar, t), (t, avatar))
        for c in kinds.analysis.meetings.get(pair, ())
    )


def asked_for(kinds: GameKinds) -> set[int]:
    """Return the resources that something depends on: a rule asks for them, or the avatar's shots use them up."""
    definition, analysis = kinds.definition, kinds.analysis
    asked = {c.holding.resource for found in analysis.meetings.values() for c in found if c.holding is not None}
    return asked.union(*(type_ids(definition, definition.types[a].raw.get("ammo")) for a in analysis.avatars))
