"""What all generators that breed levels have in common: how a population begins, generations that are asked for and
told, parents, children, and a state to go on from.

A generation is made at once and handed out bit by bit; when all of it has been told, the generator decides who
survives. DEAP supplies fitnesses and selection. Its operators that draw from Python's global random numbers are not
used: every draw comes from `LevelGenerator.rng`, so neither the number of workers nor a restart changes anything.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from deap import base, tools

from pcg.engine.vgdl.diagnostics import PcgError, nearest
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.level_grid import Grid
from pcg.evaluators.metrics.distances import Codes, code_distance, codes
from pcg.evaluators.parameters import Parameter
from pcg.evaluators.wants import Want
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.contract import SIZE_PARAMETERS, Candidate, IndependentGenerator, LevelGenerator
from pcg.generators.levels.operators import crossover, edit, mirror_edits, resize, symmetric_axis
from pcg.generators.levels.repair import repair
from pcg.generators.levels.site import Site

SEEDING = Parameter(
    "seeding",
    "constructive:0.4,minimal:0.2,ca:0.15,variation:0.15,random:0.1",
    "generators of the first levels and of fresh ones, each with its share",
)
BREEDING: tuple[Parameter, ...] = (
    SEEDING,
    Parameter("crossover", 0.6, "share of children with two parents", 0.0, 1.0),
    Parameter("resize", 0.05, "share of children that grow or shrink by a row or column", 0.0, 1.0),
    Parameter("symmetry", 0.1, "share of the children of mirrored levels that stay mirrored", 0.0, 1.0),
    Parameter("fresh", 0.1, "share of children made anew rather than bred", 0.0, 1.0),
)
"""Parameters of the generators that breed grids."""


@cache
def fitness_class(values: int) -> Any:
    """The DEAP fitness for so many values, all of which are to be large; compared one after the other."""
    return type(f"LevelFitness{values}", (base.Fitness,), {"weights": (1.0,) * values})


class Individual(list[str]):
    """A member of a population as DEAP knows one: the rows of a level, and a `fitness`."""

    def __init__(self, level: str, values: Sequence[float], id: int, note: Sequence[Any] = ()) -> None:
        super().__init__(level.split("\n"))
        self.fitness = fitness_class(len(values))(tuple(values))
        self.id = id
        self.note = tuple(note)
        """What else is inherited, as JSON: a strategy parameter, the number of a vector, a genotype."""

    @property
    def level(self) -> str:
        """The level text."""
        return "\n".join(self)

    @property
    def values(self) -> tuple[float, ...]:
        """What the fitness consists of."""
        return tuple(self.fitness.values)

    def to_json(self) -> list[Any]:
        """As a JSON array."""
        return [self.level, list(self.values), self.id, list(self.note)]

    @classmethod
    def from_json(cls, data: Sequence[Any]) -> Individual:
        """The inverse of `to_json`."""
        level, values, number, note = data
        return cls(level, values, number, note)


@dataclass(frozen=True)
class Child:
    """A level that waits to be asked for."""

    level: str
    origin: str
    note: tuple[Any, ...] = ()

    def to_json(self) -> list[Any]:
        """As a JSON array."""
        return [self.level, self.origin, list(self.note)]


class Seeds:
    """New levels from other generators, in given shares.

    Raises:
        PcgError: for a text that is no list of shares, and for names of generators that cannot begin a population.
    """

    def __init__(self, owner: LevelGenerator) -> None:
        self.context = owner.context
        self._sizes = {side: owner.settings[side] for side in (p.name for p in SIZE_PARAMETERS)}
        self._wants = owner.wants
        shares = parse_shares(str(owner.settings["seeding"]), f"generator {owner.name}: parameter `seeding`")
        self._names = tuple(shares)
        self._shares = np.array(list(shares.values()))
        self._made: dict[str, LevelGenerator] = {}
        for name in self._names:  # mistakes show before anything is made
            self._made[name] = self._generator(name, owner.seed)

    def many(self, rng: np.random.Generator, count: int) -> list[tuple[str, str]]:
        """`count` levels, each with the name of its generator; the shares are kept as exactly as they can be."""
        made: list[tuple[str, str]] = []
        given = np.zeros(len(self._names))
        for k in range(count):
            turn = int(np.argmax(self._shares * (k + 1) - given))
            given[turn] += 1
            made.append(self._one(rng, self._names[turn]))
        return made

    def one(self, rng: np.random.Generator) -> tuple[str, str]:
        """A level and the name of its generator, drawn by the shares."""
        return self._one(rng, self._names[int(rng.choice(len(self._names), p=self._shares))])

    def _one(self, rng: np.random.Generator, name: str) -> tuple[str, str]:
        generator = self._made[name]
        if isinstance(generator, IndependentGenerator):
            level = generator.generate(rng)
        else:
            level = self._generator(name, int(rng.integers(2**31))).ask(1)[0].level
        site = Site(self.context, self.context.palette.parse(level))
        repair(site, rng)
        return site.text(), name

    def _generator(self, name: str, seed: int) -> LevelGenerator:
        from pcg.generators.levels.registry import make_generator

        return make_generator(name, self.context, seed=seed, wants=self._wants, **self._sizes)


def parse_shares(text: str, where: str) -> dict[str, float]:
    """Generators and their shares, which sum to 1, from a text like ``constructive:2, ca``.

    Args:
        text: names of generators that do not learn, separated by commas, each with a positive number after a colon
            (1 without).
        where: what the text is, for messages.

    Raises:
        PcgError: for anything else.

    >>> parse_shares("constructive:3, ca", "seeding")
    {'constructive': 0.75, 'ca': 0.25}
    """
    from pcg.generators.levels.registry import GENERATORS

    shares: dict[str, float] = {}
    for part in text.split(","):
        name, _, number = (piece.strip() for piece in part.partition(":"))
        if name not in GENERATORS:
            near = nearest(name, GENERATORS)
            hint = f", did you mean `{near}`?" if near else f" (there are: {', '.join(GENERATORS)})"
            raise PcgError(f"{where} is {text!r}: `{name}` is no level generator{hint}")
        if GENERATORS[name].learns:
            raise PcgError(
                f"{where} is {text!r}: `{name}` learns from what its levels are worth, expected one that does not"
            )
        try:
            share = float(number or 1)
        except ValueError:
            share = 0.0
        if not 0 < share < float("inf"):
            raise PcgError(f"{where} is {text!r}: the share of `{name}` is {number!r}, expected a positive number")
        shares[name] = shares.get(name, 0.0) + share
    total = sum(shares.values())
    return {name: share / total for name, share in shares.items()}


@dataclass
class _Generation:
    """What is not decided yet: children that wait, that are out, and that were told."""

    queue: list[Child] = field(default_factory=list)
    out: dict[int, Child] = field(default_factory=dict)
    told: list[tuple[Individual, bool]] = field(default_factory=list)


class PopulationGenerator(LevelGenerator):
    """Base of the generators that breed: subclasses say what comes next, what a verdict is worth, and who survives."""

    learns = True

    def __init__(self, context: LevelContext, *, seed: int, **params: Any) -> None:
        super().__init__(context, seed=seed, **params)
        self.generation = 0
        self._now = _Generation()

    # -- what subclasses decide ----------------------------------------------------------------------------------------

    @abstractmethod
    def _make(self, rng: np.random.Generator) -> list[Child]:
        """The children of generation `self.generation`."""

    @abstractmethod
    def _judge(self, evaluation: Evaluation) -> tuple[float, ...]:
        """The fitness values of a verdict."""

    @abstractmethod
    def _select(self, told: list[tuple[Individual, bool]]) -> None:
        """Take a generation that was told completely, each individual with whether it is feasible, by ascending id."""

    @abstractmethod
    def _keep(self) -> dict[str, Any]:
        """What a subclass adds to the state, as JSON."""

    @abstractmethod
    def _restore(self, state: Mapping[str, Any]) -> None:
        """The inverse of `_keep`."""

    # -- ask and tell --------------------------------------------------------------------------------------------------

    def ask(self, n: int) -> list[Candidate]:
        """At most `n` candidates; none while a generation is not told completely."""
        now = self._now
        if not now.queue and not now.out:
            now.queue = self._make(self.rng(self.generation))
        taken, now.queue = now.queue[:n], now.queue[n:]
        first, self._next = self._next, self._next + len(taken)
        now.out.update(enumerate(taken, first))
        return [Candidate(first + i, c.level, c.origin, self.generation) for i, c in enumerate(taken)]

    def tell(self, candidates: Sequence[Candidate], evaluations: Sequence[Evaluation]) -> None:
        """Take evaluations; the last one of a generation decides who survives."""
        now = self._now
        for candidate, evaluation in zip(candidates, evaluations, strict=True):
            child = now.out.pop(candidate.id, None)
            if child is None:
                raise PcgError(f"generator {self.name}: candidate {candidate.id} is not out, expected one that is")
            one = Individual(candidate.level, self._judge(evaluation), candidate.id, child.note)
            now.told.append((one, evaluation.feasible))
        if not now.out and not now.queue:
            told = sorted(now.told, key=lambda entry: entry[0].id)
            self._now = _Generation()
            self._select(told)
            self.generation += 1

    # -- resuming ------------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """The populations, the rest of the generation's queue, what is out and what was told of it so far."""
        now = self._now
        return {
            "next": self._next,
            "generation": self.generation,
            "queue": [child.to_json() for child in now.queue],
            "out": [[number, *child.to_json()] for number, child in now.out.items()],
            "told": [[one.to_json(), feasible] for one, feasible in now.told],
            **self._keep(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on as the generator whose `state_dict` this was."""
        super().load_state_dict(state)
        self.generation = int(state["generation"])
        self._now = _Generation(
            [Child(level, origin, tuple(note)) for level, origin, note in state["queue"]],
            {int(number): Child(level, origin, tuple(note)) for number, level, origin, note in state["out"]},
            [(Individual.from_json(data), bool(feasible)) for data, feasible in state["told"]],
        )
        self._restore(state)


class TwoPopulations(PopulationGenerator):
    """Base of those that keep feasible levels apart from infeasible ones (FI-2pop: Kimbrough et al. 2008).

    The infeasible are ranked by how nearly they keep the constraints, the feasible by their fitness; levels closer than
    `niche` to a better one stand back (clearing, Petrowski 1996).
    """

    def __init__(self, context: LevelContext, *, seed: int, **params: Any) -> None:
        super().__init__(context, seed=seed, **params)
        self.feasible: list[Individual] = []
        self.infeasible: list[Individual] = []

    def _judge(self, evaluation: Evaluation) -> tuple[float, ...]:
        return (evaluation.fitness if evaluation.feasible else evaluation.constraint,)

    def _pool(self, rng: np.random.Generator) -> list[Individual]:
        """The population that parents are to come from."""
        pool = self.infeasible if rng.random() < self.number("infeasible") else self.feasible
        return pool or self.feasible or self.infeasible

    def _select(self, told: list[tuple[Individual, bool]]) -> None:
        children = {flag: [one for one, feasible in told if feasible is flag] for flag in (True, False)}
        size = self.integer("population")
        self.feasible = self._survivors(self.feasible + children[True], size)
        self.infeasible = self._survivors(self.infeasible + children[False], size)

    def _survivors(self, members: list[Individual], size: int) -> list[Individual]:
        """The best `size`, those that are too like a better one last, equal ones left out."""
        niche = self.number("niche")
        kept: list[Individual] = []
        shapes: list[Codes] = []
        back: list[Individual] = []
        seen: set[str] = set()
        for one in tools.selBest(members, len(members)):
            if one.level in seen:
                continue
            seen.add(one.level)
            shape = codes(one.level)
            if len(kept) < size and all(code_distance(shape, other) >= niche for other in shapes):
                kept.append(one)
                shapes.append(shape)
            else:
                back.append(one)
        return (kept + back)[:size]

    def _keep(self) -> dict[str, Any]:
        return {
            "feasible": [one.to_json() for one in self.feasible],
            "infeasible": [one.to_json() for one in self.infeasible],
        }

    def _restore(self, state: Mapping[str, Any]) -> None:
        self.feasible = [Individual.from_json(data) for data in state["feasible"]]
        self.infeasible = [Individual.from_json(data) for data in state["infeasible"]]


class BreedingGenerator(PopulationGenerator):
    """Base of those that breed grids of tiles with `operators`: children that are new, whole and within the sizes."""

    def __init__(self, context: LevelContext, *, seed: int, **params: Any) -> None:
        super().__init__(context, seed=seed, **params)
        self.seeds = Seeds(self)
        self._symmetry = symmetry_kept(self.wants, self.number("symmetry"))

    def _begin(self, rng: np.random.Generator, count: int, note: tuple[float, ...] = ()) -> list[Child]:
        """The first generation."""
        return [Child(level, origin, note) for level, origin in self.seeds.many(rng, count)]

    def _distinct(self, rng: np.random.Generator, count: int, members: Iterable[Individual]) -> list[Child]:
        """`count` children from `_child`, each unlike all members and earlier ones if five tries are enough for it."""
        known = {one.level for one in members}
        made: list[Child] = []
        for _ in range(count):
            for _ in range(5):
                child = self._child(rng)
                if child.level not in known:
                    break
            known.add(child.level)
            made.append(child)
        return made

    @abstractmethod
    def _child(self, rng: np.random.Generator) -> Child:
        """One child, made anew or bred."""

    def _bred(self, rng: np.random.Generator, first: Individual, second: Individual | None, edits: int) -> Child:
        """A child of one or two parents, with `edits` mutations after their crossing."""
        parse = self.context.palette.parse
        site, origin = bred(
            self.context, rng, parse(first.level), None if second is None else parse(second.level), edits,
            resizing=self.number("resize"), symmetry=self._symmetry, widths=self.widths, heights=self.heights,
        )  # fmt: skip
        return Child(site.text(), origin)


def symmetry_kept(wants: Iterable[Want], usual: float) -> float:
    """Share of the children of mirrored levels that stay mirrored: most where symmetry is wanted.

    Whoever wants symmetry rarely gets it back once an operator has broken it.
    """
    wanted = any(want.name.startswith("symmetry") and want.low >= 0.5 for want in wants)
    return max(usual, 0.9 if wanted else 0.0)


def bred(
    context: LevelContext, rng: np.random.Generator, first: Grid, second: Grid | None, edits: int,
    *, resizing: float, symmetry: float, widths: tuple[int, int], heights: tuple[int, int],
) -> tuple[Site, str]:  # fmt: skip
    """A child of one or two levels, repaired, and the name of the operator that did most.

    Args:
        context: of the game.
        rng: draws.
        first: a parent.
        second: another, with which it is crossed; None for no crossing.
        edits: mutations after that.
        resizing: probability of one more row or column, or one less.
        symmetry: probability that the child of a mirrored level stays so.
        widths: least and most columns.
        heights: least and most rows.
    """
    grid, origin = first, "mutation"
    axis = symmetric_axis(context, first) if symmetry and rng.random() < symmetry else None
    if second is not None:
        grid, origin = crossover(context, first, second, rng)[int(rng.integers(2))], "crossover"
        if axis is not None and grid.shape == first.shape:
            grid = mirror_edits(context, first, grid, axis)
    if edits:
        before = grid
        grid = edit(context, grid, rng, edits)
        if axis is not None:
            grid = mirror_edits(context, before, grid, axis)
    if axis is None and rng.random() < resizing:
        grid, origin = resize(context, grid, rng, widths, heights), "resize"
    height, width = min(grid.shape[0], heights[1]), min(grid.shape[1], widths[1])
    site = Site(context, grid[:height, :width].copy())
    repair(site, rng)
    return site, origin


def tournament(
    rng: np.random.Generator, pool: Sequence[Individual], size: int, ranks: Mapping[int, Any] | None = None
) -> Individual:
    """The best of `size` drawn members, of equally good ones the oldest.

    Args:
        rng: draws.
        pool: the members, at least one.
        size: how many are drawn, with replacement.
        ranks: id -> rank, the smallest best; the fitness decides without.
    """
    drawn = [pool[int(i)] for i in rng.integers(0, len(pool), size=size)]
    if ranks is not None:
        return min(drawn, key=lambda one: (ranks[one.id], one.id))
    return min(drawn, key=lambda one: (tuple(-v for v in one.values), one.id))
