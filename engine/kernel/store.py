"""Sprites in memory: groups, creation, killing, removal, resources, and the tests on rectangles.

Nothing here knows rules; the order of every list is the reference's (spec 01 sections 3.8 and 3.9, spec 02 section 1).
A sprite is its address; 0 is no sprite.
"""

from __future__ import annotations

from pcg.engine.kernel.bounds import MAX_MOVING, MAX_SPRITES, MAX_WORK, inside, outgrow, within
from pcg.engine.kernel.layout import (
    AVATAR_AT,
    COPIED_HEADER,
    DISABLED,
    EFFECT_BYTES,
    ENTRY_BYTES,
    EVENT_BYTES,
    FULL_STRIDE,
    GROUP_BYTES,
    GROUPS_AT,
    HOT_STRIDE,
    KILLED,
    SPRITE_BYTES,
    T_AVATAR_CLASS,
    TIMER_BYTES,
    TYPE_BYTES,
    context_at,
    effect_view,
    entry_view,
    group_view,
    sprite_at,
    state_at,
    type_view,
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
    load_double,
    store8,
    store16,
    store32,
    store64,
)

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
    """count(t): sprites of t, its ancestors and descendants, killed and disabled ones included (spec 01 section 0)."""
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


# --- rectangles ---


@inner
def cells_along(gm, pixels):
    """Which cell a non-negative pixel coordinate lies in (floor division by the block size)."""
    g = context_at(gm)
    if g.inverse != 0:
        return (pixels * g.inverse) >> 32
    return pixels // g.block


@inner
def cell_at(gm, x, y):
    """Number of the cell of a point; points outside count as the nearest border cell."""
    g = context_at(gm)
    x = max(0, min(x, g.width - 1))
    y = max(0, min(y, g.height - 1))
    return cells_along(gm, y) * g.columns + cells_along(gm, x)


@inner
def near_mask(gm, st, a):
    """Bit (type & 63) of every type with level sprites placed in the cells that `a` covers; those dead included."""
    p = sprite_at(a)
    if p.near != -1:
        return p.near
    g = context_at(gm)
    mask = 0
    if p.w > 0 and p.h > 0 and p.x < g.width and p.y < g.height and p.x + p.w > 0 and p.y + p.h > 0:
        c0 = cells_along(gm, max(p.x, 0))
        r0 = cells_along(gm, max(p.y, 0))
        c1 = cells_along(gm, min(p.x + p.w, g.width) - 1)
        r1 = cells_along(gm, min(p.y + p.h, g.height) - 1)
        for r in range(r0, r1 + 1):
            for c in range(c0, c1 + 1):
                mask = mask | load64(g.cell_mask + 8 * (r * g.columns + c))
    if p.slot >= 0:
        p.near = mask
    return mask


# --- moving sprites by cell ---

MANY_MOVING = 64
"""A state whose sprites have needed more slots than this keeps them in lists by cell from then on."""
_MARKS = 15
"""Classes of types that are told apart by the marks of a cell."""
OVERHANG = 1 << 31
"""Mark of a cell: a sprite listed there may reach into the cells to its right or below."""


@inlined
def cell_word(st, cell):
    """Address of a cell's int32: the slot its list begins with (low half, -1: none), and marks of what it may hold.

    Marks are one bit per class of types (`type_mark`) and `OVERHANG`. They are set when a sprite comes and all taken
    back when the last one goes: one that is not set is sure, one that is set is not.
    """
    return st + state_at(st).at_cells + 4 * cell


@inlined
def type_mark(t):
    """The mark that a sprite of type t leaves at its cell."""
    return 1 << (16 + t % _MARKS)


@inlined
def reach_mark(gm, p):
    """The mark of a sprite that reaches into the cells to the right or below, otherwise 0."""
    g = context_at(gm)
    right = cells_along(gm, max(0, min(p.x, g.width - 1))) * g.block + g.block
    bottom = cells_along(gm, max(0, min(p.y, g.height - 1))) * g.block + g.block
    return OVERHANG if p.x + p.w > right or p.y + p.h > bottom else 0


@inner
def link_cell(gm, st, a):
    """Put a moving sprite into the list of its cell."""
    p = sprite_at(a)
    p.cell = cell_at(gm, p.x, p.y)
    here = cell_word(st, p.cell)
    first = load16(here)
    p.cell_next = first
    p.cell_prev = -1
    if first >= 0:
        sprite_at(slot_address(gm, st, first)).cell_prev = p.slot
    store32(here, load32(here) & ~0xFFFF | type_mark(p.type) | reach_mark(gm, p) | p.slot)


@inner
def unlink_cell(gm, st, a):
    """Take a moving sprite out of the list of its cell."""
    p = sprite_at(a)
    if p.cell_prev >= 0:
        sprite_at(slot_address(gm, st, p.cell_prev)).cell_next = p.cell_next
    elif p.cell_next >= 0:
        store16(cell_word(st, p.cell), p.cell_next)
    else:
        store32(cell_word(st, p.cell), 0xFFFF)
    if p.cell_next >= 0:
        sprite_at(slot_address(gm, st, p.cell_next)).cell_prev = p.cell_prev


@inner
def follow_cell(gm, st, a):
    """Keep a sprite whose rectangle has changed in the list of its cell."""
    p = sprite_at(a)
    if cell_at(gm, p.x, p.y) != p.cell:
        unlink_cell(gm, st, a)
        link_cell(gm, st, a)
    else:
        here = cell_word(st, p.cell)
        store32(here, load32(here) | reach_mark(gm, p))


@inner
def clear_cells(gm, st):
    """Empty the lists of all cells."""
    g = context_at(gm)
    for cell in range(g.columns * g.rows):
        store32(cell_word(st, cell), 0xFFFF)


@inner
def sort_into_cells(gm, st):
    """Begin to keep the moving sprites of a state in lists by cell."""
    g = context_at(gm)
    state_at(st).grid = 1
    clear_cells(gm, st)
    for t in range(g.n_types):
        a = first_moving(gm, st, t)
        while a != 0:
            link_cell(gm, st, a)
            a = next_moving(gm, st, a)


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
    """addSprite (spec 01 section 3.9): the new sprite's address, or 0 when refused; `force` ignores singletons.

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
        # the very first sprite of a type is constructed, not copied: its lastrect is not scaled (spec 02 1.4)
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
def is_disabled(a):
    """1 for a disabled avatar."""
    return 1 if sprite_at(a).bits & DISABLED else 0


@inner
def kill(gm, st, a, transformed):
    """kill(sprite, transformed): an avatar that is not transformed is only disabled (spec 01 section 3.8)."""
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
    """Keep the final rectangle of a sprite about to go for the path chasers that pursue it (spec 02 section 2.7)."""
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
    """Add to an amount, never below 0 (spec 02 section 1.7)."""
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
