"""Routes through a level: how many ways lead to what must be reached, and how many loops there are.

Both look at the text alone: cells that the avatar can walk on, with gates as if they were open. Loops and ways around
are what designers ask for beside length and size (Dormans, Cyclic Generation, 2017; van der Linden, Lopes, Bidarra:
Procedural Generation of Dungeons, 2014).
"""

from __future__ import annotations

import numpy as np
from scipy import ndimage

from pcg.evaluators.level_grid import GATE, Mask, distances
from pcg.evaluators.metrics.registry import metric
from pcg.evaluators.metrics.text import LevelText

DORMANS = "Dormans 2017"
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
    passable = open_cells(level)
    return min(_ways(passable, level.start, (int(y), int(x))) for y, x in np.argwhere(targets))


def _ways(passable: Mask, start: tuple[int, int], goal: tuple[int, int]) -> int:
    """Return 2 where two ways without a common cell lead from start to goal, else 1 where one does, else 0."""
    mask = passable.copy()
    mask[goal] = True
    labels, _ = ndimage.label(mask)
    if labels[start] != labels[goal]:
        return 0
    # By Menger's theorem there are two unless one cell cuts them apart; such a cell lies on every way. The cells next
    # to the ends do not count: a door in a wall has one cell before it.
    for cell in _way(mask, start, goal)[2:-2]:
        mask[cell] = False
        labels, _ = ndimage.label(mask)
        if labels[start] != labels[goal]:
            return 1
        mask[cell] = True
    return 2


def _way(mask: Mask, start: tuple[int, int], goal: tuple[int, int]) -> list[tuple[int, int]]:
    """Return a shortest way through cells that are set, from start to goal."""
    before: dict[tuple[int, int], tuple[int, int]] = {start: start}
    front = [start]
    height, width = mask.shape
    while front and goal not in before:
        following = []
        for y, x in front:
            for dy, dx in STEPS:
                cell = (y + dy, x + dx)
                if 0 <= cell[0] < height and 0 <= cell[1] < width and mask[cell] and cell not in before:
                    before[cell] = (y, x)
                    following.append(cell)
        front = following
    way = [goal]
    while way[-1] != start:
        way.append(before[way[-1]])
    return way[::-1]
