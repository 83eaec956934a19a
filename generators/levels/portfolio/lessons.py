"""Lessons: levels with only some of the kinds of objects of a game, and fewer of each.

A course needs levels in which something new stands alone. They are made from levels that are good as they are, by
taking away whole kinds of things that the rules can do without.
"""

from __future__ import annotations

import numpy as np

from pcg.evaluators.level_grid import Grid
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.repair.by_rules import repair

FEWEST = 0.3
"""Least share of the objects of a kind that stay, if the kind is not removed altogether."""


def lesson(context: LevelContext, grid: Grid, rng: np.random.Generator) -> Grid:
    """Return a level without some kinds of objects, and with fewer of the others.

    Args:
        context: of the game.
        grid: a level; it stays as it is.
        rng: draws.
    """
    builder = LevelBuilder(context, grid.copy())
    present = [int(t) for t in np.unique(grid) if t in context.objects and t != context.filler]
    wanted = int(rng.integers(len(present) + 1))
    required = context.requirements
    for k in rng.permutation(len(present)).tolist()[wanted:]:
        without = builder.grid[builder.grid != present[k]]
        before = required.satisfaction(context.palette.count_types(builder.grid))
        if required.satisfaction(context.palette.count_types(without)) >= before:
            _remove(builder, np.argwhere(builder.grid == present[k]).tolist())
    filler = context.filler
    if filler is not None and any(context.analysis.has(c, "goal") for c in context.palette.tiles[filler].content):
        cells = np.argwhere(builder.grid == filler).tolist()
        kept = max(1, round(len(cells) * rng.random()))
        _remove(builder, [cells[k] for k in rng.permutation(len(cells)).tolist()[kept:]])
    for tile in present:
        cells = np.argwhere(builder.grid == tile).tolist()
        left = max(1, round(len(cells) * rng.uniform(FEWEST, 1.0)))
        without_some = [cells[k] for k in rng.permutation(len(cells)).tolist()[left:]]
        _remove(builder, without_some)
    repair(builder, rng)
    return builder.grid


def _remove(builder: LevelBuilder, cells: list[list[int]]) -> None:
    for y, x in cells:
        builder.remove((y, x))
