"""Rules that can never take effect, with the reason: the types they speak of, not the way people play.

Upper bounds as in the engine's analysis: what is said never to fire never does; what is not said may still never fire.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pcg.describe.noun_phrases import Params
from pcg.describe.wording import Names
from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.analysis_flags import type_flags
from pcg.engine.vgdl.chance import possible_types
from pcg.engine.vgdl.definition import Effect, GameDefinition, Level


class DeadRules:
    """The types that can be there at all in a game, or on one of its levels."""

    def __init__(self, definition: GameDefinition, names: Names, level: Level | None = None) -> None:
        self.definition = definition
        self.names = names
        index = definition.type_index
        if level is None:
            self.cells: Collection[tuple[int, ...]] = [
                tuple(index[n] for n in kinds if n in index) for kinds in definition.mapping.values()
            ]
            self.place = ""
        else:
            cells: dict[tuple[int, int], list[int]] = {}
            for t, x, y in level.placements:
                cells.setdefault((x, y), []).append(t)
            self.cells = {tuple(kinds) for kinds in cells.values()}
            self.place = names.language.say("never.on_this_level")
        self.present = possible_types(definition, {t for kinds in self.cells for t in kinds})
        self.fixed = frozenset(
            f.id for f in type_flags(definition) if f.level and not f.created and f.id in self.present
        )
        """Types whose sprites stay in the cell where the level puts them."""
        self._present_in: dict[int, list[int]] = {}
        self.shared = {
            (u, v) for kinds in self.cells for i, u in enumerate(kinds) for j, v in enumerate(kinds) if i != j
        }  # fmt: skip
        self.held = self._held()

    def covered(self, kind: int) -> list[int]:
        """The types that can be there and that a rule written for `kind` concerns."""
        found = self._present_in.get(kind)
        if found is None:
            found = [u for u in self.definition.types[kind].subtypes if u in self.present]
            self._present_in[kind] = found
        return found

    def _held(self) -> frozenset[int]:
        """The resources that somebody can get."""
        found: set[int] = set()
        index, types = self.definition.type_index, self.definition.types
        for pair in self.definition.pairs:
            for e in pair.effects:
                effect = self.definition.effects[e]
                if any(d.kind == "collect" for d in ontology.EFFECTS[effect.name].does):
                    for u in self.covered(pair.first):
                        found.add(index.get(str(types[u].params.get("resource_name", types[u].name)), u))
        for effect in self.definition.effects:
            spec = ontology.EFFECTS[effect.name]
            if spec.rule == "user" or any(d.kind == "gain" for d in spec.does):
                found.add(index.get(str(effect.params.get("resource")), -1))
        return frozenset(found)

    def missing(self, kinds: Sequence[int]) -> str:
        """The reason why a rule about these types cannot fire, "" if they can all be there."""
        say = self.names.language.say
        for kind in kinds:
            if not self.covered(kind):
                return say("never.absent", thing=self.names.a(kind), place=self.place)
        return ""

    def of_pair(self, first: int, second: int, effect: Effect) -> str:
        """The reason why an effect of a pair never fires, "" when it may."""
        say = self.names.language.say
        reason = self.missing((first, second)) or self._of_effect(first, second, effect)
        if reason:
            return reason
        firsts, seconds = self.covered(first), self.covered(second)
        if (
            self.fixed.issuperset(firsts)
            and self.fixed.issuperset(seconds)
            and not any((u, v) in self.shared for u in firsts for v in seconds)
        ):
            return say("never.apart", place=self.place)
        if effect.name == "stepBack" and self.fixed.issuperset(firsts):
            return say("never.still", things=self.names.many(first))
        return ""

    def at_edge(self, kind: int, effect: Effect) -> str:
        """The reason why an effect of the edge of the screen never fires."""
        reason = self.missing((kind,)) or self._of_effect(kind, None, effect)
        if not reason and self.fixed.issuperset(self.covered(kind)):
            return self.names.language.say("never.still", things=self.names.many(kind))
        return reason

    def in_time(self, bound: int, effect: Effect) -> str:
        """The reason why an effect of a timer never fires; `bound` is -1 for no type."""
        if bound < 0:
            return self._of_effect(None, None, effect)
        return self.missing((bound,)) or self._of_effect(bound, None, effect)

    def _of_effect(self, first: int | None, second: int | None, effect: Effect) -> str:
        say, noun = self.names.language.say, self.names.noun
        spec = ontology.EFFECTS[effect.name]
        p = Params(effect.params, spec.params)
        if not p.flag("enabled"):
            return say("never.disabled")
        if p.flag("inBatch") and not spec.batch and spec.rule != "user":
            return say("never.in_batch", effect=effect.name)
        if first is None and spec.needs_first:
            return say("never.needs_first", effect=effect.name)
        if second is None and spec.needs_second:
            return say("never.needs_second", effect=effect.name)
        types = self.definition.types
        if first is not None and any(d.kind == "collect" for d in spec.does):
            kinds = [types[u] for u in self.covered(first)]
            if not any(bool(t.params.get("is_resource", t.class_name in ("Resource", "ResourcePack"))) for t in kinds):
                return say("never.no_resource", thing=noun(first))
        if effect.name == "removeScore" and not p["stype"] and first is not None and not any(
            u in self.names.avatars for u in self.covered(first)
        ):  # fmt: skip
            return say("never.no_score", thing=noun(first))
        for holding in filter(None, (d.holding for d in spec.does)):
            _, resource, limit, at_least = holding
            if (
                at_least
                and p.number(limit) > 0
                and self.definition.type_index.get(str(p[resource]), -1) not in self.held
            ):
                return say("never.not_held", resource=noun(str(p[resource])))
        return ""
