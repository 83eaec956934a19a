"""Runs that make rules for the sprites and levels of a game.

Layout of the folder (as of all runs, see `pcg.runs`; here what is different):

`run.json`
    `kind` ("rules"), `game` (as of runs that make levels), `levels` (numbers played), `generator` {`name`,
    `parameters`}, `evaluation`, `start`, `drop`, `archive` {`size`, `distance`}, `confirm`, `finalists`, `budget`,
    `seed`, `versions`.
`game/game.vgdl`, `game/lvl0.txt`, ...
    The game as it was: a resumed run never reads the original. Its own rules are the parent where `start` is "own".
`events.jsonl`
    One line per evaluation: `id`, `genotype` (rules and terminations, each a list of words), `origin`, `generation`,
    `parents` (ids), and the verdict (see `evaluators.games.GameEvaluation`).
`games/index.json`
    The best games that are unlike one another, best first: {`games`: [{`file`, `id`, `origin`, `generation`, `parents`,
    the verdict, `confirmed` (the verdict of the last plays with other seeds, or null), `edits` (from the game's own
    rules)}]}.
`games/archive.json`
    Of generators with an archive (`map-elites`): the best game of every cell, as its rules, with its values.
`games/game0.txt`, `games/game0_lvl0.txt`, ...
    These games, strict VGDL, with their levels: `pcg.load("DIR/games/game0.txt")`.
`summary.json`
    When the run stops: `stopped`, `evaluations`, `repeated`, `feasible`, `distinct`, `best`, `reasons` {why games were
    not feasible: how often}, `confirmed` {`games`, `ordered`, `separated`, `both`} of the last plays.
"""

from __future__ import annotations

import contextlib
import functools
import platform
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from pcg.engine.game import load
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.games import GameEvaluation, GameEvaluator
from pcg.evaluators.parameters import Setting
from pcg.evaluators.tournament.games import Entry as GameEntry
from pcg.evaluators.tournament.games import select_levels
from pcg.generators.rules import RuleCandidate, RuleGenerator, RuleSet, RuleSpace, make_rule_generator
from pcg.generators.rules.genes import edits, shape_distance, shape_of
from pcg.runs.archive import Archive
from pcg.runs.cache import code_digest
from pcg.runs.driver import GameText
from pcg.runs.rules_config import RulesRun, read_rules_config
from pcg.runs.search import FAILED, SearchRun, versions
from pcg.runs.store import FORMAT, RULES, check_new, check_run, read_json, to_json, write_whole
from pcg.runs.workers import Ticket, Workers, open_workers

CONFIRM = 2**20
"""Added to the seed of a run for the plays at its end."""


@dataclass(frozen=True)
class RulesProgress:
    """How far a run is, for a progress bar."""

    evaluations: int
    feasible: int
    distinct: int
    wanted: int
    best: float
    """Fitness of the best game, 0 without one."""
    generation: int
    fraction: float
    """Share of the budget that is spent, in [0, 1]."""


@dataclass(frozen=True)
class GameResult:
    """One of the games that a run keeps."""

    candidate: RuleCandidate
    evaluation: GameEvaluation
    confirmed: GameEvaluation | None = None
    """The verdict of the last plays, with other seeds."""

    @classmethod
    def of(cls, event: Mapping[str, Any]) -> GameResult:
        """The result of an event of the log."""
        return cls(RuleCandidate.from_json(event), GameEvaluation.from_json(event))

    @property
    def promise(self) -> tuple[bool, float, float, int]:
        """Larger is better: first weakest and strongest apart, then the order of all as certain as may be."""
        last = self.confirmed
        if last is None:
            return False, 0.0, self.evaluation.fitness, -self.candidate.id
        return last.separated, last.metrics.get("certainty", 0.0), self.evaluation.fitness, -self.candidate.id

    @property
    def rank(self) -> tuple[int, tuple[bool, float, float, int]]:
        """Larger is better: what has held its order in the most plays comes first."""
        last = self.confirmed
        plays = last.profile[0].plays if last is not None and last.profile else 0
        return plays, self.promise


@dataclass(frozen=True)
class RulesResult:
    """What a run left behind."""

    folder: Path
    stopped: str
    """"evaluations", "seconds", "enough" or "interrupted"."""
    evaluations: int
    feasible: int
    games: Sequence[GameResult] = field(repr=False)
    """The best games that are unlike one another, best first, as in `games/`."""
    summary: Mapping[str, Any] = field(repr=False)
    """As `summary.json`."""


@dataclass(frozen=True)
class Work:
    """What an evaluation needs besides the rules: all of it can be sent to another machine."""

    game: GameText
    levels: tuple[str, ...]
    settings: tuple[tuple[str, Setting], ...]
    seed: int


@functools.lru_cache(maxsize=4)
def _court(work: Work) -> tuple[RuleSpace, GameEvaluator]:
    return RuleSpace.of(work.game.source, work.levels), GameEvaluator(work.levels, **dict(work.settings))


def evaluate_rules(
    work: Work, genotype: RuleSet, plays: int = 0, code: str = "", bar: float = 0.0
) -> tuple[GameEvaluation, float]:
    """Judge a rule set in whatever thread, process or machine this runs; with the seconds it took.

    Args:
        work: what all evaluations of a run share.
        genotype: the rules.
        plays: 0 for an evaluation; else so many plays of every agent, with seeds of their own.
        code: see `code_digest`.
        bar: a fitness that the game must be able to reach; an evaluation ends when it no longer is.

    Raises:
        PcgError: when this is not the version that `code` names.
    """
    if code and code != code_digest():
        raise PcgError(f"the worker on {platform.node()} has another version of the toolkit: install the same there")
    started = time.perf_counter()
    space, evaluator = _court(work)
    compiled = space.compile(genotype)
    if not compiled.ok:
        verdict = GameEvaluation.unreadable(_first_problem(compiled.diagnostics, compiled.problem))
    elif plays:
        verdict = evaluator.confirm(compiled.game(work.levels), plays, work.seed + CONFIRM)
    else:
        verdict = evaluator.evaluate(
            compiled.game(work.levels), work.seed, diagnostics=compiled.diagnostics, threshold=bar
        )
    return verdict, time.perf_counter() - started


def _first_problem(diagnostics: Sequence[Any], problem: str) -> str:
    errors = [d.message for d in diagnostics if d.severity == "error"]
    return errors[0] if errors else problem


def run_rules(
    config: RulesRun,
    folder: Path | str,
    *,
    workers: int | None = None,
    executor: Executor | str | None = None,
    progress: Callable[[RulesProgress], None] | None = None,
    command: Sequence[str] | None = None,
) -> RulesResult:
    """Make rules into a new run folder.

    Args:
        config: what to do.
        folder: of the run; must not exist or be empty.
        workers: evaluations side by side (default: one per processor); no influence on the result of a counted budget.
        executor: what evaluates, as for `run_levels`; no influence on the result either.
        progress: called after every evaluation.
        command: command line to note in `timing.jsonl` (default: that of this process).

    Returns:
        The result; also when interrupted with Ctrl-C, after which `resume_rules` goes on.

    Raises:
        PcgError: for anything wrong with the configuration, before anything is written.
    """
    folder = Path(folder)
    check_new(folder)
    game = load(config.game, reading=config.reading or None)
    run = _Run(config, GameText.of(game), folder)
    with contextlib.closing(open_workers(executor, workers)) as crew:
        run.create()
        return run.drive(crew, progress, command)


def resume_rules(
    folder: Path | str,
    *,
    seconds: float | None = None,
    evaluations: int | None = None,
    workers: int | None = None,
    executor: Executor | str | None = None,
    progress: Callable[[RulesProgress], None] | None = None,
    command: Sequence[str] | None = None,
) -> RulesResult:
    """Go on with a run that was interrupted or killed, or give a finished one a larger budget.

    Args:
        folder: of the run.
        seconds: a new limit of time (of the whole run), instead of its own.
        evaluations: a new number of evaluations (of the whole run), instead of its own.
        workers: as for `run_rules`.
        executor: as for `run_rules`.
        progress: as for `run_rules`.
        command: as for `run_rules`.

    Raises:
        PcgError: when the folder is no such run, or one that this version cannot continue.
    """
    folder = Path(folder)
    manifest = check_run(folder)
    if manifest.get("kind") != RULES:
        raise PcgError(f"{folder} holds no run that makes rules but one of kind {manifest.get('kind')!r}")
    config = read_rules_config(folder / "config.toml").with_budget(seconds=seconds, evaluations=evaluations)
    game = GameText.read(folder / "game", manifest["game"]["name"], manifest["game"]["reading"])
    run = _Run(config, game, folder)
    with contextlib.closing(open_workers(executor, workers)) as crew:
        run.write_manifest()
        return run.drive(crew, progress, command)


def beginning(config: RulesRun, game: GameText) -> tuple[RuleSet, ...]:
    """The rule sets that the search begins with: none, or the game's own with some of its rules taken out."""
    if config.start != "own":
        return ()
    own = RuleSet.of(game.source)
    if not config.drop:
        return (own,)
    rng = np.random.default_rng(np.random.SeedSequence([config.seed, 0xD209]))
    gone = set(rng.permutation(len(own.rules))[: round(config.drop * len(own.rules))].tolist())
    return (RuleSet(tuple(rule for k, rule in enumerate(own.rules) if k not in gone), own.endings),)


class _Run(SearchRun):
    """One run in one process."""

    def __init__(self, config: RulesRun, game: GameText, folder: Path) -> None:
        self.config = config
        self.game = game
        # Made here, before anything is written, so that every mistake shows at once.
        if not game.levels:
            raise PcgError(f"{game.name} has no levels to play: expected files such as {game.name}_lvl0.txt beside it")
        entry = GameEntry(game.name, "", "", 1, len(game.levels), "")
        self.numbers = tuple(select_levels(config.levels, [entry])[game.name])
        levels = tuple(game.levels[k] for k in self.numbers)
        self.space = RuleSpace.of(game.source, levels)
        self.own = RuleSet.of(game.source)
        start = beginning(config, game)
        given: dict[str, Any] = dict(config.generator_parameters)
        if start:
            given["start"] = start
        self.generator: RuleGenerator = make_rule_generator(config.generator, self.space, seed=config.seed, **given)
        super().__init__(
            folder, self.generator, window=config.window, every=config.checkpoint, seconds=config.seconds,
            evaluations=config.evaluations,
        )  # fmt: skip
        self.evaluator = GameEvaluator(levels, **config.evaluation_parameters)
        self.work = Work(game, levels, tuple(self.evaluator.settings.items()), config.seed)
        self.archive = Archive(
            config.count + config.finalists, config.distance, lambda number: self.log.read(number), GameResult.of,
            lambda event: shape_of(RuleSet.from_json(event["genotype"])), shape_distance,
        )  # fmt: skip
        self.first: dict[bytes, int] = {}  # rule set -> the candidate that had it first
        self.repeated = 0
        self.reasons: Counter[str] = Counter()
        self.confirmed: dict[int, GameEvaluation] = {}
        self._ranks: list[tuple[int, bool, float, float, str]] = []

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
            "kind": RULES,
            "game": {
                "name": self.game.name,
                "reading": self.game.reading,
                "sha256": sha256(self.game.source.encode()).hexdigest(),
                "levels": len(self.game.levels),
            },
            "seed": config.seed,
            "levels": self.numbers,
            "start": config.start,
            "drop": config.drop,
            "generator": {"name": config.generator, "parameters": self.generator.settings},
            "evaluation": self.evaluator.settings,
            "archive": {"size": config.count, "distance": config.distance},
            "confirm": config.confirm,
            "finalists": config.finalists,
            "budget": {"seconds": config.seconds or None, "evaluations": config.evaluations or None},
            "versions": versions(),
        }
        write_whole(self.folder / "config.toml", config.to_toml())
        write_whole(self.folder / "run.json", to_json(manifest, indent=1) + "\n")

    def games(self) -> list[GameResult]:
        """The best games that are unlike one another, best first, as many as are wanted."""
        found = self.archive.best()
        if self.confirmed:
            found = [GameResult(g.candidate, g.evaluation, self.confirmed.get(g.candidate.id)) for g in found]
            found.sort(key=lambda game: game.rank, reverse=True)
        return found[: self.config.count]

    def write_results(self) -> None:
        """The games, as text with their levels, and an index of them; a file that is there already stays."""
        folder, games = self.folder / "games", self.games()
        if not games:
            return
        folder.mkdir(exist_ok=True)
        entries = []
        for k, game in enumerate(games):
            write_whole(folder / f"game{k}.txt", self.space.tidy(game.candidate.genotype))
            for number, level in enumerate(self.work.levels):
                write_whole(folder / f"game{k}_lvl{number}.txt", level)
            last = game.confirmed
            entries.append({
                "file": f"game{k}.txt", **game.candidate.to_json(), **game.evaluation.to_json(),
                "confirmed": last.to_json() if last is not None else None,
                "edits": edits(self.own, game.candidate.genotype),
            })  # fmt: skip
        for path in sorted(folder.glob("game*.txt")):
            place = path.stem.removeprefix("game").split("_")[0]
            if not place.isdigit() or int(place) >= len(games):
                path.unlink()
        write_whole(folder / "index.json", to_json({"games": entries}) + "\n")
        kept = self.generator.archive()
        if kept is not None:
            write_whole(folder / "archive.json", to_json(kept) + "\n")

    # -- the search ----------------------------------------------------------------------------------------------------

    def drive(
        self, workers: Workers, progress: Callable[[RulesProgress], None] | None, command: Sequence[str] | None
    ) -> RulesResult:
        """Run to the end of the budget, and play the best games again."""
        reason = self.search(workers, progress, command)
        games = self.games()
        self.log.close()
        summary = read_json(self.folder / "summary.json")
        return RulesResult(self.folder, reason, self.told, self.archive.feasible, games, summary)

    def _conclude(self, reason: str) -> None:
        """Play the best games with new seeds; those that hold their order come first.

        By successive halving (Jamieson, Talwalkar 2016): all finalists are played a little, the better half of them
        more, and half of those as often as is asked for, so that luck in few plays does not make a winner. As many as
        are wanted stay to the end.
        """
        if not self.config.confirm:
            return
        best = list(self.archive.best()[: max(self.config.finalists, self.config.count)])
        for rounds_left in (2, 1, 0):
            plays = -(-self.config.confirm // 2**rounds_left)
            tickets = [
                self.workers.submit(
                    f"the last plays of candidate {game.candidate.id}", evaluate_rules, self.work,
                    game.candidate.genotype, plays, code_digest(),
                )
                for game in best
            ]  # fmt: skip
            played = [
                GameResult(game.candidate, game.evaluation, self.workers.result(ticket)[0])
                for game, ticket in zip(best, tickets, strict=True)
            ]
            self.confirmed.update({game.candidate.id: game.confirmed for game in played if game.confirmed is not None})
            best = sorted(played, key=lambda game: game.promise, reverse=True)
            best = best[: max(self.config.count, -(-len(played) // 2))]

    def _finish(self, reason: str) -> dict[str, Any]:
        last = [game.confirmed for game in self.games() if game.confirmed is not None]
        return {
            **self.archive.summary(),
            "distinct": len(self.games()),
            "repeated": self.repeated,
            "generations": self._generation(),
            "reasons": dict(self.reasons.most_common(20)),
            "confirmed": {
                "games": len(last),
                "ordered": sum(verdict.ordered for verdict in last),
                "separated": sum(verdict.separated for verdict in last),
                "both": sum(verdict.ordered and verdict.separated for verdict in last),
            },
        }

    def _generation(self) -> int:
        return int(getattr(self.generator, "generation", 0))

    def _enough(self) -> bool:
        return not self.generator.learns and len(self.archive.best()) >= self.config.count

    def _progress(self) -> RulesProgress:
        counts = self.archive.summary()
        return RulesProgress(
            self.told, self.archive.feasible, min(int(counts["distinct"]), self.config.count), self.config.count,
            float(counts["best"]), self._generation(), self._fraction(),
        )  # fmt: skip

    # -- what all runs ask ---------------------------------------------------------------------------------------------

    def _candidate(self, data: dict[str, Any]) -> RuleCandidate:
        return RuleCandidate.from_json(data)

    def _same(self, event: dict[str, Any], candidate: RuleCandidate) -> bool:
        return bool(event["genotype"] == candidate.genotype.to_json())

    def _begin(self, candidate: RuleCandidate) -> Ticket | int:
        same = self.first.setdefault(_key(candidate.genotype), candidate.id)
        if same != candidate.id:
            return same  # told before this one, for results are applied in order
        return self.workers.submit(
            f"the evaluation of candidate {candidate.id} (its game is in {self.folder / FAILED})", evaluate_rules,
            self.work, candidate.genotype, 0, code_digest(), self.generator.bar(),
        )  # fmt: skip

    def _verdict(self, event: dict[str, Any]) -> GameEvaluation:
        return GameEvaluation.from_json(event)

    def _event(self, candidate: RuleCandidate, verdict: GameEvaluation) -> dict[str, Any]:
        return {**candidate.to_json(), **verdict.to_json()}

    def _keep(self, candidate: RuleCandidate, verdict: GameEvaluation, fresh: bool) -> None:
        del fresh
        self._take(candidate.id, verdict.feasible, verdict.fitness, verdict.constraint, verdict.reason)
        self.repeated += self.first.setdefault(_key(candidate.genotype), candidate.id) != candidate.id

    def _take(self, number: int, feasible: bool, fitness: float, constraint: float, reason: str) -> None:
        self.archive.add(number, feasible, fitness, constraint)
        if reason:
            self.reasons[_kind_of(reason)] += 1

    def _meet(self, event: dict[str, Any], told: bool) -> None:
        number = int(event["id"])
        first = self.first.setdefault(_key(RuleSet.from_json(event["genotype"])), number)
        if told:
            values = (
                bool(event["feasible"]),
                float(event["fitness"]),
                float(event["constraint"]),
                str(event["reason"]),
            )
            self._ranks.append((number, *values))
            self.repeated += first != number

    def _went_on(self, trusted: bool) -> None:
        if trusted:
            for rank in self._ranks:
                self._take(*rank)
        else:
            self.repeated = 0
        self._ranks = []

    def _text(self, candidate: RuleCandidate) -> str:
        return self.space.text(candidate.genotype)


def _key(genotype: RuleSet) -> bytes:
    return sha256(str(genotype).encode()).digest()[:16]


def _kind_of(reason: str) -> str:
    """A reason without its numbers, names and example, so that reasons can be counted."""
    words = ["..." if any(c.isdigit() for c in word) or "`" in word else word for word in reason.split(", ")[0].split()]
    return " ".join(words)[:80]
