"""Random texts for the parameters of the ontology: fitting ones, extreme ones, and ones that do not fit at all.

What a parameter may be is read from the registry, so a new parameter is covered without a change here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from choices import Choices

from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.ontology_params import Param
from pcg.engine.vgdl.values import COLOURS

DIRECTIONS = ("UP", "DOWN", "LEFT", "RIGHT", "NONE", "NIL")
EXTREME_INTEGERS = ("0", "-1", "1", "2", "1000000", "2147483647", "-2147483648", "99999999999", "007")
EXTREME_NUMBERS = (
    "0", "-1", "0.0", "-0.5", "1e-9", "0.0001", "1e9", "1e308", "-1e308", "NaN", "Infinity", "-Infinity", "1000000",
    "2147483648.5",
)  # fmt: skip
MISFITS = ("GRID", "RED", "True", "1.5", "x", "a,b", "é", "=", "1,", ",", "wall", "UP")


@dataclass(frozen=True)
class Names:
    """Names that values may refer to, and limits on how wild they may be."""

    sprites: Sequence[str]
    wildness: int
    """Percentage of extreme values; about a quarter as many values do not fit at all."""


def value(c: Choices, param: Param, names: Names) -> str:
    """The text of a value of a parameter."""
    if c.chance(names.wildness // 4):
        return c.pick(MISFITS)
    extreme = c.chance(names.wildness)
    kind = param.type
    if kind == "int":
        return c.pick(EXTREME_INTEGERS) if extreme else str(_integer(c, param))
    if kind == "float":  # stored as a number, but only an integer fits
        low, high = param.range or (-2, 2)
        return c.pick(EXTREME_INTEGERS) if extreme else str(c.integer(int(low), int(high)))
    if kind == "double":
        return c.pick(EXTREME_NUMBERS) if extreme else _number(c, param)
    if kind == "bool":
        return c.pick(("True", "False"))
    if kind == "direction":
        return c.pick(DIRECTIONS)
    if kind == "colour":
        return c.pick(tuple(COLOURS))
    if kind == "sprite":
        return sprite(c, names)
    if kind == "sprites":
        return ",".join(sprite(c, names) for _ in range(c.integer(1, 3)))
    if kind == "effect":
        return c.pick(tuple(ontology.EFFECTS))
    if kind == "integers":
        low, high = param.range or (-3, 3)
        return ",".join(
            c.pick(EXTREME_INTEGERS) if extreme else str(c.integer(int(low), int(high))) for _ in range(c.integer(1, 3))
        )
    if kind == "flags":
        return ",".join(c.pick(("True", "False", "true")) for _ in range(c.integer(1, 2)))
    return c.pick(("x", "tile", "a/b", "Pulse"))


def sprite(c: Choices, names: Names) -> str:
    """The name of a sprite, seldom one that does not exist."""
    if c.chance(max(1, names.wildness // 4)):
        return c.pick(("ghost", "wall", "avatar", "EOS"))
    return c.pick(names.sprites)


def _integer(c: Choices, param: Param) -> int:
    """Mostly small: thresholds and times of a few units are where rules happen within a short play."""
    low, high = param.range or (-2, 12)
    return c.integer(int(low), int(min(high, max(low, 0) + 12)))


def _number(c: Choices, param: Param) -> str:
    low, high = param.range or (-2, 2)
    steps = c.pick((4, 1, 20))
    return str(round(low + (high - low) * c.integer(0, steps) / steps, 4))
