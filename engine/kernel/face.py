"""Compiled helpers of the Python face: a tick that can be repeated, and the measured loops of `pcg bench engine`."""

from __future__ import annotations

from pcg.engine.kernel.layout import context_at, sprite_at, state_at
from pcg.engine.kernel.protocol import OK, advance_state, copy_state, is_over, legal_actions
from pcg.engine.kernel.random import next_int
from pcg.engine.kernel.runtime import call3, call4, inner, island, load64, store64
from pcg.engine.kernel.store import slot_address


@island("i8(i8, i8, i8, i8, i8, i8)")
def step(gm, st, spare, copy, action0, action1):
    """Keep a copy in `spare`, then play a tick. Returns status + 16 * ended + 256 * events."""
    if state_at(st).ended != 0:
        return 16
    call3(copy, gm, spare, st)
    status = call4(context_at(gm).advance, gm, st, action0, action1)
    s = state_at(st)
    return status + 16 * (1 if s.ended != 0 else 0) + 256 * s.events


@inner
def random_joint(model, st, rng, players, scratch):
    """Write a uniformly random joint action, NIL included, to scratch[0..1]."""
    for p in range(players):
        n = legal_actions(model, st, p, scratch + 16)
        k = next_int(rng, n + 1)
        store64(scratch + 8 * p, 0 if k == n else load64(scratch + 16 + 8 * k))


@island("i8(i8, i8, i8, i8, i8, i8)")
def measure(model, st, start, scratch, count, mode):
    """The loops that `pcg bench engine` times; returns OK or the first other status.

    Mode 0: `count` random advances, back to `start` when the game ends or after 200 ticks. Mode 1: copies of `start`.
    Mode 2: copy and one advance. Mode 3: copy and ten advances. `scratch`: int64 random state, players, then room for
    the joint action and the action list.
    """
    players = load64(scratch + 8)
    joint = scratch + 16
    status = copy_state(model, st, start)
    played = 0
    for _ in range(count):
        if mode == 0:
            if played >= 200 or is_over(model, st) != 0:
                copy_state(model, st, start)
                played = 0
            random_joint(model, st, scratch, players, joint)
            status = status | advance_state(model, st, joint)
            played += 1
        else:
            status = status | copy_state(model, st, start)
            for _step in range(0 if mode == 1 else (1 if mode == 2 else 10)):
                random_joint(model, st, scratch, players, joint)
                status = status | advance_state(model, st, joint)
        if status != OK:
            return status
    return status


@island("i8(i8, i8, i8)")
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
