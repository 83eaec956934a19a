"""Compiled parts of the perceptual distance of levels: the entries of a level's description, and their comparison.

A level is an int32 array in reading order of tile codes, 0 for cells outside it. `evaluators.metrics.likeness` says
what the views are for and puts the entries of a level in order. Only the four operations and square roots are used, and
the weights of entries are dyadic fractions, whose sums are exact: a mirrored level gives the same bits.
"""

from __future__ import annotations

import math

from pcg.engine.kernel.runtime import (
    double_bits,
    entry_point,
    inner,
    load32,
    load64,
    load_double,
    store32,
    store64,
    store_double,
)

VIEWS = 5
"""Views that are distributions."""
STRETCHES, TILES, FORMS, SIZES, NEIGHBOURS = range(VIEWS)
"""Stretches of one tile by length; tiles by stretches; how a figure's cells go on; sizes of pieces; tiles by which of
their eight neighbours are equal."""
WEIGHT_STRETCHES, WEIGHT_TILES, WEIGHT_FORMS, WEIGHT_SIZES = 0.25, 0.33, 0.25, 0.03
WEIGHT_KINDS, WEIGHT_PIECES, WEIGHT_NEIGHBOURS = 0.03, 0.08, 0.03
"""Shares in the distance. Fitted to people's choices and rounded to twentieths; they sum to 1."""
HEADER = 3
"""Words before the keys of a description: number of entries, of pieces, of kinds of tiles."""
SAME = 1e-12
"""Distributions whose overlap is so near to 1 are the same but for rounding."""


@inner
def _octave(n: int) -> int:
    """Position of the highest bit of n > 0."""
    octave = 0
    while n > 1:
        n >>= 1
        octave += 1
    return octave


@inner
def _emit(entries: int, count: int, view: int, tile: int, rest: int, weight: float) -> int:
    """Append an entry; returns the new number of entries."""
    at = entries + 16 * count
    store64(at, (view << 56) | (tile << 24) | rest)
    store_double(at + 8, weight)
    return count + 1


@inner
def _stretch(entries: int, count: int, tile: int, upright: int, length: int) -> int:
    """Append the entries of one stretch of a tile, with its length shared between the two nearest classes.

    Classes are the lengths up to 8, from there on quarters of an octave (8, 10, 12, 14, 16, 20, ...).
    """
    if length <= 8:
        count = _emit(entries, count, STRETCHES, tile, 2 * length + upright, 1.0 * length)
    else:
        octave = _octave(length)
        step = 1 << (octave - 2)
        beyond = length - (1 << octave)
        low = 8 + 4 * (octave - 3) + beyond // step
        part = (beyond % step) / step
        count = _emit(entries, count, STRETCHES, tile, 2 * low + upright, length * (1.0 - part))
        if part > 0.0:
            count = _emit(entries, count, STRETCHES, tile, 2 * (low + 1) + upright, length * part)
    if tile != 0:
        count = _emit(entries, count, TILES, tile, 0, 1.0)
    return count


@inner
def _line(cells: int, first: int, step: int, length: int, upright: int, entries: int, count: int) -> int:
    """Append the stretches of one row or column."""
    start = 0
    tile = load32(cells + 4 * first)
    for k in range(1, length):
        here = load32(cells + 4 * (first + k * step))
        if here != tile:
            count = _stretch(entries, count, tile, upright, k - start)
            start = k
            tile = here
    return _stretch(entries, count, tile, upright, length - start)


@inner
def _is(cells: int, height: int, width: int, y: int, x: int, tile: int) -> int:
    """Return 1 for a cell with this tile; cells beyond the array are outside."""
    if y < 0 or x < 0 or y >= height or x >= width:
        return 1 if tile == 0 else 0
    return 1 if load32(cells + 4 * (y * width + x)) == tile else 0


@inner
def _form(cells: int, height: int, width: int, y: int, x: int, tile: int) -> int:
    """Return how a cell goes on in its neighbours: along none, one or both axes, and whether diagonally."""
    level = _is(cells, height, width, y, x - 1, tile) | _is(cells, height, width, y, x + 1, tile)
    upright = _is(cells, height, width, y - 1, x, tile) | _is(cells, height, width, y + 1, x, tile)
    above = _is(cells, height, width, y - 1, x - 1, tile) | _is(cells, height, width, y - 1, x + 1, tile)
    below = _is(cells, height, width, y + 1, x - 1, tile) | _is(cells, height, width, y + 1, x + 1, tile)
    return 2 * (level + upright) + (above | below)


@inner
def _equal_neighbours(cells: int, height: int, width: int, y: int, x: int, tile: int) -> int:
    """Return which of a cell's eight neighbours are equal, the least number of the four mirror images."""
    least = 256
    for image in range(4):
        down, right = 1 - (image & 2), 1 - 2 * (image & 1)
        equal = 0
        for k in range(9):
            if k != 4:
                equal = 2 * equal + _is(cells, height, width, y + down * (k // 3 - 1), x + right * (k % 3 - 1), tile)
        least = min(least, equal)
    return least


@inner
def _half_octave(n: int) -> int:
    """Class of a size: 1, 2, 3, 4, 5-6, 7-8, 9-12, 13-16, ..."""
    if n < 3:
        return n
    octave = _octave(n - 1)
    return 2 * octave + 1 + (((n - 1) >> (octave - 1)) & 1)


@inner
def _fill(cells: int, height: int, width: int, start: int, ways: int, mark: int, scratch: int, box: int) -> int:
    """Mark the piece of equal tiles around a cell; returns its size.

    ways: 4, or 8 with diagonals; scratch: int32[cells] of marks, then int32[cells] to go on from; box: int32[4], gets
    the first and last row and column.
    """
    tile = load32(cells + 4 * start)
    stack = scratch + 4 * height * width
    store32(scratch + 4 * start, mark)
    store32(stack, start)
    top, size = 1, 0
    low_y, high_y, low_x, high_x = height, 0, width, 0
    while top > 0:
        top -= 1
        cell = load32(stack + 4 * top)
        size += 1
        y, x = cell // width, cell % width
        low_y, high_y, low_x, high_x = min(low_y, y), max(high_y, y), min(low_x, x), max(high_x, x)
        for dy in range(-1, 2):
            for dx in range(-1, 2):
                if (ways == 8 or dy == 0 or dx == 0) and 0 <= y + dy < height and 0 <= x + dx < width:
                    other = cell + dy * width + dx
                    if load32(scratch + 4 * other) != mark and load32(cells + 4 * other) == tile:
                        store32(scratch + 4 * other, mark)
                        store32(stack + 4 * top, other)
                        top += 1
    store32(box, low_y)
    store32(box + 4, high_y)
    store32(box + 8, low_x)
    store32(box + 12, high_x)
    return size


@entry_point("i8(i8, i8, i8, i8, i8, i8)")
def describe(cells: int, height: int, width: int, ground: int, scratch: int, entries: int) -> int:
    """Write the entries of a level, in no order and some keys several times; returns their number.

    cells: int32[height * width] with 0 for outside; ground: the tile that figures stand on; scratch: int32[2 * height *
    width + 4]; entries: of a key (int64) and a weight (float64), 8 * height * width + 16 of them. The first has the
    number of pieces for its key.
    """
    count = 1
    for y in range(height):
        count = _line(cells, y * width, 1, width, 0, entries, count)
    for x in range(width):
        count = _line(cells, x, width, height, 1, entries, count)
    area = height * width
    box = scratch + 8 * area
    for k in range(area):
        tile = load32(cells + 4 * k)
        equal = _equal_neighbours(cells, height, width, k // width, k % width, tile)
        count = _emit(entries, count, NEIGHBOURS, tile, equal, 1.0)
        if tile != ground:
            outside = 1 if tile == 0 else 0
            form = _form(cells, height, width, k // width, k % width, tile)
            count = _emit(entries, count, FORMS, outside, form, 1.0)
    for k in range(area):
        store32(scratch + 4 * k, 0)
    for k in range(area):
        tile = load32(cells + 4 * k)
        if tile != ground and load32(scratch + 4 * k) != 4:
            size = _fill(cells, height, width, k, 4, 4, scratch, box)
            tall = load32(box + 4) - load32(box) + 1
            wide = load32(box + 12) - load32(box + 8) + 1
            short, long = _half_octave(min(tall, wide)), _half_octave(max(tall, wide))
            rest = (short << 16) | (long << 8) | _half_octave(size)
            count = _emit(entries, count, SIZES, 1 if tile == 0 else 0, rest, 1.0 * size)
    pieces = 0
    for k in range(area):
        tile = load32(cells + 4 * k)
        if tile != ground and tile != 0 and load32(scratch + 4 * k) != 8:
            _fill(cells, height, width, k, 8, 8, scratch, box)
            pieces += 1
    store64(entries, pieces)
    return count


@inner
def _apart(overlap: float) -> float:
    """Hellinger distance of two distributions whose square roots have this product."""
    return math.sqrt(1.0 - overlap) if overlap < 1.0 - SAME else 0.0


@entry_point("i8(i8, i8)")
def compare(one: int, other: int) -> int:
    """Distance of two descriptions, as the bits of a double.

    one, other: int64[HEADER], then per entry its key, in order, then per entry (float64) the square root of its share.
    """
    n, m = load64(one), load64(other)
    keys, other_keys = one + 8 * HEADER, other + 8 * HEADER
    shares, other_shares = keys + 8 * n, other_keys + 8 * m
    stretches, tiles, forms, sizes, neighbours = 0.0, 0.0, 0.0, 0.0, 0.0
    common = 0
    i, j = 0, 0
    while i < n and j < m:
        key, other_key = load64(keys + 8 * i), load64(other_keys + 8 * j)
        if key < other_key:
            i += 1
        elif key > other_key:
            j += 1
        else:
            product = load_double(shares + 8 * i) * load_double(other_shares + 8 * j)
            view = key >> 56
            if view == STRETCHES:
                stretches += product
            elif view == TILES:
                tiles += product
                common += 1
            elif view == FORMS:
                forms += product
            elif view == SIZES:
                sizes += product
            else:
                neighbours += product
            i += 1
            j += 1
    pieces, other_pieces = load64(one + 8), load64(other + 8)
    most = max(pieces, other_pieces, 1)
    kinds = load64(one + 16) + load64(other + 16) - common
    apart = WEIGHT_STRETCHES * _apart(stretches) + WEIGHT_TILES * _apart(tiles)
    apart += WEIGHT_FORMS * _apart(forms) + WEIGHT_SIZES * _apart(sizes)
    apart += WEIGHT_NEIGHBOURS * _apart(neighbours)
    apart += WEIGHT_PIECES * (abs(pieces - other_pieces) / most)
    if kinds > 0:
        apart += WEIGHT_KINDS * ((kinds - common) / kinds)
    return double_bits(apart)
