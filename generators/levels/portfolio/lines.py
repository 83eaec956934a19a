"""Lines: belts, paths and pipes that a game's own levels have joined from end to end, kept whole in new levels.

Quilts, edits and repairs look at a few cells at a time, and a line that is broken in one cell leads nowhere: no
suitcase comes to its passenger, no attacker to the tower. So it is measured which ground a game's designers lay in thin
lines with bends and junctions, all of one part, and such lines are drawn as a whole, with what stands at their ends:
those of one of the game's levels, with other lengths. A level is made wider and narrower in columns and rows in which
every line only passes through, so that what was joined stays joined, as a picture is resized along seams that cut
nothing (Avidan and Shamir, Seam Carving for Content-Aware Image Resizing, 2007).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from pcg.engine.lazy import cached_property
from pcg.evaluators.level_grid import BLOCKED, Grid, Mask
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.level_builder import LevelBuilder

FEWEST_LEVELS = 2
"""Least number of the game's levels that tell of lines."""
SHORTEST = 8
"""Least number of cells of a line in any of the game's levels."""
MOST_PARTS = 2
"""Most lines in any of them."""
MOST_CROWDED = 0.05
"""Largest share of cells that are the corner of a square of four, in a ground that lies in lines."""
MOST_COVERED = 0.4
"""Largest share of a level that lines cover."""
FEWEST_BENDS = 2
"""Least mean number of bends and junctions of a level's lines; straight rows are formations."""
ATTACHED = 0.9
"""Share of a thing's places in the game's levels that must be beside a line for it to belong to lines."""
FEWEST_THINGS = 2
"""Least number of places of such a thing, in all of the game's levels."""
TRIES = 12
"""Most levels that are tried for lines of a size."""
CHANGED = 0.35
"""Share of the columns, and of the rows, that are taken out and put in again elsewhere, at most."""


@dataclass(frozen=True)
class Lines:
    """Lines in the game's own levels.

    Args:
        context: of the game.
        images: its levels, with mirror images where the game allows them.
    """

    context: LevelContext
    images: Sequence[Grid]

    @cached_property
    def kinds(self) -> tuple[NDArray[np.bool_], ...]:
        """Mask of the tiles of each ground, or thing, that lies in lines."""
        context = self.context
        palette = context.palette
        traffic = {lane.ground for lane in context.lanes for _ in lane.movers}
        found: dict[bytes, NDArray[np.bool_]] = {}
        for tiles in palette.by_type.values():
            mask = palette.lookup(tiles)
            if (palette.access[mask] == BLOCKED).any() or mask[list(palette.avatars)].any() or traffic == set(tiles):
                continue
            if self._lies_in_lines(mask):
                found[mask.tobytes()] = mask
        return tuple(found.values())

    def _lies_in_lines(self, tiles: NDArray[np.bool_]) -> bool:
        """Tell whether some tiles make thin lines of one or two parts with bends in each of the game's levels."""
        examples = self.context.examples
        if len(examples) < FEWEST_LEVELS:
            return False
        bends = 0
        for grid in examples:
            cells = tiles[grid]
            sizes = part_sizes(cells)
            if not 1 <= len(sizes) <= MOST_PARTS or int(sizes.min()) < SHORTEST or cells.mean() > MOST_COVERED:
                return False
            if _crowded(cells) > MOST_CROWDED:
                return False
            bends += int(_bends(cells).sum())
        return bends >= FEWEST_BENDS * len(examples)

    @cached_property
    def of_lines(self) -> NDArray[np.bool_]:
        """Mask of all tiles that lie in lines."""
        found = np.zeros(len(self.context.palette.tiles), bool)
        for mask in self.kinds:
            found |= mask
        return found

    @cached_property
    def attached(self) -> NDArray[np.bool_]:
        """Mask of the things that stand beside a line wherever the game's levels have them."""
        tiles = len(self.context.palette.tiles)
        number, beside = np.zeros(tiles, np.int64), np.zeros(tiles, np.int64)
        for grid in self.context.examples:
            near = ndimage.binary_dilation(self.of_lines[grid])
            number += np.bincount(grid.ravel(), minlength=tiles)
            beside += np.bincount(grid[near], minlength=tiles)
        things = np.zeros(tiles, bool)
        things[list(self.context.objects)] = True
        found: NDArray[np.bool_] = (number >= FEWEST_THINGS) & (beside >= ATTACHED * number)
        return found & things & ~self.of_lines

    def cells(self, grid: Grid) -> Mask:
        """Return the cells of lines and of what belongs to them, shape as the level."""
        found: Mask = (self.of_lines | self.attached)[grid]
        return found

    @cached_property
    def _usual(self) -> list[tuple[int, int]]:
        """For each kind of line the most parts in one of the game's levels, and the cells of the smallest part."""
        found = []
        for mask in self.kinds:
            sizes = [part_sizes(mask[grid]) for grid in self.context.examples]
            found.append((max(len(one) for one in sizes), min(int(one.min()) for one in sizes)))
        return found

    def faults(self, grid: Grid) -> int:
        """Return how many pieces of lines a level has that none of the game's levels would have, and things that
        belong to lines and stand apart from any. A level without a line has one.
        """
        if not self.kinds:
            return 0
        found = 0
        for mask, (most, smallest) in zip(self.kinds, self._usual, strict=True):
            sizes = part_sizes(mask[grid])
            short = int((sizes < smallest // 2).sum())
            found += max(short, len(sizes) - most, int(len(sizes) == 0))
        near = ndimage.binary_dilation(self.of_lines[grid])
        return found + int((self.attached[grid] & ~near).sum())

    def kept(self, grid: Grid, parent: Grid) -> Grid:
        """Return a level with the lines of the one that it was made from.

        Args:
            grid: a level.
            parent: one of the same shape.
        """
        return np.where(self.cells(grid) | self.cells(parent), parent, grid).astype(np.int16)

    # -- drawing -------------------------------------------------------------------------------------------------------

    def draw(self, builder: LevelBuilder, rng: np.random.Generator) -> bool:
        """Take all lines away and put those of one of the game's levels in their place, with other lengths; False
        where no level gives lines of this size.
        """
        height, width = builder.grid.shape
        level = self.level(rng, height, width)
        if level is None:
            return False
        for y, x in np.argwhere(self.cells(builder.grid)).tolist():
            builder.put((y, x), self.context.background)
        for y, x in np.argwhere(self.cells(level)).tolist():
            builder.put((y, x), int(level[y, x]))
        return True

    def level(self, rng: np.random.Generator, height: int, width: int) -> Grid | None:
        """Return one of the game's levels with other distances, of a size; None where none can be given that size."""
        for _ in range(TRIES):
            image = self.images[int(rng.integers(len(self.images)))]
            across = self._resized(image, rng, width)
            if across is None:
                continue
            both = self._resized(across.T, rng, height)
            if both is not None:
                return self._pruned(np.ascontiguousarray(both.T), rng)
        return None

    def _pruned(self, grid: Grid, rng: np.random.Generator) -> Grid:
        """Return a level without some of the branches of its lines that end in the open or at a thing that the rules
        do not call for.
        """
        branches = [b for b in self._branches(grid) if not np.isin(grid[b], list(self.context.required_tiles)).any()]
        number = int(rng.integers(1 + (1 + len(branches)) // 2)) if branches else 0
        smallest = min((smallest for _, smallest in self._usual), default=0)
        for k in rng.permutation(len(branches))[:number].tolist():
            cells = branches[k]
            if np.count_nonzero(self.of_lines[grid]) - len(cells[0]) < smallest:
                break
            pruned = grid.copy()
            pruned[cells] = self.context.background
            if not self.faults(pruned):
                grid = pruned
        return grid

    def _branches(self, grid: Grid) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Return the cells (rows and columns) of each run of a line from an end to the next junction, with the thing at
        the end; runs with more than plain line in them, as where something starts, are left out.
        """
        line, belongs = self.of_lines[grid], self.cells(grid)
        inside = np.pad(belongs, 1)
        found = []
        for y, x in np.argwhere(belongs & (_neighbours(belongs) <= 1)).tolist():
            run = [(y, x)]
            while True:
                ahead = [
                    (run[-1][0] + dy, run[-1][1] + dx)
                    for dy, dx in ((-1, 0), (1, 0), (0, -1), (0, 1))
                    if inside[run[-1][0] + dy + 1, run[-1][1] + dx + 1]
                    and (run[-1][0] + dy, run[-1][1] + dx) not in run
                ]
                if len(ahead) != 1 or len(run) > grid.size:
                    break
                run.append(ahead[0])
            if len(ahead) > 1:
                run.pop()  # the junction stays
            rows, columns = np.array(run, np.int64).reshape(-1, 2).T
            tiles = grid[rows, columns]
            plain = self._plain_lines[tiles] | ~line[rows, columns]
            if len(ahead) > 1 and len(run) and plain.all():
                found.append((rows, columns))
        return found

    def _resized(self, grid: Grid, rng: np.random.Generator, width: int) -> Grid | None:
        """Return a level with columns taken out and put in until it has a width; None where lines do not allow it."""
        for _ in range(int(rng.integers(1, 2 + int(CHANGED * grid.shape[1])))):
            places = np.flatnonzero(self._removable(grid))
            if not len(places) or grid.shape[1] <= 3:
                break
            grid = np.delete(grid, int(places[int(rng.integers(len(places)))]), axis=1)
        while grid.shape[1] > width:
            places = np.flatnonzero(self._removable(grid))
            if not len(places):
                return None
            grid = np.delete(grid, int(places[int(rng.integers(len(places)))]), axis=1)
        while grid.shape[1] < width:
            places = np.flatnonzero(self._passing(grid))
            if not len(places):
                return None
            # where the new columns go is drawn along with how many: one wide gap is another level than many small ones
            place = int(places[int(rng.integers(len(places)))])
            number = 1 + int(rng.integers(min(4, width - grid.shape[1])))
            grid = np.insert(grid, [place + 1] * number, self._copy(grid, place)[:, None], axis=1)
        return grid

    def _passing(self, grid: Grid) -> Mask:
        """Return the inner columns in which every line passes through and every wall goes on, shape (width,)."""
        line = self.cells(grid)
        wall = np.zeros(len(self.of_lines), bool)
        wall[list(self.context.walls)] = True
        raised = wall[grid]
        found = np.zeros(grid.shape[1], bool)
        beside = line[:, :-2] & line[:, 2:]
        upright = np.zeros_like(line)
        upright[1:] |= line[:-1]
        upright[:-1] |= line[1:]
        passes = self.of_lines[grid[:, 1:-1]] & beside & ~upright[:, 1:-1]
        through = ~line[:, 1:-1] | passes
        same = (raised[:, 1:-1] == raised[:, :-2]).all(axis=0) | (raised[:, 1:-1] == raised[:, 2:]).all(axis=0)
        found[1:-1] = through.all(axis=0) & same
        return found

    def _removable(self, grid: Grid) -> Mask:
        """Return the inner columns that may be taken out: nothing but line, wall and ground is in them."""
        palette = self.context.palette
        plain = palette.is_ground.copy()
        plain[list(self.context.walls)] = True
        if self.context.filler is not None:
            plain[self.context.filler] = True
        plain |= self._plain_lines
        alone = np.zeros(grid.shape[1], bool)
        line = self.of_lines[grid]
        # two upright lines had better not come to touch
        upright = np.zeros_like(line)
        upright[1:] |= line[:-1] & line[1:]
        upright[:-1] |= line[1:] & line[:-1]
        near = upright[:, :-2] & upright[:, 2:]
        alone[1:-1] = ~near.any(axis=0)
        found: Mask = self._passing(grid) & plain[grid].all(axis=0) & alone
        return found

    @cached_property
    def _plain_lines(self) -> NDArray[np.bool_]:
        """Mask of the tile that each kind of line is mostly made of."""
        found = np.zeros(len(self.of_lines), bool)
        for mask in self.kinds:
            cells = np.concatenate([grid[mask[grid]] for grid in self.context.examples])
            found[int(np.bincount(cells).argmax())] = True
        return found

    def _copy(self, grid: Grid, column: int) -> NDArray[np.int16]:
        """Return a column to be put in beside one: its walls and lines, without the things in it."""
        context = self.context
        cells = grid[:, column].copy()
        kept = np.zeros(len(self.of_lines), bool)
        kept[[*context.walls, *context.palette.grounds]] = True
        if context.filler is not None:
            kept[context.filler] = True
        for mask in self.kinds:
            plain = np.flatnonzero(mask & self._plain_lines)
            cells[mask[cells]] = int(plain[0])
        cells[~(kept | self.of_lines)[cells]] = context.background
        return cells


def part_sizes(cells: Mask) -> NDArray[np.int64]:
    """Return the numbers of cells of the parts of a mask, joined side by side.

    >>> part_sizes(np.array([[1, 1, 0], [0, 0, 1]], bool)).tolist()
    [2, 1]
    """
    labels, number = ndimage.label(cells)
    found: NDArray[np.int64] = np.bincount(labels.ravel(), minlength=number + 1)[1:]
    return found


def _crowded(cells: Mask) -> float:
    """Return the share of cells that are the top left corner of four in a square."""
    square = cells[1:, 1:] & cells[:-1, 1:] & cells[1:, :-1] & cells[:-1, :-1]
    return float(square.sum()) / max(1, int(cells.sum()))


def _neighbours(cells: Mask) -> NDArray[np.int64]:
    """Return the number of set cells beside each cell, shape as given."""
    padded = np.pad(cells, 1).astype(np.int64)
    found: NDArray[np.int64] = padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:]
    return found


def _bends(cells: Mask) -> Mask:
    """Return the cells in which a line bends, branches or crosses another."""
    padded = np.pad(cells, 1)
    upright = padded[:-2, 1:-1] | padded[2:, 1:-1]
    level = padded[1:-1, :-2] | padded[1:-1, 2:]
    found: Mask = cells & upright & level
    return found
