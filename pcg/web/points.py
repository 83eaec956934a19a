"""Levels as points over what is measured of them, which is all that a heat-map needs of them.

There can be more levels than memory holds, so they are handed out in parts.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from pcg.web.run_levels import Entry

FITNESS = "fitness"
"""Name of the fitness among measures."""


@dataclass(slots=True)
class Range:
    """Least and largest of the known values of a measure; without any the least is the larger one."""

    low: float = math.inf
    high: float = -math.inf
    whole: bool = True
    """All are whole numbers."""

    def take(self, values: NDArray[np.float64]) -> None:
        """Extend it by values, of which NaN are not known.

        >>> found = Range()
        >>> found.take(np.array([3.0, np.nan, 1.0]))
        >>> found
        Range(low=1.0, high=3.0, whole=True)
        """
        known = values[~np.isnan(values)]
        if len(known):
            self.low = min(self.low, float(known.min()))
            self.high = max(self.high, float(known.max()))
            self.whole = self.whole and bool((known == np.floor(known)).all())


@dataclass(frozen=True)
class Part:
    """Some levels, n of them, in order."""

    numbers: NDArray[np.int64]
    """Of the levels, shape (n,)."""
    feasible: NDArray[np.bool_]
    """Shape (n,)."""
    fitness: NDArray[np.float64]
    """Shape (n,)."""
    values: Mapping[str, NDArray[np.float64]]
    """Measure -> its values, shape (n,), NaN where it is not known."""
    cells: Sequence[tuple[int, ...] | None] = ()
    """Places in an archive; () where no level has one."""


class LevelPoints(Protocol):
    """Levels that a heat-map can be made of."""

    @property
    def names(self) -> Sequence[str]:
        """Measures that some level has."""

    def key(self, number: int) -> str:
        """Return the key of a level."""

    def ranges(self) -> Mapping[str, Range]:
        """Return the range of every measure, and of the fitness."""

    def parts(self, names: Sequence[str], first: int = 0) -> Iterator[Part]:
        """Yield the levels from a number on, with their values of some measures."""

    def without(self, keys: Collection[str]) -> Self:
        """Return all levels but some."""


@dataclass(frozen=True)
class Points:
    """Levels whose columns are at hand."""

    keys: Sequence[str]
    whole: Part

    @property
    def names(self) -> Sequence[str]:
        """Measures that some level has."""
        return list(self.whole.values)

    def key(self, number: int) -> str:
        """Return the key of a level."""
        return self.keys[number]

    def ranges(self) -> Mapping[str, Range]:
        """Return the range of every measure, and of the fitness."""
        return ranges_of([self.whole])

    def parts(self, names: Sequence[str], first: int = 0) -> Iterator[Part]:
        """Yield the levels from a number on, with their values of some measures."""
        assert not first, "few enough to be taken at once"
        yield self.whole

    def without(self, keys: Collection[str]) -> Points:
        """Return all levels but some."""
        if not keys:
            return self
        kept = [k for k, key in enumerate(self.keys) if key not in keys]
        return Points(
            [self.keys[k] for k in kept],
            Part(
                np.arange(len(kept)),
                self.whole.feasible[kept],
                self.whole.fitness[kept],
                {name: values[kept] for name, values in self.whole.values.items()},
                [self.whole.cells[k] for k in kept],
            ),
        )

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> Points:
        """Return the points of some levels."""
        names = dict.fromkeys(name for entry in entries for name in entry.metrics)
        return cls(
            [entry.key for entry in entries],
            Part(
                np.arange(len(entries)),
                np.array([entry.feasible for entry in entries], np.bool_),
                np.array([entry.fitness for entry in entries], np.float64),
                {n: np.array([entry.metrics.get(n, math.nan) for entry in entries], np.float64) for n in names},
                [entry.cell for entry in entries],
            ),
        )


def ranges_of(parts: Iterable[Part], known: Mapping[str, Range] | None = None) -> dict[str, Range]:
    """Return the range of every measure of some levels, and of the fitness.

    Args:
        parts: the levels.
        known: ranges of others, which are extended.
    """
    found = dict(known or {})
    for part in parts:
        for name, values in (*part.values.items(), (FITNESS, part.fitness)):
            found.setdefault(name, Range()).take(values)
    return found
