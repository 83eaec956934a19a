"""Games and agents of a tournament, read from what people type: games by name, pattern, file or folder, levels, agents.

Every mistake is noticed here, before anything is played, and reported with the nearest name that would do.
"""

from __future__ import annotations

import functools
import glob
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pcg.engine.game import Game, builtin_games, builtin_sheets, evolved_games, find_levels, load, no_such_game
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import AgentError, make_agent
from pcg.evaluators.agents.base import GameState
from pcg.evaluators.agents.registry import ATTENDED, read_agent

if TYPE_CHECKING:
    from pcg.engine.gdl import GdlGame

_LEVEL_FILE = re.compile(r"(.*_)?lvl\d+\.txt")


@dataclass(frozen=True, slots=True)
class Entry:
    """A game of a tournament.

    Attributes:
        name: unique in its tournament.
        source: built-in name or file, for `load`.
        reading: "strict", "gvgai" or "" for the game's own.
        players: 1 or 2; of a rule sheet as many as it has roles.
        levels: how many it has; a rule sheet has one.
        digest: of its rules and levels, to notice that they have changed.
    """

    name: str
    source: str
    reading: str
    players: int
    levels: int
    digest: str

    @property
    def game(self) -> Game | GdlGame:
        """The game, loaded once per process."""
        return _loaded(self.source, self.reading)

    def start(self, level: int, seed: int) -> GameState:
        """The first state of a level."""
        return cast(GameState, self.game.start(level, seed=seed))


@functools.lru_cache(maxsize=256)
def _loaded(source: str, reading: str) -> Game | GdlGame:
    return load(source, reading=reading or None)


def select_games(given: Iterable[str], *, reading: str = "") -> list[Entry]:
    """The games that people mean, in order and each once.

    Args:
        given: built-in names (`dungeon`, `connect-four`), patterns over them (`b*`, for rule sheets `c*.kif`), files,
            patterns over files (`games/*.txt`, those that have levels beside them, or `sheets/*.kif`), folders (every
            game in it that has levels, and every rule sheet), or `@FILE` for a file that names one of these per line.
            Several may be put into one text with commas between them.
        reading: "strict", "gvgai" or "".

    Raises:
        PcgError: for something that is none of these, a game that cannot be read or has no levels.

    >>> [entry.name for entry in select_games(["boxes,d[iu]*"])]
    ['boxes', 'digger', 'duel', 'dungeon']
    """
    sources: dict[str, None] = {}
    for text in given:
        for part in filter(None, (p.strip() for p in text.split(","))):
            sources.update(dict.fromkeys(_sources(part)))
    if not sources:
        raise PcgError("no games: expected names, patterns, files or folders")
    short = [_short_name(source) for source in sources]
    entries = []
    for source, name in zip(sources, short, strict=True):
        unique = name if short.count(name) == 1 else f"{Path(source).resolve().parent.name}/{name}"
        entries.append(_entry(source, unique, reading))
    return entries


def _entry(source: str, name: str, reading: str) -> Entry:
    game = _loaded(source, reading)
    if source not in {**evolved_games(), **builtin_games(), **builtin_sheets()}:
        source = str(Path(source).resolve())  # so that a tournament can be gone on with from any folder
    if not isinstance(game, Game):
        game.network  # noqa: B018 - raises for a sheet without one, which no agent could play
        return Entry(name, source, reading, game.players, 1, game.digest)
    if not game.levels:
        raise PcgError(f"game `{source}` has no levels: expected {Path(source).stem}_lvl0.txt and so on beside it")
    digest = hashlib.sha256("\0".join((game.definition.source, *game.levels)).encode()).hexdigest()[:32]
    return Entry(name, source, reading, game.players, len(game.levels), digest)


def _short_name(source: str) -> str:
    path = Path(source)
    return path.parent.name if path.name == "game.vgdl" else path.stem


def _sources(part: str) -> list[str]:
    """Built-in names and files that one word means."""
    boards = builtin_sheets()
    if part in {*builtin_games(), *evolved_games(), *boards}:
        return [part]
    if part.startswith("@"):
        return _listed(Path(part[1:]))
    path = Path(part)
    if path.is_file():
        return [part]
    if path.is_dir():
        found = _games_in(path)
        if not found:
            raise PcgError(f"folder `{part}` has no game with levels beside it")
        return found
    if any(sign in part for sign in "*?["):
        if part.endswith(".kif"):
            matching = [name for name in boards if fnmatchcase(f"{name}.kif", part)]
        else:
            matching = [name for name in {**evolved_games(), **builtin_games()} if fnmatchcase(name, part)]
        matching += [str(p) for p in sorted(map(Path, glob.glob(part, recursive=True))) if _is_game(p)]
        if not matching:
            raise PcgError(f"no game matches `{part}`, neither a built-in one nor a file with levels beside it")
        return matching
    raise no_such_game(part)


def _games_in(folder: Path) -> list[str]:
    if (folder / "game.vgdl").is_file():
        return [str(folder / "game.vgdl")]
    direct = sorted(p for pattern in ("*.txt", "*.vgdl", "*.kif") for p in folder.glob(pattern) if _is_game(p))
    return [str(p) for p in direct] or [str(p) for p in sorted(folder.glob("*/game.vgdl")) if _is_game(p)]


def _is_game(path: Path) -> bool:
    if path.suffix == ".kif":
        return path.is_file()
    return path.is_file() and not _LEVEL_FILE.fullmatch(path.name) and bool(find_levels(path))


def _listed(path: Path) -> list[str]:
    """The games that a file names, one per line; files relative to the list."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise PcgError(f"cannot read the list of games {path}: {error}") from None
    found: list[str] = []
    for line in filter(None, (line.partition("#")[0].strip() for line in lines)):
        beside = path.parent / line
        found += _sources(str(beside) if beside.exists() else line)
    return found


def select_levels(text: str, entries: Sequence[Entry]) -> dict[str, list[int]]:
    """Numbers of the levels that are played, by name of the game.

    Args:
        text: "all", or numbers and ranges such as "0-2,4"; a game plays those of them that it has.
        entries: the games.

    Raises:
        PcgError: for anything else, or when a game has none of them.
    """
    if text.strip() == "all":
        return {e.name: list(range(e.levels)) for e in entries}
    wanted: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,4})(?:\s*-\s*(\d{1,4}))?\s*", part)
        if match is None or (match[2] and int(match[2]) < int(match[1])):
            raise PcgError(f"levels `{text}`: `{part.strip()}`, expected `all`, or numbers and ranges such as 0-2,4")
        wanted.update(range(int(match[1]), int(match[2] or match[1]) + 1))
    chosen = {e.name: sorted(k for k in wanted if k < e.levels) for e in entries}
    for entry in entries:
        if not chosen[entry.name]:
            raise PcgError(f"{entry.name} has none of the levels {text}, only 0 to {entry.levels - 1}")
    return chosen


def split_agents(given: Iterable[str]) -> list[str]:
    """The agents that people name, each once; a comma may separate agents as well as their parameters.

    What has a `=` before any `:` is a parameter of the agent before it.

    Raises:
        AgentError: for agents or parameters that do not exist, agents named twice, and agents that need a person.

    >>> split_agents(["mcts:c=1.0,depth=12,random", "onestep"])
    ['mcts:c=1.0,depth=12', 'random', 'onestep']
    """
    found: list[str] = []
    for text in given:
        start = len(found)
        for part in filter(None, (p.strip() for p in text.split(","))):
            equals, colon = part.find("="), part.find(":")
            if equals >= 0 and (colon < 0 or equals < colon) and len(found) > start:
                found[-1] += f",{part}" if ":" in found[-1] else f":{part}"
            else:
                found.append(part)
    for text in found:
        make_agent(text)  # says what is wrong with it
        if read_agent(text).name in ATTENDED:
            raise AgentError(f"agent `{text}` needs a person at the keyboard and cannot play in a tournament")
    twice = next((text for text in found if found.count(text) > 1), None)
    if twice is not None:
        raise AgentError(f"agent `{twice}` is named twice")
    if not found:
        raise AgentError("no agents: expected names such as mcts, random or mcts:depth=12")
    return found
