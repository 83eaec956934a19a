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
from pcg.describe.noun_phrases import Params
from pcg.describe.templates import fill
from pcg.describe.wording import Language, Names, Wording
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
        self.language = names.language
        self.say = names.language.say
        self.dead_rules = dead_rules
        self.never: list[Rule] = []
        movers = {t for t in analysis.concrete if analysis.has(t, "mover") or analysis.has(t, "avatar")}
        classes = ontology.SPRITE_CLASSES
        brief = {t.id for t in definition.types if t.class_name is not None and classes[t.class_name].dies}
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
                self.never.append(replace(rule, text=self.say("timers.never", clause=text[:-1], reason=reason)))
            else:
                rules.append(rule)
        return tuple(rules)

    def _timed(self, timed: TimeEffect, effect: Effect) -> str:
        p = Params(timed.params, ontology.TIME_EFFECT_PARAMS)
        ticks = p.number("timer")
        later = "nextExecution" in timed.params and timed.params["nextExecution"] != -1
        if p.flag("repeating"):
            when = self.say("timers.repeating", often=self.language.every(ticks), later=later)
        else:
            when = self.say("timers.once", ticks=max(ticks, 0), later=later)
        who = self.say("rules.it")
        if timed.bound >= 0:
            who = self.names.the(timed.bound)
            if not self.names.is_you(timed.bound):
                who = self.say("timers.each", noun=self.names.noun(timed.bound))
        told = clause(effect, self.names, who, "")
        return self.language.sentence(self.say("timers.sentence", when=when, clause=told))

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
            self._never(-1, -1, effect, self.say("never.no_times"))
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
        text = self.language.sentence(self.say("rules.never", rule=what, reason=reason))
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
        text = self.language.sentence(self._alone(m) or self._in_general(m))
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
        return self.language.joined([self.names.a(t) for t in kinds], last)

    def _all(self, kinds: Sequence[int], last: str = "and") -> str:
        return self.language.joined([self.names.many(t) for t in kinds], last)

    def _alone(self, m: _Meeting) -> str:
        """The sentence of a common rule, "" if it has none."""
        steps = m.steps
        if m.manner == "each other":
            notes = self._notes(steps)
            return self.say("rules.each_other", a=self._any(m.firsts), b=self._any(m.seconds)) + notes
        if m.manner == "blocked":
            return self.say("rules.blocked", a=self._all(m.firsts), b=self._all(m.seconds))
        if len(steps) != 1 or (steps[0].repeat > 1 and steps[0].effect.name != "stepBack"):
            return ""
        effect, swapped = steps[0].effect, steps[0].swapped
        one, two = (m.seconds, m.firsts) if swapped else (m.firsts, m.seconds)
        if set(effect.params) - {"scoreChange", "repeat"}:
            return ""
        told = self._alone_at_the_edge(effect, one) if not two else self._alone_meeting(effect, one, two, m.manner)
        return told + self._notes(steps) if told else ""

    def _alone_at_the_edge(self, effect: Effect, kinds: Sequence[int]) -> str:
        you = self.names.is_you(kinds[0])
        match effect.name:
            case "stepBack":
                return self.say("rules.edge_stop", all=self._all(kinds))
            case "killSprite":
                return self.say("rules.edge_kill", any=self._any(kinds), you=you)
            case "wrapAround":
                return self.say("rules.edge_wrap", any=self._any(kinds), you=you)
        return ""

    def _alone_meeting(self, effect: Effect, one: Sequence[int], two: Sequence[int], manner: str) -> str:
        same = one == two
        if effect.name == "stepBack":
            return self.say("rules.stopped", all=self._all(one), others="" if same else self._all(two, "or"))
        a, b = self._any(one), self._any(two)
        if same:
            return ""
        if effect.name == "killSprite" and manner:
            return self.say(f"rules.{manner}", a=a, b=b)
        alone = ontology.EFFECTS[effect.name].told("alone", self.language.code)
        return fill(alone, Wording(self.language, {"a": a, "b": b}, self.names)) if alone else ""

    def _notes(self, steps: Sequence[_Step]) -> str:
        found: list[str] = []
        for s in steps:
            found += score_notes(s.effect, Params(s.effect.params, ontology.EFFECTS[s.effect.name].params), self.names)
        return self.say("notes.noted", text="", notes=self.language.listed(found)) if found else ""

    def _in_general(self, m: _Meeting) -> str:
        one, two = self._any(m.firsts), self._any(m.seconds)
        # who acts is named first
        turned = bool(m.seconds) and self.names.is_you(m.seconds[0]) and not self.names.is_you(m.firsts[0])
        if not m.seconds:
            begin = self.say("rules.at_edge", any=one)
            names = [self.say("rules.it"), ""]
        elif m.firsts == m.seconds:
            begin = self.say("rules.two_meet", noun=self.names.noun(m.firsts[0]))
            names = [self.say("rules.one"), self.say("rules.the_other")]
        else:
            begin = self.say("rules.meet", a=two if turned else one, b=one if turned else two)
            former, latter = self.say("rules.former"), self.say("rules.latter")
            names = [
                self.names.the(m.firsts[0]) if len(m.firsts) == 1 else latter if turned else former,
                self.names.the(m.seconds[0]) if len(m.seconds) == 1 else former if turned else latter,
            ]
        parts: list[str] = []
        last = ""
        for s in m.steps:
            a, b = (names[1], names[0]) if s.swapped else (names[0], names[1])
            text = clause(s.effect, self.names, a, b, repeat=s.repeat)
            parts.append(self.language.after(parts[-1], text, a) if parts and last == a else text)
            last = a
        return self.say("rules.when", begin=begin, clauses=self.language.in_order(_ranges(parts, self.language)))


def _alike(one: _Meeting, two: _Meeting) -> tuple[Effect, ...]:
    return (*one.alike, *two.alike, *(s.effect for s in two.steps))


def _ranges(parts: Sequence[str], language: Language) -> list[str]:
    """Clauses in a row that differ in one number become one: "... 1 ... (the same for 2 to 9)"."""
    found: list[str] = []
    for pattern, group in groupby(parts, key=lambda text: _NUMBER.sub("#", text)):
        run = list(group)
        varying = [set(column) for column in zip(*(_NUMBER.findall(text) for text in run), strict=True)]
        if len(run) > 2 and pattern.count("#") and sum(len(v) > 1 for v in varying) == 1:
            others = [next(n for n, v in zip(_NUMBER.findall(t), varying, strict=True) if len(v) > 1) for t in run[1:]]
            low, high = min(map(int, others)), max(map(int, others))
            straight = [int(n) for n in others] == list(range(low, high + 1))
            several = language.say("rules.range", low=low, high=high) if straight else language.joined(others)
            found.append(language.say("rules.again_for", clause=run[0], others=several))
        elif len(run) > 1 and len(set(run)) == 1:
            found.append(language.say("rules.times_over", clause=run[0], times=language.small(len(run))))
        else:
            found += run
    return found
