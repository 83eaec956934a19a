"""Wants from the command line to the report: achieved or missed, the same whatever happens on the way."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from pathlib import Path

import pytest
from run_folders import files
from typer.testing import CliRunner

from pcg.cli import app
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.report import write_report
from pcg.report.levels import wanted_levels
from pcg.runs import LevelProgress, LevelRun, resume, run_levels

CHEAP = {"nodes": 3000, "budget": 40, "planner_budget": 60, "max_length": 60, "weak_plays": 1, "min_length": 5}
WANT = "box=2, symmetry_horizontal>=0.3, solution_length=10..40"
EVOLVE = LevelRun(
    "boxes", generator="evolve", want=WANT, count=3, seed=7, evaluations=18, checkpoint=5,
    generator_parameters={"population": 8, "offspring": 6}, evaluation_parameters=CHEAP,
)  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "run"
    assert run_levels(EVOLVE, folder, workers=1).levels
    return folder


@pytest.mark.full
def test_wants_are_in_the_configuration_the_manifest_the_log_and_the_summary(whole: Path) -> None:
    assert tomllib.loads((whole / "config.toml").read_text())["run"]["want"] == WANT
    names = WANT.split(", ")
    assert json.loads((whole / "run.json").read_text())["wants"] == names
    for line in (whole / "events.jsonl").read_text().splitlines():
        event = json.loads(line)
        assert list(event["wants"]) == sorted(re.split("[=<>]", n)[0] for n in names)
        assert all(0 <= value <= 1 for value in event["wants"].values())
    levels = json.loads((whole / "levels" / "index.json").read_text())["levels"]
    summary = json.loads((whole / "summary.json").read_text())
    assert summary["all_wants"] == sum(all(v >= 1 for v in level["wants"].values()) for level in levels)
    assert [(w["want"], w["of"]) for w in summary["wants"]] == [(n, len(levels)) for n in names]
    for entry in summary["wants"]:
        name = re.split("[=<>]", entry["want"])[0]
        assert entry["achieved"] == sum(level["wants"][name] >= 1 for level in levels)


def test_levels_that_achieve_everything_come_first(whole: Path) -> None:
    levels = json.loads((whole / "levels" / "index.json").read_text())["levels"]
    achieved = [all(v >= 1 for v in level["wants"].values()) for level in levels]
    assert achieved == sorted(achieved, reverse=True)
    for level, all_of_it in zip(levels, achieved, strict=True):
        assert (level["fitness"] >= 0.5) == all_of_it
        if level["wants"]["box"] >= 1:
            text = (whole / "levels" / level["file"]).read_text()
            assert text.count("b") == 2 == level["metrics"]["box"]


def test_a_run_with_wants_that_was_stopped_goes_on_to_the_same_files(whole: Path, tmp_path: Path) -> None:
    def stop(progress: LevelProgress) -> None:
        if progress.evaluations == 12:
            raise KeyboardInterrupt

    assert run_levels(EVOLVE, tmp_path / "run", workers=2, progress=stop).stopped == "interrupted"
    resume(tmp_path / "run", workers=2)
    assert files(tmp_path / "run") == files(whole)


def test_generators_that_do_not_learn_go_on_until_enough_levels_achieve_everything(tmp_path: Path) -> None:
    asked = LevelRun("boxes", generator="constructive", want="box=2, symmetry_horizontal>=0.3", count=2, seed=1,
                     evaluations=200, evaluation_parameters=CHEAP)  # fmt: skip
    result = run_levels(asked, tmp_path / "run", workers=2)
    assert result.stopped == "enough"
    assert all(v >= 1 for entry in result.levels for v in entry.evaluation.targets.values())


def test_the_report_says_of_each_level_what_it_achieves(whole: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(whole, tmp_path / "run"))
    page = write_report(folder).read_text()
    levels = json.loads((folder / "levels" / "index.json").read_text())["levels"]
    assert "What was wanted" in page and "box=2" in page and "solution_length=10..40" in page
    table = wanted_levels(json.loads((folder / "run.json").read_text()), levels)
    assert [w.text for w in table] == WANT.split(", ")
    marks = [mark for w in table for _, mark in w.cells]
    assert page.count('<td class="achieved">') == sum(marks)
    assert page.count('<td class="missed">') == len(marks) - sum(marks)
    assert "--want &#39;box=2, symmetry_horizontal&gt;=0.3, solution_length=10..40&#39;" in page


def test_reports_of_runs_without_wants_say_nothing_of_them(tmp_path: Path) -> None:
    run = LevelRun("boxes", generator="constructive", count=1, seed=1, evaluations=10, evaluation_parameters=CHEAP)
    run_levels(run, tmp_path / "run", workers=2)
    assert "What was wanted" not in write_report(tmp_path / "run").read_text()
    assert "wants" not in json.loads((tmp_path / "run" / "summary.json").read_text())


@pytest.mark.parametrize(
    ("want", "message"),
    [
        ("boxx=2", "did you mean `box`"),
        ("box=2, box=3", "contradicts"),
        ("mark=3, box=2", "no level of this game"),
        ("enemies=1", "this game has no enemies"),
    ],
)
def test_impossible_wants_are_one_error_before_anything_is_written(tmp_path: Path, want: str, message: str) -> None:
    out = tmp_path / "run"
    result = CliRunner().invoke(app, ["levels", "boxes", "--want", want, "--evaluations", "5", "--out", str(out)])
    assert result.exit_code == 2
    assert message in result.output and "Traceback" not in result.output
    assert not out.exists()
    with pytest.raises(PcgError, match=message):
        run_levels(LevelRun("boxes", want=want, evaluations=5), out)


def test_the_terminal_says_which_levels_miss_what(tmp_path: Path) -> None:
    out = tmp_path / "run"
    given = ["--want", "box=2", "--want", "solution_length>=300", "--set", "evaluation.max_length=60"]
    result = CliRunner().invoke(
        app,
        ["levels", "boxes", "--generator", "constructive", "-n", "2", "--evaluations", "10", *given, "--out", str(out)],
    )
    assert result.exit_code == 2  # longer than plays may last
    assert "`solution_length>=300` contradicts the evaluation's parameter max_length, which is 60" in result.output
    given = ["--want", "box=2", "--want", "symmetry_both>=0.95"]
    settings = [part for name, value in CHEAP.items() for part in ("--set", f"evaluation.{name}={value}")]
    result = CliRunner().invoke(
        app,
        [
            "levels",
            "boxes",
            "--generator",
            "constructive",
            "-n",
            "2",
            "--evaluations",
            "16",
            *given,
            *settings,
            "--out",
            str(out),
        ],
    )
    assert result.exit_code == 0, result.output
    assert re.search(r"wants: 0 of 2 levels achieve all", result.output)
    assert re.search(r"  box=2: 2 of 2, achieved by all", result.output)
    assert re.search(r"  symmetry_both>=0.95: 0 of 2, missed by lvl0 0\.?\d*, lvl1 0\.?\d*", result.output)
