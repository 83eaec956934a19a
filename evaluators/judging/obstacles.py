"""What stands in the way of a player beside time: dangers that come to the player, things that can be pushed wrong, and
whatever else ends the plays of players who look ahead.

What stands about and kills, where one can walk around it, is no danger to anybody who looks. Time is one where it is
short: agents that plan a few steps lose many a game by time that people would win at leisure.
"""

from __future__ import annotations

from collections.abc import Sequence

from pcg.evaluators.judging.game_ablation import Ablation
from pcg.evaluators.judging.game_kinds import GameKinds
from pcg.evaluators.judging.game_plays import GamePlay

SHORT = 0.25
"""Share of the time that the quickest win known takes, from which on time is short: of the games that people made in
which nothing but time ends plays, the one with the least time takes an eighth of it."""
MOVERS = ("chaser", "wanderer", "walker", "missile")
"""Kinds of sprites that may come to the player."""
_IN_THE_WAY = frozenset({"push", "block", "turn", "wrap"})
"""Consequences for what is pushed that lead to nothing."""


def can_be_pushed_wrong(kinds: GameKinds, mattering: Ablation | None = None) -> bool:
    """Return True where something can be pushed that leads to something: it happens to what is pushed, or by it, or an
    end counts it.

    Args:
        kinds: of the sprites of the game.
        mattering: rules that change an end, where those alone shall count; None for all.

    >>> import pcg
    >>> game = pcg.load("boxes")
    >>> from pcg.evaluators.judging.game_kinds import game_kinds
    >>> can_be_pushed_wrong(game_kinds(game.definition, [game.read_level(0)]))
    True
    """
    return any(kinds.analysis.has(t, "pushable") and _leads_on(kinds, t, mattering) for t in kinds.present)


def _leads_on(kinds: GameKinds, t: int, mattering: Ablation | None) -> bool:
    analysis, present = kinds.analysis, set(kinds.present)
    if any(t in ending.types for ending in analysis.endings):
        return True
    avatars = set(analysis.avatars)
    matters = None if mattering is None else {*mattering.outcome}
    return any(
        c.kind not in _IN_THE_WAY and (matters is None or c.effect in matters)
        for (a, b), happening in analysis.meetings.items()
        if t in (a, b) and {a, b} <= present and not {a, b} & avatars
        for c in happening
    )


def only_time(
    kinds: GameKinds, mattering: Ablation | None, by_anybody: Sequence[GamePlay], by_skilled: Sequence[GamePlay]
) -> int:
    """Return the limit of a time that is short and all that stands in the way of the player, 0 where there is none.

    Args:
        kinds: of the sprites of the game.
        mattering: rules that change an end.
        by_anybody: plays of all players.
        by_skilled: those of players who look ahead.
    """
    limits = [ending.limit for ending in kinds.analysis.losses if ending.kind == "timeout"]
    quickest = min((play.ticks for play in by_skilled if play.won), default=0)
    if not limits or quickest < SHORT * min(limits) or can_be_pushed_wrong(kinds, mattering):
        return 0
    plays = by_anybody if kinds.of(*MOVERS) else by_skilled
    return 0 if any(play.lost and play.ticks < min(limits) - 1 for play in plays) else min(limits)
