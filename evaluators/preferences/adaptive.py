"""Pairs chosen by what their answer is expected to teach.

After every vote the utilities have a posterior, here the normal (Laplace) approximation around the fit of
`pcg.evaluators.preferences.davidson`. An answer is information about the difference d of two utilities; with variance
s^2 before it and Fisher information I it takes from the variance of any other difference e

    r^2  =  cov(d, e)^2 * I / (1 + I s^2)

and two things can be wanted of it, both expected losses of entropy (Lindley: On a Measure of the Information Provided
by an Experiment, 1956; for paired comparisons Glickman, Jensen: Adaptive Paired Comparison Design, 2005):

    order      of the order of every two items: with p the probability that the one is better than the other,
               the sum over all pairs e of  density(e = 0)^2 r^2 / (2 p (1 - p)),  as p moves by density * r
    utilities  of the utilities themselves:  log(1 + I s^2) / 2

The first spends votes on neighbours in the ranking that votes can still tell apart, and needs about half as many for
the same ranking as the second or as pairs by lot (docs/results/preferences.md).

A pair that is on its way to somebody is taken as judged: its expected information shrinks the posterior, which needs
no answer. So several pairs at once, and participants who come together, get different ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean
from pcg.evaluators.preferences.davidson import Options, Prior, Solver, one_thread
from pcg.evaluators.preferences.designs import Balanced, Design, Full, Pair, Random, Table, Tally

Array = NDArray[np.float64]

AIMS: dict[str, str] = {
    "order": "learn which of every two items is the better one",
    "utilities": "learn how good each item is",
}


class Adaptive(Design):
    """The pair that is expected to teach most.

    Args:
        items: see `Design`.
        seed: see `Design`.
        pairs: see `Design`.
        question: see `Design`.
        aim: one of `AIMS`.
        explore: share of the pairs that are chosen as `Balanced` does, so that a wrong start is found out.
        least: every item is shown so often before information decides.
        prior: how far apart utilities are thought to lie before the first vote.

    Raises:
        PcgError: see `Design`; for an unknown aim, `explore` outside [0, 1] or a negative `least`.
    """

    name = "adaptive"
    help = "the pair whose answer is expected to teach most about the ranking, from all votes so far"

    def __init__(
        self,
        items: Sequence[str],
        seed: int = 0,
        *,
        pairs: Iterable[Pair] | None = None,
        question: str | None = None,
        aim: str = "order",
        explore: float = 0.05,
        least: int = 2,
        prior: Prior | None = None,
    ) -> None:
        super().__init__(items, seed, pairs=pairs, question=question)
        if aim not in AIMS:
            raise PcgError(f"aim is `{aim}`, expected one of {', '.join(AIMS)}")
        if not 0 <= explore <= 1:
            raise PcgError(f"explore is {explore}, expected a share from 0 to 1")
        if least < 0:
            raise PcgError(f"least is {least}, expected 0 or more")
        self.aim, self.explore, self.least = aim, explore, least
        self.prior = prior or Prior(utility=2.0, tie=1.5)

    def _choose(self, table: Table, n: int, rng: np.random.Generator) -> list[int]:
        with one_thread():
            return self._best(table, n, rng)

    def _best(self, table: Table, n: int, rng: np.random.Generator) -> list[int]:
        belief = Belief(*self._posterior(table.tally), self.one, self.two)
        for pair in table.out.tolist():
            belief.absorb(pair)
        if self.aim == "order":
            belief.weigh_orders()
        chosen: list[int] = []
        size = len(self.items)
        for _ in range(n):
            appearances = np.bincount(self.one, table.shown, size) + np.bincount(self.two, table.shown, size)
            rare = appearances < self.least
            new = table.free & (rare[self.one] | rare[self.two])
            if new.any():
                pair = self._balanced(table, new)
            elif rng.random() < self.explore:
                pair = self._balanced(table, table.free)
            else:
                gains = belief.order_gains() if self.aim == "order" else belief.utility_gains()
                pair = int(np.where(table.free, gains, -1.0).argmax())
            table.take(pair)
            belief.absorb(pair)
            chosen.append(pair)
        return chosen

    def _posterior(self, tally: Tally) -> tuple[Array, Array, float]:
        """Means and covariances of the utilities, and the tie parameter."""
        counts = tally.counts()
        solver = Solver(counts, Options.of(counts, "together", False, self.prior))
        solution = solver.solve(counts.counts[None], tolerance=1e-4)
        n = len(self.items)
        return solution.theta[0, :n], np.linalg.inv(solution.information[0])[:n, :n], float(solution.theta[0, n])


class Belief:
    """The present estimate of the utilities, and what one more vote on each pair is expected to add.

    Args:
        means: of the utilities, (items,).
        covariance: of the utilities, (items, items).
        tie: the parameter of ties.
        one: index of the first item of each pair, (pairs,).
        two: of its second item.
    """

    def __init__(
        self, means: Array, covariance: Array, tie: float, one: NDArray[np.intp], two: NDArray[np.intp]
    ) -> None:
        self.covariance, self.one, self.two = covariance.copy(), one, two
        self.difference = means[one] - means[two]
        self.information = fisher_information(self.difference, tie)
        self._laplacian = self._spread = np.zeros((0, 0))

    def _of_pairs(self, matrix: Array) -> Array:
        """x' matrix x for each pair, with x = 1 at its first item and -1 at its second; (pairs,)."""
        diagonal = np.diagonal(matrix)
        return np.asarray(diagonal[self.one] + diagonal[self.two] - 2 * matrix[self.one, self.two])

    def absorb(self, pair: int) -> None:
        """Shrink the posterior by the information expected of one more vote on a pair."""
        i, j, information = self.one[pair], self.two[pair], float(self.information[pair])
        along = self.covariance[:, i] - self.covariance[:, j]
        share = information / (1.0 + information * float(along[i] - along[j]))
        if len(self._spread):
            # spread = C L C with C -> C - share a a'
            pulled = self.covariance @ (self._laplacian @ along)
            inner = float(along @ self._laplacian @ along)
            self._spread -= share * (np.outer(along, pulled) + np.outer(pulled, along))
            self._spread += share * share * inner * np.outer(along, along)
        self.covariance -= share * np.outer(along, along)

    def weigh_orders(self) -> None:
        """Work out how open the order of each pair is; what is absorbed later leaves that as it is."""
        from scipy.special import ndtr

        variance = np.maximum(self._of_pairs(self.covariance), 1e-12)
        worse = ndtr(-np.abs(self.difference) / np.sqrt(variance))
        density = np.exp(-(self.difference**2) / variance) / (2 * math.pi * variance)
        weight = density / np.maximum(2 * worse * (1.0 - worse), 1e-300)
        n = len(self.covariance)
        laplacian = np.zeros((n, n))
        laplacian[self.one, self.two] = laplacian[self.two, self.one] = -weight
        laplacian[np.arange(n), np.arange(n)] = -laplacian.sum(axis=1)
        self._laplacian = laplacian
        self._spread = self.covariance @ laplacian @ self.covariance

    @property
    def spread(self) -> Array:
        """Covariance times the weights of the orders times covariance, once they are weighed, (items, items)."""
        return self._spread

    def order_gains(self) -> Array:
        """Expected information about the order of all pairs, in nats, of a vote on each pair; (pairs,)."""
        variance = self._of_pairs(self.covariance)
        return self._of_pairs(self._spread) * self.information / (1.0 + self.information * variance)

    def utility_gains(self) -> Array:
        """Expected information about the utilities, in nats, of a vote on each pair; (pairs,)."""
        return 0.5 * np.log1p(self.information * self._of_pairs(self.covariance))


def fisher_information(difference: Array, tie: float) -> Array:
    """Expected information of one vote about the difference of two utilities at given differences.

    >>> fisher_information(np.array([0.0]), -50.0).round(3).tolist()
    [0.25]
    """
    most = np.maximum(np.abs(0.5 * difference), tie)
    up, down, even = np.exp(0.5 * difference - most), np.exp(-0.5 * difference - most), np.exp(tie - most)
    norm = up + down + even
    return np.asarray(0.25 * ((up + down) / norm - ((up - down) / norm) ** 2))


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
        hint = did_you_mean(name, DESIGNS, f" (there are: {', '.join(DESIGNS)})")
        raise PcgError(f"no design `{name}`{hint}")
    return DESIGNS[name](items, seed, pairs=pairs, question=question)
