"""Compiled parts of drafting levels: pieces that fit, windows that are unknown, and things that stand astray.

Levels are int16 arrays in reading order. A class is the number of a structural tile, and `outside` beyond the edge, as
`local_structure` has them; what windows and places are for is said there and in `quilting`.
"""

from __future__ import annotations

from pcg.engine.kernel.runtime import (
    entry_point,
    inner,
    load8,
    load16,
    load32,
    load64,
    store8,
    store64,
    times,
)
from pcg.evaluators.kernel.level_overlap import place_of

# --- pieces of quilts -------------------------------------------------------------------------------------------------


@entry_point("i8(i8, i8, i8, i8, i8)")
def count_unlike(example: int, piece: int, laid: int, unlike: int, sizes: int) -> int:
    """Count where the cells of a piece differ from an example, for each place that the piece may come from; returns 0.

    example: int32[...] codes of its cells, odd for walls; piece: int64[laid * 2], of each cell that is laid the
    distance from the piece's first cell in the example, and its code; unlike: int64[2 * rows * columns], gets for each
    place how many cells differ, and after that, as many times, in how many only one is a wall; sizes: int64[5] cells in
    a line of the example, the first row and column of places, and how many rows and columns there are.
    """
    stride, top, left = load64(sizes), load64(sizes + 8), load64(sizes + 16)
    rows, columns = load64(sizes + 24), load64(sizes + 32)
    for y in range(rows):
        for x in range(columns):
            corner = example + 4 * ((top + y) * stride + left + x)
            things = walls = 0
            for k in range(laid):
                differ = load32(corner + 4 * load64(piece + 16 * k)) ^ load64(piece + 16 * k + 8)
                things += 1 if differ != 0 else 0
                walls += differ & 1
            store64(unlike + 8 * (y * columns + x), things)
            store64(unlike + 8 * ((rows + y) * columns + x), walls)
    return 0


# --- windows of structure ---------------------------------------------------------------------------------------------


@inner
def _class(level: int, height: int, width: int, classes: int, y: int, x: int) -> int:
    """Class of a cell, within the level or beyond its edge; the one beyond is the last of the classes."""
    if 0 <= y < height and 0 <= x < width:
        return load64(classes + 8 + 8 * load16(level + 2 * (y * width + x)))
    return load64(classes)


@entry_point("i8(i8, i8, i8, i8, i8, i8)")
def mark_unknown(level: int, classes: int, known: int, weights: int, found: int, sizes: int) -> int:
    """Mark the cells whose window of three cells square is not among the known ones; returns how many there are.

    level: int16[height * width]; classes: int64[1 + tiles], the class of what is outside, then that of each tile;
    known: int64[...] numbers of windows, ascending; weights: int64[9], factors that make the number; found:
    int8[height * width], gets 1 for such a cell and 0 for others; sizes: int64[3] height, width, number of known ones.
    """
    height, width, number = load64(sizes), load64(sizes + 8), load64(sizes + 16)
    unknown = 0
    for y in range(height):
        for x in range(width):
            code = 0
            for k in range(9):
                cell = _class(level, height, width, classes, y + k // 3 - 1, x + k % 3 - 1)
                code += times(load64(weights + 8 * k), cell)
            missing = 1 if place_of(known, 0, number, code) < 0 else 0
            store8(found + y * width + x, missing)
            unknown += missing
    return unknown


@inner
def _unknown_around(area: int, centres: int, known: int, number: int, weights: int) -> int:
    """Number of unknown windows that are centred in the inner five cells square of an area of seven.

    area: int64[49] classes; centres: int64[25], 1 for those that lie in the level.
    """
    unknown = 0
    for y in range(5):
        for x in range(5):
            if load64(centres + 8 * (5 * y + x)) != 0:
                code, weight = 0, weights
                for row in range(area + 8 * (7 * y + x), area + 8 * (7 * (y + 3) + x), 56):
                    for cell in range(row, row + 24, 8):
                        code += times(load64(weight), load64(cell))
                        weight += 8
                if place_of(known, 0, number, code) < 0:
                    unknown += 1
    return unknown


@inner
def _changes(window: int, here: int, free: int, barred: int) -> int:
    """Number of cells in which a known window differs from what is there; -1 where one of these may not be changed."""
    changes = 0
    for k in range(9):
        if load64(window + 8 * k) != load64(here + 8 * k):
            if load64(free + 8 * k) == 0 or load8(barred + k) != 0:
                return -1
            changes += 1
    return changes


@entry_point("i8(i8, i8, i8, i8, i8, i8)")
def best_window(level: int, fixed: int, classes: int, tables: int, scratch: int, sizes: int) -> int:
    """Return which known window leaves fewest unknown ones around a cell, and changes least; -1 where none is better.

    level, classes: as `mark_unknown` has them; fixed: int8[height * width], 1 for cells that stay as they are; tables:
    int64[6], where these arrays begin: the numbers of the known windows, int64[windows], ascending; their classes,
    int64[windows * 9]; int8[windows * 9], 1 for what may not be put; int64[windows], raised cells in each; int8[tiles +
    1], 1 for raised classes; int64[9], the factors of a number; scratch: int64[windows + 141]; sizes: int64[8] height,
    width, row and column of the cell, number of windows, most cells that are changed, windows that are tried, those
    that change least first, and 1 where no fewer cells than before are to be raised.
    """
    height, width, row, column = load64(sizes), load64(sizes + 8), load64(sizes + 16), load64(sizes + 24)
    number, most, tried, keeps = load64(sizes + 32), load64(sizes + 40), load64(sizes + 48), load64(sizes + 56)
    known, windows, barred, raised = load64(tables), load64(tables + 8), load64(tables + 16), load64(tables + 24)
    is_raised, weights = load64(tables + 32), load64(tables + 40)
    area = scratch + 8 * number
    changed = area + 392
    centres = changed + 392
    here = centres + 200
    free = here + 72
    for k in range(49):
        store64(area + 8 * k, _class(level, height, width, classes, row + k // 7 - 3, column + k % 7 - 3))
    for k in range(25):
        y, x = row + k // 5 - 2, column + k % 5 - 2
        store64(centres + 8 * k, 1 if 0 <= y < height and 0 <= x < width else 0)
    least_raised = 0
    for k in range(9):
        y, x = row + k // 3 - 1, column + k % 3 - 1
        tile = load64(area + 8 * (7 * (2 + k // 3) + 2 + k % 3))
        store64(here + 8 * k, tile)
        inside = 0 <= y < height and 0 <= x < width
        store64(free + 8 * k, 1 if inside and load8(fixed + y * width + x) == 0 else 0)
        least_raised += keeps * load8(is_raised + tile)
    for k in range(number):
        changes = -1
        if load64(raised + 8 * k) >= least_raised:
            changes = _changes(windows + 72 * k, here, free, barred + 9 * k)
        store64(scratch + 8 * k, changes)
    best = -1
    least = _unknown_around(area, centres, known, number, weights)
    for changes in range(1, most + 1):
        for k in range(number):
            if load64(scratch + 8 * k) == changes and tried > 0:
                tried -= 1
                for cell in range(49):
                    store64(changed + 8 * cell, load64(area + 8 * cell))
                for cell in range(9):
                    there = changed + 8 * (7 * (2 + cell // 3) + 2 + cell % 3)
                    store64(there, load64(windows + 72 * k + 8 * cell))
                unknown = _unknown_around(changed, centres, known, number, weights)
                if unknown < least:
                    least, best = unknown, k
    return best


# --- things astray ----------------------------------------------------------------------------------------------------


@entry_point("i8(i8, i8, i8, i8, i8)")
def mark_misplaced(level: int, classes: int, places: int, found: int, sizes: int) -> int:
    """Mark the things that have beside them what none of their kind has; returns how many there are.

    level, classes: as `mark_unknown` has them; places: int64[tiles + 1], where the places of each tile begin in what
    follows, with the end of the last, and then the places, int64[...], ascending for each tile; one without any may
    stand anywhere; found: int8[height * width], gets 1 for such a thing and 0 for others; sizes: int64[3] height,
    width, number of tiles.
    """
    height, width, tiles = load64(sizes), load64(sizes + 8), load64(sizes + 16)
    base, known = tiles + 1, places + 8 * (tiles + 1)
    marked = 0
    for y in range(height):
        for x in range(width):
            tile = load16(level + 2 * (y * width + x))
            first, last = load64(places + 8 * tile), load64(places + 8 * tile + 8)
            astray = 0
            if first < last:
                code = _class(level, height, width, classes, y - 1, x)
                code = code * base + _class(level, height, width, classes, y + 1, x)
                code = code * base + _class(level, height, width, classes, y, x - 1)
                code = code * base + _class(level, height, width, classes, y, x + 1)
                astray = 1 if place_of(known, first, last, code) < 0 else 0
            store8(found + y * width + x, astray)
            marked += astray
    return marked
