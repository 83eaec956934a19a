"""Parts of a report that are made side by side, by copies of a process where there is one to copy.

Processes that have to be spawned would take longer to begin than most reports to be written, so without copies, as for
programs that use the library, everything is made here, one part after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import closing, contextmanager
from typing import Any

from pcg.evaluators.processes import copies
from pcg.runs.executors import open_workers
from pcg.runs.workers import Workers


class InTurn(Executor):
    """Executor that does everything in the moment in which it is handed in."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Do some work; the future has its result or its error."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


@contextmanager
def open_makers(parts: int) -> Iterator[Workers]:
    """Open what makes the parts of a report, for the time of a `with`.

    Args:
        parts: most that are made at the same time.
    """
    count = min(copies(), parts)
    with closing(open_workers("processes" if count else InTurn(), count or 1)) as makers:
        yield makers
