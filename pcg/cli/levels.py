"""Commands that make levels: `levels` and `generators`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pcg.cli.console import NOTHING_FOUND, print_parameters, print_time, report_error, stop_if_interrupted
from pcg.cli.options import DRAWING, LoadOption, RunChoices, load_files, run_options
from pcg.cli.sources import ReadingChoice

if TYPE_CHECKING:
    from pcg.runs import LevelResult

PANEL = "Make levels"
DEFAULT_BUDGET = "60s"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(rich_help_panel=PANEL)(levels)
    app.command(rich_help_panel=PANEL)(generators)


@run_options(
    budget=DEFAULT_BUDGET,
    folder="GAME-levels",
    examples="generator.polish=30, evaluation.weak_budget=20 or run.distance=0.2",
    imports=("pcg.runs.experiments.levels", "pcg.report.levels", *DRAWING),
    cache=True,
)
def levels(
    game: Annotated[str, typer.Argument(help="Name of a built-in game, or a game file.")],
    generator: Annotated[
        str,
        typer.Option(
            help="How levels are made: a name (`pcg list generators`), or one of your own, as in my.py:Scattered."
        ),
    ] = "portfolio",
    count: Annotated[int, typer.Option("-n", "--count", min=1, help="Levels wanted.")] = 10,
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
    sketch: Annotated[
        Path | None,
        typer.Option(help="A level drawn in part, `?` where anything may come: all levels keep what is drawn."),
    ] = None,
    like: Annotated[
        list[Path] | None, typer.Option(help="A level of which the new ones are to be reminiscent; several times.")
    ] = None,
    unlike: Annotated[
        list[Path] | None, typer.Option(help="A level of which the new ones are to be nothing like; several times.")
    ] = None,
    progression: Annotated[
        bool,
        typer.Option(
            "--progression",
            help="Make a course of the levels: difficulty rises, and what is new comes one by one, alone where it can. "
            "While there are fewer than three levels to choose from for each one wanted, up to three times as many "
            "are tried as `--evaluations` says.",
        ),
    ] = False,
    fitness: Annotated[
        str | None,
        typer.Option(
            help="What makes a level good: a name (`pcg list fitness`), or a function of your own, as in my.py:tidy."
        ),
    ] = None,
    reading: ReadingChoice = None,
    *,
    run: RunChoices,
) -> None:
    """Generate levels that can be won and in which skill matters.

    Ctrl-C stops and keeps what was found; `pcg resume` goes on. The folder gets the levels as text and as pictures, an
    animation of the best one being won, and report.html.
    """
    from pcg.own_parts import named_parts
    from pcg.runs import LevelRun, run_levels

    generator, own_generator = named_parts("level-generator", generator)
    fitness, own_fitness = named_parts("fitness", fitness or "")
    data = run.sections("generator.polish=30", {
        "game": game, "generator": generator, "count": count, "reading": reading.value if reading else "",
        "want": ", ".join(want or []), "progression": progression,
    }, [*own_generator, *own_fitness])  # fmt: skip
    if fitness:
        data.setdefault("evaluation", {})["fitness"] = fitness
    if prefer is not None:
        data.setdefault("evaluation", {})["prefer"] = _preference(prefer)
    for name, files in (("sketch", [sketch] if sketch else []), ("like", like or []), ("unlike", unlike or [])):
        if files:  # their text goes into the run, which then needs no other file
            data.setdefault("generator", {})[name] = "\n\n".join(_level_text(path) for path in files)
    config = LevelRun.from_mapping(data, "--set")
    with run.execution() as options:
        result = run_levels(config, run.folder(game, "levels"), **options)
    finish(result)


def _level_text(path: Path) -> str:
    """Return the text of a level file."""
    from pcg.engine.vgdl.diagnostics import PcgError

    try:
        return path.read_text(encoding="utf-8").strip("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise PcgError(f"cannot read the level {path}: {error}") from None


def _preference(path: Path) -> str:
    """Return the text of a preference model, which goes into the run, so that the run needs no other file."""
    from pcg.evaluators.metrics import METRICS
    from pcg.evaluators.preferences.model import PreferenceModel, check_names

    model = PreferenceModel.load(path)
    check_names(model, list(METRICS), str(path))
    return model.to_text()


def generators(load: LoadOption = None) -> None:
    """List the level generators and their parameters."""
    from pcg.generators.levels import GENERATORS

    load_files(load)
    print_parameters((kind.name, kind.help, kind.parameters) for kind in GENERATORS.values())


def _print_targets(result: LevelResult) -> None:
    """Print the targets that the levels achieve, and the levels that miss one, with their values."""
    from pcg.evaluators.targets import all_achieved, tally_targets

    found = [entry.evaluation for entry in result.levels]
    if not result.targets:
        return
    print(f"wants: {sum(all_achieved(e.targets) for e in found)} of {len(found)} levels achieve all")
    for tally in tally_targets(result.targets, [e.targets for e in found]):
        name = tally.target.name
        missed = [
            f"lvl{k} {'unknown' if (v := e.measure(name)) is None else f'{v:.4g}'}"
            for k, e in enumerate(found)
            if e.targets.get(name, 0.0) < 1.0
        ]
        by = f"missed by {', '.join(missed)}" if missed else "achieved by all"
        print(f"  {tally.target}: {tally.achieved} of {tally.of}, {by}")


def _print_course(result: LevelResult) -> None:
    """Print what each level of a course teaches."""
    for place, level in enumerate(result.course):
        print(f"  {place + 1}. difficulty {level.difficulty.value:.2f}  {level.teaches}")


def finish(result: LevelResult) -> None:
    """Write the report of a run and print its outcome."""
    from pcg.report import write_report

    stop_if_interrupted(result, f"{result.evaluations} evaluations")
    page = write_report(result.folder)
    tried = f"{result.evaluations} levels tried, {result.feasible} feasible"
    if result.repeated or result.cached:
        tried += f" ({result.repeated} tried before, {result.cached} from the cache)"
    if not result.levels:
        report_error(f"{tried}; the closest are in {result.folder / 'infeasible'}, see {page}")
        raise typer.Exit(NOTHING_FOUND)
    best = max(entry.evaluation.fitness for entry in result.levels)
    kept = "the best is" if len(result.levels) == 1 else f"the best {len(result.levels)} are"
    print(f"{tried}; {kept} in {result.folder / 'levels'}, best fitness {best:.2f}")
    _print_course(result)
    _print_targets(result)
    if result.statistics:
        filled, cells = result.statistics["elites"], result.statistics["cells"]
        share, score = result.statistics["coverage"], result.statistics["qd_score"]
        print(f"archive: {filled:g} of {cells:g} cells filled ({share:.0%}), QD score {score:.1f}")
    print_time(result.folder)
    print(f"report: {page}")
