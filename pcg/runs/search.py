"""The loop of all runs that search: ask, evaluate side by side, tell in order, log, checkpoint, and stop.

The number of workers decides how fast a run is and never what comes out: up to a fixed number of candidates (`window`)
are under way, and their evaluations are applied in the order in which they were asked for. A killed run is
continued by replaying its log: what is logged is told again instead of being evaluated again. Subclasses in
`pcg.runs.experiments` say what is searched, how it is evaluated and what is kept of it.
"""

from __future__ import annotations

import contextlib
import platform
import sys
import time
from abc import abstractmethod
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from concurrent.futures import TimeoutError as FutureTimeout
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from pcg.engine.kernel.runtime import compile_all
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.processes import processors
from pcg.generators.contract import Generator
from pcg.runs.cache import code_digest
from pcg.runs.config import RunConfig
from pcg.runs.executors import open_workers
from pcg.runs.interrupts import interrupt_check, uninterrupted
from pcg.runs.run import Run, RunOptions
from pcg.runs.store import FORMAT, RunLog, append_line, read_elapsed, read_json, to_json, write_whole
from pcg.runs.workers import Ticket, Workers

FAILED = "failed.txt"
"""In the folder of a run: the candidate whose evaluation kills its workers."""

LONG_EVALUATIONS, LONG_SECONDS = 100, 20.0
"""Budget from which on processes are begun that are not asked for; they take one to two seconds each."""


def check_version(code: str) -> None:
    """Make sure that a worker runs the code that the run itself runs.

    Raises:
        PcgError: when this is not the version that `code` names (see `code_digest`); "" names every version.
    """
    if code and code != code_digest():
        raise PcgError(
            f"the worker on {platform.node()} has another version of the toolkit, of Numba or of NumPy: install the "
            "same there"
        )


class SearchRun(Run):
    """A run that asks a generator for candidates and tells it their evaluations.

    Args:
        config: its `window`, `checkpoint` (evaluations between two) and budget are read here.
        folder: of the run.
        generator: the source of candidates, which is asked and told.
    """

    options: ClassVar[tuple[str, ...]] = ("workers", "executor", "seconds", "evaluations", "progress", "command")
    in_processes: ClassVar[bool] = False
    """True where evaluations are so much Python that threads would wait for one another: they are made in processes
    unless the run is short or something else is asked for.
    """
    config: RunConfig
    workers: Workers

    def __init__(self, config: RunConfig, folder: Path, generator: Generator[Any, Any]) -> None:
        self.config = config
        self.folder = folder
        self.source = generator
        self.window, self.every = config.window, config.checkpoint
        self.seconds, self.evaluations = config.seconds, config.evaluations
        self._report: Callable[[Any], None] | None = None
        self.told = 0
        self.asked = 0
        self.asking = False
        self.replayed = 0
        self.spent: defaultdict[str, float] = defaultdict(float)
        """Seconds of the evaluations of this session, by outcome."""
        self.searched = 0.0
        """Seconds until the search of this session had ended; 0 before."""
        self.flight: deque[tuple[Any, Any]] = deque()
        """Candidates under way, each with its work, its evaluation, or the number of the event that has it."""

    # -- for subclasses ------------------------------------------------------------------------------------------------

    @abstractmethod
    def _candidate(self, data: dict[str, Any]) -> Any:
        """Return the candidate that `to_json` wrote."""

    @abstractmethod
    def _same(self, event: dict[str, Any], candidate: Any) -> bool:
        """Return True if an event of the log is about this candidate."""

    @abstractmethod
    def _begin(self, candidate: Any) -> Any:
        """Begin an evaluation, or find it: a `Ticket`, an evaluation, or the number of the event that has it."""

    @abstractmethod
    def _verdict(self, event: dict[str, Any]) -> Any:
        """Return the evaluation that an event has."""

    @abstractmethod
    def _event(self, candidate: Any, verdict: Any) -> dict[str, Any]:
        """Return the event of an evaluation, for the log."""

    @abstractmethod
    def _keep(self, candidate: Any, verdict: Any, fresh: bool) -> None:
        """Take an evaluation into the results, before the generator is told; `fresh` ones were made just now."""

    @abstractmethod
    def _meet(self, event: dict[str, Any]) -> None:
        """Read an event that is in the log when a run goes on."""

    @abstractmethod
    def _take_again(self, event: dict[str, Any]) -> None:
        """Take the evaluation of an event that is part of the checkpoint into the results, when a run goes on."""

    @abstractmethod
    def _text(self, candidate: Any) -> str:
        """Return what `failed.txt` holds of a candidate."""

    @abstractmethod
    def write_results(self) -> None:
        """Write the results so far."""

    @abstractmethod
    def _finish(self, reason: str) -> dict[str, Any]:
        """Return the summary, without `stopped`, when the run stops; the log is open."""

    @abstractmethod
    def _progress(self) -> Any:
        """Return the state for a progress bar (see `Progress`)."""

    @abstractmethod
    def _result(self, reason: str) -> Any:
        """Return the result, once the summary is written; the log is open."""

    def show_progress(self) -> None:
        """Hand the state of the run to whoever wants to see it."""
        if self._report is not None:
            self._report(self._progress())

    def _conclude(self, reason: str) -> None:
        """Do what follows when the budget is spent, before the summary; Ctrl-C may end it."""
        del reason

    def _enough(self) -> bool:
        """Return True when there is nothing left to search for."""
        return False

    # -- files ---------------------------------------------------------------------------------------------------------

    def write_manifest(self) -> None:
        """Write `config.toml` and, last, `run.json`."""
        write_whole(self.folder / "config.toml", self.config.to_toml())
        super().write_manifest()

    def manifest(self) -> dict[str, Any]:
        """Return what the manifests of all searching runs have: seed and budget."""
        config = self.config
        return {
            "seed": config.seed,
            "budget": {"seconds": config.seconds or None, "evaluations": config.evaluations or None},
        }

    def checkpoint(self) -> None:
        """Write the results so far, and the state from which the run goes on."""
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
        path = self.folder / self.log_name

        def checked(read: Callable[[dict[str, Any]], None], event: dict[str, Any]) -> None:
            try:
                read(event)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise PcgError(f"{path} is damaged: event {event.get('id')}: {error!r}") from None

        self.log = RunLog(path, partial(checked, self._meet))
        self.replayed = len(self.log)
        trusted = state is not None and told <= self.replayed and not self._starved(state)
        if state is not None and trusted:
            try:
                self.source.load_state_dict(state["generator"])
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                checkpoint = self.folder / "checkpoint.json"
                raise PcgError(
                    f"{checkpoint} is damaged, or another version wrote it ({error!r}): without it the run goes on "
                    f"from {path.name} alone"
                ) from None
            self.told, self.asked = told, int(state["asked"])
            for data in state["pending"]:
                candidate = self._candidate(data)
                self.flight.append((candidate, candidate.id))  # work is found for them when the loop begins
            for event in self.log.read_all(0, told):
                checked(self._take_again, event)

    def _starved(self, state: Mapping[str, Any]) -> bool:
        """Return True if a smaller budget kept the window from being full when a checkpoint was taken.

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

    @contextlib.contextmanager
    def prepare(self, options: RunOptions) -> Iterator[None]:
        """Open the workers and the cache for the time of a `with`."""
        with contextlib.closing(open_workers(*self._workers_of(options))) as self.workers:
            cache = options.get("cache")
            with contextlib.nullcontext() if cache is None else self._open_cache(cache):
                yield

    def _workers_of(self, options: RunOptions) -> tuple[Executor | str | None, int | None]:
        """Return what evaluates, and how many of it, as `open_workers` takes them."""
        where, count = options.get("executor"), options.get("workers")
        if where is None and self.in_processes and self._is_long and (count or processors()) > 1:
            where = "processes"
        return where, count

    @property
    def _is_long(self) -> bool:
        """True for a budget for which it is worth while to begin processes."""
        enough = not self.evaluations or self.evaluations >= LONG_EVALUATIONS
        return enough and (not self.seconds or self.seconds >= LONG_SECONDS)

    def _open_cache(self, folder: Path | str) -> contextlib.AbstractContextManager[Any]:
        """Open the cache of evaluations in a folder, for kinds of runs that have the option `cache`."""
        raise NotImplementedError

    def execute(self, options: RunOptions) -> Any:
        """Run to the end of the budget, write the results, and return the kind's result."""
        compile_all()  # once per machine and version; not at the cost of the budget
        command, self._report = options.get("command"), options.get("progress")
        timing = self.folder / "timing.jsonl"
        self.before = read_elapsed(timing)
        self.started = time.perf_counter()
        self.open_log()
        with contextlib.closing(self.log):
            (self.folder / FAILED).unlink(missing_ok=True)
            session = {
                "type": "session",
                "started": datetime.now(UTC).isoformat(timespec="seconds"),
                "command": list(command if command is not None else sys.argv),
                "workers": self.workers.count,
            }
            append_line(timing, session)
            try:
                with interrupt_check() as check:
                    reason = self._loop(timing, check)
                    self.searched = time.perf_counter() - self.started
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
                append_line(timing, {**stopped, **self._time(), **self._stopped(), "lost_workers": self.workers.lost})
                return self._result(reason)

    def _came_to(self, verdict: Any) -> str:
        """Return the outcome of an evaluation for the table of time: the stage at which it ended, and the reason."""
        return str(
            getattr(verdict, "stage", "") or ("feasible" if getattr(verdict, "feasible", True) else "infeasible")
        )

    def _stopped(self) -> dict[str, Any]:
        """Return further fields for the last line of the timing log."""
        return {}

    def _time(self) -> dict[str, Any]:
        """Return the candidates per minute of this session, and the seconds spent by outcome."""
        minutes = max(1e-9, (self.searched or time.perf_counter() - self.started) / 60.0)
        fresh = max(0, self.told - self.replayed)
        return {
            "per_minute": round(fresh / minutes, 1),
            "spent": {
                name: round(seconds, 2)
                for name, seconds in sorted(self.spent.items(), key=lambda item: (-item[1], item[0]))
            },
        }

    def _loop(self, timing: Path, check: Callable[[], None]) -> str:
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
                    self.spent[self._came_to(verdict)] += seconds
                    if self.told % self.every == 0:
                        self.checkpoint()
            self.show_progress()

    def _fill(self) -> None:
        """Ask for candidates until `window` are under way.

        Making one may take long. So a generator that may be told at any time is asked for one at a time, and told of
        the first evaluation as soon as that is there, rather than when the window is full.
        """
        while True:
            room = self.window - len(self.flight)
            most = self._most_evaluations()
            if most:
                room = min(room, most - self.asked)
            if room <= 0:
                return
            if self.source.told_any_time:
                if self.flight and (_is_there(self.flight[0][1]) or self._reason()):
                    return
                room = 1
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

    def _most_evaluations(self) -> int:
        """Return the number of evaluations after which the run ends, as far as is known by now; 0 for any number."""
        return self.evaluations

    def _reason(self) -> str:
        """Return the reason to stop, or ""."""
        most = self._most_evaluations()
        if most and self.told >= most:
            return "evaluations"
        if self._enough():
            return "enough"
        if self.seconds and self.elapsed() >= self.seconds:
            return "seconds"
        return ""

    def elapsed(self) -> float:
        """Return the seconds so far, earlier sessions included."""
        return self.before + time.perf_counter() - self.started

    def _time_left(self) -> float | None:
        return max(0.0, self.seconds - self.elapsed()) if self.seconds else None

    def _fraction(self) -> float:
        """Return the share of the budget that is spent, in [0, 1]."""
        parts = [0.0]
        if self.evaluations:
            parts.append(self.told / self.evaluations)
        if self.seconds:
            parts.append(self.elapsed() / self.seconds)
        return min(1.0, max(parts))


def _is_there(work: Any) -> bool:
    """Return True for work whose result need not be waited for."""
    return not isinstance(work, Ticket) or (work.future is not None and work.future.done())
