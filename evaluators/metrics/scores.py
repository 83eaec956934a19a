"""Scores of sets of levels: quality, diversity and controllability, each the share of a set that passes.

As in the PCG Benchmark (Khalifa, Gallotta, Barthet, Liapis, Togelius, Yannakakis: The Procedural Content Generation
Benchmark, 2025): a level either has what is asked for or has not, so the scores of generators can be compared across
games. What makes a level good is here that it is feasible; what makes two different, a distance; what was asked of a
level, its targets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.metrics.likeness import level_distance

APART = 0.18
"""Levels at this distance or more are different."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Three shares in [0, 1]; `controllability` is None where nothing was wanted."""

    quality: float
    diversity: float
    controllability: float | None
    levels: int


def score_set(levels: Sequence[str], evaluations: Sequence[Evaluation], apart: float = APART) -> Scores:
    """The three scores of a set of levels.

    Args:
        levels: texts.
        evaluations: one for each.
        apart: distance at which two levels are different.
    """
    return Scores(quality(evaluations), diversity(levels, apart), controllability(evaluations), len(levels))


def quality(evaluations: Sequence[Evaluation]) -> float:
    """Share of the levels that are feasible: they can be won, and every constraint is kept. 0 for no levels."""
    return sum(e.feasible for e in evaluations) / len(evaluations) if evaluations else 0.0


def controllability(evaluations: Sequence[Evaluation]) -> float | None:
    """Share of the levels that achieve everything that was wanted of them; None where nothing was."""
    asked = [e for e in evaluations if e.targets]
    return sum(all(v >= 1.0 for v in e.targets.values()) for e in asked) / len(asked) if asked else None


def diversity(
    levels: Sequence[str], apart: float = APART, distance: Callable[[str, str], float] = level_distance
) -> float:
    """Share of the levels that are left when those too like others are taken away, in [0, 1]. 0 for no levels.

    As long as two of those left are nearer to each other than `apart`, the one with the most such neighbours goes (of
    several the first). Ten copies of one level have a diversity of 0.1.

    Args:
        levels: texts.
        apart: distance at which two levels are different.
        distance: of two texts, in [0, 1]; by default `level_distance`.
    """
    if not levels:
        return 0.0
    apart_by = [[distance(a, b) for b in levels[:k]] for k, a in enumerate(levels)]
    alike = np.zeros((len(levels), len(levels)), bool)
    for k, row in enumerate(apart_by):
        alike[k, :k] = alike[:k, k] = np.array(row) < apart
    return float(_left(alike).sum()) / len(levels)


def _left(alike: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The nodes of a graph that are left when the one with most neighbours is removed until there are no edges."""
    left = np.ones(len(alike), bool)
    degrees = alike.sum(axis=1)
    while degrees.max() > 0:
        most = int(degrees.argmax())
        left[most] = False
        degrees = np.where(left, degrees - alike[most], 0)
    return left
