"""Rating of drafts by their text alone, before anything is played: what the judge of levels says of them, what they
lack, and how near they are to what is known.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pcg.engine.lazy import cached_property
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.judging.levels import LevelJudge, value_of
from pcg.evaluators.level_grid import Grid
from pcg.evaluators.metrics.likeness import LevelShape
from pcg.evaluators.metrics.registry import TEXT, measure
from pcg.evaluators.targets import Target, target_value
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.portfolio.elites import Elites
from pcg.generators.levels.portfolio.families import Workshop
from pcg.generators.levels.portfolio.polishing import Polishing

UNLIKE = 0.2
"""Penalty for a draft that is twice as unlike the game's own levels as these are unlike each other, and as much again
for each further doubling, up to `UNLIKE_MOST`.
"""
UNLIKE_MOST = 0.4
NEAR = 0.3
"""Penalty for a draft that is like an elite, times its nearness in [0, 1]."""
REACH = 1.6
"""Distance up to which a draft counts as near an elite, in radii of niches."""
ALIKE = 1.0
"""Penalty for the distance from levels of `like`, and reward for that from levels of `unlike`."""
COPY = 2.0
"""Penalty for a draft that copies an example; it falls to 0 with the originality asked for."""
BROKEN = 1.5
"""Penalty for a draft whose windows are all unknown to the game's own levels; it falls to 0 with their share."""
ASTRAY = 0.05
"""Penalty for each thing that stands where the game's own levels never have it."""
LACKING = 1.0
"""Penalty for a draft without the sprites that the rules require."""
CUT = 0.25
"""Penalty for each piece of a line that the game's own levels have whole."""


class DraftRating:
    """Rating of drafts of one game's levels.

    Args:
        context: of the game.
        targets: of the levels.
        workshop: what the game's own levels teach.
        polishing: patterns of the game's own levels; None for a game without any.
        elites: good levels.
        nearly: levels that are not feasible.
        like: levels of which the new ones are to be reminiscent.
        unlike: levels of which they are to be nothing like.
    """

    def __init__(
        self, context: LevelContext, targets: Sequence[Target], workshop: Workshop, polishing: Polishing | None,
        elites: Elites, nearly: Elites, like: Sequence[LevelShape] = (), unlike: Sequence[LevelShape] = (),
    ) -> None:  # fmt: skip
        self.context = context
        self.targets = targets
        self.workshop = workshop
        self.polishing = polishing
        self.elites = elites
        self.nearly = nearly
        self.like = like
        self.unlike = unlike

    @cached_property
    def judge(self) -> LevelJudge:
        """The judge of levels, which rates the texts of drafts."""
        return LevelJudge(self.context.text, self.context.example_texts)

    def penalty(self, grid: Grid) -> float:
        """Return the penalty of a draft by quick measures; the lowest is best."""
        price = self.polishing.cost(grid) if self.polishing is not None else 0.0
        return max(price, 0.9) + self.faults(grid)

    def faults(self, grid: Grid) -> float:
        """Return the penalty for what a draft lacks: originality, required sprites, targets."""
        price = LACKING * (1.0 - self.context.requirements.satisfaction(self.context.palette.count_types(grid)))
        if self.targets:
            price += 1.0 - self._target_satisfaction(grid)
        if self.polishing is not None:
            least, structure = self.polishing.least, self.workshop.structure
            if least > 0.0:
                price += COPY * max(0.0, least - self.polishing.originals.originality(grid)) / least
            price += BROKEN * max(0.0, structure.unknown_share(grid) - structure.enough)
            price += ASTRAY * float(structure.strays(grid).sum()) + CUT * self.workshop.lines.faults(grid)
        return price

    def value(self, text: str, grid: Grid) -> float:
        """Return the value of a draft: the judge's, less its faults and its nearness to the elites."""
        try:
            value = value_of(self.judge.parts(self.judge.view(text)))
        except PcgError:
            return -1.0
        value -= self.faults(grid)
        if self.polishing is not None:
            value -= min(UNLIKE_MOST, UNLIKE * float(np.log2(max(1.0, self.polishing.cost(grid)))))
        if self.elites.knows(text) or self.nearly.knows(text):
            return value - 1.0
        if self.like or self.unlike:
            looks = LevelShape(text)
            value -= ALIKE * min((looks.distance(other) for other in self.like), default=0.0)
            value += ALIKE * min((looks.distance(other) for other in self.unlike), default=0.0)
        if self.elites.niche > 0.0:
            value -= NEAR * self.elites.nearness(text, REACH * self.elites.niche)
        return value

    def _target_satisfaction(self, grid: Grid) -> float:
        """Return the satisfaction of the targets that can be measured of a text, in [0, 1]."""
        if not self.targets:
            return 1.0
        level = self.context.text.level(grid)
        metrics = measure(TEXT, level)
        found = []
        for target in self.targets:
            value = target_value(target.name, self.context.analysis, metrics, level.sprites, None)
            if value is not None:
                found.append(target.satisfaction(value))
        return sum(found) / len(found) if found else 1.0
