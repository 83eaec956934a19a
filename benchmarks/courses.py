"""Courses of levels for our own one-player games: does difficulty rise, and does one new thing come at a time?

Each course is measured anew: its levels are evaluated and played on the ladder of agents with seeds that took no part
in choosing them, and with twice as many plays, several times, for one time alone is as much luck as the steps of a
course are high in games of chance. The rank correlation of place and difficulty is of the means of these measurements;
*once* is that of the first of them, and *error* the standard error of the means as a share of an even step.
*New* counts the steps of the curriculum that the levels bring, the first one's among them, and *alone* those that come
without another: kinds that the rules need together, as a door and its key, are one step, and what all levels that were
measured have is none.

    python benchmarks/courses.py measure --evaluations 120 [--games dungeon boxes] [--seed 2]
    python benchmarks/courses.py table
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from pcg.engine.game import builtin_games, load
from pcg.evaluators.courses import EVALUATION
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.ladder import PLAYS
from pcg.runs import LevelRun, run_levels
from pcg.runs.experiments.course import SEEDS_APART, level_difficulty

ROOT = Path(__file__).resolve().parent.parent
STORE = ROOT / "runs" / "courses"
FRESH = 77_000
"""Seed of the first measurement, to which the seed of the run is added."""
ANEW = 6
"""Measurements of each level of a course."""


def measure(name: str, count: int, evaluations: int, seed: int) -> dict[str, Any]:
    """Make a course for a game and measure it with other seeds."""
    started = time.process_time()
    config = LevelRun(name, count=count, seed=seed, evaluations=evaluations, progression=True)
    with tempfile.TemporaryDirectory() as folder:
        result = run_levels(config, f"{folder}/run", workers=1, executor="threads")
    made = time.process_time() - started
    game = load(name)
    evaluator = LevelEvaluator(game, **{**EVALUATION, "search": 0})
    times = np.zeros((ANEW, len(result.levels)))
    for turn, place in np.ndindex(*times.shape):
        entry, fresh = result.levels[place], FRESH + seed + SEEDS_APART * turn
        evaluation = evaluator.evaluate(entry.candidate.level, fresh)
        known = evaluation if evaluation.play else entry.evaluation
        times[turn, place] = level_difficulty(evaluator, entry.candidate.level, known, fresh, 2 * PLAYS).value
    anew = times.mean(axis=0)
    places = np.arange(len(anew))

    def rank(values: Any) -> float:
        return float(spearmanr(places, values).statistic) if len(values) > 2 else float("nan")

    even = float(np.ptp(anew)) / max(1, count - 1) if len(anew) else 0.0
    error = math.sqrt(float(times.var(axis=0, ddof=1).mean()) / ANEW) if len(anew) else 0.0
    new = [level.steps for level in result.course]
    return {
        "game": name, "seed": seed, "levels": len(result.levels), "feasible": result.feasible,
        "tried": result.evaluations,
        "rank": rank(anew), "once": rank(times[0]), "error": round(error / even, 3) if even else 0.0,
        "chosen": [round(level.difficulty.value, 3) for level in result.course],
        "anew": [round(float(value), 3) for value in anew],
        "lengths": [level.difficulty.length for level in result.course],
        "new": sum(new), "alone": new.count(1), "steps": new,
        "teaches": [level.teaches for level in result.course],
        "texts": [entry.candidate.level for entry in result.levels],
        "seconds": round(made, 1), "measuring": round(time.process_time() - started - made, 1),
    }  # fmt: skip


def stored(store: Path, seed: int) -> dict[str, dict[str, Any]]:
    """Return what was measured of the runs with a seed, by game."""
    path = store / "results.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {row["game"]: row for row in map(json.loads, lines) if row.get("seed", 1) == seed}


def table(rows: dict[str, dict[str, Any]]) -> str:
    """Return the results as Markdown."""
    lines = [
        "| game | levels | rank correlation | once | error | difficulty, first to last | new | alone | s |",
        "|---|---:|---:|---:|---:|---|---:|---:|---:|",
    ]
    for name, row in sorted(rows.items()):
        way = f"{row['anew'][0]:.2f} to {row['anew'][-1]:.2f}" if row["anew"] else ""
        lines.append(
            f"| {name} | {row['levels']} | {row['rank']:.2f} | {row['once']:.2f} | {row['error']:.2f} | {way} "
            f"| {row['new']} | {row['alone']} | {row['seconds']:.0f} |"
        )
    ranks = np.array([row["rank"] for row in rows.values()])
    lines += [
        "",
        f"{int((ranks >= 0.9).sum())} of {len(ranks)} games have a rank correlation of at least 0.9; the least is "
        f"{np.nanmin(ranks):.2f}, the median {np.nanmedian(ranks):.2f}. Of {sum(row['new'] for row in rows.values())} "
        f"steps {sum(row['alone'] for row in rows.values())} come alone.",
    ]
    return "\n".join(lines)


def main() -> int:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("measure", "table"))
    parser.add_argument("--games", nargs="+", default=[name for name in builtin_games() if load(name).players == 1])
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--evaluations", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--store", type=Path, default=STORE)
    given = parser.parse_args()
    if given.what == "table":
        print(table(stored(given.store, given.seed)))
        return 0
    given.store.mkdir(parents=True, exist_ok=True)
    for name in given.games:
        if name in stored(given.store, given.seed):
            continue
        row = measure(name, given.count, given.evaluations, given.seed)
        with (given.store / "results.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        print(
            f"{name:14} {row['levels']:2} levels  rank {row['rank']:.2f} (once {row['once']:.2f}, error "
            f"{row['error']})  new {row['new']} alone {row['alone']}  {row['anew']}  "
            f"{row['seconds']} s and {row['measuring']} s",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
