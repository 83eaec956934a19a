"""Rules by templates (reference/generators 12.7, in its sensible reading).

The first level is looked at: what encloses it is a wall, what stands about in small numbers is treasure or a spike,
what moves by itself is an enemy or prey, what portals lead nowhere are doors. Each gets the rules that a designer would
write first, with a coin thrown where there are two; how the game is won follows from what there is to do.

Where the reference's text cannot be meant, the meaning is taken: a chaser does something to those it chases, prey is
what flees and not what it flees from, boxes can be pushed, and what is counted by a termination is counted by type.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pcg.evaluators.judging.game_kinds import sought
from pcg.evaluators.parameters import Parameter
from pcg.generators.rules.constructive.level_analyser import LevelRoles
from pcg.generators.rules.contract import IndependentRuleGenerator
from pcg.generators.rules.genes import EOS, Rule, RuleSet, Termination, none_left
from pcg.generators.rules.operators import repair_rules
from pcg.generators.rules.space import RuleSpace

_BUMPS = ("stepBack", "flipDirection", "reverseDirection", "turnAround", "wrapAround")
"""Effects of walls on things that move by themselves."""
_CHASERS = frozenset(
    {"Chaser", "PathChaser", "LOSChaser", "AlternateChaser", "RandomAltChaser", "PathAltChaser", "RandomPathAltChaser"}
)
_BOMBERS = frozenset({"Bomber", "RandomBomber", "BomberRandomMissile"})


def _chance(name: str, default: float, help: str) -> Parameter:
    return Parameter(name, default, help, 0.0, 1.0)


class ConstructiveRules(IndependentRuleGenerator):
    """Rules by templates."""

    name = "constructive"
    help = "rules by templates: walls stop, enemies kill, treasure scores, and a goal that follows from them"
    papers = ("Khalifa, Green, Perez-Liebana, Togelius: General Video Game Rule Generation (2017)",)
    parameters = (
        _chance("harmful", 0.5, "chance that something that moves kills the player rather than being caught"),
        _chance("spike", 0.5, "chance that a second kind of treasure is deadly"),
        _chance("firewall", 0.1, "chance that walls are deadly"),
        _chance("pushed", 0.5, "chance that passive things can be pushed"),
        _chance("scores", 0.5, "chance that collecting a resource scores"),
    )

    def __init__(self, space: RuleSpace, *, seed: int, **params: object) -> None:
        super().__init__(space, seed=seed, **params)
        self.level_roles = LevelRoles.of(space)

    def generate(self, rng: np.random.Generator) -> RuleSet:
        """One rule set."""
        draft = _Draft(self.space, self.level_roles, {name: float(value) for name, value in self.settings.items()}, rng)
        return repair_rules(self.space, draft.genotype(), rng)


class _Draft:
    """One rule set in the making."""

    def __init__(
        self, space: RuleSpace, level_roles: LevelRoles, chances: dict[str, float], rng: np.random.Generator
    ) -> None:
        self.space, self.level_roles, self.chances, self.rng = space, level_roles, chances, rng
        self.rules: list[Rule] = []
        self.harmful: dict[str, None] = {}
        self.collectible: dict[str, None] = {}
        self.prey: dict[str, None] = {}

    def genotype(self) -> RuleSet:
        """All templates, in the order of the spec."""
        self._resources()
        self._treasure()
        for npc in self.level_roles.npcs:
            self._npc(npc)
        for spawner, products in self.level_roles.spawners.items():
            self._spawned(spawner, products)
        self._portals()
        self._movables()
        self._walls()
        self._shots()
        return RuleSet(tuple(self.rules), tuple(self._endings()))

    def _flip(self, name: str) -> bool:
        return bool(self.rng.random() < self.chances[name])

    def _rule(self, first: str, second: str, effect: str, **params: object) -> None:
        self.rules.append(Rule(first, second, effect, tuple((k, str(v)) for k, v in params.items())))

    def _kills_avatar(self, name: str) -> None:
        for avatar in self.level_roles.avatars:
            self._rule(avatar, name, "killSprite", scoreChange=-1)
        self.harmful[name] = None

    def _caught(self, name: str, score: int = 1) -> None:
        for avatar in self.level_roles.avatars:
            self._rule(name, avatar, "killSprite", scoreChange=score)
        self.collectible[name] = None

    def _class(self, name: str) -> str:
        return str(self.space.definition.types[self.space.definition.type_index[name]].class_name)

    def _targets(self, name: str) -> list[str]:
        """Return the types that a sprite follows or flees from."""
        found = sought(self.space.definition.types[self.space.definition.type_index[name]])
        return [n for n in dict.fromkeys(found) if n in self.space.kinds.actors]

    # -- templates ---------------------------------------------------------------------------------------------------

    def _resources(self) -> None:
        for resource in self.level_roles.resources:
            score = {"scoreChange": 1} if self._flip("scores") else {}
            for avatar in self.level_roles.avatars:
                self._rule(resource, avatar, "collectResource", **score)

    def _treasure(self) -> None:
        choices = self.level_roles.treasure
        if not choices:
            return
        score, spike = (choices[int(self.rng.integers(len(choices)))] for _ in range(2))
        self._caught(score)
        if spike != score:
            if self._flip("spike"):
                self._kills_avatar(spike)
            else:
                self._caught(spike, 2)

    def _npc(self, npc: str) -> None:
        kind, targets = self._class(npc), self._targets(npc)
        if kind == "Fleeing":
            for target in targets or list(self.level_roles.avatars):
                self._rule(npc, target, "killSprite", scoreChange=1)
            self.prey[npc] = None
        elif kind in _CHASERS and targets and not set(targets) & self._wide_avatars():
            for target in targets:
                if self.rng.random() < 0.5:
                    self._rule(target, npc, "killSprite")
                else:
                    self._rule(target, npc, "transformTo", stype=npc)
            if self._flip("harmful"):
                self._kills_avatar(npc)
        elif kind in _CHASERS or kind in _BOMBERS or self._flip("harmful"):
            self._kills_avatar(npc)
        else:
            self._caught(npc)

    def _wide_avatars(self) -> set[str]:
        return {self.space.avatar, *self.level_roles.avatars, "avatar"}

    def _spawned(self, spawner: str, products: Iterable[str]) -> None:
        deadly = self._flip("harmful")
        for product in products:
            if product in self.harmful or product in self.collectible or product not in self.space.kinds.actors:
                continue
            if deadly:
                self._kills_avatar(product)
            else:
                self._caught(product)
        if any(p in self.harmful for p in products):
            self.harmful[spawner] = None

    def _portals(self) -> None:
        for avatar in self.level_roles.avatars:
            for door in self.level_roles.doors:
                self._rule(door, avatar, "killSprite", scoreChange=1)
            for portal in self.level_roles.portals:
                self._rule(avatar, portal, "teleportToExit")

    def _movables(self) -> None:
        for movable in self.level_roles.movables:
            if movable in self.harmful or movable in self.collectible:
                continue
            if self._class(movable) in ("Passive", "Immovable") and self._flip("pushed"):
                for avatar in self.level_roles.avatars:
                    self._rule(movable, avatar, "bounceForward")
                for stop in (*self.level_roles.walls[:1], movable):
                    self._rule(movable, stop, "undoAll")
            elif self._flip("harmful"):
                self._kills_avatar(movable)
            else:
                self._caught(movable)

    def _walls(self) -> None:
        wall = self.level_roles.walls[0] if self.level_roles.walls else EOS
        fire = wall != EOS and not self.prey and self._flip("firewall")
        movables, npcs = (_BUMPS[int(self.rng.integers(len(_BUMPS)))] for _ in range(2))
        for avatar in self.level_roles.avatars:
            self._rule(avatar, wall, "killSprite" if fire else "stepBack")
        moving = self.space.kinds.movers
        for names, effect in ((self.level_roles.movables, movables), (self.level_roles.npcs, npcs)):
            for name in names:
                if name in moving and not any(r.pair == (name, wall) for r in self.rules):
                    self._rule(name, wall, "killSprite" if fire else effect)
        products = [p for made in self.level_roles.spawners.values() for p in made if p in self.space.kinds.actors]
        for product in dict.fromkeys((*products, *self.level_roles.shots)):
            if product in moving and not any(r.pair == (product, wall) for r in self.rules):
                self._rule(product, wall, "killSprite")
        if wall != EOS:
            for product in dict.fromkeys((*products, *self.level_roles.shots)):
                if product in moving:
                    self._rule(product, EOS, "killSprite")

    def _shots(self) -> None:
        for shot in self.level_roles.shots:
            for name in self.harmful:
                if name != shot and (shot in self.space.kinds.movers or name in self.space.kinds.movers):
                    self._rule(name, shot, "killSprite", scoreChange=1)
                    self._rule(shot, name, "killSprite")

    # -- how it ends -------------------------------------------------------------------------------------------------

    def _endings(self) -> list[Termination]:
        if self.level_roles.doors:
            door = self.level_roles.doors[0]
            goal = _gone([door])
        elif self.prey:
            goal = _gone(self.prey)
        elif self.harmful and self.level_roles.shots and not self.collectible:
            goal = _gone(self.harmful)
        elif self.collectible:
            goal = _gone(self.collectible)
        else:
            goal = Termination("Timeout", (("limit", str(500 + 100 * int(self.rng.integers(5)))), ("win", "True")))
        return [goal, *([self.space.death()] if self.harmful else [])]


def _gone(names: Iterable[str]) -> Termination:
    """All sprites of up to three types are gone (MultiSpriteCounter knows no more)."""
    return none_left(list(names)[:3])
