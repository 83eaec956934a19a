"""Commands for whole games: `games` lists the built-in ones, `games evolve` makes games out of games."""

from __future__ import annotations

import itertools
from typing import Annotated

import typer

from pcg.cli.console import console, escape, print_parameters
from pcg.cli.options import DRAWING, LoadOption, RunChoices, load_files, run_options
from pcg.cli.rules import DEFAULT_BUDGET, PANEL, finish
from pcg.cli.sources import ReadingChoice


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    games = typer.Typer(invoke_without_command=True, help="List the built-in games, or make games out of games.")
    games.callback()(_games)
    games.command("evolve")(evolve_games)
    games.command("generators")(game_generators)
    app.add_typer(games, name="games", rich_help_panel=PANEL)


def _games(context: typer.Context) -> None:
    """List the built-in games, or make games out of games."""
    if context.invoked_subcommand is None:
        list_games()


def list_games() -> None:
    """List the built-in games, those that were evolved, and the built-in board games."""
    from rich.table import Table

    from pcg.engine.game import builtin_games, builtin_sheets, evolved_games, find_levels

    for head, games in (("name", builtin_games()), ("evolved game", evolved_games())):
        table = Table(head, "levels", "what it is about")
        for name, folder in games.items():
            file = folder / "game.vgdl"
            about = file.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")
            table.add_row(name, str(len(find_levels(file))), escape(about))
        if games:
            console().print(table)
    boards = Table("board game", "players", "what it is about")
    for name, file in builtin_sheets().items():
        lines = file.read_text(encoding="utf-8").splitlines()
        head = " ".join(line.lstrip("; ") for line in itertools.takewhile(lambda line: line.startswith(";"), lines[1:]))
        boards.add_row(name, str(sum(line.startswith("(role ") for line in lines)), escape(_first_sentence(head)))
    console().print(boards)


def _first_sentence(text: str) -> str:
    return text.partition(". ")[0].strip().rstrip(".") + "."


@run_options(
    budget=DEFAULT_BUDGET,
    folder="GAME-games",
    examples="generator.population=100, evaluation.plays=5 or run.distance=0.3",
    imports=("pcg.runs.experiments.games", "pcg.report.rules", "pcg.describe", "pcg.render", *DRAWING),
)
def evolve_games(
    games: Annotated[
        list[str],
        typer.Argument(help="Games to begin with: names of built-in games, or game files.", metavar="GAME..."),
    ],
    levels: Annotated[str, typer.Option("--levels", "--level", help="Levels of each: all, or as in 0-2.")] = "all",
    generator: Annotated[
        str, typer.Option(help="How games are made; `pcg list game-generators` lists the names.")
    ] = "evolve",
    count: Annotated[int, typer.Option("-n", "--count", min=1, help="Games wanted.")] = 10,
    max_edits: Annotated[
        int,
        typer.Option(
            min=0, help="Most lines, rows of levels included, in which a game may differ from the nearest; 0: any."
        ),
    ] = 0,
    reading: ReadingChoice = None,
    *,
    run: RunChoices,
) -> None:
    """Make games out of games: sprites, rules and levels change together, such that skill decides.

    Agents from idle to strong play every game that is tried; the best are played again with other seeds at the end. The
    folder gets the games with their levels, an index of them, and report.html. Ctrl-C stops, `pcg resume` goes on.
    """
    import shlex

    from pcg.runs import GamesRun, run_games

    data = run.sections("generator.population=100", {
        "games": shlex.join(games), "levels": levels, "generator": generator, "count": count, "max_edits": max_edits,
        "reading": reading.value if reading else "",
    })  # fmt: skip
    config = GamesRun.from_mapping(data, "--set")
    with run.execution() as options:
        result = run_games(config, run.folder(games[0], "games"), **options)
    finish(result)


def game_generators(load: LoadOption = None) -> None:
    """List the generators of games and their parameters, and what an evaluation can be told."""
    from pcg.evaluators.games import PARAMETERS
    from pcg.generators.games import GAME_GENERATORS

    load_files(load)
    print_parameters((kind.name, kind.help, kind.parameters) for kind in GAME_GENERATORS.values())
    print_parameters([("evaluation", "how games are judged (--set evaluation.NAME=VALUE)", PARAMETERS)])
