"""Participants know the ID that their link said, and studies have a key for their cookies."""

import json
import secrets

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

PANEL_ID = "PROLIFIC_PID"
"""The parameter of the link that said who somebody is, in studies of the version before."""


def upgrade() -> None:
    """Add the columns; every study gets a key of its own, every participant the ID that is among what was kept."""
    with op.batch_alter_table("studies") as studies:
        studies.add_column(sa.Column("key", sa.String(length=64), server_default="", nullable=False))
    with op.batch_alter_table("participants") as participants:
        participants.add_column(sa.Column("identity", sa.String(length=200), server_default="", nullable=False))
        participants.add_column(sa.Column("returns", sa.Integer(), server_default="0", nullable=False))
        participants.create_index("ix_participants_identity", ["study_id", "identity"])
    database = op.get_bind()
    study = sa.table("studies", sa.column("id"), sa.column("key"))
    for (number,) in database.execute(sa.select(study.c.id)).all():
        database.execute(sa.update(study).where(study.c.id == number).values(key=secrets.token_hex(32)))
    person = sa.table("participants", sa.column("id"), sa.column("external"), sa.column("identity"))
    for who, external in database.execute(sa.select(person.c.id, person.c.external)).all():
        identity = str(json.loads(external).get(PANEL_ID, ""))[:200]
        if identity:
            database.execute(sa.update(person).where(person.c.id == who).values(identity=identity))
