"""Difficulty of pushing puzzles: what makes one worth solving, in numbers and sentences.

Length alone is work. What makes people think is that boxes must first go where they do not belong, that pushes which
look right lose, and that boxes get in one another's way (Jarusek and Pelanek, Human problem solving: Sokoban case
study, 2010; Kartal, Sohre and Guy, Data-driven Sokoban puzzle generation, 2016).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from pcg.evaluators.pushing.assignment import least_total
from pcg.evaluators.pushing.board import Cell, PushBoard, far_table
from pcg.evaluators.pushing.kernel import FAR
from pcg.evaluators.pushing.solver import PullTable, solve_pushes

MOST_POSITIONS = 400_000
"""Positions that are looked at for one puzzle at most."""


@dataclass(frozen=True)
class Difficulty:
    """Measures of one puzzle; None for what was not found out within the positions allowed.

    Attributes:
        pushes: fewest pushes that solve it.
        moves: fewest moves that do.
        effort: positions that the search for the fewest pushes looks at.
        detour: pushes beyond what bringing each box home by itself would take.
        away: pushes of a shortest solution that take a box further from every goal it could go to.
        off_goal: pushes of it that take a box off a goal.
        changes: how often it turns from one box to another.
        dead_ends: share of the pushes there are along it that lose, in [0, 1].
        forced: share of its pushes to which there is no equal, in [0, 1]: the order is the only one where it is 1.
        idle_boxes: boxes that it does not push.
    """

    pushes: int
    moves: int | None
    effort: int
    detour: int
    away: int
    off_goal: int
    changes: int
    dead_ends: float | None
    forced: float | None
    idle_boxes: int

    def sentences(self) -> list[str]:
        """The measures in words.

        >>> Difficulty(30, 80, 500, 12, 5, 1, 7, 0.25, 0.5, 0).sentences()[1]
        'It takes 12 pushes more than bringing each box home by itself: 5 take a box away from its goals, 1 off a goal.'
        """
        moves = f" and {self.moves} moves" if self.moves is not None else ""
        found = [
            f"It takes {self.pushes} pushes{moves} at least; the search for them looks at {self.effort} positions.",
            f"It takes {self.detour} pushes more than bringing each box home by itself: {self.away} take a box away "
            f"from its goals, {self.off_goal} off a goal.",
            f"It turns from one box to another {self.changes} times.",
        ]
        if self.dead_ends is not None and self.forced is not None:
            found.append(
                f"Of the pushes on the way {self.dead_ends:.0%} can never be made good; {self.forced:.0%} of the right "
                "ones are the only right ones."
            )
        if self.idle_boxes:
            found.append(f"{self.idle_boxes} of its boxes need no push.")
        return found


@dataclass(frozen=True)
class RouteMeasures:
    """Measures of the pushes of a solution; see `Difficulty`."""

    away: int
    off_goal: int
    changes: int
    idle_boxes: int


def route_measures(board: PushBoard, route: Sequence[tuple[Cell, Cell]]) -> RouteMeasures:
    """Return what the pushes of a solution are like.

    Args:
        board: where it begins.
        route: for each push, the cell the box is pushed from and the one it comes to.
    """
    far = far_table(board.ground, board.goals)
    nearest = far.min(axis=0) if len(board.goals) else None
    which = {cell: k for k, cell in enumerate(board.boxes)}
    moved: list[int] = []
    away = off_goal = 0
    for start, end in route:
        box = which.pop(start)
        which[end] = box
        moved.append(box)
        if nearest is not None and nearest[start] < nearest[end] < FAR:
            away += 1
        off_goal += start in board.goals
    changes = sum(one != other for one, other in pairwise(moved))
    return RouteMeasures(away, off_goal, changes, len(board.boxes) - len(set(moved)))


def difficulty(board: PushBoard, room: int = MOST_POSITIONS, table: PullTable | None = None) -> Difficulty | None:
    r"""Measure a puzzle.

    Args:
        board: it; outside it are walls.
        room: positions looked at for each of its measures at most.
        table: of the board's walls and goals, where it is known already.

    Returns:
        The measures, None when it was not solved within the positions allowed.

    >>> found = difficulty(PushBoard.drawn("#######\n#@ $ .#\n#     #\n#######"))
    >>> found.pushes, found.detour, found.forced
    (2, 0, 1.0)
    """
    best = solve_pushes(board, max_positions=room)
    if best.status != "solved":
        return None
    moves = solve_pushes(board, "moves", max_positions=room)
    route = route_measures(board, best.route)
    detour = best.pushes - _alone(board)
    dead_ends = forced = None
    if board.fate in (0, 3) and len(board.boxes) == len(board.goals):
        table = table or PullTable(board, room)
        node = table.node(board) if table.complete else None
        if node is not None:
            dead_ends, forced = choices(table, node)
    return Difficulty(
        best.pushes, moves.moves if moves.status == "solved" else None, best.expanded, detour, route.away,
        route.off_goal, route.changes, dead_ends, forced, route.idle_boxes,
    )  # fmt: skip


def choices(table: PullTable, node: int) -> tuple[float, float]:
    """Return the share of pushes along a shortest solution that lose, and that of its pushes that are the only best.

    Args:
        table: of a puzzle's walls and goals.
        node: its position there.
    """
    judged = [table.judged_pushes(here) for here in table.nodes_on_line(node)[:-1]]
    pushes, lose = sum(j[0] for j in judged), sum(j[1] for j in judged)
    only = sum(j[2] == 1 for j in judged)
    return (lose / pushes if pushes else 0.0), (only / len(judged) if judged else 1.0)


def _alone(board: PushBoard) -> int:
    """Pushes that bring the boxes home at least, each by itself."""
    far = far_table(board.ground, board.goals)
    price = far[:, [y for y, _ in board.boxes], [x for _, x in board.boxes]]
    if board.fate == 1:
        return int(price.min(axis=0).sum())
    return least_total(price.tolist())
