"""From the text of a parameter to a typed value (reference/language 1.4), as the reference's reflection does it.

A value first becomes a constant, an int, a double, a boolean or stays text, whatever the parameter is; only then it is
stored, if it fits the field without narrowing. A misfit is dropped: `fit` returns None and the caller reports it.
"""

from __future__ import annotations

import math
import re
from typing import Final

from pcg.engine.vgdl.definition import Value

DIRECTIONS: Final[dict[str, tuple[float, float]]] = {
    prefix + name: vector
    for name, vector in {
        "UP": (0.0, -1.0),
        "DOWN": (0.0, 1.0),
        "LEFT": (-1.0, 0.0),
        "RIGHT": (1.0, 0.0),
        "NONE": (0.0, 0.0),
        "NIL": (-1.0, -1.0),
    }.items()
    for prefix in ("", "D")
}

INTEGERS: Final[dict[str, int]] = {
    "GRID": 0,
    "CONT": 1,
    "PHYSICS_NONE": -1,
    "TYPE_AVATAR": 0,
    "TYPE_RESOURCE": 1,
    "TYPE_PORTAL": 2,
    "TYPE_NPC": 3,
    "TYPE_STATIC": 4,
    "TYPE_FROMAVATAR": 5,
    "TYPE_MOVABLE": 6,
    "SCORE_DISQ": -1000,
}

COLOURS: Final[dict[str, tuple[int, int, int] | None]] = {
    "GREEN": (0, 200, 0),
    "BLUE": (0, 0, 200),
    "RED": (200, 0, 0),
    "GRAY": (90, 90, 90),
    "WHITE": (250, 250, 250),
    "BROWN": (140, 120, 100),
    "BLACK": (0, 0, 0),
    "ORANGE": (250, 160, 0),
    "YELLOW": (250, 250, 0),
    "PINK": (250, 200, 200),
    "GOLD": (250, 212, 0),
    "LIGHTRED": (250, 50, 50),
    "LIGHTORANGE": (250, 200, 100),
    "LIGHTBLUE": (50, 100, 250),
    "LIGHTGREEN": (50, 250, 50),
    "DARKGREEN": (35, 117, 29),
    "LIGHTYELLOW": (255, 250, 128),
    "LIGHTGRAY": (238, 238, 238),
    "DARKGRAY": (30, 30, 30),
    "DARKBLUE": (20, 20, 100),
    "RANDOM": None,
}
"""Colour constants; RANDOM is drawn once per process in the reference."""

CONSTANTS: Final = frozenset(DIRECTIONS) | frozenset(INTEGERS) | frozenset(COLOURS)
"""Names that never stay text as a value, so no sprite of that name can be referenced."""

_STAYS_TEXT = frozenset({"scorechange", "scorechangeifkilled"})
_NOT_BOOLEAN = frozenset({"win", "hidden", "invisible"})

_INT = re.compile(r"[+-]?[0-9]{1,10}")
_DOUBLE = re.compile(r"([+-]?)(?:(NaN)|(Infinity)|((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[fFdD]?)")
_HEX_DOUBLE = re.compile(r"([+-]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?[0-9]+)[fFdD]?")
_INT_RANGE = range(-(2**31), 2**31)


def parse_int(text: str) -> int | None:
    """A Java int, or None."""
    if _INT.fullmatch(text) is None:
        # More digits are legal as long as they are leading zeros.
        stripped = text.lstrip("+-")
        if len(text) - len(stripped) > 1 or not (
            stripped.isascii() and stripped.isdigit() and stripped.startswith("0")
        ):
            return None
        digits = stripped.lstrip("0") or "0"
        text = ("-" if text.startswith("-") else "") + digits
        if len(digits) > 10:
            return None
    value = int(text)
    return value if value in _INT_RANGE else None


def parse_double(text: str) -> float | None:
    """A Java double, or None: `1e-1`, `2f`, `3d`, `NaN`, `Infinity` and hexadecimal forms included."""
    match = _DOUBLE.fullmatch(text)
    if match is not None:
        sign, nan, infinite, digits = match.groups()
        value = float("nan") if nan else float("inf") if infinite else float(digits)
        return -value if sign == "-" else value
    match = _HEX_DOUBLE.fullmatch(text)
    if match is None:
        return None
    try:
        return float.fromhex(match.group(1))
    except OverflowError:
        return float("inf")


def truncate(value: float) -> int:
    """Java's cast of a double to an int: towards zero, at most to the ends of the range, 0 for NaN.

    >>> truncate(-2.5), truncate(float("nan")), truncate(1e300)
    (-2, 0, 2147483647)
    """
    if math.isnan(value):
        return 0
    return int(max(-(2.0**31), min(value, 2.0**31 - 1)))


def convert(key: str, text: str) -> tuple[str, Value]:
    """The kind ("direction", "colour", "int", "double", "bool" or "text") and value of `key=text`.

    >>> convert("counter", "1"), convert("counter", "1,0"), convert("scoreChange", "1")
    (('int', 1), ('text', '1,0'), ('text', '1'))
    """
    if text in CONSTANTS:
        if text in DIRECTIONS:
            return "direction", DIRECTIONS[text]
        if text in INTEGERS:
            return "int", INTEGERS[text]
        return "colour", text
    folded = key.lower()
    if folded not in _STAYS_TEXT:
        integer = parse_int(text)
        if integer is not None:
            return "int", integer
        number = parse_double(text)
        if number is not None:
            return "double", number
    if folded not in _NOT_BOOLEAN and text.lower() in ("true", "false"):
        return "bool", text.lower() == "true"
    return "text", text


_WIDENS = {
    "int": ("int",),
    "float": ("int",),
    "double": ("int", "double"),
    "bool": ("bool",),
    "text": ("text",),
    "direction": ("direction",),
    "colour": ("colour",),
}


def fit(key: str, text: str, field: str) -> Value | None:
    """The value of `key=text` as stored in a field of Java type `field`; None when it does not fit and is dropped.

    >>> fit("cooldown", "2.0", "int"), fit("speed", "2", "double"), fit("solid", "1", "bool")
    (None, 2.0, None)
    """
    kind, value = convert(key, text)
    if kind not in _WIDENS[field]:
        return None
    if field in ("double", "float"):
        return float(value)  # type: ignore[arg-type]
    return value
