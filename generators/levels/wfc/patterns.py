"""Patterns of example levels: the n by n windows of tiles that occur, how often, and which may stand side by side.

A level is looked at with a ring of "outside" around it, so that patterns know where the edge is: what stands along it
(frames, doors in them, ground, sky) is learnt like everything else. A pattern stands for the tile in its top left
corner. With windows of one cell (the tiled model), tiles may stand side by side if some example shows them so; larger
windows (the overlapping model) if they agree where they overlap.

Gumin: WaveFunctionCollapse (2016); Karth and Smith: WaveFunctionCollapse is constraint solving in the wild (FDG 2017).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pcg.evaluators.level_grid import Grid, Mask

ABOVE, RIGHT, BELOW, LEFT = range(4)
WAYS = ((-1, 0), (0, 1), (1, 0), (0, -1))
"""Row and column steps of the directions."""


@dataclass(frozen=True)
class Patterns:
    """The patterns of some examples."""

    size: int
    """Side of the windows, n."""
    tiles: NDArray[np.int16]
    """Shape (patterns, n, n); the number after the last tile is the outside."""
    weights: NDArray[np.float64]
    """Number of times each was seen."""
    first: NDArray[np.int32]
    """Shape (4 * patterns + 1,): where the list of each (direction, pattern) begins in `beside`."""
    beside: NDArray[np.int32]
    """The patterns that may stand in a direction beside a pattern, list after list."""
    outside: int
    """The number of the outside."""

    @property
    def after(self) -> int:
        """Cells of outside below and to the right of a level; above and to the left there is one."""
        return max(1, self.size - 1)

    def wave_shape(self, height: int, width: int) -> tuple[int, int]:
        """Cells of the wave for a level: as many as there are windows in it and the outside around it."""
        extra = 2 + self.after - self.size
        return height + extra, width + extra


def with_outside(grid: Grid, outside: int, after: int) -> Grid:
    """A level with the outside around it: one cell above and to the left, `after` cells below and to the right."""
    return np.pad(grid, ((1, after), (1, after)), constant_values=outside)


def learn(
    examples: Sequence[Grid], size: int, tiles: int, drawn: Sequence[tuple[Grid, Mask]] = (), *, loose: bool = False
) -> Patterns:
    """The patterns of examples.

    Args:
        examples: levels as tile numbers.
        size: side of the windows.
        tiles: how many tiles there are; the next number stands for the outside.
        drawn: partly drawn levels with masks of what is drawn; their complete windows count as well.
        loose: let any two patterns stand side by side unless that would mix up level and outside (size 1 only).
    """
    after = max(1, size - 1)
    padded = [(with_outside(g, tiles, after), np.ones((g.shape[0] + 1 + after, g.shape[1] + 1 + after), bool))
              for g in examples]  # fmt: skip
    for grid, mask in drawn:
        padded.append((with_outside(grid, tiles, after), np.pad(mask, ((1, after), (1, after)), constant_values=True)))
    windows = [_windows(grid, size)[_windows(mask, size).all(axis=(2, 3))] for grid, mask in padded]
    flat = np.concatenate([w.reshape(-1, size * size) for w in windows])
    found, counts = np.unique(flat, axis=0, return_counts=True)
    patterns = found.reshape(-1, size, size).astype(np.int16)
    number = len(patterns)
    if size == 1:
        allowed = _seen_pairs(padded, patterns, tiles) if not loose else np.ones((4, number, number), bool)
    else:
        allowed = _agreeing(patterns)
    lengths = allowed.sum(axis=2).ravel()
    first = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    beside = np.nonzero(allowed.reshape(4 * number, number))[1].astype(np.int32)
    return Patterns(size, patterns, counts.astype(np.float64), first, beside, tiles)


def start_mask(patterns: Patterns, grid: Grid, locked: Mask) -> NDArray[np.int8]:
    """Return the patterns that each cell of the wave may take, shape (cells, patterns): nothing that mixes up level and
    outside, and only the given tile where the level is locked.
    """
    size, outside = patterns.size, patterns.outside
    padded = with_outside(np.zeros_like(grid), outside, patterns.after) == outside
    edges = _windows(padded, size).reshape(-1, size * size)
    kinds, kind_of = np.unique(edges, axis=0, return_inverse=True)
    shown = (patterns.tiles == outside).reshape(len(patterns.tiles), size * size)
    fits = (kinds[:, None, :] == shown[None, :, :]).all(axis=2)
    allowed = fits[kind_of.ravel()]
    height, width = patterns.wave_shape(*grid.shape)
    corner = patterns.tiles[:, 0, 0]
    view = allowed.reshape(height, width, -1)
    for y, x in np.argwhere(locked).tolist():
        view[y + 1, x + 1] &= corner == grid[y, x]
    result: NDArray[np.int8] = allowed.astype(np.int8)
    return result


def _windows(grid: NDArray[np.generic], size: int) -> NDArray[np.generic]:
    return np.lib.stride_tricks.sliding_window_view(grid, (size, size))


def _agreeing(patterns: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Shape (4, n, n): whether the second pattern may stand in the direction beside the first."""
    number = len(patterns)
    right = _same(patterns[:, :, 1:].reshape(number, -1), patterns[:, :, :-1].reshape(number, -1))
    below = _same(patterns[:, 1:, :].reshape(number, -1), patterns[:, :-1, :].reshape(number, -1))
    return np.stack([below.T, right, below, right.T])


def _same(a: NDArray[np.int16], b: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Compare every row of `a` with every row of `b`."""
    _, code = np.unique(np.concatenate([a, b]), axis=0, return_inverse=True)
    code = code.ravel()
    result: NDArray[np.bool_] = code[: len(a), None] == code[None, len(a) :]
    return result


def _seen_pairs(padded: Sequence[tuple[Grid, Mask]], patterns: NDArray[np.int16], outside: int) -> NDArray[np.bool_]:
    """The same for single tiles: which were seen side by side."""
    number = len(patterns)
    index = np.full(outside + 1, -1)
    index[patterns[:, 0, 0]] = np.arange(number)
    seen = np.zeros((4, number, number), bool)
    for grid, mask in padded:
        codes = np.where(mask, index[grid], -1)
        for first, second, way in (
            (codes[:, :-1], codes[:, 1:], RIGHT),
            (codes[:-1], codes[1:], BELOW),
        ):
            both = (first >= 0) & (second >= 0)
            seen[way, first[both], second[both]] = True
    # In the outside everything goes on as it is, however little of it the examples show.
    rim = index[outside]
    seen[RIGHT, rim, rim] = seen[BELOW, rim, rim] = True
    seen[LEFT], seen[ABOVE] = seen[RIGHT].T, seen[BELOW].T
    return seen
