"""Agents that evolve or draw plans: rolling-horizon evolution, (1+1) hill climbing, and random search.

Memory and parameters around `kernel.rhea`. Hill climbing is evolution with a population of one; random search draws
every plan anew instead of mutating the best.
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from pcg.engine.kernel.runtime import EntryPoint
from pcg.engine.model import Model
from pcg.evaluators.agents.base import AgentError, parameter, select
from pcg.evaluators.agents.compiled import Record
from pcg.evaluators.agents.kernel.plan import FIRST_DECISION
from pcg.evaluators.agents.kernel.population import BANK, POPULATION
from pcg.evaluators.agents.kernel.rhea import BY_PLAN, RHEA, decide_rhea
from pcg.evaluators.agents.mcts import MCTS
from pcg.evaluators.agents.planning_agent import PlanningAgent, plan_tree
from pcg.evaluators.agents.registry import register

CROSSOVERS = ("none", "uniform", "one-point")
SEEDS = ("none", "onestep", "mcts")
RECOMMENDATIONS = ("plan", "visits", "value", "bound")

_TIMED_NODES = 65_536
_TIMED_SEED_CALLS = 400
_KEPT_TREES = 2


@register(
    "rhea",
    "rolling-horizon evolution: evolves plans on the forward model and plays the start of the best",
    paper="Perez et al., Rolling Horizon Evolution versus Tree Search for Navigation in Single-Player Real-Time Games, "
    "2013; Liu et al., Rolling Horizon Coevolutionary Planning for Two-Player Video Games, 2016; Gaina et al., "
    "Analysis of Vanilla Rolling Horizon Evolution Parameters (2017a), Rolling Horizon Evolution Enhancements in "
    "General Video Game Playing (2017b), Population Seeding Techniques for Rolling Horizon Evolution (2017c)",
)
class RollingHorizon(PlanningAgent):
    """Rolling-horizon evolution (reference/agents 11.8): evolves plans by playing them, plays the start of the best.

    Several players: the others' moves are drawn uniformly in every simulation, unless `coevolve` is set: then each side
    is judged against plans of the other drawn at random, and the elite always anew, for its opponents change.

    Raises:
        AgentError: an elite that is not smaller than the population.
    """

    entry_point: ClassVar[EntryPoint] = decide_rhea
    draws_plans_anew: ClassVar[bool] = False
    """Children are drawn anew instead of being bred."""

    population: int = parameter(10, "plans in the population, 1: (1+1) hill climbing", low=1, high=10_000)
    crossover: str = parameter("uniform", "how two plans are mixed", choices=CROSSOVERS)
    mutations: int = parameter(1, "genes drawn anew in every child", low=0, high=10_000)
    tournament: int = parameter(2, "plans drawn per child, the best two are its parents", low=2, high=10_000)
    elite: int = parameter(1, "plans that live on unchanged", low=0, high=10_000)
    reevaluate: bool = parameter(
        False, "judge the elite (of one plan: the parent) anew in every generation, so that luck does not last"
    )
    samples: int = parameter(1, "simulations of every plan, averaged", low=1, high=10_000)
    rollouts: int = parameter(0, "random continuations after the plan, averaged (Gaina et al. 2017b)", low=0, high=1000)
    rollout_length: int = parameter(5, "ticks of each", low=1, high=10_000)
    shift: bool = parameter(
        False, "shift buffer: plans live on after a tick, less their first gene (Gaina et al. 2017b)"
    )
    recommend: str = parameter(
        "plan",
        "what the action is chosen by: the best plan, or a statistical tree (Gaina et al. 2017b)",
        choices=RECOMMENDATIONS,
    )
    macro: int = parameter(
        1, "ticks that a gene lasts, during which the search goes on (Perez et al. 2013)", low=1, high=1000
    )
    seed_plan: str = parameter(
        "none", "where the first plan comes from; `none` is chance (Gaina et al. 2017c)", choices=SEEDS
    )
    coevolve: bool = parameter(False, "evolve the other player's plans as well (Liu et al. 2016)")

    def set_up(self) -> None:
        super().set_up()
        if self.elite >= self.population > 1:
            raise AgentError(f"an elite of {self.elite} in a population of {self.population}, expected fewer")
        self._seeder: MCTS | None = None
        self._known: Model | None = None
        self._population = Record(
            POPULATION,
            size=self.population,
            length=self.length,
            elite=min(self.elite, self.population - 1),
            tournament=self.tournament,
            crossover=CROSSOVERS.index(self.crossover),
            mutations=self.mutations,
            fresh=int(self.draws_plans_anew),
        )
        self._population.point("picks", np.zeros(max(self.tournament, 2), dtype=np.int64))
        self._search = Record(
            RHEA,
            samples=self.samples,
            rollouts=self.rollouts,
            rollout_length=self.rollout_length,
            shift=int(self.shift),
            recommend=RECOMMENDATIONS.index(self.recommend),
            seed=SEEDS.index(self.seed_plan),
            exploration=math.sqrt(2),
        )

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
            if search["recommend"] != BY_PLAN:
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
        head = BANK.itemsize // 8
        words = head + sum(sizes.values())
        bank = population.point("bank", np.zeros(words, dtype=np.int64))
        population.point("saved", np.zeros(words, dtype=np.int64))
        population["bytes"] = 8 * words
        for field, size in sizes.items():
            population.point(field, bank[head : head + size])
            head += size
        self._search.own("population", population)
        self._search["pending"] = FIRST_DECISION

    def _prepare_seeder(self, model: Model) -> None:
        if self._seeder is None:
            self._seeder = MCTS(seed=0, budget=self.seed_calls, player=self.player, depth=self.length)
        self._search["seed_calls"] = self.seed_calls
        self._search["seeder"] = self._seeder.bind(model)
        if self._seeder._room < self._room:
            self._seeder.enlarge()

    def _restart(self) -> None:
        super()._restart()
        self._search["pending"] = FIRST_DECISION


@register(
    "randomsearch",
    "draws random plans and plays the start of the best",
    paper="Gaina et al., Analysis of Vanilla Rolling Horizon Evolution Parameters in General Video Game Playing, 2017",
)
class RandomSearch(RollingHorizon):
    """Random search (reference/agents 11.9): draws plans, keeps the best, plays its start."""

    draws_plans_anew: ClassVar[bool] = True
    parameters = select(RollingHorizon.parameters, "length", "samples", "shift", "heuristic", "discount", "nil")

    population = 1
    elite = 0
