"""Rule sets by novelty search with local competition (Lehman, Stanley: Evolving a Diversity of Virtual Creatures
through Novelty Search and Local Competition, 2011).

What is new is told by play, not by text: the behaviour of a game is which effects are executed and how the plays of
each agent go (`evaluators.games.behaviour`). The score of a feasible game is its distance from its nearest neighbours
among the population and those that once were new, and how many of these it beats in fitness; both count alike.
Infeasible games are bred as in `evolve`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pcg.evaluators.parameters import Parameter
from pcg.generators.contract import EvaluationProtocol
from pcg.generators.population import Individual, tournament
from pcg.generators.rules.contract import RuleCandidate
from pcg.generators.rules.evolve.generator import EvolvingRules
from pcg.generators.rules.genes import RuleSet
from pcg.generators.rules.space import RuleSpace


class NoveltySearchRules(EvolvingRules):
    """Novelty search with local competition."""

    name = "novelty"
    help = "breeds rule sets that play unlike any before, and better than those that play like them"
    papers: ClassVar[tuple[str, ...]] = (
        "Lehman, Stanley: Evolving a Diversity of Virtual Creatures through Novelty Search and Local Competition "
        "(2011)",
        "Lehman, Stanley: Abandoning Objectives: Evolution through the Search for Novelty Alone (2011)",
    )
    parameters: ClassVar[tuple[Parameter, ...]] = (
        *(p for p in EvolvingRules.parameters if p.name != "again"),
        Parameter("neighbours", 10, "nearest neighbours that novelty is measured against", 1, 1000),
        Parameter("archived", 4, "newest games of a generation that are remembered for good", 0, 1000),
        Parameter("memory", 1000, "games remembered; the oldest are forgotten first", 1, 100_000),
    )

    def __init__(self, space: RuleSpace, *, seed: int, start: Sequence[RuleSet] = (), **params: Any) -> None:
        super().__init__(space, seed=seed, start=start, **params)
        self.behaviours: dict[int, tuple[float, ...]] = {}
        """Id -> behaviour, of the feasible population and of what is being decided on."""
        self.past: list[tuple[tuple[float, ...], float]] = []
        """Behaviour and fitness of games that once were the newest."""
        self._places: dict[int, int] = {}

    def bar(self) -> float:
        """Return 0: a game of low fitness may be new."""
        return 0.0

    # -- what the populations ask --------------------------------------------------------------------------------------

    def tell(self, candidates: Sequence[RuleCandidate], evaluations: Sequence[EvaluationProtocol]) -> None:
        """Take evaluations, with the behaviour of feasible games."""
        for candidate, evaluation in zip(candidates, evaluations, strict=True):
            if evaluation.feasible:
                self.behaviours[candidate.id] = tuple(getattr(evaluation, "behaviour", ()))
        super().tell(candidates, evaluations)

    def _select(self, told: list[tuple[Individual, bool]]) -> None:
        merged = self.feasible + [one for one, feasible in told if feasible]
        novelty, beaten = self._measured(merged)
        score = novelty / max(1e-9, float(novelty.max(initial=0.0))) + beaten
        order = sorted(range(len(merged)), key=lambda k: (-float(score[k]), merged[k].id))
        self._places = {merged[k].id: place for place, k in enumerate(order)}
        new = {one.id for one, feasible in told if feasible}
        newest = sorted(
            (k for k, one in enumerate(merged) if one.id in new), key=lambda k: (-float(novelty[k]), merged[k].id)
        )
        for k in newest[: self.integer("archived")]:
            self.past.append((self.behaviours[merged[k].id], merged[k].values[0]))
        del self.past[: -self.integer("memory")]
        super()._select(told)
        kept = {one.id for one in self.feasible}
        self.behaviours = {number: b for number, b in self.behaviours.items() if number in kept}
        self._places = {number: place for number, place in self._places.items() if number in kept}

    def _measured(self, members: Sequence[Individual]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """For each member its mean distance to its nearest neighbours, and the share of them with less fitness."""
        seen = [self.behaviours[one.id] for one in members] + [b for b, _ in self.past]
        fitness = np.array([one.values[0] for one in members] + [value for _, value in self.past])
        novelty, beaten = np.zeros(len(members)), np.zeros(len(members))
        if len(seen) < 2:
            return novelty, beaten
        points = np.array(seen, np.float64).reshape(len(seen), -1)
        squares = (points**2).sum(axis=1)
        for k in range(len(members)):
            apart = np.sqrt(np.maximum(0.0, squares + squares[k] - 2.0 * (points @ points[k])))
            apart[k] = np.inf
            # rounded, so that ties are broken by age and not by the last digit of a sum
            near = np.argsort(np.round(apart, 9), kind="stable")[: min(self.integer("neighbours"), len(seen) - 1)]
            novelty[k] = round(float(apart[near].mean()), 9)
            beaten[k] = float((fitness[near] < fitness[k]).mean())
        return novelty, beaten

    def _ranked(self, members: list[Individual]) -> list[Individual]:
        if members and all(one.id in self._places for one in members):
            return sorted(members, key=lambda one: self._places[one.id])
        return super()._ranked(members)

    def _parent(self, rng: np.random.Generator, pool: list[Individual]) -> Individual:
        ranks = self._places if pool is self.feasible else None
        return tournament(rng, pool, self.integer("tournament"), ranks)

    # -- resuming ------------------------------------------------------------------------------------------------------

    def _extra_state(self) -> dict[str, Any]:
        return {
            **super()._extra_state(),
            "behaviours": [[number, list(b)] for number, b in sorted(self.behaviours.items())],
            "past": [[list(b), fitness] for b, fitness in self.past],
            "places": sorted([number, place] for number, place in self._places.items()),
        }

    def _load_extra_state(self, state: Mapping[str, Any]) -> None:
        super()._load_extra_state(state)
        self.behaviours = {int(number): tuple(b) for number, b in state["behaviours"]}
        self.past = [(tuple(b), float(fitness)) for b, fitness in state["past"]]
        self._places = {int(number): int(place) for number, place in state["places"]}
