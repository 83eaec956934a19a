"""Speed at which quality-diversity search fills a 20x20 archive of the dungeon game with feasible levels.

The measures and their ranges were settled before anything was measured: `density` from 0 to 0.5 (more than half rock
leaves little to play in), and `solution_length` from 20 ticks (shorter ones are infeasible, `min_length`) to 80 (longer
ones count as fully long, `target_length`); values beyond a range count in its outermost cells. Every elite is feasible
in the full sense: won by an agent, and all constraints of the evaluation kept with their defaults.

    python benchmarks/qd_dungeon.py --out runs/qd-dungeon                 # ten minutes on two cores
    python benchmarks/qd_dungeon.py --out runs/qd-dungeon --cpu 1200      # as much processor time, on a busy machine

It is a run as `pcg levels` makes it, and goes on where it stopped when called again (also after `kill -9`). The table
tells processor time beside wall time: on a machine with other work the latter says little.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from pcg.engine.kernel.runtime import compile_all
from pcg.runs import LevelProgress, LevelRun, resume, run_levels

MEASURES = "density:0..0.5:20, solution_length:20..80:20"
WANTED = 0.6


class Table:
    """Prints a line every so often and keeps them beside the run, so that a second session knows of the first."""

    def __init__(self, path: Path, every: float, limit: float) -> None:
        self.path = path
        self.every = every
        self.limit = limit
        rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        self.before = float(rows[-1]["cpu"]) if rows else 0.0
        self.started = time.process_time()
        self.next = self.before
        self.reached: dict[str, float] | None = next((r for r in rows if r["coverage"] >= WANTED), None)
        for row in rows:
            self.show(row)

    @property
    def cpu(self) -> float:
        """Processor seconds of all sessions."""
        return self.before + time.process_time() - self.started

    def __call__(self, state: LevelProgress) -> None:
        """Called after every evaluation."""
        reached = self.reached is None and state.statistics["coverage"] >= WANTED
        if self.cpu < self.next and not reached and self.cpu < self.limit:
            return
        self.next = self.cpu + self.every
        row = {
            "elapsed": round(state.elapsed, 1),
            "cpu": round(self.cpu, 1),
            "evaluations": state.evaluations,
            "feasible": state.feasible,
            **{name: round(float(state.statistics[name]), 4) for name in ("elites", "coverage", "qd_score", "mean")},
        }
        if reached:
            self.reached = row
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        self.show(row)
        if self.cpu >= self.limit:
            raise KeyboardInterrupt

    @staticmethod
    def show(row: dict[str, float]) -> None:
        """Print a row."""
        print(
            f"{row['elapsed']:8.0f} {row['cpu']:8.0f} {row['evaluations']:8.0f} {row['feasible']:8.0f} "
            f"{row['elites']:7.0f} {row['coverage']:8.1%} {row['qd_score']:8.1f} {row['mean']:6.2f}",
            flush=True,
        )


def main() -> None:
    """Run, or go on with a run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder of the run, new or to go on with")
    parser.add_argument("--generator", default="map-elites")
    parser.add_argument("--game", default="dungeon")
    parser.add_argument("--measures", default=MEASURES)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=600.0, help="limit of wall time")
    parser.add_argument("--cpu", type=float, default=0.0, help="limit of processor time instead")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="parameter of the generator")
    args = parser.parse_args()
    compile_all()
    seconds = 0.0 if args.cpu else args.seconds
    config = LevelRun(
        args.game, generator=args.generator, seed=args.seed, seconds=seconds, evaluations=0 if seconds else 10**9,
        checkpoint=200,
        generator_parameters={"measures": args.measures, **dict(s.split("=", 1) for s in args.set)},
    )  # fmt: skip
    print("    wall      cpu    tried feasible  elites coverage qd score   mean")
    args.out.parent.mkdir(parents=True, exist_ok=True)
    table = Table(args.out.with_suffix(".jsonl"), 20.0, args.cpu or float("inf"))
    if (args.out / "run.json").exists():
        result = resume(args.out, workers=args.workers, progress=table, seconds=seconds or None)
    else:
        result = run_levels(config, args.out, workers=args.workers, progress=table)
    kept = result.statistics
    print(f"{kept['elites']:g} of {kept['cells']:g} cells hold a feasible level: {kept['coverage']:.1%}")
    if table.reached is not None:
        row = table.reached
        print(f"{WANTED:.0%} after {row['elapsed']:g} s, {row['cpu']:g} processor seconds, {row['evaluations']} levels")


if __name__ == "__main__":
    main()
