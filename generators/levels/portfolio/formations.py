"""Formations: objects that stand in even or symmetric rows in the game's own levels, such as fleets and fences.

Windows of three cells do not see that a row is even. So it is measured which kinds of things a game's designers put in
order; rows of these are made as rows, and edits that break them are paid for.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from pcg.engine.lazy import cached_property
from pcg.evaluators.level_grid import Grid
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.level_builder import LevelBuilder

ORDERED = 0.6
"""A tile whose cells in the game's levels stand in ordered rows at least to this share belongs in formations."""
LONG = 3
"""Least number of objects in a row for its order to count: two are always in order."""
FEWEST = 6
"""Least number of cells of a tile, in all of the game's levels, for it to be a formation."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of one kind of object in an example."""

    tile: int
    height: float
    """Height of the row, from 0 at the top to 1 at the bottom."""
    gaps: tuple[int, ...]
    """Cells from each object to the next."""
    start: float
    """Part of the free width that is to the left of the row, in [0, 1]."""


def ordered(gaps: tuple[int, ...]) -> bool:
    """Return True for objects with equal gaps, or with gaps that are symmetric left to right.

    >>> ordered((3, 3, 3)), ordered((1, 4, 1)), ordered((1, 1, 4))
    (True, True, False)
    """
    return gaps == gaps[::-1]


@dataclass(frozen=True)
class Formations:
    """Rows of objects in the game's own levels.

    Args:
        context: of the game.
    """

    context: LevelContext

    @cached_property
    def tiles(self) -> frozenset[int]:
        """Tiles that stand in ordered rows."""
        found = set()
        traffic = {m for lane in self.context.lanes for m in lane.movers}
        for tile in self.context.objects:
            if tile in traffic or tile == self.context.filler:
                continue
            rows = [row for grid in self.context.examples for row in _rows(grid, tile)]
            cells = sum(len(row.gaps) + 1 for row in rows)
            good = [len(row.gaps) + 1 for row in rows if row.gaps and ordered(row.gaps)]
            long = sum(number for number in good if number >= LONG)
            if cells >= FEWEST and sum(good) >= ORDERED * cells and 2 * long >= cells:
                found.add(tile)
        return frozenset(found)

    @cached_property
    def _levels(self) -> list[list[Row]]:
        return [[row for tile in sorted(self.tiles) for row in _rows(grid, tile)] for grid in self.context.examples]

    def disorder(self, grid: Grid) -> float:
        """Return the share of objects that belong in formations and stand out of order, in [0, 1]."""
        cells = broken = 0
        for tile in self.tiles:
            for row in _rows(grid, tile):
                number = len(row.gaps) + 1
                cells += number
                broken += number * (not row.gaps or not ordered(row.gaps))
        return broken / cells if cells else 0.0

    @cached_property
    def usual(self) -> float:
        """Mean disorder of the game's own levels."""
        return float(np.mean([self.disorder(grid) for grid in self.context.examples]))

    def draw(self, builder: LevelBuilder, rng: np.random.Generator) -> None:
        """Take all formations away and put others in their place: rows of one or two of the game's levels, with other
        gaps and numbers.
        """
        for y, x in np.argwhere(np.isin(builder.grid, list(self.tiles))).tolist():
            builder.clear((y, x))
        first = self._levels[int(rng.integers(len(self._levels)))]
        second = self._levels[int(rng.integers(len(self._levels)))]
        for tile in sorted(self.tiles):
            rows = [row for row in (first if rng.random() < 0.5 else second) if row.tile == tile]
            for row in rows:
                self._put(builder, rng, row)

    def _put(self, builder: LevelBuilder, rng: np.random.Generator, row: Row) -> None:
        """Place one row, changed a little, where there is room for it."""
        top, left, bottom, right = builder.inside()
        height, width = builder.grid.shape
        gaps = list(row.gaps)
        if not ordered(row.gaps):
            half = gaps[: (len(gaps) + 1) // 2]
            gaps = half + half[::-1][len(gaps) % 2 :]
        for _ in range(8):
            tried = self._changed(gaps, rng)
            length = sum(tried) + 1
            if length > right - left:
                continue
            share = row.start if rng.random() < 0.6 else 1.0 - row.start if rng.random() < 0.5 else 0.5
            x = left + round(share * (right - left - length))
            y = round(row.height * (height - 1)) + int(rng.integers(-1, 2))
            if not top <= y < bottom or (builder.grid[y] == row.tile).any():
                continue
            columns = x + np.concatenate([[0], np.cumsum(tried)]).astype(int)
            if columns[-1] < width and builder.free()[y, columns].all():
                for column in columns.tolist():
                    builder.put((y, column), row.tile)
                return

    def _changed(self, gaps: list[int], rng: np.random.Generator) -> list[int]:
        """Return the gaps, wider or narrower, for one object more or less."""
        draw = rng.random()
        if not gaps or draw < 0.35:
            return gaps
        if draw < 0.6:
            step = int(rng.choice([-1, 1]))
            return [gap + step if gap > 1 or step > 0 else gap for gap in gaps]
        if len(set(gaps)) == 1:
            return [gaps[0]] * max(1, len(gaps) + int(rng.choice([-1, 1])))
        return [*gaps, *gaps[::-1]][: len(gaps)] if draw < 0.8 else gaps


def _rows(grid: Grid, tile: int) -> list[Row]:
    """Return the rows of a tile in a level."""
    height, width = grid.shape
    places: dict[int, list[int]] = {}
    for y, x in zip(*(line.tolist() for line in np.nonzero(grid == tile)), strict=True):
        places.setdefault(y, []).append(x)
    found = []
    for y, columns in places.items():
        room = width - (columns[-1] - columns[0] + 1)
        gaps = tuple(right - left for left, right in pairwise(columns))
        found.append(Row(tile, y / max(1, height - 1), gaps, columns[0] / room if room else 0.5))
    return found
