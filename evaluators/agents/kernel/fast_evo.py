"""Knowledge-based Fast Evolutionary MCTS: open-loop tree search whose rollouts evolve and whose rewards are learnt.

The tree is that of `tree`, as the reference's sample agent grows it (reference/agents 11.6). Every iteration judges
one vector of rollout weights (`rollout_policy`) and adds to the knowledge base (`knowledge_base`), from which rollouts
that leave the score alone get their reward. Each half can be switched off; without both this is plain MCTS, draw by
draw. Source: Perez, Samothrakis and Lucas, Knowledge-based Fast Evolutionary MCTS for General Video Game Playing,
2014.
"""

from __future__ import annotations

import math

import numpy as np

from pcg.engine.kernel.exponents import logarithm
from pcg.engine.kernel.protocol import GROW, LOST, OK, WON, features, is_over, model_at, outcome, score
from pcg.engine.kernel.random import next_double, next_int
from pcg.engine.kernel.runtime import (
    call6,
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
    actions_left,
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
    policy_at,
    restore_policy,
    weigh_actions,
)
from pcg.evaluators.agents.kernel.tree import TREE, add_node, back_up, find_children, mean_of, recommend

FAST_EVO = np.dtype(
    [
        *((name, TREE[name].str) for name in TREE.names or ()),
        ("evolve", "i8"),  # 1: rollouts follow the evolving policy, 0: uniform
        ("know", "i8"),  # 1: rollouts that leave the score alone are rewarded by the knowledge base
        ("contacts", "i8"),  # 1: learn from standing on a sprite, too, not from events alone
        ("policy", "i8"),  # address of a POLICY record
        ("base", "i8"),  # address of a KNOWLEDGE record
        ("observe", "i8"),  # address of `distances_of_types` for VGDL, 0 for engines that write all features alone
        ("refresh", "i8"),  # ticks of a rollout that share the distances of the first of them
        ("logs", "i8"),  # float64[logged]: logarithm of 1 + k
        ("logged", "i8"),
        ("score", "f8"),  # of the simulated state
        ("apart", "i8"),  # 1: ends stay out of the bounds of the rewards, and of their means
        ("ends", "i8"),  # float64[room]: won less lost ends below each node, while they are kept apart
        ("ended", "i8"),  # float64[room]: how many ends that is
        ("judged", "i8"),  # float64[room], scratch: sums of values for the recommendation, while ends are apart
        ("sources", "i8"),  # int64[5]: iterations of the decision by what their reward came from, in SOURCES' order
    ],
    align=True,
)
"""A TREE, so that operations of the tree work on it, and what belongs to the two halves."""

END_WEIGHT = 1.0
"""Worth of a won end above the best reward, and of a lost one below the worst, in units of the rewards' range."""

SOURCES = ("ended", "scored", "curious", "nearer", "nothing")
"""Sources of the reward of an iteration: the end of the game, a change of score, curiosity (with experience or
without), experience alone, or nothing. Without a knowledge base the last three are `nothing`."""
ENDED, SCORED, CURIOUS, NEARER, NOTHING = range(5)

fast_evo_at = view_of(FAST_EVO)


# --- the tree ---------------------------------------------------------------------------------------------------------


@inner
def observe(decision: int, state: int) -> int:
    """Write the distances of the kinds in use into pairs of features, or all features; returns the number of pairs."""
    d = decision_at(decision)
    t = fast_evo_at(d.search)
    if t.observe == 0:
        return features(d.model, state, d.player, d.features, 2 * d.kind_count) // 2
    p = policy_at(t.policy)
    return call6(t.observe, model_at(d.model).game, state, d.player, d.features, p.chosen, p.chosen_count)


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
def plant(search: int, parent: int, action: int) -> int:
    """Append a node without ends; returns its index."""
    t = fast_evo_at(search)
    node = add_node(search, parent, action)
    store_double(t.ends + 8 * node, 0.0)
    store_double(t.ended + 8 * node, 0.0)
    return node


@inner
def back_up_end(search: int, length: int, sign: float) -> None:
    """Count a visit that ended the game, won (1) or lost (-1), and leave the rewards and their bounds alone."""
    t = fast_evo_at(search)
    for k in range(length):
        at = 8 * load32(t.path + 4 * k)
        store_double(t.visits + at, load_double(t.visits + at) + 1.0)
        store_double(t.ended + at, load_double(t.ended + at) + 1.0)
        store_double(t.ends + at, load_double(t.ends + at) + sign)


@inner
def value_apart(search: int, child: int, low: float, high: float) -> float:
    """Mean of a child's visits: its rewards in [0, 1], a won end END_WEIGHT above and a lost one as much below.

    Without a range to measure by, all rewards count as 1/2.
    """
    t = fast_evo_at(search)
    visits = load_double(t.visits + 8 * child) + EPSILON
    ended = load_double(t.ended + 8 * child)
    ends = load_double(t.ends + 8 * child)
    rewarded = visits - ended
    total = 0.5 * rewarded
    if low < high:
        total = (load_double(t.total + 8 * child) - low * rewarded) / (high - low)
    return (total + 0.5 * ended + (0.5 + END_WEIGHT) * ends) / visits


@inner
def logarithm_of(search: int, visits: float) -> float:
    """Logarithm of a whole number of visits and one."""
    t = fast_evo_at(search)
    if visits < t.logged:
        return load_double(t.logs + 8 * int(visits))
    return logarithm(visits + 1.0)


@inner
def best_child(decision: int, node: int, count: int) -> int:
    """The child with the highest upper confidence bound; rewards are normalised by the bounds of `node`."""
    d = decision_at(decision)
    t = fast_evo_at(d.search)
    low = load_double(t.low + 8 * node)
    high = load_double(t.high + 8 * node)
    log_visits = logarithm_of(d.search, load_double(t.visits + 8 * node))
    best = -1.0e300
    chosen = -1
    for k in range(count):
        child = load64(d.slot + 8 * k)
        if child >= 0:
            visits = load_double(t.visits + 8 * child) + EPSILON
            if t.apart == 1:
                value = value_apart(d.search, child, low, high)
            else:
                value = mean_of(d.search, child, visits)
                if low < high:
                    value = (value - low) / (high - low)
            value = noise(decision, value + t.exploration * math.sqrt(log_visits / visits))
            if value > best:
                best = value
                chosen = child
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
        learn_events(t.base, d.model, d.work, after - t.score)
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
    while is_new == 0 and depth < t.depth:
        count = actions_left(decision, d.work)
        if count == 0:
            break
        missing = find_children(decision, node, count)
        if missing > 0 and t.used < t.room:
            node = plant(d.search, node, load64(d.own + 8 * draw_missing(decision, count)))
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
    while depth < t.depth:
        count = actions_left(decision, d.work)
        if count == 0:
            break
        if t.evolve == 1:
            if t.refresh == 1 or (depth - start) % t.refresh == 0:
                pairs = observe(decision, d.work)
            weigh_actions(t.policy, d.features, pairs, d.own, count)
            chosen = draw_softmax(t.policy, decision, count)
        else:
            chosen = next_int(decision, count)
        if play_tick(decision, load64(d.own + 8 * chosen)) == GROW:
            return GROW
        depth += 1
    return OK


@inner
def count_source(decision: int, source: int) -> None:
    """Count an iteration under what its reward came from."""
    t = fast_evo_at(decision_at(decision).search)
    at = t.sources + 8 * source
    store64(at, load64(at) + 1)


@inner
def end_of(decision: int) -> int:
    """Return 1 when the work state is a won end for the player, -1 when it is a lost one, else 0."""
    d = decision_at(decision)
    if is_over(d.model, d.work) != 0:
        result = outcome(d.model, d.work, d.player)
        if result == WON:
            return 1
        if result == LOST:
            return -1
    return 0


@inner
def reward_of(decision: int, before: float, end: int) -> float:
    """Return the value of an iteration that started with the score `before` and ended in the work state.

    The change of the score, with a bonus for a won end and a malus for a lost one; where that is 0, what the knowledge
    base says. Without a knowledge base just the score, with bonus and malus.
    """
    d = decision_at(decision)
    t = fast_evo_at(d.search)
    value: float = score(d.model, d.work, d.player)
    source = NOTHING
    if end != 0:
        source = ENDED
    elif value != before:
        source = SCORED
    value += end * t.win_bonus
    if t.know == 1 and value != before:
        value -= before
    elif t.know == 1:
        pairs = observe(decision, d.work)
        if t.contacts == 1:
            learn_contacts(t.base, d.features, pairs)
        k = knowledge_at(t.base)
        found = curiosity(t.base)
        nearer = experience(t.base, d.features, pairs)
        if source == NOTHING and found != 0.0:
            source = CURIOUS
        elif source == NOTHING and nearer != 0.0:
            source = NEARER
        value = k.alpha * found + k.beta * nearer
    count_source(decision, source)
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
        begin_rollout(t.base)
    if t.evolve == 1:
        begin_trial(t.policy, decision)
    length = select(decision)
    if length == 0 or rollout(decision, length - 1) == GROW:
        return GROW
    end = end_of(decision)
    reward = reward_of(decision, before, end)
    if t.apart == 1 and end != 0:
        back_up_end(d.search, length, 1.0 * end)
    else:
        back_up(d.search, 0, length, reward)
    if t.evolve == 1:
        end_trial(t.policy, reward)
    return OK


@inner
def choose(decision: int, count: int) -> int:
    """Index of the action to play; ends that are kept apart join the means for it."""
    d = decision_at(decision)
    t = fast_evo_at(d.search)
    if t.apart == 0:
        return recommend(decision, count)
    rewards = t.total
    find_children(decision, 0, count)
    for k in range(count):
        child = load64(d.slot + 8 * k)
        if child >= 0:
            value = value_apart(d.search, child, load_double(t.low), load_double(t.high))
            store_double(t.judged + 8 * child, value * load_double(t.visits + 8 * child))
    t.total = t.judged
    chosen = recommend(decision, count)
    t.total = rewards
    return chosen


# --- a decision -------------------------------------------------------------------------------------------------------


@inner
def begin(decision: int, state: int) -> None:
    """Plant a new tree, and remember what must come back if the decision has to be made again."""
    d = decision_at(decision)
    t = fast_evo_at(d.search)
    t.used = 0
    plant(d.search, -1, NIL)
    for source in range(5):
        store64(t.sources + 8 * source, 0)
    begin_evolution(t.policy)
    save_knowledge(t.base)
    if t.know == 1:
        pairs = observe(decision, state)
        mark_start(t.base, d.features, pairs)


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
            restore_knowledge(t.base)
            return GROW
    count = own_actions(decision, state)
    d.chosen = load64(d.own + 8 * choose(decision, count))
    return OK
