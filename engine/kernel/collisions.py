"""Hit lists: the second sprites that a first one meets, found by groups and by cells (reference/loop 3.7).

Level sprites are found by cell, and so are moving ones where there are many; pairs that were apart at the last
evaluation and have not moved since are not tested again.
"""

from __future__ import annotations

from pcg.engine.kernel.bounds import outgrow
from pcg.engine.kernel.cells import OVERHANG, cell_at, cell_word, cells_along, near_mask, type_mark
from pcg.engine.kernel.groups import group_at, int_at, is_mortal_alive, slot_address, slot_from, type_at
from pcg.engine.kernel.layout import (
    MEMO_BYTES,
    MEMOS,
    N_GROUND,
    ON_GROUND,
    SPRITE_BYTES,
    T_GROUND,
    T_SOLID,
    context_at,
    memo_view,
    sprite_at,
    state_at,
)
from pcg.engine.kernel.runtime import inlined, inner, load16, load32, load64, store32, store64
from pcg.engine.kernel.store import overlaps

FEW = 8
"""Groups up to this size are searched one by one rather than by cell."""


@inner
def meets(gm, a, b):
    """The overlap test of a rule, with ground detection by the first sprite (reference/physics 9.9)."""
    if overlaps(a, b):
        hit = 1
    else:
        hit = 0
    p = sprite_at(a)
    q = sprite_at(b)
    if type_at(gm, p.type).bits & T_GROUND and p.bits & ON_GROUND == 0 and type_at(gm, q.type).bits & T_SOLID:
        below = (
            p.x < q.x + q.w
            and q.x < p.x + p.w
            and p.y + 3 < q.y + q.h
            and q.y < p.y + 3 + p.h
            and p.w > 0
            and p.h > 0
            and q.w > 0
            and q.h > 0
        )
        if below and q.ly > p.ly + p.h // 2 and p.y > p.ly:
            p.bits = p.bits | ON_GROUND
    return hit


@inlined
def push_hit(gm, st, b):
    """Append to the hit list; 0 when it is full, which asks for a larger block."""
    s = state_at(st)
    n = s.hits
    if n >= s.room:
        outgrow(st)
        return 0
    store64(st + s.at_scratch + 8 * n, b)
    s.hits = n + 1
    return 1


@inner
def level_hits(gm, st, a, t, extra):
    """Append the level sprites of type t that `a` overlaps, in group order.

    `extra` widens the search downwards for ground detection; -1 asks for the plain overlap test.
    """
    g = context_at(gm)
    count = load32(g.level_start + 8 * t + 4)
    p = sprite_at(a)
    if count == 0 or p.w <= 0 or p.h <= 0:
        return
    x1 = p.x + p.w - 1
    y1 = p.y + p.h - 1 + (extra if extra > 0 else 0)
    if x1 < 0 or y1 < 0 or p.x >= g.width or p.y >= g.height:
        return
    c0 = cells_along(gm, max(p.x, 0))
    r0 = cells_along(gm, max(p.y, 0))
    c1 = cells_along(gm, min(x1, g.width - 1))
    r1 = cells_along(gm, min(y1, g.height - 1))
    # giants cover many cells
    state_at(st).work += ((c1 - c0 + 1) * (r1 - r0 + 1)) >> 3
    bit = 1 << (t & 63)
    begin = state_at(st).hits
    for r in range(r0, r1 + 1):
        for c in range(c0, c1 + 1):
            cell = r * g.columns + c
            if load64(g.cell_mask + 8 * cell) & bit == 0:
                continue
            start = load32(g.cell_start + 4 * cell)
            end = load32(g.cell_start + 4 * cell + 4)
            for i in range(start, end):
                k = load32(g.cell_items + 4 * i)
                b = g.level + SPRITE_BYTES * k
                if sprite_at(b).type != t or b == a:
                    continue
                if k < g.n_mortal and is_mortal_alive(st, k) == 0:
                    continue
                if overlaps(a, b) if extra < 0 else meets(gm, a, b) != 0:
                    # cells are visited row by row, but several sprites of a cell, or rows, may be out of order
                    if push_hit(gm, st, b) != 0:
                        insert_by_id(st, begin, b)


@inner
def insert_by_id(st, start, b):
    """Keep the hit list from `start` on in order of creation; the new element is its last."""
    s = state_at(st)
    base = st + s.at_scratch
    j = s.hits - 1
    here = sprite_at(b).id
    while j > start:
        before = load64(base + 8 * (j - 1))
        if sprite_at(before).id < here:
            break
        store64(base + 8 * j, before)
        j -= 1
    store64(base + 8 * j, b)


@inner
def sort_hits(st, start):
    """Put the hit list from `start` on into order of creation: by insertion where it is short, else by a heap.

    Where a game piles up its sprites on one spot, the list is long and its order the reverse.
    """
    base = st + state_at(st).at_scratch + 8 * start
    n = state_at(st).hits - start
    # a list by cell has the last to come first, so this is what most of the long ones need
    for i in range(n // 2):
        a = load64(base + 8 * i)
        store64(base + 8 * i, load64(base + 8 * (n - 1 - i)))
        store64(base + 8 * (n - 1 - i), a)
    if n <= 16:
        for i in range(1, n):
            a = load64(base + 8 * i)
            j = i
            while j > 0 and sprite_at(load64(base + 8 * (j - 1))).id > sprite_at(a).id:
                store64(base + 8 * j, load64(base + 8 * (j - 1)))
                j -= 1
            store64(base + 8 * j, a)
        return
    i = 1
    while i < n and sprite_at(load64(base + 8 * i)).id > sprite_at(load64(base + 8 * i - 8)).id:
        i += 1
    if i == n:
        return
    for i in range(n // 2 - 1, -1, -1):
        sift_down(base, i, n)
    for end in range(n - 1, 0, -1):
        last = load64(base + 8 * end)
        store64(base + 8 * end, load64(base))
        store64(base, last)
        sift_down(base, 0, end)


@inner
def sift_down(base, i, n):
    """Restore the order of a heap of n sprites, the latest created on top, below its i-th entry."""
    a = load64(base + 8 * i)
    here = sprite_at(a).id
    child = 2 * i + 1
    while child < n:
        if child + 1 < n and sprite_at(load64(base + 8 * child + 8)).id > sprite_at(load64(base + 8 * child)).id:
            child += 1
        if sprite_at(load64(base + 8 * child)).id <= here:
            break
        store64(base + 8 * i, load64(base + 8 * child))
        i = child
        child = 2 * i + 1
    store64(base + 8 * i, a)


@inner
def moving_hits(gm, st, a, t, since):
    """Append the moving sprites of type t that `a` overlaps, found by cell, in order of creation.

    Only sprites moved after clock `since` and created before this evaluation count.
    """
    g = context_at(gm)
    p = sprite_at(a)
    if p.w <= 0 or p.h <= 0:
        return
    s = state_at(st)
    sprites = st + s.at_sprites
    start = s.hits
    # a sprite is listed where its corner lies, so look as far back as the largest sprite reaches
    first = cell_at(gm, p.x - g.max_w + 1, p.y - g.max_h + 1)
    own = cell_at(gm, p.x, p.y)
    end = cell_at(gm, p.x + p.w - 1, p.y + p.h - 1)
    c0 = first % g.columns
    c1 = end % g.columns
    own_r = own // g.columns
    own_c = own % g.columns
    looked = (c1 - c0 + 1) * (end // g.columns - first // g.columns + 1)
    mark = type_mark(t)
    for r in range(first // g.columns, end // g.columns + 1):
        for c in range(c0, c1 + 1):
            here = cell_word(st, r * g.columns + c)
            marks = load32(here)
            if marks & mark == 0 or (marks & OVERHANG == 0 and (r < own_r or c < own_c)):
                continue
            slot = load16(here)
            held = 0
            while slot >= 0:
                b = slot_from(st, sprites, g.stride, slot)
                q = sprite_at(b)
                slot = q.cell_next
                held = held | type_mark(q.type)
                looked += 1
                if q.type == t and b != a and q.moved > since and q.id < s.last and overlaps(a, b):
                    push_hit(gm, st, b)
            if held & mark == 0:
                store32(here, marks & ~mark)
                s.grid = 2
    # heaps of sprites, and cells covered by giants
    s.work += looked >> 3
    if s.hits > start + 1:
        sort_hits(st, start)


@inner
def collect_hits(gm, st, entry, a):
    """Fill the hit list of first sprite `a`.

    Pairs unmoved since the last evaluation are left out, and so are sprites created by this one.
    """
    s = state_at(st)
    s.hits = 0
    since = s.since
    last = s.last
    still = 1 if sprite_at(a).moved <= since else 0
    ground = entry.bits & N_GROUND
    g = context_at(gm)
    base = st + s.at_sprites
    stride = g.stride
    near = 0
    if still == 0:
        near = -1
        if ground == 0:
            near = near_mask(gm, st, a) & entry.second_mask if entry.second_mask != 0 else 0
            if near != 0 and (sprite_at(a).w > g.block or sprite_at(a).h > g.block):
                # a search by one that covers many cells has its price, whatever it finds
                near = -1
    for i in range(entry.second_n):
        u = int_at(gm, entry.second_at + i)
        if near & (1 << (u & 63)) != 0:
            level_hits(gm, st, a, u, 3 if ground else -1)
        group = group_at(st, u)
        if group.head < 0 or (still != 0 and group.stamp <= since):
            continue
        if s.grid != 0 and group.moving > FEW and ground == 0:
            moving_hits(gm, st, a, u, since if still != 0 else -1)
            continue
        slot = group.head
        while slot >= 0:
            b = slot_from(st, base, stride, slot)
            q = sprite_at(b)
            if q.id >= last:
                break
            slot = q.next
            if b != a and (still == 0 or q.moved > since):
                if ground != 0:
                    hit = meets(gm, a, b)
                else:
                    hit = 1 if overlaps(a, b) else 0
                if hit != 0:
                    push_hit(gm, st, b)


@inner
def memo_at(st, k):
    """The k-th record of what first sprites have met, behind the hit list and the list behind that."""
    s = state_at(st)
    return memo_view(st + s.at_scratch + 16 * s.room + MEMO_BYTES * k)


@inner
def forget_hits(st):
    """Empty the records of what first sprites have met."""
    for k in range(MEMOS):
        memo_at(st, k).kind = 0


@inlined
def is_remembered(st, a, kind):
    """1 when a sprite with the rectangle of `a` has been remembered as of this kind; otherwise `a` is from here on."""
    p = sprite_at(a)
    memo = memo_at(st, p.cell % MEMOS)
    if memo.kind == kind and memo.x == p.x and memo.y == p.y and memo.w == p.w and memo.h == p.h:
        return 1
    memo.kind = kind
    memo.x = p.x
    memo.y = p.y
    memo.w = p.w
    memo.h = p.h
    return 0


@inner
def first_hit(gm, st, entry, a):
    """The first hit of first sprite `a`, 0: none. Sprites piled up on one spot meet the same, so it is remembered.

    Only for entries whose executions move none of the sprites that are there; `forget_hits` begins an evaluation.
    """
    s = state_at(st)
    p = sprite_at(a)
    memo = memo_at(st, p.cell % MEMOS)
    if is_remembered(st, a, 2 if p.moved <= s.since else 1) == 0:
        collect_hits(gm, st, entry, a)
        memo.hit = load64(st + s.at_scratch) if s.hits > 0 else 0
    return memo.hit


@inlined
def meets_any(gm, st, entry, a, since):
    """0 when it is quickly seen that first sprite `a` has no hit; most have none."""
    still = sprite_at(a).moved <= since
    if not still and meets_level(gm, st, entry, a) != 0:
        return 1
    return meets_moving(gm, st, entry, a, still)


@inlined
def meets_level(gm, st, entry, a):
    """0 when `a` is far from all level sprites of the second types."""
    mask = entry.second_mask
    if mask == 0:
        return 0
    return 1 if near_mask(gm, st, a) & mask != 0 else 0


@inlined
def meets_moving(gm, st, entry, a, still):
    """0 when `a` overlaps no moving second sprite; `still`: only groups in which one has moved are looked at."""
    p = sprite_at(a)
    g = context_at(gm)
    if p.w <= 0 or p.h <= 0:
        return 0
    x0 = p.x
    y0 = p.y
    x1 = x0 + p.w
    y1 = y0 + p.h
    s = state_at(st)
    base = st + s.at_sprites
    stride = g.stride
    types = g.ints + 4 * entry.second_moving_at
    for i in range(entry.second_moving_n):
        group = group_at(st, load32(types + 4 * i))
        slot = group.head
        if slot < 0 or (still and group.stamp <= s.since):
            continue
        if s.grid != 0 and group.moving > FEW:
            return 1
        while slot >= 0:
            b = slot_from(st, base, stride, slot)
            q = sprite_at(b)
            if q.x < x1 and x0 < q.x + q.w and q.y < y1 and y0 < q.y + q.h and b != a:
                return 1
            slot = q.next
    return 0


@inlined
def meets_one(a, b):
    """`meets_moving` where `b` is the only moving second sprite."""
    p = sprite_at(a)
    q = sprite_at(b)
    x = p.x
    y = p.y
    apart = q.x >= x + p.w or x >= q.x + q.w or q.y >= y + p.h or y >= q.y + q.h or p.w <= 0 or p.h <= 0 or a == b
    return 0 if apart else 1


@inner
def only_moving(gm, st, entry):
    """The moving sprite of the second types where there is but one, otherwise 0."""
    found = -1
    for i in range(entry.second_moving_n):
        group = group_at(st, int_at(gm, entry.second_moving_at + i))
        if group.moving > 0:
            if found >= 0 or group.moving > 1:
                return 0
            found = group.head
    return slot_address(gm, st, found) if found >= 0 else 0


@inner
def list_moved(gm, st, entry):
    """List the second sprites that have moved behind the hit list; returns their number, -1: more than a few."""
    s = state_at(st)
    base = st + s.at_sprites
    stride = context_at(gm).stride
    to = st + s.at_scratch + 8 * s.room
    n = 0
    for i in range(entry.second_moving_n):
        group = group_at(st, int_at(gm, entry.second_moving_at + i))
        if group.stamp <= s.since:
            continue
        # crowds are walked again after every hit
        s.work += group.moving >> 3
        slot = group.head
        while slot >= 0:
            b = slot_from(st, base, stride, slot)
            slot = sprite_at(b).next
            if sprite_at(b).moved > s.since:
                if n == min(FEW, s.room):
                    return -1
                store64(to + 8 * n, b)
                n += 1
    return n


@inlined
def meets_listed(st, a, n):
    """1 when `a` overlaps one of the n sprites behind the hit list."""
    at = st + state_at(st).at_scratch + 8 * state_at(st).room
    for i in range(n):
        b = load64(at + 8 * i)
        if b != a and overlaps(a, b):
            return 1
    return 0
