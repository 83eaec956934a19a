"""Wave function collapse of one level: the wave's memory, restarts, and the compiled solver."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pcg.engine.elementary import logarithms
from pcg.engine.kernel.runtime import invoke1
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.level_grid import Grid, Mask
from pcg.generators.levels.wfc import kernel
from pcg.generators.levels.wfc.patterns import Patterns, start_mask

MOST_PLACES = 1 << 26
"""Cells times patterns of the largest wave; it takes about 16 bytes for each."""


def solve(
    patterns: Patterns, grid: Grid, locked: Mask, unique: frozenset[int], rng: np.random.Generator, *,
    restarts: int = 4, patience: int = 200,
) -> Grid | None:  # fmt: skip
    """Fill a level with patterns, or None when no attempt comes to an end.

    Args:
        patterns: what may stand where; see `patterns.learn`.
        grid: the level, shape (height, width); only its locked cells count.
        locked: cells that must have the tile they have in `grid`.
        unique: tiles (avatars) of which the level gets one in all. If none is locked, a place for it is drawn first in
            the first half of the attempts.
        rng: decides everything else.
        restarts: attempts before giving up.
        patience: decisions taken back in one attempt.

    Raises:
        PcgError: when the wave would be larger than memory allows.
    """
    height, width = patterns.wave_shape(*grid.shape)
    cells, number = height * width, len(patterns.tiles)
    if cells * number > MOST_PLACES:
        raise PcgError(
            f"wave function collapse of {grid.shape[1]} x {grid.shape[0]} cells with {number} patterns takes "
            f"{cells * number // 10**6} million places, expected at most {MOST_PLACES // 10**6}: "
            "make the level or the patterns smaller"
        )
    corner = patterns.tiles[:, 0, 0]
    is_unique = np.isin(corner, sorted(unique))
    start = start_mask(patterns, grid, locked)
    settled = bool(np.isin(grid[locked], sorted(unique)).any())
    wave = _Wave(patterns, height, width, is_unique)
    for attempt in range(restarts):
        begin, first = start, False
        # A place drawn first may be impossible: small examples leave few. Later attempts do without.
        if not settled and is_unique.any() and 2 * attempt < restarts:
            begin, first = _with_one(start, is_unique, patterns.weights, rng), True
        outcome = wave.collapse(begin, rng, patience)
        if outcome == kernel.IMPOSSIBLE and not first:
            return None  # whatever is drawn
        if outcome == kernel.SOLVED:
            return corner[wave.chosen()].reshape(height, width)[1 : grid.shape[0] + 1, 1 : grid.shape[1] + 1].copy()
    return None


def _with_one(
    start: NDArray[np.int8], unique: NDArray[np.bool_], weights: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.int8]:
    """The start with one cell settled on a unique pattern, drawn by weight and then evenly over the cells it fits."""
    options = start[:, unique] != 0
    fits = options.any(axis=0)
    if not fits.any():
        return start
    chances = weights[unique] * fits
    chosen = int(rng.choice(len(chances), p=chances / chances.sum()))
    cells = np.flatnonzero(options[:, chosen])
    begin = start.copy()
    cell = cells[int(rng.integers(len(cells)))]
    begin[cell] = 0
    begin[cell, np.flatnonzero(unique)[chosen]] = 1
    return begin


class _Wave:
    """The arrays a `WAVE` record points to."""

    def __init__(self, patterns: Patterns, height: int, width: int, unique: NDArray[np.bool_]) -> None:
        cells, number = height * width, len(patterns.tiles)
        self.cells, self.patterns = cells, number
        self.record = np.zeros(1, kernel.WAVE)
        weights = np.ascontiguousarray(patterns.weights)
        self.arrays: dict[str, NDArray[np.generic]] = {
            "weight": weights,
            "surprise": weights * logarithms(weights),
            "unique": unique.astype(np.int8),
            "first": patterns.first,
            "beside": patterns.beside,
            "open": np.empty(cells * number, np.int8),
            "left": np.empty(cells, np.int32),
            "sum": np.empty(cells),
            "sum_surprise": np.empty(cells),
            "support": np.empty(cells * number * 4, np.int16),
            "trail": np.empty(cells * number, np.int32),
            "marks": np.empty(2 * cells, np.int32),
        }
        self.record["height"], self.record["width"], self.record["patterns"] = height, width, number

    def collapse(self, start: NDArray[np.int8], rng: np.random.Generator, patience: int) -> int:
        """One attempt; returns what the kernel does."""
        self.arrays |= {
            "start": np.ascontiguousarray(start),
            "noise": 1e-3 * rng.random(self.cells),
            "draws": rng.random(self.cells + patience),
        }
        for name, array in self.arrays.items():
            self.record[name] = array.ctypes.data
        self.record["drawn"], self.record["patience"] = self.cells + patience, patience
        return int(invoke1(kernel.collapse.address, self.record.ctypes.data))

    def chosen(self) -> NDArray[np.int64]:
        """The pattern of each cell once all are settled."""
        chosen: NDArray[np.int64] = np.asarray(self.arrays["open"]).reshape(self.cells, self.patterns).argmax(axis=1)
        return chosen
