"""Native evaluators for the PCG Benchmark: answers known by hand, and those of the package itself."""

from __future__ import annotations

import importlib.util
import itertools
from difflib import SequenceMatcher
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks.pcg_benchmark.buildings_kernel import KINDS
from benchmarks.pcg_benchmark.native import native_problem, native_search
from benchmarks.pcg_benchmark.native_adventures import NativeDave, NativeMiniDungeons
from benchmarks.pcg_benchmark.native_buildings import NativeBuilding
from benchmarks.pcg_benchmark.native_isaac import DOWN, LEFT, RIGHT, UP, NativeIsaac
from benchmarks.pcg_benchmark.native_maps import NativeBinary, NativeSokoban, NativeZelda
from benchmarks.pcg_benchmark.plan_table import PlanTable, SimilarityRatio, Text
from pcg.integrations.pcg_benchmark.contents import Layout
from pcg.integrations.pcg_benchmark.starting_contents import starting_contents

INSTALLED = importlib.util.find_spec("pcg_benchmark") is not None
LETTERS = "lrudkeys"
"""The benchmark's letters for moves left, right, up and down, and for the pushes."""


def problem(height: int, width: int, **more: Any) -> Any:
    """Return the data that a native evaluator reads of a problem."""
    space = SimpleNamespace(sample=lambda: np.zeros((height, width), int), seed=lambda seed: None)
    return SimpleNamespace(_content_space=space, **more)


def grid(text: str, letters: str) -> list[list[int]]:
    return [[letters.index(char) for char in row] for row in text.split()]


def sokoban(text: str, power: int = 5000) -> tuple[dict[str, Any], str]:
    """Evaluate a level by the native evaluator; with its plan in the benchmark's letters."""
    content = grid(text, "#-@$.")
    native = NativeSokoban(problem(len(content), len(content[0]), _power=power, _diversity=0.5))
    info = native.info(content)
    return info, "".join(LETTERS[symbol] for symbol in info["text"].symbols)


@pytest.mark.parametrize(
    ("low", "high", "pairs"), [(0, 40, 150), (40, 199, 60), (150, 420, 25)], ids=["a word", "some words", "more"]
)
def test_similarity_is_that_of_difflib(low: int, high: int, pairs: int) -> None:
    rng = np.random.default_rng(3)
    similarity = SimilarityRatio(420)
    for _ in range(pairs):
        kinds = int(rng.choice([2, 8, 100]))
        one, other = (rng.integers(kinds, size=int(rng.integers(low, high))).astype(np.int8) for _ in range(2))
        other[10:40] = one[:30] if len(one) >= 30 and len(other) >= 40 else other[10:40]
        expected = SequenceMatcher(None, one.tobytes(), other.tobytes()).ratio()
        assert similarity.ratio(Text.of(one), Text.of(other)) == expected


@pytest.mark.parametrize("level", ["@--$.", ".$--@", "@ - - $ .", ". $ - - @"], ids=["right", "left", "down", "up"])
def test_a_plan_is_told_relative_to_its_first_move(level: str) -> None:
    info, plan = sokoban(level)
    assert (len(info["solution"]), info["heuristic"], plan) == (3, 0, "re")


def test_a_plan_that_begins_upwards_has_its_axes_swapped() -> None:
    # up, right, push down, right, down, push left is the only way in six moves
    info, plan = sokoban("------ ------ --@$-- --.--- ------ ------")
    assert (len(info["solution"]), plan) == (6, "rdkdly")


def test_pushes_and_moves_of_one_direction_in_a_row_are_one_letter_each() -> None:
    info, plan = sokoban("@-$--. ######")
    assert (len(info["solution"]), plan) == (4, "re")


def test_a_box_on_a_line_between_corners_is_given_up() -> None:
    # along the upper wall no box comes away again, and no goal lies there
    info, _ = sokoban("--$-- --@-- ----- ----- --.--")
    assert (len(info["solution"]), info["heuristic"]) == (0, 4)


def test_a_level_that_cannot_be_won_tells_how_near_it_came() -> None:
    info, plan = sokoban("$---- @---- ---.- ----- -----")  # a box in a corner, three to the right and two down
    assert (len(info["solution"]), info["heuristic"], plan) == (0, 5, "")


@pytest.mark.parametrize("level", ["@@-$.", "@--$-", "@---.", "-----", "@-$$."])
def test_a_level_with_wrong_numbers_is_not_solved(level: str) -> None:
    info, _ = sokoban(level)
    assert (len(info["solution"]), info["heuristic"]) == (0, -1)


def test_zelda_counts_steps_around_walls_and_doors() -> None:
    native = NativeZelda(problem(4, 5, _diversity=0.3))
    info = native.info(grid("@#K-- -#-#D ---#- -###-", "#-@KDe"))
    assert {name: info[name] for name in ("regions", "player_key", "key_door", "players", "keys", "doors")} == {
        "regions": 1, "player_key": 6, "key_door": 3, "players": 1, "keys": 1, "doors": 1
    }  # fmt: skip
    assert bytes(info["text"].symbols) == b"0,0|0,1|0,2|1,2|2,2|2,1|2,0|"
    mirrored = native.info([row[::-1] for row in grid("@#K-- -#-#D ---#- -###-", "#-@KDe")])
    assert bytes(mirrored["text"].symbols) == bytes(info["text"].symbols)
    assert native.diversity(info, mirrored) == 0.0


def test_binary_follows_a_snake_from_end_to_end() -> None:
    native = NativeBinary(problem(4, 4))
    info = native.info(grid("---- ###- ---- -##-", "#-"))
    assert (info["regions"], info["path"]) == (1, 9)
    apart = native.info(grid("--#- --#- ##-- ---#", "#-"))
    assert apart["regions"] == 2


def dungeon(text: str, power: int = 500) -> dict[str, Any]:
    content = grid(text, "#-@H*$go")
    return NativeMiniDungeons(problem(len(content), len(content[0]), _solver=power, _diversity=0.4)).info(content)


def dave(text: str, power: int = 500) -> dict[str, Any]:
    content = grid(text, "#-@H$V*")
    return NativeDave(problem(len(content), len(content[0]), _solver=power, _diversity=0.4)).info(content)


def way(info: dict[str, Any]) -> list[tuple[int, int]]:
    return [(place["x"], place["y"]) for place in info["solution"]]


def test_a_dungeon_is_crossed_and_what_is_met_is_told() -> None:
    info = dungeon("@go*H")
    assert way(info) == [(1, 1), (2, 1), (3, 1), (4, 1), (5, 1)]  # in the frame
    assert (info["heuristic"], info["solution_length"], info["health"]) == (0, 5, 4)  # 5 - 1 - 2 + 2
    assert (info["enemies_loc"], info["layout"], info["regions"]) == ([(1, 0), (2, 0)], 0, 1)
    assert len(info["text"]) == 3


@pytest.mark.parametrize(("level", "second"), [("@- $H", (1, 2)), ("@$ -H", (2, 1))])
def test_of_two_ways_as_long_the_one_with_a_treasure_is_taken(level: str, second: tuple[int, int]) -> None:
    info = dungeon(level)
    assert (info["col_treasures"], info["solution_length"], way(info)[1]) == (1, 3, second)


def test_a_dungeon_with_too_many_enemies_is_lost_before_the_door() -> None:
    info = dungeon("@oo-oH")
    # each ogre takes two of five; nothing is worth more than the start, five steps away with all health
    assert (info["heuristic"], info["solution"], info["solution_length"]) == (5 + 3 * 8, [], 0)


@pytest.mark.parametrize("level", ["@#H", "@-H-@", "@--", "--H"], ids=["apart", "two", "no door", "no hero"])
def test_a_dungeon_with_wrong_numbers_is_not_walked(level: str) -> None:
    assert dungeon(level)["heuristic"] == -1


def test_similarity_of_dungeons_is_four_parts_events_and_one_part_cells() -> None:
    theirs = problem(1, 5, _solver=500, _diversity=0.4)
    native = NativeMiniDungeons(theirs)
    one, same, other = (native.info(grid(text, "#-@H*$go")) for text in ("@g-*H", "@*-gH", "@g--H"))
    assert native.diversity(one, one) == 0.0
    assert native.diversity(one, same) == 1.0  # half of the events differ: 0.4, and two of five cells: 0.08
    assert native.diversity(one, other) == pytest.approx((0.8 / 3 + 0.2 / 5) / 0.4)


def test_dave_takes_the_key_before_the_door_counts() -> None:
    info = dave("@H-V ####")
    assert way(info) == [(0, 0), (1, 0), (2, 0), (3, 0), (2, 0), (1, 0)]
    assert (info["heuristic"], info["num_jumps"], info["playerOnGround"], info["exitOnGround"]) == (0, 0, 1, 1)


def test_dave_jumps_over_spikes_and_up_steps() -> None:
    info = dave("----- ----- @-*VH #####")
    assert info["heuristic"] == 0
    assert info["num_jumps"] == 1
    assert (2, 2) not in way(info)
    assert dave("##### @-*VH #####")["heuristic"] > 0  # no room to jump


def test_dave_is_told_how_near_he_comes_to_each_diamond() -> None:
    info = dave("$---- ----- ----- ----- @-VH$ #####")
    assert info["diamonds"] == 2
    assert info["diamond_reachable"][1] == 0
    assert info["diamond_reachable"][0] > 0  # a jump ends three cells up


def test_what_dave_cannot_come_to_is_wall() -> None:
    info = dave("@-VH#-$ ####### $------")
    assert info["diamonds"] == 0
    assert not info["repaired_content"][:, 4:].any()


def test_two_ways_of_dave_are_compared_in_a_mirror_too() -> None:
    native = NativeDave(problem(2, 5, _solver=500, _diversity=0.4))
    one, mirrored, other = (
        native.info(grid(text, "#-@H$V*")) for text in ("@V-H- #####", "-H-V@ #####", "@HV-- #####")
    )
    assert native.diversity(one, one) == 0.0
    assert native.diversity(one, mirrored) == pytest.approx(native.diversity(mirrored, one))
    assert 0.0 < native.diversity(one, other) <= 1.0


def test_a_level_with_more_cells_than_a_state_remembers_has_no_native_evaluator() -> None:
    large = problem(16, 24, _solver=500, _diversity=0.4)
    assert native_problem("mdungeons-large-v0", large) is large
    assert (
        native_problem("mdungeons-v0", problem(12, 8, _solver=500, _diversity=0.4, quality=None, controlability=None))
        is not large
    )


@pytest.mark.parametrize(("shortest", "longest"), [(3, 30), (50, 190)])
def test_a_table_tells_who_is_alike_in_either_order(shortest: int, longest: int) -> None:
    similarity = SimilarityRatio(190)
    table = PlanTable(6, similarity, 0.5)
    rng = np.random.default_rng(5)
    texts = [rng.integers(8, size=int(rng.integers(shortest, longest))).astype(np.int8) for _ in range(6)]
    texts[3] = np.concatenate([texts[2][: len(texts[2]) // 2], texts[3][len(texts[3]) // 2 :]])  # half of another
    for place, text in enumerate(texts[:5]):
        table.put(place, text)
    table.put(5, texts[0])
    table.clear(4)

    def alike(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
        orders = ((one, other), (other, one))
        return any(SequenceMatcher(None, a.tobytes(), b.tobytes()).ratio() > 0.5 for a, b in orders)

    for text in texts:
        expected = [alike(text, other) for other in texts[:4]] + [False, alike(text, texts[0])]
        assert table.meet(text).astype(bool).tolist() == expected
        some = np.array([5, 0, 3])
        assert table.meet_some(text, some).astype(bool).tolist() == [expected[k] for k in some]


def isaac(layout: list[int], start: int = 0, boss: int = 1) -> dict[str, Any]:
    """Evaluate a map of four by four rooms."""
    content = {"layout": layout, "start": start, "boss": boss, "shop": 2, "treasure": 3}
    return NativeIsaac(SimpleNamespace(_height=4, _width=4, _diversity=0.6)).info(content)


SPIRAL = [
    RIGHT, LEFT | RIGHT, LEFT | RIGHT, LEFT | DOWN,
    RIGHT | DOWN, LEFT | RIGHT, LEFT | DOWN, UP | DOWN,
    UP | DOWN, RIGHT, LEFT | UP, UP | DOWN,
    UP | RIGHT, LEFT | RIGHT, LEFT | RIGHT, LEFT | UP,
]  # fmt: skip
"""A way through all rooms of a map."""


def test_isaac_counts_rooms_regions_and_doors_that_lead_nowhere() -> None:
    info = isaac(SPIRAL)
    assert [info[name] for name in ("map_size", "num_regions", "connect_regions", "loose_connections")] == [16, 1, 1, 0]
    assert (info["locations"], info["dead_end"]) == (4, 0)
    cut = SPIRAL.copy()
    cut[7] = 0  # doors of the rooms above and below it lead nowhere
    info = isaac(cut, boss=7)
    assert [info[name] for name in ("map_size", "num_regions", "connect_regions", "loose_connections")] == [15, 1, 2, 2]
    assert info["locations"] == 3
    outside = SPIRAL.copy()
    outside[0] |= UP
    assert isaac(outside)["loose_connections"] == 1


def test_isaac_looks_for_player_and_boss_at_one_cell_a_room_in_the_drawing() -> None:
    # drawn are the rooms at (1, 1) and (4, 1) of the first row with two doors between; rooms 5 and 4 are beside these
    assert isaac(SPIRAL, start=5, boss=6)["player_boss_distance"] == 1
    assert isaac(SPIRAL, start=5, boss=5)["player_boss_distance"] == -1
    assert isaac(SPIRAL, start=0, boss=6)["player_boss_distance"] == -1  # no way from a corner that is not drawn


def test_maps_of_isaac_are_unlike_where_half_of_the_doors_differ_and_not_many_more() -> None:
    native = NativeIsaac(SimpleNamespace(_height=4, _width=4, _diversity=0.6))
    closed = {"rooms": (1 << 16) - 1, "doors": 0}
    worth = [native.diversity(closed, closed | {"doors": (1 << count) - 1}) for count in (0, 8, 12, 14, 16, 17)]
    assert worth == [0.0, pytest.approx(0.375 / 0.6), pytest.approx(0.5625 / 0.6), 1.0, 1.0, 0.0]
    assert native.diversity(closed, {"rooms": (1 << 13) - 1, "doors": (1 << 12) - 1}) == 1.0  # and three rooms
    table = native.table(4)
    for place, doors in enumerate((0, 14, 16)):
        table.put(place, closed | {"doors": (1 << doors) - 1})
    assert table.meet(closed).tolist() == [1, 0, 0, 0]  # the last place is empty
    assert table.meet_some(closed | {"doors": (1 << 15) - 1}, np.array([2, 0])).tolist() == [1, 0]
    table.clear(0)
    table.use(2)
    assert table.meet(closed).tolist() == [0, 0, 0, 0]


@pytest.mark.skipif(not INSTALLED, reason="the package pcg_benchmark is not installed")
@pytest.mark.parametrize("name", ["isaac-v0", "isaac-large-v0"])
def test_native_isaac_measures_what_the_package_does(name: str) -> None:
    import pcg_benchmark

    environment = pcg_benchmark.make(name)
    environment.seed(2)
    theirs = environment._problem
    native = NativeIsaac(theirs)
    rng = np.random.default_rng(3)
    steps = {(0, -1): (LEFT, RIGHT), (-1, 0): (UP, DOWN), (0, 1): (RIGHT, LEFT), (1, 0): (DOWN, UP)}
    compared = []
    for k in range(80):
        content = environment.content_space.sample()
        if k % 3:  # rooms that are connected, now and then but for a door
            doors = np.zeros((native.height, native.width), int)
            rooms = [(int(rng.integers(native.height)), int(rng.integers(native.width)))]
            for _ in range(int(rng.integers(100))):
                y, x = rooms[int(rng.integers(len(rooms)))]
                (down, right), (door, back) = list(steps.items())[int(rng.integers(4))]
                if 0 <= y + down < native.height and 0 <= x + right < native.width:
                    doors[y, x] |= door
                    doors[y + down, x + right] |= back
                    rooms.append((y + down, x + right))
            doors.flat[int(rng.integers(doors.size))] ^= (k % 2) * UP
            content["layout"] = doors.ravel().tolist()
        mine, told = native.info(content), theirs.info(content)
        assert {key: mine[key] for key in told if key != "flat"} == {key: told[key] for key in told if key != "flat"}
        assert theirs.quality(mine) == theirs.quality(told)
        compared.append((mine, told))
    table = native.table(80)
    for place, (mine, _) in enumerate(compared):
        table.put(place, mine)
    unlike = 0
    for mine, told in compared:
        worth = [float(theirs.diversity(told, other)) for _, other in compared]
        assert [native.diversity(mine, other) for other, _ in compared] == worth
        assert table.meet(mine).tolist() == [int(value < 1) for value in worth]
        unlike += sum(value >= 1 for value in worth)
    assert unlike > 50


@pytest.mark.skipif(not INSTALLED, reason="the package pcg_benchmark is not installed")
def test_native_sokoban_finds_the_plans_of_the_package() -> None:
    import pcg_benchmark  # type: ignore[import-not-found, unused-ignore]
    from pcg_benchmark.probs.sokoban.problem import (  # type: ignore[import-not-found, unused-ignore]
        SokobanProblem,
        _sol2str,
    )

    rng = np.random.default_rng(11)
    for power, wanted in ((300, 160), (5000, 40)):  # with little power the later solvers are asked
        theirs = SokobanProblem(width=5, height=5, difficulty=1, solver=power)
        native = NativeSokoban(theirs)
        compared = []
        while len(compared) < wanted:
            boxes = int(rng.integers(1, 5))
            cells = np.where(rng.random(25) < rng.choice([0.1, 0.3]), 0, 1)
            places = rng.permutation(25)
            cells[places[0]], cells[places[1 : 1 + boxes]], cells[places[1 + boxes : 1 + 2 * boxes]] = 2, 3, 4
            content = cells.reshape(5, 5)
            mine = native.info(content)
            if power == 5000 and (not len(mine["solution"]) or boxes > 2):
                continue  # these take the package a second each
            told = theirs.info(content)
            assert mine["heuristic"] == told["heuristic"]
            assert len(mine["solution"]) == len(told["solution"])
            plan = _sol2str(told["content"], told["solution"])
            assert "".join(LETTERS[k] for k in mine["text"].symbols) == "".join(k for k, _ in itertools.groupby(plan))
            assert theirs.quality(mine) == theirs.quality(told)
            compared.append((mine, told))
        for one, other in itertools.pairwise(compared):
            assert native.diversity(one[0], other[0]) == pytest.approx(theirs.diversity(one[1], other[1]))
    assert "sokoban-v0" in pcg_benchmark.list()


@pytest.mark.skipif(not INSTALLED, reason="the package pcg_benchmark is not installed")
@pytest.mark.parametrize(("name", "kind"), [("zelda-v0", NativeZelda), ("binary-v0", NativeBinary)])
def test_native_maps_measure_what_the_package_does(name: str, kind: Any) -> None:
    import pcg_benchmark

    environment = pcg_benchmark.make(name)
    environment.seed(2)
    layout = Layout(environment.content_space)
    made, rng = starting_contents(layout, 3), np.random.default_rng(4)
    theirs = environment._problem
    native = kind(theirs)
    compared = []
    for k in range(60):
        content = layout.content(next(made) if k % 3 else layout.sample(rng))
        mine, told = native.info(content), theirs.info(content)
        assert all(np.array_equal(mine[key], told[key]) for key in mine.keys() & told.keys())
        assert theirs.quality(mine) == theirs.quality(told)
        compared.append((mine, told))
    for one, other in itertools.pairwise(compared):
        assert native.diversity(one[0], other[0]) == pytest.approx(theirs.diversity(one[1], other[1]))
    search = native_search(environment, [environment.control_space.sample() for _ in range(3)], 1)
    assert len(search.run(evaluations=200)) == 3


@pytest.mark.skipif(not INSTALLED, reason="the package pcg_benchmark is not installed")
@pytest.mark.parametrize(
    ("name", "kind", "once"), [("mdungeons-v0", NativeMiniDungeons, (2, 3)), ("ddave-v0", NativeDave, (2, 3, 5))]
)
def test_native_adventures_find_the_ways_of_the_package(name: str, kind: Any, once: tuple[int, ...]) -> None:
    import pcg_benchmark

    environment = pcg_benchmark.make(name)
    theirs = environment._problem
    theirs._solver = 200  # so little that all solvers are asked, and soon give up
    native = kind(theirs)
    rng = np.random.default_rng(6)
    tiles = Layout(environment.content_space).high.astype(int).max()
    compared = []
    solved = 0
    while len(compared) < 60:
        shares = rng.dirichlet(np.full(tiles, 0.5)) * 0.3
        shares[:2] += 0.2, 0.5
        cells = rng.choice(tiles, size=native.height * native.width, p=shares / shares.sum())
        cells[np.isin(cells, once)] = 1
        cells[rng.permutation(len(cells))[: len(once)]] = once
        content = cells.reshape(native.height, native.width)
        mine, told = native.info(content), theirs.info(content)
        assert way(mine) == way(told)
        solved += len(way(mine)) > 0
        for key in mine.keys() & told.keys() - {"solution"}:
            assert np.array_equal(mine[key], told[key]), key
        assert theirs.quality(mine) == theirs.quality(told)
        assert getattr(native, "quality", theirs.quality)(mine) == theirs.quality(told)
        compared.append((mine, told))
    assert 5 < solved < 55
    for one, other in itertools.pairwise(compared):
        assert native.diversity(one[0], other[0]) == pytest.approx(theirs.diversity(one[1], other[1]))


def test_a_building_is_good_when_all_blocks_find_a_place_and_no_column_ends_low() -> None:
    given = {"_target": 4, "_height": 3, "_width": 3, "_diversity": 0.4, "_min_height": 0.7, "_cerror": 1}
    native = NativeBuilding(SimpleNamespace(**given))
    row = [0, 0, 3]  # column, row, kind: nine cells
    for blocks, quality in (
        ([[0, 0, 0]] * 4, 0.375),  # one is too many
        ([row, row, row, [0, 0, 0]], 0.375),
        ([row, row, row, row], 0.375),
        ([[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0]], 0.5 + 0.25 * 5 / 9),
        ([[0, 0, 0], [0, 0, 0], [1, 0, 0], [1, 0, 0]], 0.75 + 0.25 * 7 / 9),
        ([[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 1]], 0.375),
        ([[0, 0, 0], [0, 0, 0], [0, 0, 1], [0, 0, 1]], 0.375),
    ):
        info = native.info_of_leaves(np.array(blocks, float).ravel())
        assert native.quality(info) == pytest.approx(quality), blocks
    control = {"1x1": 3, "1x3": 1, "3x1": 4, "3x3": 0}
    info = {"1x1": 2, "1x3": 3, "3x1": 1, "3x3": 0}
    assert native.controlability(info, control) == pytest.approx((1 + 1 / 2 + 1 / 3 + 1) / 4)


@pytest.mark.skipif(not INSTALLED, reason="the package pcg_benchmark is not installed")
@pytest.mark.parametrize("name", ["building-v0", "building-huge-v0"])
def test_native_buildings_measure_what_the_package_does(name: str) -> None:
    import pcg_benchmark

    environment = pcg_benchmark.make(name)
    theirs = environment._problem
    native = NativeBuilding(theirs)
    layout = Layout(environment.content_space)
    made = starting_contents(layout, 5)
    towers = layout.sample(np.random.default_rng(5), 16)
    towers[:, 2::3] *= np.linspace(0, 0.5, 16)[:, None]  # small blocks, for which there is room
    towers[8:, 0::3] = np.minimum(towers[8:, 0::3], 2)
    column, side = np.arange(native.blocks) % -(-native.blocks // theirs._height), theirs._width
    towers[15] = np.stack([column % side, column // side, np.zeros(native.blocks)], axis=1).ravel()  # all are full
    controls = [dict(zip(KINDS, asked, strict=True)) for asked in ([10, 10, 10, 10], [2, 30, 4, 4], [40, 0, 0, 0])]
    compared, judged, controlled = [], set(), set()
    for vector in [*(next(made) for _ in range(16)), *towers]:
        content = layout.content(vector)
        mine, told = native.info(content), theirs.info(content)
        assert native.quality(mine) == theirs.quality(told)
        judged.add(native.quality(mine))
        for control in controls:
            assert native.controlability(mine, control) == theirs.controlability(told, control)
            controlled.add(native.controlability(mine, control))
        same = native.info_of_leaves(vector)
        assert mine.keys() == told.keys() == same.keys()
        assert all(np.array_equal(mine[key], same[key]) for key in mine)
        assert sorted(mine.pop("heights")) == sorted(told.pop("heights"))
        assert all(np.array_equal(mine[key], told[key]) for key in mine)
        compared.append((mine, told))
    assert min(mine["blocks"] for mine, _ in compared) < native.blocks  # some did not find a place
    assert len(judged) > 10 and 0.5 < sorted(judged)[-2] < max(judged) == 1.0 and len(controlled) > 10
    for one, other in itertools.pairwise(compared):
        assert native.diversity(one[0], other[0]) == theirs.diversity(one[1], other[1])
