"""Gates as barriers: a gate bars a way where the level falls into two parts while it is shut.

A lock that can be walked around asks for no key. In most games with locks nearly all that people place bar a way; a few
are short cuts, and goals that have to be opened stand where they like.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from pcg.evaluators.level_grid import GATE, Grid, Palette, walkable


def gate_groups(palette: Palette, grid: Grid) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Return the gates of a level in groups that share sides, and which of these bar a way.

    Args:
        palette: of the game.
        grid: a level, shape (height, width).

    Returns:
        The number of the group of each cell, from 1, and 0 for cells without a gate, shape (height, width); and for
        each group whether it stands between regions that are apart while all gates are shut, shape (groups,).

    Example:
        >>> from pcg.evaluators.analysis import analyse
        >>> from pcg.evaluators.level_grid import palette
        >>> from pcg.engine.game import load
        >>> tiles = palette(analyse(load("dungeon").definition))
        >>> level = tiles.parse(\"\"\"wwwwwww
        ... wA.d..w
        ... wwwwwww
        ... w..d..w
        ... w.....w
        ... wwwwwww\"\"\")
        >>> gate_groups(tiles, level)[1]
        array([ True, False])
    """
    gates = palette.access[grid] == GATE
    if not gates.any():
        return np.zeros(grid.shape, np.int32), np.zeros(0, bool)
    groups, number = ndimage.label(gates)
    regions, _ = ndimage.label(walkable(palette, grid))
    beside: list[set[int]] = [set() for _ in range(number)]
    for one, other in ((groups[1:], regions[:-1]), (groups[:-1], regions[1:]), (groups[:, 1:], regions[:, :-1]),
                       (groups[:, :-1], regions[:, 1:])):  # fmt: skip
        both = (one > 0) & (other > 0)
        for group, region in zip(one[both].tolist(), other[both].tolist(), strict=True):
            beside[group - 1].add(region)
    return groups, np.array([len(found) > 1 for found in beside])


def count_gates(palette: Palette, grid: Grid) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return how many gates of each tile a level has, and how many of those bar a way, shape (tiles,) each."""
    groups, bars = gate_groups(palette, grid)
    placed, number = groups > 0, len(palette.tiles)
    barring = placed & np.append(False, bars)[groups]
    return np.bincount(grid[placed], minlength=number), np.bincount(grid[barring], minlength=number)
