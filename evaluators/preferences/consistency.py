"""Checks of the quality of votes: order effects, agreement between people, circles, and suspicious participants.

These say how far a ranking may be believed at all, before one asks what it is.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from pcg.evaluators.preferences.davidson import Fit, fit
from pcg.evaluators.preferences.exact import clopper_pearson, sign_test
from pcg.evaluators.preferences.votes import Vote, count_votes, preferences

# -- position ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PositionBias:
    """The effect of being shown first."""

    first: int
    second: int
    share: float
    """Of the votes for the item shown first, among those for one of the two."""
    interval: tuple[float, float]
    """Clopper-Pearson."""
    p_value: float
    """Sign test of first against second; valid where order is balanced."""
    effect: float
    """The amount that being first adds to the log odds, whatever the items."""
    error: float
    effect_p_value: float
    """Likelihood-ratio test of the effect, on one degree of freedom; valid in any order."""


def position_bias(votes: Sequence[Vote], *, question: str | None = None, confidence: float = 0.95) -> PositionBias:
    """Test whether the item shown first is preferred because it is first.

    The effect is that of Davidson and Beaver (1977), fitted together with the utilities.

    Args:
        votes: any; see `preferences`.
        question: see `preferences`.
        confidence: of the interval of the share.

    >>> votes = [Vote(f"p{k}", *(("a", "b") if k % 2 else ("b", "a")), "first") for k in range(10)]
    >>> position_bias(votes).p_value
    0.001953125
    """
    from scipy.stats import chi2

    counts = count_votes(votes, question=question)
    first = int(counts.counts[:, 0, 0].sum() + counts.counts[:, 1, 1].sum())
    second = int(counts.counts[:, 0, 1].sum() + counts.counts[:, 1, 0].sum())
    decided = first + second
    with_effect, without = fit(counts, position=True), fit(counts)
    ratio = max(0.0, 2 * (with_effect.log_likelihood - without.log_likelihood))
    return PositionBias(
        first, second, first / decided if decided else 0.5, clopper_pearson(first, decided, confidence),
        sign_test(first, second), with_effect.parameters["position"], with_effect.error("position"),
        float(chi2.sf(ratio, 1)),
    )  # fmt: skip


# -- agreement ---------------------------------------------------------------------------------------------------------


def krippendorff_alpha(units: Sequence[Sequence[str]]) -> float:
    """Krippendorff's alpha for nominal values: 1 for full agreement, 0 for that of chance, below for less.

    alpha = 1 - observed / expected disagreement, from the coincidences of values within units (Krippendorff: Computing
    Krippendorff's Alpha-Reliability, 2011). Any number of values per unit; units with fewer than two say nothing.

    Args:
        units: for each thing judged the values it was given, by different people.

    Returns:
        NaN where no unit has two values; 1 where there is only one value at all.

    >>> round(krippendorff_alpha(["aa", "ab", "bb", "bb"]), 3)
    0.533
    """
    return _alpha(_coincidences(units))


def _coincidences(units: Sequence[Sequence[str]]) -> dict[tuple[str, str], float]:
    """The number of times that two values meet in a unit, each unit with the weight of its values."""
    coincidences: dict[tuple[str, str], float] = defaultdict(float)
    for unit in units:
        if len(unit) < 2:
            continue
        counts = Counter(unit)
        for one, n in counts.items():
            for other, m in counts.items():
                coincidences[one, other] += n * (m - (one == other)) / (len(unit) - 1)
    return coincidences


def _alpha(coincidences: Mapping[tuple[str, str], float]) -> float:
    marginals: dict[str, float] = defaultdict(float)
    for (one, _), n in coincidences.items():
        marginals[one] += n
    total = math.fsum(marginals.values())
    if total < 2:
        return math.nan
    observed = math.fsum(n for (one, other), n in coincidences.items() if one != other)
    expected = (total * total - math.fsum(n * n for n in marginals.values())) / (total - 1)
    return 1.0 - observed / expected if expected else 1.0


def agreement_between_people(votes: Sequence[Vote], *, question: str | None = None, ties: bool = True) -> float:
    """Krippendorff's alpha of the votes: units are pairs, whatever their order, values are the item preferred.

    Args:
        votes: any; see `preferences`. Of several votes of one person on a pair the last counts.
        question: see `preferences`.
        ties: whether ties count, as a value of their own (both and neither are two); else they are missing.
    """
    judged: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for vote in preferences(votes, question):
        pair = min(vote.first, vote.second), max(vote.first, vote.second)
        if vote.preferred is None and not ties:
            judged[pair].pop(vote.participant, None)
        elif vote.preferred is None:
            judged[pair][vote.participant] = vote.answer
        else:
            judged[pair][vote.participant] = "one" if vote.preferred == pair[0] else "other"
    found = _coincidences([list(values.values()) for values in judged.values()])
    # Which of the two is called "one" is a matter of names: half of each way, so that renaming items changes nothing.
    swap = {"one": "other", "other": "one"}
    even: dict[tuple[str, str], float] = defaultdict(float)
    for (a, b), n in found.items():
        even[a, b] += 0.5 * n
        even[swap.get(a, a), swap.get(b, b)] += 0.5 * n
    return _alpha(even)


# -- transitivity ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Transitivity:
    """Circles in preferences: a over b, b over c, c over a."""

    triads: int
    """Triples of items in which all three pairs are decided."""
    circular: int
    chance: float
    """The number that would be circular by chance: a quarter."""
    zeta: float | None
    """Kendall's coefficient of consistence: 1 without circles, 0 with as many as can be; None unless all is decided."""
    p_value: float | None
    """Of so few circles by chance (Kendall's chi squared); None unless every pair of 7 or more items is decided."""


def transitivity(beats: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> Transitivity:
    """Circles in a table of preferences (Kendall, Babington Smith: On the Method of Paired Comparisons, 1940).

    Args:
        beats: whether the item of the row is preferred to that of the column, (items, items); never both ways.

    >>> transitivity(np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], bool)).zeta
    0.0
    """
    n = len(beats)
    b = beats.astype(np.int64)
    decided = b + b.T
    circular = int(np.trace(b @ b @ b)) // 3
    triads = int(np.trace(decided @ decided @ decided)) // 6
    zeta = p_value = None
    if n >= 3 and int(decided.sum()) == n * (n - 1):
        most = (n**3 - n) / 24 if n % 2 else (n**3 - 4 * n) / 24
        zeta = 1.0 - circular / most
        if n >= 7:
            from scipy.stats import chi2

            freedom = n * (n - 1) * (n - 2) / (n - 4) ** 2
            statistic = 8 / (n - 4) * (math.comb(n, 3) / 4 - circular + 0.5) + freedom
            p_value = float(chi2.sf(statistic, freedom))
    return Transitivity(triads, circular, triads / 4, zeta, p_value)


def transitivity_of_all(votes: Sequence[Vote], *, question: str | None = None) -> Transitivity:
    """Circles among majorities: an item beats another when more votes were for it than for the other."""
    wins = count_votes(votes, question=question).wins()
    return transitivity(wins > wins.T)


def transitivity_of_each(votes: Sequence[Vote], *, question: str | None = None) -> dict[str, Transitivity]:
    """Circles in the preferences of each participant."""
    each: dict[str, list[Vote]] = defaultdict(list)
    for vote in preferences(votes, question):
        each[vote.participant].append(vote)
    return {participant: transitivity_of_all(own, question=question) for participant, own in sorted(each.items())}


# -- suspicious participants -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Limits:
    """From where on a participant is suspicious."""

    seconds: float = 5.0
    """The median time taken for a pair is shorter."""
    one_side: float = 0.001
    """Probability of so many votes for one side, were both as likely; smaller is suspicious."""
    same_answer: float = 0.95
    """Share of the most frequent answer, from `fewest` votes on."""
    checks: float = 0.5
    """Share of failed attention checks."""
    against: float = 0.01
    """Probability of agreeing so little with what all others say; smaller is suspicious."""
    fewest: int = 6
    """Votes below which the last four say nothing."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """The oddities of a participant, as numbers and as `reasons` (empty: nothing)."""

    participant: str
    votes: int
    seconds: float | None
    """Median for a pair; None where no time was taken."""
    first: float
    """Share of the decided votes for the item shown first."""
    one_side: float
    """Sign test of first against second."""
    same_answer: float
    """Share of the most frequent answer."""
    failed: int
    checks: int
    agreement: float | None
    """Share of the decided votes that agree with the utilities of all others' votes; None without any."""
    against: float
    """Probability of agreeing so little under the fitted model."""
    reasons: tuple[str, ...]


def suspicions(
    votes: Sequence[Vote],
    fitted: Fit | None = None,
    *,
    limits: Limits | None = None,
    passed: Mapping[str, str] | None = None,
    question: str | None = None,
) -> list[Suspicion]:
    """Scores of all participants, the most suspicious first.

    Args:
        votes: all, with the attention checks.
        fitted: of the votes; fitted here without it. (One participant hardly moves it.)
        limits: from where on a score is a reason.
        passed: attention check -> the answer that passes it. Of a check that is not named, the answer "both" or
            "neither" passes where an item is beside itself, and none fails elsewhere.
        question: see `preferences`.
    """
    limits, passed = limits or Limits(), passed or {}
    chosen = preferences(votes, question)
    if fitted is None and chosen:
        fitted = fit(count_votes(chosen, question=question))
    own: dict[str, list[Vote]] = defaultdict(list)
    checks: dict[str, list[bool]] = defaultdict(list)
    for vote in votes:
        if vote.check:
            own[vote.participant] += []
            expected = passed.get(vote.check)
            ok = vote.answer == expected if expected else vote.first != vote.second or vote.preferred is None
            checks[vote.participant].append(ok)
    for vote in chosen:
        own[vote.participant].append(vote)
    found = [_suspicion(name, mine, checks[name], fitted, limits) for name, mine in sorted(own.items())]
    return sorted(found, key=lambda s: (-len(s.reasons), s.participant))


def _suspicion(
    name: str, votes: Sequence[Vote], checks: Sequence[bool], fitted: Fit | None, limits: Limits
) -> Suspicion:
    answers = Counter(vote.answer for vote in votes)
    first, second = answers["first"], answers["second"]
    times = [vote.seconds for vote in votes if vote.seconds > 0]
    seconds = median(times) if times else None
    one_side = sign_test(first, second)
    same = max(answers.values()) / len(votes) if votes else 0.0
    failed = checks.count(False)
    agreed, against = _agreement(votes, fitted) if fitted is not None else (None, 1.0)
    enough = len(votes) >= limits.fewest
    odd = {
        "too fast": seconds is not None and seconds < limits.seconds,
        "always the same side": enough and one_side < limits.one_side,
        "always the same answer": enough and same >= limits.same_answer,
        "failed checks": bool(checks) and failed / len(checks) >= limits.checks,
        "against all others": enough and against < limits.against,
    }
    return Suspicion(
        name, len(votes), seconds, first / (first + second) if first + second else 0.5, one_side, same, failed,
        len(checks), agreed, against, tuple(reason for reason, there in odd.items() if there),
    )  # fmt: skip


def _agreement(votes: Sequence[Vote], fitted: Fit) -> tuple[float | None, float]:
    """Share of decided votes for the better item, and the probability of so few (Poisson binomial, exactly)."""
    agreed, chances = 0, []
    for vote in votes:
        if vote.preferred is None:
            continue
        odds = fitted.probabilities(vote.first, vote.second)
        better = max(odds["first"], odds["second"])
        chances.append(better / (odds["first"] + odds["second"]))
        agreed += odds[vote.answer] >= better
    if not chances:
        return None, 1.0
    number = np.array([1.0])
    for p in chances:
        number = np.convolve(number, [1 - p, p])
    return agreed / len(chances), min(1.0, float(number[: agreed + 1].sum()))


def compared_parts(shown: Iterable[Sequence[str]]) -> list[list[str]]:
    """Return the items in parts that votes connect, directly or through others, the largest part first.

    How items of two parts stand to one another no vote says: an estimate has that from its prior alone.

    Args:
        shown: the items of each vote.

    >>> compared_parts([("a", "b"), ("c", "d"), ("b", "e")])
    [['a', 'b', 'e'], ['c', 'd']]
    """
    import networkx

    graph = networkx.Graph()
    for items in shown:
        networkx.add_path(graph, items)
    parts = [sorted(part) for part in networkx.connected_components(graph)]
    return sorted(parts, key=lambda part: (-len(part), part))
