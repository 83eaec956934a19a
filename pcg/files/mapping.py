"""The mapping between what a file calls its cells and the characters of a game's levels.

A mapping file is a JSON object from names of the file (characters, numbers of tiles, names of tiles or entities) to
characters of the game: ``{"X": "w", "7": "A", "Crate": "b"}``. What it leaves out has the meaning that the file itself
gives it: the same character, the property `character` of a tile, or the name of a sprite.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pcg.engine.game import Game
from pcg.engine.lazy import cached_property
from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean

if TYPE_CHECKING:
    from PIL.Image import Image

    from pcg.evaluators.level_grid import Palette

_GROUND = ("background", "floor", "ground", "empty", "air")
"""Names of other programs' files for a cell with nothing on it."""
_EXAMPLES = 10
"""Most names in the example of a mapping that a message has, to be copied."""


@dataclass(frozen=True)
class Mapping:
    """The cells of other programs' files, in terms of a game.

    Attributes:
        game: whose characters are meant.
        names: name in the file -> character of the game.

    >>> import pcg
    >>> mapping = Mapping(pcg.load("boxes"), {"#": "w", "Crate": "b"})
    >>> mapping.character("#"), mapping.character("crate"), mapping.character("Hero"), mapping.character("wall")
    ('w', 'b', 'A', 'w')
    """

    game: Game
    names: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, character in self.names.items():
            if character not in self.known:
                known = " ".join(sorted(self.known))
                raise PcgError(f"mapping of `{name}`: `{character}` is no character of {self.game.name} ({known})")

    @cached_property
    def known(self) -> frozenset[str]:
        """The characters that levels of the game may have; of VGDL's own only those whose sprites the game has."""
        return frozenset(tile.char for tile in self._palette.tiles)

    @cached_property
    def ground(self) -> str:
        """The character of a cell with nothing on it."""
        return self._palette.tiles[self._palette.empty].char

    @cached_property
    def _palette(self) -> Palette:
        from pcg.evaluators.analysis import analyse
        from pcg.evaluators.level_grid import palette

        return palette(analyse(self.game.definition))

    @cached_property
    def _folded(self) -> dict[str, str]:
        """Names in small letters: those of sprites, best character first, then those of the mapping."""
        definition = self.game.definition
        found: dict[str, str] = dict.fromkeys(_GROUND, self.ground)
        for character, sprites in reversed(list(definition.mapping.items())):
            if sprites and character in self.known:
                found[sprites[-1].lower()] = character
                found["_".join(sprites).lower()] = character
        avatars = [c for c, sprites in definition.mapping.items() if sprites and self._is_avatar(sprites[-1])]
        if avatars:
            found.setdefault("player", avatars[0])
        return found | {name.lower(): character for name, character in self.names.items()}

    def _is_avatar(self, name: str) -> bool:
        from pcg.engine.vgdl import ontology

        index = self.game.definition.type_index.get(name)
        kind = self.game.definition.types[index].class_name if index is not None else None
        return kind is not None and ontology.SPRITE_CLASSES[kind].avatar

    def find(self, name: str) -> str | None:
        """Return the character for a name of a file, None for one that is not known."""
        if name in self.names:
            return self.names[name]
        if len(name) == 1 and name in self.known:
            return name
        return self._folded.get(name.lower())

    def character(self, name: str, place: str = "") -> str:
        """Return the character for a name of a file.

        Args:
            name: a character, the number of a tile, or a name.
            place: where it stands, for the message.

        Raises:
            PcgError: the name is not known, with the nearest that is.
        """
        found = self.find(name)
        if found is None:
            raise self.unknown([name], place)
        return found

    def unknown(self, names: list[str], place: str) -> PcgError:
        hint = did_you_mean(names[0].lower(), self._folded) if len(names) == 1 else ""
        told = ", ".join(f"`{name}`" for name in names) + (" is" if len(names) == 1 else " are")
        example = json.dumps(dict.fromkeys(names[:_EXAMPLES], self.ground), ensure_ascii=False)
        return PcgError(
            f"{place + ': ' if place else ''}{told} nothing in {self.game.name}{hint} "
            f"(map {'it' if len(names) == 1 else 'each'} to one of {' '.join(sorted(self.known))}, as in {example})"
        )

    def text(self, rows: list[str], place: str) -> str:
        """Return a level text of rows of other characters.

        Raises:
            PcgError: for characters that are not known, all of them with the place of the first.
        """
        unknown: dict[str, str] = {}
        for y, row in enumerate(rows, 1):
            for x, char in enumerate(row, 1):
                if char not in unknown and self.find(char) is None:
                    unknown[char] = f"{place}:{y}:{x}"
        if unknown:
            raise self.unknown(list(unknown), next(iter(unknown.values())))
        return "\n".join("".join(self.character(char) for char in row) for row in rows)


def load_json(path: Path) -> dict[str, Any]:
    """Read a JSON object.

    Raises:
        PcgError: the file holds none.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, UnicodeDecodeError) as error:
        raise PcgError(f"{path} is no JSON: {error}") from None
    if not isinstance(data, dict):
        raise PcgError(f"{path}: expected a JSON object")
    return data


def character_picture(game: Game, character: str, size: int) -> Image:
    """Return the picture of a cell with the sprites of a character, `size` pixels wide and high."""
    from pcg.render import render_cells

    index, names = game.definition.type_index, game.definition.mapping.get(character, ())
    return render_cells(game, [[[index[name] for name in names if name in index]]], tile=size)


def read_mapping(game: Game, path: Path | str | None = None) -> Mapping:
    """Read a mapping file; without one only what files and the game call alike is known.

    Raises:
        PcgError: the file is no JSON object of texts, or maps to a character that the game has not.
    """
    if path is None:
        return Mapping(game)
    data = load_json(Path(path))
    if not all(isinstance(value, str) and len(value) == 1 for value in data.values()):
        raise PcgError(f'{path}: expected a JSON object from names to characters, as in {{"X": "w", "7": "A"}}')
    return Mapping(game, data)
