"""Our search on problems of the PCG Benchmark, beside a genetic algorithm with the operators it recommends.

    python benchmarks/yardsticks.py --problems zelda-v0,sokoban-v0 --seconds 120

Needs the package `pcg_benchmark` of the benchmark's authors. The peer is written here and is not that of the
benchmark's authors (Khalifa et al. 2025): a population of 100, tournaments, uniform crossover with probability 0.5
followed by uniform
mutation of 5 %, both by the package's own `contentSwap`, the best kept; its fitness is quality, then (at full quality)
control, then (with both) being unlike the rest. It gets the same controls, one for each member, and the same time; its
scores are taken after every tenth generation, outside its time, and the best (lowest of the three scores first, then
their sum) is printed with the time when it was reached.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from pcg.engine.kernel.runtime import compile_all
from pcg.integrations.pcg_benchmark import solve_problem
from pcg.integrations.pcg_benchmark.package import benchmark, make_environment

_TOURNAMENT = 7
_ELITES = 10


class Peer:
    """The genetic algorithm."""

    def __init__(self, name: str, size: int, seed: int) -> None:
        self.environment = make_environment(name)
        self.environment.seed(seed)
        self.controls = [self.environment.control_space.sample() for _ in range(size)]
        self.rng = np.random.default_rng([seed, 3])
        self.swap = benchmark().spaces.contentSwap
        self.size = size
        self.judged = 0

    def run(self, seconds: float) -> list[dict[str, Any]]:
        """Scores over time."""
        spent, generation = 0.0, 0
        curve: list[dict[str, Any]] = []
        started = time.perf_counter()
        contents = [self.environment.content_space.sample() for _ in range(self.size)]
        infos = self._judge(contents)
        while True:
            fitness = self._fitness(infos)
            spent += time.perf_counter() - started
            if generation % 10 == 0 or spent >= seconds:
                q, d, c, _, _ = self._scores(infos)
                curve.append({"generation": generation, "judged": self.judged, "seconds": round(spent, 1),
                              "quality": q, "diversity": d, "controllability": c})  # fmt: skip
                if spent >= seconds:
                    return curve
            started = time.perf_counter()
            order = sorted(range(self.size), key=lambda k: fitness[k], reverse=True)
            kept = order[:_ELITES]
            young = [self._child(contents, fitness) for _ in range(self.size - len(kept))]
            contents = [*(contents[k] for k in kept), *young]
            infos = [*(infos[k] for k in kept), *self._judge(young)]
            generation += 1

    def _judge(self, contents: list[Any]) -> list[Any]:
        self.judged += len(contents)
        problem = self.environment._problem
        return [problem.info(content) for content in contents]

    def _child(self, contents: list[Any], fitness: list[float]) -> Any:
        first, second = (
            contents[max(self.rng.integers(self.size, size=_TOURNAMENT).tolist(), key=lambda k: fitness[k])]
            for _ in range(2)
        )
        child = self.swap(first, second, 0.5, seed=self.rng) if self.rng.random() < 0.5 else first
        return self.swap(child, self.environment.content_space.sample(), 0.05, seed=self.rng)

    def _fitness(self, infos: list[Any]) -> list[float]:
        """Quality in 0..1; from 1 the best control that it meets; from 2 the share of others it is unlike."""
        problem = self.environment._problem
        result = []
        for k, info in enumerate(infos):
            value = float(problem.quality(info))
            if value >= 1:
                met = float(problem.controlability(info, self.controls[k]))
                value += met
                if met >= 1:
                    others = self.rng.choice(self.size, size=min(10, self.size), replace=False).tolist()
                    value += float(np.mean([problem.diversity(info, infos[j]) for j in others if j != k] or [0.0]))
            result.append(value)
        return result

    def _scores(self, infos: list[Any]) -> tuple[float, float, float, Any, Any]:
        quality, one, _ = self.environment.quality(infos)
        diversity, two, _ = self.environment.diversity(infos)
        control, three, _ = self.environment.controlability(infos, self.controls)
        return float(quality), float(diversity), float(control), (one, two), three


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", default="zelda-v0,sokoban-v0", help="names with commas between them")
    parser.add_argument("--contents", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=120.0, help="for each problem and side")
    parser.add_argument("--no-peer", action="store_true", help="ours only")
    parser.add_argument("--json", type=Path, help="write everything here")
    options = parser.parse_args()
    compile_all()
    print(f"{'problem':20} {'side':5} {'quality':>8} {'diversity':>10} {'control':>8} {'judged':>8} {'seconds':>8}")
    records = []
    for name in options.problems.split(","):
        solve_problem(name, count=1, seed=options.seed, evaluations=5, seconds=5.0)  # compiles what is not yet
        ours = solve_problem(name, count=options.contents, seed=options.seed, evaluations=None, seconds=options.seconds)
        record: dict[str, Any] = {"problem": name, "seed": options.seed, "ours": {
            "quality": ours.quality, "diversity": ours.diversity, "controllability": ours.controllability,
            "judged": ours.judged, "seconds": round(ours.seconds, 1)}}  # fmt: skip
        _print(name, "ours", record["ours"])
        if not options.no_peer:
            curve = Peer(name, options.contents, options.seed).run(options.seconds)
            record["peer"] = curve
            _print(name, "peer", max(curve, key=_worth))
        records.append(record)
        if options.json is not None:
            options.json.write_text(json.dumps(records, indent=2) + "\n", encoding="utf-8")


def _worth(scores: dict[str, Any]) -> tuple[float, float]:
    three = [scores["quality"], scores["diversity"], scores["controllability"]]
    return min(three), sum(three)


def _print(name: str, side: str, scores: dict[str, Any]) -> None:
    shares = f"{scores['quality']:8.0%} {scores['diversity']:10.0%} {scores['controllability']:8.0%}"
    print(f"{name:20} {side:5} {shares} {scores['judged']:8} {scores['seconds']:8.1f}", flush=True)


if __name__ == "__main__":
    main()
