"""`pcg connectx` lets agents play, counts who wins, and refuses what cannot be played."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from pcg.cli import app
from pcg.connectx import BUILT_IN


def run(*arguments: str, typed: str | None = None) -> Result:
    return CliRunner().invoke(app, ["connectx", *arguments], input=typed)


def test_an_episode_is_shown_and_repeats_with_its_seed() -> None:
    first, second = (run("run", "negamax", "random", "--seed", "1") for _ in range(2))
    assert first.exit_code == 0, first.output
    assert first.output == second.output
    assert "negamax (1) has won" in first.output


def test_an_episode_is_saved_as_a_page_or_as_data(tmp_path: Path) -> None:
    page = run("run", "onestep", "leftmost", "--render", "html", "-o", str(tmp_path / "a.html"), "--seed", "2")
    assert page.exit_code == 0
    assert "saved" in page.output and "has won" in page.output
    assert (tmp_path / "a.html").read_text().startswith("<!doctype html>")
    data = json.loads(run("run", "middle", "leftmost", "--render", "json", "--rows", "4", "--inarow", "3").output)
    assert data["configuration"]["rows"] == 4
    assert data["statuses"] == ["DONE", "DONE"]
    assert run("run", "middle", "leftmost", "--render", "none").output == ""


def test_a_file_plays_and_its_faults_are_told(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def agent():\n    print('thinking')\n    return 'left'\n")
    shown = run("run", str(file), "random", "--debug")
    assert shown.exit_code == 0
    assert "mine (1): INVALID, 'left' is no whole number, expected a column from 0 to 6" in shown.output
    assert "thinking" in shown.output
    assert "thinking" not in run("run", str(file), "random").output
    slow = tmp_path / "slow.py"
    slow.write_text("import time\ndef agent():\n    time.sleep(60)\n")
    late = run("run", "random", str(slow), "--act-timeout", "0.1", "--agent-timeout", "0")
    assert "slow (2): TIMEOUT" in late.output


def test_many_episodes_are_counted() -> None:
    result = run("evaluate", "onestep", "random", "-n", "10", "--seed", "1", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.output)
    assert found["episodes"] == 10
    assert found["agents"][0]["wins"] + found["agents"][1]["wins"] + found["draws"] == 10
    low, high = found["agents"][0]["interval"]
    assert 0 <= low <= found["agents"][0]["share"] <= high <= 1
    table = run("evaluate", "onestep", "random", "-n", "4", "--seed", "1")
    assert "95 % interval" in table.output and "4 episodes" in table.output


def test_a_person_plays() -> None:
    lost = run("play", "leftmost", "--second", "--seed", "1", typed="6\n5\n9\nx\n6\n")
    assert lost.exit_code == 0
    assert "expected one of 0 1 2 3 4 5 6, or q" in lost.output
    assert "leftmost (1) has won" in lost.output
    assert "you gave up" in run("play", "random", typed="q\n").output
    assert "you gave up" in run("play", "random", typed="").output


def test_the_agents_are_listed() -> None:
    listed = run("agents")
    assert listed.exit_code == 0
    assert all(name in listed.output for name in BUILT_IN)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "negamx", "random"), "no agent `negamx`, did you mean `negamax`?"),
        (("run", "nowhere.py", "random"), "no agent file `nowhere.py`"),
        (("run", "nstep:depth=0", "random"), "parameter `depth` is '0'"),
        (("run", "random", "random", "--inarow", "8"), "inarow is 8, but no line"),
        (("run", "random", "random", "--columns", "0"), "`columns` is 0"),
        (("run", "random", "random", "--act-timeout", "-1"), "`actTimeout` is -1.0"),
        (("run", "random", "random", "--render", "none", "-o", "x"), "--out needs something to write"),
        (("run", "random", "random", "--render", "html", "-o", "no/such/folder/x.html"), "cannot use"),
        (("evaluate", "random", "rndom"), "did you mean `random`?"),
    ],
)
def test_bad_input_is_told_in_one_line(arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.output
    assert "Traceback" not in result.output
