"""The portfolio agent `pcg`: looks at what kind of game it is in and lets the method play that suits it.

A deterministic level is searched for a win, over as many decisions as that takes where waiting changes nothing; a plan
found is played to its end. Everything else, and what no search solves, is played by planning agents in turn: one plays
for as long as there is progress (points, or things left to deal with to win), then the next gets its chance.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from typing import Any, ClassVar

from pcg.engine.model import Model
from pcg.evaluators.agents.base import RULES, Agent, AgentError, Budget, GameState, parameter
from pcg.evaluators.agents.compiled import CompiledAgent, make_roomy
from pcg.evaluators.agents.guided_mcts import GuidedMCTS
from pcg.evaluators.agents.registry import make_agent, register
from pcg.evaluators.agents.resumable_search import BudgetMeter, ResumableSearch, SearchMethod

_NODES_PER_MS = 1000
"""States that a search of a single decision has room for, for every millisecond of it."""
_SHARE = 0.85
"""Share of a budget of time to be used where a search and another method follow each other."""
ATTEMPTS = (SearchMethod("astar", 3.0, True), SearchMethod("bfs", 1.0, False), SearchMethod("astar", 1.0, True))


METHODS = ("ybcriber", "olets", "guided", "kbfastevo:refresh=4")
"""Agents that play what no search solves, in this order and round again."""


class _Turns:
    """Methods that take turns: whoever plays goes on while the best value reached still rises."""

    def __init__(self, agents: Sequence[CompiledAgent], patience: int) -> None:
        self.agents = tuple(agents)
        self.patience = patience
        self._guided = next(agent for agent in agents if isinstance(agent, GuidedMCTS))

    def reset(self, state: GameState) -> None:
        """Begin with the first method; all get their memory now, because a decision has no time for it."""
        for agent in self.agents:
            agent.reset(state)
        self.turn = 0
        self._best = -math.inf
        self._quiet = 0

    @property
    def calls(self) -> int:
        """Forward-model calls of all methods since the reset."""
        return sum(agent.calls for agent in self.agents)

    def act_within(self, state: GameState, budget: Budget) -> str:
        """The action of the method whose turn it is."""
        value = self._value(state)
        self._quiet = 0 if value > self._best else self._quiet + 1
        self._best = max(self._best, value)
        if self._quiet > self.patience:
            self._quiet = 0
            self.turn = (self.turn + 1) % len(self.agents)
        return self.agents[self.turn].act_within(state, budget)

    def _value(self, state: GameState) -> float:
        score = state.score
        points = float(score[self._guided.player] if isinstance(score, tuple) else score)
        return points + self._guided.progress(state)


@register(
    "pcg",
    "searches deterministic levels for a win and lets several methods take turns on the others",
    paper="Mendes, Nealen and Togelius, Hyper-heuristic general video game playing, 2016",
)
class Portfolio(Agent):
    """Our entry: planning by search where a level is deterministic, methods in turn elsewhere."""

    reads_rules: ClassVar[str] = RULES

    max_nodes: int = parameter(
        1_000_000, "states that one search of a level may meet, over all the decisions it lasts", low=1, high=10**8
    )
    patience: int = parameter(
        1000, "ticks up to which it waits for its search while waiting changes nothing", low=0, high=2000, unit="ticks"
    )
    turn: int = parameter(80, "ticks without progress until another method plays", low=1, high=2000, unit="ticks")

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        milliseconds = self.budget.milliseconds
        self._careful = self.budget if milliseconds is None else Budget(milliseconds=_SHARE * milliseconds)
        made = [make_agent(name, seed=self.seed, budget=self.budget, player=self.player) for name in METHODS]
        self._turns = _Turns([agent for agent in made if isinstance(agent, CompiledAgent)], self.turn)
        self._calls = 0
        self._forget()

    def _forget(self) -> None:
        self._plan: deque[str] = deque()
        self._expected: int | None = None
        self._search: ResumableSearch | None = None
        self._attempt = 0
        self._unsolvable = False

    @property
    def calls(self) -> int:
        """Forward-model calls of all decisions since the last reset."""
        return self._calls + self._turns.calls

    @property
    def reproducible(self) -> bool:
        """True when the same seed gives the same decisions: always, unless the budget is time."""
        return self.budget.calls is not None

    def reset(self, state: GameState) -> None:
        """Forget plans and searches."""
        self._calls = 0
        self._forget()
        if not 0 <= self.player < state.model.players:
            raise AgentError(f"player {self.player} of {state.model.players}")
        self._turns.reset(state)
        model = state.model
        if not model.stochastic and model.players == 1:
            if self.budget.milliseconds is not None:
                make_roomy(model)
            self._search = self._new_search(model)

    def _new_search(self, model: Model) -> ResumableSearch:
        return ResumableSearch(model, self.max_nodes, hasty=self.budget.milliseconds is not None)

    def act(self, state: GameState) -> str:
        """The name of the chosen action."""
        if state.is_over:
            return state.model.action_names[0]
        if state.model.stochastic or state.model.players > 1 or self._unsolvable:
            return self._turns.act_within(state, self.budget)
        if self._plan and state.key() == self._expected:
            return self._next_of_plan(state)
        self._plan.clear()
        return self._by_search(state)

    def _next_of_plan(self, state: GameState) -> str:
        action = self._plan.popleft()
        future = state.copy()
        future.advance(action)
        self._calls += 1
        self._expected = future.key()
        return action

    def _by_search(self, state: GameState) -> str:
        meter = BudgetMeter(self._careful)
        action = self._thought(state, meter)
        self._calls += meter.spent
        if action is not None:
            return action
        rest = meter.rest()
        return state.model.action_names[0] if rest is None else self._turns.act_within(state, rest)

    def _thought(self, state: GameState, meter: BudgetMeter) -> str | None:
        """An action by search: the first of a plan, or waiting for one; None when the search has nothing to say."""
        nil = state.model.action_names[0]
        rested = state.copy()
        rested.advance(nil)
        longer = rested.copy()
        longer.advance(nil)
        meter.spent += 2
        # a cooldown runs off in a tick or two; what does not change then will wait for as long as it takes to think
        still = longer.key() == rested.key() and not longer.is_over
        root = rested if still else state
        key = root.key()
        search = self._search
        if search is None:
            search = self._search = self._new_search(state.model)
        if search.key != key:
            search.begin(root, ATTEMPTS[self._attempt % len(ATTEMPTS)], self._nodes(still))
        search.resume(meter, 0.8 if still else 0.5)
        if search.solved:
            self._plan = deque(search.plan())
            self._expected = key
            search.key = None
            return nil if still and state.key() != key else self._next_of_plan(state)
        if search.ended:
            self._unsolvable = search.unsolvable
            if still:  # otherwise only this decision's share was searched, and the next starts afresh
                self._attempt += 1
                self._unsolvable |= self._attempt >= len(ATTEMPTS)
            search.key = None
        return nil if still and not self._unsolvable and state.tick < self.patience else None

    def _nodes(self, still: bool) -> int:
        """Room for a search that lasts, or for one that a single decision pays for."""
        if still:
            return self.max_nodes
        milliseconds = self.budget.milliseconds
        enough = 4 * (self.budget.calls or 0) + 64 if milliseconds is None else int(_NODES_PER_MS * milliseconds) + 64
        return min(self.max_nodes, enough)
