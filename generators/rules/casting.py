"""Casting of a sprite set: which sprites can play which part in a game that is to be written for them.

Parts are told by what sprites do by themselves (pursue the avatar, flee from it, roam, fly straight on, bring forth
others, stand about) and by how many of them the levels hold, never by their names. A draft collects the rules and
terminations that plans of games write for the sprites they draw.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from pcg.engine.lazy import cached_property
from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.ontology_params import SpriteClass
from pcg.evaluators.analysis import MOBILITY
from pcg.evaluators.judging.game_kinds import flees, sought
from pcg.generators.rules.genes import EOS, Params, Rule, RuleSet, Termination, none_left
from pcg.generators.rules.learned import LearnedSpace

_TOGETHER = 0.8
"""Chance that all of a group play a part together, where one of them was drawn."""
SEVERAL = 3
"""Sprites of a kind from which on gathering them is a task of its own."""
_ROAMING = ("wanderer", "walker")
_STANDING = ("static", "resource", "portal")
_THINGS = (*_STANDING, "lasting")


class Unfit(Exception):
    """A sprite set that has no sprites for a part."""


class Casting:
    """Sprites of a set by the parts that they can play; each list is in order of definition.

    Args:
        space: of the sprite set.
    """

    def __init__(self, space: LearnedSpace) -> None:
        self.space = space
        index, types = space.definition.type_index, space.definition.types
        self.leaves = [n for n in space.kinds.actors if types[index[n]].leaf]
        self.dormant = [n for n in space.kinds.creatable if types[index[n]].leaf and n not in space.kinds.actors]
        """Types that are there only when a rule makes them."""
        self.heroes = [n for n in space.kinds.avatars if space.counts.get(n)] or list(space.kinds.avatars)
        self._types = {n: types[index[n]] for n in (*self.leaves, *self.dormant)}
        self.walks = all(MOBILITY.get(str(self._types[n].class_name), "freely") == "freely" for n in self.heroes)
        """True where the avatar can get to what stands about."""

    def of(self, *kinds: str) -> list[str]:
        """Return the leaves of some kinds that can be there."""
        return [n for n in self.leaves if self.space.roles[n] in kinds]

    def placed(self, names: Iterable[str]) -> list[str]:
        """Return those of some types that levels hold."""
        return [n for n in names if self.space.counts.get(n)]

    @cached_property
    def standing(self) -> list[str]:
        """Types that stand about in the levels."""
        return self.placed(self.of(*_THINGS))

    @cached_property
    def things(self) -> list[str]:
        """Those that the avatar can get to."""
        return self.standing if self.walks else []

    @cached_property
    def passive(self) -> list[str]:
        """Those that are made to be pushed."""
        return [n for n in self.things if self._types[n].class_name == "Passive"]

    @cached_property
    def fleeing(self) -> list[str]:
        """Types that run away from the avatar."""
        return [n for n in self.of("chaser") if flees(self._types[n]) and self._targets(n) & self._wide]

    @cached_property
    def pursuing(self) -> list[str]:
        """Types that walk towards the avatar."""
        return [n for n in self.of("chaser") if self._pursues(n)]

    @cached_property
    def seeking(self) -> list[str]:
        """Types that walk towards sprites other than the avatar."""
        return [n for n in self.of("chaser") if not self._targets(n) & self._wide]

    @cached_property
    def roaming(self) -> list[str]:
        """Types that wander about."""
        return self.of(*_ROAMING)

    @cached_property
    def flying(self) -> list[str]:
        """Types that fly straight on."""
        return self.of("missile")

    @cached_property
    def bombers(self) -> list[str]:
        """Types that move and bring forth others."""
        return [n for n in self.of("spawner") if self.space.goes(n)]

    @cached_property
    def nests(self) -> list[str]:
        """Types that stand and bring forth others."""
        return [n for n in self.of("spawner") if not self.space.goes(n)]

    @cached_property
    def makers(self) -> list[str]:
        """Types that bring forth others."""
        return self.of("spawner")

    @cached_property
    def dangerous(self) -> list[str]:
        """Types that move, but for those that run away: what a game can make deadly."""
        chosen = {*self.pursuing, *self.roaming, *self.flying, *self.seeking, *self.bombers}
        return [n for n in self.leaves if n in chosen]

    @cached_property
    def sleeping_dangers(self) -> list[str]:
        """Types that go after the avatar or wander about once a rule makes them."""
        return [n for n in self.dormant if self._pursues(n) or self.space.roles[n] in _ROAMING]

    @cached_property
    def remains(self) -> list[str]:
        """Standing types that rules can make, those that are not there without one in front."""
        standing = [n for n in self.space.kinds.creatable if self.space.roles.get(n) in _STANDING]
        return [n for n in standing if n in self.dormant] or standing

    def products(self, maker: str) -> set[str]:
        """Return the names of the types that sprites of a type, or of any in a group, bring forth."""
        return {
            n for leaf in self.members(maker) for key in self._spec(leaf).creates
            for n in str(self._types[leaf].params.get(key, "")).split(",") if n
        }  # fmt: skip

    def runs_dry(self, maker: str) -> bool:
        """Return True where a type is gone when it has brought forth a number of sprites."""
        totals = (self._types[n].params.get("total", 0) or 0 for n in self.members(maker))
        return all(float(str(total)) > 0 for total in totals)

    def members(self, name: str) -> list[str]:
        """Return the leaves that a group stands for; a leaf stands for itself."""
        index, types = self.space.definition.type_index, self.space.definition.types
        return [n for n in self.leaves + self.dormant if index[name] in types[index[n]].path]

    def any_of(self, name: str, pool: Sequence[str]) -> bool:
        """Return True where a type, or one of a group, is in a pool."""
        return any(n in pool for n in self.members(name))

    def groups(self, name: str) -> list[str]:
        """Return the groups of a type in which all are of one kind and can be there."""
        index, types = self.space.definition.type_index, self.space.definition.types
        roles = self.space.roles
        found = [types[t].name for t in types[index[name]].path if types[t].name != name]
        found = [g for g in found if g in self.space.kinds.actors]
        return [g for g in found if all(roles[n] == roles[name] for n in self.members(g))]

    def targets(self, name: str) -> set[str]:
        """Return the names of types that a sprite walks towards."""
        return self._targets(name) - self._wide

    @cached_property
    def _wide(self) -> set[str]:
        index, types = self.space.definition.type_index, self.space.definition.types
        return {types[t].name for hero in self.space.kinds.avatars for t in types[index[hero]].path}

    def _spec(self, name: str) -> SpriteClass:
        return ontology.SPRITE_CLASSES[str(self._types[name].class_name)]

    def _pursues(self, name: str) -> bool:
        chases = self.space.roles[name] == "chaser"
        return chases and not flees(self._types[name]) and bool(self._targets(name) & self._wide)

    def _targets(self, name: str) -> set[str]:
        return set(sought(self._types[name]))


class Draft:
    """A rule set in the making.

    Args:
        cast: of the sprite set.
        rng: draws.
    """

    def __init__(self, cast: Casting, rng: np.random.Generator) -> None:
        self.cast = cast
        self.space = cast.space
        self.rng = rng
        self.rules: list[Rule] = []
        self.endings: list[Termination] = []
        self.taken: set[str] = set()
        self.hero = self.one(cast.heroes)
        self.goals: list[str] = []
        """Types that winning is about."""
        self.deadly: list[str] = []
        """Types that kill the avatar."""

    def result(self) -> RuleSet:
        """Return the rule set, each rule once.

        Who pushes against a wall puts himself and the box back, and not what is after him.
        """
        spared = ",".join(dict.fromkeys(self.deadly))
        rules = [
            replace(r, params=(("notStype", spared), *r.params)) if r.effect == "undoAll" and spared else r
            for r in self.rules
        ]
        return RuleSet(tuple(dict.fromkeys(rules)), tuple(dict.fromkeys(self.endings)))

    # -- who -----------------------------------------------------------------------------------------------------------

    def free(self, names: Sequence[str]) -> list[str]:
        """Return those that have no part yet."""
        return [n for n in names if n not in self.taken]

    def one(self, *pools: Sequence[str]) -> str:
        """Return a type that has no part yet, from the first of these pools that has one.

        Raises:
            Unfit: there is none.
        """
        for pool in pools:
            names = self.free(pool)
            if names:
                name = names[int(self.rng.integers(len(names)))]
                groups = [g for g in self.cast.groups(name) if not self.taken & set(self.cast.members(g))]
                if groups and self.chance(_TOGETHER):
                    name = groups[-1]
                self.take_part(name)
                return name
        raise Unfit

    def leaf(self, names: Sequence[str]) -> str:
        """Return a type that has no part yet, never a group: one that is to be made.

        Raises:
            Unfit: there is none.
        """
        names = self.free(names)
        if not names:
            raise Unfit
        name = names[int(self.rng.integers(len(names)))]
        self.taken.add(name)
        return name

    def take_part(self, name: str) -> None:
        """Note that a type, or all of a group, has a part."""
        self.taken.update([name, *self.cast.members(name)])

    def many(self, names: Sequence[str]) -> list[str]:
        """Return types of which levels hold several."""
        return [n for n in names if self.space.counts.get(n, 0) >= SEVERAL]

    def single(self, names: Sequence[str]) -> list[str]:
        """Return types of which levels hold one or two."""
        return [n for n in names if 1 <= self.space.counts.get(n, 0) < SEVERAL]

    def chance(self, share: float) -> bool:
        """Return True with a probability."""
        return bool(self.rng.random() < share)

    # -- what happens --------------------------------------------------------------------------------------------------

    def fits(self, first: str, second: str, effect: str) -> bool:
        """Return True where a rule means something for two types that meet."""
        dormant = self.cast.dormant
        known = (first, second) in self.space.pairs or (first != second and (first in dormant or second in dormant))
        return known and effect in self.space.effects(first, second)[0]

    def add(self, first: str, second: str, effect: str, *, points: int = 0, **params: object) -> None:
        """Add a rule.

        Raises:
            Unfit: it cannot be written for these sprites.
        """
        if not self.fits(first, second, effect):
            raise Unfit
        self.force(first, second, effect, points=points, **params)

    def force(self, first: str, second: str, effect: str, *, points: int = 0, **params: object) -> None:
        """Add a rule for two types of which none moves by itself: one of them is pushed."""
        given: Params = tuple((key, str(value)) for key, value in params.items())
        self.rules.append(Rule(first, second, effect, (*given, *([("scoreChange", str(points))] if points else []))))

    def take(self, name: str, points: int = 1) -> None:
        """Add a rule by which the avatar takes something away: a resource is collected, others are gone."""
        held = all(n in self.space.kinds.resources for n in self.cast.members(name))
        self.add(name, self.hero, "collectResource" if held else "killSprite", points=points)

    def ruled(self, first: str, second: str) -> bool:
        """Return True where a rule is about two types that meet, in this order."""
        return any(rule.pair == (first, second) for rule in self.rules)

    def kill(self, danger: str) -> None:
        """Add a rule by which something kills the avatar."""
        self.add(self.hero, danger, "killSprite")
        self.deadly.append(danger)

    def stop(self, box: str) -> None:
        """Add the rules by which what is pushed stops at the frame, at others of its kind, and at the edge."""
        walls = self.cast.of("frame")
        for wall in [*walls, *(() if walls and self.space.enclosed else (EOS,)), box]:
            self.force(box, wall, "undoAll")

    def win(self, *names: str) -> None:
        """Add a goal: nothing of these is left.

        Raises:
            Unfit: for more types than a termination counts.
        """
        self.goals += names
        if not 1 <= len(names) <= 3:
            raise Unfit
        self.endings.append(none_left(names))

    def lose(self, name: str) -> None:
        """Add an end: nothing of a type is left."""
        self.endings.append(Termination("SpriteCounter", (("stype", name), ("limit", "0"), ("win", "False"))))

    def lose_many(self, name: str, limit: int) -> None:
        """Add an end: there are so many of a type."""
        self.endings.append(
            Termination("SpriteCounterMore", (("stype", name), ("limit", str(limit)), ("win", "False")))
        )

    def timeout(self, limit: int, *, win: bool) -> None:
        """Add an end of time."""
        self.endings.append(Termination("Timeout", (("limit", str(limit)), ("win", str(win)))))
