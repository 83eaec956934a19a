"""UCT for any number of players who may move at the same time, with a memory of states if wanted.

A node is a sequence of joint moves from the state that is decided about; every player chooses at every node by UCB1
among its own moves, from what the children say for that player, whatever the others do (decoupled UCT: Shafiei,
Sturtevant and Schaeffer 2009; Tak, Lanctot and Winands 2014). Where one player has a choice, this is UCT. Each path is
played again from the root, so no states are stored. Made for games without chance.

A child's value to a player is the mean reward V of its playouts, or (1 - lambda) V + lambda V_M with the value V_M of a
memory (`kernel.state_memory`): that of the state's own entry, or what the entries of the states most like it say (Xiao,
Mei and Mueller 2018).
"""

from __future__ import annotations

import math

import numpy as np

from pcg.engine.kernel.exponents import logarithm
from pcg.engine.kernel.protocol import GROW, OK, is_over, state_key
from pcg.engine.kernel.random import next_int
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
from pcg.evaluators.agents.kernel.decision import advance_joint, decision_at, imagine
from pcg.evaluators.agents.kernel.joint_playout import begin_choice, finish_playout, goes_on, list_moves, playout_at
from pcg.evaluators.agents.kernel.state_memory import (
    VALUES,
    VISITS,
    add_entry,
    clear_memory,
    describe,
    entry_at,
    find_entry,
    keep_memory,
    means_of,
    memory_at,
    query,
    restore_memory,
    update_entry,
)

NO_MEMORY, OWN, NEAREST = 0, 1, 2
"""Source of V_M: none, the value of the state's own entry, that of the nearest entries."""

BY_VISITS, BY_VALUE, BY_MEAN = 0, 1, 2
"""Criteria for the final move: visits, the value that guided the search (with V_M), the mean reward of playouts."""

ANY_MOVE = 8
"""Exploration in games in which several players have a choice: one in so many of their moves in the tree is random."""

UCT_TREE = np.dtype(
    [
        ("playout", "i8"),  # address of the JOINT_PLAYOUT record
        ("exploration", "f8"),  # c of UCB1
        ("recommendation", "i8"),  # criterion for the move: BY_VISITS, BY_VALUE or BY_MEAN
        ("room", "i8"),  # nodes there is room for
        ("used", "i8"),  # nodes; node 0 is the root
        ("first", "i8"),  # int32[room]: first child, -1 for none
        ("sibling", "i8"),  # int32[room]: next child of the same parent, -1 for none
        ("choice", "i8"),  # int32[room][players]: which of its moves each player chose to come here
        ("visits", "i8"),  # float64[room]
        ("total", "i8"),  # float64[room][players]: sum of rewards
        ("limit", "i8"),  # longest path, in joint moves
        ("path", "i8"),  # int32[limit + 1]: nodes of the current iteration
        ("length", "i8"),  # how many
        ("pick", "i8"),  # int64[players]: which of its moves each player chooses
        ("tried", "i8"),  # float64[players][max_actions + 1]: visits by own move
        ("value_sum", "i8"),  # float64[players][max_actions + 1]: weighted sum of values by own move
        ("weight_sum", "i8"),  # float64[players][max_actions + 1]: sum of the weights
        # --- memory ---
        ("query", "i8"),  # NO_MEMORY, OWN or NEAREST
        ("memory", "i8"),  # address of a STATE_MEMORY record, 0: none
        ("fresh", "i8"),  # 1: forget everything before the next decision
        ("exploring", "i8"),  # 1: search even where the player has no choice; no move is needed
        ("share", "f8"),  # lambda of a state not visited yet
        ("fade", "f8"),  # visits after which lambda is halved; 0: it stays
        ("keys", "i8"),  # int64[room]
        ("memory_value", "i8"),  # float64[room][players]: V_M from queries at the node and below it
        ("memory_visits", "i8"),  # float64[room]: visits of the entries asked
    ],
    align=True,
)

uct_tree_at = view_of(UCT_TREE)


@inner
def add_node(decision: int, tree: int, parent: int) -> int:
    """A new child reached by the picked moves; -1: the root. Returns its number."""
    d = decision_at(decision)
    t = uct_tree_at(tree)
    node = t.used
    t.used = node + 1
    store32(t.first + 4 * node, -1)
    store_double(t.visits + 8 * node, 0.0)
    for player in range(d.players):
        at = node * d.players + player
        store_double(t.total + 8 * at, 0.0)
        if t.query == NEAREST:
            store_double(t.memory_value + 8 * at, 0.0)
        if parent >= 0:
            store32(t.choice + 4 * at, load64(t.pick + 8 * player))
    if t.query == NEAREST:
        store_double(t.memory_visits + 8 * node, 0.0)
    if parent >= 0:
        store32(t.sibling + 4 * node, load32(t.first + 4 * parent))
        store32(t.first + 4 * parent, node)
    return node


@inner
def value_of_child(decision: int, tree: int, node: int, player: int) -> float:
    """Return the value of a visited node: (1 - lambda) V + lambda V_M, or V where the memory says nothing."""
    d = decision_at(decision)
    t = uct_tree_at(tree)
    visits = load_double(t.visits + 8 * node)
    value = load_double(t.total + 8 * (node * d.players + player)) / visits
    if t.query == NO_MEMORY:
        return value
    share = t.share
    if t.fade > 0.0:
        share = share * t.fade / (t.fade + visits)
    if t.query == OWN:
        k = find_entry(t.memory, load64(t.keys + 8 * node))
        if k >= 0 and load_double(entry_at(t.memory, k) + VISITS) > 0.0:
            return (1.0 - share) * value + share * load_double(entry_at(t.memory, k) + VALUES + 8 * player)
    elif load_double(t.memory_visits + 8 * node) > 0.0:
        return (1.0 - share) * value + share * load_double(t.memory_value + 8 * (node * d.players + player))
    return value


@inner
def count_visits(decision: int, tree: int, node: int) -> int:
    """Write to `tried` how often every player's moves were chosen at a node; returns how many players have a choice."""
    d = decision_at(decision)
    t = uct_tree_at(tree)
    b = playout_at(t.playout)
    choosers = 0
    for player in range(d.players):
        if load64(b.counts + 8 * player) > 1:
            choosers += 1
        for k in range(load64(b.counts + 8 * player)):
            at = player * b.row + 8 * k
            store_double(t.tried + at, 0.0)
            store_double(t.value_sum + at, 0.0)
            store_double(t.weight_sum + at, 0.0)
    child = load32(t.first + 4 * node)
    while child >= 0:
        visits = load_double(t.visits + 8 * child)
        for player in range(d.players):
            at = t.tried + player * b.row + 8 * load32(t.choice + 4 * (child * d.players + player))
            store_double(at, load_double(at) + visits)
        child = load32(t.sibling + 4 * child)
    return choosers


@inner
def summarise_moves(decision: int, tree: int, node: int, by_mean: int) -> int:
    """Write to `tried`, `value_sum` and `weight_sum` what the children of a node say of every player's own moves.

    Of a player's move, value_sum / weight_sum is the mean value, with `by_mean` the mean reward. Where several players
    have a choice, children count as often as the others choose what leads there, whatever this player does: else moves
    that happened to be chosen at the same times would be held to belong together.

    Returns how many players have a choice.
    """
    d = decision_at(decision)
    t = uct_tree_at(tree)
    b = playout_at(t.playout)
    choosers = count_visits(decision, tree, node)
    child = load32(t.first + 4 * node)
    while child >= 0:
        visits = load_double(t.visits + 8 * child)
        for player in range(d.players):
            if load64(b.counts + 8 * player) > 1 and visits > 0.0:
                mass = visits
                if choosers > 1:
                    mass = 1.0
                    for other in range(d.players):
                        if other != player:
                            chosen = 8 * load32(t.choice + 4 * (child * d.players + other))
                            mass *= load_double(t.tried + other * b.row + chosen)
                at = player * b.row + 8 * load32(t.choice + 4 * (child * d.players + player))
                value = load_double(t.total + 8 * (child * d.players + player)) / visits
                if by_mean == 0:
                    value = value_of_child(decision, tree, child, player)
                store_double(t.value_sum + at, load_double(t.value_sum + at) + mass * value)
                store_double(t.weight_sum + at, load_double(t.weight_sum + at) + mass)
        child = load32(t.sibling + 4 * child)
    return choosers


@inner
def pick_untried(decision: int, row: int, count: int) -> int:
    """One of the moves without a visit, at random; -1 when there is none."""
    missing = 0
    for k in range(count):
        if load_double(row + 8 * k) == 0.0:
            missing += 1
    if missing == 0:
        return -1
    left = 0
    if missing > 1:
        left = next_int(decision, missing)
    for k in range(count):
        if load_double(row + 8 * k) == 0.0:
            if left == 0:
                return k
            left -= 1
    return -1


@inner
def pick_best(tried: int, worth: int, mass: int, count: int, exploration: float) -> int:
    """The move with the highest bound of UCB1, of equal ones the first; all have visits."""
    visits = 0.0
    for k in range(count):
        visits += load_double(tried + 8 * k)
    spread = exploration * math.sqrt(logarithm(visits))
    best = -1.0e300
    choice = 0
    for k in range(count):
        n = load_double(tried + 8 * k)
        bound = load_double(worth + 8 * k) / load_double(mass + 8 * k) + spread / math.sqrt(n)
        if bound > best:
            best = bound
            choice = k
    return choice


@inner
def pick_joint(decision: int, tree: int, node: int) -> None:
    """Let every player choose at a node: a move without a visit, else by UCB1; to `pick`, and as codes to `joint`.

    Where several have a choice, each now and then takes any move. Otherwise players with equal prospects would change
    their minds at the same times, and never see what comes of one of them changing alone.
    """
    d = decision_at(decision)
    t = uct_tree_at(tree)
    b = playout_at(t.playout)
    choosers = summarise_moves(decision, tree, node, 0)
    for player in range(d.players):
        count = load64(b.counts + 8 * player)
        choice = 0
        if choosers > 1 and count > 1 and next_int(decision, ANY_MOVE) == 0:
            choice = next_int(decision, count)
        elif count > 1:
            choice = pick_untried(decision, t.tried + player * b.row, count)
            if choice < 0:
                row = player * b.row
                choice = pick_best(t.tried + row, t.value_sum + row, t.weight_sum + row, count, t.exploration)
        store64(t.pick + 8 * player, choice)
        store64(d.joint + 8 * player, load64(b.moves + player * b.row + 8 * choice))


@inner
def picked_child(decision: int, tree: int, node: int) -> int:
    """The child that the picked moves lead to, -1 when there is none yet."""
    d = decision_at(decision)
    t = uct_tree_at(tree)
    child = load32(t.first + 4 * node)
    while child >= 0:
        same = 1
        for player in range(d.players):
            if load32(t.choice + 4 * (child * d.players + player)) != load64(t.pick + 8 * player):
                same = 0
        if same == 1:
            return child
        child = load32(t.sibling + 4 * child)
    return -1


@inner
def initialise_from_memory(decision: int, tree: int, node: int, k: int) -> int:
    """Begin a node with the visits and mean rewards of its own state's entry; returns 1 when it has any."""
    d = decision_at(decision)
    t = uct_tree_at(tree)
    entry = entry_at(t.memory, k)
    visits = load_double(entry + VISITS)
    if visits == 0.0:
        return 0
    store_double(t.visits + 8 * node, visits)
    for player in range(d.players):
        at = t.total + 8 * (node * d.players + player)
        store_double(at, visits * load_double(means_of(t.memory, k) + 8 * player))
    return 1


@inner
def query_memory(decision: int, tree: int, node: int, state: int) -> int:
    """Look up the state of a new node in the memory, and give it an entry when it has none.

    Returns 1 when the state's own entry has taken the place of a playout: the search goes on below.
    """
    d = decision_at(decision)
    t = uct_tree_at(tree)
    if t.query == NO_MEMORY:
        return 0
    key = state_key(d.model, state)
    store64(t.keys + 8 * node, key)
    turn = 0
    if is_over(d.model, state) == 0:
        turn = list_moves(decision, t.playout, state)
    if t.query == NEAREST:
        describe(d.model, t.memory, state)
        visits = query(t.memory, turn)
        answer = memory_at(t.memory).answer
        for k in range(t.length):
            above = load32(t.path + 4 * k)
            memory_value = load_double(t.memory_visits + 8 * above) + visits
            if visits > 0.0:
                store_double(t.memory_visits + 8 * above, memory_value)
                for player in range(d.players):
                    at = t.memory_value + 8 * (above * d.players + player)
                    old = load_double(at)
                    store_double(at, old + (load_double(answer + 8 * player) - old) * visits / memory_value)
    k = find_entry(t.memory, key)
    if k < 0:
        add_entry(t.memory, key, turn)
    elif t.query == OWN:
        return initialise_from_memory(decision, tree, node, k)
    return 0


@inner
def descend(decision: int, tree: int, state: int) -> int:
    """Go down from the root, whose state this block holds, to a new node or an end. OK or GROW."""
    d = decision_at(decision)
    t = uct_tree_at(tree)
    node = 0
    store32(t.path, 0)
    t.length = 1
    while t.length <= t.limit and (t.length == 1 or d.calls < d.budget) and is_over(d.model, state) == 0:
        list_moves(decision, t.playout, state)
        pick_joint(decision, tree, node)
        child = picked_child(decision, tree, node)
        is_new = 0
        if child < 0:
            if t.used == t.room:
                break
            child = add_node(decision, tree, node)
            is_new = 1
        if advance_joint(decision, state) == GROW:
            return GROW
        node = child
        store32(t.path + 4 * t.length, node)
        t.length = t.length + 1
        if is_new == 1 and query_memory(decision, tree, node, state) == 0:
            break
    return OK


@inner
def back_up(decision: int, tree: int) -> None:
    """Let the nodes of the path, and the memory's entries of their states, learn the rewards of the playout."""
    d = decision_at(decision)
    t = uct_tree_at(tree)
    rewards = playout_at(t.playout).rewards
    for k in range(t.length):
        node = load32(t.path + 4 * k)
        store_double(t.visits + 8 * node, load_double(t.visits + 8 * node) + 1.0)
        for player in range(d.players):
            at = t.total + 8 * (node * d.players + player)
            store_double(at, load_double(at) + load_double(rewards + 8 * player))
        if t.query != NO_MEMORY:
            update_entry(t.memory, load64(t.keys + 8 * node), rewards)


@inner
def iterate(decision: int, tree: int, state: int) -> int:
    """One iteration: descend, expand, play out, back up. OK or GROW."""
    d = decision_at(decision)
    t = uct_tree_at(tree)
    if imagine(decision, d.work, state) == GROW or descend(decision, tree, d.work) == GROW:
        return GROW
    if finish_playout(decision, t.playout, d.work) == GROW:
        return GROW
    back_up(decision, tree)
    return OK


@inner
def recommend(decision: int, tree: int) -> int:
    """Return the own move at the root that is played, by the tree's criterion; of equal values the most visited."""
    d = decision_at(decision)
    t = uct_tree_at(tree)
    b = playout_at(t.playout)
    summarise_moves(decision, tree, 0, int(t.recommendation == BY_MEAN))
    tried = t.tried + d.player * b.row
    worth = t.value_sum + d.player * b.row
    mass = t.weight_sum + d.player * b.row
    best = -1.0
    best_value = -1.0
    choice = 0
    for k in range(load64(b.counts + 8 * d.player)):
        n = load_double(tried + 8 * k)
        if n > 0.0:
            value = load_double(worth + 8 * k) / load_double(mass + 8 * k)
            first = n
            second = value
            if t.recommendation != BY_VISITS:
                first = value
                second = n
            if first > best or (first == best and second > best_value):
                best = first
                best_value = second
                choice = k
    return choice


@inner
def begin_tree(decision: int, tree: int, state: int) -> None:
    """Begin an empty tree, and keep what the memory holds in case the decision fails."""
    t = uct_tree_at(tree)
    if t.query != NO_MEMORY:
        if t.fresh == 1:
            clear_memory(t.memory)
            t.fresh = 0
        keep_memory(t.memory)
    t.used = 0
    add_node(decision, tree, -1)
    store32(t.path, 0)
    t.length = 0
    query_memory(decision, tree, 0, state)
    store_double(t.visits, 0.0)


@entry_point("i8(i8, i8)")
def decide_uct(decision: int, state: int) -> int:
    """Grow a tree until the budget is spent and choose a move. OK or GROW."""
    d = decision_at(decision)
    tree = d.search
    t = uct_tree_at(tree)
    if begin_choice(decision, t.playout, state) == 0 and (t.exploring == 0 or is_over(d.model, state) == 1):
        return OK
    if d.resume == 0:
        begin_tree(decision, tree, state)
    while goes_on(decision, t.playout) == 1:
        if iterate(decision, tree, state) == GROW:
            if t.query != NO_MEMORY:
                restore_memory(t.memory)
            return GROW
    list_moves(decision, t.playout, state)
    choice = recommend(decision, tree)
    d.chosen = load64(playout_at(t.playout).moves + d.player * playout_at(t.playout).row + 8 * choice)
    return OK
