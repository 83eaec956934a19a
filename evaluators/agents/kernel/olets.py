"""Open-loop expectimax tree search (OLETS): a tree of action sequences, without rollouts (reference/agents 11.11).

A node keeps the values of the visits that ended in it, and is worth their mean mixed with the worth of its best child,
by how many of its visits ended there. Selection adds the exploration term of UCB1 and shuns places visited lately; the
state reached is judged by its score, more if won, less the sooner it is lost. The tree moves on with the game. Source:
Perez Liebana et al., The 2014 General Video Game Playing Competition, 2016 (section on the winner of 2014).
"""

from __future__ import annotations

import math

import numpy as np

from pcg.engine.kernel.exponents import logarithm
from pcg.engine.kernel.protocol import GROW, LOST, OK, WON, is_over, outcome, score
from pcg.engine.kernel.random import next_double, next_int
from pcg.engine.kernel.reals import NAN
from pcg.engine.kernel.runtime import call2, entry_point, inlined, inner, load64, load_double, store64, view_of
from pcg.evaluators.agents.kernel.decision import (
    NIL,
    actions_left,
    begin_decision,
    decision_at,
    imagine,
    own_actions,
    step,
)
from pcg.evaluators.agents.kernel.plan_tree import (
    add_child,
    add_node,
    child_of,
    draw_missing,
    find_children,
    make_root,
    node_of,
    plan_tree_at,
    restore_tree,
    save_tree,
)

_EPSILON = 1e-4  # keeps divisions by visits finite (reference/agents 11.11)

OLETS = np.dtype(
    [
        ("tree", "i8"),  # address of a PLAN_TREE record
        ("logs", "i8"),  # float64[logged]: logarithm of 1 + k
        ("logged", "i8"),
        ("exploration", "f8"),  # K of UCB1
        ("chance", "f8"),  # probability of selecting a child at random
        ("taboo", "f8"),  # subtracted from the bound of a node whose place was visited lately
        ("win_bonus", "f8"),  # a win is worth this times (1 + |score|)
        ("loss_malus", "f8"),  # a loss costs this times (1 + |score|) / (1 + depth)^2
        ("reuse", "i8"),  # 1: the tree moves on with the game
        ("place", "i8"),  # address of an entry point i8(decision, state): where the avatar stands
        ("places", "i8"),  # int64[memory]: places visited lately, a ring
        ("memory", "i8"),
        ("visited", "i8"),  # places written since the reset
        ("pending", "i8"),  # 1: a decision has been made since the tree was saved
        ("played", "i8"),  # code of the action it chose
    ],
    align=True,
)

olets_at = view_of(OLETS)


@inner
def remember_place(decision: int, state: int) -> None:
    """Write where the avatar stands over the oldest place remembered."""
    o = olets_at(decision_at(decision).search)
    if o.memory > 0:
        store64(o.places + 8 * (o.visited % o.memory), call2(o.place, decision, state))
        o.visited = o.visited + 1


@inner
def stood_lately(decision: int, state: int) -> int:
    """1 when the avatar stands where it stood lately and that matters, else 0."""
    o = olets_at(decision_at(decision).search)
    known = min(o.visited, o.memory)
    if known > 0 and o.taboo != 0.0:
        place = call2(o.place, decision, state)
        for k in range(known):
            if load64(o.places + 8 * k) == place:
                return 1
    return 0


@inner
def refresh(tree: int) -> None:
    """Reduce the statistics of a tree that moved on: every node but the root keeps one visit, worth the mean of all.

    The reference leaves the sum of the values of exits as it was, beside a single exit (reference/agents 11.11), which
    makes nodes visited often look many times as good or bad; here it becomes their mean.
    """
    for k in range(1, plan_tree_at(tree).used):
        n = node_of(tree, k)
        if n.visits > 0:
            n.total = n.total / n.visits
        if n.exits > 0:
            n.exit_total = n.exit_total / n.exits
        else:
            n.exit_total = n.total
        n.visits = 1.0
        n.exits = 1.0
        n.value = n.total
        n.fresh = 0


@inner
def begin(decision: int, state: int) -> None:
    """Start a decision: move the tree on after a tick, or take it as it was when this decision is tried again."""
    o = olets_at(decision_at(decision).search)
    t = plan_tree_at(o.tree)
    if o.pending == 1:
        o.pending = 0
        child = -1
        if o.reuse == 1 and t.used > 0:
            child = child_of(o.tree, 0, o.played)
        if child >= 0:
            make_root(o.tree, child)
            refresh(o.tree)
        else:
            t.used = 0
        remember_place(decision, state)
        save_tree(o.tree)
    else:
        restore_tree(o.tree)
    if t.used == 0:
        add_node(o.tree, -1, NIL)


@inner
def any_child(decision: int, count: int) -> int:
    """One of the children in `slot`, at random."""
    d = decision_at(decision)
    known = 0
    for i in range(count):
        if load64(d.slot + 8 * i) >= 0:
            known += 1
    nth = next_int(decision, known)
    chosen = -1
    for i in range(count):
        child = load64(d.slot + 8 * i)
        if child >= 0:
            if nth == 0:
                chosen = child
            nth -= 1
    return chosen


@inlined
def log_of_visits(decision: int, visits: float) -> float:
    """Logarithm of one more than the visits of a node, from a table where there are few."""
    o = olets_at(decision_at(decision).search)
    if visits < o.logged:
        return load_double(o.logs + 8 * int(visits))
    return logarithm(visits + 1.0)


@inner
def best_child(decision: int, k: int, count: int) -> int:
    """The child of node k with the highest bound; one at random now and then."""
    d = decision_at(decision)
    o = olets_at(d.search)
    if next_double(decision) < o.chance:
        return any_child(decision, count)
    log_visits = log_of_visits(decision, node_of(o.tree, k).visits)
    best = NAN  # which nothing is below or equal to
    chosen = -1
    for i in range(count):
        child = load64(d.slot + 8 * i)
        if child >= 0:
            n = node_of(o.tree, child)
            value = n.value + o.exploration * math.sqrt(log_visits / (n.visits + _EPSILON))
            if n.shunned == 1:
                value -= o.taboo
            higher = not value <= best
            chosen = child if higher else chosen
            best = value if higher else best
    return chosen


@inner
def descend(decision: int) -> int:
    """Play from the root on the work state until a node is added or judged; returns it, -1 when memory must grow."""
    d = decision_at(decision)
    o = olets_at(d.search)
    t = plan_tree_at(o.tree)
    k = 0
    count = actions_left(decision, d.work)
    while count > 0:
        missing = find_children(decision, o.tree, k, count)
        if missing > 0 and t.used < t.room:
            child = add_child(decision, o.tree, k, draw_missing(decision, count))
        elif missing < count:
            child = best_child(decision, k, count)
        else:
            break  # the tree is full
        n = node_of(o.tree, child)
        if step(decision, d.work, n.action) == GROW:
            return -1
        if n.fresh == 0:
            n.shunned = stood_lately(decision, d.work)
        if n.visits == 0 or (n.fresh == 0 and k == 0):
            return child
        k = child
        count = actions_left(decision, d.work)
    return k


@inner
def value_of(decision: int, state: int, depth: int) -> float:
    """Return the value of a state `depth` ticks ahead."""
    d = decision_at(decision)
    o = olets_at(d.search)
    value = score(d.model, state, d.player)
    if is_over(d.model, state) != 0:
        result = outcome(d.model, state, d.player)
        if result == WON:
            value += o.win_bonus * (1.0 + abs(value))
        elif result == LOST:
            value -= o.loss_malus / ((1.0 + depth) * (1.0 + depth)) * (1.0 + abs(value))
    return value


@inner
def back_up(tree: int, leaf: int, value: float) -> None:
    """Count a visit that ended in `leaf` with this value, and work out anew what the nodes above it are worth."""
    n = node_of(tree, leaf)
    n.exits = n.exits + 1.0
    n.exit_total = n.exit_total + value
    k = leaf
    while k >= 0:
        n = node_of(tree, k)
        n.visits = n.visits + 1.0
        n.total = n.total + value
        n.fresh = 1
        best = 0.0
        child = n.first
        if child >= 0:
            best = -1.0e300
        while child >= 0:
            c = node_of(tree, child)
            best = max(best, c.value)
            child = c.sibling
        n.value = n.exit_total / n.visits + (1.0 - n.exits / n.visits) * best
        k = n.parent


@inner
def recommend(decision: int, count: int) -> int:
    """Index of the action to play: the most visited; by the sum of values when all are visited alike."""
    d = decision_at(decision)
    o = olets_at(d.search)
    find_children(decision, o.tree, 0, count)
    alike = 1
    known = -1.0
    for i in range(count):
        child = load64(d.slot + 8 * i)
        if child >= 0:
            visits = node_of(o.tree, child).visits
            if known >= 0 and visits != known:
                alike = 0
            known = visits
    best = -1.0e300
    chosen = 0
    for i in range(count):
        child = load64(d.slot + 8 * i)
        if child >= 0:
            n = node_of(o.tree, child)
            value = n.visits
            if alike == 1:
                value = n.total
            value += _EPSILON * next_double(decision)
            if value > best:
                best = value
                chosen = i
    return chosen


@inner
def iterate(decision: int, state: int) -> int:
    """One iteration: descend, judge, back up. OK or GROW."""
    d = decision_at(decision)
    o = olets_at(d.search)
    if imagine(decision, d.work, state) == GROW:
        return GROW
    leaf = descend(decision)
    if leaf < 0:
        return GROW
    back_up(o.tree, leaf, value_of(decision, d.work, node_of(o.tree, leaf).depth))
    return OK


@entry_point("i8(i8, i8)")
def decide_olets(decision: int, state: int) -> int:
    """Grow the tree until the budget is spent and recommend an action. OK or GROW."""
    d = decision_at(decision)
    o = olets_at(d.search)
    if begin_decision(decision, state) == 0:
        return OK
    if d.resume == 0:
        begin(decision, state)
    o.pending = 0
    count = own_actions(decision, state)
    if count > 1:  # a forced move needs no search
        while d.calls < d.budget:
            before = d.calls
            if iterate(decision, state) == GROW:
                return GROW
            if d.calls == before:  # a full tree without children at its root
                d.calls = before + 1
        count = own_actions(decision, state)
        d.chosen = load64(d.own + 8 * recommend(decision, count))
    else:
        d.chosen = load64(d.own)
    o.played = d.chosen
    o.pending = 1
    return OK
