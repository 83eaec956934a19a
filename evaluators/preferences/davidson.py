"""Bradley-Terry with ties: what the votes say about how much each item is liked.

Each item has a utility u; of two items the better one is preferred the more often the further they are apart, and how
often there are ties is a parameter of its own (Davidson: On Extending the Bradley-Terry Model to Accommodate Ties in
Paired Comparison Experiments, 1970; Bradley, Terry: Rank Analysis of Incomplete Block Designs, 1952). With
D = u_first - u_second + position,

    P(first) : P(second) : P(tie)  =  exp(D/2) : exp(-D/2) : exp(tie)

so that without ties the log odds of a preference are the difference of the utilities. `position` is what being shown
first adds (Davidson, Beaver: On Extending the Bradley-Terry Model to Incorporate Within-Pair Order Effects, 1977).

The answers "both" and "neither" are one kind of tie here, or are told apart: then

    P(both | tie)  =  logistic(both + appeal * (u_first + u_second) / 2)

says how far "both" is an answer to two good items and "neither" to two bad ones (`appeal` above 0). Merging the two
answers gives Davidson's model back, whatever `appeal` is; the utilities stay what they were.

The estimate maximises the likelihood times weak normal priors (`Prior`), which is what keeps an item that won or lost
every comparison at a finite utility; utilities have mean 0. Newton's method (Fisher scoring) on many tables of counts
at once, so that a thousand bootstrap samples cost little more than ten fits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from pcg.engine.lazy import cached_property
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.preferences.votes import PairCounts

Array = NDArray[np.float64]

TIES: Mapping[str, str] = {
    "none": "a tie is half a preference for each; as Bradley and Terry have it",
    "together": "both and neither are one kind of tie",
    "apart": "both and neither are told apart by the utilities of the pair",
}
_STEPS = 60
_HALVINGS = 40
_DENSE = 400_000
"""Entries up to which the matrix from pairs to items is kept dense."""


@dataclass(frozen=True, slots=True)
class Prior:
    """Standard deviations of the normal priors, all with mean 0: on the scale of log odds, so wide that they matter
    only where the votes say next to nothing.
    """

    utility: float = 4.0
    tie: float = 4.0
    position: float = 4.0
    both: float = 4.0
    appeal: float = 2.0


@dataclass(frozen=True, eq=False)
class Fit:
    """A fit of the model to votes: the estimate, and the curvature of the likelihood around it."""

    items: tuple[str, ...]
    utilities: Array
    """Per item, mean 0, on the scale of log odds."""
    covariance: Array
    """Of the utilities and then `parameters`, from the curvature at the estimate."""
    parameters: Mapping[str, float]
    """Of `tie`, `position`, `both` and `appeal` those that were fitted, in this order."""
    log_likelihood: float
    """Without the priors."""
    votes: float
    ties: str
    """One of `TIES`."""
    counts: PairCounts = field(repr=False)
    prior: Prior = field(default_factory=Prior, repr=False)

    @cached_property
    def errors(self) -> Array:
        """Standard errors of the utilities."""
        return np.sqrt(np.diagonal(self.covariance)[: len(self.items)])

    def error(self, name: str) -> float:
        """Standard error of one of `parameters`."""
        place = len(self.items) + list(self.parameters).index(name)
        return math.sqrt(self.covariance[place, place])

    @property
    def ranking(self) -> list[str]:
        """Items, the best first."""
        return [self.items[k] for k in np.argsort(-self.utilities, kind="stable")]

    def wald(self, confidence: float = 0.95) -> Array:
        """Intervals of the utilities from the normal approximation, shape (items, 2)."""
        from scipy.stats import norm

        reach = float(norm.ppf(0.5 + 0.5 * confidence)) * self.errors
        return np.stack([self.utilities - reach, self.utilities + reach], axis=1)

    def difference(self, one: str, other: str) -> tuple[float, float]:
        """The difference of the utilities of two items, and its standard error."""
        i, j = (self.counts.index[item] for item in (one, other))
        c = self.covariance
        return float(self.utilities[i] - self.utilities[j]), math.sqrt(max(0.0, c[i, i] + c[j, j] - 2 * c[i, j]))

    def probabilities(self, first: str, second: str) -> dict[str, float]:
        """Probabilities of the answers when `first` is shown first; `tie` is the sum of both and neither."""
        i, j = self.counts.index[first], self.counts.index[second]
        return answer_probabilities(float(self.utilities[i]), float(self.utilities[j]), self.parameters)


def answer_probabilities(first: float, second: float, parameters: Mapping[str, float]) -> dict[str, float]:
    """Probabilities of the answers to a pair, from the utilities of the two items and the other parameters.

    Args:
        first: utility of the item shown first.
        second: of the other.
        parameters: `tie` (without it there are no ties), `position`, `both` and `appeal` (0 without them).

    >>> {k: round(v, 3) for k, v in answer_probabilities(1.0, 0.0, {"tie": 0.0}).items()}
    {'first': 0.506, 'second': 0.186, 'both': 0.154, 'neither': 0.154, 'tie': 0.307}
    """
    half = 0.5 * (first - second + parameters.get("position", 0.0))
    tie = parameters.get("tie", -math.inf)
    most = max(abs(half), tie)
    weights = [math.exp(half - most), math.exp(-half - most), math.exp(tie - most)]
    one, other, tied = (w / math.fsum(weights) for w in weights)
    both = 1 / (1 + math.exp(-parameters.get("both", 0.0) - parameters.get("appeal", 0.0) * 0.5 * (first + second)))
    return {"first": one, "second": other, "both": tied * both, "neither": tied * (1 - both), "tie": tied}


@lru_cache(maxsize=1)
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


def one_thread() -> AbstractContextManager[object]:
    """Keep linear algebra to one thread.

    The matrices here are small, and on a busy machine threads wait for each other many times longer than they work;
    and the sums of several threads differ in their last digits from machine to machine.
    """
    return _libraries().limit(limits=1)  # type: ignore[no-any-return]


def fit(
    counts: PairCounts,
    *,
    ties: str | None = None,
    position: bool = False,
    prior: Prior | None = None,
    start: Array | None = None,
) -> Fit:
    """Fit the model to votes.

    Args:
        counts: of the votes (`count_votes`).
        ties: one of `TIES`; None for `together`, or `none` where there is no tie.
        position: whether being shown first may matter.
        prior: how wide the priors are.
        start: utilities and parameters to begin at, those of an earlier fit with the same items and options.

    Raises:
        PcgError: with fewer than two items, or an unknown kind of ties.

    >>> from pcg.evaluators.preferences.votes import Vote, count_votes
    >>> votes = [Vote(f"p{k}", "a", "b", "first" if k < 30 else "second") for k in range(40)]
    >>> fitted = fit(count_votes(votes))
    >>> fitted.ranking, round(float(fitted.utilities[0] - fitted.utilities[1]), 2)
    (['a', 'b'], 1.09)
    """
    options = Options.of(counts, ties, position, prior)
    solver = Solver(counts, options)
    with one_thread():
        solution = solver.solve(counts.counts[None], None if start is None else start[None])
        return solver.fit(solution, counts)


@dataclass(frozen=True, slots=True)
class Options:
    """The parameters that a fit has."""

    ties: str
    position: bool
    prior: Prior

    @classmethod
    def of(cls, counts: PairCounts, ties: str | None, position: bool, prior: Prior | None) -> Options:
        """Options with what was left open settled by the votes."""
        if ties is None:
            ties = "together" if counts.counts[..., 2:].any() else "none"
        if ties not in TIES:
            raise PcgError(f"ties are `{ties}`, expected one of {', '.join(TIES)}")
        if len(counts.items) < 2:
            raise PcgError(f"{len(counts.items)} items: utilities are of two or more")
        return cls(ties, position, prior or Prior())

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters beside the utilities."""
        wanted = {"tie": self.ties != "none", "position": self.position}
        wanted |= {"both": self.ties == "apart", "appeal": self.ties == "apart"}
        return tuple(name for name, there in wanted.items() if there)


@dataclass(frozen=True, slots=True)
class Solution:
    """Estimates of a batch: `theta` (batch, items + parameters), `information` (the same, squared) with the priors in
    it, and the log-likelihood without them (batch,).
    """

    theta: Array
    information: Array
    log_likelihood: Array


class Solver:
    """Fits the model to many tables of counts of the same pairs at once.

    Args:
        counts: names the items and the pairs; its numbers are not used.
        options: which parameters there are.
    """

    def __init__(self, counts: PairCounts, options: Options) -> None:
        self.items, self.options = counts.items, options
        self.one, self.two, self.n = counts.one, counts.two, len(counts.items)
        self.names = options.names
        sd = options.prior
        widths = [sd.utility] * self.n + [float(getattr(sd, name)) for name in self.names]
        self.precision: Array = 1.0 / np.array(widths) ** 2
        pairs = np.arange(len(self.one))
        signs, place = np.ones(len(pairs)), (np.r_[pairs, pairs], np.r_[self.one, self.two])
        self.minus: Any
        self.plus: Any
        if len(pairs) * self.n <= _DENSE:
            self.minus, self.plus = np.zeros((len(pairs), self.n)), np.zeros((len(pairs), self.n))
            self.minus[place] = np.r_[signs, -signs]
            self.plus[place] = 0.5
        else:
            from scipy.sparse import csr_matrix

            shape = (len(pairs), self.n)
            self.minus = csr_matrix((np.r_[signs, -signs], place), shape)
            self.plus = csr_matrix((np.r_[0.5 * signs, 0.5 * signs], place), shape)

    # -- what is maximised ---------------------------------------------------------------------------------------------

    def _spread(self, values: Array, matrix: Any) -> Array:
        """Sums of values of pairs (batch, pairs) over the pairs of each item, shape (batch, items)."""
        return np.asarray((matrix.T @ values.T).T)

    def _gather(self, theta: Array) -> Array:
        """Difference of the utilities of each pair, shape (batch, pairs)."""
        return np.asarray(theta[:, self.one] - theta[:, self.two])

    def _terms(self, theta: Array, y: Array) -> tuple[Array, Array, Array]:
        """Log-likelihood, gradient and information of a batch, without the priors.

        Args:
            theta: (batch, items + parameters).
            y: (batch, pairs, orders, 4) counts; one order when position does not matter.
        """
        batch, n, size = len(theta), self.n, theta.shape[1]
        place = {name: n + k for k, name in enumerate(self.names)}
        total = y.sum(axis=3)
        tied = y[..., 2] + y[..., 3]
        half = 0.5 * self._gather(theta)[:, :, None]
        if "position" in place:
            sign = np.array([1.0, -1.0])
            half = half + 0.5 * sign * theta[:, place["position"], None, None]
        left = y[..., 0] - y[..., 1]
        if "tie" in place:
            tie = theta[:, place["tie"], None, None]
            most = np.maximum(np.abs(half), tie)
            up, down, same = np.exp(half - most), np.exp(-half - most), np.exp(tie - most)
            norm = up + down + same
            value = (left * half + tied * tie - total * (most + np.log(norm))).sum(axis=(1, 2))
            lean, even = (up - down) / norm, same / norm
            weight = total * 0.25 * (1.0 - even - lean * lean)
        else:
            lean = np.tanh(half)
            even = np.zeros(1)
            value = (left * half - total * np.logaddexp(half, -half)).sum(axis=(1, 2))
            weight = total * 0.25 * (1.0 - lean * lean)
        slope = 0.5 * (left - total * lean)
        gradient, information = np.zeros((batch, size)), np.zeros((batch, size, size))
        gradient[:, :n] = self._spread(slope.sum(axis=2), self.minus)
        between = weight.sum(axis=2)
        block = information[:, :n, :n]
        block[:, self.one, self.two] = -between
        block[:, self.two, self.one] = -between
        diagonal = np.arange(n)
        block[:, diagonal, diagonal] = -block.sum(axis=2)
        if "tie" in place:
            at = place["tie"]
            across = -0.5 * total * lean * even
            gradient[:, at] = (tied - total * even).sum(axis=(1, 2))
            information[:, at, at] = (total * even * (1.0 - even)).sum(axis=(1, 2))
            information[:, :n, at] = self._spread(across.sum(axis=2), self.minus)
            if "position" in place:
                information[:, place["position"], at] = information[:, at, place["position"]] = (across * sign).sum(
                    axis=(1, 2)
                )
        if "position" in place:
            at = place["position"]
            gradient[:, at] = (slope * sign).sum(axis=(1, 2))
            information[:, at, at] = between.sum(axis=1)
            information[:, :n, at] = self._spread((weight * sign).sum(axis=2), self.minus)
        if "both" in place:
            value = value + self._apart(theta, y, place, gradient, information)
        for name in self.names:
            information[:, place[name], :n] = information[:, :n, place[name]]
        return value, gradient, information

    def _apart(self, theta: Array, y: Array, place: Mapping[str, int], gradient: Array, information: Array) -> Array:
        """Add what "both" against "neither" says to gradient and information; returns its log-likelihood."""
        n, both, appeal = self.n, place["both"], place["appeal"]
        yes, no = y[..., 2].sum(axis=2), y[..., 3].sum(axis=2)
        utilities = theta[:, :n]
        middle = 0.5 * (utilities[:, self.one] + utilities[:, self.two]) - utilities.mean(axis=1, keepdims=True)
        strength = theta[:, appeal, None]
        z = theta[:, both, None] + strength * middle
        share = 0.5 * (1.0 + np.tanh(0.5 * z))
        rest, weight = yes - (yes + no) * share, (yes + no) * share * (1.0 - share)

        def centred(values: Array) -> Array:
            spread = self._spread(values, self.plus)
            return np.asarray(spread - spread.mean(axis=1, keepdims=True))

        gradient[:, :n] += strength * centred(rest)
        gradient[:, both] = rest.sum(axis=1)
        gradient[:, appeal] = (rest * middle).sum(axis=1)
        block = np.zeros((len(theta), n, n))
        block[:, self.one, self.two] = block[:, self.two, self.one] = 0.25 * weight
        diagonal = np.arange(n)
        block[:, diagonal, diagonal] = block.sum(axis=2)
        block -= block.mean(axis=1, keepdims=True)
        block -= block.mean(axis=2, keepdims=True)
        information[:, :n, :n] += strength[:, :, None] ** 2 * block
        information[:, :n, both] = strength * centred(weight)
        information[:, :n, appeal] = strength * centred(weight * middle)
        information[:, both, both] = weight.sum(axis=1)
        information[:, appeal, appeal] = (weight * middle * middle).sum(axis=1)
        information[:, both, appeal] = information[:, appeal, both] = (weight * middle).sum(axis=1)
        return np.asarray((yes * -np.logaddexp(0.0, -z) + no * -np.logaddexp(0.0, z)).sum(axis=1))

    # -- maximising it -------------------------------------------------------------------------------------------------

    def _begin(self, y: Array) -> Array:
        theta = np.zeros((len(y), self.n + len(self.names)))
        if "tie" in self.names:
            tied = y[..., 2:].sum(axis=(1, 2, 3))
            theta[:, self.n] = np.log((2 * tied + 0.5) / (y[..., :2].sum(axis=(1, 2, 3)) + 0.5))
        if "both" in self.names:
            yes, no = y[..., 2].sum(axis=(1, 2)), y[..., 3].sum(axis=(1, 2))
            theta[:, self.n + self.names.index("both")] = np.log((yes + 0.5) / (no + 0.5))
        return theta

    def solve(
        self,
        counts: Array,
        start: Array | None = None,
        *,
        hold: tuple[NDArray[np.intp], Array] | None = None,
        tolerance: float = 1e-12,
    ) -> Solution:
        """The estimates for a batch of counts.

        Args:
            counts: (batch, pairs, 2, 4).
            start: (batch, items + parameters) to begin at.
            hold: for each of the batch an item and the value at which its utility is held, as for profiles.
            tolerance: on the expected gain of the log-likelihood at which a fit is done.
        """
        y = counts if self.options.position else counts.sum(axis=2, keepdims=True)
        good = self._begin(y) if start is None else start.copy()
        contrast = None
        if hold is not None:
            item, value = hold
            contrast = np.zeros_like(good)
            contrast[:, : self.n] = -1.0 / self.n
            contrast[np.arange(len(good)), item] += 1.0
            good[:, : self.n] += ((value - (contrast * good).sum(axis=1)) / (1 - 1 / self.n))[:, None] * contrast[
                :, : self.n
            ]
        likelihood, gradient, information = self._penalised(good, y)
        best = likelihood - 0.5 * (self.precision * good**2).sum(axis=1)
        step, gain = self._step(gradient, information, contrast)
        scale = np.ones(len(good))
        for _ in range(_STEPS):
            # `gain` is what a quadratic would still have; a step so short that it changes nothing ends it too.
            active = (gain > tolerance) & (scale > 0.5**_HALVINGS)
            if not active.any():
                break
            trial = good + np.where(active, scale, 0.0)[:, None] * step
            values, slopes, curves = self._penalised(trial, y)
            reached = values - 0.5 * (self.precision * trial**2).sum(axis=1)
            better = active & (reached >= best - 1e-12 * np.abs(best))
            good[better], best[better], likelihood[better] = trial[better], reached[better], values[better]
            information[better] = curves[better]
            new_step, new_gain = self._step(slopes, curves, contrast)
            step[better], gain[better] = new_step[better], new_gain[better]
            scale = np.where(better, 1.0, 0.5 * scale)
        return Solution(good, information, likelihood)

    def penalised(self, theta: Array, counts: Array) -> Array:
        """The objective to maximise: log-likelihoods with the priors, (batch,)."""
        y = counts if self.options.position else counts.sum(axis=2, keepdims=True)
        return np.asarray(self._terms(theta, y)[0] - 0.5 * (self.precision * theta**2).sum(axis=1))

    def _penalised(self, theta: Array, y: Array) -> tuple[Array, Array, Array]:
        value, gradient, information = self._terms(theta, y)
        gradient -= self.precision * theta
        diagonal = np.arange(theta.shape[1])
        information[:, diagonal, diagonal] += self.precision
        return value, gradient, information

    def _step(self, gradient: Array, information: Array, contrast: Array | None) -> tuple[Array, Array]:
        """Newton's step, and twice the gain that a quadratic would have by it."""
        if contrast is None:
            step = np.linalg.solve(information, gradient[:, :, None])[:, :, 0]
        else:
            both = np.linalg.solve(information, np.stack([gradient, contrast], axis=2))
            step, along = both[:, :, 0], both[:, :, 1]
            step = step - along * ((contrast * step).sum(axis=1) / (contrast * along).sum(axis=1))[:, None]
        return np.asarray(step, np.float64), np.asarray((gradient * step).sum(axis=1))

    def covariance(self, information: Array) -> Array:
        """Covariances (batch, size, size) of utilities with mean 0, and of the other parameters."""
        inverse: Array = np.asarray(np.linalg.inv(information), np.float64)
        n = self.n
        inverse[:, :n] -= inverse[:, :n].mean(axis=1, keepdims=True)
        inverse[:, :, :n] -= inverse[:, :, :n].mean(axis=2, keepdims=True)
        return inverse

    def fit(self, solution: Solution, counts: PairCounts, which: int = 0) -> Fit:
        """One of a batch of estimates as a `Fit`."""
        theta = solution.theta[which]
        utilities = theta[: self.n] - theta[: self.n].mean()
        covariance = self.covariance(solution.information[which : which + 1])[0]
        parameters = {name: float(value) for name, value in zip(self.names, theta[self.n :], strict=True)}
        return Fit(
            self.items, utilities, covariance, parameters, float(solution.log_likelihood[which]), counts.votes,
            self.options.ties, counts, self.options.prior,
        )  # fmt: skip
