"""Obstacles of a player: dangers that come to the player, things that can be pushed wrong, what has to be held, and
whatever else ends the plays of players who look ahead, or keeps them from winning.

What stands about and kills, where one can walk around it, is no danger to anybody who looks. Time is one where it is
short: agents that plan a few steps lose many a game by time that people would win at leisure.
"""

from __future__ import annotations

from collections.abc import Sequence

from pcg.evaluators.effect_semantics import FIRST, SECOND, Consequence, type_ids
from pcg.evaluators.judging.game_kinds import MOVING, GameKinds
from pcg.evaluators.judging.game_plays import LADDER, THOROUGH, GamePlay

SHORT = 0.25
"""Share of the time that the quickest win known takes, from which on time is short: of the games that people made in
which nothing but time ends plays, the one with the least time takes an eighth of it."""
_IN_THE_WAY = frozenset({"push", "block", "turn", "wrap"})
"""Consequences for what is pushed that lead to nothing."""
_BARS = frozenset({"kill", "hurt", "block"})
"""Consequences of a touch that bar the way."""


def can_be_pushed_wrong(kinds: GameKinds) -> bool:
    """Return True where something can be pushed that leads to something: an end counts it or what becomes of it, or it
    changes what an end counts and no touch takes away, or what bars the way of the player.

    >>> import pcg
    >>> game = pcg.load("boxes")
    >>> from pcg.evaluators.judging.game_kinds import game_kinds
    >>> can_be_pushed_wrong(game_kinds(game.definition, [game.read_level(0)]))
    True
    """
    return any(kinds.analysis.has(t, "pushable") and _leads_on(kinds, t) for t in kinds.present)


def _leads_on(kinds: GameKinds, t: int) -> bool:
    counted = {n for ending in kinds.analysis.endings for n in ending.types} - kinds.taken()
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
    return bool(changed & counted) or any(_bars(kinds, n) for n in changed)


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


def _asked_for(kinds: GameKinds) -> set[int]:
    """Return the resources that something depends on: a rule asks for them, or the avatar's shots use them up."""
    definition, analysis = kinds.definition, kinds.analysis
    asked = {c.holding.resource for found in analysis.meetings.values() for c in found if c.holding is not None}
    return asked.union(*(type_ids(definition, definition.types[a].raw.get("ammo")) for a in analysis.avatars))


def nothing_but_time(
    kinds: GameKinds, held: Sequence[int], by_anybody: Sequence[GamePlay], by_skilled: Sequence[GamePlay]
) -> int | None:
    """Return the limit of a time that is short and all that stands in the way of the player, 0 where nothing at all
    does and the thorough player always wins, None where something does.

    Args:
        kinds: of the sprites of the game.
        held: resources that matter.
        by_anybody: plays of all players.
        by_skilled: those of players who look ahead, one of which at least has won.
    """
    limit = min((ending.limit for ending in kinds.analysis.losses if ending.kind == "timeout"), default=0)
    quickest = min((play.ticks for play in by_skilled if play.won), default=0)
    if not quickest or _asked_for(kinds) & set(held) or can_be_pushed_wrong(kinds):
        return None
    ends = by_skilled if all(map(kinds.runs_away, kinds.of(*MOVING))) else by_anybody
    if any(play.lost and not (limit and play.ticks >= limit) for play in ends):
        return None
    if limit and quickest >= SHORT * limit:
        return limit
    return 0 if all(play.won for play in by_skilled if play.player == LADDER[THOROUGH].name) else None
