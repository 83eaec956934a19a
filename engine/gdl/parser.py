"""KIF text to syntax tree. The language is defined in `grammar.lark`; `lexer` makes its tokens.

The parser is built once per process, on first use. It works bottom-up without recursion.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from pcg.engine.gdl.errors import GDLError, fail
from pcg.engine.gdl.lexer import KifLexer, LexError, Lines, keyword
from pcg.engine.gdl.tree import Distinct, Not, Or, Rule, Sentence, Sheet, Variable
from pcg.engine.vgdl.diagnostics import nearest

MAX_SHEET = 2_000_000
"""Characters in a sheet, a hundred times the largest known one that people wrote."""

_OPERATORS = ("<=", "not", "or", "distinct")
_NAMES = {
    "LPAR": "`(`", "RPAR": "`)`", "IMPLIES": "`<=`", "NOT": "`not`", "OR": "`or`", "DISTINCT": "`distinct`",
    "WORD": "a word", "VARIABLE": "a variable", "$END": "the end of the text",
}  # fmt: skip


def _sentence(parts: list[Any]) -> Sentence:
    word = parts[1]
    return Sentence(keyword(str(word)), tuple(parts[2:-1]), word.start_pos)


def _proposition(parts: list[Any]) -> Sentence:
    return Sentence(keyword(str(parts[0])), (), parts[0].start_pos)


def _compound(parts: list[Any]) -> Any:
    # `(f)` is the constant f: GDL has no functions without arguments
    return (str(parts[1]), *parts[2:-1]) if len(parts) > 3 else str(parts[1])


# While parsing, the field `line` holds the offset in the text; `parse` puts line and column in its place.
_CALLBACKS: dict[str, Any] = {
    "sheet": list,
    "rule": lambda parts: Rule(parts[2], tuple(parts[3:-1]), parts[0].start_pos),
    "not": lambda parts: Not(parts[2], parts[0].start_pos),
    "or": lambda parts: Or(tuple(parts[2:-1]), parts[0].start_pos),
    "distinct": lambda parts: Distinct(parts[2], parts[3], parts[0].start_pos),
    "relation": _sentence,
    "proposition": _proposition,
    "constant": lambda parts: str(parts[0]),
    "variable": lambda parts: Variable(parts[0]),
    "compound": _compound,
}


@functools.cache
def _lark() -> Any:
    # imported late: a command that parses nothing should not pay for lark
    from lark import Lark, Transformer

    builder: Any = type("TreeBuilder", (Transformer,), {name: staticmethod(f) for name, f in _CALLBACKS.items()})()
    grammar = (Path(__file__).parent / "grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, start="sheet", parser="lalr", lexer=KifLexer, transformer=builder, keep_all_tokens=True)


def parse(text: str, *, file: str = "<text>") -> Sheet:
    r"""The syntax tree of a rule sheet.

    Raises:
        GDLError: the text is no rule sheet; with file, line, column and what was expected.

    >>> print(parse("(role x)\n(<= TERMINAL (true  (cell ?n)) (not open))"), end="")
    (role x)
    (<= terminal (true (cell ?n)) (not open))
    """
    if len(text) > MAX_SHEET:
        raise fail(f"the text has {len(text)} characters", file=file, expected=f"at most {MAX_SHEET}")
    control = next((i for i, c in enumerate(text) if c < " " and c not in "\t\n\r\f\v"), -1) if "\0" in text else -1
    if control >= 0:
        line, column = Lines(text).place(control)
        raise fail("not a text: it has control characters", file=file, line=line, column=column)
    from lark.exceptions import UnexpectedInput

    try:
        items = _lark().parse(text)
    except LexError as error:
        raise _at(text, file, error.offset, error.message, error.expected) from None
    except UnexpectedInput as error:
        raise _unexpected(error, text, file) from None
    lines = Lines(text)
    place = lines.place
    rules = []
    for item in items:
        if isinstance(item, Rule):
            line, column = place(item.line)
            body = tuple(_placed(literal, place) for literal in item.body)
            rules.append(Rule(_placed(item.head, place), body, line, column))
        else:
            head = _placed(item, place)
            rules.append(Rule(head, (), head.line, head.column))
    return Sheet(tuple(rules), file, text)


def _placed(literal: Any, place: Any) -> Any:
    line, column = place(literal.line)
    if isinstance(literal, Sentence):
        return Sentence(literal.name, literal.args, line, column)
    if isinstance(literal, Not):
        return Not(_placed(literal.body, place), line, column)
    if isinstance(literal, Or):
        return Or(tuple(_placed(part, place) for part in literal.parts), line, column)
    return Distinct(literal.left, literal.right, line, column)


def read(source: str | Path) -> Sheet:
    """The syntax tree of a file, or of a text (a `str` with a parenthesis or a line end).

    Raises:
        GDLError: the file cannot be read, or is no rule sheet.
    """
    if isinstance(source, str) and is_text(source):
        return parse(source)
    name = str(source)
    try:
        with Path(source).open("rb") as stream:
            data = stream.read(4 * MAX_SHEET + 1)
    except (OSError, ValueError) as error:
        raise fail(f"cannot read the file: {getattr(error, 'strerror', None) or error}", file=name) from error
    if len(data) > 4 * MAX_SHEET:
        raise fail("the file is too large", file=name, expected=f"at most {MAX_SHEET} characters")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return parse(text, file=name)


def is_text(source: str) -> bool:
    """Return true if a `str` is a rule sheet rather than the path of one."""
    return source == "" or any(c in source for c in "(\n\r")


def source_line(text: str, line: int) -> str:
    """A line of a text, from 1; "" when there is none."""
    if line < 1:
        return ""
    starts = Lines(text).starts
    if line > len(starts):
        return ""
    end = starts[line] if line < len(starts) else len(text)
    return text[starts[line - 1] : end].rstrip("\r\n")


def _at(text: str, file: str, offset: int, message: str, expected: str, suggestion: str = "") -> GDLError:
    line, column = Lines(text).place(offset)
    shown = source_line(text, line)
    return fail(
        message, file=file, line=line, column=column, source_line=shown, expected=expected, suggestion=suggestion
    )


def _unexpected(error: Any, text: str, file: str) -> GDLError:
    token = error.token
    expected = ", ".join(_NAMES.get(name, name) for name in sorted(error.expected))
    if token.type == "$END":
        return _at(text, file, _open_parenthesis(text), "this parenthesis is never closed", "`)`")
    word = str(token)
    if token.type == "RPAR" and "$END" in error.expected:
        return _at(text, file, token.start_pos, "`)` closes nothing", expected)
    close = nearest(word, _OPERATORS) if token.type == "WORD" and len(word) > 1 else ""
    return _at(text, file, token.start_pos, f"unexpected `{word[:80]}`", expected, close)


def _open_parenthesis(text: str) -> int:
    """Offset of the outermost parenthesis that stays open."""
    import re

    opened: list[int] = []
    for match in re.finditer(r"[()]|;[^\n\r]*", text):
        if match.group() == "(":
            opened.append(match.start())
        elif match.group() == ")" and opened:
            opened.pop()
    return opened[0] if opened else max(0, len(text) - 1)


__all__ = ["MAX_SHEET", "is_text", "parse", "read", "source_line"]
