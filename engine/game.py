"""Games: load one, see its levels, start playing.

`load` takes a built-in name, a file, or VGDL text. A `Game` compiles each of its levels once and hands out states.
"""

from __future__ import annotations

import hashlib
import os
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pcg.engine.arguments import named_arguments
from pcg.engine.vgdl import read_game, read_level
from pcg.engine.vgdl.definition import GameDefinition, Level
from pcg.engine.vgdl.diagnostics import Diagnostic, PcgError, VGDLError, nearest

if TYPE_CHECKING:
    from pcg.engine.context import Context
    from pcg.engine.envs import VectorEnv
    from pcg.engine.envs.plays import Levels
    from pcg.engine.state import State
    from pcg.engine.vgdl.compiler import GameTables

_CONTEXTS_KEPT = 64


def builtin_games() -> dict[str, Path]:
    """Names and folders of the games that come with the toolkit.

    >>> "boxes" in builtin_games()
    True
    """
    root = Path(str(resources.files("pcg.games"))) / "vgdl"
    if not root.is_dir():
        return {}
    return {p.name: p for p in sorted(root.iterdir()) if (p / "game.vgdl").is_file()}


def evolved_games() -> dict[str, Path]:
    """Names and folders of the evolved games that come with the toolkit: rules that a search found, chosen by hand."""
    root = Path(str(resources.files("pcg.games"))) / "evolved"
    if not root.is_dir():
        return {}
    return {p.name: p for p in sorted(root.iterdir()) if (p / "game.vgdl").is_file()}


def builtin_sheets() -> dict[str, Path]:
    """Names and files of the board games that come with the toolkit: rule sheets in the Game Description Language.

    >>> builtin_sheets()["connect-four"].name
    'connect-four.kif'
    """
    root = Path(str(resources.files("pcg.games"))) / "gdl"
    return {p.stem: p for p in sorted(root.glob("*.kif"))}


def find_levels(path: Path) -> list[Path]:
    """Level files that belong to a game file: ``<stem>_lvl<k>.txt`` beside it, or ``lvl<k>.txt`` in its folder."""

    def number(p: Path) -> int:
        found = re.search(r"lvl(\d+)$", p.stem)
        return int(found.group(1)) if found else -1

    beside = [p for p in path.parent.glob(f"{_glob_safe(path.stem)}_lvl*.txt") if number(p) >= 0]
    if not beside and path.name in ("game.vgdl", "game.txt"):
        beside = [p for p in path.parent.glob("lvl*.txt") if number(p) >= 0]
    return sorted(beside, key=number)


def _glob_safe(text: str) -> str:
    return re.sub(r"([\[\]*?])", r"[\1]", text)


class Game:
    """A game ready to play.

    Attributes:
        name: built-in name or file stem.
        definition: the resolved game.
        levels: texts of its levels.
        reading: "strict" or "gvgai", also used for its levels.

    >>> game = load("boxes")
    >>> game, game.players, game.reading
    (<Game boxes: 8 sprite types, 5 levels>, 1, 'strict')
    """

    def __init__(
        self,
        definition: GameDefinition,
        levels: Sequence[str] = (),
        *,
        name: str | None = None,
        reading: str = "gvgai",
        level_files: Sequence[str] = (),
        tables: GameTables | None = None,
        level_reader: Callable[[str], Level] | None = None,
    ) -> None:
        self.definition = definition
        self.name = name or definition.name
        self.levels = tuple(levels)
        self.reading = reading
        self._level_files = tuple(level_files)
        # a game space is one text for many games
        space = repr(definition) if definition.class_name == "GameSpace" else ""
        self.digest = hashlib.sha256((definition.source + space).encode()).hexdigest()[:32]
        # a game made by a rule compiler shares work with others for the same sprites
        self._tables = tables
        self._level_reader = level_reader
        self._contexts: OrderedDict[str, Context] = OrderedDict()
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        return f"<Game {self.name}: {len(self.definition.types)} sprite types, {len(self.levels)} levels>"

    def __reduce__(self) -> tuple[Any, ...]:
        # tables and contexts are made again where they are needed
        return _made_again, (self.definition, self.levels, self.name, self.reading, self._level_files)

    @property
    def players(self) -> int:
        """Number of players, 1 or 2."""
        return self.definition.players

    @property
    def tables(self) -> GameTables:
        """The compiled tables, made on first use."""
        if self._tables is None:
            from pcg.engine.vgdl.compiler import GameTables

            with self._lock:
                if self._tables is None:
                    self._tables = GameTables(self.definition)
        return self._tables

    def read_level(self, level: int | str | Path | Level = 0) -> Level:
        """A level resolved against this game.

        Args:
            level: index into `levels`, a level text (several lines), a file, or a `Level`.

        Raises:
            VGDLError: the level does not fit the game.
            PcgError: no such level.

        >>> level = load("boxes").read_level(0)
        >>> level.width, level.height, level.block_size
        (9, 8, 88)
        """
        if isinstance(level, Level):
            return level
        if isinstance(level, Path):
            return read_level(_text_of(level), self.definition, reading=self.reading, file=str(level))
        if isinstance(level, str):
            if self._level_reader is not None:
                return self._level_reader(level)
            return read_level(level, self.definition, reading=self.reading)
        if not self.levels:
            raise PcgError(
                f"{self.name} has no levels: expected files such as {self.name}_lvl0.txt beside it, or a level text"
            )
        if not 0 <= level < len(self.levels):
            raise PcgError(f"{self.name} has no level {level}, expected 0 to {len(self.levels) - 1}")
        if self._level_reader is not None:
            return self._level_reader(self.levels[level])
        file = self._level_files[level] if level < len(self._level_files) else f"{self.name} level {level}"
        return read_level(self.levels[level], self.definition, reading=self.reading, file=file)

    def context(self, level: int | str | Path | Level = 0) -> Context:
        """The game compiled for a level; the most recent ones are kept."""
        from pcg.engine.context import Context

        resolved = self.read_level(level)
        key = "\n".join(resolved.rows)
        with self._lock:
            found = self._contexts.get(key)
            if found is not None:
                self._contexts.move_to_end(key)
                return found
        made = Context(self.tables, resolved)
        with self._lock:
            found = self._contexts.setdefault(key, made)
            while len(self._contexts) > _CONTEXTS_KEPT:
                self._contexts.popitem(last=False)
        return found

    def copy(self) -> Game:
        """The same game with contexts of its own, so that limits set on them touch no play of this one.

        >>> game = load("boxes")
        >>> game.copy().context(0) is game.context(0)
        False
        """
        return Game(
            self.definition,
            self.levels,
            name=self.name,
            reading=self.reading,
            level_files=self._level_files,
            tables=self.tables,
            level_reader=self._level_reader,
        )

    def start(self, level: int | str | Path | Level = 0, seed: int = 0) -> State:
        """The state before the first tick.

        Args:
            level: index into `levels`, a level text, a file, or a `Level`.
            seed: seed of the game's java.util.Random (a 32-bit int as in the reference).

        Raises:
            VGDLError: the level does not fit the game.
            PcgError: no such level.

        >>> load("boxes").start(level=0, seed=1)
        <State of boxes: tick -1, score 0.0>
        """
        from pcg.engine.state import begin

        return begin(self, self.context(level), seed)

    def vectorize(self, num_envs: int, level: Levels = 0, *, observation: str = "planes", **options: Any) -> VectorEnv:
        """Many plays of this game as a Gymnasium vector environment, stepped in compiled code without the GIL.

        Needs the extra `envs`. See `pcg.engine.envs.VectorEnv` for the options.

        >>> envs = load("boxes").vectorize(3)
        >>> observations, infos = envs.reset(seed=1)
        >>> observations.shape
        (3, 7, 8, 9)
        """
        from pcg.engine.envs import VectorEnv

        return VectorEnv(self, num_envs, level, observation=observation, **options)

    def restore(self, data: bytes) -> State:
        """The state that `State.to_bytes` serialised. Raises PcgError for anything else, or another game's state.

        >>> game = load("boxes")
        >>> game.restore(game.start(level=0, seed=1).to_bytes())
        <State of boxes: tick -1, score 0.0>
        """
        from pcg.engine.state import restore

        return restore(self, data)


def _made_again(
    definition: GameDefinition, levels: Sequence[str], name: str, reading: str, files: Sequence[str]
) -> Game:
    return Game(definition, levels, name=name, reading=reading, level_files=files)


def _text_of(path: Path) -> str:
    from pcg.engine.vgdl.source import read_source

    return read_source(path)[0]


@named_arguments
def load(source: str | Path, levels: Sequence[str | Path] | None = None, *, reading: str | None = None) -> Game:
    """Load a game.

    Args:
        source: name of a built-in game ("boxes"), path of a game file or of a folder with ``game.vgdl``, or VGDL text.
            A rule sheet in the Game Description Language (a built-in one such as "connect-four", a file ``*.kif``, or
            its text) gives a `pcg.engine.gdl.GdlGame`, which has one level and as many players as roles.
        levels: level texts or files; by default those found beside the game file.
        reading: "strict" or "gvgai"; by default strict for built-in games, else gvgai (what the reference reads), but
            a game is refused of which the reference would silently leave out a part, such as a misspelt class.

    Raises:
        VGDLError: the text is not a game.
        PcgError: there is no such game.

    >>> load("boxes").players
    1
    >>> load("no-such-game")
    Traceback (most recent call last):
    pcg.engine.vgdl.diagnostics.PcgError: no game `no-such-game`: neither a file nor a built-in game...
    """
    if not isinstance(source, str | os.PathLike):
        raise PcgError(f"no game {source!r}: expected a name, a file, or VGDL text")
    sheets = builtin_sheets() if isinstance(source, str) else {}
    if isinstance(source, str) and source in sheets and not Path(source).is_file():
        source = sheets[source]
    if is_rule_sheet(source):
        from pcg.engine.gdl import load as load_sheet

        sheet: Any = load_sheet(source)
        return sheet  # type: ignore[no-any-return]
    if isinstance(source, str) and ("\n" in source or source == ""):
        mode = reading or "gvgai"
        definition = _read_complete(source) if reading is None else read_game(source, reading=reading)
        return Game(definition, [_level_text(lv) for lv in levels or ()], reading=mode)
    path = Path(source)
    name: str | None = None
    builtin = {**evolved_games(), **builtin_games()} if isinstance(source, str) else {}
    if isinstance(source, str) and source in builtin and not path.is_file():
        path, name, reading = builtin[source] / "game.vgdl", source, reading or "strict"
    elif path.is_dir() and (path / "game.vgdl").is_file():
        name = path.name
        path = path / "game.vgdl"
    elif not path.is_file():
        raise no_such_game(source)
    mode = reading or "gvgai"
    definition = _read_complete(path) if reading is None else read_game(path, reading=reading)
    if levels is None:
        files = find_levels(path)
        texts, names = [_text_of(p) for p in files], [str(p) for p in files]
    else:
        texts, names = [_level_text(lv) for lv in levels], [str(lv) if isinstance(lv, Path) else "" for lv in levels]
    return Game(definition, texts, name=name or path.stem, reading=mode, level_files=names)


def no_such_game(source: str | Path) -> PcgError:
    """Return the error that there is no game of this name, with the nearest that there is.

    >>> no_such_game("dungon")
    PcgError('no game `dungon`: neither a file nor a built-in game, did you mean `dungeon`?')
    >>> no_such_game("mine.txt")
    PcgError('no game `mine.txt`: there is no such file')
    """
    path = Path(source)
    if path.is_dir():
        return PcgError(f"no game `{source}`: the folder has no file game.vgdl; name the file of the game")
    if path.suffix or len(path.parts) > 1:
        try:
            beside = sorted(one.name for one in path.parent.iterdir())
        except OSError:
            return PcgError(f"no game `{source}`: there is no folder `{path.parent}`")
        close = nearest(path.name, beside)
        return PcgError(
            f"no game `{source}`: there is no such file" + (f", did you mean `{path.parent / close}`?" if close else "")
        )
    known = [*evolved_games(), *builtin_games(), *builtin_sheets()]
    close = nearest(str(source), known)
    hint = f", did you mean `{close}`?" if close else "; `pcg list games` names these, and the path of a file works too"
    return PcgError(f"no game `{source}`: neither a file nor a built-in game{hint}")


def refuse_board_game(game: object) -> None:
    """Refuse a rule sheet where only a game with sprites and levels makes sense.

    Raises:
        PcgError: it is one.

    >>> refuse_board_game(load("boxes"))
    """
    if not isinstance(game, Game):
        name = getattr(game, "name", game)
        raise PcgError(f"`{name}` is a board game (a rule sheet) and has no levels; expected a VGDL game")


def _read_complete(source: str | Path) -> GameDefinition:
    """Read a game as the reference does, but refuse one of which the reference would leave out a part.

    A misspelt class is a sprite that cannot be made, a line without `>` ends its set: no author means that.

    Raises:
        VGDLError: with the mistakes as errors.
    """
    from pcg.engine.vgdl.source import mixed_indentation, read_source

    text, file = read_source(source)
    mixed = mixed_indentation(text)
    try:
        definition = read_game(source, reading="gvgai")
        lost = [replace(found, severity="error") for found in definition.diagnostics if found.lost]
    except VGDLError as error:
        if mixed is None:
            raise
        lost = list(error.diagnostics)
    if not lost:
        return definition
    if mixed is not None:
        shown = text.splitlines()[mixed.line - 1]
        lost = [Diagnostic("error", mixed.message, file, mixed.line, mixed.column, shown, mixed.expected)]
    raise VGDLError(lost)


def is_rule_sheet(source: str | Path) -> bool:
    """Return true for the Game Description Language: no VGDL text begins with a parenthesis or a semicolon."""
    if isinstance(source, str) and source.lstrip()[:1] in ("(", ";"):
        return True
    return str(source)[-4:].lower() == ".kif" and "\n" not in str(source)


def _level_text(level: str | Path) -> str:
    return _text_of(level) if isinstance(level, Path) else level
