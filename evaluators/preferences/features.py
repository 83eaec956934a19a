"""Measurements of items, which preference models learn from: their files, and the table of those that can be used."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean
from pcg.evaluators.preferences.davidson import Array

Features = Mapping[str, Mapping[str, float]]
"""Item -> name of the feature -> value."""


def feature_table(
    items: Sequence[str], features: Features, names: Sequence[str] | None = None
) -> tuple[tuple[str, ...], Array]:
    """The features that can be learned from.

    Args:
        items: the rows wanted.
        features: of each of them.
        names: those to use; without it all that every item has and that vary.

    Returns:
        Names, and the values, (items, names).

    Raises:
        PcgError: for items without features, names that are unknown or do not vary, values that are not finite.
    """
    for item in items:
        if item not in features:
            raise PcgError(f"the item `{item}` has no features" + did_you_mean(item, features))
    common = [name for name in features[items[0]] if all(name in features[item] for item in items)]
    for name in names or ():
        if name not in common:
            hint = did_you_mean(name, common, f" (all items have: {', '.join(common) or 'none'})")
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
