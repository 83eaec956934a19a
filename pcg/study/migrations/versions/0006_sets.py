"""A pair may be a set of four items, of which the best is chosen."""

from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the two items more, and let votes name them; all that was shown before were pairs."""
    # By itself: a batch would make the table anew on SQLite, and with the old one plays and votes would go.
    for name in ("third_id", "fourth_id"):
        op.execute(f"ALTER TABLE pairs ADD COLUMN {name} INTEGER CONSTRAINT fk_pairs_{name} REFERENCES items (id)")
    with op.batch_alter_table("votes") as votes:
        votes.drop_constraint(op.f("ck_votes_answer"), type_="check")
        votes.create_check_constraint(
            op.f("ck_votes_answer"), "answer IN ('first', 'second', 'third', 'fourth', 'both', 'neither')"
        )
