"""One state at a time: changes of inputs travel through the network as events.

Every gate has a counter of its literals that do not hold, and the value that it last told those who read it. A change
of a node adds to or takes from the counters of its readers; a reader whose counter reaches or leaves zero is noted in a
bit set. Gates stand in the order of their depth, so one sweep over the set visits each gate at most once, after all
that it reads; it passes on its value only when that differs from what it last told. What is read off the network (facts
to come, legal moves, goals, the end) is a bit set too, kept up to date by the same events.

Gates that depend on moves are swept only when moves have been made: `made` holds the moves that the network stands at.

With ``PCG_BOUNDSCHECK=1`` every number that is read from an array or handed in, and names a place of another, is held
against that other's length (`held`); a violation is counted in the game's record and breaks the state.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.gdl.kernel.bits import choose_bit, draw, stream
from pcg.engine.kernel.protocol import OK
from pcg.engine.kernel.runtime import (
    CHECKED,
    clear_low,
    copy_bytes,
    count_bits,
    entry_point,
    inlined,
    inner,
    load8,
    load16,
    load32,
    load64,
    low_bit,
    store16,
    store64,
    view_of,
)

RUNNING, ENDED, STUCK = 0, 1, 2
"""Status of a state: going on, terminal, or without a legal move for some role and yet not terminal."""
CUT = 3
"""Status of a playout that has had `MAX_PLIES`."""
BROKEN = 4
"""Status of a state after an index has left its table (only found with bounds checks on)."""
MAX_PLIES = 100_000
"""Joint moves of a playout: a sheet whose game never ends must not hang whoever plays it."""

GAME = np.dtype(
    [
        ("roles", "i8"),
        ("facts", "i8"),
        ("moves", "i8"),
        ("first_gate", "i8"),  # node of the first gate
        ("gates", "i8"),
        ("nodes", "i8"),  # inputs and gates
        # words of the gates that do not depend on moves; the others begin in a word of their own
        ("early_words", "i8"),
        ("gate_words", "i8"),
        ("cyclic", "i8"),  # 1: some gates are on cycles
        ("component", "i8"),  # int32[gates]
        ("loops", "i8"),  # int8[gates]
        ("start", "i8"),  # int64[gates + 1]
        ("literals", "i8"),  # int32[]
        # int32[nodes + 1][4]: where the readers of a node begin that want it true, where those begin that want it
        # false, where they end, and where its outputs begin
        ("fan", "i8"),
        ("readers", "i8"),  # int32[]: gates
        ("outputs", "i8"),  # int32[]: bits of the outputs
        ("literal_count", "i8"),
        ("reader_count", "i8"),
        ("output_count", "i8"),
        ("always", "i8"),  # int64[out_words]: outputs when all nodes are false
        # words of the state's outputs: facts to come, then the legal moves of each role, then the end and the goals
        ("fact_words", "i8"),
        ("out_words", "i8"),
        ("role_word", "i8"),  # int64[roles + 1]: first word of a role's moves
        ("role_move", "i8"),  # int64[roles + 1]: first move of a role
        ("end_word", "i8"),  # bit 0: terminal; bit 1 + k: goal k
        ("goals", "i8"),
        ("goal_role", "i8"),  # int64[goals]
        ("goal_value", "i8"),  # int64[goals]
        # layout of a state
        ("at_made", "i8"),
        ("at_facts", "i8"),
        ("at_outs", "i8"),
        ("at_dirty", "i8"),
        ("at_counts", "i8"),
        ("stride", "i8"),
        ("initial", "i8"),  # address of the initial state
        # what the forward-model protocol needs (kernel.forward_model)
        ("codes", "i8"),  # int32[moves]: action code of each move
        ("move_of", "i8"),  # int32[roles][codes + 1]: move of an action code, -1: none
        ("code_count", "i8"),
        ("mixers", "i8"),  # int64[facts]: random numbers for hashing
        ("violations", "i8"),  # indices that left their table (only counted with bounds checks on)
    ],
    align=True,
)

STATE = np.dtype([("rng", "i8"), ("tick", "i8"), ("status", "i8"), ("unused", "i8")], align=True)
HEAD = STATE.itemsize

game_at = view_of(GAME)
state_at = view_of(STATE)


# --- bounds ---


@inner
def held(gm, index, n):
    """`index` if it names one of n entries, else 0 after noting the violation."""
    if index < 0 or index >= n:
        game_at(gm).violations += 1
        return 0
    return index


@inner
def span_end(gm, begin, end, n):
    """`end` if the entries from `begin` to before `end` are some of n, else `begin` after noting the violation."""
    if begin < 0 or end < begin or end > n:
        game_at(gm).violations += 1
        return begin
    return end


@inner
def words_end(gm, role):
    """The word after those of a role's legal moves."""
    g = game_at(gm)
    end = load64(g.role_word + 8 * role + 8)
    return span_end(gm, load64(g.role_word + 8 * role), end, g.out_words) if CHECKED else end


@inner
def moves_end(gm, role):
    """The move after those of a role."""
    g = game_at(gm)
    end = load64(g.role_move + 8 * role + 8)
    return span_end(gm, load64(g.role_move + 8 * role), end, g.moves) if CHECKED else end


# --- events ---


@inlined
def mark(dirty, gate):
    """Note a gate whose counter reached or left zero."""
    at = dirty + 8 * (gate >> 6)
    store64(at, load64(at) | (1 << (gate & 63)))


@inlined
def spread_change(gm, fan, readers, outputs, counts, dirty, outs, node, value):
    """Tell the readers and the outputs of a node that it has changed. All but the last two are addresses."""
    node = held(gm, node, game_at(gm).nodes) if CHECKED else node
    at = fan + 16 * node
    begin = load32(at)
    middle = load32(at + 4)
    end = load32(at + 8)
    # those that want it true, then those that want it false
    gains = begin if value != 0 else middle
    gains_end = middle if value != 0 else end
    losses = middle if value != 0 else begin
    losses_end = end if value != 0 else middle
    if CHECKED:
        gains_end = span_end(gm, gains, gains_end, game_at(gm).reader_count)
        losses_end = span_end(gm, losses, losses_end, game_at(gm).reader_count)
    for e in range(gains, gains_end):
        gate = load32(readers + 4 * e)
        gate = held(gm, gate, game_at(gm).gates) if CHECKED else gate
        count = load16(counts + 2 * gate) - 2
        store16(counts + 2 * gate, count)
        if count < 2:
            mark(dirty, gate)
    for e in range(losses, losses_end):
        gate = load32(readers + 4 * e)
        gate = held(gm, gate, game_at(gm).gates) if CHECKED else gate
        count = load16(counts + 2 * gate)
        store16(counts + 2 * gate, count + 2)
        if count < 2:
            mark(dirty, gate)
    first = load32(at + 12)
    last = load32(at + 28)
    last = span_end(gm, first, last, game_at(gm).output_count) if CHECKED else last
    for e in range(first, last):
        bit = load32(outputs + 4 * e)
        bit = held(gm, bit, 64 * game_at(gm).out_words) if CHECKED else bit
        word = outs + 8 * (bit >> 6)
        store64(word, load64(word) ^ (1 << (bit & 63)))


@inner
def tell(gm, st, node, value):
    """Tell the readers and the outputs of a node that it has changed."""
    g = game_at(gm)
    spread_change(gm, g.fan, g.readers, g.outputs, st + g.at_counts, st + g.at_dirty, st + g.at_outs, node, value)
    return 0


@inner
def sweep(gm, st, word, end):
    """Let the noted gates of some words tell their readers, from the shallow to the deep."""
    g = game_at(gm)
    counts = st + g.at_counts
    dirty = st + g.at_dirty
    outs = st + g.at_outs
    fan = g.fan
    readers = g.readers
    outputs = g.outputs
    first = g.first_gate
    cyclic = g.cyclic
    component = g.component
    while word < end:
        left = load64(dirty + 8 * word)
        if left == 0:
            word += 1
            continue
        bit = low_bit(left)
        store64(dirty + 8 * word, clear_low(left))
        gate = 64 * word + bit
        gate = held(gm, gate, g.gates) if CHECKED else gate
        if cyclic != 0 and load32(component + 4 * gate) != 0:
            settle_cycle(gm, st, gate)
            continue
        count = load16(counts + 2 * gate)
        value = 1 if count < 2 else 0
        if value != (count & 1):
            store16(counts + 2 * gate, count ^ 1)
            spread_change(gm, fan, readers, outputs, counts, dirty, outs, first + gate, value)
    return 0


# --- cycles ---


@inner
def node_value(gm, st, node):
    """The value that a node last told."""
    g = game_at(gm)
    node = held(gm, node, g.nodes) if CHECKED else node
    if node >= g.first_gate:
        return load16(st + g.at_counts + 2 * (node - g.first_gate)) & 1
    if node == 0:
        return 1
    fact = node - 1
    if fact < g.facts:
        return (load64(st + g.at_facts + 8 * (fact >> 6)) >> (fact & 63)) & 1
    for role in range(g.roles):
        if load64(st + g.at_made + 8 * role) == fact - g.facts:
            return 1
    return 0


@inner
def recount(gm, st, gate):
    """Literals of a gate that do not hold, by the values last told."""
    g = game_at(gm)
    missing = 0
    gate = held(gm, gate, g.gates) if CHECKED else gate
    begin = load64(g.start + 8 * gate)
    end = load64(g.start + 8 * gate + 8)
    end = span_end(gm, begin, end, g.literal_count) if CHECKED else end
    for e in range(begin, end):
        literal = load32(g.literals + 4 * e)
        if node_value(gm, st, literal >> 1) == (literal & 1):
            missing += 1
    return missing


@inner
def settle_cycle(gm, st, gate):
    """Bring the cycle of a gate to its least fixpoint: all its sentences false, then what follows, and so on."""
    g = game_at(gm)
    counts = st + g.at_counts
    dirty = st + g.at_dirty
    own = load32(g.component + 4 * gate)
    low = gate
    while low > 0 and load32(g.component + 4 * (low - 1)) == own:
        low -= 1
    high = gate + 1
    while high < g.gates and load32(g.component + 4 * high) == own:
        high += 1
    old = dirty + 8 * (g.gate_words + g.fact_words)
    for k in range(low, high):
        bit = 1 << (k & 63)
        at = old + 8 * (k >> 6)
        store64(at, load64(at) & ~bit)
        if load16(counts + 2 * k) & 1:
            store64(at, load64(at) | bit)
        store16(counts + 2 * k, load8(g.loops + k))
    changed = 1
    while changed != 0:
        changed = 0
        for k in range(low, high):
            value = 1 if recount(gm, st, k) == 0 else 0
            if value != (load16(counts + 2 * k) & 1):
                store16(counts + 2 * k, value)
                changed = 1
    for k in range(low, high):
        value = load16(counts + 2 * k) & 1
        if value != (load64(old + 8 * (k >> 6)) >> (k & 63)) & 1:
            # readers outside of the cycle are told; those inside are counted anew below
            tell(gm, st, g.first_gate + k, value)
    for k in range(low, high):
        value = load16(counts + 2 * k) & 1
        store16(counts + 2 * k, 2 * recount(gm, st, k) + value)
        at = dirty + 8 * (k >> 6)
        store64(at, load64(at) & ~(1 << (k & 63)))
    return 0


# --- states ---


@inner
def set_status(gm, st):
    """Work out whether the state goes on."""
    g = game_at(gm)
    s = state_at(st)
    outs = st + g.at_outs
    s.status = RUNNING
    if CHECKED and g.violations > 0:
        s.status = BROKEN
        return 0
    if load64(outs + 8 * g.end_word) & 1:
        s.status = ENDED
        return 0
    for role in range(g.roles):
        some = 0
        for word in range(load64(g.role_word + 8 * role), words_end(gm, role)):
            some = some | load64(outs + 8 * word)
        if some == 0:
            s.status = STUCK
    return 0


@inner
def make_move(gm, st, role, move):
    """Let the network stand at a move of a role instead of its last one."""
    g = game_at(gm)
    move = held(gm, move, g.moves) if CHECKED else move
    at = st + g.at_made + 8 * role
    before = load64(at)
    if before != move:
        first = 1 + g.facts
        store64(at, move)
        if before >= 0:
            tell(gm, st, first + before, 0)
        tell(gm, st, first + move, 1)
    return 0


@inner
def turn(gm, st):
    """Go to the next state, the moves having been made."""
    g = game_at(gm)
    s = state_at(st)
    sweep(gm, st, g.early_words, g.gate_words)
    facts = st + g.at_facts
    outs = st + g.at_outs
    dirty = st + g.at_dirty
    counts = st + g.at_counts
    fan = g.fan
    readers = g.readers
    outputs = g.outputs
    # what the state becomes is read whole before its changes are told: they change what comes after it
    scratch = dirty + 8 * g.gate_words
    for word in range(g.fact_words):
        store64(scratch + 8 * word, load64(facts + 8 * word) ^ load64(outs + 8 * word))
        store64(facts + 8 * word, load64(outs + 8 * word))
    for word in range(g.fact_words):
        left = load64(scratch + 8 * word)
        now = load64(facts + 8 * word)
        while left != 0:
            bit = low_bit(left)
            left = clear_low(left)
            spread_change(gm, fan, readers, outputs, counts, dirty, outs, 1 + 64 * word + bit, (now >> bit) & 1)
    sweep(gm, st, 0, g.early_words)
    s.tick += 1
    set_status(gm, st)
    return 0


@inner
def legal_count(gm, st, role):
    """Return the number of legal moves of a role."""
    g = game_at(gm)
    outs = st + g.at_outs
    count = 0
    for word in range(load64(g.role_word + 8 * role), words_end(gm, role)):
        count += count_bits(load64(outs + 8 * word))
    return count


@inner
def legal_move(gm, st, role, k):
    """The k-th legal move of a role, from 0, as the number of a move of the game."""
    g = game_at(gm)
    outs = st + g.at_outs
    first = load64(g.role_word + 8 * role)
    word = first
    while True:
        word = held(gm, word, g.end_word) if CHECKED else word
        if CHECKED and g.violations > 0:
            return load64(g.role_move + 8 * role)
        bits = load64(outs + 8 * word)
        count = count_bits(bits)
        if k < count:
            return load64(g.role_move + 8 * role) + 64 * (word - first) + choose_bit(bits, k)
        k -= count
        word += 1


@inner
def random_turn(gm, st, rng):
    """Every role makes a legal move, uniformly at random."""
    for role in range(game_at(gm).roles):
        make_move(gm, st, role, legal_move(gm, st, role, draw(rng, legal_count(gm, st, role))))
    return turn(gm, st)


@inner
def goal_of(gm, st, role):
    """The goal value of a role, the highest when there are several; -1 when there is none."""
    g = game_at(gm)
    outs = st + g.at_outs
    best = -1
    for k in range(g.goals):
        if load64(g.goal_role + 8 * k) == role:
            bit = 1 + k
            word = g.end_word + (bit >> 6)
            word = held(gm, word, g.out_words) if CHECKED else word
            if (load64(outs + 8 * word) >> (bit & 63)) & 1:
                best = max(best, load64(g.goal_value + 8 * k))
    return best


@inner
def copy_block(gm, to, source):
    """Make one state equal to another."""
    copy_bytes(to, source, game_at(gm).stride)
    return OK


@entry_point("i8(i8, i8)")
def settle(gm, st):
    """Work out everything from the facts and the moves made, whatever the block held; facts and head are left."""
    g = game_at(gm)
    counts = st + g.at_counts
    for word in range(g.gate_words):
        store64(st + g.at_dirty + 8 * word, 0)
    for word in range(g.out_words):
        store64(st + g.at_outs + 8 * word, load64(g.always + 8 * word))
    gate = 0
    while gate < g.gates:
        if load32(g.component + 4 * gate) == 0:
            missing = recount(gm, st, gate)
            store16(counts + 2 * gate, 2 * missing + (1 if missing == 0 else 0))
            gate += 1
            continue
        end = gate
        while end < g.gates and load32(g.component + 4 * end) == load32(g.component + 4 * gate):
            store16(counts + 2 * end, load8(g.loops + end))
            end += 1
        changed = 1
        while changed != 0:
            changed = 0
            for k in range(gate, end):
                missing = recount(gm, st, k)
                value = 1 if missing == 0 else 0
                if value != (load16(counts + 2 * k) & 1):
                    changed = 1
                store16(counts + 2 * k, 2 * missing + value)
        gate = end
    for node in range(g.first_gate + g.gates):
        if node_value(gm, st, node) != 0:
            begin = load32(g.fan + 16 * node + 12)
            end = load32(g.fan + 16 * node + 28)
            end = span_end(gm, begin, end, g.output_count) if CHECKED else end
            for e in range(begin, end):
                bit = load32(g.outputs + 4 * e)
                bit = held(gm, bit, 64 * g.out_words) if CHECKED else bit
                word = st + g.at_outs + 8 * (bit >> 6)
                store64(word, load64(word) ^ (1 << (bit & 63)))
    set_status(gm, st)
    return OK


@entry_point("i8(i8, i8, i8)")
def advance(gm, st, moves):
    """Make the moves int64[roles], which are legal, in a state that goes on. Returns its status."""
    if state_at(st).status == RUNNING:
        for role in range(game_at(gm).roles):
            make_move(gm, st, role, load64(moves + 8 * role))
        turn(gm, st)
    return state_at(st).status


@entry_point("i8(i8, i8, i8, i8)")
def legal_moves(gm, st, role, out):
    """Write the legal moves of a role (int64, numbers of moves of the game, ascending); returns how many."""
    g = game_at(gm)
    count = 0
    first = load64(g.role_word + 8 * role)
    for word in range(first, words_end(gm, role)):
        left = load64(st + g.at_outs + 8 * word)
        while left != 0:
            bit = low_bit(left)
            left = clear_low(left)
            store64(out + 8 * count, load64(g.role_move + 8 * role) + 64 * (word - first) + bit)
            count += 1
    return count


@entry_point("i8(i8, i8, i8, i8, i8, i8)")
def playouts(gm, st, count, first, seed, results):
    """Play `count` random games from the initial state, each with a random stream of its own.

    Writes to int64 results[count][2 + roles]: plies, status, and the goal values (-1: none). Returns all plies.
    """
    g = game_at(gm)
    total = 0
    for k in range(count):
        copy_block(gm, st, g.initial)
        rng = st
        stream(rng, seed, first + k)
        plies = 0
        while state_at(st).status == RUNNING and plies < MAX_PLIES:
            random_turn(gm, st, rng)
            plies += 1
        out = results + 8 * k * (2 + g.roles)
        store64(out, plies)
        status = state_at(st).status
        store64(out + 8, CUT if status == RUNNING else status)
        for role in range(g.roles):
            store64(out + 16 + 8 * role, goal_of(gm, st, role))
        total += plies
    return total
