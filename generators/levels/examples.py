"""Generators that learn from the levels a game has, and can complete levels that are partly drawn.

Learning makes levels like the examples; repair, which leaves locked cells alone, adds what the rules require.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.level_grid import Grid, Mask, avatar_cells
from pcg.evaluators.parameters import Parameter
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.contract import SIZE_PARAMETERS, IndependentGenerator
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.object_placement import place_avatar
from pcg.generators.levels.repair.by_rules import repair
from pcg.generators.levels.repair.required_sprites import add_required_sprites
from pcg.generators.levels.wall_layout import draw_size

SYMMETRIES = ("auto", "none", "mirror", "all")
SYMMETRY = Parameter(
    "symmetry", "auto", "turned examples count too: mirrored left and right, all eight ways; auto: mirrored if nothing "
    "in the game runs left or right", choices=SYMMETRIES,
)  # fmt: skip
DRAWS = Parameter("draws", 3, "levels drawn, of which the one most like the examples is kept", 1, 100)
TRIES = 8
"""Repairs tried around locked cells; the one that leaves least to be desired is kept."""


class ExampleGenerator(IndependentGenerator):
    """Base of the generators that learn from a game's own levels."""

    parameters: ClassVar[tuple[Parameter, ...]] = (*SIZE_PARAMETERS, SYMMETRY, DRAWS)
    needs_levels: ClassVar[bool] = True

    def __init__(self, context: LevelContext, *, seed: int, **params: Any) -> None:
        super().__init__(context, seed=seed, **params)
        if not context.examples:
            raise PcgError(
                f"generator {self.name} learns from a game's own levels, and {context.definition.name} has none that "
                f"can be read{f' ({context.unread})' if context.unread else ''}: add levels to the game, or use a "
                "generator that needs none, such as `constructive`"
            )

    @abstractmethod
    def fill(self, partial: Grid, locked: Mask, rng: np.random.Generator) -> Grid:
        """A level of the shape of `partial` that looks like the examples and keeps its locked cells."""

    def generate(self, rng: np.random.Generator) -> str:
        """One level text."""
        width, height = draw_size(rng, self.widths, self.heights)
        blank = np.full((height, width), self.context.palette.empty, np.int16)
        nothing = np.zeros(blank.shape, bool)
        drawn = [self.fill(blank, nothing, rng) for _ in range(self.integer("draws"))]
        builder = LevelBuilder(self.context, min(drawn, key=self.dissimilarity))
        repair(builder, rng)
        return builder.text()

    def dissimilarity(self, grid: Grid) -> float:
        """Return the distance of a level from the examples, in [0, 2]: by shares of tiles and by the space cut off.

        Small windows know nothing of either; long walls that repair would have to break are the price.
        """
        context = self.context
        tiles = len(context.palette.tiles)
        shares = np.bincount(grid.ravel(), minlength=tiles) / grid.size
        wanted = np.mean([np.bincount(g.ravel(), minlength=tiles) / g.size for g in context.examples], axis=0)
        regions = [len(region) for region in LevelBuilder(context, grid).region_arrays()]
        cut_off = 1.0 - regions[0] / sum(regions) if regions else 1.0
        return float(np.abs(shares - wanted).sum() / 2 + cut_off)

    def complete(self, partial_grid: Grid, locked_mask: Mask, rng: np.random.Generator) -> Grid:
        """Complete a level that is partly drawn.

        Args:
            partial_grid: tile numbers, shape (height, width); only the locked cells count.
            locked_mask: cells that must stay as they are, same shape.
            rng: equal generators give equal levels.

        Returns:
            A level with the locked cells as they were; as far as they allow it with one avatar and everything the
            rules call for.

        Raises:
            PcgError: when the shapes differ, a tile number is out of range, or two avatars are locked.
        """
        grid, locked = np.asarray(partial_grid, np.int16), np.asarray(locked_mask, bool)
        if grid.ndim != 2 or grid.shape != locked.shape or not grid.size:
            raise PcgError(f"complete: level of shape {grid.shape}, mask of shape {locked.shape}, expected the same")
        tiles = len(self.context.palette.tiles)
        if grid[locked].size and not 0 <= int(grid[locked].min()) <= int(grid[locked].max()) < tiles:
            raise PcgError(f"complete: a locked cell holds a tile outside 0 to {tiles - 1}")
        grid = np.where(locked, grid, self.context.palette.empty).astype(np.int16)
        if len(avatar_cells(self.context.palette, grid)) > 1:
            raise PcgError("complete: more than one avatar is locked, expected at most one")
        return repair_around_locked_cells(self.context, self.fill(grid, locked, rng), locked, rng)


def symmetry_of(context: LevelContext, chosen: str) -> str:
    """The symmetry that "auto" stands for: mirrored unless something drifts left or right."""
    if chosen != "auto":
        return chosen
    sideways = any(dx for dx, _ in context.analysis.drifts.values())
    sided = context.analysis.avatar_side in ("left", "right") or context.frame[1] != context.frame[3]
    return "none" if sideways or sided else "mirror"


def mirrored(examples: Sequence[Grid], symmetry: str) -> list[Grid]:
    """The examples and what a symmetry makes of them: "none", "mirror" (left and right) or "all" (eight ways)."""
    found = list(examples)
    if symmetry in ("mirror", "all"):
        found += [np.fliplr(g) for g in examples]
    if symmetry == "all":
        found += [np.flipud(g) for g in list(found)]
        found += [g.T for g in list(found)]
    return found


def repair_around_locked_cells(context: LevelContext, grid: Grid, locked: Mask, rng: np.random.Generator) -> Grid:
    """Repair a level without touching its locked cells: the best of a few tries."""
    best, least = grid, (10**6, 0, 0)
    for _ in range(TRIES):
        builder = LevelBuilder(context, grid.copy())
        repair(builder, rng)
        builder.grid[locked] = grid[locked]
        builder.invalidate()
        _one_avatar(builder, rng, locked)
        add_required_sprites(builder, rng, locked)
        wants = _wants(builder)
        if wants < least:
            best, least = builder.grid, wants
        if wants == (0, 0, 0):
            break
    return best


def _one_avatar(builder: LevelBuilder, rng: np.random.Generator, locked: Mask) -> None:
    cells = avatar_cells(builder.palette, builder.grid)
    keep = next((c for c in cells if locked[c]), cells[0] if cells else None)
    for cell in cells:
        if cell != keep and not locked[cell]:
            builder.put(cell, builder.palette.empty)
    if keep is None and bool((builder.free() & ~locked).any()):
        held = builder.grid.copy()
        # The avatar must not take a locked cell: those count as taken while a place is looked for.
        taken = next((t for t in builder.context.objects if t not in builder.palette.grounds), builder.palette.wall)
        if taken is not None:
            builder.grid[locked & builder.free()] = taken
            builder.invalidate()
        place_avatar(builder, rng)
        start = builder.avatar
        builder.grid[locked] = held[locked]
        builder.invalidate()
        if start is None or locked[start]:
            free = np.argwhere(builder.free() & ~locked)
            y, x = free[int(rng.integers(len(free)))].tolist()
            builder.put((y, x), builder.palette.avatars[0])


def _wants(builder: LevelBuilder) -> tuple[int, int, int]:
    """Count the faults of a level: avatars too many or too few, rules broken, things out of reach."""
    context = builder.context
    avatars = abs(len(avatar_cells(builder.palette, builder.grid)) - 1)
    short = len(context.requirements.shortfalls(builder.palette.count_types(builder.grid)))
    lost = 0
    if context.analysis.mobility == "freely" and not avatars:
        lost = int((np.isin(builder.grid, sorted(context.required_tiles)) & (builder.distances() < 0)).sum())
    return avatars, short, lost
