"""Emitters: selection of parents from an archive, and the breeding of their children.

Parents come from any filled cell, from cells whose children have often been of use (curiosity: Cully, Demiris 2018),
or from cells at the edge of what is filled. Of a few children made of them, the one is taken whose text puts it nearest
to empty cells: what the text tells costs next to nothing, and the evaluation, which decides alone, is the same for all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcg.evaluators.level_grid import Grid
from pcg.generators.levels.contract import LevelGenerator
from pcg.generators.levels.level_builder import weighted_choice
from pcg.generators.levels.population import bred, symmetry_kept
from pcg.generators.levels.qd.archive import Elite, LevelArchive
from pcg.generators.levels.qd.measures import Measuring

LEAST_CURIOSITY = 0.05
"""No cell is given up for good."""


class Breeding:
    """Children of one or two levels, repaired.

    Args:
        owner: whose context, sizes, targets and parameters decide.
        measuring: of the archive's measures.
    """

    def __init__(self, owner: LevelGenerator, measuring: Measuring) -> None:
        self.context = owner.context
        self.measuring = measuring
        self.crossover, self.edits, self.tries = (
            owner.number("crossover"), owner.integer("edits"), owner.integer("tries")
        )  # fmt: skip
        self._how: dict[str, Any] = {
            "resizing": owner.number("resize"), "symmetry": symmetry_kept(owner.targets, 0.0),
            "widths": owner.widths, "heights": owner.heights,
        }  # fmt: skip

    def child(self, parent: Elite, other: Elite, archive: LevelArchive, rng: np.random.Generator) -> tuple[str, str]:
        """The child nearest to empty cells of `tries` made of `parent` (and `other`), and the operator's name."""
        first = self.context.palette.parse(parent.candidate.level)
        best: tuple[float, str, str] | None = None
        for _ in range(self.tries):
            grid, origin = self._vary(first, other, rng)
            text = self.context.palette.text(grid)
            if text in (parent.candidate.level, other.candidate.level):
                continue
            expected = self._expected_empty_cells(grid, parent, archive) + 1e-6 * rng.random()
            if best is None or expected > best[0]:
                best = expected, text, origin
        if best is None:
            return parent.candidate.level, "mutation"
        return best[1], best[2]

    def _vary(self, first: Grid, other: Elite, rng: np.random.Generator) -> tuple[Grid, str]:
        second, edits = None, 0
        if rng.random() < self.crossover:
            second = self.context.palette.parse(other.candidate.level)
        if second is None or rng.random() < 0.5:
            edits = 1 + int(rng.integers(self.edits))
        builder, origin = bred(self.context, rng, first, second, edits, **self._how)
        return builder.grid, origin

    def _expected_empty_cells(self, grid: Grid, parent: Elite, archive: LevelArchive) -> float:
        """Return the number of empty cells that a child may come to fill, if it plays like its parent."""
        seen = self.measuring.of_text(grid)
        values = [own if own is not None else old for own, old in zip(seen, parent.values, strict=True)]
        cell = archive.cell_of(values)
        around = archive.neighbours(cell)
        empty = sum(c not in archive.elites for c in around) / max(1, len(around))
        return (cell not in archive.elites) + empty


# -- selection ---------------------------------------------------------------------------------------------------------


class ParentStatistics:
    """Statistics of cells as parents: how often they were chosen, and how useful their children were."""

    def __init__(self) -> None:
        self.chosen: dict[int, int] = {}
        self.curiosity: dict[int, float] = {}

    def choose(self, cell: int) -> None:
        """A cell was chosen as a parent."""
        self.chosen[cell] = self.chosen.get(cell, 0) + 1

    def reward(self, cell: int, useful: bool) -> None:
        """A child of a cell did or did not find a place in the archive."""
        before = self.curiosity.get(cell, 1.0)
        self.curiosity[cell] = before + 1.0 if useful else max(LEAST_CURIOSITY, before - 0.5)


Weights = NDArray[np.float64]


def uniform(cells: Sequence[int], archive: LevelArchive, parent_statistics: ParentStatistics) -> Weights:
    """Every filled cell alike."""
    del archive, parent_statistics
    return np.ones(len(cells))


def curiosity(cells: Sequence[int], archive: LevelArchive, parent_statistics: ParentStatistics) -> Weights:
    """Cells whose children found a place in the archive first."""
    del archive
    return np.array([parent_statistics.curiosity.get(cell, 1.0) for cell in cells])


def novelty(cells: Sequence[int], archive: LevelArchive, parent_statistics: ParentStatistics) -> Weights:
    """Cells seldom chosen so far first."""
    del archive
    return np.array([1.0 / np.sqrt(1.0 + parent_statistics.chosen.get(cell, 0)) for cell in cells])


def frontier(cells: Sequence[int], archive: LevelArchive, parent_statistics: ParentStatistics) -> Weights:
    """Cells beside empty ones, those seldom chosen first; any cell when there is none."""
    edge = np.array([sum(c not in archive.elites for c in archive.neighbours(cell)) for cell in cells])
    return novelty(cells, archive, parent_statistics) * (edge if edge.any() else 1.0)


SELECTIONS: Mapping[str, Callable[[Sequence[int], LevelArchive, ParentStatistics], Weights]] = {
    "uniform": uniform,
    "curiosity": curiosity,
    "novelty": novelty,
    "frontier": frontier,
}
"""Ways to choose parents by name, each a weight per filled cell."""


def select(
    archive: LevelArchive, parent_statistics: ParentStatistics, how: str, rng: np.random.Generator
) -> tuple[int, Elite]:
    """A parent among the feasible elites, and its cell."""
    if how == "mixed":
        how = list(SELECTIONS)[int(rng.integers(len(SELECTIONS)))]
    cells = sorted(archive.elites)
    place = weighted_choice(rng, SELECTIONS[how](cells, archive, parent_statistics))
    cell = cells[place or 0]
    return cell, archive.elites[cell]


def select_infeasible(archive: LevelArchive, rng: np.random.Generator) -> tuple[int, Elite]:
    """A parent among the infeasible levels, and its cell: cells without an elite first, the better of two."""
    cells = sorted(archive.crowds)
    open_cells = [cell for cell in cells if cell not in archive.elites]
    if open_cells and rng.random() < 0.75:
        cells = open_cells
    cell = cells[int(rng.integers(len(cells)))]
    crowd = archive.crowds[cell]
    return cell, crowd[int(min(rng.integers(0, len(crowd), size=2)))]
