"""Chasers: random steps, nearest targets, stored shortest paths (reference/sprites 7.9 to 7.12)."""

from __future__ import annotations

from pcg.engine.kernel.groups import count_of, first_of, group_at, int_at, next_of, slot_address, type_at
from pcg.engine.kernel.layout import (
    AUX_AT,
    RNG_AT,
    T_FLEEING,
    T_RANDOM_TARGET,
    context_at,
    sprite_at,
    state_at,
)
from pcg.engine.kernel.physics import active, dir_x, dir_y, distance, passive
from pcg.engine.kernel.random import next_int
from pcg.engine.kernel.runtime import inner, load8
from pcg.engine.kernel.store import java_int


@inner
def random_move(gm, st, a):
    """Index of the next random direction; -1 for NONE. Draws unless the last one is being repeated (`cons`)."""
    p = sprite_at(a)
    if p.a0 < type_at(gm, p.type).cons:
        p.a0 += 1
        return p.a1
    p.a1 = next_int(st + RNG_AT, 4)
    p.a0 = 0
    return p.a1


@inner
def step_towards(gm, st, a, k):
    """Active step in base direction k at the sprite's own speed; -1 is NONE."""
    if k < 0:
        active(gm, st, a, 0.0, 0.0, sprite_at(a).speed)
    else:
        active(gm, st, a, dir_x(k), dir_y(k), sprite_at(a).speed)


# --- chasers ---


@inner
def improving(gm, a, tx, ty_, fleeing, limit):
    """Bits of the base directions whose one-pixel step brings `a` nearer to (or farther from) a corner."""
    p = sprite_at(a)
    here = distance(gm, p.type, p.x, p.y, tx, ty_)
    if limit != -1.0 and here > limit:
        return 0
    found = 0
    for k in range(4):
        there = distance(gm, p.type, p.x + int(dir_x(k)), p.y + int(dir_y(k)), tx, ty_)
        if (fleeing == 0 and here > there) or (fleeing != 0 and here < there):
            found = found | (1 << k)
    return found


@inner
def in_sight(a, b):
    """LOSChaser: 1 when `b` lies on the ray of the previous random direction."""
    p = sprite_at(a)
    q = sprite_at(b)
    if p.a1 == 2:
        return 1 if q.x == p.x and q.y >= p.y else 0
    if p.a1 == 0:
        return 1 if q.x == p.x and q.y <= p.y else 0
    if p.a1 == 1:
        return 1 if q.y == p.y and q.x <= p.x else 0
    if p.a1 == 3:
        return 1 if q.y == p.y and q.x >= p.x else 0
    return 0


@inner
def nearest_in_group(gm, st, a, t, sight, best):
    """Smallest distance from `a` to the sprites of exactly type t, or `best` if that is smaller (-1: none)."""
    state_at(st).work += group_at(st, t).count >> 2
    p = sprite_at(a)
    b = first_of(gm, st, t)
    while b != 0:
        if sight == 0 or in_sight(a, b) != 0:
            q = sprite_at(b)
            d = distance(gm, p.type, p.x, p.y, q.x, q.y)
            if best < 0.0 or d < best:
                best = d
        b = next_of(gm, st, b)
    return best


@inner
def count_directions(gm, st, a, t, sight, best, fleeing, limit, pick):
    """Number of candidate directions that the nearest sprites of exactly type t give.

    With pick >= 0 instead the pick-th of them (in order), or -1 - number when there are fewer.
    """
    p = sprite_at(a)
    total = 0
    b = first_of(gm, st, t)
    while b != 0:
        if sight == 0 or in_sight(a, b) != 0:
            q = sprite_at(b)
            if distance(gm, p.type, p.x, p.y, q.x, q.y) == best:
                found = improving(gm, a, q.x, q.y, fleeing, limit)
                for k in range(4):
                    if found & (1 << k):
                        if pick == total:
                            return k
                        total += 1
        b = next_of(gm, st, b)
    return total if pick < 0 else -1 - total


@inner
def chosen_direction(gm, st, a, t, doubled, sight, fleeing, limit):
    """A direction drawn among the candidates of the nearest targets; -1 when there is no candidate.

    The targets are the sprites of exactly t, or, if there are none, those of sub(t) (`doubled` = 0); or the sprites of
    t followed by those of sub(t), t's own a second time (`doubled` = 1: reference/sprites 7.11).
    """
    if t < 0:
        return -1
    ty = type_at(gm, t)
    best = nearest_in_group(gm, st, a, t, sight, -1.0)
    own = 1
    subs = doubled
    if doubled == 0 and first_of(gm, st, t) == 0:
        subs = 1
        own = 0
    if subs != 0:
        for i in range(ty.sub_n):
            best = nearest_in_group(gm, st, a, int_at(gm, ty.sub_at + i), sight, best)
    if best < 0.0:
        return -1
    total = 0
    if own != 0:
        total = count_directions(gm, st, a, t, sight, best, fleeing, limit, -1)
    if subs != 0:
        for i in range(ty.sub_n):
            total += count_directions(gm, st, a, int_at(gm, ty.sub_at + i), sight, best, fleeing, limit, -1)
    if total == 0:
        return -1
    pick = next_int(st + RNG_AT, total)
    if own != 0:
        k = count_directions(gm, st, a, t, sight, best, fleeing, limit, pick)
        if k >= 0:
            return k
        pick += 1 + k
    for i in range(ty.sub_n):
        k = count_directions(gm, st, a, int_at(gm, ty.sub_at + i), sight, best, fleeing, limit, pick)
        if k >= 0:
            return k
        pick += 1 + k
    return -1


@inner
def update_chaser(gm, st, a, sight):
    """Chaser, Fleeing, LOSChaser."""
    passive(gm, st, a)
    p = sprite_at(a)
    ty = type_at(gm, p.type)
    k = -1
    if sight == 0 or p.a1 >= 0:
        k = chosen_direction(gm, st, a, ty.stype, 0, sight, 1 if ty.bits & T_FLEEING else 0, ty.max_distance)
    if k < 0:
        k = random_move(gm, st, a)
    step_towards(gm, st, a, k)


@inner
def chosen_target_type(gm, st, a):
    """AlternateChaser: the type chased now, or -1 when its list has no sprite. Draws from the auxiliary generator."""
    ty = type_at(gm, sprite_at(a).type)
    total = 0
    for i in range(ty.list_n):
        t = int_at(gm, ty.list_at + i)
        if t >= 0:
            total += count_of(gm, st, t)
    if total == 0:
        return -1
    return int_at(gm, ty.list_at + next_int(st + AUX_AT, ty.list_n))


@inner
def update_alternate(gm, st, a):
    """AlternateChaser: chases the nearest, otherwise moves at random without `cons`."""
    passive(gm, st, a)
    p = sprite_at(a)
    t = chosen_target_type(gm, st, a)
    k = -1
    if t >= 0:
        # the reference stops fleeing for good once a target exists; the flag lives in a2
        p.a2 = 0
        k = chosen_direction(gm, st, a, t, 1, 0, 0, -1.0)
    if k < 0:
        k = next_int(st + RNG_AT, 4)
    step_towards(gm, st, a, k)


@inner
def random_step(gm, st, a):
    """Passive step, then one random direction without `cons`."""
    passive(gm, st, a)
    step_towards(gm, st, a, next_int(st + RNG_AT, 4))


# --- path chasers ---


@inner
def path_step(gm, x0, y0, x1, y1):
    """First step of the stored path between two corners: 0..3, or -1 when there is none (reference/sprites 7.12)."""
    g = context_at(gm)
    if g.paths == 0:
        return -1
    scale = 1.0 / g.block
    c0 = java_int(x0 * scale)
    r0 = java_int(y0 * scale)
    c1 = java_int(x1 * scale)
    r1 = java_int(y1 * scale)
    if c0 < 0 or r0 < 0 or c1 < 0 or r1 < 0 or c0 >= g.columns or c1 >= g.columns or r0 >= g.rows or r1 >= g.rows:
        return -1
    cells = g.columns * g.rows
    return load8(g.paths + (r0 * g.columns + c0) * cells + r1 * g.columns + c1)


@inner
def nearest_target(gm, st, a, t, doubled):
    """The first of the nearest sprites of t (exact, or sub(t) when there are none or `doubled`), or 0."""
    if t < 0:
        return 0
    p = sprite_at(a)
    ty = type_at(gm, t)
    best = nearest_in_group(gm, st, a, t, 0, -1.0)
    subs = doubled
    if doubled == 0 and first_of(gm, st, t) == 0:
        subs = 1
    if subs != 0:
        for i in range(ty.sub_n):
            best = nearest_in_group(gm, st, a, int_at(gm, ty.sub_at + i), 0, best)
    if best < 0.0:
        return 0
    b = first_of(gm, st, t)
    while b != 0:
        q = sprite_at(b)
        if distance(gm, p.type, p.x, p.y, q.x, q.y) == best:
            return b
        b = next_of(gm, st, b)
    for i in range(ty.sub_n):
        b = first_of(gm, st, int_at(gm, ty.sub_at + i))
        while b != 0:
            q = sprite_at(b)
            if distance(gm, p.type, p.x, p.y, q.x, q.y) == best:
                return b
            b = next_of(gm, st, b)
    return 0


@inner
def update_path_chaser(gm, st, a):
    """PathChaser: follows the stored path to the first nearest target."""
    passive(gm, st, a)
    p = sprite_at(a)
    ty = type_at(gm, p.type)
    b = nearest_target(gm, st, a, ty.stype, 0)
    if b != 0:
        q = sprite_at(b)
        k = path_step(gm, p.x, p.y, q.x, q.y)
        p.a0 = ty.cons
    else:
        k = random_move(gm, st, a)
    step_towards(gm, st, a, k)


@inner
def target_sprite(gm, st, a):
    """Address of the remembered target while it is in its group, else 0."""
    p = sprite_at(a)
    if p.target_slot < 0:
        return 0
    return slot_address(gm, st, p.target_slot)


@inner
def holds_target(gm, st, a):
    """1 when the chaser's rectangle contains the remembered target's."""
    p = sprite_at(a)
    x = p.tx
    y = p.ty
    w = p.tw
    h = p.th
    b = target_sprite(gm, st, a)
    if b != 0:
        q = sprite_at(b)
        x = q.x
        y = q.y
        w = q.w
        h = q.h
    return 1 if x >= p.x and y >= p.y and x + w <= p.x + p.w and y + h <= p.y + p.h and w > 0 and h > 0 else 0


@inner
def random_target(gm, st, t):
    """PathAltChaser with randomTarget: one entry of the doubled target list, by one draw; 0 when it is empty."""
    if t < 0:
        return 0
    ty = type_at(gm, t)
    total = 0
    for pass_ in range(2):
        pick = -1
        if pass_ == 1:
            if total == 0:
                return 0
            pick = next_int(st + RNG_AT, total)
        seen = 0
        for i in range(-1, ty.sub_n):
            u = t if i < 0 else int_at(gm, ty.sub_at + i)
            state_at(st).work += group_at(st, u).count >> 2
            b = first_of(gm, st, u)
            while b != 0:
                if seen == pick:
                    return b
                seen += 1
                b = next_of(gm, st, b)
        total = seen
    return 0


@inner
def update_path_alternate(gm, st, a):
    """PathAltChaser: pursues one remembered target until it has it (reference/sprites 7.12)."""
    passive(gm, st, a)
    p = sprite_at(a)
    ty = type_at(gm, p.type)
    have = 1
    fleeing = p.a2
    t = -1
    if p.target_id < 0 or holds_target(gm, st, a) != 0:
        have = 0
        t = chosen_target_type(gm, st, a)
        if t >= 0:
            p.a2 = 0
            fleeing = 0
            b = random_target(gm, st, t) if ty.bits & T_RANDOM_TARGET else nearest_target(gm, st, a, t, 1)
            if b != 0:
                q = sprite_at(b)
                if fleeing == 0:
                    have = 1
                    p.target_id = q.id
                    p.target_slot = q.slot
                    p.tx = q.x
                    p.ty = q.y
                    p.tw = q.w
                    p.th = q.h
    if have != 0 and fleeing == 0:
        x = p.tx
        y = p.ty
        b = target_sprite(gm, st, a)
        if b != 0:
            q = sprite_at(b)
            x = q.x
            y = q.y
        k = path_step(gm, p.x, p.y, x, y)
        if k < 0 and p.target_known != 0:
            k = path_step(gm, p.x, p.y, p.last_x, p.last_y)
        else:
            p.target_known = 1
            p.last_x = x
            p.last_y = y
    else:
        k = next_int(st + RNG_AT, 4)
    step_towards(gm, st, a, k)
