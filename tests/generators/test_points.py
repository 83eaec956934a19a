"""Points as a designer gives them, and deaths that nobody sees."""

from __future__ import annotations

from pcg.engine.vgdl.resolver import read_game
from pcg.evaluators.analysis import GameAnalysis, analyse
from pcg.generators.rules.genes import RuleSet
from pcg.generators.rules.points import round_points, without_moot_deaths
from tests.support.fetch import FETCH


def read(text: str) -> tuple[RuleSet, GameAnalysis]:
    return RuleSet.of(text), analyse(read_game(text))


def test_points_are_given_for_what_is_done_and_in_round_numbers() -> None:
    text = (
        FETCH.replace("scoreChange=1", "scoreChange=7")
        .replace("hero ghost > killSprite", "hero ghost > killSprite scoreChange=-5")
        .replace("hero wall > stepBack", "hero wall > stepBack scoreChange=1")
    )
    rounded = [str(rule) for rule in round_points(*read(text)).rules]
    assert "coin hero > killSprite scoreChange=5" in rounded
    assert "hero ghost > killSprite" in rounded and "hero wall > stepBack" in rounded
    plain = read(FETCH)
    assert round_points(*plain) == plain[0], "what is right already stays"


def test_a_monster_that_wins_does_not_die_of_it() -> None:
    text = FETCH.replace("hero ghost > killSprite", "hero ghost > killSprite\n        ghost hero > killSprite")
    rules = [str(rule) for rule in without_moot_deaths(*read(text)).rules]
    assert "hero ghost > killSprite" in rules and "ghost hero > killSprite" not in rules
    wanted = text.replace("SpriteCounter stype=coin", "SpriteCounter stype=ghost")
    assert without_moot_deaths(*read(wanted)) == read(wanted)[0], "where its death is the goal it counts"
    endless = text.replace("        SpriteCounter stype=hero limit=0 win=False\n", "")
    assert without_moot_deaths(*read(endless)) == read(endless)[0], "nor where the game goes on"
