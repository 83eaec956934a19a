"""The command `tournament`: let agents compete."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pcg.cli.agents import PANEL
from pcg.cli.console import bad, console, escape, report_error, run_bar, stop_if_interrupted
from pcg.cli.options import JsonOption, LoadOption, SeedOption, WorkersOption, begin_copies
from pcg.cli.run_json import told_as_json
from pcg.cli.sources import ReadingChoice

if TYPE_CHECKING:
    from pcg.evaluators.tournament import MatchResult
    from pcg.runs.experiments.tournament import TournamentResult

_SHOWN_GAMES = 30
_SHOWN_AGENTS = 8


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(rich_help_panel=PANEL)(tournament)


def tournament(
    out: Annotated[Path, typer.Option(help="Folder of the tournament, new or to go on with.")] = Path("tournament"),
    games: Annotated[
        list[str] | None,
        typer.Option(help="Games: names, patterns, files or folders, with commas between; may be repeated."),
    ] = None,
    agents: Annotated[
        list[str] | None,
        typer.Option(help="Agents with commas between, as in `mcts:depth=12,random,my.py:Greedy`; may be repeated."),
    ] = None,
    levels: Annotated[str, typer.Option(help="Levels that are played: all, or as in 0-2,4.")] = "all",
    repeats: Annotated[
        int | None,
        typer.Option(min=1, help="Plays of every level, each with another seed; without it 1, in test sets 5."),
    ] = None,
    budget: Annotated[str, typer.Option()] = "1000calls",
    seed: SeedOption = 1,
    max_ticks: Annotated[int, typer.Option(min=1, help="Ticks after which a play ends.")] = 2000,
    stall: Annotated[
        float, typer.Option(min=0.001, help="Seconds after which an agent that does not answer is stopped by force.")
    ] = 10.0,
    workers: WorkersOption = None,
    sets: Annotated[
        list[str] | None,
        typer.Option("--sets", help="Set of games, as in training, validation, test, cig2014-test; may be repeated."),
    ] = None,
    corpus: Annotated[Path | None, typer.Option(help="Folder with the games of sets that are not built in.")] = None,
    meetings: Annotated[
        int, typer.Option(min=0, help="Games for two players: let Glicko-2 choose so many pairs, one game each.")
    ] = 0,
    load: LoadOption = None,
    reading: ReadingChoice = None,
    as_json: JsonOption = False,
) -> None:
    """Let agents play games and rank them as the competitions do.

    Without games and agents, the tournament in the folder goes on where it was stopped or killed (`pcg resume` does the
    same). The folder gets tables (CSV, LaTeX), figures and report.html. Agents that raise, stall or answer nonsense are
    disqualified and reported; exit code 0 all the same.
    """
    begin_copies(("pcg.evaluators.tournament.workers",), workers)
    from pcg.evaluators.agents import Budget
    from pcg.evaluators.tournament import Rules
    from pcg.own_parts import named_parts
    from pcg.runs import plan, run_tournament

    named = [named_parts("agent", text) for text in agents or ()]
    agents, own = [text for text, _ in named], [plugin for _, plugins in named for plugin in plugins]
    wanted = None
    if games or sets or agents:
        if not (games or sets) or not agents:
            missing = "--games" if agents else "--agents"
            raise bad(f"a tournament needs --games (or --sets) and --agents; {missing} is missing")
        wanted = plan(
            games or (),
            agents,
            levels=levels,
            repeats=repeats,
            seed=seed,
            rules=Rules(Budget.read(budget), max_ticks=max_ticks, stall=stall),
            plugins=[*(load or ()), *own],
            reading=reading.value if reading else "",
            sets=sets or (),
            corpus=corpus,
            meetings=meetings,
        )
    with told_as_json(as_json) as told:
        with run_bar() as show:
            result = run_tournament(wanted, out, workers=workers, progress=show)
        told.folder = out
        finish(result)


def finish(state: TournamentResult) -> None:
    """Write the tables and the report of a tournament and print its outcome."""
    from pcg.report.tournament import write_tournament

    page = write_tournament(state.folder)
    if state.results:
        if len(state.tournament.sets) > 1:
            _print_sets(state)
        _print_standings(state)
    _print_faults(state)
    print(f"report: {page}")
    stop_if_interrupted(state, f"{len(state.results)} of {state.total} matches")


def _print_sets(state: TournamentResult) -> None:
    """Print the ranking of each set of games."""
    from rich.table import Table

    from pcg.report.tournament_tables import standing_rows

    for name, standings in state.set_standings.items():
        headings, rows = standing_rows(standings)
        table = Table(*headings, title=f"set {name}", title_justify="left")
        for row in rows:
            table.add_row(*map(escape, row))
        console().print(table)


def _print_standings(state: TournamentResult) -> None:
    from rich.table import Table

    from pcg.report.tournament_tables import number, standing_rows

    out, standings = console(), state.standings
    headings, rows = standing_rows(standings)
    table = Table(*headings, title=f"{len(state.results)} of {state.total} matches", title_justify="left")
    for column, heading in zip(table.columns, headings, strict=True):
        column.justify = "left" if heading == "agent" else "right"
    for row in rows:
        table.add_row(*map(escape, row))
    out.print(table)
    names = [s.agent for s in standings.overall if s.tally.plays]
    if len(standings.games) > _SHOWN_GAMES or len(names) > _SHOWN_AGENTS:
        print(f"{len(standings.games)} games and {len(names)} agents: each by itself in games.csv and in the report")
        return
    table = Table("game", *map(escape, names), title="plays won, mean score", title_justify="left")
    for game, places in standings.games.items():
        found = {p.agent: p for p in places}
        cells = [
            f"{p.tally.wins} of {p.tally.plays}, {number(p.tally.score)}" if (p := found.get(name)) else ""
            for name in names
        ]
        table.add_row(escape(game), *cells)
    out.print(table)


def _print_faults(state: TournamentResult) -> None:
    """Print the first fault of each kind of each agent, and how many there are; all are in results.csv."""
    first: dict[tuple[str, str], MatchResult] = {}
    count: dict[tuple[str, str], int] = {}
    for result in state.faults:
        if result.fault is not None:
            key = (result.fault.agent, result.fault.kind)
            first.setdefault(key, result)
            count[key] = count.get(key, 0) + 1
    for key, result in first.items():
        match, fault = result.match, result.fault
        assert fault is not None
        when = "before the first tick" if fault.tick < 0 else f"tick {fault.tick}"
        more = f" (and in {count[key] - 1} more)" if count[key] > 1 else ""
        report_error(
            f"disqualified: {fault.agent} in {match.game}, level {match.level}, seed {match.seed}, {when}: "
            f"{fault.kind}: {fault.message}{more}"
        )
