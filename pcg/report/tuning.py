"""Report of a run that tunes a game: before and after, the best settings, and the effect of each parameter."""

from __future__ import annotations

import csv
import difflib
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

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
)
from pcg.report.figures.tuning import Evaluations, importance, importance_bars, marginal_plot, pair_map, value_curve
from pcg.runs.store import write_whole

_ROWS = 100
"""Settings that the page shows; all are in settings.csv."""
_PLOTS = 12
"""Parameters whose values are drawn one by one: the most important."""


def write_tuning(folder: Path | str) -> Path:
    """Write `report.html` of a tuning run; returns its path.

    Raises:
        PcgError: if the folder is not that of a run that has stopped.
    """
    folder = Path(folder)
    write_whole(folder / PAGE, render_tuning(folder))
    return folder / PAGE


def render_tuning(folder: Path) -> str:
    """Return the page of a tuning run as HTML."""
    from markupsafe import Markup

    run, summary = read_run(folder, "settings.csv")
    names = [p["name"] for p in run["space"]]
    values = [p["values"] for p in run["space"]]
    evaluations = Evaluations.of(read_events(folder), len(names))
    free = [k for k in range(len(names)) if len(values[k]) > 1]
    shares = {k: importance(evaluations, k) for k in free}
    order = sorted(free, key=lambda k: -shares[k])
    figures = []
    tried = len(evaluations.values) > 0
    if tried:
        figures.append(("What matters", importance_bars([names[k] for k in free], [shares[k] for k in free])))
        if len(order) > 1:
            pair = (order[0], order[1])
            figures.append((f"{names[pair[0]]} and {names[pair[1]]}", pair_map(evaluations, pair, names, values)))
    plots = [(names[k], marginal_plot(evaluations, k, names[k], values[k])) for k in order[:_PLOTS]] if tried else []
    columns, rows, more = _table(folder / "settings.csv", len(names))
    return render_page(
        "tuning",
        version=run["versions"]["pcg"],
        title=f"{run['game']['name']}, tuned",
        lead=_lead(run, summary),
        facts=_facts(run, summary),
        compared=_compared(run, summary),
        measured=_measured(summary),
        note=_note(summary),
        curve=Markup(value_curve(evaluations)) if tried else "",
        figures=[(title, Markup(svg)) for title, svg in figures],
        plots=[(title, Markup(svg)) for title, svg in plots],
        columns=columns,
        rows=rows,
        more=more,
        changes=_changes(folder),
        command=_command(run),
        settings=settings_tables(
            {
                "Optimiser": run["optimiser"]["parameters"],
                "Plays": {**run["evaluation"], "finalists": run["finalists"], "plays at the end": run["confirm"]},
                "Versions": run["versions"],
                "Game": run["game"],
            }
        ),
    )


def _lead(run: Mapping[str, Any], summary: Mapping[str, Any]) -> str:
    tried = f"{plural(summary['evaluations'], 'evaluation')} of {plural(summary['settings'], 'setting')}"
    wanted = ", ".join(run["targets"])
    return f"Wanted: {wanted}. The optimiser “{run['optimiser']['name']}” made {tried}."


def _facts(run: Mapping[str, Any], summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    facts = [
        ("Evaluations", f"{summary['evaluations']:,}"),
        ("Settings tried", f"{summary['settings']:,}"),
        ("Plays in each", f"{run['evaluation']['plays']:,}"),
        ("Levels", ", ".join(map(str, run["levels"]))),
        ("Seed", str(run["seed"])),
        ("Stopped", stopped_text(summary["stopped"])),
    ]
    if "after" in summary:
        facts.insert(0, ("Value before", f"{summary['before']['value']:.2f}"))
        facts.insert(1, ("Value after", f"{summary['after']['value']:.2f}"))
    return facts


def _compared(run: Mapping[str, Any], summary: Mapping[str, Any]) -> list[tuple[str, str, str, str]]:
    """Return (name, before, after, help) of every parameter."""
    best = summary.get("after", summary.get("best"))
    if best is None:
        return []
    return [(p["name"], p["current"] or "—", best["values"][p["name"]], p["help"]) for p in run["space"]]


def _measured(summary: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return (target, before, after), with intervals."""
    if "after" not in summary:
        return []
    found: dict[str, list[str]] = {}
    for k, when in enumerate(("before", "after")):
        for entry in summary[when]["targets"]:
            interval = "" if entry["low"] is None else f" ({entry['low']:.3g} to {entry['high']:.3g})"
            found.setdefault(entry["target"], ["—", "—"])[k] = f"{entry['measure']:.3g}{interval}"
    return [(target, before, after) for target, (before, after) in found.items()]


def _note(summary: Mapping[str, Any]) -> str:
    if "after" not in summary:
        return (
            "The run was interrupted, or told not to play the best again: what it says of them is what the search saw."
        )
    plays = plural(summary["after"]["plays"], "play")
    chosen = f"The best of {plural(max(1, len(summary['finalists'])), 'finalist')} was chosen by playing them again"
    return f"{chosen}; these numbers, with 95 % intervals, are from {plays} of both games with seeds of their own."


def _table(path: Path, parameters: int) -> tuple[list[Column], list[list[Cell]], int]:
    with open(path, encoding="utf-8", newline="") as file:
        headings, *rows = list(csv.reader(file))
    helps = {
        "samples": "evaluations of these settings",
        "value": "mean, 1 where all targets are met",
        "error": "standard error of the mean",
    }
    columns = [Column(name, helps.get(name, "") if k >= parameters else "") for k, name in enumerate(headings)]
    return columns, [[_cell(text) for text in row] for row in rows[:_ROWS]], max(0, len(rows) - _ROWS)


def _cell(text: str) -> Cell:
    try:
        number = float(text)
    except ValueError:
        return Cell(text or "—")
    return Cell(text if len(text) < 7 else f"{number:.4g}", number)


def _changes(folder: Path) -> list[tuple[str, str]]:
    """Return the lines of the rules that differ: (sign, line)."""
    from pcg.engine.vgdl.formatter import format_text

    best = folder / "best.txt"
    if not best.is_file():
        return []
    before = format_text((folder / "game" / "game.vgdl").read_text(encoding="utf-8"))
    after = best.read_text(encoding="utf-8")
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
    return [(line[0], line[1:].strip()) for line in lines if line[0] in "+-" and not line.startswith(("+++", "---"))]


def _command(run: Mapping[str, Any]) -> str:
    parts = ["pcg", "tune", run["game"]["name"]]
    for parameter in run["space"]:
        apart = "|" if any("," in value for value in parameter["values"]) else ","
        parts += ["--params", f"{parameter['name']}={apart.join(parameter['values'])}"]
    for target in run["targets"]:
        parts += ["--target", target]
    budget = run["budget"]
    amount = f"{budget['evaluations']}evaluations" if budget["evaluations"] is not None else f"{budget['seconds']:g}s"
    parts += ["--optimiser", run["optimiser"]["name"], "--budget", amount]
    parts += ["--levels", ",".join(map(str, run["levels"])), "--seed", str(run["seed"])]
    for name, value in run["evaluation"].items():
        parts += ["--set", f"evaluation.{name}={value}"]
    return shlex.join([*parts, "--out", "DIR"])
