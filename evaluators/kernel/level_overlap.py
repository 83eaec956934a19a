"""Compiled comparison of levels: cells that are equal and walls that are in both under shifts, and windows by code.

Logarithms are our own (`pcg.engine.kernel.exponents`), so that every machine works out the same divergence.
"""

from __future__ import annotations

import math

from pcg.engine.kernel.exponents import logarithm
from pcg.engine.kernel.runtime import (
    entry_point,
    inner,
    load8,
    load32,
    load64,
    load_double,
    store32,
    store_double,
    times,
)

MIX = 56
"""Bytes from the sizes of `diverge` to the factors of a window's cells."""
TO_BITS = 1.0 / math.log(2.0)
"""Bits for each unit of a natural logarithm."""


@inner
def _equal(image: int, stride: int, level: int, height: int, width: int) -> int:
    """Number of cells in which a level equals the window of an image that begins at an address."""
    found = 0
    for y in range(height):
        row, own = image + 4 * stride * y, level + 4 * width * y
        for x in range(width):
            if load32(row + 4 * x) == load32(own + 4 * x):
                found += 1
    return found


@entry_point("i8(i8, i8, i8, i8, i8)")
def most_equal(images: int, level: int, common: int, found: int, sizes: int) -> int:
    """Find the largest share of cells that a level and a window of some images, as large, have in common; returns 0.

    images: int32[number * rows * columns]; level: int32[height * width]; common: double[(rows - height + 1) *
    (columns - width + 1)], the cells that are compared in each window; found: double[1], the largest share so far;
    sizes: int64[5] number, rows, columns, height, width.
    """
    number, rows, columns = load64(sizes), load64(sizes + 8), load64(sizes + 16)
    height, width = load64(sizes + 24), load64(sizes + 32)
    most = load_double(found)
    for k in range(number):
        cells = common
        for y in range(rows - height + 1):
            for x in range(columns - width + 1):
                window = images + 4 * ((k * rows + y) * columns + x)
                most = max(most, _equal(window, columns, level, height, width) / load_double(cells))
                cells += 8
    store_double(found, most)
    return 0


@entry_point("i8(i8, i8, i8, i8)")
def most_in_both(one: int, images: int, shift: int, sizes: int) -> int:
    """Return the largest number of cells that are set in a mask and in one of some images, shifted by a few cells.

    one: int8[height * width]; images: int8[number * rows * columns]; shift: largest one along either axis; sizes:
    int64[5] number, rows, columns, height, width.
    """
    number, rows, columns = load64(sizes), load64(sizes + 8), load64(sizes + 16)
    height, width = load64(sizes + 24), load64(sizes + 32)
    most = 0
    for k in range(number):
        image = images + k * rows * columns
        for dy in range(-shift, shift + 1):
            for dx in range(-shift, shift + 1):
                both = 0
                for y in range(max(0, dy), min(height, rows + dy)):
                    for x in range(max(0, dx), min(width, columns + dx)):
                        both += load8(one + y * width + x) & load8(image + (y - dy) * columns + x - dx)
                most = max(most, both)
    return most


@inner
def place_of(known: int, first: int, last: int, code: int) -> int:
    """Position of a code among those from `first` to before `last`, ascending; -1 where it is not among them."""
    while first < last:
        middle = (first + last) // 2
        found = load64(known + 8 * middle)
        if found == code:
            return middle
        if found < code:
            first = middle + 1
        else:
            last = middle
    return -1


@inner
def _count_windows(level: int, known: int, counts: int, sizes: int) -> None:
    """Count the windows of a level by their codes, those one, two and three cells square in turn, as `diverge` does."""
    height, width = load64(sizes), load64(sizes + 8)
    for side in range(1, 4):
        first, last = load64(sizes + 8 + 8 * side), load64(sizes + 16 + 8 * side)
        for y in range(height - side + 1):
            for x in range(width - side + 1):
                code, factor = 0, sizes + MIX
                for row in range(level + 4 * (y * width + x), level + 4 * ((y + side) * width + x), 4 * width):
                    for cell in range(row, row + 4 * side, 4):
                        code ^= times(load32(cell) + 1, load64(factor))
                        factor += 8
                place = place_of(known, first, last, code)
                if place >= 0:
                    store32(counts + 4 * place, load32(counts + 4 * place) + 1)


@inner
def _summand(share: float) -> float:
    """Summand of an entropy that a share makes, in bits."""
    return -(share * (logarithm(share) * TO_BITS)) if share > 0.0 else 0.0


@entry_point("i8(i8, i8, i8, i8, i8, i8)")
def diverge(level: int, known: int, shares: int, counts: int, found: int, sizes: int) -> int:
    """Compare the windows of a level with those of other levels; returns 0.

    level: int32[height * width] tile numbers; known: int64[windows] codes, ascending for each side of windows; shares:
    double[windows * levels * 2], the share of each window among those of its side in each other level, and what half
    of that adds to an entropy; counts: int32[windows] zeros, gets how often the level has each; found:
    double[levels + 2], gets for each other level what the windows of this one add to the entropy of the mean beyond
    what they add for the other alone; then the entropy of this level's own windows, and the sum of their shares, over
    all sides; sizes: int64[16] height, width, where the codes of each side begin, with the end of the last, number of
    levels, and the factors of the nine cells of a window.
    """
    height, width, levels = load64(sizes), load64(sizes + 8), load64(sizes + 48)
    _count_windows(level, known, counts, sizes)
    for k in range(levels + 2):
        store_double(found + 8 * k, 0.0)
    entropy = all_shares = 0.0
    for side in range(1, 4):
        number = max(0, height - side + 1) * max(0, width - side + 1)
        for place in range(load64(sizes + 8 + 8 * side), load64(sizes + 16 + 8 * side)):
            count = load32(counts + 4 * place)
            if count > 0:
                own = count / number
                all_shares += own
                entropy += _summand(own)
                alone = _summand(0.5 * own)
                row = shares + 16 * levels * place
                for k in range(levels):
                    share = load_double(row + 16 * k)
                    more = alone
                    if share > 0.0:
                        more = _summand(0.5 * (own + share)) - load_double(row + 16 * k + 8)
                    store_double(found + 8 * k, load_double(found + 8 * k) + more)
    store_double(found + 8 * levels, entropy)
    store_double(found + 8 * levels + 8, all_shares)
    return 0
