"""A state as the JSON dictionary of the learning track (reference/state 6.7), for agents in other languages.

`as_json` gives plain data ready for `json.dumps`, fields in the order in which the reference emits them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from pcg.engine.arrays import StateArrays
from pcg.engine.kernel.ids import ACTIONS
from pcg.engine.observation import HIDDEN, StateObservation, category_of, cells_of
from pcg.engine.outcome import CATEGORIES, Outcome
from pcg.engine.vgdl.diagnostics import PcgError

if TYPE_CHECKING:
    from pcg.engine.context import Context
    from pcg.engine.state import State

Json = dict[str, Any]

_ACTION_NAMES = {name: f"ACTION_{name}" for name in ACTIONS}

PHASES = ("START", "INIT", "ACT", "ABORT", "END")

CATEGORY_FIELDS: dict[str, str] = {
    "NPCPositions": "npc",
    "immovablePositions": "static",
    "movablePositions": "movable",
    "resourcesPositions": "resource",
    "portalsPositions": "portal",
    "fromAvatarSpritesPositions": "from-avatar",
}
"""The six category lists: JSON field -> category."""

_LISTS = tuple((CATEGORIES.index(c), name, f"{name}Num", f"{name}MaxRow") for name, c in CATEGORY_FIELDS.items())

OPTIONAL_FIELDS: Mapping[str, type] = {"imageArray": list, **dict.fromkeys(CATEGORY_FIELDS, list)}
"""Fields that are left out when there is nothing to say."""

FIELDS: Mapping[str, type] = {
    "isValidation": bool,
    "gameScore": float,
    "gameTick": int,
    "gameWinner": str,
    "isGameOver": bool,
    "worldDimension": list,
    "blockSize": int,
    "noOfPlayers": int,
    "avatarSpeed": float,
    "avatarOrientation": list,
    "avatarPosition": list,
    "avatarLastAction": str,
    "avatarType": int,
    "avatarHealthPoints": int,
    "avatarMaxHealthPoints": int,
    "avatarLimitHealthPoints": int,
    "isAvatarAlive": bool,
    "phase": str,
    "availableActions": list,
    "avatarResources": dict,
    "observationGrid": list,
    "observationGridNum": int,
    "observationGridMaxRow": int,
    "observationGridMaxCol": int,
    **{f"{name}{part}": int for name in CATEGORY_FIELDS for part in ("Num", "MaxRow")},
}
"""Fields that are always there, and the Python type of their values."""


def _single(value: float) -> float:
    """A number with the precision of a 32-bit float."""
    return ctypes.c_float(value).value


def _point(value: tuple[float, float]) -> list[float]:
    return [float(value[0]), float(value[1])]


def _entry(category: int, kind: int, sprite: int, x: int, y: int) -> Json:
    return {
        "category": category,
        "itype": kind,
        "obsID": sprite,
        "position": {"x": float(x), "y": float(y)},
        "reference": {"x": -1.0, "y": -1.0},
        "sqDist": float((x + 1) ** 2 + (y + 1) ** 2),
    }


class _Moment(StateObservation):
    """A view of a state that is not played on meanwhile, so that what moves is looked up once."""

    def __init__(self, state: State, player: int) -> None:
        super().__init__(state, player)
        self.slots = state.context.moving(state.address)
        slot = int(getattr(state.header, f"avatar{player}"))
        self._found = None if slot < 0 else self.slots[slot]

    def _avatar(self) -> Any:
        return self._found


Placed = tuple[int, int, Json]
"""Type, id and entry of a sprite: the first two are the order of cells and lists."""


class _Scene:
    """Sprites in cells and by type, in the order of the reference: of the level alone, or with those that move.

    Those of the level are the same in most messages of a level; what is added to them copies the lists that change.
    """

    def __init__(self, view: StateObservation, sprites: Iterable[tuple[int, int, int, int, int]]) -> None:
        state = view.state
        self._size = state.width, state.height, view.block_size
        self._categories = view.categories_of_types()
        self.columns: list[list[list[Json]]] = [[[] for _ in range(state.height)] for _ in range(state.width)]
        self._cells: dict[tuple[int, int], list[Placed]] = {}
        self._types: dict[int, list[Placed]] = {}
        self.groups: dict[int, list[Json]] = {}
        self._seen_as: dict[int, frozenset[int]] = {}
        self.deepest = 0
        self._put(sprites)

    def with_moving(self, slots: Any) -> _Scene:
        """Return this scene with the sprites of a state's slots in it."""
        found = object.__new__(_Scene)
        found.__dict__.update(self.__dict__)
        found.columns, found._cells, found._types = list(self.columns), dict(self._cells), dict(self._types)
        found.groups, found._seen_as = dict(self.groups), dict(self._seen_as)
        fields = (slots[name].tolist() for name in ("id", "type", "x", "y", "bits"))
        found._put(
            (category_of(self._categories[kind], bits), kind, sprite, x, y)
            for sprite, kind, x, y, bits in zip(*fields, strict=True)
            if sprite >= 0 and self._categories[kind] != HIDDEN
        )
        return found

    def _put(self, sprites: Iterable[tuple[int, int, int, int, int]]) -> None:
        columns, rows, block = self._size
        cells: dict[tuple[int, int], list[Placed]] = {}
        types: dict[int, list[Placed]] = {}
        for category, kind, sprite, x, y in sprites:
            placed = kind, sprite, _entry(category, kind, sprite, x, y)
            types.setdefault(kind, []).append(placed)
            for cell in cells_of(x, y, block, columns, rows):
                cells.setdefault(cell, []).append(placed)
        for column in {column for column, _ in cells}:
            self.columns[column] = self.columns[column].copy()
        for cell, more in cells.items():
            self._cells[cell] = together = sorted([*self._cells.get(cell, ()), *more], key=_in_order)
            self.columns[cell[0]][cell[1]] = [entry for _, _, entry in together]
            self.deepest = max(self.deepest, len(together))
        for kind, more in types.items():
            self._types[kind] = together = sorted([*self._types.get(kind, ()), *more], key=_in_order)
            self.groups[kind] = [entry for _, _, entry in together]
            self._seen_as[kind] = self._seen_as.get(kind, frozenset()) | {entry["category"] for _, _, entry in more}

    def by_category(self) -> list[list[list[Json]]]:
        """For every category the lists of its types, by type id; a type is in all categories its sprites have."""
        found: list[list[list[Json]]] = [[] for _ in CATEGORIES]
        for kind in sorted(self.groups):
            for category in self._seen_as[kind]:
                found[category].append(self.groups[kind])
        return found


def _in_order(placed: Placed) -> tuple[int, int]:
    return placed[:2]


_scenes: WeakKeyDictionary[Context, dict[bytes, _Scene]] = WeakKeyDictionary()
_MOST_SCENES = 64
"""Scenes of a level that are kept, by which of its sprites are there."""


def _scene(view: _Moment) -> _Scene:
    context = view.state.context
    kept = _scenes.setdefault(context, {})
    there = context.mortal_alive(view.state.address)
    still = kept.get(there)
    if still is None:
        arrays = StateArrays(view.state)
        still = _Scene(view, view.told(arrays.level[arrays.alive]))
        if len(kept) >= _MOST_SCENES:
            del kept[next(iter(kept))]
        kept[there] = still
    return still.with_moving(view.slots)


def as_json(
    state: State, *, player: int = 0, phase: str = "ACT", validation: bool = False, image: bytes | None = None
) -> Json:
    """A state as the learning track's dictionary.

    Entries of sprites that stand, and cells and lists with nothing else in them, are shared by the messages of a level:
    copy what you want to change.

    Args:
        state: what to describe.
        player: whose avatar.
        phase: one of `PHASES`.
        validation: whether this belongs to a validation level.
        image: a PNG to send along.

    >>> import pcg
    >>> message = as_json(pcg.load("boxes").start(level=0, seed=1), phase="INIT")
    >>> message["gameTick"], message["gameWinner"], message["availableActions"][0]
    (0, 'NO_WINNER', 'ACTION_LEFT')
    """
    if phase not in PHASES:
        raise PcgError(f"unknown phase `{phase}`, expected one of {', '.join(PHASES)}")
    view = _Moment(state, player)
    winners = view.winners
    scene = _scene(view)
    grid = scene.columns
    message: Json = {
        **({} if image is None else {"imageArray": np.frombuffer(image, np.int8).tolist()}),
        "isValidation": validation,
        "gameScore": _single(view.score),
        "gameTick": view.tick,
        "gameWinner": winners[player if len(winners) > 1 else 0].name,
        "isGameOver": Outcome.NO_WINNER not in winners,
        "worldDimension": _point(view.world_size),
        "blockSize": view.block_size,
        "noOfPlayers": view.players,
        "avatarSpeed": _single(view.avatar_speed),
        "avatarOrientation": _point(view.avatar_orientation),
        "avatarPosition": _point(view.avatar_position),
        "avatarLastAction": f"ACTION_{view.avatar_last_action}",
        "avatarType": view.avatar_type,
        "avatarHealthPoints": view.avatar_health,
        "avatarMaxHealthPoints": view.avatar_max_health,
        "avatarLimitHealthPoints": view.avatar_limit_health,
        "isAvatarAlive": view.is_avatar_alive,
        "phase": phase,
        "availableActions": [_ACTION_NAMES[name] for name in view.available_actions()],
        "avatarResources": {str(kind): amount for kind, amount in view.avatar_resources.items()},
        "observationGrid": grid,
        "observationGridNum": len(grid),
        "observationGridMaxRow": len(grid[0]),
        "observationGridMaxCol": scene.deepest,
    }
    sprites = scene.by_category()
    for category, name, number, longest in _LISTS:
        lists = sprites[category]
        if lists:
            message[name] = lists
        message[number] = len(lists)
        message[longest] = max(map(len, lists), default=0)
    return message
