"""Genetic operators on levels: crossover of two levels and mutation of one.

A genotype is the grid of tiles itself, as in reference/generators 12.4. Crossover exchanges rectangles, bands, rows of
traffic, or rooms along with their walls; mutations add, clear, move and swap tiles, draw and break walls, and change
the size; what is done to one half of a mirrored level can be done to the other (`mirror_edits`). Children are damaged
and target `repair`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from pcg.evaluators.level_grid import Grid, Mask
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.level_builder import LevelBuilder, components
from pcg.generators.levels.object_placement import place_object
from pcg.generators.levels.wall_layout import build_wall, draw_wall

Pair = tuple[Grid, Grid]


# -- crossover: both parents stay as they are --------------------------------------------------------------------------


def cross_regions(context: LevelContext, a: Grid, b: Grid, rng: np.random.Generator) -> Pair:
    """Exchange a rectangle of a quarter to three quarters of either side."""
    height, width = min(a.shape[0], b.shape[0]), min(a.shape[1], b.shape[1])
    rows = int(rng.integers(max(1, height // 4), max(2, 3 * height // 4 + 1)))
    columns = int(rng.integers(max(1, width // 4), max(2, 3 * width // 4 + 1)))
    y, x = int(rng.integers(0, height - rows + 1)), int(rng.integers(0, width - columns + 1))
    return _exchange(a, b, slice(y, y + rows), slice(x, x + columns))


def cross_bands(context: LevelContext, a: Grid, b: Grid, rng: np.random.Generator) -> Pair:
    """Exchange all rows above a cut, or all columns left of one."""
    height, width = min(a.shape[0], b.shape[0]), min(a.shape[1], b.shape[1])
    if rng.random() < 0.5:
        return _exchange(a, b, slice(0, int(rng.integers(1, height))), slice(0, width))
    return _exchange(a, b, slice(0, height), slice(0, int(rng.integers(1, width))))


def cross_rows(context: LevelContext, a: Grid, b: Grid, rng: np.random.Generator) -> Pair:
    """Exchange each row with probability one half: what works as a whole row (a lane, a shelf) stays whole."""
    height, width = min(a.shape[0], b.shape[0]), min(a.shape[1], b.shape[1])
    chosen = np.flatnonzero(rng.random(height) < 0.5)
    first, second = a.copy(), b.copy()
    first[chosen, :width], second[chosen, :width] = b[chosen, :width], a[chosen, :width]
    return first, second


def cross_rooms(context: LevelContext, a: Grid, b: Grid, rng: np.random.Generator) -> Pair:
    """Exchange some rooms of the first parent, walls and all, for what the second has at their place.

    Rooms are what narrow passages part; at most half of the level changes hands. Parents without rooms exchange a
    rectangle.
    """
    height, width = min(a.shape[0], b.shape[0]), min(a.shape[1], b.shape[1])
    found = rooms_of(context, a)
    if len(found) < 2:
        return cross_regions(context, a, b, rng)
    taken = np.zeros(a.shape, bool)
    for i in rng.permutation(len(found)).tolist():
        more = taken | found[i]
        if taken.any() and (rng.random() < 0.4 or 2 * int(more.sum()) > a.size):
            break
        taken = more
    part = taken[:height, :width]
    first, second = a.copy(), b.copy()
    first[:height, :width][part], second[:height, :width][part] = b[:height, :width][part], a[:height, :width][part]
    return first, second


def rooms_of(context: LevelContext, grid: Grid) -> list[Mask]:
    """The rooms of a level, each with the cells around it, as masks of the grid's shape; passages part them."""
    builder = LevelBuilder(context, grid)
    open_cells = builder.walkable()
    passages = [(y, x) for y, x in np.argwhere(open_cells).tolist() if builder.disconnects((y, x))]
    closed = open_cells.copy()
    for cell in passages:
        closed[cell] = False
    found = []
    for region in components(closed):
        if len(region) >= 3:
            mask = np.zeros(np.add(grid.shape, 2), bool)
            rows, columns = region.T
            for dy in (0, 1, 2):
                for dx in (0, 1, 2):
                    mask[rows + dy, columns + dx] = True
            found.append(mask[1:-1, 1:-1])
    return found


def _exchange(a: Grid, b: Grid, rows: slice, columns: slice) -> Pair:
    first, second = a.copy(), b.copy()
    first[rows, columns], second[rows, columns] = b[rows, columns], a[rows, columns]
    return first, second


CROSSOVERS: Mapping[str, Callable[[LevelContext, Grid, Grid, np.random.Generator], Pair]] = {
    "regions": cross_regions,
    "bands": cross_bands,
    "rows": cross_rows,
    "rooms": cross_rooms,
}
"""The crossover operators by name."""


def crossover(context: LevelContext, a: Grid, b: Grid, rng: np.random.Generator) -> Pair:
    """One of the crossovers: rows in games made of lanes, else regions, bands, and rooms where there are walls."""
    horizontal = bool(context.lanes) and context.lanes[0].horizontal
    names = ("rows",) if horizontal else ("regions", "rooms" if context.walls else "regions", "bands")
    return CROSSOVERS[names[int(rng.integers(len(names)))]](context, a, b, rng)


# -- mutation: works on the builder ------------------------------------------------------------------------------------


def add(builder: LevelBuilder, rng: np.random.Generator) -> None:
    """Put another object where such objects make sense."""
    objects = builder.context.objects
    if objects:
        place_object(builder, rng, objects[int(rng.integers(len(objects)))])


def clear(builder: LevelBuilder, rng: np.random.Generator) -> None:
    """Take one object away."""
    cells = _cells_with(builder, builder.context.objects)
    if cells:
        builder.clear(cells[int(rng.integers(len(cells)))])


def move(builder: LevelBuilder, rng: np.random.Generator) -> None:
    """Move one object, or the avatar, to a free cell: next to it half of the time, else anywhere."""
    cells = _cells_with(builder, (*builder.context.objects, *builder.palette.avatars))
    if not cells:
        return
    y, x = cells[int(rng.integers(len(cells)))]
    tile = int(builder.grid[y, x])
    free = builder.free()
    if rng.random() < 0.5:
        around = [(y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)]
        height, width = free.shape
        targets = [c for c in around if 0 <= c[0] < height and 0 <= c[1] < width and free[c]]
    else:
        targets = [(i, j) for i, j in np.argwhere(free).tolist()]
    if targets:
        builder.clear((y, x))
        builder.put(targets[int(rng.integers(len(targets)))], tile)


def swap(builder: LevelBuilder, rng: np.random.Generator) -> None:
    """Exchange the tiles of two cells inside the frame."""
    top, left, bottom, right = builder.inside()
    a = (int(rng.integers(top, bottom)), int(rng.integers(left, right)))
    b = (int(rng.integers(top, bottom)), int(rng.integers(left, right)))
    first, second = int(builder.grid[a]), int(builder.grid[b])
    builder.put(a, second)
    builder.put(b, first)


def draw(builder: LevelBuilder, rng: np.random.Generator) -> None:
    """A new piece of wall of one to four cells."""
    top, left, bottom, right = builder.inside()
    tile = draw_wall(builder.context, rng)
    if tile is None:
        return
    y, x = int(rng.integers(top, bottom)), int(rng.integers(left, right))
    dy, dx = ((0, 1), (1, 0))[int(rng.integers(2))]
    for _ in range(1 + int(rng.integers(4))):
        if not (top <= y < bottom and left <= x < right) or not build_wall(builder, (y, x), tile):
            return
        y, x = y + dy, x + dx


def breach(builder: LevelBuilder, rng: np.random.Generator) -> None:
    """Take away a wall cell inside the frame, and with some luck the ones next to it in line."""
    top, left, bottom, right = builder.inside()
    cells = [(y, x) for y, x in _cells_with(builder, builder.context.walls) if top <= y < bottom and left <= x < right]
    if not cells:
        return
    y, x = cells[int(rng.integers(len(cells)))]
    dy, dx = ((0, 1), (1, 0))[int(rng.integers(2))]
    while top <= y < bottom and left <= x < right and int(builder.grid[y, x]) in builder.context.walls:
        builder.clear((y, x))
        y, x = y + dy, x + dx
        if rng.random() < 0.5:
            return


def refill(builder: LevelBuilder, rng: np.random.Generator) -> None:
    """Fill a bare cell with the game's filler or bare a filled one."""
    filler = builder.context.filler
    if filler is None:
        return
    cells = np.argwhere(builder.free()).tolist()
    if cells:
        y, x = cells[int(rng.integers(len(cells)))]
        builder.put((y, x), builder.context.background if builder.grid[y, x] == filler else filler)


def shift(builder: LevelBuilder, rng: np.random.Generator) -> None:
    """Turn one lane: its traffic starts some cells further on."""
    lanes = builder.context.lanes
    if not lanes:
        return
    horizontal = lanes[0].horizontal
    grid = builder.grid if horizontal else builder.grid.T
    tiles = [t for lane in lanes for t in (lane.ground, *lane.movers)]
    rows = np.flatnonzero(np.isin(grid, tiles).mean(axis=1) > 0.6)
    if len(rows):
        row = int(rows[int(rng.integers(len(rows)))])
        grid[row] = np.roll(grid[row], 1 + int(rng.integers(max(1, grid.shape[1] - 1))))
        builder.invalidate()


def _cells_with(builder: LevelBuilder, tiles: tuple[int, ...]) -> list[tuple[int, int]]:
    return [(y, x) for y, x in np.argwhere(np.isin(builder.grid, tiles)).tolist()]


MUTATIONS: Mapping[str, tuple[Callable[[LevelBuilder, np.random.Generator], None], float]] = {
    "add": (add, 3.0),
    "clear": (clear, 3.0),
    "move": (move, 4.0),
    "swap": (swap, 1.5),
    "draw": (draw, 2.0),
    "breach": (breach, 2.0),
    "refill": (refill, 2.0),
    "shift": (shift, 2.0),
}
"""The mutations by name, each with how often it is drawn."""


def mutate(context: LevelContext, grid: Grid, rng: np.random.Generator, edits: int) -> Grid:
    """A copy of `grid` with one to `edits` mutations."""
    return edit(context, grid, rng, 1 + int(rng.integers(edits)))


def edit(context: LevelContext, grid: Grid, rng: np.random.Generator, count: int) -> Grid:
    """A copy of `grid` with `count` mutations of kinds that mean something in this game."""
    useless = {*(() if context.walls else ("draw", "breach")), *(() if context.lanes else ("shift",)),
               *(() if context.filler is not None else ("refill",))}  # fmt: skip
    kinds = [(operator, weight) for name, (operator, weight) in MUTATIONS.items() if name not in useless]
    weights = np.array([weight for _, weight in kinds])
    builder = LevelBuilder(context, grid.copy())
    for _ in range(count):
        kinds[int(rng.choice(len(kinds), p=weights / weights.sum()))][0](builder, rng)
    return builder.grid


def resize(
    context: LevelContext, grid: Grid, rng: np.random.Generator, widths: tuple[int, int], heights: tuple[int, int]
) -> Grid:
    """A copy with one row or column inside the frame doubled or left out, within the size limits; unchanged at a
    limit.
    """
    builder = LevelBuilder(context, grid)
    top, left, bottom, right = builder.inside()
    axis = int(rng.integers(2))
    low, high, bounds = (top, bottom, heights) if axis == 0 else (left, right, widths)
    at = int(rng.integers(low, high))
    if rng.random() < 0.5:
        if grid.shape[axis] >= bounds[1]:
            return grid.copy()
        line = np.take(grid, [at], axis=axis)
        bare = np.where(
            np.isin(line, [*context.objects, *context.palette.avatars]), np.take(context.ground_under, line), line
        )
        return np.insert(grid, at, bare[0] if axis == 0 else bare[:, 0], axis=axis)
    if grid.shape[axis] <= bounds[0] or high - low <= 2:
        return grid.copy()
    return np.delete(grid, at, axis=axis)


# -- symmetry ----------------------------------------------------------------------------------------------------------

MIRRORED = 0.8
"""Levels count as mirrored from this share of matching cells on."""


def symmetric_axis(context: LevelContext, grid: Grid) -> int | None:
    """The axis along which a level is mirrored: 1 for left and right, 0 for top and bottom, None for neither.

    Looked at is what stands inside the frame, the avatar aside.
    """
    top, left, bottom, right = LevelBuilder(context, grid).inside()
    inner = grid[top:bottom, left:right]
    avatars = np.isin(inner, context.palette.avatars)
    best: tuple[float, int] | None = None
    for axis in (1, 0):
        mirror = np.flip(inner, axis)
        filled = ~(np.isin(inner, context.palette.grounds) & np.isin(mirror, context.palette.grounds))
        filled &= ~avatars & ~np.flip(avatars, axis)
        share = float((inner == mirror)[filled].mean()) if filled.any() else 0.0
        if share >= MIRRORED and (best is None or share > best[0]):
            best = share, axis
    return best[1] if best is not None else None


def mirror_edits(context: LevelContext, before: Grid, after: Grid, axis: int) -> Grid:
    """`after` with all that differs from `before` done in the mirror image as well, but for avatars.

    Where both a cell and its image were changed, the upper left of the two counts.
    """
    mirrored = after.copy()
    height, width = after.shape
    top, left, bottom, right = LevelBuilder(context, after).inside()
    avatars = context.palette.avatars
    changed = np.argwhere((before != after) & ~np.isin(before, avatars) & ~np.isin(after, avatars)).tolist()
    done: set[tuple[int, int]] = set()
    for y, x in changed:
        image = (y, left + right - 1 - x) if axis == 1 else (top + bottom - 1 - y, x)
        inside = 0 <= image[0] < height and 0 <= image[1] < width
        if (y, x) not in done and inside and int(mirrored[image]) not in avatars:
            mirrored[image] = after[y, x]
            done.add(image)
    return mirrored
