"""Runs that make levels: what is evaluated and kept of each, on what all searching runs share (`pcg.runs.search`).

Equal levels are evaluated once, in one run (`deduplication`) and with a cache on disk in all runs (`cache`). What is
held in memory does not grow with the run but for some 20 bytes per candidate.
"""

from __future__ import annotations

import contextlib
import math
import platform
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Self, Unpack

import numpy as np

from pcg.engine.game import Game, load
from pcg.engine.lazy import cached_property
from pcg.engine.registry import loaded_plugins
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.courses import EVALUATION, Introductions
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.feasibility import check_size, check_winnable
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.fitness_functions import users_code
from pcg.evaluators.ladder import Difficulty
from pcg.evaluators.metrics.niches import niche_width
from pcg.evaluators.metrics.skeletons import StructuralShape, StructuralShapes
from pcg.evaluators.parameters import Setting
from pcg.evaluators.processes import processors
from pcg.evaluators.targets import Target, all_achieved, tally_targets
from pcg.generators.levels import Candidate, LevelGenerator, generator_class, make_generator
from pcg.generators.levels.curriculum import Curriculum
from pcg.runs.archive import Entry, level_archive
from pcg.runs.cache import EvaluationCache, code_digest, level_key, settings_key
from pcg.runs.deduplication import FirstOccurrences
from pcg.runs.experiments.course import (
    CHOICE,
    CONFIRMED,
    GENERATION,
    LONGER,
    MOST_CONFIRMED,
    SCREENED,
    SEEDS_APART,
    CourseCandidates,
    CourseLevel,
    choose_levels,
    level_steps,
    measure_difficulty,
    supposed_difficulty,
    told_apart,
)
from pcg.runs.experiments.levels_config import LevelRun
from pcg.runs.game_text import GameText
from pcg.runs.process_cache import ProcessCache
from pcg.runs.run import RunOptions, RunResult, run_experiment
from pcg.runs.search import FAILED, SearchRun, check_version
from pcg.runs.store import remove_levels, to_json, write_levels, write_whole
from pcg.runs.workers import Ticket, with_plugins

Settings = tuple[tuple[str, Setting], ...]


@dataclass(frozen=True)
class LevelProgress:
    """State of a run that makes levels, for a progress bar."""

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
    """Coverage and QD score of the generator's archive, if it has one."""
    measured: int = 0
    """Times that a level was played on the ladder, for the course."""

    def __str__(self) -> str:
        text = f"{self.evaluations} tried, {self.feasible} feasible, {self.distinct} of {self.wanted} levels"
        best = f", best {self.best:.2f}" if self.feasible else ""
        filled = f", {self.statistics['coverage']:.0%} of the cells" if "coverage" in self.statistics else ""
        played = f", {self.measured} played for the course" if self.measured else ""
        return text + best + filled + played


@dataclass(frozen=True)
class LevelResult(RunResult):
    """Result of a run that makes levels."""

    evaluations: int
    feasible: int
    levels: Sequence[Entry] = field(repr=False)
    """The best distinct feasible levels, best first, as in `levels/`."""
    spare: Sequence[Entry] = field(repr=False)
    """The best of the others, as in `infeasible/`."""
    targets: Sequence[Target] = field(default=(), repr=False)
    """Targets that the levels were to meet."""
    statistics: Mapping[str, float] = field(default_factory=dict)
    """Of the archive over measures, as in `archive.json`; empty for generators without one."""
    course: Sequence[CourseLevel] = ()
    """Levels of the course of a run with `progression`, with their lessons and difficulties."""
    repeated: int = 0
    """Candidates whose level had been evaluated before in this run, and was not evaluated again."""
    cached: int = 0
    """Evaluations of this session that came from the cache on disk."""


def _make_generator(config: LevelRun, game: Game) -> LevelGenerator:
    """Return the generator that a configuration asks for."""
    made = make_generator(
        config.generator, game, seed=config.seed, targets=config.want, **_generator_parameters(config)
    )  # fmt: skip
    made.judged_with(_evaluation_parameters(config))
    return made


def _generator_again(config: LevelRun, game: GameText) -> LevelGenerator:
    """Return the same in another process."""
    return _make_generator(config, game.load())


def run_levels(config: LevelRun, folder: Path | str, **options: Unpack[RunOptions]) -> LevelResult:
    """Generate levels into a new run folder; `pcg.runs.resume` goes on with it.

    Args:
        config: what to do.
        folder: of the run; must not exist or be empty.
        options: see `pcg.runs.RunOptions`.

    Raises:
        PcgError: for anything wrong with the configuration, before anything is written.

    >>> import tempfile
    >>> config = LevelRun("boxes", generator="constructive", count=1, evaluations=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = run_levels(config, f"{folder}/run")
    >>> result.evaluations, result.stopped
    (1, 'enough')
    """
    result: LevelResult = run_experiment(config, folder, **options)
    return result


# --- evaluation, in whatever thread, process or machine ---------------------------------------------------------------


def _build_evaluator(key: tuple[GameText, Settings, str]) -> LevelEvaluator:
    game, parameters, targets = key
    return LevelEvaluator(game.load(), targets, **dict(parameters))


_EVALUATORS = ProcessCache(_build_evaluator)


def evaluate_level(
    game: GameText, parameters: Settings, targets: str, level: str, seed: int, code: str = "", users: str | None = None
) -> tuple[Evaluation, float]:
    """Evaluate a level in whatever thread, process or machine this runs; with the seconds it took.

    Args:
        game: of the level.
        parameters: of the evaluator, with every default filled in.
        targets: what the level is to be like, as text.
        level: text of the level.
        seed: of all plays.
        code: see `code_digest`.
        users: see `users_code`; None when it does not matter.

    Raises:
        PcgError: when this is not the version that `code` names, or does not have the metrics and fitness functions of
            the user's that `users` stands for.
    """
    check_version(code)
    if users is not None and users != users_code():
        raise PcgError(
            f"the worker on {platform.node()} has not the same metrics and fitness functions of your own: put them "
            "into a file that the run loads (`--load FILE.py`, `load` in the configuration)"
        )
    started = time.perf_counter()
    evaluation = _EVALUATORS.get((game, parameters, targets)).evaluate(level, seed)
    return evaluation, time.perf_counter() - started


def _generator_parameters(config: LevelRun) -> dict[str, Setting]:
    """Return the parameters of the generator; for a course generators that can also make lessons."""
    given = dict(config.generator_parameters)
    if config.progression:
        known = {parameter.name for parameter in generator_class(config.generator).parameters}
        given = {**{name: value for name, value in GENERATION.items() if name in known}, **given}
    return given


def _evaluation_parameters(config: LevelRun) -> dict[str, Setting]:
    """Return the settings of the evaluation that are not the default; for a course also those of lessons."""
    usual = EVALUATION if config.progression else {}
    return {**usual, **config.evaluation_parameters}


# --- the run ----------------------------------------------------------------------------------------------------------


def _can_teach(event: Mapping[str, Any]) -> bool:
    """Return True where a level can be part of a course: how difficult it is shows only where somebody wins it."""
    return bool(event["feasible"] and event["play"])


def _verdict_of(event: Mapping[str, Any]) -> tuple[bool, float, float]:
    """Return what ranks go by: whether a level is feasible, its fitness, and how nearly it keeps the constraints."""
    return bool(event["feasible"]), float(event["fitness"]), float(event["constraint"])


class LevelSearch(SearchRun):
    """A run that makes levels.

    Args:
        config: what to do.
        game: the game, parsed.
        folder: of the run.
    """

    kind = "levels"
    task = "makes levels"
    options = (*SearchRun.options, "cache")
    config: LevelRun

    def __init__(self, config: LevelRun, game: Game, folder: Path) -> None:
        self.game = GameText.of(game)
        # Made here, before anything is written, so that every mistake shows at once.
        self.generator = _make_generator(config, game)
        super().__init__(config, folder, self.generator)
        given = _evaluation_parameters(config)
        self.evaluator = LevelEvaluator(game, self.generator.targets, **given)
        check_winnable(self.evaluator.analysis, self.evaluator.requirements)
        check_size(self.evaluator.palette, self.generator.widths[1], self.generator.heights[1])
        # only what was set: bounds that were not set give way to the game's own levels, in every process alike
        self.parameters = tuple(sorted((name, self.evaluator.settings[name]) for name in given))
        self.users_code = users_code()
        _EVALUATORS.put((self.game, self.parameters, config.want), self.evaluator)
        context = self.generator.context
        self.distance = niche_width(context.example_texts, config.distance)
        """Distance from which on two levels both count."""
        shapes = StructuralShapes(context.palette, context.examples, self.distance)
        self.archive = level_archive(
            config.count, shapes, context.example_texts, config.variety, lambda number: self.log.read(number), Entry.of
        )
        self._shapes = shapes
        self.course: list[CourseLevel] = []
        """Levels of the course of a run with `progression`, once it is over."""
        self._introducing = Introductions()  # of levels that are won
        self._looked_at = 0  # evaluations that these are of
        self._measured = 0  # times that a level was played on the ladder, for the course
        self._conclude_by = math.inf  # when no more are
        self.kept: Mapping[str, Any] | None = None
        self._about: dict[int, dict[str, Any]] = {}  # of the levels that are kept, by number
        self.first_of = FirstOccurrences()  # level -> the candidate that had it first
        self.repeated = 0
        self.cache: EvaluationCache | None = None
        self.cached = 0

    @classmethod
    def new(cls, config: LevelRun, folder: Path) -> Self:
        """Return the run that a configuration describes."""
        return cls(config, load(config.game, reading=config.reading or None), folder)

    @classmethod
    def open(cls, folder: Path, manifest: dict[str, Any], seconds: float | None, evaluations: int | None) -> Self:
        """Return the run in a folder."""
        config = LevelRun.read(folder / "config.toml").with_budget(seconds=seconds, evaluations=evaluations)
        game = GameText.read(folder / "game", manifest["game"]["name"], manifest["game"]["reading"])
        return cls(config, game.load(), folder)

    @contextlib.contextmanager
    def prepare(self, options: RunOptions) -> Iterator[None]:
        """Open the workers and the cache, and let other processes help the generator, for the time of a `with`."""
        with super().prepare(options):
            count = min(self.workers.count, processors())
            build = partial(with_plugins, loaded_plugins(), _generator_again, self.config, self.game)
            helped = count > 1 and self._is_long
            with self.generator.assisted(build, count) if helped else contextlib.nullcontext():
                yield

    @contextlib.contextmanager
    def _open_cache(self, folder: Path | str) -> Iterator[None]:
        """Open the cache in a folder, for evaluations as this run makes them."""
        config = self.config
        key = settings_key([self.game, self.parameters, config.want, config.seed])
        with contextlib.closing(EvaluationCache(folder, key)) as self.cache:
            yield

    # -- files ---------------------------------------------------------------------------------------------------------

    def write_inputs(self) -> None:
        """Write the game as it is now."""
        self.game.write(self.folder / "game")

    def manifest(self) -> dict[str, Any]:
        """Return what `run.json` says of a run that makes levels."""
        config = self.config
        return {
            **super().manifest(),
            "game": {**self.game.manifest(), "levels": len(self.game.levels)},
            "generator": {"name": config.generator, "parameters": self.generator.settings},
            "evaluation": self.evaluator.settings,
            "evaluation_set": [name for name, _ in self.parameters],
            "wants": [str(target) for target in self.evaluator.targets],
            "archive": {"size": config.count, "distance": self.distance, "variety": config.variety},
        }

    def write_results(self) -> None:
        """Write `levels/`, `infeasible/` and `archive.json`."""
        best, spare = self._best(), self.archive.spare()
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
        """Return an entry of `index.json`, with what the generator knows of the level."""
        number = entry.candidate.id
        if number not in self._about:  # telling can mean making the level once more
            self._about[number] = self.generator.about(entry.candidate)
        place = next((k for k, level in enumerate(self.course) if level.number == number), None)
        course = {} if place is None else {"course": self.course[place].to_json(place)}
        return {**entry.to_index(""), **self._about[number], **course}

    def _best(self) -> Sequence[Entry]:
        """Return the levels of the course, in order, or the best of all where there is none."""
        if not self.course:
            return self.archive.best()
        return [Entry.of(self.log.read(level.number)) for level in self.course]

    def write_findings(self) -> dict[str, Any]:
        """Return the generator's findings for `summary.json`; the levels of a front are written to `front/` instead."""
        findings = self.generator.findings()
        front = findings.get("front")
        if front is not None:
            entries = [(e["level"], {k: v for k, v in e.items() if k != "level"}) for e in front]
            write_levels(self.folder / "front", entries, self.game.source)
            findings["front"] = [entry for _, entry in entries]
        return {"findings": findings} if findings else {}

    # -- the search ----------------------------------------------------------------------------------------------------

    def _conclude(self, reason: str) -> None:
        """Choose the course of a run with `progression`, from levels that are measured on the ladder of agents."""
        if not self.config.progression:
            return
        config = self.config
        candidates = CourseCandidates()
        for event in self.log.read_all(0, self.told):
            if _can_teach(event) and self.first_of[level_key(event["level"])] == event["id"]:
                candidates.add(event, level_steps(self._curriculum, event["level"]))
        pool: list[Mapping[str, Any]] = [self.log.read(number) for number in candidates.choose(config.count)]
        difficulties: list[list[Difficulty]] = [[] for _ in pool]
        self._conclude_by = time.perf_counter() + self.seconds if self.seconds else math.inf
        # Where time is limited, some levels may have to do; they are then any of them.
        order = np.random.default_rng(config.seed).permutation(len(pool)).tolist()
        self._measure_again(pool, difficulties, order, config.count)
        for _ in range(1, SCREENED):
            self._measure_again(pool, difficulties, order)
        pool = [event for event, known in zip(pool, difficulties, strict=True) if known]
        difficulties = [known for known in difficulties if known]
        shapes = [self._shapes(str(event["level"])) for event in pool]
        # Extreme measurements are partly luck, so what is chosen is measured again, with new seeds, and so is in its
        # turn what it gives way to when its luck is over.
        while True:
            self.course = self._course(pool, shapes, difficulties)
            chain = {level.number for level in self.course}
            chosen = [k for k, event in enumerate(pool) if int(event["id"]) in chain]
            again = [k for k in chosen if len(difficulties[k]) < CONFIRMED]
            if not again:
                if told_apart([difficulties[k] for k in chosen], config.count):
                    break
                again = [k for k in chosen if len(difficulties[k]) < MOST_CONFIRMED]
            if not again or not self._measure_again(pool, difficulties, again):
                break

    @cached_property
    def _curriculum(self) -> Curriculum:
        return Curriculum(self.generator.context)

    def _measure_again(
        self, events: Sequence[Mapping[str, Any]], difficulties: Sequence[list[Difficulty]], places: Sequence[int],
        least: int = 0,
    ) -> bool:  # fmt: skip
        """Add one more difficulty to those of some levels, measured by the workers with seeds of its own; return False
        if it took as long as the search was allowed to, so that some were left out.

        Args:
            events: of all levels.
            difficulties: of these.
            places: of the levels among these.
            least: levels that are measured however long it takes.
        """
        together = self.workers.count if self.seconds else max(1, len(places))
        for done in range(0, len(places), together):
            if done >= least and time.perf_counter() > self._conclude_by:
                return False
            some = places[done : done + together]
            tickets = [
                self.workers.submit(f"the plays of level {events[k]['id']} on the ladder", measure_difficulty,
                                    self.game, self.parameters, str(events[k]["level"]), events[k],
                                    self.config.seed + SEEDS_APART * len(difficulties[k]))
                for k in some
            ]  # fmt: skip
            for k, ticket in zip(some, tickets, strict=True):
                difficulties[k].append(self.workers.result(ticket))
                self._measured += 1
                self.show_progress()
        return True

    def _course(
        self, events: Sequence[Mapping[str, Any]], shapes: Sequence[StructuralShape],
        difficulties: Sequence[Sequence[Difficulty]],
    ) -> list[CourseLevel]:  # fmt: skip
        """Return a course of these levels."""
        return choose_levels(
            self.evaluator.game, self._curriculum, events, difficulties, shapes,
            lambda one, other: one.distance(other) < self.distance, self.config.count,
        )  # fmt: skip

    def _finish(self, reason: str) -> dict[str, Any]:
        summary = {"generations": self._generation(), **self.archive.summary(), **self._tally()}
        if self.kept is not None:
            summary["archive"] = self.kept["statistics"]
        summary["repeated"] = self.repeated
        return summary | self.write_findings()

    def _result(self, reason: str) -> LevelResult:
        statistics = self.kept["statistics"] if self.kept is not None else {}
        return LevelResult(
            self.folder, reason, self.told, self.archive.feasible, self._best(), self.archive.spare(),
            self.evaluator.targets, statistics, self.course, self.repeated, self.cached,
        )  # fmt: skip

    def _stopped(self) -> dict[str, Any]:
        return {"cached": self.cached}

    def _meet(self, event: dict[str, Any]) -> None:
        self.first_of.setdefault(level_key(event["level"]), int(event["id"]))
        _verdict_of(event)  # a damaged event shows at once

    def _take_again(self, event: dict[str, Any]) -> None:
        number = int(event["id"])
        self.archive.add(number, *_verdict_of(event))
        self.repeated += self.first_of[level_key(event["level"])] != number

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
        self.repeated += self.first_of[level_key(candidate.level)] != candidate.id
        self.archive.add(candidate.id, verdict.feasible, verdict.fitness, verdict.constraint)
        if fresh and self.cache is not None:
            self.cache.store(candidate.level, verdict)

    def _begin(self, candidate: Candidate) -> Ticket | Evaluation | int:
        """Begin an evaluation, unless it has been made before."""
        same = self.first_of.setdefault(level_key(candidate.level), candidate.id)
        if same != candidate.id:
            return same  # told before this one, for results are applied in order
        found = self.cache.find(candidate.level) if self.cache is not None else None
        if found is not None:
            self.cached += 1
            return found
        return self.workers.submit(
            f"the evaluation of candidate {candidate.id} (its level is in {self.folder / FAILED})", evaluate_level,
            self.game, self.parameters, self.config.want, candidate.level, self.config.seed, code_digest(),
            self.users_code,
        )  # fmt: skip

    def _enough(self) -> bool:
        return not self.generator.learns and self._finished() >= self.config.count

    def _tally(self) -> dict[str, Any]:
        """Return the achievement of the targets for `summary.json`; nothing where there were none."""
        found = [entry.evaluation.targets for entry in self.archive.best()]
        tallies = tally_targets(self.evaluator.targets, found)
        if not tallies:
            return {}
        wants = [{"want": str(t.target), "achieved": t.achieved, "of": t.of} for t in tallies]
        return {"wants": wants, "all_wants": sum(map(all_achieved, found))}

    def _most_evaluations(self) -> int:
        """Return the number of evaluations asked for; a course with too few levels to choose from, or none that
        introduce things one at a time, is searched for longer.
        """
        if not (self.config.progression and self.evaluations):
            return self.evaluations
        short = self.archive.feasible < CHOICE * self.config.count
        return self.evaluations * (LONGER if short or self._introduces_at_once() else 1)

    def _introduces_at_once(self) -> bool:
        """Return True where all that was asked for is evaluated and no course of the levels that are won can introduce
        things one at a time.
        """
        if self.told < self.evaluations:
            return False
        for event in map(self.log.read, range(self._looked_at, self.told)):
            if _can_teach(event):
                self._introducing.add(supposed_difficulty(event), level_steps(self._curriculum, event["level"]))
        self._looked_at = self.told
        return bool(self._introducing.missing())

    def _finished(self) -> int:
        """Return the number of best levels that achieve all that is wanted."""
        return sum(all_achieved(entry.evaluation.targets) for entry in self.archive.best())

    def _generation(self) -> int:
        return int(getattr(self.generator, "generation", 0))

    def _progress(self) -> LevelProgress:
        config, archive = self.config, self.archive
        fraction = self._fraction()
        if not self.generator.learns:
            fraction = max(fraction, min(1.0, self._finished() / config.count))
        return LevelProgress(
            self.told, archive.feasible, archive.distinct, config.count, archive.highest, self._generation(),
            self.elapsed(), fraction, self.generator.statistics(), self._measured,
        )  # fmt: skip
