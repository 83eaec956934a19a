"""A state's memory as numpy arrays, without copying: one record per sprite, straight from the kernel's block.

The arrays are read-only views. They keep the state alive, and show what it holds now; a tick that needs more room moves
the state to another block, so ask for them again after every `advance`. For objects instead of arrays see
`pcg.engine.observation`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pcg.engine.kernel import layout as L
from pcg.engine.kernel.runtime import structure

if TYPE_CHECKING:
    from pcg.engine.context import Context
    from pcg.engine.state import State

StateHeader: Any = structure(L.STATE)
"""The record at the beginning of a state as a C structure: its fields are read faster than those of numpy's records."""

NOT_HELD = -2147483648
"""In `StateArrays.resources`: the sprite has never had an entry for this resource."""


class _Memory:
    """Bytes at an address that some object keeps alive, for numpy to look at."""

    def __init__(self, owner: object, address: int, size: int) -> None:
        self.owner = owner
        self.__array_interface__ = {"version": 3, "typestr": "|u1", "data": (address, True), "shape": (size,)}


def view_memory(owner: object, address: int, dtype: npt.DTypeLike, count: int) -> npt.NDArray[Any]:
    """A read-only array of `count` items at an address; it keeps `owner` alive."""
    kind = np.dtype(dtype)
    if count == 0:
        nothing = np.zeros(0, kind)
        nothing.flags.writeable = False
        return nothing
    return np.asarray(_Memory(owner, address, count * kind.itemsize)).view(kind)


@lru_cache
def sprite_record(stride: int) -> np.dtype[Any]:
    """The record of a sprite in states that keep `stride` bytes of each: the fields of `layout.SPRITE` that fit."""
    fields = {name: spec for name, spec in (L.SPRITE.fields or {}).items() if spec[1] + spec[0].itemsize <= stride}
    return np.dtype(
        {
            "names": list(fields),
            "formats": [spec[0] for spec in fields.values()],
            "offsets": [spec[1] for spec in fields.values()],
            "itemsize": stride,
        }
    )


def context_record(context: Context) -> Any:
    """The `kernel.layout.CONTEXT` record of a game on a level, for reading."""
    return view_memory(context, context.address, L.CONTEXT, 1)[0]


class StateArrays:
    """Views on one state. Shapes: S slots, M sprites of the level, K of them mortal, R resource kinds.

    Fields of `moving` and `level` (`kernel.layout.SPRITE`): `id`, `type`, `x`, `y`, `w`, `h` in pixels, `ox`, `oy`
    (orientation), `speed`, `hp`, `max_hp`, `player` (-1: no avatar in play), `bits` (`layout.DISABLED`, ...), `res`.

    >>> import pcg
    >>> arrays = pcg.load("boxes").start(level=0, seed=1).arrays()
    >>> arrays.moving["x"].flags.writeable
    False
    >>> moving = arrays.moving[arrays.moving["id"] >= 0]  # a selection is a copy
    """

    def __init__(self, state: State) -> None:
        self._state = state
        self._address = state.address
        self._context = state.context
        self._head = view_memory(state, state.address, L.STATE, 1)[0]
        self._level = context_record(self._context)

    def __repr__(self) -> str:
        return f"<arrays of {self._state!r}: {len(self.moving)} slots, {len(self.level)} sprites of the level>"

    @property
    def header(self) -> Any:
        """The state's header, one `kernel.layout.STATE` record: scores, win states, tick, generator."""
        return self._head

    @property
    def moving(self) -> npt.NDArray[Any]:
        """Records (S,) of all sprites that can move or change; `id` is -1 in free slots. Order: none."""
        stride = self._context.tables.stride
        return view_memory(
            self._state, self._address + int(self._head["at_sprites"]), sprite_record(stride), int(self._head["slots"])
        )

    @property
    def level(self) -> npt.NDArray[Any]:
        """Records (M,) of the sprites that never move; shared by all states of the level, dead ones included."""
        count = int(self._level["n_level"])
        address = int(self._level["level"])
        return view_memory(self._context, address, L.SPRITE, count)

    @property
    def alive(self) -> npt.NDArray[np.bool_]:
        """Bools (M,): which of `level` are there. A copy: only the first K bytes are the state's own."""
        mortal = int(self._level["n_mortal"])
        there = np.ones(len(self.level), np.bool_)
        there[:mortal] = self.mortal_alive != 0
        return there

    @property
    def mortal_alive(self) -> npt.NDArray[np.uint8]:
        """Bytes (K,), not 0 for those of the first K of `level` that are there."""
        mortal = int(self._level["n_mortal"])
        return view_memory(self._state, self._address + int(self._head["at_alive"]), np.uint8, mortal)

    @property
    def resources(self) -> npt.NDArray[np.int32]:
        """Amounts (rows, R), `NOT_HELD` without an entry; a sprite's row is its `res` field, -1 for none.

        Column k is the type `state.context.tables.resources[k]`.
        """
        columns = len(self._context.tables.resources)
        rows = int(self._head["res_rows"])
        flat = view_memory(self._state, self._address + int(self._head["at_res"]), np.int32, rows * columns)
        return flat.reshape(rows, columns)

    @property
    def counters(self) -> npt.NDArray[np.int32]:
        """The game's counters."""
        count = self._context.tables.definition.counters
        return view_memory(self._state, self._address + int(self._head["at_counters"]), np.int32, count)

    @property
    def events(self) -> npt.NDArray[Any]:
        """Events of the last tick, `kernel.layout.EVENT` records, in the order they happened."""
        return view_memory(
            self._state, self._address + int(self._head["at_events"]), L.EVENT, int(self._head["events"])
        )


def sprite_table(state: State) -> npt.NDArray[Any]:
    """All sprites of a state as one structured array (a copy), by type id, then in order of creation."""
    arrays = StateArrays(state)
    names = list(sprite_record(state.context.tables.stride).names or ())
    level = arrays.level[arrays.alive]
    moving = arrays.moving
    moving = moving[moving["id"] >= 0]
    kind = np.dtype([(name, L.SPRITE[name]) for name in names])
    table = np.empty(len(level) + len(moving), kind)
    for name in names:
        table[name][: len(level)] = level[name]
        table[name][len(level) :] = moving[name]
    return table[np.lexsort((table["id"], table["type"]))]
