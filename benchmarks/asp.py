"""Seconds of the solver: sizes and constraints against seconds.

    python benchmarks/asp.py [--levels 3] [--json FILE]

Each row is the time for one level of the answer-set generator, in seconds: best and mean over a few levels by the
clock, and the mean of processor time, which says more on a machine that has other work. Solver, sketches and the check
by the engine are included, the first level (which loads the compiled engine) is left out.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

import pcg
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.generators.levels import LevelContext, make_generator
from pcg.generators.levels.asp.clingo_solver import Limits
from pcg.generators.levels.asp.constraints import LevelConstraints, build_problem
from pcg.generators.levels.asp.search import find

CASES: tuple[tuple[str, str, dict[str, object], str], ...] = (
    ("dungeon", "keys before doors", {}, ""),
    ("dungeon", "walls symmetric (half turn)", {"symmetry": "rotational"}, ""),
    ("dungeon", "3 enemies, symmetry >= 0.8", {}, "enemies=3, symmetry>=0.8"),
    ("dungeon", "doors 8 to 20 steps away", {"min_path": 8, "max_path": 20}, ""),
    ("dungeon", "won in at most 40 moves", {"max_moves": 40}, ""),
    ("dungeon", "won in 25 to 40 moves", {}, "solution_length=25..40"),
    ("boxes", "boxes and marks", {}, ""),
    ("boxes", "won in at most 25 moves", {"max_moves": 25}, ""),
)
PLANS: tuple[tuple[str, str, int], ...] = (("dungeon", ".wdkcA", 40), ("boxes", ".wobA", 20))
SIZES = (8, 12, 16, 24)


def timed(game: str, size: int, params: dict[str, object], wants: str, levels: int) -> tuple[list[float], float]:
    """Seconds per level by the clock, and the mean of processor time."""
    context = LevelContext.of(pcg.load(game))
    side = {f"{end}_{name}": size for end in ("min", "max") for name in ("width", "height")}
    generator = make_generator("asp", context, seed=1, targets=wants, **side, **params)
    generator.ask(1)
    found, used = [], time.process_time()
    for _ in range(levels):
        start = time.perf_counter()
        generator.ask(1)
        found.append(time.perf_counter() - start)
    return found, (time.process_time() - used) / levels


def planned(game: str, chars: str, moves: int, size: int) -> tuple[float, float]:
    """Seconds, by the clock and of the processor, for a level planned in the program: no sketch, no tries."""
    context = LevelContext.of(pcg.load(game))
    tiles = [i for i, t in enumerate(context.palette.tiles) if t.char in chars]
    level_constraints = LevelConstraints(moves=(0, moves), moves_text=f"won in at most {moves} moves")
    start, used = time.perf_counter(), time.process_time()
    find(build_problem(context, (size, size), level_constraints, tiles), seed=1, limits=Limits(120))
    return time.perf_counter() - start, time.process_time() - used


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--levels", type=int, default=3)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    print(f"{'game':8} {'constraints':32} {'size':>6} {'best':>7} {'mean':>7} {'cpu':>7}")
    for game, text, params, wants in CASES:
        for size in options.sizes:
            try:
                seconds, cpu = timed(game, size, params, wants, options.levels)
            except PcgError as error:
                print(f"{game:8} {text:32} {size:>3}x{size:<3} {str(error).splitlines()[0]}")
                continue
            best, mean = min(seconds), float(np.mean(seconds))
            print(f"{game:8} {text:32} {size:>3}x{size:<3} {best:7.2f} {mean:7.2f} {cpu:7.2f}", flush=True)
            rows.append({"game": game, "constraints": text, "size": size, "best": best, "mean": mean, "cpu": cpu})
    for game, chars, moves in PLANS:
        for size in options.sizes[:2]:
            clock, cpu = planned(game, chars, moves, size)
            text = f"plan of {moves} moves in the program"
            print(f"{game:8} {text:32} {size:>3}x{size:<3} {clock:7.2f} {clock:7.2f} {cpu:7.2f}", flush=True)
            rows.append({"game": game, "constraints": text, "size": size, "best": clock, "mean": clock, "cpu": cpu})
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
