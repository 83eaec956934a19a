"""The width of niches: how near two levels of a game may be and yet count as two."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcg.engine.game import load
from pcg.evaluators.metrics import APART, level_distance, niche_width
from pcg.evaluators.metrics.niches import LEAST

FIELD = ["wwwwwwwwwwww", *["w..........w"] * 8, "wwwwwwwwwwww"]


def with_things(*places: tuple[int, int]) -> str:
    """A field with an avatar and gems at some places."""
    rows = [list(row) for row in FIELD]
    rows[4][2] = "A"
    for y, x in places:
        rows[y][x] = "g"
    return "\n".join(map("".join, rows))


ONE = with_things((2, 6), (6, 8), (7, 4))
NEARLY_ONE = [ONE, with_things((2, 7), (6, 8), (7, 4)), with_things((2, 6), (6, 8), (7, 4), (3, 9))]
UNLIKE = load("dungeon").levels


@pytest.mark.parametrize("levels", [[], [ONE]])
def test_fewer_than_two_own_levels_tell_nothing(levels: list[str]) -> None:
    assert niche_width(levels) == APART and niche_width(levels, 0.3) == 0.3


def test_levels_as_unlike_as_levels_mostly_are_leave_the_width_as_it_is() -> None:
    assert min(level_distance(a, b) for a, b in itertools.combinations(UNLIKE, 2)) > APART
    assert niche_width(UNLIKE) == APART and niche_width(UNLIKE, 0.3) == 0.3


def test_own_levels_that_are_nearly_one_count_as_different_where_the_usual_width_makes_them_one() -> None:
    apart = sorted(level_distance(a, b) for a, b in itertools.combinations(NEARLY_ONE, 2))
    assert apart[1] > LEAST and apart[-1] < APART
    assert niche_width(NEARLY_ONE) == pytest.approx(apart[1], abs=1e-6)  # the median of three
    assert niche_width(NEARLY_ONE, 0.36) == pytest.approx(2 * niche_width(NEARLY_ONE))


def test_copies_among_own_levels_do_not_let_copies_count() -> None:
    mirrored = "\n".join(row[::-1] for row in ONE.split("\n"))
    assert niche_width([ONE, ONE, mirrored]) == pytest.approx(LEAST)


@given(st.lists(st.sampled_from([*NEARLY_ONE, *UNLIKE]), max_size=6), st.randoms(use_true_random=False))
def test_the_width_has_bounds_and_does_not_depend_on_the_order(levels: list[str], random: object) -> None:
    width = niche_width(levels)
    assert LEAST - 1e-9 <= width <= APART
    assert niche_width(levels, 0.0) == 0.0
    random.shuffle(levels)  # type: ignore[attr-defined]
    assert niche_width(levels) == width
