"""Agents whose decisions are compiled: memory, budgets and growth around an entry point that decides.

A `CompiledAgent` owns a `DECISION` record (`kernel.decision`) and the memory its search needs, made once per model and
used again for every decision. Subclasses say which entry point decides and what memory it wants.
"""

from __future__ import annotations

import time
from typing import Any, ClassVar

import numpy as np

from pcg.engine.kernel.protocol import GROW
from pcg.engine.kernel.random import scramble
from pcg.engine.kernel.runtime import EntryPoint, invoke2
from pcg.engine.model import Model, Pool
from pcg.evaluators.agents.base import Agent, AgentError, Budget, GameState
from pcg.evaluators.agents.kernel.decision import DECISION, decide

Array = np.ndarray[Any, Any]

_MOST_ROOM = 1 << 16
_DEADLINE = 0.9
"""Share of a budget of time after which kernels simulate no further tick; what they have begun must still be ended."""
_CAUTION = 1.5
"""Slices are not begun unless so many times the time of the last one is left."""
_PAGE = 4096
"""Bytes of memory that the system hands over at once, at least."""
_ROOMY = 4
"""Times the room of the state that an agent with a budget of time starts with."""
ENDLESS = 1 << 60
"""Forward-model calls that no decision comes to."""


class Record:
    """One record of a dtype in memory that kernels get by address; keeps what its address fields point to alive."""

    def __init__(self, dtype: np.dtype[Any], **values: float) -> None:
        self._memory = np.zeros(1, dtype=dtype)
        self._kept: dict[str, object] = {}
        self.address = int(self._memory.ctypes.data)
        for name, value in values.items():
            self[name] = value

    def __getitem__(self, field: str) -> Any:
        return self._memory[0][field].item()

    def __setitem__(self, field: str, value: float) -> None:
        self._memory[0][field] = value

    def point(self, field: str, array: Array) -> Array:
        """Let an address field point to the array."""
        self._kept[field] = array
        self[field] = int(array.ctypes.data)
        return array

    def kept(self, field: str) -> Array:
        """Return the array that an address field points to."""
        array = self._kept[field]
        assert isinstance(array, np.ndarray)
        return array

    def point_to_pool(self, field: str, pool: Pool) -> Pool:
        """Let an address field point to the first state of the pool."""
        self._kept[field] = pool
        self[field] = pool.address
        return pool

    def own(self, field: str, record: Record) -> Record:
        """Let an address field point to another record."""
        self._kept[field] = record
        self[field] = record.address
        return record

    def touch(self) -> None:
        """Have the system hand over all memory that was pointed to, and owned, now.

        It does so at the first use of every page otherwise, and that took 10 to 30 ms out of some decisions.
        """
        for kept in self._kept.values():
            if isinstance(kept, Record):
                kept.touch()
            else:
                memory = kept.memory if isinstance(kept, Pool) else kept
                assert isinstance(memory, np.ndarray)
                pages = memory.reshape(-1).view(np.uint8)[::_PAGE]
                pages |= 0  # a write, of what is there


def grow_model(model: Model, room: int) -> None:
    """Make pools of the model larger than those with `room`, unless someone else did so meanwhile."""
    if room > _MOST_ROOM:
        raise AgentError(f"{model!r}: a state outgrows {room} moving sprites")
    if model.room <= room:
        model.grow()


def make_roomy(model: Model) -> None:
    """Let pools of the model have larger blocks than states need now: getting them in a decision takes too long."""
    wanted = _ROOMY * model.room
    while model.room < wanted:
        model.grow()


class CompiledAgent(Agent):
    """An agent that decides in compiled code; its own randomness is a java.util.Random stream of its seed.

    For the constructor see `Agent`. Subclasses name the entry point and implement `prepare`; what they need whatever
    the game, they make in `set_up`.
    """

    entry_point: ClassVar[EntryPoint]
    """Decides: ``i8(decision, state)``."""
    work_states: ClassVar[int] = 1
    """State blocks for simulation."""
    hasty: bool
    """True where getting memory must not take long: its budget is time, or it serves a decision whose budget is."""
    outgrown: bool
    """True when larger memory is needed, and the next decision in time begins with getting it."""
    most_calls: int
    """Forward-model calls after which a decision ends also where the budget is time; without end by default."""

    def __init__(
        self, *, seed: int = 0, budget: Budget | int | str | None = None, player: int = 0, **given: object
    ) -> None:
        super().__init__(seed=seed, budget=budget, player=player, **given)
        self.hasty = self.budget.milliseconds is not None
        self._model: Model | None = None
        self._room = 0
        self.outgrown = False
        self.most_calls = ENDLESS
        self._record = Record(DECISION, budget=self.budget.calls or 0)
        self.set_up()
        self._restart()

    def set_up(self) -> None:
        """Make the records that depend on the parameters alone; called once, by the constructor."""

    def __repr__(self) -> str:
        return f"<agent {type(self).__name__}, {self.budget}, seed {self.seed}>"

    @property
    def calls(self) -> int:
        """Forward-model calls of all decisions since the last reset."""
        return int(self._record["spent"])

    @property
    def work(self) -> int:
        """Work of the ticks simulated since the last reset, as far as an allowance had it counted."""
        return int(self._record["toil"])

    @property
    def room(self) -> int:
        """Number of moving sprites that the states it simulates have room for; 0 before the first decision."""
        return 0 if self._model is None else self._model.room

    @property
    def reproducible(self) -> bool:
        """True when the same seed gives the same decisions: always, unless the budget is time."""
        return self.budget.calls is not None

    def reset(self, state: GameState) -> None:
        """Start the agent's random stream again and get memory for the state's model."""
        self._restart()
        model = state.model
        new = self._model is None or self._model.address != model.address
        self.bind(model)
        if new and self.hasty:
            self._record.touch()

    def act(self, state: GameState) -> str:
        """The name of the chosen action; NIL when the game is over."""
        return self.act_within(state, self.budget)

    def act_within(self, state: GameState, budget: Budget) -> str:
        """`act` with a budget for this decision: what is left when an agent asks several methods."""
        model = state.model
        self.bind(model)
        record = self._record
        if budget.milliseconds is None:
            if self.outgrown:
                self.enlarge()
            record["budget"] = budget.calls or 0
            self._decide(state.address)
        else:
            self._decide_in_time(state.address, budget.milliseconds)
        return model.action_names[int(record["chosen"])]

    def bind(self, model: Model) -> int:
        """Get memory for the model, unless it is there already; returns the address of the DECISION record."""
        if self._model is None or self._model.address != model.address:
            if not 0 <= self.player < model.players:
                raise AgentError(f"player {self.player} of {model.players}, expected 0 to {model.players - 1}")
            if self.budget.milliseconds is not None:
                make_roomy(model)
            self._model = model
            self._allocate(model)
        elif model.room > self._model.room:
            # a crowded state: should memory run out, all that it needs is got at once
            self._model = model
        return self._record.address

    def enlarge(self) -> None:
        """Get larger memory: what the caller of `DECISION.decide` does when the answer is GROW."""
        assert self._model is not None
        self.outgrown = False
        self._model.small_pages = self.hasty
        grow_model(self._model, self._room)
        self._allocate(self._model)

    def _restart(self) -> None:
        self._record["random"] = scramble(self.seed)
        self._record["spent"] = 0
        self._record["resume"] = 0
        self._record["calls"] = 0
        self._record["toil"] = 0
        self._record["allowance"] = 0

    def _allocate(self, model: Model) -> None:
        self._room = model.room
        record = self._record
        record["model"] = model.address
        record["player"] = self.player
        record["players"] = model.players
        record["decide"] = type(self).entry_point.address
        for field in ("own", "slot", "other"):
            record.point(field, np.zeros(model.max_actions + 1, dtype=np.int64))
        record.point("joint", np.zeros(model.players, dtype=np.int64))
        record.point_to_pool("work", model.pool(self.work_states))
        self.prepare(model, record)

    def prepare(self, model: Model, record: Record) -> None:
        """Get what the agent's own kernel needs beyond the common memory."""

    def _decide(self, address: int) -> None:
        while invoke2(decide.address, self._record.address, address) == GROW:
            self.enlarge()
            self._record["resume"] = 0

    def _decide_in_time(self, address: int, milliseconds: float) -> None:
        """Search in slices until the next one might end too late (reference/agents 11.2, without the reserve).

        The kernel looks at the clock as well, between simulated ticks: a slice may take far longer than those before.
        A search that outgrows its memory ends with what it has found, if that is something: larger memory takes up to
        30 ms, and is got when the next decision begins.
        """
        record = self._record
        started = time.thread_time()
        limit = milliseconds / 1000
        if self.outgrown:
            self.enlarge()
        record["deadline"] = time.thread_time_ns() + int(_DEADLINE * milliseconds * 1e6)
        record["resume"] = 0
        slice_calls = 32
        record["budget"] = min(slice_calls, self.most_calls)
        while True:
            before = time.thread_time()
            answer = record["chosen"]
            if record["resume"] == 0:
                self._decide(address)
            elif invoke2(decide.address, record.address, address) == GROW:
                record["chosen"] = answer
                self.outgrown = True
                break
            now = time.thread_time()
            if record["calls"] < record["budget"] or record["calls"] >= self.most_calls:
                break  # nothing left to search, or no more wanted
            next_slice = now - before
            if self.most_calls < ENDLESS:
                slice_calls *= 2  # going on with a search costs some methods more than a few calls
                next_slice *= 2
            elif next_slice < limit / 40:
                slice_calls *= 2
            elapsed = now - started
            if elapsed >= _DEADLINE * limit or elapsed + _CAUTION * next_slice >= limit:
                break
            record["budget"] = min(record["calls"] + slice_calls, self.most_calls)
            record["resume"] = 1
        record["resume"] = record["deadline"] = 0
