"""Genetic operators on whole games: types come, go, double and change, rules and levels with them; then repair.

Every operator makes one change that a designer might make. A new type never comes alone: it is put into the levels, or
something brings it forth, and some rule is about it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from pcg.engine.vgdl import ontology
from pcg.generators.games.game_repair import mapped, references, repair_game, space_of
from pcg.generators.games.genes import GameGenotype, Sprite
from pcg.generators.games.levels import change_level, place, swap_cells
from pcg.generators.games.sprites import (
    draw_class,
    draw_colour,
    draw_params,
    draw_value,
    family,
    fresh_name,
    looks,
    parameters,
)
from pcg.generators.rules.genes import Rule, RuleSet, with_params
from pcg.generators.rules.operators import mutate as mutate_rules

NAMES: Mapping[str, str] = {
    "avatar": "hero", "producer": "source", "portal": "gate", "resource": "item", "flicker": "spark", "npc": "beast",
    "mover": "shot", "static": "block", "passive": "crate",
}  # fmt: skip
"""Names of new types, by family."""
MOST_TYPES = 30
_NEW: Mapping[str, float] = {
    "npc": 3.0, "static": 2.5, "resource": 2.0, "producer": 1.5, "passive": 1.5, "mover": 1.0, "portal": 0.7,
    "flicker": 0.5,
}  # fmt: skip

Operator = Callable[[GameGenotype, np.random.Generator], GameGenotype]


def with_sprite(game: GameGenotype, sprite: Sprite) -> GameGenotype:
    """The game with the line of a type in place of the one it had."""
    return replace(game, sprites=tuple(sprite if s.name == sprite.name else s for s in game.sprites))


def draw_sprite(game: GameGenotype, wanted: str, rng: np.random.Generator) -> Sprite | None:
    """A new type of a family, not yet in the game; None when the game can have none."""
    kind = draw_class(game, wanted, rng)
    name = fresh_name(NAMES[wanted], game.names)
    params = draw_params(game, kind, name, rng) if kind is not None else None
    if kind is None or params is None:
        return None
    return Sprite(name, kind, (*params, ("color", draw_colour(game, rng))))


def add_type(game: GameGenotype, rng: np.random.Generator) -> GameGenotype:
    """A new type, some of it in the levels or made by something, and a rule or two about it."""
    shares = np.array(list(_NEW.values()))
    sprite = draw_sprite(game, list(_NEW)[int(rng.choice(len(_NEW), p=shares / shares.sum()))], rng)
    if sprite is None or len(game.leaves) >= MOST_TYPES:
        return game
    return _introduce(replace(game, sprites=(*game.sprites, sprite)), sprite.name, rng)


def _introduce(game: GameGenotype, name: str, rng: np.random.Generator) -> GameGenotype:
    """Bring a new type into play."""
    makers = [
        (s, key) for s in game.leaves if s.name != name
        for key in ontology.SPRITE_CLASSES[game.class_of(s.name)].creates if s.get(key) is not None
    ]  # fmt: skip
    if makers and not ontology.SPRITE_CLASSES[game.class_of(name)].creates and rng.random() < 0.25:
        maker, key = makers[int(rng.integers(len(makers)))]
        game = with_sprite(game, replace(maker, params=with_params(maker.params, {key: name})))
    else:
        before = len(game.mapping)
        game = mapped(game, name)
        if len(game.mapping) > before:
            game = place(game, game.mapping[-1][0], rng)
    return add_rules(game, name, rng, 1 + int(rng.integers(3)))


def add_rules(game: GameGenotype, name: str, rng: np.random.Generator, count: int) -> GameGenotype:
    """Rules about a type, the first about it and an avatar."""
    space = space_of(game)
    if space is None:
        return game
    pairs = [p for p in space.pairs if name in p]
    players = [p for p in pairs if p[0] in space.kinds.avatars or p[1] in space.kinds.avatars]
    rules = list(game.rules.rules)
    for k in range(count):
        among = players if players and k == 0 else pairs
        if among:
            rule = space.draw_rule(rng, pair=among[int(rng.integers(len(among)))])
            rules.insert(int(rng.integers(len(rules) + 1)), rule)
    return replace(game, rules=RuleSet(tuple(rules), game.rules.terminations))


def remove_type(game: GameGenotype, rng: np.random.Generator) -> GameGenotype:
    """A type goes; another takes its place in the rules now and then, else its rules go as well."""
    players = game.avatars
    names = [s.name for s in game.leaves if s.name not in players or len(players) > 1]
    if len(names) < 2:
        return game
    name = names[int(rng.integers(len(names)))]
    game = replace(game, sprites=tuple(s for s in game.sprites if s.name != name))
    others = [n for n in names if n != name]
    if rng.random() < 0.3:
        return rename_in_rules(game, {name: others[int(rng.integers(len(others)))]})
    return game


def rename_in_rules(game: GameGenotype, names: Mapping[str, str]) -> GameGenotype:
    """With other names in the rules; two that meet stay two."""

    def value(text: str) -> str:
        return ",".join(names.get(part, part) for part in text.split(","))

    rules = []
    for r in game.rules.rules:
        named = set(references(r))
        params = tuple((k, value(v) if set(v.split(",")) & named else v) for k, v in r.params)
        made = Rule(names.get(r.first, r.first), names.get(r.second, r.second), r.effect, params)
        if made.first != made.second or r.first == r.second:
            rules.append(made)
    terminations = tuple(
        replace(e, params=tuple((k, value(v) if set(v.split(",")) & set(references(e)) else v) for k, v in e.params))
        for e in game.rules.terminations
    )
    return replace(game, rules=RuleSet(tuple(rules), terminations))


def duplicate_type(game: GameGenotype, rng: np.random.Generator) -> GameGenotype:
    """A second type like one that is there, with its rules, of another colour and with one thing about it changed."""
    names = [s.name for s in game.leaves if not game.is_avatar(s.name)]
    if not names or len(game.leaves) >= MOST_TYPES:
        return game
    old = game.by_name[names[int(rng.integers(len(names)))]]
    name = fresh_name(old.name, game.names)
    params = tuple(p for p in old.params if p[0] not in ("color", "img"))
    copy = Sprite(name, old.class_name, (*params, ("color", draw_colour(game, rng))), old.parent)
    at = game.sprites.index(old) + 1
    game = replace(game, sprites=(*game.sprites[:at], copy, *game.sprites[at:]))
    copied = []
    for rule in game.rules.rules:
        copied.append(rule)
        if old.name in rule.pair and old.name not in references(rule):
            first, second = (name if n == old.name else n for n in rule.pair)
            copied.append(Rule(first, second, rule.effect, rule.params))
    game = replace(game, rules=RuleSet(tuple(copied), game.rules.terminations))
    if any(old.name in types for _, types in game.mapping):
        before = len(game.mapping)
        game = mapped(game, name)
        if len(game.mapping) > before:
            game = place(game, game.mapping[-1][0], rng)
        game = with_sprite(game, _changed_param(game, game.by_name[name], rng))
        return game
    return _introduce(game, name, rng)


def change_class(game: GameGenotype, rng: np.random.Generator) -> GameGenotype:
    """A type gets another class of its family, and keeps what parameters fit; with it all that take theirs from it."""
    leaves = game.leaves
    leaf = leaves[int(rng.integers(len(leaves)))]
    old = next(line for line in reversed(list(game.lineage(leaf.name))) if line.class_name)
    before = game.class_of(old.name)
    kind = draw_class(game, family(before), rng)
    if kind is None or kind == before:
        return game
    drawn = draw_params(game, kind, old.name, rng)
    if drawn is None:
        return game
    spec = ontology.SPRITE_CLASSES[kind]
    known = game.params_of(old.name)
    kept = [(k, v) for k, v in old.params if k in spec.params and not spec.params[k].inert]
    needed = [(k, v) for k, v in drawn if spec.params[k].required and k not in known]
    new = [(k, v) for k, v in drawn if k in spec.params and k not in known and not spec.params[k].required]
    new = [pair for pair in new if rng.random() < 0.5]
    look = [p for p in looks(known) if p[0] not in dict(kept) and p[0] in dict(old.params)]
    return with_sprite(game, replace(old, class_name=kind, params=(*kept, *needed, *new, *look)))


def change_param(game: GameGenotype, rng: np.random.Generator) -> GameGenotype:
    """A type gets another value of one of its parameters, or one that it did not have, or loses one."""
    leaves = [s for s in game.leaves if parameters(game.class_of(s.name))]
    if not leaves:
        return game
    return with_sprite(game, _changed_param(game, leaves[int(rng.integers(len(leaves)))], rng))


def _changed_param(game: GameGenotype, sprite: Sprite, rng: np.random.Generator) -> Sprite:
    kind = game.class_of(sprite.name)
    known = parameters(kind)
    if not known:
        return sprite
    given = [p for p in known if sprite.get(p.name) is not None]
    pool = given if given and rng.random() < 0.6 else known
    param = pool[int(rng.integers(len(pool)))]
    if sprite.get(param.name) is not None and not param.required and rng.random() < 0.25:
        return replace(sprite, params=with_params(sprite.params, {param.name: None}))
    value = draw_value(game, param, ontology.SPRITE_CLASSES[kind], sprite.name, rng)
    return sprite if value is None else replace(sprite, params=with_params(sprite.params, {param.name: value}))


def regroup(game: GameGenotype, rng: np.random.Generator) -> GameGenotype:
    """A type moves into a group, out of one, or two types become a group of their own."""
    leaves = [s for s in game.leaves if not game.is_avatar(s.name)]
    if len(leaves) < 2:
        return game
    sprite = leaves[int(rng.integers(len(leaves)))]
    if sprite.parent and game.class_of(sprite.parent):
        return game  # what gives it its class
    own = replace(sprite, params=tuple(game.params_of(sprite.name).items()))
    if sprite.parent and rng.random() < 0.5:
        return with_sprite(game, replace(own, parent=""))
    groups = [s.name for s in game.sprites if s.name in game.parents and s.name != sprite.parent and not s.class_name]
    if groups and rng.random() < 0.6:
        return with_sprite(game, replace(own, parent=groups[int(rng.integers(len(groups)))]))
    alike = [s for s in leaves if s.name != sprite.name and not s.parent
             and family(game.class_of(s.name)) == family(own.class_name)]  # fmt: skip
    if not alike or sprite.parent:
        return game
    other = alike[int(rng.integers(len(alike)))]
    name = fresh_name(f"{NAMES[family(own.class_name)]}s", game.names)
    game = with_sprite(with_sprite(game, replace(own, parent=name)), replace(other, parent=name))
    game = replace(game, sprites=(Sprite(name), *game.sprites))
    which = {sprite.name, other.name}
    hit = [k for k, r in enumerate(game.rules.rules) if len(which & set(r.pair)) == 1]
    if hit:  # else nothing would be about the group
        at = hit[int(rng.integers(len(hit)))]
        rules = list(game.rules.rules)
        first, second = (name if n in which else n for n in rules[at].pair)
        rules[at] = Rule(first, second, rules[at].effect, rules[at].params)
        game = replace(game, rules=RuleSet(tuple(rules), game.rules.terminations))
    return game


def change_rules(game: GameGenotype, rng: np.random.Generator) -> GameGenotype:
    """One change of a rule or a termination (`pcg.generators.rules.operators.mutate`)."""
    space = space_of(game)
    if space is None:
        return game
    return replace(game, rules=mutate_rules(space, game.rules, rng, changes=1, most=len(game.rules.rules) + 1))


def change_mapping(game: GameGenotype, rng: np.random.Generator) -> GameGenotype:
    """A character stands for another type on top; the type that was there stays in the game if it can."""
    lines = [k for k, (_, names) in enumerate(game.mapping) if not any(game.is_avatar(n) for n in names)]
    others = [s.name for s in game.leaves if not game.is_avatar(s.name)]
    if not lines or not others:
        return game
    at = lines[int(rng.integers(len(lines)))]
    character, names = game.mapping[at]
    name = others[int(rng.integers(len(others)))]
    changed = (*(n for n in names[:-1] if n != name), name)
    return replace(game, mapping=(*game.mapping[:at], (character, changed), *game.mapping[at + 1 :]))


OPERATORS: Mapping[str, tuple[Operator, float]] = {
    "rules": (change_rules, 6.0),
    "param": (change_param, 3.0),
    "class": (change_class, 1.5),
    "add": (add_type, 1.5),
    "duplicate": (duplicate_type, 0.7),
    "remove": (remove_type, 1.2),
    "regroup": (regroup, 0.5),
    "mapping": (change_mapping, 0.5),
    "level": (change_level, 2.5),
}
"""The operators by name, each with how often it is drawn."""
SMALL = ("rules", "param", "class", "mapping", "regroup", "cell")
"""The operators that change few lines."""


def mutate(
    game: GameGenotype,
    rng: np.random.Generator,
    *,
    changes: int = 1,
    most: int = 60,
    levels: float = 1.0,
    small: bool = False,
) -> GameGenotype:
    """A game with some changes, repaired.

    Args:
        game: what is changed; read strictly without a finding (see `repair_game`).
        rng: draws.
        changes: how many.
        most: rules that it may have.
        levels: how often levels are changed, as a multiple of the usual.
        small: with operators that change few lines alone.
    """
    table = {**OPERATORS, "level": (change_level, 2.5 * levels), "cell": (swap_cells, levels if small else 0.0)}
    if small:
        table = {name: table[name] for name in SMALL}
    weights = np.array([weight for _, weight in table.values()])
    operators = [operator for operator, _ in table.values()]
    for _ in range(changes):
        game = operators[int(rng.choice(len(operators), p=weights / weights.sum()))](game, rng)
    return repair_game(game, rng, most=most)
