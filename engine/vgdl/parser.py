"""VGDL text to syntax tree. The language is defined in `grammar.lark`; `lexer` prepares its tokens.

Both readings share this tree: what a reading accepts is decided by `resolver` and `findings`. The parser is built once
per process, on first use.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pcg.engine.vgdl.diagnostics import Diagnostic, VGDLError, nearest
from pcg.engine.vgdl.source import MAX_GAME, fail, split_lines
from pcg.engine.vgdl.tree import (
    Entry,
    Header,
    InteractionLine,
    MappingLine,
    Node,
    Option,
    ParameterLine,
    Section,
    SpriteLine,
    TerminationLine,
    Tree,
    Word,
)

if TYPE_CHECKING:
    from lark import Lark

GAME_CLASSES = ("BasicGame", "GameSpace")


@functools.cache
def _lark() -> Lark:
    # Imported late: a command that parses nothing should not pay for lark.
    from lark import Lark, Transformer

    from pcg.engine.vgdl.lexer import LineLexer

    builder: Any = type("TreeBuilder", (Transformer,), {name: staticmethod(f) for name, f in _CALLBACKS.items()})()
    grammar = (Path(__file__).parent / "grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, start="game", parser="lalr", lexer=LineLexer, transformer=builder, maybe_placeholders=False)


def _word(token: Any) -> Word:
    return Word(str(token), token.line, token.column)


def _option(token: Any) -> Option:
    key, _, tail = token.partition("=")
    value, equals, rest = tail.partition("=")
    return Option(key, value, equals + rest, token.line, token.column)


def _common(parts: list[Any]) -> dict[str, Any]:
    """The fields every node has, from `[head, ..., EOL, children?]`; takes the two last off `parts`."""
    children: tuple[Entry, ...] = parts.pop() if type(parts[-1]) is tuple else ()
    end = parts.pop()
    head = parts[0]
    return {
        "children": children,
        "before": end.before,
        "comment": str(end),
        "line": head.line,
        "column": head.column,
        "gap": end.gap,
    }


def _split(parts: list[Any]) -> tuple[tuple[Option, ...], tuple[Word, ...]]:
    return (tuple(part for part in parts if type(part) is Option), tuple(part for part in parts if type(part) is Word))


def _header(parts: list[Any]) -> Header:
    common = _common(parts)
    return Header(parts[0], *_split(parts[1:]), **common)


def _section(parts: list[Any]) -> Section:
    common = _common(parts)
    return Section(parts[0], **common)


def _sprite(parts: list[Any], defines: bool = True) -> SpriteLine:
    common = _common(parts)
    options, classes = _split(parts[1:])
    return SpriteLine(parts[0], classes, options, defines, **common)


def _not_a_sprite(parts: list[Any]) -> SpriteLine:
    return _sprite(parts, defines=False)


def _interaction(parts: list[Any]) -> InteractionLine:
    common = _common(parts)
    at = next((i for i, part in enumerate(parts) if type(part) is not Word and type(part) is not Option), None)
    if at is None:
        return InteractionLine(parts[0], tuple(parts[1:]), **common)
    options, effects = _split(parts[at + 1 :])
    return InteractionLine(parts[0], tuple(parts[1:at]), effects, options, _word(parts[at]), **common)


def _termination(parts: list[Any]) -> TerminationLine:
    common = _common(parts)
    return TerminationLine(parts[0], *_split(parts[1:]), **common)


def _mapping(parts: list[Any]) -> MappingLine:
    common = _common(parts)
    return MappingLine(parts[0], parts[1] if len(parts) > 1 else None, tuple(parts[2:]), **common)


def _parameter(parts: list[Any]) -> ParameterLine:
    common = _common(parts)
    return ParameterLine(parts[0], *_split(parts[1:]), **common)


_WORDS = (
    "GAME_CLASS", "SECTION", "SPRITE_NAME", "CLASS", "OBJECT", "SECOND", "EFFECT", "TERMINATION_CLASS", "CHARACTER",
    "MAPS_TO", "SPRITE", "PARAMETER_NAME", "IGNORED",
)  # fmt: skip

_CALLBACKS: dict[str, Any] = {
    "game": lambda parts: (parts[0], parts[1].before),
    "children": tuple,
    "header": _header,
    "section": _section,
    "sprite": _sprite,
    "not_a_sprite": _not_a_sprite,
    "interaction": _interaction,
    "termination": _termination,
    "mapping": _mapping,
    "parameter": _parameter,
    "OPTION": _option,
    **dict.fromkeys(_WORDS, _word),
}


def parse(text: str, *, file: str = "<text>") -> Tree:
    r"""Parse a game text to its syntax tree. Raises VGDLError when the reference's parser would stop as well.

    >>> tree = parse("BasicGame\n  SpriteSet\n    rock > Passive color=GRAY\n")
    >>> tree.header.children[0].children[0].classes[0].text
    'Passive'
    """
    lines = split_lines(text, file, MAX_GAME)
    if not text.strip():
        raise fail("the text is empty", file=file, expected="a game that starts with BasicGame")

    from lark.exceptions import UnexpectedInput

    from pcg.engine.vgdl.lexer import LexError

    try:
        parsed: Any = _lark().parse(text)
    except LexError as error:
        raise fail(
            error.message,
            file=file,
            line=error.line,
            column=error.column,
            source_line=lines[error.line - 1],
            expected=error.expected,
            rule=error.rule,
        ) from None
    except UnexpectedInput as error:
        raise VGDLError([_unexpected(error, lines, file)]) from None
    header, after = parsed
    return Tree(header, after, file, text)


loads = parse


def parse_game(text: str, *, file: str = "<text>") -> Tree:
    r"""Parse what is to be a game; a text of another kind is told as such, and not by its first wrong word.

    Raises:
        VGDLError: as of `parse`, or because the text is no game.

    >>> parse_game("# Notes\n\nMany words,\nno rules.\n", file="notes.md")
    Traceback (most recent call last):
    pcg.engine.vgdl.diagnostics.VGDLError: notes.md:3:1: error: this is no game (expected a line `BasicGame`, ...
        Many words,
        ^
    """
    try:
        tree = parse(text, file=file)
    except VGDLError:
        _refuse_other_texts(text, file)
        raise
    if tree.header.game_class.text not in GAME_CLASSES:
        _refuse_other_texts(text, file)
    return tree


def _refuse_other_texts(text: str, file: str) -> None:
    """Raise an error if neither the first line is like a game's header nor the second like that of a set."""
    from pcg.engine.vgdl.lexer import SECTIONS

    lines = text.splitlines()
    full = [(k, words) for k, line in enumerate(lines, 1) if (words := line.partition("#")[0].split())]
    if len(full) < 2:
        return
    (number, first), (_, second) = full[:2]
    known = (*GAME_CLASSES, *SECTIONS.values())
    if nearest(first[0], known) or (len(second) == 1 and nearest(second[0], SECTIONS.values())):
        return
    rows = {len(line) for line in lines if line}
    if len(rows) == 1 and all(len(words) == 1 for _, words in full):
        message, expected = (
            "this looks like a level",
            "a game; its levels stand behind it, as in `pcg check GAME LEVEL`",
        )
    else:
        message, expected = "this is no game", "a line `BasicGame`, and below it sets such as SpriteSet"
    shown = lines[number - 1]
    column = len(shown) - len(shown.lstrip()) + 1
    raise fail(message, file=file, line=number, column=column, source_line=shown, expected=expected)


def _unexpected(error: Any, lines: list[str], file: str) -> Diagnostic:
    token = error.token
    line, column = token.line, token.column
    text = str(token)
    shown = lines[line - 1] if 0 < line <= len(lines) else ""
    if token.type in ("END", "$END"):
        return Diagnostic("error", "the text has no game header", file, 0, 0, "", "BasicGame or GameSpace")
    if error.expected == {"GAME_CLASS"}:
        message, expected = f"`{text}` stands where the game header should be", " or ".join(GAME_CLASSES)
        return Diagnostic("error", message, file, line, column, shown, expected, nearest(text, GAME_CLASSES))
    if token.type == "GAME_CLASS":
        from pcg.engine.vgdl.lexer import SECTIONS

        message = f"`{text}` stands between the game header and the first set header"
        expected = "one of " + ", ".join(SECTIONS.values())
        return Diagnostic(
            "error", message, file, line, column, shown, expected, nearest(text, SECTIONS.values()), "language 1.2.4"
        )
    expected = ", ".join(sorted(error.expected))
    return Diagnostic("error", f"unexpected `{text}`", file, line, column, shown, expected)


__all__ = ["GAME_CLASSES", "Node", "loads", "parse", "parse_game"]
