"""Handling of Ctrl-C during a run: held back while files change together, and never lost."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold back Ctrl-C while the state of the run and its files change together; it takes effect afterwards."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held = []
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, lambda number, frame: held.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before if before is not None else signal.default_int_handler)
    if held:
        raise KeyboardInterrupt


@contextlib.contextmanager
def interrupt_check() -> Iterator[Callable[[], None]]:
    """Note a Ctrl-C as well as raising it: Python swallows what is raised in a finalizer (`State.__del__` is one).

    Yields:
        A function to call in every round of a loop: it raises KeyboardInterrupt if one came. It does nothing in other
        threads, and where Ctrl-C is ignored or handled by others.
    """
    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield lambda: None
        return
    came: list[int] = []

    def note(number: int, frame: object) -> None:
        came.append(number)
        raise KeyboardInterrupt

    def check() -> None:
        if came:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, note)
    try:
        yield check
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
