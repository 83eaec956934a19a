"""Utilities as a smooth function of features, with how sure they are: Gaussian processes learned from pairs.

Chu, Ghahramani: Preference Learning with Gaussian Processes (ICML 2005), with the logistic of Bradley and Terry in the
place of the normal distribution, so that utilities are log odds as everywhere here. The function is a linear one plus
one of a squared exponential kernel with a length for each feature (automatic relevance determination), less its mean
over the items that were voted on: votes say nothing about that mean. The posterior is Laplace's approximation; the
kernel is chosen by its marginal likelihood (Rasmussen, Williams: Gaussian Processes for Machine Learning, 2006,
section 3.4 and algorithm 5.1; the votes' information is not diagonal here) times weak priors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pcg.evaluators.preferences.davidson import Array
from pcg.evaluators.preferences.held_out import Pairs, Rows

MOST_ITEMS = 1000
"""Items that a process is learned from: memory grows with their square, time with their cube."""
_JITTER = 1e-6
"""Variance that every item has for itself; without it the covariance of centred functions has no inverse."""
_VARIANCE, _LINEAR, _LENGTH = math.log(1.0), math.log(0.5), math.log(2.0)
"""Centres of the priors of the kernel's logarithms; lengths times the root of the number of features."""
_WIDTHS = 1.5, 1.5, 1.0
"""Their standard deviations."""
_FAR = 4.0
"""The most of these that the search goes from the centre."""
_STEPS = 100


@dataclass(frozen=True)
class Kernel:
    """The covariance of utilities, in squared log odds.

    >>> Kernel(1.0, 0.0, np.array([1.0]))(np.zeros((1, 1)), np.array([[0.0], [1.0]])).round(3)
    array([[1.   , 0.607]])
    """

    variance: float
    """Of the smooth part."""
    linear: float
    """Of the linear part, for an item whose standard scores are all 1 or -1."""
    lengths: Array
    """For each feature, how many standard deviations the smooth part takes to become another one."""

    def smooth(self, a: Array, b: Array) -> Array:
        """Covariance of the smooth part between rows of standard scores."""
        x, y = a / self.lengths, b / self.lengths
        distance = (x * x).sum(axis=1)[:, None] + (y * y).sum(axis=1) - 2 * (x @ y.T)
        return np.asarray(self.variance * np.exp(-0.5 * np.maximum(distance, 0.0)))

    def straight(self, a: Array, b: Array) -> Array:
        """Covariance of the linear part."""
        return np.asarray(self.linear * (a @ b.T) / a.shape[1])

    def __call__(self, a: Array, b: Array) -> Array:
        """Covariance between rows of standard scores: (rows of a, rows of b)."""
        return np.asarray(self.smooth(a, b) + self.straight(a, b))


@dataclass(frozen=True)
class Process:
    """A posterior of the utilities of any items, relative to the mean of the ones that were voted on."""

    kernel: Kernel
    points: Array
    """Standard scores of the items that were voted on: (items, features)."""
    pull: Array
    """Slope of the log likelihood at the most probable utilities, by item."""
    information: Array
    """Minus its curvature there: (items, items)."""


class Posterior:
    """Predictions of a process."""

    def __init__(self, process: Process) -> None:
        self.process = process
        raw = process.kernel(process.points, process.points)
        self._means, self._mean = raw.mean(axis=0), float(raw.mean())
        spread, _ = _spread(_centred(raw), process.information)
        self._gain = process.information - process.information @ spread @ process.information

    @property
    def sound(self) -> bool:
        """True when predictions are numbers."""
        return bool(np.isfinite(self._gain).all())

    def predict(self, points: Array) -> tuple[Array, Array]:
        """Means of the utilities at rows of standard scores, and their covariance."""
        kernel, known = self.process.kernel, self.process.points
        across = kernel(points, known)
        offset = across.mean(axis=1)
        across = across - offset[:, None] - self._means + self._mean
        own = kernel(points, points) - offset[:, None] - offset + self._mean
        return across @ self.process.pull, own - across @ self._gain @ across.T


def tempered(mean: Array, variance: Array) -> Array:
    """Log odds of the mean probability when log odds are normal.

    MacKay: The Evidence Framework Applied to Classification Networks (1992), equation 10.
    """
    return np.asarray(mean / np.sqrt(1 + math.pi / 8 * np.maximum(variance, 0.0)))


def log_odds(posterior: Posterior, table: Array, first: Rows, second: Rows) -> Array:
    """Log odds with which items of a table of standard scores are preferred to others."""
    mean, covariance = posterior.predict(table)
    own = np.diagonal(covariance)
    return tempered(mean[first] - mean[second], own[first] + own[second] - 2 * covariance[first, second])


# -- learning ----------------------------------------------------------------------------------------------------------


def learn(points: Array, pairs: Pairs) -> Process:
    """Find the kernel that explains votes best, and the utilities.

    Args:
        points: (items, features), standard scores.
        pairs: votes between these items.
    """
    from scipy.optimize import minimize

    search = _Search(points, pairs)
    centre, width = search.centre, search.width
    found = minimize(
        search, centre, jac=True, method="L-BFGS-B", options={"maxiter": _STEPS, "ftol": 1e-8},
        bounds=list(zip(centre - _FAR * width, centre + _FAR * width, strict=True)),
    )  # fmt: skip
    kernel = search.kernel(found.x)
    _, pull, information = most_probable(_centred(kernel(points, points)), pairs)
    return Process(kernel, points, pull, information)


def most_probable(covariance: Array, pairs: Pairs) -> tuple[Array, Array, Array]:
    """The most probable utilities under a covariance, by Newton's method.

    Returns:
        Utilities, the slope of the log likelihood there, and minus its curvature.
    """
    utilities = np.zeros(len(covariance))
    weights = np.zeros(len(covariance))  # utilities = covariance @ weights
    best = _log_likelihood(utilities, pairs)
    for _ in range(100):
        pull, information = _slopes(utilities, pairs)
        spread, _ = _spread(covariance, information)
        goal = spread @ (information @ utilities + pull)
        aim = information @ utilities + pull - information @ goal
        step, turn, scale = goal - utilities, aim - weights, 1.0
        while True:
            there, by = utilities + scale * step, weights + scale * turn
            reached = _log_likelihood(there, pairs) - 0.5 * float(by @ there)
            if reached >= best - 1e-12 * (1 + abs(best)) or scale < 1e-6:
                break
            scale *= 0.5
        done = reached - best < 1e-10 * (1 + abs(best))
        utilities, weights, best = there, by, reached
        if done:
            break
    return utilities, *_slopes(utilities, pairs)


class _Search:
    """Minus the logarithm of marginal likelihood times priors, with its gradient, over the kernel's logarithms."""

    def __init__(self, points: Array, pairs: Pairs) -> None:
        self.points, self.pairs = points, pairs
        features = points.shape[1]
        length = _LENGTH + 0.5 * math.log(features)
        self.centre = np.array([_VARIANCE, _LINEAR] + [length] * features)
        self.width = np.array([_WIDTHS[0], _WIDTHS[1]] + [_WIDTHS[2]] * features)

    @staticmethod
    def kernel(logs: Array) -> Kernel:
        """The kernel of these logarithms."""
        numbers = np.exp(logs)
        return Kernel(float(numbers[0]), float(numbers[1]), numbers[2:])

    def __call__(self, logs: Array) -> tuple[float, Array]:
        kernel, z = self.kernel(logs), self.points
        smooth, straight = kernel.smooth(z, z), kernel.straight(z, z)
        covariance = _centred(smooth + straight)
        utilities, pull, information = most_probable(covariance, self.pairs)
        spread, log_det = _spread(covariance, information)
        value = _log_likelihood(utilities, self.pairs) - 0.5 * float(pull @ utilities) - 0.5 * log_det
        # How the value changes with each entry of the covariance: directly, and because the utilities move.
        gain = information - information @ spread @ information
        first, second = self.pairs.first, self.pairs.second
        probability = _probability(utilities[first] - utilities[second])
        own = np.diagonal(spread)
        unsure = own[first] + own[second] - 2 * spread[first, second]
        bend = -0.5 * self.pairs.count * probability * (1 - probability) * (1 - 2 * probability) * unsure
        moves = _by_item(bend, self.pairs, len(z))
        moved = moves - gain @ (covariance @ moves)
        change = 0.5 * np.outer(pull, pull) - 0.5 * gain + 0.5 * (np.outer(moved, pull) + np.outer(pull, moved))
        change = _centred(change, jitter=0.0)
        by_smooth = change * smooth
        rows = by_smooth.sum(axis=1)
        by_length = 2 * (rows @ (z * z)) - 2 * np.einsum("ij,ij->j", z, by_smooth @ z)
        gradient = np.concatenate([[rows.sum(), (change * straight).sum()], by_length / kernel.lengths**2])
        off = (logs - self.centre) / self.width
        return -(value - 0.5 * float(off @ off)), -(gradient - off / self.width)


def _centred(covariance: Array, jitter: float = _JITTER) -> Array:
    """Of functions less their mean over the items."""
    rows = covariance - covariance.mean(axis=0)
    return np.asarray(rows - rows.mean(axis=1)[:, None] + jitter * np.eye(len(covariance)))


def _spread(covariance: Array, information: Array) -> tuple[Array, float]:
    """Covariance of the posterior, and the log determinant of 1 + covariance times information."""
    from scipy.linalg import cho_factor, solve_triangular

    root = np.linalg.cholesky(covariance)
    middle = root.T @ information @ root
    middle[np.diag_indices_from(middle)] += 1.0
    factor, lower = cho_factor(middle, lower=True)
    half = solve_triangular(factor, root.T, lower=lower)
    return half.T @ half, 2 * float(np.log(np.diagonal(factor)).sum())


def _probability(odds: Array) -> Array:
    return np.asarray(0.5 * (1 + np.tanh(0.5 * odds)))


def _by_item(values: Array, pairs: Pairs, n: int) -> Array:
    """Sums over the pairs by item: positive where it is the first, negative where it is the second."""
    found = np.zeros(n)
    np.add.at(found, pairs.first, values)
    np.subtract.at(found, pairs.second, values)
    return found


def _log_likelihood(utilities: Array, pairs: Pairs) -> float:
    odds = utilities[pairs.first] - utilities[pairs.second]
    return float((pairs.count * (pairs.share * odds - np.logaddexp(0.0, odds))).sum())


def _slopes(utilities: Array, pairs: Pairs) -> tuple[Array, Array]:
    """Slope of the log likelihood by the utilities, and minus its curvature."""
    n, first, second = len(utilities), pairs.first, pairs.second
    probability = _probability(utilities[first] - utilities[second])
    surprise = pairs.count * (pairs.share - probability)
    slope = _by_item(surprise, pairs, n)
    weight = pairs.count * probability * (1 - probability)
    across = np.zeros((n, n))
    np.add.at(across, (first, second), weight)
    across += across.T
    return slope, np.diag(across.sum(axis=1)) - across
