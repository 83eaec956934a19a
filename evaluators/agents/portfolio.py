"""The portfolio agent `pcg`: plans where a level is deterministic, and lets methods take turns on the others.

It reads the rules: whether chance plays a part, what sprites are good for and how the game is won. `hyper_heuristic` is
the same without them.
"""

from __future__ import annotations

from typing import ClassVar

from pcg.engine.model import Model
from pcg.evaluators.agents.base import RULES, GameState, parameter
from pcg.evaluators.agents.compiled import CompiledAgent
from pcg.evaluators.agents.goal_heuristic import goal_weights
from pcg.evaluators.agents.guided_mcts import GuidedMCTS
from pcg.evaluators.agents.portfolio_base import PortfolioBase
from pcg.evaluators.agents.registry import register
from pcg.evaluators.agents.resumable_search import ResumableSearch, SearchMethod
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


@register(
    "pcg",
    "plans by search and rehearsal on deterministic levels, lets several methods take turns on the others",
    paper="Mendes, Nealen and Togelius, Hyper-heuristic general video game playing, 2016",
)
class Portfolio(PortfolioBase):
    """Our entry: planning where a level is deterministic, methods in turn elsewhere, all led by the rules."""

    reads_rules: ClassVar[str] = RULES
    methods: ClassVar[tuple[str, ...]] = METHODS
    rehearsers: ClassVar[tuple[str, ...]] = REHEARSERS
    attempts: ClassVar[tuple[SearchMethod, ...]] = ATTEMPTS

    patience: int = parameter(
        1000, "ticks up to which it waits for its plan while waiting changes nothing", low=0, high=2000, unit="ticks"
    )
    turn: int = parameter(150, "ticks without progress until another method plays", low=1, high=2000, unit="ticks")

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
