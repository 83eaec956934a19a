"""Completion of a level that a person has begun, in several ways: locked cells stay, the rest is filled in.

For mixed-initiative tools (Liapis, Yannakakis and Togelius, Sentient Sketchbook, 2013). With clingo each completion
keeps all constraints; without it, sketches are repaired until what can be seen without playing is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.level_grid import Grid, Mask
from pcg.evaluators.target_parsing import resolve_targets
from pcg.evaluators.targets import Target, sprites_of
from pcg.generators.levels.constructive.generator import construct, draw_style
from pcg.generators.levels.constructive_completion import LockedLevelBuilder
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.object_placement import place_object
from pcg.generators.levels.repair.by_rules import repair
from pcg.generators.levels.repair.edits import Draft, faults, read_draft

TRIES = 30
"""Sketches repaired for one completion before none is given."""
SECONDS = 10.0


def complete(
    context: LevelContext, partial: str, locked: Mask | None, rng: np.random.Generator,
    targets: str | Sequence[Target] = (), *, count: int = 3, use_solver: bool | None = None, seconds: float = SECONDS,
) -> tuple[str, ...]:  # fmt: skip
    """Completions of a partial level.

    Args:
        context: of the game.
        partial: level text; `?` (and whatever is no tile of the game) stands for a cell to be filled in.
        locked: cells that stay as they are, shape (rows, columns); None locks all that are not left open. Cells neither
            locked nor open may change, but are tried first as they are.
        rng: draws everything; equal states give equal completions.
        targets: what the level is to be like.
        count: completions asked for; there may be fewer when the locked cells leave no more.
        use_solver: whether to use clingo; None where it is installed.
        seconds: what the solver may take for each.

    Returns:
        Different level texts, at least one.

    Raises:
        PcgError: for bad input; when nothing completes the level, with the reason (the solver names what clashes).
    """
    targets = resolve_targets(targets, context.analysis)
    draft = read_draft(context.palette, partial)
    open_cells = draft.free | draft.unreadable
    if locked is not None and locked.shape != draft.grid.shape:
        raise PcgError(f"locked cells have the shape {locked.shape}, expected {draft.grid.shape} as the level")
    fixed = ~open_cells if locked is None else locked & ~open_cells
    if use_solver is None:
        from pcg.generators.levels.asp.clingo_solver import has_clingo

        use_solver = has_clingo()
    found: list[str] = []
    reason = "too few cells are left open"
    for _ in range(2 * count):
        if len(found) == count:
            break
        base = _merged(context, draft, open_cells, rng)
        if use_solver:
            try:
                grid: Grid | None = _solved(context, draft, base, fixed, targets, rng, seconds)
            except PcgError:
                if found:
                    break
                raise
        else:
            grid, reason = _mended(context, draft, fixed, open_cells, targets, rng)
        if grid is not None:
            text = context.palette.text(grid)
            if text not in found:
                found.append(text)
    if not found:
        raise PcgError(f"no completion was found: {reason}")
    return tuple(found)


def _merged(context: LevelContext, draft: Draft, open_cells: Mask, rng: np.random.Generator) -> Grid:
    """A sketch with what is given laid over it."""
    height, width = draft.grid.shape
    builder = LevelBuilder.blank(context, width, height)
    construct(builder, rng, draw_style(context, rng), context.wall_share)
    grid = np.where(open_cells, builder.grid, draft.grid).astype(np.int16)
    palette = context.palette
    given = np.isin(draft.grid, palette.avatars) & ~open_cells
    if given.any():
        extra = np.isin(grid, palette.avatars) & open_cells
        grid[extra] = np.array(context.ground_under, np.int16)[grid[extra]]
    return grid


def _solved(
    context: LevelContext, draft: Draft, base: Grid, fixed: Mask, targets: tuple[Target, ...], rng: np.random.Generator,
    seconds: float,
) -> Grid:  # fmt: skip
    from pcg.generators.levels.asp.clingo_solver import Limits
    from pcg.generators.levels.asp.constraints import LevelConstraints
    from pcg.generators.levels.asp.generator import FOLLOW_SKETCH
    from pcg.generators.levels.asp.search import find, hints
    from pcg.generators.levels.repair.by_solver import repair_problem

    settings = {
        "max_moves": 0, "min_moves": 0, "min_path": 0, "max_path": 0, "symmetry": "none", "pockets": True,
        "keys_first": True,
    }  # fmt: skip
    level_constraints = LevelConstraints.of(settings, targets)
    filled = replace(draft, grid=base, free=np.zeros(base.shape, bool), unreadable=np.zeros(base.shape, bool))
    problem = repair_problem(context, filled, level_constraints, fixed)
    seed = int(rng.integers(2**31))
    found = find(problem, seed=seed, limits=Limits(seconds), extra=hints(problem, base, rng), options=FOLLOW_SKETCH)
    return found.grid


def _mended(
    context: LevelContext, draft: Draft, fixed: Mask, open_cells: Mask, targets: tuple[Target, ...],
    rng: np.random.Generator,
) -> tuple[Grid | None, str]:  # fmt: skip
    """A repaired sketch that keeps the locked cells and in which nothing is seen to be wrong, or None and what was."""
    reason = ""
    for _ in range(TRIES):
        builder = LockedLevelBuilder(context, _merged(context, draft, open_cells, rng), fixed)
        repair(builder, rng)
        for target in targets:
            _aim(builder, rng, target, fixed)
        wrong = faults(context, builder.grid)
        counts = context.palette.count_types(builder.grid)
        for target in targets:
            types = sprites_of(target.name, context.analysis)
            if types is not None and not target.achieved(sum(counts.get(t, 0) for t in types)):
                wrong.append(f"missed: {target}")
        if not wrong:
            return builder.grid, ""
        reason = "; ".join(wrong)
    return None, reason


def _aim(builder: LevelBuilder, rng: np.random.Generator, target: Target, fixed: Mask) -> None:
    """Put in or take out sprites until there are as many as wanted, as far as there is room."""
    context = builder.context
    types = sprites_of(target.name, context.analysis)
    if types is None:
        return
    tiles = sorted({t for s in types for t in context.palette.by_type.get(s, ())[:1] if t in context.objects})
    weights = context.palette.type_counts[:, sorted(types)].sum(axis=1)
    for _ in range(builder.grid.size):
        present = int(weights[builder.grid].sum())
        if present < target.low and tiles:
            if not place_object(builder, rng, tiles[int(rng.integers(len(tiles)))]):
                return
        elif present > target.high:
            cells = np.argwhere(np.isin(builder.grid, context.objects) & (weights[builder.grid] > 0) & ~fixed).tolist()
            if not cells:
                return
            y, x = cells[int(rng.integers(len(cells)))]
            builder.clear((y, x))
        else:
            return
