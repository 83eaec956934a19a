"""Evaluations of levels per minute: by how far they go, with one thread and with several.

Four tables. The first evaluates levels as a generator offers them, most of which fail early. The second evaluates
feasible levels only: full evaluations, in which every stage runs. The others let two capable and two weak agents play
every feasible level for 200 ticks each, whatever the evaluation itself would have left out: the planner and MCTS, and
the same with the planner that knows the way around walls.

CPU time is that of the threads; the wall time per minute depends on what else the machine does, so its load is printed.

    python benchmarks/level_evaluations.py [GAME] [--levels N] [--threads 1 2] [--ticks T] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pcg.engine.game import Game, load
from pcg.engine.kernel.runtime import compile_all
from pcg.evaluators.agents import make_agent, play
from pcg.evaluators.evaluation import STAGES
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.solvability import PLANNER, WAY_CALLS, WAY_PLANNER
from pcg.generators.levels import make_generator

Four = Sequence[tuple[str, int | None]]
FOURS: Mapping[str, Four] = {
    "four_agents": ((PLANNER, 1500), ("mcts", 500), ("onestep", None), ("random", None)),
    "four_agents_way": ((WAY_PLANNER, WAY_CALLS), ("mcts", 500), ("onestep", None), ("random", None)),
}
"""Two capable agents and two weak ones that an evaluation asks, with their budgets."""


def measured(work: Callable[[str], Any], levels: Sequence[str], threads: int) -> dict[str, float]:
    """Wall and CPU time of some work on all levels."""
    wall, cpu = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, levels))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return {
        "threads": threads,
        "number": len(levels),
        "per_minute": 60 * len(levels) / wall,
        "cpu_ms": 1000 * cpu / len(levels),
    }


def four_agents(game: Game, four: Four, ticks: int) -> Callable[[str], int]:
    """Plays of all four agents on a level."""

    def work(level: str) -> int:
        start = game.start(level, seed=1)
        return sum(
            play(start, make_agent(name, seed=k, budget=budget), max_ticks=ticks).ticks
            for k, (name, budget) in enumerate(four)
        )

    return work


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="?", default="dungeon")
    parser.add_argument("--levels", type=int, default=60, help="feasible levels to measure on")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--ticks", type=int, default=200, help="longest play of a capable agent")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    compile_all()
    game = load(options.game)
    judge = LevelEvaluator(game, max_length=options.ticks)
    generator = make_generator("constructive", game, seed=1)
    feasible: list[str] = []
    spent: dict[str, list[float]] = defaultdict(list)
    agents: dict[str, float] = defaultdict(float)
    tried = 0
    while len(feasible) < options.levels:
        for candidate in generator.ask(20):
            started = time.thread_time()
            found = judge.evaluate(candidate.level, seed=1)
            spent[found.stage].append(time.thread_time() - started)
            agents[found.winner] += found.feasible
            tried += 1
            if found.feasible:
                feasible.append(candidate.level)
        if tried > 100 * options.levels:
            raise SystemExit(f"only {len(feasible)} of {tried} levels of {options.game} are feasible")
    feasible = feasible[: options.levels]
    table = {
        "game": options.game,
        "ticks": options.ticks,
        "load": os.getloadavg()[0],
        "processors": os.cpu_count(),
        "by_stage": {
            stage: {"share": len(spent[stage]) / tried, "cpu_ms": 1000 * sum(spent[stage]) / len(spent[stage])}
            for stage in STAGES
            if spent[stage]
        },
        "full": [measured(lambda text: judge.evaluate(text, seed=1), feasible, n) for n in options.threads],
        **{
            name: [measured(four_agents(game, four, options.ticks), feasible, n) for n in options.threads]
            for name, four in FOURS.items()
        },
    }
    if options.json:
        print(json.dumps(table, indent=1))
        return
    print(f"{table['game']}: {tried} levels of the constructive generator, {os.cpu_count()} processors, "
          f"load {table['load']:.1f}")  # fmt: skip
    print(f"{'went as far as':24s} {'share':>8s} {'ms of CPU':>10s}")
    for stage, row in table["by_stage"].items():  # type: ignore[attr-defined]
        print(f"{stage:24s} {row['share']:8.0%} {row['cpu_ms']:10.1f}")
    for title in ("full", *FOURS):
        print(f"\n{title.replace('_', ' ')}, {options.levels} feasible levels, plays of at most {options.ticks} ticks")
        print(f"{'threads':>8s} {'per minute':>12s} {'ms of CPU':>10s}")
        for row in table[title]:  # type: ignore[attr-defined]
            print(f"{row['threads']:8.0f} {row['per_minute']:12,.0f} {row['cpu_ms']:10.1f}")


if __name__ == "__main__":
    main()
