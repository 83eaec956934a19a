"""The ways that the PCG Benchmark's solvers find in its Mini Dungeons and Danger Dave, in compiled code.

Both games are a walk to a door through a maze of things that are met once. The benchmark asks a best-first search by
worth plus once, half and nothing of the steps so far, then a breadth-first search, each with a limit of nodes taken
from the queue; what counts of a level that none of them wins is the state of the last search that was worth most.
Whatever the way depends on is kept: the order of the moves, that moves against a wall are nodes too, that a state is
expanded once however long the jump that led to it still lasts, and the order of Python's `heapq` among equals.
"""

from __future__ import annotations

import numpy as np

from benchmarks.pcg_benchmark.heap_kernel import heap_pop, heap_push
from pcg.engine.kernel.runtime import entry_point, inner, load8, load32, load64, store8, store32, store64, view_of

DUNGEON, DAVE = range(2)
"""Games."""
FREE, WALL, HARM, HARM_MORE, POTION, TREASURE, KEY, SPIKES = range(8)
"""Things in a cell; `HARM`, `HARM_MORE` and `POTION` are of the dungeon, `KEY` and `SPIKES` of Dave."""
SOLVED, UNSOLVED, TOO_BIG = range(3)
"""Results of `walk`; `TOO_BIG`: there are more objects than a state remembers."""
HEALTH = 5
"""Of the dungeon's hero at the start, and the most."""
_AIR = 3
"""Ticks that a jump of Dave lasts."""
_HANG = 1
"""The last of these, in which he does not rise."""
_WORD = 60
"""Things that a word of a state remembers."""

ADVENTURE = np.dtype(
    [
        ("game", "i8"),
        ("height", "i8"),  # with the frame
        ("width", "i8"),
        ("power", "i8"),  # nodes that each solver may take from its queue
        ("things", "i8"),  # int8[height * width]
        ("numbers", "i8"),  # int32[height * width]: number of the thing in each cell
        ("start", "i8"),
        ("door", "i8"),
        ("target", "i8"),  # a cell to reach instead of the door, or -1
        ("key", "i8"),  # cell of Dave's key, or -1
        # of each node
        ("cells", "i8"),  # int32[nodes]
        ("healths", "i8"),  # int8[nodes]
        ("airs", "i8"),  # int8[nodes]: ticks that Dave's jump still lasts
        ("first", "i8"),  # int64[nodes]: things met, one bit each
        ("second", "i8"),  # int64[nodes]
        ("treasures", "i8"),  # int32[nodes]: met
        ("jumps", "i8"),  # int32[nodes]
        ("parents", "i8"),  # int32[nodes]
        ("depths", "i8"),  # int32[nodes]
        ("far", "i8"),  # int32[nodes]: what the benchmark thinks is still to be done
        ("heap", "i8"),  # int64[nodes]
        ("heaped", "i8"),
        ("nodes", "i8"),  # made by the search at hand
        ("taken", "i8"),
        ("seen", "i8"),  # int32[slots]: nodes expanded, + 1, hashed by their states
        ("slots", "i8"),  # a power of two
        ("best", "i8"),  # the node that was worth most
        ("way", "i8"),  # int32[nodes]: cells of the way found, from the start
        ("length", "i8"),  # of it; 0 without one
        ("events", "i8"),  # int8[nodes]: what the dungeon's hero met on it
        ("event_count", "i8"),
    ],
    align=True,
)

adventure_at = view_of(ADVENTURE)


@inner
def _walks_onto(adventure: int, cell: int) -> int:
    return 0 if load8(adventure_at(adventure).things + cell) == WALL else 1


@inner
def _has_key(adventure: int, node: int) -> int:
    a = adventure_at(adventure)
    number = load32(a.numbers + 4 * a.key)
    words = a.first if number < _WORD else a.second
    return (load64(words + 8 * node) >> (number % _WORD)) & 1


@inner
def _won(adventure: int, node: int) -> int:
    a = adventure_at(adventure)
    cell = load32(a.cells + 4 * node)
    if a.target >= 0:
        return 1 if cell == a.target else 0
    if cell != a.door:
        return 0
    return 1 if a.game == DUNGEON else _has_key(adventure, node)


@inner
def _steps(adventure: int, one: int, other: int) -> int:
    a = adventure_at(adventure)
    return abs(one % a.width - other % a.width) + abs(one // a.width - other // a.width)


@inner
def _judge(adventure: int, node: int) -> int:
    """Return the benchmark's estimate of what is left to be done."""
    a = adventure_at(adventure)
    cell = load32(a.cells + 4 * node)
    if a.game == DUNGEON:
        lost = HEALTH - load8(a.healths + node)
        found = load32(a.treasures + 4 * node)
        return _steps(adventure, cell, a.door) + 4 * lost - 2 * found + a.width * a.height
    if a.target >= 0:
        return _steps(adventure, cell, a.target)
    if _has_key(adventure, node):
        return _steps(adventure, cell, a.door)
    return _steps(adventure, cell, a.key) + a.width + a.height


@inner
def _meet(adventure: int, node: int, cell: int) -> int:
    """Let the hero of a node enter a cell; returns what is met there."""
    a = adventure_at(adventure)
    store32(a.cells + 4 * node, cell)
    thing = load8(a.things + cell)
    if thing == FREE:
        return FREE
    number = load32(a.numbers + 4 * cell)
    words = (a.first if number < _WORD else a.second) + 8 * node
    met = load64(words)
    bit = 1 << (number % _WORD)
    if met & bit:
        return FREE
    if thing == SPIKES:  # these stay
        store8(a.healths + node, 0)
        return thing
    store64(words, met | bit)
    health = load8(a.healths + node)
    if thing == POTION:
        store8(a.healths + node, min(health + 2, HEALTH))
    elif thing == TREASURE:
        store32(a.treasures + 4 * node, load32(a.treasures + 4 * node) + 1)
    elif thing == HARM:
        store8(a.healths + node, health - 1)
    elif thing == HARM_MORE:
        store8(a.healths + node, max(health - 2, 0))
    return thing


@inner
def _step(adventure: int, node: int, direction: int) -> None:
    """Move the hero of a node: left, right, up, down in the dungeon; Dave stays, goes left, right, or jumps."""
    a = adventure_at(adventure)
    cell = load32(a.cells + 4 * node)
    if a.game == DUNGEON:
        step = (-1 if direction == 0 else 1) if direction < 2 else (-a.width if direction == 2 else a.width)
        if _walks_onto(adventure, cell + step):
            _meet(adventure, node, cell + step)
        return
    air = load8(a.airs + node)
    to = cell
    if direction in (1, 2):
        step = -1 if direction == 1 else 1
        if _walks_onto(adventure, cell + step):
            to = cell + step
    elif direction == 3 and not _walks_onto(adventure, cell + a.width) and _walks_onto(adventure, cell - a.width):
        air = _AIR
        store32(a.jumps + 4 * node, load32(a.jumps + 4 * node) + 1)
    if air > _HANG:
        air -= 1
        if _walks_onto(adventure, to - a.width):
            to -= a.width
        else:
            air = _HANG
    elif air > 0:
        air -= 1
    elif _walks_onto(adventure, to + a.width):
        to += a.width
    store8(a.airs + node, air)
    _meet(adventure, node, to)


@inner
def _see(adventure: int, node: int) -> int:
    """Remember the state of a node; returns whether it was known. Dave's jump is no part of it."""
    a = adventure_at(adventure)
    cell = load32(a.cells + 4 * node)
    health = load8(a.healths + node)
    first = load64(a.first + 8 * node)
    second = load64(a.second + 8 * node)
    mixed = (first ^ (first >> 29) ^ (second << 3) ^ (second >> 31)) & 0x7FFFFFFF
    mixed = (mixed + 7919 * cell + 104729 * health) & 0x7FFFFFFF
    mask = a.slots - 1
    slot = ((mixed * 0x9E3779B1) >> 20) & mask  # a product below 2^63
    while load32(a.seen + 4 * slot) != 0:
        other = load32(a.seen + 4 * slot) - 1
        if (
            load32(a.cells + 4 * other) == cell
            and load8(a.healths + other) == health
            and load64(a.first + 8 * other) == first
            and load64(a.second + 8 * other) == second
        ):
            return 1
        slot = (slot + 1) & mask
    store32(a.seen + 4 * slot, node + 1)
    return 0


@inner
def _expand(adventure: int, node: int, best_first: int, half_weights: int) -> None:
    a = adventure_at(adventure)
    for direction in range(4):
        child = a.nodes
        a.nodes = child + 1
        store32(a.cells + 4 * child, load32(a.cells + 4 * node))
        store8(a.healths + child, load8(a.healths + node))
        store8(a.airs + child, load8(a.airs + node))
        store64(a.first + 8 * child, load64(a.first + 8 * node))
        store64(a.second + 8 * child, load64(a.second + 8 * node))
        store32(a.treasures + 4 * child, load32(a.treasures + 4 * node))
        store32(a.jumps + 4 * child, load32(a.jumps + 4 * node))
        store32(a.parents + 4 * child, node)
        store32(a.depths + 4 * child, load32(a.depths + 4 * node) + 1)
        _step(adventure, child, direction)
        far = _judge(adventure, child)
        store32(a.far + 4 * child, far)
        if best_first:
            a.heaped = heap_push(a.heap, a.heaped, 2 * far + half_weights * load32(a.depths + 4 * child), child)


@inner
def _search(adventure: int, best_first: int, half_weights: int) -> int:
    """One of the solvers; returns the node of the solution, or -1."""
    a = adventure_at(adventure)
    for slot in range(a.slots):
        store32(a.seen + 4 * slot, 0)
    store32(a.cells, a.start)
    store8(a.healths, HEALTH if a.game == DUNGEON else 1)
    store8(a.airs, 0)
    store64(a.first, 0)
    store64(a.second, 0)
    store32(a.treasures, 0)
    store32(a.jumps, 0)
    store32(a.parents, -1)
    store32(a.depths, 0)
    store32(a.far, _judge(adventure, 0))
    a.nodes = 1
    a.heaped = 0
    if best_first:
        a.heaped = heap_push(a.heap, 0, 2 * load32(a.far), 0)
    a.best = -1
    a.taken = 0
    while a.taken < a.power and a.taken < a.nodes:
        node = a.taken
        if best_first:
            node = heap_pop(a.heap, a.heaped)
            a.heaped -= 1
        a.taken += 1
        if load8(a.healths + node) <= 0:
            continue
        if _won(adventure, node):
            return node
        if _see(adventure, node):
            continue
        far = load32(a.far + 4 * node)
        known = load32(a.far + 4 * a.best) if a.best >= 0 else far
        if a.best < 0 or far < known or (far == known and load32(a.depths + 4 * node) < load32(a.depths + 4 * a.best)):
            a.best = node
        _expand(adventure, node, best_first, half_weights)
    return -1


@inner
def _write(adventure: int, node: int) -> None:
    """The way to a node, and what was met on it."""
    a = adventure_at(adventure)
    a.length = load32(a.depths + 4 * node) + 1
    a.event_count = 0
    for back in range(a.length):
        store32(a.way + 4 * (a.length - 1 - back), node)  # the nodes first
        node = load32(a.parents + 4 * node)
    before = 0
    for k in range(a.length):
        node = load32(a.way + 4 * k)
        cell = load32(a.cells + 4 * node)
        store32(a.way + 4 * k, cell)
        met = load64(a.first + 8 * node) != load64(a.first + 8 * before)
        if met or load64(a.second + 8 * node) != load64(a.second + 8 * before):
            store8(a.events + a.event_count, load8(a.things + cell))
            a.event_count += 1
        before = node


@inner
def _number(adventure: int) -> int:
    """Number the things; returns whether a state can remember all of them."""
    a = adventure_at(adventure)
    count = 0
    for cell in range(a.height * a.width):
        if load8(a.things + cell) > WALL:
            store32(a.numbers + 4 * cell, count)
            count += 1
    return 1 if count <= 2 * _WORD else 0


@entry_point("i8(i8)")
def walk(adventure: int) -> int:
    """Solve a level as the benchmark does; leaves the way, or the best node of the last solver."""
    a = adventure_at(adventure)
    a.length = 0
    a.event_count = 0
    if not _number(adventure):
        return TOO_BIG
    for half_weights in (2, 1, 0):
        found = _search(adventure, 1, half_weights)
        if found >= 0:
            a.best = found
            _write(adventure, found)
            return SOLVED
    found = _search(adventure, 0, 0)
    if found < 0:
        return UNSOLVED
    a.best = found
    _write(adventure, found)
    return SOLVED
