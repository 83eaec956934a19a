"""The SpriteSet as the reference reads it (reference/language 1.5)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pcg.engine.vgdl import GameDefinition, VGDLError

Read = Callable[..., GameDefinition]


def names(game: GameDefinition, ids: tuple[int, ...]) -> list[str]:
    return [game.types[i].name for i in ids]


def test_ids_are_in_preorder_after_wall_and_avatar(gvgai: Read) -> None:
    game = gvgai("a >\n    b > Passive\n        c >\n    d > Door\nwall > Door\ne > Door")
    assert [t.name for t in game.types] == ["wall", "avatar", "a", "b", "c", "d", "e"]
    assert [t.id for t in game.types] == list(range(7))
    assert game.type_index["c"] == 4


def test_wall_and_avatar_exist_undefined(gvgai: Read) -> None:
    game = gvgai("rock > Passive")
    wall, avatar = game.types[:2]
    assert (wall.class_name, wall.params["solid"], wall.params["color"], wall.subtypes) == (
        "Immovable",
        True,
        "DARKGRAY",
        (0,),
    )
    assert (avatar.class_name, dict(avatar.params), avatar.subtypes, avatar.line) == ("MovingAvatar", {}, (1,), 0)


def test_a_defined_wall_is_not_solid_unless_it_says_so(gvgai: Read) -> None:
    assert "solid" not in gvgai("wall > Immovable").types[0].params


def test_the_class_of_the_nearest_ancestor_that_names_one_wins(
    gvgai: Read, rules_cited: Callable[..., list[str]]
) -> None:
    game = gvgai(
        "structure > Immovable\n"
        "    goal > Door\n"
        "        left >\n"
        "        right > Passive\n"
        "            far >\n"
        "    post >\n"
    )  # fmt: skip
    assert [t.class_name for t in game.types[2:]] == ["Immovable", "Immovable", "Door", "Door", "Passive", "Immovable"]
    assert rules_cited(game).count("language 1.5.3") == 2


def test_params_are_inherited_key_by_key(gvgai: Read) -> None:
    game = gvgai("a > Missile speed=2 cooldown=3\n    b > speed=0.5\n        c > orientation=UP")
    assert dict(game.types[4].params) == {"speed": 0.5, "cooldown": 3, "orientation": (0.0, -1.0)}
    assert dict(game.types[4].raw) == {"speed": "0.5", "cooldown": "3", "orientation": "UP"}


def test_params_are_fitted_to_the_class_in_force(gvgai: Read) -> None:
    game = gvgai("a > limit=3\n    b > Flicker\n    c > Resource\n    d > Passive")
    assert [dict(t.params) for t in game.types[2:]] == [{}, {"limit": 3}, {"limit": 3}, {}]


def test_singleton_counts_on_the_very_line_only(gvgai: Read) -> None:
    game = gvgai("a > Missile singleton=TRUE\n    b >\n    c > singleton=false\nd > Missile singleton=1")
    assert [t.singleton for t in game.types[2:]] == [True, False, False, False]
    assert game.types[3].params["singleton"] is True


def test_sub_lists_start_with_the_ancestors(gvgai: Read) -> None:
    game = gvgai("a >\n    b >\n        c > Door\n        d > Door\n    e > Door")
    assert [names(game, t.subtypes) for t in game.types[2:]] == [
        ["a", "b", "c", "d", "e"],
        ["a", "b", "c", "d"],
        ["a", "b", "c"],
        ["a", "b", "d"],
        ["a", "e"],
    ]
    assert [names(game, t.path) for t in game.types[2:]] == [
        ["a"],
        ["a", "b"],
        ["a", "b", "c"],
        ["a", "b", "d"],
        ["a", "e"],
    ]


def test_the_draw_order_holds_leaves_and_ends_with_the_avatar(gvgai: Read) -> None:
    game = gvgai("avatar > MovingAvatar\na >\n    b > Door\n    c > Door\nd > Door")
    assert names(game, game.draw_order) == ["wall", "b", "c", "d", "avatar"]


def test_a_redefinition_replaces_everything_but_the_id(gvgai: Read, rules_cited: Callable[..., list[str]]) -> None:
    game = gvgai("a > Missile speed=2\nb > Door\ntop >\n    a > Passive color=RED")
    a = game.types[2]
    assert (a.class_name, dict(a.params), names(game, a.path)) == ("Passive", {"color": "RED"}, ["top", "a"])
    assert names(game, game.draw_order) == ["wall", "b", "a", "avatar"]
    assert "language 1.5.6" in rules_cited(game)


def test_a_line_without_arrow_stops_its_siblings_silently(gvgai: Read, rules_cited: Callable[..., list[str]]) -> None:
    game = gvgai("a >\n    b > Door\n    c Door\n    d > Door\ne > Door")
    assert [t.name for t in game.types[2:]] == ["a", "b", "e"]
    assert rules_cited(game) == ["language 1.3"]


def test_resource_limits_belong_to_the_class_resource_alone(gvgai: Read) -> None:
    game = gvgai(
        "a > Resource\nb > Resource limit=9\nc > ResourcePack limit=9 resource_name=a\n"
        "d > Immovable\n    e > Resource limit=4"
    )
    assert [t.resource_limit for t in game.types] == [0, 0, 2, 9, 0, 0, 0]


def test_a_second_sprite_set_wipes_the_rules(gvgai: Read) -> None:
    game = gvgai(
        "a > Missile\n",
        "a wall > killSprite\na EOS > killSprite\na TIME > killSprite\n",
        "Timeout limit=5",
        header="BasicGame\n    SpriteSet\n        b > Door\n    InteractionSet\n        b wall > stepBack",
    )
    assert [t.name for t in game.types] == ["wall", "avatar", "b", "a"]
    assert names(game, game.draw_order) == ["wall", "b", "wall", "avatar", "a", "avatar"]
    assert [effect.name for effect in game.effects] == ["killSprite"] * 3
    assert len(game.pairs) == 1 and len(game.eos_types) == 1 and len(game.time_effects) == 1


@pytest.mark.parametrize(
    ("line", "dropped"),
    [
        ("a > Missile speed=fast", "speed"),
        ("a > Missile cooldown=2.0", "cooldown"),
        ("a > Missile solid=1", "solid"),
        ("a > Missile orientation=right", "orientation"),
        ("a > Missile color=NOPE", "color"),
        ("a > Chaser stype=avatar maxDistance=20.5", "maxDistance"),
        ("a > Portal stype=3", "stype"),
    ],
)
def test_misfits_are_dropped_with_a_warning(
    line: str, dropped: str, gvgai: Read, rules_cited: Callable[..., list[str]]
) -> None:
    game = gvgai(line)
    assert dropped not in game.types[2].params and dropped in game.types[2].raw
    assert "language 1.4" in rules_cited(game)


def test_a_later_misfit_takes_an_inherited_value_with_it(gvgai: Read) -> None:
    assert "speed" not in gvgai("a > Missile speed=2\n    b > speed=fast").types[3].params


def test_unknown_keys_are_ignored_with_a_warning_that_names_the_nearest(gvgai: Read) -> None:
    game = gvgai("a > Missile coolDown=3")
    assert dict(game.types[2].params) == {}
    assert [d.suggestion for d in game.diagnostics] == ["cooldown"]


def test_an_unknown_class_reads_but_cannot_be_created(gvgai: Read, rules_cited: Callable[..., list[str]]) -> None:
    game = gvgai("a > Misile")
    assert game.types[2].class_name is None and dict(game.types[2].params) == {}
    assert rules_cited(game) == ["language 1.5.9"]


def test_a_sprite_below_itself_is_an_error(write: Callable[..., str], gvgai: Read) -> None:
    with pytest.raises(VGDLError, match="`a` is defined below itself"):
        gvgai("a >\n    b >\n        a > Door")


def test_constants_convert_in_params(gvgai: Read) -> None:
    params = gvgai("a > RandomInertial physicstype=GRID color=LIGHTBLUE orientation=DNIL").types[2].params
    assert dict(params) == {"physicstype": 0, "color": "LIGHTBLUE", "orientation": (-1.0, -1.0)}


def test_values_never_narrow_into_trusted_params(gvgai: Read) -> None:
    params = gvgai("a > Chaser stype=avatar speed=1 maxDistance=40 cooldown=2").types[2].params
    assert isinstance(params["speed"], float) and isinstance(params["maxDistance"], float)
    assert isinstance(params["cooldown"], int)
