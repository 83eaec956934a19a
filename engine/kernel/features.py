"""The features of a state: per type, how many sprites are alive and how far the nearest is from the avatar.

Agents get the features of what they may observe: hidden types (reference/state 6.5) count as if none were there.
Evaluators, which judge a level rather than play it, get those of all types.

Agents ask for them after most ticks, so that most levels' hundreds of fixed sprites are looked at over and over: their
corners lie side by side in a table of the context. No tick needs this module, so that it can change without the engine
being compiled again.
"""

from __future__ import annotations

from pcg.engine.kernel.groups import first_moving, group_at, next_moving, slot_address, type_at
from pcg.engine.kernel.layout import AVATAR_AT, DISABLED, T_HIDDEN, context_at, sprite_at, state_at
from pcg.engine.kernel.runtime import entry_point, inner, load8, load32, load64, store_double

_FAR = 1 << 40
"""Farther than any two sprites are apart, in pixels."""


@inner
def nearest_fixed(gm, st, t, x, y):
    """Pixels, along the axes, from a point to the nearest corner of a level sprite of type t; `_FAR`: none is left."""
    g = context_at(gm)
    first = load32(g.level_start + 8 * t)
    end = first + load32(g.level_start + 8 * t + 4)
    columns = g.level_corners
    rows = columns + 4 * g.n_level
    best = _FAR
    # nothing but sums and choices in these loops, for the compiler to take several sprites at a time
    if first < g.n_mortal:
        alive = st + state_at(st).at_alive
        for k in range(first, end):
            d = abs(load32(columns + 4 * k) - x) + abs(load32(rows + 4 * k) - y)
            d = d if load8(alive + k) != 0 else _FAR
            best = min(best, d)
        return best
    for k in range(first, end):
        d = abs(load32(columns + 4 * k) - x) + abs(load32(rows + 4 * k) - y)
        best = min(best, d)
    return best


@inner
def nearest_moving(gm, st, t, slot, x, y):
    """The same for the moving sprites of type t, without the one in a slot and those disabled."""
    best = _FAR
    b = first_moving(gm, st, t)
    while b != 0:
        q = sprite_at(b)
        if q.slot != slot and q.bits & DISABLED == 0:
            best = min(best, abs(q.x - x) + abs(q.y - y))
        b = next_moving(gm, st, b)
    return best


@inner
def nearest_of(gm, st, t, slot, x, y):
    """Pixels to the nearest sprite of type t from the avatar in a slot, which stands at a point; `_FAR`: none."""
    if group_at(st, t).count == 0:
        return _FAR
    best = nearest_moving(gm, st, t, slot, x, y)
    if load32(context_at(gm).level_start + 8 * t + 4) != 0:
        best = min(best, nearest_fixed(gm, st, t, x, y))
    return best


@inner
def cells_of(gm, pixels):
    """Number of cells that a distance in pixels is; -1 for `_FAR`."""
    return pixels / context_at(gm).block if pixels < _FAR else -1.0


@inner
def write_features(gm, st, player, out, room, unseen):
    """Write two numbers per type: alive, and cells to the nearest; returns how many.

    Types with a bit of `unseen` have 0 and -1.
    """
    g = context_at(gm)
    slot = load32(st + AVATAR_AT + 4 * player)
    x = 0
    y = 0
    if slot >= 0:
        p = sprite_at(slot_address(gm, st, slot))
        x = p.x
        y = p.y
    n = 0
    for t in range(g.n_types):
        if n + 2 > room:
            break
        alive = 0
        best = _FAR
        if type_at(gm, t).bits & unseen == 0:
            group = group_at(st, t)
            alive = group.count - group.disabled
            if slot >= 0:
                best = nearest_of(gm, st, t, slot, x, y)
        store_double(out + 8 * n, float(alive))
        store_double(out + 8 * n + 8, cells_of(gm, best))
        n += 2
    return n


@entry_point("i8(i8, i8, i8, i8, i8)")
def model_features(gm, st, player, out, room):
    """Protocol: per type, how many are alive and how far the nearest is from the avatar, in cells (-1: none).

    Hidden types have the numbers of types without sprites.
    """
    return write_features(gm, st, player, out, room, T_HIDDEN)


@entry_point("i8(i8, i8, i8, i8, i8)")
def all_features(gm, st, player, out, room):
    """The same with hidden types: for evaluators, never for agents."""
    return write_features(gm, st, player, out, room, 0)


@entry_point("i8(i8, i8, i8, i8, i8, i8)")
def distances_of_types(gm, st, player, out, types, count):
    """Write the distances that `model_features` writes, to the same places, for the `count` types at int64 `types`.

    The rest of `out` is left alone. Returns the number of types there are.
    """
    slot = load32(st + AVATAR_AT + 4 * player)
    x = 0
    y = 0
    if slot >= 0:
        p = sprite_at(slot_address(gm, st, slot))
        x = p.x
        y = p.y
    for k in range(count):
        t = load64(types + 8 * k)
        best = _FAR
        if slot >= 0 and group_at(st, t).count > 0 and type_at(gm, t).bits & T_HIDDEN == 0:
            best = nearest_of(gm, st, t, slot, x, y)
        store_double(out + 16 * t + 8, cells_of(gm, best))
    return context_at(gm).n_types
