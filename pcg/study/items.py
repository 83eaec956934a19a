"""Items of a study: levels and whole games, gathered from files, folders and runs.

A *source* is what a person names: a built-in game or a game file (its levels), a level file, a folder of levels, a
pattern of any of these, a run folder of `pcg levels`, `pcg rules` or `pcg games evolve`, or its `archive.json`.
`gather` reads sources into `Found` levels; `pcg.study.admission` checks them and makes items of a study out of them.
"""

from __future__ import annotations

import glob
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pcg.engine.game import Game, builtin_games, find_levels, load
from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean
from pcg.engine.vgdl.source import read_source
from pcg.evaluators.tournament.games import Entry as GameEntry
from pcg.evaluators.tournament.games import select_levels
from pcg.runs.store import GAMES, LEVELS, RULES, check_run, read_json
from pcg.study.rows import PRACTICE
from pcg.web.run_levels import Entry, RunFolder
from pcg.web.tried_levels import numbers

MOST_ITEMS = 2000
GAME_FILES = ("game.vgdl", "game.txt")
_ARCHIVE = "archive.json"

GROUPINGS: Mapping[str, tuple[str, Callable[[Found], str]]] = {
    "generator": ("name of the generator of the run, else of the folder", lambda f: f.generator or f.folder),
    "run": ("name of the run's folder, else of the folder", lambda f: f.run or f.folder),
    "folder": ("name of the folder in which the level lies", lambda f: f.folder),
    "game": ("name of the game", lambda f: f.game),
    "source": ("as named with --items", lambda f: f.source),
    "item": ("each item is a group of its own", lambda f: f.name),
}
"""Fields from which an item's group may be taken."""


@dataclass(frozen=True)
class Source:
    """A source of items: what a person names, and the options given with it.

    Attributes:
        what: a path, a pattern of paths, or the name of a built-in game; empty where `level` says all.
        game: built-in name or file of the game, for level files with no game beside them.
        level: a single level: number of one of the game's, file, or text of several lines.
        levels: which levels of a game are taken, as in "0-2,4" or "all"; empty: all of a game that is named, the first
            of each game of a run.
        count: the first so many of the source; 0: all.
        group: of all its items; empty: as `group_by` says.
        name: of the item, where it is one.
        goal: language -> text; empty: described from the rules.
        controls: language -> text.
        check: name of the attention check that the items are for.
        practice: the item is tried before the first pair with its game, and not judged.
        reading: how the game is read; empty: strictly.
        base: folder to which paths are relative.
    """

    what: str = ""
    game: str = ""
    level: str | int = ""
    levels: str = ""
    count: int = 0
    group: str = ""
    name: str = ""
    goal: Mapping[str, str] = field(default_factory=dict)
    controls: Mapping[str, str] = field(default_factory=dict)
    check: str = ""
    practice: bool = False
    reading: str = ""
    base: Path = Path()

    @property
    def told(self) -> str:
        """The name of the source in messages."""
        return self.what or self.name or self.game or str(self.level)[:40]


@dataclass(frozen=True)
class Found:
    """A level as it was found, not looked at yet."""

    name: str
    game: str
    rules: str = field(repr=False)
    level: str = field(repr=False)
    place: str
    """File or description, for messages."""
    source: str
    folder: str = ""
    run: str = ""
    generator: str = ""
    features: Mapping[str, float] = field(default_factory=dict, repr=False)
    whole: bool = False
    """It stands for a game rather than for a level of it."""
    said: Source = field(default=Source(), repr=False)


def sources_of(data: Mapping[str, Any], source: str, base: Path) -> list[Source]:
    """The sections `[[item]]` of a configuration file.

    Args:
        data: the parsed form of the file.
        source: what names it, for messages.
        base: folder to which its paths are relative.

    Raises:
        PcgError: for unknown keys, values of a wrong type, and sections that name nothing.
    """
    entries = data.get("item", [])
    if not isinstance(entries, list) or not all(isinstance(e, Mapping) for e in entries):
        raise PcgError(f"{source}: `item` is {entries!r}, expected a list of sections [[item]]")
    kinds: dict[str, tuple[type, ...]] = {
        "from": (str,), "game": (str,), "level": (str, int), "levels": (str,), "count": (int,), "group": (str,),
        "name": (str,), "goal": (str, dict), "controls": (str, dict), "check": (str,), "reading": (str,),
        "practice": (bool,),
    }  # fmt: skip
    found = []
    for number, entry in enumerate(entries, start=1):
        where = f"{source}: section [[item]] number {number}"
        for key, value in entry.items():
            if key not in kinds:
                hint = did_you_mean(key, kinds, f" (expected {', '.join(kinds)})")
                raise PcgError(f"{where} has no key `{key}`{hint}")
            if not isinstance(value, kinds[key]) or isinstance(value, bool) != (kinds[key] == (bool,)):
                words = {
                    str: "a text",
                    int: "a whole number",
                    bool: "true or false",
                    dict: "texts by language, as in { en = ..., zh = ... }",
                }
                raise PcgError(f"{where}: `{key}` is {value!r}, expected {' or '.join(words[k] for k in kinds[key])}")
        if "from" not in entry and "game" not in entry:
            raise PcgError(f"{where} names neither `game` nor `from`")
        if entry.get("check") == PRACTICE or (entry.get("check") and entry.get("practice")):
            told = f"`check` is {entry['check']!r}"
            raise PcgError(f"{where}: {told}; a level for practice takes no setting but practice = true")
        if entry.get("reading", "") not in ("", "strict", "gvgai"):
            raise PcgError(f"{where}: `reading` is {entry['reading']!r}, expected strict or gvgai")
        if entry.get("count", 0) < 0:
            raise PcgError(f"{where}: `count` is {entry['count']}, expected 0 (all) or more")
        values: dict[str, Any] = {("what" if k == "from" else k): v for k, v in entry.items()}
        for key in ("goal", "controls"):
            if key in entry:
                values[key] = _by_language(entry[key], key, where)
        found.append(Source(**values, base=base))
    return found


def _by_language(value: str | Mapping[str, Any], key: str, where: str) -> dict[str, str]:
    texts = {"": value} if isinstance(value, str) else dict(value)
    if not all(isinstance(text, str) for text in texts.values()):
        raise PcgError(f"{where}: `{key}` holds something that is no text")
    return texts


def gather(sources: Iterable[Source]) -> list[Found]:
    """The levels of all sources, in order; names are told apart afterwards (`name_apart`).

    Raises:
        PcgError: for a source where there is nothing, or that is nothing known, naming it.
    """
    found: list[Found] = []
    for source in sources:
        some = list(_read(source))
        if not some:
            raise PcgError(f"`{source.told}` holds no levels")
        if source.count:
            some = some[: source.count]
        if source.name and len(some) == 1:
            some = [_renamed(some[0], source.name)]
        elif source.name:
            some = [_renamed(one, f"{source.name}-{k}") for k, one in enumerate(some)]
        found += some
        if len(found) > MOST_ITEMS:
            raise PcgError(f"more than {MOST_ITEMS} items: name fewer, or take the first few of each with --count")
    return found


def _renamed(found: Found, name: str) -> Found:
    return Found(**{**_fields(found), "name": name})


def _fields(found: Found) -> dict[str, Any]:
    return {name: getattr(found, name) for name in found.__dataclass_fields__}


def name_apart(found: Sequence[Found]) -> list[Found]:
    """The same with names that are all different, by a number behind the later ones.

    >>> one = Found("a", "g", "", "", "", "")
    >>> [f.name for f in name_apart([one, one])]
    ['a', 'a-2']
    """
    taken: set[str] = set()
    apart = []
    for one in found:
        name, number = one.name, 2
        while name in taken:
            name, number = f"{one.name}-{number}", number + 1
        taken.add(name)
        apart.append(one if name == one.name else _renamed(one, name))
    return apart


# -- reading one source ------------------------------------------------------------------------------------------------


def _read(source: Source) -> Iterator[Found]:
    if not source.what:
        yield from _of_game(source, source.game, source.base)
        return
    path = source.base / source.what
    if path.exists():
        yield from _of_path(source, path)
    elif source.what in builtin_games():
        yield from _of_game(source, source.what, source.base)
    elif glob.has_magic(source.what):
        paths = sorted((Path(p) for p in glob.glob(str(path), recursive=True)), key=_natural)
        if not paths:
            raise PcgError(f"nothing matches `{source.what}`")
        games = {p for p in paths if p.is_file() and _is_game(p)}
        for one in paths:
            if one.is_dir() or one.name == _ARCHIVE or one in games:
                # The levels beside a game come with it when they match as well; a game alone brings all of its own.
                if one not in games or not any(p in paths for p in find_levels(one)):
                    yield from _of_path(source, one)
            elif one.suffix == ".txt":
                yield from _of_path(source, one)
    else:
        hint = did_you_mean(source.what, builtin_games())
        raise PcgError(f"there is nothing at `{source.what}`: neither a file, a folder, nor a built-in game{hint}")


def _natural(path: Path) -> list[tuple[int, str]]:
    """A key that puts lvl10 behind lvl9."""
    return [(int(p), "") if p.isdigit() else (-1, p) for p in re.split(r"(\d+)", str(path))]


def _of_path(source: Source, path: Path) -> Iterator[Found]:
    if path.is_dir():
        yield from _of_folder(source, path)
    elif path.name == _ARCHIVE:
        yield from _of_run(source, path.parent, "cell")
    elif _is_game(path):
        yield from _of_game(source, str(path), Path())
    else:
        yield _level_file(source, path, {})


def _is_game(path: Path) -> bool:
    """Return True for a file with a game rather than a level: games say so in their first words."""
    if path.suffix == ".vgdl":
        return True
    if path.suffix != ".txt":
        return False
    for line in read_source(path)[0].split("\n"):
        words = line.partition("#")[0].split()
        if words:
            return words[0] in ("BasicGame", "GameSpace")
    return False


def _of_game(source: Source, name: str, base: Path) -> Iterator[Found]:
    """Levels of a game that is named."""
    game, rules = _load(name, base, source)
    folder = Path(name).parent.name if Path(name).parent.name else game.name
    common: dict[str, Any] = {
        "game": game.name,
        "rules": rules,
        "source": source.told,
        "folder": folder,
        "said": source,
    }
    if source.level != "":
        text, place = _level(source, game)
        number = source.level if isinstance(source.level, int) else ""
        title = Path(place).stem if "\n" not in place and place.endswith(".txt") else f"{game.name}-level{number}"
        yield Found(name=title, level=text, place=place, **common)
        return
    if not game.levels:
        raise PcgError(f"{game.name} has no levels: expected files such as {game.name}_lvl0.txt beside it")
    for k in _numbers(source.levels or "all", game.name, len(game.levels)):
        yield Found(name=f"{game.name}-{k}", level=game.levels[k], place=f"{game.name}, level {k}", **common)


def _numbers(levels: str, name: str, count: int) -> list[int]:
    return select_levels(levels, [GameEntry(name, "", "", 1, count, "")])[name]


def _level(source: Source, game: Game) -> tuple[str, str]:
    """Text and place of the one level that is named."""
    level = source.level
    if isinstance(level, int) or level.isdecimal():
        number = int(level)
        if not 0 <= number < len(game.levels):
            known = f"0 to {len(game.levels) - 1}" if game.levels else "none"
            raise PcgError(f"{game.name} has no level {number}, expected {known}")
        return game.levels[number], f"{game.name}, level {number}"
    if "\n" in level:
        return level, f"the level of [[item]] {source.name or game.name}"
    path = source.base / level
    return read_source(path)[0], str(path)


def _load(name: str, base: Path, source: Source) -> tuple[Game, str]:
    """A game and its text."""
    file = base / name
    game = load(file if file.exists() else name, reading=source.reading or "strict")
    return game, game.definition.source


def _level_file(source: Source, path: Path, features: Mapping[str, float]) -> Found:
    """A level file with the game that is named, else that beside it."""
    if source.game:
        game, rules = _load(source.game, source.base, source)
    else:
        beside = _game_beside(path)
        if beside is None:
            raise PcgError(f"{path} is a level with no game beside it: say which with --game")
        game = load(beside, reading=source.reading or "strict")
        rules = game.definition.source
    run, generator = _run_of(path.parent)
    game_name = _run_game(path.parent) or (path.parent.name if game.name in ("game",) else game.name)
    return Found(
        f"{path.parent.name or game.name}/{path.stem}", game_name, rules, read_source(path)[0], str(path), source.told,
        path.parent.name, run, generator, dict(features), False, source,
    )  # fmt: skip


def _game_beside(path: Path) -> Path | None:
    """The game of a level file: `game_lvl3.txt` has `game.txt`, others the `game.vgdl` of their folder or above it."""
    stem = re.sub(r"_lvl\d+$", "", path.stem)
    names = [f"{stem}.txt", f"{stem}.vgdl"] if stem != path.stem else []
    for name in (*names, *GAME_FILES):
        if (path.parent / name).is_file():
            return path.parent / name
    above = path.parent.parent / GAME_FILES[0]
    return above if above.is_file() else None


def _of_folder(source: Source, folder: Path) -> Iterator[Found]:
    if (folder / "run.json").is_file():
        kind = check_run(folder).get("kind", LEVELS)
        if kind == LEVELS:
            yield from _of_run(source, folder, "kept")
        elif kind in (RULES, GAMES):
            yield from _of_games(source, folder)
        else:
            raise PcgError(f"{folder} is a run of kind {kind!r}, expected one that makes levels, rules or games")
        return
    indexed = folder / "index.json"
    features = {}
    if indexed.is_file():
        features = {str(e.get("file")): _features(e) for e in read_json(indexed).get("levels", [])}
    inner = sorted((p for p in folder.iterdir() if not p.name.startswith(".")), key=_natural)
    games = [p for p in inner if p.is_file() and _is_game(p)]
    for path in inner:
        if path.is_dir():
            yield from _of_folder(source, path)
        elif path.suffix == ".txt" and path not in games:
            yield _level_file(source, path, features.get(path.name, {}))


def _features(entry: Mapping[str, Any]) -> dict[str, float]:
    values = numbers(entry.get("metrics", {}))
    if entry.get("feasible") and isinstance(entry.get("fitness"), int | float):
        values["fitness"] = float(entry["fitness"])
    return values


def _of_run(source: Source, folder: Path, group: str) -> Iterator[Found]:
    """Levels of a run that makes levels: those kept, or those in the cells of its archive; best first."""
    run = RunFolder(folder)
    entries: Sequence[Entry] = [e for e in run.entries(group) if e.feasible]
    entries = sorted(entries, key=lambda entry: -entry.fitness)  # stable: of equal ones the order stays
    generator = str(run.run["generator"]["name"])
    name = folder.resolve().name
    for entry in entries:
        yield Found(
            f"{name}/{entry.key}", run.game.name, run.game.definition.source, entry.level, f"{folder}, {entry.title}",
            source.told, name, name, generator, {**entry.metrics, "fitness": entry.fitness}, False, source,
        )  # fmt: skip


def _of_games(source: Source, folder: Path) -> Iterator[Found]:
    """Games of a run that makes rules or games, each by its first level unless more are wanted; best first."""
    manifest = check_run(folder)
    games = folder / "games"
    name = folder.resolve().name
    index = read_json(games / "index.json")["games"] if (games / "index.json").is_file() else []
    for entry in index:
        file = games / Path(str(entry["file"])).name
        game = load(file, reading=source.reading or "strict")
        values = {**numbers(entry), **numbers(entry.get("metrics") or {})}
        features = {k: v for k, v in values.items() if k not in ("id", "generation", "start", "feasible", "constraint")}
        chosen = _numbers(source.levels or "0", file.stem, len(game.levels))
        for k in chosen:
            yield Found(
                f"{name}/{file.stem}" + (f"-{k}" if len(chosen) > 1 else ""), f"{name}/{file.stem}",
                game.definition.source, game.levels[k], f"{file}, level {k}", source.told, name, name,
                str(manifest["generator"]["name"]), features, len(chosen) == 1, source,
            )  # fmt: skip


def _run_of(folder: Path) -> tuple[str, str]:
    """Name and generator of the run that a folder of levels belongs to."""
    for place in (folder, folder.parent):
        if (place / "run.json").is_file():
            manifest = check_run(place)
            return place.resolve().name, str(manifest.get("generator", {}).get("name", ""))
    return "", ""


def _run_game(folder: Path) -> str:
    for place in (folder, folder.parent):
        if (place / "run.json").is_file():
            about = check_run(place).get("game")
            return str(about.get("name", "")) if isinstance(about, Mapping) else ""
    return ""
