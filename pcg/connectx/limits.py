"""Calls of functions that users wrote: with a time limit, with their output kept and their exceptions caught.

In the main thread of a Unix process a timer interrupts what takes too long, asleep or not. Elsewhere the call is made
in a thread of its own, which is told to end and left behind when its time is up.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import math
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LONGEST_LOG = 10_000
"""Characters kept of what an agent prints in one call, for each of its two streams."""

_AGAIN = 0.05
"""Seconds after which an agent that ignores the interrupt is interrupted again."""
_HERE = Path(__file__).parent
_LONGEST = 30 * 24 * 3600.0
"""Limits of more seconds are none."""


class OutOfTime(BaseException):
    """Raised inside of a call whose time is up; not an `Exception`, so that it passes common handlers."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of a call: a value, or what was raised (`OutOfTime` when the time was up)."""

    value: Any
    error: BaseException | None
    duration: float
    stdout: str
    stderr: str


class _Printed(io.TextIOBase):
    """Keeps the first so many characters; with `also`, passes everything on."""

    def __init__(self, also: Any = None) -> None:
        self._parts: list[str] = []
        self._room = LONGEST_LOG
        self._also = also

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if self._room > 0:
            self._parts.append(text[: self._room])
            self._room -= len(text)
        if self._also is not None:
            self._also.write(text)
        return len(text)

    def text(self) -> str:
        return "".join(self._parts) + ("\n[...]" if self._room < 0 else "")


def call(function: Callable[..., Any], *arguments: Any, seconds: float, show: bool = False) -> Answer:
    """Call a function and survive it.

    Args:
        function: what to call.
        arguments: what to call it with.
        seconds: after which it is interrupted.
        show: pass on what it prints as well, and print the traceback of what it raises.

    A KeyboardInterrupt is passed on: a person wants to stop.
    """
    out, err = _Printed(sys.stdout if show else None), _Printed(sys.stderr if show else None)
    way = _with_alarm if _may_use_alarm() else _in_thread
    value: Any = None
    error: BaseException | None = None
    started = time.perf_counter()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            value = way(function, arguments, seconds)
        except KeyboardInterrupt:
            raise
        except OutOfTime as late:
            error = late
        except BaseException as raised:
            error = raised
            err.write("".join(traceback.format_exception(type(raised), raised, _below(raised))))
    return Answer(value, error, time.perf_counter() - started, out.text(), err.text())


def _below(raised: BaseException) -> Any:
    """The part of a traceback that is not this package's."""
    trace = raised.__traceback__
    while trace is not None and Path(trace.tb_frame.f_code.co_filename).parent == _HERE:
        trace = trace.tb_next
    return trace


def _may_use_alarm() -> bool:
    """Return True if the timer exists and is nobody else's."""
    return (
        hasattr(signal, "setitimer")
        and threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGALRM) in (signal.SIG_DFL, None)
        and signal.getitimer(signal.ITIMER_REAL)[0] == 0.0
    )


def _with_alarm(function: Callable[..., Any], arguments: tuple[Any, ...], seconds: float) -> Any:
    armed = True

    def ring(number: int, frame: Any) -> None:
        if armed:
            raise OutOfTime

    if seconds > _LONGEST or not math.isfinite(seconds):
        return function(*arguments)
    before = signal.signal(signal.SIGALRM, ring)
    try:
        # a timer of zero seconds would never ring
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-3), _AGAIN)
        try:
            return function(*arguments)
        finally:
            armed = False
    finally:
        armed = False
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def _in_thread(function: Callable[..., Any], arguments: tuple[Any, ...], seconds: float) -> Any:
    found: list[tuple[Any, BaseException | None]] = []

    def work() -> None:
        try:
            found.append((function(*arguments), None))
        except BaseException as raised:
            found.append((None, raised))

    thread = threading.Thread(target=work, daemon=True, name="connectx agent")
    thread.start()
    thread.join(min(seconds, _LONGEST))
    if not found and thread.is_alive():
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(OutOfTime))
        raise OutOfTime
    value, error = found[0]
    if error is not None:
        raise error
    return value
