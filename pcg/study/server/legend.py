"""Legend of a game: pictures, names and roles of its sprites.

A goal told in words ("you win when no mark is left") is of no use to somebody who does not know what a mark looks like.
Names and roles come from the description of the game (`pcg.describe`), pictures are the tiles that the player draws.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import lru_cache

from PIL import Image

from pcg.describe import LANGUAGES, describe
from pcg.engine.game import Game
from pcg.render.picture import NO_DIRECTION, Item, Painter

TILE = 32
MOST = 12
"""Sprites of a legend at most."""
UNTOLD = ("scenery",)
"""Roles of sprites that are left out."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A sprite type in a legend: `role` is one of `pcg.describe.ROLES`, `language` that of the name."""

    type: str
    name: str
    role: str
    language: str


@lru_cache(maxsize=2000)
def legend_of(game: Game, level: str, language: str) -> tuple[Entry, ...]:
    """Return the sprites of a legend, the most important first.

    Args:
        game: the game.
        level: its text, of which sprites that can be there are told.
        language: code; names are in English where the descriptions do not speak it.

    >>> import pcg
    >>> boxes = pcg.load("boxes")
    >>> [(one.name, one.role) for one in legend_of(boxes, boxes.levels[0], "en")][0][1]
    'you'
    """
    spoken = language if language in LANGUAGES else "en"
    told = describe(game, level, language=spoken)
    painter = _painter(game)
    index = {kind.name: place for place, kind in enumerate(game.definition.types)}
    entries = [
        Entry(thing.type, thing.name, thing.role, spoken)
        for thing in told.things
        if thing.role not in UNTOLD and painter.shown[index[thing.type]]
    ]
    return tuple(entries[:MOST])


@lru_cache(maxsize=2000)
def sprite_picture(game: Game, kind: str) -> bytes:
    """Return the picture of a sprite type on the board's ground, as PNG.

    Args:
        game: the game.
        kind: name of the type.
    """
    place = next(k for k, one in enumerate(game.definition.types) if one.name == kind)
    pixels = _painter(game).paint([Item(place, 0, 0, TILE, TILE, NO_DIRECTION)], 1, 1, TILE)
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, format="PNG")
    return out.getvalue()


@lru_cache(maxsize=200)
def _painter(game: Game) -> Painter:
    return Painter(game.definition, TILE)
