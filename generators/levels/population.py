"""Evolutionary level generators: initial populations, and crossover and mutation of grids.

Generations, selection and a state to go on from are those of all generators that breed (`pcg.generators.population`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

import numpy as np

from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.level_grid import Grid
from pcg.evaluators.metrics.likeness import LevelShape, level_shape
from pcg.evaluators.parameters import Parameter
from pcg.evaluators.targets import Target
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.contract import SIZE_PARAMETERS, Candidate, IndependentGenerator, LevelGenerator
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.operators import crossover, edit, mirror_edits, resize, symmetric_axis
from pcg.generators.levels.repair.by_rules import repair
from pcg.generators.population import Child, Individual, PopulationGenerator, TwoPopulationGenerator

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


class SeedLevels:
    """New levels from other generators, in given shares.

    Raises:
        PcgError: for a text that is no list of shares, and for names of generators that cannot begin a population.
    """

    def __init__(self, owner: LevelGenerator) -> None:
        self.context = owner.context
        self._sizes = {side: owner.settings[side] for side in (p.name for p in SIZE_PARAMETERS)}
        self._targets = owner.targets
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
        builder = LevelBuilder(self.context, self.context.palette.parse(level))
        repair(builder, rng)
        return builder.text(), name

    def _generator(self, name: str, seed: int) -> LevelGenerator:
        from pcg.generators.levels.registry import make_generator

        return make_generator(name, self.context, seed=seed, targets=self._targets, **self._sizes)


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
            hint = did_you_mean(name, GENERATORS, f" (there are: {', '.join(GENERATORS)})")
            raise PcgError(f"{where} is {text!r}: `{name}` is no level generator{hint}")
        if GENERATORS[name].learns:
            raise PcgError(f"{where} is {text!r}: `{name}` learns from evaluations, expected one that does not")
        try:
            share = float(number or 1)
        except ValueError:
            share = 0.0
        if not 0 < share < float("inf"):
            raise PcgError(f"{where} is {text!r}: the share of `{name}` is {number!r}, expected a positive number")
        shares[name] = shares.get(name, 0.0) + share
    total = sum(shares.values())
    return {name: share / total for name, share in shares.items()}


class LevelPopulation(PopulationGenerator[Candidate, Evaluation], LevelGenerator):
    """Base of the level generators that breed."""

    def _candidate(self, number: int, child: Child) -> Candidate:
        return Candidate(number, child.text, child.origin, self.generation)


class TwoPopulationLevelGenerator(TwoPopulationGenerator[Candidate, Evaluation], LevelPopulation):
    """Base of the level generators that keep feasible levels apart from infeasible ones."""

    def _shape(self, one: Individual) -> LevelShape:
        return level_shape(one.text)

    def _distance(self, one: LevelShape, other: LevelShape) -> float:
        return one.distance(other)


class EvolutionaryGenerator(LevelPopulation):
    """Base of those that breed grids of tiles with `operators`: children that are new, whole and within the sizes."""

    def __init__(self, context: LevelContext, *, seed: int, **params: Any) -> None:
        super().__init__(context, seed=seed, **params)
        self.seeds = SeedLevels(self)
        self._symmetry = symmetry_kept(self.targets, self.number("symmetry"))

    def _begin(self, rng: np.random.Generator, count: int, note: tuple[float, ...] = ()) -> list[Child]:
        """The first generation."""
        return [Child(level, origin, note) for level, origin in self.seeds.many(rng, count)]

    def _distinct(self, rng: np.random.Generator, count: int, members: Iterable[Individual]) -> list[Child]:
        """`count` children from `_child`, each unlike all members and earlier ones if five tries are enough for it."""
        known = {one.text for one in members}
        made: list[Child] = []
        for _ in range(count):
            for _ in range(5):
                child = self._child(rng)
                if child.text not in known:
                    break
            known.add(child.text)
            made.append(child)
        return made

    @abstractmethod
    def _child(self, rng: np.random.Generator) -> Child:
        """One child, made anew or bred."""

    def _bred(self, rng: np.random.Generator, first: Individual, second: Individual | None, edits: int) -> Child:
        """A child of one or two parents, with `edits` mutations after their crossing."""
        parse = self.context.palette.parse
        builder, origin = bred(
            self.context, rng, parse(first.text), None if second is None else parse(second.text), edits,
            resizing=self.number("resize"), symmetry=self._symmetry, widths=self.widths, heights=self.heights,
        )  # fmt: skip
        return Child(builder.text(), origin)


def symmetry_kept(targets: Iterable[Target], usual: float) -> float:
    """Share of the children of mirrored levels that stay mirrored: most where symmetry is wanted.

    Whoever targets symmetry rarely gets it back once an operator has broken it.
    """
    wanted = any(target.name.startswith("symmetry") and target.low >= 0.5 for target in targets)
    return max(usual, 0.9 if wanted else 0.0)


def bred(
    context: LevelContext, rng: np.random.Generator, first: Grid, second: Grid | None, edits: int,
    *, resizing: float, symmetry: float, widths: tuple[int, int], heights: tuple[int, int],
) -> tuple[LevelBuilder, str]:  # fmt: skip
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
    builder = LevelBuilder(context, grid[:height, :width].copy())
    repair(builder, rng)
    return builder, origin
