"""Exclusive lock on the folder of a run: two processes that write the same folder would spoil each other's log.

The lock is the operating system's own, on the log of the run, so it leaves no file behind and ends with the process
that holds it, also when that is killed. Those who only read a folder (reports, pages) take no lock.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.runs.store import check_new

if sys.platform == "win32":
    import msvcrt

    _FAR = 2**62
    """Place of the locked byte: behind everything that is written, as Windows keeps others from reading it."""

    def _lock(file: int) -> None:
        os.lseek(file, _FAR, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


_HELD = (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK)
"""Error numbers for a lock that another process holds; others are errors of the file system."""


@contextlib.contextmanager
def lock_run(log: Path) -> Iterator[None]:
    """Hold the lock of a run, or refuse at once.

    Args:
        log: the log of the run, which is made if it does not exist.

    Raises:
        PcgError: when another process, or another thread of this one, holds the lock.
    """
    try:
        file = os.open(log, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
    except OSError as error:
        raise PcgError(f"cannot write the run to {log.parent}: {error.strerror}") from None
    try:
        try:
            _lock(file)
        except OSError as error:
            if error.errno not in _HELD:
                raise PcgError(f"cannot lock {log}: {error.strerror}") from None
            raise PcgError(
                f"another process is writing the run in {log.parent}: wait for its end, or stop it first"
            ) from None
        yield
    finally:
        os.close(file)


@contextlib.contextmanager
def new_run(folder: Path, log: str) -> Iterator[None]:
    """Make the folder of a new run and hold its lock.

    Args:
        folder: which must be empty, or not exist; a log without content, of a run killed as it began, is no obstacle.
        log: name of the log of such a run.

    Raises:
        PcgError: when something is in the folder, or another process was faster.
    """
    check_new(folder, besides=log)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PcgError(f"cannot write the run to {folder}: {error.strerror}") from None
    with lock_run(folder / log):
        check_new(folder, besides=log)
        yield
