"""Cells of sprites: a mask of the level sprites near, and lists of the moving ones where there are many."""

from __future__ import annotations

from pcg.engine.kernel.groups import first_moving, next_moving, slot_from
from pcg.engine.kernel.layout import context_at, sprite_at, state_at
from pcg.engine.kernel.runtime import inlined, inner, load16, load32, load64, store32

# --- cells, and the level sprites in them ---


@inner
def cells_along(gm, pixels):
    """Return the cell of a non-negative pixel coordinate (floor division by the block size)."""
    g = context_at(gm)
    if g.inverse != 0:
        return (pixels * g.inverse) >> 32
    return pixels // g.block


@inner
def cell_at(gm, x, y):
    """Number of the cell of a point; points outside count as the nearest border cell."""
    g = context_at(gm)
    x = max(0, min(x, g.width - 1))
    y = max(0, min(y, g.height - 1))
    return cells_along(gm, y) * g.columns + cells_along(gm, x)


@inlined
def near_mask(gm, st, a):
    """Bit (type & 63) of every type with level sprites placed in the cells that `a` covers; those dead included."""
    near = sprite_at(a).near
    if near == -1:
        near = look_around(gm, st, a)
    return near


@inner
def look_around(gm, st, a):
    """The same looked up in the cells; a moving sprite keeps it until it moves."""
    p = sprite_at(a)
    g = context_at(gm)
    mask = 0
    x1 = p.x + p.w - 1
    y1 = p.y + p.h - 1
    if p.w > 0 and p.h > 0 and p.x >= 0 and p.y >= 0 and x1 < g.width and y1 < g.height and p.slot >= 0:
        c0 = cells_along(gm, p.x)
        r0 = cells_along(gm, p.y)
        right = cells_along(gm, x1) - c0
        below = cells_along(gm, y1) - r0
        if right <= 1 and below <= 1:
            # most sprites are no larger than a cell, so that they cover four at most
            at = g.cell_mask + 8 * (r0 * g.columns + c0)
            mask = load64(at) | load64(at + 8 * right)
            if below != 0:
                at += 8 * g.columns
                mask = mask | load64(at) | load64(at + 8 * right)
            p.near = mask
            return mask
    if p.w > 0 and p.h > 0 and p.x < g.width and p.y < g.height and p.x + p.w > 0 and p.y + p.h > 0:
        c0 = cells_along(gm, max(p.x, 0))
        r0 = cells_along(gm, max(p.y, 0))
        c1 = cells_along(gm, min(p.x + p.w, g.width) - 1)
        r1 = cells_along(gm, min(p.y + p.h, g.height) - 1)
        for r in range(r0, r1 + 1):
            for c in range(c0, c1 + 1):
                mask = mask | load64(g.cell_mask + 8 * (r * g.columns + c))
    if p.slot >= 0:
        p.near = mask
    return mask


# --- moving sprites by cell ---

MANY_MOVING = 64
"""A state whose sprites have needed more slots than this keeps them in lists by cell from then on."""
_MARKS = 15
"""Classes of types that are told apart by the marks of a cell."""
OVERHANG = 1 << 31
"""Mark of a cell: a sprite listed there may reach into the cells to its right or below."""


@inlined
def cell_word(st, cell):
    """Address of a cell's int32: the slot its list begins with (low half, -1: none), and marks of what it may hold.

    Marks are one bit per class of types (`type_mark`) and `OVERHANG`. They are set when a sprite comes; all are taken
    back when the last one goes, that of a type also when a search for it finds none: one that is not set is sure, one
    that is set is not.
    """
    return st + state_at(st).at_cells + 4 * cell


@inlined
def type_mark(t):
    """The mark that a sprite of type t leaves at its cell."""
    return 1 << (16 + t % _MARKS)


@inlined
def reach_mark(gm, p, column, row):
    """The mark of a sprite that reaches into the cells to the right of its own or below, otherwise 0."""
    block = context_at(gm).block
    return OVERHANG if p.x + p.w > (column + 1) * block or p.y + p.h > (row + 1) * block else 0


@inlined
def column_of(gm, x):
    """Column of a pixel coordinate; what lies outside counts as the nearest one."""
    return cells_along(gm, max(0, min(x, context_at(gm).width - 1)))


@inlined
def row_of(gm, y):
    """Row of a pixel coordinate; what lies outside counts as the nearest one."""
    return cells_along(gm, max(0, min(y, context_at(gm).height - 1)))


@inner
def link_cell(gm, st, a):
    """Put a moving sprite into the list of its cell."""
    p = sprite_at(a)
    column = column_of(gm, p.x)
    row = row_of(gm, p.y)
    link_at(st, st + state_at(st).at_sprites, context_at(gm).stride, a, row * context_at(gm).columns + column)
    here = cell_word(st, p.cell)
    store32(here, load32(here) | reach_mark(gm, p, column, row))


@inlined
def link_at(st, base, stride, a, cell):
    """Put a moving sprite into the list of a cell; the place and stride of the sprites are the caller's."""
    p = sprite_at(a)
    p.cell = cell
    here = cell_word(st, cell)
    word = load32(here)
    first = load16(here)
    p.cell_next = first
    p.cell_prev = -1
    if first >= 0:
        sprite_at(slot_from(st, base, stride, first)).cell_prev = p.slot
    store32(here, word & ~0xFFFF | type_mark(p.type) | p.slot)


@inner
def unlink_cell(gm, st, a):
    """Take a moving sprite out of the list of its cell."""
    unlink_from(st, st + state_at(st).at_sprites, context_at(gm).stride, a)


@inlined
def unlink_from(st, base, stride, a):
    """The same; the place and stride of the sprites are the caller's."""
    p = sprite_at(a)
    before = p.cell_prev
    following = p.cell_next
    if before >= 0:
        sprite_at(slot_from(st, base, stride, before)).cell_next = following
    elif following >= 0:
        # the whole word, for whoever reads it next would wait for a part of it
        here = cell_word(st, p.cell)
        store32(here, load32(here) & ~0xFFFF | following)
    else:
        store32(cell_word(st, p.cell), 0xFFFF)
    if following >= 0:
        sprite_at(slot_from(st, base, stride, following)).cell_prev = before


@inner
def follow_cell(gm, st, a):
    """Keep a sprite whose rectangle has changed in the list of its cell."""
    p = sprite_at(a)
    column = column_of(gm, p.x)
    row = row_of(gm, p.y)
    cell = row * context_at(gm).columns + column
    reach = reach_mark(gm, p, column, row)
    if cell != p.cell:
        base = st + state_at(st).at_sprites
        stride = context_at(gm).stride
        unlink_from(st, base, stride, a)
        link_at(st, base, stride, a, cell)
    if reach != 0:
        here = cell_word(st, cell)
        store32(here, load32(here) | reach)


@inner
def clear_cells(gm, st):
    """Empty the lists of all cells."""
    g = context_at(gm)
    for cell in range(g.columns * g.rows):
        store32(cell_word(st, cell), 0xFFFF)


@inner
def sort_into_cells(gm, st):
    """Begin to keep the moving sprites of a state in lists by cell."""
    g = context_at(gm)
    state_at(st).grid = 1
    clear_cells(gm, st)
    for t in range(g.n_types):
        a = first_moving(gm, st, t)
        while a != 0:
            link_cell(gm, st, a)
            a = next_moving(gm, st, a)
