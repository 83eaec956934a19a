"""Native evaluator of buildings: what the benchmark measures of a stack of blocks, by a kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.pcg_benchmark.buildings_kernel import BUILDING, KINDS, stack
from pcg.engine.kernel.runtime import invoke1

_LITTLE = 0.00000001
"""Added by the benchmark to what it divides by."""


class NativeBuilding:
    """Buildings: heights, blocks that found a place, and the cells of each kind of block.

    Layers are squares, as in all problems of the package.
    """

    def __init__(self, problem: Any) -> None:
        self.blocks = int(problem._target)
        height, side = int(problem._height), int(problem._width)
        self._volume = height * side * side
        self._area = side * side
        self._apart = problem._diversity * self._volume
        self._low = int(problem._min_height * height)
        self._error = problem._cerror
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
        return self.info_of_leaves(np.array([(block["x"], block["y"], block["type"]) for block in content]))

    def info_of_leaves(self, leaves: NDArray[Any]) -> dict[str, Any]:
        """The same, of the numbers of all blocks: column, row and kind of each in turn."""
        self._content.reshape(leaves.shape)[:] = leaves
        lost = int(invoke1(stack.address, self._address))
        cells = self._oriented.copy()
        info: dict[str, Any] = {
            "blocks": self.blocks - lost,
            "heights": np.repeat(self._heights, self._ends).tolist(),
        }
        for name, kind, count in zip(KINDS, cells, self._counts.tolist(), strict=True):
            info[f"lvl_{name}"] = kind
            info[name] = count
        return info

    def quality(self, info: Mapping[str, Any]) -> float:
        """The number that the benchmark gives: that all blocks find a place, and then that no column ends too low."""
        if info["blocks"] < self.blocks:
            return max(0.0, info["blocks"] / (self.blocks + _LITTLE)) / 2
        reached = 0.0
        for height in range(1, self._low + 1):
            if ends := info["heights"].count(height):
                reached += max(0.0, (self._area - ends) / (self._area + _LITTLE))
                break
            reached += 1
        return (1.0 + reached / self._low) / 2

    def controlability(self, info: Mapping[str, Any], control: Mapping[str, int]) -> float:
        """The number that the benchmark gives: how near the numbers of blocks of each kind are to what is asked."""
        return sum(self._nearness(info[name], control[name]) for name in KINDS) / len(KINDS)

    def _nearness(self, number: int, asked: int) -> float:
        low, high = asked - self._error, asked + self._error
        if low <= number <= high:
            return 1.0
        if not 0 < number < self.blocks:
            return 0.0
        if number < low:
            return float(number / (low + _LITTLE))
        return float((self.blocks - number) / (self.blocks - high + _LITTLE))

    def diversity(self, one: dict[str, Any], other: dict[str, Any]) -> float:
        """The number that the benchmark gives: from 0 to 1, where enough cells differ."""
        first, second = (info["lvl_1x1"].base for info in (one, other))
        unlike = int(np.count_nonzero(first != second))
        if self._apart <= unlike <= self._volume:
            return 1.0
        return 0.0 if unlike >= self._volume else min(1.0, unlike / (self._apart + _LITTLE))
