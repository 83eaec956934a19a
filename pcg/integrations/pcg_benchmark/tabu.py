"""Tabu search for a largest set of unlike contents, each matched with a slot: a kernel does the steps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pcg.engine.kernel.random import scramble
from pcg.engine.kernel.runtime import invoke1
from pcg.integrations.pcg_benchmark.tabu_kernel import OUTSIDE, SEARCH, search_on

SPAN = 1000
"""Steps without a larger set after which the search begins again with an empty one."""
TENURE = 10
"""Steps for which, in the mean, a content that has left the set does not join it again."""


class TabuSearch:
    """Search for a largest set of contents that are pairwise unlike, each matched with a slot of its own.

    Each step takes in the content that serves most, of equal ones the one that was outside for longest, in place of at
    most two that it is alike; those stay outside for some steps (Glover 1989). Where the set has not grown for long,
    the search begins again with an empty one.

    Args:
        alike: which contents are alike, symmetric; shape (contents, contents).
        obeys: which slots each obeys; shape (contents, slots).
        slots: of the set that it begins with, for each content the slot it is matched with, or -1.
        seed: of what is drawn among equal contents.
        span: steps without a larger set after which it begins again.

    Attributes:
        most: slots matched in the largest set so far.

    >>> search = TabuSearch(np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]]), np.ones((3, 2)), np.array([0, -1, -1]), seed=1)
    >>> search.run(10)
    2
    >>> sorted(search.largest.tolist())
    [-1, 0, 1]
    """

    def __init__(
        self,
        alike: NDArray[np.int8],
        obeys: NDArray[np.bool_],
        slots: NDArray[np.int64],
        *,
        seed: int,
        span: int = SPAN,
    ) -> None:
        contents, count = obeys.shape
        kinds, kind = np.unique(obeys, axis=0, return_inverse=True)
        joined = np.ascontiguousarray(alike, np.int8).copy()
        np.fill_diagonal(joined, 0)
        self._largest = np.array(slots, np.int32)
        self._arrays: dict[str, NDArray[np.generic]] = {
            "alike": joined, "kind": np.ascontiguousarray(kind.ravel(), np.int32),
            "obeys": np.ascontiguousarray(kinds, np.int8), "random": np.array([scramble(seed)], np.int64),
            "largest": self._largest, "slot": np.full(contents, OUTSIDE, np.int32),
            "members": np.zeros(contents, np.int32), "place": np.zeros(contents, np.int32),
            "tight": np.zeros(contents, np.int32), "sum": np.zeros(contents, np.int64),
            "barred": np.zeros(contents, np.int64), "left": np.zeros(contents, np.int64),
            "holder": np.zeros(count, np.int32), "free": np.zeros(count, np.int8),
            "follows": np.zeros(count, np.int32), "queue": np.zeros(count, np.int32),
            "serves": np.zeros(len(kinds), np.int8),
        }  # fmt: skip
        self._record = np.zeros(1, SEARCH)
        numbers = {"contents": contents, "slots": count, "kinds": len(kinds), "span": span, "tenure": TENURE}
        for name, number in numbers.items():
            self._record[name] = number
        for name, array in self._arrays.items():
            self._record[name] = array.ctypes.data
        self.most = int((self._largest >= 0).sum())

    @property
    def largest(self) -> NDArray[np.int32]:
        """For each content the slot it is matched with in the largest set so far, or -1; shape (contents,)."""
        return np.maximum(self._largest, -1)

    def run(self, steps: int) -> int:
        """Take further steps; return how many slots are matched in the largest set so far."""
        self._record["until"] += steps
        self.most = int(invoke1(search_on.address, int(self._record.ctypes.data)))
        return self.most
