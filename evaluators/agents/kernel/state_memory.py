"""A memory of states and their values: at most so many entries {features, value and mean reward per player, visits}.

Entries are found by the key of their state, and by how alike their features are (the cosine of the angle between
them). A full memory gives the place of the entry that was used longest ago to a new one. Entries of states in which
different players have a choice never meet in a query.

After Xiao, Mei and Mueller, Memory-Augmented Monte Carlo Tree Search, 2018.
"""

from __future__ import annotations

import math

import numpy as np

from pcg.engine.kernel.exponents import exponential
from pcg.engine.kernel.protocol import atoms
from pcg.engine.kernel.runtime import (
    copy_bytes,
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

STATE_MEMORY = np.dtype(
    [
        ("players", "i8"),
        ("room", "i8"),  # most entries
        ("used", "i8"),  # entries there are
        ("oldest", "i8"),  # the entry used longest ago, -1: none
        ("newest", "i8"),  # the entry used last, -1: none
        ("entries", "i8"),  # the entries, one after the other, `stride` bytes each
        ("stride", "i8"),
        ("buckets", "i8"),  # int32[mask + 1]: first entry of each chain of keys, -1: none
        ("mask", "i8"),
        ("rate", "f8"),  # sigma: values move so far towards a new reward; 0: they are means
        # --- queries by likeness; dimension 0: no features are kept ---
        ("dimension", "i8"),
        ("neighbours", "i8"),  # K
        ("sharpness", "f8"),  # tau: the weight of an entry is visits * exp(-distance / tau)
        ("features", "i8"),  # float64[dimension + 1]: of the state at hand, and their length
        ("centre", "i8"),  # float64[dimension]: subtracted from features
        ("facts", "i8"),  # int64[fact_room]: scratch, the facts of the state at hand
        ("fact_room", "i8"),
        ("weights", "i8"),  # float64[weight_count]: weight of each fact, by its number
        ("weight_count", "i8"),
        ("other_weight", "f8"),  # weight of facts that have no number there
        ("near", "i8"),  # int64[neighbours]: scratch, the nearest entries
        ("near_cosine", "i8"),  # float64[neighbours]: their cosines
        ("answer", "i8"),  # float64[players + 1]: values of the last query, and their visits
        # --- what a decision that fails for want of memory goes back to ---
        ("kept", "i8"),  # a copy of entries and buckets as the decision found them; 0: none is made
        ("kept_used", "i8"),
        ("kept_oldest", "i8"),
        ("kept_newest", "i8"),
    ],
    align=True,
)

memory_at = view_of(STATE_MEMORY)

KEY, TURN, LINKS, CHAIN, VISITS, VALUES = 0, 8, 16, 24, 32, 40
"""Byte offsets in an entry: key, bits of who has a choice, int32 older and newer, int32 next in the chain, visits, and
float64 values by player; then the mean rewards by player, the features and their length."""


@inner
def entry_at(memory: int, k: int) -> int:
    """Address of an entry."""
    m = memory_at(memory)
    return m.entries + k * m.stride


@inner
def means_of(memory: int, k: int) -> int:
    """Address of the mean rewards of an entry, float64[players]."""
    return entry_at(memory, k) + VALUES + 8 * memory_at(memory).players


@inner
def features_of(memory: int, k: int) -> int:
    """Address of the features of an entry, float64[dimension + 1] with their length."""
    return entry_at(memory, k) + VALUES + 16 * memory_at(memory).players


@inner
def bucket_of(memory: int, key: int) -> int:
    """Address of the first link of the chain of a key."""
    m = memory_at(memory)
    mixed = (key ^ ((key >> 29) & 0x7FFFFFFFF)) & 0x7FFFFFFF
    return m.buckets + 4 * ((mixed * 0x9E3779B1 >> 16) & m.mask)


@inner
def clear_memory(memory: int) -> None:
    """Forget everything."""
    m = memory_at(memory)
    m.used = 0
    m.oldest = -1
    m.newest = -1
    for k in range(m.mask + 1):
        store32(m.buckets + 4 * k, -1)


@inner
def find_entry(memory: int, key: int) -> int:
    """The entry of the state with that key, -1 for none."""
    k = load32(bucket_of(memory, key))
    while k >= 0 and load64(entry_at(memory, k) + KEY) != key:
        k = load32(entry_at(memory, k) + CHAIN)
    return k


@inner
def unlink(memory: int, k: int) -> None:
    """Take an entry out of the order of use."""
    m = memory_at(memory)
    older = load32(entry_at(memory, k) + LINKS)
    newer = load32(entry_at(memory, k) + LINKS + 4)
    if older >= 0:
        store32(entry_at(memory, older) + LINKS + 4, newer)
    else:
        m.oldest = newer
    if newer >= 0:
        store32(entry_at(memory, newer) + LINKS, older)
    else:
        m.newest = older


@inner
def link_newest(memory: int, k: int) -> None:
    """Put an entry at the end of the order of use."""
    m = memory_at(memory)
    store32(entry_at(memory, k) + LINKS, m.newest)
    store32(entry_at(memory, k) + LINKS + 4, -1)
    if m.newest >= 0:
        store32(entry_at(memory, m.newest) + LINKS + 4, k)
    else:
        m.oldest = k
    m.newest = k


@inner
def use_entry(memory: int, k: int) -> None:
    """Note that an entry is used now."""
    if memory_at(memory).newest != k:
        unlink(memory, k)
        link_newest(memory, k)


@inner
def forget_oldest(memory: int) -> int:
    """Take the entry used longest ago out of its chain and the order; returns its number."""
    k = memory_at(memory).oldest
    link = bucket_of(memory, load64(entry_at(memory, k) + KEY))
    while load32(link) != k:
        link = entry_at(memory, load32(link)) + CHAIN
    store32(link, load32(entry_at(memory, k) + CHAIN))
    unlink(memory, k)
    return k


@inner
def add_entry(memory: int, key: int, turn: int) -> int:
    """An entry for a state that has none, without a visit, with the features at hand; returns its number."""
    m = memory_at(memory)
    k = m.used
    if k < m.room:
        m.used = k + 1
    else:
        k = forget_oldest(memory)
    entry = entry_at(memory, k)
    store64(entry + KEY, key)
    store64(entry + TURN, turn)
    store_double(entry + VISITS, 0.0)
    for player in range(m.players):
        store_double(entry + VALUES + 8 * player, 0.0)
        store_double(means_of(memory, k) + 8 * player, 0.0)
    if m.dimension > 0:
        copy_bytes(features_of(memory, k), m.features, 8 * (m.dimension + 1))
    bucket = bucket_of(memory, key)
    store32(entry + CHAIN, load32(bucket))
    store32(bucket, k)
    link_newest(memory, k)
    return k


@inner
def update_entry(memory: int, key: int, rewards: int) -> None:
    """Let the entry of a state, if there is one, learn the rewards (float64[players]) of a playout through it.

    The first reward is the value; then V <- V + sigma (R - V), or the mean of all when sigma is 0. The mean of all is
    kept besides.
    """
    m = memory_at(memory)
    k = find_entry(memory, key)
    if k < 0:
        return
    entry = entry_at(memory, k)
    visits = load_double(entry + VISITS) + 1.0
    store_double(entry + VISITS, visits)
    rate = m.rate
    if visits == 1.0:
        rate = 1.0
    elif rate == 0.0:
        rate = 1.0 / visits
    for player in range(m.players):
        at = entry + VALUES + 8 * player
        value = load_double(at)
        store_double(at, value + rate * (load_double(rewards + 8 * player) - value))
        at = means_of(memory, k) + 8 * player
        mean = load_double(at)
        store_double(at, mean + (load_double(rewards + 8 * player) - mean) / visits)
    use_entry(memory, k)


# --- features ---------------------------------------------------------------------------------------------------------


@inner
def spread(fact: int, j: int) -> int:
    """31 well-mixed bits of a fact's number and j: xor, shift and multiply, within 63 bits."""
    x = (fact * 0x9E3779B1 + j * 0x85EBCA6B + 0x27D4EB2F) & 0x7FFFFFFF
    x ^= x >> 15
    x = (x * 0x2C1B3C6D) & 0x7FFFFFFF
    x ^= x >> 12
    x = (x * 0x297A2D39) & 0x7FFFFFFF
    return x ^ (x >> 15)


@inner
def describe(model: int, memory: int, state: int) -> None:
    """Write the features of a state: for each true fact plus or minus its weight in every dimension, less the centre.

    The signs are fixed for each fact as if they were drawn at random (a random projection).
    """
    m = memory_at(memory)
    count = max(0, atoms(model, state, 0, m.facts, m.fact_room))
    for j in range(m.dimension):
        store_double(m.features + 8 * j, -load_double(m.centre + 8 * j))
    for i in range(count):
        fact = load64(m.facts + 8 * i)
        weight = m.other_weight
        if fact < m.weight_count:
            weight = load_double(m.weights + 8 * fact)
        if weight != 0.0:
            bits = 0
            for j in range(m.dimension):
                if j % 31 == 0:
                    bits = spread(fact, j // 31)
                at = m.features + 8 * j
                if bits & 1 == 1:
                    store_double(at, load_double(at) + weight)
                else:
                    store_double(at, load_double(at) - weight)
                bits >>= 1
    length = 0.0
    for j in range(m.dimension):
        value = load_double(m.features + 8 * j)
        length += value * value
    store_double(m.features + 8 * m.dimension, math.sqrt(length))


@inner
def cosine(memory: int, features: int) -> float:
    """Cosine of the angle between these features and those at hand; 0 when either is nothing."""
    m = memory_at(memory)
    mine = m.features
    lengths = load_double(features + 8 * m.dimension) * load_double(mine + 8 * m.dimension)
    if lengths <= 0.0:
        return 0.0
    a = 0.0
    b = 0.0
    c = 0.0
    e = 0.0
    for j in range(0, m.dimension, 4):  # four sums, so that additions need not wait for one another
        at = 8 * j
        a += load_double(features + at) * load_double(mine + at)
        b += load_double(features + at + 8) * load_double(mine + at + 8)
        c += load_double(features + at + 16) * load_double(mine + at + 16)
        e += load_double(features + at + 24) * load_double(mine + at + 24)
    return ((a + b) + (c + e)) / lengths


@inner
def query(memory: int, turn: int) -> float:
    """Put the estimate of the K entries most like the given features into `answer`; return their visits, 0 without any.

    Each counts by visits * exp(-(1 - cosine) / tau). Only visited entries of states in which the same players have a
    choice are asked; of equally near ones those added first.
    """
    m = memory_at(memory)
    found = 0
    for k in range(m.used):
        entry = entry_at(memory, k)
        if load64(entry + TURN) == turn and load_double(entry + VISITS) > 0.0:
            near = cosine(memory, features_of(memory, k))
            if found < m.neighbours or near > load_double(m.near_cosine + 8 * (found - 1)):
                place = found
                if found < m.neighbours:
                    found += 1
                else:
                    place = found - 1
                while place > 0 and load_double(m.near_cosine + 8 * (place - 1)) < near:
                    store_double(m.near_cosine + 8 * place, load_double(m.near_cosine + 8 * (place - 1)))
                    store64(m.near + 8 * place, load64(m.near + 8 * (place - 1)))
                    place -= 1
                store_double(m.near_cosine + 8 * place, near)
                store64(m.near + 8 * place, k)
    for player in range(m.players + 1):
        store_double(m.answer + 8 * player, 0.0)
    total = 0.0
    visits = 0.0
    for i in range(found):
        entry = entry_at(memory, load64(m.near + 8 * i))
        count = load_double(entry + VISITS)
        weight = count * exponential((load_double(m.near_cosine + 8 * i) - 1.0) / m.sharpness)
        total += weight
        visits += count
        for player in range(m.players):
            at = m.answer + 8 * player
            store_double(at, load_double(at) + weight * load_double(entry + VALUES + 8 * player))
        use_entry(memory, load64(m.near + 8 * i))
    if total <= 0.0:
        return 0.0
    for player in range(m.players):
        at = m.answer + 8 * player
        store_double(at, load_double(at) / total)
    store_double(m.answer + 8 * m.players, visits)
    return visits


# --- decisions that fail ----------------------------------------------------------------------------------------------


@inner
def keep_memory(memory: int) -> None:
    """Remember the memory as it is."""
    m = memory_at(memory)
    copy_bytes(m.kept, m.entries, m.used * m.stride)
    copy_bytes(m.kept + m.room * m.stride, m.buckets, 4 * (m.mask + 1))
    m.kept_used = m.used
    m.kept_oldest = m.oldest
    m.kept_newest = m.newest


@inner
def restore_memory(memory: int) -> None:
    """Make the memory what it was when it was kept."""
    m = memory_at(memory)
    m.used = m.kept_used
    m.oldest = m.kept_oldest
    m.newest = m.kept_newest
    copy_bytes(m.entries, m.kept, m.used * m.stride)
    copy_bytes(m.buckets, m.kept + m.room * m.stride, 4 * (m.mask + 1))


# --- for Python -------------------------------------------------------------------------------------------------------


@entry_point("i8(i8)")
def forget_all(memory: int) -> int:
    """`clear_memory`, for Python."""
    clear_memory(memory)
    return 0


@entry_point("i8(i8, i8, i8)")
def remember_entry(memory: int, key: int, turn: int) -> int:
    """`add_entry` unless the state has one, for Python; returns its number."""
    k = find_entry(memory, key)
    if k < 0:
        k = add_entry(memory, key, turn)
    return k


@entry_point("i8(i8, i8, i8)")
def learn(memory: int, key: int, rewards: int) -> int:
    """`update_entry`, for Python."""
    update_entry(memory, key, rewards)
    return 0


@entry_point("i8(i8, i8)")
def ask(memory: int, turn: int) -> int:
    """`query`, for Python; returns 1 when there is an answer."""
    return 1 if query(memory, turn) > 0.0 else 0


@entry_point("i8(i8, i8)")
def find(memory: int, key: int) -> int:
    """`find_entry`, for Python."""
    return find_entry(memory, key)


@entry_point("i8(i8, i8, i8)")
def describe_state(model: int, memory: int, state: int) -> int:
    """`describe`, for Python."""
    describe(model, memory, state)
    return 0
