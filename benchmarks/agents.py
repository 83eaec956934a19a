"""Speed of the agents: decisions and forward-model calls per second of CPU time, on one thread.

Every agent plays each game once around, so a row is what a user gets, growth and plans included; `agent_overhead.py`
tells what share of that is not copying and advancing.

    python benchmarks/agents.py [GAMES...] [--seconds S] [--calls N] [--json]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from pcg.engine.game import builtin_games, load
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import AGENTS, Playout, make_agent, play


def measure(game_name: str, agent_name: str, calls: int, seconds: float) -> dict[str, Any]:
    """Play level after level until the time is up."""
    game = load(game_name)

    def once(seed: int, max_ticks: int) -> Playout:
        agents = [make_agent(agent_name, seed=seed + p, budget=calls, player=p) for p in range(game.players)]
        return play(game, agents, level=seed % len(game.levels), seed=seed, max_ticks=max_ticks)

    once(0, 2)
    ticks = made = wins = plays = 0
    started = time.process_time()
    while plays == 0 or time.process_time() - started < seconds:
        done = once(plays, 500)
        won = done.winner == 1 if game.players == 1 else 1 in done.winner
        ticks, made, plays, wins = ticks + done.ticks, made + done.calls, plays + 1, wins + won
    spent = time.process_time() - started
    return {
        "game": game_name,
        "agent": agent_name,
        "decisions_per_s": ticks / spent,
        "calls_per_s": made / spent,
        "plays": plays,
        "wins": wins,
    }


def main() -> int:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])  # type: ignore[union-attr]
    parser.add_argument("games", nargs="*", help="built-in names or files; all built-in games by default")
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU time per measurement")
    parser.add_argument("--calls", type=int, default=1000, help="forward-model calls per decision")
    parser.add_argument("--json", action="store_true", help="print a list of objects")
    given = parser.parse_args()
    rows = []
    try:
        for game in given.games:
            load(game)
    except PcgError as error:
        print(error, file=sys.stderr)
        return 2
    if not given.json:
        print(f"{'game':<18}{'agent':<14}{'decisions/s':>14}{'calls/s':>14}{'wins':>10}")
    for game in given.games or builtin_games():
        for agent in AGENTS:
            if agent == "solver" and load(game).players > 1:
                continue
            row = measure(game, agent, given.calls, given.seconds)
            rows.append(row)
            if not given.json:
                wins = f"{row['wins']}/{row['plays']}"
                numbers = f"{row['decisions_per_s']:14,.0f}{row['calls_per_s']:14,.0f}{wins:>10}"
                print(f"{Path(game).stem:<18}{agent:<14}{numbers}", flush=True)
    if given.json:
        print(json.dumps(rows, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
