"""Choice of a participant's next pair: the design's, with attention checks at places drawn at random.

An attention check is a pair whose answer is known. Where the study has items for it, two each (`attention_checks`), it
is played and voted on like any other pair, also where sets of four are shown. Where it has none, the check is an
*instructed response*: a page like that of a vote, without games, that plainly asks for a certain answer. That is what
recruiting platforms accept as a fair check: it needs no memory and no skill, only reading. The answer asked for is
never the first one, which is what those choose who do not read (Oppenheimer, Meyvis, Davidenko: Instructional
Manipulation Checks, 2009).

Everything is decided by the study's seed and the participant's number, and where the design asks for them by the votes
so far. Nothing is kept here but counted votes, so any server process gives the same answer.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations

from pcg.engine.lazy import cached_property
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.preferences import Design, Tally, Vote, make_design
from pcg.evaluators.preferences.choices import Choice
from pcg.evaluators.preferences.sets import SetDesign
from pcg.study.config import StudyConfig
from pcg.study.folders import attention_checks
from pcg.study.rows import Pair, Participant
from pcg.study.server.stages import INSTRUCTED
from pcg.study.sets import choices_of, comparable
from pcg.study.store import StudyStore

PENDING_S = 1800.0
"""A pair that was shown longer ago than this and has no vote does not count as on its way any more."""
PAUSED_S = 1.0
"""Items that the researcher takes out are looked up this often at most."""
LATE_S = 60.0
"""A vote whose id was passed over, because one with a higher id was stored first, is looked for so long."""
_MOST_MISSING = 500
"""Ids that are looked for at once: those of other studies in the same database never turn up."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A pair, or a set of four, that is to be shown; ids of items."""

    items: tuple[int, ...]
    check: str = ""
    expected: str = ""


class Pairing:
    """The pairs of a study. May be used by several threads.

    Args:
        store: of the study.

    Raises:
        PcgError: when no two items may be compared.
    """

    def __init__(self, store: StudyStore) -> None:
        self.store, self.config = store, store.config
        judged = [item for item in store.items if not item.check]
        self._ids = {item.name: item.id for item in judged}
        self._names = {item.id: item.name for item in judged}
        allowed = [(a.name, b.name) for a, b in combinations(judged, 2) if comparable(a, b, self.config)]
        self.question = self.config.questions[0].name
        self.design = self._make(allowed)
        self._allowed = allowed
        self._paused: tuple[frozenset[int], Design | SetDesign] = (frozenset(), self.design)
        self._looked = -PAUSED_S
        self.checks = attention_checks(store.items)
        self._lock = threading.Lock()
        self._begin()

    def _make(self, pairs: list[tuple[str, str]]) -> Design | SetDesign:
        """The design of some pairs, or of the sets of which all pairs are among them."""
        names, seed, kind = list(self._ids), self.config.seed, self.config.pairing
        if self.config.size > 2:
            return SetDesign(kind, names, self.config.size, seed, pairs=pairs)
        return make_design(kind, names, seed, pairs=pairs, question=self.question)

    def _begin(self) -> None:
        self._choices: dict[bool, list[Choice]] = {False: [], True: []}
        self._tallies = {simulated: Tally(list(self._ids), self.question) for simulated in (False, True)}
        self._last = 0
        self._missing: dict[int, float] = {}

    def can_do_without(self, paused: Collection[int]) -> bool:
        """Return True if pairs are left without some items.

        Args:
            paused: ids of the items.
        """
        left = self._left(paused)
        try:
            return bool(left) and (self.config.size == 2 or bool(self._make(left)))
        except PcgError:
            return False

    def _left(self, paused: Collection[int]) -> list[tuple[str, str]]:
        return [(a, b) for a, b in self._allowed if not {self._ids[a], self._ids[b]} & set(paused)]

    def _design(self) -> Design | SetDesign:
        """The design without the items that the researcher has taken out; what is paused is asked for now and then."""
        if time.monotonic() - self._looked > PAUSED_S:
            self._looked = time.monotonic()
            paused = frozenset(self.store.answers.paused_items())
            if paused != self._paused[0]:
                design = self._make(self._left(paused)) if paused and self.can_do_without(paused) else self.design
                self._paused = (paused, design)
        return self._paused[1]

    def recount(self) -> None:
        """Count all votes again, after some were deleted."""
        with self._lock:
            self._begin()

    @cached_property
    def total(self) -> int:
        """Pairs that a participant gets, attention checks among them."""
        design, wanted = self.design, self.config.pairs
        there = design.count(wanted) if isinstance(design, SetDesign) else design.pairs
        return min(wanted, there) + self.config.checks

    def check_places(self, number: int) -> dict[int, str]:
        """Position -> name of the attention check there; never the first pair, if there are two or more."""
        lots = random.Random(f"{self.config.seed}/{number}/checks")
        names = list(self.checks)
        lots.shuffle(names)
        wanted = self.config.checks
        names = [*names[:wanted], *[INSTRUCTED] * (wanted - len(names))]
        lots.shuffle(names)
        places = range(min(1, self.total - wanted), self.total)
        return dict(zip(sorted(lots.sample(places, wanted)), names, strict=True))

    def next(self, person: Participant, position: int) -> Chosen | None:
        """The pair at a position, for which all before have been voted on; None at the end."""
        if position >= self.total:
            return None
        check = self.check_places(person.number).get(position)
        lots = random.Random(f"{self.config.seed}/{person.number}/{position}")
        if check == INSTRUCTED:
            return self._instructed(lots)
        if check is not None:
            better, worse = self.checks[check]
            if lots.random() < 0.5:
                return Chosen((better.id, worse.id), check, "first")
            return Chosen((worse.id, better.id), check, "second")
        with self._lock:
            self._count()
            pending = self.store.pending_pairs(time.time() - PENDING_S)
            out = [(str(number), [self._names[item] for item in shown]) for number, shown in pending]
            design, who = self._design(), str(person.number)
            found: Sequence[str] | None
            if isinstance(design, SetDesign):
                found = design.next_set(who, self._choices[person.simulated], pending=out)
            else:
                pairs = [(number, shown[0], shown[1]) for number, shown in out]
                found = next(iter(design.next_pairs(who, self._tallies[person.simulated], 1, pending=pairs)), None)
        return Chosen(tuple(self._ids[name] for name in found)) if found else None

    def _instructed(self, lots: random.Random) -> Chosen:
        shown = tuple(lots.sample(list(self._ids.values()), self.config.size))
        return Chosen(shown, INSTRUCTED, lots.choice(instructed_answers(self.config)))

    def _count(self) -> None:
        """Take in the votes that are new, and no other: at 1,000 votes a minute a few rows, however many there are."""
        rows = self.store.vote_rows(self._last, also=list(self._missing))
        for simulated, choices in self._choices.items() if self.config.size > 2 else ():
            # the votes on one set are stored in one transaction, so that they are all here
            choices.extend(choices_of([row for row in rows if row["simulated"] == simulated], self.config, self._names))
        for simulated, tally in self._tallies.items() if self.config.size == 2 else ():
            tally.add(
                Vote(str(row["number"]), self._names[row["first"]], self._names[row["second"]], row["answer"],
                     row["question"])
                for row in rows
                if bool(row["simulated"]) == simulated and not row["check"] and row["question"] == self.question
            )  # fmt: skip
        now, found = time.monotonic(), {row["id"] for row in rows}
        last = max(found, default=self._last)
        passed_over = range(max(self._last + 1, last - _MOST_MISSING), last)
        missing = {**self._missing, **dict.fromkeys(passed_over, now + LATE_S)}
        kept = [(one, until) for one, until in missing.items() if one not in found and until > now]
        self._missing = dict(kept[-_MOST_MISSING:])
        self._last = max(self._last, last)


def instructed_answers(config: StudyConfig) -> list[str]:
    """The answers that may be asked for: those that all questions have, but for the first one."""
    common = [answer for answer in config.questions[0].choices if all(answer in q.choices for q in config.questions)]
    return common[1:]


def passed(pair: Pair, answer: str) -> bool:
    """Return True if an answer is the one that an attention check expects."""
    return answer == pair.expected
