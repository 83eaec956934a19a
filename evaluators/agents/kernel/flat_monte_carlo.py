"""Flat Monte-Carlo: random playouts after each of the own moves in turn, without a tree (Bruegmann, 1993)."""

from __future__ import annotations

from pcg.engine.kernel.protocol import GROW, OK
from pcg.engine.kernel.runtime import entry_point, inner, load64, load_double, store64, store_double
from pcg.evaluators.agents.kernel.decision import advance_joint, decision_at, imagine
from pcg.evaluators.agents.kernel.joint_playout import (
    begin_choice,
    draw_joint,
    finish_playout,
    goes_on,
    list_moves,
    playout_at,
)


@inner
def sample(decision: int, state: int, k: int) -> int:
    """One random playout after the player's k-th move. OK or GROW."""
    d = decision_at(decision)
    playout = d.search
    b = playout_at(playout)
    if imagine(decision, d.work, state) == GROW:
        return GROW
    list_moves(decision, playout, d.work)
    draw_joint(decision, playout)
    store64(d.joint + 8 * d.player, load64(b.moves + d.player * b.row + 8 * k))
    if advance_joint(decision, d.work) == GROW or finish_playout(decision, playout, d.work) == GROW:
        return GROW
    store_double(b.visits + 8 * k, load_double(b.visits + 8 * k) + 1.0)
    store_double(b.total + 8 * k, load_double(b.total + 8 * k) + load_double(b.rewards + 8 * d.player))
    return OK


@entry_point("i8(i8, i8)")
def decide_flat(decision: int, state: int) -> int:
    """Playouts of the own moves in turn; the best mean, of equal ones the first. OK or GROW."""
    d = decision_at(decision)
    b = playout_at(d.search)
    if begin_choice(decision, d.search, state) == 0:
        return OK
    count = load64(b.counts + 8 * d.player)
    if d.resume == 0:
        for k in range(count):
            store_double(b.visits + 8 * k, 0.0)
            store_double(b.total + 8 * k, 0.0)
    while goes_on(decision, d.search) == 1:
        if sample(decision, state, b.done % count) == GROW:
            return GROW
    best = -1.0
    choice = 0
    for k in range(count):
        visits = load_double(b.visits + 8 * k)
        if visits > 0.0:
            value = load_double(b.total + 8 * k) / visits
            if value > best:
                best = value
                choice = k
    list_moves(decision, d.search, state)
    d.chosen = load64(b.moves + d.player * b.row + 8 * choice)
    return OK
