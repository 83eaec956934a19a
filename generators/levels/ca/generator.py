"""The cellular-automaton generator: caves from smoothed noise, joined and furnished by distance maps.

Johnson, Yannakakis, Togelius: Cellular automata for real-time generation of infinite cave levels (2010). The
automaton only makes the caves; what stands in them is placed as by the constructive generator. Games without walls
get the caves as filling, or none.
"""

from __future__ import annotations

import numpy as np

from pcg.evaluators.parameters import Parameter
from pcg.generators.levels.contract import SIZE_PARAMETERS, IndependentGenerator
from pcg.generators.levels.counts import draw_counts, draw_plenty
from pcg.generators.levels.furnish import furnish
from pcg.generators.levels.layout import caves, draw_size, fill, lay_lanes
from pcg.generators.levels.repair import meet_needs, mend_reach
from pcg.generators.levels.site import Site


class CellularGenerator(IndependentGenerator):
    """Caves."""

    name = "ca"
    help = "caves from a cellular automaton, joined by tunnels, furnished by distance"
    papers = (
        "Johnson, Yannakakis, Togelius: Cellular automata for real-time generation of infinite cave levels (2010)",
    )
    parameters = (
        *SIZE_PARAMETERS,
        Parameter("walls", 1.0, "amount of rock, as a multiple of what the game's levels have", 0.0, 3.0),
        Parameter("objects", 1.0, "number of objects, as a multiple of what the game's levels have", 0.0, 3.0),
        Parameter("steps", 3, "how often the automaton smooths the noise", 0, 20),
        Parameter("birth", 5, "neighbouring rock from which an open cell becomes rock", 1, 9, "cells of 8"),
        Parameter("survival", 4, "neighbouring rock from which rock stays rock", 0, 9, "cells of 8"),
    )

    def generate(self, rng: np.random.Generator) -> str:
        """One level text."""
        context = self.context
        width, height = draw_size(rng, self.widths, self.heights)
        site = Site.blank(context, width, height)
        if context.lanes:
            lay_lanes(site, rng)
        share = min(0.6, context.wall_share * self.number("walls") * rng.uniform(0.7, 1.3))
        caves(
            site, rng, share,
            steps=self.integer("steps"), birth=self.integer("birth"), survival=self.integer("survival"),
        )  # fmt: skip
        plenty = self.number("objects") * draw_plenty(rng)
        fill(site, rng, plenty)
        top, left, bottom, right = site.inside()
        furnish(site, rng, draw_counts(context, rng, (bottom - top) * (right - left), plenty))
        mend_reach(site, rng, always=True)
        meet_needs(site, rng)
        return site.text()
