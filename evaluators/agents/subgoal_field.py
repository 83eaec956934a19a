"""The way to the subgoals of a game, for agents that are led by it.

`subgoals` names the kinds of sprites to touch, `kernel.distance_field` measures the way to them around what blocks the
avatar.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.runtime import invoke2, invoke3
from pcg.engine.model import Model
from pcg.engine.vgdl.definition import GameDefinition
from pcg.evaluators.agents.base import GameState
from pcg.evaluators.agents.compiled import Array, Record
from pcg.evaluators.agents.kernel.distance_field import (
    DISTANCE_FIELD,
    SOLID,
    TARGET,
    build_field,
    count_sprites,
    ticks_to_go,
)
from pcg.evaluators.agents.subgoals import AbstractState, Subgoals, holdings
from pcg.evaluators.definition_cache import once_per_definition

PER_GOAL = 10.0
"""Ticks that a sprite still to be dealt with stands for."""


@once_per_definition
def subgoals_of(definition: GameDefinition) -> Subgoals:
    """Return the subgoals of a game's rules."""
    return Subgoals(definition)


def subgoal_field(model: Model, decision: Record, before: SubgoalField | None = None) -> SubgoalField | None:
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
        field = SubgoalField(model, subgoals_of(definition))
    field.attach(decision)
    return field


class SubgoalField:
    """The field of a decision: memory, and what has to be set before every decision."""

    def __init__(self, model: Model, subgoals: Subgoals) -> None:
        self.subgoals = subgoals
        self.address = model.address
        columns, rows = model.size
        types = len(subgoals.analysis.definition.types)
        self.record = field = Record(DISTANCE_FIELD, cells=columns * rows, types=types)
        self.flags = field.point("flags", np.zeros(types, np.int8))
        self.weights = field.point("weights", np.zeros(types, np.float64))
        self.counts = field.point("counts", np.zeros(types, np.int32))
        field.point("marks", np.zeros(columns * rows, np.int8))
        self.distance: Array = field.point("distance", np.zeros(columns * rows, np.float64))
        field.point("queue", np.zeros(columns * rows, np.int32))

    def attach(self, decision: Record) -> None:
        """Be the field of an agent's decisions, and what they estimate by."""
        decision.own("field", self.record)
        decision["heuristic"] = ticks_to_go.address

    def count_sprites(self, decision: Record, state: GameState) -> None:
        """Numbers of living sprites by type, to `counts`."""
        invoke3(count_sprites.address, decision.address, state.address, int(self.counts.ctypes.data))

    def update(self, decision: Record, state: GameState) -> int:
        """Set the field up for a state; returns how many targets there are."""
        subgoals = self.subgoals
        avatar = getattr(state, "avatar", None)
        if isinstance(avatar, tuple):
            avatar = avatar[0] if avatar else None
        kind = getattr(avatar, "type", -1)
        self.count_sprites(decision, state)
        self.flags[:] = 0
        next_ones: frozenset[int] = frozenset()
        if kind >= 0:
            index = subgoals.analysis.definition.type_index
            held = tuple(sorted((index[name], n) for name, n in holdings(avatar).items() if n > 0 and name in index))
            next_ones = subgoals.at(AbstractState(kind, tuple(np.minimum(self.counts, 3).tolist()), held))
            self.flags[list(subgoals.blocking(kind))] = SOLID
        self.weights[:] = 0.0
        self.weights[[*subgoals.wanted, *next_ones]] = PER_GOAL
        self.weights[list(subgoals.unwanted)] = -PER_GOAL
        self.flags[list(next_ones)] = TARGET
        return int(invoke2(build_field.address, decision.address, state.address))
