"""Objects that the evaluations of a run share are built once in each process."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from pcg.engine import game as engine_game
from pcg.generators.rules import RuleSpace
from pcg.runs import LevelRun, RulesRun, TuningRun, run_experiment
from pcg.runs.experiments import levels, rules, tuning
from pcg.runs.process_cache import ProcessCache

CHEAP = {"nodes": 100, "budget": 8, "planner_budget": 20, "max_length": 25, "weak_plays": 1}
RUNS: dict[str, Any] = {
    "levels": LevelRun("boxes", generator="random", evaluations=6, evaluation_parameters=CHEAP),
    "rules": RulesRun("boxes", evaluations=6, levels="0", confirm=0, generator="random",
                      evaluation_parameters={"plays": 2, "max_plays": 2, "max_ticks": 40}),
    "tuning": TuningRun("hunt", "sprite.dog.cooldown=2..6", "duration:random=20..25", evaluations=4, levels="0",
                        confirm=0, evaluation_parameters={"plays": 2}),
}  # fmt: skip


def test_a_value_is_built_once_by_whichever_thread_comes_first() -> None:
    built: Counter[int] = Counter()
    together = threading.Barrier(4)

    def build(key: int) -> int:
        built[key] += 1
        return key * key

    cache = ProcessCache(build, most=2)

    def ask(key: int) -> int:
        together.wait()
        return cache.get(key)

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(ask, [3, 3, 3, 3])) == [9] * 4
    assert built == {3: 1}
    cache.put(4, 0)
    assert cache.get(4) == 0 and cache.get(3) == 9
    cache.get(5)  # the oldest of three goes
    assert cache.get(3) == 9 and built == {3: 2, 5: 1}


@pytest.mark.parametrize("kind", RUNS)
def test_a_run_parses_its_game_and_builds_its_evaluator_once(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: Counter[str] = Counter()

    def counted(name: str, function: Any) -> Any:
        def call(*arguments: Any, **named: Any) -> Any:
            calls[name] += 1
            return function(*arguments, **named)

        return call

    module = {"levels": levels, "rules": rules, "tuning": tuning}[kind]
    monkeypatch.setattr(module, "load", counted("load", engine_game.load))
    built = {"levels": "LevelEvaluator", "rules": "GameEvaluator", "tuning": "Objective"}[kind]
    monkeypatch.setattr(module, built, counted(built, getattr(module, built)))
    if kind == "rules":
        monkeypatch.setattr(RuleSpace, "of", counted("RuleSpace", RuleSpace.of))
    run_experiment(RUNS[kind], tmp_path / "run", workers=2)
    assert calls == {"load": 1, built: 1, **({"RuleSpace": 1} if kind == "rules" else {})}
