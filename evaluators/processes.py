"""Worker processes: how many there may be, and that none outlives the one that started it."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from multiprocessing import resource_tracker, spawn
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

_starting = threading.Lock()


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def begin_worker() -> None:
    """To be called first in a worker process: Ctrl-C is for its parent to handle, and it ends when its parent does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


@contextlib.contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Hold Ctrl-C back for the time of a `with`, in this thread and in processes that are begun."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # where it is begun later, Ctrl-C is let through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class WorkerProcess(SpawnProcess):
    """A process that is spawned, also by a program whose jobs stand outside ``if __name__ == "__main__":``.

    Python imports the program that starts a process in that process once more. One that is not guarded would begin its
    jobs again there; nothing of it is needed, as parts of a user's own come in files (`pcg.own_parts`).
    """

    def start(self) -> None:
        """Start the process.

        Ctrl-C goes to all processes of a terminal, and one that is just being imported would answer with a traceback:
        the signal stays blocked there from the first moment on.
        """
        with interrupts_blocked():
            self._start()

    def _start(self) -> None:
        if program_is_guarded():
            super().start()
            return
        here = threading.get_ident()

        def without_program(name: str) -> dict[str, Any]:
            data: dict[str, Any] = prepare(name)
            ours = threading.get_ident() == here
            return {key: value for key, value in data.items() if not (ours and key.startswith("init_main_"))}

        with _starting:
            prepare = spawn.get_preparation_data
            spawn.get_preparation_data = without_program
            try:
                super().start()
            finally:
                spawn.get_preparation_data = prepare


def program_is_guarded() -> bool:
    """Return True if the program that runs may be imported: it says what is done only when it is run itself."""
    main = sys.modules["__main__"]
    file = getattr(main, "__file__", None)
    if file is None or getattr(main, "__spec__", None) is not None:
        return True  # typed by hand, or a module that was run as such
    try:
        return "__main__" in Path(file).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False  # read from standard input: there is nothing to import


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
