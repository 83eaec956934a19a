"""Lode Runner arena: points, nuggets, deaths and suicides of the bot of the text, with rivals that hang in the way.

The arena (`benchmarks/games/lode_runner_arena`) has the rules of the text's game: gold without end, the n-th nugget
worth n points (up to 20), a death that empties the bag, keeps the score and puts the player elsewhere, a free suicide
that keeps the bag, and two players who stand in each other's way. The table compares, on the same levels and seeds,
when the bot kills itself and what it makes of a rival who never moves; then the bot against other agents.

    python benchmarks/lode_runner_arena.py [--seeds N] [--calls N] [--json]
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

from pcg.engine.game import Game, load
from pcg.evaluators.agents import make_agent

FOLDER = Path(__file__).parent / "games" / "lode_runner_arena"
LEVELS = 5
ENTRIES = {
    "the bot of the text, beside one that hangs still": ("loderunnerbot", "nothing"),
    "never kills itself": ("loderunnerbot:suicide=100000", "nothing"),
    "kills itself whenever S is higher elsewhere": ("loderunnerbot:suicide=0", "nothing"),
    "takes no frozen rival for concrete": ("loderunnerbot:frozen_after=0", "nothing"),
    "valuefield, with its own constants": ("valuefield", "nothing"),
    "kills itself after 40 decisions without income": ("loderunnerbot:suicide=40", "nothing"),
    "mcts": ("mcts", "nothing"),
    "the bot of the text, against mcts": ("loderunnerbot", "mcts"),
    "the bot of the text, against itself": ("loderunnerbot", "loderunnerbot"),
}


@dataclass(frozen=True, slots=True)
class Result:
    """One play, as the first player had it."""

    entry: str
    level: int
    seed: int
    points: float
    rival: float
    """Points of the other player."""
    nuggets: int
    deaths: int
    suicides: int
    bag: int
    """Most nuggets it ever had in its bag."""


def arena() -> Game:
    """The game with its five levels."""
    levels = [(FOLDER / f"lvl{k}.txt").read_text(encoding="utf-8").rstrip("\n") for k in range(LEVELS)]
    return load((FOLDER / "game.vgdl").read_text(encoding="utf-8"), levels=levels)


def red(state: Any) -> tuple[int, int, int, int]:
    """Column, row, health and bag of the first player."""
    digger = next(s for s in state.sprites() if s.name in ("redDigger", "redFaller"))
    block = state.block_size
    return digger.x // block, digger.y // block, digger.health, int(digger.resources.get("gold", 0))


def run(entry: str, specs: tuple[str, str], level: int, seed: int, calls: int) -> Result:
    """Play a level once."""
    state = arena().start(level, seed=seed)
    agents = [make_agent(spec, seed=seed + p, budget=calls, player=p) for p, spec in enumerate(specs)]
    for agent in agents:
        agent.reset(state)
    nuggets = deaths = suicides = most = 0
    before = red(state)
    while not state.is_over:
        state.advance(tuple(agent.act(state) for agent in agents))
        now = red(state)
        nuggets += max(0, now[3] - before[3])
        if now[2] < before[2]:
            deaths += 1
        elif abs(now[0] - before[0]) + abs(now[1] - before[1]) > 1:
            suicides += 1
        most = max(most, now[3])
        before = now
    points, rival = state.score
    return Result(entry, level, seed, points, rival, nuggets, deaths, suicides, most)


def mean(values: list[float]) -> tuple[float, float]:
    """The mean of values and half of its 95 % interval."""
    middle = sum(values) / len(values)
    spread = sum((v - middle) ** 2 for v in values) / max(1, len(values) - 1)
    return middle, 1.959964 * math.sqrt(spread / len(values))


def row(results: list[Result], whole: list[Result]) -> str:
    """A line of the table: means, and the difference in points to the first entry on the same levels and seeds."""
    points, half = mean([r.points for r in results])
    told = f"{results[0].entry:<50}{points:>7.0f} +-{half:>4.0f}{mean([r.rival for r in results])[0]:>8.0f}"
    for key in ("nuggets", "deaths", "suicides", "bag"):
        told += f"{mean([float(getattr(r, key)) for r in results])[0]:>9.2f}"
    if results is not whole:
        pairs = {(r.level, r.seed): r.points for r in whole}
        gap, half = mean([r.points - pairs[r.level, r.seed] for r in results])
        told += f"   {gap:+6.0f} ({gap - half:+.0f} to {gap + half:+.0f})"
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])  # type: ignore[union-attr]
    parser.add_argument("--seeds", type=int, default=10, help="plays of each level")
    parser.add_argument("--calls", type=int, default=1000, help="forward-model calls per decision")
    parser.add_argument("--only", default="", help="entries whose name contains this, and the first")
    parser.add_argument("--json", action="store_true", help="print a list of objects, one per play")
    given = parser.parse_args()
    names = [n for k, n in enumerate(ENTRIES) if k == 0 or given.only in n]
    results: dict[str, list[Result]] = {}
    if not given.json:
        print(f"arena, {given.calls} forward-model calls per decision, seeds 0-{given.seeds - 1}\n")
        heads = "".join(f"{head:>9}" for head in ("nuggets", "deaths", "suicides", "bag"))
        print(f"{'':<50}{'points':>14}{'rival':>8}{heads}   points, difference")
    for name in names:
        played = results[name] = []
        for level, seed in product(range(LEVELS), range(given.seeds)):
            played.append(run(name, ENTRIES[name], level, seed, given.calls))
            if sys.stderr.isatty():
                print(f"\r{name}: {len(played)} plays", end="", file=sys.stderr, flush=True)
        if not given.json:
            print(row(played, results[names[0]]), flush=True)
    if given.json:
        print(json.dumps([asdict(r) for played in results.values() for r in played], indent=1))


if __name__ == "__main__":
    main()
