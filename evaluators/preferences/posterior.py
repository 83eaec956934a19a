"""Posterior of the utilities under a normal prior of unknown width; its intervals are valid for adaptive pairs too.

Where pairs are chosen by the votes before, estimates lie too far out, and neither the bootstrap over participants (its
samples are not paired as the design would have paired them) nor the profile likelihood knows that. The posterior is the
same however pairs were chosen. What it needs is a prior that is about right: items lie around their mean with a
standard deviation that is not known. All widths are taken, each weighed by how likely it makes the votes (Laplace's
approximation), as in a hierarchical model (Gelman et al.: Bayesian Data Analysis, 2013, section 5.4, with the uniform
prior on the standard deviation of section 5.7). Intervals are quantiles of that mixture. One normal distribution with
its mean and covariance is too wide where items lie close together and too narrow where they lie far apart, as wide
priors make its tails long. Intervals are as much wider as people's own tastes make answers scatter (`dispersion`);
ranks are not, as those hold more than is asked for already. `benchmarks/study_coverage.py` shows how often they hold
what is true.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pcg.evaluators.preferences.davidson import Array, Fit, Options, Solver, one_thread
from pcg.evaluators.preferences.dispersion import vote_dispersion
from pcg.evaluators.preferences.votes import Vote

WIDTHS = np.geomspace(0.4, 6.0, 14)
"""Standard deviations of the utilities between which the votes choose, in log odds."""
_HALVINGS = 60
_LEAST = 1e-24
"""Variance of what is always 0."""


@dataclass(frozen=True, eq=False)
class Posterior:
    """Posterior of the utilities, which have mean 0: a mixture of normal distributions."""

    mean: Array
    """Of the mixture, (items,)."""
    covariance: Array
    """Of the mixture, with what tastes add, (items, items)."""
    parts: tuple[tuple[float, Array, Array], ...] = ()
    """Share, mean and covariance for each width of the prior, without what tastes add; empty for one normal
    distribution.
    """
    dispersion: float = 1.0
    """Factor of `covariance` for people's own tastes."""

    def intervals(self, confidence: float = 0.95) -> Array:
        """Return the intervals of the utilities, shape (items, 2)."""
        return self.combinations(np.eye(len(self.mean)), confidence)

    def difference(self, one: int, other: int, confidence: float = 0.95) -> tuple[float, float]:
        """Return the interval of the difference of two items, by their places."""
        low, high = self.combinations(self._apart(one, other), confidence)[0]
        return float(low), float(high)

    def combinations(self, weights: Array, confidence: float = 0.95) -> Array:
        """Return the intervals of weighted sums of utilities, shape (sums, 2): as much is left out below as above.

        Args:
            weights: of each item in each sum, (sums, items).
            confidence: what the intervals hold.
        """
        share, means, errors = self._mixed(weights)
        low, high = (means - 9 * errors).min(axis=0), (means + 9 * errors).max(axis=0)
        ends = []
        for level in (0.5 - 0.5 * confidence, 0.5 + 0.5 * confidence):
            below, above = low.copy(), high.copy()
            for _ in range(_HALVINGS):
                middle = 0.5 * (below + above)
                more = share @ _normal_cdf((middle - means) / errors) < level
                below, above = np.where(more, middle, below), np.where(more, above, middle)
            ends.append(0.5 * (below + above))
        return np.stack(ends, axis=1)

    def above(self, one: int, other: int) -> float:
        """Return the probability that an item is liked better than another one, by their places."""
        share, means, errors = self._mixed(self._apart(one, other))
        return float((share @ _normal_cdf(means / errors))[0])

    def _apart(self, one: int, other: int) -> Array:
        """The weights of a difference, (1, items)."""
        return np.eye(len(self.mean))[[one]] - np.eye(len(self.mean))[[other]]

    def _mixed(self, weights: Array) -> tuple[Array, Array, Array]:
        """Shares (widths,), means and standard errors (widths, sums) of sums, with what tastes add."""
        if not self.parts:
            variance = np.einsum("si,ij,sj->s", weights, self.covariance, weights)
            return np.ones(1), (weights @ self.mean)[None], np.sqrt(np.maximum(_LEAST, variance))[None]
        share = np.array([weight for weight, _, _ in self.parts])
        means = np.stack([weights @ mean for _, mean, _ in self.parts])
        variances = np.stack([np.einsum("si,ij,sj->s", weights, spread, weights) for _, _, spread in self.parts])
        centre = weights @ self.mean
        wider = np.sqrt(self.dispersion)
        return share, centre + wider * (means - centre), wider * np.sqrt(np.maximum(_LEAST, variances))

    def of_groups(self, groups: Sequence[str]) -> tuple[tuple[str, ...], Posterior]:
        """Return the names of groups, sorted, and the posterior of the mean utilities of their items.

        Args:
            groups: of each item.
        """
        names = tuple(sorted(set(groups)))
        share = np.array([[float(group == name) for group in groups] for name in names])
        share = (np.eye(len(names)) - 1 / len(names)) @ (share / share.sum(axis=1, keepdims=True))
        parts = tuple((weight, share @ mean, share @ spread @ share.T) for weight, mean, spread in self.parts)
        return names, Posterior(share @ self.mean, share @ self.covariance @ share.T, parts, self.dispersion)

    def draw(self, samples: int, rng: np.random.Generator) -> Array:
        """Return utilities drawn from the mixture over widths, (samples, items), those of one width together.

        A wide prior spreads all items and leaves their order as it is; one normal distribution for all widths takes
        that for doubt about the order.
        """
        parts = self.parts or ((1.0, self.mean, self.covariance),)
        counts = rng.multinomial(samples, [share for share, _, _ in parts])
        return np.concatenate(
            [rng.multivariate_normal(mean, spread, n) for (_, mean, spread), n in zip(parts, counts, strict=True) if n]
        )

    def ranks(self, confidence: float = 0.95, *, samples: int = 4000, seed: int = 0) -> NDArray[np.int64]:
        """Return the ranks (1 is best) that are left open, shape (items, 2).

        Ranks are whole numbers, so intervals that each hold 95 % hold more than that, all together 97 to 99 %. Each is
        the shortest one of a common level, and that level the lowest at which they hold `confidence` on average.
        """
        drawn = self.draw(samples, np.random.default_rng([seed, 11]))
        ranks = np.argsort(np.argsort(-drawn, axis=1, kind="stable"), axis=1, kind="stable")
        n = len(self.mean)
        shares = np.stack([np.bincount(ranks[:, k], minlength=n) for k in range(n)]) / samples
        # mass[k, low, high]: how likely the rank of item k lies in low..high
        sums = np.concatenate([np.zeros((n, 1)), np.cumsum(shares, axis=1)], axis=1)
        mass = np.maximum(0.0, sums[:, None, 1:] - sums[:, :-1, None])
        # for each length only the likeliest interval is needed
        spans = [np.stack([np.arange(n - length), np.arange(length, n)]) for length in range(n)]
        best = [mass[:, low, high].argmax(axis=1) for low, high in spans]
        held = np.stack([mass[:, low, high].max(axis=1) for low, high in spans], axis=1)  # rises with the length
        levels = np.unique(held[held <= confidence + 1e-9])[::-1]
        chosen = _lengths(held, confidence)
        for level in levels:
            shorter = _lengths(held, float(level))
            if held[np.arange(n), shorter].mean() < confidence:
                break
            chosen = shorter
        low = np.array([spans[length][0][best[length][k]] for k, length in enumerate(chosen)])
        return np.stack([low + 1, low + chosen + 1], axis=1).astype(np.int64)


def posterior(fitted: Fit, votes: Sequence[Vote] = ()) -> Posterior:
    """Return the utilities given the votes, under a normal prior of unknown width.

    Args:
        fitted: the fit to the votes.
        votes: these votes, of which it is told how far people's tastes make them scatter; without them not at all.

    >>> from pcg.evaluators.preferences import Vote, count_votes, fit
    >>> votes = [Vote(f"p{k}", "a", "b", "first" if k < 30 else "second") for k in range(40)]
    >>> found = posterior(fit(count_votes(votes)))
    >>> low, high = found.difference(0, 1)
    >>> 0 < low < high < 2
    True
    """
    n, counts = len(fitted.items), fitted.counts
    centring = np.eye(n) - 1 / n
    approximations = []
    with one_thread():
        for width in WIDTHS:
            prior = replace(fitted.prior, utility=float(width))
            solver = Solver(counts, Options(fitted.ties, "position" in fitted.parameters, prior))
            found = solver.solve(counts.counts[None])
            theta, information = found.theta[0], found.information[0]
            penalty = 0.5 * np.log(solver.precision).sum() - 0.5 * (solver.precision * theta**2).sum()
            evidence = found.log_likelihood[0] + penalty - 0.5 * np.linalg.slogdet(information)[1]
            covariance = centring @ np.linalg.inv(information)[:n, :n] @ centring
            approximations.append((float(evidence), centring @ theta[:n], covariance))
    return over_widths(approximations, vote_dispersion(fitted, votes))


def over_widths(approximations: Sequence[tuple[float, Array, Array]], dispersion: float = 1.0) -> Posterior:
    """Mix normal approximations, one for each of `WIDTHS`, by how likely each makes the votes.

    Args:
        approximations: (log evidence, means, covariances) for each width.
        dispersion: factor of the covariance for people's own tastes.
    """
    # the grid is even in the logarithm, the prior in the width
    weights = [evidence + np.log(width) for (evidence, _, _), width in zip(approximations, WIDTHS, strict=True)]
    means, covariances = [mean for _, mean, _ in approximations], [spread for _, _, spread in approximations]
    share = np.exp(np.array(weights) - max(weights))
    share /= share.sum()
    mean = np.tensordot(share, np.array(means), 1)
    apart = np.array(means) - mean
    covariance = np.tensordot(share, np.array(covariances), 1) + np.einsum("w,wi,wj->ij", share, apart, apart)
    parts = tuple(zip(share.tolist(), means, covariances, strict=True))
    return Posterior(mean, dispersion * covariance, parts, dispersion)


def _lengths(held: Array, level: float) -> NDArray[np.int64]:
    """Return for each item the shortest length whose interval holds a level; lengths count from 0."""
    return np.asarray((held >= level - 1e-9).argmax(axis=1), np.int64)


def _normal_cdf(z: Array) -> Array:
    from scipy.special import ndtr

    return np.asarray(ndtr(z), np.float64)
