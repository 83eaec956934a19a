"""Confidence intervals of utilities: bootstrap and profile likelihood.

The bootstrap by participants draws participants with all their votes (Davison, Hinkley: Bootstrap Methods and their
Application, 1997, section 3.8), because the votes of one person resemble each other; the parametric one draws answers
from the fitted model. Intervals are basic ones (there, section 5.2): how far the samples lie from the estimate says how
far the estimate lies from the truth. Percentiles of the samples would do worse here, as estimates from few votes lie
too far out, and samples of them further still (docs/results/preferences.md).

A profile interval holds a utility at a value, fits all the rest, and keeps the values at which the likelihood falls by
less than half the quantile of chi squared (Venzon, Moolgavkar: A Method for Computing Profile-Likelihood-Based
Confidence Intervals, 1988).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.preferences.davidson import Array, Fit, Options, Solver, one_thread
from pcg.evaluators.preferences.votes import PairCounts, Vote, cells_of, items_of, preferences

METHODS: Mapping[str, str] = {
    "participants": "participants drawn with all their votes",
    "parametric": "answers drawn from the fitted model",
}
SAMPLES = 1000
_BATCH = 2_000_000
"""Numbers that the matrices of a batch of fits may have."""


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """A fit with the same fit of many samples.

    `utilities` has shape (samples, items); `parameters` one array of shape (samples,) for each of the fit's.
    """

    fit: Fit
    method: str
    utilities: Array = field(repr=False)
    parameters: Mapping[str, Array] = field(repr=False)

    def intervals(self, confidence: float = 0.95) -> Array:
        """Intervals of the utilities, shape (items, 2)."""
        return _basic(self.utilities, self.fit.utilities, confidence)

    def parameter(self, name: str, confidence: float = 0.95) -> tuple[float, float]:
        """The interval of one of the fit's parameters."""
        low, high = _basic(self.parameters[name][:, None], np.array([self.fit.parameters[name]]), confidence)[0]
        return float(low), float(high)

    def ranks(self, confidence: float = 0.95) -> NDArray[np.int64]:
        """Ranks (1 is best) that the samples leave open, shape (items, 2)."""
        ranks = 1 + np.argsort(np.argsort(-self.utilities, axis=1, kind="stable"), axis=1, kind="stable")
        tail = 0.5 * (1 - confidence)
        low = np.quantile(ranks, tail, axis=0, method="inverted_cdf")
        high = np.quantile(ranks, 1 - tail, axis=0, method="inverted_cdf")
        return np.stack([low, high], axis=1).astype(np.int64)

    def better(self) -> Array:
        """Share of the samples in which the item of the row is above that of the column, shape (items, items)."""
        above = self.utilities[:, :, None] > self.utilities[:, None, :]
        return np.asarray(above.mean(axis=0))


def _basic(samples: Array, estimate: Array, confidence: float) -> Array:
    """Basic intervals of each column of the samples, shape (columns, 2)."""
    tail = 0.5 * (1 - confidence)
    return (2 * estimate - np.quantile(samples, [1 - tail, tail], axis=0)).T


def bootstrap(
    votes: Sequence[Vote],
    items: Sequence[str] | None = None,
    *,
    method: str = "participants",
    samples: int = SAMPLES,
    seed: int = 0,
    question: str | None = None,
    ties: str | None = None,
    position: bool = False,
) -> Bootstrap:
    """Fit the model to votes, and to samples of them.

    Args:
        votes: any; see `preferences`.
        items: in the order wanted; those that occur, sorted, without it.
        method: one of `METHODS`.
        samples: how many.
        seed: equal seeds give equal samples.
        question: see `preferences`.
        ties: see `davidson.fit`.
        position: see `davidson.fit`.

    Raises:
        PcgError: for an unknown method, fewer than one sample or two items, or no votes.
    """
    if method not in METHODS:
        raise PcgError(f"the bootstrap is `{method}`, expected one of {', '.join(METHODS)}")
    if samples < 1:
        raise PcgError(f"{samples} bootstrap samples, expected 1 or more")
    chosen = preferences(votes, question)
    if not chosen:
        raise PcgError("there are no votes")
    names = tuple(items) if items is not None else items_of(chosen)
    cells = ParticipantCounts(chosen, names)
    counts = cells.total
    options = Options.of(counts, ties, position, None)
    solver = Solver(counts, options)
    rng = np.random.default_rng([seed, 3])
    with one_thread():
        fitted = solver.fit(solver.solve(counts.counts[None]), counts)
        start = np.concatenate([fitted.utilities, list(fitted.parameters.values())])
        size = max(1, _BATCH // max(len(start) ** 2, 8 * len(counts.one)))
        found = []
        for first in range(0, samples, size):
            count = min(size, samples - first)
            drawn = cells.resample(count, rng) if method == "participants" else simulate_counts(fitted, count, rng)
            found.append(solver.solve(drawn, np.repeat(start[None], count, axis=0), tolerance=1e-6).theta)
    theta = np.concatenate(found)
    n = len(names)
    utilities = theta[:, :n] - theta[:, :n].mean(axis=1, keepdims=True)
    return Bootstrap(fitted, method, utilities, {name: theta[:, n + k] for k, name in enumerate(solver.names)})


class ParticipantCounts:
    """Votes counted per participant, for drawing participants.

    Args:
        votes: of one question, without attention checks.
        items: all items.
    """

    def __init__(self, votes: Sequence[Vote], items: tuple[str, ...]) -> None:
        from scipy.sparse import csr_matrix

        pair, cell = cells_of(votes, items)
        pairs, which = np.unique(pair, return_inverse=True)
        one, two = np.triu_indices(len(items), 1)
        _, who = np.unique([vote.participant for vote in votes], return_inverse=True)
        self.participants = int(who.max()) + 1
        shape = (self.participants, 8 * len(pairs))
        self._each = csr_matrix((np.ones(len(votes)), (who, 8 * which + cell)), shape).T.tocsr()
        self._shape = (len(pairs), 2, 4)
        everything = np.asarray(self._each.sum(axis=1), np.float64).reshape(self._shape)
        self.total = PairCounts(items, one[pairs], two[pairs], everything)
        """The votes of all."""

    def resample(self, samples: int, rng: np.random.Generator) -> Array:
        """Counts of as many participants drawn with replacement, shape (samples, pairs, 2, 4)."""
        weights = rng.multinomial(self.participants, np.full(self.participants, 1 / self.participants), samples)
        return self.weighted(weights.astype(np.float64))

    def weighted(self, weights: Array) -> Array:
        """Counts with each participant taken so many times, shape (samples, pairs, 2, 4).

        Args:
            weights: (samples, participants); participants in the order of their names.
        """
        return np.asarray((self._each @ weights.T).T).reshape(len(weights), *self._shape)


def simulate_counts(fitted: Fit, samples: int, rng: np.random.Generator) -> Array:
    """Answers of the fitted model to the pairs that were shown, shape (samples, pairs, 2, 4)."""
    counts = fitted.counts
    shown = counts.counts.sum(axis=2)
    probabilities = cell_probabilities(fitted.utilities[counts.one], fitted.utilities[counts.two], fitted.parameters)
    drawn = rng.multinomial(shown.astype(np.int64), probabilities, (samples, *shown.shape))
    return drawn.astype(np.float64)


def cell_probabilities(one: Array, two: Array, parameters: Mapping[str, float]) -> Array:
    """Probabilities of the answers (one preferred, two preferred, both, neither), for both orders of each pair.

    Args:
        one: utilities of the first items, (pairs,); they are shown first in the first of the two orders.
        two: utilities of the second items.
        parameters: see `davidson.answer_probabilities`.

    Returns:
        Shape (pairs, 2, 4).
    """
    sign = np.array([1.0, -1.0])
    half = 0.5 * ((one - two)[:, None] + sign * parameters.get("position", 0.0))
    weights = np.stack(
        [np.exp(half), np.exp(-half), np.full_like(half, np.exp(parameters.get("tie", -np.inf)))], axis=2
    )
    shares = weights / weights.sum(axis=2, keepdims=True)
    z = parameters.get("both", 0.0) + parameters.get("appeal", 0.0) * 0.5 * (one + two)
    both = np.broadcast_to((0.5 * (1 + np.tanh(0.5 * z)))[:, None], half.shape)
    return np.stack([shares[..., 0], shares[..., 1], shares[..., 2] * both, shares[..., 2] * (1 - both)], axis=2)


def profile_intervals(fitted: Fit, confidence: float = 0.95) -> Array:
    """Profile-likelihood intervals of the utilities (as differences from their mean), shape (items, 2).

    The likelihood is taken with its priors, so that the interval of an item that won every comparison is finite.
    """
    from scipy.stats import chi2

    counts, n = fitted.counts, len(fitted.items)
    solver = Solver(counts, Options(fitted.ties, "position" in fitted.parameters, fitted.prior))
    centre = np.concatenate([fitted.utilities, list(fitted.parameters.values())])
    drop = float(chi2.ppf(confidence, 1)) / 2
    item = np.repeat(np.arange(n), 2)
    side = np.tile([-1.0, 1.0], n)
    at = np.repeat(fitted.utilities, 2)
    y = np.repeat(counts.counts[None], 2 * n, axis=0)
    start = np.repeat(centre[None], 2 * n, axis=0)
    with one_thread():
        best = float(solver.penalised(centre[None], counts.counts[None])[0])

        def fall(reach: Array) -> Array:
            """The fall of the likelihood below its drop at these distances; rises with them."""
            held = solver.solve(y, start, hold=(item, at + side * reach))
            return best - solver.penalised(held.theta, y) - drop

        low, high = np.zeros(2 * n), np.repeat(2.0 * fitted.errors, 2)
        for _ in range(_DOUBLINGS):
            short = fall(high) < 0
            if not short.any():
                break
            low[short], high[short] = high[short], 2.0 * high[short]
        value_low, value_high = fall(low), fall(high)
        for k in range(_BISECTIONS):
            # regula falsi in the root of the fall, nearly straight, with a halving now and then
            a, b = np.sqrt(np.maximum(value_low + drop, 0)), np.sqrt(np.maximum(value_high + drop, 0))
            middle = (
                0.5 * (low + high)
                if k % 3 == 2
                else low + (high - low) * np.clip((np.sqrt(drop) - a) / np.maximum(b - a, 1e-12), 0.02, 0.98)
            )
            value = fall(middle)
            inside = value < 0
            low, value_low = np.where(inside, middle, low), np.where(inside, value, value_low)
            high, value_high = np.where(inside, high, middle), np.where(inside, value_high, value)
            if np.abs(value).max() < 1e-4:
                break
    return (at + side * middle).reshape(n, 2)


_DOUBLINGS, _BISECTIONS = 20, 40
