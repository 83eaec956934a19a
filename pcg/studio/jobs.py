"""Runs under way: each is a command in a process of its own, started, stopped and gone on with from the pages."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pcg.studio.workspace import Workspace
from pcg.web.guard import Refused

MOST_JOBS = 4
"""Runs at once."""
EXPECTED_EXITS = (0, 130, -signal.SIGINT)
"""Exit codes of a run that ended by itself, that was interrupted, and whose process the interrupt ended."""
_JOB = Path(__file__).with_name("job.py")
_LONGEST_COMPLAINT = 600
"""Characters of the complaint of a failed command that are shown."""


@dataclass
class Job:
    """A command under way, or the last one of its run."""

    arguments: tuple[str, ...]
    process: subprocess.Popen[bytes]

    @property
    def running(self) -> bool:
        """True until its process has ended."""
        return self.process.poll() is None


class Jobs:
    """The commands of the runs of a workspace, by the name of the run."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def start(self, name: str, arguments: Sequence[str]) -> None:
        """Start a command.

        Args:
            name: of the run that it writes.
            arguments: of `pcg`; paths are relative to the folder of the workspace, in which it runs.

        Raises:
            Refused: when the run is under way already, or too many are.
        """
        with self._lock:
            if self.running(name):
                raise Refused(f"{name} is under way already", 409)
            if sum(job.running for job in self._jobs.values()) >= MOST_JOBS:
                raise Refused(f"{MOST_JOBS} runs are under way; stop one of them first", 429)
            with open(self.workspace.log(name), "wb") as log:
                process = subprocess.Popen(
                    [sys.executable, "-P", str(_JOB), *arguments],  # -P: nothing is imported from the folder
                    stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT, cwd=self.workspace.folder,
                    start_new_session=True,  # so that Ctrl-C at the server stops it once, when its input is closed
                )  # fmt: skip
            self._jobs[name] = Job(tuple(arguments), process)

    def running(self, name: str) -> bool:
        """Return True while the command of a run is under way."""
        return name in self._jobs and self._jobs[name].running

    def known(self) -> list[str]:
        """Return the names of all runs that were begun here, the latest last."""
        return list(self._jobs)

    def arguments(self, name: str) -> tuple[str, ...]:
        """Return the arguments of the last command of a run; () for none."""
        return self._jobs[name].arguments if name in self._jobs else ()

    def stop(self, name: str) -> None:
        """Let a run write what it has and end, as Ctrl-C does.

        Raises:
            Refused: when it is not under way.
        """
        if not self.running(name):
            raise Refused(f"{name} is not under way", 409)
        self._close(self._jobs[name])

    @staticmethod
    def _close(job: Job) -> None:
        if job.process.stdin is not None:
            with contextlib.suppress(OSError):
                job.process.stdin.close()

    def problem(self, name: str) -> str:
        """Return what the command of a run complained about when it failed; "" when it did not."""
        job = self._jobs.get(name)
        if job is None or job.running or job.process.returncode in EXPECTED_EXITS:
            return ""
        lines = self.workspace.log(name).read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return (
            "\n".join(lines[-6:])[-_LONGEST_COMPLAINT:] or f"the command ended with exit code {job.process.returncode}"
        )

    def close(self, patience_s: float = 20.0) -> None:
        """Stop all runs and wait until they have written what they have."""
        for job in self._jobs.values():
            self._close(job)
        for job in self._jobs.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                job.process.wait(patience_s)
