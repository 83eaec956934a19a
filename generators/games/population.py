"""Evolutionary generators of whole games in two populations, whatever their genotypes are.

Feasible games compete in fitness, infeasible ones in how nearly they keep the constraints (FI-2pop: Kimbrough et al.
2008). Games pay for their length, and those too like a better one stand back. What a child is made of is for
subclasses to say: a game itself (`evolve`) or a tree (`gp`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from pcg.evaluators.parameters import Parameter
from pcg.generators.contract import EvaluationProtocol
from pcg.generators.games.contract import GameCandidate, GameGenerator
from pcg.generators.games.genes import GameGenotype, GameShape, game_distance, game_shape
from pcg.generators.population import Child, GenotypePopulationGenerator, Individual, tournament

PARAMETERS: Mapping[str, Parameter] = {
    parameter.name: parameter
    for parameter in (
        Parameter("population", 40, "members kept in each of the two populations", 2, 10_000),
        Parameter("offspring", 40, "children per generation", 1, 10_000),
        Parameter("crossover", 0.35, "share of children with two parents", 0.0, 1.0),
        Parameter("mutation", 0.6, "share of crossed children that are mutated as well", 0.0, 1.0),
        Parameter("changes", 3, "most changes per mutation; each number from 1 is as likely", 1, 100),
        Parameter("infeasible", 0.35, "share of parents from the infeasible population", 0.0, 1.0),
        Parameter("fresh", 0.1, "share of children made anew rather than bred", 0.0, 1.0),
        Parameter("tournament", 3, "members drawn, of which the best becomes a parent", 1, 100),
        Parameter("niche", 0.12, "games closer than this to a better one stand back", 0.0, 1.0, "distance"),
        Parameter("parsimony", 0.001, "fitness that every line costs", 0.0, 1.0),
        Parameter("again", 0.15, "most of a generation that are good games evaluated once more", 0.0, 1.0),
        Parameter("max_rules", 40, "most rules; or as many as the longest game to begin with", 1, 200),
    )
}
"""Parameters of all of them, by name."""
_TRIES = 5


class EvolutionaryGames(GenotypePopulationGenerator[GameCandidate, EvaluationProtocol], GameGenerator):
    """FI-2pop over games: subclasses make children and tell what they carry on besides the game."""

    parameters = tuple(PARAMETERS.values())

    @abstractmethod
    def _first(self) -> list[Child]:
        """Return the first children of the first generation, before those of `_fresh`."""

    @abstractmethod
    def _fresh(self, rng: np.random.Generator) -> Child:
        """A child without parents."""

    @abstractmethod
    def _mutant(self, parent: Individual, rng: np.random.Generator) -> Child:
        """A child of one."""

    @abstractmethod
    def _crossed(self, one: Individual, other: Individual, mutate: bool, rng: np.random.Generator) -> Child:
        """A child of two."""

    def _next_generation(self, rng: np.random.Generator) -> list[Child]:
        members = self.feasible + self.infeasible
        known = {one.text for one in members}
        made: list[Child] = []
        if not members:
            made = list({child.text: child for child in self._first()}.values())
            known |= {child.text for child in made}
        else:
            made = self._reevaluations(round(self.number("again") * self.integer("offspring")))
        for _ in range(self.integer("offspring" if members else "population") - len(made)):
            for _ in range(_TRIES):
                child = self._bred(rng) if members and rng.random() >= self.number("fresh") else self._fresh(rng)
                if child.text not in known and self._fits(child, len(made)):
                    break
            known.add(child.text)
            made.append(child)
        return made

    def _fits(self, child: Child, place: int) -> bool:
        """Return whether a child suits this place of a generation; after some tries any is taken."""
        del child, place
        return True

    def _bred(self, rng: np.random.Generator) -> Child:
        pool, size = self._pool(rng), self.integer("tournament")
        first = tournament(rng, pool, size)
        if rng.random() >= self.number("crossover"):
            return self._mutant(first, rng)
        second = tournament(rng, self.feasible if self.feasible and rng.random() < 0.5 else pool, size)
        return self._crossed(first, second, bool(rng.random() < self.number("mutation")), rng)

    def _changes(self, rng: np.random.Generator) -> int:
        return 1 + int(rng.integers(self.integer("changes")))

    # -- what the populations ask --------------------------------------------------------------------------------------

    def _candidate(self, number: int, child: Child) -> GameCandidate:
        genotype, parents = child.note[:2]
        return GameCandidate(number, GameGenotype.from_json(genotype), child.origin, self.generation, tuple(parents))

    def _length(self, one: Individual) -> int:
        data = one.note[0]
        return len(data["sprites"]) + len(data["mapping"]) + sum(map(len, data["rules"]))

    def _shape(self, one: Individual) -> GameShape:
        return _shape(one.text, one)

    def _distance(self, one: GameShape, other: GameShape) -> float:
        return game_distance(one, other)


def child_of(game: GameGenotype, origin: str, *parents: Individual, more: Any = None) -> Child:
    """A child: its game, where it comes from, and what else it hands on, as JSON."""
    note: tuple[Any, ...] = (game.to_json(), [parent.id for parent in parents])
    return Child(str(game), origin, note if more is None else (*note, more))


def genotype_of(one: Individual) -> GameGenotype:
    """The game of a member."""
    return GameGenotype.from_json(one.note[0])


class _Key:
    """A member that is looked up by its text."""

    def __init__(self, text: str, one: Individual) -> None:
        self.text, self.one = text, one

    def __hash__(self) -> int:
        return hash(self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self.text == other.text


@lru_cache(maxsize=1024)
def _shape_of(key: _Key) -> GameShape:
    return game_shape(genotype_of(key.one))


def _shape(text: str, one: Individual) -> GameShape:
    return _shape_of(_Key(text, one))
