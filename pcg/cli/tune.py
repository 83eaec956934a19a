"""Commands that tune games: `tune` and `optimisers`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pcg.cli.console import INTERRUPTED, console, errors, escape, print_parameters, report_error
from pcg.cli.levels import ClusterOption, ExecutorOption, WorkersOption, read_setting, where_of
from pcg.cli.sources import ReadingChoice

if TYPE_CHECKING:
    from pcg.runs.tuning import TuningProgress, TuningResult

PANEL = "Tune games"
DEFAULT_BUDGET = "200"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(rich_help_panel=PANEL)(tune)
    app.command(rich_help_panel=PANEL)(optimisers)


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
    optimiser: Annotated[str, typer.Option(help="How values are chosen; `pcg optimisers` lists the names.")] = "ntbea",
    budget: Annotated[
        str, typer.Option(help="Stop after this time, as in 5m or 300s, or after this number of evaluations.")
    ] = DEFAULT_BUDGET,
    levels: Annotated[str, typer.Option(help="Levels that are played: all, or as in 0-2.")] = "all",
    seed: Annotated[int, typer.Option(help="Equal seeds give equal games.")] = 1,
    workers: WorkersOption = None,
    executor: ExecutorOption = None,
    cluster: ClusterOption = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the run, new or empty. [default: GAME-tuned]")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="A parameter, as in optimiser.k=0.1, evaluation.plays=16, evaluation.budget=50 or run.confirm=100.",
        ),
    ] = None,
    reading: ReadingChoice = None,
) -> None:
    """Search for the values of a game's parameters that make it as it is wanted.

    Agents play every game that is tried; the best ones are played again at the end. The folder gets the best game as
    best.txt, all that was tried as settings.csv, and report.html. Ctrl-C stops, `pcg resume` goes on.
    """
    from pcg.generators.tuning import read_parameters
    from pcg.runs.tuning import run_tuning
    from pcg.runs.tuning_config import TuningRun

    seconds, evaluations = read_budget(budget)
    data: dict[str, dict[str, Any]] = {
        "run": {
            "game": game,
            "params": " ".join(map(str, read_parameters(params or ()).values())),
            "target": "; ".join(target),
            "optimiser": optimiser,
            "levels": levels,
            "seed": seed,
            "reading": reading.value if reading else "",
        },
        "budget": {"seconds": seconds, "evaluations": evaluations},
    }
    for setting in settings or []:
        section, name, value = read_setting(setting, "optimiser.k=0.1")
        data.setdefault(section, {})[name] = value
    config = TuningRun.from_mapping(data, "--set")
    folder = out or Path(f"{Path(game).stem}-tuned")
    with tuning_bar() as progress:
        result = run_tuning(config, folder, workers=workers, executor=where_of(executor, cluster), progress=progress)
    finish(result)


def optimisers() -> None:
    """List the optimisers of game spaces and their parameters, and the measures that targets can name."""
    from rich.table import Table

    from pcg.generators.tuning import KINDS, OPTIMISERS

    print_parameters((kind.name, kind.help, kind.parameters) for kind in OPTIMISERS.values())
    table = Table("measure", "what it is", "as in")
    for kind in KINDS.values():
        example = f"{kind.name}:{'random,onestep,mcts' if kind.several else 'mcts'}"
        example += {"win_rate": "=0.5", "duration": "=150..300", "score": "=10..20"}.get(kind.name, "")
        table.add_row(kind.name, escape(kind.help), example)
    console().print(table)


def read_budget(text: str) -> tuple[float, int]:
    """Seconds and evaluations, one of which is 0: "5m" is a time, "300" a number of evaluations.

    Raises:
        PcgError: for anything else.
    """
    from pcg.engine.vgdl.diagnostics import PcgError
    from pcg.runs import parse_seconds

    if re.fullmatch(r"\s*\d{1,12}\s*", text):
        if not int(text):
            raise PcgError(f"--budget {text}: expected at least one evaluation")
        return 0.0, int(text)
    try:
        return parse_seconds(text), 0
    except PcgError:
        raise PcgError(f"--budget {text}: expected a time such as 5m or 300s, or a number of evaluations") from None


@contextmanager
def tuning_bar() -> Iterator[Callable[[TuningProgress], None]]:
    """A progress bar over the budget; what it is handed to is called after every evaluation."""
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    screen = errors()
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bar:
        task = bar.add_task("getting ready", total=1.0)

        def show(state: TuningProgress) -> None:
            text = f"{state.evaluations} evaluations of {state.settings} settings"
            text += f", best {state.best:.2f} ± {state.error:.2f}"
            text += "; playing the best again" if state.fraction >= 1.0 else ""
            bar.update(task, completed=state.fraction, description=text)

        yield show


def finish(result: TuningResult) -> None:
    """Say what came out, and write the report."""
    from pcg.report.tuning import write_tuning

    if result.stopped == "interrupted":
        report_error(f"interrupted after {result.evaluations} evaluations; `pcg resume {result.folder}` goes on")
        raise typer.Exit(INTERRUPTED)
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
            )
        for when in ("before", "after"):
            if summary[when]["note"]:
                print(f"{when}: {summary[when]['note']}")
    print(f"report: {page}")


def _measured(entry: dict[str, Any]) -> str:
    interval = "" if entry["low"] is None else f" [{entry['low']:.3g}, {entry['high']:.3g}]"
    return f"{entry['measure']:.3g}{interval}"
