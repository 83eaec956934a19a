"""Counterparts: kinds of things of which a game's levels have equal numbers, such as keys and doors.

What goes with what need not be written in the rules: where every level has as many portals out as in, a level with one
more has one that leads nowhere. As with other habits (`level_habits`) only what chance would have broken counts:
numbers that differ from level to level and are equal in each. For what opens gates, and these, less is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from pcg.engine.lazy import cached_property
from pcg.evaluators.judging.level_features import LevelView
from pcg.evaluators.judging.level_habits import MOST, BrokenHabit
from pcg.evaluators.judging.level_sights import FEWEST, Kinds
from pcg.evaluators.level_grid import GATE, Mask, Palette
from pcg.evaluators.requirements import Requirements

Counts = NDArray[np.int64]
CHANCE = 0.0003
"""Chance, if numbers were drawn one by one, below which kinds are counterparts: there are many pairs of them."""
KEY_CHANCE = 0.05
"""The same for gates and what opens them."""


def gate_openers(palette: Palette, required: Requirements) -> Mapping[int, frozenset[int]]:
    """Return, by tile of a gate, the tiles of what opens it; none for gates that nothing in a level opens."""
    found: dict[int, set[int]] = {}
    for need in required.all_needs:
        for gate in palette.by_type.get(need.base, ()):
            if palette.access[gate] == GATE:
                found.setdefault(gate, set()).update(palette.by_type.get(need.other, ()))
    return {gate: frozenset(keys) for gate, keys in found.items() if keys}


class Counterparts:
    """Kinds of things whose numbers are equal in the levels of a game.

    Args:
        levels: views of them.
        chance: that numbers which are drawn one by one are as equal, below which they are counterparts.
    """

    def __init__(self, levels: Sequence[LevelView], chance: float = CHANCE) -> None:
        self._chance = chance
        self._number = len(levels) if len(levels) >= FEWEST else 0
        self._known: dict[tuple[int, ...], list[tuple[int, int]]] = {}
        if self._number:
            tables = levels[0].tables
            self.kinds = Kinds.of(tables.palette)
            self._openers = gate_openers(tables.palette, tables.required)
            self._levels = np.array([self._numbers(view.level.tile_counts) for view in levels])

    def _numbers(self, tiles: Counts) -> Counts:
        """Return the number of things of each kind, shape (kinds,), by those of each tile."""
        found: Counts = self.kinds.tiles.astype(np.int64) @ tiles
        return found

    @cached_property
    def _chances(self) -> NDArray[np.float64]:
        """Chance below which two kinds with equal numbers are counterparts, shape (kinds, kinds); 0 for kinds with a
        tile in common.
        """
        tiles = self.kinds.tiles
        chances = np.where(tiles.astype(np.int64) @ tiles.T.astype(np.int64) == 0, self._chance, 0.0)
        for k, gates in enumerate(tiles):
            opening = [one.any() and self._opens(one, gates) for one in tiles]
            chances[k, opening] = chances[opening, k] = KEY_CHANCE
        return chances

    def _opens(self, things: Mask, gates: Mask) -> bool:
        """Tell whether each tile of one kind opens a gate of another, and all of that are gates."""
        openers = [self._openers.get(tile, frozenset()) for tile in np.flatnonzero(gates).tolist()]
        return all(openers) and set(np.flatnonzero(things).tolist()) <= frozenset().union(*openers)

    def known(self, others: Sequence[int]) -> list[tuple[int, int]]:
        """Return the pairs of kinds, as indices into `kinds`, of which some levels have equal numbers.

        Args:
            others: indices of the levels that count; at least `FEWEST` of them have things of the kinds.
        """
        at = tuple(others)
        if at not in self._known:
            numbers = self._levels[others]
            several = (numbers > 0).sum(axis=0) >= FEWEST
            differ = (numbers != numbers[0]).any(axis=0)
            mean = np.maximum(numbers.mean(axis=0), 1e-9)
            likely = (xlogy(numbers, mean) - gammaln(numbers + 1) - mean).sum(axis=0)  # of Poisson's distribution
            equal = (numbers[:, :, None] == numbers[:, None]).all(axis=0) & several & differ
            rare = likely < np.log(np.maximum(self._chances, 1e-300))
            self._known[at] = [(one, other) for one, other in np.argwhere(np.triu(equal & rare, 1)).tolist()]
        return self._known[at]

    def every(self) -> range:
        """Return the indices of all levels."""
        return range(self._number)

    def broken(self, tiles: Counts, others: Sequence[int]) -> Iterator[tuple[int, int, int]]:
        """Yield each kind that a level has more of than of one that it goes with, that kind, and how many more.

        Args:
            tiles: number of each tile in the level, shape (tiles,).
            others: indices of the levels that it is compared with.
        """
        if len(others) < FEWEST or not self._number or not self.known(others):
            return
        numbers = self._numbers(tiles)
        for one, other in self.known(others):
            more = int(numbers[one] - numbers[other])
            if more:
                yield (one, other, more) if more > 0 else (other, one, -more)

    def faults(self, tiles: Counts, others: Sequence[int]) -> int:
        """Return `MOST` where something has no counterpart, else 0: one key too many is as wrong as three, and it may
        be one too many of all keys and of those of its colour.
        """
        return MOST if any(self.broken(tiles, others)) else 0

    def worst(self, tiles: Counts, others: Sequence[int]) -> BrokenHabit | None:
        """Return the kind of which most things have no counterpart; None where all have one."""
        found = [(more, -kind, -other) for kind, other, more in self.broken(tiles, others)]
        more, kind, other = max(found, default=(0, 0, 0))
        if not more:
            return None
        tile = int(np.where(self.kinds.tiles[-kind], tiles, -1).argmax())
        return BrokenHabit(tile, more, f"{self.kinds.names[-other]} of its own", False)
