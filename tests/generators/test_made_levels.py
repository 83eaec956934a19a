"""Levels drawn for rules: they can be won, take a while, and hold nothing that the rules have no use for."""

from __future__ import annotations

import pytest

from pcg.engine.game import load
from pcg.evaluators.judging.game_kinds import game_kinds
from pcg.evaluators.judging.game_rules import RuleReading
from pcg.evaluators.proving import prove
from pcg.generators.levels.constructive.generator import ConstructiveGenerator
from pcg.generators.levels.context import LevelContext
from pcg.generators.rules.made_levels import LevelMaker, _calls_for_action, from_afar
from pcg.generators.rules.wanted_sprites import wanted_sprites, with_wanted_sprites
from tests.support.archer import ARCHER, FIELD
from tests.support.fetch import FETCH, LEVEL

STATUE = FETCH.replace("        ghost >", "        statue > Immovable\n        ghost >").replace(
    "        g > floor ghost", "        g > floor ghost\n        s > floor statue"
)
"""The game with a thing that means nothing."""


def made(text: str, own: str = LEVEL, count: int = 3, **settings: int):  # type: ignore[no-untyped-def]
    return LevelMaker([own], seed=3, **settings).make(load(text, levels=[own]), count, 9)


def test_levels_are_won_in_no_less_time_than_is_asked_for() -> None:
    levels = made(FETCH, min_win=15)
    assert len(levels) == 3 and len({level.text for level in levels}) == 3
    game = load(FETCH, levels=[LEVEL])
    for level in levels:
        assert level.ticks >= 15
        assert prove(game, level.text, seed=1, budget=20_000) is not None
    assert [level.ticks for level in levels] == sorted(level.ticks for level in levels)


def test_levels_of_who_shoots_for_nothing_are_won_as_well() -> None:
    levels = LevelMaker([FIELD], seed=1).make(load(ARCHER, levels=[FIELD]), 3, 9)
    assert len(levels) == 3 and all(level.ticks >= 20 for level in levels)


def test_equal_seeds_give_equal_levels_and_others_do_not() -> None:
    assert made(FETCH, count=2) == made(FETCH, count=2)
    game = load(FETCH, levels=[LEVEL])
    assert LevelMaker([LEVEL], seed=4).make(game, 2, 9) != LevelMaker([LEVEL], seed=3).make(game, 2, 9)


def test_what_has_no_part_in_the_rules_is_not_placed() -> None:
    own = LEVEL.replace("wA......", "wA.s.ss.")
    assert any(level.text.count("c") for level in made(STATUE, own))
    assert not any("s" in level.text for level in made(STATUE, own))


def test_own_levels_may_be_smaller_than_any_that_are_drawn() -> None:
    own = "wwwwwww\nwA...cw\nwwwwwww"
    context = LevelContext.of(load(FETCH, levels=[own]))
    assert context.heights[0] < context.smallest
    levels = made(FETCH, own)
    assert len(levels) == 3 and all(level.text.count("\n") + 1 >= context.smallest for level in levels)


def test_own_levels_that_the_rules_cannot_create_any_more_are_left_out() -> None:
    text = STATUE.replace("statue > Immovable", "statue > Portal")  # that leads nowhere
    own = LEVEL.replace("wA......", "wA.s.ss.")
    levels = LevelMaker([own, LEVEL], seed=3).make(load(text, levels=[LEVEL]), 3, 9)
    assert levels == LevelMaker([LEVEL], seed=3).make(load(text, levels=[LEVEL]), 3, 9)
    assert len(levels) == 3


def test_rules_that_nobody_can_win_by_have_levels_as_well() -> None:
    levels = made(FETCH.replace("coin hero > killSprite", "coin hero > turnAround"))
    assert levels and not any(level.ticks for level in levels)


@pytest.mark.parametrize("rule", ["ghost hero > cloneSprite", "floor ghost > spawn stype=ghost prob=1"])
def test_growth_without_bounds_ends_the_drawing(rule: str) -> None:
    made(FETCH.replace("hero ghost > killSprite", rule), max_sprites=60)


def test_the_way_to_what_is_wanted_is_long() -> None:
    game = load(FETCH, levels=[LEVEL])
    context = LevelContext.of(game)
    near = "wwwwwwwwww\nw.Ac.....w\nw.wwwwww.w\nw........w\nwwwwwwwwww"
    assert from_afar(near, context) == "wwwwwwwwww\nw..c.....w\nw.wwwwww.w\nw.....A..w\nwwwwwwwwww"
    closed = "wwwwwwwwww\nw.Ac.w...w\nw....w...w\nwwwwwwwwww"
    assert from_afar(closed, context).splitlines()[2] == "w....w...w".replace("w..", "wA.", 1), "never behind walls"
    assert from_afar(near.replace("c", "."), context) == near.replace("c", "."), "where nothing is wanted it stays"
    guarded = "wwwwwwwwww\nw.Ac.....w\nw.wwwwww.w\nw....g...w\nwwwwwwwwww"
    assert from_afar(guarded, context).splitlines()[3] == "w....g..Aw", "never beside a danger"


def test_sprites_that_the_rules_are_about_come_in_numbers_and_more_from_step_to_step() -> None:
    game = load(FETCH, levels=[LEVEL])
    context = LevelContext.of(game)
    levels = [game.read_level(LEVEL)]
    reading = RuleReading(game_kinds(game.definition, levels), levels)
    names = [t.name for t in game.definition.types]
    for step in (0, 3, 9):
        counts = {names[rule.types[0]]: rule for rule in wanted_sprites(context, reading, step)}
        assert set(counts) == {"coin", "ghost"}, "neither scenery nor the avatar"
        assert counts["coin"].minimum == 3 + min(step, 3) and counts["ghost"].minimum == 1 + min(step, 3) // 2
        made = ConstructiveGenerator(with_wanted_sprites(context, reading, step), seed=2).ask(4)
        assert all(one.level.count("c") >= counts["coin"].minimum for one in made)
    one = LEVEL.replace("c", ".", 3)
    single = [game.read_level(one)]
    found = wanted_sprites(context, RuleReading(game_kinds(game.definition, single), single), 3)
    assert {names[r.types[0]]: (r.minimum, r.maximum) for r in found}["coin"] == (1, 1), "one place to get to stays one"


def test_waiting_must_not_win_where_winning_is_to_stay_alive() -> None:
    survive = FETCH.replace("SpriteCounter stype=coin limit=0 win=True", "Timeout limit=60 win=True")
    survive = survive.replace("RandomNPC cooldown=2", "Chaser stype=hero cooldown=2")
    hunted, walled = "wwwwwwwwwwwwww\nwA..........gw\nwwwwwwwwwwwwww", "wwwwwwwwwwwwww\nwA....w.....gw\nwwwwwwwwwwwwww"
    game = load(survive, levels=[hunted, walled])
    assert _calls_for_action(game, hunted, 1) and not _calls_for_action(game, walled, 1)
    assert not _calls_for_action(game, hunted.replace("A...", "A.g."), 1), "lost before anybody could act"
    assert _calls_for_action(load(FETCH, levels=[LEVEL]), LEVEL, 1), "with another goal quiet moments are enough"
