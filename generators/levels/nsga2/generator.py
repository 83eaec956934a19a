"""NSGA-II: evolution towards all levels that no other beats in every objective, on DEAP.

Survivors are whole fronts of levels that none dominates, the last of them thinned out where it is crowded (Deb,
Pratap, Agarwal, Meyarivan 2002). Feasible levels come before infeasible ones and those before others that break the
constraints more, as the same paper proposes. What is found in the end is a front, not a best level.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from deap import tools
from deap.tools.emo import assignCrowdingDist

from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.parameters import Parameter
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.contract import SIZE_PARAMETERS, Candidate
from pcg.generators.levels.nsga2.objectives import parse_objectives
from pcg.generators.levels.population import BREEDING, EvolutionaryGenerator, TwoPopulationLevelGenerator
from pcg.generators.population import Child, Individual, tournament

UNKNOWN = -1e9
"""The value of an objective that was not measured: worse than any other."""


class NSGA2Generator(TwoPopulationLevelGenerator, EvolutionaryGenerator):
    """NSGA-II over tile grids."""

    name = "nsga2"
    help = "evolves a front of levels, each the best at some balance of several objectives"
    papers = ("Deb, Pratap, Agarwal, Meyarivan: A Fast and Elitist Multiobjective Genetic Algorithm: NSGA-II (2002)",)
    parameters = (
        *SIZE_PARAMETERS,
        Parameter(
            "objectives", "gap,solution_length,symmetry",
            "what is to be large (or small, after a minus): metrics, sprite types, fitness, targets",
        ),
        Parameter("population", 40, "levels that survive a generation", 4, 10_000),
        Parameter("offspring", 40, "children per generation", 2, 10_000),
        Parameter("mutation", 0.5, "share of the children of two parents that are mutated as well", 0.0, 1.0),
        Parameter("edits", 4, "most mutations of one child", 1, 100),
        *BREEDING,
    )  # fmt: skip

    def __init__(self, context: LevelContext, *, seed: int, **params: Any) -> None:
        super().__init__(context, seed=seed, **params)
        self.objectives = parse_objectives(
            str(self.settings["objectives"]), context.analysis, "generator nsga2: parameter `objectives`"
        )
        self._told: Candidate | None = None

    # -- verdicts ------------------------------------------------------------------------------------------------------

    def tell(self, candidates: Sequence[Candidate], evaluations: Sequence[Evaluation]) -> None:
        """Take evaluations; the last one of a generation decides who survives."""
        for candidate, evaluation in zip(candidates, evaluations, strict=True):
            self._told = candidate  # some objectives are read from the text
            super().tell([candidate], [evaluation])

    def _fitness_values(self, evaluation: Evaluation) -> tuple[float, ...]:
        """The objectives, all of them to be large; the constraint value for infeasible levels."""
        if not evaluation.feasible:
            return (evaluation.constraint,)
        assert self._told is not None
        palette = self.context.palette
        counts = palette.count_types(palette.parse(self._told.level))
        values = []
        for objective in self.objectives:
            value = objective.value(evaluation, self.context.analysis, counts)
            values.append(UNKNOWN if value is None else -value if objective.small else value)
        return tuple(values)

    # -- generations ---------------------------------------------------------------------------------------------------

    def _next_generation(self, rng: np.random.Generator) -> list[Child]:
        if self.generation == 0:
            return self._begin(rng, self.integer("population"))
        self._ranks = self._rank()
        return self._distinct(rng, self.integer("offspring"), self.feasible + self.infeasible)

    def _rank(self) -> dict[int, tuple[float, float]]:
        """Id -> (front, crowding with its sign turned): smaller is better."""
        ranks: dict[int, tuple[float, float]] = {}
        fronts = tools.sortNondominated(self.feasible, len(self.feasible)) if self.feasible else []
        for number, front in enumerate(fronts):
            assignCrowdingDist(front)
            ranks |= {one.id: (float(number), -float(one.fitness.crowding_dist)) for one in front}
        return ranks | {one.id: (float(len(fronts)) + 1.0 - one.values[0], 0.0) for one in self.infeasible}

    def _child(self, rng: np.random.Generator) -> Child:
        if rng.random() < self.number("fresh"):
            return Child(*self.seeds.one(rng))
        pool = self.feasible + self.infeasible
        first = tournament(rng, pool, 2, self._ranks)
        second = None
        if len(pool) > 1 and rng.random() < self.number("crossover"):
            second = tournament(rng, pool, 2, self._ranks)
        edits = 0
        if second is None or rng.random() < self.number("mutation"):
            edits = 1 + int(rng.integers(self.integer("edits")))
        return self._bred(rng, first, second, edits)

    def _select(self, told: list[tuple[Individual, bool]]) -> None:
        size = self.integer("population")
        feasible = _distinct(self.feasible + [one for one, fine in told if fine])
        infeasible = _distinct(self.infeasible + [one for one, fine in told if not fine])
        self.feasible = sorted(tools.selNSGA2(feasible, min(size, len(feasible))), key=lambda one: one.id)
        self.infeasible = tools.selBest(infeasible, min(size - len(self.feasible), len(infeasible)))

    # -- the front -----------------------------------------------------------------------------------------------------

    def front(self) -> list[Individual]:
        """The feasible levels that none other beats in every objective, by the first objective, largest first."""
        if not self.feasible:
            return []
        found: list[Individual] = tools.sortNondominated(self.feasible, len(self.feasible), first_front_only=True)[0]
        return sorted(found, key=lambda one: (tuple(-v for v in one.values), one.id))

    def findings(self) -> dict[str, Any]:
        """The front, with the value of each objective."""

        def measured(one: Individual) -> dict[str, float | None]:
            pairs = zip(self.objectives, one.values, strict=True)
            return {o.name: None if v == UNKNOWN else -v if o.small else v for o, v in pairs}

        return {
            "objectives": [str(objective) for objective in self.objectives],
            "front": [{"id": one.id, "level": one.text, "objectives": measured(one)} for one in self.front()],
        }


def _distinct(members: list[Individual]) -> list[Individual]:
    """The members without repeated levels, oldest first."""
    first = {one.text: one for one in sorted(members, key=lambda one: -one.id)}
    return sorted(first.values(), key=lambda one: one.id)
