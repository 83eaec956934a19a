"""A batch of plays as the kernel sees it: their blocks, the arrays that go in and come out, and the calls on them all.

Nothing here knows Gymnasium; `pcg.engine.envs.vector` decides when plays start again and what is returned.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from pcg.engine.context import Arena, Context
from pcg.engine.envs.observers import CompiledObserver
from pcg.engine.envs.plays import ActionTable
from pcg.engine.kernel import vector as kernel
from pcg.engine.kernel.bounds import MAX_ROOM
from pcg.engine.kernel.picture import MISSING
from pcg.engine.kernel.protocol import GROW
from pcg.engine.kernel.runtime import invoke3
from pcg.engine.vgdl.diagnostics import PcgError

Ints = npt.NDArray[np.int64]

_FEWEST_PER_WORKER = 64
_MOST_BUFFERS = 4
"""Buffers for observations that are kept for reuse: those of the steps that learners look at together, and one."""


class Plays:
    """The arrays and blocks of a batch of plays, and the kernel's record of them.

    Attributes named as the fields of `kernel.vector.VECTOR` are the arrays that the record points to.
    """

    def __init__(
        self, contexts: Sequence[Context], table: ActionTable, observer: CompiledObserver, count: int, workers: int
    ) -> None:
        self.contexts = tuple(contexts)
        self.count = count
        self.players = contexts[0].tables.players
        self._observer = observer
        self._table = table
        n, p = count, self.players
        self.games, self.states, self.spares, self.views = (np.zeros(n, np.int64) for _ in range(4))
        self.actions = np.zeros((n, p), np.int64)
        self.fresh = np.zeros(n, np.int8)
        self.rng, self.aux = np.zeros(n, np.int64), np.zeros(n, np.int64)
        self.scores, self.rewards = np.zeros((n, p)), np.zeros((n, p))
        self.terminated, self.truncated = np.zeros(n, np.int8), np.zeros(n, np.int8)
        self.winners, self.ticks = np.zeros((n, p), np.int32), np.zeros(n, np.int32)
        self.legal = np.zeros((n, p, len(table)), np.int8)
        self.status = np.zeros(n, np.int8)
        self.out = np.zeros((n, observer.item), np.uint8)
        self._buffers = [self.out]
        self.record = np.zeros(1, kernel.VECTOR)
        r = self.record[0]
        for name in (
            "games", "states", "spares", "views", "actions", "fresh", "rng", "aux", "scores", "rewards", "terminated",
            "truncated", "winners", "ticks", "legal", "status", "out",
        ):  # fmt: skip
            r[name] = getattr(self, name).ctypes.data
        r["codes"], r["legal_of"] = table.codes.ctypes.data, table.legal.ctypes.data
        r["item"], r["players"], r["n_actions"] = observer.item, p, len(table)
        r["observe"] = observer.entry_point.address if observer.item else 0
        r["copier"] = contexts[0].copy_address
        self._address = int(self.record.ctypes.data)
        self._arenas: list[Arena | None] = [None] * n
        self.levels = np.full(n, -1, np.int64)
        self._spares: dict[tuple[int, int, int], tuple[Arena, int]] = {}
        workers = max(1, min(workers, n // _FEWEST_PER_WORKER))
        bounds = [n * w // workers for w in range(workers + 1)]
        self._ranges = list(pairwise(bounds))
        self._worker_of = np.repeat(np.arange(workers), np.diff(bounds))
        self._threads = ThreadPoolExecutor(workers - 1, "pcg-vector") if workers > 1 else None

    def limits(self, max_ticks: int | None, win_bonus: float) -> None:
        """Set what ends a play early, and what a win is worth."""
        self.record[0]["max_ticks"], self.record[0]["bonus"] = max_ticks or 0, win_bonus

    # --- blocks ---

    def _give(self, i: int, context: Context, arena: Arena, block: int) -> None:
        """Let play i have a block, and a spare block of the same layout that it shares with its worker's others."""
        key = (int(self._worker_of[i]), context.address, arena.room)
        if key not in self._spares:
            self._spares[key] = (arena, arena.take())
        self.games[i], self.states[i], self.spares[i] = context.address, block, self._spares[key][1]
        self.views[i] = self._observer.view(context)
        self._arenas[i] = arena

    def _give_back(self, i: int) -> None:
        arena = self._arenas[i]
        if arena is not None:
            arena.free.append(int(self.states[i]))
            self._arenas[i] = None

    def place(self, i: int, level: int) -> None:
        """Let play i be on a level."""
        if self.levels[i] != level:
            self._give_back(i)
            context = self.contexts[level]
            arena = context.arena(context.room)
            self._give(i, context, arena, arena.take())
            self.levels[i] = level

    def context(self, i: int) -> Context:
        """The level that play i is on."""
        return self.contexts[int(self.levels[i])]

    def _grow(self, i: int) -> None:
        """Move play i to a block of twice the room. Raises PcgError when there is no larger one."""
        context, arena = self.context(i), self._arenas[i]
        assert arena is not None
        if arena.room >= MAX_ROOM:
            raise PcgError(f"play {i}: the state does not fit into {arena.room} moving sprites at tick {self.ticks[i]}")
        larger = context.arena(arena.room * 2)
        block = larger.take()
        invoke3(context.copy_address, context.address, block, int(self.states[i]))
        self._give_back(i)
        self._give(i, context, larger, block)

    def change_buffer(self, *, keep: bool = False) -> None:
        """Let `out` be a buffer that no earlier observation lies in; with `keep`, one of the same content."""
        before = self.out
        self.out = self._unused_buffer()
        if keep:
            self.out[:] = before
        self.record[0]["out"] = self.out.ctypes.data

    def _unused_buffer(self) -> npt.NDArray[np.uint8]:
        for k in range(len(self._buffers)):
            # held by the list, the call, and perhaps `out`: observations are views, and would count too
            if sys.getrefcount(self._buffers[k]) <= 2 + (self._buffers[k] is self.out):
                return self._buffers[k]
        buffer = np.empty_like(self.out)
        if len(self._buffers) < _MOST_BUFFERS:
            self._buffers.append(buffer)
        return buffer

    # --- compiled calls ---

    def step(self) -> None:
        """Play a tick of every play, and observe them all."""
        record, address = self._address, kernel.step_range.address
        if self._threads is None:
            undone = int(invoke3(address, record, 0, self.count))
        else:
            own, *others = self._ranges
            begun = [self._threads.submit(invoke3, address, record, *part) for part in others]
            undone = int(invoke3(address, record, *own)) + sum(int(part.result()) for part in begun)
        if not undone:
            return
        for i in np.flatnonzero(self.status).tolist():
            while self.status[i] == GROW:
                self._grow(i)
                invoke3(address, record, i, i + 1)
            if self.status[i] == MISSING:
                self._observe_again(i)
            elif self.status[i]:
                raise PcgError(f"play {i}: the kernel gave up with status {self.status[i]} at tick {self.ticks[i]}")

    def restart(self, which: Ints) -> None:
        """Start plays again, with the generators in `rng` and `aux`."""
        invoke3(kernel.restart_some.address, self._address, int(which.ctypes.data), len(which))

    def observe(self, which: Ints) -> None:
        """Write the observations of some plays to `out`."""
        if invoke3(kernel.observe_some.address, self._address, int(which.ctypes.data), len(which)):
            for i in which[self.status[which] != 0].tolist():
                self._observe_again(i)

    def _observe_again(self, i: int) -> None:
        out = int(self.out.ctypes.data) + i * self._observer.item
        self._observer.write(self.context(i), int(self.states[i]), out)
        self.status[i] = 0

    def __del__(self) -> None:
        if hasattr(self, "_threads"):
            self.close()

    def close(self) -> None:
        """Give all memory back; done anyway when nobody holds this object any more."""
        for i in range(self.count):
            self._give_back(i)
        for arena, block in self._spares.values():
            arena.free.append(block)
        self._spares.clear()
        if self._threads is not None:
            self._threads.shutdown()
