"""Visible differences between one state of a play and the next, found without making Python objects of either.

For servers and films that show hundreds of plays: a memory of what was shown last lies beside the state, is compared
with it, and the differences are written out as records. No tick depends on this module.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.layout import DISABLED, SPRITE_BYTES, context_at, sprite_at, state_at
from pcg.engine.kernel.runtime import entry_point, inner, load8, load32, store8, store32, view_of

LOOK = np.dtype(
    [
        ("id", "i4"),  # -1: nothing is shown in this place
        ("type", "i4"),
        ("x", "i4"),
        ("y", "i4"),
        ("w", "i4"),
        ("h", "i4"),
        ("ox", "f8"),
        ("oy", "f8"),
    ],
    align=True,
)
"""A sprite as it is shown; pixels of the game."""

CHANGE = np.dtype(
    [
        ("was", "i4"),
        ("id", "i4"),
        ("type", "i4"),
        ("x", "i4"),
        ("y", "i4"),
        ("w", "i4"),
        ("h", "i4"),
        ("ox", "f8"),
        ("oy", "f8"),
    ],
    align=True,
)
"""A place that looks different: the id of what was there (-1: nothing), and what is there now."""

MEMORY = np.dtype(
    [
        ("looks", "i8"),  # address of LOOK[room]: what was shown in each slot
        ("alive", "i8"),  # address of uint8[mortals]: which of the level's sprites were
        ("held", "i8"),  # address of int32[resources]: what the avatar had
        ("changes", "i8"),  # address of CHANGE[room + mortals]: what is found goes here
        ("room", "i8"),  # slots there is room for
        ("slots", "i8"),  # slots that were shown
        ("avatar", "i8"),  # type of the avatar, -1 without one
        ("health", "i8"),  # and its health
        ("holds", "i8"),  # 1: what it has is not what it had
    ],
    align=True,
)

NOTHING = -2147483648
"""In `held`: no entry for this resource."""

look_at = view_of(LOOK)
change_at = view_of(CHANGE)
memory_at = view_of(MEMORY)

LOOK_BYTES: int = LOOK.itemsize
CHANGE_BYTES: int = CHANGE.itemsize


@inner
def put_change(memory, count, was, shown, sprite):
    """Write change number `count`: what was there, and the sprite that is, if one is shown."""
    c = change_at(memory_at(memory).changes + CHANGE_BYTES * count)
    c.was = was
    c.id = -1
    if shown != 0:
        p = sprite_at(sprite)
        c.id = p.id
        c.type = p.type
        c.x = p.x
        c.y = p.y
        c.w = p.w
        c.h = p.h
        c.ox = p.ox
        c.oy = p.oy


@inner
def same_look(look, sprite):
    """1 when a sprite looks as it was shown."""
    k = look_at(look)
    p = sprite_at(sprite)
    same = k.id == p.id and k.type == p.type and k.x == p.x and k.y == p.y and k.w == p.w and k.h == p.h
    return 1 if same and k.ox == p.ox and k.oy == p.oy else 0


@inner
def remember(look, shown, sprite):
    """Take over how a sprite looks, or that none is shown."""
    k = look_at(look)
    k.id = -1
    if shown != 0:
        p = sprite_at(sprite)
        k.id = p.id
        k.type = p.type
        k.x = p.x
        k.y = p.y
        k.w = p.w
        k.h = p.h
        k.ox = p.ox
        k.oy = p.oy


@inner
def watch_avatar(gm, st, memory):
    """Note type, health and belongings of the first player's avatar."""
    g = context_at(gm)
    s = state_at(st)
    m = memory_at(memory)
    m.avatar = -1
    m.health = 0
    m.holds = 0
    row = -1
    if s.avatar0 >= 0:
        p = sprite_at(st + s.at_sprites + g.stride * s.avatar0)
        m.avatar = p.type
        m.health = p.hp
        row = p.res
    for column in range(g.n_res):
        now = NOTHING
        if row >= 0:
            now = load32(st + s.at_res + 4 * (row * g.n_res + column))
        if load32(m.held + 4 * column) != now:
            m.holds = 1
            store32(m.held + 4 * column, now)


@entry_point("i8(i8, i8, i8)")
def watch(gm, st, memory):
    """Write what looks different from what the memory holds, and take it over; how much, or -1 without enough room."""
    g = context_at(gm)
    s = state_at(st)
    m = memory_at(memory)
    if s.slots > m.room:
        return -1
    count = 0
    for slot in range(s.slots):
        look = m.looks + LOOK_BYTES * slot
        a = st + s.at_sprites + g.stride * slot
        was = look_at(look).id if slot < m.slots else -1
        p = sprite_at(a)
        shown = 1 if p.id >= 0 and p.bits & DISABLED == 0 else 0
        if (shown != 0 and (was < 0 or same_look(look, a) == 0)) or (shown == 0 and was >= 0):
            put_change(memory, count, was, shown, a)
            count += 1
        if slot >= m.slots or was >= 0 or shown != 0:
            remember(look, shown, a)
    for slot in range(s.slots, m.slots):
        was = look_at(m.looks + LOOK_BYTES * slot).id
        if was >= 0:
            put_change(memory, count, was, 0, 0)
            count += 1
    m.slots = s.slots
    for k in range(g.n_mortal):
        alive = 1 if load8(st + s.at_alive + k) != 0 else 0
        if load8(m.alive + k) != alive:
            a = g.level + SPRITE_BYTES * k
            put_change(memory, count, -1 if alive != 0 else sprite_at(a).id, alive, a)
            count += 1
            store8(m.alive + k, alive)
    watch_avatar(gm, st, memory)
    return count


__all__ = ["CHANGE", "LOOK", "MEMORY", "NOTHING", "watch"]
