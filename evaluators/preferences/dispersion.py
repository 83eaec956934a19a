"""Dispersion of answers beyond chance, because the same people gave several of them.

A model of what people say together takes every answer for itself. Where people have tastes of their own, answers of one
person about the same item resemble each other, and estimates scatter more than the model says: by the design effect of
samples in clusters (Kish: Survey Sampling, 1965; Rao, Scott: On Chi-Squared Tests for Multiway Contingency Tables with
Cell Proportions Estimated from Survey Data, 1984). One factor for all items is estimated, the mean over directions,
since a covariance of all items from a few people is itself mostly chance:

    dispersion  =  sum over people of s' A s  /  what that sum would be if answers did not resemble each other

where s is the score of all answers of one person at the estimate, and A the inverse information. At the estimate the
scores of few people are smaller than at the truth, as they add up to nothing; what is divided by counts that in, as the
corrections of Bell and McCaffrey do (Bias Reduction in Standard Errors for Linear Regression with Multi-Stage Samples,
2002). Of few people it is mostly chance, so it is drawn towards 1 by a prior that weighs as much as `BEFORE` degrees of
freedom (Smyth: Linear Models and Empirical Bayes Methods for Assessing Differential Expression, 2004); those of the
answers are Satterthwaite's (1946).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pcg.evaluators.preferences.davidson import Array, Fit, one_thread
from pcg.evaluators.preferences.votes import Vote

FEWEST = 3
"""People of whom a dispersion can be told."""
BEFORE = 30.0
"""Degrees of freedom with which answers are taken to scatter by chance alone, before any are seen."""


class People:
    """Scores of answers, by the people who gave them.

    Args:
        size: parameters of the model, utilities first.
        items: how many of them are utilities.
    """

    def __init__(self, size: int, items: int) -> None:
        self.size, self.items = size, items
        self.scores: dict[str, Array] = {}
        self._possible: dict[str, list[tuple[Sequence[int], Array]]] = {}

    def add(self, who: str, places: Sequence[int], chances: Array, scores: Array, given: Array) -> None:
        """Add an answer.

        Args:
            who: gave it.
            places: of the parameters that it depends on.
            chances: of each answer that was possible, (answers,).
            scores: of each of them, (answers, places).
            given: the score of what was answered, (places,).
        """
        own = self.scores.setdefault(who, np.zeros(self.size))
        own[list(places)] += given
        self._possible.setdefault(who, []).append((places, np.sqrt(chances)[:, None] * scores))

    def dispersion(self, width: float) -> float:
        """Return the dispersion, 1 at least: tastes only make people agree less.

        Args:
            width: standard deviation of the prior of utilities.
        """
        if len(self.scores) < FEWEST:
            return 1.0
        with one_thread():
            factors = {who: self._stacked(rows) for who, rows in self._possible.items()}
            information = np.zeros((self.size, self.size))
            for columns, rows in factors.values():
                information[np.ix_(columns, columns)] += rows.T @ rows
            n = self.items
            # scores of the utilities alone: what other parameters tell of them is taken out
            beside = -np.linalg.lstsq(information[n:, n:], information[n:, :n], rcond=None)[0]
            kept = np.vstack([np.eye(n), beside])
            inner = kept.T @ information @ kept
            inverse = np.linalg.inv(inner + np.eye(n) / width**2)
            sandwich = inverse @ inner @ inverse
            found = expected = squares = 0.0
            for who, score in self.scores.items():
                columns, rows = factors[who]
                own, part = score @ kept, rows @ kept[columns]
                around = part @ inverse @ part.T
                found += float(own @ inverse @ own)
                squares += float((around**2).sum())
                expected += float(
                    np.trace(around) - 2 * (around**2).sum() + (around * (part @ sandwich @ part.T)).sum()
                )
        if expected <= 1e-9:
            return 1.0
        freedom = expected**2 / squares
        return max(1.0, (BEFORE + freedom * found / expected) / (BEFORE + freedom))

    def _stacked(self, rows: Sequence[tuple[Sequence[int], Array]]) -> tuple[NDArray[np.intp], Array]:
        """Parameters that answers depend on, and all possible scores of them, each by the root of its chance."""
        columns = np.unique(np.concatenate([np.array(places, np.intp) for places, _ in rows]))
        made = np.zeros((sum(len(part) for _, part in rows), len(columns)))
        at = 0
        for places, part in rows:
            made[at : at + len(part), np.searchsorted(columns, places)] = part
            at += len(part)
        return columns, made


def vote_dispersion(fitted: Fit, votes: Sequence[Vote]) -> float:
    """Return how much further than by chance the votes of a fit scatter; see the module.

    Args:
        fitted: the fit to these votes.
        votes: on pairs.

    >>> from pcg.evaluators.preferences import Vote, count_votes, fit
    >>> alike = [Vote(f"p{k}", "a", "b", "first" if k % 3 else "second") for k in range(12) for _ in range(8)]
    >>> mixed = [Vote(f"p{k}", "a", "b", "first" if m % 3 else "second") for k in range(12) for m in range(9)]
    >>> [round(vote_dispersion(fit(count_votes(some)), some), 1) for some in (alike, mixed)]
    [2.9, 1.0]
    """
    n, index = len(fitted.items), fitted.counts.index
    extra: Mapping[str, int] = {
        name: n + k for k, name in enumerate(name for name in ("tie", "position") if name in fitted.parameters)
    }
    people = People(n + len(extra), n)
    for vote in votes:
        odds = fitted.probabilities(vote.first, vote.second)
        tied = "tie" in extra
        chances = np.array([odds["first"], odds["second"], odds["tie"] if tied else 0.0])
        lean = float(chances[0] - chances[1])
        slopes = np.array([0.5, -0.5, 0.0]) - 0.5 * lean
        columns = [slopes, -slopes] + ([np.array([0.0, 0.0, 1.0]) - chances[2]] if tied else [])
        columns += [slopes] if "position" in extra else []
        scores = np.stack(columns, axis=1)
        which = {"first": 0, "second": 1}.get(vote.answer, 2)
        people.add(
            vote.participant, [index[vote.first], index[vote.second], *extra.values()], chances, scores, scores[which]
        )
    return people.dispersion(fitted.prior.utility)
