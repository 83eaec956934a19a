"""The report of a study: its votes, analysed by `pcg.evaluators.preferences`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from statistics import median

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.preferences import Vote
from pcg.evaluators.preferences.consistency import Limits
from pcg.study.exporting import StudyData, study_data
from pcg.study.monitoring import FAST, FEW
from pcg.study.sets import choices_of
from pcg.study.store import StudyStore

_FIELDS = (
    "participant", "first", "second", "answer", "question", "time", "first_outcome", "second_outcome", "seconds",
    "check",
)  # fmt: skip


def votes_of(data: StudyData, *, attentive: bool = False) -> tuple[list[Vote], dict[str, str]]:
    """The votes of a study, and for each attention check among them the answer that passes it.

    A check whose items stand in either order is two checks here, one for each answer that is expected.

    Args:
        data: of the study.
        attentive: without the votes of participants who failed an attention check.
    """
    failed = {row["participant"] for row in data.votes if row["passed"] is False} if attentive else set()
    expected = {row["pair"]: row["expected"] for row in data.pairs}
    passed: dict[str, str] = {}
    votes = []
    for row in data.votes:
        if row["participant"] in failed:
            continue
        check = row["check"]
        if check:
            answer = expected[row["pair"]]
            check = f"{check} ({answer})"
            passed[check] = answer
        votes.append(Vote(**{**{name: row[name] for name in _FIELDS}, "check": check}))
    return votes, passed


def report_study(
    store: StudyStore,
    out: Path | str,
    *,
    people: str = "",
    attentive: bool = False,
    question: str | None = None,
    samples: int = 1000,
    seed: int = 0,
) -> Path:
    """Write the report of a study into a folder; the page.

    Args:
        store: of the study.
        out: folder, made if it does not exist.
        people: as for `study_data`.
        attentive: leave out participants who failed an attention check.
        question: which one, where several were asked; `prefer`, or the only one, without it.
        samples: of the bootstrap.
        seed: of everything that is drawn.

    Raises:
        PcgError: when there are no votes, or too few items with votes.
    """
    from pcg.report.preferences import preference_report

    data = study_data(store, people)
    if store.config.size > 2:
        return _report_sets(store, data, out, attentive, question or "", samples, seed)
    votes, passed = votes_of(data, attentive=attentive)
    if not any(not vote.check for vote in votes):
        others = data.people == "real" and any(person.simulated for person in store.participants())
        hint = " of people; for those of simulated participants: --people simulated" if others else ""
        raise PcgError(f"the study {store.name} has no votes yet{hint}")
    if question is None and len(store.config.questions) > 1:
        asked = [q.name for q in store.config.questions]
        question = "prefer" if "prefer" in asked else asked[0]
    groups = {item.name: item.group for item in store.items if not item.check}
    several = len(Counter(groups.values())) > 1
    simulated = " (simulated participants)" if data.people == "simulated" else ""
    minimum = 0.0 if store.config.pictures else store.config.minimum
    return preference_report(
        votes, groups if several else None, out, title=f"{store.name}{simulated}", question=question, samples=samples,
        seed=seed, passed=passed, limits=Limits(seconds=fastest(votes, minimum)), kinds=kinds_of(data),
    )  # fmt: skip


def _report_sets(
    store: StudyStore, data: StudyData, out: Path | str, attentive: bool, question: str, samples: int, seed: int
) -> Path:
    """Write the report of a study of sets of four."""
    from pcg.report.choices import choice_report

    asked = [q.name for q in store.config.questions if q.answers == "best"]
    if question and question not in asked:
        raise PcgError(f"no best of four was asked for by the question `{question}` (expected {', '.join(asked)})")
    checks: dict[str, tuple[int, int]] = {}
    for row in data.votes:
        if row["check"] and row["question"] == asked[0]:
            failed, shown = checks.get(row["participant"], (0, 0))
            checks[row["participant"]] = (failed + (row["passed"] is False), shown + 1)
    rows = [row for row in data.votes if not (attentive and checks.get(row["participant"], (0, 0))[0])]
    choices = choices_of(rows, store.config, question=question)
    if not choices:
        raise PcgError(f"the study {store.name} has no votes yet")
    groups = {item.name: item.group for item in store.items if not item.check}
    minimum = 0.0 if store.config.pictures else store.config.minimum
    times = [Vote(c.participant, c.items[0], c.items[1], "first", seconds=c.seconds) for c in choices]
    simulated = " (simulated participants)" if data.people == "simulated" else ""
    return choice_report(
        choices, groups if len(set(groups.values())) > 1 else None, out, title=f"{store.name}{simulated}",
        samples=samples, seed=seed, failed=checks, fast=fastest(times, minimum), kinds=kinds_of(data),
    )  # fmt: skip


def kinds_of(data: StudyData) -> dict[str, dict[str, str]]:
    """Return what participants are told apart by: `device` and `input`, each participant -> subgroup.

    Args:
        data: of the study.
    """
    device = {row["participant"]: row["device"] for row in data.participants}
    used: dict[str, set[str]] = {}
    for row in data.plays:
        used.setdefault(row["participant"], set()).update(row["input"].split())
    return {"device": device, "input": {who: " and ".join(sorted(kinds)) for who, kinds in used.items()}}


def fastest(votes: Iterable[Vote], minimum: float) -> float:
    """Return the seconds for a pair below which a participant was too fast to have looked at it.

    Those of `Limits`, but never more than a third of what the others take, nor, while they are few, than both games
    have to be played: in a pilot with short plays not everybody is too fast.

    Args:
        votes: of all participants.
        minimum: seconds that each game has to be played, unless it is over before.

    >>> fastest([Vote(str(k), "a", "b", "first", seconds=3.0) for k in range(5)], 0.5)
    1.0
    >>> fastest([], 0.5), fastest([], 10.0)
    (1.0, 5.0)
    """
    taken: dict[str, list[float]] = {}
    for vote in votes:
        if not vote.check and vote.seconds > 0:
            taken.setdefault(vote.participant, []).append(vote.seconds)
    usual = median(median(own) for own in taken.values()) if len(taken) >= FEW else None
    return min(Limits().seconds, 2 * minimum if usual is None else FAST * usual)
