"""All findings of a game or a level in a reading, as a list: what `pcg check` prints.

The same rules as `read_game` and `read_level`, which raise the errors and keep the warnings.
"""

from __future__ import annotations

from pathlib import Path

from pcg.engine.vgdl.definition import GameDefinition
from pcg.engine.vgdl.diagnostics import Diagnostic, PcgError, VGDLError
from pcg.engine.vgdl.findings import check_reading
from pcg.engine.vgdl.level import scan_level
from pcg.engine.vgdl.parser import parse_game
from pcg.engine.vgdl.resolver import Resolver
from pcg.engine.vgdl.source import read_source


def check_game(source: str | Path, *, reading: str = "strict") -> list[Diagnostic]:
    r"""Errors and warnings of a game file or text, in file order; an empty list for a game without fault.

    >>> from pcg.engine.vgdl import check_game
    >>> [d.message for d in check_game("BasicGame\n  SpriteSet\n    a > Misile\n") if d.line == 3]
    ['`a` never appears: no character is mapped to it and nothing creates it', 'unknown sprite class `Misile`']
    """
    check_reading(reading)
    resolver: Resolver | None = None
    try:
        text, file = read_source(source)
        resolver = Resolver(parse_game(text, file=file), reading, {})
        resolver.definition("game")
        found = resolver.findings.sorted()
    except VGDLError as error:
        found = error.diagnostics if resolver is None else resolver.findings.sorted()
    return list(found)


def check_level(
    text: str | Path, definition: GameDefinition, *, reading: str = "strict", file: str = "<level>"
) -> list[Diagnostic]:
    r"""Errors and warnings of a level text, or of the file at a Path, for a game, in file order.

    >>> import pcg
    >>> print(check_level("wA.bo\n....?", pcg.load("boxes").definition)[0])
    <level>:2:5: error: the character `?` is not mapped (expected one of . A b o p w)
        ....?
            ^
    """
    check_reading(reading)
    definition = getattr(definition, "definition", definition)  # a game will do
    if not isinstance(definition, GameDefinition):
        raise PcgError(f"no game {definition!r}: expected a game or its definition, as of `pcg.load`")
    try:
        return list(scan_level(text, definition, reading=reading, file=file)[1].sorted())
    except VGDLError as error:
        return list(error.diagnostics)
