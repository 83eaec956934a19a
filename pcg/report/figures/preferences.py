"""Figures of preference studies: utilities, wins, votes for groups, order, circles, and how many votes it takes.

What is drawn comes from `pcg.evaluators.preferences`.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcg.evaluators.preferences.consistency import PositionBias, Transitivity
from pcg.evaluators.preferences.power import PowerPoint
from pcg.evaluators.preferences.shares import Shares
from pcg.evaluators.preferences.votes import PairCounts
from pcg.report.figures.canvas import ACCENT, LINE, SECOND, TEXT, draw_svg
from pcg.report.figures.parts import cell_text, cells, matrix_axes, shorten

_MOST = 40
"""Items up to which cells of a matrix carry numbers."""


def utilities(
    items: Sequence[str],
    values: NDArray[np.float64],
    intervals: NDArray[np.float64],
    groups: Mapping[str, str] | None = None,
    *,
    standalone: bool = False,
) -> str:
    """Return the SVG of utilities with their intervals, the best on top.

    Args:
        items: names.
        values: utilities, (items,).
        intervals: (items, 2).
        groups: item -> group, put behind the names.
        standalone: a file of its own rather than an element of a page.
    """
    order = np.argsort(values, kind="stable")
    names = [
        shorten(items[k]) + (f" · {shorten(groups[items[k]])}" if groups and items[k] in groups else "") for k in order
    ]

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        y = np.arange(len(order))
        axes.axvline(0, color=LINE, linewidth=1.2)
        axes.hlines(y, intervals[order, 0], intervals[order, 1], color=ACCENT, linewidth=2.4, alpha=0.5)
        axes.scatter(values[order], y, s=34, color=ACCENT, zorder=3)
        axes.set_yticks(y, names)
        axes.set_ylim(-0.7, len(order) - 0.3)
        axes.grid(axis="y", visible=False)
        axes.set_xlabel("utility (log odds, 0 is the average item), with 95 % interval")

    return draw_svg(draw, (8, 1.3 + 0.3 * len(items)), "Utilities of the items", standalone=standalone)


def win_matrix(counts: PairCounts, order: Sequence[int], *, standalone: bool = False) -> str:
    """Return the SVG of how often the item of the row was preferred to that of the column; denser for larger shares.

    Args:
        counts: of the votes.
        order: numbers of the items, the best first.
        standalone: a file of its own rather than an element of a page.
    """
    place = np.asarray(order)
    wins = counts.wins()[np.ix_(place, place)]
    ties = counts.ties()[np.ix_(place, place)]
    shown = wins + wins.T + ties
    names = [shorten(counts.items[k]) for k in place]
    n = len(names)

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        boxes = []
        for row, column in np.argwhere(shown > 0).tolist():
            share = float(wins[row, column] / shown[row, column])
            density = 0.04 + 0.7 * share
            boxes.append((column - 0.5, row - 0.5, 1.0, 1.0, density))
            if n <= _MOST:
                cell_text(axes, column, row, f"{wins[row, column]:.0f}", density)
        cells(axes, boxes)
        matrix_axes(axes, names, names)

    side = max(4.0, 2.0 + 0.36 * n)
    return draw_svg(draw, (side + 0.6, side), "How often each item was preferred to each other", standalone=standalone)


def group_votes(found: Shares, *, standalone: bool = False) -> str:
    """Return the SVG of the votes for each group against the others: for it, both, neither, for the other."""
    groups = [g for g in found.groups if g.shown][::-1]

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        y = np.arange(len(groups))
        left = np.zeros(len(groups))
        parts = (
            ("preferred", [g.preferred for g in groups], ACCENT, 0.85),
            ("both", [g.both for g in groups], ACCENT, 0.4),
            ("neither", [g.neither for g in groups], SECOND, 0.35),
            ("the other", [g.lost for g in groups], SECOND, 0.8),
        )
        shown = np.array([g.shown for g in groups], float)
        for name, numbers, colour, alpha in parts:
            share = 100 * np.array(numbers) / shown
            axes.barh(y, share, left=left, height=0.62, color=colour, alpha=alpha, label=name, linewidth=0)
            for k, (wide, number) in enumerate(zip(share, numbers, strict=True)):
                if wide >= 5:
                    axes.text(left[k] + wide / 2, k, f"{number}", ha="center", va="center", fontsize=9)
            left = left + share
        axes.set_yticks(y, [f"{shorten(g.group)} ({g.shown})" for g in groups])
        axes.set_xlim(0, 100)
        axes.set_xlabel("votes against other groups (%)")
        axes.grid(axis="y", visible=False)
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=4)

    return draw_svg(draw, (8, 1.3 + 0.45 * max(1, len(groups))), "Votes for each group", standalone=standalone)


def position(found: PositionBias, *, standalone: bool = False) -> str:
    """Return the SVG of the share of decided votes for the item shown first, with its interval, beside one half."""

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        axes.axvline(50, color=LINE, linewidth=1.6)
        low, high = (100 * end for end in found.interval)
        axes.hlines([0], [low], [high], color=ACCENT, linewidth=3, alpha=0.5)
        axes.scatter([100 * found.share], [0], s=46, color=ACCENT, zorder=3)
        axes.set_yticks([])
        axes.set_ylim(-1, 1)
        reach = max(10.0, abs(low - 50), abs(high - 50)) * 1.15
        axes.set_xlim(max(0, 50 - reach), min(100, 50 + reach))
        axes.set_xlabel("decided votes for the item shown first (%), with 95 % interval")

    return draw_svg(draw, (8, 1.5), "Whether being first matters", standalone=standalone)


def power_curve(
    points: Sequence[PowerPoint], now: float | None = None, goal: float = 0.9, *, standalone: bool = False
) -> str:
    """Return the SVG of how the ranking gets better with the votes, over simulated studies.

    Args:
        points: of `power.simulate_power`.
        now: votes there are, marked.
        goal: Kendall's tau that is marked.
        standalone: a file of its own rather than an element of a page.
    """

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        votes = [p.votes for p in points]
        axes.fill_between(votes, [p.tau_low for p in points], [p.tau for p in points], color=ACCENT, alpha=0.15,
                          linewidth=0)  # fmt: skip
        axes.plot(votes, [p.tau for p in points], color=ACCENT, marker="o", markersize=4, label="Kendall's tau, mean")
        axes.plot(votes, [p.tau_low for p in points], color=ACCENT, linewidth=1, alpha=0.6, label="of 9 studies in 10")
        axes.plot(votes, [p.power for p in points], color=SECOND, marker="s", markersize=4, label="pairs told apart")
        axes.axhline(goal, color=TEXT, linewidth=0.8, linestyle=(0, (4, 3)), alpha=0.6)
        known = [*votes, *([now] if now else [])]
        if now:
            axes.axvline(now, color=TEXT, linewidth=0.8, alpha=0.6)
            axes.text(now, 0.02, " votes now", fontsize=9, va="bottom")
        axes.set_xscale("log")
        axes.set_xlim(min(known) / 1.15, max(known) * 1.15)
        ticks = sorted({*votes} if len(votes) <= 8 else {*votes[:: max(1, len(votes) // 7)]})
        axes.set_xticks(ticks, [f"{t:,}" for t in ticks])
        axes.minorticks_off()
        axes.set_ylim(0, 1.02)
        axes.set_xlabel("votes")
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3)

    return draw_svg(draw, (8, 3.6), "What studies of several sizes achieve", standalone=standalone)


def circles(found: Mapping[str, Transitivity], *, standalone: bool = False) -> str:
    """Return the SVG of a histogram of the participants' shares of circular triads, beside what chance makes."""
    shares = [100 * t.circular / t.triads for t in found.values() if t.triads]

    def draw(figure: Any) -> None:
        from matplotlib.ticker import MaxNLocator

        axes = figure.subplots()
        axes.hist(shares, bins=np.linspace(0, 100, 21), color=ACCENT, alpha=0.6)
        axes.axvline(25, color=SECOND, linewidth=1.6)
        axes.text(25.6, 0.96, "chance", color=SECOND, transform=axes.get_xaxis_transform(), va="top", fontsize=9)
        axes.set_xlim(0, 100)
        axes.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=5))
        axes.set_xlabel("circular triads of a participant (%)")
        axes.set_ylabel("participants")

    return draw_svg(draw, (8, 2.6), "Circles in the preferences of participants", standalone=standalone)


def agreement_map(names: Sequence[str], taus: NDArray[np.float64], *, standalone: bool = False) -> str:
    """Return the SVG of Kendall's tau between the methods."""
    n = len(names)

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for row, column in itertools.permutations(range(n), 2):
            tau = float(taus[row, column])
            density = 0.06 + 0.5 * abs(tau)
            cells(axes, [(column - 0.5, row - 0.5, 1.0, 1.0, density)], ACCENT if tau >= 0 else SECOND)
            cell_text(axes, column, row, f"{tau:.2f}".replace("-", "−"), density, 9)
        matrix_axes(axes, names, names, slanted=False)

    return draw_svg(draw, (5.2, 2.4), "Agreement of the methods (Kendall's tau)", standalone=standalone)
