"""Multi-dimensional Markov chains over levels: how likely each tile is, given tiles that are there already.

A tile depends on those to its left, above it, or both, on whether the level ends beyond it, and on the part of the
level it lies in. Contexts that the examples show seldom are smoothed with shorter ones (Witten and Bell 1991), those
they never show are left to them (back-off).

Snodgrass and Ontanon: Experiments in map generation using Markov chains (FDG 2014); Learning to generate video game
maps using Markov models (TCIAIG 2017). Dahlskog, Togelius, Nelson: Linear levels through n-grams (MindTrek 2014).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pcg.evaluators.level_grid import Grid

Offset = tuple[int, int]
Context = tuple[int, ...]
Chances = NDArray[np.float64]
"""Probability of each tile, shape (tiles,)."""

NEIGHBOURHOODS = ("row", "column", "corner", "wide")
"""To the left; above; left, above and between the two (the L of Snodgrass and Ontanon); these and above to the right.
"""


def offsets_of(neighbourhood: str, order: int) -> tuple[Offset, ...]:
    """The cells (row, column steps) a tile depends on, those that tell most about it first.

    >>> offsets_of("corner", 1)
    ((0, -1), (-1, 0), (-1, -1))
    """
    row = [(0, -k) for k in range(1, order + 1)]
    column = [(-k, 0) for k in range(1, order + 1)]
    if neighbourhood == "row":
        return tuple(row)
    if neighbourhood == "column":
        return tuple(column)
    near = [(0, -1), (-1, 0), (-1, -1)] + ([(-1, 1)] if neighbourhood == "wide" else [])
    return tuple(near + [o for k in range(1, order) for o in (row[k], column[k])])


class Chain:
    """A Markov chain learnt from examples.

    Args:
        examples: levels as tile numbers.
        tiles: how many tiles there are; the next number stands for what lies outside a level.
        offsets: see `offsets_of`.
        bands: parts from top to bottom in which tiles are counted apart.
        smoothing: weight of shorter contexts; 0 uses them only where the longer one was never seen.
    """

    def __init__(
        self, examples: Sequence[Grid], tiles: int, offsets: Sequence[Offset], *, bands: int = 1, smoothing: float = 0.1
    ) -> None:
        self.tiles, self.outside = tiles, tiles
        self.offsets, self.bands, self.smoothing = tuple(offsets), bands, smoothing
        self.reach = max([1, *(max(abs(dy), abs(dx)) for dy, dx in self.offsets)])
        # Contexts from the shortest (nothing known) to the longest; the end of the level and the band come in early,
        # for without them nothing would know where to stop.
        self._counts: list[dict[Context, Chances]] = [{} for _ in range(len(self.offsets) + 3)]
        self._cache: dict[Context, Chances] = {}
        for example in examples:
            padded = self.padded(example)
            for y, x in np.ndindex(*example.shape):
                full = self.context(padded, y, x)
                for length, table in enumerate(self._counts):
                    counts = table.setdefault(full[:length], np.zeros(tiles))
                    counts[example[y, x]] += 1.0

    def padded(self, grid: Grid) -> Grid:
        """A level with the outside around it, as wide as a context reaches."""
        return np.pad(grid, self.reach, constant_values=self.outside)

    def context(self, padded: Grid, y: int, x: int) -> Context:
        """Return the context that the tile at (y, x) depends on: the end of the level, the band, and the tiles around
        it.
        """
        reach = self.reach
        height = padded.shape[0] - 2 * reach
        below = padded[y + reach + 1, x + reach] == self.outside
        right = padded[y + reach, x + reach + 1] == self.outside
        band = y * self.bands // height
        around = [int(padded[y + reach + dy, x + reach + dx]) for dy, dx in self.offsets]
        return (2 * int(below) + int(right), band, *around)

    def knows(self, context: Context) -> bool:
        """Return whether the examples show the whole of a context."""
        return context in self._counts[-1]

    def chances(self, context: Context) -> Chances:
        """Return the probability of each tile in a context."""
        known = self._cache.get(context)
        if known is None:
            known = self._smoothed(context)
            self._cache[context] = known
        return known

    def _smoothed(self, context: Context) -> Chances:
        chances = np.full(self.tiles, 1.0 / self.tiles)
        for length, table in enumerate(self._counts):
            counts = table.get(context[:length])
            if counts is None:
                break  # longer ones were not seen either
            weight = self.smoothing * float((counts > 0).sum()) if length else 0.0
            chances = (counts + weight * chances) / (float(counts.sum()) + weight)
        return chances
