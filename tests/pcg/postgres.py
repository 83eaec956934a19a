"""A real PostgreSQL for tests: Debian's, started on a temporary folder, reached by a unix socket only.

Import `postgres_server` and `postgres_url` into a test module; tests that use them are skipped with a message where
PostgreSQL is not installed.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
import sqlalchemy as sa

_numbers = count()

DATABASES = ("sqlite", pytest.param("postgresql", marks=pytest.mark.postgres))
"""The kinds of databases, to parametrise tests with."""


def programs() -> Path | None:
    """The folder with `initdb` and `pg_ctl`, the latest version first; None where there is none."""
    found = [Path(p) for p in (shutil.which("pg_ctl"),) if p]
    known = Path("/usr/lib/postgresql")
    versions = sorted(known.iterdir(), key=lambda p: int(p.name) if p.name.isdigit() else 0) if known.is_dir() else []
    found += [version / "bin" / "pg_ctl" for version in reversed(versions)]
    return next((p.parent for p in found if p.is_file()), None)


class Server:
    """PostgreSQL on a folder of its own, as the user `postgres` when we are root, which it refuses to run as."""

    def __init__(self) -> None:
        programs_ = programs()
        assert programs_ is not None
        self.programs = programs_
        self.folder = Path(tempfile.mkdtemp(prefix="pcg-postgres-"))
        self.user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
        data = self.folder / "data"
        # The disk is not waited for: what a test asks is what is committed, not what survives a power cut.
        settings = f"-c listen_addresses='' -c unix_socket_directories='{self.folder}' -c fsync=off"
        self._run("initdb", "-D", str(data), "-U", self.user, "-A", "trust", "-E", "UTF8", "--no-sync")
        self._run("pg_ctl", "-D", str(data), "-l", str(self.folder / "log"), "-w", "-o", settings, "start")

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self.programs / program), *arguments]
        if os.geteuid() == 0:
            command = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", *command]
        done = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        assert done.returncode == 0, done.stdout.decode()

    def url(self, name: str) -> str:
        """The address of a database."""
        return f"postgresql+psycopg://{self.user}@/{name}?host={self.folder}"

    def new(self) -> str:
        """The address of a new, empty database."""
        name = f"test{next(_numbers)}"
        engine = sa.create_engine(self.url("postgres"), isolation_level="AUTOCOMMIT")
        with engine.connect() as db:
            db.execute(sa.text(f"CREATE DATABASE {name}"))
        engine.dispose()
        return self.url(name)

    def stop(self) -> None:
        """End it, and remove what it left."""
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-m", "immediate", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """PostgreSQL, for all tests of a process."""
    if programs() is None:
        pytest.skip("needs PostgreSQL (Debian: apt-get install postgresql)")
    if importlib.util.find_spec("psycopg") is None:
        pytest.skip("needs psycopg (pip install 'pcg-toolkit[postgres]')")
    server = Server()
    yield server
    server.stop()


@pytest.fixture
def postgres_url(postgres_server: Server) -> str:
    """The address of a new, empty database."""
    return postgres_server.new()
