"""Comparison of plans told as texts: one with another, and one with many that are kept in a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.pcg_benchmark import similarity_kernel
from pcg.engine.kernel.runtime import invoke1, invoke3

LONGEST = 190
"""Symbols of a plan that is kept; the benchmark compares plans of 200 symbols otherwise than shorter ones."""
Plan = NDArray[np.int8]
"""Symbols of a plan, 0 to 7."""


@dataclass(frozen=True, eq=False)
class Text:
    """Bytes to compare, with the address of their memory."""

    symbols: NDArray[np.int8]
    address: int

    @classmethod
    def of(cls, symbols: NDArray[np.int8]) -> Text:
        kept = np.ascontiguousarray(symbols, np.int8)
        return cls(kept, int(kept.ctypes.data))

    def __len__(self) -> int:
        return len(self.symbols)


class SimilarityRatio:
    """`SequenceMatcher(None, a, b).ratio()` for texts of up to a number of symbols.

    >>> SimilarityRatio(10).ratio(Text.of(np.array([1, 2, 3, 4])), Text.of(np.array([2, 3, 5])))
    0.5714285714285714
    """

    def __init__(self, longest: int) -> None:
        self._record = np.zeros(1, similarity_kernel.PAIR)
        self._arrays = {
            "counts": np.zeros(128, np.int32),
            "run": np.zeros(longest + 1, np.int32),
            "parts": np.zeros(4 * (longest + 2), np.int32),
            "places": np.zeros(128 * similarity_kernel.WORDS, np.int64),
            "ends": np.zeros((longest + 1) * similarity_kernel.WORDS, np.int64),
        }
        for name, array in self._arrays.items():
            self._record[name] = array.ctypes.data
        self.address = int(self._record.ctypes.data)
        self._words = self._record.view(np.int64)

    def ratio(self, first: Text, second: Text) -> float:
        """Twice the symbols in common stretches over all symbols; 1 for two empty texts."""
        total = len(first) + len(second)
        if total == 0:
            return 1.0
        self._words[:4] = first.address, second.address, len(first), len(second)
        return 2.0 * int(invoke1(similarity_kernel.compare.address, self.address)) / total


class PlanTable:
    """Plans to be unlike, in places that may be empty.

    Args:
        places: their number.
        similarity: compares two plans.
        full: 1 - similarity from which on two plans count as different.
        text: gives the plan of what the table is handed; without it that is the plan.

    Attributes:
        alike: for each place, whether the last plan that was compared is too like the one there; shape (places,).
    """

    def __init__(
        self, places: int, similarity: SimilarityRatio, full: float, text: Callable[[Any], Plan] = lambda plan: plan
    ) -> None:
        self._plan = text
        self._record = np.zeros(1, similarity_kernel.PLAN_TABLE)
        self._texts = np.zeros((places, LONGEST), np.int8)
        self.lengths = np.full(places, -1, np.int32)
        self.alike = np.zeros(places, np.int8)
        self._counts = np.zeros((places, similarity_kernel.SYMBOLS), np.int32)
        self._own = np.zeros(similarity_kernel.SYMBOLS, np.int32)
        pointed: dict[str, NDArray[Any]] = {
            "alike": self.alike,
            "texts": self._texts,
            "lengths": self.lengths,
            "counts": self._counts,
            "own": self._own,
        }
        for name, array in pointed.items():
            self._record[name] = array.ctypes.data
        for name, number in {"pair": similarity.address, "stride": LONGEST, "places": places, "full": full}.items():
            self._record[name] = number
        self.address = int(self._record.ctypes.data)

    def use(self, places: int) -> None:
        """Look at the first places only; the others are empty."""
        self._record["places"] = places

    def takes(self, item: Any) -> bool:
        """Tell whether a plan is short enough to be kept."""
        return len(self._plan(item)) <= LONGEST

    def put(self, place: int, item: Any) -> None:
        """Let a plan of at most `LONGEST` symbols take a place."""
        text = self._plan(item)
        self._texts[place, : len(text)] = text
        self._counts[place] = np.bincount(text, minlength=similarity_kernel.SYMBOLS)
        self.lengths[place] = len(text)

    def clear(self, place: int) -> None:
        """Leave a place empty."""
        self.lengths[place] = -1

    def meet(self, item: Any) -> NDArray[np.int8]:
        """For each place, whether a plan is too like the one there; a view that the next comparison changes."""
        kept = np.ascontiguousarray(self._plan(item))
        invoke3(similarity_kernel.meet.address, self.address, int(kept.ctypes.data), len(kept))
        return self.alike

    def meet_some(self, item: Any, places: NDArray[np.integer[Any]]) -> NDArray[np.int8]:
        """For each of some places that are not empty, whether a plan is too like the one there."""
        kept, some = np.ascontiguousarray(self._plan(item)), np.ascontiguousarray(places, np.int32)
        self._record["some"], self._record["some_count"] = some.ctypes.data, len(some)
        invoke3(similarity_kernel.meet_some.address, self.address, int(kept.ctypes.data), len(kept))
        return self.alike[some]
