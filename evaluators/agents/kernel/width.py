"""Iterated width: search that goes on only from states with something new about them.

IW(1) is breadth-first search that prunes every state without a new fact, IW(2) every state without a new pair of facts
(Lipovetzky and Geffner 2012); between them "1.5" counts pairs with the avatar's fact only. As in Geffner and Geffner
2015 the best path by discounted reward is played, actions that may kill at once are avoided, and in deterministic games
what was simulated is kept for the next decision; when a width is exhausted the next one goes on with what is left of
the budget. In games of chance the search is repeated on fresh samples instead, and the actions' values are averaged.
"""

from __future__ import annotations

from pcg.engine.kernel.exponents import power
from pcg.engine.kernel.protocol import (
    GROW,
    LOST,
    OK,
    copy_state,
    is_over,
    outcome,
    score,
    state_key,
)
from pcg.engine.kernel.runtime import (
    call2_double,
    entry_point,
    inner,
    load32,
    load64,
    load_double,
    store32,
    store64,
    store_double,
)
from pcg.evaluators.agents.kernel.decision import NIL, begin_decision, decision_at, imagine, noise, own_actions, step
from pcg.evaluators.agents.kernel.learnt_maps import draw_maps, note_place, pull_of
from pcg.evaluators.agents.kernel.node_novelty import is_new, note_end, place_key
from pcg.evaluators.agents.kernel.novelty import (
    WIDTH_ALL,
    describe,
    facts_at,
    forget_seen,
    note_parent,
)
from pcg.evaluators.agents.kernel.touch_statistics import attraction, judge_kinds, learn
from pcg.evaluators.agents.kernel.width_tree import (
    LOST_END,
    RUNNING,
    WON_END,
    address_of,
    child_by,
    clear,
    count_visit,
    forget_looks,
    keep_subtree,
    list_children,
    pop,
    push,
    search_at,
    take_node,
    visits_of,
)

_MOST_CHOICES = 7
"""Moves that are kept with a node, a byte for each."""

SAMPLE, EXPAND, FINISH, DONE = 0, 1, 2, 3
"""Next step of a decision: safety samples, expanding nodes, what follows an exhausted pass, nothing."""


# --- looking at states ------------------------------------------------------------------------------------------------


@inner
def moves_of(decision: int, state: int) -> int:
    """Write the moves worth considering to `own`; returns how many."""
    d = decision_at(decision)
    count = own_actions(decision, state)
    if search_at(d.search).wait == 1 and load64(d.own + 8 * (count - 1)) != NIL:
        store64(d.own + 8 * count, NIL)
        count += 1
    return count


@inner
def moves_at(decision: int, node: int) -> int:
    """Write the moves of a node as `moves_of` does, from what is kept of it if they were looked up before."""
    d = decision_at(decision)
    s = search_at(d.search)
    if s.chance == 1:
        return moves_of(decision, address_of(d.search, node))
    choices = load64(s.choices + 8 * node)
    count = 0
    if choices != 0:
        while choices != 0:
            store64(d.own + 8 * count, (choices & 255) - 1)
            choices = choices >> 8
            count += 1
        return count
    count = moves_of(decision, address_of(d.search, node))
    if count <= _MOST_CHOICES:
        for k in range(count - 1, -1, -1):
            code = load64(d.own + 8 * k)
            if code < 0 or code >= 255:
                return count
            choices = (choices << 8) | (code + 1)
        store64(s.choices + 8 * node, choices)
    return count


@inner
def lean_of(decision: int, state: int, key: int) -> float:
    """Return the value of a state apart from the rewards on the way there."""
    d = decision_at(decision)
    s = search_at(d.search)
    value = 0.0
    if s.exploration > 0.0:
        value -= s.exploration * min(visits_of(d.search, key), 50)
    if s.attraction > 0.0:
        if s.maps != 0:
            note_place(decision, s.maps, state)
            value += s.attraction * pull_of(decision, s.knowledge, s.maps, state)
        else:
            value += s.attraction * attraction(decision, s.knowledge, state)
    if s.guidance > 0.0 and d.heuristic != 0:
        value -= s.guidance * call2_double(d.heuristic, decision, state)
    return value


@inner
def discount_of(search: int, depth: int) -> float:
    """Factor of a reward so many ticks ahead."""
    s = search_at(search)
    if depth < s.discounted:
        return load_double(s.discounts + 8 * depth)
    return power(s.discount, 1.0 * depth)


@inner
def evaluate_node(decision: int, node: int, always: int) -> None:
    """Judge a node of the current pass: rewards, leaning, novelty. New ones (or all, if `always`) are opened."""
    d = decision_at(decision)
    s = search_at(d.search)
    state = address_of(d.search, node)
    parent = load32(s.parent + 4 * node)
    store64(s.met + 8 * node, s.passes)
    store64(s.arrival + 8 * node, 0)
    depth = 0
    gain = 0.0
    if parent >= 0:
        depth = load32(s.depth + 4 * parent) + 1
        change = load_double(s.points + 8 * node) - load_double(s.points + 8 * parent)
        gain = load_double(s.gain + 8 * parent) + discount_of(d.search, depth - 1) * change
    store32(s.depth + 4 * node, depth)
    store_double(s.lean + 8 * node, 0.0)
    end = load32(s.end + 4 * node)
    if end != RUNNING:
        if end == LOST_END:
            gain -= discount_of(d.search, depth) * s.win_bonus
        elif end == WON_END:
            gain += discount_of(d.search, depth) * s.win_bonus
            if s.chance == 0:
                s.phase = DONE
        store_double(s.gain + 8 * node, gain)
        return
    store_double(s.gain + 8 * node, gain)
    new = is_new(decision, node)
    store_double(s.lean + 8 * node, lean_of(decision, state, load64(s.place + 8 * node)))
    if load_double(s.risk + 8 * node) >= 0.5:
        new = 0
    if new == 1 or always == 1:
        push(d.search, node)


@inner
def make_child(decision: int, node: int, action: int) -> int:
    """Simulate an action at a node; returns the child, -1 when the memory must grow (nothing has happened then)."""
    d = decision_at(decision)
    s = search_at(d.search)
    state = address_of(d.search, node)
    child = take_node(d.search, node, action)
    to = address_of(d.search, child)
    status = OK
    lost = 0
    samples = 1
    if s.chance == 1:
        status = imagine(decision, to, state)
        depth = load32(s.depth + 4 * node)
        if depth > 0 and depth < s.danger_depth:
            extra = s.safety >> (2 * depth)
            samples += extra
            for _ in range(extra):
                if status == OK and imagine(decision, d.work, state) == OK:
                    status = step(decision, d.work, action)
                if status == OK and is_over(d.model, d.work) != 0 and outcome(d.model, d.work, d.player) == LOST:
                    lost += 1
    else:
        status = copy_state(d.model, to, state)
    if status == OK:
        status = step(decision, to, action)
    if status != OK:
        s.free_used = s.free_used + 1
        return -1
    store32(s.sibling + 4 * child, load32(s.first + 4 * node))
    store32(s.first + 4 * node, child)
    points = score(d.model, to, d.player)
    store_double(s.points + 8 * child, points)
    died = 1 if note_end(decision, child) == LOST_END else 0
    learn(decision, s.knowledge, to, points - load_double(s.points + 8 * node), died)
    if died == 0 and lost > 0:
        store_double(s.risk + 8 * child, lost / samples)
    return child


# --- passes -----------------------------------------------------------------------------------------------------------


@inner
def start_pass(decision: int) -> None:
    """Begin breadth-first search anew from the root; what is left of the last plan is looked at first."""
    d = decision_at(decision)
    s = search_at(d.search)
    s.phase = EXPAND
    s.passes = s.passes + 1
    s.heap_used = 0
    s.head = 0
    s.order_used = 0
    s.node = -1
    forget_seen(s.facts)
    judge_kinds(decision, s.knowledge)
    node = s.root
    while node >= 0:
        evaluate_node(decision, node, 1)
        if s.heap_used > 0 and load32(s.end + 4 * node) == RUNNING:
            if facts_at(s.facts).since == 0 and s.width != WIDTH_ALL:
                note_parent(s.facts)  # the list holds the facts of this node
        node = load32(s.heir + 4 * node)


@inner
def start_run(decision: int, state: int) -> int:
    """A new tree under a copy of the state. OK or GROW."""
    d = decision_at(decision)
    s = search_at(d.search)
    clear(d.search)
    s.root = take_node(d.search, -1, NIL)
    root = address_of(d.search, s.root)
    if s.chance == 1:
        if imagine(decision, root, state) == GROW:
            return GROW
    elif copy_state(d.model, root, state) == GROW:
        return GROW
    store_double(s.points + 8 * s.root, score(d.model, state, d.player))
    note_end(decision, s.root)
    return OK


@inner
def begin(decision: int, state: int) -> int:
    """Prepare a decision: take over what is known of the state, or begin with nothing. OK or GROW."""
    d = decision_at(decision)
    s = search_at(d.search)
    if copy_state(d.model, d.work, state) == GROW:
        return GROW
    heir = s.heir_root
    s.heir_root = -1
    if heir >= 0 and state_key(d.model, address_of(d.search, heir)) == state_key(d.model, state):
        keep_subtree(d.search, heir)
        copy_state(d.model, address_of(d.search, heir), state)
        forget_looks(d.search, heir)
        note_end(decision, heir)
        store_double(s.points + 8 * heir, score(d.model, state, d.player))
    else:
        start_run(decision, state)
    count_visit(d.search, place_key(decision, d.work))
    if s.maps != 0:
        judge_kinds(decision, s.knowledge)
        draw_maps(decision, s.knowledge, s.maps, state)
    s.width = s.first_width
    s.sample = 0
    s.runs = 0
    for k in range(moves_of(decision, state)):
        store64(s.dead + 8 * k, 0)
        store_double(s.sum + 8 * k, 0.0)
    if s.chance == 1 and s.safety > 0:
        s.phase = SAMPLE
    else:
        start_pass(decision)
    return OK


@inner
def sample_danger(decision: int, state: int) -> int:
    """Simulate a root action once more and count when it is lost at once. OK or GROW."""
    d = decision_at(decision)
    s = search_at(d.search)
    count = moves_of(decision, state)
    rounds = s.safety
    if s.timed == 0:
        rounds = min(rounds, d.budget // (2 * count))
    if s.sample >= rounds * count:
        start_pass(decision)
        return OK
    k = s.sample % count
    if imagine(decision, d.work, state) == GROW or step(decision, d.work, load64(d.own + 8 * k)) == GROW:
        return GROW
    died = 0
    if is_over(d.model, d.work) != 0 and outcome(d.model, d.work, d.player) == LOST:
        died = 1
        store64(s.dead + 8 * k, load64(s.dead + 8 * k) + 1)
    learn(decision, s.knowledge, d.work, score(d.model, d.work, d.player) - score(d.model, state, d.player), died)
    s.sample = s.sample + 1
    return OK


@inner
def least_dead(search: int, count: int) -> int:
    """The fewest lost samples that a root action has."""
    s = search_at(search)
    least = load64(s.dead)
    for k in range(1, count):
        least = min(least, load64(s.dead + 8 * k))
    return least


@inner
def expand(decision: int) -> int:
    """Look at the next successor of the node being expanded, or take the next open node. OK or GROW."""
    d = decision_at(decision)
    s = search_at(d.search)
    if s.node < 0:
        if s.heap_used == 0 or s.free_used == 0:
            s.phase = FINISH
            return OK
        s.node = pop(d.search)
        s.slot = 0
        store32(s.order + 4 * s.order_used, s.node)
        s.order_used = s.order_used + 1
        s.moves = 0
        if facts_at(s.facts).since == 0 and s.width != WIDTH_ALL:
            describe(s.facts, d.model, address_of(d.search, s.node), d.player)
            note_parent(s.facts)
    node = s.node
    if s.moves == 0:
        s.moves = moves_at(decision, node)
        if s.chance == 0:  # otherwise every pass has a tree of its own, and a node no children yet
            list_children(d.search, node, d.own, s.moves, d.slot)
    count = s.moves
    safe = 0
    if node == s.root:
        safe = least_dead(d.search, count)
    while s.slot < count and (node == s.root and load64(s.dead + 8 * s.slot) > safe):
        s.slot = s.slot + 1
    if s.slot >= count:
        s.node = -1
        return OK
    if s.free_used == 0:
        s.phase = FINISH
        return OK
    action = load64(d.own + 8 * s.slot)
    child = -1
    if s.chance == 0:
        child = load64(d.slot + 8 * s.slot)
    if child < 0:
        child = make_child(decision, node, action)
        if child < 0:
            return GROW
    if load64(s.met + 8 * child) != s.passes:
        evaluate_node(decision, child, 0)
    s.slot = s.slot + 1
    return OK


@inner
def back_up(search: int) -> None:
    """Give every node of the pass the value of the best way on from it, and note the child that leads there."""
    s = search_at(search)
    for i in range(s.order_used - 1, -1, -1):
        node = load32(s.order + 4 * i)
        best = -1.0e300
        heir = -1
        child = load32(s.first + 4 * node)
        while child >= 0:
            if load64(s.met + 8 * child) == s.passes:
                value = load_double(s.gain + 8 * child) + load_double(s.lean + 8 * child)
                if load64(s.arrival + 8 * child) < 0:
                    value = load_double(s.value + 8 * child)
                value -= load_double(s.risk + 8 * child) * s.win_bonus
                if value > best:
                    best = value
                    heir = child
            child = load32(s.sibling + 4 * child)
        if heir < 0 or node == s.node:  # what is left of its actions may be better than those tried
            best = max(best, load_double(s.gain + 8 * node) + load_double(s.lean + 8 * node))
        store_double(s.value + 8 * node, best)
        store32(s.heir + 4 * node, heir)
        store64(s.arrival + 8 * node, -1)  # until it is opened again, this marks nodes that have a value


@inner
def value_of_move(search: int, action: int) -> float:
    """Value of a root action in the pass just backed up; very low when it was not tried."""
    s = search_at(search)
    child = child_by(search, s.root, action)
    if child < 0 or load64(s.met + 8 * child) != s.passes:
        return -1.0e200
    value = load_double(s.gain + 8 * child) + load_double(s.lean + 8 * child)
    if load64(s.arrival + 8 * child) < 0:
        value = load_double(s.value + 8 * child)
    return value - load_double(s.risk + 8 * child) * s.win_bonus


@inner
def finish_pass(decision: int, state: int) -> int:
    """After an exhausted pass: the next width, or the next run. OK."""
    d = decision_at(decision)
    s = search_at(d.search)
    if s.chance == 0:
        if s.width >= s.last_width or s.free_used == 0:
            s.phase = DONE
            return OK
        s.width = s.width + 1
        back_up(d.search)
        start_pass(decision)
        return OK
    back_up(d.search)
    for k in range(moves_of(decision, state)):
        total = load_double(s.sum + 8 * k) + value_of_move(d.search, load64(d.own + 8 * k))
        store_double(s.sum + 8 * k, total)
    s.runs = s.runs + 1
    start_run(decision, state)  # fits as it did the first time
    start_pass(decision)
    return OK


@inner
def recommend(decision: int, state: int) -> None:
    """Choose the action with the best value; where they are alike, that of the last plan, or else any."""
    d = decision_at(decision)
    s = search_at(d.search)
    count = moves_of(decision, state)
    safe = least_dead(d.search, count)
    planned = load32(s.heir + 4 * s.root)
    back_up(d.search)
    partial = 1 if s.runs == 0 or s.order_used > count else 0
    best = -1.0e300
    chosen = 0
    for k in range(count):
        action = load64(d.own + 8 * k)
        value = load_double(s.sum + 8 * k)
        if partial == 1:
            value += value_of_move(d.search, action)
        value = noise(decision, value / (s.runs + partial))
        if planned >= 0 and load32(s.action + 4 * planned) == action:
            value += 2.0e-6 * (1.0 + abs(value))
        if load64(s.dead + 8 * k) > safe:
            value -= 1.0e250
        if value > best:
            best = value
            chosen = k
    d.chosen = load64(d.own + 8 * chosen)
    s.heir_root = -1
    if s.chance == 0:
        s.heir_root = child_by(d.search, s.root, d.chosen)


@inner
def advance_search(decision: int, state: int) -> int:
    """The next small piece of work. OK or GROW."""
    d = decision_at(decision)
    s = search_at(d.search)
    s.kept_random = load64(decision)
    s.kept_calls = d.calls
    status = OK
    if s.phase == SAMPLE:
        status = sample_danger(decision, state)
    elif s.phase == FINISH:
        status = finish_pass(decision, state)
    else:
        status = expand(decision)
    return status


@entry_point("i8(i8, i8)")
def decide_width(decision: int, state: int) -> int:
    """Search until the budget is spent or nothing is left to search, and choose an action. OK or GROW.

    After GROW the same call is repeated with more memory, to which the nodes have moved: the search goes on where it
    was broken off, so that decisions do not depend on how much room states have.
    """
    d = decision_at(decision)
    s = search_at(d.search)
    s.moves = 0
    if s.broken == 1:
        s.broken = 0
        store64(decision, s.kept_random)
        d.calls = s.kept_calls
    elif d.resume == 0:
        s.phase = DONE
        if begin_decision(decision, state) == 0:
            return OK
        if moves_of(decision, state) == 1:  # a forced move needs no search
            d.chosen = load64(d.own)
            s.heir_root = -1
            return OK
        if begin(decision, state) == GROW:
            return GROW
    elif is_over(d.model, state) != 0 or moves_of(decision, state) == 1:
        return OK
    while d.calls < d.budget and s.phase != DONE:
        if advance_search(decision, state) == GROW:
            s.broken = 1
            return GROW
    recommend(decision, state)
    return OK
