"""The 31 sprite classes that are no avatars, and the fields every sprite has (reference/sprites 7).

Tables only. What a class does is the kernel's business; here stands what can be written about it in a game.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Final

from pcg.engine.vgdl.definition import Value
from pcg.engine.vgdl.ontology_params import GLIDE, NOTHING, SPAWN, Param, SpriteClass
from pcg.engine.vgdl.values import DIRECTIONS

NONE: Final = DIRECTIONS["NONE"]
NIL: Final = DIRECTIONS["NIL"]
RIGHT: Final = DIRECTIONS["RIGHT"]

BASE_PARAMS: Final[tuple[Param, ...]] = (
    Param("name", "text", None, "display name", inert=True),
    Param("is_static", "bool", False, "no passive step; observed as static"),
    Param("only_active", "bool", False, "no passive step"),
    Param("is_avatar", "bool", False, "observed as an avatar"),
    Param("is_stochastic", "bool", False, "marks the game as stochastic", inert=True),
    Param("is_npc", "bool", False, "observed as a non-player character"),
    Param("is_resource", "bool", False, "can be collected; observed as a resource"),
    Param("portal", "bool", False, "observed as a portal"),
    Param("is_from_avatar", "bool", False, "counts as created by an avatar in the event history"),
    Param("is_oriented", "bool", False, "has a facing: moves passively, turns, hands its orientation on"),
    Param("orientation", "direction", NONE, "initial facing; all but NONE make the sprite oriented"),
    Param("speed", "double", 0.0, "distance of one move", "cells per move, or pixels per tick (continuous)", (0, 2)),
    Param("cooldown", "int", 0, "least time between two moves, or between two spawns", "ticks", (1, 100)),
    Param("lastmove", "int", 0, "time since the last move", "ticks"),
    Param("rotateInPlace", "bool", False, "a press in a new direction only turns"),
    Param("stationary", "bool", False, "cannot move actively"),
    Param("isFirstTick", "bool", True, "the first passive step does nothing"),
    Param("physicstype", "int", 0, "GRID or CONT", range=(0, 1)),
    Param("mass", "double", 1.0, "divides the impulses of continuous physics", range=(0.1, 10)),
    Param("gravity", "double", 0.0, "downward impulse per tick of continuous physics", "pixels per tick", (0, 10)),
    Param("friction", "double", 0.0, "share of the speed lost per tick of continuous physics", range=(0, 1)),
    Param("max_speed", "double", -1.0, "cap of the speed in continuous physics; -1 none", "pixels per tick", (-1, 100)),
    Param("jump_strength", "double", 0.0, "impulse of a jump", "pixels per tick", (0, 50)),
    Param("solid", "bool", False, "can be stood upon in continuous physics"),
    Param("on_ground", "bool", False, "stands on something solid"),
    Param("rotation", "double", 0.0, "heading of some avatars", "radians"),
    Param("wMult", "double", 1.0, "width", "cells", (0.1, 4)),
    Param("hMult", "double", 1.0, "height", "cells", (0.1, 4)),
    Param("healthPoints", "int", 0, "initial health", "health points", (0, 1000)),
    Param("maxHealthPoints", "int", 0, "highest health so far", "health points", (0, 1000)),
    Param("limitHealthPoints", "int", 1000, "cap of the health", "health points", (0, 1000)),
    Param("timeToLive", "int", -1, "dies in the update after this many; -1 for never", "ticks", (-1, 2000)),
    Param("singleton", "bool", False, "at most one sprite of the subtree of the line it is written on"),
    Param("hidden", "flags", None, "not observed; does not block the path-finder"),
    Param("invisible", "flags", "false", "not drawn", drawing=True),
    Param("color", "colour", None, "colour", drawing=True),
    Param("img", "image", None, "image", drawing=True),
    Param("orientedImg", "image", None, "image per direction", drawing=True),
    Param("shrinkfactor", "double", 1.0, "scale of the picture", range=(0, 1), drawing=True),
    Param("autotiling", "bool", False, "image chosen by the neighbours", drawing=True),
    Param("randomtiling", "double", -1.0, "chance of another image; -1 for none", range=(-1, 1), drawing=True),
    Param("frameRate", "double", -1.0, "time between two frames of an animation", "ticks", drawing=True),
    Param("frameRemaining", "int", 0, "time to the next frame", "ticks", drawing=True),
    Param("currentFrame", "int", -1, "frame of the animation", drawing=True),
    Param("draw_arrow", "bool", False, "draw the orientation", drawing=True),
    Param("spriteID", "int", 0, "overwritten at creation", inert=True),
    Param("bucket", "int", 0, "derived from the position", inert=True),
    Param("bucketSharp", "bool", False, "derived from the position", inert=True),
)
"""Fields of every sprite that a game can set (reference/sprites 7.1)."""


INHERITED: Final = (
    "avatar", "actions", "moves", "turns", "dies", "creates", "creates_self", "stochastic", "timed", "rare_fields",
    "stands",
)  # fmt: skip
"""Traits that a class has from its parent unless it says otherwise."""


def define(
    known: dict[str, SpriteClass],
    name: str,
    parent: str | None,
    rule: str,
    help: str,
    *params: Param,
    defaults: Mapping[str, Value] | None = None,
    **flags: Any,
) -> SpriteClass:
    """Add a class to `known`: its parameters are the parent's with new defaults, and its own."""
    inherited = {p.name: p for p in BASE_PARAMS} if parent is None else dict(known[parent].params)
    for key, value in (defaults or {}).items():
        inherited[key] = dataclasses.replace(inherited[key], default=value)
    own = tuple(p.name for p in params if p.name not in inherited)
    inherited.update({p.name: p for p in params})
    if parent is not None:
        for flag in INHERITED:
            flags.setdefault(flag, getattr(known[parent], flag))
    entry = SpriteClass(name, parent, inherited, help, rule, own, dict(defaults or {}), **flags)
    known[name] = entry
    return entry


_SPAWN_PARAMS = (
    Param("prob", "double", 1.0, "chance of a spawn when it is due", range=(0, 1)),
    Param("total", "int", 0, "dies after this many spawns; 0 for never", "sprites", (0, 100)),
    Param("spawnorientation", "direction", NONE, "orientation of the children; NONE hands on the own one"),
)
FAST: Final = Param("speed", "double", 5.0, "distance of one move", "pixels per tick", (0, 20))
"""The speed of classes made for continuous physics."""

_CHASE_PARAMS = (
    Param("stype", "sprite", None, "what it chases", required=True),
    Param("fleeing", "bool", False, "runs away instead"),
    Param("maxDistance", "float", -1.0, "farthest target; -1 for any", "pixels", (-1, 2000)),
)


def sprite_classes() -> dict[str, SpriteClass]:
    """All sprite classes that are no avatars, parents before children."""
    known: dict[str, SpriteClass] = {}
    define(
        known, "Immovable", None, "sprites 7.8", "stands still", defaults={"is_static": True}, update=NOTHING
    )  # fmt: skip
    define(
        known, "Door", "Immovable", "sprites 7.8", "stands still and is observed as a portal",
        defaults={"portal": True}, update=NOTHING,
    )  # fmt: skip
    define(
        known, "Passive", None, "sprites 7.8",
        "does nothing itself, can be pushed; moves if given speed and orientation", update=NOTHING,
    )  # fmt: skip
    define(
        known, "Resource", "Passive", "sprites 7.8", "can be collected",
        Param("value", "int", 1, "amount one sprite is worth", "units", (1, 100)),
        Param("limit", "int", 2, "how much of it a sprite can hold", "units", (1, 1000)),
        Param("resource_name", "sprite", None, "the resource it counts as; its own type by default"),
        defaults={"is_resource": True}, update=NOTHING,
    )  # fmt: skip
    define(
        known, "ResourcePack", "Resource", "sprites 7.8", "counts as another resource; its own limit is not registered",
        Param("resource_name", "sprite", None, "the resource it counts as", required=True),
        defaults={"is_static": True}, update=NOTHING,
    )  # fmt: skip
    define(
        known, "Conveyor", None, "sprites 7.8", "stands still with an orientation for effects to read",
        defaults={"is_static": True, "is_oriented": True, "jump_strength": 1.0, "orientation": NONE}, update=NOTHING,
    )  # fmt: skip
    define(
        known, "SpriteProducer", None, "sprites 7.8", "common parent of portals and spawners; does nothing itself",
        update=NOTHING,
    )  # fmt: skip
    define(
        known, "Portal", "SpriteProducer", "sprites 7.8", "entry of teleportToExit",
        Param("stype", "sprite", None, "type of the exits", required=True),
        defaults={"is_static": True, "portal": True}, update=NOTHING,
    )  # fmt: skip
    define(
        known, "Flicker", None, "sprites 7.8", "disappears by itself",
        Param("limit", "int", 1, "dies in its (limit + 2)nd update", "ticks", (0, 200)),
        Param("age", "int", 0, "updates so far", "ticks"),
        dies=True,
    )  # fmt: skip
    define(
        known, "OrientedFlicker", "Flicker", "sprites 7.8", "a flicker that takes its shooter's orientation",
        defaults={"is_oriented": True, "speed": 0.0},
    )  # fmt: skip
    define(
        known, "Spreader", "Flicker", "sprites 7.8", "in its second update, spawns into the four cells around it",
        Param("spreadprob", "double", 1.0, "chance per direction", range=(0, 1)),
        Param("stype", "sprite", None, "what it spawns; its own type by default, on which the reference crashes"),
        creates=("stype",), creates_self=True, stochastic=True,
    )  # fmt: skip
    define(
        known, "Missile", None, "sprites 7.8", "flies on in its orientation",
        defaults={"speed": 1.0, "is_oriented": True, "orientation": NONE}, moves=True, update=GLIDE,
    )  # fmt: skip
    define(
        known, "RandomMissile", "Missile", "sprites 7.8", "a missile that draws its direction unless it is given one",
        defaults={"orientation": NIL}, turns=True, stochastic=True,
    )  # fmt: skip
    define(known, "ErraticMissile", "Missile", "sprites 7.8", "the same as a missile")
    _movers(known)
    _producers(known)
    return known


def _movers(known: dict[str, SpriteClass]) -> None:
    define(
        known, "RandomNPC", None, "sprites 7.9", "walks at random",
        Param("cons", "int", 0, "repeats each direction this many times more", "updates", (0, 100)),
        defaults={"speed": 1.0, "is_npc": True, "is_stochastic": True}, moves=True, turns=True, stochastic=True,
    )  # fmt: skip
    define(
        known, "RandomInertial", "RandomNPC", "sprites 7.9", "accelerates at random in continuous physics",
        defaults={"physicstype": 1, "is_oriented": True}, rare_fields=True,
    )  # fmt: skip
    define(known, "Chaser", "RandomNPC", "sprites 7.10", "walks towards the nearest target", *_CHASE_PARAMS)
    define(known, "Fleeing", "Chaser", "sprites 7.10", "walks away from the nearest target", defaults={"fleeing": True})
    define(known, "LOSChaser", "Chaser", "sprites 7.10", "chases what lies on the line of its last random direction")
    define(
        known, "PathChaser", "RandomNPC", "sprites 7.12", "follows shortest paths; needs `obs` in the header",
        Param("stype", "sprite", None, "what it chases", required=True),
        Param("fleeing", "bool", False, "unused", inert=True),
        Param("maxDistance", "float", -1.0, "unused", inert=True),
    )  # fmt: skip
    define(
        known, "AlternateChaser", "RandomNPC", "sprites 7.11", "chases one of several types",
        Param("stype1", "sprites", None, "what it chases", required=True),
        Param("stype2", "sprites", None, "ignored by the reference", inert=True),
        Param("fleeing", "bool", False, "runs away as long as there never was a target"),
    )  # fmt: skip
    define(
        known, "RandomAltChaser", "AlternateChaser", "sprites 7.11",
        "an AlternateChaser that sometimes walks at random",
        Param("epsilon", "double", 0.0, "chance of a random step", range=(0, 1)),
    )  # fmt: skip
    define(
        known, "PathAltChaser", "AlternateChaser", "sprites 7.12", "an AlternateChaser on shortest paths; needs `obs`",
        Param("randomTarget", "bool", False, "draws its target instead of taking the nearest"),
        rare_fields=True,
    )  # fmt: skip
    define(
        known, "RandomPathAltChaser", "PathAltChaser", "sprites 7.12", "a PathAltChaser that sometimes walks at random",
        Param("epsilon", "double", 0.0, "chance of a random step", range=(0, 1)),
    )  # fmt: skip
    define(
        known, "Walker", None, "sprites 7.9", "walks to and fro in continuous physics",
        Param("airsteering", "bool", False, "steers in every tick, not only when it stopped"),
        FAST,
        defaults={"speed": 5.0, "max_speed": 5.0, "is_oriented": True, "is_stochastic": True, "on_ground": False},
        moves=True, turns=True, stochastic=True, rare_fields=True, stands=True,
    )  # fmt: skip
    define(
        known, "WalkerJumper", "Walker", "sprites 7.9", "a walker that jumps now and then",
        Param("probability", "double", 0.1, "chance of a jump per tick on the ground", range=(0, 1)),
        defaults={"jump_strength": 1.0, "max_speed": 5.0},
    )  # fmt: skip


def _producers(known: dict[str, SpriteClass]) -> None:
    define(
        known, "SpawnPoint", "SpriteProducer", "sprites 7.13", "spawns sprites, one every `cooldown` ticks at most",
        Param("stype", "sprite", None, "what it spawns", required=True, late=True),
        *_SPAWN_PARAMS,
        Param("counter", "int", 0, "reset at creation", inert=True),
        defaults={"cooldown": 1, "is_static": True, "speed": 0.0}, creates=("stype",), stochastic=True,
        update=SPAWN, draws_for_prob=True, timed=True,
    )  # fmt: skip
    define(
        known, "Bomber", "SpawnPoint", "sprites 7.13", "a spawner that moves if given a speed",
        defaults={"is_static": False, "is_oriented": True, "orientation": RIGHT, "is_npc": True, "speed": 0.0},
        update=SPAWN, draws_for_prob=True,
    )  # fmt: skip
    bomber: dict[str, Value] = {"is_static": False, "is_oriented": True, "orientation": RIGHT, "is_npc": True}
    define(
        known, "RandomBomber", "SpawnPoint", "sprites 7.13", "a spawner that walks at random",
        defaults={**bomber, "speed": 1.0}, moves=True, turns=True,
    )  # fmt: skip
    define(
        known, "BomberRandomMissile", "SpawnPoint", "sprites 7.13", "a spawner that draws what it spawns",
        Param("stypeMissile", "sprites", None, "what it spawns", required=True, late=True),
        Param("stype", "sprite", None, "replaced in every update", inert=True),
        defaults={**bomber, "speed": 0.0}, creates=("stypeMissile",), update=SPAWN, rare_fields=True,
    )  # fmt: skip
    define(
        known, "SpawnPointMultiSprite", "SpriteProducer", "sprites 7.13",
        "spawns one sprite of every listed type at a time",
        Param("stypes", "sprites", None, "what it spawns", required=True, late=True),
        *_SPAWN_PARAMS,
        defaults={
            "cooldown": 1, "is_static": True, "is_oriented": True, "orientation": RIGHT, "is_npc": True,
        },
        creates=("stypes",), stochastic=True, update=SPAWN, draws_for_prob=True, timed=True,
    )  # fmt: skip
