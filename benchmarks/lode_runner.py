"""Lode Runner: how much gold the value-field agent brings home, and how often it dies, beside vanilla MCTS.

Both play every level with every seed on the same budget of forward-model calls per decision, to the end of the game.
The table has a row per level and agent, and the verdict is on all plays together; intervals are Wilson's, 95 %.

`--ablation` plays `loderunnerbot`, the same with each of its parts taken out or put differently, and says what that
changes against the whole on the same levels and seeds: paired differences with intervals of 95 %.

    python benchmarks/lode_runner.py [--agents A;B | --ablation] [--seeds N] [--calls N] [--workers N] [--json]
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
ABLATION = {
    "the bot of the text, whole": "",
    "E = 1: no inflation": "inflation=1",
    "E = 0.9": "inflation=0.9",
    "4 moves ahead instead of 8": "horizon=4",
    "the score instead of G = 100": "gold_reward=0",
    "death costs 100 instead of 100500": "death_cost=100",
    "no penalty near monsters": "monster_penalty=0",
    "monsters measured along the axes, not spread": "spread=straight",
    "monsters spread over cells, not over moves": "spread=cells",
    "monsters move in the look-ahead": "monsters_stay=false",
    "no bonus for holes": "trap_bonus=0",
    "no strategic value S": "strategy=0",
    "S of the nearest gold only": "field_from=nearest",
    "S of the first gold of the shortest chain of 5, G_s = G": "field_from=chain,chain_length=5,strategy=100",
    "S of the first gold of the shortest chain of 6, G_s = G": "field_from=chain,chain_length=6,strategy=100",
    "S of all gold, G_s = G": "strategy=100",
    "no vertical inflation": "field_height=1",
    "S counted once, at the end": "field_counts=end",
    "gold eaten stays in S": "eaten=never",
    "gold eaten leaves S with the move": "eaten=after",
    "a local maximum changes no strategy": "local_maximum=false",
    "no change of strategy at all": "local_maximum=false,nearest_moves=0",
}
"""Ablations of `loderunnerbot`: names, and the parameters that make them."""


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


def against_whole(name: str, results: list[Result], whole: list[Result]) -> str:
    """A line of the table of ablations: means, and differences to the whole bot on the same level and seed."""
    n = len(results)
    told = f"{name:<58}{sum(r.gold for r in results) / n:>6.2f}{sum(r.score for r in results) / n:>7.1f}"
    told += f"{sum(r.won for r in results):>5}{sum(r.died for r in results):>5}"
    if results is whole:
        return told
    pairs = {(r.level, r.seed): r for r in whole}
    for key in ("gold", "died"):
        gaps = [float(getattr(r, key)) - float(getattr(pairs[r.level, r.seed], key)) for r in results]
        middle = sum(gaps) / n
        half = 1.959964 * math.sqrt(sum((g - middle) ** 2 for g in gaps) / max(1, n - 1) / n)
        told += f"   {middle:+5.2f} ({middle - half:+5.2f} to {middle + half:+5.2f})"
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])  # type: ignore[union-attr]
    parser.add_argument("--agents", default="valuefield;mcts", help="agents with their parameters, separated by ;")
    parser.add_argument("--ablation", action="store_true", help="the bot of the text with each of its parts taken out")
    parser.add_argument("--seeds", type=int, default=10, help="plays of each level")
    parser.add_argument("--first", type=int, default=0, help="first seed; what is tuned is tuned on others")
    parser.add_argument("--calls", type=int, default=1000, help="forward-model calls per decision")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--json", action="store_true", help="print a list of objects, one per play")
    given = parser.parse_args()
    agents = given.agents.split(";")
    if given.ablation:
        agents = [f"loderunnerbot:{change}".rstrip(":") for change in ABLATION.values()]
    levels = range(len(load(GAME).levels))
    seeds = range(given.first, given.first + given.seeds)
    jobs = [(a, level, seed, given.calls) for a, level, seed in product(agents, levels, seeds)]
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
    if given.ablation:
        print(f"{GAME}, {given.calls} forward-model calls per decision, seeds {seeds[0]}-{seeds[-1]}\n")
        print(f"{'':<58}{'gold':>6}{'score':>7}{'won':>5}{'died':>5}   {'gold, difference':<22}   deaths a play")
        by = {agent: [r for r in results if r.agent == agent] for agent in agents}
        for name, agent in zip(ABLATION, agents, strict=True):
            print(against_whole(name, by[agent], by[agents[0]]))
        return
    print(f"{GAME}, {given.calls} forward-model calls per decision, seeds {seeds[0]}-{seeds[-1]}\n")
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
