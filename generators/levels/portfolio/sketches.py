"""Sketches: levels that a person has drawn in part, with `?` where anything may come.

A sketch may be rough: rows can end early, and of several avatars all but the first count as open. What is drawn stays;
what the rules call for beside it is found a place in the open.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.level_grid import Grid, Mask, Palette

OPEN = "?"
"""Character of a cell that is left open."""


@dataclass(frozen=True)
class Sketch:
    """A level that is drawn in part."""

    grid: Grid
    """Tile numbers, shape (height, width); those of open cells do not count."""
    drawn: Mask
    """Cells that are drawn, same shape."""

    def over(self, grid: Grid) -> Grid:
        """Return a level of the same shape with the drawn cells as they were drawn."""
        return np.where(self.drawn, self.grid, grid).astype(np.int16)


def read_sketch(palette: Palette, text: str) -> Sketch:
    r"""Return the sketch that a text is.

    Args:
        palette: of the game.
        text: rows of tiles, and of `?` for open cells; short rows are open at their ends.

    Raises:
        PcgError: for a character that is neither, and for a sketch of fewer than two rows or columns.

    >>> import pcg
    >>> from pcg.generators.levels import LevelContext
    >>> sketch = read_sketch(LevelContext.of(pcg.load("boxes")).palette, "www?\nwA??\nwA")
    >>> sketch.drawn.astype(int).tolist()
    [[1, 1, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0]]
    """
    rows = [row.rstrip("\r") for row in text.strip("\n").split("\n")]
    width = max(map(len, rows))
    if len(rows) < 2 or width < 2:
        raise PcgError(f"the sketch has {len(rows)} rows and {width} columns, expected at least 2 of each")
    rows = [row.ljust(width, OPEN) for row in rows]
    drawn = np.array([[char != OPEN for char in row] for row in rows])
    blank = palette.tiles[palette.empty].char
    grid = palette.parse("\n".join(row.replace(OPEN, blank) for row in rows))
    avatars = np.argwhere(np.isin(grid, palette.avatars) & drawn)
    drawn[tuple(avatars[1:].T)] = False
    return Sketch(grid, drawn)
