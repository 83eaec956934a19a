"""Agents for games of any number of players, in turns or at once: flat Monte-Carlo and UCT.

They simulate whole games, in which every player is out for its own reward, and need nothing but the forward-model
protocol. `memory_mcts` adds a memory of states.
"""

from __future__ import annotations

import math
import time
from typing import ClassVar

import numpy as np

from pcg.engine.kernel.protocol import GROW
from pcg.engine.kernel.runtime import EntryPoint, invoke2
from pcg.engine.model import Model
from pcg.evaluators.agents.base import parameter
from pcg.evaluators.agents.compiled import ENDLESS, CompiledAgent, Record
from pcg.evaluators.agents.kernel.decision import decide
from pcg.evaluators.agents.kernel.flat_monte_carlo import decide_flat
from pcg.evaluators.agents.kernel.joint_playout import JOINT_PLAYOUT
from pcg.evaluators.agents.kernel.uct import NO_MEMORY, UCT_TREE, decide_uct
from pcg.evaluators.agents.registry import register

PAYOFFS = ("goals", "outcome", "score")
"""Payoffs of an end, by number (`kernel.joint_playout`)."""

RECOMMENDATIONS = ("visits", "value", "mean")
"""Criteria for the final move, by number (`kernel.uct`)."""

_TIMED_NODES = 1 << 16
MOST_NODES = 1 << 22
"""Bound of every tree, in nodes."""
_SLICE_NS = 200_000_000
"""Nanoseconds of search between two looks at Ctrl-C."""


class WholeGameAgent(CompiledAgent):
    """Base of agents that simulate whole games at random: playouts for all players, and when they stop.

    The payoff "auto" is goals for rule sheets of the Game Description Language, the outcome for boards on which who can
    move has to, else the score. To let `playouts` decide, give a large budget too.
    """

    playouts: int = parameter(0, "playouts of a decision, 0: the budget alone decides", low=0, high=1 << 40)
    horizon: int = parameter(0, "ticks of a playout at most, 0: to the end", low=0, high=1_000_000)
    payoff: str = parameter(
        "auto",
        "what an end is worth: goals (score / 100), the outcome (won 1, lost 0, else 1/2), the score (the outcome, and "
        "more with a higher score), or what suits the game",
        choices=("auto", *PAYOFFS),
    )
    reserve: float = parameter(
        1000.0, "milliseconds of a budget of time left unused, at most a tenth", low=0, high=60_000
    )

    def prepare(self, model: Model, record: Record) -> None:
        payoff = self.payoff
        if payoff == "auto":
            by_rules = "outcome" if model.must_move else "score"
            payoff = "goals" if model.engine == "gdl" else by_rules
        self.playout = Record(JOINT_PLAYOUT, horizon=self.horizon, payoff=PAYOFFS.index(payoff), playouts=self.playouts)
        moves = self.playout.point("moves", np.zeros((model.players, model.max_actions + 1), dtype=np.int64))
        self.playout["row"] = moves.strides[0]
        self.playout.point("counts", np.zeros(model.players, dtype=np.int64))
        self.playout.point("rewards", np.zeros(model.players, dtype=np.float64))
        record.own("search", self.playout)

    def _decide_in_time(self, address: int, milliseconds: float) -> None:
        """Search until the time is up, less the reserve; a playout that has begun is ended."""
        record = self._record
        limit = int(1e6 * (milliseconds - min(self.reserve, milliseconds / 10)))
        end = time.thread_time_ns() + limit
        record["resume"] = 0
        while True:
            record["budget"] = ENDLESS
            record["deadline"] = min(end, time.thread_time_ns() + _SLICE_NS)
            if invoke2(decide.address, record.address, address) == GROW:
                self.enlarge()
                record["resume"] = 0
                continue
            if record["budget"] == ENDLESS or time.thread_time_ns() >= end:
                break  # stopped by itself, or by the clock
            record["resume"] = 1
        record["resume"] = record["deadline"] = 0


@register(
    "flatmc",
    "random playouts of its own moves in turn, the best mean, no tree",
    paper="Bruegmann, Monte Carlo Go, 1993",
)
class FlatMonteCarlo(WholeGameAgent):
    """Random playouts of its own moves in turn; plays the move with the best mean, of equal ones the first. No tree.

    General game playing's platform calls this plain Monte-Carlo, with `reserve` its second before the clock.
    """

    entry_point: ClassVar[EntryPoint] = decide_flat

    def prepare(self, model: Model, record: Record) -> None:
        super().prepare(model, record)
        self.playout.point("visits", np.zeros(model.max_actions + 1, dtype=np.float64))
        self.playout.point("total", np.zeros(model.max_actions + 1, dtype=np.float64))


@register(
    "uct",
    "UCT over whole games for any number of players, who may move at the same time",
    paper="Kocsis and Szepesvari, Bandit Based Monte-Carlo Planning, 2006; Finnsson and Bjornsson, Simulation-Based "
    "Approach to General Game Playing, 2008; Shafiei, Sturtevant and Schaeffer, Comparing UCT versus CFR in "
    "Simultaneous Games, 2009",
)
class UCT(WholeGameAgent):
    """Monte Carlo tree search with UCB1 for every player; who move at the same time choose independently.

    Made for boards without chance, of any number of players, whose playouts reach the end; `horizon` is for other
    games. `mcts` is the search for those, which takes other players to move at random.
    """

    entry_point: ClassVar[EntryPoint] = decide_uct
    query: ClassVar[int] = NO_MEMORY
    _LIMIT: ClassVar[int] = 512

    c: float = parameter(math.sqrt(2), "exploration constant of UCB1, for rewards from 0 to 1", low=0, high=1e6)
    recommend: str = parameter(
        "visits",
        "criterion for the final move: its visits, the value that guided the search, the mean reward of its playouts",
        choices=RECOMMENDATIONS,
    )
    max_nodes: int = parameter(
        0,
        "bound of the tree, 0: as the budget allows; a full tree is searched on without growing",
        low=0,
        high=MOST_NODES,
    )

    def set_up(self) -> None:
        self._prepared: Model | None = None

    @property
    def tree_room(self) -> int:
        """Nodes the tree has room for: every playout adds one at most, and takes a call at least."""
        wanted = _TIMED_NODES if self.budget.calls is None else self.budget.calls + 1
        if self.playouts:
            wanted = min(wanted, self.playouts + 1)
        return min(wanted, self.max_nodes or MOST_NODES, MOST_NODES)

    def prepare(self, model: Model, record: Record) -> None:
        if self._prepared is not model:  # states that outgrew their blocks leave tree and memory as they are
            self._prepared = model
            super().prepare(model, record)
            self.tree = self._tree(model)
        record.own("search", self.tree)

    def _tree(self, model: Model) -> Record:
        room, players = self.tree_room, model.players
        tree = Record(
            UCT_TREE, exploration=self.c, recommendation=RECOMMENDATIONS.index(self.recommend), room=room,
            limit=self._LIMIT, query=self.query,
        )  # fmt: skip
        tree.own("playout", self.playout)
        for field in ("first", "sibling"):
            tree.point(field, np.empty(room, dtype=np.int32))
        tree.point("choice", np.empty((room, players), dtype=np.int32))
        tree.point("visits", np.empty(room, dtype=np.float64))
        tree.point("total", np.empty((room, players), dtype=np.float64))
        tree.point("path", np.zeros(self._LIMIT + 1, dtype=np.int32))
        tree.point("pick", np.zeros(players, dtype=np.int64))
        for field in ("tried", "value_sum", "weight_sum"):
            tree.point(field, np.zeros((players, model.max_actions + 1), dtype=np.float64))
        return tree
