"""Statistics of the levels that come with a game: sizes, shares of tiles, their rows, and the frame.

Generators take their defaults from it, so that new levels of a game look at home beside its own; games without levels
get the defaults of reference/generators 12.3. Nothing here judges a level.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.level_grid import Grid, Palette

BANDS = 8
"""Row profiles are histograms over this many equal bands from top to bottom."""


@dataclass(frozen=True)
class LevelStatistics:
    """Averages over a game's own levels. Per-tile arrays are indexed by tile number."""

    levels: int
    widths: tuple[int, int]
    """Smallest and largest."""
    heights: tuple[int, int]
    share: NDArray[np.float64]
    """Mean share of each tile among the cells inside the frame."""
    fewest: NDArray[np.int64]
    """Smallest number of each tile in a level."""
    most: NDArray[np.int64]
    """Largest number of each tile in a level."""
    used: NDArray[np.float64]
    """Share of the levels that use each tile."""
    rows: NDArray[np.float64]
    """Row profile of each tile, shape (tiles, BANDS), each row of it summing to 1 (uniform for unused tiles)."""
    frame: tuple[int | None, int | None, int | None, int | None]
    """The tile that fills the top, right, bottom and left edge in most levels; None where nothing does."""


def level_statistics(palette: Palette, levels: Sequence[str]) -> LevelStatistics | None:
    """Statistics of a game's levels, or None when there is none that can be read with the game's usable tiles."""
    grids: list[Grid] = []
    for text in levels:
        try:
            grids.append(palette.parse(text))
        except PcgError:
            continue
    if not grids:
        return None
    tiles = len(palette.tiles)
    frame = _frame(palette, grids)
    top, right, bottom, left = (int(side is not None) for side in frame)
    counts = np.array([np.bincount(g.ravel(), minlength=tiles) for g in grids])
    shares = []
    rows = np.zeros((tiles, BANDS))
    for grid in grids:
        inner = grid[top : grid.shape[0] - bottom, left : grid.shape[1] - right]
        shares.append(np.bincount(inner.ravel(), minlength=tiles) / max(1, inner.size))
        for y, row in enumerate(inner):
            band = min(BANDS - 1, (2 * y + 1) * BANDS // (2 * inner.shape[0]))
            rows[:, band] += np.bincount(row, minlength=tiles) / max(1, inner.size)
    totals = rows.sum(axis=1, keepdims=True)
    rows = np.where(totals > 0, rows / np.where(totals > 0, totals, 1), 1 / BANDS)
    return LevelStatistics(
        levels=len(grids),
        widths=(min(g.shape[1] for g in grids), max(g.shape[1] for g in grids)),
        heights=(min(g.shape[0] for g in grids), max(g.shape[0] for g in grids)),
        share=np.mean(shares, axis=0),
        fewest=counts.min(axis=0),
        most=counts.max(axis=0),
        used=(counts > 0).mean(axis=0),
        rows=rows,
        frame=frame,
    )


def _frame(palette: Palette, grids: Sequence[Grid]) -> tuple[int | None, int | None, int | None, int | None]:
    """Per side the tile that fills at least 60 % of it in at least half of the levels (doors may interrupt a frame)."""

    def side(edges: list[NDArray[np.int16]]) -> int | None:
        votes: dict[int, int] = {}
        for edge in edges:
            counts = np.bincount(edge, minlength=len(palette.tiles))
            tile = int(counts.argmax())
            if counts[tile] >= 0.6 * edge.size and tile not in palette.grounds:
                votes[tile] = votes.get(tile, 0) + 1
        best = max(votes, key=lambda t: (votes[t], -t), default=None)
        return best if best is not None and 2 * votes[best] >= len(edges) else None

    return (
        side([g[0] for g in grids]),
        side([g[:, -1] for g in grids]),
        side([g[-1] for g in grids]),
        side([g[:, 0] for g in grids]),
    )
