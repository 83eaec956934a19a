"""Measures of the PCG Benchmark for stacks of blocks, in compiled code.

A block falls onto the highest column under it and is lost when that reaches the top. The cells of each kind of block
are told from their corner on, and turned when they are longer than wide; the corner is the least row and column of any
layer, but how wide they are is counted layer by layer from the corner that is known by then.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.runtime import entry_point, inner, load8, load32, store8, store32, view_of

KINDS = ("1x1", "1x3", "3x1", "3x3")
"""Rows and columns of the kinds of blocks, in the order of the numbers in a content."""

BUILDING = np.dtype(
    [
        ("height", "i8"),
        ("side", "i8"),  # rows and columns of a layer
        ("blocks", "i8"),
        ("content", "i8"),  # int32[blocks * 3]: column, row, kind
        ("cells", "i8"),  # int8[height * side * side]: kind + 1, 0 where nothing is
        ("tops", "i8"),  # int32[side * side]: height of each column
        ("ends", "i8"),  # int32[height + 1]: how often columns end at a height
        ("counts", "i8"),  # int32[4]: blocks of each kind
        ("oriented", "i8"),  # int8[4 * height * side * side]
        ("lost", "i8"),
    ],
    align=True,
)

building_at = view_of(BUILDING)


@inner
def _drop(building: int, block: int) -> None:
    """Let a block fall."""
    b = building_at(building)
    kind = load32(b.content + 12 * block + 8)
    rows = 3 if kind >= 2 else 1
    columns = 3 if kind % 2 == 1 else 1
    x = min(load32(b.content + 12 * block), b.side - columns)
    y = min(load32(b.content + 12 * block + 4), b.side - rows)
    store32(b.counts + 4 * kind, load32(b.counts + 4 * kind) + 1)
    floor = 0
    for row in range(y, y + rows):
        for column in range(x, x + columns):
            floor = max(floor, load32(b.tops + 4 * (row * b.side + column)))
    if floor >= b.height:
        b.lost += 1
        return
    for row in range(y, y + rows):
        for column in range(x, x + columns):
            store8(b.cells + (floor * b.side + row) * b.side + column, kind + 1)
            store32(b.tops + 4 * (row * b.side + column), floor + 1)


@inner
def _count_ends(building: int) -> None:
    """Count where columns have a cell with none above it."""
    b = building_at(building)
    area = b.side * b.side
    for z in range(b.height):
        for place in range(area):
            covered = z + 1 < b.height and load8(b.cells + (z + 1) * area + place) != 0
            if load8(b.cells + z * area + place) and not covered:
                store32(b.ends + 4 * (z + 1), load32(b.ends + 4 * (z + 1)) + 1)


@inner
def _orient(building: int, kind: int) -> None:
    """Tell the cells of a kind from their corner on, rows and columns exchanged if they are longer than wide."""
    b = building_at(building)
    side = b.side
    top = side
    left = side
    long = 0
    wide = 0
    for z in range(b.height):
        first_row, last_row, first_column, last_column = side, -1, side, -1
        for row in range(side):
            for column in range(side):
                if load8(b.cells + (z * side + row) * side + column) == kind + 1:
                    first_row, last_row = min(first_row, row), max(last_row, row)
                    first_column, last_column = min(first_column, column), max(last_column, column)
        if last_row >= 0:
            top, left = min(top, first_row), min(left, first_column)
            long, wide = max(long, last_row - top), max(wide, last_column - left)
    base = b.oriented + kind * b.height * side * side
    for z in range(b.height):
        for row in range(side):
            for column in range(side):
                if load8(b.cells + (z * side + row) * side + column) != kind + 1:
                    continue
                y, x = row, column
                if long > wide:
                    y, x = column, row
                y = (y - top + side) % side
                x = (x - left + side) % side
                store8(base + (z * side + y) * side + x, 1)


@entry_point("i8(i8)")
def stack(building: int) -> int:
    """Let all blocks of a content fall, and measure the building; returns how many found no place."""
    b = building_at(building)
    volume = b.height * b.side * b.side
    for place in range(volume):
        store8(b.cells + place, 0)
    for place in range(4 * volume):
        store8(b.oriented + place, 0)
    for place in range(b.side * b.side):
        store32(b.tops + 4 * place, 0)
    for z in range(b.height + 1):
        store32(b.ends + 4 * z, 0)
    for kind in range(4):
        store32(b.counts + 4 * kind, 0)
    b.lost = 0
    for block in range(b.blocks):
        _drop(building, block)
    _count_ends(building)
    for kind in range(4):
        _orient(building, kind)
    return b.lost
