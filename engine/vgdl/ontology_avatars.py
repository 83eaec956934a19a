"""The 19 avatar classes (reference/avatars 8). Tables only; actions stand in the order the reference offers them."""

from __future__ import annotations

from pcg.engine.vgdl.ontology_params import Param, SpriteClass
from pcg.engine.vgdl.ontology_sprites import FAST, NONE, RIGHT, define

ALL_WAYS = ("LEFT", "RIGHT", "DOWN", "UP")
SHOOTING = ("USE", "LEFT", "RIGHT", "DOWN", "UP")

_AMMO = Param("ammo", "sprites", None, "resources used up by shooting, one per weapon; none shoots for free")


def avatar_classes() -> dict[str, SpriteClass]:
    """All avatar classes, parents before children."""
    known: dict[str, SpriteClass] = {}
    define(
        known, "MovingAvatar", None, "avatars 8.3", "moves in four directions",
        defaults={"speed": 1.0, "is_avatar": True}, avatar=True, moves=True, actions=ALL_WAYS,
    )  # fmt: skip
    define(known, "HorizontalAvatar", "MovingAvatar", "avatars 8.3", "moves left and right", actions=("LEFT", "RIGHT"))
    define(known, "VerticalAvatar", "MovingAvatar", "avatars 8.3", "moves up and down", actions=("UP", "DOWN"))
    # The reference lists NIL as this class's only action; lists here are without NIL.
    define(known, "NullAvatar", "HorizontalAvatar", "avatars 8.3", "cannot do anything", actions=())
    define(
        known, "FlakAvatar", "HorizontalAvatar", "avatars 8.4", "moves left and right and shoots",
        Param("stype", "sprite", None, "what it shoots", required=True),
        Param("ammo", "sprite", None, "resource used up by shooting; none shoots for free"),
        Param("minAmmo", "int", -1, "shoots only with more than this; -1 for more than none", "units", (-1, 100)),
        Param("ammoCost", "int", 1, "price of a shot", "units", (0, 100)),
        actions=("USE", "LEFT", "RIGHT"), creates=("stype",),
    )  # fmt: skip
    define(
        known, "OrientedAvatar", "MovingAvatar", "avatars 8.3", "turns first, then moves",
        defaults={"orientation": RIGHT, "is_oriented": True, "rotateInPlace": True}, turns=True,
    )  # fmt: skip
    define(known, "OngoingAvatar", "OrientedAvatar", "avatars 8.5", "never stops", defaults={"speed": 1.0})
    define(
        known, "OngoingTurningAvatar", "OrientedAvatar", "avatars 8.5",
        "never stops, turns left and right, leaves a trail",
        Param("spawnBehind", "sprite", None, "what it leaves behind; type 0, `wall`, by default"),
        defaults={"speed": 1.0}, creates=("spawnBehind",),
    )  # fmt: skip
    define(
        known,
        "MissileAvatar",
        "OrientedAvatar",
        "avatars 8.5",
        "flies on, ignoring the player",
        defaults={"speed": 1.0},
    )
    define(
        known, "CarAvatar", "OrientedAvatar", "avatars 8.6", "drives in continuous physics",
        Param("angle_diff", "double", 0.15, "turn per tick", "radians", (0, 3.2)),
        Param("facing", "double", 0.0, "0 drives forward, 1 backward", range=(0, 1)),
        defaults={"speed": 0.0}, rare_fields=True,
    )  # fmt: skip
    define(
        known, "LanderAvatar", "OrientedAvatar", "avatars 8.6", "turns and thrusts in continuous physics",
        Param("angle_diff", "double", 0.3, "turn per tick", "radians", (0, 3.2)),
        FAST,
        defaults={"speed": 5.0, "orientation": NONE}, rare_fields=True,
    )  # fmt: skip
    define(
        known, "BirdAvatar", "OrientedAvatar", "avatars 8.6", "flies right and flaps upwards",
        defaults={"jump_strength": 10.0}, actions=("USE",), rare_fields=True,
    )  # fmt: skip
    define(
        known, "ShootAvatar", "OrientedAvatar", "avatars 8.4", "turns, moves, and shoots where it faces",
        Param("stype", "sprites", None, "what it shoots; the first with ammunition", required=True),
        _AMMO,
        actions=SHOOTING, creates=("stype",),
    )  # fmt: skip
    define(
        known, "OngoingShootAvatar", "ShootAvatar", "avatars 8.5", "never stops, shoots where it faces",
        defaults={"speed": 1.0},
    )  # fmt: skip
    define(
        known, "ShootOnlyAvatar", "ShootAvatar", "avatars 8.4", "stands still; each action fires one of its weapons",
        actions=("LEFT", "UP", "RIGHT", "DOWN", "USE"), moves=False, turns=False,
    )  # fmt: skip
    define(
        known, "AimedAvatar", "ShootAvatar", "avatars 8.6", "turns its gun up and down",
        Param("angle_diff", "double", 0.15, "turn per tick", "radians", (0, 3.2)),
        defaults={"speed": 0.0, "stationary": True}, actions=("USE", "DOWN", "UP"), rare_fields=True,
    )  # fmt: skip
    define(
        known, "SpaceshipAvatar", "ShootAvatar", "avatars 8.6", "turns, thrusts and shoots in continuous physics",
        Param("angle_diff", "double", 0.3, "turn per tick", "radians", (0, 3.2)),
        FAST,
        defaults={"speed": 5.0, "orientation": NONE}, rare_fields=True,
    )  # fmt: skip
    platformer = {"jump_strength": 10.0, "max_speed": 30.0, "on_ground": False}
    speedups = (
        Param("ground_speedup_factor", "double", 1.0, "multiplies the push on the ground", range=(0, 10)),
        Param("air_slowdown_factor", "double", 2.0, "divides the push in the air", range=(0.1, 10)),
    )
    define(
        known, "PlatformerAvatar", "MovingAvatar", "avatars 8.6", "runs and jumps in continuous physics", *speedups,
        defaults=platformer, actions=("LEFT", "RIGHT", "USE"), turns=True, rare_fields=True, stands=True,
    )  # fmt: skip
    define(
        known, "WizardAvatar", "MovingAvatar", "avatars 8.6",
        "runs, jumps and sets blocks in continuous physics", *speedups,
        Param("stype", "sprites", None, "what it sets", required=True),
        Param("last_block_time", "int", 0, "when it set the last block", "ticks"),
        Param("facing_dir", "direction", RIGHT, "where it sets blocks"),
        defaults={**platformer, "speed": 0.0}, actions=("LEFT", "RIGHT", "USE", "UP"), turns=True, creates=("stype",),
        rare_fields=True, stands=True, timed=True,
    )  # fmt: skip
    return known
