"""Many plays at once: step, restart and observe a batch of states in one call without the GIL.

A `VECTOR` record holds addresses of arrays with one entry per play; rewards, scores, ends and observations are written
straight into the arrays that Python returns. A tick that does not fit leaves the state as it was before and is flagged
in `status`; the caller moves that state to a larger block and calls `step_range` for it alone. An observation that
lacks something is flagged there too.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.groups import slot_address
from pcg.engine.kernel.layout import AVATAR_AT, SCORE_AT, WIN_AT, context_at, sprite_at, state_at
from pcg.engine.kernel.protocol import OK
from pcg.engine.kernel.runtime import (
    call3,
    call4,
    copy_bytes,
    entry_point,
    inner,
    load8,
    load32,
    load64,
    load_double,
    store8,
    store32,
    store_double,
    view_of,
)

VECTOR = np.dtype(
    [
        # int64[plays]: addresses
        ("games", "i8"),  # contexts
        ("states", "i8"),
        ("spares", "i8"),  # a block to keep the state before a tick in; plays of one thread may share it
        ("views", "i8"),  # what the observer needs, see `observe`
        # what comes in
        ("actions", "i8"),  # int64[plays, players]: indices into `codes`
        ("codes", "i8"),  # int64[actions]: action codes
        ("fresh", "i8"),  # int8[plays]: 1: restarted, so the next step only shows the first state
        ("rng", "i8"),  # int64[plays]: generator states for a restart
        ("aux", "i8"),
        # what goes out
        ("scores", "i8"),  # float64[plays, players]
        ("rewards", "i8"),  # float64[plays, players]
        ("terminated", "i8"),  # int8[plays]
        ("truncated", "i8"),  # int8[plays]
        ("winners", "i8"),  # int32[plays, players]: win states
        ("ticks", "i8"),  # int32[plays]
        ("legal", "i8"),  # int8[plays, players, actions]: which actions the avatar has now
        ("status", "i8"),  # int8[plays]: OK, GROW when a tick was not played, else why there is no observation
        ("out", "i8"),  # observations, `item` bytes each
        # the same for all plays
        ("item", "i8"),
        ("observe", "i8"),  # address of the entry point that writes an observation, 0: none
        ("copier", "i8"),  # address of the entry point that copies a state
        ("players", "i8"),
        ("n_actions", "i8"),
        ("legal_of", "i8"),  # int8[types + 1, actions]: the actions of each avatar type; the last row: no avatar
        ("max_ticks", "i8"),  # 0: no limit
        ("bonus", "f8"),  # added to the reward of a win, subtracted from that of a loss
    ],
    align=True,
)

vector_at = view_of(VECTOR)


@inner
def report(vec, i):
    """Write score, win states, tick and legal actions of play i; rewards are what the scores have changed by."""
    v = vector_at(vec)
    gm = load64(v.games + 8 * i)
    st = load64(v.states + 8 * i)
    s = state_at(st)
    for player in range(v.players):
        n = i * v.players + player
        score = load_double(st + SCORE_AT + 8 * player)
        win = load32(st + WIN_AT + 4 * player)
        reward = score - load_double(v.scores + 8 * n)
        if s.ended != 0 and win >= 0:
            reward += v.bonus if win == 1 else -v.bonus
        store_double(v.rewards + 8 * n, reward)
        store_double(v.scores + 8 * n, score)
        store32(v.winners + 4 * n, win)
        t = context_at(gm).n_types
        slot = load32(st + AVATAR_AT + 4 * player)
        if slot >= 0 and s.ended == 0:
            t = sprite_at(slot_address(gm, st, slot)).type
        copy_bytes(v.legal + n * v.n_actions, v.legal_of + t * v.n_actions, v.n_actions)
    store32(v.ticks + 4 * i, s.tick)
    store8(v.terminated + i, 1 if s.ended != 0 else 0)
    store8(v.truncated + i, 1 if s.ended == 0 and v.max_ticks > 0 and s.tick + 1 >= v.max_ticks else 0)


@inner
def step_one(vec, i):
    """Play a tick of play i; OK, or the status of a tick that could not be played."""
    v = vector_at(vec)
    if load8(v.fresh + i) != 0:
        store8(v.fresh + i, 0)
        report(vec, i)
        return OK
    gm = load64(v.games + 8 * i)
    st = load64(v.states + 8 * i)
    if state_at(st).ended != 0:
        # a finished game stays as it is, and pays nothing more
        for player in range(v.players):
            store_double(v.rewards + 8 * (i * v.players + player), 0.0)
        return OK
    spare = load64(v.spares + 8 * i)
    first = load64(v.codes + 8 * load64(v.actions + 8 * i * v.players))
    second = 0
    if v.players > 1:
        second = load64(v.codes + 8 * load64(v.actions + 8 * (i * v.players + 1)))
    status = call3(v.copier, gm, spare, st)
    if status == OK:
        status = call4(context_at(gm).advance, gm, st, first, second)
        if status != OK:
            call3(v.copier, gm, st, spare)
    if status == OK:
        report(vec, i)
    return status


@inner
def observe_one(vec, i):
    """Write the observation of play i; OK, or what the observer lacks."""
    v = vector_at(vec)
    if v.observe == 0:
        return OK
    view = load64(v.views + 8 * i)
    return call4(v.observe, view, load64(v.games + 8 * i), load64(v.states + 8 * i), v.out + v.item * i)


@entry_point("i8(i8, i8, i8)")
def step_range(vec, begin, end):
    """Play a tick of the plays begin .. end - 1 and observe them; returns how many are not done (see `status`)."""
    v = vector_at(vec)
    undone = 0
    for i in range(begin, end):
        status = step_one(vec, i)
        if status == OK:
            # at once, while the state is in the cache
            status = observe_one(vec, i)
        store8(v.status + i, status)
        if status != OK:
            undone += 1
    return undone


@entry_point("i8(i8, i8, i8)")
def restart_some(vec, which, count):
    """Start the plays whose numbers stand at `which` (int64) again, with the generators of `rng` and `aux`."""
    v = vector_at(vec)
    for k in range(count):
        i = load64(which + 8 * k)
        gm = load64(v.games + 8 * i)
        st = load64(v.states + 8 * i)
        call3(v.copier, gm, st, context_at(gm).initial)
        s = state_at(st)
        s.rng = load64(v.rng + 8 * i)
        s.aux = load64(v.aux + 8 * i)
        for player in range(v.players):
            store_double(v.scores + 8 * (i * v.players + player), load_double(st + SCORE_AT + 8 * player))
        store8(v.status + i, OK)
        report(vec, i)
    return OK


@entry_point("i8(i8, i8, i8)")
def observe_some(vec, which, count):
    """Write the observations of the plays whose numbers stand at `which` (int64); returns how many are not done."""
    v = vector_at(vec)
    undone = 0
    for k in range(count):
        i = load64(which + 8 * k)
        status = observe_one(vec, i)
        store8(v.status + i, status)
        if status != OK:
            undone += 1
    return undone
