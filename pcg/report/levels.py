"""Report of a run that makes levels: the best one played, all levels, what they measure, and the search.

Pictures are read from the folder (see `pictures`) and put into the page. Expressive range after Smith and Whitehead,
Analyzing the Expressive Range of a Level Generator (2010).
"""

from __future__ import annotations

import base64
import io
import itertools
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pcg.evaluators.judging.level_parts import in_order
from pcg.evaluators.metrics import METRICS
from pcg.report.base import (
    PAGE,
    Cell,
    Column,
    plural,
    read_events,
    read_run,
    render_page,
    settings_tables,
    stopped_text,
    value_text,
)
from pcg.report.columns import Columns
from pcg.report.figures.levels import (
    FitnessSeries,
    archive_map,
    correlation_map,
    course_curve,
    expressive_range,
    fitness_curve,
)
from pcg.report.level_pages import EDITED, PLAYED, page_of, write_level_pages
from pcg.report.pictures import draw_pictures
from pcg.report.side_by_side import open_makers
from pcg.runs.store import read_json, write_whole

_MISSION_SCALE = 1.3
"""Pixels on the page for a point of a mission's drawing: text of 13 pixels."""
_SHOWN_ELSEWHERE = ("width", "height")
_BRIEFLY = (
    "solution_length", "score", "gap", "coverage", "mechanics", "variety", "first_danger", "enemies", "density",
    "linearity", "leniency", "symmetry",
)  # fmt: skip
"""The metrics that stand beside the best level; all are in the table."""
_LONGEST_TOLD = 80
"""Most runs of equal actions in the description of a winning play."""
FEWEST = 20
"""With fewer levels a histogram or a correlation says little."""

PAIRS = (
    ("linearity", "leniency"), ("density", "solution_length"), ("symmetry", "solution_length"),
    ("coverage", "solution_length"), ("density", "balance"),
)  # fmt: skip
"""Metrics for the plot of the expressive range, the first pair first of which both vary."""


CORRELATED = (
    "fitness", "enemies", "goals", "collectables", "density", "linearity", "leniency", "symmetry", "balance",
    "tortuosity", "solution_length", "action_entropy", "coverage", "mechanics", "first_danger", "gap",
)  # fmt: skip
"""Metrics of the figure of correlations, those of `PAIRS` among them: none says the same as another by its definition.
"""


@dataclass(frozen=True, slots=True)
class Picture:
    """An image as a page holds it."""

    source: str
    """A data URI."""
    width: int
    height: int


def write_levels_report(folder: Path) -> Path:
    """Draw the pictures of a run that makes levels, write the pages that play and edit them and the report.

    Returns:
        The path of the report.

    Raises:
        PcgError: if the folder is not that of a run that has stopped.
    """
    run, _ = read_run(folder, "levels/index.json")
    with open_makers(1) as makers:
        charts = makers.submit("the figures of the report", draw_charts, folder)
        draw_pictures(folder)
        write_level_pages(folder, run)
        write_whole(folder / PAGE, render_levels(folder, charts=makers.result(charts)))
    return folder / PAGE


def render_levels(folder: Path, *, studio: bool = False, charts: Charts | None = None) -> str:
    """Return the page of a run as HTML; the same for equal runs.

    Args:
        folder: a run folder (layout: `pcg.runs`) in which the pictures have been drawn.
        studio: for the studio's pages of the run, on which every level is played and edited; otherwise for a file.
        charts: as of `draw_charts`, where they have been drawn.
    """
    return render_page("levels", **_context(folder, studio, charts or draw_charts(folder)))


def draw_charts(folder: Path) -> Charts:
    """Draw the charts of the page of a run."""
    series = FitnessSeries()
    figures = level_figures(folder, series.passing(read_events(folder)))
    return Charts(fitness_curve(series), figures)


def _context(folder: Path, studio: bool, charts: Charts) -> dict[str, Any]:
    from markupsafe import Markup

    run, summary = read_run(folder)
    levels = read_json(folder / "levels" / "index.json")["levels"]
    spare = folder / "infeasible" / "index.json"
    others = read_json(spare)["levels"] if spare.exists() else []
    best = next((level for level in levels if level["actions"]), None)  # the one that the film shows
    film = folder / "best.gif"
    tables = {
        "Generator": run["generator"]["parameters"], "Evaluation": run["evaluation"], "Versions": run["versions"],
        "Game": run["game"],
    }  # fmt: skip
    return {
        "run": run,
        "version": run["versions"]["pcg"],
        "title": run["game"]["name"],
        "lead": _lead(run, summary, levels, others),
        "facts": _facts(run, summary),
        "best": best if film.exists() else None,
        "best_picture": _picture(film) if film.exists() else None,
        "best_alt": f"Animation: {best['winner']} wins {best['file']}" if best else "",
        "best_text": _best_text(best) if best else "",
        "best_measures": _measures(best) if best else [],
        "best_parts": _parts(best) if best else [],
        "course": _course(folder, levels),
        "course_curve": Markup(course_curve([e["course"] for e in levels])) if levels and "course" in levels[0] else "",
        "galleries": _galleries(folder, levels, others, studio, summary.get("gave_way", 0)),
        "chart": Markup(charts.curve),
        "figures": [(figure.title, figure.note, Markup(figure.svg)) for figure in charts.figures],
        "wanted": wanted_levels(run, levels),
        "wanted_lead": _wanted_lead(summary),
        "columns": _columns(levels + others),
        "rows": _rows(levels + others),
        "command": _command(run),
        "settings": settings_tables(tables),
    }


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
    made = f"made by the generator “{run['generator']['name']}” in {plural(summary['evaluations'], 'evaluation')}."
    if levels:
        return f"{plural(len(levels), 'distinct level')} that can be won, {made}"
    if others:
        return f"No level that keeps every constraint was found; these come closest, {made}"
    return f"Nothing was kept of what was {made}"


def _facts(run: Mapping[str, Any], summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    share = summary["feasible"] / summary["evaluations"] if summary["evaluations"] else 0.0
    facts = [
        ("Levels", value_text(summary["distinct"])),
        ("Best fitness", value_text(summary["best"]) if summary["distinct"] else "—"),
        ("Evaluations", value_text(summary["evaluations"])),
        ("Feasible", f"{value_text(summary['feasible'])} ({share:.0%})"),
        ("Seed", str(run["seed"])),
        ("Stopped", stopped_text(summary["stopped"])),
    ]
    if summary.get("generations"):
        facts.insert(3, ("Generations", value_text(summary["generations"])))
    if "archive" in summary:
        kept = summary["archive"]
        facts.insert(2, ("Cells filled", f"{value_text(kept['elites'])} of {value_text(kept['cells'])}"))
        facts.insert(3, ("QD score", value_text(kept["qd_score"])))
    return facts


def _wanted_lead(summary: Mapping[str, Any]) -> str:
    if not summary.get("wants"):
        return ""
    return f"{summary['all_wants']} of {plural(summary['distinct'], 'level')} achieve all that was wanted."


def _best_text(level: Mapping[str, Any]) -> str:
    return (
        f"{level['file']} as the agent “{level['winner']}” wins it, in {plural(len(level['actions']), 'tick')}. "
        "The same play can be repeated from the actions and the seed in levels/index.json."
    )


def _measures(level: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return name, value with its unit, and what it is, of the fitness and of metrics."""
    shown = [*_BRIEFLY, *(name for name in level.get("wants", ()) if name not in _BRIEFLY)]
    fitness = ("fitness", value_text(level["fitness"]), "how good the level is, from 0 to 1; levels are ranked by it")
    return [fitness, *(_told(name, level["metrics"][name]) for name in shown if name in level["metrics"])]


def _told(name: str, value: float) -> tuple[str, str, str]:
    if name not in METRICS:
        return _words(name), value_text(value), ""
    known = METRICS[name]
    unit = known.unit.removesuffix("s") if value == 1 else known.unit
    return _words(name), f"{value_text(value)} {unit}".rstrip(), known.help


def _parts(level: Mapping[str, Any]) -> list[tuple[str, str, str, str]]:
    """Return name, value, weight and sentence of each part of the judgement; runs of old have none."""
    return [
        (_words(name), f"{part['value']:.2f}", f"{part['weight']:.0%}", part["sentence"])
        for name, part in in_order(level.get("parts", {})).items()
    ]


def _course(folder: Path, levels: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the levels of a course for the strip, in order; none for runs that make no course."""
    found = []
    for level in levels:
        if "course" in level:
            data = level["course"]
            path = (folder / "levels" / level["file"]).with_suffix(".png")
            found.append({
                "place": data["place"] + 1, "file": level["file"], "difficulty": f"{data['difficulty']:.2f}",
                "teaches": data["teaches"], "picture": _picture(path),
            })  # fmt: skip
    return found


def _galleries(
    folder: Path, levels: list[dict[str, Any]], others: list[dict[str, Any]], studio: bool, gave_way: int
) -> list[tuple[str, str, str, list[dict[str, Any]]]]:
    shown = []
    if levels:
        cards = [_card(folder / "levels", number, level, studio) for number, level in enumerate(levels)]
        course = "course" in levels[0]
        title = "Levels, in the order of the course" if course else "Levels, best first"
        varied = f"Chosen to be good and unlike each other: {plural(gave_way, 'level')} better than the last gave way."
        shown.append((title, "levels", varied if gave_way and not course else "", cards))
    if others:
        cards = [_card(folder / "infeasible", number, level, studio) for number, level in enumerate(others)]
        note = "Each of these breaks at least one constraint; the share it keeps is beside its name."
        shown.append(("Not feasible, closest first", "infeasible", note, cards))
    return shown


def _card(folder: Path, number: int, level: dict[str, Any], studio: bool) -> dict[str, Any]:
    path = folder / level["file"]
    key = f"{'kept' if level['feasible'] else 'closest'}-{number}"
    played = page_of(folder.parent, PLAYED) if level["feasible"] else ""
    edited = page_of(folder.parent, EDITED)
    head = f"fitness {value_text(level['fitness'])}" if level["feasible"] else f"constraints {level['constraint']:.0%}"
    return {
        "number": number,
        "file": level["file"],
        "width": level["width"],
        "height": level["height"],
        "headline": head,
        "text": path.read_text(encoding="utf-8").rstrip("\n"),
        "parts": _parts(level),
        "why": _why(level),
        "play": _play(level),
        "won": bool(level.get("actions")),
        "play_page": f"./#{key}/play" if studio else f"{played}#level={number + 1}" if played else "",
        "edit_page": f"./#{key}/edit" if studio else f"{edited}#{key}" if edited else "",
        "commands": [
            f"pcg play {folder.name}/game.vgdl --level {folder.name}/{level['file']} --browser",
            f"pcg measure {folder.name}/game.vgdl {folder.name}/{level['file']} --explain",
            f"pcg archive . --level {number} --open",
            *([] if studio else ["pcg report . --open  # this report; levels are judged while they are edited"]),
        ]
        if level["feasible"]
        else [],
        "picture": _picture(path.with_suffix(".png")),
        "mission": _mission(level["mission"]) if "mission" in level else None,
    }


def _why(level: Mapping[str, Any]) -> str:
    """Return the reasons why a level was kept, from the parts of its judgement; "" for levels that were not judged."""
    parts = in_order(level.get("parts", {}))
    if not level["feasible"] or not parts:
        return ""
    ranked = sorted(parts, key=lambda name: -parts[name]["weight"] * parts[name]["value"])
    lost = max(parts, key=lambda name: parts[name]["weight"] * (1.0 - parts[name]["value"]))
    most = [f"{_words(name)} ({parts[name]['value']:.2f})" for name in ranked if name != lost][:2]
    worst = f"{_words(lost)} ({parts[lost]['value']:.2f})"
    return (
        f"Made by “{level['origin']}”. Kept most of all for {' and '.join(most)}; what it loses, it loses in {worst}."
    )


def _play(level: Mapping[str, Any]) -> str:
    """Return the winning play in words, equal actions in a row told together; "" without one."""
    if not level.get("actions"):
        return ""
    runs = [(action, len(list(same))) for action, same in itertools.groupby(level["actions"])]
    told = [action.lower() + (f" ×{number}" if number > 1 else "") for action, number in runs[:_LONGEST_TOLD]]
    more = f", … ({plural(len(level['actions']), 'tick')})" if len(runs) > _LONGEST_TOLD else ""
    return f"{level['winner']}, seed {level['seed']}: {', '.join(told)}{more}"


def _mission(mission: Mapping[str, Any]) -> dict[str, Any]:
    """Return the drawing of a mission, and its width on the page: wide ones are scrolled, so that all can be read."""
    from markupsafe import Markup

    from pcg.report.figures.missions import draw_mission  # brings the grammars along, which other runs do not need

    svg = draw_mission(mission)
    box = re.search(r'viewBox="0 0 ([\d.]+)', svg)
    return {"svg": Markup(svg), "width": round(_MISSION_SCALE * float(box[1])) if box else 0}


def _metrics(levels: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the names of the metrics of some levels, in the order in which they are shown."""
    found = dict.fromkeys(name for level in levels for name in level["metrics"] if name not in _SHOWN_ELSEWHERE)
    return [name for name in METRICS if name in found] + [name for name in found if name not in METRICS]


def _broken(levels: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the names of the constraints that some level does not keep; a column of ones would tell nothing."""
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
            Cell(value_text(level["fitness"]), level["fitness"]),
            Cell(level["origin"]),
            Cell(f"{level['width']} × {level['height']}", level["width"] * level["height"]),
            Cell(level["winner"] or "—"),
        ]
        for field, names in (("metrics", metrics), ("constraints", constraints)):
            row += [Cell(value_text(v := level[field].get(n)), None if v is None else float(v)) for n in names]
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


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with what to say about it."""

    title: str
    note: str
    svg: str


@dataclass(frozen=True, slots=True)
class Charts:
    """Charts of a page, which take longer to draw than all else on it."""

    curve: str
    """SVG of the fitness over the evaluations."""
    figures: Sequence[Figure]


@dataclass(frozen=True, slots=True)
class Wanted:
    """One want: how many levels achieve it, and the value of each level with whether it does."""

    text: str
    achieved: str
    cells: tuple[tuple[str, bool], ...]


def wanted_levels(run: Mapping[str, Any], levels: Sequence[Mapping[str, Any]]) -> list[Wanted]:
    """Return the targets of a run with the levels (entries of `levels/index.json`) that achieve them."""
    found = []
    for text in run.get("wants", ()):
        name = re.split("[=<>]", text, maxsplit=1)[0]
        cells = tuple(
            (_measure(level["metrics"].get(name)), level.get("wants", {}).get(name, 0.0) >= 1.0) for level in levels
        )
        found.append(Wanted(text, f"{sum(ok for _, ok in cells)} of {len(cells)}", cells))
    return found


def _measure(value: Any) -> str:
    return "unknown" if value is None else f"{value:,.4g}"


def level_figures(folder: Path, events: Iterable[Mapping[str, Any]]) -> list[Figure]:
    """Return the figures of a run.

    Args:
        folder: of the run; an archive in it is drawn.
        events: lines of its `events.jsonl`, which are read once, and none is kept.
    """
    feasible = (event["metrics"] | {"fitness": event["fitness"]} for event in events if event["feasible"])
    with Columns.of(CORRELATED, feasible) as table:
        return _figures(folder, table)


def _figures(folder: Path, feasible: Columns) -> list[Figure]:
    found = []
    archive = folder / "archive.json"
    if archive.is_file():
        data = read_json(archive)
        note = "Each cell holds the best level found with these measures; the denser, the fitter."
        found.append(Figure("The archive", note, archive_map(data)))
    pair = next((p for p in PAIRS if _varies(feasible, p)), None)
    if pair is not None:
        points = np.column_stack([feasible[name] for name in pair])
        points = points[~np.isnan(points).any(axis=1)]
        note = "Where the feasible levels lie over two metrics; the denser, the more of them."
        found.append(Figure("Expressive range", note, expressive_range(points, *pair)))
    known = [name for name in CORRELATED if _varies(feasible, (name,), every=True)]
    if len(known) >= 3:
        note = "Which metrics rise and fall together over the feasible levels (Spearman's rank correlation)."
        found.append(Figure("Correlations", note, correlation_map(feasible, known)))
    return found


def _varies(levels: Columns, names: Sequence[str], *, every: bool = False) -> bool:
    """Return True if enough levels have all these metrics, and none of them is the same in all levels."""
    values = np.array([levels[name] for name in names])
    having = values[:, ~np.isnan(values).any(axis=0)]
    if having.shape[1] < FEWEST or (every and having.shape[1] < levels.rows):
        return False
    return bool((having.min(axis=1) < having.max(axis=1)).all())
