"""Still pictures: a state or a level text as an RGB array or a PIL image, and sheets of many pictures.

Pictures show sprites only, at their pixel positions scaled from the game's block size to the tile size, painted in the
game's draw order (reference/language 1.5). Dead avatars and invisible sprites are not shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from pcg.engine.vgdl import read_level
from pcg.engine.vgdl.definition import GameDefinition, Level
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.render.colours import BACKDROP
from pcg.render.tileset import Direction, Pixels, Tileset, facing_of

if TYPE_CHECKING:
    from pcg.engine.game import Game
    from pcg.engine.state import State

NO_DIRECTION: Direction = (0.0, 0.0)


class Item(NamedTuple):
    """One sprite to paint; position and size in the game's pixels."""

    kind: int
    x: int
    y: int
    width: int
    height: int
    direction: Direction


class Painter:
    """Paints one game at one cell size; keeps what does not change from picture to picture.

    `tile` is the width of a cell in the picture, in pixels (at least 1).
    """

    def __init__(self, definition: GameDefinition, tile: int = 16) -> None:
        if tile < 1:
            raise PcgError(f"tile={tile}: a cell must be at least one pixel wide")
        self.tileset = Tileset(definition, tile)
        self.tile = tile
        self.rank = _draw_ranks(definition)
        """By type id: what is painted over what, lower ranks first; equal ranks by type id."""
        self.shrink = [_shrink_factor(kind.raw.get("shrinkfactor", "")) for kind in definition.types]
        """By type id: the share of its rectangle's sides that a picture takes, centred."""
        self.shown = [kind.raw.get("invisible", "").lower() != "true" for kind in definition.types]
        """By type id: whether there is anything to see."""

    def paint(self, items: Iterable[Item], columns: int, rows: int, block: int) -> Pixels:
        """The picture of `items` as (rows * tile, columns * tile, 3) uint8; `block` is the game's block size."""
        tile, tileset = self.tile, self.tileset
        canvas = np.empty((rows * tile, columns * tile, 3), dtype=np.uint8)
        canvas[:] = BACKDROP
        ordered = sorted(
            (item for item in items if self.shown[item.kind]), key=lambda item: (self.rank[item.kind], item.kind)
        )
        stacked = {(item.kind, item.x, item.y) for item in ordered if tileset.below[item.kind]}
        for kind, x, y, width, height, direction in ordered:
            name = tileset.below[kind]
            if not name or (kind, x, y + height) not in stacked:
                name = tileset.variant(kind, x // block, y // block)
            left, top = x * tile // block, y * tile // block
            right, bottom = max(left + 1, (x + width) * tile // block), max(top + 1, (y + height) * tile // block)
            shrink = self.shrink[kind]
            if shrink < 1:
                margin_x, margin_y = int((right - left) * (1 - shrink) / 2), int((bottom - top) * (1 - shrink) / 2)
                left, right, top, bottom = left + margin_x, right - margin_x, top + margin_y, bottom - margin_y
            towards = facing_of(direction) if tileset.facing[kind] != "none" else ""
            _paste(canvas, tileset, kind, name, towards, (left, top, right, bottom))
        return canvas


def _paste(
    canvas: Pixels, tileset: Tileset, kind: int, name: str, towards: str, box: tuple[int, int, int, int]
) -> None:
    left, top, right, bottom = box
    height, width = canvas.shape[:2]
    # of a giant, only what is around the canvas needs a stamp
    if right - left > 3 * width:
        left, right = max(left, -width), min(right, 2 * width)
    if bottom - top > 3 * height:
        top, bottom = max(top, -height), min(bottom, 2 * height)
    from_x, from_y, to_x, to_y = max(left, 0), max(top, 0), min(right, width), min(bottom, height)
    if from_x >= to_x or from_y >= to_y:
        return
    stamp = tileset.stamp(kind, name, towards, right - left, bottom - top)
    view = canvas[from_y:to_y, from_x:to_x]
    part = (slice(from_y - top, to_y - top), slice(from_x - left, to_x - left))
    if stamp.mask is None:
        view[:] = stamp.rgb[part]
    else:
        np.copyto(view, stamp.rgb[part], where=stamp.mask[part])


def _draw_ranks(definition: GameDefinition) -> list[int]:
    """Return by type id its place in the draw order; types outside it (not leaves) come last, below no one."""
    ranks = [len(definition.draw_order)] * len(definition.types)
    for rank, kind in enumerate(definition.draw_order):
        ranks[kind] = rank
    return ranks


def _shrink_factor(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 1.0
    return value if 0.05 <= value < 1 else 1.0


_painters: WeakKeyDictionary[Any, dict[int, Painter]] = WeakKeyDictionary()


def painter_for(game: Game, tile: int) -> Painter:
    """The game's painter at a cell size; made once per game object and size."""
    sizes = _painters.setdefault(game, {})
    if tile not in sizes:
        sizes[tile] = Painter(game.definition, tile)
    return sizes[tile]


def state_items(state: State) -> list[Item]:
    """Return the items that a state shows."""
    return [Item(*rectangle) for rectangle in state.rectangles()]


def level_items(definition: GameDefinition, level: Level) -> list[Item]:
    """Return the items that a level shows before the first tick."""
    block = level.block_size
    directions = [_first_direction(definition, kind) for kind in range(len(definition.types))]
    return [
        Item(kind, column * block, row * block, block, block, directions[kind])
        for kind, column, row in level.placements
    ]


def _first_direction(definition: GameDefinition, kind: int) -> Direction:
    value = definition.types[kind].params.get("orientation", NO_DIRECTION)
    return value if isinstance(value, tuple) else NO_DIRECTION


def rgb_array(state: State, *, tile: int = 16) -> Pixels:
    """Draw a state as an array of shape (height * tile, width * tile, 3), uint8.

    >>> import pcg
    >>> state = pcg.load("boxes").start(level=0, seed=1)
    >>> (state.width, state.height), rgb_array(state).shape
    ((9, 8), (128, 144, 3))
    """
    return painter_for(state.game, tile).paint(state_items(state), state.width, state.height, state.block_size)


def render_png(state: State, path: str | Path | None = None, *, tile: int = 16) -> Image.Image:
    """Draw a state as a picture, saved as PNG when a `path` is given.

    Args:
        state: of a game.
        path: file to write.
        tile: width of a cell in pixels; multiples of 16 show the tiles as they were drawn.

    >>> import pcg
    >>> render_png(pcg.load("boxes").start(level=0, seed=1), tile=32).size
    (288, 256)
    """
    image = Image.fromarray(rgb_array(state, tile=tile))
    if path is not None:
        image.save(path, format="PNG", optimize=True)
    return image


def render_level(
    game: Game | GameDefinition, level_text: str, path: str | Path | None = None, *, tile: int = 16
) -> Image.Image:
    r"""Draw a level text as a picture, without starting the engine.

    Args:
        game: whose level mapping the text uses.
        level_text: rows of characters.
        path: file to write as PNG.
        tile: width of a cell in pixels.

    Raises:
        VGDLError: for a level the game cannot read.

    >>> import pcg
    >>> render_level(pcg.load("boxes"), "wwwww\nwAbow\nwwwww").size
    (80, 48)
    """
    definition = game if isinstance(game, GameDefinition) else game.definition
    painter = Painter(definition, tile) if isinstance(game, GameDefinition) else painter_for(game, tile)
    level = read_level(level_text, definition, reading=getattr(game, "reading", "strict"))
    pixels = painter.paint(level_items(definition, level), level.width, level.height, level.block_size)
    image = Image.fromarray(pixels)
    if path is not None:
        image.save(path, format="PNG", optimize=True)
    return image


def render_cells(game: Game, rows: Sequence[Sequence[Sequence[int]]], *, tile: int = 16) -> Image.Image:
    """Draw cells that hold sprites of the given types; no level has to look so.

    Args:
        game: whose types they are.
        rows: type ids by row, column and cell.
        tile: width of a cell in pixels.

    >>> import pcg
    >>> boxes = pcg.load("boxes")
    >>> render_cells(boxes, [[[boxes.definition.type_index["box"]], []]]).size
    (32, 16)
    """
    definition, block = game.definition, 10 * tile
    items = [
        Item(kind, column * block, row * block, block, block, _first_direction(definition, kind))
        for row, cells in enumerate(rows)
        for column, kinds in enumerate(cells)
        for kind in kinds
    ]
    return Image.fromarray(painter_for(game, tile).paint(items, max(map(len, rows)), len(rows), block))


def contact_sheet(
    images: Sequence[Image.Image],
    captions: Sequence[str] | None = None,
    columns: int = 5,
    *,
    path: str | Path | None = None,
) -> Image.Image:
    """Put pictures side by side, each over its caption, in reading order.

    Columns are as wide as the widest picture, rows as high as their highest. Captions that are too long are cut with an
    ellipsis.

    Args:
        images: at least one.
        captions: as many as `images`, or none.
        columns: pictures in a row.
        path: file to write as PNG.

    Raises:
        PcgError: for no images, or another number of captions.

    >>> import pcg
    >>> boxes = pcg.load("boxes")
    >>> sheet = contact_sheet([render_level(boxes, level) for level in boxes.levels[:2]], ["first", "second"])
    >>> sheet.width > sheet.height
    True
    """
    captions = [""] * len(images) if captions is None else captions
    if len(captions) != len(images):
        raise PcgError(f"contact sheet: {len(images)} images but {len(captions)} captions")
    if not images:
        raise PcgError("contact sheet: no images")
    columns = max(1, min(columns, len(images)))
    font = ImageFont.load_default(13)
    gap, line = 12, 20 if any(captions) else 0
    cell_width = max(image.width for image in images)
    heights = [
        max(image.height for image in images[start : start + columns]) for start in range(0, len(images), columns)
    ]
    size = (gap + columns * (cell_width + gap), gap + sum(height + line + gap for height in heights))
    sheet = Image.new("RGB", size, BACKDROP)
    pen = ImageDraw.Draw(sheet)
    top = gap
    for row, height in enumerate(heights):
        for column, index in enumerate(range(row * columns, min((row + 1) * columns, len(images)))):
            image, left = images[index], gap + column * (cell_width + gap)
            sheet.paste(image.convert("RGB"), (left + (cell_width - image.width) // 2, top + height - image.height))
            text = _fitted(captions[index], pen, font, cell_width)
            pen.text((left + cell_width / 2, top + height + 4), text, font=font, fill=(222, 220, 210), anchor="ma")
        top += height + line + gap
    if path is not None:
        sheet.save(path, format="PNG", optimize=True)
    return sheet


def _fitted(text: str, pen: ImageDraw.ImageDraw, font: Any, width: int) -> str:
    if pen.textlength(text, font=font) <= width:
        return text
    while text and pen.textlength(text + "…", font=font) > width:
        text = text[:-1]
    return text + "…" if text else ""
