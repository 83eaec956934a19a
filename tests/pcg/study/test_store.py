"""The store of a study: everything once, whole, and gone when it is to be gone. On SQLite; others use PostgreSQL."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.study.config import Question, StudyConfig
from pcg.study.database import connect, create_study, digest
from pcg.study.migrations import migrate
from pcg.study.rows import FIRST, SECOND, Progress, StudyItem
from pcg.study.schema import metadata, plays, votes
from pcg.study.store import StudyStore

TWO_QUESTIONS = (Question(), Question("fun", "two"))


def item(name: str, group: str = "g") -> StudyItem:
    return StudyItem(
        name, group, "boxes", "digest", "rules", "level", about={"en": {"goal": "win"}}, features={"a": 1.5}
    )


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[sa.Engine]:
    engine = connect(str(tmp_path / "study.db"))
    migrate(engine)
    yield engine
    engine.dispose()


@pytest.fixture
def store(engine: sa.Engine) -> StudyStore:
    create_study(engine, StudyConfig("s"), [item("a"), item("b"), item("c")], {"en": {"title": "T"}})
    return StudyStore(engine, "s")


def test_the_migrations_make_the_tables_of_the_schema(engine: sa.Engine) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def test_sqlite_writes_votes_through(engine: sa.Engine) -> None:
    with engine.connect() as db:
        assert db.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert db.exec_driver_sql("PRAGMA synchronous").scalar() == 2  # FULL
        assert db.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1


def test_a_study_comes_back_as_it_was_made(store: StudyStore) -> None:
    assert store.config == StudyConfig("s")
    assert [i.name for i in store.items] == ["a", "b", "c"]
    assert store.items[0].about == {"en": {"goal": "win"}}
    assert store.items[0].features == {"a": 1.5}
    assert store.texts == {"en": {"title": "T"}}
    with pytest.raises(PcgError, match="already"):
        create_study(store.engine, StudyConfig("s"), [item("a")], {})
    with pytest.raises(PcgError, match="no study `t` in this database"):
        StudyStore(store.engine, "t")


def test_tokens_are_stored_hashed(engine: sa.Engine) -> None:
    token = create_study(engine, StudyConfig("s"), [item("a")], {})
    store = StudyStore(engine, "s")
    assert store.is_researcher(token)
    assert not store.is_researcher(token + "x")
    assert not store.is_researcher(digest(token))
    newer = store.new_token()
    assert store.is_researcher(newer)
    assert not store.is_researcher(token)
    person, secret = store.join("en")
    assert store.participant(secret) == person
    assert store.participant(person.id) is None
    with engine.connect() as db:
        dump = "\n".join(db.connection.driver_connection.iterdump())  # type: ignore[union-attr]
    assert secret not in dump
    assert token not in dump


def test_participants_are_numbered_also_when_they_come_at_once(store: StudyStore) -> None:
    def come() -> None:
        for _ in range(5):
            store.join("en")

    threads = [threading.Thread(target=come) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [p.number for p in store.participants()] == list(range(20))


def test_a_full_study_takes_nobody(engine: sa.Engine) -> None:
    create_study(engine, StudyConfig("s", most=1), [item("a"), item("b")], {})
    store = StudyStore(engine, "s")
    person, _ = store.join("en")
    store.join("en")  # who has not played yet takes no place
    store.vote(store.add_pair(person.id, 0, store.items[0].id, store.items[1].id), {"prefer": "both"})
    with pytest.raises(PcgError, match="all the participants"):
        store.join("en")


def test_a_pair_is_stored_once(store: StudyStore) -> None:
    person, _ = store.join("en")
    a, b, c = (i.id for i in store.items)
    pair = store.add_pair(person.id, 0, a, b)
    assert store.add_pair(person.id, 0, c, b) == pair
    assert store.pairs_of(person.id) == [pair]
    assert (pair.item(FIRST), pair.item(SECOND)) == (a, b)


def test_a_vote_counts_once_and_whole(engine: sa.Engine) -> None:
    create_study(engine, StudyConfig("s", questions=TWO_QUESTIONS), [item("a"), item("b")], {})
    store = StudyStore(engine, "s")
    person, _ = store.join("en")
    pair = store.add_pair(person.id, 0, store.items[0].id, store.items[1].id)
    for bad in ({"prefer": "both"}, {"prefer": "both", "fun": "both"}, {"prefer": "x", "fun": "first"},
                {"prefer": "both", "fun": "first", "more": "first"}):  # fmt: skip
        with pytest.raises(PcgError):
            store.vote(pair, bad)
    assert store.vote_rows() == []
    assert store.vote(pair, {"prefer": "both", "fun": "first"}, reason="so", scales={"hard": 3})
    assert not store.vote(pair, {"prefer": "first", "fun": "second"})
    rows = store.vote_rows()
    assert [(r["question"], r["answer"], r["reason"]) for r in rows] == [
        ("prefer", "both", "so"),
        ("fun", "first", "so"),
    ]
    assert store.vote_rows(after=rows[0]["id"]) == rows[1:]
    assert store.pairs_of(person.id)[0].voted is not None


def test_of_many_votes_at_once_one_counts(store: StudyStore) -> None:
    person, _ = store.join("en")
    pair = store.add_pair(person.id, 0, store.items[0].id, store.items[1].id)
    new: list[bool] = []
    threads = [threading.Thread(target=lambda: new.append(store.vote(pair, {"prefer": "both"}))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(new) == [False] * 7 + [True]
    assert len(store.vote_rows()) == 1


def test_a_play_belongs_to_the_process_that_took_it_last(store: StudyStore) -> None:
    person, _ = store.join("en")
    pair = store.add_pair(person.id, 0, store.items[0].id, store.items[1].id)
    play = store.begin_play(pair.id, FIRST, 0, 7, "one")
    state = Progress(play.id, "L.", "[]", 2, 1.0, -1, False, "ab", 0.1)
    assert store.save_plays([state], "one") == []
    assert store.begin_play(pair.id, FIRST, 0, 9, "two").actions == "L."
    assert store.save_plays([state], "one") == [play.id]
    assert store.save_plays([state], "two") == []
    assert store.plays_of(pair.id)[0].seed == 7


def test_what_is_forgotten_is_gone(store: StudyStore) -> None:
    person, secret = store.join("en", {"PROLIFIC_PID": "abc"})
    pair = store.add_pair(person.id, 0, store.items[0].id, store.items[1].id)
    play = store.begin_play(pair.id, FIRST, 0, 7, "one")
    store.vote(pair, {"prefer": "both"})
    assert store.forget(person.id)
    assert not store.forget(person.id)
    assert store.participant(secret) is None
    with store.engine.connect() as db:
        assert db.execute(sa.select(plays)).all() == []
        assert db.execute(sa.select(votes)).all() == []
    assert store.save_plays([Progress(play.id, "", "[]", 0, 0.0, -1, False, "", 0.0)], "one") == [play.id]
    with pytest.raises(PcgError, match="deleted"):
        store.add_pair(person.id, 1, store.items[0].id, store.items[1].id)
    with pytest.raises(PcgError, match="deleted"):
        store.begin_play(pair.id, FIRST, 0, 7, "one")


@pytest.mark.parametrize(
    ("url", "words"),
    [("mysql+nothing://me:secret@host/x", "expected a file"), ("://", "expected a file"), ("/nowhere/at/all/s.db", "")],
)
def test_a_database_that_cannot_be_used(url: str, words: str) -> None:
    with pytest.raises(PcgError) as caught:
        migrate(connect(url))
    assert words in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_database_of_a_later_version(engine: sa.Engine) -> None:
    with engine.begin() as db:
        db.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(PcgError, match="later version"):
        migrate(engine)
