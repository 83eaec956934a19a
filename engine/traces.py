"""Trace format: a play as lines of JSON, by which independent programs can compare engines.

A trace is a gzip file: a header, the state before tick 0, then one line per tick with the actions and what changed
(docs/conformance.md). Here such files are read and written, and states are put into the form of their lines.
"""

from __future__ import annotations

import gzip
import io
import json
import math
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pcg.engine.arrays import StateArrays, sprite_table
from pcg.engine.kernel import layout as L
from pcg.engine.state import Outcome, State
from pcg.engine.vgdl.diagnostics import PcgError

if TYPE_CHECKING:
    from pcg.engine.game import Game

_FIELDS = ("x", "y", "w", "h", "ox", "oy", "speed", "hp")
_GZIP = 31
"""Window size by which zlib knows a gzip file with the largest window."""


# --- reading ---


class TraceText:
    """The unpacked text of a trace file, line by line.

    A file that breaks off gives its whole lines first, and the error after them.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._problem: Exception | None = None
        data = b""
        try:
            packed = path.read_bytes()
            try:
                data = gzip.decompress(packed)
            except EOFError as error:
                self._problem = error
                data = zlib.decompressobj(_GZIP).decompress(packed)
        except (OSError, zlib.error) as error:
            self._problem = error
        if not data.isascii():
            try:
                data.decode("ascii")
            except UnicodeDecodeError as error:
                self._problem = error
                data = data[: error.start]
        if self._problem is not None:
            data = data[: data.rfind(b"\n") + 1]
        self.data: bytes = data if data.endswith(b"\n") or not data else data + b"\n"
        """ASCII; every line ends with a newline."""

    def lines(self) -> Iterator[tuple[int, int, int]]:
        """(line number from 1, begin, end) of every line in `data`. Raises PcgError where the file breaks off."""
        begin, number = 0, 0
        find, size = self.data.find, len(self.data)
        while begin < size:
            end = find(b"\n", begin)
            number += 1
            yield number, begin, end
            begin = end + 1
        if self._problem is not None:
            raise PcgError(f"{self.path}: cannot be read as a trace: {self._problem}") from self._problem

    def parse(self, number: int, begin: int, end: int) -> Any:
        """The value of a line. Raises PcgError when it is not JSON."""
        try:
            return json.loads(self.data[begin:end])
        except ValueError as error:
            raise PcgError(f"{self.path}:{number}: not a JSON line: {error}") from error


def read_trace(path: Path) -> Iterator[dict[str, Any]]:
    """The JSON lines of a trace file. Raises PcgError when it is not one."""
    text = TraceText(path)
    for place in text.lines():
        yield text.parse(*place)


# --- writing ---


class TraceWriter:
    """Writes a trace to a temporary name and renames it when complete, which is at the end of its `with` block."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._temporary = path.with_name(path.name + ".part")
        self._raw = self._temporary.open("wb")
        # no time stamp inside: the same play gives the same bytes
        self._zip = gzip.GzipFile(fileobj=self._raw, mode="wb", mtime=0, filename="")
        self._text = io.TextIOWrapper(self._zip, encoding="ascii")

    def line(self, value: Any) -> None:
        """Append a line."""
        self._text.write(json.dumps(value, separators=(",", ":")) + "\n")

    def __enter__(self) -> TraceWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._text.close()
        self._raw.close()
        if kind is None:
            self._temporary.replace(self._path)
        else:
            self._temporary.unlink()


# --- states as lines ---


def json_number(value: float) -> Any:
    """A float as traces write it: integral values without a fraction, NaN and infinities as text.

    >>> json_number(2.0), json_number(0.5), json_number(-0.0), json_number(float("inf"))
    (2, 0.5, -0.0, 'Infinity')
    """
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == int(value) and not (value == 0 and math.copysign(1.0, value) < 0) and abs(value) < 2**53:
        return int(value)
    return value


def _players(state: State, value: Any) -> list[Any]:
    return [value] if state.game.players == 1 else list(value)


def _status(state: State) -> tuple[list[Any], list[str | None]]:
    """Scores and win states by player, None for a player without an avatar."""
    header = state.header
    here = [int(header.avatar0) >= 0, int(header.avatar1) >= 0]
    scores = _players(state, state.score)
    wins = _players(state, state.winner)
    return (
        [json_number(s) if a else None for a, s in zip(here, scores, strict=False)],
        [Outcome(w).name if a else None for a, w in zip(here, wins, strict=False)],
    )


def _resources(state: State, record: Any) -> dict[str, int]:
    return {str(k): v for k, v in state.resources_of(record).items()}


def _tuple(state: State, r: Any) -> list[Any]:
    return [
        int(r["id"]), int(r["type"]), int(r["x"]), int(r["y"]), int(r["w"]), int(r["h"]),
        json_number(float(r["ox"])), json_number(float(r["oy"])), json_number(float(r["speed"])), int(r["hp"]),
        1 if r["bits"] & L.DISABLED else 0, _resources(state, r),
    ]  # fmt: skip


def sprite_tuples(state: State) -> list[list[Any]]:
    """All sprites, by type, then in order of creation."""
    return [_tuple(state, r) for r in sprite_table(state)]


def changes(before: State, after: State) -> tuple[list[list[Any]], list[int]]:
    """Return the differences between two states: new or changed sprites (by type, then id), and the ids gone."""
    old, new = StateArrays(before), StateArrays(after)
    n = min(len(old.moving), len(new.moving))
    a, b = old.moving[:n], new.moving[:n]
    changed = a["id"] != b["id"]
    for name in _FIELDS:
        changed |= a[name] != b[name]
    for name in ("ox", "oy", "speed"):
        changed |= np.signbit(a[name]) != np.signbit(b[name])
    changed |= (a["bits"] & L.DISABLED) != (b["bits"] & L.DISABLED)
    if len(after.context.tables.resources):
        for slot in np.flatnonzero(~changed & ((a["res"] >= 0) | (b["res"] >= 0))):
            changed[slot] = before.resources_of(a[slot]) != after.resources_of(b[slot])
    rows = [b[slot] for slot in np.flatnonzero(changed & (b["id"] >= 0))]
    rows += [r for r in new.moving[n:] if r["id"] >= 0]
    rows.sort(key=lambda r: (int(r["type"]), int(r["id"])))
    gone = set(a["id"][(a["id"] != b["id"]) & (a["id"] >= 0)].tolist())
    gone |= {int(i) for i in old.moving["id"][n:] if i >= 0}
    if gone:
        gone -= set(new.moving["id"].tolist())
    died = np.flatnonzero(old.mortal_alive != new.mortal_alive)
    gone |= {int(new.level[k]["id"]) for k in died}
    return [_tuple(after, r) for r in rows], sorted(int(i) for i in gone)


def action_lists(state: State) -> list[list[str] | None]:
    """Return each player's actions, without NIL; None for a player without an avatar."""
    header = state.header
    here = [int(header.avatar0) >= 0, int(header.avatar1) >= 0]
    known = _players(state, state.actions)
    return [[f"ACTION_{name}" for name in names] if a else None for a, names in zip(here, known, strict=False)]


def header_line(game: Game, state: State, source: Mapping[str, Any]) -> dict[str, Any]:
    """The header of this engine's trace of the play that `source`, a header, names."""
    context = state.context
    return {
        **{k: source[k] for k in ("format", "game", "level", "policy", "policy_seed", "max_ticks") if k in source},
        "players": game.players,
        "seed": source["seed"],
        "aux_seed": source.get("aux_seed"),
        "block_size": context.level.block_size,
        "width": context.level.width,
        "height": context.level.height,
        "types": list(context.tables.names),
        "resource_types": [t.id for t in game.definition.types if t.class_name in ("Resource", "ResourcePack")],
        "actions": action_lists(state),
        "sprite_order": list(game.definition.draw_order),
        "no_counters": game.definition.counters,
    }


def start_line(state: State) -> dict[str, Any]:
    """The line of a state before tick 0."""
    score, win = _status(state)
    return {"t": -1, "score": score, "win": win, "rng": state.rng, "aux": state.aux, "s": sprite_tuples(state)}


def tick_line(before: State, after: State, actions: Any) -> dict[str, Any]:
    """The line of a tick that led from one state to another."""
    score, win = _status(after)
    delta, gone = changes(before, after)
    line = {
        "t": after.tick, "a": actions, "score": score, "win": win, "ended": after.is_over,
        "rng": after.rng, "d": delta, "k": gone, "counters": list(after.counters),
    }  # fmt: skip
    if after.aux != before.aux:
        line["aux"] = after.aux
    return line


def same(expected: Any, got: Any) -> bool:
    """Return true if two values of a line are equal; -0.0 is not 0, and 1.0 is 1.

    >>> same([1.0, 2], [1, 2]), same(0, -0.0), same(-0.0, -0.0)
    (True, False, True)
    """
    # the text form decides in nearly all cases, and fast
    return repr(expected) == repr(got) or _equal(expected, got)


def _equal(expected: Any, got: Any) -> bool:
    if isinstance(expected, bool) or isinstance(got, bool):
        return expected is got
    if isinstance(expected, (int, float)) and isinstance(got, (int, float)):
        return expected == got and (expected != 0 or math.copysign(1, expected) == math.copysign(1, got))
    if isinstance(expected, list) and isinstance(got, list):
        return len(expected) == len(got) and all(_equal(e, g) for e, g in zip(expected, got, strict=True))
    if isinstance(expected, dict) and isinstance(got, dict):
        return expected.keys() == got.keys() and all(_equal(value, got[key]) for key, value in expected.items())
    return bool(expected == got)
