"""The mechanics of a game, named: each rule of its InteractionSet is one, and each that time brings about.

The names are what people use to ask for a rule to take effect (`mechanic.door.hero.killIfOtherHasMore=1`) and what an
archive spreads levels over (Charity, Green, Khalifa, Togelius: Mech-Elites, 2020). Which mechanics a play uses is
found out in `pcg.evaluators.metrics.play`.
"""

from __future__ import annotations

from dataclasses import dataclass

from pcg.engine.vgdl.definition import GameDefinition

MECHANIC = "mechanic."
"""The beginning of the names of all mechanics."""


@dataclass(frozen=True, slots=True)
class Mechanic:
    """A rule of a game."""

    name: str
    """`mechanic.` and what meets, then the effect: `mechanic.hero.wall.stepBack`; rules alike are numbered from 2."""
    effect: int
    """Index into `GameDefinition.effects`."""
    line: int
    """1-based line of the game text."""
    text: str
    """That line."""


def mechanics(definition: GameDefinition) -> tuple[Mechanic, ...]:
    """The mechanics of a game, in the order of its effects.

    >>> import pcg
    >>> [m.name for m in mechanics(pcg.load("boxes").definition)][:2]
    ['mechanic.hero.wall.stepBack', 'mechanic.hero.stored.stepBack']
    """
    partners: dict[int, tuple[dict[str, None], dict[str, None]]] = {}
    types = definition.types
    for pair in definition.pairs:
        for e in pair.effects:
            firsts, seconds = partners.setdefault(e, ({}, {}))
            firsts[types[pair.first].name] = seconds[types[pair.second].name] = None
    for t, effects in definition.eos_effects.items():
        for e in effects:
            firsts, seconds = partners.setdefault(e, ({}, {}))
            firsts[types[t].name] = seconds["EOS"] = None
    for timed in definition.time_effects:
        firsts, _ = partners.setdefault(timed.effect, ({}, {}))
        firsts["TIME"] = None
        if timed.bound >= 0:
            firsts[types[timed.bound].name] = None
    lines = definition.source.splitlines()
    seen: dict[str, int] = {}
    found = []
    for effect in definition.effects:
        firsts, seconds = partners.get(effect.index, ({}, {}))
        name = MECHANIC + ".".join([*firsts, *seconds, effect.name])
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            name += f".{seen[name]}"
        text = lines[effect.line - 1].strip() if 0 < effect.line <= len(lines) else ""
        found.append(Mechanic(name, effect.index, effect.line, text))
    return tuple(found)
