"""Levels in a grid of two measures: the cell of each level, and the best level of each cell.

An archive of a quality-diversity run brings its own grid along; for other runs a grid with round edges is made from
the values that there are, so that any run can be looked at as if it had kept an archive (MAP-Elites; Mouret and Clune
2015).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcg.web.guard import Refused
from pcg.web.run_levels import Measure, Points

ABOUT = 9
"""Cells that an axis made from values has, more or less."""

FITNESS = "fitness"

PREFERRED = ("solution_length", "length", "coverage", "variety", "leniency", "linearity", "symmetry", "density",
             "cover", "gap", "score")  # fmt: skip
"""The axes one starts with: the first two of these that tell levels apart."""

SHOWN_KEYS = 100
"""Levels listed for a cell; more are counted only."""


@dataclass(frozen=True)
class Axis:
    """A measure cut into `len(edges) - 1` cells; each holds its lower edge, the last also its upper."""

    name: str
    edges: tuple[float, ...]

    @property
    def cells(self) -> int:
        """Number of cells."""
        return len(self.edges) - 1

    def indices(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """The cells of values; what lies outside falls into the nearest, what is NaN into -1.

        >>> Axis("length", (0.0, 10.0, 20.0)).indices(np.array([10.0, 99.0, np.nan])).tolist()
        [1, 1, -1]
        """
        low, high = self.edges[0], self.edges[-1]
        known = ~np.isnan(values)
        places = np.full(len(values), -1, np.int64)
        # a hair of tolerance, for values that lie on an edge but for rounding
        share = (values[known] - low) / (high - low) * self.cells + 1e-9
        places[known] = np.clip(np.floor(share), 0, self.cells - 1).astype(np.int64)
        return places

    @classmethod
    def of_measure(cls, measure: Measure) -> Axis:
        """The axis of an archive."""
        cells = max(1, measure.cells)
        width = (measure.high - measure.low) / cells
        return cls(measure.name, (*(measure.low + width * i for i in range(cells)), measure.high))

    @classmethod
    def of_values(cls, name: str, values: Sequence[float]) -> Axis:
        """About nine cells with round edges (1, 2 or 5 times a power of ten wide) that hold all values.

        >>> Axis.of_values("length", [24, 31, 88]).edges
        (20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0)
        """
        low, high = min(values), max(values)
        if low == high:
            return cls(name, (low, low + 1.0))
        whole = all(float(v).is_integer() for v in values)
        step = max(_round_step((high - low) / ABOUT), 1.0 if whole else 0.0)
        first = math.floor(low / step + 1e-9)
        last = max(first + 1, math.ceil(high / step - 1e-9))
        if whole and step == 1.0:
            last = round(high) + 1  # a cell for each number
        return cls(name, tuple(float(f"{k * step:.12g}") for k in range(first, last + 1)))


def _round_step(least: float) -> float:
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= least * (1 - 1e-9))


def _values(points: Points, name: str) -> NDArray[np.float64]:
    """The values of a measure, NaN where it is not known."""
    if name == FITNESS:
        return points.fitness
    return points.values.get(name, np.full(len(points.keys), math.nan))


def _tells(values: NDArray[np.float64]) -> bool:
    """Return True for a measure with different values."""
    known = values[~np.isnan(values)]
    return bool(len(known)) and bool((known != known[0]).any())


def default_axes(points: Points, measures: Sequence[Measure]) -> tuple[str, str]:
    """The two measures to begin with: those of the archive, else two that tell levels apart."""
    archive = [measure.name for measure in measures]
    telling = [name for name in points.values if _tells(points.values[name])]
    preferred = [name for name in PREFERRED if name in telling]
    first, second, *_ = dict.fromkeys([*archive, *preferred, *telling, FITNESS, *points.values, ""])
    return first, second or first


def heatmap(points: Points, measures: Sequence[Measure], x: str = "", y: str = "") -> dict[str, Any]:
    """The grid of some levels as JSON.

    Args:
        points: the levels.
        measures: the axes of the run's archive, none for other runs.
        x: measure along the horizontal axis; "" for the default.
        y: measure along the vertical axis.

    Returns:
        `x`, `y` {`name`, `edges`}; `names` to choose from; `cells` [{`i`, `j`, `keys` best first, `levels` how many,
        `fitness` of the best, `feasible`}]; `left_out`, how many levels lack one of the measures.

    Raises:
        Refused: for a measure that no level has.
    """
    names = list(dict.fromkeys([*(m.name for m in measures), *points.values, FITNESS]))
    for name in (x, y):
        if name and name not in names:
            raise Refused(f"no level here has a measure {name[:60]!r} (expected one of {', '.join(names)})")
    first, second = default_axes(points, measures)
    axes = [_axis(name, points, measures) for name in (x or first, y or second)]
    columns, rows = (_places(points, axis, measures) for axis in axes)
    on_map = (columns >= 0) & (rows >= 0)
    # by cell, in it feasible ones first, better ones first, earlier ones first
    order = np.lexsort((-points.fitness, ~points.feasible, rows, columns))
    cells: list[dict[str, Any]] = []
    for k in order[on_map[order]].tolist():
        place = (int(columns[k]), int(rows[k]))
        if not cells or (cells[-1]["i"], cells[-1]["j"]) != place:
            quality = {"fitness": float(points.fitness[k]), "feasible": bool(points.feasible[k])}
            cells.append({"i": place[0], "j": place[1], "keys": [], "levels": 0, **quality})
        cells[-1]["levels"] += 1
        if len(cells[-1]["keys"]) < SHOWN_KEYS:
            cells[-1]["keys"].append(points.keys[k])
    return {
        "x": {"name": axes[0].name, "edges": list(axes[0].edges)},
        "y": {"name": axes[1].name, "edges": list(axes[1].edges)},
        "names": names,
        "cells": cells,
        "left_out": int((~on_map).sum()),
    }


def _axis(name: str, points: Points, measures: Sequence[Measure]) -> Axis:
    for measure in measures:
        if measure.name == name:
            return Axis.of_measure(measure)
    values = _values(points, name)
    known = values[~np.isnan(values)]
    return Axis.of_values(name, known.tolist() or [0.0])


def _places(points: Points, axis: Axis, measures: Sequence[Measure]) -> NDArray[np.int64]:
    """The cell of each level along an axis, -1 for none: its place in the archive where it has one."""
    names = [m.name for m in measures]
    places = axis.indices(_values(points, axis.name))
    if axis.name in names:
        for k, cell in enumerate(points.cells):
            if cell is not None and len(cell) == len(names):
                places[k] = min(max(cell[names.index(axis.name)], 0), axis.cells - 1)
    return places
