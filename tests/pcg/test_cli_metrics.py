"""`pcg metrics` lists what can be measured; `pcg measure` measures level files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from pcg.cli import app
from pcg.engine.game import load
from pcg.evaluators.metrics import METRICS


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_metrics_are_listed_with_range_and_source() -> None:
    result = run("metrics")
    assert result.exit_code == 0
    assert all(name in result.output for name in METRICS)
    assert "Smith, Whitehead" in result.output and "0..1" in result.output


def test_with_a_game_its_sprites_and_rules_are_listed_too() -> None:
    listed = json.loads(run("metrics", "dungeon", "--json").output)
    assert [m["name"] for m in listed["metrics"]] == list(METRICS)
    assert {"bat", "monster", "coin"} <= set(listed["sprites"]) and "knife" not in listed["sprites"]
    assert {"name": "mechanic.hero.wall.stepBack", "rule": "hero wall > stepBack"} in listed["mechanics"]
    assert "mechanic.hero.wall.stepBack" in run("metrics", "dungeon").output


def test_levels_are_measured_by_number_and_by_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text(load("boxes").levels[1])
    result = run("measure", "boxes", "0", str(file), "--want", "box=2", "--distances", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.output)
    again = json.loads(run("measure", "boxes", "1", "--json").output)
    first, second = found["levels"]
    assert second["metrics"].items() >= again["levels"][0]["metrics"].items()
    assert first["wants"].keys() == {"box"} and first["mechanics"]
    assert found["scores"].keys() == {"quality", "diversity", "controllability"}
    assert found["distances"]["edit_distance"][0][0] == 0 < found["distances"]["edit_distance"][0][1]
    assert found["distances"]["level_distance"][0][1] == found["distances"]["level_distance"][1][0]


def test_agents_can_be_compared_on_a_level() -> None:
    result = run("measure", "boxes", "0", "--agents", "nothing,random", "--plays", "2", "--json")
    profile = json.loads(result.output)["levels"][0]["profile"]
    assert [a["agent"] for a in profile["agents"]] == ["nothing", "random"]
    table = run("measure", "boxes", "0", "--agents", "nothing,random", "--plays", "2").output
    assert "solution_length" in table and "gap" in table and "0 of 2" in table and "quality 100%" in table


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("boxes", "9"), "no level 9"),
        (("boxes", "nowhere.txt"), "nowhere.txt"),
        (("boxes", "{bad}"), "bad.txt:1:2: error: the character `?` is not mapped"),
        (("boxes", "0", "--want", "boxx=1"), "did you mean `box`"),
        (("boxes", "0", "--agents", "randon"), "unknown agent `randon`"),
        (("boxxes", "0"), "did you mean `boxes`"),
        (("duel", "0"), "2 players"),
    ],
)
def test_mistakes_are_one_message(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text("w?w\n")
    result = run("measure", *(a.format(bad=bad) for a in arguments))
    assert result.exit_code == 2
    assert message in result.output and "Traceback" not in result.output


def test_the_judgement_is_explained_part_by_part() -> None:
    plain = json.loads(run("measure", "boxes", "0", "--json").output)["levels"][0]
    (found,) = json.loads(run("measure", "boxes", "0", "--explain", "--json").output)["levels"]
    assert found["feasible"] and found["fitness"] == plain["fitness"] == found["metrics"]["quality"]
    assert "parts" not in plain and found["problem"] == ""
    assert all(part["sentence"] and 0 <= part["value"] <= 1 for part in found["parts"].values())
    shown = run("measure", "boxes", "0", "--explain").output
    assert "what the judge says" in shown and all(name in shown for name in found["parts"])
