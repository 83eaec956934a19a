"""Number of candidate games evaluated in a minute while a game is tuned to a win rate of MCTS.

Every game is tuned with `win_rate:mcts=0.5` for a while, with its own parameters; a candidate is a new text, read and
compiled to tables, and a number of plays. Wall time is what a user waits for; CPU time does not depend on what else the
machine does.

    python benchmarks/tuning.py [GAMES...] [--evaluations N] [--workers W] [--json]
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from pcg.engine.game import builtin_games
from pcg.engine.kernel.runtime import compile_all
from pcg.evaluators.agents import make_agent
from pcg.runs import TuningRun, run_tuning

PARAMS = {
    "invaders": "sprite.alien.speed=0.2..1.0:0.1 sprite.bomb.speed=0.2..1.0:0.1 sprite.raider.prob=0.01..0.15:0.01",
    "hunt": "sprite.dog.cooldown=1..8 sprite.hen.cooldown=1..6 termination.2.limit=100..800:50",
    "dungeon": "sprite.skeleton.cooldown=1..8 sprite.bat.cooldown=1..4 sprite.slime.cooldown=1..8",
}
"""Parameters of the games that are measured."""


def measure(game: str, evaluations: int, workers: int) -> dict[str, Any]:
    """One run without its last plays, after a first evaluation that loads what all need."""
    config = TuningRun(game, PARAMS[game], "win_rate:mcts=0.5", evaluations=evaluations, confirm=0)
    with tempfile.TemporaryDirectory() as folder:
        run_tuning(TuningRun(game, PARAMS[game], "win_rate:mcts=0.5", evaluations=1, confirm=0), Path(folder) / "first")
        wall, cpu = time.perf_counter(), time.process_time()
        run_tuning(config, Path(folder) / "run", workers=workers)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        lines = (Path(folder) / "run" / "events.jsonl").read_text().splitlines()
    ticks = sum(play[4] for line in lines for play in json.loads(line)["plays"]["mcts"])
    return {
        "game": game,
        "evaluations": evaluations,
        "per_minute": 60 * evaluations / wall,
        "per_cpu_minute": 60 * evaluations / cpu,
        "ticks": ticks / evaluations,
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=["invaders", "dungeon", "hunt"])
    parser.add_argument("--evaluations", type=int, default=60)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    unknown = [game for game in options.games if game not in PARAMS or game not in builtin_games()]
    if unknown:
        parser.error(f"{', '.join(unknown)}: expected {', '.join(PARAMS)}")
    make_agent("mcts")
    compile_all()
    rows = [measure(game, options.evaluations, options.workers) for game in options.games]
    if options.json:
        print(json.dumps(rows, indent=1))
        return
    print(f"{'game':12} {'per minute':>11} {'per CPU minute':>15} {'ticks each':>11}")
    for row in rows:
        print(f"{row['game']:12} {row['per_minute']:11.0f} {row['per_cpu_minute']:15.0f} {row['ticks']:11.0f}")


if __name__ == "__main__":
    main()
