"""Figures of reports, drawn by matplotlib: one module for the figures of each kind of report.

`canvas` turns a drawing into SVG or PNG, `parts` has the pieces that figures share (bars, cells, matrices), and
`levels`, `missions`, `rules`, `tournament`, `tuning` and `preferences` draw. Every figure is a function from data to
SVG text, as an element of a page or, with `standalone`, a file of its own. What is drawn is worked out elsewhere.
"""

from pcg.report.figures.canvas import ACCENT, LINE, SECOND, TEXT, draw_png, draw_svg

__all__ = ["ACCENT", "LINE", "SECOND", "TEXT", "draw_png", "draw_svg"]
