"""Games as they are finished for people: round points, levels that a middling player can win, names after roles."""

from __future__ import annotations

from functools import cache

import pytest

from pcg.engine.game import load
from pcg.engine.vgdl import check_game, check_level
from pcg.engine.vgdl.parser import parse
from pcg.evaluators.agents import replay
from pcg.evaluators.analysis import analyse
from pcg.evaluators.evaluation import decode_play
from pcg.evaluators.judging.game_kinds import game_kinds
from pcg.evaluators.judging.game_places import astray
from pcg.evaluators.proving import Proof
from pcg.generators.rules.genes import RuleSet
from pcg.minimise.themes import COLOURS, NAMES, ROLES, THEMES, dressed, role_of
from pcg.render.colours import painted
from pcg.render.tile_choice import KEYWORDS, looks
from pcg.render.tileset import load_tiles
from pcg.runs.experiments.finishing import (
    MIN_WIN,
    CourseLevel,
    Effort,
    FinishedGame,
    choose_course,
    finished_game,
    goes_astray,
    with_edges_of_groups,
    with_other_pace,
    with_used_characters,
    with_visible_parts,
    with_whole_goals,
    with_whole_turns,
    without_echoes,
    without_idle_endings,
    won_again,
    won_by_waiting,
)
from tests.support.archer import ARCHER, FIELD
from tests.support.fetch import FETCH, LEVEL

ODD = FETCH.lstrip().replace("hero ghost > killSprite", "hero ghost > killSprite scoreChange=-3")


@cache
def finished() -> FinishedGame:
    done = finished_game(ODD, [LEVEL], seed=2)
    assert done is not None
    return done


def test_levels_of_who_shoots_for_nothing_are_won_with_few_calls() -> None:
    game = load(ARCHER, levels=[FIELD])
    effort = Effort(drawn=0, plays=1, proof=6_000)
    course = choose_course(game, [FIELD], 1, effort)
    assert len(course) == 1
    lost = CourseLevel(FIELD, Proof(FIELD, 1, "." * 30, "none", 0), 0.5)
    assert won_again(game, [lost], [FIELD], effort) is not None


@pytest.mark.full
def test_a_finished_game_has_a_course_of_levels_that_are_won() -> None:
    done = finished()
    assert 2 <= len(done.levels) <= 5 and len(done.wins) == len(done.levels)
    game = load(done.text, levels=done.levels, reading="strict")
    for k, win in enumerate(done.wins):
        end = replay(game.start(k, seed=win.seed), win.actions)[-1]
        assert end.winner == 1 and end.score == win.score and len(win.play) >= MIN_WIN
        assert check_level(done.levels[k], game.definition) == []


@pytest.mark.full
def test_a_finished_game_reads_without_a_warning_and_pays_for_no_death() -> None:
    done = finished()
    assert check_game(done.text) == [] and "scoreChange=-3" not in done.text
    assert finished_game(ODD, [LEVEL], seed=2) == done, "equal seeds, equal games"


@pytest.mark.full
def test_a_game_that_nobody_wins_is_not_finished() -> None:
    assert finished_game(FETCH.lstrip().replace("coin hero > killSprite", "coin hero > turnAround"), [LEVEL], 1) is None


def test_what_lies_everywhere_and_gives_nothing_is_ground() -> None:
    text = FETCH.lstrip()
    for old in (". > floor", "c > floor coin", "g > floor ghost", "A > floor hero"):
        text = text.replace(old, old.replace("floor", "floor dust"))
    text = text.replace("        wall > Imm", "        dust > Passive\n        wall > Imm", 1)
    text = text.replace("        coin hero >", "        dust hero > killSprite\n        coin hero >", 1)
    for points, role in (("", "floor"), (" scoreChange=1", "treasure")):
        definition = load(text.replace("dust hero > killSprite", f"dust hero > killSprite{points}")).definition
        assert role_of(definition.type_index["dust"], analyse(definition)) == role


@pytest.mark.parametrize(("cooldown", "turned"), [(6, True), (1, False)])
def test_what_rests_in_a_wall_steps_out_of_it_when_it_turns_round(cooldown: int, turned: bool) -> None:
    flies = f"ghost > Missile orientation=RIGHT speed=0.4 cooldown={cooldown}"
    text = FETCH.lstrip().replace("ghost > RandomNPC cooldown=2", flies, 1)
    text = text.replace("ghost wall > stepBack", "ghost wall > reverseDirection")
    whole = with_whole_turns(text)
    assert whole.count("stepBack") - text.count("stepBack") == turned
    assert check_game(whole) == check_game(text) == []
    assert goes_astray(load(text, levels=[LEVEL]), LEVEL) == turned
    assert not goes_astray(load(whole, levels=[LEVEL]), LEVEL)
    assert with_whole_turns(whole) == whole


@pytest.mark.full
def test_ground_that_a_rule_was_about_in_vain_fills_the_blanks_in_the_end() -> None:
    text = FETCH.lstrip().replace("coin hero >", "floor coin > stepBack\n        coin hero >", 1)
    level = LEVEL.replace(".", " ")
    done = finished_game(text.replace("        . > floor\n", ""), [level], seed=2)
    assert done is not None
    assert done.text.count("stepBack") == 2
    assert not any(" " in level for level in done.levels)


def test_what_is_chased_is_no_floor() -> None:
    text = FETCH.lstrip().replace("ghost > RandomNPC", "post > Immovable\n        ghost > Chaser stype=post", 1)
    text = text.replace("        c > floor coin", "        p > floor post\n        c > floor coin", 1)
    other = text.replace("Chaser stype=post", "RandomPathAltChaser stype1=coin stype2=post")
    for game, role in ((text, "scenery"), (other, "scenery"), (text.replace("stype=post", "stype=coin"), "floor")):
        definition = load(game).definition
        assert role_of(definition.type_index["post"], analyse(definition)) == role


@pytest.mark.parametrize("theme", THEMES)
def test_names_fit_roles_and_change_nothing_else(theme: str) -> None:
    game = load(FETCH, levels=[LEVEL])
    text, names = dressed(FETCH.lstrip(), game.definition, analyse(game.definition), theme)
    column = THEMES.index(theme)
    roles = {"hero": "avatar", "wall": "wall", "coin": "treasure", "ghost": "wanderer", "floor": "floor"}
    assert {old: new in NAMES[roles[old]][column].split() for old, new in names.items()} == dict.fromkeys(roles, True)
    other = load(text, levels=[LEVEL])
    assert check_game(text) == []
    actions = ["RIGHT", "DOWN"] * 20
    ends = [replay(g.start(0, seed=5), actions)[-1] for g in (game, other)]
    assert ends[0].score == ends[1].score and ends[0].tick == ends[1].tick
    shapes = [look.tile for look in looks(other.definition, load_tiles())]
    assert not any(tile.startswith("shape-") for tile in shapes), "every name has a tile"


def test_every_role_has_a_name_with_a_tile_in_every_theme() -> None:
    assert set(NAMES) == set(ROLES) == set(COLOURS)
    assert all(painted(colour) is not None for colour in COLOURS.values())
    for columns in NAMES.values():
        assert len(columns) == len(THEMES)
        first = [column.split()[0] for column in columns]
        assert all(any(word in name for word in KEYWORDS) for name in first), first


def test_dangers_go_faster_where_a_middling_player_wins_too_much() -> None:
    assert "cooldown=2" in with_other_pace(FETCH, 0.9).replace("cooldown=3", ""), "never faster than that"
    slow = FETCH.replace("cooldown=2", "cooldown=5")
    assert "cooldown=4" in with_other_pace(slow, 1.0) and "cooldown=6" in with_other_pace(slow, 0.0)
    assert with_other_pace(slow, 0.5) == slow


def test_the_mapping_has_the_characters_of_the_levels_alone() -> None:
    text = with_used_characters(FETCH, ["wAc."])
    assert "g > floor ghost" not in text and "c > floor coin" in text
    silent = with_used_characters(FETCH.lstrip().replace("        w > wall\n", ""), [LEVEL])
    assert "w > wall" in " ".join(silent.split()), "under another name it would be mapped to nothing"


def test_what_a_game_is_about_is_drawn() -> None:
    unseen = FETCH.lstrip().replace("coin > Immovable", "coin > Immovable invisible=True hidden=True")
    assert "invisible=True" in unseen and "invisible" not in with_visible_parts(unseen)
    marked = FETCH.lstrip().replace("        coin >", "        mark > Immovable invisible=True\n        coin >")
    marked = marked.replace("        c > floor coin", "        c > floor mark coin")
    assert "mark > Immovable invisible=True" in " ".join(with_visible_parts(marked).split()), "no rule is about it"


def test_endings_that_never_come_go() -> None:
    ending = "        SpriteCounter stype=coin limit=0 win=True"
    never = FETCH.lstrip().replace(ending, f"{ending}\n        SpriteCounter stype=wall limit=0 win=True")
    plain = without_idle_endings(never)
    assert "stype=wall" not in plain and "stype=coin" in plain and "stype=hero" in plain
    assert without_idle_endings(FETCH.lstrip()) == FETCH.lstrip()
    late = FETCH.lstrip().replace(
        ending, f"{ending}\n        Timeout limit=200 win=True\n        Timeout limit=150 win=True"
    )
    assert "limit=150" in without_idle_endings(late) and "limit=200" not in without_idle_endings(late)


def test_of_endings_that_end_a_game_alike_the_surer_one_is_enough() -> None:
    ending = "        SpriteCounter stype=hero limit=0 win=False\n"
    group = (
        FETCH.lstrip()
        .replace(
            "        hero > MovingAvatar",
            "        people >\n            hero > MovingAvatar\n            guest > RandomNPC",
        )
        .replace("g > floor ghost", "g > floor ghost guest")
    )
    both = group.replace(ending, ending + ending.replace("hero", "people"))
    assert check_game(both) == [] and "stype=people" not in without_idle_endings(both)
    assert "stype=hero" in without_idle_endings(both)
    won = group.replace(ending, ending + ending.replace("hero", "people").replace("False", "True"))
    assert "stype=people" in without_idle_endings(won), "it would end otherwise"
    few = both.replace("stype=people limit=0", "stype=people limit=1")
    assert "stype=people" in without_idle_endings(few), "it may come first"
    twice = FETCH.lstrip().replace(ending, ending + ending)
    assert without_idle_endings(twice).count("stype=hero") == 1


def test_a_goal_leaves_nothing() -> None:
    most = FETCH.lstrip().replace("stype=coin limit=0", "stype=coin limit=1")
    assert with_whole_goals(most).count("limit=1") == 0 and load(with_whole_goals(most)).definition.types
    many = FETCH.lstrip().replace("stype=coin limit=0", "stype=coin limit=6")
    assert "limit=6" in with_whole_goals(many)


def test_levels_are_won_again_where_chance_goes_other_ways() -> None:
    """Without a part of its cast a game may draw other numbers, so that a recorded play wins no more."""
    game = load(FETCH, levels=[LEVEL])
    lost = CourseLevel(LEVEL, Proof(LEVEL, 1, "." * 30, "none", 0), 0.5)
    again = won_again(game, [lost], [LEVEL], Effort())
    assert again is not None and again[0].win.play and again[0].share == 0.5
    assert replay(game.start(0, seed=again[0].win.seed), decode_play(again[0].win.play))[-1].winner == 1
    assert won_again(game, again, [LEVEL], Effort(proof=0)) == again, "what is won still is not searched for"
    walled = LEVEL.replace("wA...", "wAw..").replace("w....ww", "ww...ww")
    assert won_again(load(FETCH, levels=[walled]), [lost], [walled], Effort(proof=2_000)) is None


@pytest.mark.full
def test_a_goal_that_is_beyond_the_prover_with_all_of_it_stays_as_it_is() -> None:
    """One coin is behind walls: the game is won with one left, and never with none."""
    shut = LEVEL.replace("wc..g...w", "wcw.g...w").replace("w.........c..w", "ww...........w")
    shut = shut.replace("w............w", "ww..........cw")
    text = FETCH.lstrip().replace("stype=coin limit=0", "stype=coin limit=1")
    done = finished_game(text, [shut], seed=2, effort=Effort(drawn=0))
    assert done is not None and "limit=1" in done.text


def test_a_death_is_said_once() -> None:
    old = "        hero ghost > killSprite"
    twice = old + "\n        hero ghost > subtractHealthPoints\n        hero ghost > killIfAlive"
    assert FETCH.count(old) == 1 and RuleSet.of(without_echoes(FETCH.replace(old, twice))) == RuleSet.of(FETCH)
    group = FETCH.replace("        ghost > RandomNPC", "        foes >\n            ghost > RandomNPC", 1)
    both = group.replace(old, old + "\n        hero foes > killSprite")
    assert [str(r) for r in RuleSet.of(without_echoes(both)).rules if r.first == "hero" and r.second != "wall"] == [
        "hero foes > killSprite"
    ]
    stopped = FETCH.replace(old, old + "\n        hero ghost > stepBack")
    assert RuleSet.of(without_echoes(stopped)) == RuleSet.of(FETCH), "it dies, wherever"
    paid = FETCH.replace(old, old + "\n        hero ghost > killIfAlive scoreChange=-5")
    assert without_echoes(paid) == paid, "points are told"


def test_a_level_that_waiting_wins_is_told() -> None:
    eaten = FETCH.lstrip().replace("hero ghost > killSprite", "coin ghost > killSprite")
    small = "wwwww\nwAwcw\nwwwgw\nwwwww"
    assert won_by_waiting(load(eaten, levels=[small]), small, 100)
    assert not won_by_waiting(load(FETCH, levels=[LEVEL]), LEVEL, 30)


def test_those_that_drop_what_kills_are_a_fleet() -> None:
    game = load("invaders")
    text, names = dressed(game.definition.source, game.definition, analyse(game.definition), "space")
    assert names["alien"] == "fleet" and names["scout"] == "alien" and check_game(text) == []


def test_what_is_touched_and_what_is_wasted_have_names() -> None:
    sprites = "        mark > Immovable\n        lit > Immovable\n        spoilt > Immovable\n        hero >"
    painted = (
        FETCH.lstrip().replace("        hero >", sprites, 1)
        .replace("hero ghost > killSprite", "hero ghost > killSprite\n        mark hero > transformTo stype=lit\n"
                 "        coin ghost > transformTo stype=spoilt")
        .replace("A > floor hero", "A > floor hero\n        m > floor mark")
        .replace("stype=coin limit=0 win=True", "stype=mark limit=0 win=True\n"
                 "        SpriteCounterMore stype=spoilt limit=3 win=False")
    )  # fmt: skip
    assert check_game(painted) == []
    definition = load(painted).definition
    _, names = dressed(painted, definition, analyse(definition), "dungeon")
    assert (names["mark"], names["lit"], names["spoilt"]) == ("mark", "torch", "bones")


def test_what_is_left_behind_and_does_no_harm_is_no_trap() -> None:
    snake = FETCH.lstrip().replace("MovingAvatar", "OngoingTurningAvatar spawnBehind=mark")
    snake = snake.replace("        hero >", "        mark > Immovable\n        hero >", 1)
    deadly = snake.replace("        hero wall >", "        hero mark > killSprite\n        hero wall >")
    for text, role in ((snake, "trail"), (deadly, "charge")):
        definition = load(text).definition
        assert role_of(definition.type_index["mark"], analyse(definition)) == role


def test_no_member_of_a_group_has_its_name() -> None:
    text = FETCH.lstrip().replace(
        "        coin >",
        "        sources > SpawnPoint stype=ghost prob=0.01 img=newset/tile1\n"
        "            one > cooldown=5\n            other > cooldown=9\n        coin >",
        1,
    )
    text = text.replace("        c >", "        1 > floor one\n        2 > floor other\n        c >")
    definition = load(text).definition
    made, names = dressed(text, definition, analyse(definition), "sea")
    assert names["sources"] == "nests" and {names["one"], names["other"]} == {"lair", "portal"}
    assert "img" not in made, "a picture of something else"


FLEET = """BasicGame
    SpriteSet
        fleet > Bomber stype=bomb prob=0.0 speed=0.5
            alien >
            raider >
            ufo >
        bomb > Missile orientation=DOWN
        bolt > Missile orientation=UP singleton=True
        ship > FlakAvatar stype=bolt
    InteractionSet
        fleet bolt > killSprite
        ship bomb > killSprite
        alien EOS > turnAround
        raider EOS > turnAround
        bomb EOS > killSprite
        bolt EOS > killSprite
        ship EOS > stepBack
    LevelMapping
        a > alien
        r > raider
        u > ufo
        A > ship
    TerminationSet
        SpriteCounter stype=fleet win=True
        SpriteCounter stype=ship
"""
SKY = "a.r.u...\n........\n........\n........\n........\n........\n........\n...A...."


def test_what_most_of_a_group_do_at_the_edge_all_of_it_do() -> None:
    made = with_edges_of_groups(FLEET)
    rules = [str(rule) for rule in RuleSet.of(parse(made)).rules if rule.second == "EOS"]
    assert rules == ["fleet EOS > turnAround", "bomb EOS > killSprite", "bolt EOS > killSprite", "ship EOS > stepBack"]
    assert with_edges_of_groups(made) == made
    other = FLEET.replace("raider EOS > turnAround", "raider EOS > killSprite")
    assert with_edges_of_groups(other) == other


def test_what_has_to_go_and_flies_away_is_seen() -> None:
    for text, gone in ((FLEET, True), (with_edges_of_groups(FLEET), False)):
        game = load(text, levels=[SKY])
        kinds = game_kinds(game.definition, [game.read_level(0)])
        assert (astray(kinds, game.start(0, seed=1), ["NIL"] * 24).goals_gone > 0) == gone


@pytest.mark.parametrize(("turn", "astray_then"), [("stepBack", False), ("turnAround", True)])
def test_levels_whose_movers_leave_the_map_are_no_part_of_a_course(turn: str, astray_then: bool) -> None:
    """Turning around at the edge leads to the row below: from the last one, outside."""
    text = FETCH.lstrip().replace("ghost > RandomNPC cooldown=2", "ghost > Missile orientation=RIGHT")
    game = load(text.replace("ghost wall > stepBack", f"ghost EOS > {turn}"))
    assert goes_astray(game, ".......\n.A...c.\n.......\n.......\n.g.g.g.") is astray_then
