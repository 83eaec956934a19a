"""Compiled comparison of levels: cells that are equal and walls that are in both under shifts, and windows by code."""

from __future__ import annotations

from pcg.engine.kernel.runtime import entry_point, inner, load8, load32, load64, store64, times


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


@entry_point("i8(i8, i8, i8, i8)")
def count_equal(images: int, level: int, found: int, sizes: int) -> int:
    """Count the equal cells of a level and each of the windows of some images that are as large; returns 0.

    images: int32[number * rows * columns]; level: int32[height * width]; found: int64[number * (rows - height + 1) *
    (columns - width + 1)], gets the counts; sizes: int64[5] number, rows, columns, height, width.
    """
    number, rows, columns = load64(sizes), load64(sizes + 8), load64(sizes + 16)
    height, width = load64(sizes + 24), load64(sizes + 32)
    for k in range(number):
        for y in range(rows - height + 1):
            for x in range(columns - width + 1):
                window = images + 4 * ((k * rows + y) * columns + x)
                store64(found, _equal(window, columns, level, height, width))
                found += 8
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
def _place(known: int, first: int, last: int, code: int) -> int:
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


@entry_point("i8(i8, i8, i8, i8, i8)")
def count_windows(level: int, known: int, counts: int, mix: int, sizes: int) -> int:
    """Count the windows of a level by their codes, those one, two and three cells square in turn; returns 0.

    level: int32[height * width] tile numbers; known: int64[...] codes, ascending for each side of windows; counts:
    int64[...] zeros, as long; mix: int64[9] factors of the cells of a window; sizes: int64[6] height, width, and where
    the codes of each side begin, with the end of the last.
    """
    height, width = load64(sizes), load64(sizes + 8)
    for side in range(1, 4):
        first, last = load64(sizes + 8 + 8 * side), load64(sizes + 16 + 8 * side)
        for y in range(height - side + 1):
            for x in range(width - side + 1):
                code = 0
                for k in range(side * side):
                    cell = level + 4 * ((y + k // side) * width + x + k % side)
                    code ^= times(load32(cell) + 1, load64(mix + 8 * k))
                place = _place(known, first, last, code)
                if place >= 0:
                    store64(counts + 8 * place, load64(counts + 8 * place) + 1)
    return 0
