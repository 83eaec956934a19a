"""A run on a Dask cluster whose workers die and whose scheduler is started again, held against the run on this machine.

    python benchmarks/cluster_drill.py [--evaluations N] [--every SECONDS] [--game GAME] [--generator NAME]

Four worker processes; one is killed (SIGKILL) every ten seconds and another comes a little later. In the middle of the
run the scheduler is killed, with which its workers end, and both are started again. Then the files of the two runs are
compared byte by byte. Exits with 1 if any differs.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from rich.console import Console
from rich.table import Table

WORKERS = 4
PORT = 8797
PLACE = f"tcp://127.0.0.1:{PORT}"
FILES = ("events.jsonl", "levels/index.json", "summary.json")
"""Files of a run that depend on nothing but its settings."""


class Cluster:
    """A scheduler and its workers, each a process, and what has happened to them."""

    def __init__(self) -> None:
        self.workers: list[subprocess.Popen[bytes]] = []
        self.kills = 0
        self.restarts = -1
        self.start()

    def start(self) -> None:
        """Start a scheduler, and as many workers as there should be."""
        self.scheduler = _dask("scheduler", "--port", str(PORT))
        self.restarts += 1
        self.add_workers()

    def add_workers(self) -> None:
        """Start the workers that are missing."""
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        while len(self.workers) < WORKERS:
            self.workers.append(_dask("worker", PLACE, "--nthreads", "1", "--no-nanny"))

    def kill_worker(self) -> None:
        """Kill the worker that has lived longest."""
        self.workers.pop(0).kill()
        self.kills += 1

    def stop(self) -> None:
        """Kill everything."""
        for process in (self.scheduler, *self.workers):
            process.kill()
            process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--evaluations", type=int, default=3000)
    parser.add_argument("--every", type=float, default=10.0, help="seconds between two kills")
    parser.add_argument("--game", default="dungeon")
    parser.add_argument("--generator", default="evolve")
    arguments = parser.parse_args()
    command = [str(Path(sys.executable).with_name("pcg")), "levels", arguments.game]
    command += ["--generator", arguments.generator, "-n", "5", "--seed", "1", "--quiet"]
    command += ["--evaluations", str(arguments.evaluations)]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        before = time.monotonic()
        subprocess.run([*command, "--out", str(folder / "local"), "--workers", "2"], check=True)
        local = time.monotonic() - before
        cluster = Cluster()
        stack.callback(cluster.stop)
        time.sleep(5)
        before = time.monotonic()
        run = subprocess.Popen([*command, "--out", str(folder / "cluster"), "--cluster", PLACE])
        stack.callback(run.kill)
        _disturb(run, cluster, folder / "cluster" / "events.jsonl", arguments.evaluations, arguments.every)
        seconds = time.monotonic() - before
        differ = [name for name in FILES if not _same(folder / "local" / name, folder / "cluster" / name)]
    table = Table("", "seconds", "workers killed", "scheduler restarts", "exit code", "files that differ")
    table.add_row("this machine, two threads", f"{local:.0f}", "", "", "0", "")
    table.add_row(
        f"cluster of {WORKERS}", f"{seconds:.0f}", str(cluster.kills), str(cluster.restarts), str(run.returncode),
        ", ".join(differ) or f"none of {len(FILES)}",
    )  # fmt: skip
    Console().print(table)
    raise SystemExit(1 if differ or run.returncode else 0)


def _disturb(run: subprocess.Popen[bytes], cluster: Cluster, log: Path, evaluations: int, every: float) -> None:
    """Kill workers until the run ends, and the scheduler once, when half of it is done."""
    due = time.monotonic() + every
    while run.poll() is None:
        time.sleep(0.2)
        if cluster.restarts == 0 and log.exists() and _lines(log) >= evaluations // 2:
            cluster.scheduler.kill()
            cluster.scheduler.wait()
            time.sleep(3)
            cluster.start()
        elif time.monotonic() >= due:
            cluster.kill_worker()
            time.sleep(2)
            cluster.add_workers()
            due = time.monotonic() + every


def _lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in file)


def _same(one: Path, other: Path) -> bool:
    return one.is_file() and other.is_file() and one.read_bytes() == other.read_bytes()


def _dask(what: str, *arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *arguments, "--no-dashboard"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
