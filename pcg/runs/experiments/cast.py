"""The cast of a game: sprites that are there for the player, and no others.

Search leaves walk-on parts: visitors that wander about and meet nobody, pillars that only a visitor can fell. They
change nothing for the player, and yet a player looks at them and tries to find out what they are for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pcg.engine.game import load
from pcg.engine.vgdl import parse
from pcg.engine.vgdl.checker import check_game
from pcg.engine.vgdl.definition import GameDefinition
from pcg.engine.vgdl.formatter import dumps
from pcg.engine.vgdl.tree import Entry, Section, SpriteLine, Tree
from pcg.evaluators.analysis import GameAnalysis, analyse
from pcg.generators.rules.genes import RuleSet
from pcg.generators.rules.playability_repair import BUMPS
from pcg.minimise.parts import Cutter, sprites_in
from pcg.minimise.rename import with_names
from pcg.minimise.themes import role_of
from pcg.render.tile_choice import ground_types

_WALK_ON = ("friend", "scenery", "floor")
"""Roles of which walk-on parts are."""
_BOTH = ("killBoth", "killSecond")
"""Words of a rule that changes the second sprite as well."""


def with_cast(text: str, levels: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return a game and its levels without sprites that change nothing for the player, and without groups of one.

    Args:
        text: of the game.
        levels: level texts of it.

    Returns:
        The text and the levels, as they were where what is left would not read without a warning.
    """
    made = without_lone_groups(text)
    definition = load(made).definition
    extras = walk_ons(RuleSet.of(made), definition, analyse(definition))
    tree = parse(made)
    smaller = Cutter(tree).text([part for part in sprites_in(tree) if part.text.split()[0] in extras])
    mapping = load(smaller).definition.mapping
    first: dict[tuple[str, ...], str] = {}
    for character, names in mapping.items():
        first.setdefault(tuple(names), character)
    same = {ord(character): first[tuple(names)] for character, names in mapping.items()}
    known = set(mapping) | {"\n", " "}
    if check_game(smaller) or not set("".join(levels)) <= known:
        return made, tuple(levels)
    return smaller, tuple(level.translate(same) for level in levels)


def without_lone_groups(text: str) -> str:
    """Return a game in which no group has a single member; rules name the member instead."""
    tree = parse(text)
    names: dict[str, str] = {}

    def flat(entry: Entry) -> Entry:
        if not isinstance(entry, SpriteLine):
            return entry
        entry = replace(entry, children=tuple(map(flat, entry.children)))
        if len(entry.children) != 1 or not isinstance(only := entry.children[0], SpriteLine):
            return entry
        own = {o.key for o in only.options}
        names[entry.name.text] = only.name.text
        handed = tuple(o for o in entry.options if o.key not in own)
        return replace(only, classes=only.classes or entry.classes, options=(*handed, *only.options))

    children = tuple(
        replace(s, children=tuple(map(flat, s.children)))
        if isinstance(s, Section) and s.identifier == "SpriteSet" else s
        for s in tree.header.children
    )  # fmt: skip
    if not names:
        return text
    for group, member in names.items():  # a group within a group of one
        names[group] = names.get(member, member)
    made = with_names(parse(dumps(Tree(replace(tree.header, children=children), tree.after, tree.file))), names)
    return text if check_game(made) else made


def walk_ons(rules: RuleSet, definition: GameDefinition, analysis: GameAnalysis) -> set[str]:
    """Return the names of types that change nothing for the player: they do no harm, are no goal and no obstacle, and
    change no sprite but each other.
    """
    below: Mapping[str, set[str]] = {
        t.name: {definition.types[u].name for u in t.subtypes if definition.types[u].leaf} or {t.name}
        for t in definition.types
    }
    grounds = ground_types(definition)
    found = {
        t.name for t in definition.types
        if t.line and t.leaf and t.id not in grounds and role_of(t.id, analysis) in _WALK_ON
        and not analysis.roles.get(t.id, frozenset()) & {"goal", "guarded", "solid", "spawner", "pushable"}
    }  # fmt: skip
    named = {
        (t.name, name) for t in definition.types if t.line for value in t.raw.values() for name in value.split(",")
    }
    while True:
        needed = {name for owner, name in named if owner not in found and name in found}
        for rule in rules.rules:
            first, second = (below.get(name, {name}) for name in rule.pair)
            changed = set() if rule.effect in BUMPS else first - found
            if any(word in str(rule) for word in _BOTH):
                changed |= second - found
            if changed:
                needed |= second & found | first & found
            needed |= {v for _, value in rule.params for v in value.split(",") if v in found and not first <= found}
        if not needed:
            return found
        found -= needed
