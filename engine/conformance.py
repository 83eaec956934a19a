"""Replaying recorded traces: does this engine do what another one did, to the last bit?

A trace is a gzip file of JSON lines: a header, the state before tick 0, then one line per tick with the actions and
what changed. The same format is written for this engine's own plays, so that an independent program can compare. For
people who port games: docs/conformance.md.
"""

from __future__ import annotations

import ctypes
import gzip
import io
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pcg.engine.game import Game, load
from pcg.engine.kernel import layout as L
from pcg.engine.state import Outcome, State
from pcg.engine.vgdl.diagnostics import PcgError

_FIELDS = ("x", "y", "w", "h", "ox", "oy", "speed", "hp")


@dataclass(frozen=True)
class Difference:
    """The first place where a replay and its trace differ."""

    tick: int
    field: str
    expected: Any
    got: Any

    def __str__(self) -> str:
        return f"tick {self.tick}, {self.field}: expected {_short(self.expected)}, got {_short(self.got)}"


@dataclass
class Replay:
    """What came of one trace."""

    trace: str
    """Path below the traces' folder."""
    game: str
    ticks: int = 0
    """Ticks compared."""
    difference: Difference | None = None
    error: str = ""
    """Why it could not be replayed, "" if it could."""
    exercised: dict[str, int] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether every compared tick agreed."""
        return self.difference is None and not self.error


def _short(value: Any) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 160 else text[:157] + "..."


def _number(value: float) -> Any:
    """A float as the traces write it: integral values without a fraction, NaN and infinities as text."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == int(value) and not (value == 0 and math.copysign(1.0, value) < 0) and abs(value) < 2**53:
        return int(value)
    return value


class Watcher:
    """Tells after each tick what changed in a state, in the order and form of the trace format."""

    def __init__(self, state: State) -> None:
        self.state = state
        self._before: Any = None
        self._alive: Any = None
        self._held: dict[int, dict[str, int]] = {}

    def everything(self) -> list[list[Any]]:
        """All sprites, and remember them."""
        result = [self._tuple(r) for _, r in self.state.records()]
        self._remember()
        return result

    def _remember(self) -> None:
        state = self.state
        moving = state.context.moving(state.address)
        self._before = moving.copy()
        self._held = self._held_now(moving)
        self._alive = self._alive_now()

    def _alive_now(self) -> Any:
        context = self.state.context
        at = self.state.address + int(context.header(self.state.address)["at_alive"])
        n = int(context._record[0]["n_mortal"])
        memory: Any = (ctypes.c_char * n).from_address(at)
        return np.frombuffer(memory, np.uint8).copy() if n else np.zeros(0, np.uint8)

    def _held_now(self, rows: Any) -> dict[int, dict[str, int]]:
        return {int(r["id"]): self._resources(r) for r in rows[(rows["id"] >= 0) & (rows["res"] >= 0)]}

    def _resources(self, r: Any) -> dict[str, int]:
        return {str(k): v for k, v in self.state.resources_of(r).items()}

    def _tuple(self, r: Any) -> list[Any]:
        return [
            int(r["id"]), int(r["type"]), int(r["x"]), int(r["y"]), int(r["w"]), int(r["h"]),
            _number(float(r["ox"])), _number(float(r["oy"])), _number(float(r["speed"])), int(r["hp"]),
            1 if r["bits"] & L.DISABLED else 0, self._resources(r),
        ]  # fmt: skip

    def changes(self) -> tuple[list[list[Any]], list[int]]:
        """New or changed sprites (full tuples, by type, then id), and the ids that are gone."""
        state = self.state
        now = state.context.moving(state.address)
        before = self._before
        n = min(len(now), len(before))
        a, b = before[:n], now[:n]
        changed = a["id"] != b["id"]
        for name in _FIELDS:
            changed |= a[name] != b[name]
        for name in ("ox", "oy", "speed"):
            changed |= np.signbit(a[name]) != np.signbit(b[name])
        changed |= (a["bits"] & L.DISABLED) != (b["bits"] & L.DISABLED)
        rows = [now[i] for i in np.flatnonzero(changed & (b["id"] >= 0))]
        rows += [r for r in now[n:] if r["id"] >= 0]
        seen = {int(r["id"]) for r in rows}
        if len(state.context.tables.resources):
            for r in now[(now["res"] >= 0) & (now["id"] >= 0)]:
                if int(r["id"]) not in seen and self._held.get(int(r["id"]), {}) != self._resources(r):
                    rows.append(r)
        rows.sort(key=lambda r: (int(r["type"]), int(r["id"])))
        delta = [self._tuple(r) for r in rows]
        gone = set(a["id"][(a["id"] != b["id"]) & (a["id"] >= 0)].tolist())
        gone |= {int(i) for i in before["id"][n:] if i >= 0}
        if gone:
            gone -= set(now["id"].tolist())
        alive = self._alive_now()
        died = np.flatnonzero(self._alive != alive)
        gone |= {int(state.context.level_sprites[k]["id"]) for k in died}
        self._before = now.copy()
        self._alive = alive
        if len(state.context.tables.resources):
            self._held = self._held_now(now)
        return delta, sorted(int(i) for i in gone)


def read_trace(path: Path) -> Iterator[dict[str, Any]]:
    """The JSON lines of a trace file. Raises PcgError when it is not one."""
    try:
        with gzip.open(path, "rt", encoding="ascii") as stream:
            for number, line in enumerate(stream, 1):
                try:
                    yield json.loads(line)
                except ValueError as error:
                    raise PcgError(f"{path}:{number}: not a JSON line: {error}") from error
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise PcgError(f"{path}: cannot be read as a trace: {error}") from error


def _players(state: State, value: Any) -> list[Any]:
    return [value] if state.game.players == 1 else list(value)


def _status(state: State) -> tuple[list[Any], list[str | None]]:
    avatars = _players(state, state.avatar)
    scores = _players(state, state.score)
    wins = _players(state, state.winner)
    return (
        [None if a is None else _number(s) for a, s in zip(avatars, scores, strict=True)],
        [None if a is None else Outcome(w).name for a, w in zip(avatars, wins, strict=True)],
    )


def _header(game: Game, state: State, source: Mapping[str, Any]) -> dict[str, Any]:
    context = state.context
    actions = [
        None if a is None else [f"ACTION_{n}" for n in names]
        for a, names in zip(_players(state, state.avatar), _players(state, state.actions), strict=True)
    ]
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
        "actions": actions,
        "sprite_order": list(game.definition.draw_order),
        "no_counters": game.definition.counters,
    }


_COMPARED = (
    "players", "block_size", "width", "height", "types", "resource_types", "actions", "sprite_order", "no_counters",
)  # fmt: skip


def _same(expected: Any, got: Any) -> bool:
    """Equality that tells -0.0 from 0; the text form decides in nearly all cases, and fast."""
    return repr(expected) == repr(got) or _equal(expected, got)


def _equal(expected: Any, got: Any) -> bool:
    if isinstance(expected, float) and isinstance(got, (int, float)):
        return expected == got and math.copysign(1, expected) == math.copysign(1, got)
    if isinstance(expected, list) and isinstance(got, list):
        return len(expected) == len(got) and all(_equal(e, g) for e, g in zip(expected, got, strict=True))
    return bool(expected == got)


def replay(game: Game, trace: Path, *, name: str = "", emit: Path | None = None) -> Replay:
    """Replay one trace on a game and compare every line.

    Args:
        game: the game, with its levels.
        trace: the trace file.
        name: how to call it in the result.
        emit: where to write this engine's own trace of the same play (also when it differs).
    """
    lines = read_trace(trace)
    header = next(lines, None)
    if not isinstance(header, dict) or "seed" not in header:
        raise PcgError(f"{trace}: the first line is no trace header")
    result = Replay(name or str(trace), str(header.get("game", game.name)))
    if "error" in header:
        return result
    state = game.start(int(header["level"]), int(header["seed"]))
    if header.get("aux_seed") is not None:
        from pcg.engine.kernel.random import scramble

        state.aux = scramble(int(header["aux_seed"]))
    out = _Emitter(emit) if emit is not None else None
    own = _header(game, state, header)
    if out:
        out.line(own)

    def note(tick: int, field_name: str, expected: Any, got: Any) -> None:
        if result.difference is None:
            result.difference = Difference(tick, field_name, expected, got)

    for key in _COMPARED:
        if key in header and not _same(header[key], own[key]):
            note(-1, key, header[key], own[key])
    watcher = Watcher(state)
    for line in lines:
        if "error" in line or (result.difference is not None and out is None):
            break
        tick = int(line["t"])
        if tick < 0:
            score, win = _status(state)
            mine: dict[str, Any] = {"t": -1, "score": score, "win": win, "rng": state.rng, "aux": state.aux}
            mine["s"] = watcher.everything()
            if "aux" not in line:
                del mine["aux"]
            _compare(line, mine, note)
        else:
            if state.is_over:
                note(tick, "ended", False, True)
                break
            if _stopped_by_messages(line):
                break
            aux = state.aux
            state.advance(tuple(line["a"]) if game.players > 1 else line["a"][0] or 0)
            score, win = _status(state)
            delta, gone = watcher.changes()
            mine = {
                "t": state.tick, "a": line["a"], "score": score, "win": win, "ended": state.is_over,
                "rng": state.rng, "d": delta, "k": gone, "counters": list(state.counters),
            }  # fmt: skip
            if state.aux != aux:
                mine["aux"] = state.aux
            _compare(line, mine, note)
            result.ticks += 1
        if out:
            out.line(mine)
    if out:
        out.close()
    result.exercised = _exercised(state)
    return result


def _compare(line: Mapping[str, Any], mine: Mapping[str, Any], note: Any) -> None:
    tick = line["t"]
    for key in ("t", "score", "win", "ended", "rng", "aux", "k", "counters"):
        if (key in line or key in mine) and not _same(line.get(key), mine.get(key)):
            note(tick, key, line.get(key), mine.get(key))
    for key in ("d", "s"):
        if key in line and not _same(line[key], mine[key]):
            for expected, got in zip([*line[key], None], [*mine[key], None], strict=False):
                if not _same(expected, got):
                    note(tick, key, expected, got)
                    break


def _stopped_by_messages(line: Mapping[str, Any]) -> bool:
    """The reference ends a game without a winner when its log is full; messages are no game state here."""
    return bool(line.get("ended")) and all(w == "NO_WINNER" for w in line.get("win", ()))


def _exercised(state: State) -> dict[str, int]:
    names = state.context.tables.names
    counts: dict[str, int] = {}
    for event in state.events:
        key = f"{names[event.active]} {names[event.passive]}"
        counts[key] = counts.get(key, 0) + 1
    return counts


class _Emitter:
    """Writes a trace to a temporary name and renames it when complete."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._temporary = path.with_name(path.name + ".part")
        self._raw = self._temporary.open("wb")
        # no time stamp inside: the same play gives the same bytes
        self._zip = gzip.GzipFile(fileobj=self._raw, mode="wb", mtime=0, filename="")
        self._text = io.TextIOWrapper(self._zip, encoding="ascii")

    def line(self, value: Any) -> None:
        self._text.write(json.dumps(value, separators=(",", ":")) + "\n")

    def close(self) -> None:
        self._text.close()
        self._raw.close()
        self._temporary.replace(self._path)


# --- a whole folder ---


def find_traces(traces: Path, only: str | None = None) -> list[Path]:
    """All trace files below a folder, as sorted paths relative to it; `only` is a glob on those paths."""
    if not traces.is_dir():
        raise PcgError(f"{traces}: no such folder of traces")
    found = sorted(p.relative_to(traces) for p in traces.rglob("*.jsonl.gz"))
    if only:
        found = [p for p in found if _matches(p, only)]
    if not found:
        raise PcgError(f"{traces}: no traces" + (f" match {only}" if only else ""))
    return found


def _matches(path: Path, pattern: str) -> bool:
    """Glob with {a,b} alternatives; a pattern of two parts (set/game) means everything below."""
    import fnmatch
    import re

    alternatives = re.search(r"\{([^{}]*)\}", pattern)
    if alternatives:
        return any(
            _matches(path, pattern[: alternatives.start()] + choice + pattern[alternatives.end() :])
            for choice in alternatives.group(1).split(",")
        )
    text = path.as_posix()
    return fnmatch.fnmatch(text, pattern) or fnmatch.fnmatch(text, pattern.rstrip("/") + "/*")


def game_file(games: Path, trace: Path) -> Path:
    """The game file of a trace ``<set>/<game>/lvl...``: ``<games>/<set>/<game>.txt``. Raises PcgError without one."""
    for name in (games / trace.parent.with_suffix(".txt"), games / trace.parent / "game.vgdl"):
        if name.is_file():
            return name
    raise PcgError(f"{games / trace.parent.with_suffix('.txt')}: no such game file for the trace {trace}")


def replay_game(games: Path, traces: Path, group: list[Path], emit: Path | None = None) -> list[Replay]:
    """Replay all traces of one game; a game that cannot be loaded gives an error for each."""
    results: list[Replay] = []
    game: Game | None = None
    problem = ""
    try:
        game = load(game_file(games, group[0]), reading="gvgai")
    except PcgError as error:
        problem = str(error)
    for trace in group:
        name = trace.as_posix()
        label = trace.parent.as_posix()
        if game is None:
            results.append(Replay(name, label, error=problem))
            continue
        try:
            results.append(replay(game, traces / trace, name=name, emit=emit / trace if emit else None))
        except PcgError as error:
            results.append(Replay(name, label, error=str(error)))
    return results
