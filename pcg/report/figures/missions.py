"""Figure of a mission, the order of tasks in a generated level, as a tree from left to right.

Full lines are ways, broken ones lead from a key to the lock it opens.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pcg.generators.levels.grammar.mission import Mission
from pcg.report.figures.canvas import ACCENT, LINE, SECOND, TEXT, draw_svg

_INK = {"lock": SECOND, "key": SECOND, "test": ACCENT, "trap": ACCENT}
ACROSS, DOWN = 1.15, 0.7
"""Inches between nodes."""


def places(mission: Mission) -> dict[int, tuple[float, float]]:
    """Return the place of each node, (steps from the start, row); its row is the middle of its successors."""
    depths = mission.depths()
    found: dict[int, tuple[float, float]] = {}
    row = 0.0
    for node in reversed(_as_draw_svg(mission)):
        after = [found[n][1] for n in mission.successors(node)]
        if not after:
            after, row = [row], row + 1
        found[node] = (float(depths[node]), (min(after) + max(after)) / 2)
    return found


def _as_draw_svg(mission: Mission) -> list[int]:
    """Return the nodes depth first, each before what comes after it."""
    order, left = [], [mission.root]
    while left:
        node = left.pop()
        order.append(node)
        left += mission.successors(node)
    return order


def draw_mission(mission: Mission | Mapping[str, Any], *, standalone: bool = False) -> str:
    """Return a mission as SVG.

    Args:
        mission: a mission, or what its `to_json` gave.
        standalone: a file of its own rather than an element of a page.

    Returns:
        The text of the drawing; equal missions give equal bytes.
    """
    shown = mission if isinstance(mission, Mission) else Mission.from_json(mission)
    at = places(shown)
    wide = max(x for x, _ in at.values()) + 1
    high = max(y for _, y in at.values()) + 1

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        axes.set_axis_off()
        axes.set_xlim(-0.5, wide - 0.5)
        axes.set_ylim(high - 0.5, -0.5)
        frames = {}
        for node, (x, y) in at.items():
            symbol = shown.symbol(node)
            label = symbol + (f"\n{shown.sprite(node)}" if shown.sprite(node) else "")
            frame = {"boxstyle": "round,pad=0.3", "visible": False}  # where arrows begin and end
            text = axes.text(x, y, label, ha="center", va="center", color=_INK.get(symbol, TEXT), bbox=frame)
            frames[node] = text.get_bbox_patch()
        for a, b, kind in shown.graph.edges(keys=True):
            opens = kind == "=>"
            style = (
                {"linestyle": "--", "color": SECOND, "connectionstyle": "arc3,rad=0.2"} if opens else {"color": LINE}
            )
            ends = {"patchA": frames[a], "patchB": frames[b], "shrinkA": 0, "shrinkB": 0}
            axes.annotate("", at[b], at[a], arrowprops={"arrowstyle": "->", **ends, **style})

    return draw_svg(
        draw, (max(2.0, ACROSS * wide), max(0.8, DOWN * high)), f"The mission: {shown!r}", standalone=standalone
    )
