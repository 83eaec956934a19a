"""Facts of a state as numbers, by which width-based planning measures the novelty of states.

The first fact is the player's avatar: its type, pixel position, facing and what is left of its cooldown as one number.
Then follow what the avatar holds, the counters, which sprites of the level are gone, and for every moving sprite its
type and cell. Sprites of hidden types are no facts: agents do not observe them (reference/state 6.5). After Geffner
and Geffner, Width-Based Planning for General Video-Game Playing, 2015. No tick needs this module, so that it can change
without the engine being compiled again.
"""

from __future__ import annotations

from pcg.engine.kernel.cells import cell_at
from pcg.engine.kernel.groups import first_moving, gone_of_eight, group_at, next_moving, slot_address, type_at
from pcg.engine.kernel.layout import AVATAR_AT, DISABLED, SPRITE_BYTES, T_HIDDEN, context_at, sprite_at, state_at
from pcg.engine.kernel.runtime import clear_low, count_bits, entry_point, inner, load32, load64, low_bit, store64
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
def first_base(gm):
    """The number at which the facts that are not the avatar's begin."""
    return 1 + context_at(gm).n_types * places_of(gm) * _FACINGS * _WAITS


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


@inner
def amount_fact(value):
    """The number of an amount among `_MANY`."""
    return max(0, min(value, _MANY - 1))


@inner
def counter_fact(st, i):
    """The number of a counter's value among `_MANY`."""
    return amount_fact(load32(st + state_at(st).at_counters + 4 * i) + _MANY // 2)


@inner
def count_fact(st, t):
    """The number of how many moving sprites of a type there are, among `_MANY`; -1: the type never had any."""
    group = group_at(st, t)
    if group.moving == 0 and group.created == 0:
        return -1
    return min(group.moving, _MANY - 1)


@inner
def first_fact(gm, st, slot):
    """The fact of the avatar in a slot; 0 without one."""
    if slot < 0:
        return 0
    return avatar_fact(gm, st, slot)


@inner
def is_hidden(gm, t):
    """1 for types that agents do not observe."""
    return type_at(gm, t).bits & T_HIDDEN


@entry_point("i8(i8, i8, i8, i8, i8)")
def model_atoms(gm, st, player, out, room):
    """Protocol: the facts of a state, the player's avatar first (0: it has none); returns their number."""
    g = context_at(gm)
    s = state_at(st)
    slot = load32(st + AVATAR_AT + 4 * player)
    cells = g.columns * g.rows
    n = write(out, room, 0, first_fact(gm, st, slot))
    if n >= room:
        return n
    base = first_base(gm)
    if slot >= 0:
        a = slot_address(gm, st, slot)
        n = write(out, room, n, base + amount_fact(sprite_at(a).hp))
        for i in range(g.n_res):
            if res_held(gm, st, a, i) != 0:
                n = write(out, room, n, base + (1 + i) * _MANY + amount_fact(res_get(gm, st, a, i)))
    base += (1 + g.n_res) * _MANY
    for i in range(g.n_counters):
        n = write(out, room, n, base + i * _MANY + counter_fact(st, i))
    base += g.n_counters * _MANY
    for k in range(0, g.n_mortal, 8):
        gone = gone_of_eight(st + s.at_alive, k, g.n_mortal)
        while gone != 0:
            sprite = k + (low_bit(gone) >> 3)
            if is_hidden(gm, sprite_at(g.level + SPRITE_BYTES * sprite).type) == 0:
                n = write(out, room, n, base + sprite)
            gone = clear_low(gone)
    base += g.n_mortal
    for t in range(g.n_types):
        count = count_fact(st, t)
        if count < 0 or is_hidden(gm, t) != 0:
            continue
        n = write(out, room, n, base + t * (_MANY + cells) + count)
        a = first_moving(gm, st, t)
        while a != 0:
            p = sprite_at(a)
            if p.slot != slot and p.bits & DISABLED == 0:
                n = write(out, room, n, base + t * (_MANY + cells) + _MANY + cell_at(gm, p.x, p.y))
            a = next_moving(gm, st, a)
    return n


# --- the facts that another state may lack ----------------------------------------------------------------------------


@inner
def number_gone(gm, st):
    """Number of mortal level sprites that are gone."""
    g = context_at(gm)
    total = 0
    for k in range(0, g.n_mortal, 8):
        total += count_bits(gone_of_eight(st + state_at(st).at_alive, k, g.n_mortal))
    return total


@inner
def may_overflow(gm, st, room):
    """1 unless all facts of a state fit into the room."""
    g = context_at(gm)
    most = 2 + g.n_res + g.n_counters + g.n_types + state_at(st).slots
    if most + g.n_mortal <= room:
        return 0
    return 1 if most + number_gone(gm, st) > room else 0


@inner
def stood_there(gm, before, a, was):
    """1 when the state before has the sprite at `a`, or one like it, in the same slot and place; not in slot `was`."""
    p = sprite_at(a)
    if p.slot >= state_at(before).slots or p.slot == was:
        return 0
    q = sprite_at(slot_address(gm, before, p.slot))
    if q.slot == p.slot and q.type == p.type and q.x == p.x and q.y == p.y and q.bits & DISABLED == 0:
        return 1
    return 0


@inner
def marks_of(gm, st, t, slot):
    """Bit (cell & 63) of the cells of all sprites of type t that are facts: all but that in a slot and the disabled."""
    marks = 0
    a = first_moving(gm, st, t)
    while a != 0:
        p = sprite_at(a)
        if p.slot != slot and p.bits & DISABLED == 0:
            marks = marks | (1 << (cell_at(gm, p.x, p.y) & 63))
        a = next_moving(gm, st, a)
    return marks


@inner
def has_one_at(gm, st, t, slot, cell):
    """1 when one of these sprites is in a cell."""
    a = first_moving(gm, st, t)
    while a != 0:
        p = sprite_at(a)
        if p.slot != slot and p.bits & DISABLED == 0 and cell_at(gm, p.x, p.y) == cell:
            return 1
        a = next_moving(gm, st, a)
    return 0


@inner
def write_news(gm, before, st, player, out, room, later):
    """Write the facts of a state that another may lack; see `facts_since` (`later` is 1) and `facts_beside` (0)."""
    g = context_at(gm)
    s = state_at(st)
    b = state_at(before)
    slot = load32(st + AVATAR_AT + 4 * player)
    was = load32(before + AVATAR_AT + 4 * player)
    if may_overflow(gm, st, room) != 0 or may_overflow(gm, before, room) != 0:
        return -1
    cells = g.columns * g.rows
    base = first_base(gm)
    n = write(out, room, 0, first_fact(gm, st, slot))
    if slot >= 0:
        a = slot_address(gm, st, slot)
        o = slot_address(gm, before, was) if was >= 0 else 0
        health = amount_fact(sprite_at(a).hp)
        if o == 0 or amount_fact(sprite_at(o).hp) != health:
            n = write(out, room, n, base + health)
        if sprite_at(a).res >= 0:
            for i in range(g.n_res):
                amount = amount_fact(res_get(gm, st, a, i))
                same = o != 0 and res_held(gm, before, o, i) != 0 and amount_fact(res_get(gm, before, o, i)) == amount
                if res_held(gm, st, a, i) != 0 and not same:
                    n = write(out, room, n, base + (1 + i) * _MANY + amount)
    base += (1 + g.n_res) * _MANY
    for i in range(g.n_counters):
        value = counter_fact(st, i)
        if value != counter_fact(before, i):
            n = write(out, room, n, base + i * _MANY + value)
    base += g.n_counters * _MANY
    for k in range(0, g.n_mortal, 8):
        if load64(st + s.at_alive + k) != load64(before + b.at_alive + k):
            gone = gone_of_eight(st + s.at_alive, k, g.n_mortal) & ~gone_of_eight(before + b.at_alive, k, g.n_mortal)
            while gone != 0:
                sprite = k + (low_bit(gone) >> 3)
                if is_hidden(gm, sprite_at(g.level + SPRITE_BYTES * sprite).type) == 0:
                    n = write(out, room, n, base + sprite)
                gone = clear_low(gone)
    base += g.n_mortal
    clock = b.clock
    for t in range(g.n_types):
        group = group_at(st, t)
        if later == 1 and group.stamp <= clock and group.moving == group_at(before, t).moving:
            continue  # the first sprite of a type, too, leaves its clock there
        count = count_fact(st, t)
        counted = count != count_fact(before, t)
        moved = count > 0 and (later == 0 or group.stamp > clock)
        if (not counted and not moved) or is_hidden(gm, t) != 0:
            continue
        here = base + t * (_MANY + cells)
        if counted and count >= 0:
            n = write(out, room, n, here + count)
        # which cells the other state may have sprites of the type in: looked up when one has moved
        marks = 0
        marked = 0
        a = first_moving(gm, st, t) if moved else 0
        while a != 0:
            p = sprite_at(a)
            if p.slot != slot and p.bits & DISABLED == 0:
                known = p.moved <= clock if later == 1 else stood_there(gm, before, a, was) != 0
                if not known:
                    cell = cell_at(gm, p.x, p.y)
                    if later == 0:
                        if marked == 0:
                            marks = marks_of(gm, before, t, was)
                            marked = 1
                        if (marks >> (cell & 63)) & 1 != 0:
                            known = has_one_at(gm, before, t, was, cell) != 0
                    if not known:
                        n = write(out, room, n, here + _MANY + cell)
            a = next_moving(gm, st, a)
    if later == 1 and was != slot and was >= 0:
        # what was the avatar is a sprite like others now
        p = sprite_at(slot_address(gm, st, was))
        if p.slot == was and p.bits & DISABLED == 0 and is_hidden(gm, p.type) == 0:
            n = write(out, room, n, base + p.type * (_MANY + cells) + _MANY + cell_at(gm, p.x, p.y))
    return n


@entry_point("i8(i8, i8, i8, i8, i8, i8)")
def facts_since(gm, before, st, player, out, room):
    """Write the facts of a state that the one before the last tick lacks, and perhaps others; the avatar's is first.

    Returns their number; -1 where all facts of a state might not fit into the room, so that some may be left out. What
    has not moved since the clock of the state before has the fact it had then, so that a tick's few changes cost less
    than all facts do.
    """
    return write_news(gm, before, st, player, out, room, 1)


@entry_point("i8(i8, i8, i8, i8, i8, i8)")
def facts_beside(gm, before, st, player, out, room):
    """Write the facts of a state that any other of its level lacks, and no others but the avatar's, which is first.

    Returns their number, or -1 as `facts_since` does.
    """
    return write_news(gm, before, st, player, out, room, 0)
