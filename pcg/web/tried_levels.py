"""The log of a run that may be under way: how far the run has come, and what it tried.

A log is read on from where it ended the last time. It can be far larger than memory, so the place of every eighth level
is kept, what is measured goes to a temporary file, and a level is read again when it is asked for.
"""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pcg.report.columns import ROWS, Columns
from pcg.runs.store import Places
from pcg.web.points import FITNESS, Part, Range, ranges_of

MOST_RISES = 10_000
"""Rises of the best fitness that are kept; of more, every other one."""

TRIED = "tried"
"""Name of the levels of a log, with which their keys begin."""

_AT_ONCE = 16 * ROWS
"""Levels whose values are in memory at the same time."""
_VERDICT = ("feasible", FITNESS)
_MEASURE = "metrics."


def numbers(metrics: Mapping[str, Any]) -> dict[str, float]:
    """Return the entries that are finite numbers."""
    return {k: float(v) for k, v in metrics.items() if isinstance(v, int | float) and math.isfinite(v)}


class FollowedLog:
    """Numbers of a run of any kind, from its log as it grows.

    Args:
        path: of the log, which may not be there yet.

    Attributes:
        feasible: how many candidates could be used.
        rises: [number of candidates, best fitness of those that can be used], where it rises.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.feasible = 0
        self.rises: list[tuple[int, float]] = []
        self._count = 0
        self._end = 0
        self._lock = threading.RLock()

    def __len__(self) -> int:
        return self._count

    def refresh(self) -> None:
        """Read what was added since the last time; a line still being written is left for the next."""
        with self._lock:
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
                    self._take(event)
                    self._end += len(line)

    def _take(self, event: Mapping[str, Any]) -> None:
        feasible, fitness = bool(event.get("feasible")), float(event.get("fitness") or 0.0)
        self._count += 1
        self.feasible += feasible
        if feasible and (not self.rises or fitness > self.rises[-1][1]):
            self.rises.append((self._count, fitness))
            if len(self.rises) > MOST_RISES:
                self.rises = [*self.rises[:-1:2], self.rises[-1]]


class TriedLevels(FollowedLog):
    """The log of a run of levels, of which maps are drawn and whose levels are looked at."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._places = Places()
        self._columns = Columns(_VERDICT, growing=True)
        self._ranges: dict[str, Range] = {}
        self._ranged = 0

    def _take(self, event: Mapping[str, Any]) -> None:
        super()._take(event)
        self._places.add(self._end)
        measured = {_MEASURE + name: value for name, value in numbers(event.get("metrics", {})).items()}
        self._columns.add({"feasible": bool(event.get("feasible")), FITNESS: event.get("fitness") or 0.0, **measured})

    def points(self) -> LoggedPoints:
        """Return every level tried until now, in order."""
        return LoggedPoints(self, len(self))

    def event(self, number: int) -> dict[str, Any]:
        """Return a line of the log.

        Raises:
            IndexError: when there is no such line.
        """
        with open(self.path, "rb") as file:
            self._places.find(file, number)
            event: dict[str, Any] = json.loads(file.readline())
        return event

    def names(self) -> list[str]:
        """Return what is measured of some level."""
        with self._lock:
            return [name.removeprefix(_MEASURE) for name in list(self._columns)[len(_VERDICT) :]]

    def ranges(self, count: int) -> Mapping[str, Range]:
        """Return the range of every measure, and of the fitness; of at least the first so many levels."""
        with self._lock:
            if self._ranged < count:
                self._ranges = ranges_of(self.parts(self.names(), self._ranged, count), self._ranges)
                self._ranged = count
            return self._ranges

    def parts(self, names: Sequence[str], first: int, end: int) -> Iterator[Part]:
        """Yield levels from a number on up to another, with their values of some measures."""
        columns = [*_VERDICT, *(_MEASURE + name for name in names)]
        for start in range(first, end, _AT_ONCE):
            last = min(end, start + _AT_ONCE)
            with self._lock:
                feasible, fitness, *values = self._columns.part(columns, start, last)
            yield Part(np.arange(start, last), feasible > 0, fitness, dict(zip(names, values, strict=True)))


class LoggedPoints:
    """Levels of a log as a heat-map sees them.

    Args:
        log: it may grow, they do not.
        count: of the levels.
        gone: numbers of levels that are left out.
    """

    def __init__(self, log: TriedLevels, count: int, gone: Collection[int] = ()) -> None:
        self.count = count
        self._log = log
        self._gone = sorted(gone)

    @property
    def names(self) -> Sequence[str]:
        """Measures that some level has."""
        return self._log.names()

    def key(self, number: int) -> str:
        """Return the key of a level."""
        return f"{TRIED}-{number}"

    def ranges(self) -> Mapping[str, Range]:
        """Return the range of every measure, and of the fitness."""
        return ranges_of(self.parts(self.names)) if self._gone else self._log.ranges(self.count)

    def parts(self, names: Sequence[str], first: int = 0) -> Iterator[Part]:
        """Yield the levels from a number on, with their values of some measures."""
        for part in self._log.parts(names, first, self.count):
            if not self._gone:
                yield part
                continue
            kept = ~np.isin(part.numbers, self._gone)
            values = {name: column[kept] for name, column in part.values.items()}
            yield Part(part.numbers[kept], part.feasible[kept], part.fitness[kept], values)

    def without(self, keys: Collection[str]) -> LoggedPoints:
        """Return all levels but some."""
        found = [rest for group, _, rest in (key.partition("-") for key in keys) if group == TRIED]
        gone = [int(rest) for rest in found if rest.isascii() and rest.isdigit()]
        return LoggedPoints(self._log, self.count, {*self._gone, *gone})
