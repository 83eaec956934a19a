"""Long runs use all processors: processes draft levels and evaluate games, and what comes out is the same."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from run_folders import files

import pcg.runs.search
from pcg.cli import options
from pcg.generators.levels.portfolio.ahead import DraftsAhead
from pcg.generators.levels.portfolio.generator import PortfolioGenerator
from pcg.report import side_by_side, write_report
from pcg.runs import LevelRun, RulesRun, TuningRun, run_levels, run_rules
from pcg.runs.experiments import levels
from pcg.runs.experiments.rules import RuleSearch
from pcg.runs.experiments.tuning import TuningSearch
from pcg.runs.process_pool import ProcessPool
from pcg.runs.run import RunOptions

CHEAP = {"nodes": 3000, "budget": 40, "planner_budget": 60, "max_length": 60, "weak_plays": 1, "min_length": 5}
LEVELS = LevelRun("boxes", count=4, seed=7, evaluations=40, checkpoint=9, evaluation_parameters=CHEAP,
                  generator_parameters={"drafts": 0.2, "polish": 4})  # fmt: skip


def test_levels_that_other_processes_draft_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_levels(LEVELS, tmp_path / "alone", workers=1)
    monkeypatch.setattr(pcg.runs.search, "LONG_EVALUATIONS", LEVELS.evaluations)
    monkeypatch.setattr(levels, "processors", lambda: 2)
    helped: list[DraftsAhead] = []
    close = DraftsAhead.close
    monkeypatch.setattr(DraftsAhead, "close", lambda self: (helped.append(self), close(self)))
    ask = PortfolioGenerator.ask

    def ask_when_all_are_there(self: PortfolioGenerator, n: int) -> Any:
        while self._ahead is not None and any(helper.job == -1 for helper in self._ahead._helpers or ()):
            self._ahead._collect(True)
        return ask(self, n)

    monkeypatch.setattr(PortfolioGenerator, "ask", ask_when_all_are_there)
    run_levels(LEVELS, tmp_path / "helped", workers=2)
    assert len(helped) == 1 and helped[0].used >= 10
    assert files(tmp_path / "helped") == files(tmp_path / "alone")


@pytest.mark.parametrize(("budget", "workers", "helped"), [
    ({"evaluations": 100}, 2, True), ({"evaluations": 99}, 2, False), ({"evaluations": 100}, 1, False),
    ({"seconds": 20.0}, 2, True), ({"seconds": 19.0}, 2, False), ({"seconds": 60.0, "evaluations": 5}, 2, False),
])  # fmt: skip
def test_processes_are_begun_for_long_runs_with_several_workers(
    budget: dict[str, Any], workers: int, helped: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assisted: list[int] = []
    opened: list[Any] = []

    def assist(self: PortfolioGenerator, build: Callable[..., Any], count: int) -> AbstractContextManager[None]:
        assisted.append(count)
        return real(self, build, count)

    def open_workers(where: Any, count: int | None) -> Any:
        opened.append(where)
        return really("threads", count)

    real, really = PortfolioGenerator.assisted, pcg.runs.search.open_workers
    monkeypatch.setattr(PortfolioGenerator, "assisted", assist)
    monkeypatch.setattr(levels, "processors", lambda: 2)
    monkeypatch.setattr(pcg.runs.search, "open_workers", open_workers)
    run = levels.LevelSearch.new(LevelRun("boxes", **budget), tmp_path / "levels")
    with run.prepare(RunOptions(workers=workers)):
        assert assisted == ([2] if helped else [])
    rules = RuleSearch.new(RulesRun("boxes", **budget), tmp_path / "rules")
    with rules.prepare(RunOptions(workers=workers)):
        pass
    with rules.prepare(RunOptions(workers=workers, executor="threads")):
        pass
    target = {"params": "sprite.alien.speed=0.2..1.0:0.1", "target": "win_rate:mcts=0.5"}
    with TuningSearch.new(TuningRun("invaders", **target, **budget), tmp_path / "tuning").prepare(
        RunOptions(workers=workers)
    ):
        pass
    assert opened == [None, "processes" if helped else None, "threads", None]


@pytest.mark.parametrize("run", [
    lambda folder: run_levels(LevelRun("boxes", count=2, seed=1, evaluations=20, generator="constructive"), folder),
    lambda folder: run_rules(RulesRun("boxes", levels="0", start="own", evaluations=6, confirm=0, count=3,
                                      evaluation_parameters={"ladder": "nothing random onestep", "min_win": 0}),
                             folder),
])  # fmt: skip
def test_reports_whose_parts_are_made_by_other_processes_are_the_same(
    run: Callable[[Path], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path / "alone")
    shutil.copytree(tmp_path / "alone", tmp_path / "helped")
    write_report(tmp_path / "alone")
    made: list[int] = []
    submit = ProcessPool.submit
    monkeypatch.setattr(ProcessPool, "submit", lambda *given, **named: (made.append(1), submit(*given, **named))[1])
    monkeypatch.setattr(side_by_side, "copies", lambda: 2)
    write_report(tmp_path / "helped")
    assert made and files(tmp_path / "helped") == files(tmp_path / "alone")


def test_only_a_process_of_its_own_begins_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Any] = []
    monkeypatch.setattr("pcg.evaluators.processes.begin_fork_server", lambda *given: begun.append(given))
    options.begin_copies(["json"], 2)
    monkeypatch.setattr(options._Process, "own", False)
    options.take_process()
    options.begin_copies(["json"], 2, pcg.runs.search.LONG_EVALUATIONS - 1)
    assert not begun
    options.begin_copies(["json"], 2, pcg.runs.search.LONG_EVALUATIONS)
    assert begun == [(["json"], 2)]


def test_ctrl_c_is_blocked_in_processes_from_their_first_moment() -> None:
    with ProcessPool(1) as pool:
        assert signal.SIGINT in pool.submit(signal.pthread_sigmask, signal.SIG_BLOCK, ()).result()
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
