"""Boards of pushing puzzles: where the avatar and boxes can be, where boxes and goals are, and what a goal does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.pushing.kernel import ALL_BOXES, FAR, ROOM, STAYS, WALK

Cell = tuple[int, int]
"""Row and column, from 0."""
Ground = NDArray[np.int8]

WAYS: tuple[tuple[str, Cell], ...] = (("UP", (-1, 0)), ("DOWN", (1, 0)), ("LEFT", (0, -1)), ("RIGHT", (0, 1)))
"""Actions and their steps, in the order in which kernels number directions."""
SIGNS = "#@+$*. "
"""Characters of a board drawn as text: wall, avatar, avatar on a goal, box, box on a goal, goal, floor."""


@dataclass(frozen=True, eq=False)
class PushBoard:
    r"""One position of a pushing puzzle.

    Args:
        ground: what each cell is for, bits `kernel.WALK` (the avatar can be there) and `kernel.ROOM` (a box can),
            shape (height, width).
        boxes: their cells.
        goals: cells where they belong.
        avatar: its cell.
        fate: of a box that comes to a goal (`kernel.STAYS` and its companions).
        need: `kernel.ALL_BOXES` or `kernel.ALL_GOALS`.
        goal_walk: whether the avatar can walk over goals.

    >>> board = PushBoard.drawn("#####\n#@$.#\n#####")
    >>> board.boxes, board.goals
    (((1, 2),), ((1, 3),))
    >>> print(board)
    #####
    #@$.#
    #####
    """

    ground: Ground
    boxes: tuple[Cell, ...]
    goals: tuple[Cell, ...]
    avatar: Cell
    fate: int = STAYS
    need: int = ALL_BOXES
    goal_walk: bool = True

    @classmethod
    def drawn(cls, text: str) -> PushBoard:
        """Return a board of Sokoban as it is usually drawn (`SIGNS`).

        Raises:
            PcgError: for other characters, or without an avatar.
        """
        rows = text.strip("\n").splitlines()
        width = max((len(row) for row in rows), default=0)
        ground = np.zeros((len(rows), width), np.int8)
        found: dict[str, list[Cell]] = {"box": [], "goal": [], "avatar": []}
        for y, row in enumerate(rows):
            for x, sign in enumerate(row.ljust(width)):
                if sign not in SIGNS:
                    raise PcgError(f"{sign!r} in row {y + 1}, column {x + 1}: expected one of {SIGNS!r}")
                if sign != "#":
                    ground[y, x] = WALK | ROOM
                for kind, signs in (("box", "$*"), ("goal", ".*+"), ("avatar", "@+")):
                    if sign in signs:
                        found[kind].append((y, x))
        if len(found["avatar"]) != 1:
            raise PcgError(f"the board has {len(found['avatar'])} avatars, expected 1")
        return cls(ground, tuple(found["box"]), tuple(found["goal"]), found["avatar"][0])

    def __str__(self) -> str:
        lines = []
        for y, row in enumerate(self.ground.tolist()):
            line = ""
            for x, bits in enumerate(row):
                here = (y, x)
                on_goal = here in self.goals
                if here in self.boxes:
                    line += "*" if on_goal else "$"
                elif here == self.avatar:
                    line += "+" if on_goal else "@"
                else:
                    line += "." if on_goal else " " if bits else "#"
            lines.append(line)
        return "\n".join(lines)

    def moved(self, boxes: Iterable[Cell], avatar: Cell) -> PushBoard:
        """Return the board with boxes and avatar elsewhere."""
        return replace(self, boxes=tuple(sorted(boxes)), avatar=avatar)

    @property
    def floor(self) -> frozenset[Cell]:
        """Cells where something can be."""
        return frozenset((int(y), int(x)) for y, x in np.argwhere(self.ground != 0))

    def steps_from(self, start: Cell, boxes: Iterable[Cell], solid: Iterable[Cell] = ()) -> dict[Cell, tuple[str, ...]]:
        """Return the ways by which the avatar can walk to cells.

        Args:
            start: its cell.
            boxes: that stand in the way.
            solid: further cells that do.
        """
        shut = {*boxes, *solid}
        found: dict[Cell, tuple[str, ...]] = {start: ()}
        frontier = [start]
        while frontier:
            following = []
            for y, x in frontier:
                for name, (dy, dx) in WAYS:
                    there = (y + dy, x + dx)
                    if there not in found and there not in shut and self._holds(there, WALK):
                        found[there] = (*found[y, x], name)
                        following.append(there)
            frontier = following
        return found

    def _holds(self, cell: Cell, bit: int) -> bool:
        height, width = self.ground.shape
        return 0 <= cell[0] < height and 0 <= cell[1] < width and bool(self.ground[cell] & bit)


def lone_pushes(ground: Ground, goal: Cell) -> NDArray[np.int32]:
    """Return the pushes that take a lone box from each cell to a goal, `FAR` where none do, shape (height, width).

    The avatar is taken to be where it is needed, so that there are never fewer pushes.

    Args:
        ground: of a board; outside it are walls.
        goal: cell.
    """
    height, width = ground.shape
    # with walls two cells wide around it, for the avatar stands behind the box
    framed = np.pad(ground, 2)
    walk, room = (framed & WALK) != 0, (framed & ROOM) != 0
    far = np.full(framed.shape, FAR, np.int32)
    start = (goal[0] + 2, goal[1] + 2)
    far[start] = 0
    frontier = [start]
    while frontier:
        following = []
        for y, x in frontier:
            for _, (dy, dx) in WAYS:
                before, behind = (y - dy, x - dx), (y - 2 * dy, x - 2 * dx)
                if room[before] and far[before] == FAR and walk[before] and walk[behind]:
                    far[before] = far[y, x] + 1
                    following.append(before)
        frontier = following
    return far[2 : height + 2, 2 : width + 2]


def far_table(ground: Ground, goals: Sequence[Cell]) -> NDArray[np.int32]:
    """Return `lone_pushes` for several goals, shape (goals, height, width)."""
    height, width = ground.shape
    return np.array([lone_pushes(ground, goal) for goal in goals], np.int32).reshape(len(goals), height, width)
