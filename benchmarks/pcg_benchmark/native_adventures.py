"""Native evaluators of Mini Dungeons and Danger Dave: the ways that the benchmark's solvers find, compared."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.pcg_benchmark import adventure_kernel, maps_kernel
from benchmarks.pcg_benchmark.adventure_kernel import (
    DAVE,
    DUNGEON,
    FREE,
    HARM,
    HARM_MORE,
    KEY,
    POTION,
    SOLVED,
    SPIKES,
    TREASURE,
    WALL,
)
from benchmarks.pcg_benchmark.native_maps import Rooms, plateau, ramp, shape_of
from benchmarks.pcg_benchmark.plan_table import SimilarityRatio, Text
from pcg.engine.kernel.runtime import invoke1, invoke2

MOST_CELLS = 120
"""Cells of a level that a state has room for, one thing in each."""


class _Adventure:
    """The memory of `adventure_kernel`, and that for the regions of a level."""

    GAME = DUNGEON
    THINGS: tuple[int, ...] = ()

    def __init__(self, problem: Any) -> None:
        self.problem = problem
        self.height, self.width = shape_of(problem)
        self._rooms = Rooms(self.height, self.width)
        height, width = self.height + 2, self.width + 2
        cells = height * width
        power = int(problem._solver)
        room = 4 * power + 1
        self._meaning = np.array(self.THINGS, np.int8)
        self._things = np.full((height, width), WALL, np.int8)
        self._way = np.zeros(room, np.int32)
        self._events = np.zeros(room, np.int8)
        slots = 1 << (2 * power).bit_length()
        nodes = dict.fromkeys(("cells", "treasures", "jumps", "parents", "depths", "far"), np.int32)
        words = dict.fromkeys(("first", "second", "heap"), np.int64)
        self._nodes: dict[str, NDArray[Any]] = {
            **{name: np.zeros(room, kind) for name, kind in {**nodes, **words}.items()},
            **{name: np.zeros(room, np.int8) for name in ("healths", "airs")},
            "things": self._things,
            "numbers": np.zeros(cells, np.int32),
            "seen": np.zeros(slots, np.int32),
            "way": self._way,
            "events": self._events,
        }
        self._walk = np.zeros(1, adventure_kernel.ADVENTURE)
        for name, array in self._nodes.items():
            self._walk[name] = array.ctypes.data
        numbers = {"game": self.GAME, "height": height, "width": width, "power": power, "slots": slots, "target": -1}
        for name, number in numbers.items():
            self._walk[name] = number
        self._walk_address = int(self._walk.ctypes.data)

    def _lay(self, tiles: NDArray[np.int8]) -> None:
        """Let the level be walked through next."""
        self._things[1:-1, 1:-1] = self._meaning[tiles]

    def _frame(self, place: tuple[int, int]) -> int:
        """The framed cell of a place (x, y)."""
        return (place[1] + 1) * (self.width + 2) + place[0] + 1

    def _solve(self, start: tuple[int, int], door: tuple[int, int]) -> tuple[int, list[tuple[int, int]]]:
        """Return the benchmark's estimate of what is left, 0 for a win, and the framed places (x, y) of the way."""
        self._walk["start"], self._walk["door"] = self._frame(start), self._frame(door)
        solved = int(invoke1(adventure_kernel.walk.address, self._walk_address)) == SOLVED
        length = int(self._walk["length"][0])
        places = [(cell % (self.width + 2), cell // (self.width + 2)) for cell in self._way[:length].tolist()]
        return 0 if solved else self._last("far"), places

    def _last(self, name: str) -> int:
        """A number of the node that the solvers ended with."""
        return int(self._nodes[name][int(self._walk["best"][0])])


def _places(tiles: NDArray[np.int8], *kinds: int) -> list[tuple[int, int]]:
    """Return the places of tiles of some kinds, as (x, y) in reading order."""
    text, width = tiles.tobytes(), tiles.shape[1]  # searching bytes is faster than comparing so small an array
    found = []
    for kind in kinds:
        at = text.find(kind)
        while at >= 0:
            found.append(at)
            at = text.find(kind, at + 1)
    return [(at % width, at // width) for at in sorted(found)]


class NativeMiniDungeons(_Adventure):
    """Mini Dungeons: the way to the exit, and how alike two ways and levels are."""

    GAME = DUNGEON
    THINGS = (WALL, FREE, FREE, FREE, POTION, TREASURE, HARM, HARM_MORE)

    def __init__(self, problem: Any) -> None:
        super().__init__(problem)
        self.similarity = SimilarityRatio(self.height * self.width)

    def info(self, content: Any) -> dict[str, Any]:
        """Numbers of things, the way and what was met on it."""
        self._rooms.tiles[:] = content
        tiles = self._rooms.tiles.copy()
        counts = np.bincount(tiles.ravel(), minlength=len(self.THINGS))
        regions = int(invoke1(maps_kernel.count_regions.address, self._rooms.address))
        players, exits, enemies = _places(tiles, 2), _places(tiles, 3), _places(tiles, 6, 7)
        info = {
            "regions": regions, "players": len(players), "exits": len(exits), "layout": int(counts[0] + counts[1]),
            "potions": int(counts[4]), "treasures": int(counts[5]), "enemies": len(enemies), "enemies_loc": enemies,
            "heuristic": -1, "solution": [], "solution_length": 0, "content": tiles,
            "text": Text.of(np.zeros(0, np.int8)),
        }  # fmt: skip
        if regions != 1 or len(players) != 1 or len(exits) != 1:
            return info
        self._lay(tiles)
        left, places = self._solve(players[0], exits[0])
        events = self._events[: int(self._walk["event_count"][0])].copy()
        info.update(
            heuristic=left,
            solution=[{"x": x, "y": y} for x, y in places],
            solution_length=len(places),
            health=self._last("healths"),
            col_treasures=self._last("treasures"),
            text=Text.of(events),
        )
        return info

    def quality(self, info: Mapping[str, Any]) -> float:
        """A third each: numbers of things, the way, and how near it comes to the nearest enemies."""
        size, wanted = self.width * self.height, self.problem._enemies
        regions = plateau(info["regions"], 1, 1, size / 10)
        players, exits = plateau(info["players"], 1, 1, size), plateau(info["exits"], 1, 1, size)
        enemies, layout = plateau(info["enemies"], wanted, size, size), plateau(info["layout"], size / 2, size, size)
        things = (players + exits + regions + enemies + layout) / 5.0
        way = near = 0.0
        if players == exits == regions == 1:
            places = np.array([(step["x"] - 1, step["y"] - 1) for step in info["solution"]]).reshape(-1, 2)
            way = plateau(info["heuristic"], 0, 0, size**2) + plateau(len(places), wanted + 2, size**2, size**2)
            way /= 2.0
            far = [self.width + self.height] * info["enemies"]
            if len(places) and far:
                far = np.abs(places[:, None] - np.array(info["enemies_loc"])).sum(axis=2).min(axis=0).tolist()
            near = plateau(sum(sorted(far)[:wanted]), 0, 0, wanted * (self.width + self.height))
        return (things + way + near) / 3.0

    def diversity(self, first: Mapping[str, Any], second: Mapping[str, Any]) -> float:
        """Four parts what is met, one part the cells."""
        cells = float((first["content"] != second["content"]).sum()) / (self.width * self.height)
        met = 1.0 - self.similarity.ratio(first["text"], second["text"])
        return ramp(met * 0.8 + cells * 0.2, self.problem._diversity)


class NativeDave(_Adventure):
    """Danger Dave: the ways to the door and to each diamond, in the part of the level where the player is."""

    GAME = DAVE
    THINGS = (WALL, FREE, FREE, FREE, TREASURE, KEY, SPIKES)

    def info(self, content: Any) -> dict[str, Any]:
        """Numbers of things, the way, and how near each diamond he comes."""
        tiles = self._mend(content)
        players, exits, diamonds, keys = (_places(tiles, kind) for kind in (2, 3, 4, 5))
        info: dict[str, Any] = {
            "players": len(players), "exits": len(exits), "diamonds": len(diamonds), "keys": len(keys),
            "spikes": int((tiles == 6).sum()), "player_locations": players, "exit_locations": exits,
            "playerOnGround": self._grounded(tiles, players), "exitOnGround": self._grounded(tiles, exits),
            "diamond_reachable": [], "heuristic": -1, "solution": [], "repaired_content": tiles,
        }  # fmt: skip
        visits = np.zeros((self.height, self.width), np.int64)
        if len(players) == len(exits) == len(keys) == 1:
            self._lay(tiles)
            self._walk["key"] = self._frame(keys[0])
            left, places = self._solve(players[0], exits[0])
            info.update(
                heuristic=left,
                solution=[{"x": x - 1, "y": y - 1} for x, y in places],
                num_jumps=self._last("jumps"),
                col_diamonds=self._last("treasures"),
            )
            for x, y in places:
                visits[y - 1, x - 1] += 1
            info["diamond_reachable"] = [self._nearest(players[0], exits[0], diamond) for diamond in diamonds]
        columns = np.flatnonzero(visits.any(axis=0))
        return {**info, "visits": visits, "left": int(columns[0]) if len(columns) else math.inf}

    def _mend(self, content: Any) -> NDArray[np.int8]:
        """The level with walls wherever the player cannot come.

        Of several players the benchmark takes the one with the number that the largest region has among the regions.
        """
        self._rooms.tiles[:] = content
        tiles = self._rooms.tiles.copy()
        players = _places(tiles, 2)
        if not players:
            return tiles
        sizes = []
        known = np.zeros(tiles.shape, bool)
        for x, y in players:
            if not known[y, x]:
                sizes.append(self._reach(x, y))
                known |= self._far >= 0
        self._reach(*players[int(np.argmax(sizes))])
        return np.where(self._far >= 0, tiles, 0).astype(np.int8)

    def _reach(self, x: int, y: int) -> int:
        return int(invoke2(maps_kernel.reach.address, self._rooms.address, y * self.width + x))

    @property
    def _far(self) -> NDArray[np.int32]:
        far: NDArray[np.int32] = self._rooms.far.reshape(self.height, self.width)
        return far

    def _grounded(self, tiles: NDArray[np.int8], places: list[tuple[int, int]]) -> int:
        return sum(int(y == self.height - 1 or tiles[y + 1, x] == 0) for x, y in places)

    def _nearest(self, start: tuple[int, int], door: tuple[int, int], diamond: tuple[int, int]) -> int:
        self._walk["target"] = self._frame(diamond)
        left, _ = self._solve(start, door)
        self._walk["target"] = -1
        return left

    def diversity(self, first: Mapping[str, Any], second: Mapping[str, Any]) -> float:
        """Return the difference in visits of cells, at least, in two mirror images; more than there are count as 0."""
        left = min(first["left"], second["left"])
        shift = 0 if math.isinf(left) else int(left)
        one, other = (np.zeros_like(first["visits"]) for _ in range(2))
        one[:, : self.width - shift] = first["visits"][:, shift:]
        other[:, : self.width - shift] = second["visits"][:, shift:]
        apart = min(int(abs(one - other).sum()), int(abs(one[:, ::-1] - other).sum()))
        if apart > self.width * self.height:
            return 0.0
        return ramp(float(apart), self.problem._diversity * (self.width + self.height))
