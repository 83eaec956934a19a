"""Subgoals: the kinds of sprites that an avatar should touch next to come nearer to winning, read from the rules.

A backward search from the endings, as in `requirements`, but for a state of play: with the avatar there is, what it
holds, and the kinds of sprites still present. A key is a subgoal while the door cannot be opened yet, the door once it
can. Knows kinds only, not places; `kernel.distance_field` adds the way there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pcg.engine.vgdl.definition import GameDefinition
from pcg.evaluators.analysis import GameAnalysis, Removal, Source, analyse
from pcg.evaluators.effect_semantics import FIRST, Consequence
from pcg.evaluators.requirements import ammunition

DEEPEST, SHALLOWEST = 12, 2
"""Things after one another that are searched, at most, and at least in games where the search would not end."""
MOST = 5_000
"""Questions of one search: three times those in any game of the corpus but one, whose things turn into each other."""
_FAR = 99


@dataclass(frozen=True, slots=True)
class AbstractState:
    """The part of a state that subgoals depend on.

    Attributes:
        avatar: type of the avatar.
        counts: numbers of living sprites by type.
        held: pairs of a resource's type and the amount held.
    """

    avatar: int
    counts: tuple[int, ...]
    held: tuple[tuple[int, int], ...] = ()

    def amount(self, resource: int) -> int:
        """Units held of a resource."""
        return dict(self.held).get(resource, 0)


@dataclass(frozen=True, slots=True)
class Route:
    """A way towards a subgoal.

    Attributes:
        steps: number of things to touch on it.
        first: types of which one may be touched first.
    """

    steps: int
    first: frozenset[int] = frozenset()


_DONE = Route(0)


class Subgoals:
    """Subgoals of a game, answered for states of play.

    Attributes:
        wanted: types that must vanish to win; their number says how much is left to do.
        unwanted: types that must appear to win.
    """

    def __init__(self, definition: GameDefinition) -> None:
        self.analysis: GameAnalysis = analyse(definition)
        self._sources: dict[int, list[Source]] = {}
        for source in self.analysis.sources:
            self._sources.setdefault(source.product, []).append(source)
        self._removals: dict[int, list[Removal]] = {}
        for removal in self.analysis.removals:
            self._removals.setdefault(removal.victim, []).append(removal)
        avatars = set(self.analysis.avatars)
        wins = [e for e in self.analysis.wins if not set(e.types) <= avatars]
        self.wanted = tuple(sorted({t for e in wins if e.kind == "vanish" for t in e.types} - avatars))
        self.unwanted = tuple(sorted({t for e in wins if e.kind == "appear" for t in e.types} - avatars))
        self._depth, self._left = DEEPEST, MOST  # of the search under way
        self._depth = self._feasible_depth()
        self._known: dict[AbstractState, frozenset[int]] = {}
        self._blocking: dict[int, tuple[int, ...]] = {}

    def at(self, state: AbstractState) -> frozenset[int]:
        """Types to touch next; empty when the rules name none."""
        if state not in self._known:
            if len(self._known) >= 4096:
                self._known.clear()
            self._known[state] = self._find(state)
        return self._known[state]

    def _feasible_depth(self) -> int:
        """Return the depth of searches: less where things turn into each other in more ways than can be searched."""
        counts = tuple(int(t in self.wanted) for t in range(len(self.analysis.definition.types)))
        states = [AbstractState(avatar, counts) for avatar in self.analysis.avatars]

        def ends(depth: int) -> bool:
            self._depth = depth
            for state in states:
                self._find(state)
                if self._left < 0:
                    return False
            return True

        if ends(DEEPEST):
            return DEEPEST
        return next((depth - 1 for depth in range(SHALLOWEST + 1, DEEPEST) if not ends(depth)), DEEPEST - 1)

    def _find(self, state: AbstractState) -> frozenset[int]:
        self._left = MOST
        found: set[int] = set()
        least = _FAR
        for t in self.wanted:
            if state.counts[t] > 0:
                way = self._remove(t, state, frozenset())
                if way is not None and way.first:
                    found |= way.first
        if found:
            return frozenset(found)
        for t in self.unwanted:
            way = self._obtain(t, state, frozenset())
            if way is not None and way.first and way.steps <= least:
                found = set(way.first) if way.steps < least else found | way.first
                least = way.steps
        return frozenset(found)

    # --- backward search: None when there is no way ---

    def _remove(self, t: int, state: AbstractState, trail: frozenset[tuple[str, int]]) -> Route | None:
        key = ("remove", t)
        if key in trail or self._ends(trail):
            return None
        return self._best([self._by_removal(r, state, trail | {key}) for r in self._removals.get(t, ())])

    def _ends(self, trail: frozenset[tuple[str, int]]) -> bool:
        """Count a question, and tell whether it is left open: too deep, or one too many."""
        self._left -= 1
        return len(trail) > self._depth or self._left < 0

    def _by_removal(self, r: Removal, state: AbstractState, trail: frozenset[tuple[str, int]]) -> Route | None:
        if r.partner is None:
            return _DONE
        if r.partner == state.avatar:
            return self._touch(r.victim, r.consequence, r.victim, state, trail)
        if not self.analysis.can_meet(r.victim, r.partner):
            return None
        way = self._obtain(r.partner, state, trail)
        if way is None:
            return None
        if way.steps > 0:
            return Route(way.steps + 1, way.first)
        if r.partner in self.analysis.avatars:
            return None
        if self._shoots(state.avatar, r.partner):
            return Route(1, frozenset({r.victim}))
        for pushed in (r.victim, r.partner):
            if "pushable" in self.analysis.roles[pushed]:
                return Route(2, frozenset({pushed}))
        return Route(1, frozenset({r.partner}) if "mover" not in self.analysis.roles[r.partner] else frozenset())

    def _touch(
        self, what: int, c: Consequence | None, victim: int, state: AbstractState, trail: frozenset[tuple[str, int]]
    ) -> Route | None:
        holding = c.holding if c is not None else None
        if c is not None and holding is not None and holding.more:
            holder = victim if (holding.holder == FIRST) == (c.target == FIRST) else state.avatar
            if holder == state.avatar and state.amount(holding.resource) < holding.limit:
                way = self._gather(holding.resource, state, trail)
                return None if way is None else Route(way.steps + 1, way.first)
        return Route(1, frozenset({what}))

    def _gather(self, resource: int, state: AbstractState, trail: frozenset[tuple[str, int]]) -> Route | None:
        """Get hold of one more unit of a resource."""
        key = ("gather", resource)
        if key in trail:
            return None
        trail = trail | {key}
        ways: list[Route | None] = []
        for (a, b), found in self.analysis.meetings.items():
            for c in found:
                gives = c.kind == "collect" and (a == resource or resource in self._path(a))
                if gives and b == state.avatar:
                    if state.counts[a] > 0:
                        ways.append(self._touch(a, c, a, state, trail))
                    else:
                        ways.append(self._obtain(a, state, trail))
                if c.kind == "gain" and resource in c.products and c.amount > 0 and a == state.avatar:
                    ways.append(self._present_or_obtain(b, state, trail))
        return self._best(ways)

    def _path(self, t: int) -> tuple[int, ...]:
        return self.analysis.definition.types[t].path

    def _present_or_obtain(self, t: int, state: AbstractState, trail: frozenset[tuple[str, int]]) -> Route | None:
        if state.counts[t] > 0:
            return Route(1, frozenset({t}))
        return self._obtain(t, state, trail)

    def _obtain(self, t: int, state: AbstractState, trail: frozenset[tuple[str, int]]) -> Route | None:
        """Bring a sprite of the type about; no step when there is one."""
        if t == state.avatar or state.counts[t] > 0:
            return _DONE
        key = ("obtain", t)
        if key in trail or self._ends(trail):
            return None
        return self._best([self._by_source(s, state, trail | {key}) for s in self._sources.get(t, ())])

    def _by_source(self, s: Source, state: AbstractState, trail: frozenset[tuple[str, int]]) -> Route | None:
        maker = self._obtain(s.maker, state, trail)
        if maker is None or maker.steps > 0:
            return maker
        if s.partner is None:
            return self._loaded(s, state, trail)
        partner = self._obtain(s.partner, state, trail)
        if partner is None or partner.steps > 0:
            return None if partner is None else Route(partner.steps + 1, partner.first)
        if state.avatar in (s.maker, s.partner):
            other = s.partner if s.maker == state.avatar else s.maker
            return self._touch(other, s.consequence, s.maker, state, trail)
        return Route(1)

    def _loaded(self, s: Source, state: AbstractState, trail: frozenset[tuple[str, int]]) -> Route | None:
        """Fetch the ammunition that an avatar needs before it can bring something forth."""
        if s.maker != state.avatar or s.consequence is not None:
            return _DONE
        for resource in ammunition(self.analysis, self.analysis.definition.types[s.maker], s.product):
            if state.amount(resource) < 1:
                return self._gather(resource, state, trail)
        return _DONE

    def _shoots(self, avatar: int, t: int) -> bool:
        return any(s.maker == avatar and s.partner is None for s in self._sources.get(t, ()))

    @staticmethod
    def _best(ways: list[Route | None]) -> Route | None:
        """The shortest way; among equally short ones all first kinds. Ways that name nothing to touch come last."""
        possible = [w for w in ways if w is not None]
        if not possible:
            return None
        named = [w for w in possible if w.first] or possible
        least = min(w.steps for w in named)
        shortest = [w for w in named if w.steps == least]
        return Route(least, frozenset().union(*(w.first for w in shortest)))

    def blocking(self, avatar: int) -> tuple[int, ...]:
        """Types that this avatar cannot enter, nor take by trying; and standing ones that kill it."""
        if avatar not in self._blocking:
            self._blocking[avatar] = self._find_blocking(avatar)
        return self._blocking[avatar]

    def _find_blocking(self, avatar: int) -> tuple[int, ...]:
        analysis = self.analysis
        found = []
        for t in analysis.concrete:
            roles = analysis.roles[t]
            meetings = analysis.meetings.get((avatar, t), ())
            stops = any(c.kind == "block" for c in meetings) and not roles & {"pushable", "mover"}
            kills = any(c.kind == "kill" and c.target == FIRST for c in meetings) and "mover" not in roles
            taken = any(
                c.kind in ("kill", "transform") and c.target == FIRST for c in analysis.meetings.get((t, avatar), ())
            )
            if (stops and not taken) or (kills and not taken):
                found.append(t)
        return tuple(found)


def holdings(avatar: object) -> Mapping[str, int]:
    """Return the amounts that an avatar holds, by name; empty where the engine does not say."""
    held = getattr(avatar, "resources", None)
    return held if isinstance(held, Mapping) else {}
