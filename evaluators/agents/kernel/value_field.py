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

from pcg.engine.kernel.layout import sprite_at
from pcg.engine.kernel.protocol import (
    GROW,
    LOST,
    OK,
    WON,
    copy_state,
    features,
    is_over,
    outcome,
    score,
    state_key,
)
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
)
from pcg.evaluators.agents.kernel.decision import NIL, begin_decision, decision_at, imagine, noise, own_actions
from pcg.evaluators.agents.kernel.value_field_danger import list_monsters, menace, safety
from pcg.evaluators.agents.kernel.value_field_graph import (
    arrive,
    avatar_of,
    banish,
    counts,
    is_leap,
    keep_graph,
    learn,
    make_move,
    name_of,
    restore_graph,
    targets_left,
    try_again,
)
from pcg.evaluators.agents.kernel.value_field_maps import measure_ways
from pcg.evaluators.agents.kernel.value_field_record import DIED, FAR, LEAPT, MOVES, field_at
from pcg.evaluators.agents.kernel.value_field_strategy import field_gain, field_value, see_rivals, take_aim, watch

NOTHING = -1.0e300
"""Total of an action that was never tried."""
CLOSED, BEGUN, WATCHED = 0, 1, 2
"""Stages of a decision; one found to be under way ran out of room and is made again."""

# --- the value field by features ---


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
    if (
        f.positions == 1 and f.monsters_stay == 1
    ):  # where they stand has been listed; in the look-ahead they would go on
        banish(decision, f.plan_states)
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
def count_bits(bits: int) -> int:
    """Number of targets in a bit set."""
    count = 0
    while bits != 0:
        bits = bits & (bits - 1)
        count += 1
    return count


@inner
def health_of(decision: int, state: int) -> int:
    """Health points of the avatar, 0 without one."""
    avatar = avatar_of(decision, state)
    return sprite_at(avatar).hp if avatar != 0 else 0


@inner
def end_of(decision: int, before: int, after: int, place: int, ticks: int) -> int:
    """Return what a move ended: 0 for nothing, 1 for the game, DIED for a life, LEAPT for the way walked so far."""
    d = decision_at(decision)
    f = field_at(d.search)
    if is_over(d.model, after) != 0:
        return 1
    if f.positions == 1:
        if f.death_cost > 0.0 and health_of(decision, after) < health_of(decision, before):
            return DIED
        name = name_of(decision, after)
        if f.suicide > 0 and place >= 0 and name >= 0:
            there = load32(f.index + 4 * name)
            if there >= 0 and is_leap(d.search, place, there, ticks) == 1:
                return LEAPT
    return 0


@inner
def reward_of(decision: int, plan: int, child: int) -> float:
    """Return the reward of the move from one look-ahead node to another."""
    d = decision_at(decision)
    f = field_at(d.search)
    before = f.plan_states + plan * f.stride
    after = f.plan_states + child * f.stride
    value = score(d.model, after, d.player) - score(d.model, before, d.player)
    if f.gold_reward > 0.0 and f.positions == 1:
        value = f.gold_reward * count_bits(load64(f.left + 8 * plan) & ~load64(f.left + 8 * child))
    ended = load8(f.ended + child)
    if ended == DIED:
        return value - f.death_cost
    if ended == LEAPT:  # a leap is for the desperate, who take the first there is
        return value + f.death_cost if f.desperate == 1 else value - f.death_cost
    if ended != 0:
        result = outcome(d.model, after, d.player)
        if result == WON:
            value += f.win_bonus
        elif result == LOST:
            value -= f.death_cost if f.death_cost > 0.0 else f.win_bonus
        return value
    if f.positions == 1:
        here = load32(f.place + 4 * plan)
        there = load32(f.place + 4 * child)
        if 0 <= here < f.mapped and 0 <= there < f.mapped:
            if f.at_end == 0:
                left = load64(f.left + 8 * child)
                value += f.strategy * field_gain(d.search, here, there, load64(f.left + 8 * plan), left)
        if f.danger > 0.0:
            value -= f.danger * menace(decision, after)
        if f.monster_penalty > 0.0 or f.trap_bonus > 0.0:
            value += safety(decision, after)
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
    ticks = f.ticks
    store32(f.depth + 4 * child, depth)
    store32(f.place + 4 * child, -1)
    if f.positions == 1:
        here = load32(f.place + 4 * plan)
        if plan > 0 and here >= 0 and load32(f.to + 4 * (here * MOVES + action)) >= 0:
            here = -1  # what is imagined farther on, such as a hole dug on the way, says nothing about the level
        if arrive(decision, here, action, ticks, after) == GROW:
            return GROW
        name = name_of(decision, after)
        if name >= 0:
            store32(f.place + 4 * child, load32(f.index + 4 * name))
        store64(f.left + 8 * child, targets_left(decision, after))
    ended = end_of(decision, f.plan_states + plan * f.stride, after, load32(f.place + 4 * plan), ticks)
    store8(f.ended + child, ended)
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
def end_value(field: int, plan: int) -> float:
    """S where a look-ahead ends, nothing where the game has ended or the place is unknown."""
    f = field_at(field)
    place = load32(f.place + 4 * plan)
    if load8(f.ended + plan) != 0 or f.positions == 0 or not 0 <= place < f.mapped:
        return 0.0
    return f.strategy * field_value(field, place, load64(f.left + 8 * plan))


@inner
def value_plans(field: int) -> None:
    """Bellman's recursion, from the deepest look-ahead nodes to the root; one not expanded is worth nothing or S."""
    f = field_at(field)
    plan = f.plans
    while plan > 0:
        plan -= 1
        best = 0.0
        found = 0
        if plan < f.next_plan:
            for k in range(f.width):
                if load32(f.child + 4 * (plan * f.width + k)) >= 0:
                    value = action_value(field, plan, k)
                    if found == 0 or value > best:
                        best = value
                    found = 1
        if f.at_end == 1 and found == 0:
            best = end_value(field, plan)
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
    if f.open == BEGUN:
        see_rivals(decision, state)
    measure_ways(decision, state)
    if f.open == BEGUN:
        watch(decision, state)
        f.open = WATCHED
    take_aim(decision, state)
    list_monsters(decision, state)
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
