"""Cross-validation of preference models on votes that had no part in learning them, by participants and by items.

Of participants who were left out: does it know these items? On pairs with items that were left out: do the features
carry over to new items, which is what a fitness is for?
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pcg.evaluators.preferences.davidson import Array, fit
from pcg.evaluators.preferences.votes import PairCounts, Vote, cells_of, counts_of_cells

FOLDS = 5

Rows = NDArray[np.intp]
"""Numbers of votes, or of items."""
Predictor = Callable[[Rows, Rows], Array]
"""Log odds with which the first items are preferred to the second ones, each given by its number."""
Learner = Callable[["PairData", Rows], Predictor]
"""Learns from these votes."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The accuracy of predicted votes that had no part in a fit."""

    by: str
    """The unit that was left out together: `participant` or `item`."""
    folds: int
    votes: int
    """Decided votes that were predicted."""
    accuracy: float
    """Share of them for the item that the model thinks better; half where it sees no difference."""
    log_loss: float
    """Mean of minus the logarithm of the probability given to what happened; 0.693 is guessing."""
    ceiling: float | None = None
    """For participants: the accuracy of knowing each item's own utility instead of its features."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Votes between the same two items in the same order as one row."""

    first: Rows
    second: Rows
    share: Array
    """Of the votes, for the first item; a tie is half a vote for each."""
    count: Array


class PairData:
    """Votes as rows, which items they are about, and what share of the vote went to the first."""

    def __init__(self, votes: Sequence[Vote], items: Sequence[str], table: Array) -> None:
        index = {item: k for k, item in enumerate(items)}
        self.votes, self.items = votes, tuple(items)
        self.table = table
        """Features by item, standardised."""
        self.first = np.array([index[v.first] for v in votes], np.intp)
        self.second = np.array([index[v.second] for v in votes], np.intp)
        self.y = np.array([{"first": 1.0, "second": 0.0}.get(v.answer, 0.5) for v in votes])
        self.decided = self.y != 0.5
        _, self.who = np.unique([v.participant for v in votes], return_inverse=True)

    def pairs(self, rows: Rows) -> Pairs:
        """These votes; equal pairs are one row with their number."""
        n = len(self.items)
        key = self.first[rows] * n + self.second[rows]
        pairs, which = np.unique(key, return_inverse=True)
        count = np.bincount(which).astype(np.float64)
        return Pairs(pairs // n, pairs % n, np.bincount(which, self.y[rows]) / count, count)

    def folds(self, rows: Rows, by: str, folds: int, seed: int) -> list[tuple[Rows, Rows]]:
        """(votes to learn from, votes to predict), without any group on both sides."""
        groups = np.unique(self.who[rows] if by == "participant" else np.r_[self.first[rows], self.second[rows]])
        shuffled = np.random.default_rng([seed, 7]).permutation(groups)
        found = []
        for part in np.array_split(shuffled, min(folds, len(groups))):
            if by == "participant":
                out = np.isin(self.who[rows], part)
                kept = ~out
            else:
                a, b = np.isin(self.first[rows], part), np.isin(self.second[rows], part)
                out, kept = a | b, ~(a | b)
            out &= self.decided[rows]
            if out.any() and kept.any():
                found.append((rows[kept], rows[out]))
        return found

    def losses(self, learner: Learner, parts: Sequence[tuple[Rows, Rows]]) -> Array:
        """Log loss of each vote that is predicted."""
        return np.concatenate(
            [_losses(learner(self, kept)(self.first[out], self.second[out]), self.y[out]) for kept, out in parts]
        )

    def accuracy(self, learner: Learner, by: str, folds: int, seed: int) -> Accuracy | None:
        """The accuracy on left-out votes; what a learner chooses, it chooses again from the others each time."""
        parts = self.folds(np.arange(len(self.votes)), by, folds, seed)
        if not parts:
            return None
        right, losses, ceiling = [], [], []
        for kept, out in parts:
            odds = learner(self, kept)(self.first[out], self.second[out])
            right.append(_right(odds, self.y[out]))
            losses.append(_losses(odds, self.y[out]))
            if by == "participant":
                utilities = fit(self._counts(kept)).utilities
                ceiling.append(_right(utilities[self.first[out]] - utilities[self.second[out]], self.y[out]))
        hits = np.concatenate(right)
        return Accuracy(
            by, len(parts), len(hits), float(hits.mean()), float(np.concatenate(losses).mean()),
            float(np.concatenate(ceiling).mean()) if ceiling else None,
        )  # fmt: skip

    def _counts(self, rows: Rows) -> PairCounts:
        chosen = [self.votes[k] for k in rows]
        pair, cell = cells_of(chosen, self.items)
        return counts_of_cells(self.items, *np.unique(pair, return_inverse=True), cell)


def _right(odds: Array, y: Array) -> Array:
    return np.where(odds == 0, 0.5, (odds > 0) == (y > 0.5)).astype(np.float64)


def _losses(odds: Array, y: Array) -> Array:
    return np.asarray(np.logaddexp(0.0, np.where(y > 0.5, -odds, odds)))
