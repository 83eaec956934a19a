"""Levels spread over two measures: which cell of a grid each falls into, and what is best in every cell.

An archive of a quality-diversity run brings its own grid along; for other runs a grid with round edges is made from
the values that there are, so that any run can be looked at as if it had kept an archive (MAP-Elites; Mouret and Clune
2015).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pcg.web.entries import Measure, Point
from pcg.web.guard import Refused

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

    def index(self, value: float) -> int:
        """The cell of a value; what lies outside falls into the nearest.

        >>> Axis("length", (0.0, 10.0, 20.0)).index(10.0)
        1
        """
        low, high = self.edges[0], self.edges[-1]
        # a hair of tolerance, for values that lie on an edge but for rounding
        place = math.floor((value - low) / (high - low) * self.cells + 1e-9) if high > low else 0
        return min(max(place, 0), self.cells - 1)

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


def measures_in(points: Iterable[Point]) -> list[str]:
    """The names of the measures that some level has, fitness last, in the order in which they turn up."""
    names: dict[str, None] = {}
    for point in points:
        for name in point.values:
            names.setdefault(name)
    return [*names, FITNESS]


def _value(point: Point, name: str) -> float | None:
    return point.fitness if name == FITNESS else point.values.get(name)


def default_axes(points: Sequence[Point], measures: Sequence[Measure]) -> tuple[str, str]:
    """The two measures to begin with: those of the archive, else two that tell levels apart."""
    if len(measures) >= 2:
        return measures[0].name, measures[1].name
    telling = [n for n in measures_in(points) if len({_value(p, n) for p in points} - {None}) > 1]
    named = [m.name for m in measures] + [n for n in PREFERRED if n in telling]
    chosen = list(dict.fromkeys([*named, *(n for n in telling if n != FITNESS), FITNESS, *measures_in(points)]))
    chosen = chosen if len(chosen) > 1 else chosen * 2
    return chosen[0], chosen[1]


def heatmap(points: Sequence[Point], measures: Sequence[Measure], x: str = "", y: str = "") -> dict[str, Any]:
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
    names = list(dict.fromkeys([*(m.name for m in measures), *measures_in(points)]))
    first = default_axes(points, measures)
    chosen = (x or first[0], y or first[1])
    for name in (x, y):
        if name and name not in names:
            raise Refused(f"no level here has a measure {name[:60]!r} (expected one of {', '.join(names)})")
    axes = [_axis(name, points, measures) for name in chosen]
    cells: dict[tuple[int, int], list[Point]] = {}
    left_out = 0
    for point in points:
        place = [_place(point, axis, measures) for axis in axes]
        if place[0] is None or place[1] is None:
            left_out += 1
        else:
            cells.setdefault((place[0], place[1]), []).append(point)
    return {
        "x": {"name": axes[0].name, "edges": list(axes[0].edges)},
        "y": {"name": axes[1].name, "edges": list(axes[1].edges)},
        "names": names,
        "cells": [_cell(place, found) for place, found in sorted(cells.items())],
        "left_out": left_out,
    }


def _axis(name: str, points: Sequence[Point], measures: Sequence[Measure]) -> Axis:
    for measure in measures:
        if measure.name == name:
            return Axis.of_measure(measure)
    values = [v for p in points if (v := _value(p, name)) is not None]
    return Axis.of_values(name, values or [0.0])


def _place(point: Point, axis: Axis, measures: Sequence[Measure]) -> int | None:
    """The cell of a level along an axis: its place in the archive where it has one."""
    names = [m.name for m in measures]
    if point.cell is not None and axis.name in names and len(point.cell) == len(names):
        return min(max(point.cell[names.index(axis.name)], 0), axis.cells - 1)
    value = _value(point, axis.name)
    return None if value is None else axis.index(value)


def _cell(place: tuple[int, int], points: list[Point]) -> Mapping[str, Any]:
    points.sort(key=lambda p: (not p.feasible, -p.fitness))
    best = points[0]
    return {
        "i": place[0],
        "j": place[1],
        "keys": [p.key for p in points[:SHOWN_KEYS]],
        "levels": len(points),
        "fitness": best.fitness,
        "feasible": best.feasible,
    }
