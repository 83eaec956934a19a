"""Tabu search for contents that are pairwise unlike and matched with slots, in compiled code.

A step takes one content into the set and those out that it is alike, which stay outside for some steps. Each content of
the set is matched with a slot that it obeys, as far as there are slots for all of them (augmenting paths: Berge 1957).
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.random import next_int
from pcg.engine.kernel.runtime import (
    copy_bytes,
    entry_point,
    inner,
    load8,
    load32,
    load64,
    store8,
    store32,
    store64,
    view_of,
)

OUTSIDE, UNMATCHED = -2, -1
"""Slots of contents that are not in the set, and of those in it that none is left for."""
IN_THE_WAY = 2
"""Contents that leave, at most, for one that joins."""

SEARCH = np.dtype(
    [
        ("contents", "i8"),
        ("slots", "i8"),
        ("kinds", "i8"),  # of contents: those of one kind obey the same slots
        ("until", "i8"),  # steps to be done
        ("done", "i8"),  # steps
        ("since", "i8"),  # steps when more slots were matched than before, since the set was empty
        ("span", "i8"),  # steps without that after which the search begins again
        ("tenure", "i8"),  # steps that a content stays outside: half to one and a half times as many
        ("random", "i8"),
        ("size", "i8"),  # of the set
        ("matched", "i8"),  # slots
        ("reached", "i8"),  # most slots matched since the set was empty
        ("most", "i8"),  # slots matched in all
        ("alike", "i8"),  # int8[contents * contents]
        ("kind", "i8"),  # int32[contents]
        ("obeys", "i8"),  # int8[kinds * slots]
        ("slot", "i8"),  # int32[contents]: the one it is matched with, UNMATCHED or OUTSIDE
        ("largest", "i8"),  # int32[contents]: the same when most slots were matched
        ("holder", "i8"),  # int32[slots]: the content that each is matched with, or -1
        ("members", "i8"),  # int32[contents]: the set
        ("place", "i8"),  # int32[contents]: where in it each is
        ("tight", "i8"),  # int32[contents]: how many of the set are alike each
        ("sum", "i8"),  # int64[contents]: sum of these; the one where it is one
        ("barred", "i8"),  # int64[contents]: steps until which each stays outside
        ("left", "i8"),  # int64[contents]: step in which it left the set
        ("free", "i8"),  # int8[slots]: whether the set could be matched without this slot
        ("follows", "i8"),  # int32[slots]: the slot that its content would have then
        ("queue", "i8"),  # int32[slots]
        ("serves", "i8"),  # int8[kinds]: whether they obey such a slot
    ],
    align=True,
)

search_at = view_of(SEARCH)


# --- the set ----------------------------------------------------------------------------------------------------------


@inner
def _count(search: int, content: int, change: int) -> None:
    """Count a content among those that are in others' way, or no more."""
    s = search_at(search)
    alike = s.alike + content * s.contents
    for other in range(s.contents):
        joined = change * load8(alike + other)
        store32(s.tight + 4 * other, load32(s.tight + 4 * other) + joined)
        store64(s.sum + 8 * other, load64(s.sum + 8 * other) + joined * content)


@inner
def _join(search: int, content: int, slot: int) -> None:
    """Let a content join the set."""
    s = search_at(search)
    store32(s.slot + 4 * content, slot)
    if slot >= 0:
        store32(s.holder + 4 * slot, content)
        s.matched += 1
    store32(s.members + 4 * s.size, content)
    store32(s.place + 4 * content, s.size)
    s.size += 1
    _count(search, content, 1)


@inner
def _leave(search: int, content: int) -> None:
    """Let a content leave the set."""
    s = search_at(search)
    slot = load32(s.slot + 4 * content)
    if slot >= 0:
        store32(s.holder + 4 * slot, -1)
        s.matched -= 1
    store32(s.slot + 4 * content, OUTSIDE)
    s.size -= 1
    place = load32(s.place + 4 * content)
    last = load32(s.members + 4 * s.size)
    store32(s.members + 4 * place, last)
    store32(s.place + 4 * last, place)
    _count(search, content, -1)


@inner
def _clear(search: int) -> None:
    """Let the set be empty, and nothing be known of what has left it."""
    s = search_at(search)
    for content in range(s.contents):
        store32(s.slot + 4 * content, OUTSIDE)
        store32(s.tight + 4 * content, 0)
        store64(s.sum + 8 * content, 0)
        store64(s.barred + 8 * content, 0)
        store64(s.left + 8 * content, 0)
    for slot in range(s.slots):
        store32(s.holder + 4 * slot, -1)
    s.size = s.matched = s.reached = 0
    s.since = s.done


@inner
def _begin(search: int) -> None:
    """Let the set be those that `largest` has slots for."""
    s = search_at(search)
    _clear(search)
    for content in range(s.contents):
        slot = load32(s.largest + 4 * content)
        if slot >= 0:
            _join(search, content, slot)
    s.most = s.matched


# --- slots ------------------------------------------------------------------------------------------------------------


@inner
def _obeys(search: int, content: int, slot: int) -> bool:
    """Tell whether a content obeys a slot."""
    s = search_at(search)
    found: bool = load8(s.obeys + load32(s.kind + 4 * content) * s.slots + slot) != 0
    return found


@inner
def _find_free(search: int) -> None:
    """Find the slots that no content needs: open ones, and those whose contents could have such a one instead."""
    s = search_at(search)
    found = 0
    for slot in range(s.slots):
        free = 1 if load32(s.holder + 4 * slot) < 0 else 0
        store8(s.free + slot, free)
        if free == 1:
            store32(s.queue + 4 * found, slot)
            found += 1
    looked = 0
    while looked < found:
        slot = load32(s.queue + 4 * looked)
        looked += 1
        for place in range(s.size):
            content = load32(s.members + 4 * place)
            own = load32(s.slot + 4 * content)
            if own >= 0 and load8(s.free + own) == 0 and _obeys(search, content, slot):
                store8(s.free + own, 1)
                store32(s.follows + 4 * own, slot)
                store32(s.queue + 4 * found, own)
                found += 1


@inner
def _free_for(search: int, content: int) -> int:
    """Return the first free slot that a content obeys, or -1."""
    s = search_at(search)
    for slot in range(s.slots):
        if load8(s.free + slot) == 1 and _obeys(search, content, slot):
            return slot
    return -1


@inner
def _match(search: int) -> None:
    """Match as many contents of the set as can be, and find the slots that are free then."""
    s = search_at(search)
    _find_free(search)
    for place in range(s.size):
        content = load32(s.members + 4 * place)
        if load32(s.slot + 4 * content) != UNMATCHED:
            continue
        slot = _free_for(search, content)
        if slot < 0:
            continue
        s.matched += 1
        while content >= 0:
            other = load32(s.holder + 4 * slot)
            store32(s.holder + 4 * slot, content)
            store32(s.slot + 4 * content, slot)
            content = other
            slot = load32(s.follows + 4 * slot)
        _find_free(search)


@inner
def _find_serving(search: int) -> None:
    """Find the kinds of contents that obey a free slot."""
    s = search_at(search)
    for kind in range(s.kinds):
        serves = 0
        for slot in range(s.slots):
            if load8(s.free + slot) == 1 and load8(s.obeys + kind * s.slots + slot) == 1:
                serves = 1
                break
        store8(s.serves + kind, serves)


# --- steps ------------------------------------------------------------------------------------------------------------


@inner
def _gain(search: int, content: int, tight: int) -> int:
    """Slots that are matched more, as far as can be seen at once, if a content takes the place of those in its way."""
    s = search_at(search)
    gain: int = load8(s.serves + load32(s.kind + 4 * content))
    lost: int = 0
    if tight == 1:
        slot = load32(s.slot + 4 * load64(s.sum + 8 * content))
        if slot >= 0:
            lost = 1
            if _obeys(search, content, slot):
                gain = 1
    elif tight > 1:
        for place in range(s.size):
            other = load32(s.members + 4 * place)
            slot = load32(s.slot + 4 * other)
            if load8(s.alike + content * s.contents + other) == 1 and slot >= 0:
                lost += 1
                if _obeys(search, content, slot):
                    gain = 1
    return gain - lost


@inner
def _choose(search: int) -> int:
    """Return the content to join: of the most gain, then fewest in its way, then longest outside; -1 for none."""
    s = search_at(search)
    chosen = -1
    most = least = ties = 0
    for content in range(s.contents):
        tight = load32(s.tight + 4 * content)
        if tight > IN_THE_WAY or load32(s.slot + 4 * content) != OUTSIDE or load64(s.barred + 8 * content) > s.done:
            continue
        worth = (IN_THE_WAY + 1) * _gain(search, content, tight) - tight
        left = load64(s.left + 8 * content)
        if chosen < 0 or worth > most or (worth == most and left < least):
            chosen, most, least, ties = content, worth, left, 1
        elif worth == most and left == least:
            ties += 1
            if next_int(s.random, ties) == 0:
                chosen = content
    return chosen


@inner
def _exchange(search: int, content: int) -> None:
    """Let a content take the place of those in its way."""
    s = search_at(search)
    place = 0
    while place < s.size:
        other = load32(s.members + 4 * place)
        if load8(s.alike + content * s.contents + other) == 0:
            place += 1
            continue
        _leave(search, other)
        store64(s.barred + 8 * other, s.done + s.tenure // 2 + next_int(s.random, s.tenure))
        store64(s.left + 8 * other, s.done)
    _join(search, content, UNMATCHED)


@entry_point("i8(i8)")
def search_on(search: int) -> int:
    """Take steps until so many are done or all slots are matched; returns the most that were."""
    s = search_at(search)
    if s.done == 0:
        _begin(search)
    while s.done < s.until and s.most < s.slots:
        if s.done - s.since > s.span:
            _clear(search)
        _match(search)
        if s.matched > s.reached:
            s.reached = s.matched
            s.since = s.done
        if s.matched > s.most:
            s.most = s.matched
            copy_bytes(s.largest, s.slot, 4 * s.contents)
        _find_serving(search)
        content = _choose(search)
        s.done += 1
        if content >= 0:
            _exchange(search, content)
    most: int = s.most
    return most
