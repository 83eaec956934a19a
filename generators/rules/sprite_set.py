"""Sprite sets that rules can be made for: those of the `gvgai` reading, written so that `strict` accepts them.

Sprite sets of old games have classes that are overridden, parameters without a meaning, lines that occur twice, and
levels with characters that are not mapped. Such games can be played, but the strict reading reports a finding for each
of these, whatever rules are added. Here the sprite set is written anew as the `gvgai` reading understands it: one line
for each type, below its group, with the class and parameters that have an effect. A sprite set without findings stays
as it is, except for its comments, which are about rules that are removed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.checker import check_game, check_level
from pcg.engine.vgdl.definition import GameDefinition, SpriteType
from pcg.engine.vgdl.diagnostics import Diagnostic, PcgError
from pcg.engine.vgdl.formatter import dumps
from pcg.engine.vgdl.lint import NEVER_APPEARS, NOTHING_WRITTEN
from pcg.engine.vgdl.ontology_params import Param, SpriteClass
from pcg.engine.vgdl.parser import parse
from pcg.engine.vgdl.resolver import read_game
from pcg.engine.vgdl.tree import Entry, Header, MappingLine, Option, Section, SpriteLine, Tree, Word

BLANK = " "
"""Character of an empty cell, where the level mapping has none for it."""
_ROUNDS = 12
"""Most rounds of removing parameters that findings are about."""


def readable_sprites(tree: Tree, levels: Sequence[str]) -> tuple[Tree, tuple[str, ...]]:
    r"""Return the sprites, mapping and levels of a game in a form without findings in the strict reading.

    Args:
        tree: a game without rules.
        levels: level texts of it.

    Returns:
        The tree without comments, and the levels; those without an avatar are left out.

    Raises:
        PcgError: no level has an avatar, or a finding is left.

    >>> game = "BasicGame\n SpriteSet\n  a > MovingAvatar wings=2\n LevelMapping\n  A > a\n"
    >>> tree, levels = readable_sprites(parse(game), ["A?", "A"])
    >>> print(dumps(tree).split("SpriteSet")[1].split("\n")[1].strip(), levels)
    a > MovingAvatar ('A ', 'A')
    """
    tree = without_comments(tree)
    if not _findings(tree) and all(_reads(text, tree) for text in levels):
        return tree, tuple(levels)
    definition = read_game(dumps(tree), reading="gvgai")
    if definition.players != 1:
        raise PcgError(f"{tree.file}: rules are made for games of one player, this one has {definition.players}")
    written = _Written(definition, levels)
    if not any(_plays(t) for t in definition.types if t.name in {n for m in written.mapping.values() for n in m}):
        raise PcgError(f"{tree.file}: no level has an avatar, so nobody plays")
    tree = written.tree(tree.header)
    for again in range(_ROUNDS):
        found = _findings(tree)
        if not found:
            break
        tree = written.less(tree, found, again)
    if found := _findings(tree):
        raise PcgError(f"{tree.file}: the sprite set has a fault in the strict reading: {found[0].message}")
    kept = tuple(text for text in written.levels(tree) if _reads(text, tree))
    if not kept:
        raise PcgError(f"{tree.file}: no level has an avatar, so nobody plays")
    return tree, kept


def without_comments(tree: Tree) -> Tree:
    """Return a tree without comments and blank lines."""

    def bare(node: Any) -> Any:
        return replace(node, before=(), comment="", children=tuple(map(bare, node.children)))

    return Tree(bare(tree.header), file=tree.file)


def _findings(tree: Tree) -> list[Diagnostic]:
    """Findings of the strict reading, without those that rules can remove."""
    found = check_game(dumps(tree))
    return [d for d in found if not (d.message.endswith(NEVER_APPEARS) or d.message.startswith(NOTHING_WRITTEN))]


def _reads(text: str, tree: Tree) -> bool:
    return not check_level(text, read_game(dumps(tree), reading="gvgai"), reading="strict", file="<level>")


class _Written:
    """A sprite set, written anew as the `gvgai` reading understands it."""

    def __init__(self, definition: GameDefinition, levels: Sequence[str]) -> None:
        self.definition = definition
        self.given = [[row for row in text.split("\n") if row.strip()] for text in levels]
        self.used = {c for rows in self.given for row in rows for c in row}
        index = definition.type_index
        placed = {n for names in definition.mapping.values() for n in names}
        self.both = {t.id for t in definition.types if not t.leaf and t.name in placed and _known(t)}
        """Types with sprites in levels that have other types below them; those are moved up."""
        self.mapping: dict[str, tuple[str, ...]] = {}
        for character, names in definition.mapping.items():
            kept = tuple(n for n in dict.fromkeys(names) if n in index and self._can_be(definition.types[index[n]]))
            if kept and character.strip() and (character in self.used or character not in "wA"):
                self.mapping[character] = kept
        named = {n for names in self.mapping.values() for n in names}
        written = [t for t in definition.types if t.line or t.name in named or self._named(t.name)]
        self.types = sorted(written, key=lambda t: t.line)
        """In the order of the lines, in which they are drawn: `wall` and `avatar` come first among all types."""

    def _named(self, name: str) -> bool:
        """Return True where a parameter of a sprite names a predefined type."""
        return any(name in value.split(",") for t in self.definition.types if t.line for value in t.raw.values())

    def _can_be(self, sprite: SpriteType) -> bool:
        return (sprite.leaf or sprite.id in self.both) and _known(sprite)

    def tree(self, header: Header) -> Tree:
        """Return the game: sprites and mapping alone."""
        sprites = Section(name=Word("SpriteSet"), children=tuple(self._below(-1)))
        lines = tuple(
            MappingLine(character=Word(c), arrow=Word(">"), names=tuple(map(Word, names)))
            for c, names in self.mapping.items()
        )
        mapping = Section(name=Word("LevelMapping"), children=lines)
        known = set(self.definition.type_index)
        options = tuple(
            Option(o.key, value) for o in header.options if o.key in ("square_size", "obs")
            if (value := o.value if o.key == "square_size" else ",".join(n for n in o.value.split(",") if n in known))
        )  # fmt: skip
        return Tree(Header(game_class=Word("BasicGame"), options=options, children=(sprites, mapping)))

    def _below(self, above: int) -> Iterator[SpriteLine]:
        for sprite in self.types:
            groups = [t for t in sprite.path[:-1] if t not in self.both]
            if (groups[-1] if groups else -1) != above:
                continue
            children: tuple[Entry, ...] = () if sprite.id in self.both else tuple(self._below(sprite.id))
            if children:
                yield SpriteLine(name=Word(sprite.name), classes=(), options=(), children=children)
            elif self._can_be(sprite):
                yield self._line(sprite)

    def _line(self, sprite: SpriteType) -> SpriteLine:
        name = str(sprite.class_name)
        spec = ontology.SPRITE_CLASSES[name]
        options = []
        lacking = False
        for key, value in sprite.raw.items():
            param = spec.params.get(key) or ontology.SPRITE_BASE_PARAMS.get(key)
            if key == "singleton" and not sprite.singleton:
                continue
            if param is None:
                continue
            if param.references:
                kept = [n for n in value.split(",") if n in self.definition.type_index and n]
                lacking |= not kept and param.required
                value = ",".join(kept)
            if value:
                options.append(Option(key, value))
        lacking |= any(p.required and key not in sprite.raw for key, p in spec.params.items())
        if lacking:
            return self._plain(sprite.name, spec, options)
        return SpriteLine(name=Word(sprite.name), classes=(Word(name),), options=tuple(options))

    @staticmethod
    def _plain(name: str, spec: SpriteClass, options: Sequence[Option]) -> SpriteLine:
        """The line of a sprite type that refers to no other type."""
        drawn = tuple(o for o in options if (p := ontology.SPRITE_BASE_PARAMS.get(o.key)) is not None and p.drawing)
        kind = "MovingAvatar" if spec.avatar else "Immovable"
        return SpriteLine(name=Word(name), classes=(Word(kind),), options=drawn)

    def less(self, tree: Tree, found: Sequence[Diagnostic], again: int) -> Tree:
        """Return the tree with less on the lines that findings are about: the parameters that they name go first, then
        all that a sprite can do without, then its class; lines of the mapping go.
        """
        placed = parse(dumps(tree))
        lines = {d.line for d in found}
        named = {(d.line, word) for d in found for word in d.message.split("`")[1::2]}

        def kept(node: Any, at: Any) -> Any:
            children = tuple(
                made for child, there in zip(node.children, at.children, strict=True)
                if (made := kept(child, there)) is not None
            )  # fmt: skip
            node = replace(node, children=children)
            if at.line not in lines:
                return node
            if isinstance(node, MappingLine):
                return None
            if isinstance(node, SpriteLine) and node.classes:
                spec = ontology.SPRITE_CLASSES[node.classes[-1].text]
                options = tuple(o for o in node.options if (at.line, o.key) not in named)
                if again > 0 or options == node.options:
                    options = tuple(o for o in node.options if _needed(spec, o.key))
                if again > 1 or options == node.options:
                    return replace(self._plain(node.name.text, spec, node.options), children=children)
                return replace(node, options=options)
            return replace(node, options=()) if isinstance(node, Header) else node

        return Tree(kept(tree.header, placed.header))

    def levels(self, tree: Tree) -> Iterator[str]:
        """The levels with an avatar, as rectangles of mapped characters."""
        definition = read_game(dumps(tree), reading="gvgai")
        index = definition.type_index
        mapping: Mapping[str, tuple[str, ...]] = definition.mapping
        players = {
            c for c, names in mapping.items()
            if any(n in index and _plays(definition.types[index[n]]) for n in names) and c in self.mapping
        }  # fmt: skip
        under = {tuple(n for n in mapping[c] if not _plays(definition.types[index[n]])) for c in players}
        ground = next((c for c in self.mapping if mapping.get(c) in under), BLANK)
        for rows in self.given:
            width = max(map(len, rows), default=0)
            known = self.mapping.keys() & mapping.keys()
            made = [
                "".join(c if c in known or c == BLANK else ground for c in row.ljust(width, ground)) for row in rows
            ]
            if players & set("".join(made)):
                yield "\n".join(made)


def _known(sprite: SpriteType) -> bool:
    return sprite.class_name in ontology.SPRITE_CLASSES


def _needed(spec: SpriteClass, key: str) -> bool:
    param: Param | None = spec.params.get(key) or ontology.SPRITE_BASE_PARAMS.get(key)
    return param is not None and (param.required or param.drawing)


def _plays(sprite: SpriteType) -> bool:
    spec = ontology.SPRITE_CLASSES.get(sprite.class_name or "")
    return spec is not None and spec.avatar
