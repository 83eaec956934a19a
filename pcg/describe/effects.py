"""What every effect does, as a clause that can follow "When a key meets the hero, ..." (reference/effects 10).

One entry per effect of the registry; an effect registered by a user is told by its line of help. Clauses say what the
rule means for somebody who plays; draws, rounding and the order within a tick are the business of docs/reference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pcg.describe.noun_phrases import Names, Params, count, joined, number, percent, signed, small
from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.definition import Effect


@dataclass(slots=True)
class Happening:
    """One effect about to be put in words."""

    effect: Effect
    names: Names
    p: Params
    a: str
    """What the first sprite is called, "the key" or "it"."""
    b: str
    """What the second one is called."""

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
        """What becomes of B with `killSecond`."""
        return f" and {self.b} disappears" if self.p.flag("killSecond") and self.b else ""

    def facing(self) -> str:
        """The orientation of what comes into being."""
        return f", facing where {self.a} faced" if self.p.flag("forceOrientation") else ""

    def chance(self) -> str:
        """How likely it is."""
        prob = self.p.number("prob")
        return "" if prob >= 1 else f", with a chance of {percent(prob)}"


Clause = Callable[[Happening], str]


def _step_back(h: Happening) -> str:
    if h.p.flag("pixelPerfect") and h.b:
        return f"{h.a} stops right beside {h.b}"
    return f"{h.a} cannot pass" if h.b else f"{h.a} cannot leave the screen"


def _undo(h: Happening) -> str:
    spared = f" except {joined([h.names.many(n) for n in str(h.p['notStype']).split(',')])}" if h.p[
        "notStype"] else ""  # fmt: skip
    return f"everything{spared} goes back to where it was"


def _pull(h: Happening) -> str:
    exact = f", exactly on top of {h.b}" if h.p.flag("pixelPerfect") else ""
    return f"{h.b} carries {h.a} along{exact}"


def _gaze(h: Happening) -> str:
    lane = " and moves into its lane" if h.p.flag("align") else ""
    return f"{h.a} turns to face where {h.b} faces{lane}{h.chance()}"


def _speed(h: Happening) -> str:
    who, value = h.all("stype"), number(h.p.number("value"))
    return {
        "increaseSpeedToAll": f"{who} get faster by {value}",
        "decreaseSpeedToAll": f"{who} get slower by {value}",
        "setSpeedForAll": f"the speed of {who} becomes {value}",
    }[h.effect.name]


def _limited_kill(h: Happening) -> str:
    name = h.effect.name
    holder = h.b if name == "killIfOtherHasMore" else h.a
    bound = "at most" if name == "killIfHasLess" else "at least"
    text = f"{h.a} {gone(h)} if {holder} {h.holding(bound)}"
    if name != "killIfOtherHasMore" or not h.p.flag("subtract"):
        return text
    return f"{text}, using {'it' if h.p.number('limit') == 1 else 'them'} up"


def gone(h: Happening) -> str:
    """How it is called that A leaves the game."""
    return "dies" if _is_avatar_word(h) else "disappears"


def _is_avatar_word(h: Happening) -> bool:
    return any(h.a == h.names.the(t) for t in h.names.avatars)


def _by_speed(h: Happening) -> str:
    how = "faster" if h.effect.name == "killIfFast" else "slower"
    return f"{h.a} {gone(h)} if the two collide {how} than {number(h.p.number('limspeed'))}"


def _transform_all(h: Happening) -> str:
    verb = "turns" if h.names.is_you(str(h.p["stype"])) else "turn"
    return f"{h.all('stype')} {verb} into {h.names.many(str(h.p['stypeTo']))}{h.facing()}{h.both()}"


def _if_count(h: Happening) -> str:
    low, high = h.p.number("geq"), h.p.number("leq")
    other = f", else into {h.new('estype')}" if h.p["estype"] else ""
    there = h.names.there(str(h.p["stypeCount"]), low, high)
    return f"{h.a} turns into {h.new('stype')} if {there}{other}{h.facing()}{h.both()}"


def _singleton(h: Happening) -> str:
    turned = f", facing away from where {h.b} faces" if h.p.flag("takeOrientation") else ""
    return f"{h.a} becomes {h.the('stype')}{turned}, and the one before turns into {h.new('stype_other')}"


def _beside(h: Happening) -> str:
    side = {"spawnAbove": "above", "spawnBelow": "below", "spawnLeft": "left of", "spawnRight": "right of"}[
        h.effect.name]  # fmt: skip
    where = f"where {h.b} was" if h.p.flag("stepBack") else h.b
    return f"{h.new('stype')} appears one cell {side} {where}{h.chance()}"


def _spawn_holding(h: Happening) -> str:
    more = h.effect.name == "spawnIfHasMore"
    bound = "at least" if more else "at most"
    spent = f", which costs {h.units('spend')}" if more and h.p.number("spend") else ""
    return f"{h.new('stype')} appears if {h.a} {h.holding(bound)}{spent}{h.chance()}"


def _spawn_counter(h: Happening) -> str:
    many = h.names.many(str(h.p["stypeCount"]))
    return (
        f"{h.new('stype')} appears if there are exactly {number(h.p.number('limit'))} {many} of "
        f"{number(2 * h.p.number('subTypesNum'))} kinds (twice {number(h.p.number('subTypesNum'))}), "
        f"else {h.new('estype')}"
    )


def _collect(h: Happening) -> str:
    stays = "" if h.p.flag("killResource") else f", and {h.a} stays where it is"
    return f"{h.b} picks up {h.a}{stays}"


def _collect_if_held(h: Happening) -> str:
    stays = "" if h.p.flag("killResource") else f"; {h.a} stays where it is"
    needed = count(h.p.number("value"), h.names.noun(str(h.p["heldResource"])))
    return f"{h.b} picks up {h.a} if it holds at least {needed}{stays}"


def _change_resource(h: Happening) -> str:
    value = h.p.number("value")
    amount = count(abs(value), h.names.noun(str(h.p["resource"])))
    taken = f", and {h.b} disappears" if h.p.flag("killResource") and h.b else ""
    return f"{h.a} {'loses' if value < 0 else 'gets'} {amount}{taken}"


def _heal(h: Happening) -> str:
    how = "unless that would reach its limit" if h.effect.name == "addHealthPoints" else "up to its limit"
    return f"{h.a} gains {count(h.p.number('value'), 'health point')} ({how}){h.both()}"


def _hurt(h: Happening) -> str:
    who = h.the("stype") if h.p["stype"] else h.a
    limit = number(h.p.number("limit"))
    killed = h.p.integers("scoreChangeIfKilled")
    score = f" ({points(killed)})" if any(killed) else ""
    return f"{who} loses {count(h.p.number('value'), 'health point')} and dies at {limit} or less{score}"


def _remove_score(h: Happening) -> str:
    who = h.names.the(str(h.p["stype"])) if h.p["stype"] else h.a
    return f"the score of {who} drops to 0{h.both()}"


def _shield(h: Happening) -> str:
    harm = str(h.p["ftype"])
    what = SHIELDED.get(harm, f"safe from `{harm}`")
    return f"for this moment, {h.a} is {what} by {h.new('stype')}"


SHIELDED: Mapping[str, str] = {
    "killSprite": "not killed",
    "killBoth": "not killed",
    "stepBack": "not stopped",
    "transformTo": "not transformed",
    "killIfFrontal": "not killed from the front",
    "subtractHealthPoints": "not hurt",
}


CLAUSES: Mapping[str, Clause] = {
    "stepBack": _step_back,
    "undoAll": _undo,
    "align": lambda h: f"{h.a} is put on {h.b}" + (" and faces the same way" if h.p.flag("orient") else ""),
    "wrapAround": lambda h: (
        f"{h.a} comes back at the opposite edge"
        + (f", {number(h.p.number('offset'))} of its size further in" if h.p.number("offset") else "")
    ),
    "turnAround": lambda h: f"{h.a} turns round and comes two steps down",
    "bounceForward": lambda h: f"{h.b} pushes {h.a} on",
    "pullWithIt": _pull,
    "teleportToExit": lambda h: f"{h.b} takes {h.a} to its exit, or kills it where there is none",
    "wallStop": lambda h: f"{h.a} stops at {h.b} and slides along it",
    "wallBounce": lambda h: f"{h.a} bounces off {h.b}",
    "wallReverse": lambda h: f"{h.a} turns back at {h.b}",
    "bounceDirection": lambda h: (
        f"{h.a} bounces off {h.b}, at most {number(h.p.number('maxBounceAngleDeg'))} degrees "
        "aslant: the further from the middle it hits, the more"
    ),
    "reverseDirection": lambda h: f"{h.a} turns back",
    "flipDirection": lambda h: f"{h.a} turns in a random direction",
    "attractGaze": _gaze,
    "halfSpeed": lambda h: f"{h.a} becomes half as fast",
    "increaseSpeedToAll": _speed,
    "decreaseSpeedToAll": _speed,
    "setSpeedForAll": _speed,
    "waterPhysics": lambda h: f"{h.a} sinks as in water (gravity 0.2)",
    "killSprite": lambda h: f"{h.a} {gone(h)}",
    "killBoth": lambda h: f"{h.a} and {h.b} destroy each other",
    "killAll": lambda h: f"{h.all('stype')} disappear" + ("s" if h.names.is_you(str(h.p["stype"])) else ""),
    "killIfAlive": lambda h: f"{h.a} {gone(h)} if {h.b} still lives",
    "killIfHasMore": _limited_kill,
    "killIfHasLess": _limited_kill,
    "killIfOtherHasMore": _limited_kill,
    "killIfFromAbove": lambda h: f"{h.a} {gone(h)} if {h.b} falls on it from above",
    "killIfFrontal": lambda h: f"{h.a} {gone(h)} if it stands or the two meet head on",
    "killIfNotFrontal": lambda h: f"{h.a} {gone(h)} unless the two meet head on",
    "killIfFast": _by_speed,
    "killIfSlow": _by_speed,
    "killIfNotUpright": lambda h: f"{h.a} {gone(h)} unless it is upright",
    "transformTo": lambda h: f"{h.a} turns into {h.new('stype')}{h.facing()}{h.both()}",
    "transformToAll": _transform_all,
    "transformIfCount": _if_count,
    "transformToRandomChild": lambda h: (
        f"{h.a} turns into a random kind of {h.names.noun(str(h.p['stype']))}{h.facing()}{h.both()}"
    ),
    "transformToSingleton": _singleton,
    "cloneSprite": lambda h: f"another {h.a[4:] if h.a.startswith('the ') and h.a != 'the other' else 'one'} appears",
    "spawn": lambda h: f"{h.new('stype')} appears{h.chance()}",
    "spawnBehind": lambda h: f"{h.new('stype')} appears where {h.b} was{h.chance()}",
    "spawnAbove": _beside,
    "spawnBelow": _beside,
    "spawnLeft": _beside,
    "spawnRight": _beside,
    "spawnIfHasMore": _spawn_holding,
    "spawnIfHasLess": _spawn_holding,
    "spawnIfCounterSubTypes": _spawn_counter,
    "updateSpawnType": lambda h: (
        f"{h.names.many(str(h.p['spawnPoint']))} spawn {h.names.many(str(h.p['stype']))} from now on"
    ),
    "collectResource": _collect,
    "collectResourceIfHeld": _collect_if_held,
    "changeResource": _change_resource,
    "addHealthPoints": _heal,
    "addHealthPointsToMax": _heal,
    "subtractHealthPoints": _hurt,
    "removeScore": _remove_score,
    "shieldFrom": _shield,
}
"""Effect -> its clause. addTimer is told by `clause`, as it holds another effect."""

_WHENCE: Mapping[str, str] = {
    **dict.fromkeys(("killIfAlive", "killIfFast", "killIfSlow", "killIfNotUpright"), " either way"),
    "subtractHealthPoints": " while it lives",
}
"""When effects score that do not simply score when they take effect."""
_ONLY_IF = frozenset(
    {
        "killIfHasMore", "killIfHasLess", "killIfOtherHasMore", "killIfFromAbove", "killIfFrontal", "killIfNotFrontal",
        "transformIfCount", "spawnIfHasMore", "spawnIfHasLess", "spawnIfCounterSubTypes", "collectResource",
        "collectResourceIfHeld", "changeResource", "addHealthPoints", "addHealthPointsToMax",
    }
)  # fmt: skip
"""They score when they take effect, whatever `applyScore` says."""


def points(values: tuple[int, ...]) -> str:
    """A score change, per player if they differ: "+2 points"."""
    if len(set(values)) == 1:
        return signed(values[0])
    return joined([f"{signed(v)} for player {k}" for k, v in enumerate(values, 1) if v])


def clause(effect: Effect, names: Names, a: str, b: str, *, repeat: int = 1) -> str:
    """What an effect does, every parameter that matters included.

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
    happening = Happening(effect, names, p, a, b)
    if effect.name == "addTimer" and effect.inner is not None:
        text = _timer(effect, names, p)
    elif effect.name in CLAUSES:
        text = CLAUSES[effect.name](happening)
    else:
        text = f"`{effect.name}`: {spec.help} (A is {a or 'absent'}, B {b or 'absent'})"
    if repeat > 1:
        text += f", {small(repeat)} times over"
    notes = score_notes(effect, p)
    if rest := p.rest():
        notes.append(rest)
    return f"{text} ({'; '.join(notes)})" if notes else text


def score_notes(effect: Effect, p: Params) -> list[str]:
    """What an effect adds to score and counters, in short notes."""
    notes = []
    score = p.integers("scoreChange")
    applied = p.flag("applyScore") or effect.name in _ONLY_IF
    if any(score) and applied:
        notes.append(points(score) + _WHENCE.get(effect.name, ""))
    for key, switch in (("counter", "count"), ("counterElse", "countElse")):
        changes = p.integers(key)
        if p.flag(switch) or effect.name == "transformIfCount":
            when = " otherwise" if key == "counterElse" and effect.name == "transformIfCount" else ""
            notes += [f"counter {k} {'+' if v > 0 else ''}{number(v)}{when}" for k, v in enumerate(changes, 1) if v]
    return notes


def score_of(effect: Effect) -> tuple[tuple[int, ...], ...]:
    """The score changes that an effect can make, each one number or one per player; none when it never scores."""
    p = Params(effect.params, ontology.EFFECTS[effect.name].params)
    found = [p.integers("scoreChange")] if p.flag("applyScore") or effect.name in _ONLY_IF else []
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
