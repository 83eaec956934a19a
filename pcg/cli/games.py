"""Commands that make rules and games: `rules`, `rule-generators`, `games evolve` and `games generators`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pcg.cli.console import INTERRUPTED, console, errors, print_parameters, report_error
from pcg.cli.levels import NOTHING_FOUND, ClusterOption, ExecutorOption, WorkersOption, read_setting, where_of
from pcg.cli.play import list_games
from pcg.cli.sources import ReadingChoice
from pcg.cli.tune import read_budget

if TYPE_CHECKING:
    from pcg.runs.made_games import MakingProgress, MakingResult

PANEL = "Make rules"
DEFAULT_BUDGET = "2m"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(rich_help_panel=PANEL)(rules)
    app.command("rule-generators", rich_help_panel=PANEL)(rule_generators)
    games = typer.Typer(invoke_without_command=True, help="List the built-in games, or make games out of games.")
    games.callback()(_games)
    games.command("evolve")(evolve_games)
    games.command("generators")(game_generators)
    app.add_typer(games, name="games", rich_help_panel=PANEL)


def rules(
    game: Annotated[str, typer.Argument(help="Name of a built-in game, or a game file: its sprites and levels count.")],
    level: Annotated[str, typer.Option(help="Levels that rules are made for: all, or as in 0-2.")] = "all",
    generator: Annotated[
        str, typer.Option(help="How rules are made; `pcg rule-generators` lists the names.")
    ] = "evolve",
    count: Annotated[int, typer.Option("-n", "--count", min=1, help="Games wanted.")] = 10,
    start: Annotated[
        str, typer.Option(help="What the search begins with: nothing, or the game's own rules (own).")
    ] = "nothing",
    budget: Annotated[
        str, typer.Option(help="Stop after this time, as in 10m or 300s, or after this number of evaluations.")
    ] = DEFAULT_BUDGET,
    seed: Annotated[int, typer.Option(help="Equal seeds give equal games.")] = 1,
    workers: WorkersOption = None,
    executor: ExecutorOption = None,
    cluster: ClusterOption = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the run, new or empty. [default: GAME-rules]")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="A parameter, as in generator.population=100, evaluation.plays=5, run.distance=0.3 or run.drop=0.3.",
        ),
    ] = None,
    reading: ReadingChoice = None,
) -> None:
    """Make rules and goals for the sprites and levels of a game, such that skill decides.

    Agents from idle to strong play every game that is tried; the best are played again with other seeds at the end. The
    folder gets the games with their levels, an index of them, and report.html. Ctrl-C stops, `pcg resume` goes on.
    """
    from pcg.runs.rules import run_rules
    from pcg.runs.rules_config import RulesRun

    seconds, evaluations = read_budget(budget)
    data: dict[str, dict[str, Any]] = {
        "run": {
            "game": game, "levels": level, "generator": generator, "count": count, "start": start, "seed": seed,
            "reading": reading.value if reading else "",
        },
        "budget": {"seconds": seconds, "evaluations": evaluations},
    }  # fmt: skip
    for setting in settings or []:
        section, name, value = read_setting(setting, "generator.population=100")
        data.setdefault(section, {})[name] = value
    config = RulesRun.from_mapping(data, "--set")
    folder = out or Path(f"{Path(game).stem}-rules")
    with making_bar() as progress:
        result = run_rules(config, folder, workers=workers, executor=where_of(executor, cluster), progress=progress)
    finish(result)


def rule_generators() -> None:
    """List the rule generators and their parameters, and what an evaluation can be told."""
    from pcg.evaluators.games import PARAMETERS
    from pcg.generators.rules import RULE_GENERATORS

    print_parameters((kind.name, kind.help, kind.parameters) for kind in RULE_GENERATORS.values())
    print_parameters([("evaluation", "how games are judged (--set evaluation.NAME=VALUE)", PARAMETERS)])


def _games(context: typer.Context) -> None:
    """List the built-in games, or make games out of games."""
    if context.invoked_subcommand is None:
        list_games()


def evolve_games(
    games: Annotated[
        list[str],
        typer.Argument(help="Games to begin with: names of built-in games, or game files.", metavar="GAME..."),
    ],
    levels: Annotated[str, typer.Option("--levels", "--level", help="Levels of each: all, or as in 0-2.")] = "all",
    generator: Annotated[
        str, typer.Option(help="How games are made; `pcg games generators` lists the names.")
    ] = "evolve",
    count: Annotated[int, typer.Option("-n", "--count", min=1, help="Games wanted.")] = 10,
    max_edits: Annotated[
        int,
        typer.Option(
            min=0, help="Most lines, rows of levels included, in which a game may differ from the nearest; 0: any."
        ),
    ] = 0,
    budget: Annotated[
        str, typer.Option(help="Stop after this time, as in 10m or 300s, or after this number of evaluations.")
    ] = DEFAULT_BUDGET,
    seed: Annotated[int, typer.Option(help="Equal seeds give equal games.")] = 1,
    workers: WorkersOption = None,
    executor: ExecutorOption = None,
    cluster: ClusterOption = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the run, new or empty. [default: GAME-games]")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="A parameter, as in generator.population=100, evaluation.plays=5 or run.distance=0.3."
        ),
    ] = None,
    reading: ReadingChoice = None,
) -> None:
    """Make games out of games: sprites, rules and levels change together, such that skill decides.

    Agents from idle to strong play every game that is tried; the best are played again with other seeds at the end. The
    folder gets the games with their levels, an index of them, and report.html. Ctrl-C stops, `pcg resume` goes on.
    """
    import shlex

    from pcg.runs.games import run_games
    from pcg.runs.games_config import GamesRun

    seconds, evaluations = read_budget(budget)
    data: dict[str, dict[str, Any]] = {
        "run": {
            "games": shlex.join(games), "levels": levels, "generator": generator, "count": count, "seed": seed,
            "max_edits": max_edits, "reading": reading.value if reading else "",
        },
        "budget": {"seconds": seconds, "evaluations": evaluations},
    }  # fmt: skip
    for setting in settings or []:
        section, name, value = read_setting(setting, "generator.population=100")
        data.setdefault(section, {})[name] = value
    config = GamesRun.from_mapping(data, "--set")
    folder = out or Path(f"{Path(games[0]).stem}-games")
    with making_bar() as progress:
        result = run_games(config, folder, workers=workers, executor=where_of(executor, cluster), progress=progress)
    finish(result)


def game_generators() -> None:
    """List the generators of games and their parameters, and what an evaluation can be told."""
    from pcg.evaluators.games import PARAMETERS
    from pcg.generators.games import GAME_GENERATORS

    print_parameters((kind.name, kind.help, kind.parameters) for kind in GAME_GENERATORS.values())
    print_parameters([("evaluation", "how games are judged (--set evaluation.NAME=VALUE)", PARAMETERS)])


@contextmanager
def making_bar() -> Iterator[Callable[[MakingProgress], None]]:
    """A progress bar over the budget; what it is handed to is called after every evaluation."""
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    screen = errors()
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bar:
        task = bar.add_task("getting ready", total=1.0)

        def show(state: MakingProgress) -> None:
            text = f"{state.feasible} of {state.evaluations} games feasible, {state.distinct} of {state.wanted} kept"
            text += f", best {state.best:.2f}"
            text += "; playing the best again" if state.fraction >= 1.0 else ""
            bar.update(task, completed=state.fraction, description=text)

        yield show


def finish(result: MakingResult) -> None:
    """Say what came of a run and write its report; the exit code tells when it was interrupted or found nothing."""
    from rich.table import Table

    from pcg.report.rules import write_rules_report

    report = write_rules_report(result.folder)
    screen = console()
    last = result.summary["confirmed"]
    screen.print(
        f"{result.feasible:,} of {result.evaluations:,} games feasible; {len(result.games)} unlike games kept in "
        f"{result.folder / 'games'}"
    )
    if result.games:
        agents = [p.agent for p in result.games[0].evaluation.profile]
        table = Table("game", "fitness", *agents, "in order", "apart", "rules", title="how well each agent does")
        for k, game in enumerate(result.games):
            verdict = game.confirmed or game.evaluation
            means = [f"{p.performance:.2f}" for p in verdict.profile]
            yes = ["yes" if flag else "no" for flag in (verdict.ordered, verdict.separated)]
            size = str(len(game.candidate.genotype))
            table.add_row(f"game{k}", f"{game.evaluation.fitness:.3f}", *means, *yes, size)
        screen.print(table)
        if last["games"]:
            screen.print(
                f"With other seeds {last['ordered']} of {last['games']} keep all agents in order, "
                f"{last['separated']} keep the weakest and the strongest apart."
            )
    else:
        for reason, times in list(result.summary["reasons"].items())[:5]:
            screen.print(f"  {times} x {reason}")
    screen.print(f"report: {report}")
    if result.stopped == "interrupted":
        report_error(f"interrupted; `pcg resume {result.folder}` goes on")
        raise typer.Exit(INTERRUPTED)
    if not result.games:
        raise typer.Exit(NOTHING_FOUND)
