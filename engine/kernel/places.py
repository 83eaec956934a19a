"""Positions for planning agents: the avatar's cell, a map of chosen types, numbers of sprites.

These functions of the forward-model protocol are for games on a grid of cells. No tick needs this module, so that it
can change without the engine being compiled again.
"""

from __future__ import annotations

from pcg.engine.kernel.atoms import facing_of
from pcg.engine.kernel.cells import cell_at
from pcg.engine.kernel.groups import first_moving, group_at, is_mortal_alive, next_moving, slot_address, type_at
from pcg.engine.kernel.layout import AVATAR_AT, DISABLED, KILLED, SPRITE_BYTES, T_HIDDEN, context_at, sprite_at
from pcg.engine.kernel.runtime import entry_point, inner, load8, load32, store8, store32

FACING, PRODUCT = 1, 2
"""Flags of a type in `mark_settings`: how its sprites are turned, and what they bring forth as spawners."""


@inner
def middle_cell(gm, a):
    """Cell of a sprite's middle."""
    p = sprite_at(a)
    return cell_at(gm, p.x + p.w // 2, p.y + p.h // 2)


@entry_point("i8(i8, i8, i8)")
def model_cell(gm, st, player):
    """Protocol: row * columns + column of the middle of the player's avatar; -1 without one."""
    slot = load32(st + AVATAR_AT + 4 * player)
    if slot < 0:
        return -1
    return middle_cell(gm, slot_address(gm, st, slot))


@entry_point("i8(i8, i8, i8, i8)")
def model_map(gm, st, flags, out):
    """Protocol: at the cell of every living sprite, set in int8 out[cells] the bits int8 flags[type] of its type.

    Returns the number of sprites that set any. Hidden types set none: agents do not observe them (reference/state 6.5).
    """
    g = context_at(gm)
    marked = 0
    for t in range(g.n_types):
        bits = load8(flags + t)
        if bits == 0 or type_at(gm, t).bits & T_HIDDEN:
            continue
        first = load32(g.level_start + 8 * t)
        for k in range(first, first + load32(g.level_start + 8 * t + 4)):
            if k >= g.n_mortal or is_mortal_alive(st, k):
                cell = middle_cell(gm, g.level + SPRITE_BYTES * k)
                store8(out + cell, load8(out + cell) | bits)
                marked += 1
        a = first_moving(gm, st, t)
        while a != 0:
            if sprite_at(a).bits & (DISABLED | KILLED) == 0:
                cell = middle_cell(gm, a)
                store8(out + cell, load8(out + cell) | bits)
                marked += 1
            a = next_moving(gm, st, a)
    return marked


@entry_point("i8(i8, i8, i8)")
def model_counts(gm, st, out):
    """Protocol: how many sprites of each type are alive, to int32 out[types]; returns the number of types."""
    g = context_at(gm)
    for t in range(g.n_types):
        group = group_at(st, t)
        store32(out + 4 * t, group.count - group.disabled)
    return g.n_types


@entry_point("i8(i8, i8, i8, i8)")
def mark_settings(gm, st, flags, out):
    """At the cells of moving sprites turn over bits of int8 out[cells] that tell, by the int8 flags[type] of their
    types, orientations and products from others. Returns the number of these sprites.

    Sprites that belong to the level stay as they are. Hidden types are left out, as in `model_map`.
    """
    g = context_at(gm)
    marked = 0
    for t in range(g.n_types):
        asked = load8(flags + t)
        if asked == 0 or type_at(gm, t).bits & T_HIDDEN:
            continue
        a = first_moving(gm, st, t)
        while a != 0:
            p = sprite_at(a)
            if p.bits & (DISABLED | KILLED) == 0:
                cell = middle_cell(gm, a)
                setting = 1 + facing_of(p) if asked == FACING else 1 + p.a2 % 127
                store8(out + cell, load8(out + cell) ^ setting)
                marked += 1
            a = next_moving(gm, st, a)
    return marked
