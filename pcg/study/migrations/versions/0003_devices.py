"""Participants have a kind of device, and plays the kinds of input that they were played with."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the columns; of those who took part before nothing is known."""
    with op.batch_alter_table("participants") as participants:
        participants.add_column(sa.Column("device", sa.String(length=8), server_default="", nullable=False))
    with op.batch_alter_table("plays") as plays:
        plays.add_column(sa.Column("input", sa.String(length=24), server_default="", nullable=False))
