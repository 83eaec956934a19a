"""Replay of recorded traces: a comparison of this engine with another one, to the last bit.

Every tick is played and compared. Lines that agree are recognised in their text (`pcg.engine.trace_match`); any other
is read, compared field by field, and its first difference named. For people who port games: docs/conformance.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pcg.engine.coverage import Coverage, Rule, Watch, rules_of
from pcg.engine.game import Game, load
from pcg.engine.kernel.ids import ACTION_ID
from pcg.engine.kernel.random import scramble
from pcg.engine.state import State
from pcg.engine.trace_match import LineMatcher
from pcg.engine.traces import TraceText, TraceWriter, action_lists, header_line, same, start_line, tick_line
from pcg.engine.vgdl.diagnostics import PcgError

_COMPARED = (
    "players", "block_size", "width", "height", "types", "resource_types", "actions", "sprite_order", "no_counters",
)  # fmt: skip
"""Fields of the header that are compared when it has them."""


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
    """Result of replaying one trace."""

    trace: str
    """Path below the traces' folder."""
    game: str
    ticks: int = 0
    """Ticks compared."""
    difference: Difference | None = None
    error: str = ""
    """Reason for which it could not be replayed, "" if it could."""
    coverage: Coverage | None = None
    """Rules of the game that the play made use of; None when it could not be replayed."""

    @property
    def ok(self) -> bool:
        """True when every compared tick agreed."""
        return self.difference is None and not self.error


def _short(value: Any) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 160 else text[:157] + "..."


def replay(
    game: Game, trace: Path, *, name: str = "", emit: Path | None = None, rules: tuple[Rule, ...] | None = None
) -> Replay:
    """Replay one trace on a game and compare every line.

    Args:
        game: the game, with its levels.
        trace: the trace file.
        name: how to call it in the result.
        emit: where to write this engine's own trace of the same play (also when it differs).
        rules: `rules_of(game.definition)`, for those who have it already.
    """
    text = TraceText(trace)
    lines = text.lines()
    place = next(lines, None)
    header = text.parse(*place) if place is not None else None
    if not isinstance(header, dict) or not {"level", "seed"} <= header.keys():
        raise PcgError(f"{trace}: the first line is no trace header")
    result = Replay(name or str(trace), str(header.get("game", game.name)))
    if "error" in header:
        return result
    state = game.start(int(header["level"]), int(header["seed"]))
    if header.get("aux_seed") is not None:
        state.aux = scramble(int(header["aux_seed"]))
    if emit is None:
        _follow(_Run(state, result, None, rules), text, lines, header)
    else:
        with TraceWriter(emit) as out:
            _follow(_Run(state, result, out, rules), text, lines, header)
    return result


def _follow(run: _Run, text: TraceText, lines: Iterator[tuple[int, int, int]], header: Mapping[str, Any]) -> None:
    """Replay the lines of a trace after its header."""
    run.begin(header)
    matcher = LineMatcher(text, run.state.game.players)
    for number, begin, end in lines:
        if run.out is None:
            if run.result.difference is not None:
                break
            if run.recognise(matcher, begin, end):
                continue
        line = text.parse(number, begin, end)
        if not isinstance(line, dict) or type(line.get("t")) is not int:
            raise PcgError(f"{text.path}:{number}: a line with the number of a tick, `t`, was expected")
        if "error" in line or not run.compare(line):
            break
    run.result.coverage = run.watch.coverage(run.state)


class _Run:
    """A replay under way."""

    def __init__(
        self, state: State, result: Replay, out: TraceWriter | None, rules: tuple[Rule, ...] | None = None
    ) -> None:
        self.state = state
        self.result = result
        self.out = out
        self.watch = Watch(state, rules if rules is not None else rules_of(state.game.definition))
        self.started = False
        """True once the state before tick 0 has been compared."""

    def begin(self, header: Mapping[str, Any]) -> None:
        """Compare the header."""
        own = header_line(self.state.game, self.state, header)
        for key in _COMPARED:
            if key in header and not same(header[key], own[key]):
                self.note(-1, key, header[key], own[key])
        if self.out:
            self.out.line(own)

    def recognise(self, matcher: LineMatcher, begin: int, end: int) -> bool:
        """Play a line that surely agrees; False, and nothing is played, when it has to be looked at."""
        if not self.started:
            self.started = matcher.start(self.state, begin, end)
            return self.started
        plain = None if self.state.is_over else matcher.actions(self.state.tick + 1, begin)
        if plain is None:
            return False
        names, codes = plain
        before, after = self.state, self.state.copy()
        after.advance(codes if after.game.players > 1 else codes[0])
        if not matcher.tick(before, after, names, begin, end):
            return False
        self._played(before, after, codes)
        return True

    def compare(self, line: Mapping[str, Any]) -> bool:
        """Compare a line field by field, after playing it if it is a tick; False at the end of what can be compared."""
        tick = line["t"]
        if not self.started:
            self.started = True
            if tick >= 0:
                self.note(-1, "t", tick, -1)
                if self.out:
                    self.out.line(start_line(self.state))
        if tick < 0:
            mine = start_line(self.state)
            if "aux" not in line:
                del mine["aux"]
        elif self.state.is_over:
            self.note(tick, "ended", False, True)
            return False
        elif _stopped_by_messages(line):
            return False
        else:
            before, after = self.state, self.state.copy()
            codes = _advance(after, line.get("a"))
            mine = tick_line(before, after, line["a"])
            self._played(before, after, codes)
        self._compare_fields(line, mine)
        if self.out:
            self.out.line(mine)
        return True

    def note(self, tick: int, field: str, expected: Any, got: Any) -> None:
        """A difference; the first one stays."""
        if self.result.difference is None:
            self.result.difference = Difference(tick, field, expected, got)

    def _played(self, before: State, after: State, codes: tuple[int, int]) -> None:
        self.state = after
        self.watch.tick(before, after, codes)
        self.result.ticks += 1

    def _compare_fields(self, line: Mapping[str, Any], mine: Mapping[str, Any]) -> None:
        tick = line["t"]
        for key in ("t", "score", "win", "ended", "rng", "aux", "k", "counters"):
            if (key in line or key in mine) and not same(line.get(key), mine.get(key)):
                self.note(tick, key, line.get(key), mine.get(key))
        for key in ("d", "s"):
            if key in line and not same(line[key], mine.get(key)):
                for expected, got in zip([*line[key], None], [*mine.get(key, ()), None], strict=False):
                    if not same(expected, got):
                        self.note(tick, key, expected, got)
                        break
        # what players can do is told when it changes; after the end nobody can do anything here
        if "acts" in line and not self.state.is_over and not same(line["acts"], action_lists(self.state)):
            self.note(tick, "acts", line["acts"], action_lists(self.state))


def _advance(state: State, actions: Any) -> tuple[int, int]:
    """Play a tick with the actions of a line, names or codes by player, None for nothing; returns the codes."""
    players = state.game.players
    if not isinstance(actions, list) or len(actions) != players or not all(_is_action(a) for a in actions):
        raise PcgError(
            f"tick {state.tick + 1}: a list with the action of each of {players} players was expected as `a`"
        )
    state.advance(actions if players > 1 else actions[0] or 0)
    codes = [a if isinstance(a, int) else ACTION_ID[(a or "NIL").removeprefix("ACTION_")] for a in actions]
    return codes[0], codes[1] if players > 1 else 0


def _is_action(value: Any) -> bool:
    return value is None or type(value) in (str, int)


def _stopped_by_messages(line: Mapping[str, Any]) -> bool:
    """The reference ends a game without a winner when its log is full; messages are no game state here."""
    return bool(line.get("ended")) and all(w == "NO_WINNER" for w in line.get("win", ()))


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
    rules: tuple[Rule, ...] = ()
    try:
        game = load(game_file(games, group[0]), reading="gvgai")
        rules = rules_of(game.definition)
    except PcgError as error:
        problem = str(error)
    for trace in group:
        name = trace.as_posix()
        label = trace.parent.as_posix()
        if game is None:
            results.append(Replay(name, label, error=problem))
            continue
        try:
            target = emit / trace if emit else None
            results.append(replay(game, traces / trace, name=name, emit=target, rules=rules))
        except PcgError as error:
            results.append(Replay(name, label, error=str(error)))
    return results
