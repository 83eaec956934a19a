"""The tree of Monte Carlo tree search: a struct of arrays, its operations, and its reuse by the next decision.

Nodes stand for sequences of the player's actions. Two options live here because they are about the tree alone: reuse
of the subtree of the action that was played (Soemers, Sironi, Schuster and Winands 2016), and transpositions, nodes of
one state that share their values as UCT2 does (Childs, Brodeur and Kocsis 2008).
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.protocol import model_at
from pcg.engine.kernel.runtime import (
    call3,
    inner,
    load8,
    load32,
    load64,
    load_double,
    store8,
    store32,
    store64,
    store_double,
    view_of,
)
from pcg.evaluators.agents.kernel.decision import EPSILON, decision_at, noise

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
        ("mark", "i8"),  # int8[room]: bits PRUNED, TESTED and SEEN
        ("visits", "i8"),  # float64[room]; whole numbers until a tree is reused
        ("total", "i8"),  # float64[room]: sum of the values backed up
        ("low", "i8"),  # float64[room]: least value backed up
        ("high", "i8"),  # float64[room]: greatest value backed up
        ("path", "i8"),  # int32[depth + 1]: nodes of the current iteration, the root first, -1 after the last
        ("states", "i8"),  # closed loop: the state of node k lies at states + k * stride
        ("stride", "i8"),
        ("done", "i8"),  # 0 while a decision is in the making, and after it failed for want of memory
        ("decisions", "i8"),  # begun since the reset
        ("played", "i8"),  # the action chosen by the decision
        ("reached", "i8"),  # ticks from the root to the end of the current simulation
        ("place", "i8"),  # entry point i8(game, state, player): where the player is; 0: all places are alike
        # options; 0: off
        ("pruning", "i8"),  # 1: children may be pruned
        ("samples", "i8"),  # breadth-first initialisation: simulations of each action of the root
        ("losses", "i8"),  # int64[max_actions + 1]: how many of these were lost
        ("avoidance", "i8"),  # loss avoidance: address of a state block for the state before the last tick
        ("spare", "i8"),  # loss avoidance: bytes from there to another state block
        ("last", "i8"),  # loss avoidance: the action of the last tick simulated, -1: the end was known before
        ("safe", "i8"),  # int64[players][max_actions + 2]: opponents' moves of the next tick, their number first
        ("safe_stride", "i8"),  # bytes per player
        ("moves", "i8"),  # address of a MOVE_STATISTICS record: progressive history and N-grams
        ("knowledge", "i8"),  # address of a KNOWLEDGE record: knowledge-based evaluation
        ("novelty", "i8"),  # address of a NOVELTY record: novelty-based pruning
        ("other", "i8"),  # reuse: address of the other TREE, which held or will hold the previous or next decision's
        ("origin", "i8"),  # reuse: int32[room], scratch: of which node of the other tree a node is a copy
        ("decay", "f8"),  # reuse: what visits and totals are multiplied by
        ("shared", "i8"),  # address of a TRANSPOSITIONS record: transpositions
        ("returns", "i8"),  # address of a RETURNS record: temporal-difference back-up
    ],
    align=True,
)

TRANSPOSITIONS = np.dtype(
    [
        ("mask", "i8"),  # number of places of the table, a power of two, less one
        ("table", "i8"),  # int32[mask + 1]: a node of each state seen, -1 for none
        ("keys", "i8"),  # int64[room]: what the state of each node is known by
        ("owner", "i8"),  # int32[room]: the node that the values of each node are kept with
        ("visits", "i8"),  # float64[room]: of all nodes of the owner's state
        ("total", "i8"),  # float64[room]
    ],
    align=True,
)

PRUNED, TESTED, SEEN = 1, 2, 4
"""Bits of a node's mark: not to be chosen; its children have been tested for novelty; what it looks like is known."""

MISSING, HIDDEN = -1, -2
"""In `slot` of a decision: there is no such child; it is pruned."""

tree_at = view_of(TREE)
transpositions_at = view_of(TRANSPOSITIONS)


@inner
def place_of(decision: int, state: int) -> int:
    """Return the position of the player as a number below 2^31."""
    d = decision_at(decision)
    t = tree_at(d.search)
    if t.place == 0:
        return 0
    return call3(t.place, model_at(d.model).game, state, d.player)


# --- nodes ------------------------------------------------------------------------------------------------------------


@inner
def add_node(tree: int, parent: int, action: int) -> int:
    """Append a node without children or visits; returns its index. The parent of the root is -1."""
    t = tree_at(tree)
    node = t.used
    t.used = node + 1
    store32(t.first + 4 * node, -1)
    store32(t.sibling + 4 * node, -1)
    store32(t.action + 4 * node, action)
    store8(t.mark + node, 0)
    store_double(t.visits + 8 * node, 0.0)
    store_double(t.total + 8 * node, 0.0)
    store_double(t.low + 8 * node, 1.0e300)
    store_double(t.high + 8 * node, -1.0e300)
    if parent >= 0:
        store32(t.sibling + 4 * node, load32(t.first + 4 * parent))
        store32(t.first + 4 * parent, node)
    return node


@inner
def child_of(tree: int, node: int, action: int) -> int:
    """The child that an action leads to; MISSING without one."""
    t = tree_at(tree)
    child = load32(t.first + 4 * node)
    while child >= 0 and load32(t.action + 4 * child) != action:
        child = load32(t.sibling + 4 * child)
    return child


@inner
def find_children(decision: int, node: int, count: int) -> int:
    """Write the child of each own action to `slot`, or MISSING or HIDDEN; returns how many are missing."""
    d = decision_at(decision)
    t = tree_at(d.search)
    # addresses in locals: after a store the compiler would read them again
    own = d.own
    slot = d.slot
    actions = t.action
    siblings = t.sibling
    pruning = t.pruning
    first = load32(t.first + 4 * node)
    missing = 0
    for k in range(count):
        action = load64(own + 8 * k)
        child = first
        while child >= 0 and load32(actions + 4 * child) != action:
            child = load32(siblings + 4 * child)
        if child < 0:
            missing += 1
        elif pruning == 1 and load8(t.mark + child) & PRUNED != 0:
            child = HIDDEN
        store64(slot + 8 * k, child)
    return missing


@inner
def back_up(tree: int, start: int, stop: int, value: float) -> None:
    """Count a visit with this value at the nodes of the path from `start` to before `stop`."""
    t = tree_at(tree)
    path = t.path
    visits = t.visits
    total = t.total
    low = t.low
    high = t.high
    shared = t.shared
    for k in range(start, stop):
        node = load32(path + 4 * k)
        store_double(visits + 8 * node, load_double(visits + 8 * node) + 1.0)
        store_double(total + 8 * node, load_double(total + 8 * node) + value)
        if value < load_double(low + 8 * node):
            store_double(low + 8 * node, value)
        if value > load_double(high + 8 * node):
            store_double(high + 8 * node, value)
        if shared != 0:
            s = transpositions_at(shared)
            owner = load32(s.owner + 4 * node)
            store_double(s.visits + 8 * owner, load_double(s.visits + 8 * owner) + 1.0)
            store_double(s.total + 8 * owner, load_double(s.total + 8 * owner) + value)


@inner
def mean_of(tree: int, node: int, visits: float) -> float:
    """Mean value of a node with so many visits (its own and EPSILON); of its state where states share their values."""
    t = tree_at(tree)
    if t.shared != 0:
        s = transpositions_at(t.shared)
        owner = load32(s.owner + 4 * node)
        return load_double(s.total + 8 * owner) / (load_double(s.visits + 8 * owner) + EPSILON)
    return load_double(t.total + 8 * node) / visits


@inner
def path_length(tree: int) -> int:
    """Number of nodes on the current path."""
    t = tree_at(tree)
    length = 1
    while length <= t.depth and load32(t.path + 4 * length) >= 0:
        length += 1
    return length


@inner
def recommend(decision: int, count: int) -> int:
    """Index of the action to play: the most visited, or by mean value when asked or when all are visited alike."""
    d = decision_at(decision)
    t = tree_at(d.search)
    find_children(decision, 0, count)
    by_value = 1
    known = -1.0
    for k in range(count):
        child = load64(d.slot + 8 * k)
        if child >= 0:
            visits = load_double(t.visits + 8 * child)
            if known >= 0.0 and visits != known:
                by_value = t.by_value
            known = visits
    best = -1.0e300
    chosen = 0
    for k in range(count):
        child = load64(d.slot + 8 * k)
        if child >= 0:
            visits = load_double(t.visits + 8 * child)
            value = visits
            if by_value == 1:
                value = mean_of(d.search, child, visits + EPSILON)
            value = noise(decision, value)
            if value > best:
                best = value
                chosen = k
    return chosen


# --- transpositions ---------------------------------------------------------------------------------------------------


@inner
def forget_states(tree: int) -> None:
    """Empty the table of states; the root keeps its values to itself."""
    t = tree_at(tree)
    s = transpositions_at(t.shared)
    for k in range(s.mask + 1):
        store32(s.table + 4 * k, -1)
    share(tree, 0, 0)


@inner
def share(tree: int, node: int, key: int) -> None:
    """Let a new node share the values of the nodes with the same key; the key 0 is nobody else's."""
    t = tree_at(tree)
    s = transpositions_at(t.shared)
    owner = node
    if key != 0:
        place = key & s.mask
        while load32(s.table + 4 * place) >= 0 and load64(s.keys + 8 * load32(s.table + 4 * place)) != key:
            place = (place + 1) & s.mask
        owner = load32(s.table + 4 * place)
        if owner < 0:
            owner = node
            store32(s.table + 4 * place, node)
    store64(s.keys + 8 * node, key)
    store32(s.owner + 4 * node, owner)
    if owner == node:
        store_double(s.visits + 8 * node, 0.0)
        store_double(s.total + 8 * node, 0.0)


@inner
def key_at_depth(key: int, depth: int) -> int:
    """Return the key of a state at a depth counted from the first decision: its value is that of the ticks left."""
    return (key ^ (depth * 2654435761)) & 0x7FFFFFFFFFFFFFFF


# --- reuse ------------------------------------------------------------------------------------------------------------


@inner
def transfer(source: int, node: int, target: int, parent: int) -> int:
    """Append a copy of a node of another tree, its values decayed; returns its index. The parent of the root is -1."""
    s = tree_at(source)
    t = tree_at(target)
    copy = add_node(target, parent, load32(s.action + 4 * node))
    visits = load_double(s.visits + 8 * node) * t.decay
    total = load_double(s.total + 8 * node) * t.decay
    store_double(t.visits + 8 * copy, visits)
    store_double(t.total + 8 * copy, total)
    store_double(t.low + 8 * copy, load_double(s.low + 8 * node))
    store_double(t.high + 8 * copy, load_double(s.high + 8 * node))
    if parent > 0:  # what the root may do is judged anew
        store8(t.mark + copy, load8(s.mark + node) & (PRUNED | TESTED))
    if t.shared != 0 and parent >= 0:
        share(target, copy, load64(transpositions_at(s.shared).keys + 8 * node))
        table = transpositions_at(t.shared)
        owner = load32(table.owner + 4 * copy)
        store_double(table.visits + 8 * owner, load_double(table.visits + 8 * owner) + visits)
        store_double(table.total + 8 * owner, load_double(table.total + 8 * owner) + total)
    return copy


@inner
def keep_subtree(source: int, action: int, target: int) -> None:
    """Make the target tree the part of the source below the action that was played; empty when there is none.

    Breadth-first, so that what lies near the root survives where the room does not suffice for all.
    """
    s = tree_at(source)
    t = tree_at(target)
    t.used = 0
    root = MISSING
    if s.used > 0:
        root = child_of(source, 0, action)
    if root < 0:
        return
    transfer(source, root, target, -1)
    if t.shared != 0:
        forget_states(target)
    store32(t.origin, root)
    node = 0
    while node < t.used:
        child = load32(s.first + 4 * load32(t.origin + 4 * node))
        while child >= 0 and t.used < t.room:
            copy = transfer(source, child, target, node)
            store32(t.origin + 4 * copy, child)
            child = load32(s.sibling + 4 * child)
        node += 1
