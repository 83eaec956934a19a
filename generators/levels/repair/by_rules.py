"""Making a damaged level sound again: its frame, one avatar, the sprites its rules call for, nothing out of reach.

Used after every genetic operation (spec 04 section 2.4 repairs the number of avatars only) and as the last step of
the other generators. It mends what can be told from the text; whether a level can be won is found out by playing it.
"""

from __future__ import annotations

import numpy as np

from pcg.generators.levels.level_builder import Site
from pcg.generators.levels.level_conventions import (
    avatar_line,
    clear_foreign_tiles,
    level_conventions,
    repair_frame,
    repair_lanes,
    unreachable_cells,
    unreachable_targets,
)
from pcg.generators.levels.object_counts import fit
from pcg.generators.levels.object_placement import place, place_avatar
from pcg.generators.levels.repair.required_sprites import add_required_sprites
from pcg.generators.levels.wall_layout import draw_wall, join_regions, tunnel


def repair(site: Site, rng: np.random.Generator) -> None:
    """Mend a level in place; a sound level stays as it is, and so does what is usual in the game's own levels."""
    usual = level_conventions(site.context)
    if "frame" in usual:
        repair_frame(site)
    if "lanes" in usual:
        repair_lanes(site)
    repair_avatar(site, rng)
    repair_reachability(site, rng)
    repair_object_counts(site, rng)
    repair_reachability(site, rng)
    add_required_sprites(site, rng)


def repair_avatar(site: Site, rng: np.random.Generator) -> None:
    """Leave exactly one avatar: a random one of several, a new one in place of none, moved onto its line if it keeps
    to one.
    """
    analysis = site.context.analysis
    found = [(y, x) for y, x in np.argwhere(np.isin(site.grid, site.palette.avatars)).tolist()]
    for y, x in np.argwhere(site.palette.type_counts[site.grid][:, :, list(analysis.avatars)].sum(axis=2) > 0).tolist():
        if (y, x) not in found:
            site.clear((y, x))
    line = avatar_line(site.context, site) if "line" in level_conventions(site.context) else None
    on_line = [c for c in found if line is None or c in line]
    keep = on_line[int(rng.integers(len(on_line)))] if on_line else None
    for cell in found:
        if cell != keep:
            site.clear(cell)
    if keep is None:
        place_avatar(site, rng)


def repair_object_counts(site: Site, rng: np.random.Generator) -> None:
    """Add what the requirements call for and take away what is too much."""
    context = site.context
    present = np.bincount(site.grid.ravel(), minlength=len(context.palette.tiles))
    counts = {int(t): int(present[t]) for t in np.flatnonzero(present)}
    objects = {t: n for t, n in counts.items() if t in context.objects}
    if "objects" in level_conventions(context):
        clear_foreign_tiles(site)
    wanted = fit(context, rng, objects)
    for tile in sorted(set(wanted) | set(objects)):
        difference = wanted.get(tile, 0) - objects.get(tile, 0)
        if difference < 0:
            cells = np.argwhere(site.grid == tile).tolist()
            for i in rng.permutation(len(cells))[:-difference].tolist():
                site.clear((cells[i][0], cells[i][1]))
        for _ in range(difference):
            place(site, rng, tile)


def repair_reachability(site: Site, rng: np.random.Generator, *, always: bool = False) -> None:
    """Bring what must be reached within reach, and fill or open the pockets nobody can enter.

    Each only where the game's own levels keep it so, or `always`.
    """
    context = site.context
    if context.analysis.mobility != "freely" or site.avatar is None:
        return
    pockets = bool(context.walls) and (always or "pockets" in level_conventions(context))
    if pockets and unreachable_cells(site).any():
        _close_pockets(site, rng)
    if always or "reach" in level_conventions(context):
        for cell in unreachable_targets(site):
            tile = int(site.grid[cell])
            if tile in context.targets:
                site.clear(cell)
                place(site, rng, tile)
    if pockets and not context.links_closed_rooms and unreachable_cells(site).any():
        join_regions(site, rng)


def _close_pockets(site: Site, rng: np.random.Generator) -> None:
    """Wall up small regions out of reach (their contents go), join the larger ones to the rest."""
    context = site.context
    steps = site.distances()
    wall = draw_wall(context, rng)
    large = False
    for region in site.regions():
        if any(steps[c] >= 0 for c in region):
            continue
        holds = any(int(site.grid[c]) in context.targets for c in region)
        if wall is not None and (len(region) < 4 or (context.links_closed_rooms and not holds and len(region) < 9)):
            for cell in region:
                site.put(cell, wall)
        else:
            large = True
    if large:
        _join_to_avatar(site, rng)


def _join_to_avatar(site: Site, rng: np.random.Generator) -> None:
    """Open a way from the avatar's region to every region out of reach."""
    for _ in range(8):
        steps = site.distances()
        beyond = [r for r in site.regions() if all(steps[c] < 0 for c in r)]
        if not beyond:
            return
        reached = [(y, x) for y, x in np.argwhere((steps >= 0) & site.walkable()).tolist()]
        if not reached:
            return
        tunnel(site, beyond[0], reached)
        site.touch()
