"""Image quilting of levels: a new level put together from overlapping pieces of the game's own levels.

Pieces are laid in reading order, each chosen among those that agree best with what is there where they overlap (Efros,
Freeman: Image Quilting for Texture Synthesis and Transfer, SIGGRAPH 2001). A piece at an edge of the level comes from
the same edge of an example, so frames, corners and doors in the frame stay where they belong; a piece from within comes
from about as far down (or across, in games with a direction) as it goes to. Where traffic runs in rows, pieces are
whole rows. Tiles that are things rather than walls come along with their pieces; numbers are put right afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pcg.engine.kernel.runtime import invoke5
from pcg.engine.lazy import cached_property
from pcg.evaluators.level_grid import Grid, Mask
from pcg.generators.levels.portfolio import kernel

THING_COST = 0.4
"""Cost of a cell in the overlap whose object differs from the piece's; that of a differing wall is 1."""
NEARLY = 0.15
"""The piece is drawn from all whose cost exceeds the least by no more than this share of the overlap."""
AGAIN_COST = 0.35
"""Penalty, as a share of the overlap, for a piece that continues the copy of one example."""


MOST_EXAMPLES = 4
"""Examples that are searched for each piece, drawn at random."""


@dataclass(frozen=True)
class Quilt:
    """Pieces to cut levels from.

    Args:
        examples: tile numbers, with their mirror images where the game allows these.
        solid: whether each tile is a wall, shape (tiles,).
        blank: tile of what no piece covers.
        rows_matter: True if things keep to their heights.
        columns_matter: the same for widths.
    """

    examples: Sequence[Grid]
    solid: NDArray[np.bool_]
    blank: int
    rows_matter: bool
    columns_matter: bool

    def _codes(self, grid: Grid) -> NDArray[np.int32]:
        """Return twice the tile number of each cell, and one more for walls."""
        codes: NDArray[np.int32] = 2 * grid.astype(np.int32) + self.solid[grid]
        return codes

    @cached_property
    def _coded(self) -> list[NDArray[np.int32]]:
        """The codes of each example, in one line."""
        return [self._codes(example).ravel() for example in self.examples]

    def level(self, rng: np.random.Generator, height: int, width: int, side: int, overlap: int = 1) -> Grid:
        """Return a level of pieces `side` cells square that overlap by `overlap` cells."""
        ys, xs = _starts(height, side, overlap), _starts(width, side, overlap)
        grid = np.full((height, width), self.blank, np.int16)
        done = np.zeros((height, width), bool)
        source: dict[tuple[int, int], tuple[int, int, int]] = {}  # of a piece: example, and its offset there
        for i, y in enumerate(ys):
            for j, x in enumerate(xs):
                tall, wide = min(side, height - y), min(side, width - x)
                before = {source[key] for key in ((i - 1, j), (i, j - 1)) if key in source}
                found = self._piece(rng, grid, done, y, x, tall, wide, before)
                if found is None:
                    continue
                k, sy, sx = found
                source[i, j] = (k, sy - y, sx - x)
                part = self.examples[k][sy : sy + tall, sx : sx + wide]
                here = (slice(y, y + tall), slice(x, x + wide))
                grid[here] = np.where(self._kept(grid[here], part, done[here]), grid[here], part)
                done[here] = True
        return grid

    def _kept(self, there: Grid, part: Grid, done: Mask) -> Mask:
        """Return the cells of the overlap that stay as they are: on the near side of the cheapest cut through it."""
        if not done.any():
            return done
        unlike = (there != part).astype(np.float64)
        kept = np.zeros(done.shape, bool)
        left = int(done.all(axis=0).argmin()) if not done.all() else done.shape[1]
        top = int(done.all(axis=1).argmin()) if not done.all() else done.shape[0]
        if 0 < left < done.shape[1]:
            kept[:, :left] |= _near_side(unlike[:, :left])
        if 0 < top < done.shape[0]:
            kept[:top] |= _near_side(unlike[:top].T).T
        return kept & done if not done.all() else done

    def _piece(
        self, rng: np.random.Generator, grid: Grid, done: Mask, y: int, x: int, tall: int, wide: int,
        before: set[tuple[int, int, int]],
    ) -> tuple[int, int, int] | None:  # fmt: skip
        """Return example, row and column of a piece that fits at a place; None where no example has such a place."""
        height, width = grid.shape
        here, there = done[y : y + tall, x : x + wide], grid[y : y + tall, x : x + wide]
        rows_laid, columns_laid = np.nonzero(here)
        laid = len(rows_laid)
        known = self._codes(there)[here]
        costs: list[NDArray[np.float64]] = []
        places: list[tuple[int, list[int], list[int]]] = []  # example, rows and columns of the pieces
        picked = rng.permutation(len(self.examples))[:MOST_EXAMPLES].tolist()
        for k in picked:
            example = self.examples[k]
            rows = _offsets(example.shape[0], height, y, tall, self.rows_matter)
            columns = _offsets(example.shape[1], width, x, wide, self.columns_matter)
            if not rows or not columns:
                continue
            again = [
                (rows.index(y + down), columns.index(x + right)) for other, down, right in before
                if other == k and y + down in rows and x + right in columns
            ]  # fmt: skip
            cost = np.zeros((len(rows), len(columns)))
            if laid:
                piece = np.stack([rows_laid * example.shape[1] + columns_laid, known], axis=1)
                unlike = np.empty((2, len(rows), len(columns)), np.int64)
                sizes = np.array([example.shape[1], rows[0], columns[0], len(rows), len(columns)], np.int64)
                ends = piece.ctypes.data, laid, unlike.ctypes.data, sizes.ctypes.data
                invoke5(kernel.count_unlike.address, self._coded[k].ctypes.data, *ends)
                cost = THING_COST * unlike[0] + (1.0 - THING_COST) * unlike[1]
            for place in again:
                cost[place] += AGAIN_COST * laid
            costs.append(cost.ravel())
            places.append((k, rows, columns))
        if not places:
            return None
        found = np.concatenate(costs)
        good = np.flatnonzero(found <= found.min() + NEARLY * max(1, laid) + 1e-9)
        at = int(good[int(rng.integers(len(good)))])
        for (k, rows, columns), cost in zip(places, costs, strict=True):
            if at < len(cost):
                return k, rows[at // len(columns)], columns[at % len(columns)]
            at -= len(cost)
        raise AssertionError("the place is one of those")

    def rows(self, rng: np.random.Generator, height: int, width: int, shifted: bool) -> Grid:
        """Return a level of whole rows, in stretches of one to three, each from about its height in some example.

        Args:
            rng: draws.
            height: of the level.
            width: of the level.
            shifted: whether rows may be turned within the frame, as traffic that comes round again.
        """
        grid = np.full((height, width), self.blank, np.int16)
        y = 0
        while y < height:
            band = min(height - y, 1 + int(rng.integers(3)))
            k = int(rng.integers(len(self.examples)))
            example = self.examples[k]
            starts = _offsets(example.shape[0], height, y, band, rows_matter=True)
            if not starts:
                band = 1
                starts = _offsets(example.shape[0], height, y, 1, rows_matter=True) or [min(y, example.shape[0] - 1)]
            sy = starts[int(rng.integers(len(starts)))]
            for row in range(band):
                grid[y + row] = self._row(rng, example[sy + row], width, shifted)
            y += band
        return grid

    def _row(self, rng: np.random.Generator, row: Grid, width: int, shifted: bool) -> Grid:
        """Return a row made as wide as the level by repeating and rotating its inner part."""
        inner = row[1:-1] if len(row) > 2 else row
        if shifted and len(set(inner.tolist())) > 1:
            inner = np.roll(inner, int(rng.integers(len(inner))))
        wanted = width - 2 if len(row) > 2 else width
        if len(inner) < wanted:
            inner = np.resize(inner, wanted)
        start = int(rng.integers(len(inner) - wanted + 1))
        inner = inner[start : start + wanted]
        return np.concatenate([row[:1], inner, row[-1:]]) if len(row) > 2 else inner


def _starts(length: int, side: int, overlap: int) -> list[int]:
    """Return the first cells of the pieces along an axis; the last piece ends with the level."""
    if side >= length:
        return [0]
    step = max(1, side - overlap)
    starts = list(range(0, length - side, step))
    return [*starts, length - side]


def _offsets(length: int, wanted: int, at: int, extent: int, rows_matter: bool) -> list[int]:
    """Return where in an example of some length a piece may begin that goes to `at` in a level as long as `wanted`:
    cells one after another.
    """
    if extent > length:
        return []
    if at == 0:
        return [0]
    last = length - extent
    if at + extent == wanted:
        return [last]
    # What goes inside comes from inside: neither the first nor the last line of an example.
    low, high = min(1, last), max(min(1, last), last - 1)
    if not rows_matter:
        return list(range(low, high + 1))
    share = at / max(1, wanted - extent)
    centre, reach = share * last, max(1.0, length / 8)
    found = [k for k in range(low, high + 1) if abs(k - centre) <= reach]
    return found or [min(high, max(low, round(centre)))]


def _near_side(unlike: NDArray[np.float64]) -> Mask:
    """Return the cells before the cheapest cut from top to bottom through an overlap, shape as given."""
    rows, columns = unlike.shape
    cost = unlike.copy()
    padded = np.full(columns + 2, np.inf)
    for y in range(1, rows):
        padded[1:-1] = cost[y - 1]
        cost[y] += np.minimum(np.minimum(padded[:-2], padded[1:-1]), padded[2:])
    cut = int(cost[-1].argmin())
    near = np.zeros((rows, columns), bool)
    for y in range(rows - 1, -1, -1):
        near[y, : cut + 1] = True
        if y:
            low = max(0, cut - 1)
            cut = low + int(cost[y - 1, low : cut + 2].argmin())
    return near
