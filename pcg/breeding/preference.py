"""A model of a person's preferences learnt from comparisons: linear in measures, with a term of each level's own.

    P(a before b) = logistic(u_a - u_b),    u = w . measures + own

with normal priors on both, so that the first few votes already say something and none says too much; a tie counts as
half a preference for each. The maximum is found by Newton's method, and the curvature there tells how sure it is
(Bradley, Terry 1952; Laplace's approximation as in Chu, Ghahramani: Preference Learning with Gaussian Processes, 2005,
of which this is the case of a linear kernel with noise).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

WEIGHT_DEVIATION = 0.5
"""Of the prior of a measure's weight; measures are brought to deviation 1."""
OWN_DEVIATION = 1.0
"""Of the prior of what a level has of its own."""
_STEPS = 50


@dataclass(frozen=True)
class Comparison:
    """`better` was preferred to `worse`, with a weight: a tie is two of one half."""

    better: int
    worse: int
    weight: float = 1.0


class LearntPreference:
    """A person's liking.

    Args:
        measures: of each level by its number; names may be missing.
        comparisons: of these levels.

    >>> preference = LearntPreference({0: {"enemies": 1.0}, 1: {"enemies": 5.0}}, [Comparison(1, 0)] * 3)
    >>> preference.utility(1) > preference.utility(0), preference.weights["enemies"] > 0
    (True, True)
    """

    def __init__(self, measures: Mapping[int, Mapping[str, float]], comparisons: Iterable[Comparison]) -> None:
        self.comparisons = list(comparisons)
        self._numbers = sorted({n for c in self.comparisons for n in (c.better, c.worse)})
        self._place = {number: k for k, number in enumerate(self._numbers)}
        self._measures = {number: dict(found) for number, found in measures.items()}
        self._scale(measures.values())
        self._fit()

    def __repr__(self) -> str:
        return f"<LearntPreference of {len(self.comparisons)} comparisons, {len(self.names)} measures>"

    def _scale(self, known: Iterable[Mapping[str, float]]) -> None:
        rows = list(known)
        names = sorted({name for row in rows for name in row})
        table = np.array([[row.get(name, np.nan) for name in names] for row in rows]).reshape(len(rows), len(names))
        with np.errstate(all="ignore"):
            seen = np.isfinite(table)
            count = np.maximum(seen.sum(axis=0), 1)
            filled = np.where(seen, table, 0.0)
            mean = filled.sum(axis=0) / count
            deviation = np.sqrt((np.where(seen, table - mean, 0.0) ** 2).sum(axis=0) / count)
        kept = deviation > 1e-9
        self.names: Sequence[str] = [name for name, keep in zip(names, kept, strict=True) if keep]
        self._mean, self._deviation = mean[kept], deviation[kept]

    def _row(self, measures: Mapping[str, float]) -> Array:
        """A level's measures, brought to mean 0 and deviation 1; what is not known is as usual."""
        values = np.array([measures.get(name, np.nan) for name in self.names], np.float64)
        scaled = (values - self._mean) / self._deviation if len(self.names) else values
        return np.where(np.isfinite(scaled), np.clip(scaled, -4.0, 4.0), 0.0)

    def _vector(self, number: int | None, measures: Mapping[str, float]) -> Array:
        own = np.zeros(len(self._numbers))
        if number is not None and number in self._place:
            own[self._place[number]] = 1.0
        return np.concatenate([self._row(measures), own])

    def _fit(self) -> None:
        size = len(self.names) + len(self._numbers)
        precision = np.concatenate([
            np.full(len(self.names), WEIGHT_DEVIATION**-2), np.full(len(self._numbers), OWN_DEVIATION**-2)
        ])  # fmt: skip
        self._theta = np.zeros(size)
        design = np.array([
            self._vector(c.better, self._measures[c.better]) - self._vector(c.worse, self._measures[c.worse])
            for c in self.comparisons
        ]).reshape(len(self.comparisons), size)  # fmt: skip
        weight = np.array([c.weight for c in self.comparisons])
        hessian = np.diag(precision)
        for _ in range(_STEPS):
            p = 1 / (1 + np.exp(-np.clip(design @ self._theta, -30, 30)))
            gradient = design.T @ (weight * (1 - p)) - precision * self._theta
            hessian = (design.T * (weight * p * (1 - p))) @ design + np.diag(precision)
            step = np.linalg.solve(hessian, gradient)
            largest = float(np.abs(step).max(initial=0.0))
            self._theta += step * min(1.0, 2.0 / largest) if largest else step
            if largest < 1e-9:
                break
        self._covariance = np.linalg.inv(hessian)

    @property
    def weights(self) -> dict[str, float]:
        """Utility of one standard deviation more of each measure, in log odds."""
        return {name: float(w) for name, w in zip(self.names, self._theta, strict=False)}

    @property
    def doubts(self) -> dict[str, float]:
        """The standard deviation of each of these."""
        spread = np.sqrt(np.diagonal(self._covariance))
        return {name: float(d) for name, d in zip(self.names, spread, strict=False)}

    def utility(self, number: int) -> float:
        """The utility of a level that was shown."""
        return float(self._vector(number, self._measures[number]) @ self._theta)

    def own(self, number: int) -> float:
        """The part of its utility that its measures do not explain."""
        place = self._place.get(number)
        return 0.0 if place is None else float(self._theta[len(self.names) + place])

    def expect(self, measures: Mapping[str, float], own: float = 0.0) -> tuple[float, float]:
        """The expected utility of a level that was not shown, and its standard deviation."""
        row = self._vector(None, measures)
        variance = float(row @ self._covariance @ row) + OWN_DEVIATION**2
        return float(row @ self._theta) + own, float(np.sqrt(variance))

    def doubt(self, one: int, other: int) -> float:
        """The information in an answer about two levels: the variance of their difference times that of the
        answer.
        """
        difference = self._vector(one, self._measures[one]) - self._vector(other, self._measures[other])
        variance = float(difference @ self._covariance @ difference)
        # Levels that nobody compared yet have something of their own of which nothing is known.
        variance += OWN_DEVIATION**2 * sum(number not in self._place for number in (one, other))
        p = 1 / (1 + np.exp(-np.clip(float(difference @ self._theta), -30, 30)))
        return variance * float(p * (1 - p))
