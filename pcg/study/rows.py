"""Rows of the tables of a study as Python values: items, participants, pairs, plays and the place of a participant."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

FIRST, SECOND = 0, 1
SIDES = ("first", "second", "third", "fourth")
"""Sides of a pair, left and right, and of a set of four; their places count from 0."""
PRACTICE = "practice"
"""The check of items that are tried before the first pair with their game, and not judged."""


@dataclass(frozen=True)
class StudyItem:
    """A level of a game that is judged. `id` is the database's, 0 before it is stored there."""

    name: str
    group: str
    game: str
    digest: str
    rules: str = field(repr=False)
    level: str = field(repr=False)
    reading: str = ""
    about: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)
    features: Mapping[str, float] = field(default_factory=dict, repr=False)
    check: str = ""
    id: int = 0


@dataclass(frozen=True, slots=True)
class Participant:
    """A person (or program) that takes part."""

    id: str
    number: int
    language: str
    external: Mapping[str, str]
    created: float
    consented: float | None
    seen: float
    finished: float | None
    simulated: bool
    identity: str = ""
    """The ID that the link gave; empty: none."""
    returns: int = 0
    """Times that the same ID came again from another browser."""
    device: str = ""
    """Kind of the device on which they agreed: phone, tablet or computer; empty: not known."""
    ended: str = ""
    """Way in which the participation ended otherwise than at the end: screened, failed or expired; else empty."""
    cause: str = ""
    """The question or quota that ended it."""
    consent: str = ""
    """Version of what they agreed to."""

    @property
    def end(self) -> str:
        """Way in which the participation ended, one of `pcg.study.panels.ENDS`; empty while it goes on."""
        return "finished" if self.finished is not None else self.ended


@dataclass(frozen=True, slots=True)
class Pair:
    """Two items, or a set of four, as a participant gets them: `first` is shown left. `voted`: when the vote came."""

    id: int
    participant: str
    position: int
    first: int
    second: int
    check: str
    expected: str
    shown: float
    voted: float | None
    third: int | None = None
    fourth: int | None = None

    @property
    def items(self) -> tuple[int, ...]:
        """Ids of the items by their sides."""
        return tuple(one for one in (self.first, self.second, self.third, self.fourth) if one is not None)

    def item(self, side: int) -> int:
        """The id of the item on a side."""
        return self.items[side]


@dataclass(frozen=True, slots=True)
class Play:
    """A play of one side of a pair, as far as it was saved."""

    id: int
    pair: int
    side: int
    attempt: int
    seed: int
    actions: str
    presses: str
    ticks: int
    score: float
    winner: int
    over: bool
    key: str
    seconds: float
    started: float
    saved: float
    lease: str
    input: str = ""
    """Of keys, touch and pointer (a mouse) what was used, with spaces between."""
    client: bool = False
    """Some of it ran in the participant's page."""
    refused: str = ""
    """The reason for which something that the page sent was refused last; empty: nothing was."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Progress of a participant with one side of a pair."""

    attempts: int = 0
    """Plays begun."""
    seconds: float = 0.0
    """That the clock ran in all of them."""
    finished: int = 0
    """Plays that were over."""
    over: bool = False
    """The last one is over."""


@dataclass(frozen=True, slots=True)
class Situation:
    """State of a participant: everything that decides which page is theirs."""

    participant: Participant
    pairs: Sequence[Pair]
    standings: Sequence[Standing]
    """Of the sides of the last pair."""
    state: str
    """Of the study."""
    answers: Mapping[tuple[str, int], Mapping[str, str]] = field(default_factory=dict)
    """Answers to questionnaires: (part, position) -> question -> value."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The saved part of a running play."""

    play: int
    actions: str
    presses: str
    ticks: int
    score: float
    winner: int
    over: bool
    key: str
    seconds: float
    input: str = ""


def item_row(item: StudyItem, study: int) -> dict[str, Any]:
    return {
        "study_id": study, "name": item.name, "group": item.group, "game": item.game, "digest": item.digest,
        "rules": item.rules, "level": item.level, "reading": item.reading, "about": as_json(item.about),
        "features": as_json(item.features), "check": item.check,
    }  # fmt: skip


def item_of(row: Mapping[Any, Any]) -> StudyItem:
    about, features = json.loads(row["about"]), json.loads(row["features"])
    return StudyItem(
        row["name"], row["group"], row["game"], row["digest"], row["rules"], row["level"], row["reading"], about,
        features, row["check"], int(row["id"]),
    )  # fmt: skip


def participant_of(row: Mapping[Any, Any]) -> Participant:
    return Participant(
        row["id"], int(row["number"]), row["language"], json.loads(row["external"]), row["created"], row["consented"],
        row["seen"], row["finished"], bool(row["simulated"]), row["identity"], int(row["returns"]),
        row["device"], row["ended"], row["cause"], row["consent"],
    )  # fmt: skip


def pair_of(row: Mapping[Any, Any]) -> Pair:
    return Pair(
        int(row["id"]), row["participant_id"], int(row["position"]), int(row["first_id"]), int(row["second_id"]),
        row["check"], row["expected"], row["shown"], row["voted"], row["third_id"], row["fourth_id"],
    )  # fmt: skip


def play_of(row: Mapping[Any, Any]) -> Play:
    return Play(
        int(row["id"]), int(row["pair_id"]), int(row["side"]), int(row["attempt"]), int(row["seed"]), row["actions"],
        row["presses"], int(row["ticks"]), float(row["score"]), int(row["winner"]), bool(row["over"]), row["key"],
        float(row["seconds"]), row["started"], row["saved"], row["lease"], row["input"],
        bool(row["client"]), row["refused"],
    )  # fmt: skip


def as_json(data: object) -> str:
    return json.dumps(data, sort_keys=True, ensure_ascii=False, allow_nan=False)
