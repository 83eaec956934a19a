"""A graph search for a win that is resumed from decision to decision, within the budget of each.

Memory is got once, before the first decision, because a decision has no time for it; every search uses it again.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from pcg.engine.kernel.protocol import GROW, OK
from pcg.engine.kernel.runtime import EntryPoint, invoke1, invoke2
from pcg.engine.model import Model
from pcg.evaluators.agents.base import Budget, GameState
from pcg.evaluators.agents.compiled import Array, Record, grow_model
from pcg.evaluators.agents.graph_search import ALGORITHMS, MEMORY, GraphSearch
from pcg.evaluators.agents.kernel import solver as kernel
from pcg.evaluators.agents.kernel.decision import DECISION

_MOST_BYTES = 1 << 21
"""Memory for states to get at once: on a machine whose memory is handed over at first use it takes up to 5 ms."""
_SLICE = 512
"""Forward-model calls between two looks at the clock."""


@dataclass(frozen=True, slots=True)
class SearchMethod:
    """One way to search a level: an order of expansion, the weight of the estimate, and whether there is one."""

    algorithm: str
    weight: float
    guided: bool


class BudgetMeter:
    """The rest of a decision's budget, in calls or in milliseconds of CPU time."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.spent = 0
        self._started = time.thread_time()

    def next_slice(self, share: float) -> int:
        """Calls that may be made before the next look while using no more than a share of it all; 0: none."""
        if self.budget.calls is not None:
            return max(0, min(_SLICE, int(self.budget.calls * share) - self.spent))
        assert self.budget.milliseconds is not None
        used = 1000 * (time.thread_time() - self._started)
        return _SLICE if used < self.budget.milliseconds * share else 0

    def portion(self, wanted: Budget) -> Budget | None:
        """Return another budget, cut to what is left of this one; None when less than half of it would be left."""
        rest = self.rest()
        if rest is None:
            return None
        if rest.calls is not None:
            whole = wanted.calls or 0
            return Budget(calls=min(whole, rest.calls)) if 2 * rest.calls >= whole else None
        whole_time, time_left = wanted.milliseconds or 0.0, rest.milliseconds or 0.0
        return Budget(milliseconds=min(whole_time, time_left)) if 2 * time_left >= whole_time else None

    def deadline(self, share: float) -> int:
        """The processor time of this thread (ns) by which that share is used up; 0 when the budget is calls."""
        if self.budget.milliseconds is None:
            return 0
        return int(1e9 * self._started + 1e6 * self.budget.milliseconds * share)

    def rest(self) -> Budget | None:
        """The budget that is left; None when that is nothing."""
        if self.budget.calls is not None:
            left = self.budget.calls - self.spent
            return Budget(calls=left) if left > 0 else None
        assert self.budget.milliseconds is not None
        time_left = self.budget.milliseconds - 1000 * (time.thread_time() - self._started)
        return Budget(milliseconds=time_left) if time_left > 0.1 else None


class ResumableSearch:
    """Searches of one level, one at a time.

    Args:
        model: of the level.
        max_nodes: states that a search may meet.
        hasty: whether decisions have a budget of time.
        weights: float64[2 * kinds], of the features whose sum estimates the ticks to a win; None where nothing is
            known. What is written there later holds for the next search.
        estimate: reads the weights in its own way; None: their sum.
    """

    def __init__(
        self,
        model: Model,
        max_nodes: int,
        *,
        hasty: bool = False,
        weights: Array | None = None,
        estimate: EntryPoint | None = None,
    ) -> None:
        self.model = model
        self._weights = weights
        self._entry = estimate
        self._hasty = hasty
        self.max_nodes = max_nodes
        self.key: int | None = None  # the caller's name of the state that is searched
        self.answer = kernel.EXHAUSTED
        self._get_memory()

    def _get_memory(self) -> None:
        model = self.model
        self.decision = Record(DECISION, model=model.address, players=model.players)
        self.decision.point("own", np.zeros(model.max_actions + 1, dtype=np.int64))
        self.decision.point("joint", np.zeros(model.players, dtype=np.int64))
        self.search = GraphSearch(
            model,
            self.decision,
            max_nodes=self.max_nodes,
            algorithm="astar",
            weights=self._weights,
            blocks=MEMORY // model.stride,
        )
        self._estimate = self.decision["heuristic"] if self._entry is None else self._entry.address
        if self._hasty:
            self.decision.touch()

    def begin(self, state: GameState, method: SearchMethod, nodes: int) -> None:
        """Start a search from a state that may meet so many others."""
        self._asked = (state, method, nodes)
        record = self.search.record
        record["informed"] = ALGORITHMS[method.algorithm]
        record["weight"] = method.weight
        record["room"] = min(nodes, self.max_nodes)
        record["table_size"] = 1 << max(4, (2 * int(record["room"]) - 1).bit_length())
        self.decision["heuristic"] = self._estimate if method.guided else 0
        self.answer = invoke2(kernel.begin_search.address, self.decision.address, state.address)
        if self.answer == GROW:
            self._grow()

    def _grow(self) -> None:
        self.model.small_pages = self._hasty
        grow_model(self.model, self.search.room)
        self.search.enlarge(MEMORY // self.model.stride)
        self.begin(*self._asked)

    def resume(self, meter: BudgetMeter, share: float) -> None:
        """Search until that share of the budget is used up or there is an answer."""
        while not self.ended:
            record = self.search.record
            if self.answer == kernel.BLOCKS_SPENT:
                self.search.add_blocks(max(1, min(int(record["block_count"]), _MOST_BYTES // self.model.stride)))
            calls = meter.next_slice(share)
            if calls <= 0:
                return
            before = int(record["calls"])
            record["pause_at"] = before + calls
            self.decision["deadline"] = meter.deadline(share)
            self.answer = invoke1(kernel.expand_nodes.address, self.decision.address)
            if self.answer == GROW:
                self._grow()
                return
            meter.spent += max(1, int(record["calls"]) - before)

    @property
    def solved(self) -> bool:
        """True once a win is found."""
        return bool(self.answer == kernel.SOLVED)

    @property
    def unsolvable(self) -> bool:
        """True once it is proved that no line of actions wins."""
        return bool(self.answer == kernel.EXHAUSTED and self.search.record["cut"] == 0)

    @property
    def ended(self) -> bool:
        """True when the search cannot find anything more."""
        return self.answer not in (OK, kernel.PAUSED, kernel.BLOCKS_SPENT)

    def plan(self) -> list[str]:
        """The winning actions."""
        return list(self.search.actions_to(self.search.record["goal"]))
