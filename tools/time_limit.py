"""Run a command under a limit of time, and say what was under way when it is over.

A run of the tests or the checks that hangs says by itself only that it took too long. Under this program it ends with
the tests that were under way, the processes that were left, and the stacks of all threads of those that are Python;
then all of them are ended, and the exit code is 124, as that of `timeout`. The same is printed when whoever started it
loses patience and sends SIGTERM.

    python tools/time_limit.py 1200 make test
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import NamedTuple

TIMED_OUT = 124
"""Exit code of a command that was ended at its limit."""

_GRACE = 10.0
"""Seconds for processes to end by themselves once they are asked to."""

_AFTER = 3.0
"""Seconds for processes to end by themselves when the command has."""


class Process(NamedTuple):
    """A process of the command: its number, seconds since it began, and its command line."""

    pid: int
    age: str
    words: str

    @property
    def is_python(self) -> bool:
        """True for a Python interpreter, which prints its stacks when it is aborted."""
        return Path(self.words.split(" ", 1)[0]).name.lower().startswith("python")


def processes(leader: int) -> list[Process]:
    """List the processes of a session or process group that are still there, without those that have ended."""
    command = ["ps", "-A", "-o", "pid=,pgid=,sess=,stat=,etime=,args="]
    found = []
    for line in subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines():
        pid, group, session, state, age, *words = line.split(None, 5)
        if str(leader) in (group, session) and not state.startswith("Z"):
            found.append(Process(int(pid), age, words[0] if words else ""))
    return found


def run(command: list[str], seconds: float) -> int:
    """Run a command and return its exit code, or `TIMED_OUT` after a report of what was under way."""
    with tempfile.TemporaryDirectory(prefix="under-way-") as folder:
        # Python programs print all their stacks when they get SIGABRT; nothing is left on the disk for that.
        environment = {**os.environ, "PCG_UNDER_WAY": folder, "PYTHONFAULTHANDLER": "1"}
        child = subprocess.Popen(["/bin/sh", "-c", 'ulimit -c 0; exec "$@"', "sh", *command], env=environment,
                                 start_new_session=True)  # fmt: skip
        previous = signal.signal(signal.SIGTERM, _stopped)
        try:
            code = child.wait(seconds)
            _sweep(child.pid)
            return code
        except subprocess.TimeoutExpired:
            reason = f"is not finished after {seconds:.0f} s"
        except InterruptedError:
            reason = "was told to end"
        except KeyboardInterrupt:
            os.killpg(child.pid, signal.SIGINT)
            return child.wait()
        finally:
            signal.signal(signal.SIGTERM, previous)
        _report(" ".join(command), reason, child.pid, Path(folder))
        _end(child)
        return TIMED_OUT


def _stopped(number: int, frame: FrameType | None) -> None:
    """Leave the wait for the command when SIGTERM comes."""
    raise InterruptedError


def _report(command: str, reason: str, leader: int, folder: Path) -> None:
    """Print the tests under way, the processes, and the stacks of those that are Python."""
    _say(f"\n{command} {reason}.")
    left = processes(leader)
    tests = {int(file.name): file.read_text(encoding="utf-8") for file in folder.iterdir()}
    _say("Tests under way:" if tests else "No test is under way.")
    for pid, test in sorted(tests.items()):
        _say(f"  process {pid}: {test}")
    _say("Processes, with their age:")
    for process in left:
        _say(f"  {process.pid:>7} {process.age:>11}  {process.words[:200]}")
    # One after the other, so that it can be seen whose stacks are whose; those that run tests first.
    for process in sorted(left, key=lambda process: process.pid not in tests):
        if process.is_python:
            _say(f"\nStacks of process {process.pid} ({process.words[:100]}):")
            _send(process.pid, signal.SIGABRT)
            _until(lambda pid=process.pid: all(other.pid != pid for other in processes(leader)), 2.0)  # type: ignore[misc]


def _sweep(leader: int) -> None:
    """End what a command that is done has left behind: it would keep whoever reads our output waiting."""
    _until(lambda: not processes(leader), _AFTER)
    for process in processes(leader):
        _say(f"left behind and ended: process {process.pid}, {process.age} old: {process.words[:200]}")
        _send(process.pid, signal.SIGKILL)


def _end(child: subprocess.Popen[bytes]) -> None:
    """End all processes of a session, first by asking."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        for process in processes(child.pid):
            _send(process.pid, number)
        _until(lambda: child.poll() is not None and not processes(child.pid), _GRACE)
    child.wait()


def _send(pid: int, number: int) -> None:
    """Send a signal to a process, which may have ended by now."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def _until(holds: Callable[[], bool], seconds: float) -> None:
    """Wait until a condition holds, or for so many seconds."""
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: python tools/time_limit.py SECONDS COMMAND...")
    sys.exit(run(sys.argv[2:], float(sys.argv[1])))
