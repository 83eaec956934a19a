"""The parts levels are made with: sites, layouts, operators, repair, distance, and the two populations."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import pcg.games
from pcg.engine.game import load
from pcg.engine.vgdl import read_game
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.level_grid import avatar_cells, edge_of
from pcg.generators.levels import LevelContext, level_distance, make_generator
from pcg.generators.levels.evolve.generator import FI2PopGenerator
from pcg.generators.levels.level_builder import LevelBuilder, weighted_choice
from pcg.generators.levels.level_conventions import repair_frame
from pcg.generators.levels.object_counts import fit_counts
from pcg.generators.levels.operators import CROSSOVERS, MUTATIONS, crossover, mutate, resize
from pcg.generators.levels.repair.by_rules import repair
from pcg.generators.levels.wall_layout import STYLES
from pcg.generators.population import Individual


@pytest.fixture(scope="module")
def dungeon() -> LevelContext:
    return LevelContext.of(load("dungeon"))


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def builder(context: LevelContext, text: str) -> LevelBuilder:
    return LevelBuilder(context, context.palette.parse(text))


@pytest.mark.parametrize(
    ("cell", "disconnects"),
    [((1, 2), False), ((3, 4), True), ((2, 1), False), ((1, 6), False)],
)
def test_a_cell_cuts_where_filling_it_would_part_the_space(
    dungeon: LevelContext, cell: tuple[int, int], disconnects: bool
) -> None:
    level = builder(dungeon, "wwwwwwww\nwA..w..w\nw...w..w\nw......w\nwwwwwwww")
    assert level.disconnects(cell) is disconnects


def test_a_blank_site_is_a_frame_around_bare_ground(dungeon: LevelContext) -> None:
    assert LevelBuilder.blank(dungeon, 6, 4).text() == "wwwwww\nw....w\nw....w\nwwwwww"


@pytest.mark.parametrize("style", list(STYLES))
@pytest.mark.parametrize("seed", range(10))
def test_every_wall_style_leaves_one_connected_space(dungeon: LevelContext, style: str, seed: int) -> None:
    level = LevelBuilder.blank(dungeon, 15, 11)
    STYLES[style](level, rng(seed), 0.25)
    regions = level.regions()
    assert len(regions) == 1
    assert len(regions[0]) > 30
    assert (level.grid == dungeon.palette.wall).sum() > 48


def test_rooms_of_a_game_with_portals_may_be_closed() -> None:
    context = LevelContext.of(load("portals"))
    closed = 0
    for seed in range(20):
        level = LevelBuilder.blank(context, 15, 11)
        STYLES["rooms"](level, rng(seed), 0.25)
        closed += len(level.regions()) > 1
    assert closed > 0


@pytest.mark.parametrize("name", list(CROSSOVERS))
def test_crossover_exchanges_cells_and_leaves_the_parents_alone(dungeon: LevelContext, name: str) -> None:
    a, b = np.zeros((7, 9), np.int16), np.ones((7, 9), np.int16)
    for seed in range(20):
        first, second = CROSSOVERS[name](dungeon, a, b, rng(seed))
        assert first.shape == second.shape == a.shape
        assert ((first + second) == 1).all()
        assert not a.any() and b.all()


def test_parents_of_different_sizes_have_children_of_their_sizes(dungeon: LevelContext) -> None:
    a, b = np.zeros((7, 9), np.int16), np.ones((10, 6), np.int16)
    for seed in range(20):
        first, second = crossover(dungeon, a, b, rng(seed))
        assert first.shape == a.shape and second.shape == b.shape


@pytest.mark.parametrize("name", ["add", "clear", "move", "swap", "draw", "breach"])
def test_each_mutation_changes_a_level_sooner_or_later(dungeon: LevelContext, name: str) -> None:
    text = make_generator("constructive", dungeon, seed=1, style="rooms").ask(1)[0].level
    changed = 0
    for seed in range(10):
        level = builder(dungeon, text)
        MUTATIONS[name][0](level, rng(seed))
        changed += level.text() != text
    assert changed >= 3


def test_mutating_copies(dungeon: LevelContext) -> None:
    grid = dungeon.palette.parse(make_generator("constructive", dungeon, seed=1).ask(1)[0].level)
    before = grid.copy()
    for seed in range(20):
        mutate(dungeon, grid, rng(seed), edits=5)
    assert (grid == before).all()


def test_resizing_stays_within_the_limits_and_never_doubles_the_avatar(dungeon: LevelContext) -> None:
    grid = dungeon.palette.parse(make_generator("constructive", dungeon, seed=1).ask(1)[0].level)
    draw = rng()
    sizes = set()
    for _ in range(200):
        grid = resize(dungeon, grid, draw, (11, 13), (9, 11))
        sizes.add(grid.shape)
        assert 11 <= grid.shape[1] <= 15 and 9 <= grid.shape[0] <= 11
        assert len(avatar_cells(dungeon.palette, grid)) <= 1
    assert len(sizes) > 3


@pytest.mark.parametrize("game", ["boxes", "crossing", "digger", "dungeon", "hunt", "invaders", "portals", "survival"])
def test_repair_makes_noise_into_a_level_and_leaves_sound_levels_alone(game: str) -> None:
    context = LevelContext.of(load(game))
    kept = 0
    for seed in range(10):
        noise = rng(seed).integers(0, len(context.palette.tiles), size=(9, 12)).astype(np.int16)
        level = LevelBuilder(context, noise)
        repair(level, rng(seed))
        assert len(avatar_cells(context.palette, level.grid)) == 1
        once = level.text()
        kept += not context.requirements.shortfalls(context.palette.count_types(level.grid))
        repair(level, rng(seed + 100))
        assert len(avatar_cells(context.palette, level.grid)) == 1
        if not context.requirements.shortfalls(context.palette.count_types(context.palette.parse(once))):
            assert not context.requirements.shortfalls(context.palette.count_types(level.grid))
    assert kept >= 8


def test_distance_is_zero_for_equal_levels_and_large_for_wholly_different_ones() -> None:
    level = "wwwww\nwA..w\nw..gw\nwwwww"
    assert level_distance(level, level) == 0
    near = level_distance(level, "wwwww\nwA..w\nw.g.w\nwwwww")
    assert 0 < near < level_distance(level, "xxxxx\nxyyzx\nxyzyx\nxxxxx") > 0.5


def test_distance_is_symmetric_and_sizes_count() -> None:
    small, large = "wwww\nwA.w\nwwww", "wwwww\nwA..w\nw...w\nwwwww"
    assert level_distance(small, large) == level_distance(large, small) > 0


def test_choosing_follows_the_weights_and_none_means_no_choice() -> None:
    draw = rng()
    counts = np.bincount([weighted_choice(draw, np.array([0.0, 1.0, 3.0])) or 0 for _ in range(400)], minlength=3)
    assert counts[0] == 0 and counts[2] > 2 * counts[1] > 0
    assert weighted_choice(draw, np.zeros(3)) is None


def verdict(level: str) -> Evaluation:
    """Feasible with at least four coins; the more, the better."""
    coins = level.count("c")
    feasible = coins >= 4
    return Evaluation(feasible, coins / 100 if feasible else 0.0, 1.0 if feasible else coins / 4, {}, {}, "static")


def test_two_populations_climb_towards_what_is_rewarded(dungeon: LevelContext) -> None:
    generator = make_generator("evolve", dungeon, seed=1, population=16, offspring=16)
    assert isinstance(generator, FI2PopGenerator)
    means = []
    for _ in range(24):
        candidates = generator.ask(16)
        evaluations = [verdict(c.level) for c in candidates]
        generator.tell(candidates, evaluations)
        means.append(np.mean([e.fitness for e in evaluations]))
    assert np.mean(means[-3:]) > 1.5 * np.mean(means[:2])
    assert all("\n".join(one).count("c") >= 4 for one in generator.feasible)
    assert all("\n".join(one).count("c") < 4 for one in generator.infeasible)
    assert len(generator.feasible) <= 16


def test_a_generation_must_be_told_before_the_next_begins(dungeon: LevelContext) -> None:
    generator = make_generator("evolve", dungeon, seed=1, population=6, offspring=4)
    first = generator.ask(100)
    assert len(first) == 6
    assert generator.ask(100) == []
    generator.tell(first[:5], [verdict(c.level) for c in first[:5]])
    assert generator.ask(100) == []
    generator.tell(first[5:], [verdict(c.level) for c in first[5:]])
    second = generator.ask(100)
    assert [c.generation for c in second] == [1] * 4


def test_survivors_that_are_too_like_a_better_one_stand_back(dungeon: LevelContext) -> None:
    generator = make_generator("evolve", dungeon, seed=1, population=4, offspring=4)
    generator.tell(generator.ask(4), [verdict("")] * 4)
    levels = [
        "wwwwwww\nwA.cccw\nw.....w\nwwwwwww",
        "wwwwwww\nwA.cc.w\nw.....w\nwwwwwww",
        "wwwwwww\nw.....w\nwAbb.cw\nwwwwwww",
    ]
    members = [Individual(levels[0], (0.9,), 0), Individual(levels[1], (0.8,), 1), Individual(levels[2], (0.1,), 2)]
    assert isinstance(generator, FI2PopGenerator)
    kept = generator._survivors(members, 2)
    assert [one.id for one in kept] == [0, 2]


def with_levels(name: str, *levels: str) -> LevelContext:
    """The context of a game with other levels than its own."""
    return LevelContext.of(SimpleNamespace(definition=load(name).definition, levels=levels))


DUNGEON = (Path(pcg.games.__path__[0]) / "vgdl" / "dungeon" / "game.vgdl").read_text(encoding="utf-8")
INNER_DOOR = "wwwwwwwww\nwA.k.w..w\nw....w..w\nwb...d..w\nw....w..w\nw.c..w.bw\nwwwwwwwww"


def test_doors_stand_in_the_frame_where_they_do_in_the_games_own_levels(dungeon: LevelContext) -> None:
    def in_frame(context: LevelContext) -> int:
        doors = 0
        for candidate in make_generator("constructive", context, seed=3).ask(20):
            rows = candidate.level.split("\n")
            doors += (rows[0] + rows[-1] + "".join(row[0] + row[-1] for row in rows[1:-1])).count("d")
        return doors

    assert in_frame(dungeon) > 0
    assert in_frame(with_levels("dungeon", INNER_DOOR, INNER_DOOR.replace("k.w", ".kw"))) == 0


def test_a_door_in_a_frame_that_never_has_one_becomes_a_wall(dungeon: LevelContext) -> None:
    level = INNER_DOOR.replace("wwwwwwwww\nwA", "wwdwwwwww\nwA")
    closed = with_levels("dungeon", INNER_DOOR)
    for context, expected in ((dungeon, level), (closed, INNER_DOOR)):
        mended = builder(context, level)
        repair_frame(mended)
        assert mended.text() == expected


def test_half_a_frame_becomes_a_whole_one_or_none_where_the_games_own_levels_have_one_or_none() -> None:
    framed = "wwwwww\nwA.k.w\nw.c..w\nwb...w\nwwwwww"
    bare = framed.replace("wwwwww", "......").replace("w", ".")
    half, less = framed.replace("wwwwww\nwA", "wwwwd.\n.A"), bare.replace("......\n.A", "www.w.\n.A")
    context = with_levels("dungeon", framed, bare, bare.replace("A", ".").replace("k", "A"))
    for level, expected in ((half, framed), (less, bare), (framed, framed), (bare, bare)):
        mended = builder(context, level)
        repair_frame(mended)
        assert mended.text() == expected
    ragged = with_levels("dungeon", framed, bare, bare.replace(".b", "wb"))
    mended = builder(ragged, half)
    repair_frame(mended)
    assert mended.text() == half


def test_frames_may_have_the_gaps_that_the_games_own_levels_have() -> None:
    context = LevelContext.of(load("snakes"))  # its walls kill; three levels are framed but for gaps, two have no frame
    wall, least = context.frame_at_will or (0, 0.0)
    assert context.palette.tiles[wall].char == "w" and 0.85 < least < 1.0
    for grid in context.examples:
        mended = LevelBuilder(context, grid.copy())
        repair_frame(mended)
        assert (mended.grid == grid).all()
    for candidate in make_generator("portfolio", context, seed=4, drafts=0.34, polish=10).ask(12):
        grid = context.palette.parse(candidate.level)
        share = (grid[edge_of(grid.shape)] == wall).mean()
        assert share == 0.0 or share >= least


@pytest.mark.parametrize("generator", ["constructive", "random", "evolve"])
def test_there_is_a_key_where_there_is_a_door_that_winning_does_not_ask_for(tmp_path: Path, generator: str) -> None:
    passage = tmp_path / "passage.vgdl"
    passage.write_text(DUNGEON.replace("stype=door limit=0 win=True", "stype=coin limit=0 win=True"), encoding="utf-8")
    context = LevelContext.of(SimpleNamespace(definition=load(passage).definition, levels=()))
    levels = [candidate.level for candidate in make_generator(generator, context, seed=2).ask(60)]
    with_doors = [level for level in levels if "d" in level]
    assert len(with_doors) > 10
    assert all(level.count("k") >= level.count("d") for level in with_doors)


def test_a_key_goes_where_the_games_own_levels_have_none_without_a_door() -> None:
    def fitted(context: LevelContext, *tiles: str) -> set[str]:
        numbers = {tile.char: at for at, tile in enumerate(context.palette.tiles)}
        counts = fit_counts(context, rng(), {numbers[tile]: 1 for tile in tiles})
        return {context.palette.tiles[at].char for at in counts}

    doors = INNER_DOOR, INNER_DOOR.replace("k.w", ".kw")
    passage = "SpriteCounter stype=coin limit=0 win=True"
    definition = read_game(DUNGEON.replace("SpriteCounter stype=door limit=0 win=True", passage), reading="strict")
    paired, single = (
        LevelContext.of(SimpleNamespace(definition=definition, levels=levels))
        for levels in (doors, (*doors, INNER_DOOR.replace("d", ".")))
    )
    assert fitted(paired, "k", "c") == {"c"} and fitted(single, "k", "c") == {"k", "c"}
    assert fitted(paired, "k", "c", "d") == {"k", "c", "d"}


def test_without_levels_only_a_goal_may_be_in_the_frame(tmp_path: Path) -> None:
    passage = tmp_path / "passage.vgdl"  # doors only part rooms here, and would lead nowhere
    passage.write_text(DUNGEON.replace("stype=door limit=0 win=True", "stype=coin limit=0 win=True"), encoding="utf-8")
    goal, other = (SimpleNamespace(definition=load(game).definition, levels=()) for game in ("dungeon", passage))
    assert LevelContext.of(goal).frame_gates and not LevelContext.of(other).frame_gates


PAVED = """BasicGame
    SpriteSet
        hero > MovingAvatar
        wall > Immovable
        paving > Immovable
        box > Passive
        exit > Immovable
    LevelMapping
        A > hero paving
        w > wall paving
        b > box paving
        , > paving
        x > exit
    InteractionSet
        hero wall > stepBack
        box hero > bounceForward
        box paving > cloneSprite
        exit hero > killSprite
    TerminationSet
        SpriteCounter stype=exit limit=0 win=True
        SpriteCounter stype=hero limit=0 win=False
"""


@pytest.mark.parametrize(("hole", "left"), [(",", ","), (" ", " ")])
def test_cells_are_left_as_those_that_the_avatar_comes_to_in_a_games_own_levels(hole: str, left: str) -> None:
    level = f"wwwwwww\nwA,,,,w\nw,,{hole},bw\nw,,,,xw\nwwwwwww\n       "
    context = LevelContext.of(load(PAVED, levels=[level, level.replace("b", ",")]))
    tiles = context.palette.tiles
    assert [tiles[k].char for k in context.walls] == ["w"]
    assert tiles[context.background].char == left
