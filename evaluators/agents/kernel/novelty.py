"""Novelty of states: which facts, and which pairs of facts, a search has seen.

The facts are those of `protocol.atoms`; engines that do not say any are described by their features instead. A set of
tuples is an open-addressing table whose entries carry the number of the search they belong to, so that forgetting all
costs nothing.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.protocol import atoms, features
from pcg.engine.kernel.runtime import copy_bytes, inner, load32, load64, load_double, store32, store64, view_of

FACTS = np.dtype(
    [
        ("kinds", "i8"),  # pairs of features to describe states by where the engine has no atoms
        ("features", "i8"),  # float64[2 * kinds]: scratch
        ("list", "i8"),  # int64[list_room]: the facts of the state looked at last
        ("list_room", "i8"),
        ("count", "i8"),
        ("parent_list", "i8"),  # int64[list_room + 3]: facts of the state being expanded, -1 around them
        ("parent_count", "i8"),
        ("parent_key", "i8"),  # int64[parent_size]: open addressing over the same facts
        ("parent_mark", "i8"),  # int32[parent_size]
        ("parent_size", "i8"),  # a power of two, at least twice `list_room`
        ("parent_now", "i8"),
        ("key", "i8"),  # int64[size]: tuples seen
        ("mark", "i8"),  # int32[size]: the search that has seen them
        ("size", "i8"),  # a power of two
        ("now", "i8"),  # number of the current search
        ("used", "i8"),  # tuples seen by it
    ],
    align=True,
)

facts_at = view_of(FACTS)

_LEVELS = 4096
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
    f.parent_now = f.parent_now + 1
    f.parent_count = -1


@inner
def see(facts: int, key: int) -> int:
    """Enter a tuple; 1 when it was not there. A full table takes nothing in, and nothing is new to it."""
    f = facts_at(facts)
    entry = place_of(key, f.size)
    while load32(f.mark + 4 * entry) == f.now:
        if load64(f.key + 8 * entry) == key:
            return 0
        entry = (entry + 1) & (f.size - 1)
    if 4 * f.used >= 3 * f.size:
        return 0
    store64(f.key + 8 * entry, key)
    store32(f.mark + 4 * entry, f.now)
    f.used = f.used + 1
    return 1


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
            new = new | see(facts, fact)
            if width == WIDTH_AVATAR:
                if k == 0:
                    for j in range(1, f.count):
                        new = new | see(facts, ((avatar + 1) << 31) | load64(f.list + 8 * j))
                else:
                    new = new | see(facts, ((avatar + 1) << 31) | fact)
            elif width == WIDTH_TWO:
                for j in range(f.count):
                    other = load64(f.list + 8 * j)
                    if other < fact:
                        new = new | see(facts, ((other + 1) << 31) | fact)
                    elif other > fact:
                        new = new | see(facts, ((fact + 1) << 31) | other)
    return new
