"""Commands about VGDL texts: `check`, `format` and `ontology`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pcg.cli.console import BAD_INPUT, bad, console, escape, write_file
from pcg.cli.options import JsonOption
from pcg.cli.sources import STANDARD_INPUT, Reading, ReadingOption, game_file, read_input

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pcg.engine.vgdl.diagnostics import Diagnostic

PANEL = "Language"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(rich_help_panel=PANEL)(check)
    app.command("format", rich_help_panel=PANEL)(format_game)
    app.command(rich_help_panel=PANEL)(ontology)


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def check(
    game: Annotated[
        str, typer.Argument(help="Game file, rule sheet (*.kif), name of a built-in game, or - for standard input.")
    ],
    levels: Annotated[list[str] | None, typer.Argument(help="Level files to check against the game.")] = None,
    reading: ReadingOption = Reading.strict,
    as_json: JsonOption = False,
) -> None:
    """Check a game, and levels for it.

    Every finding is shown with its file and line, a caret, what was expected and the nearest valid name. Exit code 0:
    usable, perhaps with warnings; 2: not usable.
    """
    from pcg.engine.game import is_rule_sheet
    from pcg.engine.vgdl import check_game, check_level, read_game
    from pcg.engine.vgdl.source import read_source

    source: str | Path = read_input(game) if game == STANDARD_INPUT else game_file(game)
    if is_rule_sheet(source):
        if levels:
            raise bad(f"{game} is a rule sheet, which has no levels")
        _report(_check_sheet(source), 1, as_json)
        return
    findings: list[Diagnostic] = list(check_game(source, reading=reading.value))
    if levels and not any(f.severity == "error" for f in findings):
        definition = read_game(source, reading=reading.value)
        for name in levels:
            text, file = read_source(read_input(name) if name == STANDARD_INPUT else Path(name))
            findings += check_level(text, definition, reading=reading.value, file=file)
    _report(findings, 1 + len(levels or []), as_json)


def _check_sheet(source: str | Path) -> list[Diagnostic]:
    """Return the problems of a rule sheet, also those that show only when it is grounded."""
    from pcg.engine.gdl import GDLError, load
    from pcg.engine.gdl import check as check_sheet

    findings = check_sheet(source)
    if any(f.severity == "error" for f in findings):
        return findings
    try:
        return list(load(source).warnings)
    except GDLError as error:
        return [*error.diagnostics, *findings]


def _report(findings: list[Diagnostic], texts: int, as_json: bool) -> None:
    """Print findings; exit code 2 when one is an error."""
    errors = sum(f.severity == "error" for f in findings)
    if as_json:
        print(json.dumps([asdict(finding) for finding in findings], indent=1))
        raise typer.Exit(BAD_INPUT if errors else 0)
    for finding in findings:
        print(finding, file=sys.stderr)
    counts = f"{_plural(errors, 'error')}, {_plural(len(findings) - errors, 'warning')}"
    if errors:
        print(counts, file=sys.stderr)
        raise typer.Exit(BAD_INPUT)
    print(f"{_plural(texts, 'text')} checked: {counts}")


def format_game(
    game: Annotated[str, typer.Argument(help="Game file, rule sheet (*.kif), or - for standard input.")],
    write: Annotated[bool, typer.Option("--write", help="Replace the file instead of printing.")] = False,
) -> None:
    """Print a game or a rule sheet in its canonical form, or replace the file with it."""
    from pcg.engine.game import is_rule_sheet
    from pcg.engine.vgdl.formatter import format_text
    from pcg.engine.vgdl.source import read_source
    from pcg.language.gdl_help import format_sheet

    if write and not Path(game).is_file():
        raise bad(f"--write replaces a file, and `{game}` is none")
    source = read_input(game) if game == STANDARD_INPUT else game_file(game)
    text, name = read_source(source)
    formatted = (format_sheet if is_rule_sheet(source) else format_text)(text, file=name)
    if not write:
        print(formatted, end="")
    elif formatted == text:
        print(f"{game}: already in canonical form")
    else:
        write_file(Path(game), formatted)
        print(f"{game}: formatted")


def ontology(
    name: Annotated[
        str | None, typer.Argument(help="A sprite class, effect or termination; all are listed without it.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the parts of the language: sprite classes, effects and terminations with their parameters."""
    from pcg.engine.vgdl import ontology as registry
    from pcg.engine.vgdl.diagnostics import nearest

    kinds: dict[str, Mapping[str, Any]] = {
        "sprite class": registry.SPRITE_CLASSES,
        "effect": registry.EFFECTS,
        "termination": registry.TERMINATIONS,
    }
    if name is None:
        if as_json:
            print(
                json.dumps([_as_dict(kind, e) for kind, entries in kinds.items() for e in entries.values()], indent=1)
            )
        else:
            _list_ontology(kinds)
        return
    for kind, entries in kinds.items():
        if name in entries:
            if as_json:
                print(json.dumps(_as_dict(kind, entries[name]), indent=1))
            else:
                _describe(kind, entries[name])
            return
    known = nearest(name, (n for entries in kinds.values() for n in entries))
    hint = f", did you mean `{known}`?" if known else "; `pcg ontology` lists them all"
    raise bad(f"no sprite class, effect or termination is called `{name}`{hint}")


def _as_dict(kind: str, entry: Any) -> dict[str, Any]:
    params = [
        {"name": p.name, "type": p.type, "required": p.required, "default": p.default, "range": p.range,
         "unit": p.unit, "help": p.help}
        for p in entry.params.values()
        if not p.inert
    ]  # fmt: skip
    return {"kind": kind, "name": entry.name, "parent": getattr(entry, "parent", None), "help": entry.help,
            "parameters": params}  # fmt: skip


def _list_ontology(kinds: Mapping[str, Mapping[str, Any]]) -> None:
    from rich.table import Table

    out = console()
    for kind, entries in kinds.items():
        table = Table(title=f"{kind[0].upper()}{kind[1:]}es" if kind.endswith("s") else f"{kind.capitalize()}s")
        table.title_justify = "left"
        table.add_column("name", no_wrap=True)
        table.add_column("what it does")
        for entry in entries.values():
            later = "" if entry.runnable else " [dim](cannot be run yet)[/dim]"
            table.add_row(entry.name, f"{escape(entry.help)}{later}")
        out.print(table)


def _describe(kind: str, entry: Any) -> None:
    from rich.table import Table

    out = console()
    parent = getattr(entry, "parent", None)
    out.print(f"[bold]{entry.name}[/bold]: {kind}" + (f", a kind of {parent}" if parent else ""))
    out.print(escape(entry.help))
    if not entry.runnable:
        out.print("It can be read and checked, but the engine cannot run it yet.")
    if entry.rule:
        out.print(f"Rule: {escape(entry.rule)}")
    shown = [param for param in entry.params.values() if not param.inert]
    shown.sort(key=lambda param: param.name not in entry.own)  # its own first, then what it inherits
    if not shown:
        out.print("It has no parameters.")
        return
    table = Table("parameter", "type", "default", "range", "what it is")
    for param in shown:
        values = "" if param.range is None else f"{param.range[0]:g} to {param.range[1]:g}"
        default = "required" if param.required else "" if param.default is None else str(param.default)
        unit = f" ({param.unit})" if param.unit else ""
        style = None if param.name in entry.own else "dim"
        table.add_row(param.name, param.type, escape(default), values, escape(param.help + unit), style=style)
    out.print(table)
