"""Gates that bar a way: which do, where they are put, and the repair of those that can be walked around."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import pcg.games
from pcg.engine.game import load
from pcg.engine.vgdl import read_game
from pcg.evaluators.barriers import count_gates, gate_groups
from pcg.evaluators.level_grid import GATE
from pcg.generators.levels import LevelContext, make_generator
from pcg.generators.levels.barriers import place_barrier, repair_barriers
from pcg.generators.levels.constructive_completion import LockedLevelBuilder, complete
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.level_conventions import reach_with_keys, unreachable_cells, unreachable_targets
from pcg.generators.levels.repair.by_rules import repair

DUNGEON = (Path(pcg.games.__path__[0]) / "vgdl" / "dungeon" / "game.vgdl").read_text(encoding="utf-8")
BARRED = "wwwwwwwww\nwA.k.w..w\nw....w..w\nwb...d..w\nw....w..w\nw.c..w.cw\nwwwwwwwww"
OPEN = "wwwwwwwww\nwA.k.w..w\nw....w..w\nwb...d..w\nw.......w\nw.c..w.cw\nwwwwwwwww"


def context_of(*levels: str) -> LevelContext:
    """The context of a dungeon that is won by collecting all coins, where doors only part rooms."""
    text = DUNGEON.replace("SpriteCounter stype=door limit=0 win=True", "SpriteCounter stype=coin limit=0 win=True")
    assert text != DUNGEON
    return LevelContext.of(SimpleNamespace(definition=read_game(text, reading="strict"), levels=levels))


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def builder(context: LevelContext, text: str) -> LevelBuilder:
    return LevelBuilder(context, context.palette.parse(text))


def barring(context: LevelContext, levels: Sequence[str]) -> tuple[int, int]:
    """Doors in some levels, and those of them that bar a way."""
    counts = [count_gates(context.palette, context.palette.parse(level)) for level in levels]
    return sum(int(placed.sum()) for placed, _ in counts), sum(int(bars.sum()) for _, bars in counts)


@pytest.mark.parametrize(
    ("rows", "bars"),
    [
        ("wwwwwww\nwA.d..w\nwwwwwww", [True]),
        ("wwwwwww\nwA.d..w\nw.....w\nwwwwwww", [False]),
        ("wwwwwww\nwA.d..w\nw..d..w\nwwwwwww", [True]),  # both are one barrier
        ("wwwdwww\nwA....w\nwwwwwww", [False]),  # nothing lies beyond
        ("wwwwwww\nwA.d..w\nwwwwwww\nw..dw.w\nwwwwwww", [True, False]),
        ("wwwwwww\nwA....w\nwwwwwww", []),
    ],
)
def test_a_gate_bars_a_way_where_the_level_falls_apart_while_it_is_shut(rows: str, bars: list[bool]) -> None:
    context = context_of()
    groups, found = gate_groups(context.palette, context.palette.parse(rows))
    assert found.tolist() == bars
    assert set(np.unique(groups).tolist()) - {0} == set(range(1, len(bars) + 1))


def test_gates_are_barriers_where_half_of_the_games_own_bar_a_way() -> None:
    door = context_of().palette.tiles.index(next(tile for tile in context_of().palette.tiles if tile.char == "d"))
    assert context_of().barriers == {door}
    assert context_of(BARRED, OPEN).barriers == {door}
    assert context_of(OPEN, OPEN, BARRED).barriers == set()
    assert LevelContext.of(load("dungeon")).barriers == set(), "doors are what is looked for there"


@pytest.mark.parametrize("name", ["constructive", "bsp", "evolve", "minimal", "variation", "portfolio"])
def test_doors_of_generated_levels_bar_a_way(name: str) -> None:
    own = BARRED, BARRED.replace("d..w\nw....w", "w..w\nw....d"), BARRED.replace(".k", "k.")
    context = context_of(*own)
    levels = [one.level for one in make_generator(name, context, seed=4).ask(30)]
    doors, bars = barring(context, levels)
    assert doors > 8
    assert bars >= 0.85 * doors


def test_a_door_that_can_be_walked_around_is_moved_and_gets_its_key_before_and_a_coin_behind() -> None:
    context = context_of(BARRED)
    around = "wwwwwwwww\nwA..w.k.w\nw..d....w\nw...w...w\nwwwwwww.w\nw.c...w.w\nw.......w\nwwwwwwwww"
    seen = set()
    for seed in range(12):
        level = builder(context, around)
        repair_barriers(level, rng(seed))
        assert barring(context, [level.text()]) == (1, 1)
        there, shut = reach_with_keys(level)
        assert not shut.any() and (there == (context.palette.access[level.grid] <= GATE)).all()
        behind = level.distances() < 0
        coin = context.palette.parse("c")[0, 0]
        assert (behind & (level.grid == coin)).any()
        assert sorted(level.text().replace("w", ".")) == sorted(around.replace("w", ".")), "nothing else is taken away"
        seen.add(level.text())
    assert len(seen) > 2


def test_a_door_without_a_place_goes_with_its_key_unless_every_level_of_the_game_has_one() -> None:
    hall = "wwwwwwwww\nwA......w\nw...d..cw\nw.......w\nw.......w\nw..k....w\nw.......w\nw.......w\nwwwwwwwww"
    always = context_of(BARRED, BARRED.replace(".k", "k."))
    never_lone = context_of(BARRED, BARRED.replace(".k", "k."), BARRED.replace("d", ".").replace("k", "."))
    for context, left in ((always, "dk"), (never_lone, "")):
        level = builder(context, hall)
        repair_barriers(level, rng())
        assert "".join(char for char in "dk" if char in level.text()) == left


def test_sound_levels_stay_as_they_are() -> None:
    context = context_of(BARRED)
    for text in (BARRED, BARRED.replace("d", "."), BARRED.replace("d", "w").replace("....w..w\nww", "....d..w\nww")):
        level = builder(context, text)
        repair_barriers(level, rng())
        assert level.text() == text
    level = builder(context, BARRED)
    repair(level, rng())
    assert level.text() == BARRED
    assert not unreachable_cells(level).any() and not unreachable_targets(level), "doors can be opened"


def test_a_locked_door_stays_where_a_person_has_drawn_it() -> None:
    context = context_of(BARRED)
    grid = context.palette.parse(OPEN)
    locked = grid == context.palette.parse("d")[0, 0]
    for made in complete(context, OPEN, locked, rng(), count=5):
        assert context.palette.parse(made)[locked].tolist() == grid[locked].tolist()
        assert made.count("d") >= 1
    # neither is its key moved, though the avatar cannot get it, nor another put in its place
    far = BARRED.replace(".k.", "...").replace(".cw", "kcw")
    kept = np.ones(grid.shape, bool)
    kept[1, 1:5] = False
    drawn = LockedLevelBuilder(context, context.palette.parse(far), kept)
    repair_barriers(drawn, rng())
    assert drawn.text() == far


def test_no_barrier_is_placed_where_the_avatar_does_not_walk_freely_or_no_line_parts_the_room() -> None:
    context = context_of()
    door = context.palette.parse("d")[0, 0]
    hall = "\n".join(["w" * 10, *(["w" + "." * 8 + "w"] * 8), "w" * 10]).replace(".", "A", 1)
    assert not place_barrier(builder(context, hall), rng(), door)
    assert place_barrier(builder(context, hall.replace("w........w", "w...ww...w", 3)), rng(), door) is False
    invaders = LevelContext.of(load("invaders"))
    assert not place_barrier(LevelBuilder.blank(invaders, 9, 9), rng(), 0)


def test_the_key_of_a_gate_that_goes_because_it_bars_nothing_goes_too() -> None:
    two = "wwwwwwwww\nwAkk.w..w\nw....w..w\nwb...d..w\nw....wwdw\nw.c..w.cw\nwwwwwwwww"
    context = context_of(BARRED, two, two.replace("b", "."))
    assert context.counterparts and context.barriers
    ground = "w...........w"
    hall = ["wwwwwwwwwwwww", "wA...k......w", "w.k...d.....w", *[ground] * 3, "w..c........w", *[ground] * 2]
    level = "\n".join([*hall, "wwwwwdwwwwwww", "wwwwwcwwwwwww", "wwwwwwwwwwwww"])
    assert barring(context, [level]) == (2, 1)
    for seed in range(10):
        found = builder(context, level)
        repair(found, rng(seed))
        text = context.palette.text(found.grid)
        assert (text.count("k"), text.count("d")) == (1, 1)
