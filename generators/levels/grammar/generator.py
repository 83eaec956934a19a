"""The grammar generator: a mission first, then the space that enforces it, then what stands in it.

After Dormans, Adventures in Level Design (2010): generating what is to be done and where it is done are two steps,
each with a grammar of its own. The symbols get their meaning from the rules of the game, so one grammar serves every
game.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from pcg.evaluators.parameters import Parameter
from pcg.evaluators.targets import Target
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.contract import SIZE_PARAMETERS, Candidate, IndependentGenerator
from pcg.generators.levels.grammar.builder import LAYOUTS, MOST_NODES, Builder, Built, Draft
from pcg.generators.levels.grammar.decisions import RandomDecisions
from pcg.generators.levels.grammar.language import read_grammar
from pcg.generators.levels.wall_layout import draw_size

GRAMMAR_PARAMETERS = (
    *SIZE_PARAMETERS,
    Parameter("grammar", "", "file with a grammar of your own (see docs/generators/grammar.md)"),
    Parameter("layout", "auto", "rooms, bands of open land, or what suits the game", choices=LAYOUTS),
    Parameter(
        "walk", 24, "steps winning should take at least, by the distances of what must be done", 0, 1000, "steps"
    ),
    Parameter("loops", 0.5, "share of neighbouring rooms joined once more where no lock keeps them apart", 0.0, 1.0),
    Parameter("nodes", 0, "most nodes of a mission; 0: as many as the level has room for", 0, 10 * MOST_NODES),
)
PAPERS = (
    "Dormans: Adventures in Level Design: Generating Missions and Spaces for Action Adventure Games (PCGames 2010)",
    "Dormans: Level Design as Model Transformation: A Strategy for Automated Content Generation (PCGames 2011)",
    "Stiny, Gips: Shape Grammars and the Generative Specification of Painting and Sculpture (IFIP 1972)",
)


class GrammarGenerator(IndependentGenerator):
    """Generator of missions and of the spaces that enforce them."""

    name = "grammar"
    help = "a mission from a graph grammar (key before lock), then rooms that enforce its order"
    papers = PAPERS
    parameters = (*GRAMMAR_PARAMETERS, Parameter("tries", 12, "attempts at one sound level", 1, 1000))

    def __init__(
        self, context: LevelContext, *, seed: int, targets: str | Sequence[Target] = (), **params: object
    ) -> None:
        super().__init__(context, seed=seed, targets=targets, **params)
        grammar = read_grammar(str(self.settings["grammar"]))
        self.builder = Builder(self.context, grammar, str(self.settings["layout"]), self.number("loops"))

    def generate(self, rng: np.random.Generator) -> str:
        """One level text."""
        return self.build(rng).level

    def build(self, rng: np.random.Generator) -> Built:
        """A level with its mission: of a few tries the first that is sound and takes long enough, else the longest
        sound one, else the last one, repaired.
        """
        return self.builder.first_good(self._drafts(rng), rng, self.integer("walk"))

    def _drafts(self, rng: np.random.Generator) -> Iterator[Draft]:
        for _ in range(self.integer("tries")):
            width, height = draw_size(rng, self.widths, self.heights)
            decisions = RandomDecisions(rng)
            mission = self.builder.mission(decisions, self.integer("nodes") or self.builder.size(width, height))
            yield self.builder.draft(mission, decisions, rng, width, height)

    def about(self, candidate: Candidate) -> dict[str, Any]:
        """The mission of a level."""
        return {"mission": self.built(candidate.id).mission.to_json()}

    def built(self, number: int) -> Built:
        """The level of the candidate with this number once more, with its mission."""
        return self.build(self.rng(number))
