"""Speed measurements of the engine: the loops behind `pcg bench engine`, and the reading of a peer's numbers.

All rates are per second of process CPU time on one thread, after compilation, with random actions, on level 0. The
operations are those of the recorded reference numbers: advancing (from the start again at the end of a game or after
200 ticks, or another number: plays have up to 2,000), copying the state at tick 50, copying and advancing once, copying
and ten advances. The copied state can be another: in the first tick from a start every rule is looked at, so that tick
0 says how fast short episodes are.

Each operation is tried in five windows on the same work and the best counts, as `timeit` has it: other programs on the
machine only ever make it slower. How much they did is told as well, as the spread of the windows.
"""

from __future__ import annotations

import csv
import statistics
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pcg.engine.game import Game
from pcg.engine.kernel import stepping
from pcg.engine.kernel.protocol import OK
from pcg.engine.kernel.random import scramble
from pcg.engine.kernel.runtime import invoke3, invoke6
from pcg.engine.state import State
from pcg.engine.vgdl.diagnostics import PcgError

RATES = ("advance_per_s", "copy_per_s", "copy_advance_per_s", "rollout10_per_s")
_SEED = 1
_COPY_TICK = 50
_RESTART = 200
_TRIES = 5


@dataclass(frozen=True)
class Speed:
    """Measured rates of one game.

    Attributes:
        state_bytes: what a copy of the measured state moves.
        copy_tick: tick of the state that is copied.
        restart: ticks after which advances begin again from the start.
        spread: how much longer the slowest window took than the fastest of the same operation, as a part of the
            fastest: the largest of the four operations'. 0.05 and less is a quiet machine.
    """

    game: str
    columns: int
    rows: int
    sprites: int
    advance_per_s: float
    copy_per_s: float
    copy_advance_per_s: float
    rollout10_per_s: float
    state_bytes: int
    copy_tick: int = _COPY_TICK
    restart: int = _RESTART
    spread: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return asdict(self)


def game_label(path: Path) -> str:
    """``<folder>/<name>`` of a game file, as the peer's table names games."""
    if path.name in ("game.vgdl", "game.txt"):
        return f"{path.parent.parent.name}/{path.parent.name}"
    return f"{path.parent.name}/{path.stem}"


def _random_state_at(game: Game, tick: int) -> State:
    """The state after `tick` random ticks (or as near as the game lets us come without ending)."""
    import random

    draw = random.Random(_SEED)
    for attempt in range(100):
        state = game.start(0, _SEED + attempt)
        while state.tick < tick and not state.is_over:
            actions = state.actions if game.players > 1 else (state.actions,)
            chosen = [draw.choice(("NIL", *a)) for a in actions]
            state.advance(chosen if game.players > 1 else chosen[0])
        if not state.is_over:
            return state
    # a game that random play always ends early: the state before tick 0 still has to be copied and advanced
    return game.start(0, _SEED)


def _rate(state: State, mode: int, seconds: float) -> tuple[float, float]:
    """Operations per second of CPU time, and their spread; the state is enlarged until all that is played fits."""
    while True:
        pool = state.model.pool(2)
        invoke3(state.context.copy_address, state.context.address, pool.address, state.address)
        found = _best(state.context.address, pool.address, pool.address + pool.stride, mode, seconds)
        if found is not None:
            return found
        if state.model.room > 16384:
            raise PcgError(f"{state.game.name}: a state does not fit")
        state = _enlarged(state)


def _best(game: int, start: int, work: int, mode: int, seconds: float) -> tuple[float, float] | None:
    """The best rate of several windows on the same operations, and their spread; None when the block has no room."""
    memory = np.array([0], np.int64)
    draws = int(memory.ctypes.data)
    count = 64
    times: list[float] = []
    while len(times) < _TRIES:
        memory[0] = scramble(_SEED)
        before = time.process_time()
        if invoke6(stepping.measure.address, game, work, start, draws, count, mode) != OK:
            return None
        times.append(time.process_time() - before)
        if times[0] < seconds / (2 * _TRIES):
            times.clear()
            count *= 2
    return count / min(times), max(times) / min(times) - 1.0


def _enlarged(state: State) -> State:
    other = State(state.game, state.context, state._arena.room * 2)
    invoke3(state.context.copy_address, state.context.address, other.address, state.address)
    return other


def measure(
    game: Game, label: str, seconds: float = 1.0, copy_tick: int = _COPY_TICK, restart: int = _RESTART
) -> Speed:
    """Measure one game on its level 0.

    Args:
        game: the game.
        label: what to call it.
        seconds: of CPU time for each operation.
        copy_tick: tick of the state that is copied, reached by random actions; 0 is the start.
        restart: ticks after which advances begin again from the start.
    """
    start = game.start(0, _SEED)
    middle = _random_state_at(game, copy_tick) if copy_tick > 0 else start
    header = middle.context.header(middle.address)
    used = int(header["at_sprites"]) + int(header["slots"]) * game.tables.stride
    found = {name: _rate(middle if k else start, k or -restart, seconds) for k, name in enumerate(RATES)}
    return Speed(
        game=label,
        columns=start.width,
        rows=start.height,
        sprites=len(start.records()),
        **{name: rate for name, (rate, _) in found.items()},
        state_bytes=used,
        copy_tick=copy_tick,
        restart=restart,
        spread=max(spread for _, spread in found.values()),
    )


def read_peer(path: Path) -> dict[str, dict[str, float]]:
    """A peer's table (tab-separated, `#` comments, columns as `RATES`): game -> rates."""
    try:
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    except OSError as error:
        raise PcgError(f"{path}: {error.strerror}") from error
    rows = csv.DictReader(lines, delimiter="\t")
    return {row["game"]: {k: float(row[k]) for k in RATES if row.get(k)} for row in rows}


def geometric_mean(values: Iterable[float]) -> float:
    """Geometric mean; 0 for no values."""
    found = [v for v in values if v > 0]
    return statistics.geometric_mean(found) if found else 0.0
