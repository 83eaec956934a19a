"""Our search on problems of the PCG Benchmark, beside the genetic algorithm of its authors, in one run.

    git clone https://github.com/amidos2006/benchmark_experiments
    python -m benchmarks.pcg_benchmark --problems zelda-v0,sokoban-v0 --seconds 120 --peer benchmark_experiments

Needs the package `pcg_benchmark` of the benchmark's authors. With `--native` the search asks the native evaluators
beside this program instead of the benchmark. The peer is theirs too: `generators.ga.Generator` of the repository with
the experiments of their paper (Khalifa et al. 2025), with its own settings and the one of its three fitness functions
that asks for all three scores. It chooses the controls of its members itself. Its scores after each generation are
those that it computes for its own use; the best of them (lowest of the three first, then their sum) is printed with the
time when it was reached. Budgets are of processor time. Seconds are printed of wall time, with the processor's in
brackets; ours of wall time are with the benchmark's final judgement, those of the processor without.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.pcg_benchmark.native import native_search
from pcg.engine.kernel.runtime import compile_all
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.integrations.pcg_benchmark import BatchSearch, solve_problem
from pcg.integrations.pcg_benchmark.package import make_environment

FITNESS = "quality_control_diversity"
GENERATIONS = 100
"""Default number of generations of the authors' program."""


def peer_curve(name: str, seed: int, generations: int, seconds: float) -> list[dict[str, Any]]:
    """Scores of the authors' genetic algorithm after each generation, until generations or processor time are spent."""
    module = importlib.import_module("generators.ga")
    environment = make_environment(name)
    environment.seed(seed)
    algorithm = module.Generator(environment)
    wall, processor = time.perf_counter(), time.process_time()
    algorithm.reset(seed=seed, fitness=FITNESS)
    curve: list[dict[str, Any]] = []
    while True:
        members = algorithm._chromosomes
        spent = time.perf_counter() - wall
        scores = {
            score: float(np.mean([getattr(member, kept) >= 1 for member in members]))
            for score, kept in (
                ("quality", "_quality"),
                ("diversity", "_diversity"),
                ("controllability", "_controlability"),
            )
        }
        curve.append({"generation": len(curve), "judged": len(members) * (len(curve) + 1), **scores,
                      "seconds": round(spent, 1), "processor": round(time.process_time() - processor, 1)})  # fmt: skip
        if len(curve) > generations or curve[-1]["processor"] >= seconds:
            return curve
        algorithm.update()


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", default="zelda-v0,sokoban-v0", help="names with commas between them")
    parser.add_argument("--contents", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--seconds", type=float, default=120.0, help="of processor time, for each problem, of our search"
    )
    parser.add_argument("--native", action="store_true", help="ask the native evaluators instead of the benchmark")
    parser.add_argument("--peer", type=Path, help="folder of the authors' benchmark_experiments; without it, ours only")
    parser.add_argument("--peer-generations", type=int, default=GENERATIONS)
    parser.add_argument(
        "--peer-seconds", type=float, default=1e9, help="of processor time, for each problem, of the peer"
    )
    parser.add_argument("--json", type=Path, help="write everything here")
    options = parser.parse_args()
    if options.peer is not None:
        if not (options.peer / "generators" / "ga.py").is_file():
            parser.error(f"--peer: there is no generators/ga.py in {options.peer}")
        sys.path.insert(0, str(options.peer))
    search: Any = native_search if options.native else BatchSearch
    compile_all()
    print(f"{'problem':20} {'side':5} {'quality':>8} {'diversity':>10} {'control':>8} {'judged':>9}  seconds")
    records = []
    for name in options.problems.split(","):
        record: dict[str, Any] = {"problem": name, "seed": options.seed}
        if options.seconds > 0:
            solve_problem(name, count=1, seed=options.seed, evaluations=5, seconds=5.0, search=search)  # compiles
            started = time.perf_counter()
            ours = solve_problem(
                name,
                count=options.contents,
                seed=options.seed,
                evaluations=None,
                seconds=options.seconds,
                clock=time.process_time,
                search=search,
            )
            record["ours"] = {
                "quality": ours.quality, "diversity": ours.diversity, "controllability": ours.controllability,
                "judged": ours.judged, "seconds": round(time.perf_counter() - started, 1),
                "processor": round(ours.seconds, 1)}  # fmt: skip
            _print(name, "ours", record["ours"])
        if options.peer is not None:
            record["peer"] = peer_curve(name, options.seed, options.peer_generations, options.peer_seconds)
            _print(name, "peer", max(record["peer"], key=_worth))
            _print(name, "", record["peer"][-1])
        records.append(record)
        if options.json is not None:
            options.json.write_text(json.dumps(records, indent=2) + "\n", encoding="utf-8")


def _worth(scores: dict[str, Any]) -> Sequence[float]:
    three = [scores["quality"], scores["diversity"], scores["controllability"]]
    return min(three), sum(three)


def _print(name: str, side: str, scores: dict[str, Any]) -> None:
    shares = f"{scores['quality']:8.0%} {scores['diversity']:10.0%} {scores['controllability']:8.0%}"
    times = f"{scores['seconds']:.1f} ({scores['processor']:.1f})"
    print(f"{name:20} {side:5} {shares} {scores['judged']:9}  {times}", flush=True)


if __name__ == "__main__":
    try:
        main()
    except PcgError as error:
        print(error, file=sys.stderr)
        raise SystemExit(2) from None
