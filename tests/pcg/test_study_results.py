"""Exports of a study: tables that explain themselves, and plays that are what they were."""

from __future__ import annotations

import csv
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa
import studies
from typer.testing import CliRunner

from pcg.cli import app
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.preferences import read_votes
from pcg.study.exporting import export_study, study_data
from pcg.study.folders import open_study
from pcg.study.replaying import Replayer
from pcg.study.reporting import report_study
from pcg.study.schema import plays
from pcg.study.store import StudyStore

run = CliRunner().invoke
ANSWERS = ("first", "second", "both", "neither")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a study in which some have taken part; each test works on a copy."""
    folder = tmp_path_factory.mktemp("finished") / "s"
    studies.make(folder, settings={"design": {"checks": 1}}, auto_checks=1)
    store = open_study(folder)
    for turn in range(3):
        studies.take_part(store, ANSWERS[turn:] + ANSWERS[:turn])
    studies.take_part(store, ANSWERS[:2], simulated=True)
    good, bad = [i for i in store.items if i.check]
    person = store.participants()[0]
    pair = store.add_pair(person.id, 9, bad.id, good.id, check=good.check, expected="second")
    store.vote(pair, {"prefer": "first"})
    store.engine.dispose()
    return folder


@pytest.fixture
def store(tmp_path: Path, finished: Path) -> StudyStore:
    shutil.copytree(finished, tmp_path / "s")
    return open_study(tmp_path / "s")


def table(path: Path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_tables_hold_everything_and_the_codebook_every_column(tmp_path: Path, store: StudyStore) -> None:
    out = tmp_path / "out"
    export_study(store, out)
    sizes = {"participants": 3, "items": 7, "pairs": 13, "plays": 24, "votes": 13}
    explained = {(row["table"], row["column"]) for row in table(out / "codebook.csv")}
    page = (out / "codebook.md").read_text(encoding="utf-8")
    for name, size in sizes.items():
        rows = table(out / f"{name}.csv")
        lines = [json.loads(line) for line in (out / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
        assert (len(rows), len(lines)) == (size, size)
        assert {(name, column) for column in rows[0]} == {(name, column) for column in lines[0]}
        assert {(name, column) for column in rows[0]} <= explained
        assert f"## {name} ({size} rows)" in page
    assert {name for name, _ in explained} == {*sizes, "answers", "consents"}
    first = table(out / "participants.csv")[0]
    assert (first["pairs_voted"], first["checks"], first["checks_passed"]) == ("5", "1", "0")
    play = json.loads((out / "plays.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert len(play["actions"]) == play["ticks"] == 12
    assert [down for _, _, down in play["presses"]] == [1, 0] * 12


def test_votes_are_read_by_the_analysis(tmp_path: Path, store: StudyStore) -> None:
    export_study(store, tmp_path / "out")
    for file in ("votes.csv", "votes.jsonl"):
        found = read_votes(tmp_path / "out" / file)
        rows = store.vote_rows()
        assert [v.answer for v in found] == [r["answer"] for r in rows if not r["simulated"]]
        assert [v.check for v in found][-1] == "check-1"
        assert found[0].first == store.item[rows[0]["first"]].name
        assert found[0].seconds == rows[0]["seconds"]


def test_what_people_wrote_cannot_be_a_formula_in_a_spreadsheet(tmp_path: Path, store: StudyStore) -> None:
    export_study(store, tmp_path / "out")
    written = '=1+1, "quoted"\nand more'
    assert table(tmp_path / "out" / "votes.csv")[0]["reason"] == f"'{written}"
    assert table(tmp_path / "out" / "participants.csv")[0]["link.PROLIFIC_PID"] == "'=cmd0"
    odd = replace(store.items[0], name="=HYPERLINK(1)", group="+1", level="-" + store.items[0].level)
    store.items[0] = store.item[odd.id] = odd
    export_study(store, tmp_path / "odd")
    first = table(tmp_path / "odd" / "items.csv")[0]
    assert (first["item"], first["group"], first["level"][:2]) == ("'=HYPERLINK(1)", "'+1", "'-")
    named = [row for row in table(tmp_path / "odd" / "votes.csv") if "HYPERLINK" in row["first"]]
    assert named and {(row["first"], row["first_group"]) for row in named} == {("'=HYPERLINK(1)", "'+1")}
    assert {row["item"] for row in table(tmp_path / "odd" / "plays.csv")} >= {"'=HYPERLINK(1)"}
    line = json.loads((tmp_path / "out" / "votes.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert line["reason"] == written


def test_links_and_reasons_can_be_left_out(tmp_path: Path, store: StudyStore) -> None:
    export_study(store, tmp_path / "out", links=False, reasons=False)
    everything = "".join(p.read_text(encoding="utf-8") for p in (tmp_path / "out").iterdir() if p.suffix != ".toml")
    assert "PROLIFIC" not in everything
    assert "=cmd" not in everything
    assert "quoted" not in everything


def test_simulated_participants_are_not_mixed_with_people(store: StudyStore) -> None:
    sizes = {people: len(study_data(store, people).participants) for people in ("", "real", "simulated", "all")}
    assert sizes == {"": 3, "real": 3, "simulated": 1, "all": 4}
    assert {v["participant"] for v in study_data(store, "simulated").votes} == {store.participants()[3].id}
    with pytest.raises(PcgError, match="expected real, simulated, all"):
        study_data(store, "robots")


def test_a_report_without_votes_of_people_says_whose_there_are(tmp_path: Path, store: StudyStore) -> None:
    for person in store.participants():
        if not person.simulated:
            store.forget(person.id)
    store.join("en")
    with pytest.raises(PcgError, match=r"no votes yet of people; .* --people simulated"):
        report_study(store, tmp_path / "report")


def test_an_export_replaces_only_an_export(tmp_path: Path, store: StudyStore) -> None:
    export_study(store, tmp_path / "out")
    before = {p.name: p.read_bytes() for p in (tmp_path / "out").iterdir()}
    export_study(store, tmp_path / "out")
    assert {p.name: p.read_bytes() for p in (tmp_path / "out").iterdir()} == before
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("precious")
    with pytest.raises(PcgError, match="no earlier export"):
        export_study(store, tmp_path / "mine")
    assert (tmp_path / "mine" / "notes.txt").read_text() == "precious"


def test_people_who_deleted_their_data_are_gone_from_everything(store: StudyStore) -> None:
    gone = store.participants()[0].id
    assert store.forget(gone)
    data = study_data(store, "all")
    assert len(data.participants) == 3
    assert all(row["participant"] != gone for rows in (data.pairs, data.plays, data.votes) for row in rows)


def test_every_play_is_what_it_was(store: StudyStore) -> None:
    replayer = Replayer(store)
    found = list(replayer.verify(replayer.plays()))
    assert len(found) == 28
    assert {problem for _, problem in found} == {""}
    assert len(replayer.plays(participant="0")) == 8
    assert len(replayer.plays(participant=store.participants()[1].id[:10], pair=2)) == 2
    with pytest.raises(PcgError, match="no participant number 9, only 0 to 3"):
        replayer.plays(participant="9")
    with pytest.raises(PcgError, match="no play 999"):
        replayer.plays(play=999)


def test_a_play_that_was_saved_while_it_ran_has_no_hash_yet(store: StudyStore) -> None:
    with store.engine.begin() as db:
        db.execute(sa.update(plays).values(key=""))
    replayer = Replayer(store)
    assert {problem for _, problem in replayer.verify(replayer.plays())} == {""}
    with store.engine.begin() as db:
        db.execute(sa.update(plays).where(plays.c.id == 5).values(score=7.5))
    assert [s.play.id for s, problem in replayer.verify(replayer.plays()) if problem] == [5]


@pytest.mark.parametrize(("column", "value"), [
    ("score", 99.0), ("ticks", 11), ("winner", 1), ("over", True), ("key", "0000000000000001"),
    ("key", "nothing"), ("seed", 77), ("actions", "UUUUUUUUUUUU"), ("actions", "?"), ("presses", "[[0]]"),
])  # fmt: skip
def test_a_play_that_was_tampered_with_is_noticed(store: StudyStore, column: str, value: object) -> None:
    replayer = Replayer(store)
    chosen = replayer.plays()[3]
    with store.engine.begin() as db:
        db.execute(sa.update(plays).where(plays.c.id == chosen.play.id).values({column: value}))
    wrong = [s.play.id for s, problem in replayer.verify(replayer.plays()) if problem]
    if column == "seed":  # nothing in this game is left to chance, so another seed is the same play
        assert wrong == []
    else:
        assert wrong == [chosen.play.id]


def test_the_commands_export_and_replay(tmp_path: Path, store: StudyStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(app, ["study", "export", "s", "--no-links"])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "s-export" / "votes.csv").is_file()
    done = run(app, ["study", "replay", "s", "--verify"])
    assert "28 of 28 plays (336 ticks) lead to their stored results" in done.output
    done = run(app, ["study", "replay", "s", "--play", "1"])
    assert "participant" in done.output and "12 ticks" in done.output
    done = run(app, ["study", "replay", "s", "--participant", "0", "--pair", "0", "--gif", "films"])
    assert done.exit_code == 0, done.output
    assert sorted(p.suffix for p in (tmp_path / "films").iterdir()) == [".gif", ".gif"]
    assert run(app, ["study", "replay", "s", "--gif", "one.gif"]).exit_code == 2
    with store.engine.begin() as db:
        db.execute(sa.update(plays).where(plays.c.id == 2).values(score=1000.0))
    done = run(app, ["study", "replay", "s", "--verify"])
    assert done.exit_code == 1
    assert "its score is" in done.output and "27 of 28" in done.output


def test_in_a_fast_pilot_not_everybody_is_too_fast(tmp_path: Path) -> None:
    studies.make(tmp_path / "pilot", settings={"design": {"checks": 0}, "play": {"minimum": 0.5}})
    store = open_study(tmp_path / "pilot")
    for number in range(6):
        studies.take_part(store, ["first", "second", "both"])
        with store.engine.begin() as db:  # a pair takes three seconds; of the last one none
            db.execute(sa.text("UPDATE votes SET seconds = :s WHERE id > :n"), {"s": 3.0 if number < 5 else 0.4,
                                                                               "n": 3 * number})  # fmt: skip
    report_study(store, tmp_path / "report", samples=100)
    rows = table(tmp_path / "report" / "participants.csv")
    assert sum("too fast" in " ".join(row.values()) for row in rows) == 1
