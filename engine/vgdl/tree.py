"""Syntax tree of a VGDL text: words and their places, without their meaning.

Nodes are frozen dataclasses. Lines and columns (both from 1, a tab is one column) are kept for messages and take no
part in equality, so `loads(dumps(tree)) == tree`. Names are resolved elsewhere (`resolver`); the shape follows
reference/language 1.3.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Word:
    """One word and its place."""

    text: str
    line: int = field(default=0, compare=False)
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Option:
    """`key=value`. `rest` is what follows the value from a second `=` on; the reference discards it."""

    key: str
    value: str
    rest: str = ""
    line: int = field(default=0, compare=False)
    column: int = field(default=0, compare=False)

    @property
    def value_column(self) -> int:
        return self.column + len(self.key) + 1

    def __str__(self) -> str:
        return f"{self.key}={self.value}{self.rest}"


@dataclass(frozen=True, slots=True)
class Remark:
    """Something before a line that is no content: a comment, or a line the reference drops."""

    kind: str
    """"comment", "broken" (its words do not convert) or "outside" (indented no deeper than the header)."""
    text: str = ""
    line: int = field(default=0, compare=False)
    column: int = field(default=0, compare=False)
    reason: str = field(default="", compare=False)
    """Reason for which a broken or outside line was dropped."""
    gap: bool = field(default=False, compare=False)
    """A blank line stands before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """Common base of content lines: children, the remarks before it, the comment behind it, its place."""

    children: tuple[Entry, ...] = ()
    before: tuple[Remark, ...] = ()
    comment: str = ""
    """Trailing comment from its `#` on, or ""."""
    line: int = field(default=0, compare=False)
    column: int = field(default=0, compare=False)
    """Column of the first visible character: indentation + 1."""
    gap: bool = field(default=False, compare=False)
    """A blank line stands between it and what comes before it, its remarks included."""


@dataclass(frozen=True, slots=True)
class Header(Node):
    """The first line, root of the tree: `BasicGame key=value ...`."""

    game_class: Word
    options: tuple[Option, ...] = ()
    ignored: tuple[Word, ...] = ()

    @property
    def identifier(self) -> str | None:
        return self.game_class.text


@dataclass(frozen=True, slots=True)
class Section(Node):
    """A set header such as `SpriteSet`, in any case."""

    name: Word

    @property
    def identifier(self) -> str | None:
        return self.name.text


@dataclass(frozen=True, slots=True)
class SpriteLine(Node):
    """`name > Class key=value ...`; `defines` is False when the free-standing `>` is missing."""

    name: Word
    classes: tuple[Word, ...] = ()
    options: tuple[Option, ...] = ()
    defines: bool = True

    @property
    def identifier(self) -> str | None:
        return self.name.text


@dataclass(frozen=True, slots=True)
class InteractionLine(Node):
    """`first second ... > effect key=value ...`. `arrow` is None when the line is a single word."""

    first: Word
    seconds: tuple[Word, ...] = ()
    effects: tuple[Word, ...] = ()
    options: tuple[Option, ...] = ()
    arrow: Word | None = None

    @property
    def identifier(self) -> str | None:
        """Only a line of one word can be found by its first word (reference/language 1.2.4)."""
        return self.first.text if self.arrow is None and not self.seconds else None


@dataclass(frozen=True, slots=True)
class TerminationLine(Node):
    """`Class key=value ...`."""

    name: Word
    options: tuple[Option, ...] = ()
    ignored: tuple[Word, ...] = ()

    @property
    def identifier(self) -> str | None:
        return self.name.text


@dataclass(frozen=True, slots=True)
class MappingLine(Node):
    """`c > name name ...`. The first character of `character` is the one mapped."""

    character: Word
    arrow: Word | None = None
    names: tuple[Word, ...] = ()

    @property
    def identifier(self) -> str | None:
        return self.character.text


@dataclass(frozen=True, slots=True)
class ParameterLine(Node):
    """`NAME > values=min:increment:max string=text [value=text]` of a game space."""

    name: Word
    options: tuple[Option, ...] = ()
    ignored: tuple[Word, ...] = ()

    @property
    def identifier(self) -> str | None:
        return self.name.text


Entry = Section | SpriteLine | InteractionLine | TerminationLine | MappingLine | ParameterLine


@dataclass(frozen=True, slots=True)
class Tree:
    """A whole text. `source` and `file` serve messages and take no part in equality."""

    header: Header
    after: tuple[Remark, ...] = ()
    """Remarks behind the last line."""
    file: str = field(default="<text>", compare=False)
    source: str = field(default="", compare=False, repr=False)

    def walk(self) -> Iterator[Header | Entry]:
        r"""All content lines in file order.

        >>> from pcg.engine.vgdl import loads
        >>> [node.identifier for node in loads("BasicGame\n  SpriteSet\n    a > Missile\n").walk()]
        ['BasicGame', 'SpriteSet', 'a']
        """
        stack: list[Header | Entry] = [self.header]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def remarks(self) -> Iterator[Remark]:
        """All remarks in file order."""
        for node in self.walk():
            yield from node.before
        yield from self.after
