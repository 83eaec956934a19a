"""Lines of a SpriteSet: families of classes, and parameters with values in their ranges.

Everything is read from the ontology registry, so that classes which users register take part. A class changes within
its family, so that what is a wall stays something that stands and who plays stays an avatar.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.lint import NEEDS_OBS
from pcg.engine.vgdl.ontology_params import Param, SpriteClass
from pcg.engine.vgdl.values import COLOURS
from pcg.generators.games.genes import GameGenotype
from pcg.generators.rules.genes import Params
from pcg.generators.rules.space import draw_real_or_flag, draw_whole_number

FAMILIES = ("avatar", "producer", "portal", "resource", "flicker", "npc", "mover", "static", "passive")
CONTINUOUS = frozenset({
    "CarAvatar", "LanderAvatar", "BirdAvatar", "AimedAvatar", "SpaceshipAvatar", "PlatformerAvatar", "WizardAvatar",
    "RandomInertial", "Walker", "WalkerJumper",
})  # fmt: skip
"""Classes of continuous physics: drawn only for games that have one of them already."""
LEFT_OUT = frozenset({"SpriteProducer", "NullAvatar", "MissileAvatar", "ErraticMissile"})
"""Classes that are never drawn: they do nothing, follow no player, or are another by a second name."""
USUAL: Mapping[str, float] = {
    "MovingAvatar": 5.0, "ShootAvatar": 4.0, "FlakAvatar": 2.0, "HorizontalAvatar": 1.5, "OrientedAvatar": 1.0,
    "Immovable": 5.0, "Door": 2.0, "Passive": 3.0, "Resource": 4.0, "Missile": 4.0, "RandomNPC": 4.0, "Chaser": 3.0,
    "Fleeing": 2.0, "SpawnPoint": 4.0, "Bomber": 2.0, "Portal": 2.0, "Flicker": 2.0, "ResourcePack": 0.4,
    "VerticalAvatar": 0.5, "Spreader": 0.4,
}  # fmt: skip
"""Relative frequencies of classes, 1 for one not named here: about as often as designers use them."""
_SHARED: Mapping[str, tuple[str, ...]] = {
    "avatar": ("speed", "cooldown"),
    "npc": ("speed", "cooldown"),
    "mover": ("speed", "cooldown", "orientation", "singleton", "timeToLive"),
    "producer": ("cooldown",),
}
"""Of the parameters that every class has, those that matter to a family."""
_UNDRAWN = frozenset({"counter", "age", "last_block_time", "facing_dir", "value", "spawnorientation", "rotation"})
_SPEEDS = ("0.1", "0.2", "0.25", "0.35", "0.5", "0.75", "1")
_WAYS = ("UP", "DOWN", "LEFT", "RIGHT")
_NO_COLOURS = frozenset({"RANDOM", "BLACK", "DARKGRAY"})
OPTIONAL = 0.35
"""Share of the optional parameters that are given a value."""


def lineage_of(class_name: str) -> tuple[str, ...]:
    """A class and those above it, from below."""
    found: list[str] = []
    name: str | None = class_name
    while name is not None:
        found.append(name)
        name = ontology.SPRITE_CLASSES[name].parent
    return tuple(found)


def family(class_name: str) -> str:
    """The family of a class.

    >>> family("Chaser"), family("Bomber"), family("Door"), family("FlakAvatar")
    ('npc', 'producer', 'static', 'avatar')
    """
    spec = ontology.SPRITE_CLASSES[class_name]
    known = lineage_of(class_name)
    if spec.avatar:
        return "avatar"
    for root, name in (("Portal", "portal"), ("SpriteProducer", "producer"), ("Resource", "resource"),
                       ("Flicker", "flicker"), ("RandomNPC", "npc")):  # fmt: skip
        if root in known:
            return name
    if spec.moves:
        return "mover"
    return "static" if spec.params["is_static"].default else "passive"


def classes(game: GameGenotype, wanted: str) -> tuple[str, ...]:
    """The classes of a family that a game can have."""
    there = {game.class_of(s.name) for s in game.leaves}
    obs = any(key == "obs" for key, _ in game.header)
    return tuple(
        name for name, spec in ontology.SPRITE_CLASSES.items()
        if spec.runnable and name not in LEFT_OUT and family(name) == wanted
        and (name not in CONTINUOUS or there & CONTINUOUS) and (name not in NEEDS_OBS or obs)
        and all(values(game, p, spec, "") for p in spec.params.values() if p.required and p.references)
    )  # fmt: skip


def draw_class(game: GameGenotype, wanted: str, rng: np.random.Generator) -> str | None:
    """A class of a family, the usual ones more often; None when the game can have none."""
    names = classes(game, wanted)
    if not names:
        return None
    weights = np.array([USUAL.get(name, 1.0) for name in names])
    return names[int(rng.choice(len(names), p=weights / weights.sum()))]


def parameters(class_name: str) -> tuple[Param, ...]:
    """The parameters of a class that sprites are given."""
    spec = ontology.SPRITE_CLASSES[class_name]
    shared = _SHARED.get(family(class_name), ())
    return tuple(
        p for name, p in spec.params.items()
        if not (p.inert or p.drawing or name in _UNDRAWN)
        and (name not in ontology.SPRITE_BASE_PARAMS or name in shared)
    )  # fmt: skip


def values(game: GameGenotype, param: Param, spec: SpriteClass, own: str) -> tuple[str, ...]:
    """Names that a parameter of a type can hold."""
    leaves = [s.name for s in game.leaves if s.name != own and game.class_of(s.name)]
    if param.name in ("resource_name", "ammo"):
        return tuple(n for n in leaves if family(game.class_of(n)) == "resource")
    still = [n for n in leaves if not game.is_avatar(n)]
    if param.name in spec.creates:
        # what makes sprites makes no makers of sprites, lest they multiply
        return tuple(n for n in still if not ontology.SPRITE_CLASSES[game.class_of(n)].creates)
    return tuple(still) if family(spec.name) == "portal" else tuple(leaves)


def draw_value(game: GameGenotype, param: Param, spec: SpriteClass, own: str, rng: np.random.Generator) -> str | None:
    """The text of a value of a parameter, None when there is none to give."""
    if param.references:
        names = values(game, param, spec, own)
        if family(spec.name) == "npc" and (players := [n for n in names if game.is_avatar(n)]) and rng.random() < 0.6:
            names = tuple(players)
        return names[int(rng.integers(len(names)))] if names else None
    if param.name == "speed":
        return _SPEEDS[int(rng.integers(len(_SPEEDS)))]
    if param.type == "direction":
        return _WAYS[int(rng.integers(len(_WAYS)))]
    if param.name in ("prob", "spreadprob", "probability", "epsilon"):
        return f"{float(np.exp(rng.uniform(np.log(0.02), 0.0))):.2g}"
    if param.unit == "pixels":
        return str(int(rng.integers(50, 400)))  # within sight, not within a hair's breadth
    if param.type in ("int", "float"):
        low, high = param.range or (0, 10)
        low = max(low, 1)
        if param.name == "cooldown":
            low, high = (4, 60) if family(spec.name) == "producer" else (1, 8)
        return draw_whole_number(rng, low, high)
    return draw_real_or_flag(rng, param)


def draw_params(game: GameGenotype, class_name: str, own: str, rng: np.random.Generator) -> Params | None:
    """Values for the parameters of a class: all that it needs, some of the others; None when it cannot have them."""
    spec = ontology.SPRITE_CLASSES[class_name]
    given = []
    for param in parameters(class_name):
        needed = param.required or (param.name in ("cooldown", "stype") and family(class_name) == "producer")
        if family(class_name) == "mover" and param.name == "orientation":
            needed = True
        if needed or rng.random() < OPTIONAL:
            value = draw_value(game, param, spec, own, rng)
            if value is not None:
                given.append((param.name, value))
            elif param.required:
                return None
    return tuple(given)


def draw_colour(game: GameGenotype, rng: np.random.Generator) -> str:
    """A colour, if possible one that no type has."""
    used = {value for sprite in game.sprites for key, value in sprite.params if key == "color"}
    free = [c for c in COLOURS if c not in _NO_COLOURS]
    free = [c for c in free if c not in used] or free
    return free[int(rng.integers(len(free)))]


def looks(params: Mapping[str, str]) -> Params:
    """The parameters of a type, inherited ones included, on which only its picture depends."""
    known = ontology.SPRITE_BASE_PARAMS
    return tuple((key, value) for key, value in params.items() if key in known and known[key].drawing)


def fresh_name(base: str, taken: Iterable[str], more: Sequence[str] = ()) -> str:
    """A name that nothing has: `base`, or `base` with a number.

    >>> fresh_name("bat", ["bat", "bat2"])
    'bat3'
    """
    known = {*taken, *more}
    base = base.rstrip("0123456789") or "thing"
    number, name = 1, base
    while name in known or name.upper() in ("EOS", "TIME"):
        number += 1
        name = f"{base}{number}"
    return name
