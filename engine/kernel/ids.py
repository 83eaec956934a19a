"""Numeric ids of everything the compiled kernel dispatches on.

The order is part of no file format: ids are private to one process. Names are those of VGDL text
(reference/sprites 7.3, reference/effects 10, reference/terminations 4).
"""

from __future__ import annotations

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

EFFECTS: tuple[str, ...] = (
    "stepBack", "undoAll", "align", "wrapAround", "turnAround", "bounceForward", "pullWithIt", "teleportToExit",
    "wallStop", "wallBounce", "wallReverse", "bounceDirection",
    "reverseDirection", "flipDirection", "attractGaze", "halfSpeed",
    "increaseSpeedToAll", "decreaseSpeedToAll", "setSpeedForAll", "waterPhysics",
    "killSprite", "killBoth", "killAll", "killIfAlive", "killIfHasMore", "killIfHasLess", "killIfOtherHasMore",
    "killIfFromAbove", "killIfFrontal", "killIfNotFrontal", "killIfFast", "killIfSlow", "killIfNotUpright",
    "transformTo", "transformToAll", "transformIfCount", "transformToRandomChild", "transformToSingleton",
    "cloneSprite", "spawn", "spawnBehind", "spawnAbove", "spawnBelow", "spawnLeft", "spawnRight",
    "spawnIfHasMore", "spawnIfHasLess", "spawnIfCounterSubTypes", "updateSpawnType",
    "collectResource", "collectResourceIfHeld", "changeResource",
    "addHealthPoints", "addHealthPointsToMax", "subtractHealthPoints", "removeScore", "shieldFrom", "addTimer",
)  # fmt: skip

TERMINATIONS: tuple[str, ...] = (
    "SpriteCounter", "SpriteCounterMore", "MultiSpriteCounter", "MultiSpriteCounterSubTypes", "Timeout", "StopCounter",
)  # fmt: skip

ACTIONS: tuple[str, ...] = ("NIL", "UP", "LEFT", "DOWN", "RIGHT", "USE", "ESCAPE")

CLASS_ID: dict[str, int] = {name: index for index, name in enumerate(SPRITE_CLASSES + AVATAR_CLASSES)}
FIRST_AVATAR_CLASS: int = len(SPRITE_CLASSES)
EFFECT_ID: dict[str, int] = {name: index for index, name in enumerate(EFFECTS)}
TERMINATION_ID: dict[str, int] = {name: index for index, name in enumerate(TERMINATIONS)}
ACTION_ID: dict[str, int] = {name: index for index, name in enumerate(ACTIONS)}
