"""Sights: what things have in a clear line, which of it is a habit, and what lacks it."""

from __future__ import annotations

import numpy as np
import pytest

import pcg
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.judging.level_features import LevelView
from pcg.evaluators.judging.level_habits import MOST
from pcg.evaluators.judging.level_sights import Kinds, Sight, Sights, clear_lines
from pcg.evaluators.judging.levels import LevelJudge
from pcg.generators.levels import LevelContext
from pcg.generators.levels.portfolio.habits import ThingHabits

RELAY = pcg.load("relay")


@pytest.fixture(scope="module")
def judge() -> LevelJudge:
    return LevelEvaluator(RELAY).judge


def moved(level: str, tile: str, to: tuple[int, int]) -> str:
    """A level with its one tile of a kind elsewhere."""
    rows = [list(row) for row in level.replace(tile, ".").split("\n")]
    rows[to[0]][to[1]] = tile
    return "\n".join("".join(row) for row in rows)


def seen_by_walking(targets: np.ndarray, walls: np.ndarray) -> np.ndarray:
    """Cells that `clear_lines` finds, looked at one by one."""
    found = np.zeros(targets.shape, bool)
    for y, x in np.ndindex(targets.shape):
        for dy, dx in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            row, column = y + dy, x + dx
            while 0 <= row < targets.shape[0] and 0 <= column < targets.shape[1] and not walls[row, column]:
                found[y, x] |= targets[row, column]
                row, column = row + dy, column + dx
    return found


def test_lines_are_clear_up_to_the_next_wall() -> None:
    rng = np.random.default_rng(3)
    for height, width in ((1, 1), (1, 7), (6, 1), (7, 9), (12, 5)):
        walls = rng.random((height, width)) < 0.25
        targets = (rng.random((4, height, width)) < 0.1) & ~walls
        found = clear_lines(targets, walls)
        for one, seen in zip(targets, found, strict=True):
            assert np.array_equal(seen, seen_by_walking(one, walls))


def test_kinds_are_tiles_and_branches_of_several(judge: LevelJudge) -> None:
    kinds = Kinds.of(judge.tables.palette)
    chars = [
        "".join(sorted(judge.tables.palette.tiles[k].char for k in np.flatnonzero(tiles))) for tiles in kinds.tiles
    ]
    named = dict(zip(kinds.names, chars, strict=True))
    assert named["bay"] == "br" and named["arrow"] == ">^v" and named["button"] == "12"
    assert len(set(chars)) == len(chars) and "w" not in "".join(chars)
    walls = "".join(judge.tables.palette.tiles[k].char for k in np.flatnonzero(kinds.walls))
    assert sorted(walls) == ["w", "x"]  # a furnace stops whoever comes, as a wall does


def test_sights_are_counted_as_they_are_seen(judge: LevelJudge) -> None:
    kinds = Kinds.of(judge.tables.palette)
    bay, arrow = kinds.names.index("bay"), kinds.names.index("arrow")
    view = judge.view(judge.levels[0])
    sight = Sight(view, kinds)
    walls = kinds.walls[view.grid]
    arrows = kinds.tiles[arrow][view.grid]
    assert np.array_equal(sight.seen[arrow], seen_by_walking(arrows, walls))
    assert (sight.asked[bay], sight.had[bay, arrow]) == (2, 2)
    assert sight.usual[arrow] == pytest.approx(sight.seen[arrow][~walls].mean())


def test_bays_lie_in_line_with_an_arrow_and_one_that_does_not_is_told_and_costs(judge: LevelJudge) -> None:
    sights = judge.reference.sights
    known = sights.known(sights.every())
    pairs = {(sights.kinds.names[a], sights.kinds.names[b]) for a, b in np.argwhere(known)}
    assert ("bay", "arrow") in pairs
    level = judge.levels[0]
    assert sights.faults(judge.view(level), [1, 2, 3, 4]) == 0
    off = moved(level, "b", (4, 9))
    assert sights.faults(judge.view(off), [1, 2, 3, 4]) == 1
    lost = sights.broken(judge.view(off), [1, 2, 3, 4])
    assert np.argwhere(lost).tolist() == [[4, 9]]
    worst = sights.worst(judge.view(off), [1, 2, 3, 4])
    assert worst is not None and (worst.number, worst.has) == (1, False)
    assert worst.standing in ("arrow in a clear line", "arrowRight in a clear line")
    before, after = (judge.measures(judge.view(text))[0][-1] for text in (level, off))
    assert after == before + 1  # habits are the last of the measures


def test_lost_sights_are_counted_up_to_a_most_for_each_tile(judge: LevelJudge) -> None:
    rows = [list(row) for row in judge.levels[4].replace("b", ".").replace("r", ".").split("\n")]
    for x in range(5, 5 + MOST + 2):
        rows[8][x] = "b"
    view = judge.view("\n".join("".join(row) for row in rows).replace(">", ".").replace("v", "."))
    sights = judge.reference.sights
    assert sights.broken(view, sights.every()).sum() == MOST + 2 and sights.faults(view, sights.every()) == MOST


def test_two_levels_have_no_sights_and_few_things_none(judge: LevelJudge) -> None:
    views = [judge.view(level) for level in judge.levels]
    for few in (views[:2], []):
        sights = Sights(few)
        assert not sights.broken(views[2], range(len(few))).any() and sights.worst(views[2], range(len(few))) is None
    some = Sights(views[:3])  # five bays do not make a habit
    bay, arrow = some.kinds.names.index("bay"), some.kinds.names.index("arrow")
    assert not some.known(some.every())[bay, arrow]


def test_things_may_stand_where_they_have_in_line_what_those_of_their_kind_have() -> None:
    context = LevelContext.of(RELAY)
    habits = ThingHabits(context)
    tiles = {tile.char: k for k, tile in enumerate(context.palette.tiles)}
    grid = context.palette.parse(moved(RELAY.levels[0], "b", (4, 9)))
    view = LevelView(context.text.level(grid))
    arrows = np.isin(grid, [tiles[char] for char in ">v^"])
    inside = view.tile_kinds[grid] != view.tile_kinds[tiles["w"]]
    stands = habits.may_stand(grid, tiles["b"]) & inside
    assert stands.any() and not (stands & ~seen_by_walking(arrows, grid == tiles["w"])).any()
    assert habits.strays(grid)[4, 9] and not habits.strays(context.examples[0]).any()
