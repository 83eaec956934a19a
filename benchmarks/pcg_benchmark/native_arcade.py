"""Native evaluator of arcade rules: the same three plays, tick by tick, in compiled code."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.pcg_benchmark import arcade_kernel as kernel
from pcg.engine.kernel.runtime import invoke2

LONGEST = 40
"""Ticks of a play."""
PLAYOUTS = 40
"""Of a decision, after the first of each action."""
COLOURS = ("red", "green", "yellow")
"""Kinds of pieces, in the order in which they act."""
_GOALS = (0, 5, 10, 20)
_SCORES = (0, 1, 2, 4)
_FIRST_WORDS = 1 << 14


@dataclass(frozen=True)
class Play:
    """Number of states of a play, and how the last one ended: all that the benchmark asks of it."""

    length: int
    end: tuple[dict[str, bool], None]

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, place: int) -> tuple[dict[str, bool], None]:
        if place != -1:
            raise IndexError(f"{place}: only the last state of a play is kept")
        return self.end


class NativeArcade:
    """Arcade rules: plays of somebody idle, of chance and of a search, and where pieces and the player were."""

    def __init__(self, problem: Any) -> None:
        self.problem = problem
        layout = np.pad(np.asarray(problem._layout, np.int8), 1)
        self.height, self.width = layout.shape
        cells = layout.size
        self._open = np.ascontiguousarray(layout.ravel())
        self._start = np.zeros(kernel.STATE // 4, np.int32)
        self._history = np.zeros((LONGEST + 2, kernel.STATE // 4), np.int32)
        self._words = np.zeros(0, np.uint32)
        self._behaviours = np.zeros(kernel.KINDS, np.int32)
        self._actions, self._scores = (np.zeros(4 * kernel.KINDS, np.int32) for _ in range(2))
        self._arrays: dict[str, NDArray[Any]] = {
            "open": self._open,
            "far": _distances(layout),
            "behaviours": self._behaviours,
            "actions": self._actions,
            "scores": self._scores,
            "start": self._start,
            "history": self._history,
            "after": np.zeros(kernel.ACTIONS * kernel.STATE // 4, np.int32),
            "trial": np.zeros(kernel.STATE // 4, np.int32),
            "wins": np.zeros(kernel.ACTIONS, np.int32),
            "visits": np.zeros(kernel.ACTIONS, np.int32),
            "logarithms": np.array([0.0, *(math.log(k) for k in range(1, PLAYOUTS + kernel.ACTIONS + 1))]),
        }
        self._record = np.zeros(1, kernel.ARCADE)
        for name, array in self._arrays.items():
            self._record[name] = array.ctypes.data
        for name, number in (("width", self.width), ("cells", cells), ("longest", LONGEST), ("playouts", PLAYOUTS)):
            self._record[name] = number
        self.address = int(self._record.ctypes.data)

    def info(self, content: Any) -> dict[str, Any]:
        """The entries that the benchmark's functions for quality and control read, and where everything has been."""
        info: dict[str, Any] = {"player": {"x": content["x"], "y": content["y"]}, "max_time": 0}
        for colour in COLOURS:
            start = content[f"{colour}Start"]
            info[colour] = [{"x": x, "y": y} for x, y in self._places(start)]
        where = np.zeros((kernel.KINDS, self._open.size), bool)
        player = np.zeros(self._open.size, np.int64)
        plays: list[Play | list[Any]] = [[], [], []]
        if self._open[self._cell(content["x"], content["y"])]:
            info["max_time"] = LONGEST
            self._set(content)
            plays = [self._play(k, content["seed"], where, player) for k in range(3)]
        info["do_nothing"], info["random"], info["flat_mcts"] = plays
        info["where"], info["way"] = where, player
        return info

    def diversity(self, first: Mapping[str, Any], second: Mapping[str, Any]) -> float:
        """From 0 to less than 1: cells where one kind of pieces was in one of two plays only, or the player longer."""
        pieces = int((first["where"] != second["where"]).sum())
        ways = int((first["way"] != second["way"]).sum())
        return self._reward((pieces + ways) / 2.0)

    def _reward(self, value: float) -> float:
        height, width = self.height - 2, self.width - 2
        full = self.problem._diversity * width * height
        if full <= value <= width:
            return 1.0
        if value <= 0 or value >= height:
            return 0.0
        if value < full:
            return min(value / (full + 0.00000001), 1.0)
        return min(max((height - value) / (height - width + 0.00000001), 0.0), 1.0)

    def _cell(self, x: int, y: int) -> int:
        return (y + 1) * self.width + x + 1

    def _places(self, start: Mapping[str, Any]) -> list[tuple[int, int]]:
        return list(zip(start["x"][: start["num"]], start["y"][: start["num"]], strict=True))

    def _set(self, content: Mapping[str, Any]) -> None:
        """Write a content into the kernel's memory."""
        self._start[:] = 0
        self._start[[0, 3]] = self._cell(content["x"], content["y"]), 1
        pieces = self._start[kernel.PLAYER // 4 :].reshape(kernel.PIECES, -1)
        count = 0
        for kind, colour in enumerate(COLOURS):
            self._behaviours[kind] = content[colour]
            for x, y in self._places(content[f"{colour}Start"]):
                cell = self._cell(x, y)
                if self._open[cell]:
                    pieces[count] = cell, 0, 0, 1, kind
                    count += 1
        self._actions[:] = self._scores[:] = 0
        for row, one in enumerate(("player", *COLOURS)):
            for kind, other in enumerate(COLOURS):
                rule = content.get(f"{one}-{other}")
                if rule is not None:
                    self._actions[kernel.KINDS * row + kind] = rule["action"]
                    self._scores[kernel.KINDS * row + kind] = _SCORES[rule["score"]]
        self._record["pieces"] = count
        self._record["goal"] = _GOALS[content["win"]]

    def _play(self, player: int, seed: int, where: NDArray[np.bool_], way: NDArray[np.int64]) -> Play:
        """Let a player play, and add where pieces were, and the player if it searches."""
        self._draw(seed, _FIRST_WORDS)
        while int(invoke2(kernel.play.address, self.address, player)) == kernel.STREAM_ENDED:
            self._draw(seed, 4 * len(self._words))
        length = int(self._record["length"][0])
        states = self._history[:length]
        pieces = states[:, kernel.PLAYER // 4 :].reshape(length, kernel.PIECES, -1)
        pieces = pieces[:, : int(self._record["pieces"][0])]
        alive = pieces[..., 3] > 0
        where[pieces[..., 4][alive], pieces[..., 0][alive]] = True
        if player == kernel.SEARCH:
            way += np.bincount(states[:, 0], minlength=len(way))
        end = int(invoke2(kernel.ending.address, self.address, int(states[-1].ctypes.data)))
        return Play(length, ({"isWin": bool(end & 1), "isLose": bool(end & 2)}, None))

    def _draw(self, seed: int, count: int) -> None:
        """Hold so many words of the stream that a seed begins."""
        self._words = np.random.PCG64(seed).random_raw(count // 2).view(np.uint32)
        self._record["words"], self._record["word_count"] = self._words.ctypes.data, len(self._words)


def _distances(layout: NDArray[np.int8]) -> NDArray[np.int32]:
    """Steps from each open cell to each other one, -1 where there is no way; shape (cells, cells)."""
    width = layout.shape[1]
    free = layout.ravel()
    far = np.full((free.size, free.size), -1, np.int32)
    for start in np.flatnonzero(free).tolist():
        far[start, start] = 0
        queue = [start]
        for cell in queue:
            for other in (cell - 1, cell + 1, cell - width, cell + width):
                if free[other] and far[start, other] < 0:
                    far[start, other] = far[start, cell] + 1
                    queue.append(other)
    return far
