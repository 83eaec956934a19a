"""Kinds of sprites, such as frame, chaser or shot, by which rules of different games can be compared.

A kind is read from the class of a sprite, from what rules and classes bring it forth, and from where the levels have
it; never from its name. Which rules people write for which kinds is counted in `game_conventions`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pcg.engine.vgdl.chance import possible_types
from pcg.engine.vgdl.definition import GameDefinition, Level, SpriteType
from pcg.engine.vgdl.ontology import SPRITE_CLASSES
from pcg.evaluators.analysis import Ending, GameAnalysis, analyse, is_avatar, product_parameter
from pcg.evaluators.effect_semantics import type_ids
from pcg.evaluators.grounds import characters_above

EDGE, TIME = "edge", "time"
"""Partners of a rule that are no sprites: the edge of the screen, and a timer."""
KINDS: Mapping[str, str] = {
    "avatar": "controlled by the player",
    "frame": "stands still and makes up most of the border of the levels",
    "shot": "brought forth by the avatar",
    "chaser": "moves towards or away from others",
    "wanderer": "moves at random",
    "missile": "flies straight on",
    "walker": "walks and falls",
    "spawner": "brings forth others",
    "portal": "a door or a portal",
    "resource": "a resource",
    "lasting": "passes by itself",
    "static": "stands still",
    "floor": "lies under others, or fills a level",
}
"""The kinds, from the first that applies to the last."""

MOVING = ("chaser", "wanderer", "walker", "missile")
"""Kinds of sprites that move by themselves."""
CHASERS = ("Chaser", "Fleeing", "PathChaser", "PathAltChaser", "AlternateChaser", "RandomPathAltChaser", "LOSChaser")
_WANDERERS = ("RandomNPC", "RandomInertial", "RandomAltChaser", "ErraticMissile", "RandomMissile", "Spreader")
_WALKERS = ("Walker", "WalkerJumper")
_FLOOR = 0.6
"""Share of the cells of a level from which on a standing sprite is its floor."""


@dataclass(frozen=True)
class GameKinds:
    """Types that can exist in a game, by kind.

    Attributes:
        definition: of the game.
        analysis: of its rules.
        present: types of which sprites can be there on these levels, ascending.
        kinds: kind of each type, also of groups: that of most of the types below it.
        levels: on which they are there.
    """

    definition: GameDefinition
    analysis: GameAnalysis
    present: tuple[int, ...]
    kinds: Mapping[int, str]
    levels: tuple[Level, ...] = ()

    def of(self, *kinds: str) -> tuple[int, ...]:
        """Types that can be there and are of one of these kinds."""
        return tuple(t for t in self.present if self.kinds[t] in kinds)

    def name(self, type_id: int) -> str:
        """Name of a type."""
        return self.definition.types[type_id].name

    def goes(self, type_id: int) -> bool:
        """Return True for a type of which sprites move by themselves: their class does, and nothing holds them."""
        params = self.definition.types[type_id].params
        held = params.get("is_static") or params.get("only_active")
        stays = params.get("speed") == 0 and self.kinds[type_id] in ("missile", "spawner")
        return self.analysis.has(type_id, "mover") and not held and not stays

    def runs_away(self, type_id: int) -> bool:
        """Return True for a type that runs away from the avatar."""
        return runs_away(self.definition, type_id, self.analysis.avatars)

    def dangers(self) -> tuple[int, ...]:
        """Types that harm the avatar and do not run away from it."""
        return tuple(t for t in self.present if self.analysis.harms(t) and not self.runs_away(t))

    def taken(self) -> set[int]:
        """Types of which the avatar takes sprites away by touching them."""
        return self._taken_by(self.analysis.avatars)

    def taken_or_shot(self) -> set[int]:
        """Types of which the avatar, or what it brings forth, takes sprites away."""
        return self._taken_by((*self.analysis.avatars, *self.of("shot")))

    def _taken_by(self, takers: Sequence[int]) -> set[int]:
        avatars = self.analysis.avatars
        return {r.victim for r in self.analysis.removals if r.partner in takers and r.victim not in avatars}


def game_kinds(definition: GameDefinition, levels: Sequence[Level]) -> GameKinds:
    """Tell the kinds of a game's sprites.

    Args:
        definition: of the game.
        levels: read for it.

    >>> import pcg
    >>> game = pcg.load("dungeon")
    >>> found = game_kinds(game.definition, [game.read_level(0)])
    >>> [found.name(t) for t in found.of("frame")]
    ['wall']
    """
    analysis = analyse(definition)
    placed: Counter[int] = Counter()
    border: Counter[int] = Counter()
    cells = 0
    for level in levels:
        cells += level.width * level.height
        for t, column, row in level.placements:
            placed[t] += 1
            if column in (0, level.width - 1) or row in (0, level.height - 1):
                border[t] += 1
    can_be = possible_types(definition, placed)
    # also the wall that every game has without writing it, where levels hold it and no rule is about it
    concrete = tuple(sorted({*analysis.concrete, *placed}))
    present = tuple(t for t in concrete if t in can_be)
    under = characters_above(definition)
    counted = {t for ending in analysis.endings for t in ending.types}
    standing = {t for t in border if _stands(definition, t)}
    floor = {
        t
        for t in placed
        if _stands(definition, t) and ((under[t] > 1 and t not in counted) or placed[t] > _FLOOR * cells)
    }
    frame = max(standing - floor, key=lambda t: border[t], default=-1)
    if frame >= 0 and border[frame] < 0.3 * sum(2 * (lv.width + lv.height) - 4 for lv in levels):
        frame = -1
    kinds = {t: _kind(analysis, t, frame, floor) for t in concrete}
    for sprite in definition.types:
        if sprite.id not in kinds:
            below = Counter(kinds[t] for t in sprite.subtypes if t in kinds and sprite.id in definition.types[t].path)
            kinds[sprite.id] = below.most_common(1)[0][0] if below else "static"
    return GameKinds(definition, analysis, present, kinds, tuple(levels))


def lasting(analysis: GameAnalysis, ending: Ending, levels: Sequence[Level]) -> bool:
    """Return True for a termination that waits in vain: in every level more of what has to go stays than may be left.

    Args:
        analysis: of the rules of the game.
        ending: one of its terminations.
        levels: read for it.
    """
    stays = set(ending.types) - {removal.victim for removal in analysis.removals}
    if ending.kind != "vanish" or not stays or not levels:
        return False
    return all(sum(t in stays for t, _, _ in level.placements) > ending.limit for level in levels)


def sought(sprite: SpriteType) -> list[str]:
    """Return the names of the types, groups among them, that a chaser walks towards or flees from.

    >>> import pcg
    >>> definition = pcg.load("hunt").definition
    >>> sought(definition.types[definition.type_index["dog"]])
    ['fox']
    """
    values = (str(sprite.params.get(key, "")).split(",") for key in ("stype", "stype1", "stype2"))
    return [name for names in values for name in names if name]


def flees(sprite: SpriteType) -> bool:
    """Return True for a chaser that runs away from what it is after.

    >>> import pcg
    >>> definition = pcg.load("hunt").definition
    >>> flees(definition.types[definition.type_index["dog"]])
    False
    """
    spec = SPRITE_CLASSES.get(sprite.class_name or "")
    given = spec.params.get("fleeing") if spec is not None else None
    return bool(sprite.params.get("fleeing", given.default)) if given is not None else False


def runs_away(definition: GameDefinition, type_id: int, avatars: Iterable[int]) -> bool:
    """Return True for a type that runs away from one of these types."""
    sprite, types = definition.types[type_id], definition.types
    return flees(sprite) and not {types[g].name for a in avatars for g in types[a].path}.isdisjoint(sought(sprite))


def _stands(definition: GameDefinition, type_id: int) -> bool:
    name = definition.types[type_id].class_name
    spec = SPRITE_CLASSES.get(name or "")
    return spec is not None and not (spec.moves or spec.avatar or spec.creates or spec.dies)


def _kind(analysis: GameAnalysis, t: int, frame: int, floor: set[int]) -> str:
    sprite = analysis.definition.types[t]
    name = sprite.class_name or ""
    if is_avatar(sprite):
        return "avatar"
    if t == frame:
        return "frame"
    made = {
        p
        for a in analysis.avatars
        if (key := product_parameter(analysis.definition.types[a])) is not None
        for p in type_ids(analysis.definition, analysis.definition.types[a].raw.get(key))
    }
    if t in made:
        return "shot"
    if name in CHASERS:
        return "chaser"
    if name in _WANDERERS:
        return "wanderer"
    if name in _WALKERS:
        return "walker"
    spec = SPRITE_CLASSES.get(name)
    if product_parameter(sprite) is not None and name not in ("Portal", "Door"):
        return "spawner"
    if name in ("Portal", "Door"):
        return "portal"
    if name in ("Resource", "ResourcePack"):
        return "resource"
    if spec is not None and spec.dies:
        return "lasting"
    if "Missile" in name or (spec is not None and spec.moves):
        return "missile"
    return "floor" if t in floor else "static"
