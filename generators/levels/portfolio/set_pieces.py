"""Set pieces: things that stand in the same order in all of a game's levels, with all that is the same around them.

The ghosts of a maze wait side by side in a pen, four belts meet at one machine: a designer draws such a thing once and
copies it from level to level. Drafts that are put together from parts, and things placed one by one, tear it apart. So
drafts get it whole, at a place where one of the game's levels has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from pcg.engine.lazy import cached_property
from pcg.evaluators.level_grid import Grid, Mask
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.level_builder import LevelBuilder

LEVELS = 3
"""Fewest levels of a game that show what always stands together."""
NEAR = 2
"""Most rows and columns from one thing of a set piece to the next."""
SIDES = (((1, 0), (0, 0)), ((0, 1), (0, 0)), ((0, 0), (1, 0)), ((0, 0), (0, 1)))
"""Rows and columns by which a block grows at its first cell and at its last one, side by side."""
LARGEST = 0.4
"""Largest set piece, as a share of the cells of the smallest level: what is larger is the board itself."""


@dataclass(frozen=True)
class SetPiece:
    """Things in their order, and the cells around them that are the same in all levels of a game."""

    tiles: tuple[int, ...]
    """The things; each level of the game has one of each."""
    block: Grid
    """The piece, shape (rows, columns)."""
    places: tuple[tuple[float, float], ...]
    """Row and column of its first cell in the game's levels, as shares of those that it could be in."""

    def found(self, grid: Grid) -> tuple[int, int] | None:
        """Return the first cell of the piece where a level has it whole, None where it has not."""
        height, width = self.block.shape
        y, x = np.argwhere(self.block == self.tiles[0])[0].tolist()
        for row, column in np.argwhere(grid == self.tiles[0]).tolist():
            top, left = row - y, column - x
            if top >= 0 and left >= 0 and np.array_equal(grid[top : top + height, left : left + width], self.block):
                return top, left
        return None


@dataclass(frozen=True)
class SetPieces:
    """The set pieces of a game.

    Args:
        context: of a game.
    """

    context: LevelContext

    @cached_property
    def pieces(self) -> tuple[SetPiece, ...]:
        """The set pieces; none where the game has fewer than three different levels."""
        levels = [
            grid for k, grid in enumerate(self.context.examples)
            if not any(np.array_equal(grid, other) for other in self.context.examples[:k])
        ]  # fmt: skip
        if len(levels) < LEVELS:
            return ()
        found = (self._piece(levels, tiles) for tiles in self._groups(levels))
        return tuple(piece for piece in found if piece is not None)

    def _groups(self, levels: Sequence[Grid]) -> list[list[int]]:
        """Return the things that stand near each other in the same order in all levels, which have one of each."""
        things = sorted({*self.context.objects, *self.context.palette.avatars})
        single = [tile for tile in things if all(np.count_nonzero(grid == tile) == 1 for grid in levels)]
        places = {tile: np.array([np.argwhere(grid == tile)[0] for grid in levels]) for tile in single}
        together: nx.Graph[int] = nx.Graph()
        for k, one in enumerate(single):
            for other in single[:k]:
                apart = places[one] - places[other]
                if (apart == apart[0]).all() and np.abs(apart[0]).max() <= NEAR:
                    together.add_edge(one, other)
        return [sorted(group) for group in nx.connected_components(together)]

    def _piece(self, levels: Sequence[Grid], tiles: Sequence[int]) -> SetPiece | None:
        """Return the largest block of cells around some things that is the same in all levels; None for a board."""
        cells = [np.argwhere(np.isin(grid, tiles)) for grid in levels]
        first = np.array([found.min(axis=0) for found in cells], np.int64)
        last = np.array([found.max(axis=0) + 1 for found in cells], np.int64)
        if len({block.tobytes() for block in _blocks(levels, first, last)}) > 1:
            return None  # something else stands between them here and there
        grown = True
        while grown:
            grown = False
            for before, after in SIDES:
                top, bottom = first - np.array(before, np.int64), last + np.array(after, np.int64)
                inside = (top >= 0).all() and all((b <= g.shape).all() for b, g in zip(bottom, levels, strict=True))
                if inside and len({block.tobytes() for block in _blocks(levels, top, bottom)}) == 1:
                    first, last, grown = top, bottom, True
        block = _blocks(levels, first, last)[0].copy()
        if block.size > LARGEST * min(grid.size for grid in levels):
            return None
        room = [np.maximum(1, np.array(grid.shape) - block.shape) for grid in levels]
        places = {tuple((start / free).tolist()) for start, free in zip(first, room, strict=True)}
        return SetPiece(tuple(tiles), block, tuple(sorted(places)))

    def place(self, builder: LevelBuilder, rng: np.random.Generator) -> None:
        """Put the set pieces that a level has not whole where one of the game's levels has them."""
        for piece in self.pieces:
            grid, room = builder.grid, np.array(builder.grid.shape) - piece.block.shape
            if (room < 0).any() or piece.found(grid) is not None:
                continue
            for y, x in np.argwhere(np.isin(grid, piece.tiles)).tolist():
                builder.clear((y, x))
            at = np.array(piece.places[int(rng.integers(len(piece.places)))])
            y, x = np.round(at * room).astype(int).tolist()
            grid[y : y + piece.block.shape[0], x : x + piece.block.shape[1]] = piece.block
            builder.invalidate()

    def cells(self, grid: Grid) -> Mask:
        """Return the cells of the set pieces of a level, shape (height, width)."""
        mask = np.zeros(grid.shape, bool)
        for piece in self.pieces:
            if (at := piece.found(grid)) is not None:
                mask[at[0] : at[0] + piece.block.shape[0], at[1] : at[1] + piece.block.shape[1]] = True
        return mask


def _blocks(levels: Sequence[Grid], first: NDArray[np.int64], last: NDArray[np.int64]) -> list[Grid]:
    """Return a block of cells of each level, from its first cell to before its last one."""
    return [
        grid[top:bottom, left:right]
        for grid, (top, left), (bottom, right) in zip(levels, first.tolist(), last.tolist(), strict=True)
    ]
