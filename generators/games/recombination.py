"""Crossover of games: the levels and some of the types and rules of one, with types and rules of another put in.

Types are reconciled first. What plays the same part in both games is one thing: the avatars, the walls, the ground,
and types of one name and one family of classes. A type of the other game whose name means something else here gets a
new name. Then types of the first game go, types of the second come with the rules that are about them, and the new ones
are put into the levels about as densely as in the levels they come from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.generators.games.game_repair import ground_types, mapped, param_of, references, repair_game, space_of
from pcg.generators.games.genes import GameGenotype, Sprite
from pcg.generators.games.levels import place
from pcg.generators.games.operators import rename_in_rules
from pcg.generators.games.sprites import family, fresh_name
from pcg.generators.rules.constructive.level_analyser import LevelRoles
from pcg.generators.rules.genes import EOS, TIME, Rule, RuleSet, Termination

_TRIES = 6
MOST_TAKEN = 6
"""Types that a game takes from another at a time, what belongs to them not counted."""


def cross(one: GameGenotype, other: GameGenotype, rng: np.random.Generator, *, most: int = 60) -> GameGenotype:
    """A game with the levels of the first, and types and rules of both; repaired.

    Args:
        one: gives levels, mapping, and most of what is mapped.
        other: gives types and rules.
        rng: draws.
        most: rules that it may have.
    """
    other = rename(other, reconcile(one, other))
    theirs = {*other.names, *other.rules.genes()} - {*one.names, *one.rules.genes()}
    mine = {*one.names, *one.rules.genes()}
    for k in range(_TRIES):
        child = _crossed(one, other, rng, most, everything=k == _TRIES - 1)
        there = {*child.names, *child.rules.genes()}
        if there & mine and (there & theirs or not theirs):
            break  # what repair leaves can be too little of one of them
    return child


def _crossed(
    one: GameGenotype, other: GameGenotype, rng: np.random.Generator, most: int, everything: bool
) -> GameGenotype:
    new = [s.name for s in other.leaves if s.name not in one.by_name]
    shared = [s.name for s in other.leaves if s.name in one.by_name]
    game = one
    chosen: list[str] = []
    if new:
        count = len(new) if everything else 1 + int(rng.integers(min(MOST_TAKEN, len(new))))
        chosen = [new[i] for i in rng.permutation(len(new))[:count].tolist()]
        chosen = _with_needed(other, chosen, set(one.names))
    own = [s.name for s in one.leaves if s.name not in shared and s.name not in _parts(one) | _parts(other)]
    if chosen and own:
        leaving = {own[i] for i in rng.permutation(len(own))[: int(rng.integers(len(own) + 1))].tolist()}
        game = replace(game, sprites=tuple(s for s in game.sprites if s.name not in leaving))
    # of what both have, each gives the line of some
    lines = [_line_of(other, s) if s.name in shared and rng.random() < 0.5 else s for s in game.sprites]
    game = replace(game, sprites=(*lines, *_lines_of(other, chosen, set(game.names))))
    game = replace(game, rules=_rules_of(game, one, other, set(chosen), rng))
    for name in chosen:
        if any(name in names for _, names in other.mapping):
            game = _placed(game, other, name, rng)
    return repair_game(game, rng, most=most)


def rename(game: GameGenotype, names: dict[str, str]) -> GameGenotype:
    """The game with other names for some of its types, everywhere."""

    def new(name: str) -> str:
        return names.get(name, name)

    sprites = []
    for s in game.sprites:
        params = []
        for key, value in s.params:
            param = param_of(game, s.name, key)
            if param is not None and param.references:
                value = ",".join(map(new, value.split(",")))
            params.append((key, value))
        sprites.append(Sprite(new(s.name), s.class_name, tuple(params), new(s.parent)))
    mapping = tuple((c, tuple(map(new, types))) for c, types in game.mapping)
    header = tuple((k, ",".join(map(new, v.split(","))) if k == "obs" else v) for k, v in game.header)
    return replace(rename_in_rules(game, names), header=header, sprites=tuple(sprites), mapping=mapping)


def _parts(game: GameGenotype) -> set[str]:
    """Types without which its levels are no levels: who plays, what he stands on, what encloses."""
    return {*game.avatars, *ground_types(game), *_walls(game)}


def _walls(game: GameGenotype) -> tuple[str, ...]:
    space = space_of(game)
    try:
        return LevelRoles.of(space).walls if space is not None else ()
    except PcgError:
        return ()


def reconcile(one: GameGenotype, other: GameGenotype) -> dict[str, str]:
    """Names for the types of the second game, so that equal names mean the same in both."""
    names: dict[str, str] = {}
    roles = ((one.avatars, other.avatars), (_walls(one), _walls(other)), (ground_types(one), ground_types(other)))
    for mine, theirs in roles:
        names |= {b: a for a, b in zip(mine, theirs, strict=False) if b not in names and a not in names.values()}
    for sprite in other.sprites:
        name = sprite.name
        if name in names:
            continue
        taken = {*one.names, *names.values()}
        group = name in other.parents
        same = name in one.by_name and name not in names.values() and group == (name in one.parents)
        if same and not group:
            same = _family(one, name) == _family(other, name)
        names[name] = name if same or name not in taken else fresh_name(name, taken, other.names)
    return names


def _family(game: GameGenotype, name: str) -> str:
    kind = game.class_of(name)
    return family(kind) if kind in ontology.SPRITE_CLASSES else ""


def _with_needed(game: GameGenotype, names: Sequence[str], known: set[str]) -> list[str]:
    """Types with all that their parameters name, and so on, but for what is there already."""
    found = list(names)
    for name in found:  # which grows
        for key, value in game.params_of(name).items():
            param = param_of(game, name, key)
            if param is not None and param.references:
                found += [n for n in value.split(",") if n in game.by_name and n not in known and n not in found
                          and n not in game.parents]  # fmt: skip
    return list(dict.fromkeys(found))


def _line_of(game: GameGenotype, sprite: Sprite) -> Sprite:
    """The line of a type of that name in another game, all inherited parameters with it, in the place of this one."""
    if sprite.parent or game.by_name[sprite.name].name in game.parents:
        return sprite
    return Sprite(sprite.name, game.class_of(sprite.name), tuple(game.params_of(sprite.name).items()), sprite.parent)


def _lines_of(game: GameGenotype, names: Sequence[str], known: set[str]) -> list[Sprite]:
    """The lines of types and of the groups they are in, as far as these are not known."""
    wanted = {line.name for name in names for line in game.lineage(name)} - known
    return [s for s in game.sprites if s.name in wanted]


def _rules_of(
    game: GameGenotype, one: GameGenotype, other: GameGenotype, chosen: set[str], rng: np.random.Generator
) -> RuleSet:
    """Rules of the first game about what is left of it, with those of the second about what came from it.

    Rules that both could give, because they are about what both have, come from the one or the other. So do the
    terminations: each of those that can be kept is kept with equal chance, the first game's more often.
    """
    there = {*game.names, EOS, TIME}
    groups = {line.name for name in chosen for line in other.lineage(name)} | chosen

    def fits(gene: Rule | Termination) -> bool:
        pair = gene.pair if isinstance(gene, Rule) else ()
        return {*pair, *references(gene)} <= there

    common = float(rng.choice([0.0, 0.3, 1.0], p=[0.6, 0.2, 0.2]))
    rules = [r for r in one.rules.rules if fits(r)]
    for rule in other.rules.rules:
        about = groups & {*rule.pair, *references(rule)}
        if fits(rule) and (about or rng.random() < common):
            rules.append(rule)
    terminations = [e for e in one.rules.terminations if fits(e) and rng.random() < 0.75]
    terminations += [
        e for e in other.rules.terminations if fits(e) and rng.random() < (0.7 if chosen & set(references(e)) else 0.25)
    ]
    if not any(e.wins for e in terminations):
        terminations += [e for e in (*one.rules.terminations, *other.rules.terminations) if fits(e) and e.wins][:1]
    return RuleSet(tuple(rules), tuple(terminations))


Feature = tuple[str, ...]
"""A part of a game, whatever its types are called: the class of one, a rule between two classes, a termination."""
LEAST = 2
"""A game has parts of another when it has so many features that only that one brought."""


def features(game: GameGenotype) -> frozenset[Feature]:
    """The features of a game: classes of types, rules as classes that meet and effect, terminations with classes."""

    def kind(name: str) -> str:
        return game.class_of(name) if name in game.by_name else name

    found: set[Feature] = {("type", game.class_of(s.name)) for s in game.leaves}
    found |= {("rule", kind(r.first), kind(r.second), r.effect) for r in game.rules.rules}
    for termination in game.rules.terminations:
        counted = sorted(kind(value) for key, value in termination.params if key.startswith("stype"))
        found.add(("ending", termination.name, *counted, str(termination.wins)))
    return frozenset(found)


def own_features(games: Sequence[GameGenotype]) -> tuple[frozenset[Feature], ...]:
    """Of each game the features that no other has."""
    all_ = [features(game) for game in games]
    return tuple(one.difference(*(other for other in all_ if other is not one)) for one in all_)


def parts(game: GameGenotype, own: Sequence[frozenset[Feature]]) -> tuple[int, ...]:
    """Return the number of features that a game has of each of those that `own_features` was asked about."""
    found = features(game)
    return tuple(len(found & one) for one in own)


def has_parts_of_both(counts: Sequence[int]) -> bool:
    """Return whether a game with so many features of others has parts of at least two of them (`LEAST`)."""
    return sum(count >= LEAST for count in counts) >= 2


def _placed(game: GameGenotype, other: GameGenotype, name: str, rng: np.random.Generator) -> GameGenotype:
    """With a type in the levels, about as often as in those of the other game."""
    counts = Counter(c for level in other.levels for c in level if not c.isspace())
    cells = max(1, sum(counts.values()))
    share = sum(counts[c] for c, names in other.mapping if name in names) / cells
    before = len(game.mapping)
    game = mapped(game, name)
    if len(game.mapping) == before:
        return game
    return place(game, game.mapping[-1][0], rng, share=min(0.15, max(0.01, share)))
