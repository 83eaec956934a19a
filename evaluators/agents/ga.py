"""A simple genetic algorithm over plans: memory and parameters around `kernel.ga`."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pcg.engine.kernel.runtime import EntryPoint
from pcg.engine.model import Model
from pcg.evaluators.agents.base import parameter, with_defaults
from pcg.evaluators.agents.compiled import Record
from pcg.evaluators.agents.kernel.ga import GA, decide_ga
from pcg.evaluators.agents.kernel.plan import FIRST_DECISION
from pcg.evaluators.agents.planning_agent import PlanningAgent
from pcg.evaluators.agents.registry import register


@register(
    "ga",
    "a microbial genetic algorithm with one pool of plans per first action",
    paper="Harvey, The Microbial Genetic Algorithm, 2009; Perez Liebana et al., The 2014 General Video Game Playing "
    "Competition, 2016",
)
class GeneticAlgorithm(PlanningAgent):
    """A microbial genetic algorithm with one pool of plans per first action (reference/agents 11.10).

    Several players: the others' moves are drawn uniformly in every simulation. The reference stops after 100 `sweeps`,
    which leaves budget over where simulated games end after a tick or two, and wherever a decision may take more than
    200 simulations per action; here the whole budget is spent unless a bound is given.
    """

    entry_point: ClassVar[EntryPoint] = decide_ga
    parameters = with_defaults(PlanningAgent.parameters, discount=0.9, nil=False)

    length: int = parameter(7, "genes of a plan, played after the first action", low=1, high=10_000)
    population: int = parameter(5, "plans in a pool", low=2, high=10_000)
    recombination: float = parameter(0.1, "probability that a loser takes over a gene", low=0, high=1)
    mutation: float = parameter(1 / 7, "probability that a gene of a loser is drawn anew", low=0, high=1)
    sweeps: int = parameter(0, "bound of the tournaments in each pool per decision, 0: none", low=0, high=1_000_000)

    def set_up(self) -> None:
        super().set_up()
        self._search = Record(
            GA,
            size=self.population,
            length=self.length,
            recombination=self.recombination,
            mutation=self.mutation,
            sweeps=self.sweeps,
        )
        self._known: Model | None = None

    def prepare(self, model: Model, record: Record) -> None:
        super().prepare(model, record)
        search = self._search
        record.own("search", search)
        # states that outgrow their memory come here too: the pools must outlast that
        if self._known is not model:
            self._known = model
            search.own("plans", self._plans)
            words = 1 + (model.max_actions + 1) * search["size"] * search["length"]
            for field in ("pools", "saved"):
                search.point(field, np.zeros(words, dtype=np.int64))
            search["bytes"] = 8 * words
            search.point("best", np.zeros(model.max_actions + 1, dtype=np.float64))
            search["pending"] = FIRST_DECISION

    def _restart(self) -> None:
        super()._restart()
        self._search["pending"] = FIRST_DECISION
