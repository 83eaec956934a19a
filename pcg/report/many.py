"""What a run's report says about all its levels together: what became of wants, and figures over metrics.

Reads a run's files as `pcg.report.page` does; says nothing where there is nothing to say (no wants, too few levels, a
metric that never varies).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pcg.report.figures import archive_map, correlation_map, expressive_range

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
"""What is compared with what: metrics of which none says the same as another by its definition."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with what to say about it."""

    title: str
    note: str
    svg: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """One want: how many levels achieve it, and the value of each level with whether it does."""

    text: str
    achieved: str
    cells: tuple[tuple[str, bool], ...]


def wanted(run: Mapping[str, Any], levels: Sequence[Mapping[str, Any]]) -> list[Wanted]:
    """What became of the wants of a run in its levels (entries of `levels/index.json`)."""
    found = []
    for text in run.get("wants", ()):
        name = re.split("[=<>]", text, maxsplit=1)[0]
        cells = tuple(
            (_value(level["metrics"].get(name)), level.get("wants", {}).get(name, 0.0) >= 1.0) for level in levels
        )
        found.append(Wanted(text, f"{sum(ok for _, ok in cells)} of {len(cells)}", cells))
    return found


def _value(value: Any) -> str:
    return "unknown" if value is None else f"{value:,.4g}"


def figures(folder: Path, events: Sequence[Mapping[str, Any]]) -> list[Figure]:
    """The figures of a run.

    Args:
        folder: of the run; an archive in it is drawn.
        events: lines of its `events.jsonl`.
    """
    found = []
    archive = folder / "archive.json"
    if archive.is_file():
        data = json.loads(archive.read_text(encoding="utf-8"))
        note = "Each cell holds the best level found with these measures; the denser, the fitter."
        found.append(Figure("The archive", note, archive_map(data)))
    feasible = [event["metrics"] | {"fitness": event["fitness"]} for event in events if event["feasible"]]
    pair = next((p for p in PAIRS if _varies(feasible, p)), None)
    if pair is not None:
        points = [(m[pair[0]], m[pair[1]]) for m in feasible if pair[0] in m and pair[1] in m]
        note = "Where the feasible levels lie over two metrics; the denser, the more of them."
        found.append(Figure("Expressive range", note, expressive_range(points, *pair)))
    known = [name for name in CORRELATED if _varies(feasible, (name,), every=True)]
    if len(known) >= 3:
        table = {name: [metrics[name] for metrics in feasible] for name in known}
        note = "Which metrics rise and fall together over the feasible levels (Spearman's rank correlation)."
        found.append(Figure("Correlations", note, correlation_map(table)))
    return found


def _varies(levels: Sequence[Mapping[str, float]], names: Sequence[str], *, every: bool = False) -> bool:
    """Whether enough levels have all these metrics, and none of them is the same in all levels."""
    having = [m for m in levels if all(name in m for name in names)]
    if len(having) < FEWEST or (every and len(having) < len(levels)):
        return False
    return all(len({m[name] for m in having}) > 1 for name in names)
