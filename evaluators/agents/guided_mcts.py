"""MCTS led by subgoals: its leaves are worth more the nearer they are to what the rules say comes next.

`subgoal_field` measures the way to what must be touched next around what blocks the avatar.
Where the rules name none (a game of survival), or the engine has no rules to read, it is plain MCTS.
"""

from __future__ import annotations

from typing import ClassVar

from pcg.engine.model import Model
from pcg.evaluators.agents.base import RULES, Budget, GameState, select, with_defaults
from pcg.evaluators.agents.compiled import Record
from pcg.evaluators.agents.mcts import MCTS
from pcg.evaluators.agents.registry import register
from pcg.evaluators.agents.subgoal_field import PER_GOAL, SubgoalField, subgoal_field


@register(
    "guided",
    "MCTS whose values include the way to what the rules say comes next",
    paper="Perez Liebana et al., General Video Game AI: A Multitrack Framework, 2019 (agents that target sprites)",
)
class GuidedMCTS(MCTS):
    """MCTS with the way to the next subgoals in its values; `guidance` weighs that way."""

    parameters = with_defaults(
        select(MCTS.parameters, "c", "depth", "win_bonus", "guidance"), depth=15, win_bonus=100.0, guidance=1.0
    )

    reads_rules: ClassVar[str] = RULES

    def set_up(self) -> None:
        super().set_up()
        self.field: SubgoalField | None = None

    def prepare(self, model: Model, record: Record) -> None:
        super().prepare(model, record)
        self.field = subgoal_field(model, record, self.field) if self.guidance else None

    def prepare_guidance(self, model: Model, record: Record) -> None:
        """Leave the heuristic to `prepare`: the field moves with every state."""

    @property
    def reproducible(self) -> bool:
        """Never played by the compiled loop: the field is set up in Python before every decision."""
        return False

    def progress(self, state: GameState) -> float:
        """Return how much of what the rules ask for is dealt with, in ticks; only differences mean something."""
        self.bind(state.model)
        if self.field is None:
            return 0.0
        self.field.count_sprites(self._record, state)
        subgoals = self.field.subgoals
        left = sum(int(self.field.counts[t]) for t in subgoals.wanted)
        return PER_GOAL * (sum(int(self.field.counts[t]) for t in subgoals.unwanted) - left)

    def act_within(self, state: GameState, budget: Budget) -> str:
        """Set the field up for the state, then search."""
        self.bind(state.model)
        if self.field is not None:
            self.field.update(self._record, state)
        return super().act_within(state, budget)
