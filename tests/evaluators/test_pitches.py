"""Pitches of games, as told from rules and levels."""

from __future__ import annotations

import re

import pytest

from pcg.describe import describe
from pcg.describe.noun_phrases import plural
from pcg.engine.game import Game, load
from pcg.evaluators.judging.concepts import concept_of
from pcg.evaluators.judging.game_kinds import game_kinds
from pcg.evaluators.judging.pitches import listed, pitch
from pcg.runs.experiments.finishing import without_idle_endings
from tests.support.fetch import FETCH, LEVEL


def told(game: Game) -> str:
    levels = [game.read_level(k) for k in range(len(game.levels))]
    return pitch(game_kinds(game.definition, levels), levels, str, lambda noun: f"{noun}s")


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("hunt", "Catch every hen and every chick while dogs chase you."),
        ("dungeon", "Open every door while skeletons chase you"),
        ("invaders", "Shoot every scout, every raider and every mothership while bombs fly about"),
        ("boxes", "Push boxs onto every mark and do not step on pits"),
    ],
)
def test_a_pitch_says_what_is_done_and_what_stands_in_the_way(name: str, start: str) -> None:
    assert told(load(name)).startswith(start)


def test_a_pitch_tells_what_turns_into_what() -> None:
    haunted = FETCH.lstrip().replace("coin hero > killSprite", "coin hero > transformTo stype=ghost")
    assert haunted != FETCH.lstrip()
    assert told(load(haunted, levels=[LEVEL])).endswith("a coin that you touch turns into a ghost.")


@pytest.mark.parametrize(("limit", "start"), [(0, "Gather every coin"), (1, "Gather all but one coin"),
                                              (2, "Gather all but 2 coins")])  # fmt: skip
def test_a_pitch_tells_how_many_may_be_left(limit: int, start: str) -> None:
    text = FETCH.lstrip().replace("SpriteCounter stype=coin limit=0", f"SpriteCounter stype=coin limit={limit}")
    assert told(load(text, levels=[LEVEL])).startswith(start)


def test_a_change_into_another_of_the_same_name_is_not_told() -> None:
    turned = FETCH.lstrip().replace("coin > Immovable", "coin > Immovable\n        coin2 > Immovable")
    turned = turned.replace("hero ghost > killSprite", "coin ghost > transformTo stype=coin2")
    turned = turned.replace("c > floor coin", "c > floor coin\n        d > floor coin2")
    game = load(turned, levels=[LEVEL.replace("wA....", "wA..d.")])
    assert ";" not in told(game)
    other = load(turned.replace("coin2", "ash"), levels=game.levels)
    assert told(other).endswith("; a coin that a ghost gets at turns into an ash.")


def test_a_blow_is_no_trap_and_chasers_of_others_do_not_chase_you() -> None:
    armed = FETCH.lstrip().replace("hero > MovingAvatar", "sword > Flicker\n        hero > ShootAvatar stype=sword", 1)
    slain = armed.replace("coin hero > killSprite", "ghost sword > killSprite").replace("stype=coin", "stype=ghost")
    assert told(load(slain, levels=[LEVEL])).startswith("Strike every ghost")
    fond = FETCH.lstrip().replace("ghost > RandomNPC", "ghost > Chaser stype=coin")
    assert told(load(fond, levels=[LEVEL])).endswith("while ghosts go for coins.")
    still = fond.replace("stype=coin", "stype=floor", 1)
    assert told(load(still, levels=[LEVEL])).endswith("while ghosts wander about."), "ground is no prey"


def test_a_crate_that_is_shot_is_not_pushed() -> None:
    pushed = """
BasicGame
    SpriteSet
        floor > Immovable
        wall > Immovable
        hole > Immovable
        crate > Passive
        knife > Missile
        hero > ShootAvatar stype=knife
    InteractionSet
        crate hero > bounceForward
        crate wall > undoAll
        crate hole > killSprite
        hero wall > stepBack
        knife wall > killSprite
    TerminationSet
        SpriteCounter stype=crate limit=0 win=True
    LevelMapping
        . > floor
        w > wall
        o > floor hole
        c > floor crate
        A > floor hero
"""
    level = "wwwwww\nwA.c.w\nw..o.w\nwwwwww"
    game = load(pushed, levels=[level])
    assert concept_of(game, [game.read_level(0)]).goal == "push" and told(game) == "Push every crate into a hole."
    turned = pushed.replace("crate hole > killSprite", "crate hole > transformTo stype=knife")
    words = "Push every crate into a hole; a crate pushed into a hole turns into a knife."
    assert told(load(turned, levels=[level])) == words
    two = turned.replace("hole > Immovable", "drain > Immovable\n        hole > Immovable").replace(
        "o > floor hole", "o > floor hole\n        d > floor drain"
    )
    two = two.replace("crate hole >", "crate drain > transformTo stype=knife\n        crate hole >")
    both = told(load(two, levels=[level.replace("w..o", "wd.o")]))
    assert both.endswith("; a crate pushed into a drain or a hole turns into a knife.")
    shot = load(pushed.replace("crate hole", "crate knife"), levels=[level])
    assert concept_of(shot, [shot.read_level(0)]).goal == "destroy" and told(shot) == "Break every crate."


def test_what_the_player_gathers_is_not_pushed_onto() -> None:
    game = load("boxes")
    text = game.definition.source.replace("LevelMapping", "LevelMapping\n        c > floor coin", 1)
    text = text.replace("SpriteSet", "SpriteSet\n        coin > Immovable", 1)
    text = text.replace("InteractionSet", "InteractionSet\n        coin hero > killSprite", 1)
    old = next(line for line in text.splitlines() if "win=True" in line)
    text = text.replace(old, "        MultiSpriteCounter stype1=coin stype2=mark limit=0 win=True")
    level = game.levels[0].replace(".", "c", 1)
    both = load(text, levels=[level])
    about = concept_of(both, [both.read_level(0)])
    assert about.goal == "push" and about.targets == ("mark", "coin"), "the title is about what is pushed"
    assert told(both).startswith("Push boxs onto every mark and gather every coin")


def test_what_stands_and_others_destroy_is_not_led() -> None:
    pursued = FETCH.lstrip().replace("ghost > RandomNPC", "ghost > Chaser stype=hero")
    lured = pursued.replace("coin hero > killSprite", "coin ghost > killSprite")
    assert told(load(lured, levels=[LEVEL])).startswith("Lure ghosts to every coin")


def test_what_lies_where_it_was_put_traps() -> None:
    laid = FETCH.lstrip().replace("hero > MovingAvatar", "snare > Immovable\n        hero > ShootAvatar stype=snare", 1)
    caught = laid.replace("coin hero > killSprite", "ghost snare > killSprite").replace("stype=coin", "stype=ghost")
    assert told(load(caught, levels=[LEVEL])).startswith("Trap every ghost")
    turned = caught.replace("ghost snare > killSprite", "ghost snare > transformTo stype=coin")
    assert told(load(turned, levels=[LEVEL])).endswith("; a ghost that is trapped turns into a coin.")
    shot = load(caught.replace("snare > Immovable", "snare > Missile"), levels=[LEVEL])
    assert told(shot).startswith("Shoot every ghost")
    for game, words in ((load(caught, levels=[LEVEL]), "Sets a snare in front of it"), (shot, "Shoots a snare")):
        assert words in str(describe(game))


def test_things_of_one_name_are_told_once() -> None:
    text = FETCH.lstrip().replace("        ghost >", "        coin2 > Immovable\n        ghost >", 1)
    text = text.replace("        coin hero >", "        coin2 hero > transformTo stype=wall\n        coin hero >", 1)
    text = text.replace("        g > floor ghost", "        g > floor ghost\n        d > floor coin2", 1)
    text = text.replace("SpriteCounter stype=coin limit=0", "MultiSpriteCounter stype1=coin stype2=coin2 limit=0")
    assert told(load(text, levels=[LEVEL.replace("...w", ".d.w", 1)])).startswith("Gather every coin while ghosts")


@pytest.mark.parametrize(("limit", "first"), [("3", "Gather 3 coins and get to the exit"), ("1", "Get to the exit")])
def test_what_has_to_be_held_is_told(limit: str, first: str) -> None:
    text = FETCH.lstrip().replace("coin > Immovable", "coin > Resource limit=9\n        exit > Immovable")
    text = text.replace("coin hero > killSprite scoreChange=1", "coin hero > collectResource")
    text = text.replace(
        "hero ghost >", f"exit hero > killIfOtherHasMore resource=coin limit={limit}\n        hero ghost >"
    )
    text = text.replace("stype=coin limit=0 win=True", "stype=exit limit=0 win=True")
    text = text.replace("c > floor coin", "c > floor coin\n        e > floor exit")
    assert told(load(text, levels=[LEVEL.replace("w............w", "w......e.....w")])).startswith(first)


@pytest.mark.parametrize(
    ("ending", "line"),
    [
        ("SpriteCounter stype=egg limit=0", "before the last egg is gone."),
        ("SpriteCounter stype=egg limit=2", "and keep more than 2 eggs."),
        ("MultiSpriteCounter stype1=egg stype2=nut limit=0", "before the last of eggs and nuts is gone."),
        ("SpriteCounterMore stype=egg limit=9", "before there are 9 eggs."),
    ],
)
def test_what_is_lost_where_nothing_harms_the_avatar_is_told(ending: str, line: str) -> None:
    text = FETCH.lstrip().replace(
        "coin > Immovable", "coin > Immovable\n        egg > Immovable\n        nut > Immovable"
    )
    text = text.replace("hero ghost > killSprite", "egg ghost > killSprite\n        nut ghost > killSprite")
    text = text.replace("SpriteCounter stype=hero limit=0", ending)
    text = text.replace("c > floor coin", "c > floor coin\n        e > floor egg\n        n > floor nut")
    game = load(text, levels=[LEVEL.replace("wA......", "wA.ee.nn")])
    assert told(game) == f"Gather every coin {line}"


def test_lists_of_words() -> None:
    assert listed([]) == "" and listed(["a"]) == "a" and listed("abc") == "a, b and c"


def test_nothing_that_runs_away_chases_anybody() -> None:
    shy = FETCH.lstrip().replace("ghost > RandomNPC cooldown=2", "ghost > Fleeing stype=hero cooldown=2")
    assert told(load(shy, levels=[LEVEL])) == "Gather every coin."


def test_a_danger_that_dies_at_something_is_lured_there() -> None:
    trap = (
        FETCH.lstrip()
        .replace("ghost > RandomNPC cooldown=2", "ghost > Chaser stype=hero cooldown=2")
        .replace("coin hero > killSprite scoreChange=1", "ghost coin > killSprite")
        .replace("stype=coin limit=0 win=True", "stype=ghost limit=0 win=True")
    )
    assert told(load(trap, levels=[LEVEL])) == "Lure every ghost into a coin while ghosts chase you."


@pytest.mark.parametrize(
    ("chaser", "line"),
    [("smoke", "Catch all honey and every chick while smoke chases you."), ("fish", "while fish chase you.")],
)
def test_stuff_is_told_in_the_singular(chaser: str, line: str) -> None:
    source = re.sub(r"\bdog\b", chaser, re.sub(r"\bhen\b", "honey", load("hunt").definition.source))
    game = load(source, levels=load("hunt").levels[:1], reading="gvgai")
    levels = [game.read_level(0)]
    assert pitch(game_kinds(game.definition, levels), levels, str, plural).endswith(line)


def test_what_comes_and_goes_in_one_moment_is_not_told() -> None:
    haunted = (
        FETCH.lstrip()
        .replace("coin hero > killSprite", "coin hero > transformTo stype=ash")
        .replace("coin > Immovable", "coin > Immovable\n        ash > Immovable")
    )
    told_of = "; a coin that you touch turns into an ash."
    assert told(load(haunted, levels=[LEVEL])).endswith(told_of)
    after = haunted.replace("hero ghost >", "ash hero > killSprite\n        hero ghost >")
    assert ";" not in told(load(after, levels=[LEVEL]))
    before = haunted.replace("coin hero >", "ash hero > killSprite\n        coin hero >")
    assert told(load(before, levels=[LEVEL])).endswith(told_of), "it lies there until the hero comes again"
    swept = haunted.replace("coin hero >", "ash floor > killSprite\n        coin hero >")
    assert ";" not in told(load(swept, levels=[LEVEL])), "no ash lasts on this ground"
    unseen = haunted.replace("ash > Immovable", "ash > Immovable invisible=True")
    assert ";" not in told(load(unseen, levels=[LEVEL]))


def test_what_dies_in_the_wall_in_which_it_comes_about_is_not_told() -> None:
    fallen = (
        FETCH.lstrip()
        .replace("ghost wall > stepBack", "ghost wall > transformTo stype=spark")
        .replace("coin > Immovable", "coin > Immovable\n        spark > Missile orientation=RIGHT")
    )
    assert told(load(fallen, levels=[LEVEL])).endswith("; a ghost that meets a wall turns into a spark.")
    gone = fallen.replace("ghost wall >", "spark wall > killSprite\n        ghost wall >")
    assert ";" not in told(load(gone, levels=[LEVEL]))


def test_only_what_moves_is_said_to_move() -> None:
    """Nests do not fly about, nor does what comes up in them; nor is a nest deadly because of what comes up."""
    nested = FETCH.lstrip().replace(
        "ghost > RandomNPC cooldown=2", "pit > Flicker limit=9\n        ghost > SpawnPoint stype=pit"
    )
    nested = nested.replace("hero ghost >", "hero pit >").replace("ghost wall > stepBack", "hero ghost > stepBack")
    game = load(nested, levels=[LEVEL])
    assert told(game) == "Gather every coin and do not step on pits."
    assert concept_of(game, [game.read_level(0)]).danger == "places"
    held = FETCH.lstrip().replace("ghost > RandomNPC cooldown=2", "ghost > Missile speed=0")
    assert told(load(held, levels=[LEVEL])) == "Gather every coin and do not step on ghosts."
    both = nested.replace("pit > Flicker limit=9", "pit > Missile orientation=RIGHT")
    assert told(load(both, levels=[LEVEL])) == "Gather every coin while pits fly about."


def test_what_grows_is_gathered_however_many_there_are_at_first() -> None:
    grown = FETCH.lstrip().replace("ghost > RandomNPC cooldown=2", "ghost > SpawnPoint stype=coin cooldown=40")
    grown = grown.replace("hero ghost > killSprite", "ghost hero > killSprite")
    game = load(grown, levels=[LEVEL.replace("c", ".")])
    assert concept_of(game, [game.read_level(0)]).goal == "collect" and told(game).startswith("Gather every coin")


def test_an_end_that_cannot_come_is_not_told() -> None:
    text = FETCH.lstrip().replace(
        "coin > Immovable", "coin > Immovable\n        egg > Immovable\n        nut > Immovable"
    )
    text = text.replace("hero ghost > killSprite", "egg ghost > killSprite")
    text = text.replace("SpriteCounter stype=hero limit=0", "MultiSpriteCounter stype1=egg stype2=nut limit=0")
    text = text.replace("c > floor coin", "c > floor coin\n        e > floor egg\n        n > floor nut")
    game = load(text, levels=[LEVEL.replace("wA......", "wA.ee.nn")])
    assert told(game) == "Gather every coin.", "nothing takes the nuts away"
    assert concept_of(game, [game.read_level(0)]).danger == "none"
    assert without_idle_endings(text, game.levels).count("MultiSpriteCounter") == 0
    few = load(text, levels=[LEVEL.replace("wA......", "wA.ee...")])
    assert told(few).endswith("before the last egg is gone.")
    assert "MultiSpriteCounter" in without_idle_endings(text, few.levels)


def test_what_must_not_come_up_is_told_as_that() -> None:
    """Nobody can get rid of weeds, so what has to be gone must never be there; and one grows where the other is."""
    grown = FETCH.lstrip().replace(
        "ghost > RandomNPC cooldown=2", "ghost > SpawnPoint stype=weed\n        weed > Immovable"
    )
    grown = grown.replace("hero ghost > killSprite", "ghost hero > killSprite")
    grown = grown.replace("SpriteCounter stype=coin limit=0", "MultiSpriteCounter stype1=coin stype2=weed limit=0")
    assert told(load(grown, levels=[LEVEL])) == "Gather every coin before any weeds come up."
    turned = grown.replace("ghost hero > killSprite", "ghost weed > transformTo stype=coin")
    line = "Gather every coin before any weeds come up; a ghost in which a weed comes up turns into a coin."
    assert told(load(turned, levels=[LEVEL])) == line


def test_deadly_things_with_the_name_of_what_is_wanted_are_other_ones() -> None:
    two = FETCH.lstrip().replace("ghost > RandomNPC cooldown=2", "coin2 > Immovable")
    two = (
        two.replace("ghost wall > stepBack\n        ", "")
        .replace("hero ghost", "hero coin2")
        .replace("floor ghost", "floor coin2")
    )
    assert told(load(two, levels=[LEVEL])) == "Gather every coin and do not step on the other coins."
