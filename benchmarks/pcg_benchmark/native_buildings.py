"""Native evaluator of buildings: what the benchmark measures of a stack of blocks, with arrays instead of cells.

As there, a block falls onto the highest column under it and is lost when that reaches the top. A kind of block is
compared where it stands from its corner on, and turned when it is longer than wide; the corner is the least row and
column of any layer, but how wide it is, is counted layer by layer from the corner that is known by then.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

KINDS = {"1x1": (1, 1), "1x3": (1, 3), "3x1": (3, 1), "3x3": (3, 3)}
"""Name of a kind of block -> rows and columns, in the order of the numbers in a content."""


class NativeBuilding:
    """Buildings: heights, blocks that found a place, and the cells of each kind of block."""

    def __init__(self, problem: Any) -> None:
        self.diversity = problem.diversity
        self.blocks = int(problem._target)
        self.shape = int(problem._height), int(problem._length), int(problem._width)

    def info(self, content: Any) -> dict[str, Any]:
        """The entries that the benchmark gives."""
        height, length, width = self.shape
        cells = np.zeros(self.shape, np.int8)
        tops = np.zeros((length, width), np.int8)
        counts = [0] * len(KINDS)
        shapes = tuple(KINDS.values())
        lost = 0
        for block in content:
            kind = block["type"]
            counts[kind] += 1
            rows, columns = shapes[kind]
            y, x = min(block["y"], length - rows), min(block["x"], width - columns)
            under = tops[y : y + rows, x : x + columns]
            floor = int(under.max())
            if floor < height:
                cells[floor, y : y + rows, x : x + columns] = kind + 1
                under[:] = floor + 1
            else:
                lost += 1
        filled = cells > 0
        ends = filled.copy()
        ends[:-1] &= ~filled[1:]
        info: dict[str, Any] = {"blocks": self.blocks - lost, "heights": (np.nonzero(ends)[0] + 1).tolist()}
        for kind, name in enumerate(KINDS):
            info[f"lvl_{name}"] = _oriented(cells == kind + 1)
            info[name] = counts[kind]
        return info


def _oriented(cells: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the cells of a kind from their corner on, rows and columns exchanged if they are longer than wide."""
    corner, extent = list(cells.shape[1:]), [0, 0]
    for axis, across in ((0, 2), (1, 1)):
        occupied = cells.any(axis=across)  # [layer, row or column]
        for layer in occupied[occupied.any(axis=1)]:
            places = np.flatnonzero(layer)
            corner[axis] = min(corner[axis], int(places[0]))
            extent[axis] = max(extent[axis], int(places[-1]) - corner[axis])
    if extent[0] > extent[1]:
        cells = cells.transpose(0, 2, 1)
    return np.roll(cells, (-corner[0], -corner[1]), axis=(1, 2)).astype(int)
