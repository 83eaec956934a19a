"""What people like, learned: a preference model over measurements of items, for judging items nobody has voted on.

Bradley-Terry regression: the utility of an item is a weighted sum of its standardised features (Bradley, Terry 1952;
with covariates Springall: Response Surface Fitting Using a Generalization of the Bradley-Terry Paired Comparison Model,
1973; for game levels Yannakakis, Maragoudakis, Hallam: Preference Learning for Cognitive Modeling, 2009). Weights are
kept small by a ridge whose strength is chosen by cross-validation; a tie is half a vote for each.

How well it predicts is measured twice, on votes that had no part in the fit: of participants who were left out, and
on pairs with items that were left out. The second says whether the features carry over to new items, which is what a
fitness is for.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcg.engine.vgdl.diagnostics import PcgError, nearest
from pcg.evaluators.preferences.davidson import Array, fit, one_thread
from pcg.evaluators.preferences.outcomes import logistic
from pcg.evaluators.preferences.votes import Vote, cells_of, counts_of_cells, items_of, preferences

FORMAT = 1
STRENGTHS: tuple[float, ...] = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
"""Ridge strengths that are tried: the precision of the normal prior of each weight."""
FOLDS = 5


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How well votes that had no part in a fit are predicted."""

    by: str
    """What was left out together: `participant` or `item`."""
    folds: int
    votes: int
    """Decided votes that were predicted."""
    accuracy: float
    """Share of them for the item that the model thinks better; half where it sees no difference."""
    log_loss: float
    """Mean of minus the logarithm of the probability given to what happened; 0.693 is guessing."""
    ceiling: float | None = None
    """For participants: the accuracy of knowing each item's own utility instead of its features."""


@dataclass(frozen=True)
class PreferenceModel:
    """A utility of items by their features.

    >>> model = PreferenceModel(("gap",), (0.5,), (0.2,), (1.0,), 1.0)
    >>> model.score({"gap": 0.9}), round(model.worth({"gap": 0.9}), 3)
    (2.0, 0.881)
    """

    features: tuple[str, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]
    """Standard deviations over the items that were voted on."""
    weights: tuple[float, ...]
    """Log odds per standard deviation."""
    strength: float
    errors: tuple[float, ...] = ()
    """Standard errors of the weights."""
    votes: int = 0
    items: int = 0
    accuracy: tuple[Accuracy, ...] = field(default=())

    def score(self, features: Mapping[str, float], *, strict: bool = True) -> float:
        """The utility of an item, 0 for an average one.

        Args:
            features: by name; those the model does not know do not matter.
            strict: whether a feature may not be missing; else a missing one counts as average.

        Raises:
            PcgError: for a feature that is missing (with `strict`) or not finite.
        """
        total = []
        for name, mean, scale, weight in zip(self.features, self.means, self.scales, self.weights, strict=True):
            value = features.get(name)
            if value is None:
                if strict:
                    near = nearest(name, features)
                    raise PcgError(
                        f"the feature `{name}` that the preference model needs is missing"
                        + (f"; is `{near}` it?" if near else "")
                    )
                continue
            if not math.isfinite(value):
                raise PcgError(f"the feature `{name}` is {value}, expected a finite number")
            total.append(weight * (value - mean) / scale)
        return math.fsum(total)

    def worth(self, features: Mapping[str, float], *, strict: bool = True) -> float:
        """Probability in (0, 1) with which the item is preferred to an average one, ties aside."""
        return 0.5 * (1.0 + math.tanh(0.5 * self.score(features, strict=strict)))

    def to_text(self, *, indent: int | None = None) -> str:
        """As JSON text."""
        return json.dumps({"format": FORMAT, "kind": "bradley-terry-regression", **asdict(self)}, indent=indent)

    @classmethod
    def from_text(cls, text: str, source: str = "preference model") -> PreferenceModel:
        """Read what `to_text` wrote.

        Raises:
            PcgError: naming the source and what is wrong with it.
        """
        try:
            data = json.loads(text)
        except json.JSONDecodeError as error:
            raise PcgError(f"{source}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from None
        if not isinstance(data, dict) or data.get("kind") != "bradley-terry-regression":
            raise PcgError(f"{source}: no preference model (expected what `pcg prefer fit` writes)")
        if data.get("format") != FORMAT:
            raise PcgError(f"{source}: format {data.get('format')!r}, expected {FORMAT}")
        try:
            names = tuple(map(_string, data["features"]))
            numbers = {key: tuple(map(_finite, data[key])) for key in ("means", "scales", "weights", "errors")}
            if not names or any(len(numbers[key]) != len(names) for key in ("means", "scales", "weights")):
                raise ValueError("means, scales and weights are as many as features, at least one")
            if min(numbers["scales"]) <= 0:
                raise ValueError("scales are above 0")
            return cls(
                names, numbers["means"], numbers["scales"], numbers["weights"], _finite(data["strength"]),
                numbers["errors"], int(data["votes"]), int(data["items"]),
                tuple(Accuracy(**entry) for entry in data["accuracy"]),
            )  # fmt: skip
        except KeyError as error:
            raise PcgError(f"{source}: `{error.args[0]}` is missing") from None
        except (TypeError, ValueError) as error:
            raise PcgError(f"{source}: {error}") from None

    def save(self, path: str | Path) -> None:
        """Write the model to a file."""
        Path(path).write_text(self.to_text(indent=1) + "\n", encoding="utf-8", newline="\n")

    @classmethod
    def load(cls, path: str | Path) -> PreferenceModel:
        """Read a model from a file.

        Raises:
            PcgError: when the file holds none; OSError when it cannot be read.
        """
        try:
            text = Path(path).read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise PcgError(f"{path}: not UTF-8 text (byte {error.start})") from None
        return cls.from_text(text, str(path))


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is no name")
    return value


def _finite(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r} is no finite number")
    return float(value)


# -- fitting -----------------------------------------------------------------------------------------------------------


def fit_model(
    votes: Sequence[Vote],
    features: Mapping[str, Mapping[str, float]],
    *,
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
        names: the features to use; without it all that every item has and that vary.
        strength: of the ridge; chosen among `STRENGTHS` by the log loss on left-out items without it.
        folds: of each cross-validation.
        seed: of the folds.
        question: see `preferences`.

    Raises:
        PcgError: for no votes, items without features, names that are unknown or do not vary, values not finite.
    """
    chosen = preferences(votes, question)
    items = items_of(chosen)
    if not chosen:
        raise PcgError("there are no votes to learn from")
    used, table = _feature_table(items, features, names)
    means, scales = table.mean(axis=0), table.std(axis=0)
    data = _Data(chosen, items, (table - means) / scales)
    with one_thread():
        if strength is None:
            strength = data.best_strength(np.arange(len(chosen)), "item", folds, seed)
        elif not (math.isfinite(strength) and strength > 0):
            raise PcgError(f"the strength of the ridge is {strength}, expected a number above 0")
        found = tuple(data.accuracy(by, folds, seed) for by in ("participant", "item"))
        weights, information = data.fit(np.arange(len(chosen)), strength)
        errors = np.sqrt(np.diagonal(np.linalg.inv(information)))
    return PreferenceModel(
        used, tuple(means.tolist()), tuple(scales.tolist()), tuple(weights.tolist()), strength,
        tuple(errors.tolist()), len(chosen), len(items), tuple(a for a in found if a is not None),
    )  # fmt: skip


def _feature_table(
    items: Sequence[str], features: Mapping[str, Mapping[str, float]], names: Sequence[str] | None
) -> tuple[tuple[str, ...], Array]:
    for item in items:
        if item not in features:
            near = nearest(item, features)
            raise PcgError(f"the item `{item}` has no features" + (f", did you mean `{near}`?" if near else ""))
    common = [name for name in features[items[0]] if all(name in features[item] for item in items)]
    for name in names or ():
        if name not in common:
            near = nearest(name, common)
            hint = f", did you mean `{near}`?" if near else f" (all items have: {', '.join(common) or 'none'})"
            raise PcgError(f"not every item has the feature `{name}`{hint}")
    wanted = list(names) if names is not None else common
    table = np.array([[float(features[item][name]) for name in wanted] for item in items]).reshape(len(items), -1)
    if not np.isfinite(table).all():
        row, column = np.argwhere(~np.isfinite(table))[0]
        raise PcgError(f"the feature `{wanted[column]}` of `{items[row]}` is {table[row, column]}, expected a number")
    varies = np.ptp(table, axis=0) > 1e-12 * (1 + np.abs(table).max(axis=0))
    if names is not None and not varies.all():
        raise PcgError(f"the feature `{wanted[int(np.argmin(varies))]}` is the same in all items")
    if not varies.any():
        raise PcgError("no feature differs between the items")
    return tuple(name for name, there in zip(wanted, varies, strict=True) if there), table[:, varies]


class _Data:
    """Votes as rows: which items, and what share of the vote went to the first."""

    def __init__(self, votes: Sequence[Vote], items: Sequence[str], table: Array) -> None:
        index = {item: k for k, item in enumerate(items)}
        self.votes, self.items, self.table = votes, tuple(items), table
        self.first = np.array([index[v.first] for v in votes], np.intp)
        self.second = np.array([index[v.second] for v in votes], np.intp)
        self.y = np.array([{"first": 1.0, "second": 0.0}.get(v.answer, 0.5) for v in votes])
        self.decided = self.y != 0.5
        _, self.who = np.unique([v.participant for v in votes], return_inverse=True)

    def fit(self, rows: NDArray[np.intp], strength: float) -> tuple[Array, Array]:
        """Weights and information from these votes; equal pairs are one row with their number."""
        n = len(self.items)
        key = self.first[rows] * n + self.second[rows]
        pairs, which = np.unique(key, return_inverse=True)
        count = np.bincount(which).astype(np.float64)
        share = np.bincount(which, self.y[rows]) / count
        x = self.table[pairs // n] - self.table[pairs % n]
        return logistic(x, share, np.full(x.shape[1], strength), count)

    def folds(self, rows: NDArray[np.intp], by: str, folds: int, seed: int) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:  # fmt: skip  # noqa: E501
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

    def predict(self, weights: Array, rows: NDArray[np.intp]) -> Array:
        """Log odds of the first item."""
        return np.asarray((self.table[self.first[rows]] - self.table[self.second[rows]]) @ weights)

    def best_strength(self, rows: NDArray[np.intp], by: str, folds: int, seed: int) -> float:
        """The strength with the least log loss on left-out votes; the middle one where nothing can be left out."""
        parts = self.folds(rows, by, folds, seed)
        if not parts:
            return STRENGTHS[len(STRENGTHS) // 2]
        losses = []
        for strength in STRENGTHS:
            loss = [_losses(self.predict(self.fit(kept, strength)[0], out), self.y[out]) for kept, out in parts]
            losses.append(float(np.concatenate(loss).mean()))
        return STRENGTHS[int(np.argmin(losses))]

    def accuracy(self, by: str, folds: int, seed: int) -> Accuracy | None:
        """How well left-out votes are predicted; the strength is chosen again from the others each time."""
        parts = self.folds(np.arange(len(self.votes)), by, folds, seed)
        if not parts:
            return None
        right, losses, ceiling, guessed = [], [], [], []
        for kept, out in parts:
            odds = self.predict(self.fit(kept, self.best_strength(kept, "item", folds, seed))[0], out)
            right.append(_right(odds, self.y[out]))
            losses.append(_losses(odds, self.y[out]))
            if by == "participant":
                utilities = fit(self._counts(kept)).utilities
                guessed.append(utilities[self.first[out]] - utilities[self.second[out]])
                ceiling.append(_right(guessed[-1], self.y[out]))
        hits = np.concatenate(right)
        return Accuracy(
            by, len(parts), len(hits), float(hits.mean()), float(np.concatenate(losses).mean()),
            float(np.concatenate(ceiling).mean()) if ceiling else None,
        )  # fmt: skip

    def _counts(self, rows: NDArray[np.intp]) -> Any:
        chosen = [self.votes[k] for k in rows]
        pair, cell = cells_of(chosen, self.items)
        return counts_of_cells(self.items, *np.unique(pair, return_inverse=True), cell)


def _right(odds: Array, y: Array) -> Array:
    return np.where(odds == 0, 0.5, (odds > 0) == (y > 0.5)).astype(np.float64)


def _losses(odds: Array, y: Array) -> Array:
    return np.asarray(np.logaddexp(0.0, np.where(y > 0.5, -odds, odds)))


# -- files of features -------------------------------------------------------------------------------------------------


def read_features(path: str | Path) -> dict[str, dict[str, float]]:
    """Read features of items.

    A CSV file has a column `item` and one for each feature (an empty cell is a missing value). A JSON file is an object
    from item to an object from name to number, or what `pcg measure --json` prints, where the items are the levels'
    files.

    Raises:
        PcgError: naming file, line and what was expected.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise PcgError(f"{path}: not UTF-8 text (byte {error.start})") from None
    if path.suffix == ".json":
        return _json_features(text, path)
    rows = csv.reader(text.splitlines(), strict=True)
    found: dict[str, dict[str, float]] = {}
    try:
        heading = next(rows, [])
        if "item" not in heading:
            raise PcgError(f"{path}:1: there is no column `item` (found: {', '.join(heading) or 'none'})")
        for cells in rows:
            if not cells:
                continue
            if len(cells) != len(heading):
                raise PcgError(f"{path}:{rows.line_num}: {len(cells)} columns, the heading has {len(heading)}")
            row = dict(zip(heading, cells, strict=True))
            item = row.pop("item")
            if item in found:
                raise PcgError(f"{path}:{rows.line_num}: the item `{item}` is there twice")
            found[item] = {k: _number(v, f"{path}:{rows.line_num}: `{k}`") for k, v in row.items() if v != ""}
    except csv.Error as error:
        raise PcgError(f"{path}:{rows.line_num}: not CSV: {error}") from None
    return found


def _json_features(text: str, path: Path) -> dict[str, dict[str, float]]:
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise PcgError(f"{path}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from None
    if isinstance(data, dict) and isinstance(data.get("levels"), list):
        try:
            data = {entry["level"]: entry["metrics"] for entry in data["levels"]}
        except (KeyError, TypeError):
            raise PcgError(f"{path}: expected what `pcg measure --json` prints") from None
    if not isinstance(data, dict) or not all(isinstance(row, dict) for row in data.values()):
        raise PcgError(f"{path}: expected a JSON object from item to an object from feature to number")
    return {
        item: {name: _number(value, f"{path}: `{name}` of `{item}`") for name, value in row.items()}
        for item, row in data.items()
    }


def _number(value: Any, where: str) -> float:
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise PcgError(f"{where} is {value!r}, expected a number")
    return number


def check_names(model: PreferenceModel, known: Sequence[str], source: str) -> None:
    """Refuse a model of features that are not known.

    Raises:
        PcgError: naming the feature and the nearest one that is known.
    """
    for name in model.features:
        if name not in known:
            near = nearest(name, known)
            hint = f", did you mean `{near}`?" if near else ""
            raise PcgError(f"{source}: the preference model needs `{name}`, which is no metric of levels{hint}")
