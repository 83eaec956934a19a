"""Other ways to rank items by the same votes, and how far they agree.

Thurstone's case V takes the normal distribution where Bradley and Terry have the logistic one (Thurstone: A Law of
Comparative Judgment, 1927; the least-squares solution of Mosteller: Remarks on the Method of Paired Comparisons, 1951),
Glicko-2 rates items as if they were players (`pcg.evaluators.tournament.ratings`), and the share of points is what one
would count by hand. They are checks: a ranking that depends on the method rests on too few votes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pcg.evaluators.preferences.davidson import Array, Fit
from pcg.evaluators.preferences.votes import PairCounts, Vote, preferences
from pcg.evaluators.tournament.ratings import Rating, rate

PERIOD = 15
"""Votes on an item that make up about one rating period; Glickman advises 10 to 15 games of each player."""


def points(counts: PairCounts) -> Array:
    """Share of the points of each item: 1 for being preferred, one half for a tie; one half without votes, (items,)."""
    won = counts.wins().sum(axis=1) + 0.5 * counts.ties().sum(axis=1)
    shown = counts.appearances()
    return np.where(shown > 0, won / np.maximum(shown, 1), 0.5)


def thurstone(counts: PairCounts) -> Array:
    """Thurstone's scale values, case V: mean 0, on the scale of the standard deviation of a difference; (items,).

    Each pair says how far its items are apart: z of the share of votes for the one, where a tie is half a vote for each
    and half a vote is added on either side (so that a share of 0 or 1 is finite). The values are the least-squares
    solution over the pairs, weighted by how well each is known (its votes times the density at z squared over the
    binomial variance), so that pairs nobody was shown do not matter.

    >>> from pcg.evaluators.preferences.votes import count_votes
    >>> thurstone(count_votes([Vote("p", "a", "b", "both")] * 4)).tolist()
    [0.0, 0.0]
    """
    from scipy.stats import norm

    n = len(counts.items)
    each = counts.counts.sum(axis=1)
    total = each.sum(axis=1)
    share = (each[:, 0] + 0.5 * (each[:, 2] + each[:, 3]) + 0.5) / (total + 1.0)
    z = norm.ppf(share)
    weight = np.where(total > 0, (total + 1.0) * norm.pdf(z) ** 2 / (share * (1 - share)), 0.0)
    laplacian, right = np.zeros((n, n)), np.zeros(n)
    np.add.at(laplacian, (counts.one, counts.two), -weight)
    laplacian += laplacian.T
    laplacian[np.arange(n), np.arange(n)] = -laplacian.sum(axis=1)
    np.add.at(right, counts.one, weight * z)
    np.add.at(right, counts.two, -weight * z)
    values = np.linalg.lstsq(laplacian, right, rcond=1e-10)[0]
    return np.asarray(values - values.mean())


def glicko(votes: Sequence[Vote], *, question: str | None = None, period: int = PERIOD) -> Mapping[str, Rating]:
    """Glicko-2 ratings of the items: a vote is a game, a tie a draw; in the order of the votes' times.

    Args:
        votes: any; see `preferences`.
        question: see `preferences`.
        period: votes on an item in a rating period, about.

    >>> glicko([Vote("p", "a", "b", "first")])["a"].rating > 1500
    True
    """
    chosen = sorted(preferences(votes, question), key=lambda vote: vote.time)
    items = {item for vote in chosen for item in (vote.first, vote.second)}
    size = max(1, len(items) * period // 2)
    score = {"first": 1.0, "second": 0.0, "both": 0.5, "neither": 0.5}
    games = [(vote.first, vote.second, score[vote.answer]) for vote in chosen]
    return rate(games[k : k + size] for k in range(0, len(games), size))


def kendall(one: Array, other: Array) -> float:
    """Kendall's tau-b of two rankings, in [-1, 1]; 0 where one of them has everything tied.

    >>> import numpy
    >>> round(kendall(numpy.array([1.0, 2.0, 3.0]), numpy.array([1.0, 3.0, 2.0])), 3)
    0.333
    """
    from scipy.stats import kendalltau

    value = float(kendalltau(one, other).statistic)
    return 0.0 if value != value else value


def agreement(votes: Sequence[Vote], fitted: Fit, *, question: str | None = None) -> tuple[list[str], Array, Array]:
    """The agreement of the methods on the ranking.

    Args:
        votes: those that were fitted.
        fitted: of them.
        question: see `preferences`.

    Returns:
        Names of the methods, their values (methods, items), and Kendall's tau of every two (methods, methods).
    """
    ratings = glicko(votes, question=question)
    values = {
        "Davidson": fitted.utilities,
        "Thurstone": thurstone(fitted.counts),
        "Glicko-2": np.array([ratings.get(item, Rating()).rating for item in fitted.items]),
        "points": points(fitted.counts),
    }
    table: NDArray[np.float64] = np.array(list(values.values()))
    return list(values), table, np.array([[kendall(a, b) for b in table] for a in table])
