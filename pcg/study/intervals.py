"""Intervals of utilities that hold under adaptive pairing: a normal prior whose width the votes tell too.

Where pairs are chosen by the votes before, estimates lie too far out, and neither the bootstrap over participants (its
samples are not paired as the design would have paired them) nor the profile likelihood knows that. The posterior is the
same however pairs were chosen. What it needs is a prior that is about right: items lie around their mean with a
standard deviation that is not known. All widths are taken, each weighed by how likely it makes the votes (Laplace's
approximation), as in a hierarchical model (Gelman et al.: Bayesian Data Analysis, 2013, section 5.4, with the uniform
prior on the standard deviation of section 5.7). `benchmarks/study_coverage.py` shows how often they hold what is true.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pcg.evaluators.preferences.davidson import Array, Fit, Options, Solver, one_thread

WIDTHS = np.geomspace(0.4, 6.0, 14)
"""Standard deviations of the utilities between which the votes choose, in log odds."""


@dataclass(frozen=True, eq=False)
class Posterior:
    """Normal approximation of the utilities, mean 0, shapes (items,) and (items, items)."""

    mean: Array
    covariance: Array

    def intervals(self, confidence: float = 0.95) -> Array:
        """Return the intervals of the utilities, shape (items, 2)."""
        reach = _reach(confidence) * np.sqrt(np.maximum(0.0, np.diagonal(self.covariance)))
        return np.stack([self.mean - reach, self.mean + reach], axis=1)

    def difference(self, one: int, other: int, confidence: float = 0.95) -> tuple[float, float]:
        """Return the interval of the difference of two items, by their places."""
        c = self.covariance
        centre = float(self.mean[one] - self.mean[other])
        reach = _reach(confidence) * float(np.sqrt(max(0.0, c[one, one] + c[other, other] - 2 * c[one, other])))
        return centre - reach, centre + reach

    def ranks(self, confidence: float = 0.95, *, samples: int = 1000, seed: int = 0) -> NDArray[np.int64]:
        """Return the ranks (1 is best) that are left open, shape (items, 2)."""
        drawn = np.random.default_rng([seed, 11]).multivariate_normal(self.mean, self.covariance, samples)
        ranks = 1 + np.argsort(np.argsort(-drawn, axis=1, kind="stable"), axis=1, kind="stable")
        tail = 0.5 * (1 - confidence)
        return np.quantile(ranks, [tail, 1 - tail], axis=0, method="inverted_cdf").T.astype(np.int64)


def posterior(fitted: Fit) -> Posterior:
    """Return the utilities given the votes, under a normal prior of unknown width.

    Args:
        fitted: the fit to the votes.

    >>> from pcg.evaluators.preferences import Vote, count_votes, fit
    >>> votes = [Vote(f"p{k}", "a", "b", "first" if k < 30 else "second") for k in range(40)]
    >>> found = posterior(fit(count_votes(votes)))
    >>> low, high = found.difference(0, 1)
    >>> 0 < low < high < 2
    True
    """
    n, counts = len(fitted.items), fitted.counts
    centring = np.eye(n) - 1 / n
    weights, means, covariances = [], [], []
    with one_thread():
        for width in WIDTHS:
            prior = replace(fitted.prior, utility=float(width))
            solver = Solver(counts, Options(fitted.ties, "position" in fitted.parameters, prior))
            found = solver.solve(counts.counts[None])
            theta, information = found.theta[0], found.information[0]
            penalty = 0.5 * np.log(solver.precision).sum() - 0.5 * (solver.precision * theta**2).sum()
            evidence = found.log_likelihood[0] + penalty - 0.5 * np.linalg.slogdet(information)[1]
            weights.append(float(evidence + np.log(width)))  # the grid is even in the logarithm, the prior in the width
            means.append(centring @ theta[:n])
            covariances.append(centring @ np.linalg.inv(information)[:n, :n] @ centring)
    share = np.exp(np.array(weights) - max(weights))
    share /= share.sum()
    mean = np.tensordot(share, np.array(means), 1)
    apart = np.array(means) - mean
    covariance = np.tensordot(share, np.array(covariances), 1) + np.einsum("w,wi,wj->ij", share, apart, apart)
    return Posterior(mean, covariance)


def _reach(confidence: float) -> float:
    from scipy.stats import norm

    return float(norm.ppf(0.5 + 0.5 * confidence))
