"""The sprite sheet: every picture a game's sprites can be shown with, on one PNG that a browser loads once.

A *stamp* is one 16x16 picture on the sheet; frames name stamps by number. Which stamp a sprite has is decided here, on
the server, by the same rules as in `pcg.render`, so that a browser only pastes.
"""

from __future__ import annotations

import hashlib
import io
import threading
from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from PIL import Image

from pcg.engine.game import Game
from pcg.render.picture import Painter, painter_for
from pcg.render.tileset import NATIVE, Pixels, facing_of

COLUMNS = 16
"""Stamps side by side on a sheet."""

_FACINGS = ("", "up", "left", "down", "right")


class SpriteSheet:
    """All stamps of one game. Make it with `sheet_for`.

    Attributes:
        png: the sheet as a PNG file.
        name: a name that changes with the content, for addresses that may be cached for ever.
    """

    def __init__(self, painter: Painter) -> None:
        self.painter = painter
        tileset = painter.tileset
        order = sorted(range(len(tileset.looks)), key=lambda kind: (painter.rank[kind], kind))
        self._layer = {kind: layer for layer, kind in enumerate(order)}
        self._stamps: dict[tuple[int, str, str], int] = {}
        self._about: list[tuple[int, float]] = []
        pictures: list[Pixels] = []
        for kind in range(len(tileset.looks)):
            if not painter.shown[kind]:
                continue
            known: dict[bytes, int] = {}
            for name in tileset.names(kind):
                for towards in _FACINGS if tileset.facing[kind] != "none" else ("",):
                    pixels = self._picture(kind, name, towards)
                    number = known.setdefault(pixels.tobytes(), len(pictures))
                    if number == len(pictures):
                        pictures.append(pixels)
                        self._about.append((self._layer[kind], painter.shrink[kind]))
                    self._stamps[kind, name, towards] = number
        self.png = _png(b"".join(pixels.tobytes() for pixels in pictures))
        self.name = hashlib.blake2b(self.png, digest_size=8).hexdigest()

    def __repr__(self) -> str:
        return f"<SpriteSheet of {len(self._about)} stamps, {len(self.png)} bytes>"

    def _picture(self, kind: int, name: str, towards: str) -> Pixels:
        stamp = self.painter.tileset.stamp(kind, name, towards, NATIVE, NATIVE)
        alpha = np.full((NATIVE, NATIVE, 1), 255, np.uint8) if stamp.mask is None else stamp.mask.astype(np.uint8) * 255
        return np.concatenate([stamp.rgb, alpha], axis=2)

    def stamp(self, kind: int, name: str, direction: tuple[float, float]) -> int:
        """The number of a type's stamp when it is shown as tile `name` and looks in a direction (x, y)."""
        towards = facing_of(direction) if self.painter.tileset.facing[kind] != "none" else ""
        return self._stamps[kind, name, towards]

    def describe(self) -> Mapping[str, Any]:
        """Return what a browser must know of the sheet: `tile` (pixels), `columns`, and per stamp [layer, shrink].

        Layers are drawn in ascending order, within one by sprite id. `shrink` is the share of its rectangle's sides
        that a picture takes, centred.
        """
        return {"tile": NATIVE, "columns": COLUMNS, "stamps": [list(about) for about in self._about]}


@lru_cache(maxsize=32)
def _png(pictures: bytes) -> bytes:
    """Stamps, one behind the other, as a sheet. Kept, as a game in the studio is read anew with each letter."""
    stamps = np.frombuffer(pictures, np.uint8).reshape(-1, NATIVE, NATIVE, 4)
    rows = max(1, -(-len(stamps) // COLUMNS))
    sheet = np.zeros((rows * NATIVE, COLUMNS * NATIVE, 4), np.uint8)
    for number, pixels in enumerate(stamps):
        top, left = number // COLUMNS * NATIVE, number % COLUMNS * NATIVE
        sheet[top : top + NATIVE, left : left + NATIVE] = pixels
    file = io.BytesIO()
    Image.fromarray(sheet, "RGBA").save(file, "PNG", optimize=True)
    return file.getvalue()


_sheets: WeakKeyDictionary[Game, SpriteSheet] = WeakKeyDictionary()
_lock = threading.Lock()


def sheet_for(game: Game) -> SpriteSheet:
    """The sheet of a game, made once per game object."""
    with _lock:
        sheet = _sheets.get(game)
        if sheet is None:
            sheet = _sheets[game] = SpriteSheet(painter_for(game, NATIVE))
        return sheet
