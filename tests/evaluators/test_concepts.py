"""Concepts of games, as told from rules and levels."""

from __future__ import annotations

import pytest

from pcg.engine.game import load
from pcg.evaluators.judging.concepts import DANGERS, GOALS, Concept, concept_of
from pcg.evaluators.judging.game_kinds import game_kinds
from pcg.evaluators.judging.games import judge_game
from tests.support.archer import ARCHER
from tests.support.fetch import FETCH, LEVEL


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("boxes", "push places walk turns certain"),
        ("hunt", "hunt chasers walk action chance"),
        ("survival", "survive chasers walk action chance"),
        ("ridge", "reach wanderers jump action certain"),
        ("invaders", "destroy missiles line action chance"),
        ("lode_runner", "collect chasers shoot action certain"),
    ],
)
def test_our_games_are_what_they_are(name: str, text: str) -> None:
    game = load(name)
    found = concept_of(game, [game.read_level(k) for k in range(len(game.levels))])
    assert found.text == text and found.goal in GOALS and found.danger in DANGERS


def test_games_with_another_goal_are_further_apart_than_games_with_another_tempo() -> None:
    one = Concept("reach", "none", "walk", "turns", "certain", ("door",))
    assert one.distance(Concept("reach", "none", "walk", "action", "certain")) < one.distance(
        Concept("collect", "none", "walk", "turns", "certain")
    )
    assert one.distance(Concept("hunt", "time", "line", "action", "chance")) == 1.0
    assert one.title() == "The Way to the Door"


def test_a_title_names_what_is_pushed_and_not_where() -> None:
    def found(goal: str) -> Concept:
        text = FETCH.replace(
            "coin hero > killSprite scoreChange=1", "coin hero > bounceForward\n        spot coin > killSprite"
        ).replace("        coin >", "        spot > Immovable\n        coin >", 1)
        text = text.replace("        c >", "        s > floor spot\n        c >").replace("stype=coin limit=0", goal)
        game = load(text, [LEVEL.replace("wA..", "wAs.")])
        return concept_of(game, [game.read_level(0)])

    spots = found("stype=spot limit=0")
    assert spots.goal == "push" and spots.targets == ("spot",)
    assert spots.title(plural=lambda noun: f"many {noun}s") == "Pushing Many Coins"


def test_the_wall_that_every_game_has_may_stand_in_no_rule() -> None:
    text = FETCH.replace("        wall > Immovable\n", "").replace("        hero wall > stepBack\n", "")
    game = load(text.replace("        ghost wall > stepBack\n", ""), [LEVEL], reading="gvgai")
    found = concept_of(game, [game.read_level(0)])
    assert found.goal == "collect" and found.danger == "wanderers"
    kinds = game_kinds(game.definition, [game.read_level(0)])
    assert [kinds.name(t) for t in kinds.of("frame")] == ["wall"]
    assert judge_game(game, effort=0.2).problem


@pytest.mark.parametrize(
    ("ghost", "danger"),
    [
        ("Fleeing stype=hero", "none"),
        ("Chaser stype=hero fleeing=True", "none"),
        ("Chaser stype=hero", "chasers"),
        ("Fleeing stype=coin", "chasers"),
    ],
)
def test_what_runs_away_from_the_player_is_no_danger(ghost: str, danger: str) -> None:
    game = load(FETCH.replace("RandomNPC cooldown=2", f"{ghost} cooldown=2"), levels=[LEVEL])
    kinds = game_kinds(game.definition, [game.read_level(0)])
    assert concept_of(game, [game.read_level(0)]).danger == danger
    assert [kinds.name(t) for t in kinds.dangers()] == ([] if danger == "none" else ["ghost"])


def test_crates_that_a_shot_breaks_as_well_need_not_be_pushed() -> None:
    pushed = "cup hero > killSprite scoreChange=1\n        crate hero > bounceForward\n        crate hole > killSprite"
    text = ARCHER.replace("cup hero > killSprite scoreChange=1", pushed).replace("stype=cup", "stype=crate")
    level = "wwwwwww\nwA....w\nw..o..w\nw.o.h.w\nwwwwwww"
    for breaking, goal in (("", "push"), ("\n        crate dart > killSprite", "destroy")):
        game = load(text.replace(pushed, pushed + breaking), levels=[level])
        assert concept_of(game, [game.read_level(0)]).goal == goal
