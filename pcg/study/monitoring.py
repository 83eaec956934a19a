"""Statistics of a running study: people, votes, dropout, inattentive participants, and the ranking so far.

These numbers are to be looked at while votes come in; what is published is worked out by the report.
"""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pcg.evaluators.preferences import Vote, count_votes, fit
from pcg.evaluators.preferences.choices import Choice, ChoiceTable
from pcg.evaluators.preferences.posterior import Posterior, posterior
from pcg.evaluators.preferences.power import more_choices, more_votes
from pcg.study.answers import failed_checks
from pcg.study.config import StudyConfig
from pcg.study.rows import SIDES, Pair, Participant
from pcg.study.sets import choices_of
from pcg.study.store import StudyStore

ACTIVE_S = 300.0
"""Participants seen within so many seconds count as present."""
SAME_SIDE = 6
"""So many preferences for one side in a row happen to one in 32 by chance."""
SAME_TIE = 8
FAST = 1 / 3
"""A participant whose pairs take less than this share of what they take others (medians) was fast."""
FEW = 5
"""Participants that must be there before one can be faster than the others."""
MOST_BINS = 48
_BINS = (60, 300, 900, 3600, 4 * 3600, 86400, 7 * 86400, 30 * 86400)


@dataclass(frozen=True, slots=True)
class ParticipantCounts:
    """Numbers of participants by stage. Those who agreed and have not played yet are only `waiting`."""

    joined: int
    active: int
    finished: int
    left: int
    simulated: int
    waiting: int


@dataclass(frozen=True, slots=True)
class Rank:
    """An item or group with its utility (log odds, mean 0) and the interval that holds it with 95 %."""

    name: str
    group: str
    utility: float
    low: float
    high: float
    votes: int


@dataclass(frozen=True, slots=True)
class Undecided:
    """Two neighbours in the ranking, and the further votes needed to tell them apart; None where they are equal."""

    better: str
    next: str
    difference: float
    votes: int | None


@dataclass(frozen=True, slots=True)
class Suspect:
    """A participant who may not have taken part in earnest, and why one may think so."""

    participant: str
    votes: int
    finished: bool
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcomes of the plays of a group's items."""

    group: str
    plays: int
    won: int
    lost: int
    open: int
    seconds: float
    """Median."""
    restarts: int


@dataclass(frozen=True)
class StudyStatistics:
    """Statistics that the researcher's page shows."""

    people: ParticipantCounts
    votes: int
    checks: tuple[int, int]
    """Passed and failed."""
    over_time: Sequence[tuple[float, int]]
    """(begin, votes) of equal spans."""
    span: float
    """Seconds of a span."""
    reached: Sequence[tuple[str, int]]
    """(stage, participants who got there)."""
    answers: Mapping[str, int]
    """Answers to the first question."""
    items: Sequence[Rank]
    groups: Sequence[Rank]
    suspects: Sequence[Suspect]
    outcomes: Sequence[Outcome]
    devices: Mapping[str, tuple[int, int]]
    """Device -> people who played on it, and how many of them finished."""
    ended: Mapping[str, int]
    """Participations that ended before the last page, counted by the way they ended."""
    undecided: Sequence[Undecided]
    """Neighbours among the groups, and then among the items."""


def study_statistics(store: StudyStore, total: int, now: float | None = None) -> StudyStatistics:
    """Return the statistics of this moment.

    Args:
        store: of the study.
        total: pairs that each participant gets.
        now: seconds since 1970.
    """
    now = time.time() if now is None else now
    persons, pairs, rows = store.participants(), store.pairs(), store.vote_rows()
    plays = store.play_outcomes()
    first = store.config.questions[0].name
    of_first = [row for row in rows if row["question"] == first]
    own: dict[str, list[Pair]] = {}
    for pair in pairs:
        own.setdefault(pair.participant, []).append(pair)
    name = {item.id: item.name for item in store.items}
    group = {item.id: item.group for item in store.items}
    real = [row for row in of_first if not row["check"]]
    sets = store.config.size > 2
    of_items, of_groups = ([], []) if sets else (_votes(real, name), _votes(real, group))
    of_sets = choices_of(rows, store.config, name) if sets else []
    groups = {name[i.id]: group[i.id] for i in store.items if not i.check}
    over_time, span = spans([float(row["time"]) for row in of_first], now)
    return StudyStatistics(
        _people(persons, begun(pairs, plays), now),
        len(of_first),
        (sum(r["answer"] == r["expected"] for r in of_first if r["check"]),
         sum(r["answer"] != r["expected"] for r in of_first if r["check"])),
        over_time,
        span,
        _reached(persons, own, total),
        dict(Counter(str(row["answer"]) for row in real)),
        rank_choices(of_sets, groups) if sets else rank(of_items, groups),
        rank_groups(of_sets, groups) if sets else rank(of_groups, {}),
        suspects(persons, own, of_first, plays, store.config, store.answers.rows()),
        _outcomes(pairs, plays, group),
        _devices(persons, begun(pairs, plays)),
        dict(Counter(person.ended for person in persons if person.ended and person.finished is None)),
        undecided_choices(of_sets, groups) if sets else [*undecided(of_groups), *undecided(of_items)],
    )  # fmt: skip


def begun(pairs: Iterable[Pair], plays: Iterable[Mapping[str, Any]]) -> set[str]:
    """Return the participants who have played or voted; coming in alone takes no person."""
    who = {pair.id: pair.participant for pair in pairs}
    voted = {pair.participant for pair in pairs if pair.voted is not None}
    return voted | {who[play["pair"]] for play in plays if play["ticks"] and play["pair"] in who}


def _people(persons: Sequence[Participant], began: Collection[str], now: float) -> ParticipantCounts:
    there = [p for p in persons if p.id in began or p.finished is not None]
    finished = sum(p.finished is not None for p in there)
    active = sum(not p.end and now - p.seen < ACTIVE_S for p in there)
    return ParticipantCounts(
        len(there), active, finished, len(there) - finished - active, sum(p.simulated for p in there),
        len(persons) - len(there),
    )  # fmt: skip


def _devices(persons: Sequence[Participant], began: Collection[str]) -> dict[str, tuple[int, int]]:
    there = [p for p in persons if not p.simulated and p.id in began]
    joined = Counter(p.device or "not known" for p in there)
    finished = Counter(p.device or "not known" for p in there if p.finished is not None)
    return {device: (joined[device], finished[device]) for device in sorted(joined)}


def spans(times: Sequence[float], now: float) -> tuple[list[tuple[float, int]], float]:
    """Moments counted in spans of equal length, from the first moment to now.

    >>> spans([0.0, 10.0, 70.0], 130.0)
    ([(0.0, 2), (60.0, 1), (120.0, 0)], 60)
    """
    if not times:
        return [], _BINS[0]
    begin = min(times)
    span = next((s for s in _BINS if (now - begin) / s <= MOST_BINS), _BINS[-1])
    first, last = int(begin // span), int(max(now, max(times)) // span)
    found = Counter(int(t // span) for t in times)
    return [(float(k * span), found[k]) for k in range(first, last + 1)], span


def _reached(persons: Sequence[Participant], own: Mapping[str, Sequence[Pair]], total: int) -> list[tuple[str, int]]:
    voted = [sum(p.voted is not None for p in own.get(person.id, ())) for person in persons]
    found = [("agreed to take part", len(persons)), ("began the first pair", sum(p.id in own for p in persons))]
    found += [(f"judged {k} of {total}", sum(v >= k for v in voted)) for k in range(1, total + 1)]
    return [*found, ("finished", sum(p.finished is not None for p in persons))]


def _votes(rows: Iterable[Mapping[str, Any]], name: Mapping[int, str]) -> list[Vote]:
    """Votes between items of different names.

    Args:
        rows: votes on one question.
        name: of an item by its id: its own name, or its group's.
    """
    return [
        Vote(row["participant"], name[row["first"]], name[row["second"]], row["answer"], row["question"])
        for row in rows
        if name[row["first"]] != name[row["second"]]
    ]


def rank(votes: Sequence[Vote], groups: Mapping[str, str]) -> list[Rank]:
    """Rank the items of votes, the best liked first.

    Args:
        votes: on one question.
        groups: item -> group; items that are groups have none.
    """
    if not votes:
        return []
    found = fit(count_votes(votes))
    shown = Counter(item for vote in votes for item in (vote.first, vote.second))
    return _ranks(found.items, posterior(found, votes), groups, shown)


def _ranks(
    items: Sequence[str], after: Posterior, groups: Mapping[str, str], shown: Mapping[str, int]
) -> list[Rank]:  # fmt: skip
    intervals = after.intervals()
    order = sorted(range(len(items)), key=lambda k: -float(after.mean[k]))
    return [
        Rank(items[k], groups.get(items[k], ""), float(after.mean[k]), float(intervals[k, 0]), float(intervals[k, 1]),
             shown[items[k]])
        for k in order
    ]  # fmt: skip


def rank_choices(choices: Sequence[Choice], groups: Mapping[str, str]) -> list[Rank]:
    """Rank the items of choices among several, the best liked first; see `rank`."""
    if not choices:
        return []
    table = ChoiceTable(choices)
    shown = Counter(item for choice in choices for item in choice.items)
    return _ranks(table.items, table.posterior(), groups, shown)


def rank_groups(choices: Sequence[Choice], groups: Mapping[str, str]) -> list[Rank]:
    """Rank groups by the mean utilities of their items in choices among several; see `rank`."""
    if not _together(choices, groups):
        return []
    table = ChoiceTable(choices)
    names, after = table.posterior().of_groups([groups[item] for item in table.items])
    shown = Counter(groups[item] for choice in choices for item in choice.items)
    return _ranks(names, after, {}, shown)


def undecided(votes: Sequence[Vote]) -> list[Undecided]:
    """Return neighbours in the ranking with the votes that would tell them apart (power 80 % at 5 %)."""
    if not votes:
        return []
    return [Undecided(one.one, one.other, one.difference, one.votes) for one in more_votes(fit(count_votes(votes)))]


def _together(choices: Sequence[Choice], groups: Mapping[str, str]) -> bool:
    """Return True if items of several groups were shown together."""
    return any(len({groups[item] for item in choice.items}) > 1 for choice in choices)


def undecided_choices(choices: Sequence[Choice], groups: Mapping[str, str]) -> list[Undecided]:
    """Return neighbours among the groups, and then among the items, of choices among several; see `undecided`."""
    if not choices:
        return []
    table = ChoiceTable(choices)
    found = more_choices(table, [groups[item] for item in table.items]) if _together(choices, groups) else []
    return [Undecided(one.one, one.other, one.difference, one.votes) for one in [*found, *more_choices(table)]]


def identities(persons: Iterable[Participant]) -> Counter[str]:
    """Return how many people, simulated ones left out, have each ID that their links gave."""
    return Counter(person.identity for person in persons if person.identity and not person.simulated)


def suspects(
    persons: Sequence[Participant],
    own: Mapping[str, Sequence[Pair]],
    rows: Sequence[Mapping[str, Any]],
    plays: Sequence[Mapping[str, Any]],
    config: StudyConfig,
    answers: Sequence[Mapping[str, Any]] = (),
) -> list[Suspect]:
    """Participants whose votes may mean nothing: failed checks, an ID that is there twice, always one side, much faster
    than others, no keys.

    Args:
        persons: all participants.
        own: pairs by participant.
        rows: votes on the first question.
        plays: as of `StudyStore.play_outcomes`.
        config: of the study.
        answers: to questionnaires.
    """
    said: dict[str, list[Mapping[str, Any]]] = {}
    for row in answers:
        said.setdefault(row["participant"], []).append(row)
    votes: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        votes.setdefault(row["participant"], []).append(row)
    pair_of = {pair.id: pair for pairs in own.values() for pair in pairs}
    keyless: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    played: Counter[str] = Counter()
    for play in plays:
        pair = pair_of.get(play["pair"])
        if pair is not None and play["refused"]:
            refused[pair.participant] += 1
        if pair is not None and pair.voted is not None and not play["attempt"]:
            played[pair.participant] += 1
            keyless[pair.participant] += play["presses"] <= 2
    pace = {
        who: statistics.median(float(row["seconds"]) for row in mine if not row["check"])
        for who, mine in votes.items()
        if any(not row["check"] for row in mine)
    }
    usual = statistics.median(pace.values()) if len(pace) >= FEW else 0.0
    found = []
    shared = identities(persons)
    for person in persons:
        mine = votes.get(person.id, [])
        reasons = []
        if shared[person.identity] > 1:
            reasons.append(f"has the same ID as {shared[person.identity] - 1} more")
        if person.returns and config.again == "refuse":
            reasons.append(f"came again from another browser, turned away ({person.returns} times)")
        failed = sum(row["answer"] != row["expected"] for row in mine if row["check"])
        if failed:
            reasons.append(f"failed {failed} of {sum(bool(row['check']) for row in mine)} attention checks")
        items = failed_checks(said.get(person.id, ()), config.asks)
        if items:
            reasons.append(f"failed {items} attention items of the questionnaires")
        chosen = Counter(row["answer"] for row in mine if not row["check"])
        sides = sum(chosen[side] for side in SIDES)
        for side in SIDES:
            if sides >= SAME_SIDE and chosen[side] == sides:
                reasons.append(f"always chose the {side} ({sides} of {sides})")
        for tie in ("both", "neither"):
            if chosen[tie] >= SAME_TIE and chosen[tie] == chosen.total():
                reasons.append(f"always answered {tie} ({chosen[tie]} of {chosen[tie]})")
        if usual and len(mine) >= 2 and pace.get(person.id, usual) < FAST * usual:
            reasons.append(f"took {pace[person.id]:.0f} s for a pair, others {usual:.0f} s")
        if played[person.id] >= 2 and keyless[person.id] * 2 > played[person.id]:
            reasons.append(f"pressed no key in {keyless[person.id]} of {played[person.id]} games")
        if refused[person.id]:
            reasons.append(f"sent what is not true of {refused[person.id]} plays")
        if reasons:
            found.append(Suspect(person.id, len(mine), person.finished is not None, tuple(reasons)))
    return sorted(found, key=lambda s: (-len(s.reasons), s.participant))


def _outcomes(pairs: Sequence[Pair], plays: Sequence[Mapping[str, Any]], group: Mapping[int, str]) -> list[Outcome]:
    pair_of = {pair.id: pair for pair in pairs}
    sorted_in: dict[str, list[Mapping[str, Any]]] = {}
    for play in plays:
        pair = pair_of.get(play["pair"])
        if pair is not None:
            sorted_in.setdefault(group[pair.item(play["side"])], []).append(play)
    return [
        Outcome(
            name, len(mine), sum(p["over"] and p["winner"] == 1 for p in mine),
            sum(p["over"] and p["winner"] == 0 for p in mine), sum(not p["over"] for p in mine),
            statistics.median(float(p["seconds"]) for p in mine), sum(p["attempt"] > 0 for p in mine),
        )
        for name, mine in sorted(sorted_in.items())
    ]  # fmt: skip
