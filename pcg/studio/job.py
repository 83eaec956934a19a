"""A command of `pcg` in a process of its own, which ends as with Ctrl-C when its standard input does.

`python -P job.py levels boxes ...` is `pcg levels boxes ...`. The studio holds the other end of the input: it closes it
to stop a run, and the system closes it when the studio is killed. In both cases the run writes what it has and can be
gone on with. The file is run by its path and not as a part of its package, whose import would take seconds.
"""

from __future__ import annotations

import _thread
import contextlib
import os
import signal
import sys
import threading


def _watch() -> None:
    """Wait for the end of the input, then interrupt the command."""
    with contextlib.suppress(OSError):
        while os.read(0, 1024):
            pass
    if sys.platform == "win32":
        _thread.interrupt_main()
    else:
        # a signal to that thread also ends its waiting for a lock
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


def main() -> None:
    """Run the command that the arguments are."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=_watch, daemon=True).start()
    sys.argv = ["pcg", *sys.argv[1:]]
    from pcg.cli import main as command

    command()


if __name__ == "__main__":
    main()
