"""All rules that can be written for a sprite set: which sprites can meet, which effects fit them, which values fit the
parameters.

Everything is read from the ontology registry, so that effects and terminations which users register take part. What is
drawn here means something: the sprites named exist, one of two that meet can move, what is collected is a resource,
what teleports is a portal, conditions are on resources that are there, numbers lie in their ranges.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pcg.engine.lazy import cached_property
from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.analysis_flags import type_flags
from pcg.engine.vgdl.checker import check_game
from pcg.engine.vgdl.definition import GameDefinition, SpriteType
from pcg.engine.vgdl.diagnostics import PcgError, VGDLError
from pcg.engine.vgdl.formatter import dumps
from pcg.engine.vgdl.level import cannot_create, read_level
from pcg.engine.vgdl.lint import NEVER_APPEARS
from pcg.engine.vgdl.ontology_params import EffectSpec, Param, TerminationSpec
from pcg.engine.vgdl.parser import parse
from pcg.engine.vgdl.resolver import read_game
from pcg.engine.vgdl.rule_compiler import CompiledRules, RuleCompiler
from pcg.engine.vgdl.tree import SpriteLine, Tree
from pcg.generators.rules.genes import EOS, TIME, Params, Rule, RuleSet, Termination, replace_rules, with_params
from pcg.generators.rules.sprite_set import readable_sprites

SCORES = (1, 2, 5, 10, -1, -2, -5)
"""Changes of score that rules are given."""
LEFT_OUT = frozenset(
    {"counter", "counterElse", "count", "countElse", "applyScore", "repeat", "enabled", "inBatch", "scoreChange"}
)
"""Fields of every effect that are not drawn like its own parameters."""
OPTIONAL = 0.2
"""Share of the optional parameters that are given a value."""
USUAL: Mapping[str, float] = {
    "killSprite": 8.0, "stepBack": 5.0, "transformTo": 4.0, "collectResource": 4.0, "killBoth": 2.0,
    "bounceForward": 2.0, "teleportToExit": 4.0, "changeResource": 2.0, "killIfOtherHasMore": 3.0,
    "killIfHasLess": 2.0, "killIfHasMore": 1.5, "spawn": 1.5, "cloneSprite": 0.7, "undoAll": 1.5,
    "reverseDirection": 2.0, "turnAround": 1.0, "flipDirection": 1.0, "wrapAround": 1.0, "killIfFromAbove": 1.5,
    "transformToAll": 0.5, "killAll": 0.5, "addTimer": 0.3,
}  # fmt: skip
"""Relative frequencies of effects, 1 for one not named here: about as often as designers use them."""


@dataclass(frozen=True)
class _Kinds:
    """Names of the types that can stand in for something, in order of definition."""

    actors: tuple[str, ...]
    """Of which sprites can be there, and groups of such."""
    movers: frozenset[str]
    """Of them those that can change place by themselves."""
    avatars: tuple[str, ...]
    resources: tuple[str, ...]
    held: tuple[str, ...]
    """Names of resources."""
    portals: frozenset[str]
    spawners: tuple[str, ...]
    creatable: tuple[str, ...]


class RuleSpace:
    """The rules of a sprite set.

    Args:
        tree: a game; its rules are of no account.
        levels: level texts of it.

    Raises:
        VGDLError: the game or a level cannot be read.
        PcgError: nothing can move, nobody plays, or there is no level.
    """

    def __init__(self, tree: Tree, levels: Sequence[str]) -> None:
        self.tree = replace_rules(tree, RuleSet((), ()))
        self.source = dumps(self.tree)
        self.definition = read_game(self.source, reading="gvgai")
        if self.definition.players != 1:
            raise PcgError(f"{tree.file}: rules are made for games of one player, this one has two")
        if not levels:
            raise PcgError(f"{tree.file}: no level to make rules for")
        self.levels = tuple(levels)
        self.counts = _counts(self.definition, self.levels)
        """Type name -> most sprites of it in a level."""
        self.kinds = self._kinds()
        self._fitting: dict[tuple[str, str], tuple[tuple[str, ...], np.ndarray]] = {}

    @classmethod
    def of(cls, source: str, levels: Sequence[str]) -> RuleSpace:
        """The space of a game text, whose sprites and levels are made readable first (`sprite_set`).

        Raises:
            PcgError: as the class; nobody plays in any level.
        """
        tree, kept = readable_sprites(replace_rules(parse(source), RuleSet((), ())), levels)
        return cls(tree, kept)

    def text(self, genotype: RuleSet) -> str:
        """The game with these rules, formatted, with all its sprites."""
        return dumps(replace_rules(self.tree, genotype))

    def tidy(self, genotype: RuleSet) -> str:
        """The same without the sprites that never appear under these rules, so that it reads without a warning.

        What can never happen for target of them goes as well: rules about them, and terminations that wait for many of
        them. A sprite that something else still names stays.
        """
        while True:
            text = self.text(genotype)
            absent = {d.message.split("`")[1] for d in check_game(text) if d.message.endswith(NEVER_APPEARS)}
            rules = tuple(rule for rule in genotype.rules if not absent & set(rule.pair))
            terminations = tuple(
                termination for termination in genotype.terminations
                if not (termination.name == "SpriteCounterMore" and termination.get("stype") in absent)
            )  # fmt: skip
            if len(rules) + len(terminations) == len(genotype):
                break
            genotype = RuleSet(rules, terminations)
        named = {word for gene in genotype.genes() for word in str(gene).replace("=", " ").replace(",", " ").split()}
        while True:
            lines = {d.message.split("`")[1]: d.line for d in check_game(text) if d.message.endswith(NEVER_APPEARS)}
            tree = parse(text)
            followed = {
                word for line in tree.walk() if isinstance(line, SpriteLine) and line.name.text not in lines
                for option in line.options for word in option.value.split(",")
            }  # fmt: skip
            followed |= {word for option in tree.header.options for word in option.value.split(",")}
            gone = {line for name, line in lines.items() if name not in named | followed}
            if not gone:
                return text
            text = dumps(_without(tree, gone))

    def compile(self, genotype: RuleSet) -> CompiledRules:
        """The game compiled; findings about sprites alone, which no rules can help, are left out."""
        found = self.compiler.compile(*genotype.lines)
        about_rules = tuple(
            d for d in found.diagnostics if d.severity == "error" or not d.message.endswith(NEVER_APPEARS)
        )
        return replace(found, diagnostics=about_rules)

    @cached_property
    def compiler(self) -> RuleCompiler:
        """Compiler of rules into tables."""
        return RuleCompiler(self.definition, reading="strict", name=self.definition.name)

    # -- what there is -------------------------------------------------------------------------------------------------

    def _kinds(self) -> _Kinds:
        definition = self.definition
        flags = type_flags(definition)
        leaves = [t for t in definition.types if t.leaf and t.class_name is not None]
        placed = {name for name, count in self.counts.items() if count}
        there = _made_by(definition, {t.name for t in leaves if t.name in placed})
        groups = [t for t in definition.types if not t.leaf and self._members(t) & there]
        actors = [t.name for t in leaves if t.name in there] + [
            g.name for g in groups if len(self._members(g) & there) > 1
        ]
        movers = {t.name for t in leaves if t.name in there and not flags[t.id].inert}
        movers |= {g.name for g in groups if self._members(g) & movers}
        spec = {t.name: ontology.SPRITE_CLASSES[str(t.class_name)] for t in leaves}
        avatars = tuple(t.name for t in leaves if spec[t.name].avatar and t.name in there)
        if not avatars:
            raise PcgError(f"{self.tree.file}: no level has an avatar, so nobody plays")
        resources = tuple(t.name for t in leaves if t.class_name in ("Resource", "ResourcePack"))
        held = tuple(dict.fromkeys(str(definition.types[definition.type_index[r]].params.get("resource_name", r))
                                   for r in resources))  # fmt: skip
        made = tuple(t.name for t in leaves if not cannot_create(t) and not spec[t.name].avatar and t.line)
        return _Kinds(
            actors=tuple(actors),
            movers=frozenset(movers),
            avatars=avatars,
            resources=resources,
            held=tuple(h for h in held if h in definition.type_index),
            portals=frozenset(t.name for t in leaves if t.class_name == "Portal"),
            spawners=tuple(t.name for t in leaves if "spawner" in _lineage(str(t.class_name)) and t.name in there),
            creatable=made,
        )

    def _members(self, group: SpriteType) -> set[str]:
        types = self.definition.types
        return {types[t].name for t in group.subtypes if types[t].leaf and group.id in types[t].path}

    @cached_property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Pairs that can meet: two different kinds of which one can move, and what can move with the edge of the
        screen.
        """
        kinds = self.kinds
        inside = [
            (a, b) for a in kinds.actors for b in kinds.actors
            if a != b and (a in kinds.movers or b in kinds.movers) and not self._related(a, b)
        ]  # fmt: skip
        return (*inside, *((a, EOS) for a in kinds.actors if a in kinds.movers))

    def _related(self, a: str, b: str) -> bool:
        index, types = self.definition.type_index, self.definition.types
        one, two = types[index[a]], types[index[b]]
        return one.id in two.path or two.id in one.path

    @cached_property
    def pair_weights(self) -> np.ndarray:
        """Relative frequencies of pairs: meetings of an avatar twice as often as others, edges less often."""
        avatars = set(self.kinds.avatars)
        weights = np.array([2.0 if a in avatars or b in avatars else 1.0 for a, b in self.pairs])
        weights[[b == EOS for _, b in self.pairs]] *= 0.7
        shares: np.ndarray = weights / weights.sum()
        return shares

    # -- which effects fit ---------------------------------------------------------------------------------------------

    def fits(self, spec: EffectSpec, first: str, second: str) -> bool:
        """Return whether an effect can do anything when these two meet."""
        kinds = self.kinds
        if not spec.runnable or (second in (EOS, TIME) and spec.needs_second):
            return False
        if spec.name == "addTimer":
            return bool(kinds.creatable)
        if spec.name == "teleportToExit":
            return second in kinds.portals
        if spec.name in ("collectResource", "collectResourceIfHeld"):
            return first in kinds.resources and second in kinds.movers
        if spec.name in ("transformToAll", "transformToSingleton") and len(kinds.creatable) < 2:
            return False
        return not any(p.required and not self._values(p, spec) for p in spec.params.values() if p.references)

    def effects(self, first: str, second: str) -> tuple[tuple[str, ...], np.ndarray]:
        """Names of the effects that fit two that meet, and how often each is drawn."""
        found = self._fitting.get((first, second))
        if found is None:
            names = tuple(name for name, spec in ontology.EFFECTS.items() if self.fits(spec, first, second))
            weights = np.array([USUAL.get(name, 1.0) for name in names])
            found = self._fitting[first, second] = names, weights / weights.sum()
        return found

    # -- drawing -------------------------------------------------------------------------------------------------------

    def draw_rule(self, rng: np.random.Generator, *, pair: tuple[str, str] | None = None) -> Rule:
        """A rule for a pair, or for any."""
        first, second = pair or self.pairs[int(rng.choice(len(self.pairs), p=self.pair_weights))]
        names, weights = self.effects(first, second)
        effect = names[int(rng.choice(len(names), p=weights))]
        return Rule(first, second, effect, self.draw_params(rng, effect))

    def draw_params(self, rng: np.random.Generator, effect: str) -> Params:
        """Values for the parameters of an effect: all that are required, some of the others, often a score."""
        spec = ontology.EFFECTS[effect]
        if effect == "addTimer":
            return self._timer(rng)
        given = self._own(rng, spec)
        given = list(self.changing(rng, effect, tuple(given)))
        if rng.random() < 0.35:
            given.append(("scoreChange", str(SCORES[int(rng.integers(len(SCORES)))])))
        return tuple(given)

    def changing(self, rng: np.random.Generator, effect: str, params: Params) -> Params:
        """The parameters of an effect, in which nothing is to become what it is already."""
        key = {"transformToAll": "stypeTo", "transformToSingleton": "stype_other"}.get(effect)
        given = dict(params)
        if key is None or given["stype"] != given[key]:
            return params
        others = [name for name in self.kinds.creatable if name != given["stype"]]
        return with_params(params, {key: others[int(rng.integers(len(others)))]})

    def _own(self, rng: np.random.Generator, spec: EffectSpec | TerminationSpec) -> list[tuple[str, str]]:
        given: list[tuple[str, str]] = []
        for param in self.parameters(spec):
            if param.required or rng.random() < OPTIONAL:
                value = self.draw_value(rng, param, spec)
                if value is not None:
                    given.append((param.name, value))
        return given

    def _timer(self, rng: np.random.Generator) -> Params:
        """A timer whose effect works without sprites."""
        names = [n for n, s in ontology.EFFECTS.items() if s.runnable and s.touches and not s.needs_first
                 and not s.needs_second and self.fits(s, TIME, TIME)]  # fmt: skip
        name = names[int(rng.integers(len(names)))]
        inner = self._own(rng, ontology.EFFECTS[name])
        return (("timer", str(int(rng.integers(5, 200)))), ("ftype", name), *inner)

    def parameters(self, spec: EffectSpec | TerminationSpec) -> tuple[Param, ...]:
        """The parameters of an effect or a termination that rules are given."""
        found = [
            p for name, p in spec.params.items()
            if not (p.inert or p.drawing or name in LEFT_OUT)
        ]  # fmt: skip
        if isinstance(spec, EffectSpec):
            found = [p for p in found if p.name != "prob" or spec.uses_prob]
        return tuple(found)

    def draw_value(self, rng: np.random.Generator, param: Param, spec: EffectSpec | TerminationSpec) -> str | None:
        """The text of a value of a parameter, None when there is none to give."""
        if param.references:
            names = self._values(param, spec)
            return names[int(rng.integers(len(names)))] if names else None
        if param.type in ("int", "float"):
            low, high = param.range or (0, 10)
            if param.name == "limit" and isinstance(spec, EffectSpec):
                low, high = 1, 10
            return draw_whole_number(rng, low, high)
        if param.type == "effect":
            names = tuple(name for name, other in ontology.EFFECTS.items() if other.kill and other.runnable)
            return names[int(rng.integers(len(names)))]
        return draw_real_or_flag(rng, param)

    def _values(self, param: Param, spec: EffectSpec | TerminationSpec) -> tuple[str, ...]:
        """Names that a parameter can hold."""
        kinds = self.kinds
        if param.name in ("resource", "heldResource"):
            return kinds.held
        if param.name == "spawnPoint":
            return kinds.spawners
        if isinstance(spec, EffectSpec) and param.name in spec.creates:
            return kinds.creatable
        return kinds.actors

    # -- terminations --------------------------------------------------------------------------------------------------

    def draw_termination(self, rng: np.random.Generator, *, win: bool | None = None) -> Termination:
        """A termination, won or lost as given or with equal chances."""
        wins = bool(rng.integers(2)) if win is None else win
        tail = (("win", "True" if wins else "False"),)
        kind = float(rng.random())
        if kind < 0.2:
            # short ones are likelier: within the reach of a play, and drawn on the way to longer ones
            return Termination("Timeout", (("limit", str(50 * round(2 ** rng.uniform(1, 5)))), *tail))
        # dying is no way to win
        avatars = {self.avatar, *self.kinds.avatars} if wins else set()
        names = tuple(name for name in self.kinds.actors if name not in avatars) or self.kinds.actors
        if kind < 0.7 or (kind >= 0.85 and len(names) < 2):
            name = names[int(rng.integers(len(names)))]
            return Termination("SpriteCounter", (("stype", name), ("limit", self._left(rng, name)), *tail))
        if kind < 0.85:
            name = names[int(rng.integers(len(names)))]
            limit = self.counts.get(name, 0) + 1 + int(rng.integers(0, 10))
            return Termination("SpriteCounterMore", (("stype", name), ("limit", str(limit)), *tail))
        chosen = rng.permutation(len(names))[: int(rng.integers(2, 4))]
        types = tuple((f"stype{k + 1}", names[int(i)]) for k, i in enumerate(chosen))
        return Termination("MultiSpriteCounter", (*types, ("limit", "0"), *tail))

    def _left(self, rng: np.random.Generator, name: str) -> str:
        most = max(0, self.counts.get(name, 0) - 1)
        return "0" if rng.random() < 0.7 else str(int(rng.integers(0, most + 1)))

    def redraw_limit(self, rng: np.random.Generator, termination: Termination) -> Termination:
        """A termination whose number is another one: a little more or less, or anything up to what a level has."""
        limit = int(float(termination.get("limit") or 0))
        if termination.name == "Timeout":
            limit = min(2000, max(50, 50 * round(limit * 2 ** rng.uniform(-1, 1) / 50)))
        elif termination.name == "SpriteCounter" and rng.random() < 0.5:
            limit = int(rng.integers(0, max(1, self.counts.get(termination.get("stype") or "", 1))))
        else:
            limit = max(0, limit + (1 if rng.random() < 0.5 else -1) * int(rng.integers(1, 4)))
        return Termination(termination.name, with_params(termination.params, {"limit": str(limit)}))

    def death(self) -> Termination:
        """The player loses when no avatar is left."""
        return Termination("SpriteCounter", (("stype", self.avatar), ("limit", "0"), ("win", "False")))

    @cached_property
    def avatar(self) -> str:
        """The narrowest type that stands for every avatar."""
        definition = self.definition
        avatars = [definition.types[definition.type_index[name]] for name in self.kinds.avatars]
        shared = [t for t in avatars[0].path if all(t in other.path for other in avatars)]
        return definition.types[shared[-1]].name if shared else avatars[0].name


def _without(tree: Tree, lines: Set[int]) -> Tree:
    """A tree without the sprites of some lines, as long as nothing stands below them."""

    def kept(node: Any) -> Any:
        children = tuple(kept(c) for c in node.children if c.children or c.line not in lines)
        return replace(node, children=children)

    return Tree(kept(tree.header), tree.after, tree.file)


def _lineage(class_name: str) -> frozenset[str]:
    """Return a class and its ancestors; "spawner" for whatever brings forth a type of its parameter `stype`."""
    found: set[str] = set()
    name: str | None = class_name
    while name is not None:
        found.add(name)
        name = ontology.SPRITE_CLASSES[name].parent
    return frozenset(found | ({"spawner"} if found & {"SpawnPoint", "SpriteProducer"} else set()))


def _made_by(definition: GameDefinition, there: Iterable[str]) -> set[str]:
    """Types that sprites of these bring forth, and so on."""
    known = set(there)
    while True:
        more = set(known)
        for name in known:
            t = definition.types[definition.type_index[name]]
            for key in ontology.SPRITE_CLASSES[str(t.class_name)].creates:
                made = (definition.type_index.get(n) for n in str(t.params.get(key, "")).split(","))
                more |= {
                    definition.types[u].name for m in made if m is not None for u in (m, *definition.types[m].subtypes)
                    if definition.types[u].leaf and definition.types[u].class_name is not None
                }  # fmt: skip
        if more == known:
            return known
        known = more


def _counts(definition: GameDefinition, levels: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for k, text in enumerate(levels):
        try:
            level = read_level(text, definition, reading="gvgai")
        except VGDLError as error:
            raise PcgError(f"level {k} does not fit the game: {error}") from None
        own: dict[str, int] = {}
        for type_id, _, _ in level.placements:
            for t in definition.types[type_id].path:
                name = definition.types[t].name
                own[name] = own.get(name, 0) + 1
        for name, number in own.items():
            found[name] = max(found.get(name, 0), number)
    return found


def draw_whole_number(rng: np.random.Generator, low: float, high: float) -> str:
    """Draw the text of a whole number from `low` to `high`, small ones more often, whatever the range."""
    return str(int(low) + int(np.exp(rng.random() * np.log(high - low + 1))) - 1)


def draw_real_or_flag(rng: np.random.Generator, param: Param) -> str | None:
    """Draw the text of a real number within a parameter's range, or of the flag that is not its default.

    None for a parameter of another type.
    """
    if param.type == "double":
        low, high = param.range or (0.0, 1.0)
        return f"{round(low + rng.random() * (high - low), 2):g}"
    if param.type == "bool":
        return "False" if param.default else "True"
    return None
