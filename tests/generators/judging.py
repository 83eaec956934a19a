"""Verdicts on rule sets and games that are made up, for tests of generators: nothing is played."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pcg.evaluators.games import AgentPerformance
from pcg.generators.rules import RuleSet


@dataclass(frozen=True)
class Judged:
    feasible: bool
    fitness: float
    constraint: float
    behaviour: tuple[float, ...] = ()
    metrics: Mapping[str, float] = field(default_factory=dict)
    constraints: Mapping[str, float] = field(default_factory=dict)
    unused: tuple[int, ...] = ()
    profile: tuple[AgentPerformance, ...] = ()


def judged(candidate: Any) -> Judged:
    """A verdict from the genotype alone: three of four are feasible, and the worth varies."""
    value = sum((i + 1) * ord(c) for i, c in enumerate(str(candidate.genotype)))
    feasible = value % 4 != 0
    worth = value % 101 / 101
    seen = tuple(float(value // k % 7) / 7 for k in range(1, 40))
    held = {"winnable": 1.0, "rules": 1.0 if feasible else worth}
    rules = candidate.genotype.rules if isinstance(candidate.genotype, RuleSet) else ()
    unused = () if feasible or not rules else (value % len(rules),)
    return Judged(
        feasible, worth if feasible else 0.0, 1.0 if feasible else worth, seen, {"spread": worth}, held, unused
    )


def run(generator: Any, count: int, size: int = 7) -> list[Any]:
    """So many candidates, asked for `size` at a time and judged."""
    found: list[Any] = []
    while len(found) < count:
        candidates = generator.ask(min(size, count - len(found)))
        generator.tell(candidates, [judged(c) for c in candidates])
        found += candidates
    return found
