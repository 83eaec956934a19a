"""Every number the toolkit promises, measured on this machine: `make bench`.

Engine speed (beside the reference's where its table and games are given), the Python face, memory, start-up and, on
request, a cold compilation. A program, not a test: it judges nothing, and prints targets only to be compared with.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from pcg import load
from pcg.engine.benchmark import RATES, Speed, geometric_mean, measure, read_peer
from pcg.engine.game import builtin_games

OUT = Console(highlight=False, width=None if sys.stdout.isatty() else 160)
TITLES = {
    "advance_per_s": "advance",
    "copy_per_s": "copy",
    "copy_advance_per_s": "copy + advance",
    "rollout10_per_s": "copy + 10",
}


def engine_speeds(games: dict[str, str | Path], seconds: float) -> list[Speed]:
    """Measure games (label -> what `load` takes) one after the other."""
    speeds = []
    for label, source in games.items():
        if OUT.is_terminal:
            OUT.print(f"[dim]{label:<40}[/dim]", end="\r")
        speeds.append(measure(load(source), label, seconds))
    return speeds


def print_own(speeds: list[Speed]) -> None:
    """Our games: thousands per second, and bytes of a state."""
    table = Table("game", *TITLES.values(), "state bytes", title="our games, thousands per second of CPU time")
    for speed in speeds:
        rates = [f"{getattr(speed, name) / 1000:,.0f}" for name in RATES]
        table.add_row(speed.game, *rates, f"{speed.state_bytes:,}")
    _right(table)
    OUT.print(table)


def peer_games(folder: Path) -> tuple[dict[str, str | Path], dict[str, dict[str, float]]]:
    """Games of the reference's table that are at hand, and its numbers."""
    peer = read_peer(folder / "PEER_SPEED.tsv")
    files: dict[str, str | Path] = {name: folder / "games" / f"{name}.txt" for name in peer}
    return {name: path for name, path in files.items() if Path(path).is_file()}, peer


def print_peer(speeds: list[Speed], peer: dict[str, dict[str, float]]) -> dict[str, float]:
    """Ours, the reference's and the ratio side by side; returns the geometric mean of the ratios."""
    table = Table("game", title="thousands per second of CPU time: ours, the reference's, ratio", show_lines=False)
    for title in TITLES.values():
        for column in (title, "ref.", "ratio"):
            table.add_column(column)
    ratios: dict[str, list[float]] = {name: [] for name in RATES}
    for speed in speeds:
        cells = []
        for name in RATES:
            ours, theirs = getattr(speed, name), peer[speed.game].get(name, 0.0)
            ratio = ours / theirs if theirs else 0.0
            ratios[name].append(ratio)
            cells += [f"{ours / 1000:,.0f}", f"{theirs / 1000:,.1f}", f"[bold]{ratio:,.0f}[/bold]"]
        table.add_row(speed.game, *cells)
    means = {name: geometric_mean(values) for name, values in ratios.items()}
    table.add_section()
    table.add_row("geometric mean", *[cell for name in RATES for cell in ("", "", f"[bold]{means[name]:,.0f}[/bold]")])
    _right(table)
    OUT.print(table)
    return means


def _right(table: Table) -> None:
    for column in table.columns[1:]:
        column.justify = "right"


def per_second(operation: Callable[[], object], seconds: float = 1.0) -> float:
    """Return how often an operation runs per second of CPU time, the best of three tries."""
    best = 0.0
    for _ in range(3):
        count, used = 0, 0.0
        while used < seconds / 3:
            start = time.process_time()
            for _ in range(2000):
                operation()
            used += time.process_time() - start
            count += 2000
        best = max(best, count / used)
    return best


def python_face() -> dict[str, float]:
    """`state.advance` and `state.copy` as a Python program calls them, on the box-pushing game."""
    game = load("boxes")
    state = game.start(level=0, seed=1)
    moves = iter(())

    def advance() -> None:
        nonlocal moves, state
        move = next(moves, None)
        if move is None:
            state = game.start(level=0, seed=1)
            moves = iter(["LEFT", "UP", "RIGHT", "DOWN"] * 500)
            move = "NIL"
        state.advance(move)

    return {"python_advance_per_s": per_second(advance), "python_copy_per_s": per_second(game.start(0).copy)}


def memory() -> dict[str, float]:
    """Bytes of a typical state (median over our games) and of a pool of 10,000, in MB."""
    models = [load(name).start(0).model for name in builtin_games()]
    strides = sorted(model.stride for model in models)
    largest = max(models, key=lambda model: model.stride)
    return {
        "median_pool_state_bytes": float(strides[len(strides) // 2]),
        "largest_pool_10000_MB": largest.pool(10_000).nbytes / 1e6,
    }


def wall(code: str, environment: dict[str, str] | None = None, tries: int = 5) -> float:
    """Wall seconds of a new Python process that runs `code`, the median of some tries."""
    times = []
    for _ in range(tries):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, env=environment or os.environ)
        times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 2]


HELP = "import sys; sys.argv = ['pcg', '--help']; from pcg.cli import main; main()"
PLAYOUT = "import pcg; print(pcg.play(pcg.load('dungeon'), pcg.make_agent('random', seed=1), max_ticks=200))"
WARMUP = "import sys; sys.argv = ['pcg', 'warmup']; from pcg.cli import main; main()"


def start_up() -> dict[str, float]:
    """`pcg --help`, and a first playout in a new process with kernels compiled before."""
    return {"help_s": wall(HELP), "first_playout_s": wall(PLAYOUT)}


def cold_compilation() -> dict[str, float]:
    """Everything compiled from nothing, in an empty cache folder."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PCG_CACHE_DIR": folder}
        built = wall(WARMUP, environment, tries=1)
        kept = sum(path.stat().st_size for path in Path(folder).rglob("*.kernels"))
        return {"cold_compile_s": built, "kernels_KB": kept / 1024}


TARGETS = {
    "boxes_advance_per_s": (">=", 1_500_000),
    "boxes_copy_advance_per_s": (">=", 800_000),
    "invaders_advance_per_s": (">=", 600_000),
    "python_advance_per_s": (">=", 150_000),
    "python_copy_per_s": (">=", 300_000),
    "median_pool_state_bytes": ("<=", 16_384),
    "largest_pool_10000_MB": ("<=", 200),
    "help_s": ("<=", 0.4),
    "first_playout_s": ("<=", 1.5),
    "cold_compile_s": ("<=", 60),
    "kernels_KB": ("<=", 1024),
}


def print_numbers(numbers: dict[str, float]) -> None:
    """The single numbers beside what is promised."""
    table = Table("what", "measured", "promised", title="numbers")
    for name, value in numbers.items():
        sign, target = TARGETS[name]
        table.add_row(name, f"{value:,.3g}" if value < 1000 else f"{value:,.0f}", f"{sign} {target:,}")
    _right(table)
    OUT.print(table)


def main() -> int:
    """Measure and print; with --json also write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--peer", type=Path, help="folder with PEER_SPEED.tsv and games/ of the reference")
    parser.add_argument("--seconds", type=float, default=0.25, help="CPU time for each operation on each game")
    parser.add_argument("--cold", action="store_true", help="also compile everything from nothing (a minute)")
    parser.add_argument("--json", type=Path, dest="json_file", help="write all numbers to a file")
    options = parser.parse_args()

    own = engine_speeds({f"vgdl/{name}": name for name in builtin_games()}, options.seconds)
    print_own(own)
    by_name = {speed.game: speed for speed in own}
    numbers = {
        "boxes_advance_per_s": by_name["vgdl/boxes"].advance_per_s,
        "boxes_copy_advance_per_s": by_name["vgdl/boxes"].copy_advance_per_s,
        "invaders_advance_per_s": by_name["vgdl/invaders"].advance_per_s,
        **python_face(),
        **memory(),
        **start_up(),
        **(cold_compilation() if options.cold else {}),
    }
    print_numbers(numbers)
    result: dict[str, Any] = {"numbers": numbers, "games": [speed.as_dict() for speed in own]}

    if options.peer is not None and (options.peer / "PEER_SPEED.tsv").is_file():
        games, peer = peer_games(options.peer)
        speeds = engine_speeds(games, options.seconds)
        result["ratios"] = print_peer(speeds, peer)
        result["peer_games"] = [speed.as_dict() for speed in speeds]
    else:
        OUT.print("the reference's numbers are not at hand; only ours are shown")
    if options.json_file is not None:
        options.json_file.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
