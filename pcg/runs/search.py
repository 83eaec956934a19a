"""What all runs that search have in common: ask, evaluate side by side, tell in order, log, checkpoint, and stop.

The number of workers decides how fast a run is and never what comes out: a fixed number of candidates (`window`) is
under way at any time and their evaluations are applied in the order in which they were asked for. A killed run is
continued by replaying its log: what is logged is told again instead of being evaluated again. What is searched, how it
is evaluated and what is kept of it is for subclasses to say (`driver` for levels, `tuning` for game spaces).
"""

from __future__ import annotations

import platform
import sys
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import TimeoutError as FutureTimeout
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import pcg
from pcg.engine.kernel.runtime import compile_all
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.generators.contract import Generator
from pcg.runs.interrupts import heeded, uninterrupted
from pcg.runs.store import FORMAT, RunLog, append_line, read_elapsed, read_json, to_json, write_whole
from pcg.runs.workers import Ticket, Workers

FAILED = "failed.txt"
"""In the folder of a run: the candidate whose evaluation kills its workers."""


def versions() -> dict[str, str]:
    """What a manifest says of the software."""
    return {
        "pcg": pcg.__version__,
        "python": platform.python_version(),
        "numpy": metadata.version("numpy"),
        "numba": metadata.version("numba"),
    }


class SearchRun(ABC):
    """One run in one process.

    Args:
        folder: of the run.
        generator: what is asked and told.
        window: candidates under way at any time.
        every: evaluations between two checkpoints.
        seconds: stop after this time; 0 for no limit.
        evaluations: stop after so many; 0 for no limit.
    """

    def __init__(
        self, folder: Path, generator: Generator[Any, Any], *, window: int, every: int, seconds: float, evaluations: int
    ) -> None:
        self.folder = folder
        self.source = generator
        self.window, self.every = window, every
        self.seconds, self.evaluations = seconds, evaluations
        self.told = 0
        self.asked = 0
        self.asking = False
        self.replayed = 0
        self.flight: deque[tuple[Any, Any]] = deque()
        """Candidates under way, each with its work, its verdict, or the number of the event that has it."""

    # -- what subclasses say -------------------------------------------------------------------------------------------

    @abstractmethod
    def _candidate(self, data: dict[str, Any]) -> Any:
        """The candidate that `to_json` wrote."""

    @abstractmethod
    def _same(self, event: dict[str, Any], candidate: Any) -> bool:
        """Whether an event of the log is about this candidate."""

    @abstractmethod
    def _begin(self, candidate: Any) -> Any:
        """Begin an evaluation (a `Ticket`), or say what is known: a verdict, or the number of the event that has it."""

    @abstractmethod
    def _verdict(self, event: dict[str, Any]) -> Any:
        """The verdict that an event has."""

    @abstractmethod
    def _event(self, candidate: Any, verdict: Any) -> dict[str, Any]:
        """What is logged."""

    @abstractmethod
    def _keep(self, candidate: Any, verdict: Any, fresh: bool) -> None:
        """Take a verdict into the results, before the generator is told; `fresh` ones were worked out just now."""

    @abstractmethod
    def _meet(self, event: dict[str, Any], told: bool) -> None:
        """An event that is in the log already when a run goes on; `told` when the checkpoint knows of it."""

    @abstractmethod
    def _went_on(self, trusted: bool) -> None:
        """The whole log was met; without a checkpoint that can be `trusted` everything is told again."""

    @abstractmethod
    def _text(self, candidate: Any) -> str:
        """What `failed.txt` holds of a candidate."""

    @abstractmethod
    def write_results(self) -> None:
        """Write the results so far."""

    @abstractmethod
    def _finish(self, reason: str) -> dict[str, Any]:
        """The summary, `stopped` left out, when the run stops; the log is open."""

    @abstractmethod
    def _progress(self) -> Any:
        """What the progress bar is shown."""

    def _conclude(self, reason: str) -> None:
        """What is done once the budget is spent and before the summary; Ctrl-C may end it."""
        del reason

    def _enough(self) -> bool:
        """Whether there is nothing left to look for."""
        return False

    # -- files ---------------------------------------------------------------------------------------------------------

    def checkpoint(self) -> None:
        """Results so far, and where to go on from."""
        self.log.sync()
        self.write_results()
        if self.asking:
            return  # the one before, or none: the log says the rest
        state = {
            "format": FORMAT,
            "events": self.told,
            "asked": self.asked,
            "evaluations": self.evaluations,
            "generator": self.source.state_dict(),
            "pending": [candidate.to_json() for candidate, _ in self.flight],
        }
        write_whole(self.folder / "checkpoint.json", to_json(state) + "\n")

    def open_log(self) -> None:
        """Open the log, and start where the last checkpoint was taken, or at the beginning if none is to be trusted."""
        state = self._read_checkpoint()
        told = int(state["events"]) if state else 0
        path = self.folder / "events.jsonl"

        def meet(event: dict[str, Any]) -> None:
            try:
                self._meet(event, int(event["id"]) < told)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise PcgError(f"{path} is damaged: event {event.get('id')}: {error!r}") from None

        self.log = RunLog(path, meet)
        self.replayed = len(self.log)
        trusted = state is not None and told <= self.replayed and not self._starved(state)
        if state is not None and trusted:
            self.source.load_state_dict(state["generator"])
            self.told, self.asked = told, int(state["asked"])
            for data in state["pending"]:
                candidate = self._candidate(data)
                self.flight.append((candidate, candidate.id))  # work is found for them when the loop begins
        self._went_on(trusted)

    def _starved(self, state: Mapping[str, Any]) -> bool:
        """Whether a smaller budget kept the window from being full when a checkpoint was taken.

        With this budget the generator would have been asked for more by then, before it was told the last verdicts.
        Where that matters it is asked and told again from the beginning, all of which is in the log.
        """
        before = int(state.get("evaluations", 0))
        return self.source.steady and 0 < before != self.evaluations and int(state["asked"]) >= before

    def _read_checkpoint(self) -> dict[str, Any] | None:
        path = self.folder / "checkpoint.json"
        try:
            state = read_json(path) if path.exists() else None
        except PcgError:
            return None
        return state if isinstance(state, dict) and state.get("format") == FORMAT else None

    # -- the loop ------------------------------------------------------------------------------------------------------

    def search(self, workers: Workers, progress: Callable[[Any], None] | None, command: Sequence[str] | None) -> str:
        """Run to the end of the budget, and write the results; returns why it stopped."""
        compile_all()  # once per machine and version; not at the cost of the budget
        timing = self.folder / "timing.jsonl"
        self.before = read_elapsed(timing)
        self.started = time.perf_counter()
        self.open_log()
        self.workers = workers
        (self.folder / FAILED).unlink(missing_ok=True)
        session = {
            "type": "session",
            "started": datetime.now(UTC).isoformat(timespec="seconds"),
            "command": list(command if command is not None else sys.argv),
            "workers": workers.count,
        }
        append_line(timing, session)
        try:
            with heeded() as check:
                reason = self._loop(progress, timing, check)
                self._conclude(reason)
        except KeyboardInterrupt:
            reason = "interrupted"
        except PcgError as error:
            if self.told:
                self.checkpoint()
            raise PcgError(f"{error} (after {self.told} evaluations; `pcg resume {self.folder}` goes on)") from None
        with uninterrupted():
            self.checkpoint()
            summary = {"stopped": reason, **self._finish(reason)}
            write_whole(self.folder / "summary.json", to_json(summary, indent=1) + "\n")
            stopped = {"type": "stopped", "elapsed": round(self.elapsed(), 3), "reason": reason}
            append_line(timing, {**stopped, **self._stopped(), "lost_workers": workers.lost})
        return reason

    def _stopped(self) -> dict[str, Any]:
        """What the last line of the timing log has besides."""
        return {}

    def _loop(self, progress: Callable[[Any], None] | None, timing: Path, check: Callable[[], None]) -> str:
        for position, (candidate, _) in enumerate(self.flight):
            self.flight[position] = (candidate, self._submit(candidate))
        while True:
            check()
            stop = self._reason()
            if stop:
                return stop
            self._fill()
            candidate, work = self.flight[0]
            seconds = 0.0
            if isinstance(work, Ticket):
                try:
                    verdict, seconds = self.workers.result(work, self._time_left())
                except FutureTimeout:
                    return "seconds"
                except PcgError:
                    write_whole(self.folder / FAILED, self._text(candidate).rstrip("\n") + "\n")
                    raise
            else:
                verdict = self._verdict(self.log.read(work)) if isinstance(work, int) else work
            with uninterrupted():
                fresh = candidate.id >= self.replayed
                self.flight.popleft()
                if fresh:
                    self.log.append(self._event(candidate, verdict))
                self.told += 1
                self._keep(candidate, verdict, fresh and isinstance(work, Ticket))
                self.source.tell([candidate], [verdict])
                if fresh:
                    elapsed = round(self.elapsed(), 3)
                    line = {"type": "evaluation", "id": candidate.id, "seconds": round(seconds, 4), "elapsed": elapsed}
                    append_line(timing, line)
                    if self.told % self.every == 0:
                        self.checkpoint()
            if progress is not None:
                progress(self._progress())

    def _fill(self) -> None:
        """Have `window` candidates under way."""
        while True:
            room = self.window - len(self.flight)
            if self.evaluations:
                room = min(room, self.evaluations - self.asked)
            if room <= 0:
                return
            self.asking = True  # interrupted in here, the generator is not where a checkpoint could go on from
            fresh = self.source.ask(room)
            self.flight.extend((candidate, candidate.id) for candidate in fresh)
            self.asked += len(fresh)
            self.asking = False
            if not fresh:
                if not self.flight:
                    raise PcgError(f"generator {self.source.name} offers no candidates though it was told of all")
                return
            for position in range(len(self.flight) - len(fresh), len(self.flight)):
                candidate, _ = self.flight[position]
                self.flight[position] = (candidate, self._submit(candidate))

    def _submit(self, candidate: Any) -> Any:
        """Begin an evaluation, unless it is in the log."""
        if candidate.id < self.replayed:
            if not self._same(self.log.read(candidate.id), candidate):
                raise PcgError(
                    f"cannot continue {self.folder}: candidate {candidate.id} differs from the logged one, "
                    "so the run was made by another version"
                )
            return candidate.id
        return self._begin(candidate)

    def _reason(self) -> str:
        """Why to stop, or ""."""
        if self.evaluations and self.told >= self.evaluations:
            return "evaluations"
        if self._enough():
            return "enough"
        if self.seconds and self.elapsed() >= self.seconds:
            return "seconds"
        return ""

    def elapsed(self) -> float:
        """Seconds so far, earlier sessions included."""
        return self.before + time.perf_counter() - self.started

    def _time_left(self) -> float | None:
        return max(0.0, self.seconds - self.elapsed()) if self.seconds else None

    def _fraction(self) -> float:
        """Share of the budget that is spent, in [0, 1]."""
        parts = [0.0]
        if self.evaluations:
            parts.append(self.told / self.evaluations)
        if self.seconds:
            parts.append(self.elapsed() / self.seconds)
        return min(1.0, max(parts))
