"""Levels as answer sets: every level keeps all constraints, or an error names those that clash.

Levels as answer sets go back to Smith and Mateas (2011); planning inside the level program follows Smith, Butler and
Popović (2013). What is new here: the program is generated for any VGDL game from the analysis of its rules, moves
included. For variety each level starts from a sketch of the constructive generator, which the solver follows as far as
the constraints let it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pcg.engine.game import Game
from pcg.evaluators.agents import solve as solve_by_engine
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.level_grid import Grid
from pcg.evaluators.parameters import Parameter
from pcg.evaluators.targets import Target, sprites_of
from pcg.generators.levels.asp.clingo_solver import Limits, OutOfTimeError, clingo
from pcg.generators.levels.asp.constraints import (
    PARAMETERS,
    SYMMETRY_TARGETS,
    LevelConstraints,
    build_problem,
    moving,
    plannable,
)
from pcg.generators.levels.asp.problem import Problem
from pcg.generators.levels.asp.search import ClashError, find, hints
from pcg.generators.levels.constructive.generator import construct, draw_style
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.contract import SIZE_PARAMETERS, IndependentGenerator
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.object_counts import fit_counts
from pcg.generators.levels.object_placement import place_object
from pcg.generators.levels.wall_layout import STYLES, draw_size

FOLLOW_SKETCH = ("--heuristic=Domain",)
"""Options of clingo that make it try the sketch first."""

TRIES, TRIES_FOR_LENGTH = 3, 24
"""Levels laid out without a plan and given to the engine's solver before the plan goes into the program; more of them
where a win must not be too short, which takes the planner longest."""
TRY_NODES = 30_000
ATTEMPTS = 2


class AnswerSetGenerator(IndependentGenerator):
    """Generator of levels by answer-set programming."""

    name = "asp"
    help = "answer-set programming: counts, reach, paths, symmetry, keys before doors, solvable in so many moves"
    papers = (
        "Smith, Mateas: Answer Set Programming for Procedural Content Generation: A Design Space Approach (2011)",
        "Smith, Butler, Popović: Quantifying over Play: Constraining Undesirable Solutions in Puzzle Design (2013)",
        "Gebser, Kaminski, Kaufmann, Schaub: Multi-shot ASP Solving with clingo (2019)",
    )
    parameters = (
        *SIZE_PARAMETERS,
        Parameter("style", "mixed", "how walls are sketched", choices=("mixed", *STYLES)),
        Parameter("walls", 1.0, "amount of walls, as a multiple of what the game's levels have", 0.0, 3.0),
        *PARAMETERS,
    )

    def __init__(
        self, context: LevelContext, *, seed: int, targets: str | Sequence[Target] = (), **params: object
    ) -> None:
        clingo()
        super().__init__(context, seed=seed, targets=targets, **params)
        self.level_constraints = LevelConstraints.of(self.settings, self.targets)
        self.limits = Limits(self.number("seconds"), self.integer("conflicts"))
        self._planned = bool(self.level_constraints.moves[1]) and plannable(context)
        self._estimate = LevelEvaluator(Game(context.definition)).estimate if self._planned else []
        if self.level_constraints.moves[1] and self.level_constraints.must_plan:
            # Said at once rather than with the first level.
            build_problem(context, (self.heights[0], self.widths[0]), self.level_constraints, {context.palette.empty})

    def generate(self, rng: np.random.Generator) -> str:
        """One level text.

        Raises:
            ClashError: the constraints cannot be kept together, not even in the largest level allowed.
            OutOfTimeError: nothing was found in the time given.
        """
        width, height = draw_size(rng, self.widths, self.heights)
        largest = self.widths[1], self.heights[1]
        level_constraints, timeouts = self.level_constraints, 0
        while True:
            try:
                return self.context.palette.text(self._level(rng, width, height, level_constraints))
            except ClashError as clash:
                if (width, height) != largest:
                    width, height = largest
                elif level_constraints.reach and not any(constraint.asked for constraint in clash.constraints):
                    # In some games things are got at in ways that show only in play.
                    level_constraints = replace(level_constraints, reach=False)
                else:
                    raise
            except OutOfTimeError:
                timeouts += 1
                if timeouts == ATTEMPTS:
                    raise

    def _level(self, rng: np.random.Generator, width: int, height: int, level_constraints: LevelConstraints) -> Grid:
        effort = 1.0
        if self._planned:
            low, high = level_constraints.moves
            for _ in range(TRIES_FOR_LENGTH if low > 1 else TRIES):
                grid = self._solve(replace(level_constraints, moves=(0, 0)), rng, width, height, effort)
                length = self._length(grid)
                if length is not None and low <= length <= high:
                    return grid
                # More to do where winning is too short, less where it is too long or cannot be seen to the end of.
                effort = effort + 0.5 if length is not None and length < low else max(0.5, effort - 0.2)
        return self._solve(level_constraints, rng, width, height, effort)

    def _length(self, grid: Grid) -> int | None:
        """Moves of a win in the engine, None if none is found that is short enough.

        For parameters it is a shortest win; a wanted length is measured as evaluations do, by the win that a search led
        by the goals finds first.
        """
        planned_tiles = Problem(self.context, *self._shape(grid)).planned_tiles(grid)
        state = Game(self.context.definition).start(self.context.palette.text(planned_tiles), seed=0)
        high = self.level_constraints.moves[1]
        if self.level_constraints.must_plan:
            found = solve_by_engine(state, max_nodes=TRY_NODES, max_ticks=high)
        else:
            found = solve_by_engine(
                state, max_nodes=TRY_NODES, max_ticks=2 * high, algorithm="astar", weights=self._estimate
            )
        return len(found.actions) if found.status == "solved" else None

    @staticmethod
    def _shape(grid: Grid) -> tuple[int, int]:
        return int(grid.shape[0]), int(grid.shape[1])

    def _solve(
        self, level_constraints: LevelConstraints, rng: np.random.Generator, width: int, height: int, effort: float
    ) -> Grid:
        context = self.context
        sketch = self.sketch(rng, width, height, effort)
        present = set(np.unique(sketch).tolist())
        wall = {context.palette.wall} if context.palette.wall is not None and context.walls else set()
        tiles = present | {context.palette.empty, context.palette.avatars[0]} | wall | self._needed()
        problem = build_problem(context, self._shape(sketch), level_constraints, tiles, ground=sketch)
        counts = fit_counts(context, rng, {t: int((sketch == t).sum()) for t in context.objects})
        for slack in (1, 0):
            for tile in context.objects:
                if tile in tiles:
                    number, char = counts.get(tile, 0), context.palette.tiles[tile].char
                    low, high = number - slack * (number // 2), number + slack * (number // 2 + 1)
                    problem.tiles_number([tile], low, high, f"{low} to {high} of `{char}` (drawn)", firm=False)
        seed = int(rng.integers(2**31))
        found = find(problem, seed=seed, limits=self.limits, extra=hints(problem, sketch, rng), options=FOLLOW_SKETCH)
        return found.grid

    def _needed(self) -> set[int]:
        """Tiles that the rules or the targets ask for, whether or not the sketch has them."""
        context = self.context
        needed = {t for rule in context.requirements.counts if rule.minimum > 0 for t in rule.types}
        needed |= {need.other for need in context.requirements.needs if need.base in needed}
        found = {t for s in sorted(needed) for t in context.palette.by_type.get(s, ())[:1] if t in context.objects}
        for target in self.targets:
            types = sprites_of(target.name, self.context.analysis)
            if types is not None and target.high > 0:
                choices = [t for s in sorted(types) for t in self.context.palette.by_type.get(s, ())[:1]]
                found.update(t for t in choices if t in self.context.objects or t in self.context.walls)
        return found

    def sketch(self, rng: np.random.Generator, width: int, height: int, effort: float = 1.0) -> Grid:
        """A level of the constructive generator, brought nearer to what is asked for.

        Args:
            rng: draws everything.
            width: in cells.
            height: in cells.
            effort: number of goals, as a multiple of what the game's levels have.
        """
        context = self.context
        builder = LevelBuilder.blank(context, width, height)
        style = str(self.settings["style"])
        share = min(0.6, context.wall_share * self.number("walls") * rng.uniform(0.7, 1.3))
        construct(builder, rng, draw_style(context, rng) if style == "mixed" else style, share)
        wanted = self._counts(rng, builder, effort)
        for tile in context.objects:
            cells = np.argwhere(builder.grid == tile).tolist()
            number = len(cells)
            if tile in wanted:
                number = wanted[tile]
            elif self._planned and moving(context, tile):
                number = 0  # a plan cannot reckon with what moves by itself
            for i in rng.permutation(len(cells))[number:].tolist():
                builder.clear((cells[i][0], cells[i][1]))
            for _ in range(number - len(cells)):
                place_object(builder, rng, tile)
        for target in self.targets:
            if target.name in SYMMETRY_TARGETS and target.low > 0.5:
                for kind in SYMMETRY_TARGETS[target.name][:2]:
                    _copy_half(builder, kind)
        if self.level_constraints.symmetry != "none":
            _mirror(builder, self.level_constraints.symmetry)
        return builder.grid

    def _counts(self, rng: np.random.Generator, builder: LevelBuilder, effort: float) -> dict[int, int]:
        """Return the number of each tile that targets name, of goals, and of what goes with them."""
        context = self.context
        wanted: dict[int, int] = {}
        if effort != 1.0:
            for tile in context.objects:
                if any(context.analysis.has(c, "goal") for c in context.palette.tiles[tile].content):
                    wanted[tile] = max(1, round(effort * max(1, int((builder.grid == tile).sum()))))
        for target in self.targets:
            types = sprites_of(target.name, context.analysis)
            if types is None:
                continue
            tiles = sorted({t for s in types for t in context.palette.by_type.get(s, ())[:1] if t in context.objects})
            if not tiles:
                continue
            low = max(0, math.ceil(target.low)) if target.low > -math.inf else 0
            high = math.floor(target.high) if target.high < math.inf else low + 2
            present = [wanted.get(t, int((builder.grid == t).sum())) for t in tiles]
            total = int(np.clip(sum(present), low, high))
            while sum(present) != total:
                step = 1 if sum(present) < total else -1
                open_places = [i for i, n in enumerate(present) if step > 0 or n > 0]
                present[open_places[int(rng.integers(len(open_places)))]] += step
            wanted |= dict(zip(tiles, present, strict=True))
        if not wanted:
            return {}
        counts = np.bincount(builder.grid.ravel(), minlength=len(context.palette.tiles))
        present_now = {t: int(counts[t]) for t in context.objects if counts[t]}
        # What goes with it (keys with doors) comes along.
        fitted = fit_counts(context, rng, present_now | wanted)
        return {t: n for t, n in fitted.items() if n != present_now.get(t, 0)} | wanted


def _copy_half(builder: LevelBuilder, kind: str) -> None:
    """Make a sketch the same in a mirror image, its objects included; the avatar stays where it is."""
    height, width = builder.grid.shape
    avatars = builder.palette.avatars
    for y, x in np.ndindex(height, width):
        other = (y, width - 1 - x) if kind == "horizontal" else (height - 1 - y, x)
        if (y, x) < other and int(builder.grid[other]) not in avatars:
            here = int(builder.grid[y, x])
            builder.put(other, builder.context.ground_under[here] if here in avatars else here)


def _mirror(builder: LevelBuilder, kind: str) -> None:
    """Make the walls of a sketch symmetric, so that the solver has little to change."""
    context = builder.context
    height, width = builder.grid.shape
    blocked = builder.palette.access[builder.grid] == builder.palette.access.max()
    walls = np.isin(builder.grid, context.walls) & blocked
    for y, x in np.argwhere(walls).tolist():
        other = {"horizontal": (y, width - 1 - x), "vertical": (height - 1 - y, x)}.get(
            kind, (height - 1 - y, width - 1 - x)
        )
        if (y, x) < other and not walls[other]:
            if int(builder.grid[other]) in context.palette.grounds or int(builder.grid[other]) == context.filler:
                builder.put(other, int(builder.grid[y, x]))
            else:
                builder.clear((y, x))
        elif (y, x) > other and not walls[other]:
            builder.clear((y, x))
