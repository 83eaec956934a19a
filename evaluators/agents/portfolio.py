"""The portfolio agent `pcg`: looks at what kind of game it is in and lets the method play that suits it.

A deterministic level is searched for a win, over as many decisions as that takes where waiting changes nothing; a plan
found is played to its end. Everything else, and what no search solves, is played by planning agents in turn: one plays
for as long as there is progress (points, or things left to deal with to win), then the next gets its chance.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pcg.engine.kernel.protocol import GROW, OK
from pcg.engine.kernel.runtime import invoke1, invoke2
from pcg.evaluators.agents import solver_kernel
from pcg.evaluators.agents.base import Agent, AgentError, Budget, GameState
from pcg.evaluators.agents.compiled import CompiledAgent, Record, grow_model
from pcg.evaluators.agents.decision_kernel import DECISION
from pcg.evaluators.agents.goals import goal_weights
from pcg.evaluators.agents.guided import GuidedMCTS
from pcg.evaluators.agents.registry import AgentType, make_agent, register
from pcg.evaluators.agents.solver import MEMORY, _Search
from pcg.evaluators.parameters import Parameter

_SLICE = 512
"""Forward-model calls between two looks at the clock."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One way to search a level: an order of expansion and the trust in the estimate."""

    algorithm: str
    weight: float
    led: bool


ATTEMPTS = (Attempt("astar", 3.0, True), Attempt("bfs", 1.0, False), Attempt("astar", 1.0, True))


METHODS = ("ybcriber", "olets", "guided", "kbfastevo:refresh=4")
"""Who plays what no search solves, in this order and round again."""


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
        return points + self._guided.done(state)


class _Meter:
    """What is left of a decision's budget, in calls or in milliseconds of CPU time."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.spent = 0
        self._started = time.thread_time()

    def next_slice(self, share: float) -> int:
        """Calls that may be made before the next look while using no more than a share of it all; 0: none."""
        if self.budget.calls is not None:
            return max(0, min(_SLICE, int(self.budget.calls * share) - self.spent))
        assert self.budget.milliseconds is not None
        used = 1000 * (time.thread_time() - self._started)
        return _SLICE if used < self.budget.milliseconds * share else 0

    def rest(self) -> Budget | None:
        """The budget that is left; None when that is nothing."""
        if self.budget.calls is not None:
            left = self.budget.calls - self.spent
            return Budget(calls=left) if left > 0 else None
        assert self.budget.milliseconds is not None
        time_left = self.budget.milliseconds - 1000 * (time.thread_time() - self._started)
        return Budget(milliseconds=time_left) if time_left > 0.1 else None


class LevelSearch:
    """A search for a win from one state, spread over many decisions."""

    def __init__(self, state: GameState, attempt: Attempt, max_nodes: int) -> None:
        self.attempt = attempt
        self.max_nodes = max_nodes
        self.key = state.key()
        self.state = state.copy()
        self.calls = 0
        self._start()

    def _start(self) -> None:
        model = self.state.model
        self.decision = Record(DECISION, model=model.address, players=model.players)
        self.decision.point("own", np.zeros(model.max_actions + 1, dtype=np.int64))
        self.decision.point("joint", np.zeros(model.players, dtype=np.int64))
        self.search = _Search(
            model,
            self.decision,
            max_nodes=self.max_nodes,
            algorithm=self.attempt.algorithm,
            weights=goal_weights(model) if self.attempt.led else None,
            weight=self.attempt.weight,
            blocks=MEMORY // model.stride,
        )
        self.answer = invoke2(solver_kernel.begin_search.address, self.decision.address, self.state.address)
        if self.answer == GROW:
            grow_model(model, self.search.room)
            self._start()

    def go_on(self, meter: _Meter, share: float) -> None:
        """Search until that share of the budget is used up or there is an answer."""
        record = self.search.record
        while self.answer in (OK, solver_kernel.PAUSED, solver_kernel.BLOCKS_SPENT):
            if self.answer == solver_kernel.BLOCKS_SPENT:
                self.search.add_blocks(record["block_count"])
            calls = meter.next_slice(share)
            if calls <= 0:
                return
            before = int(record["calls"])
            record["pause_at"] = before + calls
            self.answer = invoke1(solver_kernel.expand_nodes.address, self.decision.address)
            if self.answer == GROW:
                grow_model(self.state.model, self.search.room)
                self._start()
                return
            meter.spent += max(1, int(record["calls"]) - before)

    @property
    def solved(self) -> bool:
        """Whether a win was found."""
        return bool(self.answer == solver_kernel.SOLVED)

    @property
    def hopeless(self) -> bool:
        """Whether it is proved that no line of actions wins."""
        return bool(self.answer == solver_kernel.EXHAUSTED and self.search.record["cut"] == 0)

    @property
    def ended(self) -> bool:
        """Whether going on is of no use."""
        return self.answer not in (OK, solver_kernel.PAUSED, solver_kernel.BLOCKS_SPENT)

    def plan(self) -> list[str]:
        """The winning actions."""
        return list(self.search.actions_to(self.search.record["goal"]))


class Portfolio(Agent):
    """Our entry: planning by search where a level is deterministic, guided MCTS elsewhere.

    Args:
        max_nodes: states that one search of a level may meet, over all the decisions it lasts.
        patience: ticks up to which the agent waits for its search while waiting changes nothing.
        turn: ticks without progress after which another method gets its chance.
    """

    def __init__(
        self,
        *,
        seed: int,
        budget: Budget | int | str | None = None,
        player: int = 0,
        max_nodes: int = 2_000_000,
        patience: int = 1000,
        turn: int = 80,
    ) -> None:
        self.seed = seed
        self.player = player
        self.budget = Budget.read(budget)
        self.max_nodes = max_nodes
        self.patience = patience
        made = [make_agent(name, seed=seed, budget=self.budget, player=player) for name in METHODS]
        self._turns = _Turns([agent for agent in made if isinstance(agent, CompiledAgent)], turn)
        self._calls = 0
        self._forget()

    def _forget(self) -> None:
        self._plan: deque[str] = deque()
        self._expected: int | None = None
        self._search: LevelSearch | None = None
        self._attempt = 0
        self._hopeless = False

    @property
    def calls(self) -> int:
        """Forward-model calls of all decisions since the last reset."""
        return self._calls + self._turns.calls

    @property
    def reproducible(self) -> bool:
        """Whether the same seed gives the same decisions: true unless the budget is time."""
        return self.budget.calls is not None

    def reset(self, state: GameState) -> None:
        """Forget plans and searches."""
        self._calls = 0
        self._forget()
        if not 0 <= self.player < state.model.players:
            raise AgentError(f"player {self.player} of {state.model.players}")
        self._turns.reset(state)

    def act(self, state: GameState) -> str:
        """The name of the chosen action."""
        if state.is_over:
            return state.model.action_names[0]
        if state.model.stochastic or state.model.players > 1 or self._hopeless:
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
        meter = _Meter(self.budget)
        action = self._thought(state, meter)
        self._calls += meter.spent
        if action is not None:
            return action
        rest = meter.rest()
        return state.model.action_names[0] if rest is None else self._turns.act_within(state, rest)

    def _thought(self, state: GameState, meter: _Meter) -> str | None:
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
        if self._search is None or self._search.key != key:
            self._search = LevelSearch(root, ATTEMPTS[self._attempt % len(ATTEMPTS)], self._nodes(still))
        self._search.go_on(meter, 1.0 if still else 0.5)
        if self._search.solved:
            self._plan = deque(self._search.plan())
            self._expected = key
            self._search = None
            return nil if still and state.key() != key else self._next_of_plan(state)
        if self._search.ended:
            self._hopeless = self._search.hopeless
            if still:  # otherwise only this decision's share was searched, and the next starts afresh
                self._attempt += 1
                self._hopeless |= self._attempt >= len(ATTEMPTS)
            self._search = None
        return nil if still and not self._hopeless and state.tick < self.patience else None

    def _nodes(self, still: bool) -> int:
        """Room for a search that lasts, or for one that a single decision pays for."""
        if still or self.budget.calls is None:
            return self.max_nodes
        return min(self.max_nodes, 4 * self.budget.calls + 64)


register(
    AgentType(
        "pcg",
        Portfolio,
        "searches deterministic levels for a win and lets several methods take turns on the others",
        (
            Parameter("max_nodes", 2_000_000, "states that one search of a level may meet", low=1, high=10**8),
            Parameter("patience", 1000, "ticks up to which it waits for its search", low=0, high=2000, unit="ticks"),
            Parameter("turn", 80, "ticks without progress until another method plays", low=1, high=2000, unit="ticks"),
        ),
        "Mendes, Nealen and Togelius, Hyper-heuristic general video game playing, 2016",
    )
)
