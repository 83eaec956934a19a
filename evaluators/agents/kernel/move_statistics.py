"""Statistics of moves over all simulations: those behind progressive history and N-gram selection.

A move is an action at a place; moves and sequences of up to `longest` of them have a mean value over all simulations
they occurred in. Progressive history adds the mean to the upper confidence bound of rarely visited nodes (Nijssen and
Winands 2011), the N-gram selection technique chooses the moves of rollouts by it (Tak, Winands and Bjornsson 2012).
What earlier decisions learned counts less with each decision (Soemers et al. 2016). The table is a cache: where a
neighbourhood is full, what has not been used for longest goes.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.exponents import power
from pcg.engine.kernel.random import next_double, next_int
from pcg.engine.kernel.runtime import (
    copy_bytes,
    inner,
    load64,
    load_double,
    store64,
    store_double,
    view_of,
)
from pcg.evaluators.agents.kernel.decision import decision_at, noise

MOVE_STATISTICS = np.dtype(
    [
        ("history", "f8"),  # weight W of progressive history; 0: off
        ("ngrams", "i8"),  # 1: rollouts choose their moves by N-grams
        ("epsilon", "f8"),  # chance of a random move in a rollout
        ("least", "f8"),  # occurrences below which a sequence of more than one move is not asked
        ("longest", "i8"),  # longest sequence of moves, N
        ("decay", "f8"),  # what statistics are multiplied by from one decision to the next
        ("table", "i8"),  # HEAD bytes, then entries of ENTRY bytes: key, decision, weight, total
        ("committed", "i8"),  # the table as the last finished decision left it
        ("mask", "i8"),  # number of entries, a power of two, less one
        ("played", "i8"),  # int64[depth]: the moves of the current simulation
        ("length", "i8"),  # number of them
        ("base", "f8"),  # score of the state to decide about: values count from there, so that decisions compare
    ],
    align=True,
)

HEAD = 24
"""Bytes before the entries: number of the decision (int64), least and greatest value it has seen (float64)."""
ENTRY = 32
"""Bytes of an entry."""
NEIGHBOURS = 4
"""Entries in which a key may stand."""

moves_at = view_of(MOVE_STATISTICS)


@inner
def clear_moves(moves: int) -> None:
    """Forget everything."""
    m = moves_at(moves)
    store64(m.table, 0)
    for k in range(m.mask + NEIGHBOURS):
        store64(m.table + HEAD + ENTRY * k, -1)


@inner
def next_decision(moves: int, base: float, again: int) -> None:
    """Begin a decision about a state with the score `base`; `again` when it failed before for want of memory."""
    m = moves_at(moves)
    size = HEAD + ENTRY * (m.mask + NEIGHBOURS)
    if again == 1:
        copy_bytes(m.table, m.committed, size)
    else:
        store64(m.table, load64(m.table) + 1)
        store_double(m.table + 8, 1.0e300)  # one loss seen long ago must not make all the rest look alike
        store_double(m.table + 16, -1.0e300)
        copy_bytes(m.committed, m.table, size)
    m.base = base


@inner
def combine(key: int, value: int) -> int:
    """A 31-bit number for a sequence and one thing more, without overflow."""
    return ((key ^ (value & 0x7FFFFFFF)) * 1103515245 + 12345) % 2147483647


@inner
def find_entry(moves: int, key: int) -> int:
    """Address of the entry of a key, brought up to this decision; 0 when there is none."""
    m = moves_at(moves)
    for k in range(NEIGHBOURS):
        entry = m.table + HEAD + ENTRY * ((key & m.mask) + k)
        if load64(entry) == key:
            age = load64(m.table) - load64(entry + 8)
            if age > 0:
                factor = power(m.decay, 1.0 * age)
                store64(entry + 8, load64(m.table))
                store_double(entry + 16, load_double(entry + 16) * factor)
                store_double(entry + 24, load_double(entry + 24) * factor)
            return entry
    return 0


@inner
def count_entry(moves: int, key: int, value: float) -> None:
    """Count an occurrence with this value."""
    m = moves_at(moves)
    entry = find_entry(moves, key)
    if entry == 0:
        oldest = load64(m.table)
        for k in range(NEIGHBOURS):
            at = m.table + HEAD + ENTRY * ((key & m.mask) + k)
            used = load64(at + 8) if load64(at) >= 0 else -1
            if used < oldest:
                oldest = used
                entry = at
        if entry == 0:  # all of this decision
            return
        store64(entry, key)
        store64(entry + 8, load64(m.table))
        store_double(entry + 16, 0.0)
        store_double(entry + 24, 0.0)
    store_double(entry + 16, load_double(entry + 16) + 1.0)
    store_double(entry + 24, load_double(entry + 24) + value)


@inner
def scaled(moves: int, entry: int) -> float:
    """The mean value of an entry, 0 to 1 between the values this decision has seen."""
    m = moves_at(moves)
    low = load_double(m.table + 8)
    high = load_double(m.table + 16)
    if low >= high:
        return 0.5
    value = (load_double(entry + 24) / load_double(entry + 16) - low) / (high - low)
    return max(0.0, min(1.0, value))  # those of earlier decisions may lie outside


@inner
def remember(moves: int, place: int, action: int) -> None:
    """Note a move of the current simulation."""
    m = moves_at(moves)
    store64(m.played + 8 * m.length, combine(place, action + 1))
    m.length = m.length + 1


@inner
def replace_last(moves: int, place: int, action: int) -> None:
    """Note another move in the place of the last."""
    m = moves_at(moves)
    m.length = m.length - 1
    remember(moves, place, action)


@inner
def reward_moves(moves: int, value: float) -> None:
    """Count the value for every move of the current simulation, and for the sequences that end with it."""
    m = moves_at(moves)
    value = value - m.base
    if value < load_double(m.table + 8):
        store_double(m.table + 8, value)
    if value > load_double(m.table + 16):
        store_double(m.table + 16, value)
    longest = m.longest if m.ngrams == 1 else 1
    for k in range(m.length):
        key = 0
        for back in range(longest):
            if back <= k:
                key = combine(key, load64(m.played + 8 * (k - back)))
                count_entry(moves, key, value)


@inner
def history_bonus(moves: int, place: int, action: int, visits: float, value: float) -> float:
    """Return the bonus of progressive history for a node: less the more it is visited and the better it proved."""
    m = moves_at(moves)
    if m.history == 0.0:
        return 0.0
    entry = find_entry(moves, combine(0, combine(place, action + 1)))
    if entry == 0:
        return 0.0
    return scaled(moves, entry) * m.history / (visits * max(1.0 - value, 0.0) + 1.0)


@inner
def promise(moves: int, move: int) -> float:
    """Mean over the sequences that end with the move; 1 for a move never tried."""
    m = moves_at(moves)
    total = 0.0
    number = 0
    key = 0
    for back in range(m.longest):
        if back <= m.length:
            key = combine(key, move if back == 0 else load64(m.played + 8 * (m.length - back)))
            entry = find_entry(moves, key)
            if entry == 0:
                break  # longer ones have not occurred either
            if back == 0 or load_double(entry + 16) >= m.least:
                total += scaled(moves, entry)
                number += 1
    return total / number if number > 0 else 1.0


@inner
def choose_move(decision: int, moves: int, place: int, count: int) -> int:
    """Index of the own action that a rollout takes at a place."""
    d = decision_at(decision)
    m = moves_at(moves)
    if m.ngrams == 0 or next_double(decision) < m.epsilon:
        return next_int(decision, count)
    best = -1.0e300
    chosen = 0
    for k in range(count):
        action = load64(d.own + 8 * k)
        value = noise(decision, promise(moves, combine(place, action + 1)))
        if value > best:
            best = value
            chosen = k
    return chosen
