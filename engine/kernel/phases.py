"""The phases of a tick that walk sprites one by one: avatars, other sprites, time effects, EOS (reference/loop 3)."""

from __future__ import annotations

from pcg.engine.kernel.avatars import update_avatar
from pcg.engine.kernel.effects import (
    execute,
    execute_time,
    is_out,
    queue_timer,
    time_effect_at,
    timer_at,
)
from pcg.engine.kernel.groups import (
    first_moving,
    first_of,
    group_at,
    int_at,
    next_moving,
    next_of,
    slot_address,
    slot_from,
    type_at,
)
from pcg.engine.kernel.layout import (
    ACTION_AT,
    AVATAR_AT,
    DISABLED,
    T_GLIDER,
    T_IDLE,
    T_PRODUCER,
    context_at,
    group_view,
    sprite_at,
    state_at,
)
from pcg.engine.kernel.movers import glide, run_producers, update_sprite
from pcg.engine.kernel.physics import pre_movement
from pcg.engine.kernel.runtime import inner, load32, store32
from pcg.engine.kernel.store import at_edge

_ESCAPE = 6


# --- avatars and other sprites ---


@inner
def filtered(gm, a, action):
    """The action the engine applies: what is not in the avatar's list becomes NIL; ESCAPE stays."""
    if action < 0 or action > _ESCAPE:
        return 0
    # no branch: which action comes next is what nobody can foretell
    return action * ((type_at(gm, sprite_at(a).type).actions_mask >> action) & 1)


@inner
def avatar_phase(gm, st, action0, action1):
    """Players' avatars in order; a disabled or missing one does nothing."""
    for player in range(context_at(gm).players):
        slot = load32(st + AVATAR_AT + 4 * player)
        if slot >= 0:
            a = slot_address(gm, st, slot)
            if sprite_at(a).bits & DISABLED == 0:
                action = filtered(gm, a, action0 if player == 0 else action1)
                if action == _ESCAPE:
                    state_at(st).ended = 1
                store32(st + ACTION_AT + 4 * player, action)
                pre_movement(a)
                update_avatar(gm, st, a, action)


@inner
def sprite_phase(gm, st):
    """All other sprites: types from last to first in the draw order, groups in order."""
    g = context_at(gm)
    rows = g.ints + 4 * g.update_at
    for k in range(g.n_update):
        group = group_view(st + load32(rows + 8 * k))
        if group.head < 0:
            continue
        t = load32(rows + 8 * k + 4)
        bits = type_at(gm, t).bits
        if bits & (T_IDLE | T_PRODUCER | T_GLIDER):
            if bits & T_GLIDER:
                glide(gm, st, t)
                continue
            fresh = group.fresh
            if fresh != 0:
                group.fresh = 0
                a = first_moving(gm, st, t)
                while a != 0:
                    pre_movement(a)
                    a = next_moving(gm, st, a)
            if bits & T_PRODUCER:
                run_producers(gm, st, t, fresh)
            continue
        # sprites that join this very group now wait for the next tick (the reference would crash)
        last = state_at(st).next_id
        a = first_moving(gm, st, t)
        while a != 0 and sprite_at(a).id < last and state_at(st).work <= g.max_work:
            if sprite_at(a).bits & DISABLED == 0:
                pre_movement(a)
                update_sprite(gm, st, a)
            a = next_moving(gm, st, a)


# --- time effects and EOS ---


@inner
def time_phase(gm, st):
    """Time effects that are due."""
    s = state_at(st)
    most = context_at(gm).max_work
    guard = 0
    while s.timers > 0 and timer_at(st, 0).due <= s.tick and s.status == 0 and guard < 10000 and s.work <= most:
        guard += 1
        n = timer_at(st, 0).effect
        s.timers -= 1
        s.work += s.timers >> 4
        for i in range(s.timers):
            here = timer_at(st, i)
            following = timer_at(st, i + 1)
            here.due = following.due
            here.effect = following.effect
        te = time_effect_at(gm, n)
        if te.enabled == 0:
            continue
        s.clock += 1
        if te.bound < 0:
            execute_time(gm, st, n, 0)
        else:
            ty = type_at(gm, te.bound)
            for i in range(ty.sub_n):
                last = s.next_id
                a = first_of(gm, st, int_at(gm, ty.sub_at + i))
                while a != 0 and sprite_at(a).id < last and s.work <= most:
                    if is_out(gm, st, a) == 0:
                        execute_time(gm, st, n, a)
                    a = next_of(gm, st, a)
        if te.repeating != 0 and te.timer > 0:
            queue_timer(st, s.tick + te.timer, n)


@inner
def first_outside(gm, st, t):
    """Slot of the first moving sprite of a type that is at the edge of the screen, -1: none."""
    g = context_at(gm)
    width = g.width
    height = g.height
    base = st + state_at(st).at_sprites
    stride = g.stride
    slot = group_at(st, t).head
    while slot >= 0:
        p = sprite_at(slot_from(st, base, stride, slot))
        if p.x < 0 or p.y < 0 or p.x + p.w > width or p.y + p.h > height or p.w <= 0 or p.h <= 0:
            break
        slot = p.next
    return slot


@inner
def eos_phase(gm, st):
    """EOS effects of every type, for the moving sprites at the edge (a level sprite is always inside)."""
    g = context_at(gm)
    s = state_at(st)
    rows = g.ints + 4 * g.eos_at
    for n in range(g.n_eos):
        group = group_view(st + load32(rows + 12 * n))
        if group.stamp <= group.inside:
            # none was at the edge, and none has moved or come since
            continue
        inside = s.clock
        t = load32(rows + 12 * n + 4)
        slot = first_outside(gm, st, t)
        if slot < 0 and s.work <= g.max_work:
            group.inside = inside
            continue
        a = slot_address(gm, st, slot) if slot >= 0 else first_moving(gm, st, t)
        while a != 0 and s.work <= g.max_work:
            if at_edge(gm, a) != 0:
                inside = -1
                if is_out(gm, st, a) == 0:
                    tail = group.tail
                    s.clock += 1
                    execute(gm, st, load32(rows + 12 * n + 8), a, 0)
                    if group.tail != tail:
                        # an addition to the walked group ends the walk of that group (reference/loop 3.6)
                        break
            a = next_moving(gm, st, a)
        # a walk that was cut short has not seen all
        group.inside = inside if a == 0 else -1
    # what changes from here on is later than these looks
    s.clock += 1
