"""Width of niches: the distance from which on two levels of a game are different.

One number does for most games, but not where a game's own levels are variations of one: held against 0.18, a designer's
five levels would be one there, and what is kept beside the first level could only be unlike all of them. So levels of
such a game count as different as soon as its own do. Generators, runs and benchmarks ask this module, so that what is
bred, what is kept and what is measured are told apart alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Self

import numpy as np

from pcg.evaluators.metrics.likeness import LevelShape
from pcg.evaluators.metrics.scores import APART

USUAL = 0.3
"""Median distance of the levels that people make for one game."""
LEAST = 0.04
"""Least width as such, of the usual `APART`: below this, a thing or two stand elsewhere, and a level is a copy."""


def niche_width(levels: Sequence[str], usual: float = APART) -> float:
    r"""Return the distance below which two levels of a game count as one, in [0, 1].

    It is `usual` where the game's own levels are at least `APART` from each other in the median, and less in proportion
    where they are nearer, down to `LEAST` for an `usual` of `APART`. Fewer than two own levels tell nothing.

    Args:
        levels: texts of the game's own levels.
        usual: the width in games whose levels are as different as levels mostly are.

    >>> niche_width([]), niche_width(["A.g\n...", "A.g\n..."])
    (0.18, 0.04)
    """
    if len(levels) < 2:
        return usual
    median = usual_distance([LevelShape(text) for text in levels])
    return usual if median >= APART else usual / APART * max(LEAST, median)


class Shape(Protocol):
    """Looks of a level, as distances compare them."""

    def distance(self, other: Self, /) -> float:
        """Return the distance to another one, in [0, 1]."""


def usual_distance(levels: Sequence[Shape]) -> float:
    r"""Return the median distance of a game's own levels from each other; `USUAL` where it has fewer than two.

    >>> usual_distance([LevelShape("A.g\n..."), LevelShape("A.g\n...")]), usual_distance([])
    (0.0, 0.3)
    """
    apart = [one.distance(other) for k, one in enumerate(levels) for other in levels[:k]]
    return float(np.median(apart)) if apart else USUAL
