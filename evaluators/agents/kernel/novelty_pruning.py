"""Novelty-based pruning: a node that shows nothing new beside its relatives is not worth a visit.

A state shows a row of numbers: place of the avatar, score, end, and for every kind of sprite how many there are
and how near the nearest is. A child is new when one of its numbers differs from that of all its earlier siblings, its
ancestors, and their siblings: the novelty test of width one (Geffner and Geffner 2015), as pruning of a search tree by
Soemers, Sironi, Schuster and Winands 2016. Their atoms are every sprite's cell; these are coarser. In an open loop a
row is that of the first visit.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.protocol import features, is_over, outcome, score
from pcg.engine.kernel.runtime import inner, load8, load32, load64, load_double, store8, store32, view_of
from pcg.evaluators.agents.kernel.decision import decision_at
from pcg.evaluators.agents.kernel.tree import PRUNED, SEEN, TESTED, place_of, tree_at

NOVELTY = np.dtype(
    [
        ("width", "i8"),  # numbers of a row
        ("rows", "i8"),  # int32[room][width]
    ],
    align=True,
)

STATE_NUMBERS = 3
"""Numbers of a row before the features: place, score, and how the game ended."""
_FRACTION = 16.0

novelty_at = view_of(NOVELTY)


@inner
def look(decision: int, node: int, state: int) -> None:
    """Write what the state of a node shows."""
    d = decision_at(decision)
    t = tree_at(d.search)
    n = novelty_at(t.novelty)
    row = n.rows + 4 * n.width * node
    store32(row, place_of(decision, state))
    store32(row + 4, int(_FRACTION * score(d.model, state, d.player)))
    store32(row + 8, 2 * is_over(d.model, state) + outcome(d.model, state, d.player))
    number = features(d.model, state, d.player, d.features, n.width - STATE_NUMBERS)
    for k in range(n.width - STATE_NUMBERS):
        value = load_double(d.features + 8 * k) if k < number else 0.0
        store32(row + 4 * (STATE_NUMBERS + k), int(_FRACTION * value))
    store8(t.mark + node, load8(t.mark + node) | SEEN)


@inner
def is_shown(tree: int, parent: int, until: int, column: int, value: int) -> int:
    """1 when a child of the parent shows the number; only children before `until` in the list of siblings count."""
    t = tree_at(tree)
    n = novelty_at(t.novelty)
    child = load32(t.first + 4 * parent)
    while child >= 0 and child != until:
        if load8(t.mark + child) & SEEN != 0 and load32(n.rows + 4 * (n.width * child + column)) == value:
            return 1
        child = load32(t.sibling + 4 * child)
    return 0


@inner
def is_new(tree: int, child: int, depth: int) -> int:
    """1 when a child of the path's node at `depth` shows a number that no relative shows."""
    t = tree_at(tree)
    n = novelty_at(t.novelty)
    for column in range(n.width):
        value = load32(n.rows + 4 * (n.width * child + column))
        known = is_shown(tree, load32(t.path + 4 * depth), child, column, value)
        k = depth
        while k >= 0 and known == 0:
            node = load32(t.path + 4 * k)
            if load8(t.mark + node) & SEEN != 0 and load32(n.rows + 4 * (n.width * node + column)) == value:
                known = 1
            elif k > 0:
                known = is_shown(tree, load32(t.path + 4 * (k - 1)), -1, column, value)
            k -= 1
        if known == 0:
            return 1
    return 0


@inner
def prune_known(decision: int, depth: int, count: int) -> None:
    """Prune those children of the path's node at `depth` that show nothing new, unless none does."""
    d = decision_at(decision)
    t = tree_at(d.search)
    node = load32(t.path + 4 * depth)
    store8(t.mark + node, load8(t.mark + node) | TESTED)
    news = 0
    for k in range(count):
        child = load64(d.slot + 8 * k)
        if child >= 0:
            if load8(t.mark + child) & SEEN == 0 or is_new(d.search, child, depth) == 1:
                news += 1
            else:
                store8(t.mark + child, load8(t.mark + child) | PRUNED)
    if news == 0:
        for k in range(count):
            child = load64(d.slot + 8 * k)
            if child >= 0:
                store8(t.mark + child, load8(t.mark + child) & ~PRUNED)
