"""Primitives of trees that encode games, and the evaluation of such trees (strongly typed GP: Montana 1995), on DEAP.

For every sprite class, effect and termination of the ontology registry there is a primitive whose arguments are its
parameters; lists join two lists. Names of types are terminals that count: the k-th of what fits, so that subtrees mean
something in any game they get into. Meaning is given from the bottom up, first to types, then to rules about them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, cast

import numpy as np
from deap import gp

from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.ontology_params import Param
from pcg.generators.games.game_repair import repair_game, repair_rng, space_of
from pcg.generators.games.genes import GameGenotype, Sprite
from pcg.generators.games.gp.constant_random import ConstantRandom
from pcg.generators.games.operators import NAMES
from pcg.generators.games.random.generator import blank_game, free_characters
from pcg.generators.games.sprites import (
    CONTINUOUS,
    LEFT_OUT,
    USUAL,
    draw_colour,
    draw_value,
    family,
    fresh_name,
    parameters,
    values,
)
from pcg.generators.rules.genes import Params, Rule, RuleSet, Termination, with_params
from pcg.generators.rules.space import SCORES, RuleSpace
from pcg.generators.rules.space import USUAL as USUAL_EFFECTS

TERMINATIONS = {"SpriteCounter": 6.0, "Timeout": 2.0, "SpriteCounterMore": 1.0, "MultiSpriteCounter": 1.0}
"""Terminations that are used, and how often."""
PLACES, REFERENCES, LEVELS = 10, 16, 21
"""Terminals: places in the mapping (beside "nowhere"), counted names, and numbers from 0 to 1."""
_MOST_PARAMS = 4


class Game:
    """Type of a whole tree."""


class Avatar:
    """Type of what makes the avatar."""


class Sprites:
    """Type of a list of sprite types."""


class Rules:
    """Type of a list of rules."""


class Endings:
    """Type of a list of terminations."""


class Type:
    """Type of what makes a sprite type."""


class Line:
    """Type of what makes a rule."""


class End:
    """Type of what makes a termination."""


class Ref:
    """Type of a counted name."""


class Unit:
    """Type of a number from 0 to 1."""


class Place:
    """Type of a place in the mapping."""


class Score:
    """Type of a change of score."""


class Flag:
    """Type of win or lose."""


@dataclass(frozen=True)
class Node:
    """Result of a primitive: its name, and the results of its arguments."""

    name: str
    parts: tuple[Any, ...]


def _used(params: Sequence[Param], given: Sequence[str] = ()) -> tuple[Param, ...]:
    """The parameters that a primitive has arguments for: all that must be, and the first of the others."""
    must = [p for p in params if p.required or p.name in given]
    return tuple([*must, *(p for p in params if p not in must)][: max(len(must), _MOST_PARAMS)])


def class_params(kind: str) -> tuple[Param, ...]:
    """The parameters of a class that its primitive has arguments for, in their order."""
    known = [p for p in parameters(kind) if p.type != "bool" or p.required]
    return _used(known, ("stype", "cooldown", "orientation"))


def effect_params(kind: str) -> tuple[Param, ...]:
    """The parameters of an effect that its primitive has arguments for: those it needs, and its limit."""
    spec = ontology.EFFECTS[kind]
    return tuple(p for p in spec.params.values() if p.required or (p.name in ("limit", "value") and p.name in spec.own))


@lru_cache(maxsize=1)
def primitives() -> gp.PrimitiveSetTyped:
    """The typed primitives of games, from the registry as it is at the first call."""
    known = gp.PrimitiveSetTyped("game", [], Game)

    def add(name: str, parts: Sequence[type], made: type) -> None:
        known.addPrimitive(lambda *given, name=name: Node(name, given), list(parts), made, name=name)

    def kinds(params: Sequence[Param]) -> list[type]:
        return [Ref if p.references else Unit for p in params]

    add("game", [Avatar, Sprites, Rules, Endings], Game)
    for one, many, stem in ((Type, Sprites, "types"), (Line, Rules, "rules"), (End, Endings, "ends")):
        add(f"{stem}_join", [many, many], many)
        add(f"{stem}_one", [one], many)
    for kind, spec in ontology.SPRITE_CLASSES.items():
        if not spec.runnable or kind in LEFT_OUT or kind in CONTINUOUS or kind.startswith(("Path", "RandomPath")):
            continue
        place = [] if spec.avatar else [Place]
        add(f"class_{kind}", [*place, *kinds(class_params(kind))], Avatar if spec.avatar else Type)
    for kind, effect in ontology.EFFECTS.items():
        if effect.runnable and kind != "addTimer":
            add(f"effect_{kind}", [Ref, Ref, *kinds(effect_params(kind)), Score], Line)
    add("end_Timeout", [Unit, Flag], End)
    for kind in ("SpriteCounter", "SpriteCounterMore"):
        add(f"end_{kind}", [Ref, Unit, Flag], End)
    add("end_MultiSpriteCounter", [Ref, Ref, Flag], End)
    for made, values_ in (
        (Ref, range(REFERENCES)), (Unit, [k / (LEVELS - 1) for k in range(LEVELS)]),
        (Place, range(-1, PLACES)), (Score, [0, *SCORES]), (Flag, [True, False]),
    ):  # fmt: skip
        for k, value in enumerate(values_):
            known.addTerminal(value, made, name=f"{made.__name__.lower()}{k}")
    return known


def weight(name: str) -> float:
    """Return the relative frequency of a primitive among those of its type."""
    stem, _, kind = name.partition("_")
    table: Mapping[str, Mapping[str, float]] = {"class": USUAL, "effect": USUAL_EFFECTS, "end": TERMINATIONS}
    return float(table.get(stem, {}).get(kind, 1.0))


# -- growing -----------------------------------------------------------------------------------------------------------

Tree = list[Any]
"""The nodes of a tree, each before what is below it, as in `deap.gp.PrimitiveTree`."""
_DEEP = {Sprites: 4, Rules: 5, Endings: 2}
"""Greatest depth of joins in a list of these that is grown."""
_JOIN = {Sprites: 0.85, Rules: 0.85, Endings: 0.4}


def grow(wanted: type, rng: np.random.Generator, depth: int = 0) -> Tree:
    """A random tree of a type (`deap.gp.genGrow`, with draws of one's own and lists of sensible lengths)."""
    known = primitives()
    terminals = known.terminals[wanted]
    if terminals:
        return [terminals[int(rng.integers(len(terminals)))]]
    options = known.primitives[wanted]
    if wanted in _DEEP:
        join = depth < _DEEP[wanted] and rng.random() < _JOIN[wanted]
        node = next(p for p in options if (wanted in p.args) == join)
        below = depth + 1 if join else 0
    else:
        weights = np.array([weight(p.name) for p in options])
        node, below = options[int(rng.choice(len(options), p=weights / weights.sum()))], 0
    return [node, *(n for part in node.args for n in grow(part, rng, below))]


def joined(stem: str, trees: Sequence[Tree]) -> Tree:
    """A list ("types", "rules" or "ends") of trees that make its members, at least one."""
    known = primitives().mapping
    joins: Tree = [known[f"{stem}_join"]] * (len(trees) - 1)
    # join(join(join(a, b), c), d): every join is a list by itself, so that it can be cut anywhere
    return [*joins, *(node for tree in trees for node in (known[f"{stem}_one"], *tree))]


def names_of(tree: Tree) -> list[str]:
    """A tree as names, for JSON."""
    return [node.name for node in tree]


def tree_of(names: Sequence[str]) -> gp.PrimitiveTree:
    """The inverse of `names_of`."""
    mapping = primitives().mapping
    return gp.PrimitiveTree([mapping[name] for name in names])


def evaluate(tree: Tree) -> Node:
    """Evaluate a tree from its leaves up."""
    known = primitives()
    stack: list[Any] = []
    for node in reversed(tree):
        if isinstance(node, gp.Primitive):
            parts = [stack.pop() for _ in range(node.arity)]
            stack.append(known.context[node.name](*parts))
        else:
            stack.append(known.context[node.name])
    (made,) = stack
    return cast(Node, made)


# -- meaning -----------------------------------------------------------------------------------------------------------


def game_of(tree: Tree, base: GameGenotype, most: int) -> GameGenotype:
    """The game that a tree stands for, on the levels of another; repaired.

    Args:
        tree: of type `Game`.
        base: gives the levels.
        most: rules that it may have.
    """
    avatar, sprites, rules, terminations = evaluate(tree).parts
    game = typed(avatar, sprites, base, most)
    space = space_of(game)
    if space is not None:
        made = [rule for node in _listed(rules) if (rule := rule_of(space, node)) is not None]
        ends = _to_win(space, [termination_of(space, node) for node in _listed(terminations)])
        game = replace(game, rules=RuleSet(tuple(made), tuple(ends)))
    return repair_game(game, repair_rng(" ".join(names_of(tree))), most=most)


def typed(avatar: Node, sprites: Node, base: GameGenotype, most: int) -> GameGenotype:
    """The types that these nodes make, on the levels of a game, repaired: they depend on nothing else."""
    return repair_game(
        _with_types(blank_game(base), [avatar, *_listed(sprites)]), repair_rng(f"{avatar} {sprites}"), most=most
    )


def _listed(node: Node) -> list[Node]:
    if node.name.endswith("_join"):
        return [one for part in node.parts for one in _listed(part)]
    return [node.parts[0]]


def _with_types(game: GameGenotype, nodes: Sequence[Node]) -> GameGenotype:
    """Types in their order, on the characters of the levels that they are placed on."""
    sprites: list[Sprite] = []
    for k, node in enumerate(nodes):
        kind = node.name.partition("_")[2]
        name = fresh_name(NAMES[family(kind)], [s.name for s in sprites]) if k else "hero"
        colour = draw_colour(replace(game, sprites=tuple(sprites)), cast(np.random.Generator, ConstantRandom(0.0)))
        sprites.append(Sprite(name, kind, (("color", colour),)))
    game = replace(game, sprites=tuple(sprites))
    free = free_characters(game, game.levels)
    on: dict[str, list[str]] = {}
    for k, (sprite, node) in enumerate(zip(sprites, nodes, strict=True)):
        given = node.parts[1:] if k else node.parts
        place = node.parts[0] if k else -1
        if place >= 0 and free:
            on.setdefault(free[place % len(free)], []).append(sprite.name)
        params = (*_class_params(game, sprite, given), *sprite.params)
        game = replace(game, sprites=tuple(replace(s, params=params) if s.name == sprite.name else s
                                           for s in game.sprites))  # fmt: skip
    return replace(game, mapping=(*game.mapping, *((c, tuple(names)) for c, names in on.items())))


def _class_params(game: GameGenotype, sprite: Sprite, given: Sequence[Any]) -> Params:
    spec = ontology.SPRITE_CLASSES[sprite.class_name]
    made = []
    for param, value in zip(class_params(sprite.class_name), given, strict=True):
        if param.references:
            names = values(game, param, spec, sprite.name)
            text = names[value % len(names)] if names else None
        else:
            text = draw_value(game, param, spec, sprite.name, cast(np.random.Generator, ConstantRandom(value)))
        if text is not None:
            made.append((param.name, text))
    return tuple(made)


def fitting_pairs(space: RuleSpace, kind: str) -> list[tuple[str, str]]:
    """Return the pairs that can meet with this effect, in order."""
    return [pair for pair in space.pairs if kind in space.effects(*pair)[0]]


def param_text(space: RuleSpace, kind: str, param: Param, value: float) -> str | None:
    """The text of a parameter of an effect that a terminal's value stands for, None when there is none to give."""
    number = (value + 0.5) / REFERENCES if param.references else value
    return space.draw_value(cast(np.random.Generator, ConstantRandom(number)), param, ontology.EFFECTS[kind])


def rule_of(space: RuleSpace, node: Node) -> Rule | None:
    """A rule of this effect: its two numbers choose among what it fits; None where it fits nothing."""
    kind = node.name.partition("_")[2]
    pairs = fitting_pairs(space, kind)
    if not pairs:
        return None
    one, two, *given, score = node.parts
    firsts = list(dict.fromkeys(first for first, _ in pairs))
    first = firsts[one % len(firsts)]
    seconds = [second for other, second in pairs if other == first]
    params = []
    for param, value in zip(effect_params(kind), given, strict=True):
        text = param_text(space, kind, param, value)
        if text is not None:
            params.append((param.name, text))
    if score:
        params.append(("scoreChange", str(score)))
    return Rule(first, seconds[two % len(seconds)], kind, tuple(params))


def _to_win(space: RuleSpace, terminations: list[Termination]) -> list[Termination]:
    """Terminations of which one is won, if any of them can be: the first about something else than the avatar."""
    if any(termination.wins for termination in terminations):
        return terminations
    avatars = {space.avatar, *space.kinds.avatars}
    for k, termination in enumerate(terminations):
        if termination.name != "Timeout" and termination.get("stype") not in avatars:
            return [
                *terminations[:k],
                Termination(termination.name, with_params(termination.params, {"win": "True"})),
                *terminations[k + 1 :],
            ]
    return terminations


def termination_of(space: RuleSpace, node: Node) -> Termination:
    """A termination: its numbers choose the types, how many of them, and when."""
    kind = node.name.partition("_")[2]
    names = space.kinds.actors
    win = ("win", "True" if node.parts[-1] else "False")
    if kind == "Timeout":
        return Termination(kind, (("limit", str(200 + 50 * round(28 * node.parts[0]))), win))
    if kind == "MultiSpriteCounter":
        types = tuple((f"stype{k + 1}", names[ref % len(names)]) for k, ref in enumerate(node.parts[:2]))
        return Termination(kind, (*types, ("limit", "0"), win))
    ref, unit, _ = node.parts
    name = names[ref % len(names)]
    if kind == "SpriteCounter" and name in (*space.kinds.avatars, space.avatar):
        win = ("win", "False")  # dying is no way to win
    count = space.counts.get(name, 0)
    more = kind == "SpriteCounterMore"
    limit = count + 1 + round(9 * unit) if more else round(min(5, max(0, count - 1)) * max(0.0, unit - 0.7) / 0.3)
    return Termination(kind, (("stype", name), ("limit", str(limit)), win))
