"""Rule sets of many kinds by MAP-Elites (Mouret, Clune: Illuminating Search Spaces by Mapping Elites, 2015), on pyribs.

The feasible population is the archive: the best game of every cell of a grid over features of games. Parents are drawn
from all cells alike. Infeasible games are bred as in `evolve`, for at first there are few others (constrained
MAP-Elites: Khalifa, Lee, Nealen, Togelius, 2018).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.parameters import Parameter
from pcg.generators.contract import EvaluationProtocol
from pcg.generators.levels.qd.archive import MOST_CELLS, load_ribs
from pcg.generators.population import Individual, tournament
from pcg.generators.rules.contract import RuleCandidate
from pcg.generators.rules.evolve.generator import EvolvingRules
from pcg.generators.rules.genes import RuleSet
from pcg.generators.rules.qd.measures import parse_game_measures
from pcg.generators.rules.space import RuleSpace


class MapElitesRules(EvolvingRules):
    """MAP-Elites over a grid of features of games."""

    name = "map-elites"
    help = "the best game for every combination of features: MAP-Elites over a grid"
    papers: ClassVar[tuple[str, ...]] = (
        "Mouret, Clune: Illuminating Search Spaces by Mapping Elites (2015)",
        "Khalifa, Lee, Nealen, Togelius: Talakat: Bullet Hell Generation through Constrained Map-Elites (GECCO 2018)",
        "Khalifa, Green, Perez-Liebana, Togelius: General Video Game Rule Generation (2017)",
    )
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("measures", "goal, danger",
                  "what the archive is spread over, as NAME:LOW..HIGH:CELLS"),
        Parameter("cells", 10, "cells of a measure that does not say", 1, 10_000),
        *(p for p in EvolvingRules.parameters if p.name != "again"),
    )  # fmt: skip

    def __init__(self, space: RuleSpace, *, seed: int, start: Sequence[RuleSet] = (), **params: Any) -> None:
        super().__init__(space, seed=seed, start=start, **params)
        try:
            self.measures = parse_game_measures(str(self.settings["measures"]), self.integer("cells"))
            total = int(np.prod([m.cells for m in self.measures], dtype=object))
            if total > MOST_CELLS:
                raise PcgError(f"the measures make {total} cells, expected at most {MOST_CELLS}")
            load_ribs()
        except PcgError as error:
            raise PcgError(f"generator {self.name}: {error}") from None
        self._grid = self._empty()
        self._values: dict[int, tuple[float, ...]] = {}

    def bar(self) -> float:
        """Return 0: a game of low fitness may fill an empty cell."""
        return 0.0

    def _empty(self) -> Any:
        return load_ribs().GridArchive(
            solution_dim=(), dims=[m.cells for m in self.measures], ranges=[(m.low, m.high) for m in self.measures],
            solution_dtype=np.int64, objective_dtype=np.float64, measures_dtype=np.float64,
        )  # fmt: skip

    # -- what the populations ask --------------------------------------------------------------------------------------

    def tell(self, candidates: Sequence[RuleCandidate], evaluations: Sequence[EvaluationProtocol]) -> None:
        """Take evaluations, with the features of feasible games."""
        for candidate, evaluation in zip(candidates, evaluations, strict=True):
            if evaluation.feasible:
                self._values[candidate.id] = tuple(m.of(candidate.genotype, evaluation) for m in self.measures)
        super().tell(candidates, evaluations)

    def _select(self, told: list[tuple[Individual, bool]]) -> None:
        elites = self._cells()
        for one, feasible in told:
            if feasible:
                added = self._grid.add_single(one.id, one.values[0], np.array(self._values[one.id]))
                if added["status"] > 0:
                    elites[self._cell(one)] = one
        self.feasible = [elites[cell] for cell in sorted(elites)]
        kept = {one.id for one in self.feasible}
        self._values = {number: values for number, values in self._values.items() if number in kept}
        bad = self.infeasible + [one for one, feasible in told if not feasible]
        self.infeasible = self._survivors(bad, self.integer("population"))
        self._forget()

    def _cell(self, one: Individual) -> int:
        return int(self._grid.index_of_single(np.array(self._values[one.id])))

    def _cells(self) -> dict[int, Individual]:
        return {self._cell(one): one for one in self.feasible}

    def _parent(self, rng: np.random.Generator, pool: list[Individual]) -> Individual:
        if pool is self.feasible:
            return pool[int(rng.integers(len(pool)))]
        return tournament(rng, pool, self.integer("tournament"))

    # -- telling -------------------------------------------------------------------------------------------------------

    def statistics(self) -> Mapping[str, float]:
        """pyribs' statistics: filled cells, their share, the sum of the elites' fitness, the best and the mean."""
        stats = self._grid.stats
        return {
            "cells": int(self._grid.cells),
            "elites": int(stats.num_elites),
            "coverage": float(stats.coverage),
            # a sum in the order of insertion, and its mean, are not the same to the last bit after a restart
            "qd_score": round(float(stats.qd_score), 9),
            "best": float(stats.obj_max or 0.0),
            "mean": round(float(stats.obj_mean or 0.0), 9),
        }

    def archive(self) -> Mapping[str, Any]:
        """The best game of every cell, with its values."""
        cells = [
            {
                "index": [int(i) for i in np.unravel_index(cell, self._grid.dims)],
                "cell": cell,
                "candidate": one.id,
                "fitness": one.values[0],
                "genotype": one.note[0],
                "values": list(self._values[one.id]),
            }
            for cell, one in sorted(self._cells().items())
        ]
        axes = [{"name": m.name, "low": m.low, "high": m.high, "cells": m.cells} for m in self.measures]
        return {"kind": "grid", "measures": axes, "cells": cells, "statistics": dict(self.statistics())}

    # -- resuming ------------------------------------------------------------------------------------------------------

    def _extra_state(self) -> dict[str, Any]:
        return {**super()._extra_state(), "values": sorted([number, list(v)] for number, v in self._values.items())}

    def _load_extra_state(self, state: Mapping[str, Any]) -> None:
        super()._load_extra_state(state)
        self._values = {int(number): tuple(float(x) for x in v) for number, v in state["values"]}
        self._grid = self._empty()
        for one in self.feasible:
            self._grid.add_single(one.id, one.values[0], np.array(self._values[one.id]))
