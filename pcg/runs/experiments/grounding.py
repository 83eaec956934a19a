"""The ground of a finished game: what lies under things, and what a level has where its player starts.

A game made by search may have no ground at all, ground that only some characters lie on, and a wall or a crate in the
cell in which the player begins.
"""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pcg.engine.game import load
from pcg.engine.vgdl import parse
from pcg.engine.vgdl.definition import GameDefinition
from pcg.engine.vgdl.formatter import dumps
from pcg.engine.vgdl.tree import Entry, MappingLine, Option, Section, SpriteLine, Tree, Word
from pcg.evaluators.analysis import analyse
from pcg.evaluators.effect_semantics import FIRST
from pcg.evaluators.grounds import ground_types, types_everywhere
from pcg.generators.rules.genes import RuleSet
from pcg.generators.rules.sprite_set import BLANK
from pcg.runs.experiments.cast import better, without_absent_sprites

GROUND_CHARACTERS = ".,_-:;~" + string.ascii_letters + string.digits
"""Characters for the ground, the best first."""
LAID = "ground"
"""Name of the ground of a game that has none, before its sprites get names after their roles."""


def with_free_starts(text: str) -> str:
    """Return a game in which no avatar starts in a wall or in what it pushes: it would stand there as if there were
    none, and could not get back. What is nowhere else is gone.
    """
    tree = parse(text)
    definition = load(text).definition
    analysis = analyse(definition)
    index = definition.type_index

    def blocked(avatar: int, other: int) -> bool:
        held = any(c.target == FIRST and c.kind == "block" for c in analysis.meetings.get((avatar, other), ()))
        return held or any(c.target == FIRST and c.kind == "push" for c in analysis.meetings.get((other, avatar), ()))

    def put(node: Any) -> Any:
        if not isinstance(node, MappingLine):
            return replace(node, children=tuple(map(put, node.children)))
        avatars = [index[word.text] for word in node.names if index.get(word.text) in analysis.avatars]
        kept = [word for word in node.names if not any(blocked(a, index.get(word.text, -1)) for a in avatars)]
        return replace(node, names=tuple(kept))

    made = without_absent_sprites(dumps(Tree(put(tree.header), tree.after, tree.file)))
    return better(made, text)


def with_ground(text: str) -> str:
    """Return a game in which what moves or goes leaves ground behind, and not a black cell.

    Where characters of the mapping have one ground under them, those of sprites without any get it as well; walls stay
    without. The ground takes no part in any rule, and is drawn first. A game in which nothing lies under anything gets
    a ground.
    """
    tree = parse(text)
    definition = load(text).definition
    analysis = analyse(definition)
    index = definition.type_index
    grounds = ground_types(definition)
    ground = _ground(tree, definition)
    laid = not ground and not grounds and not types_everywhere(definition) and LAID not in index
    ground = LAID if laid else ground
    if not ground:
        return text

    def drawn_first(section: Entry) -> Entry:
        if not isinstance(section, Section) or section.identifier != "SpriteSet":
            return section
        own = [line for line in section.children if isinstance(line, SpriteLine) and line.name.text == ground]
        if laid:
            own = [SpriteLine(Word(LAID), (Word("Immovable"),), (Option("hidden", "True"),))]
        return replace(section, children=(*own, *(line for line in section.children if line not in own)))

    tree = Tree(replace(tree.header, children=tuple(map(drawn_first, tree.header.children))), tree.after, tree.file)
    stays = {definition.types[t].name for t in analysis.having("solid") if not analysis.has(t, "goal")}

    def put(node: Any) -> Any:
        if not isinstance(node, MappingLine):
            return replace(node, children=tuple(map(put, node.children)))
        names = [word.text for word in node.names]
        bare = not any(name in index and index[name] in grounds for name in names)
        return replace(node, names=(Word(ground), *node.names)) if bare and not stays & set(names) else node

    made = dumps(Tree(put(tree.header), tree.after, tree.file))
    return better(made, text)


def with_filled_blanks(text: str, levels: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return a game and its levels with ground in the cells that no character stands for: where it lies under things
    alone, these stand on islands in a void.
    """
    tree = parse(text)
    definition = load(text).definition
    ground, mapping = _ground(tree, definition), definition.mapping
    if not ground or BLANK in mapping or not any(BLANK in level for level in levels):
        return text, tuple(levels)
    used = {*mapping, *"".join(levels)}
    alone = next((c for c, names in mapping.items() if tuple(names) == (ground,)), None)
    character = alone or next((c for c in GROUND_CHARACTERS if c not in used), BLANK)
    line = MappingLine(character=Word(character), arrow=Word(">"), names=(Word(ground),))

    def put(section: Entry) -> Entry:
        mapped = isinstance(section, Section) and section.identifier == "LevelMapping" and alone is None
        return replace(section, children=(*section.children, line)) if mapped else section

    header = replace(tree.header, children=tuple(map(put, tree.header.children)))
    made = dumps(Tree(header, tree.after, tree.file))
    filled = tuple(level.replace(BLANK, character) for level in levels)
    kept = character != BLANK and better(made, text) == made
    return (made, filled) if kept else (text, tuple(levels))


def _ground(tree: Tree, definition: GameDefinition) -> str:
    """Return the name of the ground that lies under most things and has no part in the rules; "" without one."""
    involved = {name for rule in RuleSet.of(tree).rules for name in rule.pair}
    index = definition.type_index
    grounds = ground_types(definition)
    under = Counter(
        name for names in definition.mapping.values() for name in names
        if name in index and index[name] in grounds and name not in involved
    )  # fmt: skip
    return max(under, key=lambda name: (under[name], -index[name]), default="")
