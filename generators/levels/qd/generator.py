"""The quality-diversity generators: MAP-Elites over a grid, over a tessellation, and with constraints, on pyribs.

All three are one loop (Mouret, Clune 2015): seed the archive, then breed children of its levels and show them to it.
A child is bred from the archive as it was a fixed number of levels before it (`delay`), so that evaluations go on side
by side without a pause and the outcome does not depend on how many there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.parameters import Parameter
from pcg.evaluators.targets import Target
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.contract import SIZE_PARAMETERS, Candidate, DelayedGenerator
from pcg.generators.levels.population import SEEDING, SeedLevels
from pcg.generators.levels.qd.archive import CVT, GRID, Elite, LevelArchive
from pcg.generators.levels.qd.emitters import SELECTIONS, Breeding, ParentStatistics, select, select_infeasible
from pcg.generators.levels.qd.measures import Measuring, parse_measures

MEASURES = Parameter(
    "measures",
    "cover:0..0.6:20, solution_length:20..80:20",
    "what the archive is spread over, as NAME:LOW..HIGH:CELLS; mechanic.* is every rule, by whether it takes effect",
)
COMMON: tuple[Parameter, ...] = (
    Parameter("selection", "mixed", "which cells become parents", choices=("mixed", *SELECTIONS)),
    Parameter("seeding", "constructive,ca", SEEDING.help),
    Parameter("initial", 100, "levels made from nothing before any is bred", 1, 1_000_000),
    Parameter("fresh", 0.05, "share of levels made from nothing later on", 0.0, 1.0),
    Parameter("crossover", 0.3, "share of children with two parents", 0.0, 1.0),
    Parameter("edits", 4, "most mutations of one child", 1, 100),
    Parameter("resize", 0.05, "share of children that grow or shrink by a row or column", 0.0, 1.0),
    Parameter("tries", 4, "children made of the parents, of which the one nearest to empty cells is kept", 1, 100),
    Parameter("delay", 32, "a child is bred from what was known so many levels before it", 1, 10_000, "levels"),
)


IN_PICTURES = 20
"""Cells of a measure in pictures of a tessellation, where nothing else is said."""


def _crowding(share: float) -> tuple[Parameter, ...]:
    return (
        Parameter("infeasible", share, "share of children bred from infeasible levels", 0.0, 1.0),
        Parameter("crowd", 4, "infeasible levels that a cell keeps, if any are bred from", 1, 1000),
    )


class MapElitesGenerator(DelayedGenerator):
    """MAP-Elites over a grid of measures."""

    name = "map-elites"
    help = "the best level for every combination of measures: MAP-Elites over a grid"
    papers: ClassVar[tuple[str, ...]] = (
        "Mouret, Clune: Illuminating Search Spaces by Mapping Elites (2015)",
        "Cully, Demiris: Quality and Diversity Optimization: A Unifying Modular Framework (2018)",
        "Charity, Green, Khalifa, Togelius: Mech-Elites: Illuminating the Mechanic Space of GVG-AI (2020)",
        "Gravina et al.: Procedural Content Generation through Quality Diversity (2019)",
    )
    parameters: ClassVar[tuple[Parameter, ...]] = (
        *SIZE_PARAMETERS,
        MEASURES,
        Parameter("cells", 20, "cells of a measure that does not say", 1, 10_000),
        *COMMON,
        *_crowding(0.0),
    )
    kind: ClassVar[str] = GRID

    def __init__(
        self, context: LevelContext, *, seed: int, targets: str | Sequence[Target] = (), **params: object
    ) -> None:
        super().__init__(context, seed=seed, targets=targets, **params)
        owner = f"generator {self.name}"
        try:
            measures = parse_measures(str(self.settings["measures"]), context.analysis, self._cells_of_axis())
            if not measures:
                raise PcgError("there are no measures, expected as in density:0..0.5:20")
            self.measuring = Measuring(context, measures)
            crowd = self.integer("crowd") if self.number("infeasible") > 0 else 0
            place = int(self.rng(2**32 - 1).integers(2**31))
            self.cells = LevelArchive(measures, self.kind, self.integer("cells"), crowd, place)
        except PcgError as error:
            raise PcgError(f"{owner}: {error}") from None
        self.seeds = SeedLevels(self)
        self.breeding = Breeding(self, self.measuring)
        self.parent_statistics = ParentStatistics()
        self._parents: dict[int, int] = {}

    def _cells_of_axis(self) -> int:
        return self.integer("cells")

    # -- learning --------------------------------------------------------------------------------------------------

    def _learn(self, candidate: Candidate, evaluation: Evaluation) -> None:
        _, useful = self.cells.add(self._elite(candidate, evaluation))
        parent = self._parents.pop(candidate.id, None)
        if parent is not None:
            self.parent_statistics.reward(parent, useful and evaluation.feasible)

    def _elite(self, candidate: Candidate, evaluation: Evaluation) -> Elite:
        grid = self.context.palette.parse(candidate.level)
        return Elite(candidate, evaluation, self.measuring.of(grid, evaluation))

    # -- making --------------------------------------------------------------------------------------------------------

    def _make(self, k: int) -> Candidate:
        rng = self.rng(k)
        archive = self.cells
        fresh = k < self.integer("initial") or rng.random() < self.number("fresh")
        if fresh or not (archive.elites or archive.crowds):
            return Candidate(k, *self.seeds.one(rng))
        if archive.crowds and (not archive.elites or rng.random() < self.number("infeasible")):
            cell, parent = select_infeasible(archive, rng)
        else:
            cell, parent = select(archive, self.parent_statistics, str(self.settings["selection"]), rng)
            self.parent_statistics.choose(cell)
            self._parents[k] = cell
        other = parent
        if archive.elites:
            cells = sorted(archive.elites)
            other = archive.elites[cells[int(rng.integers(len(cells)))]]
        return Candidate(k, *self.breeding.child(parent, other, archive, rng))

    # -- telling -------------------------------------------------------------------------------------------------------

    def archive(self) -> Mapping[str, Any]:
        """The archive with all that was told."""
        whole = self.cells.copy()
        for candidate, evaluation in self.waiting:
            whole.add(self._elite(candidate, evaluation))
        return whole.to_json()

    def statistics(self) -> Mapping[str, float]:
        """Coverage, QD score and the like, without what was told of late."""
        return self.cells.statistics

    # -- resuming ------------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """The archive, what was told and waits for its turn, and what is remembered of parents."""
        return {
            **super().state_dict(),
            "archive": self.cells.state(),
            "parents": sorted([child, cell] for child, cell in self._parents.items()),
            "chosen": sorted([cell, n] for cell, n in self.parent_statistics.chosen.items()),
            "curiosity": sorted([cell, x] for cell, x in self.parent_statistics.curiosity.items()),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on as the generator whose `state_dict` this was."""
        super().load_state_dict(state)
        self.cells.load_state(state["archive"])
        self._parents = {int(child): int(cell) for child, cell in state["parents"]}
        self.parent_statistics.chosen = {int(cell): int(n) for cell, n in state["chosen"]}
        self.parent_statistics.curiosity = {int(cell): float(x) for cell, x in state["curiosity"]}


class CvtMapElitesGenerator(MapElitesGenerator):
    """MAP-Elites over a centroidal Voronoi tessellation."""

    name = "cvt-map-elites"
    help = "MAP-Elites whose cells lie around evenly spread points, for more measures than a grid can hold"
    papers = (
        "Vassiliades, Chatzilygeroudis, Mouret: Using Centroidal Voronoi Tessellations to Scale Up MAP-Elites (2018)",
        *MapElitesGenerator.papers,
    )
    parameters = (
        *SIZE_PARAMETERS,
        MEASURES,
        Parameter("cells", 400, "cells of the archive", 2, 10_000),
        *COMMON,
        *_crowding(0.0),
    )
    kind = CVT

    def _cells_of_axis(self) -> int:
        return IN_PICTURES


class ConstrainedMapElitesGenerator(MapElitesGenerator):
    """Constrained MAP-Elites."""

    name = "constrained-map-elites"
    help = "MAP-Elites whose cells keep infeasible levels as well, and breed them towards keeping all constraints"
    papers = (
        "Khalifa, Lee, Nealen, Togelius: Talakat: Bullet Hell Generation through Constrained Map-Elites (GECCO 2018)",
        *MapElitesGenerator.papers,
    )
    parameters = (
        *SIZE_PARAMETERS,
        MEASURES,
        Parameter("cells", 20, "cells of a measure that does not say", 1, 10_000),
        *COMMON,
        *_crowding(0.25),
    )
