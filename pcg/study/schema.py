"""The tables of a study.

Times are seconds since 1970 (UTC). Tokens are stored as SHA-256 of their text: they are random numbers of 256 bits, so
nothing slower is needed. What belongs to a participant hangs on the participant's row and goes with it.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_label)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

studies = Table(
    "studies",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(64), nullable=False, unique=True),
    Column("config", Text, nullable=False),  # the TOML text of `StudyConfig`
    Column(
        "texts", Text, nullable=False, server_default="{}"
    ),  # JSON: language -> name -> text, files read at creation
    Column("state", String(8), nullable=False, server_default="open"),  # open, paused, closed
    Column("token", String(64), nullable=False),  # of the researcher, hashed
    Column(
        "key", String(64), nullable=False, server_default=""
    ),  # of the server, from which cookies and forms are made
    Column("joined", Integer, nullable=False, server_default="0"),  # participants so far, those deleted among them
    Column("created", Double, nullable=False),
    CheckConstraint("state IN ('open', 'paused', 'closed')", name="state"),
)

items = Table(
    "items",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("study_id", ForeignKey("studies.id", ondelete="CASCADE"), nullable=False),
    Column("name", String(200), nullable=False),  # unique within the study; what votes name
    Column("group", String(200), nullable=False),
    Column("game", String(200), nullable=False),  # name of the game, for "only levels of the same game"
    Column("digest", String(64), nullable=False),  # Game.digest
    Column("rules", Text, nullable=False),  # VGDL text
    Column("reading", String(8), nullable=False, server_default=""),  # how it is read: "", strict, gvgai
    Column("level", Text, nullable=False),
    Column(
        "about", Text, nullable=False, server_default="{}"
    ),  # JSON: language -> {goal, controls}, given or described
    Column("features", Text, nullable=False, server_default="{}"),  # JSON: metric -> number
    Column("check", String(64), nullable=False, server_default=""),  # name of the attention check it is for
    Column("paused", Boolean, nullable=False, server_default="0"),  # not shown in new pairs for now
    UniqueConstraint("study_id", "name"),
)

participants = Table(
    "participants",
    metadata,
    Column("id", String(32), primary_key=True),  # random; exported, gives no access
    Column("study_id", ForeignKey("studies.id", ondelete="CASCADE"), nullable=False),
    Column("number", Integer, nullable=False),  # counted from 0 in each study; decides pairing and sides
    Column("token", String(64), nullable=False, unique=True),  # of the cookie, hashed
    Column("language", String(16), nullable=False),
    Column("external", Text, nullable=False, server_default="{}"),  # JSON: parameters of the link that are kept
    Column("created", Double, nullable=False),
    Column("consented", Double),
    Column("seen", Double, nullable=False),
    Column("finished", Double),
    Column("simulated", Boolean, nullable=False, server_default="0"),
    Column("identity", String(200), nullable=False, server_default=""),  # who the link said that they are
    Column("returns", Integer, nullable=False, server_default="0"),  # times that this ID came from another browser
    Column("device", String(8), nullable=False, server_default=""),  # phone, tablet or computer
    Column("ended", String(12), nullable=False, server_default=""),  # screened, failed, expired; empty: none of these
    Column("cause", String(200), nullable=False, server_default=""),  # question or quota that ended it
    Column("consent", String(16), nullable=False, server_default=""),  # version of what they agreed to
    UniqueConstraint("study_id", "number"),
    Index("ix_participants_study_id", "study_id"),
    Index("ix_participants_identity", "study_id", "identity"),
)

pairs = Table(
    "pairs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("participant_id", ForeignKey("participants.id", ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False),  # counted from 0
    Column("first_id", ForeignKey("items.id"), nullable=False),  # shown left
    Column("second_id", ForeignKey("items.id"), nullable=False),
    Column("third_id", ForeignKey("items.id")),  # empty: it is a pair, and no set of four
    Column("fourth_id", ForeignKey("items.id")),
    Column("check", String(64), nullable=False, server_default=""),  # name of the attention check, if it is one
    Column("expected", String(8), nullable=False, server_default=""),  # the answer that passes it
    Column("shown", Double, nullable=False),
    Column("voted", Double),
    UniqueConstraint("participant_id", "position"),
)

plays = Table(
    "plays",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("pair_id", ForeignKey("pairs.id", ondelete="CASCADE"), nullable=False),
    Column("side", Integer, nullable=False),  # 0 first, 1 second, 2 third, 3 fourth
    Column("attempt", Integer, nullable=False),  # counted from 0; more by restarts
    Column("seed", Integer, nullable=False),
    Column("actions", Text, nullable=False, server_default=""),  # one letter per tick (`encode_play`)
    Column("presses", Text, nullable=False, server_default="[]"),  # JSON: [ticks, letter, 1 (down) or 0 (up)]
    Column("ticks", Integer, nullable=False, server_default="0"),
    Column("score", Double, nullable=False, server_default="0"),
    Column("winner", Integer, nullable=False, server_default="-1"),
    Column("over", Boolean, nullable=False, server_default="0"),
    Column("key", String(16), nullable=False, server_default=""),  # `State.key()` at the end, hexadecimal
    Column("seconds", Double, nullable=False, server_default="0"),  # that the clock ran
    Column("input", String(24), nullable=False, server_default=""),  # of keys, touch and pointer what was used
    Column("started", Double, nullable=False),
    Column("saved", Double, nullable=False),
    # The server process, or the page of the participant, whose play it is at the moment.
    Column("lease", String(32), nullable=False, server_default=""),
    Column("client", Boolean, nullable=False, server_default="0"),  # some of it ran in the participant's page
    Column("refused", String(200), nullable=False, server_default=""),  # why something sent for it was refused last
    UniqueConstraint("pair_id", "side", "attempt"),
)

votes = Table(
    "votes",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("pair_id", ForeignKey("pairs.id", ondelete="CASCADE"), nullable=False),
    Column("question", String(64), nullable=False),
    Column("answer", String(8), nullable=False),
    Column("reason", Text, nullable=False, server_default=""),
    Column("scales", Text, nullable=False, server_default="{}"),  # JSON: scale -> number or [first, second]
    Column("time", Double, nullable=False),
    Column("seconds", Double, nullable=False),  # from the pair's first sight to the vote
    UniqueConstraint("pair_id", "question"),
    CheckConstraint("answer IN ('first', 'second', 'third', 'fourth', 'both', 'neither')", name="answer"),
)

answers = Table(
    "answers",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("participant_id", ForeignKey("participants.id", ondelete="CASCADE"), nullable=False),
    Column("part", String(16), nullable=False),  # before, comprehension, pair, after; practice: a game was tried
    Column("position", Integer, nullable=False),  # of the pair, or how many times it had been answered before
    Column("question", String(200), nullable=False),
    Column("value", Text, nullable=False),
    Column("time", Double, nullable=False),
    UniqueConstraint("participant_id", "part", "position", "question"),
)

consents = Table(
    "consents",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("study_id", ForeignKey("studies.id", ondelete="CASCADE"), nullable=False),
    Column("version", String(16), nullable=False),  # beginning of the text's hash
    Column("language", String(16), nullable=False),
    Column("text", Text, nullable=False),
    Column("created", Double, nullable=False),
    UniqueConstraint("study_id", "version"),
)
