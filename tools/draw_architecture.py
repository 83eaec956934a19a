"""Draw docs/images/architecture.svg: the parts of the toolkit and what they hand to each other.

python tools/draw_architecture.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
mpl.rcParams.update({"svg.hashsalt": "architecture", "svg.fonttype": "none", "font.family": "sans-serif"})

from matplotlib.figure import Figure  # noqa: E402
from matplotlib.patches import FancyBboxPatch  # noqa: E402

TARGET = Path(__file__).resolve().parent.parent / "docs" / "images" / "architecture.svg"
INK = "#24292f"
PALE = {"games": "#f3f1ea", "engine": "#dfe9f7", "evaluators": "#e3f1e0", "generators": "#fbead3", "pcg": "#eee6f6"}

BOXES = {
    "engine": (4.3, 2.1, 3.5, 1.9, "vgdl: text to tables\nkernel: one compiled tick\ngdl, boards, envs, native"),
    "evaluators": (8.5, 2.1, 3.4, 1.9, "agents: planning players\nfitness, metrics, targets\ntournament, preferences"),
    "generators": (0.2, 2.1, 3.4, 1.9, "levels, rules, games\ntuning: optimisers\ncontract: ask, tell"),
    "pcg": (
        0.2,
        4.7,
        11.7,
        1.35,
        "cli · runs · report · render · describe · web · study · connectx · ggp · integrations",
    ),
    "games": (4.3, 0.25, 3.5, 1.15, "vgdl and gdl texts, levels"),
}
"""Name -> left, bottom, width, height, text."""


def box(axes: Any, name: str) -> None:
    """Draw a part with its name and what is in it."""
    left, bottom, width, height, text = BOXES[name]
    axes.add_patch(
        FancyBboxPatch(
            (left, bottom), width, height, boxstyle="round,pad=0,rounding_size=0.12", facecolor=PALE[name],
            edgecolor=INK, linewidth=1,
        )
    )  # fmt: skip
    middle, top = left + width / 2, bottom + height
    axes.text(middle, top - 0.33, name, ha="center", va="center", fontsize=13, fontweight="bold", color=INK)
    for k, line in enumerate(text.splitlines()):
        axes.text(middle, top - 0.78 - 0.38 * k, line, ha="center", va="center", fontsize=10, color=INK)


def arrow(axes: Any, start: tuple[float, float], end: tuple[float, float], label: str, at: tuple[float, float]) -> None:
    """Draw an arrow with a word beside it."""
    shape = {"arrowstyle": "-|>", "color": INK, "linewidth": 1.3, "shrinkA": 2, "shrinkB": 2, "mutation_scale": 14}
    axes.annotate("", xy=end, xytext=start, arrowprops=shape)
    axes.text(*at, label, ha="center", va="center", fontsize=9.5, style="italic", color=INK)


def main() -> None:
    """Write the figure."""
    figure = Figure(figsize=(9.6, 5.6), facecolor="white")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, 12.1)
    axes.set_ylim(-0.75, 6.3)
    axes.axis("off")
    for name in BOXES:
        box(axes, name)
    arrow(axes, (3.6, 3.3), (4.3, 3.3), "text", (3.95, 3.52))
    arrow(axes, (7.8, 3.3), (8.5, 3.3), "states", (8.15, 3.52))
    arrow(axes, (8.5, 2.6), (7.8, 2.6), "actions", (8.15, 2.36))
    arrow(axes, (6.05, 1.4), (6.05, 2.1), "", (6.05, 1.7))
    axes.text(6.2, 1.74, "games", ha="left", va="center", fontsize=9.5, style="italic", color=INK)
    axes.plot([10.2, 10.2, 1.9], [2.1, -0.1, -0.1], color=INK, linewidth=1.3)
    arrow(axes, (1.9, -0.13), (1.9, 2.1), "", (1.9, 1.0))
    axes.text(8.9, 0.12, "evaluations", ha="center", va="center", fontsize=9.5, style="italic", color=INK)
    for x in (1.9, 6.05, 10.2):
        arrow(axes, (x, 4.7), (x, 4.0), "", (x, 4.3))
    axes.text(6.2, 4.35, "uses", ha="left", va="center", fontsize=9.5, style="italic", color=INK)
    axes.text(
        6.05, -0.5, "imports go one way: pcg → generators → evaluators → engine", ha="center", va="center",
        fontsize=10, color=INK,
    )  # fmt: skip
    figure.savefig(TARGET, format="svg", metadata={"Date": None})
    print(TARGET)


if __name__ == "__main__":
    main()
