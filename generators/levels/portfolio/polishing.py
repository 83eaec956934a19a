"""Polishing of a level by small edits that bring its tile patterns nearer to those of the game's own levels.

Local search over moved things, small pieces copied from the same place of an example, and walls that are drawn longer
or broken (after Lucas, Volz: Tile Pattern KL-Divergence for Analysing and Evolving Game Levels, GECCO 2019). Edits that
make a level a copy, spoil its numbers of things or cut it in two are not taken. It is the last step of making a level:
structure is decided before.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pcg.evaluators.level_grid import Grid, Mask
from pcg.evaluators.metrics.patterns import Originals, PatternStatistics, divergence_among
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.level_conventions import level_conventions, unreachable_cells
from pcg.generators.levels.operators import mirror_edits
from pcg.generators.levels.portfolio.example_objects import ExampleObjects
from pcg.generators.levels.portfolio.formations import Formations

EXCESS_COST = 0.5
"""Penalty for twice the largest number of objects in the game's levels; it grows in proportion."""
DISORDER_COST = 0.6
"""Penalty for a level none of whose formations is in order."""
POCKET_COST = 0.02
"""Penalty for each walkable cell out of reach, where the game's levels have none."""
ENOUGH = 0.92
"""Cost at which a level is like enough: the game's levels among themselves have 1, and a level is not to be more
typical than these.
"""
PERSISTENT = 4
"""Times as many edits are tried at most, as long as a level is less like the game's than these are among themselves."""
LARGEST_PIECE = 3
"""Side of the pieces that are copied, in cells."""
AIMED = 0.5
"""Share of copied pieces that go where a window (2 x 2) is that the game's levels do not have."""


class Polishing:
    """Local search towards the patterns of a game's own levels.

    Args:
        context: of the game.
        images: its levels, with mirror images where the game allows these.
        example_objects: of these levels.
        formations: of these levels.
        least: originality that a polished level keeps.
    """

    def __init__(
        self,
        context: LevelContext,
        images: Sequence[Grid],
        example_objects: ExampleObjects,
        formations: Formations,
        least: float,
    ) -> None:
        self.context = context
        self.images = images
        self.example_objects = example_objects
        self.formations = formations
        self.least = least
        self.statistics = PatternStatistics(context.examples)
        self.originals = Originals(context.examples)
        palette = context.palette
        self._avatars = palette.lookup(palette.avatars)
        self._movable = palette.lookup([*example_objects.counted, *palette.avatars])
        self.usual = divergence_among(context.examples) or 1.0
        """Mean divergence of the game's levels from each other."""

    def cost(self, grid: Grid) -> float:
        """Return the divergence from the game's levels, 1 as much as they diverge from each other, and all faults."""
        cost = self.statistics.divergence(grid) / self.usual + EXCESS_COST * self.example_objects.excess(grid)
        if self.formations.tiles:
            cost += DISORDER_COST * max(0.0, self.formations.disorder(grid) - self.formations.usual)
        context = self.context
        if context.analysis.mobility == "freely" and context.walls and "pockets" in level_conventions(context):
            builder = LevelBuilder(context, grid)
            if builder.avatar is not None:
                cost += POCKET_COST * float(unreachable_cells(builder).sum())
        return cost

    def polish(
        self, grid: Grid, rng: np.random.Generator, steps: int, axis: int | None = None, locked: Mask | None = None
    ) -> Grid:
        """Return a copy of a level after edits, of which those are kept that lower the cost.

        Args:
            grid: a level.
            rng: draws.
            steps: edits that are tried; up to `PERSISTENT` times as many on a level that is unlike the game's.
            axis: along which edits are mirrored, 1 for left and right, 0 for top and bottom; None for no mirroring.
            locked: cells that stay as they are.
        """
        best, cost = grid.copy(), self.cost(grid)
        unknown = self._unknown(best)
        for step in range(PERSISTENT * steps):
            if cost <= (ENOUGH if step < steps else 1.0):
                break
            tried = self._edited(best, rng, unknown)
            if tried is None:
                continue
            if axis is not None:
                tried = mirror_edits(self.context, best, tried, axis)
            if locked is not None:
                tried = np.where(locked, best, tried).astype(np.int16)
            now = self.cost(tried)
            if now < cost - 1e-12 and self.originals.originality(tried) >= self.least:
                best, cost = tried, now
                unknown = self._unknown(best)
        return best

    def _unknown(self, grid: Grid) -> NDArray[np.intp]:
        """Return the places of windows that the game's levels do not have, shape (windows, 2)."""
        return np.argwhere(self.statistics.unknown(grid, 2))

    def _edited(self, grid: Grid, rng: np.random.Generator, unknown: NDArray[np.intp]) -> Grid | None:
        """Return a copy with one edit; None for one that changes nothing or the number of avatars."""
        draw = rng.random()
        edited = grid.copy()
        if draw < 0.45:
            done = self._copy_piece(edited, rng, unknown)
        elif draw < 0.85:
            done = self._move(edited, rng)
        else:
            done = self._wall(edited, rng)
        if not done or np.array_equal(edited, grid):
            return None
        avatars = self._avatars
        return edited if np.count_nonzero(avatars[edited]) == np.count_nonzero(avatars[grid]) else None

    def _copy_piece(self, grid: Grid, rng: np.random.Generator, unknown: NDArray[np.intp]) -> bool:
        """Copy a piece of an example to about the same place, counted from the nearer edges."""
        example = self.images[int(rng.integers(len(self.images)))]
        height, width = min(LARGEST_PIECE, *grid.shape), min(LARGEST_PIECE, *grid.shape)
        height, width = 1 + int(rng.integers(height)), 1 + int(rng.integers(width))
        y = int(rng.integers(grid.shape[0] - height + 1))
        x = int(rng.integers(grid.shape[1] - width + 1))
        if len(unknown) and rng.random() < AIMED:
            # somewhere over one of the cells of such a window
            at = unknown[int(rng.integers(len(unknown)))] + rng.integers(2, size=2)
            y = min(max(int(at[0] - rng.integers(height)), 0), grid.shape[0] - height)
            x = min(max(int(at[1] - rng.integers(width)), 0), grid.shape[1] - width)
        sy = _matching(y, height, grid.shape[0], example.shape[0], rng)
        sx = _matching(x, width, grid.shape[1], example.shape[1], rng)
        if sy is None or sx is None:
            return False
        grid[y : y + height, x : x + width] = example[sy : sy + height, sx : sx + width]
        return True

    def _move(self, grid: Grid, rng: np.random.Generator) -> bool:
        """Move an object or the avatar to a free cell, to an adjacent one half of the time."""
        movable = np.argwhere(self._movable[grid])
        free = LevelBuilder(self.context, grid).free()
        if not len(movable) or not free.any():
            return False
        y, x = movable[int(rng.integers(len(movable)))].tolist()
        places = np.argwhere(free)
        if rng.random() < 0.5:
            near = places[np.abs(places - (y, x)).sum(axis=1) <= 2]
            places = near if len(near) else places
        ty, tx = places[int(rng.integers(len(places)))].tolist()
        grid[y, x], grid[ty, tx] = grid[ty, tx], grid[y, x]
        return True

    def _wall(self, grid: Grid, rng: np.random.Generator) -> bool:
        """Turn a free cell beside walls into a wall, or a wall into a free cell."""
        context = self.context
        if not context.walls:
            return False
        builder = LevelBuilder(context, grid)
        top, left, bottom, right = builder.inside()
        if bottom <= top or right <= left:
            return False
        y, x = int(rng.integers(top, bottom)), int(rng.integers(left, right))
        if grid[y, x] in context.walls:
            grid[y, x] = context.background
            return True
        if grid[y, x] != context.background or builder.disconnects((y, x)):
            return False
        grid[y, x] = context.walls[int(rng.choice(len(context.walls), p=context.wall_weights))]
        return True


def _matching(at: int, extent: int, length: int, other: int, rng: np.random.Generator) -> int | None:
    """Return where a piece at `at` of a line as long as `length` comes from in one as long as `other`; None: nowhere.

    What touches an end comes from that end, what does not comes from about the same share of the way.
    """
    if extent > other:
        return None
    if at == 0:
        return 0
    if at + extent == length:
        return other - extent
    low, high = min(1, other - extent), max(min(1, other - extent), other - extent - 1)
    centre = at / max(1, length - extent) * (other - extent)
    reach = max(1, round(other / 8))
    return min(max(round(centre) + int(rng.integers(-reach, reach + 1)), low), high)
