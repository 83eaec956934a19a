"""Figures of runs that make rules or games: the search, why games failed, how agents do, and the family of games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pcg.report.figures.canvas import ACCENT, LINE, SECOND, TEXT, draw_svg
from pcg.report.figures.parts import horizontal_bars, progress_axes, shorten, thinned_points, thinned_steps

_LONGEST = 60
"""Characters of a reason that are shown."""
MOST_ANCESTORS = 120
"""Members of a family tree at most; the nearest generations are kept."""


def search_curve(fitness: Sequence[float]) -> str:
    """Return the SVG of the fitness of every game that was tried, and of the best so far.

    Args:
        fitness: in the order in which they were tried; 0 for those not feasible.
    """
    values = np.asarray(fitness, np.float64)
    good = np.flatnonzero(values > 0)
    good = good[thinned_points(good, values[good])]
    best = np.maximum.accumulate(values)
    steps = thinned_steps(best)

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        if len(good):
            axes.scatter(good + 1, values[good], s=9, color=ACCENT, alpha=0.3, linewidths=0, label="a feasible game")
        axes.step(steps + 1, best[steps], where="post", color=SECOND, linewidth=2, label="best so far")
        progress_axes(axes, len(fitness), "games tried", "fitness")

    return draw_svg(draw, (10, 3.6), "Fitness over the games that were tried")


def reasons_bars(reasons: Mapping[str, int], total: int) -> str:
    """Return the SVG of why games were not feasible, the most frequent reason on top.

    Args:
        reasons: how often, by reason.
        total: games that were tried.
    """
    shown = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))[:12]

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        names = [shorten(reason, _LONGEST) for reason, _ in shown]
        horizontal_bars(axes, names, [100 * n / max(1, total) for _, n in shown])
        axes.set_xlabel("games tried (%)")

    return draw_svg(draw, (10, 1.0 + 0.34 * len(shown)), "Why games were not feasible")


def profile_bars(profile: Sequence[Mapping[str, Any]]) -> str:
    """Return the SVG of how well each agent does in a game, weakest first, with 90 % intervals.

    Args:
        profile: `agent`, `performance`, `low` and `high` of each.
    """

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        names, means = [p["agent"] for p in profile], [p["performance"] for p in profile]
        horizontal_bars(axes, names, means, intervals=[(p["low"], p["high"]) for p in profile], alpha=0.55)
        axes.set_xlim(0, 1)
        axes.set_xlabel("performance")

    return draw_svg(draw, (4.8, 0.9 + 0.34 * len(profile)), "Performance of the agents")


def family_tree(kept: Sequence[int], events: Mapping[int, Mapping[str, Any]]) -> str:
    """Return the SVG of the ancestors of the games that were kept, generation below generation.

    Args:
        kept: ids of the games that were kept, best first.
        events: of them and all their ancestors: `parents`, `generation`, `origin`, `fitness`, `feasible`.
    """
    import networkx as nx

    graph = nx.DiGraph()
    graph.add_nodes_from(sorted(ancestry(kept, events)))
    graph.add_edges_from((p, n) for n in list(graph) for p in events[n]["parents"] if p in graph)
    for node in graph:
        graph.nodes[node]["layer"] = -int(events[node]["generation"])
    places = nx.multipartite_layout(graph, subset_key="layer", align="horizontal")
    generations = {int(events[n]["generation"]) for n in graph}
    names = {number: f"game{k}" for k, number in enumerate(kept)}

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        axes.set_axis_off()
        for one, two in graph.edges:
            (x0, y0), (x1, y1) = places[one], places[two]
            axes.plot([x0, x1], [y0, y1], color=LINE, linewidth=0.9, zorder=1)
        for group, colour in ((True, ACCENT), (False, LINE)):
            nodes = [n for n in graph if bool(events[n]["feasible"]) is group]
            sizes = [22 + 90 * float(events[n]["fitness"]) for n in nodes]
            axes.scatter([places[n][0] for n in nodes], [places[n][1] for n in nodes], s=sizes, color=colour, zorder=2)
        for number, name in names.items():
            if number in places:
                x, y = places[number]
                axes.scatter([x], [y], s=150, facecolors="none", edgecolors=SECOND, linewidths=1.6, zorder=3)
                axes.annotate(name, (x, y), textcoords="offset points", xytext=(7, 6), fontsize=8, color=TEXT)
        for number in graph:
            if not list(graph.predecessors(number)):
                x, y = places[number]
                axes.annotate(
                    str(events[number]["origin"]), (x, y), textcoords="offset points", xytext=(0, -11), fontsize=6,
                    ha="center", color=TEXT, alpha=0.75, rotation=0 if len(graph) < 30 else 35,
                )  # fmt: skip
        axes.margins(0.06, 0.12)

    return draw_svg(draw, (10, 1.6 + 0.42 * min(24, len(generations))), "Ancestors of the games that were kept")


def ancestry(kept: Sequence[int], events: Mapping[int, Mapping[str, Any]]) -> set[int]:
    """Return the games kept and their ancestors, at most `MOST_ANCESTORS`: of the oldest some are left out."""
    found = dict.fromkeys(kept)
    row = list(kept)
    while row and len(found) < MOST_ANCESTORS:
        row = [p for n in row for p in events[n]["parents"] if p in events and p not in found]
        found |= dict.fromkeys(row[: MOST_ANCESTORS - len(found)])
    return set(found)
