"""Sentences about what happens: when two things meet, at the edge of the screen, in time; and what never happens.

Effects of the same two types are one sentence, in the order in which they run; sentences that differ only in the types
are merged ("walls or doors"). The commonest rules have sentences of their own, all others follow "When ... meets ...".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from pcg.describe.dead_rules import DeadRules
from pcg.describe.description import Rule
from pcg.describe.effects import clause, score_notes
from pcg.describe.noun_phrases import Names, Params, count, every, joined, plural, sentence, small
from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.definition import Effect, GameDefinition, TimeEffect
from pcg.evaluators.analysis import GameAnalysis

_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class _Step:
    """One effect of a sentence. `swapped`: its first sprite is the sentence's second."""

    effect: Effect
    swapped: bool
    repeat: int

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for effects that are told alike."""
        return (self.effect.name, tuple(sorted(self.effect.params.items(), key=str)), self.swapped, self.repeat)


@dataclass(frozen=True, slots=True)
class _Meeting:
    """A sentence to be: any of `firsts` meets any of `seconds` (none at the edge of the screen)."""

    firsts: tuple[int, ...]
    seconds: tuple[int, ...]
    steps: tuple[_Step, ...]
    manner: str = ""
    """The wording for a lone killSprite, or for two rules that mirror each other."""
    alike: tuple[Effect, ...] = ()
    """Effects of other lines that the sentence tells as well."""

    @property
    def key(self) -> tuple[object, ...]:
        same = self.firsts == self.seconds
        return (tuple(s.key for s in self.steps), self.manner, bool(self.seconds), same and self.firsts)


class RuleWriter:
    """Writes the rules of one game."""

    def __init__(self, definition: GameDefinition, analysis: GameAnalysis, names: Names, dead_rules: DeadRules) -> None:
        self.definition = definition
        self.analysis = analysis
        self.names = names
        self.dead_rules = dead_rules
        self.never: list[Rule] = []
        movers = {t for t in analysis.concrete if analysis.has(t, "mover") or analysis.has(t, "avatar")}
        brief = {t.id for t in definition.types if t.class_name in ("Flicker", "OrientedFlicker", "Spreader")}
        self.active = movers | brief
        self._moving: dict[int, bool] = {}

    # -- what is told ----------------------------------------------------------------------------------------------

    def meetings(self) -> tuple[Rule, ...]:
        """The sentences about pairs and the edge, those about avatars first."""
        found = self._merged(self._of_pairs())
        edges = self._merged(self._of_edges())
        found.sort(key=lambda m: not any(self.names.is_you(t) for t in (*m.firsts, *m.seconds)))
        return tuple(self._written(m) for m in (*found, *edges))

    def timers(self) -> tuple[Rule, ...]:
        """The sentences about what time alone does."""
        rules = []
        for timed in self.definition.time_effects:
            effect = self.definition.effects[timed.effect]
            reason = self.dead_rules.in_time(timed.bound, effect)
            second = self.definition.types[timed.bound].name if timed.bound >= 0 else ""
            text = self._timed(timed, effect)
            rule = Rule(text, second, "TIME", (effect.index,), (effect.line,))
            if reason:
                self.never.append(replace(rule, text=f"{text[:-1]}: never, as {reason}."))
            else:
                rules.append(rule)
        return tuple(rules)

    def _timed(self, timed: TimeEffect, effect: Effect) -> str:
        p = Params(timed.params, ontology.TIME_EFFECT_PARAMS)
        ticks = p.number("timer")
        later = "nextExecution" in timed.params and timed.params["nextExecution"] != -1
        if p.flag("repeating"):
            when = every(ticks) + ("" if later else ", from the start on")
        else:
            when = f"after {count(max(ticks, 0), 'tick')}" if later else "at the start"
        who = "it"
        if timed.bound >= 0:
            you = self.names.is_you(timed.bound)
            who = self.names.the(timed.bound) if you else f"every {self.names.noun(timed.bound)}"
        return sentence(f"{when}, {clause(effect, self.names, who, '')}")

    # -- collecting ------------------------------------------------------------------------------------------------

    def _of_pairs(self) -> list[_Meeting]:
        found: dict[tuple[int, int], list[_Step]] = {}
        unused = {e.index for e in self.definition.effects}
        for pair in self.definition.pairs:
            for index, group in groupby(pair.effects):
                repeat = len(list(group))
                effect = self.definition.effects[index]
                unused.discard(index)
                reason = self.dead_rules.of_pair(pair.first, pair.second, effect)
                if reason:
                    self._never(pair.first, pair.second, effect, reason)
                    continue
                key = (pair.first, pair.second)
                swapped = key not in found and key[::-1] in found
                found.setdefault(key[::-1] if swapped else key, []).append(_Step(effect, swapped, repeat))
        unused -= {e for effects in self.definition.eos_effects.values() for e in effects}
        unused -= {t.effect for t in self.definition.time_effects}
        unused -= {e.inner for e in self.definition.effects if e.inner is not None}
        for index in sorted(unused):
            effect = self.definition.effects[index]
            self._never(-1, -1, effect, "it is listed no times")
        return [self._meeting(first, second, steps) for (first, second), steps in found.items()]

    def _meeting(self, first: int, second: int, steps: list[_Step]) -> _Meeting:
        kills = [s for s in steps if s.effect.name == "killSprite"]
        blocks = [s for s in steps if s.effect.name == "stepBack" and not s.effect.params]
        manner = ""
        if len(steps) == 1 and kills:
            victim, killer = (second, first) if steps[0].swapped else (first, second)
            manner = self._manner(victim, killer, steps[0].effect)
        elif len(steps) == 2 and len(kills) == 2 and steps[0].swapped != steps[1].swapped:
            manner = "each other"
        elif len(steps) == 2 and len(blocks) == 2 and steps[0].swapped != steps[1].swapped:
            manner = "blocked"
        return _Meeting((first,), (second,), tuple(steps), manner)

    def _manner(self, victim: int, killer: int, effect: Effect) -> str:
        you = self.names.is_you
        if victim == killer or (you(victim) and you(killer)):
            return ""
        if you(victim):
            return "kills"
        if you(killer):
            covered = self.dead_rules.covered(victim)
            if self._moves(victim):
                return "destroys"
            wanted = any(self.analysis.has(t, "resource") or self.analysis.has(t, "goal") for t in covered)
            gain = any(v > 0 for v in Params(effect.params, {}).integers("scoreChange"))
            return "takes" if wanted or gain else "removes"
        return "vanishes" if self._moves(victim) and not self._moves(killer) else "destroys"

    def _moves(self, kind: int) -> bool:
        known = self._moving.get(kind)
        if known is None:
            known = self._moving[kind] = any(t in self.active for t in self.dead_rules.covered(kind))
        return known

    def _of_edges(self) -> list[_Meeting]:
        found = []
        for kind, effects in self.definition.eos_effects.items():
            times = self.definition.eos_types.count(kind)
            steps = []
            for index in effects:
                effect = self.definition.effects[index]
                reason = self.dead_rules.at_edge(kind, effect)
                if reason:
                    self._never(kind, None, effect, reason)
                else:
                    steps.append(_Step(effect, False, times))
            if steps:
                found.append(_Meeting((kind,), (), tuple(steps)))
        return found

    def _never(self, first: int, second: int | None, effect: Effect, reason: str) -> None:
        names = [t.name for t in self.definition.types]
        one = names[first] if first >= 0 else ""
        two = "EOS" if second is None else names[second] if second >= 0 else ""
        what = " ".join(filter(None, (one, two, ">", effect.name)))
        text = sentence(f"`{what}`: {reason}")
        self.never.append(Rule(text, one, two, (effect.index,), (effect.line,)))

    def _merged(self, meetings: Iterable[_Meeting]) -> list[_Meeting]:
        """Sentences alike put together: first those about the same firsts, then those about the same seconds."""
        found: dict[object, _Meeting] = {}
        for m in meetings:
            key = (m.key, m.firsts)
            have = found.get(key)
            found[key] = m if have is None else replace(
                have, seconds=(*have.seconds, *m.seconds), alike=_alike(have, m))  # fmt: skip
        again: dict[object, _Meeting] = {}
        for m in found.values():
            key = (m.key, m.seconds)
            have = again.get(key)
            again[key] = m if have is None else replace(
                have, firsts=(*have.firsts, *m.firsts), alike=_alike(have, m))  # fmt: skip
        return list(again.values())

    # -- writing ---------------------------------------------------------------------------------------------------

    def _written(self, m: _Meeting) -> Rule:
        text = sentence(self._alone(m) or self._in_general(m))
        types = self.definition.types
        effects = (*(s.effect for s in m.steps), *m.alike)
        return Rule(
            text,
            ",".join(types[t].name for t in m.firsts),
            ",".join(types[t].name for t in m.seconds) or "EOS",
            tuple(sorted({e.index for e in effects})),
            tuple(sorted({e.line for e in effects})),
        )

    def _any(self, kinds: Sequence[int], last: str = "or") -> str:
        return joined([self.names.a(t) for t in kinds], last)

    def _all(self, kinds: Sequence[int], last: str = "and") -> str:
        return joined([self.names.many(t) for t in kinds], last)

    def _alone(self, m: _Meeting) -> str:
        """The sentence of a common rule, "" if it has none."""
        steps = m.steps
        if m.manner == "each other":
            return f"{self._any(m.firsts)} and {self._any(m.seconds)} destroy each other{self._notes(steps)}"
        if m.manner == "blocked":
            return f"{self._all(m.firsts)} and {self._all(m.seconds)} cannot pass each other"
        if len(steps) != 1 or (steps[0].repeat > 1 and steps[0].effect.name != "stepBack"):
            return ""
        effect, swapped = steps[0].effect, steps[0].swapped
        one, two = (m.seconds, m.firsts) if swapped else (m.firsts, m.seconds)
        plain = not set(effect.params) - {"scoreChange", "repeat"}
        if not plain:
            return ""
        notes = self._notes(steps)
        if not two:
            if effect.name == "stepBack":
                return f"{self._all(one)} cannot leave the screen{notes}"
            if effect.name == "killSprite":
                verb = "dies" if self.names.is_you(one[0]) else "disappears"
                return f"{self._any(one)} {verb} at the edge of the screen{notes}"
            if effect.name == "wrapAround":
                if self.names.is_you(one[0]):
                    return f"when {self._any(one)} leaves the screen, it comes back at the opposite edge{notes}"
                return f"{self._any(one)} that leaves the screen comes back at the opposite edge{notes}"
            return ""
        same = one == two
        if effect.name == "stepBack":
            return f"{self._all(one)} cannot pass {'one another' if same else self._all(two, 'or')}{notes}"
        if same:
            return ""
        a, b = self._any(one), self._any(two)
        if effect.name == "killSprite" and m.manner:
            return (f"{a} disappears when it meets {b}" if m.manner == "vanishes" else f"{b} {m.manner} {a}") + notes
        return {
            "killBoth": f"{a} and {b} destroy each other{notes}",
            "collectResource": f"{b} picks up {a}{notes}",
            "bounceForward": f"{b} pushes {a}{notes}",
            "pullWithIt": f"{b} carries {a} along{notes}",
        }.get(effect.name, "")

    def _notes(self, steps: Sequence[_Step]) -> str:
        found: list[str] = []
        for s in steps:
            found += score_notes(s.effect, Params(s.effect.params, ontology.EFFECTS[s.effect.name].params))
        return f" ({', '.join(found)})" if found else ""

    def _in_general(self, m: _Meeting) -> str:
        same = m.firsts == m.seconds
        if not m.seconds:
            begin = f"when {self._any(m.firsts)} is at the edge of the screen"
            names = ["it", ""]
        elif same:
            begin = f"when two {plural(self.names.noun(m.firsts[0]))} meet"
            names = ["one", "the other"]
        else:
            # who acts is named first
            turned = self.names.is_you(m.seconds[0]) and not self.names.is_you(m.firsts[0])
            one, two = (m.seconds, m.firsts) if turned else (m.firsts, m.seconds)
            begin = f"when {self._any(one)} meets {self._any(two)}"
            names = [
                self.names.the(m.firsts[0]) if len(m.firsts) == 1 else "the other" if turned else "it",
                self.names.the(m.seconds[0]) if len(m.seconds) == 1 else "it" if turned else "the other",
            ]
        parts: list[str] = []
        last = ""
        for s in m.steps:
            a, b = (names[1], names[0]) if s.swapped else (names[0], names[1])
            text = clause(s.effect, self.names, a, b, repeat=s.repeat)
            # who was the last to do something is "it"
            before = parts and parts[-1].startswith((f"{a} ", "it ")) and last == a
            parts.append(f"it{text.removeprefix(a)}" if before and a != "one" and text.startswith(f"{a} ") else text)
            last = a
        return f"{begin}, {_in_order(_ranges(parts))}"


def _alike(one: _Meeting, two: _Meeting) -> tuple[Effect, ...]:
    return (*one.alike, *two.alike, *(s.effect for s in two.steps))


def _in_order(parts: Sequence[str]) -> str:
    """Clauses one after the other; with semicolons where a comma would be lost in them."""
    long = any("," in part or " if " in part for part in parts)
    if len(parts) == 2 and not long:
        return f"{parts[0]}, and {parts[1]}"
    return f"{'; '.join(parts[:-1])}; and {parts[-1]}" if long and len(parts) > 1 else joined(parts)


def _ranges(parts: Sequence[str]) -> list[str]:
    """Clauses in a row that differ in one number become one: "... 1 ... (the same for 2 to 9)"."""
    found: list[str] = []
    for pattern, group in groupby(parts, key=lambda text: _NUMBER.sub("#", text)):
        run = list(group)
        varying = [set(column) for column in zip(*(_NUMBER.findall(text) for text in run), strict=True)]
        if len(run) > 2 and pattern.count("#") and sum(len(v) > 1 for v in varying) == 1:
            others = [next(n for n, v in zip(_NUMBER.findall(t), varying, strict=True) if len(v) > 1) for t in run[1:]]
            low, high = min(map(int, others)), max(map(int, others))
            straight = [int(n) for n in others] == list(range(low, high + 1))
            shown = f"{low} to {high}" if straight and len(others) > 1 else joined(others)
            found.append(f"{run[0]}, and again for {shown}")
        elif len(run) > 1 and len(set(run)) == 1:
            found.append(f"{run[0]}, {small(len(run))} times over")
        else:
            found += run
    return found
