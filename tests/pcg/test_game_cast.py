"""The cast of a game: walk-on parts go, what matters to the player stays."""

from __future__ import annotations

import pytest

from pcg.engine.game import load
from pcg.engine.vgdl import check_game
from pcg.runs.experiments.cast import (
    with_cast,
    with_plain_goals,
    with_quarry,
    with_stops_at_edges,
    with_stops_of_boxes,
    without_absent_sprites,
    without_doubles,
    without_lone_groups,
)
from tests.support.fetch import FETCH, LEVEL

CROWD = (
    FETCH.lstrip()
    .replace(
        "        hero >",
        "        visitor > RandomNPC\n        pillar > Immovable\n        dog > RandomNPC\n        hero >",
    )
    .replace(
        "        hero wall > stepBack",
        "        hero wall > stepBack\n        visitor wall > stepBack\n        pillar visitor > killSprite\n"
        "        coin dog > killSprite",
    )
    .replace(
        "        A > floor hero",
        "        v > floor visitor\n        p > floor pillar\n        d > floor dog\n        A > floor hero",
    )
)
"""The game with a visitor who fells pillars, and a dog that eats coins."""


def test_walk_on_parts_go_with_their_rules_and_characters() -> None:
    level = LEVEL.replace("wA....", "wA.vpd")
    text, levels = with_cast(CROWD, [level])
    assert check_game(text) == []
    assert "visitor" not in text and "pillar" not in text
    assert "coin dog > killSprite" in " ".join(text.split()), "what changes the game for the player stays"
    assert "ghost" in text
    assert levels[0].splitlines()[1].startswith("wA...d")
    assert load(text, levels=levels, reading="strict").levels == levels


def test_of_a_group_those_who_do_nothing_go_and_levels_keep_the_usual_ground() -> None:
    text = CROWD.replace("dog > RandomNPC", "pets >\n            dog > RandomNPC\n            cat > RandomNPC")
    text = text.replace("d > floor dog", "k > floor cat\n        d > floor dog").replace(
        "visitor wall > stepBack", "pets wall > stepBack\n        visitor wall > stepBack"
    )
    made, levels = with_cast(text, [LEVEL.replace("wA....", "wA.vkd")])
    assert "cat" not in made and "coin dog > killSprite" in " ".join(made.split())
    assert levels[0].splitlines()[1].startswith("wA...d") and check_game(made) == []
    ground = [names for names in load(made).definition.mapping.values() if tuple(names) == ("floor",)]
    assert len(ground) == 1, "no second character for the ground"


def test_who_chases_what_is_never_there_wanders() -> None:
    chased = FETCH.lstrip().replace("ghost > RandomNPC", "bait > Immovable\n        ghost > Chaser stype=bait")
    text = with_quarry(chased, [LEVEL])
    assert "ghost > RandomNPC cooldown=2" in " ".join(text.split())
    present = chased.replace("stype=bait", "stype=hero")
    assert "Chaser stype=hero" in with_quarry(present, [LEVEL])


BOXES = (
    FETCH.lstrip()
    .replace("        coin >", "        crate > Passive\n        barrel > Passive color=RED\n        coin >", 1)
    .replace("        c >", "        1 > floor crate\n        2 > floor barrel\n        c >")
    .replace(
        "        hero wall > stepBack",
        "        hero wall > stepBack\n        crate hero > bounceForward\n        crate wall > undoAll\n"
        "        barrel wall > undoAll\n        barrel hero > bounceForward\n        crate barrel > undoAll\n"
        "        crate crate > undoAll\n        barrel barrel > undoAll",
    )
)
"""The game with crates and barrels, which are the same but for their colour."""


def test_of_things_that_all_rules_treat_alike_one_kind_is_left() -> None:
    level = LEVEL.replace("wA....", "wA.12.")
    text, levels = without_doubles(BOXES, [level])
    assert "barrel" not in text and "2 >" not in text and check_game(text) == []
    assert levels[0].splitlines()[1].startswith("wA.11.")
    assert load(text, levels=levels, reading="strict").levels == levels


def test_of_four_kinds_one_is_left_whichever_of_two_comes_first_in_a_rule() -> None:
    text = BOXES
    for name, character in (("cask", "3"), ("tub", "4")):
        text = text.replace("        coin >", f"        {name} > Passive\n        coin >", 1)
        text = text.replace("        c >", f"        {character} > floor {name}\n        c >")
        rules = [f"{name} hero > bounceForward", f"{name} wall > undoAll"]
        text = text.replace(
            "        hero wall >", "".join(f"        {rule}\n" for rule in rules) + "        hero wall >"
        )
    whole = with_stops_of_boxes(text)
    assert "cask tub > undoAll" in " ".join(whole.split()) and whole.count("undoAll") == 4 + 10
    made, levels = without_doubles(whole, [LEVEL.replace("wA......", "wA.1234.")])
    assert made.count("Passive") == 1 and made.count("undoAll") == 2 and check_game(made) == []
    assert len(set(levels[0].splitlines()[1][3:7])) == 1


def test_of_three_kinds_one_is_left_where_pairs_come_in_any_order() -> None:
    text = BOXES.replace("        coin >", "        tub > Passive\n        coin >", 1)
    text = text.replace("        c >", "        3 > floor tub\n        c >")
    rules = ("tub hero > bounceForward", "tub wall > undoAll", "crate tub > undoAll", "tub barrel > undoAll",
             "tub tub > undoAll")  # fmt: skip
    text = text.replace("        hero wall >", "".join(f"        {rule}\n" for rule in rules) + "        hero wall >")
    made, _ = without_doubles(text, [LEVEL.replace("wA.....", "wA.123.")])
    assert made.count("Passive") == 1 and made.count("undoAll") == 2 and check_game(made) == []


def test_a_goal_of_one_kind_counts_one_kind() -> None:
    text = FETCH.lstrip().replace("SpriteCounter stype=coin limit=0", "MultiSpriteCounter stype2=coin limit=0")
    assert "SpriteCounter stype=coin" in " ".join(with_plain_goals(text).split()).replace("MultiSpriteCounter", "Multi")
    two = FETCH.lstrip().replace("SpriteCounter stype=coin", "MultiSpriteCounter stype1=ghost stype2=coin")
    assert "MultiSpriteCounter" in with_plain_goals(two)


def test_a_goal_counts_no_kind_beside_its_group() -> None:
    text = FETCH.lstrip().replace("        coin >", "        gold >\n            coin >", 1)
    text = text.replace("SpriteCounter stype=coin", "MultiSpriteCounter stype1=coin stype2=gold stype3=ghost")
    assert "MultiSpriteCounter stype1=gold stype2=ghost" in " ".join(with_plain_goals(text).split())
    exact = text.replace("stype3=ghost limit=0", "stype3=ghost limit=2")
    assert "stype3=ghost" in with_plain_goals(exact), "a coin counts twice there"


def test_of_things_that_a_goal_counts_together_one_kind_is_left() -> None:
    text = FETCH.lstrip().replace("        coin >", "        gem > Immovable\n        coin >", 1)
    text = text.replace("        c >", "        d > floor gem\n        c >")
    text = text.replace("        coin hero >", "        gem hero > killSprite scoreChange=1\n        coin hero >")
    alone = text.replace("stype=coin limit=0", "stype=coin")
    level = LEVEL.replace("wA....", "wA.dd.")
    assert without_doubles(alone, [level])[0] == alone, "gems are no part of the goal"
    both = text.replace("SpriteCounter stype=coin", "MultiSpriteCounter stype1=coin stype2=gem")
    made, levels = without_doubles(both, [level])
    assert "coin" not in made and "SpriteCounter stype=gem" in " ".join(made.split()) and check_game(made) == []
    assert levels[0] == level.replace("c", "d")
    group = alone.replace("SpriteCounter stype=coin", "SpriteCounter stype=gem")
    assert without_doubles(group, [level])[0] == group


def test_walls_that_all_rules_treat_alike_are_one_kind() -> None:
    text = FETCH.lstrip().replace("        wall > Immovable\n", "        wall > Immovable\n        rock > Immovable\n")
    text = text.replace("        w >", "        r > rock\n        w >")
    rules = "        hero rock > stepBack\n        ghost rock > stepBack\n        hero wall >"
    made, levels = without_doubles(text.replace("        hero wall >", rules), [LEVEL.replace("wA.", "wAr")])
    assert "rock" not in made and levels == (LEVEL.replace("wA.", "wAw"),) and check_game(made) == []


def test_what_is_only_collected_for_nothing_goes() -> None:
    text = FETCH.lstrip().replace("        coin >", "        leaf > Resource\n        coin >", 1)
    text = text.replace("A > floor hero", "A > floor hero leaf\n        l > floor leaf")
    text = text.replace("        coin hero >", "        leaf hero > collectResource\n        coin hero >")
    made, levels = with_cast(text, [LEVEL.replace("wA.", "wAl")])
    assert "leaf" not in made and levels == (LEVEL,) and check_game(made) == []
    paid = text.replace("> collectResource", "> collectResource scoreChange=1")
    assert "leaf hero > collectResource" in " ".join(with_cast(paid, [LEVEL])[0].split())
    asked = text.replace("hero ghost > killSprite", "hero ghost > killIfHasLess resource=leaf limit=0")
    assert "leaf hero > collectResource" in " ".join(with_cast(asked, [LEVEL])[0].split())


def test_what_is_pushed_stays_on_the_map_where_the_player_does() -> None:
    held = BOXES.replace(
        "        hero wall >", "        barrel EOS > killSprite\n        hero EOS > stepBack\n        hero wall >"
    )
    made, levels = with_stops_at_edges(held, [LEVEL])
    rules = " ".join(made.split())
    assert "crate EOS > undoAll" in rules and "barrel EOS > undoAll" not in rules and levels == (LEVEL,)
    assert check_game(made) == [] and with_stops_at_edges(made, [LEVEL])[0] == made
    assert with_stops_at_edges(BOXES, [LEVEL])[0] == BOXES, "who may leave the map has walls around"


def test_boxes_that_lie_under_the_player_alone_go() -> None:
    """Also where the checker would miss what the ground is made of, which nothing needs either."""
    text = BOXES.replace("A > floor hero", "A > floor barrel hero").replace(
        "        c >", "        _ > ash\n        c >"
    )
    text = text.replace("        coin >", "        ash > Immovable\n        coin >", 1)
    level = LEVEL.replace("wA....", "wA.1__")
    made, levels = with_cast(text, [level])
    assert "barrel" not in made and "crate" in made and check_game(made) == [] and levels == (level,)
    kept = text.replace("stype=coin", "stype=barrel")
    assert "barrel" in with_cast(kept, [level])[0], "an end counts them"
    assert "barrel" in with_cast(text, [level.replace("1_", "12")])[0], "there are others"


def test_boxes_stop_at_one_another_only_where_some_do() -> None:
    free = BOXES.replace("crate barrel > undoAll", "").replace("crate crate > undoAll", "")
    free = free.replace("        barrel barrel > undoAll\n", "")
    assert "crate wall > undoAll" in free and with_stops_of_boxes(free) == free
    broken = BOXES.replace("crate barrel > undoAll", "crate barrel > killSprite")
    assert with_stops_of_boxes(broken) == broken, "who meets by another rule goes by it"


@pytest.mark.parametrize(
    ("rule", "other"),
    [
        ("barrel hero > bounceForward", "barrel hero > killSprite"),  # another rule with a third
        ("barrel barrel > undoAll", "barrel barrel > stepBack"),  # among themselves
        ("crate barrel > undoAll", "hero barrel > stepBack"),  # one with the other
        ("barrel > Passive color=RED", "barrel > Passive mass=2"),  # another nature
        ("SpriteCounter stype=coin", "SpriteCounter stype=barrel"),  # one is asked for by name
    ],
)
def test_things_that_differ_in_any_rule_stay_two_kinds(rule: str, other: str) -> None:
    text = BOXES.replace(rule, other)
    assert text != BOXES
    level = LEVEL.replace("wA....", "wA.12.")
    assert without_doubles(text, [level]) == (text, (level,))


def test_a_game_without_walk_on_parts_stays_as_it_is() -> None:
    text, levels = with_cast(FETCH.lstrip(), [LEVEL])
    assert levels == (LEVEL,) and load(text).definition.type_index.keys() == load(FETCH).definition.type_index.keys()


def test_a_group_of_one_is_its_member() -> None:
    text = FETCH.lstrip().replace(
        "        ghost > RandomNPC cooldown=2", "        spirits > cooldown=2\n            ghost > RandomNPC"
    )
    flat = without_lone_groups(text.replace("hero ghost >", "hero spirits >"))
    assert "spirits" not in flat and "hero ghost" in " ".join(flat.split())
    assert load(flat).definition.types[load(flat).definition.type_index["ghost"]].raw["cooldown"] == "2"


def test_a_shot_that_hits_nothing_goes_and_the_avatar_shoots_no_more() -> None:
    armed = (
        FETCH.lstrip()
        .replace("        hero > MovingAvatar", "        knife > Missile\n        hero > ShootAvatar stype=knife", 1)
        .replace("        hero wall > stepBack", "        hero wall > stepBack\n        knife wall > killSprite", 1)
    )
    assert "ShootAvatar" in armed and check_game(armed) == []
    text, _ = with_cast(armed, [LEVEL])
    assert "knife" not in text and "ShootAvatar" not in text and "MovingAvatar" in text and check_game(text) == []
    hits = armed.replace(
        "        knife wall > killSprite", "        knife wall > killSprite\n        ghost knife > killSprite"
    )
    assert "ShootAvatar stype=knife" in with_cast(hits, [LEVEL])[0], "one that hits somebody stays"


def test_a_portal_without_an_exit_goes_from_game_and_levels_and_not_its_exit_alone() -> None:
    text = (
        FETCH.lstrip()
        .replace("        hero >", "        in > Portal stype=out\n        out > Immovable\n        hero >", 1)
        .replace("        A > floor hero", "        i > floor in\n        o > floor out\n        A > floor hero")
        .replace("        hero wall > stepBack", "        hero wall > stepBack\n        hero in > teleportToExit")
    )
    level = LEVEL.replace("wA....", "wA..i.")
    led = with_cast(text, [level.replace("i.", "io")])
    assert "Portal" in led[0] and led[1][0].splitlines()[1].startswith("wA..io"), "one that leads somewhere stays"
    nowhere = text.replace("        o > floor out\n", "")
    assert "Portal stype=out" in without_absent_sprites(nowhere)
    made, levels = with_cast(nowhere, [level])
    assert "Portal" not in made and "teleport" not in made and check_game(made) == []
    assert levels[0].splitlines()[1].startswith("wA....")
    assert load(made, levels=levels, reading="strict").levels == levels


def test_a_shot_for_which_there_never_is_ammunition_goes_with_its_rules() -> None:
    armed = (
        FETCH.lstrip()
        .replace(
            "        hero > MovingAvatar",
            "        gem > Resource\n        knife > Missile\n"
            "        hero > ShootAvatar stype=knife ammo=gem ammoCost=2 minAmmo=1",
            1,
        )
        .replace("        hero wall > stepBack", "        hero wall > stepBack\n        ghost knife > killSprite", 1)
    )
    text, _ = with_cast(armed, [LEVEL])
    assert not {"knife", "gem", "ammo"} & set(text.replace("=", " ").split()) and check_game(text) == []
    given = armed.replace("ghost knife >", "hero coin > changeResource resource=gem value=2\n        ghost knife >")
    assert given != armed and "ammo=gem" in with_cast(given, [LEVEL])[0], "who gets some can shoot"


def test_litter_goes_with_the_rule_that_leaves_it() -> None:
    text = FETCH.lstrip().replace("        coin > Immovable", "        hay > Immovable\n        coin > Immovable")
    littered = text.replace("hero ghost > kill", "coin ghost > spawn stype=hay\n        hero ghost > kill")
    assert "hay" in littered and "hay" not in with_cast(littered, [LEVEL])[0]
    met = littered.replace("hero ghost > kill", "hero hay > stepBack\n        hero ghost > kill")
    assert "spawn stype=hay" in with_cast(met, [LEVEL])[0], "what stops the player is no litter"


def test_a_nest_of_walk_on_parts_goes_with_them() -> None:
    nested = CROWD.replace(
        "        pillar > Immovable", "        pillar > SpawnPoint stype=visitor cooldown=4"
    ).replace("        pillar visitor > killSprite\n", "")
    text, levels = with_cast(nested, [LEVEL.replace("wA....", "wA.vpd")])
    assert check_game(text) == [] and "visitor" not in text and "pillar" not in text
    kept, _ = with_cast(
        nested.replace("pillar > SpawnPoint stype=visitor", "pillar > SpawnPoint stype=ghost"), levels[:0]
    )
    assert "pillar" in kept, "one of ghosts stays"
