"""One study as it is served: everything that its pages share, made once when the server starts."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sqlalchemy.exc import SQLAlchemyError
from starlette.requests import HTTPConnection

from pcg.study.answers import failed_checks
from pcg.study.panels import EXPIRED, FAILED, SCREENED
from pcg.study.questionnaire import AFTER, BEFORE
from pcg.study.rows import PRACTICE as FOR_PRACTICE
from pcg.study.rows import Participant, Situation, Standing
from pcg.study.server.levels import load_items
from pcg.study.server.page_engine import Engine, page_engine
from pcg.study.server.page_plays import PagePlays
from pcg.study.server.pairing import Pairing
from pcg.study.server.plays import StudyPlays
from pcg.study.server.practice import PracticePlays
from pcg.study.server.security import Gate, Jar, Limits, address_of
from pcg.study.server.stages import NEXT, QUESTIONS, THANKS, Stage, stage_of
from pcg.study.server.threads import Threads
from pcg.study.store import StudyStore
from pcg.study.texts import consent_of, study_texts

SEEN_S = 60.0
"""Being seen is written down this often at most."""
MOST_PLAYS = 1000
RETENTION_S = 3600.0
"""Seconds between two deletions of data older than the retention."""
TRIED_S = 5.0
"""Writing to the database is tried this often at most, and may take as long."""

log = logging.getLogger("pcg.study")


@dataclass(frozen=True, slots=True)
class Doors:
    """Opening state of a study: `kind` is open, paused, closed or not_yet."""

    kind: str
    when: float = 0.0


class Site:
    """A study and what serves it.

    Args:
        store: of the study.
        root: path under which the application is seen.
        secure: cookies over https only; None: where the request came over https.
        limits: on how much one may ask for.
        most: plays at once.

    Raises:
        PcgError: when an item cannot be played, or no two can be compared.
    """

    def __init__(
        self, store: StudyStore, *, root: str, secure: bool | None, limits: Limits, most: int = MOST_PLAYS
    ) -> None:
        self.store, self.config, self.root = store, store.config, root
        self.texts: Mapping[str, Mapping[str, str]] = study_texts(store.config, store.texts, strict=False)
        self.items = load_items(store.items, store.config)
        self.practice = {item.game: item.id for item in store.items if item.check == FOR_PRACTICE}
        """Game -> id of its level for practice."""
        self.pairing = Pairing(store)
        self.threads = Threads(store.engine)
        self.plays = StudyPlays(store, self.threads, most=most)
        self.page_plays = PagePlays(self.plays, store, self.threads)
        self.engine: Engine | None = page_engine() if self.config.runs == "browser" else None
        """Kernels and scripts with which games run in participants' browsers; None: all run on the server."""
        self.practice_plays = PracticePlays(self.plays, most=most)
        self.replays: dict[tuple[int, int], dict[str, Any]] = {}
        """Frames of recently requested replays, by play and ticks."""
        self.gate = Gate(limits)
        self.jar = Jar(store.name, root, secure, store.key)
        self._seen: dict[str, float] = {}
        self._state, self._asked = "open", 0.0
        self._writes, self._tried, self._trying = True, -TRIED_S, asyncio.Lock()

    def __repr__(self) -> str:
        return f"<site of {self.store!r}>"

    @property
    def languages(self) -> dict[str, str]:
        """Code -> name of each language."""
        return {code: words["language"] for code, words in self.texts.items()}

    async def state(self) -> str:
        """open, paused or closed; looked up once a second at most."""
        if time.monotonic() - self._asked > 1.0:
            self._state = await self.threads.read(lambda: self.store.state)
            self._asked = time.monotonic()
        return self._state

    async def set_state(self, state: str) -> None:
        """Open, pause or close."""
        await self.threads.write(self.store.set_state, state)
        self._state, self._asked = state, time.monotonic()

    async def doors(self) -> Doors:
        """Return whether people may begin, or those who have begun go on."""
        state = await self.state()
        now = time.time()
        opening, closing = self.config.opening, self.config.closing
        if state == "open" and opening is not None and now < opening:
            return Doors("not_yet", opening)
        if state == "open" and closing is not None and now >= closing:
            return Doors("closed")
        return Doors(state)

    async def can_write(self) -> bool:
        """Return True if the database takes what is written; tried every few seconds at most."""
        async with self._trying:
            if time.monotonic() - self._tried > TRIED_S:
                try:
                    await asyncio.wait_for(self.threads.write(self.store.try_to_write), TRIED_S)
                    self._writes = True
                except (SQLAlchemyError, TimeoutError):
                    log.exception("nothing can be written to the database")
                    self._writes = False
                self._tried = time.monotonic()
            return self._writes

    async def is_researcher(self, connection: HTTPConnection, token: str) -> bool:
        """Return True for the researcher's token, wherever it was given; wrong ones are counted by address.

        Raises:
            Refused: after too many wrong ones, for tokens that have not been right before.
        """
        address = address_of(connection)
        if not self.gate.knows(token):
            self.gate.check("researcher", address)
        right = await self.threads.read(self.store.is_researcher, token[:200])
        if right:
            self.gate.know(token)
        else:
            self.gate.forget(token)
            self.gate.pass_("researcher", address)
        return right

    # -- participants --------------------------------------------------------------------------------------------------

    async def situation(self, secret: str) -> Situation | None:
        """Return the state of a participant."""
        found = await self.threads.read(self.store.situation, secret)
        if found is None:
            self.gate.forget(secret)
        else:
            self.gate.know(secret)
            self._state, self._asked = found.state, time.monotonic()
            found = await self._expire(found)
            await self._note(found.participant)
        return found

    async def _expire(self, situation: Situation) -> Situation:
        """End the participation of a participant who was away for longer than the study allows."""
        person, allowed = situation.participant, 60 * self.config.resume
        now = time.time()
        if not allowed or person.end or now - max(person.seen, self._seen.get(person.id, 0.0)) <= allowed + SEEN_S:
            return situation
        if now - await self.threads.read(self.store.last_played, person.id) <= allowed:
            return situation
        return await self.end(situation, EXPIRED)

    async def end(self, situation: Situation, how: str, cause: str = "") -> Situation:
        """End a participation before its end.

        Args:
            situation: of the participant.
            how: one of `pcg.study.panels.ENDS`.
            cause: question or quota.
        """
        who = situation.participant.id
        await self.threads.write(lambda: self.store.update_participant(who, ended=how, cause=cause[:200]))
        for pair in situation.pairs[-1:]:
            await self.close_pair(pair.id)
        return replace(situation, participant=replace(situation.participant, ended=how, cause=cause[:200]))

    async def screen(self, person: Participant, answers: Mapping[str, str]) -> str:
        """End the participation of somebody whose answers, or whose full quota, do not let them take part.

        Args:
            person: the participant.
            answers: to the questions before; none yet right after consent.

        Returns:
            The question or quota that is the cause; empty for those who may take part.
        """
        cause = next((ask.name for ask in self.config.asked(BEFORE)
                      if answers and not ask.is_eligible(answers.get(ask.name, ""))), "")  # fmt: skip
        if not cause and self.config.quotas and not person.simulated:
            known, taken = self.known_of(person, answers), self.store.takes_place()
            quota = await self.threads.read(
                self.store.answers.full_quota, self.config.quotas, known, taken, person.id
            )  # fmt: skip
            cause = f"quota {quota.of} = {quota.value}"[:200] if quota is not None else ""
        if cause:
            await self.threads.write(partial(self.store.update_participant, person.id, ended=SCREENED, cause=cause))
        return cause

    async def _note(self, person: Participant) -> None:
        now = time.time()
        if now - max(person.seen, self._seen.get(person.id, 0.0)) < SEEN_S:
            return
        if len(self._seen) > 10_000:
            self._seen.clear()
        self._seen[person.id] = now
        await self.threads.write(lambda: self.store.update_participant(person.id, seen=now))

    async def forget(self, who: str) -> None:
        """Delete a participant and everything of theirs, and whatever of it is in memory."""
        pairs = await self.threads.read(self.store.pairs_of, who)
        await self.threads.write(self.store.forget, who)
        for pair in pairs:
            await self.close_pair(pair.id)
        self.pairing.recount()

    async def close_pair(self, pair: int) -> None:
        """Let go of the plays of a pair: nobody plays it any more."""
        self.page_plays.drop_pair(pair)
        await self.plays.close_pair(pair)

    def place(self, situation: Situation) -> Stage:
        """Return the page of a participant as far as the database says."""
        games: set[str] = set()
        if self.practice and situation.pairs:
            pair = situation.pairs[-1]
            games = {self.store.item[item].game for item in pair.items} & set(self.practice)
        return stage_of(situation, self.config, games)

    async def keep_retention(self) -> None:
        """Delete data older than the study's retention, every hour, as long as the application runs."""
        while self.config.retention:
            await asyncio.sleep(RETENTION_S)
            try:
                await self.threads.write(self.store.keep_retention)
            except SQLAlchemyError:
                log.exception("data that are to be deleted could not be deleted; trying again")

    async def stage(self, situation: Situation) -> Stage:
        """The page of a participant; shows them the next pair, or finishes, where it is time for that."""
        stage = self.place(situation)
        if stage.kind == NEXT:
            stage = await self.advance(situation)
        return stage

    async def advance(self, situation: Situation) -> Stage:
        """Go on behind the last pair, which has been voted on."""
        person, position = situation.participant, len(situation.pairs)
        if self.config.failed and position and await self.failures(person) >= self.config.failed:
            await self.end(situation, FAILED, "attention")
            return Stage(THANKS)
        chosen = await self.threads.read(self.pairing.next, person, position)
        if chosen is None:
            if self.config.asked(AFTER) and (AFTER, 0) not in situation.answers:
                return Stage(QUESTIONS, part=AFTER)
            finished = time.time()
            await self.threads.write(lambda: self.store.update_participant(person.id, finished=finished))
            return Stage(THANKS)
        pair = await self.threads.write(
            self.store.add_pair, person.id, position, *chosen.items, check=chosen.check, expected=chosen.expected,
        )  # fmt: skip
        if pair.voted is not None:  # another request was faster, and the vote as well
            found = await self.threads.read(self.store.participant_by_id, person.id)
            assert found is not None
            pairs = await self.threads.read(self.store.pairs_of, person.id)
            return await self.stage(replace(situation, participant=found, pairs=pairs))
        fresh = [Standing()] * len(pair.items)
        return self.place(replace(situation, pairs=[*situation.pairs, pair], standings=fresh))

    async def failures(self, person: Participant) -> int:
        """Return the number of attention checks and items that a participant failed."""
        first = self.config.questions[0].name
        rows = await self.threads.read(lambda: self.store.vote_rows(of=person.id))
        checks = [row for row in rows if row["check"] and row["question"] == first]
        failed = sum(bool(row["answer"] != row["expected"]) for row in checks)
        given = await self.threads.read(self.store.answers.rows, person.id)
        return failed + failed_checks(given, self.config.asks)

    def known_of(self, person: Participant, answers: Mapping[str, str]) -> dict[str, str]:
        """Return the data that quotas can refer to: device, language, kept parameters and answers."""
        return {"device": person.device, "language": person.language, **person.external, **answers}

    def consent(self, language: str) -> str:
        """Return the text that participants agree to."""
        return consent_of(self.config, self.texts[language])
