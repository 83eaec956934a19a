"""Statements that the store of a study executes with nearly every request, built once."""

from __future__ import annotations

import sqlalchemy as sa

from pcg.study.schema import pairs, participants, plays, studies

NEW_PLAY = {
    "actions": "",
    "presses": "[]",
    "ticks": 0,
    "score": 0.0,
    "winner": -1,
    "over": False,
    "key": "",
    "seconds": 0.0,
    "input": "",
    "client": False,
    "refused": "",
}
"""Values of a play that has just begun."""

SITUATION = (
    sa.select(*participants.c, *pairs.c, studies.c.state)
    .select_from(participants.join(studies).outerjoin(pairs))
    .where(participants.c.token == sa.bindparam("its_token"), participants.c.study_id == sa.bindparam("its_study"))
    .order_by(pairs.c.position)
)
"""A participant by the digest of their token, with all their pairs and the state of the study."""

STANDINGS = (
    sa.select(plays.c.side, plays.c.seconds, plays.c.over)
    .where(plays.c.pair_id == sa.bindparam("its_pair"))
    .order_by(plays.c.attempt)
)
"""Attempts at the sides of a pair."""

SAVE_PLAY = (
    sa.update(plays)
    .where(plays.c.id == sa.bindparam("its_id"), plays.c.lease == sa.bindparam("its_lease"))
    .values({
        name: sa.bindparam(name)
        for name in ("actions", "presses", "ticks", "score", "winner", "over", "key", "seconds", "saved", "input")
    })
)  # fmt: skip
"""Saves a play under the lease of the process that has it."""

SAVE_PAGE_PLAY = SAVE_PLAY.where(
    plays.c.ticks == sa.bindparam("its_ticks"),
    sa.exists().where(pairs.c.id == plays.c.pair_id, pairs.c.voted.is_(None)).correlate(plays),
)
"""Saves a play of a page, if nothing else of it was stored meanwhile and its pair has no vote yet."""
