"""Repair by search: best-first over single edits, with the evaluation of levels as judge.

For what can only be found out by playing: that a level can be won, how long that takes, that it is no walk-over. The
level with the best verdict and the fewest edits is edited next (Hart, Nilsson and Raphael 1968, with a verdict in
place of a distance).
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable

import numpy as np

from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.level_grid import Grid, Mask
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.object_placement import place_object
from pcg.generators.levels.repair.by_rules import repair
from pcg.generators.levels.repair.edits import Draft

CHILDREN = 6
"""Edited levels made of a level before the next best one is looked at."""
COST_OF_EDIT = 0.01
"""Cost of an edit, taken off a score in [0, 2]."""


def meets_all_targets(evaluation: Evaluation) -> bool:
    """Return whether a level is feasible and all that is wanted."""
    return evaluation.feasible and all(v >= 1.0 for v in evaluation.targets.values())


def repair_score(evaluation: Evaluation) -> float:
    """Return the score of a level under repair, in [0, 2]: feasible counts 1, targets met up to 1."""
    met = list(evaluation.targets.values())
    share = sum(met) / len(met) if met else 1.0
    return (1.0 + share) if evaluation.feasible else 0.8 * evaluation.constraint + 0.2 * share


def search_for_repair(
    context: LevelContext, draft: Draft, starts: list[Grid], locked: Mask | None, evaluate: Callable[[str], Evaluation],
    *, rng: np.random.Generator, budget: int, deadline: float = math.inf,
) -> Grid | None:  # fmt: skip
    """A sound level near the draft, or None when the budget or the time is spent.

    Args:
        context: of the game.
        draft: the level to be repaired.
        starts: levels to set out from, beside the draft repaired by rules.
        locked: cells that stay as they are.
        evaluate: judges a level text.
        rng: draws the edits.
        budget: evaluations.
        deadline: the time (`time.monotonic`) after which no further level is looked at.
    """
    palette = context.palette
    fixed = np.zeros(draft.grid.shape, bool) if locked is None else locked & ~draft.free
    repaired = LevelBuilder(context, draft.grid.copy())
    repair(repaired, rng)
    repaired.grid[fixed] = draft.grid[fixed]
    waiting: list[tuple[float, int, Grid]] = []
    seen: set[bytes] = set()
    spent = 0

    def over() -> bool:
        return spent >= budget or time.monotonic() >= deadline

    def look(grid: Grid) -> bool:
        nonlocal spent
        key = grid.tobytes()
        if key in seen or over():
            return False
        seen.add(key)
        spent += 1
        evaluation = evaluate(palette.text(grid))
        changed = int((grid != draft.grid).sum())
        heapq.heappush(waiting, (COST_OF_EDIT * changed - repair_score(evaluation), len(seen), grid))
        return meets_all_targets(evaluation)

    for grid in [draft.grid.copy(), *starts, repaired.grid]:
        if look(grid):
            return grid
    while waiting and not over():
        rank, order, grid = heapq.heappop(waiting)
        for _ in range(CHILDREN):
            child = edited(context, grid, fixed, rng)
            if child is not None and look(child):
                return child
        # It comes up again, behind the levels that are as good: there are more edits of it than were tried.
        heapq.heappush(waiting, (rank + 0.05, order, grid))
    return None


def edited(context: LevelContext, grid: Grid, fixed: Mask, rng: np.random.Generator) -> Grid | None:
    """A level with one thing moved, put in, taken out, or a wall built or opened; None when that was not possible."""
    builder = LevelBuilder(context, grid.copy())
    palette = context.palette
    top, left, bottom, right = builder.inside()
    inner = np.zeros(grid.shape, bool)
    inner[top:bottom, left:right] = True
    things = np.isin(grid, [*context.objects, *palette.avatars]) & inner & ~fixed
    kind = int(rng.integers(4))
    cells = np.argwhere(things if kind < 2 else np.isin(grid, context.walls) & inner & ~fixed).tolist()
    if kind in (0, 1, 2):
        if not cells:
            return None
        y, x = cells[int(rng.integers(len(cells)))]
        tile = int(grid[y, x])
        builder.clear((y, x))
        if kind == 0 or tile in palette.avatars:
            free = np.argwhere(builder.free() & ~fixed).tolist()
            # Near moves are tried more often than far ones: a repaired level should stay like itself.
            weights = np.array([1.0 / (abs(a - y) + abs(b - x) + 0.5) for a, b in free])
            if not len(weights):
                return None
            a, b = free[int(rng.choice(len(free), p=weights / weights.sum()))]
            builder.put((a, b), tile)
    else:
        choices = [*context.objects] or [palette.empty]
        tile = choices[int(rng.integers(len(choices)))]
        if not place_object(builder, rng, tile):
            return None
    if (builder.grid[fixed] != grid[fixed]).any():
        return None
    return builder.grid
