"""Open-loop expectimax tree search: memory and parameters around `kernel.olets`."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from pcg.engine.kernel.runtime import EntryPoint
from pcg.engine.model import Model
from pcg.engine.vgdl.definition import GameDefinition
from pcg.evaluators.agents.compiled import CompiledAgent, Record
from pcg.evaluators.agents.kernel import olets as olets_kernel
from pcg.evaluators.agents.kernel import places as places_kernel
from pcg.evaluators.agents.plans import plan_tree
from pcg.evaluators.agents.registry import AgentType, register
from pcg.evaluators.agents.simple import prepare_features
from pcg.evaluators.parameters import Parameter

_TIMED_NODES = 65_536
_KEPT_TREES = 4  # room for what is kept of earlier decisions' trees, in trees of one decision


class OLETS(CompiledAgent):
    """Open-loop expectimax tree search (reference/agents 11.11): no rollouts, the tree moves on with the game.

    Several players: the others' moves are drawn uniformly in every simulation.

    Args:
        c: exploration constant K.
        chance: probability of selecting a child at random instead of the best.
        taboo: subtracted from the worth of actions that lead to a place visited lately.
        memory: how many places to remember.
        reuse: keep the part of the tree below the action played.
        win_bonus: a win is worth this times (1 + abs(score)) beside the score.
        loss_malus: a loss d ticks ahead costs this times (1 + abs(score)) / (1 + d)^2.
        max_nodes: bound of the tree; 0 lets the budget decide. A full tree is searched on without growing.
    """

    entry_point: ClassVar[EntryPoint] = olets_kernel.decide_olets

    def __init__(
        self,
        *,
        c: float = math.sqrt(2),
        chance: float = 0.05,
        taboo: float = 0.5,
        memory: int = 15,
        reuse: bool = True,
        win_bonus: float = 100.0,
        loss_malus: float = 2000.0,
        max_nodes: int = 0,
        **common: Any,
    ) -> None:
        self._search = Record(
            olets_kernel.OLETS,
            exploration=c,
            chance=chance,
            taboo=taboo,
            memory=memory,
            reuse=int(reuse),
            win_bonus=win_bonus,
            loss_malus=loss_malus,
        )
        self._search.point("places", np.zeros(max(memory, 1), dtype=np.int64))
        self.max_nodes = max_nodes
        self._tree: Record | None = None
        super().__init__(**common)

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
        vgdl = isinstance(model.definition, GameDefinition)
        place = places_kernel.avatar_place if vgdl else places_kernel.distance_place
        self._search["place"] = place.address
        record.own("search", self._search)
        prepare_features(model, record)

    def _restart(self) -> None:
        super()._restart()
        self._search["visited"] = 0
        self._search["pending"] = 0
        if self._tree is not None:
            self._tree["used"] = 0
            self._tree["saved_used"] = 0


register(
    AgentType(
        "olets",
        OLETS,
        "open-loop expectimax tree search without rollouts; the tree moves on with the game",
        (
            Parameter("c", math.sqrt(2), "exploration constant", low=0, high=1e6),
            Parameter("chance", 0.05, "probability of selecting at random", low=0, high=1),
            Parameter("taboo", 0.5, "malus of places visited lately", low=0, high=1e6),
            Parameter("memory", 15, "places remembered", low=0, high=10_000),
            Parameter("reuse", True, "keep the part of the tree below the action played"),
            Parameter("win_bonus", 100.0, "a win is worth this times (1 + |score|)", low=0),
            Parameter("loss_malus", 2000.0, "a loss in d ticks costs this times (1 + |score|) / (1 + d)^2", low=0),
            Parameter("max_nodes", 0, "bound of the tree, 0: as the budget allows", low=0, high=1 << 22),
        ),
        "Perez Liebana et al., The 2014 General Video Game Playing Competition, 2016",
    )
)
