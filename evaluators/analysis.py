"""Static analysis of a game's rules: roles of sprites (solid, harmful, collectable, goal), and how the game is won.

Everything is read from the resolved definition; nothing is played. The roles follow the game analyser of the level
generation track (Khalifa, Perez-Liebana, Lucas, Togelius 2016; reference/generators 12.1) but are told apart by what
the rules do (`effect_semantics`) rather than by a short list of effect names. What a level needs to be winnable is in
`requirements`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pcg.engine.kernel.ids import AVATAR_CLASSES
from pcg.engine.lazy import cached_property
from pcg.engine.vgdl.definition import GameDefinition, SpriteType, Termination
from pcg.engine.vgdl.ontology import SPRITE_CLASSES
from pcg.evaluators.definition_cache import once_per_definition
from pcg.evaluators.effect_semantics import (
    FIRST,
    NAMED,
    SECOND,
    Consequence,
    consequences,
    first_number,
    flag,
    type_ids,
)

if TYPE_CHECKING:
    from pcg.engine.game import Game

ROLES: Mapping[str, str] = {
    "avatar": "controlled by the player",
    "solid": "stops the avatar and does not move",
    "wall": "solid, and nothing in the game removes it",
    "gate": "solid for the avatar at the start, but an avatar of the right kind or means opens it, or a switch does",
    "pushable": "pushed by the avatar",
    "harmful": "kills or hurts the avatar, or brings forth what does",
    "hazard": "harmful and standing still, so not to be stepped on",
    "collectable": "taken by the avatar on contact",
    "breakable": "removed by what the avatar produces, or dug away",
    "goal": "counted by a termination that wins the game",
    "guarded": "counted by a termination that loses the game",
    "resource": "a resource",
    "portal": "teleports, or opens a way",
    "exit": "where a portal leads",
    "spawner": "brings forth other sprites",
    "spawned": "comes into being in play",
    "mover": "moves by itself",
    "background": "takes part in no rule",
    "other": "none of the above",
}
"""The roles a sprite type can have and what they mean."""

DRIFTING_CLASSES = frozenset({"Missile", "ErraticMissile", "Bomber", "BomberRandomMissile"})
"""Classes whose sprites fly on where their orientation points, and stand still without one."""
STANDING_PRODUCERS = frozenset({"SpawnPoint", "SpawnPointMultiSprite"})
"""Classes that stand still and bring forth sprites where they stand."""
MOBILITY: Mapping[str, str] = {
    "HorizontalAvatar": "horizontal", "FlakAvatar": "horizontal", "VerticalAvatar": "vertical", "NullAvatar": "none",
    "ShootOnlyAvatar": "none", "AimedAvatar": "none", "PlatformerAvatar": "platform", "WizardAvatar": "platform",
}  # fmt: skip
"""Avatar class -> how it gets about; every class not named here moves "freely"."""


@dataclass(frozen=True, slots=True)
class Ending:
    """One termination as a goal: `outcome` for player 0, `kind` and the counts at the start that keep it from firing
    at once.
    """

    index: int
    name: str
    outcome: str
    """"win" or "lose"."""
    kind: str
    """"vanish" (a number must fall), "appear" (it must rise), "timeout" or "counter"."""
    types: tuple[int, ...]
    """The types counted."""
    limit: int
    minimum: int = 0
    """Fewest of `types` together a level may start with."""
    maximum: int | None = None
    """Most of them, None for no bound."""


@dataclass(frozen=True, slots=True)
class Source:
    """A way `product` comes into being in play: by a sprite of type `maker`, or when `maker` meets `partner`."""

    product: int
    maker: int
    partner: int | None = None
    consequence: Consequence | None = None
    consumes_maker: bool = False
    consumes_partner: bool = False


@dataclass(frozen=True, slots=True)
class Removal:
    """A way sprites of `victim` leave the game: by meeting `partner`, or by themselves (None: at the edge, by age, in
    time).
    """

    victim: int
    partner: int | None
    consequence: Consequence | None
    consumes_partner: bool = False
    switch: int | None = None
    """The type that `partner` meets to remove the sprites from afar, a hole for a box; None where it meets them."""


@dataclass(frozen=True, slots=True)
class Tile:
    """One level character: everything it creates, and what of that matters (`content`, without background sprites)."""

    char: str
    types: tuple[int, ...]
    content: tuple[int, ...]


@dataclass(frozen=True)
class GameAnalysis:
    """The result of `analyse`. Type ids index `definition.types`; `names()` turns them into text."""

    definition: GameDefinition
    concrete: tuple[int, ...]
    """Types of which sprites can exist."""
    roles: Mapping[int, frozenset[str]]
    avatars: tuple[int, ...]
    start_avatars: tuple[int, ...]
    """The avatar types a level can start with."""
    mobility: str
    """The avatar's way of moving: "freely", "horizontal", "vertical", "none" or "platform"."""
    avatar_side: str | None
    """Side of an avatar that keeps to one line: "top", "bottom", "left", "right"; None if anywhere."""
    endings: tuple[Ending, ...]
    sources: tuple[Source, ...]
    removals: tuple[Removal, ...]
    meetings: Mapping[tuple[int, int], tuple[Consequence, ...]]
    """Consequences of a sprite of the first type meeting one of the second."""
    edges: Mapping[int, tuple[Consequence, ...]]
    """Consequences for each type at the edge of the screen (EOS)."""
    drifts: Mapping[int, tuple[int, int]]
    """Types that travel in a fixed direction (columns, rows)."""
    tiles: tuple[Tile, ...]
    """The usable level characters, in mapping order."""

    def having(self, role: str) -> tuple[int, ...]:
        """The concrete types with `role`, ascending."""
        return tuple(t for t in self.concrete if role in self.roles[t])

    def has(self, type_id: int, role: str) -> bool:
        """Return True when a type has a role."""
        return role in self.roles.get(type_id, frozenset())

    def harms(self, type_id: int) -> bool:
        """Return True for a type that harms the avatar, by itself or where it stands."""
        return self.has(type_id, "harmful") or self.has(type_id, "hazard")

    def names(self, types: Iterable[int]) -> tuple[str, ...]:
        """The names of `types`."""
        return tuple(self.definition.types[t].name for t in types)

    @cached_property
    def moved(self) -> frozenset[int]:
        """The types of which sprites can come to be elsewhere than where a level has them: they move by themselves, are
        brought about, pushed, carried or teleported, or come from what does.
        """
        found = {t for t in self.concrete if {"avatar", "mover", "pushable"} & self.roles[t]}
        for (first, _), happening in self.meetings.items():
            if any(c.target == FIRST and c.kind in ("push", "carry", "teleport", "wrap") for c in happening):
                found.add(first)
        for s in self.sources:
            # what spreads, is thrown or laid comes out beside its maker
            if s.consequence is None and self.definition.types[s.maker].class_name not in STANDING_PRODUCERS:
                found.add(s.product)
        grown = True
        while grown:
            more = {s.product for s in self.sources if s.maker in found or s.partner in found} - found
            grown = bool(more)
            found |= more
        return frozenset(found)

    def can_meet(self, placed: int, other: int) -> bool:
        """Return True when a sprite of `placed`, where a level has it, and one of `other` can come together; what grows
        where its maker stands meets that, and what else grows there.
        """
        itself = bool({"avatar", "mover", "pushable"} & self.roles[placed]) or any(
            c.target == FIRST and c.kind in ("push", "carry", "teleport", "wrap")
            for (first, _), happening in self.meetings.items()
            if first == placed
            for c in happening
        )
        return itself or other in self.moved or self._share_a_cell(placed, other)

    def _share_a_cell(self, one: int, other: int) -> bool:
        """Return True where sprites of two types come, directly or not, from one that stands, which is left by at
        least one of them: an egg and the nest, not an open door and the shut one.
        """
        first, second = self._origins(one), self._origins(other)
        return any((t, True) in first | second for t, _ in first if {(t, True), (t, False)} & second)

    def _origins(self, t: int) -> set[tuple[int, bool]]:
        """Return a type and all from which it comes, each with whether it is left on one of the ways."""
        found, new = set[tuple[int, bool]](), {(t, False)}
        while new:
            found |= new
            new = {
                (s.maker, left or not s.consumes_maker) for s in self.sources for product, left in new
                if s.product == product
            } - found  # fmt: skip
        return found

    @property
    def wins(self) -> tuple[Ending, ...]:
        """The endings that win, in file order."""
        return tuple(e for e in self.endings if e.outcome == "win")

    @property
    def losses(self) -> tuple[Ending, ...]:
        """The endings that lose, in file order."""
        return tuple(e for e in self.endings if e.outcome == "lose")

    @property
    def how_to_win(self) -> tuple[str, ...]:
        """One sentence per winning termination."""
        return tuple(self._sentence(e) for e in self.wins)

    def _sentence(self, ending: Ending) -> str:
        names = ", ".join(self.names(ending.types)) or "nothing"
        if ending.kind == "timeout":
            return f"survive until tick {ending.limit}"
        if ending.kind == "appear":
            return f"bring the number of {names} to {ending.limit}"
        if ending.kind == "counter":
            return f"make the number of {names} {ending.limit}"
        return f"get rid of {names}" + (f" down to {ending.limit}" if ending.limit else "")


def analyse(definition: GameDefinition | Game | str) -> GameAnalysis:
    """Analyse a game; the analyses of the last definitions are remembered.

    Args:
        definition: of a VGDL game; or the game, or its name.

    >>> import pcg
    >>> analyse(pcg.load("boxes").definition).names(analyse(pcg.load("boxes").definition).start_avatars)
    ('hero',)
    """
    from pcg.engine.game import load, refuse_board_game

    if isinstance(definition, str):
        definition = load(definition)
        refuse_board_game(definition)
    return _analysis(definition if isinstance(definition, GameDefinition) else definition.definition)


@once_per_definition
def _analysis(definition: GameDefinition) -> GameAnalysis:
    return _Analyst(definition).result()


def is_avatar(sprite: SpriteType) -> bool:
    """Return True when sprites of this type are controlled by a player."""
    return sprite.class_name in AVATAR_CLASSES


def product_parameter(sprite: SpriteType) -> str | None:
    """The parameter that names what sprites of a type bring forth, None for a class that brings forth nothing."""
    known = SPRITE_CLASSES.get(sprite.class_name or "")
    return known.creates[0] if known is not None and known.creates else None


def _expires(sprite: SpriteType) -> bool:
    """Return True when sprites of a type go by themselves."""
    known = SPRITE_CLASSES.get(sprite.class_name or "")
    return known is not None and known.dies


def _stands_still(sprite: SpriteType) -> bool:
    """Return True when sprites of a type never move by themselves, whatever their parameters."""
    known = SPRITE_CLASSES.get(sprite.class_name or "")
    return known is not None and not known.moves and not known.avatar and known.name not in DRIFTING_CLASSES


def is_continuous(sprite: SpriteType) -> bool:
    """Return True when sprites of this type move by speed and gravity, not by cells (reference/physics 9)."""
    if sprite.class_name is None:
        return False
    usual = SPRITE_CLASSES[sprite.class_name].params["physicstype"].default
    return first_number(sprite.params.get("physicstype", usual), 0) == 1


def wins_for_player_0(termination: Termination) -> bool:
    """Return True when a termination wins for the first player (reference/terminations 4.1: a missing one loses)."""
    return str(termination.params.get("win", "")).split(",")[0].strip().lower() == "true"


class _Analyst:
    """Collects the parts of a `GameAnalysis`, each method one of them, in the order in which they build on each
    other.
    """

    def __init__(self, definition: GameDefinition) -> None:
        self.definition = definition
        self.types = definition.types
        self.by_effect = {e.index: tuple(consequences(definition, e)) for e in definition.effects}
        self.concrete = self._concrete()
        self.meetings = self._meetings()
        self.teleporters = {
            second for (_, second), found in self.meetings.items() if any(c.kind == "teleport" for c in found)
        }
        self.edges = {
            c: tuple(x for t, effects in definition.eos_effects.items() if c in self.types[t].subtypes
                     for e in effects for x in self.by_effect[e])
            for c in self.concrete
        }  # fmt: skip
        self.timed = tuple(
            (c, tuple(v for n in (c.named or ((t.bound,) if t.bound >= 0 else ())) for v in self._covered(n)))
            for t in definition.time_effects
            for c in self.by_effect[t.effect]
        )
        """Consequences of time alone, each consequence with the types it befalls."""
        self.endings = self._endings()
        self.sources = self._sources()
        self.removals = self._removals()
        self.avatars = tuple(t for t in self.concrete if is_avatar(self.types[t]))
        mapped = {
            definition.type_index[n]
            for names in definition.mapping.values()
            for n in names
            if n in definition.type_index
        }
        made = {s.product for s in self.sources}
        start = tuple(t for t in self.avatars if t in mapped)
        # An avatar that both stands in the mapping and comes about in play is still a start if no other is mapped.
        self.start_avatars = tuple(t for t in start if t not in made) or start or self.avatars[:1]
        self.drifts = self._drifts()

    def result(self) -> GameAnalysis:
        roles = {t: frozenset(self._roles_of(t)) for t in self.concrete}
        self._spread_harm(roles)
        start_class = self.types[self.start_avatars[0]].class_name if self.start_avatars else None
        mobility = MOBILITY.get(start_class or "", "freely")
        return GameAnalysis(
            definition=self.definition,
            concrete=self.concrete,
            roles=roles,
            avatars=self.avatars,
            start_avatars=self.start_avatars,
            mobility=mobility,
            avatar_side=self._avatar_side(mobility),
            endings=self.endings,
            sources=self.sources,
            removals=self.removals,
            meetings=self.meetings,
            edges=self.edges,
            drifts=self.drifts,
            tiles=self._tiles(roles),
        )

    # -- what exists and what happens ----------------------------------------------------------------------------------

    def _concrete(self) -> tuple[int, ...]:
        definition = self.definition
        named = {definition.type_index.get(n, -1) for names in definition.mapping.values() for n in names}
        named |= {p for found in self.by_effect.values() for c in found for p in c.products}
        for sprite in self.types:
            named |= set(self._class_products(sprite))
        in_rules = {t for pair in definition.pairs for t in (pair.first, pair.second)} | set(definition.eos_effects)
        defines_avatar = any(is_avatar(s) and s.line for s in self.types)
        found = []
        for sprite in self.types:
            if sprite.class_name is None or not (sprite.leaf or sprite.id in named):
                continue
            predefined_and_unused = sprite.line == 0 and not in_rules.intersection(sprite.subtypes)
            if predefined_and_unused and (defines_avatar or not is_avatar(sprite)):
                continue
            found.append(sprite.id)
        return tuple(found)

    def _meetings(self) -> dict[tuple[int, int], tuple[Consequence, ...]]:
        found: dict[tuple[int, int], list[Consequence]] = {}
        for pair in self.definition.pairs:
            happening = [c for e in pair.effects for c in self.by_effect[e]]
            firsts, seconds = self._covered(pair.first), self._covered(pair.second)
            for first in firsts:
                for second in seconds:
                    found.setdefault((first, second), []).extend(happening)
        return {key: tuple(value) for key, value in found.items()}

    def _covered(self, type_id: int) -> tuple[int, ...]:
        """The concrete types whose sprites a rule written for `type_id` concerns."""
        subtypes = set(self.types[type_id].subtypes)
        return tuple(t for t in self.concrete if t in subtypes)

    def _class_products(self, sprite: SpriteType) -> tuple[int, ...]:
        key = product_parameter(sprite)
        return type_ids(self.definition, sprite.raw.get(key)) if key else ()

    def _sources(self) -> tuple[Source, ...]:
        found = [Source(p, t, consumes_maker=_expires(self.types[t]))
                 for t in self.concrete for p in self._class_products(self.types[t])]  # fmt: skip
        for (first, second), happening in self.meetings.items():
            kills_first = any(c.kind in ("kill", "transform") and c.target == FIRST for c in happening)
            kills_second = any(c.kind == "kill" and c.target == SECOND for c in happening)
            kills_second |= any(c.kind in ("kill", "transform") and c.target == FIRST
                                for c in self.meetings.get((second, first), ()))  # fmt: skip
            for c in happening:
                if c.kind == "transform" and c.target == NAMED:
                    found += [
                        Source(p, v, first, c, True) for p in c.products for n in c.named for v in self._covered(n)
                    ]
                elif c.kind in ("transform", "spawn"):
                    products = c.products or ((first,) if c.kind == "spawn" else ())
                    found += [Source(p, first, second, c, kills_first, kills_second) for p in products]
        for type_id, happening in self.edges.items():
            found += [Source(p, type_id, None, c, c.kind == "transform") for c in happening
                      if c.kind in ("transform", "spawn") for p in c.products]  # fmt: skip
        found += [Source(p, v, None, c, c.kind == "transform") for c, victims in self.timed
                  if c.kind in ("transform", "spawn") for p in c.products for v in victims]  # fmt: skip
        return tuple(s for s in found if s.product in set(self.concrete))

    def _removals(self) -> tuple[Removal, ...]:
        found: list[Removal] = []
        for (first, second), happening in self.meetings.items():
            gone_first = any(c.kind in ("kill", "transform") and c.target == FIRST for c in happening)
            gone_second = any(c.kind == "kill" and c.target == SECOND for c in happening)
            for c in happening:
                if c.kind not in ("kill", "transform", "hurt"):
                    continue
                if c.target == FIRST:
                    found.append(Removal(first, second, c, gone_second))
                elif c.target == SECOND:
                    found.append(Removal(second, first, c, gone_first))
                else:
                    found += [Removal(v, first, c, False, second) for n in c.named for v in self._covered(n)]
        for type_id in self.concrete:
            if any(c.kind in ("kill", "transform") and c.target == FIRST for c in self.edges[type_id]):
                found.append(Removal(type_id, None, None))
            sprite = self.types[type_id]
            spends = (
                product_parameter(sprite) is not None
                and not is_avatar(sprite)
                and first_number(sprite.params.get("total"), 0) > 0
            )
            if _expires(sprite) or spends:
                found.append(Removal(type_id, None, None))
        found += [Removal(v, None, c) for c, victims in self.timed if c.kind in ("kill", "transform", "hurt")
                  for v in victims]  # fmt: skip
        return tuple(found)

    def _endings(self) -> tuple[Ending, ...]:
        return tuple(e for i, t in enumerate(self.definition.terminations) if (e := self._ending(i, t)) is not None)

    def _ending(self, index: int, termination: Termination) -> Ending | None:
        params, name = termination.params, termination.name
        outcome = "win" if wins_for_player_0(termination) else "lose"
        limit = first_number(params.get("limit"), 0)
        if name == "Timeout":
            return Ending(index, name, outcome, "timeout", (), limit)
        if name == "StopCounter":
            return None
        keys = ("stype",) if name.startswith("SpriteCounter") else ("stype1", "stype2", "stype3")
        named = [t for key in keys for t in type_ids(self.definition, params.get(key))]
        counted = {t for n in named for t in self._covered(n)}
        types = tuple(sorted(counted))
        if name == "SpriteCounter":
            return Ending(index, name, outcome, "vanish", types, limit, minimum=limit + 1)
        if name == "SpriteCounterMore" or (name == "MultiSpriteCounter" and flag(params, "min", False)):
            return Ending(index, name, outcome, "appear", types, limit, maximum=max(0, limit - 1))
        if name == "MultiSpriteCounter":
            removable = any(
                c.kind in ("kill", "transform") and c.target == FIRST
                for (first, _), happening in self.meetings.items()
                if first in counted
                for c in happening
            )
            if limit == 0 or removable:
                return Ending(index, name, outcome, "vanish", types, limit, minimum=limit + 1)
            return Ending(index, name, outcome, "appear", types, limit, maximum=limit - 1)
        return Ending(index, name, outcome, "counter", types, limit)

    # -- what the types are --------------------------------------------------------------------------------------------

    def _drifts(self) -> dict[int, tuple[int, int]]:
        found = {}
        for t in self.concrete:
            sprite = self.types[t]
            orientation = sprite.params.get("orientation")
            if sprite.class_name in DRIFTING_CLASSES and isinstance(orientation, tuple) and any(orientation):
                found[t] = (int(orientation[0]), int(orientation[1]))
        return found

    def _moves(self, type_id: int) -> bool:
        sprite = self.types[type_id]
        if _stands_still(sprite):
            orientation, speed = sprite.params.get("orientation"), sprite.params.get("speed", 0)
            return isinstance(orientation, tuple) and isinstance(speed, int | float) and speed > 0
        return not is_avatar(sprite)

    def _harms(self, avatar: int, type_id: int) -> bool:
        """Return True when meeting `type_id` can kill, hurt or end the control of `avatar`."""
        for first, second, side in ((avatar, type_id, FIRST), (type_id, avatar, SECOND)):
            for c in self.meetings.get((first, second), ()):
                if c.target != side:
                    continue
                if c.kind in ("kill", "hurt") and (c.holding is None or not c.holding.more or side == SECOND):
                    return True
                if c.kind == "transform" and c.products and not any(is_avatar(self.types[p]) for p in c.products):
                    return True
        return False

    def _takes(self, avatar: int, type_id: int) -> bool:
        """Return True when `avatar` removes `type_id` by touching it."""
        gone = ("kill", "transform")
        taken = any(c.kind in gone and c.target == FIRST for c in self.meetings.get((type_id, avatar), ()))
        return taken or any(c.kind == "kill" and c.target == SECOND for c in self.meetings.get((avatar, type_id), ()))

    def _blocks(self, avatar: int, type_id: int) -> bool:
        return any(c.kind == "block" for c in self.meetings.get((avatar, type_id), ()))

    def _roles_of(self, t: int) -> set[str]:
        sprite = self.types[t]
        roles: set[str] = set()
        moves = self._moves(t)
        avatars, start = self.avatars, self.start_avatars
        shots = {s.product for s in self.sources if is_avatar(self.types[s.maker]) and s.partner is None}
        if is_avatar(sprite):
            roles.add("avatar")
        if moves:
            roles.add("mover")
        others = [a for a in avatars if a != t]
        harms = any(self._harms(a, t) for a in others)
        taken = any(self._takes(a, t) for a in others)
        shot = any(r.victim == t and r.partner in shots for r in self.removals)
        blocked = any(self._blocks(a, t) for a in start if a != t)
        if any(c.kind == "push" for a in others for c in self.meetings.get((t, a), ())):
            roles.add("pushable")
        if blocked and not moves and "pushable" not in roles and not harms:
            at_once = any(self._takes(a, t) for a in start) and not any(
                c.holding for a in start for c in self.meetings.get((t, a), ()))  # fmt: skip
            removable = any(r.victim == t for r in self.removals)
            if at_once:
                roles.add("breakable")
            else:
                gate = taken or (sprite.class_name == "Door" and self._opens_from_afar(t))
                roles |= {"solid", "gate"} if gate else {"solid"} if removable else {"solid", "wall"}
        if harms:
            roles |= {"harmful"} | (set() if moves else {"hazard"})
        if taken and not harms and "avatar" not in roles:
            roles.add("collectable")
        if shot and not is_avatar(sprite):
            roles.add("breakable")
        for ending in self.endings:
            if t in ending.types:
                roles.add("goal" if ending.outcome == "win" else "guarded")
        if sprite.class_name in ("Resource", "ResourcePack"):
            roles.add("resource")
        if sprite.class_name in ("Portal", "Door") or self._teleports(t):
            roles.add("portal")
        if any(t in self._covered(p) for s in self.concrete if self._teleports(s)
               for p in type_ids(self.definition, self.types[s].raw.get("stype"))):  # fmt: skip
            roles.add("exit")
        if (
            any(s.maker == t and s.partner is None and s.consequence is None for s in self.sources)
            and "avatar" not in roles
        ):
            roles.add("spawner")
        if any(s.product == t for s in self.sources):
            roles.add("spawned")
        if self._background(t) and not roles - {"mover"}:
            roles.add("background")
        if not roles - {"mover", "spawned", "guarded"}:
            roles.add("other")
        return roles

    def _opens_from_afar(self, type_id: int) -> bool:
        """Return True when sprites of a type go because others meet, such as an avatar and a switch."""
        return any(r.victim == type_id and r.switch is not None for r in self.removals)

    def _teleports(self, type_id: int) -> bool:
        return type_id in self.teleporters

    def _background(self, t: int) -> bool:
        if any(t in key for key in self.meetings) or self.edges[t] or any(t in e.types for e in self.endings):
            return False
        if any(t in (s.product, s.maker) for s in self.sources):
            return False
        return not any(t in victims for _, victims in self.timed)

    def _spread_harm(self, roles: dict[int, frozenset[str]]) -> None:
        """A type that brings forth harmful sprites is harmful itself (to a fixpoint)."""
        changed = True
        while changed:
            changed = False
            for s in self.sources:
                by_itself = s.partner is None and s.consequence is None and "avatar" not in roles[s.maker]
                if by_itself and "harmful" in roles[s.product] and "harmful" not in roles[s.maker]:
                    roles[s.maker] = roles[s.maker] | {"harmful"}
                    changed = True

    def _avatar_side(self, mobility: str) -> str | None:
        if mobility not in ("horizontal", "vertical"):
            return None
        for s in self.sources:
            if s.maker in self.start_avatars and s.consequence is None and s.product in self.drifts:
                columns, rows = self.drifts[s.product]
                if mobility == "horizontal" and rows:
                    return "bottom" if rows < 0 else "top"
                if mobility == "vertical" and columns:
                    return "right" if columns < 0 else "left"
        return "bottom" if mobility == "horizontal" else "left"

    # -- views ---------------------------------------------------------------------------------------------------------

    def _tiles(self, roles: Mapping[int, frozenset[str]]) -> tuple[Tile, ...]:
        found = []
        known = set(self.concrete)
        for char, names in self.definition.mapping.items():
            ids = tuple(self.definition.type_index.get(name, -1) for name in names)
            if not ids or any(i not in known for i in ids):
                continue
            found.append(Tile(char, ids, tuple(i for i in ids if "background" not in roles[i])))
        return tuple(found)
