"""The archive of a quality-diversity search: pyribs' cells and statistics, with the levels that stand in them.

pyribs keeps numbers, so what it holds as a solution is a candidate's id; the levels themselves stand beside it. Beside
its elite, a cell can keep a small crowd of levels that are not feasible yet, ranked by how many constraints they keep
(constrained MAP-Elites: Khalifa, Lee, Nealen, Togelius: Talakat, 2018).
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.evaluation import Evaluation
from pcg.generators.levels.contract import Candidate
from pcg.generators.levels.qd.measures import Measure

GRID, CVT = "grid", "cvt"
MOST_CELLS = 2**16
"""Cells an archive may have; beyond that nearly all would stay empty and checkpoints would be slow."""
SAMPLES = 10_000
"""Points from which the cells of a tessellation are made, at least; 20 per cell where that is more."""
WORK = 10**9
"""Distances that making a tessellation may take, a few seconds; more cells get fewer rounds of k-means."""


@dataclass(frozen=True, slots=True)
class Elite:
    """A level in an archive, with its values of the archive's measures."""

    candidate: Candidate
    evaluation: Evaluation
    values: tuple[float, ...]

    def to_json(self) -> list[Any]:
        """As JSON; `from_json` is the inverse."""
        return [self.candidate.to_json(), self.evaluation.to_json(), list(self.values)]

    @classmethod
    def from_json(cls, data: Sequence[Any]) -> Elite:
        """The inverse of `to_json`."""
        candidate, evaluation, values = data
        return cls(Candidate.from_json(candidate), Evaluation.from_json(evaluation), tuple(float(v) for v in values))


def load_ribs() -> ModuleType:
    """pyribs' archives.

    Raises:
        PcgError: when it is not installed; says how to install it.
    """
    try:
        import ribs.archives
    except ImportError:
        raise PcgError(
            "quality-diversity generators need pyribs, which is not installed: pip install 'pcg-toolkit[qd]'"
        ) from None
    found: ModuleType = ribs.archives
    return found


@functools.lru_cache(maxsize=16)
def spread(yes_or_no: tuple[bool, ...], cells: int, seed: int) -> NDArray[np.float64]:
    """The centres of a tessellation of the unit cube into cells of about the same size, shape (cells, axes).

    Args:
        yes_or_no: per axis, whether only its ends occur.
        cells: how many.
        seed: of the points that are put into clusters.

    Raises:
        PcgError: when there are fewer different points than cells.
    """
    from threadpoolctl import threadpool_limits

    rng = np.random.default_rng(seed)
    samples = rng.random((max(SAMPLES, 20 * cells), len(yes_or_no)))
    samples[:, yes_or_no] = np.round(samples[:, yes_or_no])
    different = len(np.unique(samples, axis=0))
    if different < cells:
        raise PcgError(f"the measures have {different} combinations, too few for {cells} cells")
    rounds = max(4, min(30, WORK // (len(samples) * cells)))
    # One thread: the sums of several differ in their last digits from run to run.
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that so few rounds do not converge
        centroids, _ = load_ribs().k_means_centroids(
            centroids=cells, ranges=[(0, 1)] * len(yes_or_no), samples=samples, seed=seed,
            k_means_kwargs={"max_iter": rounds},
        )  # fmt: skip
    rounded: NDArray[np.float64] = np.round(centroids, 9)
    return rounded[np.lexsort(rounded.T[::-1])]


class LevelArchive:
    """Cells over measures, each with the best feasible level and a crowd of others.

    Args:
        measures: the axes.
        kind: "grid", or "cvt": cells of equal size around points spread evenly (Vassiliades, Chatzilygeroudis,
            Mouret 2018).
        cells: number of cells of a "cvt"; a grid has as many as its axes say.
        crowd: infeasible levels that a cell keeps.
        seed: of the points of a "cvt".

    Raises:
        PcgError: without pyribs, and for more cells than are of use.
    """

    def __init__(self, measures: Sequence[Measure], kind: str, cells: int, crowd: int, seed: int) -> None:
        self.measures = tuple(measures)
        self.kind = kind
        self.crowd = crowd
        self._ribs = load_ribs()
        self._low = np.array([m.low for m in measures])
        self._high = np.array([m.high for m in measures])
        self.centroids: NDArray[np.float64] | None = None
        """Of a "cvt", in shares of the ranges, shape (cells, measures)."""
        if kind == CVT:
            self.centroids = spread(tuple(m.yes_or_no for m in measures), cells, seed)
        else:
            total = int(np.prod([m.cells for m in measures], dtype=object))
            if total > MOST_CELLS:
                raise PcgError(
                    f"the {len(measures)} measures make {total} cells, expected at most {MOST_CELLS}: name fewer, cut "
                    "them into fewer cells, or use cvt-map-elites"
                )
        self._archive = self._empty()
        self._beside: dict[int, list[int]] = {}
        self.elites: dict[int, Elite] = {}
        """Cell -> its feasible elite."""
        self.crowds: dict[int, list[Elite]] = {}
        """Cell -> its infeasible levels, those that keep most of the constraints first."""

    def _empty(self) -> Any:
        """A pyribs archive without elites."""
        if self.centroids is not None:
            return self._ribs.CVTArchive(
                solution_dim=(), centroids=self.centroids, ranges=[(0, 1)] * len(self.measures),
                solution_dtype=np.int64, objective_dtype=np.float64, measures_dtype=np.float64,
            )  # fmt: skip
        return self._ribs.GridArchive(
            solution_dim=(), dims=[m.cells for m in self.measures],
            ranges=[(m.low, m.high) for m in self.measures],
            solution_dtype=np.int64, objective_dtype=np.float64, measures_dtype=np.float64,
        )  # fmt: skip

    # -- cells ---------------------------------------------------------------------------------------------------------

    @property
    def cells(self) -> int:
        """Number of cells."""
        return int(self._archive.cells)

    def _points(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Values as pyribs wants them: a tessellation is one of shares of the ranges, which makes them comparable."""
        if self.kind == GRID:
            return values
        shares: NDArray[np.float64] = np.clip((values - self._low) / (self._high - self._low), 0.0, 1.0)
        return shares

    def cell_of(self, values: Sequence[float]) -> int:
        """The cell of some values."""
        return int(self._archive.index_of_single(self._points(np.array(values))))

    def neighbours(self, cell: int) -> list[int]:
        """The cells beside a cell: one step along each axis, or those with the nearest centres."""
        if cell not in self._beside:
            self._beside[cell] = self._around(cell)
        return self._beside[cell]

    def _around(self, cell: int) -> list[int]:
        if self.centroids is not None:
            distance = ((self.centroids - self.centroids[cell]) ** 2).sum(axis=1)
            near = np.argsort(distance, kind="stable")[1 : 1 + 2 * len(self.measures)]
            return sorted(int(i) for i in near)
        dims = self._archive.dims
        place = np.array(np.unravel_index(cell, dims))
        found = []
        for axis in range(len(dims)):
            for step in (-1, 1):
                beside = place.copy()
                beside[axis] += step
                if 0 <= beside[axis] < dims[axis]:
                    found.append(int(np.ravel_multi_index(tuple(beside), dims)))
        return found

    def index(self, elite: Elite) -> list[int]:
        """A level's place along each axis, from 0; of a tessellation, on the grid that pictures of it are drawn on."""
        if self.kind == GRID:
            return [int(i) for i in np.unravel_index(self.cell_of(elite.values), self._archive.dims)]
        shares = self._points(np.array(elite.values))
        return [min(m.cells - 1, max(0, int(x * m.cells))) for m, x in zip(self.measures, shares, strict=True)]

    # -- adding --------------------------------------------------------------------------------------------------------

    def add(self, elite: Elite) -> tuple[int, bool]:
        """Show the archive a level; returns its cell and whether it is now in it."""
        cell = self.cell_of(elite.values)
        evaluation = elite.evaluation
        if evaluation.feasible:
            added = self._archive.add_single(
                elite.candidate.id, evaluation.fitness, self._points(np.array(elite.values))
            )
            if added["status"] > 0:
                self.elites[cell] = elite
            return cell, bool(added["status"] > 0)
        if not self.crowd:
            return cell, False
        crowd = self.crowds.setdefault(cell, [])
        crowd.append(elite)
        crowd.sort(key=lambda e: (-e.evaluation.constraint, e.candidate.id))
        del crowd[self.crowd :]
        return cell, any(kept is elite for kept in crowd)

    # -- telling -------------------------------------------------------------------------------------------------------

    @property
    def statistics(self) -> dict[str, float]:
        """pyribs' statistics: filled cells, their share, the sum of the elites' fitness, the best and the mean."""
        stats = self._archive.stats
        return {
            "cells": self.cells,
            "elites": int(stats.num_elites),
            "coverage": float(stats.coverage),
            "qd_score": float(stats.qd_score),
            "best": float(stats.obj_max or 0.0),
            "mean": float(stats.obj_mean or 0.0),
        }

    def copy(self) -> LevelArchive:
        """An archive with the same content whose sums do not depend on the order in which it came."""
        made = LevelArchive.__new__(LevelArchive)
        made.__dict__.update(self.__dict__)
        made._archive, made.elites = self._empty(), {}
        made.crowds = {cell: list(crowd) for cell, crowd in self.crowds.items()}
        made._fill(self.elites)
        return made

    def _fill(self, elites: Mapping[int, Elite]) -> None:
        self.elites = dict(sorted(elites.items()))
        if elites:
            kept = list(self.elites.values())
            self._archive.add(
                np.array([e.candidate.id for e in kept]),
                np.array([e.evaluation.fitness for e in kept]),
                self._points(np.array([e.values for e in kept])),
            )

    def to_json(self) -> dict[str, Any]:
        """Return the content of `archive.json` in a run folder."""
        axes = [{"name": m.name, "low": m.low, "high": m.high, "cells": m.cells} for m in self.measures]
        cells = []
        for cell in sorted({*self.elites, *self.crowds}):
            feasible = cell in self.elites
            cells.append(self._cell(cell, self.elites[cell] if feasible else self.crowds[cell][0]))
        data: dict[str, Any] = {
            "kind": self.kind,
            "measures": axes,
            "cells": cells,
            "statistics": self.copy().statistics,
        }
        if self.centroids is not None:
            scaled = self._low + self.centroids * (self._high - self._low)
            data["centroids"] = [[float(x) for x in point] for point in scaled]
        return data

    def _cell(self, cell: int, elite: Elite) -> dict[str, Any]:
        data = elite.evaluation.to_json()
        kept = ("feasible", "fitness", "constraint", "metrics", "winner", "seed", "play", "mechanics", "wants")
        return {
            "index": self.index(elite),
            "cell": cell,
            "candidate": elite.candidate.id,
            "origin": elite.candidate.origin,
            "level": elite.candidate.level,
            "values": list(elite.values),
            **{name: data[name] for name in kept},
        }

    def state(self) -> dict[str, Any]:
        """All levels, as JSON."""
        return {
            "elites": [elite.to_json() for _, elite in sorted(self.elites.items())],
            "crowds": [[elite.to_json() for elite in crowd] for _, crowd in sorted(self.crowds.items())],
        }

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Hold what the archive held whose `state` this was."""
        elites = [Elite.from_json(data) for data in state["elites"]]
        crowds = [[Elite.from_json(data) for data in crowd] for crowd in state["crowds"]]
        self._archive = self._empty()
        self._fill({self.cell_of(e.values): e for e in elites})
        self.crowds = {self.cell_of(crowd[0].values): crowd for crowd in crowds}
