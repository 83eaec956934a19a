"""Elements of a game that missions are made of: locks and keys, tasks that win the game, dangers and
rewards.

All of it comes from the analysis of the rules (what must be there for what is known to `requirements`); the symbols
of a grammar are bound to it in `binding`. The notion of a lock is the wide one of Dormans (2010): a door and its key,
but also a pit and the box that fills it, water and the boots that carry one over it, a wall that a button takes away.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from pcg.engine.vgdl.definition import SpriteType
from pcg.evaluators.analysis import is_avatar
from pcg.evaluators.effect_semantics import FIRST, NAMED, SECOND, Consequence, first_number, type_ids
from pcg.evaluators.level_grid import BLOCKED, FREE, GATE, HAZARD, PUSH
from pcg.generators.levels.context import LevelContext

CARRY, BECOME, PUSHED, PRESS = "carry", "become", "push", "press"
"""Ways in which a key opens: by being held, by making another avatar of the one who touches it, by being pushed into
the by being touched where it is.
"""

MOST_KEYS = 6
"""Locks that ask for more than this are no use as locks."""


@dataclass(frozen=True, slots=True)
class Key:
    """Key of a barrier: `amount` of `tile`, used up if `spent`."""

    tile: int
    how: str
    amount: int = 1
    spent: bool = False


@dataclass(frozen=True, slots=True)
class Barrier:
    """A tile that bars the way until one of `keys` opens it; `goal` if winning takes opening it."""

    tile: int
    keys: tuple[Key, ...]
    goal: bool


@dataclass(frozen=True, slots=True)
class Task:
    """A tile winning asks to deal with, and the tiles that go with each of it; `box` is the one to be pushed."""

    tile: int
    company: tuple[tuple[int, int], ...] = ()
    """(tile, how many for each further one)."""
    box: int | None = None

    @property
    def target(self) -> int:
        """Tile that the box belongs on."""
        if self.box == self.tile:
            return next((tile for tile, _ in self.company), self.tile)
        return self.tile


@dataclass(frozen=True)
class GameElements:
    """Elements of a game for missions, as tiles of the palette."""

    barriers: tuple[Barrier, ...]
    tasks: tuple[Task, ...]
    """None of them a barrier."""
    tests: tuple[int, ...]
    traps: tuple[int, ...]
    rewards: tuple[int, ...]
    warps: tuple[tuple[int, tuple[int, ...]], ...]
    """Entrances and where each leads."""

    @property
    def goals_bar(self) -> bool:
        """True if all that winning asks for is opening barriers."""
        return not self.tasks and any(b.goal for b in self.barriers)

    def symbols(self, *, closed: bool) -> frozenset[str]:
        """The terminals a mission can have; `closed`: where walls can hold a place shut."""
        found = {"start", "goal", "room"}
        found |= {"task"} if self.tasks else set()
        found |= {"test"} if self.tests else set()
        found |= {"trap"} if self.traps else set()
        found |= {"reward"} if self.rewards else set()
        if closed:
            found |= {"key", "lock"} if self.barriers else set()
            found |= {"warp"} if self.warps else set()
        return frozenset(found)


def game_elements(context: LevelContext) -> GameElements:
    """Return the elements of a game that missions can be made of.

    >>> import pcg
    >>> from pcg.generators.levels import LevelContext
    >>> found = game_elements(LevelContext.of(pcg.load("dungeon")))
    >>> len(found.barriers), sorted(found.symbols(closed=True))
    (1, ['goal', 'key', 'lock', 'reward', 'room', 'start', 'test'])
    """
    return _Search(context).result()


class _Search:
    """Reads the parts of `GameElements` from the analysis."""

    def __init__(self, context: LevelContext) -> None:
        self.context = context
        self.analysis, self.palette = context.analysis, context.palette
        self.usable = [t for t in context.objects if self._shown(t)]

    def result(self) -> GameElements:
        analysis, palette = self.analysis, self.palette
        barriers = tuple(b for t in self.usable if (b := self._barrier(t)) is not None)
        barring = {b.tile for b in barriers}
        keys = {k.tile for b in barriers for k in b.keys}
        tasks = tuple(t for t in self._tasks() if t.tile not in barring)
        busy = {t.tile for t in tasks} | {c for t in tasks for c, _ in t.company} | barring | keys
        goals = {t for e in analysis.wins for t in e.types}

        def content(tile: int) -> tuple[int, ...]:
            return palette.tiles[tile].content

        tests = tuple(t for t in self.usable if t not in busy and any(analysis.has(c, "harmful") for c in content(t))
                      and any(analysis.has(c, "mover") or analysis.has(c, "spawner") for c in content(t))
                      and palette.access[t] != HAZARD)  # fmt: skip
        traps = tuple(t for t in self.usable if palette.access[t] == HAZARD and t not in busy and t not in tests
                      and not any(c in goals for c in content(t)))  # fmt: skip
        rewards = tuple(t for t in self.usable if palette.access[t] == FREE and t not in busy and t not in tests
                        and any(analysis.has(c, "collectable") for c in content(t))
                        and not any(c in goals or analysis.has(c, "guarded") for c in content(t)))  # fmt: skip
        warps = tuple((t, tuple(e for e in exits if e in context_objects)) for t, exits in palette.links.items()
                      if t in self.usable for context_objects in (set(self.context.objects),)
                      if any(e in context_objects for e in exits))  # fmt: skip
        return GameElements(barriers, tasks, tests, traps, rewards, warps)

    def _shown(self, tile: int) -> bool:
        statistics = self.context.statistics
        return statistics is None or bool(statistics.used[tile])

    # -- locks and keys ------------------------------------------------------------------------------------------------

    def _barrier(self, tile: int) -> Barrier | None:
        """The tile as a barrier, if exactly one thing on it bars the way and something opens it."""
        palette, analysis = self.palette, self.analysis
        if palette.access[tile] not in (GATE, HAZARD, BLOCKED):
            return None
        barring = [c for c in palette.tiles[tile].content
                   if any(analysis.has(c, r) for r in ("solid", "hazard", "harmful"))]  # fmt: skip
        if len(barring) != 1 or any(analysis.has(c, "mover") or analysis.has(c, "spawner") for c in barring):
            return None
        (c,) = barring
        keys: list[Key] = []
        for key in self._openings(c):
            known = any(k.tile == key.tile for k in keys)
            if key.amount <= MOST_KEYS and not known and self._takes(key):
                keys.append(key)
        goal = any(c in e.types for e in analysis.wins)
        return Barrier(tile, tuple(keys), goal) if keys else None

    def _takes(self, key: Key) -> bool:
        """Return whether a key can be put down where the avatar gets at it."""
        content = self.palette.tiles[key.tile].content
        wanted = PUSH if key.how == PUSHED else FREE
        harmless = not any(self.analysis.has(c, "harmful") or self.analysis.has(c, "mover") for c in content)
        return key.tile in self.context.objects and self.palette.access[key.tile] == wanted and harmless

    def _openings(self, c: int) -> Iterable[Key]:
        analysis = self.analysis
        for avatar in analysis.avatars:
            yield from self._by_touch(avatar, c)
        for removal in analysis.removals:
            if removal.victim == c and removal.partner is not None and self._clears(removal.consequence):
                partner = removal.partner
                if analysis.has(partner, "pushable"):
                    yield from (Key(t, PUSHED, 1, True) for t in self.palette.by_type.get(partner, ()))
        for (first, second), found in analysis.meetings.items():
            if (first in analysis.avatars) == (second in analysis.avatars):
                continue
            button = second if first in analysis.avatars else first
            for happening in found:
                named = {v for n in happening.named for v in analysis.definition.types[n].subtypes}
                if happening.target == NAMED and c in named and self._clears(happening) and button != c:
                    yield from (Key(t, PRESS) for t in self.palette.by_type.get(button, ()))

    def _by_touch(self, avatar: int, c: int) -> Iterable[Key]:
        analysis = self.analysis
        gone = [
            x for x in analysis.meetings.get((c, avatar), ()) if x.target == FIRST and x.kind in ("kill", "transform")
        ]
        gone += [x for x in analysis.meetings.get((avatar, c), ()) if x.target == SECOND and x.kind == "kill"]
        at_start = avatar in analysis.start_avatars
        for x in gone:
            if x.holding is not None and x.holding.more and self._clears(x):
                yield from self._held(x.holding.resource, x.holding.limit, x.holding.spent)
            elif x.holding is None and not at_start and self._clears(x):
                yield from self._turned(avatar)
        harm = [x for x in analysis.meetings.get((avatar, c), ()) if x.target == FIRST and x.kind in ("kill", "hurt")]
        blocked = any(x.kind == "block" for x in analysis.meetings.get((avatar, c), ()))
        if at_start and harm and not blocked and all(x.holding is not None and not x.holding.more for x in harm):
            for x in harm:
                if x.holding is not None:
                    yield from self._held(x.holding.resource, x.holding.limit + 1, False)
        if not at_start and not harm and not blocked and not gone:
            yield from self._turned(avatar)

    def _clears(self, x: Consequence | None) -> bool:
        """Return whether what happens leaves nothing in the way."""
        if x is None or x.situational:
            return False
        roles = ("solid", "hazard", "harmful", "pushable")
        return x.kind == "kill" or not any(self.analysis.has(p, r) for p in x.products for r in roles)

    def _held(self, resource: int, amount: int, spent: bool) -> Iterable[Key]:
        """Tiles that give units of a resource to who touches them."""
        definition = self.analysis.definition
        for t in self.analysis.concrete:
            sprite: SpriteType = definition.types[t]
            if sprite.class_name in ("Resource", "ResourcePack"):
                named = type_ids(definition, sprite.raw.get("resource_name")) or (t,)
                value = max(1, first_number(sprite.params.get("value"), 1))
                if resource in named or resource in sprite.path:
                    yield from self._tiles_giving(t, amount, value, spent)
        for (first, second), found in self.analysis.meetings.items():
            for x in found:
                if x.kind == "gain" and resource in x.products and x.amount > 0 and first in self.analysis.avatars:
                    yield from self._tiles_giving(second, amount, x.amount, spent)

    def _tiles_giving(self, t: int, amount: int, value: int, spent: bool) -> Iterable[Key]:
        for tile in self.palette.by_type.get(t, ()):
            yield Key(tile, CARRY, max(1, math.ceil(amount / value)), spent)

    def _turned(self, avatar: int) -> Iterable[Key]:
        """Tiles that turn an avatar of the start into `avatar`."""
        analysis = self.analysis
        for source in analysis.sources:
            by_touch = source.product == avatar and source.partner is not None
            if by_touch and is_avatar(analysis.definition.types[source.maker]):
                partner = source.partner or 0
                condition = source.consequence.holding if source.consequence is not None else None
                if condition is None and not is_avatar(analysis.definition.types[partner]):
                    yield from (Key(t, BECOME) for t in self.palette.by_type.get(partner, ()))

    # -- tasks ---------------------------------------------------------------------------------------------------------

    def _tasks(self) -> Iterable[Task]:
        analysis, palette = self.analysis, self.palette
        seen: set[int] = set()
        for ending in analysis.wins:
            kinds: tuple[int, ...] = ending.types if ending.kind == "vanish" else ()
            if ending.kind == "appear":
                needs = self.context.requirements.needs
                kinds = tuple(n.other for n in needs if n.base in analysis.start_avatars)
            for t in kinds:
                for tile in palette.by_type.get(t, ()):
                    if tile in self.usable and tile not in seen and palette.tiles[tile].content[-1:] == (t,):
                        seen.add(tile)
                        yield self._task(tile, t)

    def _task(self, tile: int, t: int) -> Task:
        analysis, palette = self.analysis, self.palette
        company = []
        for need in self.context.requirements.needs:
            if need.base == t:
                choices = [i for i in palette.by_type.get(need.other, ()) if i in self.context.objects]
                if choices:
                    company.append((choices[0], max(need.each, int(need.first > 0 and need.each > 0))))
        involved = [tile, *(i for i, _ in company)]
        boxes = [i for i in involved if any(analysis.has(c, "pushable") for c in palette.tiles[i].content)]
        box = boxes[0] if boxes and len(involved) > 1 else None
        return Task(tile, tuple(company), box)
