"""Estimate of the ticks to a win by the avatar's way to what must be reached, around walls, through what can be moved.

A shortest way over the cells of a level: a free cell costs a tick, one with something that can be pushed, opened or
removed some more, and walls are no way. Where something else must be brought there to clear the way (a stone for a
hole), the way of that is added. It is worked out anew for a state, which is affordable where only states that are
remembered are judged.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.protocol import avatar_cell, map_types
from pcg.engine.kernel.runtime import (
    call2_double,
    entry_point,
    inner,
    load8,
    load32,
    load_double,
    store8,
    store32,
    view_of,
)
from pcg.evaluators.agents.kernel.decision import decision_at

SOLID, HINDRANCE, FIRST_TARGET = 1, 2, 4
"""Bits of a cell: no way; a way that costs more; from here on the kinds of targets, a bit each."""
MOST_TARGETS = 5
"""Kinds of targets; each takes one of the bits of a cell's mark."""
MOST_GATES = 3
"""Kinds of gates; each takes two of the bits of a cell's second mark: the gate's, and that of what clears it."""

WAY = np.dtype(
    [
        ("columns", "i8"),
        ("rows", "i8"),
        ("flags", "i8"),  # int8[types]: bits of each type
        ("marks", "i8"),  # int8[cells]: bits of the sprites there
        ("distance", "i8"),  # int32[cells]: from the avatar, -1: no way
        ("queue", "i8"),  # int32[cells + 1]: a ring of cells whose neighbours are to be looked at
        ("queued", "i8"),  # int8[cells]: 1 for cells in it
        ("price", "i8"),  # ticks that a hindrance costs
        ("far", "i8"),  # ticks to a target that there is no way to
        ("targets", "i8"),
        ("weights", "i8"),  # float64[targets]: of the way to the nearest target of each kind
        ("gates", "i8"),  # kinds of what bars the way until something else is brought there
        ("gate_flags", "i8"),  # int8[types]: bit 2k for gates of kind k, bit 2k + 1 for what clears them
        ("gate_marks", "i8"),  # int8[cells]: bits of the sprites there
        ("gate_ways", "i8"),  # int32[gates * cells]: ways from what clears the gates of each kind, -1: no way
        ("rest", "i8"),  # address of an entry point f8(decision, state): what is estimated besides
        ("rest_field", "i8"),  # the `field` of the decision that it reads
    ],
    align=True,
)

way_at = view_of(WAY)


@inner
def to_clear(way: int, cell: int) -> int:
    """Ticks that it takes to bring what clears the gate of a cell there, 0 where there is no gate."""
    w = way_at(way)
    bits = load8(w.gate_marks + cell)
    for k in range(w.gates):
        if bits & (1 << (2 * k)):
            far: int = load32(w.gate_ways + 4 * (k * w.columns * w.rows + cell))
            return w.far if far < 0 else far
    return 0


@inner
def reach(way: int, start: int, fillers: int) -> None:
    """Work out the distances of all cells from a cell, or, with start -1, from what clears gates of a kind."""
    w = way_at(way)
    cells = w.columns * w.rows
    head = 0
    count = 0
    for cell in range(cells):
        store32(w.distance + 4 * cell, -1)
        store8(w.queued + cell, 0)
        if cell == start or (start < 0 and load8(w.gate_marks + cell) & fillers):
            store32(w.distance + 4 * cell, 0)
            store32(w.queue + 4 * count, cell)
            count += 1
    while count > 0:
        cell = load32(w.queue + 4 * head)
        head = (head + 1) % (cells + 1)
        count -= 1
        store8(w.queued + cell, 0)
        x = cell % w.columns
        for k in range(4):
            if k == 0:
                other = cell - w.columns
            elif k == 1:
                other = cell + w.columns if cell < cells - w.columns else -1
            elif k == 2:
                other = cell - 1 if x > 0 else -1
            else:
                other = cell + 1 if x < w.columns - 1 else -1
            if other < 0:
                continue
            mark = load8(w.marks + other)
            if mark & SOLID and mark < FIRST_TARGET:
                continue
            far = load32(w.distance + 4 * cell) + 1
            if mark & HINDRANCE:
                far += w.price
                if start >= 0:
                    far += to_clear(way, other)
            known = load32(w.distance + 4 * other)
            if known < 0 or far < known:
                store32(w.distance + 4 * other, far)
                if load8(w.queued + other) == 0:
                    store8(w.queued + other, 1)
                    store32(w.queue + 4 * ((head + count) % (cells + 1)), other)
                    count += 1


@entry_point("f8(i8, i8)")
def way_to_targets(decision: int, state: int) -> float:
    """The weighted ways to the nearest target of each kind, and what is estimated besides."""
    d = decision_at(decision)
    way = d.field
    w = way_at(way)
    cells = w.columns * w.rows
    d.field = w.rest_field
    value: float = call2_double(w.rest, decision, state)
    d.field = way
    start = avatar_cell(d.model, state, d.player)
    if start < 0:
        return value
    for cell in range(cells):
        store8(w.marks + cell, 0)
    map_types(d.model, state, w.flags, w.marks)
    if w.gates > 0:
        for cell in range(cells):
            store8(w.gate_marks + cell, 0)
        map_types(d.model, state, w.gate_flags, w.gate_marks)
        for k in range(w.gates):
            reach(way, -1, 2 << (2 * k))
            for cell in range(cells):
                store32(w.gate_ways + 4 * (k * cells + cell), load32(w.distance + 4 * cell))
    reach(way, start, 0)
    for k in range(w.targets):
        bit = FIRST_TARGET << k
        nearest = -1
        there = 0
        for cell in range(cells):
            if load8(w.marks + cell) & bit:
                there = 1
                far = load32(w.distance + 4 * cell)
                if far >= 0 and (nearest < 0 or far < nearest):
                    nearest = far
        if there == 1:
            if nearest < 0:
                nearest = w.far
            value += load_double(w.weights + 8 * k) * nearest
    return value
