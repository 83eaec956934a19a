"""Routes through a level: how many ways lead to what must be reached, and how many loops there are.

Both look at the text alone: cells that the avatar can walk on, with gates as if they were open. Loops and ways around
are what designers ask for beside length and size (Dormans, Cyclic Generation, 2017; van der Linden, Lopes, Bidarra:
Procedural Generation of Dungeons, 2014).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy import ndimage

from pcg.evaluators.level_grid import GATE, Mask, distances
from pcg.evaluators.metrics.registry import metric
from pcg.evaluators.metrics.text import LevelText

DORMANS = "Dormans 2017"
Cell = tuple[int, int]
STEPS = ((-1, 0), (1, 0), (0, -1), (0, 1))


def open_cells(level: LevelText) -> Mask:
    """Return the cells that the avatar can come to stand on once gates are open, shape (height, width)."""
    palette = level.tables.palette
    found: Mask = palette.access[level.grid] <= GATE
    if level.start is not None:
        found[level.start] = True
    return found


@metric("loops", "ways around walls that come back to where they began, within the reach of the avatar", 0,
        source=DORMANS, whole=True)  # fmt: skip
def loops(level: LevelText) -> float | None:
    """Number of separate things in the way (walls, blocks of walls) that can be walked around."""
    if level.start is None:
        return None
    steps = distances(level.tables.palette, level.grid, level.start, mask=open_cells(level))
    shut = np.pad(steps < 0, 1, constant_values=True)
    _, islands = ndimage.label(shut, structure=np.ones((3, 3)))
    return int(islands) - 1


@metric("ways_to_goal", "ways from the avatar to a goal that meet only beside either: the fewest, at most 2", 0, 2,
        source=DORMANS, whole=True)  # fmt: skip
def ways_to_goal(level: LevelText) -> float | None:
    """Least number of ways to any goal that have no cell in common but beside their ends, in {0, 1, 2}; 0 without
    goals, None without an avatar.
    """
    if level.start is None:
        return None
    tables = level.tables
    goals = np.array([any(tables.analysis.has(c, "goal") for c in tile.content) for tile in tables.palette.tiles])
    targets = goals[level.grid]
    if not targets.any():
        return 0
    return min(ways_to_each(open_cells(level), level.start, [(y, x) for y, x in np.argwhere(targets).tolist()]))


def ways_to_each(passable: Mask, start: Cell, goals: Sequence[Cell]) -> Iterator[int]:
    """Yield for each goal 2 where two ways without a common cell lead there from start, else 1 where one does, else 0.

    By Menger's theorem there are two unless one cell cuts start and goal apart. The cells next to these do not count: a
    door in a wall has one cell before it. Cuts are found for all goals at once, by depth-first search (Tarjan 1972).
    """
    cuts = _Cuts(passable, start)
    for goal in goals:
        steps, cut = cuts.before(goal)
        while cut is not None and not 2 <= cuts.steps[cut] <= steps - 2:
            cut = cuts.nearest[cut]
        yield 0 if steps < 0 else 1 if cut is not None else 2


class _Cuts:
    """Cells that lie on every way from a start, for each cell that can be reached.

    Args:
        passable: cells to walk on.
        start: where the ways begin, (row, column).
    """

    def __init__(self, passable: Mask, start: Cell) -> None:
        self._around: dict[Cell, list[Cell]] = {}
        free = set(map(tuple, np.argwhere(passable).tolist()))
        self.steps: dict[Cell, int] = {start: 0}
        """Steps from the start to each cell that can be reached."""
        front = [start]
        for cell in front:
            self._around[cell] = [other for other in self._beside(cell) if other in free]
            for other in self._around[cell]:
                if other not in self.steps:
                    self.steps[other] = self.steps[cell] + 1
                    front.append(other)
        self.nearest: dict[Cell, Cell | None] = {start: None}
        """The last cell before each that every way from the start there passes; None for the start."""
        self._search(start)

    def _beside(self, cell: Cell) -> list[Cell]:
        return [(cell[0] + dy, cell[1] + dx) for dy, dx in STEPS]

    def _search(self, start: Cell) -> None:
        order, lowest = {start: 0}, {start: 0}
        trail = [(start, iter(self._around[start]))]
        parent: dict[Cell, Cell] = {}
        while trail:
            cell, others = trail[-1]
            for other in others:
                if other not in order:
                    order[other] = lowest[other] = len(order)
                    parent[other] = cell
                    trail.append((other, iter(self._around[other])))
                    break
                lowest[cell] = min(lowest[cell], order[other])
            else:
                trail.pop()
                if trail:
                    lowest[trail[-1][0]] = min(lowest[trail[-1][0]], lowest[cell])
        for cell, above in parent.items():
            self.nearest[cell] = above if lowest[cell] >= order[above] else self.nearest[above]

    def before(self, goal: Cell) -> tuple[int, Cell | None]:
        """Return the steps to a goal, -1 where no way leads there, and the last cell that every way there passes.

        Args:
            goal: a cell, which need not be passable.
        """
        if goal in self.steps:
            return self.steps[goal], self.nearest[goal]
        beside = [cell for cell in self._beside(goal) if cell in self.steps]
        if not beside:
            return -1, None
        common = beside[0]
        for cell in beside[1:]:
            common = self._common(common, cell)
        return 1 + min(self.steps[cell] for cell in beside), common

    def _common(self, one: Cell, other: Cell) -> Cell:
        """Return the last cell that every way to either of two passes, which may be one of them."""
        while one != other:
            if self.steps[one] < self.steps[other]:
                one, other = other, one
            above = self.nearest[one]
            assert above is not None
            one = above
        return one
