"""Relative algorithm performance: how agents of different skill fare on a level.

A level in which skill matters tells capable agents from weak ones (Nielsen, Barros, Togelius, Nelson: General Video
Game Evaluation Using Relative Algorithm Performance Profiles, 2015). `performance_profile` plays a level with a number
of agents; the evaluation of levels uses the same values of plays for its cheaper gap.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from pcg.engine.game import Game
from pcg.evaluators.agents import make_agent, play

AGENTS = ("nothing", "random", "onestep", "mcts")
"""Weakest first."""


def play_value(won: bool, over: bool, score: float) -> float:
    """The value of a play in (0, 1): mostly the outcome, a little the score (reference/generators 12.8)."""
    outcome = 1.0 if won else 0.0 if over else 0.5
    return 0.9 * outcome + 0.1 / (1.0 + math.exp(-max(-500.0, min(500.0, 0.1 * score))))


@dataclass(frozen=True, slots=True)
class Performance:
    """The performance of one agent on a level, over `plays` plays."""

    agent: str
    plays: int
    wins: int
    score: float
    """Mean."""
    ticks: float
    """Mean."""
    value: float
    """Mean value of a play, in (0, 1); see `play_value`."""


@dataclass(frozen=True, slots=True)
class Profile:
    """The performances of several agents on a level, in the order in which they were named."""

    performances: tuple[Performance, ...]

    @property
    def gap(self) -> float:
        """The advantage of the last agent over the others together, in [-1, 1]: the difference of mean values."""
        *weak, strong = self.performances
        return strong.value - math.fsum(p.value for p in weak) / len(weak) if weak else 0.0

    @property
    def ordered(self) -> bool:
        """True when no agent does worse than one named before it."""
        values = [p.value for p in self.performances]
        return all(a <= b for a, b in pairwise(values))


def performance_profile(
    game: Game,
    level: str,
    agents: Sequence[str] = AGENTS,
    *,
    plays: int = 4,
    seed: int = 0,
    max_ticks: int = 400,
    budget: int | None = None,
) -> Profile:
    """Play a level with several agents.

    Args:
        game: with one player.
        level: text in its mapping.
        agents: names, weakest first.
        plays: of each agent; the k-th play of each has the same seed.
        seed: equal seeds give equal profiles.
        max_ticks: plays end here.
        budget: of agents that have one, in forward-model calls per decision; their own by default.

    Raises:
        PcgError: unknown agents, or a level that does not fit the game.

    >>> import pcg
    >>> game = pcg.load("boxes")
    >>> found = performance_profile(game, game.levels[0], ("nothing", "random"), plays=2, max_ticks=50)
    >>> [(one.agent, one.wins) for one in found.performances], found.gap >= 0
    ([('nothing', 0), ('random', 0)], True)
    """
    found = []
    for agent in agents:
        games = []
        for k in range(plays):
            one = int(np.random.SeedSequence([seed, k]).generate_state(1)[0] >> 1)
            games.append(play(game.start(level, seed=one), make_agent(agent, seed=one, budget=budget),
                              max_ticks=max_ticks))  # fmt: skip
        values = [play_value(p.winner == 1, p.winner != -1, float(p.score)) for p in games]
        found.append(
            Performance(
                agent,
                plays,
                sum(p.winner == 1 for p in games),
                math.fsum(float(p.score) for p in games) / plays,
                sum(p.ticks for p in games) / plays,
                math.fsum(values) / plays,
            )
        )
    return Profile(tuple(found))
