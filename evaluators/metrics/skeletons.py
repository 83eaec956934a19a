"""Skeletons of levels: the walls within the frame, and the distance between two of them.

The distance of `likeness` knows no places: it cannot tell that two levels have their walls in the same cells and differ
in what stands between them. People see that at once. So the share of walls that two levels do not have in common counts
beside it, shifts by a cell and mirror images apart, for games whose levels are made of walls.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from pcg.engine.kernel.runtime import invoke4
from pcg.evaluators.kernel import level_overlap
from pcg.evaluators.level_grid import BLOCKED, Grid, Mask, Palette
from pcg.evaluators.metrics.likeness import LevelShape

LEAST_WALLS = 0.05
"""Least share of walls within the frame for a level to have a skeleton."""
SHARED = 0.35
"""Distance below which two skeletons look the same to people."""
SHIFT = 1
"""Largest shift, in cells, at which two skeletons are compared."""


def skeleton(grid: Grid, walls: Collection[int]) -> Mask:
    """Return the walls of a level without its outermost lines, shape (height - 2, width - 2)."""
    found: Mask = np.isin(grid[1:-1, 1:-1], list(walls))
    return found


def skeleton_distance(one: Mask, other: Mask) -> float:
    """Return the share of walls of either skeleton that are not in both, in [0, 1]; 1 where one has next to none.

    >>> wall = np.zeros((6, 6), bool)
    >>> wall[1] = True
    >>> skeleton_distance(wall, wall[::-1]), round(skeleton_distance(wall, wall.T), 2)
    (0.0, 0.91)
    """
    if any(mask.size == 0 or mask.mean() < LEAST_WALLS for mask in (one, other)):
        return 1.0
    number = int(one.sum()) + int(other.sum())
    mask = np.ascontiguousarray(one, np.int8)
    images = np.ascontiguousarray([other, other[:, ::-1], other[::-1], other[::-1, ::-1]], np.int8)
    sizes = np.array([*images.shape, *mask.shape], np.int64)
    both: int = invoke4(
        level_overlap.most_in_both.address, mask.ctypes.data, images.ctypes.data, SHIFT, sizes.ctypes.data
    )
    return 1.0 - both / (number - both)


def skeletons_tell(levels: Sequence[Grid], walls: Collection[int]) -> bool:
    """Return True where the own levels of a game differ in their skeletons, so that generated ones should, too.

    Args:
        levels: the game's own.
        walls: tiles that are walls.
    """
    masks = [skeleton(grid, walls) for grid in levels if min(grid.shape) > 2]
    masks = [mask for mask in masks if mask.mean() >= LEAST_WALLS]
    if 2 * len(masks) < len(levels) or not walls:
        return False
    apart = [skeleton_distance(a, b) for k, a in enumerate(masks) for b in masks[k + 1 :]]
    return not apart or float(np.mean(apart)) >= SHARED


class StructuralShape:
    """A level as archives compare it: by its looks and its skeleton.

    Args:
        text: of the level.
        mask: its skeleton; None where skeletons do not tell levels of the game apart.
        scale: distance at which skeletons that are just not the same are, as `likeness` counts.
    """

    __slots__ = ("looks", "mask", "scale")

    def __init__(self, text: str, mask: Mask | None, scale: float) -> None:
        self.looks = LevelShape(text)
        self.mask = mask
        self.scale = scale

    def distance(self, other: StructuralShape) -> float:
        """Return the distance to another level: that of looks, or less where the skeleton is the same, in [0, 1]."""
        looks = self.looks.distance(other.looks)
        if self.mask is None or other.mask is None or looks == 0.0:
            return looks
        return min(looks, self.scale / SHARED * skeleton_distance(self.mask, other.mask))


class StructuralShapes:
    """Shapes of levels of one game.

    Args:
        palette: tiles of the game.
        levels: the game's own.
        scale: see `StructuralShape`: the distance below which levels are one, as far as looks go.
    """

    def __init__(self, palette: Palette, levels: Sequence[Grid], scale: float) -> None:
        analysis = palette.analysis
        self.palette = palette
        self.scale = scale
        self.walls = [
            k
            for k, tile in enumerate(palette.tiles)
            if palette.access[k] == BLOCKED and tile.content and all(analysis.has(c, "wall") for c in tile.content)
        ]
        """Tiles that skeletons are made of."""
        self.tell = skeletons_tell(levels, self.walls)
        """True where the own levels of this game differ in their skeletons."""

    def __call__(self, text: str) -> StructuralShape:
        """Return the shape of a level.

        Raises:
            PcgError: for a text that is no level of the game.
        """
        mask = skeleton(self.palette.parse(text), self.walls) if self.tell else None
        return StructuralShape(text, mask, self.scale)
