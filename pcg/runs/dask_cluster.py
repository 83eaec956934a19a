"""Workers of a Dask cluster: on this machine, or wherever a scheduler has some.

A worker that dies is Dask's business first. A scheduler that goes away and comes back, started again with workers of
its own, finds the run waiting: everything that was under way is sent once more.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.runs.workers import DEATHS, ExecutorLost, Lost, Workers

CONNECT_SECONDS = 10.0
"""A scheduler that does not answer within this time counts as unreachable."""
LOST_SECONDS = 60.0
"""A scheduler that has been away, or without workers, for so long does not come back."""
AHEAD = 2
"""Batches for every worker that a run's window is cut into."""
_LOOK = 0.002
_COUNT_EVERY = 5.0
_PATIENCE = 0.05
"""Seconds to wait for a result before a batch goes that is not full."""
_RETRY = 0.5
_GONE = ("scheduler-connection-lost", "scheduler-restart")
"""Reasons that Dask gives for futures that nobody cancelled."""


def cluster_workers(where: str, local: int = 0) -> Workers:
    """Return the workers of a Dask cluster.

    Args:
        where: address of its scheduler, or what to call a cluster of this machine.
        local: processes to start on this machine, 0 for a scheduler elsewhere.

    Raises:
        PcgError: for a missing package, a scheduler out of reach, or one without workers.
    """
    try:
        dask = importlib.import_module("dask")
        distributed = importlib.import_module("distributed")
    except ImportError:
        raise PcgError(
            "evaluation on a cluster needs the package `distributed`: pip install 'pcg-toolkit[cluster]'"
        ) from None
    for name in ("", ".client", ".nanny", ".scheduler", ".core", ".comm"):
        # what matters of it is said by the errors here
        logging.getLogger(f"distributed{name}").setLevel(logging.CRITICAL)
    try:
        cluster = _local_cluster(dask, distributed, local) if local else None
    except (OSError, TimeoutError, ValueError, RuntimeError) as error:
        raise PcgError(f"cannot start a cluster of {local} processes: {error}") from None
    opened: list[_Dask] = []

    def connect() -> _Dask:
        deadline = time.monotonic() + (LOST_SECONDS if opened else 0.0)
        while True:
            try:
                opened.append(_Dask(_client(distributed, cluster or where, where, bool(local))))
                return opened[-1]
            except PcgError as error:
                if not opened:
                    raise
                if time.monotonic() > deadline:
                    raise Lost(f"the cluster was lost, and not found again in {LOST_SECONDS:.0f} s: {error}") from None
                time.sleep(_RETRY)

    try:
        crew = Workers(
            connect,
            count=1,
            fetch=_fetch,
            alive=_check,
            close=cluster.close if cluster is not None else lambda: None,
            deaths=DEATHS if local else 1,  # a scheduler elsewhere has tried by itself
        )
    except BaseException:
        if cluster is not None:
            cluster.close()
        raise
    crew.count = sum(opened[0].client.nthreads().values())
    return crew


def _local_cluster(dask: Any, distributed: Any, processes: int) -> Any:
    # a death is reported at once: which work is to blame is found out by `Workers`
    with _ctrl_c_not_inherited(), dask.config.set({"distributed.scheduler.allowed-failures": 0}):
        return distributed.LocalCluster(
            n_workers=processes,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        )


def _client(distributed: Any, target: Any, where: str, local: bool) -> Any:
    """Return a connection to a scheduler with at least one worker."""
    try:
        client = distributed.Client(target, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, TimeoutError, ValueError, RuntimeError) as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise PcgError(
            f"cannot reach the scheduler at {where} within {CONNECT_SECONDS:.0f} s: {lines[0]}; "
            "is `dask scheduler` running there?"
        ) from None
    try:
        client.wait_for_workers(1, timeout=10 * CONNECT_SECONDS if local else CONNECT_SECONDS)
    except (OSError, TimeoutError):
        _hang_up(client, CONNECT_SECONDS)
        raise PcgError(f"the scheduler at {where} has no workers: start some with `dask worker {where}`") from None
    return client


def _hang_up(client: Any, seconds: float) -> None:
    """Close a connection, however its other end is: a farewell that takes longer than `seconds` is broken off."""
    with contextlib.suppress(OSError):
        client.close(timeout=seconds)


class _Dask(Executor):
    """An executor that sends work in batches, whose futures are parts of Dask's own.

    Those of `Client.get_executor` never end when a worker dies with a result that was not fetched yet; Dask's own see
    that it is worked out again. A task costs the scheduler some milliseconds whatever is in it, so work that waits is
    put together: as much as leaves `AHEAD` batches for every worker.
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        self._threads, self._counted = 1, 0.0
        self._under_way: set[_Part] = set()
        self._next = _Batch()

    def submit(self, function: Any, /, *arguments: Any, **named: Any) -> Any:
        """Take some work, to be sent with the next batch."""
        part = _Part(self, self._next, len(self._next.work))
        self._next.work.append((function, arguments, named))
        self._under_way.add(part)
        if len(self._next.work) >= len(self._under_way) // (AHEAD * self._threads):
            self.send()
        return part

    def send(self) -> None:
        """Send what waits; `pure` would give equal batches one result, and then all of them its fate."""
        if self._next.work:
            self._next.future = self.client.submit(_do_all, self._next.work, pure=False)
            self._next = _Batch()
            if time.monotonic() - self._counted > _COUNT_EVERY:
                self._threads, self._counted = max(1, sum(self.client.nthreads().values())), time.monotonic()

    def forget(self, part: _Part) -> None:
        """Count a part as done, or as given up: then all of its batch is."""
        self._under_way.discard(part)
        if part.batch is self._next:
            self._next = _Batch()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Close the connection; the scheduler forgets work that nobody waits for."""
        _hang_up(self.client, CONNECT_SECONDS if wait else _RETRY)


class _Batch:
    """Work that is sent together."""

    def __init__(self) -> None:
        self.work: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = []
        self.future: Any = None
        self._found: list[tuple[bool, Any]] | None = None

    def results(self) -> list[tuple[bool, Any]]:
        """Return what came of each piece of a batch that is done; it is fetched once."""
        if self._found is None:
            self._found = self.future.result()
        return self._found


class _Part:
    """The future of one piece of work of a batch."""

    def __init__(self, executor: _Dask, batch: _Batch, place: int) -> None:
        self.executor = executor
        self.batch = batch
        self.place = place

    def done(self) -> bool:
        """Return True if the batch is done, lost or cancelled."""
        return self.batch.future is not None and bool(self.batch.future.done())

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Return the error of a batch that is done; raise `TimeoutError` of one that is not."""
        if not self.done():
            raise FutureTimeout
        error: BaseException | None = self.batch.future.exception(timeout=timeout)
        return error

    def cancel(self) -> bool:
        """Give up the batch, whose other parts begin anew as well."""
        self.executor.forget(self)
        if self.batch.future is not None:
            self.batch.future.cancel()
        return True

    def send(self) -> None:
        """See that the batch is under way."""
        if self.batch.future is None:
            self.executor.send()


def _do_all(work: list[tuple[Any, tuple[Any, ...], dict[str, Any]]]) -> list[tuple[bool, Any]]:
    """Return for each piece of work whether it went well, and its result or error."""
    found: list[tuple[bool, Any]] = []
    for function, arguments, named in work:
        try:
            found.append((True, function(*arguments, **named)))
        except Exception as error:
            found.append((False, error))
    return found


def _check(executor: Executor) -> None:
    """Raise `ExecutorLost` if there is no connection."""
    if isinstance(executor, _Dask) and executor.client.status != "running":
        raise ExecutorLost(f"the scheduler is out of reach ({executor.client.status})")


def _fetch(part: _Part, seconds: float) -> Any:
    """Return the result of some work, whose own time limit may leave Dask's future in pieces."""
    begun = time.monotonic()
    while not part.done():
        waited = time.monotonic() - begun
        if waited >= min(seconds, _PATIENCE):
            try:
                part.send()
            except OSError as error:
                raise ExecutorLost(f"the scheduler takes no work: {error}") from None
            if waited >= seconds:
                raise FutureTimeout
        time.sleep(_LOOK)
    part.executor.forget(part)
    try:
        good, found = part.batch.results()[part.place]
    except ImportError as error:
        raise Lost(f"a worker of the cluster cannot evaluate: {error}; install the same pcg-toolkit there") from None
    except CancelledError as error:
        if getattr(error, "reason", None) in _GONE:
            raise ExecutorLost("the scheduler was lost") from None
        raise
    except OSError as error:
        raise ExecutorLost(f"the scheduler was lost: {error}") from None
    if not good:
        raise found
    return found


@contextlib.contextmanager
def _ctrl_c_not_inherited() -> Iterator[None]:
    """Start processes that ignore Ctrl-C, which a terminal sends to all of them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
