"""Whole runs with one worker on one processor, and with two on two: candidates per minute, memory, equal bytes.

Every run is a command of its own. The first may use one processor alone, for with one worker, too, a run drafts while
it evaluates. Two free cores are needed, not two threads of one.

    python benchmarks/two_workers.py [--only NAME ...] [--scale F]

A program, not a test: it judges nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

OUT = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
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


def main() -> None:
    """Run what was asked for and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=list(RUNS), default=list(RUNS), help="only these")
    parser.add_argument("--scale", type=float, default=1.0, help="factor of the numbers of evaluations")
    parser.add_argument("--json", action="store_true", help="print JSON instead")
    chosen = parser.parse_args()
    if len(os.sched_getaffinity(0)) < 2:
        raise SystemExit("two processors are needed, there is one")
    table = Table(
        "run", "evaluations", "one worker, s", "two, s", "times", "processor s", "largest process, MB", "same"
    )
    rows = []
    for name in chosen.only:
        command, number = RUNS[name]
        number = max(1, round(number * chosen.scale))
        with tempfile.TemporaryDirectory() as folder:
            one = measured(command, number, 1, Path(folder) / "one")
            two = measured(command, number, 2, Path(folder) / "two")
        rows.append({"run": name, "evaluations": number, "one": one[:3], "two": two[:3], "same": one[3] == two[3]})
        table.add_row(
            name, str(number), f"{one[0]:.1f}", f"{two[0]:.1f}", f"{one[0] / two[0]:.2f}",
            f"{one[1]:.0f}, {two[1]:.0f}", f"{one[2]:.0f}, {two[2]:.0f}", "yes" if one[3] == two[3] else "no",
        )  # fmt: skip
    if chosen.json:
        print(json.dumps(rows, indent=1))
    else:
        OUT.print(table)


if __name__ == "__main__":
    main()
