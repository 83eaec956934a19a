"""CMA-ES on DEAP, with a state that is saved and restored exactly.

The covariance matrix adaptation evolution strategy (Hansen, Ostermeier: Completely Derandomized Self-Adaptation in
Evolution Strategies, 2001) over vectors in [0, 1]^n; vectors outside are mirrored into it and pay for the distance.
DEAP's own sampling draws from numpy's global random numbers and is not used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from deap import cma

from pcg.generators.population import deap_fitness_class

SKEWED = 1e14
"""A search whose directions differ in length by so much starts anew (Hansen, Ostermeier 2001)."""


class _Vector(list[float]):
    """A vector with the fitness that DEAP asks for."""

    def __init__(self, values: Sequence[float], fitness: float) -> None:
        super().__init__(values)
        self.fitness = deap_fitness_class(1)((fitness,))


def mirrored(
    vector: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Every number mirrored at 0 and 1 until it lies between them."""
    folded = np.mod(vector, 2.0)
    inside: np.ndarray[tuple[int, ...], np.dtype[np.float64]] = np.where(folded > 1.0, 2.0 - folded, folded)
    return inside


def overshoot(vector: Sequence[float]) -> float:
    """The square of a vector's distance from [0, 1]^n."""
    return float(sum((v - min(1.0, max(0.0, v))) ** 2 for v in vector))


class CMAES:
    """Search distribution of CMA-ES over [0, 1]^n.

    Args:
        start: centre of the first vectors, n numbers.
        sigma: their spread.
        size: vectors per generation; 0 as many as CMA-ES advises.
    """

    def __init__(self, start: Sequence[float], sigma: float, size: int = 0) -> None:
        self._sigma = sigma
        self._options = {"lambda_": max(4, size)} if size else {}
        self.strategy: Any = self._new(start)

    def _new(self, centre: Sequence[float]) -> Any:
        return cma.Strategy(list(centre), self._sigma, **self._options)

    def restart(self, start: Sequence[float]) -> None:
        """Forget everything and begin elsewhere."""
        self.strategy = self._new(start)

    def sample(self, rng: np.random.Generator) -> list[list[float]]:
        """The vectors of a generation, as `Strategy.generate` makes them."""
        strategy = self.strategy
        steps = rng.standard_normal((strategy.lambda_, strategy.dim))
        vectors: list[list[float]] = (strategy.centroid + strategy.sigma * steps @ strategy.BD.T).tolist()
        return vectors

    def update(self, vectors: Sequence[Sequence[float]], worths: Sequence[float]) -> None:
        """Learn from a generation: vectors, mirrored into [0, 1]^n, with their fitness."""
        pairs = zip(vectors, worths, strict=True)
        self.strategy.update([_Vector(vector, fitness - overshoot(vector)) for vector, fitness in pairs])
        self._lay_out()

    def converged(self, narrow: float) -> bool:
        """Return whether no direction is left in which the vectors vary by more than `narrow`."""
        strategy = self.strategy
        return bool(strategy.sigma * float(strategy.diagD[-1]) < narrow or strategy.cond > SKEWED)

    def _lay_out(self) -> None:
        """Keep the matrix of directions row by row, as a restored one is.

        Eigenvectors come column by column, and the order in which products are summed depends on it: without this, a
        search that goes on after a pause would differ from an unbroken one in the last digit.
        """
        strategy = self.strategy
        strategy.B = np.ascontiguousarray(strategy.B)
        strategy.BD = strategy.B * strategy.diagD

    def state_dict(self) -> dict[str, Any]:
        """Everything that it has learnt, as JSON."""
        strategy = self.strategy
        return {
            "centroid": strategy.centroid.tolist(),
            "sigma": float(strategy.sigma),
            "pc": strategy.pc.tolist(),
            "ps": strategy.ps.tolist(),
            "C": strategy.C.tolist(),
            "B": strategy.B.tolist(),
            "diagD": strategy.diagD.tolist(),
            "cond": float(strategy.cond),
            "update_count": strategy.update_count,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on as the one whose `state_dict` this was."""
        strategy = self.strategy = self._new(state["centroid"])
        for name in ("pc", "ps", "C", "B", "diagD"):
            setattr(strategy, name, np.array(state[name], float))
        self._lay_out()
        strategy.sigma, strategy.cond = float(state["sigma"]), float(state["cond"])
        strategy.update_count = int(state["update_count"])
