"""Files of a run folder: files that are whole or absent, and a log of which at worst the last line is torn.

Every file but the logs is written under a temporary name and renamed. What the files mean is in the package's
docstring.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from pcg.engine.vgdl.diagnostics import PcgError

_STRIDE = 8
"""Of one in so many events of a log the place is known; others are found from there."""

_TAIL = 4096
"""Bytes of a log that are read at a time from its end."""

FORMAT = 1
"""Version of the layout; a run of another one is refused."""

LEVELS, RULES, GAMES = "levels", "rules", "games"
"""Kinds of runs that make something, as `run.json` names them; all kinds are in `pcg.runs.EXPERIMENTS`."""


def to_json(data: Any, *, indent: int | None = None) -> str:
    """Return JSON text that is the same for equal data."""
    return json.dumps(data, sort_keys=True, indent=indent, ensure_ascii=False, allow_nan=False)


def write_whole(path: Path, text: str) -> None:
    """Write a file so that at every moment it is the old one or the new one, also when the machine stops."""
    draft = path.with_name(f".{path.name}.draft")
    with open(draft, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)


@contextmanager
def draft_of(path: Path) -> Iterator[Path]:
    """Give the temporary name of a file that is written in parts; it gets its own when the block ends without error."""
    draft = path.with_name(f".{path.name}.draft")
    try:
        yield draft
        os.replace(draft, path)
    except OSError as error:  # the name that was given, not the one that is written to
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        draft.unlink(missing_ok=True)


def read_json(path: Path) -> Any:
    """Return the content of a JSON file.

    Raises:
        PcgError: when it is missing or damaged.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PcgError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise PcgError(f"{path} is damaged: {error}") from None


class EventLog:
    """The append-only log of a run, one JSON object per line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = open(path, "ab")  # noqa: SIM115 - lives as long as the run

    @staticmethod
    def scan(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the events of a log, each with the place in the file where it begins.

        A torn or damaged end is cut off the file once it is come to.

        Raises:
            PcgError: when the log cannot be read.
        """
        whole = number = 0
        try:
            if not path.exists():
                return
            with open(path, "rb") as file:
                for line in file:
                    try:
                        event = json.loads(line)
                    except ValueError:
                        break
                    if not line.endswith(b"\n") or not isinstance(event, dict) or event.get("id") != number:
                        break
                    yield whole, event
                    number += 1
                    whole += len(line)
            if whole < path.stat().st_size:
                with open(path, "r+b") as file:
                    file.truncate(whole)
        except OSError as error:
            raise PcgError(f"cannot read {path}: {error.strerror}") from None

    @staticmethod
    def repair(path: Path) -> list[dict[str, Any]]:
        """Return the events of a log; a torn or damaged end is cut off the file.

        Raises:
            PcgError: when the log cannot be read.
        """
        return [event for _, event in EventLog.scan(path)]

    def append(self, event: Mapping[str, Any]) -> None:
        """Write one event; it is in the hands of the operating system when this returns."""
        self._file.write(to_json(event).encode() + b"\n")
        self._file.flush()

    def sync(self) -> None:
        """Wait until everything written is on the disk."""
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class Places:
    """Places in a log where its events begin: of one in so many, from which the others are found."""

    def __init__(self) -> None:
        self._count = 0
        self._places = array("Q")  # of every `_STRIDE`-th event

    def __len__(self) -> int:
        return self._count

    def add(self, place: int) -> None:
        """Note where the next event begins."""
        if self._count % _STRIDE == 0:
            self._places.append(place)
        self._count += 1

    def find(self, file: BinaryIO, number: int) -> None:
        """Go to the place in the file where the event of a number begins.

        Raises:
            IndexError: when there is no such event.
        """
        if not 0 <= number < self._count:
            raise IndexError(f"{file.name} has {self._count} events, there is no number {number}")
        file.seek(self._places[number // _STRIDE])
        for _ in range(number % _STRIDE):
            file.readline()


class RunLog(EventLog):
    """A log whose events can be read again one by one, without all of them being held in memory.

    Args:
        path: of the log; a torn end is cut off.
        meet: called with every event that is there already, in order.
    """

    def __init__(self, path: Path, meet: Callable[[dict[str, Any]], None]) -> None:
        self._places = Places()
        for place, event in self.scan(path):
            self._places.add(place)
            meet(event)
        super().__init__(path)
        self._end = path.stat().st_size
        self._reader = open(path, "rb")  # noqa: SIM115 - as long as the log itself

    def __len__(self) -> int:
        return len(self._places)

    def append(self, event: Mapping[str, Any]) -> None:
        """Write one event; it is in the hands of the operating system when this returns."""
        super().append(event)
        self._places.add(self._end)
        self._end = self._file.tell()

    def read(self, number: int) -> dict[str, Any]:
        """Return the event of that number, the first being 0."""
        self._places.find(self._reader, number)
        event: dict[str, Any] = json.loads(self._reader.readline())
        return event

    def read_all(self, first: int, end: int) -> Iterator[dict[str, Any]]:
        """Yield the events from one number on, up to another that is not read itself."""
        if first >= end:
            return
        with open(self.path, "rb") as file:
            self._places.find(file, first)
            for _ in range(first, end):
                yield json.loads(file.readline())

    def close(self) -> None:
        """Close the file."""
        self._reader.close()
        super().close()


def read_elapsed(path: Path) -> float:
    """Return the seconds the run has taken so far, from its timing log; 0 when nothing is known."""
    elapsed = 0.0
    if path.exists():
        with open(path, "rb") as file:
            for line in file:
                try:
                    elapsed = max(elapsed, float(json.loads(line).get("elapsed", 0.0)))
                except (ValueError, AttributeError, TypeError):
                    continue
    return elapsed


def read_last_line(path: Path) -> dict[str, Any]:
    """Return the last line of a log of JSON lines that can be read, {} without one."""
    found: dict[str, Any] = {}
    if path.exists():
        for line in _last_lines(path)[-2:]:
            try:
                data = json.loads(line)
            except ValueError:
                continue
            found = data if isinstance(data, dict) else found
    return found


def _last_lines(path: Path) -> list[bytes]:
    """Return the last lines of a file, at least two if there are as many; no more of a long log is read."""
    with open(path, "rb") as file:
        start = file.seek(0, os.SEEK_END)
        data = b""
        while start and data.count(b"\n") < 3:  # one ends the last line, and the first may not be whole
            step = min(start, _TAIL)
            start -= step
            file.seek(start)
            data = file.read(step) + data
    return data.splitlines()[1 if start else 0 :]


def append_line(path: Path, data: Mapping[str, Any]) -> None:
    """Append one JSON line to a log nothing depends on."""
    with open(path, "a", encoding="utf-8", newline="\n") as file:
        file.write(to_json(data) + "\n")


def write_levels(folder: Path, entries: Sequence[tuple[str, Mapping[str, Any]]], game: str = "") -> None:
    """Make a folder of levels hold exactly these.

    Files of levels that are gone go, with their pictures. An empty folder of levels is not made.

    Args:
        folder: of the levels.
        entries: in order, (level text, entry of the index without `file`).
        game: text of the game, put beside the levels; "" for none.
    """
    if not entries and not folder.exists() and not game:
        return
    folder.mkdir(exist_ok=True)
    index = []
    for k, (text, entry) in enumerate(entries):
        name = f"lvl{k}.txt"
        target = folder / name
        if not target.exists() or target.read_text(encoding="utf-8") != text + "\n":
            (folder / f"lvl{k}.png").unlink(missing_ok=True)
            write_whole(target, text + "\n")
        index.append({**entry, "file": name})
    if game and not (folder / "game.vgdl").exists():
        write_whole(folder / "game.vgdl", game)
    write_whole(folder / "index.json", to_json({"levels": index}, indent=1) + "\n")
    for old in folder.iterdir():
        match = re.fullmatch(r"lvl(\d+)\.(txt|png)", old.name)
        if match and int(match[1]) >= len(entries):
            old.unlink()


def remove_levels(folder: Path) -> None:
    """Remove a folder of levels that `write_levels` made."""
    if folder.exists():
        shutil.rmtree(folder)


def check_new(folder: Path, *, besides: str = "") -> None:
    """Refuse to start a run where something is.

    Args:
        folder: that a new run is to have.
        besides: name of a file that may be there, if it is empty.

    Raises:
        PcgError: when the folder exists and is not empty.
    """
    if folder.is_file():
        raise PcgError(f"{folder} is a file, expected a folder for the run")
    if folder.is_dir() and any(path.name != besides or path.stat().st_size for path in folder.iterdir()):
        if (folder / "run.json").exists():
            raise PcgError(f"{folder} holds a run already: go on with `pcg resume {folder}`, or name another folder")
        raise PcgError(f"{folder} is not empty, expected a new folder for the run")


def kind_of(folder: Path) -> str:
    """Return the kind of the run in a folder, or "" when it is no run that this version reads."""
    try:
        return str(check_run(folder).get("kind", LEVELS))
    except PcgError:
        return ""


def check_run(folder: Path) -> dict[str, Any]:
    """Return the manifest of an existing run.

    Raises:
        PcgError: when the folder is no run of this format.
    """
    if not (folder / "run.json").is_file():
        raise PcgError(f"{folder} is no run: it has no run.json")
    manifest = read_json(folder / "run.json")
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        found = manifest.get("format") if isinstance(manifest, dict) else None
        raise PcgError(f"{folder} has run format {found!r}, expected {FORMAT}")
    return manifest
