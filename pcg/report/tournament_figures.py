"""The figures of a tournament: win rates with their intervals, and a map of games and agents.

As elements of a page, or as files of their own (`standalone`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pcg.evaluators.tournament import Standings
from pcg.report.drawing import ACCENT, LINE, TEXT, drawn

_LABEL = 30
"""Characters of a name that a figure shows."""
_UPRIGHT = 12
"""Columns up to which their names are written from left to right, where these are short."""


def win_rates(standings: Standings, *, standalone: bool = False) -> str:
    """Bars of the agents' win rates with 95 % Wilson intervals, best agent on top, as SVG."""
    shown = [s for s in standings.overall if s.tally.plays]

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        rates = [100 * s.tally.rate for s in shown]
        # an interval holds its rate but for rounding
        ends = [tuple(100 * end for end in s.tally.interval) for s in shown]
        low = [max(0.0, rate - a) for rate, (a, _) in zip(rates, ends, strict=True)]
        high = [max(0.0, b - rate) for rate, (_, b) in zip(rates, ends, strict=True)]
        places = range(len(shown))
        axes.barh(places, rates, color=ACCENT, alpha=0.55, height=0.62)
        axes.errorbar(rates, places, xerr=(low, high), fmt="none", ecolor=TEXT, elinewidth=1.4, capsize=4)
        axes.set_yticks(places, [_short(s.agent) for s in shown])
        axes.invert_yaxis()
        axes.set_xlim(0, 100)
        axes.set_xlabel("plays won (%), with 95 % interval")
        axes.grid(axis="y", visible=False)

    return drawn(draw, (8, 0.9 + 0.42 * len(shown)), "Share of plays won by each agent", standalone=standalone)


def heat_map(standings: Standings, *, standalone: bool = False) -> str:
    """Share of plays won per game (rows) and agent (columns, best first), as SVG."""
    agents = [s.agent for s in standings.overall if s.tally.plays]
    games = list(standings.games)
    slanted = max(map(len, agents), default=0) > 8 or len(agents) > _UPRIGHT
    known = {(game, p.agent): p.tally.rate for game, places in standings.games.items() for p in places}

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        # in the page's accent colour, so that cells look right on light and dark pages; cells of one rate are one
        # shape, as large tournaments have thousands
        cells: dict[float, list[tuple[int, int]]] = {}
        for row, game in enumerate(games):
            for column, agent in enumerate(agents):
                rate = known.get((game, agent))
                if rate is None:
                    continue
                cells.setdefault(round(rate, 2), []).append((column, row))
                axes.text(column, row, f"{100 * rate:.0f}", ha="center", va="center", fontsize=8)
        for rate, places in sorted(cells.items()):
            axes.add_patch(_boxes(places, 0.94, 0.88, alpha=0.06 + 0.64 * rate))
        axes.set_xlim(-0.5, len(agents) - 0.5)
        axes.set_ylim(len(games) - 0.5, -0.5)
        turn = {"rotation": 40, "ha": "left", "rotation_mode": "anchor"} if slanted else {}
        axes.set_xticks(range(len(agents)), [_short(a) for a in agents], **turn)
        axes.set_yticks(range(len(games)), [_short(g) for g in games])
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        axes.grid(visible=False)
        for spine in axes.spines.values():
            spine.set_visible(False)

    size = (max(4.5, 2.2 + (0.5 if slanted else 0.75) * len(agents)), 1.2 + 0.27 * len(games))
    return drawn(draw, size, "Share of plays won, in percent, by game and agent", standalone=standalone)


def _boxes(centres: Sequence[tuple[int, int]], width: float, height: float, alpha: float) -> Any:
    """Equal boxes as one shape."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    right, up = width / 2, height / 2
    outline = [(-right, -up), (right, -up), (right, up), (-right, up), (-right, -up)]
    corners = [(x + dx, y + dy) for x, y in centres for dx, dy in outline]
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY] * len(centres)
    return PathPatch(Path(corners, codes), facecolor=ACCENT, edgecolor=LINE, linewidth=0.3, alpha=alpha)


def _short(name: str) -> str:
    return name if len(name) <= _LABEL else f"{name[: _LABEL - 1]}…"
