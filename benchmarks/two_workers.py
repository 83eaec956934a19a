"""Whole runs with one worker on one processor and with two on two, and batches of plays with one thread and two.

Every run is a command of its own. The first may use one processor alone, for with one worker, too, a run drafts while
it evaluates. Two free cores are needed, not two threads of one.

    python benchmarks/two_workers.py [--only NAME ...] [--scale F]
    python benchmarks/two_workers.py --only batches

A program, not a test: it judges nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import pcg

OUT = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
BATCHES = "batches"
WINDOW = 0.3
"""Seconds."""
INVADERS = ("--params", "sprite.alien.speed=0.2..1.0:0.1", "--params", "sprite.raider.prob=0.01..0.3:0.01")
PLAYED = ("--games", "dungeon,boxes,invaders,hunt,digger", "--levels", "0-2", "--agents", "mcts,olets,random")
RUNS: dict[str, tuple[tuple[str, ...], int]] = {
    "levels dungeon": (("levels", "dungeon"), 800),
    "levels boxes": (("levels", "boxes"), 400),
    "levels digger": (("levels", "digger"), 600),
    "levels crossing": (("levels", "crossing"), 800),
    "rules dungeon": (("rules", "dungeon"), 250),
    "games evolve hunt": (("games", "evolve", "hunt"), 150),
    "tune invaders": (("tune", "invaders", *INVADERS, "--target", "win_rate:mcts=0.5", "--levels", "0-1"), 300),
    "tournament": (("tournament", *PLAYED, "--budget", "500calls", "--max-ticks", "400"), 12),
}
"""Command and number of evaluations, in a tournament of plays of each level."""


def measured(command: tuple[str, ...], number: int, workers: int, folder: Path) -> tuple[float, float, float, str]:
    """Run a command; returns seconds, processor seconds, MB of its largest process, and a digest of its log."""
    counted = ("--repeats", str(number)) if command[0] == "tournament" else ("--budget", f"{number}evaluations")
    line = [sys.executable, "-m", "pcg", *command, *counted, "--seed", "3", "--workers", str(workers)]
    cores = sorted(os.sched_getaffinity(0))[:workers]
    begun = time.perf_counter()
    process = subprocess.Popen(
        [*line, "--quiet", "--out", str(folder)],
        stdout=subprocess.DEVNULL,
        preexec_fn=lambda: os.sched_setaffinity(0, cores),
    )
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begun
    if status:
        raise SystemExit(f"{' '.join(line)} ended with {os.waitstatus_to_exitcode(status)}")
    log = next(path for name in ("events.jsonl", "results.jsonl") if (path := folder / name).exists())
    lines = sorted(log.read_bytes().splitlines())  # plays of a tournament come in any order
    return (
        seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, hashlib.sha256(b"\n".join(lines)).hexdigest()
    )  # fmt: skip


def steps_a_second(copies: int, observation: str, workers: int) -> float:
    """Return the steps per second of a batch of plays of the dungeon, the best of five windows."""
    envs = pcg.vector_env("dungeon", copies, observation=observation, workers=workers)
    envs.reset(seed=1)
    actions = np.random.default_rng(1).integers(len(envs.actions), size=(64, copies))
    best, step = 0.0, 0
    for _ in range(5):
        begun, first = time.perf_counter(), step
        while step == first or time.perf_counter() - begun < WINDOW:
            envs.step(actions[step % 64])
            step += 1
        best = max(best, (step - first) * copies / (time.perf_counter() - begun))
    envs.close()
    return best


def batches() -> Table:
    """Return the table of batches with one thread and with two."""
    table = Table("copies", "observation", "one thread, steps/s", "two", "times")
    for copies in (1024, 4096, 16384):
        for observation in ("none", "planes", "entities"):
            one, two = (max(steps_a_second(copies, observation, workers) for _ in range(3)) for workers in (1, 2))
            table.add_row(str(copies), observation, f"{one:,.0f}", f"{two:,.0f}", f"{two / one:.2f}")
    return table


def main() -> None:
    """Run what was asked for and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=[*RUNS, BATCHES], default=[*RUNS, BATCHES], help="only these")
    parser.add_argument("--scale", type=float, default=1.0, help="factor of the numbers of evaluations")
    chosen = parser.parse_args()
    if len(os.sched_getaffinity(0)) < 2:
        raise SystemExit("two processors are needed, there is one")
    table = Table(
        "run", "evaluations", "one worker, s", "two, s", "times", "processor s", "largest process, MB", "same"
    )
    for name in (name for name in chosen.only if name != BATCHES):
        command, number = RUNS[name]
        number = max(1, round(number * chosen.scale))
        with tempfile.TemporaryDirectory() as folder:
            one = measured(command, number, 1, Path(folder) / "one")
            two = measured(command, number, 2, Path(folder) / "two")
        table.add_row(
            name, str(number), f"{one[0]:.1f}", f"{two[0]:.1f}", f"{one[0] / two[0]:.2f}",
            f"{one[1]:.0f}, {two[1]:.0f}", f"{one[2]:.0f}, {two[2]:.0f}", "yes" if one[3] == two[3] else "no",
        )  # fmt: skip
    if table.row_count:
        OUT.print(table)
    if BATCHES in chosen.only:
        OUT.print(batches())


if __name__ == "__main__":
    main()
