"""Output that pages of the documentation show, held against what their commands and programs print.

Lines after a command of a console block, up to the next command, are what it prints; a block of kind `output` is what
the block of commands or Python before it prints. A line `...` stands for any number of lines. Ends of lines, and
numbers that no two runs share, do not count: seconds and minutes, megabytes, dates and times.
"""

from __future__ import annotations

import re

ANY = "..."
"""The line that stands for any number of lines."""

_CHANGES = (
    (re.compile(r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?Z?)?"), "DATE"),
    (re.compile(r"\b\d[\d,]*(?:\.\d+)?(?= ?(?:ms|s|seconds?|min|minutes?|MB)\b)"), "N"),
)


def lines_of(text: str) -> list[str]:
    """Return the lines of a text without what differs from run to run, and without empty lines around it."""
    for pattern, name in _CHANGES:
        text = pattern.sub(name, text)
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def difference(shown: str, printed: str) -> str:
    """Return the first line that a page shows and that is not printed there; an empty text for a page that is true."""
    wanted, found = lines_of(shown), lines_of(printed)
    at, skip = 0, False
    while wanted:
        size = wanted.index(ANY) if ANY in wanted else len(wanted)
        part, last = wanted[:size], size == len(wanted)
        places = range(at, len(found) - size + 1) if skip else range(at, at + 1)
        if last and part:
            places = range(len(found) - size, len(found) - size + 1) if skip else places
        place = next((k for k in places if k >= at and found[k : k + size] == part), None)
        if place is None:
            here = found[at : at + size]
            differing = (a for a, b in zip(part, [*here, *[""] * size], strict=False) if a != b)
            return f"`{next(differing, part[0])}` is shown, printed was:\n{printed}"
        at, skip, wanted = place + size, True, wanted[size + 1 :]
        if last and at != len(found):
            return f"more is printed than is shown: `{found[at]}`"
    return ""


def of_commands(body: str) -> list[tuple[str, str]]:
    """Return the commands of a console block, without breaks of lines, each with the output that is shown for it."""
    parts = re.split(r"^\$ ((?:.*\\\n)*.*)$", body, flags=re.M)
    return [(parts[i].replace("\\\n", " "), parts[i + 1]) for i in range(1, len(parts), 2)]
