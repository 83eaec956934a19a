"""Lode Runner: how much gold the value-field agent brings home, and how often it dies, beside vanilla MCTS.

Both play every level with every seed on the same budget of forward-model calls per decision, to the end of the game.
The table has a row per level and agent, and the verdict is on all plays together; intervals are Wilson's, 95 %.

    python benchmarks/lode_runner.py [--agents A,B] [--seeds N] [--calls N] [--workers N] [--json]
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

from pcg.engine.game import load
from pcg.evaluators.agents import make_agent, play, replay

GAME = "lode_runner"


@dataclass(frozen=True, slots=True)
class Result:
    """One play."""

    agent: str
    level: int
    seed: int
    gold: int
    """Nuggets collected."""
    of: int
    """Nuggets there were."""
    score: float
    won: bool
    died: bool
    """Killed, rather than out of time."""
    ticks: int
    calls: int
    seconds: float
    """CPU time."""


def nuggets(state: Any) -> int:
    """Return the amount of gold in the level."""
    return sum(sprite.name == "gold" for sprite in state.sprites())


def run(job: tuple[str, int, int, int]) -> Result:
    """Play a level once."""
    spec, level, seed, calls = job
    game = load(GAME)
    start = game.start(level, seed=seed)
    before = time.process_time()
    done = play(start, make_agent(spec, seed=seed, budget=calls))
    seconds = time.process_time() - before
    end = replay(start, done.actions)[-1]
    of = nuggets(start)
    died = any(sprite.name in ("digger", "fallingDigger") and sprite.disabled for sprite in end.sprites())
    return Result(
        spec, level, seed, of - nuggets(end), of, done.score, done.winner == 1, died, done.ticks, done.calls, seconds
    )


def wilson(hits: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share."""
    z = 1.959964
    share = hits / of
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    half = z / (1 + z * z / of) * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return middle - half, middle + half


def row(name: str, results: list[Result]) -> str:
    """A line of the table."""
    n = len(results)
    gold, of = sum(r.gold for r in results), sum(r.of for r in results)
    won, died = sum(r.won for r in results), sum(r.died for r in results)
    low, high = wilson(died, n)
    rate = sum(r.calls for r in results) / max(1e-9, sum(r.seconds for r in results))
    return (
        f"{name:<24}{n:>6}{gold / n:>8.2f}{of / n:>6.1f}{sum(r.score for r in results) / n:>8.1f}{won:>6}{died:>6}"
        f"   {low:4.0%} -{high:4.0%}{sum(r.ticks for r in results) / n:>8.0f}{rate:>12,.0f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])  # type: ignore[union-attr]
    parser.add_argument("--agents", default="valuefield;mcts", help="agents with their parameters, separated by ;")
    parser.add_argument("--seeds", type=int, default=10, help="plays of each level")
    parser.add_argument("--calls", type=int, default=1000, help="forward-model calls per decision")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--json", action="store_true", help="print a list of objects, one per play")
    given = parser.parse_args()
    agents = given.agents.split(";")
    levels = range(len(load(GAME).levels))
    jobs = [(a, level, seed, given.calls) for a, level, seed in product(agents, levels, range(given.seeds))]
    results: list[Result] = []
    for agent in agents:
        run((agent, 0, 0, 1))  # compile once, before the clocks run
    with ProcessPoolExecutor(given.workers) as pool:
        for result in pool.map(run, jobs):
            results.append(result)
            if sys.stderr.isatty():
                print(f"\r{len(results)}/{len(jobs)} plays", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    if given.json:
        print(json.dumps([asdict(result) for result in results], indent=1))
        return
    print(f"{GAME}, {given.calls} forward-model calls per decision, seeds 0-{given.seeds - 1}\n")
    print(
        f"{'':<24}{'plays':>6}{'gold':>8}{'of':>6}{'score':>8}{'won':>6}{'died':>6}   {'interval':<11}{'ticks':>7}"
        f"{'calls/s':>12}"
    )
    for level in levels:
        for agent in agents:
            print(row(f"level {level}, {agent}", [r for r in results if (r.level, r.agent) == (level, agent)]))
    print()
    for agent in agents:
        print(row(f"all, {agent}", [r for r in results if r.agent == agent]))


if __name__ == "__main__":
    main()
