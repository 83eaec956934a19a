"""Runs: the same files whatever happens on the way."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from run_folders import files
from tiers import first_fast

import pcg
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.generators.levels import Candidate
from pcg.generators.levels.portfolio.generator import PortfolioGenerator
from pcg.runs import LevelProgress, LevelRun, resume, run_levels
from pcg.runs.store import read_elapsed

CHEAP = {"nodes": 3000, "budget": 40, "planner_budget": 60, "max_length": 60, "weak_plays": 1, "min_length": 5}
TRIES = 20
EVOLVE = LevelRun(
    "boxes", generator="evolve", count=4, seed=7, evaluations=TRIES, checkpoint=6,
    generator_parameters={"population": 8, "offspring": 6}, evaluation_parameters=CHEAP,
)  # fmt: skip


def events(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was never interrupted, with one worker."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    result = run_levels(EVOLVE, folder, workers=1)
    assert (result.stopped, result.evaluations) == ("evaluations", TRIES)
    return folder


def test_runs_import_neither_the_compiler_nor_statistics() -> None:
    """They take half a second and 100 MB in each process, and are needed by few runs."""
    heavy = {"numba", "scipy.stats", "matplotlib", "distributed"}
    code = f"import sys, pcg.runs, pcg.generators.levels.portfolio.generator as _; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


@pytest.mark.full
def test_two_workers_give_the_same_files_as_one(whole: Path, tmp_path: Path) -> None:
    run_levels(EVOLVE, tmp_path / "run", workers=2)
    assert files(tmp_path / "run") == files(whole)


def test_an_executor_of_ones_own_gives_the_same_files(whole: Path, tmp_path: Path) -> None:
    with ThreadPoolExecutor(3) as pool:
        run_levels(EVOLVE, tmp_path / "run", executor=pool)
    assert files(tmp_path / "run") == files(whole)


@pytest.mark.fuzz
@pytest.mark.parametrize("executor", ["processes", "local:2"])
def test_workers_killed_in_mid_run_leave_the_same_files(whole: Path, tmp_path: Path, executor: str) -> None:
    if executor.startswith("local"):
        pytest.importorskip("distributed")
    killed: list[int] = []

    def kill(state: LevelProgress) -> None:
        if state.evaluations in (5, 14):
            victim = multiprocessing.active_children()[0]
            assert victim.pid is not None
            os.kill(victim.pid, signal.SIGKILL)
            killed.append(victim.pid)

    workers = 2 if executor == "processes" else None
    run_levels(EVOLVE, tmp_path / "run", executor=executor, workers=workers, progress=kill)
    assert len(set(killed)) == 2
    assert files(tmp_path / "run") == files(whole)
    assert not [p for p in multiprocessing.active_children() if p.pid in killed]


def test_another_seed_gives_other_levels(whole: Path, tmp_path: Path) -> None:
    other = LevelRun("boxes", seed=8, evaluations=5, evaluation_parameters=CHEAP)
    run_levels(other, tmp_path / "run", workers=1)
    assert [e["level"] for e in events(tmp_path / "run")] != [e["level"] for e in events(whole)[:5]]


KILLED = """
import os, signal, sys
from pcg.runs import LevelRun, run_levels

def progress(state):
    if state.evaluations == int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)

run_levels(LevelRun.read(sys.argv[1]), sys.argv[2], workers=2, progress=progress)
"""


@pytest.mark.full
@pytest.mark.parametrize("after", first_fast([11, 3, 18]))
def test_a_killed_run_goes_on_to_the_files_of_an_unbroken_one(whole: Path, tmp_path: Path, after: int) -> None:
    config = tmp_path / "config.toml"
    config.write_text(EVOLVE.to_toml())
    program = [sys.executable, "-c", KILLED, str(config), str(tmp_path / "run"), str(after)]
    killed = subprocess.run(program, check=False, capture_output=True, text=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert len(events(tmp_path / "run")) == after
    assert not (tmp_path / "run" / "summary.json").exists()
    evaluated: list[int] = []
    result = resume(tmp_path / "run", workers=1, progress=lambda state: evaluated.append(state.evaluations))
    assert result.stopped == "evaluations"
    assert files(tmp_path / "run") == files(whole)
    timed = [json.loads(line) for line in (tmp_path / "run" / "timing.jsonl").read_text().splitlines()]
    again = [line["id"] for line in timed if line["type"] == "evaluation"]
    assert sorted(again) == list(range(TRIES)), "what was logged is not evaluated a second time"


def test_a_torn_last_line_is_cut_off_and_its_evaluation_repeated(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(whole, folder)
    lines = (folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "events.jsonl").write_bytes(b"".join(lines[:13]) + lines[13][:50])
    (folder / "checkpoint.json").unlink()
    resume(folder, workers=2)
    assert files(folder) == files(whole)


@pytest.mark.parametrize("content", ["", "{", '{"format": 99}', None])
def test_without_a_usable_checkpoint_the_log_is_replayed(whole: Path, tmp_path: Path, content: str | None) -> None:
    folder = tmp_path / "run"
    shutil.copytree(whole, folder)
    checkpoint = folder / "checkpoint.json"
    checkpoint.unlink() if content is None else checkpoint.write_text(content)
    shutil.rmtree(folder / "levels")
    resume(folder, workers=1)
    assert files(folder) == files(whole)


def test_a_checkpoint_ahead_of_the_log_is_not_believed(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(whole, folder)
    lines = (folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "events.jsonl").write_bytes(b"".join(lines[:16]))
    resume(folder, workers=1)
    assert files(folder) == files(whole)


def test_ctrl_c_leaves_a_summary_and_a_run_that_goes_on(whole: Path, tmp_path: Path) -> None:
    def press(state: LevelProgress) -> None:
        if state.evaluations == 9:
            os.kill(os.getpid(), signal.SIGINT)

    result = run_levels(EVOLVE, tmp_path / "run", workers=2, progress=press)
    assert (result.stopped, result.evaluations) == ("interrupted", 9)
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["stopped"] == "interrupted"
    resume(tmp_path / "run", workers=2)
    assert files(tmp_path / "run") == files(whole)


def test_a_larger_budget_continues_where_a_smaller_one_ended(whole: Path, tmp_path: Path) -> None:
    run_levels(EVOLVE.with_budget(evaluations=15), tmp_path / "run", workers=1)
    resume(tmp_path / "run", evaluations=TRIES, workers=2)
    assert files(tmp_path / "run") == files(whole)


class AtOnce(Executor):
    """Does what it is given before it returns."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(function(*arguments, **named))
        return done


def test_evaluations_are_told_before_as_many_candidates_as_may_be_under_way_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    ask = PortfolioGenerator.ask

    def counting(generator: PortfolioGenerator, n: int) -> list[Candidate]:
        made = ask(generator, n)
        asked.extend(one.id for one in made)
        return made

    monkeypatch.setattr(PortfolioGenerator, "ask", counting)
    config = LevelRun("boxes", count=2, seed=3, evaluations=4, evaluation_parameters=CHEAP)
    told: list[int] = []
    run_levels(config, tmp_path / "one", executor=AtOnce(), progress=lambda state: told.append(len(asked)))
    assert told == [1, 2, 3, 4]
    with ThreadPoolExecutor(3) as pool:
        run_levels(config, tmp_path / "other", executor=pool)
    assert files(tmp_path / "one") == files(tmp_path / "other")


def test_a_budget_of_time_stops_and_can_be_extended(tmp_path: Path) -> None:
    config = LevelRun("hunt", seconds=0.5, evaluation_parameters=CHEAP)
    result = run_levels(config, tmp_path / "run", workers=2)
    assert result.stopped == "seconds"
    # more time than has passed: on a busy machine the first session may have taken any
    spent = read_elapsed(tmp_path / "run" / "timing.jsonl")
    wanted = result.evaluations + 3
    further = resume(tmp_path / "run", seconds=spent + 3600.0, evaluations=wanted)
    assert (further.stopped, further.evaluations) == ("evaluations", wanted)
    assert [e["id"] for e in events(tmp_path / "run")] == list(range(further.evaluations))


def test_generators_that_do_not_learn_stop_when_they_have_enough(tmp_path: Path) -> None:
    config = LevelRun("hunt", generator="constructive", count=3, evaluations=500, evaluation_parameters=CHEAP)
    result = run_levels(config, tmp_path / "run", workers=2)
    assert result.stopped == "enough"
    assert len(result.levels) == 3
    assert resume(tmp_path / "run").evaluations == result.evaluations


def test_the_folder_of_levels_is_a_game_whose_levels_are_won_by_the_recorded_plays(whole: Path) -> None:
    index = json.loads((whole / "levels" / "index.json").read_text())["levels"]
    game = pcg.load(whole / "levels" / "game.vgdl")
    assert index and len(game.levels) == len(index)
    for k, entry in enumerate(index):
        assert entry["feasible"] and entry["file"] == f"lvl{k}.txt"
        state = game.start(k, seed=entry["seed"])
        for action in entry["actions"]:
            state.advance(action)
        assert state.winner == pcg.Outcome.PLAYER_WINS
    fitness = [entry["fitness"] for entry in index]
    assert fitness == sorted(fitness, reverse=True)


def test_levels_kept_are_unlike_each_other_and_missing_ones_are_made_up_by_the_best_others(tmp_path: Path) -> None:
    from pcg.generators.levels import level_distance

    config = LevelRun("boxes", generator="random", count=12, evaluations=12, evaluation_parameters=CHEAP)
    result = run_levels(config, tmp_path / "run", workers=2)
    assert len(result.levels) + len(result.spare) <= 12
    assert len(list((tmp_path / "run" / "infeasible").glob("lvl*.txt"))) == len(result.spare) > 0
    kept = [e.candidate.level for e in (*result.levels, *result.spare)]
    assert all(level_distance(a, b) >= config.distance > 0.1 for i, a in enumerate(kept) for b in kept[:i])


def test_a_run_needs_nothing_outside_its_folder(tmp_path: Path, whole: Path) -> None:
    game = tmp_path / "mygame"
    shutil.copytree(whole / "game", game)
    config = LevelRun(
        str(game / "game.vgdl"), evaluations=6, evaluation_parameters=CHEAP,
        generator_parameters={"drafts": 0.2, "polish": 0},
    )  # fmt: skip
    run_levels(config, tmp_path / "run", workers=1)
    shutil.rmtree(game)
    assert resume(tmp_path / "run", evaluations=10).evaluations == 10


def test_the_log_has_every_field_the_layout_promises(whole: Path) -> None:
    fields = {"id", "origin", "generation", "level", "feasible", "fitness", "constraint", "constraints", "metrics",
              "stage", "winner", "seed", "play", "wants", "mechanics", "parts"}  # fmt: skip
    for k, event in enumerate(events(whole)):
        assert set(event) == fields and event["id"] == k


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"game": "boxs"}, "boxes"),
        ({"generator": "evolv"}, "did you mean `evolve`"),
        ({"generator_parameters": {"draft": 3}}, "did you mean `drafts`"),
        ({"evaluation_parameters": {"min_lenth": 3}}, "did you mean `min_length`"),
    ],
)
def test_mistakes_are_found_before_anything_is_written(tmp_path: Path, change: dict[str, object], message: str) -> None:
    settings: dict[str, object] = {"game": "boxes", "evaluations": 5, **change}
    with pytest.raises(PcgError, match=message):
        run_levels(LevelRun(**settings), tmp_path / "run")  # type: ignore[arg-type]
    assert not (tmp_path / "run").exists()


def test_existing_folders_are_not_overwritten(whole: Path, tmp_path: Path) -> None:
    with pytest.raises(PcgError, match="pcg resume"):
        run_levels(EVOLVE, whole)
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(PcgError, match="not empty"):
        run_levels(EVOLVE, tmp_path)
    with pytest.raises(PcgError, match="is a file"):
        run_levels(EVOLVE, tmp_path / "notes.txt")


def test_only_runs_can_be_resumed(whole: Path, tmp_path: Path) -> None:
    with pytest.raises(PcgError, match="no run"):
        resume(tmp_path)
    shutil.copytree(whole, tmp_path / "run")
    manifest = json.loads((tmp_path / "run" / "run.json").read_text())
    (tmp_path / "run" / "run.json").write_text(json.dumps({**manifest, "format": 99}))
    with pytest.raises(PcgError, match="format 99"):
        resume(tmp_path / "run")


def test_a_log_of_other_levels_is_not_continued(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(whole, folder)
    (folder / "checkpoint.json").unlink()
    text = (folder / "config.toml").read_text().replace("seed = 7", "seed = 8")
    (folder / "config.toml").write_text(text)
    with pytest.raises(PcgError, match="differs from the logged one"):
        resume(folder)
