"""Parameters of a game space (reference/language 1.9, reference/generators 12.9).

A game space is a game with named blanks. The reference fills a blank that is not fixed with a random value, unseeded,
at first use; here it takes the first sample point: the minimum, or False. `read_game(parameters=...)` fixes it from
outside, and `fill` makes a plain game of a space, with values in place of the names.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean
from pcg.engine.vgdl.findings import Findings
from pcg.engine.vgdl.tree import (
    Entry,
    Header,
    InteractionLine,
    Option,
    ParameterLine,
    Section,
    SpriteLine,
    TerminationLine,
    Tree,
)
from pcg.engine.vgdl.values import parse_double, parse_int

MAX_POINTS = 1_000_000


@dataclass(frozen=True, slots=True)
class SpaceParameter:
    """One parameter. `points` is the number of its values."""

    name: str
    kind: str
    """"int", "double" or "bool"."""
    minimum: float
    increment: float
    maximum: float
    points: int
    text: str
    """Text that its name is replaced by."""
    description: str
    line: int
    fixed: bool = False
    """True when the text, or its reader, fixes the value."""

    def point(self, index: int) -> str:
        """The text of sample point `index`, from 0. Raises IndexError outside the range.

        >>> SpaceParameter("N", "int", 10, 5, 60, 11, "10", "", 0).point(2)
        '20'
        """
        if not 0 <= index < self.points:
            raise IndexError(f"{self.name} has the points 0 to {self.points - 1}, not {index}")
        if self.kind == "bool":
            return "true" if index == 1 else "false"
        value = self.minimum + index * self.increment
        return str(int(value)) if self.kind == "int" else repr(float(value))


def read_parameter(line: ParameterLine, findings: Findings, given: Mapping[str, str]) -> SpaceParameter:
    """A line of the ParameterSet. Raises VGDLError when it cannot be read, as it stops the reference."""
    name = line.name.text
    options = {option.key: option for option in line.options}
    for word in line.ignored[1:] if line.ignored and line.ignored[0].text == ">" else line.ignored:
        findings.doubt(f"`{word}` has no meaning here", word, "language 1.3", so="it is ignored", expected="key=value")
    for option in line.options:
        if option.key not in ("values", "string", "value"):
            findings.doubt(
                f"unknown option `{option.key}`",
                option,
                "language 1.9",
                so="it is ignored",
                known=("values", "string", "value"),
                name=option.key,
            )
    expected = "values=min:increment:max or values=True:False"
    if "values" not in options:
        findings.crash(f"the parameter `{name}` has no values", line, "language 1.9", expected=expected)
    values = options["values"]
    pieces = values.value.split(":")
    lowered = [piece.lower() for piece in pieces]
    numbers = (0.0, 1.0, 1.0)
    if len(pieces) == 2 and all(piece in ("true", "false") for piece in lowered):
        kind, points = "bool", 2 if lowered[0] != lowered[1] else 1
        text = lowered[0] if points == 1 else "false"
    elif len(pieces) == 3:
        kind = "double" if any("." in piece for piece in pieces) else "int"
        read = [(parse_double if kind == "double" else parse_int)(piece) for piece in pieces]
        if any(number is None or not math.isfinite(number) for number in read):
            findings.crash(f"`{values}` does not hold numbers", values, "language 1.9", expected=expected)
        low, step, high = (float(number) for number in read if number is not None)
        numbers = (low, step, high)
        quotient = (high - low) / step if step else 0.0
        if not 0 <= quotient < MAX_POINTS:
            findings.crash(f"`{values}` is no range", values, "language 1.9", expected=expected)
        points = 1 + int(quotient)
        text = str(int(low)) if kind == "int" else repr(low)
    else:
        findings.crash(f"`{values}` is no range", values, "language 1.9", expected=expected)
    fixed = name in given or "value" in options
    if name in given:
        text = given[name]
    elif fixed:
        text = options["value"].value
    else:
        findings.doubt(
            f"the parameter `{name}` is not fixed",
            line,
            "language 1.9",
            so=f"the reference draws it unseeded, here it is the minimum {text}",
            expected="value=...",
        )
    description = options["string"].value if "string" in options else ""
    return SpaceParameter(name, kind, *numbers, points, text, description, line.line, fixed)


def fill(tree: Tree, space: Mapping[str, SpaceParameter], values: Mapping[str, str]) -> Tree:
    r"""A game space as a plain game: a BasicGame without ParameterSet, names of parameters replaced by values.

    A value stands wherever the name stood in a parameter of a sprite, an effect or a termination. In a plain text it
    means what it says, also where the reference does not look up names: as `singleton`, and in the inner effect of
    addTimer.

    Args:
        tree: of the game space.
        space: its parameters, see `resolver.read_space`.
        values: text by name; parameters without one take their own (`value=`, or the first point).

    Raises:
        PcgError: for a name that is no parameter of the space.

    >>> from pcg.engine.vgdl import dumps, loads
    >>> from pcg.engine.vgdl.resolver import read_space
    >>> tree = loads("GameSpace\n SpriteSet\n  a > Missile speed=S\n ParameterSet\n  S > values=0.5:0.5:1.0\n")
    >>> print(dumps(fill(tree, read_space(tree), {"S": "1.0"})), end="")
    BasicGame
        SpriteSet
            a > Missile speed=1.0
    """
    for name in values:
        if name not in space:
            hint = did_you_mean(name, space, f" (it has: {', '.join(space) or 'none'})")
            raise PcgError(f"{tree.file}: the game space has no parameter `{name}`{hint}")
    texts = {name: values.get(name, parameter.text) for name, parameter in space.items()}

    def filled(option: Option) -> Option:
        pieces = [texts.get(piece, piece) for piece in option.value.split(",")]
        return replace(option, value=",".join(pieces))

    def below(entry: Entry) -> Entry:
        children = tuple(below(child) for child in entry.children)
        if isinstance(entry, SpriteLine | InteractionLine | TerminationLine):
            return replace(entry, children=children, options=tuple(filled(option) for option in entry.options))
        return replace(entry, children=children)

    header: Header = tree.header
    kept = [e for e in header.children if not (isinstance(e, Section) and e.identifier == "ParameterSet")]
    plain = replace(header.game_class, text="BasicGame")
    after = tree.after if kept and kept[-1] is header.children[-1] else ()  # remarks on the parameters go with them
    made = replace(header, game_class=plain, children=tuple(below(e) for e in kept))
    return replace(tree, header=made, source="", after=after)
