"""Sources of an export: a game, the levels of a run, or a folder of games, whatever made them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pcg.engine.game import Game, builtin_games, load
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.export.bundle import RecordedPlay
from pcg.runs.store import kind_of, read_json

_LEVEL_FILE = re.compile(r"(?:^|_)g?lvl\d*$")
_PLAIN_TEXT = frozenset({"readme", "index", "notes", "license", "failed"})


@dataclass(frozen=True, slots=True)
class Exportable:
    """A game to be made a page of.

    Attributes:
        name: of its file, without an ending.
        title: of the page.
        game: the game with its levels.
        titles: of the levels, or none.
        plays: plays that can be watched, by number of the level.
        notes: what is known of the levels, a phrase each in English and in Chinese, or none.
    """

    name: str
    title: str
    game: Game
    titles: tuple[str, ...] = ()
    plays: dict[int, RecordedPlay] = field(default_factory=dict)
    notes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A game that cannot be exported, and the reason."""

    name: str
    reason: str


def one_game(source: str, *, reading: str | None = None) -> Exportable:
    """Return the game of a name, a file, the folder of a game, or of a run that made levels.

    Raises:
        PcgError: there is none, it has errors, it is a board game, or there are several.
    """
    path = Path(source)
    if not path.is_dir() or source in builtin_games():
        return _game(source, reading=reading)
    found = list(_folder(path, reading))
    games = [one for one in found if isinstance(one, Exportable)]
    if len(found) == 1 and games:
        return games[0]
    if len(found) == 1 and isinstance(found[0], LeftOut):
        raise PcgError(f"{found[0].name}: {found[0].reason}")
    if not found:
        raise PcgError(f"{path}: no game there; expected game.vgdl, games with their levels, or the folder of a run")
    raise PcgError(f"{path} has {len(found)} games, and a page is of one: name one of them, or use --site FOLDER")


def all_games(source: str, *, reading: str | None = None) -> tuple[list[Exportable], list[LeftOut]]:
    """Return the games of a folder, a run, a name or a file, and those that cannot be exported.

    Raises:
        PcgError: when nothing can be exported.
    """
    path = Path(source)
    if not path.is_dir() or source in builtin_games():
        return [_game(source, reading=reading)], []
    found = list(_folder(path, reading))
    games = [one for one in found if isinstance(one, Exportable)]
    left_out = [one for one in found if isinstance(one, LeftOut)]
    if not games:
        reasons = "; ".join(f"{one.name}: {one.reason}" for one in left_out[:3])
        raise PcgError(f"{path}: nothing there can be exported{': ' + reasons if reasons else ''}")
    return games, left_out


def _game(source: str | Path, *, reading: str | None, name: str = "") -> Exportable:
    game: Any = load(source, reading=reading)
    if not isinstance(game, Game):
        raise PcgError(f"`{source}` is a board game (a rule sheet), and pages are of VGDL games")
    game.tables  # noqa: B018 - a game with errors is told of as such
    if not game.levels:
        raise PcgError(
            f"{game.name} has no levels, so there is nothing to play; put its levels beside it ({_hint(game)})"
        )
    for k in range(len(game.levels)):
        game.read_level(k)
    name = name or game.name
    folder = Path(source) if Path(source).is_dir() else Path(source).parent
    titles, plays, notes = _index(folder, len(game.levels)) if Path(source).exists() else ((), {}, ())
    return Exportable(_file_name(name), name.replace("_", " "), game, titles, plays, notes)


def _hint(game: Game) -> str:
    return f"{game.name}_lvl0.txt, ..., or lvl0.txt, ... beside game.vgdl"


def _file_name(name: str) -> str:
    return re.sub(r"[^\w-]+", "-", name).strip("-") or "game"


def _index(folder: Path, count: int) -> tuple[tuple[str, ...], dict[int, RecordedPlay], tuple[tuple[str, str], ...]]:
    """Titles, winning plays and notes that a run has written about the levels of a folder."""
    path = folder / "index.json"
    if not path.is_file():
        return (), {}, ()
    entries = read_json(path)
    entries = entries.get("levels", []) if isinstance(entries, dict) else []
    plays, notes = {}, []
    for k, entry in enumerate(entries[:count]):
        if entry.get("actions"):
            plays[k] = RecordedPlay(int(entry.get("seed", 0)), tuple(map(str, entry["actions"])))
        told = [(f"quality {entry['fitness']:.2f}", f"质量 {entry['fitness']:.2f}")] if "fitness" in entry else []
        if entry.get("winner"):
            steps = len(entry.get("actions", ()))
            told.append((f"won by {entry['winner']} in {steps} ticks", f"{entry['winner']} 用 {steps} 步获胜"))
        notes.append((", ".join(one for one, _ in told), "，".join(other for _, other in told)))
    return (), plays, tuple(notes)


def _folder(folder: Path, reading: str | None) -> Iterator[Exportable | LeftOut]:
    """The games of a folder, in order of their names."""
    if (folder / "game.vgdl").is_file():
        yield _attempt(folder, reading, folder.resolve().name)
        return
    if (folder / "run.json").is_file() and kind_of(folder):
        yield from _run(folder, reading)
        return
    for path in sorted(folder.iterdir(), key=lambda p: p.name):
        if path.is_dir() and ((path / "game.vgdl").is_file() or (path / "run.json").is_file()):
            yield from _folder(path, reading)
        elif _is_game(path):
            yield _attempt(path, reading, path.stem)


def _is_game(path: Path) -> bool:
    """Tell the file of a game from those of levels and of other texts."""
    named = not _LEVEL_FILE.search(path.stem) and path.stem.lower() not in _PLAIN_TEXT
    return path.suffix in (".vgdl", ".txt") and named


def _run(folder: Path, reading: str | None) -> Iterator[Exportable | LeftOut]:
    """The results of a run: its levels as one game, or its games."""
    name = folder.resolve().name
    if (folder / "levels" / "game.vgdl").is_file():
        yield _attempt(folder / "levels", reading, name)
    elif (folder / "games").is_dir():
        yield from _folder(folder / "games", reading)
    elif (folder / "best.txt").is_file():
        yield _attempt(folder / "best.txt", reading, name)
    else:
        yield LeftOut(name, "the run has not kept any level or game (yet)")


def _attempt(path: Path, reading: str | None, name: str) -> Exportable | LeftOut:
    try:
        return _game(path, reading=reading, name=name)
    except PcgError as error:
        return LeftOut(name, str(error).splitlines()[0])
