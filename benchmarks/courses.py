"""Courses of levels for our own one-player games: does difficulty rise, and does one new thing come at a time?

Each course is measured anew: its levels are evaluated and played on the ladder of agents with seeds that took no part
in choosing them, and with twice as many plays. The rank correlation of place and difficulty is of these measurements.
*Alone* counts the kinds of things that come new without another new one, of all that come after the first level.

    python benchmarks/courses.py measure --evaluations 120 [--games dungeon boxes]
    python benchmarks/courses.py table
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from pcg.engine.game import builtin_games, load
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.ladder import PLAYS
from pcg.runs import LevelRun, run_levels
from pcg.runs.experiments.course import EVALUATION, level_difficulty

ROOT = Path(__file__).resolve().parent.parent
STORE = ROOT / "runs" / "courses"
FRESH = 77_000
"""Seed of the measurement; runs have 1."""


def measure(name: str, count: int, evaluations: int) -> dict[str, Any]:
    """Make a course for a game and measure it with other seeds."""
    started = time.process_time()
    config = LevelRun(name, count=count, evaluations=evaluations, progression=True)
    with tempfile.TemporaryDirectory() as folder:
        result = run_levels(config, f"{folder}/run", workers=1, executor="threads")
    game = load(name)
    evaluator = LevelEvaluator(game, **{**EVALUATION, "search": 0})
    anew, lengths = [], []
    for entry in result.levels:
        level = entry.candidate.level
        evaluation = evaluator.evaluate(level, FRESH)
        known = evaluation if evaluation.play else entry.evaluation
        anew.append(level_difficulty(evaluator, level, known, FRESH, 2 * PLAYS).value)
        lengths.append(len(known.play))
    places = np.arange(len(anew))
    rank = float(spearmanr(places, anew).statistic) if len(anew) > 2 else float("nan")
    later = [level.introduces for level in result.course[1:] if level.introduces]
    return {
        "game": name, "levels": len(result.levels), "feasible": result.feasible, "tried": result.evaluations,
        "rank": rank, "chosen": [round(level.difficulty.value, 3) for level in result.course],
        "anew": [round(value, 3) for value in anew], "lengths": lengths,
        "new": sum(map(len, later)), "alone": sum(len(new) == 1 for new in later),
        "first": len(result.course[0].introduces) if result.course else 0,
        "teaches": [level.teaches for level in result.course],
        "texts": [entry.candidate.level for entry in result.levels],
        "seconds": round(time.process_time() - started, 1),
    }  # fmt: skip


def stored(store: Path) -> dict[str, dict[str, Any]]:
    """Return what was measured, by game."""
    path = store / "results.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {row["game"]: row for row in map(json.loads, lines)}


def table(rows: dict[str, dict[str, Any]]) -> str:
    """Return the results as Markdown."""
    lines = [
        "| game | levels | rank correlation | difficulty, first to last, measured anew | new kinds | alone |",
        "|---|---:|---:|---|---:|---:|",
    ]
    for name, row in sorted(rows.items()):
        way = f"{row['anew'][0]:.2f} to {row['anew'][-1]:.2f}" if row["anew"] else ""
        lines.append(f"| {name} | {row['levels']} | {row['rank']:.2f} | {way} | {row['new']} | {row['alone']} |")
    ranks = np.array([row["rank"] for row in rows.values()])
    lines += [
        "",
        f"{int((ranks >= 0.9).sum())} of {len(ranks)} games have a rank correlation of at least 0.9; the least is "
        f"{np.nanmin(ranks):.2f}, the median {np.nanmedian(ranks):.2f}.",
    ]
    return "\n".join(lines)


def main() -> int:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("measure", "table"))
    parser.add_argument("--games", nargs="+", default=[name for name in builtin_games() if load(name).players == 1])
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--evaluations", type=int, default=120)
    parser.add_argument("--store", type=Path, default=STORE)
    given = parser.parse_args()
    if given.what == "table":
        print(table(stored(given.store)))
        return 0
    given.store.mkdir(parents=True, exist_ok=True)
    for name in given.games:
        if name in stored(given.store):
            continue
        row = measure(name, given.count, given.evaluations)
        with (given.store / "results.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        print(f"{name:14} {row['levels']:2} levels  rank {row['rank']:.2f}  new {row['new']} alone {row['alone']}  "
              f"{row['anew']}  {row['seconds']} s", flush=True)  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
