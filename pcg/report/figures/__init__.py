"""Figures of reports, drawn by matplotlib: one module for the figures of each kind of report.

`canvas` turns a drawing into SVG or PNG, `parts` has the pieces that figures share (bars, cells, matrices), and
`levels`, `missions`, `rules`, `tournament`, `tuning` and `preferences` draw. Every figure is a function from data to
SVG text, as an element of a page or, with `standalone`, a file of its own. What is drawn is worked out elsewhere.
All are imported from here, on first use.
"""

from typing import TYPE_CHECKING

from pcg.engine.lazy_exports import lazy_exports as _lazy_exports
from pcg.report.figures.canvas import ACCENT, LINE, SECOND, TEXT, draw_png, draw_svg

if TYPE_CHECKING:
    from pcg.report.figures.levels import archive_map, correlation_map, course_curve, expressive_range, fitness_curve
    from pcg.report.figures.missions import draw_mission
    from pcg.report.figures.preferences import (
        agreement_map,
        circles,
        group_votes,
        position,
        power_curve,
        utilities,
        win_matrix,
    )
    from pcg.report.figures.rules import family_tree, profile_bars, reasons_bars, search_curve
    from pcg.report.figures.tournament import heat_map, win_rates
    from pcg.report.figures.tuning import Evaluations, importance, importance_bars, marginal_plot, pair_map, value_curve

_HOMES = {
    "archive_map": "levels",
    "correlation_map": "levels",
    "course_curve": "levels",
    "expressive_range": "levels",
    "fitness_curve": "levels",
    "draw_mission": "missions",
    "family_tree": "rules",
    "profile_bars": "rules",
    "reasons_bars": "rules",
    "search_curve": "rules",
    "heat_map": "tournament",
    "win_rates": "tournament",
    "Evaluations": "tuning",
    "importance": "tuning",
    "importance_bars": "tuning",
    "marginal_plot": "tuning",
    "pair_map": "tuning",
    "value_curve": "tuning",
    "agreement_map": "preferences",
    "circles": "preferences",
    "group_votes": "preferences",
    "position": "preferences",
    "power_curve": "preferences",
    "utilities": "preferences",
    "win_matrix": "preferences",
}
"""Imported on first use: module and name."""

__all__ = [
    "ACCENT",
    "LINE",
    "SECOND",
    "TEXT",
    "Evaluations",
    "agreement_map",
    "archive_map",
    "circles",
    "correlation_map",
    "course_curve",
    "draw_mission",
    "draw_png",
    "draw_svg",
    "expressive_range",
    "family_tree",
    "fitness_curve",
    "group_votes",
    "heat_map",
    "importance",
    "importance_bars",
    "marginal_plot",
    "pair_map",
    "position",
    "power_curve",
    "profile_bars",
    "reasons_bars",
    "search_curve",
    "utilities",
    "value_curve",
    "win_matrix",
    "win_rates",
]


__getattr__, __dir__ = _lazy_exports(__name__, _HOMES)
