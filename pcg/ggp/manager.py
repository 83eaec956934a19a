"""A small game manager: starts a match, enforces clocks and rules, and reports the goals.

Every player is asked over HTTP, all of them at the same time. Whoever is late, answers with something else than a legal
move, or not at all, gets a legal move drawn at random, and the fault is recorded; the match goes on.
"""

from __future__ import annotations

import http.client
import queue
import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.ggp.messages import (
    LARGEST_REPLY,
    Abort,
    Info,
    Message,
    MessageError,
    Play,
    Start,
    Stop,
    read_term,
    write_message,
)
from pcg.ggp.player import _matching

if TYPE_CHECKING:
    from pcg.engine.gdl.game import GdlGame

GRACE = 0.5
"""Seconds beyond a clock that the way there and back may take."""
STOP_CLOCK = 5
MOST_STEPS = 10_000


@dataclass(frozen=True, slots=True)
class Fault:
    """A player's fault: "late", "illegal", "malformed", "refused" (an HTTP error) or "unreachable"."""

    step: int
    role: str
    kind: str
    message: str


@dataclass
class MatchRecord:
    """A match as it was played.

    Attributes:
        match: its id.
        game: name of the rule sheet.
        roles: in the order of the rules.
        players: address of each role's player.
        moves: the joint moves.
        faults: what the players did wrong, in order; step -1 is the start.
        goals: goal value of each role at the end; None where the rules give none, or the match was not finished.
        finished: whether a terminal state was reached.
        seconds: how long it took.
    """

    match: str
    game: str
    roles: tuple[str, ...]
    players: tuple[str, ...]
    start_clock: int
    play_clock: int
    seed: int
    moves: list[tuple[str, ...]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    goals: tuple[int | None, ...] = ()
    finished: bool = False
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """The record as plain data."""
        return asdict(self)


def read_address(text: str) -> str:
    """The address of a player: ``http://host:port/`` or ``host:port``.

    Raises:
        PcgError: it is none.

    >>> read_address("localhost:9147")
    'http://localhost:9147/'
    """
    whole = text if "://" in text else f"http://{text}"
    try:
        parts = urlsplit(whole)
        port = parts.port
    except ValueError:
        port = None
        parts = urlsplit("")
    if parts.scheme != "http" or not parts.hostname or port is None:
        raise PcgError(f"no address of a player: `{text}`, expected http://host:port/")
    return f"http://{parts.netloc}{parts.path or '/'}"


def send(url: str, text: str, seconds: float) -> str:
    """Post a message; returns the reply.

    Raises:
        TimeoutError: no whole reply in time.
        OSError: the player cannot be reached, or breaks off.
        PcgError: it answers with an error, or with more than a move can be.
    """
    parts = urlsplit(url)
    end = time.monotonic() + seconds
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=max(0.01, seconds))
    try:
        headers = {"Content-Type": "text/acl", "Accept": "text/acl", "Sender": "pcg"}
        connection.request("POST", parts.path or "/", text.encode("utf-8"), headers)
        response = connection.getresponse()
        body = b""
        while part := response.read1(4096):
            body += part
            if len(body) > LARGEST_REPLY:
                raise MessageError(f"a reply of more than {LARGEST_REPLY} bytes")
            if time.monotonic() > end:
                raise TimeoutError("the reply comes too slowly")
        reply = body.decode("utf-8", "replace")
        if response.status != 200:
            raise PcgError(f"HTTP {response.status}: {' '.join(reply[:300].split())}")
        return reply
    except http.client.HTTPException as error:
        raise MessageError(f"no HTTP reply: {type(error).__name__}") from None
    finally:
        connection.close()


def _ask_all(urls: Sequence[str], texts: Sequence[str], clock: float) -> list[str | BaseException]:
    """The replies of all players to their messages, or what went wrong. Nobody is waited for beyond the clock."""
    answers: queue.SimpleQueue[tuple[int, str | BaseException]] = queue.SimpleQueue()

    def ask(number: int) -> None:
        try:
            answers.put((number, send(urls[number], texts[number], clock + GRACE)))
        except Exception as error:
            answers.put((number, error))

    for number in range(len(urls)):
        threading.Thread(target=ask, args=(number,), daemon=True, name=f"player {number}").start()
    found: list[str | BaseException] = [TimeoutError("no reply")] * len(urls)
    end = time.monotonic() + clock + GRACE
    for _ in urls:
        try:
            number, answer = answers.get(timeout=max(0.0, end - time.monotonic()))
        except queue.Empty:
            break
        found[number] = answer
    return found


def _fault(step: int, role: str, error: BaseException) -> Fault:
    if isinstance(error, TimeoutError):
        return Fault(step, role, "late", str(error) or "no reply in time")
    if isinstance(error, MessageError):
        return Fault(step, role, "malformed", str(error))
    if isinstance(error, PcgError):
        return Fault(step, role, "refused", str(error))
    return Fault(step, role, "unreachable", str(error) or type(error).__name__)


def info(url: str, seconds: float = 5.0) -> str:
    """Return a player's answer to INFO; for errors see `send`."""
    return send(url, write_message(Info()), seconds)


def play_match(
    game: GdlGame,
    players: Sequence[str],
    *,
    start_clock: int = 10,
    play_clock: int = 10,
    seed: int = 0,
    match: str | None = None,
    most_steps: int = MOST_STEPS,
    progress: Callable[[MatchRecord], None] | None = None,
) -> MatchRecord:
    """Let players on the network play a match.

    Args:
        game: the rules.
        players: an address for each role, in the order of the rules.
        start_clock: seconds to get ready.
        play_clock: seconds for every move.
        seed: of the moves drawn for players who send none.
        match: id of the match; made from the name and the seed without it.
        most_steps: after which the match is aborted.
        progress: called after every step.

    Raises:
        PcgError: not one address for each role, or none at all.

    >>> import pcg
    >>> from pcg.ggp.player import GamePlayer
    >>> from pcg.ggp.server import LocalServer
    >>> with LocalServer(GamePlayer("random")) as first, LocalServer(GamePlayer("random", seed=1)) as second:
    ...     record = play_match(pcg.load("connect-four"), [first.url, second.url], play_clock=5)
    >>> sum(record.goals), len(record.faults)
    (100, 0)
    """
    if len(players) != len(game.roles):
        raise PcgError(f"{len(players)} players, expected one for each of the roles {', '.join(game.roles)}")
    if start_clock < 0 or play_clock < 0:
        raise PcgError("the clocks are less than 0 seconds")
    urls = tuple(read_address(player) for player in players)
    started = time.monotonic()
    record = MatchRecord(match or f"{game.name}.{seed}", game.name, game.roles, urls, start_clock, play_clock, seed)
    try:
        _play(game, record, most_steps, progress)
    except BaseException:
        _ask_all(urls, [write_message(Abort(record.match))] * len(urls), 0)
        raise
    record.seconds = time.monotonic() - started
    return record


def _play(game: GdlGame, record: MatchRecord, most_steps: int, progress: Callable[[MatchRecord], None] | None) -> None:
    urls, roles = record.players, record.roles
    draw = random.Random(record.seed)
    sheet = game.program.sheet.text
    state = game.start()
    starts = [Start(record.match, role, sheet, record.start_clock, record.play_clock) for role in roles]
    replies = _ask_all(urls, [write_message(start) for start in starts], record.start_clock)
    for role, reply in zip(roles, replies, strict=True):
        if isinstance(reply, BaseException):
            record.faults.append(_fault(-1, role, reply))
        elif reply.strip().lower() != "ready":
            record.faults.append(Fault(-1, role, "malformed", f"answered {_cut(reply)} to START, expected ready"))
    last: tuple[str, ...] | None = None
    while not state.is_over and state.ply < most_steps:
        ask: Message = Play(record.match, last)
        replies = _ask_all(urls, [write_message(ask)] * len(urls), record.play_clock)
        chosen = []
        for role, reply in zip(roles, replies, strict=True):
            legal = state.legal(role)
            fallback = draw.choice(legal)  # drawn for everyone, so that one player's fault changes no later draw
            move, fault = _move(state.ply, role, reply, legal)
            if fault is not None:
                record.faults.append(fault)
            chosen.append(fallback if move is None else move)
        last = tuple(chosen)
        state.advance(last)
        record.moves.append(last)
        if progress is not None:
            progress(record)
    record.finished = state.is_over
    values = state.goals
    record.goals = tuple(values[role][0] if record.finished and values[role] else None for role in roles)
    end: Message = Stop(record.match, last) if record.finished else Abort(record.match)
    _ask_all(urls, [write_message(end)] * len(urls), STOP_CLOCK)


def _move(step: int, role: str, reply: str | BaseException, legal: tuple[str, ...]) -> tuple[str | None, Fault | None]:
    """The legal move that a reply is, or the fault."""
    if isinstance(reply, BaseException):
        return None, _fault(step, role, reply)
    try:
        term = read_term(reply)
    except MessageError as error:
        return None, Fault(step, role, "malformed", str(error))
    move = _matching(term, legal)
    if move is None:
        return None, Fault(step, role, "illegal", f"{_cut(term)} is not legal")
    return move, None


def _cut(text: str) -> str:
    text = " ".join(text[:300].split())
    return f"`{text[:77]}...`" if len(text) > 80 else f"`{text}`"


__all__ = ["Fault", "MatchRecord", "info", "play_match", "read_address", "send"]
