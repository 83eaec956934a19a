"""The map of a mission: a level under construction with the mission's places and locks, and cells to be kept free."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pcg.evaluators.level_grid import Grid, Mask, distances
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.level_builder import LevelBuilder

Cell = tuple[int, int]
SIDES = ((-1, 0), (0, 1), (1, 0), (0, -1))


@dataclass(frozen=True, slots=True)
class Rect:
    """Rows `top` to `bottom` and columns `left` to `right`, the latter two exclusive."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def height(self) -> int:
        """Rows."""
        return self.bottom - self.top

    @property
    def width(self) -> int:
        """Columns."""
        return self.right - self.left

    @property
    def area(self) -> int:
        """Cells."""
        return self.height * self.width

    def holds(self, cell: Cell) -> bool:
        """Return whether a cell lies in it."""
        return self.top <= cell[0] < self.bottom and self.left <= cell[1] < self.right

    def cells(self) -> Iterator[Cell]:
        """Its cells, in reading order."""
        return ((y, x) for y in range(self.top, self.bottom) for x in range(self.left, self.right))


@dataclass
class Place:
    """Part of a level that holds nodes of a mission: a room, or a strip of open land. The first node gave the place its
    shape.
    """

    rect: Rect
    nodes: list[int]
    depth: int = 0
    """Places on the way to it."""
    entry: Cell | None = None
    """The cell where one comes in."""
    zone: int = 0
    """The node by which one comes into this part of the level: a lock, a portal or the start."""


@dataclass(frozen=True, slots=True)
class Gap:
    """An opening in a wall and the cells before and behind it."""

    cell: Cell
    before: Cell
    behind: Cell


@dataclass
class MissionLayout:
    """Layout of a mission in a level: its places, locks and portals."""

    places: list[Place] = field(default_factory=list)
    at: dict[int, int] = field(default_factory=dict)
    """Node -> number of its place."""
    gaps: dict[int, Gap] = field(default_factory=dict)
    """Lock -> where it stands."""
    warps: list[int] = field(default_factory=list)
    """Nodes whose place is entered by portal only."""
    closed: bool = True
    """True if walls hold the places apart."""

    def place_of(self, node: int) -> Place:
        """The place of a node."""
        return self.places[self.at[node]]


class MissionMap(LevelBuilder):
    """Level under construction that becomes the space of a mission. Locks count as open, so that what is behind them is
    filled too; reserved cells (before and behind gaps) count as taken.
    """

    def __init__(self, context: LevelContext, grid: Grid) -> None:
        super().__init__(context, grid)
        self.reserved: Mask = np.zeros(grid.shape, np.bool_)
        self.within: Mask | None = None
        """Cells in which things may be put at the moment; None: anywhere."""
        self.locks: list[Cell] = []

    def free(self) -> Mask:
        """Cells where an object may be put: bare, not reserved, and within the part being filled."""
        mask: Mask = super().free() & ~self.reserved
        return mask if self.within is None else mask & self.within

    def distances(self) -> NDArray[np.int32]:
        """Steps of the avatar to every cell with all locks open, -1 where it cannot get."""
        if self._distances is None:
            start = self.avatar
            if start is None:
                return np.full(self.grid.shape, -1, np.int32)
            mask = self.walkable()
            for cell in self.locks:
                mask[cell] = True
            self._distances = distances(self.palette, self.grid, start, mask=mask)
        return self._distances

    def restrict_to(self, rect: Rect | None) -> None:
        """Put things only within a part from now on; None: anywhere."""
        self.within = None
        if rect is not None:
            self.within = np.zeros(self.grid.shape, np.bool_)
            self.within[rect.top : rect.bottom, rect.left : rect.right] = True

    def reserve(self, cell: Cell) -> None:
        """Keep a cell free."""
        self.reserved[cell] = True
