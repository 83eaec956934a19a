"""Making a damaged level sound again: its frame, one avatar, the sprites its rules call for, nothing out of reach.

Used after every genetic operation (spec 04 section 2.4 repairs the number of avatars only) and as the last step of
the other generators. It mends what can be told from the text; whether a level can be won is found out by playing it.
"""

from __future__ import annotations

import numpy as np

from pcg.evaluators.level_grid import GATE
from pcg.generators.levels.counts import fit
from pcg.generators.levels.furnish import place, place_avatar
from pcg.generators.levels.layout import draw_wall, join_regions, tunnel
from pcg.generators.levels.repair.needs import meet_needs
from pcg.generators.levels.site import Site


def repair(site: Site, rng: np.random.Generator) -> None:
    """Mend a level in place; a sound level stays as it is."""
    mend_frame(site)
    mend_lanes(site)
    mend_avatar(site, rng)
    mend_reach(site, rng)
    mend_counts(site, rng)
    mend_reach(site, rng)
    meet_needs(site, rng)


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
    line = _line(site)
    on_line = [c for c in found if line is None or c in line]
    keep = on_line[int(rng.integers(len(on_line)))] if on_line else None
    for cell in found:
        if cell != keep:
            site.clear(cell)
    if keep is None:
        place_avatar(site, rng)


def _line(site: Site) -> set[tuple[int, int]] | None:
    """The cells an avatar that keeps to a line may start on; None if it may start anywhere."""
    top, left, bottom, right = site.inside()
    side = site.context.analysis.avatar_side
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
    for tile in counts:
        # What no object is (an avatar's own shots, say) was never meant to be in a level.
        known = tile in context.objects or tile in context.walls or tile in context.palette.avatars
        in_lane = any(tile in lane.movers for lane in context.lanes)
        if not (known or in_lane or tile in context.palette.grounds or tile == context.filler or tile in context.frame):
            for y, x in np.argwhere(site.grid == tile).tolist():
                site.clear((y, x))
    wanted = fit(context, rng, objects)
    for tile in sorted(set(wanted) | set(objects)):
        difference = wanted.get(tile, 0) - objects.get(tile, 0)
        if difference < 0:
            cells = np.argwhere(site.grid == tile).tolist()
            for i in rng.permutation(len(cells))[:-difference].tolist():
                site.clear((cells[i][0], cells[i][1]))
        for _ in range(difference):
            place(site, rng, tile)


def mend_reach(site: Site, rng: np.random.Generator) -> None:
    """Bring what must be reached within reach, and fill or open the pockets nobody can enter."""
    context = site.context
    if context.analysis.mobility != "freely" or site.avatar is None:
        return
    steps = site.distances()
    lost = [(y, x) for y, x in np.argwhere(np.isin(site.grid, list(context.targets)) & (steps < 0)).tolist()]
    if context.walls and bool((site.walkable() & (steps < 0)).any()):
        _close_pockets(site, rng)
        steps = site.distances()
        lost = [c for c in lost if steps[c] < 0]
    for cell in lost:
        tile = int(site.grid[cell])
        if tile not in context.targets:
            continue
        site.clear(cell)
        place(site, rng, tile)
    if context.walls and not context.links_closed_rooms and bool((site.walkable() & (site.distances() < 0)).any()):
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
