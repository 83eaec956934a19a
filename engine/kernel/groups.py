"""The records of a game and a state, and the walk over the sprites of a type (reference/loop 3.9).

A group lists the sprites of one type: those of the level that are left, then the moving ones in order of creation.
"""

from __future__ import annotations

from pcg.engine.kernel.bounds import inside, within
from pcg.engine.kernel.layout import (
    EFFECT_BYTES,
    ENTRY_BYTES,
    GROUP_BYTES,
    GROUPS_AT,
    SPRITE_BYTES,
    TYPE_BYTES,
    context_at,
    effect_view,
    entry_view,
    group_view,
    sprite_at,
    state_at,
    type_view,
)
from pcg.engine.kernel.runtime import CHECKED, inlined, inner, load8, load32, load64, load_double

# --- views ---


@inner
def int_at(gm, index):
    """Entry of the context's integer pool."""
    index = within(gm, index, context_at(gm).n_ints) if CHECKED else index
    return load32(context_at(gm).ints + 4 * index)


@inner
def own_number(gm, at, k):
    """The k-th own parameter of a user's class or effect (`at` is its record's `own_at`), as a double."""
    at = within(gm, at + k, context_at(gm).n_doubles) - k if CHECKED else at
    return load_double(context_at(gm).doubles + 8 * (at + k))


@inner
def type_at(gm, t):
    """The TYPE record of a type id."""
    t = within(gm, t, context_at(gm).n_types) if CHECKED else t
    return type_view(context_at(gm).types + TYPE_BYTES * t)


@inner
def effect_at(gm, e):
    """The EFFECT record of an effect number."""
    e = within(gm, e, context_at(gm).n_effects) if CHECKED else e
    return effect_view(context_at(gm).effects + EFFECT_BYTES * e)


@inner
def entry_at(gm, n):
    """The ENTRY record of a pair entry number."""
    n = within(gm, n, context_at(gm).n_entries) if CHECKED else n
    return entry_view(context_at(gm).entries + ENTRY_BYTES * n)


@inner
def group_at(st, t):
    """The GROUP record of a type id."""
    t = inside(st, t, (state_at(st).at_dirty - GROUPS_AT) // GROUP_BYTES) if CHECKED else t
    return group_view(st + GROUPS_AT + GROUP_BYTES * t)


@inlined
def slot_from(st, base, stride, slot):
    """Address of a moving sprite, for loops that keep the sprites' address and stride in registers."""
    slot = inside(st, slot, state_at(st).room) if CHECKED else slot
    return base + stride * slot


@inlined
def slot_address(gm, st, slot):
    """Address of a moving sprite."""
    return slot_from(st, st + state_at(st).at_sprites, context_at(gm).stride, slot)


@inner
def is_mortal_alive(st, k):
    """1 when the mortal level sprite number k is still in its group."""
    return load8(st + state_at(st).at_alive + k) != 0


_LOWEST = 0x0101010101010101
"""The lowest bit of every byte of a word."""


@inlined
def gone_of_eight(alive, k, n):
    """One bit for each of the n mortal level sprites from number k on, eight at most, that is gone: 8 * (number - k).

    Most are there in most states, so that one word tells about eight. `alive` is the address of the bytes that do; they
    end with a whole word of the block.
    """
    word = load64(alive + k)
    gone = ~(word | (word >> 1)) & _LOWEST  # 1: alive, 2: killed in this tick
    if n - k < 8:
        gone = gone & ((1 << (8 * (n - k))) - 1)
    return gone


# --- walking a group ---


@inner
def level_from(gm, st, t, k):
    """Address of the first living level sprite of type t with number >= k, or 0."""
    g = context_at(gm)
    end = load32(g.level_start + 8 * t) + load32(g.level_start + 8 * t + 4)
    while k < end:
        if k >= g.n_mortal or is_mortal_alive(st, k):
            return g.level + k * SPRITE_BYTES
        k += 1
    return 0


@inner
def first_moving(gm, st, t):
    """Address of the first moving sprite of type t, or 0."""
    head = group_at(st, t).head
    if head < 0:
        return 0
    return slot_address(gm, st, head)


@inner
def next_moving(gm, st, a):
    """The moving sprite after `a` in its group, or 0."""
    following = sprite_at(a).next
    if following < 0:
        return 0
    return slot_address(gm, st, following)


@inner
def first_of(gm, st, t):
    """First sprite of the group of type t, killed ones included, or 0."""
    found = level_from(gm, st, t, load32(context_at(gm).level_start + 8 * t))
    if found == 0:
        found = first_moving(gm, st, t)
    return found


@inner
def next_of(gm, st, a):
    """The sprite after `a` in its group, or 0."""
    s = sprite_at(a)
    if s.slot < 0:
        t = s.type
        found = level_from(gm, st, t, s.level + 1)
        if found == 0:
            found = first_moving(gm, st, t)
        return found
    return next_moving(gm, st, a)


@inner
def count_of(gm, st, t):
    """count(t): sprites of t, its ancestors and descendants, killed and disabled ones included (reference/index 0)."""
    ty = type_at(gm, t)
    total = 0
    for i in range(ty.sub_n):
        total += group_at(st, int_at(gm, ty.sub_at + i)).count
    return total


@inner
def alive_of(gm, st, t):
    """alive(t): count(t) without disabled avatars."""
    ty = type_at(gm, t)
    total = 0
    for i in range(ty.sub_n):
        group = group_at(st, int_at(gm, ty.sub_at + i))
        total += group.count - group.disabled
    return total
