"""Numbers of objects: as many of a kind as of its counterpart, keys and doors, and no second exit, where the game's
own levels have so.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import pcg
from pcg.engine.game import load
from pcg.evaluators.targets import Target
from pcg.generators.levels import LevelContext, make_generator
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.object_counts import Counts, fit_counts, keeps_counterparts
from pcg.generators.levels.repair.by_rules import repair

DUNGEON = LevelContext.of(pcg.load("dungeon"))
ROOM = "wwwwwwwwww\nwA......ww\nw.......ww\nw.......ww\nw.......ww\nwwwwwwwwww"


def tiles(context: LevelContext, things: Mapping[str, int]) -> Counts:
    """Numbers by tile of numbers by the character of the tile."""
    chars = [tile.char for tile in context.palette.tiles]
    return {chars.index(char): number for char, number in things.items()}


def counts_of(context: LevelContext, level: str) -> Counts:
    return tiles(context, {char: level.count(char) for char in set(level) - {"\n"}})


def repaired(context: LevelContext, level: str, seed: int) -> str:
    builder = LevelBuilder(context, context.palette.parse(level))
    repair(builder, np.random.default_rng(seed))
    return context.palette.text(builder.grid)


def test_keys_go_by_the_doors() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        for keys, doors in ((3, 2), (1, 2), (2, 2), (5, 1)):
            fitted = fit_counts(DUNGEON, rng, tiles(DUNGEON, {"k": keys, "d": doors, "c": 4}))
            assert fitted == tiles(DUNGEON, {"k": doors, "d": doors, "c": 4})


def test_what_opens_nothing_goes_by_the_smaller_number_unless_a_rule_asks_for_more() -> None:
    levels = [ROOM.replace(ROOM[12:16], part) for part in ("cb..", "cbcb", "cbcb")]
    levels += [level.replace("w.......", "wcb.cbcb", 1) for level in levels]
    dungeon = SimpleNamespace(definition=DUNGEON.definition, levels=[level + "\n" for level in levels])
    context = LevelContext.of(dungeon)
    assert len(context.examples) == 6
    coin, bat = tiles(context, {"c": 1}), tiles(context, {"b": 1})
    assert (frozenset(coin), frozenset(bat)) in context.counterparts
    rng = np.random.default_rng(1)
    door = {"k": 1, "d": 1}
    assert fit_counts(context, rng, tiles(context, door | {"c": 5, "b": 2})) == tiles(context, door | {"c": 2, "b": 2})
    assert fit_counts(context, rng, tiles(context, door | {"c": 1, "b": 3})) == tiles(context, door | {"c": 1, "b": 1})


def test_no_second_one_where_all_of_several_own_levels_have_one() -> None:
    levels = [ROOM.replace("A......", row) + "\n" for row in ("A.kd.s.", "A.kd.sc", "Akkdds.")]
    context = LevelContext.of(SimpleNamespace(definition=DUNGEON.definition, levels=levels))
    one = tiles(context, {"s": 1})
    assert context.usual_numbers == one
    rest, rng = tiles(context, {"k": 1, "d": 1, "c": 3}), np.random.default_rng(1)
    for number in (1, 2, 5):
        assert fit_counts(context, rng, rest | tiles(context, {"s": number})) == rest | one
    assert fit_counts(context, rng, rest) == rest
    wanted = context.with_wanted_counts([Target("skeleton", 2, 2)])
    assert fit_counts(wanted, rng, rest | tiles(context, {"s": 3})) == rest | tiles(context, {"s": 2})
    assert not LevelContext.of(SimpleNamespace(definition=DUNGEON.definition, levels=levels[:2])).usual_numbers


def test_what_an_own_level_does_without_is_no_need() -> None:
    game = pcg.load("dungeon")
    locked = next(level for level in game.levels if "d" in level)
    (gate,) = {need.base for need in DUNGEON.requirements.all_needs}
    assert DUNGEON.definition.types[gate].name == "door"
    open_to_none = SimpleNamespace(definition=game.definition, levels=[*game.levels, locked.replace("k", ".")])
    assert not LevelContext.of(open_to_none).requirements.all_needs


@pytest.mark.parametrize("seed", range(5))
def test_levels_are_repaired_to_as_many_keys_as_doors(seed: int) -> None:
    for level in pcg.load("dungeon").levels:
        assert repaired(DUNGEON, level, seed).rstrip() == level.rstrip()
        row = level.split("\n")[1]
        more = level.replace(row, row.replace("..", "kk", 1), 1)
        less = level.replace("k", ".", 1)
        for changed in (more, less):
            assert changed.count("k") != changed.count("d")
            assert not keeps_counterparts(DUNGEON, counts_of(DUNGEON, changed))
            found = repaired(DUNGEON, changed, seed)
            assert found.count("k") == found.count("d") > 0


@pytest.mark.parametrize("name", ["portfolio", "constructive", "evolve"])
def test_generators_make_dungeons_with_as_many_keys_as_doors(name: str) -> None:
    for candidate in make_generator(name, DUNGEON, seed=3).ask(12):
        assert candidate.level.count("k") == candidate.level.count("d")


@pytest.mark.parametrize("game", ["realsokoban", "brainman", "ikaruga"])
def test_games_of_the_corpus_have_counterparts_that_their_drafts_keep(shared: Path, game: str) -> None:
    context = LevelContext.of(load(shared / "gvgai" / "games" / "gridphysics" / f"{game}.txt"))
    assert context.counterparts
    for candidate in make_generator("portfolio", context, seed=3).ask(3):
        assert keeps_counterparts(context, counts_of(context, candidate.level))
