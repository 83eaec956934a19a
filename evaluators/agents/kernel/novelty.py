"""Novelty of states: which facts, and which pairs of facts, a search has seen.

The facts are those of `protocol.atoms`; engines that do not say any are described by their features instead. Most facts
of a state are those of its parent, whose tuples have all been entered: where the engine can tell the others apart
(`atoms.facts_since`), only these are looked at. Which of them that the parent has are among them does not matter.

A set of tuples is an open-addressing table whose entries carry the number of the search they belong to, so that
forgetting all costs nothing. It begins as small as the cache of the processor likes it, and grows within its memory.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.protocol import atoms, features, model_at
from pcg.engine.kernel.runtime import (
    call6,
    copy_bytes,
    inlined,
    inner,
    load32,
    load64,
    load_double,
    store32,
    store64,
    view_of,
)

FACTS = np.dtype(
    [
        ("kinds", "i8"),  # pairs of features to describe states by where the engine has no atoms
        ("features", "i8"),  # float64[2 * kinds]: scratch
        ("list", "i8"),  # int64[list_room]: the facts of the state looked at last
        ("list_room", "i8"),
        ("count", "i8"),
        ("since", "i8"),  # address of `atoms.facts_since`, 0: the engine does not tell what is new
        ("beside", "i8"),  # address of `atoms.facts_beside`
        ("news", "i8"),  # int64[list_room]: the avatar's fact, and those that the parent of the state may lack
        ("news_count", "i8"),
        ("parent_list", "i8"),  # int64[list_room + 3]: facts of the state being expanded, -1 around them
        ("parent_count", "i8"),
        ("parent_key", "i8"),  # int64[parent_size]: open addressing over the same facts
        ("parent_mark", "i8"),  # int32[parent_size]
        ("parent_size", "i8"),  # a power of two, at least twice `list_room`
        ("parent_now", "i8"),
        ("table", "i8"),  # int64[size][2]: tuples seen; the search that has seen them, and a value in the low bits
        ("size", "i8"),  # a power of two
        ("most", "i8"),  # tuples that it takes in: three quarters of its size
        ("extent", "i8"),  # entries in use, a power of two: there are few tuples in most searches
        ("entered", "i8"),  # int64[size / 4]: tuples seen, while the table can still grow
        ("now", "i8"),  # number of the current search, or of the part of it since the table has grown
        ("used", "i8"),  # tuples seen by it
        # --- pairs with the avatar's fact (`avatar_pairs`) ---
        (
            "first",
            "i8",
        ),  # int64[room of the tree][2]: facts of the avatar, and the first node with each, -1: none
        ("firsts", "i8"),
        ("implied", "i8"),  # pairs that these nodes stand for, at most
        ("spelt", "i8"),  # 1: no further node shall stand for its pairs
    ],
    align=True,
)

facts_at = view_of(FACTS)

_LEVELS = 4096
_FIRST_EXTENT = 1 << 10
VALUE_BITS = 20
"""Bits of the value that an entry of the table can have."""
_LOW = (1 << 31) - 1
WIDTH_ONE, WIDTH_AVATAR, WIDTH_TWO, WIDTH_ALL = 0, 1, 2, 3
"""Novelty required of a state: a fact; a fact or its pair with the avatar's ("1.5"); a pair; the state itself."""


@inner
def describe(facts: int, model: int, state: int, player: int) -> int:
    """Write the facts of a state to the list; returns the avatar's, 0 when there is none."""
    f = facts_at(facts)
    n = atoms(model, state, player, f.list, f.list_room)
    if n >= 0:
        f.count = n
        return load64(f.list) if n > 0 else 0
    n = features(model, state, player, f.features, 2 * f.kinds)
    n = min(n, f.list_room - 1)
    store64(f.list, 0)
    for k in range(n):
        level = int(load_double(f.features + 8 * k) * 4.0) + 8
        store64(f.list + 8 * (k + 1), 1 + k * _LEVELS + max(0, min(level, _LEVELS - 1)))
    f.count = n + 1
    return 0


@inner
def avatar_of(facts: int, model: int, state: int, player: int) -> int:
    """Return the fact of the avatar of a state alone, 0 when there is none."""
    f = facts_at(facts)
    n = atoms(model, state, player, f.list, 1)
    return load64(f.list) if n > 0 else 0


@inner
def place_of(key: int, size: int) -> int:
    """Return the slot at which the search for a key begins."""
    return (((key & _LOW) * 1103515245 + (key >> 31) * 668265263) >> 22) & (size - 1)


@inner
def note_parent(facts: int) -> None:
    """Remember the facts of the list as those of the state being expanded."""
    f = facts_at(facts)
    f.parent_now = f.parent_now + 1
    f.parent_count = f.count
    copy_bytes(f.parent_list + 8, f.list, 8 * f.count)
    store64(f.parent_list, -1)
    store64(f.parent_list + 8 * (f.count + 1), -1)
    store64(f.parent_list + 8 * (f.count + 2), -1)
    for k in range(f.count):
        key = load64(f.list + 8 * k)
        entry = place_of(key, f.parent_size)
        while load32(f.parent_mark + 4 * entry) == f.parent_now and load64(f.parent_key + 8 * entry) != key:
            entry = (entry + 1) & (f.parent_size - 1)
        store64(f.parent_key + 8 * entry, key)
        store32(f.parent_mark + 4 * entry, f.parent_now)


@inner
def parent_has(facts: int, key: int) -> int:
    """1 when the state being expanded has the fact."""
    f = facts_at(facts)
    entry = place_of(key, f.parent_size)
    while load32(f.parent_mark + 4 * entry) == f.parent_now:
        if load64(f.parent_key + 8 * entry) == key:
            return 1
        entry = (entry + 1) & (f.parent_size - 1)
    return 0


@inner
def forget_seen(facts: int) -> None:
    """Begin with an empty set of tuples, and without a parent."""
    f = facts_at(facts)
    f.now = f.now + 1
    f.used = 0
    f.extent = min(_FIRST_EXTENT, f.size)
    f.parent_now = f.parent_now + 1
    f.parent_count = -1
    f.firsts = 0
    f.implied = 0
    f.spelt = 0


@inlined
def find(table: int, extent: int, now: int, key: int) -> int:
    """Address of the entry of a tuple, or of the unused one where it belongs."""
    place = place_of(key, extent)
    entry = table + 16 * place
    while load64(entry + 8) >> VALUE_BITS == now and load64(entry) != key:
        place = (place + 1) & (extent - 1)
        entry = table + 16 * place
    return entry


@inner
def entry_of(facts: int, key: int) -> int:
    """Address of the entry of a tuple, 0 when it was not seen."""
    f = facts_at(facts)
    entry = find(f.table, f.extent, f.now, key)
    return entry if load64(entry + 8) >> VALUE_BITS == f.now else 0


@inner
def spread_out(facts: int) -> None:
    """Enter all tuples again, in a part of the table that is twice as large."""
    f = facts_at(facts)
    f.extent = 2 * f.extent
    f.now = f.now + 1
    for k in range(f.used):
        key = load64(f.entered + 8 * k)
        entry = find(f.table, f.extent, f.now, key)
        store64(entry, key)
        store64(entry + 8, f.now << VALUE_BITS)
    for k in range(f.firsts):
        entry = find(f.table, f.extent, f.now, load64(f.first + 16 * k))
        store64(entry + 8, (f.now << VALUE_BITS) + k + 1)


@inlined
def see(facts: int, key: int) -> int:
    """Enter a tuple; 1 when it was not there. A full table takes nothing in, and nothing is new to it."""
    f = facts_at(facts)
    now = f.now
    extent = f.extent
    entry = find(f.table, extent, now, key)
    if load64(entry + 8) >> VALUE_BITS == now or f.used >= f.most:
        return 0
    store64(entry, key)
    store64(entry + 8, now << VALUE_BITS)
    used = f.used + 1
    f.used = used
    if extent < f.size:
        store64(f.entered + 8 * (used - 1), key)
        if 2 * used >= extent:
            spread_out(facts)
    return 1


@inner
def see_one(facts: int, key: int) -> int:
    """`see`, where it need not be quick."""
    return see(facts, key)


@inner
def see_each(facts: int, start: int, end: int, other: int) -> int:
    """Enter facts that lie between two addresses, each in a tuple with `other`, 0: alone; 1 when any was new."""
    new = 0
    for at in range(start, end, 8):
        new = new | see(facts, other | load64(at))
    return new


@inner
def with_avatar(avatar: int) -> int:
    """Return what makes a fact a pair with the avatar's."""
    return (avatar + 1) << 31


@inner
def see_pairs(facts: int, fact: int) -> int:
    """Enter the pairs of a fact with the others of the list; 1 when any was new."""
    f = facts_at(facts)
    new = 0
    for j in range(f.count):
        other = load64(f.list + 8 * j)
        if other != fact:
            new = new | see(facts, ((min(fact, other) + 1) << 31) | max(fact, other))
    return new


@inner
def see_all(facts: int, width: int) -> int:
    """Enter the tuples of the facts of the list; 1 when any was new.

    A pair of two facts that the parent has was entered with the parent: only facts that the parent lacks are paired.
    """
    f = facts_at(facts)
    new = 0
    avatar = load64(f.list)
    beside = f.parent_list  # before the parent's fact that is expected next: a tick changes, adds and removes few
    end = beside + 8 * (f.parent_count + 1)
    for k in range(f.count):
        fact = load64(f.list + 8 * k)
        if beside < end:
            beside += 8
            if load64(beside) == fact:
                continue
            if load64(beside + 8) == fact:
                beside += 8
                continue
            if load64(beside - 8) == fact:
                beside -= 8
                continue
        if parent_has(facts, fact) == 0:
            new = new | see_one(facts, fact)
            if width == WIDTH_AVATAR:
                if k == 0:
                    new = new | see_each(facts, f.list + 8, f.list + 8 * f.count, with_avatar(avatar))
                else:
                    new = new | see_one(facts, with_avatar(avatar) | fact)
            elif width == WIDTH_TWO:
                new = new | see_pairs(facts, fact)
    return new


@inner
def find_news(facts: int, model: int, before: int, state: int, player: int, later: int) -> int:
    """Write the facts of a state that another, at `before`, may lack; returns the avatar's, -1 if all must be told.

    `later`: 1 when the state is the other after a tick; otherwise it may be any, and there are no facts but those.
    """
    f = facts_at(facts)
    told = f.since if later == 1 else f.beside
    f.news_count = call6(told, model_at(model).game, before, state, player, f.news, f.list_room)
    return load64(f.news) if f.news_count > 0 else -1
