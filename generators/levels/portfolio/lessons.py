"""Lessons: levels with only some of the kinds of objects of a game, and fewer of each.

A course needs levels in which something new stands alone, or among what is known. They are made from levels that are
good as they are, by taking away whole kinds of things that the rules can do without.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
ALONE = 0.3
"""Share of lessons in which one step of the curriculum is alone; in others it is among those that can be known."""
COMPANY = (0.4, 1.6)
"""Least and largest share of these that such a lesson has; it has all of them from 1 on."""


class Lessons:
    """Maker of the lessons of a game, which learns what its levels cannot do without.

    Args:
        context: of the game.
    """

    def __init__(self, context: LevelContext) -> None:
        self.context = context
        """Of the game."""
        self._lacking: dict[int, list[int]] = {}
        """Step of the curriculum -> levels that lack it, and those of them that somebody wins."""
        self._having: dict[frozenset[int], list[int]] = {}
        """Steps of the curriculum -> levels that have something of just these, and those that somebody wins."""

    @cached_property
    def curriculum(self) -> Curriculum:
        """Kinds of objects in the order in which lessons introduce them."""
        return Curriculum(self.context)

    def take(self, level: str, feasible: bool) -> None:
        """Take the verdict on a level into account."""
        kinds = self.curriculum.kinds_in(self.context.palette.parse(level))
        there = frozenset(k for k, step in enumerate(self.curriculum.steps) if not step.isdisjoint(kinds))
        lacking = (self._lacking.setdefault(k, [0, 0]) for k in range(len(self.curriculum.steps)) if k not in there)
        for record in (*lacking, self._having.setdefault(there, [0, 0])):
            record[0] += 1
            record[1] += feasible

    def dispensable(self, step: Kinds) -> float:
        """Return how likely a lesson without a step's kinds is won by somebody, in (0, 1]."""
        tried, won = self._lacking.get(self.curriculum.steps.index(step), (0, 0))
        return (won + 1.0) / (tried + 1.0)

    def state(self) -> list[list[list[Any]]]:
        """Return what was learnt, as JSON."""
        having = [[sorted(steps), *record] for steps, record in self._having.items()]
        return [[[k, *record] for k, record in self._lacking.items()], having]

    def load_state(self, state: Sequence[Sequence[Sequence[Any]]]) -> None:
        """Go on from what `state` returned."""
        lacking, having = state
        self._lacking = {int(k): [int(tried), int(won)] for k, tried, won in lacking}
        self._having = {frozenset(map(int, steps)): [int(tried), int(won)] for steps, tried, won in having}

    def _order(self) -> dict[int, tuple[frozenset[int], frozenset[int]]]:
        """Return the steps of the curriculum in an order in which levels that somebody wins introduce them one at a
        time, as far as there are such levels: step -> those that are known before it, and it with those that come at
        once with it. What no such level has comes last, after what is known, or as long as that is nothing, after
        those before it in the curriculum.
        """
        won = [steps for steps, (_, wins) in self._having.items() if wins]
        known: frozenset[int] = frozenset()
        found: dict[int, tuple[frozenset[int], frozenset[int]]] = {}
        while left := [new for steps in won if (new := steps - known)]:
            new = min(left, key=lambda some: (len(some), sorted(some)))
            found |= dict.fromkeys(sorted(new), (known, new))
            known |= new
        rest = (k for k in range(len(self.curriculum.steps)) if k not in known)
        return found | {k: (known or frozenset(range(k)), frozenset({k})) for k in rest}

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
                kind
                for kind in self.curriculum.of_tile(tile) - self.curriculum.fixed
                if roles[kind] & THINNED and "hazard" not in roles[kind]
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
        """Return the kinds of objects that a lesson is about, of the steps in a level: some step with others that can
        be known before it; rare ones, and those that few levels introduced so, come sooner.
        """
        index = {step: k for k, step in enumerate(self.curriculum.steps)}
        order = self._order()
        weights, times = [1.0], [self._having.get(frozenset(), (0, 0))[0]]
        for step in steps:
            k = index[step]
            known = frozenset().union(*order[k])
            weights.append(1.0 / self.curriculum.share(step))
            times.append(sum(tried for having, (tried, _) in self._having.items() if k in having <= known))
        chances = np.array(weights) / (1.0 + np.array(times))
        newest = int(rng.choice(len(steps) + 1, p=chances / chances.sum()))
        share, others = (0.0 if rng.random() < ALONE else rng.uniform(*COMPANY)), rng.random(len(steps))
        if not newest:
            return frozenset()
        new = steps[newest - 1]
        before, _ = order[index[new]]
        with_it = [step for step, one in zip(steps, others, strict=True) if one < share and index[step] in before]
        return frozenset[int]().union(new, *with_it)
