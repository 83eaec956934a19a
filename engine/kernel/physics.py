"""Movement: grid and continuous physics, passive and active steps (reference/physics 9).

All arithmetic is IEEE double in the order of docs/reference, because results reach integer pixels by truncation.
"""

from __future__ import annotations

import math

from pcg.engine.kernel.groups import type_at
from pcg.engine.kernel.layout import (
    FIRST_TICK,
    ON_GROUND,
    ORIENTED,
    T_ONLY_ACTIVE,
    T_ROTATE,
    T_STATIC,
    T_STATIONARY,
    context_at,
    sprite_at,
)
from pcg.engine.kernel.reals import quotient
from pcg.engine.kernel.runtime import inner
from pcg.engine.kernel.store import along, java_int, set_corner

STILL = 0
MOVE = 1
ROTATE = 2


@inner
def dir_x(k):
    """x of the k-th base direction: UP, LEFT, DOWN, RIGHT."""
    if k == 1:
        return -1.0
    if k == 3:
        return 1.0
    return 0.0


@inner
def dir_y(k):
    """y of the k-th base direction: UP, LEFT, DOWN, RIGHT."""
    if k == 0:
        return -1.0
    if k == 2:
        return 1.0
    return 0.0


@inner
def pre_movement(a):
    """Start of a sprite's update: lastrect = rect, lastmove + 1."""
    p = sprite_at(a)
    p.lx = p.x
    p.ly = p.y
    p.lw = p.w
    p.lh = p.h
    p.lastmove += 1


@inner
def move(gm, st, a, dx, dy, pixels):
    """Position update by a direction and whole pixels; 1 when it happened, even if both axes truncated to 0."""
    p = sprite_at(a)
    if pixels == 0:
        pixels = java_int(p.speed)
        if pixels == 0:
            return 0
    if type_at(gm, p.type).cooldown <= p.lastmove and abs(dx) + abs(dy) != 0.0:
        set_corner(gm, st, a, p.x + along(dx, pixels), p.y + along(dy, pixels))
        p.lastmove = 0
        return 1
    return 0


@inner
def turn(a, dx, dy):
    """Face a new direction: 1 when the orientation changed."""
    p = sprite_at(a)
    if p.bits & ORIENTED == 0 or (p.ox == dx and p.oy == dy):
        return 0
    p.ox = dx
    p.oy = dy
    return 1


@inner
def grid_active(gm, st, a, dx, dy, speed):
    """Active step on the grid: STILL, MOVE or ROTATE."""
    p = sprite_at(a)
    ty = type_at(gm, p.type)
    if ty.bits & T_STATIONARY:
        return STILL
    if speed == 0.0:
        speed = 1.0 if p.speed <= 0.0 else p.speed
    if dx != 0.0 or dy != 0.0:
        if ty.bits & T_ROTATE and turn(a, dx, dy) != 0:
            return ROTATE
        if move(gm, st, a, dx, dy, java_int(speed * context_at(gm).block)) != 0:
            return MOVE
    return STILL


@inner
def cont_active(gm, a, dx, dy, speed):
    """Active step in continuous physics: steers, never displaces."""
    p = sprite_at(a)
    ty = type_at(gm, p.type)
    if speed == 0.0 or speed == -1.0:
        speed = p.speed
    vx = quotient(dx, ty.mass) + p.ox * speed
    vy = quotient(dy, ty.mass) + p.oy * speed
    magnitude = math.sqrt(vx * vx + vy * vy)
    capped = magnitude
    if ty.max_speed != -1.0 and magnitude > ty.max_speed:
        capped = ty.max_speed
    p.speed = capped
    if magnitude == 0.0:
        p.ox = 0.0
        p.oy = 0.0
    else:
        p.ox = vx / magnitude
        p.oy = vy / magnitude
    if dx == 0.0 and dy == 0.0:
        return STILL
    return MOVE


@inner
def active(gm, st, a, dx, dy, speed):
    """A(d, s): the active step of the sprite's own physics."""
    if type_at(gm, sprite_at(a).type).physics == 1:
        return cont_active(gm, a, dx, dy, speed)
    return grid_active(gm, st, a, dx, dy, speed)


@inner
def passive(gm, st, a):
    """P: the passive step of the sprite's own physics."""
    p = sprite_at(a)
    ty = type_at(gm, p.type)
    if ty.bits & (T_STATIC | T_ONLY_ACTIVE):
        return STILL
    if p.bits & FIRST_TICK:
        p.bits = p.bits & ~FIRST_TICK
        return STILL
    if ty.physics == 1:
        if p.speed == 0.0:
            return STILL
        move(gm, st, a, p.ox, p.oy, java_int(p.speed))
        if p.gravity > 0.0 and ty.mass > 0.0 and p.bits & ON_GROUND == 0:
            cont_active(gm, a, 0.0, p.gravity * ty.mass, 0.0)
        p.speed *= 1.0 - ty.friction
        return MOVE
    speed = 1.0 if p.speed == -1.0 else p.speed
    if speed != 0.0 and p.bits & ORIENTED and move(gm, st, a, p.ox, p.oy, java_int(speed * context_at(gm).block)) != 0:
        return MOVE
    return STILL


@inner
def distance(gm, p_type, ax, ay, bx, by):
    """Distance of two corners in pixels, by the metric of the sprite's physics."""
    dx = float(bx - ax)
    dy = float(by - ay)
    if type_at(gm, p_type).physics == 1:
        return math.sqrt(dy * dy + dx * dx)
    return abs(dx) + abs(dy)


@inner
def unit_x(x, y):
    """x of the normalised vector; 0 for the zero vector."""
    magnitude = math.sqrt(x * x + y * y)
    return 0.0 if magnitude == 0.0 else x / magnitude


@inner
def unit_y(x, y):
    """y of the normalised vector; 0 for the zero vector."""
    magnitude = math.sqrt(x * x + y * y)
    return 0.0 if magnitude == 0.0 else y / magnitude
