"""The messages of the game-manager protocol: INFO, PREVIEW, START, PLAY, STOP and ABORT, as KIF texts.

Texts come from anywhere, so they are scanned once from left to right, without recursion, and bounded in size and depth.
Rule sheets inside of them are handed on as they stand; the GDL parser reads them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pcg.engine.vgdl.diagnostics import PcgError, nearest

LARGEST_MESSAGE = 4 * 1024 * 1024
"""Bytes of a message: a rule sheet and a little more."""
LARGEST_REPLY = 64 * 1024
"""Bytes of a player's reply: a move."""
MOST_DEPTH = 200
LONGEST_ID = 200
MOST_SECONDS = 24 * 3600

_TOKEN = re.compile(r"[()]|;[^\n\r]*|[^\s();]+")
_KINDS = ("INFO", "PREVIEW", "START", "PLAY", "STOP", "ABORT")


class MessageError(PcgError):
    """A text that is no message of the protocol."""


@dataclass(frozen=True, slots=True)
class Info:
    """Asks what the player is and whether it is free."""


@dataclass(frozen=True, slots=True)
class Preview:
    """Shows a game that may be played later, and the seconds there are to look at it."""

    sheet: str
    clock: int


@dataclass(frozen=True, slots=True)
class Start:
    """Begins a match: its id, the player's role, the rules, and the seconds before the first and for every move."""

    match: str
    role: str
    sheet: str
    start_clock: int
    play_clock: int


@dataclass(frozen=True, slots=True)
class Play:
    """Tells the last joint move, in the order of the roles (None before the first), and asks for the next one."""

    match: str
    moves: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Stop:
    """Tells the last joint move of a match; it is over."""

    match: str
    moves: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Abort:
    """Ends a match that will not be finished."""

    match: str


Message = Info | Preview | Start | Play | Stop | Abort


@dataclass(frozen=True, slots=True)
class _Part:
    """A term of a text: where it begins and ends."""

    text: str
    begin: int
    end: int

    @property
    def source(self) -> str:
        return self.text[self.begin : self.end]

    @property
    def is_list(self) -> bool:
        return self.text[self.begin] == "("


def _parts(text: str, begin: int = 0, end: int | None = None) -> list[_Part]:
    """The terms that stand one after the other in a text.

    Raises:
        MessageError: parentheses do not match, or are nested too deeply.
    """
    found: list[_Part] = []
    depth, opened = 0, 0
    for match in _TOKEN.finditer(text, begin, len(text) if end is None else end):
        first = match.group()[0]
        if first == ";":
            continue
        if first == "(":
            if depth == 0:
                opened = match.start()
            depth += 1
            if depth > MOST_DEPTH:
                raise MessageError(f"the parentheses are nested deeper than {MOST_DEPTH} levels")
        elif first == ")":
            depth -= 1
            if depth < 0:
                raise MessageError("a closing parenthesis without an opening one")
            if depth == 0:
                found.append(_Part(text, opened, match.end()))
        elif depth == 0:
            found.append(_Part(text, match.start(), match.end()))
    if depth:
        raise MessageError(f"{depth} parentheses are not closed")
    return found


def _inside(part: _Part) -> list[_Part]:
    """The terms of a list."""
    return _parts(part.text, part.begin + 1, part.end - 1)


def read_term(text: str) -> str:
    """A term in the form in which the GDL engine writes moves: one blank between words, none inside parentheses.

    Raises:
        MessageError: it is not one term.

    >>> read_term("( mark 1  (cell 2 3) )")
    '(mark 1 (cell 2 3))'
    >>> read_term("(noop)")
    'noop'
    """
    parts = _parts(text)
    if len(parts) != 1:
        raise MessageError(f"{_shown(text)}: expected one term, found {len(parts)}")
    out: list[str] = []
    opened: list[int] = []  # for every open list how many words were written before it
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token[0] == ";":
            continue
        if token == "(":
            opened.append(len(out))
            out.append("(")
        elif token == ")":
            at = opened.pop()
            size = len(out) - at - 1
            if size == 0:
                raise MessageError(f"{_shown(text)}: an empty list is no term")
            # `(f)` is the constant f
            out[at:] = [out[at + 1]] if size == 1 else [f"({' '.join(out[at + 1 :])})"]
        else:
            out.append(token)
    return out[0]


def _shown(text: str) -> str:
    shown = " ".join(text[:200].split())
    return f"`{shown[:60]}...`" if len(shown) > 60 or len(text) > 200 else f"`{shown}`"


def _word(part: _Part, what: str) -> str:
    if part.is_list or part.end - part.begin > LONGEST_ID:
        raise MessageError(f"{what} is {_shown(part.source)}, expected a word of at most {LONGEST_ID} characters")
    return part.source


def _clock(part: _Part, what: str) -> int:
    word = part.source
    if not (word.isascii() and word.isdigit() and len(word) < 7 and int(word) <= MOST_SECONDS):
        raise MessageError(f"{what} is {_shown(word)}, expected seconds from 0 to {MOST_SECONDS}")
    return int(word)


def _sheet(part: _Part) -> str:
    if not part.is_list:
        raise MessageError(f"the rules are {_shown(part.source)}, expected a list of rules")
    return part.text[part.begin + 1 : part.end - 1]


def _moves(part: _Part) -> tuple[str, ...] | None:
    if not part.is_list:
        if part.source.upper() == "NIL":
            return None
        raise MessageError(f"the moves are {_shown(part.source)}, expected a list or NIL")
    return tuple(read_term(move.source) for move in _inside(part)) or None


def read_message(text: str) -> Message:
    """The message that a text is.

    Raises:
        MessageError: it is none; says what is wrong and what was expected.

    >>> read_message("(PLAY match.1 ((mark 1 1) noop))")
    Play(match='match.1', moves=('(mark 1 1)', 'noop'))
    """
    if len(text) > LARGEST_MESSAGE:
        raise MessageError(f"the message has {len(text)} characters, expected at most {LARGEST_MESSAGE}")
    found = _parts(text)
    if len(found) != 1 or not (found[0].is_list or found[0].source.upper() == "INFO"):
        raise MessageError(f"{_shown(text) if text.strip() else 'nothing'} is no message, expected one list")
    if not found[0].is_list:
        return Info()
    parts = _inside(found[0])
    if not parts or parts[0].is_list:
        raise MessageError(f"{_shown(text)} is no message, expected ({' ...), ('.join(_KINDS)} ...)")
    kind, rest = parts[0].source.upper(), parts[1:]
    sizes = {"INFO": 0, "PREVIEW": 2, "START": 5, "PLAY": 2, "STOP": 2, "ABORT": 1}
    if kind not in sizes:
        near = nearest(kind, _KINDS)
        hint = f"did you mean {near}?" if near else f"expected one of {', '.join(_KINDS)}"
        raise MessageError(f"there is no message {_shown(parts[0].source)}, {hint}")
    if len(rest) != sizes[kind]:
        raise MessageError(f"{kind} has {len(rest)} parts after it, expected {sizes[kind]}")
    if kind == "INFO":
        return Info()
    if kind == "PREVIEW":
        return Preview(_sheet(rest[0]), _clock(rest[1], "the clock"))
    match = _word(rest[0], "the id of the match")
    if kind == "START":
        return Start(
            match,
            _word(rest[1], "the role"),
            _sheet(rest[2]),
            _clock(rest[3], "the start clock"),
            _clock(rest[4], "the play clock"),
        )
    if kind == "ABORT":
        return Abort(match)
    return (Play if kind == "PLAY" else Stop)(match, _moves(rest[1]))


def write_message(message: Message) -> str:
    """The text of a message.

    >>> write_message(Play("m", ("noop", "(mark 1 1)")))
    '(PLAY m (noop (mark 1 1)))'
    """
    match message:
        case Info():
            return "(INFO)"
        case Preview():
            return f"(PREVIEW ({message.sheet}\n) {message.clock})"
        case Start():
            rules = f"({message.sheet}\n)"  # a comment may end the sheet
            return f"(START {message.match} {message.role} {rules} {message.start_clock} {message.play_clock})"
        case Play() | Stop():
            moves = "NIL" if message.moves is None else f"({' '.join(message.moves)})"
            return f"({type(message).__name__.upper()} {message.match} {moves})"
        case Abort():
            return f"(ABORT {message.match})"
