"""Effects that kill, transform, spawn, and change what a sprite holds (reference/effects 10.10 to 10.13)."""

from __future__ import annotations

import math

from pcg.engine.kernel.bounds import charge_walk
from pcg.engine.kernel.groups import (
    alive_of,
    count_of,
    effect_at,
    first_moving,
    first_of,
    group_at,
    int_at,
    next_moving,
    next_of,
    type_at,
)
from pcg.engine.kernel.ids import CLASS_ID
from pcg.engine.kernel.layout import (
    APPLY_SCORE,
    AVATAR_AT,
    COUNT,
    COUNT_ELSE,
    E_FORCE_ORIENTATION,
    E_KILL_RESOURCE,
    E_KILL_SECOND,
    E_STEP_BACK,
    E_SUBTRACT,
    E_TAKE_ORIENTATION,
    ORIENTED,
    RNG_AT,
    SCORE_AT,
    SCORE_IF_KILLED,
    T_AVATAR,
    T_AVATAR_CLASS,
    T_RESOURCE,
    T_STATIC,
    context_at,
    sprite_at,
    state_at,
)
from pcg.engine.kernel.physics import unit_x, unit_y
from pcg.engine.kernel.random import next_double, next_int
from pcg.engine.kernel.reals import remainder
from pcg.engine.kernel.runtime import inner, load8, store8, store32, store_double
from pcg.engine.kernel.store import add_sprite, is_killed, kill, left_last, rank_of, res_add, res_get, res_held

_FIRST_SPAWN = CLASS_ID["SpawnPoint"]
_MISSILE_BOMBER = CLASS_ID["BomberRandomMissile"]


@inner
def set_flag(st, e, flag, on):
    """Set or clear one of the sticky flags of an effect (reference/effects 10.4)."""
    address = st + state_at(st).at_effects + e
    flags = load8(address)
    store8(address, flags | flag if on != 0 else flags & ~flag)


# --- killing ---


@inner
def kill_all(gm, st, e):
    """killAll: every sprite of exactly the type."""
    charge_walk(gm, st)
    b = first_of(gm, st, effect_at(gm, e).stype)
    while b != 0:
        kill(gm, st, b, 0)
        b = next_of(gm, st, b)


@inner
def kill_if_held(gm, st, e, a, more):
    """killIfHasMore (>= limit) and killIfHasLess (<= limit)."""
    eff = effect_at(gm, e)
    amount = res_get(gm, st, a, eff.res)
    hit = amount >= eff.limit if more != 0 else amount <= eff.limit
    set_flag(st, e, APPLY_SCORE, 1 if hit else 0)
    if hit:
        kill(gm, st, a, 0)


@inner
def kill_if_other_has(gm, st, e, a, b):
    """killIfOtherHasMore: `a` dies of `b`'s wealth."""
    eff = effect_at(gm, e)
    hit = res_get(gm, st, b, eff.res) >= eff.limit
    set_flag(st, e, APPLY_SCORE, 1 if hit else 0)
    if hit:
        kill(gm, st, a, 0)
        if eff.bits & E_SUBTRACT:
            res_add(gm, st, b, eff.res, -eff.limit)


@inner
def kill_if_from_above(gm, st, e, a, b):
    """killIfFromAbove: `b` came down on `a`."""
    p = sprite_at(a)
    q = sprite_at(b)
    hit = p.ly > q.ly + q.h // 2 and q.y > q.ly
    set_flag(st, e, APPLY_SCORE, 1 if hit else 0)
    if hit:
        kill(gm, st, a, 0)


@inner
def kill_if_frontal(gm, st, e, a, b, frontal):
    """killIfFrontal and killIfNotFrontal: a standing `a` dies under both."""
    p = sprite_at(a)
    q = sprite_at(b)
    ax = float(p.x - p.lx)
    ay = float(p.y - p.ly)
    bx = float(q.x - q.lx)
    by = float(q.y - q.ly)
    ux = unit_x(ax, ay)
    uy = unit_y(ax, ay)
    opposite = ux + unit_x(bx, by) == 0.0 and uy + unit_y(bx, by) == 0.0
    standing = ux == 0.0 and uy == 0.0
    hit = standing or (opposite if frontal != 0 else not opposite)
    set_flag(st, e, APPLY_SCORE, 1 if hit else 0)
    if hit:
        kill(gm, st, a, 0)


@inner
def kill_by_speed(gm, st, e, a, b, fast):
    """killIfFast and killIfSlow: orientations, not velocities, are compared when both can move."""
    p = sprite_at(a)
    q = sprite_at(b)
    if type_at(gm, p.type).bits & T_STATIC:
        r = q.speed
    elif type_at(gm, q.type).bits & T_STATIC:
        r = p.speed
    else:
        dx = p.ox - q.ox
        dy = p.oy - q.oy
        r = math.sqrt(dx * dx + dy * dy)
    limit = effect_at(gm, e).number
    if (fast != 0 and r > limit) or (fast == 0 and r < limit):
        kill(gm, st, a, 0)


@inner
def kill_if_not_upright(gm, st, a):
    """killIfNotUpright: the rotation must point up."""
    full = 2.0 * math.pi
    r = remainder(sprite_at(a).rotation + full, full)
    if not 4.4 < r < 5.0:
        kill(gm, st, a, 0)


# --- transforming ---


@inner
def hand_over(gm, st, e, new, a, singleton):
    """Hand over to a transformed sprite (reference/effects 10.11); `singleton`: as transformToSingleton does."""
    n = sprite_at(new)
    p = sprite_at(a)
    both = n.bits & ORIENTED != 0 and p.bits & ORIENTED != 0
    if singleton != 0:
        if both:
            n.ox = p.ox
            n.oy = p.oy
    elif effect_at(gm, e).bits & E_FORCE_ORIENTATION != 0 or (both and n.ox == 0.0 and n.oy == 0.0):
        n.ox = p.ox
        n.oy = p.oy
    n.lx = p.lx
    n.ly = p.ly
    n.lw = p.lw
    n.lh = p.lh
    for i in range(context_at(gm).n_res):
        if res_held(gm, st, a, i) != 0:
            res_add(gm, st, new, i, res_get(gm, st, a, i))
    transformed = 1
    if type_at(gm, p.type).bits & T_AVATAR_CLASS:
        if type_at(gm, n.type).bits & T_AVATAR_CLASS:
            if p.player >= 0:
                n.player = p.player
                store32(st + AVATAR_AT + 4 * p.player, n.slot)
        else:
            transformed = 0
    if singleton == 0:
        n.hp = p.hp
    kill(gm, st, a, transformed)


@inner
def transform(gm, st, e, a, b, t, force):
    """Replace `a` by a new sprite of type t; 0 when that was refused."""
    p = sprite_at(a)
    new = add_sprite(gm, st, t, p.x, p.y, force)
    if new != 0:
        hand_over(gm, st, e, new, a, 0)
        if effect_at(gm, e).bits & E_KILL_SECOND and b != 0:
            kill(gm, st, b, 1)
    return new


@inner
def transform_to_all(gm, st, e, b):
    """transformToAll: every sprite of exactly the type, dead and disabled ones included."""
    charge_walk(gm, st)
    eff = effect_at(gm, e)
    last = state_at(st).next_id
    c = first_of(gm, st, eff.stype)
    while c != 0 and sprite_at(c).id < last:
        transform(gm, st, e, c, b, eff.stype2, 1)
        c = next_of(gm, st, c)


@inner
def transform_if_count(gm, st, e, a, b):
    """transformIfCount: one type within the limits, another (if given) outside."""
    eff = effect_at(gm, e)
    n = count_of(gm, st, eff.stype3) if eff.stype3 >= 0 else 0
    set_flag(st, e, APPLY_SCORE | COUNT | COUNT_ELSE, 0)
    if eff.geq <= n <= eff.leq:
        transform(gm, st, e, a, b, eff.stype, 1)
        set_flag(st, e, APPLY_SCORE | COUNT, 1)
    elif eff.stype2 >= 0:
        transform(gm, st, e, a, b, eff.stype2, 1)
        set_flag(st, e, COUNT_ELSE, 1)


@inner
def transform_to_child(gm, st, e, a, b):
    """transformToRandomChild: one draw over sub(t) without t, ancestors included."""
    eff = effect_at(gm, e)
    ty = type_at(gm, eff.stype)
    n = ty.sub_n - 1
    if n <= 0:
        return
    k = next_int(st + RNG_AT, n)
    if k >= rank_of(gm, eff.stype, eff.stype):
        k += 1
    transform(gm, st, e, a, b, int_at(gm, ty.sub_at + k), 0)


@inner
def transform_to_singleton(gm, st, e, a, b):
    """transformToSingleton: the old holders become the other type, then `a` becomes the holder."""
    charge_walk(gm, st)
    eff = effect_at(gm, e)
    last = state_at(st).next_id
    c = first_of(gm, st, eff.stype)
    while c != 0 and sprite_at(c).id < last:
        s = sprite_at(c)
        new = add_sprite(gm, st, eff.stype2, s.x, s.y, 0)
        if new != 0:
            hand_over(gm, st, e, new, c, 1)
        c = next_of(gm, st, c)
    p = sprite_at(a)
    new = add_sprite(gm, st, eff.stype, p.x, p.y, 0)
    if new != 0:
        hand_over(gm, st, e, new, a, 1)
        if eff.bits & E_TAKE_ORIENTATION:
            n = sprite_at(new)
            q = sprite_at(b)
            n.bits = n.bits | ORIENTED
            n.ox = -q.ox
            n.oy = -q.oy


# --- spawning ---


@inner
def spawn_at(gm, st, e, a):
    """Add the effect's type at the corner of `a`."""
    p = sprite_at(a)
    add_sprite(gm, st, effect_at(gm, e).stype, p.x, p.y, 0)


@inner
def spawn_behind(gm, st, e, b):
    """spawnBehind: where `b` was, once it has left it."""
    eff = effect_at(gm, e)
    if next_double(st + RNG_AT) >= eff.prob:
        return
    if left_last(b) != 0:
        q = sprite_at(b)
        add_sprite(gm, st, eff.stype, q.lx, q.ly, 0)


@inner
def spawn_beside(gm, st, e, b, dx, dy):
    """spawnAbove, spawnBelow, spawnLeft, spawnRight: one block from `b`, or from where it was."""
    eff = effect_at(gm, e)
    if next_double(st + RNG_AT) >= eff.prob:
        return
    q = sprite_at(b)
    x = q.x
    y = q.y
    if eff.bits & E_STEP_BACK:
        if left_last(b) == 0:
            return
        x = q.lx
        y = q.ly
    block = context_at(gm).block
    add_sprite(gm, st, eff.stype, x + dx * block, y + dy * block, 0)


@inner
def spawn_if_held(gm, st, e, a, more):
    """spawnIfHasMore (>= limit, may spend) and spawnIfHasLess (<= limit)."""
    eff = effect_at(gm, e)
    set_flag(st, e, APPLY_SCORE, 0)
    if next_double(st + RNG_AT) >= eff.prob:
        return
    amount = res_get(gm, st, a, eff.res)
    if (more != 0 and amount >= eff.limit) or (more == 0 and amount <= eff.limit):
        spawn_at(gm, st, e, a)
        set_flag(st, e, APPLY_SCORE, 1)
        if more != 0:
            res_add(gm, st, a, eff.res, -eff.value)


@inner
def spawn_if_sub_types(gm, st, e, a):
    """spawnIfCounterSubTypes: counts the kinds still alive, halved as in the reference."""
    eff = effect_at(gm, e)
    p = sprite_at(a)
    set_flag(st, e, APPLY_SCORE | COUNT, 0)
    t = eff.stype2
    if alive_of(gm, st, eff.stype3) == eff.limit:
        ty = type_at(gm, eff.stype3)
        kinds = 0
        for i in range(ty.sub_n):
            u = int_at(gm, ty.sub_at + i)
            if alive_of(gm, st, u) > 0 and group_at(st, u).count > 0:
                kinds += 1
        if kinds // 2 == eff.value:
            t = eff.stype
            set_flag(st, e, APPLY_SCORE | COUNT, 1)
    add_sprite(gm, st, t, p.x, p.y, 0)


@inner
def update_spawn_type(gm, st, e, b):
    """updateSpawnType: producers of a kind now make something else."""
    charge_walk(gm, st)
    eff = effect_at(gm, e)
    ty = type_at(gm, eff.stype2)
    for i in range(ty.sub_n):
        c = first_moving(gm, st, int_at(gm, ty.sub_at + i))
        while c != 0:
            s = sprite_at(c)
            own = type_at(gm, s.type)
            if own.cls == _MISSILE_BOMBER:
                if b != 0:
                    replace_missile(gm, c, sprite_at(b).type, eff.stype)
            elif _FIRST_SPAWN <= own.cls < _MISSILE_BOMBER:
                s.a2 = eff.stype
            c = next_moving(gm, st, c)


@inner
def replace_missile(gm, c, old, new):
    """In a BomberRandomMissile's list, the first entry `old` becomes `new` (lists of up to seven types)."""
    s = sprite_at(c)
    ty = type_at(gm, s.type)
    n = ty.list_n if ty.list_n < 7 else 7
    packed = s.missiles
    if packed == 0:
        for k in range(n):
            t = int_at(gm, ty.list_at + k)
            packed = packed | ((t + 1 if t < 511 else 0) << (9 * k))
    for k in range(n):
        if ((packed >> (9 * k)) & 511) - 1 == old:
            packed = (packed & ~(511 << (9 * k))) | ((new + 1 if new < 511 else 0) << (9 * k))
            break
    s.missiles = packed


# --- resources, health, score ---


@inner
def collect(gm, st, e, a, b):
    """collectResource: `b` takes what it may of the resource `a`."""
    ty = type_at(gm, sprite_at(a).type)
    if ty.bits & T_RESOURCE == 0:
        return
    have = res_get(gm, st, b, ty.res)
    taken = 0
    if have < ty.res_limit:
        room = ty.res_limit - have
        res_add(gm, st, b, ty.res, ty.value if ty.value < room else room)
        taken = 1
        if effect_at(gm, e).bits & E_KILL_RESOURCE:
            kill(gm, st, a, 1)
    set_flag(st, e, APPLY_SCORE, taken)


@inner
def collect_if_held(gm, st, e, a, b):
    """collectResourceIfHeld: all or nothing, and only for who already holds something else."""
    ty = type_at(gm, sprite_at(a).type)
    if ty.bits & T_RESOURCE == 0:
        return
    eff = effect_at(gm, e)
    set_flag(st, e, APPLY_SCORE, 0)
    if res_get(gm, st, b, eff.res) < eff.value:
        return
    if res_get(gm, st, b, ty.res) + ty.value <= ty.res_limit:
        set_flag(st, e, APPLY_SCORE, 1)
        res_add(gm, st, b, ty.res, ty.value)
    if eff.bits & E_KILL_RESOURCE:
        kill(gm, st, a, 0)


@inner
def change_resource(gm, st, e, a, b):
    """changeResource: `a` is the holder."""
    eff = effect_at(gm, e)
    changed = 0
    if res_get(gm, st, a, eff.res) + eff.value <= eff.res_limit:
        res_add(gm, st, a, eff.res, eff.value)
        changed = 1
        if eff.bits & E_KILL_RESOURCE and b != 0:
            kill(gm, st, b, 1)
    set_flag(st, e, APPLY_SCORE, changed)


@inner
def add_health(gm, st, e, a, b, to_max):
    """addHealthPoints (refused at the limit) and addHealthPointsToMax (filled up to it)."""
    eff = effect_at(gm, e)
    p = sprite_at(a)
    limit = type_at(gm, p.type).limit_hp
    done = 1
    if p.hp + eff.value < limit:
        p.hp += eff.value
    elif to_max != 0:
        p.hp = limit
    else:
        done = 0
    if done != 0:
        if p.hp > p.max_hp:
            p.max_hp = p.hp
        if eff.bits & E_KILL_SECOND and b != 0:
            kill(gm, st, b, 0)
    set_flag(st, e, APPLY_SCORE, done)


@inner
def subtract_health(gm, st, e, a):
    """subtractHealthPoints: from `a`, or from the first sprite of the last non-empty kind of stype."""
    eff = effect_at(gm, e)
    target = a
    if eff.stype >= 0:
        ty = type_at(gm, eff.stype)
        for i in range(ty.sub_n):
            found = first_of(gm, st, int_at(gm, ty.sub_at + i))
            if found != 0:
                target = found
    if target == 0:
        return
    p = sprite_at(target)
    p.hp -= eff.value
    killed = p.hp <= eff.limit
    set_flag(st, e, SCORE_IF_KILLED, 1 if killed else 0)
    if killed:
        kill(gm, st, target, 0)


@inner
def clear_score(gm, st, a):
    """Score 0 for the player of an avatar."""
    p = sprite_at(a)
    if type_at(gm, p.type).bits & T_AVATAR and p.player >= 0:
        store_double(st + SCORE_AT + 8 * p.player, 0.0)


@inner
def remove_score(gm, st, e, a, b):
    """removeScore: of `a`, or of every avatar of exactly stype."""
    eff = effect_at(gm, e)
    second = eff.bits & E_KILL_SECOND != 0 and b != 0
    if eff.stype < 0:
        if type_at(gm, sprite_at(a).type).bits & T_AVATAR:
            clear_score(gm, st, a)
            if second:
                kill(gm, st, b, 1)
        return
    charge_walk(gm, st)
    c = first_of(gm, st, eff.stype)
    while c != 0:
        if type_at(gm, sprite_at(c).type).bits & T_AVATAR:
            clear_score(gm, st, c)
            if second:
                kill(gm, st, b, 1)
        c = next_of(gm, st, c)


@inner
def shield_from(gm, st, e, a):
    """shieldFrom: until the end of the tick, rules of one effect name spare the whole leaf type of `a`."""
    number = int_at(gm, effect_at(gm, e).shields_at + sprite_at(a).type)
    if number >= 0:
        s = state_at(st)
        store8(st + s.at_shields + number, 1)
        s.shields = 1


@inner
def kill_if_alive(gm, st, a, b):
    """killIfAlive: `a` dies unless `b` is already on the kill list."""
    if is_killed(gm, st, b) == 0:
        kill(gm, st, a, 0)
