"""Conventions that the game's own levels keep, and the repairs of what can be told from the text alone.

Frames without gaps, lanes from end to end, an avatar that starts on its line, nothing out of reach: each is a rule of
thumb that holds in most games and not in all, so the levels of a game are asked which of them they keep.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from pcg.evaluators.level_grid import GATE, Grid, Mask, distances, edge_of
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.level_builder import LevelBuilder


@lru_cache(maxsize=64)
def level_conventions(context: LevelContext) -> frozenset[str]:
    """Return the conventions that a game's own levels keep: "frame", "lanes", "line", "pockets", "reach", "keys",
    "objects".

    A rule that would change most of them is none of this game's: its frames have gaps, its avatar starts anywhere,
    what it collects lies behind walls that will fall. Games without levels of their own keep all rules.
    """

    def changed(rule: str, grid: Grid) -> bool:
        builder = LevelBuilder(context, grid.copy())
        if rule == "frame":
            repair_frame(builder)
        elif rule == "lanes":
            repair_lanes(builder)
        elif rule == "line":
            line = avatar_line(context, builder)
            return line is not None and builder.avatar is not None and builder.avatar not in line
        elif rule == "pockets":
            return bool(unreachable_cells(builder).any())
        elif rule == "reach":
            return bool(unreachable_targets(builder))
        elif rule == "keys":
            return bool(reach_with_keys(builder)[1].any())
        else:
            clear_foreign_tiles(builder)
        return bool((builder.grid != grid).any())

    rules = ("frame", "lanes", "line", "pockets", "reach", "keys", "objects")
    return frozenset(r for r in rules if 2 * sum(changed(r, g) for g in context.examples) <= len(context.examples))


def repair_frame(builder: LevelBuilder) -> None:
    """Restore the frame, except where a gate stands in it that may; where a game's levels have one or none, make half a
    frame a whole one, and less of it none.
    """
    height, width = builder.grid.shape
    at_will = builder.context.frame_at_will
    if at_will is not None:
        wall, least = at_will
        edge = edge_of(builder.grid.shape)
        walls = edge & (builder.grid == wall)
        share = float(walls.sum() / edge.sum())
        if share < least:
            for y, x in np.argwhere(walls if share < 0.5 else edge).tolist():
                builder.clear((y, x)) if share < 0.5 else builder.put((y, x), wall)
        return
    corners = {(0, 0), (0, width - 1), (height - 1, 0), (height - 1, width - 1)}
    for cell, tile in builder.frame_cells().items():
        door = builder.grid[cell] in builder.context.frame_gates and cell not in corners
        if builder.grid[cell] != tile and not door:
            builder.put(cell, tile)


def repair_lanes(builder: LevelBuilder) -> None:
    """Make every row (or column) that is mostly road a road from end to end, and every other one free of road and
    traffic.
    """
    context = builder.context
    if not context.lanes:
        return
    horizontal = context.lanes[0].horizontal
    grid = builder.grid if horizontal else builder.grid.T
    top, left, bottom, right = builder.inside()
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
    builder.invalidate()


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


def avatar_line(context: LevelContext, builder: LevelBuilder) -> set[tuple[int, int]] | None:
    """The cells an avatar that keeps to a line may start on; None if it may start anywhere."""
    top, left, bottom, right = builder.inside()
    side = context.analysis.avatar_side
    if side is None:
        return None
    if side in ("top", "bottom"):
        row = top if side == "top" else bottom - 1
        return {(row, x) for x in range(left, right)}
    column = left if side == "left" else right - 1
    return {(y, column) for y in range(top, bottom)}


def clear_foreign_tiles(builder: LevelBuilder) -> None:
    """Take away what was never meant to be in a level: an avatar's own shots, say."""
    context = builder.context
    traffic = {m for lane in context.lanes for m in lane.movers}
    known = {*context.objects, *context.walls, *context.palette.avatars, *context.palette.grounds, *traffic}
    known |= {tile for tile in (*context.frame, context.filler) if tile is not None}
    for tile in np.unique(builder.grid).tolist():
        if tile not in known:
            for y, x in np.argwhere(builder.grid == tile).tolist():
                builder.clear((y, x))


def unreachable_targets(builder: LevelBuilder) -> list[tuple[int, int]]:
    """Cells with something that must be reached and cannot be, with all gates open."""
    required = builder.palette.lookup(builder.context.required_tiles)
    lost = required[builder.grid] & (builder.distances_through_gates() < 0)
    return [(y, x) for y, x in np.argwhere(lost).tolist()]


def unreachable_cells(builder: LevelBuilder) -> Mask:
    """Cells to walk on that the avatar cannot get to, with all gates open."""
    return builder.walkable() & (builder.distances_through_gates() < 0)


def reach_with_keys(builder: LevelBuilder) -> tuple[Mask, Mask]:
    """Return the cells that the avatar gets to when it opens each gate for which it has got to a key, and the gates
    beside these that it does not open, shape (height, width) each.
    """
    openers, palette, grid = builder.context.openers, builder.palette, builder.grid
    start = builder.avatar
    gates = palette.access[grid] == GATE
    if start is None or not gates.any():
        return builder.distances() >= 0, np.zeros(grid.shape, bool)
    closed, walk = gates.copy(), builder.walkable()
    while True:
        near = distances(palette, grid, start, mask=walk | (gates & ~closed)) >= 0
        found = set(np.unique(grid[near & ~closed]).tolist())
        opened = [t for t in np.unique(grid[closed]).tolist() if t not in openers or openers[t] & found]
        opening = closed & near & palette.lookup(opened)[grid]
        if not opening.any():
            return near & ~closed, near & closed
        closed &= ~opening
