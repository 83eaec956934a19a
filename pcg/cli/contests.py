"""Commands about players: `agents` lists them, `tournament` lets them compete."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pcg.cli.console import INTERRUPTED, bad, console, errors, escape, report_error
from pcg.cli.sources import ReadingChoice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pcg.evaluators.agents import AgentType
    from pcg.evaluators.parameters import Parameter
    from pcg.evaluators.tournament import MatchResult
    from pcg.runs.tournament import TournamentResult

PANEL = "Agents"
_SHOWN_GAMES = 30
_SHOWN_AGENTS = 8

LoadOption = Annotated[
    list[Path] | None, typer.Option("--load", help="Python file that registers agents of your own; may be repeated.")
]


_RULES_SENTENCES = {
    "": "no, it sees the forward model and the observations only",
    "chance": "only whether chance plays a part in the level",
    "rules": "yes, what sprites do and how the game is won",
}


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(rich_help_panel=PANEL)(agents)
    app.command(rich_help_panel=PANEL)(tournament)


def agents(
    name: Annotated[str | None, typer.Argument(help="An agent to describe; all are listed without it.")] = None,
    load: LoadOption = None,
) -> None:
    """List the agents and their parameters, or describe one.

    Wherever an agent is named, parameters may follow, as in `mcts:c=1.0,depth=12,budget=40ms`.
    """
    from pcg.engine.registry import load_plugin
    from pcg.evaluators.agents.registry import agent_names, agent_type, read_agent

    for file in load or ():
        load_plugin(file)
    if name is None:
        _list_agents([agent_type(one) for one in agent_names()])
    else:
        _describe(agent_type(read_agent(name).name))


def _list_agents(entries: list[AgentType]) -> None:
    from rich.table import Table

    from pcg.evaluators.agents.registry import RULES_READ

    table = Table("name", "reads rules", "parameter", "type", "default", "range", "what it is")
    for entry in entries:
        table.add_row(entry.name, RULES_READ[entry.reads_rules], "", "", "", "", escape(entry.help), style="bold")
        for param in entry.params:
            table.add_row("", "", *map(escape, _parameter(param)))
        if entry.paper:
            table.add_row("", "", "", "", "", "", escape(entry.paper), style="dim")
    console().print(table)
    print("reads rules: agents of the competitions see the forward model and the observations only (no). Some read")
    print("whether chance plays a part in a level (chance), some what sprites do and how the game is won (yes).")


def _describe(entry: AgentType) -> None:
    import inspect

    from rich.table import Table

    out = console()
    out.print(f"[bold]{entry.name}[/bold]: {escape(entry.help)}")
    about = inspect.getdoc(entry.cls) or ""
    text = about.partition("\nArgs:")[0].partition("\n>>>")[0].strip()
    if text:
        out.print(f"\n{escape(text)}", soft_wrap=True)
    if entry.paper:
        out.print(f"\nSource: {escape(entry.paper)}", soft_wrap=True)
    out.print(f"\nReads rules: {_RULES_SENTENCES[entry.reads_rules]}.")
    if not entry.params:
        out.print("\nIt has no parameters but its budget.")
        return
    table = Table("parameter", "type", "default", "range", "what it is")
    for param in entry.params:
        table.add_row(*map(escape, _parameter(param)))
    out.print(table)
    example = entry.params[0]
    value = f"{example.default:g}" if isinstance(example.default, float) else str(example.default).lower()
    out.print(escape(f"Name it as in {entry.name}:{example.name}={value},budget=40ms"))


def _parameter(param: Parameter) -> tuple[str, str, str, str, str]:
    if param.choices:
        values = ", ".join(param.choices)
    elif param.low is not None and param.high is not None:
        values = f"{param.low:g} to {param.high:g}"
    elif param.low is not None:
        values = f"at least {param.low:g}"
    else:
        values = "" if param.high is None else f"at most {param.high:g}"
    default = param.default
    shown = f"{default:g}" if isinstance(default, float) else str(default).lower() if default is not None else ""
    return param.name, param.kind, shown, values, param.help + (f" ({param.unit})" if param.unit else "")


def tournament(
    out: Annotated[Path, typer.Option(help="Folder of the tournament: new, or one to go on with.")],
    games: Annotated[
        list[str] | None,
        typer.Option(help="Games: names, patterns, files or folders, with commas between; may be repeated."),
    ] = None,
    agents: Annotated[
        list[str] | None,
        typer.Option(help="Agents with commas between, as in `mcts:depth=12,random`; may be repeated."),
    ] = None,
    levels: Annotated[str, typer.Option(help="Levels that are played: all, or as in 0-2,4.")] = "all",
    repeats: Annotated[int, typer.Option(min=1, help="Plays of every level, each with another seed.")] = 1,
    budget: Annotated[
        str, typer.Option(help="Per decision: forward-model calls (1000calls), or CPU time, then enforced (40ms).")
    ] = "1000calls",
    seed: Annotated[int, typer.Option(help="Seed of the first repetition.")] = 1,
    max_ticks: Annotated[int, typer.Option(min=1, help="Ticks after which a play ends.")] = 2000,
    stall: Annotated[
        float, typer.Option(min=0.001, help="Seconds after which an agent that does not answer is stopped by force.")
    ] = 10.0,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes side by side; one per processor without it.")
    ] = None,
    load: LoadOption = None,
    reading: ReadingChoice = None,
) -> None:
    """Let agents play games and rank them as the competitions do.

    Without games and agents, the tournament in the folder goes on where it was stopped or killed (`pcg resume` does the
    same). The folder gets tables (CSV, LaTeX), figures and report.html. Agents that raise, stall or answer nonsense are
    disqualified and reported; exit code 0 all the same.
    """
    from pcg.evaluators.agents import Budget
    from pcg.evaluators.tournament import Rules
    from pcg.runs.tournament import plan, run_tournament

    wanted = None
    if games or agents:
        if not games or not agents:
            raise bad(f"a tournament needs --games and --agents; --{'agents' if games else 'games'} is missing")
        wanted = plan(
            games,
            agents,
            levels=levels,
            repeats=repeats,
            seed=seed,
            rules=Rules(Budget.read(budget), max_ticks=max_ticks, stall=stall),
            plugins=load or (),
            reading=reading.value if reading else "",
        )
    with _bar() as progress:
        state = run_tournament(wanted, out, workers=workers, progress=progress)
    _finish(state)


def resume_tournament(folder: Path, workers: int | None) -> None:
    """Go on with the tournament in a folder, as `pcg tournament --out FOLDER` does."""
    from pcg.runs.tournament import run_tournament

    with _bar() as progress:
        state = run_tournament(None, folder, workers=workers, progress=progress)
    _finish(state)


@contextmanager
def _bar() -> Iterator[Callable[..., None]]:
    """A progress bar over the matches; what it is handed to is called after every match."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    screen = errors()
    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bar:
        task = bar.add_task("getting ready")
        faults = 0

        def show(done: int, total: int, result: object) -> None:
            nonlocal faults
            match, fault = getattr(result, "match", None), getattr(result, "fault", None)
            faults += fault is not None
            text = "playing" if match is None else f"{match.game} level {match.level}, {' against '.join(match.agents)}"
            if faults:
                text += f" ({faults} disqualified)"
            bar.update(task, completed=done, total=total, description=escape(text))

        yield show


def _finish(state: TournamentResult) -> None:
    """Write the tables and say what came out."""
    from pcg.report.tournament import write_tournament

    page = write_tournament(state.folder)
    if state.results:
        _print_standings(state)
    _print_faults(state)
    print(f"report: {page}")
    if state.stopped == "interrupted":
        done = f"{len(state.results)} of {state.total} matches"
        report_error(f"interrupted after {done}; `pcg tournament --out {state.folder}` goes on")
        raise typer.Exit(INTERRUPTED)


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
    """The first fault of each kind of each agent, with how many there are; all are in results.csv and the report."""
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
