"""Native evaluator of the dungeons of Isaac: regions, distance and loose doors of a map of rooms, and how maps differ.

The benchmark draws each room as three by three cells, its middle and a door on each side. The player and the boss are
looked for in the same drawing, but where their numbers say as if it had one cell a room; so they are here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.pcg_benchmark.maps_kernel import count_regions, reach
from benchmarks.pcg_benchmark.native_maps import Rooms, plateau
from pcg.engine.kernel.runtime import invoke1, invoke2

LEFT, UP, RIGHT, DOWN = 1, 2, 4, 8
"""Doors of a room, as bits of its number."""
_WORD = 64


class NativeIsaac:
    """Isaac: everything that the benchmark tells of a content but its drawing, in place of which there are bits."""

    def __init__(self, problem: Any) -> None:
        self.height, self.width = int(problem._height), int(problem._width)
        self.cells = self.height * self.width
        self._rooms = Rooms(self.height, self.width)
        self._drawing = Rooms(3 * self.height, 3 * self.width)
        full = float(problem._diversity)
        shares = [_part(count, self.cells) for count in range(4 * self.cells + 1)]
        self.worth = np.array(
            [
                [plateau(0.25 * room + 0.75 * door, full, 1.0, 1.0) for door in shares]
                for room in shares[: self.cells + 1]
            ]
        )

    def info(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Numbers of rooms, regions and loose doors, the distance to the boss, and rooms and doors as bits."""
        layout = np.array(content["layout"], np.int8).reshape(self.height, self.width)
        self._rooms.tiles[:] = layout > 0
        drawn = self._drawing.tiles
        drawn[:] = 0
        drawn[1::3, 1::3] = self._rooms.tiles
        doors = {LEFT: drawn[1::3, 0::3], UP: drawn[0::3, 1::3], RIGHT: drawn[1::3, 2::3], DOWN: drawn[2::3, 1::3]}
        for bit, cells in doors.items():
            cells[:] = 2 * ((layout & bit) > 0)
        rooms_bits = np.packbits(drawn[1::3, 1::3]).tobytes()
        doors_bits = b"".join(np.packbits(cells).tobytes() for cells in doors.values())
        loose = int(
            np.count_nonzero(doors[LEFT][:, 0]) + np.count_nonzero(doors[RIGHT][:, -1])
            + np.count_nonzero(doors[UP][0]) + np.count_nonzero(doors[DOWN][-1])
            + np.count_nonzero(doors[RIGHT][:, :-1] != doors[LEFT][:, 1:])
            + np.count_nonzero(doors[DOWN][:-1] != doors[UP][1:])
        )  # fmt: skip
        places = {content["start"], content["boss"], content["treasure"], content["shop"]}
        flat = content["layout"]
        regions, drawn_regions = (
            int(invoke1(count_regions.address, rooms.address)) for rooms in (self._rooms, self._drawing)
        )
        distance = self._distance(int(content["start"]), int(content["boss"]))  # last: it draws both into the drawing
        return {
            "map_size": int(np.count_nonzero(layout)),
            "num_regions": regions,
            "connect_regions": drawn_regions,
            "loose_connections": loose,
            "locations": sum(flat[place] > 0 for place in places),
            "player_boss_distance": distance,
            "dead_end": sum(flat[content[name]] in (LEFT, UP, RIGHT, DOWN) for name in ("boss", "treasure", "shop")),
            "rooms": int.from_bytes(rooms_bits, "little"),
            "doors": int.from_bytes(doors_bits, "little"),
        }

    def _distance(self, start: int, boss: int) -> int:
        """Steps from the player to the boss in the drawing; -1 without a way, or when one stands on the other."""
        if start == boss:
            return -1
        tiles = self._drawing.tiles
        (y, x), (boss_y, boss_x) = divmod(start, self.width), divmod(boss, self.width)
        tiles[y, x] = tiles[boss_y, boss_x] = 1
        invoke2(reach.address, self._drawing.address, y * 3 * self.width + x)
        return int(self._drawing.far[boss_y * 3 * self.width + boss_x])

    def diversity(self, first: Mapping[str, Any], second: Mapping[str, Any]) -> float:
        """The number that the benchmark gives: 1 where about half of the doors differ, but not many more."""
        rooms, doors = (first["rooms"] ^ second["rooms"]).bit_count(), (first["doors"] ^ second["doors"]).bit_count()
        return float(self.worth[rooms, doors])

    def table(self, places: int) -> MapTable:
        """Compare many infos at once: see `pcg.integrations.pcg_benchmark.independent_set.Table`."""
        return MapTable(places, self)


class MapTable:
    """Maps to be unlike, in places that may be empty."""

    def __init__(self, places: int, evaluator: NativeIsaac) -> None:
        self._too_like = evaluator.worth < 1.0
        self._words = -(-evaluator.cells // _WORD), -(-4 * evaluator.cells // _WORD)
        self._kept = np.zeros((places, sum(self._words)), np.uint64)
        self._full = np.zeros(places, bool)
        self._alike = np.zeros(places, np.int8)
        self._places = places

    def use(self, places: int) -> None:
        """Look at the first places only; the others are empty."""
        self._places = places

    def takes(self, item: Any) -> bool:
        """Every map can be put here."""
        return True

    def put(self, place: int, item: Any) -> None:
        """Let a map take a place."""
        self._kept[place] = self._bits(item)
        self._full[place] = True

    def clear(self, place: int) -> None:
        """Leave a place empty."""
        self._full[place] = False

    def meet(self, item: Any) -> NDArray[np.int8]:
        """For each place, whether a map is too like the one there; a view that the next comparison changes."""
        used = self._places
        self._alike[:used] = self._compare(item, self._kept[:used]) & self._full[:used]
        self._alike[used:] = 0
        return self._alike

    def meet_some(self, item: Any, places: NDArray[np.integer[Any]]) -> NDArray[np.int8]:
        """For each of some places that are not empty, whether a map is too like the one there."""
        return self._compare(item, self._kept[places]).astype(np.int8)

    def _compare(self, item: Any, kept: NDArray[np.uint64]) -> NDArray[np.bool_]:
        differ = np.bitwise_count(kept ^ self._bits(item))
        rooms = differ[:, : self._words[0]].sum(axis=1, dtype=np.int64)
        doors = differ[:, self._words[0] :].sum(axis=1, dtype=np.int64)
        alike: NDArray[np.bool_] = self._too_like[rooms, doors]
        return alike

    def _bits(self, item: Any) -> NDArray[np.uint64]:
        rooms, doors = (
            item[name].to_bytes(words * _WORD // 8, "little")
            for name, words in zip(("rooms", "doors"), self._words, strict=True)
        )
        return np.frombuffer(rooms + doors, np.uint64)


def _part(count: int, full: int) -> float:
    """Share of what is asked, 0 for more than that: the benchmark asks for exactly so much."""
    return plateau(count, full, full, full)
