"""Texts of real games, mutated: lines moved, lines of other games, words exchanged, values changed, bytes spoilt.

What the reader accepts of them is nearer to games that people write than a random game is.
"""

from __future__ import annotations

import functools
import re

from choices import Choices
from random_games import EFFECTS, OTHERS, RandomPlay, random_actions
from random_values import EXTREME_INTEGERS, EXTREME_NUMBERS, MISFITS

from pcg.engine.game import builtin_games

SPOILT = ("\t", "\r", "\x00", "\x85", "\ufeff", "\ud800", "#", "=", ">", "é", "\u2028", " " * 300, ">" * 300)
EXCHANGE = ("EOS", "TIME", "wall", "avatar", "BasicGame", "GameSpace", "SpriteSet", "InteractionSet", "TerminationSet")


@functools.cache
def own_games() -> tuple[tuple[str, str], ...]:
    """Game text and first level of every game that comes with the toolkit."""
    return tuple(
        ((folder / "game.vgdl").read_text(encoding="utf-8"), (folder / "lvl0.txt").read_text(encoding="utf-8"))
        for folder in builtin_games().values()
    )


def mutated_play(c: Choices, *, ticks: int = 12, changes: int = 6) -> RandomPlay:
    """A play of a game that comes with the toolkit, after 1 to `changes` changes of its text and a few of its level."""
    games = own_games()
    text, level = c.pick(games)
    for _ in range(c.integer(1, changes)):
        text = mutated(c, text, c.pick(games)[0])
    for _ in range(c.integer(0, 3)):
        level = mutated_level(c, level)
    return RandomPlay(text + "\n", level, c.integer(0, 1 << 16), random_actions(c, 2, ticks))


def mutated(c: Choices, text: str, other: str) -> str:
    """`text` after one change, which may take a line of `other`."""
    lines, foreign = text.split("\n"), other.split("\n")
    at = c.integer(0, len(lines) - 1)
    kind = c.integer(0, 7)
    if kind == 0:
        lines.insert(c.integer(0, len(lines)), lines[at] if c.chance(50) else lines.pop(at))
    elif kind == 1:
        del lines[at]
    elif kind == 2:
        lines.insert(at, c.pick(foreign))
    elif kind in (3, 4, 5):
        lines[at] = exchanged(c, lines[at])
    elif kind == 6:
        lines[at] = " " * c.integer(0, 16) + lines[at].strip()
    else:
        here = c.integer(0, len(lines[at]))
        lines[at] = lines[at][:here] + c.pick(SPOILT) + lines[at][here + c.integer(0, 5) :]
    return "\n".join(lines)


def exchanged(c: Choices, line: str) -> str:
    """A line with a word, or the value of an option, in another's place."""
    parts = re.split(r"(\s+)", line)
    at = c.integer(0, len(parts) - 1)
    key, equals, _ = parts[at].partition("=")
    if equals:
        parts[at] = f"{key}={c.pick((*EXTREME_INTEGERS, *EXTREME_NUMBERS, *MISFITS))}"
    elif parts[at].strip():
        parts[at] = c.pick((*OTHERS, *EFFECTS, *EXCHANGE, *(word for word in parts if word.strip())))
    return "".join(parts)


def mutated_level(c: Choices, level: str) -> str:
    """A level with a character changed, or a row moved, or cut."""
    rows = level.split("\n")
    at = c.integer(0, len(rows) - 1)
    kind = c.integer(0, 2)
    if kind == 0 and rows[at]:
        here = c.integer(0, len(rows[at]) - 1)
        rows[at] = rows[at][:here] + c.pick(sorted({*level, "?"} - {"\n"})) + rows[at][here + 1 :]
    elif kind == 1:
        rows.insert(c.integer(0, len(rows)), rows.pop(at))
    else:
        rows[at] = rows[at][: c.integer(0, len(rows[at]))]
    return "\n".join(rows)
