"""What a page shows of a run while it goes on, read from the folder of the run as it grows.

Works for every kind of run that searches: the best so far, its curve, how many candidates could be used, and for levels
the cells of a map that are filled. Nothing of it is kept anywhere else.
"""

from __future__ import annotations

import json
import shlex
import threading
from pathlib import Path
from typing import Any

import numpy as np

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.runs.store import LEVELS, check_run, read_json, read_last_line
from pcg.web.heatmap import heatmap
from pcg.web.run_levels import RunFolder, TriedLevels


class Follower:
    """A run that is watched.

    Args:
        folder: of the run.

    Raises:
        PcgError: when the folder is no run.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = check_run(folder)
        self.kind = str(self.manifest.get("kind", LEVELS))
        self.levels = RunFolder(folder) if self.kind == LEVELS else None
        self.tried = self.levels.tried if self.levels else TriedLevels(folder / "events.jsonl")
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
            self.tried.refresh()
            points = self.tried.points()
            manifest = check_run(self.folder)
        fitness = np.where(points.feasible, points.fitness, -np.inf)
        count = len(fitness)
        curve: list[list[float]] = []
        best = None
        if count and np.isfinite(fitness.max()):
            highest = np.maximum.accumulate(fitness)
            rises = np.flatnonzero(np.append(np.isfinite(highest[:1]), highest[1:] > highest[:-1]))
            curve = [[int(k) + 1, float(highest[k])] for k in rises]
            best = {"number": int(fitness.argmax()), "fitness": float(fitness.max())}
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
            "feasible": int(points.feasible.sum()),
            "budget": budget,
            "elapsed": round(elapsed, 1),
            "share": min(1.0, max(spent, default=0.0)),
            "best": best,
            "curve": curve,
            "stopped": str(_read(self.folder / "summary.json").get("stopped", "")),
            "results": self._results(),
            "map": self._map(points) if self.levels is not None and count else None,
            "command": first_command(self.folder),
        }

    def _results(self) -> int:
        for place, name in (("levels", "levels"), ("games", "games")):
            index = _read(self.folder / place / "index.json")
            if index:
                return len(index.get(name, ()))
        return 0

    def _map(self, points: Any) -> dict[str, Any]:
        assert self.levels is not None
        self.levels.refresh()
        made = heatmap(points, self.levels.measures)
        cells = [{k: cell[k] for k in ("i", "j", "fitness", "feasible", "levels")} for cell in made["cells"]]
        total = (len(made["x"]["edges"]) - 1) * (len(made["y"]["edges"]) - 1)
        return {"x": made["x"], "y": made["y"], "cells": cells, "filled": len(cells), "total": total}


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
