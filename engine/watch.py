"""Visible changes from tick to tick: a memory beside a play, compared with it in compiled code.

For servers and films, which show many plays: a tick in which nothing is seen to happen costs two microseconds here, and
others a tuple for each place that changed.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from pcg.engine.kernel import watch as kernel
from pcg.engine.kernel.runtime import invoke3, structure
from pcg.engine.state import State

Change = tuple[int, int, int, int, int, int, int, float, float]
"""(was, id, type, x, y, w, h, ox, oy) of a place: the id of what was there, and what is there now; -1 for nothing."""

_ROOM = 64
_Memory: Any = structure(kernel.MEMORY)


class Watch:
    """Remembers how the states of one play looked when they were last asked about.

    At first it knows the level's sprites that never move as all there, and nothing else.

    >>> import pcg
    >>> state = pcg.load("boxes").start(level=0, seed=1)
    >>> watch = Watch(state)
    >>> len(watch.changes(state)), len(watch.changes(state))
    (3, 0)
    """

    def __init__(self, state: State) -> None:
        self._context = context = state.context
        record = context._record[0]
        self._mortals, resources = int(record["n_mortal"]), int(record["n_res"])
        self._alive = np.ones(max(1, self._mortals), np.uint8)
        self._held = np.full(max(1, resources), kernel.NOTHING, np.int32)
        self._memory = _Memory(alive=self._alive.ctypes.data, held=self._held.ctypes.data, avatar=-1)
        self._address = ctypes.addressof(self._memory)
        self._looks = np.zeros(0, kernel.LOOK)
        self._changes = np.zeros(0, kernel.CHANGE)
        self._make_room(_ROOM)

    def _make_room(self, room: int) -> None:
        looks = np.zeros(room, kernel.LOOK)
        known = int(self._memory.slots)
        looks[:known] = self._looks[:known]
        self._looks, self._changes = looks, np.zeros(room + self._mortals, kernel.CHANGE)
        self._memory.looks, self._memory.changes = looks.ctypes.data, self._changes.ctypes.data
        self._memory.room = room

    def changes(self, state: State) -> list[Change]:
        """The places that look different from when this was last asked, which a state of the same play must be."""
        while True:
            count = invoke3(kernel.watch.address, self._context.address, state.address, self._address)
            if count >= 0:
                return self._changes[:count].tolist() if count else []
            self._make_room(2 * int(state.header.slots))

    @property
    def avatar(self) -> int:
        """Type of the first player's avatar in the last state, -1 without one."""
        return int(self._memory.avatar)

    @property
    def health(self) -> int:
        """And its health, 0 without one."""
        return int(self._memory.health)

    @property
    def holds_changed(self) -> bool:
        """True when it has other resources than in the state before."""
        return bool(self._memory.holds)


__all__ = ["Change", "Watch"]
