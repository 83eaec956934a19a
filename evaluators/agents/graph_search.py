"""Graph search over the states of a deterministic game: `solve` finds a shortest win or proves that there is none.

Breadth-first or A* with duplicate detection; memory and parameters around `kernel.solver`. `GraphSearch` is one search
and its memory, which the agents `solver` and `pcg` use too. For games that draw random numbers `solve` declines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pcg.engine.arguments import named_arguments
from pcg.engine.kernel.protocol import GROW, OK
from pcg.engine.kernel.runtime import invoke1, invoke2
from pcg.engine.model import Model, Pool
from pcg.evaluators.agents.base import AgentError, GameState
from pcg.evaluators.agents.compiled import Array, Record, grow_model
from pcg.evaluators.agents.heuristics import prepare_weights
from pcg.evaluators.agents.kernel import solver as kernel
from pcg.evaluators.agents.kernel.decision import DECISION, NIL
from pcg.evaluators.agents.kernel.pair_distances import MOST_PAIRS, PAIR_DISTANCES, features_and_pair_distances

ALGORITHMS: dict[str, int] = {"bfs": 0, "astar": 1}
"""Search orders: breadth-first, and A* on ticks plus `weight` times the estimate."""

Pair = tuple[Sequence[int], Sequence[int], float]
"""Types of a game, others, and the ticks that a cell between the nearest sprites of both stands for."""
MEMORY = 256 * 2**20
"""Bytes of state blocks a search may use before it makes states again instead of keeping them."""

TAP = "USE"
"""The action that is pressed rather than held."""

_SLICE = 20_000  # calls between two looks at Ctrl-C
_FIRST_BLOCKS = 64
_MORE_BYTES = 1 << 23
"""State blocks to get at once: twice as many each time would leave up to half of a long search's memory empty."""
_FEWEST_BLOCKS = 8
_NODE_ARRAYS: dict[str, type] = {
    "key": np.int64,
    "parent": np.int32,
    "action": np.int32,
    "depth": np.int32,
    "block": np.int32,
    "estimate": np.float64,
    "place": np.int32,
}
_HEAP_ARRAYS: dict[str, type] = {"heap": np.int32, "priority": np.float64, "order": np.int64}


@dataclass(frozen=True, slots=True)
class Solution:
    """The result of a search.

    Attributes:
        status: "solved"; "unsolvable" (proved: no line of actions wins); "budget" (not decided within the limits of
            nodes and ticks); "stochastic" (the game may draw random numbers, not searched).
        actions: the winning actions, one per tick, when solved.
        nodes: distinct states met.
        calls: forward-model calls made.
        optimal: whether it is known that no shorter win exists: breadth-first, or A* without an estimate or with one
            that the caller states to be admissible.
        promising: actions to the best state met (lowest estimate, then highest score), when there is no win.
    """

    status: str
    actions: tuple[str, ...] = ()
    nodes: int = 0
    calls: int = 0
    optimal: bool = False
    promising: tuple[str, ...] = ()

    def __repr__(self) -> str:
        plan = f" in {len(self.actions)} ticks" if self.status == "solved" else ""
        return f"<{self.status}{plan}, {self.nodes} states, {self.calls} forward-model calls>"


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a search, told to the callback of `solve` from time to time.

    Attributes:
        nodes: distinct states met.
        calls: forward-model calls made.
        open: states met whose successors have not all been looked at.
        depth: ticks from the start to the state met last; breadth-first, no win is shorter than this less one.
    """

    nodes: int
    calls: int
    open: int
    depth: int


def prepare_pair_distances(model: Model, decision: Record, pairs: Sequence[Pair]) -> None:
    """Let the heuristic of a decision be its weighted features and the distances of pairs."""
    kept = pairs[:MOST_PAIRS]
    columns, rows = model.size
    record = Record(PAIR_DISTANCES, cells=columns * rows, columns=columns, count=len(kept))
    flags = np.zeros(decision["kind_count"], dtype=np.uint8)
    for k, pair in enumerate((first, second) for first, second, _ in kept):
        for side, types in enumerate(pair):
            flags[list(types)] |= 1 << (2 * k + side)
    record.point("flags", flags.view(np.int8))
    record.point("marks", np.zeros(columns * rows, dtype=np.int8))
    record.point("weights", np.array([weight for _, _, weight in kept], dtype=np.float64))
    decision.own("field", record)
    decision["heuristic"] = features_and_pair_distances.address


class GraphSearch:
    """Records and memory of a search; it can be used for one after the other."""

    def __init__(
        self,
        model: Model,
        decision: Record,
        *,
        max_nodes: int,
        algorithm: str,
        weights: Array | None,
        weight: float = 1.0,
        max_ticks: int = 2000,
        blocks: int,
        grows: bool = True,
        admissible: bool = False,
        stride: int = 1,
        pairs: Sequence[Pair] = (),
    ) -> None:
        self.model = model
        led = algorithm == "astar" and weights is not None
        self.exact = stride == 1 and (not led or (admissible and 0.0 <= weight <= 1.0))
        self.stride = stride
        self.decision = decision
        self.record = record = Record(
            kernel.SEARCH,
            informed=ALGORITHMS[algorithm],
            weight=weight,
            room=max_nodes,
            branching=model.max_actions + 1,
            stride=stride,
            tap=model.action_names.index(TAP) if TAP in model.action_names else -1,
            max_depth=max_ticks,
        )
        decision.own("search", record)
        decision["heuristic"] = 0
        if weights is not None:
            prepare_weights(decision, weights)
            if pairs and model.size[0]:
                prepare_pair_distances(model, decision, pairs)
        for field, kind in (_NODE_ARRAYS | (_HEAP_ARRAYS if record["informed"] else {})).items():
            array = record.point(field, np.empty(max_nodes, dtype=kind))
            if field == "depth":
                self.depths = array
        size = 1 << max(4, (2 * max_nodes - 1).bit_length())
        record.point("table", np.zeros(size, dtype=np.int32))
        record["table_size"] = size
        self.line = record.point("line", np.zeros(max_ticks + 1, dtype=np.int32))
        record.point("line_keys", np.zeros(max_ticks + 1, dtype=np.int64))
        self.block_limit = min(max_nodes + record["branching"], max(_FEWEST_BLOCKS, blocks))
        self.blocks = record.point("blocks", np.zeros(self.block_limit, dtype=np.int64))
        self.free = record.point("free", np.zeros(self.block_limit, dtype=np.int32))
        self._get_blocks(_FIRST_BLOCKS if grows else self.block_limit)
        record["may_grow"] = int(grows and record["block_count"] < self.block_limit)

    def _get_blocks(self, count: int) -> None:
        """Get the first state blocks, in place of all that there are."""
        record, own = self.record, self.model.pool(3)
        self.room = self.model.room
        self._pools: list[Pool] = [own]
        for k, field in enumerate(("root", "rebuilt", "scratch")):
            record[field] = own.address + k * own.stride
        record["block_count"] = record["free_used"] = 0
        self.add_blocks(count)

    def enlarge(self, blocks: int) -> None:
        """Have blocks of the size that the model gives now, up to that many; a search must begin anew.

        All other memory stays: getting that again may take longer than a decision has.
        """
        self.block_limit = min(self.block_limit, max(_FEWEST_BLOCKS, blocks))
        self._get_blocks(_FIRST_BLOCKS)

    def add_blocks(self, wanted: int) -> None:
        """More state blocks, up to the limit."""
        record = self.record
        first, used = record["block_count"], record["free_used"]
        count = min(wanted, self.block_limit - first)
        pool = self.model.pool(count)
        self._pools.append(pool)
        self.blocks[first : first + count] = pool.address + pool.stride * np.arange(count)
        self.free[used : used + count] = np.arange(first + count - 1, first - 1, -1)
        record["free_used"] = used + count
        record["block_count"] = first + count
        record["may_grow"] = int(first + count < self.block_limit)

    def progress(self) -> Progress:
        """Return how far the search has come."""
        record = self.record
        used = int(record["used"])
        waiting = record["heap_used"] if record["informed"] else used - record["cursor"]
        return Progress(used, int(record["calls"]), int(waiting), int(self.depths[used - 1]))

    def run(self, address: int, tell: Callable[[Progress], object] | None = None) -> int:
        """Search from the state, telling how far it has come; returns the kernel's last answer."""
        self.begin(address)
        while True:
            self.record["pause_at"] = self.record["calls"] + _SLICE
            answer = self.go_on()
            if answer != kernel.PAUSED:
                return answer
            if tell is not None:
                tell(self.progress())

    def begin(self, address: int) -> None:
        """Make a copy of the state the root of a new search."""
        self._answer = int(invoke2(kernel.begin_search.address, self.decision.address, address))

    def go_on(self) -> int:
        """Search until the record's `pause_at` calls are made; returns the kernel's last answer, PAUSED then."""
        while self._answer in (OK, kernel.PAUSED, kernel.BLOCKS_SPENT):
            if self._answer == kernel.BLOCKS_SPENT:
                few = max(_FIRST_BLOCKS, _MORE_BYTES // self.model.stride)
                self.add_blocks(min(int(self.record["block_count"]), few))
            elif self._answer == kernel.PAUSED and self.record["calls"] >= self.record["pause_at"]:
                break
            self._answer = int(invoke1(kernel.expand_nodes.address, self.decision.address))
        return self._answer

    def actions_to(self, node: int) -> tuple[str, ...]:
        """The actions from the root to the node."""
        length = invoke2(kernel.trace_line.address, self.decision.address, node)
        names = [self.model.action_names[code] for code in self.line[:length]]
        wait = self.model.action_names[NIL]
        return tuple(name if k == 0 or name != TAP else wait for name in names for k in range(self.stride))

    def solution(self, answer: int) -> Solution:
        """Return the result that the kernel's last answer stands for."""
        record = self.record
        nodes, calls = int(record["used"]), int(record["calls"])
        if answer == kernel.SOLVED:
            return Solution("solved", self.actions_to(record["goal"]), nodes, calls, optimal=self.exact)
        decided = answer == kernel.EXHAUSTED and record["cut"] == 0 and self.stride == 1
        status = "unsolvable" if decided else "budget"
        promising = self.actions_to(record["best"]) if record["best"] >= 0 else ()
        return Solution(status, (), nodes, calls, promising=promising)


def check_search(model: Model, algorithm: str, max_nodes: int) -> None:
    """Raise AgentError unless a game of one player is to be searched by a known algorithm within a sensible bound."""
    if algorithm not in ALGORITHMS:
        raise AgentError(f"unknown algorithm `{algorithm}`, expected one of {', '.join(ALGORITHMS)}")
    if not 1 <= max_nodes < 2**30:
        raise AgentError(f"max_nodes is {max_nodes}, expected 1 to {2**30 - 1}")
    if model.players != 1:
        raise AgentError(f"the solver plays games of one player, this one has {model.players}")


@named_arguments
def solve(
    state: GameState,
    *,
    max_nodes: int = 100_000,
    algorithm: str = "bfs",
    weights: Sequence[float] | Array | None = None,
    weight: float = 1.0,
    admissible: bool = False,
    max_ticks: int = 2000,
    stride: int = 1,
    pairs: Sequence[Pair] = (),
    memory: int = MEMORY,
    progress: Callable[[Progress], object] | None = None,
) -> Solution:
    """Search a deterministic game for a shortest win, or a proof that there is none.

    Waiting (NIL) is a move; lost states and ends without a winner are dead ends. `memory` changes nothing but `calls`.
    States are told apart by 64-bit keys, so a proof may err with a probability of about nodes^2 / 2^65. Ctrl-C, and any
    exception of `progress`, ends the search at once.

    Args:
        state: where to start; not changed.
        max_nodes: distinct states to meet at most; about 60 bytes each beside the state blocks.
        algorithm: "bfs" finds a shortest plan; "astar" expands by ticks so far plus `weight` times an estimate.
        weights: the estimate: the sum of the features of a state (`kernel.protocol.features`) times these. The plan is
            shortest if it never overestimates the ticks to a win. None estimates 0.
        weight: trust in the estimate; more than 1 finds longer plans sooner.
        admissible: your word that the estimate never exceeds the ticks to a win: then, with a weight of at most 1, the
            plan is shortest and the answer says so.
        max_ticks: longest plan of interest.
        stride: ticks that an action lasts, 1 or more: USE is pressed in the first, all others are held (Braylan,
            Hollenbeck, Meyerson, Miikkulainen 2015: frame skip). More than 1 reaches further where little happens in
            a tick (continuous physics), and can neither prove a plan shortest nor a level impossible.
        pairs: kinds of things to bring together, as (types, other types, ticks per cell between the nearest two): added
            to the estimate where there are `weights` and the model is a grid of cells; the first
            `MOST_PAIRS` count.
        memory: bytes of state blocks kept at most.
        progress: told how far the search has come, every 20,000 forward-model calls.

    Raises:
        AgentError: unknown algorithm, budget out of range, more than one player.

    >>> from pcg.engine.game import load
    >>> solve(load("boxes").start(level=0, seed=1), max_nodes=200_000).status
    'solved'
    """
    check_search(state.model, algorithm, max_nodes)
    if max_ticks < 0:
        raise AgentError(f"max_ticks is {max_ticks}, expected 0 or more")
    if stride < 1:
        raise AgentError(f"stride is {stride}, expected 1 or more")
    if weights is not None and (len(weights) % 2 or not np.isfinite(weights).all()):
        raise AgentError("weights are pairs of finite numbers, for the number and the distance of each kind of thing")
    if state.model.stochastic:
        return Solution("stochastic")
    model = state.model
    while True:
        decision = Record(DECISION, model=model.address, players=model.players)
        decision.point("own", np.zeros(model.max_actions + 1, dtype=np.int64))
        decision.point("joint", np.zeros(model.players, dtype=np.int64))
        search = GraphSearch(
            model,
            decision,
            max_nodes=max_nodes,
            algorithm=algorithm,
            weights=None if weights is None else np.asarray(weights, dtype=np.float64),
            weight=weight,
            max_ticks=max_ticks,
            blocks=memory // model.stride,
            admissible=admissible,
            stride=stride,
            pairs=pairs,
        )
        answer = search.run(state.address, progress)
        if answer != GROW:
            return search.solution(answer)
        grow_model(model, search.room)
