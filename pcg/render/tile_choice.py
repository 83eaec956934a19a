"""Rules for the tile of a sprite type, as tables.

Tried in this order, the first that answers wins:

1. `img=` names one of our tiles (`img=brick`);
2. the type's name holds a keyword (`carLeft` -> car); the last word of a name counts most;
3. the words of `img=`, whatever image set they belong to, hold a keyword (`img=oryx/alien1` -> alien);
4. a name further up the sprite tree holds a keyword (`hen` below `bird`);
5. the sprite class has a tile of its own (`FlakAvatar` -> cannon);
6. a coloured shape for the category: avatar, npc, resource, portal, ground, static, shot, movable.

`color=` recolours the tile as far as the tile allows (`tint`). Shapes without `color=` get one from a fixed list by
type id, so that two unknown types never look alike. This module draws nothing and needs no PIL.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from pcg.engine.vgdl.definition import GameDefinition, SpriteType
from pcg.evaluators.grounds import ground_types
from pcg.render.colours import RGB, painted

KEYWORDS: dict[str, str] = {
    # ground
    "floor": "floor", "background": "floor", "tile": "floor", "pavement": "floor",
    "parquet": "parquet", "carpet": "parquet",
    "grass": "grass", "meadow": "grass", "field": "grass", "land": "grass", "lawn": "grass",
    "road": "road", "street": "road", "highway": "road", "lane": "road", "asphalt": "road",
    "sky": "space", "space": "space", "night": "space", "stars": "space",
    "tunnel": "tunnel", "cave": "tunnel", "underground": "tunnel",
    "sand": "sand", "beach": "sand", "desert": "sand",
    "water": "water", "sea": "water", "river": "water", "lake": "water", "ocean": "water", "ice": "water",
    "lava": "lava", "magma": "lava", "hell": "lava",
    # solid things
    "wall": "stone", "stone": "stone", "block": "stone", "pillar": "stone", "barrier": "stone",
    "brick": "brick", "city": "house", "house": "house", "home": "house", "castle": "house",
    "soil": "soil", "dirt": "soil", "earth": "soil", "mud": "soil", "clay": "soil",
    "ground": "ground", "moon": "ground",
    "hedge": "hedge", "bush": "hedge", "shrub": "hedge", "marsh": "hedge", "plant": "hedge", "cactus": "hedge",
    "fence": "fence", "railing": "fence", "tree": "tree", "wood": "tree", "forest": "tree", "palm": "tree",
    "bunker": "bunker", "shelter": "bunker", "shield": "bunker", "base": "bunker", "turret": "bunker",
    "lair": "bunker",
    "hay": "hay", "straw": "hay", "boulder": "boulder", "rock": "boulder", "asteroid": "boulder", "ball": "boulder",
    "hole": "hole", "burrow": "hole", "den": "hole", "whirlpool": "hole", "pit": "pit", "trap": "pit", "abyss": "pit",
    "bridge": "plank", "plank": "plank", "platform": "plank", "table": "plank", "ladder": "ladder", "stairs": "exit",
    # things
    "box": "box", "crate": "box", "cargo": "box", "barrel": "box", "movable": "box",
    "stored": "stored", "placed": "stored", "mark": "mark", "spot": "mark",
    "goal": "target", "target": "target", "wintarget": "target", "key": "key", "door": "door", "lock": "lock",
    "exit": "exit", "entrance": "exit", "escape": "exit", "end": "exit",
    "gem": "gem", "diamond": "gem", "crystal": "gem", "jewel": "gem", "emerald": "gem", "ruby": "gem",
    "coin": "coin", "gold": "coin", "money": "coin", "chip": "coin", "pellet": "dot", "dot": "dot", "seed": "dot",
    "heart": "heart", "life": "heart", "health": "heart", "medkit": "heart", "berry": "berry", "cherry": "berry",
    "fruit": "berry", "apple": "berry", "food": "berry", "egg": "egg", "chest": "chest", "treasure": "chest",
    "potion": "potion", "bottle": "potion", "poison": "potion", "medicine": "potion", "oxygen": "potion",
    "flag": "flag", "outpost": "flag", "painting": "painting", "picture": "painting",
    "grave": "grave", "tomb": "grave", "skull": "skull", "bones": "skull", "death": "skull", "dead": "skull",
    "carcass": "skull", "nest": "nest", "hive": "nest", "cocoon": "nest", "spawner": "spawner", "spawn": "spawner",
    "portal": "gate", "gate": "gate", "teleport": "gate", "vortex": "gate", "entry": "gate", "arrival": "arrival",
    "sword": "sword", "slash": "sword", "weapon": "sword", "blade": "sword", "pickaxe": "sword", "shovel": "sword",
    "knife": "knife", "dagger": "knife", "bolt": "bolt", "bullet": "bolt", "shot": "bolt", "sam": "bolt",
    "missile": "bolt", "torpedo": "bolt", "arrow": "bolt", "bomb": "bomb", "grenade": "bomb", "rocket": "bomb",
    "beam": "beam", "laser": "beam", "ray": "beam", "fire": "fire", "flame": "fire", "campfire": "fire",
    "fireball": "fire", "spark": "fire", "explosion": "explosion", "blast": "explosion", "bang": "explosion",
    "log": "log", "trunk": "log", "torch": "torch", "lamp": "torch", "light": "torch", "candle": "torch",
    "flower": "flower", "rose": "flower", "honey": "honey", "jar": "honey", "button": "button", "switch": "button",
    "lever": "button", "turn": "arrow", "conveyor": "arrow", "belt": "arrow",
    # people and monsters
    "hero": "hero", "player": "hero", "adventurer": "hero", "human": "hero", "person": "hero", "knight": "hero",
    "swordman": "hero", "wizard": "hero", "mage": "hero", "princess": "hero", "king": "hero",
    "man": "visitor", "visitor": "visitor", "citizen": "visitor", "civilian": "visitor",
    "waiter": "visitor", "farmer": "visitor",
    "guard": "guard", "police": "guard", "cop": "guard", "soldier": "guard", "bandit": "guard",
    "skeleton": "skeleton", "zombie": "zombie", "ghost": "ghost", "phantom": "ghost", "spirit": "ghost",
    "bat": "bat", "vampire": "bat", "slime": "slime", "blob": "slime", "monster": "slime", "worm": "worm",
    "snake": "worm", "caterpillar": "worm", "spider": "spider", "dragon": "dragon", "boss": "dragon",
    "alien": "alien", "scout": "alien", "invader": "alien", "raider": "raider", "octopus": "raider",
    "mothership": "mothership", "ufo": "mothership", "saucer": "mothership", "cannon": "cannon", "tank": "cannon",
    # animals
    "mole": "mole", "hedgehog": "hedgehog", "porcupine": "hedgehog", "fox": "fox", "wolf": "fox",
    "hen": "hen", "chicken": "hen", "chick": "chick", "duck": "chick", "dog": "dog", "hound": "dog",
    "rabbit": "rabbit", "bunny": "rabbit", "hare": "rabbit", "goat": "goat", "sheep": "goat", "cow": "goat",
    "camel": "camel", "horse": "camel", "fish": "fish", "piranha": "fish", "shark": "shark", "whale": "shark",
    "butterfly": "butterfly", "moth": "butterfly", "bee": "bee", "wasp": "bee", "bird": "bird", "eagle": "bird",
    "crab": "crab", "scorpion": "crab",
    # vehicles
    "car": "car", "taxi": "car", "truck": "truck", "bus": "truck", "lorry": "truck", "spaceship": "spaceship",
    "ship": "spaceship", "submarine": "submarine", "sub": "submarine", "boat": "submarine",
}  # fmt: skip
"""Words of type names and image names, and the tile they mean."""

CLASS_TILES: dict[str, str] = {
    "Door": "door", "Portal": "gate", "Conveyor": "arrow",
    "SpawnPoint": "spawner", "SpawnPointMultiSprite": "spawner", "SpriteProducer": "spawner",
    "Bomber": "raider", "RandomBomber": "raider", "BomberRandomMissile": "raider",
    "Flicker": "explosion", "OrientedFlicker": "sword", "Spreader": "fire", "Fleeing": "rabbit",
    "MovingAvatar": "hero", "HorizontalAvatar": "hero", "VerticalAvatar": "hero", "NullAvatar": "hero",
    "OrientedAvatar": "hero", "ShootAvatar": "hero", "ShootOnlyAvatar": "hero", "OngoingAvatar": "hero",
    "OngoingTurningAvatar": "hero", "OngoingShootAvatar": "hero", "PlatformerAvatar": "hero", "WizardAvatar": "hero",
    "FlakAvatar": "cannon", "AimedAvatar": "cannon", "MissileAvatar": "spaceship", "SpaceshipAvatar": "spaceship",
    "LanderAvatar": "spaceship", "CarAvatar": "car", "BirdAvatar": "bird",
}  # fmt: skip
"""Classes whose looks are known without a name."""

CLASS_SHAPES: dict[str, str] = {
    "Resource": "shape-resource", "ResourcePack": "shape-resource", "Immovable": "shape-static",
    "RandomNPC": "shape-npc", "RandomInertial": "shape-npc", "Chaser": "shape-npc", "LOSChaser": "shape-npc",
    "PathChaser": "shape-npc", "AlternateChaser": "shape-npc", "RandomAltChaser": "shape-npc",
    "PathAltChaser": "shape-npc", "RandomPathAltChaser": "shape-npc", "Walker": "shape-npc",
    "WalkerJumper": "shape-npc",
}  # fmt: skip
"""The shape of a class's category; every other class is `shape-movable`."""

SHAPE_COLOURS: tuple[str, ...] = (
    "LIGHTBLUE", "ORANGE", "LIGHTGREEN", "PINK", "GOLD", "LIGHTRED", "BLUE", "GREEN", "BROWN", "LIGHTYELLOW", "GRAY",
)  # fmt: skip

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SHORTEST_INNER_KEYWORD = 4


@dataclass(frozen=True, slots=True)
class Look:
    """Appearance of a sprite type: a tile's name and the colour to paint it in (None: the tile's own)."""

    tile: str
    colour: RGB | None


def looks(definition: GameDefinition, tiles: Collection[str]) -> list[Look]:
    """The look of every type, by type id; `tiles` are the names of the tiles there are."""
    grounds = ground_types(definition)
    shots = _shot_names(definition)
    return [_look(kind, definition, tiles, kind.id in grounds, kind.name in shots) for kind in definition.types]


def _shot_names(definition: GameDefinition) -> set[str]:
    """Names of the types that an avatar shoots."""
    names: set[str] = set()
    for kind in definition.types:
        if kind.class_name is not None and kind.class_name.endswith("Avatar"):
            names.update(kind.raw.get("stype", "").split(","))
    return names


def _look(kind: SpriteType, definition: GameDefinition, tiles: Collection[str], ground: bool, shot: bool) -> Look:
    colour = painted(kind.raw.get("color", ""))
    for tile in _candidates(kind, definition):
        if tile in tiles:
            return Look(tile, colour)
    shape = "shape-ground" if ground else "shape-shot" if shot else CLASS_SHAPES.get(kind.class_name or "")
    return Look(
        shape or "shape-movable", colour or (None if ground else painted(SHAPE_COLOURS[kind.id % len(SHAPE_COLOURS)]))
    )


def _candidates(kind: SpriteType, definition: GameDefinition) -> Iterator[str]:
    """Tiles that fit, best first (rules 1 to 5 of the module)."""
    image = kind.raw.get("img", "").rpartition("/")[2].rpartition("\\")[2]
    yield image.removesuffix(".png").lower()
    yield from _keyword_tiles(kind.name)
    yield from _keyword_tiles(image)
    for ancestor in reversed(kind.path[:-1]):
        yield from _keyword_tiles(definition.types[ancestor].name)
    if kind.class_name in CLASS_TILES:
        yield CLASS_TILES[kind.class_name]


def _keyword_tiles(name: str) -> Iterator[str]:
    lowered = name.lower()
    words = [word.lower() for word in _WORD.findall(name)]
    for word in [lowered, *reversed(words)]:
        for form in (word, word.removesuffix("s"), word.removesuffix("es")):
            if form in KEYWORDS:
                yield KEYWORDS[form]
    inner = [word for word in KEYWORDS if len(word) >= _SHORTEST_INNER_KEYWORD and word in lowered]
    if inner:
        yield KEYWORDS[max(inner, key=len)]
