"""Measures of the PCG Benchmark for the maps of its Zelda and binary problems, in compiled code.

Regions are connected without corners. The longest path of a map is, as there, the greatest distance from the cell that
is farthest from the first of its region (which is less than the greatest of all when there are loops).

The path of Zelda that counts is the one from the player to the key, where doors are in the way (they are for the
benchmark's path from the key to the door too, so that it has none). Of several shortest ones it is found from the end:
a step left, right, up or down, to the first cell that is nearer to the start.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.runtime import entry_point, inner, load8, load32, store8, store32, view_of

WALL, FLOOR, PLAYER, KEY, DOOR, ENEMY = range(6)
"""Numbers in a content."""

ROOMS = np.dtype(
    [
        ("height", "i8"),
        ("width", "i8"),
        ("tiles", "i8"),  # int8[height * width]
        ("far", "i8"),  # int32[height * width]: steps from where a flood began, -1 where it does not reach
        ("queue", "i8"),  # int32[height * width]
        ("seen", "i8"),  # int8[height * width]: whether a region was entered
        ("door_blocks", "i8"),  # whether doors cannot be passed
        ("regions", "i8"),
        ("longest", "i8"),  # path, in steps
        ("player_key", "i8"),  # steps, -1 if there is no way or one of the two is missing
        ("key_door", "i8"),
        ("cells", "i8"),  # int32[height * width]: the cells of the path
        ("length", "i8"),  # how many these are
    ],
    align=True,
)

rooms_at = view_of(ROOMS)


@inner
def _beside(rooms: int, cell: int, direction: int) -> int:
    """The cell left, right, above or below; -1 outside."""
    r = rooms_at(rooms)
    if direction == 0:
        return cell - 1 if cell % r.width > 0 else -1
    if direction == 1:
        return cell + 1 if cell % r.width + 1 < r.width else -1
    if direction == 2:
        return cell - r.width if cell >= r.width else -1
    return cell + r.width if cell + r.width < r.height * r.width else -1


@inner
def _open(rooms: int, cell: int) -> int:
    r = rooms_at(rooms)
    tile = load8(r.tiles + cell)
    return 0 if tile == WALL or (tile == DOOR and r.door_blocks) else 1


@inner
def _clear(rooms: int) -> None:
    r = rooms_at(rooms)
    for cell in range(r.height * r.width):
        store32(r.far + 4 * cell, -1)


@inner
def _flood(rooms: int, start: int) -> None:
    """Steps from a cell to all that it is connected with."""
    r = rooms_at(rooms)
    if not _open(rooms, start):
        return
    store32(r.queue, start)
    store32(r.far + 4 * start, 0)
    head = 0
    tail = 1
    while head < tail:
        cell = load32(r.queue + 4 * head)
        head += 1
        for direction in range(4):
            other = _beside(rooms, cell, direction)
            if other >= 0 and _open(rooms, other) and load32(r.far + 4 * other) < 0:
                store32(r.far + 4 * other, load32(r.far + 4 * cell) + 1)
                store32(r.queue + 4 * tail, other)
                tail += 1


@inner
def _first(rooms: int, tile: int) -> int:
    """The first cell with a tile in reading order, or -1."""
    r = rooms_at(rooms)
    for cell in range(r.height * r.width):
        if load8(r.tiles + cell) == tile:
            return cell
    return -1


@inner
def _keep_path(rooms: int, end: int) -> None:
    """Keep the path to a cell from where the flood began."""
    r = rooms_at(rooms)
    steps = load32(r.far + 4 * end)
    r.length = steps + 1
    cell = end
    store32(r.cells + 4 * steps, cell)
    for back in range(steps):
        nearest = cell
        for direction in range(4):
            other = _beside(rooms, cell, direction)
            far = load32(r.far + 4 * other) if other >= 0 else -1
            if far >= 0 and far < load32(r.far + 4 * nearest):
                nearest = other
        cell = nearest
        store32(r.cells + 4 * (steps - 1 - back), cell)


@inner
def _distance(rooms: int, start: int, end: int) -> int:
    if start < 0 or end < 0:
        return -1
    _clear(rooms)
    _flood(rooms, start)
    return load32(rooms_at(rooms).far + 4 * end)


@entry_point("i8(i8)")
def measure(rooms: int) -> int:
    """Regions, both distances, and the cells of the path to the key."""
    r = rooms_at(rooms)
    r.door_blocks = 0
    r.regions = 0
    r.length = 0
    _clear(rooms)
    for cell in range(r.height * r.width):
        if load32(r.far + 4 * cell) < 0 and _open(rooms, cell):
            r.regions += 1
            _flood(rooms, cell)
    player, key, door = _first(rooms, PLAYER), _first(rooms, KEY), _first(rooms, DOOR)
    r.door_blocks = 1
    r.player_key = _distance(rooms, player, key)
    if r.player_key > 0:
        _keep_path(rooms, key)
    r.door_blocks = 0
    r.key_door = _distance(rooms, key, door)
    return 0


@inner
def _farthest(rooms: int) -> int:
    """The first of the cells that are farthest from where the flood began."""
    r = rooms_at(rooms)
    best = 0
    for cell in range(r.height * r.width):
        if load32(r.far + 4 * cell) > load32(r.far + 4 * best):
            best = cell
    return best


@entry_point("i8(i8)")
def measure_paths(rooms: int) -> int:
    """Regions and the longest path, all but walls being open."""
    r = rooms_at(rooms)
    r.door_blocks = 0
    r.regions = 0
    r.longest = 0
    for cell in range(r.height * r.width):
        store8(r.seen + cell, 0)
    for cell in range(r.height * r.width):
        if load8(r.seen + cell) or not _open(rooms, cell):
            continue
        r.regions += 1
        _clear(rooms)
        _flood(rooms, cell)
        for other in range(r.height * r.width):
            if load32(r.far + 4 * other) >= 0:
                store8(r.seen + other, 1)
        end = _farthest(rooms)
        _clear(rooms)
        _flood(rooms, end)
        r.longest = max(r.longest, load32(r.far + 4 * _farthest(rooms)))
    return 0


@entry_point("i8(i8)")
def count_regions(rooms: int) -> int:
    """Count the regions, all but walls being open."""
    r = rooms_at(rooms)
    r.door_blocks = 0
    _clear(rooms)
    regions = 0
    for cell in range(r.height * r.width):
        if load32(r.far + 4 * cell) < 0 and _open(rooms, cell):
            regions += 1
            _flood(rooms, cell)
    return regions


@entry_point("i8(i8, i8)")
def reach(rooms: int, start: int) -> int:
    """Steps from a cell to all that it is connected with, all but walls being open; returns how many these are."""
    r = rooms_at(rooms)
    r.door_blocks = 0
    _clear(rooms)
    _flood(rooms, start)
    count = 0
    for cell in range(r.height * r.width):
        if load32(r.far + 4 * cell) >= 0:
            count += 1
    return count
