"""Questionnaires of a study: questions before all pairs, after all pairs, and after each pair.

A question is a section `[[ask]]` of the study's file; its wording is the text of its name. `when` says where it is
asked: `before` (on a page before the instructions), `comprehension` (after the instructions, with a right answer),
`pair` (after the vote on each pair) or `after` (on a page at the end).

    [[ask]]
    name = "plays"
    when = "before"
    kind = "choice"
    options = "never, weekly, daily"
    eligible = "weekly, daily"

    [texts.en]
    plays = "How often do you play?"
    plays_never = "Never"
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean

BEFORE, COMPREHENSION, PAIR, AFTER = "before", "comprehension", "pair", "after"
PARTS = (BEFORE, COMPREHENSION, PAIR, AFTER)
"""Places at which questions are asked."""
KINDS = ("likert", "choice", "several", "number", "text")
LONGEST_ANSWER = 2000
MOST_FIELDS = 56
"""Fields of one page, less than a form may have (`pcg.study.server.security`)."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,39}(?:_[A-Za-z0-9-]{1,40})*")
_OPTION = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,39}")


@dataclass(frozen=True, slots=True)
class Ask:
    """A question of a questionnaire.

    Attributes:
        name: of its wording among the texts.
        when: one of `PARTS`.
        kind: one of `KINDS`.
        options: of a choice, with commas between; their wordings are the texts `NAME_OPTION`.
        points: of a Likert item; the wordings of its ends are the texts `NAME_low` and `NAME_high`.
        low: least number.
        high: largest number.
        optional: may be left out.
        answer: the right answer; a wrong one is a failed check.
        eligible: answers with which one can take part, or two numbers with a - between; empty: all.

    Raises:
        PcgError: for whatever does not go together.

    >>> plays = Ask("plays", options="never, daily", eligible="daily")
    >>> plays.choices, plays.is_eligible("never"), plays.read({"a-plays": "daily"})
    (('never', 'daily'), False, 'daily')
    """

    name: str
    when: str = BEFORE
    kind: str = "choice"
    options: str = ""
    points: int = 5
    low: float = -math.inf
    high: float = math.inf
    optional: bool = False
    answer: str = ""
    eligible: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            raise PcgError(f"the name of a question is {self.name!r}, expected letters, digits, - and _")
        here = f"question {self.name}"
        for what, value, known in (("when", self.when, PARTS), ("kind", self.kind, KINDS)):
            if value not in known:
                hint = did_you_mean(value, known)
                raise PcgError(f"{here}: {what} = {value!r}{hint} (expected {', '.join(known)})")
        if self.kind in ("choice", "several"):
            bad = [option for option in self.choices if not _OPTION.fullmatch(option)]
            if bad:
                raise PcgError(f"{here}: the option {bad[0]!r}, expected letters, digits and -; wordings are texts")
            if len(set(self.choices)) < max(len(self.choices), 2):
                raise PcgError(f"{here}: options = {self.options!r}, expected two or more that are different")
        elif self.options:
            raise PcgError(f"{here}: a question of the kind {self.kind} has no options")
        if not 2 <= self.points <= 11:
            raise PcgError(f"{here}: points = {self.points}, expected 2 to 11")
        if not self.low < self.high:
            raise PcgError(f"{here}: low = {self.low:g} is not below high = {self.high:g}")
        if self.when == COMPREHENSION and not self.answer:
            raise PcgError(f"{here}: a question of comprehension needs `answer`, the right one")
        if self.eligible and self.when != BEFORE:
            raise PcgError(f"{here}: `eligible` is for questions that are asked before")
        if self.answer and self.kind != "text":
            self._check_answers("answer", [self.answer] if self.kind != "several" else _listed(self.answer))
        if self.eligible and self.kind == "number":
            self._range()
        elif self.eligible:
            if self.kind in ("text", "several"):
                raise PcgError(f"{here}: `eligible` is for choices, numbers and Likert items")
            self._check_answers("eligible", _listed(self.eligible))

    def _check_answers(self, key: str, given: Sequence[str]) -> None:
        for value in given:
            if self.kind == "number":
                if _number(value) is None:
                    raise PcgError(f"question {self.name}: {key} = {value!r}, expected a number")
            elif value not in self.choices:
                hint = did_you_mean(value, self.choices)
                raise PcgError(f"question {self.name}: {key} = {value!r}{hint} (expected {', '.join(self.choices)})")

    def _range(self) -> tuple[float, float]:
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*-\s*(\d+(?:\.\d+)?)\s*", self.eligible)
        if not found or float(found[1]) > float(found[2]):
            raise PcgError(f"question {self.name}: eligible = {self.eligible!r}, expected two numbers as in 18-65")
        return float(found[1]), float(found[2])

    @property
    def choices(self) -> tuple[str, ...]:
        """The values of a choice or Likert item."""
        if self.kind == "likert":
            return tuple(str(point) for point in range(1, self.points + 1))
        return tuple(_listed(self.options))

    @property
    def is_check(self) -> bool:
        """True for an attention item: a question with a right answer."""
        return bool(self.answer) and self.when != COMPREHENSION

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields that a form sends."""
        if self.kind == "several":
            return tuple(f"a-{self.name}-{option}" for option in self.choices)
        return (f"a-{self.name}",)

    def read(self, fields: Mapping[str, str]) -> str | None:
        """Return the answer in a form; None when it is missing or not valid.

        Args:
            fields: of the form. An answer of several options has them with spaces between, in the question's order.
        """
        if self.kind == "several":
            given = " ".join(option for option in self.choices if fields.get(f"a-{self.name}-{option}") == "yes")
            return given if given or self.optional else None
        text = fields.get(f"a-{self.name}", "").strip()
        if not text:
            return "" if self.optional else None
        if self.kind == "text":
            text = text.replace("\r\n", "\n")[:LONGEST_ANSWER]
            return "".join(char for char in text if char.isprintable() or char in "\n\t")
        if self.kind == "number":
            number = _number(text)
            return f"{number:.12g}" if number is not None and self.low <= number <= self.high else None
        return text if text in self.choices else None

    def is_right(self, value: str) -> bool:
        """Return True for the right answer; every answer is right where the question has no `answer`."""
        if not self.answer:
            return True
        if self.kind == "several":
            return set(value.split()) == set(_listed(self.answer))
        if self.kind == "number":
            return _number(value) == _number(self.answer)
        return value.strip().casefold() == self.answer.strip().casefold()

    def is_eligible(self, value: str) -> bool:
        """Return True for an answer with which a participant is eligible."""
        if not self.eligible:
            return True
        if self.kind == "number":
            number, (low, high) = _number(value), self._range()
            return number is not None and low <= number <= high
        return value in _listed(self.eligible)


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _number(text: str) -> float | None:
    # Python reads more as numbers than a form should accept: digits of other scripts, 1_000, texts of any length.
    return float(text) if re.fullmatch(r"[+-]?[0-9]{1,15}(?:[.][0-9]{1,9})?", text.strip()) else None


DEMOGRAPHICS: tuple[Ask, ...] = (
    Ask("age", kind="number", low=18, high=120, optional=True),
    Ask("gender", options="woman, man, other, unsaid"),
    Ask("plays_games", options="never, rarely, monthly, weekly, daily"),
    Ask("plays_like_these", kind="likert"),
)
"""The questions of `demographics`; their wordings in English and Chinese come along."""


def check_asks(asks: Iterable[Ask]) -> None:
    """Check questions together.

    Raises:
        PcgError: for a name that is there twice, and for more on a page than a form can send.
    """
    names: set[str] = set()
    fields = dict.fromkeys(PARTS, 0)
    for ask in asks:
        if ask.name in names:
            raise PcgError(f"two questions have the name `{ask.name}`")
        names.add(ask.name)
        fields[ask.when] += len(ask.fields)
    for part, count in fields.items():
        if count > MOST_FIELDS:
            raise PcgError(f"the page of the questions `{part}` has {count} fields, expected at most {MOST_FIELDS}")


def wordings(asks: Iterable[Ask]) -> tuple[list[str], list[str]]:
    """Return the names of the required texts of questions, and of the optional ones."""
    needed, allowed = [], []
    for ask in asks:
        needed.append(ask.name)
        if ask.kind in ("choice", "several"):
            needed += [f"{ask.name}_{option}" for option in ask.choices]
        if ask.kind == "likert":
            allowed += [f"{ask.name}_low", f"{ask.name}_high"]
        allowed.append(f"{ask.name}_hint")
    return needed, allowed
