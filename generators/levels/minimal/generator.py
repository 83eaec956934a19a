"""The minimal generator: small levels, in each one of a few things beside what the rules call for.

Where the game's own levels take a person minutes, the nearest level an agent can win is often a far smaller one: two
things to bring together and room to do it. Such levels are where a search can begin (start small and complexify:
Stanley and Miikkulainen 2002; simple levels first: Justesen, Torrado, Bontrager, Khalifa, Togelius, Risi 2018).
"""

from __future__ import annotations

import numpy as np

from pcg.evaluators.parameters import Parameter
from pcg.generators.levels.barriers import repair_barriers
from pcg.generators.levels.constructive.generator import draw_style
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.contract import SIZE_PARAMETERS, IndependentGenerator
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.object_counts import Counts, fit_counts
from pcg.generators.levels.object_placement import place_objects
from pcg.generators.levels.repair.by_rules import repair_reachability
from pcg.generators.levels.repair.required_sprites import add_required_sprites
from pcg.generators.levels.wall_layout import STYLES, draw_size, lay_lanes, place_filler

ROOMY = 8
"""Cells inside the frame, along a side, of the largest levels made where no size is asked for."""
INNER = 4.0
"""Weight of cells away from the frame, where things can be pushed, against those along it."""


class MinimalGenerator(IndependentGenerator):
    """Generator of small levels."""

    name = "minimal"
    help = "small levels with one of a few things beside what winning calls for"
    papers = (
        "Stanley, Miikkulainen: Evolving Neural Networks through Augmenting Topologies (Evolutionary Computation 2002)",
        "Justesen, Torrado, Bontrager, Khalifa, Togelius, Risi: Illuminating Generalization in Deep Reinforcement "
        "Learning through Procedural Level Generation (2018)",
    )
    parameters = (
        *SIZE_PARAMETERS,
        Parameter("walls", 0.5, "most walls, as a multiple of what the game's levels have", 0.0, 3.0),
        Parameter("kinds", 0.5, "share of the kinds of things that a level has one of", 0.0, 1.0),
    )

    def generate(self, rng: np.random.Generator) -> str:
        """One level text."""
        context = self.context
        widths, heights = self._small(context)
        builder = LevelBuilder.blank(context, *draw_size(rng, widths, heights))
        if context.lanes:
            lay_lanes(builder, rng)
        walls = min(0.6, context.wall_share * self.number("walls") * rng.random())
        if context.walls and walls > 0:
            STYLES[draw_style(context, rng)](builder, rng, walls)
        if rng.random() < 0.5 or context.background == context.filler:
            place_filler(builder, rng, float(rng.uniform(0.1, 0.5)))
        if rng.random() < 0.5:
            builder.placement_weights = _inner(builder)
        place_objects(builder, rng, self._few(rng))
        repair_reachability(builder, rng, always=True)
        repair_barriers(builder, rng)
        add_required_sprites(builder, rng)
        return builder.text()

    def _small(self, context: LevelContext) -> tuple[tuple[int, int], tuple[int, int]]:
        """The ranges of widths and heights: what was asked for, else small ones."""
        ranges = []
        for own, asked in ((context.widths, self.widths), (context.heights, self.heights)):
            frame = context.smallest - 4
            least = max(context.smallest, min(own[0], 5 + frame))
            ranges.append((least, max(least, min(own[1], ROOMY + frame))) if asked == own else asked)
        return ranges[0], ranges[1]

    def _few(self, rng: np.random.Generator) -> Counts:
        """One each of some kinds of things, and what the requirements call for."""
        context = self.context
        share = self.number("kinds")
        used = None if context.statistics is None else context.statistics.used
        counts = {
            tile: 1 for tile in context.objects if rng.random() < share and (used is None or bool(used[tile] > 0))
        }
        return fit_counts(context, rng, counts)


def _inner(builder: LevelBuilder) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Weights that put things away from the frame."""
    top, left, bottom, right = builder.inside()
    weights = np.ones(builder.grid.shape)
    weights[top + 1 : bottom - 1, left + 1 : right - 1] = INNER
    return weights
