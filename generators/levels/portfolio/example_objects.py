"""Numbers and places of objects as in the game's own levels.

The numbers of all objects lie between those of two of the game's levels, drawn together, so that numbers that depend on
each other (a key for each door) fit; so does the sum of all enemies. An object is placed where the surrounding cells
are most like those around such an object in an example: nearest neighbours in place of a model of placement, as in
texture synthesis (Efros, Leung 1999).
Games without levels of their own are served by `object_counts` and `object_placement`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pcg.engine.lazy import cached_property
from pcg.evaluators.level_grid import BLOCKED, GATE, Grid, Mask, edge_of
from pcg.evaluators.targets import group
from pcg.generators.levels.barriers import place_barrier
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.object_counts import fit_counts
from pcg.generators.levels.object_placement import place_object
from pcg.generators.levels.portfolio.habits import ThingHabits
from pcg.generators.levels.portfolio.support import Support

AROUND = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
"""The neighbours of a cell that are compared."""
BESIDE_COST = 2
"""Cost of an adjacent cell that differs from the example; that of a cell at a corner is 1."""
WEIGHTS = np.array([BESIDE_COST if 0 in step else 1 for step in AROUND], np.int32)
"""These costs, neighbour by neighbour."""
HEIGHT_COST = 6.0
"""Cost of a difference in height from the example, for the whole height of the level."""
SLACK = 1.5
"""The place is drawn from all whose cost exceeds the least by no more than this."""
MEMORIES = 6
"""Occurrences of an object in examples that are compared for one placing."""
FEWEST = 3
"""Least mean number of cells of a tile per level for it to be a stretch (water, a hedge)."""
OUTSIDE = -1
Cell = TypeVar("Cell", bound=np.generic)


@dataclass(frozen=True)
class ExampleObjects:
    """Numbers and surroundings of objects in the game's own levels.

    Args:
        context: of a game with levels of its own.
        images: these levels, with their mirror images where the game allows them.
    """

    context: LevelContext
    images: tuple[Grid, ...]

    @cached_property
    def counted(self) -> tuple[int, ...]:
        """Tiles whose numbers are put right: objects, but not a filler, traffic, or what lies in stretches (water,
        logs, hedges), which is part of the structure.
        """
        traffic = {m for lane in self.context.lanes for m in lane.movers}
        left_out = traffic | {self.context.filler} | self.stretches
        return tuple(t for t in self.context.objects if t not in left_out)

    @cached_property
    def support(self) -> Support:
        """Things that stand on something in the game's levels."""
        return Support(self.context)

    @cached_property
    def habits(self) -> ThingHabits:
        """Things that stand in a way that all of their kind do in the game's levels."""
        return ThingHabits(self.context)

    @cached_property
    def stretches(self) -> frozenset[int]:
        """Tiles most of whose cells are beside another cell of the same tile."""
        tiles = len(self.context.palette.tiles)
        cells, beside = np.zeros(tiles), np.zeros(tiles)
        for grid in self.context.examples:
            cells += np.bincount(grid.ravel(), minlength=tiles)
            for one, other in ((grid[1:], grid[:-1]), (grid[:, 1:], grid[:, :-1])):
                beside += 2.0 * np.bincount(one[one == other], minlength=tiles)
        many = cells >= FEWEST * len(self.context.examples)
        return frozenset(np.flatnonzero(many & (beside >= cells)).tolist())

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Numbers of every tile in each of the levels, shape (levels, tiles)."""
        tiles = len(self.context.palette.tiles)
        return np.array([np.bincount(g.ravel(), minlength=tiles) for g in self.context.examples])

    @cached_property
    def sizes(self) -> NDArray[np.float64]:
        """Cells of each of the levels."""
        return np.array([g.size for g in self.context.examples], np.float64)

    @cached_property
    def _groups(self) -> NDArray[np.int16]:
        """Tile -> class for the comparison of surroundings: wall, ground, or the tile itself; last, the outside."""
        groups = np.arange(len(self.context.palette.tiles) + 1, dtype=np.int16) + 2
        for tile in self.context.walls:
            groups[tile] = 0
        for tile in self.context.palette.grounds:
            groups[tile] = 1
        for tile in self.context.palette.avatars:
            groups[tile] = 1
        if self.context.filler is not None:
            groups[self.context.filler] = 1
        return groups

    @cached_property
    def _occurrences(self) -> dict[int, list[tuple[NDArray[np.int16], float, bool]]]:
        """Object or avatar -> surroundings, height and whether it stands in the edge, of each place in an example."""
        found: dict[int, list[tuple[NDArray[np.int16], float, bool]]] = {}
        for image in self.images:
            around = self._surroundings(image)
            height, width = image.shape
            for y, x in np.argwhere(np.isin(image, [*self.counted, *self.context.palette.avatars])).tolist():
                edge = y in (0, height - 1) or x in (0, width - 1)
                share = y / max(1, height - 1)
                found.setdefault(int(image[y, x]), []).append((around[:, y, x], share, edge))
        return found

    def _surroundings(self, grid: Grid) -> NDArray[np.int16]:
        """Return the classes of the eight neighbours of each cell, shape (8, height, width)."""
        return neighbours(self._groups[grid])

    def wanted(self, rng: np.random.Generator, area: int, spread: float = 0.0) -> dict[int, int]:
        """Return the number of each object for a new level, between those of two of the game's levels, or beyond.

        Args:
            rng: draws.
            area: cells of the level.
            spread: numbers that differ between the game's levels are multiplied by up to 1 + `spread`, or divided.
        """
        first, second = rng.integers(len(self.counts), size=2)
        share = rng.random()
        wanted: dict[int, float] = {}
        scales = np.clip(area / self.sizes[[first, second]], 0.5, 2.0)
        for tile in self.counted:
            one, other = self.counts[first, tile] * scales[0], self.counts[second, tile] * scales[1]
            alike = self.counts[:, tile].min() == self.counts[:, tile].max()
            if alike:
                one = other = float(self.counts[first, tile])  # what all have equally often does not grow with the size
            wanted[tile] = share * one + (1 - share) * other
            if spread and not alike:
                wanted[tile] *= (1.0 + spread) ** rng.uniform(-1.0, 1.0)
        return self._rounded(rng, wanted)

    @cached_property
    def enemies(self) -> tuple[int, ...]:
        """Objects that are enemies: one takes another's place, as no key takes that of a coin."""
        types = list(group("enemies", self.context.analysis))
        return tuple(t for t in self.counted if self.context.palette.type_counts[t, types].any())

    def _rounded(self, rng: np.random.Generator, numbers: dict[int, float]) -> dict[int, int]:
        """Return numbers rounded; those of enemies so that their sum is, too: two halves are one enemy and not none."""
        wanted = {tile: round(number) for tile, number in numbers.items()}
        parts = {tile: int(numbers[tile]) for tile in self.enemies}
        missing = round(sum(numbers[tile] for tile in self.enemies)) - sum(parts.values())
        order = [self.enemies[k] for k in rng.permutation(len(self.enemies)).tolist()]
        order.sort(key=lambda tile: parts[tile] - numbers[tile])
        return wanted | parts | {tile: parts[tile] + 1 for tile in order[:missing]}

    def settle(self, builder: LevelBuilder, rng: np.random.Generator, spread: float = 0.0) -> None:
        """Bring the numbers of objects in a level to those of `wanted`, and within those that the rules require."""
        wanted = fit_counts(self.context, rng, self.wanted(rng, builder.grid.size, spread))
        present = np.bincount(builder.grid.ravel(), minlength=len(builder.palette.tiles))
        for tile in self.counted:
            surplus = int(present[tile]) - wanted.get(tile, 0)
            cells = np.argwhere(builder.grid == tile).tolist()
            for k in rng.permutation(len(cells))[: max(0, surplus)].tolist():
                builder.remove((cells[k][0], cells[k][1]))
        order = sorted(self.counted, key=lambda t: (builder.palette.access[t] not in (GATE, BLOCKED), t))
        for tile in order:
            for _ in range(wanted.get(tile, 0) - int(present[tile])):
                if tile in self.context.barriers and place_barrier(builder, rng, tile):
                    continue
                if not self.put(builder, rng, tile) and not place_object(builder, rng, tile):
                    break

    def put(self, builder: LevelBuilder, rng: np.random.Generator, tile: int) -> bool:
        """Place an object where it has the neighbours that it has in an example; returns False without a place."""
        known = self._occurrences.get(tile)
        if not known:
            return False
        picked = [known[int(k)] for k in rng.integers(len(known), size=MEMORIES)]
        possible = self._places(builder, tile)
        height, width = builder.grid.shape
        around = self._surroundings(builder.grid).reshape(len(AROUND), height * width)
        rows = np.arange(height)[:, None] / max(1, height - 1)
        edge = edge_of(builder.grid.shape)
        beside = np.stack([one[0] for one in picked])
        shares = np.array([one[1] for one in picked])[:, None, None]
        at_edge = np.array([one[2] for one in picked])[:, None, None]
        costs = (WEIGHTS @ (around != beside[:, :, None])).reshape(len(picked), height, width)
        costs = (costs + HEIGHT_COST * np.abs(rows - shares) + 100.0 * (edge != at_edge)).min(axis=0)
        costs = np.where(possible, costs, np.inf)
        least = float(costs.min())
        if least >= 100.0:
            return False
        cells = np.argwhere(costs <= least + SLACK)
        for k in rng.permutation(len(cells)).tolist():
            cell = (int(cells[k][0]), int(cells[k][1]))
            if builder.blocks(tile) and builder.walkable()[cell] and builder.disconnects(cell):
                continue
            builder.put(cell, tile)
            return True
        return False

    def _places(self, builder: LevelBuilder, tile: int) -> Mask:
        """Return the cells where an object may be placed: free ones, and walls for gates."""
        possible = builder.free()
        if builder.palette.access[tile] == GATE:
            possible = possible | np.isin(builder.grid, self.context.walls)
        for kept in (self.support.may_stand, self.habits.may_stand):
            standing = possible & kept(builder.grid, tile)
            possible = standing if standing.any() else possible
        return possible

    @cached_property
    def _sums(self) -> NDArray[np.int64]:
        """Matrix that adds up the numbers of tiles to those of each object and of all enemies, (tiles, sums)."""
        every = np.eye(self.counts.shape[1], dtype=np.int64)
        return np.stack([*every[list(self.counted)], every[list(self.enemies)].sum(axis=0)], axis=1)

    @cached_property
    def _extremes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The least and most of each of these in the game's levels."""
        sums = self.counts @ self._sums
        return sums.min(axis=0), sums.max(axis=0)

    def excess(self, grid: Grid) -> float:
        """Return the number of objects beyond the least and most of the game's levels, relative to these."""
        low, high = self._extremes
        own = np.bincount(grid.ravel(), minlength=self.counts.shape[1]) @ self._sums
        beyond = np.maximum(0, low - own) + np.maximum(0, own - high)
        return float((beyond / np.maximum(1, high)).sum())


def neighbours(grid: NDArray[np.int16]) -> NDArray[np.int16]:
    """Return the eight neighbours of each cell in the order of `AROUND`, `OUTSIDE` beyond the edge, shape (8, height,
    width).
    """
    height, width = grid.shape
    padded = framed(grid, OUTSIDE)
    found = np.empty((len(AROUND), height, width), grid.dtype)
    for k, (dy, dx) in enumerate(AROUND):
        found[k] = padded[1 + dy : 1 + dy + height, 1 + dx : 1 + dx + width]
    return found


def framed(grid: NDArray[Cell], outside: int) -> NDArray[Cell]:
    """Return a grid with one line of cells that are `outside` around it; `np.pad` takes ten times as long."""
    found = np.full((grid.shape[0] + 2, grid.shape[1] + 2), outside, grid.dtype)
    found[1:-1, 1:-1] = grid
    return found
