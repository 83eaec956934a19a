"""Result of a run as JSON, for the option `--json` of all commands that begin or continue a run."""

from __future__ import annotations

import contextlib
import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

_LISTS = {"levels": "levels", "rules": "games", "games": "games"}
"""Kind of run -> folder of its results, and name of the list in its index."""


@dataclass
class Told:
    """The folder of the run that a block of code has made, once it is known."""

    folder: Path | None = None


@contextlib.contextmanager
def told_as_json(wanted: bool) -> Iterator[Told]:
    """Print JSON about a run in place of all that the block prints; without `wanted`, change nothing.

    The block says which folder the run is in. A run that was interrupted is told of too, an error goes its usual way.
    """
    told = Told()
    if not wanted:
        yield told
        return
    stopped: typer.Exit | None = None
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            yield told
        except typer.Exit as code:
            stopped = code
    if told.folder is not None and (told.folder / "run.json").is_file():
        print(json.dumps(run_data(told.folder), indent=1, ensure_ascii=False))
    if stopped is not None:
        raise stopped


def run_data(folder: Path) -> dict[str, Any]:
    """Return what came of a run: `folder`, `kind`, `seed`, `report`, `summary`, and `levels`, `games` or `standings`.

    Args:
        folder: of a run of any kind; docs/runs.md says what is in its files.
    """
    manifest = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    report = folder / "report.html"
    data = {
        "folder": str(folder),
        "kind": manifest["kind"],
        "seed": manifest.get("seed"),
        "report": str(report) if report.is_file() else None,
    }
    summary = folder / "summary.json"
    if summary.is_file():
        data["summary"] = json.loads(summary.read_text(encoding="utf-8"))
    kept = _LISTS.get(manifest["kind"])
    if kept is not None:
        index = folder / kept / "index.json"
        data[kept] = json.loads(index.read_text(encoding="utf-8"))[kept] if index.is_file() else []
    standings = folder / "standings.csv"
    if standings.is_file():
        with standings.open(encoding="utf-8", newline="") as lines:
            data["standings"] = [{key: _number(value) for key, value in row.items()} for row in csv.DictReader(lines)]
    return data


def _number(text: str) -> str | float | int | None:
    """Return the number that a cell of a table holds, None for an empty one, else its text."""
    if not text:
        return None
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text
