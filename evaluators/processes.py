"""Worker processes: how many there may be, what they begin as, and that none outlives the one that started it.

A worker that is spawned imports all modules anew, which takes a second of processor time. Commands therefore begin
Python's fork server while they import modules themselves; workers are copies of it. It has one thread, and none of the
compiler's locks, when it is forked (`multiprocessing`, "Contexts and start methods").
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from multiprocessing import resource_tracker, spawn
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

_starting = threading.Lock()
_copies = 0


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def begin_fork_server(modules: Sequence[str], workers: int | None) -> None:
    """Begin the process of which worker processes are copies, unless one worker is wanted; on Linux alone.

    Copies have the environment of this moment, so this is for commands and not for programs that use the library.

    Args:
        modules: names of the modules that it imports.
        workers: wanted; None for one per processor.
    """
    global _copies
    count = min(workers or processors(), processors())
    if sys.platform != "linux" or count < 2:
        return
    from multiprocessing import forkserver

    multiprocessing.get_context("forkserver").set_forkserver_preload([*modules])
    # it looks for modules where this process does, and not, as `python -c` does, in the current folder first
    ours = {"PYTHONSAFEPATH": "1", "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)}
    before = {name: os.environ.get(name) for name in ours}
    os.environ.update(ours)
    try:
        with contextlib.suppress(OSError), interrupts_blocked():  # where it cannot begin, workers are spawned
            forkserver.ensure_running()
            _copies = count
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def copies() -> int:
    """Return the number of workers for which there is a process to copy, so that they begin at once; 0 without one."""
    return _copies


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

    Where a fork server was begun it is a copy of that instead. Python imports the program that starts a process in that
    process once more. One that is not guarded would begin its jobs again there; nothing of it is needed, as parts of a
    user's own come in files (`pcg.own_parts`).
    """

    @staticmethod
    def _Popen(process_obj: BaseProcess) -> Any:
        if not copies():
            return SpawnProcess._Popen(process_obj)
        from multiprocessing.popen_forkserver import Popen

        return Popen(process_obj)

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
