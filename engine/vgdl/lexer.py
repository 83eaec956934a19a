"""Lexer: from lines to tokens of the grammar: words, indentation, and the set in force (reference/language 1.1).

Everything that depends on earlier lines happens here, so that the grammar itself is context-free: the current set, the
attachment of a line to a parent, and the lines that the reference drops before they reach the tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from lark import Token
from lark.lexer import Lexer

from pcg.engine.vgdl.source import is_plain, split_lines
from pcg.engine.vgdl.tree import Remark

MAX_DEPTH = 64
"""Deepest nesting of lines."""

SECTIONS = {
    name.lower(): name for name in ("SpriteSet", "InteractionSet", "LevelMapping", "TerminationSet", "ParameterSet")
}

_BLANKS = " \t"
_WORD = re.compile("[^ \t]+")


class LexError(Exception):
    """A text that yields no tokens; `parser` turns it into a VGDLError."""

    def __init__(self, message: str, line: int, column: int, expected: str = "", rule: str = "") -> None:
        super().__init__(message)
        self.message, self.line, self.column = message, line, column
        self.expected, self.rule = expected, rule


class Dropped(Exception):
    """A line whose words the reference cannot convert (reference/language 1.1.6)."""

    def __init__(self, reason: str, column: int) -> None:
        super().__init__(reason)
        self.reason, self.column = reason, column


class LineEnd(Token):
    """EOL or END: carries the remarks before its line and the comment behind it."""

    before: tuple[Remark, ...]
    gap: bool


def _line_end(kind: str, comment: str, before: list[Remark], gap: bool, line: int, column: int) -> LineEnd:
    token = LineEnd(kind, comment, line=line, column=column)
    token.before, token.gap = tuple(before), gap
    return token


Pair = tuple[str, str, int]
"""Token type, text, column."""


def _option_or(kind: str, word: str, column: int) -> Pair:
    if "=" not in word:
        return kind, word, column
    # The reference splits at `=` and needs a second part; trailing empty parts do not exist.
    if len(word.rstrip("=").split("=")) < 2:
        raise Dropped(f"`{word}` has no value", column)
    return "OPTION", word, column


def _header(words: list[tuple[str, int]]) -> list[Pair]:
    return [("GAME_CLASS", *words[0]), *(_option_or("IGNORED", *word) for word in words[1:])]


def _sprite(words: list[tuple[str, int]]) -> list[Pair]:
    return [
        ("SPRITE_NAME", *words[0]),
        *(("_ARROW", *word) if word[0] == ">" else _option_or("CLASS", *word) for word in words[1:]),
    ]


def _interaction(words: list[tuple[str, int]]) -> list[Pair]:
    result: list[Pair] = [("OBJECT", *words[0])]
    after = False
    effect = False
    for text, column in words[1:]:
        if after:
            result.append(_option_or("EFFECT", text, column))
            effect = effect or result[-1][0] == "EFFECT"
        elif text == ">":
            after = True
            result.append(("ARROW", text, column))
        else:
            result.append(("SECOND", text, column))
    if len(words) > 1 and not effect:
        why = "" if after else ": `>` is missing"
        raise Dropped(f"the interaction names no effect{why}", words[-1][1] + len(words[-1][0]))
    return result


def _termination(words: list[tuple[str, int]]) -> list[Pair]:
    return [("TERMINATION_CLASS", *words[0]), *(_option_or("IGNORED", *word) for word in words[1:])]


def _mapping(words: list[tuple[str, int]]) -> list[Pair]:
    return [
        (kind, *word) for kind, word in zip(("CHARACTER", "MAPS_TO", *["SPRITE"] * len(words)), words, strict=False)
    ]


def _parameter(words: list[tuple[str, int]]) -> list[Pair]:
    return [("PARAMETER_NAME", *words[0]), *(_option_or("IGNORED", *word) for word in words[1:])]


_LINE = {
    "": _header,
    "SpriteSet": _sprite,
    "InteractionSet": _interaction,
    "TerminationSet": _termination,
    "LevelMapping": _mapping,
    "ParameterSet": _parameter,
}


def reads_as(section: str, line: str) -> list[tuple[str, str]]:
    """The kinds and texts of the tokens of a line in a set; [] for a line that is dropped, or is a set header.

    >>> reads_as("InteractionSet", "a b > killSprite")[-1]
    ('EFFECT', 'killSprite')
    """
    if not is_plain(line):
        return []
    words = [(match.group(), match.start() + 1) for match in _WORD.finditer(line)]
    if len(words) == 1 and words[0][0].lower() in SECTIONS:
        return []
    try:
        return [(kind, text) for kind, text, _ in _LINE[section](words)]
    except Dropped:
        return []


def tokenize(text: str) -> Iterator[Token]:
    """The tokens of a game text. Raises LexError (and VGDLError from `split_lines`)."""
    lines = split_lines(text, "<text>")
    current = ""
    indents: list[int] = []  # of the last accepted line's ancestors and itself
    opened: list[bool] = []  # whether an _INDENT was issued below that line
    before: list[Remark] = []
    gap = False  # whether a blank line was just read
    for number, raw in enumerate(lines, 1):
        hash_at = raw.find("#")
        content, comment = (raw, "") if hash_at < 0 else (raw[:hash_at], raw[hash_at:].rstrip(_BLANKS))
        words = [(match.group(), match.start() + 1) for match in _WORD.finditer(content)]
        if not words:
            if not comment:
                gap = True
                continue
            if hash_at == 0 and raw.strip("#") == "":
                message = "a line of nothing but `#` from its start on stops the reference's parser"
                raise LexError(message, number, 1, "a blank before it, or a word behind it", "language 1.1.2")
            before.append(Remark("comment", comment, number, hash_at + 1, gap=gap))
            gap = False
            continue
        column = words[0][1]
        indent = column - 1
        section = SECTIONS.get(words[0][0].lower()) if len(words) == 1 else None
        try:
            if section is not None:
                current = section
                tokens: list[Pair] = [("SECTION", *words[0])]
            else:
                tokens = _LINE[current](words)
        except Dropped as drop:
            before.append(Remark("broken", raw.strip(_BLANKS), number, drop.column, drop.reason, gap))
            gap = False
            continue
        if indents:
            if indent <= indents[0]:
                reason = "it is indented no deeper than the header"
                before.append(Remark("outside", raw.strip(_BLANKS), number, column, reason, gap))
                gap = False
                continue
            while indents[-1] >= indent:
                indents.pop()
                if opened.pop():
                    yield Token("_DEDENT", "", line=number, column=column)
            if not opened[-1]:
                opened[-1] = True
                yield Token("_INDENT", "", line=number, column=column)
        indents.append(indent)
        opened.append(False)
        if len(indents) > MAX_DEPTH:
            raise LexError(f"lines are nested deeper than {MAX_DEPTH} levels", number, column)
        for kind, value, at in tokens:
            yield Token(kind, value, line=number, column=at)
        yield _line_end("EOL", comment, before, gap, number, len(content) + 1)
        before, gap = [], False
    for was_open in reversed(opened):
        if was_open:
            yield Token("_DEDENT", "", line=len(lines), column=1)
    yield _line_end("END", "", before, False, len(lines), 1)


class LineLexer(Lexer):
    """`tokenize` in the shape lark wants."""

    def __init__(self, lexer_conf: Any) -> None:
        del lexer_conf

    def lex(self, text: Any) -> Iterator[Token]:  # type: ignore[override]
        return tokenize(str(text))
