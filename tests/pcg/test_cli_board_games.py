"""Board games by name: loading, listing and playing them, and what commands for VGDL games say of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import pcg
from pcg.cli import app
from pcg.engine.game import builtin_games, builtin_sheets
from pcg.engine.gdl import GdlGame
from pcg.engine.vgdl.diagnostics import PcgError

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in an empty folder; returns what it printed and its exit code."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return lambda *arguments: CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)


def test_a_board_game_is_loaded_by_its_name() -> None:
    game = pcg.load("connect-four")
    assert isinstance(game, GdlGame) and game.name == "connect-four" and game.roles == ("red", "yellow")
    assert not set(builtin_sheets()) & set(builtin_games())


def test_a_name_that_is_nearly_right_is_told() -> None:
    with pytest.raises(PcgError, match="did you mean `connect-four`"):
        pcg.load("conect-four")


def test_board_games_are_listed(run) -> None:
    output = run("games").output
    assert all(name in output for name in builtin_sheets())


def test_agents_play_board_games(run) -> None:
    result = run("play", "nim", "--agent", "uct;random", "--budget", "200calls", "--show")
    assert result.exit_code == 0
    assert "(take " in result.output and "first (uct): " in result.output and "second (random): " in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("play", "nim"), "a board game is played by agents"),
        (("play", "nim", "--agent", "uct;uct;uct"), "3 agents for nim, expected at most 2"),
        (("render", "nim"), "is a board game"),
        (("describe", "nim"), "is a board game"),
        (("tournament", "--games", "nim", "--agents", "uct", "--out", "x"), "nim is for two players"),
    ],
)
def test_what_is_not_for_board_games_says_so(run, arguments, message) -> None:
    result = run(*arguments)
    assert result.exit_code == 2 and message in result.output
    assert "Traceback" not in result.output
