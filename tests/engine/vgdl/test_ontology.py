"""The registry of everything that can be named in a game."""

from __future__ import annotations

import pytest

from pcg.engine.kernel import ids
from pcg.engine.vgdl import PcgError, ontology
from pcg.engine.vgdl.findings import Findings
from pcg.engine.vgdl.ontology import (
    EFFECTS,
    SPRITE_CLASSES,
    TERMINATIONS,
    EffectSpec,
    Param,
    SpriteClass,
    TerminationSpec,
)
from pcg.engine.vgdl.ontology_params import WRITE_FLAGS
from pcg.engine.vgdl.values import DIRECTIONS

ENTRIES: list[SpriteClass | EffectSpec | TerminationSpec] = [
    *SPRITE_CLASSES.values(),
    *EFFECTS.values(),
    *TERMINATIONS.values(),
]


def test_everything_the_kernel_dispatches_on_is_declared() -> None:
    avatars = {name for name, entry in SPRITE_CLASSES.items() if entry.avatar}
    assert avatars == set(ids.AVATAR_CLASSES) and len(avatars) == 19
    assert set(SPRITE_CLASSES) - avatars == set(ids.SPRITE_CLASSES) and len(SPRITE_CLASSES) == 50
    assert set(EFFECTS) == set(ids.EFFECTS) and len(EFFECTS) == 58
    assert set(TERMINATIONS) == set(ids.TERMINATIONS) and len(TERMINATIONS) == 6


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_every_entry_is_complete(entry: SpriteClass | EffectSpec | TerminationSpec) -> None:
    assert entry.help and entry.rule and entry.runnable and ontology.cannot_run(entry) == ""
    assert set(entry.own) <= set(entry.params)
    kinds: dict[str, type | tuple[type, ...]] = {
        "int": int, "double": float, "float": float, "bool": bool, "text": str, "direction": tuple, "colour": str,
    }  # fmt: skip
    for name, param in entry.params.items():
        assert param.name == name and param.help and param.type in ontology.FIELD_TYPES
        if param.default is not None:
            assert type(param.default) is kinds[param.field], (entry.name, name)
        if param.range is not None and isinstance(param.default, int | float) and param.default not in (-1, 0, 10000):
            assert param.range[0] <= param.default <= param.range[1], (entry.name, name)
        if param.required:
            assert param.default is None


@pytest.mark.parametrize("entry", SPRITE_CLASSES.values(), ids=lambda entry: entry.name)
def test_a_class_has_its_parents_parameters(entry: SpriteClass) -> None:
    if entry.parent is None:
        assert set(ontology.SPRITE_BASE_PARAMS) <= set(entry.params)
        return
    parent = SPRITE_CLASSES[entry.parent]
    assert set(parent.params) <= set(entry.params)
    assert set(entry.params) - set(parent.params) == set(entry.own)
    for key, param in entry.params.items():
        if key in parent.params and key not in entry.defaults:
            assert param.default == parent.params[key].default
    assert set(entry.creates) <= set(entry.params)


@pytest.mark.parametrize(
    ("name", "defaults"),
    [
        ("Immovable", {"is_static": True, "portal": False, "speed": 0.0}),
        ("Door", {"is_static": True, "portal": True}),
        ("ResourcePack", {"is_static": True, "is_resource": True, "value": 1, "limit": 2}),
        ("RandomMissile", {"speed": 1.0, "is_oriented": True, "orientation": DIRECTIONS["NIL"]}),
        ("Fleeing", {"fleeing": True, "speed": 1.0, "is_npc": True, "maxDistance": -1.0}),
        ("RandomInertial", {"physicstype": 1, "is_oriented": True}),
        ("WalkerJumper", {"probability": 0.1, "jump_strength": 1.0, "speed": 5.0, "max_speed": 5.0}),
        ("SpawnPoint", {"cooldown": 1, "is_static": True, "prob": 1.0, "total": 0}),
        ("Bomber", {"is_static": False, "orientation": DIRECTIONS["RIGHT"], "is_npc": True, "speed": 0.0}),
        ("RandomBomber", {"is_static": False, "speed": 1.0}),
        ("AimedAvatar", {"speed": 0.0, "stationary": True, "angle_diff": 0.15, "rotateInPlace": True}),
        ("SpaceshipAvatar", {"speed": 5.0, "orientation": DIRECTIONS["NONE"], "is_oriented": True}),
        ("WizardAvatar", {"speed": 0.0, "jump_strength": 10.0, "facing_dir": DIRECTIONS["RIGHT"]}),
        ("NullAvatar", {"is_avatar": True, "speed": 1.0}),
    ],
)
def test_class_defaults(name: str, defaults: dict[str, object]) -> None:
    params = SPRITE_CLASSES[name].params
    assert {key: params[key].default for key in defaults} == defaults


@pytest.mark.parametrize(
    ("name", "actions"),
    [
        ("MovingAvatar", "LEFT RIGHT DOWN UP"),
        ("VerticalAvatar", "UP DOWN"),
        ("FlakAvatar", "USE LEFT RIGHT"),
        ("ShootOnlyAvatar", "LEFT UP RIGHT DOWN USE"),
        ("AimedAvatar", "USE DOWN UP"),
        ("BirdAvatar", "USE"),
        ("WizardAvatar", "LEFT RIGHT USE UP"),
        ("OngoingShootAvatar", "USE LEFT RIGHT DOWN UP"),
        ("NullAvatar", ""),
    ],
)
def test_actions_in_the_offered_order(name: str, actions: str) -> None:
    assert SPRITE_CLASSES[name].actions == tuple(actions.split())


def test_only_avatars_have_actions() -> None:
    assert all(entry.avatar or not entry.actions for entry in SPRITE_CLASSES.values())


@pytest.mark.parametrize("entry", EFFECTS.values(), ids=lambda entry: entry.name)
def test_effects_state_what_they_write(entry: EffectSpec) -> None:
    assert set(entry.creates) | set(entry.touches) <= set(entry.own)
    assert all(EFFECTS[entry.name].params[key].references for key in (*entry.creates, *entry.touches))
    assert set(entry.only_if) <= set(WRITE_FLAGS)
    for flag, condition in entry.only_if.items():
        assert getattr(entry, flag) and entry.params[condition].type == "bool"
        assert entry.writes({condition: True})[flag] and not entry.writes({condition: False})[flag]
    harmless = {"shieldFrom", "addTimer"}
    writes = (
        any(entry.writes({}).values()) or entry.creates or entry.touches or entry.touches_all or entry.creates_first
    )
    assert bool(writes) == (entry.name not in harmless)


def test_write_flags_follow_the_parameters() -> None:
    collect = EFFECTS["collectResource"]
    assert collect.writes({})["kills_first"] and not collect.writes({"killResource": False})["kills_first"]
    assert not EFFECTS["align"].writes({"orient": False})["changes_first"]
    assert EFFECTS["wallBounce"].moves_second and EFFECTS["wallBounce"].only_resets and EFFECTS["wallBounce"].batch


def test_the_effects_that_draw_random_numbers() -> None:
    drawing = {name for name, entry in EFFECTS.items() if entry.stochastic}
    assert drawing == {
        "flipDirection", "teleportToExit", "transformToRandomChild", "attractGaze", "spawn", "spawnIfHasMore",
        "spawnIfHasLess", "spawnBehind", "spawnAbove", "spawnBelow", "spawnLeft", "spawnRight",
    }  # fmt: skip
    assert {name for name, entry in EFFECTS.items() if entry.uses_prob} == drawing - {
        "flipDirection",
        "teleportToExit",
        "transformToRandomChild",
    }


def test_a_registered_class_inherits_and_is_checked() -> None:
    fade = Param("fade", "int", 10, "ticks until it is gone", "ticks", (1, 100))
    ghost = ontology.register_sprite_class(
        "Ghost", parent="Chaser", help="fades", params=[fade], defaults={"speed": 0.5}
    )
    try:
        assert SPRITE_CLASSES["Ghost"] is ghost and ghost.stochastic and ghost.params["speed"].default == 0.5
        assert ghost.own == ("fade",) and not ghost.runnable
        assert ontology.cannot_run(ghost).endswith("cannot be run yet")
        with pytest.raises(PcgError, match="already registered"):
            ontology.register_sprite_class("Ghost", parent="Chaser", help="again")
    finally:
        ontology.unregister("Ghost")
    assert "Ghost" not in SPRITE_CLASSES


def test_registered_terminations_and_effects() -> None:
    ontology.register_termination("Draw", help="ends in a draw", runnable=True)
    ontology.register_effect(
        "freeze", help="stops A", params=[Param("ticks", "int", 5, "how long")], changes_first=True
    )
    try:
        assert "win" in TERMINATIONS["Draw"].params and TERMINATIONS["Draw"].runnable
        assert "scoreChange" in EFFECTS["freeze"].params and EFFECTS["freeze"].writes({})["changes_first"]
    finally:
        ontology.unregister("Draw")
        ontology.unregister("freeze")


@pytest.mark.parametrize("name", ["", "two words", "a#b", "k=v", ">", "a,b", "Missile"])
def test_impossible_names_are_refused(name: str) -> None:
    with pytest.raises(PcgError):
        ontology.register_sprite_class(name, parent="Missile", help="never")


def test_bad_registrations_name_the_nearest() -> None:
    with pytest.raises(PcgError, match="did you mean `Missile`"):
        ontology.register_sprite_class("Arrow", parent="Misile", help="never")
    with pytest.raises(PcgError, match="did you mean `direction`"):
        ontology.register_effect("turn", help="never", params=[Param("to", "directon", None, "where")])
    with pytest.raises(PcgError, match="no parameter `sped`"):
        ontology.register_sprite_class("Arrow", parent="Missile", help="never", defaults={"sped": 1.0})
    with pytest.raises(PcgError, match="not an entry registered by a user"):
        ontology.unregister("Missile")


def test_findings_keep_what_stops_even_when_full() -> None:
    findings = Findings("gvgai", "x", [])
    for number in range(300):
        findings.error(f"error {number}")
        findings.warning(f"warning {number}")
    assert len(findings.items) == 200 and findings._count == {"error": 100, "warning": 100}
    with pytest.raises(PcgError, match="the last straw"):
        findings.crash("the last straw")
