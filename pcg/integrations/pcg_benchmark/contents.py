"""Contents of a PCG Benchmark problem as vectors of numbers, whatever their structure.

A content is nested lists and dictionaries with numbers at the leaves; its space tells the range of each leaf, the
upper end excluded. `Layout` lists the leaves once, so that search can work on flat arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
"""One content: its leaves in order."""


@dataclass(frozen=True, eq=False)
class Member:
    """A judged content; its quality is -1 where the problem failed at it."""

    vector: Vector
    info: Any
    quality: float


class Layout:
    """The leaves of a content space.

    Attributes:
        low, high: range of each leaf, `high` excluded.
        whole: whether the leaf is a whole number.
        grid: rows and columns when a content is one rectangle of whole numbers, else None.
        kinds: leaves of one kind, for each kind: those of one array, or of one entry of equal records.
        kind_of: for each leaf the place of its kind in `kinds`.
    """

    def __init__(self, space: Any) -> None:
        sample = space.sample()
        self._made = _maker(sample)
        leaves = list(_leaves(sample, space.range()))
        self.low = np.array([low for low, _, _ in leaves], float)
        self.high = np.array([high for _, high, _ in leaves], float)
        self.whole = np.array([whole for _, _, whole in leaves], bool)
        self._all_whole = bool(self.whole.all())
        self._top = np.where(self.whole, self.high - 1, np.nextafter(self.high, self.low))
        self.grid = _rectangle(sample)
        names = list(_kind_names(sample))
        bounds = [(name, *leaf) for name, leaf in zip(names, leaves, strict=True)]
        order = {kind: place for place, kind in enumerate(dict.fromkeys(bounds))}
        self.kind_of = np.array([order[kind] for kind in bounds])
        self.kinds: list[NDArray[np.intp]] = [np.flatnonzero(self.kind_of == place) for place in range(len(order))]

    def __len__(self) -> int:
        return len(self.low)

    def flat(self, content: Any) -> Vector:
        """The vector of a content."""
        return np.array(list(_numbers(content)), float)

    def content(self, vector: Vector) -> Any:
        """The content of a vector; whole numbers are rounded down and all kept inside their range."""
        inside = self.inside(vector)
        if self._all_whole:
            return self._made(inside.astype(np.int64).tolist(), 0)
        flags = self.whole.tolist()
        numbers = [int(n) if whole else n for n, whole in zip(inside.tolist(), flags, strict=True)]
        return self._made(numbers, 0)

    def inside(self, vector: Vector) -> Vector:
        """The vector with every number inside its range."""
        whole = np.floor(vector)
        if not self._all_whole:
            whole = np.where(self.whole, whole, vector)
        bounded: Vector = np.minimum(np.maximum(whole, self.low), self._top)
        return bounded

    def sample(self, rng: np.random.Generator, count: int | None = None) -> Vector:
        """A content drawn uniformly, or `count` of them as rows."""
        shape = len(self) if count is None else (count, len(self))
        return self.inside(self.low + rng.random(shape) * (self.high - self.low))

    def draw(self, rng: np.random.Generator, at: int) -> float:
        """A number drawn uniformly for one leaf."""
        value = self.low[at] + rng.random() * (self.high[at] - self.low[at])
        return float(np.floor(value) if self.whole[at] else value)


def _leaves(sample: Any, bounds: Any) -> Iterator[tuple[float, float, bool]]:
    if isinstance(bounds, dict) and set(bounds) == {"min", "max"} and not isinstance(sample, dict):
        for number in _numbers(sample):
            whole = isinstance(number, int | np.integer)
            yield float(bounds["min"]), float(bounds["max"]), bool(whole)
    elif isinstance(sample, dict):
        for key in sample:
            yield from _leaves(sample[key], bounds[key])
    else:
        # an array of equal parts may tell the range of a part once for all
        each = [bounds] * len(sample) if isinstance(bounds, dict) else bounds
        for one, bound in zip(sample, each, strict=True):
            yield from _leaves(one, bound)


def _kind_names(content: Any) -> Iterator[tuple[str, ...]]:
    """Yield for each leaf the keys of the dictionaries that it is in, whatever its places in arrays are."""
    if isinstance(content, dict):
        for key, value in content.items():
            for rest in _kind_names(value):
                yield (str(key), *rest)
    elif hasattr(content, "__len__"):
        for value in content:
            yield from _kind_names(value)
    else:
        yield ()


def _numbers(content: Any) -> Iterator[Any]:
    if isinstance(content, dict):
        for value in content.values():
            yield from _numbers(value)
    elif hasattr(content, "__len__"):
        for value in content:
            yield from _numbers(value)
    else:
        yield content


def _maker(sample: Any) -> Callable[[list[Any], int], Any]:
    """Return what builds a content like a sample from the numbers of all its leaves, from a place of the list on."""
    if isinstance(sample, dict):
        keys = list(sample)
        parts = [(_maker(sample[key]), sum(1 for _ in _numbers(sample[key]))) for key in keys]
        return lambda numbers, at: dict(zip(keys, _one_by_one(parts, numbers, at), strict=True))
    if hasattr(sample, "__len__"):
        if not any(hasattr(one, "__len__") for one in sample):
            return lambda numbers, at: numbers[at : at + len(sample)]
        if all(_is_record(one) and list(one) == list(sample[0]) for one in sample):
            keys, size = list(sample[0]), len(sample[0])
            places = range(0, size * len(sample), size)
            return lambda numbers, at: [dict(zip(keys, numbers[at + k : at + k + size], strict=True)) for k in places]
        parts = [(_maker(one), sum(1 for _ in _numbers(one))) for one in sample]
        return lambda numbers, at: list(_one_by_one(parts, numbers, at))
    return lambda numbers, at: numbers[at]


def _is_record(content: Any) -> bool:
    """Tell a dictionary of numbers alone."""
    return isinstance(content, dict) and not any(hasattr(value, "__len__") for value in content.values())


def _one_by_one(
    parts: Sequence[tuple[Callable[[list[Any], int], Any], int]], numbers: list[Any], at: int
) -> Iterator[Any]:
    for make, size in parts:
        yield make(numbers, at)
        at += size


def _rectangle(sample: Any) -> tuple[int, int] | None:
    if isinstance(sample, dict) or not hasattr(sample, "__len__") or not len(sample):
        return None
    rows = list(sample)
    if not all(hasattr(row, "__len__") and not isinstance(row, dict) for row in rows):
        return None
    widths = {len(row) for row in rows}
    flat = all(isinstance(cell, int | np.integer) for row in rows for cell in row)
    return (len(rows), widths.pop()) if len(widths) == 1 and flat else None
