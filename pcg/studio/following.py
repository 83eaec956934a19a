"""State of a run in progress, as pages show it, read from the folder of the run as it grows.

Works for every kind of run that searches: the best so far, its curve, how many candidates could be used, and for levels
the cells of a map that are filled. Nothing of it is kept anywhere else, and of what was read no more than is shown.
"""

from __future__ import annotations

import json
import shlex
import threading
from pathlib import Path
from typing import Any

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.runs.store import LEVELS, check_run, read_json, read_last_line
from pcg.web.heatmap import Cells, axes_for, axes_json
from pcg.web.run_levels import RunFolder
from pcg.web.tried_levels import FollowedLog


class Follower:
    """A run that is watched.

    Args:
        folder: of the run, which may be read already if it makes levels.

    Raises:
        PcgError: when the folder is no run.
    """

    def __init__(self, folder: Path | RunFolder) -> None:
        self.folder = folder.folder if isinstance(folder, RunFolder) else folder
        self.manifest = check_run(self.folder)
        self.kind = str(self.manifest.get("kind", LEVELS))
        self.levels: RunFolder | None = None
        if self.kind == LEVELS:
            self.levels = folder if isinstance(folder, RunFolder) else RunFolder(folder)
        self._log = FollowedLog(self.folder / "events.jsonl") if self.levels is None else self.levels.tried
        self._cells: Cells | None = None
        self._lock = threading.Lock()

    def state(self) -> dict[str, Any]:
        """Return what is known now.

        Returns:
            `kind`, `game`, `generator`, `seed`; `tried`, `feasible`; `budget` {`evaluations`, `seconds`}; `share` of it
            that is spent; `best` {`number`, `fitness`} or None; `curve` [[tried, best so far]], where it rises;
            `stopped`, the reason, or ""; `results`, how many are kept; `map`, a heat-map without keys, or None;
            `command`, with which it began.
        """
        with self._lock:
            (self._log if self.levels is None else self.levels).refresh()
            count, feasible, rises = len(self._log), self._log.feasible, list(self._log.rises)
            drawn = self._map() if count else None
            manifest = check_run(self.folder)
        best = {"number": rises[-1][0] - 1, "fitness": rises[-1][1]} if rises else None
        last = read_last_line(self.folder / "timing.jsonl")
        budget = {k: manifest.get("budget", {}).get(k) or 0 for k in ("evaluations", "seconds")}
        elapsed = float(last.get("elapsed", 0.0))
        spent = [count / budget["evaluations"]] if budget["evaluations"] else []
        spent += [elapsed / budget["seconds"]] if budget["seconds"] else []
        return {
            "kind": self.kind,
            "game": _game_of(manifest),
            "generator": str(manifest.get("generator", {}).get("name", "")),
            "seed": manifest.get("seed", 0),
            "tried": count,
            "feasible": feasible,
            "budget": budget,
            "elapsed": round(elapsed, 1),
            "share": min(1.0, max(spent, default=0.0)),
            "best": best,
            "curve": [list(rise) for rise in rises],
            "stopped": str(_read(self.folder / "summary.json").get("stopped", "")),
            "results": self._results(),
            "map": drawn,
            "command": first_command(self.folder),
        }

    def _results(self) -> int:
        for place, name in (("levels", "levels"), ("games", "games")):
            index = _read(self.folder / place / "index.json")
            if index:
                return len(index.get(name, ()))
        return 0

    def _map(self) -> dict[str, Any] | None:
        if self.levels is None:
            return None
        points, measures = self.levels.tried.points(), self.levels.measures
        axes = axes_for(points, measures)
        if self._cells is None or self._cells.axes != axes:
            self._cells = Cells(axes, measures, shown=1)
        self._cells.take(points)
        told = self._cells.told(points)
        cells = [{k: cell[k] for k in ("i", "j", "fitness", "feasible", "levels")} for cell in told]
        total = axes[0].cells * axes[1].cells
        return {**axes_json(axes), "cells": cells, "filled": len(cells), "total": total}


def _game_of(manifest: dict[str, Any]) -> str:
    about = manifest.get("game") or manifest.get("games") or ""
    if isinstance(about, dict):
        return str(about.get("name", ""))
    if isinstance(about, list):
        return ", ".join(str(one.get("name", "")) if isinstance(one, dict) else str(one) for one in about)
    return str(about)


def _read(path: Path) -> dict[str, Any]:
    try:
        found = read_json(path)
    except PcgError:
        return {}
    return found if isinstance(found, dict) else {}


def first_command(folder: Path) -> str:
    """Return the command that began a run, as one types it; "" when it is not known."""
    try:
        with open(folder / "timing.jsonl", encoding="utf-8") as file:
            words = json.loads(file.readline()).get("command", [])
    except (OSError, ValueError, AttributeError):
        return ""
    if not isinstance(words, list) or not words or Path(str(words[0])).name not in ("pcg", "pcg.exe"):
        return ""
    return shlex.join(["pcg", *map(str, words[1:])])
