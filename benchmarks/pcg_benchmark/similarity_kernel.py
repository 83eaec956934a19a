"""Similarity of two texts, as Python's `difflib.SequenceMatcher` counts it, in compiled code.

The PCG Benchmark compares contents by `SequenceMatcher(None, a, b).ratio()`: the longest common stretch is taken (the
first in `a`, then in `b`, among equals), then the longest ones left and right of it, and so on (Ratcliff and Metzener
1988); twice the sum of their lengths over the sum of the texts' lengths is the ratio. Of a second text of 200 symbols
or more, symbols that make up more than a hundredth of it start no stretch, but may lengthen one. Texts are bytes
0..127 here.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.runtime import entry_point, inner, load8, load32, load64, store8, store32, store64, view_of

LONG = 200
"""Length of the second text from which on its frequent symbols start no stretch."""
WORD = 62
"""Places of the second text that are bits of one number."""
WORDS = 4
"""Numbers of a second text that is shorter than `LONG`, at most."""

PAIR = np.dtype(
    [
        ("first", "i8"),  # int8[]: the one text
        ("second", "i8"),  # int8[]
        ("first_length", "i8"),
        ("second_length", "i8"),
        ("counts", "i8"),  # int32[128]: of the second text's symbols, -1 for those that start no stretch
        ("run", "i8"),  # int32[longest + 1]: length of the common stretch that ends at each place of the second text
        ("parts", "i8"),  # int32[4 * (longest + 2)]: parts of both texts still to be compared
        ("places", "i8"),  # int64[128 * WORDS]: bits of the places of a short second text with each symbol; else 0
        ("ends", "i8"),  # int64[WORDS * (longest + 1)]: for each place of the first text, where in the second some end
        ("at_first", "i8"),  # where the longest stretch begins
        ("at_second", "i8"),
        ("size", "i8"),  # and how long it is
    ],
    align=True,
)

pair_at = view_of(PAIR)


@inner
def _count(pair: int) -> None:
    """Find the symbols of the second text that start no stretch."""
    p = pair_at(pair)
    for symbol in range(128):
        store32(p.counts + 4 * symbol, 0)
    if p.second_length < LONG:
        return
    for j in range(p.second_length):
        at = p.counts + 4 * load8(p.second + j)
        store32(at, load32(at) + 1)
    most = p.second_length // 100 + 1
    for symbol in range(128):
        at = p.counts + 4 * symbol
        store32(at, -1 if load32(at) > most else 0)


@inner
def _longest(pair: int, low: int, high: int, left: int, right: int) -> None:
    """The longest common stretch of first[low:high] and second[left:right]."""
    p = pair_at(pair)
    p.at_first = low
    p.at_second = left
    p.size = 0
    for j in range(left, right):
        store32(p.run + 4 * j, 0)
    for i in range(low, high):
        symbol = load8(p.first + i)
        starts = load32(p.counts + 4 * symbol) == 0
        best = 0
        place = left
        for back in range(right - left):  # backwards, so that the place before still tells about the symbol before
            j = right - 1 - back
            if starts and load8(p.second + j) == symbol:
                size = 1
                if j > left:
                    size = load32(p.run + 4 * (j - 1)) + 1
                store32(p.run + 4 * j, size)
                if size >= best:
                    best = size
                    place = j
            else:
                store32(p.run + 4 * j, 0)
        if best > p.size:
            p.size = best
            p.at_first = i - best + 1
            p.at_second = place - best + 1
    while (
        p.at_first > low and p.at_second > left and load8(p.first + p.at_first - 1) == load8(p.second + p.at_second - 1)
    ):
        p.at_first -= 1
        p.at_second -= 1
        p.size += 1
    while (
        p.at_first + p.size < high
        and p.at_second + p.size < right
        and load8(p.first + p.at_first + p.size) == load8(p.second + p.at_second + p.size)
    ):
        p.size += 1


@inner
def _longest_of_short(pair: int, low: int, high: int, left: int, right: int) -> None:
    """The same of a second text of fewer than `LONG` symbols: stretches of one symbol, of two, and so on, all at once.

    Bits of `ends` tell where in the second text a stretch ends that ends at a place of the first.
    """
    p = pair_at(pair)
    p.at_first = low
    p.at_second = left
    p.size = 0
    start = left // WORD
    stop = (right - 1) // WORD + 1
    for i in range(low, high):
        row = p.ends + 8 * WORDS * i
        places = p.places + 8 * WORDS * load8(p.first + i)
        for w in range(start, stop):
            store64(row + 8 * w, load64(places + 8 * w))
        store64(row + 8 * start, load64(row + 8 * start) & -(1 << (left - WORD * start)))
        store64(row + 8 * (stop - 1), load64(row + 8 * (stop - 1)) & ((1 << (right - WORD * (stop - 1))) - 1))
    first = low
    while True:
        found = -1
        at = 0
        for i in range(first, high):
            for w in range(start, stop):
                if load64(p.ends + 8 * (WORDS * i + w)) != 0:
                    found = i
                    at = w
                    break
            if found >= 0:
                break
        if found < 0:
            return
        p.size += 1
        bits = load64(p.ends + 8 * (WORDS * found + at))
        place = WORD * at
        while bits & 1 == 0:
            bits >>= 1
            place += 1
        p.at_first = found - p.size + 1
        p.at_second = place - p.size + 1
        for back in range(high - found - 1):  # a stretch goes on where one ended a symbol before in both
            row = p.ends + 8 * WORDS * (high - 1 - back)
            carry = 0
            for w in range(start, stop):
                before = load64(row - 8 * WORDS + 8 * w)
                store64(row + 8 * w, load64(row + 8 * w) & ((before << 1) | carry))
                carry = before >> (WORD - 1)
        first = found + 1  # the earliest ends at `found`, so none that is longer ends before the next place


@inner
def _push(pair: int, depth: int, low: int, high: int, left: int, right: int) -> int:
    """Remember parts to compare, if there is anything in both; returns how many are remembered."""
    if low >= high or left >= right:
        return depth
    at = pair_at(pair).parts + 16 * depth
    store32(at, low)
    store32(at + 4, high)
    store32(at + 8, left)
    store32(at + 12, right)
    return depth + 1


@inner
def _rest(pair: int, depth: int) -> int:
    """Symbols that a remembered part can have in common at most."""
    at = pair_at(pair).parts + 16 * depth
    return min(load32(at + 4) - load32(at), load32(at + 12) - load32(at + 8))


@inner
def common(pair: int, enough: int) -> int:
    """Symbols in common stretches; with `enough` from 0 on, any number that tells as well whether they are enough."""
    p = pair_at(pair)
    short = p.second_length < LONG
    if short:
        for j in range(p.second_length):
            at = p.places + 8 * (WORDS * load8(p.second + j) + j // WORD)
            store64(at, load64(at) | (1 << (j % WORD)))
    else:
        _count(pair)
    total = 0
    depth = _push(pair, 0, 0, p.first_length, 0, p.second_length)
    most = 0
    if depth > 0:
        most = _rest(pair, 0)
    while depth > 0 and (enough < 0 or total < enough <= most):
        depth -= 1
        most -= _rest(pair, depth)
        at = p.parts + 16 * depth
        low, high = load32(at), load32(at + 4)
        left, right = load32(at + 8), load32(at + 12)
        if short:
            _longest_of_short(pair, low, high, left, right)
        else:
            _longest(pair, low, high, left, right)
        if p.size > 0:
            total += p.size
            most += p.size
            before = depth
            depth = _push(pair, depth, low, p.at_first, left, p.at_second)
            depth = _push(pair, depth, p.at_first + p.size, high, p.at_second + p.size, right)
            for part in range(before, depth):
                most += _rest(pair, part)
    if short:
        for j in range(p.second_length):
            store64(p.places + 8 * (WORDS * load8(p.second + j) + j // WORD), 0)
    return total


@entry_point("i8(i8)")
def compare(pair: int) -> int:
    """Symbols in common stretches of the two texts of a `PAIR`."""
    return common(pair, -1)


PLAN_TABLE = np.dtype(
    [
        ("pair", "i8"),  # PAIR
        ("texts", "i8"),  # int8[places * stride]
        ("stride", "i8"),
        ("lengths", "i8"),  # int32[places]: -1 for an empty place
        ("places", "i8"),
        ("counts", "i8"),  # int32[places * SYMBOLS]: how often each symbol is in each of the texts
        ("own", "i8"),  # int32[SYMBOLS]: and in the text that is compared
        ("some", "i8"),  # int32[places]: places that `meet_some` looks at
        ("some_count", "i8"),
        ("full", "f8"),  # 1 - ratio from which on two texts count as different
        ("alike", "i8"),  # int8[places]: whether the last text was too like each of them
    ],
    align=True,
)

plan_table_at = view_of(PLAN_TABLE)

SYMBOLS = 8
"""Different symbols in the texts of a table, 0 to 7."""


@inner
def _tally(plans: int, text: int, length: int) -> None:
    """Count the symbols of the text that is compared."""
    c = plan_table_at(plans)
    for symbol in range(SYMBOLS):
        store32(c.own + 4 * symbol, 0)
    for k in range(length):
        at = c.own + 4 * load8(text + k)
        store32(at, load32(at) + 1)


@inner
def _shared(plans: int, place: int) -> int:
    """Symbols that two texts have both, wherever they stand: no fewer than those in common stretches."""
    c = plan_table_at(plans)
    total = 0
    for symbol in range(SYMBOLS):
        total += min(load32(c.own + 4 * symbol), load32(c.counts + 4 * (place * SYMBOLS + symbol)))
    return total


@inner
def _is_alike(plans: int, first: int, first_length: int, second: int, second_length: int, enough: int) -> int:
    """Return True when two texts have enough symbols in common stretches."""
    c = plan_table_at(plans)
    p = pair_at(c.pair)
    p.first = first
    p.first_length = first_length
    p.second = second
    p.second_length = second_length
    return 1 if common(c.pair, enough) >= enough else 0


@inner
def _alike(plans: int, place: int, text: int, length: int) -> int:
    """Return True when a text is too like the one in a place, in either order."""
    c = plan_table_at(plans)
    theirs = c.texts + place * c.stride
    their_length = load32(c.lengths + 4 * place)
    total = length + their_length
    if total == 0:
        return 1 if c.full > 0.0 else 0
    enough = int(0.5 * (1.0 - c.full) * total)  # symbols in common of texts that are too alike, at least
    while enough > 0 and 1.0 - 2.0 * (enough - 1) / total < c.full:
        enough -= 1
    while 1.0 - 2.0 * enough / total >= c.full:
        enough += 1
    if min(length, their_length) < enough or _shared(plans, place) < enough:
        return 0
    if _is_alike(plans, text, length, theirs, their_length, enough):
        return 1
    return _is_alike(plans, theirs, their_length, text, length, enough)


@entry_point("i8(i8, i8, i8)")
def meet(plans: int, text: int, length: int) -> int:
    """Compare a text with each of a table; returns how many it is too like."""
    c = plan_table_at(plans)
    for place in range(c.places):
        store8(c.alike + place, 0)
    _tally(plans, text, length)
    total = 0
    for place in range(c.places):
        if load32(c.lengths + 4 * place) >= 0 and _alike(plans, place, text, length):
            store8(c.alike + place, 1)
            total += 1
    return total


@entry_point("i8(i8, i8, i8)")
def meet_some(plans: int, text: int, length: int) -> int:
    """Compare a text with those in some places of a table; the other places' answers stay as they are."""
    c = plan_table_at(plans)
    _tally(plans, text, length)
    total = 0
    for k in range(c.some_count):
        place = load32(c.some + 4 * k)
        alike = _alike(plans, place, text, length)
        store8(c.alike + place, alike)
        total += alike
    return total
