"""Game spaces: games with named blanks (reference/language 1.9)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pcg.engine.vgdl import GameDefinition, PcgError, VGDLError, read_game
from pcg.engine.vgdl.findings import Findings
from pcg.engine.vgdl.parser import parse
from pcg.engine.vgdl.space import SpaceParameter, read_parameter
from pcg.engine.vgdl.tree import ParameterLine

SPRITES = "a > Missile speed=FAST singleton=ONE\nb > SpawnPoint stype=KIND total=MANY\nc > Resource limit=MANY"
SPACE = (
    "FAST > values=0.5:0.25:2.0 string=Speed\nMANY > values=3:2:9\nONE > values=True:False\n"
    "KIND > values=1:1:2 value=a\nCHANGE > values=-1:1:1"
)


@pytest.fixture
def game(gvgai: Callable[..., GameDefinition]) -> GameDefinition:
    return gvgai(
        SPRITES, "a b > killSprite scoreChange=1,CHANGE", "Timeout limit=MANY", header="GameSpace", space=SPACE
    )


def test_blanks_without_a_value_take_the_minimum(game: GameDefinition) -> None:
    assert game.types[2].params == {"speed": 0.5, "singleton": False}
    assert game.types[3].params == {"stype": "a", "total": 3}
    assert game.types[4].resource_limit == 3
    assert game.effects[0].params == {"scoreChange": "1,-1"}
    assert game.terminations[0].params == {"limit": 3}


def test_each_blank_is_reported(game: GameDefinition) -> None:
    messages = [d.message for d in game.diagnostics if d.rule == "language 1.9"]
    assert len(messages) == 4 and "`FAST`" in messages[0] and "0.5" in messages[0]


def test_a_blank_never_makes_a_singleton(game: GameDefinition, write: Callable[..., str]) -> None:
    assert not game.types[2].singleton
    fixed = read_game(write(SPRITES, header="GameSpace", space=SPACE), reading="gvgai", parameters={"ONE": "True"})
    assert not fixed.types[2].singleton and fixed.types[2].params["singleton"] is True
    assert [d.rule for d in fixed.diagnostics if "singleton" in d.message] == ["language 1.5.5"]


def test_parameters_are_fixed_from_outside(write: Callable[..., str]) -> None:
    text = write(SPRITES, header="GameSpace", space=SPACE)
    game = read_game(text, reading="gvgai", parameters={"FAST": "1.5", "MANY": "7"})
    assert game.types[2].params["speed"] == 1.5 and game.types[4].resource_limit == 7
    with pytest.raises(PcgError, match="did you mean `MANY`"):
        read_game(text, reading="gvgai", parameters={"MANNY": "7"})


def test_the_raw_text_keeps_the_blank(game: GameDefinition) -> None:
    assert game.types[2].raw["speed"] == "FAST"


def test_the_header_and_the_inner_effect_of_a_timer_are_not_filled_in(gvgai: Callable[..., GameDefinition]) -> None:
    game = gvgai(
        SPRITES,
        "a b > addTimer timer=MANY ftype=spawnIfHasMore resource=c stype=a limit=MANY",
        header="GameSpace square_size=MANY",
        space=SPACE,
    )
    assert game.header == {}
    assert game.effects[1].params["timer"] == 3 and "limit" not in game.effects[0].params


def parameter(line: str) -> SpaceParameter:
    tree = parse(f"GameSpace\n ParameterSet\n  {line}\n")
    node = tree.header.children[0].children[0]
    assert isinstance(node, ParameterLine)
    return read_parameter(node, Findings("gvgai", "<text>", []), {})


def test_sample_points() -> None:
    assert parameter("N > values=10:5:60").points == 11
    assert parameter("P > values=0.01:0.05:0.75").points == 15
    assert parameter("B > values=True:False").points == 2
    assert parameter("B > values=true:true").points == 1
    assert [parameter("N > values=10:5:20").point(k) for k in range(3)] == ["10", "15", "20"]
    assert [parameter("B > values=False:True").point(k) for k in range(2)] == ["false", "true"]
    with pytest.raises(IndexError):
        parameter("N > values=10:5:20").point(3)


@pytest.mark.parametrize(
    "line",
    [
        "N > string=x",
        "N > values=1:2",
        "N > values=1:x:3",
        "N > values=5:1:1",
        "N > values=0:1:99999999",
        "N > values=0.0:NaN:1",
        "N > values=1",
    ],
)
def test_values_that_stop_the_reference(line: str, gvgai: Callable[..., GameDefinition]) -> None:
    with pytest.raises(VGDLError):
        gvgai(SPRITES, header="GameSpace", space=line)


def test_a_basic_game_has_no_parameters(gvgai: Callable[..., GameDefinition]) -> None:
    with pytest.raises(VGDLError, match="needs a GameSpace"):
        gvgai(SPRITES, space="N > values=1:1:2")


def test_strict_games_fix_every_parameter(strict_errors: Callable[..., list[object]]) -> None:
    sprites = "avatar > MovingAvatar speed=FAST\nrock > Passive"
    assert strict_errors(sprites, header="GameSpace", space="FAST > values=0.5:0.5:1 value=0.5") == []
    (error,) = strict_errors(sprites, header="GameSpace", space="FAST > values=0.5:0.5:1.0")
    assert "not fixed" in str(error)
