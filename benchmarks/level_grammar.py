"""Share of feasible levels of each generator, and the time to make one: grammars against `constructive`.

    python benchmarks/level_grammar.py                             # all games of the toolkit, 50 levels each
    python benchmarks/level_grammar.py --games dungeon boxes --count 20 --generators constructive grammar --json t.json

Every generator gets the same seed, every evaluation its level's number as seed. A level counts as feasible when
`LevelEvaluator` says so: a capable agent wins it, doing nothing does not, and so on.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path
from typing import Any

from pcg.engine.game import builtin_games, load
from pcg.evaluators.fitness import LevelEvaluator
from pcg.generators.levels import LevelContext, make_generator


def measure(game_name: str, generator_name: str, count: int, seed: int) -> dict[str, Any]:
    """One row: the share of feasible levels, the constraints missed, milliseconds per level made."""
    game = load(game_name)
    context = LevelContext.of(game)
    generator = make_generator(generator_name, context, seed=seed)
    evaluator = LevelEvaluator(game)
    levels, durations = [], []
    for _ in range(count):
        begun = time.perf_counter()
        levels += [c.level for c in generator.ask(1)]
        durations.append(1000 * (time.perf_counter() - begun))
    begun = time.perf_counter()
    missed: dict[str, int] = {}
    feasible, fitness = 0, []
    for k, level in enumerate(levels):
        verdict = evaluator.evaluate(level, seed=k)
        feasible += verdict.feasible
        if verdict.feasible:
            fitness.append(verdict.fitness)
            continue
        # The first constraint that is not kept is where the evaluation stopped.
        name = next(n for n, v in verdict.constraints.items() if v < 1)
        missed[name] = missed.get(name, 0) + 1
    return {
        "game": game_name,
        "generator": generator_name,
        "feasible": feasible / count,
        "fitness": statistics.fmean(fitness) if fitness else 0.0,
        "distinct": len(set(levels)) / count,
        "ms": statistics.median(durations),
        "slowest_ms": max(durations),
        "missed": missed,
        "evaluation_s": time.perf_counter() - begun,
    }


def main() -> None:
    """Print the table; write it as JSON if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="*", help="default: all games of the toolkit for one player")
    parser.add_argument("--generators", nargs="*", default=["constructive", "grammar"])
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    games = given.games or [name for name in builtin_games() if load(name).players == 1]
    rows = []
    print(f"{'game':<14}{'generator':<14}{'feasible':>9}{'fitness':>9}{'distinct':>9}{'ms':>8}{'max':>8}  missed")
    for game in games:
        for generator in given.generators:
            row = measure(game, generator, given.count, given.seed)
            rows.append(row)
            missed = ", ".join(f"{n} {k}" for n, k in sorted(row["missed"].items(), key=lambda item: -item[1]))
            print(
                f"{game:<14}{generator:<14}{row['feasible']:>9.0%}{row['fitness']:>9.2f}{row['distinct']:>9.0%}"
                f"{row['ms']:>8.1f}{row['slowest_ms']:>8.1f}  {missed}",
                flush=True,
            )
            if given.json is not None:
                given.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    for generator in given.generators:
        own = [row for row in rows if row["generator"] == generator]
        share = statistics.fmean(row["feasible"] for row in own)
        print(f"{'mean':<14}{generator:<14}{share:>9.0%}{'':>18}{statistics.fmean(row['ms'] for row in own):>8.1f}")


if __name__ == "__main__":
    main()
