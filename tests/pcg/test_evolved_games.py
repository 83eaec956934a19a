"""The shelf of evolved games: each reads without a warning, is as small as it can be, and replays its stored wins."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pcg.cli import app
from pcg.engine.game import builtin_games, evolved_games, load
from pcg.engine.vgdl import check_game, check_level, read_game
from pcg.evaluators.judging.concepts import GOALS
from pcg.evaluators.judging.games import judge_game
from pcg.minimise import minimise

GAMES = evolved_games()
ACTIONS = {"N": "NIL", "U": "UP", "L": "LEFT", "D": "DOWN", "R": "RIGHT", "S": "USE"}
SHORTEST = 20
PAGE = Path(__file__).parents[2] / "docs" / "gallery-games.md"


def read(name: str, file: str) -> Any:
    return json.loads((GAMES[name] / file).read_text(encoding="utf-8"))


def test_the_shelf_has_games_of_several_kinds_and_names_of_their_own() -> None:
    assert len(GAMES) >= 20 and not set(GAMES) & set(builtin_games())
    assert len({read(name, "provenance.json")["goal"] for name in GAMES}) >= 5


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("reading", ["strict", "gvgai"])
def test_an_evolved_game_reads_without_a_warning(name: str, reading: str) -> None:
    assert check_game(GAMES[name] / "game.vgdl", reading=reading) == []
    game = load(name)
    assert 2 <= len(game.levels) <= 5
    definition = read_game(GAMES[name] / "game.vgdl")
    for level in game.levels:
        assert check_level(level, definition, reading=reading) == []


@pytest.mark.parametrize("name", GAMES)
def test_every_level_has_a_stored_win_that_takes_a_while(name: str) -> None:
    game = load(name)
    plays = read(name, "replays.json")["plays"]
    assert [play["level"] for play in plays] == list(range(len(game.levels)))
    for play in plays:
        state = game.start(play["level"], play["seed"])
        for letter in play["actions"]:
            assert not state.is_over
            state.advance(ACTIONS[letter])
        assert state.is_over and [int(state.winner)] == play["winner"] == [1]
        assert [state.score] == play["score"] and state.tick == play["ticks"]
        assert len(play["actions"]) >= SHORTEST


@pytest.mark.parametrize("name", GAMES)
def test_an_evolved_game_says_where_it_comes_from(name: str) -> None:
    about = read(name, "provenance.json")
    assert about["command"].startswith(f"pcg rules {about['sprites']} ") and about["sprites"] in builtin_games()
    assert about["goal"] in GOALS and len(about["revision"]) == 40 and about["problem"] == ""
    assert (about["random_wins"] or 0.0) <= 0.3
    first = (GAMES[name] / "game.vgdl").read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith(f"# {about['title']}: ")
    page = PAGE.read_text(encoding="utf-8")
    assert f"## {name}\n" in page and about["pitch"] in page
    assert (PAGE.parent / "images" / "games" / f"{name}.png").is_file()


@pytest.mark.full
@pytest.mark.parametrize("name", GAMES)
def test_nothing_is_left_to_remove(name: str) -> None:
    game = load(name)
    found = minimise(game)
    assert not found.removed, [str(part) for part in found.removed]


@pytest.mark.full
@pytest.mark.parametrize("name", GAMES)
def test_the_judge_finds_no_fault(name: str) -> None:
    verdict = judge_game(load(name), seed=1, effort=0.2)
    assert verdict.feasible, verdict.problem


def test_evolved_games_are_listed() -> None:
    listed = CliRunner().invoke(app, ["games"]).output
    assert all(name in listed for name in GAMES)
    things = CliRunner().invoke(app, ["list", "games"]).output
    assert all(name in things for name in GAMES)
