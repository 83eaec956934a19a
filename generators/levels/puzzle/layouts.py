"""Layouts of pushing puzzles: walls and goals, drawn at random and changed a little at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from pcg.evaluators.pushing import PushBoard
from pcg.evaluators.pushing.board import Cell
from pcg.evaluators.pushing.kernel import ROOM, WALK

Floor = NDArray[np.bool_]

LEAST_OPEN, MOST_OPEN = 0.35, 0.6
"""Share of the cells inside the frame that are floor."""
TOGETHER = 0.6
"""Share of the layouts whose goals are side by side."""


@dataclass(frozen=True, eq=False)
class Layout:
    """Walls and goals of a puzzle.

    Attributes:
        floor: cells that are not walls, shape (height, width), in one piece and away from the edge.
        goals: cells, all on the floor.
    """

    floor: Floor
    goals: tuple[Cell, ...]

    def board(self) -> PushBoard:
        """Return the board with boxes on all goals."""
        ground = np.where(self.floor, WALK | ROOM, 0).astype(np.int8)
        avatar = next(cell for cell in _cells(self.floor) if cell not in self.goals)
        return PushBoard(ground, self.goals, self.goals, avatar)


def _cells(mask: Floor) -> list[Cell]:
    return [(int(y), int(x)) for y, x in np.argwhere(mask)]


def largest_piece(floor: Floor) -> Floor:
    """Return the largest piece of floor in one."""
    pieces, count = ndimage.label(floor)
    if count <= 1:
        return floor
    sizes = np.bincount(pieces.ravel())
    sizes[0] = 0
    piece: Floor = pieces == int(sizes.argmax())
    return piece


def draw_layout(rng: np.random.Generator, height: int, width: int, boxes: int) -> Layout | None:
    """Draw walls and goals.

    Args:
        rng: draws.
        height: of the level, with its frame of walls.
        width: of the level.
        boxes: number of goals.

    Returns:
        The layout, None where the draw left too little floor.
    """
    share = float(rng.uniform(LEAST_OPEN, MOST_OPEN))
    inside = (height - 2) * (width - 2)
    floor = np.zeros((height, width), bool)
    y, x = int(rng.integers(1, height - 1)), int(rng.integers(1, width - 1))
    # small rooms, each begun within the last ones: open places with corners between them
    for _ in range(8 * inside):
        h, w = int(rng.integers(1, 4)), int(rng.integers(1, 4))
        floor[y : min(y + h, height - 1), x : min(x + w, width - 1)] = True
        if floor.sum() >= share * inside:
            break
        cells = _cells(floor)
        y, x = cells[int(rng.integers(len(cells)))]
        y, x = max(1, y - int(rng.integers(2))), max(1, x - int(rng.integers(2)))
    floor = largest_piece(floor)
    goals = _draw_goals(rng, floor, boxes)
    return Layout(floor, goals) if goals else None


def _draw_goals(rng: np.random.Generator, floor: Floor, boxes: int) -> tuple[Cell, ...]:
    cells = _cells(floor)
    if len(cells) < 3 * boxes + 2:
        return ()
    if rng.random() >= TOGETHER:
        return tuple(sorted(cells[int(k)] for k in rng.permutation(len(cells))[:boxes]))
    chosen = [cells[int(rng.integers(len(cells)))]]
    while len(chosen) < boxes:
        beside = [c for c in cells if c not in chosen and any(abs(c[0] - g[0]) + abs(c[1] - g[1]) == 1 for g in chosen)]
        if not beside:
            return ()
        chosen.append(beside[int(rng.integers(len(beside)))])
    return tuple(sorted(chosen))


def changed(rng: np.random.Generator, layout: Layout) -> Layout | None:
    """Return a layout with one or two small changes: walls that come and go, goals that move a cell or further.

    Args:
        rng: draws.
        layout: the one to change.

    Returns:
        None where the change would break it.
    """
    floor = layout.floor.copy()
    goals = set(layout.goals)
    height, width = floor.shape
    for _ in range(1 + int(rng.random() < 0.4)):
        kind = rng.random()
        if kind < 0.3:
            inner = [c for c in _cells(floor) if c not in goals]
            if inner:
                floor[inner[int(rng.integers(len(inner)))]] = False
        elif kind < 0.6:
            beside = ndimage.binary_dilation(floor) & ~floor
            beside[[0, -1], :] = beside[:, [0, -1]] = False
            walls = _cells(beside)
            if walls:
                floor[walls[int(rng.integers(len(walls)))]] = True
        elif kind < 0.75:
            # a wall moves by a cell
            y, x = int(rng.integers(1, height - 1)), int(rng.integers(1, width - 1))
            dy, dx = ((0, 1), (1, 0))[int(rng.integers(2))]
            if y + dy < height - 1 and x + dx < width - 1 and not {(y, x), (y + dy, x + dx)} & goals:
                floor[y, x], floor[y + dy, x + dx] = floor[y + dy, x + dx], floor[y, x]
        else:
            goal = sorted(goals)[int(rng.integers(len(goals)))]
            free = [c for c in _cells(floor) if c not in goals]
            near = [c for c in free if abs(c[0] - goal[0]) + abs(c[1] - goal[1]) == 1]
            among = near if near and rng.random() < 0.7 else free
            if among:
                goals.remove(goal)
                goals.add(among[int(rng.integers(len(among)))])
    floor = largest_piece(floor)
    if not all(floor[goal] for goal in goals) or floor.sum() < 3 * len(goals) + 2:
        return None
    return Layout(floor, tuple(sorted(goals)))
