"""Rehearsals: whole plays in imagination, in which a method plays ahead with a small budget per decision.

Where nothing is left to chance, a rehearsal that wins is a plan that wins. Looking ahead a few ticks with many
simulations and playing on to the end with few see different things: a search proves or exhausts, a rehearsal commits
itself and comes far. After nested rollout policies (Cazenave, Nested Monte-Carlo Search, 2009).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pcg.engine.state import Outcome
from pcg.evaluators.agents.base import Budget, GameState
from pcg.evaluators.agents.compiled import CompiledAgent
from pcg.evaluators.agents.playout import outcomes_of
from pcg.evaluators.agents.resumable_search import BudgetMeter

CONSTRUCTION = 20
"""Decisions' worth of thinking before the first decision; the second that the competitions grant is 25 of them."""
TICKS = 300
"""Ticks after which a rehearsal is given up."""


class Rehearsal:
    """A play in imagination that is gone on with from decision to decision.

    Args:
        state: where it begins.
        method: who plays, ready for that; it learns what it learns.
        budget: of a decision in imagination.
        identity: tells states apart.
        calls: forward-model calls of a decision in imagination at most, where the budget is time; None: as many as
            fit.
        keeps_states: whether to keep all states that it comes through.

    Attributes:
        states: those kept, the one where it begins first.
        actions: what was played so far.
        keys: identities of the state before each of them, and of the last.
        done: how many of them the real play has followed.
        ended: True when the play is over, or given up.
        won: True when it was won: `actions` is a plan.
    """

    def __init__(
        self,
        state: GameState,
        method: CompiledAgent,
        budget: Budget,
        identity: Callable[[GameState], int],
        *,
        calls: int | None = None,
        keeps_states: bool = False,
    ) -> None:
        self.method = method
        self._identity = identity
        self.keys = [identity(state)]
        self.done = 0
        self.actions: list[str] = []
        self.won = False
        self.ended = state.is_over
        self._state: Any = state.copy()
        self._keeps_states = keeps_states
        self.states: list[GameState] = [state.copy()] if keeps_states else []
        self._budget = budget
        if calls is not None:
            method.most_calls = calls

    def go_on(self, meter: BudgetMeter, share: float) -> None:
        """Play on until that share of a decision's budget is used up, or the play ends.

        A decision in imagination never gets more than what is left of the real one, and is not begun with too little.
        """
        while not self.ended and meter.next_slice(share) > 0:
            budget = meter.portion(self._budget)
            if budget is None:
                break
            before = self.method.calls
            self._advance(budget)
            meter.spent += max(1, self.method.calls - before + 1)

    @property
    def next_key(self) -> int:
        """Identity of the state that the real play is in if it has followed so far."""
        return self.keys[self.done]

    def rest(self) -> list[str]:
        """Actions that the real play has not followed yet."""
        return self.actions[self.done :]

    def _advance(self, budget: Budget) -> None:
        action = self.method.act_within(self._state, budget)
        self._state.advance(action)
        self.actions.append(action)
        self.keys.append(self._identity(self._state))
        if self._keeps_states:
            self.states.append(self._state.copy())
        over = self._state.is_over
        self.won = over and outcomes_of(self._state)[0][0] == Outcome.PLAYER_WINS
        self.ended = over or len(self.actions) >= TICKS
