"""A tree over sequences of actions in one block of memory: it can be saved, restored, and moved on after a real tick.

Node 0 is the root; nodes lie in the order in which they were made, parents before children. Open-loop searches keep
their statistics here (`kernel.olets`, the statistical tree of `kernel.rhea`). Saving matters because a decision whose
states outgrow their memory starts over, and must then find the tree as it was.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.random import next_double
from pcg.engine.kernel.runtime import copy_bytes, inlined, inner, load32, load64, store32, store64, view_of
from pcg.evaluators.agents.kernel.decision import decision_at

NODE = np.dtype(
    [
        ("parent", "i4"),  # -1: none
        ("first", "i4"),  # first child, -1: none
        ("sibling", "i4"),  # next child of the same parent, -1: none
        ("action", "i4"),  # action code that leads to the node
        ("depth", "i4"),  # ticks from the root
        ("fresh", "i2"),  # 1: visited since the tree moved on
        ("shunned", "i2"),  # 1: selected less, for the place that it leads to
        ("visits", "f8"),  # how many: whole numbers, as divisions want them
        ("total", "f8"),  # sum of the values backed up
        ("exits", "f8"),  # how many of them ended here
        ("exit_total", "f8"),  # sum of their values
        ("value", "f8"),  # what selection goes by
    ],
    align=True,
)

PLAN_TREE = np.dtype(
    [
        ("nodes", "i8"),  # NODE[room]
        ("saved", "i8"),  # NODE[room]: the nodes at the start of the decision
        ("moved", "i8"),  # int32[room]: scratch of `make_root`
        ("room", "i8"),
        ("used", "i8"),
        ("saved_used", "i8"),
    ],
    align=True,
)

NODE_BYTES = NODE.itemsize

node_at = view_of(NODE)
plan_tree_at = view_of(PLAN_TREE)


@inlined
def node_of(tree: int, k: int) -> int:
    """Node k."""
    return node_at(plan_tree_at(tree).nodes + NODE_BYTES * k)


@inner
def add_node(tree: int, parent: int, action: int) -> int:
    """Append a node without children or visits, the first child of `parent` (-1: the root); returns its index."""
    t = plan_tree_at(tree)
    k = t.used
    t.used = k + 1
    n = node_of(tree, k)
    n.parent = parent
    n.first = -1
    n.sibling = -1
    n.action = action
    n.depth = 0
    n.fresh = 0
    n.shunned = 0
    n.visits = 0.0
    n.total = 0.0
    n.exits = 0.0
    n.exit_total = 0.0
    n.value = 0.0
    if parent >= 0:
        p = node_of(tree, parent)
        n.depth = p.depth + 1
        n.sibling = p.first
        p.first = k
    return k


@inner
def add_child(decision: int, tree: int, parent: int, i: int) -> int:
    """Append a node for own action i, among the children in `slot` in the order of the own actions."""
    d = decision_at(decision)
    k = add_node(tree, parent, load64(d.own + 8 * i))
    before = i - 1
    while before >= 0 and load64(d.slot + 8 * before) < 0:
        before -= 1
    if before >= 0:
        n = node_of(tree, k)
        elder = node_of(tree, load64(d.slot + 8 * before))
        node_of(tree, parent).first = n.sibling
        n.sibling = elder.sibling
        elder.sibling = k
    return k


@inner
def child_of(tree: int, k: int, action: int) -> int:
    """The child of node k that the action leads to, -1 when there is none."""
    child = node_of(tree, k).first
    while child >= 0 and node_of(tree, child).action != action:
        child = node_of(tree, child).sibling
    return child


@inner
def find_children(decision: int, tree: int, k: int, count: int) -> int:
    """Write the child of each own action to `slot` (-1: not there yet); returns how many are missing.

    Children lie in the order of the own actions where these were always the same, so that most are found at once.
    """
    d = decision_at(decision)
    missing = 0
    following = node_of(tree, k).first
    for i in range(count):
        action = load64(d.own + 8 * i)
        child = following
        if child < 0 or node_of(tree, child).action != action:
            child = child_of(tree, k, action)
        store64(d.slot + 8 * i, child)
        if child < 0:
            missing += 1
        else:
            following = node_of(tree, child).sibling
    return missing


@inner
def draw_missing(decision: int, count: int) -> int:
    """Index of one own action without a child: a draw for each missing one, the largest wins."""
    d = decision_at(decision)
    best = -1.0
    chosen = 0
    for i in range(count):
        if load64(d.slot + 8 * i) < 0:
            draw = next_double(decision)
            if draw > best:
                best = draw
                chosen = i
    return chosen


@inlined
def moved_to(tree: int, k: int) -> int:
    """New place of node k in `make_root`; -1 for none, as for what is not kept."""
    if k < 0:
        return -1
    return load32(plan_tree_at(tree).moved + 4 * k)


@inner
def make_root(tree: int, root: int) -> None:
    """Keep only the subtree of a node, which becomes the root; the order of its nodes stays."""
    t = plan_tree_at(tree)
    kept = 0
    for old in range(root, t.used):
        parent = node_of(tree, old).parent
        place = -1
        if old == root or (parent >= root and moved_to(tree, parent) >= 0):
            place = kept
            kept += 1
        store32(t.moved + 4 * old, place)
    up = node_of(tree, root).depth
    for old in range(root, t.used):
        k = moved_to(tree, old)
        if k >= 0:
            n = node_of(tree, k)
            if old != k:
                copy_bytes(t.nodes + NODE_BYTES * k, t.nodes + NODE_BYTES * old, NODE_BYTES)
            n.depth = n.depth - up
            n.first = moved_to(tree, n.first)
            if k > 0:
                n.parent = moved_to(tree, n.parent)
                n.sibling = moved_to(tree, n.sibling)
    n = node_of(tree, 0)
    n.parent = -1
    n.sibling = -1
    t.used = kept


@inner
def save_tree(tree: int) -> None:
    """Remember the tree as it is."""
    t = plan_tree_at(tree)
    copy_bytes(t.saved, t.nodes, NODE_BYTES * t.used)
    t.saved_used = t.used


@inner
def restore_tree(tree: int) -> None:
    """Make the tree what it was when it was saved; empty if it never was."""
    t = plan_tree_at(tree)
    copy_bytes(t.nodes, t.saved, NODE_BYTES * t.saved_used)
    t.used = t.saved_used
