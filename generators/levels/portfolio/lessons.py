"""Lessons: levels with only some of the kinds of objects of a game, and fewer of each.

A course needs levels in which something new stands alone, or among what is known. They are made from levels that are
good as they are, by taking away whole kinds of things that the rules can do without.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pcg.engine.lazy import cached_property
from pcg.evaluators.level_grid import GATE, Grid
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.curriculum import Curriculum, Kinds
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.repair.by_rules import repair

FEWEST = 0.3
"""Least share of the objects of a kind that stay, if the kind is not removed altogether; where one step is alone, its
square."""
FEWEST_HARMFUL = 0.1
"""The same for kinds that harm, or bring forth others."""
DANGEROUS = frozenset({"harmful", "spawner"})
"""Roles of these."""
THINNED = DANGEROUS | {"collectable", "goal", "pushable", "breakable"}
"""Roles of kinds of which there may be fewer; of others, such as ladders, each may be needed where it is, and a river
with gaps is none."""
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
        self._ending: dict[int, int] = {}
        """Step -> lessons in which it comes last of those that some lesson lacks; -1 for lessons with none of these."""

    @cached_property
    def curriculum(self) -> Curriculum:
        """Kinds of objects in the order in which lessons introduce them."""
        return Curriculum(self.context)

    def take(self, level: str, feasible: bool) -> None:
        """Take the verdict on a lesson into account."""
        kinds = self.curriculum.kinds_in(self.context.palette.parse(level))
        there = [not step.isdisjoint(kinds) for step in self.curriculum.steps]
        for k in (k for k, found in enumerate(there) if not found):
            record = self._lacking.setdefault(k, [0, 0])
            record[0] += 1
            record[1] += feasible
        last = max((k for k, found in enumerate(there) if found and k in self._lacking), default=-1)
        self._ending[last] = self._ending.get(last, 0) + 1

    def dispensable(self, step: Kinds) -> float:
        """Return how likely a lesson without a step's kinds is won by somebody, in (0, 1]."""
        tried, won = self._lacking.get(self.curriculum.steps.index(step), (0, 0))
        return (won + 1.0) / (tried + 1.0)

    def state(self) -> list[list[list[int]]]:
        """Return what was learnt, as JSON."""
        return [[[k, *record] for k, record in self._lacking.items()], [[k, n] for k, n in self._ending.items()]]

    def load_state(self, state: Sequence[Sequence[Sequence[int]]]) -> None:
        """Go on from what `state` returned."""
        lacking, ending = state
        self._lacking = {int(k): [int(tried), int(won)] for k, tried, won in lacking}
        self._ending = {int(k): int(number) for k, number in ending}

    def draw(self, grid: Grid, rng: np.random.Generator) -> Grid:
        """Return a level without some kinds of objects, and with fewer of others.

        Args:
            grid: a level; it stays as it is.
            rng: draws.
        """
        context, roles = self.context, self.context.analysis.roles
        builder = LevelBuilder(context, grid.copy())
        alone = self._leave_out(builder, rng)
        filler = context.filler
        if filler is not None:
            content = frozenset(context.palette.tiles[filler].content)
            if any(context.analysis.has(kind, "goal") for kind in content):
                self._thin(builder, filler, content, rng.random(), rng)
        for tile in self._objects(builder):
            kinds = frozenset(
                kind for kind in self.curriculum.of_tile(tile) if roles[kind] & THINNED and "hazard" not in roles[kind]
            )
            if kinds:
                fewest = FEWEST_HARMFUL if any(roles[kind] & DANGEROUS for kind in kinds) else FEWEST
                share = rng.uniform(fewest, 1.0)
                self._thin(builder, tile, kinds, share * share if alone else share, rng)
        repair(builder, rng)
        return builder.grid

    def _objects(self, builder: LevelBuilder) -> list[int]:
        """Return the tiles of objects and traffic in a level, but for its filler."""
        traffic = {tile for lane in self.context.lanes for tile in lane.movers}
        objects = traffic.union(self.context.objects) - {self.context.filler}
        return [tile for tile in np.unique(builder.grid).tolist() if tile in objects]

    def _leave_out(self, builder: LevelBuilder, rng: np.random.Generator) -> bool:
        """Remove the kinds of objects that a lesson is not about and that the rules can do without; return True for one
        that is about a single step.
        """
        context, curriculum = self.context, self.curriculum
        palette, required = context.palette, context.requirements
        present = curriculum.kinds_in(builder.grid)
        steps = [step for step in curriculum.steps if not step.isdisjoint(present)]
        if not steps:
            return False
        wanted = self._wanted(steps, rng)
        alone = sum(step <= wanted for step in steps) == 1
        for step in steps:  # what means nothing alone is in company
            company = curriculum.company.get(min(step), frozenset()) & present
            if step <= wanted and company and not company & wanted:
                wanted |= next(other for other in steps if other & company)
        removable = self._objects(builder)
        for step in reversed(steps):
            if step & wanted or rng.random() >= self.dispensable(step):
                continue
            instead = {
                tile: self._instead(tile, step, wanted, removable)
                for tile in removable if curriculum.of_tile(tile) & step
            }  # fmt: skip
            left = builder.grid.copy()
            for tile, other in instead.items():
                left[builder.grid == tile] = context.background if other is None else other
            before = required.satisfaction(palette.count_types(builder.grid))
            if required.satisfaction(palette.count_types(left)) >= before:
                for tile, other in instead.items():
                    self._replace(builder, np.argwhere(builder.grid == tile), other)
        return alone

    def _instead(self, tile: int, step: Kinds, wanted: Kinds, among: Sequence[int]) -> int | None:
        """Return the tile that takes the place of one when its kinds go, None for the ground: other logs where a river
        would have none, and the tile itself where there are no others.
        """
        curriculum, access = self.curriculum, self.context.palette.access
        left = curriculum.without(tile, step)
        if left is None or access[tile] > GATE or access[left] <= GATE:
            return left
        bridges = [
            other for other in among
            if not curriculum.of_tile(other) & step and access[other] <= GATE
            and curriculum.without(other, curriculum.of_tile(other)) == left
        ]  # fmt: skip
        return min(bridges, key=lambda other: not curriculum.of_tile(other) & wanted, default=tile)

    def _replace(self, builder: LevelBuilder, cells: NDArray[np.int64], tile: int | None) -> None:
        """Put a tile in the place of others, in cells of shape (number, 2); None removes them."""
        for y, x in cells.tolist():
            if tile is None:
                builder.remove((y, x))
            else:
                builder.put((y, x), tile)

    def _thin(
        self, builder: LevelBuilder, tile: int, kinds: Kinds, share: float, rng: np.random.Generator
    ) -> None:  # fmt: skip
        """Remove some kinds from all but a share of a tile's cells, and at least one of them."""
        cells = rng.permutation(np.argwhere(builder.grid == tile))
        left = self.curriculum.without(tile, kinds)
        self._replace(builder, cells[max(1, round(len(cells) * share)) :], left)

    def _wanted(self, steps: Sequence[Kinds], rng: np.random.Generator) -> Kinds:
        """Return the kinds of objects that a lesson is about, of the steps in a level; rare ones, and those that few
        lessons ended with, come sooner.
        """
        index = {step: k for k, step in enumerate(self.curriculum.steps)}
        weights = [1.0, *(1.0 / self.curriculum.share(step) for step in steps)]
        known = [self._ending.get(k, 0) for k in (-1, *(index[step] for step in steps))]
        chances = np.array(weights) / (1.0 + np.array(known))
        newest = int(rng.choice(len(steps) + 1, p=chances / chances.sum()))
        manner, others = rng.random(), rng.random(len(steps)) < 0.5
        if not newest:
            return frozenset()
        with_it = [
            step for k, step in enumerate(steps)
            if k == newest - 1 or (manner >= ALONE and (k < newest - 1 if manner < ALONE + NEXT else others[k]))
        ]  # fmt: skip
        return frozenset[int]().union(*with_it)
