"""The command `list`: games, agents, generators, metrics and parts of the language, by kind."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Annotated, Any

import typer

from pcg.cli.console import console, escape, print_parameters
from pcg.cli.options import JsonOption, LoadOption, load_files

Row = tuple[str, str]
"""Name and a line of help."""


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("list")(list_things)


def _games() -> Iterable[Row]:
    from pcg.engine.game import builtin_games, evolved_games

    for name, folder in (*builtin_games().items(), *evolved_games().items()):
        yield name, (folder / "game.vgdl").read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")


def _board_games() -> Iterable[Row]:
    from pcg.engine.game import builtin_sheets

    for name, file in builtin_sheets().items():
        lines = file.read_text(encoding="utf-8").splitlines()
        head = " ".join(line.lstrip("; ") for line in itertools.takewhile(lambda line: line.startswith(";"), lines[1:]))
        yield name, head.partition(". ")[0].strip().rstrip(".") + "."


def _agents() -> Iterable[Row]:
    from pcg.evaluators.agents.registry import agent_names, agent_type

    return [(name, agent_type(name).help) for name in agent_names()]


_REGISTRIES: Mapping[str, str] = {
    "level-generators": "pcg.generators.levels:GENERATORS",
    "rule-generators": "pcg.generators.rules:RULE_GENERATORS",
    "game-generators": "pcg.generators.games:GAME_GENERATORS",
    "optimisers": "pcg.generators.tuning:OPTIMISERS",
}


def _registry(kind: str) -> Mapping[str, Any]:
    """Return the registry of a kind; counting its entries imports none of them."""
    module, _, name = _REGISTRIES[kind].partition(":")
    registry: Mapping[str, Any] = getattr(import_module(module), name)
    return registry


def _registered(kind: str) -> Callable[[], Iterable[Any]]:
    return lambda: _registry(kind).values()


def _metrics() -> Iterable[Row]:
    from pcg.evaluators.metrics import METRICS

    return [(metric.name, metric.help) for metric in METRICS.values()]


def _fitness_functions() -> Iterable[Row]:
    from pcg.evaluators.fitness_functions import FITNESS_FUNCTIONS

    return [(name, " ".join((function.__doc__ or "").split())) for name, function in FITNESS_FUNCTIONS.items()]


def _part(table: str) -> Callable[[], Iterable[Row]]:
    def rows() -> Iterable[Row]:
        from pcg.engine.vgdl import ontology

        return [(entry.name, entry.help) for entry in getattr(ontology, table).values()]

    return rows


def _kernels() -> Iterable[Row]:
    from pcg.engine.native.loader import inventory

    return [(row.package, f"{row.target}, {row.origin}") for row in inventory()]


KINDS: Mapping[str, tuple[str, Callable[[], Iterable[Any]]]] = {
    "games": ("games that come with the toolkit", _games),
    "board-games": ("board games that come with the toolkit", _board_games),
    "agents": ("agents that play", _agents),
    "level-generators": ("generators of levels", _registered("level-generators")),
    "rule-generators": ("generators of rules", _registered("rule-generators")),
    "game-generators": ("generators of whole games", _registered("game-generators")),
    "optimisers": ("optimisers that tune a game's numbers", _registered("optimisers")),
    "metrics": ("metrics of levels", _metrics),
    "fitness": ("fitness functions of levels", _fitness_functions),
    "sprites": ("sprite classes of VGDL", _part("SPRITE_CLASSES")),
    "effects": ("effects of VGDL", _part("EFFECTS")),
    "terminations": ("terminations of VGDL", _part("TERMINATIONS")),
    "kernels": ("compiled kernels of this machine", _kernels),
}
"""Kind -> line of help, and function that lists the entries: rows, or generators with their parameters."""


SHORT = {"generators": "level-generators", "boards": "board-games", "fitness-functions": "fitness"}
"""Short names of kinds, with their full names."""


def list_things(
    kind: Annotated[
        str | None,
        typer.Argument(
            help="A kind of things, as in games or agents; all kinds with their numbers are listed without it.",
            autocompletion=lambda incomplete: [kind for kind in KINDS if kind.startswith(incomplete)],
        ),
    ] = None,
    load: LoadOption = None,
    as_json: JsonOption = False,
) -> None:
    """List what there is: games, agents, generators, metrics, parts of the language."""
    from pcg.engine.vgdl.diagnostics import PcgError, nearest

    load_files(load)
    if kind is None:
        _list_kinds(as_json)
        return
    kind = SHORT.get(kind, kind)
    if kind not in KINDS:
        near = nearest(kind, KINDS) or next((name for name in KINDS if kind in name), "")
        hint = f", did you mean `{near}`?" if near else ""
        raise PcgError(f"there is no list of `{kind}`{hint} (expected one of {', '.join(KINDS)})")
    found = list(KINDS[kind][1]())
    parameters = {entry.name: entry.parameters for entry in found if not isinstance(entry, tuple)}
    rows: list[Row] = [entry if isinstance(entry, tuple) else (entry.name, entry.help) for entry in found]
    if as_json:
        entries: list[dict[str, Any]] = [{"name": name, "help": about} for name, about in rows]
        for entry in entries:
            if entry["name"] in parameters:
                entry["parameters"] = [
                    {"name": p.name, "default": p.default, "help": p.help} for p in parameters[entry["name"]]
                ]
        print(json.dumps(entries, indent=1, ensure_ascii=False))
    elif parameters:
        print_parameters((entry.name, entry.help, entry.parameters) for entry in found)
    else:
        _print(kind, rows)


def _list_kinds(as_json: bool) -> None:
    found = [
        (name, len(_registry(name)) if name in _REGISTRIES else len(list(rows())), about)
        for name, (about, rows) in KINDS.items()
        if name != "kernels"
    ]
    if as_json:
        print(json.dumps([{"kind": name, "number": number, "help": about} for name, number, about in found], indent=1))
        return
    from rich.table import Table

    table = Table("pcg list", "number", "of")
    table.columns[1].justify = "right"
    for name, number, about in found:
        table.add_row(name, str(number), about)
    console().print(table)


def _print(kind: str, rows: list[Row]) -> None:
    from rich.table import Table

    table = Table("name", f"{len(rows)} {kind}")
    table.columns[0].no_wrap = True
    for name, about in rows:
        table.add_row(escape(name), escape(about))
    console().print(table)
