"""MCTS that knows where to go: its leaves are worth more the nearer they are to what the rules say comes next.

`targets` names the kinds of sprites to touch, `field_kernel` measures the way to them around what blocks the avatar.
Where the rules name none (a game of survival), or the engine has no rules to read, it is plain MCTS.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pcg.engine.kernel.runtime import invoke2, invoke3
from pcg.engine.model import Model
from pcg.engine.vgdl.definition import GameDefinition
from pcg.evaluators.agents import field_kernel
from pcg.evaluators.agents.base import Budget, GameState
from pcg.evaluators.agents.compiled import Array, Record
from pcg.evaluators.agents.field_kernel import FIELD, SOLID, TARGET, build_field, ticks_to_go
from pcg.evaluators.agents.mcts import MCTS
from pcg.evaluators.agents.registry import AgentType, register
from pcg.evaluators.agents.targets import Moment, Targets, holdings
from pcg.evaluators.parameters import Parameter

PER_GOAL = 10.0
"""Ticks that a sprite still to be dealt with stands for."""

_known: dict[int, tuple[GameDefinition, Targets]] = {}  # by id; holding the definition keeps the id its own


def targets_of(definition: GameDefinition) -> Targets:
    """The targets of a game's rules, worked out once."""
    found = _known.get(id(definition))
    if found is None:
        if len(_known) >= 64:
            _known.clear()
        found = _known[id(definition)] = (definition, Targets(definition))
    return found[1]


class GoalField:
    """The field of a decision: memory, and what has to be set before every decision."""

    def __init__(self, model: Model, record: Record, targets: Targets) -> None:
        self.targets = targets
        self.model = model
        columns, rows = model.size
        types = len(targets.analysis.definition.types)
        self.record = field = Record(FIELD, cells=columns * rows, types=types)
        self.flags = field.point("flags", np.zeros(types, np.int8))
        self.weights = field.point("weights", np.zeros(types, np.float64))
        self.counts = field.point("counts", np.zeros(types, np.int32))
        field.point("marks", np.zeros(columns * rows, np.int8))
        self.distance: Array = field.point("distance", np.zeros(columns * rows, np.float64))
        field.point("queue", np.zeros(columns * rows, np.int32))
        record.own("field", field)
        record["heuristic"] = ticks_to_go.address
        self._solid: dict[int, Array] = {}

    def count(self, decision: Record, state: GameState) -> None:
        """Numbers of living sprites by type, to `counts`."""
        invoke3(field_kernel.take_counts.address, decision.address, state.address, int(self.counts.ctypes.data))

    def aim(self, decision: Record, state: GameState) -> int:
        """Set the field up for a state; returns how many targets there are."""
        targets = self.targets
        avatar = getattr(state, "avatar", None)
        kind = getattr(avatar[0] if isinstance(avatar, tuple) else avatar, "type", -1)
        self.count(decision, state)
        index = targets.analysis.definition.type_index
        held = tuple(sorted((index[name], n) for name, n in holdings(state).items() if n > 0 and name in index))
        next_ones = targets.at(Moment(kind, tuple(np.minimum(self.counts, 3).tolist()), held)) if kind >= 0 else ()
        self.flags[:] = 0
        if kind >= 0:
            for t in targets.blocking(kind):
                self.flags[t] |= SOLID
        self.weights[:] = 0.0
        for t in {*targets.wanted, *next_ones}:
            self.weights[t] = PER_GOAL
        for t in targets.unwanted:
            self.weights[t] = -PER_GOAL
        for t in next_ones:
            self.flags[t] = TARGET
        return int(invoke2(build_field.address, decision.address, state.address))


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
        self.field = None
        definition = model.definition
        if isinstance(definition, GameDefinition) and model.size[0] and self.pull:
            self.field = GoalField(model, record, targets_of(definition))
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
