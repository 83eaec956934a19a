"""Repair by rules of thumb: the frame, one avatar, the sprites that the game requires, nothing out of reach.

Used after every genetic operation (reference/generators 12.4 repairs the number of avatars only) and as the last step
of the other generators. It repairs what can be told from the text; whether a level can be won is found out by playing
it.
"""

from __future__ import annotations

import numpy as np

from pcg.generators.levels.barriers import repair_barriers
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.level_conventions import (
    avatar_line,
    clear_foreign_tiles,
    level_conventions,
    repair_frame,
    repair_lanes,
    unreachable_cells,
    unreachable_targets,
)
from pcg.generators.levels.object_counts import Counts, fit_counts, keeps_counterparts
from pcg.generators.levels.object_placement import place_avatar, place_object
from pcg.generators.levels.repair.required_sprites import add_required_sprites
from pcg.generators.levels.wall_layout import draw_wall, join_regions, tunnel


def repair(builder: LevelBuilder, rng: np.random.Generator) -> None:
    """Repair a level in place; a sound level stays as it is, and so does what is usual in the game's own levels."""
    usual = level_conventions(builder.context)
    if "frame" in usual:
        repair_frame(builder)
    if "lanes" in usual:
        repair_lanes(builder)
    repair_avatar(builder, rng)
    repair_reachability(builder, rng)
    repair_object_counts(builder, rng)
    repair_reachability(builder, rng)
    repair_barriers(builder, rng)
    if not keeps_counterparts(builder.context, _object_counts(builder)):  # a gate has gone
        repair_object_counts(builder, rng)
        repair_barriers(builder, rng)
    add_required_sprites(builder, rng)


def repair_avatar(builder: LevelBuilder, rng: np.random.Generator) -> None:
    """Leave exactly one avatar: a random one of several, a new one in place of none, moved onto its line if it keeps
    to one.
    """
    analysis = builder.context.analysis
    found = [(y, x) for y, x in np.argwhere(builder.palette.lookup(builder.palette.avatars)[builder.grid]).tolist()]
    for y, x in np.argwhere(
        builder.palette.type_counts[builder.grid][:, :, list(analysis.avatars)].sum(axis=2) > 0
    ).tolist():
        if (y, x) not in found:
            builder.clear((y, x))
    line = avatar_line(builder.context, builder) if "line" in level_conventions(builder.context) else None
    on_line = [c for c in found if line is None or c in line]
    keep = on_line[int(rng.integers(len(on_line)))] if on_line else None
    for cell in found:
        if cell != keep:
            builder.clear(cell)
    if keep is None:
        place_avatar(builder, rng)


def repair_object_counts(builder: LevelBuilder, rng: np.random.Generator) -> None:
    """Add what the requirements call for and take away what is too much."""
    context = builder.context
    objects = _object_counts(builder)
    if "objects" in level_conventions(context):
        clear_foreign_tiles(builder)
    wanted = fit_counts(context, rng, objects)
    for tile in sorted(set(wanted) | set(objects)):
        difference = wanted.get(tile, 0) - objects.get(tile, 0)
        if difference < 0:
            cells = np.argwhere(builder.grid == tile).tolist()
            for i in rng.permutation(len(cells))[:-difference].tolist():
                builder.clear((cells[i][0], cells[i][1]))
        for _ in range(difference):
            place_object(builder, rng, tile)


def _object_counts(builder: LevelBuilder) -> Counts:
    """Return the numbers of the objects in a level."""
    present = np.bincount(builder.grid.ravel(), minlength=len(builder.palette.tiles))
    return {tile: int(present[tile]) for tile in np.flatnonzero(present).tolist() if tile in builder.context.objects}


def repair_reachability(builder: LevelBuilder, rng: np.random.Generator, *, always: bool = False) -> None:
    """Bring what must be reached within reach, and fill or open the pockets nobody can enter.

    Each only where the game's own levels keep it so, or `always`.
    """
    context = builder.context
    if context.analysis.mobility != "freely" or builder.avatar is None:
        return
    pockets = bool(context.walls) and (always or "pockets" in level_conventions(context))
    if pockets and unreachable_cells(builder).any():
        _close_pockets(builder, rng)
    if always or "reach" in level_conventions(context):
        for cell in unreachable_targets(builder):
            tile = int(builder.grid[cell])
            if tile in context.required_tiles:
                builder.clear(cell)
                place_object(builder, rng, tile)
    if pockets and not context.has_portals and unreachable_cells(builder).any():
        join_regions(builder, rng)


def _close_pockets(builder: LevelBuilder, rng: np.random.Generator) -> None:
    """Wall up small regions out of reach (their contents go), join the larger ones to the rest."""
    context = builder.context
    steps = builder.distances_through_gates()
    wall = draw_wall(context, rng)
    large = False
    for region in builder.regions():
        if any(steps[c] >= 0 for c in region):
            continue
        holds = any(int(builder.grid[c]) in context.required_tiles for c in region)
        if wall is not None and (len(region) < 4 or (context.has_portals and not holds and len(region) < 9)):
            for cell in region:
                builder.put(cell, wall)
        else:
            large = True
    if large:
        _join_to_avatar(builder)


def _join_to_avatar(builder: LevelBuilder) -> None:
    """Open a way from the avatar's region to every region out of reach."""
    for _ in range(8):
        steps = builder.distances_through_gates()
        beyond = [r for r in builder.regions() if all(steps[c] < 0 for c in r)]
        if not beyond:
            return
        reached = [(y, x) for y, x in np.argwhere((steps >= 0) & builder.walkable()).tolist()]
        if not reached:
            return
        tunnel(builder, beyond[0], reached)
        builder.invalidate()
