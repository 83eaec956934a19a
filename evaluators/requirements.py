"""Requirements of levels: the numbers of sprites without which a level is over at once or cannot be won.

Two kinds of rule come out of an analysis: bounds on counts (an ending must not fire at the start) and needs (a locked
door needs its key, a box its hole, a portal its exit, a lock on ten diamonds ten of them). Needs are found by
searching backwards from the endings through the ways sprites leave and enter the game, an AND/OR search; this looks
at rules only and never at places.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pcg.engine.vgdl.definition import SpriteType
from pcg.evaluators.analysis import GameAnalysis, Removal, Source
from pcg.evaluators.effect_semantics import FIRST, SECOND, Consequence, Holding, first_number, type_ids

Recipe = tuple[tuple[int, int], ...]
"""Types and how many of each must be placed, by ascending type id."""
Question = tuple[str, int, int, tuple[int, ...]]
"""The aim of a recipe: "obtain", "remove" or "gather", a type, how many of it, and types that must not be left."""


@dataclass(frozen=True, slots=True)
class CountRule:
    """The sprites of `types` together number from `minimum` to `maximum` (None: no bound) at the start."""

    types: tuple[int, ...]
    minimum: int
    maximum: int | None
    reason: str

    def share(self, counts: Mapping[int, int]) -> float:
        """Return how nearly sprites in these numbers keep the rule, in [0, 1]."""
        number = sum(counts.get(t, 0) for t in self.types)
        if number < self.minimum:
            return number / self.minimum
        return (self.maximum + 1) / (number + 1) if self.maximum is not None and number > self.maximum else 1.0


@dataclass(frozen=True, slots=True)
class Need:
    """A need: where `base` stands n times, `other` must stand at least `first + (n - 1) * each` times."""

    base: int
    other: int
    first: int
    each: int
    reason: str

    def wanted(self, count: int) -> int:
        """The number of `other` that go with `count` of `base`."""
        return self.first + (count - 1) * self.each if count > 0 else 0

    def share(self, counts: Mapping[int, int]) -> float | None:
        """Return the share of what is needed that is there, in [0, 1]; None where nothing is."""
        wanted = self.wanted(counts.get(self.base, 0))
        return min(1.0, counts.get(self.other, 0) / wanted) if wanted else None


@dataclass(frozen=True)
class Requirements:
    """All that a level of the game must hold."""

    counts: tuple[CountRule, ...]
    needs: tuple[Need, ...]
    placeable: tuple[int, ...]
    """Types some usable level character creates."""
    unwinnable: tuple[int, ...]
    """Goal types that, once placed, nothing known to the analysis can remove."""
    players: int
    gates: tuple[Need, ...] = ()
    """Needs of gates that winning does not ask for: what nothing can open is a wall, and nobody draws it as a gate."""
    before: Mapping[int, int] = field(default_factory=dict)
    """Type that has to go or be taken -> how many other kinds of things that takes, all told: 1 for a door with a
    key."""

    @property
    def all_needs(self) -> tuple[Need, ...]:
        """Needs of what winning asks for, and of gates."""
        return (*self.needs, *self.gates)

    def shortfalls(self, counts: Mapping[int, int]) -> list[str]:
        """Reasons why sprites in these numbers break a rule, as sentences; empty when they keep all."""
        found = []
        for rule in self.counts:
            number = sum(counts.get(t, 0) for t in rule.types)
            if number < rule.minimum or (rule.maximum is not None and number > rule.maximum):
                found.append(f"{rule.reason}: {number} instead of {rule.minimum}..{rule.maximum}")
        for need in self.all_needs:
            if counts.get(need.other, 0) < need.wanted(counts.get(need.base, 0)):
                found.append(need.reason)
        return found

    def kept_by(self, levels: Sequence[Mapping[int, int]]) -> Requirements:
        """Return the requirements without the needs that one of some levels breaks: there is another way.

        Args:
            levels: numbers of sprites by type of levels that are as they should be.
        """
        needs, gates = (tuple(need for need in some if _keep(levels, need)) for some in (self.needs, self.gates))
        return replace(self, needs=needs, gates=gates)

    def satisfaction(self, counts: Mapping[int, int], known: Sequence[Mapping[int, int]] = ()) -> float:
        """Share of what is required that is there, in [0, 1]; 1 exactly when `shortfalls` is empty.

        Args:
            counts: of sprites by type.
            known: the same of levels that are as they should be: a rule that one of them breaks is none.
        """
        parts: list[float] = []
        rules: tuple[CountRule | Need, ...] = (*self.counts, *self.all_needs)
        for rule in rules:
            share = rule.share(counts)
            if share is not None and (share >= 1.0 or _keep(known, rule)):
                parts.append(share)
        return math.fsum(parts) / len(parts) if parts else 1.0


def _keep(levels: Sequence[Mapping[int, int]], rule: CountRule | Need) -> bool:
    """Tell whether all of some levels, as numbers of sprites by type, keep a rule."""
    return all(rule.share(one) in (None, 1.0) for one in levels)


def requirements(analysis: GameAnalysis) -> Requirements:
    """Work out what levels of a game require.

    Args:
        analysis: of the game.

    Returns:
        Count rules in the order of the endings (the avatar first), then needs by ascending type.
    """
    return _Search(analysis).result()


def means_to_remove(analysis: GameAnalysis, type_id: int) -> tuple[tuple[int, int, int], ...]:
    """Means to get rid of sprites of a type, the cheapest way: (other type, how many for one, how many more for
    each further one); empty where nothing has to be placed for it or nothing can remove them.

    >>> import pcg
    >>> from pcg.evaluators.analysis import analyse
    >>> means_to_remove(analyse(pcg.load("dungeon").definition), 3)
    ((4, 1, 1),)
    """
    return _Search(analysis).means(type_id)


class _Search:
    """Backward search for the cheapest recipe; a recipe's cost is the number of sprites in it."""

    MOST = 60
    """Recipes that ask for more sprites than this are no help to a level."""

    def __init__(self, analysis: GameAnalysis) -> None:
        self.analysis = analysis
        self.types = analysis.definition.types
        self.placeable = tuple(sorted({t for tile in analysis.tiles for t in tile.types}))
        self._placeable = set(self.placeable)
        self._sources: dict[int, list[Source]] = {}
        for source in analysis.sources:
            self._sources.setdefault(source.product, []).append(source)
        self._recipes: dict[Question, Recipe | None] = {}
        self._open: list[Question] = []  # questions that are being settled
        self._removals: dict[int, list[Removal]] = {}
        for removal in analysis.removals:
            self._removals.setdefault(removal.victim, []).append(removal)

    def result(self) -> Requirements:
        analysis = self.analysis
        players = analysis.definition.players
        counts = [CountRule(analysis.avatars, players, players, "one avatar per player")]
        for ending in analysis.endings:
            types = tuple(t for t in ending.types if t in self._placeable)
            if set(ending.types) <= set(analysis.avatars) or ending.kind in ("timeout", "counter"):
                continue
            if types and (ending.minimum > 0 or ending.maximum is not None):
                verb = {"win": "won", "lose": "lost"}[ending.outcome]
                reason = f"not {verb} at once by the number of {', '.join(analysis.names(types))}"
                counts.append(CountRule(types, ending.minimum, ending.maximum, reason))
        for t in self.placeable:
            if self.types[t].singleton and t not in analysis.avatars:
                counts.append(CountRule((t,), 0, 1, f"{self.types[t].name} is a singleton"))
        needs, unwinnable = self._needs()
        gates = tuple(self._of_gates({need.base for need in needs}))
        return Requirements(
            tuple(counts), tuple(needs), self.placeable, tuple(unwinnable), players, gates, self._before(needs)
        )

    def _of_gates(self, known: Container[int]) -> Iterator[Need]:
        """Yield the needs of gates whose needs are not known: what the cheapest way to open one takes."""
        for gate in self.analysis.having("gate"):
            if gate in known or gate not in self._placeable:
                continue
            for other, first, each in self.means(gate):
                yield Need(gate, other, first, each, f"to open {self.types[gate].name}")

    def means(self, type_id: int) -> tuple[tuple[int, int, int], ...]:
        """`means_to_remove`."""
        one, two = self.remove(type_id, 1), self.remove(type_id, 2)
        more = dict(two or one or ())
        return tuple((other, n, max(0, more.get(other, n) - n)) for other, n in one or () if other != type_id)

    def _before(self, needs: Iterable[Need]) -> dict[int, int]:
        """Of every goal and of what it needs, how many kinds of things come before it."""
        goals = {t: ending.types for ending in self.analysis.wins if ending.kind == "vanish" for t in ending.types}
        types = goals.keys() | {need.other for need in needs}
        found: dict[int, int] = {}
        for t in sorted(types & self._placeable):
            recipe = self.remove(t, 1, goals.get(t, ()))
            if recipe is not None:
                found[t] = sum(other != t for other, _ in recipe)
        return found

    def _needs(self) -> tuple[list[Need], list[int]]:
        analysis = self.analysis
        found: dict[tuple[int, int], Need] = {}
        unwinnable: list[int] = []

        def require(base: int, one: Recipe, two: Recipe, reason: str) -> None:
            more = dict(two)
            for other, number in one:
                if other != base:
                    each = max(0, more.get(other, number) - number)
                    found.setdefault((base, other), Need(base, other, number, each, reason))

        for ending in analysis.wins:
            for t in ending.types:
                if t not in self._placeable or t in analysis.avatars:
                    continue
                name = self.types[t].name
                if ending.kind == "vanish":
                    one, two = self.remove(t, 1, ending.types), self.remove(t, 2, ending.types)
                    if one is None:
                        unwinnable.append(t)
                    else:
                        require(t, one, two or one, f"to get rid of {name}")
        for ending in analysis.wins:
            if ending.kind == "appear":
                recipes = [
                    r
                    for t in ending.types
                    if t not in analysis.avatars
                    and (r := self.obtain(t, ending.limit)) is not None
                    and dict(r).get(t, 0) < ending.limit
                ]
                for avatar in analysis.start_avatars:
                    if recipes:
                        cheapest = min(recipes, key=_cost)
                        require(avatar, cheapest, cheapest, f"to bring about {', '.join(analysis.names(ending.types))}")
        for t in self.placeable:
            exits = self._exits(t)
            if exits:
                require(t, ((exits[0], 1),), ((exits[0], 1),), f"{self.types[t].name} leads there")
        return list(found.values()), unwinnable

    def _exits(self, type_id: int) -> tuple[int, ...]:
        """The exits of a portal: without an exit its users die (reference/effects 10.7)."""
        analysis = self.analysis
        if not any(c.kind == "teleport" for a in analysis.avatars for c in analysis.meetings.get((a, type_id), ())):
            return ()
        named = type_ids(analysis.definition, self.types[type_id].raw.get("stype"))
        return tuple(t for t in named if t in self._placeable and t not in analysis.avatars)

    # -- the search ----------------------------------------------------------------------------------------------------

    def obtain(self, type_id: int, number: int) -> Recipe | None:
        """The cheapest way to have `number` sprites of a type at some time; () if nothing need be placed, None if
        impossible.
        """
        if number > self.MOST:
            return None
        if type_id in self.analysis.start_avatars:
            return ()
        if type_id in self._placeable:
            return ((type_id, number),)
        return self._settled(("obtain", type_id, number, ()))

    def remove(self, type_id: int, number: int, goal: tuple[int, ...] = ()) -> Recipe | None:
        """The cheapest way to get rid of `number` placed sprites of a type, and of the types of `goal` that they turn
        into on the way: a crate that breaks is gone, and no help where all crates, broken ones too, have to go.
        """
        return self._settled(("remove", type_id, number, goal))

    def _settled(self, question: Question) -> Recipe | None:
        """Return the cheapest recipe for something.

        Recipes are made of others, around in circles where things turn into each other. So what is asked on the way is
        answered with the best known so far, and all is asked again until nothing becomes cheaper (value iteration:
        Knuth, A Generalization of Dijkstra's Algorithm, 1977).
        """
        if question in self._recipes:
            return self._recipes[question]
        self._recipes[question] = None
        if self._open:
            self._open.append(question)
            return None
        self._open = [question]
        changed = True
        while changed:
            changed = False
            for asked in self._open:  # grows on the way
                found, known = self._answer(*asked), self._recipes[asked]
                if found is not None and (known is None or _cost(found) < _cost(known)):
                    self._recipes[asked] = found
                    changed = True
        self._open = []
        return self._recipes[question]

    def _answer(self, kind: str, type_id: int, number: int, goal: tuple[int, ...]) -> Recipe | None:
        if kind == "obtain":
            return _cheapest([self._source(s, number) for s in self._sources.get(type_id, ())])
        if kind == "remove":
            ways = [(self._removal(r, number, goal), _welcome(r)) for r in self._removals.get(type_id, ())]
            # Of two that take as much, the one that scores: players are to put things on goals, not into holes.
            best = [(_cost(way)[0], -welcome, way) for way, welcome in ways if way is not None]
            return min(best)[2] if best else None
        return _cheapest(list(self._gathering(type_id, number)))

    def _source(self, source: Source, number: int) -> Recipe | None:
        maker, c = self.types[source.maker], source.consequence
        makers = number if source.consumes_maker else 1
        if c is None:
            makers = math.ceil(number / total) if (total := first_number(maker.params.get("total"), 0)) > 0 else makers
            parts = [self.obtain(source.maker, makers)]
            if source.maker in self.analysis.avatars:
                parts += [self._resource(r, number) for r in ammunition(self.analysis, maker, source.product)]
            return _union(parts)
        parts = [self.obtain(source.maker, makers)]
        if source.partner is not None:
            parts.append(self.obtain(source.partner, number if source.consumes_partner else 1))
            parts.append(self._condition(c, source.maker, source.partner, number))
        return _union(parts)

    def _removal(self, removal: Removal, number: int, goal: tuple[int, ...]) -> Recipe | None:
        partner, c = removal.partner, removal.consequence
        products = c.products if c is not None and c.kind == "transform" else ()
        left = [self.remove(t, number, goal) for t in products if t in goal]
        if partner is None:
            return _union(left)
        if removal.switch is not None and c is not None:  # one meeting removes all
            if not self.analysis.can_meet(partner, removal.switch):
                return None
            condition = self._condition(c, partner, removal.switch, 1)
            return _union([*left, self.obtain(partner, 1), self.obtain(removal.switch, 1), condition])
        # Two sprites that are placed only meet if one of them can be brought to the other.
        if partner == removal.victim and "mover" not in self.analysis.roles[partner]:
            return None
        if not self.analysis.can_meet(removal.victim, partner):
            return None
        parts = [*left, self.obtain(partner, number if removal.consumes_partner else 1)]
        if c is not None:
            first, second = (removal.victim, partner) if c.target == FIRST else (partner, removal.victim)
            parts.append(self._condition(c, first, second, number))
        return _union(parts)

    def _condition(self, c: Consequence, first: int, second: int, number: int) -> Recipe | None:
        holding: Holding | None = c.holding
        if holding is None or not holding.more:
            return ()
        holder = first if holding.holder == FIRST else second
        if holder in self.analysis.avatars or holding.holder == SECOND:
            return self._resource(holding.resource, holding.limit * (number if holding.spent else 1))
        return ()

    def _resource(self, resource: int, amount: int) -> Recipe | None:
        """Sprites that must be placed so that `amount` units of a resource can be gathered."""
        return self._settled(("gather", resource, amount, ())) if amount > 0 else ()

    def _gathering(self, resource: int, amount: int) -> Iterator[Recipe | None]:
        for t in self.analysis.concrete:
            sprite = self.types[t]
            if sprite.class_name in ("Resource", "ResourcePack"):
                named = type_ids(self.analysis.definition, sprite.raw.get("resource_name")) or (t,)
                number = math.ceil(amount / max(1, first_number(sprite.params.get("value"), 1)))
                if (resource in named or resource in sprite.path) and number <= self.MOST:
                    yield _union([self.obtain(t, number), self._taking(t, number)])
        for (first, second), found in self.analysis.meetings.items():
            kept = not any(c.kind == "kill" and c.target == SECOND for c in found)
            for c in found:
                if c.kind == "gain" and resource in c.products and c.amount > 0 and first in self.analysis.avatars:
                    yield self.obtain(second, 1 if kept else math.ceil(amount / c.amount))

    def _taking(self, type_id: int, number: int) -> Recipe | None:
        """The resources that the avatar must hold to take `number` sprites of a resource that lie there
        (reference/effects 10.13, collectResourceIfHeld).
        """
        taking = [
            self._condition(c, type_id, avatar, number)
            for avatar in self.analysis.avatars
            for c in self.analysis.meetings.get((type_id, avatar), ())
            if c.kind == "collect"
        ]
        return _cheapest(taking) if taking else ()


def ammunition(analysis: GameAnalysis, avatar: SpriteType, product: int) -> tuple[int, ...]:
    """The resource an avatar spends to bring forth `product`: the entry of `ammo` at the same place as in `stype`."""
    ammo = type_ids(analysis.definition, avatar.raw.get("ammo"))
    shots = type_ids(analysis.definition, avatar.raw.get("stype"))
    place = shots.index(product) if product in shots else 0
    return (ammo[place],) if place < len(ammo) else ()


def _welcome(removal: Removal) -> int:
    """Return 1 for a way to get rid of something that scores, -1 for one that costs points, else 0."""
    score = 0 if removal.consequence is None else removal.consequence.score
    return (score > 0) - (score < 0)


def _cost(recipe: Recipe) -> tuple[int, Recipe]:
    return sum(n for _, n in recipe), recipe


def _cheapest(ways: Sequence[Recipe | None]) -> Recipe | None:
    possible = [w for w in ways if w is not None]
    return min(possible, key=_cost) if possible else None


def _union(parts: Iterable[Recipe | None]) -> Recipe | None:
    """All parts together; where two ask for the same type the larger number serves both."""
    total: dict[int, int] = {}
    for part in parts:
        if part is None:
            return None
        for t, n in part:
            total[t] = max(total.get(t, 0), n)
    return tuple(sorted(total.items()))
