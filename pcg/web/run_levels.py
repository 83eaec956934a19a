"""The levels of a run folder, whatever made them: those kept, those in an archive's cells, all that were tried, and
those drawn by hand.

Levels go by keys ("kept-0", "cell-3-7", "tried-120", "drawn-1") that are looked up here and never become paths. The
log of everything tried may be large: of its lines only the places and the numbers are kept in memory.
"""

from __future__ import annotations

import dataclasses
import json
import math
import threading
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcg.engine.game import Game, load
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.evaluation import decode_play
from pcg.runs.store import check_run, read_json
from pcg.web.guard import Refused

GROUPS: Mapping[str, str] = {
    "cell": "the archive",
    "kept": "levels kept",
    "closest": "closest to feasible",
    "tried": "everything tried",
    "drawn": "drawn here",
    "starred": "starred",
    "discarded": "thrown away",
}
"""Sources of the levels of a run, with their titles."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One level and what is known of it."""

    key: str
    title: str
    level: str = field(repr=False)
    feasible: bool
    fitness: float
    constraint: float
    constraints: Mapping[str, float]
    metrics: Mapping[str, float]
    winner: str = ""
    seed: int = 0
    actions: tuple[str, ...] = field(default=(), repr=False)
    origin: str = ""
    wants: Mapping[str, float] = field(default_factory=dict)
    """Degree to which each target is met, in [0, 1]."""
    mechanics: tuple[str, ...] = ()
    """The rules that take effect in the winning play."""
    parts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)
    """Parts of the judgement by name: `value`, `weight`, `sentence`."""
    cell: tuple[int, ...] | None = None
    """Its place in an archive."""
    course: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """Of a level of a course: `place`, `difficulty`, and `teaches`, a sentence."""

    @classmethod
    def of(cls, key: str, title: str, level: str, data: Mapping[str, Any], **more: Any) -> Entry:
        """Make one from an entry of an index, a line of the log, or a cell of an archive."""
        play = data.get("actions")
        actions = decode_play(data.get("play", "")) if play is None else play
        return cls(
            key,
            title,
            level.rstrip("\n"),
            bool(data.get("feasible", False)),
            float(data.get("fitness") or 0.0),
            float(data.get("constraint", 0.0)),
            dict(data.get("constraints", {})),
            numbers(data.get("metrics", {})),
            str(data.get("winner", "")),
            int(data.get("seed", 0)),
            tuple(actions),
            str(data.get("origin", "")),
            numbers(data.get("wants", {})),
            tuple(str(name) for name in data.get("mechanics", ())),
            dict(data.get("parts", {})),
            course=dict(data.get("course") or {}),
            **more,
        )


@dataclass(frozen=True)
class Points:
    """The columns that a heat-map needs of n levels."""

    keys: Sequence[str]
    feasible: NDArray[np.bool_]
    """Shape (n,)."""
    fitness: NDArray[np.float64]
    """Shape (n,)."""
    values: Mapping[str, NDArray[np.float64]]
    """Measure -> its values, shape (n,), NaN where it is not known."""
    cells: Sequence[tuple[int, ...] | None]
    """Places in an archive."""

    def without(self, keys: Collection[str]) -> Points:
        """Return the points of all levels but some."""
        if not keys:
            return self
        kept = [k for k, key in enumerate(self.keys) if key not in keys]
        return Points(
            [self.keys[k] for k in kept],
            self.feasible[kept],
            self.fitness[kept],
            {name: values[kept] for name, values in self.values.items()},
            [self.cells[k] for k in kept],
        )

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> Points:
        """The points of some levels."""
        names = dict.fromkeys(name for entry in entries for name in entry.metrics)
        return cls(
            [entry.key for entry in entries],
            np.array([entry.feasible for entry in entries], np.bool_),
            np.array([entry.fitness for entry in entries], np.float64),
            {n: np.array([entry.metrics.get(n, math.nan) for entry in entries], np.float64) for n in names},
            [entry.cell for entry in entries],
        )


@dataclass(frozen=True, slots=True)
class Measure:
    """One axis of an archive."""

    name: str
    low: float
    high: float
    cells: int


def numbers(metrics: Mapping[str, Any]) -> dict[str, float]:
    """The entries that are finite numbers."""
    return {k: float(v) for k, v in metrics.items() if isinstance(v, int | float) and math.isfinite(v)}


class TriedLevels:
    """The log of a run, read line by line as it grows."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._offsets = array("q")
        self._feasible = bytearray()
        self._fitness = array("d")
        self._columns: dict[str, array[float]] = {}
        self._end = 0

    def __len__(self) -> int:
        return len(self._offsets)

    def refresh(self) -> None:
        """Read what was added since the last time; a line still being written is left for the next."""
        if not self.path.is_file() or self.path.stat().st_size <= self._end:
            return
        with open(self.path, "rb") as file:
            file.seek(self._end)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                try:
                    event = json.loads(line)
                except ValueError:
                    break
                self._add(event)
                self._end += len(line)

    def _add(self, event: Mapping[str, Any]) -> None:
        count = len(self._offsets)
        self._offsets.append(self._end)
        self._feasible.append(bool(event.get("feasible")))
        self._fitness.append(float(event.get("fitness") or 0.0))
        for name, value in numbers(event.get("metrics", {})).items():
            column = self._columns.setdefault(name, array("d"))
            column.extend([math.nan] * (count - len(column)))
            column.append(value)

    def points(self) -> Points:
        """Every level tried, in order."""
        count = len(self)
        values = {}
        for name, column in self._columns.items():
            values[name] = np.full(count, math.nan)
            values[name][: len(column)] = np.array(column)
        feasible, fitness = np.array(list(self._feasible), np.bool_), np.array(self._fitness)
        return Points([f"tried-{k}" for k in range(count)], feasible, fitness, values, [None] * count)

    def entry(self, number: int) -> Entry:
        """One line of the log.

        Raises:
            Refused: when there is no such line.
        """
        if not 0 <= number < len(self._offsets):
            raise Refused(f"there is no level `tried-{number}` in this run", 404)
        with open(self.path, "rb") as file:
            file.seek(self._offsets[number])
            event = json.loads(file.readline())
        return Entry.of(f"tried-{number}", f"candidate {number}", str(event["level"]), event)


class RunFolder:
    """A run folder, read anew when its files change.

    Attributes:
        game: of the run, with the game's own levels.
        run: the manifest, `run.json`.

    Raises:
        PcgError: when the folder is no run that generates levels.
    """

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        if not self.folder.is_dir():
            raise PcgError(f"{folder} is no folder")
        self.run = check_run(self.folder)
        if self.run.get("kind") != "levels":
            raise PcgError(f"{folder} is a run of kind {self.run.get('kind')!r}, expected one that generates levels")
        self.game = self._load_game()
        self.tried = TriedLevels(self.folder / "events.jsonl")
        self.measures: tuple[Measure, ...] = ()
        self._groups: dict[str, dict[str, Entry]] = {}
        self._stamps: dict[str, tuple[int, int]] = {}
        self._candidates: dict[str, int] = {}
        self._lock = threading.Lock()
        self.refresh()

    def __repr__(self) -> str:
        return f"<RunFolder of {self.game.name} at {self.folder}>"

    def _load_game(self) -> Game:
        about = self.run["game"]
        loaded = load(self.folder / "game" / "game.vgdl", reading=about["reading"])
        return Game(loaded.definition, loaded.levels, name=about["name"], reading=loaded.reading)

    # -- reading -------------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read what changed on the disk since the last time."""
        with self._lock:
            self.tried.refresh()
            for group, name in (
                ("kept", "levels/index.json"),
                ("closest", "infeasible/index.json"),
                ("drawn", "drawn/index.json"),
                ("starred", "starred/index.json"),
                ("cell", "archive.json"),
            ):
                path = self.folder / name
                stamp = (path.stat().st_mtime_ns, path.stat().st_size) if path.is_file() else (0, 0)
                if self._stamps.get(group) != stamp:
                    entries = () if not path.is_file() else self._read(group, path)
                    self._groups[group] = {entry.key: entry for entry in entries}
                    self._stamps[group] = stamp

    def _read(self, group: str, path: Path) -> Iterable[Entry]:
        data = read_json(path)
        try:
            return list(self._cells(data) if group == "cell" else self._index(group, path.parent, data))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise PcgError(f"{path} is damaged: {type(error).__name__}: {error}") from None
        except OSError as error:
            raise PcgError(f"cannot read {error.filename}, which {path} names: {error.strerror}") from None

    def _index(self, group: str, folder: Path, data: Mapping[str, Any]) -> Iterator[Entry]:
        for k, one in enumerate(data["levels"]):
            name = Path(str(one["file"])).name
            text = (folder / name).read_text(encoding="utf-8")
            title = str(one.get("title") or f"{GROUPS[group]}, number {k + 1}")
            yield Entry.of(f"{group}-{k}", title, text, one)

    def _cells(self, data: Mapping[str, Any]) -> Iterator[Entry]:
        self.measures = tuple(
            Measure(str(m["name"]), float(m["low"]), float(m["high"]), int(m["cells"])) for m in data["measures"]
        )
        names = [measure.name for measure in self.measures]
        grid = data.get("kind", "grid") == "grid"
        for k, one in enumerate(data["cells"]):
            # In an archive of another shape than a grid the cells are numbered, and put by their values.
            cell = tuple(int(i) for i in one["index"]) if grid else None
            key = "cell-" + ("-".join(str(i) for i in cell) if cell is not None else str(k))
            title = f"cell {', '.join(str(i) for i in one['index'])}"
            values = dict(zip(names, one.get("values", ()), strict=False))
            self._candidates[key] = int(one.get("candidate", -1))
            merged = {"feasible": True, **one, "metrics": {**one.get("metrics", {}), **values}}
            yield Entry.of(key, title, str(one["level"]), merged, cell=cell)

    # -- looking up ----------------------------------------------------------------------------------------------------

    def groups(self) -> dict[str, int]:
        """The groups that have levels, and how many."""
        sizes = {group: len(self.tried) if group == "tried" else len(self._groups.get(group, ())) for group in GROUPS}
        return {group: size for group, size in sizes.items() if size}

    def entries(self, group: str) -> Sequence[Entry]:
        """The levels of a group other than "tried", in order."""
        return list(self._groups.get(group, {}).values())

    def points(self, group: str) -> Points:
        """The levels of a group as a heat-map sees them; with "kept" go those closest to feasible.

        Raises:
            Refused: for a group that there is not.
        """
        if group not in GROUPS:
            raise Refused(f"no levels called {group[:40]!r} (expected {', '.join(GROUPS)})")
        if group == "tried":
            return self.tried.points()
        names = ("kept", "closest") if group == "kept" else (group,)
        return Points.of([entry for name in names for entry in self.entries(name)])

    def entry(self, key: str) -> Entry:
        """A level by its key.

        Raises:
            Refused: when there is none.
        """
        group, _, rest = key.partition("-")
        if group == "tried" and rest.isascii() and rest.isdigit() and len(rest) < 12:
            return self.tried.entry(int(rest))
        found = self._groups.get(group, {}).get(key)
        if found is None:
            raise Refused(f"there is no level {key[:60]!r} in this run", 404)
        if not found.actions and key in self._candidates:
            return self._with_play(found, self._candidates[key])
        return found

    def _with_play(self, entry: Entry, candidate: int) -> Entry:
        """A cell's level with what the log knows of it: the winning play is not in the archive."""
        if not 0 <= candidate < len(self.tried):
            return entry
        logged = self.tried.entry(candidate)
        if logged.level != entry.level:
            return entry
        return dataclasses.replace(
            logged,
            key=entry.key,
            title=entry.title,
            feasible=entry.feasible,
            fitness=entry.fitness,
            metrics=entry.metrics or logged.metrics,
            cell=entry.cell,
        )
