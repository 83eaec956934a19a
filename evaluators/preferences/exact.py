"""Exact tests and intervals for shares and counts; nothing here knows of votes.

Wilson's score interval is in `pcg.evaluators.tournament.ratings`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from pcg.engine.vgdl.diagnostics import PcgError

TABLES = 200_000
"""Most outcomes that are enumerated for an exact multinomial test."""
DRAWS = 100_000
"""Outcomes that are drawn where there are more."""


def clopper_pearson(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """The exact interval of a share (Clopper, Pearson: The Use of Confidence or Fiducial Limits, 1934).

    Args:
        successes: from 0 to `trials`.
        trials: without any, the interval is (0, 1).
        confidence: in (0, 1).

    >>> tuple(round(end, 4) for end in clopper_pearson(3, 10))
    (0.0667, 0.6525)
    """
    if trials == 0:
        return 0.0, 1.0
    from scipy.stats import binomtest

    interval = binomtest(successes, trials).proportion_ci(confidence, method="exact")
    return float(interval.low), float(interval.high)


def sign_test(wins: int, losses: int) -> float:
    """Two-sided p-value of the sign test: wins and losses are equally likely, ties are left out.

    Dixon, Mood: The Statistical Sign Test (1946).

    >>> round(sign_test(8, 2), 6)
    0.109375
    """
    from scipy.stats import binomtest

    return float(binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0


@lru_cache(maxsize=64)
def _log_factorials(n: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])


def multinomial_test(counts: Sequence[int], shares: Sequence[float] | None = None, *, seed: int = 0) -> float:
    """Exact p-value of counts given the shares expected: how likely are counts no more likely than these?

    All outcomes are enumerated where there are at most `TABLES`; else `DRAWS` are drawn, and the p-value is
    (1 + those no more likely) / (1 + draws), which is valid as it stands (Davison, Hinkley 1997, section 4.2).

    Args:
        counts: two or more.
        shares: expected, adding up to 1; equal ones without it.
        seed: of the draws.

    Raises:
        PcgError: for negative counts, or shares that are negative, of another number, or do not add up to 1.

    >>> round(multinomial_test([4, 0, 0]), 4)
    0.037
    """
    k, n = len(counts), sum(counts)
    expected = [1 / k] * k if shares is None else list(shares)
    if any(c < 0 for c in counts) or k < 2:
        raise PcgError(f"counts are {list(counts)}, expected two or more, none negative")
    if len(expected) != k or any(p < 0 for p in expected) or abs(math.fsum(expected) - 1) > 1e-9:
        raise PcgError(f"shares are {expected}, expected {k} of them, none negative, that add up to 1")
    if any(c and not p for c, p in zip(counts, expected, strict=True)):
        return 0.0
    kept = [(c, p) for c, p in zip(counts, expected, strict=True) if p > 0]
    if len(kept) < 2 or n == 0:
        return 1.0
    observed, p = np.array([c for c, _ in kept]), np.array([p for _, p in kept])
    factorials, logs = _log_factorials(n), np.log(p)

    def log_likelihood(tables: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:  # fmt: skip  # noqa: E501
        return np.asarray(factorials[n] - factorials[tables].sum(axis=-1) + tables @ logs)

    limit = float(log_likelihood(observed)) + 1e-7
    if math.comb(n + len(p) - 1, len(p) - 1) <= TABLES:
        values = log_likelihood(_compositions(n, len(p)))
        return min(1.0, math.fsum(np.exp(values[values <= limit]).tolist()))
    drawn = np.random.default_rng([seed, 4]).multinomial(n, p / p.sum(), DRAWS)
    return (1 + int((log_likelihood(drawn) <= limit).sum())) / (1 + DRAWS)


def _compositions(n: int, k: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """All ways to write n as k numbers of at least 0, shape (ways, k)."""
    rows = np.array([[n]])
    for _ in range(k - 1):
        left = rows[:, -1]
        repeated = np.repeat(rows, left + 1, axis=0)
        first = np.arange(len(repeated)) - np.repeat(np.concatenate([[0], np.cumsum(left + 1)[:-1]]), left + 1)
        rows = np.column_stack([repeated[:, :-1], first, repeated[:, -1] - first])
    return rows


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Adjusted p-values of several tests (Holm: A Simple Sequentially Rejective Multiple Test Procedure, 1979).

    >>> holm({"a": 0.01, "b": 0.04, "c": 0.03})
    {'a': 0.03, 'b': 0.06, 'c': 0.06}
    """
    ordered = sorted(p_values, key=lambda name: p_values[name])
    adjusted, highest = {}, 0.0
    for k, name in enumerate(ordered):
        highest = max(highest, min(1.0, (len(ordered) - k) * p_values[name]))
        adjusted[name] = highest
    return {name: adjusted[name] for name in p_values}
