"""From what a person types to a game: the name of a built-in game, or a file."""

from __future__ import annotations

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


_HELP = "strict: anything doubtful is an error; gvgai: read what the reference reads, and warn."
ReadingOption = Annotated[Reading, typer.Option("--reading", help=_HELP)]
ReadingChoice = Annotated[
    Reading | None,
    typer.Option(
        "--reading", help=f"{_HELP} Without it, built-in games are read strictly and files as the reference does."
    ),
]


def game_file(name: str) -> Path:
    """Return the file of a built-in game, or the file that is named.

    Raises:
        PcgError: there is neither.
    """
    from pcg.engine.game import builtin_games
    from pcg.engine.vgdl.diagnostics import PcgError, nearest

    path, built_in = Path(name), builtin_games()
    if path.is_file():
        return path
    if name in built_in:
        return built_in[name] / "game.vgdl"
    if (path / "game.vgdl").is_file():
        return path / "game.vgdl"
    near = nearest(name, built_in)
    hint = f", did you mean `{near}`?" if near else f" (built-in games: {', '.join(built_in)})"
    raise PcgError(f"no game `{name}`: neither a file nor a built-in game{hint}")


def load_with_levels(name: str, reading: str | None = None) -> Game:
    """Load a game whose levels are looked at or played on a grid.

    Raises:
        PcgError: it is a rule sheet, which has none.
    """
    from pcg.engine.game import Game, load
    from pcg.engine.vgdl.diagnostics import PcgError

    game = load(name, reading=reading)
    if not isinstance(game, Game):
        raise PcgError(f"`{name}` is a board game (a rule sheet) and has no levels; expected a VGDL game")
    return game


def level_of(text: str) -> int | Path:
    """Read a level as people name it: its number in the game, or a file.

    >>> level_of("3")
    3
    """
    return int(text) if text.isascii() and text.isdigit() else Path(text)
