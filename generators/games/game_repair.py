"""Repair of games: what came out of an operator becomes a game that reads strictly and without a finding.

First what the parts say of one another is made true: types have classes and parents, parameters name types that are
there, characters stand for types, levels have known characters and one avatar, rules are about what is there. Then the
strict reading is asked, and what it finds fault with is struck out, line by line, until it finds nothing. A game
without fault comes back as it is.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

import numpy as np

from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.checker import check_game
from pcg.engine.vgdl.diagnostics import Diagnostic, PcgError
from pcg.engine.vgdl.lint import NEVER_APPEARS
from pcg.engine.vgdl.ontology_params import Param
from pcg.engine.vgdl.parser import parse
from pcg.engine.vgdl.tree import InteractionLine, MappingLine, SpriteLine, TerminationLine
from pcg.generators.games.genes import GameGenotype, Mapped, Sprite
from pcg.generators.games.sprites import draw_colour, draw_value, fresh_name
from pcg.generators.rules.genes import EOS, TIME, Gene, Params, Rule, RuleSet
from pcg.generators.rules.operators import repair_rules
from pcg.generators.rules.space import RuleSpace

MOST_ROUNDS = 12
"""Rounds of striking out."""
CHARACTERS = "AabcdefghijklmnopqrstuvxyzBCDEFGHIJKLMNOPQRSTUVXYZ0123456789$%&*+-~^!?@"
"""Characters that new types are mapped to, in this order."""


def repair_game(game: GameGenotype, rng: np.random.Generator, *, most: int = 60) -> GameGenotype:
    """A game that reads strictly without a finding, as near to the given one as it can be told; most rules `most`."""
    game = _sound(game, rng, most)
    for again in range(MOST_ROUNDS):
        text = game.text()
        found = check_game(text)
        if not found:
            break
        struck = _strike(game, text, found, bool(again))
        if struck == game:
            break
        game = _sound(struck, rng, most)
    return game


def repair_rng(text: str) -> np.random.Generator:
    """Random numbers for repairing what a genotype encodes, seeded by its text alone."""
    return np.random.default_rng(zlib.crc32(text.encode()))


def _sound(game: GameGenotype, rng: np.random.Generator, most: int) -> GameGenotype:
    game = repair_sprites(game, rng)
    game = _repair_avatar(game, rng)
    game = repair_mapping(game)
    game = repair_levels(game, rng)
    return repair_game_rules(game, rng, most)


# -- types -------------------------------------------------------------------------------------------------------------


def repair_sprites(game: GameGenotype, rng: np.random.Generator) -> GameGenotype:
    """Every type has one line, below its parent; what sprites can be of has a class; what parameters name is there."""
    lines = {s.name: s for s in reversed(game.sprites)}
    lines = {s.name: lines[s.name] for s in game.sprites}
    for name, line in list(lines.items()):
        seen, above = {name}, line.parent
        while above in lines and above not in seen:
            seen.add(above)
            above = lines[above].parent
        if above:  # unknown, or a circle
            lines[name] = replace(line, parent="")
    while True:
        made = replace(game, sprites=tuple(_by_depth(lines)))
        ends = (s.name for s in made.sprites if s.name not in made.parents)
        empty = [name for name in ends if made.class_of(name) not in ontology.SPRITE_CLASSES]
        if not empty or len(empty) == len(lines):
            break
        lines = {name: line for name, line in lines.items() if name not in empty}
    if made.sprites == game.sprites and not _broken(made):
        return game
    return replace(made, sprites=tuple(_referring(made, s, rng) for s in made.sprites))


def _by_depth(lines: dict[str, Sprite]) -> Iterable[Sprite]:
    below: dict[str, list[Sprite]] = {}
    for line in lines.values():
        below.setdefault(line.parent, []).append(line)

    def walk(parent: str) -> Iterable[Sprite]:
        for line in below.get(parent, []):
            yield line
            yield from walk(line.name)

    return walk("")


def param_of(game: GameGenotype, name: str, key: str) -> Param | None:
    """Return the registry's declaration of a parameter on the line of a type, by the class of what stands there or
    below.
    """
    below = [name, *(s.name for s in game.leaves if any(line.name == name for line in game.lineage(s.name)))]
    for other in below:
        spec = ontology.SPRITE_CLASSES.get(game.class_of(other))
        if spec is not None and key in spec.params:
            return spec.params[key]
    return None


def _broken(game: GameGenotype) -> bool:
    return any(_unknown(game, s.name, key, value) for s in game.sprites for key, value in s.params)


def _unknown(game: GameGenotype, name: str, key: str, value: str) -> bool:
    if all(part in game.by_name for part in value.split(",")):
        return False
    param = param_of(game, name, key)
    return param is not None and param.references


def _referring(game: GameGenotype, sprite: Sprite, rng: np.random.Generator) -> Sprite:
    """The line of a type with other names, or none, for those that are not there."""
    params = []
    changed = False
    for key, value in sprite.params:
        if not _unknown(game, sprite.name, key, value):
            params.append((key, value))
            continue
        changed = True
        left = [part for part in value.split(",") if part in game.by_name]
        spec = ontology.SPRITE_CLASSES.get(game.class_of(sprite.name))
        param = param_of(game, sprite.name, key)
        drawn = draw_value(game, param, spec, sprite.name, rng) if spec and param and param.required else None
        if left or drawn:
            params.append((key, ",".join(left) or str(drawn)))
        elif param is not None and param.required:
            return _plain(game, sprite)
    return replace(sprite, params=tuple(params)) if changed else sprite


def _plain(game: GameGenotype, sprite: Sprite) -> Sprite:
    """A type with nothing about it that needs another one."""
    known = ontology.SPRITE_BASE_PARAMS
    params = tuple((k, v) for k, v in sprite.params if k in known and known[k].drawing)
    if sprite.name in game.parents:
        return replace(sprite, params=params)
    kind = "MovingAvatar" if game.is_avatar(sprite.name) else "Immovable"
    return replace(sprite, class_name=kind, params=params, parent="")  # a class above would count in place of this one


# -- who plays, and what characters stand for --------------------------------------------------------------------------


def _repair_avatar(game: GameGenotype, rng: np.random.Generator) -> GameGenotype:
    """There is an avatar, and a character for it."""
    if not game.avatars:
        name = fresh_name("avatar", game.names)
        look = ("color", draw_colour(game, rng))
        game = replace(game, sprites=(*game.sprites, Sprite(name, "MovingAvatar", (look,))))
    if any(n in game.avatars for _, names in game.mapping for n in names):
        return game
    return mapped(game, game.avatars[0])


def mapped(game: GameGenotype, name: str) -> GameGenotype:
    """With a character of its own for a type, on the ground on which avatars stand; as it is when all are taken."""
    free = next((c for c in CHARACTERS if c not in game.characters), None)
    if free is None:
        return game
    return replace(game, mapping=(*game.mapping, (free, (*ground_types(game), name))))


def ground_types(game: GameGenotype) -> tuple[str, ...]:
    """Return the types under an avatar at the beginning."""
    for _, names in game.mapping:
        if any(game.is_avatar(n) for n in names):
            return tuple(n for n in names if not game.is_avatar(n))
    return ()


def ground(game: GameGenotype) -> str:
    """The character of a cell on which nothing stands: what is under avatars, else a blank."""
    under = ground_types(game)
    return next((c for c, names in game.mapping if names == under), " ")


def repair_mapping(game: GameGenotype) -> GameGenotype:
    """Every character stands for types that sprites can be of, at most one of them an avatar; none stands for none."""
    leaves = {s.name for s in game.leaves}
    lines: dict[str, Mapped] = {}
    for character, names in game.mapping:
        kept = [n for n in dict.fromkeys(names) if n in leaves]
        players = [n for n in kept if game.is_avatar(n)]
        kept = [n for n in kept if n not in players[1:]]
        if kept and character not in lines and character.strip():
            lines[character] = (character, tuple(kept))
    mapping = tuple(lines.values())
    return game if mapping == game.mapping else replace(game, mapping=mapping)


def repair_levels(game: GameGenotype, rng: np.random.Generator) -> GameGenotype:
    """Levels are rectangles of known characters with one avatar each."""
    players = {c for c, names in game.mapping if any(game.is_avatar(n) for n in names)}
    empty = ground(game)
    levels = tuple(_mended_level(text, game, players, empty, rng) for text in game.levels)
    return game if levels == game.levels else replace(game, levels=levels)


def _mended_level(text: str, game: GameGenotype, players: set[str], empty: str, rng: np.random.Generator) -> str:
    rows = [list(row) for row in text.split("\n")]
    width = max(map(len, rows))
    known = game.characters
    rows = [[c if c in known or c == " " else empty for c in row] + [empty] * (width - len(row)) for row in rows]
    there = [(y, x) for y, row in enumerate(rows) for x, c in enumerate(row) if c in players]
    if len(there) > 1:
        kept = there[int(rng.integers(len(there)))]
        for y, x in there:
            if (y, x) != kept:
                rows[y][x] = empty
    elif not there and players:
        free = [(y, x) for y, row in enumerate(rows) for x, c in enumerate(row) if c in (empty, " ")]
        y, x = free[int(rng.integers(len(free)))] if free else (len(rows) // 2, width // 2)
        rows[y][x] = min(players)
    return "\n".join(map("".join, rows))


# -- rules -------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _space(text: str, levels: tuple[str, ...]) -> RuleSpace | None:
    try:
        return RuleSpace(parse(text), levels)
    except PcgError:
        return None


def space_of(game: GameGenotype) -> RuleSpace | None:
    """The rules that a game's sprites and levels can have; None for a game in which nobody plays."""
    return _space(replace(game, rules=RuleSet((), ())).text(), game.levels)


def repair_game_rules(game: GameGenotype, rng: np.random.Generator, most: int) -> GameGenotype:
    """Rules are about what is there, and make a game (`pcg.generators.rules.operators.repair_game`)."""
    names = {*game.names, EOS, TIME}
    rules = tuple(r for r in game.rules.rules if set(r.pair) <= names and _knows(names, r))
    terminations = tuple(e for e in game.rules.terminations if _knows(names, e))
    kept = RuleSet(rules, terminations)
    space = space_of(game)
    if space is not None:
        kept = repair_rules(space, kept, rng, most=most)
    return game if kept == game.rules else replace(game, rules=kept)


def references(gene: Gene) -> tuple[str, ...]:
    """The types that the parameters of a rule or a termination name."""
    spec = ontology.EFFECTS.get(gene.effect) if isinstance(gene, Rule) else ontology.TERMINATIONS.get(gene.name)
    inner = ontology.EFFECTS.get(gene.get("ftype") or "") if isinstance(gene, Rule) else None
    found: list[str] = []
    for key, value in gene.params:
        param = next((s.params[key] for s in (spec, inner) if s is not None and key in s.params), None)
        if param is not None and param.references:
            found += value.split(",")
    return tuple(found)


def _knows(names: set[str], gene: Gene) -> bool:
    return all(name in names for name in references(gene))


# -- striking out ------------------------------------------------------------------------------------------------------


def _strike(game: GameGenotype, text: str, found: list[Diagnostic], harder: bool) -> GameGenotype:
    """Without what findings are about: rules, terminations and characters go; types lose what they need not have."""
    never = {d.line for d in found if d.message.endswith(NEVER_APPEARS)}
    lines = {d.line for d in found}
    sprites = dict(game.by_name)
    dropped: set[str] = set()
    counted: dict[type, int] = {}
    gone: set[tuple[type, int]] = set()
    for node in parse(text).walk():
        kind = type(node)
        counted[kind] = counted.get(kind, -1) + 1
        if node.line not in lines:
            continue
        if isinstance(node, SpriteLine):
            name = node.name.text
            if node.line in never:
                dropped.add(name)
            else:
                sprites[name] = _less(game, sprites[name], harder)
        else:
            gone.add((kind, counted[kind]))
    header: Params = game.header
    if 1 in lines:
        header = tuple(pair for pair in header if pair[0] == "square_size" and not harder)
    return replace(
        game,
        header=header,
        sprites=tuple(s for s in sprites.values() if s.name not in dropped),
        mapping=tuple(m for k, m in enumerate(game.mapping) if (MappingLine, k) not in gone),
        rules=RuleSet(
            tuple(r for k, r in enumerate(game.rules.rules) if (InteractionLine, k) not in gone),
            tuple(e for k, e in enumerate(game.rules.terminations) if (TerminationLine, k) not in gone),
        ),
    )


def _less(game: GameGenotype, sprite: Sprite, harder: bool) -> Sprite:
    """A type with no more parameters than it needs; as plain as can be if that was not enough."""
    if harder:
        return _plain(game, sprite)
    params = []
    for key, value in sprite.params:
        param = param_of(game, sprite.name, key)
        if param is not None and (param.required or param.drawing):
            params.append((key, value))
    if tuple(params) == sprite.params:
        return _plain(game, sprite)
    return replace(sprite, params=tuple(params))
