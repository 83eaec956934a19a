"""Commands for board games: `connectx run`, `evaluate`, `play` and `agents`."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pcg.cli.console import bad, console, errors, escape, progress_bar, write_file
from pcg.cli.options import JsonOption, SeedOption

if TYPE_CHECKING:
    from pcg.connectx import Environment

PANEL = "Boards"

AgentArgument = Annotated[
    str, typer.Argument(help="Name of an agent (`pcg connectx agents`), with parameters, or a Python file.")
]
RowsOption = Annotated[int, typer.Option(help="Rows of the board.")]
ColumnsOption = Annotated[int, typer.Option(help="Columns of the board.")]
InarowOption = Annotated[int, typer.Option(help="Discs in a line that win.")]
ActTimeoutOption = Annotated[float, typer.Option(help="Seconds an agent has for an action.")]
AgentTimeoutOption = Annotated[float, typer.Option(help="Seconds of overage time of an agent in an episode.")]


class Render(StrEnum):
    """Output of `connectx run`."""

    ansi = "ansi"
    html = "html"
    json = "json"
    none = "none"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    group = typer.Typer(no_args_is_help=True, help="ConnectX: let agents play four in a row on boards of any size.")
    group.command()(run)
    group.command()(evaluate)
    group.command()(play)
    group.command()(agents)
    app.add_typer(group, name="connectx", rich_help_panel=PANEL)


def _configuration(rows: int, columns: int, inarow: int, seed: int, **more: Any) -> dict[str, Any]:
    return {"rows": rows, "columns": columns, "inarow": inarow, "seed": seed, **more}


def run(
    first: AgentArgument,
    second: AgentArgument,
    rows: RowsOption = 6,
    columns: ColumnsOption = 7,
    inarow: InarowOption = 4,
    seed: SeedOption = 1,
    render: Annotated[Render, typer.Option(help="What to show of the episode.")] = Render.ansi,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="File to write to instead of the terminal.")] = None,
    act_timeout: ActTimeoutOption = 2,
    agent_timeout: AgentTimeoutOption = 60,
    debug: Annotated[bool, typer.Option("--debug", help="Show what the agents print and raise.")] = False,
) -> None:
    """Let two agents play an episode.

    Agents that raise, take too long or make a move that cannot be made end it; the last line says so. With `--render
    html` the page plays the episode and needs nothing else.
    """
    from pcg.connectx import make

    if render is Render.none and out is not None:
        raise bad("--out needs something to write, as with --render html")
    given = _configuration(rows, columns, inarow, seed, actTimeout=act_timeout, agentTimeout=agent_timeout)
    env = make("connectx", given, debug=debug)
    env.run([first, second])
    if render is Render.none:
        return
    coloured = render is Render.ansi and out is None
    if coloured:
        env.render("human")
        return
    text = env.render(mode=render.value)
    if out is None:
        print(text)
        return
    write_file(out, text + "\n")
    print(f"saved {out}: {_how_it_ended(env)}")


def _how_it_ended(env: Environment) -> str:
    from pcg.connectx.rendering import outcome_of

    return outcome_of(env)


def evaluate(
    first: AgentArgument,
    second: AgentArgument,
    episodes: Annotated[int, typer.Option("-n", "--episodes", min=1, help="Episodes to play.")] = 100,
    rows: RowsOption = 6,
    columns: ColumnsOption = 7,
    inarow: InarowOption = 4,
    seed: SeedOption = 1,
    act_timeout: ActTimeoutOption = 2,
    agent_timeout: AgentTimeoutOption = 60,
    as_json: JsonOption = False,
) -> None:
    """Let two agents play many episodes, each of them beginning half of these, and count who wins."""
    from pcg.connectx import get_win_percentages

    given = _configuration(rows, columns, inarow, seed, actTimeout=act_timeout, agentTimeout=agent_timeout)
    with progress_bar() as bar:
        task = bar.add_task(escape(f"{first} against {second}"), total=episodes)
        outcomes = get_win_percentages(
            first, second, episodes, given, progress=lambda done, total: bar.update(task, completed=done)
        )
    if as_json:
        numbers = {
            "agents": [
                {
                    "name": outcomes.names[k],
                    "wins": outcomes.wins[k],
                    "faults": outcomes.faults[k],
                    "share": outcomes.wins[k] / outcomes.played,
                    "interval": list(outcomes.interval(k)),
                }
                for k in range(2)
            ],
            "draws": outcomes.draws,
            "episodes": outcomes.played,
            "configuration": {"rows": rows, "columns": columns, "inarow": inarow, "seed": seed},
        }
        print(json.dumps(numbers, indent=2))
        return
    from rich.table import Table

    table = Table("agent", "won", "share", "95 % interval", "faults", title_justify="left")
    table.title = f"{outcomes.played} episodes, {outcomes.draws} drawn"
    for column in table.columns[1:]:
        column.justify = "right"
    for k in range(2):
        low, high = outcomes.interval(k)
        table.add_row(
            escape(outcomes.names[k]),
            str(outcomes.wins[k]),
            f"{outcomes.percentages[k]:.1f} %",
            f"{100 * low:.1f} to {100 * high:.1f} %",
            str(outcomes.faults[k]),
        )
    console().print(table)


def play(
    against: Annotated[str, typer.Argument(help="Name of the agent to play against, or a Python file.")] = "negamax",
    rows: RowsOption = 6,
    columns: ColumnsOption = 7,
    inarow: InarowOption = 4,
    seed: SeedOption = 1,
    second: Annotated[bool, typer.Option("--second", help="Let the agent begin.")] = False,
) -> None:
    """Play against an agent in the terminal: type the number of a column; q gives up."""
    from pcg.connectx import make
    from pcg.connectx.rendering import text

    env = make("connectx", _configuration(rows, columns, inarow, seed))
    colour = console().is_terminal
    trainer = env.train([against, None] if second else [None, against])
    trainer.reset()
    env.info["TeamNames"] = [against, "you"] if second else ["you", against]
    while not env.done:
        print(text(env, colour=colour))
        column = _ask(env.position.columns)
        if column is None:
            print("you gave up")
            return
        trainer.step(column)
    print(text(env, colour=colour))


def _ask(free: list[int]) -> int | None:
    """Ask for the column that a person names, None when it is enough."""
    while True:
        try:
            answer = input("column > ").strip().lower()
        except EOFError:
            print()
            return None
        if answer in ("q", "quit"):
            return None
        if answer.isascii() and answer.isdigit() and int(answer) in free:
            return int(answer)
        errors().print(f"expected one of {' '.join(map(str, free))}, or q", markup=False)


def agents() -> None:
    """List the built-in agents."""
    from rich.table import Table

    from pcg.connectx import BUILT_IN

    table = Table("name", "what it plays")
    for entry in BUILT_IN.values():
        table.add_row(entry.name, escape(entry.help))
    console().print(table)
    print("Those that search take parameters, as in nstep:depth=5 or mcts:budget=100ms: those of alphabeta (nstep and")
    print("negamax) and of uct (mcts) in `pcg agents`, whose other agents can play here too.")
