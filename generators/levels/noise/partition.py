"""Rooms by binary space partition: the area is cut in two again and again, each part gets a room, and corridors join
the two halves of every cut.

Shaker, Liapis, Togelius, Lopes, Bidarra: Constructive generation methods for dungeons and levels, chapter 3.2 of
Procedural Content Generation in Games (2016). Unlike the rooms of `wall_layout`, whose walls are one cell thick, these
have rock between them; they are widened as long as there is more rock than wanted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pcg.evaluators.level_grid import Mask


@dataclass(slots=True)
class Room:
    """A room within its part of the area; rows and columns from the first (inclusive) to the second (exclusive)."""

    part: tuple[int, int, int, int]
    """Top, left, bottom, right of the part; rooms of different parts keep a cell of rock between them."""
    top: int
    left: int
    bottom: int
    right: int

    def middle(self) -> tuple[int, int]:
        """A cell near the middle."""
        return (self.top + self.bottom) // 2, (self.left + self.right) // 2

    def widen(self, side: int) -> bool:
        """Move one side (0 to 3: top, left, bottom, right) out by a cell; False when the part ends there."""
        if side == 0 and self.top > self.part[0]:
            self.top -= 1
        elif side == 1 and self.left > self.part[1]:
            self.left -= 1
        elif side == 2 and self.bottom < self.part[2]:
            self.bottom += 1
        elif side == 3 and self.right < self.part[3]:
            self.right += 1
        else:
            return False
        return True


def partition(
    rng: np.random.Generator, shape: tuple[int, int], share: float, *, least: int, depth: int, loops: float
) -> Mask:
    """Rock around rooms and corridors.

    Args:
        rng: decides cuts, rooms and corridors.
        shape: (height, width) of the area.
        share: rooms are widened until no more than this share of the area is rock, or all rooms fill their parts.
        least: shortest side of a part, in cells.
        depth: cuts one after the other at most, so up to 2 ** depth rooms.
        loops: probability of a second corridor beside each that is needed.
    """
    rooms: list[Room] = []
    rock = np.ones(shape, bool)
    corridors: list[tuple[tuple[int, int], tuple[int, int]]] = []
    height, width = shape

    def cut(top: int, left: int, bottom: int, right: int, deeper: int) -> list[int]:
        """Partition a part; the numbers of its rooms. The cell row or column of a cut belongs to neither side."""
        tall, broad = bottom - top, right - left
        across = tall >= 2 * least + 1
        along = broad >= 2 * least + 1
        if deeper == 0 or not (across or along):
            rooms.append(_room(rng, (top, left, bottom, right)))
            return [len(rooms) - 1]
        # Long parts are cut across, so that rooms do not become passages.
        if across and along:
            across = bool(rng.random() * (tall + broad) < tall) if abs(tall - broad) < least else tall > broad
        if across:
            at = top + least + int(rng.integers(tall - 2 * least))
            first, second = cut(top, left, at, right, deeper - 1), cut(at + 1, left, bottom, right, deeper - 1)
        else:
            at = left + least + int(rng.integers(broad - 2 * least))
            first, second = cut(top, left, bottom, at, deeper - 1), cut(top, at + 1, bottom, right, deeper - 1)
        for _ in range(1 + int(rng.random() < loops)):
            one, other = (rooms[group[int(rng.integers(len(group)))]] for group in (first, second))
            corridors.append((one.middle(), other.middle()))
        return first + second

    cut(0, 0, height, width, depth)
    for room in rooms:
        rock[room.top : room.bottom, room.left : room.right] = False
    for (y, x), (to_y, to_x) in corridors:
        corner = (y, to_x) if rng.random() < 0.5 else (to_y, x)
        rock[min(y, to_y) : max(y, to_y) + 1, corner[1]] = False
        rock[corner[0], min(x, to_x) : max(x, to_x) + 1] = False
    _widen(rng, rock, rooms, round(share * rock.size))
    return rock


def _room(rng: np.random.Generator, part: tuple[int, int, int, int]) -> Room:
    """A room somewhere in a part, about half as long and wide or more."""
    top, left, bottom, right = part
    tall = int(rng.integers(min(bottom - top, max(2, (bottom - top) // 2)), bottom - top + 1))
    broad = int(rng.integers(min(right - left, max(2, (right - left) // 2)), right - left + 1))
    y = top + int(rng.integers(bottom - top - tall + 1))
    x = left + int(rng.integers(right - left - broad + 1))
    return Room(part, y, x, y + tall, x + broad)


def _widen(rng: np.random.Generator, rock: Mask, rooms: list[Room], wanted: int) -> None:
    open_sides = [(i, side) for i in range(len(rooms)) for side in range(4)]
    while open_sides and int(rock.sum()) > wanted:
        place = int(rng.integers(len(open_sides)))
        number, side = open_sides[place]
        room = rooms[number]
        if room.widen(side):
            rock[room.top : room.bottom, room.left : room.right] = False
        else:
            open_sides.pop(place)
