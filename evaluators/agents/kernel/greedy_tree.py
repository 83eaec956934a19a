"""Greedy tree search: always down the best branch known, as the reference's sample agent does (reference/agents 11.5).

The tree is closed loop: every node keeps a state. One iteration goes from the root to the best child, and to its best
child, until an action has not been tried; tries it, plays on at random, and backs the value up. There is no bonus for
exploring. Where the reference asks the root for the best child at every level, this search asks the node at hand.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.protocol import GROW, LOST, OK, WON, is_over, outcome, score
from pcg.engine.kernel.random import next_int
from pcg.engine.kernel.runtime import (
    entry_point,
    inner,
    load32,
    load64,
    load_double,
    store32,
    store64,
    store_double,
    view_of,
)
from pcg.evaluators.agents.kernel.decision import NIL, begin_decision, decision_at, imagine, noise, own_actions, step

GREEDY = np.dtype(
    [
        ("depth", "i8"),  # ticks from the root, tree and random play together
        ("by_sum", "i8"),  # 1: a branch is as good as the sum of its values, 0: as their mean
        ("room", "i8"),  # number of nodes the arrays have room for
        ("used", "i8"),  # number of nodes; node 0 is the root
        ("first", "i8"),  # int32[room]: first child, -1 for none
        ("sibling", "i8"),  # int32[room]: next child of the same parent, -1 for none
        ("parent", "i8"),  # int32[room]: -1 for the root
        ("action", "i8"),  # int32[room]: action code that leads to the node
        ("visits", "i8"),  # int64[room]
        ("total", "i8"),  # float64[room]: sum of the values backed up
        ("states", "i8"),  # the state of node k lies at states + k * stride
        ("stride", "i8"),
        ("reached", "i8"),  # depth of the node that the iteration has come to
    ],
    align=True,
)

WIN_VALUE = 1.0e6
"""Value of a won end; minus that of a lost one."""

greedy_at = view_of(GREEDY)


@inner
def add_greedy_node(tree: int, parent: int, action: int) -> int:
    """Append a node without children or visits; returns its index."""
    t = greedy_at(tree)
    node = t.used
    t.used = node + 1
    store32(t.first + 4 * node, -1)
    store32(t.sibling + 4 * node, -1)
    store32(t.parent + 4 * node, parent)
    store32(t.action + 4 * node, action)
    store64(t.visits + 8 * node, 0)
    store_double(t.total + 8 * node, 0.0)
    if parent >= 0:
        store32(t.sibling + 4 * node, load32(t.first + 4 * parent))
        store32(t.first + 4 * parent, node)
    return node


@inner
def untried(decision: int, node: int, count: int) -> int:
    """The first own action without a child, as an index; -1 when all have one."""
    d = decision_at(decision)
    t = greedy_at(d.search)
    for k in range(count):
        child = load32(t.first + 4 * node)
        while child >= 0 and load32(t.action + 4 * child) != load64(d.own + 8 * k):
            child = load32(t.sibling + 4 * child)
        if child < 0:
            return k
    return -1


@inner
def best_branch(decision: int, node: int) -> int:
    """The child with the greatest value, ties broken by noise; -1 without children."""
    d = decision_at(decision)
    t = greedy_at(d.search)
    best = -1.0e300
    chosen = -1
    child = load32(t.first + 4 * node)
    while child >= 0:
        value = load_double(t.total + 8 * child)
        if t.by_sum == 0:
            value = value / load64(t.visits + 8 * child)
        value = noise(decision, value)
        if value > best:
            best = value
            chosen = child
        child = load32(t.sibling + 4 * child)
    return chosen


@inner
def descend(decision: int) -> int:
    """Go down the best branch and try one action more; returns the node reached, -1 when the memory must grow."""
    d = decision_at(decision)
    t = greedy_at(d.search)
    node = 0
    t.reached = 0
    while t.reached < t.depth and is_over(d.model, t.states + node * t.stride) == 0:
        at = t.states + node * t.stride
        k = -1
        if t.used < t.room:
            k = untried(decision, node, own_actions(decision, at))
        if k >= 0:
            child = add_greedy_node(d.search, node, load64(d.own + 8 * k))
            to = t.states + child * t.stride
            if imagine(decision, to, at) == GROW or step(decision, to, load32(t.action + 4 * child)) == GROW:
                return -1
            t.reached = t.reached + 1
            return child
        child = best_branch(decision, node)
        if child < 0:
            break
        node = child
        t.reached = t.reached + 1
    return node


@inner
def explore(decision: int, node: int) -> int:
    """Play on at random from the state of a node, in `work`, to the depth limit or the end. OK or GROW."""
    d = decision_at(decision)
    t = greedy_at(d.search)
    if imagine(decision, d.work, t.states + node * t.stride) == GROW:
        return GROW
    depth = t.reached
    while depth < t.depth and is_over(d.model, d.work) == 0:
        count = own_actions(decision, d.work)
        if step(decision, d.work, load64(d.own + 8 * next_int(decision, count))) == GROW:
            return GROW
        depth += 1
    return OK


@inner
def worth(decision: int, state: int) -> float:
    """The score; half of it when the game ended undecided; a million for a win, minus that for a loss."""
    d = decision_at(decision)
    value = score(d.model, state, d.player)
    if is_over(d.model, state) != 0:
        result = outcome(d.model, state, d.player)
        if result == WON:
            return WIN_VALUE
        if result == LOST:
            return -WIN_VALUE
        value = value / 2.0
    return value


@entry_point("i8(i8, i8)")
def decide_greedy_tree(decision: int, state: int) -> int:
    """Grow the tree until the budget is spent and play the best branch of the root. OK or GROW."""
    d = decision_at(decision)
    t = greedy_at(d.search)
    if begin_decision(decision, state) == 0:
        return OK
    if own_actions(decision, state) == 1:  # a forced move needs no search
        d.chosen = load64(d.own)
        return OK
    if d.resume == 0:
        t.used = 0
        add_greedy_node(d.search, -1, NIL)
        if imagine(decision, t.states, state) == GROW:
            return GROW
    while d.calls < d.budget:
        before = d.calls
        node = descend(decision)
        if node < 0 or explore(decision, node) == GROW:
            return GROW
        value = worth(decision, d.work)
        while node >= 0:
            store64(t.visits + 8 * node, load64(t.visits + 8 * node) + 1)
            store_double(t.total + 8 * node, load_double(t.total + 8 * node) + value)
            node = load32(t.parent + 4 * node)
        if d.calls == before:  # a known end, or the full depth in the tree; that is not for free
            d.calls = before + 1
    chosen = best_branch(decision, 0)
    d.chosen = load32(t.action + 4 * chosen) if chosen >= 0 else load64(d.own)
    return OK
