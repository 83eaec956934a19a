"""The databases of studies: older ones become present ones, and PostgreSQL holds the same as SQLite."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import postgres
import pytest
import sqlalchemy as sa
import studies
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.study.config import StudyConfig
from pcg.study.database import connect, delete_study, study_names
from pcg.study.exporting import study_data
from pcg.study.folders import open_study
from pcg.study.migrations import migrate, revisions
from pcg.study.replaying import Replayer
from pcg.study.schema import metadata, votes
from pcg.study.server.pairing import Pairing
from pcg.study.store import StudyStore

OLD_ROWS: dict[str, dict[str, dict[str, Any]]] = {
    "0001": {
        "studies": {"id": 1, "name": "old", "config": StudyConfig("old").to_toml(), "texts": "{}", "state": "open",
                    "token": "0" * 64, "joined": 1, "created": 1.5},
        "items": {"id": 1, "study_id": 1, "name": "a", "group": "g", "game": "boxes", "digest": "", "rules": "x",
                  "reading": "strict", "level": "A", "about": "{}", "features": '{"m": 1.5}', "check": ""},
        "participants": {"id": "p" * 32, "study_id": 1, "number": 0, "token": "1" * 64, "language": "en",
                         "external": "{}", "created": 2.0, "consented": 2.5, "seen": 3.0, "finished": None,
                         "simulated": False},
        "pairs": {"id": 1, "participant_id": "p" * 32, "position": 0, "first_id": 1, "second_id": 1, "check": "",
                  "expected": "", "shown": 3.0, "voted": 4.0},
        "plays": {"id": 1, "pair_id": 1, "side": 0, "attempt": 0, "seed": 5, "actions": "UU", "presses": "[]",
                  "ticks": 2, "score": 1.0, "winner": -1, "over": False, "key": "ff", "seconds": 0.1, "started": 3.0,
                  "saved": 3.5, "lease": ""},
        "votes": {"id": 1, "pair_id": 1, "question": "prefer", "answer": "both", "reason": "因为", "scales": "{}",
                  "time": 4.0, "seconds": 1.0},
    },
}  # fmt: skip
OLD_ROWS["0001"]["participants"]["external"] = '{"PROLIFIC_PID": "a1"}'
OLD_ROWS["0002"] = {
    **OLD_ROWS["0001"],
    "studies": {**OLD_ROWS["0001"]["studies"], "key": "2" * 64},
    "participants": {**OLD_ROWS["0001"]["participants"], "identity": "a1", "returns": 0},
}
OLD_ROWS["0003"] = {
    **OLD_ROWS["0002"],
    "participants": {**OLD_ROWS["0002"]["participants"], "device": "phone"},
    "plays": {**OLD_ROWS["0002"]["plays"], "input": "keys touch"},
}
OLD_ROWS["0004"] = {
    **OLD_ROWS["0003"],
    "items": {**OLD_ROWS["0001"]["items"], "paused": False},
    "participants": {**OLD_ROWS["0003"]["participants"], "ended": "", "cause": "", "consent": "ab12"},
    "answers": {"id": 1, "participant_id": "p" * 32, "part": "before", "position": 0, "question": "age",
                "value": "33", "time": 2.6},
    "consents": {"id": 1, "study_id": 1, "version": "ab12", "language": "en", "text": "Yes.", "created": 1.5},
}  # fmt: skip
OLD_ROWS["0005"] = {
    **OLD_ROWS["0004"],
    "plays": {**OLD_ROWS["0003"]["plays"], "client": True, "refused": "the play is faster than the game"},
}
OLD_ROWS["0006"] = {
    **OLD_ROWS["0005"],
    "pairs": {**OLD_ROWS["0001"]["pairs"], "third_id": 1, "fourth_id": 1},
}
"""For every version of the tables, a row of each as it was written then. A new version adds an entry of its own."""


@pytest.fixture(params=postgres.DATABASES)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'study.db'}"
    return str(request.getfixturevalue("postgres_url"))


postgres_url = postgres.postgres_url
postgres_server = postgres.postgres_server


def write_old(engine: sa.Engine, revision: str) -> None:
    """A database as it was in a version, with a row in each of its tables."""
    migrate(engine, revision)
    tables = sa.MetaData()
    tables.reflect(engine)
    with engine.begin() as db:
        for name, row in OLD_ROWS[revision].items():
            db.execute(sa.insert(tables.tables[name]).values(**row))
            if engine.dialect.name == "postgresql" and isinstance(row["id"], int):
                # A number that was given leaves the counter behind, which rows of old times did not.
                db.execute(sa.text(f"SELECT setval(pg_get_serial_sequence('{name}', 'id'), {row['id']})"))


def test_every_version_has_rows_to_try() -> None:
    assert tuple(OLD_ROWS) == revisions()


@pytest.mark.parametrize("revision", revisions())
def test_a_database_of_an_older_version_becomes_a_present_one(url: str, revision: str) -> None:
    engine = connect(url)
    write_old(engine, revision)
    migrate(engine)
    migrate(engine)  # once more changes nothing
    with engine.connect() as db:
        assert compare_metadata(MigrationContext.configure(db), metadata) == []
    store = StudyStore(engine, "old")
    assert store.config.pairs == StudyConfig("old").pairs
    assert store.items[0].features == {"m": 1.5}
    assert store.participants()[0].consented == 2.5
    assert [p.actions for p in store.plays()] == ["UU"]
    assert [(p.identity, p.returns) for p in store.participants()] == [("a1", 0)] and len(store.key) == 64
    vote = store.vote_rows()[0]
    assert (vote["answer"], vote["reason"], vote["participant"]) == ("both", "因为", "p" * 32)
    # And it takes new rows.
    person, secret = store.join("zh")
    assert (person.number, store.participant(secret)) == (1, person)
    assert store.vote(store.add_pair(person.id, 0, 1, 1), {"prefer": "first"})
    engine.dispose()


def test_a_database_of_a_later_version_is_refused(url: str) -> None:
    engine = connect(url)
    migrate(engine)
    with engine.begin() as db:
        db.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(PcgError, match="later version \\(9999\\)"):
        migrate(engine)
    engine.dispose()


def test_a_database_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "study.db").write_bytes(b"no database at all, but long enough to look like one" * 100)
    with pytest.raises(PcgError, match="cannot open the database"):
        migrate(connect(str(tmp_path / "study.db")))
    with pytest.raises(PcgError, match="cannot open the database"):
        migrate(connect(f"postgresql+psycopg://nobody@/none?host={tmp_path}"))


def test_a_study_is_the_same_in_every_database(url: str, tmp_path: Path) -> None:
    studies.make(tmp_path / "s", database=url)
    store = open_study(tmp_path / "s")
    person = studies.take_part(store, ("first", "neither"))
    studies.take_part(store, ("both",), simulated=True)
    assert store.answers.add(person.id, "before", 0, {"age": "33"})
    assert not store.answers.add(person.id, "before", 0, {"age": "34"})
    assert store.answers.consent_version("en", "Yes.") == store.answers.consent_version("en", "Yes.")
    store.answers.pause_item(store.items[0].id, True)
    assert store.answers.paused_items() == {store.items[0].id}
    data = study_data(store, "all")
    assert [len(rows) for rows in data.tables.values()] == [2, 1, 5, 3, 6, 3, 1]
    replayer = Replayer(store)
    assert {problem for _, problem in replayer.verify(replayer.plays())} == {""}
    assert store.forget(person.id)
    assert [len(rows) for rows in study_data(store, "all").tables.values()] == [1, 0, 5, 1, 2, 1, 1]
    studies.make(tmp_path / "t", database=url)
    assert study_names(store.engine) == ["s", "t"]
    assert delete_study(store.engine, "s")
    assert not delete_study(store.engine, "s")
    assert study_names(store.engine) == ["t"]
    with store.engine.connect() as db:
        for name in ("participants", "pairs", "plays", "votes", "answers", "consents"):
            assert db.scalar(sa.text(f"SELECT count(*) FROM {name}")) == 0
    store.engine.dispose()


def test_what_was_acknowledged_is_on_the_disk(tmp_path: Path) -> None:
    studies.make(tmp_path / "s")
    store = open_study(tmp_path / "s")
    with store.engine.connect() as db:
        settings = {name: db.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("journal_mode", "synchronous")}
    assert settings == {"journal_mode": "wal", "synchronous": 2}


def test_two_processes_make_one_database(url: str) -> None:
    """Servers that start at the same moment do not stand in each other's way."""
    from concurrent.futures import ThreadPoolExecutor

    engines = [connect(url) for _ in range(3)]
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(migrate, engines))
    with engines[0].connect() as db:
        assert db.scalar(sa.text("SELECT count(*) FROM alembic_version")) == 1
    for engine in engines:
        engine.dispose()


def test_connections_that_open_a_new_file_at_once_wait_for_each_other(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor
    from threading import Barrier

    def opened(file: Path, barrier: Barrier) -> str:
        engine = connect(str(file))
        barrier.wait()
        with engine.connect() as db:
            mode = db.exec_driver_sql("PRAGMA journal_mode").scalar()
        engine.dispose()
        return str(mode)

    with ThreadPoolExecutor(4) as pool:
        for k in range(60):
            barrier = Barrier(4)
            assert list(pool.map(opened, [tmp_path / f"{k}.db"] * 4, [barrier] * 4)) == ["wal"] * 4


def test_votes_of_many_at_once_are_all_there_and_none_twice(url: str, tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    studies.make(tmp_path / "s", database=url)
    store = open_study(tmp_path / "s")
    first, second = store.items[0].id, store.items[1].id

    def take_part(_: int) -> int:
        person, _ = store.join("en")
        pair = store.add_pair(person.id, 0, first, second)
        assert store.add_pair(person.id, 0, second, first) == pair
        return sum(store.vote(pair, {"prefer": answer}) for answer in ("first", "second", "first"))

    with ThreadPoolExecutor(6) as pool:
        counted = list(pool.map(take_part, range(40)))
    assert counted == [1] * 40
    assert [v["answer"] for v in store.vote_rows()] == ["first"] * 40
    assert sorted(p.number for p in store.participants()) == list(range(40))
    store.engine.dispose()


def test_the_next_pair_knows_votes_that_were_stored_late(url: str, tmp_path: Path) -> None:
    """The id of a vote is given out before it is stored, so that a vote with a lower one may turn up afterwards."""
    studies.make(tmp_path / "s", database=url, settings={"design": {"checks": 0, "pairing": "adaptive"}})
    store = open_study(tmp_path / "s")
    person = studies.take_part(store, ("first", "second", "first"), ticks=1)
    other, _ = store.join("en")
    with store.engine.begin() as db:
        late = db.execute(sa.select(votes).order_by(votes.c.id)).mappings().all()[1]
        db.execute(sa.delete(votes).where(votes.c.id == late["id"]))
    pairing = Pairing(store)

    def counted() -> int:
        assert pairing.next(other, 0) is not None
        return int(sum(tally.shown.sum() for tally in pairing._tallies.values()))

    assert counted() == 2
    with store.engine.begin() as db:
        db.execute(sa.insert(votes).values(dict(late)))
    assert counted() == 3
    assert counted() == 3
    studies.take_part(store, ("both",), ticks=1)
    assert counted() == 4
    assert store.forget(person.id)
    pairing.recount()
    assert counted() == 1
    store.engine.dispose()


def test_connections_that_broke_while_they_rested_are_replaced(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    studies.make(tmp_path / "s", database=postgres_url)
    store, other = open_study(tmp_path / "s"), connect(postgres_url)
    assert store.state == "open"
    with other.connect() as db:
        ended = db.scalar(sa.text(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        ))  # fmt: skip
    assert ended
    monkeypatch.setattr("pcg.study.database.REST_S", 0.0)
    assert store.state == "open"
    store.engine.dispose()
    other.dispose()
