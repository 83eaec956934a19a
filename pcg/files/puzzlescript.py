"""Levels of PuzzleScript games (Stephen Lavelle, https://www.puzzlescript.net): sections LEGEND and LEVELS of a script.

Only the levels are read: rules, sounds and pictures have no counterpart. A cell's objects are looked up by their names,
so that a script whose objects are called like the sprites of the game needs no mapping.
"""

from __future__ import annotations

import itertools
import re
from pathlib import Path

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.files.mapping import Mapping

_SECTIONS = ("objects", "legend", "sounds", "collisionlayers", "rules", "winconditions", "levels")
_BACKGROUND = "background"
_GLYPH = re.compile(r"^(\S+)\s*=\s*(.+)$")


def read_puzzlescript(path: Path | str, mapping: Mapping) -> list[str]:
    """Read the levels of a script, as texts.

    Args:
        path: of the script.
        mapping: of characters of the legend, and of names of objects.

    Raises:
        PcgError: the file is no script, or has objects that are not known, all of them with the place of the first.
    """
    from pcg.engine.vgdl.source import read_source

    path = Path(path)
    sections = _sections(read_source(path)[0])
    if "levels" not in sections:
        raise PcgError(f"{path} is no script of PuzzleScript: it has no section LEVELS")
    legend = _legend(sections.get("legend", []), sections.get("objects", []))
    grounds = {_BACKGROUND, *legend.pop(_BACKGROUND, ())}
    levels: list[list[tuple[int, str]]] = [[]]
    for number, line in sections["levels"]:
        if not line.strip() or line.lower().startswith("message"):
            levels.append([])
        else:
            levels[-1].append((number, line.strip()))
    levels = [rows for rows in levels if rows]
    found: dict[str, str] = {}
    unknown: dict[str, str] = {}
    for number, row in itertools.chain(*levels):
        for x, char in enumerate(row, 1):
            if char not in found:
                name, found[char] = _cell(char, legend, grounds, mapping)
                if not found[char]:
                    unknown.setdefault(name, f"{path}:{number}:{x}")
    if unknown:
        raise mapping.unknown(list(unknown), next(iter(unknown.values())))
    return ["\n".join("".join(found[char] for char in row) for _, row in rows) for rows in levels]


def _sections(text: str) -> dict[str, list[tuple[int, str]]]:
    """Return the lines of each section with their numbers, without comments and rulers."""
    found: dict[str, list[tuple[int, str]]] = {}
    current = ""
    for number, line in enumerate(_without_comments(text).splitlines(), 1):
        word = line.strip().lower()
        if word in _SECTIONS:
            current = word
            found[current] = []
        elif current and not (word and set(word) == {"="}):
            found[current].append((number, line.rstrip()))
    return found


def _without_comments(text: str) -> str:
    """Return a script without what stands in parentheses, which may hold others; lines stay where they are."""
    kept, depth = [], 0
    for char in text:
        depth += char == "("
        if not depth or char == "\n":
            kept.append(char)
        depth -= char == ")" and depth > 0
    return "".join(kept)


def _legend(lines: list[tuple[int, str]], objects: list[tuple[int, str]]) -> dict[str, list[str]]:
    """Return the names of the objects that a character stands for, the uppermost last; of what is drawn below all else
    under `_BACKGROUND`.
    """
    found: dict[str, list[str]] = {}
    for _, line in objects:  # an object's own character stands behind its name
        words = line.split()
        if len(words) > 1 and len(words[-1]) == 1 and words[0][0].isalpha() and not set(line) <= set("0123456789. "):
            found[words[-1].lower()] = [words[0].lower()]
    named: dict[str, list[str]] = {}
    for _, line in lines:
        glyph = _GLYPH.match(line.strip())
        if glyph is None:
            continue
        if glyph[1].lower() == _BACKGROUND:
            found[_BACKGROUND] = re.split(r"\s+(?:and|or)\s+", glyph[2].strip().lower())
            continue
        parts = re.split(r"\s+(?:and|or)\s+", glyph[2].strip().lower())
        together = " or " not in glyph[2].lower()
        names = [name for part in parts for name in named.get(part, [part])] if together else [parts[0]]
        named[glyph[1].lower()] = names
        if len(glyph[1]) == 1:
            found[glyph[1].lower()] = names
    return found


def _cell(char: str, legend: dict[str, list[str]], grounds: set[str], mapping: Mapping) -> tuple[str, str]:
    """Return what a character of a level is called, and the character of the game for it, "" where there is none."""
    if char in mapping.names:
        return char, mapping.names[char]
    names = legend.get(char.lower())
    if names is None:
        return char, mapping.find(char) or ""
    things = [name for name in names if name != _BACKGROUND and (name not in grounds or mapping.find(name))]
    if not things:
        return char, mapping.ground
    whole = mapping.find("_".join(things)) or mapping.find(" and ".join(things))
    return " and ".join(things), whole or ""
