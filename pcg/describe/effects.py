"""Clauses that tell what effects do, each of which can follow "When a key meets the hero, ...".

An effect is told by the phrase of its declaration (`EffectSpec.phrase`), or by a function here where the wording
depends on values; one without either, by its line of help. Clauses say what the rule means for somebody who plays;
draws, rounding and the order within a tick are the specification's business.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pcg.describe.noun_phrases import Names, Params, count, joined, number, percent, signed, small
from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.definition import Effect


@dataclass(slots=True)
class EffectPhrase:
    """One effect about to be put in words."""

    effect: Effect
    names: Names
    p: Params
    a: str
    """The name of the first sprite, "the key" or "it"."""
    b: str
    """The name of the second one."""

    def the(self, key: str) -> str:
        """The type that a parameter names, as a known thing."""
        return self.names.the(str(self.p[key]))

    def new(self, key: str) -> str:
        """The type that a parameter names, as a new thing."""
        return self.names.a(str(self.p[key]))

    def all(self, key: str) -> str:
        """All of the type that a parameter names."""
        value = str(self.p[key])
        return f"all {self.names.many(value)}" if not self.names.is_you(value) else self.names.the(value)

    def holding(self, bound: str) -> str:
        """A condition on a resource: "holds at least 2 keys"."""
        if bound == "at most" and self.p.number("limit") == 0:
            return f"holds no {self.names.noun(str(self.p['resource']))}"
        return f"holds {bound} {self.units('limit')}"

    def units(self, key: str, resource: str = "resource") -> str:
        """An amount of a resource: "3 keys"."""
        return count(self.p.number(key), self.names.noun(str(self.p[resource])))

    def both(self) -> str:
        """The fate of B with `killSecond`."""
        return f" and {self.b} disappears" if self.p.flag("killSecond") and self.b else ""

    def facing(self) -> str:
        """The orientation of what comes into being."""
        return f", facing where {self.a} faced" if self.p.flag("forceOrientation") else ""

    def chance(self) -> str:
        """A note on its chance."""
        prob = self.p.number("prob")
        return "" if prob >= 1 else f", with a chance of {percent(prob)}"

    def fill(self, phrase: str) -> str:
        """The phrase of a declaration (`EffectSpec.phrase`) with its fields filled in, from left to right.

        Raises:
            KeyError: for a field that there is not.
        """
        return _FIELD.sub(lambda field: self._field(field[1], field[2]), phrase)

    def _field(self, name: str, parameter: str | None) -> str:
        if parameter is None:
            plain: Mapping[str, Callable[[], str]] = {
                "a": lambda: self.a,
                "b": lambda: self.b,
                "gone": lambda: gone(self),
                "both": self.both,
                "facing": self.facing,
                "chance": self.chance,
            }
            return plain[name]()
        of_parameter: Mapping[str, Callable[[str], str]] = {
            "new": self.new,
            "the": self.the,
            "all": self.all,
            "many": lambda key: self.names.many(str(self.p[key])),
            "noun": lambda key: self.names.noun(str(self.p[key])),
            "number": lambda key: number(self.p.number(key)),
        }
        return of_parameter[name](parameter)


_FIELD = re.compile(r"\{(\w+)(?::(\w+))?\}")

Clause = Callable[[EffectPhrase], str]


def _step_back(h: EffectPhrase) -> str:
    if h.p.flag("pixelPerfect") and h.b:
        return f"{h.a} stops right beside {h.b}"
    return f"{h.a} cannot pass" if h.b else f"{h.a} cannot leave the screen"


def _undo(h: EffectPhrase) -> str:
    spared = f" except {joined([h.names.many(n) for n in str(h.p['notStype']).split(',')])}" if h.p[
        "notStype"] else ""  # fmt: skip
    return f"everything{spared} goes back to where it was"


def _pull(h: EffectPhrase) -> str:
    exact = f", exactly on top of {h.b}" if h.p.flag("pixelPerfect") else ""
    return f"{h.b} carries {h.a} along{exact}"


def _gaze(h: EffectPhrase) -> str:
    lane = " and moves into its lane" if h.p.flag("align") else ""
    return f"{h.a} turns to face where {h.b} faces{lane}{h.chance()}"


def _limited_kill(h: EffectPhrase) -> str:
    name = h.effect.name
    holder = h.b if name == "killIfOtherHasMore" else h.a
    bound = "at most" if name == "killIfHasLess" else "at least"
    text = f"{h.a} {gone(h)} if {holder} {h.holding(bound)}"
    if name != "killIfOtherHasMore" or not h.p.flag("subtract"):
        return text
    return f"{text}, using {'it' if h.p.number('limit') == 1 else 'them'} up"


def gone(h: EffectPhrase) -> str:
    """The verb for A leaving the game."""
    return "dies" if _is_avatar_word(h) else "disappears"


def _is_avatar_word(h: EffectPhrase) -> bool:
    return any(h.a == h.names.the(t) for t in h.names.avatars)


def _transform_all(h: EffectPhrase) -> str:
    verb = "turns" if h.names.is_you(str(h.p["stype"])) else "turn"
    return f"{h.all('stype')} {verb} into {h.names.many(str(h.p['stypeTo']))}{h.facing()}{h.both()}"


def _if_count(h: EffectPhrase) -> str:
    low, high = h.p.number("geq"), h.p.number("leq")
    other = f", else into {h.new('estype')}" if h.p["estype"] else ""
    there = h.names.there(str(h.p["stypeCount"]), low, high)
    return f"{h.a} turns into {h.new('stype')} if {there}{other}{h.facing()}{h.both()}"


def _singleton(h: EffectPhrase) -> str:
    turned = f", facing away from where {h.b} faces" if h.p.flag("takeOrientation") else ""
    return f"{h.a} becomes {h.the('stype')}{turned}, and the one before turns into {h.new('stype_other')}"


def _beside(h: EffectPhrase) -> str:
    side = {"spawnAbove": "above", "spawnBelow": "below", "spawnLeft": "left of", "spawnRight": "right of"}[
        h.effect.name]  # fmt: skip
    where = f"where {h.b} was" if h.p.flag("stepBack") else h.b
    return f"{h.new('stype')} appears one cell {side} {where}{h.chance()}"


def _spawn_holding(h: EffectPhrase) -> str:
    more = h.effect.name == "spawnIfHasMore"
    bound = "at least" if more else "at most"
    spent = f", which costs {h.units('spend')}" if more and h.p.number("spend") else ""
    return f"{h.new('stype')} appears if {h.a} {h.holding(bound)}{spent}{h.chance()}"


def _spawn_counter(h: EffectPhrase) -> str:
    many = h.names.many(str(h.p["stypeCount"]))
    return (
        f"{h.new('stype')} appears if there are exactly {number(h.p.number('limit'))} {many} of "
        f"{number(2 * h.p.number('subTypesNum'))} kinds (twice {number(h.p.number('subTypesNum'))}), "
        f"else {h.new('estype')}"
    )


def _collect(h: EffectPhrase) -> str:
    stays = "" if h.p.flag("killResource") else f", and {h.a} stays where it is"
    return f"{h.b} picks up {h.a}{stays}"


def _collect_if_held(h: EffectPhrase) -> str:
    stays = "" if h.p.flag("killResource") else f"; {h.a} stays where it is"
    needed = count(h.p.number("value"), h.names.noun(str(h.p["heldResource"])))
    return f"{h.b} picks up {h.a} if it holds at least {needed}{stays}"


def _change_resource(h: EffectPhrase) -> str:
    value = h.p.number("value")
    amount = count(abs(value), h.names.noun(str(h.p["resource"])))
    taken = f", and {h.b} disappears" if h.p.flag("killResource") and h.b else ""
    return f"{h.a} {'loses' if value < 0 else 'gets'} {amount}{taken}"


def _heal(h: EffectPhrase) -> str:
    how = "unless that would reach its limit" if h.effect.name == "addHealthPoints" else "up to its limit"
    return f"{h.a} gains {count(h.p.number('value'), 'health point')} ({how}){h.both()}"


def _hurt(h: EffectPhrase) -> str:
    who = h.the("stype") if h.p["stype"] else h.a
    limit = number(h.p.number("limit"))
    killed = h.p.integers("scoreChangeIfKilled")
    score = f" ({points(killed)})" if any(killed) else ""
    return f"{who} loses {count(h.p.number('value'), 'health point')} and dies at {limit} or less{score}"


def _remove_score(h: EffectPhrase) -> str:
    who = h.names.the(str(h.p["stype"])) if h.p["stype"] else h.a
    return f"the score of {who} drops to 0{h.both()}"


def _shield(h: EffectPhrase) -> str:
    harm = str(h.p["ftype"])
    spec = ontology.EFFECTS.get(harm)
    what = spec.shield_phrase if spec is not None and spec.shield_phrase else f"safe from `{harm}`"
    return f"for this moment, {h.a} is {what} by {h.new('stype')}"


CLAUSES: Mapping[str, Clause] = {
    "stepBack": _step_back,
    "undoAll": _undo,
    "align": lambda h: f"{h.a} is put on {h.b}" + (" and faces the same way" if h.p.flag("orient") else ""),
    "wrapAround": lambda h: (
        f"{h.a} comes back at the opposite edge"
        + (f", {number(h.p.number('offset'))} of its size further in" if h.p.number("offset") else "")
    ),
    "pullWithIt": _pull,
    "attractGaze": _gaze,
    "killAll": lambda h: f"{h.all('stype')} disappear" + ("s" if h.names.is_you(str(h.p["stype"])) else ""),
    "killIfHasMore": _limited_kill,
    "killIfHasLess": _limited_kill,
    "killIfOtherHasMore": _limited_kill,
    "transformToAll": _transform_all,
    "transformIfCount": _if_count,
    "transformToSingleton": _singleton,
    "cloneSprite": lambda h: f"another {h.a[4:] if h.a.startswith('the ') and h.a != 'the other' else 'one'} appears",
    "spawnAbove": _beside,
    "spawnBelow": _beside,
    "spawnLeft": _beside,
    "spawnRight": _beside,
    "spawnIfHasMore": _spawn_holding,
    "spawnIfHasLess": _spawn_holding,
    "spawnIfCounterSubTypes": _spawn_counter,
    "collectResource": _collect,
    "collectResourceIfHeld": _collect_if_held,
    "changeResource": _change_resource,
    "addHealthPoints": _heal,
    "addHealthPointsToMax": _heal,
    "subtractHealthPoints": _hurt,
    "removeScore": _remove_score,
    "shieldFrom": _shield,
}
"""Effects whose wording depends on the values of their parameters; addTimer is told by `clause`, as it holds another
effect. The others are told by the phrase of their declaration."""


def points(values: tuple[int, ...]) -> str:
    """A score change, per player if they differ: "+2 points"."""
    if len(set(values)) == 1:
        return signed(values[0])
    return joined([f"{signed(v)} for player {k}" for k, v in enumerate(values, 1) if v])


def clause(effect: Effect, names: Names, a: str, b: str, *, repeat: int = 1) -> str:
    """The clause about an effect, every parameter that matters included.

    Args:
        effect: of `names.definition`.
        names: what the types are called.
        a: the first sprite, "the key" or "it".
        b: the second one; "" at the edge of the screen and in time.
        repeat: how often it is listed.
    """
    spec = ontology.EFFECTS[effect.name]
    p = Params(effect.params, spec.params, told=("repeat", "hashCode"))
    if not spec.uses_prob:
        p["prob"]
    phrase = EffectPhrase(effect, names, p, a, b)
    if effect.name == "addTimer" and effect.inner is not None:
        text = _timer(effect, names, p)
    elif effect.name in CLAUSES:
        text = CLAUSES[effect.name](phrase)
    elif spec.phrase:
        text = phrase.fill(spec.phrase)
    else:
        text = f"`{effect.name}`: {spec.help} (A is {a or 'absent'}, B {b or 'absent'})"
    if repeat > 1:
        text += f", {small(repeat)} times over"
    notes = score_notes(effect, p)
    if rest := p.rest():
        notes.append(rest)
    return f"{text} ({'; '.join(notes)})" if notes else text


def score_notes(effect: Effect, p: Params) -> list[str]:
    """Notes on what an effect adds to score and counters, in short notes."""
    notes = []
    score = p.integers("scoreChange")
    applied = p.flag("applyScore") or ontology.EFFECTS[effect.name].scores_on_effect
    if any(score) and applied:
        notes.append(points(score) + ontology.EFFECTS[effect.name].score_note)
    for key, switch in (("counter", "count"), ("counterElse", "countElse")):
        changes = p.integers(key)
        if p.flag(switch) or effect.name == "transformIfCount":
            when = " otherwise" if key == "counterElse" and effect.name == "transformIfCount" else ""
            notes += [f"counter {k} {'+' if v > 0 else ''}{number(v)}{when}" for k, v in enumerate(changes, 1) if v]
    return notes


def score_of(effect: Effect) -> tuple[tuple[int, ...], ...]:
    """The score changes that an effect can make, each one number or one per player; none when it never scores."""
    p = Params(effect.params, ontology.EFFECTS[effect.name].params)
    found = (
        [p.integers("scoreChange")] if p.flag("applyScore") or ontology.EFFECTS[effect.name].scores_on_effect else []
    )
    if effect.name == "subtractHealthPoints":
        found.append(p.integers("scoreChangeIfKilled"))
    return tuple(score for score in found if any(score))


def _timer(effect: Effect, names: Names, p: Params) -> str:
    assert effect.inner is not None
    inner = names.definition.effects[effect.inner]
    for name in ("ftype", "nextExecution", "scoreChange"):  # the inner effect tells its score
        p[name]
    text = clause(inner, names, "it", "")
    ticks = count(max(1, p.number("timer")), "tick")
    return f"after {ticks}{', and again every ' + ticks if p.flag('repeating') else ''}, {text}"
