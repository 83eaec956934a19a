"""A study's folder: the embedded database unless another one is named, and the researcher's token.

    dungeons/
      study.db            the database, where no other is given
      researcher-token    the only place where the token stands in clear; readable by its owner alone

The folder's name is the name of the study, so that a study in another database is found by its folder as well.
"""

from __future__ import annotations

import os
from pathlib import Path

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.study.migrations import migrate
from pcg.study.store import StudyStore, connect, default_url

DATABASE = "PCG_STUDY_DATABASE"
"""Environment variable with the address of a database for all studies."""

TOKEN_FILE = "researcher-token"


def database_url(folder: Path, url: str | None = None) -> str:
    """The database of a study: the one that is given, or that of the environment, or the embedded one."""
    return url or os.environ.get(DATABASE) or default_url(folder)


def open_study(folder: Path | str, url: str | None = None) -> StudyStore:
    """The study of a folder, its tables brought to the present version.

    Args:
        folder: path of the folder; its last part is the study's name.
        url: of a database that is not the folder's.

    Raises:
        PcgError: when there is no such study.
    """
    folder = Path(folder)
    found = database_url(folder, url)
    if found == default_url(folder) and not (folder / "study.db").is_file():
        raise PcgError(f"there is no study in {folder}: no file {folder / 'study.db'} (make one with `pcg study new`)")
    engine = connect(found)
    migrate(engine)
    return StudyStore(engine, folder.resolve().name)


def write_token(folder: Path, token: str) -> Path:
    """Keep the researcher's token in the folder, for its owner's eyes only; the file."""
    path = folder / TOKEN_FILE
    draft = path.with_name(f".{TOKEN_FILE}.draft")
    draft.unlink(missing_ok=True)
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(f"{token}\n")
    draft.replace(path)
    return path


def read_token(folder: Path) -> str | None:
    """The researcher's token, if the folder has it."""
    path = folder / TOKEN_FILE
    return path.read_text(encoding="utf-8").strip() if path.is_file() else None
