"""Playing in the terminal: a person at the keyboard, or an agent to watch.

The state is painted with `render_ansi` on the alternate screen, as large as the window allows. A person's play is turn
based (the game waits for a key) unless `fps` is given. The terminal is put back as it was however the play ends.
"""

from __future__ import annotations

import os
import select
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TextIO

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.render.terminal import LETTER_VIEW, fitting_cell, legend, render_ansi

if TYPE_CHECKING:
    from pcg.engine.game import Game
    from pcg.engine.state import State

QUIT = "QUIT"
RESTART = "RESTART"

KEYS: dict[bytes, str] = {
    b"\x1b[A": "UP", b"\x1b[B": "DOWN", b"\x1b[C": "RIGHT", b"\x1b[D": "LEFT",
    b"\x1bOA": "UP", b"\x1bOB": "DOWN", b"\x1bOC": "RIGHT", b"\x1bOD": "LEFT",
    b"w": "UP", b"a": "LEFT", b"s": "DOWN", b"d": "RIGHT", b" ": "USE", b".": "NIL", b"\r": "NIL", b"\n": "NIL",
    b"r": RESTART, b"q": QUIT, b"\x03": QUIT, b"\x04": QUIT, b"\x1b": QUIT,
}  # fmt: skip
"""Bytes that a terminal sends for a key -> an action, RESTART or QUIT. Letters in either case."""

HELP = "arrows or WASD move   space uses   . waits   r restarts   q quits"
_BARE_ESCAPE_S = 0.05
"""Seconds after an escape byte within which the rest of an arrow key may arrive."""

_CLEAR = 8
"""Width of a cell, in columns, from which on tiles tell more than signs with a legend."""

_ENTER = "\x1b[?1049h\x1b[?25l\x1b[2J"
_LEAVE = "\x1b[0m\x1b[?25h\x1b[?1049l"


class Acts(Protocol):
    """The part of an agent that playing needs (`pcg.evaluators.agents.Agent` has it)."""

    def reset(self, state: State) -> None:
        """Get ready for a play from `state`."""

    def act(self, state: State) -> str | None:
        """The action to take in `state`; None is doing nothing."""


@dataclass(frozen=True, slots=True)
class Played:
    """The outcome of a play in the terminal; `actions` replay it from the same level and seed."""

    actions: tuple[str, ...]
    score: float
    winner: int
    """-1 nobody (yet), 0 lost, 1 won: `Outcome` of the engine."""
    ticks: int
    finished: bool
    """False when it was quit or cut off before the game ended."""


def keys_in(data: bytes) -> list[str]:
    """The meanings of the keys in what a terminal sent, unknown keys left out."""
    found = []
    at = 0
    while at < len(data):
        for length in (3, 1):
            piece = data[at : at + length]
            meaning = KEYS.get(piece.lower() if length == 1 else piece)
            if meaning is not None and not (piece == b"\x1b" and data[at + 1 : at + 2] in (b"[", b"O")):
                found.append(meaning)
                at += length
                break
        else:
            at += _length_of_unknown(data, at)
    return found


def _length_of_unknown(data: bytes, at: int) -> int:
    """Return the number of bytes to skip: a whole escape sequence (F keys, Page Up), or one byte."""
    if data[at : at + 2] not in (b"\x1b[", b"\x1bO"):
        return 1
    end = at + 2
    while end < len(data) and not 0x40 <= data[end] <= 0x7E:
        end += 1
    return min(end + 1, len(data)) - at


class Terminal:
    """A screen to paint on and, with `keyboard`, keys read one by one without waiting for Enter.

    `stdin` and `stdout` default to the process's own. Use `opened` around a play: it restores everything.
    """

    def __init__(self, stdin: int | None = None, stdout: TextIO | None = None) -> None:
        self.stdin = sys.stdin.fileno() if stdin is None and _has_descriptor(sys.stdin) else stdin
        self.stdout = sys.stdout if stdout is None else stdout

    def has_screen(self) -> bool:
        """Return True if the output can be repainted."""
        return self.stdout.isatty()

    @contextmanager
    def opened(self, keyboard: bool) -> Iterator[None]:
        """The alternate screen without cursor and, with `keyboard`, unbuffered keys, until the block ends."""
        with self._unbuffered_keys() if keyboard else _nothing():
            screen = self.has_screen()
            try:
                if screen:
                    self._write(_ENTER)
                yield
            finally:
                if screen:
                    self._write(_LEAVE)

    @contextmanager
    def _unbuffered_keys(self) -> Iterator[None]:
        try:
            import termios
            import tty
        except ImportError as error:
            raise PcgError("playing by keyboard needs a POSIX terminal; give an agent to watch instead") from error
        if self.stdin is None or not os.isatty(self.stdin):
            raise PcgError(
                "playing by keyboard needs a terminal, but standard input is none; give an agent to watch instead"
            )
        before = termios.tcgetattr(self.stdin)
        try:
            tty.setcbreak(self.stdin, termios.TCSADRAIN)  # keeps what was typed while the kernels compiled
            yield
        finally:
            termios.tcsetattr(self.stdin, termios.TCSADRAIN, before)

    def keys(self, timeout: float | None) -> list[str]:
        """The keys pressed since the last call, waiting up to `timeout` seconds (None: for ever) for the first.

        A closed input reads as QUIT.
        """
        assert self.stdin is not None
        if not select.select([self.stdin], [], [], timeout)[0]:
            return []
        data = _read(self.stdin)
        if data.endswith(b"\x1b") and select.select([self.stdin], [], [], _BARE_ESCAPE_S)[0]:
            data += _read(self.stdin)
        return keys_in(data) if data else [QUIT]

    def paint(self, text: str) -> None:
        """Replace what is on the screen."""
        self._write("\x1b[H" + text.replace("\n", "\x1b[K\r\n") + "\x1b[K\x1b[J")

    def size(self) -> tuple[int, int]:
        """Columns and lines."""
        try:
            size = os.get_terminal_size(self.stdout.fileno())
        except (OSError, ValueError, AttributeError):
            size = shutil.get_terminal_size()
        return size.columns or 80, size.lines or 24

    def _write(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()


def _has_descriptor(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.fileno() >= 0
    except (OSError, ValueError):
        return False


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 1024)
    except OSError:  # the other end of a pseudo terminal is gone
        return b""


@contextmanager
def _nothing() -> Iterator[None]:
    yield


def play_terminal(
    game: Game,
    level: int | str | Path = 0,
    *,
    agent: Acts | None = None,
    seed: int = 0,
    delay: float = 0.1,
    fps: float | None = None,
    show: bool = True,
    max_ticks: int = 2000,
    terminal: Terminal | None = None,
) -> Played:
    """Play one level in the terminal and say how it went.

    Without `agent` a person plays: turn based, or `fps` ticks a second. With `agent` the agent plays, shown with
    `delay` seconds between ticks, or silently with `show=False` (or when the output is no terminal). Raises PcgError
    when a person is to play and standard input is no terminal, and for games of two players.
    """
    terminal = terminal or Terminal()
    if fps is not None and fps <= 0:
        raise PcgError(f"fps={fps}: expected more than 0 ticks a second")
    if game.players != 1:
        raise PcgError(f"{game.name} is for {game.players} players; the terminal plays games for one")
    if agent is not None:
        return _watch(game, level, agent, seed, delay if show and terminal.has_screen() else None, max_ticks, terminal)
    return _by_hand(game, level, seed, fps, max_ticks, terminal)


def _watch(
    game: Game,
    level: int | str | Path,
    agent: Acts,
    seed: int,
    delay: float | None,
    max_ticks: int,
    terminal: Terminal,
) -> Played:
    """An agent's play; `delay` None shows nothing."""
    from pcg.evaluators.agents.base import Agent, decision_timer

    state = game.start(level=level, seed=seed)
    actions: list[str] = []
    agent.reset(state)
    with terminal.opened(keyboard=False) if delay is not None else _nothing():
        try:
            while not state.is_over and len(actions) < max_ticks:
                if delay is not None:
                    terminal.paint(screen(state, level, terminal.size(), "Ctrl-C stops"))
                    time.sleep(delay)
                if isinstance(agent, Agent):
                    agent.timer = decision_timer(agent)
                actions.append(agent.act(state) or "NIL")
                state.advance(actions[-1])
            if isinstance(agent, Agent):
                agent.result(state.copy())
            if delay is not None:
                terminal.paint(screen(state, level, terminal.size(), _verdict(state)))
                time.sleep(max(delay, 1.0))
        except KeyboardInterrupt:
            if delay is None:
                raise
    return _played(state, actions)


def _by_hand(
    game: Game, level: int | str | Path, seed: int, fps: float | None, max_ticks: int, terminal: Terminal
) -> Played:
    """A person's play: until q, or a key after the end."""
    state = game.start(level=level, seed=seed)
    actions: list[str] = []
    keys: list[str] = []
    with terminal.opened(keyboard=True):
        try:
            while True:
                over = state.is_over or len(actions) >= max_ticks
                note = f"{_verdict(state)}   r restarts   q quits" if over else HELP
                terminal.paint(screen(state, level, terminal.size(), note))
                keys = keys or _next_keys(terminal, None if over else fps)
                key = keys.pop(0) if keys else ""
                if key == QUIT:
                    return _played(state, actions)
                if key == RESTART:
                    state, actions = game.start(level=level, seed=seed), []
                elif not over and (key == "NIL" or key in state.actions):
                    actions.append(key)
                    state.advance(key)
        except KeyboardInterrupt:
            return _played(state, actions)


def _next_keys(terminal: Terminal, fps: float | None) -> list[str]:
    """The keys to act on: all that were pressed, or at `fps` the last one of the frame (NIL when there is none)."""
    if fps is None:
        return terminal.keys(None)
    pressed: list[str] = []
    end = time.monotonic() + 1 / fps
    while (left := end - time.monotonic()) > 0:
        new = terminal.keys(left)
        pressed += new
        if QUIT in new or RESTART in new:
            break
    for key in (QUIT, RESTART):
        if key in pressed:
            return [key]
    return pressed[-1:] or ["NIL"]


def screen(state: State, level: int | str | Path, size: tuple[int, int], note: str) -> str:
    """One frame of at most `size` (columns, lines): figures, the picture, a legend of its signs, a line with `note`.

    The picture is as large as the size allows. A level that does not fit even as letters is shown around the avatar.
    """
    columns, lines = size
    name = f"level {level}" if isinstance(level, int) else level.name if isinstance(level, Path) else "level"
    figures = f"{state.game.name}  {name}   tick {state.tick + 1}   score {state.score:g}"
    avatar = state.avatar
    if avatar is not None:
        if avatar.health:
            figures += f"   health {avatar.health}"
        figures += "".join(f"   {kind} {amount}" for kind, amount in sorted(avatar.resources.items()) if amount)
    cell = fitting_cell(state, columns, lines - 4)
    if cell >= _CLEAR:
        return f"\x1b[0m{figures[:columns]}\n\n{render_ansi(state, cell=cell)}\n\n{note[:columns]}"
    signs = wrapped_legend(state, columns)[: max(0, min(3, lines - 3 - 5))]
    view = _view(state, columns // LETTER_VIEW, max(1, lines - 2 - len(signs)))
    picture = render_ansi(state, window=view)
    gap = "\n" if lines - 2 - len(signs) - view[3] >= 2 else ""
    return "\n".join([f"\x1b[0m{figures[:columns]}{gap}", f"{picture}{gap}", *signs, note[:columns]])


def wrapped_legend(state: State, columns: int) -> list[str]:
    """Return the lines of a legend of the letter view, each of at most so many columns."""
    rows: list[str] = []
    for sign, name in legend(state):
        entry = f"{sign} {name}"[:columns]
        if rows and len(rows[-1]) + 3 + len(entry) <= columns:
            rows[-1] += f"   {entry}"
        else:
            rows.append(entry)
    return rows


def _view(state: State, columns: int, rows: int) -> tuple[int, int, int, int]:
    """Return the part of a level (column, row, columns, rows) that is shown: all, or what is around the avatar."""
    avatar = state.avatar[0] if isinstance(state.avatar, tuple) else state.avatar
    at = (0, 0) if avatar is None else (avatar.x // state.block_size, avatar.y // state.block_size)
    columns, rows = min(columns, state.width), min(rows, state.height)
    left = max(0, min(at[0] - columns // 2, state.width - columns))
    top = max(0, min(at[1] - rows // 2, state.height - rows))
    return left, top, columns, rows


def _verdict(state: State) -> str:
    return {0: "Lost.", 1: "Won!"}.get(int(state.winner), "Over.")


def _played(state: State, actions: list[str]) -> Played:
    return Played(tuple(actions), state.score, int(state.winner), state.tick, state.is_over)
