"""Open-loop expectimax tree search: memory and parameters around `kernel.olets`."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from pcg.engine.kernel.runtime import EntryPoint
from pcg.engine.model import Model
from pcg.evaluators.agents.base import parameter
from pcg.evaluators.agents.compiled import CompiledAgent, Record
from pcg.evaluators.agents.heuristics import prepare_features
from pcg.evaluators.agents.kernel.avatar_position import avatar_position, distance_hash
from pcg.evaluators.agents.kernel.olets import OLETS as OLETS_RECORD
from pcg.evaluators.agents.kernel.olets import decide_olets
from pcg.evaluators.agents.planning_agent import plan_tree
from pcg.evaluators.agents.registry import register
from pcg.evaluators.agents.tables import first_logarithms

_TIMED_NODES = 65_536
_KEPT_TREES = 4  # room for what is kept of earlier decisions' trees, in trees of one decision


@register(
    "olets",
    "open-loop expectimax tree search without rollouts; the tree moves on with the game",
    paper="Perez Liebana et al., The 2014 General Video Game Playing Competition, 2016",
)
class OLETS(CompiledAgent):
    """Open-loop expectimax tree search (reference/agents 11.11): no rollouts, the tree moves on with the game.

    Several players: the others' moves are drawn uniformly in every simulation.
    """

    entry_point: ClassVar[EntryPoint] = decide_olets

    c: float = parameter(math.sqrt(2), "exploration constant", low=0, high=1e6)
    chance: float = parameter(0.05, "probability of selecting a child at random instead of the best", low=0, high=1)
    taboo: float = parameter(0.5, "malus of actions that lead to a place visited lately", low=0, high=1e6)
    memory: int = parameter(15, "places remembered", low=0, high=10_000)
    reuse: bool = parameter(True, "keep the part of the tree below the action played")
    win_bonus: float = parameter(100.0, "a win is worth this times (1 + |score|) beside the score", low=0)
    loss_malus: float = parameter(2000.0, "a loss in d ticks costs this times (1 + |score|) / (1 + d)^2", low=0)
    max_nodes: int = parameter(
        0, "bound of the tree, 0: as the budget allows; a full tree is searched on without growing", low=0, high=1 << 22
    )

    def set_up(self) -> None:
        self._search = Record(
            OLETS_RECORD,
            exploration=self.c,
            chance=self.chance,
            taboo=self.taboo,
            memory=self.memory,
            reuse=int(self.reuse),
            win_bonus=self.win_bonus,
            loss_malus=self.loss_malus,
        )
        self._search["logged"] = len(self._search.point("logs", first_logarithms()))
        self._search.point("places", np.zeros(max(self.memory, 1), dtype=np.int64))
        self._tree: Record | None = None

    @property
    def tree_room(self) -> int:
        """Nodes the tree has room for. Every iteration makes a call and adds a node at most."""
        calls = self.budget.calls
        wanted = _TIMED_NODES if calls is None else min(_KEPT_TREES * calls + 1, 1 << 22)
        return min(wanted, self.max_nodes) if self.max_nodes else wanted

    def prepare(self, model: Model, record: Record) -> None:
        # states that outgrow their memory come here too: what the agent knows of the game must outlast that
        if self._tree is None:
            self._tree = self._search.own("tree", plan_tree(self.tree_room))
        position = avatar_position if model.engine == "vgdl" else distance_hash
        self._search["place"] = position.address
        record.own("search", self._search)
        prepare_features(model, record)

    def _restart(self) -> None:
        super()._restart()
        self._search["visited"] = 0
        self._search["pending"] = 0
        if self._tree is not None:
            self._tree["used"] = 0
            self._tree["saved_used"] = 0
