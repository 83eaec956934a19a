"""Knowledge-based Fast Evolutionary MCTS: open-loop tree search whose rollouts evolve and whose rewards are learnt.

The tree is that of the reference's sample agent (reference/agents 11.6). Every iteration judges one vector of rollout
weights (`rollout_policy`) and adds to the knowledge base (`knowledge_base`), from which rollouts that leave the
score alone get their reward. Each half can be switched off; without both this is plain MCTS, draw by draw. Source:
Perez, Samothrakis and Lucas, Knowledge-based Fast Evolutionary MCTS for General Video Game Playing, 2014.
"""

from __future__ import annotations

import math

import numpy as np

from pcg.engine.kernel.exponents import logarithm
from pcg.engine.kernel.protocol import GROW, LOST, OK, WON, features, is_over, outcome, score
from pcg.engine.kernel.random import next_double, next_int
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
from pcg.evaluators.agents.kernel.decision import (
    EPSILON,
    NIL,
    begin_decision,
    decision_at,
    imagine,
    noise,
    own_actions,
    step,
)
from pcg.evaluators.agents.kernel.knowledge_base import (
    begin_rollout,
    curiosity,
    experience,
    knowledge_at,
    learn_contacts,
    learn_events,
    mark_start,
    restore_knowledge,
    save_knowledge,
)
from pcg.evaluators.agents.kernel.rollout_policy import (
    begin_evolution,
    begin_trial,
    draw_softmax,
    end_trial,
    restore_policy,
    weigh_actions,
)

FAST_EVO = np.dtype(
    [
        ("evolve", "i8"),  # 1: rollouts follow the evolving policy, 0: uniform
        ("know", "i8"),  # 1: rollouts that leave the score alone are rewarded by the knowledge base
        ("contacts", "i8"),  # 1: learn from standing on a sprite, too, not from events alone
        ("policy", "i8"),  # address of a POLICY record
        ("knowledge", "i8"),  # address of a KNOWLEDGE record
        ("exploration", "f8"),  # K of UCB1
        ("depth", "i8"),  # ticks from the root, tree and rollout together
        ("refresh", "i8"),  # ticks of a rollout that share the distances of the first of them
        ("win_bonus", "f8"),  # added to the score of a won end, subtracted from that of a lost one
        ("by_value", "i8"),  # 1: recommend the best mean, 0: the most visited
        ("score", "f8"),  # of the simulated state
        ("room", "i8"),  # number of nodes the arrays have room for
        ("used", "i8"),  # number of nodes; node 0 is the root
        ("first", "i8"),  # int32[room]: first child, -1 for none
        ("sibling", "i8"),  # int32[room]: next child of the same parent, -1 for none
        ("action", "i8"),  # int32[room]: action code that leads to the node
        ("visits", "i8"),  # int64[room]
        ("total", "i8"),  # float64[room]: sum of the rewards backed up
        ("low", "i8"),  # float64[room]: least reward backed up
        ("high", "i8"),  # float64[room]: greatest reward backed up
        ("path", "i8"),  # int32[depth + 1]: nodes of the current iteration, the root first
    ],
    align=True,
)

fast_evo_at = view_of(FAST_EVO)


# --- the tree ---------------------------------------------------------------------------------------------------------


@inner
def add_node(search: int, parent: int, action: int) -> int:
    """Append a node without children or visits; returns its index. The parent of the root is -1."""
    t = fast_evo_at(search)
    node: int = t.used
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
    t = fast_evo_at(d.search)
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
    """The child with the highest upper confidence bound; rewards are normalised by the bounds of `node`."""
    d = decision_at(decision)
    t = fast_evo_at(d.search)
    low = load_double(t.low + 8 * node)
    high = load_double(t.high + 8 * node)
    log_visits = logarithm(load64(t.visits + 8 * node) + 1.0)
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
def back_up(search: int, length: int, value: float) -> None:
    """Count a visit with this reward at every node of the path."""
    t = fast_evo_at(search)
    for k in range(length):
        node = load32(t.path + 4 * k)
        store64(t.visits + 8 * node, load64(t.visits + 8 * node) + 1)
        store_double(t.total + 8 * node, load_double(t.total + 8 * node) + value)
        if value < load_double(t.low + 8 * node):
            store_double(t.low + 8 * node, value)
        if value > load_double(t.high + 8 * node):
            store_double(t.high + 8 * node, value)


@inner
def recommend(decision: int, count: int) -> int:
    """Index of the action to play: the most visited, or by mean reward when asked or when all are visited alike."""
    d = decision_at(decision)
    t = fast_evo_at(d.search)
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


# --- one iteration ----------------------------------------------------------------------------------------------------


@inner
def play_tick(decision: int, action: int) -> int:
    """Simulate a tick on the work state and learn from its events. OK or GROW."""
    d = decision_at(decision)
    t = fast_evo_at(d.search)
    if step(decision, d.work, action) == GROW:
        return GROW
    if t.know == 1:
        after = score(d.model, d.work, d.player)
        learn_events(t.knowledge, d.model, d.work, after - t.score)
        t.score = after
    return OK


@inner
def select(decision: int) -> int:
    """Tree policy on the work state: descend and expand once. Returns the length of `path`, 0: memory must grow."""
    d = decision_at(decision)
    t = fast_evo_at(d.search)
    node = 0
    depth = 0
    is_new = 0
    store32(t.path, 0)
    while is_new == 0 and depth < t.depth and is_over(d.model, d.work) == 0:
        count = own_actions(decision, d.work)
        missing = find_children(decision, node, count)
        if missing > 0 and t.used < t.room:
            node = add_node(d.search, node, load64(d.own + 8 * draw_missing(decision, count)))
            is_new = 1
        elif missing < count:
            node = best_child(decision, node, count)
        else:
            break
        if play_tick(decision, load32(t.action + 4 * node)) == GROW:
            return 0
        depth += 1
        store32(t.path + 4 * depth, node)
    return depth + 1


@inner
def rollout(decision: int, depth: int) -> int:
    """Play the work state, `depth` ticks below the root, on to the depth limit or the end. OK or GROW."""
    d = decision_at(decision)
    t = fast_evo_at(d.search)
    start = depth
    pairs = 0
    while depth < t.depth and is_over(d.model, d.work) == 0:
        count = own_actions(decision, d.work)
        if t.evolve == 1:
            if (depth - start) % t.refresh == 0:
                pairs = features(d.model, d.work, d.player, d.features, 2 * d.kind_count) // 2
            weigh_actions(t.policy, d.features, pairs, d.own, count)
            chosen = draw_softmax(t.policy, decision, count)
        else:
            chosen = next_int(decision, count)
        if play_tick(decision, load64(d.own + 8 * chosen)) == GROW:
            return GROW
        depth += 1
    return OK


@inner
def reward_of(decision: int, before: float) -> float:
    """Return the value of an iteration that started with the score `before` and ended in the work state.

    The change of the score, with a bonus for a won end and a malus for a lost one; where that is 0, what the knowledge
    base says. Without a knowledge base just the score, with bonus and malus.
    """
    d = decision_at(decision)
    t = fast_evo_at(d.search)
    value: float = score(d.model, d.work, d.player)
    if is_over(d.model, d.work) != 0:
        result = outcome(d.model, d.work, d.player)
        if result == WON:
            value += t.win_bonus
        elif result == LOST:
            value -= t.win_bonus
    if t.know == 0:
        return value
    if value != before:
        return value - before
    pairs = features(d.model, d.work, d.player, d.features, 2 * d.kind_count) // 2
    if t.contacts == 1:
        learn_contacts(t.knowledge, d.features, pairs)
    k = knowledge_at(t.knowledge)
    value = k.alpha * curiosity(t.knowledge) + k.beta * experience(t.knowledge, d.features, pairs)
    return value


@inner
def iterate(decision: int, state: int) -> int:
    """One iteration: select, expand, simulate, learn, back up. OK or GROW."""
    d = decision_at(decision)
    t = fast_evo_at(d.search)
    if imagine(decision, d.work, state) == GROW:
        return GROW
    before = score(d.model, state, d.player)
    t.score = before
    if t.know == 1:
        begin_rollout(t.knowledge)
    if t.evolve == 1:
        begin_trial(t.policy, decision)
    length = select(decision)
    if length == 0 or rollout(decision, length - 1) == GROW:
        return GROW
    reward = reward_of(decision, before)
    back_up(d.search, length, reward)
    if t.evolve == 1:
        end_trial(t.policy, reward)
    return OK


# --- a decision -------------------------------------------------------------------------------------------------------


@inner
def begin(decision: int, state: int) -> None:
    """Plant a new tree, and remember what must come back if the decision has to be made again."""
    d = decision_at(decision)
    t = fast_evo_at(d.search)
    t.used = 0
    add_node(d.search, -1, NIL)
    begin_evolution(t.policy)
    save_knowledge(t.knowledge)
    if t.know == 1:
        pairs = features(d.model, state, d.player, d.features, 2 * d.kind_count) // 2
        mark_start(t.knowledge, d.features, pairs)


@entry_point("i8(i8, i8)")
def decide_fast_evo(decision: int, state: int) -> int:
    """Grow a tree until the budget is spent and recommend an action. OK or GROW."""
    d = decision_at(decision)
    t = fast_evo_at(d.search)
    if begin_decision(decision, state) == 0:
        return OK
    if own_actions(decision, state) == 1:  # a forced move needs no search
        d.chosen = load64(d.own)
        return OK
    if d.resume == 0:
        begin(decision, state)
    while d.calls < d.budget:
        if iterate(decision, state) == GROW:
            restore_policy(t.policy)
            restore_knowledge(t.knowledge)
            return GROW
    count = own_actions(decision, state)
    d.chosen = load64(d.own + 8 * recommend(decision, count))
    return OK
