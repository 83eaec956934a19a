"""Twists: what makes a plain game one of its own, each in one to three rules.

A twist is added to the draft of a game (`goal_plans`). It uses sprites that have no part yet, or gives a second
meaning to one that has: what is picked up turns into a danger, what is shot leaves something behind, a box crushes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from pcg.generators.rules.casting import Draft, Unfit
from pcg.generators.rules.genes import Rule


def _barrier(d: Draft) -> None:
    """Something stands in the way of everybody."""
    block = d.one(d.cast.things)
    for mover in [d.hero, *d.deadly]:
        if d.fits(mover, block, "stepBack"):
            d.add(mover, block, "stepBack")


def _boxes(d: Draft) -> None:
    """Something can be pushed, and stops or crushes what is dangerous."""
    box = d.one(d.cast.things)
    d.add(box, d.hero, "bounceForward")
    d.stop(box)
    crushes = d.chance(0.5)
    for danger in d.deadly:
        if d.fits(danger, box, "killSprite"):
            d.add(danger, box, "killSprite" if crushes else "stepBack", points=int(crushes))
    for goal in d.goals:
        if d.cast.any_of(goal, d.cast.standing):
            d.force(box, goal, "undoAll")


def _trap(d: Draft) -> None:
    """Let a place kill what chases the player, and the player too, perhaps."""
    dangers = [n for n in d.deadly if not d.cast.any_of(n, d.cast.flying)]
    if not dangers:
        raise Unfit
    trap = d.one(d.cast.things)
    for danger in dangers:
        d.add(danger, trap, "killSprite", points=1)
    d.add(d.hero, trap, "killSprite" if d.chance(0.5) else "stepBack")


def _haunted(d: Draft) -> None:
    """Make what is picked up turn into something dangerous."""
    rule = d.rules[_picking(d)]
    awake = [n for n in d.deadly if n in d.space.kinds.creatable and n not in d.goals]
    ghosts = d.cast.sleeping_dangers or awake
    if not ghosts:
        raise Unfit
    ghost = ghosts[int(d.rng.integers(len(ghosts)))]
    if ghost not in d.deadly:
        d.kill(ghost)
    haunted = Rule(rule.first, rule.second, "transformTo", (("stype", ghost), ("scoreChange", "1")))
    d.rules[d.rules.index(rule)] = haunted


def _turncoats(d: Draft) -> None:
    """Turn what is hunted into something dangerous where it meets a thing, or what is left of others."""
    prey = [n for n in d.goals if d.cast.any_of(n, d.cast.fleeing + d.cast.roaming)]
    dangers = d.cast.sleeping_dangers or [n for n in d.deadly if n in d.space.kinds.creatable]
    if not prey or not dangers:
        raise Unfit
    taken = next((r for r in d.rules if r.first == prey[0] and r.second == d.hero and r.effect == "killSprite"), None)
    remains = d.free(d.cast.remains)
    if taken is not None and remains:
        left = d.leaf(remains)
        d.rules[d.rules.index(taken)] = replace(taken, effect="transformTo", params=(("stype", left), *taken.params))
    else:
        left = d.one(d.cast.standing)
    danger = dangers[int(d.rng.integers(len(dangers)))]
    d.add(prey[0], left, "transformTo", stype=danger)
    if danger not in d.deadly:
        d.kill(danger)


def _bunkers(d: Draft) -> None:
    """Something stops what flies, and is used up by it."""
    fliers = [n for n in [*d.cast.flying, *d.cast.of("shot")] if n not in d.goals]
    if not fliers:
        raise Unfit
    bunker = d.one(d.cast.standing)
    for flier in fliers:
        if d.fits(bunker, flier, "killSprite"):
            d.add(bunker, flier, "killSprite")
            d.add(flier, bunker, "killSprite")


def _spoils(d: Draft) -> None:
    """Make what is caught, shot or crushed leave something that has to be picked up as well."""
    kills = [
        k for k, r in enumerate(d.rules)
        if r.effect == "killSprite" and r.first in d.goals and d.cast.any_of(r.first, d.cast.dangerous + d.cast.fleeing)
    ]  # fmt: skip
    if not kills or len(d.goals) > 2:
        raise Unfit
    thing = d.leaf([n for n in d.cast.remains if d.cast.walks and d.fits(n, d.hero, "killSprite")])
    rule = d.rules[kills[0]]
    d.rules[kills[0]] = replace(rule, effect="transformTo", params=(("stype", thing), *rule.params))
    d.take(thing)
    _also(d, thing)


def _second(d: Draft) -> None:
    """Something else has to be picked up as well."""
    if len(d.goals) > 2 or not d.goals:
        raise Unfit
    thing = d.one(d.cast.things)
    d.take(thing)
    _also(d, thing)


def _power(d: Draft) -> None:
    """Let who holds something destroy what is dangerous, once for each."""
    dangers = [n for n in d.deadly if n not in d.goals]
    if not dangers:
        raise Unfit
    token = d.one([n for n in d.cast.placed(d.cast.of("resource")) if n not in d.goals])
    d.add(token, d.hero, "collectResource")
    danger = dangers[int(d.rng.integers(len(dangers)))]
    at = next(k for k, r in enumerate(d.rules) if r.pair == (d.hero, danger) and r.effect == "killSprite")
    d.add(danger, d.hero, "killIfOtherHasMore", points=2, resource=token, limit=1)
    d.rules[at] = Rule(d.hero, danger, "killIfHasLess", (("resource", token), ("limit", "0")))
    d.add(d.hero, danger, "changeResource", resource=token, value=-1)


def _portals(d: Draft) -> None:
    """Gates lead elsewhere."""
    gates = [n for n in d.cast.placed(d.cast.of("portal")) if d.fits(d.hero, n, "teleportToExit")]
    gate = d.one(gates)
    d.add(d.hero, gate, "teleportToExit")


def _eaters(d: Draft) -> None:
    """Let what roams take what the player is to pick up, of which something has to stay."""
    goals = [g for g in d.goals if d.cast.any_of(g, d.cast.things)]
    roamers = d.cast.placed(d.cast.roaming)
    if not goals or not roamers:
        raise Unfit
    thing = d.one(d.cast.things)
    d.add(thing, roamers[int(d.rng.integers(len(roamers)))], "killSprite")
    d.lose(thing)


def _nests(d: Draft) -> None:
    """Let the player close where dangers come from."""
    makers = d.free(d.cast.placed(d.cast.nests)) if d.cast.walks or d.cast.of("shot") else []
    if not makers or len(d.goals) > 2:
        raise Unfit
    maker = d.one(makers)
    shots = d.cast.of("shot")
    hunter = shots[0] if shots and (d.chance(0.5) or not d.cast.walks) else d.hero
    d.add(maker, hunter, "killSprite", points=2)
    if d.chance(0.5) and d.goals:
        _also(d, maker)


def _hurry(d: Draft) -> None:
    """Set a limit of time."""
    if any(e.name == "Timeout" for e in d.endings):
        raise Unfit
    d.timeout(100 * int(d.rng.integers(2, 5)), win=False)


def _armed(d: Draft) -> None:
    """Shots hit what is dangerous: they kill it, turn it into something else, or drive it back."""
    shot = d.one(d.cast.of("shot"))
    dangers = [n for n in d.deadly if not any(r.pair == (n, shot) for r in d.rules) and d.fits(n, shot, "killSprite")]
    if not dangers:
        raise Unfit
    danger = dangers[int(d.rng.integers(len(dangers)))]
    d.add(danger, shot, "killSprite", points=1)
    if d.fits(shot, danger, "killSprite"):
        d.add(shot, danger, "killSprite")


def _picking(d: Draft) -> int:
    """Return the number of a rule by which the avatar picks up what winning is about."""
    found = [
        k for k, r in enumerate(d.rules)
        if r.second == d.hero and r.first in d.goals and d.cast.any_of(r.first, d.cast.things)
        and r.effect in ("killSprite", "collectResource")
    ]  # fmt: skip
    if not found:
        raise Unfit
    return found[0]


def _also(d: Draft, name: str) -> None:
    """Count one more type among the goals."""
    k = next((k for k, e in enumerate(d.endings) if e.wins and e.name != "Timeout"), None)
    if k is None:
        raise Unfit
    names = [*d.goals, name]
    del d.endings[k]
    d.goals = []
    d.win(*names)
    d.endings.insert(0, d.endings.pop())


TWISTS: Sequence[Callable[[Draft], None]] = (
    _barrier, _boxes, _trap, _haunted, _turncoats, _bunkers, _spoils, _second, _power, _portals, _eaters, _nests,
    _hurry, _armed,
)  # fmt: skip
"""All twists."""
