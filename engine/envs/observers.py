"""Observers of environments: type planes, entity lists, the JSON dictionary, or nothing; pictures are in `pictures`.

An observer knows its Gymnasium space and how to observe a state. The compiled ones also say which entry point writes an
observation and what that entry point needs to know of a level, so that a batch of states is observed in one call.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector.utils import batch_space

from pcg.engine.arrays import context_record
from pcg.engine.context import Context
from pcg.engine.envs.json_space import JsonSpace
from pcg.engine.kernel import layout as L
from pcg.engine.kernel import observe
from pcg.engine.kernel.protocol import OK
from pcg.engine.kernel.runtime import EntryPoint, invoke3, invoke4
from pcg.engine.observation_json import as_json
from pcg.engine.vgdl.compiler import GameTables
from pcg.engine.vgdl.diagnostics import PcgError

if TYPE_CHECKING:
    from pcg.engine.game import Game
    from pcg.engine.state import State

Array = npt.NDArray[Any]


def visible_types(tables: GameTables) -> list[int]:
    """Ids of the types that can have sprites and are not hidden, ascending."""
    return [r.id for r in tables.roles if r.possible and not int(tables.types[r.id]["bits"]) & L.T_HIDDEN]


class Observer(ABC):
    """One kind of observation. `space` is that of a single observation."""

    name: str
    space: spaces.Space[Any]

    @abstractmethod
    def observe(self, state: State, player: int = 0) -> Any:
        """The observation of a state, a new object each time."""


class CompiledObserver(Observer):
    """An observer whose observations are written by an entry_point, `item` bytes each."""

    entry_point: EntryPoint
    item: int

    def __init__(self, contexts: Sequence[Context]) -> None:
        self.rows = max(c.level.height for c in contexts)
        self.columns = max(c.level.width for c in contexts)
        self._views = {c.address: self._view(c) for c in contexts}
        self._contexts = tuple(contexts)
        self._address = self.entry_point.address

    @abstractmethod
    def _view(self, context: Context) -> Array:
        """The record that the entry point needs for a level."""

    def view(self, context: Context) -> int:
        """Address of that record."""
        return int(self._views[context.address].ctypes.data)

    @abstractmethod
    def unpack(self, raw: npt.NDArray[np.uint8]) -> Any:
        """Observations in their own shapes, as views of the bytes (..., item) that the entry point has written."""

    def resolve(self, context: Context, status: int) -> None:
        """Provide what a call lacked that did not return OK."""
        raise PcgError(f"observing {context!r} failed with status {status}")

    def write(self, context: Context, address: int, out: int) -> None:
        """Write the observation of the state at an address to another address."""
        view = self.view(context)
        while (status := invoke4(self._address, view, context.address, address, out)) != OK:
            self.resolve(context, status)

    def batch_space(self, count: int) -> spaces.Space[Any]:
        """The space of `count` observations."""
        return batch_space(self.space, count)

    def observe(self, state: State, player: int = 0) -> Any:
        """The observation of a state; it is the same for all players."""
        raw = np.empty(self.item, np.uint8)
        self.write(state.context, state.address, raw.__array_interface__["data"][0])
        return self.unpack(raw)


class Planes(CompiledObserver):
    """Bools (P, rows, columns): plane p is set where a sprite of type `types[p]` is, by the rule of the grid.

    >>> import pcg
    >>> game = pcg.load("boxes")
    >>> planes = Planes([game.context(0)])
    >>> planes.names
    ('wall', 'floor', 'mark', 'pit', 'stored', 'box', 'hero')
    >>> int(planes.observe(game.start(level=0, seed=1))[planes.names.index("box")].sum())
    2
    """

    name = "planes"
    entry_point = observe.write_planes

    def __init__(self, contexts: Sequence[Context]) -> None:
        tables = contexts[0].tables
        self.types = visible_types(tables)
        self.names = tuple(tables.names[t] for t in self.types)
        self._plane_of = np.full(len(tables.names), -1, np.int32)
        self._plane_of[self.types] = np.arange(len(self.types))
        self._kept: list[Array] = []
        super().__init__(contexts)
        self.shape = (len(self.types), self.rows, self.columns)
        self.item = int(np.prod(self.shape))
        self.space = spaces.Box(0, 1, self.shape, np.bool_)

    def _view(self, context: Context) -> Array:
        base = np.zeros((len(self.types), self.rows, self.columns), np.uint8)
        sprites = context.level_sprites[: int(context_record(context)["n_mortal"])]
        block = context.level.block_size
        plane = self._plane_of[sprites["type"]]
        cell = (plane * self.rows + sprites["y"] // block) * self.columns + sprites["x"] // block
        mortal_at = np.where(plane < 0, -1, cell).astype(np.int32)
        self._kept += [base, mortal_at]
        view = np.zeros(1, observe.PLANES)
        v = view[0]
        v["rows"], v["columns"], v["bytes"] = self.rows, self.columns, base.size
        v["base"], v["plane_of"] = base.ctypes.data, self._plane_of.ctypes.data
        v["mortal_at"] = mortal_at.ctypes.data
        invoke3(observe.mark_level.address, int(view.ctypes.data), context.address, int(base.ctypes.data))
        return view

    def unpack(self, raw: npt.NDArray[np.uint8]) -> Any:
        """Bools (..., P, rows, columns)."""
        return raw.view(np.bool_).reshape(*raw.shape[:-1], *self.shape)


class Entities(CompiledObserver):
    """The sprites as a list: `entities` float64 (room, fields), the first `count` rows in use, the others 0.

    The fields are `kernel.observe.ENTITY_FIELDS`. By type id, then in order of creation; sprites beyond the room are
    left out. By default there is room for half as many sprites again as the largest level starts with, and 32.

    >>> import pcg
    >>> game = pcg.load("boxes")
    >>> seen = Entities([game.context(0)]).observe(game.start(level=0, seed=1))
    >>> seen["entities"].shape, int(seen["count"])
    ((147, 11), 77)
    """

    name = "entities"
    entry_point = observe.write_entities

    def __init__(self, contexts: Sequence[Context], room: int | None = None) -> None:
        tables = contexts[0].tables
        if room is None:
            room = 32 + max(len(c.level.placements) for c in contexts) * 3 // 2
        if room < 1:
            raise PcgError(f"max_entities={room}: expected at least 1")
        self.room = room
        self._shown = np.zeros(len(tables.names), np.int32)
        self._shown[visible_types(tables)] = 1
        super().__init__(contexts)
        self.shape = (room, observe.N_FIELDS)
        self.item = 8 + 8 * room * observe.N_FIELDS
        bound = observe.ENTITY_BOUND
        self.space = spaces.Dict(
            {
                "entities": spaces.Box(-bound, bound, self.shape, np.float64),
                "count": spaces.Discrete(room + 1),
            }
        )

    def _view(self, context: Context) -> Array:
        view = np.zeros(1, observe.ENTITIES)
        view[0]["room"], view[0]["shown"] = self.room, self._shown.ctypes.data
        return view

    def unpack(self, raw: npt.NDArray[np.uint8]) -> Any:
        """A dictionary of `entities` (..., room, fields) and `count` (...)."""
        words = raw.view(np.int64)
        rows = raw.view(np.float64)[..., 1:].reshape(*raw.shape[:-1], *self.shape)
        return {"entities": rows, "count": words[..., 0] if raw.ndim > 1 else np.int64(words[0])}


class Nothing(CompiledObserver):
    """No observation: for agents that use the states themselves, and for measuring."""

    name = "none"
    item = 0

    def __init__(self, contexts: Sequence[Context]) -> None:
        self.space = spaces.Box(0, 1, (0,), np.uint8)
        self._contexts = tuple(contexts)
        self._views = {}

    def _view(self, context: Context) -> Array:
        return np.zeros(0, np.int64)

    def view(self, context: Context) -> int:
        """There is none."""
        return 0

    def write(self, context: Context, address: int, out: int) -> None:
        """Write nothing."""

    def unpack(self, raw: npt.NDArray[np.uint8]) -> Any:
        """An empty array."""
        return raw


class JsonDictionary(Observer):
    """The learning track's dictionary (`pcg.engine.observation_json`). Some twenty thousand per second.

    >>> import pcg
    >>> game = pcg.load("boxes")
    >>> JsonDictionary(game, [game.context(0)]).observe(game.start(level=0, seed=1))["availableActions"]
    ['ACTION_LEFT', 'ACTION_RIGHT', 'ACTION_DOWN', 'ACTION_UP']
    """

    name = "json"

    def __init__(self, game: Game, contexts: Sequence[Context]) -> None:
        self.space = JsonSpace(game, contexts)

    def observe(self, state: State, player: int = 0) -> Any:
        """The dictionary for a player, phase INIT before the first tick, END after the last, else ACT."""
        return as_json(state, player=player, phase="END" if state.is_over else "INIT" if state.tick < 0 else "ACT")
