"""The analysis of the rules of a game: roles, endings, who removes and makes whom."""

from __future__ import annotations

from pathlib import Path

import pytest
from rulebooks import LOCK, SHOOTER, SWITCH

from pcg.engine.game import load
from pcg.engine.vgdl import read_game
from pcg.evaluators.analysis import ROLES, GameAnalysis, analyse


def roles(analysis: GameAnalysis, name: str) -> frozenset[str]:
    return analysis.roles[analysis.definition.type_index[name]]


@pytest.fixture(scope="module")
def lock() -> GameAnalysis:
    return analyse(read_game(LOCK, reading="strict"))


@pytest.fixture(scope="module")
def shooter() -> GameAnalysis:
    return analyse(read_game(SHOOTER, reading="strict"))


def test_what_stops_the_avatar_and_nothing_removes_is_a_wall(lock: GameAnalysis) -> None:
    assert {"solid", "wall"} <= roles(lock, "wall")


def test_a_door_that_another_form_of_the_avatar_removes_is_a_gate_and_a_goal(lock: GameAnalysis) -> None:
    assert {"solid", "gate", "goal", "portal"} <= roles(lock, "gate")
    assert "wall" not in roles(lock, "gate")


def test_a_door_that_others_open_from_afar_is_a_gate_and_any_other_thing_is_solid() -> None:
    switched = analyse(read_game(SWITCH, reading="strict"))
    assert {"solid", "gate"} <= roles(switched, "gate")
    (removal,) = [r for r in switched.removals if r.victim == switched.definition.type_index["gate"]]
    crate, pit = (switched.definition.type_index[name] for name in ("crate", "pit"))
    assert (removal.partner, removal.switch) == (crate, pit)
    rock = analyse(read_game(SWITCH.replace("gate > Door", "gate > Immovable"), reading="strict"))
    assert roles(rock, "gate") & {"solid", "gate", "wall"} == {"solid"}


def test_what_disappears_on_contact_is_collectable_also_as_the_second_sprite(lock: GameAnalysis) -> None:
    assert "collectable" in roles(lock, "key")
    assert "harmful" not in roles(lock, "key")


def test_what_kills_the_avatar_is_harmful_and_its_spawner_too(lock: GameAnalysis) -> None:
    assert {"harmful", "mover", "spawned"} <= roles(lock, "rat")
    assert {"harmful", "spawner"} <= roles(lock, "nest")


def test_what_kills_and_stands_still_is_a_hazard(lock: GameAnalysis) -> None:
    assert {"harmful", "hazard"} <= roles(lock, "pit")
    assert "hazard" not in roles(lock, "rat")


def test_what_the_avatar_shoves_is_pushable_and_not_solid(lock: GameAnalysis) -> None:
    assert "pushable" in roles(lock, "crate")
    assert "solid" not in roles(lock, "crate")


def test_types_can_be_asked_for_by_role(lock: GameAnalysis) -> None:
    assert lock.names(lock.having("gate")) == ("gate",)
    assert lock.has(lock.definition.type_index["rat"], "mover")


def test_sprites_without_rules_are_background(lock: GameAnalysis) -> None:
    assert roles(lock, "floor") == {"background"}


def test_the_avatar_of_the_start_is_the_mapped_one_not_what_it_turns_into(lock: GameAnalysis) -> None:
    assert lock.names(lock.start_avatars) == ("poor",)
    assert set(lock.names(lock.avatars)) == {"poor", "rich"}


def test_endings_say_what_must_vanish_and_how_many_a_level_starts_with(lock: GameAnalysis) -> None:
    (win,) = lock.wins
    assert (win.kind, lock.names(win.types), win.minimum) == ("vanish", ("gate",), 1)
    assert lock.how_to_win == ("get rid of gate",)
    assert [e.kind for e in lock.losses] == ["vanish", "timeout"]


def test_surviving_is_a_way_to_win() -> None:
    analysis = analyse(load("survival").definition)
    assert analysis.how_to_win == ("survive until tick 200",)


def test_a_counter_that_must_rise_bounds_the_start_from_above() -> None:
    text = LOCK.replace("SpriteCounter stype=gate limit=0 win=True", "SpriteCounterMore stype=rich limit=3 win=True")
    (win,) = analyse(read_game(text, reading="strict")).wins
    assert (win.kind, win.limit, win.maximum) == ("appear", 3, 2)


def test_a_gun_on_rails_moves_sideways_and_belongs_where_it_faces_its_targets(shooter: GameAnalysis) -> None:
    assert (shooter.mobility, shooter.avatar_side) == ("horizontal", "bottom")
    upside_down = analyse(read_game(SHOOTER.replace("orientation=UP", "orientation=DOWN"), reading="strict"))
    assert upside_down.avatar_side == "top"


def test_what_a_shot_removes_is_breakable_and_directions_of_travel_are_known(shooter: GameAnalysis) -> None:
    ship = shooter.definition.type_index["ship"]
    assert "breakable" in roles(shooter, "ship")
    assert shooter.drifts[ship] == (-1, 0)


def test_the_predefined_avatar_counts_in_a_game_that_defines_none() -> None:
    text = "BasicGame\n    SpriteSet\n        gem > Immovable\n    InteractionSet\n        gem avatar > killSprite\n"
    text += "    LevelMapping\n        g > gem\n    TerminationSet\n        SpriteCounter stype=gem limit=0 win=True\n"
    analysis = analyse(read_game(text, reading="gvgai"))
    assert analysis.names(analysis.start_avatars) == ("avatar",)
    assert "collectable" in roles(analysis, "gem")


@pytest.mark.parametrize("name", ["boxes", "crossing", "digger", "dungeon", "hunt", "invaders", "portals", "survival"])
def test_every_built_in_game_has_a_goal_and_only_declared_roles(name: str) -> None:
    analysis = analyse(load(name).definition)
    assert analysis.wins
    assert all(found <= set(ROLES) and found for found in analysis.roles.values())


def test_every_reference_game_can_be_analysed(shared: Path) -> None:
    for folder in ("gridphysics", "contphysics", "2player"):
        for path in sorted((shared / "gvgai" / "games" / folder).glob("*.txt")):
            if "_" in path.stem:
                continue
            analysis = analyse(read_game(path, reading="gvgai"))
            assert analysis.avatars, path.stem
            assert all(analysis.roles[t] for t in analysis.concrete), path.stem


def test_what_grows_where_its_maker_stands_meets_it() -> None:
    """A nest lays eggs in its own cell, and nothing else ever lies there."""
    game = read_game(
        "BasicGame\n SpriteSet\n  nest > SpawnPoint stype=egg cooldown=9\n  egg > SpawnPoint stype=chick\n"
        "  chick > Immovable\n  rock > Immovable\n  hero > MovingAvatar\n InteractionSet\n  egg hero > killSprite\n"
        " TerminationSet\n  SpriteCounter stype=egg win=True\n LevelMapping\n  n > nest\n  r > rock\n  A > hero\n",
        reading="strict",
    )
    found, index = analyse(game), game.type_index
    for one, other in (("nest", "egg"), ("nest", "chick"), ("egg", "chick"), ("egg", "egg")):
        assert found.can_meet(index[one], index[other]) and found.can_meet(index[other], index[one])
    for one, other in (("nest", "rock"), ("rock", "chick"), ("nest", "nest"), ("rock", "rock")):
        assert not found.can_meet(index[one], index[other])
