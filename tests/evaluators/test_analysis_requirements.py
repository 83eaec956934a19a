"""Requirements on a level of a game, found by searching backwards from its endings."""

from __future__ import annotations

from rulebooks import LOCK, SHOOTER, SWITCH, with_forms

from pcg.engine.game import load
from pcg.engine.vgdl import read_game
from pcg.evaluators.analysis import analyse
from pcg.evaluators.requirements import Requirements, requirements


def required(text: str) -> tuple[Requirements, dict[str, int]]:
    definition = read_game(text, reading="strict")
    return requirements(analyse(definition)), dict(definition.type_index)


def needs(found: Requirements, ids: dict[str, int]) -> set[tuple[str, str, int, int]]:
    names = {i: n for n, i in ids.items()}
    return {(names[n.base], names[n.other], n.first, n.each) for n in found.needs}


def test_a_gate_needs_the_key_that_turns_the_avatar_into_who_can_open_it() -> None:
    assert needs(*required(LOCK)) == {("gate", "key", 1, 0)}


def test_keys_that_are_used_up_are_needed_once_per_door() -> None:
    definition = load("dungeon").definition
    found = requirements(analyse(definition))
    assert ("door", "key", 1, 1) in needs(found, dict(definition.type_index))


def test_a_lock_on_many_units_needs_as_many_resources() -> None:
    text = LOCK.replace("key > Immovable", "key > Resource limit=9 value=2").replace(
        "gate rich > killSprite", "gate poor > killIfOtherHasMore resource=key limit=5"
    )
    text = text.replace("poor key > transformTo stype=rich killSecond=True", "key poor > collectResource")
    assert needs(*required(text)) == {("gate", "key", 3, 0)}


def test_what_swallows_a_crate_and_vanishes_with_it_is_needed_once_per_crate() -> None:
    text = LOCK.replace("SpriteCounter stype=gate limit=0 win=True", "SpriteCounter stype=crate limit=0 win=True")
    text = text.replace("pit crate > killBoth", "crate pit > killBoth")
    assert ("crate", "pit", 1, 1) in needs(*required(text))
    forever = text.replace("crate pit > killBoth", "crate pit > killSprite")
    assert ("crate", "pit", 1, 0) in needs(*required(forever))


def test_what_all_have_to_go_may_not_turn_into_another_of_these() -> None:
    text = LOCK.replace("crate > Passive", "box >\n            crate > Passive\n            rubble > Passive")
    text = text.replace("stype=gate limit=0 win=True", "stype=box limit=0 win=True")
    text = text.replace("pit crate > killBoth", "crate pit > transformTo stype=rubble\n        crate key > killSprite")
    assert needs(*required(text)) == {("crate", "key", 1, 0)}
    swept = text.replace("crate key > killSprite", "rubble rat > killSprite")
    assert needs(*required(swept)) == {("crate", "pit", 1, 0), ("crate", "nest", 1, 0)}
    found, ids = required(text.replace("crate key > killSprite", "crate key > stepBack"))
    assert found.unwinnable == (ids["crate"],)
    several = text.replace("stype=box limit=0 win=True", "stype=crate limit=0 win=True")
    assert needs(*required(several.replace("crate key > killSprite", ""))) == {("crate", "pit", 1, 0)}


def test_of_two_ways_the_one_that_scores_is_needed() -> None:
    text = LOCK.replace("stype=gate limit=0 win=True", "stype=crate limit=0 win=True")
    ways = "crate pit > killSprite scoreChange={}\n        crate key > killSprite scoreChange={}"
    for scores, needed in (((1, 0), "pit"), ((0, 1), "key"), ((-1, 0), "key"), ((2, 1), "key"), ((1, 2), "key")):
        found = needs(*required(text.replace("pit crate > killBoth", ways.format(*scores))))
        assert found == {("crate", needed, 1, 0)}, scores


def test_needs_that_a_level_does_without_are_none() -> None:
    found, ids = required(LOCK)
    whole = {ids["poor"]: 1, ids["gate"]: 1, ids["key"]: 1}
    assert found.kept_by([whole, {ids["poor"]: 1}]) == found
    assert not found.kept_by([whole, whole | {ids["key"]: 0}]).all_needs


def test_every_portal_needs_its_exit() -> None:
    text = LOCK.replace("gate > Door", "gate > Door\n        hole > Portal stype=end\n        end > Immovable")
    text = text.replace("hero pit", "hero hole > teleportToExit\n        hero pit")
    text = text.replace("o > floor pit", "o > floor pit\n        h > floor hole\n        e > floor end")
    assert ("hole", "end", 1, 0) in needs(*required(text))


def test_a_goal_nothing_removes_is_reported() -> None:
    found, ids = required(LOCK.replace("gate rich > killSprite", "rat gate > stepBack"))
    assert found.unwinnable == (ids["gate"],)


def test_spawners_count_towards_a_goal_that_counts_what_they_make() -> None:
    found, ids = required(SHOOTER)
    rule = next(c for c in found.counts if ids["ship"] in c.types)
    assert set(rule.types) == {ids["ship"], ids["port"]}
    assert rule.minimum == 1


def test_shortfalls_name_what_is_missing_and_satisfaction_grows_as_it_is_added() -> None:
    found, ids = required(LOCK)
    empty, half, whole = {}, {ids["poor"]: 1, ids["gate"]: 1}, {ids["poor"]: 1, ids["gate"]: 1, ids["key"]: 1}
    assert found.shortfalls(half) == ["to get rid of gate"]
    assert found.shortfalls(whole) == []
    assert found.satisfaction(empty) < found.satisfaction(half) < found.satisfaction(whole) == 1.0


def test_two_avatars_are_one_too_many() -> None:
    found, ids = required(LOCK)
    counts = {ids["poor"]: 2, ids["gate"]: 1, ids["key"]: 1}
    assert found.shortfalls(counts) == ["one avatar per player: 2 instead of 1..1"]


def test_a_gate_that_winning_does_not_ask_for_needs_its_key_too() -> None:
    found, ids = required(
        LOCK.replace("SpriteCounter stype=gate limit=0 win=True", "SpriteCounter stype=crate win=True")
    )
    assert ("gate", "key") not in {pair[:2] for pair in needs(found, ids)}
    assert [(n.base, n.other, n.first, n.each) for n in found.gates] == [(ids["gate"], ids["key"], 1, 0)]
    enough = {ids["poor"]: 1, ids["crate"]: 1, ids["pit"]: 1, ids["gate"]: 2}
    assert found.shortfalls(enough) == ["to open gate"]
    assert found.satisfaction(enough) < 1.0 == found.satisfaction(enough | {ids["key"]: 1})
    assert found.satisfaction(enough, known=[enough]) == 1.0  # where the game's own levels do without
    assert not found.shortfalls(enough | {ids["gate"]: 0})


def test_a_gate_that_others_open_from_afar_needs_both_of_them_once() -> None:
    assert needs(*required(SWITCH)) == {("gate", "crate", 1, 0), ("gate", "pit", 1, 0)}
    touched = SWITCH.replace("crate pit > killAll", "hero nest > killAll")
    assert needs(*required(touched)) == {("gate", "nest", 1, 0)}


def test_a_gate_whose_switch_nothing_comes_to_stays_shut() -> None:
    found, ids = required(SWITCH.replace("crate pit > killAll", "key pit > killAll"))
    assert found.unwinnable == (ids["gate"],)


def test_things_that_all_turn_into_each_other_are_searched_once() -> None:
    assert needs(*required(with_forms(14))) == {("gate", "form0", 1, 0), ("gate", "form1", 1, 0)}
