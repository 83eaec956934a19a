"""Draw the tiles of `pcg.render`: read the pixel maps in `tiles.txt` and write one 16x16 RGBA PNG for each.

Run `python -m tools.draw_tiles` after editing the art; the PNGs are committed, so nobody else needs to. What the
renderer has to know about a tile (its own colour, which way it faces) travels inside the PNG as text chunks.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, PngImagePlugin

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.render.colours import INK, RGB, hex_colour, ramp, to_hex

ART = Path(__file__).resolve().parent / "tiles.txt"
TILE_FOLDER = ART.parent.parent / "pcg" / "render" / "tiles"
SIZE = 16
CLEAR = "."
RAMP = "6789"
FACINGS = ("none", "side", "turn-right", "turn-up")


class ArtError(PcgError):
    """A pixel map that cannot be drawn; the message names the tile and the line."""


@dataclass(frozen=True, slots=True)
class Art:
    """One tile as drawn in the art file: 16 rows of 16 palette characters, mirrored, lit and outlined already."""

    name: str
    rows: tuple[str, ...]
    colour: RGB
    tint: float
    facing: str
    below: str
    """Tile to use instead where the same type of sprite stands directly below, or ""."""


def read_art(text: str) -> tuple[dict[str, RGB], list[Art]]:
    """The palette and the tiles of an art file (its head explains the format); ArtError on a mistake."""
    palette: dict[str, RGB] = {}
    tiles: list[Art] = []
    header: tuple[int, str] | None = None
    rows: list[str] = []
    in_palette = False
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.rstrip()
        if line.startswith("#") and not rows:
            continue
        if line == "palette":
            in_palette = True
        elif line.startswith("["):
            in_palette = False
            header, rows = (number, line), []
        elif in_palette and line:
            letter, value, _name = line.split()
            palette[letter] = hex_colour(value)
        elif header is not None and line:
            rows.append(line)
            if len(rows) == SIZE:
                tiles.append(_finish(*header, rows, palette))
                header, rows = None, []
    if header is not None:
        raise ArtError(f"art line {header[0]}: {header[1]} has {len(rows)} rows, expected {SIZE}")
    return palette, tiles


def _finish(number: int, header: str, rows: list[str], palette: dict[str, RGB]) -> Art:
    name, _, rest = header[1:].partition("]")
    where = f"art line {number}: tile {name!r}"
    options = dict(word.partition("=")[::2] for word in rest.split())
    width = SIZE // 2 if "mirror" in options else SIZE
    for offset, row in enumerate(rows, start=1):
        if len(row) != width:
            raise ArtError(f"{where}: row {offset} has {len(row)} characters, expected {width}")
        unknown = set(row) - set(palette) - set(RAMP) - {CLEAR}
        if unknown:
            raise ArtError(f"{where}: row {offset} uses {sorted(unknown)[0]!r}, which is not in the palette")
    facing = options.get("facing", "none")
    if facing not in FACINGS:
        raise ArtError(f"{where}: facing={facing!r}, expected one of {', '.join(FACINGS)}")
    grid = [list(row + row[::-1]) if "mirror" in options else list(row) for row in rows]
    if "rim" in options:
        grid = _lit(grid)
    if "outline" in options:
        grid = _outlined(grid)
    colour = hex_colour(options.get("colour", "#8a8a94"))
    return Art(name, tuple(map("".join, grid)), colour, float(options.get("tint", 0)), facing, options.get("below", ""))


def _at(grid: list[list[str]], x: int, y: int) -> str:
    return grid[y][x] if 0 <= x < SIZE and 0 <= y < SIZE else CLEAR


def _lit(grid: list[list[str]]) -> list[list[str]]:
    """One step lighter along upper left edges, one darker along lower right ones, for the tile's own colour only."""
    result = [row[:] for row in grid]
    for y, row in enumerate(grid):
        for x, letter in enumerate(row):
            if letter not in RAMP:
                continue
            towards_light = CLEAR in (_at(grid, x - 1, y), _at(grid, x, y - 1))
            away = CLEAR in (_at(grid, x + 1, y), _at(grid, x, y + 1))
            level = RAMP.index(letter) + int(towards_light and not away) - int(away and not towards_light)
            result[y][x] = RAMP[min(max(level, 0), len(RAMP) - 1)]
    return result


def _outlined(grid: list[list[str]]) -> list[list[str]]:
    """The clear pixels beside a drawn one become ink."""
    result = [row[:] for row in grid]
    for y, row in enumerate(grid):
        for x, letter in enumerate(row):
            neighbours = (_at(grid, x - 1, y), _at(grid, x + 1, y), _at(grid, x, y - 1), _at(grid, x, y + 1))
            if letter == CLEAR and any(neighbour != CLEAR for neighbour in neighbours):
                result[y][x] = "k"
    return result


def draw(art: Art, palette: dict[str, RGB]) -> Image.Image:
    """The 16x16 RGBA picture of one tile in its own colour."""
    colours = {**palette, **dict(zip(RAMP, ramp(art.colour), strict=True)), "k": INK}
    image = Image.new("RGBA", (SIZE, SIZE), (0, 0, 0, 0))
    for y, row in enumerate(art.rows):
        for x, letter in enumerate(row):
            if letter != CLEAR:
                image.putpixel((x, y), (*colours[letter], 255))
    return image


def write_tiles(art_file: Path, folder: Path) -> list[Path]:
    """Draw every tile of `art_file` into `folder`; the paths written, in the order of the art file."""
    palette, tiles = read_art(art_file.read_text(encoding="utf-8"))
    written = []
    for art in tiles:
        chunks = PngImagePlugin.PngInfo()
        chunks.add_text("pcg:colour", to_hex(art.colour))
        chunks.add_text("pcg:tint", f"{art.tint:g}")
        chunks.add_text("pcg:facing", art.facing)
        if art.below:
            chunks.add_text("pcg:below", art.below)
        path = folder / f"{art.name}.png"
        draw(art, palette).save(path, pnginfo=chunks, optimize=True)
        written.append(path)
    return written


def main() -> int:
    """Redraw the committed tiles."""
    try:
        written = write_tiles(ART, TILE_FOLDER)
    except (ArtError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{len(written)} tiles in {TILE_FOLDER}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
