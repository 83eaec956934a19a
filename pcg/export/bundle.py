"""Everything a page must know of a game: memory images of its levels, agents, pictures, and what is said of it.

A bundle is plain data and one block of bytes. Whatever the levels share is in it once; path tables, which are as large
as the square of a level's cells, are computed in the page. What the numbers of sprites and states mean is told by
offsets from the layout of the kernels (`kernel.layout`), so that the page has no copy of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pcg.describe import LANGUAGES, describe
from pcg.engine.arrays import context_record
from pcg.engine.context import Context
from pcg.engine.game import Game
from pcg.engine.kernel import layout as L
from pcg.engine.kernel.bounds import MAX_ROOM
from pcg.engine.native.image import FunctionPlace, Image, image_of
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.export.agent_images import OFFSETS, agent_image
from pcg.export.kernels import exported
from pcg.export.pieces import Pieces
from pcg.web.player.pace import analysis_of, natural_pace
from pcg.web.player.sprite_sheet import sheet_for

AGENTS: Mapping[str, int] = {"mcts": 800, "olets": 800, "onestep": 40, "random": 1}
"""The agents of pages, and the forward-model calls of each per decision."""
_ANY_TIME = "40ms"
"""A budget of time to lay agents out for: their memory is the same for each."""
MAX_LEVELS = 100
"""Levels of a page; a gallery takes the rest."""

_FACINGS = ("", "up", "left", "down", "right")
_SPRITE = ("id", "type", "x", "y", "w", "h", "ox", "oy", "bits", "hp", "res", "speed")
_STATE = ("rng", "aux", "score0", "score1", "win0", "win1", "avatar0", "avatar1", "tick", "ended", "slots", "at_alive",
          "at_res", "at_sprites")  # fmt: skip
_DECISION = ("random", "budget", "deadline", "calls", "chosen", "spent", "resume")
_RECORDS = {
    "types": L.TYPE.itemsize,
    "templates": L.SPRITE.itemsize,
    "effects": L.EFFECT.itemsize,
    "entries": L.ENTRY.itemsize,
    "level": L.SPRITE.itemsize,
    "ints": 4,
}
"""Bytes of a record in the parts of an image that are tables."""
_BY_CELL = {"level_corners": "corners", "cell_start": "starts", "cell_items": "items", "cell_mask": "masks"}
"""Parts of an image that the page computes from the sprites that never move, and what it calls their addresses."""
_ROLES_SHOWN = ("you", "shot", "hurts", "collect", "push", "passage", "goal")
"""The things that a page pictures, in this order: what one has to know to begin."""


@dataclass(frozen=True, slots=True)
class RecordedPlay:
    """A play that a page can show: the seed of the game, and one action name per tick."""

    seed: int
    actions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bundle:
    """A game for a page: `about` is plain data for JSON, `data` the bytes of its pieces."""

    about: dict[str, Any]
    data: bytes
    functions: tuple[FunctionPlace, ...]
    """The functions that its images name: those of users are needed as a module of their own."""


def bundle(
    game: Game,
    *,
    titles: Sequence[str] = (),
    plays: Mapping[int, RecordedPlay] | None = None,
    agents: Mapping[str, int] = AGENTS,
    title: str = "",
    planes: bool = True,
) -> Bundle:
    """Return everything a page must know of a game with its levels.

    Args:
        game: a VGDL game with at least one level.
        titles: of its levels; numbers by default.
        plays: recorded plays by number of the level, to be watched.
        agents: names of agents with their forward-model calls per decision.
        title: of the page; the game's name by default.
        planes: False for a page that is not compressed: its tables stay as they are.

    Raises:
        PcgError: for a game without levels or with too many, and for levels that the game cannot read.
    """
    if not game.levels:
        raise PcgError(f"{game.name} has no levels, so there is nothing to play; put lvl0.txt, ... beside the game")
    if len(game.levels) > MAX_LEVELS:
        raise PcgError(
            f"{game.name} has {len(game.levels)} levels, a page takes {MAX_LEVELS}; use --site for a gallery"
        )
    pieces = Pieces(planes=planes)
    contexts = [game.context(k) for k in range(len(game.levels))]
    images = [image_of(context, paths=False) for context in contexts]
    levels = [
        _level(context, image, pieces, titles[k] if k < len(titles) else "")
        for k, (context, image) in enumerate(zip(contexts, images, strict=True))
    ]
    for k, play in (plays or {}).items():
        levels[k]["play"] = {"seed": play.seed, "actions": list(play.actions)}
    tables = game.tables
    sheet = sheet_for(game)
    pace = natural_pace(game)
    about = {
        "name": game.name,
        "title": title or game.name,
        "digest": game.digest,
        "players": game.players,
        "pace": {"ticks": pace.ticks_per_second, "byTurn": pace.by_turn},
        "most": MAX_ROOM,
        "spriteBytes": tables.stride,
        "levelSpriteBytes": L.SPRITE.itemsize,
        "layout": {
            "sprite": _offsets(L.SPRITE, _SPRITE),
            "state": _offsets(L.STATE, _STATE),
            "decision": {name: OFFSETS[name] for name in _DECISION},
        },
        "types": _types(game),
        "avatars": _avatars(game),
        "resources": [tables.names[t] for t in tables.resources],
        "sheet": {"piece": pieces.add(sheet.png), **sheet.describe()},
        "text": {language: _text(game, language) for language in LANGUAGES},
        "levels": levels,
        "agents": _agents(game, agents, pieces),
        "pieces": pieces.sizes,
    }
    functions = tuple({(f.module, f.symbol): f for image in images for f in image.functions}.values())
    return Bundle(about, bytes(pieces.data), functions)


def _offsets(dtype: np.dtype[Any], names: Sequence[str]) -> dict[str, int]:
    fields: Any = dtype.fields
    return {name: int(fields[name][1]) for name in names}


def _level(context: Context, image: Image, pieces: Pieces, title: str) -> dict[str, Any]:
    """A level: its size, and where the pieces of its image go (one behind the other, from `base` on)."""
    numbers, at = [], 0
    record = context_record(context)
    for name, size in image.parts:
        content = image.data[at : at + size]
        at += size
        if name in _BY_CELL:
            numbers.append(-size)
        elif name == "initial":  # a header and sections, then the moving sprites
            header = int(context.header(context.initial)["at_sprites"])
            numbers += [pieces.add(content[:header], 4), pieces.add(content[header:], int(record["stride"]))]
        else:
            numbers.append(pieces.add(content, _RECORDS.get(name, 0)))
    level = context.level
    there = np.frombuffer(image.data, L.CONTEXT, 1, image.context - image.base)[0]
    about: dict[str, Any] = {
        "width": level.width,
        "height": level.height,
        "block": level.block_size,
        "base": image.base,
        "end": image.end,
        "context": image.context,
        "model": image.model,
        "initial": image.initial,
        "room": image.room,
        "chance": int(context.stochastic),
        "level": int(there["level"]),
        **{told: int(there[name]) for name, told in _BY_CELL.items()},
        "fixed": int(record["n_level"]),
        "mortal": int(record["n_mortal"]),
        "functions": [
            [f.at, f.symbol] for f in image.functions if exported(f.symbol) or not f.module.startswith("pcg.")
        ],
        "pieces": numbers,
    }
    if title:
        about["title"] = title
    if image.paths is not None:
        at, inputs = image.paths
        about["paths"] = {
            "at": at,
            "blocked": pieces.add(inputs.blocked.tobytes()),
            "columns": level.width,
            "rows": level.height,
            "sideways": int(inputs.sideways),
        }
    return about


def _types(game: Game) -> list[Any]:
    """By type id how it is shown: stamps by variant and facing, and the variant when it stands on its like."""
    sheet = sheet_for(game)
    painter = sheet.painter
    tileset = painter.tileset
    found: list[Any] = []
    for kind in range(len(tileset.looks)):
        if not painter.shown[kind]:
            found.append(0)
            continue
        names = tileset.names(kind)
        facings = _FACINGS if tileset.facing[kind] != "none" else ("",)
        below = tileset.below[kind]
        stamps = [[sheet._stamps[kind, name, towards] for towards in facings] for name in names]
        found.append([stamps, names.index(below) if below else -1])
    return found


def _avatars(game: Game) -> dict[int, Any]:
    """By type id of those that have actions: their codes, and 1 where the avatar keeps to the cells."""
    tables = game.tables
    return {
        t: [list(actions), int(tables.types[t]["grid_number"])] for t, actions in enumerate(tables.actions) if actions
    }


def _text(game: Game, language: str) -> dict[str, Any]:
    """The description of a game in one language, with the stamp of each thing."""
    told = describe(game, language=language, analysis=analysis_of(game))
    index = game.definition.type_index
    shown = []
    for role in _ROLES_SHOWN:
        for thing in told.things_of(role):
            stamp = _stamp(game, index[thing.type])
            if stamp is not None:
                shown.append([thing.name, thing.text, stamp, role])
    return {
        "summary": told.summary,
        "keys": [[c.avatar, [[k.keys, k.does] for k in c.keys]] for c in told.controls],
        "things": shown,
        "win": list(told.win),
        "lose": list(told.lose),
    }


def _stamp(game: Game, kind: int) -> int | None:
    sheet = sheet_for(game)
    tileset = sheet.painter.tileset
    if not sheet.painter.shown[kind]:
        return None
    facing = "right" if tileset.facing[kind] == "side" else ""
    return sheet._stamps[kind, tileset.names(kind)[0], facing]


def _agents(game: Game, agents: Mapping[str, int], pieces: Pieces) -> list[list[dict[str, Any]]]:
    """Images of the agents by player, each with the one of the same agent with a budget of time (`timed`).

    They depend on the game only, so those of its first level serve all.
    """
    return [
        [
            {
                **agent_image(name, game, 0, pieces, budget=budget, player=player).as_dict(),
                "timed": agent_image(name, game, 0, pieces, budget=_ANY_TIME, player=player).as_dict(),
            }
            for name, budget in agents.items()
        ]
        for player in range(game.players)
    ]
