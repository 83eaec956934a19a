"""Repair as optimisation: the level that keeps all constraints and differs from the given one in as little as possible.

Of the repairs with equally few edits it is the one that puts in the least: bare ground where that will do.

As in Cooper and Sarkar's pathfinding repair (2020) and Zhang et al.'s repair by mixed-integer programming (2020), here
by answer-set programming (extra `asp`): edits are minimised subject to what the rules call for and what is wanted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.level_grid import Grid, Mask
from pcg.generators.levels.asp.clingo_solver import Limits, OutOfTimeError
from pcg.generators.levels.asp.constraints import LevelConstraints, build_problem
from pcg.generators.levels.asp.problem import Problem
from pcg.generators.levels.asp.search import Found, SolverCheck, find
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.repair.edits import Draft, Judge

COST_OF_THING = 2
"""Cost of changing a cell in which a thing stands; bare ground and walls cost 1."""


PUT_WALL, PUT_THING = 1, 2
"""Costs that break ties between repairs: of each new wall and each new thing; bare ground costs nothing."""
UNTRIED = "there was no time to try without it"
"""Reason given when the time to look for one has run out."""


def solve_for_repair(
    context: LevelContext,
    draft: Draft,
    level_constraints: LevelConstraints,
    locked: Mask | None,
    *,
    seed: int,
    limits: Limits,
) -> tuple[Found, Judge]:
    """The cheapest repair of a level, and a judge that tells which constraints a level breaks.

    The limits are those of the repair and of all that is asked of the judge, together.

    Raises:
        PcgError: clingo is not installed, the aims do not suit the game, or no repair exists (`ClashError`, which
            names the constraints) or is found in time (`OutOfTimeError`).
    """
    problem = repair_problem(context, draft, replace(level_constraints, polish=False, lenient=True), locked)
    limits = limits.started()
    cost = []
    for tile in sorted(set().union(*(problem.allowed(place) for place in np.ndindex(problem.shape)))):
        if tile not in context.palette.grounds:
            plain = tile in context.walls or tile == context.filler
            cost.append(f"put({tile},{PUT_WALL if plain else PUT_THING}).")
    for y, x in np.ndindex(draft.grid.shape):
        if draft.unreadable[y, x] or draft.free[y, x]:
            continue
        tile = int(draft.grid[y, x])
        bare = tile in context.palette.grounds or tile in context.walls or tile == context.filler
        cost.append(f"was({problem.cell((y, x))},{tile},{1 if bare else COST_OF_THING}).")
    cost.append("#minimize { W@2,C : was(C,T,W), not at(C,T) }.")
    cost.append("#minimize { P@1,C : at(C,T), put(T,P), not was(C,T,1), not was(C,T,2) }.")
    found = find(problem, seed=seed, limits=limits, extra=" ".join(cost), options=("--opt-strategy=usc",))
    check = SolverCheck(problem, seed=seed, limits=limits)

    def judge(grid: Grid) -> Sequence[str]:
        try:
            return check.broken(grid)
        except OutOfTimeError:
            return [UNTRIED]

    return found, judge


def repair_problem(
    context: LevelContext, draft: Draft, level_constraints: LevelConstraints, locked: Mask | None
) -> Problem:
    """The constraints of a sound level of the draft's size, in which every tile of the game may be used."""
    height, width = draft.grid.shape
    if min(height, width) < 2:
        raise PcgError(f"a level of {width} x {height} cells is too small to repair: expected at least 2 x 2")
    palette = context.palette
    movers = {m for lane in context.lanes for m in lane.movers}
    tiles = {*context.objects, *palette.grounds, palette.avatars[0], *movers, *np.unique(draft.grid).tolist()}
    tiles |= {context.filler} if context.filler is not None else set()
    tiles |= {palette.wall} if palette.wall is not None else set()
    problem = build_problem(context, (height, width), level_constraints, tiles)
    for y, x in np.ndindex(draft.grid.shape):
        tile = int(draft.grid[y, x])
        if not draft.unreadable[y, x] and not draft.free[y, x] and not _hole(context, problem, (y, x), tile):
            problem.admit((y, x), tile)
    if locked is not None:
        cells = {(y, x): int(draft.grid[y, x]) for y, x in np.argwhere(locked & ~draft.free).tolist()}
        problem.locked(cells)
    return problem


def _hole(context: LevelContext, problem: Problem, place: tuple[int, int], tile: int) -> bool:
    """Return whether a tile that is not meant for the frame leaves it open."""
    return place in problem.frame and context.palette.access[tile] <= 1
