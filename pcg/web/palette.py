"""A game's tiles as the level editor has them: characters with what they create, and their pictures."""

from __future__ import annotations

import io
from typing import Any

from pcg.engine.game import Game
from pcg.evaluators.analysis import ROLES
from pcg.generators.levels.context import LevelContext
from pcg.render import render_cells

LARGEST_SIDE = 100
"""Columns and rows of a level that can be edited."""
TILE = 16
"""Pixels of a tile's picture."""


def tiles_of(context: LevelContext) -> list[dict[str, Any]]:
    """Return a game's palette: `char`, `names` of what it creates, `roles`, and whether it is `ground` or `empty`."""
    palette, analysis = context.palette, context.analysis
    found = []
    for number, tile in enumerate(palette.tiles):
        shown = tile.content or tile.types
        roles = sorted({r for t in tile.content for r in analysis.roles.get(t, ())} & ROLES.keys())
        found.append(
            {
                "char": tile.char,
                "names": list(analysis.names(shown)) or ["nothing"],
                "roles": roles,
                "ground": number in palette.grounds,
                "empty": number == palette.empty,
            }
        )
    return found


def tile_pictures(game: Game, context: LevelContext) -> bytes:
    """Return the palette's tiles side by side as a PNG, 16 pixels each: above as they look over one of their kind,
    below as over something else.
    """
    file = io.BytesIO()
    row = [tile.types for tile in context.palette.tiles]
    render_cells(game, [row, row], tile=TILE).save(file, "PNG")
    return file.getvalue()
