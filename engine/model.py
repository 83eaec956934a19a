"""The forward-model protocol: what a planning agent may ask of any game.

`Model` is the protocol's compiled form for one game and level: a record of function addresses (`kernel.protocol`) that
search kernels call. `Pool` is memory for many states of it. Python agents need neither: they use the state objects
(`copy`, `advance`, `score`, `winner`, `actions`) of the engine.
"""

from __future__ import annotations

import contextlib
import mmap
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from pcg.engine.kernel import protocol
from pcg.engine.kernel.ids import ACTIONS
from pcg.engine.kernel.runtime import invoke3
from pcg.engine.memory import map_large_arrays

_LINE = 64
"""Bytes of a cache line."""
_SPARSE = 1 << 19
"""From this size on, in bytes, blocks are mostly empty: they have room for what few states come to."""


Memory = np.ndarray[Any, np.dtype[np.int64]]


class Given(NamedTuple):
    """Memory that is kept, and how many bytes of it have ever been in use."""

    memory: Memory
    used: int


class Reserve:
    """Memory of pools that have gone, for those to come, while it is open.

    The system clears every page that it hands out, and takes as long for that as a search for using it. The least
    recently given goes first when more than `limit` bytes are kept, or when what is kept and what pools have in use
    come to more than they ever had in use at once: so keeping makes no process larger. What was never used of a memory
    has no pages and does not count. Safe to use from several threads, and while it is used: finalisers give memory
    back.

    >>> reserve = Reserve(limit=1 << 24)
    >>> memory = np.zeros(1 << 18, dtype=np.int64)
    >>> with reserve.open():
    ...     reserve.lend(memory, memory.nbytes)
    ...     reserve.give(memory)
    ...     print(reserve.take(200_000).memory is memory, reserve.take(200_000) is None)
    True True
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._kept: dict[int, Given] = {}
        self._lent: dict[int, int] = {}
        self._most = 0
        self._users = 0
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        """Keep memory until the last who opened it leaves: then all of it goes, so that nobody pays for rest."""
        map_large_arrays()
        with self._lock:
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if not self._users:
                    self._kept.clear()
                    self._lent.clear()
                    self._most = 0

    @property
    def nbytes(self) -> int:
        """Bytes kept now that were in use."""
        return sum(given.used for given in list(self._kept.values()))

    def take(self, size: int) -> Given | None:
        """Return the smallest memory for `size` numbers of eight bytes, if there is one of less than twice that.

        Of several the one is returned of which most was in use.
        """
        fitting = [
            (len(given.memory), -given.used, key)
            for key, given in list(self._kept.items())
            if size <= len(given.memory) < 2 * size
        ]
        while fitting:
            best = min(fitting)
            given = self._kept.pop(best[2], None)
            if given is not None:
                return given
            fitting.remove(best)  # another thread took it
        return None

    def lend(self, memory: Memory, used: int) -> None:
        """Count memory that a pool has, and make way for it.

        Args:
            memory: what the pool has.
            used: bytes of it that have ever been in use.
        """
        if self._users and memory.nbytes >= _WORTH_KEEPING:
            self._lent[id(memory)] = used
            self._make_way()

    def give(self, memory: Memory, used: int | None = None) -> None:
        """Keep memory that nothing refers to any more, unless it is too little, or too much, to be worth it.

        Args:
            memory: what is given.
            used: bytes of it that have ever been in use; all by default.
        """
        given = Given(memory, memory.nbytes if used is None else used)
        self._lent.pop(id(memory), None)
        if not self._users or memory.nbytes < _WORTH_KEEPING or given.used > self.limit:
            return
        self._kept[id(memory)] = given
        self._make_way()

    def _make_way(self) -> None:
        """Let go of what is kept beyond the limit, or beyond what was in use when most was."""
        lent = sum(list(self._lent.values()))
        self._most = max(self._most, lent)
        while self.nbytes > min(self.limit, self._most - lent):
            self._kept.pop(next(iter(list(self._kept)), 0), None)


_MEGABYTE = 1 << 20
_WORTH_KEEPING = _MEGABYTE
"""Bytes from which on memory is kept: the allocator of the process keeps less by itself."""
RESERVE = Reserve(limit=1 << 30)
"""The reserve of all models of this process."""


class Pool:
    """A block of memory for `count` states of `stride` bytes.

    State k lies at ``address + k * stride``; the first `ready` are laid out for `copy_state`. The memory lives as long
    as this object, and goes to the `Reserve` then.
    """

    def __init__(self, model: Model, memory: Memory, count: int, ready: int, used: int = 0) -> None:
        self.memory = memory
        self.count = count
        self._used = used
        self.stride = model.stride
        self.ready = 0
        self.address = -(-int(memory.ctypes.data) // _LINE) * _LINE
        self._room = model.room
        self._format = model.format
        self._give: Callable[[Memory, int], None] | None = RESERVE.give
        self._lend = RESERVE.lend
        self.lay_out(ready)

    def __repr__(self) -> str:
        return f"<pool of {self.count} states, {self.stride} bytes each>"

    def __del__(self) -> None:
        if self._give is not None:
            self._give(self.memory, self.used)

    def lay_out(self, ready: int) -> None:
        """Lay out further states, up to so many in all."""
        first = self.ready
        self.ready = max(first, min(ready, self.count))
        self._lend(self.memory, self.used)
        if self.ready > first:
            self._format(self.address + first * self.stride, self._room, self.stride, self.ready - first)

    @property
    def used(self) -> int:
        """Bytes of the memory that have ever been in use, by this pool or one before it."""
        return max(self._used, self.ready * self.stride)

    def release(self) -> Memory:
        """Return the memory, for another pool: this one has none from here on."""
        self._give = None
        self.count = 0
        return self.memory

    @property
    def nbytes(self) -> int:
        """Bytes in all."""
        return self.count * self.stride


class GameIdentity:
    """Tells one game from another, and nothing about its rules.

    >>> GameIdentity("chess") == GameIdentity("chess"), GameIdentity("chess") == GameIdentity("go")
    (True, False)
    """

    __hash__ = None  # type: ignore[assignment]  # rules need not be hashable

    def __init__(self, rules: object) -> None:
        self._rules = rules

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GameIdentity) and (self._rules is other._rules or self._rules == other._rules)

    def __repr__(self) -> str:
        return "<identity of a game>"


class Model:
    """A compiled forward model of one game and level.

    >>> import pcg
    >>> model = pcg.load("boxes").start(level=0, seed=1).model
    >>> model.players, model.stochastic, model.action_names[:3]
    (1, False, ('NIL', 'UP', 'LEFT'))

    Attributes:
        address: address of the `kernel.protocol.MODEL` record, to be passed to search kernels.
        players: number of players.
        max_actions: the largest number of actions a player can have.
        must_move: whether a player with available actions has to take one of them, as on boards.
        size: columns and rows of the level, (0, 0) for games that are not on a grid of cells.
        stochastic: whether a transition may draw random numbers that matter: on this level, with the sprites that are
            there or can come to be there.
        action_names: name of each action code; NIL is code 0.
        categories: for each pair of `kernel.protocol.features` what kind of thing it counts: "avatar", "npc", "portal",
            "resource", "movable", "static" or "" (unknown); empty when the engine does not say. Heuristics read it.
        hidden: for each pair of features whether its kind is hidden from observations: it is then 0 and -1.
        game: identity of the game, equal for all levels of one: what was learnt in one may be of use in another.
        engine: "vgdl", "gdl", "boards", or "" for others: what kind of states they are, not what their rules say.
        definition: the rules, for analyses that can read them (VGDL: a `GameDefinition`), or None. Agents that look at
            it, or at `stochastic`, declare it (`Agent.reads_rules`).
        holdings: the facts of a state (`kernel.protocol.atoms`) from the first of these numbers on and before the
            second tell the avatar's health, what it holds, and counters; (0, 0) when the engine does not say.
        place_facts: the first fact, which is the avatar, counted from 1, has so many values in a row for each place.
    """

    def __init__(
        self,
        record: np.ndarray[Any, Any],
        *,
        room: int,
        stride_of: Callable[[int], int],
        format_blocks: Callable[[int, int, int, int], None],
        stochastic: bool,
        owner: object,
        action_names: Sequence[str] = ACTIONS,
        categories: Sequence[str] = (),
        definition: object = None,
        holdings: tuple[int, int] = (0, 0),
        place_facts: int = 1,
        hidden: Sequence[bool] = (),
        engine: str = "",
    ) -> None:
        self._record = record
        self._room = room
        self._stride_of = stride_of
        self.format = format_blocks
        self.small_pages = False
        """True: memory of pools comes in pages of kilobytes, at their first use. Getting it is quick (large pages took
        up to 400 ms where memory was in pieces), and using it is slower."""
        self._owner = owner  # keeps the tables alive
        self.stochastic = stochastic
        self.action_names = tuple(action_names)
        self.categories = tuple(categories)
        self.definition = definition
        self.holdings = holdings
        self.place_facts = place_facts
        self.hidden = tuple(hidden)
        self.engine = engine
        self.game = GameIdentity(definition)
        self.address = int(record.ctypes.data)
        self.players = int(record[0]["players"])
        self.max_actions = int(record[0]["max_actions"])
        self.size = (int(record[0]["columns"]), int(record[0]["rows"]))
        self.must_move = bool(record[0]["must_move"])

    def __repr__(self) -> str:
        return f"<model of {self._owner!r}, {self.players} player(s)>"

    @property
    def record(self) -> Any:
        """The `kernel.protocol.MODEL` record: addresses of the model's functions."""
        return self._record[0]

    @property
    def room(self) -> int:
        """Number of moving sprites that a state of a new pool has room for."""
        return self._room

    @property
    def stride(self) -> int:
        """Bytes of one state in a new pool."""
        return self._stride_of(self._room)

    def pool(self, count: int, ready: int | None = None, *, small_pages: bool = False) -> Pool:
        """Memory for `count` states (it begins with a cache line, and holds anything beyond its format).

        Args:
            count: number of states.
            ready: how many of them are laid out now (`Pool.lay_out`): memory that is not used costs nothing then.
                All by default.
            small_pages: have only what is used cleared by the system, as where `Model.small_pages` is set: for many
                states of which few may come to be used.

        >>> import pcg
        >>> pcg.load("boxes").start(level=0, seed=1).model.pool(2)
        <pool of 2 states, 4352 bytes each>
        """
        stride = self.stride
        size = (count * stride + _LINE) // 8
        given = None
        if 8 * size >= _WORTH_KEEPING:
            size += -size % (_MEGABYTE // 8)  # so that pools of much the same size can have one another's memory
            given = RESERVE.take(size)
        if given is None and stride < _SPARSE and not (small_pages or self.small_pages):
            given = Given(np.empty(size, dtype=np.int64), 0)
        elif given is None:
            # not from numpy, which asks for pages of megabytes: the format alone would have the system clear them all
            given = Given(np.frombuffer(mmap.mmap(-1, 8 * size), dtype=np.int64), 0)
        return Pool(self, given.memory, count, count if ready is None else ready, given.used)

    def pool_in(self, old: Pool) -> Pool:
        """A pool of blocks of the size they have now, as many as fit into the memory of an old one (at least one).

        The old pool's states are lost. Cheaper than new memory, whose pages have to be fetched first.
        """
        count = (old.memory.nbytes - _LINE) // self.stride
        if count <= 0:
            return self.pool(1)
        return Pool(self, old.release(), count, count, old.used)

    def type_counts(self, address: int) -> tuple[int, ...]:
        """Living sprites of each type in the state at an address, by type id; empty where the engine has no types."""
        types = getattr(self.definition, "types", ())
        if not types:
            return ()
        counts = np.zeros(len(types), dtype=np.int32)
        record = self._record[0]
        invoke3(int(record["counts"]), int(record["game"]), address, int(counts.ctypes.data))
        return tuple(counts.tolist())

    def grow(self) -> None:
        """Give the states of later pools twice the room. Call it when a kernel returned `protocol.GROW`."""
        self._room = self._room * 2


__all__ = ["Model", "Pool", "protocol"]
