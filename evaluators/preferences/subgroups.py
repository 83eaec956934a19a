"""Comparison of subgroups of participants: do people on phones prefer the same items as people at computers?

Each subgroup is described (participants, votes, ties, time), and its taste is compared with that of all others: the
utilities are fitted to all votes together and to each subgroup apart, and the gain in likelihood is what a permutation
test looks at (Good: Permutation, Parametric and Bootstrap Tests of Hypotheses, 2005, section 7.2). Whole participants
are permuted, because the votes of one person resemble each other. The test is of the taste alone: whether one subgroup
is faster or ties more often is told in the table and not tested.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray

from pcg.evaluators.preferences.choices import Choice, ChoiceTable
from pcg.evaluators.preferences.davidson import Array, Options, Prior, Solver, one_thread
from pcg.evaluators.preferences.intervals import ParticipantCounts
from pcg.evaluators.preferences.votes import Vote, items_of, preferences

PERMUTATIONS = 199
LEAST = 2
"""Least number of participants of a subgroup for the test."""


@dataclass(frozen=True, slots=True)
class Subgroup:
    """The votes of the participants of one kind."""

    name: str
    participants: int
    votes: int
    ties: float
    """Share of the votes that prefer neither item alone."""
    first: float
    """Share of the decided votes, or choices, for the item shown first; NaN without any."""
    seconds: float
    """Median for a pair or set; NaN where no times are known."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Subgroups and the permutation test of whether their tastes differ."""

    kinds: Sequence[Subgroup]
    p_value: float | None
    """None where fewer than two subgroups have `LEAST` participants."""


def compare_subgroups(
    votes: Sequence[Vote],
    kind: Mapping[str, str],
    *,
    question: str | None = None,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> Comparison:
    """Compare subgroups of participants.

    Args:
        votes: any; see `preferences`.
        kind: participant -> name of the subgroup; who is not there, or has an empty name, is left out.
        question: see `preferences`.
        permutations: how many.
        seed: equal seeds give equal permutations.

    >>> here = [Vote(f"p{k}", "a", "b", "first") for k in range(8)]
    >>> there = [Vote(f"q{k}", "a", "b", "second") for k in range(8)]
    >>> kind = {vote.participant: "phone" if vote.participant[0] == "p" else "computer" for vote in here + there}
    >>> found = compare_subgroups(here + there, kind)
    >>> [(one.name, one.votes) for one in found.kinds], found.p_value
    ([('computer', 8), ('phone', 8)], 0.005)
    """
    chosen = [vote for vote in preferences(votes, question) if kind.get(vote.participant)]
    names = sorted({kind[vote.participant] for vote in chosen})
    kinds = [_subgroup(name, [vote for vote in chosen if kind[vote.participant] == name]) for name in names]
    tested = [one.name for one in kinds if one.participants >= LEAST]
    if len(tested) < 2:
        return Comparison(kinds, None)
    chosen = [vote for vote in chosen if kind[vote.participant] in tested]
    return Comparison(kinds, _test(chosen, kind, tested, permutations, seed))


def compare_choices(
    choices: Sequence[Choice], kind: Mapping[str, str], *, permutations: int = PERMUTATIONS, seed: int = 0
) -> Comparison:
    """Compare subgroups of participants by their choices among several items; see `compare_subgroups`.

    Args:
        choices: any.
        kind: participant -> name of the subgroup; who is not there, or has an empty name, is left out.
        permutations: how many.
        seed: equal seeds give equal permutations.

    >>> shown = ("a", "b", "c", "d")
    >>> choices = [Choice(f"{one}{k}", shown, one) for one in "ab" for k in range(8)]
    >>> found = compare_choices(choices, {c.participant: "phone" if c.best == "a" else "computer" for c in choices})
    >>> [(one.name, one.votes) for one in found.kinds], found.p_value
    ([('computer', 8), ('phone', 8)], 0.005)
    """
    chosen = [choice for choice in choices if kind.get(choice.participant)]
    kinds = []
    for name in sorted({kind[choice.participant] for choice in chosen}):
        own = [choice for choice in chosen if kind[choice.participant] == name]
        times = [choice.seconds for choice in own if choice.seconds > 0]
        first = sum(choice.places[0] == 0 for choice in own) / len(own)
        kinds.append(Subgroup(name, len({choice.participant for choice in own}), len(own), 0.0, first,
                              median(times) if times else float("nan")))  # fmt: skip
    tested = [one.name for one in kinds if one.participants >= LEAST]
    if len(tested) < 2:
        return Comparison(kinds, None)
    chosen = [choice for choice in chosen if kind[choice.participant] in tested]
    people = sorted({choice.participant for choice in chosen})
    who = np.array([people.index(choice.participant) for choice in chosen])
    table = ChoiceTable(chosen)
    with one_thread():
        start = table.fit().theta

        def likelihood(labels: NDArray[np.int64], number: int) -> float:
            found = table.fit(weights=(labels == number)[who].astype(np.float64), start=start)
            return found.log_likelihood - 0.5 * float(found.theta @ found.theta) / Prior().utility ** 2

        gain = np.array([sum(likelihood(one, number) for number in range(len(tested)))
                         for one in _labels(people, kind, tested, permutations, seed)])  # fmt: skip
    return Comparison(kinds, _p_value(gain))


def _labels(
    people: Sequence[str], kind: Mapping[str, str], names: Sequence[str], permutations: int, seed: int
) -> NDArray[np.int64]:
    """Return the subgroup of each participant, by number, as it is and permuted, (1 + permutations, participants)."""
    own: NDArray[np.int64] = np.array([names.index(kind[person]) for person in people])
    rng = np.random.default_rng([seed, 17])
    return np.stack([own, *(rng.permutation(own) for _ in range(permutations))])


def _p_value(gain: Array) -> float:
    """Return the p-value of the first of these gains; the likelihood of all together is in each and may be."""
    return float((1 + np.sum(gain[1:] >= gain[0] - 1e-9)) / len(gain))


def _subgroup(name: str, votes: Sequence[Vote]) -> Subgroup:
    decided = [vote for vote in votes if vote.preferred is not None]
    times = [vote.seconds for vote in votes if vote.seconds > 0]
    first = sum(vote.answer == "first" for vote in decided) / len(decided) if decided else float("nan")
    return Subgroup(
        name, len({vote.participant for vote in votes}), len(votes), 1 - len(decided) / len(votes), first,
        median(times) if times else float("nan"),
    )  # fmt: skip


def _test(votes: Sequence[Vote], kind: Mapping[str, str], names: Sequence[str], permutations: int, seed: int) -> float:
    """Return the p-value of the gain in likelihood that utilities of their own give the subgroups."""
    cells = ParticipantCounts(votes, tuple(items_of(votes)))
    people = sorted({vote.participant for vote in votes})  # the order in which `ParticipantCounts` has them
    labels = _labels(people, kind, names, permutations, seed)
    solver = Solver(cells.total, Options.of(cells.total, None, False, None))
    gain = np.zeros(len(labels))
    with one_thread():
        for number in range(len(names)):
            counts = cells.weighted((labels == number).astype(np.float64))
            found = solver.solve(counts)
            gain += solver.penalised(found.theta, counts)
    return _p_value(gain)
