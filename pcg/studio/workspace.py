"""The folder that a studio works in: runs as the command line makes them, and games as they are written.

    RUN/                       a run of any kind, made here or by a command
    written/NAME/NAME.vgdl     a game that is being written, with NAME_lvl0.txt, ... beside it
    written/NAME/DIGEST/...    that game as it was when a run began with it, so that the run's command stays true
    sketches/DIGEST.txt        a painted level of which a run is to keep what is drawn
    .studio/RUN.log            what the command of a run printed

Every file is written whole or not at all, so killing the server loses nothing.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from pcg.engine.game import builtin_games
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.runs.store import check_run, write_whole
from pcg.web.guard import Refused

GAMES, SKETCHES, LOGS = "written", "sketches", ".studio"
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,79}", re.ASCII)


def tidy_name(text: str) -> str:
    """Return a name that files can have.

    >>> tidy_name("My game!"), tidy_name("..")
    ('My-game', 'game')
    """
    return re.sub(r"[^\w-]+", "-", text, flags=re.ASCII).strip("-_")[:60] or "game"


class Workspace:
    """The runs and games of a folder.

    Args:
        folder: made when something is first kept in it.
        runs: folders of runs elsewhere that are shown too.
    """

    def __init__(self, folder: Path | str = ".", runs: Sequence[Path] = ()) -> None:
        self.folder = Path(folder)
        self._elsewhere = {path.resolve().name: path for path in runs}
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<Workspace {self.folder}>"

    # -- runs ----------------------------------------------------------------------------------------------------------

    def run(self, name: str) -> Path:
        """Return the folder of a run.

        Raises:
            Refused: when there is none of that name.
        """
        if name in self._elsewhere:
            return self._elsewhere[name]
        path = self.folder / name
        if not _NAME.fullmatch(name) or not (path / "run.json").is_file():
            raise Refused(f"there is no run {name[:60]!r} here", 404)
        return path

    def runs(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield name and manifest of every run, the latest first."""
        found = dict(self._elsewhere)
        if self.folder.is_dir():
            found |= {path.name: path for path in self.folder.iterdir() if _NAME.fullmatch(path.name)}
        dated = []
        for name, path in found.items():
            try:
                manifest = check_run(path)
                dated.append((-(path / "run.json").stat().st_mtime, name, manifest))
            except (PcgError, OSError):
                continue
        for _, name, manifest in sorted(dated, key=lambda one: one[:2]):
            yield name, manifest

    def free_name(self, wanted: str) -> str:
        """Return a name that no file of the folder has: the wanted one, or with a number behind it."""
        name, number = tidy_name(wanted), 2
        while (self.folder / name).exists() or name in self._elsewhere:
            name = f"{tidy_name(wanted)}-{number}"
            number += 1
        return name

    def log(self, name: str) -> Path:
        """Return the file for what the command of a run prints."""
        folder = self.folder / LOGS
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{name}.log"

    # -- games ---------------------------------------------------------------------------------------------------------

    def games(self) -> list[str]:
        """Return the names of the games that were written here."""
        folder = self.folder / GAMES
        if not folder.is_dir():
            return []
        return sorted(path.name for path in folder.iterdir() if (path / f"{path.name}.vgdl").is_file())

    def read_game(self, name: str) -> dict[str, Any] | None:
        """Return `text` and `levels` of a game that was written here, and `saved`, its time in ms; None for none."""
        path = self.folder / GAMES / tidy_name(name) / f"{tidy_name(name)}.vgdl"
        try:
            text = path.read_text(encoding="utf-8")
            saved = path.stat().st_mtime * 1000
            levels = []
            for file in _level_files(path.parent, path.stem):
                levels.append(file.read_text(encoding="utf-8").rstrip("\n"))
                saved = max(saved, file.stat().st_mtime * 1000)
        except OSError:
            return None
        return {"text": text, "levels": levels, "saved": round(saved)}

    def write_game(self, name: str, text: str, levels: Sequence[str]) -> Path:
        """Keep a game that is being written; the path of its file.

        Raises:
            Refused: when it cannot be written.
        """
        with self._lock:
            return self._write(self.folder / GAMES / tidy_name(name), tidy_name(name), text, levels)

    def snapshot(self, name: str, text: str, levels: Sequence[str]) -> Path:
        """Keep a game as it is now, for a run; the path of its file, relative to the folder."""
        name = tidy_name(name)
        digest = sha256("\0".join([text, *levels]).encode()).hexdigest()[:8]
        with self._lock:
            self._write(self.folder / GAMES / name / digest, name, text, levels)
        return Path(GAMES) / name / digest / f"{name}.vgdl"

    def sketch(self, text: str) -> Path:
        """Keep a sketch; the path of its file, relative to the folder."""
        name = f"{sha256(text.encode()).hexdigest()[:8]}.txt"
        try:
            (self.folder / SKETCHES).mkdir(parents=True, exist_ok=True)
            write_whole(self.folder / SKETCHES / name, text.rstrip("\n") + "\n")
        except OSError as error:
            raise Refused(f"cannot write {self.folder / SKETCHES}: {error.strerror}", 500) from None
        return Path(SKETCHES) / name

    @staticmethod
    def _write(folder: Path, name: str, text: str, levels: Sequence[str]) -> Path:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / f"{name}.vgdl"
            files: Mapping[Path, str] = {
                **{folder / f"{name}_lvl{k}.txt": level.rstrip("\n") + "\n" for k, level in enumerate(levels)},
                path: text.rstrip("\n") + "\n",
            }
            for file, content in files.items():
                if not file.is_file() or file.read_text(encoding="utf-8") != content:
                    write_whole(file, content)
            for file in _level_files(folder, name):
                if file not in files:
                    file.unlink()
        except OSError as error:
            raise Refused(f"cannot write {folder}: {error.strerror}", 500) from None
        return path


def _level_files(folder: Path, name: str) -> list[Path]:
    numbered = []
    for file in folder.glob(f"{name}_lvl*.txt"):
        number = file.stem.removeprefix(f"{name}_lvl")
        if number.isdecimal():
            numbered.append((int(number), file))
    return [file for _, file in sorted(numbered)]


def known_games(workspace: Workspace) -> list[str]:
    """Return the names of all games that can be chosen: those written here, then the built-in ones."""
    own = workspace.games()
    return [*own, *(name for name in builtin_games() if name not in own)]
