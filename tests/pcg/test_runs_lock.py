"""One process at a time writes to the folder of a run; the next may go on as soon as it ended, however it ended."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from run_folders import files
from typer.testing import CliRunner

from pcg.cli import app
from pcg.engine.vgdl import PcgError
from pcg.runs import EXPERIMENTS, LevelRun, resume, run_levels
from pcg.runs.lock import lock_run, new_run

RUN = LevelRun(
    "boxes", generator="evolve", count=3, seed=7, evaluations=24, checkpoint=5,
    generator_parameters={"population": 8, "offspring": 6},
    evaluation_parameters={"nodes": 300, "budget": 8, "planner_budget": 20, "max_length": 25, "weak_plays": 1,
                           "min_length": 2, "survival": 5, "start": 1},
)  # fmt: skip
WAITS = """
import sys
from pcg.runs import LevelRun, run_levels

def progress(state):
    if state.evaluations == 9:
        print("ready", flush=True)
        sys.stdin.read()

run_levels(LevelRun.read(sys.argv[1]), sys.argv[2], workers=1, progress=progress)
"""


@pytest.mark.full
def test_a_second_process_is_refused_until_the_first_is_killed(tmp_path: Path) -> None:
    whole, folder = tmp_path / "whole", tmp_path / "run"
    run_levels(RUN, whole, workers=1)
    (tmp_path / "config.toml").write_text(RUN.to_toml())
    first = subprocess.Popen(
        [sys.executable, "-c", WAITS, str(tmp_path / "config.toml"), str(folder)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert first.stdout is not None
        assert first.stdout.readline() == "ready\n"
        before = files(folder)
        second = [sys.executable, "-c", "from pcg.cli import main; main()", "resume", str(folder)]
        refused = subprocess.run(second, capture_output=True, text=True, check=False)
        assert refused.returncode == 2
        assert refused.stderr.startswith(f"pcg: another process is writing the run in {folder}")
        assert "Traceback" not in refused.stderr
        assert files(folder) == before, "who was refused has written nothing"
        with pytest.raises(PcgError, match="holds a run already"):
            run_levels(RUN, folder)
    finally:
        first.send_signal(signal.SIGKILL)
        first.communicate()
    assert resume(folder, workers=1).stopped == "evaluations"
    assert files(folder) == files(whole)


@pytest.mark.parametrize("kind", EXPERIMENTS)
def test_runs_of_every_kind_are_locked(kind: str, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(json.dumps({"format": 1, "kind": kind}))
    with lock_run(tmp_path / EXPERIMENTS[kind].log_name):
        result = CliRunner().invoke(app, ["resume", str(tmp_path)])
    assert result.exit_code == 2 and "another process is writing the run" in result.output


def test_two_processes_do_not_begin_the_same_run(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with new_run(folder, "events.jsonl"), pytest.raises(PcgError, match="another process"):  # noqa: SIM117
        with new_run(folder, "events.jsonl"):
            pass
    assert [path.name for path in folder.iterdir()] == ["events.jsonl"], "a lock leaves no file of its own"
    with new_run(folder, "events.jsonl"):
        (folder / "run.json").write_text("{}")
    with pytest.raises(PcgError, match="holds a run already"), new_run(folder, "events.jsonl"):
        pass


def test_a_kind_that_this_version_does_not_know_is_named(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(json.dumps({"format": 1, "kind": "dreaming"}))
    with pytest.raises(PcgError, match="holds a run of kind 'dreaming', expected one of levels, rules"):
        resume(tmp_path)
