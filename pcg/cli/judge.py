"""The command `judge`: what a judge says of a game with its levels, part by part."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pcg.cli.console import bad, console, escape
from pcg.cli.options import JsonOption, LoadOption, SeedOption, load_files
from pcg.cli.sources import ReadingChoice, chosen_levels, load_game

if TYPE_CHECKING:
    from pcg.evaluators.judging import Judgement

PANEL = "Measure levels"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(rich_help_panel=PANEL)(judge)


def judge(
    game: Annotated[str, typer.Argument(help="Name of a built-in game, or a file: a VGDL game or a rule sheet.")],
    levels: Annotated[str, typer.Option(help="Levels that are judged: all, or as in 0-2,4.")] = "all",
    seed: SeedOption = 1,
    effort: Annotated[
        float, typer.Option(min=0.01, max=1000.0, help="Factor on what capable players may spend.")
    ] = 1.0,
    reading: ReadingChoice = None,
    load: LoadOption = None,
    as_json: JsonOption = False,
) -> None:
    """Judge a game with its levels: whether it meets all constraints, its value, and the parts that make it up."""
    from pcg.engine.game import Game
    from pcg.evaluators.judging import judge_board_game
    from pcg.evaluators.judging.games import judge_game

    load_files(load)
    loaded: Any = load_game(game, reading.value if reading else None)
    if isinstance(loaded, Game):
        judgement = judge_game(loaded, chosen_levels(loaded, levels), seed=seed, effort=effort)
    elif levels != "all":
        raise bad(f"--levels {levels}: `{loaded.name}` is a board game (a rule sheet) and has no levels")
    else:
        judgement = judge_board_game(loaded, seed=seed)
    if as_json:
        print(json.dumps({"game": loaded.name, **judgement.as_dict()}, indent=1, ensure_ascii=False))
    else:
        _print(judgement)


def _print(judgement: Judgement) -> None:
    from rich.table import Table

    table = Table("part", "value", "weight", "what was found")
    for part in judgement.parts:
        table.add_row(part.name, f"{part.value:.2f}", f"{part.weight:.3f}", escape(part.sentence))
    screen = console()
    screen.print(table)
    verdict = f"feasible, value {judgement.value:.3f}" if judgement.feasible else f"not feasible: {judgement.problem}"
    screen.print(escape(verdict))
