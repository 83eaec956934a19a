"""Commands that tune games: `tune` and `optimisers`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from pcg.cli.console import console, escape, print_parameters, print_time, stop_if_interrupted
from pcg.cli.options import LoadOption, RunChoices, load_files, run_options
from pcg.cli.sources import ReadingChoice

if TYPE_CHECKING:
    from pcg.runs.experiments.tuning import TuningResult

PANEL = "Tune games"
DEFAULT_BUDGET = "200evaluations"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(rich_help_panel=PANEL)(tune)
    app.command(rich_help_panel=PANEL)(optimisers)


@run_options(
    budget=DEFAULT_BUDGET,
    folder="GAME-tuned",
    examples="optimiser.k=0.1, evaluation.plays=16, evaluation.budget=50 or run.confirm=100",
    imports=("pcg.runs.experiments.tuning", "pcg.report.tuning"),
)
def tune(
    game: Annotated[str, typer.Argument(help="Name of a built-in game, or a game file; it may have a ParameterSet.")],
    target: Annotated[
        list[str],
        typer.Option(
            help="What the game is to be like, as in win_rate:mcts=0.5, duration:mcts=150..300, "
            "skill_depth:random,onestep,mcts, or file.py:function; can be given several times, with a weight as in "
            "2*win_rate:mcts=0.5."
        ),
    ],
    params: Annotated[
        list[str] | None,
        typer.Option(
            help="What may change, as in sprite.missile.speed=0.2..1.0:0.1, rule.3.scoreChange=1..5 or "
            "termination.0.limit=1,2,4, or a TOML file; can be given several times. Without it the ParameterSet."
        ),
    ] = None,
    optimiser: Annotated[
        str, typer.Option(help="How values are chosen; `pcg list optimisers` lists the names.")
    ] = "ntbea",
    levels: Annotated[str, typer.Option(help="Levels that are played: all, or as in 0-2.")] = "all",
    reading: ReadingChoice = None,
    *,
    run: RunChoices,
) -> None:
    """Search for the values of a game's parameters that make it as it is wanted.

    Agents play every game that is tried; the best ones are played again at the end. The folder gets the best game as
    best.txt, all that was tried as settings.csv, and report.html. Ctrl-C stops, `pcg resume` goes on.
    """
    from pcg.generators.tuning import read_parameters
    from pcg.runs import TuningRun, run_tuning

    data = run.sections("optimiser.k=0.1", {
        "game": game, "params": " ".join(map(str, read_parameters(params or ()).values())), "target": "; ".join(target),
        "optimiser": optimiser, "levels": levels, "reading": reading.value if reading else "",
    })  # fmt: skip
    config = TuningRun.from_mapping(data, "--set")
    with run.execution() as options:
        result = run_tuning(config, run.folder(game, "tuned"), **options)
    finish(result)


def optimisers(load: LoadOption = None) -> None:
    """List the optimisers of game spaces and their parameters, and the measures that targets can name."""
    from rich.table import Table

    from pcg.generators.tuning import KINDS, OPTIMISERS

    load_files(load)
    print_parameters((kind.name, kind.help, kind.parameters) for kind in OPTIMISERS.values())
    table = Table("measure", "what it is", "as in")
    for kind in KINDS.values():
        example = f"{kind.name}:{'random,onestep,mcts' if kind.several else 'mcts'}"
        example += {"win_rate": "=0.5", "duration": "=150..300", "score": "=10..20"}.get(kind.name, "")
        table.add_row(kind.name, escape(kind.help), example)
    console().print(table)


def finish(result: TuningResult) -> None:
    """Write the report of a run and print its outcome."""
    from pcg.report.tuning import write_tuning

    stop_if_interrupted(result, f"{result.evaluations} evaluations")
    page = write_tuning(result.folder)
    summary = result.summary
    best = result.folder / "best.txt"
    print(f"{summary['evaluations']} evaluations of {summary['settings']} settings; the best game is {best}")
    if "best" in summary:
        print("  " + " ".join(f"{name}={value}" for name, value in summary["best"]["values"].items()))
    if "after" in summary:
        for before, after in zip(summary["before"]["targets"], summary["after"]["targets"], strict=False):
            print(
                f"{after['target']}: {_measured(before)} before, {_measured(after)} after ({summary['confirm']} plays)"
                + {True: ", met as far as they tell", False: ", not met", None: ""}[after.get("met")]
            )
        for name, end in summary.get("edges", {}).items():
            print(f"  {name} is at the {end} end of its range: what is wanted may lie beyond")
        for when in ("before", "after"):
            if summary[when]["note"]:
                print(f"{when}: {summary[when]['note']}")
    print_time(result.folder)
    print(f"report: {page}")


def _measured(entry: dict[str, Any]) -> str:
    interval = "" if entry["low"] is None else f" [{entry['low']:.3g}, {entry['high']:.3g}]"
    return f"{entry['measure']:.3g}{interval}"
