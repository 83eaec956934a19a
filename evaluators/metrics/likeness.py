"""Perceptual distance of two levels: how unlike they look to people, shifts, frames and mirrorings apart.

People who say which of two levels is more like a third go by what is there, by the lines and areas it makes, and by how
many things there are (Berns, Volz, Tokarchuk, Snodgrass, Guckelsberger: Not All the Same, CHI 2024). So a level is
described by seven views, none of which knows where in the level something stands:

- *stretches*: cells by tile, axis and length of the stretch of equal tiles they are in (0.25);
- *tiles*: stretches by tile, which counts scattered things for more than areas (0.33);
- *forms*: cells that are not ground by how they go on in their neighbours: dot, line, area, diagonal; whichever tile it
  is (0.25);
- *pieces*: number of connected things (0.08);
- *sizes*: cells by the size and the sides of the piece they belong to (0.03);
- *kinds*: tiles that occur at all (0.03);
- *neighbours*: cells by tile and by which of the eight around them have the same, mirror images alike (0.03).

The distance is the weighted sum of the Hellinger distances of the distributions, of the Jaccard distance of the kinds
and of the relative difference of the numbers of pieces. It lies in [0, 1], is 0 for a level and its mirror images, and
symmetric. `docs/results/validity/similarity.md` says how the weights were found and how well they agree with people.

A frame is no part of a level: the tile of the frame counts as outside, wherever it stands, and so does what is beyond
the edge. A level without a frame is compared with a framed one both as it is and as if it were framed with the same
tile, and the smaller distance counts; so a level is not new for being cropped.
"""

from __future__ import annotations

import functools
import math
import struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcg.engine.kernel.runtime import invoke2, invoke6
from pcg.evaluators.kernel import level_likeness as kernel

Codes = NDArray[np.uint32]
"""A level as character codes, shape (height, width)."""

FRAME = 0.5
"""Share of the edge that a frame covers at least."""
CONTRAST = 0.25
"""Excess of a frame's share of the edge over its share of the cells within: bare ground is no frame, nor is a maze."""
_double = struct.Struct("d").unpack
_word = struct.Struct("q").pack


def codes(level: str) -> Codes:
    """Return the character codes of a level text; rows shorter than the longest are filled with blanks."""
    rows = level.rstrip("\n").split("\n")
    longest = max(1, *map(len, rows))
    rows = [row.ljust(longest) for row in rows]
    flat = np.frombuffer("".join(rows).encode("utf-32-le"), np.uint32)
    return flat.reshape(len(rows), -1)


class LevelShape:
    """A level's description, from which its distances are worked out in about a microsecond each.

    Args:
        level: text, or character codes of shape (height, width); any alphabet.
    """

    __slots__ = ("_addresses", "_blocks", "_cells", "frame", "shape")

    def __init__(self, level: str | Codes) -> None:
        self._cells = (codes(level) if isinstance(level, str) else level).astype(np.int32)
        self.shape: tuple[int, int] = (int(self._cells.shape[0]), int(self._cells.shape[1]))
        """Height and width in cells."""
        self.frame = frame_of(self._cells)
        """Code of the tile that frames the level, 0 for none."""
        self._blocks: dict[int, NDArray[np.int64]] = {}
        self._addresses: dict[int, int] = {}

    def __getstate__(self) -> Codes:
        return self._cells.astype(np.uint32)

    def __setstate__(self, cells: Codes) -> None:
        self.__init__(cells)  # type: ignore[misc]

    def distance(self, other: LevelShape) -> float:
        """Return the distance to another level, in [0, 1]."""
        if self.frame == other.frame:
            return self._apart(other, self.frame)
        return min(self._apart(other, frame) for frame in {0, self.frame, other.frame})

    def parts(self, other: LevelShape) -> dict[str, float]:
        """Return the distance by each view alone, by its name; the weighted sum of these is the distance."""
        frames = {0, self.frame, other.frame} if self.frame != other.frame else {self.frame}
        frame = min(frames, key=lambda frame: self._apart(other, frame))
        first, second = self._views(frame), other._views(frame)
        named = zip(("stretches", "tiles", "forms", "sizes", "neighbours"), first.shares, second.shares, strict=True)
        found = {name: _hellinger(one, two) for name, one, two in named}
        kinds, others = set(first.shares[kernel.TILES]), set(second.shares[kernel.TILES])
        found["kinds"] = 1 - len(kinds & others) / len(kinds | others) if kinds | others else 0.0
        found["pieces"] = abs(first.pieces - second.pieces) / max(first.pieces, second.pieces, 1)
        return found

    def _views(self, frame: int) -> _Views:
        if frame not in self._blocks:
            self._described(frame)
        block = self._blocks[frame]
        count = int(block[0])
        keys = block[kernel.HEADER : kernel.HEADER + count]
        roots = block[kernel.HEADER + count :].view(np.float64)
        shares: list[dict[int, float]] = [{} for _ in range(kernel.VIEWS)]
        for key, root in zip(keys.tolist(), roots.tolist(), strict=True):
            shares[key >> 56][key] = root
        return _Views(shares, int(block[1]))

    def _apart(self, other: LevelShape, frame: int) -> float:
        """Return the distance of what is within frames of one tile."""
        first = self._addresses.get(frame) or self._described(frame)
        second = other._addresses.get(frame) or other._described(frame)
        return float(_double(_word(invoke2(kernel.compare.address, first, second)))[0])

    def _described(self, frame: int) -> int:
        """Return the address of the description of what is within a frame of some tile, 0 for all of the level."""
        block = self._blocks[frame] = _description(_inside(self._cells, frame) if frame else self._cells)
        address = self._addresses[frame] = int(block.ctypes.data)
        return address


class _Views(NamedTuple):
    """A description to look into: the roots of the shares of every view, and the number of pieces."""

    shares: list[dict[int, float]]
    pieces: int


def _hellinger(one: dict[int, float], other: dict[int, float]) -> float:
    """Return the Hellinger distance of two distributions given by the roots of their shares."""
    overlap = sum(root * other[key] for key, root in one.items() if key in other)
    return math.sqrt(1.0 - overlap) if overlap < 1.0 - kernel.SAME else 0.0


def frame_of(cells: NDArray[np.int32]) -> int:
    """Return the code of the tile that frames a level, 0 where there is none.

    It makes up half of the edge at least, and clearly more of it than of what is within.
    """
    height, width = cells.shape
    if height < 3 or width < 3:
        return 0
    edge = np.concatenate([cells[0], cells[-1], cells[1:-1, 0], cells[1:-1, -1]])
    values, counts = np.unique(edge, return_counts=True)
    most = int(counts.argmax())
    share = counts[most] / len(edge)
    if share < FRAME or share - np.count_nonzero(cells[1:-1, 1:-1] == values[most]) / cells[1:-1, 1:-1].size < CONTRAST:
        return 0
    return int(values[most])


def _inside(cells: NDArray[np.int32], frame: int) -> NDArray[np.int32]:
    """Return what is within the frame, with the frame's tile 0; the level itself where nothing else is there.

    All cells of the tile, not those alone that hang together with the edge: one wall put in or taken out would join
    others with the frame or part them from it, and tiles that are next to nothing apart would look unlike.
    """
    within = np.where(cells == frame, 0, cells)
    if not within.any():
        return cells
    rows, columns = np.flatnonzero(within.any(axis=1)), np.flatnonzero(within.any(axis=0))
    return np.ascontiguousarray(within[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])


def _description(cells: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the block that the kernel compares: numbers of entries, pieces and kinds, sorted keys, roots of shares."""
    height, width = cells.shape[0] + 2, cells.shape[1] + 2
    padded = np.zeros((height, width), np.int32)
    padded[1:-1, 1:-1] = cells
    scratch = np.empty(2 * padded.size + 4, np.int32)
    entries = np.empty((8 * padded.size + 16, 2), np.int64)
    ground = _ground(cells)
    arrays = (scratch.ctypes.data, entries.ctypes.data)
    count = invoke6(kernel.describe.address, padded.ctypes.data, height, width, ground, *arrays)
    keys, rows = np.unique(entries[1:count, 0], return_inverse=True)
    weights = np.bincount(rows, entries[1:count, 1].view(np.float64))
    views = keys >> 56
    roots = np.sqrt(weights / np.bincount(views, weights, minlength=kernel.VIEWS)[views])
    kinds = int(np.count_nonzero(views == kernel.TILES))
    return np.concatenate([[len(keys), int(entries[0, 0]), kinds], keys, roots.view(np.int64)]).astype(np.int64)


def _ground(cells: NDArray[np.int32]) -> int:
    """Return the commonest tile; of several the one with the least code."""
    values, counts = np.unique(cells[cells > 0], return_counts=True)
    return int(values[int(counts.argmax())])


@functools.lru_cache(maxsize=2048)
def level_shape(level: str) -> LevelShape:
    """Return the description of a level text; those asked for of late are remembered."""
    return LevelShape(level)


def level_distance(a: str, b: str) -> float:
    r"""Return how unlike two levels look, in [0, 1]; 0 for a level and its mirror images, shifted in its frame or not.

    Args:
        a: level text.
        b: another, of any size and alphabet.

    >>> round(level_distance("wwwww\nwA..w\nw..gw\nwwwww", "wwwwww\nw..A.w\nwg...w\nwwwwww"), 2)
    0.17
    >>> level_distance("wwwww\nwA..w\nw..gw\nwwwww", "wwwww\nw..Aw\nwg..w\nwwwww")
    0.0
    """
    return level_shape(a).distance(level_shape(b))
