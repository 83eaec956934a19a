"""Compiled walking over levels: how far every cell is from where one starts.

Levels are flat arrays in reading order. What is walkable is worked out before, by `level_grid`.
"""

from __future__ import annotations

from pcg.engine.kernel.runtime import entry_point, inner, load8, load32, store32

CLOSED, TOUCHED, OPEN = range(3)
"""A cell cannot be reached, can be reached but leads nowhere, or can be walked over."""


@inner
def _visit(cells: int, steps: int, queue: int, last: int, cell: int, distance: int) -> int:
    """Reach a cell for the first time; returns the new end of the queue of cells to go on from."""
    kind = load8(cells + cell)
    if kind == CLOSED or load32(steps + 4 * cell) >= 0:
        return last
    store32(steps + 4 * cell, distance)
    if kind == OPEN:
        store32(queue + 4 * last, cell)
        last += 1
    return last


@entry_point("i8(i8, i8, i8, i8, i8, i8)")
def walk(cells: int, steps: int, queue: int, height: int, width: int, start: int) -> int:
    """Breadth first from cell `start`; returns how many cells one can go on from.

    cells: int8[height * width], one of CLOSED, TOUCHED, OPEN; steps: int32[height * width], -1 everywhere, gets the
    distances; queue: int32[height * width + 1].
    """
    store32(steps + 4 * start, 0)
    store32(queue, start)
    first, last = 0, 1
    while first < last:
        cell = load32(queue + 4 * first)
        first += 1
        distance = load32(steps + 4 * cell) + 1
        x = cell % width
        if cell >= width:
            last = _visit(cells, steps, queue, last, cell - width, distance)
        if cell + width < height * width:
            last = _visit(cells, steps, queue, last, cell + width, distance)
        if x > 0:
            last = _visit(cells, steps, queue, last, cell - 1, distance)
        if x + 1 < width:
            last = _visit(cells, steps, queue, last, cell + 1, distance)
    return last
