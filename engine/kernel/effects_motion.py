"""Effects on position, direction and speed (reference/effects 10.7 to 10.9).

Every function takes the effect number `e`, the first sprite `a` and the second `b` (0 when absent). Null checks are the
caller's (`effects.apply`).
"""

from __future__ import annotations

import math

from pcg.engine.kernel.bounds import charge_walk
from pcg.engine.kernel.groups import effect_at, first_moving, first_of, group_at, int_at, next_moving, next_of, type_at
from pcg.engine.kernel.layout import (
    E_ALIGN,
    E_ORIENT,
    E_PIXEL_PERFECT,
    ORIENTED,
    RNG_AT,
    context_at,
    sprite_at,
    state_at,
)
from pcg.engine.kernel.physics import active, dir_x, dir_y, move, unit_x, unit_y
from pcg.engine.kernel.random import next_double, next_int
from pcg.engine.kernel.reals import cosine, sine
from pcg.engine.kernel.runtime import inner, load64
from pcg.engine.kernel.store import back_to_last, java_int, kill, set_corner, set_rect


@inner
def pixel_perfect(gm, st, a, b):
    """Put `a` flush against `b` on the side it came from; back to lastrect when that is not a base direction."""
    p = sprite_at(a)
    q = sprite_at(b)
    dx = (p.x + p.w / 2.0) - (p.lx + p.lw / 2.0)
    dy = (p.y + p.h / 2.0) - (p.ly + p.lh / 2.0)
    ux = unit_x(dx, dy)
    uy = unit_y(dx, dy)
    if ux == 0.0 and uy == 1.0:
        set_corner(gm, st, a, p.x, q.y - p.h)
    elif ux == 1.0 and uy == 0.0:
        set_corner(gm, st, a, q.x - p.w, p.y)
    elif ux == 0.0 and uy == -1.0:
        set_corner(gm, st, a, p.x, q.y + q.h)
    elif ux == -1.0 and uy == 0.0:
        set_corner(gm, st, a, q.x + q.w, p.y)
    else:
        back_to_last(gm, st, a)


@inner
def step_back(gm, st, e, a, b):
    """stepBack."""
    if b != 0 and effect_at(gm, e).bits & E_PIXEL_PERFECT:
        pixel_perfect(gm, st, a, b)
    else:
        back_to_last(gm, st, a)


@inner
def undo_all(gm, st, e):
    """undoAll: every sprite of a drawn type that is not excepted returns to its lastrect."""
    charge_walk(gm, st)
    g = context_at(gm)
    eff = effect_at(gm, e)
    for i in range(g.n_order):
        t = int_at(gm, g.order_at + i)
        spared = 0
        for j in range(eff.list_n):
            if int_at(gm, eff.list_at + j) == t:
                spared = 1
        if spared == 0:
            c = first_moving(gm, st, t)
            while c != 0:
                back_to_last(gm, st, c)
                c = next_moving(gm, st, c)


@inner
def align(gm, st, e, a, b):
    """align: `a` takes `b`'s corner, and its orientation unless told not to."""
    p = sprite_at(a)
    q = sprite_at(b)
    if effect_at(gm, e).bits & E_ORIENT:
        p.ox = q.ox
        p.oy = q.oy
    set_corner(gm, st, a, q.x, q.y)


@inner
def wrap_around(gm, st, e, a):
    """wrapAround: orientation, not position, says to which side."""
    p = sprite_at(a)
    g = context_at(gm)
    offset = effect_at(gm, e).number
    if p.ox > 0.0:
        set_corner(gm, st, a, java_int(offset * p.w), p.y)
    elif p.ox < 0.0:
        set_corner(gm, st, a, java_int(g.width - p.w * (1.0 + offset)), p.y)
    elif p.oy > 0.0:
        set_corner(gm, st, a, p.x, java_int(offset * p.h))
    elif p.oy < 0.0:
        set_corner(gm, st, a, p.x, java_int(g.height - p.h * (1.0 + offset)))
    p.lastmove = 0


@inner
def turn_around(gm, st, a):
    """turnAround: two steps down, then the other way."""
    p = sprite_at(a)
    cooldown = type_at(gm, p.type).cooldown
    back_to_last(gm, st, a)
    p.lastmove = cooldown
    active(gm, st, a, 0.0, 1.0, p.speed)
    p.lastmove = cooldown
    active(gm, st, a, 0.0, 1.0, p.speed)
    p.ox = -p.ox
    p.oy = -p.oy


@inner
def bounce_forward(gm, st, a, b):
    """bounceForward: `a` is pushed the way `b` has just moved."""
    p = sprite_at(a)
    q = sprite_at(b)
    lx = float(q.x - q.lx)
    ly = float(q.y - q.ly)
    dx = unit_x(lx, ly)
    dy = unit_y(lx, ly)
    if lx * q.ox < 0.0:
        dx = -dx
    if ly * q.oy < 0.0:
        dy = -dy
    active(gm, st, a, dx, dy, q.speed)
    p.ox = dx
    p.oy = dy


@inner
def pull_with_it(gm, st, e, a, b):
    """pullWithIt: `a` rides on `b`, once per tick (the clean meaning: the memory belongs to the state)."""
    p = sprite_at(a)
    q = sprite_at(b)
    eff = effect_at(gm, e)
    tick = state_at(st).tick
    if p.pull_tick != tick:
        p.pull_tick = tick
        p.pull_mask = 0
    bit = 1 << eff.pull
    if p.pull_mask & bit:
        return
    p.pull_mask = p.pull_mask | bit
    ty = type_at(gm, p.type)
    lx = float(q.x - q.lx)
    ly = float(q.y - q.ly)
    cell = 10 if ty.physics == 1 else context_at(gm).block
    move(gm, st, a, unit_x(lx, ly), unit_y(lx, ly), java_int(q.speed * cell))
    if ty.physics == 1:
        set_corner(gm, st, a, p.x, q.y - q.h)
        p.oy = 0.0
    if eff.bits & E_PIXEL_PERFECT:
        set_rect(gm, st, a, q.x, q.y, q.w, q.h)


@inner
def teleport(gm, st, a, b):
    """teleportToExit: to a random sprite of exactly the type that `b` leads to; without one `a` dies."""
    p = sprite_at(a)
    q = sprite_at(b)
    ty = type_at(gm, q.type)
    t = ty.itype
    if t == -2:
        t = q.a2
    if t < 0:
        return
    n = group_at(st, t).count
    if n == 0:
        kill(gm, st, a, 0)
        return
    k = next_int(st + RNG_AT, n)
    c = first_of(gm, st, t)
    while k > 0 and c != 0:
        c = next_of(gm, st, c)
        k -= 1
    if c == 0:
        return
    leave = sprite_at(c)
    set_rect(gm, st, a, leave.x, leave.y, leave.w, leave.h)
    p.lastmove = 0
    if leave.bits & ORIENTED:
        p.ox = leave.ox
        p.oy = leave.oy


# --- walls ---


@inner
def rescale(a, vx, vy):
    """Take over a velocity direction: speed times its length, at least the gravity."""
    p = sprite_at(a)
    length = math.sqrt(vx * vx + vy * vy)
    p.ox = unit_x(vx, vy)
    p.oy = unit_y(vx, vy)
    p.speed = length * p.speed
    if p.speed < p.gravity:
        p.speed = p.gravity


@inner
def wall_stop(gm, st, a, b):
    """wallStop: slide along `b`."""
    p = sprite_at(a)
    q = sprite_at(b)
    pixel_perfect(gm, st, a, b)
    dx = abs((p.x + p.w / 2.0) - (q.x + q.w / 2.0))
    dy = abs((p.y + p.h / 2.0) - (q.y + q.h / 2.0))
    if dx > dy:
        rescale(a, 0.0, p.oy)
    else:
        rescale(a, p.ox, 0.0)


@inner
def times(a, rx, ry, rw, rh):
    """Return the collision axes of `a` and a rectangle: bit 0 horizontal, bit 1 vertical (reference/effects 10.5)."""
    p = sprite_at(a)
    left = max(p.x, rx)
    right = min(p.x + p.w, rx + rw)
    top = max(p.y, ry)
    bottom = min(p.y + p.h, ry + rh)
    found = 0
    if p.h == bottom - top:
        found = 1
    if p.w == right - left:
        found = found | 2
    if found != 0:
        return found
    vx = 0.0 if p.speed == 0.0 else p.ox * p.speed
    vy = 0.0 if p.speed == 0.0 else p.oy * p.speed
    if vx == 0.0:
        dist_x = float(abs(p.lx - rx))
    elif vx > 0.0:
        dist_x = float(abs(p.lx + p.w - rx))
    else:
        dist_x = float(abs(rx + rw - p.lx))
    if vy == 0.0:
        dist_y = float(abs(p.ly - ry))
    elif vy > 0.0:
        dist_y = float(abs(p.ly + p.h - ry))
    else:
        dist_y = float(abs(p.ly - (ry + rh)))
    return earlier(dist_x, vx, dist_y, vy)


@inner
def earlier(dist_x, vx, dist_y, vy):
    """1 when x is reached first, 2 when y is, 0 when neither (equal, or 0/0). Division by zero gives infinity."""
    # 0/0 is NaN in the reference: every comparison fails
    if (vx == 0.0 and dist_x == 0.0) or (vy == 0.0 and dist_y == 0.0):
        return 0
    if vx == 0.0:
        return 0 if vy == 0.0 else 2
    if vy == 0.0:
        return 1
    tx = abs(dist_x / vx)
    ty = abs(dist_y / vy)
    if tx < ty:
        return 1
    if ty < tx:
        return 2
    return 0


@inner
def center_gap(a, b):
    """Distance of the centres of the lastrects of two sprites."""
    p = sprite_at(a)
    q = sprite_at(b)
    dx = (p.lx + p.lw / 2.0) - (q.lx + q.lw / 2.0)
    dy = (p.ly + p.lh / 2.0) - (q.ly + q.lh / 2.0)
    return math.sqrt(dx * dx + dy * dy)


@inner
def reflect(gm, a, rx, ry, rw, rh, reverse):
    """wallBounce's (or wallReverse's) change of direction against a rectangle."""
    p = sprite_at(a)
    axes = times(a, rx, ry, rw, rh)
    if reverse != 0:
        rescale(a, p.ox if axes & 2 else -p.ox, 0.0)
    elif axes & 2:
        p.oy = -p.oy
    elif axes & 1:
        p.ox = -p.ox
    else:
        p.ox = -p.ox
        p.oy = -p.oy


@inner
def bounce_batch(gm, st, a, hits, n, reverse):
    """wallBounce and wallReverse against all walls met at once; returns the factor of the score (1 or 2)."""
    first = load64(hits)
    q = sprite_at(first)
    rx = q.x
    ry = q.y
    rw = q.w
    rh = q.h
    factor = 1
    joined = 0
    if n == 2:
        o = sprite_at(load64(hits + 8))
        if q.x + q.w / 2.0 == o.x + o.w / 2.0:
            ry = min(q.y, o.y)
            rh = 2 * q.h
            joined = 1
        elif q.y + q.h / 2.0 == o.y + o.h / 2.0:
            rx = min(q.x, o.x)
            rw = 2 * q.w
            joined = 1
        if joined != 0:
            factor = 2
    if n >= 2 and joined == 0:
        # a stable sort's first element: the earliest of the nearest
        best = center_gap(a, first)
        for i in range(1, n):
            other = load64(hits + 8 * i)
            gap = center_gap(a, other)
            if gap < best:
                best = gap
                first = other
        q = sprite_at(first)
        rx = q.x
        ry = q.y
        rw = q.w
        rh = q.h
    reflect(gm, a, rx, ry, rw, rh, reverse)
    back_to_last(gm, st, a)
    for i in range(n):
        back_to_last(gm, st, load64(hits + 8 * i))
    return factor


@inner
def bounce_single(gm, st, a, b, reverse):
    """wallBounce and wallReverse with inBatch=False."""
    p = sprite_at(a)
    if reverse == 0 and p.gravity > 0.0:
        active(gm, st, a, 0.0, -1.0, 0.0)
    q = sprite_at(b)
    reflect(gm, a, q.x, q.y, q.w, q.h, reverse)
    back_to_last(gm, st, a)
    back_to_last(gm, st, b)


@inner
def bounce_direction(gm, e, a, b):
    """bounceDirection: like a paddle, the farther from the centre the flatter."""
    p = sprite_at(a)
    q = sprite_at(b)
    vx = 0.0 if p.speed == 0.0 else p.ox * p.speed
    vy = 0.0 if p.speed == 0.0 else p.oy * p.speed
    dist_x = float(min(abs(p.lx - (q.x + q.w)), abs(p.lx + p.w - q.x)))
    dist_y = float(min(abs(p.ly - (q.y + q.h)), abs(p.ly + p.h - q.y)))
    way = earlier(dist_x, vx, dist_y, vy)
    if way == 0:
        p.ox = -p.ox
        return
    pcx = p.x + p.w / 2.0
    pcy = p.y + p.h / 2.0
    qcx = q.x + q.w / 2.0
    qcy = q.y + q.h / 2.0
    if way == 2:
        pad = float(q.w)
        diff = pcx - qcx
        side = 1.0 if pcy < qcy else -1.0
    else:
        pad = float(q.h)
        diff = qcy - pcy
        side = 1.0 if pcx > qcx else -1.0
    r = diff / (0.5 * pad)
    if r < -1.0:
        r = -1.0
    elif r > 1.0:
        r = 1.0
    angle = r * (effect_at(gm, e).number * 0.017453292519943295)
    if way == 2:
        dx = sine(angle)
        dy = -cosine(angle) * side
    else:
        dx = cosine(angle) * side
        dy = -sine(angle)
    p.ox = unit_x(dx, dy)
    p.oy = unit_y(dx, dy)


# --- direction and speed ---


@inner
def flip_direction(st, a):
    """flipDirection: one draw, any base direction."""
    p = sprite_at(a)
    k = next_int(st + RNG_AT, 4)
    p.ox = dir_x(k)
    p.oy = dir_y(k)


@inner
def attract_gaze(gm, st, e, a, b):
    """attractGaze: `a` looks where `b` looks, with a draw when both are oriented."""
    p = sprite_at(a)
    q = sprite_at(b)
    eff = effect_at(gm, e)
    if p.bits & ORIENTED == 0 or q.bits & ORIENTED == 0:
        return
    if next_double(st + RNG_AT) >= eff.prob:
        return
    p.ox = q.ox
    p.oy = q.oy
    if eff.bits & E_ALIGN:
        if p.oy == 0.0 and (p.ox == 1.0 or p.ox == -1.0):
            set_corner(gm, st, a, p.x, q.y)
        else:
            set_corner(gm, st, a, q.x, p.y)


@inner
def speed_to_all(gm, st, e, mode):
    """increaseSpeedToAll (1), decreaseSpeedToAll (2), setSpeedForAll (0)."""
    charge_walk(gm, st)
    eff = effect_at(gm, e)
    ty = type_at(gm, eff.stype)
    for i in range(ty.sub_n):
        c = first_moving(gm, st, int_at(gm, ty.sub_at + i))
        while c != 0:
            s = sprite_at(c)
            if mode == 0:
                s.speed = eff.number
            elif mode == 1:
                s.speed += eff.number
            else:
                s.speed -= eff.number
                if s.speed < 0.0:
                    s.speed = 0.0
            c = next_moving(gm, st, c)
