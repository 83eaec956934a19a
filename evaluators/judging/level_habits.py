"""Habits of things: how all those of a kind stand in the levels of a game, and what stands otherwise in another.

Flowers stand on soil, pellets lie beside pellets, the exit is on the right: where every thing of a kind does so in
levels of a game, one that hangs in the air is a fault to whoever knows the game, however usual its number and place
are. It is a habit only where chance would have broken it: where few cells are such, or the things are many. A frame of
one tile all around is a habit too: a door in it leads nowhere. So is a gate that bars a way: one that can be walked
around asks for no key.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pcg.engine.kernel.runtime import invoke6
from pcg.engine.lazy import cached_property
from pcg.evaluators.barriers import count_gates
from pcg.evaluators.judging.level_features import BARE, SOLID, THING, LevelView
from pcg.evaluators.kernel import level_standings
from pcg.evaluators.level_grid import Mask

Counts = NDArray[np.int64]
Cell = TypeVar("Cell", bound=np.generic)
STANDINGS: tuple[tuple[str, bool], ...] = (
    ("bare ground below", True), ("bare ground above", True), ("bare ground on a side", True),
    ("bare ground on both sides", True), ("a wall below", True), ("a wall above", True), ("a wall on a side", True),
    ("one of its kind beside it", False), ("a place at the edge", False), ("a place on the left", False),
    ("a place on the right", False), ("a place at the top", False), ("a place at the bottom", False),
)  # fmt: skip
"""Standings of a thing, and whether never having one is a habit too."""
NUMBER = len(STANDINGS)
IN_FRAME = "a place in the frame"
BARRING = "a way that it bars"
MOSTLY = 0.75
"""Share of the gates of a kind that bar a way from which on it is a habit: people place a short cut now and then."""
CHANCE = 0.01
"""Chance, if things stood anywhere, below which what all of a kind have in common is a habit."""
MOST = 3
"""Things of a kind that break a habit from which on more count no more."""
_BITS = 1 << np.arange(NUMBER, dtype=np.int64)
_NEVER = np.array([never for _, never in STANDINGS])
_SIDE, _BOTH, _KIN = 2, 3, 7


@dataclass(frozen=True, slots=True)
class Standing:
    """Standing of the things of one level."""

    asked: Counts
    """Things of each tile that can have it: below the lowest row there is nothing; shape (tiles, standings)."""
    had: Counts
    """Those of them that have it, shape (tiles, standings)."""
    edge: Counts
    """Cells of each tile at the edge of the level, shape (tiles,)."""
    usual: NDArray[np.float64]
    """Share of the cells that have it (of things, for one of its kind), shape (standings,), in [0, 1]."""
    gates: Counts
    """Gates of each tile, and those of them that bar a way, shape (2, tiles)."""


def standing(view: LevelView) -> Standing:
    """Return how the things of a level and its avatar stand; walls and grounds stand as they do."""
    grid, tiles = view.grid, len(view.tile_kinds)
    things = standing_tiles(view)[grid]
    had, asked = standings(view)
    usual = (had & asked).sum(axis=(1, 2)) / np.maximum(1, asked.sum(axis=(1, 2)))
    usual[_KIN] = had[_KIN][things].mean() if things.any() else 0.0
    of_tile = (grid[things][None] == np.arange(tiles)[:, None]).astype(np.int64)
    counted = asked[:, things]
    edge = np.bincount(grid[view.edge], minlength=tiles)
    gates = np.array(count_gates(view.tables.palette, grid), np.int64)
    return Standing(of_tile @ counted.T, of_tile @ (counted & had[:, things]).T, edge, usual, gates)


def standing_tiles(view: LevelView) -> Mask:
    """Return the tiles that may have habits, things and avatars, shape (tiles,)."""
    found: Mask = (view.tile_kinds == THING) | view.tables.palette.is_avatar
    return found


def standings(view: LevelView) -> tuple[Mask, Mask]:
    """Return which cells have each of `STANDINGS`, and which can have it, shape (standings, height, width) each."""
    grid, tiles = view.grid, len(view.tile_kinds)
    height, width = grid.shape
    around = np.full((height + 2, width + 2), tiles)  # beyond the edge there is a wall
    around[1:-1, 1:-1] = grid
    bare = np.append((view.tile_kinds == BARE) & ~view.tables.palette.is_avatar, False)[around]
    solid = np.append(view.tile_kinds == SOLID, True)[around]
    under, over, left, right = _beside(bare)
    wall, kin = _beside(solid), _beside(around)
    asked, thirds = _places(height, width)
    had = np.empty((NUMBER, height, width), bool)
    had[:_KIN] = under, over, left | right, left & right, wall[0], wall[1], wall[2] | wall[3]
    had[_KIN] = (kin[0] == grid) | (kin[1] == grid) | (kin[2] == grid) | (kin[3] == grid)
    had[_KIN + 1] = view.edge
    had[_KIN + 2 :] = thirds
    return had, asked


@lru_cache(maxsize=64)
def _places(height: int, width: int) -> tuple[Mask, Mask]:
    """Return which cells can have each of `STANDINGS`, and which are in each third of a board, for all boards alike."""
    asked = np.ones((NUMBER, height, width), bool)
    asked[0, -1] = asked[1, 0] = False
    asked[2:4, :, 0] = asked[2:4, :, -1] = False
    thirds = np.zeros((NUMBER - _KIN - 2, height, width), bool)
    thirds[0, :, : width // 3] = thirds[1, :, width - width // 3 :] = True
    thirds[2, : height // 3] = thirds[3, height - height // 3 :] = True
    asked.flags.writeable = thirds.flags.writeable = False
    return asked, thirds


@dataclass(frozen=True)
class HabitTable:
    """Habits of the things of each tile, to find what breaks them in one level after another.

    Args:
        never: what things of each tile never have, shape (tiles, standings).
        always: what they always have, shape (tiles, standings).
    """

    never: Mask
    always: Mask

    @cached_property
    def _bits(self) -> NDArray[np.int64]:
        """The same as `level_standings.mark_broken` has them, shape (tiles, 2)."""
        return np.stack([self.never @ _BITS, self.always @ _BITS], axis=1)

    def broken(self, view: LevelView, tile: int | None = None) -> Mask:
        """Return the cells of things that break a habit, shape (height, width).

        Args:
            view: of a level.
            tile: whose place every cell would be; None for the tile that is there.
        """
        tiles = len(view.tile_kinds)
        if not (self._bits if tile is None else self._bits[tile]).any():
            return np.zeros(view.grid.shape, bool)
        looks = np.full(tiles + 1, level_standings.SOLID, np.int8)  # beyond the edge there is a wall
        looks[:-1] *= view.tile_kinds == SOLID
        looks[:-1] |= level_standings.BARE * ((view.tile_kinds == BARE) & ~view.tables.palette.is_avatar)
        looks[:-1] |= level_standings.STANDS * standing_tiles(view)
        level, found = np.ascontiguousarray(view.grid, np.int16), np.empty(view.grid.shape, bool)
        sizes = np.array([*view.grid.shape, tiles], np.int64)
        arrays = level.ctypes.data, looks.ctypes.data, self._bits.ctypes.data
        placed = -1 if tile is None else tile
        invoke6(level_standings.mark_broken.address, *arrays, placed, found.ctypes.data, sizes.ctypes.data)
        return found


def _beside(padded: NDArray[Cell]) -> tuple[NDArray[Cell], ...]:
    """Return what is below, above, left and right of each cell of a grid with an edge around it."""
    return padded[2:, 1:-1], padded[:-2, 1:-1], padded[1:-1, :-2], padded[1:-1, 2:]


@dataclass(frozen=True, slots=True)
class BrokenHabit:
    """Things of one tile that stand as none of them does in other levels."""

    tile: int
    number: int
    standing: str
    """One of `STANDINGS`, `IN_FRAME` or `BARRING`."""
    has: bool
    """True where they have what the others never have, False where they lack what the others always have."""


class Habits:
    """Habits of the things of a game, by what those of a kind have in common in its levels.

    Args:
        levels: how things stand in each of them; none will do.
        tiles: number of tiles of the game.
    """

    def __init__(self, levels: Sequence[Standing], tiles: int) -> None:
        shape = (len(levels), tiles, NUMBER)
        self._asked = np.array([one.asked for one in levels], np.int64).reshape(shape)
        self._had = np.array([one.had for one in levels], np.int64).reshape(shape)
        self._edge = np.array([one.edge for one in levels], np.int64).reshape(len(levels), tiles)
        self._gates = np.array([one.gates for one in levels], np.int64).reshape(len(levels), 2, tiles)
        self._usual = np.array([one.usual for one in levels], np.float64).reshape(len(levels), NUMBER)

    def known(self, others: Sequence[int]) -> tuple[Mask, Mask]:
        """Return what things of each tile never have, and what they always have, shape (tiles, standings) each.

        Args:
            others: indices of the levels that count; a habit is one of at least two of them.
        """
        each = self._asked[others]
        asked, had = each.sum(axis=0), self._had[others].sum(axis=0)
        usual = np.clip(self._usual[others].mean(axis=0), 0.02, 0.98)
        several = (each > 0).sum(axis=0) >= 2
        never = several & (had == 0) & (asked * np.log1p(-usual) < math.log(CHANCE)) & _NEVER
        always = several & (had == asked) & (asked * np.log(usual) < math.log(CHANCE))
        never[:, _BOTH] &= ~never[:, _SIDE]  # said once
        always[:, _SIDE] &= ~always[:, _BOTH]
        return never, always

    def broken(self, level: Standing, others: Sequence[int]) -> Counts:
        """Return how many things of each tile break a habit, shape (2, tiles, standings): first by having what the
        others never have, then by lacking what they always have.

        Args:
            level: how things stand in it.
            others: indices of the levels that it is compared with.
        """
        never, always = self.known(others)
        return np.array([level.had * never, (level.asked - level.had) * always])

    def broken_frame(self, level: Standing, others: Sequence[int]) -> Counts:
        """Return how many of each tile stand in the frame where the frames of the others are of one other tile alone,
        shape (tiles,).
        """
        found = (self._edge[others] > 0).any(axis=0)
        if len(others) < 2 or found.sum() != 1:
            return np.zeros_like(level.edge)
        return np.where(found, 0, level.edge)

    def idle_gates(self, level: Standing, others: Sequence[int]) -> Counts:
        """Return how many gates of each tile bar no way where nearly all of those in the others do, shape (tiles,)."""
        if not level.gates.any():
            return np.zeros_like(level.edge)
        placed, barring = self._gates[others].sum(axis=0)
        habit = ((self._gates[others, 0] > 0).sum(axis=0) >= 2) & (barring >= MOSTLY * placed)
        return np.where(habit, level.gates[0] - level.gates[1], 0)

    def faults(self, level: Standing, others: Sequence[int]) -> float:
        """Return the number of things that break a habit, at most `MOST` for each habit.

        A frame that is broken counts as the most: of 387 levels that people made for games whose other levels have
        frames of one tile, seven have another tile there, most of these the goal. So do gates all of which are idle.
        """
        frame = MOST * bool(self.broken_frame(level, others).any())
        idle = self.idle_gates(level, others)
        gates = np.where(idle < level.gates[0], np.minimum(MOST, idle), MOST * (idle > 0)).sum()
        return float(np.minimum(MOST, self.broken(level, others)).sum() + gates) + frame

    def worst(self, level: Standing, others: Sequence[int]) -> BrokenHabit | None:
        """Return the habit that most things break; None where none is broken."""
        broken = self.broken(level, others)
        kind, tile, at = (int(k) for k in np.unravel_index(broken.argmax(), broken.shape))
        number = int(broken[kind, tile, at])
        for found, name, has in (
            (self.broken_frame(level, others), IN_FRAME, True),
            (self.idle_gates(level, others), BARRING, False),
        ):
            if found.any() and found.max() >= number:
                return BrokenHabit(int(found.argmax()), int(found.max()), name, has)
        return BrokenHabit(tile, number, STANDINGS[at][0], kind == 0) if number else None
