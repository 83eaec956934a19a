"""Crossover of given games: two are drawn for each child, which may be mutated as well."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pcg.evaluators.parameters import Parameter
from pcg.generators.games.contract import IndependentGameGenerator
from pcg.generators.games.genes import GameGenotype
from pcg.generators.games.operators import mutate
from pcg.generators.games.recombination import cross


class CrossoverGames(IndependentGameGenerator):
    """Types and rules of two games on the levels of one."""

    name = "crossover"
    help = "the levels of one of the given games with types and rules of another"
    papers = ("Gow, Corneli: Towards Generating Novel Games Using Conceptual Blending (2015)",)
    parameters = (
        Parameter("mutation", 0.3, "share of the games that are changed besides", 0.0, 1.0),
        Parameter("max_rules", 40, "most rules; or as many as the longest game to begin with", 1, 200),
    )
    least: ClassVar[int] = 2

    def generate(self, rng: np.random.Generator) -> GameGenotype:
        """One game."""
        a, b = rng.permutation(len(self.repaired_start))[:2].tolist()
        made = cross(self.repaired_start[a], self.repaired_start[b], rng, most=self.most)
        return mutate(made, rng, most=self.most) if rng.random() < self.number("mutation") else made
