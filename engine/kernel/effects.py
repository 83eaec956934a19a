"""Execution of effects: score, counters, events, time queue (reference/effects 10.4, reference/terminations 4.4)."""

from __future__ import annotations

from pcg.engine.kernel.bounds import inside, outgrow, within
from pcg.engine.kernel.effects_life import (
    add_health,
    change_resource,
    collect,
    collect_if_held,
    kill_all,
    kill_by_speed,
    kill_if_alive,
    kill_if_from_above,
    kill_if_frontal,
    kill_if_held,
    kill_if_not_upright,
    kill_if_other_has,
    remove_score,
    shield_from,
    spawn_at,
    spawn_behind,
    spawn_beside,
    spawn_if_held,
    spawn_if_sub_types,
    subtract_health,
    transform,
    transform_if_count,
    transform_to_all,
    transform_to_child,
    transform_to_singleton,
    update_spawn_type,
)
from pcg.engine.kernel.effects_motion import (
    align,
    attract_gaze,
    bounce_direction,
    bounce_forward,
    bounce_single,
    flip_direction,
    pull_with_it,
    speed_to_all,
    step_back,
    teleport,
    turn_around,
    undo_all,
    wall_stop,
    wrap_around,
)
from pcg.engine.kernel.groups import effect_at, int_at, type_at
from pcg.engine.kernel.ids import EFFECT_ID
from pcg.engine.kernel.layout import (
    APPLY_SCORE,
    COUNT,
    COUNT_ELSE,
    DISABLED,
    EVENT_BYTES,
    FIRED,
    FROM_AVATAR,
    RNG_AT,
    SCORE_AT,
    SCORE_IF_KILLED,
    T_AVATAR,
    TIME_EFFECT_BYTES,
    TIMER_BYTES,
    context_at,
    event_view,
    sprite_at,
    state_at,
    time_effect_view,
    timer_view,
)
from pcg.engine.kernel.random import next_double
from pcg.engine.kernel.runtime import (
    CHECKED,
    call5,
    inlined,
    inner,
    load8,
    load32,
    load64,
    load_double,
    store8,
    store32,
    store_double,
)
from pcg.engine.kernel.store import add_sprite, is_killed, kill

_E = EFFECT_ID
_STEP_BACK, _UNDO_ALL, _ALIGN, _WRAP = _E["stepBack"], _E["undoAll"], _E["align"], _E["wrapAround"]
_TURN_AROUND, _BOUNCE_FORWARD, _PULL = _E["turnAround"], _E["bounceForward"], _E["pullWithIt"]
_TELEPORT, _WALL_STOP, _WALL_BOUNCE = _E["teleportToExit"], _E["wallStop"], _E["wallBounce"]
_WALL_REVERSE, _BOUNCE_DIRECTION = _E["wallReverse"], _E["bounceDirection"]
_REVERSE, _FLIP, _GAZE, _HALF = _E["reverseDirection"], _E["flipDirection"], _E["attractGaze"], _E["halfSpeed"]
_FASTER, _SLOWER, _SET_SPEED = _E["increaseSpeedToAll"], _E["decreaseSpeedToAll"], _E["setSpeedForAll"]
_WATER, _KILL, _KILL_BOTH, _KILL_ALL = _E["waterPhysics"], _E["killSprite"], _E["killBoth"], _E["killAll"]
_KILL_ALIVE, _KILL_MORE, _KILL_LESS = _E["killIfAlive"], _E["killIfHasMore"], _E["killIfHasLess"]
_KILL_OTHER, _KILL_ABOVE = _E["killIfOtherHasMore"], _E["killIfFromAbove"]
_KILL_FRONTAL, _KILL_NOT_FRONTAL = _E["killIfFrontal"], _E["killIfNotFrontal"]
_KILL_FAST, _KILL_SLOW, _KILL_TILTED = _E["killIfFast"], _E["killIfSlow"], _E["killIfNotUpright"]
_TRANSFORM, _TRANSFORM_ALL, _TRANSFORM_COUNT = _E["transformTo"], _E["transformToAll"], _E["transformIfCount"]
_TRANSFORM_CHILD, _TRANSFORM_ONE = _E["transformToRandomChild"], _E["transformToSingleton"]
_CLONE, _SPAWN, _SPAWN_BEHIND = _E["cloneSprite"], _E["spawn"], _E["spawnBehind"]
_ABOVE, _BELOW, _LEFT, _RIGHT = _E["spawnAbove"], _E["spawnBelow"], _E["spawnLeft"], _E["spawnRight"]
_SPAWN_MORE, _SPAWN_LESS = _E["spawnIfHasMore"], _E["spawnIfHasLess"]
_SPAWN_SUB, _SPAWN_TYPE = _E["spawnIfCounterSubTypes"], _E["updateSpawnType"]
_COLLECT, _COLLECT_IF, _CHANGE = _E["collectResource"], _E["collectResourceIfHeld"], _E["changeResource"]
_HEALTH, _HEALTH_MAX, _HURT = _E["addHealthPoints"], _E["addHealthPointsToMax"], _E["subtractHealthPoints"]
_REMOVE_SCORE, _SHIELD, _ADD_TIMER = _E["removeScore"], _E["shieldFrom"], _E["addTimer"]
_EXTENSION = len(_E)
"""Kinds from here on are effects registered by users."""


@inner
def time_effect_at(gm, n):
    """The TIME_EFFECT record number n."""
    n = within(gm, n, context_at(gm).n_time_effects) if CHECKED else n
    return time_effect_view(context_at(gm).time_effects + TIME_EFFECT_BYTES * n)


@inner
def timer_at(st, i):
    """The i-th entry of the time queue."""
    i = inside(st, i, state_at(st).room_timers) if CHECKED else i
    return timer_view(st + state_at(st).at_timers + TIMER_BYTES * i)


@inner
def queue_timer(st, due, n):
    """Insert a time effect: by tick, the newest first among equals (reference/terminations 4.4)."""
    s = state_at(st)
    if s.timers >= s.room_timers:
        outgrow(st)
        return
    i = s.timers
    while i > 0 and timer_at(st, i - 1).due >= due:
        later = timer_at(st, i - 1)
        here = timer_at(st, i)
        here.due = later.due
        here.effect = later.effect
        i -= 1
    s.work += (s.timers - i) >> 4
    entry = timer_at(st, i)
    entry.due = due
    entry.effect = n
    s.timers += 1


@inner
def apply_sprite(gm, st, e, a, b):
    """Effects that need the first sprite, part one: position, direction, speed."""
    kind = effect_at(gm, e).kind
    p = sprite_at(a)
    if kind == _STEP_BACK:
        step_back(gm, st, e, a, b)
    elif kind == _WRAP:
        wrap_around(gm, st, e, a)
    elif kind == _TURN_AROUND:
        turn_around(gm, st, a)
    elif kind == _REVERSE:
        p.ox = -p.ox
        p.oy = -p.oy
    elif kind == _FLIP:
        flip_direction(st, a)
    elif kind == _HALF:
        p.speed *= 0.5
    elif kind == _WATER:
        p.gravity = 0.2
    elif b == 0:
        return
    elif kind == _ALIGN:
        align(gm, st, e, a, b)
    elif kind == _BOUNCE_FORWARD:
        bounce_forward(gm, st, a, b)
    elif kind == _PULL:
        pull_with_it(gm, st, e, a, b)
    elif kind == _TELEPORT:
        teleport(gm, st, a, b)
    elif kind == _WALL_STOP:
        wall_stop(gm, st, a, b)
    elif kind == _WALL_BOUNCE:
        bounce_single(gm, st, a, b, 0)
    elif kind == _WALL_REVERSE:
        bounce_single(gm, st, a, b, 1)
    elif kind == _BOUNCE_DIRECTION:
        bounce_direction(gm, e, a, b)
    elif kind == _GAZE:
        attract_gaze(gm, st, e, a, b)


@inner
def apply_life(gm, st, e, a, b):
    """Effects that need the first sprite, part two: killing, transforming, spawning, holding."""
    eff = effect_at(gm, e)
    kind = eff.kind
    p = sprite_at(a)
    if kind == _KILL:
        kill(gm, st, a, 0)
    elif kind == _TRANSFORM:
        if p.bits & DISABLED == 0:
            transform(gm, st, e, a, b, eff.stype, 0)
    elif kind == _TRANSFORM_CHILD:
        transform_to_child(gm, st, e, a, b)
    elif kind == _KILL_MORE:
        kill_if_held(gm, st, e, a, 1)
    elif kind == _KILL_LESS:
        kill_if_held(gm, st, e, a, 0)
    elif kind == _KILL_TILTED:
        kill_if_not_upright(gm, st, a)
    elif kind == _CLONE:
        add_sprite(gm, st, p.type, p.x, p.y, 0)
    elif kind == _SPAWN:
        if next_double(st + RNG_AT) < eff.prob:
            spawn_at(gm, st, e, a)
    elif kind == _SPAWN_MORE:
        spawn_if_held(gm, st, e, a, 1)
    elif kind == _SPAWN_LESS:
        spawn_if_held(gm, st, e, a, 0)
    elif kind == _SPAWN_SUB:
        spawn_if_sub_types(gm, st, e, a)
    elif kind == _HEALTH:
        add_health(gm, st, e, a, b, 0)
    elif kind == _HEALTH_MAX:
        add_health(gm, st, e, a, b, 1)
    elif kind == _SHIELD:
        shield_from(gm, st, e, a)
    elif b == 0:
        return
    elif kind == _KILL_BOTH:
        kill(gm, st, a, 0)
        kill(gm, st, b, 0)
    elif kind == _KILL_OTHER:
        kill_if_other_has(gm, st, e, a, b)
    elif kind == _KILL_ABOVE:
        kill_if_from_above(gm, st, e, a, b)
    elif kind == _COLLECT:
        collect(gm, st, e, a, b)
    elif kind == _COLLECT_IF:
        collect_if_held(gm, st, e, a, b)
    elif kind == _CHANGE:
        change_resource(gm, st, e, a, b)
    elif kind == _KILL_ALIVE:
        kill_if_alive(gm, st, a, b)
    elif kind == _KILL_FRONTAL:
        kill_if_frontal(gm, st, e, a, b, 1)
    elif kind == _KILL_NOT_FRONTAL:
        kill_if_frontal(gm, st, e, a, b, 0)
    elif kind == _KILL_FAST:
        kill_by_speed(gm, st, e, a, b, 1)
    elif kind == _KILL_SLOW:
        kill_by_speed(gm, st, e, a, b, 0)
    elif kind == _TRANSFORM_COUNT:
        transform_if_count(gm, st, e, a, b)
    elif kind == _TRANSFORM_ONE:
        transform_to_singleton(gm, st, e, a, b)


@inner
def apply(gm, st, e, a, b):
    """Perform an effect's action on first sprite `a` and second `b` (0: absent)."""
    kind = effect_at(gm, e).kind
    if kind == _UNDO_ALL:
        undo_all(gm, st, e)
    elif kind == _FASTER:
        speed_to_all(gm, st, e, 1)
    elif kind == _SLOWER:
        speed_to_all(gm, st, e, 2)
    elif kind == _SET_SPEED:
        speed_to_all(gm, st, e, 0)
    elif kind == _KILL_ALL:
        kill_all(gm, st, e)
    elif kind == _TRANSFORM_ALL:
        transform_to_all(gm, st, e, b)
    elif kind == _SPAWN_TYPE:
        update_spawn_type(gm, st, e, b)
    elif kind == _HURT:
        subtract_health(gm, st, e, a)
    elif kind == _ADD_TIMER:
        n = effect_at(gm, e).time_effect
        queue_timer(st, state_at(st).tick + time_effect_at(gm, n).timer, n)
    elif kind >= _EXTENSION:
        call5(load64(context_at(gm).extensions + 8 * (kind - _EXTENSION)), gm, st, e, a, b)
    elif _SPAWN_BEHIND <= kind <= _RIGHT:
        # these look only at the second sprite
        if b != 0:
            if kind == _SPAWN_BEHIND:
                spawn_behind(gm, st, e, b)
            elif kind == _ABOVE:
                spawn_beside(gm, st, e, b, 0, -1)
            elif kind == _BELOW:
                spawn_beside(gm, st, e, b, 0, 1)
            elif kind == _LEFT:
                spawn_beside(gm, st, e, b, -1, 0)
            else:
                spawn_beside(gm, st, e, b, 1, 0)
    elif a != 0:
        if kind == _REMOVE_SCORE:
            remove_score(gm, st, e, a, b)
        elif kind <= _WATER:
            apply_sprite(gm, st, e, a, b)
        else:
            apply_life(gm, st, e, a, b)


# --- what follows an action ---


@inner
def add_score(gm, st, player, points):
    """Add to a player's score."""
    store_double(st + SCORE_AT + 8 * player, load_double(st + SCORE_AT + 8 * player) + points)


@inner
def add_counters(gm, st, at, n):
    """Add deltas (times n) to the game's counters."""
    g = context_at(gm)
    base = st + state_at(st).at_counters
    for i in range(g.n_counters):
        store32(base + 4 * i, load32(base + 4 * i) + int_at(gm, at + i) * n)


@inner
def record_event(gm, st, a, b):
    """Event history: one entry per (tick, from-avatar, passive type, active type) (reference/state 6.4)."""
    p = sprite_at(a)
    q = sprite_at(b)
    if type_at(gm, p.type).bits & T_AVATAR:
        from_avatar = 0
        active = a
        passive = b
    elif p.bits & FROM_AVATAR:
        from_avatar = 1
        active = a
        passive = b
    elif type_at(gm, q.type).bits & T_AVATAR:
        from_avatar = 0
        active = b
        passive = a
    elif q.bits & FROM_AVATAR:
        from_avatar = 1
        active = b
        passive = a
    else:
        return
    s = state_at(st)
    x = sprite_at(active)
    y = sprite_at(passive)
    for i in range(s.events):
        seen = event_view(st + s.at_events + EVENT_BYTES * i)
        if seen.from_avatar == from_avatar and seen.active == x.type and seen.passive == y.type:
            return
    if s.events >= s.room_events:
        outgrow(st)
        return
    ev = event_view(st + s.at_events + EVENT_BYTES * s.events)
    s.events += 1
    ev.from_avatar = from_avatar
    ev.active = x.type
    ev.passive = y.type
    ev.active_id = x.id
    ev.passive_id = y.id
    ev.x = x.x
    ev.y = x.y
    ev.tick = s.tick


@inner
def settle(gm, st, e, times):
    """Score and counters after an execution; `times` is the factor of a batch."""
    flags = load8(st + state_at(st).at_effects + e)
    eff = effect_at(gm, e)
    if flags & APPLY_SCORE:
        if flags & SCORE_IF_KILLED:
            add_score(gm, st, 0, float(eff.killed0 * times))
            add_score(gm, st, 1, float(eff.killed1 * times))
        else:
            add_score(gm, st, 0, float(eff.score0 * times))
            add_score(gm, st, 1, float(eff.score1 * times))
    if eff.has_counters != 0:
        if flags & COUNT:
            add_counters(gm, st, eff.counters_at, times)
        if flags & COUNT_ELSE:
            add_counters(gm, st, eff.counters_at + context_at(gm).n_counters, times)


@inlined
def mark_fired(st, e):
    """Note that an effect has been executed."""
    address = st + state_at(st).at_effects + e
    store8(address, load8(address) | FIRED)


@inner
def execute(gm, st, e, a, b):
    """execute(effect, A, B): action, score, event, counters."""
    state_at(st).work += 1
    mark_fired(st, e)
    apply(gm, st, e, a, b)
    settle(gm, st, e, 1)
    if a != 0 and b != 0:
        record_event(gm, st, a, b)


# --- time effects ---


@inner
def execute_time(gm, st, n, a):
    """One execution of a time effect: the delegate acts, score and counters are the time effect's own."""
    te = time_effect_at(gm, n)
    state_at(st).work += 1
    mark_fired(st, te.effect)
    apply(gm, st, te.effect, a, 0)
    if te.initial & APPLY_SCORE:
        add_score(gm, st, 0, float(te.score0))
        add_score(gm, st, 1, float(te.score1))
    if a != 0 and context_at(gm).n_counters > 0:
        if te.initial & COUNT:
            add_counters(gm, st, te.counters_at, 1)
        if te.initial & COUNT_ELSE:
            add_counters(gm, st, te.counters_at + context_at(gm).n_counters, 1)


@inner
def is_out(gm, st, a):
    """1 when `a` is killed or disabled."""
    return 1 if is_killed(gm, st, a) != 0 or sprite_at(a).bits & DISABLED else 0
