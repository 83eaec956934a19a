"""The pair phase: which sprites meet, and the effects of it (reference/loop 3.6 and 3.7).

Most of the time of a tick is spent here. Beside the search for hits (`collisions`), three measures make it fast
without changing a result: rules are only evaluated when something they concern has moved; first sprites that have not
are only held against the second sprites that have; and candidates for the first sprite are collected from the few
second sprites that can touch them.
"""

from __future__ import annotations

from pcg.engine.kernel.bounds import outgrow
from pcg.engine.kernel.cells import near_mask
from pcg.engine.kernel.collisions import (
    FEW,
    collect_hits,
    first_hit,
    forget_hits,
    is_remembered,
    level_hits,
    list_moved,
    meets,
    meets_any,
    meets_level,
    meets_listed,
    meets_moving,
    meets_one,
    moving_hits,
    only_moving,
)
from pcg.engine.kernel.effects import execute, mark_fired, record_event, settle
from pcg.engine.kernel.effects_motion import bounce_batch
from pcg.engine.kernel.groups import (
    effect_at,
    entry_at,
    first_moving,
    group_at,
    int_at,
    is_mortal_alive,
    next_moving,
    slot_from,
    type_at,
)
from pcg.engine.kernel.ids import EFFECT_ID
from pcg.engine.kernel.layout import (
    DIRTY_BITS,
    E_BATCH,
    N_AGAIN,
    N_GROUND,
    N_ONCE,
    N_SHARED,
    N_SLOW_FIRST,
    SPRITE_BYTES,
    T_AVATAR_CLASS,
    context_at,
    sprite_at,
    state_at,
)
from pcg.engine.kernel.runtime import inlined, inner, load8, load32, load64, low_bit, store32, store64
from pcg.engine.kernel.store import is_killed, overlaps

_WALL_BOUNCE = EFFECT_ID["wallBounce"]
_WALL_REVERSE = EFFECT_ID["wallReverse"]
_MET, _APART, _ABSENT = 0, 1, 2
"""Results of evaluating an entry: some hit; none; no second sprite at all."""
_CROWD = 16
"""Moving sprites up to this number are tested against each other at no charge."""


@inner
def run_first(gm, st, entry, a):
    """Evaluate one entry for one first sprite; returns the number of hits."""
    if entry.bits & (E_BATCH | N_GROUND) == 0 and is_killed(gm, st, a) != 0:
        # nothing would be executed for it, and it is gone before the next evaluation
        return 0
    if state_at(st).work > context_at(gm).max_work:
        return 0
    # looking for hits takes as long as two executions
    state_at(st).work += 2
    collect_hits(gm, st, entry, a)
    n = state_at(st).hits
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
        mark_fired(st, e)
        settle(gm, st, e, times)
        state_at(st).work += n
        for i in range(n):
            record_event(gm, st, a, load64(hits + 8 * i))
        return n
    ground = entry.bits & N_GROUND
    most = context_at(gm).max_work
    for i in range(n):
        b = load64(hits + 8 * i)
        if is_killed(gm, st, a) != 0 or state_at(st).work > most:
            break
        if ground != 0:
            hit = meets(gm, a, b)
        else:
            hit = 1 if overlaps(a, b) else 0
        if hit != 0:
            execute(gm, st, e, a, b)
    return n


@inner
def run_once(gm, st, entry, a):
    """The same for an entry whose effect takes its first sprite away (`N_ONCE`), so that one hit is mostly enough."""
    s = state_at(st)
    if is_killed(gm, st, a) != 0 or s.work > context_at(gm).max_work:
        return 0
    s.work += 2
    b = first_hit(gm, st, entry, a)
    if b == 0:
        return 0
    execute(gm, st, entry.effect, a, b)
    if is_killed(gm, st, a) != 0:
        return 1
    # what it would have become was refused: the other hits follow
    collect_hits(gm, st, entry, a)
    n = s.hits
    for i in range(1, n):
        if is_killed(gm, st, a) != 0 or s.work > context_at(gm).max_work:
            break
        execute(gm, st, entry.effect, a, load64(st + s.at_scratch + 8 * i))
    return n


# --- the first sprites of an entry ---


@inner
def candidates(gm, st, entry, t, level):
    """Collect the first sprites of type t that some second sprite overlaps now, in group order, behind the hit list.

    `level` selects level sprites (only those that a second sprite touches that moved since the last evaluation) or
    moving ones. Returns their number.
    """
    s = state_at(st)
    since = s.since
    n = 0
    # second sprites piled up on one spot meet the same first ones
    piled = level == 0 and count_moving(gm, st, entry.second_moving_at, entry.second_moving_n) > FEW
    if piled:
        forget_hits(st)
    for i in range(entry.second_moving_n):
        u = int_at(gm, entry.second_moving_at + i)
        group = group_at(st, u)
        if group.head < 0 or (level != 0 and group.stamp <= since):
            continue
        b = first_moving(gm, st, u)
        while b != 0:
            s.hits = 0
            if level == 0:
                if not piled or is_remembered(st, b, 3) == 0:
                    moving_hits(gm, st, b, t, -1)
            elif sprite_at(b).moved > since and near_mask(gm, st, b) & (1 << (t & 63)) != 0:
                level_hits(gm, st, b, t, -1)
            for j in range(s.hits):
                n = add_candidate(st, n, load64(st + s.at_scratch + 8 * j))
            b = next_moving(gm, st, b)
    return n


@inner
def add_candidate(st, n, a):
    """Insert into the list of n candidates kept in order of creation, without repetition; returns its length."""
    s = state_at(st)
    base = st + s.at_scratch + 8 * s.room
    here = sprite_at(a).id
    k = 0
    end = n
    if n > 0 and sprite_at(load64(base + 8 * (n - 1))).id < here:
        # most come in order
        k = n
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
def newest(gm, st, entry):
    """Latest clock at which a rectangle of a second type of an entry changed; -1 when none has moving sprites."""
    latest = -1
    for i in range(entry.second_moving_n):
        group = group_at(st, int_at(gm, entry.second_moving_at + i))
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
    """Return the number of moving sprites of the n types from pool place `at`."""
    total = 0
    for i in range(n):
        total += group_at(st, int_at(gm, at + i)).moving
    return total


@inner
def run_candidates(gm, st, entry, found, once):
    """Evaluate an entry for the collected first sprites, with `run_once` if so told; returns the number of hits."""
    s = state_at(st)
    met = 0
    if once:
        forget_hits(st)
    for j in range(found):
        a = load64(st + s.at_scratch + 8 * (s.room + j))
        met += run_once(gm, st, entry, a) if once else run_first(gm, st, entry, a)
    return met


@inner
def run_level(gm, st, entry, t):
    """Evaluate an entry for the level sprites of type t as first sprites; returns the number of hits."""
    g = context_at(gm)
    s = state_at(st)
    since = s.since
    met = 0
    # level sprites that touch level sprites never part: they matter until one evaluation found none
    if entry.bits & N_SLOW_FIRST == 0 and (entry.second_has_level == 0 or since >= 0):
        found = candidates(gm, st, entry, t, 1)
        s.since = -1
        met = run_candidates(gm, st, entry, found, False)
        s.since = since
        return met
    first = load32(g.level_start + 8 * t)
    s.work += load32(g.level_start + 8 * t + 4) >> 2
    if since >= 0 and g.max_w <= g.block and g.max_h <= g.block and moves_near_first(gm, st, entry, since, 1) == 0:
        # no level sprite reaches beyond its cell, and nothing that could meet one is in a cell with it
        return 0
    plain = since < 0 and entry.bits & (E_BATCH | N_GROUND) == 0
    # while nothing that moves is there to be met, and no execution can have put something there
    still = plain and count_moving(gm, st, entry.second_moving_at, entry.second_moving_n) == 0
    for k in range(first, first + load32(g.level_start + 8 * t + 4)):
        if k >= g.n_mortal or is_mortal_alive(st, k):
            a = g.level + SPRITE_BYTES * k
            if plain and load64(g.level_mates + 8 * k) & entry.second_mask == 0:
                # no level sprite can touch it, so that a search would only cost its price
                if (still and met == 0) or meets_moving(gm, st, entry, a, False) == 0:
                    if meets_level(gm, st, entry, a) != 0 and is_killed(gm, st, a) == 0 and s.work <= g.max_work:
                        s.work += 2
                        s.hits = 0
                    continue
                met += run_first(gm, st, entry, a)
            elif meets_any(gm, st, entry, a, since) != 0:
                met += run_first(gm, st, entry, a)
    return met


@inner
def run_moving(gm, st, entry, t, quiet):
    """Evaluate an entry for the moving sprites of type t as first sprites; returns the number of hits.

    `quiet`: no second sprite has moved since the last evaluation.
    """
    g = context_at(gm)
    s = state_at(st)
    moving = group_at(st, t).moving
    s.work += moving >> 2
    if s.grid == 0 or moving <= FEW:
        if quiet and group_at(st, t).stamp <= s.since:
            return 0
    elif entry.bits & (N_SHARED | N_GROUND | N_SLOW_FIRST) == 0:
        second = count_moving(gm, st, entry.second_moving_at, entry.second_moving_n)
        once = second > FEW and entry.bits & N_ONCE != 0 and type_at(gm, t).bits & T_AVATAR_CLASS == 0
        if entry.second_has_level == 0 and 4 * second <= moving:
            return run_candidates(gm, st, entry, candidates(gm, st, entry, t, 0), once)
        if once:
            return run_piled(gm, st, entry, t)
    since = s.since
    last = s.last
    ground = entry.bits & N_GROUND
    base = st + s.at_sprites
    stride = g.stride
    slot = group_at(st, t).head
    # first sprites that have not moved can only meet second ones that have: where these are few, no more is looked at
    moved = list_moved(gm, st, entry) if since >= 0 and ground == 0 and not quiet and moving > 2 else -1
    # one second sprite alone, as the avatar mostly is, is looked up once for all first ones; -1: not looked up
    alone = -1 if moving > 2 else 0
    met = 0
    while slot >= 0:
        a = slot_from(st, base, stride, slot)
        p = sprite_at(a)
        if p.id >= last:
            break
        if p.moved > since:
            if alone < 0:
                alone = only_moving(gm, st, entry)
            if ground != 0 or meets_level(gm, st, entry, a) != 0:
                near = 1
            elif alone != 0:
                near = meets_one(a, alone)
            else:
                near = meets_moving(gm, st, entry, a, False)
        elif quiet:
            near = 0
        elif moved >= 0:
            near = meets_listed(st, a, moved)
        else:
            near = meets_moving(gm, st, entry, a, True)
        if near != 0:
            hits = run_first(gm, st, entry, a)
            if hits != 0:
                # an execution may move any
                quiet = False
                moved = list_moved(gm, st, entry) if since >= 0 and ground == 0 else -1
                alone = -1 if moving > 2 else 0
                met += hits
        slot = p.next
    return met


@inner
def run_piled(gm, st, entry, t):
    """`run_moving` where both sides are many and the effect takes first sprites away: one search per rectangle."""
    s = state_at(st)
    base = st + s.at_sprites
    stride = context_at(gm).stride
    quiet = s.since >= 0 and newest(gm, st, entry) <= s.since
    moved = list_moved(gm, st, entry) if s.since >= 0 and not quiet else -1
    slot = group_at(st, t).head
    met = 0
    forget_hits(st)
    while slot >= 0:
        a = slot_from(st, base, stride, slot)
        p = sprite_at(a)
        if p.id >= s.last:
            break
        if p.moved > s.since or not (quiet or moved >= 0 and meets_listed(st, a, moved) == 0):
            met += run_once(gm, st, entry, a)
        slot = p.next
    return met


# --- entries ---


@inner
def run_entry(gm, st, n):
    """Evaluate one effect of one pair; returns `_MET`, `_APART` or `_ABSENT`."""
    s = state_at(st)
    entry = entry_at(gm, n)
    clean = st + s.at_clean + 4 * n
    since = load32(clean)
    if entry.bits & N_GROUND:
        since = -1
        set_dirty(st, n)
    s.since = since
    if present(gm, st, entry.second_at, entry.second_n) == 0:
        return _ABSENT
    s.work += 1
    if entry.bits & N_GROUND == 0:
        if entry.first_moving_n == 0:
            if entry.bits & N_SLOW_FIRST == 0 and (since >= 0 or entry.second_mask == 0):
                if moves_near_first(gm, st, entry, since, 0) == 0:
                    s.last = s.next_id
                    return note_apart(st, clean)
        elif entry.second_moving_n == 0 and (since >= 0 or entry.first_mask == 0):
            if moves_near_second(gm, st, entry, since) == 0:
                s.last = s.next_id
                for i in range(entry.first_moving_n):
                    s.work += group_at(st, int_at(gm, entry.first_moving_at + i)).moving >> 2
                return note_apart(st, clean)
    if s.slots > _CROWD and (s.grid == 0 or entry.bits & N_GROUND != 0):
        # where sprites are many and searched one by one, testing them costs as well
        firsts = count_moving(gm, st, entry.first_moving_at, entry.first_moving_n)
        if firsts != 0:
            s.work += (firsts * count_moving(gm, st, entry.second_moving_at, entry.second_moving_n)) >> 5
    if since >= 0 and entry.first_mask == 0 and few_apart(gm, st, entry, since) != 0:
        s.last = s.next_id
        return note_apart(st, clean)
    s.clock += 1
    s.last = s.next_id
    met = 0
    quiet = since >= 0 and newest(gm, st, entry) <= since
    for i in range(entry.first_n):
        t = int_at(gm, entry.first_at + i)
        group = group_at(st, t)
        if group.count > 0:
            # level sprites never move: those apart from all second sprites still are while these rest
            if not quiet and load32(context_at(gm).level_start + 8 * t + 4) > 0:
                met += run_level(gm, st, entry, t)
                quiet = since >= 0 and newest(gm, st, entry) <= since if met != 0 else False
            if group.head >= 0:
                met += run_moving(gm, st, entry, t, quiet)
            if met != 0:
                # executions may move any
                quiet = since >= 0 and newest(gm, st, entry) <= since
    if met != 0:
        store32(clean, -1)
        set_dirty(st, n)
        return _MET
    # with no hit nothing has changed, so all pairs are known to be apart as of now
    store32(clean, s.clock)
    return _APART


@inlined
def note_apart(st, clean):
    """End the evaluation of an entry that needed no search: all its pairs are apart as of now."""
    s = state_at(st)
    s.clock += 1
    store32(clean, s.clock)
    return _APART


@inner
def moves_near_first(gm, st, entry, since, every):
    """0 when no second sprite that has moved after clock `since` is in a cell with level sprites of the first types.

    `every` asks for those as well of whose type another one has moved.
    """
    base = st + state_at(st).at_sprites
    stride = context_at(gm).stride
    for i in range(entry.second_moving_n):
        group = group_at(st, int_at(gm, entry.second_moving_at + i))
        if group.stamp > since:
            if every != 0 and state_at(st).grid != 0 and group.moving > FEW:
                return 1
            slot = group.head
            while slot >= 0:
                b = slot_from(st, base, stride, slot)
                q = sprite_at(b)
                if (q.moved > since or every != 0) and near_mask(gm, st, b) & entry.first_mask != 0:
                    return 1
                slot = q.next
    return 0


@inner
def moves_near_second(gm, st, entry, since):
    """0 when no first sprite that has moved after clock `since` is in a cell with level sprites of the second types."""
    base = st + state_at(st).at_sprites
    stride = context_at(gm).stride
    for i in range(entry.first_moving_n):
        group = group_at(st, int_at(gm, entry.first_moving_at + i))
        if group.stamp > since:
            slot = group.head
            while slot >= 0:
                a = slot_from(st, base, stride, slot)
                p = sprite_at(a)
                if p.moved > since and near_mask(gm, st, a) & entry.second_mask != 0:
                    return 1
                slot = p.next
    return 0


@inner
def few_apart(gm, st, entry, since):
    """1 when the first sprites, no more than two of a type, are seen to be apart from all second ones."""
    s = state_at(st)
    g = context_at(gm)
    base = st + s.at_sprites
    stride = g.stride
    mask = entry.second_mask
    for i in range(entry.first_moving_n):
        group = group_at(st, int_at(gm, entry.first_moving_at + i))
        if group.moving > 2:
            return 0
        slot = group.head
        while slot >= 0:
            a = slot_from(st, base, stride, slot)
            p = sprite_at(a)
            slot = p.next
            moved = p.moved > since
            if moved and mask != 0 and near_mask(gm, st, a) & mask != 0:
                return 0
            x0 = p.x
            y0 = p.y
            x1 = x0 + p.w
            y1 = y0 + p.h
            for j in range(entry.second_moving_n):
                other = group_at(st, int_at(gm, entry.second_moving_at + j))
                k = other.head
                if k < 0 or (not moved and other.stamp <= since):
                    continue
                if s.grid != 0 and other.moving > FEW:
                    return 0
                while k >= 0:
                    b = slot_from(st, base, stride, k)
                    q = sprite_at(b)
                    k = q.next
                    if q.x < x1 and x0 < q.x + q.w and q.y < y1 and y0 < q.y + q.h and b != a:
                        return 0
    return 1


@inner
def run_again(gm, st, n, found, cost):
    """Evaluate entry n as the one before it, of the same pair, has just been: 0 when that says nothing about it.

    `found` is what `run_entry` returned for that one, which did `cost` of work.
    """
    s = state_at(st)
    entry = entry_at(gm, n)
    if s.grid != 0 and (entry.bits ^ entry_at(gm, n - 1).bits) & N_ONCE != 0:
        # crowds are searched in another way
        return 0
    clean = st + s.at_clean + 4 * n
    since = load32(clean)
    # nothing can have happened between evaluations that followed each other and found no hit
    if since != s.since and (since < 1 or since != s.since + 1):
        return 0
    s.since = since
    if found == _APART:
        s.work += cost
        s.clock += 1
        store32(clean, s.clock)
    return 1


@inner
def set_dirty(st, n):
    """Have entry n evaluated at the next occasion."""
    at = st + state_at(st).at_dirty + 8 * (n // DIRTY_BITS)
    store64(at, load64(at) | (1 << (n % DIRTY_BITS)))


@inner
def is_shielded(st, entry):
    """1 when a shield that holds in this tick blocks an entry."""
    s = state_at(st)
    return 1 if entry.shield >= 0 and s.shields != 0 and load8(st + s.at_shields + entry.shield) != 0 else 0


@inner
def pair_phase(gm, st):
    """All effects of all pairs, in the order of the pairs' first definition.

    Only entries are visited whose last evaluation found a hit, or for whose types a rectangle has changed since. Where
    several effects have the same pair, and it is apart, it is looked at once.
    """
    s = state_at(st)
    most = context_at(gm).max_work
    looked = -2
    found = _MET
    cost = 0
    for w in range(context_at(gm).n_dirty):
        at = st + s.at_dirty + 8 * w
        waiting = load64(at)
        while waiting != 0:
            i = low_bit(waiting)
            store64(at, load64(at) & ~(1 << i))
            n = DIRTY_BITS * w + i
            entry = entry_at(gm, n)
            if is_shielded(st, entry) != 0:
                set_dirty(st, n)
            else:
                again = entry.bits & N_AGAIN != 0 and found != _MET and n == looked + 1
                if not again or run_again(gm, st, n, found, cost) == 0:
                    before = s.work
                    found = run_entry(gm, st, n)
                    cost = s.work - before
                    if s.grid == 2:
                        # a second look would cost less
                        s.grid = 1
                        found = _MET
                looked = n
            if s.status != 0 or s.work > most:
                return
            # executions have had further entries evaluated: those ahead now, the others in the next tick
            waiting = load64(at) & (-2 << i)
