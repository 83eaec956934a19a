"""The contract of all optimisers of game spaces: they ask for points, and are told their values.

An optimiser is a generator (`pcg.generators.contract`) whose candidates are points of a space. The value of a point is
noisy; an optimiser may ask for the same point again, which is then another `sample` of it and is played with other
seeds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.parameters import resolve
from pcg.generators.contract import Generator
from pcg.generators.tuning.space import Point


@dataclass(frozen=True, slots=True)
class Candidate:
    """A point to be evaluated.

    Attributes:
        id: 0, 1, 2, ... in the order of asking.
        point: number of the value of each parameter.
        origin: how it was chosen.
        sample: how often the same point was asked for before.
    """

    id: int
    point: Point
    origin: str
    sample: int

    def to_json(self) -> dict[str, Any]:
        """As a JSON object."""
        return {"id": self.id, "point": list(self.point), "origin": self.origin, "sample": self.sample}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Candidate:
        """The inverse of `to_json`."""
        return cls(int(data["id"]), tuple(map(int, data["point"])), str(data["origin"]), int(data["sample"]))


@dataclass(frozen=True, slots=True)
class PointEvaluation:
    """Evaluation of a point.

    Attributes:
        value: in [0, 1], to be large.
        error: its standard error.
        note: why the game could not be played, "" if it could.
    """

    value: float
    error: float = 0.0
    note: str = ""

    @property
    def feasible(self) -> bool:
        """True if it could be played."""
        return not self.note

    @property
    def fitness(self) -> float:
        """The value."""
        return self.value

    @property
    def constraint(self) -> float:
        """1 if it could be played, else 0."""
        return float(self.feasible)


@dataclass(slots=True)
class PointStatistics:
    """Statistics of one point: how often it was asked for and told, sum of values, sum of squared errors."""

    asked: int = 0
    told: int = 0
    total: float = 0.0
    variance: float = 0.0

    @property
    def mean(self) -> float:
        """Mean of the values told, in [0, 1]; at least one must have been."""
        return self.total / self.told

    @property
    def error(self) -> float:
        """Standard error of the mean."""
        return math.sqrt(self.variance) / self.told


class Optimiser(Generator[Candidate, PointEvaluation]):
    """Base of all optimisers; they depend on the sizes of the space, not on what its values mean.

    Args:
        sizes: number of values of each parameter.
        ordered: whether neighbouring values of each parameter are alike; by default they are.
        start: a point to begin at, by default one drawn at random.
        seed: equal seeds give equal points.
        params: see `parameters` of the class.

    Raises:
        PcgError: unknown parameters, bad values, or a space that is none.
    """

    learns = True
    steady = True

    def __init__(
        self,
        sizes: Sequence[int],
        *,
        ordered: Sequence[bool] | None = None,
        start: Sequence[int] | None = None,
        seed: int = 1,
        **params: object,
    ) -> None:
        resolve(self.parameters, params, f"optimiser {self.name}")  # says what is wrong
        super().__init__(seed=seed, **params)
        self.sizes = tuple(sizes)
        self.ordered = tuple(ordered) if ordered is not None else (True,) * len(self.sizes)
        if not self.sizes or min(self.sizes) < 1 or max(self.sizes) < 2:
            raise PcgError(
                f"optimiser {self.name}: sizes are {list(self.sizes)}, expected one parameter with two values"
            )
        if start is not None and (
            len(start) != len(self.sizes) or not all(0 <= k < n for k, n in zip(start, self.sizes, strict=True))
        ):
            raise PcgError(f"optimiser {self.name}: start is {list(start)}, expected a point of {list(self.sizes)}")
        self.start: Point = tuple(start) if start is not None else self._random_point(self.rng(0, 2))
        self.free = tuple(k for k, size in enumerate(self.sizes) if size > 1)
        """Parameters with more than one value."""
        self.tried: dict[Point, PointStatistics] = {}

    # -- ask and tell --------------------------------------------------------------------------------------------------

    def tell(self, candidates: Sequence[Candidate], evaluations: Sequence[PointEvaluation]) -> None:
        """Take the evaluations of candidates, in the order of their ids."""
        for candidate, judgement in zip(candidates, evaluations, strict=True):
            tried = self.tried.get(candidate.point)
            if tried is None or tried.told >= tried.asked:
                raise PcgError(f"optimiser {self.name}: candidate {candidate.id} is not out, expected one that is")
            tried.told += 1
            tried.total += judgement.value
            tried.variance += judgement.error * judgement.error
            self._learn(candidate, judgement.value)

    def _learn(self, candidate: Candidate, value: float) -> None:
        """Take one value; nothing is learnt here from it."""
        del candidate, value

    def _candidate(self, point: Iterable[int], origin: str) -> Candidate:
        """A new candidate at a point."""
        where = tuple(map(int, point))
        tried = self.tried.setdefault(where, PointStatistics())
        made = Candidate(self._next, where, origin, tried.asked)
        tried.asked += 1
        self._next += 1
        return made

    # -- results -------------------------------------------------------------------------------------------------------

    def best(self, n: int = 1) -> list[Point]:
        """The points that are most surely good: the highest means less their standard errors, earlier ones first."""
        known = [(point, tried) for point, tried in self.tried.items() if tried.told]
        known.sort(key=lambda entry: entry[1].error - entry[1].mean)  # stable: in the order of asking
        return [point for point, _ in known[:n]]

    def recommend(self) -> Point | None:
        """The point that what was learnt of the space speaks for, evaluated or not; None for those without a model."""
        return None

    # -- resuming ------------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Everything that decides what comes next, as JSON."""
        tried = [[list(p), t.asked, t.told, t.total, t.variance] for p, t in self.tried.items()]
        return super().state_dict() | {"tried": tried}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on as the optimiser whose `state_dict` this was (same space, seed and parameters)."""
        super().load_state_dict(state)
        self.tried = {
            tuple(map(int, p)): PointStatistics(int(asked), int(told), float(total), float(variance))
            for p, asked, told, total, variance in state["tried"]
        }

    # -- parts ---------------------------------------------------------------------------------------------------------

    def _random_point(self, rng: np.random.Generator) -> Point:
        """A point drawn evenly."""
        return tuple(int(rng.integers(size)) for size in self.sizes)

    def _mutated(self, rng: np.random.Generator, point: Point, rate: float, near: float) -> Point:
        """A neighbour: every free parameter changes with probability `rate`, and at least one does; ordered ones go to
        the next value up or down with probability `near`, others to any other value.
        """
        changed = [k for k in self.free if rng.random() < rate]
        if not changed:
            changed = [self.free[int(rng.integers(len(self.free)))]]
        made = list(point)
        for k in changed:
            size = self.sizes[k]
            if self.ordered[k] and rng.random() < near:
                step = 1 if rng.random() < 0.5 else -1
                made[k] += step if 0 <= made[k] + step < size else -step
            else:
                made[k] = (made[k] + 1 + int(rng.integers(size - 1))) % size
        return tuple(made)

    def __repr__(self) -> str:
        about = f"{len(self.sizes)} parameters, seed {self.seed}, {self._next} candidates so far"
        return f"<{type(self).__name__} over {about}>"
