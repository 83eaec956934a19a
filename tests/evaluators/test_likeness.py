"""The perceptual distance of levels: what it does not see, what it sees, and that its kernel does as the text says."""

from __future__ import annotations

import functools
import itertools
import math
import pickle
from collections import Counter

import numpy as np
import pytest

from pcg.engine.game import load
from pcg.evaluators.kernel import level_likeness as kernel
from pcg.evaluators.metrics import diversity
from pcg.evaluators.metrics.likeness import LevelShape, codes, level_distance, level_shape

GAMES = ("boxes", "digger", "dungeon", "hunt", "portals")
HALL = """\
wwwwwwwwwwww
w..........w
w.A..www...w
w....w.....w
w....www.g.w
w.k........w
w..........w
wwwwwwwwwwww"""


def rows(level: str) -> list[str]:
    return level.rstrip("\n").split("\n")


def levels() -> list[str]:
    return [level for name in GAMES for level in levels_of(name)[:2]]


@functools.cache
def levels_of(name: str) -> list[str]:
    return list(load(name).levels)


def edge(level: str) -> set[str]:
    return {*rows(level)[0], *rows(level)[-1], *(row[0] for row in rows(level)), *(row[-1] for row in rows(level))}


def mirrored(level: str) -> list[str]:
    return ["\n".join(row[::-1] for row in rows(level)), "\n".join(rows(level)[::-1])]


@pytest.mark.parametrize("level", levels())
def test_a_mirrored_level_is_not_new(level: str) -> None:
    assert level_distance(level, level) == 0.0
    assert [level_distance(level, other) for other in mirrored(level)] == [0.0, 0.0]


@pytest.mark.parametrize("level", levels())
def test_a_level_of_which_a_frame_is_cropped_or_doubled_is_not_new(level: str) -> None:
    assert level_shape(level).frame == ord("w")
    width = len(rows(level)[0])
    inside = "\n".join(row[1:-1] for row in rows(level)[1:-1])
    doubled = "\n".join(["w" * (width + 2), *("w" + row + "w" for row in rows(level)), "w" * (width + 2)])
    cropped = [inside, "\n".join(row[:-1] for row in rows(level)), "\n".join(rows(level)[1:])]
    assert level_distance(level, doubled) == 0.0
    for other in cropped:  # a door in the frame is lost
        assert level_distance(level, other) <= (0.0 if edge(level) == {"w"} else 0.2)


@pytest.mark.parametrize("level", levels())
def test_a_level_shifted_by_a_column_is_not_new(level: str) -> None:
    """Neither as a whole, round its edge, nor within its frame, where bare ground comes in."""
    rolled = level_distance(level, "\n".join(row[-1] + row[:-1] for row in rows(level)))
    assert rolled <= (0.0 if edge(level) == {"w"} else 0.15)
    ground = Counter("".join(row[1:-1] for row in rows(level)[1:-1]).replace("w", "")).most_common(1)[0][0]
    within = [rows(level)[0], *("w" + ground + row[1:-2] + "w" for row in rows(level)[1:-1]), rows(level)[-1]]
    others = next([o for o in levels_of(name) if o != level] for name in GAMES if level in levels_of(name))
    assert level_distance(level, "\n".join(within)) < np.mean([level_distance(level, other) for other in others])


def test_ten_distinct_levels_hold_no_level_that_is_another_one_shifted() -> None:
    middle = rows(HALL)[1:-1]
    shifted = [
        "\n".join(["w" * (12 + k), *("w" + "." * k + row[1:] for row in middle), "w" * (12 + k)]) for k in range(3)
    ]
    assert diversity([HALL, *mirrored(HALL), shifted[1]]) == pytest.approx(1 / 4)


def test_more_changes_make_a_level_more_different() -> None:
    rng = np.random.default_rng(5)
    for level in levels():
        means = []
        for edits in (1, 4, 16, 64):
            made = []
            for _ in range(8):
                cells = codes(level).copy()
                inner = cells[1:-1, 1:-1]
                for _ in range(edits):
                    at = tuple(rng.integers(n) for n in inner.shape)
                    inner[at] = ord(str(rng.choice(list(".wgk$"))))
                made.append(LevelShape(level).distance(LevelShape(cells)))
            means.append(float(np.mean(made)))
        assert means == sorted(means) and means[0] < 0.15 < means[-1]


def test_one_room_with_other_things_in_it_is_nearer_than_a_maze_of_the_same_tiles() -> None:
    maze = "\n".join(
        ["wwwwwwwwwwww", "w.w.w.w.wkww", "wAw.w.w.w.ww", *["w.w.w.w.w.ww"] * 3, "w.......g..w", "wwwwwwwwwwww"]
    )
    assert level_distance(HALL, HALL.replace("k", "g")) < level_distance(HALL, maze)


def test_the_distance_is_symmetric_within_bounds_and_takes_any_text() -> None:
    odd = ["", "a", "ab\nc", "....\n....", "日本\n語日本", "www\nwww\nwww", HALL, "#" * 300]
    for one, other in itertools.product([*odd, *levels()], repeat=2):
        apart = level_distance(one, other)
        assert 0.0 <= apart <= 1.0 and apart == level_distance(other, one)
        assert apart == 0.0 or one != other
    assert level_distance("a\nb", "c\nd") > 0.4


def test_bare_ground_and_mazes_are_no_frames() -> None:
    assert level_shape("......\n..a...\n......\n......").frame == 0
    assert level_shape("wwwww\nwwwww\nwwwww\nww.ww\nwwwww").frame == 0
    assert level_shape("wwwwww\nw....w\nw.w..w\nww.w.w\nwwwDww").frame == ord("w")
    assert level_shape("ab\ncd").frame == 0


def test_a_wall_taken_out_changes_little_though_it_parts_others_from_the_frame() -> None:
    """A wall is the same wall whether it hangs together with the frame or not."""
    comb = [
        "wwwwwwwwwwww",
        "w....A.....w",
        "wwwwwwwww..w",
        "w.......w..w",
        "w.wwwww.w..w",
        "w.......w..w",
        "wwwwwwwwwwww",
    ]
    level = "\n".join(comb)
    parted = "\n".join([*comb[:2], "w.wwwwwww..w", *comb[3:5], "w..........w", comb[-1]])
    rebuilt = "\n".join([*comb[:2], "w..w..w..w.w", "w..w..w..w.w", "w..w..w..w.w", "w..........w", comb[-1]])
    assert level_distance(level, parted) < 0.75 * level_distance(level, rebuilt)
    assert LevelShape(parted).parts(level_shape(level))["kinds"] == 0.0


def test_a_shape_survives_a_process_boundary() -> None:
    one, other = level_shape(HALL), level_shape(levels_of("dungeon")[0])
    again = pickle.loads(pickle.dumps(one))
    assert again.distance(other) == one.distance(other) > 0 and again.shape == one.shape == (8, 12)


# -- the views, as their text says -------------------------------------------------------------------------------------


def length_classes(length: int) -> dict[float, float]:
    """Shares of the lengths up to 8, 10, 12, 14, 16, 20, ... that a stretch counts for."""
    marks = [*range(1, 9), *(2**k * (4 + part) // 4 for k in range(3, 12) for part in (1, 2, 3, 4))]
    low = max(m for m in marks if m <= length)
    high = min((m for m in marks if m > length), default=low)
    part = (length - low) / (high - low)
    return {low: length * (1 - part), high: length * part}


def expected_views(cells: list[str]) -> dict[str, Counter[object]]:
    """The distributions of a level without a frame, in plain Python; blanks are outside."""
    width = len(cells[0]) + 2
    grid = [" " * width, *(f" {row} " for row in cells), " " * width]
    count = Counter("".join(cells))
    ground = min(count, key=lambda tile: (-count[tile], tile))
    stretches: Counter[object] = Counter()
    tiles: Counter[object] = Counter()
    forms: Counter[object] = Counter()
    neighbours: Counter[object] = Counter()
    for axis, lines in enumerate((grid, ["".join(column) for column in zip(*grid, strict=True)])):
        for line in lines:
            for tile, run in itertools.groupby(line):
                for mark, weight in length_classes(len(list(run))).items():
                    stretches[tile, axis, mark] += weight  # type: ignore[assignment]
                if tile != " ":
                    tiles[tile] += 1

    def at(y: int, x: int) -> str:
        return grid[y][x] if 0 <= y < len(grid) and 0 <= x < width else " "

    for y, x in itertools.product(range(len(grid)), range(width)):
        tile = grid[y][x]
        if tile != ground:
            axes = (tile in (at(y, x - 1), at(y, x + 1))) + (tile in (at(y - 1, x), at(y + 1, x)))
            diagonal = tile in (at(y - 1, x - 1), at(y - 1, x + 1), at(y + 1, x - 1), at(y + 1, x + 1))
            forms[tile == " ", axes, diagonal] += 1
        equal = [[at(y + dy, x + dx) == tile for dx in (-1, 0, 1)] for dy in (-1, 0, 1)]
        images = [[row[::right] for row in equal[::down]] for down in (1, -1) for right in (1, -1)]
        neighbours[tile, str(min(images))] += 1
    return {"stretches": stretches, "tiles": tiles, "forms": forms, "neighbours": neighbours}


def hellinger(one: Counter[object], other: Counter[object]) -> float:
    total, other_total = sum(one.values()), sum(other.values())
    overlap = sum(math.sqrt(one[k] / total * other[k] / other_total) for k in one)
    return math.sqrt(max(0.0, 1 - overlap))


def test_the_kernel_does_as_the_text_says() -> None:
    """Levels in which everything is one piece of one cell, so that pieces and sizes can be told by hand."""
    one = ["a........." + "." * 11, "..b......." + "." * 11, "....a....." + "." * 11]
    other = ["..........", "..c...a...", "..........", "......b...", "..a......."]
    assert LevelShape("\n".join(one)).frame == LevelShape("\n".join(other)).frame == 0
    views, other_views = expected_views(one), expected_views(other)
    apart = {name: hellinger(views[name], other_views[name]) for name in views}
    ring, other_ring = 2 * (23 + 3), 2 * (12 + 5)  # cells outside: a piece of another size each
    sizes = math.sqrt(1 - math.sqrt(3 / (3 + ring) * 4 / (4 + other_ring)))
    expected = (
        kernel.WEIGHT_STRETCHES * apart["stretches"] + kernel.WEIGHT_TILES * apart["tiles"]
        + kernel.WEIGHT_FORMS * apart["forms"] + kernel.WEIGHT_NEIGHBOURS * apart["neighbours"]
        + kernel.WEIGHT_SIZES * sizes
        + kernel.WEIGHT_PIECES * (1 / 4) + kernel.WEIGHT_KINDS * (1 / 4)
    )  # fmt: skip
    assert level_distance("\n".join(one), "\n".join(other)) == pytest.approx(expected, abs=1e-12)


def test_the_weights_sum_to_one() -> None:
    weights = [getattr(kernel, name) for name in vars(kernel) if name.startswith("WEIGHT_")]
    assert len(weights) == 7 and sum(weights) == pytest.approx(1.0)
