"""The command `agents`: list the agents, or describe one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pcg.cli.console import console, escape
from pcg.cli.options import JsonOption, LoadOption, load_files

if TYPE_CHECKING:
    from pcg.evaluators.agents import AgentType
    from pcg.evaluators.parameters import Parameter

PANEL = "Agents"
_RULES_SENTENCES = {
    "": "no, it sees the forward model and the observations only",
    "chance": "only whether chance plays a part in the level",
    "rules": "yes, what sprites do and how the game is won",
}


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(rich_help_panel=PANEL)(agents)


def agents(
    name: Annotated[str | None, typer.Argument(help="An agent to describe; all are listed without it.")] = None,
    load: LoadOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the agents and their parameters, or describe one.

    Wherever an agent is named, parameters may follow, as in `mcts:c=1.0,depth=12,budget=40ms`.
    """
    from pcg.evaluators.agents.registry import agent_names, agent_type, read_agent

    load_files(load)
    entries = [agent_type(one) for one in ([read_agent(name).name] if name is not None else agent_names())]
    if as_json:
        found = [_as_dict(entry) for entry in entries]
        print(json.dumps(found[0] if name is not None else found, indent=1, ensure_ascii=False))
    elif name is None:
        _list_agents(entries)
    else:
        _describe(entries[0])


def _as_dict(entry: AgentType) -> dict[str, Any]:
    from pcg.evaluators.agents.registry import RULES_READ

    params = [
        {"name": p.name, "type": p.kind, "default": p.default, "low": p.low, "high": p.high,
         "choices": list(p.choices or ()), "unit": p.unit, "help": p.help}
        for p in entry.params
    ]  # fmt: skip
    return {"name": entry.name, "help": entry.help, "paper": entry.paper, "reads_rules": RULES_READ[entry.reads_rules],
            "parameters": params}  # fmt: skip


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
