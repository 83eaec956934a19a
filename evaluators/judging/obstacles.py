"""Obstacles of a player: dangers that come to the player, things that can be pushed wrong, what has to be held, and
whatever else ends the plays of players who look ahead, or keeps them from winning.

What stands about and kills, where one can walk around it, is no danger to anybody who looks. Time is one where it is
short: agents that plan a few steps lose many a game by time that people would win at leisure.
"""

from __future__ import annotations

from collections.abc import Sequence

from pcg.evaluators.judging.game_kinds import MOVING, GameKinds
from pcg.evaluators.judging.game_plays import LADDER, THOROUGH, GamePlay
from pcg.evaluators.judging.pushed_wrong import asked_for, can_be_pushed_wrong

SHORT = 0.25
"""Share of the time that the quickest win known takes, from which on time is short: of the games that people made in
which nothing but time ends plays, the one with the least time takes an eighth of it."""


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
    if not quickest or asked_for(kinds) & set(held) or can_be_pushed_wrong(kinds):
        return None
    ends = by_skilled if all(map(kinds.runs_away, kinds.of(*MOVING))) else by_anybody
    if any(play.lost and not (limit and play.ticks >= limit) for play in ends):
        return None
    if limit and quickest >= SHORT * limit:
        return limit
    return 0 if all(play.won for play in by_skilled if play.player == LADDER[THOROUGH].name) else None
