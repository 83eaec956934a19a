"""Limits of a cluster's coordinator: a real scheduler and run with simulated workers, up to a thousand.

    python benchmarks/cluster_scale.py [--workers N ...] [--seconds S ...] [--shares N ...] [--batches N]

Dask's scheduler is a process of its own, and the run submits and takes results as `pcg levels` does. Its workers are
Dask's as well, some hundreds to a process, with one thread each; an evaluation sleeps for its seconds and returns as
much as that of a level does, so a thousand of them fit one machine. What is measured is the work of those who
coordinate: processor time of the scheduler and of the run, messages and bytes on the streams between all three, per
evaluation; the rate, and its share of what the workers could do if nothing else took time. Workers, scheduler and run
share this machine's processors here, so a rate is a lower bound, and `limit` what the scheduler or the run, whichever
is busier, could hand out with a processor of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import deque
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import dask
import distributed
import psutil
from distributed.batched import BatchedSend
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from pcg.runs import dask_cluster
from pcg.runs.executors import open_workers
from pcg.runs.workers import Workers

PORT = 8798
PLACE = f"tcp://127.0.0.1:{PORT}"
IN_ONE_PROCESS = 250
"""Simulated workers of one process."""
LEVEL, RESULT = 500, 700
"""Characters of a level, and of what comes back; those of *dungeon*."""
QUIET = {
    "distributed.admin.system-monitor.interval": "60s",
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "60s",
    "distributed.comm.timeouts.connect": "120s",
}
"""Watching of a worker's own process, which here would be done some hundred times in each."""


def evaluate(level: str, seconds: float) -> str:
    """Take as long as an evaluation without using a processor, and return as much."""
    time.sleep(seconds)
    return (level * (RESULT // LEVEL + 1))[:RESULT]


async def be_workers(number: int) -> None:
    """Be this many workers until standard input ends; then print what they sent."""
    with dask.config.set(QUIET):
        workers = []
        for _ in range(0, number, 50):
            workers += await asyncio.gather(
                *(
                    distributed.Worker(
                        PLACE, nthreads=1, memory_limit=0, dashboard=False, silence_logs=logging.CRITICAL
                    )
                    for _ in range(min(50, number - len(workers)))
                )
            )
        print("ready", flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        print(json.dumps(_sent(worker.batched_stream for worker in workers)), flush=True)


def _sent(streams: Any) -> tuple[int, int]:
    """Return messages and bytes that were sent on some streams."""
    counted = [(stream.message_count, stream.byte_count) for stream in streams if isinstance(stream, BatchedSend)]
    return sum(messages for messages, _ in counted), sum(size for _, size in counted)


def _scheduler_sent(dask_scheduler: Any) -> tuple[int, int]:
    return _sent([*dask_scheduler.stream_comms.values(), *dask_scheduler.client_comms.values()])


def _levels(number: int) -> list[str]:
    """Return levels that are all different."""
    chance = random.Random(1)
    return ["".join(chance.choices("w.+gA\n", k=LEVEL)) for _ in range(number)]


def _run(workers: Workers, levels: list[str], seconds: float, window: int) -> float:
    """Evaluate levels, results in their order, and return the seconds that it took."""
    begun = time.monotonic()
    under_way: deque[Any] = deque()
    for level in levels:
        if len(under_way) >= window:
            workers.result(under_way.popleft())
        under_way.append(workers.submit("level", evaluate, level, seconds))
    while under_way:
        workers.result(under_way.popleft())
    return time.monotonic() - begun


def measure(number: int, seconds: float, batches: int, share: int, table: Table) -> None:
    """Add a row: so many workers, evaluations of so many seconds, `share` of them to a batch."""
    with ExitStack() as stack:
        spare = stack.enter_context(tempfile.TemporaryDirectory())
        scheduler = subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", str(PORT), "--no-dashboard"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=spare,
        )  # fmt: skip
        stack.callback(scheduler.wait)
        stack.callback(scheduler.kill)
        processes = []
        for begun in range(0, number, IN_ONE_PROCESS):
            some = min(IN_ONE_PROCESS, number - begun)
            process = subprocess.Popen(
                [sys.executable, str(Path(__file__).resolve()), "--be-workers", str(some)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=spare,
            )  # fmt: skip
            stack.callback(process.wait)
            stack.callback(process.kill)
            processes.append(process)
        for process in processes:
            assert process.stdout is not None
            if process.stdout.readline().strip() != "ready":
                raise SystemExit("the simulated workers did not come up")
        workers = open_workers(PLACE)
        stack.callback(workers.close)
        first: Any = workers.submit("level", evaluate, "", 0.0)
        workers.result(first)
        client = first.executor.client
        window = dask_cluster.AHEAD * share * number
        levels = _levels(batches * share * number)
        _run(workers, levels[:number], 0.0, window)  # the functions are known everywhere
        busy = psutil.Process(scheduler.pid)
        before = (sum(busy.cpu_times()[:2]), _own_time(), client.run_on_scheduler(_scheduler_sent))
        wall = _run(workers, levels, seconds, window)
        after = (sum(busy.cpu_times()[:2]), _own_time(), client.run_on_scheduler(_scheduler_sent))
        memory = busy.memory_info().rss / 2**20
        of_workers = []
        for process in processes:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.close()
            of_workers.append(json.loads(process.stdout.readline()))
        mine = _sent([client.scheduler_comm])
        done = len(levels)
        all_done = done + number
        messages = (after[2][0] - before[2][0]) / done + (mine[0] + sum(m for m, _ in of_workers)) / all_done
        size = (after[2][1] - before[2][1]) / done + (mine[1] + sum(b for _, b in of_workers)) / all_done
        coordinator, own = (1e5 * (after[i] - before[i]) / done for i in (0, 1))
        table.add_row(
            f"{number:,}", f"{seconds:g}", f"{share}", f"{done:,}", f"{done / wall:,.0f}",
            f"{100 * done / wall * seconds / number:.0f} %", f"{coordinator:.1f}", f"{own:.1f}",
            f"{messages:.2f}", f"{size:,.0f}", f"{1e5 / max(coordinator, own):,.0f}", f"{memory:.0f}",
        )  # fmt: skip


def _own_time() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--seconds", type=float, nargs="+", default=[0.3, 1.0], help="of an evaluation")
    parser.add_argument("--shares", type=int, nargs="+", default=[1, 8], help="evaluations of a batch")
    parser.add_argument("--batches", type=int, default=5, help="batches for every worker")
    parser.add_argument("--be-workers", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.be_workers:
        asyncio.run(be_workers(arguments.be_workers))
        return
    table = Table(
        "workers", "seconds", "batch", "evaluations", "a second", "of the workers", "scheduler, s per 10^5",
        "run, s per 10^5", "messages each", "bytes each", "limit a second", "scheduler, MiB",
    )  # fmt: skip
    settings = [(n, s, b) for n in arguments.workers for s in arguments.seconds for b in arguments.shares]
    with Progress(transient=True) as progress:
        for number, seconds, share in progress.track(settings, description="clusters"):
            measure(number, seconds, arguments.batches, share, table)
    Console(width=170).print(table)


if __name__ == "__main__":
    main()
