"""Figures of reports, drawn by matplotlib: one module for the figures of each kind of report.

`canvas` turns a drawing into SVG or PNG, `parts` has the pieces that figures share (bars, cells, matrices), and
`levels`, `missions`, `rules`, `tournament`, `tuning` and `preferences` draw. Every figure is a function from data to
SVG text, as an element of a page or, with `standalone`, a file of its own. What is drawn is worked out elsewhere.
All are imported from here, on first use.
"""

import importlib
from typing import TYPE_CHECKING, Any

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
    "archive_map": "levels:archive_map",
    "correlation_map": "levels:correlation_map",
    "course_curve": "levels:course_curve",
    "expressive_range": "levels:expressive_range",
    "fitness_curve": "levels:fitness_curve",
    "draw_mission": "missions:draw_mission",
    "family_tree": "rules:family_tree",
    "profile_bars": "rules:profile_bars",
    "reasons_bars": "rules:reasons_bars",
    "search_curve": "rules:search_curve",
    "heat_map": "tournament:heat_map",
    "win_rates": "tournament:win_rates",
    "Evaluations": "tuning:Evaluations",
    "importance": "tuning:importance",
    "importance_bars": "tuning:importance_bars",
    "marginal_plot": "tuning:marginal_plot",
    "pair_map": "tuning:pair_map",
    "value_curve": "tuning:value_curve",
    "agreement_map": "preferences:agreement_map",
    "circles": "preferences:circles",
    "group_votes": "preferences:group_votes",
    "position": "preferences:position",
    "power_curve": "preferences:power_curve",
    "utilities": "preferences:utilities",
    "win_matrix": "preferences:win_matrix",
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


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _HOMES[name].partition(":")
    value = getattr(importlib.import_module(f"{__name__}.{module}"), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
