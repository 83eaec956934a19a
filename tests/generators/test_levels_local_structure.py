"""Local structure of the portfolio: what no level of a game has is found and mended, and things stay what they are."""

from __future__ import annotations

import numpy as np
import pytest

from pcg.engine.game import load
from pcg.evaluators.judging.level_habits import standing, standing_tiles
from pcg.evaluators.judging.level_sights import Sights
from pcg.evaluators.judging.levels import LevelJudge
from pcg.evaluators.level_grid import Grid
from pcg.generators.levels import make_generator
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.portfolio.families import FAMILIES, Workshop
from pcg.generators.levels.portfolio.generator import PortfolioGenerator
from pcg.generators.levels.portfolio.habits import CHANCE
from pcg.generators.levels.portfolio.local_structure import LocalStructure


def portfolio(name: str) -> PortfolioGenerator:
    made = make_generator("portfolio", load(name), seed=1)
    assert isinstance(made, PortfolioGenerator)
    return made


def structure_of(name: str) -> LocalStructure:
    return portfolio(name).structure


def with_broken_river(structure: LocalStructure) -> tuple[Grid, Grid]:
    """The third level of bazaar, which a river divides, and the same with a gap in the river."""
    whole = structure.context.examples[2]
    broken = whole.copy()
    column = int((np.isin(whole, list(structure.example_objects.stretches))).sum(axis=0).argmax())
    broken[4:6, column] = broken[4, column + 1]
    return whole, broken


@pytest.mark.parametrize("game", ["alchemy", "bazaar", "crossing", "snakes"])
def test_the_games_own_levels_need_no_mending(game: str) -> None:
    structure = structure_of(game)
    for grid in structure.context.examples:
        assert not structure.unknown(grid).any() and not structure.strays(grid).any()
        assert (structure.mend(grid, np.random.default_rng(1)) == grid).all()


def test_a_river_with_a_gap_is_closed() -> None:
    structure = structure_of("bazaar")
    whole, broken = with_broken_river(structure)
    assert structure.unknown(broken).any()
    assert (structure.mend(broken, np.random.default_rng(1)) == whole).all()


def test_crumbs_of_a_river_are_cleared() -> None:
    structure = structure_of("bazaar")
    whole = structure.context.examples[0]
    river = max(
        structure.example_objects.stretches, key=lambda tile: int((structure.context.examples[2] == tile).sum())
    )
    crumbs = whole.copy()
    crumbs[5, 2] = river
    assert (structure.mend(crumbs, np.random.default_rng(1)) == whole).all()


def test_mending_moves_no_thing_and_no_avatar_and_cuts_no_level_in_two() -> None:
    structure = structure_of("alchemy")
    for seed in range(6):
        rng = np.random.default_rng(seed)
        draft = Workshop(structure.context, (14, 14), (11, 11)).pieces(rng, [])
        mended = structure.mend(draft, rng)
        tiles = [*structure.example_objects.counted, *structure.context.palette.avatars]
        assert [(mended == t).sum() for t in tiles] == [(draft == t).sum() for t in tiles]
        parts = [len(LevelBuilder(structure.context, grid).regions()) for grid in (draft, mended)]
        assert parts[1] <= parts[0]


def test_locked_cells_are_not_mended() -> None:
    structure = structure_of("bazaar")
    _, broken = with_broken_river(structure)
    everything = np.ones(broken.shape, bool)
    assert (structure.mend(broken, np.random.default_rng(1), everything) == broken).all()


@pytest.mark.parametrize(("game", "family"), [("alchemy", "pieces"), ("alchemy", "walls"), ("lode_runner", "rooms")])
def test_drafts_come_nearer_to_what_the_games_levels_know(game: str, family: str) -> None:
    generator = portfolio(game)
    before, after = [], []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        draft = generator._finished(FAMILIES[family].make(generator.workshop, rng, []), rng, True)
        before.append(generator.structure.unknown(draft).mean())
        after.append(generator.structure.unknown(generator.structure.mend(draft, rng)).mean())
    assert all(b <= a for a, b in zip(before, after, strict=True))
    assert np.mean(after) < 0.7 * np.mean(before)


def test_a_thing_away_from_what_it_always_touches_is_brought_back() -> None:
    structure = structure_of("digger")
    ((tile, _), *_) = structure.places.items()
    grid = next(g.copy() for g in structure.context.examples if (g == tile).any())
    y, x = np.argwhere(grid == tile)[0].tolist()
    grid[y, x] = structure.context.background
    far = next(
        (r, c) for r, c in np.argwhere(LevelBuilder(structure.context, grid).free()).tolist()
        if structure.strays(_with(grid, r, c, tile))[r, c]
    )  # fmt: skip
    moved = _with(grid, *far, tile)
    assert structure.strays(moved)[far]
    mended = structure.mend(moved, np.random.default_rng(1))
    assert not structure.strays(mended).any() and (mended == tile).sum() == (moved == tile).sum()


def _with(grid: Grid, row: int, column: int, tile: int) -> Grid:
    changed = grid.copy()
    changed[row, column] = tile
    return changed


def test_what_stands_is_read_off_the_levels() -> None:
    structure = structure_of("siege")
    palette, support = structure.context.palette, structure.example_objects.support
    stands = {palette.tiles[tile].char: on for tile, on in support.below.items()}
    assert set(stands) == {"A", "t", "k", "o"}  # soil and hedges hang in some level
    assert {palette.tiles[k].char for k in np.flatnonzero(stands["t"]).tolist()} == {"s", "t"}
    assert not structure_of("dungeon").example_objects.support.below


def test_what_hangs_falls_to_where_it_may_stand() -> None:
    structure = structure_of("siege")
    palette, support = structure.context.palette, structure.example_objects.support
    (tower,) = (k for k in support.below if palette.tiles[k].char == "t")
    grid = structure.context.examples[0].copy()
    standing = grid == tower
    lifted = np.where(standing, structure.context.background, grid).astype(np.int16)
    hangs = np.roll(standing, -2, axis=0)
    lifted[hangs] = tower
    assert support.strays(lifted).sum() == 2  # the lowest of either column
    builder = LevelBuilder(structure.context, lifted)
    support.let_fall(builder)
    assert (builder.grid == grid).all()


def test_a_pad_that_would_fall_on_a_pad_becomes_one_with_it() -> None:
    made = portfolio("moonbase")
    objects, palette = made.example_objects, made.context.palette
    level = ["mmmmmmmmmm", "m........m", "m..A.....m", "m......ppm", "m........m", "m......ppm", "mmmmmmmmmm"]
    grid = palette.parse("\n".join(level))
    builder = LevelBuilder(made.context, grid.copy())
    objects.support.let_fall(builder)
    assert (builder.grid == grid).all()
    objects.support.let_fall(builder, objects.stretches)
    level[3] = "m........m"
    assert (builder.grid == palette.parse("\n".join(level))).all()


@pytest.mark.parametrize("game", ["siege", "moonbase", "spire"])
def test_in_drafts_nothing_hangs_that_stands_in_the_games_levels(game: str) -> None:
    made = portfolio(game)
    support = made.example_objects.support
    texts = [made._best_draft(np.random.default_rng(seed), "pieces")[0] for seed in range(4)]
    grids = [made.context.palette.parse(text) for text in texts]
    assert sum(int(np.isin(grid, list(support.below)).sum()) for grid in grids) >= 4
    assert sum(int(support.strays(grid).sum()) for grid in grids) <= 1


def test_planks_lie_over_a_ravine() -> None:
    structure = structure_of("bazaar")
    palette = structure.context.palette
    whole = structure.context.examples[2]
    plank = next(k for k, tile in enumerate(palette.tiles) if tile.char == "p")
    moved = np.where(whole == plank, structure.context.background, whole).astype(np.int16)
    moved[5, 3] = plank
    assert structure.strays(moved)[5, 3]
    mended = structure.mend(moved, np.random.default_rng(1))
    assert (mended == plank).sum() == 1 and not structure.strays(mended).any()
    nowhere = np.where(structure.raised[moved] & (moved != palette.wall), structure.context.background, moved)
    assert not (structure.mend(nowhere.astype(np.int16), np.random.default_rng(1)) == plank).any()


@pytest.mark.parametrize("game", ["ferry", "siege", "rebound"])
def test_things_are_put_and_moved_where_they_keep_the_habits_of_their_kind(game: str) -> None:
    structure = structure_of(game)
    context, habits = structure.context, structure.example_objects.habits
    judge = LevelJudge(context.text, context.example_texts)
    every = range(len(judge.levels))
    made = portfolio(game)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        draft = made._finished(FAMILIES["pieces"].make(made.workshop, rng, []), rng, True)
        view = judge.view(context.palette.text(draft))
        broken = judge.reference.habits.broken(standing(view), every).sum(axis=(0, 2)) > 0
        strays = habits.strays(draft)
        # as the judge counts them, and a few sights more
        lost = Sights([judge.view(text) for text in context.example_texts], CHANCE).broken(view, every)
        assert not (judge.reference.sights.broken(view, every) & ~lost).any()
        assert set(np.unique(draft[strays])) == set(np.flatnonzero(broken)) | set(np.unique(draft[lost]))
        for tile in np.unique(draft[standing_tiles(view)[draft]]).tolist():
            assert np.array_equal(habits.may_stand(draft, tile)[draft == tile], ~strays[draft == tile])
        assert structure.strays(structure.mend(draft, rng)).sum() <= structure.strays(draft).sum()
