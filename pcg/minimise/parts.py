"""The parts of a game that can be taken out, and the text without some of them.

Every text is built from the original tree and a set of parts, so parts never refer to texts in between. Taking out a
sprite type takes out what cannot be said without it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.formatter import dumps
from pcg.engine.vgdl.ontology_params import Param
from pcg.engine.vgdl.tree import (
    Entry,
    Header,
    InteractionLine,
    MappingLine,
    Option,
    Section,
    SpriteLine,
    TerminationLine,
    Tree,
)
from pcg.engine.vgdl.values import fit


@dataclass(frozen=True, slots=True, order=True)
class Part:
    """Something that can be taken out of a game. Lines are those of the original text."""

    kind: str
    """rule, ending, sprite, group or parameter."""
    line: int
    place: int = 0
    """The place of the second sprite of a rule, or which parameter of the line."""
    text: str = ""
    """As a report names it."""


def _sections(tree: Tree) -> Iterator[tuple[str, Section]]:
    for entry in tree.header.children:
        if isinstance(entry, Section):
            yield entry.name.text.lower(), entry


def _sprite_lines(entries: Iterable[Entry]) -> Iterator[SpriteLine]:
    for entry in entries:
        if isinstance(entry, SpriteLine):
            yield entry
            yield from _sprite_lines(entry.children)


def rules_in(tree: Tree) -> list[Part]:
    """Every rule, one part for each of its second sprites."""
    return [
        Part("rule", line.line, k, f"{line.first} {second} > {' '.join(map(str, line.effects))}")
        for name, section in _sections(tree)
        if name == "interactionset"
        for line in section.children
        if isinstance(line, InteractionLine) and line.arrow is not None
        for k, second in enumerate(line.seconds)
    ]


def endings_in(tree: Tree) -> list[Part]:
    """Every termination."""
    return [
        Part("ending", line.line, 0, " ".join([str(line.name), *map(str, line.options)]))
        for name, section in _sections(tree)
        if name == "terminationset"
        for line in section.children
        if isinstance(line, TerminationLine)
    ]


def sprites_in(tree: Tree) -> list[Part]:
    """Every sprite type, with all below it."""
    return [
        Part("sprite", line.line, 0, str(line.name))
        for name, section in _sections(tree)
        if name == "spriteset"
        for line in _sprite_lines(section.children)
        if line.defines
    ]


def groups_in(tree: Tree) -> list[Part]:
    """Every sprite type with others below it, to be replaced by them."""
    return [
        Part("group", line.line, 0, str(line.name))
        for name, section in _sections(tree)
        if name == "spriteset"
        for line in _sprite_lines(section.children)
        if line.defines and line.children
    ]


def parameters_in(tree: Tree) -> list[Part]:
    """Every parameter that is not for the picture, or for what agents see, alone, and that its line can do without."""
    kept = {"hidden"} | {p.name for c in ontology.SPRITE_CLASSES.values() for p in c.params.values() if p.drawing}
    needed = {key for c in ontology.SPRITE_CLASSES.values() for key in c.required}
    found = []
    for node in tree.walk():
        if isinstance(node, (SpriteLine, InteractionLine, TerminationLine)):
            owner = " ".join(map(str, node.effects)) if isinstance(node, InteractionLine) else str(node.name)
            found += [
                Part("parameter", node.line, k, f"{option} of {owner}")
                for k, option in enumerate(node.options)
                if not (isinstance(node, SpriteLine) and (option.key in kept or option.key in _required(node, needed)))
            ]
        elif isinstance(node, Header):
            found += [
                Part("parameter", node.line, k, f"{option} of the game")
                for k, option in enumerate(node.options)
                if option.key not in ("no_players", "key_handler", "square_size")
            ]
    return found


def _required(node: SpriteLine, usual: Collection[str]) -> Collection[str]:
    """Keys that the class of a sprite cannot do without; `usual` where the class stands on another line."""
    spec = ontology.SPRITE_CLASSES.get(node.classes[-1].text) if node.classes else None
    return spec.required if spec is not None else usual


def is_default(tree: Tree, part: Part) -> bool:
    """Return True when a parameter says what would hold without it, by the registry."""
    for node in tree.walk():
        if node.line != part.line or not isinstance(node, (SpriteLine, InteractionLine, TerminationLine)):
            continue
        option = node.options[part.place]
        known: Mapping[str, Param] = {}
        if isinstance(node, SpriteLine) and node.classes:
            entry = ontology.SPRITE_CLASSES.get(node.classes[-1].text)
            known = entry.params if entry else {}
        elif isinstance(node, InteractionLine) and node.effects:
            effect = ontology.EFFECTS.get(node.effects[-1].text)
            known = effect.params if effect else {}
        elif isinstance(node, TerminationLine):
            ending = ontology.TERMINATIONS.get(node.name.text)
            known = ending.params if ending else {}
            if option.key == "win" and option.value.lower() == "false":
                return True
        param = known.get(option.key)
        return param is not None and param.default is not None and fit(
            option.key, option.value, param.field) == param.default  # fmt: skip
    return False


class Cutter:
    """Builds the texts of one game without some of its parts."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._references = references()

    def text(self, without: Collection[Part]) -> str:
        """The game without these parts, in canonical form."""
        return dumps(self.cut(without))

    def cut(self, without: Collection[Part]) -> Tree:
        """The tree without these parts."""
        cut = {(p.kind, p.line, p.place) for p in without}
        remaining = [e for e in self.tree.header.children if isinstance(e, Section)]
        before = [e for e in self.tree.header.children if not isinstance(e, Section)]
        sections = []
        gone: set[str] = set()
        there: set[str] = set()
        for section in remaining:
            if section.name.text.lower() == "spriteset":
                lines = _sprites(section.children, cut, (), None, gone)
                there |= {str(line.name) for line in _sprite_lines(lines)}
                section = replace(section, children=tuple(lines))
            sections.append(section)
        gone -= there | {"wall", "avatar"}
        freed = _Freed(gone, self._references)
        sections = [s if s.name.text.lower() == "spriteset" else freed.section(s, cut) for s in sections]
        sections = [
            replace(s, children=tuple(freed.sprites(s.children))) if s.name.text.lower() == "spriteset" else s
            for s in sections
        ]
        header = self.tree.header
        options = _options(header, cut)
        header = replace(header, options=freed.options(options), children=(*before, *sections))
        return Tree(header, self.tree.after, self.tree.file)


_Cut = set[tuple[str, int, int]]


def _options(node: Header | SpriteLine | InteractionLine | TerminationLine, cut: _Cut) -> tuple[Option, ...]:
    return tuple(o for k, o in enumerate(node.options) if ("parameter", node.line, k) not in cut)


def _sprites(
    entries: Iterable[Entry], cut: _Cut, handed: tuple[Option, ...], force: object, gone: set[str]
) -> list[Entry]:
    """Sprite lines without those cut; what a dissolved group gave its members stands on their lines."""
    found: list[Entry] = []
    for line in entries:
        if not isinstance(line, SpriteLine):
            found.append(line)
            continue
        if ("sprite", line.line, 0) in cut:
            gone |= {str(below.name) for below in _sprite_lines([line])}
            continue
        options = _options(line, cut)
        own = {o.key for o in options}
        options = (*(o for o in handed if o.key not in own), *options)
        classes = line.classes
        if force is not None and isinstance(force, tuple):
            classes = force
        if ("group", line.line, 0) in cut and line.children:
            gone.add(str(line.name))
            # a singleton is one of the group, which its members cannot say
            below = tuple(o for o in options if o.key != "singleton")
            found += _sprites(line.children, cut, below, classes or None, gone)
            continue
        children = _sprites(line.children, cut, (), None, gone)
        if line.children and not children:
            gone.add(str(line.name))
            continue
        found.append(replace(line, classes=classes, options=options, children=tuple(children)))
    return found


@dataclass(frozen=True)
class _Freed:
    """Lines without the names of what is gone.

    Attributes:
        gone: names of sprite types.
        references: as `references`.
    """

    gone: set[str]
    references: frozenset[str]

    def section(self, section: Section, cut: _Cut) -> Section:
        """A section other than that of the sprites, without the parts that are cut."""
        lines: list[Entry] = []
        for line in section.children:
            if isinstance(line, InteractionLine) and line.arrow is not None:
                seconds = tuple(
                    s for k, s in enumerate(line.seconds)
                    if ("rule", line.line, k) not in cut and str(s) not in self.gone
                )  # fmt: skip
                given = _options(line, cut)
                options = self.options(given)
                if not seconds or str(line.first) in self.gone or {o.key for o in given} - {o.key for o in options}:
                    continue
                lines.append(replace(line, seconds=seconds, options=options))
            elif isinstance(line, TerminationLine):
                if ("ending", line.line, 0) in cut:
                    continue
                options = self.options(_options(line, cut))
                if any(o.key == "stype" for o in line.options) and not any(o.key == "stype" for o in options):
                    continue
                lines.append(replace(line, options=options))
            elif isinstance(line, MappingLine):
                names = tuple(n for n in line.names if str(n) not in self.gone)
                if names or not line.names:
                    lines.append(replace(line, names=names))
            else:
                lines.append(line)
        return replace(section, children=tuple(lines))

    def sprites(self, entries: Iterable[Entry]) -> list[Entry]:
        """Sprite lines whose parameters name nothing that is gone."""
        return [
            replace(line, options=self.options(line.options), children=tuple(self.sprites(line.children)))
            if isinstance(line, SpriteLine)
            else line
            for line in entries
        ]

    def options(self, options: Iterable[Option]) -> tuple[Option, ...]:
        """Options without the names of what is gone; those that name nothing else are dropped."""
        if not self.gone:
            return tuple(options)
        found = []
        for o in options:
            if o.key in self.references and self.gone.intersection(o.value.split(",")):
                left = [n for n in o.value.split(",") if n not in self.gone]
                if not left:
                    continue
                o = replace(o, value=",".join(left))
            found.append(o)
        return tuple(found)


def references() -> frozenset[str]:
    """The names of all parameters that name sprite types."""
    tables: list[Iterable[Param]] = [c.params.values() for c in ontology.SPRITE_CLASSES.values()]
    tables += [e.params.values() for e in ontology.EFFECTS.values()]
    tables += [t.params.values() for t in ontology.TERMINATIONS.values()]
    tables.append(ontology.GAME_PARAMS.values())
    return frozenset(p.name for params in tables for p in params if p.references)
