"""The contract of rule generators: that of all generators (`pcg.generators.contract`), for a sprite set.

A board game's rule sheet can be a candidate in the same way: what drives a run needs a number, a text and an origin,
and verdicts with `feasible`, `fitness` and `constraint`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pcg.generators.contract import EvaluationProtocol, Generator, GenotypeCandidate, IndependentMixin
from pcg.generators.rules.genes import RuleSet
from pcg.generators.rules.space import RuleSpace


class RuleCandidate(GenotypeCandidate[RuleSet]):
    """A rule set to be evaluated."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RuleCandidate:
        """Return the candidate whose `to_json` this was."""
        return cls._read(data, RuleSet.from_json(data["genotype"]))


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


class IndependentRuleGenerator(IndependentMixin[RuleCandidate, EvaluationProtocol, RuleSet], RuleGenerator):
    """Base of the generators whose k-th rule set depends on k alone; they implement `generate`."""

    def _wrapped(self, number: int, made: RuleSet) -> RuleCandidate:
        return RuleCandidate(number, made, self.name)
