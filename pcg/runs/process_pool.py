"""Pool of worker processes that always notices the death of a worker and can always be shut down.

A worker that dies breaks `ProcessPoolExecutor`, whose thread then fails all futures and ends the other workers. Three
things escape it in the Pythons that we support: a worker that is being started in that very moment is not ended, and
waits for ever for a lock that the dead one held; work handed in while the futures are gone through stops the thread
itself, so that nobody fails the rest; and a submission that begins a worker while the thread closes the queues fails
with whatever comes of a file that is closed under it. This pool begins its workers together, knows them, can do without
that thread, and says of every submission that fails that the pool is broken.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.context import SpawnContext
from typing import Any

from pcg.evaluators.processes import WorkerProcess, begin_worker

GRACE = 5.0
"""Seconds after the death of a worker by which Python's own thread has failed all futures, if it ever does."""
_LOOK = 0.05


class _Recording(SpawnContext):
    """Begins processes and remembers them.

    They are spawned and not forked: a fork would take over locks of the compiler in whatever state they are.
    """

    def __init__(self) -> None:
        super().__init__()
        self.begun: list[WorkerProcess] = []

    def Process(self, *args: Any, **kwargs: Any) -> WorkerProcess:  # type: ignore[override]
        process = WorkerProcess(*args, **kwargs)
        self.begun.append(process)
        return process


class ProcessPool(ProcessPoolExecutor):
    """`ProcessPoolExecutor` whose workers can be ended, and which notices that it is stuck.

    Args:
        count: workers; they are started when there is work for one of them.

    Example:
        >>> with ProcessPool(2) as pool:
        ...     pool.submit(abs, -3).result()
        3
    """

    def __init__(self, count: int) -> None:
        self._context = _Recording()
        self._dead_since: float | None = None
        super().__init__(count, mp_context=self._context, initializer=begin_worker)
        # all begin with the first work, as where workers are forked: one that begins later may do so while Python's
        # thread ends the others for the death of one, and its own list of them changes under it
        self._safe_to_dynamically_spawn_children = False

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submit work as `ProcessPoolExecutor` does; every error of starting a worker becomes `BrokenProcessPool`."""
        try:
            return super().submit(fn, *args, **kwargs)
        except RuntimeError:
            raise  # closed, or known to be broken
        except Exception as error:
            # arguments are pickled later, in a thread: what fails here is the start of a worker. Seen: ValueError for
            # a queue's file that was closed after it was listed, so that a new pipe got its number and came twice
            raise BrokenProcessPool(f"no worker could be started: {error}") from error

    def is_stuck(self) -> bool:
        """Return True if a worker died `GRACE` seconds ago; a future that is still open will stay so."""
        if self._dead_since is None:
            if not self._any_died():
                return False
            self._dead_since = time.monotonic()
        return time.monotonic() - self._dead_since >= GRACE

    def kill_workers(self) -> None:
        """End all workers at once, whatever they do; work under way is lost."""
        for process in self._context.begun:
            if process.pid is not None:
                process.kill()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Shut down as `ProcessPoolExecutor` does, also when a worker dies meanwhile."""
        thread: threading.Thread | None = getattr(self, "_executor_manager_thread", None)
        super().shutdown(wait=False, cancel_futures=cancel_futures)
        while wait and any(p.pid is not None and p.exitcode is None for p in self._context.begun):
            if self._any_died():
                self.kill_workers()
            time.sleep(_LOOK)
        if wait and thread is not None:
            # it closes the pipes last: while it does, the end of the interpreter may fail with a bad file descriptor
            # and leave threads and processes unjoined
            thread.join(GRACE)

    def _any_died(self) -> bool:
        # a worker that was told to go ends with 0; `exitcode` is None while it runs
        return any(process.pid is not None and process.exitcode for process in self._context.begun)
