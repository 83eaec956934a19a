"""UCT for boards: a tree in which every player chooses for itself (Kocsis and Szepesvari 2006), and random playouts.

A node keeps, for each player, a value for each of the player's actions; the joint action of all leads to a child. Where
players take turns, all but one have a single choice, and this is UCT as it is known; where they move at once it is the
decoupled UCT of Finnsson and Bjornsson (CadiaPlayer, 2008). The tree is open loop: it keeps no states, and every
iteration plays its path again from the root. One iteration selects, expands, simulates and backs up.
"""

from __future__ import annotations

import math

import numpy as np

from pcg.engine.kernel.protocol import GROW, OK, advance_state, is_over, outcome, score
from pcg.engine.kernel.random import next_int
from pcg.engine.kernel.runtime import (
    inner,
    island,
    load32,
    load64,
    load_double,
    store32,
    store64,
    store_double,
    view_of,
)
from pcg.evaluators.agents.clock_kernel import processor_time
from pcg.evaluators.agents.decision_kernel import (
    LOOK_AT_CLOCK,
    NIL,
    actions_of,
    count_call,
    decision_at,
    imagine,
    own_actions,
)

LONGEST_PATH = 1024
"""Ticks that the tree reaches down at most."""

UCT = np.dtype(
    [
        ("exploration", "f8"),
        ("win_bonus", "f8"),
        ("low", "f8"),  # bounds of the values seen, by which means are brought into 0..1
        ("high", "f8"),
        ("horizon", "i8"),  # ticks of a playout at most, 0: to the end
        ("room", "i8"),  # nodes there is memory for
        ("slot_room", "i8"),
        ("used", "i8"),
        ("slots_used", "i8"),
        ("reached", "i8"),  # ticks of the present path
        # --- one entry per node ---
        ("first", "i8"),  # int32: first child, -1: none
        ("sibling", "i8"),  # int32: next child of the same parent, -1: none
        ("joint", "i8"),  # int64: which joint action of the parent leads here
        ("slots", "i8"),  # int32[room, players]: the first slot of each player, -1: the node is a leaf
        ("counts", "i8"),  # int32[room, players]: how many slots
        # --- one entry per slot, that is per action of a player in a node ---
        ("action", "i8"),  # int64
        ("visits", "i8"),  # float64
        ("total", "i8"),  # float64
        # --- the present iteration ---
        ("chosen", "i8"),  # int32[LONGEST_PATH, players]: the slots of the path
        ("values", "i8"),  # float64[players]
    ],
    align=True,
)

uct_at = view_of(UCT)


# --- the tree ---------------------------------------------------------------------------------------------------------


@inner
def add_leaf(search: int, joint: int) -> int:
    """A new node without actions; returns its number."""
    t = uct_at(search)
    node = t.used
    t.used = node + 1
    store32(t.first + 4 * node, -1)
    store32(t.sibling + 4 * node, -1)
    store64(t.joint + 8 * node, joint)
    return node


@inner
def child_of(search: int, node: int, joint: int) -> int:
    """The child that a joint action leads to, -1 when there is none."""
    t = uct_at(search)
    child = load32(t.first + 4 * node)
    while child >= 0 and load64(t.joint + 8 * child) != joint:
        child = load32(t.sibling + 4 * child)
    return child


@inner
def expand(decision: int, node: int, state: int) -> int:
    """Give a leaf the actions of its state. Returns 0 when there is no memory left for them."""
    d = decision_at(decision)
    t = uct_at(d.search)
    begin = t.slots_used
    for player in range(d.players):
        count = actions_of(decision, state, player)
        if t.slots_used + count > t.slot_room:
            t.slots_used = begin
            return 0
        at = t.slots_used
        for k in range(count):
            store64(t.action + 8 * (at + k), load64(d.other + 8 * k))
            store_double(t.visits + 8 * (at + k), 0.0)
            store_double(t.total + 8 * (at + k), 0.0)
        store32(t.slots + 4 * (node * d.players + player), at)
        store32(t.counts + 4 * (node * d.players + player), count)
        t.slots_used = at + count
    return 1


@inner
def best_slot(decision: int, node: int, player: int) -> int:
    """The player's choice in a node: an action not tried yet, at random, or that with the highest confidence bound."""
    d = decision_at(decision)
    t = uct_at(d.search)
    first = load32(t.slots + 4 * (node * d.players + player))
    count = load32(t.counts + 4 * (node * d.players + player))
    if count == 1:
        return first
    untried = 0
    visits = 0.0
    for slot in range(first, first + count):
        n = load_double(t.visits + 8 * slot)
        visits += n
        if n == 0.0:
            untried += 1
    if untried > 0:
        skip = next_int(decision, untried)
        for slot in range(first, first + count):
            if load_double(t.visits + 8 * slot) == 0.0:
                if skip == 0:
                    return slot
                skip -= 1
    span = t.high - t.low
    scale = 1.0 / span if span > 0.0 else 0.0
    log_visits = math.log(visits)
    best = -1.0
    chosen = first
    for slot in range(first, first + count):
        n = load_double(t.visits + 8 * slot)
        value = (load_double(t.total + 8 * slot) / n - t.low) * scale
        bound = value + t.exploration * math.sqrt(log_visits / n)
        if bound > best:
            best = bound
            chosen = slot
    return chosen


# --- one iteration ----------------------------------------------------------------------------------------------------


@inner
def is_spent(decision: int) -> int:
    """1 when the budget is used up. A slice of a budget of time may be exceeded, the time may not."""
    d = decision_at(decision)
    if d.calls < d.budget:
        return 0
    if d.deadline == 0:
        return 1
    return 1 if d.calls % LOOK_AT_CLOCK == 0 and processor_time() >= d.deadline else 0


@inner
def select(decision: int) -> int:
    """Go down the tree in `work`, and add a leaf to it where it ends. OK or GROW."""
    d = decision_at(decision)
    t = uct_at(d.search)
    node = 0
    t.reached = 0
    while t.reached < LONGEST_PATH and is_over(d.model, d.work) == 0 and (t.reached == 0 or is_spent(decision) == 0):
        if load32(t.slots + 4 * node * d.players) < 0 and expand(decision, node, d.work) == 0:
            return OK
        joint = 0
        for player in range(d.players):
            slot = best_slot(decision, node, player)
            store32(t.chosen + 4 * (t.reached * d.players + player), slot)
            store64(d.joint + 8 * player, load64(t.action + 8 * slot))
            place = node * d.players + player
            joint = joint * load32(t.counts + 4 * place) + slot - load32(t.slots + 4 * place)
        if advance_state(d.model, d.work, d.joint) == GROW:
            return GROW
        count_call(decision)
        t.reached = t.reached + 1
        child = child_of(d.search, node, joint)
        if child < 0:
            if t.used < t.room:
                child = add_leaf(d.search, joint)
                store32(t.slots + 4 * child * d.players, -1)
                store32(t.sibling + 4 * child, load32(t.first + 4 * node))
                store32(t.first + 4 * node, child)
            return OK
        node = child
    return OK


@inner
def simulate(decision: int) -> int:
    """Play on at random in `work`, no further than the budget lasts. OK or GROW."""
    d = decision_at(decision)
    t = uct_at(d.search)
    ticks = 0
    while is_over(d.model, d.work) == 0 and (t.horizon == 0 or ticks < t.horizon) and is_spent(decision) == 0:
        for player in range(d.players):
            count = actions_of(decision, d.work, player)
            k = 0
            if count > 1:
                k = next_int(decision, count)
            store64(d.joint + 8 * player, load64(d.other + 8 * k))
        if advance_state(d.model, d.work, d.joint) == GROW:
            return GROW
        count_call(decision)
        ticks += 1
    return OK


@inner
def back_up(decision: int) -> None:
    """Add what `work` is worth to each player to the actions it chose on the path."""
    d = decision_at(decision)
    t = uct_at(d.search)
    for player in range(d.players):
        value = score(d.model, d.work, player) + t.win_bonus * outcome(d.model, d.work, player)
        t.low = min(t.low, value)
        t.high = max(t.high, value)
        store_double(t.values + 8 * player, value)
    for tick in range(t.reached):
        for player in range(d.players):
            slot = load32(t.chosen + 4 * (tick * d.players + player))
            store_double(t.visits + 8 * slot, load_double(t.visits + 8 * slot) + 1.0)
            store_double(t.total + 8 * slot, load_double(t.total + 8 * slot) + load_double(t.values + 8 * player))


@inner
def iterate(decision: int, state: int) -> int:
    """One iteration. OK or GROW."""
    d = decision_at(decision)
    if imagine(decision, d.work, state) == GROW or select(decision) == GROW or simulate(decision) == GROW:
        return GROW
    back_up(decision)
    return OK


# --- decisions --------------------------------------------------------------------------------------------------------


@inner
def most_visited(decision: int) -> int:
    """The player's action that was chosen most often at the root, the one with the higher mean when equal."""
    d = decision_at(decision)
    t = uct_at(d.search)
    first = load32(t.slots + 4 * d.player)
    best = first
    for slot in range(first + 1, first + load32(t.counts + 4 * d.player)):
        n = load_double(t.visits + 8 * slot)
        most = load_double(t.visits + 8 * best)
        if n > most or (n == most and load_double(t.total + 8 * slot) > load_double(t.total + 8 * best)):
            best = slot
    return load64(t.action + 8 * best)


@island("i8(i8, i8)")
def decide_uct(decision: int, state: int) -> int:
    """Grow a tree until the budget is spent and choose the action most visited. OK or GROW."""
    d = decision_at(decision)
    t = uct_at(d.search)
    if d.resume == 0:
        d.calls = 0
    d.chosen = NIL
    if is_over(d.model, state) != 0:
        return OK
    if own_actions(decision, state) == 1:  # a forced move needs no search
        d.chosen = load64(d.own)
        return OK
    if d.resume == 0:
        t.used = 0
        t.slots_used = 0
        t.low = 1.0e300
        t.high = -1.0e300
        add_leaf(d.search, 0)
        store32(t.slots, -1)
        if expand(decision, 0, state) == 0:
            d.chosen = load64(d.own)
            return OK
    while d.calls < d.budget:
        if iterate(decision, state) == GROW:
            return GROW
    d.chosen = most_visited(decision)
    return OK
