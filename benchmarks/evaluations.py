"""How many evaluations of levels a minute: one thread and as many as there are processors, by how far each went.

    python benchmarks/evaluations.py dungeon --levels 60

The levels are made beforehand by the constructive generator, and are the same in every run.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

import pcg
from pcg.engine.kernel.runtime import compile_all
from pcg.evaluators.evaluation import STAGES
from pcg.evaluators.fitness import LevelEvaluator


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--levels", type=int, default=60)
    parser.add_argument("--generator", default="constructive")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    compile_all()
    game = pcg.load(options.game)
    texts = [c.level for c in pcg.make_generator(options.generator, game, seed=1).ask(options.levels)]
    judge = LevelEvaluator(game)
    judge.evaluate(texts[0], seed=1)  # warm
    spent: dict[str, list[float]] = defaultdict(list)
    cpu = time.process_time()
    for text in texts:
        started = time.thread_time()
        found = judge.evaluate(text, seed=1)
        spent[found.stage].append(time.thread_time() - started)
    cpu = time.process_time() - cpu
    print(f"{options.game}: {len(texts)} levels, {60 * len(texts) / cpu:,.0f} evaluations a minute of CPU time")
    for stage in STAGES:
        if times := spent.get(stage):
            print(f"  up to stage {stage:9} {len(times):4} levels, {1000 * sum(times) / len(times):8.2f} ms each")
    started = time.perf_counter()
    with ThreadPoolExecutor(options.workers) as pool:
        list(pool.map(lambda text: judge.evaluate(text, seed=1), texts))
    rate = 60 * len(texts) / (time.perf_counter() - started)
    print(f"  {options.workers} threads: {rate:,.0f} evaluations a minute by the clock")


if __name__ == "__main__":
    main()
