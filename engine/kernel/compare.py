"""Comparing a state with the text of a trace, without making Python objects of either.

What changed between two states is worked out from their memory and read off the text of a trace line, byte by byte. The
answer is "surely the same" or "look closer": anything unusual in the text (blanks, other orders, quoted numbers) is
left to the careful comparison of `pcg.engine.conformance`, which also finds the words for a difference. No tick depends
on this module, and it depends on nothing of the engine but the layout of its memory.
"""

from __future__ import annotations

import math

from pcg.engine.kernel.layout import DISABLED, SPRITE_BYTES, context_at, sprite_at, state_at
from pcg.engine.kernel.runtime import entry_point, inner, load8, load32, load64, store64, store_double

ROOM = 16384
"""Most sprites that one line may list; longer ones are left to the careful comparison."""
LEFT_ROOM = 256
"""Most numbers of one line that may be left for Python to read."""
LEFT_AT = 3 * ROOM
"""Place in the work area (int64 words) of the number of such numbers; (place, length, double) of each follow it."""
WORK_WORDS = LEFT_AT + 1 + 3 * LEFT_ROOM
"""Size of the work area. Before `LEFT_AT` it holds (order, address) of the rows, and then the ids that are gone."""

_GONE_AT = 2 * ROOM
_SAFE_DIGITS = 15
_NOT_HELD = -2147483648
_COMMA, _QUOTE, _COLON, _OPEN, _CLOSE, _BEGIN, _END = 44, 34, 58, 91, 93, 123, 125
_MINUS, _PLUS, _POINT, _ZERO, _NINE, _E, _SMALL_E, _K = 45, 43, 46, 48, 57, 69, 101, 107


# --- the text: each function takes a place and gives the place after what it read; 0 stands for "something else" ---


@inner
def expect(at, byte):
    """One byte."""
    if at == 0 or load8(at) != byte:
        return 0
    return at + 1


@inner
def match_int(at, value):
    """The integer `value`."""
    if at == 0:
        return 0
    negative = 0
    if load8(at) == _MINUS:
        negative = 1
        at += 1
    first = at
    number = 0
    while _ZERO <= load8(at) <= _NINE:
        number = number * 10 + load8(at) - _ZERO
        at += 1
        if at - first > _SAFE_DIGITS:
            return 0
    if at == first or (at - first > 1 and load8(first) == _ZERO):
        return 0
    if negative != 0:
        number = -number
    return at if number == value else 0


@inner
def match_double(at, value, text, work):
    """The double `value`, the sign of zero included.

    Up to 15 digits and a power of ten are doubles, so their quotient is the number that the text stands for. What is
    longer, or written in another way, is noted in the work area for Python to read.
    """
    if at == 0:
        return 0
    start = at
    negative = 0
    if load8(at) == _MINUS:
        negative = 1
        at += 1
    first = at
    point = 0
    number = 0
    digits = 0
    scale = 1.0
    plain = 1
    while True:
        c = load8(at)
        if _ZERO <= c <= _NINE:
            digits += 1
            if digits <= _SAFE_DIGITS:
                number = number * 10 + c - _ZERO
            else:
                plain = 0
            if point != 0:
                scale *= 10.0
        elif c == _POINT and point == 0:
            point = at
        elif c == _E or c == _SMALL_E or c == _PLUS or c == _MINUS or c == _POINT:
            plain = 0
        else:
            break
        at += 1
    if at == start:
        return 0
    if digits == 0 or point == first or point == at - 1:
        plain = 0
    if load8(first) == _ZERO and point != first + 1 and at - first > 1:
        plain = 0
    if point == 0 and number == 0 and negative != 0:
        # the integer -0 has no sign
        plain = 0
    if plain != 0:
        read = number / scale
        if negative != 0:
            read = -read
        same = read == value and math.copysign(1.0, read) == math.copysign(1.0, value)
        return at if same else 0
    left = load64(work + 8 * LEFT_AT)
    if left >= LEFT_ROOM:
        return 0
    note = work + 8 * (LEFT_AT + 1 + 3 * left)
    store64(note, start - text)
    store64(note + 8, at - start)
    store_double(note + 16, value)
    store64(work + 8 * LEFT_AT, left + 1)
    return at


# --- the states ---


@inner
def amount(gm, st, a, column):
    """Return the amount of a resource that a sprite holds; `_NOT_HELD` without an entry."""
    p = sprite_at(a)
    if p.res < 0:
        return _NOT_HELD
    return load32(st + state_at(st).at_res + 4 * (p.res * context_at(gm).n_res + column))


@inner
def same_double(x, y):
    """1 when two doubles are equal, the sign of zero included."""
    return 1 if x == y and math.copysign(1.0, x) == math.copysign(1.0, y) else 0


@inner
def same_sprite(gm, before, a, after, b):
    """1 when no field that traces record differs between sprite `a` of one state and `b` of another."""
    p = sprite_at(a)
    q = sprite_at(b)
    if p.id != q.id or p.x != q.x or p.y != q.y or p.w != q.w or p.h != q.h or p.hp != q.hp:
        return 0
    if (p.bits & DISABLED) != (q.bits & DISABLED):
        return 0
    if same_double(p.ox, q.ox) == 0 or same_double(p.oy, q.oy) == 0 or same_double(p.speed, q.speed) == 0:
        return 0
    if p.res >= 0 or q.res >= 0:
        for column in range(context_at(gm).n_res):
            if amount(gm, before, a, column) != amount(gm, after, b, column):
                return 0
    return 1


@inner
def put_row(work, n, a):
    """Add sprite `a` to the n rows, which are kept by type, then id; -1 when there is no more room."""
    if n < 0 or n >= ROOM:
        return -1
    p = sprite_at(a)
    order = (p.type << 32) | p.id
    k = n
    while k > 0 and load64(work + 16 * (k - 1)) > order:
        store64(work + 16 * k, load64(work + 16 * (k - 1)))
        store64(work + 16 * k + 8, load64(work + 16 * (k - 1) + 8))
        k -= 1
    store64(work + 16 * k, order)
    store64(work + 16 * k + 8, a)
    return n + 1


@inner
def put_gone(work, n, id):
    """Add an id to the n that are gone, which are kept in order; -1 when there is no more room."""
    if n < 0 or n >= ROOM:
        return -1
    base = work + 8 * _GONE_AT
    k = n
    while k > 0 and load64(base + 8 * (k - 1)) > id:
        store64(base + 8 * k, load64(base + 8 * (k - 1)))
        k -= 1
    store64(base + 8 * k, id)
    return n + 1


@inner
def match_sprite(gm, st, a, at, text, work):
    """The tuple of a sprite as traces write it."""
    p = sprite_at(a)
    at = match_int(expect(at, _OPEN), p.id)
    at = match_int(expect(at, _COMMA), p.type)
    at = match_int(expect(at, _COMMA), p.x)
    at = match_int(expect(at, _COMMA), p.y)
    at = match_int(expect(at, _COMMA), p.w)
    at = match_int(expect(at, _COMMA), p.h)
    at = match_double(expect(at, _COMMA), p.ox, text, work)
    at = match_double(expect(at, _COMMA), p.oy, text, work)
    at = match_double(expect(at, _COMMA), p.speed, text, work)
    at = match_int(expect(at, _COMMA), p.hp)
    at = match_int(expect(at, _COMMA), 1 if p.bits & DISABLED else 0)
    at = expect(expect(at, _COMMA), _BEGIN)
    if p.res >= 0:
        g = context_at(gm)
        entries = 0
        for column in range(g.n_res):
            held = amount(gm, st, a, column)
            if held != _NOT_HELD:
                if entries > 0:
                    at = expect(at, _COMMA)
                entries += 1
                at = match_int(expect(at, _QUOTE), load32(g.ints + 4 * (g.res_at + column)))
                at = match_int(expect(expect(at, _QUOTE), _COLON), held)
    return expect(expect(at, _END), _CLOSE)


@inner
def match_rows(gm, st, at, text, work, rows):
    """The tuples of the rows in the work area, with commas between them."""
    for k in range(rows):
        if k > 0:
            at = expect(at, _COMMA)
        at = match_sprite(gm, st, load64(work + 16 * k + 8), at, text, work)
        if at == 0:
            return 0
    return at


@entry_point("i8(i8, i8, i8, i8)")
def match_start(gm, st, text, work):
    """Bytes of `text` that list all sprites of a state; -1 when that is not sure."""
    g = context_at(gm)
    s = state_at(st)
    store64(work + 8 * LEFT_AT, 0)
    rows = 0
    for k in range(g.n_level):
        if k >= g.n_mortal or load8(st + s.at_alive + k) != 0:
            rows = put_row(work, rows, g.level + SPRITE_BYTES * k)
    for slot in range(s.slots):
        a = st + s.at_sprites + g.stride * slot
        if sprite_at(a).id >= 0:
            rows = put_row(work, rows, a)
    if rows < 0:
        return -1
    at = match_rows(gm, st, text, text, work, rows)
    return at - text if at != 0 else -1


@entry_point("i8(i8, i8, i8, i8, i8)")
def match_tick(gm, before, after, text, work):
    """Bytes of `text` that list what one tick changed, as in ``[...],[...]],"k":[3,4``; -1 when that is not sure."""
    g = context_at(gm)
    s = state_at(before)
    t = state_at(after)
    store64(work + 8 * LEFT_AT, 0)
    rows = 0
    gone = 0
    for slot in range(max(s.slots, t.slots)):
        a = before + s.at_sprites + g.stride * slot
        b = after + t.at_sprites + g.stride * slot
        old = sprite_at(a).id if slot < s.slots else -1
        new = sprite_at(b).id if slot < t.slots else -1
        if old >= 0 and old != new:
            gone = put_gone(work, gone, old)
        if new >= 0 and (old != new or same_sprite(gm, before, a, after, b) == 0):
            rows = put_row(work, rows, b)
    for k in range(g.n_mortal):
        if load8(before + s.at_alive + k) != load8(after + t.at_alive + k):
            gone = put_gone(work, gone, sprite_at(g.level + SPRITE_BYTES * k).id)
    if rows < 0 or gone < 0:
        return -1
    at = match_rows(gm, after, text, text, work, rows)
    at = expect(expect(expect(at, _CLOSE), _COMMA), _QUOTE)
    at = expect(expect(expect(expect(at, _K), _QUOTE), _COLON), _OPEN)
    for k in range(gone):
        if k > 0:
            at = expect(at, _COMMA)
        at = match_int(at, load64(work + 8 * (_GONE_AT + k)))
    return at - text if at != 0 else -1
