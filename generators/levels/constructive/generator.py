"""The constructive generator: walls, filler and objects, placed in one go by what the analysis of the rules says.

After the constructive generator of the level generation track (Khalifa et al. 2016; reference/generators 12.3): how
much of what, walls that cut nothing off, enemies away from the avatar. New here: rooms, pillars and caves beside wall
segments, lanes, filling, doors in walls, portals to closed rooms, distances along the way, and numbers taken from the
game's own levels where it has some.
"""

from __future__ import annotations

import numpy as np

from pcg.evaluators.parameters import Parameter
from pcg.generators.levels.barriers import repair_barriers
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.contract import SIZE_PARAMETERS, IndependentGenerator
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.object_counts import draw_counts, draw_object_scale
from pcg.generators.levels.object_placement import place_objects
from pcg.generators.levels.repair.by_rules import repair_reachability
from pcg.generators.levels.repair.required_sprites import add_required_sprites
from pcg.generators.levels.wall_layout import STYLES, draw_size, lay_lanes, place_filler

STYLE_WEIGHTS = {"segments": 0.4, "rooms": 0.4, "pillars": 0.2}
STYLE_WEIGHTS_WITH_LANES = {"segments": 0.7, "pillars": 0.3}
"""Probabilities of the styles that `mixed` stands for, in games without and with lanes."""


def draw_style(context: LevelContext, rng: np.random.Generator) -> str:
    """A wall style that suits the game."""
    weights = STYLE_WEIGHTS_WITH_LANES if context.lanes else STYLE_WEIGHTS
    return list(weights)[int(rng.choice(len(weights), p=list(weights.values())))]


def construct(
    builder: LevelBuilder, rng: np.random.Generator, style: str, wall_share: float, plenty: float | None = None
) -> None:
    """Build a level on bare ground: walls in a style, lanes, filler, objects (as many as `draw_object_scale` says)."""
    plenty = draw_object_scale(rng) if plenty is None else plenty
    context = builder.context
    if context.lanes:
        lay_lanes(builder, rng)
    if context.walls and wall_share > 0:
        STYLES[style](builder, rng, wall_share)
    place_filler(builder, rng, plenty)
    top, left, bottom, right = builder.inside()
    counts = draw_counts(context, rng, (bottom - top) * (right - left), plenty)
    place_objects(builder, rng, counts)
    repair_reachability(builder, rng, always=True)
    repair_barriers(builder, rng)
    add_required_sprites(builder, rng)


class ConstructiveGenerator(IndependentGenerator):
    """Generator of levels built in one go: walls, filler, objects."""

    name = "constructive"
    help = "walls, filling, goals and enemies placed by what the rules say about them"
    papers = (
        "Khalifa, Perez-Liebana, Lucas, Togelius: General Video Game Level Generation (GECCO 2016)",
        "Shaker, Togelius, Nelson: Procedural Content Generation in Games, chapter 3 (Springer 2016)",
    )
    parameters = (
        *SIZE_PARAMETERS,
        Parameter("style", "mixed", "how walls are laid out", choices=("mixed", *STYLES)),
        Parameter("walls", 1.0, "amount of walls, as a multiple of what the game's levels have", 0.0, 3.0),
        Parameter("objects", 1.0, "number of objects, as a multiple of what the game's levels have", 0.0, 3.0),
    )

    def generate(self, rng: np.random.Generator) -> str:
        """One level text."""
        context = self.context
        width, height = draw_size(rng, self.widths, self.heights)
        style = str(self.settings["style"])
        if style == "mixed":
            style = draw_style(context, rng)
        builder = LevelBuilder.blank(context, width, height)
        share = min(0.6, context.wall_share * self.number("walls") * rng.uniform(0.7, 1.3))
        construct(builder, rng, style, share, self.number("objects") * draw_object_scale(rng))
        return builder.text()
