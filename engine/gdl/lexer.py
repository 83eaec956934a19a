"""The tokens of a rule sheet, for lark.

One regular expression finds them. Depth is counted here, so that a text of a million open parentheses ends at the
first one too many.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from lark.lexer import Lexer, Token

MAX_DEPTH = 64
"""Parentheses within parentheses; no known sheet has more than eight."""

_TOKEN = re.compile(r"[()]|;[^\n\r]*|[^\s();]+")
_AFTER_PARENTHESIS = {"<=": "IMPLIES", "not": "NOT", "or": "OR", "distinct": "DISTINCT"}
_KEYWORDS = {
    "role": "role", "init": "init", "true": "true", "does": "does", "legal": "legal", "next": "next",
    "terminal": "terminal", "goal": "goal", "base": "base", "input": "input",
}  # fmt: skip


class LexError(Exception):
    """A token where none can be; `offset` is its place in the text."""

    def __init__(self, message: str, offset: int, expected: str) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.expected = expected


class Lines:
    """From offsets in a text to lines and columns, both from 1."""

    def __init__(self, text: str) -> None:
        self.starts = [0, *(match.end() for match in re.finditer("\r\n|\r|\n", text))]

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1


class KifLexer(Lexer):
    """Lexer for `grammar.lark`. The `start_pos` of a token is its offset; lines are worked out when they are needed."""

    def __init__(self, lexer_conf: Any) -> None:
        pass

    def lex(self, lexer_state: Any, parser_state: Any = None) -> Iterator[Token]:
        """The tokens of a text."""
        text = str(getattr(lexer_state, "text", lexer_state))
        depth = 0
        opened = False  # the token before was an opening parenthesis
        for match in _TOKEN.finditer(text):
            word = match.group()
            first = word[0]
            start = match.start()
            if first == "(":
                depth += 1
                if depth > MAX_DEPTH:
                    raise LexError("the parentheses are nested too deeply", start, f"at most {MAX_DEPTH} levels")
                opened = True
                yield Token("LPAR", word, start)
                continue
            if first == ";":
                continue
            if first == ")":
                depth -= 1
                yield Token("RPAR", word, start)
            elif first == "?":
                if word == "?":
                    raise LexError("a variable without a name", start, "a name after the question mark")
                yield Token("VARIABLE", word, start)
            elif opened:
                yield Token(_AFTER_PARENTHESIS.get(word.lower(), "WORD"), word, start)
            elif word == "<=":
                raise LexError("`<=` stands outside of a rule", start, "an opening parenthesis before it")
            else:
                yield Token("WORD", word, start)
            opened = False


def keyword(name: str) -> str:
    """The name of a relation: keywords in lower case, others as they are."""
    return _KEYWORDS.get(name.lower(), name)
