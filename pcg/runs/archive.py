"""The levels worth keeping: the best of all that were evaluated, no two of them alike.

Chosen greedily from the best downwards, so the choice depends on the set of evaluated levels alone, not on when they
came. It keeps no levels on disk (that is `store`'s business).
"""

from __future__ import annotations

import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pcg.evaluators.evaluation import Evaluation
from pcg.generators.levels.contract import Candidate
from pcg.generators.levels.distance import Codes, code_distance, codes

SPARE = 20
"""Per wanted level so many infeasible ones are remembered."""


_INDEXED = ("feasible", "fitness", "constraint", "constraints", "metrics", "winner", "seed", "wants", "mechanics")


@dataclass(frozen=True)
class Entry:
    """An evaluated candidate."""

    candidate: Candidate
    evaluation: Evaluation
    shape: Codes

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
    """The best `size` levels at a distance of at least `distance` from one another."""

    def __init__(self, size: int, distance: float) -> None:
        self.size = size
        self.distance = distance
        self.evaluations = 0
        self._feasible: list[tuple[float, int, Entry]] = []
        self._infeasible: list[tuple[float, int, Entry]] = []
        self._best: list[Entry] | None = []

    @property
    def feasible(self) -> int:
        """Number of feasible levels, alike ones included."""
        return len(self._feasible)

    def add(self, candidate: Candidate, evaluation: Evaluation) -> None:
        """Take an evaluated candidate."""
        self.evaluations += 1
        entry = Entry(candidate, evaluation, codes(candidate.level))
        if evaluation.feasible:
            bisect.insort(self._feasible, (-evaluation.fitness, candidate.id, entry))
            full = self._best is not None and len(self._best) == self.size
            if not (full and self._best and evaluation.fitness <= self._best[-1].evaluation.fitness):
                self._best = None
        else:
            bisect.insort(self._infeasible, (-evaluation.constraint, candidate.id, entry))
            del self._infeasible[SPARE * self.size :]

    def best(self) -> list[Entry]:
        """The best distinct feasible levels, best first; of equally good ones the older first."""
        if self._best is None:
            self._best = self._distinct(self._feasible, self.size, ())
        return self._best

    def spare(self) -> list[Entry]:
        """The best distinct infeasible levels, as many as feasible ones are wanting."""
        return self._distinct(self._infeasible, self.size - len(self.best()), self.best())

    def _distinct(self, ranked: Sequence[tuple[float, int, Entry]], size: int, besides: Sequence[Entry]) -> list[Entry]:
        kept: list[Entry] = []
        for _, _, entry in ranked:
            if len(kept) == size:
                break
            if all(code_distance(entry.shape, other.shape) >= self.distance for other in (*besides, *kept)):
                kept.append(entry)
        return kept

    def summary(self) -> Mapping[str, Any]:
        """Counts for `summary.json`."""
        best = self.best()
        return {
            "evaluations": self.evaluations,
            "feasible": self.feasible,
            "distinct": len(best),
            "best": best[0].evaluation.fitness if best else 0.0,
        }
