"""Runs that make games, whether rules alone (`rules`) or whole games (`games`): what both have in common.

Every candidate is judged by agents of rising skill, the best that are unlike one another are kept with their levels,
and at the end they are played again with other seeds. What a candidate is and how a game comes of it is for subclasses
to say.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from pcg.evaluators.games import GameEvaluation
from pcg.evaluators.parameters import Setting
from pcg.generators.contract import Generator
from pcg.generators.population import AGAIN
from pcg.generators.rules.genes import Shape, shape_distance
from pcg.runs.archive import Archive
from pcg.runs.cache import code_digest
from pcg.runs.deduplication import CompactTable, FirstOccurrences
from pcg.runs.experiments.games_config import GamesRun
from pcg.runs.experiments.kept_games import ALIKE_OF_FITNESS, EFFORT, KeptGame, choose_diverse, judgement_of
from pcg.runs.experiments.presentation import ShownGame, commented, shown_game
from pcg.runs.experiments.rules_config import RulesRun
from pcg.runs.run import RunResult
from pcg.runs.search import FAILED, SearchRun
from pcg.runs.store import read_json, to_json, write_whole
from pcg.runs.work_ahead import Piece, WorkAhead
from pcg.runs.workers import Ticket

VARIANT = 0.5
"""Distance from which on variants of games are judged, as a share of that of games that count as unlike."""
CONFIRM = 2**20
"""Offset of the seeds of the plays at the end of a run."""


def sample_seed(seed: int, sample: int) -> int:
    """Return the seed of the evaluations of a generation; it differs so that games are not selected for luck."""
    return seed + (sample << 64)


EVALUATION: Mapping[str, Setting] = {"min_win": 20, "usual": 0.5, "resistance": 1}
"""Settings that differ from the defaults of `GameEvaluator`: wins take some time, something stands in the way, and
rules are like those that people write."""
JUDGED = 4
"""Games that are judged for each finalist: it costs as much as an evaluation, and fitness says little of the value."""
NEARLY = 0.3
"""Distance of presented games below which they are nearly the same, as by `shape_distance`."""
NEAR_OF_KIND = 0.42
"""The same of games with the same goal and the same danger: of such pairs in runs that were read, those below it were
one game to the eye; some of those above were, too."""


class Candidate(Protocol):
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
        """Return it as a JSON object."""


@dataclass(frozen=True)
class GameSearchProgress:
    """State of a run that makes rules or games, for a progress bar."""

    evaluations: int
    feasible: int
    distinct: int
    wanted: int
    best: float
    """Fitness of the best game, 0 without one."""
    generation: int
    fraction: float
    """Share of the budget that is spent, in [0, 1]."""

    def __str__(self) -> str:
        text = f"{self.feasible} of {self.evaluations} games feasible, {self.distinct} of {self.wanted} kept"
        return text + f", best {self.best:.2f}" + ("; playing the best again" if self.fraction >= 1.0 else "")


@dataclass(frozen=True)
class GameSearchResult(RunResult):
    """Result of a run that makes rules or games."""

    kind: str
    """"rules" or "games"."""
    evaluations: int
    feasible: int
    games: Sequence[KeptGame] = field(repr=False)
    """The best games that are unlike one another, best first, as in `games/`."""
    summary: Mapping[str, Any] = field(repr=False)
    """As `summary.json`."""


class GameSearch(SearchRun):
    """A run that makes rules or games.

    Args:
        config: what to do.
        folder: of the run.
        generator: what makes candidates.
        shape: what is compared of an event's genotype, as JSON.
        apart: distance of two shapes.
    """

    in_processes = True
    config: RulesRun | GamesRun

    def __init__(
        self, config: RulesRun | GamesRun, folder: Path, generator: Generator[Any, Any], shape: Callable[[Any], Any],
        apart: Callable[[Any, Any], float],
    ) -> None:  # fmt: skip
        super().__init__(config, folder, generator)
        self._shape, self._apart = shape, apart

        def archive() -> Archive[KeptGame]:
            return Archive(
                config.count + config.finalists, config.distance, lambda number: self.log.read(number),
                self._kept_game, lambda event: shape(event["genotype"]), apart,
            )  # fmt: skip

        self.archive = archive()
        self.of_goal: defaultdict[float, Archive[KeptGame]] = defaultdict(archive)
        """The same for each family of goals, where the judge ranks games: the best of one family may all be fitter
        than those of another, whose value may be higher."""
        self.first_of = FirstOccurrences()  # genotype -> the candidate that had it first
        self.repeated = 0
        self.again = CompactTable([("times", np.uint32), ("mean", np.float64)])
        """Of games that were evaluated again, by number: how often in all, and their mean fitness."""
        self.reasons: Counter[str] = Counter()
        self.contenders: dict[int, KeptGame] = {}
        """Games that the judge has seen or that were played at the end, by candidate."""
        self.confirmed: dict[int, GameEvaluation] = {}
        self.stayed: set[int] = set()
        """Finalists that halving played to the end: none makes way for one of as good a value with fewer plays."""
        self.judgements: dict[int, Mapping[str, Any]] = {}
        """Verdicts of the judge of games on the finalists, by candidate."""
        self.shown: dict[int, ShownGame] = {}
        """Kept games as they are presented, by candidate."""
        self._settled: set[int] = set()
        """Kept games that were played as often as is asked for."""
        self.doubles: set[int] = set()
        """Candidates that are nearly the same as a better one once they are presented."""
        self.unfinished: set[int] = set()
        """Candidates that could not be finished; they are kept only where no other is."""

    # -- for subclasses ------------------------------------------------------------------------------------------------

    @abstractmethod
    def _evaluation(self) -> tuple[Callable[..., tuple[GameEvaluation, float]], Any]:
        """Return the function that evaluates, and its first argument, which all evaluations share.

        The others are a genotype, a number of plays, the version of the code, the fitness that a game must be able to
        reach, and the number of the sample.
        """

    @abstractmethod
    def _final(self, candidate: Any, levels: Sequence[str] = ()) -> tuple[str, Sequence[str]]:
        """Return the text of a game that is kept, and its levels: those that were made for it, if any."""

    @abstractmethod
    def _index(self, candidate: Any) -> dict[str, Any]:
        """Return further fields of a game's entry in the index."""

    # -- files ---------------------------------------------------------------------------------------------------------

    def manifest(self) -> dict[str, Any]:
        """Return what `run.json` says of a run that makes rules or games."""
        config = self.config
        return {
            **super().manifest(),
            "generator": {"name": config.generator, "parameters": self.source.settings},
            "archive": {"size": config.count, "distance": config.distance},
            "confirm": config.confirm,
            "finalists": config.finalists,
            "judge": config.judge,
            "finish": config.finish,
            "dress": config.dress,
        }

    def games(self, further: int = 0) -> list[KeptGame]:
        """Return the best games that are unlike one another, best first, as many as are wanted and some `further`."""
        number = self.config.count + further
        found = self.archive.best()
        if self.confirmed:
            found = [self._known(self.contenders[id]) for id in self.confirmed]
            kept = (game for game in found if not game.lucky and game.candidate.id not in self.doubles)
            ranked = sorted(kept, key=lambda game: game.rank, reverse=True)
            stood = [game for game in ranked if game.stood]
            found = [game for game in stood if game.candidate.id not in self.unfinished] or stood or ranked
        stayed = [game for game in found if game.candidate.id in self.stayed]
        if len(stayed) < min(number, len(found)):
            others = [game for game in found if game.candidate.id not in self.stayed]
            stayed += choose_diverse(others, number - len(stayed))
        return choose_diverse(sorted(stayed, key=lambda game: game.rank, reverse=True), number)

    def _best(self) -> list[KeptGame]:
        """Return the fittest games that are unlike one another, of all families of goals where the judge ranks them."""
        if not self.config.judge:
            return self.archive.best()
        found = [game for archive in self.of_goal.values() for game in archive.best()]
        return sorted(found, key=lambda game: (-game.evaluation.fitness, game.candidate.id))

    def _promising(self, number: int) -> list[KeptGame]:
        """Return so many games for the judge: the fittest that are unlike one another and, where these are fewer,
        variants of them, for the fittest of games that are alike need not be the best.
        """
        found = choose_diverse(self._best(), number, ALIKE_OF_FITNESS)
        room = number - len(found)
        apart = VARIANT * self.config.distance
        near = [game for archive in self.of_goal.values() for game in archive.variants(room, apart)]
        near.sort(key=lambda game: (-game.evaluation.fitness, game.candidate.id))
        return found + choose_diverse(near, room, ALIKE_OF_FITNESS)

    def _unlike(self, games: Sequence[KeptGame], others: Sequence[KeptGame]) -> list[KeptGame]:
        """Return games, best first, without those that are like a better one with the same goal, or like another."""
        chosen = list(others)
        for game in games:
            alike = (one for one in chosen if _same_goal(one, game))
            if all(self._between(game, one) >= self.config.distance for one in alike):
                chosen.append(game)
        return chosen[len(others) :]

    def _between(self, one: KeptGame, other: KeptGame) -> float:
        shapes = (self._shape(game.candidate.genotype.to_json()) for game in (one, other))
        return self._apart(*shapes)

    def _known(self, game: KeptGame) -> KeptGame:
        """Return a game with all that is known of it."""
        number = game.candidate.id
        return replace(game, confirmed=self.confirmed.get(number), judgement=self.judgements.get(number))

    def write_results(self) -> None:
        """Write the games, as text with their levels, and an index of them."""
        folder, games = self.folder / "games", self.games()
        if not games and not folder.is_dir():
            return  # where games were written before the last plays, and none has stood these, they go
        folder.mkdir(exist_ok=True)
        entries = []
        written: set[str] = set()
        for k, game in enumerate(games):
            text, levels = self._final(game.candidate, game.evaluation.levels)
            shown = self.shown.get(game.candidate.id, ShownGame(text))
            if shown.finished is not None:
                levels = shown.finished.levels
            text, told = commented(shown.text, levels)
            files = {f"game{k}.txt": text} | {f"game{k}_lvl{n}.txt": level for n, level in enumerate(levels)}
            for name, content in files.items():
                write_whole(folder / name, content)
            written |= files.keys()
            last = game.confirmed
            entries.append({
                "file": f"game{k}.txt", **game.candidate.to_json(), **game.evaluation.to_json(),
                "confirmed": last.to_json() if last is not None else None,
                "judgement": game.judgement,
                "removed": list(shown.removed), **told, **shown.entry(),
                **self._index(game.candidate),
            })  # fmt: skip
        for path in sorted(folder.glob("game*.txt")):
            if path.name not in written:  # of an earlier writing, which had more games, or levels of one
                path.unlink()
        write_whole(folder / "index.json", to_json({"games": entries}) + "\n")
        kept = self.source.archive()
        if kept is not None:
            write_whole(folder / "archive.json", to_json(kept) + "\n")

    # -- the search ----------------------------------------------------------------------------------------------------

    def _result(self, reason: str) -> GameSearchResult:
        summary = read_json(self.folder / "summary.json")
        return GameSearchResult(self.folder, reason, self.kind, self.told, self.archive.feasible, self.games(), summary)

    def _conclude(self, reason: str) -> None:
        """Judge the best games and play finalists with new seeds; what a random player wins too often is not kept.

        All finalists are played a little. Where the judge gives games a value, which more plays do not change,
        finalists are the best by it of several times as many, and those that are kept are then played as often as is
        asked for; else finalists are the fittest, and halving goes on.
        """
        if not self.config.confirm:
            return
        number = max(self.config.finalists, self.config.count)
        few = -(-self.config.confirm // 4)
        with closing(WorkAhead(self.workers)) as self._ahead:
            if self.config.judge:
                good = self._judged(self._promising(JUDGED * number))
                self._last_plays(choose_diverse(self._unlike(good, []), number), few, 0)
                self._settle_kept()
            else:
                self._halve(self._last_plays(choose_diverse(self._best(), number), few, 0))

    def _settle_kept(self) -> None:
        """Play and present the games that are kept, until all are: one that chance wins, that is not feasible in these
        plays, that cannot be finished, or that is nearly the same as a better one now, makes way for the next, be it no
        finalist.
        """
        while True:
            games = self.games()
            if unsettled := [game for game in games if game.candidate.id not in self._settled]:
                self._last_plays(unsettled, self.config.confirm, 0)
                self._settled.update(game.candidate.id for game in unsettled)
            elif new := [game for game in games if game.candidate.id not in self.shown]:
                self._present(new)
                self._find_doubles()
            elif further := self._further():
                self._last_plays(further, -(-self.config.confirm // 4), 0)
            else:
                break

    def _guesses(self) -> Sequence[Piece]:
        """Return the work that settling will probably ask for next: what the games that are kept by now still need,
        and then what those need that are next in line where some make way.
        """
        if not self.config.judge:
            return ()
        kept = [game.candidate.id for game in self.games()]
        pieces = []
        for game in sorted(self.games(self.workers.count), key=lambda game: game.candidate.id not in kept):
            if game.candidate.id not in self._settled:
                pieces.append(self._plays(game, self.config.confirm, 0))
            if game.candidate.id not in self.shown:
                pieces.append(self._presentation(game))
        return pieces

    def _further(self) -> list[KeptGame]:
        """Return games that were no finalists, for places that finalists have left, and those that would be kept before
        a finalist if they stayed as good as the judge found them. As many as finalists and wanted games together are
        played in full, at most, and twice as many a little.
        """
        most, kept = self.config.finalists + self.config.count, [game for game in self.games() if game.stood]
        number = min(self.config.count, most - len(self._settled), 2 * most - len(self.confirmed))
        if number <= 0:
            return []
        wanting = len(kept) < self.config.count
        seen = [game for game in self.contenders.values() if game.candidate.id not in self.confirmed]
        known = self._unlike(self._judged(seen), kept)
        new = [game for game in self._best() if game.candidate.id not in self.contenders]
        while wanting and new and not known:
            lot = {game.candidate.id for game in choose_diverse(new, JUDGED * number, ALIKE_OF_FITNESS)}
            known = self._unlike(self._judged([game for game in new if game.candidate.id in lot]), kept)
            new = [game for game in new if game.candidate.id not in lot]
        fresh = [game for game in known if not self._is_double(game, [one for one in kept if _same_goal(one, game)])]
        further = fresh or (known if wanting else [])  # it may yet show that they are not the same
        chosen = choose_diverse(sorted(kept + further, key=lambda game: game.rank, reverse=True), self.config.count)
        return [game for game in chosen if game.candidate.id not in self.confirmed][:number]

    def _judged(self, games: Sequence[KeptGame]) -> list[KeptGame]:
        """Return games with the verdicts of the judge, best first, without those that it refuses."""
        tickets = {
            game.candidate.id: self.workers.submit(
                f"judging candidate {game.candidate.id}", judgement_of,
                *self._final(game.candidate, game.evaluation.levels), self.config.seed + CONFIRM, code_digest(),
            )
            for game in games
            if game.candidate.id not in self.judgements
        }  # fmt: skip
        self.contenders.update((game.candidate.id, game) for game in games if game.candidate.id in tickets)
        for number, ticket in tickets.items():
            self.judgements[number] = self.workers.result(ticket)
            if not self.judgements[number]["feasible"]:
                self.reasons["refused by the judge of games"] += 1
        known = [game for game in map(self._known, games) if self.judgements[game.candidate.id]["feasible"]]
        return sorted(known, key=lambda game: game.rank, reverse=True)

    def _halve(self, played: list[KeptGame]) -> None:
        """Find the best by successive halving (Jamieson, Talwalkar 2016).

        The better half of the finalists is played more, and half of those as often as is asked for, so that luck in few
        plays does not make a winner. As many as are wanted stay to the end. Among these the first is settled by two
        more rounds of twice as many plays each, with seeds of their own: what was chosen for doing well in some plays
        has had luck in them.
        """
        for rounds_left in (1, 0):
            best = choose_diverse(played, max(self.config.count, -(-len(played) // 2)))
            played = self._last_plays(best, -(-self.config.confirm // 2**rounds_left), 0)
        best = choose_diverse(played, max(self.config.count, -(-len(played) // 2)))
        self.stayed = {game.candidate.id for game in best}
        for further in (1, 2):
            best = best[: -(-len(best) // 2)]
            if len(best) > 1:
                best = self._last_plays(best, self.config.confirm * 2**further, further)

    def _find_doubles(self) -> None:
        """Find games that are nearly the same as a better one now that what has no effect is gone."""
        better: list[KeptGame] = []
        for game in self.games():
            if game.candidate.id not in self.shown:
                continue
            if self._is_double(game, better):
                self.doubles.add(game.candidate.id)
            else:  # what is like a double alone stays
                better.append(game)

    def _is_double(self, game: KeptGame, others: Sequence[KeptGame]) -> bool:
        """Return True for a game that is nearly the same as another, as it is presented or, before that, as it is."""
        shape, kind = self._bare(game), game.kind
        return any(
            shape_distance(shape, self._bare(one)) < (NEAR_OF_KIND if one.kind == kind else NEARLY) for one in others
        )

    def _bare(self, game: KeptGame) -> Shape:
        shown = self.shown.get(game.candidate.id)
        return (shown or ShownGame(self._final(game.candidate, game.evaluation.levels)[0])).shape

    def _presentation(self, game: KeptGame) -> Piece:
        """Return the work of finishing a game and removing its parts that have no effect."""
        return Piece(
            f"making candidate {game.candidate.id} smaller", shown_game,
            (
                *self._final(game.candidate, game.evaluation.levels), game.evaluation, game.value,
                self.config.seed + CONFIRM, EFFORT, code_digest(), bool(self.config.finish), bool(self.config.dress),
            ),
        )  # fmt: skip

    def _present(self, games: Sequence[KeptGame]) -> None:
        """Finish games, and remove their parts that have no effect."""
        pieces = [self._presentation(game) for game in games]
        shown: ShownGame
        for game, shown in zip(games, self._ahead.results(pieces, self._guesses), strict=True):
            self.shown[game.candidate.id] = shown
            if self.config.finish and shown.finished is None:
                self.unfinished.add(game.candidate.id)
            if shown.judgement is not None:
                self.judgements[game.candidate.id] = shown.judgement

    def _plays(self, game: KeptGame, plays: int, sample: int) -> Piece:
        """Return the work of playing a game so often with every agent."""
        evaluate, work = self._evaluation()
        return Piece(
            f"the last plays of candidate {game.candidate.id}", evaluate,
            (work, game.candidate.genotype, plays, code_digest(), 0.0, sample, game.evaluation.levels),
        )  # fmt: skip

    def _last_plays(self, games: Sequence[KeptGame], plays: int, sample: int) -> list[KeptGame]:
        """Play games so often with every agent; returns them with the verdicts, the most promising first."""
        pieces = [self._plays(game, plays, sample) for game in games]
        verdict: GameEvaluation
        for game, (verdict, _) in zip(games, self._ahead.results(pieces, self._guesses), strict=True):
            self.contenders[game.candidate.id] = game
            self.confirmed[game.candidate.id] = verdict
        for known in map(self._known, games):
            if known.lucky:
                self.reasons["a random player wins too often in the last plays"] += 1
            elif not known.stood:
                self.reasons["not feasible in the last plays"] += 1
        played = [known for known in map(self._known, games) if not known.lucky]
        return sorted(played, key=lambda game: game.rank, reverse=True)

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
        return not self.source.learns and len(self.archive.best()) >= self.config.count

    def _progress(self) -> GameSearchProgress:
        counts = self.archive.summary()
        return GameSearchProgress(
            self.told, self.archive.feasible, min(int(counts["distinct"]), self.config.count), self.config.count,
            float(counts["best"]), self._generation(), self._fraction(),
        )  # fmt: skip

    # -- for the loop --------------------------------------------------------------------------------------------------

    def _kept_game(self, event: Mapping[str, Any]) -> KeptGame:
        return KeptGame(self._candidate(dict(event)), GameEvaluation.from_json(event))

    def _same(self, event: dict[str, Any], candidate: Candidate) -> bool:
        return bool(event["genotype"] == candidate.genotype.to_json())

    def _begin(self, candidate: Candidate) -> Ticket | int:
        same = self.first_of.setdefault(_key(candidate.genotype), candidate.id)
        if same != candidate.id and candidate.origin != AGAIN:
            return same  # told before this one, for results are applied in order
        evaluate, work = self._evaluation()
        bar = self.source.bar() if candidate.origin != AGAIN else 0.0
        return self.workers.submit(
            f"the evaluation of candidate {candidate.id} (its game is in {self.folder / FAILED})", evaluate, work,
            candidate.genotype, 0, code_digest(), bar, candidate.generation,
        )  # fmt: skip

    def _came_to(self, verdict: GameEvaluation) -> str:
        return f"{verdict.stage}: {_kind_of(verdict.reason) if verdict.reason else 'feasible'}"

    def _verdict(self, event: dict[str, Any]) -> GameEvaluation:
        return GameEvaluation.from_json(event)

    def _event(self, candidate: Candidate, verdict: GameEvaluation) -> dict[str, Any]:
        return {**candidate.to_json(), **verdict.to_json()}

    def _keep(self, candidate: Candidate, verdict: GameEvaluation, fresh: bool) -> None:
        del fresh
        first = self.first_of.setdefault(_key(candidate.genotype), candidate.id)
        of = first if candidate.origin == AGAIN else candidate.id
        goal = verdict.metrics.get("goal", -1.0)
        self._take(candidate.id, verdict.feasible, verdict.fitness, verdict.constraint, verdict.reason, goal, of)
        self.repeated += first != candidate.id

    def _take(
        self, number: int, feasible: bool, fitness: float, constraint: float, reason: str, goal: float, of: int
    ) -> None:
        """Take a verdict; `of` is the candidate that it is about, another one when that is evaluated again."""
        if of == number:
            self.archive.add(number, feasible, fitness, constraint)
            if feasible and self.config.judge:
                self.of_goal[goal].add(number, feasible, fitness, constraint)
        else:
            event = self.log.read(of)
            times, mean = self.again.get(of) or (1, float(event["fitness"]))
            new = (mean * times + fitness) / (times + 1)
            self.again[of] = times + 1, new
            self.archive.revise(of, mean, new)
            if self.config.judge:
                self.of_goal[event["metrics"].get("goal", -1.0)].revise(of, mean, new)
        if reason:
            self.reasons[_kind_of(reason)] += 1

    def _meet(self, event: dict[str, Any]) -> None:
        self.first_of.setdefault(_key(self._candidate(event).genotype), int(event["id"]))
        _ranked(event)  # a damaged event shows at once

    def _take_again(self, event: dict[str, Any]) -> None:
        number = int(event["id"])
        first = self.first_of[_key(self._candidate(event).genotype)]
        self._take(number, *_ranked(event), first if event["origin"] == AGAIN else number)
        self.repeated += first != number

    def _text(self, candidate: Candidate) -> str:
        return str(self._final(candidate)[0])


def _ranked(event: Mapping[str, Any]) -> tuple[bool, float, float, str, float]:
    """Return what of an event ranks and counts go by: whether it is feasible, its fitness, the mean of its constraints,
    its fault, and the number of its goal.
    """
    goal = float(event["metrics"].get("goal", -1.0))
    return bool(event["feasible"]), float(event["fitness"]), float(event["constraint"]), str(event["reason"]), goal


def _same_goal(one: KeptGame, other: KeptGame) -> bool:
    """Return True where the goals of two games are of one family."""
    return one.kind[0] == other.kind[0]


def settings_of(settings: Mapping[str, Setting]) -> tuple[tuple[str, Setting], ...]:
    """Return settings as something that can be a key."""
    return tuple(settings.items())


def _key(genotype: Any) -> bytes:
    return sha256(str(genotype).encode()).digest()[:16]


def _kind_of(reason: str) -> str:
    """Return a reason without its numbers, names and example, so that reasons can be counted."""
    head = reason.split(", ")[0].split(": ")[0]
    words = ["..." if any(c.isdigit() for c in word) or "`" in word else word for word in head.split()]
    return " ".join(words)[:80]
