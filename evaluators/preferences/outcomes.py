"""Preference for items that were won: the effect of how the plays ended on the votes.

A pair in which one item was won and the other not tells: is the one that was won preferred more often? The table is
tested exactly (sign test); the logistic regression has the utilities of the items in it, so that an item that is both
easy to win and well liked does not pass for an effect of winning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pcg.evaluators.preferences.davidson import Prior, one_thread
from pcg.evaluators.preferences.exact import clopper_pearson, sign_test
from pcg.evaluators.preferences.votes import OUTCOMES, Vote, items_of, preferences


@dataclass(frozen=True, slots=True)
class OutcomeEffect:
    """The effect of winning a play on the vote."""

    pairs: int
    """Votes on pairs of which exactly one item was won."""
    won: int
    """Of these, votes for the item that was won."""
    lost: int
    """For the one that was not."""
    ties: int
    share: float
    """Of the votes for the item that was won, among those for one of the two."""
    interval: tuple[float, float]
    """Clopper-Pearson."""
    p_value: float
    """Sign test: winning does not matter."""
    effect: float
    """The amount that having won an item adds to its log odds, with the utilities of the items held; 0 without data."""
    error: float
    effect_p_value: float
    """Wald's test of it."""
    table: tuple[tuple[str, str, int, int, int, int], ...]
    """(outcome of the first, of the second, votes for the first, for the second, both, neither)."""


def outcome_effect(votes: Sequence[Vote], *, question: str | None = None, confidence: float = 0.95) -> OutcomeEffect:
    """Measure what winning does to preferences.

    Args:
        votes: any; see `preferences`. A play that was given up counts as not won; pairs of which neither outcome is
            known are left out.
        question: see `preferences`.
        confidence: of the interval of the share.
    """
    from scipy.stats import norm

    chosen = [v for v in preferences(votes, question) if v.first_outcome or v.second_outcome]
    won = lost = ties = 0
    table = {(a, b): [0, 0, 0, 0] for a in OUTCOMES for b in OUTCOMES}
    for vote in chosen:
        table[vote.first_outcome, vote.second_outcome][("first", "second", "both", "neither").index(vote.answer)] += 1
        first, second = vote.first_outcome == "win", vote.second_outcome == "win"
        if first == second:
            continue
        if vote.preferred is None:
            ties += 1
        elif (vote.preferred == vote.first) == first:
            won += 1
        else:
            lost += 1
    decided = won + lost
    effect, error = _regression([v for v in chosen if v.preferred is not None])
    return OutcomeEffect(
        won + lost + ties, won, lost, ties, won / decided if decided else 0.5,
        clopper_pearson(won, decided, confidence), sign_test(won, lost), effect, error,
        float(2 * norm.sf(abs(effect) / error)) if error else 1.0,
        tuple((a, b, *n) for (a, b), n in table.items() if any(n)),  # type: ignore[misc]
    )  # fmt: skip


def _regression(votes: Sequence[Vote]) -> tuple[float, float]:
    """Logistic regression of "the first was preferred" on the items and on what was won; effect and standard error."""
    items = items_of(votes)
    if not votes or all((v.first_outcome == "win") == (v.second_outcome == "win") for v in votes):
        return 0.0, 0.0
    index = {item: k for k, item in enumerate(items)}
    rows = np.arange(len(votes))
    x = np.zeros((len(votes), len(items) + 1))
    x[rows, [index[v.first] for v in votes]] += 1
    x[rows, [index[v.second] for v in votes]] -= 1
    x[:, -1] = [(v.first_outcome == "win") - (v.second_outcome == "win") for v in votes]
    y = np.array([float(v.answer == "first") for v in votes])
    prior = Prior()
    precision = np.array([prior.utility**-2.0] * len(items) + [prior.position**-2.0])
    with one_thread():
        weights, information = logistic(x, y, precision)
        return float(weights[-1]), float(np.sqrt(np.linalg.inv(information)[-1, -1]))


def logistic(
    x: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    y: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    precision: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    counts: np.ndarray[tuple[int, ...], np.dtype[np.float64]] | None = None,
) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.float64]], np.ndarray[tuple[int, ...], np.dtype[np.float64]]]:
    """Logistic regression without a constant, with normal priors, by Newton's method.

    Args:
        x: (rows, features).
        y: share of successes of each row, in [0, 1].
        precision: of the prior of each weight.
        counts: how often each row counts; once without it.

    Returns:
        Weights and their information with the priors in it.
    """
    n = np.ones(len(y)) if counts is None else counts
    weights = np.zeros(x.shape[1])

    def value(w: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
        z = x @ w
        return float((n * (y * z - np.logaddexp(0, z))).sum() - 0.5 * (precision * w * w).sum())

    best = value(weights)
    for _ in range(100):
        p = 0.5 * (1 + np.tanh(0.5 * (x @ weights)))
        gradient = x.T @ (n * (y - p)) - precision * weights
        information = (x.T * (n * p * (1 - p))) @ x + np.diag(precision)
        step = np.linalg.solve(information, gradient)
        if float(gradient @ step) < 1e-10:
            break
        scale = 1.0
        while (reached := value(weights + scale * step)) < best - 1e-12 and scale > 1e-9:
            scale *= 0.5
        weights, best = weights + scale * step, reached
    return weights, information
