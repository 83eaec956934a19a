"""Goals in other languages: every termination has its words, and games keep their meaning."""

from __future__ import annotations

import itertools
import re

import pytest

import pcg
from pcg.describe import LANGUAGES, describe, goals_in
from pcg.engine.game import builtin_games
from pcg.engine.vgdl import ontology, read_game

GAME = """\
BasicGame no_counters=2
    SpriteSet
        redBox > Immovable
        zorp > Immovable
        never > Immovable
        hero > MovingAvatar
    InteractionSet
        redBox hero > killSprite
    LevelMapping
        b > redBox
        z > zorp
        A > hero
    TerminationSet
"""


def goals(*terminations: str) -> list[str]:
    lines = "".join(f"        {line}\n" for line in terminations)
    return list(goals_in("zh", read_game(GAME + lines, reading="gvgai")))


@pytest.mark.parametrize(
    ("termination", "said"),
    [
        ("SpriteCounter stype=redBox limit=0 win=True", "红色箱子一个也不剩时，您获胜。"),
        ("SpriteCounter stype=redBox limit=2 win=False", "红色箱子只剩不超过 2 个时，您失败。"),
        ("SpriteCounter stype=hero win=False", "英雄消失时，您失败。"),
        ("SpriteCounter stype=zorp win=True", "“zorp”一个也不剩时，您获胜。"),
        ("SpriteCounterMore stype=redBox limit=3 win=True", "红色箱子达到 3 个时，您获胜。"),
        ("MultiSpriteCounter stype1=redBox stype2=zorp limit=0 win=True", "红色箱子和“zorp”一个也不剩时，您获胜。"),
        ("MultiSpriteCounter stype1=redBox limit=2 win=True", "红色箱子恰好有 2 个时，您获胜。"),
        (
            "MultiSpriteCounter stype1=redBox stype2=zorp limit=2 win=True",
            "红色箱子和“zorp”总共恰好有 2 个时，您获胜。",
        ),
        ("MultiSpriteCounter stype1=redBox limit=2 min=True win=True", "红色箱子达到 2 个时，您获胜。"),
        ("Timeout limit=100 win=True", "时间到（100 步）时，您获胜。"),
        ("Timeout limit=100 count_score=True", "时间到（100 步）时，得分不为 0 则您获胜，否则您失败。"),
        ("Timeout limit=100 use_counter=True compare=True", "时间到（100 步）时，由计数器决定胜负。"),
        ("StopCounter stype1=redBox limit=2", "只要红色箱子恰好为 2 个，游戏就不会因为物体的数量而结束。"),
    ],
)
def test_what_a_termination_means(termination: str, said: str) -> None:
    assert said in goals(termination)


def test_wins_come_first_and_what_cannot_be_is_said() -> None:
    found = goals("Timeout limit=50 win=False", "SpriteCounter stype=redBox win=True")
    assert found == ["红色箱子一个也不剩时，您获胜。", "时间到（50 步）时，您失败。"]
    assert goals("Timeout limit=50 win=False")[0] == "这个游戏无法获胜。"
    assert goals("Timeout limit=50 win=True")[1] == "在时间结束之前不会失败。"
    # there is never one of it, so there are never three
    assert goals("SpriteCounterMore stype=never limit=3 win=True", "Timeout limit=9 win=True") == [
        "时间到（9 步）时，您获胜。",
        "在时间结束之前不会失败。",
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_termination_has_words(language: str) -> None:
    for name in ontology.TERMINATIONS:
        kinds = [key for key in ontology.TERMINATIONS[name].params if key.startswith("stype")]
        given = " ".join(f"{key}=redBox" for key in kinds)
        text = "".join(goals_in(language, read_game(f"{GAME}        {name} {given} limit=7\n", reading="gvgai")))
        assert not re.search(rf"\b{name}\b", text)
        assert "{" not in text
        assert "7" in text


def test_games_that_come_along_are_told_without_foreign_words() -> None:
    for name in builtin_games():
        game = pcg.load(name)
        if game.players == 1:
            said = goals_in("zh", game)
            assert not re.search("[A-Za-z]", "".join(said)), (name, said)
            told = describe(game)
            assert len(said) == len(dict.fromkeys((*told.win, *told.lose))), name


def test_the_words_are_in_order() -> None:
    words = LANGUAGES["zh"].words
    for section in ("nouns", "adjectives"):
        assert all(a < b for a, b in itertools.pairwise(words[section]))


def test_an_unknown_language_is_an_error() -> None:
    with pytest.raises(KeyError):
        goals_in("tlh", pcg.load("boxes"))


def test_a_group_called_things_is_told_by_its_members() -> None:
    def said(group: str) -> str:
        text = GAME.replace(
            "        redBox > Immovable\n", f"        {group} > Immovable\n            redBox >\n            gem >\n"
        )
        text += f"        SpriteCounter stype={group} win=True\n"
        return goals_in("en", read_game(text.replace("b > redBox", "b > redBox gem"), reading="gvgai"))[0]

    assert said("things") == "You win when no red box or gem is left."
    assert said("treasures") == "You win when no treasure is left."
