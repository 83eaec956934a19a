"""UCT for boards: what its kernel needs, and its entry in the table."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from pcg.engine.kernel.runtime import Island
from pcg.engine.model import Model
from pcg.evaluators.agents import uct_kernel as kernel
from pcg.evaluators.agents.compiled import CompiledAgent, Record
from pcg.evaluators.agents.registry import AgentType, register
from pcg.evaluators.parameters import Parameter

_TIMED_NODES = 1 << 18
_MOST_SLOTS = 1 << 25


class UCT(CompiledAgent):
    """UCT, the tree search for boards: all players choose in the tree, each for its own score, and playouts are random.

    Made for boards without chance, of any number of players, whose playouts reach the end; `horizon` is for other
    games. `mcts` is the search for those, which takes other players to move at random.

    Args:
        c: exploration constant of UCB1, for values brought into 0..1.
        horizon: ticks of a playout at most, 0: to the end of the game.
        win_bonus: added to the score of a won game, subtracted from that of a lost one.
        max_nodes: bound of the tree; 0 lets the budget decide. A full tree is searched on without growing.
    """

    island: ClassVar[Island] = kernel.decide_uct

    def __init__(
        self, *, c: float = math.sqrt(2), horizon: int = 0, win_bonus: float = 1.0, max_nodes: int = 0, **common: Any
    ) -> None:
        self.c = c
        self.win_bonus = win_bonus
        self.horizon = horizon
        self.max_nodes = max_nodes
        super().__init__(**common)

    @property
    def tree_room(self) -> int:
        """Nodes the tree has room for. Every iteration makes a call and adds a node at most."""
        wanted = _TIMED_NODES if self.budget.calls is None else min(self.budget.calls + 1, 1 << 24)
        return min(wanted, self.max_nodes) if self.max_nodes else wanted

    def prepare(self, model: Model, record: Record) -> None:
        room, players = self.tree_room, model.players
        # a node whose actions find no room stays a leaf
        slots = max(players * (model.max_actions + 1), min(room * (players + model.max_actions), _MOST_SLOTS))
        tree = record.own("search", Record(kernel.UCT, exploration=self.c, horizon=self.horizon, room=room))
        tree["win_bonus"] = self.win_bonus
        tree["slot_room"] = slots
        for field in ("first", "sibling"):
            tree.point(field, np.empty(room, dtype=np.int32))
        tree.point("joint", np.empty(room, dtype=np.int64))
        for field in ("slots", "counts"):
            tree.point(field, np.empty((room, players), dtype=np.int32))
        tree.point("action", np.empty(slots, dtype=np.int64))
        for field in ("visits", "total"):
            tree.point(field, np.empty(slots, dtype=np.float64))
        tree.point("chosen", np.empty((kernel.LONGEST_PATH, players), dtype=np.int32))
        tree.point("values", np.zeros(players, dtype=np.float64))


register(
    AgentType(
        "uct",
        UCT,
        "UCT for boards: every player chooses in the tree, playouts are random",
        (
            Parameter("c", math.sqrt(2), "exploration constant of UCB1", low=0, high=1e6),
            Parameter("horizon", 0, "ticks of a playout at most, 0: to the end", low=0, high=100_000),
            Parameter("win_bonus", 1.0, "added to the score of a won game, subtracted of a lost one", low=0),
            Parameter("max_nodes", 0, "bound of the tree, 0: as the budget allows", low=0, high=1 << 24),
        ),
        "Kocsis and Szepesvari, Bandit Based Monte-Carlo Planning, 2006; Finnsson and Bjornsson, Simulation-Based "
        "Approach to General Game Playing, 2008",
    )
)
