"""Contents to start a search on a PCG Benchmark problem from: levels of our generators, in the problem's own numbers.

Some problems are games that one of ours is like. The table says which, and which number stands for which character of
our game's levels; the frame of our levels falls away, because the problems have it outside their content.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pcg.engine.game import load
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.generators.levels import LevelContext, make_generator
from pcg.integrations.pcg_benchmark.contents import Layout, Vector


@dataclass(frozen=True)
class TileMapping:
    """The numbers of a problem's tiles for the characters of one of our games."""

    game: str
    """A game of ours."""
    numbers: Mapping[str, int]
    """Character of our levels -> number in the content."""
    other: int
    """The number of all other characters."""
    once: str = ""
    """Characters of which the problem wants exactly one."""
    paired: str = ""
    """Two characters of which it wants equally many, at least one."""

    def repair(self, vector: Vector, rng: np.random.Generator) -> Vector:
        """The content with the right number of what it must have once or equally often, a few cells changed."""
        mended = vector.copy()
        kept = [self.numbers[char] for char in self.once + self.paired]
        for char in self.once:
            self._bring(mended, self.numbers[char], 1, kept, rng)
        if self.paired:
            first, second = (self.numbers[char] for char in self.paired)
            counts = sorted((int((mended == first).sum()), int((mended == second).sum())))
            target = max(1, counts[int(rng.integers(2))])
            self._bring(mended, first, target, kept, rng)
            self._bring(mended, second, target, kept, rng)
        return mended

    def _bring(self, vector: Vector, number: int, target: int, kept: list[int], rng: np.random.Generator) -> None:
        """Add or take away a number in place until there are `target` of it, as far as there is room."""
        cells = np.flatnonzero(vector == number)
        if len(cells) > target:
            vector[rng.permutation(cells)[target:]] = self.other
        elif len(cells) < target:
            room = np.flatnonzero(vector == self.other)
            if len(room) < target - len(cells):
                room = np.flatnonzero(~np.isin(vector, kept))
            vector[rng.permutation(room)[: target - len(cells)]] = number


TILE_MAPPINGS: Mapping[str, TileMapping] = {
    "binary": TileMapping("dungeon", {"w": 0}, 1),
    "loderunnertile": TileMapping(
        "lode_runner", {"w": 0, "b": 0, "A": 2, "g": 3, "t": 3, "x": 3, "m": 4, "h": 5, "r": 6}, 1
    ),
    "mdungeons": TileMapping("dungeon", {"w": 0, "A": 2, "d": 3, "k": 4, "c": 5, "b": 6, "l": 6, "s": 7}, 1, once="A"),
    "sokoban": TileMapping("boxes", {"w": 0, "A": 2, "b": 3, "o": 4}, 1, once="A", paired="bo"),
    "zelda": TileMapping("dungeon", {"w": 0, "A": 2, "k": 3, "d": 4, "b": 5, "l": 5, "s": 5}, 1, once="Akd"),
}
"""Family of problems (the first part of its name) -> its tile mapping."""

_SPARSE = 0.3
"""Concentration of the shares of tiles in a grid without a tile mapping: mostly two or three tiles prevail."""

SOURCES = ("constructive", "ca", "bsp", "constructive", "random")
"""Generators that take turns."""


def tile_mapping(problem: str) -> TileMapping | None:
    """Return the tile mapping of a problem by its name, None when our games have nothing like it."""
    return TILE_MAPPINGS.get(problem.partition("-")[0])


def starting_contents(problem: str, layout: Layout, seed: int) -> Iterator[Vector]:
    """Yield contents to start from, without end: our generators' levels, or samples where they have no meaning."""
    known = tile_mapping(problem)
    rng = np.random.default_rng([seed, 1])
    if known is None or layout.grid is None:
        while True:
            yield layout.sample(rng)
            if layout.grid is not None:
                yield _uneven(layout, rng)
    height, width = layout.grid
    context = LevelContext.of(load(known.game))
    frame = int(any(side is not None for side in context.frame))
    size: dict[str, Any] = {
        "min_width": width + 2 * frame, "max_width": width + 2 * frame,
        "min_height": height + 2 * frame, "max_height": height + 2 * frame,
    }  # fmt: skip
    makers = []
    for k, name in enumerate(SOURCES):
        try:
            makers.append(make_generator(name, context, seed=seed + k, **size))
        except PcgError:
            continue  # not for this game, or not at this size
    while True:
        for maker in makers:
            (candidate,) = maker.ask(1)
            rows = candidate.level.split("\n")[frame : frame + height]
            cells = [known.numbers.get(char, known.other) for row in rows for char in row[frame : frame + width]]
            yield known.repair(layout.inside(np.array(cells, float)), rng)
        yield known.repair(layout.sample(rng), rng)


def _uneven(layout: Layout, rng: np.random.Generator) -> Vector:
    """A grid of whole numbers, some of them far more often than others."""
    low, high = int(layout.low.min()), int(layout.high.max())
    shares = rng.dirichlet(np.full(high - low, _SPARSE))
    return layout.inside(rng.choice(np.arange(low, high), size=len(layout), p=shares).astype(float))
