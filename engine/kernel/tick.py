"""The compiled entry points of the VGDL engine: a tick, copying, formatting, the rest of the forward-model protocol.

Each is an entry_point (`runtime`): a C function over addresses. `gm` is a CONTEXT, `st` a state block.
"""

from __future__ import annotations

from pcg.engine.kernel.bounds import BOUNDS
from pcg.engine.kernel.cells import MANY_MOVING, clear_cells
from pcg.engine.kernel.effects import queue_timer, time_effect_at, timer_at
from pcg.engine.kernel.groups import (
    effect_at,
    first_moving,
    gone_of_eight,
    group_at,
    int_at,
    next_moving,
    slot_address,
    type_at,
)
from pcg.engine.kernel.hashing import mix, mix_double
from pcg.engine.kernel.interactions import pair_phase, set_dirty
from pcg.engine.kernel.layout import (
    AVATAR_AT,
    EVENT_BYTES,
    GROUP_BYTES,
    MEMO_BYTES,
    MEMOS,
    SCORE_AT,
    STATE_BYTES,
    T_AIMLESS,
    T_AVATAR_CLASS,
    TIMER_BYTES,
    WIN_AT,
    context_at,
    event_view,
    sprite_at,
    state_at,
)
from pcg.engine.kernel.phases import avatar_phase, eos_phase, sprite_phase, time_phase
from pcg.engine.kernel.protocol import OK
from pcg.engine.kernel.runtime import (
    CHECKED,
    call4,
    clear_low,
    entry_point,
    inner,
    load32,
    load64,
    load_double,
    low_bit,
    store8,
    store32,
    store64,
)
from pcg.engine.kernel.store import add_sprite, clear_killed, copy_block, res_get, res_held
from pcg.engine.kernel.terminations import termination_phase


@inner
def align8(n):
    """Round up to a multiple of 8."""
    return (n + 7) & ~7


# --- layout ---


@inner
def lay_out(gm, st, room):
    """Write the places of all sections for a block with room for so many moving sprites; returns its bytes."""
    g = context_at(gm)
    s = state_at(st)
    s.room = room
    s.room_timers = g.n_time_effects + room // 4 + 2 if g.n_time_effects > 0 else 0
    s.room_events = 8 + room // 8
    s.room_res = room // 8 + 2 if g.n_res > 0 else 0
    memos = 0
    at = align8(STATE_BYTES)
    at = align8(at + GROUP_BYTES * g.n_types)
    s.at_dirty = at
    at = at + 8 * g.n_dirty
    s.at_effects = at
    at = align8(at + g.n_effects)
    s.at_clean = at
    at = align8(at + 4 * g.n_entries)
    s.at_shields = at
    at = align8(at + g.n_shields)
    s.at_counters = at
    at = align8(at + 4 * g.n_counters)
    s.at_alive = at
    at = align8(at + g.n_mortal)
    s.at_timers = at
    at = align8(at + TIMER_BYTES * s.room_timers)
    s.at_res = at
    at = align8(at + 4 * g.n_res * s.room_res)
    s.at_events = at
    at = align8(at + EVENT_BYTES * s.room_events)
    s.at_cells = at
    if g.grid != 0 or room > MANY_MOVING:
        at = align8(at + 4 * g.columns * g.rows)
        memos = MEMO_BYTES * MEMOS
    # blocks begin with a line of the cache, so that sprites can as well
    at = (at + 63) & ~63
    s.at_sprites = at
    at = align8(at + g.stride * room)
    s.at_scratch = at
    s.bytes = at + 16 * room + memos
    return s.bytes


@entry_point("i8(i8, i8, i8, i8, i8)")
def format_blocks(gm, st, room, stride, count):
    """Lay out blocks that follow each other, whatever is in them; returns the bytes that each needs."""
    size = 0
    for k in range(count):
        size = lay_out(gm, st + k * stride, room)
    return size


@entry_point("i8(i8, i8)")
def begin(gm, st):
    """Set a laid-out block to the state of an empty level, before tick 0."""
    g = context_at(gm)
    s = state_at(st)
    s.score0 = 0.0
    s.score1 = 0.0
    s.win0 = -1
    s.win1 = -1
    s.avatar0 = -1
    s.avatar1 = -1
    s.tick = -1
    s.ended = 0
    s.status = 0
    s.can_end = 1
    s.recount = 1
    s.next_id = 0
    s.sprites = 0
    s.slots = 0
    s.free = -1
    s.kill_head = -1
    s.kill_entries = 0
    s.level_kills = 0
    s.clock = 0
    s.timers = 0
    s.events = 0
    s.shields = 0
    s.res_rows = 0
    s.res_free = -1
    s.work = 0
    for t in range(g.n_types):
        group = group_at(st, t)
        group.head = -1
        group.tail = -1
        group.count = load32(g.level_start + 8 * t + 4)
        group.disabled = 0
        group.moving = 0
        group.stamp = 0
        group.inside = -1
        group.created = 1 if group.count > 0 else 0
        group.fresh = 0
    s.grid = g.grid
    if s.grid != 0:
        clear_cells(gm, st)
    for e in range(g.n_effects):
        store8(st + s.at_effects + e, effect_at(gm, e).initial)
    for n in range(g.n_entries):
        store32(st + s.at_clean + 4 * n, -1)
        set_dirty(st, n)
    for k in range(g.n_mortal):
        store8(st + s.at_alive + k, 1)
    for n in range(g.n_time_effects):
        te = time_effect_at(gm, n)
        if te.first > -2:
            queue_timer(st, te.first, n)
    return s.status


@entry_point("i8(i8, i8, i8, i8, i8)")
def place_all(gm, st, rows, n, slots):
    """Put sprites on an empty level, singletons ignored: int64[n, 4] of type, x, y (pixels), id; returns how many fit.

    Writes the slot of each to int64[n] `slots`.
    """
    s = state_at(st)
    for k in range(n):
        at = rows + 32 * k
        s.next_id = load64(at + 24)
        a = add_sprite(gm, st, load64(at), load64(at + 8), load64(at + 16), 1)
        if a == 0:
            return k
        store64(slots + 8 * k, sprite_at(a).slot)
    return n


# --- the tick ---


@inner
def tick(gm, st, action0, action1):
    """One game cycle; returns the status."""
    s = state_at(st)
    if s.ended != 0:
        return OK
    s.status = OK
    s.work = 0
    if CHECKED:
        context_at(gm).violations = 0
    s.events = 0
    s.tick += 1
    s.clock += 1
    avatar_phase(gm, st, action0, action1)
    sprite_phase(gm, st)
    time_phase(gm, st)
    eos_phase(gm, st)
    pair_phase(gm, st)
    clear_killed(gm, st)
    termination_phase(gm, st)
    if CHECKED and context_at(gm).violations > 0:
        s.status = BOUNDS
    return s.status


@entry_point("i8(i8, i8, i8, i8)")
def advance(gm, st, action0, action1):
    """Play one tick with the players' action codes; returns OK or GROW (content then undefined)."""
    return tick(gm, st, action0, action1)


# --- copying ---


@entry_point("i8(i8, i8, i8)")
def copy_state(gm, to, source):
    """Copy a state between formatted blocks; returns OK or GROW."""
    return copy_block(gm, to, source)


# --- the rest of the forward-model protocol ---


@entry_point("i8(i8, i8, i8)")
def model_advance(gm, st, joint):
    """Protocol: one tick with the action codes at `joint`."""
    second = 0
    if context_at(gm).players > 1:
        second = load64(joint + 8)
    return call4(context_at(gm).advance, gm, st, load64(joint), second)


@entry_point("i8(i8, i8)")
def model_over(gm, st):
    """Protocol: 1 when the game has ended."""
    return state_at(st).ended


@entry_point("i8(i8, i8, i8)")
def model_outcome(gm, st, player):
    """Protocol: 1 won, -1 lost, 0 undecided."""
    win = load32(st + WIN_AT + 4 * player)
    if win == 1:
        return 1
    return -1 if win == 0 else 0


@entry_point("f8(i8, i8, i8)")
def model_score(gm, st, player):
    """Protocol: the player's score."""
    return load_double(st + SCORE_AT + 8 * player)


@entry_point("i8(i8, i8, i8, i8)")
def model_actions(gm, st, player, out):
    """Protocol: the action codes the player's avatar can use, NIL not included."""
    if state_at(st).ended != 0:
        return 0
    slot = load32(st + AVATAR_AT + 4 * player)
    if slot < 0:
        return 0
    ty = type_at(gm, sprite_at(slot_address(gm, st, slot)).type)
    n = 0
    for i in range(ty.actions_n):
        code = int_at(gm, ty.actions_at + i)
        if code != 0:
            store64(out + 8 * n, code)
            n += 1
    return n


@entry_point("i8(i8, i8, i8)")
def model_reseed(gm, st, seed):
    """Protocol: a new random stream, java.util.Random(seed)'s; the auxiliary one follows from it."""
    s = state_at(st)
    s.rng = (seed ^ 0x5DEECE66D) & 0xFFFFFFFFFFFF
    s.aux = ((seed + 0x9E3779B9) ^ 0x5DEECE66D) & 0xFFFFFFFFFFFF
    return OK


@entry_point("i8(i8, i8, i8, i8)")
def model_events(gm, st, out, room):
    """Protocol: events of the last tick: from-avatar flag, active type, passive type, passive id."""
    s = state_at(st)
    n = s.events if s.events < room else room
    for i in range(n):
        ev = event_view(st + s.at_events + EVENT_BYTES * i)
        store64(out + 32 * i, ev.from_avatar)
        store64(out + 32 * i + 8, ev.active)
        store64(out + 32 * i + 16, ev.passive)
        store64(out + 32 * i + 24, ev.passive_id)
    return n


@entry_point("i8(i8, i8)")
def model_work(gm, st):
    """Protocol: the work of the last tick; a sprite that is updated or copied counts as one execution."""
    s = state_at(st)
    most = context_at(gm).max_work
    return (s.work if s.work < most else most) + s.slots


@entry_point("i8(i8, i8)")
def model_key(gm, st):
    """Protocol: a hash of what the future depends on (ids, history and, where it cannot matter, time left out)."""
    g = context_at(gm)
    s = state_at(st)
    h = mix(88172645463, s.ended)
    h = mix(h, s.win0 + 8 * s.win1)
    if g.time_matters != 0:
        h = mix(h, s.tick)
    if g.stochastic != 0:
        h = mix(mix(h, s.rng), s.rng >> 31)
    for i in range(s.timers):
        h = mix(mix(h, timer_at(st, i).due - s.tick), timer_at(st, i).effect)
    for i in range(g.n_counters):
        h = mix(h, load32(st + s.at_counters + 4 * i))
    for k in range(0, g.n_mortal, 8):
        gone = gone_of_eight(st + s.at_alive, k, g.n_mortal)
        while gone != 0:
            h = mix(h, k + (low_bit(gone) >> 3))
            gone = clear_low(gone)
    for t in range(g.n_types):
        a = first_moving(gm, st, t)
        if a != 0:
            h = mix(h, -1 - t)
            ty = type_at(gm, t)
            while a != 0:
                p = sprite_at(a)
                h = mix(h, (p.x + 4096) * 65536 + p.y + 4096)
                h = mix(h, p.bits)
                if ty.bits & T_AIMLESS == 0:
                    h = mix_double(mix_double(h, p.ox), p.oy)
                h = mix_double(h, p.speed)
                enough = ty.cooldown
                if ty.in_order != 0 and (ty.bits & T_AVATAR_CLASS == 0 or p.player >= 0):
                    enough -= 1  # the next update adds one before anything can ask
                waited = p.lastmove if p.lastmove < enough else enough
                h = mix(h, p.hp * 1024 + waited)
                h = mix(mix(h, p.a0), p.a1 * 512 + p.a2)
                h = mix(h, p.ttl)
                for i in range(g.n_res):
                    if res_held(gm, st, a, i) != 0:
                        h = mix(h, res_get(gm, st, a, i) * 64 + i + 1)
                a = next_moving(gm, st, a)
    return h
