"""Genotypes of whole games: sprites, level mapping, rules and levels as plain, hashable data.

A genotype is the tree of a game's sprite types in the order of its lines, the characters of its levels, a `RuleSet`
(`pcg.generators.rules.genes`) and the level texts. It turns into the syntax tree, into text and into JSON, and comes
from any game; groups are types that others stand below.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from pcg.engine.game import Game
from pcg.engine.lazy import cached_property
from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.engine.vgdl.formatter import dumps
from pcg.engine.vgdl.parser import parse
from pcg.engine.vgdl.tree import (
    Header,
    MappingLine,
    Option,
    Section,
    SpriteLine,
    Tree,
    Word,
)
from pcg.generators.rules.genes import Params, RuleSet, edits, shape_distance, shape_of

PREDEFINED = {"wall": "Immovable", "avatar": "MovingAvatar"}
"""Types that every game has though no line defines them, with their classes (reference/language 1.5)."""
_DEFAULT_MAPPING = {"w": ("wall",), "A": ("avatar",)}


@dataclass(frozen=True, slots=True)
class Sprite:
    """A line of the SpriteSet: `name > Class key=value ...`, below the line of its parent."""

    name: str
    class_name: str = ""
    """As written on the line; "" for one that takes its class from its parent, or has none."""
    params: Params = ()
    parent: str = ""
    """Name of the type it stands below, "" for none."""

    def get(self, key: str) -> str | None:
        """The text of a parameter, None when it is not given on this line."""
        return dict(self.params).get(key)

    def __str__(self) -> str:
        words = [self.name, ">", *([self.class_name] if self.class_name else [])]
        text = " ".join([*words, *(f"{key}={value}" for key, value in self.params)])
        return f"{self.parent}/{text}" if self.parent else text


Mapped = tuple[str, tuple[str, ...]]
"""A character and the names of the types that it puts into a cell, the lowest first."""


@dataclass(frozen=True)
class GameGenotype:
    """A whole game: header, sprites in the order of their lines, mapping, rules, levels."""

    header: Params
    """Parameters of the first line."""
    sprites: tuple[Sprite, ...]
    mapping: tuple[Mapped, ...]
    rules: RuleSet
    levels: tuple[str, ...]

    def __len__(self) -> int:
        """Lines of the game: of types, mapping, rules and terminations."""
        return len(self.sprites) + len(self.mapping) + len(self.rules)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the types that have lines."""
        return tuple(sprite.name for sprite in self.sprites)

    @cached_property
    def by_name(self) -> Mapping[str, Sprite]:
        """Lines by name."""
        return {sprite.name: sprite for sprite in self.sprites}

    @cached_property
    def parents(self) -> frozenset[str]:
        """Types that others stand below."""
        return frozenset(sprite.parent for sprite in self.sprites if sprite.parent)

    @cached_property
    def leaves(self) -> tuple[Sprite, ...]:
        """Types that sprites can be of: those with a class, and none below them; a group that is left empty is none."""
        return tuple(s for s in self.sprites if s.name not in self.parents and self.class_of(s.name))

    @cached_property
    def characters(self) -> Mapping[str, tuple[str, ...]]:
        """The mapping by character."""
        return dict(self.mapping)

    def lineage(self, name: str) -> Iterator[Sprite]:
        """The line of a type and those above it, from below."""
        seen: set[str] = set()
        while name in self.by_name and name not in seen:
            seen.add(name)
            yield self.by_name[name]
            name = self.by_name[name].parent

    def class_of(self, name: str) -> str:
        """The class of a type, that of the topmost line with one (reference/language 1.5.3); "" for none."""
        return next((line.class_name for line in reversed(list(self.lineage(name))) if line.class_name), "")

    def params_of(self, name: str) -> dict[str, str]:
        """All parameters of a type, inherited ones included."""
        found: dict[str, str] = {}
        for line in self.lineage(name):
            found = {**dict(line.params), **found}
        return found

    def is_avatar(self, name: str) -> bool:
        """Return whether a player acts through sprites of a type."""
        spec = ontology.SPRITE_CLASSES.get(self.class_of(name))
        return spec is not None and spec.avatar

    @property
    def avatars(self) -> tuple[str, ...]:
        """Types of avatars that sprites can be of."""
        return tuple(sprite.name for sprite in self.leaves if self.is_avatar(sprite.name))

    # -- text ----------------------------------------------------------------------------------------------------------

    def tree(self) -> Tree:
        """As a syntax tree."""
        rules, terminations = self.rules.lines
        mapping = tuple(
            MappingLine(character=Word(c), arrow=Word(">"), names=tuple(map(Word, names))) for c, names in self.mapping
        )
        sections = [Section(name=Word("SpriteSet"), children=self._lines(""))]
        sections += [Section(name=Word("InteractionSet"), children=rules)] if rules else []
        sections += [Section(name=Word("LevelMapping"), children=mapping)] if mapping else []
        sections += [Section(name=Word("TerminationSet"), children=terminations)] if terminations else []
        return Tree(Header(game_class=Word("BasicGame"), options=_options(self.header), children=tuple(sections)))

    def _lines(self, parent: str) -> tuple[SpriteLine, ...]:
        return tuple(
            SpriteLine(
                name=Word(s.name), classes=(Word(s.class_name),) if s.class_name else (), options=_options(s.params),
                children=self._lines(s.name),
            )
            for s in self.sprites if s.parent == parent
        )  # fmt: skip

    def text(self) -> str:
        """As formatted VGDL."""
        return dumps(self.tree())

    def __str__(self) -> str:
        """All of it, levels included, as lines: what tells two genotypes apart."""
        lines = [" ".join(f"{key}={value}" for key, value in self.header), *map(str, self.sprites), str(self.rules)]
        lines += [f"{c} > {' '.join(names)}" for c, names in self.mapping]
        return "\n".join([*lines, *(f"|{level}" for level in self.levels)])

    # -- JSON ----------------------------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """As a JSON object."""
        return {
            "header": _texts(self.header),
            "sprites": [[s.name, s.class_name, s.parent, *_texts(s.params)] for s in self.sprites],
            "mapping": [[c, *names] for c, names in self.mapping],
            "rules": self.rules.to_json(),
            "levels": list(self.levels),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> GameGenotype:
        """The inverse of `to_json`."""
        return cls(
            _params(data["header"]),
            tuple(Sprite(name, kind, _params(rest), parent) for name, kind, parent, *rest in data["sprites"]),
            tuple((c, tuple(names)) for c, *names in data["mapping"]),
            RuleSet.from_json(data["rules"]),
            tuple(str(level) for level in data["levels"]),
        )

    @classmethod
    def of(cls, source: Game | Tree | str, levels: Sequence[str] = ()) -> GameGenotype:
        r"""The genotype of a game.

        Args:
            source: a game, its tree or its text.
            levels: level texts; by default those of the game.

        Raises:
            PcgError: for a game that is no VGDL, a game space, or a game for two.

        >>> made = GameGenotype.of("BasicGame\n SpriteSet\n  a > MovingAvatar\n LevelMapping\n  A > a\n", ["A"])
        >>> made.class_of("a"), made.mapping, made.levels
        ('MovingAvatar', (('A', ('a',)),), ('A',))
        """
        if isinstance(source, Game):
            levels = levels or source.levels
            source = source.definition.source
        tree = parse(source) if isinstance(source, str) else source
        head = tree.header
        if head.game_class.text != "BasicGame" or any(_is(s, "ParameterSet") for s in head.children):
            raise PcgError(f"{tree.file} is a game space: give its parameters values first")
        header = tuple((o.key, o.value) for o in head.options)
        if dict(header).get("no_players", "1") != "1":
            raise PcgError(f"{tree.file}: games are evolved for one player, this one has two")
        sprites: list[Sprite] = []
        mapping: dict[str, tuple[str, ...]] = {}
        for section in head.children:
            if _is(section, "SpriteSet"):
                sprites += _sprites(section.children, "")
            elif _is(section, "LevelMapping"):
                lines = [line for line in section.children if isinstance(line, MappingLine)]
                mapping |= {line.character.text[:1]: tuple(w.text for w in line.names) for line in lines}
        if not sprites:
            raise PcgError(f"{tree.file} has no SpriteSet")
        made = cls(header, tuple(sprites), tuple(mapping.items()), RuleSet.of(tree), tuple(_level(t) for t in levels))
        return made._spelled_out()

    def _spelled_out(self) -> GameGenotype:
        """With lines for what is there without any, as far as it is used: the predefined types and characters."""
        used = {c for level in self.levels for c in level}
        implied = tuple((c, n) for c, n in _DEFAULT_MAPPING.items() if c in used and c not in self.characters)
        mapping = (*self.mapping, *implied)
        named = {n for _, names in mapping for n in names} | {n for r in self.rules.rules for n in r.pair}
        named |= {value for gene in self.rules.genes() for _, value in gene.params}
        missing = [n for n in PREDEFINED if n in named and n not in self.by_name]
        return replace(self, sprites=(*(Sprite(n, PREDEFINED[n]) for n in missing), *self.sprites), mapping=mapping)


def _is(section: Any, name: str) -> bool:
    return isinstance(section, Section) and (section.identifier or "").lower() == name.lower()


def _sprites(lines: Iterable[Any], parent: str) -> Iterator[Sprite]:
    for line in lines:
        if isinstance(line, SpriteLine):
            params = tuple((o.key, o.value) for o in line.options)
            yield Sprite(line.name.text, line.classes[-1].text if line.classes else "", params, parent)
            yield from _sprites(line.children, line.name.text)


def _level(text: str) -> str:
    return "\n".join(line.rstrip("\r") for line in text.rstrip("\n").split("\n"))


def _texts(params: Params) -> list[str]:
    return [f"{key}={value}" for key, value in params]


def _params(texts: Iterable[str]) -> Params:
    return tuple((key, value) for key, _, value in (text.partition("=") for text in texts))


def _options(params: Params) -> tuple[Option, ...]:
    return tuple(Option(key, value) for key, value in params)


def game_edits(one: GameGenotype, other: GameGenotype) -> int:
    """Lines to insert, delete or change to make one game of the other.

    Counted are the lines of the game, rules with one second sprite each, and the rows of the levels; a line that only
    moves within its set counts nothing.
    """
    total = edits(one.rules, other.rules)
    for mine, theirs in ((one.sprites, other.sprites), (one.mapping, other.mapping), (one.header, other.header)):
        gone, new = Counter[Any](mine), Counter[Any](theirs)
        total += max((gone - new).total(), (new - gone).total())
    for before, after in zip_longest(one.levels, other.levels, fillvalue=""):
        total += sum(a != b for a, b in zip_longest(before.splitlines(), after.splitlines()))
    return total


GameShape = tuple[Any, frozenset[tuple[str, str]], frozenset[str]]
"""Phenotype that `game_distance` compares: the shape of the rules, types with their classes, rows of levels."""


def game_shape(game: GameGenotype) -> GameShape:
    """Return the phenotype that `game_distance` compares."""
    rows = frozenset(f"{k}:{y}:{row}" for k, t in enumerate(game.levels) for y, row in enumerate(t.splitlines()))
    return shape_of(game.rules), frozenset((s.name, game.class_of(s.name)) for s in game.leaves), rows


def game_distance(one: GameShape, other: GameShape) -> float:
    """Return the distance of two games, in [0, 1]: mostly that of their rules, then of their types, then of their
    levels.
    """

    def apart(a: frozenset[Any], b: frozenset[Any]) -> float:
        return 1.0 - len(a & b) / len(a | b) if a or b else 0.0

    return 0.6 * shape_distance(one[0], other[0]) + 0.3 * apart(one[1], other[1]) + 0.1 * apart(one[2], other[2])
