"""Baselines that keep to the minimum, and terrains: automata, noise, displacement, growth, diggers, partitions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import ndimage

from pcg.engine.game import builtin_games, load
from pcg.engine.vgdl import check_level
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.level_grid import BLOCKED, avatar_cells, distances, steps_over
from pcg.evaluators.requirements import Need
from pcg.generators.levels import LevelContext, automata, make_generator
from pcg.generators.levels.automata import (
    RULES,
    caves,
    fashion_automaton,
    neighbours,
    parse_rule,
    parse_table,
)
from pcg.generators.levels.ca import rule_search
from pcg.generators.levels.ca.areas import area_tiles
from pcg.generators.levels.ca.generator import FAMILIES
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.noise.aggregation import grow
from pcg.generators.levels.noise.diggers import DIGGERS, DiggerParameters, look_ahead
from pcg.generators.levels.noise.displacement import diamond_square, skyline
from pcg.generators.levels.noise.gradient import BASES, FRACTALS, Lattice, fractal, perlin
from pcg.generators.levels.noise.partition import partition
from pcg.generators.levels.object_placement import place_many_objects
from pcg.generators.levels.repair.required_sprites import add_required_sprites
from pcg.generators.levels.terrain import TerrainGenerator, highest, rock_share, wear

TERRAINS = ["ca", "noise", "midpoint", "growth", "diggers", "bsp"]


class Bare:
    """A game without levels of its own."""

    def __init__(self, name: str) -> None:
        self.definition = load(name).definition
        self.levels: tuple[str, ...] = ()


@pytest.fixture(scope="module")
def dungeon() -> LevelContext:
    return LevelContext.of(load("dungeon"))


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def regions(space: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> int:
    return int(ndimage.label(space)[1])


def shortfalls(context: LevelContext, level: str) -> list[str]:
    return context.requirements.shortfalls(context.palette.count_types(context.palette.parse(level)))


# -- the minimum of what is needed -------------------------------------------------------------------------------------


def single_player() -> Iterator[str]:
    return (name for name in builtin_games() if load(name).players == 1)


@pytest.mark.parametrize("name", list(single_player()))
def test_baselines_always_give_what_the_rules_call_for(name: str) -> None:
    for game in (load(name), Bare(name)):
        context = LevelContext.of(game)
        least = context.smallest
        for kind in ("random", "constructive"):
            sizes = {} if kind == "constructive" else {"min_width": least + 2, "max_width": least + 2}
            for candidate in make_generator(kind, context, seed=11, **sizes).ask(5):
                assert shortfalls(context, candidate.level) == []
                assert len(avatar_cells(context.palette, context.palette.parse(candidate.level))) == 1
                assert check_level(candidate.level, context.definition, reading="strict") == []


def test_baselines_and_terrains_give_what_reference_games_call_for(shared: Path) -> None:
    folder = shared / "gvgai" / "games" / "gridphysics"
    paths = sorted(p for p in folder.glob("*.txt") if "_" not in p.stem)
    for number, path in enumerate(paths):
        context = LevelContext.of(load(path, reading="gvgai"))
        for kind in ("random", "constructive", TERRAINS[number % len(TERRAINS)]):
            for candidate in make_generator(kind, context, seed=7).ask(1):
                assert shortfalls(context, candidate.level) == [], path.stem
                assert len(avatar_cells(context.palette, context.palette.parse(candidate.level))) == 1, path.stem


def test_needs_are_met_where_there_is_no_room_left(dungeon: LevelContext) -> None:
    level = LevelBuilder(dungeon, dungeon.palette.parse("wwwww\nwAwww\nwwwww\nwwwww\nwwwww"))
    assert shortfalls(dungeon, level.text())
    assert add_required_sprites(level, rng())
    assert shortfalls(dungeon, level.text()) == []
    assert level.text().count("A") == 1
    assert all(level.text().split("\n")[y][0] == "w" for y in range(5))


def test_needs_leave_locked_cells_alone(dungeon: LevelContext) -> None:
    level = LevelBuilder(dungeon, dungeon.palette.parse("wwwwww\nwA...w\nw....w\nwwwwww"))
    locked = np.zeros(level.grid.shape, bool)
    locked[1] = True
    before = level.grid[1].copy()
    assert add_required_sprites(level, rng(), locked)
    assert (level.grid[1] == before).all()


def test_a_need_that_grows_with_what_is_put_in_is_given_up(dungeon: LevelContext) -> None:
    """Without that, one more was put in and taken out for ever."""
    key = dungeon.definition.type_index["key"]
    need = Need(base=key, other=key, first=2, each=1, reason="one key more than there are")
    required = replace(dungeon.requirements, counts=dungeon.requirements.counts[:1], needs=(need,))
    context = replace(dungeon, requirements=required)
    level = LevelBuilder(context, context.palette.parse("wwwwww\nwA.k.w\nw....w\nwwwwww"))
    assert not add_required_sprites(level, rng())
    assert level.text().count("A") == 1 and level.text().count("k") > 1


def test_many_objects_placed_together_are_as_many_and_apart(dungeon: LevelContext) -> None:
    level = LevelBuilder.blank(dungeon, 20, 20)
    level.put((10, 10), dungeon.palette.avatars[0])
    coin = dungeon.palette.parse("c")[0, 0]
    assert place_many_objects(level, rng(), int(coin), 40) == 40
    assert level.text().count("c") == 40
    assert place_many_objects(level, rng(), int(coin), 1000) == 18 * 18 - 41


@pytest.mark.parametrize("seed", range(5))
def test_walks_in_compiled_code_reach_what_a_flood_reaches(dungeon: LevelContext, seed: int) -> None:
    grid = rng(seed).integers(0, len(dungeon.palette.tiles), (12, 17)).astype(np.int16)
    steps = distances(dungeon.palette, grid, (5, 5))
    space = dungeon.palette.access[grid] <= 1
    space[5, 5] = True
    labels, _ = ndimage.label(space)
    assert ((steps >= 0) & space == (labels == labels[5, 5])).all()
    near = (np.abs(np.diff(steps, axis=0)) > 1) & (steps[:-1] >= 0) & (steps[1:] >= 0) & space[:-1] & space[1:]
    assert not near.any()


def test_a_walk_counts_steps_along_the_way() -> None:
    space = np.array([[1, 0, 1], [1, 0, 1], [1, 1, 1]], bool)
    assert steps_over(space, space, (0, 0)).tolist() == [[0, -1, 6], [1, -1, 5], [2, 3, 4]]


# -- automata ----------------------------------------------------------------------------------------------------------


def test_a_blinker_blinks() -> None:
    upright = np.zeros((5, 5), bool)
    upright[1:4, 2] = True
    life = parse_rule("B3/S23")
    assert (automata.run(upright, life, 1) == upright.T).all()
    assert (automata.run(upright, life, 2) == upright).all()


def test_neighbours_go_on_beyond_the_edge_as_at_the_edge() -> None:
    rock = np.array([[True, False], [False, False]])
    assert neighbours(rock).tolist() == [[3, 2], [2, 1]]
    both = np.stack([rock, ~rock])
    assert neighbours(both)[0].tolist() == neighbours(rock).tolist()
    assert (neighbours(both)[1] == 8 - neighbours(rock)).all()


def test_rules_and_tables_are_read() -> None:
    table = parse_rule("b3/S12345")
    assert np.flatnonzero(table[0]).tolist() == [3]
    assert np.flatnonzero(table[1]).tolist() == [1, 2, 3, 4, 5]
    assert (parse_table("000100000 011111000") == table).all()
    assert (automata.threshold_rule(5, 4) == parse_rule("B5678/S45678")).all()


@pytest.mark.parametrize("seed", range(4))
def test_caves_come_near_the_density_and_are_smooth(seed: int) -> None:
    rock = caves(rng(seed), (40, 40), 0.35, 3, 5, 4)
    assert abs(float(rock.mean()) - 0.35) < 0.15
    lonely = rock & (neighbours(rock) == 0)
    assert lonely.sum() <= 2


def test_fashions_spread_from_the_most_successful_cell() -> None:
    # State 1 gains from every neighbour in state 0, state 0 from nothing: a lone 1 takes over all cells around it.
    states = np.zeros((5, 5), np.int64)
    states[2, 2] = 1
    after = fashion_automaton(states, np.array([[0.0, 0.0], [1.0, 0.0]]), 1)
    assert after.sum() == 9 and after[1:4, 1:4].all()


def test_evolution_finds_a_better_rule_than_the_average_one() -> None:
    starts = rng().random((2, 18, 24)) < 0.45

    def terrain_quality(table: automata.Table) -> float:
        return float(
            np.mean([rule_search.terrain_quality(rock, 0.3) for rock in automata.run(starts, table, rule_search.STEPS)])
        )

    drawn = [terrain_quality(rng(k).random((2, 9)) < (np.arange(9) / 9.0)) for k in range(20)]
    assert terrain_quality(rule_search.evolve_table(rng(), 0.3)) > np.mean(drawn) + 0.2


def test_an_area_is_worth_more_when_it_is_connected() -> None:
    rock = np.zeros((9, 9), bool)
    rock[4, 1:] = True
    parted = rock.copy()
    parted[4, 0] = True
    assert rule_search.terrain_quality(rock, 8 / 81) > rule_search.terrain_quality(parted, 9 / 81) + 0.4


@pytest.mark.parametrize("rule", ["mixed", *FAMILIES])
def test_every_family_of_automata_makes_levels(dungeon: LevelContext, rule: str) -> None:
    levels = [c.level for c in make_generator("ca", dungeon, seed=3, rule=rule, max_width=20).ask(4)]
    assert len(set(levels)) == 4
    again = make_generator("ca", dungeon, seed=3, rule=rule, max_width=20)
    again.load_state_dict({"next": 2})
    assert [c.level for c in again.ask(2)] == levels[2:]
    for level in levels:
        assert check_level(level, dungeon.definition, reading="strict") == []
        assert shortfalls(dungeon, level) == []


def test_mazes_have_more_passages_than_caves(dungeon: LevelContext) -> None:
    def narrow(rule: str) -> float:
        found = []
        for candidate in make_generator("ca", dungeon, seed=1, rule=rule, min_width=30, min_height=20).ask(4):
            rock = dungeon.palette.access[dungeon.palette.parse(candidate.level)] == BLOCKED
            space = ~rock[1:-1, 1:-1]
            between = (rock[1:-1, :-2] & rock[1:-1, 2:]) | (rock[:-2, 1:-1] & rock[2:, 1:-1])
            found.append(float((between & space).sum() / space.sum()))
        return float(np.mean(found))

    assert narrow("mazes") > 2 * narrow("caves")


def test_known_rules_have_a_name_of_their_own() -> None:
    assert set(RULES) < set(FAMILIES)
    assert all(parse_rule(text).shape == (2, 9) for text, _, _ in RULES.values())


def test_tiles_that_lie_in_areas_take_part() -> None:
    context = LevelContext.of(load("spire"))
    (lava,) = area_tiles(context)
    rows = dict.fromkeys((True, False), 0)
    for switch in rows:
        for candidate in make_generator("ca", context, seed=2, areas=switch).ask(6):
            lying = context.palette.parse(candidate.level) == lava
            rows[switch] += int((lying[:, 1:] & lying[:, :-1]).sum())
    assert rows[True] > 0 and rows[True] != rows[False]


# -- noise -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("basis", list(BASES))
def test_noise_is_smooth_bounded_and_uses_its_range(basis: str) -> None:
    noise = BASES[basis]
    lattice = Lattice(rng())
    x, y = np.meshgrid(np.linspace(0, 30, 601), np.linspace(0, 30, 601))
    field = noise(lattice, x, y)
    assert np.abs(field).max() <= 1
    assert np.abs(field).max() > 0.75
    assert abs(float(field.mean())) < 0.06
    assert np.abs(np.diff(field, axis=0)).max() < 0.4  # a step is a twentieth of a lattice cell


def test_perlin_noise_is_zero_at_lattice_points_and_repeats_after_its_period() -> None:
    lattice = Lattice(rng())
    x, y = np.meshgrid(np.arange(8.0), np.arange(8.0))
    assert np.allclose(perlin(lattice, x, y), 0)
    assert np.allclose(perlin(lattice, x + 0.3, y + 0.6), perlin(lattice, x + 256.3, y - 255.4))


def test_perlin_noise_follows_the_gradients() -> None:
    lattice = Lattice(rng())
    one = np.ones((1, 1))
    # Close to a lattice point, noise is the plane through it.
    slope = lattice.slope(np.zeros((1, 1), int), np.zeros((1, 1), int), 1e-4 * one, 2e-4 * one)
    assert np.allclose(perlin(lattice, 1e-4 * one, 2e-4 * one), np.sqrt(2) * slope, atol=1e-9)


@pytest.mark.parametrize("kind", FRACTALS)
@pytest.mark.parametrize("basis", list(BASES))
def test_fractal_sums_stay_in_range_and_depend_on_the_seed_alone(basis: str, kind: str) -> None:
    fields = [fractal(rng(seed), (20, 30), basis=basis, kind=kind, octaves=4) for seed in (1, 1, 2)]
    assert (fields[0] == fields[1]).all() and not (fields[0] == fields[2]).all()
    assert all(np.abs(f).max() <= 1 and f.shape == (20, 30) for f in fields)


def test_finer_octaves_add_detail() -> None:
    def detail(octaves: int) -> float:
        field = fractal(rng(), (60, 60), octaves=octaves, scale=12)
        return float(np.abs(np.diff(field, axis=1)).mean() / field.std())

    assert detail(4) > 1.3 * detail(1)
    assert (fractal(rng(), (9, 9), octaves=1) == fractal(rng(), (9, 9), octaves=1, persistence=0.9)).all()


def test_the_highest_cells_are_as_many_as_asked_for() -> None:
    field = rng().random((7, 9))
    mask = highest(field, 0.3)
    assert mask.sum() == round(0.3 * 63)
    assert field[mask].min() > field[~mask].max()
    assert not highest(field, 0.0).any() and highest(field, 1.0).all()


def test_a_skyline_without_roughness_is_a_slope() -> None:
    line = skyline(rng(), 17, 0.0)
    assert np.allclose(np.diff(line, 2), 0)
    rough = skyline(rng(), 17, 0.9)
    assert np.abs(np.diff(rough, 2)).max() > 0.1
    assert skyline(rng(), 1, 0.5).shape == (1,)


def test_diamonds_and_squares_take_means_of_what_is_around() -> None:
    field = diamond_square(rng(), (3, 3), 0.0)
    middle = field[::2, ::2].mean()
    assert field[1, 1] == pytest.approx(middle)
    assert field[0, 1] == pytest.approx((field[0, 0] + field[0, 2] + middle) / 3)
    assert field[1, 2] == pytest.approx((field[0, 2] + field[2, 2] + middle) / 3)
    assert diamond_square(rng(), (5, 23), 0.5).shape == (5, 23)


@pytest.mark.parametrize("stickiness", [0.1, 1.0])
def test_growth_is_one_cluster_of_the_size_asked_for(stickiness: float) -> None:
    for count in (1, 40, 150):
        cluster = grow(rng(count), (12, 15), count, seeds=1, stickiness=stickiness, from_edge=False)
        assert cluster.sum() == count and regions(cluster) == 1
    edge = grow(rng(), (12, 15), 30, seeds=3, stickiness=1.0, from_edge=True)
    outer = np.pad(edge, 1, constant_values=True)
    assert edge.sum() == 30 and regions(outer) == 1
    assert not grow(rng(), (4, 4), 0, seeds=1, stickiness=1.0, from_edge=False).any()


@pytest.mark.parametrize("name", list(DIGGERS))
@pytest.mark.parametrize("seed", range(5))
def test_what_is_dug_hangs_together(name: str, seed: int) -> None:
    rock = DIGGERS[name](rng(seed), (20, 26), 0.5, DiggerParameters())
    assert regions(~rock) == 1
    if name != "lookahead":
        assert abs(float(rock.mean()) - 0.5) < 0.02


def test_a_digger_that_looks_ahead_keeps_its_rooms_apart() -> None:
    # With corridors of at least one cell between rooms of 3 x 3 nothing is wider than 3 cells.
    rock = look_ahead(rng(3), (30, 30), 0.0, DiggerParameters(room=(3, 3), sight=4))
    assert (~rock).sum() >= 9 * 8
    wide = np.lib.stride_tricks.sliding_window_view(~rock, (4, 4)).all(axis=(2, 3))
    assert not wide.any()


@pytest.mark.parametrize("seed", range(6))
def test_rooms_of_a_partition_are_joined(seed: int) -> None:
    rock = partition(rng(seed), (24, 32), 0.1, least=4, depth=4, loops=0.3)
    assert regions(~rock) == 1
    assert rock.any()


def test_wear_takes_thick_rock_before_thin_walls() -> None:
    rock = np.zeros((9, 12), bool)
    rock[:, 2] = True  # a wall between two rooms
    rock[:, 6:] = True
    wear(rng(), rock, 0.4)
    assert rock[:, 2].all()
    assert rock.sum() == round(0.4 * rock.size)


@pytest.mark.parametrize("name", TERRAINS)
@pytest.mark.parametrize("game", ["dungeon", "boxes", "crossing", "digger", "invaders", "siege", "spire", "ridge"])
def test_terrains_suit_every_kind_of_game(name: str, game: str) -> None:
    context = LevelContext.of(load(game))
    levels = []
    for candidate in make_generator(name, context, seed=5).ask(3):
        levels.append(candidate.level)
        assert check_level(candidate.level, context.definition, reading="strict") == []
        assert shortfalls(context, candidate.level) == []
        assert len(avatar_cells(context.palette, context.palette.parse(candidate.level))) == 1
    assert len(set(levels)) == 3


@pytest.mark.parametrize("name", TERRAINS)
def test_more_walls_give_more_rock_and_none_none(dungeon: LevelContext, name: str) -> None:
    def rock(walls: float) -> float:
        params = {"min_width": 20, "max_width": 20, "min_height": 16, "max_height": 16}
        made = [c.level for c in make_generator(name, dungeon, seed=1, walls=walls, **params).ask(5)]
        return float(np.mean([level.count("w") for level in made])) / (20 * 16)

    assert rock(0.0) < rock(0.6) < rock(1.8)
    assert rock(0.0) < 0.24  # the frame, and doors in it


def test_things_that_fall_get_a_skyline(dungeon: LevelContext) -> None:
    generator = make_generator("midpoint", LevelContext.of(load("spire")), seed=1)
    assert isinstance(generator, TerrainGenerator)
    rock = generator.rock(rng(), (12, 24), 0.3)
    assert (np.diff(rock.astype(int), axis=0) >= 0).all()
    assert abs(float(rock.mean()) - 0.3) < 0.01
    above = make_generator("midpoint", dungeon, seed=1)
    assert isinstance(above, TerrainGenerator)
    assert (np.diff(above.rock(rng(), (12, 24), 0.3).astype(int), axis=0) < 0).any()


def test_the_share_of_rock_follows_the_games_levels(dungeon: LevelContext) -> None:
    shares = [rock_share(dungeon, rng(k), 1.0) for k in range(50)]
    assert 0.7 * dungeon.wall_share < np.mean(shares) < 1.6 * dungeon.wall_share
    assert rock_share(dungeon, rng(), 0.0) == 0


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("ca", {"rule": "maze"}, "did you mean `mazes`"),
        ("ca", {"rule": "custom", "custom": "3/23"}, "B3/S23"),
        ("ca", {"rule": "table", "table": "0101"}, "18 digits"),
        ("noise", {"basis": "simplx"}, "did you mean `simplex`"),
        ("noise", {"scale": 0.5}, "from 1 to 64"),
        ("midpoint", {"roughnes": 1}, "did you mean `roughness`"),
        ("growth", {"stickiness": 0}, "from 0.05 to 1"),
        ("diggers", {"digger": "blnd"}, "did you mean `blind`"),
        ("bsp", {"depth": 1.5}, "whole number"),
    ],
)
def test_mistakes_in_parameters_are_refused(
    dungeon: LevelContext, name: str, params: dict[str, object], message: str
) -> None:
    with pytest.raises(PcgError, match=message):
        make_generator(name, dungeon, seed=1, **params)
