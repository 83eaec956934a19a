"""Updates of the avatar classes (reference/avatars 8).

`action` is the code of the player's action after filtering (`ids.ACTIONS`); it yields a direction and a USE flag.
"""

from __future__ import annotations

import math

from pcg.engine.kernel.groups import int_at, type_at
from pcg.engine.kernel.ids import CLASS_ID
from pcg.engine.kernel.layout import FROM_AVATAR, ON_GROUND, ORIENTED, T_HAS_AMMO, sprite_at, state_at
from pcg.engine.kernel.physics import MOVE, STILL, active, move, passive, turn, unit_x, unit_y
from pcg.engine.kernel.reals import arctangent, cosine, quotient, sine
from pcg.engine.kernel.runtime import call4, inner
from pcg.engine.kernel.store import add_sprite, java_int, left_last, res_get, res_held, res_set

_UP, _LEFT, _DOWN, _RIGHT, _USE = 1, 2, 3, 4, 5

_FLAK = CLASS_ID["FlakAvatar"]
_ORIENTED = CLASS_ID["OrientedAvatar"]
_ONGOING = CLASS_ID["OngoingAvatar"]
_ONGOING_TURNING = CLASS_ID["OngoingTurningAvatar"]
_MISSILE = CLASS_ID["MissileAvatar"]
_CAR = CLASS_ID["CarAvatar"]
_LANDER = CLASS_ID["LanderAvatar"]
_BIRD = CLASS_ID["BirdAvatar"]
_SHOOT = CLASS_ID["ShootAvatar"]
_ONGOING_SHOOT = CLASS_ID["OngoingShootAvatar"]
_SHOOT_ONLY = CLASS_ID["ShootOnlyAvatar"]
_AIMED = CLASS_ID["AimedAvatar"]
_SPACESHIP = CLASS_ID["SpaceshipAvatar"]
_PLATFORMER = CLASS_ID["PlatformerAvatar"]
_WIZARD = CLASS_ID["WizardAvatar"]


@inner
def action_x(action):
    """x of the direction an action asks for."""
    # no branches: which action comes next is what nobody can foretell
    return float(int(action == _RIGHT) - int(action == _LEFT))


@inner
def action_y(action):
    """y of the direction an action asks for."""
    return float(int(action == _DOWN) - int(action == _UP))


@inner
def common_move(gm, st, a, action):
    """MovingAvatar's movement: passive only off the grid, then the active step in the pressed direction."""
    p = sprite_at(a)
    if type_at(gm, p.type).grid_number == 0:
        passive(gm, st, a)
    return active(gm, st, a, action_x(action), action_y(action), p.speed)


@inner
def passive_off_grid(gm, st, a):
    """Movement of avatars that steer by rotation: only the passive step, only off the grid."""
    if type_at(gm, sprite_at(a).type).grid_number == 0:
        passive(gm, st, a)


@inner
def face_movement(gm, a, kind):
    """OrientedAvatar: on the grid, face the way just moved."""
    p = sprite_at(a)
    if kind == MOVE and type_at(gm, p.type).grid_number != 0:
        dx = float(p.x - p.lx)
        dy = float(p.y - p.ly)
        p.ox = unit_x(dx, dy)
        p.oy = unit_y(dx, dy)


# --- shooting ---


@inner
def has_ammo(gm, st, a, i):
    """1 when the i-th weapon can fire."""
    ty = type_at(gm, sprite_at(a).type)
    if ty.bits & T_HAS_AMMO == 0 or i >= ty.ammo_n:
        return 1
    return 1 if res_get(gm, st, a, int_at(gm, ty.ammo_at + i)) > 0 else 0


@inner
def shoot(gm, st, a, i):
    """Fire the i-th weapon in the direction faced."""
    p = sprite_at(a)
    ty = type_at(gm, p.type)
    if ty.cls == _SPACESHIP:
        ux = cosine(p.rotation)
        uy = sine(p.rotation)
    else:
        ux = unit_x(p.ox, p.oy)
        uy = unit_y(p.ox, p.oy)
    child = add_sprite(gm, st, int_at(gm, ty.list_at + i), java_int(p.x + ux * p.lw), java_int(p.y + uy * p.lh), 0)
    if child != 0:
        c = sprite_at(child)
        if c.bits & ORIENTED:
            c.ox = ux
            c.oy = uy
        if ty.bits & T_HAS_AMMO and i < ty.ammo_n:
            column = int_at(gm, ty.ammo_at + i)
            if res_held(gm, st, a, column) != 0:
                res_set(gm, st, a, column, res_get(gm, st, a, column) - 1)
        c.bits = c.bits | FROM_AVATAR


@inner
def use_weapon(gm, st, a, action):
    """USE fires the first weapon that has ammunition."""
    if action != _USE:
        return
    ty = type_at(gm, sprite_at(a).type)
    for i in range(ty.list_n):
        if has_ammo(gm, st, a, i) != 0:
            shoot(gm, st, a, i)
            return


@inner
def update_flak(gm, st, a, action):
    """FlakAvatar: moves sideways; USE drops a projectile that keeps its own orientation."""
    if common_move(gm, st, a, action) != STILL or action != _USE:
        return
    p = sprite_at(a)
    ty = type_at(gm, p.type)
    armed = 1
    column = -1
    if ty.bits & T_HAS_AMMO:
        column = int_at(gm, ty.ammo_at)
        armed = 0
        if res_held(gm, st, a, column) != 0:
            amount = res_get(gm, st, a, column)
            threshold = ty.min_ammo if ty.min_ammo > -1 else 0
            armed = 1 if amount > threshold else 0
    if armed != 0:
        child = add_sprite(gm, st, ty.stype, p.x, p.y, 0)
        if child != 0:
            if column >= 0:
                res_set(gm, st, a, column, res_get(gm, st, a, column) - ty.ammo_cost)
            c = sprite_at(child)
            c.bits = c.bits | FROM_AVATAR


@inner
def update_shoot_only(gm, st, a, action):
    """ShootOnlyAvatar: every key is a weapon."""
    passive_off_grid(gm, st, a)
    if action == _USE:
        i = 4
    elif action == _LEFT:
        i = 0
    elif action == _UP:
        i = 1
    elif action == _RIGHT:
        i = 2
    elif action == _DOWN:
        i = 3
    else:
        return
    if i < type_at(gm, sprite_at(a).type).list_n and has_ammo(gm, st, a, i) != 0:
        shoot(gm, st, a, i)


# --- avatars that keep going ---


@inner
def update_ongoing(gm, st, a, action):
    """OngoingAvatar, OngoingShootAvatar, OngoingTurningAvatar, MissileAvatar."""
    p = sprite_at(a)
    cls = type_at(gm, p.type).cls
    dx = action_x(action)
    dy = action_y(action)
    pressed = dx != 0.0 or dy != 0.0
    if pressed and cls != _MISSILE:
        if cls != _ONGOING_TURNING or dx * p.ox + dy * p.oy == 0.0:
            turn(a, dx, dy)
    passive(gm, st, a)
    if cls == _ONGOING_SHOOT:
        if not pressed:
            use_weapon(gm, st, a, action)
    elif cls == _ONGOING_TURNING and left_last(a) != 0:
        add_sprite(gm, st, type_at(gm, p.type).stype, p.lx, p.ly, 0)


# --- continuous control ---


@inner
def steer(gm, a, action):
    """LEFT and RIGHT turn the rotation."""
    p = sprite_at(a)
    angle = type_at(gm, p.type).angle
    if action == _LEFT:
        p.rotation -= angle
    elif action == _RIGHT:
        p.rotation += angle


@inner
def thrust(gm, st, a, angle, speed):
    """Active step along an angle."""
    active(gm, st, a, cosine(angle), sine(angle), speed)


@inner
def update_aimed(gm, st, a, action):
    """AimedAvatar: a gun that UP and DOWN aim. It uses its weapon twice per tick, like the reference."""
    kind = common_move(gm, st, a, action)
    face_movement(gm, a, kind)
    if kind == STILL:
        use_weapon(gm, st, a, action)
    use_weapon(gm, st, a, action)
    p = sprite_at(a)
    angle = 0.0
    if action == _UP:
        angle = -type_at(gm, p.type).angle
    elif action == _DOWN:
        angle = type_at(gm, p.type).angle
    ox = p.ox
    oy = p.oy
    p.ox = ox * cosine(angle) - oy * sine(angle)
    p.oy = ox * sine(angle) + oy * cosine(angle)
    p.rotation = arctangent(p.oy, p.ox)
    if action == _UP:
        thrust(gm, st, a, p.rotation, p.speed)
    elif action == _DOWN:
        thrust(gm, st, a, p.rotation + math.pi, p.speed)


@inner
def update_spaceship(gm, st, a, action):
    """SpaceshipAvatar: rotates, thrusts both ways, shoots twice per tick."""
    passive_off_grid(gm, st, a)
    use_weapon(gm, st, a, action)
    use_weapon(gm, st, a, action)
    steer(gm, a, action)
    p = sprite_at(a)
    if action == _UP:
        thrust(gm, st, a, p.rotation, p.speed)
    elif action == _DOWN:
        thrust(gm, st, a, p.rotation + math.pi, p.speed)


@inner
def update_lander(gm, st, a, action):
    """LanderAvatar: rotates, thrusts forwards."""
    passive_off_grid(gm, st, a)
    steer(gm, a, action)
    p = sprite_at(a)
    if action == _UP:
        thrust(gm, st, a, p.rotation, p.speed)


@inner
def update_car(gm, st, a, action):
    """CarAvatar: always accelerates, forwards or backwards."""
    passive_off_grid(gm, st, a)
    steer(gm, a, action)
    p = sprite_at(a)
    if action == _UP:
        p.a0 = 0
    elif action == _DOWN:
        p.a0 = 1
    thrust(gm, st, a, p.rotation + p.a0 * math.pi, 5.0)


@inner
def update_bird(gm, st, a, action):
    """BirdAvatar: USE flaps; flies to the right on its own."""
    face_movement(gm, a, common_move(gm, st, a, action))
    p = sprite_at(a)
    dx = 1.0 if abs(p.ox) < 0.5 else 0.0
    if action == _USE:
        p.oy = 0.0
        active(gm, st, a, 0.0, -type_at(gm, p.type).jump, p.speed)
    active(gm, st, a, dx, 0.0, p.speed)
    p.rotation = arctangent(p.oy, p.ox)


@inner
def update_platformer(gm, st, a, action):
    """PlatformerAvatar and WizardAvatar: run and jump; the wizard also builds blocks."""
    passive_off_grid(gm, st, a)
    p = sprite_at(a)
    ty = type_at(gm, p.type)
    dx = action_x(action)
    dy = action_y(action)
    if dx != 0.0 or dy != 0.0:
        dx = dx * ty.ground_factor if p.bits & ON_GROUND else quotient(dx, ty.air_factor)
        active(gm, st, a, dx, dy, p.speed)
    if action == _USE and p.bits & ON_GROUND:
        p.oy = 0.0
        active(gm, st, a, 0.0, -ty.jump, p.speed)
        p.lastmove = ty.cooldown
        move(gm, st, a, 0.0, -1.0, 5)
    if ty.cls == _WIZARD:
        tick = state_at(st).tick
        if action == _UP and p.a0 + 5 <= tick:
            active(gm, st, a, 0.0, 1.0, -1.0)
            fx = 1.0 if p.a1 >= 0 else -1.0
            for i in range(ty.list_n):
                add_sprite(
                    gm, st, int_at(gm, ty.list_at + i), java_int(p.x + fx * p.lw * 1.2), java_int(p.y + 0.0 * p.lh), 0
                )
            p.a0 = tick
        if action == _LEFT:
            p.a1 = -1
        elif action == _RIGHT:
            p.a1 = 1
    p.bits = p.bits & ~ON_GROUND


# --- dispatch ---


@inner
def update_avatar(gm, st, a, action):
    """The update of the avatar's class."""
    ty = type_at(gm, sprite_at(a).type)
    cls = ty.cls
    if ty.update != 0:
        call4(ty.update, gm, st, a, action)
    elif cls == _FLAK:
        update_flak(gm, st, a, action)
    elif cls == _SHOOT or cls == _ORIENTED:
        kind = common_move(gm, st, a, action)
        face_movement(gm, a, kind)
        if cls == _SHOOT and kind == STILL:
            use_weapon(gm, st, a, action)
    elif cls == _ONGOING or cls == _ONGOING_SHOOT or cls == _ONGOING_TURNING or cls == _MISSILE:
        update_ongoing(gm, st, a, action)
    elif cls == _SHOOT_ONLY:
        update_shoot_only(gm, st, a, action)
    elif cls == _AIMED:
        update_aimed(gm, st, a, action)
    elif cls == _SPACESHIP:
        update_spaceship(gm, st, a, action)
    elif cls == _LANDER:
        update_lander(gm, st, a, action)
    elif cls == _CAR:
        update_car(gm, st, a, action)
    elif cls == _BIRD:
        update_bird(gm, st, a, action)
    elif cls == _PLATFORMER or cls == _WIZARD:
        update_platformer(gm, st, a, action)
    else:
        common_move(gm, st, a, action)
