"""Measures of a board game, taken from plays between players of many habits and of four strengths."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from pcg.engine.boards import MnkGame
from pcg.evaluators.judging.board_play import CROWD as SAMPLERS
from pcg.evaluators.judging.board_play import LADDER as SAMPLER_LADDER
from pcg.evaluators.judging.board_play import SamplingPlayers
from pcg.evaluators.judging.kernel.line_player import BEHIND, CHANGES, DANGER, PLIES, THREATS, WINNER
from pcg.evaluators.judging.line_play import CROWD as NOVICES
from pcg.evaluators.judging.line_play import LADDER as NOVICE_LADDER
from pcg.evaluators.judging.line_play import LinePlayers

EASY_PLIES = 3
"""Moves of a play that anybody sees through: a move, an answer, a win."""
PLIES_SCALE = 2.0
"""Further moves by which certainty falls to 1/e."""

LINES, RULES = "lines", "rules"
"""Ways of playing: by players who know lines (m,n,k-games only), or by players who know the rules alone."""
BUDGETS = {LINES: 2760, RULES: 120}
"""Plays of a measurement by default."""


@dataclass(frozen=True)
class BoardMeasures:
    """Measures of a game of two players.

    Args:
        payoff: wins of the first player less those of the second, of the crowd's plays, -1 to 1.
        draw: share of the crowd's plays that nobody won, 0 to 1.
        plies: mean moves of these plays.
        choices: moves of the first player to choose, in the first position.
        challenge: wins less losses of the stronger player, mean over the pairs of four strengths and both seats.
        drama: share of the turns that the winner of a play was behind; 0 for draws.
        danger: mean share of the moves that lose at once.
        threats: share of the turns with a threat of the other.
        changes: changes of the lead in a play.
        all_alike: 0 or 1 where that player won every play of all, -1 where all were drawn, else None.
        plays: plays in all.
        players: LINES or RULES.
    """

    payoff: float
    draw: float
    plies: float
    choices: int
    challenge: float
    drama: float
    danger: float
    threats: float
    changes: float
    all_alike: int | None
    plays: int
    players: str

    @property
    def triviality(self) -> float:
        """Certainty of people about the end of so short a play, 1 for plays of three moves and less, near 0 for ten."""
        return math.exp(-max(self.plies - EASY_PLIES, 0.0) / PLIES_SCALE)


def measure_board_game(
    game: Any, seed: int = 0, budget: int | None = None, players: str | None = None
) -> BoardMeasures:
    """Play a game and measure what happened.

    Half of the plays are the crowd's among themselves, half are between players of different strengths.

    Args:
        game: an `MnkGame`, or any game of two players with the forward-model protocol.
        seed: of all draws.
        budget: plays in all, at least 36; by default what `BUDGETS` says.
        players: LINES or RULES; by default LINES where the game is an `MnkGame`.

    Raises:
        PcgError: the game has other than two players.

    >>> from pcg.engine.boards import MnkGame
    >>> measured = measure_board_game(MnkGame(3, 3, 3), seed=1, budget=600)
    >>> measured.choices, bool(5 < measured.plies <= 9), bool(measured.payoff > 0.1)
    (9, True, True)
    """
    known = isinstance(game, MnkGame) if players is None else players == LINES
    crowd: tuple[Any, ...] = NOVICES if known else SAMPLERS
    ladder: tuple[Any, ...] = NOVICE_LADDER if known else SAMPLER_LADDER
    table: Any = LinePlayers(game) if known else SamplingPlayers(game)
    kind = LINES if known else RULES
    budget = BUDGETS[kind] if budget is None else budget
    each = max(1, round(budget / 2 / len(crowd)))
    own = np.concatenate([table.play(player, player, each, seed * 1000 + k) for k, player in enumerate(crowd)])
    pairs = [(strong, weak) for strong in range(len(ladder)) for weak in range(strong)]
    each = max(1, round(budget / 4 / len(pairs)))
    gaps, winners = [], [own[:, WINNER]]
    for k, (strong, weak) in enumerate(pairs):
        first = table.play(ladder[strong], ladder[weak], each, seed * 1000 + 500 + 2 * k)[:, WINNER]
        second = table.play(ladder[weak], ladder[strong], each, seed * 1000 + 501 + 2 * k)[:, WINNER]
        gaps.append((_payoff(first) - _payoff(second)) / 2)
        winners += [first, second]
    ends = np.unique(np.concatenate(winners))
    return BoardMeasures(
        payoff=_payoff(own[:, WINNER]),
        draw=float((own[:, WINNER] < 0).mean()),
        plies=float(own[:, PLIES].mean()),
        choices=max(len(moves) for moves in game.start().actions),
        challenge=float(np.mean(gaps)),
        drama=float(own[:, BEHIND].mean()),
        danger=float(own[:, DANGER].mean()),
        threats=float(own[:, THREATS].mean()),
        changes=float(own[:, CHANGES].mean()),
        all_alike=int(ends[0]) if len(ends) == 1 else None,
        plays=sum(len(w) for w in winners),
        players=kind,
    )


def _payoff(winners: Any) -> float:
    """Wins of the first player less those of the second, per play."""
    return float((winners == 0).mean() - (winners == 1).mean())
