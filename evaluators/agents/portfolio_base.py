"""The base of portfolio agents: plans where nothing is left to chance, methods in turn elsewhere.

A level without chance is searched for a win, over as many decisions as that takes where waiting changes nothing, and
rehearsed (`rehearsal`); a plan found is played to its end. Where time does not wait, the play follows a rehearsal that
runs ahead of it. Everything else, and what no plan solves, is played by planning agents in turn: one plays for as long
as there is progress, then the next gets its chance. How progress and chance are told is up to the subclasses: `pcg`
reads the rules (`portfolio`), `hyper` observes (`hyper_heuristic`).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from pcg.engine.model import Model
from pcg.evaluators.agents.base import Agent, AgentError, Budget, GameState, parameter
from pcg.evaluators.agents.compiled import CompiledAgent, make_roomy
from pcg.evaluators.agents.rehearsal import CONSTRUCTION, TICKS, Rehearsal
from pcg.evaluators.agents.rehearsers import Rehearsers, make_compiled
from pcg.evaluators.agents.resumable_search import BudgetMeter, ResumableSearch, SearchMethod
from pcg.evaluators.agents.rewinding import Rewinding

_NODES_PER_MS = 1000
"""States that a search of a single decision has room for, for every millisecond of it."""
_SHARE = 0.85
"""Share of a budget of time to be used where a search and another method follow each other."""
_ROUNDS = 3
"""Rehearsals that every method may lose while time does not wait, where the budget does not pay for many."""
_REWOUND = 0.75
"""Share of a decision for improving a line of play in imagination."""
_PRESSED = 0.5
"""The same while none is worth following: the rest is for a search."""


class Turns:
    """Methods that take turns: whoever plays goes on while the best value reached still rises.

    Args:
        agents: the methods, the first to play first.
        patience: ticks without a better value until the next one plays.
        value: of a state of the play; what counts as progress.
    """

    def __init__(self, agents: Sequence[CompiledAgent], patience: int, value: Callable[[GameState], float]) -> None:
        self.agents = tuple(agents)
        self.patience = patience
        self._value = value

    def reset(self, state: GameState) -> None:
        """Begin with the first method; all get their memory now, because a decision has no time for it."""
        for agent in self.agents:
            agent.reset(state)
        self.turn = 0
        self._best = -math.inf
        self._quiet = 0
        self._sparing = False

    @property
    def calls(self) -> int:
        """Forward-model calls of all methods since the reset."""
        return sum(agent.calls for agent in self.agents)

    @property
    def outgrown(self) -> bool:
        """True when the next decision of the method whose turn it is begins with getting memory."""
        return self.agents[self.turn].outgrown

    def act_within(
        self, state: GameState, budget: Budget, chosen: int | None = None, sparing: Budget | None = None
    ) -> str:
        """The action of the method whose turn it is, or of a chosen one, whose turn it is from now on.

        A chosen one that makes no progress takes turns with itself: with the whole budget, and with the sparing one
        with which it has been seen to win, if any.
        """
        if chosen is not None and chosen != self.turn:
            self.turn = chosen
            self._quiet = 0
            self._sparing = False
        value = self._value(state)
        self._quiet = 0 if value > self._best else self._quiet + 1
        self._best = max(self._best, value)
        if self._quiet > self.patience:
            self._quiet = 0
            if chosen is None:
                self.turn = (self.turn + 1) % len(self.agents)
            self._sparing = not self._sparing
        if sparing is None or not self._sparing:
            sparing = budget
        return self.agents[self.turn].act_within(state, sparing)


class PortfolioBase(Agent):
    """Portfolio of methods: a subclass says which, and implements `_progress`, `_certain` and `_new_search`."""

    methods: ClassVar[tuple[str, ...]]
    """Agents that take turns, the first to play first."""

    rehearsers: ClassVar[tuple[str, ...]]
    """Agents that play ahead where nothing is left to chance, one after the other."""
    attempts: ClassVar[tuple[SearchMethod, ...]]
    """Searches of a level in which waiting changes nothing, one after the other."""

    max_nodes: int = parameter(
        1_000_000, "states that one search of a level may meet, over all the decisions it lasts", low=1, high=10**8
    )
    patience: int = parameter(
        1000, "ticks up to which it waits for its search while waiting changes nothing", low=0, high=2000, unit="ticks"
    )
    turn: int = parameter(150, "ticks without progress until another method plays", low=1, high=2000, unit="ticks")

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        milliseconds = self.budget.milliseconds
        self._careful = self.budget if milliseconds is None else Budget(milliseconds=_SHARE * milliseconds)
        methods = make_compiled(self.methods, self.seed, self.budget, self.player, milliseconds is not None)
        self._turns = Turns(methods, self.turn, self._progress)
        self._rehearsers = Rehearsers(self.rehearsers, self.seed, self.budget, self.player)
        self._calls = 0
        self._forget()

    @property
    def agents(self) -> tuple[CompiledAgent, ...]:
        """All that play and rehearse."""
        return (*self._turns.agents, *self._rehearsers.agents)

    def _points(self, state: GameState) -> float:
        score = state.score
        return float(score[self.player] if isinstance(score, tuple) else score)

    def _progress(self, state: GameState) -> float:
        """Return a measure of progress: as long as it rises, the method that plays goes on."""
        raise NotImplementedError

    def _identity(self, state: GameState) -> int:
        """Return a number by which states are told apart: what a plan is followed by, and what waiting changes."""
        return state.key()

    def _certain(self, model: Model) -> bool:
        """True when the actions alone decide what happens, so that a search makes sense."""
        raise NotImplementedError

    def _forget(self) -> None:
        self._plan: deque[str] = deque()
        self._expected: int | None = None
        self._search: ResumableSearch | None = None
        self._rehearsal: Rehearsal | None = None
        self._rehearsers.forget()
        self._rewinding: Rewinding | None = None
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
        if self._certain(model):
            if self.budget.milliseconds is not None:
                make_roomy(model)
            self._search = self._new_search(model)
            self._rehearsers.get_ready(state, self.timer)
            if self._rehearsers.many:
                self._rewinding = Rewinding(self._new_rehearsal, self._judged, self._identity, self.seed)
            self._construct(state)

    def _by_turns(self, state: GameState) -> str:
        """An action where no search makes sense."""
        return self._turns.act_within(state, self.budget)

    def _construction(self) -> Budget:
        """Budget of what is thought before the first decision."""
        calls, milliseconds = self.budget.calls, self.budget.milliseconds
        if milliseconds is None:
            return Budget(calls=CONSTRUCTION * (calls or 0))
        return Budget(milliseconds=max(1.0, min(CONSTRUCTION * milliseconds, _SHARE * self.timer.left)))

    def _construct(self, state: GameState) -> None:
        """Use the time before the first decision for first rehearsals."""
        meter = BudgetMeter(self._construction())
        if self._rewinding is not None:
            root, still = self._root(state, meter)
            self._rewind(root, meter, 1.0, moving=not still)
        else:
            while self._first_round:
                if self._rehearse(state, meter, 1.0) or self._rehearsal is not None:
                    break  # there is a plan, or one is under way for which there is no time left
        self._calls += meter.spent

    def _new_rehearsal(self, state: GameState) -> Rehearsal:
        """Return the next rehearsal, from a state."""
        return self._rehearsers.begin(state, self._identity, self._make_ready)

    @property
    def _first_round(self) -> bool:
        """True until every method that is ready has rehearsed."""
        return self._rehearsers.held < len(self._rehearsers.ready)

    def _note(self, rehearsal: Rehearsal) -> None:
        """Count a rehearsal that has ended, and take something from it."""
        self._rehearsers.held += 1
        self._learn(rehearsal)

    def _judged(self, rehearsal: Rehearsal) -> float:
        """Return the points to which a rehearsal has led that has ended."""
        self._note(rehearsal)
        return self._points(rehearsal.states[-1])

    def _rewind(self, state: GameState, meter: BudgetMeter, share: float, *, moving: bool) -> bool:
        """Go on with a line of play in imagination from a state; True when it is a plan."""
        rewinding = self._rewinding
        if rewinding is None:
            return False
        rewinding.look(state, moving)
        if not rewinding.go_on(state, meter, _PRESSED if moving and rewinding.pressed else share, moving):
            return False
        self._plan = deque(rewinding.plan())
        self._expected = self._identity(state)
        return True

    def _rehearse(self, state: GameState, meter: BudgetMeter, share: float) -> bool:
        """Go on with the rehearsal at hand, or begin the next from a state; True when there is a plan."""
        key = self._identity(state)
        rehearsal = self._rehearsal
        if rehearsal is None or rehearsal.next_key != key:
            rehearsal = self._rehearsal = self._new_rehearsal(state)
        rehearsal.go_on(meter, share)
        if rehearsal.ended:
            self._rehearsal = None
            self._note(rehearsal)
        if rehearsal.won:
            self._plan = deque(rehearsal.rest())
            self._expected = key
        return rehearsal.won

    def _make_ready(self, method: CompiledAgent, state: GameState) -> None:
        """Have a method begin anew for a rehearsal from a state."""
        method.reset(state)

    def _follow(self, state: GameState, meter: BudgetMeter) -> str | None:
        """An action where time does not wait: that of a play in imagination, which runs ahead of the play.

        Where the budget pays for many rehearsals, it is a line that they improve (`rewinding`). Otherwise it is the
        rehearsal at hand; one that is lost is given up for another from the present state, for some rounds.
        """
        rewinding = self._rewinding
        if rewinding is not None:
            won = self._rewind(state, meter, _REWOUND, moving=True)
            return self._next_of_plan(state) if won else rewinding.follow()
        if self._rehearsers.held >= _ROUNDS * len(self._rehearsers.ready):
            return None
        if self._rehearse(state, meter, 0.9):
            return self._next_of_plan(state)
        rehearsal = self._rehearsal
        if rehearsal is None or not rehearsal.rest():
            return None
        rehearsal.done += 1
        return rehearsal.actions[rehearsal.done - 1]

    def _learn(self, rehearsal: Rehearsal) -> None:
        """Take something from a rehearsal that has ended."""

    def _new_search(self, model: Model) -> ResumableSearch:
        """Memory of a search of a level, with what leads it."""
        raise NotImplementedError

    def act(self, state: GameState) -> str:
        """The name of the chosen action."""
        if state.is_over:
            return state.model.action_names[0]
        if not self._certain(state.model) or self._unsolvable:
            return self._by_turns(state)
        if self._plan and self._identity(state) == self._expected:
            return self._next_of_plan(state)
        self._plan.clear()
        return self._by_search(state)

    def _next_of_plan(self, state: GameState) -> str:
        action = self._plan.popleft()
        future = state.copy()
        future.advance(action)
        self._calls += 1
        self._expected = self._identity(future)
        return action

    def _by_search(self, state: GameState) -> str:
        meter = BudgetMeter(self._careful)
        action = self._thought(state, meter)
        self._calls += meter.spent
        if action is not None:
            return action
        rest = meter.rest()
        return state.model.action_names[0] if rest is None else self._turns.act_within(state, rest)

    def _root(self, state: GameState, meter: BudgetMeter) -> tuple[GameState, bool]:
        """Return the state to search from, and whether it stays as it is: then it is the one after waiting a tick."""
        nil = state.model.action_names[0]
        rested = state.copy()
        rested.advance(nil)
        longer = rested.copy()
        longer.advance(nil)
        meter.spent += 2
        # a cooldown runs off in a tick or two; what does not change then will wait for as long as it takes to think
        still = self._identity(longer) == self._identity(rested) and not longer.is_over
        return (rested if still else state), still

    def _thought(self, state: GameState, meter: BudgetMeter) -> str | None:
        """An action by search: the first of a plan, or waiting for one; None when the search has nothing to say."""
        nil = state.model.action_names[0]
        root, still = self._root(state, meter)
        key = self._identity(root)
        many = self._rewinding is not None
        if still and state.tick % 2 and (many or self._first_round):
            if self._rewind(root, meter, _REWOUND, moving=False) if many else self._rehearse(root, meter, 0.8):
                return nil if self._identity(state) != key else self._next_of_plan(state)
            return nil if self._waits(state) else None
        if not still:
            action = self._follow(state, meter)
            if action is not None:
                return action
        search = self._search
        if search is None:
            search = self._search = self._new_search(state.model)
        if search.key != key:
            search.key = key
            search.begin(root, self.attempts[self._attempt % len(self.attempts)], self._nodes(still))
        search.resume(meter, 0.8 if still else 0.5)
        if search.solved:
            self._plan = deque(search.plan())
            self._expected = key
            search.key = None
            return nil if still and self._identity(state) != key else self._next_of_plan(state)
        if search.ended:
            self._unsolvable = search.unsolvable
            if still:  # otherwise only this decision's share was searched, and the next starts afresh
                self._attempt += 1
                self._unsolvable |= self._attempt >= len(self.attempts)
            search.key = None
        return nil if still and not self._unsolvable and self._waits(state) else None

    def _waits(self, state: GameState) -> bool:
        """True while waiting costs nothing: a game that is lost later than rehearsals end needs its time."""
        longest = 0 if self._rewinding is None else self._rewinding.longest
        return state.tick < self.patience - (2 * longest if longest > TICKS else 0)

    def _nodes(self, still: bool) -> int:
        """Room for a search that lasts, or for one that a single decision pays for."""
        if still:
            return self.max_nodes
        milliseconds = self.budget.milliseconds
        enough = 4 * (self.budget.calls or 0) + 64 if milliseconds is None else int(_NODES_PER_MS * milliseconds) + 64
        return min(self.max_nodes, enough)
