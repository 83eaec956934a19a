"""Facts of a state as numbers, by which width-based planning measures the novelty of states.

The first fact is the player's avatar: its type, pixel position, facing and what is left of its cooldown as one number.
Then follow what the avatar holds, the counters, which sprites of the level are gone, and for every moving sprite its
type and cell. Sprites of hidden types are no facts: agents do not observe them (reference/state 6.5). After Geffner
and Geffner, Width-Based Planning for General Video-Game Playing, 2015. No tick needs this module, so that it can change
without the engine being compiled again.
"""

from __future__ import annotations

from pcg.engine.kernel.cells import cell_at
from pcg.engine.kernel.groups import first_moving, group_at, next_moving, slot_address, type_at
from pcg.engine.kernel.layout import AVATAR_AT, DISABLED, SPRITE_BYTES, T_HIDDEN, context_at, sprite_at, state_at
from pcg.engine.kernel.runtime import entry_point, inner, load8, load32, store64
from pcg.engine.kernel.store import res_get, res_held

LIMIT = 1 << 31
"""Facts are numbers below this, so that two of them fit into one int64."""

_FACINGS = 5
_WAITS = 8
_MANY = 256


@inner
def write(out, room, n, fact):
    """Append a fact when there is room; returns the new number of facts."""
    if n >= room:
        return n
    store64(out + 8 * n, fact)
    return n + 1


@inner
def facing_of(p):
    """0 for no direction, else 1 to 4: of two parts the horizontal one counts."""
    if p.ox != 0.0:
        return 1 if p.ox < 0.0 else 2
    if p.oy != 0.0:
        return 3 if p.oy < 0.0 else 4
    return 0


@inner
def places_of(gm):
    """Return the number of places an avatar can be told to be at: pixels, or cells where pixels would be too many."""
    g = context_at(gm)
    if g.n_types * g.width * g.height * _FACINGS * _WAITS < LIMIT // 2:
        return g.width * g.height
    return g.columns * g.rows


@inner
def avatar_fact(gm, st, slot):
    """Type, place, facing and waiting of the avatar, one number from 1 on."""
    g = context_at(gm)
    p = sprite_at(slot_address(gm, st, slot))
    cooldown = type_at(gm, p.type).cooldown
    waited = 0
    if cooldown > 1:
        waited = min(_WAITS - 1, max(0, min(p.lastmove, cooldown)))
    places = places_of(gm)
    place = cell_at(gm, p.x, p.y)
    if places == g.width * g.height:
        place = max(0, min(p.y, g.height - 1)) * g.width + max(0, min(p.x, g.width - 1))
    return 1 + ((p.type * places + place) * _FACINGS + facing_of(p)) * _WAITS + waited


@entry_point("i8(i8, i8, i8, i8, i8)")
def model_atoms(gm, st, player, out, room):
    """Protocol: the facts of a state, the player's avatar first (0: it has none); returns their number."""
    g = context_at(gm)
    s = state_at(st)
    slot = load32(st + AVATAR_AT + 4 * player)
    cells = g.columns * g.rows
    base = 1 + g.n_types * places_of(gm) * _FACINGS * _WAITS
    n = 0
    if slot < 0:
        n = write(out, room, n, 0)
    else:
        n = write(out, room, n, avatar_fact(gm, st, slot))
        a = slot_address(gm, st, slot)
        n = write(out, room, n, base + max(0, min(sprite_at(a).hp, _MANY - 1)))
        for i in range(g.n_res):
            if res_held(gm, st, a, i) != 0:
                n = write(out, room, n, base + (1 + i) * _MANY + max(0, min(res_get(gm, st, a, i), _MANY - 1)))
    base += (1 + g.n_res) * _MANY
    for i in range(g.n_counters):
        value = load32(st + s.at_counters + 4 * i)
        n = write(out, room, n, base + i * _MANY + max(0, min(value + _MANY // 2, _MANY - 1)))
    base += g.n_counters * _MANY
    for k in range(g.n_mortal):
        if load8(st + s.at_alive + k) == 0:
            if type_at(gm, sprite_at(g.level + SPRITE_BYTES * k).type).bits & T_HIDDEN == 0:
                n = write(out, room, n, base + k)
    base += g.n_mortal
    for t in range(g.n_types):
        if type_at(gm, t).bits & T_HIDDEN:
            continue
        count = group_at(st, t).moving
        if count > 0 or group_at(st, t).created != 0:
            n = write(out, room, n, base + t * (_MANY + cells) + min(count, _MANY - 1))
        a = first_moving(gm, st, t)
        while a != 0:
            p = sprite_at(a)
            if p.slot != slot and p.bits & DISABLED == 0:
                n = write(out, room, n, base + t * (_MANY + cells) + _MANY + cell_at(gm, p.x, p.y))
            a = next_moving(gm, st, a)
    return n
