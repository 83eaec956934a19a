"""Exploration from remembered states: the loop of Go-Explore over flat arrays.

A *cell* is a class of states that look alike (`cell_key`): the avatar's place, what it holds, how many sprites there
are of the kinds that matter, where those stand that can be put somewhere. An archive keeps one state of every cell met,
with the way that leads there. The loop takes a remembered state, plays on from it, and remembers what is new or was
reached with more points or sooner, until a win is found. Chance is what the state's own generator makes of it: what is
found is a win in that future, and its actions replay it. After Ecoffet, Huizinga, Lehman, Stanley and Clune, First
return, then explore, Nature 590, 2021.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.hashing import mix
from pcg.engine.kernel.protocol import (
    GROW,
    OK,
    WON,
    advance_state,
    atoms,
    avatar_cell,
    copy_state,
    count_types,
    is_over,
    legal_actions,
    map_types,
    outcome,
    score,
    state_key,
)
from pcg.engine.kernel.random import next_int
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
    store_double,
    view_of,
)
from pcg.evaluators.agents.kernel.decision import NIL, decision_at

PAUSED, SOLVED, SPENT, CROWDED = 2, 3, 4, 5
"""Answers of `explore` besides GROW: more calls may be made; a win is found; the archive is full; more blocks can be
had."""

NO_ROOM = -2
"""Node of a way that finds no room in the tree; -1 is the root."""

COARSE, PLACE, FINE, WHOLE = 0, 1, 2, 3
"""Resolutions of the archive's cells, each finer than the one before: the avatar's place; its type and pixel as well;
its facing and cooldown as well; the whole state.
"""

EXPLORATION = np.dtype(
    [
        ("random", "i8"),  # java.util.Random; first, so that the record's address is the stream's
        ("decision", "i8"),  # address of a DECISION record: model, player and what estimates
        # --- what tells cells apart ---
        ("grain", "i8"),  # COARSE, PLACE, FINE, WHOLE
        ("place_facts", "i8"),  # the avatar's facts for one place, one after the other
        ("period", "i8"),  # ticks that a cell lasts, 0: time does not tell cells apart
        ("counted", "i8"),  # int8[types]: 1 for types whose number tells cells apart
        ("types", "i8"),
        ("counts", "i8"),  # int32[types]: scratch
        ("placed", "i8"),  # int8[types]: bits for types whose places tell cells apart; 0: of none
        ("marks", "i8"),  # int8[8 * words]: scratch, where those are
        ("words", "i8"),
        ("facts", "i8"),  # int64[fact_room]: scratch, the first facts of a state
        ("fact_room", "i8"),
        ("first_fact", "i8"),  # facts from here on,
        ("end_fact", "i8"),  # and before this number say what the avatar holds and what is counted
        # --- how to explore ---
        ("haste", "f8"),  # estimated ticks to a win that every tick played takes off
        ("patience", "f8"),  # estimated ticks that a visit costs a cell
        ("led", "i8"),  # of 8 choices of a cell, how many are led by the estimate
        ("hold", "i8"),  # ticks that an action is held at most when it is tried for the first time
        ("reach", "i8"),  # ticks that a play goes on without meeting anything new
        ("max_ticks", "i8"),  # states so many ticks from the root are not explored
        ("calls", "i8"),
        ("pause_at", "i8"),
        # --- the archive ---
        ("room", "i8"),  # cells at most
        ("used", "i8"),
        ("key", "i8"),  # int64[room]
        ("node", "i8"),  # int32[room]: the end of the way that leads there
        ("block", "i8"),  # int32[room]: its state's block, -1: forgotten
        ("visits", "i8"),  # int32[room]
        ("ticks", "i8"),  # int32[room]: from the root
        ("points", "i8"),  # float64[room]
        ("estimate", "i8"),  # float64[room]: ticks to a win
        ("table", "i8"),  # int32[table_size]: open addressing from keys to cell + 1
        ("table_size", "i8"),
        ("states", "i8"),  # address of the blocks
        ("stride", "i8"),
        ("blocks", "i8"),
        ("owner", "i8"),  # int32[blocks]: the cell whose state it holds
        ("blocks_used", "i8"),
        ("crowded_at", "i8"),  # return CROWDED once so many are used
        ("work", "i8"),  # address of a block to play in
        # --- ways: a tree whose nodes are ticks ---
        ("node_room", "i8"),
        ("nodes_used", "i8"),
        ("parent", "i8"),  # int32[node_room]
        ("action", "i8"),  # int8[node_room]
        ("trail", "i8"),  # int8[trail_room]: actions of the play under way
        ("trail_room", "i8"),
        ("committed", "i8"),  # how many of them are nodes
        ("last", "i8"),  # the last of those nodes
        ("begun", "i8"),  # ticks from the root to where the play began
        ("source", "i8"),  # block that it began with
        ("fresh", "i8"),  # cells that the play has met first, or reached better
        ("goal", "i8"),  # node of the win, -1: none yet
        ("best", "i8"),  # cell with the least estimate, of those the one with most points
    ],
    align=True,
)

exploration_at = view_of(EXPLORATION)

_ASKED = 24
"""Cells of which the best is explored next."""
_WORST_OF = 8
"""Blocks of which the least promising is given to a new cell when all are taken."""


# --- cells ------------------------------------------------------------------------------------------------------------


@inner
def cell_key(exploration: int, state: int, ticks: int) -> int:
    """Hash of what tells the state's cell from others."""
    e = exploration_at(exploration)
    d = decision_at(e.decision)
    h = 88172645463
    if e.period > 0:
        h = mix(h, ticks // e.period)
    if e.grain == WHOLE:
        key = state_key(d.model, state)
        return mix(mix(h, key & 0x7FFFFFFF), (key >> 31) & 0x7FFFFFFF)
    facts = 0
    if e.end_fact > e.first_fact or e.grain != COARSE:
        facts = atoms(d.model, state, d.player, e.facts, e.fact_room)
    if e.grain == FINE and facts > 0:
        h = mix(h, load64(e.facts))
    elif e.grain == PLACE and facts > 0 and load64(e.facts) > 0:
        h = mix(h, (load64(e.facts) - 1) // e.place_facts)
    else:
        h = mix(h, avatar_cell(d.model, state, d.player))
    for k in range(1, facts):
        fact = load64(e.facts + 8 * k)
        if e.first_fact <= fact < e.end_fact:
            h = mix(h, fact)
    count_types(d.model, state, e.counts)
    for t in range(e.types):
        if load8(e.counted + t) == 1:
            h = mix(h, load32(e.counts + 4 * t))
    if e.placed != 0:
        for k in range(e.words):
            store64(e.marks + 8 * k, 0)
        map_types(d.model, state, e.placed, e.marks)
        for k in range(e.words):
            word = load64(e.marks + 8 * k)
            if word != 0:
                h = mix(mix(mix(h, k), word & 0x7FFFFFFF), (word >> 31) & 0x7FFFFFFF)
    return h


@inner
def find_cell(exploration: int, key: int) -> int:
    """Index of the key's entry in the table, or of the empty one where it belongs."""
    e = exploration_at(exploration)
    mask = e.table_size - 1
    entry = ((key >> 31) ^ key) & mask
    while True:
        cell = load32(e.table + 4 * entry) - 1
        if cell < 0 or load64(e.key + 8 * cell) == key:
            return entry
        entry = (entry + 1) & mask


@inner
def commit(exploration: int, length: int) -> int:
    """Make nodes of the first `length` actions of the trail; returns the last one, NO_ROOM when there are too many."""
    e = exploration_at(exploration)
    while e.committed < length:
        node = e.nodes_used
        if node == e.node_room:
            return NO_ROOM
        e.nodes_used = node + 1
        store32(e.parent + 4 * node, e.last)
        store8(e.action + node, load8(e.trail + e.committed))
        e.last = node
        e.committed = e.committed + 1
    return e.last


@inner
def cost(exploration: int, cell: int) -> float:
    """Estimated ticks to a win from a cell, and what its visits cost."""
    e = exploration_at(exploration)
    return load_double(e.estimate + 8 * cell) + e.patience * load32(e.visits + 4 * cell)


@inner
def block_for(exploration: int) -> int:
    """A free block; when all are taken, that of the least promising of a few cells, which are drawn."""
    e = exploration_at(exploration)
    if e.blocks_used < e.blocks:
        e.blocks_used = e.blocks_used + 1
        return e.blocks_used - 1
    worst = -1
    most = 0.0
    for _ in range(_WORST_OF):
        block = next_int(exploration, e.blocks)
        if block == e.source:
            continue
        value = cost(exploration, load32(e.owner + 4 * block))
        if worst < 0 or value > most:
            worst = block
            most = value
    if worst < 0:
        worst = (e.source + 1) % e.blocks
    store32(e.block + 4 * load32(e.owner + 4 * worst), -1)
    return worst


@inner
def remember(exploration: int, state: int, length: int) -> int:
    """Enter a state that the trail has led to, if its cell is new or was not reached so well. OK, GROW or SPENT."""
    e = exploration_at(exploration)
    d = decision_at(e.decision)
    ticks = e.begun + length
    key = cell_key(exploration, state, ticks)
    entry = find_cell(exploration, key)
    cell = load32(e.table + 4 * entry) - 1
    points = score(d.model, state, d.player)
    known = 0
    if cell >= 0:
        before = load_double(e.points + 8 * cell)
        if points < before or (points == before and ticks >= load32(e.ticks + 4 * cell)):
            return OK
        if points == before:
            known = 1
        store32(e.visits + 4 * cell, load32(e.visits + 4 * cell) // 2)
    else:
        if e.used == e.room:
            return SPENT
    node = commit(exploration, length)
    if node == NO_ROOM:
        return SPENT
    if cell < 0:
        cell = e.used
        e.used = cell + 1
        store32(e.table + 4 * entry, cell + 1)
        store64(e.key + 8 * cell, key)
        store32(e.block + 4 * cell, -1)
        store32(e.visits + 4 * cell, 0)
    estimate = 0.0 - points
    if known == 1:
        # the same cell, sooner: not judged anew, which takes longer than a tick
        estimate = load_double(e.estimate + 8 * cell) + e.haste * load32(e.ticks + 4 * cell)
    elif d.heuristic != 0:
        estimate = call2_double(d.heuristic, e.decision, state)
    estimate -= e.haste * ticks
    store32(e.node + 4 * cell, node)
    store32(e.ticks + 4 * cell, ticks)
    store_double(e.points + 8 * cell, points)
    store_double(e.estimate + 8 * cell, estimate)
    e.fresh = e.fresh + 1
    best = e.best
    if best < 0 or estimate < load_double(e.estimate + 8 * best):
        e.best = cell
    elif estimate == load_double(e.estimate + 8 * best) and points > load_double(e.points + 8 * best):
        e.best = cell
    block = load32(e.block + 4 * cell)
    if block < 0:
        block = block_for(exploration)
        store32(e.block + 4 * cell, block)
        store32(e.owner + 4 * block, cell)
    return copy_state(d.model, e.states + block * e.stride, state)


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
def play(exploration: int, action: int, length: int) -> int:
    """Play a tick in the work block and note the action as number `length` of the trail. OK or GROW."""
    e = exploration_at(exploration)
    d = decision_at(e.decision)
    e.calls = e.calls + 1
    store8(e.trail + length, action)
    store64(d.joint + 8 * d.player, action)
    return advance_state(d.model, e.work, d.joint)


@inner
def met(exploration: int, length: int) -> int:
    """Look at the state in the work block after a tick. OK, GROW, SPENT, SOLVED, or PAUSED where the game is lost."""
    e = exploration_at(exploration)
    d = decision_at(e.decision)
    if is_over(d.model, e.work) != 0:
        if outcome(d.model, e.work, d.player) != WON:
            return PAUSED
        e.goal = commit(exploration, length)
        return SPENT if e.goal == NO_ROOM else SOLVED
    return remember(exploration, e.work, length)


@inner
def go_back(exploration: int, block: int) -> int:
    """Begin a play from a remembered state. OK or GROW."""
    e = exploration_at(exploration)
    cell = load32(e.owner + 4 * block)
    e.source = block
    e.committed = 0
    e.fresh = 0
    e.last = load32(e.node + 4 * cell)
    e.begun = load32(e.ticks + 4 * cell)
    return copy_state(decision_at(e.decision).model, e.work, e.states + block * e.stride)


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
        if visits == 0:
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
    if e.used > 0:  # else the table is as new
        for k in range(e.table_size // 2):
            store64(e.table + 8 * k, 0)
    e.used = 0
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
