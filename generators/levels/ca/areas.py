"""Tiles besides walls that lie in areas (water, trees, lava), laid out by an automaton of several states.

Each such tile is a state, bare ground is another; noise in the proportions of the game's own levels is smoothed by
letting every cell go with the majority around it. What is rock already stays rock.
"""

from __future__ import annotations

import numpy as np

from pcg.evaluators.level_grid import BLOCKED, FREE, HAZARD
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.object_placement import in_formation
from pcg.generators.levels.wall_layout import join_regions

_APART = ("mover", "avatar", "pushable", "collectable", "portal", "exit", "gate", "spawner", "goal", "guarded")
"""Roles of things that are placed one by one."""
_STEPS = 3
FEWEST = 4
"""A tile lies in areas if some level of the game has at least so many of it."""


def area_tiles(context: LevelContext) -> tuple[int, ...]:
    """The tiles that lie in areas: still, in no one's way to the goal, and many at a time in the game's levels."""
    analysis, palette = context.analysis, context.palette
    statistics = context.statistics
    found = []
    for tile in context.objects:
        content = palette.tiles[tile].content
        if not content or palette.access[tile] not in (FREE, HAZARD, BLOCKED) or tile in context.required_tiles:
            continue
        if any(analysis.has(c, role) for c in content for role in _APART):
            continue
        if statistics is not None and statistics.most[tile] < FEWEST:
            continue
        found.append(tile)
    return tuple(found)


def lay_areas(builder: LevelBuilder, rng: np.random.Generator) -> None:
    """Lay the area tiles of the game onto the bare ground of a level."""
    context = builder.context
    tiles = [tile for tile in area_tiles(context) if not in_formation(builder, tile)]
    if not tiles:
        return
    if context.statistics is not None:
        shares = context.statistics.share[tiles]
    else:
        shares = np.full(len(tiles), 0.15 / len(tiles))
    bare = builder.free() & (builder.grid == context.palette.empty)
    shares = np.minimum(shares * rng.uniform(0.6, 1.4, len(tiles)) / max(0.05, float(bare.mean())), 0.6)
    bounds = np.cumsum(shares / max(1.0, float(shares.sum())))
    # State 0 is the ground; the rest are the tiles. Rock has no say.
    states = np.where(bare, (np.searchsorted(bounds, rng.random(bare.shape)) + 1) % (len(tiles) + 1), -1)
    wanted = np.bincount(states[bare], minlength=len(tiles) + 1)
    for _ in range(_STEPS):
        votes = np.stack([_votes(states == s) for s in range(len(tiles) + 1)])
        votes += 0.01 * rng.random((len(tiles) + 1, 1, 1))
        # States that have lost ground get a louder voice, so that the proportions of the noise last.
        have = np.bincount(states[bare], minlength=len(tiles) + 1)
        votes *= (np.sqrt((wanted + 1) / (have + 1)))[:, None, None]
        states = np.where(bare, votes.argmax(axis=0), -1)
    for number, tile in enumerate(tiles, start=1):
        builder.grid[states == number] = tile
    builder.invalidate()
    join_regions(builder, rng)


def _votes(mask: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return the number of cells in a mask among the nine around each cell, itself included."""
    padded = np.pad(mask, 1, mode="edge").astype(np.float64)
    rows = padded[:-2] + padded[1:-1] + padded[2:]
    result: np.ndarray[tuple[int, ...], np.dtype[np.float64]] = rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]
    return result
