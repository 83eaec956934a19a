"""Syntax tree to canonical text.

Four blanks per level, the arrows of neighbouring lines under each other, one blank line before each set, comments kept.
Every text and its formatted form have the same tree, so formatting never changes what a game means, in either reading;
even the lines the reference drops stay where they are. Formatting is idempotent.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.engine.vgdl.parser import parse
from pcg.engine.vgdl.tree import (
    Entry,
    Header,
    InteractionLine,
    MappingLine,
    Node,
    Option,
    ParameterLine,
    Remark,
    Section,
    SpriteLine,
    TerminationLine,
    Tree,
    Word,
)

INDENT = "    "
WIDEST = 28
"""Longer left sides do not take part in the alignment of arrows."""

_WORD = re.compile(r"[^ \t\r\n#]+")
_LINE_END = re.compile(r"[\r\n]")


def dumps(tree: Tree) -> str:
    r"""The canonical text of a tree; `loads(dumps(tree)) == tree`.

    Raises PcgError for a tree that no text has, e.g. with a name that holds a blank.

    >>> from pcg.engine.vgdl import loads
    >>> print(dumps(loads("BasicGame\n SpriteSet # all\n   a >   Missile speed=1\n   bc > Door\n")), end="")
    BasicGame
        SpriteSet  # all
            a  > Missile speed=1
            bc > Door
    """
    lines: list[str] = []
    header = tree.header
    _remarks(header.before, "", lines, gap=False)
    lines.append(_commented(" ".join([_word(header.game_class), *_words(header.ignored), *_options(header)]), header))
    _block(header.children, INDENT, lines)
    for remark in tree.after:
        _remarks([remark], INDENT if remark.column > 1 else "", lines, gap=True)
    return "\n".join(lines) + "\n"


def format_text(text: str, *, file: str = "<text>") -> str:
    r"""The canonical form of a game text. Raises VGDLError when it cannot be parsed.

    >>> print(format_text("BasicGame\n SpriteSet\n  hero   >  MovingAvatar color=RED"))
    BasicGame
        SpriteSet
            hero > MovingAvatar color=RED
    <BLANKLINE>
    """
    return dumps(parse(text, file=file))


def _block(entries: Sequence[Entry], indent: str, lines: list[str]) -> None:
    """Siblings with everything below them."""
    both = [sides(entry) for entry in entries]
    width = max((len(left) for left, right in both if right and len(left) <= WIDEST), default=0)
    for number, (entry, (left, right)) in enumerate(zip(entries, both, strict=True)):
        if number > 0 and (isinstance(entry, Section) or (entry.before[0].gap if entry.before else entry.gap)):
            lines.append("")
        _remarks(entry.before, indent, lines, gap=False)
        if entry.before and entry.gap:
            lines.append("")
        lines.append(indent + _commented(f"{left.ljust(width)} {right}" if right else left, entry))
        _block(entry.children, indent + INDENT, lines)


def _commented(text: str, node: Node) -> str:
    if node.comment and (not node.comment.startswith("#") or _LINE_END.search(node.comment)):
        raise PcgError(f"`{node.comment}` cannot be written as a comment")
    return f"{text}  {node.comment}" if node.comment else text


def _remarks(remarks: Sequence[Remark], indent: str, lines: list[str], *, gap: bool) -> None:
    """`gap`: whether the first remark may have a blank line before it."""
    for number, remark in enumerate(remarks):
        if remark.gap and (number > 0 or gap):
            lines.append("")
        if _LINE_END.search(remark.text):
            raise PcgError("a remark is one line")
        if remark.kind == "outside":
            lines.append(remark.text)
        elif not indent and remark.text.strip("#") == "":
            # A line of nothing but `#` from its start on stops the reference (reference/language 1.1.2).
            lines.append(f" {remark.text}")
        else:
            lines.append(indent + remark.text)


def sides(entry: Entry) -> tuple[str, str]:
    """The two parts of a line whose border is aligned with its siblings'. Raises PcgError for one that no text has."""
    if isinstance(entry, Section):
        return _word(entry.name), ""
    if isinstance(entry, SpriteLine):
        arrow = [">"] if entry.defines else []
        return _word(entry.name), " ".join([*arrow, *_words(entry.classes), *_options(entry)])
    if isinstance(entry, InteractionLine):
        left = " ".join([_word(entry.first), *_words(entry.seconds)])
        if entry.arrow is None:
            return left, ""
        return left, " ".join([">", *_words(entry.effects), *_options(entry)])
    if isinstance(entry, MappingLine):
        arrow = [_word(entry.arrow)] if entry.arrow is not None else []
        return _word(entry.character), " ".join([*arrow, *_words(entry.names)])
    return _word(entry.name), " ".join([*_words(entry.ignored), *_options(entry)])


def _word(word: Word) -> str:
    if _WORD.fullmatch(word.text) is None:
        raise PcgError(f"`{word.text}` cannot be written as a word: expected no blanks and no `#`")
    return word.text


def _words(words: Sequence[Word]) -> list[str]:
    return [_word(word) for word in words]


def _options(node: Header | SpriteLine | InteractionLine | TerminationLine | ParameterLine) -> list[str]:
    return [_option(option) for option in node.options]


def _option(option: Option) -> str:
    text = str(option)
    if _WORD.fullmatch(text) is None or "=" in option.key + option.value or option.rest[:1] not in ("", "="):
        raise PcgError(f"`{text}` cannot be written as key=value")
    return text
