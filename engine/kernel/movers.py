"""Updates of all sprite classes that are not avatars (reference/sprites 7); `chasers` has those that chase.

Each function is one class's update after pre-movement. Draws from the game's generator happen exactly where the
reference puts them; the auxiliary generator replaces what the reference draws unseeded (docs/compatibility.md).
"""

from __future__ import annotations

from pcg.engine.kernel.cells import follow_cell
from pcg.engine.kernel.chasers import (
    random_move,
    random_step,
    step_towards,
    update_alternate,
    update_chaser,
    update_path_alternate,
    update_path_chaser,
)
from pcg.engine.kernel.groups import group_at, int_at, slot_from, type_at
from pcg.engine.kernel.ids import CLASS_ID, FIRST_AVATAR_CLASS
from pcg.engine.kernel.layout import (
    AUX_AT,
    FIRST_TICK,
    ON_GROUND,
    ORIENTED,
    RNG_AT,
    T_AIRSTEERING,
    T_PASSIVE_SKIP,
    context_at,
    sprite_at,
    state_at,
)
from pcg.engine.kernel.physics import active, dir_x, dir_y, move, passive
from pcg.engine.kernel.random import following, next_double, next_float, next_int
from pcg.engine.kernel.runtime import call4, inner, load64, store64
from pcg.engine.kernel.store import add_sprite, along, java_int, kill, mark_entries

_FLICKER = CLASS_ID["Flicker"]
_ORIENTED_FLICKER = CLASS_ID["OrientedFlicker"]
_SPREADER = CLASS_ID["Spreader"]
_RANDOM_MISSILE = CLASS_ID["RandomMissile"]
_RANDOM_NPC = CLASS_ID["RandomNPC"]
_RANDOM_INERTIAL = CLASS_ID["RandomInertial"]
_CHASER = CLASS_ID["Chaser"]
_FLEEING = CLASS_ID["Fleeing"]
_LOS_CHASER = CLASS_ID["LOSChaser"]
_PATH_CHASER = CLASS_ID["PathChaser"]
_ALTERNATE = CLASS_ID["AlternateChaser"]
_RANDOM_ALT = CLASS_ID["RandomAltChaser"]
_PATH_ALT = CLASS_ID["PathAltChaser"]
_RANDOM_PATH_ALT = CLASS_ID["RandomPathAltChaser"]
_WALKER = CLASS_ID["Walker"]
_JUMPER = CLASS_ID["WalkerJumper"]
_SPAWN = CLASS_ID["SpawnPoint"]
_BOMBER = CLASS_ID["Bomber"]
_RANDOM_BOMBER = CLASS_ID["RandomBomber"]
_MISSILE_BOMBER = CLASS_ID["BomberRandomMissile"]
_MULTI_SPAWN = CLASS_ID["SpawnPointMultiSprite"]


# --- basics ---


@inner
def time_to_live(gm, st, a):
    """A sprite with timeToLive N dies in its (N+1)-th update."""
    p = sprite_at(a)
    if p.ttl > -1:
        if p.ttl > 0:
            p.ttl -= 1
        else:
            kill(gm, st, a, 0)


@inner
def base_update(gm, st, a):
    """The base update: passive step, then time to live."""
    passive(gm, st, a)
    time_to_live(gm, st, a)


@inner
def glide(gm, st, t):
    """The updates of a whole group whose update is the passive step on the grid: pre-movement, then `passive`."""
    g = context_at(gm)
    s = state_at(st)
    ty = type_at(gm, t)
    cooldown = ty.cooldown
    stands = ty.bits & T_PASSIVE_SKIP
    block = g.block
    grid = s.grid
    clock = s.clock
    base = st + s.at_sprites
    stride = g.stride
    group = group_at(st, t)
    slot = group.head
    moved = 0
    # most sprites of a type are as fast as each other
    known = 0.0
    step = 0
    while slot >= 0:
        a = slot_from(st, base, stride, slot)
        p = sprite_at(a)
        x = p.x
        y = p.y
        p.lx = x
        p.ly = y
        p.lw = p.w
        p.lh = p.h
        waited = p.lastmove + 1
        p.lastmove = waited
        slot = p.next
        if stands != 0:
            continue
        if p.bits & FIRST_TICK:
            p.bits = p.bits & ~FIRST_TICK
            continue
        speed = p.speed
        if speed == -1.0:
            speed = 1.0
        if speed == 0.0 or p.bits & ORIENTED == 0 or cooldown > waited:
            continue
        ox = p.ox
        oy = p.oy
        if ox == 0.0 and oy == 0.0:
            continue
        if speed != known:
            known = speed
            step = java_int(speed * block)
        pixels = step
        if pixels == 0:
            # the move's own default is the speed in pixels (reference/physics 9.4)
            pixels = java_int(p.speed)
            if pixels == 0:
                continue
        p.lastmove = 0
        x += along(ox, pixels)
        y += along(oy, pixels)
        if x != p.x or y != p.y:
            p.x = x
            p.y = y
            p.moved = clock
            p.near = -1
            moved = 1
            if grid != 0:
                follow_cell(gm, st, a)
    if moved != 0:
        group.stamp = clock
        mark_entries(gm, st, t)


# --- simple classes ---


@inner
def update_flicker(gm, st, a):
    """Flicker: dies in its (limit+2)-th update."""
    base_update(gm, st, a)
    p = sprite_at(a)
    if p.a0 > type_at(gm, p.type).limit:
        kill(gm, st, a, 0)
    p.a0 += 1


@inner
def update_spreader(gm, st, a):
    """Spreader: in its second update, one draw per direction and a child where it succeeds."""
    update_flicker(gm, st, a)
    p = sprite_at(a)
    if p.a0 == 2:
        ty = type_at(gm, p.type)
        for k in range(4):
            if next_double(st + RNG_AT) < ty.prob:
                x = p.lx + java_int(dir_x(k) * p.lw)
                y = p.ly + java_int(dir_y(k) * p.lh)
                add_sprite(gm, st, ty.stype, x, y, 0)


@inner
def update_random_missile(gm, st, a):
    """RandomMissile: draws its direction in the first update that finds none."""
    p = sprite_at(a)
    if p.ox == -1.0 and p.oy == -1.0:
        k = next_int(st + RNG_AT, 4)
        p.ox = dir_x(k)
        p.oy = dir_y(k)
    passive(gm, st, a)


@inner
def update_random_npc(gm, st, a):
    """RandomNPC and RandomInertial."""
    passive(gm, st, a)
    step_towards(gm, st, a, random_move(gm, st, a))


# --- walkers ---


@inner
def update_walker(gm, st, a):
    """Walker: keeps its heading, turns when it made no way."""
    passive(gm, st, a)
    p = sprite_at(a)
    ty = type_at(gm, p.type)
    if ty.bits & T_AIRSTEERING or p.x == p.lx:
        if p.ox > 0.0:
            heading = 1.0
        elif p.ox < 0.0:
            heading = -1.0
        else:
            heading = 1.0 if next_int(st + RNG_AT, 2) == 1 else -1.0
        p.ox = heading
        p.oy = 0.0
        active(gm, st, a, heading, 0.0, ty.max_speed)
    p.speed = ty.max_speed
    p.bits = p.bits & ~ON_GROUND


@inner
def update_jumper(gm, st, a):
    """WalkerJumper: now and then jumps off the ground; the draw is the auxiliary generator's."""
    passive(gm, st, a)
    p = sprite_at(a)
    ty = type_at(gm, p.type)
    if p.bits & ON_GROUND and ty.prob > next_double(st + AUX_AT):
        p.oy = 0.0
        active(gm, st, a, 0.0, -ty.jump, p.speed)
        p.lastmove = ty.cooldown
        move(gm, st, a, 0.0, -1.0, 5)
    else:
        active(gm, st, a, p.ox, p.oy, p.speed)
    p.bits = p.bits & ~ON_GROUND


# --- producers ---


@inner
def produce(gm, st, a, t):
    """Add one child of type t at the producer's corner and hand over the orientation."""
    p = sprite_at(a)
    ty = type_at(gm, p.type)
    child = add_sprite(gm, st, t, p.x, p.y, 0)
    if child != 0:
        p.a1 += 1
        c = sprite_at(child)
        if ty.spawn_ox != 0.0 or ty.spawn_oy != 0.0:
            c.ox = ty.spawn_ox
            c.oy = ty.spawn_oy
        elif c.ox == 0.0 and c.oy == 0.0:
            c.ox = p.ox
            c.oy = p.oy


@inner
def draw_children(gm, st, a, t, several):
    """One nextFloat, and the children when it is due; `several` spawns the whole type list."""
    p = sprite_at(a)
    ty = type_at(gm, p.type)
    tick = state_at(st).tick
    if p.a0 == -1:
        p.a0 = tick
    draw = next_float(st + RNG_AT)
    if draw < ty.prob and (p.a0 + tick) % ty.cooldown == 0:
        if several != 0:
            for i in range(ty.list_n):
                produce(gm, st, a, int_at(gm, ty.list_at + i))
        else:
            produce(gm, st, a, t)


@inner
def update_spawn(gm, st, a, t, several):
    """SpawnPoint and kin: draws in every update, then moves, and dies when all its children are made."""
    draw_children(gm, st, a, t, several)
    base_update(gm, st, a)
    p = sprite_at(a)
    total = type_at(gm, p.type).total
    if total > 0 and p.a1 >= total:
        kill(gm, st, a, 0)


@inner
def run_producers(gm, st, t, fresh):
    """The updates of a whole group of standing producers; children that join this group wait for the next tick.

    `fresh`: some have not been updated before.
    """
    ty = type_at(gm, t)
    cls = ty.cls
    if cls != _MISSILE_BOMBER and fresh == 0 and draw_none(gm, st, t) != 0:
        return
    total = ty.total
    last = state_at(st).next_id
    base = st + state_at(st).at_sprites
    stride = context_at(gm).stride
    slot = group_at(st, t).head
    while slot >= 0:
        a = slot_from(st, base, stride, slot)
        p = sprite_at(a)
        if p.id >= last:
            break
        if cls == _MISSILE_BOMBER:
            draw_children(gm, st, a, missile_type(gm, a, next_int(st + RNG_AT, ty.list_n)), 0)
        elif cls == _MULTI_SPAWN:
            draw_children(gm, st, a, -1, 1)
        else:
            draw_children(gm, st, a, p.a2, 0)
        if total > 0 and p.a1 >= total:
            kill(gm, st, a, 0)
        slot = p.next


@inner
def draw_none(gm, st, t):
    """Draw for all producers of a type at once: 0, and no draw at all, when a child may be due to one of them."""
    limit = type_at(gm, t).prob * 16777216.0
    state = load64(st + RNG_AT)
    for _ in range(group_at(st, t).moving):
        state = following(state)
        # a draw is 24 bits, a number below 1
        if float(state >> 24) < limit:
            return 0
    store64(st + RNG_AT, state)
    return 1


@inner
def missile_type(gm, a, k):
    """k-th type of a BomberRandomMissile's list, an effect's changes included; -1 for none."""
    p = sprite_at(a)
    ty = type_at(gm, p.type)
    if k >= ty.list_n:
        return -1
    if p.missiles != 0 and k < 7:
        return ((p.missiles >> (9 * k)) & 511) - 1
    return int_at(gm, ty.list_at + k)


# --- dispatch ---


@inner
def update_sprite(gm, st, a):
    """The update of a sprite's class."""
    p = sprite_at(a)
    ty = type_at(gm, p.type)
    cls = ty.cls
    if cls >= FIRST_AVATAR_CLASS:
        return
    if ty.update != 0:
        call4(ty.update, gm, st, a, 0)
    elif cls == _SPAWN or cls == _BOMBER:
        update_spawn(gm, st, a, p.a2, 0)
    elif cls == _RANDOM_NPC or cls == _RANDOM_INERTIAL:
        update_random_npc(gm, st, a)
    elif cls == _FLICKER or cls == _ORIENTED_FLICKER:
        update_flicker(gm, st, a)
    elif cls == _CHASER or cls == _FLEEING:
        update_chaser(gm, st, a, 0)
    elif cls == _LOS_CHASER:
        update_chaser(gm, st, a, 1)
    elif cls == _RANDOM_MISSILE:
        update_random_missile(gm, st, a)
    elif cls == _RANDOM_BOMBER:
        step_towards(gm, st, a, next_int(st + RNG_AT, 4))
        update_spawn(gm, st, a, p.a2, 0)
    elif cls == _MISSILE_BOMBER:
        update_spawn(gm, st, a, missile_type(gm, a, next_int(st + RNG_AT, ty.list_n)), 0)
    elif cls == _MULTI_SPAWN:
        update_spawn(gm, st, a, -1, 1)
    elif cls == _SPREADER:
        update_spreader(gm, st, a)
    elif cls == _PATH_CHASER:
        update_path_chaser(gm, st, a)
    elif cls == _ALTERNATE:
        update_alternate(gm, st, a)
    elif cls == _PATH_ALT:
        update_path_alternate(gm, st, a)
    elif cls == _RANDOM_ALT or cls == _RANDOM_PATH_ALT:
        if next_double(st + RNG_AT) < ty.epsilon:
            random_step(gm, st, a)
        elif cls == _RANDOM_ALT:
            update_alternate(gm, st, a)
        else:
            update_path_alternate(gm, st, a)
    elif cls == _WALKER:
        update_walker(gm, st, a)
    elif cls == _JUMPER:
        update_jumper(gm, st, a)
    else:
        base_update(gm, st, a)
