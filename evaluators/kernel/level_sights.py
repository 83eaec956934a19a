"""Compiled part of sights: the cells from which a thing can be seen along a row or column."""

from __future__ import annotations

from pcg.engine.kernel.runtime import entry_point, inner, load8, store8


@inner
def _look(targets: int, walls: int, found: int, first: int, step: int, count: int) -> int:
    """Go along `count` cells from `first`, and mark those that come after a target with no wall between."""
    seen = 0
    cell = first
    for _ in range(count):
        if seen:
            store8(found + cell, 1)
        if load8(walls + cell):
            seen = 0
        elif load8(targets + cell):
            seen = 1
        cell += step
    return 0


@entry_point("i8(i8, i8, i8, i8, i8, i8)")
def clear_lines(targets: int, walls: int, found: int, kinds: int, height: int, width: int) -> int:
    """Mark for each kind the cells with one of it in their row or column and no wall between; returns 0.

    targets: int8[kinds * height * width], 1 where there is one of a kind; walls: int8[height * width], 1 where the
    view is blocked, by what stands there, too; found: int8[kinds * height * width], 0 everywhere, gets the marks.
    """
    size = height * width
    for kind in range(kinds):
        here, there = targets + kind * size, found + kind * size
        for y in range(height):
            _look(here, walls, there, y * width, 1, width)
            _look(here, walls, there, (y + 1) * width - 1, -1, width)
        for x in range(width):
            _look(here, walls, there, x, width, height)
            _look(here, walls, there, (height - 1) * width + x, -width, height)
    return 0
