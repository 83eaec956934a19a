"""Tile patterns, originality and skeletons of levels; courses of levels."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.distance import jensenshannon

from pcg.engine.game import load
from pcg.evaluators.courses import LEAST_STEP, Introductions, Lesson, choose_course, introduced
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.ladder import ladder_difficulty
from pcg.evaluators.level_grid import Grid
from pcg.evaluators.metrics.patterns import (
    OVERLAP,
    SHIFT,
    SIDES,
    PatternStatistics,
    divergence_among,
    originality,
)
from pcg.evaluators.metrics.registry import TEXT, measure
from pcg.evaluators.metrics.routes import ways_to_each
from pcg.evaluators.metrics.skeletons import StructuralShapes, skeleton_distance
from pcg.generators.levels import LevelContext


def drawn(rng: np.random.Generator, height: int, width: int, tiles: int = 3) -> Grid:
    return rng.integers(0, tiles, (height, width)).astype(np.int16)


# -- patterns ----------------------------------------------------------------------------------------------------------


def shares(grid: Grid, side: int, every: list[tuple[int, ...]]) -> NDArray[np.float64]:
    """Shares of windows, counted one by one."""
    rows, columns = grid.shape[0] - side + 1, grid.shape[1] - side + 1
    found = [tuple(grid[y : y + side, x : x + side].ravel()) for y in range(rows) for x in range(columns)]
    return np.array([found.count(window) for window in every]) / len(found)


@pytest.mark.parametrize("seed", range(4))
def test_divergence_is_that_of_scipy_over_windows_counted_one_by_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, other = drawn(rng, 6, 5), drawn(rng, 5, 7)
    expected = []
    for side in SIDES:
        cells = [
            tuple(g[y : y + side, x : x + side].ravel())
            for g in (one, other) for y in range(g.shape[0] - side + 1) for x in range(g.shape[1] - side + 1)
        ]  # fmt: skip
        every = sorted(set(cells))
        expected.append(jensenshannon(shares(one, side, every), shares(other, side, every), base=2) ** 2)
    assert PatternStatistics([other]).divergence(one) == pytest.approx(np.mean(expected), abs=1e-9)


def test_unknown_windows_are_those_that_none_of_the_levels_has() -> None:
    rng = np.random.default_rng(5)
    levels, other = [drawn(rng, 5, 6), drawn(rng, 4, 7)], drawn(rng, 6, 5)
    for side in SIDES:
        windows = {
            tuple(g[y : y + side, x : x + side].ravel())
            for g in levels for y in range(g.shape[0] - side + 1) for x in range(g.shape[1] - side + 1)
        }  # fmt: skip
        found = PatternStatistics(levels).unknown(other, side)
        assert found.shape == (6 - side + 1, 5 - side + 1)
        for (y, x), unknown in np.ndenumerate(found):
            assert unknown == (tuple(other[y : y + side, x : x + side].ravel()) not in windows)
    assert not PatternStatistics(levels).unknown(levels[0], 3).any()
    assert PatternStatistics(levels).unknown(other[:2], 3).shape == (0, 3)


def test_a_level_too_low_for_any_window_is_apart_in_that_size() -> None:
    high, low = np.zeros((4, 4), np.int16), np.zeros((1, 4), np.int16)
    assert PatternStatistics([high]).divergence(low) == pytest.approx(2 / 3)


def test_noise_diverges_more_than_the_games_own_levels_do() -> None:
    own = LevelContext.of(load("dungeon")).examples
    noise = drawn(np.random.default_rng(1), 10, 12, 5)
    assert PatternStatistics(own).divergence(noise) > 1.3 * divergence_among(own)


def least_difference(one: Grid, other: Grid) -> float:
    """Originality, cell by cell."""
    least = 1.0
    for image in (other, other[:, ::-1], other[::-1], other[::-1, ::-1]):
        (h, w), (ih, iw) = one.shape, image.shape
        for dy in range(min(0, h - ih) - SHIFT, max(0, h - ih) + SHIFT + 1):
            for dx in range(min(0, w - iw) - SHIFT, max(0, w - iw) + SHIFT + 1):
                cells = [
                    one[y, x] != image[y - dy, x - dx]
                    for y, x in itertools.product(range(h), range(w)) if 0 <= y - dy < ih and 0 <= x - dx < iw
                ]  # fmt: skip
                if cells and len(cells) >= OVERLAP * min(one.size, image.size):
                    least = min(least, sum(cells) / len(cells))
    return least


@pytest.mark.parametrize("seed", range(6))
def test_originality_is_the_least_share_of_differing_cells_of_all_shifts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, others = drawn(rng, 5, 6), [drawn(rng, 4 + seed % 3, 7 - seed % 2) for _ in range(2)]
    assert originality(one, others) == pytest.approx(min(least_difference(one, other) for other in others))


def test_a_mirrored_and_shifted_copy_is_not_original() -> None:
    level = drawn(np.random.default_rng(2), 9, 9)
    copy = np.roll(level[:, ::-1], 1, axis=0)
    assert originality(copy, [level]) < 0.05
    assert originality(level, []) == 1.0


# -- skeletons ---------------------------------------------------------------------------------------------------------

ROOMS = "wwwwwwwww\nw...w...w\nw...w...w\nwww...www\nw...w...w\nw.A.w.o.w\nwwwwwwwww"


def test_levels_with_one_skeleton_are_near_whatever_stands_in_them() -> None:
    game = load("boxes")
    context = LevelContext.of(game)
    shapes = StructuralShapes(context.palette, context.examples, 0.18)
    assert shapes.tell
    full = ROOMS.replace(".", "b", 3).replace("o", ".").replace("w.A", "wAo")
    walls = "wwwwwwwww\nw.......w\nw.wwwww.w\nw.......w\nw.wwwww.w\nw.A...o.w\nwwwwwwwww"
    same, other = shapes(ROOMS).distance(shapes(full)), shapes(ROOMS).distance(shapes(walls))
    assert same == 0.0 < 0.18 <= other
    assert same < shapes(ROOMS).looks.distance(shapes(full).looks)


def test_skeletons_do_not_tell_games_without_walls_apart() -> None:
    game = load("invaders")
    context = LevelContext.of(game)
    assert not StructuralShapes(context.palette, context.examples, 0.18).tell
    assert skeleton_distance(np.zeros((5, 5), bool), np.zeros((5, 5), bool)) == 1.0


# -- routes ------------------------------------------------------------------------------------------------------------

FIELD = "wwwwwwwww\nwA......w\nw.ww.ww.w\nw......dw\nwk......w\nwwwwwwwww"
ONE_WAY = "wwwwwwwww\nwA..w...w\nw...w...w\nw.......w\nwk..w..dw\nwwwwwwwww"
SHUT = "wwwwwwwww\nwA..w...w\nw...w...w\nw...w...w\nwk..w..dw\nwwwwwwwww"


@pytest.mark.parametrize(("level", "loops", "ways"), [(FIELD, 2, 2), (ONE_WAY, 0, 1), (SHUT, 0, 0)])
def test_loops_and_ways_to_the_goal_are_counted(level: str, loops: int, ways: int) -> None:
    evaluator = LevelEvaluator(load("dungeon"))
    found = measure(TEXT, evaluator.text.level(evaluator.palette.parse(level)))
    assert (found["loops"], found["ways_to_goal"]) == (loops, ways)


@pytest.mark.parametrize("seed", range(40))
def test_ways_to_each_goal_are_those_that_taking_out_one_cell_at_a_time_leaves(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(3, 12, 2).tolist())
    cells = [(y, x) for y in range(shape[0]) for x in range(shape[1])]
    passable = rng.random(shape) < rng.uniform(0.5, 0.95)
    start = cells[int(rng.integers(len(cells)))]
    passable[start] = True
    assert list(ways_to_each(passable, start, cells)) == [_ways_left(passable, start, goal) for goal in cells]


def _ways_left(passable: NDArray[np.bool_], start: tuple[int, int], goal: tuple[int, int]) -> int:
    """Ways from start to goal, by whether these hang together without each cell that is two steps from either."""
    free = passable.copy()
    free[goal] = True

    def steps(beginning: tuple[int, int], without: tuple[int, int] | None = None) -> dict[tuple[int, int], int]:
        found = {beginning: 0}
        front = [beginning]
        for y, x in front:
            for cell in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
                inside = 0 <= cell[0] < free.shape[0] and 0 <= cell[1] < free.shape[1]
                if inside and free[cell] and cell != without and cell not in found:
                    found[cell] = found[y, x] + 1
                    front.append(cell)
        return found

    there, back = steps(start), steps(goal)
    if goal not in there:
        return 0
    inner = [cell for cell in there if cell in back and there[cell] >= 2 and back[cell] >= 2]
    return 1 if any(goal not in steps(start, cell) for cell in inner) else 2


# -- courses -----------------------------------------------------------------------------------------------------------


def test_a_course_rises_and_brings_one_new_thing_at_a_time() -> None:
    rng = np.random.default_rng(3)
    kinds = ("bat", "door", "key", "slime")
    pool = [
        Lesson(float(rng.random()), 0.8, frozenset(rng.choice(kinds, int(rng.integers(0, 4)), replace=False).tolist()))
        for _ in range(60)
    ]
    course = choose_course(pool, 8)
    difficulties = [pool[k].difficulty for k in course]
    assert len(course) == 8 and difficulties == sorted(difficulties)
    new = introduced([pool[k].elements for k in course])
    assert max(map(len, new)) == 1 and frozenset().union(*new) == frozenset(kinds)


def test_two_new_things_at_once_are_worse_than_none_and_better_than_no_level() -> None:
    start, both = Lesson(0.1, 0.8, frozenset()), Lesson(0.5, 0.8, frozenset({"bat", "key"}))
    none = Lesson(0.5, 0.8, frozenset())
    assert choose_course([start, both, none], 2) == [0, 2]
    assert choose_course([start, both], 2) == [0, 1]


def test_only_what_introduces_one_thing_may_be_as_difficult_as_the_level_before() -> None:
    start = Lesson(0.1, 0.8, frozenset())
    alone, two, known = (Lesson(0.1, 0.8, frozenset(kinds)) for kinds in ({"bat"}, {"bat", "key"}, ()))
    assert choose_course([start, alone], 2) == [0, 1]
    assert len(choose_course([start, two], 2)) == len(choose_course([start, known], 2)) == 1
    key = Lesson(0.1, 0.8, frozenset({"bat", "key"}))
    assert choose_course([key, alone, start], 3) == [2, 1, 0]


def test_of_levels_that_are_as_hard_those_with_few_kinds_of_things_come_first() -> None:
    alone = Lesson(0.1 + 1e-12, 0.6, frozenset({"ghost"}))  # means of equal numbers differ in their last digits
    both = Lesson(0.1 - 1e-12, 0.7, frozenset({"ghost", "heart"}))
    assert choose_course([both, alone], 2) == [1, 0]


@pytest.mark.parametrize(
    ("levels", "left"),
    [
        ("", ""),
        ("1a 2ab 3abc", ""),  # a is everywhere
        ("1ab 1ac 1bc", "abc"),  # whichever comes first brings two
        ("1ab 1ac 1bc 1b", ""),
        ("1 2a 3abc", "bc"),
        ("1ab 1ac 2b", "ac"),  # what would introduce b comes too late
        ("1ab 1ac 2b 2ab 3bc", ""),
    ],
)
def test_what_no_course_introduces_alone_is_told(levels: str, left: str) -> None:
    found = Introductions((float(level[0]), frozenset(level[1:])) for level in levels.split())
    assert found.missing() == frozenset(left)


def test_what_is_known_is_not_forgotten_for_a_better_beginning() -> None:
    # each of many good levels brings three things at once; the chain that brings them one by one begins worse
    crowd = [Lesson(0.1 + k / 100, 1.0, frozenset("abc")) for k in range(20)]
    lessons = [Lesson(0.05, 0.0, frozenset("a")), Lesson(0.08, 0.0, frozenset("ab"))]
    course = choose_course([*crowd, *lessons], 6)
    assert [len(new) for new in introduced([([*crowd, *lessons])[k].elements for k in course])] == [1, 1, 1, 0, 0, 0]


def alone_throughout(course: Sequence[Lesson], kinds: frozenset[str]) -> bool:
    new = introduced([lesson.elements for lesson in course])
    return max(map(len, new)) == 1 and frozenset().union(*new) == kinds


def test_even_steps_and_early_introductions_are_not_worth_two_new_things_at_once() -> None:
    # moonbase, seed 45: what brings a third thing alone is as hard as can be, so six levels bring nothing before it
    measured = (
        ".788op .804 .835opr .849o .856op .856p .856 .857 .857 .859o .861op .861o .871o .872 .891p .894o .901o .901o "
        ".905o .905 .905o .910 1p 1opr 1 1o"
    )
    found = (re.fullmatch(r"([.\d]+)(\w*)", level) for level in measured.split())
    pool = [Lesson(float(one[1]), 0.85, frozenset(one[2]), 1.0) for one in found if one]
    course = choose_course(pool, 10)
    assert len(course) == 10 and alone_throughout([pool[k] for k in course], frozenset("opr"))


@pytest.mark.parametrize("seed", range(30))
def test_a_course_introduces_one_thing_at_a_time_wherever_one_of_its_length_does(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pool = [
        Lesson(float(difficulty), float(rng.uniform(0.6, 0.9)), frozenset(k for k in "abc" if rng.random() < 0.5))
        for difficulty in np.sort(rng.random(12))
    ]  # fmt: skip
    course = [pool[k] for k in choose_course(pool, 8)]
    rising = (
        chain for chain in itertools.combinations(pool, len(course))
        if all(after.difficulty - before.difficulty >= LEAST_STEP for before, after in itertools.pairwise(chain))
    )  # fmt: skip
    kinds = frozenset("abc")
    assert alone_throughout(course, kinds) or not any(alone_throughout(chain, kinds) for chain in rising)


def test_a_course_has_no_two_levels_that_are_alike() -> None:
    pool = [Lesson(k / 10, 0.5, frozenset(), 0.0, k // 3) for k in range(9)]
    course = choose_course(pool, 9, lambda one, other: bool(one == other))
    assert len(course) == 3 and len({pool[k].shape for k in course}) == 3


def test_something_new_comes_where_it_does_not_kill() -> None:
    start = Lesson(0.1, 0.8, frozenset())
    deadly, safe = Lesson(0.5, 0.8, frozenset({"bat"}), 0.9), Lesson(0.5, 0.8, frozenset({"bat"}), 0.1)
    assert choose_course([start, deadly, safe], 2) == [0, 2]


def test_what_had_better_be_known_first_comes_first_where_it_can() -> None:
    def lesson(difficulty: float, *kinds: str) -> Lesson:
        return Lesson(difficulty, 0.8, frozenset(kinds))

    pool = [lesson(0.1), *(lesson(0.4 + late, kind) for late in (0.0, 0.2) for kind in ("dune", "well"))]
    pool.append(lesson(0.9, "dune", "well"))
    for order in (["well", "dune"], ["dune", "well"]):
        new = introduced([pool[k].elements for k in choose_course(pool, 4, order=order)])
        assert [sorted(kinds) for kinds in new] == [[], order[:1], order[1:], []]
    # but an order is worth no level
    assert choose_course([pool[0], pool[1], pool[4], pool[5]], 4, order=["well", "dune"]) == [0, 1, 2, 3]


def test_practice_waits_until_all_is_introduced() -> None:
    """A course that practises first has the same things and a little more quality, and is not chosen."""

    def lesson(difficulty: float, quality: float, *kinds: str) -> Lesson:
        return Lesson(difficulty, quality, frozenset(kinds))

    plain, bats = [lesson(0.4, 0.8), lesson(0.7, 0.8)], [lesson(0.4, 0.72, "bat"), lesson(0.7, 0.75, "bat")]
    for known, place in ((bats, 1), (bats[1:], 2)):
        pool = [lesson(0.1, 0.8), *plain, *known]
        new = introduced([pool[k].elements for k in choose_course(pool, 3)])
        assert len(new) == 3 and new.index(frozenset({"bat"})) == place


def test_levels_whose_difficulties_are_sure_are_preferred() -> None:
    first, last = Lesson(0.1, 0.8, frozenset()), Lesson(0.9, 0.8, frozenset())
    sure, unsure = Lesson(0.52, 0.8, frozenset()), Lesson(0.5, 0.9, frozenset(), error=0.4)
    assert choose_course([first, unsure, sure, last], 3) == [0, 2, 3]
    # but a level that may stand the wrong way around is better than none
    assert choose_course([first, unsure, last], 3) == [0, 1, 2]


def test_there_is_no_course_without_levels() -> None:
    assert choose_course([], 5) == []


RUNGS = (("random", 1), ("mcts", 30))


def test_the_ladder_finds_a_longer_way_harder_and_says_the_same_twice() -> None:
    game = load("boxes")
    evaluator = LevelEvaluator(game, min_length=1, min_kinds=0.0)

    def measured(level: str) -> float:
        evaluation: Evaluation = evaluator.evaluate(level, seed=1)
        found = ladder_difficulty(game, level, [evaluation], seed=1, plays=2, rungs=RUNGS)
        assert found == ladder_difficulty(game, level, [evaluation], seed=1, plays=2, rungs=RUNGS)
        assert len(found.wins) == len(RUNGS) and found.length == len(evaluation.play)
        return found.value

    near = "wwwwwwww\nwA.bo..w\nw......w\nw......w\nwwwwwwww"
    far = "wwwwwwwwwww\nwA........w\nw.b.......w\nw.......o.w\nwwwwwwwwwww"
    assert measured(near) < measured(far)


def test_where_chance_plays_a_part_the_first_win_does_not_tell_how_long_a_win_takes() -> None:
    game = load("boxes")
    level = "wwwwwwww\nwA.bo..w\nw......w\nw......w\nwwwwwwww"
    known = LevelEvaluator(game, min_length=1, min_kinds=0.0).evaluate(level, seed=1)
    unwon = replace(known, play="", feasible=False)

    def value(*evaluations: Evaluation) -> float:
        return ladder_difficulty(game, level, evaluations, seed=1, plays=1, rungs=RUNGS[:1]).value

    assert value(known, known) == value(known)
    # half of the further plays are won: half way between the length of the win and the longest one
    assert value(known, known, unwon) == pytest.approx((value(known) + value(known, unwon)) / 2)
    assert value(known, unwon) > value(known)
