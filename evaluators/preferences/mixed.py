"""Generators compared with participants and items as random effects.

The tests in `shares` take each vote for itself. But votes of one participant are alike, and so are votes on one item,
so many votes of few people on few levels look surer than they are: they tell of these people and these levels, not of
others (Clark: The Language-as-Fixed-Effect Fallacy, 1973; Barr, Levy, Scheepers, Tily: Random Effects Structure for
Confirmatory Hypothesis Testing, 2013). Here the log odds that the item shown first is preferred are

    position + g(first) - g(second) + item(first) - item(second) + taste(p, first) - taste(p, second)

where `g` is the worth of a group, `item ~ N(0, s^2)` how much an item differs from its group, and `taste ~ N(0, t^2)`
how much more or less than others participant `p` likes a group. Ties are left out, as in the sign tests: given that a
vote is decided, Davidson's model of ties says the same as this one.

Choices from larger sets have the same utilities in Luce's model (`choices`): a logit model with random coefficients
(McFadden, Train: Mixed MNL Models for Discrete Response, 2000). A choice stays one observation, and the pairs in it,
which are not independent, are not counted for themselves. The order in a set is drawn by lot and has no effect in it.

The likelihood is maximised with Laplace's approximation (Bates, Maechler, Bolker, Walker: Fitting Linear Mixed-Effects
Models Using lme4, 2015, section 3, and its `glmer`). The libraries for Python that we know of do not do it: statsmodels
has mean-field variational Bayes, whose standard errors came out half as large as lme4's, and a joint mode in which
both deviations vanish. tests/evaluators/test_preferences_mixed.py holds this against numbers of lme4 1.1-31, and for
sets of four, which lme4 does not fit, against Laplace's approximation of TMB 1.9.2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special, stats

from pcg.evaluators.preferences.choices import Choice, ChoiceTable
from pcg.evaluators.preferences.consistency import compared_parts
from pcg.evaluators.preferences.exact import holm
from pcg.evaluators.preferences.shares import check_group, check_groups
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
    """The model fitted to votes, or to choices among several.

    Attributes:
        differences: every pair of groups, in the order of their names.
        position: log odds by which being shown first helps, and its standard error; None for choices.
        items: standard deviation of items of one group, in log odds.
        tastes: standard deviation of what participants think of a group, in log odds.
        votes: decided ones, or choices, to which the model is fitted.
        left_out: ties.
        participants: how many decided anything.
        degrees: of freedom of Student's distribution that intervals and tests use: the smaller of the numbers of
            participants and of items, less the number of groups.
    """

    differences: tuple[Difference, ...]
    position: tuple[float, float] | None
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
        group, groups that no vote connects, or two groups of which one won every vote.

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
    place = {name: k for k, name in enumerate(items)}
    shown = np.array([(place[vote.first], place[vote.second]) for vote in decided], np.intp).reshape(-1, 2)
    rows = _Rows(shown, np.array([int(vote.answer == "second") for vote in decided]), np.ones(len(decided)))
    found = _fitted(rows, items, groups, [vote.participant for vote in decided], True, confidence)
    return found and replace(found, votes=len(decided), left_out=len(chosen) - len(decided))


def mixed_choices(
    choices: Sequence[Choice], groups: Mapping[str, str], *, confidence: float = 0.95
) -> MixedEffects | None:
    """Fit the model of this module to choices of the best, and of the worst, among several.

    Args:
        choices: any.
        groups: item -> group.
        confidence: of the intervals.

    Returns:
        The fit; None as for `mixed_effects`.

    Raises:
        PcgError: for an item without a group.

    >>> shown = ("a1", "b1", "b2", "a2")
    >>> choices = [Choice(f"p{k % 10}", shown, shown[k % 4], shown[(k + 1) % 4]) for k in range(40)]
    >>> found = mixed_choices(choices, {"a1": "a", "a2": "a", "b1": "b", "b2": "b"})
    >>> found.votes, found.participants, found.position, found.differences[0].one
    (40, 10, None, 'a')
    """
    for item in (item for choice in choices for item in choice.items):
        check_group(item, groups)
    items = sorted({item for choice in choices for item in choice.items})
    if len(items) < 2:
        return None
    table = ChoiceTable(choices, items)
    rows = _Rows(table.members, (table.members == table.chosen[:, None]).argmax(axis=1), table.sign)
    people = [choices[k].participant for k in table.choice]
    found = _fitted(rows, items, groups, people, False, confidence)
    return found and replace(found, votes=len(choices))


@dataclass(frozen=True, eq=False)
class _Rows:
    """One of several items chosen, again and again."""

    members: NDArray[np.intp]
    """Items, by number, filled up with the number of all, shape (rows, widest)."""
    chosen: NDArray[np.intp]
    """Place of the one chosen in its row, shape (rows,)."""
    sign: Array
    """1 where the best was chosen, -1 for the worst, shape (rows,)."""


def _fitted(
    rows: _Rows, items: Sequence[str], groups: Mapping[str, str], who: Sequence[str], position: bool, confidence: float
) -> MixedEffects | None:
    """Fit the model to rows, where they carry it."""
    people = sorted(set(who))
    of_group = Counter(groups[item] for item in items)
    names = sorted(of_group)
    if len(names) < 2 or len(people) < LEAST_PARTICIPANTS or min(of_group.values()) < LEAST_ITEMS:
        return None
    shown = [tuple(groups[items[k]] for k in row if k < len(items)) for row in np.unique(rows.members, axis=0)]
    if len(compared_parts(shown)) > 1:
        return None
    person, group = {name: k for k, name in enumerate(people)}, {name: k for k, name in enumerate(names)}
    fit = _Model(
        rows, np.array([group[groups[item]] for item in items]), np.array([person[name] for name in who]),
        (len(items), len(people), len(names)), position,
    ).fit()  # fmt: skip
    if fit is None:
        return None
    degrees = max(1, min(len(people), len(items)) - len(names))
    worth = 1 - len(names)
    return MixedEffects(
        _differences(names, fit.fixed[worth:], fit.covariance[worth:, worth:], degrees, confidence),
        (float(fit.fixed[0]), float(np.sqrt(fit.covariance[0, 0]))) if position else None,
        float(fit.deviations[0]), float(fit.deviations[1]), len(who), 0, len(people), degrees,
    )  # fmt: skip


def _differences(
    names: Sequence[str], fixed: Array, covariance: Array, degrees: int, confidence: float
) -> tuple[Difference, ...]:
    """Return all pairs of groups; `fixed` has the worth of all groups but the first, less that of the first."""
    wide = float(stats.t.ppf(0.5 + confidence / 2, degrees))
    found = []
    for one, other in combinations(range(len(names)), 2):
        contrast = np.zeros(len(fixed))
        for place, sign in ((one, 1.0), (other, -1.0)):
            if place:
                contrast[place - 1] += sign
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


class _Model:
    """Rows, and the deviance of the model by Laplace's approximation.

    Random effects are kept as `deviation x v` with `v ~ N(0, 1)`, which is smooth where a deviation becomes 0. The
    tastes of one participant meet those of no other in the curvature, so these are eliminated block by block.

    Args:
        rows: choices.
        group: of each item, by number, shape (items,).
        who: participant of each row, by number, shape (rows,).
        sizes: numbers of items, participants and groups.
        position: being shown first has an effect.
    """

    def __init__(
        self, rows: _Rows, group: NDArray[np.intp], who: NDArray[np.intp], sizes: tuple[int, int, int], position: bool
    ) -> None:  # fmt: skip
        self.rows, self.sizes = rows, sizes
        items, people, groups = sizes
        self.there = rows.members < items
        self.shown = np.where(self.there, rows.members, 0)  # what fills a row up has probability 0
        sets = group[self.shown]
        self.tastes = who[:, None] * groups + sets
        first = np.zeros((*sets.shape, int(position)))
        first[:, :1] = 1.0
        self.fixed = np.concatenate([first, np.eye(groups)[sets][:, :, 1:]], axis=2)
        self.picked = np.arange(sets.shape[1]) == rows.chosen[:, None]
        # Where a row adds to the curvature: pairs of items, of an item and a taste, of two tastes.
        self._items = self.shown[:, :, None] * items + self.shown[:, None, :]
        self._across = self.shown[:, :, None] * (people * groups) + self.tastes[:, None, :]
        self._people = who[:, None, None] * groups**2 + sets[:, :, None] * groups + sets[:, None, :]
        self._mode = np.zeros(items), np.zeros(people * groups)

    def deviance(self, deviations: Array, fixed: Array) -> float:
        """Return -2 log likelihood, but for a constant, at standard deviations (2,) and fixed effects (effects,)."""
        offset = self.fixed @ fixed
        item, taste = self._mode
        value, share = self._penalised(offset, deviations, item, taste)
        for _ in range(100):
            curved = _Curvature(self, share, deviations)
            missed = self.rows.sign[:, None] * (self.picked - share)
            steps = curved.solve(
                deviations[0] * self._gather(missed, self.shown, len(item)) - item,
                deviations[1] * self._gather(missed, self.tastes, len(taste)) - taste,
            )
            size = 1.0
            while True:
                there = item + size * steps[0], taste + size * steps[1]
                after, share = self._penalised(offset, deviations, *there)
                if after <= value + 1e-12 or size <= 1e-6:
                    break
                size /= 2
            (item, taste), value = there, after
            if size * max(np.abs(step).max() for step in steps) < 1e-10:
                break
        self._mode = item, taste
        return value + _Curvature(self, share, deviations).log_determinant

    def _penalised(self, offset: Array, deviations: Array, item: Array, taste: Array) -> tuple[float, Array]:
        """Return the deviance given random effects, with theirs, and the probabilities of the items of each row."""
        worth = offset + deviations[0] * item[self.shown] + deviations[1] * taste[self.tastes]
        odds = np.where(self.there, self.rows.sign[:, None] * worth, -np.inf)
        odds -= odds.max(axis=1, keepdims=True)
        share = np.exp(odds)
        total = share.sum(axis=1, keepdims=True)
        value = 2 * (np.log(total).sum() - odds[self.picked].sum())
        return float(value + item @ item + taste @ taste), share / total

    @staticmethod
    def _gather(values: Array, places: NDArray[np.intp], size: int) -> Array:
        """Return the sums of values by their places, shape (size,)."""
        return np.asarray(np.bincount(places.ravel(), values.ravel(), size), dtype=np.float64)

    def information(self, share: Array) -> tuple[Array, Array, Array]:
        """Return the curvature among items (items, items), of items and tastes (items, participants x groups), and
        among the tastes of each participant (participants, groups, groups), but for their scale and prior.
        """
        items, people, groups = self.sizes
        weights = share[:, :, None] * (np.eye(share.shape[1]) - share[:, None, :])
        return (
            self._gather(weights, self._items, items**2).reshape(items, items),
            self._gather(weights, self._across, items * people * groups).reshape(items, -1),
            self._gather(weights, self._people, people * groups**2).reshape(people, groups, groups),
        )

    def fit(self) -> _Fit | None:
        """Maximise the likelihood; None where a fixed effect grows without end."""
        effects = self.fixed.shape[2]
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

    def __init__(self, model: _Model, share: Array, deviations: Array) -> None:
        items, across, tastes = model.information(share)
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
