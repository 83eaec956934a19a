"""Native evaluators of Sokoban, Zelda and binary maps.

Most of a search's time goes into what the benchmark wants to know of a content (its solvers are Python) and into
comparing contents pair by pair. The same answers are computed here by kernels written from what the benchmark does:
`info` gives the entries that its own functions for quality and control read, `diversity` the number that its own
function gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.pcg_benchmark import maps_kernel, sokoban_kernel
from benchmarks.pcg_benchmark.plan_table import PlanTable, SimilarityRatio, Text
from pcg.engine.kernel.runtime import invoke1


class NativeSokoban:
    """Sokoban: the plan that the benchmark's solvers find, and how alike two plans are."""

    def __init__(self, problem: Any) -> None:
        self.problem = problem
        self.height, self.width = height, width = shape_of(problem)
        self._inside = (slice(1, height + 1), slice(1, width + 1))
        cells = (height + 2) * (width + 2)
        power = int(problem._power)
        room = 4 * power + 1
        self._tiles = np.zeros((height + 2, width + 2), np.int8)
        self._text = np.zeros(room, np.int8)
        self._record = np.zeros(1, sokoban_kernel.LEVEL)
        self._arrays: dict[str, NDArray[Any]] = {
            "tiles": self._tiles,
            "text": self._text,
            "states": np.zeros(room, np.int64),
            "parents": np.zeros(room, np.int32),
            "actions": np.zeros(room, np.int8),
            "depths": np.zeros(room, np.int32),
            "far": np.zeros(room, np.int32),
            "steps": _steps(height + 2, width + 2),
            "heap": np.zeros(room, np.int64),
            "filled": np.zeros(power, np.int32),
            **{name: np.zeros(cells, np.int8) for name in ("dead", "corner", "over")},
            **{name: np.zeros(cells, np.int32) for name in ("goals", "left", "boxes")},
        }
        slots = 1 << (2 * power).bit_length()
        self._arrays["seen"] = np.zeros(slots, np.int64)
        for name, array in self._arrays.items():
            self._record[name] = array.ctypes.data
        numbers = {"height": height + 2, "width": width + 2, "power": power, "room": room, "slots": slots,
                   "bits": (cells - 1).bit_length()}  # fmt: skip
        for name, number in numbers.items():
            self._record[name] = number
        self.address = int(self._record.ctypes.data)
        self.similarity = SimilarityRatio(room)

    def info(self, content: Any) -> dict[str, Any]:
        """Numbers of things, length of the plan and its text."""
        self._tiles[self._inside] = content
        result = int(invoke1(sokoban_kernel.plan.address, self.address))
        cells = self._tiles.tobytes()  # counting bytes is faster than comparing so small an array
        players, boxes, goals = (
            cells.count(tile) for tile in (sokoban_kernel.PLAYER, sokoban_kernel.BOX, sokoban_kernel.GOAL)
        )
        record = self._record[0]
        return {
            "players": players,
            "crates": boxes,
            "targets": goals,
            "heuristic": int(record["nearest"]) if result != sokoban_kernel.TOO_BIG else -1,
            "solution": range(int(record["length"])),
            "text": Text.of(self.text()),
        }

    def text(self) -> NDArray[np.int8]:
        """The plan that won the level asked about last, as the benchmark compares it."""
        return self._text[: int(self._record["text_length"][0])].copy()

    def table(self, places: int) -> PlanTable:
        """Compare many infos at once: see `pcg.integrations.pcg_benchmark.independent_set.Table`."""
        return PlanTable(places, self.similarity, float(self.problem._diversity), lambda info: info["text"].symbols)

    def diversity(self, first: Mapping[str, Any], second: Mapping[str, Any]) -> float:
        """1 when the plans share at most the share that the problem allows."""
        return ramp(1.0 - self.similarity.ratio(first["text"], second["text"]), self.problem._diversity)


class Rooms:
    """The memory of `maps_kernel`.

    Attributes:
        tiles: what stands where, for a kernel to read; shape (height, width).
        far: steps from where the last flood began, -1 where it does not reach; shape (height * width,).
        cells: of the path that was found last.
    """

    def __init__(self, height: int, width: int) -> None:
        count = height * width
        self.tiles = np.zeros((height, width), np.int8)
        self.far, self.cells = np.zeros(count, np.int32), np.zeros(count, np.int32)
        self._queue, self._seen = np.zeros(count, np.int32), np.zeros(count, np.int8)
        self.record = np.zeros(1, maps_kernel.ROOMS)
        self.record["height"], self.record["width"] = height, width
        for name, array in (
            ("tiles", self.tiles), ("cells", self.cells), ("seen", self._seen), ("far", self.far),
            ("queue", self._queue),
        ):  # fmt: skip
            self.record[name] = array.ctypes.data
        self.address = int(self.record.ctypes.data)


class NativeBinary:
    """Binary: regions and the longest path. Maps are compared by the benchmark, which is quick at that."""

    def __init__(self, problem: Any) -> None:
        self.problem = problem
        self._rooms = Rooms(*shape_of(problem))

    def info(self, content: Any) -> dict[str, Any]:
        """Regions, longest path and the cells."""
        rooms = self._rooms
        rooms.tiles[:] = content
        invoke1(maps_kernel.measure_paths.address, rooms.address)
        record = rooms.record[0]
        return {
            "path": int(record["longest"]),
            "regions": int(record["regions"]),
            "flat": rooms.tiles.ravel().astype(np.int64),
        }

    def diversity(self, first: Mapping[str, Any], second: Mapping[str, Any]) -> float:
        """The benchmark's answer."""
        return float(self.problem.diversity(first, second))


class NativeZelda:
    """Zelda: regions, distances, and how alike two ways from the player to the key are."""

    def __init__(self, problem: Any) -> None:
        self.problem = problem
        self.height, self.width = shape_of(problem)
        self._rooms = Rooms(self.height, self.width)
        self.similarity = SimilarityRatio(self.height * self.width * len(f"{self.width},{self.height}|"))

    def info(self, content: Any) -> dict[str, Any]:
        """Numbers of things, regions, distances and the way as a text."""
        rooms = self._rooms
        rooms.tiles[:] = content
        invoke1(maps_kernel.measure.address, rooms.address)
        record = rooms.record[0]
        counts = np.bincount(rooms.tiles.ravel(), minlength=maps_kernel.ENEMY + 1)
        return {
            "players": int(counts[maps_kernel.PLAYER]),
            "keys": int(counts[maps_kernel.KEY]),
            "doors": int(counts[maps_kernel.DOOR]),
            "enemies": int(counts[maps_kernel.ENEMY]),
            **{name: int(record[name]) for name in ("regions", "player_key", "key_door")},
            "text": self._text(rooms.cells[: int(record["length"])].tolist()),
        }

    def _text(self, cells: list[int]) -> Text:
        """The cells of a way, mirrored so that it begins in the quarter with low numbers."""
        places = [(cell % self.width, cell // self.width) for cell in cells]
        if places and places[0][0] > self.width / 2:
            places = [(self.width - x - 1, y) for x, y in places]
        if places and places[0][1] > self.height / 2:
            places = [(x, self.height - y - 1) for x, y in places]
        return Text.of(np.frombuffer("".join(f"{x},{y}|" for x, y in places).encode(), np.int8))

    def diversity(self, first: Mapping[str, Any], second: Mapping[str, Any]) -> float:
        """1 when the ways share at most the share that the problem allows."""
        return ramp(1.0 - self.similarity.ratio(first["text"], second["text"]), self.problem._diversity)


def shape_of(problem: Any) -> tuple[int, int]:
    """Rows and columns of a problem's contents."""
    height, width = np.shape(problem._content_space.sample())
    return int(height), int(width)


def _steps(height: int, width: int) -> NDArray[np.int32]:
    """Steps from each cell to each other one when nothing is in the way; shape (cells, cells)."""
    y, x = np.divmod(np.arange(height * width), width)
    return (abs(y[:, None] - y) + abs(x[:, None] - x)).astype(np.int32)


def ramp(value: float, full: float) -> float:
    """From 0 at 0 to 1 from `full` on."""
    if value >= full:
        return 1.0
    return min(max(value / (full + 1e-8), 0.0), 1.0)


def plateau(value: float, low: float, high: float, most: float) -> float:
    """From 0 at 0 to 1 at `low`, 1 up to `high`, and down to 0 at `most`."""
    if low <= value <= high:
        return 1.0
    if value <= 0 or value >= most:
        return 0.0
    part = value / (low + 1e-8) if value < low else (most - value) / (most - high + 1e-8)
    return min(max(part, 0.0), 1.0)
