"""Answers of the PCG Benchmark's solvers for a Sokoban level, in compiled code: the very plan, not just any.

The benchmark asks a breadth-first search, then a best-first search by distance plus once, half and nothing of the
length so far, each with a limit of nodes taken from the queue. Whatever a plan depends on is kept: moves are tried
left, right, up, down; states with the boxes in another order are other states; a push is refused when any box then
stands on a cell that looks dead (a corner, or a cell between two corners with a wall beside every cell of the way,
without goals); among nodes of equal worth the binary heap of Python's `heapq` decides.
"""

from __future__ import annotations

import numpy as np

from benchmarks.pcg_benchmark.heap_kernel import heap_pop, heap_push
from pcg.engine.kernel.runtime import (
    entry_point,
    inner,
    load8,
    load32,
    load64,
    store8,
    store32,
    store64,
    view_of,
)

WALL, FLOOR, PLAYER, BOX, GOAL = range(5)
"""Numbers in a content."""
SOLVED, UNSOLVED, TOO_BIG = range(3)
"""Results of `plan`; `TOO_BIG`: a state does not fit a 64-bit word."""

LEVEL = np.dtype(
    [
        ("height", "i8"),  # with the frame
        ("width", "i8"),
        ("power", "i8"),  # nodes that each solver may take from its queue
        ("tiles", "i8"),  # int8[height * width]: the level, framed by walls
        ("steps", "i8"),  # int32[cells * cells]: from one cell to another with no walls
        ("dead", "i8"),  # int8[height * width]: where a box is lost
        ("corner", "i8"),  # int8[height * width]
        ("over", "i8"),  # int8[height * width]: number of the box on each cell, + 1; 0 between two expansions
        ("goals", "i8"),  # int32[cells]: places of the goals in reading order
        ("left", "i8"),  # int32[cells]: goals that no box has been matched with
        ("boxes", "i8"),  # int32[cells]: places of the boxes of the state at hand
        ("count", "i8"),  # of boxes, and of goals
        ("player", "i8"),
        ("bits", "i8"),  # for a place
        ("states", "i8"),  # int64[nodes]: player and boxes of each node
        ("parents", "i8"),  # int32[nodes]
        ("actions", "i8"),  # int8[nodes]: direction, + 4 for a push
        ("depths", "i8"),  # int32[nodes]
        ("far", "i8"),  # int32[nodes]: distance of the boxes from the goals, for the best-first search
        ("heap", "i8"),  # int64[nodes]: twice what the best-first search orders by, then the node in the low half
        ("heaped", "i8"),
        ("nodes", "i8"),  # made by the search at hand
        ("taken", "i8"),  # of these, from the queue
        ("room", "i8"),  # nodes there is room for
        ("seen", "i8"),  # int64[slots]: states expanded, + 1, hashed
        ("slots", "i8"),  # a power of two
        ("filled", "i8"),  # int32[nodes]: slots that are taken
        ("filled_count", "i8"),
        ("nearest", "i8"),  # least distance of an expanded state of the last search
        ("length", "i8"),  # of the plan, in moves
        ("text", "i8"),  # int8[nodes]: the plan as the benchmark compares it
        ("text_length", "i8"),
    ],
    align=True,
)

level_at = view_of(LEVEL)


@inner
def _step(level: int, direction: int) -> int:
    """Offsets in memory of the next cell: left, right, up, down."""
    if direction == 0:
        return -1
    if direction == 1:
        return 1
    return -level_at(level).width if direction == 2 else level_at(level).width


@inner
def _is_wall(level: int, cell: int) -> int:
    return 1 if load8(level_at(level).tiles + cell) == WALL else 0


@inner
def _mark_line(level: int, one: int, other: int, step: int, beside: int) -> None:
    """Mark the cells between two corners as dead, if each has a wall beside it and none is a wall or goal."""
    v = level_at(level)
    cell = one + step
    while cell != other:
        tile = load8(v.tiles + cell)
        if tile in (GOAL, WALL) or not (_is_wall(level, cell - beside) or _is_wall(level, cell + beside)):
            return
        cell += step
    cell = one + step
    while cell != other:
        store8(v.dead + cell, 1)
        cell += step


@inner
def _find_dead(level: int) -> None:
    v = level_at(level)
    for cell in range(v.height * v.width):
        store8(v.dead + cell, 0)
        store8(v.corner + cell, 0)
    for y in range(1, v.height - 1):
        for x in range(1, v.width - 1):
            cell = y * v.width + x
            tile = load8(v.tiles + cell)
            if tile in (WALL, GOAL):
                continue
            upright = _is_wall(level, cell - v.width) or _is_wall(level, cell + v.width)
            level_wall = _is_wall(level, cell - 1) or _is_wall(level, cell + 1)
            if upright and level_wall:
                store8(v.corner + cell, 1)
                store8(v.dead + cell, 1)
    for y in range(1, v.height - 1):
        for x in range(1, v.width - 1):
            cell = y * v.width + x
            if load8(v.corner + cell) == 0:
                continue
            for u in range(x + 1, v.width - 1):
                if load8(v.corner + y * v.width + u):
                    _mark_line(level, cell, y * v.width + u, 1, v.width)
            for t in range(y + 1, v.height - 1):
                if load8(v.corner + t * v.width + x):
                    _mark_line(level, cell, t * v.width + x, v.width, 1)


@inner
def _read(level: int) -> int:
    """Find player, boxes and goals; returns whether there are one player and as many boxes as goals, at least one."""
    v = level_at(level)
    boxes = goals = players = 0
    for cell in range(v.height * v.width):
        tile = load8(v.tiles + cell)
        if tile == PLAYER:
            v.player = cell
            players += 1
        elif tile == BOX:
            store32(v.boxes + 4 * boxes, cell)
            boxes += 1
        elif tile == GOAL:
            store32(v.goals + 4 * goals, cell)
            goals += 1
    v.count = boxes
    return 1 if players == 1 and boxes == goals and boxes > 0 else 0


@inner
def _pack(level: int) -> int:
    """The state at hand as one number."""
    v = level_at(level)
    state = v.player
    for k in range(v.count):
        state = (state << v.bits) | load32(v.boxes + 4 * k)
    return state


@inner
def _unpack(level: int, state: int) -> None:
    v = level_at(level)
    mask = (1 << v.bits) - 1
    for back in range(v.count):
        store32(v.boxes + 4 * (v.count - 1 - back), state & mask)
        state >>= v.bits
    v.player = state


@inner
def _won(level: int) -> int:
    v = level_at(level)
    for k in range(v.count):
        if load8(v.tiles + load32(v.boxes + 4 * k)) != GOAL:
            return 0
    return 1


@inner
def _distance(level: int) -> int:
    """Each box in turn takes the nearest goal that is left; the sum of their distances."""
    v = level_at(level)
    for k in range(v.count):
        store32(v.left + 4 * k, load32(v.goals + 4 * k))
    total = 0
    cells = v.height * v.width
    for k in range(v.count):
        row = v.steps + 4 * cells * load32(v.boxes + 4 * k)
        least = v.width + v.height
        match = 0
        for g in range(v.count - k):
            far = load32(row + 4 * load32(v.left + 4 * g))
            if far < least:
                least = far
                match = g
        total += least
        for g in range(match, v.count - k - 1):
            store32(v.left + 4 * g, load32(v.left + 4 * (g + 1)))
    return total


@inner
def _see(level: int, state: int) -> int:
    """Remember a state; returns whether it was known."""
    v = level_at(level)
    mask = v.slots - 1
    mixed = (state ^ (state >> 31)) & 0x7FFFFFFF
    slot = ((mixed * 0x9E3779B1) >> 24) & mask  # a product below 2^63
    while load64(v.seen + 8 * slot) != 0:
        if load64(v.seen + 8 * slot) == state + 1:
            return 1
        slot = (slot + 1) & mask
    store64(v.seen + 8 * slot, state + 1)
    store32(v.filled + 4 * v.filled_count, slot)
    v.filled_count += 1
    return 0


@inner
def _forget(level: int) -> None:
    """Forget all states: most searches know few, so that emptying all slots would take longer than searching."""
    v = level_at(level)
    for k in range(v.filled_count):
        store64(v.seen + 8 * load32(v.filled + 4 * k), 0)
    v.filled_count = 0


@inner
def _add(level: int, state: int, parent: int, action: int, depth: int) -> int:
    """Make a node of a state; returns its number."""
    v = level_at(level)
    node = v.nodes
    store64(v.states + 8 * node, state)
    store32(v.parents + 4 * node, parent)
    store8(v.actions + node, action)
    store32(v.depths + 4 * node, depth)
    v.nodes = node + 1
    return node


@inner
def _expand(level: int, node: int, best_first: int, half_weights: int) -> None:
    """Add the nodes that follow a node, whose state is at hand."""
    v = level_at(level)
    state = load64(v.states + 8 * node)
    depth = load32(v.depths + 4 * node) + 1
    lost = 0  # boxes that stood where they are lost from the start
    for k in range(v.count):
        box = load32(v.boxes + 4 * k)
        store8(v.over + box, k + 1)
        lost += load8(v.dead + box)
    for direction in range(4):
        step = _step(level, direction)
        to = v.player + step
        if _is_wall(level, to):
            continue
        pushed = load8(v.over + to) - 1
        after = state + step * (1 << (v.bits * v.count))
        action = direction
        if pushed >= 0:
            beyond = to + step
            if _is_wall(level, beyond) or load8(v.over + beyond):
                continue
            if lost - load8(v.dead + to) + load8(v.dead + beyond) > 0:
                continue
            after += step * (1 << (v.bits * (v.count - 1 - pushed)))
            action += 4
        child = _add(level, after, node, action, depth)
        if best_first:
            far = load32(v.far + 4 * node)  # a step moves no box
            if pushed >= 0:
                store32(v.boxes + 4 * pushed, to + step)
                far = _distance(level)
                store32(v.boxes + 4 * pushed, to)
            store32(v.far + 4 * child, far)
            v.heaped = heap_push(v.heap, v.heaped, 2 * far + half_weights * depth, child)
    for k in range(v.count):
        store8(v.over + load32(v.boxes + 4 * k), 0)


@inner
def _search(level: int, start: int, best_first: int, half_weights: int) -> int:
    """One of the solvers; returns the node of the solution, or -1."""
    v = level_at(level)
    _forget(level)
    v.nodes = 0
    v.heaped = 0
    v.nearest = -1
    _unpack(level, start)
    _add(level, start, -1, 0, 0)
    if best_first:
        far = _distance(level)
        store32(v.far, far)
        v.heaped = heap_push(v.heap, 0, 2 * far, 0)
    v.taken = 0
    while v.taken < v.power and v.taken < v.nodes:
        node = v.taken
        if best_first:
            node = heap_pop(v.heap, v.heaped)
            v.heaped -= 1
        v.taken += 1
        state = load64(v.states + 8 * node)
        if _see(level, state):  # it was not won when it was met first
            continue
        _unpack(level, state)
        if _won(level):
            return node
        if best_first and (v.nearest < 0 or load32(v.far + 4 * node) < v.nearest):
            v.nearest = load32(v.far + 4 * node)
        _expand(level, node, best_first, half_weights)
    return -1


@inner
def _letter(first: int, turned: int, action: int) -> int:
    """A move relative to the first one, `turned` telling whether the other axis is mirrored: 0..7, 4 and more push."""
    direction = action & 3
    if first >= 2:
        direction ^= 2  # the axes change places
    if direction < 2:
        # the first move is to the right
        if (first & 1) == 0:
            direction ^= 1
    elif turned:
        direction ^= 1
    return direction | (action & 4)


@inner
def _write(level: int, node: int) -> None:
    """The plan that leads to a node, as the benchmark compares it: relative to its first two axes, without repeats."""
    v = level_at(level)
    v.length = load32(v.depths + 4 * node)
    at = v.length
    while at > 0:  # the moves first, in place
        at -= 1
        store8(v.text + at, load8(v.actions + node))
        node = load32(v.parents + 4 * node)
    v.text_length = 0
    if v.length == 0:
        return
    first = load8(v.text) & 3
    turned = -1
    for k in range(v.length):
        action = load8(v.text + k)
        if turned < 0 and ((action & 3) >= 2) != (first >= 2):
            turned = 1 if (action & 1) == 0 else 0
    last = -1
    for k in range(v.length):
        letter = _letter(first, turned, load8(v.text + k))
        if letter != last:
            store8(v.text + v.text_length, letter)
            v.text_length += 1
            last = letter


@inner
def _find_nearest(level: int) -> None:
    """Find the least distance of all states that a search without order has met; only pushes change it."""
    v = level_at(level)
    for node in range(v.nodes):
        if node == 0 or load8(v.actions + node) >= 4:
            _unpack(level, load64(v.states + 8 * node))
            far = _distance(level)
            if v.nearest < 0 or far < v.nearest:
                v.nearest = far


@inner
def _solve(level: int, start: int) -> int:
    """The node that the benchmark's solvers end with, in their order."""
    v = level_at(level)
    found = _search(level, start, 0, 0)
    if found >= 0:
        return found
    if v.taken == v.nodes:  # with no state left the others find nothing either, and get as near
        _find_nearest(level)
        return found
    for half_weights in (2, 1, 0):
        found = _search(level, start, 1, half_weights)
        if found >= 0:
            return found
    return -1


@entry_point("i8(i8)")
def plan(level: int) -> int:
    """Solve a level as the benchmark does.

    Leaves the length of the plan and its text, or the least distance met by the last solver.
    """
    v = level_at(level)
    v.length = 0
    v.text_length = 0
    v.nearest = -1
    if not _read(level):
        return UNSOLVED
    if v.bits * (v.count + 1) > 62:
        return TOO_BIG
    _find_dead(level)
    found = _solve(level, _pack(level))
    if found < 0:
        return UNSOLVED
    _write(level, found)
    v.nearest = 0
    return SOLVED
