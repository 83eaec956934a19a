"""Layout of walls: frames, rooms, wall segments, pillars, caves, and lanes for traffic.

A layout leaves all open cells connected (closed rooms are made only in games with portals to get there). The segments
are those of the constructive generator (reference/generators 12.3), the caves those of Johnson, Yannakakis and Togelius
(2010).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pcg.generators.levels import automata
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.level_builder import LevelBuilder, weighted_choice

Cells = NDArray[np.int64] | Sequence[tuple[int, int]]
"""Rows and columns of cells, shape (n, 2)."""


def draw_size(rng: np.random.Generator, widths: tuple[int, int], heights: tuple[int, int]) -> tuple[int, int]:
    """A width and a height, each uniform over its range."""
    return int(rng.integers(widths[0], widths[1] + 1)), int(rng.integers(heights[0], heights[1] + 1))


def fits(shape: Sequence[int], widths: tuple[int, int], heights: tuple[int, int]) -> bool:
    """Tell whether a level of a shape (height, width) is within the sizes that are asked for.

    >>> fits((9, 13), (5, 20), (5, 10)), fits((9, 13), (5, 12), (5, 10))
    (True, False)
    """
    return heights[0] <= shape[0] <= heights[1] and widths[0] <= shape[1] <= widths[1]


def draw_wall(context: LevelContext, rng: np.random.Generator) -> int | None:
    """One of the game's wall tiles, as often as its levels use it; only those that stand on the empty ground."""
    weights = np.array([w * (context.ground_under[t] == context.palette.empty) for t, w in
                        zip(context.walls, context.wall_weights, strict=True)])  # fmt: skip
    place = weighted_choice(rng, weights)
    return None if place is None else context.walls[place]


def main_wall(context: LevelContext, rng: np.random.Generator) -> int | None:
    """The wall the game's levels are framed with where it is used inside as well, else one drawn by use."""
    wall = context.palette.wall
    stands = wall is not None and context.ground_under[wall] == context.palette.empty
    if wall in context.walls and stands and context.wall_weights[context.walls.index(wall)] > 0:
        return wall
    return draw_wall(context, rng)


def build_wall(builder: LevelBuilder, cell: tuple[int, int], tile: int) -> bool:
    """Put a wall on a free cell unless it would cut the open space; tells whether it was put."""
    y, x = cell
    if builder.grid[y, x] != builder.context.ground_under[tile] or builder.disconnects(cell):
        return False
    builder.put(cell, tile)
    return True


# -- styles ------------------------------------------------------------------------------------------------------------


def segments(builder: LevelBuilder, rng: np.random.Generator, share: float) -> None:
    """Wall segments of 3 to 5 cells that turn now and then (reference/generators 12.3.3)."""
    context = builder.context
    top, left, bottom, right = builder.inside()
    budget = round(share * (bottom - top) * (right - left))
    for _ in range(4 * budget):
        if budget <= 0:
            return
        y, x = int(rng.integers(top, bottom)), int(rng.integers(left, right))
        tile = draw_wall(context, rng)
        if tile is None:
            return
        if not build_wall(builder, (y, x), tile):
            continue
        budget -= 1
        dy, dx = ((-1, 0), (0, 1), (1, 0), (0, -1))[int(rng.integers(4))]
        for _ in range(2 + int(rng.integers(3))):
            if budget <= 0:
                return
            if rng.random() < 0.2:
                dy, dx = (dx, dy) if rng.random() < 0.5 else (-dx, -dy)
            y, x = y + dy, x + dx
            if not (top <= y < bottom and left <= x < right) or not build_wall(builder, (y, x), tile):
                break
            budget -= 1


def rooms(builder: LevelBuilder, rng: np.random.Generator, share: float) -> None:
    """Rooms by binary space partition (Shaker, Togelius, Nelson 2016, ch. 3): straight walls, each with an opening.

    In games with portals some walls have none: rooms to be entered by portal only.
    """
    context = builder.context
    tile = main_wall(context, rng)
    if tile is None:
        return
    top, left, bottom, right = builder.inside()
    least = 2 if share > 0.15 else 3
    # Sides up to `aim` stay whole: the fewer walls the game's levels have, the larger the rooms.
    aim = int(rng.integers(3, 7)) if share > 0.15 else int(rng.integers(5, 10))
    doors: set[tuple[int, int]] = set()
    closed = 0.4 if context.has_portals else 0.0

    def split(y0: int, x0: int, y1: int, x1: int) -> None:
        height, width = y1 - y0, x1 - x0
        options = []
        if height >= 2 * least + 1 and height > aim:
            options.append(True)
        if width >= 2 * least + 1 and width > aim:
            options.append(False)
        if not options:
            return
        across = options[int(rng.integers(len(options)))] if abs(height - width) < 3 else height > width
        if across not in options:
            across = options[0]
        if across:
            cuts = [y for y in range(y0 + least, y1 - least) if (y, x0 - 1) not in doors and (y, x1) not in doors]
            if not cuts:
                return
            y = cuts[int(rng.integers(len(cuts)))]
            gap = int(rng.integers(x0, x1))
            for x in range(x0, x1):
                builder.put((y, x), tile)
            if rng.random() >= closed:
                builder.put((y, gap), context.palette.empty)
                doors.add((y, gap))
            split(y0, x0, y, x1)
            split(y + 1, x0, y1, x1)
        else:
            cuts = [x for x in range(x0 + least, x1 - least) if (y0 - 1, x) not in doors and (y1, x) not in doors]
            if not cuts:
                return
            x = cuts[int(rng.integers(len(cuts)))]
            gap = int(rng.integers(y0, y1))
            for y in range(y0, y1):
                builder.put((y, x), tile)
            if rng.random() >= closed:
                builder.put((gap, x), context.palette.empty)
                doors.add((gap, x))
            split(y0, x0, y1, x)
            split(y0, x + 1, y1, x1)

    split(top, left, bottom, right)


def pillars(builder: LevelBuilder, rng: np.random.Generator, share: float) -> None:
    """Small blocks of wall, mirrored from left to right."""
    context = builder.context
    top, left, bottom, right = builder.inside()
    width = right - left
    budget = round(share * (bottom - top) * width / 2)
    shapes = (((0, 0),), ((0, 0), (0, 1)), ((0, 0), (1, 0)), ((0, 0), (0, 1), (1, 0)), ((0, 0), (0, 1), (1, 0), (1, 1)))
    for _ in range(4 * budget):
        if budget <= 0:
            return
        tile = draw_wall(context, rng)
        if tile is None:
            return
        y, x = int(rng.integers(top, bottom)), int(rng.integers(left, left + (width + 1) // 2))
        for dy, dx in shapes[int(rng.integers(len(shapes)))]:
            for column in {x + dx, left + right - 1 - (x + dx)}:
                if top <= y + dy < bottom and left <= column < right:
                    budget -= build_wall(builder, (y + dy, column), tile)


def caves(
    builder: LevelBuilder, rng: np.random.Generator, share: float, *, steps: int = 3, birth: int = 5, survival: int = 4
) -> None:
    """Caves: random walls smoothed by a cellular automaton, then joined by tunnels.

    A cell becomes wall with at least `birth` wall cells among its eight neighbours and stays one with at least
    `survival` (Johnson, Yannakakis, Togelius 2010).
    """
    context = builder.context
    tile = main_wall(context, rng)
    if tile is None:
        return
    top, left, bottom, right = builder.inside()
    aim = float(np.clip(1.2 * share, 0.12, 0.4))
    rock = automata.caves(rng, (bottom - top, right - left), aim, steps, birth, survival)
    part = builder.grid[top:bottom, left:right]
    part[rock & (part == context.ground_under[tile])] = tile
    builder.invalidate()
    join_regions(builder, rng)


STYLES: Mapping[str, Callable[[LevelBuilder, np.random.Generator, float], None]] = {
    "segments": segments,
    "rooms": rooms,
    "pillars": pillars,
    "caves": caves,
}
"""The wall styles by name."""


# -- connectivity ------------------------------------------------------------------------------------------------------


def join_regions(builder: LevelBuilder, rng: np.random.Generator, *, smallest: int = 4) -> None:
    """Make all open cells one region: pockets below `smallest` cells are filled, the others joined by tunnels."""
    context = builder.context
    wall = draw_wall(context, rng)
    found = builder.region_arrays()
    if len(found) <= 1:
        return
    kept = found[:1]
    for region in found[1:]:
        if len(region) < smallest and wall is not None:
            builder.grid[tuple(region.T)] = wall
        else:
            kept.append(region)
    main = kept[0]
    for region in kept[1:]:
        tunnel(builder, region, main)
        main = np.concatenate([main, region])
    builder.invalidate()


def tunnel(builder: LevelBuilder, region: Cells, main: Cells) -> None:
    """Open the shortest right-angled way between two regions, inside the frame where possible."""
    a, b = np.asarray(region), np.asarray(main)
    steps = np.abs(a[:, None, 0] - b[None, :, 0]) + np.abs(a[:, None, 1] - b[None, :, 1])
    i, j = np.unravel_index(int(steps.argmin()), steps.shape)
    (y, x), (ty, tx) = a[i].tolist(), b[j].tolist()
    while (y, x) != (ty, tx):
        if y != ty:
            y += 1 if ty > y else -1
        else:
            x += 1 if tx > x else -1
        tile = int(builder.grid[y, x])
        if builder.blocks(tile) and tile not in builder.palette.avatars:  # an avatar may stand on what blocks others
            builder.grid[y, x] = builder.context.ground_under[tile]


# -- lanes -------------------------------------------------------------------------------------------------------------


def lay_lanes(builder: LevelBuilder, rng: np.random.Generator) -> None:
    """Give whole rows (or columns) over to traffic: bands of one to three lanes with safe ground between and beside
    them.
    """
    context = builder.context
    lanes = context.lanes
    horizontal = lanes[0].horizontal
    grid = builder.grid if horizontal else builder.grid.T
    top, left, bottom, right = builder.inside()
    first, last, start, end = (top, bottom, left, right) if horizontal else (left, right, top, bottom)
    rows = last - first
    wanted = int(np.clip(round(rng.normal(context.lane_share, 0.08) * rows), 1, max(1, rows - 3)))
    bands: list[int] = []
    while sum(bands) < wanted:
        bands.append(min(1 + int(rng.integers(3)), wanted - sum(bands)))
    safe = rows - wanted
    while len(bands) + 1 > safe and len(bands) > 1:
        bands[-2:] = [bands[-2] + bands[-1]]
    # One safe row at either end and between bands; the rest are dealt out at random.
    gaps = [1] * (len(bands) + 1)
    for _ in range(safe - len(gaps)):
        gaps[int(rng.integers(len(gaps)))] += 1
    row = first
    for band, gap in zip(bands, gaps, strict=False):
        row += gap
        for _ in range(band):
            choices = [lane for lane in lanes if lane.horizontal == horizontal]
            lane = choices[int(rng.integers(len(choices)))]
            grid[row, start:end] = lane.ground
            _traffic(grid[row, start:end], lane.movers[int(rng.integers(len(lane.movers)))], lane.density, rng)
            row += 1
    builder.invalidate()


def _traffic(
    row: np.ndarray[tuple[int, ...], np.dtype[np.int16]], mover: int, density: float, rng: np.random.Generator
) -> None:
    """Movers of one kind at uneven distances of at least 3, so that there is a gap to slip through."""
    count = max(1, round(len(row) * min(density * rng.uniform(0.7, 1.3), 1 / 3)))
    slack = len(row) - 3 * count
    if slack < 0:
        count, slack = len(row) // 3, len(row) % 3
    if count == 0:
        return
    breaks = np.sort(rng.integers(0, slack + 1, size=count))
    offset = int(rng.integers(len(row)))
    for i, extra in enumerate(breaks.tolist()):
        row[(offset + 3 * i + extra) % len(row)] = mover


def place_filler(builder: LevelBuilder, rng: np.random.Generator, plenty: float = 1.0) -> None:
    """Fill the open ground with the game's filler, leaving winding tunnels or pockets as large as its share leaves
    room.
    """
    context = builder.context
    if context.filler is None:
        return
    free = builder.free()
    cells = np.argwhere(free)
    builder.grid[free] = context.filler
    share = context.filler_share
    if any(context.analysis.has(t, "goal") for t in context.palette.tiles[context.filler].content):
        share *= plenty  # pellets that are all to be eaten are objects as well
    hollow = round((1 - share) * len(cells) * rng.uniform(0.6, 1.4))
    objects = (
        sum(float(context.statistics.share[i]) for i in context.objects) if context.statistics is not None else 0.1
    )
    hollow = 0 if context.background == context.filler else max(0, hollow - round(objects * len(cells)))
    while hollow > 0 and len(cells):
        y, x = cells[int(rng.integers(len(cells)))].tolist()
        for _ in range(min(hollow, 2 + int(rng.integers(5)))):
            if not free[y, x]:
                break
            hollow -= 1
            builder.grid[y, x] = context.palette.empty
            dy, dx = ((-1, 0), (0, 1), (1, 0), (0, -1))[int(rng.integers(4))]
            y, x = y + dy, x + dx
            if not (0 <= y < free.shape[0] and 0 <= x < free.shape[1]):
                break
    builder.invalidate()
