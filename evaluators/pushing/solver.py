"""Solutions of pushing puzzles and the table of all positions that can be solved: memory around `kernel`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcg.engine.kernel.runtime import invoke1, invoke2, invoke3
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents.compiled import Record
from pcg.evaluators.pushing import kernel
from pcg.evaluators.pushing.board import WAYS, Cell, PushBoard, far_table

MOST_POSITIONS = 1_000_000
"""Positions that a search remembers by default."""
MOST_GOALS = 60
"""Goals of a board at most: which of them are taken is kept as bits of one number."""
OBJECTIVES = ("pushes", "moves")

_NODES: dict[str, type] = {
    "taken": np.int64, "avatar": np.int16, "key": np.int64, "parent": np.int32, "pushed": np.int16, "way": np.int8,
    "pushes": np.int32, "steps": np.int32, "estimate": np.int32, "closed": np.int8,
}  # fmt: skip


@dataclass(frozen=True)
class PushSolution:
    """The result of a search.

    Attributes:
        status: "solved"; "unsolvable" (proved); "budget" (not decided within the positions allowed).
        actions: the moves, when solved.
        pushes: number of pushes among them.
        expanded: positions whose pushes were looked at: the search effort.
        route: for each push, the cell the box is pushed from and the one it comes to.
    """

    status: str
    actions: tuple[str, ...] = ()
    pushes: int = 0
    expanded: int = 0
    route: tuple[tuple[Cell, Cell], ...] = ()

    @property
    def moves(self) -> int:
        """Number of moves, pushes among them."""
        return len(self.actions)


class _Memory:
    """Record and arrays of a search over one board, with a border of walls around it."""

    def __init__(self, board: PushBoard, room: int) -> None:
        if len(board.goals) > MOST_GOALS:
            raise PcgError(f"the board has {len(board.goals)} goals, expected at most {MOST_GOALS}")
        self.board = board
        ground = np.pad(board.ground, 2)
        self.width = int(ground.shape[1])
        cells = ground.size
        boxes, goals = len(board.boxes), len(board.goals)
        most = max(boxes, goals)
        record = self.record = Record(
            kernel.SEARCH, columns=self.width, cells=cells, boxes=boxes, goals=goals, fate=board.fate, need=board.need,
            goal_walk=int(board.goal_walk), trust=16, room=room, most=most, goal=-1,
        )  # fmt: skip
        inner = [(y + 2, x + 2) for y, x in board.goals]
        far = far_table(ground, inner)
        goal_at = np.full(cells, -1, np.int32)
        goal_cell = np.array([self.number(cell) for cell in board.goals], np.int32)
        goal_at[goal_cell] = np.arange(goals)
        live = (far < kernel.FAR).any(axis=0) if goals else np.zeros(ground.shape, bool)
        if board.need == kernel.ALL_GOALS and boxes > goals:
            live = ground != 0  # a box that is not needed may stand anywhere
        rng = np.random.default_rng(20010411)
        for name, array in {
            "ground": ground.ravel(), "goal_at": goal_at, "goal_cell": goal_cell, "far": far.ravel(),
            "live": live.ravel().astype(np.int8), "random": rng.integers(1 << 62, size=2 * cells + 64),
            "on": np.zeros(cells, np.int8), "stamp": np.zeros(cells, np.int32), "distance": np.zeros(cells, np.int32),
            "queue": np.zeros(cells, np.int32), "work": np.zeros(boxes + 1, np.int16),
            "assign": np.zeros(6 * (most + 1), np.int32), "frozen": np.zeros(cells, np.int8),
            "option": np.zeros(4 * boxes + 1, np.int32), "walk": np.zeros(4 * boxes + 1, np.int32),
            "place": np.empty(room * max(1, boxes), np.int16),
        }.items():  # fmt: skip
            record.point(name, np.ascontiguousarray(array))
        for name, kind in _NODES.items():
            record.point(name, np.empty(room, kind))
        size = 1 << max(4, (2 * room - 1).bit_length())
        record.point("table", np.zeros(size, np.int32))
        record["table_size"] = size

    def array(self, field: str) -> NDArray[Any]:
        """One of the arrays."""
        found = self.record._kept[field]
        assert isinstance(found, np.ndarray)
        return found

    def number(self, cell: Cell) -> int:
        """Number of a cell within the border."""
        return int((cell[0] + 2) * self.width + cell[1] + 2)

    def cell(self, number: int) -> Cell:
        """The cell with a number."""
        return number // self.width - 2, number % self.width - 2

    def place(self, boxes: tuple[Cell, ...]) -> None:
        """Make boxes the position to begin with."""
        self.array("work")[: len(boxes)] = sorted(self.number(cell) for cell in boxes)

    def boxes_of(self, node: int) -> tuple[Cell, ...]:
        """Cells of the boxes of a node that are on the board."""
        count = len(self.board.boxes)
        found = self.array("place")[node * count : (node + 1) * count].tolist()
        return tuple(self.cell(number) for number in found if number != kernel.GONE)


class PushSearch:
    """A search for a solution, which can be gone on with.

    Args:
        board: where to begin.
        objective: what is to be least: "pushes" or "moves".
        trust: weight of the estimate; 1: the solution is a shortest one, more: it is found sooner.
        room: positions remembered at most.
    """

    def __init__(
        self, board: PushBoard, objective: str = "pushes", trust: float = 1.0, room: int = MOST_POSITIONS
    ) -> None:
        if objective not in OBJECTIVES:
            raise PcgError(f"unknown objective `{objective}`, expected one of {', '.join(OBJECTIVES)}")
        memory = self._memory = _Memory(board, room)
        record = memory.record
        record["push_cost"], record["step_cost"] = (1, 0) if objective == "pushes" else (0, 1)
        record["trust"] = round(16 * trust)
        record["heap_room"] = 2 * room
        record.point("heap", np.empty(2 * room, np.int32))
        record.point("priority", np.empty(2 * room, np.int64))
        memory.place(board.boxes)
        self._answer = int(invoke2(kernel.begin.address, record.address, memory.number(board.avatar)))

    @property
    def expanded(self) -> int:
        """Positions whose pushes were looked at."""
        return int(self._memory.record["expanded"])

    @property
    def ended(self) -> bool:
        """True when going on would change nothing."""
        return self._answer != kernel.PAUSED

    def go_on(self, expanded: int) -> PushSolution | None:
        """Search until so many positions were looked at in all; returns the result once there is one."""
        record = self._memory.record
        record["pause_at"] = expanded
        if self._answer == kernel.PAUSED:
            self._answer = int(invoke1(kernel.search_on.address, record.address))
        if self._answer == kernel.SOLVED:
            return self._solution()
        if self._answer == kernel.PAUSED:
            return None
        decided = self._answer == kernel.EXHAUSTED and not record["full"]
        return PushSolution("unsolvable" if decided else "budget", expanded=self.expanded)

    def _solution(self) -> PushSolution:
        memory, board = self._memory, self._memory.board
        parent, pushed, ways, taken = (memory.array(name) for name in ("parent", "pushed", "way", "taken"))
        line = []
        node = int(memory.record["goal"])
        while parent[node] >= 0:
            line.append(node)
            node = int(parent[node])
        actions: list[str] = []
        route = []
        here = board.avatar
        for node in reversed(line):
            before = int(parent[node])
            box = memory.cell(int(pushed[node]))
            name, (dy, dx) = WAYS[int(ways[node])]
            used = int(taken[before])
            solid = set()
            for g, goal in enumerate(board.goals):
                gone = bool(used >> g & 1)
                if (gone and board.fate == kernel.STICKS) or (not gone and not board.goal_walk):
                    solid.add(goal)
            walks = board.steps_from(here, memory.boxes_of(before), solid)
            actions += [*walks[box[0] - dy, box[1] - dx], name]
            route.append((box, (box[0] + dy, box[1] + dx)))
            here = box
        return PushSolution("solved", tuple(actions), len(route), self.expanded, tuple(route))


def solve_pushes(
    board: PushBoard, objective: str = "pushes", *, trust: float = 1.0, max_positions: int = MOST_POSITIONS
) -> PushSolution:
    r"""Look for a solution of a pushing puzzle.

    Args:
        board: where to begin.
        objective: what is to be least: "pushes" or "moves".
        trust: weight of the estimate; 1: the solution is a shortest one, more: it is found sooner.
        max_positions: remembered at most.

    Raises:
        PcgError: for an unknown objective, or more goals than are allowed.

    >>> solution = solve_pushes(PushBoard.drawn("#######\n#@ $ .#\n#######"))
    >>> solution.status, solution.pushes, solution.moves
    ('solved', 2, 3)
    """
    found = PushSearch(board, objective, trust, max_positions).go_on(1 << 60)
    assert found is not None
    return found


class PullTable:
    """All positions of a board's walls and goals from which as many boxes can be pushed home, by playing backwards.

    Args:
        board: its walls, goals and avatar count, its boxes do not; there are as many boxes as goals.
        room: positions at most.

    Attributes:
        complete: whether there was room for all.

    Raises:
        PcgError: for a board on which boxes leave the game at a goal: what was pushed there cannot be pulled out.
    """

    def __init__(self, board: PushBoard, room: int = MOST_POSITIONS) -> None:
        if board.fate not in (kernel.STAYS, kernel.STICKS):
            raise PcgError("boxes that leave the game at a goal cannot be pulled from it")
        self.board = board.moved(board.goals, board.avatar)
        self._memory = _Memory(self.board, room)
        self._memory.record["heap_room"] = 0
        self._memory.place(board.goals)
        record = self._memory.record
        answer = int(invoke1(kernel.begin_backwards.address, record.address))
        if answer == kernel.PAUSED:
            answer = int(invoke1(kernel.search_backwards.address, record.address))
        self.complete = answer == kernel.EXHAUSTED

    @property
    def size(self) -> int:
        """Number of positions, those of avatars that can walk to one another counted once."""
        return int(self._memory.record["used"])

    @property
    def pushes(self) -> NDArray[np.int32]:
        """Fewest pushes from each position, shape (size,); ascending."""
        return self._memory.array("pushes")[: self.size]

    def position(self, node: int) -> PushBoard:
        """Return the board of a position, with the avatar where the first push has it."""
        memory = self._memory
        return self.board.moved(memory.boxes_of(node), memory.cell(int(memory.array("avatar")[node])))

    def node(self, board: PushBoard) -> int | None:
        """Return the number of a position, None where it cannot be solved, or was not met."""
        self._memory.place(board.boxes)
        number = self._memory.number(board.avatar)
        node = int(invoke2(kernel.node_of.address, self._memory.record.address, number))
        return node if node >= 0 else None

    def line(self, node: int) -> list[tuple[Cell, Cell]]:
        """Return a shortest solution: for each push, the cell the box is pushed from and the one it comes to."""
        memory = self._memory
        parent, pushed, ways = (memory.array(name) for name in ("parent", "pushed", "way"))
        found = []
        while parent[node] >= 0:
            y, x = memory.cell(int(pushed[node]))
            dy, dx = WAYS[int(ways[node])][1]
            found.append(((y, x), (y + dy, x + dx)))
            node = int(parent[node])
        return found

    def nodes_on_line(self, node: int) -> list[int]:
        """Return the positions of that solution, the first and the solved one among them."""
        parent = self._memory.array("parent")
        found = [node]
        while parent[found[-1]] >= 0:
            found.append(int(parent[found[-1]]))
        return found

    def judged_pushes(self, node: int) -> tuple[int, int, int]:
        """Return how many pushes there are at a position, how many lose, and how many are on a shortest way."""
        out = np.zeros(3, np.int32)
        invoke3(kernel.judge_pushes.address, self._memory.record.address, node, int(out.ctypes.data))
        return int(out[0]), int(out[1]), int(out[2])

    def estimate(self, node: int) -> int:
        """Return the pushes that bring the boxes home at least, each by itself, each to a goal of its own."""
        return int(invoke2(kernel.estimate_at.address, self._memory.record.address, node))
