"""Databases of studies: opening one, and the studies that it holds."""

from __future__ import annotations

import hashlib
import secrets
import sqlite3
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, IntegrityError, InvalidatePoolError, NoSuchModuleError
from sqlalchemy.pool import ConnectionPoolEntry

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.study.config import StudyConfig
from pcg.study.rows import StudyItem, as_json, item_row
from pcg.study.schema import items, participants, studies

LOCKED_S = 30.0
"""So long another process may hold the lock of a database in a file before an answer is an error."""
REST_S = 5.0
"""A connection to a server that was not used for so long may be broken, and is tried first."""


def digest(token: str) -> str:
    """Return the digest that is stored of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def connect(url: str) -> sa.Engine:
    """An engine for a database address; a path of a file means SQLite.

    Raises:
        PcgError: for an address of no known kind, or of a driver that is not installed.
    """
    if "://" not in url:
        url = f"sqlite:///{url}"
    try:
        parsed = sa.make_url(url)
        if parsed.get_backend_name() == "sqlite":
            engine = sa.create_engine(parsed, connect_args={"timeout": LOCKED_S})
            sa.event.listen(engine, "connect", _prepare_sqlite)
            sa.event.listen(engine, "begin", _begin_sqlite)
            return engine
        if parsed.get_backend_name() != "postgresql":
            raise ArgumentError(url)
        engine = sa.create_engine(parsed, pool_size=8, max_overflow=8)
        _ping_after_rest(engine)
        return engine
    except (ArgumentError, NoSuchModuleError):
        raise PcgError(
            f"cannot use the database {_without_password(url)!r}, expected a file or an address as in "
            "postgresql+psycopg://user@host/name"
        ) from None
    except ModuleNotFoundError as error:
        raise PcgError(f"the database {_without_password(url)!r} needs `{error.name}`: install pcg[postgres]") from None


def _ping_after_rest(engine: sa.Engine) -> None:
    """Ask whether the server is still there on a connection that has rested; `pool_pre_ping` asks every time."""

    def note(connection: Any, record: ConnectionPoolEntry) -> None:
        record.info["used"] = time.monotonic()

    def ask(connection: Any, record: ConnectionPoolEntry, proxy: object) -> None:
        if time.monotonic() - record.info.get("used", time.monotonic()) > REST_S:
            try:
                engine.dialect.do_ping(connection)
            except engine.dialect.loaded_dbapi.Error as error:
                raise InvalidatePoolError from error

    sa.event.listen(engine, "checkin", note)
    sa.event.listen(engine, "checkout", ask)


def _without_password(url: str) -> str:
    """The address as it may be shown."""
    head, at, tail = url.rpartition("@")
    return url if not at else f"{head.rpartition(':')[0]}@{tail}" if ":" in head.partition("://")[2] else url


def _prepare_sqlite(connection: sqlite3.Connection, record: object) -> None:
    connection.isolation_level = None  # SQLAlchemy's own BEGIN below, not the driver's
    _switch_to_wal(connection)
    for pragma in ("synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    # SQLite does not wait for the lock of this one statement, which a new file needs once: two servers that start at
    # the same moment would meet in it.
    until = time.monotonic() + LOCKED_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
        time.sleep(0.01)


def _begin_sqlite(connection: sa.Connection) -> None:
    # A transaction that begins by reading could not get the lock for writing later without an error.
    connection.exec_driver_sql("BEGIN" if connection.get_execution_options().get("reads") else "BEGIN IMMEDIATE")


def create_study(
    engine: sa.Engine, config: StudyConfig, chosen: Sequence[StudyItem], texts: Mapping[str, Mapping[str, str]]
) -> str:
    """Store a new study and return its researcher's token, which is not stored.

    Args:
        engine: of a database with the present tables (`migrate`).
        config: what it is.
        chosen: what is judged, attention checks among them.
        texts: what the pages say, by language.

    Raises:
        PcgError: when there is a study of that name.
    """
    token = secrets.token_urlsafe(32)
    try:
        with engine.begin() as db:
            row = {"name": config.name, "config": config.to_toml(), "texts": as_json(texts), "token": digest(token)}
            row["key"] = secrets.token_hex(32)
            study = inserted_id(db.execute(sa.insert(studies).values(**row, created=time.time())))
            db.execute(sa.insert(items), [item_row(item, study) for item in chosen])
    except IntegrityError:
        raise PcgError(f"there is a study `{config.name}` in this database already") from None
    return token


def study_names(engine: sa.Engine) -> list[str]:
    """Names of the studies of a database."""
    with engine.connect() as db:
        return list(db.scalars(sa.select(studies.c.name).order_by(studies.c.name)))


def delete_study(engine: sa.Engine, name: str) -> bool:
    """Delete a study with everything that belongs to it; return True if there was one."""
    with engine.begin() as db:
        study = db.scalar(sa.select(studies.c.id).where(studies.c.name == name))
        if study is None:
            return False
        # People first: their pairs refer to items.
        db.execute(sa.delete(participants).where(participants.c.study_id == study))
        db.execute(sa.delete(studies).where(studies.c.id == study))
    return True


def inserted_id(result: sa.CursorResult[Any]) -> int:
    """The id of the row that was inserted."""
    key = result.inserted_primary_key
    assert key is not None
    return int(key[0])


def default_url(folder: Path) -> str:
    """The embedded database of a study's folder."""
    return f"sqlite:///{folder / 'study.db'}"
