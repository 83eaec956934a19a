"""Evolutionary generators: generations that are asked for and told, parents, children, and a
state to go on from.

A generation is made at once and handed out bit by bit; when all of it has been told, the generator decides who
survives. DEAP supplies fitnesses and selection. Its operators that draw from Python's global random numbers are not
used: every draw comes from `Generator.rng`, so neither the number of workers nor a restart changes anything.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from deap import base, tools

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.generators.contract import C, Generator, V

AGAIN = "again"
"""Origin of candidates that are members of a population, to be evaluated once more with other seeds."""
_OFTEN = 6
"""Evaluations after which a member is known well enough."""


@cache
def deap_fitness_class(values: int) -> Any:
    """The DEAP fitness for so many values, all of which are to be large; compared one after the other."""
    return type(f"Fitness{values}", (base.Fitness,), {"weights": (1.0,) * values})


class Individual(list[str]):
    """A member of a population as DEAP knows one: the lines of its text, and a `fitness`."""

    def __init__(self, text: str, values: Sequence[float], id: int, note: Sequence[Any] = (), times: int = 1) -> None:
        super().__init__(text.split("\n"))
        self.fitness = deap_fitness_class(len(values))(tuple(values))
        self.id = id
        self.times = times
        """Evaluations whose mean the values are."""
        self.note = tuple(note)
        """Further inheritance, as JSON: a strategy parameter, the number of a vector, a genotype."""

    @property
    def text(self) -> str:
        """The lines as one text."""
        return "\n".join(self)

    @property
    def values(self) -> tuple[float, ...]:
        """Fitness values, all to be large, compared one after the other."""
        return tuple(self.fitness.values)

    def evaluated(self, values: Sequence[float]) -> None:
        """Take one more evaluation into the mean."""
        mean = [(old * self.times + new) / (self.times + 1) for old, new in zip(self.values, values, strict=True)]
        self.fitness = deap_fitness_class(len(mean))(tuple(mean))
        self.times += 1

    def to_json(self) -> list[Any]:
        """As a JSON array."""
        return [self.text, list(self.values), self.id, list(self.note), self.times]

    @classmethod
    def from_json(cls, data: Sequence[Any]) -> Individual:
        """The inverse of `to_json`."""
        text, values, number, note, times = data
        return cls(text, values, number, note, times)


@dataclass(frozen=True)
class Child:
    """Child that waits to be asked for."""

    text: str
    origin: str
    note: tuple[Any, ...] = ()

    def to_json(self) -> list[Any]:
        """As a JSON array."""
        return [self.text, self.origin, list(self.note)]


@dataclass
class _Generation:
    """Generation under way: children that wait, that are out, and that were told."""

    queue: list[Child] = field(default_factory=list)
    out: dict[int, Child] = field(default_factory=dict)
    told: list[tuple[Individual, bool]] = field(default_factory=list)


class PopulationGenerator(Generator[C, V]):
    """Base of evolutionary generators: subclasses make children, value evaluations, and select survivors."""

    learns = True

    def __init__(self, *args: Any, **params: Any) -> None:
        super().__init__(*args, **params)
        self.generation = 0
        self._now = _Generation()

    # -- what subclasses decide ----------------------------------------------------------------------------------------

    @abstractmethod
    def _next_generation(self, rng: np.random.Generator) -> list[Child]:
        """The children of generation `self.generation`."""

    @abstractmethod
    def _candidate(self, number: int, child: Child) -> C:
        """The candidate that a child is handed out as."""

    @abstractmethod
    def _fitness_values(self, evaluation: V) -> tuple[float, ...]:
        """The fitness values of a verdict."""

    @abstractmethod
    def _select(self, told: list[tuple[Individual, bool]]) -> None:
        """Take a generation that was told completely, each individual with whether it is feasible, by ascending id."""

    @abstractmethod
    def _extra_state(self) -> dict[str, Any]:
        """Return what a subclass adds to the state, as JSON."""

    @abstractmethod
    def _load_extra_state(self, state: Mapping[str, Any]) -> None:
        """The inverse of `_extra_state`."""

    # -- ask and tell --------------------------------------------------------------------------------------------------

    def ask(self, n: int) -> list[C]:
        """At most `n` candidates; none while a generation is not told completely."""
        now = self._now
        if not now.queue and not now.out:
            now.queue = self._next_generation(self.rng(self.generation))
        taken, now.queue = now.queue[:n], now.queue[n:]
        first, self._next = self._next, self._next + len(taken)
        now.out.update(enumerate(taken, first))
        return [self._candidate(first + i, child) for i, child in enumerate(taken)]

    def tell(self, candidates: Sequence[C], evaluations: Sequence[V]) -> None:
        """Take evaluations; the last one of a generation decides who survives."""
        now = self._now
        for candidate, evaluation in zip(candidates, evaluations, strict=True):
            child = now.out.pop(candidate.id, None)
            if child is None:
                raise PcgError(f"generator {self.name}: candidate {candidate.id} is not out, expected one that is")
            one = Individual(child.text, self._fitness_values(evaluation), candidate.id, child.note)
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
            **self._extra_state(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on as the generator whose `state_dict` this was."""
        super().load_state_dict(state)
        self.generation = int(state["generation"])
        self._now = _Generation(
            [Child(text, origin, tuple(note)) for text, origin, note in state["queue"]],
            {int(number): Child(text, origin, tuple(note)) for number, text, origin, note in state["out"]},
            [(Individual.from_json(data), bool(feasible)) for data, feasible in state["told"]],
        )
        self._load_extra_state(state)


class TwoPopulationGenerator(PopulationGenerator[C, V]):
    """Base of those that keep the feasible apart from the infeasible (FI-2pop: Kimbrough et al. 2008).

    The infeasible are ranked by how nearly they keep the constraints, the feasible by their fitness; members closer
    than `niche` to a better one stand back (clearing, Petrowski 1996).
    """

    def __init__(self, *args: Any, **params: Any) -> None:
        super().__init__(*args, **params)
        self.feasible: list[Individual] = []
        self.infeasible: list[Individual] = []

    @abstractmethod
    def _shape(self, one: Individual) -> Any:
        """Return the phenotype of a member that `_distance` compares."""

    @abstractmethod
    def _distance(self, one: Any, other: Any) -> float:
        """Distance of two shapes, in [0, 1]."""

    def _reevaluated_id(self, one: Individual) -> int:
        """Id of the member of which this is a further evaluation, -1: of none."""
        del one
        return -1

    def _to_reevaluate(self, number: int) -> list[Individual]:
        """Members to evaluate again: of twice as many of the best feasible ones those that were seen least often.

        Evolution picks what was lucky, and who was lucky once stays; the mean of several evaluations, each with other
        seeds, lets luck go by (resampling: Jin, Branke 2005).
        """
        best = [one for one in self._ranked(self.feasible)[: 2 * number] if one.times < _OFTEN]
        return sorted(best, key=lambda one: one.times)[:number]

    def _merge_reevaluations(self, told: list[tuple[Individual, bool]]) -> list[tuple[Individual, bool]]:
        """Return what was told, less re-evaluations of members, which these take into their mean."""
        members = {one.id: one for one in self.feasible}
        rest = []
        for one, feasible in told:
            member = members.get(self._reevaluated_id(one))
            if member is None or member.text != one.text:
                rest.append((one, feasible))
            else:
                member.evaluated(one.values if feasible else [0.0] * len(one.values))
        return rest

    def _fitness_values(self, evaluation: V) -> tuple[float, ...]:
        return (evaluation.fitness if evaluation.feasible else evaluation.constraint,)

    def _share(self) -> float:
        """Share of parents that come from the infeasible population."""
        return self.number("infeasible")

    def _pool(self, rng: np.random.Generator) -> list[Individual]:
        """The population that parents are to come from."""
        pool = self.infeasible if rng.random() < self._share() else self.feasible
        return pool or self.feasible or self.infeasible

    def _select(self, told: list[tuple[Individual, bool]]) -> None:
        told = self._merge_reevaluations(told)
        children = {flag: [one for one, feasible in told if feasible is flag] for flag in (True, False)}
        size = self.integer("population")
        self.feasible = self._survivors(self.feasible + children[True], size)
        self.infeasible = self._survivors(self.infeasible + children[False], size)

    def _ranked(self, members: list[Individual]) -> list[Individual]:
        """Members, best first."""
        ranked: list[Individual] = tools.selBest(members, len(members))
        return ranked

    def _survivors(self, members: list[Individual], size: int) -> list[Individual]:
        """The best `size`, those that are too like a better one last, equal ones left out."""
        niche = self.number("niche")
        kept: list[Individual] = []
        shapes: list[Any] = []
        back: list[Individual] = []
        seen: set[str] = set()
        for one in self._ranked(members):
            if one.text in seen:
                continue
            seen.add(one.text)
            shape = self._shape(one)
            if len(kept) < size and all(self._distance(shape, other) >= niche for other in shapes):
                kept.append(one)
                shapes.append(shape)
            else:
                back.append(one)
        return (kept + back)[:size]

    def _extra_state(self) -> dict[str, Any]:
        return {
            "feasible": [one.to_json() for one in self.feasible],
            "infeasible": [one.to_json() for one in self.infeasible],
        }

    def _load_extra_state(self, state: Mapping[str, Any]) -> None:
        self.feasible = [Individual.from_json(data) for data in state["feasible"]]
        self.infeasible = [Individual.from_json(data) for data in state["infeasible"]]


class GenotypePopulationGenerator(TwoPopulationGenerator[C, V]):
    """Base of those whose members hand on a genotype as JSON and the ids of their parents (`note`).

    Members pay for their length (parsimony: Koza 1992), by the parameter `parsimony`.
    """

    @abstractmethod
    def _length(self, one: Individual) -> int:
        """Return the number of lines that a member pays for."""

    def _reevaluated_id(self, one: Individual) -> int:
        parents = one.note[1]
        return int(parents[0]) if len(parents) == 1 else -1

    def _reevaluations(self, number: int) -> list[Child]:
        """Return children that are members to be evaluated once more, with these as their only parents."""
        again = self._to_reevaluate(number)
        return [Child(one.text, AGAIN, (one.note[0], [one.id], *one.note[2:])) for one in again]

    def _ranked(self, members: list[Individual]) -> list[Individual]:
        price = self.number("parsimony")
        return sorted(members, key=lambda one: (price * self._length(one) - one.values[0], one.id))


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
