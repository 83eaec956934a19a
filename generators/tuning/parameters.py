"""Parameters of game spaces, from what people type: a name or a path, and the values it may take.

Every parameter has a finite number of points, as those of a ParameterSet have (reference/generators 12.9), so that a
game of the space is a list of whole numbers, one per parameter. Values are kept as VGDL text.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.engine.vgdl.space import SpaceParameter

MAX_POINTS = 1000
"""Most values of one parameter."""
STEPS = 20
"""Steps of a range of fractions that names none."""

_RANGE = re.compile(r"(?P<low>[^.:]*(?:\.\d[^.:]*)?)\.\.(?P<high>[^:]*)(?::(?P<step>.*))?")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_WHOLE = re.compile(r"[+-]?\d+")
_EXPECTED = "expected a range (0.2..1.0:0.1), values (1,2,5) or one value"


@dataclass(frozen=True, slots=True)
class TuningParameter:
    """One parameter and its points.

    Attributes:
        name: of a ParameterSet, or a path such as ``sprite.missile.speed``.
        kind: "int", "float", "bool" or "choice".
        values: text of every point, in order.
        help: what the text of the game says of it.
        current: text of the game's own value, "" when it has none.
    """

    name: str
    kind: str
    values: tuple[str, ...]
    help: str = ""
    current: str = ""

    @property
    def ordered(self) -> bool:
        """True if neighbouring points are alike."""
        return self.kind in ("int", "float")

    @property
    def start(self) -> int:
        """The point nearest to the game's own value; 0 where that means nothing."""
        if self.current in self.values:
            return self.values.index(self.current)
        if self.kind == "bool":
            lowered = [value.lower() for value in self.values]
            return lowered.index(self.current.lower()) if self.current.lower() in lowered else 0
        if not self.ordered or not _NUMBER.fullmatch(self.current):
            return 0
        return min(range(len(self.values)), key=lambda k: abs(float(self.values[k]) - float(self.current)))

    def __str__(self) -> str:
        """As it can be typed again."""
        if not any("," in value for value in self.values):
            return f"{self.name}={','.join(self.values)}"
        return f"{self.name}={'|'.join(self.values)}" + ("|" if len(self.values) == 1 else "")


def parameter_of(space: SpaceParameter) -> TuningParameter:
    """A parameter of a ParameterSet; one that is fixed has one point.

    Raises:
        PcgError: it has too many points.
    """
    kind = {"double": "float"}.get(space.kind, space.kind)
    if space.fixed:
        return TuningParameter(space.name, kind, (space.text,), space.description, space.text)
    if space.points > MAX_POINTS:
        raise PcgError(f"parameter {space.name} has {space.points} points, expected at most {MAX_POINTS}")
    values = tuple(space.point(k) for k in range(space.points))
    if space.kind == "bool":
        # strict texts have True and False; the reference reads both
        values = tuple(value.capitalize() for value in values)
    return TuningParameter(space.name, kind, values, space.description, space.text)


def read_parameters(given: Iterable[str | Path]) -> dict[str, TuningParameter]:
    """Parameters by name, in order.

    Args:
        given: each ``NAME=VALUES``, several of them with blanks between, or the name of a TOML file. VALUES is a range
            ``low..high`` or ``low..high:step``, a list ``1,2,5`` (with ``|`` instead where values hold commas), or one
            value. The file has a table ``[params]`` with the same names and texts; a range may be ``{min=, max=,
            step=}`` there, and a list an array.

    Raises:
        PcgError: for anything else, and for a name given twice.

    >>> read_parameters(["sprite.bat.speed=0.2..0.4:0.1 rule.3.scoreChange=1..3"])["sprite.bat.speed"].values
    ('0.2', '0.3', '0.4')
    """
    found: dict[str, TuningParameter] = {}
    for text in given:
        for name, values, where in _entries(str(text)):
            if name in found:
                raise PcgError(f"{where}: `{name}` is given twice")
            found[name] = read_values(name, values, where)
    return found


def _entries(text: str) -> Iterable[tuple[str, str, str]]:
    """(name, values, where) of everything a text or file says."""
    if "=" not in text:
        path = Path(text)
        if path.suffix == ".toml" or path.is_file():
            yield from _file_entries(path)
            return
        raise PcgError(
            f"--params {text}: expected NAME=VALUES, as in sprite.missile.speed=0.2..1.0:0.1, or a TOML file"
        )
    for word in text.split():
        name, equals, values = word.partition("=")
        if not equals or not name:
            raise PcgError(f"--params {word}: expected NAME=VALUES, as in sprite.missile.speed=0.2..1.0:0.1")
        yield name, values, f"--params {word}"


def _file_entries(path: Path) -> Iterable[tuple[str, str, str]]:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PcgError(f"cannot read the parameters in {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PcgError(f"{path} is not a TOML file: {error}") from None
    table = data.get("params")
    if not isinstance(table, Mapping) or set(data) != {"params"}:
        others = ", ".join(f"[{key}]" for key in data) or "nothing"
        raise PcgError(f"{path} has {others}, expected one table [params]")
    for name, value in _flat(table):
        yield name, _typed(name, value, path), f"{path}: {name}"


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    """Keys with dots, written with quotes or without."""
    for key, value in table.items():
        if isinstance(value, Mapping) and not {"min", "max"} <= set(value):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def _typed(name: str, value: Any, path: Path) -> str:
    """The text of a value of a TOML file."""
    if isinstance(value, Mapping):
        if set(value) - {"min", "max", "step"}:
            raise PcgError(f"{path}: {name}: a range has {', '.join(value)}, expected min, max and step")
        step = f":{value['step']}" if "step" in value else ""
        return f"{value['min']}..{value['max']}{step}"
    if isinstance(value, list):
        return "|".join(map(str, value)) + ("|" if len(value) == 1 else "")
    return str(value)


def read_values(name: str, text: str, where: str) -> TuningParameter:
    """The parameter that a text of values describes.

    Raises:
        PcgError: for a text that is no range and no list, or has too many values.
    """
    if ".." in text:
        return _range(name, text, where)
    pieces = tuple(piece.strip() for piece in text.split("|" if "|" in text else ","))
    if "|" in text and pieces[-1] == "":
        pieces = pieces[:-1]
    if not all(pieces) or not pieces:
        raise PcgError(f"{where}: `{text}` has an empty value, {_EXPECTED}")
    twice = next((piece for piece in pieces if pieces.count(piece) > 1), None)
    if twice is not None:
        raise PcgError(f"{where}: the value `{twice}` is named twice")
    bad = next((piece for piece in pieces if re.search(r"[\s#=]", piece)), None)
    if bad is not None:
        raise PcgError(f"{where}: `{bad}` cannot be a value: expected no blanks, no `#` and no `=`")
    if len(pieces) > MAX_POINTS:
        raise PcgError(f"{where} has {len(pieces)} values, expected at most {MAX_POINTS}")
    return TuningParameter(name, _kind(pieces), pieces)


def _kind(values: tuple[str, ...]) -> str:
    if all(value.lower() in ("true", "false") for value in values):
        return "bool"
    if all(_WHOLE.fullmatch(value) for value in values):
        return "int"
    return "float" if all(_NUMBER.fullmatch(value) for value in values) else "choice"


def _range(name: str, text: str, where: str) -> TuningParameter:
    match = _RANGE.fullmatch(text)
    pieces = [match["low"], match["high"], match["step"] or "1"] if match else []
    if not pieces or not all(_NUMBER.fullmatch(piece) for piece in pieces):
        raise PcgError(f"{where}: `{text}` is no range, {_EXPECTED}")
    assert match is not None
    try:
        low, high, step = (Decimal(piece) for piece in pieces)
    except InvalidOperation:
        raise PcgError(f"{where}: `{text}` is no range, {_EXPECTED}") from None
    whole = all(_WHOLE.fullmatch(piece) for piece in pieces)
    if high < low:
        raise PcgError(f"{where}: `{text}` goes from {low} down to {high}, expected the smaller number first")
    if not match["step"] and not whole:
        step = (high - low) / STEPS if high > low else Decimal(1)
    if step <= 0:
        raise PcgError(f"{where}: the step of `{text}` is {step}, expected more than 0")
    if max(abs(low), abs(high)) > 10**12 or (high - low) / step >= MAX_POINTS:
        count = math.floor((high - low) / step) + 1
        raise PcgError(f"{where}: `{text}` has {count:,} values, expected at most {MAX_POINTS}")
    count = int((high - low) / step) + 1
    values = tuple(_number(low + k * step, whole) for k in range(count))
    return TuningParameter(name, "int" if whole else "float", values)


def _number(value: Decimal, whole: bool) -> str:
    if whole:
        return str(int(value))
    text = f"{value:f}"
    text = text.rstrip("0") if "." in text else f"{text}."
    return f"{text}0" if text.endswith(".") else text


__all__ = ["MAX_POINTS", "STEPS", "TuningParameter", "parameter_of", "read_parameters", "read_values"]
