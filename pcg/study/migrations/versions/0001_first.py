"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "studies",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("config", sa.Text(), nullable=False),
        sa.Column("texts", sa.Text(), server_default="{}", nullable=False),
        sa.Column("state", sa.String(length=8), server_default="open", nullable=False),
        sa.Column("token", sa.String(length=64), nullable=False),
        sa.Column("joined", sa.Integer(), server_default="0", nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.CheckConstraint("state IN ('open', 'paused', 'closed')", name=op.f("ck_studies_state")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studies")),
        sa.UniqueConstraint("name", name=op.f("uq_studies_name")),
    )
    op.create_table(
        "items",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("group", sa.String(length=200), nullable=False),
        sa.Column("game", sa.String(length=200), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("rules", sa.Text(), nullable=False),
        sa.Column("reading", sa.String(length=8), server_default="", nullable=False),
        sa.Column("level", sa.Text(), nullable=False),
        sa.Column("about", sa.Text(), server_default="{}", nullable=False),
        sa.Column("features", sa.Text(), server_default="{}", nullable=False),
        sa.Column("check", sa.String(length=64), server_default="", nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_items_study_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_items")),
        sa.UniqueConstraint("study_id", "name", name=op.f("uq_items_study_id_name")),
    )
    op.create_table(
        "participants",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("token", sa.String(length=64), nullable=False),
        sa.Column("language", sa.String(length=16), nullable=False),
        sa.Column("external", sa.Text(), server_default="{}", nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("consented", sa.Double(), nullable=True),
        sa.Column("seen", sa.Double(), nullable=False),
        sa.Column("finished", sa.Double(), nullable=True),
        sa.Column("simulated", sa.Boolean(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studies.id"], name=op.f("fk_participants_study_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_participants")),
        sa.UniqueConstraint("study_id", "number", name=op.f("uq_participants_study_id_number")),
        sa.UniqueConstraint("token", name=op.f("uq_participants_token")),
    )
    op.create_index("ix_participants_study_id", "participants", ["study_id"], unique=False)
    op.create_table(
        "pairs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("participant_id", sa.String(length=32), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("first_id", sa.Integer(), nullable=False),
        sa.Column("second_id", sa.Integer(), nullable=False),
        sa.Column("check", sa.String(length=64), server_default="", nullable=False),
        sa.Column("expected", sa.String(length=8), server_default="", nullable=False),
        sa.Column("shown", sa.Double(), nullable=False),
        sa.Column("voted", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["first_id"], ["items.id"], name=op.f("fk_pairs_first_id")),
        sa.ForeignKeyConstraint(
            ["participant_id"], ["participants.id"], name=op.f("fk_pairs_participant_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["second_id"], ["items.id"], name=op.f("fk_pairs_second_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pairs")),
        sa.UniqueConstraint("participant_id", "position", name=op.f("uq_pairs_participant_id_position")),
    )
    op.create_table(
        "plays",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("pair_id", sa.Integer(), nullable=False),
        sa.Column("side", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("actions", sa.Text(), server_default="", nullable=False),
        sa.Column("presses", sa.Text(), server_default="[]", nullable=False),
        sa.Column("ticks", sa.Integer(), server_default="0", nullable=False),
        sa.Column("score", sa.Double(), server_default="0", nullable=False),
        sa.Column("winner", sa.Integer(), server_default="-1", nullable=False),
        sa.Column("over", sa.Boolean(), server_default="0", nullable=False),
        sa.Column("key", sa.String(length=16), server_default="", nullable=False),
        sa.Column("seconds", sa.Double(), server_default="0", nullable=False),
        sa.Column("started", sa.Double(), nullable=False),
        sa.Column("saved", sa.Double(), nullable=False),
        sa.Column("lease", sa.String(length=32), server_default="", nullable=False),
        sa.ForeignKeyConstraint(["pair_id"], ["pairs.id"], name=op.f("fk_plays_pair_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_plays")),
        sa.UniqueConstraint("pair_id", "side", "attempt", name=op.f("uq_plays_pair_id_side_attempt")),
    )
    op.create_table(
        "votes",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("pair_id", sa.Integer(), nullable=False),
        sa.Column("question", sa.String(length=64), nullable=False),
        sa.Column("answer", sa.String(length=8), nullable=False),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.Column("scales", sa.Text(), server_default="{}", nullable=False),
        sa.Column("time", sa.Double(), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.CheckConstraint("answer IN ('first', 'second', 'both', 'neither')", name=op.f("ck_votes_answer")),
        sa.ForeignKeyConstraint(["pair_id"], ["pairs.id"], name=op.f("fk_votes_pair_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_votes")),
        sa.UniqueConstraint("pair_id", "question", name=op.f("uq_votes_pair_id_question")),
    )
