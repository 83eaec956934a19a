"""Runs that make levels: what is evaluated and kept of each, on what all searching runs share (`search`).

Where evaluations run is the business of `workers`; equal levels are evaluated once (`cache`). What is held in memory
does not grow with the run but for a few dozen bytes per candidate.
"""

from __future__ import annotations

import contextlib
import functools
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from pcg.engine.game import Game, load
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.feasibility import check_size, check_winnable
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.parameters import Setting
from pcg.evaluators.targets import Target, all_achieved, tally_targets
from pcg.generators.levels import Candidate, LevelGenerator, make_generator
from pcg.runs.archive import Archive, Entry
from pcg.runs.cache import EvaluationCache, code_digest, level_key, settings_key
from pcg.runs.config import LevelRun, read_config
from pcg.runs.interrupts import uninterrupted
from pcg.runs.search import FAILED, SearchRun, versions
from pcg.runs.seen import FirstSeen
from pcg.runs.store import (
    FORMAT,
    LEVELS,
    check_new,
    check_run,
    read_json,
    remove_levels,
    to_json,
    write_levels,
    write_whole,
)
from pcg.runs.workers import Ticket, Workers, open_workers


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
    wants: Sequence[Target] = field(default=(), repr=False)
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

    def write(self, folder: Path) -> None:
        """Put the game and its levels into a folder, which is made."""
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / "game.vgdl", self.source)
        for k, level in enumerate(self.levels):
            write_whole(folder / f"lvl{k}.txt", level)

    @classmethod
    def read(cls, folder: Path, name: str, reading: str) -> GameText:
        """The game in a folder.

        Raises:
            PcgError: something of it is missing.
        """
        levels = sorted(folder.glob("lvl*.txt"), key=lambda p: int(p.stem[3:]))
        try:
            source = (folder / "game.vgdl").read_text(encoding="utf-8")
            texts = tuple(p.read_text(encoding="utf-8") for p in levels)
        except OSError as error:
            raise PcgError(f"{folder.parent} lacks its game: {error.filename}: {error.strerror}") from None
        return cls(name, source, texts, reading)


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
    run = _Run(config, GameText.read(folder / "game", name["name"], name["reading"]), folder)
    with contextlib.closing(open_workers(executor, workers)) as crew:
        kept = run.open_cache(cache)
        run.write_manifest()
        return run.drive(crew, kept, progress, command)


class _Run(SearchRun):
    """One run in one process."""

    def __init__(self, config: LevelRun, game: GameText, folder: Path) -> None:
        self.config = config
        self.game = game
        # Made here, before anything is written, so that every mistake shows at once.
        loaded = game.load()
        self.generator: LevelGenerator = make_generator(
            config.generator, loaded, seed=config.seed, targets=config.want, **config.generator_parameters
        )
        super().__init__(
            folder, self.generator, window=config.window, every=config.checkpoint, seconds=config.seconds,
            evaluations=config.evaluations,
        )  # fmt: skip
        self.evaluator = LevelEvaluator(loaded, config.want, **config.evaluation_parameters)
        check_winnable(self.evaluator.analysis, self.evaluator.requirements)
        check_size(self.evaluator.palette, self.generator.widths[1], self.generator.heights[1])
        self.parameters = tuple(self.evaluator.settings.items())
        self.archive = Archive(config.count, config.distance, lambda number: self.log.read(number), Entry.of)
        self.kept: Mapping[str, Any] | None = None
        self._about: dict[int, dict[str, Any]] = {}  # of the levels that are kept, by number
        self.first = FirstSeen()  # level -> the candidate that had it first
        self.repeated = 0
        self.cached = 0
        self._ranks: list[tuple[int, bool, float, float]] = []

    def open_cache(self, folder: Path | str | None) -> EvaluationCache | None:
        """The cache in a folder, for evaluations as this run makes them."""
        if folder is None:
            return None
        config = self.config
        return EvaluationCache(folder, settings_key([self.game, self.parameters, config.want, config.seed]))

    # -- files ---------------------------------------------------------------------------------------------------------

    def create(self) -> None:
        """The folder with the files that never change."""
        try:
            self.game.write(self.folder / "game")
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
            "wants": [str(want) for want in self.evaluator.targets],
            "archive": {"size": config.count, "distance": config.distance},
            "budget": {"seconds": config.seconds or None, "evaluations": config.evaluations or None},
            "versions": versions(),
        }
        write_whole(self.folder / "config.toml", config.to_toml())
        write_whole(self.folder / "run.json", to_json(manifest, indent=1) + "\n")

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

    # -- the search ----------------------------------------------------------------------------------------------------

    def drive(
        self,
        workers: Workers,
        cache: EvaluationCache | None,
        progress: Callable[[Progress], None] | None,
        command: Sequence[str] | None,
    ) -> RunResult:
        """Run to the end of the budget."""
        self.cache = cache
        reason = self.search(workers, progress, command)
        with uninterrupted():
            best, spare = self.archive.best(), self.archive.spare()
            self.log.close()
            if cache is not None:
                cache.close()
        statistics = self.kept["statistics"] if self.kept is not None else {}
        return RunResult(
            self.folder, reason, self.told, self.archive.feasible, best, spare, self.evaluator.targets, statistics,
            self.repeated, self.cached,
        )  # fmt: skip

    def _finish(self, reason: str) -> dict[str, Any]:
        summary = {"generations": self._generation(), **self.archive.summary(), **self._tally()}
        if self.kept is not None:
            summary["archive"] = self.kept["statistics"]
        summary["repeated"] = self.repeated
        return summary | self.write_findings()

    def _stopped(self) -> dict[str, Any]:
        return {"cached": self.cached}

    def _meet(self, event: dict[str, Any], told: bool) -> None:
        number = int(event["id"])
        self.first.setdefault(level_key(event["level"]), number)
        if told:
            self._ranks.append((number, bool(event["feasible"]), float(event["fitness"]), float(event["constraint"])))
            self.repeated += self.first[level_key(event["level"])] != number

    def _went_on(self, trusted: bool) -> None:
        if trusted:
            for rank in self._ranks:
                self.archive.add(*rank)
        else:
            self.repeated = 0
        self._ranks.clear()

    def _candidate(self, data: dict[str, Any]) -> Candidate:
        return Candidate.from_json(data)

    def _same(self, event: dict[str, Any], candidate: Candidate) -> bool:
        return bool(event["level"] == candidate.level)

    def _verdict(self, event: dict[str, Any]) -> Evaluation:
        return Evaluation.from_json(event)

    def _event(self, candidate: Candidate, verdict: Evaluation) -> dict[str, Any]:
        return {**candidate.to_json(), **verdict.to_json()}

    def _text(self, candidate: Candidate) -> str:
        return candidate.level

    def _keep(self, candidate: Candidate, verdict: Evaluation, fresh: bool) -> None:
        self.repeated += self.first[level_key(candidate.level)] != candidate.id
        self.archive.add(candidate.id, verdict.feasible, verdict.fitness, verdict.constraint)
        if fresh and self.cache is not None:
            self.cache.store(candidate.level, verdict)

    def _begin(self, candidate: Candidate) -> Ticket | Evaluation | int:
        """Begin an evaluation, unless it has been made before."""
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

    def _enough(self) -> bool:
        return not self.generator.learns and self._finished() >= self.config.count

    def _tally(self) -> dict[str, Any]:
        """What came of the wants, for `summary.json`; nothing where there were none."""
        found = [entry.evaluation.targets for entry in self.archive.best()]
        tallies = tally_targets(self.evaluator.targets, found)
        if not tallies:
            return {}
        wants = [{"want": str(t.target), "achieved": t.achieved, "of": t.of} for t in tallies]
        return {"wants": wants, "all_wants": sum(map(all_achieved, found))}

    def _finished(self) -> int:
        """How many of the best levels achieve all that is wanted."""
        return sum(all_achieved(entry.evaluation.targets) for entry in self.archive.best())

    def _generation(self) -> int:
        return int(getattr(self.generator, "generation", 0))

    def _progress(self) -> Progress:
        config, best = self.config, self.archive.best()
        fraction = self._fraction()
        if not self.generator.learns:
            fraction = max(fraction, min(1.0, self._finished() / config.count))
        fitness = best[0].evaluation.fitness if best else 0.0
        return Progress(
            self.told, self.archive.feasible, len(best), config.count, fitness, self._generation(), self.elapsed(),
            fraction, self.generator.statistics(),
        )  # fmt: skip
