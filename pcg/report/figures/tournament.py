"""Figures of tournaments: win rates with their intervals, and a map of games and agents."""

from __future__ import annotations

from typing import Any

from pcg.evaluators.tournament import Standings
from pcg.report.figures.canvas import draw_svg
from pcg.report.figures.parts import cell_text, cells, horizontal_bars, matrix_axes, shorten

_UPRIGHT = 12
"""Columns up to which their names are written from left to right, where these are short."""


def win_rates(standings: Standings, *, standalone: bool = False) -> str:
    """Return the SVG of the agents' win rates with 95 % Wilson intervals, best agent on top."""
    shown = [s for s in standings.overall if s.tally.plays]

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        horizontal_bars(
            axes, [shorten(s.agent) for s in shown], [100 * s.tally.rate for s in shown],
            intervals=[(100 * s.tally.interval[0], 100 * s.tally.interval[1]) for s in shown], alpha=0.55,
        )  # fmt: skip
        axes.set_xlim(0, 100)
        axes.set_xlabel("plays won (%), with 95 % interval")

    return draw_svg(draw, (8, 0.9 + 0.42 * len(shown)), "Share of plays won by each agent", standalone=standalone)


def heat_map(standings: Standings, *, standalone: bool = False) -> str:
    """Return the SVG of the share of plays won per game (rows) and agent (columns, best first)."""
    agents = [s.agent for s in standings.overall if s.tally.plays]
    games = list(standings.games)
    slanted = max(map(len, agents), default=0) > 8 or len(agents) > _UPRIGHT
    known = {(game, p.agent): p.tally.rate for game, places in standings.games.items() for p in places}

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        boxes = []
        for row, game in enumerate(games):
            for column, agent in enumerate(agents):
                rate = known.get((game, agent))
                if rate is not None:
                    density = 0.06 + 0.64 * rate
                    boxes.append((column - 0.47, row - 0.44, 0.94, 0.88, density))
                    cell_text(axes, column, row, f"{100 * rate:.0f}", density)
        cells(axes, boxes, edge=0.3)
        matrix_axes(axes, [shorten(a) for a in agents], [shorten(g) for g in games], slanted=slanted)

    size = (max(4.5, 2.2 + (0.5 if slanted else 0.75) * len(agents)), 1.2 + 0.27 * len(games))
    return draw_svg(draw, size, "Share of plays won, in percent, by game and agent", standalone=standalone)
