"""Replay of recorded plays of rule sheets: every fact, legal move and goal value of every state.

A trace is ``<game>.jsonl.gz`` in a flat folder: a line about the game, then one line per state of each playout, with
the joint move that was made in it (docs/conformance.md). Only the moves are taken from it; all else is compared.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pcg.engine.conformance import Difference, Replay, find_traces
from pcg.engine.gdl.game import GdlGame, SheetState, load
from pcg.engine.traces import TraceText, TraceWriter
from pcg.engine.vgdl.diagnostics import PcgError

_HEADER = ("type", "game", "roles", "init")
_STEP = ("type", "playout", "step", "facts", "terminal", "goals", "legal", "move")


def is_gdl_trace(path: Path) -> bool:
    """Return true if a trace file is one of a rule sheet, by its first line."""
    try:
        with gzip.open(path, "rb") as stream:
            first = stream.read(4096)
    except (OSError, EOFError):
        return False
    return first.lstrip().startswith(b'{"type":"game"') or (b'"type"' in first and b'"roles"' in first)


def find_gdl_traces(traces: Path, only: str | None = None) -> list[Path]:
    """The traces of rule sheets in a flat folder, sorted; empty when the folder holds another kind of trace."""
    if not traces.is_dir() or not any(is_gdl_trace(path) for path in sorted(traces.glob("*.jsonl.gz"))[:1]):
        return []
    return [path for path in find_traces(traces, only) if len(path.parts) == 1]


def sheet_file(games: Path, trace: Path) -> Path:
    """The rule sheet of a trace. Raises PcgError without one."""
    path = games / (trace.name.removesuffix(".jsonl.gz") + ".kif")
    if not path.is_file():
        raise PcgError(f"{path}: no such rule sheet for the trace {trace}")
    return path


def header_line(game: GdlGame, name: str, playouts: int) -> dict[str, Any]:
    """The first line of a trace."""
    facts = list(game.start().facts)
    return {"type": "game", "game": name, "roles": list(game.roles), "init": facts, "playouts": playouts}


def step_line(state: SheetState, playout: int, step: int, move: Any) -> dict[str, Any]:
    """The line of a state; `move` is the joint move made in it, None in a terminal one."""
    terminal = state.is_terminal
    return {
        "type": "step",
        "playout": playout,
        "step": step,
        "facts": list(state.facts),
        "terminal": terminal,
        "goals": {role: list(values) for role, values in state.goals.items()},
        "legal": None if terminal else {role: list(state.legal(role)) for role in state.game.roles},
        "move": None if terminal else move,
    }


def replay(game: GdlGame, trace: Path, *, name: str = "", emit: Path | None = None) -> Replay:
    """Replay one trace on a game and compare every field of every line.

    Args:
        game: the game.
        trace: the trace file.
        name: how to call it in the result.
        emit: where to write this engine's own trace of the same plays (also when they differ).
    """
    result = Replay(name or str(trace), trace.name.removesuffix(".jsonl.gz"))
    if emit is None:
        _follow(game, trace, result, None)
    else:
        with TraceWriter(emit) as out:
            _follow(game, trace, result, out)
    return result


def _follow(game: GdlGame, trace: Path, result: Replay, out: TraceWriter | None) -> None:
    text = TraceText(trace)
    lines = text.lines()
    place = next(lines, None)
    header = text.parse(*place) if place is not None else None
    if not isinstance(header, dict) or header.get("type") != "game":
        raise PcgError(f"{trace}: the first line is no header of a rule sheet's trace")
    own = header_line(game, result.game, int(header.get("playouts", 0)))
    _compare(result, -1, _HEADER, header, own)
    if out is not None:
        out.line(own)
    state: SheetState | None = None
    playout, step = -1, 0
    for number, begin, end in lines:
        line = text.parse(number, begin, end)
        if not isinstance(line, dict) or line.get("type") != "step":
            raise PcgError(f"{trace}:{number}: a line of type `step` was expected")
        if state is None:
            playout, step, state = playout + 1, 0, game.start()
        mine = step_line(state, playout, step, line.get("move"))
        _compare(result, step, _STEP, line, mine)
        if out is not None:
            out.line(mine)
        if result.difference is not None and (out is None or line.get("step") != step):
            return
        result.ticks += 1
        if state.is_terminal:
            state = None
            continue
        moves = line.get("move")
        try:
            if not isinstance(moves, list):
                raise PcgError("no joint move")
            state.advance(moves)
        except PcgError as error:
            _note(result, Difference(step, "move", moves, str(error)))
            return
        step += 1
    if state is not None:
        _note(result, Difference(step, "terminal", "one more line", "a playout that breaks off"))
    if playout + 1 != header.get("playouts"):
        _note(result, Difference(step, "playouts", header.get("playouts"), playout + 1))


def _note(result: Replay, difference: Difference) -> None:
    if result.difference is None:
        result.difference = difference


def _compare(
    result: Replay, step: int, fields: tuple[str, ...], theirs: Mapping[str, Any], mine: Mapping[str, Any]
) -> None:
    for field in fields:
        expected, got = theirs.get(field), mine[field]
        if expected == got and type(expected) is type(got):
            continue
        if isinstance(expected, list) and isinstance(got, list) and field in ("facts", "init"):
            # a state has many facts; what is missing and what is too much says more
            missing, extra = sorted(set(expected) - set(got)), sorted(set(got) - set(expected))
            if missing or extra:
                expected, got = missing, extra
        _note(result, Difference(step, field, expected, got))


def replay_sheet(games: Path, traces: Path, trace: Path, emit: Path | None = None) -> Replay:
    """Replay the trace of one sheet; a sheet that cannot be loaded gives an error."""
    name = trace.as_posix()
    try:
        game = load(sheet_file(games, trace))
        return replay(game, traces / trace, name=name, emit=emit / trace if emit is not None else None)
    except PcgError as error:
        return Replay(name, trace.name.removesuffix(".jsonl.gz"), error=str(error))


__all__ = ["find_gdl_traces", "header_line", "is_gdl_trace", "replay", "replay_sheet", "sheet_file", "step_line"]
