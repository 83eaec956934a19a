"""Generators compared with participants and items as random effects.

The tests in `shares` take each vote for itself. But votes of one participant are alike, and so are votes on one item,
so many votes of few people on few levels look surer than they are: they tell of these people and these levels, not of
others (Clark: The Language-as-Fixed-Effect Fallacy, 1973; Barr, Levy, Scheepers, Tily: Random Effects Structure for
Confirmatory Hypothesis Testing, 2013). Here the log odds that the item shown first is preferred are

    position + g(first) - g(second) + item(first) - item(second) + taste(p, first) - taste(p, second)

where `g` is the worth of a group, `item ~ N(0, s^2)` how much an item differs from its group, and `taste ~ N(0, t^2)`
how much more or less than others participant `p` likes a group. Ties are left out, as in the sign tests: given that a
vote is decided, Davidson's model of ties says the same as this one.

The likelihood is maximised with Laplace's approximation (Bates, Maechler, Bolker, Walker: Fitting Linear Mixed-Effects
Models Using lme4, 2015, section 3, and its `glmer`). The libraries for Python that we know of do not do it: statsmodels
has mean-field variational Bayes, whose standard errors came out half as large as lme4's, and a joint mode in which
both deviations vanish. tests/evaluators/test_preferences_mixed.py holds this against numbers of lme4 1.1-31.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special, stats

from pcg.evaluators.preferences.exact import holm
from pcg.evaluators.preferences.shares import check_groups
from pcg.evaluators.preferences.votes import Vote, preferences

Array = NDArray[np.float64]

LEAST_PARTICIPANTS = 5
LEAST_ITEMS = 2
"""Of each group: with one, its own worth and that of its group cannot be told apart."""
WIDEST = 8.0
"""Bound of differences in log odds; one that reaches it was never contradicted by a vote."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Difference in worth of two groups, for people and items in general.

    Attributes:
        one: a group.
        other: another.
        estimate: in log odds; above 0 where `one` is preferred.
        error: standard error of it.
        interval: of the estimate, in log odds.
        share: chance that a participant of average taste prefers an average item of `one`, 0 to 1.
        share_interval: interval of that.
        p_value: of no difference, two-sided.
        adjusted: after Holm's correction over the pairs of groups.
    """

    one: str
    other: str
    estimate: float
    error: float
    interval: tuple[float, float]
    share: float
    share_interval: tuple[float, float]
    p_value: float
    adjusted: float


@dataclass(frozen=True, slots=True)
class MixedEffects:
    """The model fitted to votes.

    Attributes:
        differences: every pair of groups, in the order of their names.
        position: log odds by which being shown first helps, and its standard error.
        items: standard deviation of items of one group, in log odds.
        tastes: standard deviation of what participants think of a group, in log odds.
        votes: decided ones, to which the model is fitted.
        left_out: ties.
        participants: how many decided anything.
        degrees: of freedom of Student's distribution that intervals and tests use: the smaller of the numbers of
            participants and of items, less the number of groups.
    """

    differences: tuple[Difference, ...]
    position: tuple[float, float]
    items: float
    tastes: float
    votes: int
    left_out: int
    participants: int
    degrees: int


def mixed_effects(
    votes: Sequence[Vote], groups: Mapping[str, str], *, question: str | None = None, confidence: float = 0.95
) -> MixedEffects | None:
    """Fit the model of this module.

    Args:
        votes: any; see `preferences`.
        groups: item -> group.
        question: see `preferences`.
        confidence: of the intervals.

    Returns:
        The fit; None where the votes do not carry it: fewer than two groups, five participants, or two items of a
        group, or two groups of which one won every vote.

    Raises:
        PcgError: for an item without a group.

    >>> pairs = [("a1", "b1"), ("b2", "a1"), ("a2", "b2"), ("b1", "a2")]
    >>> votes = [
    ...     Vote(f"p{k}", one, two, "first" if (k + n) % 3 or one[0] == "a" and k % 2 else "second")
    ...     for k in range(12) for n, (one, two) in enumerate(pairs)
    ... ]
    >>> found = mixed_effects(votes, {"a1": "a", "a2": "a", "b1": "b", "b2": "b"})
    >>> found.votes, found.participants, found.differences[0].one, 0.5 < found.differences[0].share < 0.7
    (48, 12, 'a', True)
    """
    chosen = preferences(votes, question)
    check_groups(chosen, groups)
    decided = [vote for vote in chosen if vote.preferred is not None]
    items = sorted({name for vote in decided for name in (vote.first, vote.second)})
    people = sorted({vote.participant for vote in decided})
    of_group = Counter(groups[item] for item in items)
    names = sorted(of_group)
    if len(names) < 2 or len(people) < LEAST_PARTICIPANTS or min(of_group.values()) < LEAST_ITEMS:
        return None
    model = _model(decided, groups, names, items, people)
    fit = model.fit()
    if fit is None:
        return None
    degrees = max(1, min(len(people), len(items)) - len(names))
    return MixedEffects(
        _differences(names, fit.fixed, fit.covariance, degrees, confidence),
        (float(fit.fixed[0]), float(np.sqrt(fit.covariance[0, 0]))), float(fit.deviations[0]), float(fit.deviations[1]),
        len(decided), len(chosen) - len(decided), len(people), degrees,
    )  # fmt: skip


def _differences(
    names: Sequence[str], fixed: Array, covariance: Array, degrees: int, confidence: float
) -> tuple[Difference, ...]:
    """Return all pairs of groups; `fixed` has the position and the worth of all groups but the first."""
    wide = float(stats.t.ppf(0.5 + confidence / 2, degrees))
    found = []
    for one, other in combinations(range(len(names)), 2):
        contrast = np.zeros(len(fixed))
        for place, sign in ((one, 1.0), (other, -1.0)):
            if place:
                contrast[place] += sign
        estimate = float(contrast @ fixed)
        error = float(np.sqrt(contrast @ covariance @ contrast))
        low, high = estimate - wide * error, estimate + wide * error
        p_value = float(2 * stats.t.sf(abs(estimate) / error, degrees))
        found.append((names[one], names[other], estimate, error, (low, high), p_value))
    adjusted = holm({f"{one}\0{other}": p for one, other, *_, p in found})
    return tuple(
        Difference(
            one, other, estimate, error, interval, float(special.expit(estimate)),
            (float(special.expit(interval[0])), float(special.expit(interval[1]))), p, adjusted[f"{one}\0{other}"],
        )
        for one, other, estimate, error, interval, p in found
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Fit:
    fixed: Array
    covariance: Array
    deviations: Array


def _model(
    decided: Sequence[Vote],
    groups: Mapping[str, str],
    names: Sequence[str],
    items: Sequence[str],
    people: Sequence[str],
) -> _Model:
    """Return the model of decided votes, with names by their places."""
    group = {name: k for k, name in enumerate(names)}
    item = {name: k for k, name in enumerate(items)}
    person = {name: k for k, name in enumerate(people)}
    shown = np.array([(item[vote.first], item[vote.second]) for vote in decided])
    sets = np.array([(group[groups[vote.first]], group[groups[vote.second]]) for vote in decided])
    who = np.array([person[vote.participant] for vote in decided])
    first = np.array([float(vote.answer == "first") for vote in decided])
    return _Model(first, shown, sets, who, (len(items), len(people), len(names)))


class _Model:
    """Votes, and the deviance of the model by Laplace's approximation.

    Random effects are kept as `deviation x v` with `v ~ N(0, 1)`, which is smooth where a deviation becomes 0. The
    tastes of one participant meet those of no other in the curvature, so these are eliminated block by block.

    Args:
        first: 1 where the item shown first was preferred, shape (votes,).
        shown: items shown first and second, by number, shape (votes, 2).
        sets: their groups, shape (votes, 2).
        who: participants, shape (votes,).
        sizes: numbers of items, participants and groups.
    """

    def __init__(
        self, first: Array, shown: NDArray[np.intp], sets: NDArray[np.intp], who: NDArray[np.intp],
        sizes: tuple[int, int, int],
    ) -> None:  # fmt: skip
        self.first, self.sizes = first, sizes
        items, people, groups = sizes
        votes = np.arange(len(first))
        worth = np.zeros((len(first), groups))
        np.add.at(worth, (votes, sets[:, 0]), 1.0)
        np.add.at(worth, (votes, sets[:, 1]), -1.0)
        self.fixed = np.column_stack([np.ones(len(first)), worth[:, 1:]])
        self.shown, self.tastes = shown, who[:, None] * groups + sets
        # Where a vote adds to the curvature: pairs of items, of an item and a taste, of two tastes; with signs.
        self._signs = np.array([1.0, -1.0, -1.0, 1.0])
        one, two = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
        self._items = shown[:, one] * items + shown[:, two]
        self._across = shown[:, one] * (people * groups) + self.tastes[:, two]
        self._people = who[:, None] * groups**2 + sets[:, one] * groups + sets[:, two]
        self._mode = np.zeros(items), np.zeros(people * groups)

    def deviance(self, deviations: Array, fixed: Array) -> float:
        """Return -2 log likelihood, but for a constant, at standard deviations (2,) and fixed effects (effects,)."""
        offset = self.fixed @ fixed
        item, taste = self._mode
        for _ in range(100):
            chance = special.expit(self._odds(offset, deviations, item, taste))
            curved = _Curvature(self, chance * (1 - chance), deviations)
            slopes = (
                deviations[0] * self._gather(self.first - chance, self.shown, len(item)) - item,
                deviations[1] * self._gather(self.first - chance, self.tastes, len(taste)) - taste,
            )
            steps = curved.solve(*slopes)
            value, size = self._penalised(offset, deviations, item, taste), 1.0
            while (
                self._penalised(offset, deviations, item + size * steps[0], taste + size * steps[1]) > value + 1e-12
                and size > 1e-6
            ):
                size /= 2
            item, taste = item + size * steps[0], taste + size * steps[1]
            if size * max(np.abs(step).max() for step in steps) < 1e-10:
                break
        self._mode = item, taste
        chance = special.expit(self._odds(offset, deviations, item, taste))
        last = _Curvature(self, chance * (1 - chance), deviations)
        return self._penalised(offset, deviations, item, taste) + last.log_determinant

    def _odds(self, offset: Array, deviations: Array, item: Array, taste: Array) -> Array:
        apart = deviations[0] * (item[self.shown[:, 0]] - item[self.shown[:, 1]])
        liked = taste[self.tastes[:, 0]] - taste[self.tastes[:, 1]]
        return np.asarray(offset + apart + deviations[1] * liked)

    def _penalised(self, offset: Array, deviations: Array, item: Array, taste: Array) -> float:
        odds = self._odds(offset, deviations, item, taste)
        return float(2 * (np.logaddexp(0.0, odds) - self.first * odds).sum() + item @ item + taste @ taste)

    @staticmethod
    def _gather(values: Array, columns: NDArray[np.intp], size: int) -> Array:
        """Return the sums of `values` by the first of two columns less those by the second, shape (size,)."""
        found = np.bincount(columns[:, 0], values, size) - np.bincount(columns[:, 1], values, size)
        return np.asarray(found, dtype=np.float64)

    def information(self, weights: Array) -> tuple[Array, Array, Array]:
        """Return the curvature among items (items, items), of items and tastes (items, participants x groups), and
        among the tastes of each participant (participants, groups, groups), but for their scale and prior.
        """
        items, people, groups = self.sizes
        signed = (weights[:, None] * self._signs).ravel()
        sums = [
            np.asarray(np.bincount(places.ravel(), signed, size), dtype=np.float64)
            for places, size in (
                (self._items, items**2), (self._across, items * people * groups), (self._people, people * groups**2)
            )
        ]  # fmt: skip
        return sums[0].reshape(items, items), sums[1].reshape(items, -1), sums[2].reshape(people, groups, groups)

    def fit(self) -> _Fit | None:
        """Maximise the likelihood; None where a fixed effect grows without end."""
        effects = self.fixed.shape[1]
        begin = np.concatenate([[0.5, 0.5], np.zeros(effects)])
        bounds = [(0.0, WIDEST)] * 2 + [(-WIDEST, WIDEST)] * effects
        found = optimize.minimize(
            self._at, begin, jac=self._slope, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-12, "gtol": 1e-6}
        )
        deviations, fixed = found.x[:2], found.x[2:]
        if np.abs(fixed).max() > WIDEST - 1e-3:
            return None
        free = np.concatenate([deviations > 1e-3, np.ones(effects, dtype=bool)])  # a bound has no curvature
        curved = self._hessian(found.x, np.flatnonzero(free)) / 2
        covariance = np.linalg.inv(curved)[-effects:, -effects:]
        if not (np.isfinite(covariance).all() and (np.diag(covariance) > 0).all()):
            return None
        return _Fit(fixed, np.asarray(covariance, dtype=np.float64), deviations)

    def _at(self, x: Array) -> float:
        """Return the deviance at all parameters, the deviations first."""
        return self.deviance(x[:2], x[2:])

    def _slope(self, at: Array, step: float = 1e-4) -> Array:
        """Return the central differences of the deviance, shape (2 + effects,)."""
        moves = step * np.eye(len(at))
        return np.array([self._at(at + move) - self._at(at - move) for move in moves]) / (2 * step)

    def _hessian(self, at: Array, free: NDArray[np.intp], step: float = 1e-3) -> Array:
        """Return the second differences of the deviance in the parameters that are free, shape (free, free)."""

        def value(*moves: tuple[int, float]) -> float:
            x = at.copy()
            for place, by in moves:
                x[place] += by
            return self._at(x)

        middle = value()
        curved = np.empty((len(free), len(free)))
        for i, a in enumerate(free):
            curved[i, i] = (value((a, step)) - 2 * middle + value((a, -step))) / step**2
            for j, b in enumerate(free[:i]):
                mixed = value((a, step), (b, step)) - value((a, step), (b, -step))
                mixed += value((a, -step), (b, -step)) - value((a, -step), (b, step))
                curved[i, j] = curved[j, i] = mixed / (4 * step**2)
        return curved


class _Curvature:
    """Curvature of the penalised likelihood in the random effects, with the tastes eliminated."""

    def __init__(self, model: _Model, weights: Array, deviations: Array) -> None:
        items, across, tastes = model.information(weights)
        people, groups = tastes.shape[:2]
        own = deviations[1] ** 2 * tastes + np.eye(groups)
        self._inverse = np.linalg.inv(own)
        self._across = deviations[0] * deviations[1] * across
        blocks = self._across.reshape(-1, people, groups)
        self._solved = np.einsum("ipg,pgh->iph", blocks, self._inverse).reshape(len(items), -1)
        self._left = deviations[0] ** 2 * items + np.eye(len(items)) - self._solved @ self._across.T
        self.log_determinant = float(np.linalg.slogdet(self._left)[1] + np.linalg.slogdet(own)[1].sum())

    def solve(self, item: Array, taste: Array) -> tuple[Array, Array]:
        """Return the curvature's inverse times a vector of both kinds of effects."""
        first = np.linalg.solve(self._left, item - self._solved @ taste)
        rest = (taste - first @ self._across).reshape(self._inverse.shape[:2])
        return first, np.einsum("pgh,ph->pg", self._inverse, rest).ravel()
