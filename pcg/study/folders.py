"""The folder of a study: its file, its database and the researcher's token; the rows may be in a database elsewhere.

`study.toml`
    What the study is, every key filled in. A copy to read: what counts is the database's.
`study.db`
    The database, SQLite. Not there when the study is in a database elsewhere; then
`database`
    holds that one's address (readable by its owner only, as it may hold a password).
`researcher-token`
    The researcher's token, readable by its owner only.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import sqlalchemy as sa

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.study.config import read_study
from pcg.study.database import connect, default_url, study_names
from pcg.study.migrations import migrate
from pcg.study.rows import PRACTICE, StudyItem
from pcg.study.store import StudyStore

CONFIG, DATABASE, ADDRESS, TOKEN = "study.toml", "study.db", "database", "researcher-token"
"""Names of the files."""


def open_study(where: Path | str, database: str | None = None) -> StudyStore:
    """The study in a folder, or the one of that name in a database; an older database is brought up to date.

    What has outlived the study's retention is deleted before anybody can see it.

    Args:
        where: folder of the study, or with `database` only its name.
        database: address of a database or file of one; without it the folder says.

    Raises:
        PcgError: when there is no such study.
    """
    folder = Path(where)
    engine = open_database(_address(folder) if database is None else database)
    names = study_names(engine)
    name = names[0] if database is None and len(names) == 1 else ""
    if not name:
        name = read_study(folder / CONFIG).name if (folder / CONFIG).is_file() else folder.name
    store = StudyStore(engine, name or folder.name)
    store.keep_retention()
    return store


def open_database(url: str, *, new: bool = False) -> sa.Engine:
    """A database with the tables of this version. Only where it is `new` may a file of SQLite be made.

    Raises:
        PcgError: when it cannot be opened.
    """
    engine = connect(url)
    file = engine.url.database if engine.url.get_backend_name() == "sqlite" else None
    if file and file != ":memory:" and not new and not Path(file).is_file():
        raise PcgError(f"there is no database {file}")
    migrate(engine)
    return engine


def _address(folder: Path) -> str:
    """The address of the database of a study's folder."""
    if (folder / ADDRESS).is_file():
        return (folder / ADDRESS).read_text(encoding="utf-8").strip()
    if not (folder / DATABASE).is_file():
        raise PcgError(
            f"there is no study at {folder}: expected a folder that `pcg study new` made, or the name of a study "
            "and --database"
        )
    return default_url(folder)


def is_study(folder: Path) -> bool:
    """Return True for a folder that `pcg study new` made."""
    return (folder / CONFIG).is_file() and ((folder / DATABASE).is_file() or (folder / ADDRESS).is_file())


def studies_in(folder: Path) -> list[Path]:
    """The folders of studies in a folder, itself included."""
    if not folder.is_dir():
        raise PcgError(f"{folder} is no folder")
    return [path for path in (folder, *sorted(folder.iterdir())) if path.is_dir() and is_study(path)]


def write_secret(path: Path, text: str) -> None:
    """Write a file that only its owner can read."""
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text + "\n")


def attention_checks(items: Iterable[StudyItem]) -> dict[str, tuple[StudyItem, StudyItem]]:
    """The attention checks by name: two items each, of which an attentive person prefers the first.

    Items of a check are shown in that check only, in whichever order; its expected answer is the side on which the
    first of them stands.

    Raises:
        PcgError: for a check of one item or of more than two.
    """
    found: dict[str, list[StudyItem]] = {}
    for item in items:
        if item.check and item.check != PRACTICE:
            found.setdefault(item.check, []).append(item)
    for name, both in found.items():
        if len(both) != 2:
            raise PcgError(
                f"the attention check `{name}` has {len(both)} items, expected two: first the one that an attentive "
                "person prefers, then the other"
            )
    return {name: (both[0], both[1]) for name, both in found.items()}
