"""Archive of the best levels (or games) that were evaluated, no two of them alike.

Chosen greedily from the best downwards, so the choice depends on the set of evaluated candidates alone, not on when
they came. Where variety counts, more are kept than are wanted, and of these a set is chosen whose members are good and
far apart (maximal marginal relevance: Carbonell and Goldstein, SIGIR 1998). In memory are ranks and names only; the
candidates themselves are read from the log of the run when they are needed, and what was found out about the likeness
of two of them is not worked out again.
"""

from __future__ import annotations

import bisect
import itertools
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.metrics.likeness import LevelShape
from pcg.evaluators.metrics.niches import usual_distance
from pcg.evaluators.metrics.skeletons import StructuralShape, StructuralShapes
from pcg.generators.levels.contract import Candidate
from pcg.runs.ranks import Ranks

SPARE = 20
"""Per wanted candidate so many infeasible ones are remembered."""
CHOICE = 3
"""Per wanted candidate so many more are kept to choose a varied set from, at most `MOST_CHOICE` in all."""
MOST_CHOICE = 60
MOST_VARIED = 100
"""Most candidates of a set whose variety counts; choosing takes time in proportion to their square."""
_LOOKED_AT = 20
"""Candidates that are looked at for each variant that is wanted."""
_SHAPES = 1024
"""Candidates whose shapes are kept at hand."""
_PAIRS = 20_000
"""Distances that are remembered; those of a largest set are 12,720."""
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


@dataclass(frozen=True)
class Variety:
    """Weight of the candidates of a set being unlike each other.

    Args:
        usual: distance from which on two are as unlike as they need to be: that of a game's own levels.
        weight: fitness that a candidate may lack for each unit of mean distance from those chosen before it.
        slack: fitness that it may lack beside the last of the best ones in any case, so that none is given up for one
            that is of another kind altogether, as one that misses what was wanted is.
    """

    usual: float
    weight: float = 1.0
    slack: float = 0.05


class Archive(Generic[E]):
    """The best `size` candidates at a distance of at least `distance` from one another.

    Args:
        size: how many are wanted.
        distance: from 0 to 1.
        fetch: the event of a candidate that was added, by its id.
        entry: what is kept of an event.
        shape: what is compared of an event.
        apart: distance of two shapes.
        variety: that counts beside fitness; None for the best ones whatever they are like.
    """

    def __init__(
        self, size: int, distance: float, fetch: Callable[[int], Mapping[str, Any]],
        entry: Callable[[Mapping[str, Any]], E],
        shape: Callable[[Mapping[str, Any]], Any] = lambda event: LevelShape(str(event["level"])),
        apart: Callable[[Any, Any], float] = LevelShape.distance, variety: Variety | None = None,
    ) -> None:  # fmt: skip
        self.size = size
        self.variety = variety if variety is not None and variety.weight and size <= MOST_VARIED else None
        self._room = size if self.variety is None else size + min(CHOICE * size, MOST_CHOICE)
        self.distance = distance
        self.evaluations = 0
        self._fetch, self._entry_of, self._shape_of, self._apart = fetch, entry, shape, apart
        self._feasible = Ranks()
        self._infeasible: list[tuple[float, int]] = []
        self._kept: list[tuple[float, int]] = []
        self._shapes: OrderedDict[int, Any] = OrderedDict()
        self._pairs: dict[int, float] = {}  # by both numbers in one, which takes half the memory of a pair
        self._best: list[E] | None = []
        self._spare: list[E] | None = []

    @property
    def feasible(self) -> int:
        """Return the number of feasible candidates, alike ones included."""
        return len(self._feasible)

    @property
    def distinct(self) -> int:
        """Return the number of distinct feasible candidates, at most as many as are wanted."""
        return min(len(self._kept), self.size)

    @property
    def gave_way(self) -> int:
        """Return the number of distinct candidates that are better than one of the set, and more like the others."""
        chosen = self._set()
        return bisect.bisect(self._kept, chosen[-1]) - len(chosen) if chosen else 0

    @property
    def highest(self) -> float:
        """Return the fitness of the best one, 0 without any."""
        return -self._kept[0][0] if self._kept else 0.0

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
            self._feasible.add(rank)
            if len(self._kept) < self._room or rank < self._kept[-1]:
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
        self._feasible.move((-old, id), (-new, id))
        self._look_again()
        self._best = self._spare = None

    def _place(self, rank: tuple[float, int]) -> None:
        """Let a new candidate take its place among those kept, unless a better one is like it."""
        position = bisect.bisect(self._kept, rank)
        twin = self._twin(rank[1], self._kept[:position])
        if twin is not None:
            self._feasible.stand_back(self._feasible.index(rank), twin)
            return
        after = self._kept[position:]
        alike = {other for other in after if self._twin(rank[1], [other]) is not None}
        self._kept = [*self._kept[:position], rank, *(other for other in after if other not in alike)]
        if alike:
            self._look_again()
        del self._kept[self._room :]
        self._best = self._spare = None

    def _look_again(self) -> None:
        """Choose from all; needed when one gives way, for others may have stood back for it."""
        kept: list[tuple[float, int]] = []
        names: set[int] = set()
        for place, rank in enumerate(self._feasible):
            if len(kept) == self._room:
                break
            if self._feasible.better(place) in names:
                continue  # what it is like still stands before it
            twin = self._twin(rank[1], kept)
            if twin is None:
                kept.append(rank)
                names.add(rank[1])
            else:
                self._feasible.stand_back(place, twin)
        self._kept = kept

    def best(self) -> list[E]:
        """Return the best distinct feasible candidates, best first; of equally good ones the older first."""
        if self._best is None:
            self._best = [self._entry(id) for _, id in self._set()]
        return self._best

    def _set(self) -> list[tuple[float, int]]:
        """Return those that are wanted of the ones kept: the best one, and then each time that whose fitness and mean
        distance from those chosen are most together.
        """
        if self.variety is None or len(self._kept) <= self.size:
            return self._kept
        usual, weight = self.variety.usual, self.variety.weight
        least = self._kept[self.size - 1][0] + self.variety.slack
        first, *rest = [rank for rank in self._kept if rank[0] <= least]
        chosen = [first]
        apart = [0.0] * len(rest)
        while len(chosen) < self.size:
            latest = chosen[-1][1]
            apart = [a + min(usual, self._between(latest, id)) for a, (_, id) in zip(apart, rest, strict=True)]
            scores = [weight * a / len(chosen) - rank[0] for a, rank in zip(apart, rest, strict=True)]
            at = scores.index(max(scores))
            chosen.append(rest.pop(at))
            del apart[at]
        return sorted(chosen)

    def spare(self) -> list[E]:
        """Return the best distinct infeasible candidates, as many as feasible ones are wanting."""
        if self._spare is None:
            kept: list[tuple[float, int]] = []
            wanting = self.size - len(self._kept)
            for rank in self._infeasible:
                if len(kept) >= wanting:
                    break
                if self._twin(rank[1], self._kept) is None and self._twin(rank[1], kept) is None:
                    kept.append(rank)
            self._spare = [self._entry(id) for _, id in kept]
        return self._spare

    def variants(self, number: int, distance: float) -> list[E]:
        """Return feasible candidates that stand back for better ones, at most so many, best first.

        Args:
            number: most that are wanted; up to `_LOOKED_AT` times as many are looked at.
            distance: no two are nearer to each other, or to a candidate that is kept, than this.
        """
        kept = {id for _, id in self._kept}
        chosen = list(self._kept)
        found: list[E] = []
        for rank in itertools.islice(self._feasible, _LOOKED_AT * number + len(kept)):
            if len(found) == number:
                break
            if rank[1] not in kept and all(self._between(rank[1], other) >= distance for _, other in chosen):
                chosen.append(rank)
                found.append(self._entry(rank[1]))
        return found

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
        for _, other in others:
            if self._between(id, other) < self.distance:
                return other
        return None

    def _between(self, one: int, other: int) -> float:
        """Return the distance of two candidates, remembered where it is asked for again and again."""
        if self.variety is None:
            return self._apart(self._shape(one), self._shape(other))
        first, second = (one, other) if one < other else (other, one)
        pair = (first << 32) + second
        found = self._pairs.get(pair)
        if found is None:
            if len(self._pairs) >= _PAIRS:
                self._pairs.clear()
            found = self._pairs[pair] = self._apart(self._shape(first), self._shape(second))
        return found

    def summary(self) -> Mapping[str, Any]:
        """Return the counts for `summary.json`."""
        return {
            "evaluations": self.evaluations,
            "feasible": self.feasible,
            "distinct": self.distinct,
            **({} if self.variety is None else {"gave_way": self.gave_way}),
            "best": self.highest,
        }


def level_archive(
    size: int, shapes: StructuralShapes, own: Sequence[str], weight: float,
    fetch: Callable[[int], Mapping[str, Any]], entry: Callable[[Mapping[str, Any]], E],
) -> Archive[E]:  # fmt: skip
    """Return an archive of levels of one game, different from the scale of their shapes on and as varied as its own.

    Args:
        size: how many are wanted.
        shapes: of levels of the game.
        own: texts of the game's own levels.
        weight: of variety (see `Variety`); 0 for the best ones whatever they are like.
        fetch: the event of a candidate that was added, by its id; `level` in it is the text.
        entry: what is kept of an event.
    """
    variety = Variety(usual_distance([shapes(text) for text in own]), weight)
    return Archive(
        size, shapes.scale, fetch, entry, lambda event: shapes(str(event["level"])), StructuralShape.distance, variety
    )
