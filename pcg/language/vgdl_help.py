"""Completion, explanations, places of names, renaming and outlines of VGDL texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pcg.engine.vgdl import ontology, read_game
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.engine.vgdl.ontology_params import TYPE_HELP, Param
from pcg.engine.vgdl.values import COLOURS, DIRECTIONS
from pcg.language.places import Proposal, Span, Symbol
from pcg.language.vgdl_words import BUILTIN, SETS, SPECIAL, Word, blank_at, params_of, words

if TYPE_CHECKING:
    from pcg.describe import Description

_TABLES: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("class", ontology.SPRITE_CLASSES),
    ("effect", ontology.EFFECTS),
    ("termination", ontology.TERMINATIONS),
)
_SET_HELP = {
    "SpriteSet": "The sprites: `name > Class parameter=value`; indented ones inherit from the one above.",
    "InteractionSet": "What happens when two sprites meet: `one other > effect parameter=value`.",
    "LevelMapping": "What a character of a level stands for: `character > sprite sprite`.",
    "TerminationSet": "When the game ends, and who wins: `Termination parameter=value`.",
    "ParameterSet": "The parameters of a game space, and the values that they can have.",
}


def complete(text: str, line: int, column: int) -> list[Proposal]:
    r"""Return what can stand at a place of a text; line and column count from 0.

    >>> [p.text for p in complete("BasicGame\n  SpriteSet\n    cat > Chas", 2, 14)]
    ['Chaser']
    """
    blank = blank_at(text, line, column)
    found: Iterable[Proposal] = ()
    if blank.role == "set":
        found = [Proposal(name, "section", "", _SET_HELP[name]) for name in SETS]
    elif blank.role in ("class", "effect", "termination"):
        found = [_part(blank.role, entry) for entry in dict(_TABLES)[blank.role].values()]
    elif blank.role == "parameter":
        params = params_of(blank.owner).values()
        found = [_parameter(p) for p in params if not p.inert and p.name not in blank.given]
    elif blank.role == "sprite":
        found = _sprites(text, special=not blank.parameter)
    elif blank.role == "value":
        found = _values(params_of(blank.owner).get(blank.parameter))
    elif blank.role == "game":
        found = [Proposal("BasicGame", "class", "", "The first line of a game.")]
    written = blank.written.lower()
    return [one for one in found if one.text.lower().startswith(written)]


def _part(kind: str, entry: Any) -> Proposal:
    parent = getattr(entry, "parent", None)
    return Proposal(entry.name, kind, f"a kind of {parent}" if parent else "", entry.help)


def _parameter(param: Param) -> Proposal:
    needed = "required" if param.required else "" if param.default is None else f"default {param.default}"
    return Proposal(param.name, "parameter", ", ".join(filter(None, [param.type, needed])), _about(param))


def _sprites(text: str, special: bool) -> list[Proposal]:
    kinds = {w.text: w for w in words(text) if w.role == "definition" and "\0" not in w.text}
    lines = text.split("\n")
    found = [Proposal(name, "sprite", lines[w.at.line].split("#")[0].strip()) for name, w in kinds.items()]
    found += [Proposal(name, "sprite", "every game has it") for name in BUILTIN if name not in kinds]
    if special:
        found += [Proposal("EOS", "sprite", "the edge of the screen"), Proposal("TIME", "sprite", "the clock")]
    return found


def _values(param: Param | None) -> list[Proposal]:
    if param is None:
        return []
    if param.type == "bool" or param.type == "flags":
        names: Iterable[str] = ("True", "False")
    elif param.type == "direction":
        names = DIRECTIONS
    elif param.type == "colour":
        names = COLOURS
    else:
        names = () if param.default is None else (str(param.default),)
    return [Proposal(name, "value", param.type) for name in names]


# --- explanations -----------------------------------------------------------------------------------------------------


def word_at(text: str, line: int, column: int) -> Word | None:
    """Return the word at a place, None where there is none."""
    return next((w for w in words(text) if w.at.holds(line, column)), None)


def explain(text: str, line: int, column: int) -> tuple[str, Span] | None:
    r"""Return an explanation in Markdown of the word at a place, and where the word is; None where there is none.

    >>> print(explain("BasicGame\n  SpriteSet\n    cat > Chaser", 2, 12)[0].splitlines()[0])
    **Chaser**: sprite class, a kind of RandomNPC
    """
    word = word_at(text, line, column)
    if word is None:
        return None
    said = ""
    if word.role == "set":
        said = _SET_HELP.get(next((name for name in SETS if name.lower() == word.text.lower()), ""), "")
    elif word.role in ("class", "effect", "termination"):
        entry = dict(_TABLES)[word.role].get(word.text)
        said = "" if entry is None else _about_part(word.role, entry)
        sentence = _sentence(text, word.at.line) if word.role == "effect" else ""
        said = f"{sentence}\n\n{said}" if said and sentence else said
    elif word.role == "parameter":
        param = params_of(word.owner).get(word.text)
        said = "" if param is None else f"**{param.name}** of {word.owner or 'sprites'}: {_about(param)}"
    elif word.role in ("sprite", "definition"):
        said = _about_sprite(text, word.text)
    elif word.role == "value":
        param = params_of(word.owner).get(word.parameter)
        said = "" if param is None else f"**{param.name}**={word.text}: {_about(param)}"
    return (said, word.at) if said else None


def _about(param: Param) -> str:
    """Return what a parameter is, its unit, type, range and default."""
    said = [param.help + (f" ({param.unit})" if param.unit else ""), TYPE_HELP[param.type]]
    if param.range is not None:
        said.append(f"usually {param.range[0]:g} to {param.range[1]:g}")
    if param.required:
        said.append("required")
    elif param.default is not None:
        said.append(f"default {param.default}")
    return "; ".join(said) + "."


def _about_part(kind: str, entry: Any) -> str:
    parent = getattr(entry, "parent", None)
    name = {"class": "avatar class" if getattr(entry, "avatar", False) else "sprite class"}.get(kind, kind)
    lines = [f"**{entry.name}**: {name}" + (f", a kind of {parent}" if parent else ""), "", entry.help]
    shown = sorted((p for p in entry.params.values() if not p.inert), key=lambda p: p.name not in entry.own)
    if shown:
        lines += ["", *(f"- `{p.name}`: {_about(p)}" for p in shown)]
    return "\n".join(lines)


def _about_sprite(text: str, name: str) -> str:
    """Return what a sprite is: its line, and what the game's description says of it where the game can be read."""
    if name in SPECIAL:
        return {"EOS": "**EOS**: the edge of the screen.", "TIME": "**TIME**: the clock; `timer` says when."}[name]
    definition = next((w for w in words(text) if w.role == "definition" and w.text == name), None)
    if definition is None:
        return f"**{name}**: a sprite that every game has." if name in BUILTIN else ""
    said = [f"```vgdl\n{text.split(chr(10))[definition.at.line].split('#')[0].strip()}\n```"]
    described = _description(text)
    if described is not None:
        said += [f"{thing.name}: {thing.text.rstrip(chr(46))}." for thing in described.things if thing.type == name]
    return "\n\n".join(said)


def _sentence(text: str, line: int) -> str:
    """Return what a rule does, in a sentence, where the game can be read."""
    described = _description(text)
    if described is None:
        return ""
    rules = (*described.meetings, *described.timers, *described.never)
    return " ".join(rule.text for rule in rules if line + 1 in rule.lines)


@lru_cache(maxsize=4)
def _description(text: str) -> Description | None:
    """Return the description of a game, None while it cannot be read."""
    from pcg.describe import describe

    try:
        return describe(read_game(text + "\n", reading="gvgai"))
    except PcgError:
        return None


# --- places of a name -------------------------------------------------------------------------------------------------


def places_of(text: str, line: int, column: int) -> tuple[str, list[Word]]:
    r"""Return the sprite at a place and all words that mean it; ("", []) where there is no sprite.

    >>> places_of("BasicGame\n  SpriteSet\n    cat > Chaser stype=cat", 2, 5)[1][1].at.start
    23
    """
    all_words = words(text)
    here = next((w for w in all_words if w.at.holds(line, column)), None)
    if here is None or here.role not in ("sprite", "definition") or here.text in SPECIAL:
        return "", []
    return here.text, [w for w in all_words if w.role in ("sprite", "definition") and w.text == here.text]


def check_name(text: str, old: str, new: str) -> str:
    r"""Return why a sprite cannot be renamed so, "" when it can.

    >>> check_name("BasicGame\n  SpriteSet\n    cat > Chaser", "cat", "my cat")
    '`my cat` is no name of a sprite: expected a word without blanks and without # = > ,'
    """
    if not new or any(c.isspace() or c in "#=>," for c in new):
        return f"`{new}` is no name of a sprite: expected a word without blanks and without # = > ,"
    taken = {w.text for w in words(text) if w.role == "definition"} | {*SPECIAL, *BUILTIN}
    if new in taken and new != old:
        return f"`{new}` is taken"
    if old in BUILTIN and old not in {w.text for w in words(text) if w.role == "definition"}:
        return f"`{old}` is a sprite that every game has; define it to give it another name"
    return ""


def outline(text: str) -> list[Symbol]:
    """Return the sets of a text with their sprites, rules, characters and terminations."""
    lines = text.split("\n")
    found: list[Symbol] = []
    parts: list[Symbol] = []
    head: Word | None = None

    def close(last: int) -> None:
        if head is not None:
            found.append(Symbol(head.text, "section", head.at, max(head.at.line, last), tuple(parts)))

    seen = -1
    for word in words(text):
        if word.role == "set":
            close(seen)
            head, parts = word, []
        elif head is not None and word.at.line != seen:
            said = lines[word.at.line].split("#")[0].strip()
            kind = {"definition": "sprite", "sprite": "effect", "character": "value"}.get(word.role, word.role)
            name = word.text if word.role in ("definition", "character") else said
            parts.append(Symbol(name, kind, word.at, word.at.line))
        seen = word.at.line
    close(seen)
    return found
