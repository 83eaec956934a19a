"""Levels that change together with their game: a few edits, a new level by a level generator, or new things put in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pcg.engine.vgdl.definition import GameDefinition
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.engine.vgdl.resolver import read_game
from pcg.generators.games.game_repair import ground
from pcg.generators.games.genes import GameGenotype
from pcg.generators.levels.constructive.generator import ConstructiveGenerator
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.operators import edit

EDITS = 3
"""Most edits of a level at a time."""
ANEW = 0.15
"""Share of the changes of levels that make a level anew."""


@dataclass(frozen=True)
class _Shown:
    """Game as level generators see it."""

    definition: GameDefinition
    levels: Sequence[str]


def context_of(game: GameGenotype) -> LevelContext | None:
    """Return the level context of a game; None for one that they cannot build levels for."""
    try:
        return LevelContext.of(_Shown(read_game(game.text(), reading="gvgai"), game.levels))
    except PcgError:
        return None


def change_level(game: GameGenotype, rng: np.random.Generator, *, anew: float = ANEW) -> GameGenotype:
    """One level with some edits that mean something in the game, or a level of the constructive generator."""
    k = int(rng.integers(len(game.levels)))
    context = context_of(game)
    if context is None:
        return swap_cells(game, rng)
    text = game.levels[k]
    try:
        if rng.random() < anew:
            made = ConstructiveGenerator(context, seed=int(rng.integers(2**31))).ask(1)[0].level
        else:
            grid = context.palette.parse(text)
            made = context.palette.text(edit(context, grid, rng, 1 + int(rng.integers(EDITS))))
    except PcgError:
        return swap_cells(game, rng)
    return with_level(game, k, made)


def with_level(game: GameGenotype, k: int, text: str) -> GameGenotype:
    """The game with another text of level `k`."""
    return replace(game, levels=(*game.levels[:k], text, *game.levels[k + 1 :]))


def swap_cells(game: GameGenotype, rng: np.random.Generator) -> GameGenotype:
    """Two neighbouring cells of a row of one level change places: one line changes."""
    k = int(rng.integers(len(game.levels)))
    rows = game.levels[k].split("\n")
    unlike = [(y, x) for y, row in enumerate(rows) for x in range(1, len(row)) if row[x] != row[x - 1]]
    if not unlike:
        return game
    y, x = unlike[int(rng.integers(len(unlike)))]
    row = rows[y]
    rows[y] = row[: x - 1] + row[x] + row[x - 1] + row[x + 1 :]
    return with_level(game, k, "\n".join(rows))


def place(
    game: GameGenotype, character: str, rng: np.random.Generator, *, share: float = 0.03, only: int | None = None
) -> GameGenotype:
    """With a character on some free cells of every level, or of level `only`: `share` of them, at least one."""
    empty = {ground(game), " "}
    for k, text in enumerate(game.levels):
        if only is not None and k != only:
            continue
        rows = [list(row) for row in text.split("\n")]
        free = [(y, x) for y, row in enumerate(rows) for x, c in enumerate(row) if c in empty]
        count = max(1, round(share * len(free) * float(rng.random()) * 2))
        for i in rng.permutation(len(free))[:count].tolist():
            y, x = free[i]
            rows[y][x] = character
        game = with_level(game, k, "\n".join(map("".join, rows)))
    return game
