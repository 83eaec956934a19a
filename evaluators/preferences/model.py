"""Preference models learned from votes: functions of measurements, for items that nobody has voted on.

Bradley-Terry regression: the utility of an item is a weighted sum of its standardised features (Bradley, Terry 1952;
with covariates Springall: Response Surface Fitting Using a Generalization of the Bradley-Terry Paired Comparison Model,
1973; for game levels Yannakakis, Maragoudakis, Hallam: Preference Learning for Cognitive Modeling, 2009). Weights are
kept small by a ridge whose strength is chosen by cross-validation.

Gaussian process: the utility is any smooth function of the features, so that people may like something in the middle,
or one thing only together with another (`gaussian_process`). It knows where it has seen too little to judge.

To both a tie is half a vote for each item. How well a model predicts is measured on votes that had no part in it
(`held_out`).
"""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from pcg.engine.lazy import cached_property
from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean, nearest
from pcg.evaluators.preferences.davidson import Array, one_thread
from pcg.evaluators.preferences.features import Features, feature_table
from pcg.evaluators.preferences.gaussian_process import (
    MOST_ITEMS,
    Kernel,
    Posterior,
    Process,
    learn,
    log_odds,
    tempered,
)
from pcg.evaluators.preferences.held_out import FOLDS, Accuracy, Learner, PairData, Predictor, Rows
from pcg.evaluators.preferences.outcomes import logistic
from pcg.evaluators.preferences.votes import Vote, items_of, preferences

FORMAT = 1
STRENGTHS: tuple[float, ...] = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
"""Ridge strengths that are tried: the precision of the normal prior of each weight."""


@dataclass(frozen=True)
class PreferenceModel(ABC):
    """A utility of items by their features; 0 is the mean of the items that were voted on."""

    kind: ClassVar[str]
    """Its name in files."""

    features: tuple[str, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]
    """Standard deviations over the items that were voted on."""
    votes: int = field(default=0, kw_only=True)
    items: int = field(default=0, kw_only=True)
    accuracy: tuple[Accuracy, ...] = field(default=(), kw_only=True)

    @abstractmethod
    def score(self, features: Mapping[str, float], *, strict: bool = True) -> float:
        """The utility of an item in log odds, 0 for an average one.

        Args:
            features: by name; those the model does not know do not matter.
            strict: whether a feature may not be missing; else a missing one counts as average.

        Raises:
            PcgError: for a feature that is missing (with `strict`) or not finite.
        """

    @abstractmethod
    def fitness(self, features: Mapping[str, float], *, strict: bool = True) -> float:
        """Probability in (0, 1) with which the item is preferred to an average one, ties aside."""

    def error(self, features: Mapping[str, float], *, strict: bool = True) -> float | None:
        """Standard error of the score; None from a model that does not say how sure it is."""
        return None

    def standard_scores(self, features: Mapping[str, float], *, strict: bool = True) -> Array:
        """The features that the model needs, in standard deviations from their means; see `score`."""
        found = []
        for name, mean, scale in zip(self.features, self.means, self.scales, strict=True):
            value = features.get(name)
            if value is None:
                if strict:
                    near = nearest(name, features)
                    raise PcgError(
                        f"the feature `{name}` that the preference model needs is missing"
                        + (f"; is `{near}` it?" if near else "")
                    )
                value = mean
            elif not math.isfinite(value):
                raise PcgError(f"the feature `{name}` is {value}, expected a finite number")
            found.append((value - mean) / scale)
        return np.array(found)

    def to_text(self, *, indent: int | None = None) -> str:
        """As JSON text."""
        return json.dumps({"format": FORMAT, "kind": self.kind, **asdict(self)}, indent=indent)

    @staticmethod
    def from_text(text: str, source: str = "preference model") -> PreferenceModel:
        """Read what `to_text` wrote.

        Raises:
            PcgError: naming the source and what is wrong with it.
        """
        try:
            data = json.loads(text)
        except json.JSONDecodeError as error:
            raise PcgError(f"{source}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from None
        kind = data.get("kind") if isinstance(data, dict) else None
        model = {one.kind: one for one in (RegressionModel, GaussianProcessModel)}.get(kind)  # type: ignore[arg-type]
        if model is None:
            raise PcgError(f"{source}: no preference model (expected what `pcg prefer fit` writes)")
        if data.get("format") != FORMAT:
            raise PcgError(f"{source}: format {data.get('format')!r}, expected {FORMAT}")
        try:
            return model._read(data)
        except KeyError as error:
            raise PcgError(f"{source}: `{error.args[0]}` is missing") from None
        except (TypeError, ValueError) as error:
            raise PcgError(f"{source}: {error}") from None

    @classmethod
    @abstractmethod
    def _read(cls, data: Mapping[str, Any]) -> Self:
        """From a JSON object; KeyError, TypeError and ValueError say what is wrong with it."""

    def save(self, path: str | Path) -> None:
        """Write the model to a file."""
        Path(path).write_text(self.to_text(indent=1) + "\n", encoding="utf-8", newline="\n")

    @staticmethod
    def load(path: str | Path) -> PreferenceModel:
        """Read a model from a file.

        Raises:
            PcgError: when the file holds none; OSError when it cannot be read.
        """
        try:
            text = Path(path).read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise PcgError(f"{path}: not UTF-8 text (byte {error.start})") from None
        return PreferenceModel.from_text(text, str(path))


@dataclass(frozen=True)
class RegressionModel(PreferenceModel):
    """A weighted sum of standardised features.

    >>> model = RegressionModel(("gap",), (0.5,), (0.2,), (1.0,), 1.0)
    >>> model.score({"gap": 0.9}), round(model.fitness({"gap": 0.9}), 3)
    (2.0, 0.881)
    """

    kind = "bradley-terry-regression"

    weights: tuple[float, ...]
    """Log odds per standard deviation."""
    strength: float
    """Of the ridge."""
    errors: tuple[float, ...] = ()
    """Standard errors of the weights."""

    def score(self, features: Mapping[str, float], *, strict: bool = True) -> float:
        """See `PreferenceModel.score`."""
        scores = self.standard_scores(features, strict=strict).tolist()
        return math.fsum(weight * score for weight, score in zip(self.weights, scores, strict=True))

    def fitness(self, features: Mapping[str, float], *, strict: bool = True) -> float:
        """See `PreferenceModel.fitness`."""
        return _probability(self.score(features, strict=strict))

    @classmethod
    def _read(cls, data: Mapping[str, Any]) -> Self:
        names = _names(data)
        numbers = {key: _numbers(data, key, len(names)) for key in ("means", "scales", "weights")}
        return cls(
            names, numbers["means"], _scales(numbers["scales"]), numbers["weights"], _finite(data["strength"]),
            tuple(map(_finite, data["errors"])), **_common(data),
        )  # fmt: skip


@dataclass(frozen=True)
class GaussianProcessModel(PreferenceModel):
    """A smooth function of standardised features, and how sure it is.

    Worth takes the error of the score into account: it is near one half where votes have said little.
    """

    kind = "gaussian-process"

    variance: float
    """Of the smooth part of the utility, in squared log odds."""
    linear: float
    """Of its linear part."""
    lengths: tuple[float, ...]
    """Length scales in standard deviations of each feature: long ones hardly matter."""
    points: tuple[tuple[float, ...], ...]
    """Standard scores of the items that were voted on."""
    pull: tuple[float, ...]
    """Slope of the log likelihood of the votes by the utility of each of these items."""
    information: tuple[tuple[int, int, float], ...]
    """Information of the votes about pairs of these items: (one, other, in inverse squared log odds)."""

    def score(self, features: Mapping[str, float], *, strict: bool = True) -> float:
        """See `PreferenceModel.score`."""
        return self._predict(features, strict)[0]

    def error(self, features: Mapping[str, float], *, strict: bool = True) -> float:
        """See `PreferenceModel.error`."""
        return math.sqrt(self._predict(features, strict)[1])

    def fitness(self, features: Mapping[str, float], *, strict: bool = True) -> float:
        """See `PreferenceModel.fitness`."""
        mean, variance = self._predict(features, strict)
        return _probability(float(tempered(np.array(mean), np.array(variance))))

    def _predict(self, features: Mapping[str, float], strict: bool) -> tuple[float, float]:
        with one_thread():
            mean, covariance = self._posterior.predict(self.standard_scores(features, strict=strict)[None])
        # rounded, so that the order of a sum on another machine does not decide between equals
        return round(float(mean[0]), 9), max(round(float(covariance[0, 0]), 9), 0.0)

    @cached_property
    def _posterior(self) -> Posterior:
        n = len(self.points)
        across = np.zeros((n, n))
        for one, other, weight in self.information:
            across[one, other] += weight
            across[other, one] += weight
        kernel = Kernel(self.variance, self.linear, np.array(self.lengths))
        information = np.diag(across.sum(axis=1)) - across
        with one_thread():
            return Posterior(Process(kernel, np.array(self.points), np.array(self.pull), information))

    @classmethod
    def _read(cls, data: Mapping[str, Any]) -> Self:
        names = _names(data)
        numbers = {key: _numbers(data, key, len(names)) for key in ("means", "scales", "lengths")}
        points = tuple(_numbers({"points": row}, "points", len(names)) for row in data["points"])
        if not 2 <= len(points) <= MOST_ITEMS:
            raise ValueError(f"there are {len(points)} points, expected 2 to {MOST_ITEMS}")
        information = tuple((int(one), int(other), _finite(weight)) for one, other, weight in data["information"])
        if any(not 0 <= one < other < len(points) or weight < 0 for one, other, weight in information):
            raise ValueError("information is no list of two numbers of points and a weight that is not negative")
        variance, linear = _finite(data["variance"]), _finite(data["linear"])
        if min(variance, linear, *numbers["lengths"]) <= 0:
            raise ValueError("variance, linear and lengths are above 0")
        model = cls(
            names, numbers["means"], _scales(numbers["scales"]), variance, linear, numbers["lengths"], points,
            _numbers(data, "pull", len(points)), information, **_common(data),
        )  # fmt: skip
        with np.errstate(all="ignore"):
            if not model._posterior.sound:
                raise ValueError("these numbers make no Gaussian process")
        return model


def _probability(odds: float) -> float:
    return 0.5 * (1.0 + math.tanh(0.5 * odds))


# -- reading -----------------------------------------------------------------------------------------------------------


def _names(data: Mapping[str, Any]) -> tuple[str, ...]:
    names = tuple(data["features"])
    for name in names:
        if not isinstance(name, str):
            raise ValueError(f"{name!r} is no name")
    if not names:
        raise ValueError("there are no features")
    return names


def _numbers(data: Mapping[str, Any], key: str, wanted: int) -> tuple[float, ...]:
    found = tuple(map(_finite, data[key]))
    if len(found) != wanted:
        raise ValueError(f"`{key}` has {len(found)} numbers, expected {wanted}")
    return found


def _scales(found: tuple[float, ...]) -> tuple[float, ...]:
    if min(found) <= 0:
        raise ValueError("scales are above 0")
    return found


def _common(data: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "votes": int(data["votes"]), "items": int(data["items"]),
        "accuracy": tuple(Accuracy(**entry) for entry in data["accuracy"]),
    }  # fmt: skip


def _finite(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r} is no finite number")
    return float(value)


# -- fitting -----------------------------------------------------------------------------------------------------------


def fit_model(
    votes: Sequence[Vote],
    features: Features,
    *,
    kind: str = "regression",
    names: Sequence[str] | None = None,
    strength: float | None = None,
    folds: int = FOLDS,
    seed: int = 0,
    question: str | None = None,
) -> PreferenceModel:
    """Learn what people like.

    Args:
        votes: any; see `preferences`.
        features: item -> name -> value, of every item that was voted on.
        kind: one of `KINDS`.
        names: the features to use; without it all that every item has and that vary.
        strength: of the ridge of a regression; chosen among `STRENGTHS` by the log loss on left-out items without it.
        folds: of each cross-validation.
        seed: of the folds.
        question: see `preferences`.

    Raises:
        PcgError: for no votes, items without features, names that are unknown or do not vary, values not finite, an
            unknown kind, more than 1,000 items for a process.
    """
    if kind not in KINDS:
        hint = did_you_mean(kind, KINDS)
        raise PcgError(f"there is no kind of preference model `{kind}`{hint} (there are {', '.join(KINDS)})")
    chosen = preferences(votes, question)
    items = items_of(chosen)
    if not chosen:
        raise PcgError("there are no votes to learn from")
    used, table = feature_table(items, features, names)
    means, scales = table.mean(axis=0), table.std(axis=0)
    data = PairData(chosen, items, (table - means) / scales)
    with one_thread():
        return KINDS[kind](data, (used, tuple(means.tolist()), tuple(scales.tolist())), strength, folds, seed)


_Scaling = tuple[tuple[str, ...], tuple[float, ...], tuple[float, ...]]


def _measured(data: PairData, learner: Learner, folds: int, seed: int) -> dict[str, Any]:
    found = (data.accuracy(learner, by, folds, seed) for by in ("participant", "item"))
    return {
        "votes": len(data.votes), "items": len(data.items), "accuracy": tuple(a for a in found if a is not None),
    }  # fmt: skip


def _regression(data: PairData, scaling: _Scaling, strength: float | None, folds: int, seed: int) -> PreferenceModel:
    everything = np.arange(len(data.votes))
    if strength is None:
        strength = _best_strength(data, everything, folds, seed)
    elif not (math.isfinite(strength) and strength > 0):
        raise PcgError(f"the strength of the ridge is {strength}, expected a number above 0")

    def learner(data: PairData, rows: Rows) -> Predictor:
        return _ridge(data, rows, _best_strength(data, rows, folds, seed))

    weights, information = _weights(data, everything, strength)
    errors = np.sqrt(np.diagonal(np.linalg.inv(information)))
    return RegressionModel(
        *scaling, tuple(weights.tolist()), strength, tuple(errors.tolist()), **_measured(data, learner, folds, seed)
    )


def _weights(data: PairData, rows: Rows, strength: float) -> tuple[Array, Array]:
    """Weights and information from these votes."""
    pairs = data.pairs(rows)
    x = data.table[pairs.first] - data.table[pairs.second]
    return logistic(x, pairs.share, np.full(x.shape[1], strength), pairs.count)


def _ridge(data: PairData, rows: Rows, strength: float) -> Predictor:
    utilities = data.table @ _weights(data, rows, strength)[0]
    return lambda first, second: np.asarray(utilities[first] - utilities[second])


def _best_strength(data: PairData, rows: Rows, folds: int, seed: int) -> float:
    """The strength with the least log loss on left-out items; the middle one where none can be left out."""
    parts = data.folds(rows, "item", folds, seed)
    if not parts:
        return STRENGTHS[len(STRENGTHS) // 2]
    losses = [float(data.losses(partial(_ridge, strength=s), parts).mean()) for s in STRENGTHS]
    return STRENGTHS[int(np.argmin(losses))]


def _gaussian_process(
    data: PairData, scaling: _Scaling, strength: float | None, folds: int, seed: int
) -> PreferenceModel:
    if strength is not None:
        raise PcgError("a Gaussian process has no ridge: leave the strength out")
    if len(data.items) > MOST_ITEMS:
        raise PcgError(
            f"the votes are on {len(data.items)} items; a Gaussian process takes at most {MOST_ITEMS}, "
            "a regression any number"
        )

    def learner(data: PairData, rows: Rows) -> Predictor:
        posterior = Posterior(_process(data, rows))
        return lambda first, second: log_odds(posterior, data.table, first, second)

    process = _process(data, np.arange(len(data.votes)))
    one, other = np.nonzero(np.triu(process.information, 1))
    weights = -process.information[one, other]
    return GaussianProcessModel(
        *scaling, process.kernel.variance, process.kernel.linear, tuple(process.kernel.lengths.tolist()),
        tuple(map(tuple, process.points.tolist())), tuple(process.pull.tolist()),
        tuple(zip(one.tolist(), other.tolist(), weights.tolist(), strict=True)),
        **_measured(data, learner, folds, seed),
    )  # fmt: skip


def _process(data: PairData, rows: Rows) -> Process:
    """From these votes, over the items they are about."""
    pairs = data.pairs(rows)
    items, numbers = np.unique(np.r_[pairs.first, pairs.second], return_inverse=True)
    first, second = np.split(numbers, 2)
    return learn(data.table[items], replace(pairs, first=first, second=second))


KINDS = {"regression": _regression, "gaussian-process": _gaussian_process}
"""Kinds of preference models, and how they are learned."""


def check_names(model: PreferenceModel, known: Sequence[str], source: str) -> None:
    """Refuse a model of features that are not known.

    Raises:
        PcgError: naming the feature and the nearest one that is known.
    """
    for name in model.features:
        if name not in known:
            hint = did_you_mean(name, known)
            raise PcgError(f"{source}: the preference model needs `{name}`, which is no metric of levels{hint}")
