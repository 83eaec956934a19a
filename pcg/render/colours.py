"""Colours: VGDL's colour names, how this toolkit paints them, and the four-step ramps that tiles are shaded with.

VGDL names 20 fixed colours (reference/language 1.4). Painted as they stand they glare and clash, so each has a
counterpart of the same hue in the palette the tiles were drawn with. Nothing here needs numpy or PIL.
"""

from __future__ import annotations

from typing import NamedTuple

RGB = tuple[int, int, int]

INK: RGB = (27, 22, 38)
"""The darkest colour of the palette: outlines, and what shadows lean towards."""

LIGHT: RGB = (255, 246, 224)
"""The colour that highlights lean towards."""

BACKDROP: RGB = (34, 32, 45)
"""The colour of cells where a level has no floor."""


class NamedColour(NamedTuple):
    """A VGDL colour: its value in the language and the value we paint it with, 0..255 each."""

    vgdl: RGB
    painted: RGB


VGDL_COLOURS: dict[str, NamedColour] = {
    "GREEN": NamedColour((0, 200, 0), (76, 166, 84)),
    "BLUE": NamedColour((0, 0, 200), (62, 88, 190)),
    "RED": NamedColour((200, 0, 0), (200, 66, 59)),
    "GRAY": NamedColour((90, 90, 90), (115, 119, 140)),
    "WHITE": NamedColour((250, 250, 250), (240, 236, 226)),
    "BROWN": NamedColour((140, 120, 100), (150, 104, 68)),
    "BLACK": NamedColour((0, 0, 0), (46, 44, 59)),
    "ORANGE": NamedColour((250, 160, 0), (232, 131, 58)),
    "YELLOW": NamedColour((250, 250, 0), (246, 214, 76)),
    "PINK": NamedColour((250, 200, 200), (238, 150, 170)),
    "GOLD": NamedColour((250, 212, 0), (226, 176, 60)),
    "LIGHTRED": NamedColour((250, 50, 50), (226, 98, 84)),
    "LIGHTORANGE": NamedColour((250, 200, 100), (240, 180, 104)),
    "LIGHTBLUE": NamedColour((50, 100, 250), (92, 152, 226)),
    "LIGHTGREEN": NamedColour((50, 250, 50), (132, 204, 92)),
    "DARKGREEN": NamedColour((35, 117, 29), (47, 118, 70)),
    "LIGHTYELLOW": NamedColour((255, 250, 128), (250, 238, 156)),
    "LIGHTGRAY": NamedColour((238, 238, 238), (182, 186, 198)),
    "DARKGRAY": NamedColour((30, 30, 30), (84, 84, 104)),
    "DARKBLUE": NamedColour((20, 20, 100), (44, 52, 112)),
}


def mix(a: RGB, b: RGB, share: float) -> RGB:
    """`a` with `share` (0..1) of `b` in it."""
    red, green, blue = (round(x + (y - x) * share) for x, y in zip(a, b, strict=True))
    return red, green, blue


def ramp(base: RGB) -> tuple[RGB, RGB, RGB, RGB]:
    """Shadow, half-tone, light and highlight of a base colour; the light is the base itself."""
    return mix(base, INK, 0.55), mix(base, INK, 0.28), base, mix(base, LIGHT, 0.45)


def hex_colour(text: str) -> RGB:
    """`#rrggbb` or `rrggbb` as a colour; ValueError otherwise."""
    digits = text.removeprefix("#")
    if len(digits) != 6:
        raise ValueError(f"colour {text!r}: expected six hexadecimal digits, as in #c8423b")
    return int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)


def to_hex(colour: RGB) -> str:
    """A colour as `#rrggbb`."""
    return f"#{colour[0]:02x}{colour[1]:02x}{colour[2]:02x}"


def painted(name: str) -> RGB | None:
    """The colour we paint for a VGDL colour name; None for RANDOM and for what is no colour."""
    colour = VGDL_COLOURS.get(name)
    return None if colour is None else colour.painted
