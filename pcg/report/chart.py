"""The fitness curve as a picture that can stand inside a page: SVG text, drawn by matplotlib.

The same log gives the same bytes: no dates, no random element names. Ink is written as CSS (`currentColor` and the
page's accent variables), so that one drawing serves light and dark pages.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import Any

# Colours that the drawing uses nowhere else, to be replaced by what the page decides.
_INK = {
    "#010101": "currentColor",
    "#020202": "var(--accent, #2f6fde)",
    "#030303": "var(--second, #c2571a)",
    "#040404": "var(--line, #d5d8de)",
}
_TEXT, _ACCENT, _SECOND, _LINE = _INK

_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "pcg",
    "font.family": ["DejaVu Sans"],  # measured with the font that matplotlib ships; the page sets its own
    "font.size": 10,
    "text.color": _TEXT,
    "axes.labelcolor": _TEXT,
    "axes.edgecolor": _LINE,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": _LINE,
    "grid.linewidth": 0.6,
    "xtick.color": _TEXT,
    "ytick.color": _TEXT,
    "legend.frameon": False,
    "path.simplify": True,
}


def fitness_curve(events: Sequence[dict[str, Any]]) -> str:
    """SVG of how fitness and feasibility developed over the evaluations of a run.

    Args:
        events: lines of `events.jsonl` in order; `feasible`, `fitness` and `constraint` are used.

    Returns:
        An ``<svg>`` element to be put into a page.
    """
    import matplotlib
    import matplotlib.style
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    best, feasible, points = _series(events)
    count = range(1, len(events) + 1)
    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # whatever the user has set, the same log gives the same drawing
        matplotlib.rcParams.update(_SETTINGS)
        figure = Figure(figsize=(10, 4.6), layout="constrained")
        FigureCanvasSVG(figure)
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1.2))
        if points:
            upper.scatter(
                *zip(*points, strict=True), s=18, color=_ACCENT, alpha=0.4, linewidths=0, label="feasible level"
            )
        upper.step(count, best, where="post", color=_ACCENT, linewidth=2, label="best so far")
        upper.set_ylabel("fitness")
        upper.set_ylim(bottom=0)
        upper.legend(loc="upper left", bbox_to_anchor=(0, 1.16), ncols=2)
        lower.step(count, feasible, where="post", color=_SECOND, linewidth=2)
        lower.set_ylabel("feasible\nlevels")
        lower.set_ylim(bottom=0)
        lower.set_xlim(0.5, max(2, len(events)) + 0.5)
        lower.xaxis.set_major_locator(MaxNLocator(integer=True))
        lower.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=3))
        lower.set_xlabel("evaluations")
        figure.align_ylabels()
        target = io.StringIO()
        figure.savefig(target, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return _for_page(target.getvalue())


def _series(events: Sequence[dict[str, Any]]) -> tuple[list[float], list[int], list[tuple[int, float]]]:
    """Best fitness so far (NaN before any), number of feasible levels so far, and their (evaluation, fitness)."""
    best: list[float] = []
    feasible: list[int] = []
    points: list[tuple[int, float]] = []
    high, seen = float("nan"), 0
    for number, event in enumerate(events, start=1):
        if event["feasible"]:
            seen += 1
            value = float(event["fitness"])
            points.append((number, value))
            high = value if high != high else max(high, value)
        best.append(high)
        feasible.append(seen)
    return best, feasible, points


def _for_page(svg: str) -> str:
    """Only the element, as wide as its place, with the page's colours."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(
        r'(<svg[^>]*?) width="[^"]*"',
        r'\1 class="chart" role="img" aria-label="Fitness over evaluations"',
        svg,
        count=1,
    )
    for ours, of_page in {**_INK, "'DejaVu Sans'": "system-ui"}.items():
        svg = svg.replace(ours, of_page)
    return svg.strip()
