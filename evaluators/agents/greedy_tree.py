"""Greedy tree search: memory and parameters around `kernel.greedy_tree`."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from pcg.engine.kernel.runtime import EntryPoint
from pcg.engine.model import Model
from pcg.evaluators.agents.compiled import CompiledAgent, Record
from pcg.evaluators.agents.kernel import greedy_tree as greedy_tree_kernel
from pcg.evaluators.agents.registry import AgentType, register
from pcg.evaluators.parameters import Parameter

_INT_ARRAYS = ("first", "sibling", "parent", "action")
_TIMED_STATES = 4_096


class GreedyTree(CompiledAgent):
    """Greedy tree search (reference/agents 11.5), closed loop: down the best branch, a new node and a random end each.

    The published search compares branches by the sum of their values, and asks the root for the best branch at every
    level. Here every node is asked for its own, and a branch is as good as the mean of its values, so that it does not
    count how often it was tried; `value="sum"` compares sums.

    Args:
        depth: ticks looked ahead, tree and random play together.
        value: "mean" or "sum", what branches are compared by.
        max_nodes: bound of the tree; 0 lets the budget decide. A full tree is searched on without growing.
    """

    entry_point: ClassVar[EntryPoint] = greedy_tree_kernel.decide_greedy_tree

    def __init__(self, *, depth: int = 10, value: str = "mean", max_nodes: int = 0, **common: Any) -> None:
        self.depth = depth
        self.value = value
        self.max_nodes = max_nodes
        super().__init__(**common)

    @property
    def tree_room(self) -> int:
        """Nodes the tree has room for. Every iteration makes a call and adds a node at most."""
        wanted = _TIMED_STATES if self.budget.calls is None else min(self.budget.calls + 1, 1 << 24)
        return min(wanted, self.max_nodes) if self.max_nodes else wanted

    def prepare(self, model: Model, record: Record) -> None:
        room = self.tree_room
        tree = Record(
            greedy_tree_kernel.GREEDY,
            depth=self.depth,
            by_sum=int(self.value == "sum"),
            room=room,
        )
        for field in _INT_ARRAYS:
            tree.point(field, np.empty(room, dtype=np.int32))
        tree.point("visits", np.empty(room, dtype=np.int64))
        tree.point("total", np.empty(room, dtype=np.float64))
        pool = tree.point_to_pool("states", model.pool(room))
        tree["stride"] = pool.stride
        record.own("search", tree)


register(
    AgentType(
        "greedytree",
        GreedyTree,
        "always searches down the best branch known, in a tree of states",
        (
            Parameter("depth", 10, "ticks looked ahead, tree and random play together", low=1, high=10_000),
            Parameter("value", "mean", "what branches are compared by (sum: as published)", choices=("mean", "sum")),
            Parameter("max_nodes", 0, "bound of the tree, 0: as the budget allows", low=0, high=1 << 24),
        ),
        "the sample controller of Perez Liebana et al., General Video Game AI: a Multitrack Framework, 2019",
    )
)
