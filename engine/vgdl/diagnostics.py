"""Diagnostics: the mistakes in a text, their places, and what would be right."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding in a text.

    `rule` cites the reference for findings of the gvgai reading ("language 1.5.3"), else "". Lines and columns
    count from 1; 0 means the whole file.
    """

    severity: str
    """"error" or "warning"."""
    message: str
    file: str = "<text>"
    line: int = 0
    column: int = 0
    source_line: str = ""
    expected: str = ""
    suggestion: str = ""
    rule: str = ""
    name: str = ""
    """The name that is not known, for findings of that kind."""
    lost: bool = False
    """True for a warning of the gvgai reading that leaves out what the author surely meant: a sprite, a rule, a set."""

    def __str__(self) -> str:
        place = self.file + (f":{self.line}:{self.column}" if self.line else "")
        text = f"{place}: {self.severity}: {self.message}"
        if self.suggestion:
            text += f", did you mean `{self.suggestion}`?"
        if self.expected:
            text += f" (expected {self.expected})"
        if self.rule:
            text += f" [reference/{self.rule}]"
        if self.line and self.source_line:
            shown = self.source_line.replace("\t", " ")
            start = max(0, self.column - 60)
            clipped = shown[start : start + 120]
            text += f"\n    {clipped}\n    {' ' * max(0, self.column - 1 - start)}^"
        return text


_CAMEL = re.compile("[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
LONGEST_NAME = 64
"""Names longer than this get no suggestion."""


class PcgError(Exception):
    """Base of all errors this toolkit raises for bad input."""


class VGDLError(PcgError):
    """A game or level text that cannot be used; carries every finding."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(str(d) for d in self.diagnostics))

    def __reduce__(self) -> tuple[type[VGDLError], tuple[tuple[Diagnostic, ...]]]:
        # Worker processes send their errors back.
        return VGDLError, (self.diagnostics,)


def _words(name: str) -> list[str]:
    """`scoreChange` and `changeScore` have the same words."""
    return sorted(word.lower() for word in _CAMEL.findall(name))


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return the end of a message about an unknown name.

    Args:
        name: the unknown name.
        known: names that would do.
        otherwise: returned where no known name is close.

    >>> "no game `boxs`" + did_you_mean("boxs", ["boxes", "hunt"])
    'no game `boxs`, did you mean `boxes`?'
    """
    near = nearest(name, known)
    return f", did you mean `{near}`?" if near else otherwise


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name closest to `name`, or "" when none is close (case differences count as very close)."""
    if len(name) > LONGEST_NAME:
        return ""
    known = list(known)
    words = _words(name)
    swapped = next((n for n in known if len(words) > 1 and _words(n) == words), None)
    if swapped is not None:
        return swapped
    # Comparing is quadratic in the length, and names of other lengths cannot be close.
    names = [n for n in known if 2 * len(n) <= 3 * len(name) + 2 and 2 * len(name) <= 3 * len(n) + 2]
    folded = {n.lower(): n for n in names}
    if name.lower() in folded:
        return folded[name.lower()]
    close = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
    return next((n for n in close if _is_near(name.lower(), n.lower())), "")


def _is_near(a: str, b: str) -> bool:
    """Tell whether a word may be a slip for another, or begins as it does; the first letter is seldom mistaken.

    >>> _is_near("curious", "curiosity"), _is_near("tekst", "text"), _is_near("waves", "gates")
    (True, True, False)
    """
    shared = next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return _slips(a, b) <= (max(1, (len(a) + 1) // 3) if shared else 1) or shared >= max(4, (len(b) + 1) // 2)


def _slips(a: str, b: str) -> int:
    """The fewest slips that make one word the other: a letter left out, added, mistaken, or two exchanged.

    Damerau (1964), "A technique for computer detection and correction of spelling errors". A share of common letters
    alone finds names near that nobody would mistake for each other.

    >>> _slips("mtcs", "mcts"), _slips("dungon", "dungeon"), _slips("zelda", "relay")
    (1, 1, 3)
    """
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a):
        new = [i + 1]
        for j, other in enumerate(b):
            least = min(row[j] + (letter != other), row[j + 1] + 1, new[j] + 1)
            if before and j and letter == b[j - 1] and a[i - 1] == other:
                least = min(least, before[j - 1] + 1)
            new.append(least)
        before, row = row, new
    return row[-1]
