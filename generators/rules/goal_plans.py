"""Plans of whole games: a goal of every family on purpose, the dangers that go with it, and a twist.

Goals that one rule brings about (touch it and it is gone) are found by any search. Others need two to five rules at
once, of which none is worth anything alone, so that games of these families hardly ever come up among children. A plan
writes them together for sprites that are cast by what they do (`casting`), adds what is deadly, and often one of the
`twists`. What comes out is a beginning: it is repaired, played, mutated and crossed like any other rule set. Treanor et
al. (Game-O-Matic, 2012) put rules together from micro-rhetorics in a like manner.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from pcg.generators.rules.casting import SEVERAL, Casting, Draft, Unfit
from pcg.generators.rules.genes import RuleSet
from pcg.generators.rules.learned import LearnedSpace
from pcg.generators.rules.twists import TWISTS

_TRIES = 4
"""Draws of a family before it is given up."""
_DEADLY = (0.0, 0.6, 0.3, 0.1)
"""Probabilities of so many kinds of dangers, where the goal has none."""
_PEACEFUL = (0.6, 0.3, 0.1)
"""The same where thinking is the task."""
_PUZZLES = ("push", "unlock")
_TWISTS = (0.35, 0.5, 0.15)
"""Probabilities of no twist, one, and two."""
_PUSHED = 0.8
"""Chance that things are pushed, where nothing moves that could be a danger."""
_LONGEST = 200
"""Ticks that a player who wins when time is up has to survive at most: as long as evaluations last."""


def _gather(d: Draft) -> None:
    """Pick up everything of one kind, or of two."""
    first = d.one(d.many(d.cast.things), d.cast.things)
    d.take(first)
    more = d.free(d.cast.things)
    if more and (d.space.counts[first] < SEVERAL or d.chance(0.3)):
        second = d.one(more)
        d.take(second)
        d.win(first, second)
    else:
        d.win(first)


def _reach(d: Draft) -> None:
    """Get to one place."""
    goal = d.one(d.single(d.cast.things), d.cast.things)
    d.take(goal)
    d.win(goal)


def _unlock(d: Draft) -> None:
    """Fetch what opens something, and open it."""
    key = d.one(d.cast.placed(d.cast.of("resource")))
    door = d.one(d.single(d.cast.things), d.cast.things)
    held = d.space.counts[key]
    limit = int(d.rng.integers(1, min(3, held) + 1)) if held > 1 else 1
    d.add(key, d.hero, "collectResource", points=1)
    d.add(door, d.hero, "killIfOtherHasMore", points=1, resource=key, limit=limit)
    d.add(d.hero, door, "stepBack")
    d.win(door)


def _hunt(d: Draft) -> None:
    """Catch what runs away, wanders about or falls."""
    walking = [d.cast.fleeing, d.cast.placed(d.cast.roaming), d.cast.roaming] if d.cast.walks else []
    prey = d.one(*walking, d.cast.flying)
    d.take(prey)
    _with_nests(d, prey, d.hero)


def _destroy(d: Draft) -> None:
    """Shoot everything that moves, and where it comes from."""
    shot = d.one(d.cast.of("shot"))
    enemy = d.one(
        d.cast.bombers, d.cast.placed(d.cast.dangerous), d.cast.fleeing, d.cast.placed(d.cast.makers), d.cast.dangerous
    )
    d.add(enemy, shot, "killSprite", points=1)
    if d.fits(shot, enemy, "killSprite"):
        d.add(shot, enemy, "killSprite")
    if d.fits(d.hero, enemy, "killSprite"):
        d.kill(enemy)
    products = d.cast.products(enemy) if d.cast.any_of(enemy, d.cast.makers) else set()
    for product in d.free([n for n in d.cast.leaves if n in products]):
        if d.fits(d.hero, product, "killSprite"):
            d.kill(product)
    _with_nests(d, enemy, shot)


def _with_nests(d: Draft, prey: str, hunter: str) -> None:
    """Win when nothing is left of a type, nor of what brings it forth; nests that do not run dry are taken as well."""
    kin = set(d.cast.members(prey))
    makers = [m for m in d.cast.makers if kin & d.cast.products(m) and m not in kin]
    nests = list(dict.fromkeys((d.cast.groups(m) or [m])[-1] for m in makers))
    for nest in nests:
        d.take_part(nest)
        if not d.cast.runs_dry(nest):
            d.add(nest, hunter, "killSprite", points=1)
    d.win(prey, *nests)


def _survive(d: Draft) -> None:
    """Stay alive until time is up, with things to pick up meanwhile."""
    hunters = d.free([*d.cast.pursuing, *d.cast.flying, *d.cast.roaming])[:3]
    if not hunters:
        raise Unfit
    for hunter in hunters:
        d.take_part(hunter)
        d.kill(hunter)
    d.timeout(50 * int(d.rng.integers(2, _LONGEST // 50 + 1)), win=True)
    if d.free(d.cast.things) and d.chance(0.6):
        d.take(d.one(d.many(d.cast.things), d.cast.things))


def _push(d: Draft) -> None:
    """Push things to their places, or onto what they crush."""
    box = d.one(d.cast.passive if d.chance(0.8) else d.cast.things, d.cast.things)
    d.add(box, d.hero, "bounceForward")
    d.stop(box)
    way = d.rng.random()
    made = d.free(d.cast.remains)
    enemies = d.free([*d.cast.placed(d.cast.roaming), *d.cast.pursuing, *d.cast.placed(d.cast.makers)])
    if way < 0.2 and enemies:
        enemy = d.one(enemies)
        d.add(enemy, box, "killSprite", points=1)
        if d.fits(d.hero, enemy, "killSprite") and not d.cast.any_of(enemy, d.cast.nests):
            d.kill(enemy)
        d.win(enemy)
        return
    place = d.one(d.cast.things)
    if way < 0.45 and d.space.counts[place] <= d.space.counts[box]:
        d.force(place, box, "killSprite", points=1)
        d.force(box, place, "killSprite")
        d.win(place)
    elif way < 0.65 and made:
        d.force(box, place, "transformTo", points=1, stype=d.leaf(made))
        d.win(box)
    else:
        d.force(box, place, "killSprite", points=1)
        d.win(box)
    if d.chance(0.3):
        d.add(d.hero, place, "killSprite" if d.chance(0.5) else "stepBack")


def _escort(d: Draft) -> None:
    """Drive what runs away, or lead what follows, to a place."""
    lamb = d.one(d.cast.fleeing, d.cast.pursuing, d.cast.placed(d.cast.roaming))
    pen = d.one(d.cast.things)
    d.add(lamb, pen, "killSprite", points=1)
    d.win(lamb)
    if d.cast.any_of(lamb, d.cast.pursuing) and d.chance(0.5):
        d.kill(lamb)
    elif d.chance(0.4):
        d.add(d.hero, pen, "stepBack")


def _race(d: Draft) -> None:
    """Take things before others have taken too many."""
    prize = d.one(d.many(d.cast.things), d.cast.things)
    hungry = [n for n in d.cast.seeking if prize in d.cast.targets(n)]
    rival = d.one(hungry, d.cast.placed(d.cast.roaming), d.cast.roaming, d.cast.fleeing, d.cast.flying)
    lost = d.free(d.cast.remains)
    d.take(prize)
    if lost:
        wasted = d.leaf(lost)
        d.add(prize, rival, "transformTo", stype=wasted)
        at_start = d.space.counts.get(wasted, 0)
        d.lose_many(wasted, at_start + int(d.rng.integers(1, 1 + max(1, d.space.counts[prize] // 2))))
    else:
        d.add(prize, rival, "killAll", stype=d.hero)
    d.win(prize)


def _guard(d: Draft) -> None:
    """Catch the thieves before they have taken everything."""
    treasure = d.one(d.cast.standing)
    thief = d.one(
        [n for n in d.cast.seeking if treasure in d.cast.targets(n)], d.cast.placed(d.cast.dangerous), d.cast.dangerous
    )
    d.add(treasure, thief, "killSprite")
    shots = d.free(d.cast.of("shot"))
    hunter = shots[0] if shots and d.chance(0.7) else d.hero
    d.add(thief, hunter, "killSprite", points=1)
    _with_nests(d, thief, hunter)
    d.lose(treasure)


def _lure(d: Draft) -> None:
    """Lead what chases the avatar into a trap."""
    hunter = d.one(d.cast.pursuing)
    trap = d.one(d.cast.things)
    d.add(hunter, trap, "killSprite", points=1)
    d.kill(hunter)
    d.add(d.hero, trap, "stepBack" if d.chance(0.6) else "killSprite")
    d.win(hunter)


def _paint(d: Draft) -> None:
    """Turn everything of one kind into another, while others may turn it back."""
    plain = d.one(d.many(d.cast.things))
    made = d.free(d.cast.remains)
    done = d.leaf(made)
    d.add(plain, d.hero, "transformTo", points=1, stype=done)
    others = d.free([*d.cast.placed(d.cast.roaming), *d.cast.pursuing])
    if others and d.chance(0.5):
        d.add(done, others[int(d.rng.integers(len(others)))], "transformTo", stype=plain)
    d.win(plain)


PLANS: Mapping[str, Callable[[Draft], None]] = {
    "gather": _gather, "reach": _reach, "unlock": _unlock, "hunt": _hunt, "destroy": _destroy, "survive": _survive,
    "push": _push, "escort": _escort, "race": _race, "guard": _guard, "lure": _lure, "paint": _paint,
}  # fmt: skip
"""Plans by name."""


def _threaten(d: Draft, shares: Sequence[float]) -> None:
    """Make some of what moves deadly."""
    movers = [n for n in d.free(d.cast.dangerous) if d.fits(d.hero, n, "killSprite") and not d.ruled(d.hero, n)]
    number = max(0, int(d.rng.choice(len(shares), p=shares)) - len(set(d.deadly)))
    for k in d.rng.permutation(len(movers))[:number]:
        d.kill(movers[int(k)])


def draw_plan(
    space: LearnedSpace, rng: np.random.Generator, plans: Sequence[str] = tuple(PLANS), pushed: float = 1.0
) -> tuple[str, RuleSet] | None:
    """Return the name and the rules of a plan, None where the sprites fit none of those that may be drawn.

    Args:
        space: of the sprite set.
        rng: draws.
        plans: names of plans, the one that is tried first in front.
        pushed: factor on the chance that pushing goes before them where nothing moves by itself, in [0, 1].

    >>> import pcg
    >>> from pcg.generators.rules.space import RuleSpace
    >>> game = pcg.load("dungeon")
    >>> space = LearnedSpace(RuleSpace.of(game.definition.source, game.levels))
    >>> name, rules = draw_plan(space, np.random.default_rng(1), ["unlock"])
    >>> name, *(str(rule) for rule in rules.rules[:1])
    ('unlock', 'key hero > collectResource scoreChange=1')
    """
    cast = Casting(space)
    calm = not (cast.dangerous or cast.fleeing or cast.sleeping_dangers)
    if calm and "push" in plans and rng.random() < _PUSHED * pushed:
        plans = ("push", *plans)
    for name in plans:
        for _ in range(_TRIES):
            try:
                draft = Draft(cast, rng)
                PLANS[name](draft)
            except Unfit:
                continue
            _threaten(draft, _PEACEFUL if name in _PUZZLES else _DEADLY)
            _twist(draft)
            return name, draft.result()
    return None


def _twist(d: Draft) -> None:
    """Add up to two twists that fit."""
    wanted = int(d.rng.choice(len(_TWISTS), p=_TWISTS))
    for k in d.rng.permutation(len(TWISTS)):
        if not wanted:
            return
        before = list(d.rules), list(d.endings), set(d.taken), list(d.deadly), list(d.goals)
        try:
            TWISTS[k](d)
            wanted -= 1
        except Unfit:
            d.rules, d.endings, d.taken, d.deadly, d.goals = before
