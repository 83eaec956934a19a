"""Driving a run: ask, evaluate side by side, tell in order, log, and stop.

The number of workers decides how fast a run is and never what comes out: a fixed number of candidates (`window`) is
under way at any time and their evaluations are applied in the order in which they were asked for. A killed run is
continued by replaying its log: what is logged is told again instead of being evaluated again.
"""

from __future__ import annotations

import contextlib
import functools
import os
import platform
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import Any

import pcg
from pcg.engine.game import Game, load
from pcg.engine.kernel.runtime import compile_all
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.parameters import Setting
from pcg.evaluators.wants import Want, all_achieved, tally_wants
from pcg.generators.levels import Candidate, LevelGenerator, make_generator
from pcg.runs.archive import Archive, Entry
from pcg.runs.config import LevelRun, read_config
from pcg.runs.store import (
    FORMAT,
    EventLog,
    append_line,
    check_new,
    check_run,
    read_elapsed,
    read_json,
    remove_levels,
    to_json,
    write_levels,
    write_whole,
)


@dataclass(frozen=True)
class Progress:
    """How far a run is, for a progress bar."""

    evaluations: int
    feasible: int
    distinct: int
    wanted: int
    best: float
    """Fitness of the best level, 0 without one."""
    generation: int
    elapsed: float
    """Seconds, earlier sessions included."""
    fraction: float
    """Share of the budget that is spent, in [0, 1]."""


@dataclass(frozen=True)
class RunResult:
    """What a run left behind."""

    folder: Path
    stopped: str
    """"evaluations", "seconds", "enough" or "interrupted"."""
    evaluations: int
    feasible: int
    levels: Sequence[Entry] = field(repr=False)
    """The best distinct feasible levels, best first, as in `levels/`."""
    spare: Sequence[Entry] = field(repr=False)
    """The best of the others, as in `infeasible/`."""
    wants: Sequence[Want] = field(default=(), repr=False)
    """What was wanted of the levels."""


@dataclass(frozen=True)
class GameText:
    """A game as text, so that it can be sent to another process or machine and is the same there."""

    name: str
    source: str
    levels: tuple[str, ...]
    reading: str

    @classmethod
    def of(cls, game: Game) -> GameText:
        """The text of a loaded game."""
        return cls(game.name, game.definition.source, tuple(game.levels), game.reading)

    def load(self) -> Game:
        """The game."""
        made = load(
            self.source if "\n" in self.source else self.source + "\n", levels=self.levels, reading=self.reading
        )
        return Game(made.definition, self.levels, name=self.name, reading=self.reading)


@functools.lru_cache(maxsize=4)
def _evaluator(game: GameText, parameters: tuple[tuple[str, Setting], ...], wants: str) -> LevelEvaluator:
    return LevelEvaluator(game.load(), wants, **dict(parameters))


def evaluate_level(
    game: GameText, parameters: tuple[tuple[str, Setting], ...], wants: str, level: str, seed: int
) -> tuple[Evaluation, float]:
    """Evaluate a level in whatever thread, process or machine this runs; with the seconds it took."""
    started = time.perf_counter()
    evaluation = _evaluator(game, parameters, wants).evaluate(level, seed)
    return evaluation, time.perf_counter() - started


def run_levels(
    config: LevelRun,
    folder: Path | str,
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[Progress], None] | None = None,
    command: Sequence[str] | None = None,
) -> RunResult:
    """Generate levels into a new run folder.

    Args:
        config: what to do.
        folder: of the run; must not exist or be empty.
        workers: evaluations side by side (default: one per processor); no influence on the result of a counted budget.
        executor: evaluates instead of own threads; any `concurrent.futures.Executor` (threads, processes, Dask).
        progress: called after every evaluation.
        command: command line to note in `timing.jsonl` (default: that of this process).

    Returns:
        The result; also when interrupted with Ctrl-C, after which `resume` goes on.

    Raises:
        PcgError: for anything wrong with the configuration, before anything is written.
    """
    folder = Path(folder)
    check_new(folder)
    game = load(config.game, reading=config.reading or None)
    run = _Run(config, GameText.of(game), folder)
    run.create()
    return run.drive(workers, executor, progress, command)


def resume(
    folder: Path | str,
    *,
    seconds: float | None = None,
    evaluations: int | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[Progress], None] | None = None,
    command: Sequence[str] | None = None,
) -> RunResult:
    """Go on with a run that was interrupted or killed, or give a finished one a larger budget.

    Args:
        folder: of the run.
        seconds: a new limit of time (of the whole run), instead of its own.
        evaluations: a new number of evaluations (of the whole run), instead of its own.
        workers: as for `run_levels`.
        executor: as for `run_levels`.
        progress: as for `run_levels`.
        command: as for `run_levels`.

    Raises:
        PcgError: when the folder is no run, or one that this version cannot continue.
    """
    folder = Path(folder)
    check_run(folder)
    config = read_config(folder / "config.toml").with_budget(seconds=seconds, evaluations=evaluations)
    name = read_json(folder / "run.json")["game"]
    levels = sorted((folder / "game").glob("lvl*.txt"), key=lambda p: int(p.stem[3:]))
    try:
        source = (folder / "game" / "game.vgdl").read_text(encoding="utf-8")
        texts = tuple(p.read_text(encoding="utf-8") for p in levels)
    except OSError as error:
        raise PcgError(f"{folder} lacks its game: {error.filename}: {error.strerror}") from None
    run = _Run(config, GameText(name["name"], source, texts, name["reading"]), folder)
    run.write_manifest()
    return run.drive(workers, executor, progress, command)


class _Run:
    """One run in one process."""

    def __init__(self, config: LevelRun, game: GameText, folder: Path) -> None:
        self.config = config
        self.game = game
        self.folder = folder
        # Made here, before anything is written, so that every mistake shows at once.
        loaded = game.load()
        self.generator: LevelGenerator = make_generator(
            config.generator, loaded, seed=config.seed, wants=config.want, **config.generator_parameters
        )
        self.evaluator = LevelEvaluator(loaded, config.want, **config.evaluation_parameters)
        self.parameters = tuple(self.evaluator.settings.items())
        self.archive = Archive(config.count, config.distance)
        self.logged: list[dict[str, Any]] = []
        self.told = 0
        self.asked = 0
        self.flight: deque[tuple[Candidate, Future[tuple[Evaluation, float]] | None]] = deque()

    # -- files ---------------------------------------------------------------------------------------------------------

    def create(self) -> None:
        """The folder with the files that never change."""
        try:
            (self.folder / "game").mkdir(parents=True, exist_ok=True)
            write_whole(self.folder / "game" / "game.vgdl", self.game.source)
            for k, level in enumerate(self.game.levels):
                write_whole(self.folder / "game" / f"lvl{k}.txt", level)
            (self.folder / "events.jsonl").touch()
            self.write_manifest()
        except OSError as error:
            raise PcgError(f"cannot write the run to {self.folder}: {error.strerror}") from None

    def write_manifest(self) -> None:
        """`config.toml` and, last, `run.json`: its presence makes the folder a run."""
        config = self.config
        manifest = {
            "format": FORMAT,
            "kind": "levels",
            "game": {
                "name": self.game.name,
                "reading": self.game.reading,
                "sha256": sha256(self.game.source.encode()).hexdigest(),
                "levels": len(self.game.levels),
            },
            "seed": config.seed,
            "generator": {"name": config.generator, "parameters": self.generator.settings},
            "evaluation": self.evaluator.settings,
            "wants": [str(want) for want in self.evaluator.wants],
            "archive": {"size": config.count, "distance": config.distance},
            "budget": {"seconds": config.seconds or None, "evaluations": config.evaluations or None},
            "versions": {
                "pcg": pcg.__version__,
                "python": platform.python_version(),
                "numpy": metadata.version("numpy"),
                "numba": metadata.version("numba"),
            },
        }
        write_whole(self.folder / "config.toml", config.to_toml())
        write_whole(self.folder / "run.json", to_json(manifest, indent=1) + "\n")

    def checkpoint(self) -> None:
        """Results so far, and where to go on from."""
        self.log.sync()
        self.write_results()
        state = {
            "format": FORMAT,
            "events": self.told,
            "asked": self.asked,
            "generator": self.generator.state_dict(),
            "pending": [candidate.to_json() for candidate, _ in self.flight],
        }
        write_whole(self.folder / "checkpoint.json", to_json(state) + "\n")

    def write_results(self) -> None:
        best, spare = self.archive.best(), self.archive.spare()
        write_levels(
            self.folder / "levels", [(e.candidate.level, e.to_index("")) for e in best], self.game.source
        )  # fmt: skip
        others = self.folder / "infeasible"
        if spare:
            write_levels(others, [(e.candidate.level, e.to_index("")) for e in spare])
        else:
            remove_levels(others)

    def load_checkpoint(self) -> None:
        """Start where the last checkpoint was taken, or at the beginning if there is none to be trusted."""
        path = self.folder / "checkpoint.json"
        if not path.exists():
            return
        try:
            state = read_json(path)
        except PcgError:
            return
        if state.get("format") != FORMAT or state["events"] > len(self.logged):
            return
        self.generator.load_state_dict(state["generator"])
        self.told, self.asked = int(state["events"]), int(state["asked"])
        for event in self.logged[: self.told]:
            self.archive.add(Candidate.from_json(event), Evaluation.from_json(event))
        for data in state["pending"]:
            self.flight.append((Candidate.from_json(data), None))

    # -- the loop ------------------------------------------------------------------------------------------------------

    def drive(
        self,
        workers: int | None,
        executor: Executor | None,
        progress: Callable[[Progress], None] | None,
        command: Sequence[str] | None,
    ) -> RunResult:
        """Run to the end of the budget."""
        workers = workers or os.cpu_count() or 1
        if workers < 1:
            raise PcgError(f"workers is {workers}, expected at least 1")
        compile_all()  # once per machine and version; not at the cost of the budget
        timing = self.folder / "timing.jsonl"
        self.before = read_elapsed(timing)
        self.started = time.perf_counter()
        self.logged = EventLog.repair(self.folder / "events.jsonl")
        self.load_checkpoint()
        self.log = EventLog(self.folder / "events.jsonl")
        session = {
            "type": "session",
            "started": datetime.now(UTC).isoformat(timespec="seconds"),
            "command": list(command if command is not None else sys.argv),
            "workers": workers,
        }
        append_line(timing, session)
        own = ThreadPoolExecutor(workers, thread_name_prefix="pcg-evaluate") if executor is None else None
        self.executor = own or executor
        try:
            reason = self._loop(progress, timing)
        except KeyboardInterrupt:
            reason = "interrupted"
        finally:
            for _, future in self.flight:
                if future is not None:
                    future.cancel()
            if own is not None:
                own.shutdown(wait=True, cancel_futures=True)
        with _uninterrupted():
            self.checkpoint()
            summary = {"stopped": reason, "generations": self._generation(), **self.archive.summary(), **self._tally()}
            write_whole(self.folder / "summary.json", to_json(summary, indent=1) + "\n")
            append_line(timing, {"type": "stopped", "elapsed": round(self.elapsed(), 3), "reason": reason})
            self.log.close()
        best, spare = self.archive.best(), self.archive.spare()
        return RunResult(self.folder, reason, self.told, self.archive.feasible, best, spare, self.evaluator.wants)

    def _tally(self) -> dict[str, Any]:
        """What came of the wants, for `summary.json`; nothing where there were none."""
        found = [entry.evaluation.wants for entry in self.archive.best()]
        tallies = tally_wants(self.evaluator.wants, found)
        if not tallies:
            return {}
        wants = [{"want": str(t.want), "achieved": t.achieved, "of": t.of} for t in tallies]
        return {"wants": wants, "all_wants": sum(map(all_achieved, found))}

    def _finished(self) -> int:
        """How many of the best levels achieve all that is wanted."""
        return sum(all_achieved(entry.evaluation.wants) for entry in self.archive.best())

    def _loop(self, progress: Callable[[Progress], None] | None, timing: Path) -> str:
        for position, (candidate, _) in enumerate(self.flight):
            self.flight[position] = (candidate, self._submit(candidate))
        while True:
            stop = self._reason()
            if stop:
                return stop
            self._fill()
            candidate, future = self.flight[0]
            seconds = None
            if future is None:
                evaluation = Evaluation.from_json(self.logged[candidate.id])
            else:
                try:
                    evaluation, seconds = future.result(timeout=self._time_left())
                except FutureTimeout:
                    if future.done():
                        raise
                    return "seconds"
            with _uninterrupted():
                self.flight.popleft()
                if seconds is not None:
                    self.log.append({**candidate.to_json(), **evaluation.to_json()})
                    elapsed = round(self.elapsed(), 3)
                    line = {"type": "evaluation", "id": candidate.id, "seconds": round(seconds, 4), "elapsed": elapsed}
                    append_line(timing, line)
                self.told += 1
                self.archive.add(candidate, evaluation)
                self.generator.tell([candidate], [evaluation])
                if seconds is not None and self.told % self.config.checkpoint == 0:
                    self.checkpoint()
            if progress is not None:
                progress(self._progress())

    def _fill(self) -> None:
        """Have `window` candidates under way."""
        config = self.config
        while True:
            room = config.window - len(self.flight)
            if config.evaluations:
                room = min(room, config.evaluations - self.asked)
            if room <= 0:
                return
            fresh = self.generator.ask(room)
            if not fresh:
                if not self.flight:
                    raise PcgError(f"generator {config.generator} offers no candidates though it was told of all")
                return
            self.asked += len(fresh)
            for candidate in fresh:
                self.flight.append((candidate, self._submit(candidate)))

    def _submit(self, candidate: Candidate) -> Future[tuple[Evaluation, float]] | None:
        """Start an evaluation; None if the log has it."""
        if candidate.id < len(self.logged):
            if self.logged[candidate.id]["level"] != candidate.level:
                raise PcgError(
                    f"cannot continue {self.folder}: candidate {candidate.id} differs from the logged one, "
                    "so the run was made by another version"
                )
            return None
        assert self.executor is not None
        return self.executor.submit(
            evaluate_level, self.game, self.parameters, self.config.want, candidate.level, self.config.seed
        )

    def _reason(self) -> str:
        """Why to stop, or ""."""
        config = self.config
        if config.evaluations and self.told >= config.evaluations:
            return "evaluations"
        if not self.generator.learns and self._finished() >= config.count:
            return "enough"
        if config.seconds and self.elapsed() >= config.seconds:
            return "seconds"
        return ""

    def elapsed(self) -> float:
        """Seconds so far, earlier sessions included."""
        return self.before + time.perf_counter() - self.started

    def _time_left(self) -> float | None:
        return max(0.0, self.config.seconds - self.elapsed()) if self.config.seconds else None

    def _generation(self) -> int:
        return int(getattr(self.generator, "generation", 0))

    def _progress(self) -> Progress:
        config, best = self.config, self.archive.best()
        fractions = [0.0]
        if config.evaluations:
            fractions.append(self.told / config.evaluations)
        if config.seconds:
            fractions.append(self.elapsed() / config.seconds)
        if not self.generator.learns:
            fractions.append(self._finished() / config.count)
        fitness = best[0].evaluation.fitness if best else 0.0
        return Progress(
            self.told, self.archive.feasible, len(best), config.count, fitness, self._generation(), self.elapsed(),
            min(1.0, max(fractions)),
        )  # fmt: skip


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
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
