"""A run folder as one page: `report.html` needs no other file and no network.

Only what is in the folder is shown, and nothing that differs between equal runs (no times), so equal runs have equal
pages. Pictures are read from the folder (see `pictures`) and put into the page.
"""

from __future__ import annotations

import base64
import io
import json
import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from pcg.evaluators.metrics import METRICS
from pcg.report.chart import fitness_curve
from pcg.report.many import figures, wanted

_STOPPED = {
    "evaluations": "all evaluations done",
    "seconds": "time is up",
    "enough": "enough levels",
    "interrupted": "interrupted",
}


_MISSION_SCALE = 1.3
"""Pixels on the page for a point of a mission's drawing: text of 13 pixels."""
_SHOWN_ELSEWHERE = ("width", "height")
_BRIEFLY = (
    "solution_length", "score", "gap", "coverage", "mechanics", "variety", "first_danger", "enemies", "density",
    "linearity", "leniency", "symmetry",
)  # fmt: skip
"""The metrics that stand beside the best level; all are in the table."""


@dataclass(frozen=True, slots=True)
class Picture:
    """An image as a page holds it."""

    source: str
    """A data URI."""
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the table of measurements."""

    title: str
    help: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: what is shown, and the number to sort by (None for text)."""

    text: str
    number: float | None = None


def render_page(folder: Path) -> str:
    """The page of a run.

    Args:
        folder: a run folder (layout: `pcg.runs`) in which the pictures have been drawn.

    Returns:
        HTML text; the same for equal runs.
    """
    import jinja2
    from markupsafe import Markup

    here = resources.files("pcg.report")
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    template = environment.from_string((here / "page.html.jinja").read_text(encoding="utf-8"))
    # Our own files and drawing, not text of the run: the only things that go in unescaped.
    css, script = (Markup((here / name).read_text(encoding="utf-8")) for name in ("page.css", "page.js"))
    return template.render(css=css, script=script, **_context(folder))


def _context(folder: Path) -> dict[str, Any]:
    from markupsafe import Markup

    run = _read(folder / "run.json")
    summary = _read(folder / "summary.json")
    events = [json.loads(line) for line in (folder / "events.jsonl").read_text(encoding="utf-8").splitlines() if line]
    levels = _read(folder / "levels" / "index.json")["levels"]
    spare = folder / "infeasible" / "index.json"
    others = _read(spare)["levels"] if spare.exists() else []
    best = levels[0] if levels else None
    film = folder / "best.gif"
    return {
        "run": run,
        "lead": _lead(run, summary, levels, others),
        "facts": _facts(run, summary),
        "best": best if film.exists() else None,
        "best_picture": _picture(film) if film.exists() else None,
        "best_alt": f"Animation: {best['winner']} wins {best['file']}" if best else "",
        "best_text": _best_text(best) if best else "",
        "best_measures": _measures(best) if best else [],
        "galleries": _galleries(folder, levels, others),
        "chart": Markup(fitness_curve(events)),
        "figures": [(figure.title, figure.note, Markup(figure.svg)) for figure in figures(folder, events)],
        "wanted": wanted(run, levels),
        "wanted_lead": _wanted_lead(summary),
        "columns": _columns(levels + others),
        "rows": _rows(levels + others),
        "command": _command(run),
        "settings": _settings(run),
    }


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _number(value: Any) -> str:
    """Numbers with three significant digits and no exponent, other things as text."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "—"}[value]
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{float(f'{value:.3g}'):,.6g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _words(name: str) -> str:
    return name.replace("_", " ")


def _picture(path: Path) -> Picture:
    from PIL import Image

    data = path.read_bytes()
    with Image.open(io.BytesIO(data)) as image:
        width, height = image.size
        kind = (image.format or "png").lower()
    return Picture(f"data:image/{kind};base64,{base64.b64encode(data).decode('ascii')}", width, height)


def _lead(run: Mapping[str, Any], summary: Mapping[str, Any], levels: list[Any], others: list[Any]) -> str:
    made = f"made by the generator “{run['generator']['name']}” in {_plural(summary['evaluations'], 'evaluation')}."
    if levels:
        return f"{_plural(len(levels), 'distinct level')} that can be won, {made}"
    if others:
        return f"No level that keeps every constraint was found; these come closest, {made}"
    return f"Nothing was kept of what was {made}"


def _facts(run: Mapping[str, Any], summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    share = summary["feasible"] / summary["evaluations"] if summary["evaluations"] else 0.0
    facts = [
        ("Levels", _number(summary["distinct"])),
        ("Best fitness", _number(summary["best"]) if summary["distinct"] else "—"),
        ("Evaluations", _number(summary["evaluations"])),
        ("Feasible", f"{_number(summary['feasible'])} ({share:.0%})"),
        ("Seed", str(run["seed"])),
        ("Stopped", _STOPPED.get(summary["stopped"], summary["stopped"])),
    ]
    if summary.get("generations"):
        facts.insert(3, ("Generations", _number(summary["generations"])))
    if "archive" in summary:
        kept = summary["archive"]
        facts.insert(2, ("Cells filled", f"{_number(kept['elites'])} of {_number(kept['cells'])}"))
        facts.insert(3, ("QD score", _number(kept["qd_score"])))
    return facts


def _wanted_lead(summary: Mapping[str, Any]) -> str:
    if not summary.get("wants"):
        return ""
    return f"{summary['all_wants']} of {_plural(summary['distinct'], 'level')} achieve all that was wanted."


def _best_text(level: Mapping[str, Any]) -> str:
    return (
        f"{level['file']} as the agent “{level['winner']}” wins it, in {_plural(len(level['actions']), 'tick')}. "
        "The same play can be repeated from the actions and the seed in levels/index.json."
    )


def _measures(level: Mapping[str, Any]) -> list[tuple[str, str]]:
    shown = [*_BRIEFLY, *(name for name in level.get("wants", ()) if name not in _BRIEFLY)]
    return [("fitness", _number(level["fitness"]))] + [
        (_words(name), _number(level["metrics"][name])) for name in shown if name in level["metrics"]
    ]


def _galleries(
    folder: Path, levels: list[dict[str, Any]], others: list[dict[str, Any]]
) -> list[tuple[str, str, str, list[dict[str, Any]]]]:
    shown = []
    if levels:
        cards = [_card(folder / "levels", number, level) for number, level in enumerate(levels)]
        shown.append(("Levels, best first", "levels", "", cards))
    if others:
        cards = [_card(folder / "infeasible", number, level) for number, level in enumerate(others)]
        note = "Each of these breaks at least one constraint; the share it keeps is beside its name."
        shown.append(("Not feasible, closest first", "infeasible", note, cards))
    return shown


def _card(folder: Path, number: int, level: dict[str, Any]) -> dict[str, Any]:
    path = folder / level["file"]
    head = f"fitness {_number(level['fitness'])}" if level["feasible"] else f"constraints {level['constraint']:.0%}"
    return {
        "number": number,
        "file": level["file"],
        "width": level["width"],
        "height": level["height"],
        "headline": head,
        "text": path.read_text(encoding="utf-8").rstrip("\n"),
        "picture": _picture(path.with_suffix(".png")),
        "mission": _mission(level["mission"]) if "mission" in level else None,
    }


def _mission(mission: Mapping[str, Any]) -> dict[str, Any]:
    """The drawing of a mission, and how wide it is shown: wide ones are scrolled, so that all can be read."""
    from markupsafe import Markup

    from pcg.report.missions import draw_mission  # brings the grammars along, which other runs do not need

    svg = draw_mission(mission)
    box = re.search(r'viewBox="0 0 ([\d.]+)', svg)
    return {"svg": Markup(svg), "width": round(_MISSION_SCALE * float(box[1])) if box else 0}


def _metrics(levels: Iterable[Mapping[str, Any]]) -> list[str]:
    """Names of the metrics of some levels, in the order in which they are shown."""
    found = dict.fromkeys(name for level in levels for name in level["metrics"] if name not in _SHOWN_ELSEWHERE)
    return [name for name in METRICS if name in found] + [name for name in found if name not in METRICS]


def _broken(levels: Iterable[Mapping[str, Any]]) -> list[str]:
    """Names of the constraints that some level does not keep; a column of ones would tell nothing."""
    return list(dict.fromkeys(n for level in levels for n, value in level["constraints"].items() if value < 1))


def _columns(levels: list[dict[str, Any]]) -> list[Column]:
    fixed = [
        Column("level"),
        Column("fitness", "quality in play; 0 when a constraint is broken"),
        Column("origin", "how the level was made"),
        Column("size", "columns × rows"),
        Column("won by", "agent whose play is kept"),
    ]
    from pcg.evaluators.fitness import CONSTRAINTS

    metrics = [Column(_words(name), METRICS[name].help if name in METRICS else "") for name in _metrics(levels)]
    constraints = [
        Column(f"keeps {_words(name)}", f"constraint, 1 when kept: {CONSTRAINTS.get(name, name)}")
        for name in _broken(levels)
    ]
    return fixed + metrics + constraints


def _rows(levels: list[dict[str, Any]]) -> list[list[Cell]]:
    metrics, constraints = _metrics(levels), _broken(levels)
    rows = []
    for level in levels:
        row = [
            Cell(level["file"] if level["feasible"] else f"infeasible/{level['file']}"),
            Cell(_number(level["fitness"]), level["fitness"]),
            Cell(level["origin"]),
            Cell(f"{level['width']} × {level['height']}", level["width"] * level["height"]),
            Cell(level["winner"] or "—"),
        ]
        for field, names in (("metrics", metrics), ("constraints", constraints)):
            row += [Cell(_number(v := level[field].get(n)), None if v is None else float(v)) for n in names]
        rows.append(row)
    return rows


def _command(run: Mapping[str, Any]) -> str:
    budget = run["budget"]
    parts = ["pcg", "levels", run["game"]["name"], "--generator", run["generator"]["name"]]
    parts += ["-n", str(run["archive"]["size"]), "--seed", str(run["seed"])]
    if run.get("wants"):
        parts += ["--want", ", ".join(run["wants"])]
    if budget["evaluations"] is not None:
        parts += ["--evaluations", str(budget["evaluations"])]
    if budget["seconds"] is not None:
        parts += ["--budget", f"{budget['seconds']:g}s"]
    return shlex.join([*parts, "--out", "DIR"])


def _settings(run: Mapping[str, Any]) -> list[tuple[str, list[tuple[str, str]]]]:
    tables = [
        ("Generator", run["generator"]["parameters"]),
        ("Evaluation", run["evaluation"]),
        ("Versions", run["versions"]),
        ("Game", run["game"]),
    ]
    return [(title, [(_words(k), _number(v)) for k, v in table.items()]) for title, table in tables if table]


__all__ = ["render_page"]
