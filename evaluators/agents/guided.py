"""MCTS that knows where to go: its leaves are worth more the nearer they are to what the rules say comes next.

`goal_field` measures the way to what must be touched next around what blocks the avatar.
Where the rules name none (a game of survival), or the engine has no rules to read, it is plain MCTS.
"""

from __future__ import annotations

from typing import Any

from pcg.engine.model import Model
from pcg.evaluators.agents.base import Budget, GameState
from pcg.evaluators.agents.compiled import Record
from pcg.evaluators.agents.goal_field import PER_GOAL, GoalField, goal_field
from pcg.evaluators.agents.mcts import MCTS
from pcg.evaluators.agents.registry import AgentType, register
from pcg.evaluators.parameters import Parameter


class GuidedMCTS(MCTS):
    """MCTS with the way to the next targets in its values.

    Args:
        guidance: points of score that a tick of the estimated way to a win costs.
        win_bonus: added to the score of a won game, subtracted from that of a lost one.
    """

    def __init__(self, *, guidance: float = 1.0, win_bonus: float = 100.0, depth: int = 15, **rest: Any) -> None:
        super().__init__(guidance=0.0, win_bonus=win_bonus, depth=depth, **rest)
        self.pull = guidance
        self.field: GoalField | None = None

    def prepare(self, model: Model, record: Record) -> None:
        super().prepare(model, record)
        self.field = goal_field(model, record, self.field) if self.pull else None
        if self.field is not None:
            self.tree["guidance"] = self.pull

    @property
    def reproducible(self) -> bool:
        """Never played by the compiled loop: the field is set up in Python before every decision."""
        return False

    def done(self, state: GameState) -> float:
        """How much of what the rules ask for is dealt with, in ticks; only differences mean something."""
        self.bind(state.model)
        if self.field is None:
            return 0.0
        self.field.count(self._record, state)
        targets = self.field.targets
        left = sum(int(self.field.counts[t]) for t in targets.wanted)
        return PER_GOAL * (sum(int(self.field.counts[t]) for t in targets.unwanted) - left)

    def act_within(self, state: GameState, budget: Budget) -> str:
        """Set the field up for the state, then search."""
        self.bind(state.model)
        if self.field is not None:
            self.field.aim(self._record, state)
        return super().act_within(state, budget)


register(
    AgentType(
        "guided",
        GuidedMCTS,
        "MCTS whose values include the way to what the rules say comes next",
        (
            Parameter("c", 1.41421356, "exploration constant of UCB1", low=0, high=1e6),
            Parameter("depth", 15, "ticks looked ahead, tree and rollout together", low=1, high=10_000),
            Parameter("win_bonus", 100.0, "added to the score of a won game, subtracted of a lost one", low=0),
            Parameter("guidance", 1.0, "points of score that a tick of the estimated way to a win costs", low=0),
        ),
        "Perez Liebana et al., General Video Game AI: A Multitrack Framework, 2019 (agents that target sprites)",
    )
)
