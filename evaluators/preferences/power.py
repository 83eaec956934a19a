"""Power analysis: the number of votes a study needs, simulated before it starts, or from its votes while it runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.preferences.adaptive import make_design
from pcg.evaluators.preferences.choices import ChoiceTable
from pcg.evaluators.preferences.davidson import Array, Fit, fit
from pcg.evaluators.preferences.designs import Tally
from pcg.evaluators.preferences.intervals import cell_probabilities
from pcg.evaluators.preferences.simulation import (
    Population,
    hidden_utilities,
    item_names,
    ranking_agreement,
    simulate_study,
    tie_parameter,
)


@dataclass(frozen=True, slots=True)
class PowerPoint:
    """The power of a study with so many votes, over the simulated studies."""

    votes: int
    participants: int
    tau: float
    """Mean of Kendall's tau between the ranking found and the true one."""
    tau_low: float
    """The same in the worst tenth of the studies: their 10 % quantile."""
    best: float
    """Share of the studies in which the best item was found."""
    width: float
    """Mean half width of the intervals (Wald) of the utilities."""
    power: float
    """Share of the pairs of different items whose order is significant (Wald, two-sided)."""


def simulate_power(
    items: int = 12,
    *,
    spread: float = 1.0,
    ties: float = 0.25,
    design: str = "balanced",
    pairs: int = 10,
    participants: Sequence[int] = (10, 20, 50, 100, 200),
    studies: int = 50,
    taste: float = 0.0,
    confidence: float = 0.95,
    seed: int = 0,
) -> list[PowerPoint]:
    """Simulate studies of several sizes.

    Args:
        items: how many.
        spread: standard deviation of the hidden utilities, in log odds; at 1 an item is preferred to one that is one
            standard deviation worse with odds of 2.7 to 1.
        ties: how often two equally good items are a tie; 0 for a two-way question.
        design: a name of `DESIGNS`.
        pairs: for each participant.
        participants: the sizes looked at.
        studies: simulated for each number.
        taste: see `simulation.Population`.
        confidence: of intervals and tests.
        seed: equal seeds give equal numbers.

    Raises:
        PcgError: for fewer than two items, sizes below one, or an unknown design.
    """
    from scipy.stats import norm

    if items < 2:
        raise PcgError(f"{items} items: a study compares two or more")
    sizes = sorted(set(participants))
    if not sizes or sizes[0] < 1 or studies < 1 or pairs < 1 or spread < 0:
        raise PcgError("participants, pairs and studies are 1 or more, and the spread is not negative")
    names = item_names(items)
    reach = float(norm.ppf(0.5 + 0.5 * confidence))
    found: dict[int, list[tuple[float, ...]]] = {size: [] for size in sizes}
    for study in range(studies):
        own_seed = seed * 1_000_003 + study
        truth = hidden_utilities(items, spread, own_seed)
        population = Population(names, truth, {"tie": tie_parameter(ties)} if ties else {}, taste)
        tally = Tally(names)
        votes = simulate_study(population, make_design(design, names, own_seed), sizes[-1], pairs, own_seed)
        done = 0
        for size in sizes:
            upto = sum(int(vote.participant[1:]) < size for vote in votes)
            tally.add(votes[done:upto])
            done = upto
            fitted = fit(tally.counts())
            found[size].append((done, *_achieved(fitted, truth, reach)))
    points = []
    for size in sizes:
        table = np.array(found[size])
        votes_, tau, best, width, power = table.mean(axis=0)
        points.append(
            PowerPoint(round(votes_), size, float(tau), float(np.quantile(table[:, 1], 0.1)), float(best),
                       float(width), float(power))
        )  # fmt: skip
    return points


def _achieved(fitted: Fit, truth: Array, reach: float) -> tuple[float, float, float, float]:
    n = len(truth)
    one, two = np.triu_indices(n, 1)
    covariance = fitted.covariance[:n, :n]
    spread = np.diagonal(covariance)
    errors = np.sqrt(np.maximum(spread[one] + spread[two] - 2 * covariance[one, two], 1e-300))
    difference = fitted.utilities[one] - fitted.utilities[two]
    right = np.sign(difference) == np.sign(truth[one] - truth[two])
    return (
        ranking_agreement(fitted.utilities, truth),
        float(fitted.utilities.argmax() == truth.argmax()),
        reach * float(fitted.errors.mean()),
        float(((np.abs(difference) > reach * errors) & right).mean()),
    )


def votes_needed(points: Sequence[PowerPoint], tau: float = 0.9) -> int | None:
    """Votes at which the mean of Kendall's tau first reaches a value, by straight lines between the points in the
    logarithm of the votes; None where it never does.
    """
    before: PowerPoint | None = None
    for point in points:
        if point.tau >= tau:
            if before is None or point.tau == before.tau:
                return point.votes
            share = (tau - before.tau) / (point.tau - before.tau)
            return math.ceil(before.votes * math.pow(point.votes / before.votes, share))
        before = point
    return None


@dataclass(frozen=True, slots=True)
class MoreVotes:
    """The difference still open between two items, and the number of further votes that would settle it."""

    one: str
    other: str
    difference: float
    error: float
    p_value: float
    votes: int | None
    """More votes on the pair that make the order significant with the power asked for, were the difference as it is
    estimated; 0 where it is so already, None where it is no difference at all.
    """


def more_votes(
    fitted: Fit, *, confidence: float = 0.95, power: float = 0.8, neighbours: bool = True
) -> list[MoreVotes]:
    """Return the number of further votes that pairs of items need, from the votes there are.

    The error of a difference falls with the information of the votes on it: with variance v now and information I of
    one vote, n more of them leave 1 / (1 / v + n I); wanted is (z of confidence + z of power)^2 of it below the
    difference squared (the usual normal approximation).

    Args:
        fitted: of the votes so far.
        confidence: of the two-sided test.
        power: probability with which it should find the difference.
        neighbours: only items next to each other in the ranking; else all pairs.
    """
    order = fitted.ranking
    pairs = list(pairwise(order)) if neighbours else [(a, b) for k, a in enumerate(order) for b in order[k + 1 :]]
    found = []
    for one, other in pairs:
        difference, error = fitted.difference(one, other)
        found.append(_more(one, other, difference, error, _information(difference, fitted), confidence, power))
    return found


def more_choices(
    table: ChoiceTable, groups: Sequence[str] | None = None, *, confidence: float = 0.95, power: float = 0.8
) -> list[MoreVotes]:
    """Return the number of further sets that neighbours in the ranking need, from the choices there are.

    As `more_votes`, with the information that one set of those in which both stood gives on the average; where none
    did, one in which either stood. With p and q the probabilities that the one or the other is chosen it is
    (p + q - (p - q)^2) / 4, once for the best and again for the worst. For groups further sets are taken to tell what
    those so far did.

    Args:
        table: the choices so far.
        groups: of each item of the table: groups are compared by the mean utilities of their items.
        confidence: see `more_votes`.
        power: see `more_votes`.

    >>> from pcg.evaluators.preferences.choices import Choice
    >>> shown = ("a", "b", "c", "d")
    >>> choices = [Choice(f"p{k}", shown, shown[(0, 0, 0, 0, 1, 1, 1, 2, 2, 3)[k % 10]]) for k in range(40)]
    >>> [(one.one, one.other, one.votes) for one in more_choices(ChoiceTable(choices))]
    [('a', 'b', 514), ('b', 'c', 356), ('c', 'd', 195)]
    """
    fitted = table.fit()
    names, of = np.unique(groups if groups is not None else table.items, return_inverse=True)
    share = np.eye(len(names))[of].T
    share /= share.sum(axis=1, keepdims=True)
    mean, covariance = share @ fitted.utilities, share @ fitted.covariance @ share.T
    chances, within = table.probabilities(fitted.theta), np.append(of, -1)[table.members]
    found = []
    for one, other in pairwise(np.argsort(-mean, kind="stable").tolist()):
        p, q = (np.where(within == name, chances, 0.0).sum(axis=1) for name in (one, other))
        stood = [np.bincount(table.choice, (within == name).any(axis=1)) > 0 for name in (one, other)]
        which = stood[0] & stood[1] if (stood[0] & stood[1]).any() else stood[0] | stood[1]
        error = math.sqrt(max(1e-12, covariance[one, one] + covariance[other, other] - 2 * covariance[one, other]))
        told = 0.25 * (p + q - (p - q) ** 2)[which[table.choice]].sum() if groups is None else 1 / error**2
        difference = float(mean[one] - mean[other])
        found.append(
            _more(str(names[one]), str(names[other]), difference, error, float(told / which.sum()), confidence, power)
        )
    return found


def _more(
    one: str, other: str, difference: float, error: float, information: float, confidence: float, power: float
) -> MoreVotes:
    """Return the number of votes that settle a difference, each of which gives this information about it."""
    from scipy.stats import norm

    level = float(norm.ppf(0.5 + 0.5 * confidence))
    p_value = float(2 * norm.sf(abs(difference) / error)) if error else 1.0
    needed: int | None = None
    if abs(difference) > level * error:
        needed = 0
    elif abs(difference) > 1e-9:
        wanted = difference**2 / (level + float(norm.ppf(power))) ** 2
        needed = max(1, math.ceil((1 / wanted - 1 / error**2) / information))
    return MoreVotes(one, other, difference, error, p_value, needed)


def _information(difference: float, fitted: Fit) -> float:
    p = cell_probabilities(np.array([difference]), np.array([0.0]), {
        k: v for k, v in fitted.parameters.items() if k == "tie"
    })[0, 0]  # fmt: skip
    return 0.25 * float(p[0] + p[1] - (p[0] - p[1]) ** 2)
