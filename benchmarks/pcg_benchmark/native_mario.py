"""Native evaluator of Mario levels made of tiles: what is counted before anybody plays.

The benchmark lets its players play only levels in which every row changes as seldom as in levels of people, more than
half is empty, pipes are two wide and hardly an enemy floats. Nearly all contents fail there, and the benchmark counts
letter by letter. Here the counts are made on arrays; whoever passes is played by the benchmark.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

MARGIN = 3
"""Columns that are added at either end."""
START, FLAG = b"MF"


class NativeMarioTiles:
    """Mario levels made of tiles."""

    def __init__(self, problem: Any) -> None:
        self.problem = problem
        self.diversity = problem.diversity
        self._letters = np.frombuffer("".join(problem._symbols).encode(), np.uint8)
        self._unplayed: Mapping[str, Any] = {
            **dict.fromkeys(("complete", "enemies", "coins", "jumps"), 0.0), "actions": [], "locations": [],
        }  # fmt: skip

    def info(self, content: Any) -> dict[str, Any]:
        """Everything that the benchmark tells.

        Raises:
            ZeroDivisionError: the level has no enemy, as in the benchmark.
        """
        tiles = np.asarray(content)
        height, width = tiles.shape
        level = self._level(tiles)
        pipes = _odd_runs(level == ord("t"))
        noise = np.maximum((level[:, 1:] != level[:, :-1]).sum(axis=1) / (level.shape[1] - 1) - self.problem._hnoise, 0)
        empty = int((tiles == 0).sum()) / (width * height)
        enemies = np.isin(level, np.frombuffer(b"ykgr", np.uint8))
        held = np.zeros_like(enemies)
        held[:-1] = np.isin(level[1:], np.frombuffer(b"X#tSQ", np.uint8))
        floating = int((enemies & ~held).sum()) / int(enemies.sum())
        if empty > self.problem._empty and pipes == 0 and noise.sum() == 0 and floating < self.problem._fenemies:
            played: dict[str, Any] = self.problem.info(content)
            return played
        counted = {"tube": pipes, "noise": noise, "empty": empty, "fenemies": floating}
        return {"width": width, "height": height, **counted, **self._unplayed}

    def _level(self, tiles: NDArray[np.integer[Any]]) -> NDArray[np.uint8]:
        """Return the level as letters, with ground, start and flag at its ends."""
        level = self._letters[np.pad(tiles, ((0, 0), (MARGIN, MARGIN)))]
        level[-2:, :MARGIN] = level[-2:, -MARGIN:] = ord("X")
        level[-3, 1], level[-3, -2] = START, FLAG
        return level


def _odd_runs(there: NDArray[np.bool_]) -> int:
    """Return how many runs of cells in the rows have an odd length; there is none at the end of a row.

    >>> _odd_runs(np.array([[False, True, False, True, True, False], [True, True, True, False, False, False]]))
    2
    """
    edges = np.diff(there.astype(np.int8), axis=1, prepend=0)
    begins, ends = np.flatnonzero(edges.ravel() == 1), np.flatnonzero(edges.ravel() == -1)
    return int(((ends - begins) % 2).sum())
