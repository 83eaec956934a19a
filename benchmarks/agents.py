"""Speed of the agents: decisions and forward-model calls per second of CPU time, on one thread.

Every agent plays each game once around, so a row is what a user gets, growth and plans included. The last column
compares MCTS with the bare forward model: the share of its time that is not copying, drawing an action and advancing.

    python benchmarks/agents.py [GAMES...] [--seconds S] [--calls N] [--json]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from pcg.engine.game import builtin_games, load
from pcg.engine.kernel.protocol import advance_state, is_over, legal_actions
from pcg.engine.kernel.random import next_int
from pcg.engine.kernel.runtime import entry_point, invoke3, load64, store64
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import AGENTS, Playout, make_agent, play
from pcg.evaluators.agents.compiled import Record
from pcg.evaluators.agents.kernel.decision import DECISION, decision_at, imagine

DEPTH = 10


@entry_point("i8(i8, i8, i8)")
def bare_rollouts(decision: int, state: int, number: int) -> int:
    """Copy the state and play ten random actions, `number` times; returns the advances made."""
    d = decision_at(decision)
    calls = 0
    for _ in range(number):
        imagine(decision, d.work, state)
        for _ in range(DEPTH):
            count = legal_actions(d.model, d.work, 0, d.own)
            if count == 0 or is_over(d.model, d.work) != 0:
                break
            store64(d.joint, load64(d.own + 8 * next_int(decision, count)))
            advance_state(d.model, d.work, d.joint)
            calls += 1
    return calls


def bare_rate(state: Any, seconds: float) -> float:
    """Advances per second of nothing but rollouts from the state."""
    model = state.model
    decision = Record(DECISION, model=model.address, players=model.players, random=1)
    decision.point("own", np.zeros(model.max_actions + 1, dtype=np.int64))
    decision.point("joint", np.zeros(model.players, dtype=np.int64))
    decision.point_to_pool("work", model.pool(1))
    calls = invoke3(bare_rollouts.address, decision.address, state.address, 10)
    started = time.process_time()
    calls = 0
    while time.process_time() - started < seconds:
        calls += invoke3(bare_rollouts.address, decision.address, state.address, 200)
    return calls / (time.process_time() - started)


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


def overhead(game_name: str, calls: int, seconds: float) -> float:
    """Share of an MCTS decision's time at the start of a game that the bare forward model would not take."""
    state = load(game_name).start(0, seed=1)
    agent: Any = make_agent("mcts", seed=1, budget=calls)
    agent.reset(state)
    agent.act(state)
    before, started = agent.calls, time.process_time()
    while time.process_time() - started < seconds:
        agent.act(state)
    rate = (agent.calls - before) / (time.process_time() - started)
    return 1 - rate / bare_rate(state, seconds)


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
        print(f"{'game':<18}{'agent':<14}{'decisions/s':>14}{'calls/s':>14}{'wins':>10}{'overhead':>10}")
    for game in given.games or builtin_games():
        for agent in AGENTS:
            if agent == "solver" and load(game).players > 1:
                continue
            row = measure(game, agent, given.calls, given.seconds)
            if agent == "mcts":
                row["overhead"] = overhead(game, given.calls, given.seconds)
            rows.append(row)
            if not given.json:
                share = f"{row['overhead']:10.0%}" if "overhead" in row else ""
                wins = f"{row['wins']}/{row['plays']}"
                numbers = f"{row['decisions_per_s']:14,.0f}{row['calls_per_s']:14,.0f}{wins:>10}"
                print(f"{Path(game).stem:<18}{agent:<14}{numbers}{share}", flush=True)
    if given.json:
        print(json.dumps(rows, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
