"""The way to what the rules say comes next, for agents that want to be led by it.

`targets` names the kinds of sprites to touch, `kernel.field` measures the way to them around what blocks the avatar.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.runtime import invoke2, invoke3
from pcg.engine.model import Model
from pcg.engine.vgdl.definition import GameDefinition
from pcg.evaluators.agents.base import GameState
from pcg.evaluators.agents.compiled import Array, Record
from pcg.evaluators.agents.kernel import field as field_kernel
from pcg.evaluators.agents.kernel.field import FIELD, SOLID, TARGET, build_field, ticks_to_go
from pcg.evaluators.agents.targets import Moment, Targets, holdings

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


def goal_field(model: Model, decision: Record, before: GoalField | None = None) -> GoalField | None:
    """The field of an agent for a model, None where there are no rules to read or no cells.

    Args:
        model: of the level.
        decision: the agent's record, which is made to read the field.
        before: the agent's field so far. It stays if it is of the same level: an agent that gets larger memory in the
            middle of a decision must find it as it was set up.
    """
    definition = model.definition
    if not isinstance(definition, GameDefinition) or not model.size[0]:
        return None
    field = before
    if field is None or field.address != model.address:
        field = GoalField(model, targets_of(definition))
    field.lead(decision)
    return field


class GoalField:
    """The field of a decision: memory, and what has to be set before every decision."""

    def __init__(self, model: Model, targets: Targets) -> None:
        self.targets = targets
        self.address = model.address
        columns, rows = model.size
        types = len(targets.analysis.definition.types)
        self.record = field = Record(FIELD, cells=columns * rows, types=types)
        self.flags = field.point("flags", np.zeros(types, np.int8))
        self.weights = field.point("weights", np.zeros(types, np.float64))
        self.counts = field.point("counts", np.zeros(types, np.int32))
        field.point("marks", np.zeros(columns * rows, np.int8))
        self.distance: Array = field.point("distance", np.zeros(columns * rows, np.float64))
        field.point("queue", np.zeros(columns * rows, np.int32))

    def lead(self, decision: Record) -> None:
        """Be the field of an agent's decisions, and what they estimate by."""
        decision.own("field", self.record)
        decision["heuristic"] = ticks_to_go.address

    def count(self, decision: Record, state: GameState) -> None:
        """Numbers of living sprites by type, to `counts`."""
        invoke3(field_kernel.take_counts.address, decision.address, state.address, int(self.counts.ctypes.data))

    def aim(self, decision: Record, state: GameState) -> int:
        """Set the field up for a state; returns how many targets there are."""
        targets = self.targets
        avatar = getattr(state, "avatar", None)
        if isinstance(avatar, tuple):
            avatar = avatar[0] if avatar else None
        kind = getattr(avatar, "type", -1)
        self.count(decision, state)
        self.flags[:] = 0
        next_ones: frozenset[int] = frozenset()
        if kind >= 0:
            index = targets.analysis.definition.type_index
            held = tuple(sorted((index[name], n) for name, n in holdings(avatar).items() if n > 0 and name in index))
            next_ones = targets.at(Moment(kind, tuple(np.minimum(self.counts, 3).tolist()), held))
            self.flags[list(targets.blocking(kind))] = SOLID
        self.weights[:] = 0.0
        self.weights[[*targets.wanted, *next_ones]] = PER_GOAL
        self.weights[list(targets.unwanted)] = -PER_GOAL
        self.flags[list(next_ones)] = TARGET
        return int(invoke2(build_field.address, decision.address, state.address))
