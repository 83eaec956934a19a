"""The numbers of the judge of levels: how much features vary in a game and between games, and what each weighs.

They are fitted by `benchmarks/validity.py levels --fit` on hand-made levels against generated ones and stored with
their provenance in `level_model.json`.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcg.engine.lazy import cached_property
from pcg.evaluators.judging.level_features import FEATURES
from pcg.evaluators.judging.level_play import PLAY_MEASURES
from pcg.evaluators.judging.level_reference import LIKENESSES

Floats = NDArray[np.float64]
FILE = Path(__file__).with_name("level_model.json")
NAMES: tuple[str, ...] = (*FEATURES, *LIKENESSES)
"""Everything that is measured of a level's text, in the order of all arrays here."""
PART_OF: Mapping[str, str] = {
    **{name: feature.part for name, feature in FEATURES.items()},
    **dict.fromkeys(LIKENESSES, "conventions"),
}
"""Text measure -> the part that it belongs to."""
USUAL = 0.25
"""Standard deviations up to which a level is as good as its kin."""
HALF = 0.7
"""Standard deviations beyond these at which half of a measure's value is left."""
TRUST = 2.0
"""Levels whose weight the usual spread in a game has beside the spread of this game's own levels."""
ABSENT = 2.0
"""Standard deviations that stand for what all the others have and a level has not."""


@dataclass(frozen=True)
class LevelModel:
    """Spreads and weights. Arrays have one number for each of `NAMES`.

    Args:
        within: standard deviation of a measure among the levels of a game.
        mean: of a measure over games.
        between: its standard deviation between games.
        weights: of being off to the upper and the lower side, for games with levels, shape (2, measures); sum 1.
        alone: the same for games without levels.
        play: weights of the measures of plays, by name.
        share: of the measures of plays in the value.
        provenance: how the numbers came about.
    """

    within: Floats
    mean: Floats
    between: Floats
    weights: Floats
    alone: Floats
    play: Mapping[str, float]
    share: float
    provenance: Mapping[str, Any]

    @cached_property
    def wanted(self) -> frozenset[str]:
        """The measures that weigh anything."""
        weights = (self.weights + self.alone).sum(axis=0)
        return frozenset(name for name, weight in zip(NAMES, weights, strict=True) if weight > 0)

    def deviations(self, values: Floats, own: Floats) -> Floats:
        """Return how many standard deviations a level is from others, shape (measures,).

        Args:
            values: measures of the level, NaN for what is not defined of it.
            own: those of the others, shape (levels, measures); without any, all games are the reference.
        """
        known = np.isfinite(own)
        number = known.sum(axis=0)
        filled = np.where(known, own, 0.0)
        mean = np.where(number > 0, filled.sum(axis=0) / np.maximum(number, 1), self.mean)
        squares = np.where(known, (filled - mean) ** 2, 0.0).sum(axis=0)
        # Student's predictive distribution with the usual spread as so many levels more
        variance = (squares + TRUST * self.within**2) / (np.maximum(number - 1, 0) + TRUST)
        variance = np.where(
            number > 0, variance * (1.0 + 1.0 / np.maximum(number, 1)), self.between**2 + self.within**2
        )
        off: Floats = (values - mean) / np.sqrt(np.maximum(variance, 1e-12))
        absent = np.isnan(values) & (number > 0) & (number == len(own))
        off = np.where(absent, -ABSENT, np.nan_to_num(off, nan=0.0))
        return off

    @staticmethod
    def scores(deviations: Floats) -> Floats:
        """Return the value of each measure to its upper and lower side, shape (2, measures), in (0, 1]."""
        sides = np.array([deviations, -deviations])
        found: Floats = 1.0 / (1.0 + (np.maximum(0.0, sides - USUAL) / HALF) ** 2)
        return found

    def own_values(self, own: Floats) -> Floats:
        """Return the values of the texts of a game's levels, each compared with the others, shape (levels,).

        Args:
            own: their measures, shape (levels, measures).
        """
        others = [np.delete(own, k, axis=0) for k in range(len(own))]
        pairs = zip(own, others, strict=True)
        return np.array([float((self.weights * self.scores(self.deviations(x, rest))).sum()) for x, rest in pairs])

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> LevelModel:
        """Read a model; measures that it does not know weigh nothing."""
        table = data["measures"]

        def column(key: str, default: float) -> list[float]:
            return [float(table.get(name, {}).get(key, default)) for name in NAMES]

        return cls(
            within=np.array(column("within", 1.0)),
            mean=np.array(column("mean", 0.0)),
            between=np.array(column("between", 1.0)),
            weights=_shares(np.array([column("more", 0.0), column("less", 0.0)])),
            alone=_shares(np.array([column("more_alone", 0.0), column("less_alone", 0.0)])),
            play={name: float(data["play"][name]) for name in PLAY_MEASURES},
            share=float(data["share_of_play"]),
            provenance=dict(data["provenance"]),
        )

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object that `from_json` reads."""
        measures = {}
        for k, name in enumerate(NAMES):
            row = {
                "part": PART_OF[name], "within": self.within[k], "mean": self.mean[k], "between": self.between[k],
                "more": self.weights[0, k], "less": self.weights[1, k],
                "more_alone": self.alone[0, k], "less_alone": self.alone[1, k],
            }  # fmt: skip
            measures[name] = {key: v if isinstance(v, str) else _rounded(float(v)) for key, v in row.items()}
        return {
            "provenance": dict(self.provenance), "share_of_play": self.share, "play": dict(self.play),
            "measures": measures,
        }  # fmt: skip


def enough(own_values: Floats) -> float:
    """Return the value of a text that is as good as any: halfway between the mean and the best of own levels.

    Own levels differ from each other, each in something. A level that is average in everything is more typical than
    any of them, and no better for it.

    Args:
        own_values: of levels of the game, each compared with the others; fewer than two tell nothing, which gives 1.
    """
    return float((own_values.mean() + own_values.max()) / 2.0) if len(own_values) > 1 else 1.0


def _rounded(value: float) -> float:
    return float(f"{value:.5g}") if math.isfinite(value) else 0.0


def _shares(weights: Floats) -> Floats:
    total = float(weights.sum())
    return weights / total if total > 0 else np.full(weights.shape, 1.0 / weights.size)


@functools.cache
def default_model() -> LevelModel:
    """Return the model that comes with the toolkit."""
    return LevelModel.from_json(json.loads(FILE.read_text(encoding="utf-8")))


def spreads(games: Sequence[Floats]) -> tuple[Floats, Floats, Floats]:
    """Return the standard deviation within games, the mean over games and the standard deviation between them.

    Args:
        games: measures of each game's levels, shape (levels, measures) each, NaN for what is not defined.
    """
    squares, degrees = np.zeros(len(NAMES)), np.zeros(len(NAMES))
    means = []
    for own in games:
        known = np.isfinite(own)
        number = known.sum(axis=0)
        filled = np.where(known, own, 0.0)
        mean = filled.sum(axis=0) / np.maximum(number, 1)
        squares += np.where(known, (filled - mean) ** 2, 0.0).sum(axis=0)
        degrees += np.maximum(number - 1, 0)
        means.append(np.where(number > 0, mean, np.nan))
    table = np.array(means)
    known = np.isfinite(table)
    number = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, table, 0.0).sum(axis=0) / number
    between = np.sqrt(np.where(known, (table - mean) ** 2, 0.0).sum(axis=0) / number)
    within = np.sqrt(squares / np.maximum(degrees, 1))
    return np.maximum(within, 1e-3), mean, np.maximum(between, 1e-3)
