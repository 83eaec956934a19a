"""Clauses that tell what effects do, each of which can follow "When a key meets the hero, ...".

An effect is told by the phrase of its declaration (`EffectSpec.phrase`, `phrase_zh`), a template; one without, by its
line of help. Clauses say what the rule means for somebody who plays; draws, rounding and the order within a tick are
the reference's business.
"""

from __future__ import annotations

from pcg.describe.noun_phrases import Params
from pcg.describe.templates import fill
from pcg.describe.wording import Names, Wording, points
from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.definition import Effect


class EffectWording(Wording):
    """One effect about to be put in words: `{a}` and `{b}` are its sprites, "the key" or "it"; `{b}` may be empty.

    Further fields: `{kind}` is A without its article, `{inner}` the clause of the effect that addTimer holds,
    `{safe:ftype}` the state of who is safe from an effect. The test `you:a` is true when A is an avatar. The wordings
    that effects share are in the section `effects` of the language's file.
    """

    def __init__(self, effect: Effect, names: Names, p: Params, a: str, b: str) -> None:
        super().__init__(
            names.language, {"a": a, "b": b, "kind": self._kind, "inner": self._inner}, names, p, shared="effects"
        )
        self.effect = effect
        self.a = a

    def test(self, name: str, argument: str) -> bool:
        if (name, argument) == ("you", "a"):
            return any(self.a == self.names.the(t) for t in self.names.avatars)
        return super().test(name, argument)

    def field(self, name: str, argument: str, text: str) -> str:
        if name != "safe":
            return super().field(name, argument, text)
        harm = str(self.p[argument])
        spec = ontology.EFFECTS.get(harm)
        state = spec.told("shield_phrase", self.language.code) if spec is not None else ""
        return state or self.language.say("effects.safe", effect=harm)

    def _kind(self) -> str:
        return self.a[4:] if self.a.startswith("the ") and self.a != "the other" else "one"

    def _inner(self) -> str:
        for name in ("ftype", "nextExecution", "scoreChange"):  # the inner effect tells its score
            self.p[name]
        if self.effect.inner is None:
            return ""
        return clause(self.names.definition.effects[self.effect.inner], self.names, self.language.say("rules.it"), "")


def clause(effect: Effect, names: Names, a: str, b: str, *, repeat: int = 1) -> str:
    """The clause about an effect, every parameter that matters included.

    Args:
        effect: of `names.definition`.
        names: what the types are called, and the language.
        a: the first sprite, "the key" or "it".
        b: the second one; "" at the edge of the screen and in time.
        repeat: how often it is listed.

    Raises:
        PcgError: the phrase of the effect has a field that there is not.

    >>> import pcg
    >>> names = Names(pcg.load("dungeon").definition)
    >>> effect = next(e for e in names.definition.effects if e.name == "killIfOtherHasMore")
    >>> clause(effect, names, "the door", "the hero")
    'the door disappears if the hero holds at least 1 key, using it up (+5 points)'
    """
    language = names.language
    spec = ontology.EFFECTS[effect.name]
    p = Params(effect.params, spec.params, told=("repeat", "hashCode"))
    if not spec.uses_prob:
        p["prob"]
    phrase = spec.told("phrase", language.code)
    if phrase:
        text = fill(phrase, EffectWording(effect, names, p, a, b))
    else:
        text = language.say("effects.by_help", effect=effect.name, help=spec.help, a=a, b=b)
    if repeat > 1:
        text = language.say("rules.times_over", clause=text, times=language.small(repeat))
    notes = score_notes(effect, p, names)
    if rest := language.rest(p):
        notes.append(rest)
    return language.say("notes.noted", text=text, notes=language.notes(notes)) if notes else text


def score_notes(effect: Effect, p: Params, names: Names) -> list[str]:
    """Notes on what an effect adds to score and counters, in short notes."""
    language = names.language
    notes = []
    spec = ontology.EFFECTS[effect.name]
    score = p.integers("scoreChange")
    applied = p.flag("applyScore") or spec.scores_on_effect
    if any(score) and applied:
        notes.append(points(score, language) + spec.told("score_note", language.code))
    for key, switch in (("counter", "count"), ("counterElse", "countElse")):
        changes = p.integers(key)
        if p.flag(switch) or spec.counts_else:
            otherwise = key == "counterElse" and spec.counts_else
            notes += [
                language.say(
                    "notes.counter", counter=k, change=f"{'+' if v > 0 else ''}{language.number(v)}",
                    otherwise=otherwise,
                )
                for k, v in enumerate(changes, 1) if v
            ]  # fmt: skip
    return notes


def score_of(effect: Effect) -> tuple[tuple[int, ...], ...]:
    """The score changes that an effect can make, each one number or one per player; none when it never scores."""
    spec = ontology.EFFECTS[effect.name]
    p = Params(effect.params, spec.params)
    found = [p.integers("scoreChange")] if p.flag("applyScore") or spec.scores_on_effect else []
    found += [p.integers(name) for name in spec.own if spec.params[name].type == "integers"]
    return tuple(score for score in found if any(score))
