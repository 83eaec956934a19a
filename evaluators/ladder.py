"""Difficulty of a level on a ladder of agents: how strong an agent must be to win it, and how much search it takes.

The rungs are agents of rising skill; the share of their plays that are not won says more than any single agent. Where
all of them win or none does, the length of the shortest win that was found and the states that a search visited before
it tell levels apart (Jarušek, Pelánek: Difficulty Rating of Sokoban Puzzle, 2010; van Kreveld, Löffler, Mutser:
Automated Puzzle Difficulty Estimation, 2015). Rungs by agents follow Nielsen, Barros, Togelius and Nelson (2015).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pcg.engine.game import Game
from pcg.evaluators.agents import make_agent, play
from pcg.evaluators.evaluation import Evaluation

RUNGS: tuple[tuple[str, int], ...] = (("random", 1), ("onestep", 1), ("mcts", 40), ("mcts", 250))
"""Agents with their forward-model calls per decision, weakest first."""
PLAYS = 4
"""Plays of each rung."""
LONG, MANY = 400.0, 100_000.0
"""Ticks of a win, and states of a search, at which their part of the difficulty is 1."""
PATIENCE = 2
"""Time limit of a play on a rung, as a multiple of the ticks of the known wins, on average."""
SHARES: Mapping[str, float] = {"rungs": 0.5, "length": 0.25, "search": 0.25}
"""Weights of the parts of the difficulty."""


@dataclass(frozen=True, slots=True)
class Difficulty:
    """Difficulty of a level and its parts."""

    value: float
    """In [0, 1]."""
    wins: tuple[float, ...]
    """Share of the plays that each rung wins, weakest first."""
    lost: float
    """Share of the plays of all rungs that are lost before the time is up."""
    length: int
    """Ticks of the known win."""
    nodes: int | None
    """States that a search visited before the win; None in games of chance."""


def averaged(measured: Sequence[Difficulty]) -> Difficulty:
    """Return the mean of several measurements of a level with different seeds.

    >>> twice = averaged([Difficulty(0.2, (1.0,), 0.0, 10, None), Difficulty(0.4, (0.5,), 0.5, 30, None)])
    >>> round(twice.value, 2), twice.wins, twice.length
    (0.3, (0.75,), 10)
    """
    number = len(measured)
    wins = tuple(math.fsum(rung) / number for rung in zip(*(one.wins for one in measured), strict=True))
    value, lost = (math.fsum(getattr(one, name) for one in measured) / number for name in ("value", "lost"))
    return Difficulty(value, wins, lost, measured[0].length, measured[0].nodes)


def ladder_difficulty(
    game: Game, level: str, evaluations: Sequence[Evaluation], *, seed: int,
    rungs: Sequence[tuple[str, int]] = RUNGS, plays: int = PLAYS,
) -> Difficulty:  # fmt: skip
    """Measure the difficulty of a level that can be won.

    Args:
        game: of the level.
        level: text in the game's mapping.
        evaluations: of the level, the first with a winning play, which gives the length, and `nodes`, the search.
            Where chance plays a part, further ones with other seeds tell the ticks that a win takes instead, for the
            first is known because it was won: one without a win counts as `LONG`.
        seed: of all plays.
        rungs: agents and their budgets, weakest first.
        plays: of each rung.

    >>> import pcg
    >>> from pcg.evaluators.fitness import LevelEvaluator
    >>> game = pcg.load("boxes")
    >>> evaluation = LevelEvaluator(game).evaluate(game.levels[0], seed=1)
    >>> 0.0 < ladder_difficulty(game, game.levels[0], [evaluation], seed=1, plays=1).value < 1.0
    True
    """
    length = len(evaluations[0].play)
    known = [len(e.play) for e in evaluations if e.play]
    longest = PATIENCE * sum(known) // len(known) + 20
    wins, lost = [], 0
    for rung, (agent, budget) in enumerate(rungs):
        won = 0
        for k in range(plays):
            one = int(np.random.SeedSequence([seed, rung, k]).generate_state(1)[0] >> 1)
            played = play(game.start(level, seed=one), make_agent(agent, seed=one, budget=budget), max_ticks=longest)
            won += played.winner == 1
            lost += played.winner == 0
        wins.append(won / plays)
    nodes = evaluations[0].measure("nodes")
    lengths = [min(1.0, math.log1p(len(e.play) or LONG) / math.log1p(LONG)) for e in (evaluations[1:] or evaluations)]
    ticks = math.fsum(lengths) / len(lengths)
    search = ticks if nodes is None else min(1.0, math.log1p(nodes) / math.log1p(MANY))
    unwon = 1.0 - math.fsum(wins) / len(wins)
    value = SHARES["rungs"] * unwon + SHARES["length"] * ticks + SHARES["search"] * search
    return Difficulty(value, tuple(wins), lost / (plays * len(rungs)), length, None if nodes is None else int(nodes))
