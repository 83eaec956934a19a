"""Configuration of a study (all but the items that are judged): a TOML file, checked when it is read.

The file has the sections of `SECTIONS`, all keys of which have defaults; lists `[[question]]`, `[[scale]]`, `[[ask]]`
(`pcg.study.questionnaire`) and `[[quota]]` (`pcg.study.panels`); and for each language `xx` a section `[texts.xx]` that
says what the pages say: `title`, `instructions`, `consent`, the questions by their names, and anything else to be said
otherwise than in the texts that come along (`pcg.study.texts`).

    [study]
    name = "dungeons"
    languages = "en, zh"

    [design]
    pairing = "adaptive"
    pairs = 8

    [[question]]
    name = "prefer"

    [[scale]]
    name = "hard"
    points = 5

    [texts.en]
    title = "Two dungeons"
    hard = "How hard was it?"
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean
from pcg.evaluators.parameters import Parameter, Setting
from pcg.runs.config import read_sections, read_toml, toml_text
from pcg.study.panels import PLATFORMS, Quota, check_panel, with_preset
from pcg.study.questionnaire import AFTER, BEFORE, DEMOGRAPHICS, Ask, check_asks
from pcg.study.rows import SIDES

PAIRINGS = ("full", "balanced", "random", "adaptive")
ANSWERS = {
    "four": ("first", "second", "both", "neither"),
    "two": ("first", "second"),
    "best": SIDES,
    "worst": SIDES,
}
"""The answer sets of a question about a pair ("both" and "neither" are ties), and of one about a set of four."""
SHOWN = {"pair": 2, "four": 4}
"""Number of items that are shown at a time."""
PANEL_ID = "PROLIFIC_PID"
"""The usual parameter that says who somebody is; only where it is kept."""
DEVICES = ("any", "computer", "touch")
"""Devices that can be required: `touch` is a phone or tablet."""
RUNS = ("browser", "server")
"""Places where games run: `browser` falls back to the server where there is no WebAssembly."""
AGAIN = ("rejoin", "refuse", "allow")
"""An ID that comes again: goes on where it was, is turned away, or is another participant."""

SECTIONS: Mapping[str, tuple[Parameter, ...]] = {
    "study": (
        Parameter("name", "", "letters, digits, - and _; part of the address"),
        Parameter("languages", "en, zh", "languages, by code or by file (`texts/de.toml`), the default first"),
        Parameter("reason", True, "ask for a reason in a few words, which may be left empty"),
        Parameter("demographics", "", "where a few usual questions are asked", choices=("", BEFORE, AFTER)),
        Parameter("seed", 1, "of the pairing and of every play", 0, 2**31 - 1),
    ),
    "design": (
        Parameter("shown", "pair", "what is shown at a time: a pair, or four of which the best is chosen",
                  choices=tuple(SHOWN)),
        Parameter("pairing", "adaptive", "how pairs (or sets of four) are chosen", choices=PAIRINGS),
        Parameter("pairs", 6, "pairs (or sets of four) that a participant judges", 1, 200),
        Parameter("checks", 1, "attention checks among them, beside the pairs", 0, 20),
        Parameter("failed", 0, "failed attention checks after which a participation ends; 0: none does", 0, 1000),
        Parameter("tries", 2, "times that questions of comprehension may be answered", 1, 100),
        Parameter("within_game", True, "only levels of the same game are compared"),
        Parameter("within_level", False, "only items of the same level text are compared: one level, two rules"),
        Parameter("across_groups", False, "only items of different groups are compared"),
    ),
    "play": (
        Parameter("minimum", 10.0, "seconds that each is played at least, if it is not over before", 0.0, 3600.0, "s"),
        Parameter("maximum", 0.0, "seconds after which a play ends by itself; 0: never", 0.0, 7200.0, "s"),
        Parameter("restarts", 3, "times that a level may be started anew", 0, 1000),
        Parameter("speed", 0.0, "ticks a second; 0: what suits the game (20, by turn 12)", 0.0, 60.0),
        Parameter("runs", "browser", "where games run: in the participants' browsers, or on the server", choices=RUNS),
        Parameter("legend", True, "pictures and names of the sprites stand beside the goal"),
        Parameter("replays", False, "the vote page shows both games side by side, with replays of what was played"),
        Parameter("pictures", False, "levels are shown as pictures, side by side, and are not played"),
        Parameter("seeds", "pair", "whose chance a play has", choices=("pair", "participant")),
    ),
    "access": (
        Parameter("opens", "", "date and time (ISO 8601, UTC unless it says otherwise) before which nobody takes part"),
        Parameter("closes", "", "date and time after which nobody begins anew"),
        Parameter("most", 0, "people at most who come to the end; 0: no limit", 0, 1_000_000),
        Parameter("place", 60.0, "minutes without a sign after which somebody else gets a place", 1.0, 1e6, "min"),
        Parameter("device", "any", "device that one must take part with", choices=DEVICES),
        Parameter("resume", 0.0, "minutes within which one may come back; 0: always", 0.0, 1e6, "min"),
        Parameter("code", "", "completion code shown at the end; {own} stands for letters of the participant's own"),
        Parameter("redirect", "", "address to go on to at the end; {name} stands for a parameter that was kept"),
        Parameter("keep", "PROLIFIC_PID, STUDY_ID, SESSION_ID", "parameters of the participants' link that are kept"),
        Parameter("identity", PANEL_ID, "the one of them that says who somebody is; empty: none does"),
        Parameter("again", "rejoin", "what becomes of an ID that comes from another browser", choices=AGAIN),
    ),
    "panel": (
        Parameter("platform", "", "panel whose parameters and addresses are taken", choices=tuple(PLATFORMS)),
        Parameter("declined_code", "", "completion code of those who do not want to take part"),
        Parameter("screened_code", "", "completion code of those whose answers or quota do not let them take part"),
        Parameter("failed_code", "", "completion code of those who failed checks"),
        Parameter("expired_code", "", "completion code of those who came back too late"),
        Parameter("declined_redirect", "", "address to go on to of those who do not want to take part"),
        Parameter("screened_redirect", "", "address to go on to of those who were screened out"),
        Parameter("failed_redirect", "", "address to go on to of those who failed checks"),
    ),
    "consent": (
        Parameter("institution", "", "institution that is responsible; with it the page of consent is the template's"),
        Parameter("contact", "", "name and address for questions"),
        Parameter("ethics", "", "ethics board and number of its approval"),
        Parameter("purpose", "", "what the study is about, in a sentence; texts by language: `consent_purpose`"),
        Parameter("payment", "", "what participants get"),
        Parameter("retention", 0, "days after a participant's last visit at which their data are deleted; 0: never", 0,
                  36_500, "days"),
    ),
}  # fmt: skip
"""Sections whose keys are fixed."""

DEFAULT_QUESTION = "prefer"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def _check_name(name: object, what: str) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise PcgError(f"the name of a {what} is {name!r}, expected letters, digits, - and _, 1 to 64 of them")


def _unlike(what: str, given: object, known: tuple[str, ...]) -> str:
    hint = did_you_mean(str(given), known)
    return f"unknown {what} {given!r}{hint} (expected {', '.join(known)})"


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a pair, or a set of four; its wording is the text of its name.

    Raises:
        PcgError: for a bad name or answer set.
    """

    name: str = DEFAULT_QUESTION
    answers: str = "four"

    def __post_init__(self) -> None:
        _check_name(self.name, "question")
        if self.answers not in ANSWERS:
            raise PcgError(_unlike("answer set", self.answers, tuple(ANSWERS)))

    @property
    def choices(self) -> tuple[str, ...]:
        """The answers one may give."""
        return ANSWERS[self.answers]

    @property
    def is_of_sets(self) -> bool:
        """True for a question about a set of four."""
        return self.answers in ("best", "worst")

    def choices_of(self, shown: int) -> tuple[str, ...]:
        """Return the answers one may give about so many items: an attention check of two shows two in any study."""
        return self.choices[:shown] if self.is_of_sets else self.choices


_USUAL = (Question(),)
"""The questions where nothing is said."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A Likert item, asked about each of the two (`each`) or about the pair; its wording is the text of its name, the
    wordings of its ends those of `NAME_low` and `NAME_high`.

    Raises:
        PcgError: for a bad name or number of points.
    """

    name: str
    points: int = 5
    each: bool = True

    def __post_init__(self) -> None:
        _check_name(self.name, "scale")
        if not isinstance(self.points, int) or not 2 <= self.points <= 11:
            raise PcgError(f"scale {self.name}: points = {self.points!r}, expected a whole number from 2 to 11")


@dataclass(frozen=True)
class StudyConfig:
    """Settings of a study, decided before the first participant comes. Fields are the keys of `SECTIONS`.

    Raises:
        PcgError: for values out of range and whatever does not go together.

    >>> StudyConfig("dungeons", pairs=4).questions[0].choices
    ('first', 'second', 'both', 'neither')
    """

    name: str
    languages: str = "en, zh"
    reason: bool = True
    demographics: str = ""
    seed: int = 1
    shown: str = "pair"
    pairing: str = "adaptive"
    pairs: int = 6
    checks: int = 1
    failed: int = 0
    tries: int = 2
    within_game: bool = True
    within_level: bool = False
    across_groups: bool = False
    minimum: float = 10.0
    maximum: float = 0.0
    restarts: int = 3
    speed: float = 0.0
    runs: str = "browser"
    legend: bool = True
    replays: bool = False
    pictures: bool = False
    seeds: str = "pair"
    opens: str = ""
    closes: str = ""
    most: int = 0
    place: float = 60.0
    device: str = "any"
    resume: float = 0.0
    code: str = ""
    redirect: str = ""
    keep: str = "PROLIFIC_PID, STUDY_ID, SESSION_ID"
    identity: str = PANEL_ID
    again: str = "rejoin"
    platform: str = ""
    declined_code: str = ""
    screened_code: str = ""
    failed_code: str = ""
    expired_code: str = ""
    declined_redirect: str = ""
    screened_redirect: str = ""
    failed_redirect: str = ""
    institution: str = ""
    contact: str = ""
    ethics: str = ""
    purpose: str = ""
    payment: str = ""
    retention: int = 0
    questions: tuple[Question, ...] = _USUAL
    scales: tuple[Scale, ...] = ()
    own_asks: tuple[Ask, ...] = ()
    """Questions of the questionnaires beside those of `demographics`."""
    quotas: tuple[Quota, ...] = ()
    texts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for section, parameters in SECTIONS.items():
            for parameter in parameters:
                value = parameter.accept(getattr(self, parameter.name), f"section [{section}]")
                object.__setattr__(self, parameter.name, value)
        _check_name(self.name, "study")
        if 0 < self.speed < 0.5:
            raise PcgError(f"section [play]: speed = {self.speed:g}, expected 0 or 0.5 to 60")
        if self.maximum and self.maximum < self.minimum:
            raise PcgError(
                f"section [play]: maximum = {self.maximum:g} is less than minimum = {self.minimum:g}: nobody could vote"
            )
        opens, closes = self.opening, self.closing
        if opens is not None and closes is not None and closes <= opens:
            raise PcgError(f"section [access]: closes = {self.closes!r} is not after opens = {self.opens!r}")
        if self.questions is _USUAL and self.size > 2:
            object.__setattr__(self, "questions", (Question(answers="best"),))
        self._check_questions()
        if not self.questions:
            raise PcgError("the study asks no question, expected at least one [[question]]")
        names = [q.name for q in self.questions] + [s.name for s in self.scales]
        for name in names:
            if names.count(name) > 1:
                raise PcgError(f"two questions or scales have the name `{name}`")
        if not self.language_codes:
            raise PcgError("section [study]: languages is empty, expected for example en, zh")
        kept = set(self.kept_parameters)
        if self.identity not in ("", PANEL_ID, *kept):
            raise PcgError(f"section [access]: identity = {self.identity!r} is not among keep = {self.keep!r}")
        check_asks(self.asks)
        for name in (ask.name for ask in self.asks):
            if name in names:
                raise PcgError(f"two questions or scales have the name `{name}`")
        check_panel(self)

    def _check_questions(self) -> None:
        """Raises PcgError unless the questions are about what is shown."""
        for question in self.questions:
            if question.is_of_sets != (self.size > 2):
                wanted = "best or worst" if self.size > 2 else "four or two"
                raise PcgError(
                    f"question {question.name}: answers = {question.answers!r}, expected {wanted} "
                    f"with shown = {self.shown!r} in [design]"
                )
        worst = [k for k, question in enumerate(self.questions) if question.answers == "worst"]
        if worst and worst != [1]:
            raise PcgError("only the second question can ask for the worst, after the first that asks for the best")

    @property
    def size(self) -> int:
        """Number of items that are shown at a time."""
        return SHOWN[self.shown]

    @property
    def worst(self) -> str:
        """Name of the question that asks for the worst of four; empty: none does."""
        return next((question.name for question in self.questions if question.answers == "worst"), "")

    def questions_about(self, check: str) -> tuple[Question, ...]:
        """Return the questions about a pair or set; an attention check, which has its name, asks for no worst."""
        return tuple(q for q in self.questions if not check or q.answers != "worst")

    def contradicts(self, answers: Mapping[str, str]) -> bool:
        """Return True where the same of four is the best and the worst."""
        return bool(self.worst in answers and answers[self.worst] == answers.get(self.questions[0].name))

    @property
    def asks(self) -> tuple[Ask, ...]:
        """Questions of the questionnaires, in their order."""
        usual = tuple(replace(ask, when=self.demographics) for ask in DEMOGRAPHICS) if self.demographics else ()
        return (*usual, *self.own_asks)

    def asked(self, part: str) -> tuple[Ask, ...]:
        """Return the questions that are asked at a place.

        Args:
            part: one of `pcg.study.questionnaire.PARTS`.
        """
        return tuple(ask for ask in self.asks if ask.when == part)

    @property
    def opening(self) -> float | None:
        """Time at which the study opens, in seconds since 1970; None if it says nothing."""
        return _moment(self.opens, "opens")

    @property
    def closing(self) -> float | None:
        """Time at which the study closes, in seconds since 1970; None if it says nothing."""
        return _moment(self.closes, "closes")

    @property
    def language_codes(self) -> tuple[str, ...]:
        """Codes or files of the languages, the default first."""
        return tuple(part.strip() for part in self.languages.split(",") if part.strip())

    @property
    def kept_parameters(self) -> tuple[str, ...]:
        """Names of the link's parameters that are kept with a participant."""
        return tuple(part.strip() for part in self.keep.split(",") if part.strip())

    def identity_in(self, given: Mapping[str, str]) -> str:
        """Return who somebody is by the kept parameters of a link; empty when they do not say.

        >>> StudyConfig("s").identity_in({"PROLIFIC_PID": "a1", "STUDY_ID": "b"})
        'a1'
        """
        return given.get(self.identity, "") if self.identity in self.kept_parameters else ""

    def to_toml(self) -> str:
        """Return the text of a file that `read_study` reads."""
        fixed = [(name, {p.name: getattr(self, p.name) for p in ps}) for name, ps in SECTIONS.items()]
        questions: list[tuple[str, Mapping[str, Setting]]] = [
            ("[question]", {"name": q.name, "answers": q.answers}) for q in self.questions
        ]
        scales: list[tuple[str, Mapping[str, Setting]]] = [
            ("[scale]", {"name": s.name, "points": s.points, "each": s.each}) for s in self.scales
        ]
        asks = [("[ask]", {n: getattr(a, n) for n in Ask.__dataclass_fields__}) for a in self.own_asks]
        quotas = [("[quota]", {n: getattr(q, n) for n in Quota.__dataclass_fields__}) for q in self.quotas]
        texts = [(f"texts.{code}", dict(words)) for code, words in self.texts.items()]
        return toml_text([*fixed, *questions, *scales, *asks, *quotas, *texts])

    @classmethod
    def from_mapping(cls, data: Mapping[str, Any], source: str = "configuration") -> StudyConfig:
        """The configuration in the parsed form of a file. Other lists than those named above are not looked at here.

        Raises:
            PcgError: for unknown sections or keys (with the nearest known one) and for bad values.
        """
        rest = {k: v for k, v in data.items() if k not in ("question", "scale", "ask", "quota", "texts", "item")}
        panel, access = rest.get("panel"), rest.get("access", {})
        if isinstance(panel, Mapping) and isinstance(access, Mapping):
            rest["access"] = with_preset(access, panel.get("platform"))
        fixed = read_sections(rest, SECTIONS, (), source)
        usual = {"answers": "best"} if fixed.get("shown") == "four" else {}
        questions = [
            Question(**{**usual, **_entry(e, Question, "question", source)}) for e in _list(data, "question", source)
        ]
        scales = [Scale(**_entry(e, Scale, "scale", source)) for e in _list(data, "scale", source)]
        try:
            asks = tuple(Ask(**_entry(e, Ask, "ask", source)) for e in _list(data, "ask", source))
            quotas = tuple(Quota(**_entry(e, Quota, "quota", source)) for e in _list(data, "quota", source))
        except PcgError as error:
            raise PcgError(str(error) if str(error).startswith(source) else f"{source}: {error}") from None
        texts = data.get("texts", {})
        if not isinstance(texts, Mapping):
            raise PcgError(f"{source}: `texts` is {texts!r}, expected sections [texts.en], [texts.zh] ...")
        for code, words in texts.items():
            good = isinstance(words, Mapping) and all(isinstance(w, str) for w in words.values())
            if not good:
                raise PcgError(f"{source}: section [texts.{code}] holds something that is no text")
        given = {"questions": tuple(questions)} if questions else {}
        try:
            return cls(**{"name": "", **fixed, **given, "scales": tuple(scales), "own_asks": asks,
                          "quotas": quotas, "texts": texts})  # fmt: skip
        except PcgError as error:
            raise PcgError(f"{source}: {error}") from None


def read_study(path: Path | str) -> StudyConfig:
    """Read a configuration file.

    Raises:
        PcgError: when it cannot be read, is no TOML, or says something unknown.
    """
    return StudyConfig.from_mapping(read_toml(path), str(path))


def _moment(text: str, key: str) -> float | None:
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise PcgError(f"section [access]: {key} = {text!r}, expected a date and time as in 2026-12-01T09:00") from None
    stamp = moment.timestamp() if moment.tzinfo else datetime.fromisoformat(f"{moment.isoformat()}+00:00").timestamp()
    return stamp if math.isfinite(stamp) else None


def _list(data: Mapping[str, Any], name: str, source: str) -> list[Mapping[str, Any]]:
    entries = data.get(name, [])
    if not isinstance(entries, list) or not all(isinstance(e, Mapping) for e in entries):
        raise PcgError(f"{source}: `{name}` is {entries!r}, expected a list of sections [[{name}]]")
    return entries


def _entry(entry: Mapping[str, Any], kind: type, name: str, source: str) -> dict[str, Any]:
    """The values of a list's section, each key one of the fields of `kind`."""
    fields: dict[str, Any] = kind.__dataclass_fields__  # type: ignore[attr-defined]
    for key, value in entry.items():
        if key not in fields:
            hint = did_you_mean(key, fields, f" (expected {', '.join(fields)})")
            raise PcgError(f"{source}: section [[{name}]] has no key `{key}`{hint}")
        kinds: dict[str, tuple[type, ...]] = {"str": (str,), "int": (int,), "bool": (bool,), "float": (int, float)}
        wanted = kinds[fields[key].type]
        if not isinstance(value, wanted) or (isinstance(value, bool) and wanted != (bool,)):
            raise PcgError(f"{source}: section [[{name}]]: `{key}` is {value!r}, expected {fields[key].type}")
    for key, one in fields.items():
        if key not in entry and one.default is MISSING:
            raise PcgError(f"{source}: a section [[{name}]] has no `{key}`")
    return dict(entry)
