"""Lessons: levels with only some of the kinds of objects of a game, and fewer of each.

A course needs levels in which something new stands alone, or among what is known. They are made from levels that are
good as they are, by taking away whole kinds of things that the rules can do without.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pcg.engine.lazy import cached_property
from pcg.evaluators.level_grid import Grid
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.curriculum import Curriculum, Kinds
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.repair.by_rules import repair

FEWEST = 0.3
"""Least share of the objects of a kind that stay, if the kind is not removed altogether."""
FEWEST_HARMFUL = 0.1
"""The same for kinds that harm, or bring forth others."""
DANGEROUS = frozenset({"harmful", "spawner"})
"""Roles of these."""
THINNED = DANGEROUS | {"collectable", "goal", "pushable", "breakable"}
"""Roles of kinds of which there may be fewer; of others, such as ladders, each may be needed where it is."""
ALONE, NEXT = 0.3, 0.6
"""Shares of lessons in which one step of the curriculum is alone, and in which it is with those before it; in others it
is with some of all."""


class Lessons:
    """Maker of the lessons of a game, which learns what its levels cannot do without.

    Args:
        context: of the game.
    """

    def __init__(self, context: LevelContext) -> None:
        self.context = context
        """Of the game."""
        self._lacking: dict[int, list[int]] = {}
        """Step of the curriculum -> lessons that lack it, and those of them that somebody wins."""

    @cached_property
    def curriculum(self) -> Curriculum:
        """Kinds of objects in the order in which lessons introduce them."""
        return Curriculum(self.context)

    def take(self, level: str, feasible: bool) -> None:
        """Take the verdict on a lesson into account."""
        kinds = self.curriculum.kinds_in(self.context.palette.parse(level))
        for k, step in enumerate(self.curriculum.steps):
            if step.isdisjoint(kinds):
                record = self._lacking.setdefault(k, [0, 0])
                record[0] += 1
                record[1] += feasible

    def dispensable(self, step: Kinds) -> float:
        """Return how likely a lesson without a step's kinds is won by somebody, in (0, 1]."""
        tried, won = self._lacking.get(self.curriculum.steps.index(step), (0, 0))
        return (won + 1.0) / (tried + 1.0)

    def state(self) -> list[list[int]]:
        """Return what was learnt, as JSON."""
        return [[k, *record] for k, record in self._lacking.items()]

    def load_state(self, state: Sequence[Sequence[int]]) -> None:
        """Go on from what `state` returned."""
        self._lacking = {int(k): [int(tried), int(won)] for k, tried, won in state}

    def draw(self, grid: Grid, rng: np.random.Generator) -> Grid:
        """Return a level without some kinds of objects, and with fewer of others.

        Args:
            grid: a level; it stays as it is.
            rng: draws.
        """
        context = self.context
        builder = LevelBuilder(context, grid.copy())
        self._leave_out(builder, rng)
        filler = context.filler
        if filler is not None and any(context.analysis.has(c, "goal") for c in context.palette.tiles[filler].content):
            _thin(builder, filler, rng.random(), rng)
        for tile in self._objects(builder):
            roles = {role for kind in self.curriculum.of_tile(tile) for role in context.analysis.roles[kind]}
            if roles & THINNED:
                _thin(builder, tile, rng.uniform(FEWEST_HARMFUL if roles & DANGEROUS else FEWEST, 1.0), rng)
        repair(builder, rng)
        return builder.grid

    def _objects(self, builder: LevelBuilder) -> list[int]:
        """Return the tiles of objects in a level, but for its filler."""
        objects, filler = self.context.objects, self.context.filler
        return [tile for tile in np.unique(builder.grid).tolist() if tile in objects and tile != filler]

    def _leave_out(self, builder: LevelBuilder, rng: np.random.Generator) -> None:
        """Remove the kinds of objects that a lesson is not about and that the rules can do without."""
        curriculum, palette, required = self.curriculum, self.context.palette, self.context.requirements
        present = curriculum.kinds_in(builder.grid)
        steps = [step for step in curriculum.steps if not step.isdisjoint(present)]
        if not steps:
            return
        wanted = self._wanted(steps, rng)
        for step in steps:  # what means nothing alone is in company
            company = curriculum.company.get(min(step), frozenset()) & present
            if step <= wanted and company and not company & wanted:
                wanted |= next(other for other in steps if other & company)
        removable = self._objects(builder)
        for step in reversed(steps):
            if step & wanted or rng.random() >= self.dispensable(step):
                continue
            gone = np.isin(builder.grid, [tile for tile in removable if curriculum.of_tile(tile) & step])
            before = required.satisfaction(palette.count_types(builder.grid))
            if required.satisfaction(palette.count_types(builder.grid[~gone])) >= before:
                _remove(builder, np.argwhere(gone).tolist())

    def _wanted(self, steps: Sequence[Kinds], rng: np.random.Generator) -> Kinds:
        """Return the kinds of objects that a lesson is about, of the steps in a level; rare ones come as often as
        others.
        """
        rarity = np.array([1.0, *(1.0 / self.curriculum.share(step) for step in steps)])
        newest = int(rng.choice(len(steps) + 1, p=rarity / rarity.sum()))
        manner, others = rng.random(), rng.random(len(steps)) < 0.5
        if not newest:
            return frozenset()
        with_it = [
            step for k, step in enumerate(steps)
            if k == newest - 1 or (manner >= ALONE and (k < newest - 1 if manner < ALONE + NEXT else others[k]))
        ]  # fmt: skip
        return frozenset[int]().union(*with_it)


def _thin(builder: LevelBuilder, tile: int, share: float, rng: np.random.Generator) -> None:
    """Remove all but a share of a tile's cells, and at least one of them."""
    cells = np.argwhere(builder.grid == tile).tolist()
    _remove(builder, [cells[k] for k in rng.permutation(len(cells)).tolist()[max(1, round(len(cells) * share)) :]])


def _remove(builder: LevelBuilder, cells: list[list[int]]) -> None:
    for y, x in cells:
        builder.remove((y, x))
