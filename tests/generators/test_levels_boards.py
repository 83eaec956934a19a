"""Levels on the boards of a game's own levels: what stays together, what is moved, and when boards are chosen."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

import pcg
from pcg.engine.game import Game
from pcg.evaluators.level_grid import Grid
from pcg.evaluators.metrics.patterns import originality
from pcg.generators.levels import make_generator
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.portfolio.boards import Boards
from pcg.generators.levels.portfolio.families import Workshop

HALLS = """
BasicGame
    SpriteSet
        floor > Immovable
        water > Immovable
        gem > Resource
        ghost > RandomNPC cooldown=4
        door > Door
        hero > MovingAvatar
        wall > Immovable
    InteractionSet
        hero wall water > stepBack
        ghost wall water door > stepBack
        gem hero > collectResource scoreChange=1
        hero door > killIfOtherHasMore resource=gem limit=9
        hero ghost > killSprite
    LevelMapping
        . > floor
        w > wall
        A > floor hero
        g > floor gem
        m > floor ghost
        , > water
        + > floor door
    TerminationSet
        SpriteCounter stype=gem win=True
        SpriteCounter stype=hero win=False
"""
TOP = "wwwwwwwwwwwwwwwwwwwww"
LEVELS = [
    f"{TOP}\nw....,,,.....,,,....w\nw.g..,,,.....,,,..m.w\nw..g.,,,.ww..,,,....w\nw...g,,,.ww..,,,....w\nw....,,,.....,,,....w\n"
    f"w..A.........,,,....w\nw....,,,.....,,,....w\nwwwwwwwwww+wwwwwwwwww\nw...................w\nw...m...........g...w\n"
    f"w...................w\n{TOP}",
    f"{TOP}\nw....,,,.....,,,....w\nw....,,,.....,,,.g..w\nw.g..,,,.ww..,,,....w\nw..g.,,,.ww..,,,.m..w\nw...g,,,.....,,,....w\n"
    f"w............,,,....w\nw..A.,,,.....,,,....w\nwwwwwwwwww+wwwwwwwwww\nw...................w\nw............m......w\n"
    f"w...................w\n{TOP}",
    f"{TOP}\nw....,,,.....,,,....w\nw....,,,..m..,,,....w\nw....,,,.ww..,,,..g.w\nw.g..,,,.ww..,,,....w\nw..g.,,,.....,,,....w\n"
    f"w...g........,,,....w\nw..A.,,,.....,,,....w\nwwwwwwwwww+wwwwwwwwww\nw...................w\nw...m...............w\n"
    f"w...................w\n{TOP}",
]  # fmt: skip
LONGER = "\n".join(row[:15] + row[14] * 4 + row[15:] for row in LEVELS[0].split("\n"))


@pytest.fixture(scope="module")
def halls() -> Game:
    return pcg.load(HALLS, levels=LEVELS)


def boards_of(game: Game, least: float = 0.0) -> tuple[LevelContext, Boards]:
    context = LevelContext.of(game)
    workshop = Workshop(context, (5, 40), (5, 40), least=least)
    return context, Boards(context, workshop.images, workshop.structure, least, False, workshop.mirrors)


def drawn(boards: Boards, shape: tuple[int, int], number: int = 40) -> list[Grid]:
    return [boards.level(np.random.default_rng(seed), *shape) for seed in range(number)]


def tile(context: LevelContext, char: str) -> int:
    return next(k for k, one in enumerate(context.palette.tiles) if one.char == char)


def test_the_board_stays_and_levels_differ(halls: Game) -> None:
    context, boards = boards_of(halls)
    own = context.examples
    walls, water = (tile(context, char) for char in "w,")
    levels = drawn(boards, own[0].shape)
    for grid in levels:
        assert grid.shape == own[0].shape
        assert (grid[[0, -1]] == walls).all() and (grid[:, [0, -1]] == walls).all()
        # Two streams, straight ones, that a ford may cut.
        streams, number = ndimage.label(grid == water)
        assert 2 <= number <= 4
        for cells in (np.argwhere(streams == k) for k in range(1, number + 1)):
            assert len(cells) == np.prod(np.ptp(cells, axis=0) + 1)
        assert (grid == tile(context, "A")).sum() == 1 and (grid == tile(context, "+")).sum() == 1
        assert (grid == walls).sum(axis=1).max() == grid.shape[1]
    assert len({grid.tobytes() for grid in levels}) > 30


def test_a_group_is_moved_as_a_whole(halls: Game) -> None:
    """Three gems stand in a diagonal in each own level: they do in nearly all that are made, at other places."""
    context, boards = boards_of(halls)
    gem = tile(context, "g")
    places = set()
    for grid in drawn(boards, context.examples[0].shape, 100):
        joined, _ = ndimage.label(grid == gem, np.ones((3, 3)))
        sizes = np.bincount(joined.ravel())[1:]
        if not len(sizes) or sizes.max() < 3:
            continue
        cells = np.argwhere(joined == 1 + int(sizes.argmax()))
        assert {tuple(np.abs(step)) for step in np.diff(cells, axis=0).tolist()} == {(1, 1)}
        places.add(tuple(cells[0].tolist()))
    own = {tuple(np.argwhere(grid == gem)[0].tolist()) for grid in context.examples}
    assert len(places - own) >= 3


def test_numbers_of_things_stay_between_those_of_the_levels(halls: Game) -> None:
    context, boards = boards_of(halls)
    for grid in drawn(boards, context.examples[0].shape):
        assert boards.objects.excess(grid) == 0.0


def test_a_board_is_brought_to_the_size_of_another_level() -> None:
    context, boards = boards_of(pcg.load(HALLS, levels=[*LEVELS, LONGER]))
    water, walls = tile(context, ","), tile(context, "w")
    wide = context.examples[-1].shape
    assert wide[1] == context.examples[0].shape[1] + 4
    found = drawn(boards, (int(wide[0]), int(wide[1])))
    assert all(grid.shape == wide and (grid[:, -1] == walls).all() for grid in found)
    # Some are stretched from a narrow one: their streams have other widths than that of the long level.
    assert len({int((grid[1] == water).sum()) for grid in found}) > 1


def test_changes_go_on_until_a_level_is_original_enough(halls: Game) -> None:
    context, boards = boards_of(halls, least=0.06)
    own = context.examples
    enough = [originality(grid, own) >= 0.06 for grid in drawn(boards, own[0].shape)]
    once = [originality(grid, own) >= 0.06 for grid in drawn(boards_of(halls)[1], own[0].shape)]
    assert np.mean(enough) > 0.6 and np.mean(once) < 0.3


def test_changes_do_not_lead_back_to_the_levels_of_the_game() -> None:
    """Rounds that make a lawn as wide as it was bring nothing new, though its width alone can change."""
    rows = ["w" * 20, *["w.,,,,,............w"] * 3, "w.,,,,,.....A......w", *["w.,,,,,............w"] * 3, "w" * 20]
    levels = ["\n".join(rows), "\n".join(rows).replace("..A..", ".A...")]
    context, boards = boards_of(pcg.load(HALLS, levels=levels), least=0.2)
    found = [originality(grid, context.examples) for grid in drawn(boards, context.examples[0].shape)]
    assert np.mean([one >= 0.12 for one in found]) > 0.3


def test_halves_that_mirror_each_other_still_do_with_other_proportions() -> None:
    pillars, hall = "w....ww...w...ww....w", "w.........w.........w"
    rows = [
        "w" * 21,
        "w...................w",
        pillars,
        hall,
        "w..g......A......g..w",
        hall,
        pillars,
        "w.....g.............w",
        "w" * 21,
    ]
    level, other = ("\n".join(chosen) for chosen in (rows, [*rows[:7], rows[1], rows[8]]))
    context, boards = boards_of(pcg.load(HALLS, levels=[level, other]))
    walls = tile(context, "w")
    shapes = set()
    for seed in range(30):
        grid = boards._shifted(context.examples[0], np.random.default_rng(seed))
        assert ((grid == walls) == (grid == walls)[:, ::-1]).all()
        shapes.add((grid == walls).tobytes())
    assert len(shapes) > 4


def test_boards_are_not_mirrored_where_all_levels_face_one_way() -> None:
    """A door in the left corner of every level is too little to tell; with the water beside it, it tells."""
    low, wide = ("w" * 14, "w+...........w"), ("w" * 18, "w+...............w")
    plain = "w" + "." * 12 + "w", "w" + "." * 16 + "w"
    thing = ("w...g..A.....w", "w.....g..A.......w"), ("w.....A..gg..w", "w..A....gg.......w")
    levels = [
        "\n".join([top, second, *[row] * 3, objects[k], row, top])
        for k, (top, second), row in ((0, low, plain[0]), (1, wide, plain[1])) for objects in thing
    ]  # fmt: skip
    context, boards = boards_of(pcg.load(HALLS, levels=levels))
    assert boards.mirrors and len(boards._orientations) == 2  # a door alone is less than a fiftieth of the cells
    filled = [level.replace("w+", "w+,,,").replace("....w", "w", 1) for level in levels]
    context, boards = boards_of(pcg.load(HALLS, levels=filled))
    assert boards.mirrors and len(boards._orientations) == 1
    door, doors = tile(context, "+"), []
    for grid in drawn(boards, context.examples[0].shape):
        doors.append(int(np.argwhere(grid == door)[0, 1]))
    assert max(doors) < context.examples[0].shape[1] / 2


def test_boards_are_for_games_whose_levels_share_one(halls: Game) -> None:
    alike = make_generator("portfolio", LevelContext.of(halls), seed=1)
    apart = make_generator("portfolio", LevelContext.of(pcg.load("dungeon")), seed=1)
    assert alike.bandit.mean("boards") == pytest.approx(0.9) and apart.bandit.mean("boards") == pytest.approx(0.35)
    picked = [
        [generator.choose_family(np.random.default_rng(seed)) for seed in range(60)].count("boards")
        for generator in (alike, apart)
    ]
    assert picked[0] > 40 > 10 > picked[1]
    # As soon as levels on the board are of no use any more, other families have their turn again.
    for _ in range(12):
        alike.bandit.reward("boards", 0.0)
    assert [alike.choose_family(np.random.default_rng(seed)) for seed in range(60)].count("boards") < 10


def test_a_family_whose_levels_are_copies_is_asked_less_often() -> None:
    generator = make_generator("portfolio", LevelContext.of(pcg.load("dungeon")), seed=1)
    generator.least = 1.0
    before = generator.bandit.mean("boards")
    generator._drafts(np.random.default_rng(1), "boards", 0.0, True)
    assert generator.bandit.mean("boards") < before


def test_the_default_takes_the_board_where_all_levels_have_it(halls: Game) -> None:
    generator = make_generator("portfolio", LevelContext.of(halls), seed=1)
    made = [generator._best_draft(np.random.default_rng(seed)) for seed in range(8)]
    assert [origin for _, origin in made].count("boards") >= 5
