"""Gates that bar a way: where they are put, and the repair of those that can be walked around.

A barrier is a line from wall to wall with the gate in it: a passage one cell wide, or a longer line that is walled up
but for the gate. What opens the gate lies on the avatar's side; behind it lies something that the avatar wants (the
lock-and-key puzzles of Dormans: Adventures in Level Design, 2010, with one lock at a time).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from pcg.evaluators.barriers import gate_groups
from pcg.evaluators.level_grid import BLOCKED, GATE, Mask, distances
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.level_builder import LevelBuilder, weighted_choice
from pcg.generators.levels.level_conventions import level_conventions, reach_with_keys
from pcg.generators.levels.object_counts import lone_keys
from pcg.generators.levels.wall_layout import main_wall

LONGEST = 6
"""Most cells of a line that is walled up for a gate."""
WALL_WEIGHT = 0.6
"""Weight of a line for each wall that it takes, relative to one wall less."""
USELESS = 0.1
"""Weight of a line behind which there is nothing that the avatar wants."""
LEAST_ROOM = 3
"""Fewest cells on either side of a barrier."""

Cell = tuple[int, int]


def place_barrier(builder: LevelBuilder, rng: np.random.Generator, tile: int) -> bool:
    """Put a gate where it bars a way from the avatar; tells whether there was such a place.

    Args:
        builder: with its avatar.
        rng: draws.
        tile: of the gate.
    """
    if builder.avatar is None or builder.context.analysis.mobility != "freely":
        return False
    wall = main_wall(builder.context, rng)
    found = _lines(builder, tile, 1 if wall is None else LONGEST)
    picked = weighted_choice(rng, np.array([line.weight for line in found]))
    if picked is None:
        return False
    line = found[picked]
    gate = line.gates[int(rng.integers(len(line.gates)))]
    for cell in line.cells:
        if cell != gate and wall is not None:
            builder.put(cell, wall)
    builder.put(gate, tile)
    return True


def repair_barriers(builder: LevelBuilder, rng: np.random.Generator) -> None:
    """Move gates that can be walked around to where they bar a way, and give each its key on the avatar's side and
    something behind it.

    A gate for which there is no such place goes with its key, if the level can do without. Where the game's own gates
    bar nothing, only keys are moved that cannot be got at. Levels whose gates all bar a way, with a key before and a
    reward behind, stay as they are.

    Args:
        builder: with its avatar.
        rng: draws.
    """
    context = builder.context
    start = builder.avatar
    gates = builder.palette.access[builder.grid] == GATE
    if start is None or context.analysis.mobility != "freely" or not gates.any():
        return
    groups, bars = gate_groups(builder.palette, builder.grid)
    for group in (np.flatnonzero(~bars) + 1).tolist():
        for y, x in np.argwhere(groups == group).tolist():
            if int(builder.grid[y, x]) in context.barriers:
                _move_gate(builder, rng, (y, x))
    if "keys" in level_conventions(context):
        _bring_keys(builder, rng)
    _bring_rewards(builder, rng, start)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line from wall to wall that parts the avatar's room in two."""

    cells: tuple[Cell, ...]
    gates: tuple[Cell, ...]
    """Cells of the line with the avatar's side on one side and the other on the other."""
    weight: float


def _lines(builder: LevelBuilder, tile: int, longest: int) -> list[_Line]:
    """Return the lines of free cells that part what the avatar can reach, gates shut, with their weights."""
    assert builder.avatar is not None
    grid, walk = builder.grid, builder.walkable()
    regions, _ = ndimage.label(walk)
    reached = walk & (regions == regions[builder.avatar])
    usable = reached & builder.free()
    stops = np.pad(builder.palette.access[grid] == BLOCKED, 1, constant_values=True)
    wanted = _wanted(builder.context, tile)[grid]
    found = []
    for down in (False, True):
        part, ends = (usable.T, stops.T) if down else (usable, stops)
        for y, row in enumerate(part):
            for x, length in _runs(row, longest):
                if ends[y + 1, x] and ends[y + 1, x + length + 1]:
                    cells = tuple((i, y) if down else (y, i) for i in range(x, x + length))
                    line = _line(builder, reached, cells, down, wanted)
                    found += [] if line is None else [line]
    return found


def _runs(row: Mask, longest: int) -> list[tuple[int, int]]:
    """Return where each run of set cells begins, and its length; those longer than `longest` are left out."""
    edges = np.flatnonzero(np.diff(np.pad(row, 1).astype(np.int8))).tolist()
    return [(a, b - a) for a, b in zip(edges[::2], edges[1::2], strict=True) if b - a <= longest]


def _line(builder: LevelBuilder, reached: Mask, cells: tuple[Cell, ...], down: bool, wanted: Mask) -> _Line | None:
    """Return a line with its weight; None for one that parts nothing, or leaves too little room on a side."""
    closed = reached.copy()
    closed[tuple(np.array(cells).T)] = False
    parts, number = ndimage.label(closed)
    start = builder.avatar
    assert start is not None
    if number != 2 or start in cells:
        return None
    near = int(parts[start])
    height, width = reached.shape
    gates = []
    for y, x in cells:
        sides = ((y, x - 1), (y, x + 1)) if down else ((y - 1, x), (y + 1, x))
        beside = {int(parts[side]) for side in sides if 0 <= side[0] < height and 0 <= side[1] < width}
        if beside == {1, 2}:
            gates.append((y, x))
    far = parts == 3 - near
    room = min(int(far.sum()), int((parts == near).sum()))
    if not gates or room < LEAST_ROOM:
        return None
    weight = WALL_WEIGHT ** (len(cells) - 1) * float(np.sqrt(room))
    if not (far & wanted).any():
        weight *= USELESS
    return _Line(cells, tuple(gates), weight)


def _wanted(context: LevelContext, gate: int) -> Mask:
    """Return the tiles of what a gate is opened for, shape (tiles,): what is required, but gates and its own key."""
    return context.palette.lookup(context.required_tiles - context.barriers - context.openers.get(gate, frozenset()))


def _move_gate(builder: LevelBuilder, rng: np.random.Generator, cell: Cell) -> None:
    """Move a gate that bars nothing to a line; where there is none, take it away if the level can do without."""
    context, tile, before = builder.context, int(builder.grid[cell]), builder.grid.copy()
    builder.remove(cell)
    if builder.grid[cell] == tile or place_barrier(builder, rng, tile):
        return
    used = 0.0 if context.statistics is None else float(context.statistics.used[tile])
    for key in lone_keys(context, builder.palette.count_types(builder.grid)):
        for y, x in np.argwhere(builder.palette.lookup(builder.palette.by_type.get(key, ()))[builder.grid]).tolist():
            builder.clear((y, x))
    rules, counts = context.requirements, builder.palette.count_types
    last = used == 1.0 and not (builder.grid == tile).any()
    if last or len(rules.shortfalls(counts(builder.grid))) > len(rules.shortfalls(counts(before))):
        builder.grid[:] = before
        builder.invalidate()


# -- keys and what lies behind -----------------------------------------------------------------------------------------


def _bring_keys(builder: LevelBuilder, rng: np.random.Generator) -> None:
    """Bring a key of each gate that cannot be opened to where the avatar can get it."""
    context, palette = builder.context, builder.palette
    for _ in range(len(context.openers)):
        there, shut = reach_with_keys(builder)
        for gate in np.unique(builder.grid[shut]).tolist():
            if _move(builder, rng, palette.lookup(context.openers[gate])[builder.grid], there):
                break
        else:
            return


def _bring_rewards(builder: LevelBuilder, rng: np.random.Generator, start: Cell) -> None:
    """Bring something that the avatar wants behind each gate that has nothing behind it."""
    context, palette = builder.context, builder.palette
    groups, bars = gate_groups(palette, builder.grid)
    for group in (np.flatnonzero(bars) + 1).tolist():
        tile = int(builder.grid[tuple(np.argwhere(groups == group)[0])])
        if tile not in context.barriers:
            continue
        passing = (palette.access[builder.grid] <= GATE) & (groups != group)
        near = distances(palette, builder.grid, start, mask=passing) >= 0
        behind = builder.walkable() & ~near
        wanted = _wanted(context, tile)[builder.grid]
        if behind.any() and not (behind & wanted).any():
            _move(builder, rng, wanted & near, behind)


def _move(builder: LevelBuilder, rng: np.random.Generator, things: Mask, where: Mask) -> bool:
    """Move one of some things to a free cell of some; tells whether there were both."""
    cells, places = np.argwhere(things), np.argwhere(where & builder.free())
    if not len(cells) or not len(places):
        return False
    y, x = cells[int(rng.integers(len(cells)))].tolist()
    ty, tx = places[int(rng.integers(len(places)))].tolist()
    tile = int(builder.grid[y, x])
    builder.clear((y, x))
    if builder.grid[y, x] == tile:  # a person has drawn it
        return False
    builder.put((ty, tx), tile)
    return True
