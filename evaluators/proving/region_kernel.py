"""The region in which an avatar walks about freely, and what it can touch or hit from there.

In most games of puzzles what an avatar does between two things that it touches makes no difference: its place in a
region that it walks about freely can be left out, and a way through the region is one step (Junghanns and Schaeffer,
Sokoban: Enhancing general single-agent search methods using domain knowledge, 2001). Which kinds of sprites are free,
in the way, or worth being touched or hit comes from the rules (`contacts`).
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.protocol import map_types
from pcg.engine.kernel.runtime import inner, load8, load32, store8, store32, view_of

SOLID, TOUCHED, HIT, AWAITED = 1, 2, 4, 8
"""Bits of a type: stops the avatar; something comes of walking into it; something comes of what the avatar throws at
it; is waited for after a contact.
"""
UP, DOWN, LEFT, RIGHT = 0, 1, 2, 3
"""Directions, in the order of the record's `moves`."""
NOTHING = -1
"""The contact that is none: to wait until something new comes of what moves by itself."""

REGION = np.dtype(
    [
        ("model", "i8"),
        ("columns", "i8"),
        ("cells", "i8"),
        ("flags", "i8"),  # int8[types]: bits of each type
        ("marks", "i8"),  # int8[cells]: bits of the sprites there
        ("via", "i8"),  # int8[cells]: 0: not in the region, 1 + the direction of the last step, 5: where it begins
        ("queue", "i8"),  # int32[cells]: the region, nearest cells first
        ("size", "i8"),  # cells of the region
        ("steps", "i8"),  # int8[cells]: scratch, directions of a way
        ("contacts", "i8"),  # int32[1 + 8 * cells]: 8 * cell + direction, + 4 for a throw; NOTHING
        ("moves", "i8"),  # int64[4]: actions that move up, down, left, right
        ("throw", "i8"),  # action that throws, -1: there is none
        ("range", "i8"),  # cells that what is thrown gets
        ("most", "i8"),  # contacts that are tried at a time
        ("patience", "i8"),  # ticks in which a step may get the avatar to the next cell
        ("pause", "i8"),  # ticks at most that something new is waited for as a contact of its own, 0: there is none
        ("wait", "i8"),  # ticks at most that what is under way is waited for
        ("counts", "i8"),  # int32[types]: scratch
        ("types", "i8"),
    ],
    align=True,
)

region_at = view_of(REGION)


@inner
def beside(region: int, cell: int, direction: int) -> int:
    """The next cell in a direction, -1 outside the level."""
    r = region_at(region)
    if direction == UP:
        return cell - r.columns
    if direction == DOWN:
        return cell + r.columns if cell < r.cells - r.columns else -1
    x = cell % r.columns
    if direction == LEFT:
        return cell - 1 if x > 0 else -1
    return cell + 1 if x < r.columns - 1 else -1


@inner
def spread_region(region: int, state: int, start: int) -> int:
    """Work out the region around a cell by walking; returns its first cell, row by row, which stands for it."""
    r = region_at(region)
    for cell in range(r.cells):
        store8(r.marks + cell, 0)
        store8(r.via + cell, 0)
    map_types(r.model, state, r.flags, r.marks)
    store8(r.via + start, 5)
    store32(r.queue, start)
    r.size = 1
    first = start
    head = 0
    while head < r.size:
        cell = load32(r.queue + 4 * head)
        head += 1
        if cell < first:
            first = cell
        for direction in range(4):
            other = beside(region, cell, direction)
            if other < 0 or load8(r.via + other) != 0 or load8(r.marks + other) & (SOLID | TOUCHED):
                continue
            store8(r.via + other, direction + 1)
            store32(r.queue + 4 * r.size, other)
            r.size = r.size + 1
    return first


@inner
def list_contacts(region: int) -> int:
    """Write all that can be touched or hit from the region to `contacts`, nearest first; returns how many."""
    r = region_at(region)
    count = 0
    if r.pause > 0:
        store32(r.contacts, NOTHING)
        count = 1
    for k in range(r.size):
        cell = load32(r.queue + 4 * k)
        for direction in range(4):
            other = beside(region, cell, direction)
            if other < 0 or not load8(r.marks + other) & TOUCHED:
                continue
            # what the avatar stands on is turned again by leaving it and coming back
            if load8(r.via + other) == 0 or (r.pause > 0 and load8(r.via + other) == 5):
                store32(r.contacts + 4 * count, 8 * cell + direction)
                count += 1
    if r.throw < 0:
        return count
    for target in range(r.cells):
        if not load8(r.marks + target) & HIT:
            continue
        for direction in range(4):
            back = direction ^ 1
            cell = beside(region, target, back)
            # from the nearest cell in line: what is farther is in the way of it
            for _ in range(r.range):
                if cell < 0 or load8(r.marks + cell) & (SOLID | HIT):
                    break
                if load8(r.via + cell) != 0:
                    store32(r.contacts + 4 * count, 8 * cell + direction + 4)
                    count += 1
                    break
                cell = beside(region, cell, back)
    return count


@inner
def way_within(region: int, cell: int) -> int:
    """Write the directions of a way to a cell of the region to `steps`, last one first; returns how many, -1 for a cell
    that is not of the region.
    """
    r = region_at(region)
    if load8(r.via + cell) == 0:
        return -1
    length = 0
    at = cell
    while load8(r.via + at) != 5:
        direction = load8(r.via + at) - 1
        store8(r.steps + length, direction)
        length += 1
        at = beside(region, at, direction ^ 1)
    return length
