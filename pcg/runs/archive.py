"""The levels worth keeping: the best of all that were evaluated, no two of them alike.

Chosen greedily from the best downwards, so the choice depends on the set of evaluated levels alone, not on when they
came. In memory are ranks and names only; the levels themselves are read from the log of the run when they are needed,
and what was found out about the likeness of two levels is not worked out again.
"""

from __future__ import annotations

import bisect
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pcg.evaluators.evaluation import Evaluation
from pcg.generators.levels.contract import Candidate
from pcg.generators.levels.distance import Codes, code_distance, codes

SPARE = 20
"""Per wanted level so many infeasible ones are remembered."""
_SHAPES = 4096
"""Levels whose characters are kept at hand."""
_CHOSEN = -1
_INDEXED = ("feasible", "fitness", "constraint", "constraints", "metrics", "winner", "seed", "wants", "mechanics")


@dataclass(frozen=True)
class Entry:
    """An evaluated candidate."""

    candidate: Candidate
    evaluation: Evaluation
    shape: Codes

    @classmethod
    def of(cls, event: Mapping[str, Any]) -> Entry:
        """The entry of an event of the log."""
        candidate = Candidate.from_json(event)
        return cls(candidate, Evaluation.from_json(event), codes(candidate.level))

    def to_index(self, file: str) -> dict[str, Any]:
        """As an entry of `levels/index.json`."""
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


class Archive:
    """The best `size` levels at a distance of at least `distance` from one another.

    Args:
        size: levels wanted.
        distance: from 0 to 1; see `code_distance`.
        fetch: the event of a candidate that was added, by its id.
    """

    def __init__(self, size: int, distance: float, fetch: Callable[[int], Mapping[str, Any]]) -> None:
        self.size = size
        self.distance = distance
        self.evaluations = 0
        self._fetch = fetch
        self._feasible: list[tuple[float, int]] = []
        self._infeasible: list[tuple[float, int]] = []
        self._like: dict[int, int] = {}  # a level that stood back -> a better one that is like it
        self._shapes: OrderedDict[int, Codes] = OrderedDict()
        self._best: list[Entry] | None = []
        self._spare: list[Entry] | None = []

    @property
    def feasible(self) -> int:
        """Number of feasible levels, alike ones included."""
        return len(self._feasible)

    def add(self, id: int, feasible: bool, fitness: float, constraint: float) -> None:
        """Take an evaluated candidate, whose event can be fetched from now on."""
        self.evaluations += 1
        if feasible:
            bisect.insort(self._feasible, (-fitness, id))
            full = self._best is not None and len(self._best) == self.size
            if not (full and self._best and fitness <= self._best[-1].evaluation.fitness):
                self._best = self._spare = None
        else:
            rank = (-constraint, id)
            if len(self._infeasible) < SPARE * self.size or rank < self._infeasible[-1]:
                bisect.insort(self._infeasible, rank)
                del self._infeasible[SPARE * self.size :]
                self._spare = None

    def best(self) -> list[Entry]:
        """The best distinct feasible levels, best first; of equally good ones the older first."""
        if self._best is None:
            kept: list[int] = []
            names: set[int] = set()
            for _, id in self._feasible:
                if len(kept) == self.size:
                    break
                if self._like.get(id, _CHOSEN) in names:
                    continue  # what it is like still stands before it
                twin = self._twin(id, kept)
                if twin is None:
                    kept.append(id)
                    names.add(id)
                else:
                    self._like[id] = twin
            self._best = [self._entry(id) for id in kept]
        return self._best

    def spare(self) -> list[Entry]:
        """The best distinct infeasible levels, as many as feasible ones are wanting."""
        best = self.best()
        if self._spare is None:
            besides = [entry.candidate.id for entry in best]
            kept: list[int] = []
            for _, id in self._infeasible:
                if len(kept) == self.size - len(best):
                    break
                if self._twin(id, besides) is None and self._twin(id, kept) is None:
                    kept.append(id)
            self._spare = [self._entry(id) for id in kept]
        return self._spare

    def _entry(self, id: int) -> Entry:
        return Entry.of(self._fetch(id))

    def _shape(self, id: int) -> Codes:
        shape = self._shapes.get(id)
        if shape is None:
            shape = self._shapes[id] = codes(str(self._fetch(id)["level"]))
            if len(self._shapes) > _SHAPES:
                self._shapes.popitem(last=False)
        else:
            self._shapes.move_to_end(id)
        return shape

    def _twin(self, id: int, others: Sequence[int]) -> int | None:
        """One of the others that is too like the level, if there is any."""
        shape = self._shape(id)
        for other in others:
            if code_distance(shape, self._shape(other)) < self.distance:
                return other
        return None

    def summary(self) -> Mapping[str, Any]:
        """Counts for `summary.json`."""
        best = self.best()
        return {
            "evaluations": self.evaluations,
            "feasible": self.feasible,
            "distinct": len(best),
            "best": best[0].evaluation.fitness if best else 0.0,
        }
