"""Commands that make rules: `rules` and `rule-generators`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pcg.cli.console import NOTHING_FOUND, console, escape, print_parameters, print_time, stop_if_interrupted
from pcg.cli.options import DRAWING, LoadOption, RunChoices, load_files, run_options
from pcg.cli.sources import ReadingChoice

if TYPE_CHECKING:
    from pcg.runs.experiments.game_search import GameSearchResult

PANEL = "Make rules"
DEFAULT_BUDGET = "2m"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(rich_help_panel=PANEL)(rules)
    app.command("rule-generators", rich_help_panel=PANEL)(rule_generators)


@run_options(
    budget=DEFAULT_BUDGET,
    folder="GAME-rules",
    examples="generator.population=100, evaluation.plays=5, run.distance=0.3 or run.drop=0.3",
    imports=("pcg.runs.experiments.rules", "pcg.report.rules", "pcg.describe", "pcg.render", *DRAWING),
)
def rules(
    game: Annotated[str, typer.Argument(help="Name of a built-in game, or a game file: its sprites and levels count.")],
    level: Annotated[str, typer.Option(help="Levels that rules are made for: all, or as in 0-2.")] = "all",
    generator: Annotated[
        str, typer.Option(help="How rules are made; `pcg list rule-generators` lists the names.")
    ] = "evolve",
    count: Annotated[int, typer.Option("-n", "--count", min=1, help="Games wanted.")] = 10,
    start: Annotated[
        str, typer.Option(help="What the search begins with: nothing, or the game's own rules (own).")
    ] = "nothing",
    reading: ReadingChoice = None,
    *,
    run: RunChoices,
) -> None:
    """Make rules and goals for the sprites and levels of a game, such that skill decides.

    Agents from idle to strong play every game that is tried; the best are played again with other seeds at the end. The
    folder gets the games with their levels, an index of them, and report.html. Ctrl-C stops, `pcg resume` goes on.
    """
    from pcg.runs import RulesRun, run_rules

    data = run.sections("generator.population=100", {
        "game": game, "levels": level, "generator": generator, "count": count, "start": start,
        "reading": reading.value if reading else "",
    })  # fmt: skip
    config = RulesRun.from_mapping(data, "--set")
    with run.execution() as options:
        result = run_rules(config, run.folder(game, "rules"), **options)
    finish(result)


def rule_generators(load: LoadOption = None) -> None:
    """List the rule generators and their parameters, and what an evaluation can be told."""
    from pcg.evaluators.games import PARAMETERS
    from pcg.generators.rules import RULE_GENERATORS

    load_files(load)
    print_parameters((kind.name, kind.help, kind.parameters) for kind in RULE_GENERATORS.values())
    print_parameters([("evaluation", "how games are judged (--set evaluation.NAME=VALUE)", PARAMETERS)])


def finish(result: GameSearchResult) -> None:
    """Write the report of a run and print its outcome; the exit code tells if it was interrupted or found nothing."""
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
        table = Table(
            "game", "value", "fitness", *agents, "in order", "apart", "rules", title="how well each agent does"
        )
        for k, game in enumerate(result.games):
            verdict = game.confirmed or game.evaluation
            means = [f"{p.performance:.2f}" for p in verdict.profile]
            yes = ["yes" if flag else "no" for flag in (verdict.ordered, verdict.separated)]
            size = str(len(game.candidate.genotype))
            table.add_row(f"game{k}", f"{game.value:.3f}", f"{game.evaluation.fitness:.3f}", *means, *yes, size)
        screen.print(table)
        for k, game in enumerate(result.games):
            if game.judgement is not None and game.judgement["problem"]:
                screen.print(escape(f"game{k} is not what the judge would keep: {game.judgement['problem']}"))
        if last["games"]:
            screen.print(
                f"With other seeds {last['ordered']} of {last['games']} keep all agents in order, "
                f"{last['separated']} keep the weakest and the strongest apart."
            )
    else:
        for reason, times in list(result.summary["reasons"].items())[:5]:
            screen.print(f"  {times} x {reason}")
    print_time(result.folder)
    screen.print(f"report: {report}")
    stop_if_interrupted(result, f"{result.evaluations} evaluations")
    if not result.games:
        raise typer.Exit(NOTHING_FOUND)
