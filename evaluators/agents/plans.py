"""What agents share that search over plans: how plans are played and judged, and memory for trees of plans."""

from __future__ import annotations

from typing import Any

import numpy as np

from pcg.engine.model import Model
from pcg.evaluators.agents.compiled import CompiledAgent, Record
from pcg.evaluators.agents.kernel import plan as plan_kernel
from pcg.evaluators.agents.kernel import plan_tree as plan_tree_kernel
from pcg.evaluators.agents.simple import prepare_heuristic


def plan_tree(room: int) -> Record:
    """An empty tree over action sequences with room for so many nodes, and as many saved ones."""
    tree = Record(plan_tree_kernel.PLAN_TREE, room=room)
    for field in ("nodes", "saved"):
        tree.point(field, np.zeros(room, dtype=plan_tree_kernel.NODE))
    tree.point("moved", np.zeros(room, dtype=np.int32))
    return tree


class PlanningAgent(CompiledAgent):
    """What agents that search over plans share: how plans are played and judged.

    Args:
        length: genes of a plan.
        heuristic: what a good state is, see `HEURISTICS`.
        discount: factor of a state's value per tick on the way to it.
        nil: doing nothing is an action among the others.
        macro: ticks that a gene lasts.
    """

    def __init__(
        self, *, length: int, heuristic: str, discount: float, nil: bool, macro: int = 1, **common: Any
    ) -> None:
        self.heuristic = heuristic
        self._plans = Record(plan_kernel.PLANS, length=length, macro=macro, idle=int(nil), discount=discount, rival=-1)
        self._plans.point("trace", np.zeros(length, dtype=np.int64))
        super().__init__(**common)

    def prepare(self, model: Model, record: Record) -> None:
        self._plans["rival"] = (self.player + 1) % model.players
        prepare_heuristic(model, record, self.heuristic)
