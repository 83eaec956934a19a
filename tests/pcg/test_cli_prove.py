"""`pcg prove` finds wins of levels and writes them as plays that `pcg play` replays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from benchmarks import provability
from pcg.cli import app

pytestmark = pytest.mark.kernel


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_a_win_that_was_written_is_replayed_by_play(tmp_path: Path) -> None:
    proved = run("prove", "dungeon", "0", "--budget", "300000calls", "--out", str(tmp_path))
    assert proved.exit_code == 0 and "won in" in proved.output
    played = run("play", "dungeon", "--agent", f"replay:file={tmp_path / '0.play'}", "--seed", "1")
    assert "won after" in played.output


def test_a_level_without_a_win_is_told_and_is_the_exit_code(tmp_path: Path) -> None:
    level = tmp_path / "shut.txt"
    level.write_text("wwwwww\nwA.w.w\nw..wgw\nwwwwww\n", encoding="utf-8")
    rules = tmp_path / "shut.vgdl"
    rules.write_text(
        "BasicGame\n    SpriteSet\n        hero > MovingAvatar\n        goal > Door\n    InteractionSet\n"
        "        hero wall > stepBack\n        goal hero > killSprite\n    LevelMapping\n        A > hero\n"
        "        g > goal\n    TerminationSet\n        SpriteCounter stype=goal limit=0 win=True\n",
        encoding="utf-8",
    )
    result = run("prove", str(rules), str(level), "--json")
    assert result.exit_code == 1
    assert json.loads(result.output) == [{"level": str(level), "won": False}]


def test_a_level_that_is_not_there_is_one_message() -> None:
    assert run("prove", "dungeon", "99").exit_code == 2


def attempt(game: str, level: int, won: bool, seconds: float = 0.5) -> provability.Attempt:
    method = "astar" if won else ""
    return provability.Attempt(game, level, 5.0, seconds, won, method, 100, 50, 9, level == 1, 1, "R", 1)


def test_results_are_kept_and_the_first_win_counts(tmp_path: Path) -> None:
    store = tmp_path / "results.jsonl"
    for one in (attempt("a/x", 0, False), attempt("a/x", 0, True), attempt("a/x", 0, False), attempt("a/y", 1, False)):
        provability.keep(store, one)
    with store.open("a", encoding="utf-8") as file:
        file.write('{"game": "a/z", "lev')  # cut off
    found = provability.stored(store)
    assert {key: one.won for key, one in found.items()} == {("a/x", 0): True, ("a/y", 1): False}
    provability.keep(store, attempt("a/z", 0, True))
    assert len(provability.stored(store)) == 3


def test_the_page_counts_levels_by_game_and_by_chance() -> None:
    attempts = {(one.game, one.level): one for one in (attempt("a/x", 0, True), attempt("a/x", 1, False))}
    page = provability.page(["a/x", "a/y"], attempts)
    assert "| all | 1 of 2 levels, 50.0%" in page and "| a/x | 1/2 | 1 | yes | `astar` | 0.5 s |" in page
    assert "Tried: 2 of 10 levels, 1 of 2 games" in page and "Not tried: a/y." in page


def test_levels_0_come_first() -> None:
    order = sorted([("a", 1), ("b", 0), ("a", 0), ("b", 2)], key=provability.place)
    assert {level for _, level in order[:2]} == {0}
