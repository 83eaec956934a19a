"""Commands for files of other programs: `convert` levels, and write runs as tables with `table`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pcg.cli.console import bad
from pcg.cli.sources import ReadingChoice


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(convert)
    app.command()(table)


def convert(
    game: Annotated[str, typer.Argument(help="Name of a built-in game, or a game file: whose characters are meant.")],
    out: Annotated[
        Path,
        typer.Option(help="What to write: .tmj (Tiled, one level), .ldtk, .txt (one level), or a folder: a game with "
                     "these levels."),
    ],
    files: Annotated[
        list[str] | None,
        typer.Argument(help="Files of Tiled (.tmj, .json), LDtk (.ldtk), PuzzleScript (.ps) or text (.txt), or numbers "
                       "of the game's own levels; without any, all of these."),
    ] = None,
    mapping: Annotated[
        Path | None,
        typer.Option(help='JSON object from what the files call things to characters of the game: {"X": "w"}.'),
    ] = None,
    form: Annotated[
        str | None, typer.Option("--from", help="Format of the files: text, tiled, ldtk or puzzlescript; as the "
                                 "suffix says without it."),
    ] = None,
    reading: ReadingChoice = None,
) -> None:  # fmt: skip
    """Convert levels from and to Tiled, LDtk, PuzzleScript and text corpora.

    A folder becomes a game with these levels: `pcg levels FOLDER --generator wfc` learns from them.
    """
    from pcg.cli.console import write_file
    from pcg.cli.sources import STANDARD_INPUT, level_text, levels_or_all, load_with_levels
    from pcg.engine.vgdl import check_level
    from pcg.files import read_levels, read_mapping, write_game, write_ldtk, write_tiled

    loaded = load_with_levels(game, reading=reading.value if reading else None)
    known = read_mapping(loaded, mapping)
    levels: list[str] = []
    for name in levels_or_all(loaded, files):
        if name.isdecimal() or name == STANDARD_INPUT:
            levels.append(level_text(loaded, name).rstrip("\n"))
        else:
            levels += read_levels(Path(name), known, form)
    suffix = out.suffix.lower()
    if suffix in (".tmj", ".json", ".txt") and len(levels) != 1:
        raise bad(f"{out} holds one level, and there are {len(levels)}: name a folder or an .ldtk file")
    if suffix in (".tmj", ".json"):
        write_tiled(loaded, levels[0], out)
    elif suffix == ".ldtk":
        write_ldtk(loaded, levels, out)
    elif suffix == ".txt":
        write_file(out, levels[0] + "\n")
    elif suffix:
        raise bad(f"{out}: expected .tmj, .ldtk, .txt or the name of a folder")
    else:
        if out.is_dir() and any(out.iterdir()):
            raise bad(f"{out} is not empty")
        write_game(loaded, levels, out)
    wrong = sum(any(f.severity == "error" for f in check_level(text, loaded.definition)) for text in levels)
    note = f"; {wrong} cannot be played as they are (`pcg repair` makes them sound)" if wrong else ""
    print(f"saved {out}: {len(levels)} level{'' if len(levels) == 1 else 's'}{note}")


def table(
    folder: Annotated[Path, typer.Argument(help="Folder of a run.")],
    out: Annotated[
        Path, typer.Option(help="What to write: .csv, .parquet (the extra `tables`), or a folder: a dataset on disk.")
    ],
) -> None:
    """Write the evaluations of a run as a table: a row for each candidate with all its measures."""
    from pcg.files import write_dataset, write_table

    number = write_table(folder, out) if out.suffix else write_dataset(folder, out)
    print(f"saved {out}: {number} rows")
