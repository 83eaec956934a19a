"""Memory-augmented MCTS: UCT with a memory of states and what they were worth.

`MemoryMCTS` is the original, which asks the states most like the one at hand, and `OwnStateMCTS` the variant that was
studied in general game playing, which asks the state's own entry only.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from pcg.engine.model import Model
from pcg.evaluators.agents.base import AgentError, Budget, GameState, parameter, select, with_defaults
from pcg.evaluators.agents.compiled import Record
from pcg.evaluators.agents.fact_weights import weigh_facts
from pcg.evaluators.agents.kernel.state_memory import STATE_MEMORY, VALUES
from pcg.evaluators.agents.kernel.uct import NEAREST, OWN
from pcg.evaluators.agents.registry import register
from pcg.evaluators.agents.uct import MOST_NODES, RECOMMENDATIONS, UCT

_ENDLESS = 1 << 40
_XIAO = "Xiao, Mei and Mueller, Memory-Augmented Monte Carlo Tree Search, 2018"


@register("mmcts", "UCT with a memory of states: the states most like a new one are asked", paper=_XIAO)
class MemoryMCTS(UCT):
    """Memory-augmented MCTS: UCT in which a state is also worth what states like it were worth, in all of the game.

    A memory keeps at most `entries` states with features, the mean reward of the playouts through them, and their
    number; it lasts from decision to decision. When a state joins the tree, the `neighbours` entries whose features
    make the smallest angle with its own are asked, and their average, weighted by visits and nearness, is passed up the
    path. A node is worth (1 - lambda) V + lambda V_M, where lambda fades as the node is visited. The move with the
    highest mean reward is played.

    The features are a random projection of the facts that hold: every fact adds its weight, or takes it away, in each
    of `dimension` numbers. Facts that the clock alone decides weigh nothing (`fact_weights`). In games that do not say
    their facts a state asks its own entry only.

    Raises:
        AgentError: a dimension that is no multiple of 4.
    """

    query: ClassVar[int] = NEAREST

    entries: int = parameter(
        2000, "M: the most states remembered; a new one replaces the one used longest ago", low=1, high=1 << 24
    )
    share: float = parameter(0.5, "lambda: weight of the memory's value for a state not visited yet", low=0, high=1)
    fade: float = parameter(20.0, "visits after which lambda is halved, 0: it stays", low=0, high=1e9)
    sigma: float = parameter(0.0, "values move so far towards a new reward, 0: they are means", low=0, high=1)
    neighbours: int = parameter(8, "K: how many of the nearest states are asked", low=1, high=1000)
    dimension: int = parameter(64, "numbers that features have, a multiple of 4", low=4, high=4096)
    sharpness: float = parameter(0.1, "tau: an entry weighs visits * exp(-(1 - cosine) / tau)", low=1e-6, high=1e6)
    weighting: str = parameter(
        "frequency", "weights of facts: rare ones more, or all the same", choices=("frequency", "none")
    )
    centre: bool = parameter(True, "subtract the mean features of random states")
    recommend: str = parameter(
        "mean",
        "criterion for the final move: its visits, the value that guided the search, the mean reward of its playouts",
        choices=RECOMMENDATIONS,
    )

    preparation: int = parameter(
        0, "playouts from the first state before any decision, which the memory keeps", low=0, high=1 << 40
    )

    def set_up(self) -> None:
        super().set_up()
        if self.dimension % 4:
            raise AgentError(f"mmcts: dimension is {self.dimension}, expected a multiple of 4")

    def reset(self, state: GameState) -> None:
        """Start anew with an empty memory, and look at the facts of some random playouts."""
        super().reset(state)
        self.tree["fresh"] = 1
        if self.query == NEAREST:
            self._learn_facts(state)
        if self.preparation:
            self.explore(state, Budget(calls=_ENDLESS), self.preparation)

    def explore(self, state: GameState, budget: Budget, playouts: int = 0) -> None:
        """Search from a state without a decision; the memory keeps what is found.

        Args:
            state: where to search from; another player may have to move there.
            budget: of this search.
            playouts: of this search at most, 0: the budget alone decides.
        """
        self.bind(state.model)
        self.tree["exploring"] = 1
        self.playout["playouts"] = playouts
        try:
            self.act_within(state, budget)
        finally:
            self.tree["exploring"] = 0
            self.playout["playouts"] = self.playouts

    @property
    def tree_room(self) -> int:
        """Nodes the tree has room for: those of a decision, or of the preparation where that has more playouts."""
        room = super().tree_room
        if self.playouts and self.preparation > self.playouts:
            room = min(max(room, self.preparation + 1), self.max_nodes or MOST_NODES, MOST_NODES)
        return room

    def _tree(self, model: Model) -> Record:
        tree = super()._tree(model)
        room, players = self.tree_room, model.players
        tree["share"] = self.share
        tree["fade"] = self.fade
        tree["fresh"] = 1
        tree.point("keys", np.empty(room, dtype=np.int64))
        if self.query == NEAREST:
            tree.point("memory_value", np.empty((room, players), dtype=np.float64))
            tree.point("memory_visits", np.empty(room, dtype=np.float64))
        self.memory = self._memory(players)
        tree.own("memory", self.memory)
        return tree

    def _memory(self, players: int) -> Record:
        """An empty memory; all features are 0 until the facts are known."""
        dimension = self.dimension if self.query == NEAREST else 0
        features = dimension + 1 if dimension else 0
        stride = VALUES + 8 * (2 * players + features)
        mask = (1 << (2 * self.entries).bit_length()) - 1
        memory = Record(
            STATE_MEMORY, players=players, room=self.entries, stride=stride, mask=mask, rate=self.sigma, oldest=-1,
            newest=-1, dimension=dimension, neighbours=self.neighbours, sharpness=self.sharpness,
        )  # fmt: skip
        memory.point("entries", np.zeros(self.entries * stride // 8, dtype=np.int64))
        memory.point("buckets", np.full(mask + 1, -1, dtype=np.int32))
        memory.point("kept", np.zeros(self.entries * stride // 8 + (mask + 1) // 2 + 1, dtype=np.int64))
        memory.point("features", np.zeros(dimension + 1, dtype=np.float64))
        memory.point("centre", np.zeros(dimension, dtype=np.float64))
        memory.point("near", np.zeros(self.neighbours, dtype=np.int64))
        memory.point("near_cosine", np.zeros(self.neighbours, dtype=np.float64))
        memory.point("answer", np.zeros(players + 1, dtype=np.float64))
        memory.point("facts", np.zeros(1, dtype=np.int64))
        memory.point("weights", np.zeros(1, dtype=np.float64))
        return memory

    def _learn_facts(self, state: GameState) -> None:
        memory = self.memory
        known = weigh_facts(state.model, state.address, self.playout, self.seed, self.weighting)
        self.tree["query"] = NEAREST if known.facts else OWN
        room = 2 * known.facts + 64
        memory["fact_room"] = room
        memory.point("facts", np.zeros(room, dtype=np.int64))
        memory["weight_count"] = len(known.weights)
        memory["other_weight"] = known.other
        memory.point("weights", np.ascontiguousarray(known.weights, dtype=np.float64))
        centre = np.zeros(self.dimension)
        if self.centre and len(known.weights):
            centre = projection(len(known.weights), self.dimension).T @ (known.weights * known.mean)
        memory.point("centre", np.ascontiguousarray(centre))


def projection(facts: int, dimension: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the signs that `state_memory.describe` gives facts 0 to facts - 1: float64 (facts, dimension), 1 or -1."""
    numbers, columns = np.arange(facts, dtype=np.uint64)[:, None], np.arange(-(-dimension // 31), dtype=np.uint64)
    low = np.uint64(0x7FFFFFFF)
    x = (numbers * np.uint64(0x9E3779B1) + columns * np.uint64(0x85EBCA6B) + np.uint64(0x27D4EB2F)) & low
    x ^= x >> np.uint64(15)
    x = (x * np.uint64(0x2C1B3C6D)) & low
    x ^= x >> np.uint64(12)
    x = (x * np.uint64(0x297A2D39)) & low
    x ^= x >> np.uint64(15)
    bits = (x[:, :, None] >> np.arange(31, dtype=np.uint64)) & np.uint64(1)
    return 2.0 * bits.reshape(facts, -1)[:, :dimension].astype(np.float64) - 1.0


@register(
    "mmctsown",
    "UCT with a memory of states: a state asks its own entry only",
    paper=f"{_XIAO}, as it was studied in general game playing",
)
class OwnStateMCTS(MemoryMCTS):
    """Memory-augmented MCTS as studied in general game playing: a state asks its own entry and no other.

    UCB1 with the memory's values, which move towards each new reward by `sigma`. The memory lasts for the whole game
    and is shared by all ways to a state: a state it knows joins the tree with the visits and the mean reward of its
    entry, and the search goes on below. The move of the highest mean reward is played.

    Source: Liang et al., Optimizing Monte Carlo Tree Search for General Game Playing, 2022, section 3.3.
    """

    query: ClassVar[int] = OWN
    parameters = with_defaults(
        select(
            MemoryMCTS.parameters,
            *(one.name for one in UCT.parameters),
            "entries",
            "share",
            "sigma",
            "recommend",
            "preparation",
        ),
        entries=100_000,
        share=1.0,
        sigma=0.5,
    )

    fade = 0.0
