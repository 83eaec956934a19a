"""Auditions: methods play whole games in imagination, with few simulations per tick, to show which of them wins.

A search sees a few dozen ticks ahead, and that a method makes no progress shows only when it is late. Playing on to the
end with a small budget per decision takes a tenth of a second, so that a decision's time pays for some of it: from the
present state on, over sampled futures, methods are tried like arms of a bandit (UCB1; Auer, Cesa-Bianchi and Fischer,
Finite-time Analysis of the Multiarmed Bandit Problem, 2002), and the one that wins most often is to play. After nested
rollouts (Cazenave, Nested Monte-Carlo Search, 2009) and the choice of algorithms in hyper-heuristic players (Mendes,
Nealen and Togelius, 2016), which made it beforehand from features of games.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Sequence
from typing import Any

from pcg.engine.state import Outcome
from pcg.evaluators.agents.base import Budget, GameState
from pcg.evaluators.agents.compiled import CompiledAgent
from pcg.evaluators.agents.observed_chance import sampled_future
from pcg.evaluators.agents.playout import MAX_TICKS, outcomes_of
from pcg.evaluators.agents.registry import make_agent
from pcg.evaluators.agents.resumable_search import BudgetMeter

CALLS = 200
"""Forward-model calls per decision in imagination."""
LEAST_CALLS = 25
"""Calls per decision below which auditions are given up on levels that are slow to simulate."""
DECISION_MS = 3.0
"""Milliseconds that a decision in imagination may take on average; above that, decisions get fewer calls."""
_CONSTRUCTION = 0.8
"""Share of what is left of an agent's construction for the first auditions."""
MEMORY = 0.93
"""Factor of all that is known whenever an audition ends: what was won from states long gone says less."""
LEAD = 0.1
"""Share of plays by which doing nothing must be better than all methods may be, to be chosen."""
CONVINCING = 0.75
"""Share of auditions, one more counted as lost, from which on a method may be expected to win as it was auditioned."""


class Auditions:
    """Plays in imagination of several methods, gone on with from decision to decision.

    Args:
        names: of the methods, in the order in which they are preferred where nothing is known. Doing nothing is added
            as the last: it costs so little that every other audition is its.
        seed: of their randomness, and of the futures.
        player: the number of the player.

    Attributes:
        best: index of the method to play; None while none of them has won. Doing nothing is not chosen while a method
            may be as good: it collects no points.
        calls: forward-model calls so far.
        given_up: True before they begin, and on levels that are too slow for them.

    >>> import pcg
    >>> auditions = Auditions(("onestep", "olets"), seed=1)
    >>> auditions.begin(pcg.load("hunt").start(level=0, seed=1), BudgetMeter(Budget(calls=300_000)))
    >>> auditions.best
    1
    """

    def __init__(self, names: Sequence[str], seed: int, player: int = 0) -> None:
        budget = Budget(calls=CALLS)
        made = (
            make_agent(name, seed=seed + 1 + k, budget=budget, player=player)
            for k, name in enumerate((*names, "nothing"))
        )
        self._methods = [method for method in made if isinstance(method, CompiledAgent)]
        self._seed = seed
        self._player = player
        self.forget()

    def forget(self) -> None:
        """Forget what is known; there are no auditions until they begin again."""
        self._random = random.Random(self._seed)
        self._plays = [0.0] * len(self._methods)
        self._wins = [0.0] * len(self._methods)
        self._budget = Budget(calls=CALLS)
        self._pace = 0.0
        self._state: Any = None
        self._method = 0
        self.best: int | None = None
        self.calls = 0
        self.given_up = True

    def begin(self, state: GameState, meter: BudgetMeter) -> None:
        """Forget what is known, and hold auditions before the first decision of a game for one player."""
        self.forget()
        for method in self._methods:  # they get their memory now
            method.hasty = meter.budget.milliseconds is not None
            if not meter.next_slice(1.0):
                return
            method.reset(state)
        self.given_up = False
        self.go_on(state, meter, _CONSTRUCTION)

    def go_on(self, state: GameState, meter: BudgetMeter, share: float) -> None:
        """Go on until that share of a decision's budget is used up; new auditions begin at `state`."""
        while not self.given_up and meter.next_slice(share):
            if self._state is None:
                self._call_up(state)
            self._advance(meter)

    def _call_up(self, state: GameState) -> None:
        """Begin an audition of the method that promises most, or of which least is known; every other one is idle."""
        idle = len(self._methods) - 1
        if self._method != idle:
            self._method = idle
        else:
            tried = math.log(1.0 + sum(self._plays[:idle]))
            self._method = max(
                range(idle), key=lambda k: self._rate(k) + 0.5 * math.sqrt(tried / (1.0 + self._plays[k]))
            )
        self._state = sampled_future(state, self._random)
        self._methods[self._method].reset(self._state)

    def _rate(self, method: int) -> float:
        """Share of auditions that a method is expected to win; nothing known: an even chance, the first a bit more."""
        return (self._wins[method] + (0.5 if method == 0 else 0.4)) / (self._plays[method] + 1.0)

    def _hope(self, method: int) -> float:
        """Share of auditions that a method may yet turn out to win: doing nothing must be better than that."""
        return (self._wins[method] + 1.0) / (self._plays[method] + 1.0) if self._plays[method] else 0.5

    def _proof(self, method: int) -> float:
        """Share of auditions that a method wins at least: the next one counts as lost."""
        return self._wins[method] / (self._plays[method] + 1.0)

    @property
    def winning(self) -> Budget | None:
        """Budget of a decision with which the method to play wins nearly all auditions; None: it does not."""
        return None if self.best is None or self._proof(self.best) < CONVINCING else self._budget

    def _advance(self, meter: BudgetMeter) -> None:
        """Play a tick of the audition at hand."""
        state, method = self._state, self._methods[self._method]
        before, started = method.calls, time.thread_time()
        state.advance(method.act_within(state, self._budget))
        spent = method.calls - before + 1
        meter.spent += spent
        self.calls += spent
        if meter.budget.milliseconds is not None:
            self._keep_pace(1000 * (time.thread_time() - started))
        if state.is_over or state.tick >= MAX_TICKS:
            self._note(state.is_over and outcomes_of(state)[0][self._player] is Outcome.PLAYER_WINS)

    def _keep_pace(self, milliseconds: float) -> None:
        """Give decisions fewer calls where they take too long; a single slow one says nothing."""
        self._pace += (min(milliseconds, 2 * DECISION_MS) - self._pace) / 10
        if self._pace > DECISION_MS:
            fewer = (self._budget.calls or 0) // 2
            self.given_up = fewer < LEAST_CALLS
            self._budget = Budget(calls=max(fewer, LEAST_CALLS))
            self._pace /= 2

    def _note(self, won: bool) -> None:
        """Take note of how an audition ended."""
        idle = len(self._methods) - 1
        fading = range(idle) if self._method != idle else (idle,)
        for known in (self._plays, self._wins):
            for k in fading:
                known[k] *= MEMORY
        self._plays[self._method] += 1.0
        self._wins[self._method] += won
        self._state = None
        if self._rate(idle) > max(map(self._hope, range(idle))) + LEAD:
            self.best = idle
            return
        present = 0 if self.best is None or self.best == idle else self.best
        leader = max(range(idle), key=self._proof)
        if self._proof(leader) > self._hope(present):
            present = leader
        self.best = present if self._wins[present] >= 0.5 else None
