"""Ranks of the feasible candidates of a run, in arrays: 16 bytes each, for runs of any length."""

from __future__ import annotations

import bisect
from array import array
from collections.abc import Iterator

NONE = 2**32 - 1
"""Stands for no candidate."""


class Ranks:
    """Candidates in the order of their ranks, each with a better one that it stands back for.

    A rank is the fitness, negated, and the number of the candidate, below 2^32 - 1; the lowest is the best.

    >>> ranks = Ranks()
    >>> for number, fitness in enumerate((0.5, 0.75, 0.5)):
    ...     ranks.add((-fitness, number))
    >>> list(ranks)
    [(-0.75, 1), (-0.5, 0), (-0.5, 2)]
    """

    def __init__(self) -> None:
        self._values = array("d")
        self._numbers = array("I")
        self._betters = array("I")

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[tuple[float, int]]:
        return iter(zip(self._values, self._numbers, strict=True))

    def add(self, rank: tuple[float, int], better: int = NONE) -> None:
        """Let a candidate take its place."""
        place = self._place(rank)
        self._values.insert(place, rank[0])
        self._numbers.insert(place, rank[1])
        self._betters.insert(place, better)

    def move(self, old: tuple[float, int], new: tuple[float, int]) -> None:
        """Give a candidate another rank."""
        place = self.index(old)
        better = self._betters[place]
        del self._values[place], self._numbers[place], self._betters[place]
        self.add(new, better)

    def better(self, place: int) -> int:
        """Return the candidate that the one at a place stands back for, `NONE` where it is not known to."""
        return self._betters[place]

    def stand_back(self, place: int, better: int) -> None:
        """Let the candidate at a place stand back for a better one."""
        self._betters[place] = better

    def index(self, rank: tuple[float, int]) -> int:
        """Return the place of a candidate, 0 for the best.

        Raises:
            ValueError: for one that is not there.
        """
        place = self._place(rank)
        if place == len(self) or (self._values[place], self._numbers[place]) != rank:
            raise ValueError(f"no candidate has the rank {rank}")
        return place

    def _place(self, rank: tuple[float, int]) -> int:
        """Return the place that a candidate of this rank has, or is to have."""
        low = bisect.bisect_left(self._values, rank[0])
        high = bisect.bisect_right(self._values, rank[0], low)
        return bisect.bisect_left(self._numbers, rank[1], low, high)
