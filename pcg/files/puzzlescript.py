"""Levels of PuzzleScript games (Stephen Lavelle, https://www.puzzlescript.net): sections LEGEND and LEVELS of a script.

Only the levels are read: rules, sounds and pictures have no counterpart. A cell's objects are looked up by their names,
so that a script whose objects are called like the sprites of the game needs no mapping.
"""

from __future__ import annotations

import re
from pathlib import Path

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.files.mapping import Mapping

_SECTIONS = ("objects", "legend", "sounds", "collisionlayers", "rules", "winconditions", "levels")
_GLYPH = re.compile(r"^(\S+)\s*=\s*(.+)$")


def read_puzzlescript(path: Path | str, mapping: Mapping) -> list[str]:
    """Read the levels of a script, as texts.

    Args:
        path: of the script.
        mapping: of characters of the legend, and of names of objects.

    Raises:
        PcgError: the file is no script, or has an object that is not known.
    """
    path = Path(path)
    sections = _sections(path.read_text(encoding="utf-8-sig"))
    if "levels" not in sections:
        raise PcgError(f"{path} is no script of PuzzleScript: it has no section LEVELS")
    legend = _legend(sections.get("legend", []), sections.get("objects", []))
    levels: list[list[tuple[int, str]]] = [[]]
    for number, line in sections["levels"]:
        if not line.strip() or line.lower().startswith("message"):
            levels.append([])
        else:
            levels[-1].append((number, line.strip()))
    return [_text(path, rows, legend, mapping) for rows in levels if rows]


def _sections(text: str) -> dict[str, list[tuple[int, str]]]:
    """Return the lines of each section with their numbers, without comments in parentheses and rulers."""

    def blanks(found: re.Match[str]) -> str:
        return "\n" * found.group().count("\n")

    found: dict[str, list[tuple[int, str]]] = {}
    current = ""
    for number, line in enumerate(re.sub(r"\([^()]*\)", blanks, text).splitlines(), 1):
        word = line.strip().lower()
        if word in _SECTIONS:
            current = word
            found[current] = []
        elif current and not (word and set(word) == {"="}):
            found[current].append((number, line.rstrip()))
    return found


def _legend(lines: list[tuple[int, str]], objects: list[tuple[int, str]]) -> dict[str, list[str]]:
    """Return the names of the objects that a character stands for, the uppermost last."""
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
        parts = re.split(r"\s+(?:and|or)\s+", glyph[2].strip().lower())
        together = " or " not in glyph[2].lower()
        names = [name for part in parts for name in named.get(part, [part])] if together else [parts[0]]
        named[glyph[1].lower()] = names
        if len(glyph[1]) == 1:
            found[glyph[1].lower()] = names
    return found


def _text(path: Path, rows: list[tuple[int, str]], legend: dict[str, list[str]], mapping: Mapping) -> str:
    return "\n".join(
        "".join(_cell(char, legend, mapping, f"{path}:{number}:{x}") for x, char in enumerate(row, 1))
        for number, row in rows
    )


def _cell(char: str, legend: dict[str, list[str]], mapping: Mapping, place: str) -> str:
    if char in mapping.names:
        return mapping.names[char]
    names = legend.get(char.lower())
    if names is None:
        return mapping.character(char, place)
    things = [name for name in names if name != "background"]
    if not things:
        return mapping.ground
    whole = mapping.find("_".join(things)) or mapping.find(" and ".join(things))
    return whole or mapping.character(things[-1] if len(things) == 1 else " and ".join(things), place)
