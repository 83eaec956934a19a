"""Levels as answer sets: every level keeps all constraints, or it is said which of them clash.

Levels as answer sets go back to Smith and Mateas (2011); planning inside the level program follows Smith, Butler and
Popović (2013). What is new here: the program is generated for any VGDL game from the analysis of its rules, moves
included. For variety each level starts from a sketch of the constructive generator, which the solver follows as far as
the constraints let it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pcg.engine.game import Game
from pcg.evaluators.agents import solve as solve_by_engine
from pcg.evaluators.level_grid import Grid
from pcg.evaluators.parameters import Parameter
from pcg.evaluators.wants import Want, sprites_of
from pcg.generators.levels.asp.aims import PARAMETERS, SYMMETRY_WANTS, Aims, moving, pose
from pcg.generators.levels.asp.search import ClashError, find, hints
from pcg.generators.levels.asp.solving import Limits, OutOfTimeError, clingo
from pcg.generators.levels.constructive import construct, draw_style
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.contract import SIZE_PARAMETERS, IndependentGenerator
from pcg.generators.levels.counts import fit
from pcg.generators.levels.furnish import place
from pcg.generators.levels.layout import STYLES, draw_size
from pcg.generators.levels.site import Site

FOLLOW_SKETCH = ("--heuristic=Domain",)
"""Options of clingo that make it try the sketch first."""

TRIES = 3
"""Levels laid out without a plan and given to the engine's solver before the plan goes into the program."""
TRY_NODES = 30_000
ATTEMPTS = 2


class AnswerSetGenerator(IndependentGenerator):
    """Lay out by constraints."""

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

    def __init__(self, context: LevelContext, *, seed: int, wants: str | Sequence[Want] = (), **params: object) -> None:
        clingo()
        super().__init__(context, seed=seed, wants=wants, **params)
        self.aims = Aims.of(self.settings, self.wants)
        self.limits = Limits(self.number("seconds"), self.integer("conflicts"))
        if self.aims.moves[1] and self.aims.must_plan:
            # Said at once rather than with the first level.
            pose(context, (self.heights[0], self.widths[0]), self.aims, {context.palette.empty})

    def generate(self, rng: np.random.Generator) -> str:
        """One level text.

        Raises:
            ClashError: the constraints cannot be kept together, not even in the largest level allowed.
            OutOfTimeError: nothing was found in the time given.
        """
        width, height = draw_size(rng, self.widths, self.heights)
        largest = self.widths[1], self.heights[1]
        for attempt in range(ATTEMPTS + 1):
            try:
                return self.context.palette.text(self._level(rng, width, height))
            except ClashError:
                if (width, height) == largest:
                    raise
                width, height = largest
            except OutOfTimeError:
                if attempt + 1 >= ATTEMPTS:
                    raise
        raise AssertionError("not reached")

    def _level(self, rng: np.random.Generator, width: int, height: int) -> Grid:
        aims = self.aims
        if aims.moves[1]:
            for _ in range(TRIES):
                grid = self._without_plan(rng, width, height)
                if grid is not None:
                    return grid
        return self._solve(aims, rng, width, height)

    def _without_plan(self, rng: np.random.Generator, width: int, height: int) -> Grid | None:
        """A level that happens to have the length wanted; the engine's solver tells in less time than planning takes."""
        low, high = self.aims.moves
        free = Aims(path=self.aims.path, symmetry=self.aims.symmetry, pockets=self.aims.pockets,
                    keys_first=self.aims.keys_first, wants=self.aims.wants)  # fmt: skip
        grid = self._solve(free, rng, width, height)
        state = Game(self.context.definition).start(self.context.palette.text(grid), seed=0)
        found = solve_by_engine(state, max_nodes=TRY_NODES, max_ticks=high)
        return grid if found.status == "solved" and len(found.actions) >= low else None

    def _solve(self, aims: Aims, rng: np.random.Generator, width: int, height: int) -> Grid:
        context = self.context
        sketch = self.sketch(rng, width, height)
        present = set(np.unique(sketch).tolist())
        wall = {context.palette.wall} if context.palette.wall is not None and context.walls else set()
        tiles = present | {context.palette.empty, context.palette.avatars[0]} | wall | self._needed()
        problem = pose(context, sketch.shape, aims, tiles, ground=sketch)  # type: ignore[arg-type]
        counts = np.bincount(sketch.ravel(), minlength=len(context.palette.tiles))
        for tile in context.objects:
            if tile in tiles:
                number, char = int(counts[tile]), context.palette.tiles[tile].char
                problem.tiles_number([tile], number, number, f"{number} of `{char}` (drawn)", firm=False)
        seed = int(rng.integers(2**31))
        found = find(problem, seed=seed, limits=self.limits, extra=hints(problem, sketch, rng), options=FOLLOW_SKETCH)
        return found.grid

    def _needed(self) -> set[int]:
        """Tiles that wants ask for, whether or not the sketch has them."""
        found: set[int] = set()
        for want in self.wants:
            types = sprites_of(want.name, self.context.analysis)
            if types is not None and want.high > 0:
                choices = [t for s in sorted(types) for t in self.context.palette.by_type.get(s, ())[:1]]
                found.update(t for t in choices if t in self.context.objects or t in self.context.walls)
        return found

    def sketch(self, rng: np.random.Generator, width: int, height: int) -> Grid:
        """A level of the constructive generator, brought nearer to what is asked for."""
        context = self.context
        site = Site.blank(context, width, height)
        style = str(self.settings["style"])
        share = min(0.6, context.wall_share * self.number("walls") * rng.uniform(0.7, 1.3))
        construct(site, rng, draw_style(context, rng) if style == "mixed" else style, share)
        wanted = self._counts(rng, site)
        for tile in context.objects:
            cells = np.argwhere(site.grid == tile).tolist()
            number = len(cells)
            if tile in wanted:
                number = wanted[tile]
            elif self.aims.moves[1] and moving(context, tile):
                number = 0  # a plan cannot reckon with what moves by itself
            for i in rng.permutation(len(cells))[number:].tolist():
                site.clear((cells[i][0], cells[i][1]))
            for _ in range(number - len(cells)):
                place(site, rng, tile)
        kinds = [self.aims.symmetry]
        for want in self.wants:
            if want.name in SYMMETRY_WANTS and want.low > 0.5:
                kinds += SYMMETRY_WANTS[want.name]
        for kind in dict.fromkeys(kinds):
            if kind != "none":
                _mirror(site, kind)
        return site.grid

    def _counts(self, rng: np.random.Generator, site: Site) -> dict[int, int]:
        """How many of each tile that wants speak of."""
        context = self.context
        wanted: dict[int, int] = {}
        for want in self.wants:
            types = sprites_of(want.name, context.analysis)
            if types is None:
                continue
            tiles = sorted({t for s in types for t in context.palette.by_type.get(s, ())[:1] if t in context.objects})
            if not tiles:
                continue
            low = max(0, math.ceil(want.low)) if want.low > -math.inf else 0
            high = math.floor(want.high) if want.high < math.inf else low + 2
            present = [wanted.get(t, int((site.grid == t).sum())) for t in tiles]
            total = int(np.clip(sum(present), low, high))
            while sum(present) != total:
                step = 1 if sum(present) < total else -1
                open_places = [i for i, n in enumerate(present) if step > 0 or n > 0]
                present[open_places[int(rng.integers(len(open_places)))]] += step
            wanted |= dict(zip(tiles, present, strict=True))
        if not wanted:
            return {}
        counts = np.bincount(site.grid.ravel(), minlength=len(context.palette.tiles))
        present_now = {t: int(counts[t]) for t in context.objects if counts[t]}
        # What goes with it (keys with doors) comes along.
        fitted = fit(context, rng, present_now | wanted)
        return {t: n for t, n in fitted.items() if n != present_now.get(t, 0)} | wanted


def _mirror(site: Site, kind: str) -> None:
    """Make the walls of a sketch symmetric, so that the solver has little to change."""
    context = site.context
    height, width = site.grid.shape
    blocked = site.palette.access[site.grid] == site.palette.access.max()
    walls = np.isin(site.grid, context.walls) & blocked
    for y, x in np.argwhere(walls).tolist():
        other = {"horizontal": (y, width - 1 - x), "vertical": (height - 1 - y, x)}.get(
            kind, (height - 1 - y, width - 1 - x)
        )
        if (y, x) < other and not walls[other]:
            if int(site.grid[other]) in context.palette.grounds or int(site.grid[other]) == context.filler:
                site.put(other, int(site.grid[y, x]))
            else:
                site.clear((y, x))
        elif (y, x) > other and not walls[other]:
            site.clear((y, x))
