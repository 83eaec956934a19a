"""The base of agents that search over plans (sequences of actions): how plans are played and judged, and their tree."""

from __future__ import annotations

import numpy as np

from pcg.engine.model import Model
from pcg.evaluators.agents.base import parameter
from pcg.evaluators.agents.compiled import CompiledAgent, Record
from pcg.evaluators.agents.heuristics import HEURISTICS, prepare_heuristic
from pcg.evaluators.agents.kernel.plan import PLANS
from pcg.evaluators.agents.kernel.plan_tree import NODE, PLAN_TREE
from pcg.evaluators.parameters import NamesOf


def plan_tree(room: int) -> Record:
    """An empty tree over action sequences with room for so many nodes, and as many saved ones."""
    tree = Record(PLAN_TREE, room=room)
    for field in ("nodes", "saved"):
        tree.point(field, np.zeros(room, dtype=NODE))
    tree.point("moved", np.zeros(room, dtype=np.int32))
    return tree


class PlanningAgent(CompiledAgent):
    """Base of agents that search over plans: how plans are played and judged."""

    length: int = parameter(10, "genes of a plan", low=1, high=10_000)
    heuristic: str = parameter("winscore", "what a good state is", choices=NamesOf(HEURISTICS))
    discount: float = parameter(1.0, "factor of a state's value per tick on the way to it", low=0, high=1)
    nil: bool = parameter(True, "doing nothing is an action among the others")

    macro: int = 1
    """Ticks that a gene lasts."""

    def set_up(self) -> None:
        self._plans = Record(
            PLANS, length=self.length, macro=self.macro, idle=int(self.nil), discount=self.discount, rival=-1
        )
        self._plans.point("trace", np.zeros(self.length, dtype=np.int64))

    @property
    def rules_read(self) -> str:
        """Part of the rules that its heuristic reads."""
        return HEURISTICS.find(self.heuristic).reads_rules

    def prepare(self, model: Model, record: Record) -> None:
        self._plans["rival"] = (self.player + 1) % model.players
        prepare_heuristic(model, record, self.heuristic)
