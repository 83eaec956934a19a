"""Evaluations that need not be made again: of the same level under the same settings the verdict is the same.

An evaluation depends on the game, the settings, what is wanted, the seed of the run and the level text, and on nothing
else: in particular not on the candidate's number, for all plays of a run share one seed. So equal levels of one run
are evaluated once, and with a cache on disk equal levels of all runs are. The code that evaluates is part of the key.
"""

from __future__ import annotations

import functools
import json
import sqlite3
from collections.abc import Iterable
from hashlib import blake2b, sha256
from pathlib import Path

import numpy as np
import platformdirs

import pcg.engine
import pcg.evaluators
from pcg.engine.native.targets import compiler
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.fitness_functions import users_code

FILE = "evaluations.sqlite"
USER = "user"
"""Stands for the folder of the user's caches."""


def level_key(level: str) -> bytes:
    """Return a digest of a level text, 16 bytes."""
    return blake2b(level.encode(), digest_size=16).digest()


@functools.cache
def code_digest() -> str:
    """Return a digest of the code that evaluates, with what was fitted: engine, evaluators, compiler and versions."""
    digest = sha256(f"{compiler()} {np.__version__}".encode())
    for package in (pcg.engine, pcg.evaluators):
        root = Path(str(package.__file__)).parent
        for path in sorted((*root.rglob("*.py"), *root.rglob("*.json"))):
            digest.update(path.relative_to(root).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:32]


def settings_key(parts: Iterable[object]) -> str:
    """Return a digest of all but the level that decides an evaluation, code included, also that of users' metrics."""
    return sha256("\0".join([code_digest() + users_code(), *(repr(part) for part in parts)]).encode()).hexdigest()


class EvaluationCache:
    """Evaluations on disk, for several runs, one after the other or at once.

    Args:
        folder: made if it does not exist; "user" is the folder of the user's caches.
        settings: see `settings_key`.

    Raises:
        PcgError: when the folder cannot be written or holds something else.
    """

    def __init__(self, folder: Path | str, settings: str) -> None:
        where = Path(platformdirs.user_cache_dir("pcg-toolkit")) if str(folder) == USER else Path(folder)
        self.path = where / FILE
        self.settings = settings
        try:
            where.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(self.path, timeout=30, isolation_level=None)
            # what is lost when the machine stops is only evaluated again
            self._database.execute("PRAGMA synchronous = OFF")
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute(
                "CREATE TABLE IF NOT EXISTS evaluations (settings TEXT, level BLOB, evaluation TEXT NOT NULL, "
                "PRIMARY KEY (settings, level)) WITHOUT ROWID"
            )
            self._database.execute("SELECT settings, level, evaluation FROM evaluations LIMIT 1").fetchone()
        except (OSError, sqlite3.Error) as error:
            raise PcgError(
                f"cannot use {self.path} as a cache of evaluations: {error}; name another folder or remove that file"
            ) from None

    def find(self, level: str) -> Evaluation | None:
        """Return the evaluation of a level, if it is there and can be read."""
        try:
            row = self._database.execute(
                "SELECT evaluation FROM evaluations WHERE settings = ? AND level = ?", (self.settings, level_key(level))
            ).fetchone()
            return Evaluation.from_json(json.loads(row[0])) if row else None
        except (sqlite3.Error, ValueError, KeyError, TypeError):
            return None

    def store(self, level: str, evaluation: Evaluation) -> None:
        """Keep an evaluation; a cache that cannot be written any more is no reason to stop a run."""
        text = json.dumps(evaluation.to_json(), allow_nan=False)
        try:
            self._database.execute(
                "INSERT OR REPLACE INTO evaluations VALUES (?, ?, ?)", (self.settings, level_key(level), text)
            )
        except sqlite3.Error:
            return

    def __len__(self) -> int:
        return int(self._database.execute("SELECT count(*) FROM evaluations").fetchone()[0])

    def close(self) -> None:
        """Close the file."""
        self._database.close()
