"""Answers to questionnaires in the database of a study, with quotas and versions of the consent.

All methods are one transaction each. Answering a page a second time changes nothing.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from pcg.study.panels import Quota
from pcg.study.questionnaire import BEFORE, Ask
from pcg.study.schema import answers, consents, items, participants

PRACTISED = "practice"
"""Part of the answers that record which games were tried in practice."""
Given = dict[tuple[str, int], dict[str, str]]


class Answers:
    """Answers of the participants of one study.

    Args:
        engine: of the database.
        study: id of the study.
    """

    def __init__(self, engine: sa.Engine, study: int) -> None:
        self.engine, self.study = engine, study
        self._reader = engine.execution_options(reads=True)

    def __repr__(self) -> str:
        return f"<answers of study {self.study}>"

    # -- questionnaires ------------------------------------------------------------------------------------------------

    def add(self, who: str, part: str, position: int, values: Mapping[str, str]) -> bool:
        """Store the answers of one page, all or none; return True if they are new.

        Args:
            who: id of the participant.
            part: one of `pcg.study.questionnaire.PARTS`, or `PRACTISED`.
            position: of the pair, or how often the page was answered before.
            values: question -> answer.
        """
        now = time.time()
        rows = [{"participant_id": who, "part": part, "position": position, "question": name, "value": value,
                 "time": now} for name, value in values.items()]  # fmt: skip
        try:
            with self.engine.begin() as db:
                db.execute(sa.insert(answers), rows)
        except IntegrityError:
            return False  # answered already, or the participant has been deleted
        return True

    def given_by(self, db: sa.Connection, who: str) -> Given:
        """Return the answers of a participant by part and position.

        Args:
            db: a connection that reads.
            who: id of the participant.
        """
        found: Given = {}
        query = sa.select(answers.c.part, answers.c.position, answers.c.question, answers.c.value)
        for part, position, question, value in db.execute(query.where(answers.c.participant_id == who)):
            found.setdefault((part, int(position)), {})[question] = value
        return found

    def rows(self, of: str = "") -> list[dict[str, Any]]:
        """Return all answers, or those of a participant, in the order of the database.

        Keys: participant, part, position, question, value, time.
        """
        columns = (answers.c.participant_id.label("participant"), answers.c.part, answers.c.position,
                   answers.c.question, answers.c.value, answers.c.time)  # fmt: skip
        with self._reader.connect() as db:
            query = sa.select(*columns).select_from(answers.join(participants))
            query = query.where(participants.c.study_id == self.study).order_by(answers.c.id)
            query = query.where(participants.c.id == of) if of else query
            return [dict(row) for row in db.execute(query).mappings()]

    # -- quotas --------------------------------------------------------------------------------------------------------

    def full_quota(
        self, quotas: Iterable[Quota], own: Mapping[str, str], taken: sa.ColumnElement[bool], besides: str = ""
    ) -> Quota | None:
        """Return the first full quota that a participant belongs to; None where there is a place.

        Args:
            quotas: of the study.
            own: what is known of them: device, language, kept parameters and answers, by name.
            taken: condition for participants who take a place.
            besides: id of a participant who is not counted.
        """
        mine = [quota for quota in quotas if own.get(quota.of) == quota.value]
        if not mine:
            return None
        with self._reader.connect() as db:
            here = sa.select(participants.c.id, participants.c.device, participants.c.language,
                             participants.c.external).where(participants.c.study_id == self.study, taken)  # fmt: skip
            people = {row.id: {"device": row.device, "language": row.language, **json.loads(row.external)}
                      for row in db.execute(here) if row.id != besides}  # fmt: skip
            names = [quota.of for quota in mine]
            said = sa.select(answers.c.participant_id, answers.c.question, answers.c.value).where(
                answers.c.part == BEFORE, answers.c.question.in_(names)
            )
            for who, question, value in db.execute(said):
                if who in people:
                    people[who][question] = value
        for quota in mine:
            if sum(known.get(quota.of) == quota.value for known in people.values()) >= quota.most:
                return quota
        return None

    # -- consent -------------------------------------------------------------------------------------------------------

    def consent_version(self, language: str, text: str) -> str:
        """Return the version of a text that participants agree to; stored when it is new.

        Args:
            language: of the text.
            text: as the page shows it.
        """
        version = hashlib.sha256(f"{language}\n{text}".encode()).hexdigest()[:16]
        if version in {row["version"] for row in self.consents()}:
            return version
        row = {"study_id": self.study, "version": version, "language": language, "text": text, "created": time.time()}
        try:
            with self.engine.begin() as db:
                db.execute(sa.insert(consents).values(**row))
        except IntegrityError:
            pass  # another process was faster
        return version

    def consents(self) -> list[dict[str, Any]]:
        """Return the versions of the consent: version, language, text, created."""
        columns = (consents.c.version, consents.c.language, consents.c.text, consents.c.created)
        with self._reader.connect() as db:
            query = sa.select(*columns).where(consents.c.study_id == self.study).order_by(consents.c.id)
            return [dict(row) for row in db.execute(query).mappings()]

    # -- retention, paused items ---------------------------------------------------------------------------------------

    def delete_unseen(self, before: float) -> int:
        """Delete participants whose last visit was before a moment, with their data; return their number.

        Args:
            before: seconds since 1970.
        """
        gone = sa.delete(participants).where(participants.c.study_id == self.study, participants.c.seen < before)
        with self.engine.begin() as db:
            return db.execute(gone).rowcount

    def paused_items(self) -> set[int]:
        """Return the ids of the items that are in no new pair for now."""
        with self._reader.connect() as db:
            query = sa.select(items.c.id).where(items.c.study_id == self.study, items.c.paused.is_(True))
            return set(db.scalars(query))

    def pause_item(self, item: int, paused: bool) -> None:
        """Take an item out of new pairs, or in again.

        Args:
            item: id.
            paused: True takes it out.
        """
        mine = (items.c.id == item) & (items.c.study_id == self.study)
        with self.engine.begin() as db:
            db.execute(sa.update(items).where(mine).values(paused=paused))


def failed_checks(rows: Iterable[Mapping[str, str]], asks: Iterable[Ask]) -> int:
    """Return the number of attention items that were answered wrongly.

    Args:
        rows: answers, with `question`, `part` and `value`.
        asks: questions of the study.
    """
    checks = {ask.name: ask for ask in asks if ask.is_check}
    return sum(
        not checks[row["question"]].is_right(row["value"])
        for row in rows
        if row["question"] in checks and row["part"] == checks[row["question"]].when
    )
