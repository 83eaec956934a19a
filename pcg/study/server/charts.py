"""Charts of the researcher's page: SVG without a style or a script of its own; `watch.css` gives the colours."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from markupsafe import Markup

from pcg.study.monitoring import Rank

WIDTH, SLIM = 640, 320
"""Widths of a chart: on computers and on phones. Each is drawn for both, and `watch.css` shows one."""
_ROW = 26


def _svg(width: float, height: float, label: str, body: Sequence[Markup]) -> Markup:
    return Markup('<svg class="chart" viewBox="0 0 {:.0f} {:.0f}" role="img" aria-label="{}">{}</svg>').format(
        width, height, label, Markup("").join(body)
    )


def _both(draw: Callable[[int], Markup]) -> Markup:
    """A chart for computers and one for phones."""
    return Markup('<div class="broad">{}</div><div class="slim">{}</div>').format(draw(WIDTH), draw(SLIM))


def _text(x: float, y: float, text: object, kind: str = "", anchor: str = "start") -> Markup:
    return Markup('<text x="{:.1f}" y="{:.1f}" class="{}" text-anchor="{}">{}</text>').format(x, y, kind, anchor, text)


def _rect(x: float, y: float, width: float, height: float, kind: str, title: object) -> Markup:
    return Markup(
        '<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="2" class="{}"><title>{}</title></rect>'
    ).format(x, y, max(0.0, width), max(0.0, height), kind, title)


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    return Markup('<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" class="{}"/>').format(x1, y1, x2, y2, kind)


def steps(most: float, count: int = 4) -> list[float]:
    """Round numbers from 0 up to at least `most`.

    >>> steps(37)
    [0.0, 10.0, 20.0, 30.0, 40.0]
    """
    rough = max(most, 1.0) / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * k for k in (1, 2, 2.5, 5, 10) if power * k >= rough - 1e-9)
    step = max(step, 1.0)
    return [step * k for k in range(math.ceil(max(most, 1.0) / step - 1e-9) + 1)]


def votes_over_time(spans: Sequence[tuple[float, int]], span: float, translate: Callable[[str], str] = str) -> Markup:
    """Bars, one for each span of time."""
    return _both(lambda width: _votes_over_time(spans, span, translate, width))


def _votes_over_time(
    spans: Sequence[tuple[float, int]], span: float, translate: Callable[[str], str], width: int
) -> Markup:
    left, top, height = 40.0, 10.0, 150.0
    marks = steps(max(n for _, n in spans))
    high = marks[-1]
    room = width - left - 4
    wide = room / len(spans)
    body = []
    for mark in marks:
        y = top + height * (1 - mark / high)
        body += [_line(left, y, width - 4, y, "grid"), _text(left - 6, y + 4, f"{mark:g}", "small", "end")]
    form = translate("%d %b %H:%M" if span < 86400 else "%d %b")
    for k, (begin, count) in enumerate(spans):
        tall = height * count / high
        told = f"{datetime.fromtimestamp(begin, UTC):{form}}: {count} {translate('votes')}"
        gap = min(2.0, 0.2 * wide)
        body.append(_rect(left + k * wide + gap / 2, top + height - tall, min(wide - gap, 60), tall, "bar", told))
    for k, anchor in ((0, "start"), (len(spans) - 1, "end")):
        if k or anchor == "start":
            x = left if anchor == "start" else width - 4
            body.append(
                _text(x, top + height + 18, f"{datetime.fromtimestamp(spans[k][0], UTC):{form}}", "small", anchor)
            )
    return _svg(width, top + height + 24, translate("votes over time (UTC)"), body)


def reached(stages: Sequence[tuple[str, int]], translate: Callable[[str], str] = str) -> Markup:
    """Draw the number of participants that reached each stage, a bar for each."""
    return _both(lambda width: _reached(stages, translate, width))


def _reached(stages: Sequence[tuple[str, int]], translate: Callable[[str], str], width: int) -> Markup:
    left, right = (170.0, 84.0) if width == WIDTH else (140.0, 78.0)
    most = max(1, stages[0][1])
    body = []
    for k, (name, count) in enumerate(stages):
        y = k * _ROW
        wide = (width - left - right) * count / most
        lost = translate(f"{count} of {most}")
        body += [
            _text(left - 10, y + 17, translate(name), "label", "end"),
            _rect(left, y + 4, width - left - right, _ROW - 8, "track", lost),
            _rect(left, y + 4, wide, _ROW - 8, "bar", lost),
            _text(width - right + 10, y + 17, f"{count}  ({count / most:.0%})", "small"),
        ]
    return _svg(width, len(stages) * _ROW + 4, translate("how many participants got how far"), body)


def ranking(ranks: Sequence[Rank], translate: Callable[[str], str] = str) -> Markup:
    """A point and an interval for each, the best first."""
    return _both(lambda width: _ranking(ranks, translate, width))


def _ranking(ranks: Sequence[Rank], translate: Callable[[str], str], width: int) -> Markup:
    left, right, letters = (210.0, 50.0, 30) if width == WIDTH else (118.0, 36.0, 15)
    # One that was hardly judged has an interval without end; it must not squeeze all the others together.
    reach = max(1.0, min(6.0, max(max(abs(r.low), abs(r.high)) for r in ranks)))
    room = width - left - right

    def at(value: float) -> float:
        return left + room * (max(-reach, min(reach, value)) + reach) / (2 * reach)

    height = len(ranks) * _ROW
    body = [_line(at(0), 0, at(0), height + 4, "zero")]
    for k, r in enumerate(ranks):
        y = k * _ROW + 14
        name = r.name if len(r.name) <= letters else f"{r.name[: letters // 2 - 1]}…{r.name[1 - letters // 2 :]}"
        told = (
            f"{r.name}: {r.utility:+.2f}, {translate('between')} {r.low:+.2f} {translate('and')} {r.high:+.2f}, "
            f"{r.votes} {translate('comparisons')}"
        )
        body += [
            Markup("<g><title>{}</title>").format(told),
            _text(left - 12, y + 4, name, "label", "end"),
            _line(at(r.low), y, at(r.high), y, "interval"),
            Markup('<circle cx="{:.1f}" cy="{:.1f}" r="5" class="dot"/>').format(at(r.utility), y),
            _text(width - right + 12, y + 4, r.votes, "small"),
            Markup("</g>"),
        ]
    for value in (-reach, 0.0, reach):
        anchor = "start" if value < 0 else "end" if value > 0 else "middle"
        body.append(_text(at(value), height + 20, f"{value:+.1f}" if value else "0", "small", anchor))
    return _svg(width, height + 26, translate("utilities with intervals that hold them with 95 %"), body)
