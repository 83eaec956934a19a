"""Observations for learning agents, written by compiled code: type planes and entity lists.

Each entry point takes a *view* (what to write where, prepared by `pcg.engine.envs.observers`), a context, a state and
the address to write to. The cell rule is that of the observation grid (reference/state 6.5); hidden types are left out.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.groups import first_of, next_of, slot_address
from pcg.engine.kernel.layout import DISABLED, SPRITE_BYTES, context_at, sprite_at, state_at
from pcg.engine.kernel.protocol import OK
from pcg.engine.kernel.runtime import (
    copy_bytes,
    entry_point,
    inner,
    load8,
    load32,
    store8,
    store64,
    store_double,
    view_of,
)

PLANES = np.dtype(
    [
        ("rows", "i8"),  # of a plane; at least those of the level
        ("columns", "i8"),
        ("bytes", "i8"),  # of all planes
        ("base", "i8"),  # uint8[planes, rows, columns]: what the sprites show that never change
        ("plane_of", "i8"),  # int32[types]: number of the type's plane, -1: none
        ("mortal_at", "i8"),  # int32[mortal level sprites]: the byte that each sets, -1: none
    ],
    align=True,
)

ENTITY_FIELDS = ("type", "x", "y", "width", "height", "dx", "dy", "speed", "health", "player", "alive")
"""Columns of an entity list. Positions and sizes in cells; (dx, dy): orientation; player: 1 or 2 for an avatar."""
N_FIELDS = len(ENTITY_FIELDS)
ENTITY_BOUND = 1e9
"""No entry is larger than this, or smaller than its negative."""

ENTITIES = np.dtype(
    [
        ("room", "i8"),  # rows there are
        ("shown", "i8"),  # int32[types]: 1 when sprites of the type are listed
    ],
    align=True,
)

planes_view = view_of(PLANES)
entities_view = view_of(ENTITIES)


# --- planes ---


@inner
def cell_of(position, block):
    """Cell of a pixel, divided towards zero: the pixels just before the first cell fall into it."""
    if position < 0:
        return -((-position) // block)
    return position // block


@inner
def mark(view, gm, a, out):
    """Set the cells of a sprite in the plane of its type: one cell, or up to 2 x 2 when it stands between cells."""
    v = planes_view(view)
    p = sprite_at(a)
    plane = load32(v.plane_of + 4 * p.type)
    if plane < 0:
        return
    g = context_at(gm)
    column = cell_of(p.x, g.block)
    row = cell_of(p.y, g.block)
    if column < 0 or row < 0 or column >= g.columns or row >= g.rows:
        return
    at = out + (plane * v.rows + row) * v.columns + column
    right = p.x > column * g.block and column + 1 < g.columns
    below = p.y > row * g.block and row + 1 < g.rows
    store8(at, 1)
    if right:
        store8(at + 1, 1)
    if below:
        store8(at + v.columns, 1)
    if right and below:
        store8(at + v.columns + 1, 1)


@entry_point("i8(i8, i8, i8, i8)")
def write_planes(view, gm, st, out):
    """Write uint8[planes, rows, columns] to `out`: 1 where a sprite of the plane's type is. Returns OK."""
    v = planes_view(view)
    g = context_at(gm)
    s = state_at(st)
    copy_bytes(out, v.base, v.bytes)
    for k in range(g.n_mortal):
        at = load32(v.mortal_at + 4 * k)
        if at >= 0 and load8(st + s.at_alive + k) != 0:
            store8(out + at, 1)
    for slot in range(s.slots):
        a = slot_address(gm, st, slot)
        if sprite_at(a).id >= 0:
            mark(view, gm, a, out)
    return OK


@entry_point("i8(i8, i8, i8)")
def mark_level(view, gm, out):
    """Mark the level sprites that cannot die: the `base` of a view."""
    g = context_at(gm)
    for k in range(g.n_mortal, g.n_level):
        mark(view, gm, g.level + k * SPRITE_BYTES, out)
    return OK


# --- entities ---


@inner
def bounded(value):
    """The value within the bounds of an entry; not-a-number counts 0."""
    if value != value:
        return 0.0
    if value > ENTITY_BOUND:
        return ENTITY_BOUND
    if value < -ENTITY_BOUND:
        return -ENTITY_BOUND
    return value


@entry_point("i8(i8, i8, i8, i8)")
def write_entities(view, gm, st, out):
    """Write an int64 count and then float64[room, fields] to `out`, unused rows 0. Returns OK.

    By type id, within a type in order of creation; what does not fit is left out.
    """
    v = entities_view(view)
    g = context_at(gm)
    n = 0
    for t in range(g.n_types):
        if load32(v.shown + 4 * t) == 0:
            continue
        a = first_of(gm, st, t)
        while a != 0 and n < v.room:
            p = sprite_at(a)
            at = out + 8 + 8 * N_FIELDS * n
            store_double(at, float(t))
            store_double(at + 8, bounded(p.x / g.block))
            store_double(at + 16, bounded(p.y / g.block))
            store_double(at + 24, bounded(p.w / g.block))
            store_double(at + 32, bounded(p.h / g.block))
            store_double(at + 40, bounded(p.ox))
            store_double(at + 48, bounded(p.oy))
            store_double(at + 56, bounded(p.speed))
            store_double(at + 64, bounded(float(p.hp)))
            store_double(at + 72, float(p.player + 1))
            store_double(at + 80, 0.0 if p.bits & DISABLED else 1.0)
            n += 1
            a = next_of(gm, st, a)
    store64(out, n)
    for i in range(N_FIELDS * n, N_FIELDS * v.room):
        store_double(out + 8 + 8 * i, 0.0)
    return OK
