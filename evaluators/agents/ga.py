"""A simple genetic algorithm over plans: memory and parameters around `kernel.ga`."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from pcg.engine.kernel.runtime import EntryPoint
from pcg.engine.model import Model
from pcg.evaluators.agents.compiled import Record
from pcg.evaluators.agents.kernel import ga as ga_kernel
from pcg.evaluators.agents.plans import PlanningAgent
from pcg.evaluators.agents.registry import AgentType, register
from pcg.evaluators.agents.simple import HEURISTICS
from pcg.evaluators.parameters import Parameter


class GeneticAlgorithm(PlanningAgent):
    """A microbial genetic algorithm with one pool of plans per first action (reference/agents 11.10).

    Several players: the others' moves are drawn uniformly in every simulation.

    Args:
        population: plans in a pool.
        length: genes of a plan, played after the first action.
        recombination: probability that the loser of a tournament takes over a gene of the winner.
        mutation: probability that a gene of the loser is drawn anew.
        sweeps: bound of the tournaments in each pool per decision, 0 for none: the whole budget is spent. The
            reference stops after 100, which leaves budget over where simulated games end after a tick or two, and
            wherever a decision may take more than 200 simulations per action.
        heuristic: what a good state is, see `HEURISTICS`.
        discount: factor of a state's value per tick on the way to it.
        nil: doing nothing is an action among the others.
    """

    entry_point: ClassVar[EntryPoint] = ga_kernel.decide_ga

    def __init__(
        self,
        *,
        population: int = 5,
        length: int = 7,
        recombination: float = 0.1,
        mutation: float = 1 / 7,
        sweeps: int = 0,
        heuristic: str = "winscore",
        discount: float = 0.9,
        nil: bool = False,
        **common: Any,
    ) -> None:
        self._search = Record(
            ga_kernel.GA,
            size=population,
            length=length,
            recombination=recombination,
            mutation=mutation,
            sweeps=sweeps,
        )
        self._known: Model | None = None
        super().__init__(length=length, heuristic=heuristic, discount=discount, nil=nil, **common)

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
            search["pending"] = ga_kernel.BLANK

    def _restart(self) -> None:
        super()._restart()
        self._search["pending"] = ga_kernel.BLANK


register(
    AgentType(
        "ga",
        GeneticAlgorithm,
        "a microbial genetic algorithm with one pool of plans per first action",
        (
            Parameter("population", 5, "plans in a pool", low=2, high=10_000),
            Parameter("length", 7, "genes of a plan, played after the first action", low=1, high=10_000),
            Parameter("recombination", 0.1, "probability that a loser takes over a gene", low=0, high=1),
            Parameter("mutation", 1 / 7, "probability that a gene of a loser is drawn anew", low=0, high=1),
            Parameter(
                "sweeps", 0, "bound of the tournaments in each pool per decision, 0: none", low=0, high=1_000_000
            ),
            Parameter("heuristic", "winscore", "what a good state is", choices=tuple(HEURISTICS)),
            Parameter("discount", 0.9, "factor of a state's value per tick on the way to it", low=0, high=1),
            Parameter("nil", False, "doing nothing is an action among the others"),
        ),
        "Harvey, The Microbial Genetic Algorithm, 2009; Perez Liebana et al., The 2014 General Video Game Playing "
        "Competition, 2016",
    )
)
