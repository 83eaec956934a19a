"""Speed of rule sheets: random playouts per second of processor time, one at a time and 64 at a time.

Each rate is the best of several tries on the same playouts, as `timeit` has it: other programs on the machine only ever
make it slower. Kernels are compiled before anything is measured.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pcg.engine.gdl.game import FirstOrderGame, GdlGame, Playouts, load
from pcg.engine.vgdl.diagnostics import PcgError

_TRIES = 3
_SEED = 1


@dataclass(frozen=True)
class SheetSpeed:
    """Measured speed of one rule sheet. Rates are per second of processor time, one thread.

    `load_s` is the time from the file to the end of the first playout, with compiled kernels. The batched rates are 0
    for sheets that are played without a network.
    """

    game: str
    roles: int
    facts: int
    moves: int
    gates: int
    load_s: float
    mean_plies: float
    playouts_per_s: float
    transitions_per_s: float
    batched_playouts_per_s: float
    batched_transitions_per_s: float

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return asdict(self)


_TINY = "(role you) (init a) (legal you wait) (<= (next done) (does you wait)) (<= terminal (true done)) (goal you 100)"


def warm_up() -> None:
    """Compile the kernels that playouts need."""
    game = load(_TINY)
    game.playouts(1, batched=False)
    game.playouts(1)


def measure(source: str | Path, seconds: float = 1.0) -> SheetSpeed:
    """Measure one sheet, `seconds` of processor time for each of the two ways to play it.

    Raises:
        GDLError: the sheet cannot be used.
    """
    before = time.process_time()
    game = load(source)
    game.playouts(1, _SEED, batched=False)
    loaded = time.process_time() - before
    single = _rate(lambda count: game.playouts(count, _SEED, batched=False), 1, seconds)
    grounded = not isinstance(game, FirstOrderGame)
    batched = _rate(lambda count: game.playouts(count, _SEED, batched=True), 256, seconds) if grounded else (0.0, 0.0)
    sizes = _sizes(game) if grounded else (0, 0, 0)
    plies = single[1] / single[0] if single[0] else 0.0
    return SheetSpeed(game.name, len(game.roles), *sizes, loaded, plies, *single, *batched)


def _sizes(game: GdlGame) -> tuple[int, int, int]:
    return game.network.facts, game.network.moves, game.network.gates


def _rate(play: Callable[[int], Playouts], count: int, seconds: float) -> tuple[float, float]:
    """Playouts and transitions per second."""
    times: list[float] = []
    while True:
        before = time.process_time()
        made = play(count)
        times.append(time.process_time() - before)
        if len(times) == 1 and times[0] < seconds / (2 * _TRIES):
            times.clear()
            count *= 2
        elif len(times) == _TRIES or sum(times) > 4 * seconds:
            best = max(min(times), 1e-9)
            return count / best, int(made.plies.sum()) / best


def read_peer(path: Path) -> dict[str, dict[str, float]]:
    """A peer's table (tab-separated, `#` comments): game -> its numbers; what is no number is left out."""
    try:
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    except OSError as error:
        raise PcgError(f"{path}: {error.strerror}") from error
    found: dict[str, dict[str, float]] = {}
    for row in csv.DictReader(lines, delimiter="\t"):
        numbers = {}
        for key, text in row.items():
            try:
                numbers[key] = float(text or "")
            except ValueError:
                continue
        found[row["game"]] = numbers
    return found


__all__ = ["SheetSpeed", "measure", "read_peer", "warm_up"]
