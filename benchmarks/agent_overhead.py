"""Cost of agents beside the forward model: what a decision takes above the copies and ticks that it makes.

An agent plays some ticks of each game while the copies, ticks and seeds of every decision are written down. Another
with the same seed is timed as it makes these decisions again, and in turn with it what was written down is done again
alone. So both sides copy and advance the same; of every decision the quickest of several goes counts for each.

    python benchmarks/agent_overhead.py [GAMES...] [--agents olets kbfastevo iw mcts] [--ticks N] [--calls N] [--json]
"""

from __future__ import annotations

import argparse
import ctypes
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from pcg.engine.game import builtin_games, load
from pcg.engine.kernel.protocol import GROW
from pcg.engine.kernel.runtime import call3, entry_point, invoke3, invoke4, load64
from pcg.engine.model import Model
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import make_agent

AGENTS = ("olets", "kbfastevo", "iw", "mcts")
OPERATIONS = ("copy", "advance", "reseed")
_WORDS = 4
"""Words of an entry of a log: which operation it is, and what it was given."""
_CALL = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
_SEED = 1


@entry_point("i8(i8, i8, i8, i8)")
def repeat_log(log: int, count: int, game: int, functions: int) -> int:
    """Do again what stands in a log of `count` operations; returns their number."""
    for k in range(count):
        at = log + 8 * _WORDS * k
        call3(load64(functions + 8 * load64(at)), game, load64(at + 8), load64(at + 16))
    return count


class Log:
    """The copies, ticks and seeds of one decision, as it made them."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._entries: list[tuple[int, int, int, int]] = []
        self._joints: list[int] = []
        self.grew = False
        addresses = [int(model.record[name]) for name in OPERATIONS]
        self._functions = np.array(addresses, dtype=np.int64)
        self._hooks = [_CALL(self._noting(kind, address)) for kind, address in enumerate(addresses)]

    def _noting(self, kind: int, address: int) -> Callable[[int, int, int], int]:
        players = self._model.players

        def note(game: int, state: int, given: int) -> int:
            self._entries.append((kind, state, given, len(self._joints)))
            if OPERATIONS[kind] == "advance":
                self._joints += (ctypes.c_int64 * players).from_address(given)
            status: int = invoke3(address, game, state, given)
            self.grew |= OPERATIONS[kind] != "reseed" and status == GROW
            return status

        return note

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Write down what is done meanwhile."""
        record = self._model.record
        self._entries, self._joints, self.grew = [], [], False
        for name, hook in zip(OPERATIONS, self._hooks, strict=True):
            record[name] = ctypes.cast(hook, ctypes.c_void_p).value
        try:
            yield
        finally:
            for name, address in zip(OPERATIONS, self._functions, strict=True):
                record[name] = address

    def count(self, operation: str) -> int:
        """Times that the decision did something of OPERATIONS."""
        return sum(OPERATIONS[entry[0]] == operation for entry in self._entries)

    def repeating(self) -> Callable[[], int]:
        """A function that does it all again."""
        joints = np.array(self._joints, dtype=np.int64)
        log = np.array(self._entries, dtype=np.int64).reshape(-1, _WORDS)
        moves = log[:, 0] == OPERATIONS.index("advance")
        log[moves, 2] = joints.ctypes.data + 8 * log[moves, 3]
        game = int(self._model.record["game"])
        functions = int(self._functions.ctypes.data)
        self._kept = joints, log
        return lambda: invoke4(repeat_log.address, int(log.ctypes.data), len(log), game, functions)


def seconds_of(function: Callable[[], object]) -> float:
    """Processor time of a call."""
    started = time.thread_time()
    function()
    return time.thread_time() - started


def play_noting(agent: Any, state: Any, ticks: int) -> tuple[list[Any], list[Log]]:
    """Play some ticks; returns the states decided about and what every decision did."""
    states, logs = [], []
    while len(states) < ticks and not state.is_over:
        log = Log(state.model)
        with log.noting():
            action = agent.act(state)
        states.append(state)
        logs.append(log)
        state = state.copy()
        state.advance(action)
    return states, logs


def overhead(game_name: str, agent_name: str, *, calls: int, ticks: int, goes: int) -> dict[str, Any]:
    """Play the first ticks of a game and time what the decisions take, and the copies and ticks in them alone."""
    start = load(game_name).start(0, seed=_SEED)
    noted: Any = make_agent(agent_name, seed=_SEED, budget=calls)
    timed: Any = make_agent(agent_name, seed=_SEED, budget=calls)
    noted.reset(start)
    states, logs = play_noting(noted, start, ticks)
    while any(log.grew for log in logs):
        # some agents keep the larger memory when they are reset; with others only what comes before is measured
        noted.reset(start)
        states, logs = play_noting(noted, start, ticks)
        ticks = next((k for k, log in enumerate(logs) if log.grew), ticks)
    if noted.calls == 0:
        raise PcgError(f"{game_name}: {agent_name} simulates nothing, or states outgrow their memory at once")
    again = [log.repeating() for log in logs]
    whole, bare = [], []
    for _ in range(goes + 1):
        timed.reset(start)
        whole.append([seconds_of(lambda state=state: timed.act(state)) for state in states])  # type: ignore[misc]
        bare.append([seconds_of(repeat) for repeat in again])
    # the first go has the system hand over memory
    seconds, alone = (sum(map(min, zip(*rows[1:], strict=True))) for rows in (whole, bare))
    return {
        "game": Path(game_name).stem,
        "agent": agent_name,
        "decisions": len(states),
        "calls": noted.calls,
        "us_per_call": 1e6 * seconds / noted.calls,
        "overhead": seconds / alone - 1,
        "stream": int(noted._record["random"]),
    }


def main() -> int:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])  # type: ignore[union-attr]
    parser.add_argument("games", nargs="*", help="built-in names or files; by default our own for one player")
    parser.add_argument("--agents", nargs="+", default=AGENTS, help="names of agents whose decisions are compiled")
    parser.add_argument("--calls", type=int, default=1000, help="forward-model calls per decision")
    parser.add_argument("--ticks", type=int, default=20, help="decisions of each game")
    parser.add_argument("--goes", type=int, default=5, help="times that everything is measured")
    parser.add_argument("--json", action="store_true", help="print an object per line")
    given = parser.parse_args()
    try:
        for game in given.games:
            load(game)
    except PcgError as error:
        print(error, file=sys.stderr)
        return 2
    rows = []
    for game in given.games or [name for name in builtin_games() if load(name).players == 1]:
        for agent in given.agents:
            try:
                row = overhead(game, agent, calls=given.calls, ticks=given.ticks, goes=given.goes)
            except PcgError as error:
                print(error, file=sys.stderr)
                continue
            rows.append(row)
            if given.json:
                print(json.dumps(row), flush=True)
            else:
                numbers = f"{row['calls']:>9}{row['us_per_call']:9.3f} us{row['overhead']:8.1%}"
                print(f"{row['game']:<18}{row['agent']:<12}{numbers}", flush=True)
    for agent in given.agents if not given.json else ():
        shares = [row["overhead"] for row in rows if row["agent"] == agent] or [0.0]
        print(f"{agent}: median {statistics.median(shares):.1%}, mean {statistics.mean(shares):.1%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
