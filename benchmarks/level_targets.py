"""Agreement of generators with targets: per game and want, the share of the levels of a run that achieve it.

    python benchmarks/level_targets.py --generator evolve --evaluations 150

Prints a table: diversity and controllability of the levels kept, and how many evaluations it took until as many
levels as are wanted achieved everything.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from pcg.engine.kernel.runtime import compile_all
from pcg.evaluators.metrics import score_set
from pcg.evaluators.targets import all_achieved
from pcg.runs import LevelRun, run_levels

ASKED = (
    ("dungeon", "enemies=3, solution_length=25..45"),
    ("dungeon", "symmetry>=0.5, mechanic.monster.knife.killBoth=1"),
    ("boxes", "box=3, solution_length=20..30"),
    ("crossing", "solution_length=20..30, collectables=4..8"),
    ("digger", "linearity<=0.6, solution_length>=40"),
    ("hunt", "mechanics>=3, coverage>=0.3"),
)


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--generator", default="evolve")
    parser.add_argument("--evaluations", type=int, default=150)
    parser.add_argument("--count", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    compile_all()
    print(f"{'game':10} {'want':50} {'diversity':>9} {'control':>8} {'enough after':>12}")
    for game, want in ASKED:
        run = LevelRun(game, generator=options.generator, want=want, count=options.count, seed=options.seed,
                       evaluations=options.evaluations)  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            result = run_levels(run, Path(folder) / "run")
            events = [json.loads(line) for line in (Path(folder) / "run" / "events.jsonl").read_text().splitlines()]
        scores = score_set([e.candidate.level for e in result.levels], [e.evaluation for e in result.levels])
        done = [k for k, e in enumerate(events, 1) if e["feasible"] and all_achieved(e["wants"])]
        after = str(done[options.count - 1]) if len(done) >= options.count else "never"
        control = f"{scores.controllability or 0.0:.0%}"
        print(f"{game:10} {want:50} {scores.diversity:9.0%} {control:>8} {after:>12}", flush=True)


if __name__ == "__main__":
    main()
