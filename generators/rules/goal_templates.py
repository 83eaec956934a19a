"""Templates of goals: the few rules together that make a game of pushing, of surviving, of keys, of guarding.

Goals that one rule brings about (touch it and it is gone) are found by any search. Others need two or three rules at
once, of which none is worth anything alone, so that games of these families hardly ever come up among children. A part
of what evolution starts with has such rules; which sprites they are about is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from pcg.generators.rules.genes import Rule, RuleSet, Termination
from pcg.generators.rules.learned import LearnedSpace

_STANDING = ("static", "resource", "portal")
_MOVING = ("chaser", "wanderer", "walker")
_POINT = (("scoreChange", "1"),)


class _Unfit(Exception):
    """A sprite set that has no sprites for a template."""


class _Draw:
    """Sprites of a set, drawn without repetition."""

    def __init__(self, space: LearnedSpace, rng: np.random.Generator) -> None:
        self.space = space
        self.rng = rng
        self.taken: set[str] = set()

    def one(self, *kinds: str, placed: bool = True) -> str:
        """Return the name of a type of one of these kinds; `placed`: one that levels hold."""
        space = self.space
        index, types = space.definition.type_index, space.definition.types
        names = [
            n for n in space.kinds.actors
            if types[index[n]].leaf and space.roles[n] in kinds and n not in self.taken
            and (not placed or space.counts.get(n))
        ]  # fmt: skip
        if not names:
            raise _Unfit
        name = names[int(self.rng.integers(len(names)))]
        self.taken.add(name)
        return name

    def rule(self, first: str, second: str, effect: str, *params: tuple[str, str]) -> Rule:
        """Return a rule, if it can be written for these sprites."""
        if (first, second) not in self.space.pairs or effect not in self.space.effects(first, second)[0]:
            raise _Unfit
        return Rule(first, second, effect, params)


def _vanish(name: str, win: bool = True) -> Termination:
    return Termination("SpriteCounter", (("stype", name), ("limit", "0"), ("win", str(win))))


def _push(d: _Draw, hero: str) -> RuleSet:
    """Push every box onto a place."""
    box, place = d.one(*_STANDING), d.one(*_STANDING)
    # of two that stand only the push makes one move, so these pairs are none of the space's
    walls = [n for n, kind in d.space.roles.items() if kind == "frame" and n in d.space.kinds.actors]
    rules = [d.rule(box, hero, "bounceForward"), Rule(box, place, "killSprite", _POINT), Rule(box, box, "undoAll")]
    return RuleSet((*rules, *(Rule(box, wall, "undoAll") for wall in walls)), (_vanish(box),))


def _survive(d: _Draw, hero: str) -> RuleSet:
    """Stay alive until time is up, while something hunts the avatar."""
    hunter = d.one("chaser", placed=False)
    limit = str(50 * int(d.rng.integers(2, 4)))
    ending = Termination("Timeout", (("limit", limit), ("win", "True")))
    return RuleSet((d.rule(hero, hunter, "killSprite"),), (ending,))


def _unlock(d: _Draw, hero: str) -> RuleSet:
    """Fetch a key, and open what it opens."""
    key = d.one("resource")
    door = d.one("static", "portal")
    holding = (("resource", key), ("limit", "1"), *_POINT)
    rules = (
        d.rule(key, hero, "collectResource", *_POINT), d.rule(door, hero, "killIfOtherHasMore", *holding),
        d.rule(hero, door, "stepBack"),
    )  # fmt: skip
    return RuleSet(rules, (_vanish(door),))


def _guard(d: _Draw, hero: str) -> RuleSet:
    """Catch the thieves before they have taken everything."""
    thief, treasure = d.one(*_MOVING), d.one(*_STANDING)
    rules = (d.rule(treasure, thief, "killSprite"), d.rule(thief, hero, "killSprite", *_POINT))
    return RuleSet(rules, (_vanish(thief), _vanish(treasure, win=False)))


def _shoot(d: _Draw, hero: str) -> RuleSet:
    """Shoot everything that moves."""
    del hero
    shot = d.one("shot", placed=False)
    enemy = d.one(*_MOVING, "missile", "spawner", placed=False)
    rules = (d.rule(enemy, shot, "killSprite", *_POINT), d.rule(shot, enemy, "killSprite"))
    return RuleSet(rules, (_vanish(enemy),))


def _lure(d: _Draw, hero: str) -> RuleSet:
    """Lead what chases the avatar into a trap."""
    hunter, trap = d.one("chaser"), d.one("static")
    rules = (d.rule(hunter, trap, "killSprite", *_POINT), d.rule(hero, hunter, "killSprite"))
    return RuleSet(rules, (_vanish(hunter),))


TEMPLATES: Mapping[str, Callable[[_Draw, str], RuleSet]] = {
    "push": _push, "survive": _survive, "unlock": _unlock, "guard": _guard, "shoot": _shoot, "lure": _lure,
}  # fmt: skip
"""Templates by name."""


def draw_goal_template(space: LearnedSpace, rng: np.random.Generator) -> RuleSet | None:
    """Return the rules of a goal, None where the sprites fit no template.

    Args:
        space: of the sprite set.
        rng: draws.

    >>> import pcg
    >>> from pcg.generators.rules.space import RuleSpace
    >>> game = pcg.load("dungeon")
    >>> space = LearnedSpace(RuleSpace.of(game.definition.source, game.levels))
    >>> draw_goal_template(space, np.random.default_rng(1)).terminations[0].wins
    True
    """
    templates = list(TEMPLATES.values())
    for k in rng.permutation(len(templates)):
        draw = _Draw(space, rng)
        try:
            return templates[int(k)](draw, draw.one("avatar"))
        except _Unfit:
            continue
    return None
