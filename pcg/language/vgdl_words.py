"""The words of a VGDL text by their meaning, read line by line so that an unfinished text has them too.

The checker (`pcg.engine.vgdl.check_game`) judges a text; here nothing is refused, for a text is unfinished most of the
time in an editor. Sets, indentation and options are those of reference/language 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.ontology_params import Param
from pcg.language.places import Span

SETS = ("SpriteSet", "InteractionSet", "LevelMapping", "TerminationSet", "ParameterSet")
SPECIAL = ("EOS", "TIME")
"""Names in rules that are no sprites: the edge of the screen, and the clock."""
BUILTIN = ("wall", "avatar")
"""Sprites that a game has without defining them."""
_SET_OF = {name.lower(): name for name in SETS}
_PIECE = re.compile(r"[^\s#]+")
_NAME = re.compile(r"[^,=]+")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text.

    Attributes:
        text: the word.
        at: its place.
        role: "game", "set", "definition", "sprite", "class", "effect", "termination", "character", "parameter",
            "value".
        owner: class, effect or termination that a parameter or value belongs to.
        parameter: that a value is for.
    """

    text: str
    at: Span
    role: str
    owner: str = ""
    parameter: str = ""


@dataclass(slots=True)
class _Ancestor:
    indent: int
    kind: str
    """Class of the sprite, perhaps an ancestor's."""


def words(text: str) -> list[Word]:
    r"""Return the words of a text in order, each with its role.

    Values that name several sprites are one word for each.

    >>> [(w.text, w.role) for w in words("BasicGame\n  SpriteSet\n    cat > Chaser stype=mouse")][2:]
    [('cat', 'definition'), ('Chaser', 'class'), ('stype', 'parameter'), ('mouse', 'sprite')]
    """
    found: list[Word] = []
    current = ""
    above: list[_Ancestor] = []
    for number, line in enumerate(text.split("\n")):
        pieces = [(m.group(), m.start()) for m in _PIECE.finditer(line.split("#", 1)[0])]
        if not pieces:
            continue
        first, at = pieces[0]
        if len(pieces) == 1 and first.lower() in _SET_OF:
            current, above = _SET_OF[first.lower()], []
            found.append(Word(first, Span(number, at, at + len(first)), "set"))
            continue
        found += _line(current, number, pieces, above)
    return found


def _line(current: str, number: int, pieces: list[tuple[str, int]], above: list[_Ancestor]) -> Iterator[Word]:
    """The words of a line of a set; "" is the line above all sets."""
    # a character of a level may be an arrow itself
    arrow = next((k for k, (piece, _) in enumerate(pieces) if piece == ">" and k > 0), len(pieces))
    left, right = pieces[:arrow], pieces[arrow + 1 :]

    def word(piece: tuple[str, int], role: str) -> Word:
        return Word(piece[0], Span(number, piece[1], piece[1] + len(piece[0])), role)

    if current == "SpriteSet":
        indent = pieces[0][1]
        while above and above[-1].indent >= indent:
            above.pop()
        if left:
            yield word(left[0], "definition")
        owner = above[-1].kind if above else ""
        if right and "=" not in right[0][0]:
            owner = right[0][0]
            yield word(right[0], "class")
            right = right[1:]
        above.append(_Ancestor(indent, owner))
        yield from _options(number, right, owner)
    elif current == "InteractionSet":
        for piece in left:
            yield word(piece, "sprite")
        if right:
            yield word(right[0], "effect")
            yield from _options(number, right[1:], right[0][0])
    elif current == "LevelMapping":
        if left:
            yield word(left[0], "character")
        for piece in right:
            yield word(piece, "sprite")
    elif current == "TerminationSet":
        yield word(pieces[0], "termination")
        yield from _options(number, pieces[1:], pieces[0][0])
    elif current == "ParameterSet":
        yield word(pieces[0], "character")
    else:
        yield word(pieces[0], "game")
        yield from _options(number, pieces[1:], pieces[0][0])


def _options(number: int, pieces: list[tuple[str, int]], owner: str) -> Iterator[Word]:
    """The words of `key=value` pieces."""
    for piece, at in pieces:
        key, equals, value = piece.partition("=")
        yield Word(key, Span(number, at, at + len(key)), "parameter", owner)
        if not equals:
            continue
        param = params_of(owner).get(key)
        at += len(key) + 1
        for name in _NAME.finditer(value):
            span = Span(number, at + name.start(), at + name.end())
            role = "sprite" if param is not None and param.references else "value"
            if param is not None and param.type == "effect":
                role = "effect"
            yield Word(name.group(), span, role, owner, key)


def params_of(owner: str) -> dict[str, Param]:
    """Return the parameters that a class, effect or termination has; "" stands for a sprite without a class.

    >>> "speed" in params_of("Missile"), "limit" in params_of("SpriteCounter"), params_of("no such thing")
    (True, True, {})
    """
    for table in (ontology.SPRITE_CLASSES, ontology.EFFECTS, ontology.TERMINATIONS):
        if owner in table:
            return dict(table[owner].params)
    if owner in ("BasicGame", "GameSpace"):
        return dict(ontology.GAME_PARAMS)
    return dict(ontology.SPRITE_BASE_PARAMS) if not owner else {}


@dataclass(frozen=True, slots=True)
class Blank:
    """Kind of word that can be written at a place.

    Attributes:
        role: as in `Word`; "" where nothing can be proposed.
        written: what is there of the word so far, up to the place.
        start: column at which the word begins.
        owner: class, effect or termination of the line.
        parameter: whose value is written.
        given: parameters that the line has already.
    """

    role: str
    written: str = ""
    start: int = 0
    owner: str = ""
    parameter: str = ""
    given: tuple[str, ...] = ()


def blank_at(text: str, line: int, column: int) -> Blank:
    r"""Return what can stand at a place of a text, by what is before it.

    >>> blank_at("BasicGame\n  SpriteSet\n    cat > Cha", 2, 13)
    Blank(role='class', written='Cha', start=10, owner='', parameter='', given=())
    """
    lines = text.split("\n")
    before = lines[line][:column] if line < len(lines) else ""
    if "#" in before:
        return Blank("")
    # the word at the place is found by a character that no name can have
    marked = "\n".join([*lines[:line], before + "\0"])
    here = [w for w in words(marked) if w.at.line == line]
    word = next((w for w in here if "\0" in w.text), None)
    if word is None:
        return Blank("")
    start = word.at.start
    given = tuple(w.text for w in here if w.role == "parameter" and w is not word)
    role = word.role
    if role == "definition" and _is_sets_place(lines[:line], start):
        role = "set"
    if role == "game" and line > 0:
        role = "set"
    return Blank(role, before[start:column], start, word.owner, word.parameter, given)


def _is_sets_place(before: list[str], indent: int) -> bool:
    """True where a line is indented like the sets above it, so that another one may begin."""
    heads = [line for line in before if line.split("#")[0].strip().lower() in _SET_OF]
    return bool(heads) and indent <= len(heads[-1]) - len(heads[-1].lstrip())
