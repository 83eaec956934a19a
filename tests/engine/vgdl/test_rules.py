"""InteractionSet, TerminationSet and the course of a reading (reference/language 1, reference/effects 10)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pcg.engine.vgdl import GameDefinition, VGDLError, ontology

Read = Callable[..., GameDefinition]
Cited = Callable[[GameDefinition], list[str]]

SPRITES = "a > Missile\nb > Passive\nc > Passive\ncoin > Resource"


def pairs(game: GameDefinition) -> list[tuple[str, str, list[str]]]:
    return [
        (game.types[p.first].name, game.types[p.second].name, [game.effects[e].name for e in p.effects])
        for p in game.pairs
    ]


def test_one_effect_object_serves_all_second_objects(gvgai: Read) -> None:
    game = gvgai(SPRITES, "a b c EOS > stepBack")
    assert pairs(game) == [("a", "b", ["stepBack"]), ("a", "c", ["stepBack"])]
    assert game.pairs[0].effects == game.pairs[1].effects == game.eos_effects[2] == (0,)
    assert game.eos_types == (2,)


def test_pairs_are_ordered_and_run_where_they_are_first_defined(gvgai: Read, rules_cited: Cited) -> None:
    game = gvgai(SPRITES, "a b > stepBack\nb a > undoAll\na b > killSprite")
    assert pairs(game) == [("a", "b", ["stepBack", "killSprite"]), ("b", "a", ["undoAll"])]
    assert rules_cited(game) == ["language 1.6.4"]


def test_repeat_lists_an_effect_several_times_for_pairs_only(gvgai: Read) -> None:
    game = gvgai(SPRITES, "a b EOS > bounceForward repeat=3\na c > stepBack repeat=0")
    assert game.pairs[0].effects == (0, 0, 0) and game.eos_effects[2] == (0,)
    assert pairs(game)[1] == ("a", "c", [])


def test_every_eos_line_adds_an_entry(gvgai: Read, rules_cited: Cited) -> None:
    game = gvgai(SPRITES, "a EOS > stepBack\na eos > killSprite\nEos a > undoAll")
    assert game.eos_types == (2, 2, 2) and game.eos_effects[2] == (0, 1, 2)
    assert rules_cited(game) == ["language 1.6.5", "language 1.6.5"]


def test_an_unknown_sprite_ends_the_reading_and_keeps_what_was_read(gvgai: Read, rules_cited: Cited) -> None:
    game = gvgai(SPRITES, "a b ghost c > stepBack\nb c > undoAll", "Timeout limit=5", "x > a")
    assert pairs(game) == [("a", "b", ["stepBack"])]
    assert game.terminations == () and "x" not in game.mapping
    assert rules_cited(game) == ["language 1.2.5, language 1.6.2"]
    assert game.diagnostics[0].line == 8 and game.diagnostics[0].column == 13


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("a b > killsprite", "effects 10.3"),
        ("a b > conveySprite", "effects 10.3"),
        ("a > killSprite", "language 1.3"),
        ("a b > transformTo", "effects 10.3"),
        ("a b > transformTo stype=ghost", "effects 10.3"),
        ("a b > transformTo stype=3", "effects 10.3"),
        ("a b > killIfHasMore resource=ghost", "effects 10.3"),
        ("a b > subtractHealthPoints stype=ghost", "effects 10.3"),
        ("a b > addTimer timer=3", "effects 10.13"),
        ("a b > addTimer timer=3 ftype=nothing", "effects 10.3"),
        ("a b > addTimer timer=3 ftype=killAll", "effects 10.3"),
        ("a b TIME > stepBack", "language 1.6.7"),
        ("a", "language 1.3"),
    ],
)
def test_what_cannot_be_built_ends_the_reading(line: str, rule: str, gvgai: Read, rules_cited: Cited) -> None:
    game = gvgai(SPRITES, f"{line}\nb c > stepBack", "Timeout limit=5")
    assert ("b", "c", ["stepBack"]) not in pairs(game) and game.terminations == ()
    assert f"language 1.2.5, {rule}" in rules_cited(game)


@pytest.mark.parametrize(
    "line",
    [
        "a b > changeResource resource=ghost",
        "a b > killIfOtherHasMore resource=ghost",
        "a b > removeScore stype=ghost",
        "a b > spawnAbove stype=ghost",
        "a b > transformIfCount stype=c stypeCount=ghost",
        "a b > shieldFrom stype=c ftype=nothing",
        "a b > undoAll notStype=ghost",
    ],
)
def test_names_the_reference_does_not_check_are_warnings(line: str, gvgai: Read) -> None:
    game = gvgai(SPRITES, f"{line}\nb c > stepBack")
    assert pairs(game)[-1] == ("b", "c", ["stepBack"])
    assert [d.severity for d in game.diagnostics] == ["warning"]


def test_effect_params_hold_what_fits(gvgai: Read) -> None:
    game = gvgai(SPRITES, "a b > spawn stype=c scoreChange=3 counter=1 prob=1 applyScore=1 counterElse=1,0 colour=RED")
    assert dict(game.effects[0].params) == {"stype": "c", "scoreChange": "3", "prob": 1.0, "counterElse": "1,0"}
    assert len(game.diagnostics) == 3


def test_unknown_effect_keys_do_not_stop_the_reading(gvgai: Read, rules_cited: Cited) -> None:
    game = gvgai(SPRITES, "a b > killSprite changeScore=1\nb c > stepBack")
    assert len(game.pairs) == 2 and rules_cited(game) == ["language 1.4"]
    assert game.diagnostics[0].suggestion == "scoreChange"


def test_time_lines_become_time_effects(gvgai: Read) -> None:
    game = gvgai(
        SPRITES,
        "a TIME > spawn stype=c timer=10 repeating=True scoreChange=2\ntime b > killSprite nextExecution=3 timer=7",
    )
    one, two = game.time_effects
    assert (game.effects[one.effect].name, one.bound) == ("spawn", 2)
    assert dict(one.params) == {"timer": 10, "repeating": True, "scoreChange": "2"}
    assert dict(game.effects[one.effect].params) == {"stype": "c", "scoreChange": "2"}
    assert (two.bound, dict(two.params)) == (3, {"nextExecution": 3, "timer": 7})
    assert game.pairs == () and game.diagnostics == ()


def test_an_unknown_sprite_with_time_binds_to_none(gvgai: Read, rules_cited: Cited) -> None:
    game = gvgai(SPRITES, "ghost TIME > undoAll")
    assert game.time_effects[0].bound == -1 and rules_cited(game) == ["language 1.6.6"]


def test_add_timer_builds_an_inner_effect_from_the_same_line(gvgai: Read) -> None:
    game = gvgai(SPRITES, "a b > addTimer timer=4 ftype=transformToAll stype=b stypeTo=c killSecond=True")
    outer = game.effects[game.pairs[0].effects[0]]
    assert outer.name == "addTimer" and dict(outer.params) == {"timer": 4, "ftype": "transformToAll"}
    assert outer.inner is not None
    inner = game.effects[outer.inner]
    assert (inner.name, inner.inner) == ("transformToAll", None)
    assert dict(inner.params) == {"stype": "b", "stypeTo": "c", "killSecond": True}
    assert game.diagnostics == ()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("ghost EOS > stepBack", "unknown sprite `ghost` with EOS"),
        ("EOS ghost > stepBack", "unknown sprite `ghost` with EOS"),
        ("TIME EOS > stepBack", "unknown sprite `TIME` with EOS"),
        ("a b > addTimer ftype=addTimer", "cannot start itself"),
        ("a b > bounceForward repeat=100000", "repeat=100000"),
        ("a TIME > undoAll repeating=True", "positive timer"),
        ("a b > addTimer ftype=undoAll repeating=True timer=0", "positive time"),
        ("a TIME b > stepBack", "exactly one other object"),
    ],
)
def test_what_would_stop_the_game_itself_is_an_error(line: str, message: str, gvgai: Read) -> None:
    with pytest.raises(VGDLError, match=message):
        gvgai(SPRITES, line)


def test_effect_names_count_last(gvgai: Read) -> None:
    assert pairs(gvgai(SPRITES, "a b > stepBack scoreChange=1 undoAll")) == [("a", "b", ["undoAll"])]


def test_terminations_in_file_order(gvgai: Read) -> None:
    game = gvgai(
        SPRITES, "", "Timeout limit=9 win=true\nSpriteCounter stype=a\nMultiSpriteCounter stype1=a stype2=b min=True"
    )
    assert [t.name for t in game.terminations] == ["Timeout", "SpriteCounter", "MultiSpriteCounter"]
    assert dict(game.terminations[0].params) == {"limit": 9, "win": "true"}
    assert game.terminations[2].line == 10


@pytest.mark.parametrize(
    "line",
    [
        "TimeOut limit=3",
        "SpriteCounter limit=0",
        "SpriteCounter stype=ghost",
        "MultiSpriteCounter stype1=a stype3=ghost",
        "SpriteCounter stype=1",
    ],
)
def test_a_bad_termination_ends_the_reading(line: str, gvgai: Read, rules_cited: Cited) -> None:
    game = gvgai(SPRITES, "", f"Timeout limit=9\n{line}\nTimeout limit=10", "x > a")
    assert len(game.terminations) == 1 and "x" not in game.mapping
    assert any(rule.startswith("language 1.2.5") for rule in rules_cited(game))


def test_a_single_number_for_limits_is_dropped(gvgai: Read) -> None:
    game = gvgai(SPRITES, "", "Timeout limit=9 limits=5\nTimeout limit=9 limits=5,5")
    assert "limits" not in game.terminations[0].params and game.terminations[1].params["limits"] == "5,5"


def read(text: str) -> GameDefinition:
    from pcg.engine.vgdl import read_game

    return read_game(text, reading="gvgai")


def test_sets_before_the_sprite_set_end_the_reading() -> None:
    with pytest.raises(VGDLError, match="no SpriteSet is read"):
        read("BasicGame\n  InteractionSet\n    a b > stepBack\n  SpriteSet\n    a > Door\n")
    assert read("BasicGame\n  LevelMapping\n    x > a\n  SpriteSet\n    a > Door\n").mapping["x"] == ("a",)


def test_a_set_header_in_the_wrong_case_is_never_executed(rules_cited: Cited) -> None:
    game = read("BasicGame\n  SpriteSet\n    a > Door\n  terminationset\n    Timeout limit=4\n")
    assert game.terminations == () and rules_cited(game) == ["language 1.2.3"]


def test_an_unknown_section_is_skipped_with_everything_below(rules_cited: Cited) -> None:
    game = read("BasicGame\n  SpriteSet\n    a > Door\n  Sprites > Foo\n    b > Door\n")
    assert len(game.types) == 3 and rules_cited(game) == ["language 1.2.3"]


def test_an_interaction_where_a_set_header_should_be_stops_the_reference() -> None:
    with pytest.raises(VGDLError, match="stands where a set header should be"):
        read("BasicGame\n  SpriteSet\n    a > Door\n  InteractionSet\n  a a > stepBack\n")


def test_sets_accumulate_in_file_order() -> None:
    game = read(
        "BasicGame\n SpriteSet\n  a > Door\n TerminationSet\n  Timeout limit=1\n InteractionSet\n  a wall > stepBack\n"
        " TerminationSet\n  Timeout limit=2\n InteractionSet\n  wall a > stepBack\n"
    )
    assert [t.params["limit"] for t in game.terminations] == [1, 2] and len(game.pairs) == 2


def test_lines_below_a_rule_are_not_read(rules_cited: Cited) -> None:
    game = read("BasicGame\n SpriteSet\n  a > Door\n InteractionSet\n  a wall > stepBack\n   wall a > stepBack\n")
    assert len(game.pairs) == 1 and rules_cited(game) == ["language 1.2.3"]


def test_the_mapping_replaces_and_keeps_its_defaults(rules_cited: Cited) -> None:
    game = read(
        "BasicGame\n SpriteSet\n  a > Door\n LevelMapping\n  xy > a\n  A > a wall\n  q >\n  z\n  p - a\n  x > wall\n"
    )
    assert dict(game.mapping) == {"w": ("wall",), "A": ("a", "wall"), "x": ("wall",), "q": (), "p": ("a",)}
    assert set(rules_cited(game)) == {"language 1.3", "language 1.8"}


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("basicgame", "unknown game class `basicgame`, did you mean `BasicGame`?"),
        ("BasicGame no_players=3", "no_players=3"),
        ("BasicGame no_players=0", "no_players=0"),
        ("BasicGame square_size=0", "square_size=0"),
        ("BasicGame no_counters=-1", "no_counters=-1"),
        ("BasicGame no_counters=100000000", "no_counters=100000000"),
    ],
)
def test_headers_that_stop_the_reference(header: str, message: str, gvgai: Read) -> None:
    with pytest.raises(VGDLError) as caught:
        gvgai(SPRITES, header=header)
    assert message in str(caught.value)


def test_header_params(gvgai: Read, rules_cited: Cited) -> None:
    game = gvgai(
        SPRITES, header="BasicGame 2 square_size=20 no_players=2 no_counters=3 key_handler=Pulse obs=a,b speed=1"
    )
    assert dict(game.header) == {
        "square_size": 20,
        "no_players": 2,
        "no_counters": 3,
        "key_handler": "Pulse",
        "obs": "a,b",
    }
    assert (game.players, game.counters, game.class_name) == (2, 3, "BasicGame")
    assert rules_cited(game) == ["language 1.3", "language 1.4"]


def test_a_registered_effect_reads_like_a_built_in_one(gvgai: Read) -> None:
    ontology.register_effect(
        "freeze",
        help="stops A",
        needs_first=True,
        changes_first=True,
        params=[ontology.Param("ticks", "int", 5, "how long")],
    )
    try:
        game = gvgai(SPRITES, "a b > freeze ticks=3")
        assert dict(game.effects[0].params) == {"ticks": 3} and game.diagnostics == ()
    finally:
        ontology.unregister("freeze")
