"""Habits of things in a game's own levels, which drafts are held to: pellets beside pellets, the exit on the right.

What the judge of levels counts as a habit (`pcg.evaluators.judging.level_habits`, and what things have in a clear line:
`level_sights`) tells where a thing may be put, and which things of a draft have to be moved.
"""

from __future__ import annotations

from dataclasses import dataclass

from pcg.engine.lazy import cached_property
from pcg.evaluators.judging.level_features import LevelView
from pcg.evaluators.judging.level_habits import Habits, HabitTable, standing
from pcg.evaluators.judging.level_sights import Sights
from pcg.evaluators.level_grid import Grid, Mask
from pcg.generators.levels.context import LevelContext

CHANCE = 0.05
"""Chance below which a sight is kept to in drafts: what is no fault may still be as it always is in the game."""


@dataclass(frozen=True)
class ThingHabits:
    """Habits of the things of a game, which its drafts are held to.

    Args:
        context: of a game with levels of its own.
    """

    context: LevelContext

    def _view(self, grid: Grid) -> LevelView:
        return LevelView(self.context.text.level(grid))

    @cached_property
    def _known(self) -> HabitTable:
        levels = [standing(self._view(grid)) for grid in self.context.examples]
        return HabitTable(*Habits(levels, len(self.context.palette.tiles)).known(range(len(levels))))

    @cached_property
    def _sights(self) -> Sights:
        return Sights([self._view(grid) for grid in self.context.examples], CHANCE)

    def may_stand(self, grid: Grid, tile: int) -> Mask:
        """Return the cells in which a thing would break no habit; all for a thing without any."""
        return ~self._broken(grid, tile)

    def strays(self, grid: Grid) -> Mask:
        """Return the cells of things that stand otherwise than all of their kind do in the game's levels."""
        return self._broken(grid)

    def _broken(self, grid: Grid, tile: int | None = None) -> Mask:
        view = self._view(grid)
        return self._known.broken(view, tile) | self._sights.broken(view, self._sights.every(), tile)
