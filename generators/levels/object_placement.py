"""Placement of objects in a laid-out level: the avatar, portals, doors, boxes, treasure, enemies, each where it makes
sense.

What makes sense is read from the roles: enemies away from the avatar, what must be reached within reach and rather
far, boxes with room to be pushed, doors in walls, fleets in formation; and things in the rows in which the game's own
levels have them (reference/generators 12.3.4 to 12.3.6, made to look at distances along the way rather than as the crow
flies).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcg.evaluators.level_grid import BLOCKED, FREE, GATE, HAZARD, PUSH
from pcg.evaluators.level_statistics import BANDS
from pcg.generators.levels.barriers import place_barrier
from pcg.generators.levels.level_builder import LevelBuilder, weighted_choice
from pcg.generators.levels.level_conventions import level_conventions
from pcg.generators.levels.object_counts import Counts

Weights = NDArray[np.float64]

KEEP_AWAY = 3
"""Harmful things start at least this many steps from the avatar where there is room."""

MANY = 12
"""From this number on, objects of a kind are placed together."""

TRIES = 60
"""Cells drawn for one object before it is left out."""


def place_objects(builder: LevelBuilder, rng: np.random.Generator, counts: Counts) -> None:
    """Put the avatar (unless it is there) and then all objects in these numbers into a level; what finds no place is
    left out.
    """
    if builder.avatar is None:
        place_avatar(builder, rng)
    remaining = dict(counts)
    _link_regions(builder, rng, remaining)
    for tile in sorted(remaining, key=lambda t: (_placement_order(builder, t), t)):
        number = remaining[tile]
        if in_formation(builder, tile):
            number -= _formation(builder, rng, tile, number)
        if number >= MANY and builder.palette.access[tile] != GATE:
            number -= place_many_objects(builder, rng, tile, number)
        for _ in range(number):
            if not place_object(builder, rng, tile):
                break


def _placement_order(builder: LevelBuilder, tile: int) -> int:
    """Return the place of a tile in the order of placement: what needs most room or special places first."""
    analysis, context = builder.context.analysis, builder.context
    content = builder.palette.tiles[tile].content
    access = int(builder.palette.access[tile])
    if tile in builder.palette.links or any(analysis.has(c, "exit") for c in content):
        return 0
    if access == GATE:
        return 1
    if access == PUSH:
        return 2
    if any(analysis.has(c, "goal") for c in content):
        return 3
    if access == BLOCKED:
        return 4
    if tile in context.required_tiles:
        return 5
    return 7 if any(analysis.has(c, "harmful") for c in content) else 6


# -- weights -----------------------------------------------------------------------------------------------------------


def row_weights(builder: LevelBuilder, tile: int) -> Weights:
    """Return weights of cells by their rows, after the game's own levels (1 everywhere without any)."""
    height, width = builder.grid.shape
    statistics = builder.context.statistics
    if statistics is None or not statistics.used[tile]:
        return np.ones((height, width))
    top, _, bottom, _ = builder.inside()
    by_row = _weights_by_row(tuple(statistics.rows[tile].tolist()), height, top, bottom)
    return np.broadcast_to(by_row[:, None], (height, width))


@lru_cache(4096)
def _weights_by_row(histogram: tuple[float, ...], height: int, top: int, bottom: int) -> Weights:
    """Return the weight of each row by a histogram of bands, shape (height,)."""
    rows = np.arange(height) - top
    bands = np.clip((2 * rows + 1) * BANDS // (2 * max(1, bottom - top)), 0, BANDS - 1)
    # The exact band counts most, its neighbours some: a handful of levels does not show every row.
    padded = np.pad(histogram, 1, mode="edge")
    smooth = 0.6 * np.array(histogram) + 0.2 * (padded[:-2] + padded[2:])
    weights: Weights = smooth[bands] + 0.01
    weights.flags.writeable = False
    return weights


def ground_weights(builder: LevelBuilder, tile: int) -> Weights:
    """1 on free cells whose ground is the tile's own (or filler), 0 elsewhere; any free cell when no ground matches."""
    free = builder.free()
    context = builder.context
    if len(builder.palette.grounds) > 1:
        match = free & ((builder.grid == context.ground_under[tile]) | ~builder.palette.is_ground[builder.grid])
        if match.any():
            free = match
    weights: Weights = free.astype(np.float64)
    return weights


def place_avatar(builder: LevelBuilder, rng: np.random.Generator) -> bool:
    """Put an avatar into a level without one: on its line if it keeps to one, else where the game's levels have it."""
    context = builder.context
    tile = builder.palette.avatars[0]
    weights = ground_weights(builder, tile) * row_weights(builder, tile)
    top, left, bottom, right = builder.inside()
    line = {"top": (top, None), "bottom": (bottom - 1, None), "left": (None, left), "right": (None, right - 1)}
    side = context.analysis.avatar_side if "line" in level_conventions(context) else None
    if side is None and context.lanes and context.statistics is None:
        side = "bottom" if context.lanes[0].horizontal else "left"
    if side is not None:
        row, column = line[side]
        only = np.zeros(weights.shape)
        only[slice(None) if row is None else row, slice(None) if column is None else column] = 1
        if (weights * only).any():
            weights = weights * only
    if not builder.context.has_portals:
        regions = builder.region_arrays()
        if regions and context.analysis.mobility == "freely":
            largest = np.zeros(weights.shape)
            largest[tuple(regions[0].T)] = 1
            if (weights * largest).any():
                weights = weights * largest
    cell = _draw(builder, rng, weights)
    if cell is None:
        cell = _draw(builder, rng, builder.free().astype(np.float64))
    if cell is None:
        height, width = builder.grid.shape
        cell = (int(rng.integers(height)), int(rng.integers(width)))
    builder.put(cell, tile)
    return True


def place_object(builder: LevelBuilder, rng: np.random.Generator, tile: int) -> bool:
    """Put one object where it makes sense; tells whether there was such a place."""
    access = int(builder.palette.access[tile])
    if tile in builder.context.barriers and place_barrier(builder, rng, tile):
        return True
    if access == GATE and _place_gate(builder, rng, tile):
        return True
    weights = ground_weights(builder, tile) * row_weights(builder, tile) * _role_weights(builder, tile)
    for _ in range(TRIES):
        cell = _draw(builder, rng, weights)
        if cell is None:
            return False
        if builder.blocks(tile) and builder.disconnects(cell):
            weights[cell] = 0
            continue
        if access == PUSH and not _room_to_push(builder, cell):
            weights[cell] = 0
            continue
        builder.put(cell, tile)
        return True
    return False


def place_many_objects(builder: LevelBuilder, rng: np.random.Generator, tile: int, number: int) -> int:
    """Put up to `number` of an object with one look at the level; tells how many found a place.

    Places are drawn without replacement by weight (Efraimidis and Spirakis 2006: the largest of u ** (1 / weight)), as
    `place_object` draws them one by one, except that what is put meanwhile does not change the weights of the rest.
    """
    weights = (ground_weights(builder, tile) * row_weights(builder, tile) * _role_weights(builder, tile)).ravel()
    possible = np.flatnonzero(weights)
    keys = np.log(rng.random(possible.size)) / weights[possible]
    order = possible[np.argsort(-keys, kind="stable")]
    width, put = builder.grid.shape[1], 0
    blocks, pushed = builder.blocks(tile), builder.palette.access[tile] == PUSH
    for index in order[: max(TRIES, 4 * number)].tolist():
        if put == number:
            break
        cell = (index // width, index % width)
        if (blocks and builder.disconnects(cell)) or (pushed and not _room_to_push(builder, cell)):
            continue
        builder.put(cell, tile)
        put += 1
    return put


def _role_weights(builder: LevelBuilder, tile: int) -> Weights:
    """Weights by role: distance from the avatar, reach, clear lines of fire."""
    analysis, context = builder.context.analysis, builder.context
    content = builder.palette.tiles[tile].content
    start = builder.avatar
    weights = np.ones(builder.grid.shape)
    if start is None:
        return weights if builder.placement_weights is None else builder.placement_weights
    steps = builder.distances()
    keeps_to_line = analysis.mobility != "freely"
    height, width = builder.grid.shape
    rows, columns = np.arange(height)[:, None], np.arange(width)
    beeline = np.abs(rows - start[0]) + np.abs(columns - start[1])
    away = np.where(steps >= 0, steps, beeline).astype(np.float64)
    harmful = any(analysis.has(c, "harmful") for c in content)
    if tile in context.required_tiles and not harmful and not keeps_to_line:
        weights = np.where(steps > 0, away**0.8, 0.0)
        if not weights.any():
            weights = np.ones(builder.grid.shape)
    if builder.palette.access[tile] == PUSH:
        # What can be pushed both ways is far more often of use than what only slides along a wall.
        open_cells = np.pad(np.isin(builder.palette.access[builder.grid], (FREE, HAZARD)), 1)
        upright = open_cells[:-2, 1:-1] & open_cells[2:, 1:-1]
        level = open_cells[1:-1, :-2] & open_cells[1:-1, 2:]
        weights = weights * (1.0 * upright + 1.0 * level) ** 3
    if harmful:
        far = np.maximum(away - (KEEP_AWAY - 1), 0.0)
        weights = far if (far * builder.free()).any() else away
        for c in content:
            if c in analysis.drifts:
                dx, dy = analysis.drifts[c]
                in_line = (rows == start[0]) if dx else (columns == start[1]) if dy else np.zeros(weights.shape, bool)
                near = in_line & (beeline <= 2 * KEEP_AWAY)
                weights = np.where(near, 0.0, weights)
    return weights if builder.placement_weights is None else weights * builder.placement_weights


def _draw(builder: LevelBuilder, rng: np.random.Generator, weights: Weights) -> tuple[int, int] | None:
    index = weighted_choice(rng, weights.ravel())
    if index is None:
        return None
    width = builder.grid.shape[1]
    return index // width, index % width


def _room_to_push(builder: LevelBuilder, cell: tuple[int, int]) -> bool:
    """Return whether a thing on `cell` can be pushed along at least one axis, and does not block a passage."""
    y, x = cell
    upright = not builder.stops_pushes((y - 1, x)) and not builder.stops_pushes((y + 1, x))
    level = not builder.stops_pushes((y, x - 1)) and not builder.stops_pushes((y, x + 1))
    return (upright or level) and not builder.disconnects(cell)


# -- special places ----------------------------------------------------------------------------------------------------


def _place_gate(builder: LevelBuilder, rng: np.random.Generator, tile: int) -> bool:
    """A door belongs into a wall beside a cell the avatar reaches, not into a corner, not beside another door, and into
    the frame only where such doors may stand there.
    """
    steps = builder.distances()
    tiles = np.pad(builder.grid, 1, mode="edge")
    walls = np.pad(np.isin(builder.grid, builder.context.walls), 1)
    access = builder.palette.access[tiles]
    reached = np.pad(steps, 1, constant_values=-1)
    reached = np.where((reached >= 0) & (access <= PUSH), reached, np.iinfo(np.int32).max)
    across, along = _sides(walls)[2:], _sides(walls)[:2]
    between = (across[0] & across[1]) | (along[0] & along[1])
    gates = np.pad(access[1:-1, 1:-1] == GATE, 1)
    beside = np.logical_or.reduce(_sides(gates))
    nearest = np.minimum.reduce(_sides(reached))
    fits = walls[1:-1, 1:-1] & between & ~beside & (nearest < np.iinfo(np.int32).max)
    weights = np.where(fits, np.maximum(1, nearest), 0).astype(np.float64)
    if tile not in builder.context.frame_gates:
        for at_edge in builder.frame_cells():
            weights[at_edge] = 0
    cell = _draw(builder, rng, weights * row_weights(builder, tile))
    if cell is None:
        return False
    builder.put(cell, tile)
    return True


def _sides(padded: NDArray[Any]) -> list[NDArray[Any]]:
    """Return the arrays above, below, left and right of each cell of an array with a ring of padding."""
    return [padded[:-2, 1:-1], padded[2:, 1:-1], padded[1:-1, :-2], padded[1:-1, 2:]]


def _link_regions(builder: LevelBuilder, rng: np.random.Generator, remaining: Counts) -> None:
    """Put portals so that closed rooms can be entered: the entrance within reach, its exit in a room not yet reached.

    Kinds of portals are used one by one; rooms beyond their number are opened by a tunnel.
    """
    links = builder.palette.links
    if not links:
        return
    kinds = sorted(t for t in links if t in builder.context.objects)
    order = [kinds[i] for i in rng.permutation(len(kinds)).tolist()]
    for room in builder.regions():
        steps = builder.distances()
        if any(steps[c] >= 0 for c in room) or not order:
            continue
        entrance = order.pop()
        exits = [e for e in links[entrance] if e in builder.context.objects]
        reached = (steps > 1) & builder.free()
        target = np.zeros(builder.grid.shape)
        target[tuple(np.array(room).T)] = 1
        inside = _draw(builder, rng, target * builder.free())
        door = _draw(builder, rng, np.where(reached, steps, 0).astype(np.float64))
        if not exits or inside is None or door is None:
            continue
        builder.put(door, entrance)
        builder.put(inside, exits[0])
        for tile in (entrance, exits[0]):
            remaining[tile] = max(0, remaining.get(tile, 0) - 1)
    for entrance in kinds:
        # One exit per kind, so that a portal leads to a known place; neither of the two without the other.
        exits = [e for e in links[entrance] if e in remaining]
        if entrance in order and remaining.get(entrance, 0) > 0 and exits:
            remaining[entrance] = min(2, remaining[entrance])
            remaining[exits[0]] = 1
        else:
            remaining[entrance] = 0
            for e in exits:
                remaining[e] = 0


def in_formation(builder: LevelBuilder, tile: int) -> bool:
    """Return whether a tile is one of a fleet (moving goals facing an avatar that keeps to a line) or of a row of
    cover.
    """
    analysis = builder.context.analysis
    if analysis.mobility not in ("horizontal", "vertical", "none"):
        return False
    content = builder.palette.tiles[tile].content
    fleet = any(analysis.has(c, "goal") and analysis.has(c, "mover") for c in content)
    cover = any(
        analysis.has(c, "breakable") and not analysis.has(c, "mover") and not analysis.has(c, "goal") for c in content
    )
    return fleet or cover


def _formation(builder: LevelBuilder, rng: np.random.Generator, tile: int, number: int) -> int:
    """Put `number` of a tile in evenly spaced rows centred in the level; tells how many found a place."""
    analysis = builder.context.analysis
    content = builder.palette.tiles[tile].content
    fleet = any(analysis.has(c, "mover") for c in content)
    top, left, bottom, right = builder.inside()
    weights = (ground_weights(builder, tile) * row_weights(builder, tile)).sum(axis=1)
    if builder.context.statistics is None:
        rows = np.arange(len(weights))
        third = (rows < top + (bottom - top) / 2) if fleet else (rows >= top + (bottom - top) * 0.6)
        weights = weights * third
    if builder.avatar is not None:
        weights[max(0, builder.avatar[0] - 1) : builder.avatar[0] + 2] = 0
    put = 0
    while put < number:
        row = weighted_choice(rng, weights)
        if row is None:
            break
        weights[row] = 0
        if fleet:
            step, group = 2 + int(rng.integers(2)), 1
        else:
            step, group = 4 + int(rng.integers(3)), 2 + int(rng.integers(2))
        room = right - left
        fits = min(-(-(number - put) // group), (room - group) // step + 1)
        first = left + (room - ((fits - 1) * step + group)) // 2
        for i in range(fits):
            for j in range(group):
                cell = (row, first + i * step + j)
                if put < number and builder.free()[cell]:
                    builder.put(cell, tile)
                    put += 1
    return put
