"""The contract all rule generators share: that of all generators (`pcg.generators.contract`), for a sprite set.

A board game's rule sheet can be a candidate in the same way: what drives a run needs a number, a text and an origin,
and verdicts with `feasible`, `fitness` and `constraint`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pcg.generators.contract import EvaluationProtocol, Generator
from pcg.generators.rules.genes import RuleSet
from pcg.generators.rules.space import RuleSpace


@dataclass(frozen=True, slots=True)
class RuleCandidate:
    """A rule set to be evaluated."""

    id: int
    """0, 1, 2, ... in the order of asking."""
    genotype: RuleSet
    origin: str
    """How it was made: the name of a generator or of an operator."""
    generation: int = 0
    parents: tuple[int, ...] = ()
    """Ids of the candidates it was bred from."""

    def to_json(self) -> dict[str, Any]:
        """As a JSON object."""
        return {
            "id": self.id, "genotype": self.genotype.to_json(), "origin": self.origin, "generation": self.generation,
            "parents": list(self.parents),
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RuleCandidate:
        """The inverse of `to_json`."""
        genotype, parents = RuleSet.from_json(data["genotype"]), tuple(int(p) for p in data["parents"])
        return cls(int(data["id"]), genotype, str(data["origin"]), int(data["generation"]), parents)


class RuleGenerator(Generator[RuleCandidate, EvaluationProtocol]):
    """Base of all rule generators.

    Args:
        space: the rules that can be written.
        seed: equal seeds give equal rule sets.
        params: see `parameters`.

    Raises:
        PcgError: for unknown or bad parameters.
    """

    def __init__(self, space: RuleSpace, *, seed: int, **params: object) -> None:
        super().__init__(seed=seed, **params)
        self.space = space

    def __repr__(self) -> str:
        game = self.space.definition.name
        return f"<{type(self).__name__} for {game}, seed {self.seed}, {self._next} rule sets so far>"


class IndependentRuleGenerator(RuleGenerator):
    """A generator whose k-th rule set depends on k alone."""

    @abstractmethod
    def generate(self, rng: np.random.Generator) -> RuleSet:
        """One rule set."""

    def ask(self, n: int) -> list[RuleCandidate]:
        """`n` new candidates."""
        first, self._next = self._next, self._next + n
        return [RuleCandidate(k, self.generate(self.rng(k)), self.name) for k in range(first, first + n)]
