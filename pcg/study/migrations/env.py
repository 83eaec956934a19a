"""Run by alembic: upgrades over the connection that `migrate` gives it."""

from alembic import context

from pcg.study.schema import metadata

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=metadata, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
