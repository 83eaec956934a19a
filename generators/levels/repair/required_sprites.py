"""Sprites that the rules require, put in at all costs: the last step of every generator.

`object_placement` puts things where they make sense and leaves out what finds no such place. Here the minimum number of
each needed sprite is seen to (reference/generators 12.3 adds goals up to the limit of their termination): first at
places that make sense, then at any free cell, then in the place of what the level can do without. A level is left short
only where the game has no tile for what is missing, or the level has fewer cells than its rules need sprites.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from pcg.evaluators.level_grid import Mask
from pcg.evaluators.requirements import CountRule, Need
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.object_placement import place_object

_ROUNDS = 6
"""Passes over all rules; what is put in for one may call for more of another."""


def add_required_sprites(builder: LevelBuilder, rng: np.random.Generator, locked: Mask | None = None) -> bool:
    """Bring the numbers of all sprites within what the requirements allow; tells whether they are now.

    Args:
        builder: with its avatar.
        rng: decides between places.
        locked: cells that must stay as they are, shape (height, width).
    """
    return _RequiredSprites(builder, rng, locked).meet()


class _RequiredSprites:
    """One level being brought in line."""

    def __init__(self, builder: LevelBuilder, rng: np.random.Generator, locked: Mask | None) -> None:
        self.builder, self.rng, self.locked = builder, rng, locked
        self.context, self.palette = builder.context, builder.palette
        self.required = self.context.requirements
        self.rules = self.required.counts[1:]  # the first is about avatars, which are not put in twice

    def meet(self) -> bool:
        for _ in range(_ROUNDS):
            if not self.required.shortfalls(self.numbers()):
                return True
            for rule in self.rules:
                self._keep(rule)
            for need in self.required.all_needs:
                self._supply(need)
        return not self.required.shortfalls(self.numbers())

    def numbers(self) -> dict[int, int]:
        return self.palette.count_types(self.builder.grid)

    def _keep(self, rule: CountRule) -> None:
        number = self._count(rule.types)
        while number < rule.minimum and self._put(rule.types):
            number = self._count(rule.types)
        while rule.maximum is not None and number > rule.maximum and self._take(rule.types):
            number = self._count(rule.types)

    def _supply(self, need: Need) -> None:
        missing = math.inf
        while True:
            numbers = self.numbers()
            base, other = numbers.get(need.base, 0), numbers.get(need.other, 0)
            before, missing = missing, need.wanted(base) - other
            if missing <= 0 or missing >= before:  # where a tile brings both along, one more calls for one more
                return
            if self._put((need.other,)):
                continue
            # No room for another key: then one door less, as long as the game does without it.
            least = max((r.minimum for r in self.rules if need.base in r.types), default=0)
            if base <= least or not self._take((need.base,)):
                return

    def _count(self, types: Iterable[int]) -> int:
        numbers = self.numbers()
        return sum(numbers.get(t, 0) for t in types)

    # -- moves ---------------------------------------------------------------------------------------------------------

    def _put(self, types: Sequence[int]) -> bool:
        """One more sprite of one of the types; False when there is no tile or no room for it."""
        tiles = self._tiles(types)
        if not tiles:
            return False
        objects = [t for t in tiles if t in self.context.objects]
        choices = objects or tiles
        weights = np.ones(len(choices))
        if self.context.statistics is not None:
            weights += 100 * self.context.statistics.share[choices]
        tile = choices[int(self.rng.choice(len(choices), p=weights / weights.sum()))]
        before = self._count(types)
        placed = self.locked is None and tile in self.context.objects and place_object(self.builder, self.rng, tile)
        if placed and self._count(types) > before:
            return True
        cell = self._room(tile)
        if cell is None:
            return False
        self.builder.put(cell, tile)
        return self._count(types) > before

    def _take(self, types: Sequence[int]) -> bool:
        """One sprite of the types less, if one can go."""
        tiles = self._tiles(types)
        cells = np.argwhere(np.isin(self.builder.grid, tiles) & self._changeable()).tolist()
        if not cells:
            return False
        y, x = cells[int(self.rng.integers(len(cells)))]
        before = self._count(types)
        self.builder.clear((y, x))
        if self._count(types) >= before:  # it is what stands under everything else here
            self.builder.put((y, x), self.palette.empty)
        return self._count(types) < before

    def _tiles(self, types: Iterable[int]) -> list[int]:
        """The tiles that create one of the types, without those that bring an avatar along."""
        found = dict.fromkeys(i for t in types for i in self.palette.by_type.get(t, ()))
        return [i for i in found if not self._brings_avatar(i)]

    def _brings_avatar(self, tile: int) -> bool:
        return any(t in self.context.analysis.avatars for t in self.palette.tiles[tile].types)

    def _changeable(self) -> Mask:
        """Cells that may be changed: inside the frame, not locked, without the avatar."""
        builder = self.builder
        top, left, bottom, right = builder.inside()
        mask = np.zeros(builder.grid.shape, bool)
        mask[top:bottom, left:right] = True
        if self.locked is not None:
            mask &= ~self.locked
        with_avatar = [i for i in range(len(self.palette.tiles)) if self._brings_avatar(i)]
        mask &= ~np.isin(builder.grid, with_avatar)
        return mask

    def _room(self, tile: int) -> tuple[int, int] | None:
        """A cell for a tile that found no good place: free, else with something the level can do without."""
        builder = self.builder
        changeable = self._changeable()
        free = changeable & builder.free()
        blocks = builder.blocks(tile)
        steps = builder.distances()
        if (free & (steps >= 0)).any():
            free &= steps >= 0
        cells = [(y, x) for y, x in np.argwhere(free).tolist()]
        order: list[tuple[int, int]] = [cells[i] for i in self.rng.permutation(len(cells)).tolist()]
        for cell in order:
            if not (blocks and builder.disconnects(cell)):
                return cell
        if order:
            return order[0]
        for mask in (np.isin(builder.grid, self._spare()), np.isin(builder.grid, self.context.walls)):
            beside = mask & changeable & _beside(steps >= 0)
            there = np.argwhere(beside if beside.any() else mask & changeable)
            if len(there):
                y, x = there[int(self.rng.integers(len(there)))].tolist()
                return y, x
        return None

    def _spare(self) -> list[int]:
        """Tiles that no rule or need speaks of, and that are no walls."""
        named = {t for rule in self.required.counts for t in rule.types}
        named |= {t for need in self.required.all_needs for t in (need.base, need.other)}
        tiles = self.palette.tiles
        return [i for i in range(len(tiles)) if i not in self.context.walls and not named.intersection(tiles[i].types)]


def _beside(mask: Mask) -> Mask:
    """Cells that share a side with one of `mask`."""
    padded = np.pad(mask, 1)
    return padded[:-2, 1:-1] | padded[2:, 1:-1] | padded[1:-1, :-2] | padded[1:-1, 2:]
