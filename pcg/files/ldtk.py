"""Projects of the editor LDtk (``.ldtk``; Sébastien Benard, https://ldtk.io/json).

Written projects have one IntGrid layer with a value for every character of the game, named after its sprites. Of
projects that are read, the values of all IntGrid layers count, the upper ones first, and the entities that stand on
them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pcg.engine.game import Game
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.files.mapping import Mapping, character_picture, load_json

GRID = 16
"""Width of a cell of written projects in pixels."""
LAYER = "Level"


def write_ldtk(game: Game, levels: Sequence[str], path: Path | str) -> Path:
    """Write levels as one project.

    Args:
        game: whose characters the levels have.
        levels: texts.
        path: of the project.

    >>> import pcg, tempfile
    >>> game = pcg.load("boxes")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_ldtk(game, game.levels, f"{folder}/boxes.ldtk")
    ...     read_ldtk(path, Mapping(game)) == [level.strip() for level in game.levels]
    True
    """
    path = Path(path)
    characters = list(game.definition.mapping)
    values = [
        {"value": k, "identifier": "_".join(game.definition.mapping[char]) or f"empty{k}", "color": _colour(game, char)}
        for k, char in enumerate(characters, 1)
    ]
    data = {
        "__header__": {"fileType": "LDtk Project JSON", "app": "LDtk", "schema": "https://ldtk.io/files/JSON_SCHEMA.json",
                       "appVersion": "1.5.3"},
        "jsonVersion": "1.5.3", "appBuildId": 0, "nextUid": 100, "iid": _iid(0), "identifierStyle": "Free",
        "worldLayout": "LinearHorizontal", "worldGridWidth": 256, "worldGridHeight": 256, "defaultLevelWidth": 256,
        "defaultLevelHeight": 256, "defaultGridSize": GRID, "defaultPivotX": 0, "defaultPivotY": 0,
        "bgColor": "#40465B", "defaultLevelBgColor": "#696A79", "externalLevels": False,
        "flags": [], "worlds": [], "toc": [],
        "defs": {
            "layers": [
                {"__type": "IntGrid", "type": "IntGrid", "identifier": LAYER, "uid": 1, "gridSize": GRID,
                 "displayOpacity": 1, "intGridValues": values, "intGridValuesGroups": [], "autoRuleGroups": []}
            ],
            "entities": [], "tilesets": [], "enums": [], "externalEnums": [], "levelFields": [],
        },
        "levels": [_level(k, level, characters, game.name) for k, level in enumerate(levels)],
    }  # fmt: skip
    path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def _level(number: int, level: str, characters: list[str], name: str) -> dict[str, Any]:
    rows = level.splitlines()
    width = max(map(len, rows))
    grid = [characters.index(char) + 1 if char in characters else 0 for row in rows for char in row.ljust(width)]
    layer = {
        "__identifier": LAYER, "__type": "IntGrid", "__cWid": width, "__cHei": len(rows), "__gridSize": GRID,
        "__opacity": 1, "__pxTotalOffsetX": 0, "__pxTotalOffsetY": 0, "iid": _iid(1000 + number),
        "levelId": 10 + number, "layerDefUid": 1, "pxOffsetX": 0, "pxOffsetY": 0, "visible": True,
        "optionalRules": [], "intGridCsv": grid, "autoLayerTiles": [], "seed": 0, "gridTiles": [],
        "entityInstances": [],
    }  # fmt: skip
    return {
        "identifier": f"{name}_{number}", "iid": _iid(1 + number), "uid": 10 + number, "worldX": 0, "worldY": 0,
        "worldDepth": 0, "pxWid": GRID * width, "pxHei": GRID * len(rows), "__bgColor": "#696A79",
        "useAutoIdentifier": False, "fieldInstances": [], "layerInstances": [layer], "__neighbours": [],
    }  # fmt: skip


def _iid(number: int) -> str:
    return f"00000000-0000-0000-0000-{number:012d}"


def _colour(game: Game, character: str) -> str:
    red, green, blue = character_picture(game, character, GRID).resize((1, 1)).getpixel((0, 0))  # type: ignore[misc]
    return f"#{red:02X}{green:02X}{blue:02X}"


def read_ldtk(path: Path | str, mapping: Mapping) -> list[str]:
    """Read the levels of a project, as texts.

    Args:
        path: of the project.
        mapping: of the names and numbers of IntGrid values, and of the names of entities.

    Raises:
        PcgError: the file is no such project, or has a value that is not known.
    """
    path = Path(path)
    data = load_json(path)
    if "defs" not in data or "levels" not in data:
        raise PcgError(f"{path} is no project of LDtk: it has no levels")
    names = {
        (layer["uid"], one["value"]): str(one.get("identifier") or one["value"])
        for layer in data["defs"]["layers"]
        for one in layer.get("intGridValues", ())
    }
    worlds = [data, *data.get("worlds", ())]
    found = [level for world in worlds for level in world.get("levels", ())]
    return [_read_level(path, level, names, mapping) for level in found]


def _read_level(path: Path, level: dict[str, Any], names: dict[tuple[int, int], str], mapping: Mapping) -> str:
    place = f"{path}, {level['identifier']}"
    layers = level.get("layerInstances")
    if layers is None:
        raise PcgError(f"{place}: the level is in a file of its own; switch that off in the properties of the project")
    grids = [layer for layer in layers if layer["__type"] == "IntGrid"]
    if not grids:
        raise PcgError(f"{place}: the level has no IntGrid layer")
    width, height = int(grids[0]["__cWid"]), int(grids[0]["__cHei"])
    cells = [[mapping.ground] * width for _ in range(height)]
    for layer in reversed(layers):  # the uppermost is the first
        if layer["__type"] == "IntGrid" and (layer["__cWid"], layer["__cHei"]) == (width, height):
            for k, value in enumerate(layer["intGridCsv"]):
                if value:
                    name = str(value) if str(value) in mapping.names else names.get((layer["layerDefUid"], value), "")
                    cells[k // width][k % width] = mapping.character(name or str(value), place)
        for thing in layer.get("entityInstances", ()):
            x, y = thing["__grid"]
            if 0 <= x < width and 0 <= y < height:
                cells[y][x] = mapping.character(thing["__identifier"], place)
    return "\n".join("".join(row) for row in cells)
