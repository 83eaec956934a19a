"""Tile patterns of levels: divergence between the patterns of levels, and originality of a level.

The *divergence* is the Jensen-Shannon divergence of the distributions of windows of one, two and three cells square,
averaged over the sizes and over the levels that one is compared with (Lucas, Volz: Tile Pattern KL-Divergence for
Analysing and Evolving Game Levels, GECCO 2019, made symmetric and bounded). The *originality* is the share of cells in
which a level differs from the nearest of others, shifts and mirror images included. The two pull in opposite
directions: a copy diverges little and is not original, noise is original and diverges.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pcg.engine.kernel.runtime import invoke5, invoke6
from pcg.evaluators.kernel import level_overlap
from pcg.evaluators.level_grid import Grid

SIDES = (1, 2, 3)
"""Sides of the windows, in cells."""
SHIFT = 3
"""Largest shift, in cells along either axis, at which two levels are compared."""
NOTHING = -1
"""Tile number of what lies outside a level."""
OVERLAP = 0.75
"""Least overlap of two shifted levels, as a share of the smaller one."""
_OfShape = tuple[NDArray[np.int64], NDArray[np.float64], int, int]
_MIX = np.random.Generator(np.random.PCG64(11)).integers(1, 2**62, max(SIDES) ** 2, dtype=np.int64) | np.int64(1)


def window_codes(grid: Grid, side: int) -> NDArray[np.int64]:
    """Return a code for each window of a level, equal for equal windows, shape (windows,); none for a lower level.

    The kernel `diverge` works out the same codes.
    """
    rows, columns = grid.shape[0] - side + 1, grid.shape[1] - side + 1
    if rows < 1 or columns < 1:
        return np.zeros(0, np.int64)
    cells = grid.astype(np.int64) + 1
    codes = np.zeros((rows, columns), np.int64)
    for k in range(side * side):
        y, x = divmod(k, side)
        codes ^= cells[y : y + rows, x : x + columns] * _MIX[k]
    return codes.ravel()


class PatternStatistics:
    """Distributions of the windows of some levels, to compare others with.

    Args:
        levels: tile numbers, shape (height, width) each; at least one.

    >>> one, other = np.zeros((4, 4), np.int16), np.ones((4, 4), np.int16)
    >>> statistics = PatternStatistics([one])
    >>> statistics.divergence(one), statistics.divergence(other)
    (0.0, 1.0)
    """

    def __init__(self, levels: Sequence[Grid]) -> None:
        self.levels = len(levels)
        known: list[NDArray[np.int64]] = []
        shares: list[NDArray[np.float64]] = []  # by side, shape (levels, windows known)
        for side in SIDES:
            codes = [window_codes(grid, side) for grid in levels]
            known.append(np.unique(np.concatenate(codes)))
            shares.append(np.zeros((len(levels), len(known[-1]))))
            for k, own in enumerate(codes):
                found, number = np.unique(own, return_counts=True)
                shares[-1][k, np.searchsorted(known[-1], found)] = number / max(1, len(own))
        # one array for all sides: what they add to entropies is summed
        self._known = np.concatenate(known)
        self._bounds = np.cumsum([0, *map(len, known)])
        joined = np.concatenate(shares, axis=1)
        halves = _summands(0.5 * joined)
        half_entropies = np.stack([half.sum(axis=1) for half in self._by_side(halves)])
        entropies = np.stack([one.sum(axis=1) for one in self._by_side(_summands(joined))])
        self._shares = np.ascontiguousarray(np.stack([joined.T, halves.T], axis=2))
        """Share of each window in each of the levels, and what half of it adds to an entropy, (windows, levels, 2)."""
        self._addresses = self._known.ctypes.data, self._shares.ctypes.data
        self._gaps = half_entropies - 0.5 * entropies
        self._knows = np.diff(self._bounds) > 0
        self._by_shape: dict[tuple[int, int], _OfShape] = {}

    def _by_side(self, values: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        return np.split(values, self._bounds[1:-1], axis=1)

    def divergences(self, grid: Grid) -> NDArray[np.float64]:
        """Return the divergence of a level from each of the levels, shape (levels,), in [0, 1] (bits)."""
        sizes, gaps, both, differ = self._of_shape((grid.shape[0], grid.shape[1]))
        level = np.ascontiguousarray(grid, np.int32)
        counts = np.zeros(len(self._known), np.int32)
        sums = np.empty(self.levels + 2)
        known, shares = self._addresses
        made = level.ctypes.data, known, shares, counts.ctypes.data, sums.ctypes.data, sizes.ctypes.data
        invoke6(level_overlap.diverge.address, *made)
        # The entropy of the mean less the mean of the entropies; windows that none of them has are apart. Windows that
        # the level has not are half as frequent in the mean as they are in the levels.
        entropy, own = sums[-2:].tolist()
        total = sums[:-2] + (gaps - 0.5 * entropy + 0.5 * (both - own) + differ)
        # what rounding leaves of 0 is none
        found: NDArray[np.float64] = np.minimum(np.maximum(total / len(SIDES), 0.0), 1.0).round(12)
        return found

    def _of_shape(self, shape: tuple[int, int]) -> _OfShape:
        """Return what is the same for all levels of a shape: sizes for the kernel, the part of the entropies of sides
        that both have, and how many sides both and only one of them have.
        """
        if shape not in self._by_shape:
            height, width = shape
            number = np.array([max(0, height - side + 1) * max(0, width - side + 1) for side in SIDES])
            has = number > 0
            both = has & self._knows
            self._by_shape[shape] = (
                np.array([height, width, *self._bounds, self.levels, *_MIX], np.int64),
                self._gaps[both].sum(axis=0), int(both.sum()), int((has ^ self._knows).sum()),
            )  # fmt: skip
        return self._by_shape[shape]

    def unknown(self, grid: Grid, side: int) -> NDArray[np.bool_]:
        """Return which windows of a level none of the levels has, shape (height - side + 1, width - side + 1)."""
        codes = window_codes(grid, side)
        known = np.split(self._known, self._bounds[1:-1])[SIDES.index(side)]
        at = np.minimum(np.searchsorted(known, codes), len(known) - 1)
        found: NDArray[np.bool_] = known[at] != codes
        return found.reshape(max(0, grid.shape[0] - side + 1), max(0, grid.shape[1] - side + 1))

    def divergence(self, grid: Grid) -> float:
        """Return the mean divergence of a level from the levels, in [0, 1]."""
        return float(self.divergences(grid).mean())


def _summands(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what each share adds to an entropy in bits, shape as they have; they need not sum to 1."""
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    found: NDArray[np.float64] = -(shares * logs)
    return found


def divergence_among(levels: Sequence[Grid]) -> float:
    """Return the mean divergence of levels from one another, in [0, 1]; 0 for fewer than two."""
    if len(levels) < 2:
        return 0.0
    statistics = PatternStatistics(levels)
    apart = np.array([statistics.divergences(grid) for grid in levels])
    return float(apart[~np.eye(len(levels), dtype=bool)].mean())


class Originals:
    """Levels against which the originality of others is measured.

    Every mirror image of the levels is compared, shifted by up to `SHIFT` cells along either axis; cells that only one
    of two levels has do not count, but levels are compared only where most of the smaller one is in both.

    Args:
        levels: tile numbers, shape (height, width) each.
    """

    def __init__(self, levels: Sequence[Grid]) -> None:
        self._levels = levels
        self._images: dict[tuple[int, int], list[tuple[NDArray[np.int32], NDArray[np.float64]]]] = {}

    def originality(self, grid: Grid) -> float:
        """Return the least share of differing cells between a level and these, in [0, 1]; 1 without any."""
        shape = (int(grid.shape[0]), int(grid.shape[1]))
        if shape not in self._images:
            self._images[shape] = [_shifted(level, shape) for level in self._levels]
        level = np.ascontiguousarray(grid, np.int32)
        alike = np.zeros(1)
        for images, common in self._images[shape]:
            sizes = np.array([*images.shape, *shape], np.int64)
            arrays = (images.ctypes.data, level.ctypes.data, common.ctypes.data, alike.ctypes.data, sizes.ctypes.data)
            invoke5(level_overlap.most_equal.address, *arrays)
        return 1.0 - float(alike[0])


def originality(grid: Grid, others: Sequence[Grid]) -> float:
    """Return the least share of differing cells between a level and others, as `Originals` has it.

    >>> level = np.arange(25).reshape(5, 5).astype(np.int16)
    >>> originality(level, [level[:, ::-1]]), originality(level, [level + 100])
    (0.0, 1.0)
    """
    return Originals(others).originality(grid)


def _shifted(other: Grid, shape: tuple[int, int]) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return the mirror images of a level with room around them, so that each of their windows of some shape is a
    shift, and how many cells each window has in common with the level: infinitely many where that is too few.
    """
    around, lengths = [], []
    for size, length in zip(shape, other.shape, strict=True):
        low, high = min(0, size - length) - SHIFT, max(0, size - length) + SHIFT
        around.append((high, max(0, size - low - length)))
        shifts = np.arange(high, low - 1, -1)
        lengths.append(np.maximum(0, np.minimum(size, length + shifts) - np.maximum(0, shifts)))
    common = np.outer(lengths[0], lengths[1]).astype(np.float64)
    common[common < max(1.0, OVERLAP * min(other.size, shape[0] * shape[1]))] = np.inf
    images = np.stack([
        np.pad(image, around, constant_values=NOTHING)
        for image in (other, other[:, ::-1], other[::-1], other[::-1, ::-1])
    ])  # fmt: skip
    fitting = images[:, : len(lengths[0]) + shape[0] - 1, : len(lengths[1]) + shape[1] - 1]
    return np.ascontiguousarray(fitting, np.int32), common
