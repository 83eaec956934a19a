"""Distance field: the distance of every cell from the nearest target, around what blocks the avatar.

Built once per decision by a breadth-first search backwards from the targets, read at the leaves of a search: a state is
worth more the shorter its avatar's way is, and the less there is left to do. For models on a grid of cells
(`protocol.MODEL`'s `columns`).
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.protocol import avatar_cell, count_types, map_types, model_at
from pcg.engine.kernel.runtime import (
    entry_point,
    inner,
    load8,
    load32,
    load_double,
    store8,
    store32,
    store_double,
    view_of,
)
from pcg.evaluators.agents.kernel.decision import decision_at

SOLID = 1
"""Bit of the types the avatar cannot enter."""
TARGET = 2
"""Bit of the types to go to."""

DISTANCE_FIELD = np.dtype(
    [
        ("cells", "i8"),
        ("types", "i8"),
        ("flags", "i8"),  # int8[types]: SOLID and TARGET
        ("marks", "i8"),  # int8[cells]: flags of the sprites there
        ("distance", "i8"),  # float64[cells]: steps to the nearest target
        ("queue", "i8"),  # int32[cells]
        ("counts", "i8"),  # int32[types]: scratch
        ("weights", "i8"),  # float64[types]: ticks that a living sprite of the type stands for
        ("reach", "f8"),  # greatest distance found; what an avatar without a way is away
    ],
    align=True,
)

field_at = view_of(DISTANCE_FIELD)


@inner
def spread(f, columns, rows, tail, least, through):
    """Breadth first from the first `tail` cells of the queue to cells without a distance; how many have one then.

    Steps lead to cells without SOLID, or, with `through` = SOLID, to all; no distance is below `least`.
    """
    head = 0
    while head < tail:
        cell = load32(f.queue + 4 * head)
        head += 1
        far = max(load_double(f.distance + 8 * cell), least) + 1.0
        x = cell % columns
        for k in range(4):
            if k == 0:
                other = cell - columns if cell >= columns else -1
            elif k == 1:
                other = cell + columns if cell < columns * (rows - 1) else -1
            elif k == 2:
                other = cell - 1 if x > 0 else -1
            else:
                other = cell + 1 if x < columns - 1 else -1
            if other >= 0 and load_double(f.distance + 8 * other) < 0.0:
                if load8(f.marks + other) & (SOLID - through) == 0:
                    store_double(f.distance + 8 * other, far)
                    store32(f.queue + 4 * tail, other)
                    tail += 1
    return tail


@inner
def grow_field(decision: int, state: int) -> int:
    """Work the distances out for a state; returns the number of targets."""
    d = decision_at(decision)
    f = field_at(d.field)
    m = model_at(d.model)
    for cell in range(f.cells):
        store8(f.marks + cell, 0)
    map_types(d.model, state, f.flags, f.marks)
    targets = 0
    for cell in range(f.cells):
        store_double(f.distance + 8 * cell, -1.0)
        if load8(f.marks + cell) & TARGET:
            store_double(f.distance + 8 * cell, 0.0)
            store32(f.queue + 4 * targets, cell)
            targets += 1
    if targets == 0:
        f.reach = 0.0
        for cell in range(f.cells):
            store_double(f.distance + 8 * cell, 0.0)
        return 0
    reached = spread(f, m.columns, m.rows, targets, 0.0, 0)
    f.reach = load_double(f.distance + 8 * load32(f.queue + 4 * (reached - 1))) + 1.0
    # from where there is no way, being close as the crow flies is better than nothing
    spread(f, m.columns, m.rows, reached, f.reach, SOLID)
    return targets


@entry_point("i8(i8, i8)")
def build_field(decision: int, state: int) -> int:
    """`grow_field`, for Python."""
    return grow_field(decision, state)


@entry_point("i8(i8, i8, i8)")
def count_sprites(decision: int, state: int, out: int) -> int:
    """Numbers of living sprites by type to int32 out[types]; returns the number of types."""
    return count_types(decision_at(decision).model, state, out)


@entry_point("f8(i8, i8)")
def ticks_to_go(decision: int, state: int) -> float:
    """Estimated ticks to a win: the way to the nearest target, and what every sprite left to deal with stands for."""
    d = decision_at(decision)
    f = field_at(d.field)
    cell = avatar_cell(d.model, state, d.player)
    value = f.reach if cell < 0 else load_double(f.distance + 8 * cell)
    count_types(d.model, state, f.counts)
    for t in range(f.types):
        weight = load_double(f.weights + 8 * t)
        if weight != 0.0:
            value += weight * load32(f.counts + 4 * t)
    return value
