"""From what a person types to a game: the name of a built-in game, or a file."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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


def load_with_levels(name: str, reading: str | None = None) -> Game:
    """Load a game whose levels are looked at or played on a grid.

    Raises:
        PcgError: it is a rule sheet, which has none.
    """
    from pcg.engine.game import load, refuse_board_game

    game = load(name, reading=reading)
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
    if isinstance(place, Path):
        return read_source(place)[0]
    game.read_level(place)  # says so when there is none
    return game.levels[place]


def level_of(text: str) -> int | Path:
    """Read a level as people name it: its number in the game, or a file.

    >>> level_of("3")
    3
    """
    return int(text) if text.isascii() and text.isdigit() else Path(text)
