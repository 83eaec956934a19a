"""The level builder: a level under construction as an array of tiles, with the queries and changes generators need.

It knows where the avatar can get, which cells are free, and whether filling a cell would cut the open space in two.
What to build where is decided by `wall_layout`, `object_placement` and `repair`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from pcg.evaluators.level_grid import (
    BLOCKED,
    FREE,
    GATE,
    HAZARD,
    PUSH,
    Grid,
    Mask,
    avatar_cells,
    distances,
    edge_of,
)
from pcg.generators.levels.context import LevelContext

_RING = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))
"""The eight neighbours of a cell, clockwise from above: even places share a side with it."""


class LevelBuilder:
    """Level of one game under construction. Cells are (row, column)."""

    def __init__(self, context: LevelContext, grid: Grid) -> None:
        self.context = context
        self.palette = context.palette
        self.grid = grid
        self.placement_weights: NDArray[np.float64] | None = None
        """Weights of the cells for `object_placement`; None: all alike."""
        self._distances: NDArray[np.int32] | None = None
        self._start: tuple[int, int] | None = None

    @classmethod
    def blank(cls, context: LevelContext, width: int, height: int) -> LevelBuilder:
        """Empty ground inside the game's frame."""
        grid = np.full((height, width), context.palette.empty, np.int16)
        builder = cls(context, grid)
        for cell, tile in builder.frame_cells().items():
            grid[cell] = tile
        return builder

    # -- parts ---------------------------------------------------------------------------------------------------------

    def frame_cells(self) -> dict[tuple[int, int], int]:
        """The frame's cells and the tile each should have."""
        height, width = self.grid.shape
        top, right, bottom, left = self.context.frame
        cells: dict[tuple[int, int], int] = {}
        for y in range(height):
            if left is not None:
                cells[y, 0] = left
            if right is not None:
                cells[y, width - 1] = right
        for x in range(width):
            if top is not None:
                cells[0, x] = top
            if bottom is not None:
                cells[height - 1, x] = bottom
        return cells

    def inside(self) -> tuple[int, int, int, int]:
        """The part within the frame: top, left, bottom, right, the last two exclusive."""
        height, width = self.grid.shape
        top, right, bottom, left = (int(side is not None) for side in self.context.frame)
        return top, left, height - bottom, width - right

    def free(self) -> Mask:
        """Cells inside the frame with bare ground or filler, where an object may be put."""
        mask = self.palette.is_ground[self.grid]
        if self.context.filler is not None:
            mask |= self.grid == self.context.filler
        top, left, bottom, right = self.inside()
        mask[:top] = False
        mask[bottom:] = False
        mask[:, :left] = False
        mask[:, right:] = False
        return mask

    def walkable(self) -> Mask:
        """Cells the avatar can come to stand on."""
        return self.palette.access[self.grid] <= PUSH

    # -- the avatar ----------------------------------------------------------------------------------------------------

    @property
    def avatar(self) -> tuple[int, int] | None:
        """Cell of the avatar, None while there is none."""
        if self._start is None:
            found = avatar_cells(self.palette, self.grid)
            self._start = found[0] if found else None
        return self._start

    def distances(self) -> NDArray[np.int32]:
        """Steps of the avatar to every cell, -1 where it cannot get (everywhere while there is no avatar)."""
        if self._distances is None:
            start = self.avatar
            if start is None:
                return np.full(self.grid.shape, -1, np.int32)
            self._distances = distances(self.palette, self.grid, start)
        return self._distances

    def distances_through_gates(self) -> NDArray[np.int32]:
        """The same with all gates open."""
        access, start = self.palette.access[self.grid], self.avatar
        if start is None or not (access == GATE).any():
            return self.distances()
        return distances(self.palette, self.grid, start, mask=access <= GATE)

    # -- moves ---------------------------------------------------------------------------------------------------------

    def put(self, cell: tuple[int, int], tile: int) -> None:
        """Set a cell."""
        before = int(self.grid[cell])
        if before == tile:
            return
        self.grid[cell] = tile
        palette = self.palette
        moved = tile in palette.avatars or before in palette.avatars
        if moved:
            self._start = None
        portal = bool(palette.links) and (self._of_portal(tile) or self._of_portal(before))
        if moved or portal or palette.access[before] != palette.access[tile]:
            self._distances = None

    def clear(self, cell: tuple[int, int]) -> None:
        """Set a cell to the ground its tile stands on."""
        ground = self.context.ground_under[int(self.grid[cell])]
        self.put(cell, self.context.background if ground == self.palette.empty else ground)

    def remove(self, cell: tuple[int, int]) -> None:
        """Take an object away; a gate between walls, or an object in a frame, leaves a wall."""
        frame, wall = self.frame_cells().get(cell), self.palette.wall
        if frame is not None and (self.grid[edge_of(self.grid.shape)] == frame).any():
            self.put(cell, frame)
        elif wall is not None and self.palette.access[self.grid[cell]] == GATE and self._between_walls(cell):
            self.put(cell, wall)
        else:
            self.clear(cell)

    def _between_walls(self, cell: tuple[int, int]) -> bool:
        """Tell whether impassable cells, or the edge, are on two opposite sides of a cell."""
        height, width = self.grid.shape

        def shut(row: int, column: int) -> bool:
            if not (0 <= row < height and 0 <= column < width):
                return True
            return bool(self.palette.access[self.grid[row, column]] == BLOCKED)

        y, x = cell
        return (shut(y - 1, x) and shut(y + 1, x)) or (shut(y, x - 1) and shut(y, x + 1))

    def invalidate(self) -> None:
        """Forget what was derived from the grid, after it was written to directly."""
        self._distances = None
        self._start = None

    def _of_portal(self, tile: int) -> bool:
        return tile in self.palette.links or any(tile in ways for ways in self.palette.links.values())

    def disconnects(self, cell: tuple[int, int]) -> bool:
        """Return whether making a cell impassable could cut the space around it in two (decided from its eight
        neighbours).
        """
        height, width = self.grid.shape
        access = self.palette.access
        around = []
        for dy, dx in _RING:
            y, x = cell[0] + dy, cell[1] + dx
            around.append(0 <= y < height and 0 <= x < width and access[self.grid[y, x]] <= PUSH)
        runs = 0
        for i in (0, 2, 4, 6):
            # A run of open cells around the ring is counted at its first side neighbour.
            if around[i] and not (around[i - 1] and around[i - 2]):
                runs += 1
        return runs > 1

    def blocks(self, tile: int) -> bool:
        """Return whether the avatar cannot walk through a tile."""
        return bool(self.palette.access[tile] > PUSH)

    def stops_pushes(self, cell: tuple[int, int]) -> bool:
        """Return whether nothing can be pushed onto a cell: it lies outside or is impassable or taken by something to
        be pushed.
        """
        height, width = self.grid.shape
        y, x = cell
        return not (0 <= y < height and 0 <= x < width) or self.palette.access[self.grid[y, x]] not in (FREE, HAZARD)

    def regions(self) -> list[list[tuple[int, int]]]:
        """The connected parts of the cells the avatar can come to stand on, with all gates open, largest first (ties:
        the first in reading order).
        """
        return [list(map(tuple, part.tolist())) for part in self.region_arrays()]

    def region_arrays(self) -> list[NDArray[np.int64]]:
        """The same as arrays of cells, shape (n, 2) each."""
        return components(self.palette.access[self.grid] <= GATE)

    def number_of_regions(self) -> int:
        """Number of these parts."""
        return int(ndimage.label(self.palette.access[self.grid] <= GATE)[1])

    def text(self) -> str:
        """The level text."""
        return self.palette.text(self.grid)


def components(mask: Mask) -> list[NDArray[np.int64]]:
    """The connected parts of the cells set in a mask, largest first (ties: the first in reading order).

    Each is an array of cells (row, column), shape (n, 2).
    """
    labels, number = ndimage.label(mask)
    flat = labels.ravel()
    cells = np.flatnonzero(flat)
    # Sorted by label, each region in reading order; labels are given in the order of the regions' first cells.
    cells = cells[np.argsort(flat[cells], kind="stable")]
    places = np.stack(np.divmod(cells, labels.shape[1]), axis=1)
    found = np.split(places, np.cumsum(np.bincount(flat, minlength=number + 1)[1:])[:-1]) if number else []
    found.sort(key=len, reverse=True)
    return found


def weighted_choice(rng: np.random.Generator, weights: NDArray[np.float64]) -> int | None:
    """An index drawn with probability proportional to its weight; None when all weights are 0."""
    sums = np.cumsum(weights)
    total = float(sums[-1]) if len(sums) else 0.0
    if total <= 0:
        return None
    return int(np.searchsorted(sums, rng.random() * total, side="right"))
