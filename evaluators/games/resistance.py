"""Resistance: whether anything stands in the way of a player who looks a step ahead.

A danger that comes to the player and ends some play does, and so does whatever ends a play of such a player. What
stands about and kills, where one can walk around it, is no danger to anybody who looks. Time is one where it is short:
agents that plan a few steps lose many a game by time that people would win at leisure. Who pushes things can do it
wrong, if what is pushed leads to something.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pcg.evaluators.games.progress import TIMEOUT
from pcg.evaluators.games.trials import Trial
from pcg.evaluators.judging.game_kinds import GameKinds
from pcg.evaluators.judging.pushed_wrong import can_be_pushed_wrong

MOVING_DANGERS = ("chasers", "wanderers", "missiles", "loss")
"""Sources of danger that come to the player."""
SHORT = 0.5
"""Share of the time that the quickest win known takes, from which on time is short."""


def resistance(
    kinds: GameKinds, danger: str, terminations: Sequence[Any], played: Sequence[Sequence[Trial]], quickest: int
) -> float:
    """Return 1 where something can go wrong for a player who looks a step ahead, else 0.5.

    Args:
        kinds: of the sprites of the game.
        danger: its source, of `concepts.DANGERS`.
        terminations: rows of the engine's table.
        played: plays of each agent, the weakest first; those of the third and later look ahead.
        quickest: ticks of the quickest win known.
    """
    if can_be_pushed_wrong(kinds):
        return 1.0

    def lost(trial: Trial) -> bool:
        if not trial.lost or trial.ending < 0:
            return trial.lost
        ending = terminations[trial.ending]
        return bool(ending["kind"] != TIMEOUT or quickest >= SHORT * int(ending["limit"]))

    first = 0 if danger in MOVING_DANGERS else 2
    return 1.0 if any(lost(trial) for trials in played[first:] for trial in trials) else 0.5
