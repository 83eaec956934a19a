"""Judgements of people about board games that they only read about, predicted from measures of imagined plays.

Three small linear models: the expected payoff of the first player, the chance of a draw, and fun. Trivial games are
seen through: the shorter the plays, the more people expect just what the plays show. In all other games they are
unsure, and shrink towards an even game and a middling chance of a draw. Fun is linear in seven measures. All are ridge
regressions on mean judgements; the coefficients that come with the toolkit were fitted to public data
(`provenance`).

Data: K. M. Collins, C. E. Zhang, L. Wong, M. Barba da Costa, G. Todd, A. Weller, S. J. Cheyette, T. L. Griffiths and
J. B. Tenenbaum, People use fast and flat simulation to reason about new games, Nature 655, 2026; MIT licence, Copyright
2026 Katie Collins.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.judging.board_measures import BoardMeasures

QUESTIONS = {"payoff": (-1.0, 1.0), "draw": (0.0, 1.0), "fun": (0.0, 100.0)}
"""Questions that people were asked, with the range of answers: payoff of the first player, chance of a draw, fun."""

TERMS: Mapping[str, tuple[str, ...]] = {
    "payoff": ("payoff",),
    "draw": ("draws", "decided", "size", "plies", "imbalance"),
    "fun": ("challenge", "triviality", "draw", "imbalance", "drama", "danger", "threats"),
}
"""Names of each model's terms; those of payoff and draw are times one less the triviality."""

SIGNS: Mapping[str, tuple[int, ...]] = {"fun": (1, -1, -1, -1, 0, 1, -1)}
"""Signs that coefficients may have where only one makes sense, 0 for either: nobody likes a game for being unfair.

Drama may count for a game, or against it as luck.
"""

RIDGE = {"payoff": 0.001, "draw": 0.001, "fun": 0.01}
"""Ridge penalties per game, for terms scaled to unit root mean square (fun: unit variance)."""

FEWEST = 8
"""Games judged that a question must have to be fitted."""


def terms(question: str, measures: BoardMeasures) -> list[float]:
    """Return the values of a model's terms, in the order of `TERMS`."""
    m, unsure = measures, 1 - measures.triviality
    if question == "payoff":
        return [unsure * m.payoff]
    if question == "draw":
        # the first choice tells the size of a board that is filled, not of one with few ways to begin
        size = max(m.choices, m.plies, 1.0)
        values = [m.draw, 1 - m.draw, math.log(size), math.log(max(m.plies, 1.0)), abs(m.payoff)]
        return [unsure * value for value in values]
    return [m.challenge, m.triviality, m.draw, abs(m.payoff), m.drama, m.danger, m.threats]


def _known(question: str, measures: BoardMeasures) -> float:
    """The part of a prediction that takes no fitting: what plays of trivial games show."""
    shown = {"payoff": measures.payoff, "draw": measures.draw, "fun": 0.0}
    return measures.triviality * shown[question]


@dataclass(frozen=True)
class BoardPeople:
    """Predictions of people's mean judgements.

    Args:
        coefficients: for each question one number per term, and for fun the constant before them.
        spreads: standard deviation over the fitted games of every term of fun: what its coefficient acts on.
        provenance: data, number of games, date and command of the fit.
    """

    coefficients: Mapping[str, tuple[float, ...]]
    spreads: tuple[float, ...]
    provenance: Mapping[str, Any]

    def predict(self, measures: BoardMeasures) -> dict[str, float]:
        """Return `payoff` (-1 to 1, for the first player), `draw` (0 to 1) and `fun` (0 to 100)."""
        return {question: self.predict_one(question, measures) for question in QUESTIONS}

    def predict_one(self, question: str, measures: BoardMeasures) -> float:
        """Return the prediction of one question."""
        values = terms(question, measures)
        if question == "fun":
            values = [1.0, *values]
        numbers = self.coefficients[question]
        value = _known(question, measures) + sum(a * b for a, b in zip(values, numbers, strict=True))
        low, high = QUESTIONS[question]
        return min(high, max(low, value))

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON object."""
        named = {}
        for question, numbers in self.coefficients.items():
            names = ("constant", *TERMS[question]) if question == "fun" else TERMS[question]
            named[question] = dict(zip(names, numbers, strict=True))
        spreads = dict(zip(TERMS["fun"], self.spreads, strict=True))
        return {"coefficients": named, "spreads": spreads, "provenance": dict(self.provenance)}

    def shares(self) -> dict[str, float]:
        """Return the weight of each term of fun: coefficient times spread, with the sign; absolutes add up to 1.

        >>> stored_people("lines").shares()["challenge"] > 0
        True
        """
        sizes = [number * spread for number, spread in zip(self.coefficients["fun"][1:], self.spreads, strict=True)]
        whole = sum(abs(size) for size in sizes) or 1.0
        return {name: size / whole for name, size in zip(TERMS["fun"], sizes, strict=True)}


def fit_people(
    measures: Sequence[BoardMeasures],
    judgements: Mapping[str, Sequence[float]],
    fallback: BoardPeople | None = None,
    provenance: Mapping[str, Any] | None = None,
    fewest: int = FEWEST,
) -> BoardPeople:
    """Fit the three models to mean judgements.

    Args:
        measures: of the judged games.
        judgements: for each question the mean judgement of every game, NaN where nobody was asked.
        fallback: gives the coefficients of questions that too few games have judgements of.
        provenance: kept with the result.
        fewest: games judged that a question must have to be fitted.

    Raises:
        PcgError: too few judgements, and no fallback.
    """
    coefficients = {}
    for question in QUESTIONS:
        answers = np.asarray(judgements[question], dtype=float)
        asked = np.flatnonzero(np.isfinite(answers)).tolist()
        if len(asked) < fewest:
            if fallback is None:
                raise PcgError(f"{len(asked)} games have judgements of {question}, expected at least {fewest}")
            coefficients[question] = tuple(fallback.coefficients[question])
            continue
        rows = np.array([terms(question, measures[k]) for k in asked])
        rest = answers[asked] - np.array([_known(question, measures[k]) for k in asked])
        coefficients[question] = _ridge(rows, rest, RIDGE[question], SIGNS.get(question))
    spreads = np.std([terms("fun", one) for one in measures], axis=0)
    return BoardPeople(coefficients, tuple(spreads.tolist()), dict(provenance or {}))


def _ridge(
    rows: NDArray[np.float64], answers: NDArray[np.float64], penalty: float, signs: Sequence[int] | None
) -> tuple[float, ...]:
    """Coefficients of a ridge regression on scaled terms, in the terms' own units.

    With signs there is a constant, which comes first, and a coefficient is 0 rather than of the wrong sign.
    """
    means = rows.mean(axis=0) if signs else np.zeros(rows.shape[1])
    scales = np.sqrt(np.mean((rows - means) ** 2, axis=0))
    scales[scales == 0] = 1.0
    scaled = (rows - means) / scales
    middle = answers.mean() if signs else 0.0
    count, width = rows.shape
    # the penalty as further rows, so that bounded least squares can do it
    matrix = np.vstack([scaled, math.sqrt(penalty * count) * np.eye(width)])
    target = np.r_[answers - middle, np.zeros(width)]
    bounds = [(0.0 if sign > 0 else -np.inf, 0.0 if sign < 0 else np.inf) for sign in signs or (0,) * width]
    low, high = (np.array(ends) for ends in zip(*bounds, strict=True))
    from scipy.optimize import lsq_linear  # takes as long to import as all the rest, and only fitting needs it

    slopes = lsq_linear(matrix, target, (low, high), method="bvls").x / scales
    found = [float(middle - means @ slopes), *slopes.tolist()] if signs else slopes.tolist()
    return tuple(found)


STORED = Path(__file__).with_name("board_people.json")
"""Coefficients that come with the toolkit, for either kind of players."""


@cache
def stored_people(players: str) -> BoardPeople:
    """Return the model that comes with the toolkit, for measures of plays by LINES or by RULES.

    >>> stored_people("lines").provenance["games"]
    63
    """
    data = json.loads(STORED.read_text(encoding="utf-8"))[players]
    numbers = {question: tuple(named.values()) for question, named in data["coefficients"].items()}
    return BoardPeople(numbers, tuple(data["spreads"].values()), data["provenance"])
