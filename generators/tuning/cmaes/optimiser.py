"""CMA-ES over game spaces: vectors in [0, 1]^n, each coordinate cut into equal parts, one for every value.

Vectors of the same point differ only by chance, so the search starts anew, somewhere else, once it has narrowed down to
less than the narrowest part (a margin as in Hamano, Saito, Nomura, Shirakawa 2022 would go on instead; a restart also
sees other hills).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pcg.evaluators.parameters import Parameter
from pcg.generators.cma_es import CMAES, mirrored
from pcg.generators.tuning.contract import Candidate, Optimiser
from pcg.generators.tuning.space import Point


class CMAESOptimiser(Optimiser):
    """CMA-ES with rounding."""

    name = "cmaes"
    help = "CMA-ES: learns which parameters to change together; values are parts of [0, 1]"
    papers = (
        "Hansen, Ostermeier: Completely Derandomized Self-Adaptation in Evolution Strategies (2001)",
        "Hansen, Niederberger, Guzzella, Koumoutsakos: A Method for Handling Uncertainty in Evolutionary Optimization "
        "(2009)",
    )
    parameters = (
        Parameter("vectors", 0, "vectors per generation; 0: as many as CMA-ES advises", 0, 10_000),
        Parameter("resamples", 1, "evaluations of each vector", 1, 1000),
        Parameter("sigma", 0.3, "spread of the vectors at the start, as a share of the ranges", 0.001, 1.0),
    )

    def __init__(self, sizes: Any, **params: Any) -> None:
        super().__init__(sizes, **params)
        centre = [(self.start[k] + 0.5) / self.sizes[k] for k in self.free]
        self._search = CMAES(centre, self.number("sigma"), self.integer("vectors"))
        self._narrow = 0.5 / max(self.sizes)
        self.generation = 0
        self.restarts = 0
        self._vectors: list[list[float]] = []
        self._queue: list[int] = []
        self._out: dict[int, int] = {}
        self._values: dict[int, list[float]] = {}

    def point(self, vector: Sequence[float]) -> Point:
        """The point that a vector over the free parameters stands for."""
        inside = mirrored(np.asarray(vector, float))
        made = list(self.start)
        for share, k in zip(inside.tolist(), self.free, strict=True):
            made[k] = min(self.sizes[k] - 1, int(share * self.sizes[k]))
        return tuple(made)

    def ask(self, n: int) -> list[Candidate]:
        """At most `n` candidates; none while a generation is not told completely."""
        if not self._queue and not self._out:
            self._vectors = self._search.sample(self.rng(1, self.generation))
            self._queue = [number for number in range(len(self._vectors)) for _ in range(self.integer("resamples"))]
            self._values = {}
        taken, self._queue = self._queue[:n], self._queue[n:]
        made = []
        for number in taken:
            self._out[self._next] = number
            made.append(self._candidate(self.point(self._vectors[number]), f"generation {self.generation}"))
        return made

    def _learn(self, candidate: Candidate, value: float) -> None:
        self._values.setdefault(self._out.pop(candidate.id), []).append(value)
        if self._out or self._queue:
            return
        worths = [float(np.mean(self._values[number])) for number in range(len(self._vectors))]
        self._search.update(self._vectors, worths)
        if self._search.converged(self._narrow):
            self.restarts += 1
            self._search.restart(self.rng(2, self.restarts).random(len(self.free)).tolist())
        self.generation += 1

    def recommend(self) -> Point | None:
        """The middle of the search."""
        return self.point(self._search.strategy.centroid) if self.generation else None

    def state_dict(self) -> dict[str, Any]:
        """The strategy and what is left of the generation."""
        return super().state_dict() | {
            "strategy": self._search.state_dict(),
            "generation": self.generation,
            "restarts": self.restarts,
            "vectors": self._vectors,
            "queue": self._queue,
            "out": [[number, vector] for number, vector in self._out.items()],
            "values": [[number, values] for number, values in self._values.items()],
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on as the one whose `state_dict` this was."""
        super().load_state_dict(state)
        self._search.load_state_dict(state["strategy"])
        self.generation, self.restarts = int(state["generation"]), int(state["restarts"])
        self._vectors = [list(vector) for vector in state["vectors"]]
        self._queue = list(map(int, state["queue"]))
        self._out = {int(number): int(vector) for number, vector in state["out"]}
        self._values = {int(number): list(values) for number, values in state["values"]}
