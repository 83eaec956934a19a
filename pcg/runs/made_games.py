"""What runs that make games have in common, whether they make rules (`rules`) or whole games (`games`).

Every candidate is judged by agents of rising skill, the best that are unlike one another are kept with their levels,
and at the end they are played again with other seeds. What a candidate is and how a game comes of it is for subclasses
to say.
"""

from __future__ import annotations

import contextlib
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.games import GameEvaluation
from pcg.evaluators.parameters import Setting
from pcg.generators.contract import Generator
from pcg.generators.population import AGAIN
from pcg.runs.archive import Archive
from pcg.runs.cache import code_digest
from pcg.runs.search import FAILED, SearchRun, versions
from pcg.runs.seen import FirstSeen
from pcg.runs.store import FORMAT, check_run, read_json, to_json, write_whole
from pcg.runs.workers import Ticket, Workers, open_workers

CONFIRM = 2**20
"""Added to the seed of a run for the plays at its end."""


def sample_seed(seed: int, sample: int) -> int:
    """Seed of the evaluations of one generation: each has its own, so that no game is bred for the luck of a seed."""
    return seed + (sample << 64)


class MakingConfig(Protocol):
    """What the configurations of such runs have in common."""

    @property
    def generator(self) -> str: ...
    @property
    def count(self) -> int: ...
    @property
    def seed(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def evaluations(self) -> int: ...
    @property
    def distance(self) -> float: ...
    @property
    def window(self) -> int: ...
    @property
    def checkpoint(self) -> int: ...
    @property
    def confirm(self) -> int: ...
    @property
    def finalists(self) -> int: ...
    @property
    def levels(self) -> str: ...

    def to_toml(self) -> str:
        """As the text of a configuration file."""


class MadeGame(Protocol):
    """A candidate of such a run."""

    @property
    def id(self) -> int: ...
    @property
    def genotype(self) -> Any: ...
    @property
    def origin(self) -> str: ...
    @property
    def generation(self) -> int: ...

    def to_json(self) -> dict[str, Any]:
        """As a JSON object."""


@dataclass(frozen=True)
class MakingProgress:
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

    candidate: Any
    evaluation: GameEvaluation
    confirmed: GameEvaluation | None = None
    """The verdict of the last plays, with other seeds."""

    @property
    def promise(self) -> tuple[float, float, int]:
        """Larger is better: how likely all are in order, and weakest and strongest apart, in further plays."""
        last = self.confirmed
        likely = last.metrics.get("certainty", 0.0) * last.metrics.get("apart", 0.0) if last is not None else 0.0
        return likely, self.evaluation.fitness, -self.candidate.id

    @property
    def rank(self) -> tuple[int, tuple[float, float, int]]:
        """Larger is better: what has held its order in the most plays comes first."""
        last = self.confirmed
        plays = last.profile[0].plays if last is not None and last.profile else 0
        return plays, self.promise


@dataclass(frozen=True)
class MakingResult:
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


class MakingRun(SearchRun):
    """One run in one process.

    Args:
        config: what to do.
        folder: of the run.
        generator: what makes candidates.
        shape: what is compared of an event's genotype, as JSON.
        apart: distance of two shapes.
    """

    kind: str

    def __init__(
        self, config: MakingConfig, folder: Path, generator: Generator[Any, Any], shape: Callable[[Any], Any],
        apart: Callable[[Any, Any], float],
    ) -> None:  # fmt: skip
        super().__init__(
            folder, generator, window=config.window, every=config.checkpoint, seconds=config.seconds,
            evaluations=config.evaluations,
        )  # fmt: skip
        self.making = config
        self.archive: Archive[GameResult] = Archive(
            config.count + config.finalists, config.distance, lambda number: self.log.read(number), self._result,
            lambda event: shape(event["genotype"]), apart,
        )  # fmt: skip
        self.first = FirstSeen()  # genotype -> the candidate that had it first
        self.repeated = 0
        self.again: dict[int, tuple[int, float]] = {}
        """Of games that were evaluated again: how often in all, and their mean fitness."""
        self.reasons: Counter[str] = Counter()
        self.confirmed: dict[int, GameEvaluation] = {}
        self._ranks: list[tuple[int, bool, float, float, str, int]] = []

    # -- what subclasses say -------------------------------------------------------------------------------------------

    @abstractmethod
    def _judge(self) -> tuple[Callable[..., tuple[GameEvaluation, float]], Any]:
        """What judges a genotype, and what it needs: called with that, a genotype, a number of plays, the version of
        the code and the fitness that a game must be able to reach.
        """

    @abstractmethod
    def _write_given(self) -> None:
        """Write what the run begins with."""

    @abstractmethod
    def _manifest(self) -> dict[str, Any]:
        """What `run.json` says besides."""

    @abstractmethod
    def _final(self, candidate: Any) -> tuple[str, Sequence[str]]:
        """The text of a game that is kept, and its levels."""

    @abstractmethod
    def _told_of(self, candidate: Any) -> dict[str, Any]:
        """What the index says of a game besides."""

    # -- files ---------------------------------------------------------------------------------------------------------

    def create(self) -> None:
        """The folder with the files that never change."""
        try:
            self._write_given()
            (self.folder / "events.jsonl").touch()
            self.write_manifest()
        except OSError as error:
            raise PcgError(f"cannot write the run to {self.folder}: {error.strerror}") from None

    def write_manifest(self) -> None:
        """`config.toml` and, last, `run.json`: its presence makes the folder a run."""
        config = self.making
        manifest = {
            "format": FORMAT,
            "kind": self.kind,
            "seed": config.seed,
            "generator": {"name": config.generator, "parameters": self.source.settings},
            "archive": {"size": config.count, "distance": config.distance},
            "confirm": config.confirm,
            "finalists": config.finalists,
            "budget": {"seconds": config.seconds or None, "evaluations": config.evaluations or None},
            "versions": versions(),
            **self._manifest(),
        }
        write_whole(self.folder / "config.toml", config.to_toml())
        write_whole(self.folder / "run.json", to_json(manifest, indent=1) + "\n")

    def games(self) -> list[GameResult]:
        """The best games that are unlike one another, best first, as many as are wanted."""
        found = self.archive.best()
        if self.confirmed:
            found = [GameResult(g.candidate, g.evaluation, self.confirmed.get(g.candidate.id)) for g in found]
            found.sort(key=lambda game: game.rank, reverse=True)
        return found[: self.making.count]

    def write_results(self) -> None:
        """The games, as text with their levels, and an index of them; a file that is there already stays."""
        folder, games = self.folder / "games", self.games()
        if not games:
            return
        folder.mkdir(exist_ok=True)
        entries = []
        for k, game in enumerate(games):
            text, levels = self._final(game.candidate)
            write_whole(folder / f"game{k}.txt", text)
            for number, level in enumerate(levels):
                write_whole(folder / f"game{k}_lvl{number}.txt", level)
            last = game.confirmed
            entries.append({
                "file": f"game{k}.txt", **game.candidate.to_json(), **game.evaluation.to_json(),
                "confirmed": last.to_json() if last is not None else None,
                **self._told_of(game.candidate),
            })  # fmt: skip
        for path in sorted(folder.glob("game*.txt")):
            place = path.stem.removeprefix("game").split("_")[0]
            if not place.isdigit() or int(place) >= len(games):
                path.unlink()
        write_whole(folder / "index.json", to_json({"games": entries}) + "\n")
        kept = self.source.archive()
        if kept is not None:
            write_whole(folder / "archive.json", to_json(kept) + "\n")

    # -- the search ----------------------------------------------------------------------------------------------------

    def drive(
        self, workers: Workers, progress: Callable[[MakingProgress], None] | None, command: Sequence[str] | None
    ) -> MakingResult:
        """Run to the end of the budget, and play the best games again."""
        reason = self.search(workers, progress, command)
        games = self.games()
        self.log.close()
        summary = read_json(self.folder / "summary.json")
        return MakingResult(self.folder, reason, self.told, self.archive.feasible, games, summary)

    def _conclude(self, reason: str) -> None:
        """Play the best games with new seeds; those that hold their order come first.

        By successive halving (Jamieson, Talwalkar 2016): all finalists are played a little, the better half of them
        more, and half of those as often as is asked for, so that luck in few plays does not make a winner. As many as
        are wanted stay to the end. Among these the first is settled by two more rounds of twice as many plays each,
        with seeds of their own: what was chosen for doing well in some plays has had luck in them.
        """
        if not self.making.confirm:
            return
        best = list(self.archive.best()[: max(self.making.finalists, self.making.count)])
        for rounds_left in (2, 1, 0):
            played = self._last_plays(best, -(-self.making.confirm // 2**rounds_left), 0)
            best = played[: max(self.making.count, -(-len(played) // 2))]
        for further in (1, 2):
            best = best[: -(-len(best) // 2)]
            if len(best) > 1:
                best = self._last_plays(best, self.making.confirm * 2**further, further)

    def _last_plays(self, games: Sequence[GameResult], plays: int, sample: int) -> list[GameResult]:
        """Games with the verdicts of so many plays of every agent, the most promising first."""
        judge, work = self._judge()
        tickets = [
            self.workers.submit(
                f"the last plays of candidate {game.candidate.id}", judge, work, game.candidate.genotype, plays,
                code_digest(), 0.0, sample,
            )
            for game in games
        ]  # fmt: skip
        played = [
            GameResult(game.candidate, game.evaluation, self.workers.result(ticket)[0])
            for game, ticket in zip(games, tickets, strict=True)
        ]
        self.confirmed.update({game.candidate.id: game.confirmed for game in played if game.confirmed is not None})
        return sorted(played, key=lambda game: game.promise, reverse=True)

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
        return int(getattr(self.source, "generation", 0))

    def _enough(self) -> bool:
        return not self.source.learns and len(self.archive.best()) >= self.making.count

    def _progress(self) -> MakingProgress:
        counts = self.archive.summary()
        return MakingProgress(
            self.told, self.archive.feasible, min(int(counts["distinct"]), self.making.count), self.making.count,
            float(counts["best"]), self._generation(), self._fraction(),
        )  # fmt: skip

    # -- what all runs ask ---------------------------------------------------------------------------------------------

    def _result(self, event: Mapping[str, Any]) -> GameResult:
        return GameResult(self._candidate(dict(event)), GameEvaluation.from_json(event))

    def _same(self, event: dict[str, Any], candidate: MadeGame) -> bool:
        return bool(event["genotype"] == candidate.genotype.to_json())

    def _begin(self, candidate: MadeGame) -> Ticket | int:
        same = self.first.setdefault(_key(candidate.genotype), candidate.id)
        if same != candidate.id and candidate.origin != AGAIN:
            return same  # told before this one, for results are applied in order
        judge, work = self._judge()
        bar = self.source.bar() if candidate.origin != AGAIN else 0.0
        return self.workers.submit(
            f"the evaluation of candidate {candidate.id} (its game is in {self.folder / FAILED})", judge, work,
            candidate.genotype, 0, code_digest(), bar, candidate.generation,
        )  # fmt: skip

    def _verdict(self, event: dict[str, Any]) -> GameEvaluation:
        return GameEvaluation.from_json(event)

    def _event(self, candidate: MadeGame, verdict: GameEvaluation) -> dict[str, Any]:
        return {**candidate.to_json(), **verdict.to_json()}

    def _keep(self, candidate: MadeGame, verdict: GameEvaluation, fresh: bool) -> None:
        del fresh
        first = self.first.setdefault(_key(candidate.genotype), candidate.id)
        of = first if candidate.origin == AGAIN else candidate.id
        self._take(candidate.id, verdict.feasible, verdict.fitness, verdict.constraint, verdict.reason, of)
        self.repeated += first != candidate.id

    def _take(self, number: int, feasible: bool, fitness: float, constraint: float, reason: str, of: int) -> None:
        """Take a verdict; `of` is the candidate that it is about, another one when that is evaluated again."""
        if of == number:
            self.archive.add(number, feasible, fitness, constraint)
        else:
            times, mean = self.again.get(of) or (1, float(self.log.read(of)["fitness"]))
            self.again[of] = times + 1, (mean * times + fitness) / (times + 1)
            self.archive.revise(of, mean, self.again[of][1])
        if reason:
            self.reasons[_kind_of(reason)] += 1

    def _meet(self, event: dict[str, Any], told: bool) -> None:
        number = int(event["id"])
        first = self.first.setdefault(_key(self._candidate(event).genotype), number)
        if told:
            values = (
                bool(event["feasible"]),
                float(event["fitness"]),
                float(event["constraint"]),
                str(event["reason"]),
                first if event["origin"] == AGAIN else number,
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

    def _text(self, candidate: MadeGame) -> str:
        return str(self._final(candidate)[0])


def start_run(
    run: MakingRun, workers: int | None, executor: Executor | str | None,
    progress: Callable[[MakingProgress], None] | None, command: Sequence[str] | None,
) -> MakingResult:  # fmt: skip
    """Write the folder of a new run, and run it."""
    with contextlib.closing(open_workers(executor, workers)) as crew:
        run.create()
        return run.drive(crew, progress, command)


def go_on(
    run: MakingRun, workers: int | None, executor: Executor | str | None,
    progress: Callable[[MakingProgress], None] | None, command: Sequence[str] | None,
) -> MakingResult:  # fmt: skip
    """Go on with a run that has a folder."""
    with contextlib.closing(open_workers(executor, workers)) as crew:
        run.write_manifest()
        return run.drive(crew, progress, command)


def check_kind(folder: Path, kind: str, what: str) -> dict[str, Any]:
    """The manifest of a run of a kind. Raises PcgError for any other folder."""
    manifest = check_run(folder)
    if manifest.get("kind") != kind:
        raise PcgError(f"{folder} holds no run that makes {what} but one of kind {manifest.get('kind')!r}")
    return manifest


def check_version(code: str) -> None:
    """Raises PcgError when this is not the version of the toolkit that `code` names."""
    import platform

    if code and code != code_digest():
        raise PcgError(f"the worker on {platform.node()} has another version of the toolkit: install the same there")


def settings_of(settings: Mapping[str, Setting]) -> tuple[tuple[str, Setting], ...]:
    """Settings as something that can be a key."""
    return tuple(settings.items())


def _key(genotype: Any) -> bytes:
    return sha256(str(genotype).encode()).digest()[:16]


def _kind_of(reason: str) -> str:
    """A reason without its numbers, names and example, so that reasons can be counted."""
    words = ["..." if any(c.isdigit() for c in word) or "`" in word else word for word in reason.split(", ")[0].split()]
    return " ".join(words)[:80]
