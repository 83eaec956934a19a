"""The N-tuple bandit evolutionary algorithm.

A model holds, for every parameter, every pair of parameters and all of them together, how often each combination of
values was tried and its mean value. From the current point neighbours are made; the one whose upper
confidence bound is highest under the model is evaluated next (Kunanusont, Gaina, Liu, Perez-Liebana, Lucas 2017; Lucas,
Liu, Perez-Liebana 2018). Points that are out and not told count as visits, so that several can be out at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from pcg.evaluators.parameters import Parameter
from pcg.generators.tuning.contract import Candidate, Optimiser
from pcg.generators.tuning.space import Point

Array = np.ndarray[Any, np.dtype[Any]]
EPSILON = 0.5
"""Added to visits, so that what was never tried has a finite bound."""


class _Model:
    """Visits and values of the 1- and 2-tuples, each table flat and all of them in one array."""

    def __init__(self, sizes: Sequence[int], free: Sequence[int], pairs: bool) -> None:
        tuples: list[tuple[int, ...]] = [(k,) for k in free]
        tuples += list(combinations(free, 2)) if pairs else []
        self.first = np.array([t[0] for t in tuples])
        self.second = np.array([t[-1] for t in tuples])
        single = np.array([len(t) == 1 for t in tuples])
        # index of a cell: base + first * width + second, where single ones have no second
        self.width = np.where(single, 1, np.array(sizes)[self.second])
        self.own = np.where(single, 0, 1)
        cells = np.array(sizes)[self.first] * self.width
        self.base = np.concatenate([[0], np.cumsum(cells)[:-1]])
        total = int(cells.sum())
        self.asked = np.zeros(total)
        self.told = np.zeros(total)
        self.sums = np.zeros(total)

    def cells(self, points: Array) -> Array:
        """Cells of points, (points, tuples)."""
        found: Array = self.base + points[:, self.first] * self.width + points[:, self.second] * self.own
        return found


class NTupleBandit(Optimiser):
    """The N-tuple bandit evolutionary algorithm."""

    name = "ntbea"
    help = "N-tuple bandit evolutionary algorithm: mutation, guided by a model of values, pairs and points"
    papers = (
        "Kunanusont, Gaina, Liu, Perez-Liebana, Lucas: The N-Tuple Bandit Evolutionary Algorithm for Automatic Game "
        "Improvement (2017)",
        "Lucas, Liu, Perez-Liebana: The N-Tuple Bandit Evolutionary Algorithm for Game Agent Optimisation (2018)",
    )
    parameters = (
        Parameter("k", 0.06, "weight of exploration, for values from 0 to 1", 0.0, 100.0),
        Parameter("neighbours", 50, "neighbours of the current point to choose from", 1, 10_000),
        Parameter("rate", 0.3, "probability that a parameter changes in a neighbour; at least one does", 0.0, 1.0),
        Parameter("near", 0.3, "share of changes of numbers that go to the next value up or down", 0.0, 1.0),
        Parameter("pairs", True, "whether the model has pairs of parameters"),
        Parameter("whole", True, "whether the model has whole points"),
    )

    def __init__(self, sizes: Any, **params: Any) -> None:
        super().__init__(sizes, **params)
        self.model = _Model(self.sizes, self.free, bool(self.settings["pairs"]))
        self.current: Point = self.start
        self._total = 0.0  # of all values told
        self._count = 0

    def ask(self, n: int) -> list[Candidate]:
        """`n` candidates."""
        made = []
        for _ in range(n):
            if self._next:
                self.current = self._chosen(self.rng(1, self._next))
            made.append(self._candidate(self.current, "neighbour" if self._next else "start"))
            self.model.asked[self.model.cells(np.array([self.current]))[0]] += 1
        return made

    def _chosen(self, rng: np.random.Generator) -> Point:
        """The neighbour with the highest bound; of equals the first made, as a set of neighbours has no order."""
        near = [
            self._mutated(rng, self.current, self.number("rate"), self.number("near"))
            for _ in range(self.integer("neighbours"))
        ]
        bounds = self._bounds(near)
        return near[int(np.argmax(bounds + 1e-9 * rng.random(len(near))))]

    def _bounds(self, points: Sequence[Point], explore: bool = True) -> Array:
        """Mean over all tuples of mean value and, with `explore`, what is added for what is little known."""
        model = self.model
        cells = model.cells(np.array(points))
        told, asked = model.told[cells], model.asked[cells]
        prior = self._total / self._count if self._count else 0.5
        means = np.where(told > 0, model.sums[cells] / np.maximum(told, 1.0), prior)
        total = np.log(1.0 + self._next)
        bonus = np.sqrt(total / (asked + EPSILON))
        if self.settings["whole"]:
            tried = [self.tried.get(point) for point in points]
            whole = [t.total / t.told if t is not None and t.told else prior for t in tried]
            more = [np.sqrt(total / ((t.asked if t is not None else 0) + EPSILON)) for t in tried]
            means = np.column_stack([means, whole])
            bonus = np.column_stack([bonus, more])
        found: Array = means.mean(axis=1)
        return found + self.number("k") * bonus.mean(axis=1) if explore else found

    def _learn(self, candidate: Candidate, value: float) -> None:
        cells = self.model.cells(np.array([candidate.point]))[0]
        self.model.told[cells] += 1
        self.model.sums[cells] += value
        self._total += value
        self._count += 1

    def recommend(self) -> Point | None:
        """The evaluated point with the best mean under the model."""
        known = [point for point, tried in self.tried.items() if tried.told]
        return known[int(np.argmax(self._bounds(known, explore=False)))] if known else None

    def state_dict(self) -> dict[str, Any]:
        """The model and the current point."""
        model = self.model
        return super().state_dict() | {
            "current": list(self.current),
            "model": {"asked": model.asked.tolist(), "told": model.told.tolist(), "sums": model.sums.tolist()},
            "total": self._total,
            "count": self._count,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on as the one whose `state_dict` this was."""
        super().load_state_dict(state)
        self.current = tuple(state["current"])
        for name in ("asked", "told", "sums"):
            setattr(self.model, name, np.array(state["model"][name], float))
        self._total, self._count = float(state["total"]), int(state["count"])
