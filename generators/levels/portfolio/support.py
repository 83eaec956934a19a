"""Support of things: those that stand on something in a game's own levels fall to where they may stand in new ones.

In games with a ground (platforms, artillery, lunar landers) people put barrels, towers, pads and the hero on something:
the cell below is soil, a wall, another barrel. Pieces of levels that are put together, and small edits, leave such
things in the air, where the game would let them hang. Which things stand, and on what, is counted in the levels; what
hangs in a draft falls straight down to where it may stand.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc

from pcg.engine.lazy import cached_property
from pcg.evaluators.level_grid import GATE, Grid, Mask
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.level_builder import LevelBuilder

STANDS = 0.9
"""Share of a thing's places in the game's levels with something below from which on it counts as standing."""
CHANCE = 0.001
"""Probability, at most, that so many of its places have something below by chance, as cells of the floor have."""
FEWEST_LEVELS = 2
"""Least number of levels in which it stands on something."""


@dataclass(frozen=True)
class Support:
    """Things that stand on something in the game's own levels, and on what.

    Args:
        context: of a game with levels of its own.
    """

    context: LevelContext

    @cached_property
    def open(self) -> NDArray[np.bool_]:
        """Mask of the tiles on which nothing stands: the background, grounds, a filler; last, the outside, is not."""
        context = self.context
        found = np.zeros(len(context.palette.tiles) + 1, bool)
        found[[context.palette.empty, context.background, *context.palette.grounds]] = True
        if context.filler is not None:
            found[context.filler] = True
        return found

    @cached_property
    def below(self) -> dict[int, NDArray[np.bool_]]:
        """Thing that stands -> mask of the tiles that it stands on, the outside last."""
        context = self.context
        tiles = len(context.palette.tiles)
        counts = np.zeros((tiles, tiles + 1), np.int64)
        levels = np.zeros(tiles, np.int64)
        floor = np.zeros(2, np.int64)
        for grid in context.examples:
            under = _under(grid, tiles)
            np.add.at(counts, (grid, under), 1)
            levels[np.unique(grid[~self.open[under] & (under != grid)])] += 1
            floor += np.bincount(self.open[under[:-1][self.open[grid[:-1]]]], minlength=2)
        by_chance = floor[0] / max(1, floor.sum())
        left_out = self.open[:-1] | (context.palette.access == GATE)
        left_out[list(context.walls)] = True
        left_out[[m for lane in context.lanes for m in lane.movers]] = True
        found = {}
        for tile in np.flatnonzero((levels >= FEWEST_LEVELS) & ~left_out).tolist():
            feet = counts[tile].copy()
            feet[[tile, tiles]] = 0  # what stands on its like, or in the last row, says nothing
            number, hanging = int(feet.sum()), int(feet[self.open].sum())
            chance = float(bdtrc(number - hanging - 1, number, by_chance)) if hanging < number else 1.0
            if hanging <= (1.0 - STANDS) * number and chance <= CHANCE:
                on = (counts[tile] > 0) & ~self.open
                walls = list(context.walls)
                on[walls] |= on[walls].any()
                found[tile] = on
        return found

    def may_stand(self, grid: Grid, tile: int) -> Mask:
        """Return the cells in which a thing would stand as in the game's levels; all for a thing that hangs there."""
        on = self.below.get(tile)
        if on is None:
            return np.ones(grid.shape, bool)
        found: Mask = on[_under(grid, len(self.context.palette.tiles))]
        return found

    def strays(self, grid: Grid) -> Mask:
        """Return the cells of things that stand in the game's levels, but on nothing, or not on what is below here."""
        found = np.zeros(grid.shape, bool)
        for tile in self.below:
            found |= (grid == tile) & ~self.may_stand(grid, tile)
        return found

    def let_fall(self, builder: LevelBuilder, merging: Collection[int] = ()) -> None:
        """Move what hangs straight down to the first place where it stands, the lowest first; what would fall on
        something that it never stands on stays.

        Args:
            builder: of the level.
            merging: tiles that become one with their like below, on which they do not stand: pads over pads.
        """
        cells = np.argwhere(self.strays(builder.grid))[::-1].tolist()
        while cells:
            stood: list[list[int]] = []
            for y, x in cells:
                column = builder.grid[:, x]
                lowest = y
                while lowest + 1 < len(column) and self.open[column[lowest + 1]]:
                    lowest += 1
                tile, under = int(column[y]), int(column[lowest])
                if lowest > y and self.may_stand(builder.grid, tile)[lowest, x]:
                    builder.put((y, x), under)
                    builder.put((lowest, x), tile)
                    stood += [[y - 1, x]] if y else []
                elif tile in merging and lowest + 1 < len(column) and int(column[lowest + 1]) == tile:
                    builder.put((y, x), self.context.background)
                    stood += [[y - 1, x]] if y else []
            hanging = self.strays(builder.grid)
            cells = [cell for cell in stood if hanging[cell[0], cell[1]]]  # they stood on what fell


def _under(grid: Grid, outside: int) -> NDArray[np.int64]:
    """Return the tile below each cell, `outside` for the last row."""
    found = np.full(grid.shape, outside, np.int64)
    found[:-1] = grid[1:]
    return found
