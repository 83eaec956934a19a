"""Making a damaged level sound again: its frame, one avatar, the sprites its rules call for, nothing out of reach.

Used after every genetic operation (reference/generators 12.4 repairs the number of avatars only) and as the last step
of the other generators. It mends what can be told from the text; whether a level can be won is found out by playing it.
"""

from __future__ import annotations

import numpy as np

from pcg.evaluators.level_grid import GATE, Grid, Mask
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.level_builder import Site
from pcg.generators.levels.object_counts import fit
from pcg.generators.levels.object_placement import place, place_avatar
from pcg.generators.levels.repair.required_sprites import meet_needs
from pcg.generators.levels.wall_layout import draw_wall, join_regions, tunnel


def repair(site: Site, rng: np.random.Generator) -> None:
    """Mend a level in place; a sound level stays as it is, and so does what is usual in the game's own levels."""
    usual = site.context.customs
    if "frame" in usual:
        mend_frame(site)
    if "lanes" in usual:
        mend_lanes(site)
    mend_avatar(site, rng)
    mend_reach(site, rng)
    mend_counts(site, rng)
    mend_reach(site, rng)
    meet_needs(site, rng)


def customs(context: LevelContext) -> frozenset[str]:
    """The rules of thumb that a game's own levels keep: "frame", "lanes", "line", "pockets", "reach", "objects".

    A rule that would change most of them is none of this game's: its frames have gaps, its avatar starts anywhere,
    what it collects lies behind walls that will fall. Games without levels of their own keep all rules.
    """

    def changed(rule: str, grid: Grid) -> bool:
        site = Site(context, grid.copy())
        if rule == "frame":
            mend_frame(site)
        elif rule == "lanes":
            mend_lanes(site)
        elif rule == "line":
            line = _line(context, site)
            return line is not None and site.avatar is not None and site.avatar not in line
        elif rule == "pockets":
            return bool(_pockets(site).any())
        elif rule == "reach":
            return bool(_lost(site))
        else:
            _clear_strange(site)
        return bool((site.grid != grid).any())

    rules = ("frame", "lanes", "line", "pockets", "reach", "objects")
    return frozenset(r for r in rules if 2 * sum(changed(r, g) for g in context.examples) <= len(context.examples))


def mend_frame(site: Site) -> None:
    """Restore the frame except where a door stands in it."""
    height, width = site.grid.shape
    corners = {(0, 0), (0, width - 1), (height - 1, 0), (height - 1, width - 1)}
    for cell, tile in site.frame_cells().items():
        door = site.palette.access[site.grid[cell]] == GATE and cell not in corners
        if site.grid[cell] != tile and not door:
            site.put(cell, tile)


def mend_lanes(site: Site) -> None:
    """Make every row (or column) that is mostly road a road from end to end, and every other one free of road and
    traffic.
    """
    context = site.context
    if not context.lanes:
        return
    horizontal = context.lanes[0].horizontal
    grid = site.grid if horizontal else site.grid.T
    top, left, bottom, right = site.inside()
    first, last, start, end = (top, bottom, left, right) if horizontal else (left, right, top, bottom)
    grounds = [lane.ground for lane in context.lanes]
    traffic = {m for lane in context.lanes for m in lane.movers}
    under = np.array(context.ground_under)
    for row in range(first, last):
        part = grid[row, start:end]
        standing = under[part]
        on_road = np.isin(standing, grounds)
        if 2 * int(on_road.sum()) > len(part):
            ground = int(np.bincount(standing[on_road]).argmax())
            part[standing != ground] = ground
            _thin_traffic(part, sorted(traffic), ground)
        else:
            part[on_road] = context.palette.empty
    site.touch()


def _thin_traffic(row: np.ndarray[tuple[int, ...], np.dtype[np.int16]], traffic: list[int], ground: int) -> None:
    """Leave one kind of mover in a lane, the most frequent, so that none runs into another; and gaps of at least two
    cells.
    """
    counts = np.bincount(row, minlength=max(traffic) + 1)[traffic]
    if not counts.any():
        return
    kept = traffic[int(counts.argmax())]
    row[np.isin(row, traffic) & (row != kept)] = ground
    last = -3
    for x in np.flatnonzero(row == kept).tolist():
        if x - last < 3:
            row[x] = ground
        else:
            last = x


def mend_avatar(site: Site, rng: np.random.Generator) -> None:
    """Leave exactly one avatar: a random one of several, a new one in place of none, moved onto its line if it keeps
    to one.
    """
    analysis = site.context.analysis
    found = [(y, x) for y, x in np.argwhere(np.isin(site.grid, site.palette.avatars)).tolist()]
    for y, x in np.argwhere(site.palette.type_counts[site.grid][:, :, list(analysis.avatars)].sum(axis=2) > 0).tolist():
        if (y, x) not in found:
            site.clear((y, x))
    line = _line(site.context, site) if "line" in site.context.customs else None
    on_line = [c for c in found if line is None or c in line]
    keep = on_line[int(rng.integers(len(on_line)))] if on_line else None
    for cell in found:
        if cell != keep:
            site.clear(cell)
    if keep is None:
        place_avatar(site, rng)


def _line(context: LevelContext, site: Site) -> set[tuple[int, int]] | None:
    """The cells an avatar that keeps to a line may start on; None if it may start anywhere."""
    top, left, bottom, right = site.inside()
    side = context.analysis.avatar_side
    if side is None:
        return None
    if side in ("top", "bottom"):
        row = top if side == "top" else bottom - 1
        return {(row, x) for x in range(left, right)}
    column = left if side == "left" else right - 1
    return {(y, column) for y in range(top, bottom)}


def mend_counts(site: Site, rng: np.random.Generator) -> None:
    """Add what the requirements call for and take away what is too much."""
    context = site.context
    present = np.bincount(site.grid.ravel(), minlength=len(context.palette.tiles))
    counts = {int(t): int(present[t]) for t in np.flatnonzero(present)}
    objects = {t: n for t, n in counts.items() if t in context.objects}
    if "objects" in context.customs:
        _clear_strange(site)
    wanted = fit(context, rng, objects)
    for tile in sorted(set(wanted) | set(objects)):
        difference = wanted.get(tile, 0) - objects.get(tile, 0)
        if difference < 0:
            cells = np.argwhere(site.grid == tile).tolist()
            for i in rng.permutation(len(cells))[:-difference].tolist():
                site.clear((cells[i][0], cells[i][1]))
        for _ in range(difference):
            place(site, rng, tile)


def _clear_strange(site: Site) -> None:
    """Take away what was never meant to be in a level: an avatar's own shots, say."""
    context = site.context
    traffic = {m for lane in context.lanes for m in lane.movers}
    known = {*context.objects, *context.walls, *context.palette.avatars, *context.palette.grounds, *traffic}
    known |= {tile for tile in (*context.frame, context.filler) if tile is not None}
    for tile in np.unique(site.grid).tolist():
        if tile not in known:
            for y, x in np.argwhere(site.grid == tile).tolist():
                site.clear((y, x))


def mend_reach(site: Site, rng: np.random.Generator, *, always: bool = False) -> None:
    """Bring what must be reached within reach, and fill or open the pockets nobody can enter.

    Each only where the game's own levels keep it so, or `always`.
    """
    context = site.context
    if context.analysis.mobility != "freely" or site.avatar is None:
        return
    pockets = bool(context.walls) and (always or "pockets" in context.customs)
    if pockets and _pockets(site).any():
        _close_pockets(site, rng)
    if always or "reach" in context.customs:
        for cell in _lost(site):
            tile = int(site.grid[cell])
            if tile in context.targets:
                site.clear(cell)
                place(site, rng, tile)
    if pockets and not context.links_closed_rooms and _pockets(site).any():
        join_regions(site, rng)


def _lost(site: Site) -> list[tuple[int, int]]:
    """Cells with something that must be reached and cannot be."""
    lost = np.isin(site.grid, list(site.context.targets)) & (site.distances() < 0)
    return [(y, x) for y, x in np.argwhere(lost).tolist()]


def _pockets(site: Site) -> Mask:
    """Cells to walk on that the avatar cannot get to."""
    return site.walkable() & (site.distances() < 0)


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
