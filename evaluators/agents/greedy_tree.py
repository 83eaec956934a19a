"""Greedy tree search: memory and parameters around `kernel.greedy_tree`."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pcg.engine.kernel.runtime import EntryPoint
from pcg.engine.model import Model
from pcg.evaluators.agents.base import parameter
from pcg.evaluators.agents.compiled import CompiledAgent, Record
from pcg.evaluators.agents.kernel.greedy_tree import GREEDY, decide_greedy_tree
from pcg.evaluators.agents.registry import register

_TIMED_STATES = 4_096


@register(
    "greedytree",
    "always searches down the best branch known, in a tree of states",
    paper="the sample controller of Perez Liebana et al., General Video Game AI: a Multitrack Framework, 2019",
)
class GreedyTree(CompiledAgent):
    """Greedy tree search (reference/agents 11.5), closed loop: down the best branch, a new node and a random end each.

    The published search compares branches by the sum of their values, and asks the root for the best branch at every
    level. Here every node is asked for its own, and a branch is as good as the mean of its values, so that it does not
    count how often it was tried; `value="sum"` compares sums.
    """

    entry_point: ClassVar[EntryPoint] = decide_greedy_tree

    depth: int = parameter(10, "ticks looked ahead, tree and random play together", low=1, high=10_000)
    value: str = parameter("mean", "what branches are compared by (sum: as published)", choices=("mean", "sum"))
    max_nodes: int = parameter(
        0, "bound of the tree, 0: as the budget allows; a full tree is searched on without growing", low=0, high=1 << 24
    )

    @property
    def tree_room(self) -> int:
        """Nodes the tree has room for. Every iteration makes a call and adds a node at most."""
        wanted = _TIMED_STATES if self.budget.calls is None else min(self.budget.calls + 1, 1 << 24)
        return min(wanted, self.max_nodes) if self.max_nodes else wanted

    def prepare(self, model: Model, record: Record) -> None:
        room = self.tree_room
        tree = Record(GREEDY, depth=self.depth, by_sum=int(self.value == "sum"), room=room)
        for field in ("first", "sibling", "parent", "action"):
            tree.point(field, np.empty(room, dtype=np.int32))
        tree.point("visits", np.empty(room, dtype=np.int64))
        tree.point("total", np.empty(room, dtype=np.float64))
        tree["stride"] = tree.point_to_pool("states", model.pool(room)).stride
        record.own("search", tree)
