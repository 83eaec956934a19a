"""Driving a run: ask, evaluate side by side, tell in order, log, and stop.

The number of workers decides how fast a run is and never what comes out: a fixed number of candidates (`window`) is
under way at any time and their evaluations are applied in the order in which they were asked for. A killed run is
continued by replaying its log: what is logged is told again instead of being evaluated again. Where evaluations run
is the business of `workers`; equal levels are evaluated once (`cache`). What is held in memory does not grow with the
run but for a few dozen bytes per candidate.
"""

from __future__ import annotations

import contextlib
import functools
import platform
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
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
from pcg.evaluators.feasibility import check_size, check_winnable
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.parameters import Setting
from pcg.evaluators.wants import Want, all_achieved, tally_wants
from pcg.generators.levels import Candidate, LevelGenerator, make_generator
from pcg.runs.archive import Archive, Entry
from pcg.runs.cache import EvaluationCache, code_digest, level_key, settings_key
from pcg.runs.config import LevelRun, read_config
from pcg.runs.store import (
    FORMAT,
    LEVELS,
    RunLog,
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
from pcg.runs.workers import Ticket, Workers, open_workers

FAILED = "failed.txt"
"""In the folder of a run: the level whose evaluation kills its workers."""


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
    statistics: Mapping[str, float] = field(default_factory=dict)
    """What the generator tells of itself: coverage and QD score of its archive, if it has one."""


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
    statistics: Mapping[str, float] = field(default_factory=dict)
    """Of the archive over measures, as in `archive.json`; empty for generators without one."""
    repeated: int = 0
    """Candidates whose level had been evaluated before in this run, and was not evaluated again."""
    cached: int = 0
    """Evaluations of this session that came from the cache on disk."""


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
    game: GameText, parameters: tuple[tuple[str, Setting], ...], wants: str, level: str, seed: int, code: str = ""
) -> tuple[Evaluation, float]:
    """Evaluate a level in whatever thread, process or machine this runs; with the seconds it took.

    Raises:
        PcgError: when this is not the version that `code` names (see `code_digest`).
    """
    if code and code != code_digest():
        raise PcgError(
            f"the worker on {platform.node()} has another version of the toolkit, of Numba or of NumPy: install the "
            "same there"
        )
    started = time.perf_counter()
    evaluation = _evaluator(game, parameters, wants).evaluate(level, seed)
    return evaluation, time.perf_counter() - started


def run_levels(
    config: LevelRun,
    folder: Path | str,
    *,
    workers: int | None = None,
    executor: Executor | str | None = None,
    cache: Path | str | None = None,
    progress: Callable[[Progress], None] | None = None,
    command: Sequence[str] | None = None,
) -> RunResult:
    """Generate levels into a new run folder.

    Args:
        config: what to do.
        folder: of the run; must not exist or be empty.
        workers: evaluations side by side (default: one per processor); no influence on the result of a counted budget.
        executor: what evaluates: "threads", "processes", "local:N" or "tcp://host:port" (a Dask cluster), or any
            `concurrent.futures.Executor` of your own; no influence on the result either.
        cache: folder of evaluations that runs share; "user" is the folder of the user's caches.
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
    with contextlib.closing(open_workers(executor, workers)) as crew:
        kept = run.open_cache(cache)
        run.create()
        return run.drive(crew, kept, progress, command)


def resume(
    folder: Path | str,
    *,
    seconds: float | None = None,
    evaluations: int | None = None,
    workers: int | None = None,
    executor: Executor | str | None = None,
    cache: Path | str | None = None,
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
        cache: as for `run_levels`.
        progress: as for `run_levels`.
        command: as for `run_levels`.

    Raises:
        PcgError: when the folder is no run, or one that this version cannot continue.
    """
    folder = Path(folder)
    kind = check_run(folder).get("kind", LEVELS)
    if kind != LEVELS:
        raise PcgError(f"{folder} holds no run that makes levels but one of kind {kind!r}")
    config = read_config(folder / "config.toml").with_budget(seconds=seconds, evaluations=evaluations)
    name = read_json(folder / "run.json")["game"]
    levels = sorted((folder / "game").glob("lvl*.txt"), key=lambda p: int(p.stem[3:]))
    try:
        source = (folder / "game" / "game.vgdl").read_text(encoding="utf-8")
        texts = tuple(p.read_text(encoding="utf-8") for p in levels)
    except OSError as error:
        raise PcgError(f"{folder} lacks its game: {error.filename}: {error.strerror}") from None
    run = _Run(config, GameText(name["name"], source, texts, name["reading"]), folder)
    with contextlib.closing(open_workers(executor, workers)) as crew:
        kept = run.open_cache(cache)
        run.write_manifest()
        return run.drive(crew, kept, progress, command)


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
        check_winnable(self.evaluator.analysis, self.evaluator.requirements)
        check_size(self.evaluator.palette, self.generator.widths[1], self.generator.heights[1])
        self.parameters = tuple(self.evaluator.settings.items())
        self.archive = Archive(config.count, config.distance, self._event)
        self.kept: Mapping[str, Any] | None = None
        self._about: dict[int, dict[str, Any]] = {}  # of the levels that are kept, by number
        self.first: dict[bytes, int] = {}  # level -> the candidate that had it first
        self.told = 0
        self.asked = 0
        self.asking = False
        self.repeated = 0
        self.cached = 0
        self.flight: deque[tuple[Candidate, Ticket | Evaluation | int]] = deque()
        """Candidates under way, each with its work, its evaluation, or the number of the event that has it."""

    def open_cache(self, folder: Path | str | None) -> EvaluationCache | None:
        """The cache in a folder, for evaluations as this run makes them."""
        if folder is None:
            return None
        config = self.config
        return EvaluationCache(folder, settings_key([self.game, self.parameters, config.want, config.seed]))

    def _event(self, number: int) -> Mapping[str, Any]:
        return self.log.read(number)

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
            "kind": LEVELS,
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
        if self.asking:
            return  # the one before, or none: the log says the rest
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
        write_levels(self.folder / "levels", [(e.candidate.level, self._index(e)) for e in best], self.game.source)
        self.kept = self.generator.archive()
        if self.kept is not None:
            write_whole(self.folder / "archive.json", to_json(self.kept) + "\n")
        others = self.folder / "infeasible"
        if spare:
            write_levels(others, [(e.candidate.level, self._index(e)) for e in spare])
        else:
            remove_levels(others)
        shown = {e.candidate.id for e in (*best, *spare)}
        self._about = {number: known for number, known in self._about.items() if number in shown}

    def _index(self, entry: Entry) -> dict[str, Any]:
        """An entry of `index.json`, with what the generator knows of the level."""
        number = entry.candidate.id
        if number not in self._about:  # telling can mean making the level once more
            self._about[number] = self.generator.about(entry.candidate)
        return {**entry.to_index(""), **self._about[number]}

    def write_findings(self) -> dict[str, Any]:
        """What the generator found out, for `summary.json`; the levels of a front are written to `front/` instead."""
        findings = self.generator.findings()
        front = findings.get("front")
        if front is not None:
            entries = [(e["level"], {k: v for k, v in e.items() if k != "level"}) for e in front]
            write_levels(self.folder / "front", entries, self.game.source)
            findings["front"] = [entry for _, entry in entries]
        return {"findings": findings} if findings else {}

    def open_log(self) -> None:
        """Open the log, and start where the last checkpoint was taken, or at the beginning if none is to be trusted."""
        state = self._read_checkpoint()
        told = int(state["events"]) if state else 0
        ranks: list[tuple[int, bool, float, float]] = []
        path = self.folder / "events.jsonl"

        def meet(event: dict[str, Any]) -> None:
            try:
                number = int(event["id"])
                self.first.setdefault(level_key(event["level"]), number)
                if number < told:
                    ranks.append((number, bool(event["feasible"]), float(event["fitness"]), float(event["constraint"])))
                    self.repeated += self.first[level_key(event["level"])] != number
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise PcgError(f"{path} is damaged: event {event.get('id')}: {error!r}") from None

        self.log = RunLog(path, meet)
        self.replayed = len(self.log)
        if not state or told > self.replayed:
            self.repeated = 0
            return
        self.generator.load_state_dict(state["generator"])
        self.told, self.asked = told, int(state["asked"])
        for rank in ranks:
            self.archive.add(*rank)
        for data in state["pending"]:
            candidate = Candidate.from_json(data)
            self.flight.append((candidate, candidate.id))  # work is found for them when the loop begins

    def _read_checkpoint(self) -> dict[str, Any] | None:
        path = self.folder / "checkpoint.json"
        try:
            state = read_json(path) if path.exists() else None
        except PcgError:
            return None
        return state if isinstance(state, dict) and state.get("format") == FORMAT else None

    # -- the loop ------------------------------------------------------------------------------------------------------

    def drive(
        self,
        workers: Workers,
        cache: EvaluationCache | None,
        progress: Callable[[Progress], None] | None,
        command: Sequence[str] | None,
    ) -> RunResult:
        """Run to the end of the budget."""
        compile_all()  # once per machine and version; not at the cost of the budget
        timing = self.folder / "timing.jsonl"
        self.before = read_elapsed(timing)
        self.started = time.perf_counter()
        self.open_log()
        self.workers = workers
        self.cache = cache
        (self.folder / FAILED).unlink(missing_ok=True)
        session = {
            "type": "session",
            "started": datetime.now(UTC).isoformat(timespec="seconds"),
            "command": list(command if command is not None else sys.argv),
            "workers": workers.count,
        }
        append_line(timing, session)
        try:
            reason = self._loop(progress, timing)
        except KeyboardInterrupt:
            reason = "interrupted"
        except PcgError as error:
            if self.told:
                self.checkpoint()
            raise PcgError(f"{error} (after {self.told} evaluations; `pcg resume {self.folder}` goes on)") from None
        with _uninterrupted():
            self.checkpoint()
            summary = {"stopped": reason, "generations": self._generation(), **self.archive.summary(), **self._tally()}
            if self.kept is not None:
                summary["archive"] = self.kept["statistics"]
            summary["repeated"] = self.repeated
            summary |= self.write_findings()
            write_whole(self.folder / "summary.json", to_json(summary, indent=1) + "\n")
            stopped = {"type": "stopped", "elapsed": round(self.elapsed(), 3), "reason": reason}
            append_line(timing, {**stopped, "cached": self.cached, "lost_workers": workers.lost})
            best, spare = self.archive.best(), self.archive.spare()
            self.log.close()
            if cache is not None:
                cache.close()
        statistics = self.kept["statistics"] if self.kept is not None else {}
        return RunResult(
            self.folder, reason, self.told, self.archive.feasible, best, spare, self.evaluator.wants, statistics,
            self.repeated, self.cached,
        )  # fmt: skip

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
            candidate, work = self.flight[0]
            seconds = 0.0
            if isinstance(work, Ticket):
                try:
                    evaluation, seconds = self.workers.result(work, self._time_left())
                except FutureTimeout:
                    return "seconds"
                except PcgError:
                    write_whole(self.folder / FAILED, candidate.level + "\n")
                    raise
            else:
                evaluation = work if isinstance(work, Evaluation) else Evaluation.from_json(self.log.read(work))
            with _uninterrupted():
                self._tell(candidate, evaluation)
                if candidate.id >= self.replayed:
                    elapsed = round(self.elapsed(), 3)
                    line = {"type": "evaluation", "id": candidate.id, "seconds": round(seconds, 4), "elapsed": elapsed}
                    append_line(timing, line)
                    if self.cache is not None and isinstance(work, Ticket):
                        self.cache.store(candidate.level, evaluation)
                    if self.told % self.config.checkpoint == 0:
                        self.checkpoint()
            if progress is not None:
                progress(self._progress())

    def _tell(self, candidate: Candidate, evaluation: Evaluation) -> None:
        """Log an evaluation that is new, and let the archive and the generator know of it."""
        self.flight.popleft()
        if candidate.id >= self.replayed:
            self.log.append({**candidate.to_json(), **evaluation.to_json()})
        self.told += 1
        self.repeated += self.first[level_key(candidate.level)] != candidate.id
        self.archive.add(candidate.id, evaluation.feasible, evaluation.fitness, evaluation.constraint)
        self.generator.tell([candidate], [evaluation])

    def _fill(self) -> None:
        """Have `window` candidates under way."""
        config = self.config
        while True:
            room = config.window - len(self.flight)
            if config.evaluations:
                room = min(room, config.evaluations - self.asked)
            if room <= 0:
                return
            self.asking = True  # interrupted in here, the generator is not where a checkpoint could go on from
            fresh = self.generator.ask(room)
            self.flight.extend((candidate, candidate.id) for candidate in fresh)
            self.asked += len(fresh)
            self.asking = False
            if not fresh:
                if not self.flight:
                    raise PcgError(f"generator {config.generator} offers no candidates though it was told of all")
                return
            for position in range(len(self.flight) - len(fresh), len(self.flight)):
                candidate, _ = self.flight[position]
                self.flight[position] = (candidate, self._submit(candidate))

    def _submit(self, candidate: Candidate) -> Ticket | Evaluation | int:
        """Begin an evaluation, unless it has been made before."""
        if candidate.id < self.replayed:
            if self.log.read(candidate.id)["level"] != candidate.level:
                raise PcgError(
                    f"cannot continue {self.folder}: candidate {candidate.id} differs from the logged one, "
                    "so the run was made by another version"
                )
            return candidate.id
        same = self.first.setdefault(level_key(candidate.level), candidate.id)
        if same != candidate.id:
            return same  # told before this one, for results are applied in order
        found = self.cache.find(candidate.level) if self.cache is not None else None
        if found is not None:
            self.cached += 1
            return found
        return self.workers.submit(
            f"the evaluation of candidate {candidate.id} (its level is in {self.folder / FAILED})", evaluate_level,
            self.game, self.parameters, self.config.want, candidate.level, self.config.seed, code_digest(),
        )  # fmt: skip

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
            min(1.0, max(fractions)), self.generator.statistics(),
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
