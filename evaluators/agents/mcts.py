"""Monte Carlo tree search: memory and parameters around `mcts_kernel`."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from pcg.engine.kernel.runtime import Island
from pcg.engine.model import Model
from pcg.evaluators.agents import mcts_kernel
from pcg.evaluators.agents.compiled import CompiledAgent, Record
from pcg.evaluators.agents.goals import goal_weights
from pcg.evaluators.agents.registry import AgentType, register
from pcg.evaluators.agents.simple import prepare_weights
from pcg.evaluators.parameters import Parameter

_INT_ARRAYS = ("first", "sibling", "action")
_FLOAT_ARRAYS = ("total", "low", "high")
_TIMED_NODES = 65_536
_TIMED_STATES = 4_096


class MCTS(CompiledAgent):
    """Monte Carlo tree search with UCB1 (spec 04 1.6): open loop, depth-limited, values normalised.

    As published, a lost end weighs so much that an agent that sees one hardly sees the score; a `win_bonus` near the
    scores of the game, and some guidance, make it bolder.

    Args:
        c: exploration constant K of UCB1.
        depth: ticks looked ahead, tree and rollout together.
        closed_loop: keep the state of every node instead of playing each path again.
        recommend: "visits" or "value", what the best action is chosen by.
        win_bonus: added to the score of a won game, subtracted from that of a lost one.
        guidance: points that a tick of estimated way to the goals costs (`goals.goal_weights`); 0 as published.
        max_nodes: bound of the tree; 0 lets the budget decide. A full tree is searched on without growing.
    """

    island: ClassVar[Island] = mcts_kernel.decide_mcts

    def __init__(
        self,
        *,
        c: float = math.sqrt(2),
        depth: int = 10,
        closed_loop: bool = False,
        recommend: str = "visits",
        win_bonus: float = 1e7,
        guidance: float = 0.0,
        max_nodes: int = 0,
        **common: Any,
    ) -> None:
        self.c = c
        self.depth = depth
        self.closed_loop = closed_loop
        self.recommend = recommend
        self.win_bonus = win_bonus
        self.guidance = guidance
        self.max_nodes = max_nodes
        super().__init__(**common)

    @property
    def tree_room(self) -> int:
        """Nodes the tree has room for. Every iteration makes a call and adds a node at most."""
        timed = _TIMED_STATES if self.closed_loop else _TIMED_NODES
        wanted = timed if self.budget.calls is None else min(self.budget.calls + 1, 1 << 24)
        return min(wanted, self.max_nodes) if self.max_nodes else wanted

    def prepare(self, model: Model, record: Record) -> None:
        room = self.tree_room
        tree = Record(
            mcts_kernel.TREE,
            exploration=self.c,
            depth=self.depth,
            win_bonus=self.win_bonus,
            guidance=self.guidance,
            closed=int(self.closed_loop),
            by_value=int(self.recommend == "value"),
            room=room,
        )
        for field in _INT_ARRAYS:
            tree.point(field, np.empty(room, dtype=np.int32))
        for field in _FLOAT_ARRAYS:
            tree.point(field, np.empty(room, dtype=np.float64))
        tree.point("visits", np.empty(room, dtype=np.int64))
        tree.point("path", np.zeros(self.depth + 1, dtype=np.int32))
        if self.closed_loop:
            pool = tree.point_to_pool("states", model.pool(room))
            tree["stride"] = pool.stride
        self.tree = record.own("search", tree)
        weights = goal_weights(model) if self.guidance else None
        if weights is not None:
            prepare_weights(record, weights)


register(
    AgentType(
        "mcts",
        MCTS,
        "Monte Carlo tree search with UCB1 and short random rollouts",
        (
            Parameter("c", math.sqrt(2), "exploration constant of UCB1", low=0, high=1e6),
            Parameter("depth", 10, "ticks looked ahead, tree and rollout together", low=1, high=10_000),
            Parameter("closed_loop", False, "keep the state of every node instead of playing its path again"),
            Parameter("recommend", "visits", "what the action is chosen by", choices=("visits", "value")),
            Parameter("win_bonus", 1e7, "added to the score of a won game, subtracted of a lost one", low=0),
            Parameter("guidance", 0.0, "points of score that a tick of estimated way to the goals costs", low=0),
            Parameter("max_nodes", 0, "bound of the tree, 0: as the budget allows", low=0, high=1 << 24),
        ),
        "Kocsis and Szepesvari, Bandit Based Monte-Carlo Planning, 2006; Perez Liebana et al., Open Loop Search for "
        "General Video Game Playing, 2015",
    )
)
