"""Local structure of levels: windows of walls, grounds and stretches that a game's own levels have, and mending.

Where two pieces of a quilt meet, where an edit breaks a wall and where a level was built by rules, there are places as
no designer of the game leaves them: a wall that ends in the middle of a room, a river with a gap, a step in a platform.
Such a place has a window of three cells square that none of the game's own levels has. It is mended by putting the most
similar window of these in its place, wherever fewer unknown windows are left then; things and the avatar stay where
they are. Things that always touch the same structure (a door in a wall, a bridge in a river, a pad on the ground) are
moved where they do.

After Efros and Leung (Texture Synthesis by Non-parametric Sampling, 1999) and Karth and Smith (WaveFunctionCollapse is
Constraint Solving in the Wild, 2017).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from pcg.engine.kernel.runtime import invoke5, invoke6
from pcg.engine.lazy import cached_property
from pcg.evaluators.level_grid import GATE, Grid, Mask
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.examples import mirrored
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.portfolio import kernel
from pcg.generators.levels.portfolio.example_objects import ExampleObjects

SIDE = 3
"""Side of the windows, in cells."""
MOST_CHANGED = 5
"""Most cells of a window that are changed at once."""
TRIED = 24
"""Known windows that are tried in the place of an unknown one, the most similar first."""
SWEEPS = 4
"""Times that all unknown windows are gone through."""
LARGEST_CRUMB = 4
"""Most cells of a part of a wall, stretch or ground that is cleared for being small."""
TOLERATED = 0.5
"""Unknown windows that a level may have, as a share of those that a new level by the game's designer would have."""
SETTLED = 0.9
"""Share of a thing's places in each of the game's levels that must be as in the others for its place to count."""
FEWEST = 4
"""Least number of places of a thing, in all of the game's levels, for the same."""
GAPS = (0, 1, 2)
"""Gaps that are tried where a wall or stretch is continued to the next one, in cells."""
BESIDE_IN_LINE = 2
"""Most neighbours that are walls of a cell in the line of a wall; one with more is where walls meet."""
BESIDE = ((-1, 0), (1, 0), (0, -1), (0, 1))
"""The neighbours that make the place of a thing."""
_SCRATCH = 141
"""Words that `kernel.best_window` needs beside one for each window."""


@dataclass(frozen=True)
class LocalStructure:
    """Windows of structure in the levels of a game.

    Args:
        context: of a game with levels of its own.
        images: these levels, with their mirror images where the game allows them.
        example_objects: of these levels.
    """

    context: LevelContext
    images: Sequence[Grid]
    example_objects: ExampleObjects

    @cached_property
    def structural(self) -> NDArray[np.bool_]:
        """Mask of the tiles that are structure: walls, grounds, the filler, stretches, and what closes a passage."""
        context = self.context
        palette = context.palette
        found: NDArray[np.bool_] = palette.access == GATE
        found[[*context.walls, *palette.grounds, *self.example_objects.stretches]] = True
        if context.filler is not None:
            found[context.filler] = True
        found[list(palette.avatars)] = False
        return found

    @cached_property
    def _class_of(self) -> NDArray[np.int64]:
        """Tile -> the tile that counts for it: itself for structure; for things and traffic what is around them, the
        filler or the ground beneath, which is one that the game's levels have.
        """
        context = self.context
        palette = context.palette
        cells = np.bincount(np.concatenate([g.ravel() for g in context.examples]), minlength=len(palette.tiles))
        bare = palette.empty
        if not cells[bare]:
            bare = max((context.background, *palette.grounds), key=lambda tile: int(cells[tile]))
        under = np.array(context.ground_under, np.int64)
        under[under == palette.empty] = bare if context.filler is None else context.filler
        return np.where(self.structural, np.arange(len(under)), under)

    @cached_property
    def _weights(self) -> NDArray[np.int64]:
        """Factors that make one number of a window; one class more than tiles stands for the outside."""
        return (len(self.context.palette.tiles) + 1) ** np.arange(SIDE * SIDE, dtype=np.int64)

    def _padded(self, grid: Grid) -> NDArray[np.int64]:
        """Return the classes of a level with one line of outside around it."""
        padded = np.full((grid.shape[0] + 2, grid.shape[1] + 2), len(self.context.palette.tiles), np.int64)
        padded[1:-1, 1:-1] = self._class_of[grid]
        return padded

    def _codes(self, grid: Grid) -> NDArray[np.int64]:
        """Return the number of the window around each cell of a level, shape as the level."""
        height, width = grid.shape
        padded = self._padded(grid)
        codes = np.zeros(grid.shape, np.int64)
        for k, weight in enumerate(self._weights.tolist()):
            y, x = divmod(k, SIDE)
            codes += weight * padded[y : y + height, x : x + width]
        return codes

    @cached_property
    def known(self) -> NDArray[np.int64]:
        """Numbers of all windows of the game's levels, ascending."""
        return np.unique(np.concatenate([self._codes(image).ravel() for image in self.images]))

    @cached_property
    def _windows(self) -> NDArray[np.int64]:
        """The same as classes, shape (windows, 9)."""
        base = len(self.context.palette.tiles) + 1
        return self.known[:, None] // self._weights % base

    @cached_property
    def _adds_things(self) -> Mask:
        """Cells of these windows with something whose number counts, or outside the level, shape (windows, 9)."""
        return np.isin(self._windows, [*self.example_objects.counted, len(self.context.palette.tiles)])

    @cached_property
    def raised(self) -> NDArray[np.bool_]:
        """Mask of the tiles that are walls or parts of stretches; one class more stands for the outside."""
        found = np.zeros(len(self.context.palette.tiles) + 1, bool)
        found[[*self.context.walls, *self.example_objects.stretches]] = True
        found[list(self.context.palette.grounds)] = False
        return found

    @cached_property
    def _raised_in_windows(self) -> NDArray[np.int64]:
        """Number of such cells in each of the known windows."""
        found: NDArray[np.int64] = self.raised[self._windows].sum(axis=1)
        return found

    @cached_property
    def usual_share(self) -> float:
        """Mean share of cells with walls and stretches in the game's levels."""
        return float(np.mean([self.raised[grid].mean() for grid in self.context.examples]))

    @cached_property
    def _classes(self) -> NDArray[np.int64]:
        """Class of the outside of a level, then that of each tile, shape (1 + tiles,)."""
        return np.concatenate([[len(self.context.palette.tiles)], self._class_of])

    @cached_property
    def _tables(self) -> tuple[NDArray[np.int64], tuple[NDArray[Any], ...]]:
        """Addresses of the tables of windows, as `kernel.best_window` has them, and the tables."""
        barred, raised = self._adds_things.astype(np.int8), self.raised.astype(np.int8)
        tables = self.known, self._windows, barred, self._raised_in_windows, raised, self._weights
        found = tuple(np.ascontiguousarray(one) for one in tables)
        return np.array([one.ctypes.data for one in found], np.int64), found

    def _unknown(self, grid: Grid) -> tuple[Mask, int]:
        """Return `unknown` and the number of these cells."""
        level = np.ascontiguousarray(grid, np.int16)
        found = np.empty(grid.shape, bool)
        sizes = np.array([*grid.shape, len(self.known)], np.int64)
        arrays = level, self._classes, self.known, self._weights, found, sizes
        return found, invoke6(kernel.mark_unknown.address, *(one.ctypes.data for one in arrays))

    def unknown(self, grid: Grid) -> Mask:
        """Return the cells whose window none of the game's levels has, shape as the level."""
        return self._unknown(grid)[0]

    def unknown_cells(self, grid: Grid) -> int:
        """Return the number of these cells."""
        return self._unknown(grid)[1]

    def unknown_share(self, grid: Grid) -> float:
        """Return their share of a level, in [0, 1]."""
        return self._unknown(grid)[1] / grid.size

    @cached_property
    def enough(self) -> float:
        """Share of unknown windows at which a level needs no mending: part of what each of the game's levels has that
        the others do not know.
        """
        shares = []
        for grid in self.context.examples:
            others = [image for image in self.images if not _is_image(image, grid)]
            if others:
                structure = LocalStructure(self.context, others, self.example_objects)
                shares.append(structure.unknown_share(grid))
        return TOLERATED * float(np.mean(shares)) if shares else 0.0

    # -- mending -------------------------------------------------------------------------------------------------------

    def mend(self, grid: Grid, rng: np.random.Generator, locked: Mask | None = None) -> Grid:
        """Return a copy of a level with fewer unknown windows and its things in their places.

        Args:
            grid: a level.
            rng: draws.
            locked: cells that stay as they are.
        """
        builder = LevelBuilder(self.context, grid.copy())
        if locked is None:
            self._join_again(builder, rng)
        fixed = ~self.structural[builder.grid] | np.isin(builder.grid, self.example_objects.counted)
        if locked is not None:
            fixed |= locked
        self._clear_crumbs(builder, fixed)
        self._join_ends(builder, rng, fixed)
        if self.unknown_share(builder.grid) > self.enough:
            self._mend_windows(builder, rng, fixed)
        if locked is None:
            self._settle_strays(builder, rng)
        return builder.grid

    def _opposite(self, grid: Grid) -> tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...]:
        """Return the classes above and below, and those left and right, of each cell, shape as the level."""
        padded = self._padded(grid)
        return (padded[:-2, 1:-1], padded[2:, 1:-1]), (padded[1:-1, :-2], padded[1:-1, 2:])

    @cached_property
    def _joints(self) -> dict[int, NDArray[np.bool_]]:
        """Structural tile -> mask of the things that join its parts: those that the game's levels have in structure
        only, with the same on both sides, as planks over a river and doors in a wall.
        """
        tiles = len(self.context.palette.tiles)
        places, joined = np.zeros(tiles, np.int64), np.zeros(tiles, np.int64)
        beside = np.zeros((tiles, tiles + 1), bool)
        for grid in self.context.examples:
            for one, other in self._opposite(grid):
                within = (one == other) & self.raised[one]
                beside[grid[within], one[within]] = True
                joined += np.bincount(grid[within], minlength=tiles)
            places += np.bincount(grid.ravel(), minlength=tiles)
        joins = np.zeros(tiles, bool)
        joins[list(self.example_objects.counted)] = True
        joins &= (places >= FEWEST) & (joined >= SETTLED * places)
        return {tile: joins & beside[:, tile] for tile in np.flatnonzero(beside[joins].any(axis=0)).tolist()}

    @cached_property
    def _joining(self) -> tuple[int, ...]:
        """These things."""
        return tuple(np.flatnonzero(np.any(list(self._joints.values()), axis=0)).tolist()) if self._joints else ()

    def _between(self, grid: Grid, thing: int) -> tuple[Mask, Mask]:
        """Return the cells with a tile that a thing joins on two opposite sides, and those that have it as well."""
        between, within = np.zeros(grid.shape, bool), np.zeros(grid.shape, bool)
        for one, other in self._opposite(grid):
            for tile, things in self._joints.items():
                if things[thing]:
                    here = (one == tile) & (other == tile)
                    between |= here
                    within |= here & (self._class_of[grid] == tile)
        return between, within

    def _of(self, grid: Grid, tile: int) -> Mask:
        """Return the cells of a structural tile and of what joins its parts, shape as the level."""
        found: Mask = self._class_of[grid] == tile
        return found | self._joints[tile][grid] if tile in self._joints else found

    @cached_property
    def _smallest_parts(self) -> dict[int, int]:
        """Structural tile -> cells of the smallest connected part of it in the game's levels."""
        found: dict[int, int] = {}
        for grid in self.context.examples:
            for tile in np.unique(self._class_of[grid]).tolist():
                sizes = np.bincount(ndimage.label(self._of(grid, tile))[0].ravel())[1:]
                found[tile] = min(found.get(tile, grid.size), int(sizes.min()))
        return found

    def _clear_crumbs(self, builder: LevelBuilder, fixed: Mask) -> None:
        """Let parts of a wall, stretch or ground that are far smaller than any in the game's levels become what is
        around them.
        """
        for tile, smallest in self._smallest_parts.items():
            most = min(LARGEST_CRUMB, smallest // 2)
            labels, number = ndimage.label(self._of(builder.grid, tile))
            sizes = np.bincount(labels.ravel(), minlength=number + 1)
            for part in range(1, number + 1):
                cells = labels == part
                if sizes[part] > most or (cells & fixed).any():
                    continue
                around = self._class_of[builder.grid[ndimage.binary_dilation(cells) & ~cells]]
                around = around[~np.isin(around, self.example_objects.counted)]
                if len(around):
                    becomes = int(np.bincount(around).argmax())
                    _change(builder, [(y, x, becomes) for y, x in np.argwhere(cells).tolist()])

    def _mend_windows(self, builder: LevelBuilder, rng: np.random.Generator, fixed: Mask) -> None:
        """Replace unknown windows by known ones until few enough are left or nothing helps."""
        for _ in range(SWEEPS):
            places = np.argwhere(self.unknown(builder.grid)).tolist()
            changed = False
            for k in rng.permutation(len(places)).tolist():
                if self.unknown_share(builder.grid) <= self.enough:
                    return
                changed |= self._mend_at(builder, places[k][0], places[k][1], fixed)
            if not changed:
                break

    def _join_ends(self, builder: LevelBuilder, rng: np.random.Generator, fixed: Mask) -> None:
        """Continue walls and stretches that end in the open to the next ones, with or without a gap for a passage, or
        take them back, where fewer windows are unknown then.
        """
        raised = self.raised[builder.grid]
        beside = np.pad(raised, 1).astype(np.int8)
        number = beside[:-2, 1:-1] + beside[2:, 1:-1] + beside[1:-1, :-2] + beside[1:-1, 2:]
        ends = np.argwhere(raised & (number == 1) & ~fixed).tolist()
        for k in rng.permutation(len(ends)).tolist():
            y, x = ends[k]
            grid = builder.grid
            least = self.unknown_cells(grid)
            best: Grid | None = None
            for changed in self._continued(builder, y, x, fixed):
                bad = self.unknown_cells(changed)
                if bad < least:
                    least, best = bad, changed
            if best is not None:
                grid[:] = best
                builder.invalidate()

    def _continued(self, builder: LevelBuilder, y: int, x: int, fixed: Mask) -> list[Grid]:
        """Return copies of a level in which a wall or stretch that ends at a cell goes on, or ends sooner."""
        grid = builder.grid
        height, width = grid.shape
        raised = self.raised[grid]
        back = [
            (dy, dx) for dy, dx in BESIDE if 0 <= y + dy < height and 0 <= x + dx < width and raised[y + dy, x + dx]
        ]
        if len(back) != 1:
            return []  # it was changed meanwhile
        dy, dx = back[0]
        ahead: list[tuple[int, int]] = []
        cell = (y - dy, x - dx)
        while 0 <= cell[0] < height and 0 <= cell[1] < width and not fixed[cell] and not raised[cell]:
            ahead.append(cell)
            cell = (cell[0] - dy, cell[1] - dx)
        met = not (0 <= cell[0] < height and 0 <= cell[1] < width) or bool(raised[cell])
        found = []
        if met and len(ahead) > 1:
            for gap in GAPS:
                changed = LevelBuilder(self.context, grid.copy())
                if _change(changed, [(*one, int(grid[y, x])) for one in ahead[: max(0, len(ahead) - gap)]]):
                    found.append(changed.grid)
        if raised.mean() > self.usual_share:
            changed = LevelBuilder(self.context, grid.copy())
            cell = (y, x)
            while 0 < cell[0] < height - 1 and 0 < cell[1] < width - 1 and raised[cell] and not fixed[cell]:
                around = sum(bool(raised[cell[0] + a, cell[1] + b]) for a, b in BESIDE)
                if around > BESIDE_IN_LINE:
                    break
                changed.put(cell, int(self._class_of[self.context.background]))
                cell = (cell[0] + dy, cell[1] + dx)
            found.append(changed.grid)
        return found

    def _mend_at(self, builder: LevelBuilder, y: int, x: int, fixed: Mask) -> bool:
        """Replace the window around a cell by the known one that leaves fewest unknown ones; False where none does."""
        grid = builder.grid
        height, width = grid.shape
        # it is always easy to mend a wall by taking it away
        keeps = np.count_nonzero(self.raised[grid]) / grid.size <= self.usual_share
        level, stays = np.ascontiguousarray(grid, np.int16), np.ascontiguousarray(fixed, bool)
        scratch = np.empty(len(self.known) + _SCRATCH, np.int64)
        sizes = np.array([height, width, y, x, len(self.known), MOST_CHANGED, TRIED, keeps], np.int64)
        arrays = level, stays, self._classes, self._tables[0], scratch, sizes
        best = invoke6(kernel.best_window.address, *(one.ctypes.data for one in arrays))
        if best < 0:
            return False
        cells = []
        for k, tile in enumerate(self._windows[best].tolist()):
            cell = y + k // SIDE - 1, x + k % SIDE - 1
            inside = 0 <= cell[0] < height and 0 <= cell[1] < width
            if inside and self._class_of[grid[cell]] != tile:
                cells.append((*cell, tile))
        return _change(builder, cells)

    # -- things that belong to a structure -----------------------------------------------------------------------------

    def _beside(self, grid: Grid) -> NDArray[np.int64]:
        """Return the number of the classes above, below, left and right of each cell, shape as the level."""
        padded = self._padded(grid)
        base = len(self.context.palette.tiles) + 1
        height, width = grid.shape
        found = np.zeros(grid.shape, np.int64)
        for dy, dx in BESIDE:
            found = found * base + padded[1 + dy : 1 + dy + height, 1 + dx : 1 + dx + width]
        return found

    @cached_property
    def places(self) -> dict[int, frozenset[int]]:
        """Thing -> what is beside it in the game's levels, for those things for which that is always the same."""
        examples = self.context.examples
        per_image = [self._beside(image) for image in self.images]
        per_level = [self._beside(grid) for grid in examples]
        of_level = [[_is_image(image, grid) for image in self.images] for grid in examples]
        found = {}
        for tile in self.example_objects.counted:
            beside = [set(b[i == tile].tolist()) for b, i in zip(per_image, self.images, strict=True)]
            number = alike = 0
            for k, grid in enumerate(examples):
                others = set().union(*(b for b, own in zip(beside, of_level[k], strict=True) if not own))
                here = per_level[k][grid == tile].tolist()
                number += len(here)
                alike += sum(one in others for one in here)
            if number >= FEWEST and alike >= SETTLED * number:
                found[tile] = frozenset().union(*beside)
        return found

    @cached_property
    def _place_table(self) -> NDArray[np.int64]:
        """Places of things as `kernel.mark_misplaced` has them."""
        places = [sorted(self.places.get(tile, ())) for tile in range(len(self.context.palette.tiles))]
        return np.array([*accumulate(map(len, places), initial=0), *chain.from_iterable(places)], np.int64)

    def strays(self, grid: Grid) -> Mask:
        """Return the cells of things that are not in a place as they have it in the game's levels."""
        level = np.ascontiguousarray(grid, np.int16)
        found = np.empty(grid.shape, bool)
        sizes = np.array([*grid.shape, len(self.context.palette.tiles)], np.int64)
        arrays = level, self._classes, self._place_table, found, sizes
        invoke5(kernel.mark_misplaced.address, *(one.ctypes.data for one in arrays))
        for tile in self._joining:
            found |= (grid == tile) & ~self._between(grid, tile)[0]
        habits = self.example_objects.habits.strays(grid) & self._moved[grid]
        return found | self.example_objects.support.strays(grid) | habits

    @cached_property
    def _moved(self) -> NDArray[np.bool_]:
        """Mask of the tiles that are moved where they are astray: objects and avatars."""
        found = np.zeros(len(self.context.palette.tiles), bool)
        found[[*self.example_objects.counted, *self.context.palette.avatars]] = True
        return found

    def _settle_strays(self, builder: LevelBuilder, rng: np.random.Generator) -> None:
        """Move things that stand elsewhere than in the game's levels to places as they have them there; what hangs in
        the air falls first.
        """
        self.example_objects.support.let_fall(builder, self.example_objects.stretches)
        cells = np.argwhere(self.strays(builder.grid)).tolist()
        for k in rng.permutation(len(cells)).tolist():
            cell = (cells[k][0], cells[k][1])
            tile = int(builder.grid[cell])
            before = builder.grid.copy()
            number = int(self.strays(before).sum())
            builder.remove(cell)
            if not self.example_objects.put(builder, rng, tile) or int(self.strays(builder.grid).sum()) >= number:
                builder.grid[:] = before
                builder.invalidate()

    def _join_again(self, builder: LevelBuilder, rng: np.random.Generator) -> None:
        """Move things that join nothing to where they join two parts, which fewest unknown windows tell; without such
        a place they go, unless the rules call for them.
        """
        inner = np.zeros(builder.grid.shape, bool)
        inner[1:-1, 1:-1] = True
        for thing in self._joining:
            astray = (builder.grid == thing) & ~self._between(builder.grid, thing)[0]
            for y, x in np.argwhere(astray).tolist():
                builder.remove((y, x))
                between, within = self._between(builder.grid, thing)
                places = np.argwhere((within | between & builder.free()) & inner).tolist()
                best: tuple[int, tuple[int, int]] | None = None
                for k in rng.permutation(len(places))[:TRIED].tolist():
                    tried = builder.grid.copy()
                    tried[tuple(places[k])] = thing
                    bad = self.unknown_cells(tried)
                    if best is None or bad < best[0]:
                        best = bad, (places[k][0], places[k][1])
                if best is not None:
                    builder.put(best[1], thing)
                elif thing in self.context.required_tiles:
                    builder.put((y, x), thing)


def _change(builder: LevelBuilder, cells: Sequence[tuple[int, int, int]]) -> bool:
    """Put tiles (row, column, tile) unless that cuts the level into more parts; False if it does."""
    before = builder.grid.copy()
    shut = False
    for y, x, tile in cells:
        shut |= builder.blocks(tile) and builder.disconnects((y, x))
        builder.put((y, x), tile)
    if shut and builder.number_of_regions() > LevelBuilder(builder.context, before).number_of_regions():
        builder.grid[:] = before
        builder.invalidate()
        return False
    return True


def _is_image(image: Grid, grid: Grid) -> bool:
    """Return True for a level itself and its mirror images."""
    return any(np.array_equal(image, one) for one in mirrored([grid], "all"))
