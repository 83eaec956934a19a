"""Whole runs with one worker on one processor and with two on two, and batches of plays with one thread and two.

Every run is a command of its own. The first may use one processor alone, for with one worker, too, a run drafts while
it evaluates. *Apart* is what two cores could give at most on this machine: the same run with one worker, once on each
core at the same time, two results for the time of the slower one. Two free cores are needed, not two threads of one.

    python benchmarks/two_workers.py [--only NAME ...] [--scale F] [--repeat N]
    python benchmarks/two_workers.py --only batches

A program, not a test: it judges nothing.
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

import pcg

OUT = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
BATCHES = "batches"
PR_SET_CHILD_SUBREAPER = 36
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


class Used(NamedTuple):
    """Time and memory that a command used, and its log."""

    seconds: float
    processor: float
    """Seconds of processor time."""
    memory: float
    """MB of its largest process."""
    log: str
    """Digest of its log."""


def begin(command: tuple[str, ...], number: int, cores: Sequence[int], folder: Path) -> subprocess.Popen[bytes]:
    """Begin a command with one worker for each core, which may use these alone."""
    counted = ("--repeats", str(number)) if command[0] == "tournament" else ("--budget", f"{number}evaluations")
    line = [sys.executable, "-m", "pcg", *command, *counted, "--seed", "3", "--workers", str(len(cores))]
    return subprocess.Popen(
        [*line, "--quiet", "--out", str(folder)],
        stdout=subprocess.DEVNULL,
        preexec_fn=lambda: os.sched_setaffinity(0, cores),
    )


def end(process: subprocess.Popen[bytes], begun: float, cores: Sequence[int], folder: Path) -> Used:
    """Wait for a command; returns what it used."""
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begun
    every = [used]
    with suppress(
        ChildProcessError
    ):  # the process of which its workers were copies is ours now, as this is a subreaper
        while len(cores) > 1:
            every.append(os.wait4(-1, 0)[2])
    if status:
        raise SystemExit(f"{process.args!r} ended with {os.waitstatus_to_exitcode(status)}")
    log = next(path for name in ("events.jsonl", "results.jsonl") if (path := folder / name).exists())
    lines = sorted(log.read_bytes().splitlines())  # plays of a tournament come in any order
    digest = hashlib.sha256(b"\n".join(lines)).hexdigest()
    processor = sum(used.ru_utime + used.ru_stime for used in every)
    return Used(seconds, processor, max(used.ru_maxrss for used in every) / 1024, digest)


def measured(command: tuple[str, ...], number: int, groups: Sequence[Sequence[int]]) -> list[Used]:
    """Run a command once for each group of cores, all at the same time; returns what each used."""
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        places = [Path(folder) / str(number) for number in range(len(groups))]
        processes = [begin(command, number, cores, place) for cores, place in zip(groups, places, strict=True)]
        return [
            end(process, begun, cores, place) for process, cores, place in zip(processes, groups, places, strict=True)
        ]


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
    parser.add_argument("--repeat", type=int, default=1, help="times that each is measured; medians are shown")
    chosen = parser.parse_args()
    if len(os.sched_getaffinity(0)) < 2:
        raise SystemExit("two processors are needed, there is one")
    table = Table(
        "run", "evaluations", "one worker, s", "two, s", "times", "apart", "processor s", "largest process, MB", "same"
    )
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    first, second = sorted(os.sched_getaffinity(0))[:2]
    for name in (name for name in chosen.only if name != BATCHES):
        command, number = RUNS[name]
        number = max(1, round(number * chosen.scale))
        ones, apart, twos = [], [], []
        for _ in range(chosen.repeat):
            ones += measured(command, number, [[first]])
            apart.append(measured(command, number, [[first], [second]]))
            twos += measured(command, number, [[first, second]])
        one, two = (statistics.median(used.seconds for used in found) for found in (ones, twos))
        slower = statistics.median(max(used.seconds for used in pair) for pair in apart)
        table.add_row(
            name, str(number), f"{one:.1f}", f"{two:.1f}", f"{one / two:.2f}", f"{2 * one / slower:.2f}",
            ", ".join(f"{statistics.median(used.processor for used in found):.0f}" for found in (ones, twos)),
            ", ".join(f"{max(used.memory for used in found):.0f}" for found in (ones, twos)),
            "yes" if len({used.log for used in itertools.chain(ones, twos, *apart)}) == 1 else "no",
        )  # fmt: skip
    if table.row_count:
        OUT.print(table)
    if BATCHES in chosen.only:
        OUT.print(batches())


if __name__ == "__main__":
    main()
