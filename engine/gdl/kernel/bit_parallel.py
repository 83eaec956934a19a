"""Sixty-four states at a time: a word of 64 bits per node, a lane per state.

A pass over the gates in order takes one conjunction of words per literal, for all lanes at once. Each ply is: the gates
that need no moves; the end, goals and legal moves of every lane; a random move for each role of each lane; the other
gates; the facts to come. A lane whose game has ended begins the next one, so all lanes are busy until the last games.
Every playout has a random stream of its own: the results do not depend on lanes, and are those of `single.playouts`.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.gdl.kernel.bits import choose_bit, draw, stream
from pcg.engine.gdl.kernel.single import CUT, ENDED, MAX_PLIES, STUCK, game_at, held, moves_end, span_end
from pcg.engine.kernel.runtime import (
    CHECKED,
    clear_low,
    count_bits,
    entry_point,
    inlined,
    inner,
    load8,
    load32,
    load64,
    low_bit,
    store64,
    view_of,
)

LANES = 64

BATCH = np.dtype(
    [
        ("values", "i8"),  # int64[nodes]: a bit per lane
        ("next_literals", "i8"),  # int32[facts]
        ("legal_literals", "i8"),  # int32[moves]
        ("goal_literals", "i8"),  # int32[goals]
        ("terminal", "i8"),  # literal
        ("first", "i8"),  # int8[facts]: the initial state
        ("legal", "i8"),  # int64[most words of a role][64]: legal moves of one role, by lane once turned
        ("next", "i8"),  # int64[facts]
        ("made", "i8"),  # int64[64 * roles]: nodes set by moves
        ("rng", "i8"),  # int64[64]
        ("number", "i8"),  # int64[64]: playout of a lane, -1: none
        ("plies", "i8"),  # int64[64]
    ],
    align=True,
)

batch_at = view_of(BATCH)


@inlined
def read_word(gm, values, literal):
    """The lanes in which a literal holds."""
    node = literal >> 1
    node = held(gm, node, game_at(gm).nodes) if CHECKED else node
    return load64(values + 8 * node) ^ -(literal & 1)


@inner
def evaluate(gm, values, gate, end):
    """Work out some gates in all lanes, from the inputs up."""
    g = game_at(gm)
    literals = g.literals
    out = values + 8 * g.first_gate
    at = load64(g.start + 8 * gate)
    while gate < end:
        if g.cyclic != 0 and load32(g.component + 4 * gate) != 0:
            gate = evaluate_cycle(gm, values, gate)
            at = load64(g.start + 8 * gate)
            continue
        stop = load64(g.start + 8 * gate + 8)
        stop = span_end(gm, at, stop, g.literal_count) if CHECKED else stop
        word = -1
        while at < stop:
            word = word & read_word(gm, values, load32(literals + 4 * at))
            at += 1
        store64(out + 8 * gate, word)
        gate += 1
    return 0


@inner
def evaluate_cycle(gm, values, gate):
    """The least fixpoint of a cycle in all lanes; returns the first gate after it."""
    g = game_at(gm)
    out = values + 8 * g.first_gate
    own = load32(g.component + 4 * gate)
    end = gate
    while end < g.gates and load32(g.component + 4 * end) == own:
        store64(out + 8 * end, -load8(g.loops + end))
        end += 1
    changed = 1
    while changed != 0:
        changed = 0
        for k in range(gate, end):
            word = -1
            begin = load64(g.start + 8 * k)
            stop = load64(g.start + 8 * k + 8)
            stop = span_end(gm, begin, stop, g.literal_count) if CHECKED else stop
            for e in range(begin, stop):
                word = word & read_word(gm, values, load32(g.literals + 4 * e))
            if word != load64(out + 8 * k):
                store64(out + 8 * k, word)
                changed = 1
    return end


@inner
def swap_corners(block, width, mask):
    """One step of turning a matrix of 64 x 64 bits: swap the off-diagonal corners of its blocks of 2 * width."""
    row = 0
    while row < 64:
        for k in range(row, row + width):
            a = load64(block + 8 * k)
            b = load64(block + 8 * (k + width))
            t = ((a >> width) ^ b) & mask
            store64(block + 8 * (k + width), b ^ t)
            store64(block + 8 * k, a ^ (t << width))
        row += 2 * width
    return 0


@inner
def turn_block(block):
    """Turn a matrix of 64 x 64 bits: what was bit i of word j becomes bit j of word i."""
    swap_corners(block, 32, 0x00000000FFFFFFFF)
    swap_corners(block, 16, 0x0000FFFF0000FFFF)
    swap_corners(block, 8, 0x00FF00FF00FF00FF)
    swap_corners(block, 4, 0x0F0F0F0F0F0F0F0F)
    swap_corners(block, 2, 0x3333333333333333)
    swap_corners(block, 1, 0x5555555555555555)
    return 0


@inner
def gather_legal(gm, batch, role):
    """The legal moves of a role by lane: words [block][lane]; returns the lanes that have one."""
    g = game_at(gm)
    b = batch_at(batch)
    first = load64(g.role_move + 8 * role)
    moves = moves_end(gm, role) - first
    some = 0
    for block in range((moves + 63) >> 6):
        at = b.legal + 512 * block
        found = 0
        for k in range(64):
            word = 0
            if 64 * block + k < moves:
                word = read_word(gm, b.values, load32(b.legal_literals + 4 * (first + 64 * block + k)))
            store64(at + 8 * k, word)
            found = found | word
        some = some | found
        if found != 0:
            turn_block(at)
    return some


@inner
def move_lanes(gm, batch, role, lanes):
    """A random legal move of a role in each of some lanes; sets the move's node."""
    g = game_at(gm)
    b = batch_at(batch)
    first = load64(g.role_move + 8 * role)
    moves = moves_end(gm, role) - first
    blocks = (moves + 63) >> 6
    node = b.values + 8 * (1 + g.facts + first)
    while lanes != 0:
        lane = low_bit(lanes)
        lanes = clear_low(lanes)
        at = b.legal + 8 * lane
        count = 0
        for block in range(blocks):
            count += count_bits(load64(at + 512 * block))
        k = draw(b.rng + 8 * lane, count)
        block = 0
        word = load64(at)
        here = count_bits(word)
        while k >= here and not (CHECKED and g.violations > 0):
            k -= here
            block += 1
            block = held(gm, block, blocks) if CHECKED else block
            word = load64(at + 512 * block)
            here = count_bits(word)
        chosen = 64 * block + choose_bit(word, k)
        chosen = held(gm, chosen, moves) if CHECKED else chosen
        place = node + 8 * chosen
        store64(place, load64(place) | (1 << lane))
        store64(b.made + 8 * (64 * role + lane), place)
    return 0


@inner
def begin_lane(batch, lane, seed, number):
    """Let a lane play a game; number -1: it rests."""
    b = batch_at(batch)
    store64(b.number + 8 * lane, number)
    store64(b.plies + 8 * lane, 0)
    if number >= 0:
        stream(b.rng + 8 * lane, seed, number)
    return 0


@inner
def end_lane(gm, batch, lane, status, results, first):
    """Write the result of a lane's game: plies, status, goal values (the highest of each role)."""
    g = game_at(gm)
    b = batch_at(batch)
    out = results + 8 * (load64(b.number + 8 * lane) - first) * (2 + g.roles)
    store64(out, load64(b.plies + 8 * lane))
    store64(out + 8, status)
    for role in range(g.roles):
        store64(out + 16 + 8 * role, -1)
    for k in range(g.goals):
        if (read_word(gm, b.values, load32(b.goal_literals + 4 * k)) >> lane) & 1:
            role = load64(g.goal_role + 8 * k)
            role = held(gm, role, g.roles) if CHECKED else role
            at = out + 16 + 8 * role
            store64(at, max(load64(at), load64(g.goal_value + 8 * k)))
    return 0


@entry_point("i8(i8, i8, i8, i8, i8, i8)")
def playouts(gm, batch, count, first, seed, results):
    """`single.playouts`, 64 at a time."""
    g = game_at(gm)
    b = batch_at(batch)
    values = b.values
    early = min(64 * g.early_words, g.gates)
    started = min(count, LANES)
    busy = 0
    for lane in range(LANES):
        number = -1
        if lane < started:
            number = first + lane
            busy = busy | (1 << lane)
        begin_lane(batch, lane, seed, number)
    store64(values, -1)
    for fact in range(g.facts):
        store64(values + 8 * (1 + fact), -load8(b.first + fact))
    for move in range(g.moves):
        store64(values + 8 * (1 + g.facts + move), 0)
    total = 0
    cut = 0
    while busy != 0 and not (CHECKED and g.violations > 0):
        evaluate(gm, values, 0, early)
        ended = read_word(gm, values, b.terminal) & busy
        cut = cut & ~ended
        going = busy & ~(ended | cut)
        stuck = 0
        for role in range(g.roles):
            legal = gather_legal(gm, batch, role)
            if g.roles > 1:
                # a role without a move ends the game for all: the moves that others have drawn then count for nothing
                stuck = stuck | (going & ~legal)
            else:
                stuck = going & ~legal
            move_lanes(gm, batch, role, going & legal)
        going = going & ~stuck
        evaluate(gm, values, early, g.gates)
        fresh = ended | stuck | cut
        left = fresh
        while left != 0:
            lane = low_bit(left)
            left = clear_low(left)
            status = STUCK
            if (ended >> lane) & 1:
                status = ENDED
            elif (cut >> lane) & 1:
                status = CUT
            end_lane(gm, batch, lane, status, results, first)
            total += load64(b.plies + 8 * lane)
            number = -1
            if started < count:
                number = first + started
                started += 1
            else:
                busy = busy & ~(1 << lane)
            begin_lane(batch, lane, seed, number)
        cut = 0
        left = going
        while left != 0:
            lane = low_bit(left)
            left = clear_low(left)
            plies = load64(b.plies + 8 * lane) + 1
            store64(b.plies + 8 * lane, plies)
            if plies >= MAX_PLIES:
                cut = cut | (1 << lane)
        for fact in range(g.facts):
            word = read_word(gm, values, load32(b.next_literals + 4 * fact))
            store64(b.next + 8 * fact, (word & ~fresh) | (-load8(b.first + fact) & fresh))
        for fact in range(g.facts):
            store64(values + 8 * (1 + fact), load64(b.next + 8 * fact))
        # only now are the moves taken back: some facts are nothing but a move made
        for role in range(g.roles):
            left = going | stuck
            while left != 0:
                lane = low_bit(left)
                left = clear_low(left)
                at = load64(b.made + 8 * (64 * role + lane))
                if at != 0:
                    store64(at, 0)
                    store64(b.made + 8 * (64 * role + lane), 0)
    return total
