"""Reading and writing of the database of a study.

All methods are synchronous, short, and one transaction each; the server calls them in threads. What a method returns as
done is on the disk (SQLite: WAL with synchronous=FULL). Calling `vote` or `add_pair` a second time changes nothing and
returns what was stored the first time: back buttons, double clicks and repeated requests are all answered by that.
"""

from __future__ import annotations

import hmac
import json
import secrets
import time
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError, OperationalError

from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean
from pcg.study.answers import Answers
from pcg.study.config import StudyConfig
from pcg.study.database import digest, inserted_id, study_names
from pcg.study.rows import (
    PRACTICE,
    SIDES,
    Pair,
    Participant,
    Play,
    Progress,
    Situation,
    Standing,
    as_json,
    item_of,
    pair_of,
    participant_of,
    play_of,
)
from pcg.study.schema import items, pairs, participants, plays, studies, votes
from pcg.study.statements import NEW_PLAY, SAVE_PAGE_PLAY, SAVE_PLAY, SITUATION, STANDINGS

STATES = ("open", "paused", "closed")


class KnownIdentity(PcgError):
    """An ID that has taken part already, in a study that takes each only once."""


class StudyStore:
    """One study in a database.

    Args:
        engine: of a database with the present tables.
        name: of the study.

    Raises:
        PcgError: when there is none of that name, or no database.
    """

    def __init__(self, engine: sa.Engine, name: str) -> None:
        self.engine = engine
        self._reader = engine.execution_options(reads=True)
        self.name = name
        try:
            with self._reader.connect() as db:
                row = db.execute(sa.select(studies).where(studies.c.name == name)).mappings().one_or_none()
        except OperationalError as error:
            raise PcgError(f"cannot read the database: {error.orig}") from None
        if row is None:
            known = study_names(engine)
            hint = did_you_mean(name, known, f" (there are {', '.join(known) or 'none'})")
            raise PcgError(f"there is no study `{name}` in this database{hint}")
        self.id = int(row["id"])
        self.created = float(row["created"])
        self.key = str(row["key"])
        """Of the server, from which cookies and forms are made; the same for all processes."""
        self.config = read_stored(str(row["config"]))
        self.texts: dict[str, dict[str, str]] = json.loads(row["texts"])
        with self._reader.connect() as db:
            found = db.execute(sa.select(items).where(items.c.study_id == self.id).order_by(items.c.id)).mappings()
            self.items = [item_of(r) for r in found]
        self.item = {item.id: item for item in self.items}
        self.answers = Answers(engine, self.id)
        """Answers to questionnaires, versions of the consent, quotas."""
        self._asks = bool(self.config.asks) or any(item.check == PRACTICE for item in self.items)

    def __repr__(self) -> str:
        return f"<study {self.name}: {len(self.items)} items>"

    # -- the study -----------------------------------------------------------------------------------------------------

    @property
    def state(self) -> str:
        """open, paused or closed, as the researcher set it; dates are the configuration's."""
        with self._reader.connect() as db:
            return str(db.scalar(sa.select(studies.c.state).where(studies.c.id == self.id)))

    def set_state(self, state: str) -> None:
        """Open, pause or close.

        Raises:
            PcgError: for another word.
        """
        if state not in STATES:
            raise PcgError(f"no state {state!r} (expected {', '.join(STATES)})")
        with self.engine.begin() as db:
            db.execute(sa.update(studies).where(studies.c.id == self.id).values(state=state))

    def try_to_write(self) -> None:
        """Write what is there already; raises the database's error when nothing can be written."""
        with self.engine.begin() as db:
            db.execute(sa.update(studies).where(studies.c.id == self.id).values(joined=studies.c.joined))

    def is_researcher(self, token: str) -> bool:
        """Return True for the researcher's token; takes the same time whatever the token is."""
        with self._reader.connect() as db:
            stored = str(db.scalar(sa.select(studies.c.token).where(studies.c.id == self.id)))
        return hmac.compare_digest(stored, digest(token))

    def new_token(self) -> str:
        """Give the researcher a new token; the one before is of no use any more."""
        token = secrets.token_urlsafe(32)
        with self.engine.begin() as db:
            db.execute(sa.update(studies).where(studies.c.id == self.id).values(token=digest(token)))
        return token

    # -- participants --------------------------------------------------------------------------------------------------

    def join(
        self,
        language: str,
        external: Mapping[str, str] | None = None,
        *,
        simulated: bool = False,
        consented: bool = False,
        secret: str = "",
        device: str = "",
        consent: str = "",
    ) -> tuple[Participant, str]:
        """A new participant, who has consented or not yet, and the secret for the cookie.

        With a `secret` of the caller's, which must be one that nobody can guess, joining twice with it is joining once.
        An ID that has taken part already gets its participant back, whose secret is this one from then on, or is turned
        away, as the study says.

        Raises:
            KnownIdentity: when it is turned away.
            PcgError: when the study is full.
        """
        secret = secret or secrets.token_urlsafe(32)
        now = time.time()
        kept = dict(external or {})
        identity = "" if simulated else self.config.identity_in(kept)[:200]
        with self.engine.begin() as db:
            ours = studies.c.id == self.id
            # Whoever comes at the same moment waits for the study's row.
            db.execute(sa.update(studies).where(ours).values(joined=studies.c.joined))
            known = db.execute(sa.select(participants).where(participants.c.token == digest(secret))).mappings().first()
            if known is not None:
                return participant_of(known), secret
            old = self._known(db, identity)
            if old is None:
                agreed = now if consented else None
                person = self._add(db, secret, language, kept, identity, simulated, agreed, device, consent)
                return person, secret
            changed: dict[str, Any] = {"returns": old.returns + 1}
            if self.config.again == "rejoin":
                changed |= {"token": digest(secret), "language": language, "seen": now}
            db.execute(sa.update(participants).where(participants.c.id == old.id).values(**changed))
        if self.config.again == "refuse":
            raise KnownIdentity("this ID has taken part already")
        return replace(old, language=language, seen=now, returns=old.returns + 1), secret

    def rejoins(self, identity: str) -> bool:
        """Return True for the ID of a participant who may go on in another browser.

        Args:
            identity: of the link; empty for none.
        """
        if self.config.again != "rejoin" or not identity:
            return False
        with self._reader.connect() as db:
            return self._known(db, identity[:200]) is not None

    def _known(self, db: sa.Connection, identity: str) -> Participant | None:
        """The participant whom an ID belongs to, where the study takes each ID once."""
        if not identity or self.config.again == "allow":
            return None
        same = (participants.c.study_id == self.id) & (participants.c.identity == identity)
        query = sa.select(participants).where(same, participants.c.simulated.is_(False))
        found = db.execute(query.order_by(participants.c.number)).mappings().first()
        return participant_of(found) if found is not None else None

    def _add(
        self, db: sa.Connection, secret: str, language: str, external: dict[str, str], identity: str, simulated: bool,
        consented: float | None, device: str, consent: str,
    ) -> Participant:  # fmt: skip
        """Add a participant, in a transaction that holds the study's row.

        The number is counted in that row, not in the participants': it is not given out again after a deletion.
        """
        now = time.time()
        ours, of_study = studies.c.id == self.id, participants.c.study_id == self.id
        counted = int(db.scalar(sa.select(studies.c.joined).where(ours)) or 0)
        highest = db.scalar(sa.select(sa.func.max(participants.c.number)).where(of_study))
        number = counted if highest is None else max(counted, int(highest) + 1)
        if self.config.most and not simulated and int(db.scalar(self._places()) or 0) >= self.config.most:
            raise PcgError("the study has all the participants it needs")
        db.execute(sa.update(studies).where(ours).values(joined=number + 1))
        person = Participant(
            secrets.token_hex(16),
            number,
            language,
            external,
            now,
            consented,
            now,
            None,
            simulated,
            identity,
            device=device,
            consent=consent,
        )
        db.execute(
            sa.insert(participants).values(
                id=person.id, study_id=self.id, number=number, token=digest(secret), language=language,
                external=as_json(external), created=now, consented=consented, seen=now, simulated=simulated,
                identity=identity, device=device, consent=consent,
            )
        )  # fmt: skip
        return person

    def participant(self, secret: str) -> Participant | None:
        """The participant of a cookie's secret."""
        return self._one(participants.c.token == digest(secret))

    def situation(self, secret: str) -> Situation | None:
        """Return the state of the participant with a cookie's secret."""
        with self._reader.connect() as db:
            rows = db.execute(SITUATION, {"its_token": digest(secret), "its_study": self.id}).all()
            if not rows:
                return None
            person, pair = len(participants.c), len(participants.c) + len(pairs.c)
            who, state = (
                participant_of(dict(zip(participants.c.keys(), rows[0][:person], strict=True))),
                str(rows[0][pair]),
            )
            found = [
                pair_of(dict(zip(pairs.c.keys(), row[person:pair], strict=True)))
                for row in rows
                if row[person] is not None
            ]
            sides = [Standing()] * (len(found[-1].items) if found else 0)
            if found:
                for side, seconds, over in db.execute(STANDINGS, {"its_pair": found[-1].id}):
                    old = sides[side]
                    sides[side] = Standing(
                        old.attempts + 1, old.seconds + seconds, old.finished + bool(over), bool(over)
                    )
            answered = self.answers.given_by(db, who.id) if self._asks else {}
        return Situation(who, found, sides, state, answered)

    def participant_by_id(self, who: str) -> Participant | None:
        """The participant of an id."""
        return self._one(participants.c.id == who)

    def _one(self, condition: sa.ColumnElement[bool]) -> Participant | None:
        with self._reader.connect() as db:
            query = sa.select(participants).where(condition, participants.c.study_id == self.id)
            row = db.execute(query).mappings().one_or_none()
        return None if row is None else participant_of(row)

    def participants(self) -> list[Participant]:
        """All participants in the order in which they came."""
        with self._reader.connect() as db:
            query = sa.select(participants).where(participants.c.study_id == self.id).order_by(participants.c.number)
            return [participant_of(row) for row in db.execute(query).mappings()]

    def is_full(self) -> bool:
        """Return True when all places are taken: by people who finished, or who play and were there lately.

        Simulated participants, those who have not played yet, and those who went away and gave no sign for `place`
        minutes take none.
        """
        if not self.config.most:
            return False
        with self._reader.connect() as db:
            return int(db.scalar(self._places()) or 0) >= self.config.most

    def _places(self) -> sa.Select[Any]:
        """The query for the number of places that are taken."""
        taken = sa.select(sa.func.count()).select_from(participants)
        return taken.where(participants.c.study_id == self.id, self.takes_place())

    def takes_place(self) -> sa.ColumnElement[bool]:
        """The condition for participants that take a place."""
        since = time.time() - 60 * self.config.place
        mine = sa.select(pairs.c.id).where(pairs.c.participant_id == participants.c.id)
        played = mine.join(plays, plays.c.pair_id == pairs.c.id).where(plays.c.ticks > 0)
        begun = sa.or_(played.exists(), mine.where(pairs.c.voted.is_not(None)).exists())
        there = sa.or_(participants.c.seen >= since, played.where(plays.c.saved >= since).exists())
        here = sa.or_(participants.c.finished.is_not(None), sa.and_(begun, there, participants.c.ended == ""))
        return sa.and_(participants.c.simulated.is_(False), here)

    def count_plays(self, who: str) -> int:
        """Return the number of stored plays of a participant."""
        with self._reader.connect() as db:
            query = sa.select(sa.func.count()).select_from(plays.join(pairs)).where(pairs.c.participant_id == who)
            return int(db.scalar(query) or 0)

    def last_played(self, who: str) -> float:
        """Return the moment at which a play of a participant was saved last; 0 without any."""
        with self._reader.connect() as db:
            query = sa.select(sa.func.max(plays.c.saved)).select_from(plays.join(pairs))
            return float(db.scalar(query.where(pairs.c.participant_id == who)) or 0.0)

    def update_participant(self, who: str, **values: Any) -> None:
        """Set `consented`, `seen`, `finished`, `language`, `ended` and `cause`.

        What was set already stays, but for `seen` and `language`.
        """
        with self.engine.begin() as db:
            for name, value in values.items():
                column = participants.c[name]
                query = sa.update(participants).where(participants.c.id == who)
                if name in ("consented", "finished"):
                    query = query.where(column.is_(None))
                if name in ("ended", "cause"):
                    query = query.where(column == "", participants.c.finished.is_(None))
                db.execute(query.values({name: value}))

    def keep_retention(self) -> int:
        """Delete participants whose data are older than the study's retention; return their number."""
        days = self.config.retention
        return self.answers.delete_unseen(time.time() - 86400 * days) if days else 0

    def forget(self, who: str) -> bool:
        """Delete a participant and everything that belongs to them; return True if there was one."""
        with self.engine.begin() as db:
            return db.execute(sa.delete(participants).where(participants.c.id == who)).rowcount > 0

    # -- pairs ---------------------------------------------------------------------------------------------------------

    def add_pair(
        self, who: str, position: int, first: int, second: int, *more: int, check: str = "", expected: str = ""
    ) -> Pair:
        """The pair (or set, with the items in `more`) at a position, which is this one if there was none yet."""
        third, fourth = more or (None, None)
        row = {"participant_id": who, "position": position, "first_id": first, "second_id": second, "third_id": third,
               "fourth_id": fourth, "check": check, "expected": expected, "shown": time.time(),
               "voted": None}  # fmt: skip
        try:
            with self.engine.begin() as db:
                return pair_of({**row, "id": inserted_id(db.execute(sa.insert(pairs).values(row)))})
        except IntegrityError:
            pass  # asked twice, or the participant has been deleted
        for pair in self.pairs_of(who):
            if pair.position == position:
                return pair
        raise PcgError("this participant's data have been deleted")

    def pairs_of(self, who: str) -> list[Pair]:
        """A participant's pairs so far, in order."""
        with self._reader.connect() as db:
            query = sa.select(pairs).where(pairs.c.participant_id == who).order_by(pairs.c.position)
            return [pair_of(row) for row in db.execute(query).mappings()]

    def pairs(self) -> list[Pair]:
        """All pairs that were shown, in the order of the database."""
        with self._reader.connect() as db:
            query = sa.select(pairs).join(participants).where(participants.c.study_id == self.id).order_by(pairs.c.id)
            return [pair_of(row) for row in db.execute(query).mappings()]

    def pending_pairs(self, since: float) -> list[tuple[int, tuple[int, ...]]]:
        """Pairs shown since then and not voted on yet, attention checks left out: participant's number and items."""
        with self._reader.connect() as db:
            query = (
                sa.select(participants.c.number, *pairs.c)
                .select_from(pairs.join(participants))
                .where(participants.c.study_id == self.id, pairs.c.voted.is_(None), pairs.c.check == "")
                .where(pairs.c.shown >= since)
                .order_by(pairs.c.id)
            )
            return [(int(row["number"]), pair_of(row).items) for row in db.execute(query).mappings()]

    # -- plays ---------------------------------------------------------------------------------------------------------

    def begin_play(self, pair: int, side: int, attempt: int, seed: int, lease: str, *, client: bool = False) -> Play:
        """The play of an attempt, begun now if there was none yet; this process has its lease.

        Args:
            pair: id.
            side: of the pair.
            attempt: counted from 0.
            seed: of a new play.
            lease: of the process, or of the page that plays.
            client: it runs in the participant's page.
        """
        now = time.time()
        row = {"pair_id": pair, "side": side, "attempt": attempt, "seed": seed, "started": now, "saved": now,
               "lease": lease, "client": client}  # fmt: skip
        try:
            with self.engine.begin() as db:
                return play_of({**NEW_PLAY, **row, "id": inserted_id(db.execute(sa.insert(plays).values(row)))})
        except IntegrityError:
            pass  # there was one, or the pair has been deleted
        return self.take_play(pair, side, attempt, lease, client=client)

    def take_play(self, pair: int, side: int, attempt: int, lease: str, *, client: bool = False) -> Play:
        """Take over a play as it was saved last; the process that had it cannot save it any more.

        Raises:
            PcgError: when it has been deleted.
        """
        where = (plays.c.pair_id == pair) & (plays.c.side == side) & (plays.c.attempt == attempt)
        with self.engine.begin() as db:
            more = {"client": True} if client else {}
            db.execute(sa.update(plays).where(where).values(lease=lease, **more))
            row = db.execute(sa.select(plays).where(where)).mappings().one_or_none()
        if row is None:
            raise PcgError("this play has been deleted")
        return play_of(row)

    def holds(self, play: int, lease: str) -> bool:
        """Return True for a play of this lease."""
        with self._reader.connect() as db:
            return db.scalar(sa.select(plays.c.lease).where(plays.c.id == play)) == lease

    def save_plays(self, progress: Iterable[Progress], lease: str) -> list[int]:
        """Save plays in one transaction; ids of those that this process has lost to another one (or to deletion)."""
        lost: list[int] = []
        now = time.time()
        wanted = list(progress)
        rows = [
            {"its_id": one.play, "its_lease": lease, "actions": one.actions, "presses": one.presses, "ticks": one.ticks,
             "score": one.score, "winner": one.winner, "over": one.over, "key": one.key, "seconds": one.seconds,
             "input": one.input, "saved": now}
            for one in wanted
        ]  # fmt: skip
        if not rows:
            return []
        with self.engine.begin() as db:
            # One statement for all rows: what else this costs is taken from those who play.
            done = db.execute(SAVE_PLAY, rows).rowcount
            if done != len(rows):
                ids = [one.play for one in wanted]
                mine = sa.select(plays.c.id).where(plays.c.id.in_(ids), plays.c.lease == lease)
                lost = sorted(set(ids) - set(db.scalars(mine)))
        return lost

    def save_page_plays(self, progress: Sequence[tuple[Progress, str, int]]) -> list[int]:
        """Save plays that run in pages in one transaction, each under the lease of its page.

        Args:
            progress: what is saved, the lease, and the ticks that were stored before.

        Returns:
            Ids of those that were not saved: another page or a server has them, more is stored of them already, or
            the pair was voted on.
        """
        now = time.time()
        lost: list[int] = []
        with self.engine.begin() as db:
            for one, lease, before in progress:
                row = {"its_id": one.play, "its_lease": lease, "its_ticks": before, "actions": one.actions,
                       "presses": one.presses, "ticks": one.ticks, "score": one.score, "winner": one.winner,
                       "over": one.over, "key": one.key, "seconds": one.seconds, "input": one.input,
                       "saved": now}  # fmt: skip
                if not db.execute(SAVE_PAGE_PLAY, row).rowcount:
                    lost.append(one.play)
        return lost

    def flag_play(self, play: int, reason: str) -> None:
        """Note why something that a page sent for a play was refused."""
        with self.engine.begin() as db:
            db.execute(sa.update(plays).where(plays.c.id == play).values(refused=reason[:200]))

    def plays_of(self, pair: int) -> list[Play]:
        """The plays of a pair, by side and attempt."""
        with self._reader.connect() as db:
            query = sa.select(plays).where(plays.c.pair_id == pair).order_by(plays.c.side, plays.c.attempt)
            return [play_of(row) for row in db.execute(query).mappings()]

    def play(self, number: int) -> tuple[Play, int] | None:
        """Return the play of an id of this study, and the id of its item; None where there is none."""
        with self._reader.connect() as db:
            whole = plays.join(pairs).join(participants)
            shown = [pairs.c[f"{side}_id"] for side in SIDES]
            query = sa.select(plays, *shown).select_from(whole)
            row = db.execute(query.where(plays.c.id == number, participants.c.study_id == self.id)).mappings().first()
        return None if row is None else (play_of(row), int(row[f"{SIDES[row['side']]}_id"]))

    def plays(self) -> list[Play]:
        """All plays, in the order of the database."""
        with self._reader.connect() as db:
            whole = plays.join(pairs).join(participants)
            query = sa.select(plays).select_from(whole).where(participants.c.study_id == self.id).order_by(plays.c.id)
            return [play_of(row) for row in db.execute(query).mappings()]

    def play_outcomes(self) -> list[dict[str, Any]]:
        """Return what is needed of every play to count.

        Entries are pair, side, attempt, ticks, winner, over, seconds, and `presses`, the characters of the stored keys
        (2 for none), and `refused`.
        """
        with self._reader.connect() as db:
            columns = (plays.c.pair_id.label("pair"), plays.c.side, plays.c.attempt, plays.c.ticks, plays.c.winner,
                       plays.c.over, plays.c.seconds, sa.func.length(plays.c.presses).label("presses"),
                       plays.c.refused)  # fmt: skip
            whole = plays.join(pairs).join(participants)
            query = sa.select(*columns).select_from(whole).where(participants.c.study_id == self.id)
            return [dict(row) for row in db.execute(query.order_by(plays.c.id)).mappings()]

    # -- votes ---------------------------------------------------------------------------------------------------------

    def vote(
        self, pair: Pair, answers: Mapping[str, str], *, reason: str = "", scales: Mapping[str, Any] | None = None
    ) -> bool:
        """Store the answers about a pair, all or none; return True if they are new. Those of an earlier vote stay.

        Raises:
            PcgError: for unknown questions, answers that the question does not offer, and missing ones.
        """
        self.check_answers(answers, pair)
        now = time.time()
        rows = [
            {"pair_id": pair.id, "question": name, "answer": answer, "reason": reason, "scales": as_json(scales or {}),
             "time": now, "seconds": now - pair.shown}
            for name, answer in answers.items()
        ]  # fmt: skip
        try:
            with self.engine.begin() as db:
                unvoted = (pairs.c.id == pair.id) & pairs.c.voted.is_(None)
                if not db.execute(sa.update(pairs).where(unvoted).values(voted=now)).rowcount:
                    return False
                db.execute(sa.insert(votes), rows)
        except IntegrityError:
            return False
        return True

    def check_answers(self, answers: Mapping[str, str], pair: Pair) -> None:
        """Raises PcgError unless every question about a pair, and nothing else, has one of its answers."""
        questions = {q.name: q for q in self.config.questions_about(pair.check)}
        for name, answer in answers.items():
            if name not in questions:
                raise PcgError(f"there is no question `{name[:64]}` (expected {', '.join(questions)})")
            choices = questions[name].choices_of(len(pair.items))
            if answer not in choices:
                raise PcgError(f"`{str(answer)[:40]}` is no answer (expected {', '.join(choices)})")
        for name in questions:
            if name not in answers:
                raise PcgError(f"the question `{name}` has no answer")
        if self.config.contradicts(answers):
            raise PcgError("the best and the worst are the same")

    def vote_rows(self, after: int = 0, also: Sequence[int] = (), *, of: str = "") -> list[dict[str, Any]]:
        """Votes with an id above `after` or among `also`, with pair and participant, in the order of the database.

        With `of` only those of this participant.

        Keys: id, pair, question, answer, reason, scales (JSON), time, seconds, participant, number, simulated,
        position, first, second, third, fourth (ids of items, the last two None in pairs), check, expected.
        """
        with self._reader.connect() as db:
            query = (
                sa.select(
                    votes.c.id, votes.c.pair_id.label("pair"), votes.c.question, votes.c.answer, votes.c.reason,
                    votes.c.scales, votes.c.time, votes.c.seconds, participants.c.id.label("participant"),
                    participants.c.number, participants.c.simulated, pairs.c.position,
                    *(pairs.c[f"{side}_id"].label(side) for side in SIDES), pairs.c.check, pairs.c.expected,
                )
                .select_from(votes.join(pairs).join(participants))
                .where(participants.c.study_id == self.id, (votes.c.id > after) | votes.c.id.in_(also))
                .where(participants.c.id == of if of else sa.true())
                .order_by(votes.c.id)
            )  # fmt: skip
            return [dict(row) for row in db.execute(query).mappings()]


def read_stored(text: str) -> StudyConfig:
    """The configuration of a stored TOML text."""
    data = tomllib.loads(text)
    # Pages of a study that runs already stay as they are.
    data.setdefault("play", {}).setdefault("legend", False)
    data["play"].setdefault("runs", "server")
    return StudyConfig.from_mapping(data, "the stored configuration")
