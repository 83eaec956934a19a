"""Faults and merits that can be read off a game's rules without playing: goals that nothing brings about, points for
dying or for bumping, rules for meetings that never happen, sprites without a purpose, and the ways to lose.

Only what holds whatever is played counts as a fault here; what play shows is in `game_plays` and its neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pcg.engine.lazy import cached_property
from pcg.engine.vgdl.definition import Level
from pcg.engine.vgdl.ontology import EFFECTS
from pcg.evaluators.analysis import Ending, is_avatar
from pcg.evaluators.effect_semantics import FIRST, NAMED, SECOND, Consequence, consequences, first_number
from pcg.evaluators.grounds import ground_types
from pcg.evaluators.judging.game_kinds import GameKinds, lasting


@dataclass(frozen=True)
class RuleReading:
    """Facts about the rules of a game, given its levels.

    Args:
        kinds: of the game's sprites.
        levels: read for it.
    """

    kinds: GameKinds
    levels: Sequence[Level]

    @cached_property
    def counts(self) -> list[dict[int, int]]:
        """Number of sprites of each type at the start of each level."""
        found = []
        for level in self.levels:
            count: dict[int, int] = {}
            for t, _, _ in level.placements:
                count[t] = count.get(t, 0) + 1
            found.append(count)
        return found

    @cached_property
    def _consequences(self) -> list[tuple[Consequence, ...]]:
        definition = self.kinds.definition
        return [tuple(consequences(definition, effect)) for effect in definition.effects]

    # -- goals ---------------------------------------------------------------------------------------------------------

    def can_happen(self, ending: Ending) -> bool:
        """Return True unless nothing in the rules can make a termination fire."""
        if ending.kind == "timeout":
            return ending.limit > 0
        if ending.kind == "counter" or not ending.types:
            return True
        present = set(self.kinds.present)
        types = [t for t in ending.types if t in present]
        analysis = self.kinds.analysis
        if ending.kind == "appear":
            # where nothing makes more of them it fires at once or never, which is no way to end a game
            return any(s.product in types and self._there(s.maker, s.partner) for s in analysis.sources)
        if not types:
            return True  # fires at once, which `at_once` tells
        if lasting(analysis, ending, self.levels):
            return False
        gone = any(r.victim in types and self._there(r.victim, r.partner) for r in analysis.removals)
        return gone or any(min(c.get(t, 0) for t in types) == 0 for c in self.counts[:1] for t in types)

    def _there(self, one: int, other: int | None) -> bool:
        present = self.kinds.present
        return one in present and (other is None or (other in present and self.can_meet(one, other)))

    def can_meet(self, one: int, other: int) -> bool:
        """Return True when sprites of two types can come together."""
        analysis = self.kinds.analysis
        return analysis.can_meet(one, other) or analysis.can_meet(other, one)

    def at_once(self, ending: Ending) -> bool:
        """Return True for a termination that fires at the start of every level."""
        if ending.kind == "vanish" and ending.types:
            return all(sum(c.get(t, 0) for t in ending.types) <= ending.limit for c in self.counts) and not any(
                s.product in ending.types for s in self.kinds.analysis.sources
            )
        return False

    @cached_property
    def goals(self) -> tuple[Ending, ...]:
        """Winning terminations that can happen."""
        return tuple(e for e in self.kinds.analysis.wins if self.can_happen(e) and not self.at_once(e))

    @cached_property
    def dangers(self) -> tuple[Ending, ...]:
        """Losing terminations that can happen."""
        return tuple(e for e in self.kinds.analysis.losses if self.can_happen(e) and not self.at_once(e))

    @cached_property
    def scenery(self) -> tuple[int, ...]:
        """Types of the scenery, frame and floor, that a winning termination counts and with which the avatar can do
        nothing but be stopped.
        """
        analysis = self.kinds.analysis
        counted = {t for e in analysis.wins for t in e.types if self.kinds.kinds[t] in ("frame", "floor")}
        touched = {
            t
            for t in counted
            for a in analysis.avatars
            if any(c.kind != "block" for pair in ((t, a), (a, t)) for c in analysis.meetings.get(pair, ()))
        }
        return tuple(sorted(counted - touched))

    # -- points --------------------------------------------------------------------------------------------------------

    def _pairs(self) -> Iterator[tuple[int, int, int]]:
        """(effect, first type, second type) of all rules for pairs of groups or types; -1 for the edge."""
        definition = self.kinds.definition
        for pair in definition.pairs:
            for e in pair.effects:
                yield e, pair.first, pair.second
        for t, listed in definition.eos_effects.items():
            for e in listed:
                yield e, t, -1

    def _is_avatar(self, t: int) -> bool:
        return t >= 0 and self.kinds.kinds[t] == "avatar"

    @cached_property
    def paid_deaths(self) -> tuple[int, ...]:
        """Effects that pay for the death of an avatar: it is killed for good, and the score rises."""
        found = []
        definition = self.kinds.definition
        for e, first, second in self._pairs():
            if first_number(definition.effects[e].params.get("scoreChange"), 0) <= 0:
                continue
            for c in self._consequences[e]:
                dead = (c.target == FIRST and self._is_avatar(first)) or (
                    c.target == SECOND and self._is_avatar(second)
                )
                dead |= c.target == NAMED and any(self._is_avatar(t) for t in c.named)
                lost = c.kind == "kill" or (
                    c.kind == "transform" and not any(is_avatar(definition.types[p]) for p in c.products)
                )
                won = any(p in e.types for e in self.kinds.analysis.wins for p in c.products)
                if dead and lost and not won and not self._rewarded_end(first if c.target == FIRST else second):
                    found.append(e)
                    break
        return tuple(dict.fromkeys(found))

    def _rewarded_end(self, avatar: int) -> bool:
        """Return True where the avatar's going wins."""
        return any(avatar in e.types for e in self.kinds.analysis.wins)

    @cached_property
    def paid_bumps(self) -> tuple[int, ...]:
        """Effects that pay for bumping: the avatar is only stopped or turned by something that stays as it is, and
        the score rises each time.
        """
        found = []
        definition = self.kinds.definition
        for e, first, second in self._pairs():
            effect = definition.effects[e]
            if first_number(effect.params.get("scoreChange"), 0) <= 0 or not self._is_avatar(first):
                continue
            if not all(c.kind in ("block", "turn", "wrap", "other") for c in self._consequences[e]):
                continue
            if EFFECTS[effect.name].harmless and not self._changes(first, second):
                found.append(e)
        return tuple(dict.fromkeys(found))

    def _changes(self, first: int, second: int) -> bool:
        """Return True when a meeting of two types has any lasting consequence."""
        lasting = ("kill", "transform", "spawn", "collect", "gain", "push", "teleport", "hurt", "heal", "carry")
        for e, a, b in self._pairs():
            if {a, b} == {first, second} and any(c.kind in lasting for c in self._consequences[e]):
                return True
        return False

    @cached_property
    def paying(self) -> int:
        """Number of rules that raise the score."""
        return sum(first_number(e.params.get("scoreChange"), 0) > 0 for e in self.kinds.definition.effects)

    # -- rules and sprites that matter ---------------------------------------------------------------------------------

    @cached_property
    def idle_rules(self) -> tuple[int, ...]:
        """Effects of rules for meetings that never happen: a sprite is never there, or neither can get to the other;
        and those that can do nothing where they are, as stopping what does not move.
        """
        present = set(self.kinds.present)
        definition, analysis = self.kinds.definition, self.kinds.analysis
        useful: set[int] = {t.effect for t in definition.time_effects}
        for e, first, second in self._pairs():
            firsts = [t for t in definition.types[first].subtypes if t in present and first in definition.types[t].path]
            if second < 0:
                seconds: list[int | None] = [None]
            else:
                below = definition.types[second].subtypes
                seconds = [t for t in below if t in present and second in definition.types[t].path]
            moves = [a for a in firsts if a in analysis.moved]
            for a in firsts:
                for b in seconds:
                    if b is None:
                        meets = a in moves
                    elif a == b:
                        meets = a in analysis.moved
                    else:
                        meets = self.can_meet(a, b)
                    if meets and self._acts(e, a):
                        useful.add(e)
        inner = {e.inner for e in definition.effects if e.inner is not None}
        return tuple(e.index for e in definition.effects if e.index not in useful and e.index not in inner)

    def _acts(self, e: int, first: int) -> bool:
        """Return True unless an effect only stops or turns a sprite that does not move by itself."""
        listed = self._consequences[e]
        if listed and all(c.kind in ("block", "turn") and c.target == FIRST for c in listed):
            name = self.kinds.definition.effects[e].name
            if name == "undoAll" or EFFECTS[name].moves_second:
                return True
            return first in self.kinds.analysis.moved
        return True

    @cached_property
    def with_a_part(self) -> list[int]:
        """Types that can be there, without the ground, which is for the eye."""
        grounds = {t for t in ground_types(self.kinds.definition) if self.kinds.analysis.has(t, "background")}
        return [t for t in self.kinds.present if self.kinds.kinds[t] != "floor" and t not in grounds]

    @cached_property
    def aimless(self) -> tuple[int, ...]:
        """Types that levels hold or play brings forth, and that change nothing for the player: nothing that they do
        leads, over any number of rules, to the avatar, to a termination or to points.
        """
        analysis, definition = self.kinds.analysis, self.kinds.definition
        present = self.with_a_part
        linked: dict[int, set[int]] = {t: set() for t in present}
        reached = {t for t in present if self._is_avatar(t)}
        reached |= {t for e in analysis.endings for t in e.types if t in linked}
        for (a, b), happening in analysis.meetings.items():
            if a not in linked or b not in linked or not happening:
                continue
            if any(c.score for c in happening):
                reached |= {a, b}
            linked[a].add(b)
            linked[b].add(a)
        for s in analysis.sources:
            if s.product in linked and s.maker in linked:
                linked[s.maker].add(s.product)
        grown = True
        while grown:
            more = {t for t in present if t not in reached and linked[t] & reached}
            grown = bool(more)
            reached |= more
        # what is only stopped by the frame, or stops at it, has no part in the play yet
        alone = {t for t in reached if not self._is_avatar(t) and (self._only_frame(t) or self._only_pushed(t))}
        named = {definition.type_index[e] for e in self._held() if e in definition.type_index}
        return tuple(t for t in present if (t not in reached or t in alone) and t not in named)

    def _only_frame(self, t: int) -> bool:
        analysis = self.kinds.analysis
        if self.kinds.kinds[t] == "frame" or any(t in e.types for e in analysis.endings):
            return False
        partners = {b if a == t else a for (a, b), found in analysis.meetings.items() if found and t in (a, b)} - {t}
        partners &= set(self.kinds.present)
        makes = any(s.maker == t and s.product in self.kinds.present and s.product != t for s in analysis.sources)
        return not makes and bool(partners) and all(self.kinds.kinds[p] in ("frame", "floor") for p in partners)

    def _only_pushed(self, t: int) -> bool:
        """Return True for what is pushed about and in nobody's way: no other rule is about it."""
        analysis, present = self.kinds.analysis, set(self.kinds.present)
        about = [
            c
            for (a, b), happening in analysis.meetings.items()
            if t in (a, b) and a in present and b in present
            for c in happening
        ]
        return bool(about) and all(c.kind == "push" for c in about) and not any(t in e.types for e in analysis.endings)

    def _held(self) -> set[str]:
        """Names that parameters of rules mention, as of resources."""
        found: set[str] = set()
        for effect in self.kinds.definition.effects:
            for value in effect.params.values():
                if isinstance(value, str):
                    found |= {word.strip() for word in value.split(",")}
        return found
