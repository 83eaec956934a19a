"""Compiled helpers of the Python API: a tick that can be repeated, and the measured loops of `pcg bench engine`."""

from __future__ import annotations

from pcg.engine.kernel.groups import int_at, slot_address, type_at
from pcg.engine.kernel.layout import AVATAR_AT, context_at, sprite_at, state_at
from pcg.engine.kernel.protocol import OK
from pcg.engine.kernel.random import next_int
from pcg.engine.kernel.runtime import call3, call4, entry_point, inner, load32
from pcg.engine.kernel.store import copy_block


@entry_point("i8(i8, i8, i8, i8, i8, i8)")
def step(gm, st, spare, copy, action0, action1):
    """Keep a copy in `spare`, then play a tick. Returns status + 16 * ended + 256 * events."""
    if state_at(st).ended != 0:
        return 16
    call3(copy, gm, spare, st)
    status = call4(context_at(gm).advance, gm, st, action0, action1)
    s = state_at(st)
    return status + 16 * (1 if s.ended != 0 else 0) + 256 * s.events


@inner
def random_action(gm, st, rng, player):
    """A uniformly random available action, NIL included."""
    slot = load32(st + AVATAR_AT + 4 * player)
    if slot < 0:
        return 0
    ty = type_at(gm, sprite_at(slot_address(gm, st, slot)).type)
    k = next_int(rng, ty.actions_n + 1)
    return 0 if k == ty.actions_n else int_at(gm, ty.actions_at + k)


@inner
def random_tick(gm, st, rng):
    """One tick with random actions; returns the status."""
    first = random_action(gm, st, rng, 0)
    second = 0
    if context_at(gm).players > 1:
        second = random_action(gm, st, rng, 1)
    return call4(context_at(gm).advance, gm, st, first, second)


@entry_point("i8(i8, i8, i8, i8, i8, i8)")
def measure(gm, st, start, rng, count, mode):
    """The loops that `pcg bench engine` times; returns OK or the first other status.

    Mode -n: `count` random advances, back to `start` when the game ends or after n ticks. Mode 1: copies of `start`.
    Mode 2: copy and one advance. Mode 3: copy and ten advances. `rng` is the address of the state that draws actions.
    """
    status = copy_block(gm, st, start)
    played = 0
    for _ in range(count):
        if mode <= 0:
            if played >= -mode or state_at(st).ended != 0:
                copy_block(gm, st, start)
                played = 0
            status = status | random_tick(gm, st, rng)
            played += 1
        else:
            status = status | copy_block(gm, st, start)
            for _step in range(0 if mode == 1 else (1 if mode == 2 else 10)):
                status = status | random_tick(gm, st, rng)
        if status != OK:
            return status
    return status


@entry_point("i8(i8, i8, i8)")
def mark_avatar(gm, st, slot):
    """Give a freshly placed avatar its player number (the next free slot of the header)."""
    s = state_at(st)
    p = sprite_at(slot_address(gm, st, slot))
    if s.avatar0 < 0:
        s.avatar0 = slot
        p.player = 0
    elif s.avatar1 < 0:
        s.avatar1 = slot
        p.player = 1
    return OK
