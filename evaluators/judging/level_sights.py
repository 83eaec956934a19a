"""Sights: what the things of a kind always have in a clear line, in their row or column with no wall between.

A bay lies in line with an arrow that can send crates to it. As with other habits (`level_habits`) only what chance
would have broken counts: where few cells have such a thing in line, or the things are many.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pcg.engine.kernel.runtime import invoke6
from pcg.engine.lazy import cached_property
from pcg.evaluators.judging.level_features import BARE, LevelView
from pcg.evaluators.judging.level_habits import MOST, BrokenHabit
from pcg.evaluators.kernel import level_sights as kernel
from pcg.evaluators.level_grid import Mask, Palette

Counts = NDArray[np.int64]
CHANCE = 0.0003
"""Chance, if things stood anywhere, below which it is a sight: there are many pairs of kinds to look at."""
FEWEST = 3
"""Levels from which on a game has sights: two levels have much in common that is none."""


@dataclass(frozen=True)
class Kinds:
    """Kinds of things: each tile with something on it, and each branch of the sprite tree that several of them are of.

    Args:
        names: of the kinds.
        tiles: which tiles are of each kind, shape (kinds, tiles).
        walls: tiles that block the view, shape (tiles,).
    """

    names: tuple[str, ...]
    tiles: Mask
    walls: Mask

    @classmethod
    def of(cls, palette: Palette) -> Kinds:
        """Return the kinds of a game."""
        analysis, types = palette.analysis, palette.analysis.definition.types
        holding = [k for k, tile in enumerate(palette.tiles) if tile.content]
        things = [k for k in holding if k not in palette.walls]
        branches: dict[int, set[int]] = {}
        for k in things:
            for content in palette.tiles[k].content:
                for branch in types[content].path:
                    branches.setdefault(branch, set()).add(k)
        found = {frozenset((k,)): "+".join(analysis.names(palette.tiles[k].content)) for k in things}
        for branch, tiles in sorted(branches.items()):
            if 1 < len(tiles) < len(things):
                found.setdefault(frozenset(tiles), types[branch].name)
        masks = [palette.lookup(tiles) for tiles in found]
        tiles_of = np.array(masks, bool).reshape(len(masks), len(palette.tiles))
        return cls(tuple(found.values()), tiles_of, palette.lookup(palette.walls))


class Sight:
    """Things that the things of one level have in a clear line.

    Args:
        view: of the level.
        kinds: of its game.
        seen: kinds that are looked for; None for all.
    """

    def __init__(self, view: LevelView, kinds: Kinds, seen: Sequence[int] | None = None) -> None:
        self._grid, self._walls = view.grid, kinds.walls[view.grid]
        things = ~kinds.walls & ((view.tile_kinds != BARE) | view.tables.palette.is_avatar)  # what fills it is ground
        self.members: Mask = kinds.tiles & things
        """Tiles of each kind that are things in this level, shape (kinds, tiles)."""
        self._numbers = np.bincount(view.grid.ravel(), minlength=len(things))
        looked_for = kinds.tiles if seen is None else kinds.tiles[seen]
        targets = (looked_for & things)[:, view.grid]
        self.seen: Mask = clear_lines(targets, self._walls)
        """Cells with something of each kind that is looked for in a clear line, shape (kinds, height, width)."""

    @cached_property
    def usual(self) -> NDArray[np.float64]:
        """Share of the cells without a wall that have each kind in a clear line, shape (kinds,)."""
        found: NDArray[np.float64] = self.seen[:, ~self._walls].sum(axis=1) / max(1, int((~self._walls).sum()))
        return found

    @cached_property
    def asked(self) -> Counts:
        """Things of each kind, shape (kinds,)."""
        return self.members.astype(np.int64) @ self._numbers

    @cached_property
    def had(self) -> Counts:
        """Things of each kind that have each kind in a clear line, shape (kinds, kinds)."""
        counts = [np.bincount(self._grid[one], minlength=len(self._numbers)) for one in self.seen]
        return self.members.astype(np.int64) @ np.array(counts, np.int64).reshape(-1, len(self._numbers)).T


def clear_lines(targets: Mask, walls: Mask) -> Mask:
    """Return the cells with a target in their row or column and no wall between.

    Args:
        targets: cells of several targets, shape (targets, height, width).
        walls: cells that block the view, shape (height, width).

    Returns:
        Cells for each target, shape (targets, height, width); a target does not see itself.
    """
    found = np.zeros(targets.shape, np.int8)
    arrays = (np.ascontiguousarray(targets), np.ascontiguousarray(walls), found)
    invoke6(kernel.clear_lines.address, *(array.ctypes.data for array in arrays), *targets.shape)
    return found.astype(bool)


class Sights:
    """Sights that the things of a game always have in its levels.

    Args:
        levels: views of them.
        chance: that things which stand anywhere have it, below which it counts.
    """

    def __init__(self, levels: Sequence[LevelView], chance: float = CHANCE) -> None:
        self._chance = chance
        self._levels: list[Sight] = []
        self._known: dict[tuple[int, ...], Mask] = {}
        if len(levels) >= FEWEST:
            self.kinds = Kinds.of(levels[0].tables.palette)
            self._levels = [Sight(view, self.kinds) for view in levels]

    @cached_property
    def _apart(self) -> Mask:
        """Pairs of kinds that have no tile in common, shape (kinds, kinds)."""
        tiles = self.kinds.tiles.astype(np.int64)
        found: Mask = tiles @ tiles.T == 0
        return found

    def known(self, others: Sequence[int]) -> Mask:
        """Return which kinds always have which in a clear line, shape (kinds, kinds).

        Args:
            others: indices of the levels that count; a habit is one of at least two of them.
        """
        at = tuple(others)
        if at not in self._known:
            levels = [self._levels[k] for k in at]
            asked, had = (np.sum([getattr(one, name) for one in levels], axis=0) for name in ("asked", "had"))
            usual = np.clip(np.mean([one.usual for one in levels], axis=0), 0.02, 0.98)
            several = np.sum([one.asked > 0 for one in levels], axis=0) >= 2
            rare = asked[:, None] * np.log(usual)[None, :] < math.log(self._chance)
            self._known[at] = several[:, None] & (had == asked[:, None]) & rare & self._apart
        return self._known[at]

    def every(self) -> range:
        """Return the indices of all levels."""
        return range(len(self._levels))

    def broken(self, view: LevelView, others: Sequence[int], tile: int | None = None) -> Mask:
        """Return the cells of things that lack something in a clear line that those of their kind always have there,
        shape (height, width).

        Args:
            view: of a level.
            others: indices of the levels that it is compared with.
            tile: whose place every cell would be; None for the tile that is there.
        """
        found = np.zeros(view.grid.shape, bool)
        for _, lost in self._lost(view, others, tile):
            found |= lost
        return found

    def _lost(self, view: LevelView, others: Sequence[int], tile: int | None = None) -> Iterator[tuple[int, Mask]]:
        """Yield each kind that things of some kind always have in a clear line, and the cells of those that lack it."""
        if len(others) < 2 or not self._levels:
            return
        known = self.known(others)
        if tile is not None:
            known = known & self.kinds.tiles[:, tile, None]
        pairs = np.argwhere(known).tolist()
        if not pairs:
            return
        wanted = sorted({other for _, other in pairs})
        sight = Sight(view, self.kinds, wanted)
        seen = dict(zip(wanted, sight.seen, strict=True))
        for kind, other in pairs:
            here = sight.members[kind][view.grid] if tile is None else True
            yield other, ~seen[other] & here

    def faults(self, view: LevelView, others: Sequence[int]) -> int:
        """Return the number of things that lack a sight, at most `MOST` of each tile."""
        lost = self.broken(view, others)
        return int(np.minimum(MOST, np.bincount(view.grid[lost])).sum())

    def worst(self, view: LevelView, others: Sequence[int]) -> BrokenHabit | None:
        """Return the sight that most things of one tile lack; None where none is lacking."""
        found = []
        for other, lost in self._lost(view, others):
            numbers = np.bincount(view.grid[lost], minlength=1)
            found.append((int(numbers.max()), -int(numbers.argmax()), -other))
        number, tile, other = max(found, default=(0, 0, 0))
        return BrokenHabit(-tile, number, f"{self.kinds.names[-other]} in a clear line", False) if number else None
