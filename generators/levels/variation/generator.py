"""Variations on the game's own levels: crossed with each other, mirrored, thinned out, and changed here and there.

In many games what makes a level work is an arrangement that no rule of thumb makes: belts that lead somewhere, a fleet
above its targets. The game's own levels have it, and the genetic operators keep much of it. Seeding a search with
solutions that are known is old practice in evolution (Langdon, Nordin 2000); variations come from one level rather
than from statistics of all. Without levels of its own a game gets constructed ones.
"""

from __future__ import annotations

import numpy as np

from pcg.evaluators.level_grid import Grid
from pcg.evaluators.metrics.likeness import level_distance
from pcg.evaluators.parameters import Parameter
from pcg.generators.levels.constructive.generator import construct, draw_style
from pcg.generators.levels.contract import SIZE_PARAMETERS, IndependentGenerator
from pcg.generators.levels.examples import symmetry_of
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.operators import crossover, edit
from pcg.generators.levels.repair.by_rules import repair
from pcg.generators.levels.wall_layout import draw_size, fits

APART = 0.03
"""A variation is at least so far from each of the game's own levels, if a few more edits can do it."""


class VariationGenerator(IndependentGenerator):
    """The game's own levels, changed."""

    name = "variation"
    help = "the game's own levels, crossed with each other, thinned out and changed here and there"
    papers = ("Langdon, Nordin: Seeding Genetic Programming Populations (EuroGP 2000)",)
    parameters = (
        *SIZE_PARAMETERS,
        Parameter("edits", 5, "mean number of edits", 0, 1000, "edits"),
        Parameter("crossed", 0.4, "share of levels that get a part of another one", 0.0, 1.0),
        Parameter(
            "mirrored", 0.3, "share of levels that are turned left to right, in games without directions", 0.0, 1.0
        ),
        Parameter("thinned", 0.6, "share of levels that lose some of their objects", 0.0, 1.0),
    )

    def generate(self, rng: np.random.Generator) -> str:
        """One level text."""
        context = self.context
        examples = context.examples
        if not examples:
            return self._constructed(rng)
        # A level of another size would be cut, or set into bare ground.
        fitting = [grid for grid in examples if fits(grid.shape, self.widths, self.heights)] or examples
        grid = fitting[int(rng.integers(len(fitting)))]
        if len(examples) > 1 and rng.random() < self.number("crossed"):
            other = examples[int(rng.integers(len(examples)))]
            grid = crossover(context, grid, other, rng)[0]
        grid = self._fitted(grid, rng)
        if symmetry_of(context, "auto") != "none" and rng.random() < self.number("mirrored"):
            grid = np.ascontiguousarray(grid[:, ::-1])
        builder = LevelBuilder(context, grid)
        if rng.random() < self.number("thinned"):
            _thin(builder, rng)
        # Few edits keep what works, many make something new: both are wanted.
        edits = int(rng.poisson(self.number("edits") * rng.exponential()))
        builder = LevelBuilder(context, edit(context, builder.grid, rng, edits))
        repair(builder, rng)
        for _ in range(5):
            made = builder.text()
            if all(level_distance(made, context.palette.text(own)) >= APART for own in examples):
                break
            builder = LevelBuilder(context, edit(context, builder.grid, rng, 3))
            repair(builder, rng)
        return builder.text()

    def _constructed(self, rng: np.random.Generator) -> str:
        context = self.context
        builder = LevelBuilder.blank(context, *draw_size(rng, self.widths, self.heights))
        construct(builder, rng, draw_style(context, rng), min(0.6, context.wall_share * rng.uniform(0.7, 1.3)))
        return builder.text()

    def _fitted(self, grid: Grid, rng: np.random.Generator) -> Grid:
        """A copy within the sizes: a part of a level that is too large, bare ground around one that is too small."""
        context = self.context
        for axis, (least, most) in enumerate((self.heights, self.widths)):
            size = grid.shape[axis]
            if size > most:
                start = int(rng.integers(size - most + 1))
                grid = np.take(grid, range(start, start + most), axis=axis)
            elif size < least:
                before = int(rng.integers(least - size + 1))
                around = [(0, 0), (0, 0)]
                around[axis] = (before, least - size - before)
                grid = np.pad(grid, around, constant_values=context.background)
        return grid.copy()


def _thin(builder: LevelBuilder, rng: np.random.Generator) -> None:
    """Take away a random share of each kind of object, but for the last of its kind."""
    for tile in builder.context.objects:
        cells = np.argwhere(builder.grid == tile).tolist()
        share = rng.random()
        for place in rng.permutation(len(cells)).tolist()[1:]:
            if rng.random() < share:
                builder.clear((cells[place][0], cells[place][1]))
