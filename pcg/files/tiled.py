"""Maps of the editor Tiled, as JSON (``.tmj`` or ``.json``; Thorbjørn Lindeijer, https://doc.mapeditor.org).

Written maps have one layer of tiles and a tile set with a picture of every character of the game; each tile has a
property `character`, so that they are read back without a mapping. Of maps that are read, the topmost tile of a cell
counts, and the name of an object that stands in it.
"""

from __future__ import annotations

import base64
import gzip
import json
import struct
import zlib
from collections.abc import Mapping as MappingABC
from pathlib import Path
from typing import Any

from pcg.engine.game import Game
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.files.mapping import Mapping, character_picture, load_json

TILE = 16
"""Width of a tile of written maps in pixels."""
_GID = 0x0FFFFFFF
"""The bits of a cell that number its tile; the four above say how it is turned."""


def write_tiled(game: Game, level: str, path: Path | str) -> Path:
    """Write a level as a map, and beside it a picture of the tiles.

    Args:
        game: whose characters the level has.
        level: text.
        path: of the map, ``.tmj`` or ``.json``; the picture is called like it, ``.png``.

    Returns:
        The path of the map.

    >>> import pcg, tempfile
    >>> game = pcg.load("boxes")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_tiled(game, game.levels[0], f"{folder}/boxes.tmj")
    ...     read_tiled(path, Mapping(game)) == [game.levels[0].strip()]
    True
    """
    from PIL import Image

    path = Path(path)
    characters = _characters(game, level)
    mapping = game.definition.mapping
    picture = Image.new("RGB", (TILE * len(characters), TILE))
    for k, character in enumerate(characters):
        picture.paste(character_picture(game, character, TILE), (TILE * k, 0))
    image = path.with_suffix(".png")
    picture.save(image)
    rows = level.splitlines()
    width = max(map(len, rows))
    gids = [characters.index(char) + 1 for row in rows for char in row.ljust(width)]
    tiles = [
        {"id": k, "type": "_".join(mapping.get(char, ())),
         "properties": [{"name": "character", "type": "string", "value": char}]}
        for k, char in enumerate(characters)
    ]  # fmt: skip
    data = {
        "type": "map", "version": "1.10", "tiledversion": "1.10.2", "orientation": "orthogonal",
        "renderorder": "right-down", "infinite": False, "compressionlevel": -1, "nextlayerid": 2, "nextobjectid": 1,
        "width": width, "height": len(rows), "tilewidth": TILE, "tileheight": TILE,
        "layers": [
            {"id": 1, "type": "tilelayer", "name": "level", "x": 0, "y": 0, "width": width, "height": len(rows),
             "opacity": 1, "visible": True, "data": gids}
        ],
        "tilesets": [
            {"firstgid": 1, "name": game.name, "image": image.name, "imagewidth": picture.width,
             "imageheight": TILE, "tilewidth": TILE, "tileheight": TILE, "margin": 0, "spacing": 0,
             "columns": len(characters), "tilecount": len(characters), "tiles": tiles}
        ],
    }  # fmt: skip
    path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def _characters(game: Game, level: str) -> list[str]:
    """Return the characters of a game, and blanks where the level has some."""
    return list(dict.fromkeys([*game.definition.mapping, *sorted(set(level) - {"\n", "\r"})]))


def read_tiled(path: Path | str, mapping: Mapping) -> list[str]:
    """Read a map: one level text.

    Args:
        path: of the map.
        mapping: of numbers of tiles (as the tile set counts them, from 0), of types or classes of tiles, and of names
            and types of objects.

    Raises:
        PcgError: the file is no such map, or has a tile that is not known.
    """
    path = Path(path)
    data = load_json(path)
    if "layers" not in data or "tilesets" not in data:
        raise PcgError(f"{path} is no map of Tiled: it has no layers of tiles")
    if data.get("orientation", "orthogonal") != "orthogonal":
        raise PcgError(f"{path}: the map is {data['orientation']}, expected an orthogonal one")
    if data.get("infinite"):
        raise PcgError(f"{path}: the map is infinite; switch that off in the properties of the map")
    width, height = int(data["width"]), int(data["height"])
    known = _tiles(path, data)
    cells = [[mapping.ground] * width for _ in range(height)]
    for layer in data["layers"]:
        if not layer.get("visible", True):
            continue
        if layer["type"] == "tilelayer":
            for k, gid in enumerate(_gids(path, layer)):
                if gid & _GID:
                    x, y = k % width, k // width
                    cells[y][x] = _character(gid & _GID, known, mapping, f"{path}, row {y + 1}, column {x + 1}")
        elif layer["type"] == "objectgroup":
            for thing in layer["objects"]:
                name = thing.get("type") or thing.get("class") or thing.get("name") or ""
                x = int(thing["x"] // data["tilewidth"])
                y = int((thing["y"] - (1 if "gid" in thing else 0)) // data["tileheight"])
                if name and 0 <= x < width and 0 <= y < height:
                    cells[y][x] = mapping.character(name, f"{path}, object {thing.get('id', '')}")
    return ["\n".join("".join(row) for row in cells)]


def _tiles(path: Path, data: MappingABC[str, Any]) -> dict[int, tuple[int, list[str]]]:
    """Return per number of a tile its number in its set, and what it is called."""
    found: dict[int, tuple[int, list[str]]] = {}
    for used in data["tilesets"]:
        first = int(used["firstgid"])
        tiles = used
        if "source" in used:
            source = path.parent / used["source"]
            if source.suffix.lower() not in (".tsj", ".json"):
                raise PcgError(f"{path}: the tile set {source.name} is no JSON; embed it, or save it as .tsj")
            tiles = load_json(source)
        for local in range(int(tiles.get("tilecount", 0))):
            found[first + local] = (local, [])
        for tile in tiles.get("tiles", ()):
            local = int(tile["id"])
            words = [str(p["value"]) for p in tile.get("properties", ()) if p["name"] == "character"]
            words += [str(tile[key]) for key in ("type", "class") if tile.get(key)]
            found[first + local] = (local, words)
    return found


def _character(gid: int, known: dict[int, tuple[int, list[str]]], mapping: Mapping, place: str) -> str:
    local, words = known.get(gid, (gid - 1, []))
    if str(local) in mapping.names:
        return mapping.names[str(local)]
    for word in words:
        found = mapping.find(word)
        if found is not None:
            return found
    return mapping.character(words[0] if words else str(local), place)


def _gids(path: Path, layer: MappingABC[str, Any]) -> list[int]:
    """Return the numbers of a layer's cells, however they are stored."""
    data = layer["data"]
    if isinstance(data, list):
        return [int(gid) for gid in data]
    raw = base64.b64decode(data)
    packed = layer.get("compression", "")
    if packed == "zlib":
        raw = zlib.decompress(raw)
    elif packed == "gzip":
        raw = gzip.decompress(raw)
    elif packed:
        raise PcgError(f"{path}: layers are packed with {packed}, expected zlib, gzip or none")
    return [gid for (gid,) in struct.iter_unpack("<I", raw)]
