"""Workers for evaluations: threads, processes, or a Dask cluster, with one interface that survives lost workers.

`Workers` wraps any `concurrent.futures.Executor`. When a worker dies, what was under way is done again, one evaluation
at a time, until it is clear which one kills workers; that one is an error and the others never notice. The order of
results is the caller's business, so nothing here can change what comes out of a run.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
)
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any

from pcg.engine.registry import loaded_plugins
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.own_parts import load_part
from pcg.runs.process_pool import ProcessPool

DEATHS = 3
"""Work whose worker has died so often while nothing else was running is given up."""
_LOOK = 0.5


class Lost(PcgError):
    """Evaluations cannot go on: their workers are gone for good."""


class ExecutorLost(BrokenExecutor):
    """The executor has gone, through no fault of the work that it was given."""


class Ticket:
    """One piece of work: what is to be done, and where its result will be."""

    def __init__(self, label: str, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self.label = label
        self.function = function
        self.arguments = arguments
        self.future: Future[Any] | None = None
        self.executor: Executor | None = None
        self.deaths = 0
        self.alone = False

    def __repr__(self) -> str:
        return f"<{self.label}>"


class Workers:
    """Executor that runs functions elsewhere, and again where a worker was lost.

    Plugins that this process has loaded are loaded there first, so that what they register is known.

    Args:
        make: opens the executor, again after it broke. Its futures fail with `BrokenExecutor`, or Dask's
            `KilledWorker`, when a worker died.
        count: workers at first.
        again: whether a broken executor may be opened again.
        fetch: the result of one of its futures within some seconds.
        alive: raises `ExecutorLost` when an executor is out of reach; asked now and then.
        close: called at the end, after the executor was shut down.
        deaths: work whose worker has died so often while nothing else was running is given up.
    """

    def __init__(
        self,
        make: Callable[[], Executor],
        *,
        count: int,
        again: bool = True,
        fetch: Callable[[Any, float], Any] = lambda future, seconds: future.result(timeout=seconds),
        alive: Callable[[Executor], None] = lambda executor: None,
        close: Callable[[], None] = lambda: None,
        deaths: int = DEATHS,
    ) -> None:
        self._make = make
        self._executor = make()
        self._again = again
        self._fetch = fetch
        self._alive = alive
        self._close = close
        self._deaths = deaths
        self.count = count
        self.open: list[Ticket] = []
        """Work whose result has not been fetched, in order."""
        self._dropped = False
        self.lost = 0
        """Number of times that a worker process died while it worked."""

    def submit(self, label: str, function: Callable[..., Any], *arguments: Any) -> Ticket:
        """Begin some work; `label` names it should it kill its workers."""
        ticket = Ticket(label, function, arguments)
        self.open.append(ticket)
        if not any(t.alone for t in self.open):
            self._start(ticket)
        return ticket

    def result(self, ticket: Ticket, timeout: float | None = None) -> Any:
        """Return the result of some work.

        Raises:
            TimeoutError: `concurrent.futures`' own, when there is none within `timeout` seconds.
            PcgError: the work kills its workers, or there are no workers any more (`Lost`).
            Exception: whatever the work raised.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            self._keep_going(ticket)
            assert ticket.future is not None
            left = _LOOK if deadline is None else min(_LOOK, max(0.0, deadline - time.monotonic()))
            try:
                answer = self._fetch(ticket.future, left)
            except FutureTimeout:
                if ticket.future.done():
                    continue  # it came in this very moment, or it is the work's own error
                if isinstance(ticket.executor, ProcessPool) and ticket.executor.is_stuck():
                    self._survive(ticket, BrokenExecutor("a worker died and its pool did not notice"))
                    continue
                if deadline is not None and time.monotonic() >= deadline:
                    raise
                try:
                    self._alive(self._executor)
                except ExecutorLost as error:
                    self._survive(ticket, error)
            except CancelledError:
                if ticket.executor is not self._executor:
                    # waited in a pool that we left, as it broke under another submission
                    self._survive(ticket, BrokenExecutor("a worker died"))
                    continue
                raise Lost(f"{ticket.label} was taken off the executor by somebody else") from None
            except Exception as error:
                if not _is_death(error):
                    raise
                self._survive(ticket, error)
            else:
                self.open.remove(ticket)
                return answer

    @property
    def can_drop(self) -> bool:
        """Return True where work that has begun can be ended: in processes of this machine."""
        return isinstance(self._executor, ProcessPool)

    def drop(self, ticket: Ticket) -> None:
        """Give up some work; what has begun of it ends with the workers, if not before."""
        self.open.remove(ticket)
        self._dropped |= not (ticket.future is None or ticket.future.cancel() or ticket.future.done())

    def close(self) -> None:
        """Drop what has not begun, wait for what has and was not dropped, and let the workers go."""
        for ticket in self.open:
            if ticket.future is not None:
                ticket.future.cancel()
        self.open.clear()
        if self._dropped and isinstance(self._executor, ProcessPool):
            self._executor.kill_workers()
        if self._again:
            self._executor.shutdown(wait=True, cancel_futures=True)
        self._close()

    def _start(self, ticket: Ticket) -> None:
        for attempt in (1, 2):
            try:
                plugins = loaded_plugins()
                if plugins:
                    work = (with_plugins, plugins, ticket.function)
                    ticket.future = self._executor.submit(*work, *ticket.arguments)
                else:
                    ticket.future = self._executor.submit(ticket.function, *ticket.arguments)
                ticket.executor = self._executor
                return
            except (BrokenExecutor, RuntimeError, OSError) as error:
                # the pool broke while nobody was looking or in this very moment, or was closed from outside
                if attempt == 2 or not self._again:
                    raise Lost(f"the executor takes no more work: {error}") from None
                self._replace()

    def _replace(self) -> None:
        """Leave a broken executor and open another."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        if isinstance(self._executor, ProcessPool):
            self._executor.kill_workers()
        self._executor = self._make()

    def _survive(self, ticket: Ticket, error: BaseException) -> None:
        """Do work again whose worker died: on its own, if it may have killed it."""
        if isinstance(error, ExecutorLost) and self._again:
            gone, ticket.future = ticket.executor, None
            for other in self.open:
                if other.executor is gone:
                    other.future = None
            if gone is self._executor:
                self._replace()
            return
        self.lost += 1
        if ticket.alone:
            ticket.deaths += 1
            if ticket.deaths >= self._deaths:
                raise PcgError(f"{ticket.label} ends its worker every time: {_first_line(error)}")
        if isinstance(error, BrokenExecutor):
            if not self._again:
                raise Lost(f"the executor broke while working on {ticket.label}: {error}")
            broken = ticket.executor
            if broken is self._executor:
                # otherwise a submission has noticed first: the executor of today is sound and has work of its own
                self._replace()
            for other in self.open:
                if other.future is None or (other.executor is broken and not _has_answer(other.future)):
                    other.future = None
                    other.alone = True
        ticket.future = None
        ticket.alone = True

    def _keep_going(self, ticket: Ticket) -> None:
        """See that the work has begun, alone if it must be, and that the others go on as soon as they may."""
        if ticket.future is not None:
            if not any(t.alone for t in self.open):
                for other in self.open:
                    if other.future is None:
                        self._start(other)
            return
        if ticket.alone:
            # told before the first is cancelled: work that is sent together is cancelled, and then done, together
            waiting = [t for t in self.open if t.future is not None and not t.future.done()]
            for other in waiting:
                assert other.future is not None
                other.future.cancel()
                other.future = None
        self._start(ticket)


def with_plugins(plugins: tuple[str, ...], function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function after plugins; each is imported once per process."""
    for plugin in plugins:
        # a file that two of them disagree about, or that is gone, is missed by name when something of it is asked for
        with contextlib.suppress(PcgError):
            load_part(plugin)
    return function(*arguments)


def _has_answer(future: Future[Any]) -> bool:
    """Return True if the work is done, well or with an error of its own, not cancelled or lost with its worker."""
    try:
        return not _is_death(future.exception(timeout=0))
    except (CancelledError, FutureTimeout):
        return False


def _is_death(error: BaseException | None) -> bool:
    # Dask is an extra; its error is known by name
    return isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker"


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
