"""Native evaluator of buildings: what the benchmark measures of a stack of blocks, by a kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.pcg_benchmark.buildings_kernel import BUILDING, KINDS, stack
from pcg.engine.kernel.runtime import invoke1


class NativeBuilding:
    """Buildings: heights, blocks that found a place, and the cells of each kind of block.

    Layers are squares, as in all problems of the package.
    """

    def __init__(self, problem: Any) -> None:
        self.blocks = int(problem._target)
        height, side = int(problem._height), int(problem._width)
        self._volume = height * side * side
        self._apart = problem._diversity * self._volume
        self._content = np.zeros((self.blocks, 3), np.int32)
        self._oriented = np.zeros((len(KINDS), height, side, side), np.int8)
        self._ends, self._counts = np.zeros(height + 1, np.int32), np.zeros(len(KINDS), np.int32)
        arrays: dict[str, NDArray[Any]] = {
            "content": self._content, "cells": np.zeros(self._volume, np.int8), "tops": np.zeros(side * side, np.int32),
            "ends": self._ends, "counts": self._counts, "oriented": self._oriented,
        }  # fmt: skip
        self._record = np.zeros(1, BUILDING)
        self._record["height"], self._record["side"], self._record["blocks"] = height, side, self.blocks
        for name, array in arrays.items():
            self._record[name] = array.ctypes.data
        self._arrays = arrays
        self._address = int(self._record.ctypes.data)
        self._heights = np.arange(height + 1)

    def info(self, content: Any) -> dict[str, Any]:
        """The entries that the benchmark gives."""
        self._content[:] = [(block["x"], block["y"], block["type"]) for block in content]
        lost = int(invoke1(stack.address, self._address))
        cells = self._oriented.copy()
        heights = np.repeat(self._heights, self._ends).tolist()
        info: dict[str, Any] = {"blocks": self.blocks - lost, "heights": heights}
        for kind, name in enumerate(KINDS):
            info[f"lvl_{name}"] = cells[kind]
            info[name] = int(self._counts[kind])
        return info

    def diversity(self, one: dict[str, Any], other: dict[str, Any]) -> float:
        """The number that the benchmark gives: from 0 to 1, where enough cells differ."""
        first, second = (info["lvl_1x1"].base for info in (one, other))
        unlike = int(np.count_nonzero(first != second))
        if self._apart <= unlike <= self._volume:
            return 1.0
        return 0.0 if unlike >= self._volume else min(1.0, unlike / (self._apart + 0.00000001))
