"""The evolutionary generator: a feasible-infeasible two-population genetic algorithm, on DEAP.

Levels that break a constraint evolve towards keeping all, those that keep them towards quality; children move to the
population they belong to (FI-2pop: Kimbrough, Koehler, Lu, Wood 2008; for levels of any VGDL game Khalifa et al.
2016, spec 04 section 2.4). Other than there, the next generation competes with its parents, and levels too like a
better one stand back (clearing, Petrowski 1996), so that the best ten are ten levels and not one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from deap import tools

from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.parameters import Parameter
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.contract import SIZE_PARAMETERS
from pcg.generators.levels.distance import Codes, code_distance, codes
from pcg.generators.levels.population import BREEDING, BreedingGenerator, Child, Individual, tournament

FRESH_AT_FIRST = 0.4
"""Share of children made anew as long as no level is feasible, if `fresh` is less."""


class EvolvingGenerator(BreedingGenerator):
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
        Parameter("niche", 0.5, "levels closer than this to a better one stand back", 0.0, 1.0, "distance"),
        *BREEDING,
    )

    def __init__(self, context: LevelContext, *, seed: int, **params: Any) -> None:
        super().__init__(context, seed=seed, **params)
        self.feasible: list[Individual] = []
        self.infeasible: list[Individual] = []

    def _judge(self, evaluation: Evaluation) -> tuple[float, ...]:
        return (evaluation.fitness if evaluation.feasible else evaluation.constraint,)

    def _make(self, rng: np.random.Generator) -> list[Child]:
        if self.generation == 0:
            return self._begin(rng, self.integer("population"))
        return self._distinct(rng, self.integer("offspring"), self.feasible + self.infeasible)

    def _child(self, rng: np.random.Generator) -> Child:
        # Before anything is feasible there is often nothing to climb: other beginnings are worth more than children.
        fresh = self.number("fresh") if self.feasible else max(self.number("fresh"), FRESH_AT_FIRST)
        if rng.random() < fresh:
            return Child(*self.seeds.one(rng))
        from_infeasible = rng.random() < self.number("infeasible")
        pool = self.infeasible if from_infeasible else self.feasible
        pool = pool or self.feasible or self.infeasible
        first = tournament(rng, pool, self.integer("tournament"))
        second = None
        if len(pool) > 1 and rng.random() < self.number("crossover"):
            second = tournament(rng, pool, self.integer("tournament"))
        edits = 0
        if second is None or rng.random() < self.number("mutation"):
            edits = 1 + int(rng.integers(self.integer("edits")))
        return self._bred(rng, first, second, edits)

    def _select(self, told: list[tuple[Individual, bool]]) -> None:
        size = self.integer("population")
        children = {flag: [one for one, feasible in told if feasible is flag] for flag in (True, False)}
        self.feasible = self._survivors(self.feasible + children[True], size)
        self.infeasible = self._survivors(self.infeasible + children[False], size)

    def _survivors(self, members: list[Individual], size: int) -> list[Individual]:
        """The best `size`, those that are too like a better one last, equal ones left out."""
        ranked = tools.selBest(members, len(members))
        niche = self.number("niche")
        kept: list[Individual] = []
        shapes: list[Codes] = []
        back: list[Individual] = []
        seen: set[str] = set()
        for one in ranked:
            if one.level in seen:
                continue
            seen.add(one.level)
            shape = codes(one.level)
            if len(kept) < size and all(code_distance(shape, other) >= niche for other in shapes):
                kept.append(one)
                shapes.append(shape)
            else:
                back.append(one)
        return (kept + back)[:size]

    def _keep(self) -> dict[str, Any]:
        return {
            "feasible": [one.to_json() for one in self.feasible],
            "infeasible": [one.to_json() for one in self.infeasible],
        }

    def _restore(self, state: Mapping[str, Any]) -> None:
        self.feasible = [Individual.from_json(data) for data in state["feasible"]]
        self.infeasible = [Individual.from_json(data) for data in state["infeasible"]]
