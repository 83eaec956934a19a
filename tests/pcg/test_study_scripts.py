"""The scripts of an export work out the numbers of the report again, without the toolkit."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa
import studies

import pcg
from pcg.study.exporting import export_study
from pcg.study.folders import open_study
from pcg.study.items import Source
from pcg.study.reporting import report_study
from pcg.study.schema import participants, plays
from pcg.study.store import StudyStore

NEEDS_PANDAS = pytest.mark.skipif(find_spec("pandas") is None, reason="pandas is not installed")
NEEDS_R = pytest.mark.skipif(shutil.which("Rscript") is None, reason="there is no R on this machine")


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """An export and the report of the same votes: two groups, checks, ties, phones, wins."""
    levels = studies.level_files(tmp_path / "levels", "boxes", [0, 1, 2])
    (levels / "game.vgdl").write_text(_rules(), encoding="utf-8")
    studies.make(tmp_path / "s", Source("boxes"), Source(str(levels), group="=odd, one"),
                 settings={"design": {"checks": 1}}, auto_checks=1)  # fmt: skip
    store = open_study(tmp_path / "s")
    rng = np.random.default_rng(5)
    judged = [item.id for item in store.items if not item.check]
    for number in range(9):
        chosen = rng.choice(["first", "second", "both", "neither"], 6, p=[0.5, 0.25, 0.15, 0.1])
        if number % 3 == 0:  # they like the opposite of what others like, whichever is shown first
            chosen = [
                "second" if judged[k % len(judged)] < judged[(k + 1) % len(judged)] else "first" for k in range(6)
            ]
        person = studies.take_part(store, list(chosen), ticks=2)
        good, bad = [item for item in store.items if item.check]
        pair = store.add_pair(person.id, 9, bad.id, good.id, check=good.check, expected="second")
        store.vote(pair, {"prefer": "second" if number else "first"})
    _as_phones(store)
    export_study(store, tmp_path / "export")
    page = report_study(store, tmp_path / "report", samples=100, attentive=True)
    return tmp_path / "export", page.parent


def _rules() -> str:
    return pcg.load("boxes").definition.source


def _as_phones(store: StudyStore) -> None:
    with store.engine.begin() as db:
        db.execute(sa.update(participants).where(participants.c.number % 3 == 0).values(device="phone"))
        db.execute(sa.update(participants).where(participants.c.number % 3 > 0).values(device="computer"))
        db.execute(sa.update(plays).where(plays.c.id % 2 == 0).values(input="keys touch", winner=1, over=True))


def _wider(report: Path) -> float:
    """The dispersion of the votes beyond chance, by the report."""
    with (report / "numbers.csv").open(encoding="utf-8") as file:
        numbers = {(row["table"], row["row"], row["name"]): float(row["value"]) for row in csv.DictReader(file)}
    return numbers["facts", "", "dispersion"]


@pytest.mark.full
@NEEDS_PANDAS
def test_the_pandas_script_reproduces_the_report(folders: tuple[Path, Path]) -> None:
    export, report = folders
    command = [sys.executable, "analysis.py", "--report", str(report)]
    done = subprocess.run([*command, "--attentive"], cwd=export, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    again = (export / "numbers-python.csv").read_text(encoding="utf-8")
    assert _wider(report) > 1.01  # intervals are of people with tastes of their own
    for table in (
        "facts",
        "items",
        "groups",
        "group-pairs",
        "group-effects",
        "sets",
        "order",
        "outcomes",
        "by-device",
        "by-input",
    ):
        assert f"\n{table}," in again, table
    # With other votes the numbers are others, and it says so.
    assert subprocess.run(command, cwd=export, capture_output=True, timeout=300).returncode == 1


@pytest.mark.full
@NEEDS_R
def test_the_r_script_reproduces_the_report(folders: tuple[Path, Path]) -> None:
    export, report = folders
    command = ["Rscript", "analysis.R", str(report)]
    env = {**os.environ, "ATTENTIVE": "1"}
    done = subprocess.run(command, cwd=export, capture_output=True, text=True, env=env, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.full
@NEEDS_PANDAS
@NEEDS_R
def test_scripts_reproduce_a_study_that_has_hardly_begun(tmp_path: Path) -> None:
    studies.make(tmp_path / "s", Source("boxes"))  # one group, two people, nothing won or lost
    store = open_study(tmp_path / "s")
    for answers in (["first", "second"], ["first"]):
        studies.take_part(store, answers, ticks=1)
    assert not any(play.over for play in store.plays())
    export_study(store, tmp_path / "export")
    report = report_study(store, tmp_path / "report", samples=20).parent
    for command in ([sys.executable, "analysis.py", "--report", str(report)], ["Rscript", "analysis.R", str(report)]):
        done = subprocess.run(command, cwd=tmp_path / "export", capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "NULL" not in done.stdout
