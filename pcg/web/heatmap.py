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
from pcg.web.points import FITNESS, LevelPoints, Part, Range
from pcg.web.run_levels import Measure

ABOUT = 9
"""Cells that an axis made from values has, more or less."""

PREFERRED = ("solution_length", "length", "coverage", "variety", "leniency", "linearity", "symmetry", "density",
             "cover", "gap", "score")  # fmt: skip
"""The axes one starts with: the first two of these that tell levels apart."""

SHOWN_KEYS = 100
"""Levels listed for a cell; more are counted only."""

_LEVEL = np.dtype([("cell", np.int64), ("infeasible", np.bool_), ("cost", np.float64), ("number", np.int64)])


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
        found = Range()
        found.take(np.array(values, np.float64))
        return cls.of_range(name, found)

    @classmethod
    def of_range(cls, name: str, found: Range) -> Axis:
        """Make the axis for values from the least to the largest ones."""
        low, high, whole = found.low, found.high, found.whole
        if low == high:
            return cls(name, (low, low + 1.0))
        step = max(_round_step((high - low) / ABOUT), 1.0 if whole else 0.0)
        first = math.floor(low / step + 1e-9)
        last = max(first + 1, math.ceil(high / step - 1e-9))
        if whole and step == 1.0:
            last = round(high) + 1  # a cell for each number
        return cls(name, tuple(float(f"{k * step:.12g}") for k in range(first, last + 1)))


def _round_step(least: float) -> float:
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= least * (1 - 1e-9))


class Cells:
    """The best levels of each cell of two axes, of levels that are taken in parts and not kept.

    Args:
        axes: across, and up.
        measures: of the run's archive, in which levels may have places.
        shown: levels kept of a cell; more are counted only.
    """

    def __init__(self, axes: tuple[Axis, Axis], measures: Sequence[Measure], shown: int = SHOWN_KEYS) -> None:
        self.axes = axes
        self.left_out = 0
        """Levels that lack one of the measures."""
        self.taken = 0
        """Number after the last level that was taken."""
        self._measures = [measure.name for measure in measures]
        self._shown = shown
        self._levels: dict[int, int] = {}  # how many of each cell
        self._best = np.empty(0, _LEVEL)

    def take(self, points: LevelPoints) -> None:
        """Take the levels that come after those taken."""
        names = [axis.name for axis in self.axes if axis.name != FITNESS]
        for part in points.parts(names, self.taken):
            self._take(part)

    def _take(self, part: Part) -> None:
        columns, rows = (self._places(part, axis) for axis in self.axes)
        on_map = (columns >= 0) & (rows >= 0)
        self.left_out += int((~on_map).sum())
        self.taken = int(part.numbers[-1]) + 1 if len(part.numbers) else self.taken
        new = np.empty(int(on_map.sum()), _LEVEL)
        new["cell"] = (columns * self.axes[1].cells + rows)[on_map]
        new["infeasible"] = ~part.feasible[on_map]
        new["cost"] = -part.fitness[on_map]
        new["number"] = part.numbers[on_map]
        for cell, count in zip(*np.unique(new["cell"], return_counts=True), strict=True):
            self._levels[int(cell)] = self._levels.get(int(cell), 0) + int(count)
        # by cell, in it feasible ones first, better ones first, earlier ones first
        best = np.concatenate([self._best, new])
        best = best[np.lexsort((best["cost"], best["infeasible"], best["cell"]))]
        first = best["cell"].searchsorted(best["cell"])
        self._best = best[np.arange(len(best)) - first < self._shown]

    def _places(self, part: Part, axis: Axis) -> NDArray[np.int64]:
        """The cell of each level along an axis, -1 for none: its place in the archive where it has one."""
        values = part.fitness if axis.name == FITNESS else part.values.get(axis.name)
        places = np.full(len(part.fitness), -1, np.int64) if values is None else axis.indices(values)
        if axis.name in self._measures:
            place = self._measures.index(axis.name)
            for k, cell in enumerate(part.cells):
                if cell is not None and len(cell) == len(self._measures):
                    places[k] = min(max(cell[place], 0), axis.cells - 1)
        return places

    def told(self, points: LevelPoints) -> list[dict[str, Any]]:
        """Return the cells that have levels, as `heatmap` does."""
        cells: dict[int, dict[str, Any]] = {}
        for cell, infeasible, cost, number in self._best.tolist():
            if cell not in cells:
                i, j = divmod(cell, self.axes[1].cells)
                cells[cell] = {"i": i, "j": j, "keys": [], "levels": self._levels[cell], "fitness": -cost,
                               "feasible": not infeasible}  # fmt: skip
            cells[cell]["keys"].append(points.key(number))
        return list(cells.values())


def default_axes(points: LevelPoints, measures: Sequence[Measure]) -> tuple[str, str]:
    """The two measures to begin with: those of the archive, else two that tell levels apart."""
    archive = [measure.name for measure in measures]
    ranges = points.ranges()
    telling = [name for name in points.names if ranges[name].low < ranges[name].high]
    preferred = [name for name in PREFERRED if name in telling]
    first, second, *_ = dict.fromkeys([*archive, *preferred, *telling, FITNESS, *points.names, ""])
    return first, second or first


def axes_for(points: LevelPoints, measures: Sequence[Measure], x: str = "", y: str = "") -> tuple[Axis, Axis]:
    """The axes of a heat-map, whose arguments these are.

    Raises:
        Refused: for a measure that no level has.
    """
    names = measured(points, measures)
    for name in (x, y):
        if name and name not in names:
            raise Refused(f"no level here has a measure {name[:60]!r} (expected one of {', '.join(names)})")
    first, second = default_axes(points, measures)
    return _axis(x or first, points, measures), _axis(y or second, points, measures)


def measured(points: LevelPoints, measures: Sequence[Measure]) -> list[str]:
    """The measures that an axis can have."""
    return list(dict.fromkeys([*(m.name for m in measures), *points.names, FITNESS]))


def heatmap(points: LevelPoints, measures: Sequence[Measure], x: str = "", y: str = "") -> dict[str, Any]:
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
    cells = Cells(axes_for(points, measures, x, y), measures)
    cells.take(points)
    return {
        **axes_json(cells.axes),
        "names": measured(points, measures),
        "cells": cells.told(points),
        "left_out": cells.left_out,
    }


def axes_json(axes: tuple[Axis, Axis]) -> dict[str, Any]:
    """The axes of a heat-map as JSON."""
    return {side: {"name": axis.name, "edges": list(axis.edges)} for side, axis in zip("xy", axes, strict=True)}


def _axis(name: str, points: LevelPoints, measures: Sequence[Measure]) -> Axis:
    for measure in measures:
        if measure.name == name:
            return Axis.of_measure(measure)
    found = points.ranges().get(name, Range())
    return Axis.of_range(name, found) if found.low <= found.high else Axis.of_values(name, [0.0])
