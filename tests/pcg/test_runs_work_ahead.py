"""Work that is begun before it is asked for: it is done once where the guess was right, and dropped where not."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from run_folders import files

from pcg.engine.kernel.runtime import COMPILED
from pcg.runs.executors import open_workers
from pcg.runs.experiments.rules import run_rules
from pcg.runs.experiments.rules_config import RulesRun
from pcg.runs.work_ahead import Piece, WorkAhead
from pcg.runs.workers import Workers


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> Iterator[Workers]:
    """Two threads that pass for processes."""
    monkeypatch.setattr(Workers, "can_drop", True)
    with closing(open_workers("threads", 2)) as crew:
        yield crew


def test_right_guesses_are_taken_and_wrong_ones_made_again(workers: Workers) -> None:
    done: list[tuple[str, int]] = []

    def work(label: str, number: int) -> int:
        while label == "slow" and len(done) < 3:
            time.sleep(0.001)
        done.append((label, number))
        return number

    def piece(label: str, number: int) -> Piece:
        return Piece(label, work, (label, number))

    with closing(WorkAhead(workers)) as ahead:
        guesses = [piece("slow", 9), piece("right", 2), piece("wrong", 3), piece("unasked", 4)]
        assert list(ahead.results([piece("slow", 1)], lambda: guesses)) == [1]
        assert sorted(done) == [("right", 2), ("slow", 1), ("unasked", 4), ("wrong", 3)]
        assert list(ahead.results([piece("right", 2), piece("wrong", 5)], list)) == [2, 5]
        assert ahead.right == 1 and done.count(("right", 2)) == 1
    assert not workers.open


@pytest.mark.parametrize(("count", "where"), [(1, "processes"), (2, "threads")])
def test_nothing_is_guessed_with_one_worker_or_where_work_cannot_be_ended(count: int, where: str) -> None:
    def guesses() -> list[Piece]:
        raise AssertionError("nobody waits")

    with closing(open_workers(where, count)) as crew, closing(WorkAhead(crew)) as ahead:
        assert list(ahead.results([Piece("one", abs, (-1,)), Piece("sleep", time.sleep, (0.3,))], guesses)) == [1, None]


def test_dropped_work_does_not_keep_its_workers() -> None:
    crew = open_workers("processes", 2)
    with closing(WorkAhead(crew)) as ahead:
        assert list(ahead.results([Piece("short", time.sleep, (1.0,))], lambda: [Piece("long", time.sleep, (600.0,))]))
        (process, _) = crew._executor._context.begun  # type: ignore[attr-defined]
        assert [ticket.label for ticket in crew.open] == ["long"]
    crew.close()
    assert process.exitcode is not None


@pytest.mark.full
@pytest.mark.skipif(not COMPILED, reason="takes too long without the compiler")
def test_games_settled_with_guesses_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cheap = {"ladder": "nothing random onestep", "max_ticks": 60, "min_ticks": 20, "random_ticks": 30, "min_win": 0,
             "usual": 0.0, "astray": 0.5}  # fmt: skip
    config = RulesRun("boxes", levels="0", evaluations=120, count=3, confirm=4, finalists=6, distance=0.05, finish=0,
                      dress=0, generator_parameters={"population": 10, "offspring": 10},
                      evaluation_parameters=cheap)  # fmt: skip
    monkeypatch.setattr("pcg.runs.experiments.game_search.NEARLY", 0.6)  # so that some make way for others
    run_rules(config, tmp_path / "one", workers=1)
    monkeypatch.setattr(Workers, "can_drop", True)
    right: list[int] = []
    close = WorkAhead.close
    monkeypatch.setattr(WorkAhead, "close", lambda self: (right.append(self.right), close(self)))
    run_rules(config, tmp_path / "two", workers=2, executor="threads")
    assert right[0] > 0
    assert files(tmp_path / "two") == files(tmp_path / "one")
    assert os.path.getsize(tmp_path / "two" / "games" / "index.json")
