"""Skeletons of levels: the walls within the frame, and the distance between two of them.

The distance of `likeness` knows no places: it cannot tell that two levels have their walls in the same cells and differ
in what stands between them. People see that at once. So the share of walls that two levels do not have in common counts
beside it, shifts by a cell and mirror images apart, for games whose levels are made of walls.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

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
    return Skeleton(one).distance(Skeleton(other))


class Skeleton:
    """A skeleton made ready to be compared with many others.

    Args:
        mask: as `skeleton` returns it.
    """

    __slots__ = ("_images", "_mask", "number", "tells")

    def __init__(self, mask: Mask) -> None:
        self.number = int(np.count_nonzero(mask))
        """Walls in it."""
        self.tells = mask.size > 0 and self.number / mask.size >= LEAST_WALLS
        """False for one with next to no walls."""
        self._mask = np.ascontiguousarray(mask, np.int8)
        self._images: NDArray[np.int8] | None = None

    @property
    def images(self) -> NDArray[np.int8]:
        """The four mirror images, shape (4, height, width)."""
        if self._images is None:
            mask = self._mask
            self._images = np.ascontiguousarray([mask, mask[:, ::-1], mask[::-1], mask[::-1, ::-1]])
        return self._images

    def distance(self, other: Skeleton) -> float:
        """Return `skeleton_distance` of the two."""
        if not (self.tells and other.tells):
            return 1.0
        number = self.number + other.number
        images = other.images
        sizes = np.array(images.shape + self._mask.shape, np.int64)
        both: int = invoke4(
            level_overlap.most_in_both.address, self._mask.ctypes.data, images.ctypes.data, SHIFT, sizes.ctypes.data
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

    __slots__ = ("looks", "scale", "skeleton")

    def __init__(self, text: str, mask: Mask | None, scale: float) -> None:
        self.looks = LevelShape(text)
        self.skeleton = None if mask is None else Skeleton(mask)
        self.scale = scale

    def distance(self, other: StructuralShape) -> float:
        """Return the distance to another level: that of looks, or less where the skeleton is the same, in [0, 1]."""
        looks = self.looks.distance(other.looks)
        if self.skeleton is None or other.skeleton is None or looks == 0.0:
            return looks
        return min(looks, self.scale / SHARED * self.skeleton.distance(other.skeleton))


class StructuralShapes:
    """Shapes of levels of one game.

    Args:
        palette: tiles of the game.
        levels: the game's own.
        scale: see `StructuralShape`: the distance below which levels are one, as far as looks go.
    """

    def __init__(self, palette: Palette, levels: Sequence[Grid], scale: float) -> None:
        self.palette = palette
        self.scale = scale
        self.walls = [k for k in palette.walls if palette.access[k] == BLOCKED]
        """Tiles that skeletons are made of."""
        self._walls = palette.lookup(self.walls)
        self.tell = skeletons_tell(levels, self.walls)
        """True where the own levels of this game differ in their skeletons."""

    def __call__(self, text: str) -> StructuralShape:
        """Return the shape of a level.

        Raises:
            PcgError: for a text that is no level of the game.
        """
        return StructuralShape(text, self.mask(self.palette.parse(text)) if self.tell else None, self.scale)

    def mask(self, grid: Grid) -> Mask | None:
        """Return the skeleton of a level; None where skeletons do not tell levels apart."""
        return self._walls[grid[1:-1, 1:-1]] if self.tell else None
