"""Discounted dynamic programming over a few moves, with a value field for what lies beyond them.

A decision looks `horizon` moves ahead with the forward model, layer by layer; moves that lead to the same place with
the same score and things are one look-ahead node. Bellman's recursion then values each node as the best over actions of
reward plus `inflation` times the value of where the action leads. A reward is what the score gained, plus what S, the
field, gained, less a penalty near monsters. S sums worth * inflation^distance over all collectables by the maps of
`value_field_maps`; what has been eaten on the way is left out on both sides of the difference, so that eating costs
nothing. When chance plays a part and budget is left, further look-aheads draw another future, and the values of the
first actions are averaged.

A watcher follows the real game. Standing still, going to and fro, and starvation make it change the strategy to a
single target for a while: the nearest, or the next nearest when that was tried in vain. Source: the "value field" of
bots for games of collecting on platforms; Bellman, Dynamic Programming, 1957, for the recursion.
"""

from __future__ import annotations

from pcg.engine.kernel.groups import first_of, next_of
from pcg.engine.kernel.layout import context_at
from pcg.engine.kernel.protocol import (
    GROW,
    LOST,
    OK,
    WON,
    copy_state,
    features,
    is_over,
    model_at,
    outcome,
    score,
    state_key,
)
from pcg.engine.kernel.runtime import (
    entry_point,
    inner,
    load8,
    load16,
    load32,
    load64,
    load_double,
    store8,
    store32,
    store64,
    store_double,
)
from pcg.evaluators.agents.kernel.decision import NIL, begin_decision, decision_at, imagine, noise, own_actions
from pcg.evaluators.agents.kernel.value_field_graph import (
    FAR,
    MOVES,
    TRAIL,
    arrive,
    avatar_of,
    cell_below,
    cell_of_node,
    counts,
    field_at,
    keep_graph,
    learn,
    make_move,
    name_of,
    restore_graph,
    targets_left,
    try_again,
)
from pcg.evaluators.agents.kernel.value_field_maps import feel_from, measure_ways

_STILL = 3
"""So few cells in the whole trail are standing still or going to and fro."""
NOTHING = -1.0e300
"""Total of an action that was never tried."""
CLOSED, BEGUN, WATCHED = 0, 1, 2
"""Stages of a decision; one found to be under way ran out of room and is made again."""

# --- the value field ---


@inner
def only_target(field: int) -> int:
    """Number of the target that the watcher has chosen; -1 when all count."""
    f = field_at(field)
    if f.moments < f.until:
        for k in range(f.targets):
            if load64(f.target_id + 8 * k) == f.only:
                return k
    return -1


@inner
def field_gain(field: int, before: int, after: int, left: int) -> float:
    """S after a move less S before it, both over the targets that are left after it."""
    f = field_at(field)
    only = only_target(field)
    gain = 0.0
    for k in range(f.targets):
        if (left >> k) & 1 != 0 and (only < 0 or only == k):
            ways = f.ways + 2 * k * f.room
            change = load_double(f.powers + 8 * load16(ways + 2 * after))
            change -= load_double(f.powers + 8 * load16(ways + 2 * before))
            gain += load_double(f.target_worth + 8 * k) * change
    return gain


@inner
def lure_gain(decision: int, before: int, after: int) -> float:
    """The same by features, for games whose sprites have no places; kinds of which a sprite went are left out."""
    d = decision_at(decision)
    f = field_at(d.search)
    n = features(d.model, before, d.player, f.here, 2 * d.kind_count) // 2
    features(d.model, after, d.player, f.there, 2 * d.kind_count)
    gain = 0.0
    for k in range(n):
        lure = load_double(f.lures + 8 * k)
        alive = load_double(f.there + 16 * k)
        if lure != 0.0 and alive > 0.0 and alive == load_double(f.here + 16 * k):
            change = load_double(f.powers + 8 * way_of(load_double(f.there + 16 * k + 8)))
            change -= load_double(f.powers + 8 * way_of(load_double(f.here + 16 * k + 8)))
            gain += lure * change
    return gain


@inner
def way_of(distance: float) -> int:
    """A distance of the features as an index of `powers`."""
    if distance < 0.0 or distance > FAR:
        return FAR
    return int(distance)


@inner
def menace(decision: int, state: int) -> float:
    """Return the nearness of harm: the sum of 1 / 2^steps over the monsters within `radius` steps."""
    d = decision_at(decision)
    f = field_at(d.search)
    gm = model_at(d.model).game
    avatar = avatar_of(decision, state)
    if avatar == 0:
        return 0.0
    block = context_at(gm).block
    here = cell_below(d.search, block, avatar)
    total = 0.0
    for t in range(f.types):
        if load32(f.harmful + 4 * t) != 0:
            a = first_of(gm, state, t)
            while a != 0:
                cell = cell_below(d.search, block, a)
                if load8(f.felt_known + cell) == 0:
                    feel_from(d.search, cell)
                steps = load8(f.felt + cell * f.cells + here)
                if steps <= f.radius:
                    total += 1.0 / (1 << steps)
                a = next_of(gm, state, a)
    return total


# --- the look-ahead ---


@inner
def digest_of(decision: int, state: int, depth: int) -> int:
    """Return the key of a look-ahead node: depth, place and facing, score, and how many there are of everything."""
    d = decision_at(decision)
    f = field_at(d.search)
    h = 0
    if f.positions == 1:
        h = counts(decision, state) * 7 + name_of(decision, state)
    else:
        h = state_key(d.model, state)
    return (h % 1152921504606846883) * 5 + depth * 1000003 + int(64.0 * score(d.model, state, d.player)) * 19


@inner
def begin_plan(decision: int, state: int) -> int:
    """Start a look-ahead from a freshly imagined future of the state. OK or GROW."""
    d = decision_at(decision)
    f = field_at(d.search)
    if imagine(decision, f.plan_states, state) == GROW:
        return GROW
    f.plans = 1
    f.next_plan = 0
    f.layer = 1
    store32(f.depth, 0)
    store8(f.ended, 0)
    store32(f.place, -1)
    if f.positions == 1:
        name = name_of(decision, f.plan_states)
        if name >= 0:
            store32(f.place, load32(f.index + 4 * name))
        store64(f.left, targets_left(decision, f.plan_states))
    return OK


@inner
def reward_of(decision: int, plan: int, child: int) -> float:
    """Return the reward of the move from one look-ahead node to another."""
    d = decision_at(decision)
    f = field_at(d.search)
    before = f.plan_states + plan * f.stride
    after = f.plan_states + child * f.stride
    value = score(d.model, after, d.player) - score(d.model, before, d.player)
    if load8(f.ended + child) != 0:
        result = outcome(d.model, after, d.player)
        if result == WON:
            value += f.win_bonus
        elif result == LOST:
            value -= f.win_bonus
        return value
    if f.positions == 1:
        here = load32(f.place + 4 * plan)
        there = load32(f.place + 4 * child)
        if 0 <= here < f.mapped and 0 <= there < f.mapped:
            value += f.strategy * field_gain(d.search, here, there, load64(f.left + 8 * child))
        if f.danger > 0.0:
            value -= f.danger * menace(decision, after)
    if f.lures != 0:
        value += f.strategy * lure_gain(decision, before, after)
    return value


@inner
def try_action(decision: int, plan: int, action: int) -> int:
    """Make a move from a look-ahead node and link the node it leads to. OK or GROW."""
    d = decision_at(decision)
    f = field_at(d.search)
    child = f.plans
    after = f.plan_states + child * f.stride
    if copy_state(d.model, after, f.plan_states + plan * f.stride) == GROW:
        return GROW
    if make_move(decision, after, action) == GROW:
        return GROW
    depth = load32(f.depth + 4 * plan) + 1
    ended = is_over(d.model, after)
    store32(f.depth + 4 * child, depth)
    store8(f.ended + child, ended)
    store32(f.place + 4 * child, -1)
    if f.positions == 1:
        here = load32(f.place + 4 * plan)
        if plan > 0 and here >= 0 and load32(f.to + 4 * (here * MOVES + action)) >= 0:
            here = -1  # what is imagined farther on, such as a hole dug on the way, says nothing about the level
        if arrive(decision, here, action, f.ticks, after) == GROW:
            return GROW
        name = name_of(decision, after)
        if name >= 0:
            store32(f.place + 4 * child, load32(f.index + 4 * name))
        store64(f.left + 8 * child, targets_left(decision, after))
    digest = digest_of(decision, after, depth)
    store64(f.digest + 8 * child, digest)
    at = plan * f.width + action
    store_double(f.reward + 8 * at, reward_of(decision, plan, child))
    if ended == 0:
        for other in range(f.layer, f.plans):
            if load64(f.digest + 8 * other) == digest and load8(f.ended + other) == 0:
                store32(f.child + 4 * at, other)
                return OK
    store32(f.child + 4 * at, child)
    f.plans = child + 1
    return OK


@inner
def expand_plan(decision: int) -> int:
    """Try all actions, and doing nothing, in the first look-ahead node that is not expanded. OK or GROW."""
    d = decision_at(decision)
    f = field_at(d.search)
    plan = f.next_plan
    if plan > 0 and load32(f.depth + 4 * plan) > load32(f.depth + 4 * plan - 4):
        f.layer = f.plans
    f.next_plan = plan + 1
    for k in range(f.width):
        store32(f.child + 4 * (plan * f.width + k), -1)
    if load8(f.ended + plan) != 0 or load32(f.depth + 4 * plan) >= f.horizon:
        return OK
    count = own_actions(decision, f.plan_states + plan * f.stride)
    idle = 1
    for k in range(count):
        action = load64(d.own + 8 * k)
        if action == NIL:
            idle = 0
        if f.plans < f.depth_room and try_action(decision, plan, action) == GROW:
            return GROW
    if idle == 1 and f.plans < f.depth_room:
        return try_action(decision, plan, NIL)
    return OK


@inner
def value_plans(field: int) -> None:
    """Bellman's recursion, from the deepest look-ahead nodes to the root; what is not expanded is worth nothing."""
    f = field_at(field)
    plan = f.plans
    while plan > 0:
        plan -= 1
        best = 0.0
        if plan < f.next_plan:
            found = 0
            for k in range(f.width):
                if load32(f.child + 4 * (plan * f.width + k)) >= 0:
                    value = action_value(field, plan, k)
                    if found == 0 or value > best:
                        best = value
                    found = 1
        store_double(f.value + 8 * plan, best)


@inner
def action_value(field: int, plan: int, action: int) -> float:
    """Reward of an action in a look-ahead node, plus the inflated value of where it leads."""
    f = field_at(field)
    at = plan * f.width + action
    return load_double(f.reward + 8 * at) + f.inflation * load_double(f.value + 8 * load32(f.child + 4 * at))


@inner
def choose_action(decision: int) -> None:
    """Choose the root's action of most value on average over the look-aheads completed, or by the one begun."""
    d = decision_at(decision)
    f = field_at(d.search)
    if f.passes == 0:
        value_plans(d.search)
    best = -1.0e300
    for k in range(f.width):
        value = load_double(f.total + 8 * k)
        if f.passes > 0:
            if value == NOTHING:
                continue
            value = value / f.passes
        elif f.next_plan > 0 and load32(f.child + 4 * k) >= 0:
            value = action_value(d.search, 0, k)
        else:
            continue
        value = noise(decision, value)
        if value > best:
            best = value
            d.chosen = k


@inner
def finish_plan(decision: int) -> None:
    """Add the values of the root's actions to the totals."""
    d = decision_at(decision)
    f = field_at(d.search)
    value_plans(d.search)
    for k in range(f.width):
        if load32(f.child + 4 * k) >= 0:
            if f.passes == 0:
                store_double(f.total + 8 * k, 0.0)
            store_double(f.total + 8 * k, load_double(f.total + 8 * k) + action_value(d.search, 0, k))
    f.passes = f.passes + 1
    f.plans = 0


# --- the watcher ---


@inner
def nearest_target(field: int, node: int) -> int:
    """The target fewest ticks from a node, the one refused only when there is no other; -1: none can be reached."""
    f = field_at(field)
    best = FAR
    chosen = -1
    for k in range(f.targets):
        ticks = load16(f.ways + 2 * (k * f.room + node))
        if load64(f.target_id + 8 * k) != f.refused and ticks < best:
            best = ticks
            chosen = k
    if chosen < 0:
        for k in range(f.targets):
            if load16(f.ways + 2 * (k * f.room + node)) < best:
                best = load16(f.ways + 2 * (k * f.room + node))
                chosen = k
    return chosen


@inner
def watch(decision: int, state: int) -> None:
    """Look at what the real game has come to, and change the strategy when it does not come along."""
    d = decision_at(decision)
    f = field_at(d.search)
    points = score(d.model, state, d.player)
    if f.moments == 0 or points > f.last_score:
        f.last_gain = f.moments
    f.last_score = points
    name = name_of(decision, state)
    node = -1
    cell = -1
    if name >= 0:
        node = load32(f.index + 4 * name)
    if node >= 0:
        cell = cell_of_node(d.search, node)
    store64(f.trail + 8 * (f.moments % TRAIL), cell)
    f.moments = f.moments + 1
    different = 0
    for i in range(TRAIL):
        fresh = 1
        for j in range(i):
            if load64(f.trail + 8 * i) == load64(f.trail + 8 * j):
                fresh = 0
        different += fresh
    stuck = f.moments >= TRAIL and different <= _STILL
    starved = f.moments - f.last_gain >= f.starvation
    if 0 <= node < f.mapped and f.targets > 0 and f.head == f.tail and f.moments >= f.tried + TRAIL:
        if nearest_target(d.search, node) < 0:  # something may have opened or closed
            f.stale = 1
    if (stuck or starved) and f.moments >= f.until and 0 <= node < f.mapped:
        k = nearest_target(d.search, node)
        if starved and f.head == f.tail:
            f.stale = 1
        if k >= 0:
            f.only = load64(f.target_id + 8 * k)
            f.refused = f.only
            f.until = f.moments + f.nearest_moves
            f.last_gain = f.moments


# --- deciding ---


@inner
def look_around(decision: int, state: int) -> int:
    """Learn the level as far as the quota goes, then measure the ways and see how the game has gone. OK or GROW."""
    d = decision_at(decision)
    f = field_at(d.search)
    if learn(decision, state) == GROW:
        return GROW
    if f.head < f.tail and f.learnt < f.quota:
        return OK
    measure_ways(decision, state)
    if f.open == BEGUN:
        watch(decision, state)
        f.open = WATCHED
    f.learning = 0
    return OK


@inner
def begin(decision: int) -> None:
    """Forget the search of the decision before, and what one that ran out of room had learnt."""
    d = decision_at(decision)
    f = field_at(d.search)
    f.passes = 0
    f.plans = 0
    f.next_plan = 0
    f.learnt = 0
    f.learning = f.positions
    for k in range(f.width):
        store_double(f.total + 8 * k, NOTHING)
    if f.positions == 1:
        if f.open != CLOSED:
            restore_graph(d.search)
        else:
            if f.stale == 1:
                try_again(d.search)
            keep_graph(d.search)
            f.open = BEGUN


@entry_point("i8(i8, i8)")
def decide_value_field(decision: int, state: int) -> int:
    """Look ahead until the budget is spent and choose the best action. OK or GROW."""
    d = decision_at(decision)
    f = field_at(d.search)
    if begin_decision(decision, state) == 0:
        return OK
    if d.resume == 0:
        begin(decision)
    if f.learning == 1 and look_around(decision, state) == GROW:
        return GROW
    while f.learning == 0 and d.calls < d.budget and (f.passes == 0 or f.stochastic == 1):
        if f.plans == 0 and begin_plan(decision, state) == GROW:
            return GROW
        if expand_plan(decision) == GROW:
            return GROW
        if f.next_plan == f.plans:
            finish_plan(decision)
    choose_action(decision)
    f.open = CLOSED
    return OK
