"""The fitness curve of a run as a figure that can stand inside a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pcg.report.drawing import ACCENT, SECOND, drawn


def fitness_curve(events: Sequence[dict[str, Any]]) -> str:
    """SVG of how fitness and feasibility developed over the evaluations of a run.

    Args:
        events: lines of `events.jsonl` in order; `feasible`, `fitness` and `constraint` are used.

    Returns:
        An ``<svg>`` element to be put into a page.
    """
    best, feasible, points = _series(events)
    count = range(1, len(events) + 1)

    def draw(figure: Any) -> None:
        from matplotlib.ticker import MaxNLocator

        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1.2))
        if points:
            upper.scatter(
                *zip(*points, strict=True), s=18, color=ACCENT, alpha=0.4, linewidths=0, label="feasible level"
            )
        upper.step(count, best, where="post", color=ACCENT, linewidth=2, label="best so far")
        upper.set_ylabel("fitness")
        upper.set_ylim(bottom=0)
        upper.legend(loc="upper left", bbox_to_anchor=(0, 1.16), ncols=2)
        lower.step(count, feasible, where="post", color=SECOND, linewidth=2)
        lower.set_ylabel("feasible\nlevels")
        lower.set_ylim(bottom=0)
        lower.set_xlim(0.5, max(2, len(events)) + 0.5)
        lower.xaxis.set_major_locator(MaxNLocator(integer=True))
        lower.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=3))
        lower.set_xlabel("evaluations")
        figure.align_ylabels()

    return drawn(draw, (10, 4.6), "Fitness over evaluations")


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
