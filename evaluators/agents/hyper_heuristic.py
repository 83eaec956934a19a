"""The hyper-heuristic agent `hyper`: a portfolio that sees the forward model and the observations, never the rules.

It is the idea of `portfolio` under the conditions of the competitions, where an agent "never gets the VGDL description"
of its game and has to guess rules, dynamics and goals with the forward model. Each thing that the portfolio reads is
estimated instead: whether chance plays a part by simulating the same actions twice and by watching the play
(`observed_chance`); what is worth going to from what touches led to in simulations (`kernel.touch_statistics`); where
things can be reached from where simulations have brought the avatar (`kernel.learnt_maps`); progress from the score and
from sprites gone for good.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from pcg.engine.kernel.runtime import invoke5
from pcg.engine.model import Model
from pcg.evaluators.agents.base import NO_RULES, GameState, parameter
from pcg.evaluators.agents.compiled import Array
from pcg.evaluators.agents.kernel.heuristics import features_less_points
from pcg.evaluators.agents.observed_chance import ChanceAware, ChanceObserver, observation_of
from pcg.evaluators.agents.portfolio_base import PortfolioBase
from pcg.evaluators.agents.registry import register
from pcg.evaluators.agents.rehearsal import Rehearsal
from pcg.evaluators.agents.resumable_search import ResumableSearch, SearchMethod
from pcg.evaluators.agents.width import IW

METHODS = (
    "ybcriber:maps=true,chance=observed",
    "olets",
    "enhanced:chance=observed",
    "kbfastevo:refresh=4,ends=bonus,kinds=all,softmax=plus",
)
"""Agents that take turns, the first to play first; `kbfastevo` as it was measured here."""
ATTEMPTS = (SearchMethod("astar", 3.0, True), SearchMethod("bfs", 1.0, False))
REHEARSERS = ("ybcriber:maps=true,chance=observed", "iw:chance=observed", "enhanced:chance=observed", "olets")
"""Agents that play ahead in imagination where no chance is observed, in this order."""
PER_SPRITE = 10.0
"""Ticks that a sprite stands for whose touch brings points, as in `goal_heuristic`."""
LASTING = ("static", "resource", "portal")
"""Categories of sprites that do not come and go by themselves: one more or fewer is progress."""


class _Changes:
    """Progress as it can be observed: states of the world (numbers of lasting sprites) that were not there before."""

    def __init__(self, model: Model) -> None:
        self._kinds = np.array([category in LASTING for category in model.categories], dtype=bool)
        self._numbers = np.zeros(2 * len(model.categories), dtype=np.float64)
        self._record = model.record
        self._seen: set[bytes] = set()

    def count(self, state: GameState, player: int) -> int:
        """Return the number of different states of the world seen, this one included."""
        record, numbers = self._record, self._numbers
        room = int(numbers.ctypes.data), len(numbers)
        invoke5(int(record["features"]), int(record["game"]), state.address, player, *room)
        self._seen.add(numbers[::2][self._kinds].tobytes())
        return len(self._seen)


@register(
    "hyper",
    "hyper-heuristic without rules: plans where it observes no chance, lets several methods take turns elsewhere",
    paper="Mendes, Nealen and Togelius, Hyper-heuristic general video game playing, 2016",
)
class HyperHeuristic(PortfolioBase):
    """Portfolio of methods for an agent that never sees the rules.

    Where no chance is observed and waiting changes nothing, it searches for a win over many decisions, led by what
    touches have been worth so far; elsewhere, and when the search ends without a win, methods take turns. The one that
    plays goes on for as long as the score rises or the world changes for good.
    """

    reads_rules: ClassVar[str] = NO_RULES
    methods: ClassVar[tuple[str, ...]] = METHODS
    rehearsers: ClassVar[tuple[str, ...]] = REHEARSERS
    attempts: ClassVar[tuple[SearchMethod, ...]] = ATTEMPTS

    patience: int = parameter(
        600, "ticks up to which it waits for its search while waiting changes nothing", low=0, high=2000, unit="ticks"
    )
    turn: int = parameter(200, "ticks without progress until another method plays", low=1, high=2000, unit="ticks")
    change: float = parameter(0.01, "points that a state of the world never seen before counts as progress", low=0)

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self._observer = ChanceObserver(self.seed)
        self._weights: Array = np.zeros(0)
        self._changes: _Changes | None = None

    @property
    def calls(self) -> int:
        """Forward-model calls since the last reset, those of the observer included."""
        return super().calls + self._observer.calls

    def reset(self, state: GameState) -> None:
        """Begin anew, and find out whether chance plays a part."""
        self._observer = ChanceObserver(self.seed, self.timer)
        self._observer.begin(state)
        model = state.model
        self._weights = np.zeros(2 * len(model.categories))
        self._changes = _Changes(model)
        for agent in self.agents:
            if isinstance(agent, ChanceAware):
                agent.share(self._observer)
        super().reset(state)

    def _identity(self, state: GameState) -> int:
        """Return a hash of what can be observed: the key of a state knows hidden sprites too."""
        return hash(observation_of(state))

    def act(self, state: GameState) -> str:
        """The name of the chosen action."""
        before = self._observer.found
        self._observer.look(state)
        if self._observer.found != before:
            self._plan.clear()
            for agent in self._turns.agents:
                if isinstance(agent, ChanceAware):
                    agent.share(self._observer)
        action = super().act(state)
        if not state.is_over:
            self._observer.act(state, action)
        return action

    def _progress(self, state: GameState) -> float:
        """Points, and a little for every change of the world."""
        changes = 0 if self._changes is None else self._changes.count(state, self.player)
        return self._points(state) + self.change * changes

    def _certain(self, model: Model) -> bool:
        return model.players == 1 and not self._observer.found

    def _new_search(self, model: Model) -> ResumableSearch:
        return ResumableSearch(
            model,
            self.max_nodes,
            hasty=self.budget.milliseconds is not None,
            weights=self._weights,
            estimate=features_less_points,
        )

    def _learn(self, rehearsal: Rehearsal) -> None:
        """Let searches from now on be led by what touches were worth in the rehearsal."""
        if not isinstance(rehearsal.method, IW):
            return
        for kind, worth in enumerate(rehearsal.method.worth()):
            if worth >= 0.5:
                self._weights[2 * kind] = PER_SPRITE
                self._weights[2 * kind + 1] = 1.0
