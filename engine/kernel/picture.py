"""Pictures by compiled code: tiles copied onto a canvas in the game's draw order.

The tiles come from Python, each when it is first needed: a tile that is missing is described in the view, the call
returns `MISSING`, and is repeated once the tile is there. Nothing is scaled or turned here.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.groups import first_of, next_of
from pcg.engine.kernel.layout import DISABLED, context_at, sprite_at
from pcg.engine.kernel.protocol import OK
from pcg.engine.kernel.runtime import copy_bytes, entry_point, inner, load8, load64, store8, store64, view_of

MISSING = 3
"""Status: the view's `miss` fields describe a stamp that is needed."""

STAMP = np.dtype(
    [
        ("next", "i8"),  # address of another stamp of the kind, or 0
        ("look", "i8"),
        ("towards", "i8"),  # 0 no direction, 1 up, 2 left, 3 down, 4 right
        ("width", "i8"),
        ("height", "i8"),
        ("opaque", "i8"),
        ("rgb", "i8"),  # uint8[height, width, 3], 0 where transparent
        ("keep", "i8"),  # uint8[height, width, 3], 255 where transparent
    ],
    align=True,
)
KIND = np.dtype(
    [
        ("type", "i8"),
        ("faces", "i8"),  # 1 when the orientation decides how it looks
        ("below", "i8"),  # look where the same type stands directly below, -1: no difference
        ("looks", "i8"),  # int8[rows + 2, columns + 2]: look by cell, from cell (-1, -1); 0: always look 0
        ("shrink", "f8"),
        ("stamps", "i8"),  # address of the first stamp, or 0
    ],
    align=True,
)
PICTURE = np.dtype(
    [
        ("tile", "i8"),  # pixels per cell
        ("rows", "i8"),  # of the canvas, in cells
        ("columns", "i8"),
        ("base", "i8"),  # uint8[rows * tile, columns * tile, 3]: what to start from
        ("kinds", "i8"),  # KIND records in draw order
        ("first", "i8"),  # which of them to paint
        ("last", "i8"),
        ("miss_kind", "i8"),
        ("miss_look", "i8"),
        ("miss_towards", "i8"),
        ("miss_width", "i8"),
        ("miss_height", "i8"),
    ],
    align=True,
)
KIND_BYTES = KIND.itemsize

stamp_view = view_of(STAMP)
kind_view = view_of(KIND)
picture_view = view_of(PICTURE)


@inner
def direction_of(x, y):
    """The nearest of the four directions, as in STAMP; 0 for none, which is (0, 0) and (-1, -1)."""
    if (x == 0.0 and y == 0.0) or (x == -1.0 and y == -1.0):
        return 0
    if abs(x) >= abs(y):
        return 4 if x > 0.0 else 2
    return 3 if y > 0.0 else 1


@inner
def find_stamp(kind, look, towards, width, height):
    """Address of the kind's stamp of that look and size, or 0."""
    a = kind_view(kind).stamps
    while a != 0:
        s = stamp_view(a)
        if s.look == look and s.towards == towards and s.width == width and s.height == height:
            return a
        a = s.next
    return 0


@inner
def paste(stamp, out, columns, rows, left, top):
    """Copy a stamp onto a canvas of `columns` x `rows` pixels, clipped; transparent pixels leave what is there."""
    s = stamp_view(stamp)
    x0 = left if left > 0 else 0
    y0 = top if top > 0 else 0
    x1 = left + s.width if left + s.width < columns else columns
    y1 = top + s.height if top + s.height < rows else rows
    if x0 >= x1 or y0 >= y1:
        return
    size = 3 * (x1 - x0)
    for y in range(y0, y1):
        to = out + 3 * (y * columns + x0)
        source = 3 * ((y - top) * s.width + x0 - left)
        if s.opaque != 0:
            copy_bytes(to, s.rgb + source, size)
        elif (to | source | size) & 7 == 0:
            for k in range(0, size, 8):
                word = (load64(to + k) & load64(s.keep + source + k)) | load64(s.rgb + source + k)
                store64(to + k, word)
        else:
            for k in range(size):
                if load8(s.keep + source + k) == 0:
                    store8(to + k, load8(s.rgb + source + k))


@inner
def stands_below(gm, st, t, x, y):
    """1 when a sprite of type t has its corner there."""
    a = first_of(gm, st, t)
    while a != 0:
        p = sprite_at(a)
        if p.x == x and p.y == y and p.bits & DISABLED == 0:
            return 1
        a = next_of(gm, st, a)
    return 0


@inner
def look_of(view, kind, gm, st, a):
    """Return the number of a sprite's look among those of its kind: by what stands below it, else by its cell."""
    k = kind_view(kind)
    p = sprite_at(a)
    if k.below >= 0 and stands_below(gm, st, p.type, p.x, p.y + p.h) != 0:
        return k.below
    if k.looks == 0:
        return 0
    v = picture_view(view)
    block = context_at(gm).block
    column = p.x // block
    row = p.y // block
    if column < -1 or row < -1 or column > v.columns or row > v.rows:
        return 0
    return load8(k.looks + (row + 1) * (v.columns + 2) + column + 1)


@inner
def paint_sprite(view, number, gm, st, a, out):
    """Paint one sprite; OK or MISSING."""
    v = picture_view(view)
    kind = v.kinds + KIND_BYTES * number
    k = kind_view(kind)
    p = sprite_at(a)
    block = context_at(gm).block
    left = p.x * v.tile // block
    top = p.y * v.tile // block
    right = (p.x + p.w) * v.tile // block
    bottom = (p.y + p.h) * v.tile // block
    if right <= left:
        right = left + 1
    if bottom <= top:
        bottom = top + 1
    if k.shrink < 1.0:
        margin_x = int((right - left) * (1.0 - k.shrink) / 2.0)
        margin_y = int((bottom - top) * (1.0 - k.shrink) / 2.0)
        left += margin_x
        right -= margin_x
        top += margin_y
        bottom -= margin_y
    columns = v.columns * v.tile
    rows = v.rows * v.tile
    if left >= columns or top >= rows or right <= 0 or bottom <= 0:
        return OK
    # of a giant, only what is around the canvas needs a stamp
    if right - left > 3 * columns:
        left = max(left, -columns)
        right = min(right, 2 * columns)
    if bottom - top > 3 * rows:
        top = max(top, -rows)
        bottom = min(bottom, 2 * rows)
    look = look_of(view, kind, gm, st, a)
    towards = direction_of(p.ox, p.oy) if k.faces != 0 else 0
    stamp = find_stamp(kind, look, towards, right - left, bottom - top)
    if stamp == 0:
        v.miss_kind = number
        v.miss_look = look
        v.miss_towards = towards
        v.miss_width = right - left
        v.miss_height = bottom - top
        return MISSING
    paste(stamp, out, columns, rows, left, top)
    return OK


@entry_point("i8(i8, i8, i8, i8)")
def write_picture(view, gm, st, out):
    """Paint a state as uint8[rows * tile, columns * tile, 3] to `out`; OK or MISSING. Dead avatars are not shown."""
    v = picture_view(view)
    copy_bytes(out, v.base, 3 * v.rows * v.columns * v.tile * v.tile)
    for number in range(v.first, v.last):
        t = kind_view(v.kinds + KIND_BYTES * number).type
        a = first_of(gm, st, t)
        while a != 0:
            if sprite_at(a).bits & DISABLED == 0:
                status = paint_sprite(view, number, gm, st, a, out)
                if status != OK:
                    return status
            a = next_of(gm, st, a)
    return OK
