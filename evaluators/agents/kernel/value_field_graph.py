"""Movement graph of a level, learnt by the value-field agent: how its avatar gets about.

The movement graph is learnt from the forward model and assumes nothing about ladders, gravity or digging. A *node* is a
cell of the level, a type of avatar and a facing; an *edge* is what one move was seen to do, with the ticks it took.
`expand` tries every move from a node, and after a USE that changed something in the level every move again, which finds
ways that have to be dug. `value_field_maps` grows distance maps backwards over the edges.

Assumed is only this: positions are read from the state of a VGDL game, a move from the same node does again what it
did last (a door opened since is learnt on passing it), and movement is learnt in copies of the level from which what
moves and harms has been taken out.
"""

from __future__ import annotations

from pcg.engine.kernel.groups import first_of, group_at, next_of, slot_address
from pcg.engine.kernel.layout import AVATAR_AT, ORIENTED, context_at, sprite_at, state_at
from pcg.engine.kernel.protocol import GROW, OK, WON, copy_state, is_over, model_at, outcome
from pcg.engine.kernel.random import next_int
from pcg.engine.kernel.runtime import (
    copy_bytes,
    inner,
    load8,
    load16,
    load32,
    load64,
    load_double,
    store8,
    store16,
    store32,
    store64,
)
from pcg.engine.kernel.store import clear_killed, kill
from pcg.evaluators.agents.kernel.decision import NIL, actions_of, advance_joint, decision_at, own_actions, step
from pcg.evaluators.agents.kernel.value_field_record import (
    CODES,
    IDS,
    MOVES,
    NEW,
    TRIED,
    USE,
    WAITING,
    field_at,
)

# --- reading a state ---


@inner
def avatar_of(decision: int, state: int) -> int:
    """Address of the player's avatar, 0 without one."""
    d = decision_at(decision)
    slot = load32(state + AVATAR_AT + 4 * d.player)
    if slot < 0:
        return 0
    return slot_address(model_at(d.model).game, state, slot)


@inner
def cell_below(field: int, block: int, sprite: int) -> int:
    """The cell under the middle of a sprite; the nearest cell for one outside."""
    f = field_at(field)
    p = sprite_at(sprite)
    column = max(0, min((p.x + p.w // 2) // block, f.columns - 1))
    row = max(0, min((p.y + p.h // 2) // block, f.rows - 1))
    return row * f.columns + column


@inner
def facing(sprite: int) -> int:
    """0 without a facing, else 1 to 4 for up, left, down, right."""
    p = sprite_at(sprite)
    if p.bits & ORIENTED == 0:
        return 0
    if abs(p.ox) > abs(p.oy):
        return 2 if p.ox < 0.0 else 4
    if p.oy == 0.0:
        return 0
    return 1 if p.oy < 0.0 else 3


@inner
def name_of(decision: int, state: int) -> int:
    """Return the node of the avatar (place and kind) in `index`, -1 without an avatar."""
    d = decision_at(decision)
    f = field_at(d.search)
    avatar = avatar_of(decision, state)
    if avatar == 0:
        return -1
    kind = load32(f.kind_of + 4 * sprite_at(avatar).type)
    if kind < 0:
        return -1
    block = context_at(model_at(d.model).game).block
    return (kind * f.cells + cell_below(d.search, block, avatar)) * 5 + facing(avatar)


@inner
def counts(decision: int, state: int) -> int:
    """A hash of how many sprites of each type there are."""
    d = decision_at(decision)
    f = field_at(d.search)
    h = 5381
    for t in range(f.types):
        group = group_at(state, t)
        h = (h * 31 + group.count - group.disabled) % 1152921504606846883
    return h


@inner
def target_of(field: int, sprite_id: int) -> int:
    """Number of the target that a sprite is, -1: none."""
    f = field_at(field)
    k = sprite_id % IDS
    while load64(f.id_table + 8 * k) >= 0:
        if load64(f.id_table + 8 * k) == sprite_id:
            return load64(f.id_target + 8 * k)
        k = (k + 1) % IDS
    return -1


@inner
def targets_left(decision: int, state: int) -> int:
    """Bit set of the targets that are still there."""
    d = decision_at(decision)
    f = field_at(d.search)
    gm = model_at(d.model).game
    left = 0
    for t in range(f.types):
        if load_double(f.worth + 8 * t) > 0.0:
            a = first_of(gm, state, t)
            while a != 0:
                k = target_of(d.search, sprite_at(a).id)
                if k >= 0:
                    left = left | (1 << k)
                a = next_of(gm, state, a)
    return left


# --- moves ---


@inner
def simulate(decision: int, state: int, action: int) -> int:
    """Simulate a tick; rivals that are frozen do nothing and the others draw their actions. OK or GROW."""
    d = decision_at(decision)
    f = field_at(d.search)
    if f.frozen_after == 0:
        return step(decision, state, action)
    for player in range(d.players):
        choice = action
        if player != d.player:
            choice = NIL
            if load64(f.rival_still + 8 * player) < f.frozen_after:
                count = actions_of(decision, state, player)
                choice = load64(d.other + 8 * next_int(decision, count))
        store64(d.joint + 8 * player, choice)
    return advance_joint(decision, state)


@inner
def make_move(decision: int, state: int, action: int) -> int:
    """Simulate an action, again and again until the avatar is elsewhere or the game is over. OK or GROW."""
    d = decision_at(decision)
    f = field_at(d.search)
    before = -1
    if f.hold > 1:
        before = name_of(decision, state)
    f.ticks = 0
    while True:
        if simulate(decision, state, action) == GROW:
            return GROW
        f.ticks = f.ticks + 1
        if f.ticks >= f.hold or is_over(d.model, state) != 0 or name_of(decision, state) != before:
            return OK


@inner
def banish(decision: int, state: int) -> None:
    """Take out of a state what moves and harms."""
    d = decision_at(decision)
    f = field_at(d.search)
    gm = model_at(d.model).game
    for t in range(f.types):
        if load32(f.harmful + 4 * t) != 0:
            a = first_of(gm, state, t)
            while a != 0:
                kill(gm, state, a, 0)
                a = next_of(gm, state, a)
    if state_at(state).kill_entries > 0:
        clear_killed(gm, state)


@inner
def banish_rivals(decision: int, state: int) -> None:
    """Take the other players out of a state, if they are looked at: on the map only those that are frozen stand."""
    d = decision_at(decision)
    f = field_at(d.search)
    gm = model_at(d.model).game
    if f.frozen_after > 0:
        for player in range(d.players):
            slot = load32(state + AVATAR_AT + 4 * player)
            if player != d.player and slot >= 0:
                # as if transformed: an avatar that is merely killed is disabled and stays in the way
                kill(gm, state, slot_address(gm, state, slot), 1)
        if state_at(state).kill_entries > 0:
            clear_killed(gm, state)


# --- the graph ---


@inner
def cell_of_node(field: int, node: int) -> int:
    """The cell of a node."""
    f = field_at(field)
    return (load32(f.name + 4 * node) // 5) % f.cells


@inner
def steps_between(field: int, one: int, other: int) -> int:
    """Cells between two cells, along the axes."""
    f = field_at(field)
    return abs(one % f.columns - other % f.columns) + abs(one // f.columns - other // f.columns)


@inner
def is_leap(field: int, node: int, to: int, ticks: int) -> int:
    """Return 1 for a move that throws the avatar elsewhere, farther than it goes in that time, if that is looked at."""
    f = field_at(field)
    if f.leaps == 0:
        return 0
    return int(steps_between(field, cell_of_node(field, node), cell_of_node(field, to)) > ticks + 1)


@inner
def node_at(field: int, name: int) -> int:
    """The node with this name, made when there is room; -1 otherwise."""
    f = field_at(field)
    if name < 0:
        return -1
    node = load32(f.index + 4 * name)
    if node < 0 and f.used < f.room:
        node = f.used
        f.used = node + 1
        f.changed = 1
        store32(f.index + 4 * name, node)
        store32(f.name + 4 * node, name)
        store8(f.done + node, NEW)
        for k in range(MOVES):
            store32(f.to + 4 * (node * MOVES + k), -1)
        store8(f.passable + cell_of_node(field, node), 1)
    return node


@inner
def note_edge(field: int, node: int, move: int, to: int, ticks: int) -> None:
    """Remember what a move did."""
    f = field_at(field)
    at = node * MOVES + move
    if load32(f.to + 4 * at) != to or load16(f.cost + 2 * at) != ticks:
        store32(f.to + 4 * at, to)
        store16(f.cost + 2 * at, ticks)
        f.changed = 1


@inner
def await_moves(decision: int, node: int, state: int) -> int:
    """Put a node and a state in which the avatar is there at the end of the queue, if there is room. OK or GROW."""
    d = decision_at(decision)
    f = field_at(d.search)
    if f.tail - f.head_before >= f.blocks:  # entries of before this decision must stay as they are
        return OK
    place = f.tail % f.blocks
    if copy_state(d.model, f.states + place * f.stride, state) == GROW:
        return GROW
    banish(decision, f.states + place * f.stride)
    banish_rivals(decision, f.states + place * f.stride)
    store32(f.waiting + 4 * place, node)
    store8(f.done + node, WAITING)
    f.tail = f.tail + 1
    return OK


@inner
def arrive(decision: int, node: int, move: int, ticks: int, state: int) -> int:
    """Note where a move from a node has led, and queue the place if its moves are to be tried. OK or GROW."""
    d = decision_at(decision)
    f = field_at(d.search)
    if is_over(d.model, state) != 0 and outcome(d.model, state, d.player) != WON:
        return OK
    to = node_at(d.search, name_of(decision, state))
    if to < 0:
        return OK
    if node >= 0 and is_leap(d.search, node, to, ticks) == 0:
        note_edge(d.search, node, move, to, ticks)
    if load8(f.done + to) == NEW and is_over(d.model, state) == 0:
        return await_moves(decision, to, state)
    return OK


@inner
def try_after_use(decision: int, node: int, count: int) -> int:
    """From the state in `work`, just after USE: every move that now does something else. OK or GROW."""
    d = decision_at(decision)
    f = field_at(d.search)
    for k in range(count):
        action = load64(d.own + 8 * k)
        if action == USE or action == NIL:
            continue
        if copy_state(d.model, f.spare, d.work) == GROW or make_move(decision, f.spare, action) == GROW:
            return GROW
        name = name_of(decision, f.spare)
        if name >= 0 and is_over(d.model, f.spare) == 0:
            plain = load32(f.to + 4 * (node * MOVES + action))
            if plain < 0 or load32(f.name + 4 * plain) != name:
                if arrive(decision, node, CODES + action, f.ticks + 1, f.spare) == GROW:
                    return GROW
    return OK


@inner
def expand(decision: int) -> int:
    """Try every move from the first node of the queue. OK or GROW."""
    d = decision_at(decision)
    f = field_at(d.search)
    place = f.head % f.blocks
    f.head = f.head + 1
    node = load32(f.waiting + 4 * place)
    store8(f.done + node, TRIED)
    f.changed = 1
    before = f.states + place * f.stride
    if copy_state(d.model, d.work, before) == GROW or make_move(decision, d.work, NIL) == GROW:
        return GROW
    if arrive(decision, node, NIL, f.ticks, d.work) == GROW:
        return GROW
    resting = counts(decision, d.work)
    name = load32(f.name + 4 * node)
    if is_over(d.model, before) != 0:
        return OK
    count = own_actions(decision, before)
    uses = 0
    for k in range(count):
        action = load64(d.own + 8 * k)
        if action == NIL or action >= CODES:
            continue
        if action == USE:
            uses = 1
            continue
        if copy_state(d.model, d.work, before) == GROW or make_move(decision, d.work, action) == GROW:
            return GROW
        ticks = f.ticks
        if is_over(d.model, d.work) == 0 and name_of(decision, d.work) == name and counts(decision, d.work) != resting:
            # something gave way, such as a door: what was in the way is gone the next time
            if make_move(decision, d.work, action) == GROW:
                return GROW
            ticks += f.ticks
        if arrive(decision, node, action, ticks, d.work) == GROW:
            return GROW
    if uses == 1:
        if copy_state(d.model, d.work, before) == GROW or simulate(decision, d.work, USE) == GROW:
            return GROW
        if arrive(decision, node, USE, 1, d.work) == GROW:
            return GROW
        if is_over(d.model, d.work) == 0 and name_of(decision, d.work) == name and counts(decision, d.work) != resting:
            return try_after_use(decision, node, count)
    return OK


@inner
def learn(decision: int, state: int) -> int:
    """Expand nodes until this decision's calls for learning are made or nothing is left to learn. OK or GROW."""
    d = decision_at(decision)
    f = field_at(d.search)
    if f.learnt == 0 and f.tail == f.tail_before:
        here = node_at(d.search, name_of(decision, state))
        if here >= 0 and load8(f.done + here) == NEW and await_moves(decision, here, state) == GROW:
            return GROW
    while f.head < f.tail and f.learnt < f.quota and d.calls < d.budget:
        before = d.calls
        if expand(decision) == GROW:
            return GROW
        f.learnt = f.learnt + d.calls - before
    return OK


@inner
def keep_graph(field: int) -> None:
    """Remember the graph as it is at the start of a decision."""
    f = field_at(field)
    copy_bytes(f.to_before, f.to, 4 * MOVES * f.used)
    copy_bytes(f.cost_before, f.cost, 2 * MOVES * f.used)
    copy_bytes(f.done_before, f.done, f.used)
    f.used_before = f.used
    f.head_before = f.head
    f.tail_before = f.tail


@inner
def try_again(field: int) -> None:
    """Have the moves from all nodes tried again, from how things are now."""
    f = field_at(field)
    for node in range(f.used):
        store8(f.done + node, NEW)
    f.head = f.tail
    f.stale = 0
    f.tried = f.moments


@inner
def restore_graph(field: int) -> None:
    """Undo what a decision that ran out of room has learnt, so that room makes no difference."""
    f = field_at(field)
    for node in range(f.used_before, f.used):
        store32(f.index + 4 * load32(f.name + 4 * node), -1)
        store8(f.passable + cell_of_node(field, node), 0)
    f.used = f.used_before
    for node in range(f.used):
        store8(f.passable + cell_of_node(field, node), 1)
    copy_bytes(f.to, f.to_before, 4 * MOVES * f.used)
    copy_bytes(f.cost, f.cost_before, 2 * MOVES * f.used)
    copy_bytes(f.done, f.done_before, f.used)
    f.head = f.head_before
    f.tail = f.tail_before
    f.changed = 1
