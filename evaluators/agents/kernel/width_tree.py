"""The tree of a width-based search: nodes that keep their states, the open ones, and the places the play has been at.

All memory belongs to the agent (`width`); nothing here knows of novelty or values.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.protocol import OK, copy_state
from pcg.engine.kernel.runtime import (
    entry_point,
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
from pcg.evaluators.agents.kernel.novelty import place_of

SEARCH = np.dtype(
    [
        # --- parameters ---
        ("discount", "f8"),  # of rewards, per tick
        ("discounts", "i8"),  # float64[discounted]: its powers from the 0th on
        ("discounted", "i8"),
        ("win_bonus", "f8"),  # reward of a won end; minus that for a lost one
        ("guidance", "f8"),  # points of score that a unit of the heuristic's estimate costs
        ("attraction", "f8"),  # points of score that the pull of sprites is worth at most
        ("exploration", "f8"),  # points of score that having been somewhere once costs
        ("safety", "i8"),  # games of chance: samples of each action for its danger
        ("danger_depth", "i8"),  # ticks from the root up to which actions are sampled so
        ("wait", "i8"),  # 1: doing nothing is a move as well
        ("best_first", "i8"),  # 1: expand by reward so far, 0: breadth first
        ("first_width", "i8"),
        ("last_width", "i8"),
        ("chance", "i8"),  # 1: the game is stochastic (also: has other players)
        ("timed", "i8"),  # 1: the budget grows slice by slice
        # --- nodes; node k's state lies at states + k * stride ---
        ("room", "i8"),
        ("states", "i8"),
        ("stride", "i8"),
        ("free", "i8"),  # int32[room]: stack of unused nodes
        ("free_used", "i8"),
        ("numbered", "i8"),  # nodes that `free` lists from high to low, whatever was taken; 0: others were given back
        ("parent", "i8"),  # int32[room]
        ("first", "i8"),  # int32[room]: first child, -1 for none
        ("sibling", "i8"),  # int32[room]
        ("action", "i8"),  # int32[room]
        ("depth", "i8"),  # int32[room]: ticks from the root
        ("kept", "i8"),  # int32[room]: scratch of `move_states`
        ("heir", "i8"),  # int32[room]: the best child when values were backed up last
        ("met", "i8"),  # int64[room]: the pass that has looked at the node last
        ("points", "i8"),  # float64[room]: score of the state
        ("gain", "i8"),  # float64[room]: discounted rewards from the root
        ("lean", "i8"),  # float64[room]: what speaks for the state beside rewards
        ("risk", "i8"),  # float64[room]: share of samples of the node's action that were lost
        ("value", "i8"),  # float64[room]: backed up
        ("end", "i8"),  # int32[room]: RUNNING, or how the game has ended
        # --- what was looked up of a node's state: none of it is kept where every pass has a tree of its own
        ("place", "i8"),  # int64[room]: the avatar's position, -1: not yet
        ("key", "i8"),  # int64[room]: key of the state, -1: not yet
        ("choices", "i8"),  # int64[room]: its moves, the first in the lowest byte, each code and 1; 0: not yet, or many
        ("serials", "i8"),  # nodes ever taken
        ("serial", "i8"),  # int64[room]: which of these it is
        ("compared", "i8"),  # int64[room][2]: serials of nodes whose facts its own were compared with
        ("news", "i8"),  # int32[room][2][1 + MOST_NEWS]: how many facts these lack, and the facts
        # --- open nodes: a heap by reward, then order of arrival (best first), or the queue that breadth-first is ---
        ("heap", "i8"),  # int32[room]; a node comes once in a pass, so that a queue fits from the front
        ("head", "i8"),  # where the queue begins
        ("heap_used", "i8"),
        ("clock", "i8"),
        ("arrival", "i8"),  # int64[room]
        ("order", "i8"),  # int32[room]: nodes in order of expansion
        ("order_used", "i8"),
        # --- the search ---
        ("phase", "i8"),
        ("root", "i8"),
        ("width", "i8"),
        ("passes", "i8"),  # passes ever made
        ("node", "i8"),  # being expanded, -1: none
        ("slot", "i8"),  # the next of its actions
        ("moves", "i8"),  # how many these are, as long as they stand in `own`; 0: they must be written there again
        ("sample", "i8"),  # safety samples made
        ("broken", "i8"),  # 1: interrupted because a state did not fit
        ("kept_random", "i8"),  # the agent's random stream at the last safe point
        ("kept_calls", "i8"),
        ("heir_root", "i8"),  # the node expected as next root, -1: none
        ("dead", "i8"),  # int64[max_actions + 1]: lost samples of each root action
        ("sum", "i8"),  # float64[max_actions + 1]: values of each root action over finished runs
        ("runs", "i8"),
        # --- memory of the play ---
        ("been_key", "i8"),  # int64[been_size]: open addressing over places
        ("been_count", "i8"),  # int64[been_size]: 0 where there is none
        ("been_marks", "i8"),  # int8[BEEN_MARKS]: 1 where a place may have an entry, by the last bits of where that is
        ("been_size", "i8"),
        ("been_used", "i8"),
        ("facts", "i8"),
        ("knowledge", "i8"),
        ("maps", "i8"),  # address of a LEARNT_MAPS record; 0: pulls go along straight lines
    ],
    align=True,
)

BEEN_MARKS = 1024
"""Marks of places that the play has been at: most states are at others, which is known without a look at the table."""

RUNNING, OTHER_END, WON_END, LOST_END = 0, 1, 2, 3

MOST_NEWS = 15
"""Facts that are kept of a comparison with another node; of more, none."""

search_at = view_of(SEARCH)


# --- nodes ------------------------------------------------------------------------------------------------------------


@inner
def address_of(search: int, node: int) -> int:
    """Address of the node's state."""
    s = search_at(search)
    return s.states + node * s.stride


@inner
def clear(search: int) -> None:
    """Free all nodes; low numbers are handed out first."""
    s = search_at(search)
    s.free_used = s.room
    if s.numbered != s.room:
        for k in range(s.room):
            store32(s.free + 4 * k, s.room - 1 - k)
        s.numbered = s.room


@inner
def forget_looks(search: int, node: int) -> None:
    """Forget what was looked up of a node whose state is another now, but for its key."""
    s = search_at(search)
    s.serials = s.serials + 1
    store64(s.serial + 8 * node, s.serials)
    store64(s.place + 8 * node, -1)
    store64(s.choices + 8 * node, 0)
    store64(s.compared + 16 * node, 0)
    store64(s.compared + 16 * node + 8, 0)


@inner
def take_node(search: int, parent: int, action: int) -> int:
    """An unused node, not linked to its parent yet."""
    s = search_at(search)
    s.free_used = s.free_used - 1
    node = load32(s.free + 4 * s.free_used)
    store32(s.parent + 4 * node, parent)
    store32(s.action + 4 * node, action)
    store32(s.first + 4 * node, -1)
    store32(s.sibling + 4 * node, -1)
    store32(s.heir + 4 * node, -1)
    store64(s.met + 8 * node, 0)
    store_double(s.risk + 8 * node, 0.0)
    forget_looks(search, node)
    store64(s.key + 8 * node, -1)
    return node


@inner
def child_by(search: int, node: int, action: int) -> int:
    """The node's child by an action, -1 when it was not simulated."""
    s = search_at(search)
    child = load32(s.first + 4 * node)
    while child >= 0 and load32(s.action + 4 * child) != action:
        child = load32(s.sibling + 4 * child)
    return child


@inner
def list_children(search: int, node: int, actions: int, count: int, out: int) -> None:
    """Write the node's child by each of `count` actions to int64 `out`, -1 where it was not simulated.

    Children come in the order of the actions, the last one first: one walk finds all.
    """
    s = search_at(search)
    child = load32(s.first + 4 * node)
    for k in range(count - 1, -1, -1):
        found = -1
        if child >= 0 and load32(s.action + 4 * child) == load64(actions + 8 * k):
            found = child
            child = load32(s.sibling + 4 * child)
        store64(out + 8 * k, found)
    if child >= 0:  # they came in another order
        for k in range(count):
            store64(out + 8 * k, child_by(search, node, load64(actions + 8 * k)))


@inner
def keep_subtree(search: int, node: int) -> None:
    """Make the node the root and free all nodes that are not below it."""
    s = search_at(search)
    stack = s.order  # not needed before the next pass
    store32(stack, s.root)
    height = 1
    while height > 0:
        height -= 1
        at = load32(stack + 4 * height)
        if at == node:
            continue
        store32(s.free + 4 * s.free_used, at)
        s.free_used = s.free_used + 1
        child = load32(s.first + 4 * at)
        while child >= 0:
            store32(stack + 4 * height, child)
            height += 1
            child = load32(s.sibling + 4 * child)
    store32(s.parent + 4 * node, -1)
    store32(s.sibling + 4 * node, -1)
    s.numbered = 0
    s.root = node


@entry_point("i8(i8, i8, i8, i8)")
def move_states(search: int, model: int, source: int, stride: int) -> int:
    """Fetch the states of the nodes in use from blocks elsewhere; OK."""
    s = search_at(search)
    for k in range(s.room):
        store32(s.kept + 4 * k, 1)
    for k in range(s.free_used):
        store32(s.kept + 4 * load32(s.free + 4 * k), 0)
    for k in range(s.room):
        if load32(s.kept + 4 * k) == 1:
            copy_state(model, s.states + k * s.stride, source + k * stride)
    return OK


# --- open nodes -------------------------------------------------------------------------------------------------------


@inner
def comes_first(search: int, a: int, b: int) -> int:
    """1 when node `a` is to be expanded before `b` by a search that goes for the best first."""
    s = search_at(search)
    first = load_double(s.gain + 8 * a)
    second = load_double(s.gain + 8 * b)
    if first != second:
        return 1 if first > second else 0
    return 1 if load64(s.arrival + 8 * a) < load64(s.arrival + 8 * b) else 0


@inner
def push(search: int, node: int) -> None:
    """Open a node."""
    s = search_at(search)
    store64(s.arrival + 8 * node, s.clock)
    s.clock = s.clock + 1
    place = s.heap_used
    s.heap_used = place + 1
    if s.best_first == 0:
        store32(s.heap + 4 * (s.head + place), node)
        return
    while place > 0:
        other = load32(s.heap + 4 * ((place - 1) // 2))
        if comes_first(search, node, other) == 0:
            break
        store32(s.heap + 4 * place, other)
        place = (place - 1) // 2
    store32(s.heap + 4 * place, node)


@inner
def pop(search: int) -> int:
    """Take the open node that comes first."""
    s = search_at(search)
    size = s.heap_used - 1
    s.heap_used = size
    if s.best_first == 0:
        s.head = s.head + 1
        return load32(s.heap + 4 * (s.head - 1))
    node = load32(s.heap)
    if size > 0:
        last = load32(s.heap + 4 * size)
        place = 0
        while 2 * place + 1 < size:
            below = 2 * place + 1
            if below + 1 < size:
                right = load32(s.heap + 4 * (below + 1))
                if comes_first(search, right, load32(s.heap + 4 * below)) == 1:
                    below += 1
            child = load32(s.heap + 4 * below)
            if comes_first(search, child, last) == 0:
                break
            store32(s.heap + 4 * place, child)
            place = below
        store32(s.heap + 4 * place, last)
    return node


# --- where the play has been ------------------------------------------------------------------------------------------


@inner
def visit_entry(search: int, key: int) -> int:
    """Index of the place's entry, or of the empty entry where it belongs."""
    s = search_at(search)
    entry = place_of(key, s.been_size)
    while load64(s.been_count + 8 * entry) > 0 and load64(s.been_key + 8 * entry) != key:
        entry = (entry + 1) & (s.been_size - 1)
    return entry


@inner
def visits_of(search: int, key: int) -> int:
    """Visits of the real play to a place."""
    s = search_at(search)
    if load8(s.been_marks + (place_of(key, s.been_size) & (BEEN_MARKS - 1))) == 0:
        return 0
    return load64(s.been_count + 8 * visit_entry(search, key))


@inner
def count_visit(search: int, key: int) -> None:
    """Count a visit of the real play."""
    s = search_at(search)
    entry = visit_entry(search, key)
    count = load64(s.been_count + 8 * entry)
    if count == 0:
        if 2 * s.been_used >= s.been_size:
            return
        s.been_used = s.been_used + 1
        store64(s.been_key + 8 * entry, key)
        store8(s.been_marks + (place_of(key, s.been_size) & (BEEN_MARKS - 1)), 1)
    store64(s.been_count + 8 * entry, count + 1)
