"""Exploration from remembered states: the loop of Go-Explore over flat arrays.

The loop takes a remembered state of the archive (`archive_kernel`), plays on from it, and remembers what is new or was
reached with more points or sooner, until a win is found. A state is played on by every action first, at random later;
where cells are regions in which the avatar walks about (`region_kernel`), by going to each thing that can be touched
or hit. Chance is what the state's own generator makes of it: what is found is a win in that future, and its actions
replay it. After Ecoffet, Huizinga, Lehman, Stanley and Clune, First return, then explore, Nature 590, 2021.
"""

from __future__ import annotations

from pcg.engine.kernel.protocol import (
    GROW,
    OK,
    WON,
    advance_state,
    avatar_cell,
    copy_state,
    count_types,
    is_over,
    legal_actions,
    outcome,
)
from pcg.engine.kernel.random import next_int
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
)
from pcg.evaluators.agents.kernel.decision import NIL, decision_at
from pcg.evaluators.proving.archive_kernel import COARSE as COARSE
from pcg.evaluators.proving.archive_kernel import CROWDED as CROWDED
from pcg.evaluators.proving.archive_kernel import EXPLORATION as EXPLORATION
from pcg.evaluators.proving.archive_kernel import FINE as FINE
from pcg.evaluators.proving.archive_kernel import (
    FIRST_ENTRIES,
    cost,
    exploration_at,
    go_back,
    lay_table,
    met,
    play,
    remember,
)
from pcg.evaluators.proving.archive_kernel import PAUSED as PAUSED
from pcg.evaluators.proving.archive_kernel import PLACE as PLACE
from pcg.evaluators.proving.archive_kernel import SOLVED as SOLVED
from pcg.evaluators.proving.archive_kernel import SPENT as SPENT
from pcg.evaluators.proving.archive_kernel import WHOLE as WHOLE
from pcg.evaluators.proving.region_kernel import (
    AWAITED,
    NOTHING,
    list_contacts,
    region_at,
    spread_region,
    way_within,
)

_ASKED = 24
"""Cells of which the best is explored next."""
_CHAIN = 8
"""Contacts that follow one another at most when a cell is explored again."""


# --- exploring --------------------------------------------------------------------------------------------------------


@inner
def choose_block(exploration: int) -> int:
    """Block of the cell to explore next: the best of a few that are drawn, by estimate, points or visits in turn."""
    e = exploration_at(exploration)
    kind = next_int(exploration, 8)
    chosen = -1
    least = 0.0
    for _ in range(_ASKED):
        block = next_int(exploration, e.blocks_used)
        cell = load32(e.owner + 4 * block)
        if load32(e.ticks + 4 * cell) >= e.max_ticks:
            continue
        value = 0.0
        if kind < e.led:
            value = cost(exploration, cell)
        elif kind & 1 == 1:
            # the youngest of the cells that were visited least
            value = load32(e.visits + 4 * cell) - 1.0 * cell / e.room
        else:
            value = e.patience * load32(e.visits + 4 * cell) - load_double(e.points + 8 * cell)
        if chosen < 0 or value < least:
            chosen = block
            least = value
    return chosen


@inner
def try_actions(exploration: int, block: int) -> int:
    """Try every action, held until it leads to another cell. OK, GROW, SPENT or SOLVED."""
    e = exploration_at(exploration)
    d = decision_at(e.decision)
    count = legal_actions(d.model, e.states + block * e.stride, d.player, d.own)
    store64(d.own + 8 * count, NIL)
    for k in range(count + 1):
        if go_back(exploration, block) == GROW:
            return GROW
        action = load64(d.own + 8 * k)
        for length in range(e.hold):
            if play(exploration, action, length) == GROW:
                return GROW
            answer = met(exploration, length + 1)
            if answer == PAUSED or e.fresh > 0:
                if answer != PAUSED and answer != OK:
                    return answer
                break
            if answer != OK:
                return answer
    return OK


@inner
def wander(exploration: int, block: int) -> int:
    """Play on at random, holding actions for a while, as long as there is something new. OK, GROW, SPENT or SOLVED."""
    e = exploration_at(exploration)
    d = decision_at(e.decision)
    if go_back(exploration, block) == GROW:
        return GROW
    until = e.reach // 2 + next_int(exploration, e.reach)
    length = 0
    held = 0
    action = NIL
    while length < min(until, e.trail_room) and e.begun + length < e.max_ticks:
        if held == 0:
            count = legal_actions(d.model, e.work, d.player, d.own)
            store64(d.own + 8 * count, NIL)
            action = load64(d.own + 8 * next_int(exploration, count + 1))
            held = 1
            kind = next_int(exploration, 4)
            if kind == 2:
                held = 2 + next_int(exploration, e.hold)
            elif kind == 3:
                held = e.hold + next_int(exploration, 2 * e.hold)
        held -= 1
        if play(exploration, action, length) == GROW:
            return GROW
        length += 1
        before = e.fresh
        answer = met(exploration, length)
        if answer == PAUSED:
            return OK
        if answer != OK:
            return answer
        if e.fresh > before:
            until = length + e.reach
    return OK


@inner
def step(exploration: int, action: int, look: int) -> int:
    """Play an action until the avatar is in another cell, or time is up for it. OK, GROW, SPENT, SOLVED, or PAUSED
    where the play ends; with `look` what is met on the way is remembered, and what is new ends the step.
    """
    e = exploration_at(exploration)
    d = decision_at(e.decision)
    before = avatar_cell(d.model, e.work, d.player)
    fresh = e.fresh
    for _ in range(region_at(e.region).patience):
        if e.length >= e.trail_room or e.begun + e.length >= e.max_ticks:
            return PAUSED
        if play(exploration, action, e.length) == GROW:
            return GROW
        e.length = e.length + 1
        if look == 1 or is_over(d.model, e.work) != 0:
            answer = met(exploration, e.length)
            if answer != OK:
                return answer
        if avatar_cell(d.model, e.work, d.player) != before or e.fresh > fresh:
            break
    return OK


@inner
def settle(exploration: int) -> int:
    """Wait while something is under way that the avatar has set off. OK, GROW, SPENT, SOLVED, or PAUSED at an end."""
    e = exploration_at(exploration)
    d = decision_at(e.decision)
    r = region_at(e.region)
    for _ in range(r.wait):
        count_types(d.model, e.work, r.counts)
        waiting = 0
        for t in range(r.types):
            if load8(r.flags + t) & AWAITED and load32(r.counts + 4 * t) > 0:
                waiting = 1
        if waiting == 0:
            break
        if e.length >= e.trail_room or e.begun + e.length >= e.max_ticks:
            return PAUSED
        if play(exploration, NIL, e.length) == GROW:
            return GROW
        e.length = e.length + 1
        if is_over(d.model, e.work) != 0:
            break
    return met(exploration, e.length)


@inner
def wait_for_new(exploration: int) -> int:
    """Wait until a cell is new. OK, GROW, SPENT, SOLVED, or PAUSED at an end."""
    e = exploration_at(exploration)
    fresh = e.fresh
    for _ in range(region_at(e.region).pause):
        if e.length >= e.trail_room:
            return PAUSED
        if play(exploration, NIL, e.length) == GROW:
            return GROW
        e.length = e.length + 1
        answer = met(exploration, e.length)
        if answer != OK or e.fresh > fresh:
            return answer
    return OK


@inner
def make_contact(exploration: int, contact: int) -> int:
    """Walk within the region, then touch what is beside it, or throw. OK, GROW, SPENT, SOLVED, or PAUSED at an end."""
    if contact == NOTHING:
        return wait_for_new(exploration)
    e = exploration_at(exploration)
    d = decision_at(e.decision)
    r = region_at(e.region)
    spread_region(e.region, e.work, avatar_cell(d.model, e.work, d.player))
    goal = contact >> 3
    length = way_within(e.region, goal)
    if length < 0:
        return PAUSED  # the cell was met again sooner, in a state in which the avatar cannot get there
    for k in range(length - 1, -1, -1):
        answer = step(exploration, load64(r.moves + 8 * load8(r.steps + k)), 0)
        if answer != OK:
            return answer
    if avatar_cell(d.model, e.work, d.player) != goal:
        return met(exploration, e.length)  # something was in the way
    answer = step(exploration, load64(r.moves + 8 * (contact & 3)), 1)
    if answer == OK and contact & 4:
        answer = step(exploration, r.throw, 1)
    if answer != OK:
        return answer
    return settle(exploration)


@inner
def find_contacts(exploration: int, state: int) -> int:
    """Write the contacts of a state to the region's list; returns how many."""
    e = exploration_at(exploration)
    d = decision_at(e.decision)
    place = avatar_cell(d.model, state, d.player)
    if place < 0:
        return 0
    spread_region(e.region, state, place)
    return list_contacts(e.region)


@inner
def try_contacts(exploration: int, block: int) -> int:
    """Make every contact from a remembered state; where they are many, so many that are drawn. OK, GROW, SPENT or
    SOLVED.
    """
    e = exploration_at(exploration)
    r = region_at(e.region)
    count = find_contacts(exploration, e.states + block * e.stride)
    tries = min(count, r.most)
    for k in range(tries):
        if count > tries:
            other = k + next_int(exploration, count - k)
            contact = load32(r.contacts + 4 * other)
            store32(r.contacts + 4 * other, load32(r.contacts + 4 * k))
            store32(r.contacts + 4 * k, contact)
        if go_back(exploration, block) == GROW:
            return GROW
        e.length = 0
        answer = make_contact(exploration, load32(r.contacts + 4 * k))
        if answer != OK and answer != PAUSED:
            return answer
    return OK


@inner
def chain_contacts(exploration: int, block: int) -> int:
    """Make contacts that are drawn, one after the other. OK, GROW, SPENT or SOLVED."""
    e = exploration_at(exploration)
    r = region_at(e.region)
    if go_back(exploration, block) == GROW:
        return GROW
    e.length = 0
    for _ in range(1 + next_int(exploration, _CHAIN)):
        count = find_contacts(exploration, e.work)
        if count == 0:
            break
        answer = make_contact(exploration, load32(r.contacts + 4 * next_int(exploration, count)))
        if answer == PAUSED:
            break
        if answer != OK:
            return answer
    return OK


@inner
def run(exploration: int) -> int:
    """Explore until an answer is found or `pause_at` calls are made."""
    e = exploration_at(exploration)
    while e.calls < e.pause_at:
        if e.blocks_used >= e.crowded_at:
            return CROWDED
        block = choose_block(exploration)
        if block < 0:
            # every cell that was drawn lies too deep; nothing was played, but looking must not go on forever
            e.calls = e.calls + 1
            continue
        cell = load32(e.owner + 4 * block)
        visits = load32(e.visits + 4 * cell)
        store32(e.visits + 4 * cell, visits + 1)
        answer = OK
        if e.region != 0 and visits == 0:
            answer = try_contacts(exploration, block)
        elif e.region != 0 and visits & 1 == 1:
            answer = chain_contacts(exploration, block)
        elif visits == 0:
            answer = try_actions(exploration, block)
        else:
            answer = wander(exploration, block)
        if answer != OK:
            return answer
    return PAUSED


# --- for Python -------------------------------------------------------------------------------------------------------


@entry_point("i8(i8, i8)")
def begin_exploration(exploration: int, state: int) -> int:
    """Forget all cells and remember the state as the first. OK, GROW, or SOLVED when it is won already."""
    e = exploration_at(exploration)
    d = decision_at(e.decision)
    e.used = 0
    lay_table(exploration, FIRST_ENTRIES)
    e.blocks_used = 0
    e.nodes_used = 0
    e.goal = -1
    e.best = -1
    e.source = -1
    e.committed = 0
    e.last = -1
    e.begun = 0
    if is_over(d.model, state) != 0:
        return SOLVED if outcome(d.model, state, d.player) == WON else SPENT
    return remember(exploration, state, 0)


@entry_point("i8(i8)")
def explore(exploration: int) -> int:
    """Go on exploring; see PAUSED and its companions."""
    return run(exploration)


@entry_point("i8(i8, i8, i8)")
def move_archive(exploration: int, source: int, stride: int) -> int:
    """Fetch the remembered states, in the same order, from blocks elsewhere. OK or GROW."""
    e = exploration_at(exploration)
    model = decision_at(e.decision).model
    for block in range(e.blocks_used):
        if copy_state(model, e.states + block * e.stride, source + block * stride) == GROW:
            return GROW
    e.source = -1
    return OK


@entry_point("i8(i8, i8, i8)")
def way_to(exploration: int, node: int, out: int) -> int:
    """Write the actions that lead to a node to int8 out[] (0: only count them); returns their number."""
    e = exploration_at(exploration)
    length = 0
    at = node
    while at >= 0:
        length += 1
        at = load32(e.parent + 4 * at)
    if out != 0:
        at = node
        for k in range(length - 1, -1, -1):
            store8(out + k, load8(e.action + at))
            at = load32(e.parent + 4 * at)
    return length


@entry_point("i8(i8, i8, i8, i8)")
def ticks_to_win(model: int, state: int, actions: int, count: int) -> int:
    """Play int64 actions[count] on a state of one player until the game is over.

    Returns the ticks to a win, negative those of a play that is not won, and 0 where the state must grow (then its
    content is undefined).
    """
    for k in range(count):
        if advance_state(model, state, actions + 8 * k) == GROW:
            return 0
        if is_over(model, state) != 0:
            return k + 1 if outcome(model, state, 0) == WON else -k - 1
    return -count
