"""Speed and strength of ConnectX: random games in the kernel, episodes of the environment, agents against each other.

    python benchmarks/connectx.py
    python benchmarks/connectx.py --json build/connectx.json

All rates are per second of processor time on one core. The peer is the original environment's package, whose two rates
were measured on this kind of machine and are printed beside ours.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from pcg.connectx import get_win_percentages, make
from pcg.engine.boards import ConnectX

BOARDS = ((6, 7, 4), (4, 5, 3), (8, 7, 4), (6, 9, 4), (8, 8, 5), (10, 10, 5), (19, 19, 5))
EPISODES = (
    ("random", "random", 3000, 34.0),
    ("negamax", "random", 1000, 2.3),
    ("onestep", "random", 1000, None),
    ("nstep", "random", 500, None),
    ("mcts", "random", 20, None),
)
MATCHES = (("onestep", "random", 400), ("negamax", "random", 400), ("nstep", "onestep", 400), ("nstep", "negamax", 400),
           ("mcts", "nstep", 100))  # fmt: skip


def _python_agent(observation: Any) -> int:
    """Agent as people write it: the first column with room."""
    return [k for k in range(7) if observation.board[k] == 0][0]  # noqa: RUF015


def kernel_rates(seconds: float) -> list[dict[str, Any]]:
    """Random games per second on boards of several sizes."""
    found = []
    for size in BOARDS:
        game = ConnectX(*size)
        game.random_games(100)
        count, spent = 1000, 0.0
        while spent < seconds:
            count *= 2
            started = time.process_time()
            game.random_games(count, seed=count)
            spent = time.process_time() - started
        found.append({"board": size, "narrow": game.narrow, "games": count, "rate": count / spent})
    return found


def episode_rates() -> list[dict[str, Any]]:
    """Episodes of `env.run` per second."""
    found = []
    cases: list[tuple[Any, Any, int, float | None]] = [*EPISODES, (_python_agent, "random", 1000, None)]
    for first, second, count, peer in cases:
        env = make("connectx")
        env.run([first, second])
        started = time.process_time()
        for _ in range(count):
            env.run([first, second])
        rate = count / (time.process_time() - started)
        name = first if isinstance(first, str) else "a Python function"
        found.append({"agents": [name, second], "episodes": count, "rate": rate, "peer": peer})
    return found


def strengths() -> list[dict[str, Any]]:
    """Shares of wins, each agent beginning half of the episodes, with 95 % intervals."""
    found = []
    for first, second, count in MATCHES:
        outcomes = get_win_percentages(first, second, count, {"seed": 1})
        found.append(
            {
                "agents": [first, second],
                "episodes": count,
                "wins": outcomes.wins,
                "draws": outcomes.draws,
                "interval": outcomes.interval(0),
            }
        )
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1.0, help="processor time per board at least")
    parser.add_argument("--json", type=Path, help="file to write the numbers to as well")
    given = parser.parse_args()
    numbers = {"kernel": kernel_rates(given.seconds), "episodes": episode_rates(), "strength": strengths()}
    print("random games in the kernel, per CPU second")
    for row in numbers["kernel"]:
        rows, columns, inarow = row["board"]
        form = "one word" if row["narrow"] else "several words"
        print(f"  {rows:3} x {columns:3}, {inarow} in a row  {row['rate']:12,.0f}   {form}")
    print("episodes of env.run, per CPU second")
    for row in numbers["episodes"]:
        peer = "" if row["peer"] is None else f"   (the original: {row['peer']:g})"
        print(f"  {' against '.join(row['agents']):34}  {row['rate']:10,.0f}{peer}")
    print("won by the first of the two")
    for row in numbers["strength"]:
        low, high = row["interval"]
        share = row["wins"][0] / row["episodes"]
        print(
            f"  {' against '.join(row['agents']):34}  {100 * share:5.1f} % of {row['episodes']} "
            f"({100 * low:.1f} to {100 * high:.1f} %), {row['draws']} drawn"
        )
    if given.json is not None:
        given.json.write_text(json.dumps(numbers, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
