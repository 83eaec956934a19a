"""The portfolio agent `pcg`: plans where a level is deterministic, and lets methods take turns on the others.

It reads the rules: whether chance plays a part, what sprites are good for and how the game is won. `hyper_heuristic` is
the same without them.
"""

from __future__ import annotations

from typing import Any, ClassVar

from pcg.engine.model import Model
from pcg.evaluators.agents.auditions import CALLS, Auditions
from pcg.evaluators.agents.base import RULES, GameState, parameter
from pcg.evaluators.agents.compiled import CompiledAgent
from pcg.evaluators.agents.goal_heuristic import goal_weights
from pcg.evaluators.agents.guided_mcts import GuidedMCTS
from pcg.evaluators.agents.portfolio_base import PortfolioBase
from pcg.evaluators.agents.registry import register
from pcg.evaluators.agents.resumable_search import BudgetMeter, ResumableSearch, SearchMethod
from pcg.evaluators.agents.value_field import ValueField

REHEARSERS = ("ybcriber:maps=true", "valuefield", "guided", "iw")
"""Agents that play ahead in imagination where nothing is left to chance, in this order."""
METHODS = (
    "ybcriber:maps=true",
    "valuefield",
    "guided",
    "olets",
    "kbfastevo:refresh=4,ends=bonus,kinds=all,softmax=plus",
)
"""Agents that play what no search solves, in this order and round again; `kbfastevo` as it was measured here."""
ATTEMPTS: tuple[SearchMethod, ...] = (
    SearchMethod("astar", 3.0, True),
    SearchMethod("bfs", 1.0, False),
    SearchMethod("astar", 1.0, True),
)
"""Searches of a level in which waiting changes nothing, one after the other."""
AUDITIONED = tuple(method for method in METHODS if method != "valuefield")
"""Methods that are tried in imagination: all but one that needs much memory anew for every play."""
_LEAST_TICKS = 5
"""Ticks in imagination that auditions must come to per decision to be worth it."""


@register(
    "pcg",
    "plans by search and rehearsal on deterministic levels, lets several methods take turns on the others",
    paper="Mendes, Nealen and Togelius, Hyper-heuristic general video game playing, 2016",
)
class Portfolio(PortfolioBase):
    """Our entry: planning where a level is deterministic, methods in turn elsewhere, all led by the rules.

    Where a decision pays for it, methods also play whole games in imagination, and who wins them plays (`auditions`).
    """

    reads_rules: ClassVar[str] = RULES
    methods: ClassVar[tuple[str, ...]] = METHODS
    rehearsers: ClassVar[tuple[str, ...]] = REHEARSERS
    attempts: ClassVar[tuple[SearchMethod, ...]] = ATTEMPTS

    patience: int = parameter(
        1000, "ticks up to which it waits for its plan while waiting changes nothing", low=0, high=2000, unit="ticks"
    )
    turn: int = parameter(150, "ticks without progress until another method plays", low=1, high=2000, unit="ticks")

    audition: float = parameter(
        0.3, "share of a decision in which methods play on in imagination, to show which wins", low=0.0, high=0.9
    )

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        calls = self.budget.calls
        affordable = self.audition > 0 and (calls is None or self.audition * calls >= _LEAST_TICKS * CALLS)
        self._auditions = Auditions(AUDITIONED, self.seed, self.player) if affordable else None

    @property
    def calls(self) -> int:
        """Forward-model calls since the last reset, those of auditions included."""
        return super().calls + (self._auditions.calls if self._auditions else 0)

    def reset(self, state: GameState) -> None:
        """Begin anew; where chance plays a part, with auditions."""
        super().reset(state)
        if self._auditions:
            self._auditions.forget()
            if state.model.players == 1 and state.model.stochastic:
                self._auditions.begin(state, BudgetMeter(self._construction()))

    def _by_turns(self, state: GameState) -> str:
        """An action of the method that wins auditions, or whose turn it is while none does."""
        if self._auditions is None or self._auditions.given_up:
            return super()._by_turns(state)
        meter = BudgetMeter(self._careful)
        if not self._turns.outgrown:  # getting memory takes the time of auditions
            self._auditions.go_on(state, meter, self.audition)
        rest, best = meter.rest(), self._auditions.best
        if rest is None or best == len(AUDITIONED):
            return state.model.action_names[0]
        chosen = None if best is None else METHODS.index(AUDITIONED[best])
        return self._turns.act_within(state, rest, chosen, self._auditions.winning)

    def _progress(self, state: GameState) -> float:
        """Points, and what is left to deal with by the rules."""
        guided = next(agent for agent in self._turns.agents if isinstance(agent, GuidedMCTS))
        return self._points(state) + guided.progress(state)

    def _make_ready(self, method: CompiledAgent, state: GameState) -> None:
        """Have a method begin anew, unless that takes longer than a decision: what it knows of the level holds."""
        if self.budget.milliseconds is None or not isinstance(method, ValueField):
            super()._make_ready(method, state)

    def _certain(self, model: Model) -> bool:
        return not model.stochastic and model.players == 1

    def _new_search(self, model: Model) -> ResumableSearch:
        hasty = self.budget.milliseconds is not None
        return ResumableSearch(model, self.max_nodes, hasty=hasty, weights=goal_weights(model))
