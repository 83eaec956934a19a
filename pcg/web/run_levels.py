"""The levels of a run folder, whatever made them: those kept, those in an archive's cells, all that were tried, and
those drawn by hand.

Levels go by keys ("kept-0", "cell-3-7", "tried-120", "drawn-1") that are looked up here and never become paths.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pcg.engine.game import Game, load
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.evaluation import decode_play
from pcg.runs.store import check_run, read_json
from pcg.web.guard import Refused
from pcg.web.points import LevelPoints, Points
from pcg.web.tried_levels import TRIED, TriedLevels, numbers

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


@dataclass(frozen=True, slots=True)
class Measure:
    """One axis of an archive."""

    name: str
    low: float
    high: float
    cells: int


class RunFolder:
    """A run folder, read anew when its files change.

    Attributes:
        game: of the run, with the game's own levels.
        run: the manifest, `run.json`.
        tried: the log, which is read when it is asked for the first time.

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
        self._tried = TriedLevels(self.folder / "events.jsonl")
        self._follows_log = False
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

    @property
    def tried(self) -> TriedLevels:
        """The log of everything tried."""
        if not self._follows_log:
            self._tried.refresh()
            self._follows_log = True
        return self._tried

    def refresh(self) -> None:
        """Read what changed on the disk since the last time."""
        if self._follows_log:
            self._tried.refresh()
        with self._lock:
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
        sizes = {group: len(self.tried) if group == TRIED else len(self._groups.get(group, ())) for group in GROUPS}
        return {group: size for group, size in sizes.items() if size}

    def entries(self, group: str) -> Sequence[Entry]:
        """The levels of a group other than "tried", in order."""
        return list(self._groups.get(group, {}).values())

    def points(self, group: str) -> LevelPoints:
        """The levels of a group as a heat-map sees them; with "kept" go those closest to feasible.

        Raises:
            Refused: for a group that there is not.
        """
        if group not in GROUPS:
            raise Refused(f"no levels called {group[:40]!r} (expected {', '.join(GROUPS)})")
        if group == TRIED:
            return self.tried.points()
        names = ("kept", "closest") if group == "kept" else (group,)
        return Points.of([entry for name in names for entry in self.entries(name)])

    def entry(self, key: str) -> Entry:
        """A level by its key.

        Raises:
            Refused: when there is none.
        """
        group, _, rest = key.partition("-")
        if group == TRIED and rest.isascii() and rest.isdigit() and len(rest) < 12:
            return self._logged(int(rest))
        found = self._groups.get(group, {}).get(key)
        if found is None:
            raise Refused(f"there is no level {key[:60]!r} in this run", 404)
        if not found.actions and key in self._candidates:
            return self._with_play(found, self._candidates[key])
        return found

    def _logged(self, number: int) -> Entry:
        try:
            event = self.tried.event(number)
        except IndexError:
            raise Refused(f"there is no level `{TRIED}-{number}` in this run", 404) from None
        return Entry.of(f"{TRIED}-{number}", f"candidate {number}", str(event["level"]), event)

    def _with_play(self, entry: Entry, candidate: int) -> Entry:
        """A cell's level with what the log knows of it: the winning play is not in the archive."""
        if not 0 <= candidate < len(self.tried):
            return entry
        logged = self._logged(candidate)
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
