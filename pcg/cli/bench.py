"""Commands that measure the engines: `bench`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from pcg.cli.console import console, progress_bar
from pcg.cli.options import JsonOption
from pcg.cli.sources import game_file

PANEL = "Engine"

_OPERATIONS = {
    "advance": "advance_per_s",
    "copy": "copy_per_s",
    "copy + advance": "copy_advance_per_s",
    "copy + 10 advances": "rollout10_per_s",
}


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    bench = typer.Typer(no_args_is_help=True, help="Measure how fast things are.")
    bench.command("engine")(bench_engine)
    bench.command("gdl")(bench_gdl)
    app.add_typer(bench, name="bench", rich_help_panel=PANEL)


def bench_engine(
    games: Annotated[list[str], typer.Argument(help="Game files, or names of built-in games; level 0 is played.")],
    seconds: Annotated[float, typer.Option(min=0.001, help="CPU time for each of the four operations.")] = 1.0,
    copy_tick: Annotated[
        int, typer.Option("--from", min=0, max=1000, help="Tick of the state that is copied; 0 is the start.")
    ] = 50,
    restart: Annotated[
        int, typer.Option("--restart", min=1, max=100_000, help="Ticks after which advances begin again.")
    ] = 200,
    as_json: JsonOption = False,
) -> None:
    """Measure the engine: advances, copies, both, and copies with ten advances, per second of CPU time."""
    from pcg.cli.sources import load_with_levels
    from pcg.engine.benchmark import game_label, measure

    loaded = []
    for name in games:  # everything is read before anything is measured
        game = load_with_levels(name)
        game.read_level(0)
        loaded.append((game, game_label(game_file(name).resolve())))
    speeds = []
    with progress_bar() as bar:
        task = bar.add_task("measuring", total=len(loaded))
        for game, label in loaded:
            bar.update(task, description=label)
            speeds.append(measure(game, label, seconds, copy_tick, restart))
            bar.advance(task)
    if as_json:
        print(json.dumps([speed.as_dict() for speed in speeds], indent=1))
        return
    from rich.table import Table

    table = Table(
        "game", "size", "sprites", *_OPERATIONS, "spread", "state bytes", title="thousands per second of CPU time"
    )
    for speed in speeds:
        rates = [f"{getattr(speed, name) / 1000:,.0f}" for name in _OPERATIONS.values()]
        size = f"{speed.columns} x {speed.rows}"
        table.add_row(speed.game, size, str(speed.sprites), *rates, f"{speed.spread:.0%}", f"{speed.state_bytes:,}")
    for column in table.columns[1:]:
        column.justify = "right"
    console().print(table)
    print(
        f"one thread, after compilation, random actions on level 0; copies are of tick {copy_tick}, advances start "
        f"again after {restart} ticks or at the end; the best of five windows, and how much longer the slowest took "
        "(spread)"
    )


def bench_gdl(
    sheets: Annotated[list[Path], typer.Argument(help="Rule sheets, *.kif.")],
    seconds: Annotated[float, typer.Option(min=0.001, help="CPU time for each of the two ways to play.")] = 1.0,
    as_json: JsonOption = False,
) -> None:
    """Measure random playouts of rule sheets per second of CPU time: one at a time, and 64 at a time."""
    from pcg.engine.gdl.benchmark import measure, warm_up
    from pcg.engine.gdl.checker import analyse
    from pcg.engine.gdl.parser import read

    for path in sheets:  # everything is read before anything is measured
        analyse(read(path))
    warm_up()
    speeds = []
    with progress_bar() as bar:
        task = bar.add_task("measuring", total=len(sheets))
        for path in sheets:
            bar.update(task, description=path.stem)
            speeds.append(measure(path, seconds))
            bar.advance(task)
    if as_json:
        print(json.dumps([speed.as_dict() for speed in speeds], indent=1))
        return
    from rich.table import Table

    table = Table("game", "roles", "gates", "load s", "plies", "playouts/s", "transitions/s", "64 at a time", "")
    for speed in speeds:
        table.add_row(
            speed.game,
            str(speed.roles),
            f"{speed.gates:,}",
            f"{speed.load_s:.2f}",
            f"{speed.mean_plies:.1f}",
            f"{speed.playouts_per_s:,.0f}",
            f"{speed.transitions_per_s:,.0f}",
            f"{speed.batched_playouts_per_s:,.0f}",
            f"{speed.batched_transitions_per_s:,.0f}",
        )
    for column in table.columns[1:]:
        column.justify = "right"
    console().print(table)
    print("one thread, after compilation; the last two columns are playouts and transitions 64 at a time")
