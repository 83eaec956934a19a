"""The tiles as numpy arrays: loaded from the PNGs, recoloured, turned and scaled for one game, each made once.

A tile knows from text chunks in its PNG its own colour, how far VGDL's `color=` may change it, and which way it faces
(`tools/draw_tiles.py` writes them). Which tile a type gets is the business of `tile_choice`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt
from PIL import Image

from pcg.engine.vgdl.definition import GameDefinition
from pcg.render.colours import RGB, hex_colour, mix, ramp
from pcg.render.tile_choice import Look, looks

Pixels = npt.NDArray[np.uint8]

NATIVE = 16
"""Width and height of a tile as drawn, in pixels."""

VARIANT_PERIOD = 9
"""Of so many cells, about one shows each `-2`, `-3` variant of a ground tile."""

Direction = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Tile:
    """One tile as drawn: `pixels` is (16, 16, 4) RGBA with alpha 0 or 255."""

    name: str
    pixels: Pixels
    colour: RGB
    tint: float
    facing: str
    below: str
    """Tile to show instead where the same type stands directly below, or ""."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """A tile ready to be pasted: `rgb` is (h, w, 3), `mask` is (h, w, 1), or None where it covers everything."""

    rgb: Pixels
    mask: npt.NDArray[np.bool_] | None


@cache
def load_tiles() -> dict[str, Tile]:
    """All tiles of the package by name."""
    tiles = {}
    for entry in sorted(files("pcg.render").joinpath("tiles").iterdir(), key=lambda path: path.name):
        if not entry.name.endswith(".png"):
            continue
        with entry.open("rb") as stream, Image.open(stream) as image:
            chunks = {str(key): str(value) for key, value in image.info.items() if str(key).startswith("pcg:")}
            pixels = np.asarray(image.convert("RGBA"), dtype=np.uint8)
        name = entry.name.removesuffix(".png")
        tiles[name] = Tile(
            name,
            pixels,
            hex_colour(chunks["pcg:colour"]),
            float(chunks["pcg:tint"]),
            chunks["pcg:facing"],
            chunks.get("pcg:below", ""),
        )
    return tiles


def recoloured(tile: Tile, colour: RGB | None) -> Pixels:
    """The tile's pixels with its own four shades replaced by those of `colour`, as far as its tint goes."""
    if colour is None or tile.tint == 0:
        return tile.pixels
    result = tile.pixels.copy()
    for old, new in zip(ramp(tile.colour), ramp(mix(tile.colour, colour, tile.tint)), strict=True):
        result[(tile.pixels[..., :3] == old).all(axis=-1), :3] = new
    return result


def facing_of(direction: Direction) -> str:
    """`up`, `left`, `down` or `right`: the nearest of the four; `` for no direction."""
    x, y = direction
    if (x == 0 and y == 0) or (x, y) == (-1.0, -1.0):
        return ""
    if abs(x) >= abs(y):
        return "right" if x > 0 else "left"
    return "down" if y > 0 else "up"


def turned(pixels: Pixels, facing: str, towards: str) -> Pixels:
    """The tile looking `towards` a direction, by the way it was drawn (`facing`)."""
    if facing == "none" or not towards:
        return pixels
    if facing == "side":
        return pixels[:, ::-1] if towards == "left" else pixels
    if facing == "turn-right" and towards == "left":
        return pixels[:, ::-1]
    quarters = {"up": 0, "left": 1, "down": 2, "right": 3}[towards]
    return np.rot90(pixels, quarters + (1 if facing == "turn-right" else 0))


def scaled(pixels: Pixels, width: int, height: int) -> Pixels:
    """RGBA pixels at another size: sharp when growing, averaged when shrinking; alpha stays 0 or 255."""
    if pixels.shape[:2] == (height, width):
        return np.ascontiguousarray(pixels)
    shrinking = width < pixels.shape[1] or height < pixels.shape[0]
    method = Image.Resampling.BOX if shrinking else Image.Resampling.NEAREST
    result = np.array(Image.fromarray(pixels, "RGBA").resize((width, height), method))
    result[..., 3] = np.where(result[..., 3] >= 128, 255, 0)
    return result


class Tileset:
    """Images of a game's sprites at one cell size.

    `stamp` is the only method a painter needs; stamps are made on first use and kept.
    """

    def __init__(self, definition: GameDefinition, cell: int) -> None:
        self.cell = cell
        self.tiles = load_tiles()
        self.looks: list[Look] = looks(definition, self.tiles)
        self.below = [self.tiles[look.tile].below for look in self.looks]
        """By type id: the tile to use where the same type stands directly below, or ""."""
        self.facing = [self.tiles[look.tile].facing for look in self.looks]
        self._variants = [self._variants_of(look.tile) for look in self.looks]
        self._stamps: dict[tuple[int, str, str, int, int], Stamp] = {}

    def _variants_of(self, tile: str) -> tuple[str, ...]:
        """The tile and its `-2`, `-3` siblings."""
        return (tile, *(name for name in (f"{tile}-2", f"{tile}-3") if name in self.tiles))

    def names(self, kind: int) -> tuple[str, ...]:
        """Every tile that a type may be shown as."""
        below = self.below[kind]
        return (*self._variants[kind], below) if below else self._variants[kind]

    def variant(self, kind: int, column: int, row: int) -> str:
        """The tile of a type in a cell: grounds vary from cell to cell, by position only; the plain one prevails."""
        names = self._variants[kind]
        if len(names) == 1:
            return names[0]
        scatter = column * 374761393 + row * 668265263
        scatter = (scatter ^ scatter >> 13) * 1274126177 & 0xFFFFFFFF
        scatter = (scatter ^ scatter >> 16) % VARIANT_PERIOD
        return names[scatter] if scatter < len(names) else names[0]

    def stamp(self, kind: int, tile: str, towards: str, width: int, height: int) -> Stamp:
        """A type's stamp, `width` x `height` pixels, as `tile`, looking `towards` ("" for no direction)."""
        key = (kind, tile, towards, width, height)
        stamp = self._stamps.get(key)
        if stamp is None:
            source = self.tiles[tile]
            pixels = scaled(turned(recoloured(source, self.looks[kind].colour), source.facing, towards), width, height)
            mask = pixels[..., 3:] > 0
            stamp = Stamp(np.ascontiguousarray(pixels[..., :3]), None if mask.all() else mask)
            self._stamps[key] = stamp
        return stamp
