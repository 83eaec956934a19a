"""Cost of an evaluation of a level, beside another revision of the repository, on the same levels in turn.

The levels are the first three that each of `random`, `constructive` and `evolve` made at revision d7d1835
(`benchmarks/validation/negatives`), and three of each game's own. Each revision runs in a process of its own, evaluates
a level of the game first, and then every level once, in turn with the other; processor time counts. `feasible both`
are levels that both revisions take to be feasible, where every stage of both is run.

    git worktree add ../old d7d1835
    python -m benchmarks.evaluation_cost ../old --games 26
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table
from scipy.stats import gmean

from benchmarks.validation.levels import CORPUS, negatives
from pcg.engine.game import load

ROOT = Path(__file__).resolve().parent.parent
EACH = 3
"""Levels of a game by each maker."""
_WORKER = """
import json, sys, time
from pcg.engine.game import load
from pcg.evaluators.fitness import LevelEvaluator
source = ""
for line in sys.stdin:
    wanted, level = json.loads(line)
    if wanted != source:
        source, game = wanted, load(wanted)
        evaluator = LevelEvaluator(game)
        evaluator.evaluate(game.levels[0], seed=99)
    begun = time.process_time()
    feasible = evaluator.evaluate(level, seed=1).feasible
    print("RESULT " + json.dumps([time.process_time() - begun, bool(feasible)]), flush=True)
"""


class Revision:
    """A process that evaluates levels with the packages of a checkout."""

    def __init__(self, checkout: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=checkout.parent,
            env={**os.environ, "PYTHONPATH": str(checkout)},
        )

    def evaluate(self, source: str, level: str) -> tuple[float, bool]:
        """Return the seconds of processor time of an evaluation, and whether the level is feasible."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps([source, level]) + "\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line.startswith("RESULT "):
                seconds, feasible = json.loads(line[7:])
                return float(seconds), bool(feasible)
        raise SystemExit(f"the process that evaluates ended with status {self._process.wait()}")


def levels_of(source: str, frozen: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    """Yield maker and text of the levels of a game that are evaluated."""
    for maker, levels in sorted(frozen.items()):
        yield from ((maker, level) for level in levels[:EACH])
    yield from (("own", level) for level in load(source).levels[1 : 1 + EACH])


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path, help="checkout of the other revision")
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="folder with the corpus, its games in `games`")
    parser.add_argument("--games", type=int, default=26, help="drawn by their names")
    options = parser.parse_args()
    frozen = negatives()
    files = {name: options.corpus / "games" / f"{name}.txt" for name in frozen}
    names = sorted(
        (name for name, file in files.items() if file.exists()),
        key=lambda name: hashlib.sha256(f"cost{name}".encode()).digest(),
    )
    revisions = [Revision(options.old.resolve()), Revision(ROOT)]
    groups: dict[str, list[tuple[float, float]]] = defaultdict(list)
    by_game: dict[str, list[tuple[float, float]]] = defaultdict(list)
    console = Console()
    for name in names[: options.games]:
        source = str(files[name].resolve())
        for k, (maker, level) in enumerate(levels_of(source, frozen[name])):
            found: dict[int, tuple[float, bool]] = {}
            for which in (k % 2, 1 - k % 2):
                found[which] = revisions[which].evaluate(source, level)
            cost = found[0][0], found[1][0]
            verdict = {(True, True): "feasible both", (False, False): "feasible for neither"}.get(
                (found[0][1], found[1][1]), "feasible for one of them"
            )
            by_game[name].append(cost)
            for group in (f"by {maker}", verdict, "all"):
                groups[group].append(cost)
        old, now = (sum(cost[which] for cost in by_game[name]) for which in (0, 1))
        console.print(f"{name}: {old:.2f} s before, {now:.2f} s now, {now / old:.2f} times", highlight=False)
    table = Table("levels", "number", "s, old", "s, now", "ratio")
    for group, costs in groups.items():
        old, now = (sum(cost[k] for cost in costs) / len(costs) for k in (0, 1))
        table.add_row(group, str(len(costs)), f"{old:.3f}", f"{now:.3f}", f"{now / old:.2f}")
    console.print(table)
    ratios = [sum(now for _, now in costs) / sum(old for old, _ in costs) for costs in by_game.values()]
    console.print(f"geometric mean of the ratios of {len(ratios)} games: {float(gmean(ratios)):.2f}", highlight=False)


if __name__ == "__main__":
    main()
