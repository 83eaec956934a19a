"""Executors by name: threads and processes of this machine, and Dask clusters."""

from __future__ import annotations

import re
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial

from pcg.engine.model import RESERVE
from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean
from pcg.evaluators.processes import processors
from pcg.runs.dask_cluster import cluster_workers
from pcg.runs.process_pool import ProcessPool
from pcg.runs.workers import Workers

EXECUTORS = ("threads", "processes")
"""Names of executors on this machine."""
_ADDRESS = re.compile(r"(?:tcp|tls|ws|wss|ucx)://[^\s/:]+:\d{1,5}/?|(?:tcp|tls)://\[[0-9a-fA-F:]+\]:\d{1,5}/?")


def open_workers(where: str | Executor | None, count: int | None = None) -> Workers:
    """Return workers by name.

    Args:
        where: "threads" (also None), "processes", "local:N" (a Dask cluster of N processes on this machine),
            "tcp://host:port" (the scheduler of a Dask cluster), or an executor of your own.
        count: workers, by default one per processor; a cluster has its own number.

    Raises:
        PcgError: for an unknown name, a missing package, or a scheduler out of reach.
    """
    if count is not None and count < 1:
        raise PcgError(f"workers is {count}, expected at least 1")
    number = count or processors()
    if where is None or where == "threads":
        memory = ExitStack()
        memory.enter_context(RESERVE.open())  # one evaluation uses what another had: new memory costs up to a third
        threads = partial(ThreadPoolExecutor, number, thread_name_prefix="pcg-evaluate")
        return Workers(threads, count=number, close=memory.close)
    if isinstance(where, Executor):
        executor = where
        return Workers(lambda: executor, count=number, again=False)
    if where == "processes":
        return Workers(lambda: ProcessPool(number), count=number)
    local = re.fullmatch(r"local:(\d+)", where)
    if local or _ADDRESS.fullmatch(where):
        if local and not 1 <= int(local[1]) <= 1024:
            raise PcgError(f"cluster `{where}`: expected local:N with 1 to 1024 workers")
        if count is not None:
            raise PcgError(f"a cluster has its own number of workers: leave out workers={count} with `{where}`")
        return cluster_workers(where, int(local[1]) if local else 0)
    if "://" in where or where.startswith("local"):
        raise PcgError(f"cluster `{where}`: expected tcp://HOST:PORT, as in tcp://host:8786, or local:N, as in local:4")
    hint = did_you_mean(where, EXECUTORS, f" (there are: {', '.join(EXECUTORS)}, local:N, tcp://HOST:PORT)")
    raise PcgError(f"unknown executor `{where}`{hint}")
