"""Measures of a level's text: how dense, straight, mild, symmetric, balanced and winding it is.

They run for every candidate of a search, so each is a few array operations; the distances from the avatar are looked
up once for all. What is measured lies inside the frame, where a game's levels have one: walls that every level has say
nothing about any.

Definitions (also in docs/metrics.md) follow Smith and Whitehead (2010: linearity, leniency), Horn et al. (2014:
density), Liapis, Yannakakis and Togelius (2013: reach), Ngo, Teo and Byrne (2003: symmetry, balance) and Bullitt et al.
(2003: tortuosity), with what platforms, enemies and goals are read from the rules of the game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pcg.evaluators.level_grid import BLOCKED, FREE, PUSH, Grid, Palette, avatar_cells, distances
from pcg.evaluators.requirements import Requirements

PER_ROOM = 10.0
"""Cells to walk on for one danger at which `leniency` is one half."""

Steps = NDArray[np.int32]
Cell = tuple[int, int]


class TextMetrics:
    r"""Measures texts of one game's levels.

    Args:
        palette: the tiles of the game.
        required: what its levels must hold; what is needed to win must be reached.
        frame: the tile along the top, right, bottom and left edge, None where there is none.
        groups: by name the types that make up each group of sprites to be counted.

    >>> import pcg
    >>> from pcg.evaluators.fitness import LevelEvaluator
    >>> measure = LevelEvaluator(pcg.load("boxes")).text
    >>> measure.symmetry(measure.palette.parse("wwwww\nwo.ow\nw.A.w\nwwwww"))
    (1.0, 0.0, 0.0)
    """

    def __init__(
        self,
        palette: Palette,
        required: Requirements,
        frame: Sequence[int | None],
        groups: Mapping[str, frozenset[int]],
    ) -> None:
        analysis = palette.analysis
        self.palette = palette
        self.analysis = analysis
        self._frame = tuple(int(side is not None) for side in frame)
        self._walkable = palette.access <= PUSH
        self._solid = palette.access == BLOCKED
        self._bare = np.zeros(len(palette.tiles), bool)
        self._bare[list(palette.grounds)] = True
        hazards = [t for t in analysis.concrete if analysis.has(t, "hazard")]
        self._hazards = palette.type_counts[:, hazards].sum(axis=1)
        self._groups = {name: palette.type_counts[:, sorted(types)].sum(axis=1) for name, types in groups.items()}
        self._targets = self._target_tiles(required)
        # For symmetry one ground is like another, and so is the place where the avatar starts: there is only one.
        self._looks = np.arange(len(palette.tiles), dtype=np.int16) + 1
        self._looks[self._bare] = 0
        self._looks[[i for i, t in enumerate(palette.tiles) if any(c in analysis.avatars for c in t.types)]] = 0
        self._filling = may_fill(palette)

    def _target_tiles(self, required: Requirements) -> NDArray[np.bool_]:
        needed = {need.other for need in required.needs}
        analysis = self.analysis
        return np.array([
            any(t in needed or analysis.has(t, "collectable") or analysis.has(t, "goal")
                for t in tile.content if not analysis.has(t, "avatar"))
            for tile in self.palette.tiles
        ])  # fmt: skip

    def measure(self, grid: Grid) -> dict[str, float]:
        """All metrics of a level that are defined for it.

        Args:
            grid: the level as tile numbers.
        """
        return self.measure_with_steps(grid)[0]

    def measure_with_steps(self, grid: Grid) -> tuple[dict[str, float], Steps | None]:
        """The metrics, and the steps from the avatar to every cell that they needed (None without an avatar)."""
        counts = np.bincount(grid.ravel(), minlength=len(self.palette.tiles))
        height, width = grid.shape
        found: dict[str, float] = {"width": width, "height": height}
        found |= {name: int(counts @ per_tile) for name, per_tile in self._groups.items()}
        found["cover"] = self.cover(grid)
        found["density"] = self.density(grid)
        horizontal, vertical, both = self.symmetry(grid)
        found |= {"symmetry_horizontal": horizontal, "symmetry_vertical": vertical, "symmetry_both": both}
        found["symmetry"] = max(horizontal, vertical)
        found["balance"] = self.balance(grid)
        found["leniency"] = self.leniency(grid)
        starts = avatar_cells(self.palette, grid)
        steps = self._steps(grid, starts[0]) if starts else None
        if steps is not None:
            found["linearity"] = self.linearity(grid, steps)
            found["reachable"] = self.reachable(grid, steps)
            winding = self.tortuosity(grid, steps, starts[0])
            if winding is not None:
                found["tortuosity"] = winding
        return found, steps

    def _steps(self, grid: Grid, start: Cell) -> Steps:
        """Steps from the avatar's start to every cell it can get to, -1 elsewhere."""
        mobility = self.analysis.mobility
        if mobility in ("freely", "platform"):
            return distances(self.palette, grid, start)
        line = np.zeros(grid.shape, bool)
        row = slice(None) if mobility == "vertical" else start[0]
        column = slice(None) if mobility == "horizontal" else start[1]
        line[row, column] = True
        steps = distances(self.palette, grid, start, mask=line & self._walkable[grid])
        steps[~line] = -1
        return steps

    # -- amounts -------------------------------------------------------------------------------------------------------

    def inside(self, grid: Grid) -> Grid:
        """The part inside the frame (all of it where there would be nothing left)."""
        top, right, bottom, left = self._frame
        inner = grid[top : grid.shape[0] - bottom, left : grid.shape[1] - right]
        return inner if inner.size else grid

    def cover(self, grid: Grid) -> float:
        """Share of the cells inside the frame that are not bare, in [0, 1].

        Bare are the grounds, and a tile to walk through that makes up most of the level (earth to dig, pellets
        everywhere).
        """
        top, right, bottom, left = self._frame
        inner = grid[top : grid.shape[0] - bottom, left : grid.shape[1] - right]
        if not inner.size:
            return 0.0
        counts = np.bincount(inner.ravel(), minlength=len(self.palette.tiles))
        bare = self._bare | (self._filling & (counts > 0.4 * inner.size))
        return 1.0 - int(counts[bare].sum()) / inner.size

    def density(self, grid: Grid) -> float:
        """Share of the cells inside the frame that stop the avatar for good, in [0, 1]."""
        return float(self._solid[self.inside(grid)].mean())

    def leniency(self, grid: Grid) -> float:
        """How mild a level is, in (0, 1]: 2^(-10 d), d the dangers for each cell to walk on.

        An enemy counts 1, a hazard that stands still one half.
        """
        counts = np.bincount(grid.ravel(), minlength=len(self.palette.tiles))
        dangers = float(counts @ self._groups["enemies"]) + 0.5 * float(counts @ self._hazards)
        room = int(counts[self._walkable].sum())
        return float(2.0 ** (-PER_ROOM * dangers / max(1, room)))

    # -- shape ---------------------------------------------------------------------------------------------------------

    def linearity(self, grid: Grid, steps: Steps) -> float:
        """How well a straight line fits the cells to stand on, in [0, 1].

        1 minus the mean distance of the cells from the line of least squares, measured in rows, as a share of half the
        longer side of the level. Where the avatar falls, cells to stand on are those above something solid, and the
        line runs from left to right; elsewhere they are all within reach (all there are, for an avatar that keeps to a
        line of its own), and the line may also run from top to bottom (distances then are columns).
        """
        walkable = self._walkable[grid]
        falls = self.analysis.mobility == "platform"
        standing = walkable.copy()
        if falls:
            standing[:-1] &= self._solid[grid[1:]]
        elif self.analysis.mobility == "freely":
            standing &= steps >= 0
        rows, columns = np.nonzero(standing)
        if len(rows) < 2:
            return 1.0
        off = _off_line(columns, rows)
        if not falls:
            off = min(off, _off_line(rows, columns))
        longest = max(int(side) for side in self.inside(grid).shape)
        return max(0.0, 1.0 - off / (longest / 2))

    def symmetry(self, grid: Grid) -> tuple[float, float, float]:
        """Symmetry left to right, top to bottom, and in both: shares in [0, 1].

        Of the cells off the axis of which the cell or a mirror image holds something, the share where all are the same;
        1 where nothing stands. Grounds and the avatar's place count as nothing.
        """
        looks = self._looks[self.inside(grid)]
        across, down = looks[:, ::-1], looks[::-1]
        turned = across[::-1]
        height, width = looks.shape
        off_x = np.ones(looks.shape, bool)
        off_y = np.ones(looks.shape, bool)
        if width % 2:
            off_x[:, width // 2] = False
        if height % 2:
            off_y[height // 2] = False
        some_x, some_y = (looks | across) != 0, (looks | down) != 0
        same_x, same_y = looks == across, looks == down
        some_both, same_both = some_x | some_y | (turned != 0), same_x & same_y & (looks == turned)
        return (
            _share(same_x, some_x & off_x),
            _share(same_y, some_y & off_y),
            _share(same_both, some_both & (off_x | off_y)),
        )

    def balance(self, grid: Grid) -> float:
        """Balance of what stands in a level, in [0, 1]: 1 minus the mean of two imbalances.

        Each cell that is not bare weighs as much as it is far from the axis; the imbalance of two halves is the
        difference of their weights as a share of the larger.
        """
        inner = self.inside(grid)
        filled = ~self._bare[inner]
        height, width = filled.shape
        arms_x = np.arange(width) - (width - 1) / 2
        arms_y = np.arange(height) - (height - 1) / 2
        return 1.0 - (_imbalance(filled.sum(axis=0), arms_x) + _imbalance(filled.sum(axis=1), arms_y)) / 2

    # -- ways ----------------------------------------------------------------------------------------------------------

    def reachable(self, grid: Grid, steps: Steps) -> float:
        """Share of the cells to walk on that the avatar can get to, in [0, 1]."""
        walkable = self._walkable[grid]
        return float((steps[walkable] >= 0).sum()) / max(1, int(walkable.sum()))

    def tortuosity(self, grid: Grid, steps: Steps, start: Cell) -> float | None:
        """Steps to what must be reached over the steps there would be without obstacles, at least 1.

        Summed over all goals, things to collect and things needed that are within reach and not where the avatar
        starts; None when there are none. Portals can be shorter than the straight way; that counts as 1.
        """
        rows, columns = np.nonzero(self._targets[grid] & (steps > 0))
        straight = int(np.abs(rows - start[0]).sum() + np.abs(columns - start[1]).sum())
        return max(1.0, int(steps[rows, columns].sum()) / straight) if straight else None


def may_fill(palette: Palette) -> NDArray[np.bool_]:
    """Per tile whether it counts as bare where it makes up most of a level: something to walk through that stays."""
    analysis = palette.analysis
    still = [
        bool(t.content) and not any(analysis.has(c, "mover") or analysis.has(c, "goal") for c in t.content)
        for t in palette.tiles
    ]
    found: NDArray[np.bool_] = np.array(still) & (palette.access == FREE)
    return found


def _off_line(along: NDArray[np.int64], across: NDArray[np.int64]) -> float:
    """Mean distance of points from the line of least squares through them, measured in `across`."""
    x, y = along - along.mean(), across - across.mean()
    spread = float(x @ x)
    slope = float(x @ y) / spread if spread else 0.0
    return float(np.abs(y - slope * x).mean())


def _share(same: NDArray[np.bool_], counted: NDArray[np.bool_]) -> float:
    total = int(counted.sum())
    return int((same & counted).sum()) / total if total else 1.0


def _imbalance(weights: NDArray[np.int64], arms: NDArray[np.float64]) -> float:
    moments = weights * arms
    first, second = -float(moments[arms < 0].sum()), float(moments[arms > 0].sum())
    return abs(first - second) / max(first, second) if first or second else 0.0
