"""The archive of an exploration: remembered states of cells, ways to them, and plays that enter more of them.

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
    OK,
    WON,
    advance_state,
    atoms,
    avatar_cell,
    copy_state,
    count_types,
    is_over,
    map_types,
    model_at,
    outcome,
    score,
    state_key,
)
from pcg.engine.kernel.random import next_int
from pcg.engine.kernel.runtime import (
    call2_double,
    call4,
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
from pcg.evaluators.agents.kernel.decision import decision_at
from pcg.evaluators.proving.region_kernel import spread_region

PAUSED, SOLVED, SPENT, CROWDED = 2, 3, 4, 5
"""Answers of `explore` besides GROW: more calls may be made; a win is found; the archive is full; more blocks can be
had."""

FIRST_ENTRIES = 4096
"""Entries of the table at first: clearing all that the cells may need takes longer than most explorations."""

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
        ("mark_settings", "i8"),  # address of a function that marks what else of sprites does so; 0: nothing
        ("settings", "i8"),  # int8[types]: which, for that function
        ("marks", "i8"),  # int8[8 * words]: scratch, where those are
        ("words", "i8"),
        ("facts", "i8"),  # int64[fact_room]: scratch, the first facts of a state
        ("fact_room", "i8"),
        ("region", "i8"),  # address of a REGION record: the avatar's region takes the place of its cell; 0: none
        ("first_fact", "i8"),  # facts from here on,
        ("end_fact", "i8"),  # and before this number say what the avatar holds and what is counted
        # --- how to explore ---
        ("haste", "f8"),  # estimated ticks to a win that every tick played takes off
        ("hasty", "i8"),  # ticks from the root for which it does so,
        ("later", "f8"),  # and how many every further tick takes off
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
        ("table_size", "i8"),  # entries in use, a power of two; there is memory for twice as many as cells
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
        ("length", "i8"),  # actions of a play by contacts so far
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
        place = avatar_cell(d.model, state, d.player)
        if e.region != 0 and place >= 0:
            place = spread_region(e.region, state, place)
        h = mix(h, place)
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
        if e.mark_settings != 0:
            call4(e.mark_settings, model_at(d.model).game, state, e.settings, e.marks)
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
def lay_table(exploration: int, size: int) -> None:
    """Give the table so many entries and enter all cells anew."""
    e = exploration_at(exploration)
    e.table_size = size
    for k in range(size // 2):
        store64(e.table + 8 * k, 0)
    for cell in range(e.used):
        store32(e.table + 4 * find_cell(exploration, load64(e.key + 8 * cell)), cell + 1)


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
def time_drawn(exploration: int, ticks: int) -> float:
    """Estimated ticks to a win that so many ticks from the root take off."""
    e = exploration_at(exploration)
    if ticks <= e.hasty:
        return e.haste * ticks
    return e.haste * e.hasty + e.later * (ticks - e.hasty)


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
        if 2 * e.used > e.table_size:
            lay_table(exploration, 2 * e.table_size)
    estimate = 0.0 - points
    if known == 1:
        # the same cell, sooner: not judged anew, which takes longer than a tick
        estimate = load_double(e.estimate + 8 * cell) + time_drawn(exploration, load32(e.ticks + 4 * cell))
    elif d.heuristic != 0:
        estimate = call2_double(d.heuristic, e.decision, state)
    estimate -= time_drawn(exploration, ticks)
    store32(e.node + 4 * cell, node)
    store32(e.ticks + 4 * cell, ticks)
    store_double(e.points + 8 * cell, points)
    store_double(e.estimate + 8 * cell, estimate)
    e.fresh = e.fresh + 1
    best = e.best
    if (
        best < 0
        or estimate < load_double(e.estimate + 8 * best)
        or (estimate == load_double(e.estimate + 8 * best) and points > load_double(e.points + 8 * best))
    ):
        e.best = cell
    block = load32(e.block + 4 * cell)
    if block < 0:
        block = block_for(exploration)
        store32(e.block + 4 * cell, block)
        store32(e.owner + 4 * block, cell)
    return copy_state(d.model, e.states + block * e.stride, state)


# --- plays ------------------------------------------------------------------------------------------------------------


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
    """Look at the state in the work block after a tick. OK, GROW, SPENT, SOLVED, or PAUSED where the game is lost or
    has lasted too long.
    """
    e = exploration_at(exploration)
    d = decision_at(e.decision)
    if e.begun + length > e.max_ticks:
        return PAUSED
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
