"""From what a person types to a game: the name of a built-in game, or a file."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from pcg.engine.game import Game


class Reading(StrEnum):
    """Way of reading doubtful text."""

    strict = "strict"
    gvgai = "gvgai"


_HELP = "strict: anything doubtful is an error; gvgai: read what the reference reads."
ReadingOption = Annotated[Reading, typer.Option("--reading", help=_HELP)]
ReadingChoice = Annotated[
    Reading | None,
    typer.Option(
        "--reading",
        help=f"{_HELP} Without it, built-in games are read strictly, and files as the reference does unless it would "
        "leave out a part of them.",
    ),
]


def game_file(name: str) -> Path:
    """Return the file of a built-in game or board game, or the file that is named.

    Raises:
        PcgError: there is neither.
    """
    from pcg.engine.game import builtin_games, builtin_sheets, evolved_games, no_such_game

    path, sheets = Path(name), builtin_sheets()
    folders = {**evolved_games(), **builtin_games()}
    built_in = {game: folder / "game.vgdl" for game, folder in folders.items()} | sheets
    if path.is_file():
        return path
    if name in built_in:
        return built_in[name]
    if (path / "game.vgdl").is_file():
        return path / "game.vgdl"
    raise no_such_game(name)


STANDARD_INPUT = "-"
"""The name of a game, or of a level, that is read from standard input."""


def read_input(name: str) -> str:
    """Return what stands for a name: the text on standard input for ``-``, else the name itself.

    Raises:
        VGDLError: what is on standard input is no text.
    """
    if name != STANDARD_INPUT:
        return name
    from pcg.engine.vgdl.source import fail

    try:
        text = sys.stdin.read()
    except UnicodeDecodeError:
        raise fail("not a text: it is not UTF-8", file="standard input") from None
    return text if text.endswith("\n") else f"{text}\n"  # a text of one line is no name either


def load_game(name: str, reading: str | None = None) -> Any:
    """Load a VGDL game or a rule sheet by its name, from a file, or with ``-`` from standard input."""
    from pcg.engine.game import load

    return load(read_input(name), reading=reading)


def load_with_levels(name: str, reading: str | None = None) -> Game:
    """Load a game whose levels are looked at or played on a grid.

    Raises:
        PcgError: it is a rule sheet, which has none.
    """
    from pcg.engine.game import refuse_board_game

    game: Game = load_game(name, reading)
    refuse_board_game(game)
    warn_of_names(game)
    return game


def warn_of_names(game: Game) -> None:
    """Print on standard error what a game names that there is not, such as a misspelt parameter."""
    from pcg.cli.console import is_quiet

    for found in game.definition.diagnostics:
        if found.name and not is_quiet():
            print(found, file=sys.stderr)


def level_text(game: Game, name: str) -> str:
    """Return the text of a level that is named: a number of the game's own, or a file.

    Raises:
        PcgError: there is no such level.
    """
    from pcg.engine.vgdl.source import read_source

    place = level_of(name)
    if isinstance(place, str):
        return place
    if isinstance(place, Path):
        return read_source(place)[0]
    game.read_level(place)  # says so when there is none
    return game.levels[place]


def chosen_levels(game: Game, text: str) -> list[str]:
    """Return the texts of a game's levels that are named: all, or as in 0-2,4.

    Raises:
        PcgError: the text names none of them, or cannot be read.
    """
    if text == "all":
        return list(game.levels)
    from pcg.evaluators.tournament.games import Entry, select_levels

    entry = Entry(game.name, "", game.reading, game.players, len(game.levels), "")
    return [game.levels[k] for k in select_levels(text, [entry])[game.name]]


def level_of(text: str) -> int | str | Path:
    """Read a level as people name it: its number in the game, a file, or with ``-`` its text on standard input.

    >>> level_of("3")
    3
    """
    if text == STANDARD_INPUT:
        return read_input(text)
    return int(text) if text.isascii() and text.isdigit() else Path(text)


def levels_or_all(game: Game, named: list[str] | None) -> list[str]:
    """Return the levels that are named, or the numbers of all the game has.

    Raises:
        PcgError: none is named, and the game has none.
    """
    if not named and not game.levels:
        game.read_level(0)  # says so
    return named or [str(k) for k in range(len(game.levels))]
