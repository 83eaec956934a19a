"""Positions of pushing puzzles: the record of a search, what stands on its board, where the avatar can walk, and keys.

The search itself is in `kernel`.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.runtime import inner, load8, load16, load32, load64, store8, store16, store32, view_of

STAYS, SINKS, FILLS, STICKS = range(4)
"""Fate of a box that comes to a goal: it can be pushed on; it is gone; it is gone with the goal, whose cell is free;
it becomes a wall."""
ALL_BOXES, ALL_GOALS = range(2)
"""Winning: all boxes are home, or all goals are taken."""
WALK, ROOM = 1, 2
"""Bits of a cell: the avatar can be there; a box can be there."""
GONE = 32000
"""Cell of a box that has left the board; more than any cell, so that it comes last."""
FAR = 1 << 20
"""Pushes to a goal that cannot be reached."""

PAUSED, SOLVED, SPENT, EXHAUSTED = range(4)
"""Answers of `search`: more positions may be looked at; solved; no room for more; there is no solution."""

SEARCH = np.dtype(
    [
        # --- the board ---
        ("columns", "i8"),
        ("cells", "i8"),
        ("ground", "i8"),  # int8[cells]: WALK | ROOM
        ("goal_at", "i8"),  # int32[cells]: number of the goal there, -1
        ("goal_cell", "i8"),  # int32[goals]
        ("far", "i8"),  # int32[goals * cells]: pushes that take a lone box from each cell to the goal
        ("live", "i8"),  # int8[cells]: 1 where a box can still come to some goal
        ("boxes", "i8"),
        ("goals", "i8"),
        ("fate", "i8"),
        ("need", "i8"),
        ("goal_walk", "i8"),  # 1 where the avatar can walk over goals
        # --- what is searched ---
        ("push_cost", "i8"),
        ("step_cost", "i8"),  # 0: avatars that can walk to one another are one
        ("trust", "i8"),  # weight of the estimate in sixteenths; 16: shortest solutions
        ("room", "i8"),
        ("used", "i8"),
        ("expanded", "i8"),
        ("pause_at", "i8"),
        ("goal", "i8"),  # node that is solved, -1
        ("full", "i8"),  # 1 when a position found no room
        ("cursor", "i8"),  # backwards: next node to look at
        # --- nodes ---
        ("place", "i8"),  # int16[room * boxes]
        ("taken", "i8"),  # int64[room]: goals used up, a bit each
        ("avatar", "i8"),  # int16[room]: its cell, after the push or the pull
        ("key", "i8"),  # int64[room]
        ("parent", "i8"),  # int32[room]
        ("pushed", "i8"),  # int16[room]: cell from which a box was moved to get here
        ("way", "i8"),  # int8[room]: direction of the push
        ("pushes", "i8"),  # int32[room]
        ("steps", "i8"),  # int32[room]: moves in all, pushes among them
        ("estimate", "i8"),  # int32[room]
        ("closed", "i8"),  # int8[room]
        ("table", "i8"),  # int32[table_size]: open addressing, node + 1
        ("table_size", "i8"),
        ("heap", "i8"),  # int32[heap_room]
        ("priority", "i8"),  # int64[heap_room]
        ("heap_room", "i8"),
        ("heap_used", "i8"),
        # --- scratch ---
        ("random", "i8"),  # int64[2 * cells + 64]: of boxes, of the avatar, of goals
        ("on", "i8"),  # int8[cells]: what stands there: 1 box, 2 box stuck in a goal
        ("stamp", "i8"),  # int32[cells]: flood that reached the cell last
        ("floods", "i8"),
        ("distance", "i8"),  # int32[cells]: of that flood
        ("queue", "i8"),  # int32[cells]
        ("work", "i8"),  # int16[boxes]: a position being made
        ("assign", "i8"),  # int32[6 * (most + 1)]: of the assignment, most = the larger number of boxes and goals
        ("most", "i8"),
        ("frozen", "i8"),  # int8[cells]
        ("option", "i8"),  # int32[4 * boxes]: pushes or pulls there are: 4 * box + direction
        ("walk", "i8"),  # int32[4 * boxes]: steps to where each begins
    ],
    align=True,
)

search_at = view_of(SEARCH)


# --- positions --------------------------------------------------------------------------------------------------------


@inner
def direction(search: int, way: int) -> int:
    """Difference of cell numbers of a step up, down, left or right."""
    s = search_at(search)
    if way == 0:
        return 0 - s.columns
    if way == 1:
        return s.columns
    return -1 if way == 2 else 1


@inner
def put(search: int, node: int) -> None:
    """Put what stands in a node's position on the board."""
    s = search_at(search)
    for cell in range(s.cells):
        store8(s.on + cell, 0)
    for k in range(s.boxes):
        cell = load16(s.place + 2 * (node * s.boxes + k))
        if cell != GONE:
            store8(s.on + cell, 1)
    stick(search, load64(s.taken + 8 * node))


@inner
def put_work(search: int, taken: int) -> None:
    """Put what stands in the position being made on the board."""
    s = search_at(search)
    for cell in range(s.cells):
        store8(s.on + cell, 0)
    for k in range(s.boxes):
        cell = load16(s.work + 2 * k)
        if cell != GONE:
            store8(s.on + cell, 1)
    stick(search, taken)


@inner
def stick(search: int, taken: int) -> None:
    """Mark goals that have become walls."""
    s = search_at(search)
    if s.fate == STICKS and taken != 0:
        for g in range(s.goals):
            if (taken >> g) & 1:
                store8(s.on + load32(s.goal_cell + 4 * g), 2)


@inner
def open_goal(search: int, cell: int, taken: int) -> int:
    """Number of the goal in a cell that is not used up, -1 without one."""
    s = search_at(search)
    g = load32(s.goal_at + 4 * cell)
    if g >= 0 and (taken >> g) & 1:
        return -1
    return g


@inner
def walkable(search: int, cell: int, taken: int) -> int:
    """Return 1 where the avatar can be, what stands on the board taken into account."""
    s = search_at(search)
    if load8(s.ground + cell) & WALK == 0 or load8(s.on + cell) != 0:
        return 0
    if s.goal_walk == 0 and open_goal(search, cell, taken) >= 0:
        return 0
    return 1


@inner
def flood(search: int, start: int, taken: int) -> int:
    """Walk from a cell to all that the avatar can reach; returns the least of them."""
    s = search_at(search)
    s.floods = s.floods + 1
    stamp = s.floods
    store32(s.stamp + 4 * start, stamp)
    store32(s.distance + 4 * start, 0)
    store32(s.queue, start)
    least = start
    first = 0
    last = 1
    while first < last:
        cell = load32(s.queue + 4 * first)
        first += 1
        for way in range(4):
            other = cell + direction(search, way)
            if load32(s.stamp + 4 * other) != stamp and walkable(search, other, taken):
                store32(s.stamp + 4 * other, stamp)
                store32(s.distance + 4 * other, load32(s.distance + 4 * cell) + 1)
                store32(s.queue + 4 * last, other)
                last += 1
                if other < least:
                    least = other
    return least


@inner
def key_of(search: int, taken: int, avatar: int) -> int:
    """Key of the position being made."""
    s = search_at(search)
    key = load64(s.random + 8 * (s.cells + avatar))
    for k in range(s.boxes):
        cell = load16(s.work + 2 * k)
        if cell != GONE:
            key ^= load64(s.random + 8 * cell)
    if taken != 0:
        for g in range(s.goals):
            if (taken >> g) & 1:
                key ^= load64(s.random + 8 * (2 * s.cells + g))
    return key


@inner
def entry_of(search: int, key: int) -> int:
    """Entry of the table with a key, or the empty one where it belongs."""
    s = search_at(search)
    mask = s.table_size - 1
    entry = (key ^ (key >> 29)) & mask
    while True:
        node = load32(s.table + 4 * entry) - 1
        if node < 0 or load64(s.key + 8 * node) == key:
            return entry
        entry = (entry + 1) & mask


@inner
def move_box(search: int, node: int, k: int, to: int) -> None:
    """Make the position of a node with one box elsewhere, in order."""
    s = search_at(search)
    at = s.place + 2 * node * s.boxes
    for i in range(s.boxes):
        store16(s.work + 2 * i, load16(at + 2 * i))
    i = k
    while i > 0 and load16(s.work + 2 * (i - 1)) > to:
        store16(s.work + 2 * i, load16(s.work + 2 * (i - 1)))
        i -= 1
    while i < s.boxes - 1 and load16(s.work + 2 * (i + 1)) < to:
        store16(s.work + 2 * i, load16(s.work + 2 * (i + 1)))
        i += 1
    store16(s.work + 2 * i, to)


@inner
def is_won(search: int, taken: int) -> int:
    """Return 1 where the position being made is won."""
    s = search_at(search)
    if s.fate == STAYS:
        home = 0
        for k in range(s.boxes):
            if load32(s.goal_at + 4 * load16(s.work + 2 * k)) >= 0:
                home += 1
        return 1 if home >= (s.goals if s.need == ALL_GOALS else s.boxes) else 0
    if s.need == ALL_GOALS:
        return 1 if taken == (1 << s.goals) - 1 else 0
    return 1 if s.boxes == 0 or load16(s.work) == GONE else 0
