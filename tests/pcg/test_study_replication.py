"""Replication packages hold a whole study, and none of its secrets."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
import studies
from typer.testing import CliRunner

from pcg.cli import app
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.study.exporting import study_data
from pcg.study.folders import open_study
from pcg.study.replaying import Replayer
from pcg.study.replication import load_study, pack_study
from pcg.study.store import StudyStore


@pytest.fixture
def store(tmp_path: Path) -> StudyStore:
    studies.make(tmp_path / "s", settings={"design": {"checks": 1}, "study": {"demographics": "after"}}, auto_checks=1)
    store = open_study(tmp_path / "s")
    version = store.answers.consent_version("en", "I agree")
    for answers in (("first", "both"), ("second", "first")):
        person = studies.take_part(store, answers)
        store.answers.add(person.id, "after", 0, {"age": "30", "gender": "other"})
    store.join("en", consented=True, consent=version)
    return store


def test_a_package_is_loaded_as_the_same_study(tmp_path: Path, store: StudyStore) -> None:
    pack_study(store, tmp_path / "s.zip", links=True, report=False)
    again = load_study(tmp_path / "s.zip", tmp_path / "again")
    assert again.state == "closed" and again.name == "again"
    before, after = study_data(store), study_data(again)
    for name, rows in before.tables.items():
        # Letters of a participant's own code, ids of pairs and plays are the database's.
        left = {"code", "pair", "play"}
        assert [{k: v for k, v in row.items() if k not in left} for row in rows] == [
            {k: v for k, v in row.items() if k not in left} for row in after.tables[name]
        ], name  # fmt: skip
    replayer = Replayer(again)
    assert all(not problem for _, problem in replayer.verify(replayer.plays()))
    load_study(tmp_path / "s.zip", tmp_path / "third", database=f"sqlite:///{tmp_path / 'again' / 'study.db'}")
    assert len(open_study(tmp_path / "third", f"sqlite:///{tmp_path / 'again' / 'study.db'}").vote_rows()) == 4


def test_a_package_has_no_secrets_and_no_names_unless_asked_for(tmp_path: Path, store: StudyStore) -> None:
    pack_study(store, tmp_path / "s.zip", reasons=False, report=False)
    with zipfile.ZipFile(tmp_path / "s.zip") as archive:
        assert {"study.json", "README.md", "data/votes.csv", "data/analysis.R"} <= set(archive.namelist())
        everything = b"".join(archive.read(name) for name in archive.namelist()).decode()
        rows = json.loads(archive.read("study.json"))
    token = (tmp_path / "s" / "researcher-token").read_text(encoding="utf-8").strip()
    assert store.key not in everything and token not in everything
    assert "cmd0" not in everything and "quoted" not in everything
    assert "token" not in rows["participants"][0] and "lease" not in rows["plays"][0]


def test_what_is_no_package_is_told(tmp_path: Path, store: StudyStore) -> None:
    (tmp_path / "no.zip").write_bytes(b"no")
    pack_study(store, tmp_path / "s.zip", report=False)
    with zipfile.ZipFile(tmp_path / "s.zip") as archive, zipfile.ZipFile(tmp_path / "half.zip", "w") as half:
        rows = json.loads(archive.read("study.json"))
        half.writestr("study.json", json.dumps({**rows, "pairs": []}))
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("study.json", json.dumps({"format": 99}))
    for name, message in (
        ("no", "no replication package"),
        ("other", "another format"),
        ("none", "cannot read"),
        ("half", "no whole"),
    ):
        with pytest.raises(PcgError, match=message):
            load_study(tmp_path / f"{name}.zip", tmp_path / "made")
    with pytest.raises(PcgError, match="there already"):
        load_study(tmp_path / "no.zip", tmp_path / "s")
    assert not (tmp_path / "made").exists()


@pytest.mark.full
def test_packages_are_made_and_loaded_by_commands(tmp_path: Path, store: StudyStore) -> None:
    file = tmp_path / "p.zip"
    said = CliRunner().invoke(app, ["study", "pack", str(tmp_path / "s"), "-o", str(file)])
    assert said.exit_code == 0 and "4 votes" in said.output
    with zipfile.ZipFile(file) as archive:
        assert "report/numbers.csv" in archive.namelist()
    said = CliRunner().invoke(app, ["study", "load", str(file), str(tmp_path / "again")])
    assert said.exit_code == 0 and "4 votes; closed" in said.output
