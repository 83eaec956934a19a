"""Monte Carlo tree search with UCB1, as the reference's sample agent plays it (reference/agents 11.6 and 11.7).

The tree is open loop: a node stands for a sequence of actions, and every iteration plays its sequence again from the
root with fresh randomness. The closed-loop switch keeps the state of every node instead. One iteration selects,
expands, simulates and backs up; the depth limits tree and rollout together. Sources: Kocsis and Szepesvari 2006
(UCB1 on trees), Perez Liebana et al. 2015 (open-loop search for general video game playing). The options come from
Soemers et al. 2016 and the papers named in the kernels that hold them; each is off while its field of TREE is 0.
"""

from __future__ import annotations

import math

from pcg.engine.kernel.exponents import logarithm
from pcg.engine.kernel.protocol import (
    GROW,
    LOST,
    OK,
    WON,
    advance_state,
    copy_state,
    is_over,
    outcome,
    score,
    state_key,
)
from pcg.engine.kernel.random import next_double, next_int
from pcg.engine.kernel.runtime import (
    call2_double,
    entry_point,
    inner,
    load8,
    load32,
    load64,
    load_double,
    store8,
    store32,
    store64,
)
from pcg.evaluators.agents.kernel.decision import (
    EPSILON,
    NIL,
    actions_of,
    begin_decision,
    count_call,
    decision_at,
    imagine,
    noise,
    own_actions,
    step,
)
from pcg.evaluators.agents.kernel.knowledge_evaluation import approach, clear_knowledge, learn, recall
from pcg.evaluators.agents.kernel.move_statistics import (
    choose_move,
    clear_moves,
    history_bonus,
    moves_at,
    next_decision,
    remember,
    replace_last,
    reward_moves,
)
from pcg.evaluators.agents.kernel.novelty_pruning import look, prune_known
from pcg.evaluators.agents.kernel.temporal_difference import back_up_returns, begin_rewards, note_reward
from pcg.evaluators.agents.kernel.tree import (
    MISSING,
    PRUNED,
    TESTED,
    add_node,
    back_up,
    child_of,
    find_children,
    forget_states,
    keep_subtree,
    key_at_depth,
    mean_of,
    path_length,
    place_of,
    recommend,
    share,
    tree_at,
)

# --- one tick ---------------------------------------------------------------------------------------------------------


@inner
def find_safe_moves(decision: int, state: int) -> int:
    """Write to `safe` which moves of each other player do not lose at once while nobody else moves. OK or GROW.

    A player all of whose moves lose may make any (reference/agents 11.4).
    """
    d = decision_at(decision)
    t = tree_at(d.search)
    for player in range(d.players):
        at = t.safe + t.safe_stride * player
        kept = 0
        count = 0
        if player != d.player:
            count = actions_of(decision, state, player)
        for k in range(count):
            action = load64(d.other + 8 * k)
            lost = 0
            if d.calls < d.budget:
                for one in range(d.players):
                    store64(d.joint + 8 * one, action if one == player else NIL)
                if imagine(decision, d.work, state) == GROW or advance_state(d.model, d.work, d.joint) == GROW:
                    return GROW
                count_call(decision)
                lost = 1 if outcome(d.model, d.work, player) == LOST else 0
            if lost == 0:
                kept += 1
                store64(at + 8 * kept, action)
        if kept == 0:
            for k in range(count):
                store64(at + 8 * (k + 1), load64(d.other + 8 * k))
            kept = count
        store64(at, kept)
    return OK


@inner
def step_carefully(decision: int, state: int, action: int) -> int:
    """Simulate the next real tick: like `step`, but the other players make safe moves only. OK or GROW."""
    d = decision_at(decision)
    t = tree_at(d.search)
    for player in range(d.players):
        choice = action
        if player != d.player:
            at = t.safe + t.safe_stride * player
            choice = load64(at + 8 * (1 + next_int(decision, load64(at))))
        store64(d.joint + 8 * player, choice)
    count_call(decision)
    return advance_state(d.model, state, d.joint)


@inner
def tick(decision: int, state: int, action: int, depth: int) -> int:
    """Simulate a tick `depth` ticks below the root, and learn from it. OK or GROW."""
    d = decision_at(decision)
    t = tree_at(d.search)
    before = 0.0
    if t.knowledge != 0:
        before = score(d.model, state, d.player)
    if t.safe != 0 and depth == 0:
        status = step_carefully(decision, state, action)
    else:
        status = step(decision, state, action)
    if t.knowledge != 0 and status == OK:
        learn(decision, t.knowledge, state, before)
    if t.returns != 0 and status == OK:
        note_reward(decision, state, depth)
    return status


# --- selection and expansion ------------------------------------------------------------------------------------------


@inner
def draw_missing(decision: int, count: int) -> int:
    """Index of one own action without a child: a draw for each index, the largest of the missing ones wins."""
    d = decision_at(decision)
    best = -1.0
    chosen = 0
    for k in range(count):
        draw = next_double(decision)
        if load64(d.slot + 8 * k) == MISSING and draw > best:
            best = draw
            chosen = k
    return chosen


@inner
def best_child(decision: int, node: int, count: int, at: int) -> int:
    """The child with the highest upper confidence bound, -1 when all are pruned; `at` is the state of `node`.

    Values are normalised by the bounds of `node`.
    """
    d = decision_at(decision)
    t = tree_at(d.search)
    # addresses and switches in locals: after a store, as of the random stream, the compiler would read them again
    slot = d.slot
    visits_at = t.visits
    total_at = t.total
    exploration = t.exploration
    shared = t.shared
    moves = t.moves
    low = load_double(t.low + 8 * node)
    high = load_double(t.high + 8 * node)
    span = high - low
    scale = 1.0 / span if span > 0.0 else 1.0
    if span <= 0.0:
        low = 0.0
    log_visits = logarithm(load_double(visits_at + 8 * node) + 1.0)
    place = 0
    if moves != 0:
        place = place_of(decision, at)
    best = -1.0e300
    chosen = -1
    for k in range(count):
        child = load64(slot + 8 * k)
        if child >= 0:
            visits = load_double(visits_at + 8 * child) + EPSILON
            share_of_one = 1.0 / visits
            if shared != 0:
                value = mean_of(d.search, child, visits)
            else:
                value = load_double(total_at + 8 * child) * share_of_one
            value = (value - low) * scale
            bound = value + exploration * math.sqrt(log_visits * share_of_one)
            if moves != 0:
                bound += history_bonus(moves, place, load64(d.own + 8 * k), visits, value)
            bound = noise(decision, bound)
            if bound > best:
                best = bound
                chosen = child
    return chosen


@inner
def observe_node(decision: int, node: int, state: int, depth: int) -> None:
    """Write down what the options want to know of the first state seen at a node."""
    d = decision_at(decision)
    t = tree_at(d.search)
    if t.novelty != 0:
        look(decision, node, state)
    if t.shared != 0:
        share(d.search, node, key_at_depth(state_key(d.model, state), t.decisions + depth))


@inner
def enter(decision: int, at: int, child: int, is_new: int, depth: int) -> int:
    """Go from the state at address `at` to that of a child; returns its address, 0 when the memory must grow."""
    d = decision_at(decision)
    t = tree_at(d.search)
    action = load32(t.action + 4 * child)
    if t.moves != 0:
        remember(t.moves, place_of(decision, at), action)
    to = at
    if t.closed == 1:
        to = t.states + child * t.stride
        if is_new == 0:
            return to
        if imagine(decision, to, at) == GROW:
            return 0
    if t.avoidance != 0 and is_new == 1:
        if copy_state(d.model, t.avoidance, to) == GROW:
            return 0
        t.last = action
    if tick(decision, to, action, depth) == GROW:
        return 0
    if is_new == 1:
        observe_node(decision, child, to, depth + 1)
    return to


@inner
def children_of(decision: int, depth: int, count: int) -> int:
    """`find_children` of the path's node at `depth`, once tested for novelty when all are there."""
    d = decision_at(decision)
    t = tree_at(d.search)
    node = load32(t.path + 4 * depth)
    missing = find_children(decision, node, count)
    if t.novelty != 0 and missing == 0 and load8(t.mark + node) & TESTED == 0:
        prune_known(decision, depth, count)
        find_children(decision, node, count)
    return missing


@inner
def select(decision: int, at: int) -> int:
    """Tree policy from the root state at `at`: descend and expand once.

    Returns the address of the state reached, 0 when the memory must grow; `path` holds the nodes, -1 after the last.
    """
    d = decision_at(decision)
    t = tree_at(d.search)
    node = 0
    depth = 0
    store32(t.path, 0)
    while at != 0 and depth < t.depth and is_over(d.model, at) == 0:
        count = own_actions(decision, at)
        missing = children_of(decision, depth, count)
        child = -1
        is_new = 0
        if missing > 0 and t.used < t.room:
            action = load64(d.own + 8 * draw_missing(decision, count))
            child = add_node(d.search, node, action)
            is_new = 1
        elif missing < count:
            child = best_child(decision, node, count, at)
        if child < 0:
            break
        at = enter(decision, at, child, is_new, depth)
        node = child
        depth += 1
        store32(t.path + 4 * depth, node)
        if is_new == 1:
            break
    if depth < t.depth:
        store32(t.path + 4 * (depth + 1), -1)
    return at


# --- simulation -------------------------------------------------------------------------------------------------------


@inner
def rollout(decision: int, state: int, depth: int) -> int:
    """Play from a state `depth` ticks below the root to the depth limit or the end, as the options say. OK or GROW."""
    d = decision_at(decision)
    t = tree_at(d.search)
    while depth < t.depth and is_over(d.model, state) == 0:
        count = own_actions(decision, state)
        if t.moves != 0:
            place = place_of(decision, state)
            action = load64(d.own + 8 * choose_move(decision, t.moves, place, count))
            remember(t.moves, place, action)
        else:
            action = load64(d.own + 8 * next_int(decision, count))
        if t.avoidance != 0:
            if copy_state(d.model, t.avoidance, state) == GROW:
                return GROW
            t.last = action
        if tick(decision, state, action, depth) == GROW:
            return GROW
        depth += 1
    t.reached = depth
    return OK


@inner
def is_lost(decision: int, state: int) -> int:
    """1 when the player has lost."""
    d = decision_at(decision)
    if is_over(d.model, state) == 0:
        return 0
    return 1 if outcome(d.model, state, d.player) == LOST else 0


@inner
def value_of(decision: int, state: int) -> float:
    """The player's score, with a large bonus for a won end and a large malus for a lost one."""
    d = decision_at(decision)
    t = tree_at(d.search)
    value = score(d.model, state, d.player)
    if is_over(d.model, state) != 0:
        result = outcome(d.model, state, d.player)
        if result == WON:
            value += t.win_bonus
        elif result == LOST:
            value -= t.win_bonus
    if d.heuristic != 0:
        value -= t.guidance * call2_double(d.heuristic, decision, state)
    if t.knowledge != 0:
        value += approach(decision, t.knowledge, state)
    return value


@inner
def avoid_loss(decision: int, depth: int) -> int:
    """Loss avoidance: make `work` the best of the states that the other actions of the last tick lead to. OK or GROW.

    The state stays the lost one when none of them is better, or no budget is left to try them.
    """
    d = decision_at(decision)
    t = tree_at(d.search)
    lost = t.last
    best = value_of(decision, d.work)
    spare = t.avoidance + t.spare
    place = 0
    if t.moves != 0:
        place = place_of(decision, t.avoidance)
    for k in range(own_actions(decision, t.avoidance)):
        action = load64(d.own + 8 * k)
        if action != lost and d.calls < d.budget:
            if imagine(decision, spare, t.avoidance) == GROW or tick(decision, spare, action, depth) == GROW:
                return GROW
            value = value_of(decision, spare)
            if value > best:
                best = value
                if copy_state(d.model, d.work, spare) == GROW:
                    return GROW
                if t.moves != 0:
                    replace_last(t.moves, place, action)
    return OK


@inner
def finish(decision: int, length: int) -> int:
    """Back up the value of the simulation that ends in `work`, with `length` nodes on the path. OK or GROW."""
    d = decision_at(decision)
    t = tree_at(d.search)
    value = value_of(decision, d.work)
    if t.returns != 0:
        back_up_returns(decision, length, t.reached)
        if t.moves != 0:
            reward_moves(t.moves, value)
        return OK
    ends = length  # nodes before this one get the value, the others that of the lost end
    if t.avoidance != 0 and t.last >= 0 and is_lost(decision, d.work) == 1:
        if avoid_loss(decision, t.reached - 1) == GROW:
            return GROW
        if t.reached == length - 1:  # the new node itself is lost; those above it can do better
            ends = length - 1
            back_up(d.search, ends, length, value)
        value = value_of(decision, d.work)
    back_up(d.search, 0, ends, value)
    if t.moves != 0:
        reward_moves(t.moves, value)
    return OK


@inner
def iterate(decision: int, state: int) -> int:
    """One iteration: select, expand, simulate, back up. OK or GROW."""
    d = decision_at(decision)
    t = tree_at(d.search)
    t.last = -1
    if t.moves != 0:
        moves_at(t.moves).length = 0
    if t.closed == 1:
        at = select(decision, t.states)
        if at == 0 or imagine(decision, d.work, at) == GROW:
            return GROW
    else:
        if imagine(decision, d.work, state) == GROW:
            return GROW
        if t.returns != 0:
            begin_rewards(decision, d.work)
        if select(decision, d.work) == 0:
            return GROW
    length = path_length(d.search)
    if rollout(decision, d.work, length - 1) == GROW:
        return GROW
    return finish(decision, length)


# --- decisions --------------------------------------------------------------------------------------------------------


@inner
def sample_actions(decision: int, state: int) -> int:
    """Breadth-first initialisation: try each action of the root a few times, and prune those that lost most often.

    More exactly those that lost more often than the best (safety pre-pruning, Soemers et al. 2016). OK or GROW.
    """
    d = decision_at(decision)
    t = tree_at(d.search)
    count = own_actions(decision, state)
    store32(t.path, 0)
    for k in range(count):
        action = load64(d.own + 8 * k)
        store64(t.losses + 8 * k, 0)
        for _ in range(t.samples):
            child = child_of(d.search, 0, action)
            if d.calls >= d.budget or (child < 0 and t.used == t.room):
                break
            to = d.work
            is_new = 0
            if child < 0:
                is_new = 1
                child = add_node(d.search, 0, action)
                if t.closed == 1:
                    to = t.states + child * t.stride
            if imagine(decision, to, state) == GROW or tick(decision, to, action, 0) == GROW:
                return GROW
            if is_new == 1:
                observe_node(decision, child, to, 1)
            store64(t.losses + 8 * k, load64(t.losses + 8 * k) + is_lost(decision, to))
            store32(t.path + 4, child)
            back_up(d.search, 0, 2, value_of(decision, to))
    least = t.samples
    for k in range(count):
        least = min(least, load64(t.losses + 8 * k))
    for k in range(count):
        child = child_of(d.search, 0, load64(d.own + 8 * k))
        if child >= 0 and load64(t.losses + 8 * k) > least:
            store8(t.mark + child, load8(t.mark + child) | PRUNED)
    return OK


@inner
def begin_tree(decision: int) -> int:
    """Begin a decision's tree: with what is kept of the last one, or empty; forget all before the first decision.

    Returns 1 for a decision that was begun before and failed for want of memory.
    """
    d = decision_at(decision)
    t = tree_at(d.search)
    again = 1 - t.done
    if t.other != 0:
        if again == 0:
            d.search = t.other
        now = tree_at(d.search)
        was = tree_at(now.other)
        now.decisions = was.decisions + 1
        keep_subtree(now.other, was.played, d.search)
    else:
        t.used = 0
        t.decisions = t.decisions + 1 - again
    t = tree_at(d.search)
    if t.decisions == 1 and again == 0:
        if t.moves != 0:
            clear_moves(t.moves)
        if t.knowledge != 0:
            clear_knowledge(t.knowledge)
    return again


@inner
def set_up_root(decision: int, state: int, again: int) -> int:
    """Set up root, statistics and what is known of the state before the first iteration. OK or GROW."""
    d = decision_at(decision)
    t = tree_at(d.search)
    if t.used == 0:
        add_node(d.search, -1, NIL)
        if t.shared != 0:
            forget_states(d.search)
    if t.closed == 1 and imagine(decision, t.states, state) == GROW:
        return GROW
    if t.moves != 0:
        next_decision(t.moves, score(d.model, state, d.player), again)
    if t.knowledge != 0:
        recall(decision, t.knowledge, state, again)
    if t.novelty != 0:
        look(decision, 0, state)
    if t.safe != 0 and find_safe_moves(decision, state) == GROW:
        return GROW
    if t.samples > 0:
        return sample_actions(decision, state)
    return OK


@inner
def choose(decision: int, state: int) -> int:
    """Grow the tree until the budget is spent and choose an action. OK or GROW."""
    d = decision_at(decision)
    if d.resume == 0:
        again = begin_tree(decision)
        tree_at(d.search).done = 0
        # a forced move needs no search
        if own_actions(decision, state) > 1 and set_up_root(decision, state, again) == GROW:
            return GROW
    tree_at(d.search).done = 0
    count = own_actions(decision, state)
    if count == 1:
        d.chosen = load64(d.own)
        return OK
    while d.calls < d.budget:
        before = d.calls
        if iterate(decision, state) == GROW:
            return GROW
        if d.calls == before:  # a closed loop may end in a known end of the game; that is not for free
            d.calls = before + 1
    count = own_actions(decision, state)
    d.chosen = load64(d.own + 8 * recommend(decision, count))
    return OK


@entry_point("i8(i8, i8)")
def decide_mcts(decision: int, state: int) -> int:
    """Grow a tree until the budget is spent and recommend an action. OK or GROW."""
    d = decision_at(decision)
    if begin_decision(decision, state) == 0:
        return OK
    if choose(decision, state) == GROW:
        return GROW
    t = tree_at(d.search)
    t.played = d.chosen
    t.done = 1
    return OK
