"""Agents for games of any number of players, in turns or at once: flat Monte-Carlo, UCT, and UCT with a memory.

They simulate whole games, in which every player is out for its own reward, and need nothing but the forward-model
protocol. `MemoryMCTS` is the original, which asks the states most like the one at hand, and `OwnStateMCTS` the variant
that was studied in general game playing, which asks the state's own entry only.
"""

from __future__ import annotations

import math
import time
from typing import Any, ClassVar

import numpy as np

from pcg.engine.kernel.protocol import GROW
from pcg.engine.kernel.runtime import EntryPoint, invoke2
from pcg.engine.model import Model
from pcg.evaluators.agents.base import AgentError, GameState
from pcg.evaluators.agents.board_survey import survey
from pcg.evaluators.agents.compiled import CompiledAgent, Record
from pcg.evaluators.agents.kernel.board import BOARD, decide_flat
from pcg.evaluators.agents.kernel.board_tree import BOARD_TREE, NEAREST, NO_MEMORY, OWN, decide_uct
from pcg.evaluators.agents.kernel.decision import decide
from pcg.evaluators.agents.kernel.memory import MEMORY, VALUES
from pcg.evaluators.agents.registry import AgentType, register
from pcg.evaluators.parameters import Parameter

PAYOFFS = ("goals", "outcome", "score")
"""Names of what an end is worth, by number (`kernel.board`)."""

_TIMED_NODES = 1 << 16
_MOST_NODES = 1 << 22
_SLICE_NS = 200_000_000
"""Nanoseconds of search between two looks at Ctrl-C."""
_ENDLESS = 1 << 60


class BoardAgent(CompiledAgent):
    """What the agents for boards have in common: random playouts of whole games, and when they stop.

    Args:
        playouts: of a decision; 0: the budget alone decides. Give a large budget too, to let the playouts decide.
        horizon: ticks after which a playout is broken off; 0: never.
        payoff: what an end is worth: "goals" (score / 100), "outcome" (won 1, lost 0, else 1/2), "score" (the outcome,
            and more with a higher score), or "auto": goals for rule sheets of the Game Description Language, the
            outcome for boards on which who can move has to, else the score.
        reserve: milliseconds of a budget of time that are left unused, at most a tenth of it.
    """

    def __init__(
        self, *, playouts: int = 0, horizon: int = 0, payoff: str = "auto", reserve: float = 1000.0, **common: Any
    ) -> None:
        self.playouts = playouts
        self.horizon = horizon
        self.payoff = payoff
        self.reserve = reserve
        super().__init__(**common)

    def prepare(self, model: Model, record: Record) -> None:
        payoff = self.payoff
        if payoff == "auto":
            by_rules = "outcome" if model.must_move else "score"
            payoff = "goals" if hasattr(model.definition, "roles") else by_rules
        self.board = Record(BOARD, horizon=self.horizon, payoff=PAYOFFS.index(payoff), playouts=self.playouts)
        moves = self.board.point("moves", np.zeros((model.players, model.max_actions + 1), dtype=np.int64))
        self.board["row"] = moves.strides[0]
        self.board.point("counts", np.zeros(model.players, dtype=np.int64))
        self.board.point("rewards", np.zeros(model.players, dtype=np.float64))
        record.own("search", self.board)

    def _decide_in_time(self, address: int, milliseconds: float) -> None:
        """Search until the time is up, less the reserve; a playout that has begun is ended."""
        record = self._record
        limit = int(1e6 * (milliseconds - min(self.reserve, milliseconds / 10)))
        end = time.thread_time_ns() + limit
        record["resume"] = 0
        while True:
            record["budget"] = _ENDLESS
            record["deadline"] = min(end, time.thread_time_ns() + _SLICE_NS)
            if invoke2(decide.address, record.address, address) == GROW:
                self.enlarge()
                record["resume"] = 0
                continue
            if record["budget"] == _ENDLESS or time.thread_time_ns() >= end:
                break  # stopped by itself, or by the clock
            record["resume"] = 1
        record["resume"] = record["deadline"] = 0


class FlatMonteCarlo(BoardAgent):
    """Random playouts of its own moves in turn; plays the move with the best mean, of equal ones the first. No tree.

    What general game playing's platform calls plain Monte-Carlo, with `reserve` its second before the clock.
    """

    entry_point: ClassVar[EntryPoint] = decide_flat

    def prepare(self, model: Model, record: Record) -> None:
        super().prepare(model, record)
        self.board.point("visits", np.zeros(model.max_actions + 1, dtype=np.float64))
        self.board.point("total", np.zeros(model.max_actions + 1, dtype=np.float64))


class UCT(BoardAgent):
    """Monte Carlo tree search with UCB1 for every player; who move at the same time choose independently.

    Made for boards without chance, of any number of players, whose playouts reach the end; `horizon` is for other
    games. `mcts` is the search for those, which takes other players to move at random.

    Args:
        c: exploration constant of UCB1, for rewards from 0 to 1.
        recommend: "visits" or "value", what the move is chosen by.
        max_nodes: bound of the tree; 0 lets the budget decide. A full tree is searched on without growing.
    """

    entry_point: ClassVar[EntryPoint] = decide_uct
    query: ClassVar[int] = NO_MEMORY
    _LIMIT: ClassVar[int] = 512

    def __init__(
        self, *, c: float = math.sqrt(2), recommend: str = "visits", max_nodes: int = 0, **common: Any
    ) -> None:
        self.c = c
        self.recommend = recommend
        self.max_nodes = max_nodes
        self._prepared: Model | None = None
        super().__init__(**common)

    @property
    def tree_room(self) -> int:
        """Nodes the tree has room for: every playout adds one at most, and takes a call at least."""
        wanted = _TIMED_NODES if self.budget.calls is None else self.budget.calls + 1
        if self.playouts:
            wanted = min(wanted, self.playouts + 1)
        return min(wanted, self.max_nodes or _MOST_NODES, _MOST_NODES)

    def prepare(self, model: Model, record: Record) -> None:
        if self._prepared is not model:  # states that outgrew their blocks leave tree and memory as they are
            self._prepared = model
            super().prepare(model, record)
            self.tree = self._tree(model)
        record.own("search", self.tree)

    def _tree(self, model: Model) -> Record:
        room, players = self.tree_room, model.players
        tree = Record(
            BOARD_TREE, exploration=self.c, by_value=int(self.recommend == "value"), room=room, limit=self._LIMIT,
            query=self.query,
        )  # fmt: skip
        tree.own("board", self.board)
        for field in ("first", "sibling"):
            tree.point(field, np.empty(room, dtype=np.int32))
        tree.point("choice", np.empty((room, players), dtype=np.int32))
        tree.point("visits", np.empty(room, dtype=np.float64))
        tree.point("total", np.empty((room, players), dtype=np.float64))
        tree.point("path", np.zeros(self._LIMIT + 1, dtype=np.int32))
        tree.point("pick", np.zeros(players, dtype=np.int64))
        for field in ("tried", "worth", "mass"):
            tree.point(field, np.zeros((players, model.max_actions + 1), dtype=np.float64))
        return tree


class MemoryMCTS(UCT):
    """Memory-augmented MCTS: UCT in which a state is also worth what states like it were worth, in all of the game.

    A memory keeps at most `entries` states with features, the mean reward of the playouts through them, and their
    number; it lasts from decision to decision. When a state joins the tree, the `neighbours` entries whose features
    make the smallest angle with its own are asked, and their average, weighted by visits and nearness, is passed up the
    path. A node is worth (1 - lambda) V + lambda V_M, where lambda fades as the node is visited.

    The features are a random projection of the facts that hold: every fact adds its weight, or takes it away, in each
    of `dimension` numbers. Facts that the clock alone decides weigh nothing (`board_survey`). In games that do not say
    their facts a state asks its own entry only.

    Args:
        entries: M, the most entries; a new one takes the place of the one used longest ago.
        neighbours: K.
        dimension: of the features, a multiple of 4.
        sharpness: tau; an entry weighs visits * exp(-(1 - cosine) / tau).
        share: lambda of a state not visited yet.
        fade: visits after which lambda is half of that; 0: it stays.
        sigma: values move so far towards each new reward; 0: they are means.
        weighting: "frequency": rare facts weigh more; "none": all weigh the same.
        centre: whether the mean features of random states are subtracted.

    Raises:
        AgentError: a dimension that is no multiple of 4.
    """

    query: ClassVar[int] = NEAREST

    def __init__(
        self,
        *,
        entries: int = 2000,
        neighbours: int = 8,
        dimension: int = 64,
        sharpness: float = 0.1,
        share: float = 0.5,
        fade: float = 20.0,
        sigma: float = 0.0,
        weighting: str = "frequency",
        centre: bool = True,
        **common: Any,
    ) -> None:
        if dimension % 4:
            raise AgentError(f"mmcts: dimension is {dimension}, expected a multiple of 4")
        self.entries = entries
        self.neighbours = neighbours
        self.dimension = dimension
        self.sharpness = sharpness
        self.share = share
        self.fade = fade
        self.sigma = sigma
        self.weighting = weighting
        self.centre = centre
        super().__init__(**common)

    def reset(self, state: GameState) -> None:
        """Start anew with an empty memory, and look at the facts of some random playouts."""
        super().reset(state)
        self.tree["fresh"] = 1
        if self.query == NEAREST:
            self._learn_facts(state)

    def _tree(self, model: Model) -> Record:
        tree = super()._tree(model)
        room, players = self.tree_room, model.players
        tree["share"] = self.share
        tree["fade"] = self.fade
        tree["fresh"] = 1
        tree.point("keys", np.empty(room, dtype=np.int64))
        if self.query == NEAREST:
            tree.point("said", np.empty((room, players), dtype=np.float64))
            tree.point("said_visits", np.empty(room, dtype=np.float64))
        self.memory = self._memory(players)
        tree.own("memory", self.memory)
        return tree

    def _memory(self, players: int) -> Record:
        """An empty memory; all features are 0 until the facts are known."""
        dimension = self.dimension if self.query == NEAREST else 0
        features = dimension + 1 if dimension else 0
        stride = VALUES + 8 * (players + features)
        mask = (1 << (2 * self.entries).bit_length()) - 1
        memory = Record(
            MEMORY, players=players, room=self.entries, stride=stride, mask=mask, rate=self.sigma, oldest=-1, newest=-1,
            dimension=dimension, neighbours=self.neighbours, sharpness=self.sharpness,
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
        known = survey(state.model, state.address, self.board, self.seed, self.weighting)
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
    """The signs that `memory_kernel.describe` gives facts 0 to facts - 1: float64 (facts, dimension), 1 or -1."""
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


class OwnStateMCTS(MemoryMCTS):
    """Memory-augmented MCTS as studied in general game playing: a state asks its own entry and no other.

    UCB1 with the memory's values, which move towards each new reward by `sigma`. The memory lasts for the whole game
    and is shared by all ways to a state: a state it knows joins the tree with the visits and the value of its entry,
    and the search goes on below.
    """

    query: ClassVar[int] = OWN

    DEFAULTS: ClassVar[dict[str, float | int]] = {"entries": 100_000, "share": 1.0, "fade": 0.0, "sigma": 0.5}
    """What differs from the defaults of `MemoryMCTS`."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**{**self.DEFAULTS, **given})


_COMMON = (
    Parameter("playouts", 0, "playouts of a decision, 0: the budget alone decides", low=0, high=1 << 40),
    Parameter("horizon", 0, "ticks of a playout at most, 0: to the end", low=0, high=1_000_000),
    Parameter(
        "payoff",
        "auto",
        "what an end is worth: score / 100, the outcome, outcome and score, or what suits the game",
        choices=("auto", "goals", "outcome", "score"),
    ),
    Parameter("reserve", 1000.0, "milliseconds of a budget of time left unused, at most a tenth", low=0, high=60_000),
)
_TREE = (
    *_COMMON,
    Parameter("c", math.sqrt(2), "exploration constant of UCB1, for rewards from 0 to 1", low=0, high=1e6),
    Parameter("recommend", "visits", "what the move is chosen by", choices=("visits", "value")),
    Parameter("max_nodes", 0, "bound of the tree, 0: as the budget allows", low=0, high=_MOST_NODES),
)
_MEMORY = (
    Parameter("entries", 2000, "M: the most states remembered", low=1, high=1 << 24),
    Parameter("share", 0.5, "lambda: weight of the memory's value for a state not visited yet", low=0, high=1),
    Parameter("fade", 20.0, "visits after which lambda is halved, 0: it stays", low=0, high=1e9),
    Parameter("sigma", 0.0, "values move so far towards a new reward, 0: they are means", low=0, high=1),
)
_NEAREST = (
    Parameter("neighbours", 8, "K: how many of the nearest states are asked", low=1, high=1000),
    Parameter("dimension", 64, "numbers that features have, a multiple of 4", low=4, high=4096),
    Parameter("sharpness", 0.1, "tau: distance at which an entry weighs 1/e", low=1e-6, high=1e6),
    Parameter(
        "weighting", "frequency", "weights of facts: rare ones more, or all the same", choices=("frequency", "none")
    ),
    Parameter("centre", True, "subtract the mean features of random states"),
)

register(
    AgentType(
        "flatmc",
        FlatMonteCarlo,
        "random playouts of its own moves in turn, the best mean, no tree",
        _COMMON,
        "Bruegmann, Monte Carlo Go, 1993",
    )
)
register(
    AgentType(
        "uct",
        UCT,
        "UCT over whole games for any number of players, who may move at the same time",
        _TREE,
        "Kocsis and Szepesvari, Bandit Based Monte-Carlo Planning, 2006; Finnsson and Bjornsson, Simulation-Based "
        "Approach to General Game Playing, 2008; Shafiei, Sturtevant and Schaeffer, Comparing UCT versus CFR in "
        "Simultaneous Games, 2009",
    )
)
_XIAO = "Xiao, Mei and Mueller, Memory-Augmented Monte Carlo Tree Search, 2018"
register(
    AgentType(
        "mmcts",
        MemoryMCTS,
        "UCT with a memory of states: the states most like a new one are asked",
        (*_TREE, *_MEMORY, *_NEAREST),
        _XIAO,
    )
)
register(
    AgentType(
        "mmctsown",
        OwnStateMCTS,
        "UCT with a memory of states: a state asks its own entry only",
        (
            *_TREE,
            Parameter("entries", 100_000, "M: the most states remembered", low=1, high=1 << 24),
            Parameter("share", 1.0, "lambda: weight of the memory's value", low=0, high=1),
            Parameter("sigma", 0.5, "values move so far towards a new reward, 0: they are means", low=0, high=1),
        ),
        f"{_XIAO}, as it was studied in general game playing",
    )
)
