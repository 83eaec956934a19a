"""Pictures of states at full speed: tiles are asked for once, and a compiled kernel puts them on the canvas.

Where tiles come from is a `Renderer`'s business. The engine's own, `CellRenderer`, draws a coloured cell for each type;
the toolkit's tiles are `pcg.envs.TileRenderer`, whose pictures equal those of `pcg.render`.
"""

from __future__ import annotations

import colorsys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from pcg.engine.context import Context
from pcg.engine.envs.observers import CompiledObserver
from pcg.engine.kernel import picture
from pcg.engine.vgdl.compiler import GameTables
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.engine.vgdl.values import COLOURS

if TYPE_CHECKING:
    from pcg.engine.game import Game
    from pcg.engine.state import State

Pixels = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]

DIRECTIONS = ("", "up", "left", "down", "right")
"""Directions that a stamp can look towards, by the kernel's number."""

PLAIN_TILE = 16
"""Pixels per cell when nothing else is asked for."""

_BLACK = (0, 0, 0)
_GOLDEN = 0.61803398875


class Stamps(Protocol):
    """The tiles of one game at one cell size. Types are ids; a *look* is a number that only this object understands."""

    backdrop: tuple[int, int, int]

    def looks(self, kind: int, column: int, row: int) -> int:
        """The look of a type in a cell."""

    def varies(self, kind: int) -> bool:
        """True when `looks` depends on the cell; otherwise it is 0."""

    def below(self, kind: int) -> int:
        """The look where a sprite of the same type stands directly below, -1: no difference."""

    def faces(self, kind: int) -> bool:
        """True when the look depends on the orientation."""

    def stamp(self, kind: int, look: int, towards: str, width: int, height: int) -> tuple[Pixels, Mask | None]:
        """Colours (height, width, 3), and where they count (height, width), None meaning everywhere."""


class Renderer(Protocol):
    """Pictures of states: the renderer of an environment."""

    def stamps(self, game: Game, tile: int) -> Stamps:
        """The game's tiles, `tile` pixels to a cell."""

    def text(self, state: State, colour: bool) -> str:
        """A state as lines of text, with terminal colours or without."""


class CellStamps:
    """A plain cell per type in its VGDL colour, or one chosen by its id; what moves does not fill its cell."""

    backdrop = _BLACK

    def __init__(self, game: Game, tile: int) -> None:
        self.cell = tile
        self._colours = [_colour(kind.raw.get("color", ""), kind.id) for kind in game.definition.types]
        self._full = [role.level for role in game.tables.roles]

    def looks(self, kind: int, column: int, row: int) -> int:
        """Return 0, the only look."""
        return 0

    def varies(self, kind: int) -> bool:
        """Return false: the cell does not matter."""
        return False

    def below(self, kind: int) -> int:
        """Return -1: the sprite below does not matter."""
        return -1

    def faces(self, kind: int) -> bool:
        """Return false: the orientation does not matter."""
        return False

    def stamp(self, kind: int, look: int, towards: str, width: int, height: int) -> tuple[Pixels, Mask | None]:
        """One colour; with a rim left free around what can move or change."""
        rgb = np.empty((height, width, 3), np.uint8)
        rgb[:] = self._colours[kind]
        if self._full[kind] or width < 4 or height < 4:
            return rgb, None
        mask = np.zeros((height, width), np.bool_)
        mask[height // 8 : height - height // 8, width // 8 : width - width // 8] = True
        return rgb, mask


def _colour(name: str, number: int) -> tuple[int, int, int]:
    known = COLOURS.get(name)
    if known is not None:
        return known
    red, green, blue = colorsys.hsv_to_rgb(number * _GOLDEN % 1.0, 0.6, 0.9)
    return round(255 * red), round(255 * green), round(255 * blue)


class CellRenderer:
    """Coloured cells, and letters: what the engine can draw by itself."""

    def stamps(self, game: Game, tile: int) -> Stamps:
        """One colour per type."""
        return CellStamps(game, tile)

    def text(self, state: State, colour: bool) -> str:
        """A letter per cell: the first of the name of the topmost type there, a capital for an avatar."""
        rank = {t: n for n, t in enumerate(state.game.definition.draw_order)}
        names = state.game.definition.type_index
        avatars = {s.name for s in state.sprites() if s.category == "avatar"}

        def letter(cell: tuple[str, ...]) -> str:
            if not cell:
                return " "
            top = max(cell, key=lambda name: (rank.get(names[name], -1), names[name]))
            return top[0].upper() if top in avatars else top[0].lower()

        return "\n".join("".join(letter(cell) for cell in row) for row in state.grid())


class Pictures(CompiledObserver):
    """Uint8 (rows * tile, columns * tile, 3): sprites at their pixel positions, in the game's draw order.

    Invisible types and dead avatars are not shown. Types that are drawn first and never change are painted once per
    level; every picture starts from a copy of that.
    """

    name = "rgb"
    entry_point = picture.write_picture

    def __init__(self, contexts: Sequence[Context], stamps: Stamps, tile: int) -> None:
        if not 1 <= tile <= 256:
            raise PcgError(f"tile={tile}: expected 1 to 256 pixels per cell")
        self.tile = tile
        self._stamps = stamps
        self._kept: list[Any] = []
        self._kinds: dict[int, npt.NDArray[Any]] = {}
        super().__init__(contexts)
        self.shape = (self.rows * tile, self.columns * tile, 3)
        self.item = int(np.prod(self.shape))
        self.space = spaces.Box(0, 255, self.shape, np.uint8)
        for context in contexts:
            self._paint_base(context)

    def _view(self, context: Context) -> npt.NDArray[Any]:
        tables = context.tables
        order = drawn_types(tables)
        kinds = np.zeros(max(1, len(order)), picture.KIND)
        for row, kind in zip(kinds, order, strict=False):
            row["type"], row["below"], row["faces"] = kind, self._stamps.below(kind), self._stamps.faces(kind)
            row["shrink"] = _shrink_factor(tables.definition.types[kind].raw.get("shrinkfactor", ""))
            if self._stamps.varies(kind):
                table = self._look_table(kind)
                self._kept.append(table)
                row["looks"] = table.ctypes.data
        self._kinds[context.address] = kinds
        view = np.zeros(1, picture.PICTURE)
        v = view[0]
        v["tile"], v["rows"], v["columns"], v["kinds"] = self.tile, self.rows, self.columns, kinds.ctypes.data
        v["first"], v["last"] = 0, len(order)
        return view

    def _look_table(self, kind: int) -> npt.NDArray[np.int8]:
        places = [(row, column) for row in range(-1, self.rows + 1) for column in range(-1, self.columns + 1)]
        return np.array([self._stamps.looks(kind, column, row) for row, column in places], np.int8)

    def _paint_base(self, context: Context) -> None:
        """Paint the longest run of types at the beginning of the draw order that look the same in every state."""
        order = drawn_types(context.tables)
        v = self._views[context.address][0]
        fixed = 0
        while fixed < len(order) and not _can_change(context.tables, order[fixed]):
            fixed += 1
        base = np.empty(self.shape, np.uint8)
        base[:] = self._stamps.backdrop
        painted = np.empty(self.shape, np.uint8)
        v["base"], v["last"] = base.ctypes.data, fixed
        self.write(context, context.initial, int(painted.ctypes.data))
        v["base"], v["first"], v["last"] = painted.ctypes.data, fixed, len(order)
        self._kept.append(painted)

    def resolve(self, context: Context, status: int) -> None:
        """Make the stamp that the kernel has asked for."""
        if status != picture.MISSING:
            super().resolve(context, status)
        v = self._views[context.address][0]
        kind = self._kinds[context.address][int(v["miss_kind"])]
        look, towards = int(v["miss_look"]), int(v["miss_towards"])
        width, height = int(v["miss_width"]), int(v["miss_height"])
        rgb, mask = self._stamps.stamp(int(kind["type"]), look, DIRECTIONS[towards], width, height)
        if rgb.shape != (height, width, 3):
            raise PcgError(f"a stamp has the shape {rgb.shape}, expected {(height, width, 3)}")
        there = np.ones((height, width, 1), np.bool_) if mask is None else mask.reshape(height, width, 1)
        colours = np.ascontiguousarray(np.where(there, rgb, 0), dtype=np.uint8)
        keep = np.ascontiguousarray(np.broadcast_to(np.where(there, 0, 255), colours.shape), dtype=np.uint8)
        stamp = np.zeros(1, picture.STAMP)
        s = stamp[0]
        s["look"], s["towards"], s["width"], s["height"] = look, towards, width, height
        s["opaque"], s["next"] = bool(there.all()), kind["stamps"]
        s["rgb"], s["keep"] = colours.ctypes.data, keep.ctypes.data
        self._kept += [colours, keep, stamp]
        kind["stamps"] = stamp.ctypes.data

    def unpack(self, raw: npt.NDArray[np.uint8]) -> Any:
        """Colours (..., rows * tile, columns * tile, 3)."""
        return raw.reshape(*raw.shape[:-1], *self.shape)

    def paint(self, state: State) -> Pixels:
        """The picture of a state."""
        pixels: Pixels = self.observe(state)
        return pixels


def drawn_types(tables: GameTables) -> list[int]:
    """Ids of the types that can be seen in pictures, in the order in which they are painted."""
    rank = {kind: place for place, kind in enumerate(tables.definition.draw_order)}
    shown = [
        role.id
        for role in tables.roles
        if role.possible and tables.definition.types[role.id].raw.get("invisible", "").lower() != "true"
    ]
    return sorted(shown, key=lambda kind: (rank.get(kind, len(rank)), kind))


def _can_change(tables: GameTables, kind: int) -> bool:
    role = tables.roles[kind]
    return not role.level or role.killed or role.created


def _shrink_factor(text: str) -> float:
    """The number if it is one that shrinks, else 1."""
    try:
        value = float(text)
    except ValueError:
        return 1.0
    return value if 0.05 <= value < 1 else 1.0
