"""The population of a run of breeding by eye: what is shown, what was said about it, and what comes of that.

Everything follows from the configuration and the log: the random numbers of a generation are those of the seed and its
number, so a run that was stopped breeds what it would have bred.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from pcg.breeding.config import BreedingRun, read_breeding
from pcg.breeding.preference import Comparison, LearntPreference
from pcg.breeding.votes import write_comparisons
from pcg.engine.game import load
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.feasibility import check_size, check_winnable
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.metrics.likeness import level_distance
from pcg.evaluators.preferences import Vote
from pcg.generators.levels import LevelGenerator, make_generator
from pcg.generators.levels.population import EvolutionaryGenerator, bred
from pcg.runs.game_text import GameText
from pcg.runs.run import versions
from pcg.runs.store import FORMAT, EventLog, check_new, check_run, to_json, write_levels, write_whole
from pcg.web.tried_levels import numbers

BREEDING = "breeding"
"""The kind of these runs, as `run.json` names it."""
ANSWERS = ("first", "second", "both", "neither")
MOST_TRIES = 20
"""Children tried for each that is wanted before something less fitting is taken."""
HERITABILITY = 0.5
"""Share of what its parents have of their own that a child is expected to have."""


@dataclass(frozen=True)
class Member:
    """A level of the population."""

    number: int
    level: str = field(repr=False)
    origin: str
    parents: tuple[int, ...]
    generation: int
    """In which it was born."""
    evaluation: Evaluation = field(repr=False)

    @property
    def measures(self) -> dict[str, float]:
        """Its metrics."""
        return numbers(self.evaluation.metrics)

    def to_json(self) -> dict[str, Any]:
        """As a JSON object."""
        return {
            "number": self.number, "level": self.level, "origin": self.origin, "parents": list(self.parents),
            **self.evaluation.to_json(),
        }  # fmt: skip


class LevelPopulation:
    """One run. Make it with `create` or `open`; it may be used by several threads.

    Attributes:
        members: all levels so far, by number.
        shown: numbers of those that are shown now, in order.
        generation: which it is, from 0.
    """

    def __init__(self, config: BreedingRun, game: GameText, folder: Path) -> None:
        self.config, self.text, self.folder = config, game, folder
        self.game = game.load()
        self.generator: LevelGenerator = make_generator(
            "evolve", self.game, seed=config.seed, targets=config.want, **config.generator_parameters
        )
        self.evaluator = LevelEvaluator(self.game, config.want, **config.evaluation_parameters)
        check_winnable(self.evaluator.analysis, self.evaluator.requirements)
        check_size(self.evaluator.palette, self.generator.widths[1], self.generator.heights[1])
        self.members: dict[int, Member] = {}
        self.shown: list[int] = []
        self.generation = -1
        self._votes: dict[tuple[int, int], str] = {}
        self._liked: dict[int, tuple[list[int], list[int]]] = {}
        self._known: dict[str, Evaluation] = {}
        self._lock = threading.RLock()
        self._preference: LearntPreference | None = None
        self._log: EventLog
        self._next = 0

    def __repr__(self) -> str:
        return f"<population of {self.game.name}, generation {self.generation}, {len(self._votes)} votes>"

    @classmethod
    def create(cls, config: BreedingRun, folder: Path | str) -> LevelPopulation:
        """Begin a run in a new folder, with its first generation.

        Raises:
            PcgError: for anything wrong with the configuration, before anything is written.
        """
        folder = Path(folder)
        check_new(folder)
        population = cls(config, GameText.of(load(config.game, reading=config.reading or None)), folder)
        first = population._begin()
        try:
            population.text.write(folder / "game")
            (folder / "events.jsonl").touch()
            population._write_manifest()
        except OSError as error:
            raise PcgError(f"cannot write the run to {folder}: {error.strerror}") from None
        population._log = EventLog(folder / "events.jsonl")
        population._show(first)
        return population

    @classmethod
    def open(cls, folder: Path | str) -> LevelPopulation:
        """Go on with a run.

        Raises:
            PcgError: when the folder is no such run.
        """
        folder = Path(folder)
        manifest = check_run(folder)
        if manifest.get("kind") != BREEDING:
            raise PcgError(f"{folder} is a run of kind {manifest.get('kind')!r}, expected one of breeding by eye")
        config = read_breeding(folder / "config.toml")
        about = manifest["game"]
        population = cls(config, GameText.read(folder / "game", about["name"], about["reading"]), folder)
        events = EventLog.repair(folder / "events.jsonl")
        for event in events:
            population._apply(event)
        population._log = EventLog(folder / "events.jsonl")
        population._next = len(events)
        if population.generation < 0:
            population._show(population._begin())
        population.write_levels()
        return population

    def close(self) -> None:
        """Close the log."""
        self._log.close()

    def _write_manifest(self) -> None:
        config = self.config
        manifest = {
            "format": FORMAT,
            "kind": BREEDING,
            "game": {
                "name": self.text.name,
                "reading": self.text.reading,
                "sha256": sha256(self.text.source.encode()).hexdigest(),
                "levels": len(self.text.levels),
            },
            "seed": config.seed,
            "generator": {"name": BREEDING, "operators": "evolve", "parameters": self.generator.settings},
            "evaluation": self.evaluator.settings,
            "wants": [str(want) for want in self.evaluator.targets],
            "parameters": {
                name: getattr(config, name)
                for name in ("population", "elites", "litter", "fresh", "crossover", "edits", "distance", "boldness")
            },
            "versions": versions(),
        }
        write_whole(self.folder / "config.toml", config.to_toml())
        write_whole(self.folder / "run.json", to_json(manifest, indent=1) + "\n")

    # -- what happens --------------------------------------------------------------------------------------------------

    def vote(self, first: int, second: int, answer: str) -> None:
        """Say which of two shown levels is liked better; an earlier vote on the two is replaced.

        Raises:
            PcgError: for levels that are not shown, and words that are no answer.
        """
        with self._lock:
            self._check_shown([first, second])
            if first == second:
                raise PcgError("a level cannot be compared with itself")
            if answer not in ANSWERS:
                raise PcgError(f"{answer[:40]!r} is no answer (expected {', '.join(ANSWERS)})")
            self._record({"type": "vote", "generation": self.generation, "first": first, "second": second,
                          "answer": answer})  # fmt: skip

    def like(self, liked: Sequence[int]) -> None:
        """Say which of the shown levels are liked; what was said so before in this generation is replaced.

        Raises:
            PcgError: for levels that are not shown.
        """
        with self._lock:
            self._check_shown(liked)
            self._record({"type": "liked", "generation": self.generation, "liked": sorted(set(liked))})

    def _check_shown(self, chosen: Sequence[int]) -> None:
        for number in chosen:
            if number not in self.shown:
                raise PcgError(f"level {number} is not shown now (there are {', '.join(str(n) for n in self.shown)})")

    def breed(self) -> None:
        """The next generation.

        Raises:
            PcgError: when nothing was said about this one.
        """
        with self._lock:
            if not self.said:
                raise PcgError("nothing was said about these levels yet: mark those you like, or compare two")
            self._show(self._children())

    def _record(self, event: dict[str, Any]) -> None:
        """Write an event down, and let it happen."""
        whole = {"id": self._next, **event}
        self._log.append(whole)
        self._log.sync()
        self._next += 1
        self._apply(whole)

    def _apply(self, event: Mapping[str, Any]) -> None:
        kind = event.get("type")
        if kind == "generation":
            self.generation = int(event["generation"])
            self.shown = []
            for data in event["members"]:
                number = int(data["number"])
                if "level" in data:
                    self.members[number] = Member(
                        number, str(data["level"]), str(data["origin"]), tuple(data["parents"]), self.generation,
                        Evaluation.from_json(data),
                    )  # fmt: skip
                self.shown.append(number)
        elif kind == "vote":
            self._votes.pop((int(event["second"]), int(event["first"])), None)
            self._votes[int(event["first"]), int(event["second"])] = str(event["answer"])
        elif kind == "liked":
            self._liked[int(event["generation"])] = (list(event["liked"]), list(self.shown))
        else:
            raise PcgError(f"{self.folder / 'events.jsonl'} has a line of unknown type {kind!r}")
        self._preference = None

    def _show(self, members: Sequence[Member]) -> None:
        listed = [m.to_json() if m.number not in self.members else {"number": m.number} for m in members]
        self._record({"type": "generation", "generation": self.generation + 1, "members": listed})
        self.write_levels()

    # -- what is known -------------------------------------------------------------------------------------------------

    @property
    def said(self) -> int:
        """Number of answers about the levels that are shown now."""
        shown = set(self.shown)
        votes = sum(a in shown and b in shown for a, b in self._votes)
        return votes + len(self.liked)

    @property
    def liked(self) -> list[int]:
        """Shown levels that are marked as liked."""
        return self._liked.get(self.generation, ([], []))[0]

    @property
    def votes(self) -> dict[tuple[int, int], str]:
        """Every vote that counts: (first, second) -> answer."""
        return dict(self._votes)

    @property
    def preference(self) -> LearntPreference:
        """The preferences learnt so far."""
        with self._lock:
            if self._preference is None:
                self._preference = LearntPreference(
                    {n: m.measures for n, m in self.members.items()}, self._comparisons()
                )
            return self._preference

    def _comparisons(self) -> list[Comparison]:
        found = []
        for (first, second), answer in self._votes.items():
            if answer in ("first", "second"):
                better, worse = (first, second) if answer == "first" else (second, first)
                found.append(Comparison(better, worse))
            else:
                found += [Comparison(first, second, 0.5), Comparison(second, first, 0.5)]
        told = {frozenset(pair) for pair in self._votes}
        for liked, shown in self._liked.values():
            others = [n for n in shown if n not in liked]
            for better in liked:
                for worse in others:
                    # A mark says less of each single pair than a comparison does: together they count as one for each.
                    if frozenset((better, worse)) not in told:
                        found.append(Comparison(better, worse, 1.0 / max(1, min(len(liked), len(others)))))
        return found

    def ranking(self) -> list[int]:
        """Levels that something was said about, best liked first."""
        preference = self.preference
        known = {n for c in preference.comparisons for n in (c.better, c.worse)}
        return sorted(known, key=lambda n: (-preference.utility(n), n))

    def pair(self) -> tuple[int, int] | None:
        """Two shown levels about which a vote would teach most; None when all were compared."""
        told = {frozenset(pair) for pair in self._votes}
        open_ = [pair for pair in combinations(self.shown, 2) if frozenset(pair) not in told]
        if not open_:
            return None
        preference = self.preference
        return max(open_, key=lambda pair: (round(preference.doubt(*pair), 9), -pair[0], -pair[1]))

    def write_levels(self) -> None:
        """Write the liked levels, best first, as all runs do."""
        entries = []
        preference = self.preference
        for number in self.ranking():
            member = self.members[number]
            if preference.utility(number) <= 0:
                continue
            rows = member.level.split("\n")
            data = {k: v for k, v in member.evaluation.to_json().items() if k not in ("play", "stage")}
            about = {
                "id": number, "origin": member.origin, "generation": member.generation, "width": len(rows[0]),
                "height": len(rows), "liking": preference.utility(number), "actions": member.evaluation.actions,
            }  # fmt: skip
            entries.append((member.level, {**data, **about}))
        write_levels(self.folder / "levels", entries, self.text.source if entries else "")
        self._write_votes(preference)

    def _write_votes(self, preference: LearntPreference) -> None:
        """Write what was said as a table of votes with the measures of the levels, for `pcg prefer fit`."""
        votes = [
            Vote("eye", f"level{first}", f"level{second}", answer) for (first, second), answer in self._votes.items()
        ]
        told = {frozenset(pair) for pair in self._votes}
        votes += [
            Vote("eye", f"level{c.better}", f"level{c.worse}", "first")
            for c in preference.comparisons
            if frozenset((c.better, c.worse)) not in told
        ]
        if not votes:
            return
        known = {n for c in preference.comparisons for n in (c.better, c.worse)}
        write_comparisons(
            self.folder, votes, {f"level{n}": self.members[n].measures for n in sorted(known)}, preference.names
        )

    # -- breeding ------------------------------------------------------------------------------------------------------

    def _rng(self, generation: int) -> np.random.Generator:
        return np.random.default_rng([self.config.seed, 20011, generation])

    def _judge(self, level: str) -> Evaluation:
        if level not in self._known:
            self._known[level] = self.evaluator.evaluate(level, self.config.seed)
        return self._known[level]

    def _begin(self) -> list[Member]:
        """The first generation: feasible levels of several generators, unlike one another."""
        rng = self._rng(0)
        wanted = self.config.population
        pool = [self._fresh(rng, number) for number in range(2 * wanted)]
        chosen = self._apart(sorted(pool, key=lambda m: (not m.evaluation.feasible, -m.evaluation.fitness)), wanted)
        return [self._numbered(member, number, 0) for number, member in enumerate(chosen)]

    def _fresh(self, rng: np.random.Generator, number: int) -> Member:
        """A new level, feasible if a few tries are enough for it."""
        assert isinstance(self.generator, EvolutionaryGenerator)
        best: Member | None = None
        for _ in range(MOST_TRIES):
            level, origin = self.generator.seeds.one(rng)
            member = Member(number, level, origin, (), 0, self._judge(level))
            if member.evaluation.feasible:
                return member
            if best is None or member.evaluation.constraint > best.evaluation.constraint:
                best = member
        assert best is not None
        return best

    def _apart(self, ordered: Sequence[Member], wanted: int, beside: Sequence[Member] = ()) -> list[Member]:
        """The first so many that are unlike one another; those alike only where there are not enough others."""
        chosen: list[Member] = []
        spare: list[Member] = []
        texts = {m.level for m in beside}
        for member in ordered:
            if len(chosen) == wanted:
                break
            others = [*beside, *chosen]
            if member.level in texts:
                continue
            near = any(level_distance(member.level, o.level) < self.config.distance for o in others)
            (spare if near else chosen).append(member)
            texts.add(member.level)
        return [*chosen, *spare][:wanted]

    @staticmethod
    def _numbered(member: Member, number: int, generation: int) -> Member:
        return Member(number, member.level, member.origin, member.parents, generation, member.evaluation)

    def _children(self) -> list[Member]:
        """The next generation: the best liked of those shown, children of the liked ones, and something new."""
        config, preference = self.config, self.preference
        generation = self.generation + 1
        rng = self._rng(generation)
        shown = sorted(self.shown, key=lambda n: (-preference.utility(n), n))
        elites = [self.members[n] for n in shown[: config.elites]]
        parents = self._parents(shown)
        weights = np.array([preference.utility(n) for n in parents])
        weights = np.exp(weights - weights.max())
        weights /= weights.sum()
        places = config.population - len(elites)
        fresh = min(places, round(config.fresh * config.population))
        litter: list[tuple[float, Member]] = []
        tries = 0
        while len(litter) < config.litter * (places - fresh) and tries < MOST_TRIES * config.population:
            tries += 1
            child = self._child(rng, parents, weights, generation)
            if not child.evaluation.feasible or child.level in {m.level for _, m in litter}:
                continue
            own = HERITABILITY * float(np.mean([preference.own(n) for n in child.parents]))
            mean, doubt = preference.expect(child.measures, own)
            litter.append((mean + config.boldness * doubt, child))
        litter.sort(key=lambda pair: -pair[0])
        children = self._apart([child for _, child in litter], places - fresh, elites)
        new: list[Member] = []
        while len(new) + len(children) < places:
            new += self._apart([self._fresh(rng, -1)], 1, [*elites, *children, *new]) or [self._fresh(rng, -1)]
        # Better one more child than something new that cannot be won.
        spare = iter([m for _, m in litter if m.level not in {o.level for o in (*elites, *children, *new)}])
        new = [member if member.evaluation.feasible else next(spare, member) for member in new]
        number = len(self.members)
        born = [self._numbered(m, number + k, generation) for k, m in enumerate([*children, *new][:places])]
        return [*elites, *born]

    def _parents(self, shown: Sequence[int]) -> list[int]:
        """The levels that may have children: the shown levels of the better half, and the best liked of all times."""
        half = list(shown[: max(2, len(shown) // 2)])
        return list(dict.fromkeys([*half, *self.ranking()[:2]]))

    def _child(
        self, rng: np.random.Generator, parents: Sequence[int], weights: np.ndarray[Any, Any], generation: int
    ) -> Member:
        first = parents[int(rng.choice(len(parents), p=weights))]
        second = None
        if len(parents) > 1 and rng.random() < self.config.crossover:
            second = parents[int(rng.choice(len(parents), p=weights))]
            second = None if second == first else second
        parse = self.generator.context.palette.parse
        edits = int(rng.integers(0 if second is not None else 1, self.config.edits + 1))
        site, origin = bred(
            self.generator.context, rng, parse(self.members[first].level),
            None if second is None else parse(self.members[second].level), edits,
            resizing=self.generator.number("resize"), symmetry=self.generator.number("symmetry"),
            widths=self.generator.widths, heights=self.generator.heights,
        )  # fmt: skip
        level = site.text()
        line = (first,) if second is None else (first, second)
        return Member(-1, level, origin, line, generation, self._judge(level))
