"""Commands that make levels: `levels`, `resume`, `report` and `generators`."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pcg.cli.console import INTERRUPTED, bad, errors, print_parameters, report_error
from pcg.cli.contests import resume_tournament
from pcg.cli.sources import ReadingChoice

if TYPE_CHECKING:
    from pcg.runs import Progress, RunResult

PANEL = "Make levels"
NOTHING_FOUND = 1
"""Exit code when a run ended without a feasible level."""
DEFAULT_BUDGET = "60s"

WorkersOption = Annotated[
    int | None, typer.Option(min=1, help="Evaluations side by side; one per processor without it.")
]
ExecutorOption = Annotated[
    str | None, typer.Option(help="What evaluates on this machine: threads or processes. [default: threads]")
]
ClusterOption = Annotated[
    str | None,
    typer.Option(help="Evaluate on a Dask cluster: its scheduler, as in tcp://host:8786, or local:N for N processes."),
]
CacheOption = Annotated[
    str | None,
    typer.Option(help="Folder of evaluations that runs share, so that no level is evaluated twice; user: your own."),
]

LoadOption = Annotated[
    list[Path] | None,
    typer.Option("--load", help="Python file that registers generators, agents and the like; may be repeated."),
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(rich_help_panel=PANEL)(levels)
    app.command(rich_help_panel=PANEL)(resume)
    app.command(rich_help_panel=PANEL)(report)
    app.command(rich_help_panel=PANEL)(generators)


def levels(
    game: Annotated[str, typer.Argument(help="Name of a built-in game, or a game file.")],
    generator: Annotated[str, typer.Option(help="How levels are made; `pcg generators` lists the names.")] = "evolve",
    count: Annotated[int, typer.Option("-n", "--count", min=1, help="Levels wanted.")] = 10,
    seed: Annotated[int, typer.Option(help="Equal seeds give equal levels.")] = 1,
    budget: Annotated[
        str | None, typer.Option(help=f"Stop after this time, as in 60s or 5m. [default: {DEFAULT_BUDGET}]")
    ] = None,
    evaluations: Annotated[
        int | None,
        typer.Option(min=1, help="Stop after so many levels tried; the result is then the same on every machine."),
    ] = None,
    want: Annotated[
        list[str] | None,
        typer.Option(
            "--target",
            "--want",
            help="What levels are to be like, as in 'solution_length=40..60, enemies=3, symmetry>=0.8'; `pcg metrics "
            "GAME` lists the names. Can be given several times.",
        ),
    ] = None,
    prefer: Annotated[
        Path | None,
        typer.Option(
            help="A model of what people like (`pcg prefer fit`): levels are judged by what it thinks of them."
        ),
    ] = None,
    workers: WorkersOption = None,
    executor: ExecutorOption = None,
    cluster: ClusterOption = None,
    cache: CacheOption = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the run, new or empty. [default: GAME-levels]")] = None,
    load: LoadOption = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="A parameter, as in generator.population=50, evaluation.weak_budget=20 or run.distance=0.2."
        ),
    ] = None,
    reading: ReadingChoice = None,
) -> None:
    """Generate levels that can be won and in which skill matters.

    Ctrl-C stops and keeps what was found; `pcg resume` goes on. The folder gets the levels as text and as pictures, an
    animation of the best one being won, and report.html.
    """
    from pcg.runs import LevelRun, parse_seconds, run_levels

    if budget is None and evaluations is None:
        budget = DEFAULT_BUDGET
    data: dict[str, dict[str, Any]] = {
        "run": {
            "game": game,
            "generator": generator,
            "count": count,
            "seed": seed,
            "reading": reading.value if reading else "",
            "want": ", ".join(want or []),
            "load": shlex.join(map(str, load or ())),
        },
        "budget": {"seconds": parse_seconds(budget) if budget else 0.0, "evaluations": evaluations or 0},
    }
    for setting in settings or []:
        section, name, value = read_setting(setting)
        data.setdefault(section, {})[name] = value
    if prefer is not None:
        data.setdefault("evaluation", {})["prefer"] = _preference(prefer)
    config = LevelRun.from_mapping(data, "--set")
    folder = out or Path(f"{Path(game).stem}-levels")
    where = where_of(executor, cluster)
    with _bar() as progress:
        result = run_levels(config, folder, workers=workers, executor=where, cache=cache, progress=progress)
    _finish(result)


def _preference(path: Path) -> str:
    """The text of a preference model that levels can be judged by: it goes into the run, which then needs no file."""
    from pcg.evaluators.metrics import METRICS
    from pcg.evaluators.preferences.model import PreferenceModel, check_names

    model = PreferenceModel.load(path)
    check_names(model, list(METRICS), str(path))
    return model.to_text()


def resume(
    folder: Annotated[Path, typer.Argument(help="Folder of a run or of a tournament.")],
    budget: Annotated[str | None, typer.Option(help="A new limit of time for the whole run.")] = None,
    evaluations: Annotated[
        int | None, typer.Option(min=1, help="A new number of evaluations in the whole run.")
    ] = None,
    workers: WorkersOption = None,
    executor: ExecutorOption = None,
    cluster: ClusterOption = None,
    cache: CacheOption = None,
) -> None:
    """Go on with a run that was stopped or killed, or give a finished one a larger budget.

    A tournament goes on as with `pcg tournament --out`; of the options it takes --workers alone.
    """
    from pcg.runs import parse_seconds
    from pcg.runs import resume as resume_run
    from pcg.runs.store import GAMES, RULES, TOURNAMENT, TUNING, kind_of

    if kind_of(folder) == TOURNAMENT:
        given = {"budget": budget, "evaluations": evaluations, "executor": executor, "cluster": cluster, "cache": cache}
        for option, value in given.items():
            if value is not None:
                raise bad(f"{folder} holds a tournament, for which there is no --{option} (expected --workers alone)")
        resume_tournament(folder, workers)
        return
    seconds = parse_seconds(budget) if budget else None
    where = where_of(executor, cluster)
    if kind_of(folder) == TUNING:
        from pcg.cli.tuning import finish, tuning_bar
        from pcg.runs.tuning import resume_tuning

        if cache is not None:
            raise bad(f"{folder} holds a run that tunes a game, for which there is no --cache")
        with tuning_bar() as show:
            tuned = resume_tuning(
                folder, seconds=seconds, evaluations=evaluations, workers=workers, executor=where, progress=show
            )
        finish(tuned)
        return
    if kind_of(folder) in (RULES, GAMES):
        from pcg.cli import evolving
        from pcg.runs.games import resume_games
        from pcg.runs.rules import resume_rules

        if cache is not None:
            raise bad(f"{folder} holds a run that makes {kind_of(folder)}, for which there is no --cache")
        again = resume_rules if kind_of(folder) == RULES else resume_games
        with evolving.making_bar() as display:
            made = again(
                folder, seconds=seconds, evaluations=evaluations, workers=workers, executor=where, progress=display
            )
        evolving.finish(made)
        return
    with _bar() as progress:
        result = resume_run(
            folder,
            seconds=seconds,
            evaluations=evaluations,
            workers=workers,
            executor=where,
            cache=cache,
            progress=progress,
        )
    _finish(result)


def report(folder: Annotated[Path, typer.Argument(help="Folder of a run or of a tournament.")]) -> None:
    """Draw the pictures of a run and write its report.html again; of a tournament, its tables and figures too."""
    from pcg.report import write_report

    print(write_report(folder))


def generators(load: LoadOption = None) -> None:
    """List the level generators and their parameters."""
    from pcg.generators.levels import GENERATORS

    load_files(load)
    print_parameters((kind.name, kind.help, kind.parameters) for kind in GENERATORS.values())


def load_files(files: Sequence[Path] | None) -> None:
    """Import the files of `--load` for a command that makes no run."""
    from pcg.engine.registry import load_plugin

    for file in files or ():
        load_plugin(file)


def read_setting(text: str, example: str = "generator.population=50") -> tuple[str, str, str]:
    """Section, name and value of ``section.name=value``."""
    from pcg.engine.vgdl.diagnostics import PcgError

    key, equals, value = text.partition("=")
    section, dot, name = key.strip().partition(".")
    if not (equals and dot and section and name):
        raise PcgError(f"--set {text}: expected section.name=value, as in {example}")
    return section, name, value.strip()


def where_of(executor: str | None, cluster: str | None) -> str | None:
    """What the options say about where evaluations run."""
    from pcg.engine.vgdl.diagnostics import PcgError, nearest
    from pcg.runs.workers import EXECUTORS

    if cluster is not None:
        if executor is not None:
            raise PcgError(f"--executor {executor} and --cluster {cluster}: expected one of the two")
        if ":" not in cluster:
            raise PcgError(f"--cluster {cluster}: expected tcp://HOST:PORT, as in tcp://host:8786, or local:N")
        return cluster
    if executor is not None and executor not in EXECUTORS:
        near = nearest(executor, EXECUTORS)
        hint = f", did you mean `{near}`?" if near else ""
        raise PcgError(f"--executor {executor}: expected {' or '.join(EXECUTORS)}{hint}")
    return executor


@contextmanager
def _bar() -> Iterator[Callable[[Progress], None]]:
    """A progress bar over the budget; what it is handed to is called after every evaluation."""
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    screen = errors()
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bar:
        task = bar.add_task("getting ready", total=1.0)

        def show(state: Any) -> None:
            text = f"{state.evaluations} tried, {state.feasible} feasible, {state.distinct} of {state.wanted} levels"
            best = f", best {state.best:.2f}" if state.feasible else ""
            filled = f", {state.statistics['coverage']:.0%} of the cells" if "coverage" in state.statistics else ""
            bar.update(task, completed=state.fraction, description=text + best + filled)

        yield show


def _print_wants(result: RunResult) -> None:
    """Which wants the levels achieve, and which levels miss one, with their values."""
    from pcg.evaluators.targets import all_achieved, tally_targets

    found = [entry.evaluation for entry in result.levels]
    if not result.wants:
        return
    print(f"wants: {sum(all_achieved(e.targets) for e in found)} of {len(found)} levels achieve all")
    for tally in tally_targets(result.wants, [e.targets for e in found]):
        name = tally.target.name
        missed = [
            f"lvl{k} {'unknown' if (v := e.measure(name)) is None else f'{v:.4g}'}"
            for k, e in enumerate(found)
            if e.targets.get(name, 0.0) < 1.0
        ]
        by = f"missed by {', '.join(missed)}" if missed else "achieved by all"
        print(f"  {tally.target}: {tally.achieved} of {tally.of}, {by}")


def _finish(result: RunResult) -> None:
    """Say what came out, and draw it."""
    from pcg.report import write_report

    if result.stopped == "interrupted":
        report_error(f"interrupted after {result.evaluations} evaluations; `pcg resume {result.folder}` goes on")
        raise typer.Exit(INTERRUPTED)
    page = write_report(result.folder)
    tried = f"{result.evaluations} levels tried, {result.feasible} feasible"
    if result.repeated or result.cached:
        tried += f" ({result.repeated} tried before, {result.cached} from the cache)"
    if not result.levels:
        report_error(f"{tried}; the closest are in {result.folder / 'infeasible'}, see {page}")
        raise typer.Exit(NOTHING_FOUND)
    best = result.levels[0].evaluation.fitness
    print(f"{tried}; the best {len(result.levels)} are in {result.folder / 'levels'}, best fitness {best:.2f}")
    _print_wants(result)
    if result.statistics:
        filled, cells = result.statistics["elites"], result.statistics["cells"]
        share, score = result.statistics["coverage"], result.statistics["qd_score"]
        print(f"archive: {filled:g} of {cells:g} cells filled ({share:.0%}), QD score {score:.1f}")
    print(f"report: {page}")
