"""Pieces that several figures share: horizontal bars, cells of varying density, and the axes of matrices.

All draw on axes of matplotlib, in the inks of `canvas`; density is opacity, so that it looks right on light and dark
pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcg.report.figures.canvas import ACCENT, GROUND, LINE, TEXT

LABEL = 30
"""Characters of a name that a figure shows."""
MOST_POINTS = 20_000
"""Points up to which a plot is drawn as it is; of more it shows no more than of some."""
_GRID, _LAYERS = (120, 25), 6
"""Cells of a thinned plot, a little larger than a point is, and points drawn in each, which cover it."""
_STEPS = 2_000
"""Places of a thinned line that rises all the time: three to a point of the page."""
_DARK = 0.55
"""Density above which text in a cell has the colour of the ground."""


def shorten(name: str, most: int = LABEL) -> str:
    """Return a name, cut to so many characters where it is longer.

    >>> shorten("sprite.bat.speed", 8)
    'sprite.…'
    """
    return name if len(name) <= most else f"{name[: most - 1]}…"


def horizontal_bars(
    axes: Any,
    names: Sequence[str],
    values: Sequence[float],
    *,
    intervals: Sequence[tuple[float, float]] | None = None,
    alpha: float = 0.6,
) -> None:
    """Draw bars from left to right, the first on top.

    Args:
        axes: to draw on.
        names: written beside the bars.
        values: lengths of the bars.
        intervals: (low, high) of each value, drawn as a line with caps.
        alpha: opacity of the bars, in [0, 1].
    """
    places = range(len(names))
    axes.barh(places, values, color=ACCENT, alpha=alpha, height=0.6)
    if intervals is not None:
        # an interval holds its value but for rounding
        below = [max(0.0, value - low) for value, (low, _) in zip(values, intervals, strict=True)]
        above = [max(0.0, high - value) for value, (_, high) in zip(values, intervals, strict=True)]
        axes.errorbar(values, places, xerr=(below, above), fmt="none", ecolor=TEXT, elinewidth=1.2, capsize=3.5)
    axes.set_yticks(places, names)
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)


def cells(
    axes: Any,
    boxes: Iterable[tuple[float, float, float, float, float]],
    colour: str = ACCENT,
    *,
    edge: float = 0.2,
) -> None:
    """Draw rectangles; those of equal density are one shape, as large maps have thousands.

    Args:
        axes: to draw on.
        boxes: (left, bottom, width, height, density); density is opacity in [0, 1].
        colour: of all of them.
        edge: width of their lines, in points.
    """
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    by_density: dict[float, list[tuple[float, float]]] = {}
    for left, bottom, width, height, density in boxes:
        right, top = left + width, bottom + height
        outline = [(left, bottom), (right, bottom), (right, top), (left, top), (left, bottom)]
        by_density.setdefault(round(density, 3), []).extend(outline)
    box = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
    for density, corners in sorted(by_density.items()):
        outlines = Path(corners, box * (len(corners) // len(box)))
        axes.add_patch(PathPatch(outlines, facecolor=colour, edgecolor=LINE, linewidth=edge, alpha=density))


def cell_text(axes: Any, x: float, y: float, text: str, density: float, size: float = 8) -> None:
    """Write into the middle of a cell, so that it can be read on its ink.

    Args:
        axes: to write on.
        x: middle of the cell.
        y: middle of the cell.
        text: to write.
        density: of the cell, in [0, 1].
        size: of the font, in points.
    """
    colour = GROUND if density > _DARK else TEXT
    axes.text(x, y, text, ha="center", va="center", fontsize=size, color=colour)


def matrix_axes(axes: Any, columns: Sequence[str], rows: Sequence[str], *, slanted: bool = True) -> None:
    """Set up axes for a matrix whose cell (row, column) is centred on (column, row); the first row is on top.

    Args:
        axes: to set up.
        columns: names, written above.
        rows: names, written to the left.
        slanted: write the names of the columns slanted, as long ones need.
    """
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    turn = {"rotation": 40, "ha": "left", "rotation_mode": "anchor"} if slanted else {}
    axes.set_xticks(range(len(columns)), columns, **turn)
    axes.set_yticks(range(len(rows)), rows)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.grid(visible=False)
    for spine in axes.spines.values():
        spine.set_visible(False)


def thinned_points(across: NDArray[Any], up: NDArray[Any]) -> NDArray[np.int64]:
    """Return which of many points to draw, in their order: all of as many as a page holds well, else some of each
    small cell, which cover it.

    Args:
        across: of each point.
        up: of each point.

    >>> few, many = np.arange(5), np.arange(100_000)
    >>> thinned_points(few, few).tolist(), len(thinned_points(many, many % 100)) < 20_000
    ([0, 1, 2, 3, 4], True)
    """
    if len(across) <= MOST_POINTS:
        return np.arange(len(across))
    cell = np.zeros(len(across), np.int32)
    for values, sides in zip((across, up), _GRID, strict=True):
        low, high = values.min(), values.max()
        place = (values - low) * (sides / ((high - low) or 1))
        cell = cell * sides + np.minimum(place.astype(np.int32), sides - 1)
    order = np.argsort(cell, kind="stable")
    ranked = cell[order]
    first, end = ranked.searchsorted(ranked), ranked.searchsorted(ranked, side="right")
    inside, count = np.arange(len(order)) - first, end - first
    # every so many-th of a cell: its first ones all lie at its left edge, which would be seen as stripes
    drawn = (2 * inside * _LAYERS + count) // (2 * count) > (2 * (inside - 1) * _LAYERS + count) // (2 * count)
    return np.sort(order[drawn])


def thinned_steps(values: NDArray[Any]) -> NDArray[np.int64]:
    """Return the places at which to draw a line that never falls: all of as many as a page holds well, else where it
    rises, and where it does so often, some of these.

    Args:
        values: of the line; NaN before it begins.

    >>> thinned_steps(np.array([0.0, 0.0, 1.0])).tolist(), len(thinned_steps(np.arange(100_000))) < 3_000
    ([0, 1, 2], True)
    """
    if len(values) <= MOST_POINTS:
        return np.arange(len(values))
    rises = np.flatnonzero(~(values[1:] == values[:-1]) & ~np.isnan(values[1:])) + 1
    if len(rises) > _STEPS:
        rises = rises[np.linspace(0, len(rises) - 1, _STEPS).astype(np.int64)]
    return np.unique(np.concatenate(([0], rises, [len(values) - 1])))


def progress_axes(axes: Any, count: int, x: str, y: str) -> None:
    """Set up axes for a value in [0, 1] over a number of evaluations, with the legend above.

    Args:
        axes: to set up, after drawing.
        count: of the evaluations.
        x: what is counted.
        y: name of the value.
    """
    from matplotlib.ticker import MaxNLocator

    axes.set_ylim(-0.02, 1.02)
    axes.set_xlim(0.5, max(2, count) + 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.legend(loc="upper left", bbox_to_anchor=(0, 1.14), ncols=2)
