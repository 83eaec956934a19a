"""Answers to questionnaires, versions of what participants agreed to, ends of participations, and paused items."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add tables and columns; of those who took part before no version of the consent is known."""
    with op.batch_alter_table("participants") as participants:
        participants.add_column(sa.Column("ended", sa.String(length=12), server_default="", nullable=False))
        participants.add_column(sa.Column("cause", sa.String(length=200), server_default="", nullable=False))
        participants.add_column(sa.Column("consent", sa.String(length=16), server_default="", nullable=False))
    with op.batch_alter_table("items") as items:
        items.add_column(sa.Column("paused", sa.Boolean(), server_default="0", nullable=False))
    op.create_table(
        "answers",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("participant_id", sa.String(length=32), nullable=False),
        sa.Column("part", sa.String(length=16), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("question", sa.String(length=200), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("time", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["participant_id"], ["participants.id"], name=op.f("fk_answers_participant_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_answers")),
        sa.UniqueConstraint(
            "participant_id", "part", "position", "question",
            name=op.f("uq_answers_participant_id_part_position_question"),
        ),
    )  # fmt: skip
    op.create_table(
        "consents",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.String(length=16), nullable=False),
        sa.Column("language", sa.String(length=16), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_consents_study_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_consents")),
        sa.UniqueConstraint("study_id", "version", name=op.f("uq_consents_study_id_version")),
    )
