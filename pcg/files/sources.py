"""Level files of any format, by their suffix."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pcg.engine.game import Game
from pcg.engine.vgdl.diagnostics import PcgError, nearest
from pcg.files.ldtk import read_ldtk
from pcg.files.mapping import Mapping
from pcg.files.puzzlescript import read_puzzlescript
from pcg.files.tiled import read_tiled


def read_text(path: Path | str, mapping: Mapping) -> list[str]:
    """Read a level of characters, as those of the corpora of the VGLC (Summerville et al. 2016).

    Raises:
        PcgError: for a character that is not known.
    """
    from pcg.engine.vgdl.source import read_source

    rows = read_source(Path(path))[0].splitlines()
    while rows and not rows[-1].strip():
        rows.pop()
    return [mapping.text(rows, str(path))]


FORMATS: dict[str, Callable[[Path | str, Mapping], list[str]]] = {
    "text": read_text,
    "tiled": read_tiled,
    "ldtk": read_ldtk,
    "puzzlescript": read_puzzlescript,
}
"""Readers by the name of the format."""

_SUFFIXES = {
    ".txt": "text", ".lvl": "text", ".tmj": "tiled", ".json": "tiled", ".ldtk": "ldtk", ".ps": "puzzlescript",
    ".puzzlescript": "puzzlescript", ".pzl": "puzzlescript",
}  # fmt: skip


def read_levels(path: Path | str, mapping: Mapping, form: str | None = None) -> list[str]:
    """Read the levels of a file of any format, as texts in the characters of a game.

    Args:
        path: of the file.
        mapping: of what the file calls its cells.
        form: a name of `FORMATS`; by default as the suffix says.

    Raises:
        PcgError: for an unknown format, and for files that cannot be read as such.
    """
    path = Path(path)
    name = form or _SUFFIXES.get(path.suffix.lower(), "")
    if name not in FORMATS:
        near = nearest(name, FORMATS) if name else ""
        hint = f", did you mean `{near}`?" if near else ""
        what = f"the format `{name}`" if name else f"the suffix of {path}"
        raise PcgError(f"{what} is not known{hint} (expected one of {', '.join(FORMATS)})")
    return FORMATS[name](path, mapping)


def write_game(game: Game, levels: list[str], folder: Path | str) -> Path:
    """Write a game with other levels into a folder; `pcg.load` reads it, and generators learn from its levels.

    Returns:
        The path of the game file.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for k, level in enumerate(levels):
        (folder / f"lvl{k}.txt").write_text(level + "\n", encoding="utf-8")
    file = folder / "game.vgdl"
    file.write_text(game.definition.source, encoding="utf-8")
    return file
