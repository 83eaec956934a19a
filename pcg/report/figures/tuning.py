"""Figures of runs that tune a game: value over evaluations, mean value by parameter, and pairs of parameters.

How much a parameter matters is the share of the variance of all values that its own values explain, freed of what
chance would explain with as many groups: omega squared (Hays: Statistics for Psychologists, 1963).
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pcg.report.figures.canvas import ACCENT, SECOND, TEXT, draw_svg
from pcg.report.figures.parts import cell_text, cells, horizontal_bars, progress_axes, shorten, thinned_points

Point = tuple[int, ...]
_MOST_TICKS = 12
_LABEL = 34
"""Characters of a name that a figure shows."""


@dataclass(frozen=True, slots=True)
class Evaluations:
    """All evaluations of a run: points (n, parameters) and values (n,)."""

    points: np.ndarray[Any, np.dtype[np.int64]]
    values: np.ndarray[Any, np.dtype[np.float64]]
    errors: np.ndarray[Any, np.dtype[np.float64]]

    @classmethod
    def of(cls, events: Iterable[dict[str, Any]], parameters: int) -> Evaluations:
        """Return those of the lines of `events.jsonl`."""
        points, values, errors = array("q"), array("d"), array("d")
        for event in events:
            points.extend(event["point"])
            values.append(event["value"])
            errors.append(event["error"])
        table = np.array(points, np.int64).reshape(-1, parameters)
        return cls(table, np.array(values, np.float64), np.array(errors, np.float64))


def best_so_far(run: Evaluations) -> list[float]:
    """Return, after every evaluation, the mean value of the setting that is then the most surely good one."""
    known: dict[Point, tuple[int, float, float]] = {}

    def surely(point: Point) -> float:
        count, total, variance = known[point]
        return (total - math.sqrt(variance)) / count

    best: Point | None = None
    means = []
    for row, value, error in zip(run.points.tolist(), run.values.tolist(), run.errors.tolist(), strict=True):
        point = tuple(row)
        count, total, variance = known.get(point, (0, 0.0, 0.0))
        known[point] = (count + 1, total + value, variance + error * error)
        if best is None or (point != best and surely(point) > surely(best)):
            best = point
        elif point == best:
            best = max(known, key=surely)
        means.append(known[best][1] / known[best][0])
    return means


def marginal_means(run: Evaluations, parameter: int, size: int) -> list[tuple[int, float, float, int]]:
    """Return (value, mean, standard error, evaluations) of every value of a parameter that was tried."""
    found = []
    for k in range(size):
        mine = run.values[run.points[:, parameter] == k]
        if len(mine):
            error = float(mine.std(ddof=1)) / math.sqrt(len(mine)) if len(mine) > 1 else math.nan
            found.append((k, float(mine.mean()), error, len(mine)))
    return found


def importance(run: Evaluations, parameter: int) -> float:
    """Return the share of the variance of values that a parameter explains by itself, in [0, 1]."""
    groups = [run.values[run.points[:, parameter] == k] for k in np.unique(run.points[:, parameter])]
    count, total = len(run.values), float(((run.values - run.values.mean()) ** 2).sum()) if len(run.values) else 0.0
    if len(groups) < 2 or count <= len(groups) or total <= 0.0:
        return 0.0
    within = sum(float(((group - group.mean()) ** 2).sum()) for group in groups)
    noise = within / (count - len(groups))
    return min(1.0, max(0.0, (total - within - (len(groups) - 1) * noise) / (total + noise)))


def value_curve(run: Evaluations) -> str:
    """Return the SVG of the value of every evaluation, and of the mean of the best setting so far."""
    shown = thinned_points(np.arange(len(run.values)), run.values)

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        axes.scatter(shown + 1, run.values[shown], s=16, color=ACCENT, alpha=0.35, linewidths=0, label="one evaluation")
        axes.step(
            range(1, len(run.values) + 1), best_so_far(run), where="post", color=SECOND, linewidth=2,
            label="mean of the best setting so far",
        )  # fmt: skip
        progress_axes(axes, len(run.values), "evaluations", "value")

    return draw_svg(draw, (10, 3.8), "Value over evaluations")


def importance_bars(names: Sequence[str], shares: Sequence[float]) -> str:
    """Return the SVG of how much each parameter matters, the most important on top."""
    order = sorted(range(len(names)), key=lambda k: -shares[k])

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        horizontal_bars(axes, [shorten(names[k], _LABEL) for k in order], [100 * shares[k] for k in order])
        axes.set_xlim(0, max(5.0, 110 * max(shares, default=0.0)))
        axes.set_xlabel("variance of values explained by it alone (%)")

    return draw_svg(draw, (6.4, 1.0 + 0.36 * len(order)), "How much each parameter matters")


def marginal_plot(run: Evaluations, parameter: int, name: str, values: Sequence[str]) -> str:
    """Return the SVG of the mean value of all evaluations with each value of a parameter, with standard errors."""
    found = marginal_means(run, parameter, len(values))

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        places, means, errors, counts = zip(*found, strict=True) if found else ((), (), (), ())
        safe = [0.0 if math.isnan(error) else error for error in errors]
        most = max(counts, default=1)
        axes.plot(places, means, color=ACCENT, linewidth=1.2, alpha=0.5)
        axes.errorbar(places, means, yerr=safe, fmt="none", ecolor=TEXT, elinewidth=1.0, capsize=2, alpha=0.7)
        axes.scatter(places, means, s=[14 + 50 * c / most for c in counts], color=ACCENT, linewidths=0)
        _ticks(axes.set_xticks, values, 7)
        axes.set_xlim(-0.5, len(values) - 0.5)
        axes.set_xlabel(shorten(name, _LABEL))
        axes.set_ylabel("mean value")

    return draw_svg(draw, (4.6, 3.0), f"Mean value by {name}")


def pair_map(run: Evaluations, pair: tuple[int, int], names: Sequence[str], values: Sequence[Sequence[str]]) -> str:
    """Return the SVG of the mean value over two parameters, the denser the better."""
    across, up = pair
    tried: dict[tuple[int, int], list[float]] = {}
    for row, value in zip(run.points.tolist(), run.values.tolist(), strict=True):
        tried.setdefault((row[across], row[up]), []).append(value)
    means = {place: sum(found) / len(found) for place, found in tried.items()}
    low, high = min(means.values(), default=0.0), max(means.values(), default=1.0)
    small = len(values[across]) * len(values[up]) <= 150

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        boxes = []
        for (x, y), mean in sorted(means.items()):
            density = 0.08 + 0.82 * ((mean - low) / (high - low) if high > low else 1.0)
            boxes.append((x - 0.48, y - 0.48, 0.96, 0.96, density))
            if small:
                cell_text(axes, x, y, f"{mean:.2f}", density, 7)
        cells(axes, boxes, edge=0.3)
        _ticks(axes.set_xticks, values[across])
        _ticks(axes.set_yticks, values[up])
        axes.set_xlim(-0.5, len(values[across]) - 0.5)
        axes.set_ylim(-0.5, len(values[up]) - 0.5)
        axes.set_xlabel(shorten(names[across], _LABEL))
        axes.set_ylabel(shorten(names[up], _LABEL))
        axes.grid(visible=False)
        axes.set_title(f"mean value {low:.2f} to {high:.2f}; empty: not tried", loc="left", fontsize=9)

    return draw_svg(draw, (6.4, 4.6), f"Mean value over {names[across]} and {names[up]}")


def _ticks(place: Any, values: Sequence[str], most: int = _MOST_TICKS) -> None:
    step = max(1, math.ceil(len(values) / most))
    places = range(0, len(values), step)
    place(places, [shorten(values[k], 10) for k in places])
