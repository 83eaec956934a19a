"""Errors of the strict reading."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pcg.engine.vgdl import Diagnostic, PcgError, VGDLError, check_game, read_game

Errors = Callable[..., list[Diagnostic]]

AVATAR = "avatar > MovingAvatar\n"


def test_own_games_have_no_findings(own_game: tuple[str, str]) -> None:
    text, _ = own_game
    assert check_game(text, reading="strict") == []
    assert read_game(text).diagnostics == ()


def test_both_readings_give_the_same_game_for_a_faultless_text(own_game: tuple[str, str]) -> None:
    text, _ = own_game
    assert read_game(text, reading="strict") == read_game(text, reading="gvgai")


@pytest.mark.parametrize(
    ("sprites", "message"),
    [
        ("rock > Misile", "unknown sprite class `Misile`, did you mean `Missile`?"),
        ("rock > missile", "unknown sprite class `missile`, did you mean `Missile`?"),
        ("rock > Missile sped=1", "unknown parameter `sped` of Missile, did you mean `speed`?"),
        ("rock > Missile Speed=1", "unknown parameter `Speed` of Missile, did you mean `speed`?"),
        ("rock > Missile cooldown=2.0", "`cooldown=2.0` does not fit (expected an integer)"),
        ("rock > Missile orientation=up", "`orientation=up` does not fit, did you mean `UP`?"),
        ("rock > Missile color=Redd", "`color=Redd` does not fit"),
        ("rock > Missile solid=1", "`solid=1` does not fit (expected True or False)"),
        ("rock > Missile speed=1=2", "`speed=1=2` holds more than one `=`"),
        ("rock > Missile speed=1 speed=2", "`speed` is given again"),
        ("rock > Missile Passive", "`rock` names 2 classes"),
        ("rock > Missile speed=", "`speed=` has no value"),
        ("rock Missile", "`rock` is not a sprite definition: `>` is missing (expected name > [Class] [key=value ...])"),
        ("rock >", "`rock` has no class"),
        (
            "rock > Immovable\n    pebble > Door",
            "the class `Door` of `pebble` is shadowed by the class `Immovable` of line 4",
        ),
        ("rock > Door\nrock > Passive", "`rock` is already defined in line 4"),
        ("rock > Door\n   sand > speed=1\n  dust > speed=1", "the line is indented by"),
        ("rock > Portal", "`rock` has no `stype`, which a Portal needs (expected stype=the name of a sprite)"),
        ("rock > SpawnPoint prob=0.5", "`rock` has no `stype`, which a SpawnPoint needs"),
        ("rock > Chaser stype=avatr", "unknown sprite `avatr` in `stype=avatr`, did you mean `avatar`?"),
        (
            "rock > SpawnPoint stype=rocks\nrocks >\n    r > Door",
            "`rocks` cannot be created: `rocks` has no known class",
        ),
        ("rock > SpawnPoint stype=rocks\nrocks > Door\n    r >", "`rocks` has sprites below it"),
        ("rock > SpawnPoint stype=avatar prob=1.5", "`prob=1.5` is no probability"),
        ("rock > Missile cooldown=0", "`cooldown=0` counts as 1"),
        ("rock > PathChaser stype=avatar", "a PathChaser needs `obs` in the header"),
        ("rock > Missile name=Rocky", "`name` has no effect on Missile"),
        ("rock > AlternateChaser stype1=avatar stype2=wall", "`stype2` has no effect on AlternateChaser"),
        ("GOLD > Door", "a sprite named `GOLD` cannot be referenced"),
        ("7 > Door", "a sprite named `7` cannot be referenced"),
        ("true > Door", "a sprite named `true` cannot be referenced"),
        ("a,b > Door", "a sprite named `a,b` cannot be referenced"),
        ("eos > Door", "`eos` cannot be the name of a sprite"),
    ],
)
def test_sprites(sprites: str, message: str, strict_errors: Errors) -> None:
    errors = strict_errors(AVATAR + sprites)
    assert any(message in str(error) for error in errors), [str(error) for error in errors]


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("avatar rock > killsprite", "unknown effect `killsprite`, did you mean `killSprite`?"),
        ("avatar rok > killSprite", "unknown sprite `rok`, did you mean `rock`?"),
        ("avatar > killSprite", "the interaction of `avatar` has no second object"),
        ("avatar rock", "the interaction names no effect"),
        ("avatar rock > killSprite stepBack", "the interaction names 2 effects (expected one effect)"),
        (
            "avatar rock > killSprite scorechange=1",
            "unknown parameter `scorechange` of killSprite, did you mean `scoreChange`?",
        ),
        ("avatar rock > killSprite scoreChange=1.5", "`scoreChange=1.5` is not a list of integers"),
        ("avatar rock > killSprite scoreChange=1,2", "`scoreChange=1,2` has more entries than the game has players"),
        ("avatar rock > killSprite counter=1", "`counter=1` does not fit"),
        ("avatar rock > killSprite counter=1,0", "`counter=1,0`, but the game has no counters"),
        ("avatar rock > killSprite prob=0.5", "`prob=0.5` has no effect on killSprite"),
        ("avatar rock > killSprite is_kill_effect=True", "`is_kill_effect` has no effect on killSprite"),
        ("avatar rock > spawn stype=rock prob=-1", "`prob=-1` is no probability"),
        ("avatar rock > transformTo", "transformTo needs `stype`"),
        ("avatar rock > transformTo stype=rok", "unknown sprite `rok` in `stype=rok`, did you mean `rock`?"),
        ("avatar rock > transformToAll stype=rock stypeTo=rock", "transformToAll from `rock` to itself"),
        ("avatar rock > transformIfCount stype=rock stypeCount=rock geq=5 leq=4", "`geq` is greater than `leq`"),
        ("avatar rock > changeResource resource=gold", "unknown sprite `gold` in `resource=gold`"),
        (
            "avatar rock > shieldFrom stype=rock ftype=kilSprite",
            "unknown effect `kilSprite` in `ftype=kilSprite`, did you mean",
        ),
        ("avatar rock > addTimer timer=3 ftype=killAll stype=rok", "unknown sprite `rok`"),
        ("avatar eos > stepBack", "`eos` is written in the wrong case (expected EOS)"),
        ("avatar EOS > killBoth", "killBoth does nothing without a second sprite"),
        ("avatar EOS > stepBack repeat=2", "`repeat=2` has no effect with EOS"),
        ("avatar EOS > stepBack\navatar EOS > undoAll", "`avatar` already has an EOS line"),
        ("avatar TIME > stepBack nextExecution=5", "`nextExecution=5` without a timer"),
        ("ghost TIME > undoAll", "unknown sprite `ghost`"),
        (
            "avatar rock > stepBack\n    rock avatar > stepBack",
            "the line is indented below a line that has no children",
        ),
    ],
)
def test_rules(rule: str, message: str, strict_errors: Errors) -> None:
    errors = strict_errors(rules=rule)
    assert any(message in str(error) for error in errors), [str(error) for error in errors]


@pytest.mark.parametrize(
    ("end", "message"),
    [
        ("TimeOut limit=5", "unknown termination `TimeOut`, did you mean `Timeout`?"),
        ("SpriteCounter limit=0 win=True", "SpriteCounter needs `stype`"),
        ("SpriteCounter stype=rok win=True", "unknown sprite `rok` in `stype=rok`, did you mean `rock`?"),
        ("SpriteCounter stype=rock limit=-1 win=True", "`limit=-1` can never be reached"),
        ("SpriteCounter > stype=rock win=True", "`>` has no meaning here"),
        ("Timeout win=True limit=0", "`limit=0` is no time limit"),
        ("Timeout limit=5 win=Flase", "`win=Flase` is not a list of True and False"),
        ("Timeout limit=5 win=True,True", "`win=True,True` has more entries than the game has players"),
        ("Timeout limit=5 wins=True", "unknown parameter `wins` of Timeout, did you mean `win`?"),
    ],
)
def test_terminations(end: str, message: str, strict_errors: Errors) -> None:
    errors = strict_errors(ends=end)
    assert any(message in str(error) for error in errors), [str(error) for error in errors]


def test_a_player_without_a_win_flag_is_an_error(strict_errors: Errors) -> None:
    errors = strict_errors(
        "left > MovingAvatar\nright > MovingAvatar",
        "left wall > stepBack",
        "Timeout limit=5 win=True",
        "L > left\nR > right",
        header="BasicGame no_players=2",
    )
    (error,) = errors
    assert "fewer entries" in error.message and error.expected == "True,True"


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ("r > rok", "unknown sprite `rok`, did you mean `rock`?"),
        ("rr > rock", "`rr` is more than one character"),
        ("r - rock", "`-` stands where `>` should be"),
        ("r >", "`r` is mapped to no sprite"),
        ("r", "`r` is mapped to nothing"),
        ("r > rock\nr > avatar", "`r` is already mapped in line"),
    ],
)
def test_mapping(mapping: str, message: str, strict_errors: Errors) -> None:
    errors = strict_errors(mapping=mapping)
    assert any(message in str(error) for error in errors), [str(error) for error in errors]


def errors_of(text: str) -> list[str]:
    return [str(finding) for finding in check_game(text) if finding.severity == "error"]


WHOLE = (
    "BasicGame\n  SpriteSet\n    rock > Passive\n  InteractionSet\n    avatar EOS > stepBack\n"
    "  TerminationSet\n    Timeout limit=5 win=True\n  LevelMapping\n    r > rock\n"
)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("TerminationSet\n    Timeout limit=5 win=True\n", "TerminationSet\n", "the game has no terminations"),
        ("InteractionSet\n    avatar EOS > stepBack\n", "InteractionSet\n", "the game has no rules"),
        ("TerminationSet", "terminationset", "the set header `terminationset` is written in the wrong case"),
        ("LevelMapping", "LevelMaping", "unknown effect"),
        (
            "  LevelMapping\n",
            "  SpriteSet\n    a > Door\n  LevelMapping\n",
            "a second SpriteSet, after the one in line 2",
        ),
        ("r > rock", "A > rock", "no character is mapped to an avatar"),
        ("BasicGame", "BasicGame square_sise=3", "did you mean `square_size`?"),
        ("BasicGame", "BasicGame obs=rook", "unknown sprite `rook` in `obs=rook`, did you mean `rock`?"),
        ("BasicGame", "BasicGame big", "`big` has no meaning here"),
        ("BasicGame", "Basicgame", "unknown game class `Basicgame`, did you mean `BasicGame`?"),
    ],
)
def test_the_whole(old: str, new: str, message: str) -> None:
    assert errors_of(WHOLE) == []
    changed = WHOLE.replace(old, new)
    assert changed != WHOLE
    if message == "unknown effect":  # the misspelt header is read as a termination
        assert any("does not belong" in error or "LevelMaping" in error for error in errors_of(changed))
    else:
        assert any(message in error for error in errors_of(changed)), errors_of(changed)


def test_all_errors_are_reported_at_once_in_file_order() -> None:
    text = WHOLE.replace("Passive", "Pasive").replace("stepBack", "stepback").replace("> rock", "> rok")
    with pytest.raises(VGDLError) as caught:
        read_game(text)
    found = caught.value.diagnostics
    assert [(d.line, d.suggestion) for d in found] == [(3, "Passive"), (5, "stepBack"), (9, "rock")]
    assert str(caught.value).count("^") == 3


def test_an_error_shows_file_line_column_and_caret(tmp_path: Path) -> None:
    path = tmp_path / "rocks.vgdl"
    path.write_text(WHOLE.replace("stepBack", "stepback"))
    with pytest.raises(VGDLError) as caught:
        read_game(path)
    assert str(caught.value).split("\n") == [
        f"{path}:5:18: error: unknown effect `stepback`, did you mean `stepBack`?",
        "        avatar EOS > stepback",
        "                     ^",
    ]


def test_a_game_is_named_after_its_file(tmp_path: Path) -> None:
    path = tmp_path / "rocks.vgdl"
    path.write_text(WHOLE)
    assert read_game(path).name == "rocks" and read_game(str(path)).name == "rocks"
    assert read_game(WHOLE).name == "game"


def test_a_sprite_that_never_appears_is_a_warning() -> None:
    text = WHOLE.replace("rock > Passive\n", "rock > Passive\n    dust > Passive\n")
    (finding,) = check_game(text)
    assert finding.severity == "warning" and finding.message.startswith("`dust` never appears")
    assert read_game(text).diagnostics[0].line == 4


def test_reordered_pairs_are_a_warning() -> None:
    rules = "avatar rock > stepBack\n    rock avatar > stepBack\n    avatar rock > killSprite"
    (finding,) = check_game(WHOLE.replace("avatar EOS > stepBack", rules))
    assert finding.severity == "warning" and "first defined in line 5" in finding.message


def test_the_number_of_findings_has_a_bound() -> None:
    many = WHOLE.replace("r > rock", "\n    ".join(f"{chr(0x4E00 + i)} > ghost{i}" for i in range(500)))
    assert sum(d.severity == "error" for d in check_game(many)) == 100


def test_an_unknown_reading_is_refused() -> None:
    with pytest.raises(PcgError, match="did you mean `strict`"):
        read_game(WHOLE, reading="Strict")
    with pytest.raises(PcgError, match="unknown reading"):
        check_game(WHOLE, reading="loose")
