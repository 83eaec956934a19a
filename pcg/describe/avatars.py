"""Descriptions of the keys, for every avatar class (reference/avatars 8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pcg.describe.description import Control
from pcg.describe.noun_phrases import Names, count, direction, joined, number, sentence
from pcg.describe.sprites import Sprite, common_notes, params_of
from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.definition import SpriteType

ARROWS, SIDES, UPDOWN, SPACE = "Arrow keys", "Left, Right", "Up, Down", "Space"

Keys = Callable[[Sprite], list[Control]]


def _degrees(s: Sprite) -> str:
    angle = s.p.number("angle_diff")
    return f"{number(angle)} radians ({number(round(angle * 57.29577951, 1))}°) a tick"


def _shots(s: Sprite, verb: str = "shoots") -> str:
    """The product of shooting and its cost."""
    weapons = [w.strip() for w in str(s.p["stype"] or "").split(",") if w.strip()]
    ammo = [a.strip() for a in str(s.p["ammo"] or "").split(",") if a.strip()]
    if s.sprite.class_name == "FlakAvatar":
        if not ammo:
            s.p["minAmmo"], s.p["ammoCost"]
            return f"{verb} {s.names.any_of(s.p['stype'])}"
        least, cost = s.p.number("minAmmo"), s.p.number("ammoCost")
        needs = f", if there is more than {number(least)}" if least > -1 else ""
        return f"{verb} {s.names.any_of(s.p['stype'])}, using up {count(cost, s.names.noun(ammo[0]))}{needs}"
    parts = [
        s.names.a(w) + (f" (using up {count(1, s.names.noun(ammo[k]))})" if k < len(ammo) else "")
        for k, w in enumerate(weapons)
    ]
    return f"{verb} {joined(parts, 'or else')}"


def _moves(s: Sprite, keys: str, where: str) -> Control:
    turn = "turns first, then moves" if s.p.flag("rotateInPlace") else "moves"
    if s.pixels:
        return Control(keys, f"pushes {where}, from {s.pace()}")
    return Control(keys, f"{turn} {where}, {s.pace(True)}")


def _four(s: Sprite) -> list[Control]:
    return [_moves(s, ARROWS, "in four directions")]


def _flak(s: Sprite) -> list[Control]:
    return [_moves(s, SIDES, "left and right"), Control(SPACE, _shots(s))]


def _ongoing(s: Sprite) -> list[Control]:
    start = direction(s.p["orientation"])
    return [
        Control("No key", f"it never stops: it moves on, {s.pace()}" + (f", at first {start}" if start else "")),
        Control(ARROWS, "turns"),
    ]


def _trail(s: Sprite) -> list[Control]:
    behind = s.names.any_of(s.p["spawnBehind"]) if s.p["spawnBehind"] else s.names.a("wall")
    keep = _ongoing(s)[0]
    return [
        Control(keep.keys, f"{keep.does}, and leaves {behind} behind"),
        Control(ARROWS, "turns, but never straight back"),
    ]


def _missile(s: Sprite) -> list[Control]:
    where = direction(s.p["orientation"])
    return [Control("No key", f"moves on{f' {where}' if where else ''}, {s.pace()}; no key changes that")]


def _ship(s: Sprite) -> list[Control]:
    return [Control(SIDES, f"turns by {_degrees(s)}"), Control("Up", f"thrusts, speed {number(s.p.number('speed'))}")]


def _car(s: Sprite) -> list[Control]:
    speed, facing = s.p.number("speed"), s.p.number("facing")
    first = f", starting at {count(speed, 'pixel')} a tick" if speed else ""
    return [
        Control("No key", f"it drives on by itself, {'backward' if facing else 'forward'} at first{first}"),
        Control(SIDES, f"steers by {_degrees(s)}"),
        Control("Up", "goes forward"),
        Control("Down", "goes backward"),
    ]


def _spaceship(s: Sprite) -> list[Control]:
    return [
        *_ship(s),
        Control("Down", "thrusts backward"),
        Control(SPACE, f"{_shots(s)}, two at a time where that is possible"),
    ]


def _bird(s: Sprite) -> list[Control]:
    return [
        Control("No key", f"flies on to the right, from {s.pace()}"),
        Control(SPACE, f"flaps upwards, strength {number(s.p.number('jump_strength'))}"),
    ]


def _platformer(s: Sprite) -> list[Control]:
    push, slow = s.p.number("ground_speedup_factor"), s.p.number("air_slowdown_factor")
    return [
        Control(SIDES, f"runs, with a push of {number(push)} on the ground and 1/{number(slow)} in the air"),
        Control(SPACE, f"jumps from the ground, strength {number(s.p.number('jump_strength'))}"),
    ]


def _wizard(s: Sprite) -> list[Control]:
    facing = direction(s.p["facing_dir"])
    s.p["last_block_time"]
    blocks = joined([s.names.a(w.strip()) for w in str(s.p["stype"]).split(",")])
    return [*_platformer(s), Control("Up", f"sets {blocks} in front, every 5 ticks at most (facing {facing} at first)")]


def _shoot(s: Sprite) -> list[Control]:
    return [*_four(s), Control(SPACE, f"{_shots(s)} where it faces, when it does not move")]


def _shoot_ongoing(s: Sprite) -> list[Control]:
    return [*_ongoing(s), Control(SPACE, f"{_shots(s)} where it faces")]


def _shoot_only(s: Sprite) -> list[Control]:
    weapons = [w.strip() for w in str(s.p["stype"] or "").split(",") if w.strip()]
    ammo = [a.strip() for a in str(s.p["ammo"] or "").split(",") if a.strip()]
    way = direction(s.p["orientation"]) or "ahead"
    made = []
    for k, (key, weapon) in enumerate(zip(("Left", "Up", "Right", "Down", SPACE), weapons, strict=False)):
        cost = f", using up {count(1, s.names.noun(ammo[k]))}" if k < len(ammo) else ""
        made.append(Control(key, f"shoots {s.names.a(weapon)} {way}{cost}"))
    return made


def _aimed(s: Sprite) -> list[Control]:
    return [
        Control(UPDOWN, f"turns the gun by {_degrees(s)}"),
        Control(SPACE, f"{_shots(s)} where the gun points, two at a time where that is possible"),
    ]


AVATARS: Mapping[str, Keys] = {
    "MovingAvatar": _four,
    "HorizontalAvatar": lambda s: [_moves(s, SIDES, "left and right")],
    "VerticalAvatar": lambda s: [_moves(s, UPDOWN, "up and down")],
    "NullAvatar": lambda s: [Control("No key", "it cannot do anything")],
    "FlakAvatar": _flak,
    "OrientedAvatar": _four,
    "OngoingAvatar": _ongoing,
    "OngoingTurningAvatar": _trail,
    "MissileAvatar": _missile,
    "CarAvatar": _car,
    "LanderAvatar": _ship,
    "BirdAvatar": _bird,
    "ShootAvatar": _shoot,
    "OngoingShootAvatar": _shoot_ongoing,
    "ShootOnlyAvatar": _shoot_only,
    "AimedAvatar": _aimed,
    "SpaceshipAvatar": _spaceship,
    "PlatformerAvatar": _platformer,
    "WizardAvatar": _wizard,
}
"""Avatar class -> its keys."""

BRIEFLY: Mapping[str, str] = {
    "MovingAvatar": "who moves in four directions",
    "HorizontalAvatar": "who moves left and right",
    "VerticalAvatar": "who moves up and down",
    "NullAvatar": "who cannot do anything",
    "FlakAvatar": "who moves left and right and shoots {shots}",
    "OrientedAvatar": "who turns and moves in four directions",
    "OngoingAvatar": "who never stops and can turn",
    "OngoingTurningAvatar": "who never stops, can turn and leaves a trail",
    "MissileAvatar": "who flies on whatever you do",
    "CarAvatar": "who drives and steers",
    "LanderAvatar": "who turns and thrusts",
    "BirdAvatar": "who flies to the right and flaps",
    "ShootAvatar": "who moves in four directions and uses {shots}",
    "OngoingShootAvatar": "who never stops, can turn and shoots {shots}",
    "ShootOnlyAvatar": "who stands still and shoots {shots}",
    "AimedAvatar": "who aims a gun and shoots {shots}",
    "SpaceshipAvatar": "who turns, thrusts and shoots {shots}",
    "PlatformerAvatar": "who runs and jumps",
    "WizardAvatar": "who runs, jumps and sets {shots}",
}
"""Avatar class -> half a sentence for the summary."""


def controls(sprite: SpriteType, names: Names) -> tuple[tuple[Control, ...], str]:
    """The keys of an avatar type, and what else is to be said about it."""
    name = sprite.class_name or ""
    spec = ontology.SPRITE_CLASSES[name]
    p = params_of(sprite)
    s = Sprite(sprite, names, p)
    write = AVATARS.get(name)
    if write is not None:
        keys = [Control(c.keys, sentence(c.does)) for c in write(s)]
    else:
        shown = ", ".join(a.capitalize() if a != "USE" else SPACE for a in spec.actions) or "No key"
        keys = [Control(shown, sentence(f"{name}: {spec.help}"))]
    notes = common_notes(sprite, p)
    if rest := p.rest():
        notes.append(rest)
    return tuple(keys), " ".join(sentence(n) for n in notes)


def briefly(sprite: SpriteType, names: Names) -> str:
    """Half a sentence about an avatar: "who moves in four directions and uses a knife"."""
    name = sprite.class_name or ""
    text = BRIEFLY.get(name, f"who {ontology.SPRITE_CLASSES[name].help}" if name else "")
    return text.format(shots=names.any_of(sprite.params.get("stype")))
