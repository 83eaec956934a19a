"""Boards: the game's own levels as they are drawn, with what differs between them differing anew.

In many games all levels are one board: two halls with a strip between them, a garden with a lawn on one side, a sky
over a town. A mixture of patterns breaks such a board. So one of the levels is kept, of another size where the game's
levels have different sizes, and only its parts change: regions where another level differs are exchanged as a whole,
things are moved as the groups in which they stand, and blocks that stand free are moved as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from pcg.engine.lazy import cached_property
from pcg.evaluators.level_grid import Grid, Mask
from pcg.evaluators.metrics.patterns import Originals
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.portfolio.example_objects import OUTSIDE, ExampleObjects, framed, neighbours
from pcg.generators.levels.portfolio.local_structure import LocalStructure

SHARED = 0.65
"""Least share of cells that two levels of a size have in common for regions of one to take those of the other's."""
EXCHANGED = 0.5
"""Share of the regions that are exchanged."""
EXCHANGES = 4
"""Choices of regions that are tried."""
MOVED = (0.3, 1.0)
"""Least and most of the groups and blocks that are moved, as a share; a share is drawn for each level."""
LEFT_OUT, COPIED = 0.15, 0.25
"""Share of the groups that are left out, and with those that are put a second time elsewhere, as far as numbers of
things stay between those of the game's levels.
"""
FLIPPED = 0.25
"""Share of these that are mirrored as well, where levels may be."""
TRIES = 24
"""Places that are tried for one of them."""
REACH = 0.3
"""Farthest that they are moved, as a share of the level's sides."""
ALIKE = 0.75
"""Share of the neighbouring cells that are the same, without things, at the place where a group is moved."""
BLOCK = 0.06
"""Largest block that is moved, as a share of the level's cells."""
RESIZED = 0.5
"""Share of levels whose board is brought to another size, where the game's levels have different sizes."""
SHIFTED = 0.5
"""Share of the rounds in which the board gets other proportions."""
SHIFT = 0.25
"""Most rows or columns that are taken away in one place and added in another, as a share of all."""
SYMMETRIC = 0.95
"""Share of cells that are walls on both sides or on none from which on the halves of a board mirror each other."""
ROUNDS, IN_VAIN = 24, 8
"""Most rounds of changes for one level, and most of them one after the other that bring nothing new."""
FACING = 0.02
"""Share of the cells that two levels have in common beyond those that one has with the other's mirror image, from which
on both face one way.
"""
ONE_WAY = 0.8
"""Share of the pairs of a game's levels that face one way from which on a mirror image would look wrong."""
NEAR = np.ones((3, 3), bool)
"""Cells that belong to one group or region."""


@dataclass(frozen=True)
class Boards:
    """Levels made from whole levels of the game.

    Args:
        context: of a game with levels of its own.
        images: these levels, with their mirror images where the game allows them.
        structure: of these levels.
        least: originality at which a level is different enough.
        keeps_heights: things stay in their rows.
        mirrors: True where a level mirrored left to right is as good as the level itself.
    """

    context: LevelContext
    images: tuple[Grid, ...]
    structure: LocalStructure
    least: float
    keeps_heights: bool
    mirrors: bool

    @property
    def objects(self) -> ExampleObjects:
        """Numbers and places of objects in the levels."""
        return self.structure.example_objects

    def level(self, rng: np.random.Generator, height: int, width: int) -> Grid:
        """Return a level on one of the game's boards, of the size wanted where the board can be brought to it."""
        ways = self._orientations
        levels = ways[int(rng.integers(len(ways)))]
        same = [one for one in levels if one.shape == (height, width)]
        others = [one for one in levels if one.shape != (height, width)]
        if others and (not same or rng.random() < RESIZED):
            grid = self._resized(others[int(rng.integers(len(others)))], rng, height, width)
            if grid.shape != (height, width) and same:
                grid = same[int(rng.integers(len(same)))].copy()
        else:
            grid = same[int(rng.integers(len(same)))].copy()
        grid = self._exchanged(grid, levels, rng)
        original, vain = self._originals.originality(grid), 0
        for _ in range(ROUNDS):
            changed = self._changed(grid, rng)
            now = self._originals.originality(changed)
            vain = 0 if now > original else vain + 1
            # a round that leads back towards one of the game's levels is not taken
            if now >= original:
                grid, original = changed, now
            if original >= self.least or vain == IN_VAIN:
                break
        return grid

    @cached_property
    def _orientations(self) -> tuple[tuple[Grid, ...], ...]:
        """The game's levels as they are, and mirrored where that is as good and they do not all face one way."""
        if not self.mirrors:
            return (self.images,)
        half = len(self.images) // 2
        levels, images = self.images[:half], self.images[half:]
        sides = [
            _agreement(one, other) - _agreement(one, image) > FACING
            for k, one in enumerate(levels) for other, image in zip(levels[:k], images[:k], strict=True)
        ]  # fmt: skip
        return (levels,) if sides and float(np.mean(sides)) >= ONE_WAY else (levels, images)

    @cached_property
    def _originals(self) -> Originals:
        return Originals(self.context.examples)

    def _changed(self, grid: Grid, rng: np.random.Generator) -> Grid:
        """Return a board after one round of changes."""
        if rng.random() < SHIFTED:
            shifted = self._shifted(grid, rng)
            grid = shifted if self.objects.excess(shifted) <= self.objects.excess(grid) else grid
        builder = LevelBuilder(self.context, grid)
        share = float(rng.uniform(*MOVED))
        self._move_groups(builder, rng, share)
        self._move_blocks(builder, rng, share)
        return builder.grid

    # -- rows and columns ----------------------------------------------------------------------------------------------

    def _resized(self, grid: Grid, rng: np.random.Generator, height: int, width: int) -> Grid:
        """Return a board with rows and columns repeated or left out, of those that are like the one before, as far as
        that goes.
        """
        for axis, wanted in ((0, height), (1, width)):
            more = wanted > grid.shape[axis]
            lines = grid if axis == 0 else grid.T
            lines = self._of_lines(lines, self._order([lines], rng, [more] * abs(wanted - len(lines))))
            grid = np.ascontiguousarray(lines if axis == 0 else lines.T)
        return grid

    def _shifted(self, grid: Grid, rng: np.random.Generator) -> Grid:
        """Return a board of the same size with other proportions: some rows or columns less here and more there, on
        both sides of a board whose halves mirror each other.
        """
        axis = int(rng.integers(2))
        lines = grid if axis == 0 else grid.T
        halved = axis == 1 and self._is_symmetric(grid)
        parts = [lines[: (len(lines) + 1) // 2], lines[::-1][: (len(lines) + 1) // 2]] if halved else [lines]
        number = 1 + int(rng.integers(max(1, round(SHIFT * len(parts[0])))))
        order = self._order(parts, rng, [False] * number + [True] * number)
        if len(order) != len(parts[0]):
            return grid
        shifted = [self._of_lines(part, order) for part in parts]
        lines = np.concatenate([shifted[0], shifted[1][: len(lines) // 2][::-1]]) if halved else shifted[0]
        return np.ascontiguousarray(lines if axis == 0 else lines.T)

    def _is_symmetric(self, grid: Grid) -> bool:
        """Tell whether the walls of a level are the same left and right."""
        walls = self._walls[grid]
        return float((walls == walls[:, ::-1]).mean()) >= SYMMETRIC

    def _order(self, parts: Sequence[Grid], rng: np.random.Generator, steps: Sequence[bool]) -> list[int]:
        """Return the lines of a board after some were repeated and left out, as numbers of lines.

        Args:
            parts: one board, or two halves in which the same is done, shape (lines, cells) each.
            rng: draws.
            steps: True for each line that is to be repeated, False for each that is to be left out, in turn. Only
                lines that are like the one before are; where there are none, the rest is not done.
        """
        lines = np.concatenate(parts, axis=1)
        ground = np.concatenate([self._floor(part) for part in parts], axis=1)
        cost = (lines != ground).sum(axis=1) + lines.size * self._avatars[lines].any(axis=1)
        order = list(range(len(ground)))
        for more in steps:
            alike = 1 + np.flatnonzero((ground[order[1:]] == ground[order[:-1]]).all(axis=1))
            if not more and len(alike):  # what goes with a line is to be as little as can be
                costs = cost[np.array(order)[alike]]
                alike = alike[costs == costs.min()]
            if not len(alike):
                break
            k = int(alike[int(rng.integers(len(alike)))])
            if more:
                order.insert(k, order[k])
            else:
                del order[k]
        return order

    def _of_lines(self, lines: Grid, order: Sequence[int]) -> Grid:
        """Return a board of these lines; what stands in a line that is repeated stands in the first of them alone."""
        ground = self._floor(lines)
        again = np.array([k > 0 and order[k] == order[k - 1] for k in range(len(order))])
        return np.where(again[:, None], ground[list(order)], lines[list(order)]).astype(np.int16)

    @cached_property
    def _things(self) -> NDArray[np.bool_]:
        """Tile -> True for what is moved as a group: objects and avatars."""
        palette = self.context.palette
        return palette.lookup([*self.objects.counted, *palette.avatars])

    @cached_property
    def _grounds(self) -> NDArray[np.bool_]:
        """Tile -> True for what things may stand on: grounds, and what lies in stretches."""
        return self.context.palette.lookup([*self.context.palette.grounds, *self.objects.stretches]) & ~self._things

    @cached_property
    def _avatars(self) -> NDArray[np.bool_]:
        return self.context.palette.lookup(self.context.palette.avatars)

    @cached_property
    def _walls(self) -> NDArray[np.bool_]:
        return self.context.palette.lookup(self.context.walls)

    def _floor(self, grid: Grid) -> Grid:
        """Return a level without things: each leaves the ground that it stands on, or else the one around it."""
        floor = grid.copy()
        padded = framed(np.where(self._grounds[grid], grid, np.int16(OUTSIDE)), OUTSIDE)
        for y, x in np.argwhere(self._things[grid]).tolist():
            around = [tile for tile in padded[y : y + 3, x : x + 3].ravel().tolist() if tile != OUTSIDE]
            ground = self.context.ground_under[int(grid[y, x])]
            if around and ground not in around:
                ground = max(sorted(set(around)), key=around.count)
            floor[y, x] = self.context.background if ground == self.context.palette.empty else ground
        return floor

    # -- regions -------------------------------------------------------------------------------------------------------

    def _exchanged(self, grid: Grid, levels: Sequence[Grid], rng: np.random.Generator) -> Grid:
        """Return a level with some of the regions in which another one of these differs as they are there."""
        partners = [one for one in levels if one.shape == grid.shape and SHARED <= float((one == grid).mean()) < 1.0]
        if not partners:
            return grid
        partner = partners[int(rng.integers(len(partners)))]
        # Of things that both levels have at different places, there may be too many, or none.
        taken = (self._some_regions(grid, partner, rng) for _ in range(EXCHANGES))
        return next((found for found in taken if self.objects.excess(found) <= self.objects.excess(grid)), grid)

    def _some_regions(self, grid: Grid, partner: Grid, rng: np.random.Generator) -> Grid:
        """Return a level with some of the regions in which another one differs as they are there."""
        regions, number = _near(grid != partner)
        chosen = rng.random(number + 1) < EXCHANGED
        # An avatar that leaves one place appears at another.
        of_avatar = np.unique(regions[(self._avatars[grid] | self._avatars[partner]) & (regions > 0)])
        if len(of_avatar):
            chosen[of_avatar] = chosen[of_avatar[0]]
        chosen[0] = False
        return np.where(chosen[regions], partner, grid).astype(np.int16)

    # -- groups and blocks ---------------------------------------------------------------------------------------------

    def _move_groups(self, builder: LevelBuilder, rng: np.random.Generator, share: float) -> None:
        """Move some of the groups of things, each as a whole to where the ground is the same; leave some out, and put
        some a second time.
        """
        for cells in self._groups(builder.grid):
            floor, before, draw = self._floor(builder.grid), builder.grid.copy(), rng.random()
            rows, columns = cells[:, 0], cells[:, 1]
            # Whether a level works may hang on a thing that stands in a wall, such as a door or a ladder.
            fixed = (self._avatars[before] | _in_line(self._walls[before]))[rows, columns].any()
            if draw < LEFT_OUT and not fixed:
                builder.grid[rows, columns] = floor[rows, columns]
                builder.invalidate()
            elif draw < COPIED and not fixed:
                self._move(builder, rng, cells, floor, floor == builder.grid, again=True)
            elif rng.random() < share:
                self._move(builder, rng, cells, floor, floor == builder.grid)
            worse = self.structure.strays(builder.grid).sum() > self.structure.strays(before).sum()
            if worse or self.objects.excess(builder.grid) > self.objects.excess(before):
                builder.grid[:] = before
                builder.invalidate()

    def _groups(self, grid: Grid) -> list[NDArray[np.intp]]:
        """Return the cells of each group: things of a kind that are near each other, and things that touch."""
        labels, number = np.zeros(grid.shape, np.int64), 0
        for tile in np.flatnonzero(self._things).tolist():
            near, more = _near(grid == tile)
            labels[near > 0] = near[near > 0] + number
            number += more
        joined: nx.Graph[int] = nx.Graph()
        joined.add_nodes_from(range(1, number + 1))
        for one, other in ((labels[1:], labels[:-1]), (labels[:, 1:], labels[:, :-1])):
            touching = (one > 0) & (other > 0)
            joined.add_edges_from(zip(one[touching].tolist(), other[touching].tolist(), strict=True))
        groups = (sorted(group) for group in nx.connected_components(joined))
        return [np.argwhere(np.isin(labels, group)) for group in groups]

    def _move_blocks(self, builder: LevelBuilder, rng: np.random.Generator, share: float) -> None:
        """Move some of the blocks of walls and other structure that stand free in one kind of ground."""
        context = self.context
        stretches = self.objects.stretches.intersection(context.objects) - {context.filler}
        most = max(1.0, BLOCK * builder.grid.size)
        for tile in sorted({*context.walls, *stretches}):
            blocks, number = ndimage.label(builder.grid == tile, NEAR)
            for k in range(1, int(number) + 1):
                mask = blocks == k
                if mask.sum() > most or rng.random() >= share:
                    continue
                cells, grid = np.argwhere(mask), builder.grid
                around = np.unique(grid[ndimage.binary_dilation(mask, NEAR) & ~mask])
                if len(around) != 1 or (cells == 0).any() or (cells == np.array(grid.shape) - 1).any():
                    continue
                floor = np.where(mask, around[0], grid).astype(np.int16)
                # A block that moves keeps its distance from everything else.
                self._move(builder, rng, cells, floor, ndimage.binary_erosion(floor == around[0], NEAR))

    def _move(
        self, builder: LevelBuilder, rng: np.random.Generator, cells: NDArray[np.intp], floor: Grid, free: Mask,
        again: bool = False,
    ) -> None:  # fmt: skip
        """Move cells together to where the floor below them is the same and nothing stands, if a place is found.

        Args:
            builder: of the level.
            rng: draws.
            cells: (row, column) of each, shape (n, 2).
            floor: the level without them.
            free: cells on which they may stand; their own are free as well.
            again: True to leave them where they are as well.
        """
        grid = builder.grid
        height, width = grid.shape
        free = free.copy()
        free[cells[:, 0], cells[:, 1]] = not again
        tiles = grid[cells[:, 0], cells[:, 1]].copy()
        ground = floor[cells[:, 0], cells[:, 1]].copy()
        around, in_line = neighbours(floor), _in_line(self._walls[floor])
        far = max(1, round(REACH * height)), max(1, round(REACH * width))
        for _ in range(TRIES):
            dy = 0 if self.keeps_heights else int(rng.integers(-far[0], far[0] + 1))
            dx = int(rng.integers(-far[1], far[1] + 1))
            placed = cells.copy()
            if self.mirrors and rng.random() < FLIPPED:
                placed[:, 1] = cells[:, 1].min() + cells[:, 1].max() - cells[:, 1]
            placed += (dy, dx)
            if (placed < 0).any() or (placed >= (height, width)).any() or (placed == cells).all():
                continue
            rows, columns = placed[:, 0], placed[:, 1]
            if not (free[rows, columns] & (floor[rows, columns] == ground)).all():
                continue
            if (in_line[rows, columns] != in_line[cells[:, 0], cells[:, 1]]).any():
                continue
            if (around[:, rows, columns] == around[:, cells[:, 0], cells[:, 1]]).mean() < ALIKE:
                continue
            if not again:
                grid[cells[:, 0], cells[:, 1]] = ground
            grid[rows, columns] = tiles
            builder.invalidate()
            return


def _near(mask: Mask) -> tuple[NDArray[np.int64], int]:
    """Return labels of the groups of a mask, and their number: cells that touch, diagonally too, or have one cell
    between them.
    """
    joined, number = ndimage.label(ndimage.binary_dilation(mask, NEAR), NEAR)
    return np.where(mask, joined, 0).astype(np.int64), int(number)


def _in_line(walls: Mask) -> Mask:
    """Return the cells between walls on two opposite sides."""
    padded = framed(walls, False)
    return (padded[:-2, 1:-1] & padded[2:, 1:-1]) | (padded[1:-1, :-2] & padded[1:-1, 2:])


def _agreement(one: Grid, other: Grid) -> float:
    """Return the share of equal cells of two levels; one of another size is stretched."""
    rows, columns = (np.arange(n) * m // n for n, m in zip(one.shape, other.shape, strict=True))
    return float((one == other[np.ix_(rows, columns)]).mean())
