"""Sprites in memory: their rectangles, creation, killing, removal and resources, and copies of states.

Nothing here knows rules; the order of every list is the reference's (reference/loop 3.8 and 3.9, reference/sprites 7).
A sprite is its address; 0 is no sprite.
"""

from __future__ import annotations

from pcg.engine.kernel.bounds import MAX_MOVING, MAX_SPRITES, MAX_WORK, inside, outgrow, within
from pcg.engine.kernel.cells import MANY_MOVING, follow_cell, link_cell, sort_into_cells, unlink_cell
from pcg.engine.kernel.groups import count_of, first_moving, group_at, int_at, next_moving, slot_address, type_at
from pcg.engine.kernel.layout import (
    AVATAR_AT,
    COPIED_HEADER,
    DISABLED,
    EVENT_BYTES,
    FULL_STRIDE,
    GROUPS_AT,
    HOT_STRIDE,
    KILLED,
    SPRITE_BYTES,
    T_AVATAR_CLASS,
    TIMER_BYTES,
    context_at,
    sprite_at,
    state_at,
)
from pcg.engine.kernel.protocol import GROW, OK
from pcg.engine.kernel.runtime import (
    CHECKED,
    copy_bytes,
    inlined,
    inner,
    load8,
    load16,
    load32,
    load64,
    store8,
    store32,
    store64,
)

# --- changes of rectangles ---


@inlined
def mark_entries(gm, st, t):
    """Have all rule entries that concern type t evaluated again."""
    g = context_at(gm)
    to = st + state_at(st).at_dirty
    masks = g.dirty_masks + 8 * g.n_dirty * t
    store64(to, load64(to) | load64(masks))
    for i in range(1, g.n_dirty):
        store64(to + 8 * i, load64(to + 8 * i) | load64(masks + 8 * i))


@inlined
def touch(gm, st, a):
    """Note that the rectangle of `a` has changed."""
    s = sprite_at(a)
    clock = state_at(st).clock
    s.moved = clock
    s.near = -1
    group_at(st, s.type).stamp = clock
    mark_entries(gm, st, s.type)
    if state_at(st).grid != 0:
        follow_cell(gm, st, a)


@inlined
def set_rect(gm, st, a, x, y, w, h):
    """setRect: position and size of `a`, lastrect kept."""
    s = sprite_at(a)
    if s.slot < 0:
        return
    if s.x != x or s.y != y or s.w != w or s.h != h:
        s.x = x
        s.y = y
        s.w = w
        s.h = h
        touch(gm, st, a)


@inner
def set_corner(gm, st, a, x, y):
    """Move `a` to a corner, size kept."""
    s = sprite_at(a)
    set_rect(gm, st, a, x, y, s.w, s.h)


@inner
def back_to_last(gm, st, a):
    """setRect(lastrect)."""
    s = sprite_at(a)
    set_rect(gm, st, a, s.lx, s.ly, s.lw, s.lh)


@inlined
def overlaps(a, b):
    """Open-interval overlap of the rectangles; a zero-sized one overlaps nothing."""
    p = sprite_at(a)
    q = sprite_at(b)
    return (
        p.x < q.x + q.w
        and q.x < p.x + p.w
        and p.y < q.y + q.h
        and q.y < p.y + p.h
        and p.w > 0
        and p.h > 0
        and q.w > 0
        and q.h > 0
    )


@inner
def left_last(a):
    """1 when lastrect and rect do not overlap, so that a last position exists."""
    s = sprite_at(a)
    inside = (
        s.x < s.lx + s.lw
        and s.lx < s.x + s.w
        and s.y < s.ly + s.lh
        and s.ly < s.y + s.h
        and s.w > 0
        and s.h > 0
        and s.lw > 0
        and s.lh > 0
    )
    return 0 if inside else 1


@inner
def at_edge(gm, a):
    """1 unless the rectangle lies completely inside the screen; a zero-sized one is at the edge."""
    s = sprite_at(a)
    g = context_at(gm)
    if s.w <= 0 or s.h <= 0:
        return 1
    if s.x >= 0 and s.y >= 0 and s.x + s.w <= g.width and s.y + s.h <= g.height:
        return 0
    return 1


# --- adding ---


@inner
def blocked_singleton(gm, st, t):
    """1 when a singleton among the ancestors of t, or t, already has a sprite."""
    ty = type_at(gm, t)
    for i in range(ty.single_n):
        if count_of(gm, st, int_at(gm, ty.single_at + i)) > 0:
            return 1
    return 0


@inlined
def add_sprite(gm, st, t, x, y, force):
    """addSprite (reference/loop 3.9): the new sprite's address, or 0 when refused; `force` ignores singletons.

    Sets the status when the block has no room; the caller's whole tick is then repeated in a larger block.
    """
    if t < 0 or (force == 0 and type_at(gm, t).single_n > 0 and blocked_singleton(gm, st, t) != 0):
        return 0
    return create(gm, st, t, x, y)


@inner
def create(gm, st, t, x, y):
    """addSprite without a look at singletons."""
    s = state_at(st)
    if s.sprites > MAX_SPRITES or type_at(gm, t).cls < 0:
        return 0
    if s.free < 0 and s.slots >= context_at(gm).max_moving:
        if context_at(gm).max_moving < MAX_MOVING:
            s.work = MAX_WORK + 1
        return 0
    slot = s.free
    if slot >= 0:
        a = slot_address(gm, st, slot)
        s.free = sprite_at(a).next
    else:
        if s.slots >= s.room:
            s.status = GROW
            return 0
        slot = s.slots
        s.slots = slot + 1
        a = slot_address(gm, st, slot)
    template = context_at(gm).templates + SPRITE_BYTES * t
    # sizes known to the compiler become a few wide moves
    copy_bytes(a, template, HOT_STRIDE)
    if context_at(gm).stride > HOT_STRIDE:
        copy_bytes(a + HOT_STRIDE, template + HOT_STRIDE, FULL_STRIDE - HOT_STRIDE)
    p = sprite_at(a)
    p.slot = slot
    p.x = x
    p.y = y
    p.lx = x
    p.ly = y
    group = group_at(st, t)
    if group.created == 0:
        # the very first sprite of a type is constructed, not copied: its lastrect is not scaled (reference/loop 3.9)
        group.created = 1
        p.lw = context_at(gm).block
        p.lh = context_at(gm).block
    p.id = s.next_id
    s.next_id += 1
    s.sprites += 1
    p.prev = group.tail
    p.next = -1
    if group.tail >= 0:
        sprite_at(slot_address(gm, st, group.tail)).next = slot
    else:
        group.head = slot
    group.tail = slot
    group.count += 1
    group.moving += 1
    group.fresh = 1
    if s.grid != 0:
        link_cell(gm, st, a)
    elif slot >= MANY_MOVING:
        sort_into_cells(gm, st)
    p.moved = s.clock
    group.stamp = s.clock
    s.recount = 1
    mark_entries(gm, st, t)
    return a


# --- killing and clearing ---


@inner
def is_killed(gm, st, a):
    """1 when `a` is on the kill list."""
    s = sprite_at(a)
    if s.slot < 0:
        if s.level >= context_at(gm).n_mortal:
            return 0
        return 1 if load8(st + state_at(st).at_alive + s.level) == 2 else 0
    return 1 if s.bits & KILLED else 0


@inner
def kill(gm, st, a, transformed):
    """kill(sprite, transformed): an avatar that is not transformed is only disabled (reference/loop 3.8)."""
    p = sprite_at(a)
    s = state_at(st)
    if type_at(gm, p.type).bits & T_AVATAR_CLASS and transformed == 0:
        if p.bits & DISABLED == 0:
            p.bits = p.bits | DISABLED
            group_at(st, p.type).disabled += 1
            s.recount = 1
        return
    s.kill_entries += 1
    if p.slot < 0:
        if p.level < context_at(gm).n_mortal:
            address = st + s.at_alive + p.level
            if load8(address) == 1:
                store8(address, 2)
                s.level_kills += 1
        return
    if p.bits & KILLED == 0:
        p.bits = p.bits | KILLED
        p.kill_next = s.kill_head
        s.kill_head = p.slot


@inner
def remember_targets(gm, st, a):
    """Keep the final rectangle of a sprite about to go for the path chasers that pursue it (reference/sprites 7.12)."""
    g = context_at(gm)
    gone = sprite_at(a)
    for t in range(g.n_types):
        c = first_moving(gm, st, t)
        while c != 0:
            p = sprite_at(c)
            if p.target_id == gone.id and p.target_slot >= 0:
                p.target_slot = -1
                p.tx = gone.x
                p.ty = gone.y
                p.tw = gone.w
                p.th = gone.h
            c = next_moving(gm, st, c)


@inner
def clear_killed(gm, st):
    """Remove the sprites on the kill list from their groups, and drop all shields."""
    s = state_at(st)
    g = context_at(gm)
    if s.kill_entries > 0:
        s.recount = 1
    if s.level_kills > 0:
        for k in range(g.n_mortal):
            if load8(st + s.at_alive + k) == 2:
                store8(st + s.at_alive + k, 0)
                group_at(st, sprite_at(g.level + k * SPRITE_BYTES).type).count -= 1
        s.level_kills = 0
    slot = s.kill_head
    while slot >= 0:
        a = slot_address(gm, st, slot)
        p = sprite_at(a)
        following = p.kill_next
        if g.has_path_targets != 0:
            remember_targets(gm, st, a)
        group = group_at(st, p.type)
        if p.prev >= 0:
            sprite_at(slot_address(gm, st, p.prev)).next = p.next
        else:
            group.head = p.next
        if p.next >= 0:
            sprite_at(slot_address(gm, st, p.next)).prev = p.prev
        else:
            group.tail = p.prev
        group.count -= 1
        group.moving -= 1
        if s.grid != 0:
            unlink_cell(gm, st, a)
        if p.bits & DISABLED:
            group.disabled -= 1
        for player in range(g.players):
            if load32(st + AVATAR_AT + 4 * player) == slot:
                store32(st + AVATAR_AT + 4 * player, -1)
        if p.res >= 0:
            store32(res_row(gm, st, p.res), s.res_free)
            s.res_free = p.res
        p.next = s.free
        p.slot = -2
        p.id = -1
        s.free = slot
        slot = following
    s.kill_head = -1
    s.sprites -= s.kill_entries
    s.kill_entries = 0
    if s.shields != 0:
        s.shields = 0
        for i in range(g.n_shields):
            store8(st + s.at_shields + i, 0)


# --- resources ---


@inner
def res_row(gm, st, row):
    """Address of a row of resource amounts (int32 per column; the smallest int: no entry)."""
    row = inside(st, row, state_at(st).room_res) if CHECKED else row
    return st + state_at(st).at_res + 4 * row * context_at(gm).n_res


@inner
def res_held(gm, st, a, column):
    """1 when the sprite has an entry for the resource, even of amount 0."""
    p = sprite_at(a)
    if column < 0 or p.res < 0:
        return 0
    return 1 if load32(res_row(gm, st, p.res) + 4 * column) != -2147483648 else 0


@inner
def res_get(gm, st, a, column):
    """Amount of a resource held; 0 without an entry."""
    if res_held(gm, st, a, column) == 0:
        return 0
    return load32(res_row(gm, st, sprite_at(a).res) + 4 * column)


@inner
def res_set(gm, st, a, column, amount):
    """Store an amount, creating the entry."""
    p = sprite_at(a)
    if column < 0 or p.slot < 0:
        return
    if p.res < 0:
        s = state_at(st)
        row = s.res_free
        if row >= 0:
            s.res_free = load32(res_row(gm, st, row))
        else:
            if s.res_rows >= s.room_res:
                outgrow(st)
                return
            row = s.res_rows
            s.res_rows = row + 1
        for i in range(context_at(gm).n_res):
            store32(res_row(gm, st, row) + 4 * i, -2147483648)
        p.res = row
    store32(res_row(gm, st, p.res) + 4 * column, amount)


@inner
def res_add(gm, st, a, column, delta):
    """Add to an amount, never below 0 (reference/sprites 7.5)."""
    amount = res_get(gm, st, a, column) + delta
    res_set(gm, st, a, column, amount if amount > 0 else 0)


# --- numbers ---


@inner
def java_int(value):
    """Java's cast of a double to int: towards zero, saturating, NaN gives 0."""
    if value != value:
        return 0
    if value >= 2147483647.0:
        return 2147483647
    if value <= -2147483648.0:
        return -2147483648
    return int(value)


@inlined
def along(part, pixels):
    """Whole pixels of a move along one axis; `part` is that of the orientation, mostly 0, 1 or -1."""
    if part == 0.0:
        return 0
    if part == 1.0:
        return pixels
    if part == -1.0 and pixels > -2147483648:
        return -pixels
    return java_int(part * pixels)


@inner
def rank_of(gm, t, u):
    """Place of type u in sub(t), or -1."""
    n = context_at(gm).n_types
    place = within(gm, t * n + u, n * n) if CHECKED else t * n + u
    return load16(context_at(gm).rank + 2 * place)


# --- copying ---


@inner
def copy_block(gm, to, source):
    """Make block `to` equal to `source`; layouts may differ as long as there is room."""
    s = state_at(source)
    d = state_at(to)
    g = context_at(gm)
    if s.room == d.room:
        copy_bytes(to, source, s.at_sprites + s.slots * g.stride)
        return OK
    if s.slots > d.room or s.timers > d.room_timers or s.events > d.room_events or s.res_rows > d.room_res:
        return GROW
    copy_bytes(to, source, COPIED_HEADER)
    # everything between the groups and the timers has the same size in every block of the game and level
    copy_bytes(to + GROUPS_AT, source + GROUPS_AT, s.at_timers - GROUPS_AT)
    copy_bytes(to + d.at_timers, source + s.at_timers, TIMER_BYTES * s.timers)
    copy_bytes(to + d.at_res, source + s.at_res, 4 * g.n_res * s.res_rows)
    copy_bytes(to + d.at_events, source + s.at_events, EVENT_BYTES * s.events)
    if s.grid != 0:
        copy_bytes(to + d.at_cells, source + s.at_cells, 4 * g.columns * g.rows)
    copy_bytes(to + d.at_sprites, source + s.at_sprites, g.stride * s.slots)
    return OK
