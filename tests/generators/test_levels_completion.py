"""Completing a level around locked cells, for many games."""

from __future__ import annotations

import numpy as np
import pytest

import pcg
from pcg.engine.game import load
from pcg.engine.vgdl import check_level
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.target_parsing import parse_targets
from pcg.generators.levels import LevelContext
from pcg.generators.levels.constructive_completion import complete

GAMES = ("boxes", "crossing", "digger", "dungeon", "ferry", "hunt", "invaders", "lode_runner", "orchard", "portals",
         "snakes", "survival")  # fmt: skip


def window(shape: tuple[int, int], seed: int) -> np.ndarray:
    """A rectangle of locked cells somewhere."""
    rng = np.random.default_rng(seed)
    locked = np.zeros(shape, bool)
    y, x = int(rng.integers(shape[0] - 2)), int(rng.integers(shape[1] - 2))
    locked[y : y + 4, x : x + 5] = True
    return locked


@pytest.mark.parametrize("name", GAMES)
def test_locked_cells_stay_and_the_rest_is_sound(name: str) -> None:
    game = pcg.load(name)
    context = LevelContext.of(game)
    partial = game.levels[0].strip("\n")
    grid = context.palette.parse(partial)
    for seed in range(4):
        locked = window(grid.shape, seed)
        for level in complete(context, partial, locked, np.random.default_rng(seed), count=2):
            made = context.palette.parse(level)
            assert (made[locked] == grid[locked]).all()
            assert check_level(level, game.definition, reading="strict") == []
            assert context.requirements.satisfaction(context.palette.count_types(made)) == 1


def test_a_level_locked_completely_comes_back_as_it_is() -> None:
    game = pcg.load("dungeon")
    level = game.levels[0].strip("\n")
    grid = LevelContext.of(game).palette.parse(level)
    made = complete(LevelContext.of(game), level, np.ones(grid.shape, bool), np.random.default_rng(1), count=3)
    assert made == [level]


def test_a_locked_avatar_is_the_only_one_wherever_it_stands() -> None:
    game = pcg.load("invaders")  # its avatar belongs to the bottom row
    context = LevelContext.of(game)
    rows = [" " * 16] * 10
    rows[2] = "A".rjust(8).ljust(16)
    avatar = next(t.char for i, t in enumerate(context.palette.tiles) if i in context.palette.avatars)
    ground = context.palette.tiles[context.palette.empty].char
    partial = "\n".join(row.replace("A", avatar).replace(" ", ground) for row in rows)
    locked = np.zeros((10, 16), bool)
    locked[2, 7] = True
    for level in complete(context, partial, locked, np.random.default_rng(2), count=3):
        assert level.count(avatar) == 1
        assert level.split("\n")[2][7] == avatar


def test_equal_seeds_give_equal_levels_and_others_others() -> None:
    game = pcg.load("dungeon")
    context = LevelContext.of(game)
    partial = game.levels[0].strip("\n")
    locked = window(context.palette.parse(partial).shape, 1)
    made = [complete(context, partial, locked, np.random.default_rng(seed), count=3) for seed in (1, 1, 2)]
    assert made[0] == made[1] != made[2]
    assert len(set(made[0])) == 3


def test_numbers_of_sprites_that_are_wanted_come_first() -> None:
    game = pcg.load("dungeon")
    context = LevelContext.of(game)
    partial = game.levels[0].strip("\n")
    locked = np.zeros(context.palette.parse(partial).shape, bool)
    wants = parse_targets("coin=5..6", context.analysis)
    coins = {
        key: np.mean([
            level.count("c")
            for seed in range(20)
            for level in complete(context, partial, locked, np.random.default_rng(seed), given, 1)
        ])
        for key, given in (("aimed", wants), ("not", ()))
    }  # fmt: skip
    assert abs(coins["aimed"] - 5.5) <= 1.5
    assert abs(coins["aimed"] - 5.5) <= abs(coins["not"] - 5.5)


def test_a_mask_of_another_shape_and_foreign_tiles_are_refused() -> None:
    context = LevelContext.of(pcg.load("boxes"))
    with pytest.raises(PcgError, match=r"shape \(2, 2\)"):
        complete(context, "www\nwww", np.zeros((2, 2), bool), np.random.default_rng(1))
    with pytest.raises(PcgError, match="no tile of this game"):
        complete(context, "w?w", np.zeros((1, 3), bool), np.random.default_rng(1))


def test_levels_are_completed_for_games_of_the_corpus(shared: object) -> None:
    from pathlib import Path

    games = sorted((Path(str(shared)) / "gvgai").rglob("*.txt"))
    chosen = [p for p in games if "_lvl" not in p.name and p.with_name(f"{p.stem}_lvl0.txt").is_file()][::12]
    assert len(chosen) >= 5
    for path in chosen:
        game = load(path)
        if game.players != 1:
            continue
        context = LevelContext.of(game)
        level = game.levels[0].strip("\n")
        rows = level.split("\n")
        level = "\n".join(row.ljust(len(rows[0]))[: len(rows[0])] for row in rows)
        grid = context.palette.parse(level)
        locked = window(grid.shape, 3)
        (made,) = complete(context, level, locked, np.random.default_rng(1))
        assert (context.palette.parse(made)[locked] == grid[locked]).all(), path.name
