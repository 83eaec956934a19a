"""Evolution strategies on level grids: (mu + lambda) and (mu, lambda), with self-adapted step sizes, on DEAP.

A step here is the number of edits a child differs by from its parent. Every level carries its own mean number and
hands it on, changed a little at random: numbers that lead to better levels spread with them (Schwefel 1995; Beyer and
Schwefel 2002). Infeasible levels rank below all feasible ones, by how nearly they keep the constraints (Deb 2000), so
that there is one population only.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from deap import tools

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.parameters import Parameter
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.contract import SIZE_PARAMETERS
from pcg.generators.levels.population import BREEDING, EvolutionaryGenerator
from pcg.generators.population import Child, Individual

MOST_EDITS = 40.0
"""Mean numbers of edits stay below this."""


class EvolutionStrategyGenerator(EvolutionaryGenerator):
    """(mu + lambda) and (mu, lambda) ES over tile grids."""

    name = "es"
    help = "an evolution strategy in which each level learns how much its children should differ"
    papers = (
        "Schwefel: Evolution and Optimum Seeking (Wiley 1995)",
        "Beyer, Schwefel: Evolution Strategies - A Comprehensive Introduction (Natural Computing 2002)",
        "Deb: An Efficient Constraint Handling Method for Genetic Algorithms (CMAME 2000)",
    )
    parameters = (
        *SIZE_PARAMETERS,
        Parameter("mu", 12, "levels that survive a generation", 1, 10_000),
        Parameter("lambda", 48, "children per generation", 1, 10_000),
        Parameter(
            "selection", "plus", "survivors come from parents and children (plus) or from the children alone (comma)",
            choices=("plus", "comma"),
        ),
        Parameter("edits", 3.0, "mean number of edits at the start", 1.0, MOST_EDITS, "edits"),
        Parameter("learning_rate", 0.4, "how fast the number of edits changes from parent to child", 0.0, 3.0),
        *(Parameter(p.name, {"crossover": 0.2, "fresh": 0.05}.get(p.name, p.default), p.help, p.low, p.high, p.unit)
          for p in BREEDING),
    )  # fmt: skip

    def __init__(self, context: LevelContext, *, seed: int, **params: Any) -> None:
        super().__init__(context, seed=seed, **params)
        self.members: list[Individual] = []
        mu, children = self.integer("mu"), self.integer("lambda")
        if self.settings["selection"] == "comma" and children < mu:
            raise PcgError(
                f"generator es: lambda is {children}, expected at least mu, which is {mu}: with comma selection the "
                "survivors are all children"
            )

    def _fitness_values(self, evaluation: Evaluation) -> tuple[float, ...]:
        return float(evaluation.feasible), evaluation.fitness if evaluation.feasible else evaluation.constraint

    def _next_generation(self, rng: np.random.Generator) -> list[Child]:
        if self.generation == 0:
            return self._begin(rng, max(self.integer("mu"), self.integer("lambda")), (self.number("edits"),))
        return self._distinct(rng, self.integer("lambda"), self.members)

    def _child(self, rng: np.random.Generator) -> Child:
        if rng.random() < self.number("fresh"):
            level, origin = self.seeds.one(rng)
            return Child(level, origin, (self.number("edits"),))
        first = self.members[int(rng.integers(len(self.members)))]
        second, step = None, first.note[0]
        if len(self.members) > 1 and rng.random() < self.number("crossover"):
            second = self.members[int(rng.integers(len(self.members)))]
            step = math.sqrt(step * second.note[0])
        step *= math.exp(self.number("learning_rate") * float(rng.standard_normal()))
        step = min(MOST_EDITS, max(1.0, step))
        child = self._bred(rng, first, second, 1 + int(rng.poisson(step - 1.0)))
        return Child(child.text, child.origin, (step,))

    def _select(self, told: list[tuple[Individual, bool]]) -> None:
        children = [one for one, _ in told]
        pool = children if self.settings["selection"] == "comma" else self.members + children
        distinct = list({one.text: one for one in reversed(pool)}.values())
        distinct.sort(key=lambda one: one.id)
        self.members = tools.selBest(distinct, min(len(distinct), self.integer("mu")))

    def findings(self) -> dict[str, Any]:
        """The mean numbers of edits of the surviving levels."""
        return {"edits": [round(one.note[0], 3) for one in self.members]}

    def _extra_state(self) -> dict[str, Any]:
        return {"members": [one.to_json() for one in self.members]}

    def _load_extra_state(self, state: Mapping[str, Any]) -> None:
        self.members = [Individual.from_json(data) for data in state["members"]]
