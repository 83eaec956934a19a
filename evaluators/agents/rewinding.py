"""Rehearsals that go back: a play in imagination that is lost is taken up again before its end, until one is won.

Where nothing is left to chance, a line of play is as good as the best of its continuations. Methods with small budgets
play a line to its end; then, again and again, one of them takes it up somewhere before that end, most often shortly
before, and what comes out better replaces the rest of the line. After nested search that memorises its best sequence
(Cazenave, Nested Monte-Carlo Search, 2009) and exploration that returns to states before it goes on (Ecoffet et al.,
First return, then explore, 2021).
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pcg.evaluators.agents.base import GameState
from pcg.evaluators.agents.playout import MAX_TICKS
from pcg.evaluators.agents.rehearsal import Rehearsal
from pcg.evaluators.agents.resumable_search import BudgetMeter

BRINK = 20
"""Ticks before the end of a lost line from which on the play no longer follows it."""
_ANEW = 0.25
"""Share of rehearsals that begin where the play is, rather than on the line."""
_SPANS = 0.1
"""Weight of the last rehearsal in the mean number of decisions that one takes."""


@dataclass(slots=True)
class Line:
    """A play in imagination, from a state on.

    Attributes:
        actions: what was played.
        keys: identities of the states, one more than actions.
        states: the states themselves.
        won: it ends with a win.
        lost: it is over without one.
        ended: it is over, or as long as plays may be; otherwise it can be gone on with.
        value: larger is better.
    """

    actions: list[str]
    keys: list[int]
    states: list[GameState]
    won: bool
    lost: bool
    ended: bool
    value: tuple[bool, bool, float, int]

    def __len__(self) -> int:
        return len(self.actions)


class Rewinding:
    """A line of play in imagination, improved from decision to decision.

    Args:
        begin: returns a rehearsal from a state that keeps its states.
        judge: returns how good an ended rehearsal is in which nobody has won; more is better.
        identity: tells states apart.
        seed: of where lines are taken up.

    Attributes:
        longest: most ticks after which a line was lost.

    >>> import pcg
    >>> from pcg.evaluators.agents.base import Budget, Timer
    >>> from pcg.evaluators.agents.rehearsers import Rehearsers
    >>> state = pcg.load("boxes").start(level=0, seed=1)
    >>> methods = Rehearsers(("iw",), seed=1, budget=Budget(calls=4000), player=0)
    >>> methods.get_ready(state, Timer(math.inf))
    >>> def begin(state):
    ...     return methods.begin(state, type(state).key, lambda method, state: method.reset(state))
    >>> line = Rewinding(begin, lambda rehearsal: rehearsal.states[-1].score, type(state).key, seed=1)
    >>> line.go_on(state, BudgetMeter(Budget(calls=100_000)), 1.0, moving=False)
    True
    >>> for action in line.plan():
    ...     state.advance(action)
    >>> state.winner.name
    'PLAYER_WINS'
    """

    def __init__(
        self,
        begin: Callable[[GameState], Rehearsal],
        judge: Callable[[Rehearsal], float],
        identity: Callable[[GameState], int],
        seed: int,
    ) -> None:
        self._new_rehearsal = begin
        self._judge = judge
        self._identity = identity
        self._random = random.Random(seed)
        self._spans = 1.0
        self.longest = 0
        self._moving = False
        self._drop()

    def _drop(self) -> None:
        self._line: Line | None = None
        self._rehearsal: Rehearsal | None = None
        self._branch = 0
        self._done = 0
        self._span = 0
        self._rising = True

    @property
    def pressed(self) -> bool:
        """True while there is nothing to follow: the present decision had better be made by a search."""
        return self._line is None and self._rehearsal is None

    def look(self, state: GameState, moving: bool) -> None:
        """Drop what does not go through the state that the play is in, or leads from there to a loss that is near."""
        key = self._identity(state)
        line, rehearsal = self._line, self._rehearsal
        if line is not None:
            if line.keys[self._done] != key or (moving and self._doomed(line)):
                self._drop()
            elif rehearsal is not None and self._branch < self._done:
                self._rehearsal = None
        elif rehearsal is not None and rehearsal.keys[self._done] != key:
            self._drop()

    def go_on(self, state: GameState, meter: BudgetMeter, share: float, moving: bool) -> bool:
        """Improve the line within that share of a decision's budget, after `look`; True when it is won.

        Args:
            state: where the play is.
            meter: of the decision.
            share: of its budget.
            moving: whether time goes on: lines are as long as it takes, and are taken up where the play comes later.
        """
        self._span += 1
        self._moving = moving
        if self._line is not None and self._line.won:
            return True
        while meter.next_slice(share):
            if self._rehearsal is None:
                self._begin(state)
            rehearsal = self._rehearsal
            assert rehearsal is not None
            rehearsal.go_on(meter, share)
            if not rehearsal.ended:
                break
            self._end(rehearsal)
            if self._line is not None and self._line.won:
                return True
        return False

    def plan(self) -> list[str]:
        """Return what is left of the line."""
        return [] if self._line is None else self._line.actions[self._done :]

    def follow(self) -> str | None:
        """Return the next action of the line, or of the rehearsal at hand while there is none; None: no longer."""
        line, rehearsal = self._line, self._rehearsal
        if line is not None:
            if self._done >= len(line) or self._doomed(line):
                return None
            self._done += 1
            return line.actions[self._done - 1]
        if rehearsal is None or self._done >= len(rehearsal.actions):
            return None
        self._done += 1
        return rehearsal.actions[self._done - 1]

    def _doomed(self, line: Line) -> bool:
        """True when only a lost end of the line is left."""
        return line.lost and len(line) - self._done <= BRINK

    def _begin(self, state: GameState) -> None:
        line = self._line
        self._span = 1
        if line is not None:
            self._branch = self._taken_up(line)
            state = line.states[self._branch]
        self._rehearsal = self._new_rehearsal(state)

    def _taken_up(self, line: Line) -> int:
        """Return the tick of the line from which it is played anew; the play must not come there before that ends."""
        end, first = len(line), self._done
        if not line.ended and (self._moving or self._rising):
            return end
        if self._moving:
            first = min(end, first + math.ceil(self._spans) - 1)
        if self._random.random() < _ANEW or end <= first:
            return min(first, max(end - 1, 0))
        back = math.exp(self._random.uniform(0.0, math.log(end - first + 1)))
        return max(first, end - int(back))

    def _end(self, rehearsal: Rehearsal) -> None:
        """Let what was played be the line, or its end, unless the line is better."""
        self._rehearsal = None
        self._spans += _SPANS * (self._span - self._spans)
        line, branch = self._line, self._branch
        last: Any = rehearsal.states[-1]
        ended = bool(last.is_over) or last.tick >= MAX_TICKS
        lost = ended and not rehearsal.won
        ticks = branch + len(rehearsal.actions)
        if lost:
            self.longest = max(self.longest, ticks)
        value = (rehearsal.won, not lost, self._judge(rehearsal), ticks if self._moving or lost else -ticks)
        if line is None:
            line, branch = Line([], [], [], False, False, False, value), 0
        elif value >= line.value or branch == len(line):
            self._rising = value[2] > line.value[2]
        else:
            return
        self._line = Line(
            line.actions[:branch] + rehearsal.actions,
            line.keys[:branch] + rehearsal.keys,
            line.states[:branch] + rehearsal.states,
            rehearsal.won,
            lost,
            ended,
            value,
        )
