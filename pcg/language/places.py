"""Places in texts, and what is proposed for them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a line; `line` and columns count from 0, `end` is behind the last character."""

    line: int
    start: int
    end: int

    def holds(self, line: int, column: int) -> bool:
        """True for a place within, or right behind, the part.

        >>> Span(0, 4, 8).holds(0, 8)
        True
        """
        return line == self.line and self.start <= column <= self.end


@dataclass(frozen=True, slots=True)
class Proposal:
    """A word that can stand at a place.

    Attributes:
        text: the word.
        kind: "section", "class", "effect", "termination", "parameter", "sprite", "value", "relation" or "object".
        detail: a few words about it.
        help: a sentence or more, in Markdown.
    """

    text: str
    kind: str
    detail: str = ""
    help: str = ""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A part of a text with a name, for outlines.

    Attributes:
        name: of the part.
        kind: as in `Proposal`.
        at: the name's place.
        last_line: of the part, from 0.
        parts: below it.
    """

    name: str
    kind: str
    at: Span
    last_line: int
    parts: tuple[Symbol, ...] = ()
