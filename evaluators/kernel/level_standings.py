"""Compiled part of the habits of things: which of them stand as none of their kind does in a game's own levels."""

from __future__ import annotations

from pcg.engine.kernel.runtime import entry_point, inner, load8, load16, load64, store8

BARE, SOLID, STANDS = 1, 2, 4
"""Looks of a tile: ground on which nothing is, a thing that stops the avatar, a thing that may have habits."""
(BELOW, ABOVE, A_SIDE, BOTH_SIDES, WALL_BELOW, WALL_ABOVE, WALL_ASIDE, KIN, EDGE, LEFT, RIGHT, TOP, BOTTOM) = (
    1 << k for k in range(13)
)
"""Bits of the standings, in the order of `pcg.evaluators.judging.level_habits.STANDINGS`."""


@inner
def _tile(level: int, height: int, width: int, y: int, x: int, outside: int) -> int:
    """Tile of a cell, `outside` beyond the edge."""
    return load16(level + 2 * (y * width + x)) if 0 <= y < height and 0 <= x < width else outside


@inner
def _standings(level: int, looks: int, height: int, width: int, outside: int, y: int, x: int, own: int) -> int:
    """Bits of the standings that a thing has, or would have, in a cell."""
    below, above = _tile(level, height, width, y + 1, x, outside), _tile(level, height, width, y - 1, x, outside)
    left, right = _tile(level, height, width, y, x - 1, outside), _tile(level, height, width, y, x + 1, outside)
    down, up = load8(looks + below), load8(looks + above)
    one, other = load8(looks + left), load8(looks + right)
    had = BELOW if down & BARE else 0
    had |= ABOVE if up & BARE else 0
    had |= A_SIDE if (one | other) & BARE else 0
    had |= BOTH_SIDES if one & other & BARE else 0
    had |= WALL_BELOW if down & SOLID else 0
    had |= WALL_ABOVE if up & SOLID else 0
    had |= WALL_ASIDE if (one | other) & SOLID else 0
    had |= KIN if below == own or above == own or left == own or right == own else 0
    had |= EDGE if y == 0 or x == 0 or y == height - 1 or x == width - 1 else 0
    had |= LEFT if x < width // 3 else 0
    had |= RIGHT if x >= width - width // 3 else 0
    had |= TOP if y < height // 3 else 0
    had |= BOTTOM if y >= height - height // 3 else 0
    return had


@entry_point("i8(i8, i8, i8, i8, i8, i8)")
def mark_broken(level: int, looks: int, habits: int, placed: int, found: int, sizes: int) -> int:
    """Mark the cells of things that break a habit, or those in which a thing would; returns how many there are.

    level: int16[height * width]; looks: int8[tiles + 1], bits of what each tile may be, last of what is outside;
    habits: int64[tiles * 2], the bits of the standings that things of a tile never have, and of those that they always
    have; placed: the tile whose place every cell is, -1 for the tile that is there; found: int8[height * width], gets 1
    for such a cell and 0 for others; sizes: int64[3] height, width, tiles.
    """
    height, width, outside = load64(sizes), load64(sizes + 8), load64(sizes + 16)
    marked = 0
    for y in range(height):
        for x in range(width):
            own = placed if placed >= 0 else load16(level + 2 * (y * width + x))
            never, always = load64(habits + 16 * own), load64(habits + 16 * own + 8)
            broken = 0
            if (never | always) != 0 and (placed >= 0 or load8(looks + own) & STANDS):
                had = _standings(level, looks, height, width, outside, y, x, own)
                wrong = (had & never) | (~had & always)
                if y == height - 1:
                    wrong &= ~BELOW
                if y == 0:
                    wrong &= ~ABOVE
                if x == 0 or x == width - 1:
                    wrong &= ~(A_SIDE | BOTH_SIDES)
                broken = 1 if wrong != 0 else 0
            store8(found + y * width + x, broken)
            marked += broken
    return marked
