"""`--json` of the commands that make runs: one object on standard output, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from pcg.cli import app

Json = Callable[..., dict[str, Any]]


def invoke(*words: str) -> Result:
    return CliRunner().invoke(app, list(words), catch_exceptions=False)


@pytest.fixture
def told(tmp_path: Path) -> Json:
    def run(*words: str, code: int = 0) -> dict[str, Any]:
        done = invoke(*words, "--json")
        assert done.exit_code == code, done.output
        data: dict[str, Any] = json.loads(done.stdout)
        assert Path(data["report"]).is_file()
        return data

    return run


def test_levels_and_their_continuation_are_told_as_json(told: Json, tmp_path: Path) -> None:
    folder = str(tmp_path / "run")
    made = told("levels", "boxes", "--generator", "random", "-n", "1", "--evaluations", "2", "--out", folder, code=1)
    assert (made["kind"], made["seed"], made["folder"]) == ("levels", 1, folder)
    assert made["summary"]["evaluations"] == 2 and made["levels"] == []
    more = told("resume", folder, "--evaluations", "3")
    assert more["summary"]["evaluations"] == 3 and [level["file"] for level in more["levels"]] == ["lvl0.txt"]
    refused = CliRunner().invoke(app, ["levels", "boxes", "--evaluations", "6", "--out", folder, "--json"])
    assert refused.exit_code != 0 and refused.stdout == "", "an error is no result"


def test_rules_tuning_and_tournaments_are_told_as_json(told: Json, tmp_path: Path) -> None:
    rules = told(
        "rules", "boxes", "--generator", "random", "--evaluations", "3", "--out", str(tmp_path / "rules"), code=1
    )
    assert rules["kind"] == "rules" and rules["summary"]["evaluations"] == 3 and rules["games"] == []
    played = told(
        "tournament", "--games", "boxes", "--agents", "random", "--agents", "nothing", "--levels", "0",
        "--repeats", "1",
        "--budget", "5calls", "--max-ticks", "20", "--out", str(tmp_path / "t"),
    )  # fmt: skip
    assert played["kind"] == "tournament" and {row["agent"] for row in played["standings"]} == {"random", "nothing"}
    assert all(isinstance(row["plays"], int) for row in played["standings"])
