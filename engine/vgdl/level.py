"""From a level text to placements of sprites (reference/language 2).

A level is a grid of characters, one per cell, read with the level mapping of its game. Singletons and surplus avatars
are the engine's business: placements are what the mapping says, in order of creation.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.definition import GameDefinition, Level, SpriteType
from pcg.engine.vgdl.findings import Findings
from pcg.engine.vgdl.source import read_source, split_lines

MAX_SPRITES = 10_000
"""The reference refuses sprites beyond this number (reference/loop 3.9)."""
MAX_CELLS = 1_000_000
MAX_PIXELS = 2**30
"""Bound of width and height in pixels, so that coordinates fit 32 bits."""
SCREEN = 800
"""Pixels the longer side is fitted into when the game gives no block size."""


class _At:
    def __init__(self, line: int, column: int) -> None:
        self.line, self.column = line, column


def block_size(definition: GameDefinition, width: int, height: int) -> int:
    r"""Pixels per cell (reference/language 2.1.2).

    >>> from pcg.engine.vgdl import read_game
    >>> game = read_game("BasicGame\n  SpriteSet\n    goal > Door\n", reading="gvgai")
    >>> block_size(game, 30, 11)
    26
    """
    square = definition.header.get("square_size", -1)
    assert isinstance(square, int)
    return square if square != -1 else max(2, SCREEN // max(width, height))


def read_level(
    text: str | Path, definition: GameDefinition, *, reading: str = "strict", file: str = "<level>"
) -> Level:
    r"""The level of a text, or of the file at a Path, for a game. Raises VGDLError with all errors found.

    `strict` wants a rectangle of mapped characters with one avatar per player. `gvgai` pads and cuts rows to the
    width of the first one and ignores unmapped characters, with a warning for each.

    >>> import pcg
    >>> level = read_level("A.b\n..o", pcg.load("boxes").definition)
    >>> level.width, level.height
    (3, 2)
    """
    level, findings = scan_level(text, definition, reading=reading, file=file)
    findings.raise_errors()
    assert level is not None
    return level


def scan_level(
    text: str | Path, definition: GameDefinition, *, reading: str, file: str
) -> tuple[Level | None, Findings]:
    """`read_level` that returns what it found instead of raising; None in place of a level that cannot be read.

    Raises VGDLError only for a file that cannot be read or is no text.
    """
    if isinstance(text, Path):
        text, file = read_source(text)
    rows = split_lines(text, file)
    findings = Findings(reading, file, rows)
    width, height = (len(rows[0]) if rows else 0), len(rows)
    if width == 0:
        findings.error(
            "the level has no cells",
            None if not rows else _At(1, 1),
            "language 2.1.1",
            expected="at least one character",
        )
        return None, findings
    if width * height > MAX_CELLS:
        findings.error(f"the level has {width} x {height} cells", None, expected=f"at most {MAX_CELLS}")
        return None, findings
    block = block_size(definition, width, height)
    if max(width, height) * block > MAX_PIXELS:
        findings.error(
            f"the level has {max(width, height)} cells of {block} pixels in a row", expected=f"{MAX_PIXELS} pixels"
        )
        return None, findings
    _check_rows(rows, width, findings)
    placements = _place(rows, width, definition, findings)
    if placements is None:
        return None, findings
    _check_avatars(placements, definition, findings)
    level = Level(
        rows=tuple(row[:width].ljust(width) for row in rows),
        width=width,
        height=height,
        block_size=block,
        placements=tuple(placements),
        diagnostics=findings.sorted(),
    )
    return level, findings


def _check_rows(rows: Sequence[str], width: int, findings: Findings) -> None:
    for number, row in enumerate(rows, 1):
        if len(row) < width:
            findings.doubt(
                f"row {number} has {len(row)} cells, the first has {width}",
                _At(number, len(row) + 1),
                "language 2.1.3",
                so="it is filled with blanks",
                expected="rows of one length",
            )
        elif len(row) > width:
            findings.doubt(
                f"row {number} has {len(row)} cells, the first has {width}",
                _At(number, width + 1),
                "language 2.1.3",
                so="it is cut",
                expected="rows of one length",
            )


def _place(
    rows: Sequence[str], width: int, definition: GameDefinition, findings: Findings
) -> list[tuple[int, int, int]] | None:
    """All placements, or None after an error that leaves none."""
    mapped: dict[str, tuple[int, ...]] = {}
    placements: list[tuple[int, int, int]] = []
    for y, row in enumerate(rows):
        for x, character in enumerate(row[:width]):
            ids = mapped.get(character)
            if ids is None:
                ids = mapped[character] = _resolve(character, definition, findings, y + 1, x + 1)
            if not ids and character not in definition.mapping and character != " " and not findings.full:
                findings.doubt(
                    f"the character `{character}` is not mapped",
                    _At(y + 1, x + 1),
                    "language 2.1.4",
                    so="it is skipped",
                    expected="one of " + " ".join(sorted(definition.mapping)),
                )
            for type_id in ids:
                placements.append((type_id, x, y))
        if len(placements) > MAX_SPRITES:
            total = sum(len(mapped.get(c, definition.mapping.get(c, ()))) for row in rows for c in row[:width])
            findings.error(
                f"the level has {total} sprites", _At(y + 1, 1), "loop 3.9", expected=f"at most {MAX_SPRITES}"
            )
            return None
    return placements


def _resolve(character: str, definition: GameDefinition, findings: Findings, line: int, column: int) -> tuple[int, ...]:
    """Type ids of a character at its first use. A type that cannot be created stops the reference here."""
    result = []
    for name in definition.mapping.get(character, ()):
        type_id = definition.type_index.get(name)
        if type_id is None:
            findings.error(
                f"`{character}` is mapped to the unknown sprite `{name}`",
                _At(line, column),
                "language 1.8",
                known=definition.type_index,
                name=name,
            )
            continue
        problem = cannot_create(definition.types[type_id])
        if problem:
            findings.error(f"`{character}` cannot be created: {problem}", _At(line, column), "language 1.5.9")
            continue
        result.append(type_id)
    return tuple(result)


def cannot_create(sprite: SpriteType) -> str:
    """Return the reason for which a sprite of this type cannot be created (reference/language 1.5.9), or "".

    The reference also fails on every ResourcePack; here one that names its resource is created (docs/compatibility.md).
    """
    if sprite.class_name is None:
        return f"`{sprite.name}` has no known class"
    spec = ontology.SPRITE_CLASSES[sprite.class_name]
    for key in spec.required:
        if key not in sprite.params and not spec.params[key].late:
            return f"`{sprite.name}` has no `{key}`, which a {spec.name} needs"
    return ""


def _check_avatars(placements: Sequence[tuple[int, int, int]], definition: GameDefinition, findings: Findings) -> None:
    avatars = [
        (x, y)
        for type_id, x, y in placements
        if ontology.SPRITE_CLASSES[definition.types[type_id].class_name or ""].avatar
    ]
    players = definition.players
    if not avatars:
        findings.doubt(
            "the level has no avatar", None, "language 2.1.10", so="nobody can play it", expected=f"{players} avatar(s)"
        )
    elif len(avatars) > players:
        x, y = avatars[players]
        findings.doubt(
            f"the level has {len(avatars)} avatars for {players} player(s)",
            _At(y + 1, x + 1),
            "language 2.1.7",
            so="those after the first are removed",
        )
    elif len(avatars) < players:
        findings.doubt(
            f"the level has {len(avatars)} avatar(s) for {players} players",
            None,
            "language 2.1.9",
            so="a player has none",
            expected=f"{players} avatars",
        )
