"""The command `conformance`: replay recorded plays, compare every tick, and say what the plays make use of."""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from pcg.cli.console import console, escape, progress_bar, write_file
from pcg.cli.options import WorkersOption

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pcg.engine.conformance import Replay
    from pcg.engine.coverage import Summary, Tally

PANEL = "Engine"
T = TypeVar("T")
R = TypeVar("R")

DIFFERENT = 1
"""Exit code when a replay differs from its recording."""
_NARROW = 80
"""Columns that running text is wrapped to."""


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(rich_help_panel=PANEL)(conformance)


def conformance(
    traces: Annotated[
        Path,
        typer.Argument(
            help="Folder of traces, <set>/<game>/lvl<k>_<policy>.jsonl.gz; of rule sheets, <game>.jsonl.gz."
        ),
    ],
    games: Annotated[
        Path,
        typer.Option(help="Folder of the games, <set>/<game>.txt with <game>_lvl<k>.txt; of rule sheets, <game>.kif."),
    ],
    emit: Annotated[Path | None, typer.Option(help="Write this engine's own trace of each play here.")] = None,
    json_file: Annotated[Path | None, typer.Option("--results", help="Write the results to a JSON file.")] = None,
    only: Annotated[
        str | None, typer.Option(help="Only traces whose path matches, as in 'gridphysics/{aliens,zelda}/*'.")
    ] = None,
    workers: WorkersOption = None,
    summary: Annotated[
        bool, typer.Option(help="Print which classes, effects and terminations the traces make use of.")
    ] = True,
    summary_file: Annotated[
        Path | None, typer.Option("--summary-json", help="Write the summary, and every line not used, to a file.")
    ] = None,
) -> None:
    """Replay recorded plays and compare every tick with what was recorded.

    Exit code 0: all match; 1: at least one differs; 2: the folders cannot be used.
    """
    from pcg.engine.conformance import find_traces
    from pcg.engine.coverage import summarise
    from pcg.engine.gdl.conformance import find_gdl_traces
    from pcg.engine.vgdl.diagnostics import PcgError

    found = find_gdl_traces(traces, only)
    sheets = bool(found)
    found = found or find_traces(traces, only)
    if not games.is_dir():
        raise PcgError(f"{games}: no such folder of games")
    if emit is not None and emit.resolve() == traces.resolve():
        raise PcgError(f"--emit {emit} would overwrite the recorded traces; name another folder")
    if sheets:
        _replay_sheets(found, games, traces, emit, json_file, workers)
        return
    groups = [list(group) for _, group in itertools.groupby(found, key=lambda path: path.parent)]
    replays: dict[int, list[Replay]] = {}
    with progress_bar() as bar:
        task = bar.add_task("replaying", total=len(found))
        for number, done in _replay_all(groups, games, traces, emit, workers):
            bar.update(task, description=groups[number][0].parent.as_posix(), advance=len(done))
            replays[number] = done
    results = [replay for number in sorted(replays) for replay in replays[number]]
    used = summarise((_game_of(replay), replay.coverage) for replay in results if replay.coverage is not None)
    if json_file is not None:
        write_file(json_file, json.dumps([_as_json(result) for result in results], indent=1) + "\n")
    if summary_file is not None:
        write_file(summary_file, json.dumps(_summary_as_json(used), indent=1) + "\n")
    _print_by_game(results, _game_of, "ticks")
    if summary:
        _print_summary(used)
    _finish(results, "ticks")


def _replay_sheets(
    found: list[Path], games: Path, traces: Path, emit: Path | None, json_file: Path | None, workers: int | None
) -> None:
    """Replay traces of rule sheets."""
    from functools import partial

    from pcg.engine.gdl.conformance import replay_sheet

    replays: dict[int, Replay] = {}
    sizes = [(traces / path).stat().st_size for path in found]
    with progress_bar() as bar:
        task = bar.add_task("replaying", total=len(found))
        for number, done in _in_processes(partial(replay_sheet, games, traces, emit=emit), found, sizes, workers):
            bar.update(task, description=done.game, advance=1)
            replays[number] = done
    results = [replays[number] for number in sorted(replays)]
    if json_file is not None:
        write_file(json_file, json.dumps([_as_json(result) for result in results], indent=1) + "\n")
    _print_by_game(results, lambda result: result.game, "states")
    _finish(results, "states")


def _finish(results: list[Replay], unit: str) -> None:
    """Say how many match; exit code 1 when not all do."""
    same = sum(result.ok for result in results)
    print(f"{same} of {len(results)} traces match, {sum(result.ticks for result in results):,} {unit} compared")
    if same < len(results):
        raise typer.Exit(DIFFERENT)


def _replay_all(
    groups: list[list[Path]], games: Path, traces: Path, emit: Path | None, workers: int | None
) -> Iterator[tuple[int, list[Replay]]]:
    """(number of the group, its replays) of each game as they are done, in several processes where that pays."""
    from functools import partial

    from pcg.engine.conformance import replay_game

    sizes = [sum((traces / trace).stat().st_size for trace in group) for group in groups]
    yield from _in_processes(partial(replay_game, games, traces, emit=emit), groups, sizes, workers)


def _in_processes(
    job: Callable[[T], R], items: list[T], sizes: list[int], workers: int | None
) -> Iterator[tuple[int, R]]:
    """(number, result) of each item as they are done, in several processes where that pays."""
    from concurrent.futures import as_completed

    from pcg.runs.process_pool import ProcessPool

    workers = min(workers or os.cpu_count() or 1, len(items))
    if workers == 1:
        yield from enumerate(map(job, items))
        return
    # the longest first, so that no process is left with much to do when the others have finished
    order = sorted(range(len(items)), key=sizes.__getitem__, reverse=True)
    pool = ProcessPool(workers)
    try:
        jobs = {pool.submit(job, items[number]): number for number in order}
        for done in as_completed(jobs):
            yield jobs[done], done.result()
    finally:
        # waits for the processes: a pool that is still closing its pipes while Python ends can keep it from ending
        pool.shutdown(cancel_futures=True)


def _game_of(replay: Replay) -> str:
    return replay.trace.rpartition("/")[0]


# --- what is written ---


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


def _summary_as_json(summary: Summary) -> dict[str, Any]:
    return {
        "used": [
            {
                "kind": tally.kind,
                "name": tally.name,
                "traces": tally.traces_used,
                "games": tally.games_used,
                "games_with": tally.games,
                "lines": tally.lines_used,
                "lines_with": tally.lines,
            }
            for tally in summary.tallies
        ],
        "unused": [
            {"game": game, "line": rule.line, "kind": rule.kind, "name": rule.name, "text": rule.text}
            for game, rule in summary.unused
        ],
    }


# --- what is printed ---


def _print_by_game(results: list[Replay], game_of: Callable[[Replay], str], unit: str) -> None:
    from rich.table import Table

    table = Table("game", "traces", "match", unit, "first difference")
    for game, group in itertools.groupby(results, key=game_of):
        plays = list(group)
        wrong = next((play for play in plays if not play.ok), None)
        what = ""
        if wrong is not None:
            what = f"{wrong.trace.rpartition('/')[2]}: {wrong.difference or wrong.error}"
        same = sum(play.ok for play in plays)
        ticks = f"{sum(play.ticks for play in plays):,}"
        table.add_row(game, str(len(plays)), str(same), ticks, escape(what), style="red" if wrong else None)
    console().print(table)


def _print_summary(summary: Summary) -> None:
    """Return tables by kind of what the traces make use of, then what they do not."""
    from rich.table import Table

    screen = console()
    print("\nWhat the traces make use of, of what the games have")
    absent: list[Tally] = []
    for kind, tallies in itertools.groupby(summary.tallies, key=lambda tally: tally.kind):
        table = Table(kind, "traces", "games", "lines")
        for column in table.columns[1:]:
            column.justify = "right"
        for tally in sorted(tallies, key=lambda tally: -tally.traces_used):
            if tally.games == 0:
                absent.append(tally)
                continue
            table.add_row(
                tally.name,
                f"{tally.traces_used:,}",
                f"{tally.games_used} of {tally.games}",
                f"{tally.lines_used} of {tally.lines}",
                style=None if tally.traces_used else "yellow",
            )
        if table.row_count:
            screen.print(table)
    unused = [tally for tally in summary.tallies if tally.games and not tally.traces_used]
    for title, those in (("in the games, but used by no trace", unused), ("in none of the games", absent)):
        for kind, group in itertools.groupby(those, key=lambda tally: tally.kind):
            text = f"{kind}, {title}: {', '.join(tally.name for tally in group)}"
            screen.print(escape(text), width=min(screen.width, _NARROW))
    lines = sum(tally.lines for tally in summary.tallies)
    hint = "; --summary-json FILE lists the others" if summary.unused else ""
    print(f"{lines - len(summary.unused):,} of {lines:,} lines are used{hint}\n")
