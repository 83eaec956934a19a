"""The command that repairs levels."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pcg.cli.console import report_error, write_file
from pcg.cli.options import JsonOption, SeedOption
from pcg.cli.sources import ReadingChoice, level_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PANEL = "Make levels"
NO_REPAIR = 1
"""Exit code when no repair was found."""


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(rich_help_panel=PANEL)(repair)


def repair(
    game: Annotated[str, typer.Argument(help="Name of a built-in game, or a game file.")],
    level: Annotated[
        str, typer.Argument(help="Level file, the number of one of the game's levels, or - for standard input.")
    ],
    method: Annotated[str, typer.Option(help="auto, solver, search or mend.")] = "auto",
    want: Annotated[
        list[str] | None,
        typer.Option("--target", "--want", help="What the level is to be like, as in enemies=3, symmetry>=0.8."),
    ] = None,
    lock: Annotated[
        Path | None,
        typer.Option(help="A text of the level's shape; cells with # in it stay as they are.", show_default=False),
    ] = None,
    seed: SeedOption = 1,
    max_moves: Annotated[int, typer.Option(min=0, help="The level can be won in so many moves (games to plan).")] = 0,
    evaluations: Annotated[int, typer.Option(min=1, help="Levels the search may look at.")] = 200,
    seconds: Annotated[float, typer.Option(min=0.1, help="Time auto may take, or the solver alone.")] = 20.0,
    out: Annotated[Path | None, typer.Option(help="File for the repaired level. [default: standard output]")] = None,
    as_json: JsonOption = False,
    reading: ReadingChoice = None,
) -> None:
    """Make a level sound with few edits, and say what each is for.

    The repaired level goes to standard output, the edits to standard error. Exit code 1: no repair was found.
    """
    import json

    from pcg.cli.sources import load_with_levels
    from pcg.generators.levels.asp.clingo_solver import OutOfTimeError
    from pcg.generators.levels.asp.search import ClashError
    from pcg.generators.levels.repair.level import NoRepairError, repair_level

    loaded = load_with_levels(game, reading=reading.value if reading else None)
    text = level_text(loaded, level)
    locked = None if lock is None else _mask(lock, text)
    try:
        result = repair_level(
            loaded, text, method=method, targets=", ".join(want or []), locked=locked,
            seed=seed, max_moves=max_moves, evaluations=evaluations, seconds=seconds,
        )  # fmt: skip
    except (NoRepairError, ClashError, OutOfTimeError) as error:
        report_error(str(error))
        raise typer.Exit(NO_REPAIR) from None
    if out is not None:
        write_file(out, result.level + "\n")
    if as_json:
        print(json.dumps(result.to_json(), indent=2, ensure_ascii=False))
        return
    print(result, file=sys.stderr)
    if out is None:
        print(result.level)


def _mask(path: Path, level: str) -> NDArray[np.bool_]:
    """Return the locked cells in a file."""
    import numpy as np

    rows = path.read_text(encoding="utf-8").splitlines()
    lines = level.splitlines()
    mask = np.zeros((len(lines), max((len(line) for line in lines), default=0)), bool)
    for y, row in enumerate(rows[: mask.shape[0]]):
        for x, char in enumerate(row[: mask.shape[1]]):
            mask[y, x] = char == "#"
    return mask
