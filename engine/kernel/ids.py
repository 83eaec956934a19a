"""Numeric ids of everything the compiled kernel dispatches on.

The order is part of no file format: ids are private to one process. Names are those of VGDL text
(reference/sprites 7.3, reference/effects 10, reference/terminations 4).
"""

from __future__ import annotations

from pcg.engine.vgdl.ontology_effects import effects

SPRITE_CLASSES: tuple[str, ...] = (
    "Immovable", "Door", "Passive", "Resource", "ResourcePack", "Conveyor", "SpriteProducer", "Portal",
    "Flicker", "OrientedFlicker", "Spreader",
    "Missile", "RandomMissile", "ErraticMissile",
    "RandomNPC", "RandomInertial", "Chaser", "Fleeing", "LOSChaser", "PathChaser",
    "AlternateChaser", "RandomAltChaser", "PathAltChaser", "RandomPathAltChaser",
    "Walker", "WalkerJumper",
    "SpawnPoint", "Bomber", "RandomBomber", "BomberRandomMissile", "SpawnPointMultiSprite",
)  # fmt: skip

AVATAR_CLASSES: tuple[str, ...] = (
    "MovingAvatar", "HorizontalAvatar", "VerticalAvatar", "NullAvatar", "FlakAvatar",
    "OrientedAvatar", "OngoingAvatar", "OngoingTurningAvatar", "MissileAvatar",
    "CarAvatar", "LanderAvatar", "BirdAvatar",
    "ShootAvatar", "OngoingShootAvatar", "ShootOnlyAvatar", "AimedAvatar", "SpaceshipAvatar",
    "PlatformerAvatar", "WizardAvatar",
)  # fmt: skip

EFFECTS: tuple[str, ...] = tuple(effects())
"""In the order in which the ontology declares them."""

TERMINATIONS: tuple[str, ...] = (
    "SpriteCounter", "SpriteCounterMore", "MultiSpriteCounter", "MultiSpriteCounterSubTypes", "Timeout", "StopCounter",
)  # fmt: skip

ACTIONS: tuple[str, ...] = ("NIL", "UP", "LEFT", "DOWN", "RIGHT", "USE", "ESCAPE")

CLASS_ID: dict[str, int] = {name: index for index, name in enumerate(SPRITE_CLASSES + AVATAR_CLASSES)}
FIRST_AVATAR_CLASS: int = len(SPRITE_CLASSES)
EFFECT_ID: dict[str, int] = {name: index for index, name in enumerate(EFFECTS)}
TERMINATION_ID: dict[str, int] = {name: index for index, name in enumerate(TERMINATIONS)}
ACTION_ID: dict[str, int] = {name: index for index, name in enumerate(ACTIONS)}
