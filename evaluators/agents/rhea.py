"""Agents that evolve or draw plans: rolling-horizon evolution, (1+1) hill climbing, and random search.

Memory and parameters around `kernel.rhea`. Hill climbing is evolution with a population of one; random search draws
every plan anew instead of mutating the best.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from pcg.engine.kernel.runtime import EntryPoint
from pcg.engine.model import Model
from pcg.evaluators.agents.base import AgentError
from pcg.evaluators.agents.compiled import Record
from pcg.evaluators.agents.kernel import population as population_kernel
from pcg.evaluators.agents.kernel import rhea as rhea_kernel
from pcg.evaluators.agents.mcts import MCTS
from pcg.evaluators.agents.plans import PlanningAgent, plan_tree
from pcg.evaluators.agents.registry import AgentType, register
from pcg.evaluators.agents.simple import HEURISTICS
from pcg.evaluators.parameters import Parameter

CROSSOVERS = ("none", "uniform", "one-point")
SEEDS = ("none", "onestep", "mcts")
RECOMMENDATIONS = ("plan", "visits", "value", "bound")

_TIMED_NODES = 65_536
_TIMED_SEED_CALLS = 400
_KEPT_TREES = 2


class RollingHorizon(PlanningAgent):
    """Rolling-horizon evolution (reference/agents 11.8): evolves plans by playing them, plays the start of the best.

    Several players: the others' moves are drawn uniformly in every simulation, unless `coevolve` is set.

    Args:
        population: plans in the population; 1 is (1+1) hill climbing.
        length: genes of a plan.
        crossover: "none", "uniform" or "one-point".
        mutations: genes drawn anew in every child.
        tournament: plans drawn for every child, of which the best two are its parents.
        elite: plans that live on unchanged.
        reevaluate: judge the elite (of a population of one: the parent) anew in every generation, so that luck does not
            last.
        samples: simulations of every plan, averaged; more than one helps in stochastic games.
        rollouts: random continuations after the plan, whose values are averaged; 0: the state after it is judged.
        rollout_length: ticks of each.
        shift: plans live on after a tick, less their first gene.
        recommend: "plan", or what the statistical tree chooses by: "visits", "value" or "bound".
        macro: ticks that a gene lasts. The search goes on while the action is being repeated.
        seed_plan: where the first plan comes from: "none" (chance), "onestep" or "mcts".
        coevolve: evolve the other player's plans as well, each side judged against plans of the other drawn at random,
            and the elite always anew, for its opponents change.
        heuristic: what a good state is, see `HEURISTICS`.
        discount: factor of a state's value per tick on the way to it.
        nil: doing nothing is an action among the others.
    """

    entry_point: ClassVar[EntryPoint] = rhea_kernel.decide_rhea
    fresh: ClassVar[bool] = False
    """Children are drawn anew instead of being bred."""

    def __init__(
        self,
        *,
        population: int = 10,
        length: int = 10,
        crossover: str = "uniform",
        mutations: int = 1,
        tournament: int = 2,
        elite: int = 1,
        reevaluate: bool = False,
        samples: int = 1,
        rollouts: int = 0,
        rollout_length: int = 5,
        shift: bool = False,
        recommend: str = "plan",
        macro: int = 1,
        seed_plan: str = "none",
        coevolve: bool = False,
        heuristic: str = "winscore",
        discount: float = 1.0,
        nil: bool = True,
        **common: Any,
    ) -> None:
        if elite >= population > 1:
            raise AgentError(f"an elite of {elite} in a population of {population}, expected fewer")
        self.population = population
        self.length = length
        self.coevolve = coevolve
        self.reevaluate = reevaluate
        self.seed_plan = seed_plan
        self._seeder: MCTS | None = None
        self._known: Model | None = None
        self._population = Record(
            population_kernel.POPULATION,
            size=population,
            length=length,
            elite=min(elite, population - 1),
            tournament=tournament,
            crossover=CROSSOVERS.index(crossover),
            mutations=mutations,
            fresh=int(self.fresh),
        )
        self._population.point("picks", np.zeros(max(tournament, 2), dtype=np.int64))
        self._search = Record(
            rhea_kernel.RHEA,
            samples=samples,
            rollouts=rollouts,
            rollout_length=rollout_length,
            shift=int(shift),
            recommend=RECOMMENDATIONS.index(recommend),
            seed=SEEDS.index(seed_plan),
            exploration=math.sqrt(2),
        )
        super().__init__(length=length, heuristic=heuristic, discount=discount, nil=nil, macro=macro, **common)

    @property
    def seed_calls(self) -> int:
        """Forward-model calls of the tree search that finds a seed: half of the budget."""
        calls = self.budget.calls
        return _TIMED_SEED_CALLS if calls is None else max(1, calls // 2)

    def prepare(self, model: Model, record: Record) -> None:
        super().prepare(model, record)
        search = self._search
        record.own("search", search)
        search.point_to_pool("future", model.pool(1))
        if self.seed_plan == "mcts":
            self._prepare_seeder(model)
        # states that outgrow their memory come here too: what the agent knows of the game must outlast that
        if self._known is not model:
            self._known = model
            search.own("plans", self._plans)
            self._prepare_population(model)
            if search["recommend"] != rhea_kernel.BY_PLAN:
                calls = self.budget.calls
                search.own("tree", plan_tree(_TIMED_NODES if calls is None else min(_KEPT_TREES * calls + 99, 1 << 22)))

    def _prepare_population(self, model: Model) -> None:
        population = self._population
        coevolve = self.coevolve and model.players > 1
        population["sides"] = 2 if coevolve else 1
        if coevolve or self.reevaluate:
            population["redo"] = population["elite"] if self.population > 1 else 1
        rows = 2 * self.population
        sizes = {"genes": 2 * rows * self.length, "values": 2 * rows, "order": 2 * rows}
        head = population_kernel.BANK.itemsize // 8
        words = head + sum(sizes.values())
        bank = population.point("bank", np.zeros(words, dtype=np.int64))
        population.point("saved", np.zeros(words, dtype=np.int64))
        population["bytes"] = 8 * words
        for field, size in sizes.items():
            population.point(field, bank[head : head + size])
            head += size
        self._search.own("population", population)
        self._search["pending"] = rhea_kernel.BLANK

    def _prepare_seeder(self, model: Model) -> None:
        if self._seeder is None:
            self._seeder = MCTS(seed=0, budget=self.seed_calls, player=self.player, depth=self.length)
        self._search["seed_calls"] = self.seed_calls
        self._search["seeder"] = self._seeder.bind(model)
        if self._seeder._room < self._room:
            self._seeder.enlarge()

    def _restart(self) -> None:
        super()._restart()
        self._search["pending"] = rhea_kernel.BLANK


class RandomSearch(RollingHorizon):
    """Random search (reference/agents 11.9): draws plans, keeps the best, plays its start.

    Args:
        length: genes of a plan.
        samples: simulations of every plan, averaged.
        shift: begin with the rest of the plan of the tick before.
        heuristic: what a good state is, see `HEURISTICS`.
        discount: factor of a state's value per tick on the way to it.
        nil: doing nothing is an action among the others.
    """

    fresh: ClassVar[bool] = True

    def __init__(self, **params: Any) -> None:
        super().__init__(population=1, elite=0, **params)


_LENGTH = Parameter("length", 10, "genes of a plan", low=1, high=10_000)
_SAMPLES = Parameter("samples", 1, "simulations of every plan, averaged", low=1, high=10_000)
_JUDGING = (
    Parameter("heuristic", "winscore", "what a good state is", choices=tuple(HEURISTICS)),
    Parameter("discount", 1.0, "factor of a state's value per tick on the way to it", low=0, high=1),
    Parameter("nil", True, "doing nothing is an action among the others"),
)

register(
    AgentType(
        "rhea",
        RollingHorizon,
        "rolling-horizon evolution: evolves plans on the forward model and plays the start of the best",
        (
            Parameter("population", 10, "plans in the population, 1: hill climbing", low=1, high=10_000),
            _LENGTH,
            Parameter("crossover", "uniform", "how two plans are mixed", choices=CROSSOVERS),
            Parameter("mutations", 1, "genes drawn anew in every child", low=0, high=10_000),
            Parameter("tournament", 2, "plans drawn per child, the best two are its parents", low=2, high=10_000),
            Parameter("elite", 1, "plans that live on unchanged", low=0, high=10_000),
            Parameter("reevaluate", False, "judge the elite anew in every generation"),
            _SAMPLES,
            Parameter("rollouts", 0, "random continuations after the plan (Gaina et al. 2017b)", low=0, high=1000),
            Parameter("rollout_length", 5, "ticks of each", low=1, high=10_000),
            Parameter("shift", False, "shift buffer: plans live on after a tick (Gaina et al. 2017b)"),
            Parameter(
                "recommend",
                "plan",
                "what the action is chosen by: the best plan, or a statistical tree (Gaina et al. 2017b)",
                choices=RECOMMENDATIONS,
            ),
            Parameter("macro", 1, "ticks that a gene lasts (Perez et al. 2013)", low=1, high=1000),
            Parameter("seed_plan", "none", "where the first plan comes from (Gaina et al. 2017c)", choices=SEEDS),
            Parameter("coevolve", False, "evolve the other player's plans as well (Liu et al. 2016)"),
            *_JUDGING,
        ),
        "Perez et al., Rolling Horizon Evolution versus Tree Search for Navigation in Single-Player Real-Time Games, "
        "2013; Liu et al., Rolling Horizon Coevolutionary Planning for Two-Player Video Games, 2016; Gaina et al., "
        "Analysis of Vanilla Rolling Horizon Evolution Parameters (2017a), Rolling Horizon Evolution Enhancements in "
        "General Video Game Playing (2017b), Population Seeding Techniques for Rolling Horizon Evolution (2017c)",
    )
)
register(
    AgentType(
        "randomsearch",
        RandomSearch,
        "draws random plans and plays the start of the best",
        (_LENGTH, _SAMPLES, Parameter("shift", False, "begin with the rest of the last plan"), *_JUDGING),
        "Gaina et al., Analysis of Vanilla Rolling Horizon Evolution Parameters in General Video Game Playing, 2017",
    )
)
