"""The server of a study is killed at random moments while people take part: nothing that was acknowledged is lost.

Here a few times; `benchmarks/study_kills.py` does it fifty times.
"""

from __future__ import annotations

from pathlib import Path

import postgres
import pytest
import studies

from benchmarks.study_drill import drill
from pcg.study.config import RUNS
from pcg.study.items import Source

postgres_url = postgres.postgres_url
postgres_server = postgres.postgres_server


@pytest.mark.fuzz
@pytest.mark.parametrize(("runs", "shown"), [*((runs, "pair") for runs in RUNS), ("browser", "four")])
@pytest.mark.parametrize("kind", postgres.DATABASES)
def test_votes_and_plays_survive_kill_9(
    tmp_path: Path, request: pytest.FixtureRequest, kind: str, runs: str, shown: str
) -> None:
    database = request.getfixturevalue("postgres_url") if kind == "postgresql" else None
    design = {"pairs": 3, "checks": 1, "shown": shown}
    settings = {"design": design, "play": {"minimum": 1.5, "runs": runs}}
    studies.make(
        tmp_path / "s",
        Source("dungeon", levels="0-2" if shown == "pair" else "0-4"),
        settings=settings,
        database=database,
    )
    report = drill(tmp_path / "s", database, kills=3, participants=4, seed=7)
    assert report.problems == []
    assert report.kills == 3
    assert report.finished == report.participants >= 4
    assert report.stored == 4 * report.participants == report.acknowledged + report.unanswered
    assert report.brought_back > 0
    assert bool(report.in_pages) == (runs == "browser")
