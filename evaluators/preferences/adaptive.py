"""Pairs chosen by what their answer is expected to teach.

After every vote the utilities have a posterior, here the normal approximation around the fit of
`pcg.evaluators.preferences.davidson`. The answer to a pair depends on the difference d of its two utilities alone, so
the information that it gives about all of them is that about d,

    gain(pair)  =  H( E_d p(answer | d) )  -  E_d H( p(answer | d) )        with d normal,

the mutual information of answer and utilities (Lindley: On a Measure of the Information Provided by an Experiment,
1956; for paired comparisons Glickman, Jensen: Adaptive Paired Comparison Design, 2005). Pairs whose order is still open
and whose answer is not a toss-up in any case gain most. It is an integral over one number, done by Gauss-Hermite.

A pair that is on its way to somebody is taken as judged: its expected (Fisher) information shrinks the posterior, which
needs no answer. So several pairs at once, and participants who come together, get different ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from pcg.engine.vgdl.diagnostics import PcgError, nearest
from pcg.evaluators.preferences.davidson import Options, Prior, Solver
from pcg.evaluators.preferences.designs import Balanced, Design, Full, Pair, Random, Table, Tally

Array = NDArray[np.float64]

NODES = 11
"""Points of the Gauss-Hermite quadrature."""
_MANY = 2000
"""Pairs whose gain is worked out again after each choice; more only when one beyond could be best."""


class Adaptive(Design):
    """The pair that is expected to teach most about the utilities.

    Args:
        items: see `Design`.
        seed: see `Design`.
        pairs: see `Design`.
        question: see `Design`.
        explore: share of the pairs that are chosen as `Balanced` does, so that a wrong start is found out.
        least: every item is shown so often before information decides.
        prior: how far apart utilities are thought to lie before the first vote.

    Raises:
        PcgError: see `Design`; for `explore` outside [0, 1] or a negative `least`.
    """

    name = "adaptive"
    help = "the pair whose answer is expected to teach most, from all votes so far"

    def __init__(
        self,
        items: Sequence[str],
        seed: int = 0,
        *,
        pairs: Iterable[Pair] | None = None,
        question: str | None = None,
        explore: float = 0.1,
        least: int = 2,
        prior: Prior | None = None,
    ) -> None:
        super().__init__(items, seed, pairs=pairs, question=question)
        if not 0 <= explore <= 1:
            raise PcgError(f"explore is {explore}, expected a share from 0 to 1")
        if least < 0:
            raise PcgError(f"least is {least}, expected 0 or more")
        self.explore, self.least = explore, least
        self.prior = prior or Prior(utility=2.0, tie=1.5)

    def _choose(self, table: Table, n: int, rng: np.random.Generator) -> list[int]:
        means, covariance, tie = self._posterior(table.tally)
        for pair in table.out.tolist():
            self._absorb(means, covariance, tie, pair)
        chosen: list[int] = []
        size = len(self.items)
        # Every vote shrinks the posterior, so gains only fall: the best few of before hold the best of now as long as
        # it is above all that were left out.
        few, beyond = np.zeros(0, np.intp), math.inf
        for _ in range(n):
            appearances = np.bincount(self.one, table.shown, size) + np.bincount(self.two, table.shown, size)
            rare = appearances < self.least
            new = table.free & (rare[self.one] | rare[self.two])
            if new.any():
                pair = self._balanced(table, new)
            elif rng.random() < self.explore:
                pair = self._balanced(table, table.free)
            else:
                few = few[table.free[few]]
                gains = self._gains(means, covariance, tie, few)
                if not len(few) or gains.max() < beyond:
                    few = np.flatnonzero(table.free)
                    gains = self._gains(means, covariance, tie, few)
                    order = np.argsort(-gains, kind="stable")
                    beyond = float(gains[order[_MANY]]) if len(order) > _MANY else -math.inf
                    few, gains = few[order[:_MANY]], gains[order[:_MANY]]
                pair = int(few[gains.argmax()])
            table.take(pair)
            self._absorb(means, covariance, tie, pair)
            chosen.append(pair)
        return chosen

    def _posterior(self, tally: Tally) -> tuple[Array, Array, float]:
        """Means and covariances of the utilities, and the tie parameter."""
        counts = tally.counts()
        solver = Solver(counts, Options.of(counts, "together", False, self.prior))
        solution = solver.solve(counts.counts[None], tolerance=1e-5)
        n = len(self.items)
        return solution.theta[0, :n], np.linalg.inv(solution.information[0])[:n, :n], float(solution.theta[0, n])

    def _gains(self, means: Array, covariance: Array, tie: float, pairs: NDArray[np.intp]) -> Array:
        one, two = self.one[pairs], self.two[pairs]
        spread = np.diagonal(covariance)
        variance = spread[one] + spread[two] - 2 * covariance[one, two]
        return information_gain(means[one] - means[two], np.sqrt(np.maximum(variance, 0.0)), tie)

    def _absorb(self, means: Array, covariance: Array, tie: float, pair: int) -> None:
        """Shrink the covariances in place by the information expected of one more vote on a pair."""
        i, j = int(self.one[pair]), int(self.two[pair])
        information = fisher_information(float(means[i] - means[j]), tie)
        along = covariance[:, i] - covariance[:, j]
        variance = float(along[i] - along[j])
        covariance -= np.multiply.outer(along, along) * (information / (1.0 + information * variance))


def information_gain(mean: Array, deviation: Array, tie: float) -> Array:
    """Expected information of an answer about the difference of two utilities, in nats.

    Args:
        mean: of the difference, any shape.
        deviation: standard deviation of the difference, the same shape.
        tie: the parameter of ties.

    >>> gains = information_gain(np.array([0.0, 3.0, 0.0]), np.array([1.0, 1.0, 0.0]), -1.0)
    >>> bool(gains[0] > gains[1] > gains[2]), round(float(gains[2]), 12)
    (True, 0.0)
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    half = 0.5 * (mean[..., None] + deviation[..., None] * nodes)
    weights = weights / weights.sum()
    # p log p summed over the answers is (sum of x exp x) / norm - log norm, for log weights x
    up, even = np.exp(half), math.exp(tie)
    down = 1.0 / up
    norm = up + down + even
    first, tied = up / norm, even / norm
    second = 1.0 - first - tied
    within = (np.log(norm) - half * (first - second) - tie * tied) @ weights
    total = np.zeros_like(within)
    for share in (first, second, tied):
        p = np.maximum(share @ weights, 1e-300)
        total -= p * np.log(p)
    return np.maximum(total - within, 0.0)


def fisher_information(difference: float, tie: float) -> float:
    """Expected information of one vote about the difference of two utilities at a point.

    >>> round(fisher_information(0.0, -50.0), 3)
    0.25
    """
    most = max(abs(0.5 * difference), tie)
    up, down, even = (math.exp(x - most) for x in (0.5 * difference, -0.5 * difference, tie))
    norm = up + down + even
    return 0.25 * ((up + down) / norm - ((up - down) / norm) ** 2)


DESIGNS: dict[str, type[Design]] = {kind.name: kind for kind in (Full, Balanced, Random, Adaptive)}
"""The designs by name."""


def make_design(
    name: str,
    items: Sequence[str],
    seed: int = 0,
    *,
    pairs: Iterable[Pair] | None = None,
    question: str | None = None,
) -> Design:
    """A design by its name.

    Raises:
        PcgError: for an unknown name, and as `Design` does.

    >>> make_design("balanced", ["a", "b", "c"], seed=1).pairs
    3
    """
    if name not in DESIGNS:
        near = nearest(name, DESIGNS)
        hint = f", did you mean `{near}`?" if near else f" (there are: {', '.join(DESIGNS)})"
        raise PcgError(f"no design `{name}`{hint}")
    return DESIGNS[name](items, seed, pairs=pairs, question=question)
