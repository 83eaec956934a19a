"""Commands that compile and measure the engine: `warmup`, `bench` and `conformance`."""

from __future__ import annotations

import itertools
import json
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pcg.cli.console import console, errors, escape, progress_bar, write_file
from pcg.cli.sources import game_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pcg.engine.conformance import Replay

PANEL = "Engine"
DIFFERENT = 1
"""Exit code when a replay differs from its recording."""

_OPERATIONS = {
    "advance": "advance_per_s",
    "copy": "copy_per_s",
    "copy + advance": "copy_advance_per_s",
    "copy + 10 advances": "rollout10_per_s",
}


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(rich_help_panel=PANEL)(warmup)
    app.command(rich_help_panel=PANEL)(conformance)
    bench = typer.Typer(no_args_is_help=True, help="Measure how fast things are.")
    bench.callback()(lambda: None)  # so that `engine` stays a word to type while it is the only one
    bench.command("engine")(bench_engine)
    app.add_typer(bench, name="bench", rich_help_panel=PANEL)


def warmup() -> None:
    """Compile everything for this machine now, so that nothing waits for it later."""
    import pcg.engine.state
    import pcg.evaluators.agents  # noqa: F401 - importing declares the kernels
    from pcg.engine.kernel import runtime

    if not runtime.JIT:
        print("the compiler is switched off (NUMBA_DISABLE_JIT); there is nothing to compile")
        return
    with errors().status("compiling the kernels for this machine, once; about a minute ...") as status:
        seconds = runtime.compile_all(lambda name, _: status.update(f"compiling the kernels for this machine: {name}"))
    print(f"kernels ready after {seconds:.1f} s")


def conformance(
    traces: Annotated[Path, typer.Argument(help="Folder of traces, <set>/<game>/lvl<k>_<policy>.jsonl.gz.")],
    games: Annotated[Path, typer.Option(help="Folder of the games, <set>/<game>.txt with <game>_lvl<k>.txt.")],
    emit: Annotated[Path | None, typer.Option(help="Write this engine's own trace of each play here.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the results to a file.")] = None,
    only: Annotated[
        str | None, typer.Option(help="Only traces whose path matches, as in 'gridphysics/{aliens,zelda}/*'.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes side by side; one per processor without it.")
    ] = None,
) -> None:
    """Replay recorded plays and compare every tick with what was recorded.

    Exit code 0: all match; 1: at least one differs; 2: the folders cannot be used.
    """
    from pcg.engine.conformance import find_traces
    from pcg.engine.vgdl.diagnostics import PcgError

    found = find_traces(traces, only)
    if not games.is_dir():
        raise PcgError(f"{games}: no such folder of games")
    if emit is not None and emit.resolve() == traces.resolve():
        raise PcgError(f"--emit {emit} would overwrite the recorded traces; name another folder")
    groups = [list(group) for _, group in itertools.groupby(found, key=lambda path: path.parent)]
    results: list[Replay] = []
    with progress_bar() as bar:
        task = bar.add_task("replaying", total=len(found))
        for group, replays in zip(groups, _replay_all(groups, games, traces, emit, workers), strict=True):
            bar.update(task, description=group[0].parent.as_posix(), advance=len(group))
            results += replays
    if json_file is not None:
        write_file(json_file, json.dumps([_as_json(result) for result in results], indent=1) + "\n")
    _print_by_game(results)
    if not all(result.ok for result in results):
        raise typer.Exit(DIFFERENT)


def _replay_all(
    groups: list[list[Path]], games: Path, traces: Path, emit: Path | None, workers: int | None
) -> Iterator[list[Replay]]:
    """The replays of each game in order, worked out in several processes where that pays."""
    from concurrent.futures import ProcessPoolExecutor
    from functools import partial
    from multiprocessing import get_context

    from pcg.engine.conformance import replay_game

    job = partial(replay_game, games, traces, emit=emit)
    workers = min(workers or os.cpu_count() or 1, len(groups))
    if workers == 1:
        yield from map(job, groups)
        return
    # spawned, not forked: a fork would take over locks of the compiler in whatever state they are
    context = get_context("spawn")
    with ProcessPoolExecutor(workers, context, signal.signal, (signal.SIGINT, signal.SIG_IGN)) as pool:
        yield from pool.map(job, groups)


def _as_json(result: Replay) -> dict[str, Any]:
    first = result.difference
    return {
        "trace": result.trace,
        "game": result.game,
        "ok": result.ok,
        "ticks": result.ticks,
        "difference": None
        if first is None
        else {"tick": first.tick, "field": first.field, "expected": first.expected, "got": first.got},
        "error": result.error,
    }


def _print_by_game(results: list[Replay]) -> None:
    from rich.table import Table

    table = Table("game", "traces", "match", "ticks", "first difference")
    for game, group in itertools.groupby(results, key=lambda result: result.trace.rpartition("/")[0]):
        plays = list(group)
        wrong = next((play for play in plays if not play.ok), None)
        what = ""
        if wrong is not None:
            what = f"{wrong.trace.rpartition('/')[2]}: {wrong.difference or wrong.error}"
        same = sum(play.ok for play in plays)
        ticks = f"{sum(play.ticks for play in plays):,}"
        table.add_row(game, str(len(plays)), str(same), ticks, escape(what), style="red" if wrong else None)
    console().print(table)
    same = sum(result.ok for result in results)
    print(f"{same} of {len(results)} traces match, {sum(result.ticks for result in results):,} ticks compared")


def bench_engine(
    games: Annotated[list[str], typer.Argument(help="Game files, or names of built-in games; level 0 is played.")],
    seconds: Annotated[float, typer.Option(min=0.001, help="CPU time for each of the four operations.")] = 1.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print a list of objects instead of a table.")] = False,
) -> None:
    """Measure the engine: advances, copies, both, and copies with ten advances, per second of CPU time."""
    from pcg import load
    from pcg.engine.benchmark import game_label, measure

    loaded = []
    for name in games:  # everything is read before anything is measured
        game = load(name)
        game.read_level(0)
        loaded.append((game, game_label(game_file(name).resolve())))
    speeds = []
    with progress_bar() as bar:
        task = bar.add_task("measuring", total=len(loaded))
        for game, label in loaded:
            bar.update(task, description=label)
            speeds.append(measure(game, label, seconds))
            bar.advance(task)
    if as_json:
        print(json.dumps([speed.as_dict() for speed in speeds], indent=1))
        return
    from rich.table import Table

    table = Table("game", "size", "sprites", *_OPERATIONS, "state bytes", title="thousands per second of CPU time")
    for speed in speeds:
        rates = [f"{getattr(speed, name) / 1000:,.0f}" for name in _OPERATIONS.values()]
        size = f"{speed.columns} x {speed.rows}"
        table.add_row(speed.game, size, str(speed.sprites), *rates, f"{speed.state_bytes:,}")
    for column in table.columns[1:]:
        column.justify = "right"
    console().print(table)
    print("one thread, after compilation, random actions on level 0")
