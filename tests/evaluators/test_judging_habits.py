"""Habits of things: what all of a kind have in common in the levels of a game, and what stands otherwise."""

from __future__ import annotations

import numpy as np
import pytest

import pcg
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.judging.level_features import BARE, SOLID, LevelView
from pcg.evaluators.judging.level_habits import (
    MOST,
    STANDINGS,
    Habits,
    HabitTable,
    Standing,
    standing,
    standing_tiles,
    standings,
)
from pcg.evaluators.judging.levels import LevelJudge, value_of

GAMES = ("siege", "ferry", "dungeon", "boxes", "crossing")


def stands(view: LevelView, y: int, x: int) -> list[bool | None]:
    """The `STANDINGS` that a cell has, None for those it cannot have, as the words say it."""
    grid, kinds = view.grid, view.tile_kinds
    avatars = view.tables.palette.is_avatar
    height, width = grid.shape

    def bare(row: int, column: int) -> bool:
        return bool(kinds[grid[row, column]] == BARE and not avatars[grid[row, column]])

    def wall(row: int, column: int) -> bool:
        inside = 0 <= row < height and 0 <= column < width
        return not inside or bool(kinds[grid[row, column]] == SOLID)

    around = [(r, c) for r, c in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)) if 0 <= r < height and 0 <= c < width]
    sides = [bare(y, x - 1), bare(y, x + 1)] if 0 < x < width - 1 else None
    return [
        bare(y + 1, x) if y < height - 1 else None,
        bare(y - 1, x) if y > 0 else None,
        any(sides) if sides else None,
        all(sides) if sides else None,
        wall(y + 1, x),
        wall(y - 1, x),
        wall(y, x - 1) or wall(y, x + 1),
        any(grid[cell] == grid[y, x] for cell in around),
        y in (0, height - 1) or x in (0, width - 1),
        x < width // 3,
        x >= width - width // 3,
        y < height // 3,
        y >= height - height // 3,
    ]


@pytest.mark.parametrize("game", GAMES)
def test_standings_are_what_they_are_called(game: str) -> None:
    judge = LevelEvaluator(pcg.load(game)).judge
    for level in judge.levels[:2]:
        view = judge.view(level)
        had, asked = standings(view)
        found = standing(view)
        tiles, counted = standing_tiles(view), np.zeros((2, *found.asked.shape), int)
        for y, x in np.ndindex(view.grid.shape):
            expected = stands(view, y, x)
            assert asked[:, y, x].tolist() == [one is not None for one in expected]
            assert (had & asked)[:, y, x].tolist() == [bool(one) for one in expected]
            if tiles[view.grid[y, x]]:
                counted[0, view.grid[y, x]] += [one is not None for one in expected]
                counted[1, view.grid[y, x]] += [bool(one) for one in expected]
        assert np.array_equal(found.asked, counted[0]) and np.array_equal(found.had, counted[1])


@pytest.mark.kernel
@pytest.mark.parametrize("game", GAMES)
def test_broken_habits_are_those_that_the_standings_tell(game: str) -> None:
    judge = LevelEvaluator(pcg.load(game)).judge
    rng = np.random.default_rng(5)
    view = judge.view(judge.levels[0])
    never, always = rng.random((2, len(view.tile_kinds), len(STANDINGS))) < 0.2
    never[0], always[0] = False, False
    table = HabitTable(never, always)
    had, asked = standings(view)
    grid = view.grid
    expected = np.any(asked & (had & never.T[:, grid] | ~had & always.T[:, grid]), axis=0)
    found = table.broken(view)
    assert np.array_equal(found, expected & standing_tiles(view)[grid]) and found.any()
    for tile in range(1, len(view.tile_kinds)):
        # a thing in the place of another one breaks what it would break there
        placed = table.broken(view, tile)
        assert np.array_equal(placed[grid == tile], expected[grid == tile])
        y, x = rng.integers(grid.shape[0]), rng.integers(grid.shape[1])
        around = np.pad(grid, 1, constant_values=-1)[y : y + 3, x : x + 3]
        there = had[:, y, x].copy()
        there[[name for name, _ in STANDINGS].index("one of its kind beside it")] = (
            tile in around[[0, 1, 1, 2], [1, 0, 2, 1]]
        )
        wrong = asked[:, y, x] & (there & never[tile] | ~there & always[tile])
        assert placed[y, x] == wrong.any()
    assert not table.broken(view, 0).any()


def one_kind(asked: int, had: int, usual: float) -> Standing:
    """A level of one tile, as many of which have a standing as are said, in all of `STANDINGS`."""
    number = len(STANDINGS)
    nothing = np.zeros((2, 1), int)
    return Standing(np.full((1, number), asked), np.full((1, number), had), nothing[0], np.full(number, usual), nothing)


def test_a_habit_takes_several_levels_and_more_things_than_chance_leaves() -> None:
    never = np.array([one for _, one in STANDINGS])
    few = Habits([one_kind(2, 2, 0.4)] * 2, 1)  # 0.4 ** 4 is more than the chance that is let pass
    assert not np.any(few.known([0, 1]))
    many = Habits([one_kind(3, 3, 0.4)] * 2, 1)
    has_not, has = many.known([0, 1])
    assert not has_not.any() and has.sum() == len(STANDINGS) - 1  # what is so on both sides is so on a side
    assert not np.any(many.known([0]))  # one level shows what it is, not what is usual
    lacking = Habits([one_kind(5, 0, 0.4)] * 2, 1)
    has_not, has = lacking.known([0, 1])
    assert not has.any() and has_not.sum() == never.sum() - 1
    mixed = Habits([one_kind(9, 9, 0.4), one_kind(9, 8, 0.4)], 1)
    assert not np.any(mixed.known([0, 1]))


def test_faults_are_counted_up_to_a_most_for_each_habit() -> None:
    habits = Habits([one_kind(9, 9, 0.4)] * 3, 1)
    kinds = len(STANDINGS) - 1
    assert [habits.faults(one_kind(9, 9 - k, 0.4), [0, 1, 2]) for k in range(5)] == [0, kinds, 2 * kinds, 3 * kinds,
                                                                                      3 * kinds]  # fmt: skip
    worst = habits.worst(one_kind(9, 5, 0.4), [0, 1, 2])
    assert worst is not None and (worst.tile, worst.number, worst.has) == (0, 4, False)
    assert habits.worst(one_kind(9, 9, 0.4), [0, 1, 2]) is None


def yard(seed: int, height: int) -> str:
    """A level of siege: flat soil with five barrels over it, so high above."""
    columns = np.random.default_rng(seed).permutation(np.arange(3, 21))[:6].tolist()
    rows = [["."] * 24 for _ in range(9)] + [["s"] * 24 for _ in range(2)]
    for x in columns[:5]:
        rows[8 - height][x] = "o"
    rows[8][1], rows[8][22] = "A", "t"
    return "\n".join("".join(row) for row in rows)


def test_what_hangs_in_the_air_where_it_always_stands_is_told_and_costs() -> None:
    judge = LevelJudge(LevelEvaluator(pcg.load("siege")).text, [yard(seed, 0) for seed in range(5)])
    before, after = ({part.name: part for part in judge.parts(judge.view(yard(9, height)))} for height in (0, 2))
    assert "5 of barrel with bare ground below (never there)" in after["conventions"].sentence
    assert "never there" not in before["conventions"].sentence
    assert value_of(tuple(after.values())) < value_of(tuple(before.values())) - 0.02


def test_a_door_in_a_frame_that_has_none_elsewhere_is_told_and_costs() -> None:
    room = "wwwwwwwww\nwA.k.w..w\nw....d..w\nwb...w..w\nw....d..w\nw.c..w.bw\nwwwwwwwww"
    own = [room.replace("k.w", moved) for moved in ("k.w", ".kw")] + [room.replace("c..w", "..cw")]
    text = LevelEvaluator(pcg.load("dungeon")).text
    level = room.replace("....d..w\nwb", "....w..w\nwb").replace("wwwwwwwww\nwA", "wwwdwwwww\nwA")
    judge = LevelJudge(text, own)
    parts = {part.name: part for part in judge.parts(judge.view(level))}
    assert "1 of door with a place in the frame (never there)" in parts["conventions"].sentence
    faults = [
        judge.reference.habits.faults(judge.reference.profile(judge.view(one)).standing, [1, 2])
        for one in (room, level)
    ]
    assert faults[1] >= faults[0] + MOST
    # with a door in one of the frames, another is no fault
    other = LevelJudge(text, [*own, own[1].replace("wwwwwwwww\nwA", "wdwwwwwww\nwA")])
    standings = other.reference.profile(other.view(level)).standing
    assert not other.reference.habits.broken_frame(standings, [1, 2, 3]).any()


def test_a_gate_that_can_be_walked_around_is_told_where_others_bar_a_way() -> None:
    room = "wwwwwwwww\nwA.k.w..w\nw....d..w\nwb...w..w\nw....w..w\nw.c..w.bw\nwwwwwwwww"
    own = [room, room.replace("k.w", ".kw"), room.replace("c..w", "..cw")]
    around = room.replace("w....w..w\nw.c", "w.......w\nw.c")
    judge = LevelJudge(LevelEvaluator(pcg.load("dungeon")).text, own)
    profiles = [judge.reference.profile(judge.view(one)) for one in (room, around)]
    habits = judge.reference.habits
    faults = [habits.faults(profile.standing, [1, 2]) for profile in profiles]
    assert faults[1] == faults[0] + MOST
    worst = judge.reference.worst_habit(profiles[1])
    assert worst is not None and (worst.standing, worst.has, worst.number) == ("a way that it bars", False, 1)
    parts = {part.name: part for part in judge.parts(judge.view(around))}
    assert "1 of door without a way that it bars (nearly always there)" in parts["conventions"].sentence
    # among others with a short cut it is none
    mixed = LevelJudge(LevelEvaluator(pcg.load("dungeon")).text, [room, around, own[1].replace("w....w", "w.....")])
    assert not mixed.reference.habits.idle_gates(profiles[1].standing, [0, 1, 2]).any()


@pytest.mark.parametrize("game", ["siege", "ferry", "crossing", "harvest"])
def test_own_levels_keep_habits_that_shuffled_ones_break(game: str) -> None:
    judge = LevelEvaluator(pcg.load(game)).judge
    own, mixed = [], []
    for seed, level in enumerate(judge.levels):
        view = judge.view(level)
        profile = judge.reference.profile(view)
        others = judge.reference.others(judge.reference.nearest(profile))
        own.append(judge.reference.habits.faults(profile.standing, others))
        grid = np.random.default_rng(seed).permutation(view.grid.ravel()).reshape(view.grid.shape)
        drawn = judge.view(judge.tables.palette.text(grid))
        mixed.append(judge.reference.habits.faults(standing(drawn), others))
    assert np.mean(own) < 1.0 and np.min(mixed) > 2.0 + np.max(own)
