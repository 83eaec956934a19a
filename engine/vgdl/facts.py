"""Facts about sprites and effects as sets of types, on which `analysis_flags` and `chance` are built.

A set of types is an int with bit t for type t, so that the analyses of a game are a few machine words per rule. The
facts of a sprite set do not depend on rules, and those of an effect on nothing but its parameters: rule sets that share
sprites and lines share them (`rule_compiler`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.definition import GameDefinition, SpriteType, Value
from pcg.engine.vgdl.ontology_params import FIRST, GLIDE, NOTHING, SECOND, SPAWN, SpriteClass

MOVES, CHANGES, KILLS, STIRS, CLONES = 1, 2, 4, 8, 16
"""Possible changes of one of the two sprites of an effect. STIRS is MOVES or CHANGES, resets to `lastrect` included."""


def set_of(types: Iterable[int]) -> int:
    """The set of these types."""
    bits = 0
    for t in types:
        bits |= 1 << t
    return bits


def members(types: int) -> Iterator[int]:
    """The types of a set, ascending.

    >>> list(members(0b1101))
    [0, 2, 3]
    """
    while types:
        low = types & -types
        yield low.bit_length() - 1
        types ^= low


class SpriteFacts:
    """Facts of a sprite set and a level mapping.

    Attributes:
        subs: `sub(t)` of every type.
        mapped: some level can hold them.
        classed: they have a class, so that sprites of them can exist.
        created: the update of some type creates them.
        makes: by type, what its update creates of other types.
        inert: their own update does nothing.
        plain: as large as a cell.
        producers: their update only draws and spawns, as long as nothing moves them.
        gliders: their update is the passive step on the grid and nothing else.
        seen: a parameter `stype...` of a sprite names them.
        sightless: inert ones on the grid whose orientation no sprite reads.
        draws: their update can draw random numbers that matter.
        users: whether some class is a user's own.
        cold: whether some class needs the rarely used part of the sprite record.
        timed: whether some class acts by the clock.
    """

    def __init__(self, definition: GameDefinition) -> None:
        types = definition.types
        self.index = definition.type_index
        self.all = (1 << len(types)) - 1
        self.subs = [set_of(t.subtypes) for t in types]
        self.mapped = set_of(self.index[n] for names in definition.mapping.values() for n in names if n in self.index)
        kinds = [t for t in types if t.class_name is not None]
        classes = [_class_of(t) for t in kinds]
        self.classed = set_of(t.id for t in kinds)
        self.makes = [self._makes(t) for t in types]
        self.created = 0
        for t in kinds:
            self.created |= self.makes[t.id]
            self.created |= 1 << t.id if _class_of(t).creates_self else 0
        self.inert = set_of(t.id for t in kinds if _is_inert(t))
        self.plain = set_of(
            t.id
            for t in types
            if float(t.params.get("wMult", 1)) == 1.0 and float(t.params.get("hMult", 1)) == 1.0  # type: ignore[arg-type]
        )
        self.producers = set_of(t.id for t in kinds if _class_of(t).update == SPAWN and _stands(t))
        self.gliders = set_of(
            t.id
            for t in kinds
            if _class_of(t).update in (NOTHING, GLIDE) and _parameters(t, "physicstype", "timeToLive") == (0, -1)
        )
        self.seen = 0
        for t in kinds:
            for key, value in t.params.items():
                self.seen |= self.named(value) if key.startswith("stype") else 0
        self.sightless = self.inert & ~self.seen
        self.sightless &= set_of(t.id for t in kinds if _parameters(t, "physicstype", "rotateInPlace") == (0, False))
        self.users = any(spec.rule == "user" for spec in classes)
        self.cold = self.users or any(_class_of(t).rare_fields or _parameters(t, "physicstype") != (0,) for t in kinds)
        self.draws = set_of(t.id for t in kinds if _type_draws(t))
        self.timed = any(spec.timed for spec in classes)

    def named(self, text: object) -> int:
        """The types that the value of a parameter names."""
        if text in (None, ""):
            return 0
        return set_of(self.index[n] for n in str(text).split(",") if n in self.index)

    def under(self, types: int) -> int:
        """The `sub` lists of these types together."""
        found = 0
        for t in members(types):
            found |= self.subs[t]
        return found

    def _makes(self, t: SpriteType) -> int:
        if t.class_name is None:
            return 0
        made = 0
        for key in _class_of(t).creates:
            made |= self.named(t.params.get(key))
        if t.class_name == "OngoingTurningAvatar" and "spawnBehind" not in t.params:
            made |= 1  # as the reference has it (reference/avatars 8.5)
        return made


class EffectFacts:
    """Facts of an effect with its parameters, for sprites of a game.

    Attributes:
        first, second: what it can do to its two sprites (MOVES, ...).
        creates: the types it creates, that of its first sprite not included.
        kills, changes: the types it kills or changes wherever they are.
        everywhere: whether it can write every sprite of the game.
        blind_first, blind_second: whether it never reads or hands on the orientation of these two.
        hands_on: the types that get the orientation of its first sprite; 0 for none.
        blind: whether it never reads any orientation beyond those.
        reads: the types whose orientation it can read wherever they are.
        draws: whether it can draw random numbers that matter.
        cold: whether it needs the rarely used part of the sprite record.
    """

    __slots__ = (
        "blind", "blind_first", "blind_second", "changes", "cold", "creates", "draws", "everywhere", "first",
        "hands_on", "kills", "reads", "second",
    )  # fmt: skip

    def __init__(self, sprites: SpriteFacts, name: str, params: Mapping[str, Value]) -> None:
        spec = ontology.EFFECTS[name]
        writes = spec.writes(params)
        # a reset to lastrect leaves in place what nothing else moves
        self.first, self.second = (
            (MOVES if writes[f"moves_{side}"] and not spec.only_resets else 0)
            | (CHANGES if writes[f"changes_{side}"] else 0)
            | (KILLS if writes[f"kills_{side}"] else 0)
            | (STIRS if writes[f"moves_{side}"] or writes[f"changes_{side}"] else 0)
            for side in ("first", "second")
        )
        if spec.creates_first:
            self.first |= CLONES
        self.creates = self.kills = self.reads = 0
        for key in spec.creates:
            self.creates |= sprites.named(params.get(key))
        if spec.creates_subtypes:
            self.creates = sprites.under(self.creates)
        for key in spec.touches:
            named = sprites.named(params.get(key))
            self.kills |= sprites.under(named) if spec.touches_subtypes else named
            self.reads |= sprites.under(named)
        self.changes = 0 if spec.touches_kill_only else self.kills
        self.everywhere = spec.touches_all and not spec.only_resets
        handing = spec.orientation_handed_to and not params.get("forceOrientation", False)
        self.hands_on = sprites.named(params.get(spec.orientation_handed_to)) if handing else 0
        self.blind_second = SECOND not in spec.orientations_read
        self.blind_first = FIRST not in spec.orientations_read or bool(handing)
        self.blind = spec.rule != "user" and not (spec.touches_all and spec.orientations_read)
        self.draws = spec.stochastic and not (spec.uses_prob and float(params.get("prob", 1.0)) >= 1.0)  # type: ignore[arg-type]
        self.cold = spec.rare_fields or spec.rule == "user"


def facts_of_effects(sprites: SpriteFacts, definition: GameDefinition) -> list[EffectFacts]:
    """The facts of all effects of a game."""
    return [EffectFacts(sprites, e.name, e.params) for e in definition.effects]


def _class_of(t: SpriteType) -> SpriteClass:
    """The class of a type that has one."""
    return ontology.SPRITE_CLASSES[str(t.class_name)]


def _parameters(t: SpriteType, *names: str) -> tuple[object, ...]:
    """Values of parameters of a type that has a class, with the class's defaults."""
    params = _class_of(t).params
    return tuple(t.params.get(name, params[name].default) for name in names)


def _stands(t: SpriteType) -> bool:
    """Return true if the base update never does anything to a sprite of the type, whatever rules change."""
    ttl, static, only_active = _parameters(t, "timeToLive", "is_static", "only_active")
    return ttl == -1 and (bool(static) or bool(only_active))


def _is_inert(t: SpriteType) -> bool:
    if _class_of(t).update != NOTHING:
        return False
    return _stands(t) or _parameters(t, "timeToLive", "speed") == (-1, 0)


def _type_draws(t: SpriteType) -> bool:
    spec = _class_of(t)
    if not spec.stochastic:
        return False
    return not spec.draws_for_prob or float(t.params.get("prob", 1.0)) < 1.0  # type: ignore[arg-type]
