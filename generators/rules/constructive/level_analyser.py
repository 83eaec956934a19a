"""Roles of sprites in a level: walls, treasure, spawners and what comes out of them.

The reference calls it the level analyser (reference/generators 12.5); where that misjudges (a border has fewer cells
than its outline is long), the sensible reading is taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.definition import SpriteType
from pcg.engine.vgdl.level import read_level
from pcg.generators.rules.space import RuleSpace

FEW = 0.1
"""Treasure and spikes cover at most this share of the level."""
MUCH = 0.5
"""A wall covers at most this share."""
ENCLOSING = 0.8
"""And at least this share of the border."""


@dataclass(frozen=True)
class LevelRoles:
    """Types by what they can be good for, each in order of definition; names of leaves."""

    avatars: tuple[str, ...]
    shots: tuple[str, ...]
    """Products of avatars."""
    walls: tuple[str, ...]
    """Types that enclose the level, least frequent first."""
    treasure: tuple[str, ...]
    """Standing sprites of which there are few."""
    resources: tuple[str, ...]
    npcs: tuple[str, ...]
    spawners: Mapping[str, tuple[str, ...]]
    """Spawner -> what comes out of it."""
    portals: tuple[str, ...]
    doors: tuple[str, ...]
    """Portals that lead nowhere, which the reference calls exits."""
    movables: tuple[str, ...]
    """Other types that move or can be pushed."""

    @classmethod
    def of(cls, space: RuleSpace) -> LevelRoles:
        """Return the roles in the space's first level."""
        definition = space.definition
        level = read_level(space.levels[0], definition, reading="gvgai")
        count: Counter[str] = Counter()
        border: Counter[str] = Counter()
        for t, x, y in level.placements:
            name = definition.types[t].name
            count[name] += 1
            border[name] += x in (0, level.width - 1) or y in (0, level.height - 1)
        area = level.width * level.height
        edge = 2 * (level.width + level.height) - 4
        there = set(space.kinds.actors)
        types = [t for t in definition.types if t.leaf and t.class_name is not None and t.name in there]
        avatars = space.kinds.avatars
        made = {t.name: _products(t, definition.type_index) for t in types}
        shots = tuple(dict.fromkeys(p for a in avatars for p in made[a] if p in there))
        kinds = {t.name: _kind(t) for t in types}

        def of_kind(kind: str) -> tuple[str, ...]:
            return tuple(t.name for t in types if kinds[t.name] == kind)

        standing = of_kind("static")
        walls = [n for n in standing if border[n] >= ENCLOSING * edge and count[n] <= MUCH * area]
        spawners = {n: made[n] for n in of_kind("spawner") if made[n]}
        born = {p for products in spawners.values() for p in products} | set(shots)
        return cls(
            avatars=avatars,
            shots=shots,
            walls=tuple(sorted(walls, key=lambda n: count[n])),
            treasure=tuple(n for n in standing if 1 <= count[n] <= FEW * area and n not in walls),
            resources=of_kind("resource"),
            npcs=of_kind("npc"),
            spawners=spawners,
            portals=of_kind("portal"),
            doors=of_kind("door"),
            movables=tuple(n for n in of_kind("movable") if n not in born),
        )


def _products(t: SpriteType, index: Mapping[str, int]) -> tuple[str, ...]:
    keys = ontology.SPRITE_CLASSES[str(t.class_name)].creates
    return tuple(n for key in keys for n in str(t.params.get(key, "")).split(",") if n in index)


def _kind(t: SpriteType) -> str:
    """Categories in the order in which reference/generators 12.5 tests them."""
    spec = ontology.SPRITE_CLASSES[str(t.class_name)]

    def flag(name: str) -> bool:
        param = spec.params.get(name)
        return bool(t.params.get(name, param.default if param is not None else False))

    if spec.avatar:
        return "avatar"
    if spec.creates and spec.name.startswith("SpawnPoint"):
        return "spawner"
    if spec.name == "Portal":
        return "portal"
    if flag("portal"):
        return "door"
    if flag("is_resource"):
        return "resource"
    if flag("is_npc"):
        return "npc"
    return "static" if flag("is_static") else "movable"
