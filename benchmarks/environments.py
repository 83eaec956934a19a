"""Speed of plays for learning agents: states from Python, single and vector environments, pictures.

Rates per second of CPU time on one core, the best of some tries; random actions are drawn by numpy within the time. A
program, not a test: it judges nothing, and prints the targets only to be compared with.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import pcg

OUT = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
COPIES = 1024
TILE = 16

TARGETS = {
    "boxes: state.advance": 400_000,
    "boxes: state.copy": 500_000,
    "dungeon: 1,024 copies, no observation": 1_200_000,
    "boxes: pictures": 20_000,
    "dungeon: pictures": 20_000,
}


def best_rate(operation: Callable[[], int], seconds: float, tries: int) -> float:
    """Things done per second of CPU time, the best of some tries; `operation` returns how many it has done."""
    operation()
    best = 0.0
    for _ in range(tries):
        done, used = 0, 0.0
        while used < seconds:
            start = time.process_time()
            done += operation()
            used += time.process_time() - start
        best = max(best, done / used)
    return best


def python_advance(name: str) -> Callable[[], int]:
    """`state.advance` with an action name, from the start again when the game ends."""
    game = pcg.load(name)
    state = game.start(level=0, seed=1)
    moves = ["LEFT", "UP", "RIGHT", "DOWN"] * 250

    def operation() -> int:
        nonlocal state
        if state.is_over:
            state = game.start(level=0, seed=1)
        advance = state.advance
        for move in moves:
            advance(move)
        return len(moves)

    return operation


def python_copy(name: str) -> Callable[[], int]:
    """`state.copy`."""
    state = pcg.load(name).start(level=0, seed=1)

    def operation() -> int:
        copy = state.copy
        for _ in range(1000):
            copy()
        return 1000

    return operation


def single_steps(name: str, observation: str) -> Callable[[], int]:
    """`Env.step`, observation, reward and info included."""
    env = pcg.env(name, observation=observation, tile=TILE)
    env.reset(seed=1)
    draw = np.random.default_rng(1)

    def operation() -> int:
        for action in draw.integers(len(env.actions), size=200):
            if env.step(action)[2]:
                env.reset()
        return 200

    return operation


def pictures(name: str) -> Callable[[], int]:
    """Picture observations of states of a random play, without advancing."""
    env = pcg.env(name, observation="rgb", tile=TILE)
    env.reset(seed=1)
    draw = np.random.default_rng(1)
    states = []
    for action in draw.integers(len(env.actions), size=200):
        if env.step(action)[2]:
            env.reset()
        states.append(env.state.copy())

    def operation() -> int:
        observe = env.observer.observe
        for state in states:
            observe(state)
        return len(states)

    return operation


def vector_steps(name: str, observation: str) -> Callable[[], int]:
    """`VectorEnv.step` with random actions, autoreset included."""
    envs = pcg.vector_env(name, COPIES, observation=observation, tile=TILE)
    envs.reset(seed=1)
    draw = np.random.default_rng(1)

    def operation() -> int:
        for _ in range(20):
            envs.step(draw.integers(len(envs.actions), size=COPIES))
        return 20 * COPIES

    return operation


def programme() -> Iterator[tuple[str, Callable[[], Callable[[], int]]]]:
    """Operations that are measured: label, and what makes the operation."""
    yield "boxes: state.advance", lambda: python_advance("boxes")
    yield "boxes: state.copy", lambda: python_copy("boxes")
    for observation in ("none", "planes", "entities", "rgb", "json"):
        yield f"dungeon: Env.step, {observation}", lambda o=observation: single_steps("dungeon", o)  # type: ignore[misc]
    for name in ("boxes", "dungeon"):
        yield f"{name}: pictures", lambda n=name: pictures(n)  # type: ignore[misc]
    yield "dungeon: 1,024 copies, no observation", lambda: vector_steps("dungeon", "none")
    yield "dungeon: 1,024 copies, planes", lambda: vector_steps("dungeon", "planes")
    yield "dungeon: 1,024 copies, entities", lambda: vector_steps("dungeon", "entities")
    yield "dungeon: 1,024 copies, pictures", lambda: vector_steps("dungeon", "rgb")


def main() -> int:
    """Measure and print; with --json also write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=0.3, help="CPU time of a try")
    parser.add_argument("--tries", type=int, default=5)
    parser.add_argument("--json", type=Path, dest="json_file", help="write all numbers to a file")
    options = parser.parse_args()

    rates = {}
    table = Table("what", "per second", "promised", title="environments, one core")
    for label, make in programme():
        rates[label] = best_rate(make(), options.seconds, options.tries)
        target = TARGETS.get(label)
        table.add_row(label, f"{rates[label]:,.0f}", f">= {target:,}" if target else "")
    for column in table.columns[1:]:
        column.justify = "right"
    OUT.print(table)
    OUT.print(f"load of the machine over the last minute: {os.getloadavg()[0]:.1f} of {os.cpu_count()} cores")
    if options.json_file is not None:
        options.json_file.write_text(json.dumps(rates, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
