"""Plays tell where they ran, in the participant's page or on the server, and what was refused of them."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the columns; all plays before ran on the server."""
    with op.batch_alter_table("plays") as plays:
        plays.add_column(sa.Column("client", sa.Boolean(), server_default="0", nullable=False))
        plays.add_column(sa.Column("refused", sa.String(length=200), server_default="", nullable=False))
