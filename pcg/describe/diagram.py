"""The diagram of a game: what kills, stops, takes, pushes, makes and becomes what.

Nodes are the types that rules speak of, groups with their members; an arrow goes from who acts to who suffers. Things
that stop others are drawn faintly, as there are many. The layout is networkx's Kamada-Kawai (1989), with boxes then
pushed apart; it is the same for equal games.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pcg.describe.description import Description
from pcg.describe.wording import Names
from pcg.describe.writer import describe
from pcg.engine.game import Game
from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.definition import GameDefinition
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.analysis import GameAnalysis, analyse
from pcg.evaluators.effect_semantics import SECOND, Consequence, consequences

if TYPE_CHECKING:
    import networkx as nx  # slow to import, and most descriptions are made without a diagram

STYLES: dict[str, tuple[str, Any]] = {
    "kills or hurts": ("#d0342c", "-"),
    "takes or removes": ("#2a9147", "-"),
    "pushes or moves": ("#c77700", "-"),
    "turns into": ("#2f6fde", "-"),
    "makes": ("#2f6fde", "--"),
    "teleports": ("#8a3fc0", "-"),
    "otherwise changes": ("#8a7f6a", "-"),
    "ends at": ("#d98a86", ":"),
    "stops": ("#9aa1ad", ":"),
    "is one of": ("#b9bec8", "-"),
}
"""Kinds of arrows: colour and line."""

_KINDS = {
    "kill": "kills or hurts", "hurt": "kills or hurts", "collect": "takes or removes", "gain": "takes or removes",
    "heal": "takes or removes",
    "push": "pushes or moves", "carry": "pushes or moves", "teleport": "teleports", "block": "stops",
    "transform": "turns into", "spawn": "makes",
}  # fmt: skip

_FILLS = {
    "you": "#f2c94c", "shot": "#fbe8a6", "hurts": "#f4b6b2", "collect": "#bfe5c8", "push": "#f3d3a5",
    "passage": "#dcc5f0", "goal": "#c3dcff", "wall": "#cfd4dc", "other": "#eceef1", "scenery": "#f5f6f8",
}  # fmt: skip
_INK, _EDGE = "#1b1f27", "#6b7280"
_LINE_INCHES, _LETTER_INCHES, _PAD = 0.19, 0.083, 0.28
_GAP = 0.45
"""Least distance of two boxes, inches."""


@dataclass(frozen=True, slots=True)
class _Box:
    """A node: lines of text, role, size in inches."""

    lines: tuple[str, ...]
    role: str

    @property
    def size(self) -> tuple[float, float]:
        return _PAD + _LETTER_INCHES * max(map(len, self.lines)), 0.2 + _LINE_INCHES * len(self.lines)


def interaction_graph(
    game: Game | GameDefinition, description: Description | None = None, analysis: GameAnalysis | None = None
) -> nx.MultiDiGraph:
    """The graph that is drawn: nodes are type names, edges have `does` (a key of `STYLES`) and `score`.

    Nodes have `role` and `members`. An edge "is one of" leads from a type that has rules of its own to its group.
    """
    definition = game.definition if isinstance(game, Game) else game
    analysis = analysis or analyse(definition)
    description = description or describe(definition, analysis=analysis)
    roles = {thing.type: thing.role for thing in description.things}
    import networkx as nx

    graph = nx.MultiDiGraph()
    members = {group.type: group.members for group in description.groups}

    def node(name: str) -> str:
        if name not in graph:
            below = [roles[definition.types[u].name] for u in definition.types[definition.type_index[name]].subtypes
                     if definition.types[u].name in roles]  # fmt: skip
            role = roles.get(name) or (below[0] if below and len(set(below)) == 1 else "other")
            graph.add_node(name, role=role, members=members.get(name, ()))
        return name

    def edge(one: str, two: str, does: str, score: int) -> None:
        if graph.has_edge(node(one), node(two)):
            for data in graph[one][two].values():
                if data["does"] == does:
                    data["score"] = data["score"] or score
                    return
        graph.add_edge(one, two, does=does, score=score)

    names = [t.name for t in definition.types]
    brief = {name for name, spec in ontology.SPRITE_CLASSES.items() if spec.dies}
    active = {names[t] for t in analysis.concrete
              if analysis.has(t, "mover") or definition.types[t].class_name in brief}  # fmt: skip
    acts = {t.name for t in definition.types if any(names[u] in active for u in t.subtypes if t.id in
            definition.types[u].path)}  # fmt: skip
    words = Names(definition)
    you = {names[t] for t in words.avatars}

    def meant(one: str, two: str, does: str) -> tuple[str, str, str]:
        """Killing by the way: heroes take what lies about, and what flies ends at what stands."""
        if does == "kills or hurts" and one in you and two not in you and two not in acts:
            return one, two, "takes or removes"
        if does == "kills or hurts" and two not in you and one not in you and one not in acts and two in acts:
            return two, one, "ends at"
        return one, two, does

    for rule in description.meetings:
        if rule.second == "EOS":
            continue
        for e in rule.effects:
            effect = definition.effects[e]
            found = list(consequences(definition, effect))
            for pair in definition.pairs:
                if e in pair.effects and names[pair.first] in _split(rule.first) + _split(rule.second):
                    for c in found:
                        for arrow in _arrows(c, names[pair.first], names[pair.second], names):
                            edge(*meant(*arrow), c.score)
    for s in analysis.sources:
        if s.partner is None and s.consequence is None and names[s.maker] in roles and names[s.product] in roles:
            edge(names[s.maker], names[s.product], "makes", 0)
    for name in list(graph):  # a type with rules of its own, and its group
        t = definition.types[definition.type_index[name]]
        above = [names[u] for u in t.path[:-1] if names[u] in graph]
        if above:
            graph.add_edge(name, above[-1], does="is one of", score=0)
    return graph


def _split(names: str) -> list[str]:
    return names.split(",")


def _arrows(c: Consequence, first: str, second: str, names: list[str]) -> Iterable[tuple[str, str, str]]:
    """Arrows between the types, for one consequence of two types that meet."""
    does = _KINDS.get(c.kind, "otherwise changes")
    if does in ("turns into", "makes"):
        whom = [names[t] for t in c.named] or [second if c.target == SECOND else first]
        return [(one, names[p], does) for one in whom for p in c.products]
    if c.named:
        return [(second, names[t], does) for t in c.named]
    if does == "takes or removes" and c.kind == "collect":
        return [(second, first, does)]
    if does == "takes or removes":
        return [(first, second, does)]
    return [(first, second, does)] if c.target == SECOND else [(second, first, does)]


# -- layout ------------------------------------------------------------------------------------------------------------


def _places(graph: nx.MultiDiGraph, boxes: dict[str, _Box]) -> dict[str, NDArray[np.float64]]:
    """Centres of all boxes, in inches; parts that hang together stand side by side."""
    import networkx as nx

    plain = nx.Graph(graph)
    parts = sorted(nx.connected_components(plain), key=lambda part: (-len(part), min(part)))
    places: dict[str, NDArray[np.float64]] = {}
    left = 0.0
    for part in parts:
        inside = _apart(_spread(plain.subgraph(sorted(part)).copy()), boxes)
        low = min(inside[n][0] - boxes[n].size[0] / 2 for n in inside)
        high = max(inside[n][0] + boxes[n].size[0] / 2 for n in inside)
        top = max(inside[n][1] + boxes[n].size[1] / 2 for n in inside)
        for n, at in inside.items():
            places[n] = at + np.array([left - low, -top])
        left += high - low + 2 * _GAP
    return places


def _spread(graph: nx.Graph) -> dict[str, NDArray[np.float64]]:
    """A first layout of a connected graph, in inches."""
    nodes = list(graph)
    if len(nodes) == 1:
        return {nodes[0]: np.zeros(2)}
    import networkx as nx

    ring = nx.circular_layout(nodes)
    found = nx.kamada_kawai_layout(graph, pos=ring)
    scale = np.array([1.2, 0.8]) * 1.2 * len(nodes) ** 0.5
    return {n: np.asarray(found[n], dtype=float).round(6) * scale for n in nodes}


def _apart(places: dict[str, NDArray[np.float64]], boxes: dict[str, _Box]) -> dict[str, NDArray[np.float64]]:
    """Push boxes apart until none overlaps, along the axis on which less is needed."""
    names = list(places)
    at = np.array([places[n] for n in names])
    size = np.array([boxes[n].size for n in names]) + np.array([_GAP, 0.75 * _GAP])
    for _ in range(400):
        moved = False
        for i in range(len(names)):
            for j in range(i + 1, len(names)):
                need = (size[i] + size[j]) / 2 - np.abs(at[i] - at[j])
                if (need > 1e-6).all():
                    axis = int(need[1] < need[0])
                    push = need[axis] / 2 * (1 if at[i][axis] >= at[j][axis] else -1)
                    at[i][axis] += push
                    at[j][axis] -= push
                    moved = True
        if not moved:
            break
    return {n: at[k] for k, n in enumerate(names)}


# -- drawing -----------------------------------------------------------------------------------------------------------


def _prepared(
    game: Game | GameDefinition, description: Description | None
) -> tuple[nx.MultiDiGraph, dict[str, _Box], dict[str, NDArray[np.float64]], tuple[float, float]]:
    definition = game.definition if isinstance(game, Game) else game
    graph = interaction_graph(definition, description)
    words = Names(definition)
    boxes = {}
    for name, data in graph.nodes(data=True):
        shown = (
            data["members"] if not any(d["does"] == "is one of" for *_, d in graph.in_edges(name, data=True)) else ()
        )
        boxes[name] = _Box((words.noun(name), *_wrapped(shown)), data["role"])
    places = _places(graph, boxes)
    if not places:
        return graph, boxes, places, (4.0, 1.0)
    corners = np.array([[at - np.array(boxes[n].size) / 2, at + np.array(boxes[n].size) / 2]
                        for n, at in places.items()])  # fmt: skip
    low, high = corners[:, 0].min(axis=0) - 0.3, corners[:, 1].max(axis=0) + 0.3
    low[1] -= 0.6  # the legend
    if high[0] - low[0] < _LEGEND_INCHES:  # a narrow drawing still needs room for its legend
        low[0] -= (_LEGEND_INCHES - (high[0] - low[0])) / 2
        high[0] = low[0] + _LEGEND_INCHES
    places = {n: at - low for n, at in places.items()}
    return graph, boxes, places, (float(high[0] - low[0]), float(high[1] - low[1]))


_LEGEND_INCHES = 7.2


def _wrapped(members: Iterable[str]) -> list[str]:
    """The members of a group, a few to a line."""
    lines: list[str] = []
    for member in members:
        if lines and len(lines[-1]) + len(member) < 26:
            lines[-1] += f", {member}"
        else:
            lines.append(member)
    return lines if len(lines) <= 3 else [*lines[:2], f"{lines[2]}, …"]


def _draw(figure: Any, prepared: tuple[Any, ...]) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

    graph, boxes, places, (width, height) = prepared
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, width)
    axes.set_ylim(0, height)
    axes.set_axis_off()
    patches = {}
    for name, at in places.items():
        box = boxes[name]
        w, h = box.size
        patch = FancyBboxPatch(
            (at[0] - w / 2, at[1] - h / 2), w, h, boxstyle="round,pad=0,rounding_size=0.09", mutation_aspect=1,
            facecolor=_FILLS[box.role], edgecolor=_INK if box.role == "you" else _EDGE,
            linewidth=1.6 if box.role == "you" else 0.8, zorder=3,
        )  # fmt: skip
        patches[name] = patch
        axes.add_artist(patch)
        top = at[1] + _LINE_INCHES * (len(box.lines) - 1) / 2
        for k, line in enumerate(box.lines):
            axes.text(
                at[0], top - k * _LINE_INCHES, line, ha="center", va="center_baseline", color=_INK, zorder=4,
                fontsize=10 if k == 0 else 8, fontweight="bold" if k == 0 else "normal",
            )  # fmt: skip
    drawn: dict[tuple[str, str], int] = {}
    used = set()
    for one, two, data in graph.edges(data=True):
        colour, line = STYLES.get(data["does"], ("#b9bec8", "-"))
        faint = data["does"] in ("stops", "is one of", "ends at")
        used.add(data["does"])
        nth = drawn[one, two] = drawn.get((one, two), 0) + 1
        bend = 0.12 + 0.16 * (nth - 1)
        if one == two:
            _loop(axes, places[one], boxes[one].size, colour, line, nth, faint)
            continue
        axes.add_artist(FancyArrowPatch(
            tuple(places[one]), tuple(places[two]), patchA=patches[one], patchB=patches[two], shrinkA=1, shrinkB=2,
            connectionstyle=f"arc3,rad={bend}", arrowstyle="-|>" if data["does"] != "is one of" else "-",
            mutation_scale=7 if faint else 11, color=colour, linestyle=line, linewidth=0.8 if faint else 1.5,
            alpha=0.75 if faint else 0.95, zorder=1 if faint else 2,
        ))  # fmt: skip
        mutual = any(d["does"] == data["does"] and d["score"] == data["score"]
                     for d in (graph.get_edge_data(two, one) or {}).values())  # fmt: skip
        if data["score"] and not (mutual and (two, one) in drawn):
            _score_label(axes, places[one], places[two], bend, data["score"], colour)
    handles = [
        Line2D([], [], color=colour, linestyle=line, linewidth=1.5, label=does)
        for does, (colour, line) in STYLES.items()
        if does in used
    ]
    if handles:
        axes.legend(
            handles=handles, loc="lower center", ncols=min(len(handles), 4), fontsize=8, labelcolor=_LEGEND,
            borderaxespad=0.2, handlelength=1.6, columnspacing=1.4,
        )  # fmt: skip


_LEGEND = "#7b8494"  # readable on light and on dark


def _loop(axes: Any, at: Any, size: tuple[float, float], colour: str, line: str, nth: int, faint: bool) -> None:
    """Draw what things of one type do to each other: a small loop at the top of the box."""
    from matplotlib.patches import FancyArrowPatch

    x = at[0] + size[0] / 2 - 0.15 - 0.32 * (nth - 1)
    y = at[1] + size[1] / 2
    axes.add_artist(FancyArrowPatch(
        (x - 0.1, y), (x + 0.1, y), connectionstyle="arc3,rad=-1.6", arrowstyle="-|>", color=colour, linestyle=line,
        mutation_scale=6 if faint else 9, linewidth=0.8 if faint else 1.3, shrinkA=0, shrinkB=0, zorder=2,
    ))  # fmt: skip


def _score_label(axes: Any, one: Any, two: Any, bend: float, score: int, colour: str) -> None:
    middle = (one + two) / 2
    across = np.array([two[1] - one[1], one[0] - two[0]])
    at = middle + across * bend / 2
    axes.text(
        at[0], at[1], f"{score:+d}".replace("-", "−"), color="white", fontsize=7.5, ha="center", va="center",
        bbox={"boxstyle": "round,pad=0.18", "facecolor": colour, "edgecolor": "none"}, zorder=5,
    )  # fmt: skip


def draw_diagram(
    game: Game | GameDefinition, description: Description | None = None, *, standalone: bool = False
) -> str:
    """The diagram as SVG text: an element for a page, or with `standalone` a file of its own on white.

    Args:
        game: a game or its definition.
        description: of that game, if it is at hand.
        standalone: for a file.
    """
    from pcg.report.figures import draw_svg

    prepared = _prepared(game, description)
    return draw_svg(
        lambda figure: _draw(figure, prepared), prepared[3], "What does what to what", standalone=standalone,
        layout=None,
    )  # fmt: skip


def save_diagram(game: Game | GameDefinition, path: Path, description: Description | None = None) -> None:
    """Write the diagram to a file, SVG or PNG by its suffix.

    Raises:
        PcgError: for another suffix.
    """
    from pcg.report.figures import draw_png

    suffix = path.suffix.lower()
    if suffix == ".svg":
        path.write_text(draw_diagram(game, description, standalone=True), encoding="utf-8", newline="\n")
    elif suffix == ".png":
        prepared = _prepared(game, description)
        path.write_bytes(draw_png(lambda figure: _draw(figure, prepared), prepared[3], layout=None))
    else:
        raise PcgError(f"a diagram is a .svg or .png file, not `{path.name}`")
