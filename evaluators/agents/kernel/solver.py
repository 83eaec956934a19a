"""Graph search for deterministic games: breadth-first and A*, with state hashing and duplicate detection.

Every distinct state met (by its 64-bit key) is a node that remembers how it was reached; only open nodes keep a state
block, and when the block memory is full a node's state is made again by playing its path from the root. So memory is
bounded, and the answer does not depend on it. A* reopens nodes that turn out to be reachable sooner (Hart, Nilsson and
Raphael 1968), which inconsistent estimates need. Costs are ticks.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.protocol import (
    GROW,
    OK,
    WON,
    advance_state,
    copy_state,
    is_over,
    legal_actions,
    outcome,
    score,
    state_key,
)
from pcg.engine.kernel.random import next_int
from pcg.engine.kernel.runtime import (
    call2_double,
    entry_point,
    inner,
    load32,
    load64,
    load_double,
    processor_time,
    store32,
    store64,
    store_double,
    view_of,
)
from pcg.evaluators.agents.kernel.decision import LOOK_AT_CLOCK, NIL, begin_decision, decision_at, imagine, own_actions

PAUSED, SOLVED, EXHAUSTED, NODES_SPENT, BLOCKS_SPENT = 2, 3, 4, 5, 6
"""Answers of `expand_nodes` besides GROW. After PAUSED and BLOCKS_SPENT the search can go on."""

NO_BLOCK = -1
GOAL = -2
"""Values of `block`: a node without a stored state, and a won state."""

SEARCH = np.dtype(
    [
        ("informed", "i8"),  # 0: breadth first; 1: A*
        ("weight", "f8"),  # of the estimate in A*: 1 is A*, more is weighted A*
        ("room", "i8"),  # nodes at most; all node arrays have this length
        ("used", "i8"),
        ("branching", "i8"),  # successors of a node at most
        ("stride", "i8"),  # ticks from a node to its successors, in which the action is held
        ("tap", "i8"),  # code of the action that is pressed in the first of them only, -1: none
        ("max_depth", "i8"),  # nodes this many ticks from the root are not expanded
        ("cut", "i8"),  # number of nodes not expanded for that reason
        ("calls", "i8"),  # forward-model calls so far
        ("pause_at", "i8"),  # return PAUSED once so many calls are made
        ("goal", "i8"),  # the won node, -1: none yet
        ("best", "i8"),  # the most promising node: lowest estimate, then highest score, then first found
        ("best_score", "f8"),
        ("key", "i8"),  # int64[room]: state key
        ("parent", "i8"),  # int32[room]: -1 for the root
        ("action", "i8"),  # int32[room]: action code that leads here from the parent
        ("depth", "i8"),  # int32[room]: ticks from the root
        ("block", "i8"),  # int32[room]: index of its state block, NO_BLOCK or GOAL
        ("estimate", "i8"),  # float64[room]: estimated ticks to a win
        ("table", "i8"),  # int32[table_size]: open addressing from keys to node + 1
        ("table_size", "i8"),  # a power of two, at least twice `room`
        ("cursor", "i8"),  # breadth first: the next node to expand
        ("heap", "i8"),  # int32[room]: A*'s open nodes, a binary heap by priority, then order
        ("heap_used", "i8"),
        ("place", "i8"),  # int32[room]: where a node stands in the heap, -1: not there
        ("priority", "i8"),  # float64[room]: depth + weight * estimate
        ("order", "i8"),  # int64[room]: when the node was put there; the latest goes first among equals
        ("clock", "i8"),
        ("blocks", "i8"),  # int64[block_room]: addresses of state blocks
        ("free", "i8"),  # int32[block_room]: stack of unused blocks
        ("free_used", "i8"),
        ("block_count", "i8"),
        ("may_grow", "i8"),  # 1: more blocks can be had by returning BLOCKS_SPENT
        ("root", "i8"),  # address of a copy of the root state
        ("rebuilt", "i8"),  # address of a block for a state made again
        ("scratch", "i8"),  # address of a block for successors when no free block is left
        ("line", "i8"),  # int32[max_depth + 1]: actions of a path
        ("line_keys", "i8"),  # int64[max_depth + 1]: keys of the states in which they are played
        ("plan_at", "i8"),  # agent: the next entry of `line` to play
        ("plan_end", "i8"),  # agent: number of entries
        ("generous", "i8"),  # agent: 1: the next search is bounded by `room` instead of the budget
        ("keeps_plan", "i8"),  # agent: 1: the game is deterministic, a plan stays good
        ("checks", "i8"),  # agent: imagined futures in which the rest of a plan must hold to be kept, 0: never kept
        ("promise", "f8"),  # agent: the estimate where the plan leads to, less than 0: to a win
    ],
    align=True,
)

search_at = view_of(SEARCH)


# --- open nodes of A* ---------------------------------------------------------------------------------------------


@inner
def comes_first(search: int, a: int, b: int) -> int:
    """1 when node `a` is to be expanded before `b`."""
    s = search_at(search)
    first = load_double(s.priority + 8 * a)
    second = load_double(s.priority + 8 * b)
    if first != second:
        return 1 if first < second else 0
    return 1 if load64(s.order + 8 * a) > load64(s.order + 8 * b) else 0


@inner
def set_place(search: int, node: int, place: int) -> None:
    """Put the node at a place of the heap."""
    s = search_at(search)
    store32(s.heap + 4 * place, node)
    store32(s.place + 4 * node, place)


@inner
def push(search: int, node: int) -> None:
    """Open the node, or move it up after its depth became smaller."""
    s = search_at(search)
    depth = load32(s.depth + 4 * node)
    store_double(s.priority + 8 * node, depth + s.weight * load_double(s.estimate + 8 * node))
    store64(s.order + 8 * node, s.clock)
    s.clock = s.clock + 1
    place = load32(s.place + 4 * node)
    if place < 0:
        place = s.heap_used
        s.heap_used = place + 1
    while place > 0:
        above = (place - 1) // 2
        other = load32(s.heap + 4 * above)
        if comes_first(search, node, other) == 0:
            break
        set_place(search, other, place)
        place = above
    set_place(search, node, place)


@inner
def pop(search: int) -> int:
    """Take the open node with the least priority."""
    s = search_at(search)
    node = load32(s.heap)
    store32(s.place + 4 * node, -1)
    size = s.heap_used - 1
    s.heap_used = size
    if size > 0:
        last = load32(s.heap + 4 * size)
        place = 0
        while 2 * place + 1 < size:
            below = 2 * place + 1
            child = load32(s.heap + 4 * below)
            if below + 1 < size:
                other = load32(s.heap + 4 * (below + 1))
                if comes_first(search, other, child) == 1:
                    below += 1
                    child = other
            if comes_first(search, child, last) == 0:
                break
            set_place(search, child, place)
            place = below
        set_place(search, last, place)
    return node


# --- nodes --------------------------------------------------------------------------------------------------------


@inner
def find_entry(search: int, key: int) -> int:
    """Index of the key's entry in the table, or of the empty entry where it belongs."""
    s = search_at(search)
    mask = s.table_size - 1
    entry = ((key >> 32) ^ key) & mask
    while True:
        node = load32(s.table + 4 * entry) - 1
        if node < 0 or load64(s.key + 8 * node) == key:
            return entry
        entry = (entry + 1) & mask


@inner
def add_node(search: int, entry: int, key: int, parent: int, action: int) -> int:
    """Append a node without a state block and enter it in the table."""
    s = search_at(search)
    node = s.used
    s.used = node + 1
    store32(s.table + 4 * entry, node + 1)
    store64(s.key + 8 * node, key)
    store32(s.block + 4 * node, NO_BLOCK)
    store32(s.place + 4 * node, -1)
    store_double(s.estimate + 8 * node, 0.0)
    store32(s.depth + 4 * node, 0)
    if parent >= 0:
        store32(s.depth + 4 * node, load32(s.depth + 4 * parent) + s.stride)
    store32(s.parent + 4 * node, parent)
    store32(s.action + 4 * node, action)
    return node


@inner
def judge(decision: int, search: int, node: int, state: int) -> None:
    """Estimate the ticks from the node to a win, and note the node when it is the most promising so far."""
    d = decision_at(decision)
    s = search_at(search)
    value = score(d.model, state, d.player)
    estimate = 0.0
    if d.heuristic != 0:
        estimate = call2_double(d.heuristic, decision, state)
    store_double(s.estimate + 8 * node, estimate)
    best = s.best
    if best >= 0:
        least = load_double(s.estimate + 8 * best)
        if estimate > least or (estimate == least and value <= s.best_score):
            return
    s.best = node
    s.best_score = value


@inner
def write_line(search: int, node: int) -> int:
    """Write the actions from the root to the node to `line`, the keys to `line_keys`; returns their number.

    Counts parents instead of trusting `depth`: an ancestor may have been reached sooner since.
    """
    s = search_at(search)
    length = 0
    ancestor = load32(s.parent + 4 * node)
    while ancestor >= 0:
        length += 1
        ancestor = load32(s.parent + 4 * ancestor)
    for k in range(length - 1, -1, -1):
        store32(s.line + 4 * k, load32(s.action + 4 * node))
        node = load32(s.parent + 4 * node)
        store64(s.line_keys + 8 * k, load64(s.key + 8 * node))
    return length


@inner
def play(decision: int, search: int, state: int, action: int) -> int:
    """Advance a state by one tick. OK or GROW."""
    d = decision_at(decision)
    s = search_at(search)
    s.calls = s.calls + 1
    if d.deadline != 0 and s.calls % LOOK_AT_CLOCK == 0 and processor_time() >= d.deadline:
        s.pause_at = min(s.pause_at, s.calls)
    store64(d.joint + 8 * d.player, action)
    return advance_state(d.model, state, d.joint)


@inner
def stride_along(decision: int, search: int, state: int, action: int) -> int:
    """Advance a state by the ticks of an edge, or until the game is over. OK or GROW."""
    d = decision_at(decision)
    s = search_at(search)
    if play(decision, search, state, action) == GROW:
        return GROW
    if action == s.tap:
        action = NIL
    for _ in range(s.stride - 1):
        if is_over(d.model, state) != 0:
            break
        if play(decision, search, state, action) == GROW:
            return GROW
    return OK


@inner
def state_of(decision: int, search: int, node: int) -> int:
    """Address of the node's state, made again when it was not kept; 0 when the memory must grow."""
    d = decision_at(decision)
    s = search_at(search)
    block = load32(s.block + 4 * node)
    if block >= 0:
        return load64(s.blocks + 8 * block)
    if copy_state(d.model, s.rebuilt, s.root) == GROW:
        return 0
    for k in range(write_line(search, node)):
        if stride_along(decision, search, s.rebuilt, load32(s.line + 4 * k)) == GROW:
            return 0
    return s.rebuilt


# --- search -------------------------------------------------------------------------------------------------------


@inner
def place_for_successor(search: int) -> int:
    """Address of the block for the next successor: the topmost free one, or the scratch block when none is left."""
    s = search_at(search)
    if s.free_used == 0:
        return s.scratch
    return load64(s.blocks + 8 * load32(s.free + 4 * (s.free_used - 1)))


@inner
def keep_block(search: int, node: int) -> None:
    """Give the topmost free block, which holds the node's state, to the node."""
    s = search_at(search)
    if s.free_used > 0:
        s.free_used = s.free_used - 1
        store32(s.block + 4 * node, load32(s.free + 4 * s.free_used))


@inner
def return_block(search: int, node: int) -> None:
    """Take the node's block back."""
    s = search_at(search)
    block = load32(s.block + 4 * node)
    if block >= 0:
        store32(s.free + 4 * s.free_used, block)
        s.free_used = s.free_used + 1
        store32(s.block + 4 * node, NO_BLOCK)


@inner
def meet(decision: int, search: int, parent: int, action: int, state: int) -> int:
    """Enter the successor `state` of `parent`, unless it is known or a dead end. OK, NODES_SPENT or SOLVED."""
    d = decision_at(decision)
    s = search_at(search)
    won = 0
    if is_over(d.model, state) != 0:
        if outcome(d.model, state, d.player) != WON:
            return OK
        won = 1
    key = state_key(d.model, state)
    entry = find_entry(search, key)
    node = load32(s.table + 4 * entry) - 1
    if node >= 0:
        depth = load32(s.depth + 4 * parent) + s.stride
        if s.informed == 1 and depth < load32(s.depth + 4 * node):
            store32(s.depth + 4 * node, depth)
            store32(s.parent + 4 * node, parent)
            store32(s.action + 4 * node, action)
            push(search, node)
        return OK
    if s.used == s.room:
        return NODES_SPENT
    node = add_node(search, entry, key, parent, action)
    if won == 1:
        store32(s.block + 4 * node, GOAL)
        if s.informed == 0:  # nodes are met in order of depth: no shorter way can follow
            s.goal = node
            return SOLVED
    else:
        judge(decision, search, node, state)
        keep_block(search, node)
    if s.informed == 1:
        push(search, node)
    return OK


@inner
def expand(decision: int, search: int, node: int) -> int:
    """Meet all successors of the node. OK, GROW, NODES_SPENT or SOLVED."""
    d = decision_at(decision)
    state = state_of(decision, search, node)
    if state == 0:
        return GROW
    count = legal_actions(d.model, state, d.player, d.own)
    store64(d.own + 8 * count, NIL)  # waiting is a move too
    for k in range(count + 1):
        action = load64(d.own + 8 * k)
        to = place_for_successor(search)
        if copy_state(d.model, to, state) == GROW or stride_along(decision, search, to, action) == GROW:
            return GROW
        answer = meet(decision, search, node, action, to)
        if answer != OK:
            return answer
    return_block(search, node)
    return OK


@inner
def clear(search: int) -> None:
    """Forget all nodes and take all state blocks back."""
    s = search_at(search)
    if s.used > 0:  # else the table is as new
        for k in range(s.table_size // 2):
            store64(s.table + 8 * k, 0)
    s.used = 0
    s.cut = 0
    s.calls = 0
    s.goal = -1
    s.best = -1
    s.cursor = 0
    s.heap_used = 0
    s.clock = 0
    s.free_used = s.block_count
    for k in range(s.block_count):  # a stack: low indices are handed out first
        store32(s.free + 4 * k, s.block_count - 1 - k)


@inner
def begin(decision: int) -> int:
    """Start a search from the state in the root block. OK, or SOLVED when it is won already."""
    d = decision_at(decision)
    search = d.search
    s = search_at(search)
    clear(search)
    key = state_key(d.model, s.root)
    node = add_node(search, find_entry(search, key), key, -1, NIL)
    if is_over(d.model, s.root) != 0:
        if outcome(d.model, s.root, d.player) != WON:
            s.cursor = s.used  # nothing is open
            return OK
        s.goal = node
        return SOLVED
    judge(decision, search, node, s.root)
    if s.informed == 1:
        push(search, node)
    return OK


@inner
def run(decision: int) -> int:
    """Go on with the search until an answer is found or `pause_at` calls are made."""
    d = decision_at(decision)
    search = d.search
    s = search_at(search)
    while True:
        if s.calls >= s.pause_at:
            return PAUSED
        if s.may_grow == 1 and s.free_used < s.branching:
            return BLOCKS_SPENT
        if s.informed == 1:
            if s.heap_used == 0:
                return EXHAUSTED
            node = pop(search)
            if load32(s.block + 4 * node) == GOAL:
                s.goal = node
                return SOLVED
        else:
            if s.cursor == s.used:
                return EXHAUSTED
            node = s.cursor
            s.cursor = node + 1
        if load32(s.depth + 4 * node) >= s.max_depth:
            s.cut = s.cut + 1
            continue
        answer = expand(decision, search, node)
        if answer != OK:
            return answer


# --- for Python -------------------------------------------------------------------------------------------------------


@entry_point("i8(i8, i8)")
def begin_search(decision: int, state: int) -> int:
    """Make a copy of the state the root of a new search. OK, GROW, or SOLVED when it is won already."""
    d = decision_at(decision)
    if copy_state(d.model, search_at(d.search).root, state) == GROW:
        return GROW
    return begin(decision)


@entry_point("i8(i8)")
def expand_nodes(decision: int) -> int:
    """Go on with the search; see PAUSED and its companions."""
    return run(decision)


@entry_point("i8(i8, i8)")
def trace_line(decision: int, node: int) -> int:
    """Write the actions that lead to the node to `line`; returns their number."""
    return write_line(decision_at(decision).search, node)


# --- the agent --------------------------------------------------------------------------------------------------------


@inner
def next_of_plan(decision: int, state: int) -> int:
    """1 when the plan has an action for this state, which is then the chosen one."""
    d = decision_at(decision)
    s = search_at(d.search)
    if s.keeps_plan == 0 or s.plan_at >= s.plan_end or load64(s.line_keys + 8 * s.plan_at) != state_key(d.model, state):
        return 0
    d.chosen = load32(s.line + 4 * s.plan_at)
    s.plan_at = s.plan_at + 1
    return 1


@inner
def plan_holds(decision: int, state: int) -> int:
    """1 when the rest of the plan leads where it promised in every one of a few imagined futures. -1: GROW."""
    d = decision_at(decision)
    s = search_at(d.search)
    for _ in range(s.checks):
        if imagine(decision, s.scratch, state) == GROW:
            return -1
        for k in range(s.plan_at, s.plan_end):
            if is_over(d.model, s.scratch) != 0:
                break
            if play(decision, d.search, s.scratch, load32(s.line + 4 * k)) == GROW:
                return -1
        if is_over(d.model, s.scratch) != 0:
            if outcome(d.model, s.scratch, d.player) != WON:
                return 0
        elif s.promise < 0.0 or d.heuristic == 0:
            return 0
        elif call2_double(d.heuristic, decision, s.scratch) > s.promise:
            return 0
    return 1


@inner
def go_on_with_plan(decision: int, state: int) -> int:
    """1 when the plan made for another future still holds; its next action is then chosen. 0 if not, -1: GROW."""
    d = decision_at(decision)
    s = search_at(d.search)
    if s.checks == 0 or s.keeps_plan == 1 or s.plan_at >= s.plan_end:
        return 0
    s.calls = 0
    holds = plan_holds(decision, state)
    d.calls = s.calls
    if holds == 1:
        d.chosen = load32(s.line + 4 * s.plan_at)
        s.plan_at = s.plan_at + 1
    else:
        s.plan_end = 0
    return holds


@inner
def plan(decision: int) -> None:
    """Choose the first action towards the win found, or else towards the most promising state, and note the rest."""
    d = decision_at(decision)
    s = search_at(d.search)
    target = s.goal
    if target < 0:
        target = s.best
    length = write_line(d.search, target)
    s.plan_at = 1
    s.plan_end = length if s.keeps_plan == 1 or s.checks > 0 else 0
    s.promise = -1.0 if s.goal >= 0 else load_double(s.estimate + 8 * target)
    if length > 0:
        d.chosen = load32(s.line)
    else:  # the search saw nothing better than where we are
        count = own_actions(decision, s.root)
        d.chosen = load64(d.own + 8 * next_int(decision, count))


@entry_point("i8(i8, i8)")
def decide_solver(decision: int, state: int) -> int:
    """Play by the plan; search for one when there is none for this state. OK or GROW."""
    d = decision_at(decision)
    s = search_at(d.search)
    if d.resume == 0:
        if begin_decision(decision, state) == 0 or next_of_plan(decision, state) == 1:
            return OK
        kept = go_on_with_plan(decision, state)
        if kept == 1:
            return OK
        if kept < 0:
            return GROW
        if s.keeps_plan == 1:
            if copy_state(d.model, s.root, state) == GROW:
                return GROW
        elif imagine(decision, s.root, state) == GROW:
            return GROW
        begin(decision)
        s.calls = d.calls  # those for looking at the old plan count
    s.pause_at = d.budget
    if s.generous == 1:
        s.pause_at = 1 << 62
    if run(decision) == GROW:
        return GROW
    s.generous = 0
    d.calls = s.calls
    plan(decision)
    return OK
