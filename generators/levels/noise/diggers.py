"""Agents that dig a dungeon out of solid rock, one cell at a time.

Shaker, Liapis, Togelius, Lopes, Bidarra: Constructive generation methods for dungeons and levels, chapter 3.3 of
Procedural Content Generation in Games (2016): the blind digger whose urge to turn and to build a room grows with every
step, and the look-ahead digger that only digs where it does not run into what is dug already. The weighted digger, in
between, prefers directions with more rock in sight.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from pcg.evaluators.level_grid import Mask

_WAYS = ((-1, 0), (0, 1), (1, 0), (0, -1))


@dataclass(frozen=True, slots=True)
class DiggerParameters:
    """Parameters of a digger."""

    turn: float = 0.05
    """Increase of the probability of a turn with every step without one."""
    build: float = 0.05
    """Increase of the probability of a room with every step without one."""
    room: tuple[int, int] = (3, 6)
    """Shortest and longest side of a room, in cells."""
    sight: int = 5
    """Number of cells a digger looks ahead: the weighted one at the rock, the look-ahead one for its corridors."""


def blind(rng: np.random.Generator, shape: tuple[int, int], share: float, parameters: DiggerParameters) -> Mask:
    """Digs straight on, turns and builds rooms at random, until no more than `share` of the rock is left."""
    return _wander(rng, shape, share, parameters, lambda rock, y, x: np.ones(4))


def weighted(rng: np.random.Generator, shape: tuple[int, int], share: float, parameters: DiggerParameters) -> Mask:
    """As the blind one, but turns rather to where there is still rock to dig."""

    def weigh(rock: Mask, y: int, x: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        seen = parameters.sight
        ahead = (
            rock[max(0, y - seen) : y, x], rock[y, x + 1 : x + 1 + seen],
            rock[y + 1 : y + 1 + seen, x], rock[y, max(0, x - seen) : x],
        )  # fmt: skip
        return np.array([0.05 + float(part.sum()) for part in ahead])

    return _wander(rng, shape, share, parameters, weigh)


def _wander(
    rng: np.random.Generator, shape: tuple[int, int], share: float, parameters: DiggerParameters,
    weigh: Callable[[Mask, int, int], np.ndarray[tuple[int, ...], np.dtype[np.float64]]],
) -> Mask:  # fmt: skip
    height, width = shape
    rock = np.ones(shape, bool)
    wanted = round(share * rock.size)
    y, x = int(rng.integers(height)), int(rng.integers(width))
    way = int(rng.integers(4))
    turn, build = parameters.turn, parameters.build
    left = rock.size
    for _ in range(20 * rock.size):
        if rock[y, x]:
            rock[y, x] = False
            left -= 1
        if left <= wanted:
            break
        dy, dx = _WAYS[way]
        if rng.random() < turn or not (0 <= y + dy < height and 0 <= x + dx < width):
            inside = [0 <= y + b < height and 0 <= x + a < width for b, a in _WAYS]
            weights = weigh(rock, y, x) * inside
            if not weights.any():
                break  # an area of one cell
            way = int(np.searchsorted(np.cumsum(weights), rng.random() * weights.sum(), side="right"))
            turn = 0.0
            dy, dx = _WAYS[way]
        else:
            turn += parameters.turn
        if rng.random() < build:
            tall, broad = _room_size(rng, parameters)
            # What a room would dig beyond the rock that is to stay is left to the next steps.
            part = rock[max(0, y - tall // 2) : y + (tall + 1) // 2, max(0, x - broad // 2) : x + (broad + 1) // 2]
            if left - int(part.sum()) >= wanted:
                left -= int(part.sum())
                part[:] = False
            build = 0.0
        else:
            build += parameters.build
        y, x = y + dy, x + dx
    return rock


def look_ahead(rng: np.random.Generator, shape: tuple[int, int], share: float, parameters: DiggerParameters) -> Mask:
    """Builds a room, then a corridor to where the next one fits without touching anything, and so on.

    When nothing fits from where it stands it goes back to an earlier room; when nothing fits anywhere it is done, so
    that more than `share` of the rock may be left.
    """
    height, width = shape
    rock = np.ones(shape, bool)
    wanted = round(share * rock.size)
    tall, broad = (min(a, b) for a, b in zip(_room_size(rng, parameters), shape, strict=True))
    top, left = int(rng.integers(height - tall + 1)), int(rng.integers(width - broad + 1))
    rock[top : top + tall, left : left + broad] = False
    rooms = [(top, left, tall, broad)]
    while rooms and int(rock.sum()) > wanted:
        found = None
        for _ in range(12):
            found = _next_room(rng, rock, rooms[-1], parameters)
            if found is not None:
                break
        if found is None:
            # Nothing fits beside the latest room: from now on this one is left alone, another has its turn.
            rooms.pop()
            if rooms:
                other = int(rng.integers(len(rooms)))
                rooms[other], rooms[-1] = rooms[-1], rooms[other]
            continue
        corridor, room = found
        for cell in corridor:
            rock[cell] = False
        top, left, tall, broad = room
        rock[top : top + tall, left : left + broad] = False
        rooms.append(room)
    return rock


def _next_room(
    rng: np.random.Generator, rock: Mask, room: tuple[int, int, int, int], parameters: DiggerParameters
) -> tuple[list[tuple[int, int]], tuple[int, int, int, int]] | None:
    """A corridor out of a room and a new room at its end that touch nothing dug so far; None if the try fails."""
    height, width = rock.shape
    top, left, tall, broad = room
    way = int(rng.integers(4))
    dy, dx = _WAYS[way]
    length = 1 + int(rng.integers(parameters.sight))
    y = top - 1 if dy < 0 else top + tall if dy > 0 else top + int(rng.integers(tall))
    x = left - 1 if dx < 0 else left + broad if dx > 0 else left + int(rng.integers(broad))
    corridor = [(y + i * dy, x + i * dx) for i in range(length)]
    high, wide = _room_size(rng, parameters)
    end_y, end_x = y + length * dy, x + length * dx
    # The corridor meets a random cell of the near side of the new room.
    new_top = end_y - high + 1 if dy < 0 else end_y if dy > 0 else end_y - int(rng.integers(high))
    new_left = end_x - wide + 1 if dx < 0 else end_x if dx > 0 else end_x - int(rng.integers(wide))
    if new_top < 0 or new_left < 0 or new_top + high > height or new_left + wide > width:
        return None
    around = rock[max(0, new_top - 1) : new_top + high + 1, max(0, new_left - 1) : new_left + wide + 1]
    if not around.all():  # the room that the corridor comes from is farther away
        return None
    for cy, cx in corridor:
        if not (0 <= cy < height and 0 <= cx < width) or not rock[cy, cx]:
            return None
    for cy, cx in corridor[1:]:
        sides = ((cy + dx, cx + dy), (cy - dx, cx - dy))
        if any(0 <= sy < height and 0 <= sx < width and not rock[sy, sx] for sy, sx in sides):
            return None
    return corridor, (new_top, new_left, high, wide)


def _room_size(rng: np.random.Generator, parameters: DiggerParameters) -> tuple[int, int]:
    low, high = parameters.room
    return int(rng.integers(low, high + 1)), int(rng.integers(low, high + 1))


DIGGERS: Mapping[str, Callable[[np.random.Generator, tuple[int, int], float, DiggerParameters], Mask]] = {
    "blind": blind,
    "weighted": weighted,
    "lookahead": look_ahead,
}
"""The diggers by name."""
