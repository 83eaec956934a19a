"""Figures of runs that make levels: fitness curve, expressive range, correlations of metrics, maps of archives.

The expressive range of a generator is where its levels lie over two metrics (Smith, Whitehead: Analyzing the Expressive
Range of a Level Generator, 2010); an archive of quality-diversity search has one best level for each cell of such a
plane (Mouret, Clune: Illuminating Search Spaces by Mapping Elites, 2015). All are drawn in one ink, the denser the
more, so that they look right on light and dark pages.
"""

from __future__ import annotations

import io
import math
import tempfile
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.metrics import METRICS
from pcg.report.figures.canvas import ACCENT, LINE, SECOND, draw_svg
from pcg.report.figures.parts import cell_text, cells, thinned_points, thinned_steps

BINS = 20
"""Bins on each side of an expressive-range plot."""

_PALEST, _DENSEST = 0.08, 0.9
_BLOCK = 32_768
"""Levels that are counted at a time."""


class FitnessSeries:
    """Fitness of the feasible levels of a run in the order of evaluation, 12 bytes of each."""

    def __init__(self) -> None:
        self.evaluations = 0
        self._numbers = array("I")
        self._fitness = array("d")

    def passing(self, events: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        """Yield the lines of `events.jsonl`, in order, once they are taken into the series."""
        for event in events:
            if event["feasible"]:
                self._numbers.append(self.evaluations)
                self._fitness.append(event["fitness"])
            self.evaluations += 1
            yield event

    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the evaluations that found the feasible levels, from 0, and the fitness of these levels."""
        return np.array(self._numbers, np.int64), np.array(self._fitness, np.float64)


def fitness_curve(events: Iterable[Mapping[str, Any]] | FitnessSeries) -> str:
    """Return the SVG of how fitness and feasibility developed over the evaluations of a run.

    Args:
        events: lines of `events.jsonl` in order, of which `feasible` and `fitness` are used; or what is kept of them.
    """
    if isinstance(events, FitnessSeries):
        series = events
    else:
        series = FitnessSeries()
        deque(series.passing(events), maxlen=0)
    count = series.evaluations
    numbers, fitness = series.arrays()
    shown = thinned_points(numbers, fitness)
    feasible = np.zeros(count, np.int64)
    feasible[numbers] = 1
    feasible = feasible.cumsum()
    best = np.concatenate(([np.nan], np.maximum.accumulate(fitness)))[feasible]  # before any
    rises, growth = thinned_steps(best), thinned_steps(feasible)

    def draw(figure: Any) -> None:
        from matplotlib.ticker import MaxNLocator

        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1.2))
        if len(shown):
            upper.scatter(
                numbers[shown] + 1, fitness[shown], s=18, color=ACCENT, alpha=0.4, linewidths=0, label="feasible level"
            )
        upper.step(rises + 1, best[rises], where="post", color=ACCENT, linewidth=2, label="best so far")
        upper.set_ylabel("fitness")
        upper.set_ylim(bottom=0)
        upper.legend(loc="upper left", bbox_to_anchor=(0, 1.16), ncols=2)
        lower.step(growth + 1, feasible[growth], where="post", color=SECOND, linewidth=2)
        lower.set_ylabel("feasible\nlevels")
        lower.set_ylim(bottom=0)
        lower.set_xlim(0.5, max(2, count) + 0.5)
        lower.xaxis.set_major_locator(MaxNLocator(integer=True))
        lower.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=3))
        lower.set_xlabel("evaluations")
        figure.align_ylabels()

    return draw_svg(draw, (10, 4.6), "Fitness over evaluations")


def course_curve(levels: Sequence[Mapping[str, Any]]) -> str:
    """Return the SVG of a course: the difficulty of its levels, with the share of plays that the agents of the ladder
    do not win.

    Args:
        levels: the entries `course` of `levels/index.json`, in order.
    """
    places = [int(level["place"]) + 1 for level in levels]
    new = [level for level in levels if level["introduces"]]

    def draw(figure: Any) -> None:
        from matplotlib.ticker import MaxNLocator

        axes = figure.subplots()
        unwon = [1.0 - math.fsum(level["wins"]) / len(level["wins"]) for level in levels]
        axes.plot(places, unwon, color=SECOND, linewidth=1.5, marker="s", markersize=4, label="plays not won")
        difficulty = [level["difficulty"] for level in levels]
        axes.plot(places, difficulty, color=ACCENT, linewidth=2, marker="o", markersize=5, label="difficulty")
        axes.scatter(
            [level["place"] + 1 for level in new], [level["difficulty"] for level in new], s=150, facecolors="none",
            edgecolors=ACCENT, linewidths=1.2, label="something new",
        )  # fmt: skip
        axes.set_xlabel("level of the course")
        axes.set_ylim(0, 1.05)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.legend(loc="upper left", bbox_to_anchor=(0, 1.16), ncols=3)

    return draw_svg(draw, (10, 3.4), "Difficulty of the levels of the course")


def expressive_range(
    points: Sequence[tuple[float, float]] | NDArray[np.float64], x: str, y: str, *, standalone: bool = False
) -> str:
    """Return the SVG of a two-dimensional histogram of levels over two metrics.

    Args:
        points: one pair of values for each level, (n, 2).
        x: name of the metric that runs to the right.
        y: name of the metric that runs upwards.
        standalone: a file of its own rather than an element of a page.

    >>> svg = expressive_range([(0.2, 0.5), (0.4, 0.6), (0.4, 0.7)], "linearity", "leniency", standalone=True)
    >>> "3 levels" in svg
    True
    """
    pairs = np.asarray(points, np.float64).reshape(-1, 2)
    across, up = (_edges(name, pairs[:, k]) for k, name in enumerate((x, y)))
    counts = np.zeros((len(across) - 1, len(up) - 1))
    for start in range(0, len(pairs), _BLOCK):
        some = pairs[start : start + _BLOCK]
        counts += np.histogram2d(some[:, 0], some[:, 1], bins=(across, up))[0]
    most = max(1.0, float(counts.max()))
    boxes = [
        (float(across[i]), float(up[j]), float(across[i + 1] - across[i]), float(up[j + 1] - up[j]),
         _density(math.log1p(counts[i, j]) / math.log1p(most)))
        for i, j in np.argwhere(counts > 0).tolist()
    ]  # fmt: skip

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        cells(axes, boxes)
        axes.set_xlim(across[0], across[-1])
        axes.set_ylim(up[0], up[-1])
        axes.set_xlabel(_axis(x))
        axes.set_ylabel(_axis(y))
        axes.set_title(f"{len(pairs)} levels; up to {int(most)} in a cell", loc="left", fontsize=9)

    return draw_svg(draw, (6.4, 4.8), f"Levels over {_words(x)} and {_words(y)}", standalone=standalone)


def rank_correlations(
    table: Mapping[str, Sequence[float] | NDArray[np.float64]], names: Iterable[str] | None = None
) -> tuple[list[str], NDArray[np.float64]]:
    """Return Spearman's rank correlations of the metrics that vary.

    Args:
        table: values by name of the metric, all of one length.
        names: of the metrics; None for all.

    Returns:
        The names and a symmetric matrix of values in [-1, 1].
    """
    found = []
    for name in table if names is None else names:
        values = np.asarray(table[name], np.float64)
        if len(values) and values.min() < values.max():
            found.append(name)
    if not found:
        return [], np.zeros((0, 0))
    matrix = np.zeros((len(found), len(found)))
    with tempfile.TemporaryFile() if len(values) > _BLOCK else io.BytesIO() as file:  # ranks, metric after metric
        for name in found:
            ranks = _ranks(np.asarray(table[name], np.float64))
            ranks -= ranks.mean()
            ranks /= np.sqrt((ranks**2).sum())
            file.write(ranks.tobytes())
        for start in range(0, len(ranks), _BLOCK):
            rows = []
            for k in range(len(found)):
                file.seek(8 * (k * len(ranks) + start))
                rows.append(np.frombuffer(file.read(8 * min(_BLOCK, len(ranks) - start))))
            block = np.array(rows)
            matrix += block @ block.T
    return found, np.clip(matrix, -1.0, 1.0)


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the place of each value among all from the least on, from 1; equal ones share the mean of theirs."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[which]


def correlation_map(
    table: Mapping[str, Sequence[float] | NDArray[np.float64]], names: Iterable[str] | None = None, *,
    standalone: bool = False,
) -> str:  # fmt: skip
    """Return the SVG of the rank correlations of metrics, a triangle of cells; negative ones have an ink of their own.

    Args:
        table: values by name of the metric, all of one length; those that do not vary are left out.
        names: of the metrics; None for all.
        standalone: a file of its own rather than an element of a page.
    """
    names, matrix = rank_correlations(table, names)

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        pairs = [(i, j, float(matrix[i, j])) for i in range(len(names)) for j in range(i)]
        for colour, sign in ((ACCENT, 1), (SECOND, -1)):
            cells(axes, [(j - 0.5, i - 0.5, 1, 1, 0.85 * abs(v)) for i, j, v in pairs if sign * v > 0], colour)
        for i, j, value in pairs:
            if abs(value) >= 0.3:
                cell_text(axes, j, i, f"{value:.1f}".replace("-", "−"), 0.85 * abs(value), 7)
        axes.set_xlim(-0.5, len(names) - 1.5)
        axes.set_ylim(len(names) - 0.5, 0.5)
        axes.set_xticks(range(len(names) - 1), [_words(n) for n in names[:-1]], rotation=45, ha="right",
                        rotation_mode="anchor")  # fmt: skip
        axes.set_yticks(range(1, len(names)), [_words(n) for n in names[1:]])
        axes.tick_params(length=0)
        axes.grid(visible=False)

    side = 1.8 + 0.3 * len(names)
    return draw_svg(draw, (side + 1, side), "Rank correlations of the metrics", standalone=standalone)


def archive_map(archive: Mapping[str, Any], *, standalone: bool = False) -> str:
    """Return the SVG of the cells of an archive over its first two measures, denser the fitter the level in it.

    Args:
        archive: `measures`, a list of {`name`, `low`, `high`, `cells`}; `cells`, a list of {`index` (one number for
            each measure, or the one of a centroid), `fitness`, `feasible` (true without it)}; where cells are not a
            grid, `centroids`, a list of points. Of several cells that fall together in two measures the fittest is
            shown; cells without a feasible level are left empty.
        standalone: a file of its own rather than an element of a page.

    Raises:
        PcgError: when it is no such archive.
    """
    try:
        measures = [(str(m["name"]), float(m["low"]), float(m["high"])) for m in archive["measures"]][:2]
        x, y = (*measures, ("", 0.0, 1.0))[:2]
        elites = [
            ([int(k) for k in cell["index"]], float(cell["fitness"]))
            for cell in archive["cells"]
            if cell.get("feasible", True)
        ]
        low, top = min((f for _, f in elites), default=0.0), max((f for _, f in elites), default=0.0)
        dense = [(index, _density((f - low) / (top - low) if top > low else 1.0)) for index, f in elites]
        if "centroids" in archive:
            paint, total = _scattered(archive["centroids"], dense)
        else:
            sides = [int(m["cells"]) for m in archive["measures"]][:2]
            paint, total = _gridded((x, y), sides if len(sides) > 1 else [*sides, 1], dense)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise PcgError(f"this is no archive of measures and cells: {type(error).__name__} {error}") from None

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        shown = paint(axes)
        axes.set_xlim(x[1], x[2])
        axes.set_ylim(y[1], y[2])
        axes.set_xlabel(_axis(x[0]))
        if y[0]:
            axes.set_ylabel(_axis(y[0]))
        else:
            axes.set_yticks([])
        axes.grid(visible=False)
        filled = f"{shown} of {total} cells filled"
        axes.set_title(f"{filled}, fitness {low:.2f} to {top:.2f}" if elites else filled, loc="left", fontsize=9)

    label = f"Archive over {_words(x[0])}" + (f" and {_words(y[0])}" if y[0] else "")
    return draw_svg(draw, (6.4, 4.8 if y[0] else 1.6), label, standalone=standalone)


Painter = Callable[[Any], int]
"""Function that draws on axes and returns the number of cells that it has filled."""


def _gridded(
    measures: Sequence[tuple[str, float, float]], sides: Sequence[int], dense: Sequence[tuple[list[int], float]]
) -> tuple[Painter, int]:
    (_, left, right), (_, bottom, top) = measures
    wide, high = (right - left) / sides[0], (top - bottom) / sides[1]
    best: dict[tuple[int, int], float] = {}
    for index, density in dense:
        place = (index[0], index[1] if len(index) > 1 else 0)
        best[place] = max(best.get(place, 0.0), density)
    boxes = [(left + i * wide, bottom + j * high, wide, high, density) for (i, j), density in sorted(best.items())]

    def paint(axes: Any) -> int:
        cells(axes, boxes)
        return len(boxes)

    return paint, sides[0] * sides[1]


def _scattered(centroids: Sequence[Sequence[float]], dense: Sequence[tuple[list[int], float]]) -> tuple[Painter, int]:
    points = [(float(point[0]), float(point[1]) if len(point) > 1 else 0.5) for point in centroids]
    filled = [(*points[index[0]], density) for index, density in dense]

    def paint(axes: Any) -> int:
        axes.scatter(*zip(*points, strict=True), s=5, color=LINE)
        for across, up, density in filled:
            axes.scatter([across], [up], s=36, color=ACCENT, alpha=density, linewidths=0)
        return len(filled)

    return paint, len(points)


# -- parts -------------------------------------------------------------------------------------------------------------


def _edges(name: str, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the edges of the bins of a metric: over its range where that is bounded, else over the values."""
    metric = METRICS.get(name)
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    if metric is not None and metric.high is not None:
        return np.linspace(metric.low, metric.high, BINS + 1)
    if metric is not None and metric.whole:
        step = max(1, math.ceil((high - low + 1) / BINS))
        return np.arange(low - 0.5, high + step + 0.5, step)
    return np.linspace(low, high if high > low else low + 1.0, BINS + 1)


def _density(share: float) -> float:
    return _PALEST + (_DENSEST - _PALEST) * share


def _words(name: str) -> str:
    return name.replace("_", " ")


def _axis(name: str) -> str:
    metric = METRICS.get(name)
    return _words(name) + (f" ({metric.unit})" if metric is not None and metric.unit else "")
