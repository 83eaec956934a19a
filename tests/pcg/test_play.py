"""Playing in the terminal, on a real pseudo terminal: keys, the screen, and leaving it as it was."""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from pcg.engine.game import Game, load
from pcg.engine.state import State
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import Agent
from pcg.terminal import QUIT, RESTART, Played, Terminal, keys_in, play_terminal, screen

termios = pytest.importorskip("termios", reason="needs a POSIX terminal")

UP, DOWN, RIGHT, LEFT = b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D"
CORRIDOR = """
BasicGame
    SpriteSet
        wall > Immovable
        goal > Immovable
        mine > Immovable
        hero > MovingAvatar
    InteractionSet
        hero wall > stepBack
        goal hero > killSprite scoreChange=3
        hero mine > killSprite
    LevelMapping
        w > wall
        g > goal
        m > mine
        A > hero
    TerminationSet
        SpriteCounter stype=hero limit=0 win=False
        SpriteCounter stype=goal limit=0 win=True
"""


@pytest.fixture(scope="module")
def corridor() -> Game:
    return load(CORRIDOR, levels=["wwwwwww\nwm A gw\nwwwwwww\n"])


@dataclass
class Window:
    """The far end of a pseudo terminal: what a person types, and all that was painted."""

    master: int
    slave: int
    terminal: Terminal
    painted: bytearray = field(default_factory=bytearray)

    def type(self, keys: bytes) -> None:
        os.write(self.master, keys)

    def text(self) -> str:
        return self.painted.decode("utf-8", "replace")


@contextmanager
def window() -> Iterator[Window]:
    master, slave = os.openpty()
    with os.fdopen(slave, "w", encoding="utf-8", newline="", closefd=False) as out:
        opened = Window(master, slave, Terminal(stdin=slave, stdout=out))

        def read() -> None:
            while True:
                try:
                    data = os.read(master, 65536)
                except OSError:
                    return
                if not data:
                    return
                opened.painted.extend(data)

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        try:
            yield opened
        finally:
            out.flush()
            os.close(slave)
            reader.join(timeout=60)
            os.close(master)


def typing(opened: Window, keys: bytes) -> Terminal:
    """The window's terminal; `keys` are typed when the play waits for its first key."""
    read, left = opened.terminal.keys, [keys]

    def keys_read(timeout: float | None) -> list[str]:
        if left:
            opened.type(left.pop())
        return read(timeout)

    opened.terminal.keys = keys_read  # type: ignore[method-assign]
    return opened.terminal


def played_by_hand(game: Game, keys: bytes) -> tuple[Played, Window]:
    with window() as opened:
        result = play_terminal(game, 0, seed=1, terminal=typing(opened, keys))
    return result, opened


def test_keys_are_actions() -> None:
    assert keys_in(UP + LEFT + DOWN + RIGHT) == ["UP", "LEFT", "DOWN", "RIGHT"]
    assert keys_in(b"\x1bOA\x1bOD") == ["UP", "LEFT"]
    assert keys_in(b"wasdWASD .") == ["UP", "LEFT", "DOWN", "RIGHT"] * 2 + ["USE", "NIL"]
    assert keys_in(b"rq") == [RESTART, QUIT]


def test_keys_that_mean_nothing_are_left_out() -> None:
    assert keys_in(b"xyz" + b"\x1b[15~" + b"\x1b[1;5C" + b"\x1b[5~" + LEFT) == ["LEFT"]
    assert keys_in("é".encode()) == []


def test_escape_alone_quits() -> None:
    assert keys_in(b"\x1b") == [QUIT]


def test_a_person_plays_with_the_arrow_keys(corridor: Game) -> None:
    result, _ = played_by_hand(corridor, RIGHT + RIGHT + b"q")
    assert result == Played(("RIGHT", "RIGHT"), 3.0, 1, 1, True)


def test_a_key_that_is_no_action_of_the_game_takes_no_tick(corridor: Game) -> None:
    result, _ = played_by_hand(corridor, b" " + LEFT + b"q")
    assert result.actions == ("LEFT",)
    assert not result.finished


def test_r_starts_again(corridor: Game) -> None:
    result, _ = played_by_hand(corridor, LEFT + LEFT + b"r" + RIGHT + b"q")
    assert result == Played(("RIGHT",), 0.0, -1, 0, False)


def test_a_game_that_is_over_waits_for_r_or_q(corridor: Game) -> None:
    result, opened = played_by_hand(corridor, LEFT + LEFT + RIGHT + RIGHT + b"q")
    assert result == Played(("LEFT", "LEFT"), 0.0, 0, 1, True)
    assert "Lost." in opened.text()


def test_a_play_can_be_replayed_from_its_actions() -> None:
    hunt = load("hunt")
    result, _ = played_by_hand(hunt, RIGHT + UP + b"." + DOWN + RIGHT + b"q")
    state = hunt.start(level=0, seed=1)
    for action in result.actions:
        state.advance(action)
    assert (result.score, result.ticks) == (state.score, state.tick)
    assert result.actions == ("RIGHT", "UP", "NIL", "DOWN", "RIGHT")


def test_with_fps_time_passes_without_keys(corridor: Game) -> None:
    with window() as opened:
        result = play_terminal(corridor, 0, seed=1, fps=500, max_ticks=4, terminal=_quitting_when_over(opened))
    assert result.actions == ("NIL",) * 4


def _quitting_when_over(opened: Window) -> Terminal:
    """The window's terminal; q is typed as soon as the play waits for a key without a time limit."""
    read = opened.terminal.keys

    def keys(timeout: float | None) -> list[str]:
        if timeout is None:
            opened.type(b"q")
        return read(timeout)

    opened.terminal.keys = keys  # type: ignore[method-assign]
    return opened.terminal


def test_a_closed_keyboard_quits(corridor: Game) -> None:
    result, _ = played_by_hand(corridor, RIGHT + b"\x04")
    assert result.actions == ("RIGHT",)


def test_the_screen_shows_figures_picture_and_keys(corridor: Game) -> None:
    state = corridor.start(level=0, seed=1)
    text = screen(state, 0, (80, 24), "the note")
    assert "level 0   tick 0   score 0" in text
    assert text.endswith("the note")
    assert text.count("\n") + 1 <= 24


def test_the_screen_shows_what_the_avatar_holds() -> None:
    game = load("survival")
    assert "health 2" in screen(game.start(level=0, seed=1), 0, (80, 24), "")


@pytest.mark.parametrize("error", [None, KeyboardInterrupt, RuntimeError])
def test_the_terminal_is_left_as_it_was(corridor: Game, error: type[BaseException] | None) -> None:
    with window() as opened:
        before = termios.tcgetattr(opened.slave)
        during = []
        read = opened.terminal.keys

        def keys(timeout: float | None) -> list[str]:
            during.append(termios.tcgetattr(opened.slave))
            if error is not None:
                raise error("while playing")
            return read(timeout)

        opened.terminal.keys = keys  # type: ignore[method-assign]
        typing(opened, b"q")
        if error is RuntimeError:
            with pytest.raises(RuntimeError):
                play_terminal(corridor, 0, terminal=opened.terminal)
        else:
            play_terminal(corridor, 0, terminal=opened.terminal)
        assert termios.tcgetattr(opened.slave) == before
        assert during[0] != before
    text = opened.text()
    assert text.index("\x1b[?1049h") < text.rindex("\x1b[?1049l")
    assert text.index("\x1b[?25l") < text.rindex("\x1b[?25h")


def test_without_a_keyboard_a_person_cannot_play(corridor: Game) -> None:
    reader, writer = os.pipe()
    try:
        with pytest.raises(PcgError, match="standard input is none"):
            play_terminal(corridor, 0, terminal=Terminal(stdin=reader, stdout=io.StringIO()))
    finally:
        os.close(reader)
        os.close(writer)


def test_an_agent_is_shown_tick_by_tick(corridor: Game) -> None:
    with window() as opened:
        result = play_terminal(corridor, 0, agent=Rightwards(), delay=0, terminal=opened.terminal)
    assert result == Played(("RIGHT", "RIGHT"), 3.0, 1, 1, True)
    text = opened.text()
    assert "tick 0" in text
    assert "tick 1" in text
    assert "Won!" in text


def test_an_agent_plays_silently_when_nobody_watches(corridor: Game) -> None:
    out = io.StringIO()
    result = play_terminal(corridor, 0, agent=Rightwards(), terminal=Terminal(stdin=None, stdout=out))
    assert result.winner == 1
    assert out.getvalue() == ""


def test_an_agent_stops_at_the_bound(corridor: Game) -> None:
    result = play_terminal(corridor, 0, agent=Rightwards(), show=False, max_ticks=1)
    assert result == Played(("RIGHT",), 0.0, -1, 0, False)


def test_an_agent_sees_its_clock_and_hears_the_result(corridor: Game) -> None:
    heard: list[tuple[int, bool]] = []

    class Listening(Agent):
        def act(self, state: State) -> str:
            assert self.timer.budget == 40
            return "RIGHT"

        def result(self, state: State) -> None:
            heard.append((state.tick, state.is_over))

    play_terminal(corridor, 0, agent=Listening(budget="40ms"), show=False)
    assert heard == [(1, True)]


def test_a_game_for_two_is_refused() -> None:
    game = load(CORRIDOR.replace("BasicGame", "BasicGame no_players=2"), levels=["wwwwwww\nwm A gw\nwwAwwww\n"])
    with pytest.raises(PcgError, match="for 2 players"):
        play_terminal(game, 0, agent=Rightwards(), show=False)


def test_a_rate_of_nothing_is_refused(corridor: Game) -> None:
    with pytest.raises(PcgError, match="fps=0"):
        play_terminal(corridor, 0, fps=0)


class Rightwards:
    """An agent that has read the level."""

    def reset(self, state: object) -> None:
        pass

    def act(self, state: object) -> str:
        return "RIGHT"
