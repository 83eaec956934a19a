"""Monte Carlo tree search with UCB1, as the reference's sample agent plays it (spec 04 1.6 and 1.7).

The tree is open loop: a node stands for a sequence of actions, and every iteration plays its sequence again from the
root with fresh randomness. The closed-loop switch keeps the state of every node instead. One iteration selects,
expands, simulates and backs up; the depth limits tree and rollout together. Sources: Kocsis and Szepesvari 2006
(UCB1 on trees), Perez Liebana et al. 2015 (open-loop search for general video game playing).
"""

from __future__ import annotations

import math

import numpy as np

from pcg.engine.kernel.protocol import GROW, LOST, OK, WON, is_over, outcome, score
from pcg.engine.kernel.random import next_double, next_int
from pcg.engine.kernel.runtime import (
    call2_double,
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
from pcg.evaluators.agents.decision_kernel import EPSILON, NIL, decision_at, imagine, noise, own_actions, step

TREE = np.dtype(
    [
        ("exploration", "f8"),  # K of UCB1
        ("depth", "i8"),  # ticks from the root, tree and rollout together
        ("win_bonus", "f8"),  # added to the score of a won end, subtracted from that of a lost one
        ("guidance", "f8"),  # points of score that a unit of the heuristic's estimate costs
        ("closed", "i8"),  # 1: every node keeps a state
        ("by_value", "i8"),  # 1: recommend the best mean, 0: the most visited
        ("room", "i8"),  # number of nodes the arrays have room for
        ("used", "i8"),  # number of nodes; node 0 is the root
        ("first", "i8"),  # int32[room]: first child, -1 for none
        ("sibling", "i8"),  # int32[room]: next child of the same parent, -1 for none
        ("action", "i8"),  # int32[room]: action code that leads to the node
        ("visits", "i8"),  # int64[room]
        ("total", "i8"),  # float64[room]: sum of the values backed up
        ("low", "i8"),  # float64[room]: least value backed up
        ("high", "i8"),  # float64[room]: greatest value backed up
        ("path", "i8"),  # int32[depth + 1]: nodes of the current iteration, the root first
        ("states", "i8"),  # closed loop: the state of node k lies at states + k * stride
        ("stride", "i8"),
    ],
    align=True,
)

tree_at = view_of(TREE)


@inner
def add_node(tree: int, parent: int, action: int) -> int:
    """Append a node without children or visits; returns its index. The parent of the root is -1."""
    t = tree_at(tree)
    node = t.used
    t.used = node + 1
    store32(t.first + 4 * node, -1)
    store32(t.sibling + 4 * node, -1)
    store32(t.action + 4 * node, action)
    store64(t.visits + 8 * node, 0)
    store_double(t.total + 8 * node, 0.0)
    store_double(t.low + 8 * node, 1.0e300)
    store_double(t.high + 8 * node, -1.0e300)
    if parent >= 0:
        store32(t.sibling + 4 * node, load32(t.first + 4 * parent))
        store32(t.first + 4 * parent, node)
    return node


@inner
def find_children(decision: int, node: int, count: int) -> int:
    """Write the child of each own action to `slot` (-1: not there yet); returns how many are missing."""
    d = decision_at(decision)
    t = tree_at(d.search)
    missing = 0
    for k in range(count):
        action = load64(d.own + 8 * k)
        child = load32(t.first + 4 * node)
        while child >= 0 and load32(t.action + 4 * child) != action:
            child = load32(t.sibling + 4 * child)
        store64(d.slot + 8 * k, child)
        if child < 0:
            missing += 1
    return missing


@inner
def draw_missing(decision: int, count: int) -> int:
    """Index of one own action without a child: a draw for each index, the largest of the missing ones wins."""
    d = decision_at(decision)
    best = -1.0
    chosen = 0
    for k in range(count):
        draw = next_double(decision)
        if load64(d.slot + 8 * k) < 0 and draw > best:
            best = draw
            chosen = k
    return chosen


@inner
def best_child(decision: int, node: int, count: int) -> int:
    """The child with the highest upper confidence bound; values are normalised by the bounds of `node`."""
    d = decision_at(decision)
    t = tree_at(d.search)
    low = load_double(t.low + 8 * node)
    high = load_double(t.high + 8 * node)
    log_visits = math.log(load64(t.visits + 8 * node) + 1.0)
    best = -1.0e300
    chosen = -1
    for k in range(count):
        child = load64(d.slot + 8 * k)
        if child >= 0:
            visits = load64(t.visits + 8 * child) + EPSILON
            value = load_double(t.total + 8 * child) / visits
            if low < high:
                value = (value - low) / (high - low)
            value = noise(decision, value + t.exploration * math.sqrt(log_visits / visits))
            if value > best:
                best = value
                chosen = child
    return chosen


@inner
def enter(decision: int, at: int, child: int, is_new: int) -> int:
    """Go from the state at address `at` to that of a child; returns its address, 0 when the memory must grow."""
    d = decision_at(decision)
    t = tree_at(d.search)
    to = at
    if t.closed == 1:
        to = t.states + child * t.stride
        if is_new == 0:
            return to
        if imagine(decision, to, at) == GROW:
            return 0
    if step(decision, to, load32(t.action + 4 * child)) == GROW:
        return 0
    return to


@inner
def select(decision: int, at: int) -> int:
    """Tree policy from the root state at `at`: descend and expand once.

    Returns the address of the state reached, 0 when the memory must grow; `path` holds the nodes, -1 after the last.
    """
    d = decision_at(decision)
    t = tree_at(d.search)
    node = 0
    depth = 0
    store32(t.path, 0)
    while at != 0 and depth < t.depth and is_over(d.model, at) == 0:
        count = own_actions(decision, at)
        missing = find_children(decision, node, count)
        is_new = 0
        if missing > 0 and t.used < t.room:
            action = load64(d.own + 8 * draw_missing(decision, count))
            child = add_node(d.search, node, action)
            is_new = 1
        elif missing < count:
            child = best_child(decision, node, count)
        else:
            break
        at = enter(decision, at, child, is_new)
        node = child
        depth += 1
        store32(t.path + 4 * depth, node)
        if is_new == 1:
            break
    if depth < t.depth:
        store32(t.path + 4 * (depth + 1), -1)
    return at


@inner
def path_length(tree: int) -> int:
    """Number of nodes on the current path."""
    t = tree_at(tree)
    length = 1
    while length <= t.depth and load32(t.path + 4 * length) >= 0:
        length += 1
    return length


@inner
def rollout(decision: int, state: int, depth: int) -> int:
    """Random actions from a state `depth` ticks below the root to the depth limit or the end. OK or GROW."""
    d = decision_at(decision)
    t = tree_at(d.search)
    while depth < t.depth and is_over(d.model, state) == 0:
        count = own_actions(decision, state)
        action = load64(d.own + 8 * next_int(decision, count))
        if step(decision, state, action) == GROW:
            return GROW
        depth += 1
    return OK


@inner
def value_of(decision: int, state: int) -> float:
    """The player's score, with a large bonus for a won end and a large malus for a lost one."""
    d = decision_at(decision)
    t = tree_at(d.search)
    value = score(d.model, state, d.player)
    if is_over(d.model, state) != 0:
        result = outcome(d.model, state, d.player)
        if result == WON:
            value += t.win_bonus
        elif result == LOST:
            value -= t.win_bonus
    if d.heuristic != 0:
        value -= t.guidance * call2_double(d.heuristic, decision, state)
    return value


@inner
def back_up(tree: int, length: int, value: float) -> None:
    """Count a visit with this value at every node of the path."""
    t = tree_at(tree)
    for k in range(length):
        node = load32(t.path + 4 * k)
        store64(t.visits + 8 * node, load64(t.visits + 8 * node) + 1)
        store_double(t.total + 8 * node, load_double(t.total + 8 * node) + value)
        if value < load_double(t.low + 8 * node):
            store_double(t.low + 8 * node, value)
        if value > load_double(t.high + 8 * node):
            store_double(t.high + 8 * node, value)


@inner
def iterate(decision: int, state: int) -> int:
    """One iteration: select, expand, simulate, back up. OK or GROW."""
    d = decision_at(decision)
    t = tree_at(d.search)
    if t.closed == 1:
        at = select(decision, t.states)
        if at == 0 or imagine(decision, d.work, at) == GROW:
            return GROW
    else:
        if imagine(decision, d.work, state) == GROW or select(decision, d.work) == 0:
            return GROW
    length = path_length(d.search)
    if rollout(decision, d.work, length - 1) == GROW:
        return GROW
    back_up(d.search, length, value_of(decision, d.work))
    return OK


@inner
def recommend(decision: int, count: int) -> int:
    """Index of the action to play: the most visited, or by mean value when asked or when all are visited alike."""
    d = decision_at(decision)
    t = tree_at(d.search)
    find_children(decision, 0, count)
    by_value = 1
    known = -1
    for k in range(count):
        child = load64(d.slot + 8 * k)
        if child >= 0:
            visits = load64(t.visits + 8 * child)
            if known >= 0 and visits != known:
                by_value = t.by_value
            known = visits
    best = -1.0e300
    chosen = 0
    for k in range(count):
        child = load64(d.slot + 8 * k)
        if child >= 0:
            visits = load64(t.visits + 8 * child)
            value = 1.0 * visits
            if by_value == 1:
                value = load_double(t.total + 8 * child) / (visits + EPSILON)
            value = noise(decision, value)
            if value > best:
                best = value
                chosen = k
    return chosen


@island("i8(i8, i8)")
def decide_mcts(decision: int, state: int) -> int:
    """Grow a tree until the budget is spent and recommend an action. OK or GROW."""
    d = decision_at(decision)
    t = tree_at(d.search)
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
        add_node(d.search, -1, NIL)
        if t.closed == 1 and imagine(decision, t.states, state) == GROW:
            return GROW
    while d.calls < d.budget:
        before = d.calls
        if iterate(decision, state) == GROW:
            return GROW
        if d.calls == before:  # a closed loop may end in a known end of the game; that is not for free
            d.calls = before + 1
    count = own_actions(decision, state)
    d.chosen = load64(d.own + 8 * recommend(decision, count))
    return OK
