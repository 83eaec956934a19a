"""Search for a puzzle worth solving: the best start in a layout, the best layout, and what can be left out of it.

All positions from which the boxes can be pushed home are met by playing backwards, so that the hardest are known and
not guessed. What is hard is more than far from the end: boxes that must first go where they do not belong, that get in
one another's way, that must leave a goal again (see `evaluators.pushing.difficulty`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pcg.evaluators.pushing import BoxRules, PullTable, PushBoard, PushSolution, solve_pushes
from pcg.evaluators.pushing.board import Cell
from pcg.evaluators.pushing.difficulty import route_measures
from pcg.evaluators.pushing.kernel import FILLS, ROOM, SINKS, WALK
from pcg.generators.levels.puzzle.layouts import Layout, changed, draw_layout

POSITIONS = 20_000
"""Positions of a layout that are met at most; one with more is not used: what is roomy is tedious rather than deep."""
SOLVING = 60_000
"""Positions that a search for a solution remembers at most."""
DRAWN = 48
"""Positions of a layout that are rated by what the table says, of those that are far from the end."""
SOLVED = 2
"""The best rated of them, which are solved and measured."""
FAR_FROM_END = 0.75
"""Share of the most pushes of a layout that a start has at least."""
LONG = 60
"""Pushes from which on more count for nothing: they would be walking."""

EFFORT_KEPT = 0.9
"""Share of the search effort that is left, at least, when a puzzle is simplified: traps are not taken out."""


@dataclass(frozen=True)
class Puzzle:
    """A puzzle and what makes it hard.

    Attributes:
        board: where it begins.
        solution: with the fewest pushes.
        value: worth for comparisons among puzzles of one size.
    """

    board: PushBoard
    solution: PushSolution
    value: float


def start_of(board: PushBoard, kind: BoxRules) -> PushBoard:
    """Return a board of Sokoban with what its boxes do in a game."""
    return replace(board, fate=kind.fate, need=kind.need, goal_walk=kind.goal_walk)


def puzzle_of(board: PushBoard, tangle: float | None = None) -> Puzzle | None:
    """Return a board as a puzzle; None where it has no solution, or not every box is needed.

    Args:
        board: where it begins.
        tangle: pushes beyond what each box would take by itself, where they are known.
    """
    solution = solve_pushes(board, max_positions=SOLVING)
    if solution.status != "solved":
        return None
    route = route_measures(board, solution.route)
    if route.idle_boxes:
        return None
    extra = 0.0 if tangle is None else tangle
    work = min(solution.pushes, LONG)
    # in logarithms, for the positions of a search multiply with every box
    effort = float(np.log2(1.0 + solution.expanded))
    value = 0.5 * work + 1.0 * extra + 0.5 * route.away + 1.0 * route.changes + 2.0 * route.off_goal + 2.0 * effort
    return Puzzle(board, solution, value)


def best_start(layout: Layout, kind: BoxRules, rng: np.random.Generator) -> Puzzle | None:
    """Return the best puzzle with the walls and goals of a layout, None without any.

    Args:
        layout: walls and goals.
        kind: of the boxes.
        rng: draws what is looked at.
    """
    played = layout.board() if kind.fate in (SINKS, FILLS) else start_of(layout.board(), kind)
    table = PullTable(replace(played, need=0), POSITIONS)
    if not table.complete:
        return None
    pushes = table.pushes
    most = int(pushes[-1]) if pushes.size else 0
    if most < 2 * len(layout.goals):
        return None
    first = int(np.searchsorted(pushes, int(FAR_FROM_END * most)))
    among = first + rng.permutation(pushes.size - first)
    looked: list[tuple[float, int]] = []
    for node in among[:DRAWN].tolist():
        board = table.position(node)
        if set(board.boxes) & set(layout.goals) or board.avatar in layout.goals:
            continue
        extra = float(int(pushes[node]) - table.estimate(node))
        looked.append((0.5 * min(int(pushes[node]), LONG) + extra, node))
    looked.sort(key=lambda one: (-one[0], one[1]))
    best: Puzzle | None = None
    for value, node in looked[:SOLVED]:
        tangle = value - 0.5 * min(int(pushes[node]), LONG)
        found = puzzle_of(start_of(table.position(node), kind), tangle)
        if found is not None and (best is None or found.value > best.value):
            best = found
    return best


def search_puzzle(
    kind: BoxRules, rng: np.random.Generator, height: int, width: int, boxes: int, tries: int
) -> Puzzle | None:
    """Look for a hard puzzle by changes of a layout that make it no easier.

    Args:
        kind: of the boxes.
        rng: draws.
        height: of the level, with its frame.
        width: of the level.
        boxes: how many.
        tries: layouts that are looked at.

    Returns:
        The puzzle, None where none was met.
    """
    best: Puzzle | None = None
    layout: Layout | None = None
    for k in range(tries):
        if best is None or layout is None or k < tries // 8:
            tried = draw_layout(rng, height, width, boxes)
        else:
            tried = changed(rng, layout)
        if tried is None:
            continue
        found = best_start(tried, kind, rng)
        if found is not None and (best is None or found.value >= best.value):
            best, layout = found, tried
    return best


# --- simplification --------------------------------------------------------------------------------------------------


def simplified(puzzle: Puzzle) -> Puzzle:
    """Return a puzzle without what neither its solution nor a wrong try needs.

    Floor becomes wall, and a free-standing wall floor, where that neither changes the fewest pushes nor makes the
    search for them much shorter.
    """
    best = puzzle
    least = int(EFFORT_KEPT * puzzle.solution.expanded)
    for cell in sorted(puzzle.board.floor - _used(puzzle)):
        ground = best.board.ground.copy()
        ground[cell] = 0
        best = _with_ground(best, ground, least)
    for cell in _islands(best.board):
        ground = best.board.ground.copy()
        ground[cell] = WALK | ROOM
        best = _with_ground(best, ground, least)
    return best


def _with_ground(puzzle: Puzzle, ground: NDArray[np.int8], least: int) -> Puzzle:
    """Return the puzzle with other ground, unless that makes it another one, or the search shorter than `least`."""
    board = replace(puzzle.board, ground=ground)
    solution = solve_pushes(board, max_positions=SOLVING)
    same = solution.status == "solved" and solution.pushes == puzzle.solution.pushes
    if not same or solution.expanded < least:
        return puzzle
    return replace(puzzle, board=board, solution=solution)


def _used(puzzle: Puzzle) -> set[Cell]:
    """Cells that the solution goes over, and on which things stand."""
    board = puzzle.board
    used = {*board.boxes, *board.goals, board.avatar}
    y, x = board.avatar
    steps = {"UP": (-1, 0), "DOWN": (1, 0), "LEFT": (0, -1), "RIGHT": (0, 1)}
    for action in puzzle.solution.actions:
        dy, dx = steps[action]
        y, x = y + dy, x + dx
        used |= {(y, x)}
    return used | {end for _, end in puzzle.solution.route}


def _islands(board: PushBoard) -> list[Cell]:
    """Walls with floor on all four sides."""
    ground = board.ground != 0
    inner = ~ground[1:-1, 1:-1] & ground[:-2, 1:-1] & ground[2:, 1:-1] & ground[1:-1, :-2] & ground[1:-1, 2:]
    return [(int(y) + 1, int(x) + 1) for y, x in np.argwhere(inner)]
