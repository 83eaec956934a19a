"""Archive of the best levels (or games) that were evaluated, no two of them alike.

Chosen greedily from the best downwards, so the choice depends on the set of evaluated candidates alone, not on when
they came. In memory are ranks and names only; the candidates themselves are read from the log of the run when they are
needed, and what was found out about the likeness of two of them is not worked out again.
"""

from __future__ import annotations

import bisect
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.metrics.likeness import LevelShape
from pcg.generators.levels.contract import Candidate

SPARE = 20
"""Per wanted candidate so many infeasible ones are remembered."""
_SHAPES = 1024
"""Candidates whose shapes are kept at hand."""
_CHOSEN = -1
_INDEXED = (
    "feasible",
    "fitness",
    "constraint",
    "constraints",
    "metrics",
    "winner",
    "seed",
    "wants",
    "mechanics",
    "parts",
)


@dataclass(frozen=True)
class Entry:
    """An evaluated candidate."""

    candidate: Candidate
    evaluation: Evaluation
    shape: LevelShape

    @classmethod
    def of(cls, event: Mapping[str, Any]) -> Entry:
        """Return the entry of an event of the log."""
        candidate = Candidate.from_json(event)
        return cls(candidate, Evaluation.from_json(event), LevelShape(candidate.level))

    def to_index(self, file: str) -> dict[str, Any]:
        """Return it as an entry of `levels/index.json`."""
        data = self.evaluation.to_json()
        return {
            "file": file,
            "id": self.candidate.id,
            "origin": self.candidate.origin,
            "generation": self.candidate.generation,
            "width": self.shape.shape[1],
            "height": self.shape.shape[0],
            **{k: data[k] for k in _INDEXED},
            "actions": self.evaluation.actions,
        }


E = TypeVar("E")


class Archive(Generic[E]):
    """The best `size` candidates at a distance of at least `distance` from one another.

    Args:
        size: how many are wanted.
        distance: from 0 to 1.
        fetch: the event of a candidate that was added, by its id.
        entry: what is kept of an event.
        shape: what is compared of an event.
        apart: distance of two shapes.
    """

    def __init__(
        self, size: int, distance: float, fetch: Callable[[int], Mapping[str, Any]],
        entry: Callable[[Mapping[str, Any]], E],
        shape: Callable[[Mapping[str, Any]], Any] = lambda event: LevelShape(str(event["level"])),
        apart: Callable[[Any, Any], float] = LevelShape.distance,
    ) -> None:  # fmt: skip
        self.size = size
        self.distance = distance
        self.evaluations = 0
        self._fetch, self._entry_of, self._shape_of, self._apart = fetch, entry, shape, apart
        self._feasible: list[tuple[float, int]] = []
        self._infeasible: list[tuple[float, int]] = []
        self._kept: list[tuple[float, int]] = []
        self._like: dict[int, int] = {}  # one that stood back -> a better one that is like it
        self._shapes: OrderedDict[int, Any] = OrderedDict()
        self._best: list[E] | None = []
        self._spare: list[E] | None = []

    @property
    def feasible(self) -> int:
        """Return the number of feasible candidates, alike ones included."""
        return len(self._feasible)

    def add(self, id: int, feasible: bool, fitness: float, constraint: float) -> None:
        """Take an evaluated candidate, whose event can be fetched from now on.

        Args:
            id: its number.
            feasible: False for one that breaks a constraint.
            fitness: of a feasible one.
            constraint: mean constraint value of the others, in [0, 1].
        """
        self.evaluations += 1
        if feasible:
            rank = (-fitness, id)
            bisect.insort(self._feasible, rank)
            if len(self._kept) < self.size or rank < self._kept[-1]:
                self._place(rank)
        else:
            rank = (-constraint, id)
            if len(self._infeasible) < SPARE * self.size or rank < self._infeasible[-1]:
                bisect.insort(self._infeasible, rank)
                del self._infeasible[SPARE * self.size :]
                self._spare = None

    def revise(self, id: int, old: float, new: float) -> None:
        """Replace the fitness of a feasible candidate that was evaluated again.

        Args:
            id: its number.
            old: the fitness with which it was added, or revised last.
            new: the fitness from now on.
        """
        self.evaluations += 1
        del self._feasible[bisect.bisect_left(self._feasible, (-old, id))]
        bisect.insort(self._feasible, (-new, id))
        self._look_again()
        self._best = self._spare = None

    def _place(self, rank: tuple[float, int]) -> None:
        """Let a new candidate take its place among those kept, unless a better one is like it."""
        position = bisect.bisect(self._kept, rank)
        twin = self._twin(rank[1], self._kept[:position])
        if twin is not None:
            self._like[rank[1]] = twin
            return
        after = self._kept[position:]
        alike = {other for other in after if self._twin(rank[1], [other]) is not None}
        self._kept = [*self._kept[:position], rank, *(other for other in after if other not in alike)]
        if alike:
            self._look_again()
        del self._kept[self.size :]
        self._best = self._spare = None

    def _look_again(self) -> None:
        """Choose from all; needed when one gives way, for others may have stood back for it."""
        kept: list[tuple[float, int]] = []
        names: set[int] = set()
        for rank in self._feasible:
            if len(kept) == self.size:
                break
            if self._like.get(rank[1], _CHOSEN) in names:
                continue  # what it is like still stands before it
            twin = self._twin(rank[1], kept)
            if twin is None:
                kept.append(rank)
                names.add(rank[1])
            else:
                self._like[rank[1]] = twin
        self._kept = kept

    def best(self) -> list[E]:
        """Return the best distinct feasible candidates, best first; of equally good ones the older first."""
        if self._best is None:
            self._best = [self._entry(id) for _, id in self._kept]
        return self._best

    def spare(self) -> list[E]:
        """Return the best distinct infeasible candidates, as many as feasible ones are wanting."""
        if self._spare is None:
            kept: list[tuple[float, int]] = []
            wanting = self.size - len(self._kept)
            for rank in self._infeasible:
                if len(kept) == wanting:
                    break
                if self._twin(rank[1], self._kept) is None and self._twin(rank[1], kept) is None:
                    kept.append(rank)
            self._spare = [self._entry(id) for _, id in kept]
        return self._spare

    def _entry(self, id: int) -> E:
        return self._entry_of(self._fetch(id))

    def _shape(self, id: int) -> Any:
        shape = self._shapes.get(id)
        if shape is None:
            shape = self._shapes[id] = self._shape_of(self._fetch(id))
            if len(self._shapes) > _SHAPES:
                self._shapes.popitem(last=False)
        else:
            self._shapes.move_to_end(id)
        return shape

    def _twin(self, id: int, others: Iterable[tuple[float, int]]) -> int | None:
        """Return one of the others that is too like the candidate, if there is any."""
        shape = self._shape(id)
        for _, other in others:
            if self._apart(shape, self._shape(other)) < self.distance:
                return other
        return None

    def summary(self) -> Mapping[str, Any]:
        """Return the counts for `summary.json`."""
        return {
            "evaluations": self.evaluations,
            "feasible": self.feasible,
            "distinct": len(self._kept),
            "best": -self._kept[0][0] if self._kept else 0.0,
        }
