"""Search by upper confidence bounds: one bandit per parameter, whose arms are the parameter's values.

Each point takes of some parameters, drawn at random, the value with the highest upper confidence bound (UCB1: Auer,
Cesa-Bianchi, Fischer 2002), and of the others the one with the best mean: were all to explore at once, the same values
would always be seen together and nobody could tell which of them was good. Bandits that decide side by side are
combinatorial ones (Gai, Krishnamachari, Jain 2012). Fast where parameters work independently of each other, and blind
to what only two of them do together; `ntbea` sees that. Values that are out and not told count as visits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pcg.evaluators.parameters import Parameter
from pcg.generators.tuning.contract import Candidate, Optimiser
from pcg.generators.tuning.space import Point

Array = np.ndarray[Any, np.dtype[np.float64]]


class UCBOptimiser(Optimiser):
    """One bandit per parameter."""

    name = "ucb"
    help = "upper confidence bounds: a bandit per parameter, with its values as arms"
    papers = (
        "Auer, Cesa-Bianchi, Fischer: Finite-time Analysis of the Multiarmed Bandit Problem (2002)",
        "Gai, Krishnamachari, Jain: Combinatorial Network Optimization with Unknown Variables (2012)",
    )
    parameters = (
        Parameter("c", 0.15, "weight of exploration, for values from 0 to 1", 0.0, 100.0),
        Parameter("share", 0.5, "probability that a parameter is explored; at least one is", 0.0, 1.0),
    )

    def __init__(self, sizes: Any, **params: Any) -> None:
        super().__init__(sizes, **params)
        self._asked: list[Array] = [np.zeros(size) for size in self.sizes]
        self._told: list[Array] = [np.zeros(size) for size in self.sizes]
        self._sums: list[Array] = [np.zeros(size) for size in self.sizes]

    def ask(self, n: int) -> list[Candidate]:
        """`n` candidates."""
        made = []
        for _ in range(n):
            point = self.start if self._next == 0 else self._chosen(self.rng(1, self._next))
            made.append(self._candidate(point, self.name))
            for k, value in enumerate(point):
                self._asked[k][value] += 1
        return made

    def _chosen(self, rng: np.random.Generator) -> Point:
        drawn = rng.random(len(self.free)) < self.number("share")
        if not drawn.any():
            drawn[rng.integers(len(drawn))] = True
        point = list(self.start)
        total = np.log(1.0 + self._next)
        for k, explored in zip(self.free, drawn.tolist(), strict=True):
            told, asked = self._told[k], self._asked[k]
            prior = self._sums[k].sum() / max(1.0, told.sum())
            bound = (self._sums[k] + prior) / (told + 1.0)
            if explored:
                bound = bound + self.number("c") * np.sqrt(total / (asked + 1.0))
            point[k] = int(np.argmax(bound + 1e-9 * rng.random(len(bound))))
        return tuple(point)

    def _learn(self, candidate: Candidate, value: float) -> None:
        for k, arm in enumerate(candidate.point):
            self._told[k][arm] += 1
            self._sums[k][arm] += value

    def recommend(self) -> Point | None:
        """The value of every parameter that was chosen most often, of equals the better one."""
        if not self._next:
            return None
        return tuple(
            max(range(len(told)), key=list(zip(told, sums, strict=True)).__getitem__)
            for told, sums in zip(self._told, self._sums, strict=True)
        )

    def state_dict(self) -> dict[str, Any]:
        """Visits and sums of all arms."""
        arms = {"asked": self._asked, "told": self._told, "sums": self._sums}
        return super().state_dict() | {key: [a.tolist() for a in arrays] for key, arrays in arms.items()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on as the one whose `state_dict` this was."""
        super().load_state_dict(state)
        self._asked, self._told, self._sums = (
            [np.array(arms, float) for arms in state[key]] for key in ("asked", "told", "sums")
        )
