"""The evolutionary generator: a feasible-infeasible two-population genetic algorithm, on DEAP.

Levels that break a constraint evolve towards keeping all, those that keep them towards quality; children move to the
population they belong to (FI-2pop: Kimbrough, Koehler, Lu, Wood 2008; for levels of any VGDL game Khalifa et al.
2016, reference/generators 12.4). Other than there, the next generation competes with its parents, and levels too like a
better one stand back (clearing, Petrowski 1996), so that the best ten are ten levels and not one.
"""

from __future__ import annotations

import numpy as np

from pcg.evaluators.parameters import Parameter
from pcg.generators.levels.contract import SIZE_PARAMETERS
from pcg.generators.levels.population import BREEDING, EvolutionaryGenerator, TwoPopulationLevelGenerator
from pcg.generators.population import Child, tournament

FRESH_AT_FIRST = 0.4
"""Share of children made anew as long as no level is feasible, if `fresh` is less."""


class FI2PopGenerator(TwoPopulationLevelGenerator, EvolutionaryGenerator):
    """FI-2pop over tile grids."""

    name = "evolve"
    help = "two populations evolve, one towards keeping all constraints and one towards quality of play"
    papers = (
        "Kimbrough, Koehler, Lu, Wood: On a Feasible-Infeasible Two-Population Genetic Algorithm (EJOR 2008)",
        "Khalifa, Perez-Liebana, Lucas, Togelius: General Video Game Level Generation (GECCO 2016)",
        "Petrowski: A Clearing Procedure as a Niching Method for Genetic Algorithms (ICEC 1996)",
    )
    parameters = (
        *SIZE_PARAMETERS,
        Parameter("population", 40, "members of either population", 4, 10_000),
        Parameter("offspring", 40, "children per generation", 2, 10_000),
        Parameter("mutation", 0.5, "share of the children of two parents that are mutated as well", 0.0, 1.0),
        Parameter("edits", 4, "most mutations of one child", 1, 100),
        Parameter("infeasible", 0.35, "share of children bred from the infeasible population", 0.0, 1.0),
        Parameter("tournament", 3, "members drawn for each parent, of which the best is taken", 1, 100),
        Parameter("niche", 0.18, "levels closer than this to a better one stand back", 0.0, 1.0, "distance"),
        *BREEDING,
    )

    def _next_generation(self, rng: np.random.Generator) -> list[Child]:
        if self.generation == 0:
            return self._begin(rng, self.integer("population"))
        return self._distinct(rng, self.integer("offspring"), self.feasible + self.infeasible)

    def _child(self, rng: np.random.Generator) -> Child:
        # Before anything is feasible there is often nothing to climb: other beginnings are worth more than children.
        fresh = self.number("fresh") if self.feasible else max(self.number("fresh"), FRESH_AT_FIRST)
        if rng.random() < fresh:
            return Child(*self.seeds.one(rng))
        pool = self._pool(rng)
        first = tournament(rng, pool, self.integer("tournament"))
        second = None
        if len(pool) > 1 and rng.random() < self.number("crossover"):
            second = tournament(rng, pool, self.integer("tournament"))
        edits = 0
        if second is None or rng.random() < self.number("mutation"):
            edits = 1 + int(rng.integers(self.integer("edits")))
        return self._bred(rng, first, second, edits)
