"""Levels as arrays of tile numbers, and what a game's analysis says about each tile.

A `Palette` is the alphabet of a game's levels: which characters there are, which of them is empty ground, which makes
a wall, where an avatar may walk. It turns text into arrays of tile numbers and back. It checks no level (that is
`check_level`'s business).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pcg.engine.kernel.runtime import COMPILED, invoke6
from pcg.engine.lazy import cached_property
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.analysis import GameAnalysis, Tile
from pcg.evaluators.kernel import level_grid as level_grid_kernel

Grid = NDArray[np.int16]
"""A level: tile numbers, shape (height, width)."""
Mask = NDArray[np.bool_]

FREE, PUSH, GATE, HAZARD, BLOCKED = range(5)
"""Effect of a tile on the avatar: it walks on, may push what is there, needs means to open it, dies, or is stopped."""
GROUND = frozenset({"breakable", "other", "spawned"})
"""Roles of ground that has a part in the rules, besides standing in a tile of its own."""


@dataclass(frozen=True)
class Palette:
    """The tiles of a game, numbered. Build it with `palette`."""

    analysis: GameAnalysis
    tiles: tuple[Tile, ...]
    empty: int
    """The tile of bare ground."""
    wall: int | None
    """The tile for walls and borders, None in games without walls."""
    walls: tuple[int, ...]
    """All tiles with walls and nothing else but ground to walk on."""
    avatars: tuple[int, ...]
    """Tiles with the avatar of a start, best first."""
    grounds: tuple[int, ...]
    """All tiles without content, `empty` first."""
    access: NDArray[np.int8]
    """Per tile one of FREE, PUSH, GATE, HAZARD, BLOCKED."""
    type_counts: NDArray[np.int64]
    """Sprites each tile creates, shape (tiles, types of the game)."""
    by_type: Mapping[int, tuple[int, ...]]
    """Type -> the tiles that create it, those with the least besides it first."""
    links: Mapping[int, tuple[int, ...]]
    """Portal tile -> the tiles its users come out at."""
    _index: Mapping[str, int] = field(repr=False)

    def lookup(self, tiles: Collection[int]) -> NDArray[np.bool_]:
        """Return the mask of some tiles, shape (tiles,): `mask[grid]` is True where a level has one of them."""
        found = np.zeros(len(self.tiles), bool)
        found[list(tiles)] = True
        return found

    @cached_property
    def is_ground(self) -> NDArray[np.bool_]:
        """Mask of `grounds`."""
        return self.lookup(self.grounds)

    @cached_property
    def is_avatar(self) -> NDArray[np.bool_]:
        """Mask of the tiles with an avatar, of a start or another."""
        avatars = self.analysis.avatars
        return self.lookup([k for k, tile in enumerate(self.tiles) if any(t in avatars for t in tile.types)])

    def parse(self, text: str) -> Grid:
        """The array of a level text; short rows are filled with empty ground.

        Raises:
            PcgError: for a character that is no tile of the game, or an empty text.
        """
        rows = text.splitlines()
        if not rows or not rows[0]:
            raise PcgError("the level is empty: expected at least one row of at least one character")
        width = len(rows[0])
        tiles = self._index
        try:
            lines = [[tiles[char] for char in row[:width]] for row in rows]
        except KeyError:
            y, x, char = next(
                (y, x, char) for y, row in enumerate(rows) for x, char in enumerate(row[:width]) if char not in tiles
            )
            raise PcgError(
                f"character {char!r} in row {y + 1}, column {x + 1} is no tile of this game "
                f"(tiles: {''.join(sorted(tiles))})"
            ) from None
        return np.array([line + [self.empty] * (width - len(line)) for line in lines], np.int16)

    def text(self, grid: Grid) -> str:
        """The level text of an array, rows joined by newlines, without one at the end."""
        chars = self._chars
        return "\n".join("".join(chars[row].tolist()) for row in grid)

    @cached_property
    def _chars(self) -> NDArray[np.str_]:
        return np.array([t.char for t in self.tiles])

    def count_types(self, grid: Grid) -> dict[int, int]:
        """Sprites of each type the level starts with; types without any are left out."""
        totals = np.bincount(grid.ravel(), minlength=len(self.tiles)) @ self.type_counts
        return {int(t): int(totals[t]) for t in np.flatnonzero(totals)}


def palette(analysis: GameAnalysis) -> Palette:
    """The palette of a game.

    Raises:
        PcgError: when no level character creates an avatar.
    """
    tiles = list(analysis.tiles)
    avatars = _avatar_tiles(analysis, tiles)
    if not avatars:
        raise PcgError(f"no character of the level mapping of {analysis.definition.name} creates an avatar")
    if not any(t.char == " " for t in tiles):
        tiles.append(Tile(" ", (), ()))  # a blank without mapping creates nothing (reference/language 2)
    ground_of_avatar = set(tiles[avatars[0]].types) - set(tiles[avatars[0]].content)
    grounds = [i for i, t in enumerate(tiles) if not t.content]
    grounds.sort(key=lambda i: (set(tiles[i].types) != ground_of_avatar, len(tiles[i].types) or 99, i))
    counts = np.zeros((len(tiles), len(analysis.definition.types)), np.int64)
    for i, tile in enumerate(tiles):
        for t in tile.types:
            counts[i, t] += 1
    by_type: dict[int, list[int]] = {}
    for i, tile in enumerate(tiles):
        for t in set(tile.types):
            by_type.setdefault(t, []).append(i)
    for found in by_type.values():
        found.sort(key=lambda i: (len(tiles[i].content), len(tiles[i].types), i))
    access = np.array([_access(analysis, t) for t in tiles], np.int8)
    walls = [i for i, tile in enumerate(tiles) if _is_wall(analysis, tiles, tile)]
    ground_types = set(tiles[grounds[0]].types)
    walls.sort(key=lambda i: (analysis.names(tiles[i].content) != ("wall",), bool(set(tiles[i].types)
               - set(tiles[i].content) - ground_types), i))  # fmt: skip
    links = {
        i: tuple(sorted({j for c in t.content for e in _exit_types(analysis, c) for j in by_type.get(e, ())}))
        for i, t in enumerate(tiles)
    }
    return Palette(
        analysis, tuple(tiles), grounds[0], walls[0] if walls else None, tuple(sorted(walls)), tuple(avatars),
        tuple(grounds), access, counts, {t: tuple(v) for t, v in by_type.items()},
        {i: v for i, v in links.items() if v}, {t.char: i for i, t in enumerate(tiles)},
    )  # fmt: skip


def _is_wall(analysis: GameAnalysis, tiles: Sequence[Tile], tile: Tile) -> bool:
    """Return True for a tile with walls and, at most, ground: what one walks on may have a part in the rules."""
    besides = [c for c in tile.content if not analysis.has(c, "wall")]
    if len(besides) == len(tile.content) or any(analysis.has(c, "avatar") for c in tile.content):
        return False
    return all(analysis.roles.get(c, frozenset()) <= GROUND and any(t.content == (c,) for t in tiles) for c in besides)


def _avatar_tiles(analysis: GameAnalysis, tiles: Sequence[Tile]) -> list[int]:
    found = []
    for i, tile in enumerate(tiles):
        starts = [t for t in tile.types if t in analysis.avatars]
        if len(starts) == 1 and starts[0] in analysis.start_avatars:
            company = [t for t in tile.content if t != starts[0]]
            found.append((any(analysis.has(t, "harmful") for t in company), len(company), i))
    return [i for _, _, i in sorted(found)]


def _exit_types(analysis: GameAnalysis, type_id: int) -> tuple[int, ...]:
    """The types to which an avatar that touches `type_id` is teleported."""
    meets = any(c.kind == "teleport" for a in analysis.avatars for c in analysis.meetings.get((a, type_id), ()))
    name = analysis.definition.types[type_id].raw.get("stype", "")
    return (analysis.definition.type_index[name],) if meets and name in analysis.definition.type_index else ()


def _access(analysis: GameAnalysis, tile: Tile) -> int:
    """The worst a tile does to an avatar that walks onto it; moving sprites leave, so they do not count."""
    found = FREE
    shields = {
        named
        for c in tile.content
        for (first, second), happening in analysis.meetings.items()
        if first in analysis.start_avatars and second == c
        for h in happening
        if h.kind in ("carry", "shield")
        for named in tile.content
    }
    for t in tile.content:
        if analysis.has(t, "pushable"):
            found = max(found, PUSH)
        elif analysis.has(t, "gate"):
            found = max(found, GATE)
        elif analysis.has(t, "hazard") and not analysis.has(t, "mover") and not shields:
            found = max(found, BLOCKED if analysis.has(t, "solid") else HAZARD)
        elif analysis.has(t, "solid"):
            found = max(found, BLOCKED)
    return found


def walkable(palette: Palette, grid: Grid) -> Mask:
    """Cells an avatar can stand on in time: free ones and those whose content it pushes or digs away."""
    return palette.access[grid] <= PUSH


def distances(palette: Palette, grid: Grid, start: tuple[int, int], *, mask: Mask | None = None) -> NDArray[np.int32]:
    """Steps from `start` (row, column) to every cell over walkable cells and through portals; -1 where there is no way.

    Gates and hazards next to a reached cell are given their distance as well (one can touch them) but lead nowhere.
    """
    height, width = grid.shape
    passing = walkable(palette, grid) if mask is None else mask
    touched = palette.access[grid] <= HAZARD
    exits: dict[int, list[int]] = {}
    if palette.links:
        flat = grid.ravel()
        for portal, ways in palette.links.items():
            if (flat == portal).any():
                exits[portal] = np.flatnonzero(np.isin(flat, ways)).tolist()
    if not exits and COMPILED:
        return steps_over(passing, touched, start)
    open_cells, touchable = passing.ravel().tolist(), touched.ravel().tolist()
    steps = [-1] * (height * width)
    tile_of = grid.ravel().tolist() if exits else []
    frontier = [start[0] * width + start[1]]
    steps[frontier[0]] = 0
    distance = 0
    while frontier:
        distance += 1
        following: list[int] = []
        for cell in frontier:
            x = cell % width
            around = []
            if cell >= width:
                around.append(cell - width)
            if cell + width < height * width:
                around.append(cell + width)
            if x:
                around.append(cell - 1)
            if x + 1 < width:
                around.append(cell + 1)
            if exits and tile_of[cell] in exits:
                around += exits[tile_of[cell]]
            for other in around:
                if steps[other] < 0 and (open_cells[other] or touchable[other]):
                    steps[other] = distance
                    if open_cells[other]:
                        following.append(other)
        frontier = following
    return np.array(steps, np.int32).reshape(height, width)


def steps_over(passing: Mask, touched: Mask, start: tuple[int, int]) -> NDArray[np.int32]:
    """Steps from `start` over the cells of `passing` and onto those of `touched` (which holds `passing`), -1 elsewhere.

    What `distances` does for levels without portals, in compiled code.
    """
    height, width = passing.shape
    cells = touched.astype(np.int8)
    cells[passing] = level_grid_kernel.OPEN
    steps = np.full(passing.shape, -1, np.int32)
    queue = np.empty(passing.size + 1, np.int32)
    arrays = (cells.ctypes.data, steps.ctypes.data, queue.ctypes.data)
    invoke6(level_grid_kernel.walk.address, *arrays, height, width, start[0] * width + start[1])
    return steps


def edge_of(shape: tuple[int, ...]) -> Mask:
    """Return the cells along the edge of a level of a shape (height, width)."""
    edge = np.ones(shape, bool)
    edge[1:-1, 1:-1] = False
    return edge


def avatar_cells(palette: Palette, grid: Grid) -> list[tuple[int, int]]:
    """The cells in which avatars start, (row, column), in reading order."""
    return [(int(y), int(x)) for y, x in np.argwhere(palette.is_avatar[grid])]
