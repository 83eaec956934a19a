"""Drawings of matplotlib as SVG text or PNG.

Equal data gives equal bytes: no dates, no random element names, none of the user's settings. Ink is written as CSS
(`currentColor` and the page's accent variables), so that one drawing serves light and dark pages; as a file of its own
(`standalone`) a drawing is black on white, for papers and slides.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

Layout = Literal["constrained"] | None

# Colours that the drawings use nowhere else, to be replaced by what the page decides.
TEXT, ACCENT, SECOND, LINE, GROUND = "#010101", "#020202", "#030303", "#040404", "#050505"

_OF_PAGE = {
    TEXT: "currentColor",
    ACCENT: "var(--accent, #2f6fde)",
    SECOND: "var(--second, #c2571a)",
    LINE: "var(--line, #d5d8de)",
    GROUND: "var(--card, #ffffff)",
}
_PLAIN = {TEXT: "#222222", ACCENT: "#2f62d0", SECOND: "#b4521a", LINE: "#d5d8de", GROUND: "#ffffff"}

_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "pcg",
    "font.family": ["DejaVu Sans"],  # measured with the font that matplotlib ships; the page sets its own
    "font.size": 10,
    "text.color": TEXT,
    "text.parse_math": False,  # names are the user's: a dollar sign in one is no formula
    "axes.labelcolor": TEXT,
    "axes.edgecolor": LINE,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": LINE,
    "grid.linewidth": 0.6,
    "xtick.color": TEXT,
    "ytick.color": TEXT,
    "legend.frameon": False,
    "path.simplify": True,
}


def draw_svg(
    draw: Callable[[Any], None],
    size: tuple[float, float],
    label: str,
    *,
    standalone: bool = False,
    layout: Layout = "constrained",
) -> str:
    """Return the SVG text of a figure.

    Args:
        draw: draws on the matplotlib figure it is given.
        size: width and height in inches.
        label: what the figure shows, for those who cannot see it.
        standalone: a file of its own rather than an element of a page.
        layout: None where `draw` places everything itself: a layout takes a drawing of its own.
    """
    target = io.StringIO()
    with _figure(draw, size, layout) as figure:
        from matplotlib.backends.backend_svg import FigureCanvasSVG

        FigureCanvasSVG(figure)
        figure.savefig(
            target,
            format="svg",
            transparent=not standalone,
            metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")),
        )
    svg = target.getvalue()
    if not standalone:
        return _for_page(svg, label)
    for ours, plain in _PLAIN.items():
        svg = svg.replace(ours, plain)
    return svg


def draw_png(
    draw: Callable[[Any], None],
    size: tuple[float, float],
    *,
    dpi: int = 150,
    layout: Layout = "constrained",
) -> bytes:
    """Return a figure as a PNG, on white; its ink should be dark, as `TEXT` and its like are nearly black here.

    Args:
        draw: draws on the matplotlib figure it is given.
        size: width and height in inches.
        dpi: pixels for an inch.
        layout: as in `draw_svg`.
    """
    target = io.BytesIO()
    with _figure(draw, size, layout) as figure:
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        FigureCanvasAgg(figure)
        figure.savefig(target, format="png", dpi=dpi, facecolor="white", metadata={"Software": None})
    return target.getvalue()


@contextmanager
def _figure(draw: Callable[[Any], None], size: tuple[float, float], layout: Layout) -> Iterator[Any]:
    import matplotlib
    import matplotlib.style
    from matplotlib.figure import Figure

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        figure = Figure(figsize=size, layout=layout)
        draw(figure)
        yield figure


def _for_page(svg: str, label: str) -> str:
    """Return the element alone, as wide as its place, with the page's colours."""
    # matplotlib numbers the groups of each figure; names would not be unique in a page of several
    svg = re.sub(r'<(g|svg) id="[a-z0-9.]+_\d+"', r"<\1", svg[svg.index("<svg") :])
    svg = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(
        r'(<svg[^>]*?) width="[^"]*"',
        lambda match: f'{match[1]} class="chart" role="img" aria-label="{_quoted(label)}"',
        svg,
        count=1,
    )
    for ours, of_page in {**_OF_PAGE, "'DejaVu Sans'": "system-ui"}.items():
        svg = svg.replace(ours, of_page)
    return svg.strip()


def _quoted(text: str) -> str:
    from html import escape

    return escape(text, quote=True)
