"""The pair phase: which sprites meet, and the effects of it (spec 01 sections 3.6 and 3.7).

This is where time goes. Four things make it fast without changing a result: level sprites are found by cell; so are
moving sprites where there are many; pairs that did not overlap at the last evaluation and have not moved since are not
tested again; and candidates for the first sprite are collected from the few second sprites that can touch them.
"""

from __future__ import annotations

from pcg.engine.kernel.bounds import MAX_WORK, outgrow
from pcg.engine.kernel.effects import (
    execute,
    record_event,
    settle,
)
from pcg.engine.kernel.effects_motion import bounce_batch
from pcg.engine.kernel.ids import EFFECT_ID
from pcg.engine.kernel.layout import (
    E_BATCH,
    N_GROUND,
    N_SHARED,
    N_SLOW_FIRST,
    ON_GROUND,
    SPRITE_BYTES,
    T_GROUND,
    T_SOLID,
    context_at,
    sprite_at,
    state_at,
)
from pcg.engine.kernel.runtime import inner, load8, load16, load32, load64, store32, store64
from pcg.engine.kernel.store import (
    cell_at,
    cells_along,
    effect_at,
    entry_at,
    first_moving,
    group_at,
    int_at,
    is_killed,
    is_mortal_alive,
    next_moving,
    overlaps,
    slot_address,
    type_at,
)

_WALL_BOUNCE = EFFECT_ID["wallBounce"]
_WALL_REVERSE = EFFECT_ID["wallReverse"]
_FEW = 8
"""Groups up to this size are searched one by one rather than by cell."""


@inner
def meets(gm, a, b):
    """The overlap test of a rule, with ground detection by the first sprite (spec 02 section 4.7)."""
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


@inner
def push_hit(gm, st, n, b):
    """Append to the hit list; a full list needs a larger block."""
    s = state_at(st)
    if n >= s.room:
        outgrow(st)
        return n
    store64(st + s.at_scratch + 8 * n, b)
    return n + 1


@inner
def level_hits(gm, st, a, t, n, extra):
    """Append the level sprites of type t that `a` overlaps, in group order.

    `extra` widens the search downwards for ground detection; -1 asks for the plain overlap test.
    """
    g = context_at(gm)
    count = load32(g.level_start + 8 * t + 4)
    if count == 0:
        return n
    p = sprite_at(a)
    if p.w <= 0 or p.h <= 0:
        return n
    x1 = p.x + p.w - 1
    y1 = p.y + p.h - 1 + (extra if extra > 0 else 0)
    if x1 < 0 or y1 < 0 or p.x >= g.width or p.y >= g.height:
        return n
    c0 = cells_along(gm, max(p.x, 0))
    r0 = cells_along(gm, max(p.y, 0))
    c1 = cells_along(gm, min(x1, g.width - 1))
    r1 = cells_along(gm, min(y1, g.height - 1))
    bit = 1 << (t & 63)
    begin = n
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
                    m = push_hit(gm, st, n, b)
                    if m > n:
                        n = m
                        insert_by_id(st + state_at(st).at_scratch, begin, n, b)
    return n


@inner
def insert_by_id(base, start, n, b):
    """Keep the list from `start` on in order of creation; the new element stands at n - 1."""
    j = n - 1
    here = sprite_at(b).id
    while j > start:
        before = load64(base + 8 * (j - 1))
        if sprite_at(before).id < here:
            break
        store64(base + 8 * j, before)
        j -= 1
    store64(base + 8 * j, b)


@inner
def sort_by_id(base, start, n):
    """Put the entries start .. n - 1 of a list into order of creation: by insertion where they are few, else by a heap.

    Where a game piles up its sprites on one spot, the list is long and its order the reverse.
    """
    if n - start <= 16:
        for i in range(start + 1, n):
            a = load64(base + 8 * i)
            j = i
            while j > start and sprite_at(load64(base + 8 * (j - 1))).id > sprite_at(a).id:
                store64(base + 8 * j, load64(base + 8 * (j - 1)))
                j -= 1
            store64(base + 8 * j, a)
        return
    base += 8 * start
    n -= start
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
def moving_hits(gm, st, a, t, n, since, last):
    """Append the moving sprites of type t that `a` overlaps, found by cell, in order of creation.

    Only sprites moved after clock `since` and created before id `last` count.
    """
    g = context_at(gm)
    p = sprite_at(a)
    if p.w <= 0 or p.h <= 0:
        return n
    heads = st + state_at(st).at_cells
    start = n
    # a sprite is listed where its corner lies, so look as far back as the largest sprite reaches
    first = cell_at(gm, p.x - g.max_w + 1, p.y - g.max_h + 1)
    end = cell_at(gm, p.x + p.w - 1, p.y + p.h - 1)
    c0 = first % g.columns
    c1 = end % g.columns
    for r in range(first // g.columns, end // g.columns + 1):
        for c in range(c0, c1 + 1):
            slot = load16(heads + 2 * (r * g.columns + c))
            while slot >= 0:
                b = slot_address(gm, st, slot)
                q = sprite_at(b)
                slot = q.cell_next
                if q.type == t and b != a and q.moved > since and q.id < last and overlaps(a, b):
                    n = push_hit(gm, st, n, b)
    sort_by_id(st + state_at(st).at_scratch, start, n)
    return n


@inner
def collect_hits(gm, st, entry, a, since, last):
    """Fill the hit list of first sprite `a`; returns its length.

    Pairs unmoved since clock `since` are left out, and so are sprites created by this effect (ids from `last` on).
    """
    n = 0
    at = entry.second_at
    still = 1 if sprite_at(a).moved <= since else 0
    ground = entry.bits & N_GROUND
    extra = 3 if ground else -1
    g = context_at(gm)
    for i in range(entry.second_n):
        u = int_at(gm, at + i)
        if still == 0:
            n = level_hits(gm, st, a, u, n, extra)
        group = group_at(st, u)
        if group.head < 0 or (still != 0 and group.stamp <= since):
            continue
        if g.grid != 0 and group.moving > _FEW and ground == 0:
            n = moving_hits(gm, st, a, u, n, since if still != 0 else -1, last)
            continue
        b = first_moving(gm, st, u)
        while b != 0 and sprite_at(b).id < last:
            if b != a and (still == 0 or sprite_at(b).moved > since):
                if ground != 0:
                    hit = meets(gm, a, b)
                else:
                    hit = 1 if overlaps(a, b) else 0
                if hit != 0:
                    n = push_hit(gm, st, n, b)
            b = next_moving(gm, st, b)
    return n


@inner
def run_first(gm, st, entry, a, since, last):
    """Evaluate one entry for one first sprite; returns the number of hits."""
    if state_at(st).work > MAX_WORK:
        return 0
    n = collect_hits(gm, st, entry, a, since, last)
    if n == 0:
        return 0
    e = entry.effect
    hits = st + state_at(st).at_scratch
    if entry.bits & E_BATCH:
        kind = effect_at(gm, e).kind
        times = 0
        if kind == _WALL_BOUNCE:
            times = bounce_batch(gm, st, a, hits, n, 0)
        elif kind == _WALL_REVERSE:
            times = bounce_batch(gm, st, a, hits, n, 1)
        settle(gm, st, e, times)
        for i in range(n):
            record_event(gm, st, a, load64(hits + 8 * i))
        return n
    ground = entry.bits & N_GROUND
    for i in range(n):
        b = load64(hits + 8 * i)
        if is_killed(gm, st, a) != 0 or state_at(st).work > MAX_WORK:
            break
        if ground != 0:
            hit = meets(gm, a, b)
        else:
            hit = 1 if overlaps(a, b) else 0
        if hit != 0:
            execute(gm, st, e, a, b)
    return n


@inner
def candidates(gm, st, entry, t, since, level):
    """Collect the first sprites of type t that some second sprite overlaps now, in group order, behind the hit list.

    `level` selects level sprites (only those that a second sprite moved after `since` touches) or moving ones. Returns
    their number.
    """
    s = state_at(st)
    base = st + s.at_scratch + 8 * s.room
    n = 0
    for i in range(entry.second_moving_n):
        u = int_at(gm, entry.second_moving_at + i)
        group = group_at(st, u)
        if group.head < 0 or (level != 0 and group.stamp <= since):
            continue
        b = first_moving(gm, st, u)
        while b != 0:
            if level == 0:
                found = moving_hits(gm, st, b, t, 0, -1, s.next_id)
            elif sprite_at(b).moved > since:
                found = level_hits(gm, st, b, t, 0, -1)
            else:
                found = 0
            for j in range(found):
                n = add_candidate(st, base, n, load64(st + s.at_scratch + 8 * j))
            b = next_moving(gm, st, b)
    return n


@inner
def add_candidate(st, base, n, a):
    """Insert into a list kept in order of creation, without repetition; returns its length."""
    s = state_at(st)
    here = sprite_at(a).id
    k = 0
    end = n
    while k < end:
        middle = (k + end) // 2
        if sprite_at(load64(base + 8 * middle)).id > here:
            end = middle
        else:
            k = middle + 1
    if k > 0 and load64(base + 8 * (k - 1)) == a:
        return n
    if n >= s.room:
        outgrow(st)
        return n
    m = n
    while m > k:
        store64(base + 8 * m, load64(base + 8 * (m - 1)))
        m -= 1
    store64(base + 8 * k, a)
    return n + 1


@inner
def newest(gm, st, at, n):
    """Latest clock at which a rectangle of one of n types (from pool place `at`) changed; -1 when none has sprites."""
    latest = -1
    for i in range(n):
        group = group_at(st, int_at(gm, at + i))
        if group.head >= 0 and group.stamp > latest:
            latest = group.stamp
    return latest


@inner
def present(gm, st, at, n):
    """1 when one of the n types from pool place `at` has a sprite."""
    for i in range(n):
        if group_at(st, int_at(gm, at + i)).count > 0:
            return 1
    return 0


@inner
def count_moving(gm, st, at, n):
    """How many moving sprites the n types from pool place `at` have."""
    total = 0
    for i in range(n):
        total += group_at(st, int_at(gm, at + i)).moving
    return total


@inner
def run_candidates(gm, st, entry, found, since, last):
    """Evaluate an entry for the collected first sprites; returns the number of hits."""
    s = state_at(st)
    met = 0
    for j in range(found):
        met += run_first(gm, st, entry, load64(st + s.at_scratch + 8 * (s.room + j)), since, last)
    return met


@inner
def run_type(gm, st, entry, t, since, last):
    """Evaluate an entry for all first sprites of exactly type t; returns the number of hits."""
    g = context_at(gm)
    met = 0
    level = load32(g.level_start + 8 * t + 4)
    fast = 1 if entry.bits & N_SLOW_FIRST == 0 else 0
    if level > 0:
        # level sprites that touch level sprites never part: they matter until one evaluation found none
        if fast != 0 and (entry.second_has_level == 0 or since >= 0):
            met += run_candidates(gm, st, entry, candidates(gm, st, entry, t, since, 1), -1, last)
        else:
            first = load32(g.level_start + 8 * t)
            for k in range(first, first + level):
                if k >= g.n_mortal or is_mortal_alive(st, k):
                    met += run_first(gm, st, entry, g.level + SPRITE_BYTES * k, since, last)
    moving = group_at(st, t).moving
    if moving == 0:
        return met
    if (
        fast != 0
        and g.grid != 0
        and moving > _FEW
        and entry.second_has_level == 0
        and entry.bits & (N_SHARED | N_GROUND) == 0
        and 4 * count_moving(gm, st, entry.second_moving_at, entry.second_moving_n) <= moving
    ):
        return met + run_candidates(gm, st, entry, candidates(gm, st, entry, t, since, 0), since, last)
    a = first_moving(gm, st, t)
    while a != 0 and sprite_at(a).id < last:
        met += run_first(gm, st, entry, a, since, last)
        a = next_moving(gm, st, a)
    return met


@inner
def run_entry(gm, st, n):
    """Evaluate one effect of one pair."""
    s = state_at(st)
    entry = entry_at(gm, n)
    if entry.shield >= 0 and s.shields != 0 and load8(st + s.at_shields + entry.shield) != 0:
        return
    clean = st + s.at_clean + 4 * n
    since = load32(clean)
    if entry.bits & N_GROUND:
        since = -1
    elif since >= 0:
        changed = newest(gm, st, entry.first_moving_at, entry.first_moving_n)
        if changed <= since and newest(gm, st, entry.second_moving_at, entry.second_moving_n) <= since:
            return
    if present(gm, st, entry.second_at, entry.second_n) == 0:
        return
    if s.slots > 1024 and (context_at(gm).grid == 0 or entry.bits & N_GROUND != 0):
        # where sprites are many and searched one by one, testing them costs as well
        firsts = count_moving(gm, st, entry.first_moving_at, entry.first_moving_n)
        s.work += (firsts * count_moving(gm, st, entry.second_moving_at, entry.second_moving_n)) >> 5
    s.clock += 1
    now = s.clock
    last = s.next_id
    met = 0
    for i in range(entry.first_n):
        t = int_at(gm, entry.first_at + i)
        if group_at(st, t).count > 0:
            met += run_type(gm, st, entry, t, since, last)
    # with no hit nothing has changed, so all pairs are known to be apart as of now
    store32(clean, now if met == 0 else -1)


@inner
def pair_phase(gm, st):
    """All effects of all pairs, in the order of the pairs' first definition."""
    s = state_at(st)
    for n in range(context_at(gm).n_entries):
        run_entry(gm, st, n)
        if s.status != 0:
            return
