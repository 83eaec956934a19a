"""Solving deterministic games: `solve` finds a shortest plan or proves that there is none; `Solver` plays by it.

Memory and parameters around `solver_kernel`. For games that draw random numbers `solve` declines, and the agent
searches one imagined future at a time.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pcg.engine.kernel.protocol import GROW, OK
from pcg.engine.kernel.random import scramble
from pcg.engine.kernel.runtime import invoke1, invoke2, invoke3
from pcg.engine.model import Model, Pool
from pcg.evaluators.agents import heuristics_kernel, simple_kernel, solver_kernel
from pcg.evaluators.agents.base import Agent, AgentError, Budget, GameState
from pcg.evaluators.agents.compiled import Array, Record, grow_model
from pcg.evaluators.agents.decision_kernel import DECISION, imagine_state
from pcg.evaluators.agents.registry import AgentType, register
from pcg.evaluators.parameters import Parameter

ALGORITHMS: dict[str, int] = {"bfs": 0, "astar": 1}
"""Search orders: breadth-first, and A* on ticks plus `weight` times the estimate."""

MEMORY = 256 * 2**20
"""Bytes of state blocks a search may use before it makes states again instead of keeping them."""

_MASK = 2**64 - 1
_SLICE = 20_000  # calls between two looks at the clock and at Ctrl-C
_FIRST_BLOCKS = 64
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
    """What a search found out.

    Attributes:
        status: "solved"; "unsolvable" (proved: no line of actions wins within the tick limit); "budget" (not decided
            within the node budget); "stochastic" (the game draws random numbers, not searched).
        actions: the winning actions, one per tick, when solved.
        nodes: distinct states met.
        calls: forward-model calls made.
        optimal: whether no shorter win exists (breadth-first; A* without or with a never overestimating estimate).
        promising: actions to the best state met (highest score, then lowest estimate), when there is no win.
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


class _Search:
    """One search: its records and its memory."""

    def __init__(
        self,
        model: Model,
        *,
        max_nodes: int,
        algorithm: str,
        weights: Array | None,
        weight: float = 1.0,
        max_ticks: int = 2000,
        memory: int = MEMORY,
    ) -> None:
        self.model = model
        self.room = model.room
        self.decision = decision = Record(DECISION, model=model.address, players=model.players)
        self.record = record = Record(
            solver_kernel.SEARCH,
            informed=ALGORITHMS[algorithm],
            weight=weight,
            room=max_nodes,
            branching=model.max_actions + 1,
            max_depth=max_ticks,
        )
        decision.own("search", record)
        decision.point("own", np.zeros(model.max_actions + 1, dtype=np.int64))
        decision.point("joint", np.zeros(model.players, dtype=np.int64))
        if weights is not None:
            decision["kind_count"] = len(weights) // 2
            decision.point("features", np.zeros(len(weights), dtype=np.float64))
            decision.point("weights", np.ascontiguousarray(weights, dtype=np.float64))
            decision["heuristic"] = heuristics_kernel.weighted_features.address
        wanted = _NODE_ARRAYS | (_HEAP_ARRAYS if record["informed"] else {})
        self.arrays = {field: record.point(field, np.empty(max_nodes, dtype=kind)) for field, kind in wanted.items()}
        size = 1 << max(4, (2 * max_nodes - 1).bit_length())
        record.point("table", np.zeros(size, dtype=np.int32))
        record["table_size"] = size
        self.line = record.point("line", np.zeros(max_ticks + 1, dtype=np.int32))
        own = model.pool(3)
        self._pools: list[Pool] = [own]
        for k, field in enumerate(("root", "rebuilt", "scratch")):
            record[field] = own.address + k * own.stride
        self.block_limit = min(max_nodes + record["branching"], max(_FIRST_BLOCKS, memory // own.stride))
        self.block_count = 0
        self.blocks = record.point("blocks", np.zeros(self.block_limit, dtype=np.int64))
        self.free = record.point("free", np.zeros(self.block_limit, dtype=np.int32))
        self.add_blocks()

    def add_blocks(self) -> None:
        """Twice as many state blocks, up to the limit."""
        count = min(max(_FIRST_BLOCKS, self.block_count), self.block_limit - self.block_count)
        pool = self.model.pool(count)
        self._pools.append(pool)
        first = self.block_count
        used = self.record["free_used"]
        self.blocks[first : first + count] = pool.address + pool.stride * np.arange(count)
        # the stack hands out low indices first
        self.free[used : used + count] = np.arange(first + count - 1, first - 1, -1)
        self.record["free_used"] = used + count
        self.block_count = first + count
        self.record["may_grow"] = int(self.block_count < self.block_limit)

    def run(self, address: int, max_calls: int, seconds: float) -> int:
        """Search from the state; returns the kernel's last answer."""
        started = time.thread_time()
        answer = invoke2(solver_kernel.begin_search.address, self.decision.address, address)
        while answer in (OK, solver_kernel.PAUSED, solver_kernel.BLOCKS_SPENT):
            if answer == solver_kernel.BLOCKS_SPENT:
                self.add_blocks()
            calls = self.record["calls"]
            if calls >= max_calls or time.thread_time() - started >= seconds:
                return solver_kernel.NODES_SPENT
            slice_calls = _SLICE if seconds == np.inf else 500
            self.record["pause_at"] = min(calls + slice_calls, max_calls)
            answer = invoke1(solver_kernel.expand_nodes.address, self.decision.address)
        return int(answer)

    @property
    def answer_node(self) -> int:
        """The won node, or else the most promising one; -1 when the root was over."""
        goal = self.record["goal"]
        return int(goal if goal >= 0 else self.record["best"])

    def actions_to_answer(self) -> tuple[str, ...]:
        """The actions from the root to the answer."""
        length = invoke2(solver_kernel.trace_line.address, self.decision.address, self.answer_node)
        return tuple(self.model.action_names[code] for code in self.line[:length])

    def keys_to_answer(self) -> list[int]:
        """Keys of the states from the root to the answer."""
        node, keys = self.answer_node, []
        while node >= 0:
            keys.append(int(self.arrays["key"][node]) & _MASK)
            node = int(self.arrays["parent"][node])
        return keys[::-1]

    def solution(self, answer: int) -> Solution:
        """What the kernel's last answer means."""
        record = self.record
        nodes, calls = int(record["used"]), int(record["calls"])
        if answer == solver_kernel.SOLVED:
            settled = record["informed"] == 0 or self.decision["heuristic"] == 0
            return Solution("solved", self.actions_to_answer(), nodes, calls, optimal=settled)
        if answer == solver_kernel.EXHAUSTED and record["cut"] == 0:
            status = "unsolvable"
        else:
            status = "budget"
        promising = self.actions_to_answer() if record["best"] >= 0 else ()
        return Solution(status, (), nodes, calls, promising=promising)


def _run(
    model: Model, address: int, *, calls: int = 2**62, seconds: float = float("inf"), **settings: Any
) -> tuple[_Search, int]:
    """Search from the state at `address`, once more with larger blocks whenever they were too small."""
    while True:
        search = _Search(model, **settings)
        answer = search.run(address, calls, seconds)
        if answer != GROW:
            return search, answer
        grow_model(model, search.room)


def _checked(model: Model, algorithm: str, max_nodes: int) -> None:
    if algorithm not in ALGORITHMS:
        raise AgentError(f"unknown algorithm `{algorithm}`, expected one of {', '.join(ALGORITHMS)}")
    if not 1 <= max_nodes < 2**30:
        raise AgentError(f"max_nodes is {max_nodes}, expected 1 to {2**30 - 1}")
    if model.players != 1:
        raise AgentError(f"the solver plays games of one player, this one has {model.players}")


def solve(
    state: GameState,
    *,
    max_nodes: int = 100_000,
    algorithm: str = "bfs",
    weights: Sequence[float] | Array | None = None,
    weight: float = 1.0,
    max_ticks: int = 2000,
    memory: int = MEMORY,
) -> Solution:
    """Search a deterministic game for a shortest win, or a proof that there is none.

    Waiting (NIL) is a move; lost states and ends without a winner are dead ends. `memory` does not change the result.
    States are told apart by 64-bit keys, so a proof may err with a probability of about nodes^2 / 2^65.

    Args:
        state: where to start; not changed.
        max_nodes: distinct states to meet at most; about 60 bytes each beside the state blocks.
        algorithm: "bfs" finds a shortest plan; "astar" expands by ticks so far plus `weight` times an estimate.
        weights: the estimate: the sum of the features of a state (`kernel.protocol.features`) times these. The plan is
            shortest if it never overestimates the ticks to a win. None estimates 0.
        weight: trust in the estimate; more than 1 finds longer plans sooner.
        max_ticks: longest plan of interest.
        memory: bytes of state blocks kept at most.

    Raises:
        AgentError: unknown algorithm, budget out of range, more than one player.
    """
    _checked(state.model, algorithm, max_nodes)
    if state.model.stochastic:
        return Solution("stochastic")
    search, answer = _run(
        state.model,
        state.address,
        max_nodes=max_nodes,
        algorithm=algorithm,
        weights=None if weights is None else np.asarray(weights, dtype=np.float64),
        weight=weight,
        max_ticks=max_ticks,
        memory=memory,
    )
    return search.solution(answer)


class Solver(Agent):
    """Plans by graph search and plays the plan.

    In a deterministic game the first decision searches up to `max_nodes` states and, when that finds a win, the rest of
    the game is played from memory. Otherwise the agent walks to the best state found and searches on from there, within
    its budget per decision. In a stochastic game every decision searches one imagined future within the budget.

    Args:
        algorithm: "bfs" or "astar".
        max_nodes: states met by the first search of a deterministic game, whatever the budget.
    """

    def __init__(
        self,
        *,
        seed: int,
        budget: Budget | int | str | None = None,
        player: int = 0,
        algorithm: str = "bfs",
        max_nodes: int = 50_000,
    ) -> None:
        self.seed = int(seed)
        self.player = player
        self.budget = Budget.read(budget)
        self.algorithm = algorithm
        self.max_nodes = max_nodes
        self.solution: Solution | None = None
        self.calls = 0
        self._record = Record(DECISION)
        self._model: Model | None = None
        self._plan: list[tuple[int, str]] = []  # keys of states and what to play there
        self._restart()

    def __repr__(self) -> str:
        return f"<agent Solver, {self.algorithm}, {self.budget}, seed {self.seed}>"

    @property
    def reproducible(self) -> bool:
        """Whether the same seed gives the same decisions: true unless the budget is time."""
        return self.budget.calls is not None

    def reset(self, state: GameState) -> None:
        """Forget the plan and start the random stream again."""
        self._restart()
        self._bind(state.model)

    def act(self, state: GameState) -> str:
        """The next action of the plan, after a search when there is none for this state."""
        self._bind(state.model)
        names = state.model.action_names
        if state.is_over:
            return names[0]
        if not self._plan or self._plan[0][0] != state.key() & _MASK:
            self._plan = self._think(state)
        if self._plan:
            return self._plan.pop(0)[1]
        # the search saw nothing better than where we are
        invoke2(simple_kernel.decide_random.address, self._record.address, state.address)
        return names[self._record["chosen"]]

    def _restart(self) -> None:
        self._record["random"] = scramble(self.seed)
        self._plan = []
        self._searched = False
        self.solution = None
        self.calls = 0

    def _bind(self, model: Model) -> None:
        if self._model is not model:
            _checked(model, self.algorithm, self.max_nodes)
            self._model = model
            self._record["model"] = model.address
            self._record["players"] = model.players
            self._record.point("own", np.zeros(model.max_actions + 1, dtype=np.int64))

    def _think(self, state: GameState) -> list[tuple[int, str]]:
        """Search from the state; the plan as pairs of a state's key and the action to play in it."""
        model = state.model
        nodes, calls, seconds = self.max_nodes, 2**62, float("inf")
        if model.stochastic or self._searched:
            if self.budget.milliseconds is not None:
                seconds = self.budget.milliseconds / 1000
            else:
                calls = self.budget.calls or 0
                nodes = min(nodes, calls + 1)
        start = self._imagined(state) if model.stochastic else state.address
        search, answer = _run(
            model, start, calls=calls, seconds=seconds, max_nodes=nodes, algorithm=self.algorithm, weights=None
        )
        self._searched = True
        self.solution = search.solution(answer)
        self.calls += self.solution.calls
        keys = search.keys_to_answer()
        keys[0] = state.key() & _MASK
        plan = list(zip(keys, self.solution.actions or self.solution.promising, strict=False))
        return plan[:1] if model.stochastic else plan

    def _imagined(self, state: GameState) -> int:
        """Address of a copy of the state with a random stream of its own."""
        model = state.model
        while True:
            before = self._record["random"]
            room = model.room
            pool = self._record.point_to_pool("work", model.pool(1))
            if invoke3(imagine_state.address, self._record.address, pool.address, state.address) == OK:
                return pool.address
            self._record["random"] = before
            grow_model(model, room)


register(
    AgentType(
        "solver",
        Solver,
        "plans by graph search with duplicate detection; for deterministic games",
        (
            Parameter("algorithm", "bfs", "order of the search", choices=tuple(ALGORITHMS)),
            Parameter("max_nodes", 50_000, "states met by the first search of a deterministic game", low=1, high=10**8),
        ),
        "Hart, Nilsson and Raphael, A Formal Basis for the Heuristic Determination of Minimum Cost Paths, 1968",
    )
)
