"""Luce's choice model: utilities from choices of the best, and of the worst, among several items at once.

Of a set S of items shown together, item i is chosen as the best with probability

    P(i | S)  =  exp(u_i) / sum over j in S of exp(u_j)

(Luce: Individual Choice Behavior, 1959; Plackett: The Analysis of Permutations, 1975). Of those that are left the worst
is chosen by the same law with the signs of the utilities turned (the sequential model of best-worst choices: Marley,
Louviere: Some Probabilistic Models of Best, Worst, and Best-Worst Choices, 2005). One choice is one observation: it is
never taken apart into pairs, which would count the same answer several times. With sets of two this is the model of
Bradley and Terry without ties.

The estimate maximises the likelihood times weak normal priors as that of `davidson` does; utilities have mean 0, and
intervals come from the same posterior under a prior of unknown width (`ChoiceTable.posterior`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pcg.engine.lazy import cached_property
from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean
from pcg.evaluators.preferences.davidson import Array, Prior, one_thread
from pcg.evaluators.preferences.dispersion import People
from pcg.evaluators.preferences.posterior import WIDTHS, Posterior, over_widths

_STEPS = 60


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer of one participant about several items shown together.

    Raises:
        PcgError: for fewer than two items, one that is there twice, and a best or worst that is none of them, or the
            same.

    >>> Choice("p1", ("ruins", "caves", "maze", "hall"), "maze", "caves").places
    (2, 1)
    """

    participant: str
    items: tuple[str, ...]
    """In the order in which they were shown."""
    best: str
    worst: str = ""
    """Empty where it was not asked for."""
    seconds: float = 0.0
    """Taken for all of them."""

    def __post_init__(self) -> None:
        if len(set(self.items)) < max(2, len(self.items)):
            raise PcgError(f"participant {self.participant} chose among {', '.join(self.items)}, expected two or more")
        for item in (self.best, *filter(None, [self.worst])):
            if item not in self.items:
                raise PcgError(f"`{item}` was chosen, which was not shown" + did_you_mean(item, self.items))
        if self.best == self.worst:
            raise PcgError(f"`{self.best}` is the best and the worst of {', '.join(self.items)}")

    @property
    def places(self) -> tuple[int, int]:
        """Places of the best and the worst in the order shown, from 0; -1 for no worst."""
        return self.items.index(self.best), self.items.index(self.worst) if self.worst else -1


@dataclass(frozen=True, eq=False)
class ChoiceFit:
    """A fit of the model to choices: the estimate, and the curvature of the penalised likelihood around it."""

    items: tuple[str, ...]
    theta: Array
    """Utilities as the prior has them, (items,)."""
    information: Array
    """With the prior in it, (items, items)."""
    log_likelihood: float
    """Without the prior."""
    observations: float
    """Choices of a best and of a worst."""

    @property
    def utilities(self) -> Array:
        """Per item, mean 0, on the scale of log odds."""
        return np.asarray(self.theta - self.theta.mean())

    @cached_property
    def covariance(self) -> Array:
        """Covariance of the utilities with mean 0."""
        centring = np.eye(len(self.theta)) - 1 / len(self.theta)
        return np.asarray(centring @ np.linalg.inv(self.information) @ centring)

    @property
    def errors(self) -> Array:
        """Standard errors of the utilities."""
        return np.sqrt(np.maximum(0.0, np.diagonal(self.covariance)))


class ChoiceTable:
    """Choices as arrays: a row for each choice of a best, and one for each of a worst among those left.

    Args:
        choices: any.
        items: in the order wanted; those that occur, sorted, without it.

    Raises:
        PcgError: for an item that is not among `items`, and for fewer than two.
    """

    def __init__(self, choices: Sequence[Choice], items: Sequence[str] | None = None) -> None:
        self.items = tuple(items) if items is not None else tuple(sorted({i for c in choices for i in c.items}))
        n = len(self.items)
        if n < 2:
            raise PcgError(f"{n} items: utilities are of two or more")
        index = {item: k for k, item in enumerate(self.items)}
        unknown = next((i for c in choices for i in c.items if i not in index), None)
        if unknown is not None:
            raise PcgError(
                f"a choice is about `{unknown}`, which is none of the {n} items{did_you_mean(unknown, index)}"
            )
        rows: list[tuple[int, int, list[int], int]] = []  # number of the choice, sign, items, the one chosen
        for k, choice in enumerate(choices):
            rows.append((k, 1, [index[i] for i in choice.items], index[choice.best]))
            left = [index[i] for i in choice.items if i != choice.best]
            if choice.worst and len(left) > 1:
                rows.append((k, -1, left, index[choice.worst]))
        widest = max((len(row[2]) for row in rows), default=1)
        self.people = [choices[row[0]].participant for row in rows]
        """The participant of each row."""
        self.choice: NDArray[np.intp] = np.array([row[0] for row in rows], np.intp)
        """Number of the choice that each row is of, (rows,)."""
        self.sign: Array = np.array([row[1] for row in rows], np.float64)
        self.members: NDArray[np.intp] = np.array([r[2] + [n] * (widest - len(r[2])) for r in rows], np.intp)
        """Items of each row, filled up with the number of items, (rows, widest)."""
        self.members = self.members.reshape(len(rows), widest)
        self.chosen: NDArray[np.intp] = np.array([row[3] for row in rows], np.intp)

    def probabilities(self, theta: Array) -> Array:
        """Return how likely each item of each row is chosen, (rows, widest); what fills a row up never is.

        Args:
            theta: utilities, (items,).
        """
        strength = np.where(
            self.members < len(self.items), self.sign[:, None] * np.append(theta, 0.0)[self.members], -np.inf
        )
        share = np.exp(strength - strength.max(axis=1, keepdims=True))
        return np.asarray(share / share.sum(axis=1, keepdims=True), np.float64)

    def _terms(self, theta: Array, weights: Array) -> tuple[float, Array, Array]:
        """Log-likelihood, gradient and information, without the prior."""
        n, members, share = len(self.items), self.members, self.probabilities(theta)
        at = (members == self.chosen[:, None]).argmax(axis=1)
        value = float(weights @ np.log(np.maximum(np.take_along_axis(share, at[:, None], 1)[:, 0], 1e-300)))
        expected = np.bincount(members.ravel(), (-(weights * self.sign)[:, None] * share).ravel(), n + 1)[:n]
        gradient = expected + np.bincount(self.chosen, weights * self.sign, n)
        cells = (members[:, :, None] * (n + 1) + members[:, None, :]).ravel()
        both = (weights[:, None, None] * share[:, :, None] * share[:, None, :]).ravel()
        information = -np.bincount(cells, both, (n + 1) ** 2).reshape(n + 1, n + 1)[:n, :n]
        information[np.arange(n), np.arange(n)] += np.bincount(
            members.ravel(), (weights[:, None] * share).ravel(), n + 1
        )[:n]
        return value, np.asarray(gradient, np.float64), np.asarray(information, np.float64)

    def fit(
        self, width: float = Prior().utility, weights: Array | None = None, start: Array | None = None
    ) -> ChoiceFit:
        """Return the estimate under a normal prior, by Newton's method.

        Args:
            width: standard deviation of the prior, in log odds.
            weights: how often each choice counts, (choices,); once without it.
            start: utilities to begin at, (items,).
        """
        heavy = np.ones(len(self.choice)) if weights is None else weights[self.choice]
        n, precision = len(self.items), 1.0 / width**2
        theta = np.zeros(n) if start is None else start.copy()
        value, gradient, information = self._terms(theta, heavy)
        for _ in range(_STEPS):
            slope = gradient - precision * theta
            step = np.linalg.solve(information + precision * np.eye(n), slope)
            if float(slope @ step) < 1e-13:
                break
            scale, best = 1.0, value - 0.5 * precision * float(theta @ theta)
            while scale > 1e-12:
                trial = theta + scale * step
                found = self._terms(trial, heavy)
                if found[0] - 0.5 * precision * float(trial @ trial) >= best - 1e-12 * abs(best):
                    theta, (value, gradient, information) = trial, found
                    break
                scale *= 0.5
            else:
                break
        return ChoiceFit(self.items, theta, information + precision * np.eye(n), value, float(heavy.sum()))

    def dispersion(self) -> float:
        """Return how much further than by chance the choices scatter, because of people's own tastes."""
        n = len(self.items)
        theta, people = self.fit().theta, People(n, n)
        members, shares = self.members, self.probabilities(theta)
        for k, who in enumerate(self.people):
            there = members[k] < n
            places, share = members[k][there], shares[k][there]
            scores = self.sign[k] * (np.eye(len(places)) - share)
            people.add(who, places.tolist(), share, scores, scores[places.tolist().index(self.chosen[k])])
        return people.dispersion(Prior().utility)

    def posterior(self) -> Posterior:
        """Return the utilities given the choices, under a normal prior of unknown width; see `posterior`."""
        n = len(self.items)
        found = []
        with one_thread():
            for width in WIDTHS:
                fitted = self.fit(float(width))
                penalty = -n * np.log(width) - 0.5 * float(fitted.theta @ fitted.theta) / width**2
                evidence = fitted.log_likelihood + penalty - 0.5 * np.linalg.slogdet(fitted.information)[1]
                found.append((float(evidence), fitted.utilities, fitted.covariance))
        return over_widths(found, self.dispersion())


def fit_choices(choices: Sequence[Choice], items: Sequence[str] | None = None) -> ChoiceFit:
    """Fit the utilities of items to choices among them.

    Args:
        choices: any.
        items: in the order wanted; those that occur, sorted, without it.

    Raises:
        PcgError: see `ChoiceTable`.

    >>> sets = [Choice(f"p{k}", ("a", "b", "c", "d"), "a" if k < 30 else "b", "d") for k in range(40)]
    >>> found = fit_choices(sets).utilities
    >>> round(float(found[0] - found[1]), 1)  # log(30 / 10)
    1.1
    """
    with one_thread():
        return ChoiceTable(choices, items).fit()


def choice_bootstrap(
    choices: Sequence[Choice], *, samples: int = 1000, seed: int = 0, confidence: float = 0.95
) -> tuple[ChoiceFit, Array]:
    """Fit choices, and draw participants anew to see how far utilities depend on who was asked.

    Args:
        choices: of at least one participant.
        samples: how many times.
        seed: equal seeds give equal intervals.
        confidence: of the intervals.

    Returns:
        The fit to all choices, and percentile intervals of the utilities, (items, 2).

    >>> sets = [Choice(f"p{k}", ("a", "b", "c", "d"), "a" if k < 30 else "b", "d") for k in range(40)]
    >>> found, intervals = choice_bootstrap(sets, samples=50)
    >>> intervals.shape, bool((intervals[:, 0] <= found.utilities).all())
    ((4, 2), True)
    """
    table = ChoiceTable(choices)
    people = {who: k for k, who in enumerate(dict.fromkeys(choice.participant for choice in choices))}
    of = np.array([people[choice.participant] for choice in choices], np.intp)
    rng, n = np.random.default_rng([seed, 12]), len(people)
    with one_thread():
        fitted = table.fit()
        drawn = []
        for _ in range(samples):
            often = rng.multinomial(n, np.full(n, 1 / n))[of].astype(np.float64)
            drawn.append(table.fit(weights=often, start=fitted.theta).utilities)
    tail = 50 * (1 - confidence)
    return fitted, np.percentile(np.array(drawn), [tail, 100 - tail], axis=0).T
