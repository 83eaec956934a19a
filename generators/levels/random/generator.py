"""The random generator: a frame, every kind of thing once, and a few more anywhere.

The baseline the others are measured against (Khalifa et al. 2016; reference/generators 12.2). Beyond the numbers that
the rules call for it looks at nothing, so many of its levels cannot be won.
"""

from __future__ import annotations

import numpy as np

from pcg.evaluators.parameters import Parameter
from pcg.generators.levels.contract import SIZE_PARAMETERS, IndependentGenerator
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.repair.by_rules import repair_avatar
from pcg.generators.levels.repair.required_sprites import add_required_sprites
from pcg.generators.levels.wall_layout import draw_size


class RandomGenerator(IndependentGenerator):
    """Generator of levels with objects at random cells: the baseline."""

    name = "random"
    help = "every kind of thing once at a random place, the rest mostly empty"
    papers = ("Khalifa, Perez-Liebana, Lucas, Togelius: General Video Game Level Generation (GECCO 2016)",)
    parameters = (*SIZE_PARAMETERS, Parameter("empty", 0.9, "share of the remaining cells that stay empty", 0.0, 1.0))

    def generate(self, rng: np.random.Generator) -> str:
        """One level text."""
        context = self.context
        width, height = draw_size(rng, self.widths, self.heights)
        builder = LevelBuilder.blank(context, width, height)
        traffic = {m for lane in context.lanes for m in lane.movers}
        filler = set() if context.filler is None else {context.filler}
        choices = sorted({*context.walls, *context.objects, *traffic, *filler})
        cells = [(y, x) for y, x in np.argwhere(builder.free()).tolist()]
        order = [cells[i] for i in rng.permutation(len(cells)).tolist()]
        builder.put(order[0], context.palette.avatars[0])
        for cell, tile in zip(order[1:], choices, strict=False):
            builder.put(cell, tile)
        for cell in order[1 + len(choices) :]:
            if choices and rng.random() >= self.number("empty"):
                builder.put(cell, choices[int(rng.integers(len(choices)))])
        repair_avatar(builder, rng)
        add_required_sprites(builder, rng)
        return builder.text()
