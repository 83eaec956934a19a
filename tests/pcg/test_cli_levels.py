"""Generating levels from the command line: what is left in the folder, on success, on Ctrl-C, and on a mistake."""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from run_folders import files
from typer.testing import CliRunner, Result

import pcg
from pcg.cli import app, options

Run = Callable[..., Result]
EVERYTHING = {
    "run.json",
    "config.toml",
    "events.jsonl",
    "checkpoint.json",
    "summary.json",
    "timing.jsonl",
    "report.html",
    "sheet.png",
    "best.gif",
    "game/game.vgdl",
    "levels/game.vgdl",
    "levels/index.json",
    "levels/lvl0.txt",
    "levels/lvl0.png",
}
SMALL = ("--generator", "evolve", "-n", "3", "--seed", "5", "--evaluations", "24")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return lambda *arguments: CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing interrupted, with one worker."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    result = CliRunner().invoke(app, ["levels", "boxes", *SMALL, "--workers", "1", "--out", str(folder)])
    assert result.exit_code == 0, result.output
    return folder


def test_a_run_leaves_levels_pictures_log_and_report(whole: Path) -> None:
    assert {p.relative_to(whole).as_posix() for p in whole.rglob("*")} >= EVERYTHING
    assert len((whole / "events.jsonl").read_text().splitlines()) == 24
    game = pcg.load(whole / "levels" / "game.vgdl")
    best = json.loads((whole / "levels" / "index.json").read_text())["levels"][0]
    state = game.start(level=0, seed=best["seed"])
    for action in best["actions"]:
        state.advance(action)
    assert state.winner == pcg.Outcome.PLAYER_WINS


def test_two_workers_make_the_same_files_as_one(run: Run, whole: Path, tmp_path: Path) -> None:
    assert run("levels", "boxes", *SMALL, "--workers", "2", "--out", "run").exit_code == 0
    assert files(tmp_path / "run") == files(whole)


@contextmanager
def ctrl_c_after(evaluations: int) -> Iterator[Callable[[Any], None]]:
    """In place of the progress bar: press Ctrl-C at some point."""

    def show(progress: Any) -> None:
        if progress.evaluations == evaluations:
            signal.raise_signal(signal.SIGINT)

    yield show


def test_ctrl_c_leaves_a_run_that_resume_completes_to_the_same_files(
    run: Run, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(options, "run_bar", lambda: ctrl_c_after(9))
        stopped = run("levels", "boxes", *SMALL, "--workers", "2", "--out", "run")
    assert stopped.exit_code == 130
    assert "`pcg resume run` goes on" in stopped.stderr
    assert len((tmp_path / "run" / "events.jsonl").read_text().splitlines()) < 24
    resumed = run("resume", "run", "--workers", "2")
    assert resumed.exit_code == 0
    assert files(tmp_path / "run") == files(whole)


def test_resuming_a_finished_run_changes_nothing(run: Run, whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path / "run")
    assert run("resume", "run").exit_code == 0
    assert files(tmp_path / "run") == files(whole)


def test_a_larger_budget_goes_on_from_the_levels_that_were_tried(run: Run, whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path / "run")
    assert run("resume", "run", "--evaluations", "30").exit_code == 0
    longer = (tmp_path / "run" / "events.jsonl").read_text().splitlines()
    assert len(longer) == 30
    assert longer[:24] == (whole / "events.jsonl").read_text().splitlines()


def test_a_folder_with_something_in_it_is_refused_and_left_alone(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("irreplaceable")
    result = run("levels", "boxes", *SMALL, "--out", "mine")
    assert result.exit_code == 2
    assert "mine" in result.stderr
    assert [p.name for p in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("population=9", "expected section.name=value"),
        ("generator.draft=9", "did you mean `drafts`"),
        ("generator.elites=many", "expected a whole number"),
        ("generatr.population=9", "did you mean [generator]"),
        ("evaluation.min_length=-4", "expected a whole number from 0"),
        ("run.distance=3", "expected a number from 0 to 1"),
    ],
)
def test_a_wrong_parameter_is_named_with_what_was_expected(
    run: Run, tmp_path: Path, setting: str, message: str
) -> None:
    result = run("levels", "boxes", "--evaluations", "4", "--out", "made", "--set", setting)
    assert result.exit_code == 2
    assert message in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_parameters_reach_the_run_and_its_manifest(run: Run, tmp_path: Path) -> None:
    arguments = ("--set", "evaluation.min_length=2000", "--set", "generator.max_width=9", "--set", "run.distance=0.2")
    result = run("levels", "boxes", "--generator", "random", "--evaluations", "4", "--out", "made", *arguments)
    assert result.exit_code == 1  # no level of boxes takes that long
    assert "the closest are in" in result.stderr
    manifest = json.loads((tmp_path / "made" / "run.json").read_text())
    assert manifest["evaluation"]["min_length"] == 2000
    assert manifest["generator"]["parameters"]["max_width"] == 9
    assert manifest["archive"]["distance"] == 0.2


def test_report_can_be_written_again_and_shown(
    run: Run, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(whole, tmp_path / "run")
    (tmp_path / "run" / "report.html").unlink()
    assert run("report", "run").output == "run/report.html\n"
    shown = []
    monkeypatch.setattr("pcg.cli.runs.show_run", lambda *place, **options: shown.append((place, options)))
    assert run("report", "run", "--open").output == "run/report.html\n"
    assert shown == [((Path("run"), "report"), {"open_browser": True, "host": "127.0.0.1", "port": None})]
    assert files(tmp_path / "run") == files(whole)
