"""CMA-ES over the parameters of a constructive generator, on DEAP.

The search is not for levels but for settings of a generator whose levels have a high fitness on average: a vector of
parameters, tried out on several levels each because chance decides much of the fitness of one level. The
covariance matrix adaptation evolution strategy (Hansen, Ostermeier 2001) learns which parameters to change together;
that noise is averaged by repetition and by recombining many parents is discussed by Hansen et al. (2009). When the
search has narrowed down to a point it starts anew somewhere else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.parameters import Parameter, Setting
from pcg.generators.cma_es import CMAES
from pcg.generators.levels.cmaes.space import ParameterSpace
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.contract import SIZE_PARAMETERS
from pcg.generators.levels.population import LevelPopulation
from pcg.generators.levels.registry import make_generator
from pcg.generators.population import Child, Individual

NARROW = 0.01
"""The search starts anew when no direction is left in which it varies by more than this share of the ranges."""


class CMAESGenerator(LevelPopulation):
    """CMA-ES over parameters."""

    name = "cmaes"
    help = "tunes the parameters of a constructive generator until its levels are good on the average"
    papers = (
        "Hansen, Ostermeier: Completely Derandomized Self-Adaptation in Evolution Strategies (2001)",
        "Hansen, Niederberger, Guzzella, Koumoutsakos: A Method for Handling Uncertainty in Evolutionary Optimization "
        "(2009)",
    )
    parameters = (
        *SIZE_PARAMETERS,
        Parameter("base", "constructive", "generator whose parameters are searched"),
        Parameter("vectors", 0, "parameter vectors per generation; 0: as many as CMA-ES advises", 0, 10_000),
        Parameter("repeats", 4, "levels made with each vector", 1, 1000),
        Parameter("sigma", 0.3, "spread of the vectors at the start, as a share of the ranges", 0.001, 1.0),
    )

    def __init__(self, context: LevelContext, *, seed: int, **params: Any) -> None:
        super().__init__(context, seed=seed, **params)
        self.space = ParameterSpace(str(self.settings["base"]), "generator cmaes: parameter `base`")
        self._sizes = {p.name: self.settings[p.name] for p in SIZE_PARAMETERS}
        self._made(self.space.start(), 0)  # mistakes show before anything is evaluated
        self._search = CMAES(self.space.start(), self.number("sigma"), self.integer("vectors"))
        self._vectors: list[list[float]] = []
        self.restarts = 0
        self.best: tuple[float, list[float]] | None = None
        """Worth and vector of the best settings so far."""

    def _made(self, vector: Sequence[float], seed: int) -> Any:
        settings = {**self._sizes, **self.space.settings(vector)}
        return make_generator(self.space.base, self.context, seed=seed, targets=self.targets, **settings)

    # -- generations ---------------------------------------------------------------------------------------------------

    def _fitness_values(self, evaluation: Evaluation) -> tuple[float, ...]:
        return (1.0 + evaluation.fitness if evaluation.feasible else evaluation.constraint,)

    def _next_generation(self, rng: np.random.Generator) -> list[Child]:
        self._vectors = self._search.sample(rng)
        children = []
        for number, vector in enumerate(self._vectors):
            generator = self._made(vector, int(rng.integers(2**31)))
            children += [Child(c.level, c.origin, (number,)) for c in generator.ask(self.integer("repeats"))]
        return children

    def _select(self, told: list[tuple[Individual, bool]]) -> None:
        fitness: list[list[float]] = [[] for _ in self._vectors]
        for one, _ in told:
            fitness[int(one.note[0])].append(one.values[0])
        means = [float(np.mean(values)) for values in fitness]
        for mean, vector in zip(means, self._vectors, strict=True):
            if self.best is None or mean > self.best[0]:
                self.best = mean, vector
        self._search.update(self._vectors, means)
        if self._search.converged(NARROW):
            self.restarts += 1
            self._search.restart(self.rng(self.generation, 1).random(len(self.space)).tolist())

    # -- results -------------------------------------------------------------------------------------------------------

    def findings(self) -> dict[str, Any]:
        """The best settings that were tried, the mean fitness of their levels, and the middle of the search."""

        def rounded(settings: Mapping[str, Setting]) -> dict[str, Setting]:
            return {k: round(v, 4) if isinstance(v, float) else v for k, v in settings.items()}

        found: dict[str, Any] = {
            "base": self.space.base,
            "centre": rounded(self.space.settings(self._search.strategy.centroid)),
            "spread": round(float(self._search.strategy.sigma), 4),
            "restarts": self.restarts,
        }
        if self.best is not None:
            found |= {"worth": self.best[0], "settings": rounded(self.space.settings(self.best[1]))}
        return found

    # -- resuming ------------------------------------------------------------------------------------------------------

    def _extra_state(self) -> dict[str, Any]:
        return {
            "strategy": self._search.state_dict(),
            "vectors": self._vectors,
            "restarts": self.restarts,
            "best": list(self.best) if self.best is not None else None,
        }

    def _load_extra_state(self, state: Mapping[str, Any]) -> None:
        self._search.load_state_dict(state["strategy"])
        self._vectors = [list(vector) for vector in state["vectors"]]
        self.restarts = int(state["restarts"])
        self.best = None if state["best"] is None else (float(state["best"][0]), list(state["best"][1]))
