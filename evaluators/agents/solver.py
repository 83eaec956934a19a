"""The agent `solver`: plans by graph search (`graph_search`) and plays by the plan."""

from __future__ import annotations

from typing import ClassVar

from pcg.engine.kernel.runtime import EntryPoint
from pcg.engine.model import Model
from pcg.evaluators.agents.base import RULES, Budget, GameState, parameter
from pcg.evaluators.agents.compiled import CompiledAgent, Record
from pcg.evaluators.agents.goal_heuristic import goal_weights
from pcg.evaluators.agents.graph_search import ALGORITHMS, GraphSearch, check_search
from pcg.evaluators.agents.kernel.solver import decide_solver
from pcg.evaluators.agents.registry import register
from pcg.evaluators.agents.subgoal_field import SubgoalField, subgoal_field

ESTIMATES = ("goals", "way")
"""Estimates that lead A*: what is left to do and how far off it is as the crow flies, or the way to what comes next."""

_BLOCKS = 2048  # a number, not bytes: making states again costs calls, so it must not depend on their size


@register(
    "solver",
    "plans by graph search with duplicate detection, led by the goals that the rules name",
    paper="Hart, Nilsson and Raphael, A Formal Basis for the Heuristic Determination of Minimum Cost Paths, 1968",
)
class Solver(CompiledAgent):
    """Plans by graph search and plays the plan.

    In a deterministic game the first decision searches up to `max_nodes` states and, when that finds a win, the rest of
    the game is played from memory. Otherwise the agent walks to the best state found and searches on from there, within
    its budget per decision. In a stochastic game every decision searches one imagined future within the budget.

    Estimates: "goals" reads numbers and distances of all that must be dealt with off a state (`goal_weights`). "way"
    knows the walls: it measures the way to what comes next (`subgoal_field`), before every decision; where the rules
    name no such thing it is "goals".
    """

    entry_point: ClassVar[EntryPoint] = decide_solver
    work_states: ClassVar[int] = 0
    reads_rules: ClassVar[str] = RULES

    algorithm: str = parameter("astar", "order of the search", choices=tuple(ALGORITHMS))
    estimate: str = parameter("goals", "what leads A*: goals, or the way to what comes next", choices=ESTIMATES)
    max_nodes: int = parameter(
        50_000, "states met by the first search of a deterministic game, whatever the budget", low=1, high=10**8
    )
    checks: int = parameter(
        0, "imagined futures in which an old plan must hold to be kept, 0: never kept", low=0, high=1000
    )

    def set_up(self) -> None:
        self._search: GraphSearch | None = None
        self._field: SubgoalField | None = None

    @property
    def reproducible(self) -> bool:
        """Not where the way leads: it is measured in Python before every decision, so the compiled loop cannot play."""
        return self.estimate != "way" and super().reproducible

    def act_within(self, state: GameState, budget: Budget) -> str:
        """Measure the way, if it is to lead, then plan."""
        self.bind(state.model)
        if self._field is not None:
            self._field.update(self._record, state)
        return super().act_within(state, budget)

    def reset(self, state: GameState) -> None:
        """Forget the plan, start the random stream again and get memory for the state's model."""
        super().reset(state)
        assert self._search is not None
        record = self._search.record
        record["plan_at"] = record["plan_end"] = 0
        record["generous"] = record["keeps_plan"]

    def prepare(self, model: Model, record: Record) -> None:
        check_search(model, self.algorithm, self.max_nodes)
        nodes = self.max_nodes
        if model.stochastic and self.budget.calls is not None:
            nodes = min(nodes, self.budget.calls + 1)
        generous = int(not model.stochastic)
        if self._search is not None and self._search.model.address == model.address:
            generous = self._search.record["generous"]
        self._search = GraphSearch(
            model,
            record,
            max_nodes=nodes,
            algorithm=self.algorithm,
            weights=goal_weights(model) if self.algorithm == "astar" else None,
            blocks=_BLOCKS,
            grows=False,
        )
        self._field = self._subgoal_field(model, record) if self.estimate == "way" else None
        self._search.record["generous"] = generous
        self._search.record["keeps_plan"] = int(not model.stochastic)
        self._search.record["checks"] = self.checks

    def _subgoal_field(self, model: Model, record: Record) -> SubgoalField | None:
        """The field of a game whose rules name something to go to."""
        # the analysis of the rules brings a graph library along, which most plays do not need

        if self.algorithm != "astar" or goal_weights(model) is None:
            return None
        return subgoal_field(model, record, self._field)
