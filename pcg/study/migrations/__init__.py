"""Migrations of databases of older versions to this one (alembic). Opening a study calls `migrate`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.exc import DBAPIError

from pcg.engine.vgdl.diagnostics import PcgError


def configuration(connection: sa.Connection | None = None) -> Config:
    """Alembic's configuration, with the connection that it is to use."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


@cache
def revisions() -> tuple[str, ...]:
    """All versions, oldest first."""
    return tuple(one.revision for one in ScriptDirectory.from_config(configuration()).walk_revisions())[::-1]


def migrate(engine: sa.Engine, revision: str = "head") -> None:
    """Bring a database, which may be empty, to a version.

    Raises:
        PcgError: when it cannot be opened, or was made by a later version than this one.
    """
    try:
        with engine.begin() as connection:
            if connection.dialect.name == "postgresql":  # two servers may start at the same moment
                connection.execute(sa.text("SELECT pg_advisory_xact_lock(7421960315)"))
            present = MigrationContext.configure(connection).get_current_revision()
            known = revisions()
            if present is not None and present not in known:
                raise PcgError(f"the database has tables of a later version ({present}) than this one knows")
            if present == known[-1] and revision == "head":
                return  # as most databases that are opened are: alembic would load all its scripts to find that out
            command.upgrade(configuration(connection), revision)
    except DBAPIError as error:
        raise PcgError(f"cannot open the database: {str(error.orig).strip()}") from None
