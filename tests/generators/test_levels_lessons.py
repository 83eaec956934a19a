"""Lessons: the curriculum of a game, and levels with only some of its kinds of objects."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from pcg.engine.game import load
from pcg.evaluators.level_grid import Grid
from pcg.generators.levels import LevelContext
from pcg.generators.levels.curriculum import Curriculum
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.portfolio.lessons import Lessons


def contexts(name: str) -> LevelContext:
    return LevelContext.of(load(name))


def steps(name: str) -> list[set[str]]:
    context = contexts(name)
    return [set(context.analysis.names(step)) for step in Curriculum(context).steps]


def drawn(lessons: Lessons, count: int, seed: int = 0) -> Iterator[tuple[Grid, Grid, set[str]]]:
    """Own levels, lessons drawn from them, and the kinds in these."""
    context = lessons.context
    for k in range(count):
        own = context.examples[k % len(context.examples)]
        grid = lessons.draw(own, np.random.default_rng([seed, k]))
        yield own, grid, set(context.analysis.names(lessons.curriculum.kinds_in(grid)))


# -- the curriculum ----------------------------------------------------------------------------------------------------


def test_what_the_rules_need_together_is_one_step() -> None:
    assert {"door", "key"} in steps("dungeon")
    assert {"blueGate", "blueArrival"} in steps("portals")
    assert {"silkCustomer", "silkStall"} in steps("bazaar")
    # one launcher serves bricks of both kinds, which are two things to learn
    assert {"clayBrick"} in steps("rebound") and {"hardBrick"} in steps("rebound")


def test_states_of_a_thing_are_one_step() -> None:
    found = steps("alchemy")
    assert {"lead", "copper", "silver", "ruby"} in found and {"candle", "litCandle"} in found
    assert {"chest"} in found and {"altar"} in found  # a chest turns into an altar, which turns into no chest


def test_what_harms_comes_last() -> None:
    found = steps("dungeon")
    assert [kinds for kinds in found if kinds <= {"bat", "slime", "skeleton"}] == found[2:]


def test_what_means_nothing_alone_comes_after_its_company() -> None:
    found = steps("snakes")
    assert found.index({"mouse"}) < found.index({"cheese"})
    context = contexts("snakes")
    curriculum, index = Curriculum(context), context.definition.type_index
    assert curriculum.company == {index["cheese"]: frozenset({index["mouse"]})}
    # fire stops ghosts; that it stops the hero, too, is not what it is for
    found = steps("survival")
    assert found.index({"ghost"}) < found.index({"fire"})


def test_what_brings_forth_harm_comes_after_it() -> None:
    found = steps("survival")
    assert found.index({"ghost"}) < found.index({"grave"})  # a ghost can be met without the grave it climbs from


def test_masonry_frames_and_ground_are_no_kinds() -> None:
    assert {kind for step in steps("lode_runner") for kind in step} == {"gold", "ladder", "rope", "guard"}
    assert not {"wall", "meadow"} & {kind for step in steps("snakes") for kind in step}


# -- lessons -----------------------------------------------------------------------------------------------------------


def test_lessons_lack_kinds_that_the_rules_can_do_without_and_no_others() -> None:
    lessons = Lessons(contexts("dungeon"))
    context = lessons.context
    found = []
    for _, grid, kinds in drawn(lessons, 30):
        assert not context.requirements.shortfalls(context.palette.count_types(grid))
        found.append(kinds)
    assert all({"door", "key"} <= kinds for kinds in found)
    assert len(set(map(frozenset, found))) >= 5


@pytest.mark.parametrize("game", ["dungeon", "portals"])
def test_each_step_is_alone_in_some_lesson_and_after_all_before_it_in_others(game: str) -> None:
    lessons = Lessons(contexts(game))
    found = [lessons.curriculum.kinds_in(grid) for _, grid, _ in drawn(lessons, 250)]
    taken = [[step for step in lessons.curriculum.steps if not step.isdisjoint(kinds)] for kinds in found]
    needed = [step for step in lessons.curriculum.steps if all(step in one for one in taken)]
    beside = [[step for step in one if step not in needed] for one in taken]
    for k, step in enumerate(step for step in lessons.curriculum.steps if step not in needed):
        assert [step] in beside
        assert k == 0 or any(one[-1] == step for one in beside if len(one) > 1)


def test_lessons_keep_together_what_belongs_together() -> None:
    for _, _, kinds in drawn(Lessons(contexts("portals")), 60):
        for colour in ("blue", "orange", "green"):
            assert (f"{colour}Gate" in kinds) == (f"{colour}Arrival" in kinds)
    for _, _, kinds in drawn(Lessons(contexts("snakes")), 60):
        assert "cheese" not in kinds or "mouse" in kinds


def test_what_one_stands_on_is_whole_or_gone() -> None:
    lessons = Lessons(contexts("lode_runner"))
    ladders = lessons.context.palette.by_type[lessons.context.definition.type_index["ladder"]]
    numbers = [
        (int(np.isin(own, ladders).sum()), int(np.isin(grid, ladders).sum())) for own, grid, _ in drawn(lessons, 40)
    ]
    assert all(left in (0, whole) for whole, left in numbers)
    assert any(left for _, left in numbers)


def test_things_that_each_own_level_has_as_many_of_are_not_thinned_out() -> None:
    lessons = Lessons(contexts("alchemy"))
    index, palette = lessons.context.definition.type_index, lessons.context.palette
    metals = [tile for kind in ("lead", "copper", "silver", "ruby") for tile in palette.by_type[index[kind]]]
    numbers = [int(np.isin(grid, metals).sum()) for _, grid, _ in drawn(lessons, 40)]
    assert set(numbers) == {0, 4}  # with three nobody can win, and with none neither, but that is to be learnt


def test_lessons_go_for_what_is_not_introduced_yet_beside_what_is() -> None:
    lessons = Lessons(contexts("snakes"))
    names, own = lessons.context.analysis.names, lessons.context.examples[-1]

    def only(*kinds: str) -> str:
        gone = frozenset(t for t in lessons.curriculum.kinds_in(own) if names([t])[0] not in kinds)
        grid = own.copy()
        for tile in np.unique(own).tolist():
            if lessons.curriculum.of_tile(tile) & gone:
                left = lessons.curriculum.without(tile, gone)
                grid[own == tile] = lessons.context.background if left is None else left
        return lessons.context.palette.text(grid)

    def take(*kinds: str) -> None:
        for _ in range(8):
            lessons.take(only(*kinds), True)

    def with_rivals() -> int:
        """Count lessons in which ice is new beside rivals, with or without frogs."""
        found = [set(kinds) for _, _, kinds in drawn(lessons, 200, 3)]
        return sum({"ice", "rival"} <= kinds <= {"ice", "rival", "frog"} for kinds in found)

    # the curriculum has rivals last; where levels that somebody wins have them early, what is new comes beside them
    assert with_rivals() <= 1
    take("frog")
    take("frog", "rival")
    before = with_rivals()
    assert before >= 5
    take("frog", "ice")
    assert with_rivals() < before / 2


def test_rivers_keep_their_water_and_logs_of_some_kind() -> None:
    lessons = Lessons(contexts("ferry"))
    index, palette = lessons.context.definition.type_index, lessons.context.palette
    water = list(palette.by_type[index["water"]])
    logs = [tile for kind in ("logLeft", "logRight", "fastLog") for tile in palette.by_type[index[kind]]]
    found = set()
    for own, grid, kinds in drawn(lessons, 40):
        assert (np.isin(own, water) == np.isin(grid, water)).all()
        assert (np.isin(own, logs) == np.isin(grid, logs)).all()
        found.add(frozenset(kinds & {"logLeft", "logRight", "fastLog"}))
    assert {frozenset({"logLeft"}), frozenset({"logRight"}), frozenset({"fastLog"})} <= found


def test_a_hound_leaves_the_sand_that_it_stands_on() -> None:
    lessons = Lessons(contexts("watchtower"))
    sand = list(lessons.context.palette.by_type[lessons.context.definition.type_index["sand"]])
    gone = [(own, grid) for own, grid, kinds in drawn(lessons, 60) if "sand" in kinds and "hound" not in kinds]
    assert any((own != grid)[np.isin(own, sand)].any() for own, grid in gone)
    assert all((np.isin(own, sand) == np.isin(grid, sand)).all() for own, grid in gone)


def test_traffic_is_left_out_as_other_things_are() -> None:
    found = {
        frozenset(kinds & {"carLeft", "carRight", "truckLeft"})
        for _, _, kinds in drawn(Lessons(contexts("crossing")), 60)
    }
    assert {frozenset(), frozenset({"carLeft"}), frozenset({"carLeft", "carRight"})} <= found


def test_what_levels_are_lost_without_stays_more_and_more() -> None:
    lessons = Lessons(contexts("lode_runner"))
    index = lessons.context.definition.type_index

    def without(kind: str) -> int:
        return sum(kind not in kinds for _, _, kinds in drawn(lessons, 60, 7))

    before = without("ladder"), without("guard")
    for _, grid, kinds in drawn(lessons, 60):
        lessons.take(lessons.context.palette.text(grid), "ladder" in kinds)
    assert lessons.dispensable(frozenset({index["ladder"]})) < 0.2 < lessons.dispensable(frozenset({index["guard"]}))
    assert without("ladder") < before[0] / 2 and without("guard") > before[1] / 2
    again = Lessons(lessons.context)
    again.load_state(lessons.state())
    for (_, one, _), (_, other, _) in zip(drawn(lessons, 5), drawn(again, 5), strict=True):
        assert (one == other).all()


def test_steps_with_which_no_lesson_ended_come_sooner() -> None:
    lessons = Lessons(contexts("dungeon"))
    context = lessons.context

    def ending_with_bats() -> int:
        found = [kinds & {"coin", "bat", "slime", "skeleton"} for _, _, kinds in drawn(lessons, 80, 3)]
        return sum("bat" in kinds and not kinds & {"slime", "skeleton"} for kinds in found)

    before = ending_with_bats()
    lesson_with_bat = next(grid for _, grid, kinds in drawn(lessons, 80) if kinds == {"door", "key", "bat"})
    bare = next(grid for _, grid, kinds in drawn(lessons, 80) if kinds == {"door", "key"})
    lessons.take(context.palette.text(bare), True)
    for _ in range(20):
        lessons.take(context.palette.text(lesson_with_bat), True)
    assert ending_with_bats() < before / 2


def test_what_stands_at_an_edge_without_a_frame_leaves_no_wall() -> None:
    context = contexts("snakes")  # two of its levels have walls all around, one at some edges, two none
    framed, open_ = context.examples[0].copy(), context.examples[1].copy()
    bush, wall = context.palette.by_type[context.definition.type_index["bush"]][0], context.frame[0]
    for grid, left in ((framed, wall), (open_, context.background)):
        grid[0, 3] = bush
        builder = LevelBuilder(context, grid)
        builder.remove((0, 3))
        assert grid[0, 3] == left
